"""The tables of a comparison: marks say what the test said."""

from __future__ import annotations

import numpy as np
import pytest

from pres_eval.analysis.compare import compare
from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.paired import PairedScores, means_of
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
        num_all_topics=topics,
    )
    shown = compared_tables(compare(scores, 0, CompareSettings(test=test, samples=200)), "20 topics")[0].shown
    assert shown is not None
    assert [row[1] for row in shown.rows] == [Score(0.5, best=True), Score(means[0, 1], mark=mark)]


@pytest.mark.parametrize(("falling", "order"), [(False, "bac"), (True, "cab")])
def test_groups_have_the_best_run_on_top(falling: bool, order: str) -> None:
    values = np.array([[0.4, 0.8, 0.1]] * 2)[:, :, None] * np.linspace(0.5, 1.5, 9)
    scores = PairedScores(
        runs=("a", "b", "c"),
        measures=("first", "second"),
        topics=tuple(b"%d" % topic for topic in range(9)),
        values=values,
        means=means_of(values),
        num_all_topics=9,
        falling=frozenset(("first",) if falling else ()),
    )
    groups = next(
        table for table in compared_tables(compare(scores, None), "9 topics") if table.name == "groups"
    )
    assert groups.shown is not None and [row[0] for row in groups.shown.rows] == list(order)
    assert [row[0] for row in groups.rows] == [run for run in order for _ in range(2)]
    assert groups.shown.rows[0][1] == "a", "with the best"
