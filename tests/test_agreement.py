"""Agreement of measures: correlations, positions, verdicts on pairs; and the command."""

from __future__ import annotations

import itertools
import math

import numpy as np
import pytest
from scipy import stats

from pres_eval.analysis.agreement import (
    correlations,
    dissents,
    rank_changes,
    read_scores,
    verdict_patterns,
    verdicts,
)
from pres_eval.errors import InputError


def test_correlations_of_all_pairs() -> None:
    scores = np.random.default_rng(1).random((3, 12))
    rows = correlations(("a", "b", "c"), scores)
    assert [(row.first, row.second) for row in rows] == [("a", "b"), ("a", "c"), ("b", "c")]
    assert rows[1].tau_b == pytest.approx(stats.kendalltau(scores[0], scores[2]).statistic, abs=1e-14)
    assert rows[1].tau_ap_b == pytest.approx((rows[1].tau_ap + rows[1].tau_ap_back) / 2, abs=1e-14)
    assert rows[1].tau_ap != rows[1].tau_ap_back


def test_positions() -> None:
    scores = np.array([[0.5, 0.9, 0.5, 0.1], [0.1, 0.2, 0.3, 0.4]])
    assert rank_changes(scores).tolist() == [[2, 1, 2, 4], [4, 3, 2, 1]]


def test_verdicts_are_scipys() -> None:
    rng = np.random.default_rng(7)
    values = np.clip(rng.normal(0.4, 0.2, (2, 5, 40)) + np.linspace(0, 0.3, 5)[None, :, None], 0, 1).round(2)
    said = verdicts(values)
    assert set(said.ravel().tolist()) == {0, -1}, "later runs are better, neighbours hard to tell apart"
    for measure in range(2):
        for pair, (a, b) in enumerate(itertools.combinations(range(5), 2)):
            differences = (values[measure, a] - values[measure, b]).round(12)
            expected = 0
            if stats.wilcoxon(differences).pvalue < 0.05:
                ranks = stats.rankdata(np.abs(differences[differences != 0]))
                balance = ranks @ np.sign(differences[differences != 0])
                expected = 1 if balance > 0 else -1
            assert said[measure, pair] == expected


def test_verdict_on_equal_runs_is_none() -> None:
    values = np.random.default_rng(1).random((1, 1, 30)).repeat(2, axis=1)
    assert verdicts(values).tolist() == [[0]]


SAID = np.array([[1, 1, 0, -1, 1, 0], [1, 1, 1, -1, -1, 0], [1, 0, 1, -1, 0, 1]])


def test_patterns_count_every_pair_once() -> None:
    patterns = verdict_patterns(("map", "recall", "PRES"), SAID)
    assert [(p.text, p.pairs, p.share) for p in patterns] == [
        ("map = recall = PRES", 2, 2 / 6),
        ("map = recall ≠ PRES", 2, 2 / 6),
        ("recall = PRES ≠ map", 1, 1 / 6),
        ("map = PRES ≠ recall", 0, 0.0),
        ("map ≠ recall ≠ PRES", 1, 1 / 6),
    ]


def test_dissent_is_relative_to_the_pairs_on_which_the_others_agree() -> None:
    rows = {row.measure: (row.pairs, row.alone) for row in dissents(("map", "recall", "PRES"), SAID)}
    assert rows == {"map": (3, 1), "recall": (2, 0), "PRES": (4, 2)}
    assert math.isnan(dissents(("a", "b", "c"), np.array([[1], [0], [-1]]))[0].share)


def test_patterns_of_many_measures_list_those_that_occur() -> None:
    said = np.array([[1, 0], [1, 0], [1, 1], [0, 1]])
    patterns = verdict_patterns(("a", "b", "c", "d"), said)
    assert [(p.text, p.pairs) for p in patterns] == [("a = b ≠ c = d", 1), ("a = b = c ≠ d", 1)]


def test_read_scores() -> None:
    runs, measures, scores = read_scores("s.csv", '\ufeffrun,MAP,"PRES"\n\nx,0.1,0.2\n"y, z",1e-1,.3\n')
    assert (runs, measures, scores.tolist()) == (("x", "y, z"), ("MAP", "PRES"), [[0.1, 0.1], [0.2, 0.3]])


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("", "s.csv: no heading, expected run,MEASURE,MEASURE,..."),
        ("run\nx\n", "s.csv:1: no heading, expected run,MEASURE,MEASURE,..."),
        ("run,a,b\nx,1\n", "s.csv:2: 2 columns, expected 3 as in the heading"),
        ("run,a\nx,1\ny,nan\n", "s.csv:3: 'nan', expected a number"),
        ("run,a\nx,abc\n", "s.csv:2: 'abc', expected a number"),
    ],
)
def test_read_scores_says_what_is_wrong(text: str, message: str) -> None:
    with pytest.raises(InputError) as caught:
        read_scores("s.csv", text)
    assert str(caught.value) == message
