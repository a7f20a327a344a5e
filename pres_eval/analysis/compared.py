"""Results of a comparison of runs: a record for each pair, and the runs with their means."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.digits import rounded
from pres_eval.analysis.letters import letters_of_pairs
from pres_eval.analysis.paired import PairedScores
from pres_eval.arrays.types import BoolArray, FloatArray


@dataclass(frozen=True)
class Comparison:
    """One run against another under one measure; differences are run minus other.

    lower, upper    interval of the mean difference; with an infinite end for a one-sided alternative
    level           what `lower` to `upper` covers by itself, in joint tests with all others of the measure
    agrees          whether this interval shows a difference where the test does, and none where it does not
    wins, ties, losses  topics on which the run is better than, as good as, worse than the other
    direction       1 where what was tested speaks for the run, -1 for the other, 0 for neither
    p_value, corrected  of the test, and after the correction
    d_z, hedges_g, rank_biserial  effect sizes
    g_lower, g_upper  interval of Hedges' g that covers `g_level` by itself, never corrected
    """

    measure: str
    run: str
    other: str
    mean: float
    other_mean: float
    difference: float
    lower: float
    upper: float
    wins: int
    ties: int
    losses: int
    p_value: float
    corrected: float
    significant: bool
    direction: int
    d_z: float
    hedges_g: float
    g_lower: float
    g_upper: float
    rank_biserial: float
    level: float
    g_level: float
    agrees: bool


@dataclass(frozen=True, eq=False)
class ComparedRuns:
    """Runs with their means, the intervals of these, the best of each measure, and the comparisons made.

    lower, upper  (M, R)
    best          (M, R) whether no run has a higher mean
    baselines     for each measure the index of the baseline, None where all pairs were compared
    """

    scores: PairedScores
    settings: CompareSettings
    lower: FloatArray
    upper: FloatArray
    best: BoolArray
    baselines: tuple[int, ...] | None
    comparisons: tuple[Comparison, ...]

    def of_measure(self, measure: str) -> list[Comparison]:
        """The comparisons under one measure."""
        return [one for one in self.comparisons if one.measure == measure]

    def letters(self, measure: int) -> list[str]:
        """For each run the letters that it shares with those from which it does not differ (all pairs)."""
        place = {name: number for number, name in enumerate(self.scores.runs)}
        own = self.of_measure(self.scores.measures[measure])
        first = np.array([place[one.run] for one in own], np.int64)
        second = np.array([place[one.other] for one in own], np.int64)
        differ = [one.significant for one in own]
        return letters_of_pairs(self.scores.gains()[measure], first, second, differ)

    def contradictions(self) -> int:
        """Significant comparisons of a test on ranks in which the mean says the opposite."""
        return sum(
            one.significant
            and one.direction
            * self.scores.sign(self.scores.measures.index(one.measure))
            * float(rounded(np.array([one.difference]))[0])
            < 0
            for one in self.comparisons
        )
