"""Columns of a table that are read: known by their headings, or named by options."""

from __future__ import annotations

import warnings
from collections.abc import Sequence

from pres_eval.errors import ReadingNote
from pres_eval.reading.headings import DOCNO, DOCNOS, GRADE, RANK, RELEVANT_DOCNOS, SCORE, TOPIC, Naming, Role
from pres_eval.records import dataclass

ID_OF_ONE_TOPIC = b"1"
"""Topic of all rows of a table without a column of topics."""


@dataclass(frozen=True)
class Columns:
    """Numbers of the columns of a file, from 0.

    topic    None: all rows are of ID_OF_ONE_TOPIC
    document the docno, or several of them
    number   the score, rank or grade; None: the documents of a topic are in ranked order, and relevant
    by_rank  whether the number is a rank
    has_lists whether a cell has several documents in ranked order
    rank     the rank beside the score; None if there is none
    """

    topic: int | None
    document: int
    number: int | None
    by_rank: bool = False
    has_lists: bool = False
    rank: int | None = None

    @property
    def used(self) -> tuple[int, ...]:
        """Return the columns of topic, document and number, of those that there are."""
        columns = (self.topic, self.document, self.number)
        return tuple(column for column in columns if column is not None)

    @property
    def last(self) -> int:
        """Return the last of the columns that are used."""
        return max(self.used)


def columns_of(header: Sequence[str], role: Role, naming: Naming) -> Columns | None:
    """Return the columns of a header; None if it lacks the topic, the document, or the number."""
    topic, document = naming.column(TOPIC, header), naming.column(DOCNO, header)
    kind_of_lists = DOCNOS
    if role.has_grades:
        kind_of_lists = RELEVANT_DOCNOS
    documents = naming.column(kind_of_lists, header)
    several = documents is not None and (document is None or naming.named_column(DOCNOS, header) is not None)
    if several:
        document = documents
    number, by_rank = naming.column(GRADE, header), False
    if role is Role.RUN:
        number = naming.column(SCORE, header)
        if number is None or (RANK in naming.columns and SCORE not in naming.columns):
            number, by_rank = naming.column(RANK, header), True
    if number == document:  # named as the document, though its heading is one of numbers
        number = None
    if document is None or (topic is None and not has_one_topic(naming)):
        return None
    if number is None and not (several or is_named(naming)):
        return None
    rank = None
    if role is Role.RUN and not by_rank:
        rank = naming.column(RANK, header)
    if rank == number:  # a column named rank that an option names as the scores
        rank = None
    column_of = {name: column for column, name in reversed(list(enumerate(header)))}
    return Columns(
        topic=column_of.get(topic or ""),
        document=column_of[document],
        number=column_of.get(number or ""),
        by_rank=by_rank,
        has_lists=several,
        rank=column_of.get(rank or ""),
    )


def is_named(naming: Naming) -> bool:
    """Return whether the options name documents, and topics unless there is one: no number is needed."""
    has_topic = TOPIC in naming.columns or has_one_topic(naming)
    return has_topic and (DOCNO in naming.columns or DOCNOS in naming.columns)


def has_one_topic(naming: Naming) -> bool:
    """Return whether a file without a column of topics has the rows of one: its documents are named alone."""
    return DOCNO in naming.columns and TOPIC not in naming.columns


def numbered_columns(naming: Naming, role: Role) -> Columns:
    """Return the columns that --columns names by their numbers."""
    column_of = {kind: int(number) - 1 for kind, number in naming.columns.items()}
    several = DOCNOS in column_of
    document = column_of[DOCNOS] if several else column_of[DOCNO]
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
        has_lists=several,
    )


def note_of_one_topic(name: str) -> None:
    """Note that a table has no column of topics."""
    topic = ID_OF_ONE_TOPIC.decode()
    text = f"no column of topics, so that all rows are of topic {topic} (--columns topic=HEADING)"
    warnings.warn(f"{name}: {text}", ReadingNote, stacklevel=2)
