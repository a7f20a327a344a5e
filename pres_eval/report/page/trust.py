"""Section on trust: share judged, bounds, ties, topics with few relevant documents."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pres_eval.analysis.topics import plural
from pres_eval.analysis.trust import Trust
from pres_eval.measures.selection import BOUNDS_NOTE
from pres_eval.report.markup import Content, Html, element
from pres_eval.report.page.summary import MOST_NAMED
from pres_eval.report.page.tables import Cell, link, scrolling, section, table
from pres_eval.report.text import UNKNOWN, interval, percentage, text_of
from pres_eval.report.trec_report import Report

FEW = 5
"""A topic with fewer relevant documents than this says little: each moves its values by a fifth or more."""


def trust_view(report: Report) -> Html:
    """A table of the runs, and what the judgements lack; empty where nobody looked."""
    trust = report.trust
    if trust is None:
        return section("trust", "Can I trust these judgements?", element("p", "This was not looked at."))
    shares = [f"judged in the first {rank}" for rank in trust.judged]
    heads = ["run", *shares, *trust.bounds, "equal scores", "only it found", "topics lacking"]
    rows: list[Sequence[Cell]] = [
        [
            link("runs", report.names[run], run=report.names[run]),
            *(percentage(round(float(values[run]), 3)) for values in trust.judged.values()),
            *(interval(*bounds[:, run].tolist()) for bounds in trust.bounds.values()),
            str(ties) if (ties := trust.ties[run]) is not None and ties.is_wide else UNKNOWN,
            str(report.unique_relevant[run]),
            str(len(report.topics) - len(report.evaluations[run].topics)),
        ]
        for run in report.best_first(report.main)
    ]
    caption = (
        "Documents judged, by run, on average over topics; the least and the greatest value of measures;"
        " what the main measure is by how equal scores are ordered; relevant documents that no other run has"
    )
    made = table(caption, heads, rows, sortable=True, name="trust-table")
    facts = [element("li", *words) for words in (*_topics(report), *_order(report, trust))]
    return section(
        "trust",
        "Can I trust these judgements?",
        element("ul", *facts, class_="plain"),
        scrolling("What the judgements leave open, by run", made, rows=len(rows)),
        element("p", f"{BOUNDS_NOTE}.", class_="dim") if trust.bounds else "",
    )


def _topics(report: Report) -> list[Sequence[Content]]:
    """Topics with no or few relevant documents."""
    counts = np.diff(report.documents.offsets)
    kinds = {
        "without a relevant document": counts == 0,
        f"with fewer than {FEW} relevant documents": (counts > 0) & (counts < FEW),
    }
    facts: list[Sequence[Content]] = []
    for words, chosen in kinds.items():
        places = np.flatnonzero(chosen).tolist()
        names = [text_of(report.topics[place]) for place in places[:MOST_NAMED]]
        links = [[" ", link("topic", name, topic=name)] for name in names]
        more = f" and {len(places) - MOST_NAMED} more" if len(places) > MOST_NAMED else ""
        facts.append(
            [f"{plural(len(places))} of {len(report.topics)} {words}", ":" * bool(names), *links, more]
        )
    return facts


def _order(report: Report, trust: Trust) -> list[list[Content]]:
    """Describe how the order changes with fewer relevant documents, and who could overtake the best."""
    if trust.order is None:
        return []
    tried, place = trust.order, trust.order.labels.index(report.main)
    plan, same = tried.plan, float(tried.unchanged[place])
    words = (
        f"With {percentage(plan.fractions[0])} of each topic's relevant documents, drawn {plan.samples} times"
        f" (seed {plan.seed}), the order of the runs by {report.main} correlates with this one by Kendall's"
        f" τ = {tried.averages[0, place]:.2f} on average, {tried.lowest[0, place]:.2f} at worst"
        f" ({same:.2f}: the same order)" + ", without weights of topics" * (report.weights is not None)
    )
    leaders, name = report.leaders(report.main), report.names[report.best_first(report.main)[0]]
    if np.isnan(same) or report.main not in trust.bounds or len(leaders) != 1:
        return [[words]] if np.isfinite(same) else []
    low, high = np.sort(report.sign(report.main) * trust.bounds[report.main], axis=0)
    others = [run for run in range(len(high)) if run != leaders[0] and report.has_all_topics(run)]
    over = int(np.count_nonzero(high[others] > low[leaders[0]]))
    last = f"the bounds of {report.main} of {over} of {len(others)} other runs reach into those of {name}"
    if len(others) < len(high) - 1:
        last += f" ({len(high) - 1 - len(others)} more lack topics and are not compared)"
    return [[words], [f"Within these bounds {'another' if over else 'no other'} run could be best: {last}"]]
