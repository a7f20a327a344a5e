"""HTML and SVG: elements, with their text escaped; tables, sections and figures made of elements."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterable, Sequence
from html import escape
from urllib.parse import urlencode

from pres_eval.report.text import printable_in_pages

VOID = frozenset({"meta", "link", "br", "wbr", "input", "hr"})
"""Elements of HTML that have neither content nor an end tag."""


class Html(str):
    """Text that is HTML already; made by `element`, or by `raw` of what the package itself wrote."""

    __slots__ = ()


Content = str | Iterable[str]
"""Content of an element: text, HTML, or several of these one after the other."""


def raw(text: str) -> Html:
    """Return text of our own that is HTML as it is: never anything that came from a file."""
    return Html(text)


def content_of(parts: Iterable[Content]) -> Html:
    """Return the parts one after the other, escaped where they are no HTML."""
    return Html("".join(_piece(part) for part in parts))


def _piece(part: Content) -> str:
    """Return a part as HTML: text escaped, HTML as it is."""
    if isinstance(part, Html):
        return part
    if isinstance(part, str):
        return escaped(part)
    return content_of(part)


def escaped(text: str) -> str:
    """Return text as HTML and SVG take it."""
    return escape(printable_in_pages(text))


def whole_page(title: str, policy: str, style: str, body: Html, data_print: str | None = None) -> str:
    """Return a whole page in HTML, with its head.

    policy      content security policy: what a browser may do with the page
    style       CSS
    data_print  attribute of the page by which its style prints it in another layout; None: it has none
    """
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
        element("title", title),
        element("style", raw(style)),
        "\n",
    )
    return f"<!DOCTYPE html>\n{element('html', head, body, lang='en', data_print=data_print)}\n"


def element(name: str, /, *parts: Content, **attributes: str | float | bool | None) -> Html:
    """Return an element with its content, escaped where it is no HTML.

    Attributes: `class_` is class, `data_run` is data-run; True gives the bare name, None and False nothing.
    """
    opening = name
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        opening += f" {attribute}" if value is True else f' {attribute}="{escaped(str(value))}"'
    return Html(f"<{opening}>" if name in VOID else f"<{opening}>{content_of(parts)}</{name}>")


Cell = str | Html
"""Content of a cell of a table: text, HTML, or a whole <td> with attributes of its own."""


def table(
    caption: Content,
    header: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    text_columns: int = 1,
    sortable: bool = False,
    name: str | None = None,
    falling: Collection[str] = (),
) -> Html:
    """Return a table whose first `text_columns` columns are text, the others numbers.

    header: headings of the columns; rows: their first cell is the heading of the row
    sortable: whether headings are buttons, by which the script sorts; name: the id of the table
    falling: headings of columns that the script sorts with the lowest number first
    """
    # The class of the cells of each column: "n" aligns numbers to the right.
    classes = [None if column < text_columns else "n" for column in range(len(header))]
    headings = []
    for text, class_of_column in zip(header, classes, strict=True):
        headings.append(_heading(text, class_of_column, sortable=sortable, falling=text in falling))
    lines = []
    for first, *cells in rows:
        parts = [element("th", first, scope="row")]
        for cell, class_of_column in zip(cells, classes[1:], strict=True):
            if isinstance(cell, Html) and cell.startswith("<td"):
                parts.append(cell)
            else:
                parts.append(element("td", cell, class_=class_of_column))
        lines.append(element("tr", *parts))
    return element(
        "table",
        element("caption", caption),
        element("thead", element("tr", *headings)),
        element("tbody", raw("\n" + "\n".join(lines) + "\n")),
        id=name,
    )


def _heading(text: str, kind: str | None, *, sortable: bool, falling: bool) -> Html:
    """Return the heading of a column; an empty one is a plain cell, which screen readers do not announce.

    kind: class of the column, for page.css; sortable, falling: as for `table`, of this column
    """
    if not text:
        return element("td")
    words: list[Content] = breakable(text)
    if sortable:
        words = [element("button", *words, type="button")]
    return element("th", *words, scope="col", class_=kind, data_falling=falling)


def breakable(text: str) -> list[Content]:
    """Return a label that a narrow column may break behind each `_`.

    >>> "".join(breakable("num_rel_ret"))
    'num_<wbr>rel_<wbr>ret'
    """
    first, *further = text.split("_")
    parts: list[Content] = [first]
    for part in further:
        parts[-1] = f"{parts[-1]}_"
        parts += [element("wbr"), part]
    return parts


MANY_ROWS = 200
"""Rows of a table above which browsers lay it out when it comes into view, not before."""


def scrolling(label: str, content: Html, *, rows: int = 0, kind: str = "scroll") -> Html:
    """Return a table or chart in a frame of its own that scrolls where the page is too narrow for it.

    label: for screen readers; kind: class of the frame, for page.css
    rows: of a table; above 0 the frame is no higher than a window, and scrolls
    """
    if rows > 0:
        kind += " tall"
    if rows > MANY_ROWS:
        kind += " many"
    return element("div", content, class_=kind, role="region", tabindex="0", aria_label=label)


def link(section: str, text: Content, **choice: str) -> Html:
    """Return a link to a section of the page.

    choice: what the script chooses there when the link is followed, such as run="bm25"
    """
    return element("a", text, href=f"#{section}", data_choice=urlencode(choice))


def detail(*content: Content) -> Html:
    """Return a part of a sentence that points to another part of the page; `without_links` removes it."""
    return element("span", *content, class_="detail")


def without_links(content: Content) -> Html:
    """Return content without `detail` parts and with links as plain text, for a page that has no sections."""
    text = re.sub('<span class="detail">.*?</span>', "", content_of([content]))
    return Html(re.sub("</?a(?: [^>]*)?>", "", text))


def section(name: str, heading: str, *content: Content) -> Html:
    """Return a part of the page with its heading."""
    return element("section", element("h2", heading), *content, id=name, aria_label=heading)


def figure(title: str, words: Content, picture: Content) -> Html:
    """Return a picture with a caption above it: its title, and below that what it shows, in words."""
    return element("figure", element("figcaption", element("strong", title), element("br"), words), picture)


def controls(*selects: tuple[str, str], field: Content = "") -> Html:
    """Return lists to choose from and a field beside them, hidden until the script fills the lists.

    selects: id and label of each list
    """
    labels = []
    for name, text in selects:
        labels.append(element("label", f"{text} ", element("select", id=name, autocomplete="off")))
    return element("div", *labels, field, class_="controls", hidden=True)
