"""Runs become rankings: one way for files, folders of part files, pipes and addresses, on every engine."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

import numpy as np

from pres_eval.arrays import Words
from pres_eval.engines.engine import Engine, Here, split_size
from pres_eval.engines.threads import UNTHREADED, in_order
from pres_eval.errors import EmptyFileError, InputError, PresEvalError, RunFailure
from pres_eval.options import ERROR, Options
from pres_eval.ranking.any_order import IdsWantedError, KeyedRows, rank_in_any_order
from pres_eval.ranking.order import topic_keys
from pres_eval.ranking.parts import Facts, Merging, Part
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.ranker import EVERY_ROW, KEYS, RANKS, ROWS, Kept, Ranker
from pres_eval.ranking.ranking import Ranking, ranking_of
from pres_eval.ranking.whole_topics import DuplicateRowError
from pres_eval.reading.blocks import Block, FileFormat, check_tag
from pres_eval.reading.cuts import ScatteredError
from pres_eval.reading.file import CHUNK, Chunk, File
from pres_eval.reading.lines import RUN, LineError, no_lines
from pres_eval.reading.relevance import Relevance
from pres_eval.reading.run_files import PARQUET, TREC, RunFiles, check_format
from pres_eval.reading.splits import Split, blocks_in, cut_for, parquet_splits, text_chunks, text_splits

FIRST_BYTES = 1 << 18
"""Bytes of a run that are read here first, to see whether topics are together."""


def _format(form: str) -> FileFormat:
    """Return a format that is not trec_eval's."""
    from pres_eval.reading.formats.recognising import FORMATS

    return FORMATS[form]


def read_split(
    split: Split,
    ranker: Ranker,
    files: Sequence[File],
    *,
    kept: Kept = RANKS,
    form: str = TREC,
    threads: int = 1,
) -> Part:
    """Return the kept part of a split of these files, which `threads` threads of this process read.

    Raises LineError for a malformed line, InputError, DuplicateRowError, ScatteredError, IdsWantedError.
    """
    merging = Merging(ranker.pool)
    by_topic, file = kept.by_topic, files[split.number]
    begins_run = split.number == split.start == 0

    def work(numbered: tuple[int, Chunk | Block]) -> Part:
        """Return the kept part of a piece of the split."""
        number, piece = numbered
        return ranker.part(piece, kept=kept, is_first=begins_run and number == 0)

    if form == TREC:
        # One chunk lies ready, so that no thread waits until this one has read the next: a seventh faster.
        with contextlib.closing(text_chunks(file, by_topic, split.start, split.stop)) as chunks:
            parts = in_order(work, enumerate(chunks), threads, UNTHREADED)
            with contextlib.suppress(EmptyFileError):  # others may have lines
                merging.add_chunks(file, parts)
    else:
        blocks = blocks_in(file, split, _format(form), by_topic)
        for part in in_order(work, enumerate(blocks), threads, UNTHREADED):
            merging.add(part)
    part = merging.part()
    if split.stop is not None and part.keyed:
        part = replace(part, keyed=(KeyedRows.joined(part.keyed),))
    return part


def read_run(
    run: File | RunFiles,
    judged: Relevance,
    options: Options | None = None,
    jobs: int | None = None,
    form: str = TREC,
) -> Ranking:
    """Read a run and rank its documents in this process, by `jobs` threads (None: one a processor).

    Raises the errors of `Runs.rank`.
    """
    files = RunFiles(run.name, (run,)) if isinstance(run, File) else run
    with Runs(Ranker.of(judged, options or Options()), Here(jobs)) as runs:
        return runs.rank(files, form)


