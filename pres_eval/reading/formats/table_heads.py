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
    before     lines before it, which are left out
    """

    names: tuple[str, ...]
    separator: str
    quote: str
    before: int


def head_of_line(line: bytes, before: int = 0) -> TableHead | None:
    """Return the head of a table of its heading line; None for a line without a separator of columns.

    before  lines before it
    """
    import csv  # takes a while to import, and most files are no CSV

    text = line.decode("utf-8-sig", "surrogateescape").rstrip("\r\n")
    quote, separator = '"', None
    if text.startswith(CONCORDANCE_QUOTE):
        # A line such as þDocIDþ¶þTitleþ: what follows the second mark separates the cells.
        parts = text.split(CONCORDANCE_QUOTE, 3)
        quote, separator = CONCORDANCE_QUOTE, None
        if len(parts) > 2:
            separator = parts[2][:1]
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
    """Return the head of a table with this beginning; None if its first line is no heading line.

    If options name headings, the first line that has all of them is the heading line: programs may write a
    description of the search before it.
    """
    lines = text.split(b"\n")
    first = 0
    if SEPARATOR_LINE.fullmatch(lines[0].removeprefix(b"\xef\xbb\xbf")):
        first = 1
    if naming.columns:
        for before, line in enumerate(lines[:LOOKED_AT_LINES]):
            head = head_of_line(line, before)
            if head is not None and _has_all(head.names, naming):
                return head
    if first == len(lines):
        return None
    return head_of_line(lines[first], before=first)


def _has_all(names: Sequence[str], naming: Naming) -> bool:
    """Return whether all headings that the options name are among these names."""
    return all(pick(names, [heading]) is not None for heading in naming.columns.values())
