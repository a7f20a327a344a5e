"""What scripts and programs rely on, as data: names, arguments, attributes, options, exit codes, measures.

    python tests/support/public_api.py

stores those of this version in tests/project/public_api.json, unless something is gone without a new first
number of the version.
"""

from __future__ import annotations

import importlib
import inspect
import json
import sys
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pres_eval
from pres_eval.cli.commands import COMMANDS, command_of
from pres_eval.cli.help import EXIT_CODES
from pres_eval.measures import MEASURES, NICKNAMES
from pres_eval.report import OUTPUT_FORMATS

STORED = Path(__file__).parents[1] / "project" / "public_api.json"
MODULES = ("pres_eval", "pres_eval.ir_measures", "pres_eval.pytrec_eval")

Listing = dict[str, Any]


def public_api() -> Listing:
    """All of it; arguments are named with their kind, and "=" where they have a default."""
    return {
        "version": pres_eval.__version__,
        "python": {name: found for module in MODULES for name, found in _names(module)},
        "options": {name or "pres-eval": _options(name) for name in (None, *COMMANDS)},
        "measures": [measure.name for measure in MEASURES],
        "nicknames": {version: sorted(names) for version, names in NICKNAMES.items()},
        "formats": sorted(OUTPUT_FORMATS),
        "exit codes": sorted(EXIT_CODES),
    }


def _names(module: str) -> Iterator[tuple[str, Any]]:
    found = importlib.import_module(module)
    for name in sorted(found.__all__):
        thing = getattr(found, name)
        yield f"{module}.{name}", _arguments(thing)
        if inspect.isclass(thing):
            for attribute in sorted(_attributes(thing)):
                yield (
                    f"{module}.{name}.{attribute}",
                    _arguments(inspect.getattr_static(thing, attribute, None)),
                )


def _attributes(kind: type) -> set[str]:
    """The public ones of our own classes, with those that a record is given."""
    ours = (base for base in kind.__mro__ if base.__module__.startswith("pres_eval"))
    names = {name for base in ours for name in (*vars(base), *vars(base).get("__annotations__", {}))}
    return {name for name in names if not name.startswith("_")}


def _arguments(thing: Any) -> list[str] | None:
    """Return what a function or class takes; None for what is not called."""
    thing = thing.__func__ if isinstance(thing, (classmethod, staticmethod)) else thing
    if not inspect.isroutine(thing) and not inspect.isclass(thing):
        return None
    try:
        parameters = inspect.signature(thing).parameters.values()
    except (TypeError, ValueError):
        return None
    return [
        f"{each.kind.name.lower()} {each.name}{'' if each.default is each.empty else '='}"
        for each in parameters
        if each.name not in {"self", "cls"}
    ]


def _options(name: str | None) -> dict[str, bool]:
    """Whether each spelling of an option takes a value; an argument is named as it is."""
    flags = {
        spelling: not getattr(parameter, "is_flag", False)
        for parameter in command_of(name).params
        for spelling in (*parameter.opts, *parameter.secondary_opts)
    }
    return dict(sorted(flags.items()))


def broken(before: Listing, now: Listing) -> list[str]:
    """What somebody who wrote a script for `before` would miss."""
    found = []
    for name, arguments in before["python"].items():
        if name not in now["python"]:
            found.append(f"{name}: gone")
        elif arguments is not None:
            found += [f"{name}: {fault}" for fault in _broken_call(arguments, now["python"][name])]
    for command, options in before["options"].items():
        there = now["options"].get(command, {})
        # Arguments go by their places: nobody writes their names.
        named = [option for option in options if option.startswith("-")]
        found += [f"{command} {option}: gone" for option in named if option not in there]
        found += [
            f"{command} {name}: value" for name in options if there.get(name) not in {None, options[name]}
        ]
    for kind in ("measures", "formats", "exit codes"):
        found += [f"{kind} {name}: gone" for name in before[kind] if name not in now[kind]]
    for version, names in before["nicknames"].items():
        found += [
            f"-m {name}: gone ({version})" for name in names if name not in now["nicknames"].get(version, [])
        ]
    return found


def _broken_call(before: list[str], now: list[str] | None) -> Iterator[str]:
    """Yield each way of calling that works no more."""
    if now is None:
        yield "not called any more"
        return
    there = {name: kind for kind, name in (text.removesuffix("=").split() for text in now)}
    optional = {text.split()[1][:-1] for text in now if text.endswith("=")}
    for text in before:
        kind, name = text.removesuffix("=").split()
        if name not in there:
            yield f"argument {name} is gone"
        elif there[name] not in {kind, "positional_or_keyword"}:
            yield f"argument {name} was {kind}, is {there[name]}"
        elif text.endswith("=") and name not in optional:
            yield f"argument {name} must be given"
    known = {text.removesuffix("=").split()[1] for text in before}
    needed = {name for name, kind in there.items() if not kind.startswith("var_")} - optional
    yield from (f"argument {name} is new and must be given" for name in sorted(needed - known))
    by_place = [
        [text.removesuffix("=").split()[1] for text in each if "positional" in text] for each in (before, now)
    ]
    if by_place[1][: len(by_place[0])] != by_place[0] and not {*by_place[0]} - {*by_place[1]}:
        yield "arguments are in another order"


def may_break(before: Listing, now: Listing) -> bool:
    """Whether the first number of the version has grown."""
    first = [int(each["version"].split(".")[0]) for each in (before, now)]
    return first[1] > first[0]


if __name__ == "__main__":
    api = public_api()
    if STORED.exists():
        last = json.loads(STORED.read_text(encoding="utf-8"))
        gone = [] if may_break(last, api) else broken(last, api)
        if gone:
            sys.exit("\n".join([f"since {last['version']}:", *gone]))
    STORED.write_text(json.dumps(api, indent=1, ensure_ascii=False) + "\n", encoding="utf-8")
