"""Any number of runs: small ones whole and in bundles, large ones in splits."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterator, Sequence
from dataclasses import replace
from itertools import groupby

from pres_eval.cluster.engines import Engine, Here, Shared
from pres_eval.cluster.folders import Folder, run_at
from pres_eval.cluster.ranking import Plan, SplitRun, WholeRunWantedError
from pres_eval.cluster.scanning import Wanted
from pres_eval.cluster.splits import PER_WORKER, split_size
from pres_eval.cluster.storage import File, first_bytes, is_compressed, is_remote, source_of
from pres_eval.errors import InputError, PresEvalError, RunFailure
from pres_eval.options import Options
from pres_eval.ranking.any_format import (
    PARQUET,
    PARQUET_MAGIC,
    TREC,
    RunInParts,
    check_format,
    is_in_parts,
    read_any_run,
)
from pres_eval.ranking.run_file import Judged, Ranking
from pres_eval.reading.source import Source
from pres_eval.records import dataclass
from pres_eval.workers import in_order, num_processors

BUNDLES_PER_WORKER = 8
"""Bundles of whole runs for each worker, so that none of them waits long for the last one."""

LOOKED_UP = 16
"""Remote files that are looked up at a time."""

MOST_AT_ONCE = 32
"""Large runs that are merged at the same time."""

MOST_IN_BUNDLE = 64
"""Whole runs of a bundle: what comes back of it waits in memory."""


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
    wanted = Wanted.of(judged, options)
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
        """The runs; of those that follow each other small ones are read in bundles, large ones in splits."""
        files = list(in_order(_file, names, LOOKED_UP if any(map(is_remote, names)) else 1))
        sizes = [file.size for file in files if not isinstance(file, Found)]
        large = self.plan.split_bytes or split_size(sum(sizes), self.engine.workers)
        in_bundle = min(max(len(files) // (BUNDLES_PER_WORKER * self.engine.workers), 1), MOST_IN_BUNDLE)

        def is_small(file: File | Folder | Found) -> bool:
            return isinstance(file, File) and file.size <= large

        for small, group in groupby(files, is_small):
            if small:
                yield from self._whole([file for file in group if isinstance(file, File)], in_bundle)
            else:
                yield from self._in_splits(list(group), large)

    def _in_splits(self, runs: Sequence[File | Folder | Found], size: int) -> Iterator[Found]:
        """Large runs; as many at a time as keep all workers busy."""
        sizes = [run.size for run in runs if not isinstance(run, Found)]
        splits = max(sum(sizes) // (size * max(len(sizes), 1)), 1)
        at_once = min(-(-PER_WORKER * self.engine.workers // splits), len(runs), MOST_AT_ONCE)
        if at_once == 1:
            each = replace(self, plan=replace(self.plan, split_bytes=size))
            yield from map(each._large, runs)
            return
        each = replace(self, plan=replace(self.plan, split_bytes=size, told=None))
        for done, found in enumerate(in_order(each._large, runs, at_once, ahead=0), 1):
            if self.plan.told is not None:
                self.plan.told(done, len(runs))
            yield found

    def _whole(self, files: Sequence[File], in_bundle: int) -> Iterator[Found]:
        bundles = [files[start : start + in_bundle] for start in range(0, len(files), in_bundle)]
        done = 0
        with contextlib.closing(self.engine.map(map_whole, bundles, self.shared, self.reading)) as results:
            for result in results:
                done += len(result)
                if self.plan.told is not None:
                    self.plan.told(done, len(files))
                yield from result

    def _large(self, run: File | Folder | Found) -> Found:
        if isinstance(run, Found):
            return run
        try:
            form = self._form_of_parts(run) if isinstance(run, Folder) else self._form_in_splits(run)
            if form is not None:
                return self._split(run, form == PARQUET)
        except InputError as error:
            return Found(run.name, None, error)
        assert isinstance(run, File)
        return next(self._whole([run], 1))

    def _form_in_splits(self, file: File) -> str | None:
        """The format of a file that is read in splits; None for one that has to be read whole."""
        if self.form not in (TREC, PARQUET) or is_compressed(file):
            return None
        if self.form == TREC and first_bytes(file, len(PARQUET_MAGIC)) != PARQUET_MAGIC:
            return TREC
        return PARQUET

    def _form_of_parts(self, run: Folder) -> str:
        """The format of part files.  Raises InputError if they have several, or another than is wanted."""
        heads = {file: first_bytes(file, len(PARQUET_MAGIC)) for file in run.files if file.size}
        found = {file: PARQUET if head == PARQUET_MAGIC else TREC for file, head in heads.items()}
        for file, form in found.items():
            if form != next(iter(found.values())) or self.form not in (TREC, form):
                kind = "Parquet" if form == PARQUET else "no Parquet"
                raise InputError(
                    file.name, None, kind, "the part files of a run all as text, or all as Parquet"
                )
        return next(iter(found.values()), TREC)

    def _split(self, run: File | Folder, parquet: bool) -> Found:
        reading = SplitRun(run, parquet, self.engine, self.wanted, self.shared, self.plan)
        try:
            return Found(run.name, reading.rank(), None, reading.unchecked)
        except WholeRunWantedError:
            if isinstance(run, Folder):
                raise InputError(
                    run.name,
                    None,
                    "topics that are not together in part files",
                    f"topics together, or one file, for --duplicates {self.options.duplicates}",
                ) from None
        except InputError:
            from pres_eval.reading.formats.recognising import recognised

            if isinstance(run, Folder) or parquet or recognised(source_of(run), grades=False) is None:
                raise
        return next(self._whole([run], 1))


def _file(name: str) -> File | Folder | Found:
    try:
        return run_at(name)
    except PresEvalError as error:
        return Found(name, None, error)


def run_named(name: str) -> Source:
    """The run at a path or an address, to be read by one process."""
    return _InSplits(name) if is_remote(name) or is_in_parts(name) else Source(name)


class _InSplits(RunInParts):
    """A run that the threads of this process read as workers do, in memory that does not grow with it."""

    def __init__(self, name: str) -> None:
        super().__init__(name)
        self._whole_size = 0

    def size(self) -> int | None:
        """Bytes of all files."""
        try:
            self._whole_size = run_at(self.name).size
        except PresEvalError:
            return None  # whoever reads it says why not
        return self._whole_size

    def rank(self, judged: Judged, options: Options, jobs: int | None, form: str) -> Ranking:
        """Rank the run in splits."""
        plan = Plan(check=True, told=self._told)
        (found,) = rank_runs([self.name], judged, options, Here(jobs or num_processors()), plan, form)
        return found.checked()

    def _told(self, _: int, total: int) -> None:
        if self._progress is not None:
            self._progress(self._whole_size // total)
