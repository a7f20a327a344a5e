"""Tables of finished cells, and how they are written: for a terminal, in Markdown, in LaTeX.

It is the last step of a `Table` of `report.layout` on its way to text.
"""

from __future__ import annotations

import csv
import io
import re
import textwrap
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace

from pres_eval.errors import UsageError, did_you_mean
from pres_eval.records import dataclass
from pres_eval.report.text import printable

LATEX, MARKDOWN = "latex", "markdown"
"""Styles of ours; all others are tabulate's."""

HTML = "html"
"""The style of tabulate's for pages; it escapes the cells itself."""

BARE = ("simple", "plain")
"""Styles of tabulate's without lines between columns, where a text may go on to the end of the line."""

ROWS_WITHOUT_TABULATE = 4096
"""Rows from which on tables in such a style are written without tabulate, which takes 15 µs a row."""

LEAST_TEXT_WIDTH = 20
"""Letters of a line that a text behind a name needs; where there is less it goes on below the name."""


@dataclass(frozen=True)
class Grid:
    """A table of finished cells.

    left   how many columns, from the first, are text: they stay to the left, and in each part of a table that
           is too wide
    title  the line above it, if any
    apart  rows of a name and a text that takes the place of all cells: runs that could not be evaluated
    fit    whether LaTeX makes it as narrow as a column, however small its letters become
    headed whether LaTeX prints the title, too, as the heading of a paragraph
    """

    header: tuple[str, ...]
    rows: tuple[tuple[str, ...], ...]
    title: str = ""
    left: int = 1
    apart: tuple[tuple[str, str], ...] = ()
    fit: bool = False
    headed: bool = False


def escaped(text: str, style: str) -> str:
    """Return text as a cell, heading or note of a style has it, without what commands a terminal.

    LaTeX and Markdown read some signs as markup: these are escaped.  HTML is escaped where it is written.
    """
    text = printable(text)
    if style == LATEX:
        return "".join(_LATEX.get(sign, sign) for sign in text)
    if style == MARKDOWN:
        text = _MARKDOWN.sub(lambda match: "\\" + match[0], text)
        text = text.replace("&", "&amp;").replace("<", "&lt;")
        return _LINKED.sub(lambda match: f"{match[0]}{ZERO_WIDTH_SPACE}", text)
    return text


_MARKDOWN = re.compile(r"[\\`*\[\]|~]|(?<![^\W_])_|_(?![^\W_])")
"""Signs that Markdown reads as markup; an underscore only at the beginning or the end of a word."""

_LINKED = re.compile(
    r"@(?=\w)|#(?=\d)|:(?=//)"
    r"|(?<![a-z0-9])(GH-(?=\d)|www(?=\.)|(?=[0-9]*[a-f])[0-9a-f]{3}(?=[0-9a-f]{4,37}(?![a-z0-9])))",
    re.IGNORECASE,
)
"""Beginnings of what GitHub makes a mention or a link, whatever signs are escaped: @name, #1, GH-1, an
address, and a commit (7 to 40 hexadecimal digits; not of digits alone, as topics of MS MARCO are)."""

ZERO_WIDTH_SPACE = "&#8203;"
"""Put behind such a beginning, it keeps it apart from the rest: nobody is mentioned, nothing is linked."""

_LATEX = {
    **{sign: f"\\{sign}" for sign in "&%$#_{}"},
    **{"\\": r"\textbackslash{}", "~": r"\textasciitilde{}", "^": r"\textasciicircum{}"},
    **{"<": r"\textless{}", ">": r"\textgreater{}", "|": r"\textbar{}"},
    **{
        "τ": r"$\tau$",
        "ρ": r"$\rho$",
        "Σ": r"$\Sigma$",
        "Π": r"$\Pi$",
        "≠": r"$\neq$",
        "Δ": r"$\Delta$",
        "≥": r"$\geq$",
    },
    "…": r"\ldots{}",
    **{"β": r"$\beta$", "α": r"$\alpha$", "×": r"$\times$", "≤": r"$\leq$", "′": r"$'$", "·": r"$\cdot$"},
}
"""Commands of LaTeX for signs that it reads as commands, and for those that its fonts for text lack."""


def styles() -> list[str]:
    """Return the values of --style: tabulate's styles, except that which does not escape HTML."""
    from tabulate import tabulate_formats

    return [style for style in tabulate_formats if style != "unsafehtml"]


def check_style(style: str) -> None:
    """Raise UsageError for a table style that does not exist."""
    if style not in styles():
        hint = did_you_mean(style, styles(), f"expected one of {', '.join(styles())}")
        raise UsageError(f"--style {style}: not a table style; {hint}")


STARTS_FORMULA = re.compile("[=+\\-@'\t\r＝＋－＠]")
"""First character of a text that a spreadsheet takes for a formula; also the apostrophe of `guarded`."""


def guarded(text: str) -> str:
    """Return text for a spreadsheet: if it would start a formula (`= + - @`), with an apostrophe in front.

    Text that starts with an apostrophe gets another one, so that removing one always gives the text back.
    Numbers of the evaluation never pass through here: -0.5 stays a number.
    """
    text = printable(text)
    return f"'{text}" if STARTS_FORMULA.match(text) else text


