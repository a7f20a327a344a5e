"""Large judgements, read by copies of this process, each of which puts its rows where they belong in the end.

Each copy parses a part of the file and tells the others of how many judgements of which topics it has.  Then
all know the place of every stretch of them among the rows of the topics in order, and write theirs there.
"""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from functools import partial
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.ids import WORD
from pres_eval.arrays.matching import repeated
from pres_eval.arrays.ordering import distinct, stable_order
from pres_eval.arrays.ragged import consecutive, lengths_at
from pres_eval.arrays.types import IntArray
from pres_eval.arrays.word_ids import WordIds
from pres_eval.cluster.copies import MOST, Copies, can_copy
from pres_eval.cluster.engines import WorkersLostError
from pres_eval.cluster.memory import MemoryFile
from pres_eval.cluster.splits import Split, text_of, text_splits
from pres_eval.cluster.storage import File, file_at, is_compressed, kept_open, source_of
from pres_eval.errors import EmptyFileError, InputError
from pres_eval.reading.lines import QRELS
from pres_eval.reading.pool import pool_of
from pres_eval.reading.qrels import MANY_GROUPS, NO_DUPLICATES, Judgements, Qrels, read_part
from pres_eval.records import dataclass

LEAST_PART = 16 << 20
"""Bytes of judgements that are worth a copy."""

CHUNK = 1 << 20
"""Bytes read at a time."""


class NotPlainError(Exception):
    """Judgements that are not for copies: threads read them."""


