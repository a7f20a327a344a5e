"""Expected values of measures when documents of equal scores may come in any order, all of them as likely.

A tie of m documents at the ranks f, ..., f + m - 1 puts each of them at each of these ranks with probability
1/m, and two of them at two of these with 1/(m (m - 1)).  So what is added up over ranks, over pairs of ranks,
or over the first relevant document of a tie has an expected value in closed form.  Where a cutoff or -M ends
the ranking inside a tie, s of its m documents are seen, and how many of its R relevant ones are among them is
distributed hypergeometrically.
Source: McSherry & Najork, "Computing information retrieval performance measures efficiently in the presence
of tied scores", ECIR 2008, doi:10.1007/978-3-540-78646-7_38.
"""

from __future__ import annotations

from collections.abc import Callable

from pres_eval.arrays import (
    FloatArray,
    IntArray,
)
from pres_eval.errors import MeasureError
from pres_eval.measures.base import Format, Lacks, Measure, Trait, function_of

Expected = Callable[..., FloatArray | IntArray | list[str]]
"""batch, *arguments of the measure -> (T,) expected values."""


def depends_on_order(measure: Measure) -> bool:
    """Return whether an order of ties, or through -M what it leaves, changes the value that is expected."""
    has_own = bool(measure.expected) and not isinstance(measure.expected, Lacks)
    return has_own or Trait.OWN_EXPECTED in measure.traits


def has_expected_value(measure: Measure) -> bool:
    """Return whether there is a closed form, or the order makes no difference."""
    return depends_on_order(measure) or Trait.SET in measure.traits or measure.format is Format.TAG


def expected_of(measure: Measure) -> Expected:
    """Return the function that computes a measure's expected values.

    Raises MeasureError for a measure that has no closed form.
    """
    if has_expected_value(measure):
        found: Expected = function_of(measure.expected or measure.score)
        return found
    other = ", or --ties best and --ties worst" if measure.best_by_grade else ""
    raise MeasureError(
        f"{measure.name}: has no expected value in closed form when scores tie (--ties expected),"
        f" expected another measure{other}"
    )
