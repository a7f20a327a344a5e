"""Expected values of measures: means over all orders of documents with equal scores (--ties expected).

A tie of m documents at the ranks f, ..., f + m - 1 puts each of them at each of these ranks with probability
1/m, and two of them at two of these with 1/(m (m - 1)).  So a sum over ranks, over pairs of ranks, or over
the ranks of the first relevant document has an expected value in closed form.  Where a cutoff or -M ends the
ranking inside a tie, s of its m documents are seen, and how many of its R relevant ones are among them is
distributed hypergeometrically.
Source: McSherry & Najork, "Computing information retrieval performance measures efficiently in the presence
of tied scores", ECIR 2008, doi:10.1007/978-3-540-78646-7_38.
"""

from __future__ import annotations

from collections.abc import Callable

from pres_eval.arrays import FloatArray, IntArray
from pres_eval.errors import MeasureError
from pres_eval.measures.base import Format, Measure, Trait
from pres_eval.measures.expected import ranks, screening

Expected = Callable[..., FloatArray | IntArray | list[str]]
"""A batch that knows its ties, *arguments of the measure -> (T,) expected values."""

FUNCTIONS: dict[str, Expected] = {
    "map": ranks.average_precision,
    "map_cut": ranks.average_precision,
    "recip_rank": ranks.reciprocal_rank,
    "recip_rank_cut": ranks.reciprocal_rank,
    "success": ranks.success,
    "accuracy": ranks.accuracy,
    "last_rel": screening.last_relevant,
    "norm_last_rel": screening.normalized_last_relevant,
    "atd": screening.average_time_to_discovery,
    "total_cost_weighted": screening.total_cost_weighted,
}
"""By measure the function of its expected values; a measure with OWN_EXPECTED needs none."""

_NOT_DERIVED = "no closed form of it has been derived"
_LOGARITHM = "the mean of a logarithm is not the logarithm of a mean"
_MAXIMUM = "a highest precision depends on all ranks of a tie together"

WITHOUT_EXPECTED = {
    **dict.fromkeys(("infAP", "binG", "G", "ndcg_rel", "Rndcg", "rbp_resid", "err", "compat"), _NOT_DERIVED),
    **dict.fromkeys(("bpm", "inst", "nerr8", "nerr9", "nerr10", "nerr11"), _NOT_DERIVED),
    **dict.fromkeys(
        ("Fprime", "PRES_budget", "tnr", "loss", "wss_asreview", "tnr_asreview", "map_ret"), _NOT_DERIVED
    ),
    **dict.fromkeys(("q_measure", "q_measure_cut", "nerr", "o_measure", "irbu"), _NOT_DERIVED),
    **dict.fromkeys(("gm_map", "gm_bpref", "yaap"), _LOGARITHM),
    **dict.fromkeys(("iprec_at_recall", "11pt_avg"), _MAXIMUM),
    "relstring": "it is a text",
}
"""The measures without expected values, and the reason why there are none."""


def depends_on_order(measure: Measure) -> bool:
    """Return whether the measure has expected values of its own, as the order of ties may change its value.

    The order also decides which documents of a tie are left where -M cuts it.
    """
    if measure.expected is not None or measure.name in FUNCTIONS:
        return True
    return Trait.OWN_EXPECTED in measure.traits and measure.name not in WITHOUT_EXPECTED


def has_expected_value(measure: Measure) -> bool:
    """Return whether expected values can be computed: by a closed form, or since the order has no effect."""
    if depends_on_order(measure) or measure.format is Format.TAG:
        return True
    return Trait.SET in measure.traits


def expected_of(measure: Measure) -> Expected:
    """Return the function that computes a measure's expected values.

    Raises MeasureError for a measure that has no closed form.
    """
    if not has_expected_value(measure):
        other = ", or --ties best and --ties worst" if measure.best_by_grade else ""
        raise MeasureError(
            f"{measure.name}: has no expected value in closed form when scores tie (--ties expected),"
            f" expected another measure{other}"
        )
    return measure.expected or FUNCTIONS.get(measure.name, measure.score)
