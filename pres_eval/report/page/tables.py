"""Tables of the page, and what is around them."""

from __future__ import annotations

from collections.abc import Collection, Iterable, Sequence

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
    falling: Collection[str] = (),
) -> Html:
    """A table whose first `text_columns` columns are text, the others numbers; rows begin with a heading.

    Columns named in `falling` are sorted with the lowest number first.
    """
    kinds = [None if column < text_columns else "n" for column in range(len(header))]
    # A heading without words would be read out as one: the corner above row headings is a plain cell.
    heads = [
        element(
            "th",
            element("button", text, type="button") if sortable else text,
            scope="col",
            class_=kind,
            data_falling=text in falling,
        )
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


MANY_ROWS = 200
"""A longer table is laid out when it comes into view."""


def scrolling(label: str, content: Html, *, rows: int = 0) -> Html:
    """A table in a frame of its own that scrolls where the page is too narrow for it.

    rows: how many it has, if they may be too many for a window
    """
    return element(
        "div",
        content,
        class_="scroll" + " tall" * (rows > 0) + " many" * (rows > MANY_ROWS),
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


def controls(*selects: tuple[str, str]) -> Html:
    """Choices that the script fills; without it they are not there."""
    labels = [
        element("label", f"{text} ", element("select", id=name, autocomplete="off")) for name, text in selects
    ]
    return element("div", *labels, class_="controls", hidden=True)
