"""Options declared once, as the fields of a command's record, and the kinds of values that they take."""

from __future__ import annotations

import contextlib
import enum
import math
import os
import re
from collections.abc import Callable, Iterable, Sequence
from typing import Any, TypeVar

import click

from pres_eval.arrays import LARGEST_WHOLE_NUMBER, nearest_integer
from pres_eval.cli.overwriting import NamedFile, check_outputs, check_stdout, values_of
from pres_eval.cli.streams import noted
from pres_eval.errors import InputError, PresEvalError, UsageError, is_plain, quoted
from pres_eval.records import dataclass

Record = TypeVar("Record", bound="CommandOptions")


class FileUse(enum.Enum):
    """What a command does with the files that a parameter names; a baseline may be that of --output."""

    NONE = enum.auto()
    READ = enum.auto()
    BASELINE = enum.auto()
    WRITTEN = enum.auto()


NAMES_A_FILE = re.compile(r"FILE|QRELS")
"""Beginning of the metavar of options whose values are files."""


@dataclass(frozen=True, eq=False)
class Need:
    """Options of which an option needs one, to have an effect: their fields, and the options in words."""

    fields: tuple[str, ...]
    text: str


@dataclass(frozen=True, eq=False)
class Parameter:
    """Option or argument of click for a field, whose name it takes.

    of_runs  whether it changes how runs are read and evaluated, so that scores have it behind them
    """

    kind: type[click.Parameter]
    names: tuple[str, ...]
    settings: dict[str, Any]
    file_use: FileUse = FileUse.NONE
    need: Need | None = None
    of_runs: bool = False


def option(
    *names: str,
    choices: Iterable[str] = (),
    file_use: FileUse | None = None,
    need: Need | None = None,
    of_runs: bool = False,
    **settings: Any,
) -> Any:
    """Return a field that an option sets, to one of the choices if there are any; the rest is click's.

    file_use  what is done with the files that it names: they are read if its metavar names a file
    need      the options of which it needs one
    of_runs   whether it changes how runs are read and evaluated
    """
    if file_use is None:
        file_use = FileUse.READ if NAMES_A_FILE.match(settings.get("metavar", "")) else FileUse.NONE
    return Parameter(click.Option, names, {**_type_of(choices), **settings}, file_use, need, of_runs)


def argument(*, choices: Iterable[str] = (), **settings: Any) -> Any:
    """Return a field that an argument sets, to one of the choices if there are any; the rest is click's.

    Arguments without choices name files to read.
    """
    choices = tuple(choices)
    file_use = FileUse.NONE if choices else FileUse.READ
    return Parameter(click.Argument, (), {**_type_of(choices), **settings}, file_use)


def _type_of(choices: Iterable[str]) -> dict[str, Any]:
    return {"type": click.Choice(tuple(choices))} if choices else {}


class CommandOptions:
    """Values of a command's options and arguments, by the names of its fields.

    A command's text is the docstring of its record.  Options that several commands share come before the
    command's own, where the position of their record is 0, or after them, in the order of positions.
    """

    position: int

    def __init_subclass__(cls, position: int = 1) -> None:
        """Set the position of a record's options among those of a command."""
        cls.position = position

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def check(self) -> None:
        """Raise UsageError for options that make no sense, before the command does anything."""

    def replace(self: Record, **values: Any) -> Record:
        """Return the same with other values."""
        return type(self)(**{**vars(self), **values})

    def own_values(self) -> dict[str, Any]:
        """Return the values of the fields that the command does not share with others."""
        shared = {name for kind in type(self).__mro__[1:] for name in vars(kind)}
        return {name: value for name, value in vars(self).items() if name not in shared}

    @classmethod
    def with_defaults(cls: type[Record], **values: Any) -> Record:
        """Return the record with these values; the fields that are left have their defaults."""
        return cls(**{**{name: field.settings.get("default") for name, field in cls.fields()}, **values})

    @classmethod
    def fields(cls) -> list[tuple[str, Parameter]]:
        """Return the options and arguments in order; a field of a derived class takes its base's position.

        A derived class that gives one of these fields a value has no such option.
        """
        positions: dict[str, int] = {}
        for kind in reversed(cls.__mro__):
            for name, value in vars(kind).items():
                if isinstance(value, Parameter) and issubclass(kind, CommandOptions):
                    positions.setdefault(name, kind.position)
        fields = [(name, getattr(cls, name)) for name in sorted(positions, key=positions.__getitem__)]
        return [(name, field) for name, field in fields if isinstance(field, Parameter)]

    def named_files(self, *uses: FileUse) -> list[NamedFile]:
        """Return the files that the command line names for these uses, without standard output."""
        files = []
        for name, field in self.fields():
            if field.file_use not in uses:
                continue
            option = field.names[-1] if field.kind is click.Option else ""
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

    def check_needs(self) -> None:
        """Raise UsageError for an option that has no effect without another."""
        for name, field in self.fields():
            if field.need is None or getattr(self, name) in (None, False):
                continue
            if not any(getattr(self, needed) for needed in field.need.fields):
                raise UsageError(f"{field.names[0]} goes with {field.need.text}")

    def check_files(self, written: Sequence[NamedFile] = ()) -> None:
        """Raise UsageError if a file to be written is an input or another output.

        written  more files that the command writes, such as those of a folder
        """
        inputs = self.named_files(FileUse.READ, FileUse.BASELINE)
        outputs = [*self.named_files(FileUse.WRITTEN), *written]
        check_outputs(outputs, inputs)
        check_stdout(outputs, inputs)


