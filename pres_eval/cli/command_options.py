"""Options declared once, as the fields of a command's record, and the kinds of values that they take."""

from __future__ import annotations

import contextlib
import enum
import math
import os
import re
import sys
from collections.abc import Callable, Iterable, Sequence
from functools import partial
from typing import Any, TypeVar

import click

from pres_eval.arrays import LARGEST_WHOLE_NUMBER, nearest_integer
from pres_eval.cli.overwriting import NamedFile, check_outputs, check_stdout, stream_identity, values_of
from pres_eval.cli.streams import check_stdin_once, shown_reader_warnings
from pres_eval.errors import (
    InputError,
    PresEvalError,
    UsageError,
    decimal_comma,
    did_you_mean,
    is_plain,
    quoted,
)
from pres_eval.records import dataclass

OptionsType = TypeVar("OptionsType", bound="CommandOptions")


class FileUse(enum.Enum):
    """What a command does with the files that a parameter names.

    NONE      the parameter names no files
    READ      they are inputs, which no output may be
    BASELINE  an input that --output may replace: the numbers of an earlier call
    WRITTEN   they are outputs
    """

    NONE = enum.auto()
    READ = enum.auto()
    BASELINE = enum.auto()
    WRITTEN = enum.auto()


NAMES_A_FILE = re.compile(r"FILE|QRELS")
"""Beginning of the metavar of options whose values are files."""


@dataclass(frozen=True, eq=False)
class Need:
    """Options of which one has to be given, or another option has no effect.

    fields  names of the fields of these options
    text    the options as a message names them
    """

    fields: tuple[str, ...]
    text: str


@dataclass(frozen=True, eq=False)
class Parameter:
    """Option or argument of click that sets a field of a command's record.

    kind      click.Option or click.Argument
    names     of an option, as -m and --measure
    settings  keyword arguments of click
    file_use  what the command does with the files that it names
    need      the options of which it needs one, None if it needs none
    of_runs   whether it changes how runs are read and evaluated, so that it is an error with --scores
    once      whether the option may come only once; otherwise a second one takes the place of the first, or
              is added to it if click's settings have multiple=True
    """

    kind: type[click.Parameter]
    names: tuple[str, ...]
    settings: dict[str, Any]
    file_use: FileUse = FileUse.NONE
    need: Need | None = None
    of_runs: bool = False
    once: bool = False


def option(
    *names: str,
    choices: Iterable[str] = (),
    file_use: FileUse | None = None,
    need: Need | None = None,
    of_runs: bool = False,
    once: bool = False,
    **settings: Any,
) -> Any:
    """Return the Parameter for a field that an option sets.

    It is typed as Any, so that the field can be declared with the type of its values.

    choices   the only values that the option takes; empty: it takes others
    file_use  without it, files are read if the metavar names a file
    settings  keyword arguments of click

    See Parameter for the other arguments.
    """
    if choices:
        settings["type"] = Choice(tuple(choices))
    if file_use is None:
        names_file = NAMES_A_FILE.match(settings.get("metavar", ""))
        file_use = FileUse.READ if names_file else FileUse.NONE
    return Parameter(click.Option, names, settings, file_use, need, of_runs, once)


def argument(*, choices: Iterable[str] = (), **settings: Any) -> Any:
    """Return the Parameter for a field that an argument sets, typed as Any as by `option`.

    Arguments without choices name files to read.
    """
    if not choices:
        return Parameter(click.Argument, (), settings, FileUse.READ)
    settings["type"] = Choice(tuple(choices))
    return Parameter(click.Argument, (), settings, FileUse.NONE)


