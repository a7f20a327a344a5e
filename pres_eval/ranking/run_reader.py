"""One run, read in one pass or several by an engine, and its parts merged."""

from __future__ import annotations

import contextlib
from collections.abc import Sequence
from dataclasses import replace
from functools import partial

from pres_eval.arrays.types import Words
from pres_eval.engines.engine import Engine, Here, Shared, split_size
from pres_eval.errors import EmptyFileError, InputError
from pres_eval.options import ERROR
from pres_eval.ranking.any_order import IdsWantedError, KeyedRows, RowsInAnyOrder, topics_of_ties
from pres_eval.ranking.opening import BYTES, EACH_LOOKED_AT, EVERY_LOOKED_AT, opening_of_files
from pres_eval.ranking.order import DuplicateRowError
from pres_eval.ranking.parts import Facts, Merging, Part
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.ranker import EVERY_ROW, KEYS, RANKS, ROWS, UNCHECKED_KEYS, Kept, Ranker
from pres_eval.ranking.ranking import Ranking, ranking_of
from pres_eval.reading.blocks import Block, FileFormat
from pres_eval.reading.lines import RUN, LineError, no_lines
from pres_eval.reading.run_files import PARQUET, TREC, RunFiles
from pres_eval.reading.source import Chunk, Source
from pres_eval.reading.splits import (
    ScatteredError,
    Split,
    blocks_in,
    parquet_splits,
    source_in,
    text_chunks,
    text_splits,
)
from pres_eval.reading.storage import file_of, kept_open
from pres_eval.workers import UNTHREADED, in_order


def _format(form: str) -> FileFormat:
    """Return a format that is not trec_eval's."""
    from pres_eval.reading.formats.recognising import FORMATS

    return FORMATS[form]


def tag_of(name: str) -> str:
    """Return a tag for a run whose format has none: the name of the file without its endings."""
    return name.rpartition("/")[2].partition(".")[0] or "run"


def read_split(
    split: Split,
    ranker: Ranker,
    files: Sequence[Source],
    *,
    kept: Kept = RANKS,
    form: str = TREC,
    threads: int = 1,
) -> Part:
    """Return what is kept of a split of these files, which `threads` threads of this process read.

    Raises LineError for a malformed line, InputError, DuplicateRowError, ScatteredError, IdsWantedError.
    """
    merging = Merging(ranker.pool)
    by_topic, file = kept.by_topic, files[split.number]

    def work(numbered: tuple[int, Chunk | Block]) -> Part:
        """Return what is kept of a piece of the split."""
        number, piece = numbered
        is_looked_at = number % EACH_LOOKED_AT == 0 or (split.is_first and number < EVERY_LOOKED_AT)
        is_first = split.is_first and number == 0
        return ranker.part(piece, kept=kept, is_first=is_first, is_looked_at=is_looked_at)

    if form == TREC:
        source = source_in(file, split, by_topic)
        # One chunk lies ready, so that no thread waits until this one has read the next: a seventh faster.
        with contextlib.closing(text_chunks(source, by_topic)) as chunks:
            parts = in_order(work, enumerate(chunks), threads, UNTHREADED)
            with contextlib.suppress(EmptyFileError):  # others may have lines
                merging.add_chunks(source, parts)
    else:
        blocks = blocks_in(file, split, _format(form), by_topic)
        for part in in_order(work, enumerate(blocks), threads, UNTHREADED):
            merging.add(part)
    part = merging.part()
    if split.stop is not None and part.keyed:
        part = replace(part, keyed=(KeyedRows.joined(part.keyed),))
    return part


