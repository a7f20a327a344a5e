"""Blocks: rows of a run or of judgements, of whatever origin, in columns."""

from __future__ import annotations

import re
from abc import ABC, abstractmethod
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import islice
from typing import Protocol

import numpy as np

from pres_eval.arrays import AnyArray, Ids, IntArray, Matches
from pres_eval.errors import InputError, quoted
from pres_eval.reading.file import File
from pres_eval.reading.headings import Role
from pres_eval.records import dataclass


class Documents(Protocol):
    """A column of N ids: Ids, or one that makes only the ids that are taken."""

    def __len__(self) -> int:
        """Return the number of ids."""

    def take(self, rows: IntArray | slice, /) -> Ids:
        """Return the ids of some rows (n,)."""


class MatchingDocuments(ABC):
    """A column of ids that finds the judged ones in its own way, as whole numbers can be found faster."""

    @abstractmethod
    def __len__(self) -> int:
        """Return the number of ids."""

    @abstractmethod
    def take(self, rows: IntArray | slice, /) -> Ids:
        """Return the ids of some rows (n,)."""

    @abstractmethod
    def select(self, rows: IntArray | slice) -> MatchingDocuments:
        """Return the documents in these rows (n,), which find judged ones in the same way."""

    @abstractmethod
    def join(self, topics: IntArray, lengths: IntArray) -> Matches:
        """Return which documents are judged, and which come again in their topic.

        The `partners` of the matches are indices of the pool's documents.

        topics, lengths  (S,) indices of the topics in the pool, and how many rows each has
        """


@dataclass(frozen=True, eq=False)
class Block:
    """N rows in G groups; the rows of a group follow each other and have the same topic.

    topics, lengths  (G,) the topic of each group, and how many rows it has; 0 if nothing was retrieved
    documents        (N,) ids
    numbers          (N,) scores of a run (higher is better), or grades
    lines            (N,) the line of each row, from 1; None if the rows are in no lines
    """

    topics: Ids
    lengths: IntArray
    documents: Documents
    numbers: AnyArray
    lines: IntArray | None = None

    @classmethod
    def of_rows(cls, topics: Ids, documents: Ids, numbers: AnyArray, lines: IntArray | None = None) -> Block:
        """Return the block with these columns (N,): neighbours with the same topic are a group."""
        topic_of_group, lengths = topics.stretches()
        return cls(topics=topic_of_group, lengths=lengths, documents=documents, numbers=numbers, lines=lines)

    def document_ids(self) -> Ids:
        """Return the ids (N,) of all documents, which a column of another kind than Ids makes now."""
        return self.documents.take(slice(None))

    def groups(self, first: int, last: int) -> Block:
        """Return the groups first ... last-1."""
        topics, lengths = self.topics[first:last], self.lengths[first:last]
        begin = int(self.lengths[:first].sum())
        return self._with_rows(topics, lengths, slice(begin, begin + int(lengths.sum())))

    def some_rows(self, rows: IntArray, lengths: IntArray) -> Block:
        """Return some of the rows.

        rows     (n,) which ones, ascending
        lengths  (G,) how many of them are in each group; a group without any is left out
        """
        # As in a file without the other lines, a topic of which nothing is left is not there.
        groups = np.flatnonzero(lengths > 0)
        return self._with_rows(self.topics.take(groups), lengths[groups], rows)

    def _with_rows(self, topics: Ids, lengths: IntArray, rows: IntArray | slice) -> Block:
        """Return groups with these topics and lengths (G,), and with these rows (n,) of this block."""
        lines = self.lines
        if lines is not None:
            lines = lines[rows]
        return Block(
            topics=topics,
            lengths=lengths,
            documents=self.documents.take(rows),
            numbers=self.numbers[rows],
            lines=lines,
        )


Read = Callable[[File, Role], Iterator[Block]]
"""Function that reads a file block by block, as a run or as judgements."""


@dataclass(frozen=True)
class FileFormat:
    """A format of runs, or of judgements, that is not trec_eval's.

    name       as -T and -R call it
    meaning    as messages call it
    read       its reader
    numbered   whether each row is in a line of its own, so that messages can name the line
    by_rank    whether its runs have ranks and no scores
    runs_only  whether there are no judgements in it
    """

    name: str
    meaning: str
    read: Read
    numbered: bool = True
    by_rank: bool = False
    runs_only: bool = False


Row = tuple[bytes, bytes, "int | float", "int | None"]
"""Topic, document, number (a score or a grade), and line from 1; None where rows are in no lines."""

ROWS_OF_BLOCK = 1 << 16
"""Rows of a block, where a reader makes rows one by one."""


