"""Footer of the page: how the numbers were made."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import fields

from pres_eval.report.compared_tables import INTERVAL_NAMES
from pres_eval.report.markup import Content, Html, element
from pres_eval.report.page.tables import section
from pres_eval.report.report_topics import topic_measures
from pres_eval.report.text import text_of
from pres_eval.report.trec_report import Report
from pres_eval.version import __version__


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
    measures = [element("h3", "Measures"), _definitions(seen.items())]
    return element("footer", section("made", "How this was made", _definitions(facts), *measures))


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
"""What the options of an evaluation are called here; others have their own names."""

WITHOUT = {"max_retrieved": "all", "num_docs_in_coll": "not given", "only_topic": "no, all"}
"""What is shown for an option that was not given."""


def options_of(report: Report) -> list[tuple[str, str]]:
    """Every option that changes numbers, with its value."""
    values = [(field.name, getattr(report.options, field.name)) for field in fields(report.options)]
    return [(WORDS.get(name, name.replace("_", " ")), _shown(name, value)) for name, value in values]


def _shown(name: str, value: object) -> str:
    if isinstance(value, bool):
        return "yes" if value else "no"
    if value is None or (name == "num_docs_in_coll" and not value):
        return WITHOUT.get(name, "-")
    return text_of(value) if isinstance(value, (str, bytes)) else str(value)
