"""Any number of runs: small ones whole and in batches, large ones in splits."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import dataclass

from pres_eval.cluster.engines import Engine, Shared
from pres_eval.cluster.ranking import Plan, SplitRun
from pres_eval.cluster.scanning import Wanted
from pres_eval.cluster.splits import split_size
from pres_eval.cluster.storage import File, file_at, first_bytes, is_compressed, source_of
from pres_eval.errors import InputError, PresEvalError, RunFailure
from pres_eval.options import ERROR, Options
from pres_eval.ranking.any_format import PARQUET, TREC, check_format, read_any_run
from pres_eval.ranking.run_file import Judged, Ranking, only_topic

BATCHES_PER_WORKER = 8
"""Batches of whole runs for each worker, so that none of them waits long for the last one."""

MOST_IN_BATCH = 64
"""Whole runs of a batch: what comes back of it waits in memory."""


@dataclass(frozen=True)
class Reading:
    """How whole runs are read: the options, and their format as -T names it."""

    options: Options
    form: str


@dataclass(frozen=True)
class Found:
    """A run, or why it could not be read.

    unchecked  whether documents that nobody judged could be there twice, because it would be dear to know
    """

    name: str
    ranking: Ranking | None
    error: PresEvalError | None
    unchecked: bool = False

    def outcome(self, going_on: bool) -> Ranking | RunFailure:
        """The run, or why there is none; raises its error unless others go on without it."""
        if self.error is not None and going_on:
            return RunFailure(self.name, str(self.error))
        return self.checked()

    def checked(self) -> Ranking:
        """The run; raises its error."""
        if self.error is not None:
            raise self.error
        assert self.ranking is not None
        return self.ranking


def wanted_of(judged: Judged, options: Options) -> Wanted:
    """What workers have to know of judgements and options."""
    return Wanted(
        pool=judged.pool,
        single=options.version.single_precision_scores,
        ascending=judged.ties_ascending,
        most=options.max_retrieved,
        only=only_topic(judged.pool, options.only_topic),
    )


def map_whole(files: Sequence[File], wanted: Wanted, reading: Reading) -> list[Found]:
    """Rank some runs, each of them whole, as one process does."""
    return [_read(file, wanted, reading) for file in files]


def _read(file: File, wanted: Wanted, reading: Reading) -> Found:
    try:
        source = source_of(file)
        return Found(file.name, read_any_run(source, wanted, reading.options, 1, reading.form), None)
    except PresEvalError as error:
        return Found(file.name, None, error)


def rank_runs(
    names: Sequence[str],
    judged: Judged,
    options: Options,
    engine: Engine,
    plan: Plan | None = None,
    form: str = TREC,
) -> Generator[Found, None, None]:
    """The runs in the order of their names, each ranked as one process does.

    Raises UsageError for a format that does not exist, WorkersLostError if the work cannot be done.
    """
    check_format(form)
    plan = plan or Plan()
    wanted = wanted_of(judged, options)
    shared = engine.share(wanted, "judgements")
    reading = engine.share(Reading(options, form), "options")
    try:
        yield from _Runs(engine, wanted, shared, reading, plan, form, options).found(names)
    finally:
        reading.release()
        shared.release()


@dataclass(frozen=True)
class _Runs:
    engine: Engine
    wanted: Wanted
    shared: Shared
    reading: Shared
    plan: Plan
    form: str
    options: Options

    def found(self, names: Sequence[str]) -> Iterator[Found]:
        """The runs, those that follow each other and are read whole in batches."""
        files = [_file(name) for name in names]
        sizes = [file.size for file in files if isinstance(file, File)]
        # Splits don't see all rows of a topic, which rows that may be there twice have to be chosen from.
        may_split = self.options.duplicates == ERROR
        large = self.plan.split_bytes or split_size(sum(sizes), self.engine.workers)
        in_batch = min(max(len(files) // (BATCHES_PER_WORKER * self.engine.workers), 1), MOST_IN_BATCH)
        small: list[File] = []
        for file in files:
            if isinstance(file, File) and (file.size <= large or not may_split):
                small.append(file)
                continue
            yield from self._whole(small, in_batch)
            small = []
            yield self._large(file) if isinstance(file, File) else file
        yield from self._whole(small, in_batch)

    def _whole(self, files: Sequence[File], in_batch: int) -> Iterator[Found]:
        batches = [files[start : start + in_batch] for start in range(0, len(files), in_batch)]
        done = 0
        with contextlib.closing(self.engine.map(map_whole, batches, self.shared, self.reading)) as results:
            for result in results:
                done += len(result)
                if self.plan.told is not None:
                    self.plan.told(done, len(files))
                yield from result

    def _large(self, file: File) -> Found:
        try:
            form = self._form_in_splits(file)
            if form is not None:
                return self._split(file, form == PARQUET)
        except InputError as error:
            return Found(file.name, None, error)
        return next(self._whole([file], 1))

    def _form_in_splits(self, file: File) -> str | None:
        """The format of a file that is read in splits; None for one that has to be read whole."""
        if self.form not in (TREC, PARQUET) or is_compressed(file):
            return None
        if self.form == TREC and first_bytes(file, 4) != b"PAR1":
            return TREC
        return PARQUET

    def _split(self, file: File, parquet: bool) -> Found:
        run = SplitRun(file, parquet, self.engine, self.wanted, self.shared, self.plan)
        try:
            return Found(file.name, run.rank(), None, run.unchecked)
        except InputError:
            from pres_eval.reading.formats.recognising import recognised

            if parquet or recognised(source_of(file), grades=False) is None:
                raise
        return next(self._whole([file], 1))


def _file(name: str) -> File | Found:
    try:
        return file_at(name)
    except PresEvalError as error:
        return Found(name, None, error)
