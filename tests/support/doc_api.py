"""The reference of the library: signatures and docstrings of its public names."""

from __future__ import annotations

import inspect
import re
import textwrap
from collections.abc import Iterator
from functools import cached_property
from typing import Any

import pres_eval as pe
from pres_eval.cli.commands import command_of


def public_names() -> str:
    """A section for each public name: what it is, how it is called, its methods; help() has examples."""
    functions = [name for name in pe.__all__ if not inspect.isclass(getattr(pe, name))]
    classes = [name for name in pe.__all__ if name not in functions]
    return "\n".join(_section(name, getattr(pe, name)) for name in functions + classes)


OPTION = re.compile(r"\((--?[\w-]+)\)$")
"""The option of the command that an argument's text ends with."""
IN_BRIEF = frozenset({"Batch", "Measure", "Options"})
"""Classes that only who writes a measure of their own needs: help() has the rest."""


CONSTRUCTED = frozenset({"Qrels"})
"""Classes that users call; functions return the others."""
OPTIONS_OF = {"compare": "compare", "validate": "validate"}
"""Functions whose arguments are the options of a command, by name."""
OTHER_THAN_OPTIONS = frozenset({"baseline", "names", "jobs"})
"""Arguments that take other values than the option of that name."""


def _section(name: str, thing: Any) -> str:
    description, *paragraphs = (inspect.getdoc(thing) or "").split("\n\n")
    if name in IN_BRIEF:
        return f"## {name}\n\n{description} `help(pres_eval.{name})` has its fields.\n"
    called = not inspect.isclass(thing) or name in CONSTRUCTED
    call = f"```text\n{_wrapped(f'pres_eval.{name}', _signature(thing))}\n```\n\n" if called else ""
    prose = [paragraph for paragraph in paragraphs if not paragraph.startswith(">>> ")]
    body = "".join(f"{_shown(paragraph, OPTIONS_OF.get(name))}\n\n" for paragraph in prose)
    members = "".join(_members(thing)) if inspect.isclass(thing) and not _is_error(thing) else ""
    return f"## {name}\n\n{description}\n\n{call}{body}{members}".rstrip() + "\n"


def _is_error(thing: Any) -> bool:
    return inspect.isclass(thing) and issubclass(thing, Exception)


def _signature(function: Any) -> list[str]:
    """The arguments as they are written, without what their types are and without self."""
    signature = inspect.signature(function)
    written = []
    for argument in signature.parameters.values():
        if argument.kind is argument.KEYWORD_ONLY and "*" not in written:
            written.append("*")
        if argument.name != "self":
            written.append(argument.name + ("" if argument.default is argument.empty else _default(argument)))
    return written


def _in_brief(arguments: list[str]) -> list[str]:
    """Return the arguments without those by keyword alone if these are many: help() has all."""
    if "*" not in arguments or len(arguments) < 8:
        return arguments
    return [*arguments[: arguments.index("*")], "…"]


def _default(argument: inspect.Parameter) -> str:
    """A default that can be typed; that there is one, where it is an object."""
    text = repr(argument.default)
    return "=…" if re.match(r"<|\w+\([^)]", text) else f"={text}"


def _wrapped(name: str, arguments: list[str]) -> str:
    text = f"{name}({', '.join(arguments)})"
    return textwrap.fill(text, 100, subsequent_indent="    ", break_long_words=False)


def _shown(paragraph: str, command: str | None) -> str:
    """A list of words and meanings without those that are options of the command; anything else as prose."""
    if not re.search(r"^[\w, ]*\w {2,}\S", paragraph, re.MULTILINE):
        return paragraph
    arguments = re.split(r"\n(?=\S)", paragraph)
    if command:
        names = {option.name for option in command_of(command).params} - OTHER_THAN_OPTIONS
        options = [argument for argument in arguments if argument.split()[0] in names]
        written = ", ".join(f"`{option.split()[0]}`" for option in options)
        as_options = f"As options of [`pres-eval {command}`](commands/{command}.md): {written}."
    else:
        options = [argument for argument in arguments if OPTION.search(argument)]
        if len(options) < 5:
            return f"```text\n{paragraph}\n```"
        written = ", ".join(_argument_and_option(argument) for argument in options)
        as_options = f"As [options of the command](options.md): {written}."
    others = "\n".join(argument for argument in arguments if argument not in options)
    return f"```text\n{others}\n```\n\n{as_options}"


def _argument_and_option(argument: str) -> str:
    """Return the name of an argument, with the option that its text ends with if that has another name."""
    name = argument.split(maxsplit=1)[0]
    found = OPTION.search(argument)
    assert found is not None
    option = found[1]
    return f"`{name}`" if option == f"--{name.replace('_', '-')}" else f"`{name}` (`{option}`)"


def _members(kind: type) -> Iterator[str]:
    """A line for each documented property and method of a class."""
    fields = getattr(kind, "__dataclass_fields__", {})
    for name, member in vars(kind).items():
        if (
            name.startswith("_")
            or name in fields
            or not (inspect.isfunction(member) or isinstance(member, property | cached_property))
        ):
            continue
        first = " ".join((inspect.getdoc(member) or "").partition("\n\n")[0].split())
        call = f"({', '.join(_in_brief(_signature(member)))})" if inspect.isfunction(member) else ""
        yield f"- `{name}{call}`: {first}\n"
