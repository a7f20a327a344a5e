"""Exceptions, which carry the parts of their messages: place, found, expected.

Exit codes: 1 for arguments that make no sense, 2 for files and missing packages, 7 for no common topic.
"""

from __future__ import annotations

import contextlib
import importlib
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pres_eval.records import dataclass


class PresEvalError(Exception):
    """Any failure that the user can do something about; the command line prints it as one line."""

    exit_code = 2
    is_reported = False
    """Whether the files of --junit and --summary have the error already."""


class UsageError(PresEvalError):
    """An option or argument that makes no sense."""

    exit_code = 1


def check_whole(name: str, value: Any, least: int) -> None:
    """Raise UsageError for an argument that is no whole number, or too small."""
    if not (hasattr(value, "__index__") and value >= least):
        raise UsageError(f"{name}={value!r}: expected a whole number of at least {least}")


class MeasureError(UsageError):
    """A measure or parameter that does not exist, or that the given files can't provide."""


class InputError(PresEvalError):
    """A file that is missing, unreadable or malformed: `path:line: found, expected what; advice`."""

    def __init__(
        self, path: str, line: int | None, found: str, expected: str | None = None, advice: str = ""
    ) -> None:
        self.path = path
        self.line = line
        self.found = found
        self.expected = expected
        self.advice = advice
        message = f"{path}: {found}" if line is None else f"{path}:{line}: {found}"
        if expected:
            message += f", expected {expected}"
        if advice:
            message += f"; {advice}"
        super().__init__(message)

    def __reduce__(self) -> tuple[type[InputError], tuple[str, int | None, str, str | None, str]]:
        return type(self), (self.path, self.line, self.found, self.expected, self.advice)


@dataclass(frozen=True)
class RunFailure:
    """A run that could not be evaluated, and the reason (--keep-going): it gets its own row in tables."""

    path: str
    message: str


class EmptyFileError(InputError):
    """A file without a line that counts."""

    @classmethod
    def without_bytes(cls, name: str) -> EmptyFileError:
        """Return the error of a file of this name that has no bytes, or only a byte order mark."""
        return cls(name, None, "the file is empty", "lines of text")


class DamagedError(Exception):
    """A compressed file that is not whole, or whose content does not fit its first bytes.

    No PresEvalError, because only its reader knows the file's name: `reading.file` raises InputError for it.
    """


class NoCommonTopicError(PresEvalError):
    """No topic is in both the qrels and the run."""

    exit_code = 7


INSTALL_EXTRA = "pip install '.[{extra}]'  in a checkout of pres-eval"
"""Command that installs pres-eval with an extra.  No index has the package yet: a release changes this line,
and the documentation follows (`docs/install.md`)."""


class MissingExtraError(PresEvalError):
    """A feature that needs a package of an optional extra; the message shows how to install it."""

    def __init__(self, feature: str, package: str, extra: str) -> None:
        self.extra = extra
        self._parts = feature, package, extra
        super().__init__(
            f"{feature} needs the package {package}: install it with  pip install {package}  or, with all of"
            f" its extra,  {INSTALL_EXTRA.format(extra=extra)}"
        )

    def __reduce__(self) -> tuple[type[MissingExtraError], tuple[str, str, str]]:
        return type(self), self._parts


def extra_module(name: str, feature: str, extra: str) -> Any:
    """Return a module of an optional extra; raise MissingExtraError if it is not there."""
    try:
        return importlib.import_module(name)
    except ImportError:
        raise MissingExtraError(feature, name, extra) from None


LONGEST_MESSAGE = 2_000
"""Characters of a message: files and arguments may have megabytes without a blank."""

BEGINNING_OF_LONG, END_OF_LONG = 1_500, 400
"""Characters that remain of a longer message, before and after the dots."""


def reason(error: Exception) -> str:
    """Return the reason why a file cannot be read, in few words."""
    if isinstance(error, FileNotFoundError):
        return "no such file"
    if isinstance(error, IsADirectoryError):
        return "is a directory"
    if isinstance(error, OSError) and error.strerror:
        return error.strerror.lower()
    return str(error) or type(error).__name__


@contextlib.contextmanager
def readable(name: str) -> Iterator[None]:
    """Raise InputError if the block cannot open or read the file of this name."""
    try:
        yield
    except (OSError, ValueError) as error:
        raise InputError(name, None, reason(error), "a readable file") from None


def one_line(text: str) -> str:
    r"""Return text as one line for a terminal or a log: unprintable characters become `\n`, `\x1b`, `\u2028`.

    The middle of more than LONGEST_MESSAGE characters is left out.  A path that is not UTF-8 shows its bytes.
    `##[error]` and `##vso[...]`, which CI systems take for commands, get an escape so that these print them.
    """
    if len(text) > LONGEST_MESSAGE:
        text = f"{text[:BEGINNING_OF_LONG]} ... {text[-END_OF_LONG:]}"
    if not text.isprintable():
        text = "".join(map(_escaped, text))
    return text.replace("##[", r"#\x23[").replace("##vso[", r"#\x23vso[")