class CommandOptions:
    """Record of a command: its fields are the options and arguments, its docstring is the command's help.

    The class declares them by `option` and `argument`; an instance holds the values of one call.

    position  place of the record's options in the help: 0 is before the command's own options, 1 is the place
              of the command's own, 2 and more are after them
    """

    position: int

    def __init_subclass__(cls, position: int = 1) -> None:
        """Set the position of the options that this class declares."""
        cls.position = position

    def __init__(self, **values: Any) -> None:
        """Set the fields to the values of one call."""
        vars(self).update(values)

    def check(self) -> None:
        """Raise UsageError for options that make no sense, before the command does anything."""

    def replace(self: OptionsType, **values: Any) -> OptionsType:
        """Return a copy in which these fields have other values."""
        return type(self)(**{**vars(self), **values})

    def own_values(self) -> dict[str, Any]:
        """Return the values of the fields that the class itself declares and no base class has."""
        inherited: set[str] = set()
        for base in type(self).__mro__[1:]:
            inherited.update(vars(base))
        return {name: value for name, value in vars(self).items() if name not in inherited}

    @classmethod
    def with_defaults(cls: type[OptionsType], **values: Any) -> OptionsType:
        """Return a record with these values, and click's defaults of all other fields."""
        defaults: dict[str, Any] = {}
        for name, field in cls.fields():
            default_of_kind: Any = None
            if field.settings.get("multiple"):
                default_of_kind = ()
            elif field.settings.get("is_flag"):
                default_of_kind = False
            defaults[name] = field.settings.get("default", default_of_kind)
        return cls(**{**defaults, **values})

    @classmethod
    def fields(cls) -> list[tuple[str, Parameter]]:
        """Return the options and arguments by name, in the order of the help.

        A field that a derived class declares anew stays where its base has it.  A derived class that gives
        one of these fields a value, `test = "t"`, has no such option.
        """
        positions: dict[str, int] = {}
        for base in reversed(cls.__mro__):  # the class itself comes last
            for name, value in vars(base).items():
                if isinstance(value, Parameter) and issubclass(base, CommandOptions):
                    positions.setdefault(name, base.position)
        fields = []
        for name in sorted(positions, key=positions.__getitem__):
            field = getattr(cls, name)
            if isinstance(field, Parameter):
                fields.append((name, field))
        return fields

    def named_files(self, *uses: FileUse) -> list[NamedFile]:
        """Return the files that the command line names for these uses, without standard output."""
        files = []
        for name, field in self.fields():
            if field.file_use not in uses:
                continue
            option = field.names[-1] if field.names else ""  # arguments have no names
            for path in values_of(getattr(self, name)):
                is_stdout = path == "-" and field.file_use is FileUse.WRITTEN
                if not is_stdout:
                    files.append(
                        NamedFile(
                            name=f"{option} {path}".strip(),
                            path=path,
                            option=option,
                            is_baseline=field.file_use is FileUse.BASELINE,
                        )
                    )
        return files

    def paths_of_qrels_and_runs(self) -> list[str]:
        """Return the paths of judgements and runs: the files whose columns --columns can name.

        Arguments name them, and options with the metavar QRELS.
        """
        paths: list[str] = []
        for name, field in self.fields():
            is_argument = not field.names
            is_qrels_or_run = is_argument or field.settings.get("metavar") == "QRELS"
            if is_qrels_or_run and field.file_use is FileUse.READ:
                paths.extend(values_of(getattr(self, name)))
        return paths

    def check_needs(self) -> None:
        """Raise UsageError for an option without one of those that it needs."""
        for name, field in self.fields():
            value = getattr(self, name)
            is_given = value is not None and value is not False and value != ()
            if field.need is None or not is_given:
                continue
            if not any(getattr(self, needed) for needed in field.need.fields):
                raise UsageError(f"{field.names[0]} goes with {field.need.text}")

    def check_files(self, written: Sequence[NamedFile] = ()) -> None:
        """Raise UsageError if a file to be written is an input or another output, or two are standard input.

        written  more files that the command writes, which options do not name one by one
        """
        inputs = self.named_files(FileUse.READ, FileUse.BASELINE)
        check_stdin_once([file.path for file in inputs])
        outputs = [*self.named_files(FileUse.WRITTEN), *written]
        stdout = stream_identity(sys.stdout)
        if not outputs and stdout is None:
            return  # all that is written goes to a terminal or a pipe
        check_outputs(outputs, inputs)
        if stdout is not None:
            check_stdout(stdout, outputs, inputs)


