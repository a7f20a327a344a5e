"""The tables of a comparison: marks say what the test said."""

from __future__ import annotations

import numpy as np
import pytest

from pres_eval.analysis.compare import compare
from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.paired import PairedScores
from pres_eval.report.cells import Score
from pres_eval.report.compared_tables import compared_tables


@pytest.mark.parametrize(("test", "mark"), [("wilcoxon", "+"), ("randomisation", "")])
def test_marks_follow_the_test_not_the_means(test: str, mark: str) -> None:
    """Better on 19 topics by a little, worse on one by a lot: Wilcoxon says better, the means say worse."""
    topics = 20
    base = np.full(topics, 0.5)
    run = base + np.linspace(0.001, 0.002, topics)
    run[-1] = 0.0
    values = np.array([[base, run]])
    means = values.sum(axis=2) / topics
    assert means[0, 1] < means[0, 0]
    scores = PairedScores(
        runs=("base", "run"),
        measures=("map",),
        topics=tuple(b"%d" % topic for topic in range(topics)),
        values=values,
        means=means,
        all_topics=topics,
    )
    shown = compared_tables(compare(scores, 0, CompareSettings(test=test, samples=200)), "20 topics")[0].shown
    assert shown is not None
    assert [row[1] for row in shown.rows] == [Score(0.5, best=True), Score(means[0, 1], mark=mark)]
