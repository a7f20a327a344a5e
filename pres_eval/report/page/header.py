"""Head and foot of the page: what has to be known before any number, and how the numbers were made."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import fields

from pres_eval.errors import plural
from pres_eval.report.compared_tables import INTERVAL_NAMES
from pres_eval.report.markup import Content, Html, element
from pres_eval.report.page.tables import section
from pres_eval.report.report_numbers import topic_measures
from pres_eval.report.text import plain_text, text_of
from pres_eval.report.trec_report import Report, title_of
from pres_eval.version import __version__


def header(report: Report, sections: Sequence[tuple[str, str]]) -> Html:
    """Return the title, what the report is of, and links to the sections."""
    topics = plural(len(report.topics))
    items = [element("li", element("a", text, href=f"#{name}")) for name, text in sections]
    return element(
        "header",
        element("a", "Skip to the table of topics", class_="skip", href="#topics"),
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
    """Return the runs that could not be evaluated, and why."""
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


def footer(report: Report) -> Html:
    """Return the footer: options, files with their digests, measures."""
    facts: list[tuple[str, Content]] = [("pres-eval", __version__), *options_of(report), *report.made_with]
    if report.pairs is not None:
        settings = report.pairs.settings
        facts += [
            ("Test (--test)", settings.test),
            ("Correction (--correction)", settings.correction),
            ("Level of significance (--alpha)", f"{settings.alpha:g}"),
            ("Intervals of the means", INTERVAL_NAMES[settings.interval]),
            ("Random choices (--samples, --seed)", f"{settings.samples} samples, seed {settings.seed}"),
        ]
    for file in (report.qrels, *report.files):
        digest = ["SHA-256 ", element("code", file.sha256)] if file.sha256 else "not a file, no SHA-256"
        facts.append((report.shown_path(file.path), digest))
        facts += [(key, value) for key, value in file.header.items() if file is not report.qrels]
    seen = {
        report.column(label).measure.name: report.column(label).measure.description
        for label in (*report.board, *topic_measures(report))
    }
    return element(
        "footer",
        section(
            "made",
            "How this was made",
            _definitions(facts),
            *[element("h3", "Measures"), _definitions(seen.items())],
        ),
    )


def _definitions(rows: Iterable[tuple[str, Content]]) -> Html:
    return element("dl", *([element("dt", name), element("dd", value)] for name, value in rows))


WORDS = {
    "compat": "Numbers as of trec_eval (--compat)",
    "relevance_level": "Relevant from grade (-l)",
    "max_retrieved": "Documents used per topic (-M)",
    "judged_only": "Only judged documents (-J)",
    "complete": "Missing topics count as 0 (-c)",
    "num_docs_in_coll": "Documents in the collection (-N)",
    "only_topic": "Only topic (-D)",
    "ties": "Equal scores (--ties)",
    "duplicates": "Documents twice (--duplicates)",
}
"""Names of the options of an evaluation on the page; others keep their own."""

WITHOUT = {"max_retrieved": "all", "num_docs_in_coll": "not given", "only_topic": "no, all"}
"""Text for an option that was not given."""


def options_of(report: Report) -> list[tuple[str, str]]:
    """Return every option that changes numbers, with its value."""
    values = [(field.name, getattr(report.options, field.name)) for field in fields(report.options)]
    return [(WORDS.get(name, name.replace("_", " ")), _shown(name, value)) for name, value in values]


def _shown(name: str, value: str | bytes | float | None) -> str:
    if value is None or (name == "num_docs_in_coll" and not value):
        return WITHOUT.get(name, "-")
    return plain_text(value, yes="yes", no="no")