class RecordCommand(click.Command):
    """Command of click whose parameters are the fields of a record, and whose help is its docstring.

    given_once  the options that may come only once, by their last names, such as --against
    """

    def __init__(self, record: type[OptionsType], work: Callable[[OptionsType], None]) -> None:
        """Make the command that calls `work` with a record of its options."""
        # Not at the top: measures import numpy, which is to be imported before our own modules.
        from pres_eval.measures.docstrings import docstring_of

        self._record, self._work = record, work
        fields = record.fields()
        parameters = [field.kind([*field.names, name], **field.settings) for name, field in fields]
        self._file_uses = {name: field.file_use for name, field in fields}
        self.given_once = frozenset(field.names[-1] for _, field in fields if field.once)
        super().__init__(
            None,
            callback=self._call,
            params=parameters,
            help=docstring_of(record),
            add_help_option=not any("--help" in parameter.opts for parameter in parameters),
        )

    def _call(self, **values: Any) -> None:
        """Check files and options, then run the command; `values` are those of its fields.

        Readers know the columns of --columns and the words of --grades meanwhile, and their notes go to
        stderr.  Errors lose advice about options that the command does not have.
        """
        # Only files with one name each: those of QRELS and FILE,... their readers check.
        for parameter in self.params:
            if parameter.metavar == "FILE":
                name = parameter.name or ""
                for path in values_of(values[name]):
                    _check_file(parameter.opts[0], path, self._file_uses[name])
        options = self._record(**values)
        options.check_files()
        options.check()
        naming: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        if values.get("columns") or values.get("grades"):
            from pres_eval.reading.headings import naming_of
            from pres_eval.reading.naming import using

            naming = using(naming_of(values.get("columns") or (), values.get("grades") or ()))
        try:
            with naming, shown_reader_warnings(quiet=bool(values.get("quiet"))):
                if values.get("columns"):
                    from pres_eval.cli.named_columns import check_named_columns
                    from pres_eval.reading.naming import current_naming

                    check_named_columns(current_naming(), options.paths_of_qrels_and_runs())
                self._work(options)
        except InputError as error:
            known_options: set[str] = set()
            for parameter in self.params:
                known_options.update(parameter.opts)
            if known_options.issuperset(advised_options(error.advice)):
                raise
            # Advice about an option that this command does not have is left out.
            raise InputError(error.path, error.line, error.found, error.expected) from None


def command_with(record: type[OptionsType]) -> Callable[[Callable[[OptionsType], None]], RecordCommand]:
    """Return a decorator that makes a function the command whose options are the fields of a record."""
    return partial(RecordCommand, record)


def advised_options(advice: str) -> set[str]:
    """Return those of -R, -T, --columns and --grades that an advice names for the command that raised it.

    Empty if the advice is a command to paste, `pres-eval convert …`, which has these options itself.
    """
    if "pres-eval convert" in advice:
        return set()
    return {name for name in ("-R", "-T", "--columns", "--grades") if f"{name} " in advice}


def _check_file(option: str, path: str, file_use: FileUse) -> None:
    """Raise UsageError for an empty path, and PresEvalError for an output in a folder that does not exist.

    option  that names the file
    """
    if path == "":  # mostly from a script's variable that is not set
        raise UsageError(f"{option}: found an empty name, expected that of a file")
    # Not pathlib, which takes a while to import.
    if file_use is FileUse.WRITTEN and not os.path.isdir(os.path.dirname(os.path.realpath(path))):  # noqa: PTH112, PTH120
        raise PresEvalError(f"{path}: cannot be written: No such file or directory")


def read_rank(text: str) -> int | None:
    """Return a rank above 0 that fits into 64 bits, None for any other text."""
    digits = text.strip()
    if not (digits.isdecimal() and digits.isascii()):
        return None
    rank = nearest_integer(digits)  # of a larger number than the largest, that one
    return rank if 0 < rank < LARGEST_WHOLE_NUMBER else None