class RunReader:
    """Reads one run, as often as it takes."""

    def __init__(self, run: RunFiles, form: str, ranker: Ranker, engine: Engine, shared: Shared) -> None:
        self._run = run
        self._form = form
        self._ranker = ranker
        self._engine = engine
        self._shared = shared
        self._advanced = 0

    def ranking(self) -> Ranking:
        """Return the ranking, in one pass if topics are together."""
        try:
            try:
                part = self._merged(RANKS)
                return self._made(part, part.ranked)
            except ScatteredError:
                return self._in_any_order()
        except InputError:
            if self._form == TREC:
                raise
            # The rows of a table are all read before the first of them is found to be wrong.
            raise self._here()._first_duplicate() from None
        except DuplicateRowError:
            here = self._here()
            if self._ranker.most is not None:
                # Rows that came later may have moved these behind the last one that -M leaves.
                with contextlib.suppress(DuplicateRowError):
                    return here._of_all_rows()
            raise here._first_duplicate() from None

    def whole_topics(self) -> Ranking | None:
        """Return the ranking of a run whose topics are together and have no document twice; None for others.

        Raises InputError for a malformed line.
        """
        try:
            part = self._merged(RANKS)
        except (ScatteredError, DuplicateRowError):
            return None
        except InputError:
            if self._form == TREC:
                raise
            return None  # rows of a table are read before the first of them is found to be wrong
        return self._made(part, part.ranked)

    def _here(self) -> RunReader:
        """Return the reader of the same run in this process."""
        engine = Here(self._engine.workers)
        return RunReader(self._run, self._form, self._ranker, engine, engine.share(self._ranker, ""))

    def _in_any_order(self) -> Ranking:
        """Return the ranking of lines in any order; ids are kept only if some come twice or many tie."""
        pool, single = self._ranker.pool, self._ranker.single
        with contextlib.suppress(IdsWantedError):
            part = self._merged(KEYS if self._ranker.checks else UNCHECKED_KEYS)
            rows = RowsInAnyOrder(part.keyed, pool, single)
            ranked = rows.rank(self._engine.workers, self._rank_ties) if part.keyed else None
            return self._made(part, ranked, unchecked=not self._ranker.checks)
        return self._here()._of_all_rows()

    def _rank_ties(self, ties: Words) -> Ranked:
        """Rank the documents of some ties, whose keys ascend (E,), each tie like a topic of its own."""
        rows = self._merged(Kept(ROWS, ties)).rows
        if rows is None:
            raise self._run.sources[0].changed()
        ranker = replace(self._ranker, most=None, duplicates=ERROR)
        topics = topics_of_ties(ties, len(ranker.pool.topics), ranker.single)
        return ranker.ranked_rows(rows, self._engine.workers, topics)

    def _of_all_rows(self) -> Ranking:
        """Return the ranking of rows that are all kept first.  Raises DuplicateRowError."""
        part = self._merged(EVERY_ROW)
        if part.rows is None:
            return self._made(part, None)
        return self._made(part, self._ranker.ranked_rows(part.rows, self._engine.workers))

    def _first_duplicate(self) -> InputError:
        """Return the error of a run in which topics have documents twice."""
        from pres_eval.ranking.duplicates import first_duplicate, first_duplicate_row

        if self._form != TREC:
            return first_duplicate_row(self._run, _format(self._form), self._ranker)
        rows = self._merged(EVERY_ROW).rows
        return first_duplicate(self._run, rows, self._ranker)

    def _merged(self, kept: Kept) -> Part:
        """Return all parts of the run as one.  Raises InputError for the first line that is malformed."""
        merging = Merging(self._ranker.pool)
        begins = number = 0
        self._advance(-self._advanced)
        with contextlib.ExitStack() as stack:
            files, splits = self._splits(stack)
            shared = stack.enter_context(self._engine.share(files, "the run"))
            threads = self._engine.threads if len(splits) == 1 else 1
            work = partial(read_split, kept=kept, form=self._form, threads=threads)
            parts = stack.enter_context(
                contextlib.closing(self._engine.map(work, splits, self._shared, shared))
            )
            for split in splits:
                if split.number != number:
                    number, begins = split.number, merging.facts.num_lines
                try:
                    merging.add(next(parts))
                except LineError as error:
                    line = merging.facts.num_lines - begins + error.line + 1
                    raise self._error(split.number, line, error) from None
                if split.stop is not None:  # who reads a whole file tells it
                    self._advance((self._run.size() or 0) // len(splits))
        self._check_rows(merging.facts)
        part = merging.part()
        too_small = splits[0].stop is not None and splits[0].stop < BYTES
        if self._form == TREC and (too_small or (part.opening is None and len(files) > 1)):
            part = replace(part, opening=opening_of_files(self._run.sources))
        return part

    def _advance(self, count: int) -> None:
        """Tell whoever watches the run; what a pass reads again is taken back first."""
        if count:
            self._advanced += count
            self._run.advance(count)

    def _error(self, number: int, line: int, error: LineError) -> InputError:
        """Return the error of a line of one of the files."""
        from pres_eval.reading.advice import with_advice

        source = self._run.sources[number]
        return with_advice(InputError(source.name, line, error.found, error.expected), source, RUN.names)

    def _splits(self, stack: contextlib.ExitStack) -> tuple[list[Source], list[Split]]:
        """Return the files, open as long as the stack is, and their splits."""
        size = self._engine.split_size(self._run.size() or 0)
        is_apart = self._run.is_remote or (self._form == PARQUET and self._run.size() is not None)
        if size is None and is_apart:
            size = split_size(self._run.size() or 0, self._engine.workers)
        if size is None or self._form not in (TREC, PARQUET):
            return list(self._run.sources), [Split(number) for number in range(len(self._run.sources))]
        files = [stack.enter_context(kept_open(file_of(source))) for source in self._run.sources]
        cut = parquet_splits if self._form == PARQUET else text_splits
        return list(files), [split for number, file in enumerate(files) for split in cut(number, file, size)]

    def _check_rows(self, facts: Facts) -> None:
        """Raise InputError if there were no rows."""
        if facts.num_rows:
            return
        name = self._run.name
        if self._form != TREC:
            raise InputError(name, None, "no rows", "at least one")
        if not facts.num_lines:
            raise EmptyFileError(name, None, "the file is empty", "lines of text")
        raise no_lines(Source(name), RUN)

    def _made(self, part: Part, ranked: Ranked | None, unchecked: bool = False) -> Ranking:
        """Return the ranking of what was ranked, with what else is known of the run."""
        is_trec = self._form == TREC
        return ranking_of(
            replace(part, ranked=ranked),
            self._ranker,
            self._run.name,
            tag=None if is_trec else tag_of(self._run.name),
            form=None if is_trec else _format(self._form).meaning,
            unchecked=unchecked,
        )
