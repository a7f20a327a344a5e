"""Two runs: without a script each against the baseline."""

from __future__ import annotations

from collections.abc import Sequence

from pres_eval.report.markup import Html, element
from pres_eval.report.page.tables import Cell, controls, link, scrolling, section, table
from pres_eval.report.text import p_text, signed
from pres_eval.report.trec_report import Report


def pair(report: Report) -> Html:
    """Each run against the baseline; the script compares any two."""
    pairs = report.pairs
    if pairs is None:
        return section("pair", "Two runs", element("p", "There is no average over topics to test."))
    rows: list[Sequence[Cell]] = []
    base = report.baseline
    for run in report.best_first(report.main):
        if run != base:
            found = pairs.against(0, run, base)
            counts = found.wins, found.topics - found.wins - found.losses, found.losses
            numbers = [signed(found.difference), *map(str, counts), p_text(found.p_value)]
            rows.append([link("runs", report.names[run], run=report.names[run]), str(found.topics), *numbers])
    caption = (
        f"{pairs.measures[0]}: each run against {report.names[base]} over the topics that both have"
        f" ({pairs.family}, as on the leaderboard)"
    )
    heads = ["run", "topics", "difference", "wins", "ties", "losses", "p"]
    static = scrolling("Each run against the baseline", table(caption, heads, rows, sortable=True))
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
