"""Reading the files that the command line names, and saying what is to be said about them."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import nullcontext
from typing import TYPE_CHECKING

import click

from pres_eval.cli.streams import say
from pres_eval.errors import InputError, PresEvalError, RunFailure, UsageError
from pres_eval.options import Options
from pres_eval.ranking.any_format import LARGE, TREC, RunInParts, is_in_parts, read_any_run
from pres_eval.ranking.run_file import Ranking
from pres_eval.ranking.warnings import warnings_about
from pres_eval.reading.qrels import Qrels
from pres_eval.reading.relevance import Relevance, read_relevance
from pres_eval.reading.source import Source
from pres_eval.records import dataclass
from pres_eval.workers import in_order, num_processors

if TYPE_CHECKING:
    from pres_eval.cli.clustering import Cluster
    from pres_eval.scoring import Scoring

LARGE_QRELS = 32 << 20
"""Bytes of judgements that are worth copies of this process."""


@dataclass(frozen=True)
class Reader:
    """How files are read, and whether anything is said about them."""

    form: str = "qrels"
    quiet: bool = False
    jobs: int | None = None
    run_form: str = TREC
    cluster: Cluster | None = None

    @property
    def num_jobs(self) -> int:
        """Threads."""
        return self.jobs or num_processors()

    def jobs_for(self, num_runs: int) -> int:
        """Threads that work on a run: one if there are several runs to be worked on at the same time."""
        return 1 if num_runs > 1 else self.num_jobs

    def relevance(self, path: str) -> Relevance:
        """The judgements."""
        source = _source(path)
        relevance = self._of_copies(source) or read_relevance(source, self.form, self.jobs)
        if self.form == "qrels" and isinstance(relevance, Qrels):
            self._note(relevance.name, relevance.form)
        return relevance

    def _of_copies(self, source: Source) -> Qrels | None:
        """The judgements as copies of the process read them, None if they are not for copies."""
        if type(source) is not Source or self.form != "qrels" or self.cluster is not None:
            return None
        if self.num_jobs == 1 or source.path == "-" or (source.size() or 0) < LARGE_QRELS:
            return None
        from pres_eval.cluster.judged import qrels_of_copies

        return qrels_of_copies(source.path, self.num_jobs)

    def qrels(self, path: str) -> Qrels:
        """The judgements, where another format than qrels was refused before."""
        relevance = self.relevance(path)
        assert isinstance(relevance, Qrels), "the format is that of qrels"
        return relevance

    def _note(self, name: str, form: str | None) -> None:
        """Say what a file was recognised as, if it was."""
        if form is not None and not self.quiet:
            say(f"pres-eval: note: {name}: read as {form}")

    def runs(
        self,
        paths: Sequence[str],
        relevance: Relevance,
        options: Options,
        failures: list[RunFailure] | None = None,
        scoring: Scoring | None = None,
    ) -> Iterator[Ranking]:
        """The runs one after the other, with their warnings.

        One run is parsed by several threads; of several runs each is read by one, a few of them ahead.
        A run that cannot be read is left out and added to `failures`, or raises its error if that is None.
        `scoring`: what values are wanted of the runs; a ScoredRanking may come then, which has no ranks.
        """
        going_on = failures is not None
        if self.cluster is not None:
            outcomes = self._of_cluster(paths, relevance, options, going_on)
        else:
            outcomes = self._on_this_machine(paths, relevance, options, going_on, scoring)
        for outcome in outcomes:
            if isinstance(outcome, RunFailure):
                assert failures is not None
                failures.append(outcome)
                say(f"pres-eval: {outcome.message}")
                continue
            if self.run_form == TREC:
                self._note(outcome.name, outcome.form)
            if not self.quiet:
                for warning in warnings_about(outcome, relevance, options, len(paths) == 1):
                    warn(warning)
            yield outcome

    def _of_cluster(
        self, paths: Sequence[str], relevance: Relevance, options: Options, going_on: bool
    ) -> Iterator[Ranking | RunFailure]:
        """The runs as workers read them; a failure instead of its error if the others are wanted then."""
        from pres_eval.cli.clustering import runs_of_cluster

        assert self.cluster is not None
        every = runs_of_cluster(
            self.cluster, paths, relevance, options, self.run_form, quiet=self.quiet, going_on=going_on
        )
        for found in every:
            yield found.outcome(going_on)

    def _on_this_machine(
        self,
        paths: Sequence[str],
        relevance: Relevance,
        options: Options,
        going_on: bool,
        scoring: Scoring | None,
    ) -> Iterator[Ranking | RunFailure]:
        """The same as this process reads them, with threads, or with copies of itself if they are large."""
        from pres_eval.cli.progress import reading_bar

        sources = [_run_source(path, scoring) for path in paths]
        one_by_one = all(isinstance(source, RunInParts) and source.alone for source in sources)
        jobs = self.num_jobs if one_by_one else self.jobs_for(len(paths))

        def read(source: Source) -> Ranking | RunFailure:
            try:
                return read_any_run(source, relevance, options, jobs, self.run_form)
            except PresEvalError as error:
                if not going_on:
                    raise
                return RunFailure(source.name, str(error))

        at_once = 1 if one_by_one else min(len(paths), self.num_jobs)
        with reading_bar(sources, self.quiet) as bar:
            for found in _read_each(read, sources, at_once):
                with nullcontext() if bar is None else bar.pause():
                    yield found


def _read_each(
    read: Callable[[Source], Ranking | RunFailure], sources: Sequence[Source], at_once: int
) -> Iterator[Ranking | RunFailure]:
    """The runs in order, some at the same time: by copies of the process if they are large together."""
    if at_once > 1 and sum(source.size() or 0 for source in sources) >= LARGE:
        from pres_eval.cluster.large import read_each

        return read_each(read, sources, at_once)
    return in_order(read, sources, at_once)


def _source(path: str) -> Source:
    """The file at a path, or at an address."""
    if "://" not in path:
        return Source(path)
    from pres_eval.cluster.storage import source_named

    return source_named(path)


def _run_source(path: str, scoring: Scoring | None) -> Source:
    """The same, a folder of part files, a Parquet file or one that is large."""
    if "://" in path or is_in_parts(path):
        from pres_eval.cluster.runs import run_named

        return run_named(path)
    source = Source(path)
    if path != "-" and (source.size() or 0) >= LARGE:
        from pres_eval.cluster.large import large_run

        return large_run(path, scoring)
    return source


def check_paths(qrels: str, runs: Sequence[str]) -> None:
    """Stop if standard input is wanted twice."""
    if [qrels, *runs].count("-") > 1:
        raise UsageError("standard input (-) can be one file only")


def path_of(ranking: Ranking) -> str:
    """The run as it was named on the command line."""
    return "-" if ranking.name == Source("-").name else ranking.name


def exit_if_failed(failures: Sequence[RunFailure] | None) -> None:
    """End with the exit code of bad input if runs could not be evaluated; all output is written by now."""
    if failures:
        raise click.exceptions.Exit(InputError.exit_code)


def warn(text: str) -> None:
    """Say something on stderr."""
    say(f"pres-eval: warning: {text}")
