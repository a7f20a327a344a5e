"""Large runs, and many, on this machine: read by copies of the process, or else as any others."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Generator, Iterator, Sequence
from dataclasses import replace
from itertools import groupby
from typing import Any

from pres_eval.cluster.copies import MOST, MOST_ITEMS, Copies, can_copy
from pres_eval.cluster.engines import Result, Work, WorkersLostError
from pres_eval.cluster.mixed import ManyUnjudgedError, map_piece
from pres_eval.cluster.scanning import Wanted
from pres_eval.cluster.scored import ManyTiedError, Scores, can_score_splits, map_scored
from pres_eval.cluster.splits import Split, text_splits
from pres_eval.cluster.storage import File, file_at, first_bytes, is_compressed, kept_open
from pres_eval.cluster.telling import Telling, WholeRun
from pres_eval.cluster.together import Merging, map_ranked
from pres_eval.errors import InputError
from pres_eval.options import Options
from pres_eval.ranking.any_format import LARGE, TREC, RunInParts, read_any_run
from pres_eval.ranking.counted import IdsWantedError
from pres_eval.ranking.order import DuplicateRowError
from pres_eval.ranking.pieces import Piece, Reader
from pres_eval.ranking.run_file import Judged, Ranking, rank_in_no_order, reader_for
from pres_eval.reading.cutting import ScatteredError
from pres_eval.reading.source import HEAD, Source
from pres_eval.scoring import Scoring
from pres_eval.workers import in_order, num_processors

SPLIT = 8 << 20
"""Bytes that a copy ranks at a time: little enough that all of them end at about the same time."""

FIRST = 1 << 20
"""Bytes of the first split."""

MOST_UNJUDGED = 4096
"""Topics without judgements in a split: all their names are sent, and a run of many has little else."""


_NOT_FOR_COPIES = (
    *(InputError, DuplicateRowError, ScatteredError, IdsWantedError, ManyUnjudgedError),
    *(WorkersLostError, MemoryError, OSError),
)


def large_run(path: str, scoring: Scoring | None = None) -> Source:
    """The large file at a path, for copies of this process if they can read it, and score it if asked to."""
    with contextlib.suppress(InputError, OSError):
        if can_copy():
            file = file_at(path)
            if not is_compressed(file):
                run = LargeRun(path, _begins_together(first_bytes(file, HEAD)), scoring)
                run.expect(file.version)
                return run
    return Source(path)


def _begins_together(text: bytes) -> bool:
    """Whether no topic comes again in the first lines of a run after another one has."""
    lines = (line.split(None, 1) for line in text.split(b"\n"))
    topics = [topic for topic, _ in groupby(words[0] for words in lines if words)]
    return len(set(topics)) == len(topics)


class LargeRun(RunInParts):
    """A run file that copies of this process read, as far as nothing is wrong in it.

    Whatever is not as it mostly is (a fault, a document twice, a copy that ends) is left to threads of this
    process, which begin anew with the same file: so one place says what is wrong, and in which order.
    """

    alone = True

    def __init__(self, path: str, together: bool, scoring: Scoring | None = None) -> None:
        """`together`: whether topics seem to be; `scoring`: what values are wanted, if no ranks are."""
        super().__init__(path)
        self._together = together
        self._scoring = scoring
        self._advanced = 0

    def rank(self, judged: Judged, options: Options, jobs: int | None, form: str) -> Ranking:
        """The run, read by at most `jobs` copies, or else by as many threads."""
        num_copies = _num_copies(self.size() or 0, jobs or num_processors())
        if form == TREC and num_copies > 1:
            self.check_unchanged()
            with contextlib.suppress(*_NOT_FOR_COPIES), kept_open(file_at(self.path)) as kept:
                return self._of_copies(kept, judged, options, Copies(num_copies))
            self._begin_anew()
        source = Source(self.path)
        source.expect(self._version)
        source.watch(self._progress)
        return read_any_run(source, judged, options, jobs, form)

    def _of_copies(self, file: File, judged: Judged, options: Options, copies: Copies) -> Ranking:
        """The run as copies read it; raises one of _NOT_FOR_COPIES if it is not for them."""
        if self._together:
            wanted = Wanted.of(judged, options)
            with contextlib.suppress(ScatteredError):
                if self._scoring is not None and can_score_splits(self._scoring):
                    with contextlib.suppress(ManyTiedError):
                        return self._of_whole_topics(file, wanted, copies, Scores(self._scoring))
                    self._begin_anew()
                return self._of_whole_topics(file, wanted, copies)
            self._begin_anew()

        def pieces(reader: Reader) -> Iterator[Piece]:
            if reader.finder is None and reader.ties is None:
                raise IdsWantedError  # to hand over all ids takes longer than it saves
            with contextlib.closing(self._parts(file, copies, map_piece, reader)) as parts:
                for _, piece in parts:
                    yield piece

        return rank_in_no_order(self, reader_for(judged, options), pieces, copies.workers)

    def _of_whole_topics(
        self, file: File, wanted: Wanted, copies: Copies, scores: Scores | None = None
    ) -> Ranking:
        """The run if its topics are together; raises ScatteredError if they are not.

        `scores`: where values are put together, if topics may be scored at once; raises ManyTiedError then.
        """
        merging, told = Merging(wanted), Telling(WholeRun(file.name, (file,), False, wanted))
        parts = (
            self._parts(file, copies, map_ranked, wanted)
            if scores is None
            else self._parts(file, copies, map_scored, wanted, scores.scoring)
        )
        with contextlib.closing(parts):
            for split, part in parts:
                if part.tally.more:
                    raise ManyUnjudgedError
                told.take(split, part.tally)
                merging.add(part)
                if scores is not None:
                    scores.add(part)
        told.check_end()
        ranking = told.ranking(merging.ranked(), whole_topics=True)
        return ranking if scores is None else scores.ranking(ranking)

    def _parts(
        self, file: File, copies: Copies, work: Work[Result], *values: Any
    ) -> Generator[tuple[Split, Result], None, None]:
        """What copies make of each split with the values."""
        size = max(SPLIT, file.size // (MOST_ITEMS - 1) + 1)
        splits = [replace(split, unjudged=MOST_UNJUDGED) for split in text_splits(file, size)]
        if splits and splits[0].stop > FIRST:  # what is not for copies mostly shows at once
            splits[:1] = [replace(splits[0], stop=FIRST), replace(splits[0], start=FIRST)]
        shared = [copies.share(value, "what all copies have") for value in values]
        with contextlib.closing(copies.map(work, splits, *shared)) as results:
            for split, result in zip(splits, results, strict=True):
                yield split, result
                self._advanced += split.stop - split.start
                self.advance(split.stop - split.start)

    def _begin_anew(self) -> None:
        """What was read so far is read again."""
        self.advance(-self._advanced)
        self._advanced = 0


def read_each(read: Callable[[Source], Result], sources: Sequence[Source], jobs: int) -> Iterator[Result]:
    """What `read` gives for each run, in order: by at most `jobs` copies of this process, or else threads.

    Where `read` raises an exception in a copy, or a copy ends, threads go on from this run.
    """
    done = 0
    workers = _num_copies(sum(source.size() or 0 for source in sources), min(jobs, len(sources)))
    if workers > 1 and len(sources) <= MOST_ITEMS and can_copy() and all(map(_is_file, sources)):
        for source in sources:
            with contextlib.suppress(InputError):  # whoever reads it says why not
                source.expect(file_at(source.path).version)

        def work(number: int) -> Result:
            sources[number].watch(None)  # the bar is drawn by the process that was copied
            return read(sources[number])

        with (
            contextlib.suppress(WorkersLostError),
            contextlib.closing(Copies(workers).map(work, range(len(sources)))) as results,
        ):
            for source, result in zip(sources, results, strict=True):
                source.advance(source.size() or 0)
                done += 1
                yield result
    rest = sources[done:]
    yield from in_order(read, rest, min(jobs, len(rest) or 1))


def _is_file(source: Source) -> bool:
    """Whether copies can open a run by themselves, and need no package that minds being copied."""
    is_plain = type(source) is Source or isinstance(source, LargeRun)
    return is_plain and source.path != "-" and source.size() is not None


def _num_copies(size: int, most: int) -> int:
    """How many copies are worth it for so many bytes."""
    return min(most, size // LARGE + 1, MOST)
