"""Advice on files that cannot be read, with a command: computed only after a failure.

Only the first bytes and lines are looked at, so that a fault far down in a good file gets no advice.
"""

from __future__ import annotations

import contextlib
import os
import re
import shlex
from collections.abc import Sequence

from pres_eval.errors import InputError
from pres_eval.reading.file import HEAD, File
from pres_eval.reading.headings import GAINS_ADVICE, Role
from pres_eval.reading.lines import QRELS
from pres_eval.reading.mistakes.shapes import Repair, repair_of_columns

_UTF_8 = "iconv -f UTF-16 -t UTF-8 < FILE > NEW"
"""Command that makes UTF-8 of UTF-16; in all commands FILE is the file, and NEW the one that is written."""

_WEB_PAGE = "a web page: was something else to be downloaded?"
_SAVE_AS = "in Excel, save it as CSV UTF-8; columns query_id, doc_id, and score or relevance"
_BINARY = (
    (b"\xff\xfe", "UTF-16 text", _UTF_8),
    (b"\xfe\xff", "UTF-16 text", _UTF_8),
    (b"\xd0\xcf\x11\xe0", "an Excel workbook", _SAVE_AS),
    (b"PK\x03\x04", "a zip archive", "unzip -p FILE > NEW"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "7z x -so FILE > NEW"),
    (b"\x80\x04\x95", "a Python pickle", ""),
    (b"\x80\x05\x95", "a Python pickle", ""),
    (b"\x89HDF", "an HDF5 file", ""),
    (b"SQLite format 3", "an SQLite database", ""),
    (b"%PDF", "a PDF file", ""),
    (b"{\\rtf", "RTF of a word processor", "save it there as plain text (UTF-8)"),
    (b"<!DOCTYPE", _WEB_PAGE, ""),
    (b"<!doctype", _WEB_PAGE, ""),
    (b"<html", _WEB_PAGE, ""),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself", "git lfs pull"),
)
"""First bytes of files without lines of columns; their kind; the command to type, or what else to do."""

_LONE_RETURNS: Repair = ("its lines end in carriage returns alone", "tr '\\r' '\\n' < FILE > NEW")
"""What is wrong with lines that end in carriage returns, and the command that mends them."""

_WITHOUT_LAST_LINE = "sed '$d' < FILE > NEW"

_FEWEST_COLUMNS = 3
"""Columns of the narrowest file of trec_eval or its like: with fewer between blanks, these may be others."""

_BEFORE_TEXT = b"\xef\xbb\xbf \t\v\f\r"
"""Byte order mark and blanks, of which a line without text may consist."""

_NO_BREAK_SPACE = b"\xc2\xa0"

DECOMPRESSORS = ((b"\x1f\x8b", "gzip"), (b"BZh", "bzip2"), (b"\xfd7zXZ", "xz"), (b"\x28\xb5\x2f\xfd", "zstd"))
"""First bytes of compressed files, and the program that decompresses them with -dc."""


def with_advice(error: InputError, source: File, names: str) -> InputError:
    """Return an error about a line of a file, with advice on the whole file if there is any.

    names  the columns that were expected
    Raises InputError if the file has changed, which then explains the line.
    """
    source.check_unchanged()
    text = _half_a_line(error, source) or advice(source, names, error.found)
    if not text:
        return error
    return type(error)(error.path, error.line, error.found, error.expected, text)


def advice(source: File, names: str, problem: str = "") -> str:
    """Return the probable format of a malformed file and a command; "" if that is unknown.

    names    the columns that were expected
    problem  what was found in a line that is wrong
    """
    head = b""
    with contextlib.suppress(InputError):
        head = source.head()
    lines = _whole_lines(head)
    repair = _binary(head) or _line_ends(head)
    if repair is None and b"\0" not in head and head.strip():
        repair = _other_syntax(lines or [head]) or repair_of_columns(lines, names, source.path)
    if repair is None and names == QRELS.names and _has_decimals(problem):
        repair = GAINS_ADVICE, ""
    if repair is None:
        return ""
    what, command = repair
    if not command:
        return what
    return f"{what}: {_typed(command, source)}"


def _has_decimals(problem: str) -> bool:
    """Return whether a grade that was found is a number with decimals."""
    return re.match(r"relevance '[+-]?(\d+\.\d*|\.\d+)'", problem) is not None


def _whole_lines(head: bytes) -> list[bytes]:
    """Return the lines at the beginning of a file but blank ones, comments, and one that is cut off."""
    whole = head
    if len(head) >= HEAD:
        whole = head[: head.rfind(b"\n") + 1]
    lines = []
    for line in whole.split(b"\n"):
        beginning = line.lstrip(_BEFORE_TEXT)
        if beginning and not beginning.startswith(b"#"):
            lines.append(line)
    return lines


def _typed(command: str, source: File) -> str:
    """Return a command with the names of this file for FILE and of another one for NEW, as it is typed."""
    path = source.path
    if path.startswith("-") and path != "-":
        path = f"./{path}"
    command = re.sub(r"\bNEW\b", repaired_name(source.path), command)
    if path == "-":
        return command.replace(" < FILE", "").replace("FILE", "-")
    program = next((name for magic, name in DECOMPRESSORS if source.starts_with(magic)), None)
    if program is not None and " < FILE" in command:
        return f"{program} -dc {shlex.quote(path)} | {command.replace(' < FILE', '')}"
    return command.replace("FILE", shlex.quote(path))


