"""Pictures of a terminal: what commands print, in 50 columns, so that a phone can show them."""

from __future__ import annotations

import re
import textwrap
from collections.abc import Iterator

from pres_eval.report.markup import Html, element, raw

_MARK = re.compile(r"^<!-- terminal: (\S+\.svg)\n(.*?)^-->$", re.MULTILINE | re.DOTALL)
COLUMNS = 50
LETTER, LINE, SIZE, MARGIN = 8.4, 20, 14, 16
STYLE = (
    f"text{{font:{SIZE}px ui-monospace,'DejaVu Sans Mono',Menlo,Consolas,monospace;fill:#1b1f24}}"
    ".page{fill:#f6f8fa;stroke:#8c959f}.command{font-weight:600;fill:#0b57b0}"
    ".error{fill:#b3261e;font-weight:600}.warning{fill:#8a5000;font-weight:600}"
    "@media(prefers-color-scheme:dark){text{fill:#e6edf3}.page{fill:#161b22;stroke:#6e7681}"
    ".command{fill:#86acf3}.error{fill:#ff9a92}.warning{fill:#f0b35a}}"
)


def marks(text: str) -> list[tuple[str, str]]:
    """Return the names of the pictures that the comments of a page ask for, with their commands."""
    return _MARK.findall(text)


def commands_run(content: str) -> tuple[str, int]:
    """Return the commands of a mark as a console block, and how many of them prepare files and are not shown.

    Those begin with `+ ` and come first.
    """
    lines = content.splitlines()
    hidden = sum(line.startswith("+ ") for line in lines)
    return "".join(f"$ {line[2:]}\n" for line in lines), hidden


def terminal(output: str, hidden: int = 0) -> str:
    """Return the SVG picture of a console block, without its first `hidden` commands."""
    lines = [line for each in _shown(output, hidden) for line in _folded(each)]
    height = 2 * MARGIN + LINE * len(lines) - LINE // 4
    width = round(2 * MARGIN + LETTER * COLUMNS)
    rows = (part for place, line in enumerate(lines) for part in ("\n", _row(place, *line)))
    picture = element(
        "svg",
        element("style", raw(STYLE)),
        element("rect", class_="page", x=0.5, y=0.5, width=width - 1, height=height - 1, rx=8),
        *rows,
        "\n",
        xmlns="http://www.w3.org/2000/svg",
        viewBox=f"0 0 {width} {height}",
        width=width,
        height=height,
        role="img",
    )
    return f"{picture}\n"


def _shown(output: str, hidden: int) -> list[str]:
    """Return the lines of a console block from its command number `hidden` on, counted from 0."""
    lines = output.expandtabs().splitlines()
    starts = [place for place, line in enumerate(lines) if line.startswith("$ ")]
    return lines[starts[hidden] :]


def _folded(line: str) -> Iterator[tuple[str, str]]:
    """Yield a line in pieces of at most COLUMNS letters, each with the class of its colour."""
    found = re.match(r"\s*(error|warning)\b", line)
    kind = "command" if line.startswith("$ ") else found[1] if found else ""
    indent = " " * (len(line) - len(line.lstrip()) + 2)
    for piece in textwrap.wrap(line, COLUMNS, subsequent_indent=indent, drop_whitespace=True) or [""]:
        yield piece, kind


def _row(place: int, text: str, kind: str) -> Html:
    """Return one line of the terminal. textLength and no-break spaces keep columns aligned in any font."""
    y = MARGIN + LINE * place + SIZE
    length = round(LETTER * len(text), 1)
    if not text:
        return raw("")
    kept = text.replace(" ", "\N{NO-BREAK SPACE}")
    return element("text", kept, class_=kind or None, x=MARGIN, y=y, textLength=length)
