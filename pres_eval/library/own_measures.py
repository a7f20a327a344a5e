"""The measures that can be asked for, and one's own beside them."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from typing import Any

from pres_eval.errors import UsageError
from pres_eval.library.wording import python_words
from pres_eval.measures import MEASURES, add_measure, own_measures
from pres_eval.measures.base import Measure
from pres_eval.measures.parameters import Cutoffs, NoParameters


def list_measures() -> tuple[Measure, ...]:
    """Return all measures, in print order; each has a name, a description and a text with formula and source.

    >>> import pres_eval as pe
    >>> {measure.name: measure.description for measure in pe.list_measures()}["num_ret"]
    'Number of documents retrieved.'
    """
    return (*MEASURES, *own_measures())


@python_words
def register(
    measure: Measure | str, score: Callable[..., Any] | None = None, *, cutoffs: Sequence[int] = ()
) -> Measure:
    """Add a measure of your own; `evaluate` then takes its name, or the Measure that this returns.

    measure  its name, or a whole Measure record
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

    It is named as other measures are, in the drop-ins too: `relto@2`, `relto.2,5`, `relto(rel=2)@2`.
    At the command line `-m package.module:NAME` or `-m package.module:NAME@2` takes a Measure from a module;
    `-m relto@5` may follow.  Results that are to be pickled need a function that can be imported.
    Raises MeasureError for the name of a built-in measure.  `evaluate` raises it where the function fails, or
    gives other than finite numbers of that shape.
    """
    if isinstance(measure, str):
        if not callable(score):
            found = "" if score is None else f", found {score!r}"
            raise TypeError(f"register: a name needs a function, expected register(name, score){found}")
        given: Any = cutoffs
        if not isinstance(given, Iterable) or not all(isinstance(one, int) and one > 0 for one in given):
            raise UsageError(f"cutoffs={cutoffs!r}: expected whole numbers of at least 1, such as (5, 10)")
        parameters = Cutoffs(tuple(cutoffs)) if cutoffs else NoParameters()
        measure = Measure(name=measure, score=score, parameters=parameters)
    elif not isinstance(measure, Measure):
        raise TypeError(f"register: found {measure!r}, expected register(name, score) or a pres_eval.Measure")
    add_measure(measure)
    return measure
