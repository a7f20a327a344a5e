"""Runs become rankings: one way for files, folders of part files, pipes and addresses, on every engine."""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Sequence
from dataclasses import replace
from functools import partial
from itertools import groupby

from pres_eval.engines.engine import Engine, Here
from pres_eval.errors import InputError, PresEvalError, RunFailure
from pres_eval.options import Options
from pres_eval.ranking.ranker import Judged, Ranker
from pres_eval.ranking.ranking import Ranking
from pres_eval.ranking.run_reader import RunReader
from pres_eval.reading.run_files import TREC, RunFiles, check_format
from pres_eval.reading.source import Source


def read_run(
    run: Source | RunFiles,
    judged: Judged,
    options: Options | None = None,
    jobs: int | None = None,
    form: str = TREC,
) -> Ranking:
    """Read a run and rank its documents in this process, by `jobs` threads (None: one a processor).

    Raises what `Runs.rank` raises.
    """
    files = RunFiles(run.name, (run,)) if isinstance(run, Source) else run
    with Runs(Ranker.of(judged, options or Options()), Here(jobs)) as runs:
        return runs.rank(files, form)


class Runs:
    """Ranks runs by an engine; the judged documents are sent to its workers once.

    Rankings do not depend on the engine.  What nobody judged is dropped on the way.
    """

    def __init__(self, ranker: Ranker, engine: Engine) -> None:
        self._ranker = ranker
        self._engine = engine
        self._shared = engine.share(ranker, "judgements")

    def __enter__(self) -> Runs:
        return self

    def __exit__(self, *_: object) -> None:
        self._shared.release()

    def rank(self, run: RunFiles, form: str = TREC) -> Ranking:
        """Return the ranking of a run.

        `form` is that of -T; a file that is no trec run is recognised by its beginning if it is in another
        format.  Raises InputError for a malformed line or a document that a topic has twice, UsageError for
        a format that does not exist, WorkersLostError.
        """
        check_format(form)
        run, form = run.of_form(form)
        try:
            return self._read(run, form)
        except InputError:
            from pres_eval.reading.formats.recognising import recognised

            is_file = form == TREC and len(run.sources) == 1
            found = recognised(run.sources[0], grades=False) if is_file else None
            if found is None:
                raise
            return self._read(run, found.name)

    def _read(self, run: RunFiles, form: str) -> Ranking:
        """Return the ranking of a run in a known format, of which no document is there twice as written."""
        reader = RunReader(run, form, self._ranker, self._engine, self._shared)
        if not self._ranker.once:
            return reader.ranking()
        found = reader.whole_topics()
        if found is not None:
            return found
        # What tells which row is one too many, or keeps rows in any order, knows mapped ids alone.
        for ranker in (self._ranker.unmapped(), replace(self._ranker, once=False)):
            with Runs(ranker, self._engine) as runs:
                found = runs._read(run, form)
        assert found is not None
        return found

    def rank_each(
        self, runs: Sequence[RunFiles], form: str = TREC, going_on: bool = False
    ) -> Generator[Ranking | RunFailure, None, None]:
        """Yield the rankings of runs in order: a worker reads a small one whole, all workers a large one.

        `going_on`: a run that cannot be read is a RunFailure; otherwise its error is raised.
        """
        check_format(form)
        most = self._engine.split_size(sum(run.size() or 0 for run in runs))

        def is_small(run: RunFiles) -> bool:
            return len(runs) > 1 and (most is None or (run.size() or 0) <= most)

        for small, group in groupby(runs, is_small):
            if not small:
                yield from (_outcome(self, run, form, going_on) for run in group)
                continue
            each = list(group)
            work = partial(_rank_whole, form=form, going_on=going_on)
            with contextlib.closing(self._engine.map(work, each, self._shared)) as found:
                for run, one in zip(each, found, strict=True):
                    if most is not None:
                        run.advance(run.size() or 0)
                    yield one


def _rank_whole(run: RunFiles, ranker: Ranker, form: str, going_on: bool) -> Ranking | RunFailure:
    """Return what `_outcome` does of a run that one worker reads by itself."""
    with Runs(ranker, Here(1)) as runs:
        return _outcome(runs, run, form, going_on)


def _outcome(runs: Runs, run: RunFiles, form: str, going_on: bool) -> Ranking | RunFailure:
    """Return the ranking; on failure a RunFailure if going_on, else raise."""
    try:
        return runs.rank(run, form)
    except PresEvalError as error:
        if not going_on:
            raise
        return RunFailure(run.name, str(error))