class CutoffList(click.ParamType):  # type: ignore[type-arg]  # takes no types before click 8.2
    """Whole numbers above 0, separated by commas.

    expected  what they are and an example, for errors
    """

    name = "ranks"

    def __init__(self, expected: str = "ranks above 0 such as 100,1000") -> None:
        self.expected = expected

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the numbers, ascending, each once."""
        if isinstance(value, tuple):
            return value
        ranks = {read_rank(part) for part in str(value).split(",")}
        if None in ranks:
            self.fail(f"found {quoted(str(value))}, expected {self.expected}", param, ctx)
        return tuple(sorted(rank for rank in ranks if rank is not None))


def range_in_words(kind: click.IntRange | click.FloatRange) -> str:
    """Return the numbers of a range in words, for an error: "a whole number from 1 to 17"."""
    what = "a whole number" if isinstance(kind, click.IntRange) else "a number"
    has_both_limits = kind.min is not None and kind.max is not None
    excludes_a_limit = kind.min_open or kind.max_open
    if has_both_limits and not excludes_a_limit:
        return f"{what} from {kind.min:,} to {kind.max:,}"
    limits = []
    if kind.min is not None:
        limits.append(f"above {kind.min:,}" if kind.min_open else f"of at least {kind.min:,}")
    if kind.max is not None:
        limits.append(f"below {kind.max:,}" if kind.max_open else f"of at most {kind.max:,}")
    return f"{what} {' and '.join(limits)}".rstrip()


class UnknownChoiceError(click.BadParameter):
    """Error for a value that is none of the choices; its message begins with the value."""


class Choice(click.Choice):  # type: ignore[type-arg]  # takes no types before click 8.2
    """One of some words, with a hint at the nearest one for any other."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the word."""
        if value in self.choices:
            return super().convert(value, param, ctx)
        message = f"{value}: expected one of {', '.join(self.choices)}"
        hint = did_you_mean(str(value), self.choices)
        if hint:
            message += f"; {hint}"
        raise UnknownChoiceError(message, ctx, param)


class WholeRange(click.IntRange):
    """A whole number in a range, written in the digits 0 to 9."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        text = str(value)
        try:
            number = super().convert(value, param, ctx)
            if not is_plain(text):
                raise ValueError
        except (ValueError, click.BadParameter):
            message = f"found {quoted(text)}, expected {range_in_words(self)}"
            raise click.BadParameter(message, ctx, param) from None
        return number


class FiniteRange(click.FloatRange):
    """A finite number in a range; click's range lets nan pass, which is neither below nor above a limit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        text = str(value)
        try:
            number = super().convert(value, param, ctx)
            if not is_plain(text) or not math.isfinite(number):
                raise ValueError
        except (ValueError, click.BadParameter):
            message = f"found {quoted(text)}, expected {range_in_words(self)}{decimal_comma(text)}"
            raise click.BadParameter(message, ctx, param) from None
        return number


class Millimetres(FiniteRange):
    """A length in millimetres: 84mm or 84."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number of millimetres."""
        return super().convert(str(value).removesuffix("mm"), param, ctx)


class LevelType(FiniteRange):
    """Value of -l, a number of at least 0: an int if it is typed without a point, else a float."""

    def __init__(self) -> None:
        """Make the kind of value."""
        super().__init__(min=0)

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        text = str(value).strip()
        if text.lstrip("+-").isdecimal():
            return WholeRange(min=0).convert(value, param, ctx)
        number = super().convert(value, param, ctx)
        if re.fullmatch(r"[+-]?[0-9]*\.?[0-9]*", text) is None:
            # trec_eval: C's atoi reads the digits before an exponent, which nobody means.
            expected = "expected a whole number, or a decimal one with -R qrels_float"
            self.fail(f"found {quoted(text)}, {expected}", param, ctx)
        return number
