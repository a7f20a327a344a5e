"""Reader of the files of the command line, with the warnings about them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterable, Iterator, Sequence
from typing import TYPE_CHECKING

import click

from pres_eval.cli.streams import say, writing_results
from pres_eval.engines.engine import Engine, Here
from pres_eval.errors import InputError, RunFailure, UsageError
from pres_eval.options import AS_TREC_EVAL, ONE, SKIP, STOP, ZERO, Options
from pres_eval.ranking.ranker import Ranker
from pres_eval.ranking.ranking import Ranking, with_nothing_for
from pres_eval.ranking.runs import Runs
from pres_eval.ranking.warnings import warnings_about
from pres_eval.reading.qrels import QrelsJudgements
from pres_eval.reading.relevance import Relevance, read_relevance
from pres_eval.reading.run_files import TREC, RunFiles, run_at, source_at
from pres_eval.reading.source import Source
from pres_eval.reading.storage import is_remote
from pres_eval.records import dataclass
from pres_eval.workers import num_processors

if TYPE_CHECKING:
    from pres_eval.cli.shared import NumberOptions, RewriteOptions
    from pres_eval.scoring import Scoring

LARGE = 16 << 20
"""Bytes of runs that are worth one more process: to copy one takes as long as reading two megabytes."""


def _topics_left_out(relevance: Relevance) -> str:
    """Return how many topics have no judgement left, as the end of a sentence; empty if all have."""
    gone = len(relevance.left_out) if isinstance(relevance, QrelsJudgements) else 0
    return f"; {gone} topic{'s' * (gone > 1)} without any left out" if gone else ""


def _rewritten(ranking: Ranking, said: RewriteOptions) -> Iterator[str]:
    """Yield how many rows of a run were mapped, merged and excluded."""
    if said.map_docs is not None:
        yield f"{ranking.num_mapped:,} of {ranking.num_lines:,} rows mapped to other documents"
        yield f"{ranking.num_dropped:,} left out as their document came before"
    if said.exclude is not None:
        yield f"{ranking.num_excluded:,} excluded"


@dataclass(frozen=True)
class Reader:
    """Reader of the files of a command, with its warnings.

    cluster  the workers that read the runs; None: this process and copies of it
    timeout  how many seconds they may take to answer; None: the usual
    checks   whether to look for unjudged documents that occur twice
    """

    said: NumberOptions
    run_form: str = TREC
    cluster: str | None = None
    timeout: float | None = None
    checks: bool = True

    @property
    def num_jobs(self) -> int:
        """Threads."""
        return self.said.jobs or num_processors()

    def relevance(self, path: str) -> Relevance:
        """Return the judgements, with the numbers that topics have of their own."""
        relevance = self._judgements(path)
        if self.said.nmax_file is None and self.said.size_file is None:
            return relevance
        from pres_eval.reading.changed_judgements import with_topic_numbers
        from pres_eval.reading.topic_files import read_weights

        nmax, sizes = (
            None if each is None else read_weights(each, "number")
            for each in (self.said.nmax_file, self.said.size_file)
        )
        return with_topic_numbers(relevance, nmax, sizes)

    def _judgements(self, path: str) -> Relevance:
        """Return the judgements of the topics that --empty keeps, mapped, without excluded documents."""
        form = self.said.relevance_format
        relevance = read_relevance(source_at(path), form, self.said.jobs)
        if form == "qrels" and isinstance(relevance, QrelsJudgements):
            self._note(relevance.name, relevance.form)
        rewriting = self.said.rewriting()
        if rewriting is None:
            return self._with_topics(relevance)
        before = len(relevance.pool.documents)
        relevance = rewriting.of_judgements(relevance)
        if not self.said.quiet:
            by = ", ".join(
                f"--{name.replace('_', '-')}"
                for name in ("map_docs", "exclude")
                if name in self.said.rewrites
            )
            say(
                f"pres-eval: note: {relevance.name}: {before:,} judgements became"
                f" {len(relevance.pool.documents):,} ({by})"
                f"{_topics_left_out(relevance)}"
            )
        return self._with_topics(relevance)

    def _with_topics(self, relevance: Relevance) -> Relevance:
        """Return the judgements of the topics that --empty keeps, after the warnings about the others."""
        rule, level = self.said.empty, self.said.relevance_level
        if rule == AS_TREC_EVAL and not isinstance(relevance, QrelsJudgements):
            return relevance
        from pres_eval.reading import changed_judgements as topics

        if rule == STOP:
            topics.check_no_empty_topics(relevance, level)
        left = topics.without_empty_topics(relevance, level) if rule == SKIP else relevance
        count = int(topics.empty_topics(relevance, level).sum())
        if count and not self.said.quiet:
            every, verb = len(relevance.pool.topics), "has" if count == 1 else "have"
            said = f"{relevance.name}: {count} of {every} topics {verb} no relevant document"
            worth = {SKIP: "left out", ZERO: "worth 0", ONE: "worth 1"}.get(rule)
            if worth is None and count == every:
                return left  # whoever evaluates a run says so
            if worth is None:
                warn(f"{said}: as in trec_eval they count, mostly as 0 (see --empty)")
            else:
                say(f"pres-eval: note: {said}: {worth} (--empty {rule})")
        return left

    def qrels(self, path: str) -> QrelsJudgements:
        """Return the judgements, where another format than qrels was refused before."""
        relevance = self.relevance(path)
        assert isinstance(relevance, QrelsJudgements), "the format is that of qrels"
        return relevance

    def _note(self, name: str, form: str | None) -> None:
        """Print the format that a file was recognised as, if any."""
        if form is not None and not self.said.quiet:
            say(f"pres-eval: note: {name}: read as {form}")

    def runs(
        self,
        paths: Sequence[str],
        relevance: Relevance,
        options: Options,
        failures: list[RunFailure] | None = None,
    ) -> Iterator[Ranking]:
        """Yield the runs one after the other, with their warnings.

        A run that cannot be read is left out and added to `failures`, or raises its error if that is None.
        """
        from pres_eval.reading.changed_judgements import answered_by_nothing

        answered = answered_by_nothing(relevance, options)
        ranked = self._ranked(paths, relevance, options, going_on=failures is not None)
        for outcome in ranked if self.cluster is None else _all_first(ranked):
            if isinstance(outcome, RunFailure):
                assert failures is not None
                failures.append(outcome)
                say(f"pres-eval: {outcome.message}")
                continue
            if not self.said.quiet:
                self._comment(outcome, relevance, options, alone=len(paths) == 1)
            yield outcome if answered is None else with_nothing_for(outcome, answered)

    def _comment(self, run: Ranking, relevance: Relevance, options: Options, alone: bool) -> None:
        """Print notes and warnings about a run."""
        from pres_eval.reading.changed_judgements import no_answers

        if self.run_form == TREC:
            self._note(run.name, run.form)
        if run.unchecked:
            say(
                f"pres-eval: note: {run.name}: topics are not together, so unjudged documents were"
                " not checked for coming twice (--no-check-duplicates)"
            )
        if self.said.rewrites:
            say(f"pres-eval: note: {run.name}: {', '.join(_rewritten(run, self.said))}")
        found = no_answers(relevance, options, run.topic[run.num_ret > 0])
        if found is not None:
            every, rightly = found
            say(
                f"pres-eval: note: {run.name}: nothing retrieved for {rightly} of {every} topics"
                f" without a relevant document ({rightly / every:.4f})"
            )
        for warning in warnings_about(run, relevance, options, alone):
            warn(warning)

    def _ranked(
        self, paths: Sequence[str], relevance: Relevance, options: Options, going_on: bool
    ) -> Iterator[Ranking | RunFailure]:
        """Yield the runs as the engine for them reads them; a failure instead of its error if going_on."""
        from pres_eval.cli.progress import reading_bar

        files = [run_at(path) for path in paths]
        ranker = Ranker.of(relevance, options, self.checks, looks=not self.said.quiet)
        with (
            reading_bar(files, self.said.quiet),
            self._engine(files) as engine,
            Runs(ranker, engine) as runs,
            contextlib.closing(runs.rank_each(files, self.run_form, going_on)) as found,
        ):
            for one in found:
                with writing_results():
                    yield one

    def _engine(self, files: Sequence[RunFiles]) -> contextlib.AbstractContextManager[Engine]:
        """Return who reads the runs: the cluster that was named, or copies of this process for large ones."""
        if self.cluster is not None:
            from pres_eval.cli.clustering import engine_of_cluster

            return engine_of_cluster(self.cluster, self.timeout, files, self.said.quiet)
        sizes = [run.size() for run in files]
        total = sum(size or 0 for size in sizes)
        if self.num_jobs > 1 and total >= LARGE and None not in sizes:
            from pres_eval.engines.processes import MOST, Processes, can_copy

            if can_copy() and not any(run.is_remote for run in files):
                return Processes(min(self.num_jobs, total // LARGE + 1, MOST), copied=True)
        return contextlib.nullcontext(Here(self.num_jobs))


def _all_first(ranked: Iterator[Ranking | RunFailure]) -> Iterator[Ranking | RunFailure]:
    """Yield the runs when all of them are there, so that nothing is half printed if workers are lost."""
    every: list[Ranking | RunFailure] = []
    failure = None
    try:
        every.extend(ranked)
    except InputError as error:  # of one run: those before it are printed
        failure = error
    yield from every
    if failure is not None:
        raise failure


def check_paths(qrels: str, runs: Sequence[str]) -> None:
    """Stop if standard input is wanted twice."""
    if [qrels, *runs].count("-") > 1:
        raise UsageError("standard input (-) can be one file only")


@contextlib.contextmanager
def unchanged(paths: Sequence[str]) -> Iterator[None]:
    """Raise InputError in the end if one of the files has changed: for a block that reads them twice.

    A part file that came since is a change, too.
    """
    before = _readable(paths)
    for source in before.values():
        source.check_unchanged()
    yield
    for source in (_readable(paths) | before).values():
        if source.path not in before:
            raise source.changed()
        source.check_unchanged()


def _readable(paths: Sequence[str]) -> dict[str, Source]:
    """Return by address the files of runs that can be read: the fault of another is its reader's to tell."""
    every = (source for path in paths if path != "-" for source in run_at(path).sources)
    known = (each for each in every if each.size() is not None)
    return {each.path: each for each in known if is_remote(each.path) or os.access(each.path, os.R_OK)}


def path_of(ranking: Ranking) -> str:
    """Return the run as it was named on the command line."""
    return "-" if ranking.name == Source("-").name else ranking.name


def exit_if_failed(failures: Sequence[RunFailure] | None) -> None:
    """End with the exit code of bad input if runs could not be evaluated; all output is written by now."""
    if failures:
        raise click.exceptions.Exit(InputError.exit_code)


def warn(text: str) -> None:
    """Print a line on stderr."""
    say(f"pres-eval: warning: {text}")


def warn_of_ties(said: NumberOptions, scoring: Scoring, rankings: Iterable[Ranking]) -> None:
    """Warn of runs whose main column could change with the order of equal scores."""
    for ranking in rankings:
        if said.quiet or not len(ranking.ties.document):
            continue
        from pres_eval.analysis.ties import warning_of_ties

        said.warn(warning_of_ties(scoring.relevance, ranking, scoring.options, scoring.selection))