def blocks_of_rows(name: str, rows: Iterator[Row], role: Role) -> Iterator[Block]:
    """Yield rows of the file of this name in blocks; either all or none have lines.

    Raises InputError for a topic that would break a line of trec_eval's output.
    """
    # Of grades numpy chooses the type: whole numbers, or doubles if one of them has decimals.
    number_type = None if role.has_grades else np.float64
    while rows_of_block := list(islice(rows, ROWS_OF_BLOCK)):
        topics, documents, numbers, lines = zip(*rows_of_block, strict=True)
        line_numbers = None
        if lines[0] is not None:
            line_numbers = np.array(lines)
        block = Block.of_rows(
            Ids.from_texts(topics), Ids.from_texts(documents), np.array(numbers, number_type), line_numbers
        )
        check_topics(name, block)
        yield block


def joined(name: str, blocks: Iterable[Block]) -> Block:
    """Return all blocks as one.  Raises InputError if there are no rows in the file of this name."""
    topics: list[Ids] = []
    lengths: list[IntArray] = []
    documents: list[Ids] = []
    numbers: list[AnyArray] = []
    lines: list[IntArray] = []
    for block in blocks:
        if not len(block.documents):
            continue
        topics.append(block.topics)
        lengths.append(block.lengths)
        documents.append(block.document_ids())
        numbers.append(block.numbers)
        if block.lines is not None:
            lines.append(block.lines)
    if not topics:
        raise InputError(name, None, "no rows", "at least one")
    return Block(
        topics=Ids.concatenate(topics),
        lengths=np.concatenate(lengths),
        documents=Ids.concatenate(documents),
        numbers=np.concatenate(numbers),
        lines=np.concatenate(lines) if lines else None,
    )


def whole_topics(blocks: Iterable[Block]) -> Iterator[Block]:
    """Yield the same rows in blocks of whole topics: the last topic of a block waits for the next block.

    Blocks with the topics 1 2, 2, and 2 3 become blocks with 1, with 2, and with 3.
    """
    waiting: list[Block] = []  # all of the same topic
    for block in blocks:
        last = len(block.topics) - 1
        has_one_topic = last == 0
        if has_one_topic and (not waiting or block.topics[0] == waiting[-1].topics[0]):
            waiting.append(block)
            continue
        if last or waiting:
            yield _merged([*waiting, block.groups(0, last)])
        waiting = [block.groups(last, last + 1)]
    if waiting:
        yield _merged(waiting)


def _merged(blocks: Sequence[Block]) -> Block:
    """Return the blocks as one in which neighbouring groups of the same topic are one group."""
    block = blocks[0]
    if len(blocks) > 1:
        block = joined("", blocks)
    first_groups = block.topics.heads()
    lengths = np.add.reduceat(block.lengths, first_groups)
    return replace(block, topics=block.topics.take(first_groups), lengths=lengths)


def check_scores(name: str, block: Block) -> None:
    """Raise InputError if a score of the run of this name is not a number."""
    is_wrong = np.isnan(block.numbers)
    if not is_wrong.any():
        return
    row = int(np.argmax(is_wrong))
    group = int(np.searchsorted(np.cumsum(block.lengths), row, side="right"))
    document = quoted(block.documents.take(slice(row, row + 1))[0])
    where = f"of document {document} for topic {quoted(block.topics[group])}"
    raise InputError(name, None, f"score nan {where}", "a number")


_BREAKS_A_LINE = re.compile("[\t-\r]")
"""Tab, line feed, vertical tab, form feed, carriage return: they separate the columns and lines of text."""


def check_topics(name: str, block: Block) -> None:
    """Raise InputError for a topic in the file of this name that would break a line of trec_eval's output."""
    topics = list(block.topics)
    group = first_broken(topics)
    if group is None:
        return
    line = None
    if block.lines is not None:
        row = int(block.lengths[:group].sum())
        line = int(block.lines[row])
    raise broken_topic(name, line, topics[group])


def first_broken(topics: Sequence[bytes]) -> int | None:
    """Return the index of the first topic with a tab or an end of a line in it, None if none has one."""
    if _BREAKS_A_LINE.search(b"".join(topics).decode("latin-1")) is None:
        return None
    for number, topic in enumerate(topics):
        if _BREAKS_A_LINE.search(topic.decode("latin-1")):
            return number
    raise AssertionError("a sign that the topics have together is in one of them")


def broken_topic(name: str, line: int | None, topic: bytes) -> InputError:
    """Return the error of a topic that has a tab or an end of a line in it."""
    return InputError(name, line, f"topic {quoted(topic)}", "a topic without tabs and line ends")


def check_tag(name: str, tag: str) -> None:
    """Raise InputError for the tag of a run, made from its name, that would break a line of the output."""
    if _BREAKS_A_LINE.search(tag) is not None:
        raise InputError(name, None, f"the name {quoted(tag)}", "a name without tabs and line ends")
