"""A small builder of HTML and SVG: text is escaped because it is text, and only elements are not."""

from __future__ import annotations

from collections.abc import Iterable
from html import escape

VOID = frozenset({"meta", "link", "br", "input", "hr"})


class Html(str):
    """Text that is HTML already; made by `element`, or by `raw` of what the package itself wrote."""

    __slots__ = ()


Content = str | Iterable[str]


def raw(text: str) -> Html:
    """Return text of our own that is HTML as it is: never anything that came from a file."""
    return Html(text)


def content_of(parts: Iterable[Content]) -> Html:
    """Return the parts one after the other, escaped where they are no HTML."""
    return Html("".join(_piece(part) for part in parts))


def _piece(part: Content) -> str:
    if isinstance(part, Html):
        return part
    return escape(part) if isinstance(part, str) else content_of(part)


def element(name: str, /, *parts: Content, **attributes: str | float | bool | None) -> Html:
    """Return an element with its content.

    Attributes: `class_` is class, `data_run` is data-run; True gives the bare name, None and False nothing.
    """
    opening = name
    for key, value in attributes.items():
        if value is None or value is False:
            continue
        attribute = key.rstrip("_").replace("_", "-")
        opening += f" {attribute}" if value is True else f' {attribute}="{escape(str(value))}"'
    return Html(f"<{opening}>" if name in VOID else f"<{opening}>{content_of(parts)}</{name}>")
