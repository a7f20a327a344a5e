"""Tables of finished cells, and how they are written: for a terminal, in Markdown, in LaTeX."""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, replace

LATEX, MARKDOWN = "latex", "markdown"
"""Styles of ours; all others are tabulate's."""


@dataclass(frozen=True)
class Grid:
    """A table of finished cells.

    left   how many columns, from the first, are text: they stay to the left, and in each part of a table that
           is too wide
    title  the line above it, if any
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    left: int = 1


def escaped(text: str, style: str) -> str:
    """Text with the signs escaped that mean something in the style."""
    if style == LATEX:
        return _latex(text)
    return _markdown(text) if style == MARKDOWN else text


_MARKDOWN = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])")


def _markdown(text: str) -> str:
    return _MARKDOWN.sub(lambda found: "\\" + found[0], text).replace("&", "&amp;").replace("<", "&lt;")


_LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"},
    **{"τ": r"$\tau$", "ρ": r"$\rho$", "Σ": r"$\Sigma$", "≠": r"$\neq$", "Δ": r"$\Delta$", "≥": r"$\geq$"},
    **{"β": r"$\beta$", "α": r"$\alpha$", "×": r"$\times$", "≤": r"$\leq$", "′": r"$'$", "·": r"$\cdot$"},
}


def _latex(text: str) -> str:
    return "".join(_LATEX.get(sign, sign) for sign in text)


def transposed(grid: Grid, corner: str) -> Grid:
    """The grid with its rows as columns; `corner` is the heading of the new first column."""
    columns = list(zip(*(row[1:] for row in grid.rows), strict=True)) if grid.rows else []
    rows = tuple((label, *cells) for label, cells in zip(grid.header[1:], columns, strict=False))
    return replace(grid, header=(corner, *(row[0] for row in grid.rows)), rows=rows)


def fits(grid: Grid, style: str, width: int | None) -> bool:
    """Whether no line is longer than `width`, None being any."""
    if width is None:
        return True
    text = written(replace(grid, title=""), style)
    return max(map(len, text.splitlines()), default=0) <= width


def folded(grid: Grid, style: str, width: int | None) -> list[Grid]:
    """The grid, or several with some of its columns each where lines would be longer than `width`."""
    if width is None or fits(grid, style, width):
        return [grid]
    pieces: list[Grid] = []
    start, left = grid.left, grid.left
    while start < len(grid.header):
        stop = start + 1
        while stop < len(grid.header) and fits(_columns(grid, left, start, stop + 1), style, width):
            stop += 1
        pieces.append(_columns(grid, left, start, stop))
        start = stop
    return pieces


def _columns(grid: Grid, left: int, start: int, stop: int) -> Grid:
    return replace(
        grid,
        header=(*grid.header[:left], *grid.header[start:stop]),
        rows=tuple((*row[:left], *row[start:stop]) for row in grid.rows),
    )


def written(grid: Grid, style: str) -> str:
    """The grid as text, with its title above it.  Its cells have been escaped, its title has not."""
    if style == LATEX:
        return _latex_tabular(grid)
    from tabulate import tabulate

    text = tabulate(
        [list(row) for row in grid.rows],
        headers=list(grid.header),
        tablefmt="pipe" if style == MARKDOWN else style,
        # It would turn topic 1e5 into 100000 and 0.5000 into 0.5.
        disable_numparse=True,
        colalign=_alignments(grid) if grid.rows else None,
    )
    text = "".join(f"{line.rstrip()}\n" for line in text.splitlines())
    return f"{escaped(grid.title, style)}\n\n{text}" if grid.title else text


def _alignments(grid: Grid) -> Sequence[str]:
    return ["left"] * grid.left + ["right"] * (len(grid.header) - grid.left)


def _latex_tabular(grid: Grid) -> str:
    """The grid for the package booktabs, its title as a comment."""
    columns = "".join(side[0] for side in _alignments(grid))
    lines = [f"% {grid.title}"] if grid.title else []
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule", " & ".join(grid.header) + r" \\", r"\midrule"]
    lines += [" & ".join(row) + r" \\" for row in grid.rows]
    return "".join(f"{line}\n" for line in [*lines, r"\bottomrule", r"\end{tabular}"])


def notes_text(notes: Sequence[str], style: str) -> str:
    """The lines below a table, which have been escaped."""
    if style == LATEX:
        return "".join(f"\\par{{\\footnotesize {note}\\par}}\n" for note in notes)
    return "".join(f"{note}  \n" if style == MARKDOWN else f"{note}\n" for note in notes)
