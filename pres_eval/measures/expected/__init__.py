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

from pres_eval.errors import MeasureError
from pres_eval.measures.base import Format, Measure, Trait
from pres_eval.measures.expected.gains import OF_GAINS
from pres_eval.measures.expected.places import Expected
from pres_eval.measures.expected.ranks import OF_RANKS
from pres_eval.measures.expected.screening import OF_SCREENING
from pres_eval.measures.expected.sets import OF_SETS

EXPECTED: dict[str, Expected] = {**OF_RANKS, **OF_GAINS, **OF_SCREENING, **OF_SETS}
"""The measures whose value depends on the order, or through -M on it, and has an expected value."""


def has_expected_value(measure: Measure) -> bool:
    """Whether there is a closed form, or the order makes no difference."""
    return measure.name in EXPECTED or Trait.SET in measure.traits or measure.format is Format.TAG


def expected_of(measure: Measure) -> Expected:
    """The function that computes a measure's expected values.

    Raises MeasureError for a measure that has no closed form.
    """
    if has_expected_value(measure):
        return EXPECTED.get(measure.name, measure.score)
    raise MeasureError(
        f"{measure.name}: has no expected value in closed form when scores tie (--ties expected),"
        " expected another measure, or --ties best and --ties worst"
    )