def repaired_name(path: str) -> str:
    """Return the name of the file that a command writes, which is another one than it reads."""
    name, number = "NEW", 1
    while os.path.realpath(name) == os.path.realpath(path):
        number += 1
        name = f"NEW{number}"
    return name


def naming_advice(source: File, role: Role) -> str:
    """Return advice on naming the columns of a file whose header is not known; "" if there is none."""
    from pres_eval.reading.mistakes.shapes import named_columns

    with contextlib.suppress(InputError):
        return named_columns(_whole_lines(source.head()), role, source.path)
    return ""


def headings_of(source: File) -> Sequence[str] | None:
    """Return the headings of a table in no known format; an empty list for other lines.

    None if the lines are not UTF-8.  Raises InputError for a file that cannot be read.
    """
    from pres_eval.reading.mistakes.shapes import headings_of_unknown_table

    try:
        return headings_of_unknown_table(_whole_lines(source.head()))
    except UnicodeDecodeError:
        return None


def other_encoding_advice(path: str) -> str:
    """Return the command that makes UTF-8 of a text from Windows in Western Europe."""
    from pres_eval.reading.mistakes.shapes import FROM_WESTERN_EUROPE

    return f"if it is from Windows in Western Europe: {_typed(FROM_WESTERN_EUROPE, File(path))}"


def _binary(head: bytes) -> Repair | None:
    """Return the kind of a binary file, and the command that makes text of it; None for others."""
    is_workbook = b"[Content_Types].xml" in head or b"docProps/" in head
    if head.startswith(b"PK\x03\x04") and is_workbook:
        return "this is an Excel workbook", _SAVE_AS
    for magic, what, command in _BINARY:
        if head.startswith(magic):
            return f"this is {what}", command
    if head[257:262] == b"ustar":
        return "this is a tar archive", "tar -xOf FILE > NEW"
    # Without a byte order mark: of the first eight bytes every second one is NUL, the others are ASCII.
    for first_nul, name in ((1, "UTF-16LE"), (0, "UTF-16BE")):
        has_nuls = len(head) > 7 and not head[first_nul:8:2].strip(b"\0")
        if has_nuls and head[1 - first_nul : 8 : 2].isascii():
            return "this is UTF-16 text", _UTF_8.replace("UTF-16", name)
    return None


def _line_ends(head: bytes) -> Repair | None:
    """Return what is wrong with line ends or blanks, and the command that mends them; None for other text."""
    if has_lone_returns(head):
        return _LONE_RETURNS
    first_line = head.partition(b"\n")[0]
    num_columns = len(first_line.split())
    num_columns_with_blanks = len(first_line.replace(_NO_BREAK_SPACE, b" ").split())
    if num_columns < _FEWEST_COLUMNS <= num_columns_with_blanks:
        return (
            "no-break spaces (U+00A0) separate the columns, not blanks or tabs",
            "perl -pe 's/\\xC2\\xA0/ /g' < FILE > NEW",
        )
    return None


def line_end_advice(name: str) -> str:
    """Return the end of a message, after a semicolon, for a file whose lines end in carriage returns; or "".

    It has the command that mends them.  trec_eval takes them for blanks, so that such a run is one long line.
    """
    source = File(name)
    with contextlib.suppress(InputError):
        if has_lone_returns(source.head()):
            what, command = _LONE_RETURNS
            return f"; {what}: {_typed(command, source)}"
    return ""


def has_lone_returns(head: bytes) -> bool:
    """Return whether most lines end in a carriage return without a newline."""
    returns = head.count(b"\r") - head.count(b"\r\n")
    return returns > 1 and returns > head.count(b"\n")


def _half_a_line(error: InputError, source: File) -> str:
    """Return the advice on a last line that was not written to its end; "" for other errors."""
    # Only the message of an error says how many columns a line has.
    columns = re.match(r"(\d+) columns?$", error.found)
    expected = re.match(r"(\d+) \(", error.expected or "")
    if columns is None or expected is None or int(columns[1]) >= int(expected[1]):
        return ""
    if error.line is None or error.line <= 1:
        return ""
    num_lines = 0  # the last line counts too: a chunk has a line end where the file lacks one
    with contextlib.suppress(InputError):
        for chunk in source.chunks():
            num_lines += chunk.buffer.count(b"\n", chunk.start, chunk.stop)
            source.give_back(chunk)
    if source.final_newline or error.line != num_lines:
        return ""
    what = "the file ends in the middle of this line: get the whole file, or leave the line out"
    return f"{what}: {_typed(_WITHOUT_LAST_LINE, source)}"


def _other_syntax(lines: list[bytes]) -> Repair | None:
    """Return what JSON, Python or XML a file seems to be, and what can be read of it; None for other text."""
    beginning = lines[0].lstrip()
    if re.match(rb"[{\[][{\[\s]*'", beginning):
        return "this looks like a dict or a list of Python, not JSON: write it with json.dump", ""
    if beginning.startswith(b"<"):
        return "this looks like XML, which is not read: write lines of columns, CSV or JSON", ""
    if beginning[:1] in (b"{", b"["):
        return (
            'this looks like JSON, of which {"topic": {"docno": number}}, {"topic": ["docno"]} and records'
            " with the columns of --columns can be read",
            "",
        )
    return None
