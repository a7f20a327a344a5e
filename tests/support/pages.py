"""A section of a page of the report as lines of text, for transcripts."""

from __future__ import annotations

from html.parser import HTMLParser
from pathlib import Path

BLOCKS = ("p", "li", "tr", "caption", "h1", "h2", "h3", "dt", "dd", "summary", "figcaption", "title", "text")
"""Elements that are a line of their own."""

CELLS = ("td", "th")


def print_section(path: str, name: str, pictures: bool = True) -> None:
    """Print the text of a section of the page at a path, or of its `header`: a line for each block.

    Cells are apart by `|`, a cell or line of class "best" is marked, and links show where they lead to.
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
            self._line += f"<{attributes['href']}>"

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
