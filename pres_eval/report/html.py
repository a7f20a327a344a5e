r"""The evaluation report as one self-contained page: no network, no library, nothing but text and SVG.

Everything that comes from files is escaped: in HTML by the builder (`report.markup`), in the data for the
script by writing <, > and & as \uNNNN.  A content security policy allows the page's own style and script, by
their hashes, alone.
"""

from __future__ import annotations

import base64
import hashlib
from collections.abc import Iterable, Sequence
from dataclasses import fields
from importlib import resources

from pres_eval import __version__
from pres_eval.errors import plural
from pres_eval.report.compared_tables import INTERVAL_NAMES
from pres_eval.report.markup import Content, Html, element, raw, section, whole_page
from pres_eval.report.page.board import leaderboard, two_runs
from pres_eval.report.page.groups import groups_view
from pres_eval.report.page.packed import page_data
from pres_eval.report.page.runs import distributions, graphs, trec_tables
from pres_eval.report.page.summary import summary, trust_view
from pres_eval.report.page.topics import differences, topic_view, topics
from pres_eval.report.report_numbers import topic_measures
from pres_eval.report.text import plain_text
from pres_eval.report.trec_report import Report, title_of

SCRIPTS = (
    "data.js",
    "drawing.js",
    "plot.js",
    "state.js",
    "tables.js",
    "board.js",
    "pair.js",
    "topic.js",
    "spread.js",
    "take.js",
    "start.js",
)
"""The parts of the page's script, in order."""


PRINTED_ON_ONE_SHEET = "one"
"""Value by which page.css knows the page that is printed on one sheet."""


def as_html(report: Report, *, one_page: bool = False) -> str:
    """Return the whole page; one_page: with the summary and the leaderboard alone, for one sheet of paper."""
    if one_page:
        return _document(report, [*_one_page(report), "\n"], script=None)
    script = '"use strict";\n(() => {\n' + "".join(map(_package_file, SCRIPTS)) + "})();\n"
    content = [*_body(report), *page_data(report), "\n", element("script", raw(script)), "\n"]
    return _document(report, content, script)


def _document(report: Report, content: Sequence[Content], script: str | None) -> str:
    """Return a page with this content, in which no script but this one may run.

    script: its text, which is part of the content; None: the page for one sheet, which has none, and which
        page.css prints in a layout of its own
    """
    style = _package_file("page.css")
    allowed_script = "'none'" if script is None else f"'{_digest(script)}'"
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src {allowed_script};"
        " base-uri 'none'; form-action 'none'"
    )
    body = element("body", "\n", *content)
    printed = PRINTED_ON_ONE_SHEET if script is None else None
    return whole_page(title_of(report), policy, style, body, printed)


def _one_page(report: Report) -> list[Html]:
    """Return the header, the summary, the leaderboard, and a line with the version and the judgements."""
    inputs = f"pres-eval {__version__}; judgements {report.shown_path(report.inputs.qrels.path)}"
    if report.inputs.qrels.sha256:
        inputs += f", SHA-256 {report.inputs.qrels.sha256[:12]}…"
    main = element(
        "main",
        summary(report, links=False),
        leaderboard(report, interactive=False),
        element("p", inputs, class_="dim"),
    )
    return [_header(report, []), main]


def _body(report: Report) -> list[Html]:
    """Return the header, the sections of the page that this report has, and the footer."""
    several_runs = len(report.names) > 1
    # The id of each section, the text of the link to it, and the section.
    parts: list[tuple[str, str, Html]] = [
        ("summary", "In short", summary(report)),
        ("leaderboard", "Leaderboard", leaderboard(report)),
    ]
    if several_runs:
        parts.append(("pair", "Two runs", two_runs(report)))
    parts.append(("topic", "A topic", topic_view(report)))
    if report.inputs.groups is not None:
        parts.append(("groups", "Groups", groups_view(report)))
    parts.append(("trust", "Judgements", trust_view(report)))
    parts.append(("distributions", "Distributions", distributions(report)))
    parts.append(("graphs", "Graphs", graphs(report)))
    if several_runs:
        parts.append(("differences", "Differences", differences(report)))
    parts.append(("topics", "Topics", topics(report)))
    parts.append(("runs", "TREC's tables", trec_tables(report)))
    links: list[tuple[str, str]] = []
    sections: list[Content] = []
    for name, text, content in parts:
        links.append((name, text))
        sections += [content, "\n"]
    links.append(("made", "How this was made"))
    return [_header(report, links), element("main", *sections), _footer(report)]


def _header(report: Report, sections: Sequence[tuple[str, str]]) -> Html:
    """Return the header of the page: title, topics, judgements, and links to the sections, if any.

    sections: id of each, and the text of the link to it
    """
    parts: list[Content] = [element("h1", title_of(report))]
    if report.texts.description:
        parts.append(element("p", report.texts.description))
    qrels = report.shown_path(report.inputs.qrels.path)
    parts.append(element("p", f"{plural(len(report.topics))}, judged in {qrels}", class_="dim"))
    parts.append(_note_on_weights(report))
    if sections:
        parts.insert(0, element("a", "Skip to the table of topics", class_="skip", href="#topics"))
        items = [element("li", element("a", text, href=f"#{name}")) for name, text in sections]
        parts.append(element("nav", element("ul", *items), aria_label="Sections"))
    return element("header", *parts)