def separated(rows: Iterable[Sequence[str]], delimiter: str) -> str:
    """Return rows as lines of CSV, cells separated by the delimiter and quoted where they need it."""
    output = io.StringIO()
    csv.writer(output, delimiter=delimiter, lineterminator="\n").writerows(rows)
    return output.getvalue()


def fits(grid: Grid, style: str, width: int | None) -> bool:
    """Return whether no line of the table is longer than `width`; None: any width.

    Its title and the rows of `apart` do not count: several narrower tables would not make these shorter.
    """
    if width is None:
        return True
    text = written(replace(grid, title="", apart=()), style)
    return max(map(len, text.splitlines()), default=0) <= width


def pieces(grid: Grid, style: str, width: int | None) -> Iterator[str]:
    """Yield the text of the grid; if its lines are longer than `width`, as several tables.

    Each has the first `left` columns and as many of the others as fit, at least one; the last has `apart`.
    """
    if width is None or fits(grid, style, width):
        yield written(grid, style, width)
        return
    start, left = grid.left, grid.left
    while start < len(grid.header):
        stop = start + 1
        while stop < len(grid.header) and fits(_columns(grid, left, start, stop + 1), style, width):
            stop += 1
        piece = _columns(grid, left, start, stop)
        is_last = stop == len(grid.header)
        if not is_last:
            piece = replace(piece, apart=())
        yield written(piece, style, width)
        start = stop


def _columns(grid: Grid, left: int, start: int, stop: int) -> Grid:
    """Return the grid with its first `left` columns and the columns start, …, stop - 1."""
    return replace(
        grid,
        header=(*grid.header[:left], *grid.header[start:stop]),
        rows=tuple((*row[:left], *row[start:stop]) for row in grid.rows),
    )


def written(grid: Grid, style: str, width: int | None = None) -> str:
    """Return the grid as text, with its title above it.  Its cells have been escaped, its title has not.

    width: characters at which the lines of `apart` are broken; None: any number.  No other line is broken.
    """
    if style == LATEX:
        return _latex_tabular(grid)
    # In these styles the rows of `apart` come below the table; in others they are rows of it.
    apart_is_below = style in (*BARE, MARKDOWN)
    rows = list(grid.rows)
    if not apart_is_below:
        rows += _as_cells(grid)
    is_long = style in BARE and len(rows) >= ROWS_WITHOUT_TABULATE
    if is_long and all("".join(row).isascii() for row in rows):
        # The same lines as tabulate's, whose widths of other characters than ASCII are not known here.
        lines = _bare_lines(grid.header, rows, grid.left, ruled=style == "simple")
    else:
        from tabulate import tabulate

        text = tabulate(
            [list(row) for row in rows],
            headers=list(grid.header),
            tablefmt="pipe" if style == MARKDOWN else style,
            # It would turn topic 1e5 into 100000 and 0.5000 into 0.5.
            disable_numparse=True,
            colalign=_alignments(grid) if rows else None,
        )
        lines = text.splitlines()
    text = "".join(f"{line.rstrip()}\n" for line in lines)
    if style == MARKDOWN:
        text += "".join(f"| {' | '.join(cells)} |\n" for cells in _as_cells(grid))
    elif apart_is_below and grid.apart:
        text += "".join(f"{line}\n" for line in _apart_lines(grid, width))
    if not grid.title:
        return text
    if style == HTML:
        from pres_eval.report.markup import element

        return f"{element('h2', grid.title)}\n\n{text}"
    return f"{escaped(grid.title, style)}\n\n{text}"


def _bare_lines(header: Sequence[str], rows: Sequence[Sequence[str]], left: int, *, ruled: bool) -> list[str]:
    """Return the lines of a table of ASCII whose first `left` columns are text.

    ruled: whether there is a line of hyphens below the headings
    """
    stripped_rows = [[cell.strip() for cell in row] for row in rows]
    fields, rules = [], []
    for number, column in enumerate(zip(*stripped_rows, strict=True)):
        width = max(len(header[number]) + 2, *map(len, column))  # two blanks more: as tabulate has it
        side = "<" if number < left else ">"
        fields.append(f"{{:{side}{width}}}")
        rules.append("-" * width)
    line_of = "  ".join(fields).format
    lines = [line_of(*header)]
    if ruled:
        lines.append(line_of(*rules))
    for row in stripped_rows:
        lines.append(line_of(*row))
    return lines


def _as_cells(grid: Grid) -> list[tuple[str, ...]]:
    """Return the rows of `apart` as rows of the table: their text in the second column, the others empty."""
    if len(grid.header) == 1:
        return [(f"{name}: {text}",) for name, text in grid.apart]
    return [(name, text, *[""] * (len(grid.header) - 2)) for name, text in grid.apart]


