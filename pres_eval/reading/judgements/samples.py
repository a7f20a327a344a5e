"""Files of judged random samples of a collection, and of the sizes of its strata."""

from __future__ import annotations

import math
from collections.abc import Iterator, Mapping, Sequence
from typing import NamedTuple

from pres_eval.arrays import nearest_integer
from pres_eval.errors import InputError, did_you_mean, number_of, plural, quoted
from pres_eval.reading.file import File
from pres_eval.reading.headings import DOCNO, STRATUM, TOPIC
from pres_eval.reading.id_files import DOCUMENT_HEADINGS
from pres_eval.reading.topic_files import TOPIC_HEADINGS, encoded, read_cells

RELEVANCE = "relevance"
"""The kind of the column of grades in a sample, beside those of `headings`."""

NAMES = {
    TOPIC: TOPIC_HEADINGS,
    DOCNO: DOCUMENT_HEADINGS,
    STRATUM: (STRATUM, "strata"),
    RELEVANCE: (RELEVANCE, "rel", "relevant", "grade", "judgement", "judgment", "label"),
}
"""Headings of each kind of column of a sample."""

PLAIN = {4: (TOPIC, DOCNO, STRATUM, RELEVANCE), 3: (TOPIC, DOCNO, RELEVANCE)}
"""Kinds of the columns of a file without a header that has four columns, or three."""

GRADES_OF_WORDS = {
    **dict.fromkeys(("yes", "y", "true", "relevant", "responsive"), 1),
    **dict.fromkeys(("no", "n", "false", "not relevant", "nonrelevant", "irrelevant"), 0),
    **dict.fromkeys(("not responsive", "non-responsive", "nonresponsive"), 0),
    "": -1,
}
"""Grades of the words in the exports of review platforms; -1: not judged."""


class Stratum(NamedTuple):
    """A stratum of the documents of a topic."""

    topic: bytes
    name: str

    def __str__(self) -> str:
        return f"stratum {quoted(self.name)} of topic {quoted(self.topic)}"


Place = tuple[str, int | None]
"""The name of a file and a line of it, for messages."""


class Sampled(NamedTuple):
    """A document of a stratum.

    key    its topic and docno
    grade  -1 if it was not judged, and so is not in the sample
    place  where it was read
    """

    key: tuple[bytes, bytes]
    stratum: Stratum
    grade: int
    place: Place


Sizes = Mapping[Stratum, tuple[int, Place]]
"""How many documents each stratum has, and where that is written."""


def read_sample(
    path: str,
    columns: Mapping[str, str],
    topic: bytes | None,
    *,
    if_there: bool = False,
    words: Mapping[str, float] | None = None,
) -> Iterator[Sampled]:
    """Yield the documents of a sample, whose columns are those of PLAIN, or named by a header or an option.

    columns   headings by kind of column, as --columns names them
    topic     the topic of a file without topics, as load files of review platforms are; None: topics are
              several, and the file must have them
    if_there  whether a file with none of the headings in `columns` is read as if these were not given
    words     grades by word, as --grades names them; they count before those of GRADES_OF_WORDS
    Raises InputError for a file that is no sample.
    """
    known_words: dict[str, float] = dict(GRADES_OF_WORDS)
    for word, grade_of_word in (words or {}).items():
        known_words[word.casefold()] = grade_of_word
    rows, _ = read_cells(path, "topic docno stratum relevance")
    name = File(path).name
    first_line, first_row = rows[0]
    if if_there and set(columns.values()).isdisjoint(first_row):
        columns = {}
    column_of, has_header = _columns((name, first_line), first_row, columns)
    if has_header and len(rows) == 1:
        raise InputError(name, first_line, "headings without a document under them", "at least one")
    if has_header:
        rows = rows[1:]
    for line, row in rows:
        where = name, line
        if len(row) != len(first_row):
            raise InputError(*where, plural(len(row), "column"), f"{len(first_row)} as in line {first_line}")
        cells = {kind: row[column] for kind, column in column_of.items()}
        topic_of_row = topic
        if TOPIC in cells:
            topic_of_row = encoded(cells[TOPIC])
        if not topic_of_row:
            advice = "--columns topic=HEADING names the column of topics"
            raise InputError(*where, f"no {TOPIC}", "one in each line", advice)
        if not cells[DOCNO]:
            raise InputError(*where, f"no {DOCNO}", "one in each line")
        grade = _grade(where, cells[RELEVANCE], known_words)
        key = topic_of_row, encoded(cells[DOCNO])
        stratum = Stratum(topic_of_row, cells.get(STRATUM, "all"))
        yield Sampled(key, stratum, grade, where)


def _grade(where: Place, text: str, known_words: Mapping[str, float]) -> int:
    """Return the grade in a cell, a word or a number, -1 for not judged; raise InputError for other text."""
    grade = known_words.get(text.casefold(), number_of(text))
    if not math.isfinite(grade) or grade != int(grade):
        expected = "a whole number (negative: not judged), or yes or no"
        raise InputError(*where, f"relevance {quoted(text)}", expected)
    return max(int(grade), -1)


def _columns(where: Place, first: list[str], columns: Mapping[str, str]) -> tuple[dict[str, int], bool]:
    """Return the number of each kind of column, from 0, and whether the first row is a header.

    where    the place of the first row
    columns  headings by kind of column, as --columns names them
    Raises InputError if a column is missing.
    """
    headings = [heading.casefold() for heading in first]
    known_headings: dict[str, Sequence[str]] = dict(NAMES)
    for kind, heading in columns.items():
        known_headings[kind] = (heading.casefold(),)
    column_of: dict[str, int] = {}
    named_headings = {heading.casefold() for heading in columns.values()}
    for kind, names in known_headings.items():
        # A heading that an option names for another kind is no topic because it is called ID.
        matching = [
            name for name in names if name in headings and (kind in columns or name not in named_headings)
        ]
        if matching:
            column_of[kind] = headings.index(matching[0])
    if not columns and len(first) in PLAIN and RELEVANCE not in column_of:
        return {kind: column for column, kind in enumerate(PLAIN[len(first)])}, False
    needed_kinds = dict.fromkeys((DOCNO, RELEVANCE, *columns))
    for kind in needed_kinds:
        if kind not in column_of:
            problem = plural(len(first), "column")
            if kind in columns:
                problem = f"no column {quoted(columns[kind])}"
            raise InputError(
                *where,
                problem,
                "topic docno stratum relevance, or a header with docno and relevance",
                did_you_mean(columns.get(kind, kind), first, "--columns names them: docno=DocID"),
            )
    return column_of, True


def read_sizes(path: str) -> dict[Stratum, tuple[int, Place]]:
    """Return the sizes of strata in lines of `topic stratum size`; the first line may be a header.

    Raises InputError for other lines, or a stratum that comes twice.
    """
    rows, _ = read_cells(path, "topic stratum size")
    _, first = rows[0]
    if first[0].casefold() in TOPIC_HEADINGS:
        rows = rows[1:]
    sizes: dict[Stratum, tuple[int, Place]] = {}
    for line, row in rows:
        where = File(path).name, line
        if len(row) != 3 or not row[2].isdecimal():
            raise InputError(*where, quoted(" ".join(row)), "topic stratum size, the size a whole number")
        stratum = Stratum(encoded(row[0]), row[1])
        if stratum in sizes:
            raise InputError(*where, f"{stratum} again", "each stratum once")
        sizes[stratum] = nearest_integer(row[2]), where
    return sizes