class RecordCommand(click.Command):
    """Command of click whose parameters are the fields of a record, and whose help is its docstring."""

    def __init__(self, record: type[Record], work: Callable[[Record], None]) -> None:
        from pres_eval.measures.docstrings import docstring_of  # numpy is imported before measures are

        self._record, self._work = record, work
        fields = record.fields()
        parameters = [field.kind([*field.names, name], **field.settings) for name, field in fields]
        self._file_uses = {name: field.file_use for name, field in fields}
        super().__init__(
            None,
            callback=self._call,
            params=parameters,
            help=docstring_of(record),
            add_help_option=not any("--help" in parameter.opts for parameter in parameters),
        )

    def _call(self, **values: Any) -> None:
        """Run the command with options that make sense."""
        self._check_files(values)
        options = self._record(**values)
        options.check_files()
        options.check()
        naming: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
        if values.get("columns") or values.get("grades"):
            from pres_eval.reading.headings import naming_of
            from pres_eval.reading.naming import using

            naming = using(naming_of(values.get("columns") or (), values.get("grades") or ()))
        try:
            with naming, noted(quiet=bool(values.get("quiet"))):
                self._work(options)
        except InputError as error:
            known = {name for parameter in self.params for name in parameter.opts}
            if known.issuperset(advised_options(error.advice)):
                raise
            # What advises an option that the command does not have is no help.
            raise InputError(error.path, error.line, error.found, error.expected) from None

    def _check_files(self, values: dict[str, Any]) -> None:
        """Raise PresEvalError for files that have no name, or are to be written to no folder."""
        for parameter in self.params:
            if parameter.metavar == "FILE":
                name = parameter.name or ""
                for path in values_of(values[name]):
                    _check_file(parameter.opts[0], path, self._file_uses[name])


def command_with(record: type[Record]) -> Callable[[Callable[[Record], None]], click.Command]:
    """Make a function the command whose options are the fields of a record, and its docstring the help."""

    def decorate(work: Callable[[Record], None]) -> click.Command:
        """Return the command that runs this function."""
        return RecordCommand(record, work)

    return decorate


def advised_options(advice: str) -> set[str]:
    """Return the options of readers that an advice names, but in a command of its own."""
    return {
        name
        for name in ("-R", "-T", "--columns", "--grades")
        if f"{name} " in advice and "pres-eval convert" not in advice
    }


def _check_file(option: str, path: str, file_use: FileUse) -> None:
    """Raise PresEvalError for an option's file that has no name, or is to be written to no folder."""
    if path == "":  # mostly from a script's variable that is not set
        raise UsageError(f"{option}: found an empty name, expected that of a file")
    # Not pathlib, which takes a while to import.
    if file_use is FileUse.WRITTEN and not os.path.isdir(os.path.dirname(os.path.realpath(path))):  # noqa: PTH112, PTH120
        raise PresEvalError(f"{path}: cannot be written: No such file or directory")


def read_rank(text: str) -> int | None:
    """Return a rank above 0 that fits into 64 bits, None for any other text."""
    digits = text.strip()
    rank = nearest_integer(digits) if digits.isdecimal() and digits.isascii() else 0
    return rank if 0 < rank < LARGEST_WHOLE_NUMBER else None


class CutoffList(click.ParamType):  # type: ignore[type-arg]  # takes no types before click 8.2
    """Whole numbers above 0, separated by commas."""

    name = "ranks"

    def convert(
        self, value: Any, param: click.Parameter | None, ctx: click.Context | None
    ) -> tuple[int, ...]:
        """Return the numbers, ascending, each once."""
        if isinstance(value, tuple):
            return value
        ranks = {read_rank(part) for part in str(value).split(",")}
        if None in ranks:
            self.fail(f"found {quoted(str(value))}, expected ranks above 0 such as 100,1000", param, ctx)
        return tuple(sorted(rank for rank in ranks if rank is not None))


def described(kind: click.IntRange | click.FloatRange) -> str:
    """Return the numbers of a range in words."""
    what = "a whole number" if isinstance(kind, click.IntRange) else "a number"
    if None not in (kind.min, kind.max) and not (kind.min_open or kind.max_open):
        return f"{what} from {kind.min:,} to {kind.max:,}"
    limits = []
    if kind.min is not None:
        limits.append(f"above {kind.min:,}" if kind.min_open else f"of at least {kind.min:,}")
    if kind.max is not None:
        limits.append(f"below {kind.max:,}" if kind.max_open else f"of at most {kind.max:,}")
    return " ".join((what, " and ".join(limits)))


class WholeRange(click.IntRange):
    """A whole number in a range, written in the digits 0 to 9."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        if not is_plain(str(value)):
            self.fail(f"{value!r} is not a valid integer.", param, ctx)
        return super().convert(value, param, ctx)


class FiniteRange(click.FloatRange):
    """A number in a range, but not nan, which compares with no limit."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        if not is_plain(str(value)):
            self.fail(f"{value!r} is not a valid float.", param, ctx)
        number = super().convert(value, param, ctx)
        if not math.isfinite(number):
            self.fail(f"{value} is not in the range {self._describe_range()}.", param, ctx)
        return number


class Millimetres(FiniteRange):
    """A length in millimetres: 84mm or 84."""

    def convert(self, value: Any, param: click.Parameter | None, ctx: click.Context | None) -> Any:
        """Return the number."""
        return super().convert(str(value).removesuffix("mm"), param, ctx)


class LevelType(FiniteRange):
    """A number of at least 0: an int if it is whole."""

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
