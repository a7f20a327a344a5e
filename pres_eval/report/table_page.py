"""A page of tables: what an analysis writes to a file in HTML, whole and with a small style of its own."""

from __future__ import annotations

from pres_eval.report.markup import element, raw, whole_page

STYLE = """
body { font: 16px/1.5 system-ui, sans-serif; max-width: 80em; margin: 0 auto; padding: 1em; }
h1 { font-size: 1.3em; margin: .5em 0; }
h2 { font-size: 1.15em; margin: 1.5em 0 .5em; }
p { margin: .25em 0; }
h2, p { white-space: pre-wrap; }
table { border-collapse: collapse; display: block; max-width: 100%; overflow-x: auto; margin: .5em 0; }
th, td { padding: .2em .7em; border-bottom: 1px solid #8886; vertical-align: top; }
pre { line-height: 1.2; overflow-x: auto; }
"""
"""The look of the page: that of the report, in few lines."""

POLICY = "default-src 'none'; img-src data:; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'"
"""What a browser may do with the page: no scripts, nothing fetched; tables align their cells by styles."""


def page_of_tables(tables: str, title: str) -> str:
    """Return a whole page in HTML of tables that are written in HTML already."""
    body = element("body", "\n", element("main", element("h1", title), "\n", raw(tables)), "\n")
    return whole_page(title, POLICY, STYLE, body)