def _note_on_weights(report: Report) -> Html | str:
    """Return the paragraph on what uses the weights of topics and what does not; empty without weights."""
    weights = report.inputs.weights
    if weights is None:
        return ""
    return element(
        "p",
        element("strong", "Means are weighted"),
        f" by the weights of topics in {report.shown_path(weights.path)}: averages, intervals, tests,"
        " shares of judged documents, bounds. Geometric means, counts, ROC curves, distributions and the"
        " order with fewer judgements are without weights.",
    )


def _footer(report: Report) -> Html:
    """Return the footer: options, settings of tests, files with digests and their own headers, measures."""
    facts: list[tuple[str, Content]] = [("pres-eval", __version__)]
    facts += options_of(report)
    facts += report.texts.made_with
    pairs = report.compared.pairs
    if pairs is not None:
        settings = pairs.settings
        facts += [
            ("Test (--test)", settings.test),
            ("Correction (--correction)", settings.correction),
            ("Level of significance (--alpha)", f"{settings.alpha:g}"),
            ("Intervals of the means", _kind_of_intervals(report, settings.interval)),
            ("Random choices (--samples, --seed)", f"{settings.samples} samples, seed {settings.seed}"),
        ]
    for file in (report.inputs.qrels, *report.inputs.files):
        digest: Content = "not a file, no SHA-256"
        if file.sha256:
            digest = ["SHA-256 ", element("code", file.sha256)]
        facts.append((report.shown_path(file.path), digest))
        if file is not report.inputs.qrels:
            facts += file.header.items()
    descriptions: dict[str, str] = {}
    for label in (*report.board, *topic_measures(report)):
        measure = report.column(label).measure
        descriptions[measure.name] = measure.description
    return element(
        "footer",
        section(
            "made",
            "How this was made",
            _definitions(facts),
            element("h3", "Measures"),
            _definitions(descriptions.items()),
        ),
    )


def _kind_of_intervals(report: Report, interval: str) -> str:
    """Return the kind of the intervals of means in words.

    If topics differ in weight, t intervals of measures from 0 to 1 are those of the logit.
    """
    weights = report.inputs.weights
    if interval != "t" or weights is None:
        return INTERVAL_NAMES[interval]
    positive_weights = {weights.of[topic] for topic in report.topics if weights.of[topic] > 0}
    if len(positive_weights) < 2:
        return INTERVAL_NAMES[interval]
    return "t; of means from 0 to 1, t of the logit"


def _definitions(rows: Iterable[tuple[str, Content]]) -> Html:
    """Return a list of definitions: names, and the value or the meaning of each."""
    parts: list[Html] = []
    for name, value in rows:
        parts += [element("dt", name), element("dd", value)]
    return element("dl", *parts)


NAMES_OF_OPTIONS = {
    "compat": "Numbers as of trec_eval (--compat)",
    "relevance_level": "Relevant from grade (-l)",
    "max_retrieved": "Documents used per topic (-M)",
    "judged_only": "Only judged documents (-J)",
    "complete": "Missing topics count as 0 (-c)",
    "num_docs_in_coll": "Documents in the collection (-N)",
    "only_topic": "Only topic (-D)",
    "ties": "Equal scores (--ties)",
    "duplicates": "Documents twice (--duplicates)",
    "empty": "Topics without relevant documents (--empty)",
}
"""Names of the options of an evaluation on the page; others keep their own."""

TEXT_IF_NOT_GIVEN = {"max_retrieved": "all", "num_docs_in_coll": "not given", "only_topic": "no, all"}
"""Text for an option that was not given; for others it is `-`."""


def options_of(report: Report) -> list[tuple[str, str]]:
    """Return every option that changes numbers, with its value."""
    named_values = []
    for option in fields(report.options):
        name = NAMES_OF_OPTIONS.get(option.name, option.name.replace("_", " "))
        named_values.append((name, _option_text(option.name, getattr(report.options, option.name))))
    return named_values


def _option_text(name: str, value: str | bytes | float | None) -> str:
    """Return the value of an option of an evaluation as the page shows it."""
    is_given = value is not None
    if name == "num_docs_in_coll" and value == 0:  # 0: the collection's size is not known
        is_given = False
    if not is_given:
        return TEXT_IF_NOT_GIVEN.get(name, "-")
    return plain_text(value, yes="yes", no="no")


def _package_file(name: str) -> str:
    """Return the text of a file of the page, a script or the style, which is in the package."""
    return resources.files("pres_eval.report.page").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    """Return the SHA-256 of a script or a style as a content security policy has it."""
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()
