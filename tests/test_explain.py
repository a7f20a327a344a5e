"""Single topics laid open: documents, areas, the plot of text; and the command."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pres_eval.analysis.explain import Explanation, cumulated, explain_topic, text_plot


def explain(ranks: list[int], nmax: int) -> Explanation:
    """A topic whose documents a, b, ... have these ranks, 0 for not retrieved."""
    docnos = [bytes([97 + i]) for i in range(len(ranks))]
    return explain_topic(
        b"t", nmax, 50, docnos=docnos, grades=np.ones(len(ranks), np.int64), ranks=np.array(ranks, np.int64)
    )


def test_documents_stand_in_the_order_in_which_they_count() -> None:
    explanation = explain([0, 12, 3, 0, 1], 10)
    rows = [(d.place, d.docno, d.rank, d.counted, d.found, d.lost) for d in explanation.documents]
    assert rows == [
        (1, b"e", 1, 1, True, 0),
        (2, b"c", 3, 3, True, 1),
        (3, b"b", 12, 13, False, 10),
        (4, b"a", None, 14, False, 10),
        (5, b"d", None, 15, False, 10),
    ]
    assert (explanation.found, explanation.sum_of_ranks) == (2, 46)
    assert (explanation.area_lost, explanation.area_kept) == (31, 19)
    assert explanation.score == 19 / 50


ranks_of_topics = st.lists(st.integers(0, 40), min_size=1, max_size=15).map(
    lambda ranks: [rank if ranks.index(rank) == i else 0 for i, rank in enumerate(ranks)]
)


@given(ranks_of_topics, st.integers(1, 50))
@settings(deadline=None)
def test_areas_are_those_between_the_curves(ranks: list[int], nmax: int) -> None:
    explanation = explain(ranks, nmax)
    count = len(ranks)
    counted = [document.counted for document in explanation.documents]
    steps = range(1, nmax + count + 1)
    best = [min(rank, count) for rank in steps]
    worst = [max(0, rank - nmax) for rank in steps]
    run = [sum(r <= rank for r in counted) for rank in steps]
    assert explanation.area_lost == sum(b - r for b, r in zip(best, run, strict=True))
    assert explanation.area_kept == sum(r - w for r, w in zip(run, worst, strict=True))
    found = sum(0 < rank <= nmax for rank in ranks)
    assert explanation.score <= found / count
    assert explanation.score * nmax * count >= found**2 - 1e-9


def test_no_relevant_documents() -> None:
    explanation = explain([], 10)
    assert (explanation.score, explanation.area_lost, text_plot(explanation)) == (0.0, 0, [])


def test_curve_of_steps() -> None:
    assert cumulated([2, 5], 7) == ([0, 2, 2, 5, 5, 7], [0, 0, 1, 1, 2, 2])


def test_text_plot_draws_a_column_a_rank_where_it_fits() -> None:
    lines = text_plot(explain([2, 3, 0], 9), width=12)
    assert lines == [
        "3 |  .........",
        "2 | .########",
        "1 |.########",
        "  +------------",
        "   1  rank   12",
    ]


@given(ranks_of_topics, st.integers(1, 50), st.integers(20, 70))
@settings(deadline=None)
def test_text_plot_fits_its_width(ranks: list[int], nmax: int, width: int) -> None:
    lines = text_plot(explain(ranks, nmax), width)
    margin = len(str(len(ranks))) + 2
    assert max(map(len, lines)) <= margin + width
    for line, document in zip(reversed(lines[:-2]), explain(ranks, nmax).documents, strict=False):
        if len(ranks) <= 12:
            assert ("#" in line) == document.found
            assert ("." in line) == (document.lost > 0)


@pytest.mark.parametrize("count", [13, 100, 1000])
def test_text_plot_of_many_documents_shows_the_last_and_some_others(count: int) -> None:
    lines = text_plot(
        explain_topic(
            b"t",
            100,
            9,
            docnos=[b"%04d" % i for i in range(count)],
            grades=np.ones(count, np.int64),
            ranks=np.zeros(count, np.int64),
        )
    )
    assert len(lines) == 12 + 2
    assert lines[0].split()[0] == str(count)
