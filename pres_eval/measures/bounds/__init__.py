"""The least and the greatest value that a measure could take if unjudged documents were judged.

Each document that a run retrieved at a rank that counts (down to the cutoff of a measure that has one), and
that nobody judged, may turn out to have any grade from 0 to the highest of the topic's judgements, or to 1
if that is 0; a measure that knows relevant and nonrelevant alone only sees which of the two it is.  The
document is then in the qrels, so the number of relevant documents and the best ranking change with it.  What
was not retrieved stays as it is.  With a scale (max_rel of lower and upper), retrieved documents below the
cutoff may turn out to have grades too, and all grades go up to the highest of the scale.  The bounds are the
least and the greatest value over all such judgements:

- where a higher grade can only raise the value (or only lower it), they are at all 0 and all highest;
- where relevance alone counts, and a relevant document that moves up never makes the value worse, the best
  judgement that makes x documents relevant takes the first x of them, the worst the last x; all x are
  tried;
- nDCG is a ratio of a linear and a convex function of the gains.  Its least value is at a corner, where the
  last x documents have the highest gain.  For the greatest, the gains are cut into layers between the
  grades of the topic: each layer alone decides whether the value can be above t, and t rises until no
  layer allows it (Dinkelbach, Management Science 13(7), 1967, doi:10.1287/mnsc.13.7.492);
- what is relevant below a cutoff changes the number of relevant documents and the best ranking alone, and
  these move a value in one direction: all of it has the highest grade, or none of it has any.
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import numpy as np

from pres_eval.arrays import FloatArray
from pres_eval.batches.batch import Batch
from pres_eval.errors import MeasureError
from pres_eval.measures.base import Measure, Trait
from pres_eval.measures.bounds import judgements, normalized_gain, relevance, trials
from pres_eval.measures.bounds.judgements import (
    Bounds,
    Rule,
    depth_of,
    fill_unjudged,
    highest_possible_grades,
)
from pres_eval.measures.gain import blocks_of_ranks, highest_grades
from pres_eval.measures.parameters import Pairs
from pres_eval.measures.settings import MAX_REL, MeasureSettings
from pres_eval.options import LARGEST_LONG
from pres_eval.records import dataclass

RULES: dict[str, Rule] = {
    "map": relevance.average_precision,
    "map_cut": relevance.average_precision,
    "gm_map": relevance.geometric_average_precision,
    "yaap": relevance.yaap,
    "Rprec": relevance.r_precision,
    "ndcg": normalized_gain.of_grades,
    "ndcg_cut": normalized_gain.of_grades,
    "ndcg_exp_cut": normalized_gain.of_exponential_gains,
    "PRES": relevance.pres,
    "PRES_est": relevance.pres_estimated,
}
"""By measure its own rule; the traits of other measures decide their rules (`rule_of`)."""

_NOT_DERIVED = "no closed form of them has been derived"
_ABOUT_JUDGING = "it says how much was not judged; if all were it would be 0 or 1"

WITHOUT_BOUNDS = {
    **dict.fromkeys(("binG", "G", "ndcg_rel", "Rndcg", "ndcg_gain_cut", "compat"), _NOT_DERIVED),
    **dict.fromkeys(("bpm", "insq", "inst", "nerr8", "nerr9", "nerr10", "nerr11"), _NOT_DERIVED),
    **dict.fromkeys(("PRES_budget", "urbp", "urbp_graded", "ubpref"), _NOT_DERIVED),
    **dict.fromkeys(("q_measure", "q_measure_cut", "ncg", "nerr", "o_measure"), _NOT_DERIVED),
    "num_ret": "judgements don't change it",
    "relstring": "it is a text",
    "rbp_resid": "it is itself how far the greatest value of rbp is away",
    "unj": _ABOUT_JUDGING,
    "judged": _ABOUT_JUDGING,
}
"""The measures without bounds, and the reason why there are none."""


def rule_of(measure: Measure) -> Rule | None:
    """Return the rule of a measure: its own, or that of its traits; None if it has no bounds."""
    if measure.bounds is not None:
        return measure.bounds
    if measure.name in RULES:
        return RULES[measure.name]
    if measure.name in WITHOUT_BOUNDS:
        return None
    if Trait.RISES in measure.traits:
        return judgements.at_extreme_grades
    if Trait.MOVES_UP in measure.traits:
        return trials.by_scoring_trials
    return None


def reason_without_bounds(measure: Measure, arguments: tuple[Any, ...] = (), scale: int | None = None) -> str:
    """Return why a column has no bounds, to be put after the measure's name; empty if it has bounds.

    scale  the highest grade that documents may turn out to have; None: the highest of the topic
    """
    if rule_of(measure) is None:
        return "has no bounds for unjudged documents, expected another measure"
    if scale is None or Trait.OF_TOPIC_SCALE not in measure.traits:
        return ""
    # The grade that it divides by would change with the judgements, and no rule covers that.
    takes_scale = isinstance(measure.parameters, MeasureSettings) and MAX_REL in measure.parameters.settings
    if takes_scale:
        max_rel = arguments[-1]  # the last setting; None: the topic's highest grade
        if isinstance(max_rel, int | float) and max_rel >= scale:
            return ""
    expected = f"max_rel={scale} among its parameters" if takes_scale else "another measure"
    return f"divides by the highest grade of the topic, which may change; expected {expected}"


def check_bounds(measure: Measure, arguments: tuple[Any, ...] = (), scale: int | None = None) -> None:
    """Raise MeasureError for a column whose bounds are not defined; arguments: `reason_without_bounds`."""
    reason = reason_without_bounds(measure, arguments, scale)
    if reason:
        raise MeasureError(f"{measure.name}: {reason}")


@dataclass(frozen=True)
class BoundsOf:
    """Function of a batch that returns the bounds of a column; `Batch.derived` calls equal ones only once.

    scale  the highest grade that documents may turn out to have; None: the highest of the topic
    Raises MeasureError where everything judged is relevant, and for parameters without bounds.
    """

    measure: Measure
    arguments: tuple[Any, ...]
    scale: int | None = None

    def __call__(self, batch: Batch) -> Bounds:
        """Return (T,) least and (T,) greatest values."""
        if batch.relevance_level <= 0:
            raise MeasureError("bounds: at -l 0 everything judged is relevant, expected a level above 0")
        if batch.ties is not None:
            raise MeasureError("bounds: expected --ties docno, best or worst, found expected")
        check_bounds(self.measure, self.arguments, self.scale)
        if isinstance(self.measure.parameters, Pairs):
            self._check_pairs()
        if self.scale is not None:
            self._check_scale(batch, self.scale)
            batch = replace(batch, max_rel=self.scale)
        least: list[FloatArray] = []
        greatest: list[FloatArray] = []
        for part in blocks_of_ranks(batch, judgements.MOST_DOCUMENTS):
            least_of_part, greatest_of_part = self._of_part(part)
            least.append(least_of_part)
            greatest.append(greatest_of_part)
        return np.concatenate(least), np.concatenate(greatest)

    def _check_pairs(self) -> None:
        """Raise MeasureError for gains of grades, and for a p with which gains can lower the value."""
        for key, value in self.arguments[0]:
            if key != "p":
                raise MeasureError(f"{self.measure.name}: has no bounds with gains for grades, expected none")
            if not 0 <= value <= 1:
                raise MeasureError(f"{self.measure.name}: has bounds for p from 0 to 1 alone")

    def _check_scale(self, batch: Batch, scale: int) -> None:
        """Raise MeasureError for a scale that ends below a grade of the judgements, or below the level."""
        highest = max(batch.relevance_level, int(highest_grades(batch).max(initial=0)))
        if scale < highest:
            raise MeasureError(
                f"bounds: max_rel={scale}: expected at least {highest:g}, which is a grade or the level"
            )

    def _of_part(self, batch: Batch) -> Bounds:
        """Return (T,) least and (T,) greatest values of a batch that is small enough to be scored at once."""
        rule = rule_of(self.measure)
        assert rule is not None, "check_bounds refuses measures without a rule"
        depth = depth_of(self.measure, self.arguments)
        least, greatest = rule(batch, self.measure, self.arguments)
        if self.scale is None or depth == LARGEST_LONG:
            return least, greatest
        # Unjudged documents below the cutoff: all are worth nothing, as above, or all have the highest grade.
        highest = highest_possible_grades(batch, self.measure)
        highest_below = fill_unjudged(batch, LARGEST_LONG, highest, above=depth)
        least_with, greatest_with = rule(highest_below, self.measure, self.arguments)
        return np.minimum(least_with, least), np.maximum(greatest_with, greatest)