class Runs(contextlib.AbstractContextManager["Runs"]):
    """Ranks runs by an engine; the judged documents are sent to its workers once.

    Rankings do not depend on the engine.  What nobody judged is dropped on the way.
    """

    def __init__(self, ranker: Ranker, engine: Engine) -> None:
        self._ranker = ranker
        self._engine = engine
        self._shared = engine.share(ranker, "judgements")
        self._advanced = 0

    def __exit__(self, *_: object) -> None:
        self._shared.close()

    def rank(self, run: RunFiles, form: str = TREC) -> Ranking:
        """Return the ranking of a run, which is read as often as it takes.

        `form` is that of -T; a file that is no trec run is recognised by its beginning if it is in another
        format.  Raises InputError for a malformed line or a document that a topic has twice, UsageError for
        a format that does not exist, WorkersLostError.
        """
        check_format(form)
        run = run.of_form(form)
        self._advanced = 0
        try:
            return self._read(run)
        except InputError:
            from pres_eval.reading.formats.recognising import recognised

            is_file = run.form == TREC and len(run.sources) == 1
            found = recognised(run.sources[0], grades=False) if is_file else None
            if found is None:
                raise
            return self._read(replace(run, form=found.name))

    def _read(self, run: RunFiles) -> Ranking:
        """Return the ranking of a run in a known format, in one pass if topics are together."""
        if run.form != TREC:
            check_tag(run.name, _tag(run))
        once = self._ranker.once
        try:
            try:
                return self._made(run, self._merged(run, RANKS))
            except ScatteredError:
                if not once:
                    return self._in_any_order(run)
        except InputError:
            # The rows of a table are all read before the first of them is found to be wrong.
            if run.form == TREC:
                raise
            if not once:
                raise self._first_duplicate(run) from None
        except DuplicateRowError:
            if not once:
                if self._ranker.most is not None:
                    # Rows that came later may have moved these behind the last one that -M leaves.
                    with contextlib.suppress(DuplicateRowError):
                        return self._of_all_rows(run)
                raise self._first_duplicate(run) from None
        # What tells which row is one too many, or keeps rows in any order, knows mapped ids alone.
        for ranker in (self._ranker.unmapped(), replace(self._ranker, once=False)):
            with Runs(ranker, self._engine) as runs:
                found = runs._read(run)
        return found

    def _in_any_order(self, run: RunFiles) -> Ranking:
        """Return the ranking of lines in any order; ids are kept only if some come twice or many tie."""
        ranked = None
        topics = topic_keys(len(self._ranker.pool.topics), self._ranker.single)
        with contextlib.suppress(IdsWantedError):
            part = self._merged(run, KEYS)
            if part.keyed:
                rank_ties = partial(self._rank_ties, run, topics)
                ranked = rank_in_any_order(part.keyed, topics, self._engine.workers, rank_ties)
            return self._made(run, replace(part, ranked=ranked), unchecked=not self._ranker.checks)
        return self._of_all_rows(run)

    def _rank_ties(self, run: RunFiles, topics: Words, ties: Words) -> Ranked:
        """Rank the documents of some ties, whose keys ascend (E,), each tie like a topic of its own.

        topics  (T,) the least key of each topic
        """
        rows = self._merged(run, Kept(ROWS, ties)).rows
        if rows is None:
            raise run.sources[0].changed()
        ranker = replace(self._ranker, most=None, duplicates=ERROR)
        topic = np.searchsorted(topics, ties, side="right").astype(np.int64) - 1
        return ranker.ranked_rows(rows, self._engine.workers, topic)

    def _of_all_rows(self, run: RunFiles) -> Ranking:
        """Return the ranking of rows that this process keeps first.  Raises DuplicateRowError."""
        workers = self._engine.workers
        part = Runs(self._ranker, Here(workers))._merged(run, EVERY_ROW)
        ranked = None if part.rows is None else self._ranker.ranked_rows(part.rows, workers)
        return self._made(run, replace(part, ranked=ranked))

    def _first_duplicate(self, run: RunFiles) -> InputError:
        """Return the error of a run in which topics have documents twice."""
        from pres_eval.ranking.duplicates import first_duplicate

        return first_duplicate(run, None if run.form == TREC else _format(run.form), self._ranker)

    def _merged(self, run: RunFiles, kept: Kept) -> Part:
        """Return all parts of the run as one.  Raises InputError for the first line that is malformed."""
        merging = Merging(self._ranker.pool)
        begins = number = 0
        if self._advanced:  # a second pass takes back what the first reported
            run.advance(-self._advanced)
            self._advanced = 0
        with contextlib.ExitStack() as stack:
            files, splits = self._splits(run, kept.by_topic, stack)
            if run.form == TREC and kept.what != ROWS and len(splits) > 1:
                self._begin(files, splits[0], kept)
            shared = stack.enter_context(contextlib.closing(self._engine.share(files, "the run")))
            threads = self._engine.threads if len(splits) == 1 else 1
            work = partial(read_split, kept=kept, form=run.form, threads=threads)
            parts = stack.enter_context(
                contextlib.closing(self._engine.map(work, splits, self._shared, shared))
            )
            for split in splits:
                if split.number != number:
                    number, begins = split.number, merging.facts.num_lines
                try:
                    merging.add(next(parts))
                except LineError as error:
                    before = merging.facts.num_lines - begins
                    raise error.in_file(run.sources[split.number], before, RUN.names) from None
                if split.stop is not None:  # who reads a whole file tells it
                    num_bytes = (run.size() or 0) // len(splits)
                    self._advanced += num_bytes
                    run.advance(num_bytes)
        if not merging.facts.num_rows:
            raise _without_rows(run, merging.facts)
        return merging.part()

    def _begin(self, files: Sequence[File], split: Split, kept: Kept) -> None:
        """Read the first lines here, which may show that rows must be kept in another way.

        Raises ScatteredError, IdsWantedError, before any worker begins; all other errors are for those.
        """
        if split.stop is not None:
            stop = FIRST_BYTES if kept.by_topic else CHUNK
            with contextlib.suppress(PresEvalError, LineError, DuplicateRowError):
                if stop < split.stop:
                    cut = cut_for(kept.by_topic)
                    split = replace(split, stop=files[split.number].cut_at(stop, cut))
                read_split(split, self._ranker, files, kept=kept)

    def _splits(
        self, run: RunFiles, by_topic: bool, stack: contextlib.ExitStack
    ) -> tuple[list[File], list[Split]]:
        """Return the files, open as long as the stack is, and their splits; `by_topic`: of whole topics."""
        size = self._engine.split_size(run.size() or 0)
        is_apart = run.is_remote or (run.form == PARQUET and run.size() is not None)
        if size is None and is_apart:
            size = split_size(run.size() or 0, self._engine.workers)
        if size is None or run.form not in (TREC, PARQUET) or any(one.path == "-" for one in run.sources):
            return list(run.sources), [Split(number) for number in range(len(run.sources))]
        files = list(run.sources)
        for file in files:
            stack.enter_context(file.kept_open())
        splits: list[Split] = []
        for number, file in enumerate(files):
            if run.form == PARQUET:
                splits.extend(parquet_splits(number, file, size))
            else:
                splits.extend(text_splits(number, file, size, by_topic))
        return files, splits

    def _made(self, run: RunFiles, part: Part, unchecked: bool = False) -> Ranking:
        """Return the ranking of a run whose parts were ranked."""
        is_trec = run.form == TREC
        return ranking_of(
            part,
            self._ranker,
            run.name,
            tag=None if is_trec else _tag(run),
            form=None if is_trec else _format(run.form).meaning,
            unchecked=unchecked,
        )

    def rank_each(
        self, runs: Sequence[RunFiles], form: str = TREC, going_on: bool = False
    ) -> Generator[Ranking | RunFailure, None, None]:
        """Yield the rankings of runs in order: a worker reads a small one whole, all workers a large one.

        `going_on`: a run that cannot be read is a RunFailure; otherwise its error is raised.
        """
        most = self._engine.split_size(sum(run.size() or 0 for run in runs))

        for large, group in groupby(runs, lambda run: most is not None and (run.size() or 0) > most):
            if large or len(runs) == 1:
                yield from (self._outcome(run, form, going_on) for run in group)
                continue
            each = list(group)
            work = partial(_rank_whole, form=form, going_on=going_on)
            with contextlib.closing(self._engine.map(work, each, self._shared)) as found:
                for run, one in zip(each, found, strict=True):
                    if most is not None:
                        run.advance(run.size() or 0)
                    yield one

    def _outcome(self, run: RunFiles, form: str, going_on: bool) -> Ranking | RunFailure:
        """Return the ranking; on failure a RunFailure if going_on, else raise."""
        try:
            return self.rank(run, form)
        except PresEvalError as error:
            if not going_on:
                raise
            return RunFailure(run.name, str(error))


def _tag(run: RunFiles) -> str:
    """Return the tag of a run whose format has none: the name of the file without its endings."""
    return run.name.rpartition("/")[2].partition(".")[0] or "run"


def _rank_whole(run: RunFiles, ranker: Ranker, form: str, going_on: bool) -> Ranking | RunFailure:
    """Return the result of `_outcome` for a run that one worker reads by itself."""
    with Runs(ranker, Here(1)) as runs:
        return runs._outcome(run, form, going_on)


def _without_rows(run: RunFiles, facts: Facts) -> InputError:
    """Return the error of a run that has no rows."""
    if run.form != TREC:
        return InputError(run.name, None, "no rows", "at least one")
    if not facts.num_lines:
        return EmptyFileError(run.name, None, "the file is empty", "lines of text")
    return no_lines(File(run.name), RUN)
