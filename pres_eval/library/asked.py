"""The columns that the argument `measures` asks for."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import Any

from pres_eval.errors import UsageError
from pres_eval.library.warned import warn
from pres_eval.measures import find_measure, own_measures
from pres_eval.measures.base import Measure
from pres_eval.measures.selection import Selection, select, without_effect
from pres_eval.options import Options, RelevanceInfo

Measures = str | Measure | Iterable[str | Measure] | None


def selected(
    measures: Measures, options: Options, nmax: int | Sequence[int], info: RelevanceInfo
) -> Selection:
    """Return the columns; raise UsageError for a value that is no text, MeasureError for unknown measures."""
    texts = [_name(one) for one in _each(() if measures is None else measures)]
    if measures is not None and not texts:
        raise UsageError("measures: found none, expected one at least, or None for the usual ones")
    ranks = _each(nmax)
    if not ranks or not all(isinstance(rank, int) and rank > 0 for rank in ranks):
        raise UsageError(f"nmax={nmax!r}: expected whole numbers of at least 1, such as 100 or (100, 1000)")
    for text in _ignored(tuple(texts)):
        warn(text)
    if any(":" in text for text in texts):
        return select(texts, options, ranks, info)
    return _selected(tuple(texts), options, ranks, info, own_measures())


def _each(given: Any) -> tuple[Any, ...]:
    """Return the given things as a list, several or one."""
    several = isinstance(given, Iterable) and not isinstance(given, str)
    return tuple(given) if several else (given,)


def _name(measure: Any) -> str:
    """Return the name of a measure; raise UsageError for other values than texts and known Measures."""
    if isinstance(measure, Measure):
        if measure == find_measure(measure.name):
            return measure.name
        raise UsageError(f"measures: found a Measure {measure.name}, which is not registered; register it")
    if not isinstance(measure, str):
        raise UsageError(f"measures: found {measure!r}, expected names such as 'map' or 'PRES@100'")
    return measure


@lru_cache(maxsize=256)
def _ignored(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the warnings of parameters that have no effect."""
    return tuple(without_effect(texts))


@lru_cache(maxsize=256)
def _selected(
    texts: tuple[str, ...],
    options: Options,
    ranks: tuple[int, ...],
    info: RelevanceInfo,
    own: tuple[Measure, ...],
) -> Selection:
    """Return the columns, kept for the next call, because reading them costs as much as a small batch."""
    return select(texts, options, ranks, info)


def check_jobs(jobs: int | None) -> None:
    """Raise UsageError for a value that is no number of threads."""
    if jobs is not None and not (isinstance(jobs, int) and jobs > 0):
        raise UsageError(f"jobs={jobs!r}: expected a whole number of at least 1, or None")