def _apart_lines(grid: Grid, width: int | None) -> Iterator[str]:
    """Yield the rows of `apart` as lines, their text from the second column on and broken at `width`."""
    names = [grid.header[0]]
    names += [row[0] for row in grid.rows]
    names += [name for name, _ in grid.apart]
    width_of_names = max(map(len, names))
    for name, text in grid.apart:
        start = f"{name:<{width_of_names}}  "
        if width is None:
            yield start + text
            continue
        has_room = width - len(start) >= LEAST_TEXT_WIDTH
        indent = " " * len(start) if has_room else "    "
        yield from textwrap.wrap(start + text, width, subsequent_indent=indent, break_on_hyphens=False)


def _alignments(grid: Grid) -> Sequence[str]:
    """Return the side of each column: left for text, right for numbers."""
    return ["left"] * grid.left + ["right"] * (len(grid.header) - grid.left)


_MINUS = re.compile(r"(?<![\w.$])-(?=\.?\d|inf)")
"""The hyphen before a number in a cell, which LaTeX would set as one."""


COLUMN_WIDTH, TEXT_WIDTH = r"\columnwidth", r"\textwidth"
"""LaTeX's widths of a column of a paper, and of all columns."""

COLUMN_POINTS = 239.0
"""Width of a column of a paper in two columns: 84 mm, in points."""

LETTER_POINTS, GAP_POINTS = 5.0, 12.0
"""Widths of a digit in a paper's text of 10 points, and of the gap between two columns of a table."""

MOST_SHRUNK = 0.7
"""Factor by which a table may be made smaller to fit a column: letters of 10 points have 7 then."""


def _width_in_latex(grid: Grid) -> str:
    r"""Return the width to which LaTeX shrinks the grid, such as \columnwidth; empty if it fits a column.

    A table that would have to be shrunk too much for a column gets the width of the text.
    """
    if grid.fit:
        return COLUMN_WIDTH
    points = GAP_POINTS * len(grid.header)
    for column in zip(grid.header, *grid.rows, strict=True):
        longest = max(len(_LATEX_COMMANDS.sub("", cell)) for cell in column)
        points += LETTER_POINTS * longest
    if points <= COLUMN_POINTS:
        return ""
    fits_when_shrunk = MOST_SHRUNK * points <= COLUMN_POINTS
    return COLUMN_WIDTH if fits_when_shrunk else TEXT_WIDTH


_LATEX_COMMANDS = re.compile(r"\\[a-z]+|[{}$^\\]")
"""Parts of a cell in LaTeX that are not seen."""


def _latex_tabular(grid: Grid) -> str:
    """Return the grid for LaTeX, its title and the packages that it needs as comments."""
    columns = "".join(side[0] for side in _alignments(grid))
    latex_width = _width_in_latex(grid)
    rows = []
    for cells in grid.rows:
        # In the columns of numbers a hyphen before a number is a minus sign.
        numbers = [_MINUS.sub("$-$", cell) for cell in cells[grid.left :]]
        rows.append([*cells[: grid.left], *numbers])
    width_of_text = max(len(grid.header) - 1, 1)  # columns that the text of `apart` takes
    lines = []
    if grid.title and grid.headed:
        # The heading would run into the table without a line of its own.
        lines.append(rf"\paragraph{{{escaped(grid.title, LATEX)}}}\mbox{{}}\par")
    elif grid.title:
        lines.append(f"% {printable(grid.title)}")
    if latex_width == TEXT_WIDTH:
        lines.append("% wider than a column of two: put it into table*")
    if latex_width:
        lines.append(r"% \usepackage{booktabs, adjustbox}")
        lines.append(rf"\begin{{adjustbox}}{{max width={latex_width}}}")
    else:
        lines.append(r"% \usepackage{booktabs}")
    lines += [rf"\begin{{tabular}}{{{columns}}}", r"\toprule"]
    lines += [" & ".join(grid.header) + r" \\", r"\midrule"]
    for row in rows:
        lines.append(" & ".join(row) + r" \\")
    for name, text in grid.apart:
        lines.append(rf"{name} & \multicolumn{{{width_of_text}}}{{l}}{{{text}}} \\")
    lines += [r"\bottomrule", r"\end{tabular}"]
    if latex_width:
        lines.append(r"\end{adjustbox}")
    return "".join(f"{line}\n" for line in lines)


def notes_text(notes: Sequence[str], style: str, width: int | None = None) -> str:
    """Return notes as the lines below a table, broken at `width` where a terminal shows them.

    The notes are escaped already, but for HTML, which escapes them here.
    """
    if width is not None and style not in (LATEX, MARKDOWN):
        lines = []
        for note in notes:
            lines += textwrap.wrap(note, width, break_on_hyphens=False)
        notes = lines
    if style == LATEX:
        return "".join(f"\\par{{\\footnotesize {note}\\par}}\n" for note in notes)
    if style == HTML:
        from pres_eval.report.markup import element

        return "".join(f"{element('p', note)}\n" for note in notes)
    # In Markdown two blanks end a line; without them the notes would be one paragraph.
    end = "  \n" if style == MARKDOWN else "\n"
    return "".join(f"{note}{end}" for note in notes)
