"""A page of the report as text, for transcripts: its sections, and the data of its script."""

from __future__ import annotations

import base64
import json
import re
import zlib
from html.parser import HTMLParser
from pathlib import Path
from typing import Any

import numpy as np

BLOCKS = ("p", "li", "tr", "caption", "h1", "h2", "h3", "dt", "dd", "summary", "figcaption", "title", "text")
"""Elements that are a line of their own."""

CELLS = ("td", "th")


def print_section(path: str, name: str, pictures: bool = True) -> None:
    """Print the text of a section of the page at a path, or of its `header`: a line for each block.

    Cells are apart by `|`, a cell or line of class "best" is marked, and links show where they lead to;
    attributes that the script uses stand in braces.
    name      id of the section
    pictures  whether the texts of pictures are shown
    """
    reader = _SectionReader(name, pictures)
    reader.feed(Path(path).read_text(encoding="utf-8"))
    reader.end_line()
    for line in reader.lines:
        print(line)


class _SectionReader(HTMLParser):
    """Collects the lines of one section."""

    def __init__(self, name: str, pictures: bool) -> None:
        super().__init__()
        self.lines: list[str] = []
        self._name, self._pictures = name, pictures
        self._line = ""
        self._depth = 0  # of sections and headers inside of ours; 0: outside
        self._in_picture = 0

    def handle_starttag(self, tag: str, attrs: list[tuple[str, str | None]]) -> None:
        attributes = dict(attrs)
        if tag in ("section", "header", "footer"):
            is_ours = self._name in (attributes.get("id"), tag)
            if self._depth or is_ours:
                self._depth += 1
        if not self._depth:
            return
        if tag == "svg":
            self._in_picture += 1
        if tag in BLOCKS:
            self.end_line()
        if tag in CELLS and self._line:
            self._line += " | "
        if "best" in (attributes.get("class") or "").split():
            self._line += "[best] "
        if tag == "a" and (attributes.get("href") or "").startswith("#"):
            self._line += f"<{attributes['href']} {attributes.get('data-choice') or ''}".rstrip() + ">"
        shown = [f"{name}={value}" for name, value in attrs if self._is_shown(tag, name)]
        if shown and not self._in_picture:
            self._line += f"{{{' '.join(shown)}}}"

    @staticmethod
    def _is_shown(tag: str, name: str) -> bool:
        """Whether an attribute is shown: data of the script but for cells, and ids of fields."""
        is_id_of_field = name == "id" and tag in ("input", "select")
        return is_id_of_field or (name.startswith("data-") and name not in ("data-choice", "data-board"))

    def handle_endtag(self, tag: str) -> None:
        if not self._depth:
            return
        if tag in BLOCKS:
            self.end_line()
        if tag == "svg":
            self._in_picture -= 1
        if tag in ("section", "header", "footer"):
            self._depth -= 1

    def handle_data(self, data: str) -> None:
        if self._depth and (self._pictures or not self._in_picture):
            self._line += data

    def end_line(self) -> None:
        """Add the line to the others, unless it is empty."""
        text = " ".join(self._line.split())
        if text:
            self.lines.append(text)
        self._line = ""


def page_data(path: str) -> dict[str, Any]:
    """Return the data of the page's script, with the arrays of its block as lists, lines of text as such."""
    page = Path(path).read_text(encoding="utf-8")

    def text_of(name: str) -> str:
        match = re.search(rf'<script[^>]* id="{name}">(.*?)</script>', page, re.DOTALL)
        assert match is not None, name
        return match[1]

    data: dict[str, Any] = json.loads(text_of("data"))
    block = zlib.decompress(base64.b64decode(text_of("block")))
    for name, (kind, start, count) in data.pop("contents").items():
        numbers = np.frombuffer(block, np.dtype(kind), count, start)
        data[name] = f"{kind} {numbers.tolist()}"
        if name in ("docnos", "titles"):
            data[name] = numbers.tobytes().decode().split("\n")
    return data
