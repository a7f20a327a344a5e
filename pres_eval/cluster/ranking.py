"""Runs in splits become Rankings: which plan, in which order, and what is said of what is wrong."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from typing import Any, Protocol, TypeVar

import numpy as np

from pres_eval.arrays.growing import Growing
from pres_eval.arrays.ids import EVERY_PROCESS, Ids
from pres_eval.arrays.types import AnyInts, IntArray, Words
from pres_eval.arrays.word_ids import WordIds
from pres_eval.cluster.any_order import Counts, Entries, Places, map_counted, map_found, ranked_of
from pres_eval.cluster.engines import Engine, Shared, Work
from pres_eval.cluster.folders import Folder
from pres_eval.cluster.hashing import Hashing, RowsSplit, map_hashed, map_rows
from pres_eval.cluster.scanning import Tally, Wanted
from pres_eval.cluster.splits import parquet_splits, split_size, text_splits
from pres_eval.cluster.storage import File, source_of
from pres_eval.cluster.telling import Telling, WholeRun
from pres_eval.cluster.together import Merging, map_ranked
from pres_eval.errors import InputError, quoted
from pres_eval.options import ERROR
from pres_eval.ranking.order import DuplicateRowError
from pres_eval.ranking.run_file import Ranking
from pres_eval.ranking.unjudged import MOST
from pres_eval.reading.cutting import ScatteredError
from pres_eval.reading.source import Source
from pres_eval.records import dataclass

LEAST_UNJUDGED = 1000
"""Topics without judgements that a split may tell of, however many splits there are."""

CHECKED = 100_000_000
"""Rows up to which documents that nobody judged are checked for coming twice, if nobody says otherwise."""

HASHES_AT_ONCE = 1 << 26
"""Hashes that are compared at a time: half a gigabyte."""

Told = Callable[[int, int], None]
"""Is told how many splits are done, and out of how many."""


class _Part(Protocol):
    @property
    def tally(self) -> Tally: ...


Part = TypeVar("Part", bound=_Part)


@dataclass(frozen=True, kw_only=True)
class Plan:
    """How runs are split.

    split_bytes  None: as the number of workers and the size say
    check        whether documents that nobody judged are checked for coming twice in runs whose topics are
                 not together; None: in those of up to CHECKED rows
    told         is told of each split that is done
    """

    split_bytes: int | None = None
    check: bool | None = None
    told: Told | None = None


class WholeRunWantedError(Exception):
    """Which row of a document counts cannot be told from splits: topics are not together."""


class SplitRun:
    """One run, a file or part files, read in splits by the workers of an engine.

    `unchecked` tells afterwards whether documents that nobody judged could be there twice.
    """

    def __init__(
        self, run: File | Folder, parquet: bool, engine: Engine, wanted: Wanted, shared: Shared, plan: Plan
    ) -> None:
        size = plan.split_bytes or split_size(run.size, engine.workers)
        files = run.files if isinstance(run, Folder) else (run,)
        splits = [
            split for file in files for split in (parquet_splits if parquet else text_splits)(file, size)
        ]
        self.run = WholeRun(run.name, files, parquet, wanted)
        self.wanted = wanted
        self.unchecked = False
        self._engine = engine
        self._plan = plan
        self._everywhere = shared
        unjudged = min(max(16 * MOST // max(len(splits), 1), LEAST_UNJUDGED), MOST)
        self._splits = [replace(split, unjudged=unjudged) for split in splits]

    def rank(self) -> Ranking:
        """The ranking.  Raises InputError as reading the whole file in one process does.

        Raises WholeRunWantedError if rows of documents that are there twice have to be chosen among splits.
        """
        try:
            return self._together()
        except ScatteredError:
            if self.wanted.duplicates != ERROR:
                raise WholeRunWantedError from None
            return self._in_any_order(self._plan.check)
        except DuplicateRowError as error:
            if self.wanted.most is not None:
                # Further rows of the topic may come, and move these behind the last one that -M leaves.
                return self._in_any_order(True)
            topic = self.wanted.pool.find_topics(Ids.of([error.topic]))
            raise self._repeated(topic, Ids.of([error.document])) from None

    @contextlib.contextmanager
    def _shared(self, value: Any, what: str) -> Iterator[Shared]:
        shared = self._engine.share(value, what)
        try:
            yield shared
        finally:
            shared.release()

    def _together(self) -> Ranking:
        merging = Merging(self.wanted)
        told = Telling(self.run)
        with contextlib.closing(self._parts(told, map_ranked)) as parts:
            for part in parts:
                if not told.has_nan:
                    merging.add(part)
        told.check_end()
        return told.ranking(merging.ranked(), whole_topics=True)

    def _in_any_order(self, check: bool | None) -> Ranking:
        told = Telling(self.run)
        num_ret = np.zeros(len(self.wanted.pool.topics), np.int64)
        documents: list[AnyInts] = [np.zeros(0, np.int64)]
        scores: list[Any] = [self.wanted.cast(np.zeros(0))]
        with contextlib.closing(self._parts(told, map_found)) as parts:
            for part in parts:
                documents.append(part.document)
                scores.append(part.scores)
                np.add.at(num_ret, part.topic, part.num_ret)
        told.check_end()
        document = np.concatenate(documents).astype(np.int64)
        pool = self.wanted.pool
        topic = np.searchsorted(pool.offsets, document, side="right") - 1
        entries, order = Entries.of(
            topic, np.concatenate(scores), pool.documents.pick(document), len(num_ret)
        )
        document = document[order]
        places = self._places(entries, num_ret)
        again = _again(document, places.rank, self.wanted.most)
        num_rows = int(num_ret.sum())
        self.unchecked = not (num_rows <= CHECKED if check is None else check)
        if not self.unchecked:
            self._check(num_ret)
        elif len(again):
            raise self._repeated(entries.topic[again], entries.ids.pick(again))
        return told.ranking(ranked_of(document, entries.topic, places, num_ret), whole_topics=False)

    def _places(self, entries: Entries, num_ret: IntArray) -> Places:
        """The second pass: the place of each entry."""
        if not len(entries.topic):
            nothing = np.zeros(0, np.int64)
            return Places(rank=nothing, first=nothing, size=nothing)
        counts = Counts(entries)
        with (
            self._shared(entries, "judged documents of the run") as shared,
            contextlib.closing(self._parts(Telling(self.run), map_counted, shared)) as parts,
        ):
            for part in parts:
                counts.add(part)
        if counts.num_rows() != int(num_ret.sum()):
            raise self._changed()
        return counts.places(num_ret)

    def _check(self, num_ret: IntArray) -> None:
        """Raise InputError if a document is there twice, whether or not it was judged."""
        hashing = Hashing(_seed(), shares=-(-int(num_ret.sum()) // HASHES_AT_ONCE) or 1)
        found: list[Words] = [np.zeros(0, np.uint64)]
        for share in range(hashing.shares):
            keys = Growing(np.uint64)
            with (
                self._shared(replace(hashing, share=share), "the way to hash") as shared,
                contextlib.closing(self._parts(Telling(self.run), map_hashed, shared)) as parts,
            ):
                for part in parts:
                    keys.append(part.keys)
            every = keys.values()
            every.sort()
            found.append(np.unique(every[1:][every[1:] == every[:-1]]))
        repeated = np.sort(np.concatenate(found))
        if len(repeated):
            error = self._located(hashing, repeated, num_ret)
            if error is not None:
                raise error

    def _repeated(self, topic: IntArray, ids: Ids | WordIds) -> InputError:
        """The error of documents that are there twice."""
        hashing = Hashing(_seed())
        error = self._located(hashing, np.unique(hashing.keys(topic, ids)))
        return self._changed() if error is None else error

    def _changed(self) -> InputError:
        return Source(self.run.name).changed()

    def _located(self, hashing: Hashing, keys: Words, num_ret: IntArray | None = None) -> InputError | None:
        """The error of the documents with these hashes that are there twice, None if none is.

        With num_ret (T,) -M is looked at: of a document that is there twice all but one may be cut off.
        """
        rows: list[RowsSplit] = []
        places: list[IntArray] = []
        told = Telling(self.run)
        with (
            self._shared(hashing, "the way to hash") as one,
            self._shared(keys, "hashes") as other,
            contextlib.closing(self._parts(told, map_rows, one, other)) as parts,
        ):
            for part in parts:
                rows.append(part)
                places.append(part.place + told.before)
        told.check_end()
        topic = np.concatenate([part.topic for part in rows])
        scores = np.concatenate([part.scores for part in rows])
        ids = WordIds.concatenate([part.ids for part in rows])
        place = np.concatenate(places)
        texts = list(ids)
        kept = np.ones(len(topic), np.bool_)
        if num_ret is not None and self.wanted.most is not None:
            entries, order = Entries.of(topic, scores, ids, len(num_ret))
            rank = np.empty(len(order), np.int64)
            rank[order] = self._places(entries, num_ret).rank
            kept = rank <= self.wanted.most
        return self._error_of(topic, texts, place, kept, told.where)

    def _error_of(
        self,
        topic: IntArray,
        texts: Sequence[bytes],
        place: IntArray,
        kept: Any,
        where_is: Callable[[int], tuple[File, int]],
    ) -> InputError | None:
        every: dict[tuple[int, bytes], list[int]] = {}
        counted: dict[tuple[int, bytes], int] = {}
        for number, text, where, counts in zip(
            topic.tolist(), texts, place.tolist(), kept.tolist(), strict=True
        ):
            every.setdefault((number, text), []).append(where)
            counted[number, text] = counted.get((number, text), 0) + counts
        again = {key: where for key, where in every.items() if counted[key] > 1}
        if not again:
            return None
        (number, text), where = min(
            again.items(), key=lambda item: (item[0][0] if self.run.is_parquet else 0, item[1][1])
        )
        (first_file, first), (file, second) = (where_is(place + self.run.is_parquet) for place in where[:2])
        if self.run.is_parquet:
            places = f"rows {first} and {second}"
            if first_file != file:
                places = f"row {first} of {first_file.name} and row {second}"
        else:
            places = f"first in line {first}" + (f" of {first_file.name}" if first_file != file else "")
        return InputError(
            file.name,
            None if self.run.is_parquet else second,
            f"document {quoted(text)} of topic {quoted(self.wanted.pool.topics[number])} again ({places})",
            "each document once per topic",
        )

    def _parts(self, told: Telling, work: Work[Part], *shared: Shared) -> Generator[Part, None, None]:
        """What the splits give, in order; raises InputError for the first fault, or if a file has changed.

        Workers of other machines cannot tell all changes, so that files are looked at here, too.
        """
        with contextlib.closing(self._engine.map(work, self._splits, self._everywhere, *shared)) as results:
            for number, (split, part) in enumerate(zip(self._splits, results, strict=False), 1):
                told.take(split, part.tally)
                if self._plan.told is not None:
                    self._plan.told(number, len(self._splits))
                yield part
        for file in self.run.files:
            if not file.is_remote:
                source_of(file).check_unchanged()


def _seed() -> int:
    return EVERY_PROCESS + int.from_bytes(os.urandom(8), "little")


def _again(document: IntArray, rank: IntArray, most: int | None) -> IntArray:
    """The places (of the first -M ranks) whose document another place has, too."""
    places = np.arange(len(document)) if most is None else np.flatnonzero(rank <= most)
    order = places[np.argsort(document[places], kind="stable")]
    again: IntArray = order[1:][document[order[1:]] == document[order[:-1]]]
    return again
