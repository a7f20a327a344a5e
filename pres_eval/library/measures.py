"""Measures of programs: a list of all, those that a user registers, and those that `measures` asks for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from functools import lru_cache
from itertools import islice
from typing import Any

import numpy as np

from pres_eval.errors import UsageError
from pres_eval.library.arguments import python_words, warn
from pres_eval.measures import add_measure, find_measure, own_measures
from pres_eval.measures.base import Measure
from pres_eval.measures.parameters import Cutoffs, NoParameters
from pres_eval.measures.selection import MOST_COLUMNS, Selection, select, warnings_of_ignored_parameters
from pres_eval.options import Options, RelevanceInfo
from pres_eval.reading.judgements.relevance import relevance_info


def list_measures() -> tuple[Measure, ...]:
    """Return all measures, in print order; each has a name, a description and a text with formula and source.

    >>> import pres_eval as pe
    >>> {measure.name: measure.description for measure in pe.list_measures()}["num_ret"]
    'Number of documents retrieved.'
    """
    from pres_eval.measures import MEASURES  # makes all records

    return (*MEASURES, *own_measures())


@python_words
def register(
    measure: Measure | str, score: Callable[..., Any] | None = None, *, cutoffs: Sequence[int] = ()
) -> Measure:
    """Add a measure of your own; `evaluate` then takes its name, or the Measure that this returns.

    measure  its name, or a whole Measure record, and then nothing else
    score    batch -> (T,) values, one for each topic of the Batch; with cutoffs: batch, cutoff -> (T,)
             values; its docstring is the text of the measure
    cutoffs  the ranks that are used when none are asked for; none: the measure takes no cutoff

    >>> import numpy as np
    >>> import pres_eval as pe
    >>> def first_is_relevant(batch: pe.Batch) -> np.ndarray:
    ...     "Whether the document at rank 1 is relevant."
    ...     return batch.count_by_topic(batch.is_rel & (batch.rank == 1)).astype(float)
    >>> _ = pe.register("first_is_relevant", first_is_relevant)
    >>> pe.evaluate({"1": {"a": 1}}, {"1": {"a": 2.0}}, "first_is_relevant")["first_is_relevant"]
    1.0

    It is named as other measures are, also where pres-eval stands in for pytrec_eval and ir_measures: a
    measure `mine` with cutoffs is `mine@2`, `mine.2,5` or `mine(rel=2)@2`.
    At the command line `-m package.module:NAME` or `-m package.module:NAME@2` takes a Measure from a module;
    `-m mine@5` may follow.  Results that are to be pickled need a function that can be imported.
    Raises MeasureError for the name of a built-in measure, TypeError for arguments of other types, UsageError
    for cutoffs that are no ranks.  `evaluate` raises MeasureError where the function fails, or gives other
    than finite numbers of that shape.
    """
    if isinstance(measure, str):
        if not callable(score):
            argument = "" if score is None else f", found {score!r}"
            raise TypeError(f"register: a name needs a function, expected register(name, score){argument}")
        ranks = _argument_values("cutoffs", cutoffs)
        is_list = isinstance(cutoffs, Iterable)
        if not is_list or not all(_is_rank(rank) for rank in ranks):
            raise UsageError(f"cutoffs={cutoffs!r}: expected whole numbers of at least 1, such as (5, 10)")
        parameters = Cutoffs(tuple(map(int, ranks))) if ranks else NoParameters()
        measure = Measure(name=measure, score=score, parameters=parameters)
    elif not isinstance(measure, Measure):
        raise TypeError(f"register: found {measure!r}, expected register(name, score) or a pres_eval.Measure")
    elif score is not None or _argument_values("cutoffs", cutoffs):
        raise TypeError(
            "register: found a Measure and more, expected register(name, score) or a Measure alone"
        )
    add_measure(measure)
    return measure


def _is_rank(value: object) -> bool:
    """Return whether a value is a whole number of at least 1; True is none."""
    return isinstance(value, int | np.integer) and not isinstance(value, bool) and bool(value > 0)


Measures = str | Measure | Iterable[str | Measure] | None
"""One measure or several, by name or record; None: the official ones and PRES."""

DEFAULT_OPTIONS = Options()
"""The default options, which nearly all calls share: one object, which is recognised by `is`."""


def selected(measures: Measures, options: Options, nmax: int | Sequence[int], form: str) -> Selection:
    """Return the columns of measures, one for each cutoff or other parameter.

    nmax  Nmax of PRES where a measure names none
    form  the format of the judgements, as -R names it
    Raises UsageError for values of another type or none, MeasureError for unknown measures.
    """
    texts: list[str] = []  # none for the usual measures
    if measures is not None:
        texts = [_measure_name(measure) for measure in _argument_values("measures", measures)]
    if measures is not None and not texts:
        raise UsageError("measures: found none, expected one at least, or None for the usual ones")
    ranks = _argument_values("nmax", nmax)
    if not ranks or not all(_is_rank(rank) for rank in ranks):
        raise UsageError(f"nmax={nmax!r}: expected whole numbers of at least 1, such as 100 or (100, 1000)")
    ranks = tuple(map(int, ranks))
    info = relevance_info(form)
    for text in _warnings_of_ignored(tuple(texts)):
        warn(text)
    # A name with a colon imports a measure and adds it: the cache would skip that.
    if any(":" in text for text in texts):
        return select(texts, options, ranks, info)
    # None stands for the default options in the key of the cache, because hashing options takes a while.
    other_options = None if options is DEFAULT_OPTIONS else options
    return _selected(tuple(texts), other_options, ranks, info, own_measures())


def _argument_values(name: str, argument: Any) -> tuple[Any, ...]:
    """Return the values of an argument that may be one value or several; raise UsageError for too many."""
    if not isinstance(argument, Iterable) or isinstance(argument, str | bytes):
        return (argument,)
    values = tuple(islice(argument, MOST_COLUMNS + 1))
    if len(values) > MOST_COLUMNS:
        raise UsageError(f"{name}: found more than {MOST_COLUMNS:,} values, expected at most that many")
    return values


def _measure_name(measure: Any) -> str:
    """Return the name of a measure; raise UsageError for other values than texts and known Measures."""
    if isinstance(measure, Measure):
        if measure == find_measure(measure.name):
            return measure.name
        raise UsageError(f"measures: found a Measure {measure.name}, which is not registered; register it")
    if not isinstance(measure, str):
        raise UsageError(f"measures: found {measure!r}, expected names such as 'map' or 'PRES@100'")
    return measure


@lru_cache(maxsize=256)
def _warnings_of_ignored(texts: tuple[str, ...]) -> tuple[str, ...]:
    """Return the warnings of parameters that have no effect, from the cache if an earlier call had them."""
    return tuple(warnings_of_ignored_parameters(texts))


@lru_cache(maxsize=256)
def _selected(
    texts: tuple[str, ...],
    options: Options | None,
    ranks: tuple[int, ...],
    info: RelevanceInfo,
    registered: tuple[Measure, ...],
) -> Selection:
    """Return the columns of measures, from the cache if an earlier call had the same arguments.

    To make them takes as long as to evaluate a small batch.

    options     None for the default ones
    registered  the user's measures, of which the texts may name some: part of the cache's key alone
    """
    return select(texts, options or DEFAULT_OPTIONS, ranks, info)
