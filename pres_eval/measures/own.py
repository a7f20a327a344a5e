"""Measures that users bring: registered from Python, or named as `package.module:NAME`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from pres_eval.errors import MeasureError, PresEvalError, quoted
from pres_eval.measures import HOME, measure_of
from pres_eval.measures.base import Format, Measure

_OWN: dict[str, Measure] = {}

_LISTENERS: list[Callable[[Measure], None]] = []


def add_measure(measure: Measure) -> None:
    """Let `-m` and Python know a measure by its name; the same name again takes the place of the first.

    Raises MeasureError for the name of a built-in measure, or one that cannot be written after -m.
    """
    if not measure.name.isidentifier():
        raise MeasureError(f"measure {measure.name!r}: expected a name of letters, digits and _")
    if measure.name in HOME:
        raise MeasureError(f"measure {measure.name}: there is one of this name, expected another name")
    _OWN[measure.name] = measure
    for listener in _LISTENERS:
        listener(measure)


def when_added(listener: Callable[[Measure], None]) -> None:
    """Call a function with each measure that was added, and with those added from now on."""
    _LISTENERS.append(listener)
    for measure in own_measures():
        listener(measure)


def own_measures() -> tuple[Measure, ...]:
    """Return the measures that were added, in that order; they print after all others."""
    return tuple(_OWN.values())


def measure_names() -> tuple[str, ...]:
    """Return the names of all measures in print order, those that were added among them."""
    return (*HOME, *_OWN)


def find_measure(name: str) -> Measure | None:
    """Return the measure of exactly this name, one that was added among them; None if there is none."""
    return measure_of(name) if name in HOME else _OWN.get(name)


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
        advice = "; write  NAME = pres_eval.register('name', function)" if callable(found) else ""
        raise MeasureError(f"-m {text}: is a {type(found).__name__}, expected a pres_eval.Measure{advice}")
    if _OWN.get(found.name) is not found:
        add_measure(found)
    return found


def computed(measure: Measure, function: Callable[..., Any], batch: Any, *arguments: Any) -> Any:
    """Return the values of a registered measure, which can be anything, once they are checked.

    Raises MeasureError if its function fails, or gives something else than finite numbers: one for each topic
    (T,), or (C, T) of C columns, whose arguments are arrays (C, 1).
    """
    try:
        found = function(batch, *arguments)
    except (PresEvalError, OSError):  # a file that it reads is named by the error
        raise
    except Exception as error:
        raise MeasureError(
            f"measure {measure.name}: its function raised {type(error).__name__}: {error}"
        ) from error
    columns = [len(one) for one in arguments if isinstance(one, np.ndarray)]
    return _checked(measure, found, batch.topics, (*columns[:1], len(batch)))


def _checked(measure: Measure, found: Any, topics: tuple[bytes, ...], shape: tuple[int, ...]) -> Any:
    """Return the values if a measure may give them, or raise MeasureError."""
    kinds, what = ("UO", "texts") if measure.format is Format.TEXT else ("biuf", "finite numbers")
    expected = f"{what} of shape {shape}, one for each topic"
    try:
        values = np.asarray(found)
    except ValueError:  # rows of different lengths
        raise MeasureError(f"measure {measure.name}: found {_kind(found)}, expected {expected}") from None
    if values.shape != shape or values.dtype.kind not in kinds:
        raise MeasureError(
            f"measure {measure.name}: found {_kind(found)} of {values.dtype} of shape {values.shape},"
            f" expected {expected}"
        )
    if measure.format is Format.TEXT:
        return values.tolist()
    masked = np.ma.getmaskarray(found)
    wrong = np.argwhere(~np.isfinite(values) | masked)
    if len(wrong):
        value, topic = values[tuple(wrong[0])], quoted(topics[int(wrong[0][-1])])
        value = "nothing (masked)" if masked[tuple(wrong[0])] else value
        raise MeasureError(f"measure {measure.name}: found {value} for topic {topic}, expected {expected}")
    return values


def _kind(found: Any) -> str:
    """Return a description of a function's result, in a word or two."""
    return "an array" if isinstance(found, np.ndarray) else f"a {type(found).__name__}"
