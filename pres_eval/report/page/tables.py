"""Tables of the page, and what is around them."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from pres_eval.report.markup import Content, Html, element, raw

Cell = str | Html
"""Text, or a whole <td>."""


def table(
    caption: Content,
    header: Sequence[str],
    rows: Iterable[Sequence[Cell]],
    *,
    text_columns: int = 1,
    sortable: bool = False,
    name: str | None = None,
) -> Html:
    """A table whose first `text_columns` columns are text, the others numbers; rows begin with a heading."""
    kinds = [None if column < text_columns else "n" for column in range(len(header))]
    # A heading without words would be read out as one: the corner above row headings is a plain cell.
    heads = [
        element("th", element("button", text, type="button") if sortable else text, scope="col", class_=kind)
        if text
        else element("td")
        for text, kind in zip(header, kinds, strict=True)
    ]
    lines = [
        element(
            "tr",
            element("th", row[0], scope="row"),
            *(
                cell
                if cell.startswith("<td") and isinstance(cell, Html)
                else element("td", cell, class_=kind)
                for cell, kind in zip(row[1:], kinds[1:], strict=True)
            ),
        )
        for row in rows
    ]
    head = element("thead", element("tr", *heads))
    return element(
        "table",
        element("caption", caption),
        head,
        element("tbody", raw("\n" + "\n".join(lines) + "\n")),
        id=name,
    )


def scrolling(label: str, content: Html, *, tall: bool = False) -> Html:
    """A table in a frame of its own that scrolls where the page is too narrow for it."""
    return element(
        "div",
        content,
        class_="scroll tall" if tall else "scroll",
        role="region",
        tabindex="0",
        aria_label=label,
    )


def section(name: str, heading: str, *content: Content) -> Html:
    """A part of the page with its heading."""
    return element("section", element("h2", heading), *content, id=name, aria_label=heading)


def figure(title: str, words: Content, picture: Content) -> Html:
    """A picture with what it shows above it."""
    caption = element("figcaption", element("strong", title), element("br"), words)
    return element("figure", caption, picture)
