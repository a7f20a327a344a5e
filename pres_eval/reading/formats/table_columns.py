"""Columns of a table that are read: known by their headings, or named by options."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from pres_eval.arrays import nearest_integer
from pres_eval.errors import ReadingNote
from pres_eval.reading.headings import DOCNO, DOCNOS, GRADE, RANK, RELEVANT_DOCNOS, SCORE, TOPIC, Naming, Role
from pres_eval.records import dataclass

ID_OF_ONE_TOPIC = b"1"
"""Topic of all rows of a table without a column of topics."""


@dataclass(frozen=True)
class Columns:
    """Numbers of the columns of a file, from 0.

    topic      None: all rows are of ID_OF_ONE_TOPIC
    document   the docno, or several of them
    number     the score, rank or grade; None: the documents of a topic are in ranked order (of a run), or all
               relevant (of judgements)
    by_rank    whether the number is a rank
    has_lists  whether a cell has several documents, in the order of a ranking if they are of a run
    rank       the rank beside the score; None if there is none
    """

    topic: int | None
    document: int
    number: int | None
    by_rank: bool = False
    has_lists: bool = False
    rank: int | None = None

    @property
    def used(self) -> tuple[int, ...]:
        """Return the columns of topic, document and number in this order, without those that are None."""
        columns = (self.topic, self.document, self.number)
        return tuple(column for column in columns if column is not None)

    @property
    def last(self) -> int:
        """Return the number of the last of the columns that are used."""
        return max(self.used)


def columns_of(headings: Sequence[str], role: Role, naming: Naming) -> Columns | None:
    """Return the columns with these headings; None if the topic, the document, or the number is not there."""
    topic = naming.column(TOPIC, headings)
    document, has_lists = _heading_of_documents(headings, role, naming)
    number, by_rank = _heading_of_numbers(headings, role, naming)
    if number == document:  # named as the document, though its heading is one of numbers
        number = None
    if document is None or (topic is None and not has_one_topic(naming)):
        return None
    needs_number = not has_lists and not is_named(naming)
    if number is None and needs_number:
        return None
    rank = None
    if role is Role.RUN and not by_rank:
        rank = naming.column(RANK, headings)
    if rank == number:  # a column named rank that an option names as the scores
        rank = None
    return Columns(
        topic=_column_of(topic, headings),
        document=headings.index(document),
        number=_column_of(number, headings),
        by_rank=by_rank and number is not None,
        has_lists=has_lists,
        rank=_column_of(rank, headings),
    )


def _heading_of_documents(headings: Sequence[str], role: Role, naming: Naming) -> tuple[str | None, bool]:
    """Return the heading of the documents, None if there is none, and whether its cells have several.

    A column of single documents is preferred, unless the options name one of lists.
    """
    docno = naming.column(DOCNO, headings)
    kind_of_lists = DOCNOS
    if role.has_grades:
        kind_of_lists = RELEVANT_DOCNOS
    docnos = naming.column(kind_of_lists, headings)
    if docnos is None:
        return docno, False
    if docno is None or naming.named_column(DOCNOS, headings) is not None:
        return docnos, True
    return docno, False


def _heading_of_numbers(headings: Sequence[str], role: Role, naming: Naming) -> tuple[str | None, bool]:
    """Return the heading of grades, scores or ranks, None if there is none, and whether it is of ranks.

    Scores are preferred to ranks, unless the options name ranks alone.
    """
    if role.has_grades:
        return naming.column(GRADE, headings), False
    score = naming.column(SCORE, headings)
    names_ranks_alone = RANK in naming.columns and SCORE not in naming.columns
    if score is None or names_ranks_alone:
        return naming.column(RANK, headings), True
    return score, False


def _column_of(heading: str | None, headings: Sequence[str]) -> int | None:
    """Return the number of the first column with this heading; None for None."""
    if heading is None:
        return None
    return headings.index(heading)


def is_named(naming: Naming) -> bool:
    """Return whether the options name documents, and topics unless there is one: no number is needed."""
    has_topic = TOPIC in naming.columns or has_one_topic(naming)
    return has_topic and (DOCNO in naming.columns or DOCNOS in naming.columns)


def has_one_topic(naming: Naming) -> bool:
    """Return whether a file without a column of topics has one topic: options name its documents alone."""
    return DOCNO in naming.columns and TOPIC not in naming.columns


def numbered_columns(naming: Naming, role: Role) -> Columns:
    """Return the columns that --columns names by their numbers, which count from 1."""
    column_of = {kind: nearest_integer(number) - 1 for kind, number in naming.columns.items()}
    has_lists = DOCNOS in column_of
    document = column_of[DOCNOS] if has_lists else column_of[DOCNO]
    by_rank = role is Role.RUN and SCORE not in column_of and RANK in column_of
    if role.has_grades:
        number = column_of.get(GRADE)
    elif by_rank:
        number = column_of[RANK]
    else:
        number = column_of.get(SCORE)
    return Columns(
        topic=column_of.get(TOPIC),
        document=document,
        number=number,
        by_rank=by_rank,
        has_lists=has_lists,
    )


def note_of_one_topic(name: str) -> None:
    """Give the note that a table has no column of topics, in the file of this name."""
    topic = ID_OF_ONE_TOPIC.decode()
    text = f"no column of topics, so that all rows are of topic {topic} (--columns topic=HEADING)"
    warnings.warn(f"{name}: {text}", ReadingNote, stacklevel=2)
