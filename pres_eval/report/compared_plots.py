"""The picture of a comparison of runs."""

from __future__ import annotations

import numpy as np

from pres_eval.analysis.compared import ComparedRuns
from pres_eval.report.paper import Figure


def compared_figure(result: ComparedRuns) -> Figure:
    """Return the bars of means, or for all pairs the maps of their differences; needs matplotlib."""
    from pres_eval.report.run_plots import difference_maps, score_bars  # needs matplotlib

    scores = result.scores
    place = {name: number for number, name in enumerate(scores.runs)}
    row = {label: number for number, label in enumerate(scores.measures)}
    if result.baselines is None and result.comparisons:
        said = np.zeros((len(row), len(place), len(place)), np.int64)
        for one in result.comparisons:
            pair = (row[one.measure], place[one.run], place[one.other])
            said[pair] = one.direction if one.significant else 0
            said[pair[0], pair[2], pair[1]] = -said[pair]
        return difference_maps(scores.runs, scores.measures, scores.gains(), said)
    significant = np.zeros(scores.means.shape, bool)
    for one in result.comparisons:
        significant[row[one.measure], place[one.run]] = one.significant
    return score_bars(
        scores.runs,
        scores.measures,
        scores.means,
        (result.lower, result.upper),
        confidence=1 - result.settings.alpha,
        baselines=result.baselines if result.comparisons else None,
        significant=significant,
        topics=len(scores.topics),
        less_is_better=scores.measures[-1] in scores.falling,
    )
