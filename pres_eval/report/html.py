r"""The evaluation report as one self-contained page: no network, no library, nothing but text and SVG.

Everything that comes from files is escaped: in HTML by the builder (`report.markup`), in the data for the
script by writing <, > and & as \uNNNN.  A content security policy allows the page's own style and script, by
their hashes, alone.
"""

from __future__ import annotations

import base64
import hashlib
from importlib import resources

from pres_eval.report.markup import Html, element, raw
from pres_eval.report.page.board import leaderboard, pair
from pres_eval.report.page.groups import groups_view
from pres_eval.report.page.header import footer, header
from pres_eval.report.page.packed import page_data
from pres_eval.report.page.runs import distributions, graphs, trec_tables
from pres_eval.report.page.summary import summary, trust_view
from pres_eval.report.page.topics import differences, topic_view, topics
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


def as_html(report: Report) -> str:
    """Return the whole page."""
    style = _package_file("page.css")
    script = '"use strict";\n(() => {\n' + "".join(map(_package_file, SCRIPTS)) + "})();\n"
    policy = (
        f"default-src 'none'; img-src data:; style-src '{_digest(style)}'; script-src '{_digest(script)}';"
        " base-uri 'none'; form-action 'none'"
    )
    head = element(
        "head",
        "\n",
        element("meta", charset="utf-8"),
        "\n",
        element("meta", http_equiv="Content-Security-Policy", content=policy),
        "\n",
        element("meta", name="viewport", content="width=device-width, initial-scale=1"),
        element("meta", name="color-scheme", content="light dark"),
        element("link", rel="icon", href="data:,"),
        element("title", title_of(report)),
        element("style", raw(style)),
        "\n",
    )
    body = element(
        "body", "\n", *_body(report), *page_data(report), "\n", element("script", raw(script)), "\n"
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en')}\n"


def _body(report: Report) -> list[Html]:
    """Return the parts of the page that this report has."""
    several = len(report.names) > 1
    parts = [
        ("summary", "In short", summary),
        ("leaderboard", "Leaderboard", leaderboard),
        *([("pair", "Two runs", pair)] if several else []),
        ("topic", "A topic", topic_view),
        *([("groups", "Groups", groups_view)] if report.groups is not None else []),
        ("trust", "Judgements", trust_view),
        ("distributions", "Distributions", distributions),
        ("graphs", "Graphs", graphs),
        *([("differences", "Differences", differences)] if several else []),
        ("topics", "Topics", topics),
        ("runs", "TREC's tables", trec_tables),
    ]
    links = [(name, text) for name, text, _ in parts]
    main = element("main", *(made for _, _, make in parts for made in (make(report), "\n")))
    return [header(report, [*links, ("made", "How this was made")]), main, footer(report)]


def _package_file(name: str) -> str:
    return resources.files("pres_eval.report.page").joinpath(name).read_text(encoding="utf-8")


def _digest(text: str) -> str:
    return "sha256-" + base64.b64encode(hashlib.sha256(text.encode("utf-8")).digest()).decode()
