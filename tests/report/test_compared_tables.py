"""The tables of a comparison: marks say what the test said."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.commands import Command

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


def test_the_difference_of_equal_means_has_no_minus(command: Command, tmp_path: Path) -> None:
    """Values 0.1, 0.2 and 0.3 in another order give other rounding errors: it was -0.0000 of some runs."""
    found_by_topic = {"a": (1, 2, 3), "b": (2, 3, 1), "c": (3, 1, 2)}
    qrels = tmp_path / "qrels"
    qrels.write_text("".join(f"{topic} 0 r{number} 1\n" for topic in range(3) for number in range(10)))
    runs = []
    for run, found in found_by_topic.items():
        lines = []
        for topic, count in enumerate(found):
            documents = [f"r{number}" for number in range(count)] + [
                f"n{number}" for number in range(10 - count)
            ]
            lines += [f"{topic} Q0 {docno} 0 {-rank} {run}\n" for rank, docno in enumerate(documents)]
        runs.append(tmp_path / run)
        runs[-1].write_text("".join(lines))
    printed = command.ok("compare", qrels, *runs, "-m", "P.10", "--all-pairs", "--quiet").out
    page = tmp_path / "page.html"
    command.ok("report", qrels, *runs, "-m", "P.10", "--baseline", "c", "-o", page, "--quiet")
    for text in (printed, page.read_text()):
        assert "+0.0000" in text and "-0.0000" not in text
