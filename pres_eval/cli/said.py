"""Options declared once: a field of a command's record is the option or the argument that sets its value."""

from __future__ import annotations

import inspect
from collections.abc import Callable
from typing import Any, TypeVar

import click

from pres_eval.errors import InputError, UsageError

Record = TypeVar("Record", bound="Said")


class Parameter:
    """Option or argument of click for a field, whose name it takes."""

    def __init__(self, kind: type[click.Parameter], names: tuple[str, ...], settings: dict[str, Any]) -> None:
        self.kind, self.names, self.settings = kind, names, settings


def option(*names: str, **settings: Any) -> Any:
    """Return a field that an option sets; names and settings are click's."""
    return Parameter(click.Option, names, settings)


def argument(**settings: Any) -> Any:
    """Return a field that an argument sets; settings are click's."""
    return Parameter(click.Argument, (), settings)


class Said:
    """Values of a command's options and arguments, by the names of its fields.

    A command's text is the docstring of its record.  Options that several commands share come before the
    command's own, where the PLACE of their record is 0, or after them, in the order of PLACE.
    """

    PLACE = 1

    def __init__(self, **values: Any) -> None:
        vars(self).update(values)

    def check(self) -> None:
        """Raise UsageError for options that make no sense, before the command does anything."""

    def but(self: Record, **values: Any) -> Record:
        """Return the same with other values."""
        return type(self)(**{**vars(self), **values})

    def own(self) -> dict[str, Any]:
        """Return the values of the fields that the command does not share with others."""
        shared = {name for kind in type(self).__mro__[1:] for name in vars(kind)}
        return {name: value for name, value in vars(self).items() if name not in shared}

    @classmethod
    def usual(cls: type[Record], **values: Any) -> Record:
        """Return the record with these values; the fields that are left have their defaults."""
        return cls(**{**{name: field.settings.get("default") for name, field in cls.fields()}, **values})

    @classmethod
    def fields(cls) -> list[tuple[str, Parameter]]:
        """Return the options and arguments in order; a field of a derived class takes its base's place.

        A derived class that gives one of these fields a value has no such option.
        """
        places: dict[str, int] = {}
        for kind in reversed(cls.__mro__):
            for name, value in vars(kind).items():
                if isinstance(value, Parameter):
                    places.setdefault(name, vars(kind).get("PLACE", Said.PLACE))
        fields = [(name, getattr(cls, name)) for name in sorted(places, key=places.__getitem__)]
        return [(name, field) for name, field in fields if isinstance(field, Parameter)]


def command_with(record: type[Record]) -> Callable[[Callable[[Record], None]], click.Command]:
    """Make a function the command whose options are the fields of a record, and its docstring the help."""

    def made(work: Callable[[Record], None]) -> click.Command:
        """Return the command that runs this function."""
        parameters = [field.kind([*field.names, name], **field.settings) for name, field in record.fields()]

        def called(**values: Any) -> None:
            """Run the command with options that make sense."""
            for parameter in parameters:
                value = values[parameter.name or ""]
                # Mostly from a script's variable that is not set.
                if parameter.metavar == "FILE" and "" in (value if parameter.multiple else (value,)):
                    raise UsageError(f"{parameter.opts[0]}: found an empty name, expected that of a file")
            said = record(**values)
            said.check()
            try:
                work(said)
            except InputError as error:
                if "-R " not in error.advice or any("-R" in parameter.opts for parameter in parameters):
                    raise
                # What advises an option that the command does not have is no help.
                raise InputError(error.path, error.line, error.found, error.expected) from None

        return click.Command(
            None,
            callback=called,
            params=parameters,
            help=inspect.cleandoc(record.__doc__ or ""),
            add_help_option=not any("--help" in parameter.opts for parameter in parameters),
        )

    return made