def qrels_of_copies(path: str, jobs: int) -> Qrels | None:
    """The judgements of a file, read by at most `jobs` copies; None if it is not for them.

    So are small files, and those with a fault or a document that is judged twice, of which others tell more.
    Raises InputError if there is no file, or if it has changed.
    """
    file = file_at(path)
    num_copies = min(jobs, file.size // LEAST_PART, MOST)
    if num_copies < 2 or not can_copy():
        return None
    with (
        contextlib.suppress(NotPlainError, WorkersLostError, InputError, MemoryError, OSError),
        kept_open(file) as kept,
    ):
        if not is_compressed(kept):
            return _of_copies(kept, num_copies)
    source_of(file).check_unchanged()
    return None


def _of_copies(file: File, num_copies: int) -> Qrels:
    """The judgements of a file that is kept open, read by so many copies."""
    splits = list(text_splits(file, -(-file.size // num_copies)))
    with _Board(len(splits)) as board, contextlib.closing(MemoryFile()) as rows:
        copies = Copies(len(splits))
        every = list(copies.map(partial(_read, splits, board, rows), range(len(splits))))
        return _qrels(file.name, every, rows)


@dataclass(frozen=True, eq=False)
class _Told:
    """What a copy tells of its part.

    topics   of its stretches, in order; those of two neighbours differ
    lengths  (G,) how many judgements each stretch has
    width    words of a document
    grades   the type of the grades
    """

    topics: WordIds
    lengths: IntArray
    width: int
    grades: np.dtype[Any]


def _read(splits: Sequence[Split], board: _Board, rows: MemoryFile, number: int) -> _Told:
    """What a copy does: it reads a part, and writes its rows to their places among those of all."""
    judgements = _judgements(splits[number])
    documents, grades = judgements.documents(), judgements.grades()
    if not len(grades) or len(documents.long_rows):
        raise NotPlainError
    topics, lengths = judgements.stretches()
    _check_different(lengths, documents)
    told = _Told(topics, lengths, len(documents.columns), grades.dtype)
    every = board.exchange(number, told)
    places = _Places(every)
    own = places.of(number)
    for column, words in enumerate(documents.columns):
        _write(rows, words, lengths, own, WORD * column * places.num_rows)
    _write(rows, grades.astype(places.grades, copy=False), lengths, own, places.grades_start)
    return told


def _judgements(split: Split) -> Judgements:
    """The judgements of a part of the file; raises LineError, NotPlainError if topics are not together."""
    judgements = Judgements()
    source = text_of(split)
    with contextlib.suppress(EmptyFileError):  # a line that is longer than the part
        for chunk in source.chunks(CHUNK):
            part = read_part(QRELS, False, chunk)
            if len(part.num_rows) > MANY_GROUPS:
                raise NotPlainError
            judgements.add(0, part)
            source.give_back(chunk)
    return judgements


def _check_different(lengths: IntArray, documents: WordIds) -> None:
    """Raise NotPlainError if a document comes twice in a stretch with one of these lengths (G,)."""
    if len(repeated(np.concatenate(([0], np.cumsum(lengths))), documents)[0]):
        raise NotPlainError


def _write(rows: MemoryFile, values: NDArray[Any], lengths: IntArray, places: IntArray, start: int) -> None:
    """Write the stretches of values (n,) with these lengths (G,) to their places (G,) in an array."""
    text, size = values.view(np.uint8).data, values.itemsize
    ends = np.cumsum(lengths)
    # Stretches that stay side by side are written together.
    last = np.flatnonzero(np.append(places[1:] != (places + lengths)[:-1], True))
    first = np.concatenate(([0], last[:-1] + 1))
    spans = zip((ends - lengths)[first].tolist(), ends[last].tolist(), places[first].tolist(), strict=True)
    for begin, end, place in spans:
        rows.put(text[size * begin : size * end], start + size * place)


class _Places:
    """Where the rows of all copies belong.

    topics    in order
    offsets   (T+1,) where the rows of each begin
    torn      (n,) those that have several stretches
    """

    def __init__(self, every: Sequence[_Told]) -> None:
        self._counts = [len(told.lengths) for told in every]
        lengths = np.concatenate([told.lengths for told in every])
        topics, index = distinct(WordIds.concatenate([told.topics for told in every]).take(slice(None)))
        order = stable_order(index, len(topics))
        self._places = np.empty_like(lengths)
        self._places[order] = np.cumsum(lengths[order]) - lengths[order]
        self.topics = WordIds.of(topics).take(slice(None))
        self.torn = np.flatnonzero(np.bincount(index) > 1)
        ends = np.concatenate(([0], np.cumsum(lengths[order])))
        self.offsets = ends[np.searchsorted(index[order], np.arange(len(topics) + 1))]
        self.num_rows = int(ends[-1])
        self.width = max(told.width for told in every)
        self.grades = np.result_type(*(told.grades for told in every))

    def of(self, number: int) -> IntArray:
        """(G,) the places of a copy's stretches."""
        begin = sum(self._counts[:number])
        return self._places[begin : begin + self._counts[number]]

    @property
    def grades_start(self) -> int:
        """Where grades begin behind the words of the documents."""
        return WORD * self.width * self.num_rows


def _qrels(name: str, every: Sequence[_Told], rows: MemoryFile) -> Qrels:
    """What the copies have written; raises NotPlainError if a document is judged twice."""
    places = _Places(every)
    size = WORD * places.num_rows
    text = rows.mapped(places.grades_start + places.num_rows * places.grades.itemsize)
    columns = [np.frombuffer(text[size * k : size * (k + 1)], np.uint64) for k in range(places.width)]
    documents = WordIds(columns)
    counts = lengths_at(places.offsets, places.torn)
    _check_different(counts, documents.pick(consecutive(places.offsets[places.torn], counts)[0]))
    grades = np.frombuffer(text[places.grades_start :], places.grades)
    return Qrels(name, pool_of(places.topics, documents, places.offsets), grades, NO_DUPLICATES)


class _Board:
    """On which copies tell each other something: each waits until all have done so."""

    def __init__(self, num_copies: int) -> None:
        self._files: list[MemoryFile] = []
        self._pipes: list[tuple[int, int]] = []
        with contextlib.ExitStack() as stack:
            stack.callback(self.close)
            for _ in range(num_copies):
                self._files.append(MemoryFile())
                self._pipes.append(os.pipe())
            stack.pop_all()

    def __enter__(self) -> _Board:
        return self

    def __exit__(self, *_: object) -> None:
        self.close()

    def exchange(self, number: int, value: Any) -> list[Any]:
        """Tell a value as one of the copies; gives what all of them tell, in order."""
        message = number.to_bytes(1, "little") + self._files[number].write(value)
        for _, to in self._pipes:
            os.write(to, message)
        places = dict(self._messages(number, len(message)))
        return [file.look_at(places[other]) for other, file in enumerate(self._files)]

    def _messages(self, number: int, length: int) -> Iterator[tuple[int, bytes]]:
        for _ in self._files:
            message = os.read(self._pipes[number][0], length)  # so little comes as a whole
            yield message[0], message[1:]

    def close(self) -> None:
        """In this process, nothing is told any more."""
        for file in self._files:
            file.close()
        for pipe in self._pipes:
            for end in pipe:
                os.close(end)
        self._files, self._pipes = [], []
