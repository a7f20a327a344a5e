"""Runs become rankings: one way for files, folders of part files, pipes and addresses, on every engine."""

from __future__ import annotations

import contextlib
import enum
from collections.abc import Callable, Generator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby
from typing import cast

from pres_eval.engines.engine import Engine, ThisProcess, split_size
from pres_eval.engines.threads import UNTHREADED, in_order
from pres_eval.errors import EmptyFileError, InputError, PresEvalError, RunFailure
from pres_eval.options import Options
from pres_eval.ranking.parts import (
    AnyPart,
    Facts,
    Merging,
    MergingRanks,
    MergingRows,
    RankedPart,
    RowsPart,
)
from pres_eval.ranking.ranked import NO_TOPICS
from pres_eval.ranking.ranking import Ranking, ranking_of
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.ranking.whole_topics import DuplicateRowError
from pres_eval.reading.blocks import Block, FileFormat, check_tag
from pres_eval.reading.cuts import ScatteredError
from pres_eval.reading.file import Chunk, File
from pres_eval.reading.headings import Role
from pres_eval.reading.judgements.relevance import Relevance
from pres_eval.reading.lines import RUN, LineError, no_lines_error
from pres_eval.reading.run_files import PARQUET, RUN_FORMATS, TREC, RunFiles, check_format
from pres_eval.reading.splits import (
    Split,
    blocks_in,
    cut_for,
    parquet_splits,
    text_chunks,
    text_splits,
)

FIRST_BYTES = 1 << 18
"""Bytes of a run that are read here first, to see whether topics are together."""


def _format(form: str) -> FileFormat:
    """Return the format of this name, which is not trec_eval's."""
    from pres_eval.reading.formats.recognising import FORMATS

    return FORMATS[form]


class Keep(enum.Enum):
    """What is kept of the rows of a run."""

    RANKS = "ranks of whole topics"
    ROWS = "rows of topics that go on elsewhere"


def read_split(
    split: Split,
    ranker: RunRanker,
    files: Sequence[File],
    *,
    keep: Keep = Keep.RANKS,
    form: str = TREC,
    threads: int = 1,
) -> RankedPart | RowsPart:
    """Return what is kept of a split of these files, which `threads` threads of this process read.

    form  the name of their format
    Raises LineError for a malformed line, InputError, DuplicateRowError, ScatteredError.
    """
    if keep is Keep.RANKS:
        merging = MergingRanks(ranker.ranker.pool)
        _read_into(merging, ranker.ranked_part, split, files, form, threads, by_topic=True)
        return merging.part()
    merging_rows = MergingRows()
    _read_into(merging_rows, ranker.rows_part, split, files, form, threads, by_topic=False)
    return merging_rows.part()


def _read_into(
    merging: Merging[AnyPart],
    part_of: Callable[[Chunk | Block], AnyPart],
    split: Split,
    files: Sequence[File],
    form: str,
    threads: int,
    by_topic: bool,
) -> None:
    """Read a split, and merge the parts that its chunks, or blocks in other formats, become.

    part_of   returns the part of one of them
    by_topic  whether each has all rows of its topics
    """
    file = files[split.number]
    if form != TREC:
        blocks = blocks_in(file, split, _format(form), by_topic)
        for part in in_order(part_of, blocks, threads, UNTHREADED):
            merging.add(part)
        return

    def work(chunk: Chunk) -> tuple[Chunk, AnyPart]:
        """Return a chunk, whose memory may be used again, and its part."""
        return chunk, part_of(chunk)

    # One chunk lies ready, so that no thread waits until this one has read the next: a seventh faster.
    with contextlib.closing(text_chunks(file, by_topic, split.start, split.stop)) as chunks:
        parts = in_order(work, chunks, threads, UNTHREADED)
        with contextlib.suppress(EmptyFileError):  # others may have lines
            merging.add_chunks(file, parts)


class FirstPass(enum.Enum):
    """What the first reading of a run shows about its topics."""

    WHOLE = "each is in one place"
    SCATTERED = "some are in several places"
    TWICE = "one has a document twice"


def read_run(
    run: File | RunFiles,
    judged: Relevance,
    options: Options | None = None,
    jobs: int | None = None,
    form: str = TREC,
) -> Ranking:
    """Return the ranking of a run that `jobs` threads of this process read (None: one a processor).

    Raises the errors of `Runs.rank`.
    """
    files = run
    if isinstance(files, File):
        files = RunFiles(files.name, (files,))
    with Runs(RunRanker.for_judgements(judged, options or Options()), ThisProcess(jobs)) as runs:
        return runs.rank(files, form)


