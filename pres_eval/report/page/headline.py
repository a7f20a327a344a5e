"""The headline of the page: the means of the runs by its measure, as a sentence and as a picture.

Runs go by their rank among the means of `Headline`: 0 is the best.
"""

from __future__ import annotations

import numpy as np

from pres_eval.errors import plural
from pres_eval.measures.names import View
from pres_eval.report import svg
from pres_eval.report.headline import Headline
from pres_eval.report.markup import Content, Html, element, figure
from pres_eval.report.text import percentage, shown
from pres_eval.report.trec_report import DIGITS, Report

NAMED_RUNS = 3
"""Runs that the sentence names; if there is only one more, it is named too."""

DRAWN_RUNS = 10
"""Runs that the picture shows at most: the best ones."""

OPENINGS = {
    "recall": "Within {documents} {run} finds {value} of the relevant ones",
    "P": "Of the first {documents} of {run} {value} are relevant",
    "success": "Within {documents} {run} finds a relevant one on {value} of the topics",
}
"""Sentences for measures whose means are shares that readers know, by the name of the measure."""

FURTHER = {"recall": "{run} {value}", "P": "of {run} {value}", "success": "{run} {value}"}
"""Parts of these sentences for further runs."""


def headline(report: Report) -> Html | str:
    """Return the sentence with the means of the runs.

    Empty if there are none, or no run is best by the report's main measure.
    """
    means = report.compared.headline
    if means is None or not report.leaders(report.main):
        return ""
    num_named = len(means.runs)
    if num_named > NAMED_RUNS + 1:
        num_named = NAMED_RUNS
    parts = _opening(report, means)
    for rank in range(1, num_named):
        parts += [", ", *_filled(_further(report, means), report, means, rank)]
    if num_named < len(means.runs):
        parts.append(_others(report, means, num_named))
    return element("p", *parts, ". ", element("span", _basis(report, means), class_="dim"), class_="headline")


def headline_picture(report: Report) -> Html | str:
    """Return the picture of the means with their intervals, the best run on top; empty without a headline."""
    means = report.compared.headline
    if means is None or not report.leaders(report.main):
        return ""
    rows = [_row(report, means, rank) for rank in range(min(len(means.runs), DRAWN_RUNS))]
    words = f"Mean over {plural(means.num_topics, 'topic')}"
    pairs = report.compared.pairs
    if pairs is not None and np.isfinite(means.lower).any():
        # Each interval by itself: not wider because there are several runs.
        words += f" with {percentage(1 - pairs.settings.alpha)} interval (uncorrected)"
    if len(rows) < len(means.runs):
        words += f", the best {len(rows)} of {len(means.runs)} runs"
    if report.less_is_better(means.label):
        words += " (less is better)"
    title = _title(report, means)
    return figure(title, words, svg.row_chart("headline", title, words, means.label, rows))


def _row(report: Report, means: Headline, rank: int) -> svg.Row:
    """Return the row of the run at this rank (0: the best) in the picture."""
    name = report.names[means.runs[rank]]
    mean, lower, upper = float(means.means[rank]), float(means.lower[rank]), float(means.upper[rank])
    interval = "no interval"
    if np.isfinite(lower):
        interval = f"{lower:.{DIGITS}f} to {upper:.{DIGITS}f}"
    return svg.Row(
        name=name,
        series=means.runs[rank],
        middle=mean,
        line=(lower, upper),
        box=None,
        text=f"{name}: {mean:.{DIGITS}f} ({interval})",
        end=_value(report, means, rank),
    )


def _title(report: Report, means: Headline) -> str:
    """Return what the picture shows, in a reader's words for shares of documents, else the label."""
    titles = {
        "recall": f"Relevant documents found within {means.cutoff} ({means.label})",
        "P": f"Relevant among the first {_documents(means)} ({means.label})",
    }
    return titles.get(_known_as(report, means), means.label)


def _known_as(report: Report, means: Headline) -> str:
    """Return the name of the headline's measure if OPENINGS has a sentence for it; empty for any other."""
    column = report.column(means.label)
    has_default_view = column.view == View()
    if not has_default_view or means.cutoff is None or column.measure.name not in OPENINGS:
        return ""
    return column.measure.name


def _opening(report: Report, means: Headline) -> list[Content]:
    """Return the beginning of the sentence, with the best run."""
    name = _known_as(report, means)
    if name:
        return _filled(OPENINGS[name], report, means, 0)
    return _filled("By {label} {run} reaches {value}", report, means, 0)


def _further(report: Report, means: Headline) -> str:
    """Return the template of the part of the sentence for a further run."""
    return FURTHER.get(_known_as(report, means), "{run} {value}")


def _filled(template: str, report: Report, means: Headline, rank: int) -> list[Content]:
    """Return a template, such as those of OPENINGS, filled with the numbers and the name of a run."""
    numbers = {"documents": _documents(means), "label": means.label, "value": _value(report, means, rank)}
    before_name, _, after_name = template.partition("{run}")
    name = element("em", report.names[means.runs[rank]])
    return [before_name.format(**numbers), name, after_name.format(**numbers)]


def _documents(means: Headline) -> str:
    """Return the number of documents down to the measure's cutoff, in words; empty if it has none."""
    return "" if means.cutoff is None else plural(means.cutoff, "document")


def _value(report: Report, means: Headline, rank: int) -> str:
    """Return the mean of a run, as a share in per cent where the sentence speaks of a share."""
    mean = float(means.means[rank])
    if _known_as(report, means):
        return share(mean).replace(" %", "\u00a0%")
    return shown(mean, DIGITS)


def share(fraction: float) -> str:
    """Return a share in whole per cent: 99.7 % is not all, and 0.5 % is not nothing.

    >>> share(0.967), share(0.997), share(0.005), share(1.0)
    ('97 %', 'over 99 %', 'under 1 %', '100 %')
    """
    if 0.995 <= fraction < 1:
        return "over 99 %"
    if 0 < fraction <= 0.005:  # which Python would round to 0
        return "under 1 %"
    return f"{100 * fraction:.0f} %"


def _others(report: Report, means: Headline, named: int) -> str:
    """Return how many runs the sentence does not name, and the range of their means.

    named  how many it names, the best ones
    """
    best, worst = _value(report, means, named), _value(report, means, len(means.runs) - 1)
    count = len(means.runs) - named
    if best == worst:
        return f", the other {count} runs {best}"
    return f", the other {count} runs {best} to {worst}"


def _basis(report: Report, means: Headline) -> str:
    """Return in brackets what the numbers of the sentence are: measure, weights, topics, runs left out."""
    weighted = "" if report.inputs.weights is None else "weighted "
    less = ", less is better" if report.less_is_better(means.label) else ""
    words = f"({means.label}: {weighted}mean over {plural(means.num_topics, 'topic')}{less}"
    unranked = len(report.names) - len(means.runs)
    if unranked:
        words += f"; {plural(unranked, 'run')} with fewer topics left out"
    return f"{words})"