def _escaped(character: str) -> str:
    """Return a character as it is, or as an escape if it is not printable."""
    if character.isprintable():
        return character
    if "\udc80" <= character <= "\udcff":  # a byte that is no UTF-8, as Python keeps it
        return f"\\x{ord(character) - 0xDC00:02x}"
    return character.encode("unicode_escape").decode()


LONGEST_QUOTATION = 80
"""Characters of a text from a file that a message shows."""


def quoted(text: bytes | str) -> str:
    """Return text from a file for a message: in quotation marks, printable, shortened when long."""
    if isinstance(text, bytes):
        text = text.decode("utf-8", "backslashreplace")
    text = one_line(text[: LONGEST_QUOTATION + 1])
    if len(text) > LONGEST_QUOTATION:
        text = text[: LONGEST_QUOTATION - 3] + "..."
    return repr(text).replace("\\\\", "\\")  # `one_line` wrote the escapes, whose \ stays single


def quoted_apart(first: bytes, second: bytes) -> tuple[str, str]:
    """Return two different ids for a message; if they look alike, in escapes that show the difference."""
    import unicodedata  # takes a while to import, and few messages need it

    texts = [text.decode("utf-8", "backslashreplace") for text in (first, second)]
    if len({unicodedata.normalize("NFKC", text) for text in texts}) > 1:
        return quoted(first), quoted(second)
    return quoted(ascii(texts[0])[1:-1]), quoted(ascii(texts[1])[1:-1])


def plural(count: int, singular: str = "topic", many: str | None = None) -> str:
    """Return the count with its noun, most often topics: `1 topic`, `3 topics`.

    many  the noun's plural, if it is not the singular with an s
    """
    if count == 1:
        return f"{count} {singular}"
    return f"{count} {many or singular + 's'}"


_DECIMAL_COMMA = r"""(?x)
    (?: ^                     # at the beginning of the text,
      | (?<= = )              # or after an equals sign, any number;
      | (?<! [\w,{] ) (?= 0,) # elsewhere a number from 0,0 to 0,9…, but not inside of a word or list
    )
    \d+ , \d+ %?
    (?! [\d.=:] | ,\d )       # 5,10,20 is a list; 1,2=3 and 0,5:1 are settings
"""
"""Pattern of a number with a decimal comma; `re` compiles it once it is needed."""


def decimal_comma(text: str) -> str:
    """Return advice on a number with a decimal comma, as in 0,8; nothing if the text has none.

    Within a text 5,10 is a list of numbers, unless it follows an equals sign.

    >>> decimal_comma("rbp.p=0,8")
    '; is this a decimal comma? write 0.8'
    >>> decimal_comma("P.5,10")
    ''
    """
    match = re.search(_DECIMAL_COMMA, text)
    if match is None:
        return ""
    return f"; is this a decimal comma? write {match[0].replace(',', '.')}"


def is_plain(text: str) -> bool:
    """Return whether C reads the text of a number too: Python takes 1_0 and the digits of other scripts."""
    return text.isascii() and "_" not in text


def number_of(value: Any) -> float:
    """Return a number, or a text that C reads as one, as a float; nan for any other value."""
    if isinstance(value, str) and not is_plain(value):
        return float("nan")
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return float("nan")


def nearest(name: str, names: Iterable[str], likeness: float = 0.5) -> list[str]:
    """Return up to three of the names that look most like a name that does not exist, the likest first.

    likeness  least similarity to a name, from 0 to 1 if they are equal; capitals are ignored
    """
    import difflib  # takes a while to import

    names_by_folded: dict[str, list[str]] = {}
    for known in names:
        names_by_folded.setdefault(known.casefold(), []).append(known)
    matches = difflib.get_close_matches(name.casefold(), names_by_folded, 3, likeness)
    return [known for match in matches for known in names_by_folded[match]][:3]


def did_you_mean(name: str, names: Iterable[str], otherwise: str = "") -> str:
    """Return the question `did you mean …?` with names that look like this one; `otherwise` if none does."""
    near = nearest(name, names)
    return f"did you mean {' or '.join(near)}?" if near else otherwise


def no_such_run(option: str, name: str, names: Sequence[str]) -> UsageError:
    """Return the error of an option that names a run which does not exist; `names` are those that do."""
    hint = did_you_mean(name, names, f"there are {', '.join(names)}")
    return UsageError(f"{option} {name}: no such run; {hint}")


class PresEvalWarning(UserWarning):
    """A warning: the command line prints it, the library passes it to `warnings`."""


class ReadingWarning(PresEvalWarning):
    """A warning about a file that was read."""


class ReadingNote(ReadingWarning):
    """A note about a file that was read: the command line prints it as a note, not as a warning."""


class SwallowedLinesNote(ReadingNote):
    """A note about a cell with line ends, which may come from a missing quotation mark."""