class Runs(contextlib.AbstractContextManager["Runs"]):
    """Ranks runs by an engine; the judged documents are sent to its workers once.

    Rankings do not depend on the engine.  What nobody judged is dropped on the way.
    """

    def __init__(self, ranker: RunRanker, engine: Engine) -> None:
        self._ranker = ranker
        self._engine = engine
        self._shared = engine.share(ranker, "judgements")
        self._advanced = 0
        """Bytes of the present run that were reported to whoever watches it."""

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
        except InputError as error:
            if run.form != TREC:
                raise
            from pres_eval.reading.formats.recognising import recognised

            other_format = recognised(run.sources[0], Role.RUN)
            if other_format is None:
                raise
            if len(run.sources) > 1:
                if other_format.name not in RUN_FORMATS:
                    raise
                advice = f"part files like this one are read with -T {other_format.name}"
                raise InputError(error.path, error.line, error.found, error.expected, advice) from None
            return self._read(replace(run, form=other_format.name))

    def _read(self, run: RunFiles) -> Ranking:
        """Return the ranking of a run in a known format, in one pass if topics are together."""
        if run.form != TREC:
            check_tag(run.name, _tag(run))
        try:
            outcome, part = self._first_pass(run)
            if part is not None:
                return self._ranking(run, part)
            if len(self._ranker.passes()) > 1:
                return self._read_in_passes(run)
            if outcome is FirstPass.SCATTERED:
                return self._ranked_rows(run, self._ranker.checks)
            if self._ranker.ranker.most is not None:
                # Rows that came later may have moved these behind the last one that -M leaves.
                return self._ranked_rows(run, checks=True)
        except InputError:
            # The rows of a table are all read before the first of them is found to be wrong.
            if run.form == TREC:
                raise
            if len(self._ranker.passes()) > 1:
                return self._read_in_passes(run)
        except DuplicateRowError:
            pass
        raise self._first_duplicate(run)

    def _first_pass(self, run: RunFiles) -> tuple[FirstPass, RankedPart | None]:
        """Read a run as if its topics were together; return whether they are, and its ranks if so."""
        merging = MergingRanks(self._ranker.ranker.pool)
        try:
            return FirstPass.WHOLE, self._merged(run, Keep.RANKS, merging)
        except ScatteredError:
            return FirstPass.SCATTERED, None
        except DuplicateRowError:
            return FirstPass.TWICE, None

    def _read_in_passes(self, run: RunFiles) -> Ranking:
        """Return the ranking of the last pass of several; raise the errors of any of them."""
        *checks, last = self._ranker.passes()
        for ranker in checks:
            with Runs(ranker, self._engine) as runs:
                runs._read(run)
        with Runs(last, self._engine) as runs:
            return runs._read(run)

    def _ranked_rows(self, run: RunFiles, checks: bool) -> Ranking:
        """Return the ranking of rows that this process collects first.  Raises DuplicateRowError.

        checks  whether documents that nobody judged are errors, too, if they come twice
        """
        part = self._merged(run, Keep.ROWS, MergingRows())
        ranked = NO_TOPICS
        if len(part.rows.topic):
            ranked = self._ranker.ranker.ranked_rows(part.rows, self._engine.workers, checks)
        ranked_part = RankedPart(
            facts=part.facts, unjudged=part.unjudged, more_unjudged=part.more_unjudged, ranked=ranked
        )
        return self._ranking(run, ranked_part, unchecked=not checks)

    def _first_duplicate(self, run: RunFiles) -> InputError:
        """Return the error of a run in which topics have documents twice."""
        from pres_eval.ranking.duplicates import first_duplicate

        form = None
        if run.form != TREC:
            form = _format(run.form)
        return first_duplicate(run, form, self._ranker)

    def _merged(self, run: RunFiles, keep: Keep, merging: Merging[AnyPart]) -> AnyPart:
        """Return all parts of the run as one, read by the workers of the engine.

        Raises InputError for the first line that is malformed.
        """
        if self._advanced:  # a second pass takes back what the first reported
            run.advance(-self._advanced)
            self._advanced = 0
        number = lines_before_file = 0
        with contextlib.ExitStack() as stack:
            files, splits = self._splits(run, keep is Keep.RANKS, stack)
            if run.form == TREC and keep is Keep.RANKS and len(splits) > 1:
                self._begin(files, splits[0])
            shared = stack.enter_context(contextlib.closing(self._engine.share(files, "the run")))
            threads = self._engine.threads if len(splits) == 1 else 1
            work = partial(read_split, keep=keep, form=run.form, threads=threads)
            parts = stack.enter_context(
                contextlib.closing(self._engine.map(work, splits, self._shared, shared))
            )
            for split in splits:
                if split.number != number:
                    number, lines_before_file = split.number, merging.facts.num_lines
                try:
                    merging.add(cast(AnyPart, next(parts)))
                except LineError as error:
                    before = merging.facts.num_lines - lines_before_file
                    raise error.in_file(run.sources[number], before, RUN.names) from None
                if split.stop is not None:  # whoever reads a whole file reports it
                    num_bytes = (run.size() or 0) // len(splits)
                    self._advanced += num_bytes
                    run.advance(num_bytes)
        if not merging.facts.num_rows:
            raise _without_rows(run, merging.facts)
        return merging.part()

    def _begin(self, files: Sequence[File], split: Split) -> None:
        """Read the first lines here, which may show that topics are not together.

        Raises ScatteredError before any worker begins; all other errors are for those.
        """
        if split.stop is not None:
            with contextlib.suppress(PresEvalError, LineError, DuplicateRowError):
                if split.stop > FIRST_BYTES:
                    stop = files[split.number].cut_at(FIRST_BYTES, cut_for(by_topic=True))
                    split = replace(split, stop=stop)
                read_split(split, self._ranker, files)

    def _splits(
        self, run: RunFiles, by_topic: bool, stack: contextlib.ExitStack
    ) -> tuple[list[File], list[Split]]:
        """Return the files, open as long as the stack is, and their splits; `by_topic`: of whole topics."""
        files = list(run.sources)
        size = self._size_of_splits(run)
        if size is None:
            return files, [Split(number) for number in range(len(files))]
        for file in files:
            stack.enter_context(file.kept_open())
        splits: list[Split] = []
        for number, file in enumerate(files):
            if run.form == PARQUET:
                splits.extend(parquet_splits(number, file, size))
            else:
                splits.extend(text_splits(number, file, size, by_topic))
        return files, splits

    def _size_of_splits(self, run: RunFiles) -> int | None:
        """Return about how many bytes each split has; None if whole files are splits."""
        if run.form not in (TREC, PARQUET) or any(source.path == "-" for source in run.sources):
            return None
        num_bytes = run.size()
        size = self._engine.split_size(num_bytes or 0)
        if size is None and (run.is_remote or (run.form == PARQUET and num_bytes is not None)):
            size = split_size(num_bytes or 0, self._engine.workers)
        return size

    def _ranking(self, run: RunFiles, part: RankedPart, unchecked: bool = False) -> Ranking:
        """Return the ranking of a run whose parts were ranked and merged."""
        tag = form = None
        if run.form != TREC:
            tag, form = _tag(run), _format(run.form).meaning
        return ranking_of(part, self._ranker.ranker, run.name, tag=tag, form=form, unchecked=unchecked)

    def rank_each(
        self, runs: Sequence[RunFiles], form: str = TREC, going_on: bool = False
    ) -> Generator[Ranking | RunFailure, None, None]:
        """Yield the rankings of runs in order: a worker reads a small one whole, all workers a large one.

        `going_on`: a run that cannot be read is a RunFailure; otherwise its error is raised.
        """
        if len(runs) == 1:
            yield self._outcome(runs[0], form, going_on)
            return
        most_bytes = self._engine.split_size(sum(run.size() or 0 for run in runs))

        def is_large(run: RunFiles) -> bool:
            """Return whether a run has more than a split."""
            return most_bytes is not None and (run.size() or 0) > most_bytes

        for large, group in groupby(runs, is_large):
            if large:
                for run in group:
                    yield self._outcome(run, form, going_on)
                continue
            small_runs = list(group)
            work = partial(_rank_whole, form=form, going_on=going_on)
            with contextlib.closing(self._engine.map(work, small_runs, self._shared)) as outcomes:
                for run, outcome in zip(small_runs, outcomes, strict=True):
                    if most_bytes is not None:
                        run.advance(run.size() or 0)
                    yield outcome

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
    file_name = run.name.rpartition("/")[2]
    return file_name.partition(".")[0] or "run"


def _rank_whole(run: RunFiles, ranker: RunRanker, form: str, going_on: bool) -> Ranking | RunFailure:
    """Return the ranking of a run that one worker reads by itself; on failure as `Runs._outcome` does."""
    with Runs(ranker, ThisProcess(1)) as runs:
        return runs._outcome(run, form, going_on)


def _without_rows(run: RunFiles, facts: Facts) -> InputError:
    """Return the error of a run that has no rows."""
    if run.form != TREC:
        return InputError(run.name, None, "no rows", "at least one")
    if not facts.num_lines:
        return EmptyFileError.without_bytes(run.name)
    return no_lines_error(File(run.name), RUN)
