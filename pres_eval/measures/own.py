"""Measures that users bring: registered from Python, or named as `package.module:NAME`."""

from __future__ import annotations

from pres_eval.errors import MeasureError
from pres_eval.measures import MEASURE_BY_NAME
from pres_eval.measures.base import Measure

_OWN: dict[str, Measure] = {}


def add_measure(measure: Measure) -> None:
    """Let `-m` and Python know a measure by its name; the same name again takes the place of the first.

    Raises MeasureError for the name of a built-in measure, or one that cannot be written after -m.
    """
    if not measure.name.isidentifier():
        raise MeasureError(f"measure {measure.name!r}: expected a name of letters, digits and _")
    if measure.name in MEASURE_BY_NAME:
        raise MeasureError(f"measure {measure.name}: there is one of this name, expected another name")
    _OWN[measure.name] = measure


def own_measures() -> tuple[Measure, ...]:
    """The measures that were added, in that order; they print after all others."""
    return tuple(_OWN.values())


def load_measure(text: str) -> Measure:
    """Import the measure that `package.module:NAME` names, and add it.

    Raises MeasureError if the module cannot be imported or has no such measure.
    """
    import importlib

    module, _, name = text.partition(":")
    try:
        found = getattr(importlib.import_module(module), name)
    except Exception as error:
        reason = f"{type(error).__name__}: {error}"
        raise MeasureError(f"-m {text}: cannot be imported ({reason})") from error
    if not isinstance(found, Measure):
        raise MeasureError(f"-m {text}: is a {type(found).__name__}, expected a pres_eval.Measure")
    if _OWN.get(found.name) is not found:
        add_measure(found)
    return found
