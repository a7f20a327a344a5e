"""The head of the page: its title, the links to its sections, and what has to be known before any number."""

from __future__ import annotations

from collections.abc import Sequence

from pres_eval.analysis.topics import plural
from pres_eval.report.markup import Html, element
from pres_eval.report.text import text_of
from pres_eval.report.trec_report import Report, title_of


def header(report: Report, sections: Sequence[tuple[str, str]]) -> Html:
    """The title, what the report is of, and links to the sections."""
    topics = plural(len(report.topics))
    items = [element("li", element("a", text, href=f"#{name}")) for name, text in sections]
    skip = element("a", "Skip to the table of topics", class_="skip", href="#topics")
    return element(
        "header",
        skip,
        element("h1", title_of(report)),
        element("p", report.description) if report.description else "",
        element("p", f"{topics}, judged in {report.shown_path(report.qrels.path)}", class_="dim"),
        _weighted(report),
        element("nav", element("ul", *items), aria_label="Sections"),
    )


def _weighted(report: Report) -> Html | str:
    """Describe what uses the weights of topics and what does not; empty where there are none."""
    if report.weights is None:
        return ""
    return element(
        "p",
        element("strong", "Means are weighted"),
        f" by the weights of topics in {report.shown_path(report.weights.path)}: averages, intervals, tests,"
        " shares of judged documents, bounds. Geometric means, counts, ROC curves, distributions and the"
        " order with fewer judgements are without weights.",
    )


def banner(report: Report) -> Html | str:
    """Return the banner for averages over different topics."""
    if not report.topics_differ() or report.options.complete:
        return ""
    counts = [len(evaluation.topics) for evaluation in report.evaluations]
    fewest = [name for name, count in zip(report.names, counts, strict=True) if count == min(counts)]
    named = ", ".join(fewest[:3]) + (f" and {len(fewest) - 3} more" if len(fewest) > 3 else "")
    return element(
        "p",
        element("strong", "The runs have different topics."),
        f" Of {len(report.topics)} topics {named} {'has' if len(fewest) == 1 else 'have'} {min(counts)}."
        " Averages are over each run's own topics; runs that lack some (topics, beside the name) are not"
        " ranked and stand last. --topics all counts missing topics as 0, --topics common leaves them out."
        " Two runs are compared over the topics that both have.",
        class_="banner",
        role="note",
    )


def failed_runs(report: Report) -> Html | str:
    """The runs that could not be evaluated, and why."""
    if not report.failures:
        return ""
    rows = [
        element("li", text_of(failure.message).replace(failure.path, report.shown_path(failure.path)))
        for failure in report.failures
    ]
    return element(
        "div",
        element("p", element("strong", "Runs that could not be evaluated")),
        element("ul", *rows),
        class_="banner",
        role="note",
    )
