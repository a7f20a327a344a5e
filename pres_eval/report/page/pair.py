"""Two runs: without a script each against the first."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pres_eval.report.markup import Html, element
from pres_eval.report.page.tables import Cell, controls, scrolling, section, table
from pres_eval.report.text import p_text
from pres_eval.report.trec_report import Report


def pair(report: Report) -> Html:
    """Each run against the first; the script compares any two."""
    pairs = report.pairs
    if pairs is None:
        return section(
            "pair", "Two runs", element("p", "No topic is in all the runs: there is nothing to test.")
        )
    rows: list[Sequence[Cell]] = []
    for number in np.flatnonzero(pairs.first == 0).tolist():
        other = int(pairs.second[number])
        wins, losses = int(pairs.losses[0, number]), int(pairs.wins[0, number])
        rows.append(
            [
                report.names[other],
                f"{pairs.means[0, other] - pairs.means[0, 0]:+.4f}",
                str(wins),
                str(pairs.topics - wins - losses),
                str(losses),
                p_text(float(pairs.p_values[0, number])),
            ]
        )
    label, settings = pairs.measures[0], pairs.settings
    caption = (
        f"{label}: each run against {report.names[0]} ({settings.test}, not corrected, {pairs.topics} topics)"
    )
    heads = ["run", "difference", "wins", "ties", "losses", "p"]
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
