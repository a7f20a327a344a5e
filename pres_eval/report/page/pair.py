"""Two runs: without a script each against the first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pres_eval.report.markup import Html, element
from pres_eval.report.page.tables import Cell, controls, scrolling, section, table
from pres_eval.report.text import p_text, signed
from pres_eval.report.trec_report import Report


def pair(report: Report) -> Html:
    """Each run against the first; the script compares any two."""
    pairs = report.pairs
    if pairs is None:
        return section("pair", "Two runs", element("p", "There is no average over topics to test."))
    rows: list[Sequence[Cell]] = []
    for number in np.flatnonzero(pairs.first == 0).tolist():
        other = int(pairs.second[number])
        wins, losses = int(pairs.losses[0, number]), int(pairs.wins[0, number])
        topics = int(pairs.topics[number])
        rows.append(
            [
                report.names[other],
                str(topics),
                signed(float(pairs.pair_means[1, 0, number] - pairs.pair_means[0, 0, number])),
                str(wins),
                str(topics - wins - losses),
                str(losses),
                p_text(float(pairs.corrected[0, number])),
            ]
        )
    caption = (
        f"{pairs.measures[0]}: each run against {report.names[0]} over the topics that both have"
        f" ({pairs.family}, as on the leaderboard)"
    )
    heads = ["run", "topics", "difference", "wins", "ties", "losses", "p"]
    static = scrolling("Each run against the first", table(caption, heads, rows, sortable=True))
    choices = controls(
        ("pair-a", "Run"), ("pair-b", "against"), ("pair-measure", "by"), ("pair-nmax", "documents by rank")
    )
    return section(
        "pair",
        "Two runs",
        choices,
        element("div", id="pair-view", hidden=True),
        element("div", static, id="pair-static"),
    )
