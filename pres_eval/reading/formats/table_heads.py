"""Heading line of CSV and its like: where it is, what separates its columns, and which marks quote them."""

from __future__ import annotations

import re
from collections.abc import Sequence

from pres_eval.reading.headings import Naming, pick
from pres_eval.reading.topic_files import CONCORDANCE_QUOTE
from pres_eval.records import dataclass

SEPARATOR_LINE = re.compile(rb'"?sep=[;,\t]"?\s*', re.IGNORECASE)
"""The first line of some exports, for Excel alone."""

COLUMN_SEPARATORS = "\t;,|"
"""Separators of columns; a heading line that has several is separated by the first of these."""

QUOTED_WORDS = re.compile(rb'"[^"]*"(?: "[^"]*")+\s*')
"""A heading line as R's write.table has it: words in quotation marks between blanks."""

LOOKED_AT_LINES = 20
"""Lines among which the heading line is looked for if options name its headings."""


@dataclass(frozen=True)
class TableHead:
    """Heading line of a table.

    names      of the columns
    separator  of the columns
    quote      the quotation mark
    before     how many lines come before it, which are left out
    """

    names: tuple[str, ...]
    separator: str
    quote: str
    before: int


def head_of_line(line: bytes, before: int = 0) -> TableHead | None:
    """Return the head of a table that a line is; None for a line without a separator of columns."""
    import csv  # takes a while to import, and most files are no CSV

    text = line.decode("utf-8-sig", "surrogateescape").rstrip("\r\n")
    quote, separator = '"', None
    if text.startswith(CONCORDANCE_QUOTE):
        between_cells = "".join(text.split(CONCORDANCE_QUOTE)[2:3])
        quote, separator = CONCORDANCE_QUOTE, between_cells[:1]
    elif QUOTED_WORDS.fullmatch(line):
        separator = " "
    else:
        separator = next((sign for sign in COLUMN_SEPARATORS if sign in text), None)
    if not separator:
        return None
    try:
        names = next(csv.reader([text], delimiter=separator, quotechar=quote), [])
    except csv.Error:  # a carriage return inside the line, a field of more than 131,072 characters
        return None
    return TableHead(tuple(names), separator, quote, before)


def head_of_table(text: bytes, naming: Naming) -> TableHead | None:
    """Return the head of a table that begins so; None if its first line is none.

    If options name headings, it is the first line that has all of them: programs write their search before.
    """
    lines = text.split(b"\n")
    begin = 0
    if SEPARATOR_LINE.fullmatch(lines[0].removeprefix(b"\xef\xbb\xbf")):
        begin = 1
    if naming.columns:
        for before, line in enumerate(lines[:LOOKED_AT_LINES]):
            head = head_of_line(line, before)
            if head is not None and _has_all(head.names, naming):
                return head
    if begin == len(lines):
        return None
    return head_of_line(lines[begin], begin)


def _has_all(names: Sequence[str], naming: Naming) -> bool:
    """Return whether the names of columns are among them that the options name."""
    return all(pick(names, [heading]) is not None for heading in naming.columns.values())
