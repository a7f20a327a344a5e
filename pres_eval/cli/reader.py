"""Reader of the files of the command line, with the warnings about them."""

from __future__ import annotations

import contextlib
import os
from collections.abc import Iterator, Sequence
from typing import TYPE_CHECKING

from pres_eval.checking.second_look import look_at_files
from pres_eval.checking.warnings import warnings_about
from pres_eval.cli.shared import NumberOptions
from pres_eval.cli.streams import is_watched, say, writing_results
from pres_eval.engines.engine import Engine, ThisProcess
from pres_eval.errors import InputError, RunFailure, UsageError, plural
from pres_eval.options import AS_TREC_EVAL, AS_ZERO, GIVES_VALUES, ONE, SKIP, STOP, Options
from pres_eval.ranking.ranking import Ranking, with_nothing_for
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.ranking.runs import Runs
from pres_eval.reading.file import File
from pres_eval.reading.judgements import changed_judgements
from pres_eval.reading.judgements.relevance import QrelsJudgements, Relevance, as_qrels, read_relevance
from pres_eval.reading.run_files import TREC, RunFiles, run_at, source_at
from pres_eval.reading.storage import is_remote
from pres_eval.scoring import Scoring

if TYPE_CHECKING:
    from pres_eval.reading.topic_files import Groups, Weights

BYTES_PER_COPY = 16 << 20
"""Bytes of runs for which one more process pays: to copy this one takes as long as reading 2 MB."""


def relevance_at(options: NumberOptions, path: str) -> Relevance:
    """Return the judgements at `path` as the options change them, after notes and warnings about them.

    The options map documents (--map-docs), exclude some (--exclude), leave out topics (--empty), and add the
    numbers of --nmax-file and --size-file and the scores of --document-scores.
    """
    relevance = read_relevance(source_at(path), options.relevance_format, options.jobs)
    other_formats_are_recognised = options.relevance_format in ("qrels", "qrels_float")
    if other_formats_are_recognised and isinstance(relevance, QrelsJudgements) and relevance.form:
        options.note(f"{relevance.name}: read as {relevance.form}")
    if options.map_docs is not None or options.exclude is not None:
        rewriting = options.rewriting()
        assert rewriting is not None, "there is one with either option"
        num_before = len(relevance.pool.documents)
        rewritten = rewriting.of_judgements(relevance)
        options.note(_note_of_rewriting(options, rewritten, num_before))
        relevance = rewritten
    relevance = _apply_empty_rule(options, relevance)
    if options.nmax_file is not None or options.size_file is not None:
        from pres_eval.reading.topic_files import read_weights

        nmax = None if options.nmax_file is None else read_weights(options.nmax_file, what="number")
        sizes = None if options.size_file is None else read_weights(options.size_file, what="number")
        relevance = changed_judgements.with_topic_numbers(relevance, nmax, sizes)
    if options.document_scores is None:
        return relevance
    scores = read_relevance(options.document_scores, "qrels_float", options.jobs)
    return changed_judgements.with_document_scores(relevance, as_qrels(scores, "--document-scores"))


def _note_of_rewriting(options: NumberOptions, relevance: QrelsJudgements, num_before: int) -> str:
    """Return the note about --map-docs and --exclude: how many judgements they left of `num_before`."""
    names = []
    if options.map_docs is not None:
        names.append("--map-docs")
    if options.exclude is not None:
        names.append("--exclude")
    num_after = len(relevance.pool.documents)
    text = f"{relevance.name}: {num_before:,} judgements became {num_after:,} ({', '.join(names)})"
    if relevance.left_out:
        text += f"; {plural(len(relevance.left_out))} without any left out"
    return text


def _apply_empty_rule(options: NumberOptions, relevance: Relevance) -> Relevance:
    """Return the judgements of the topics that --empty keeps, after a warning or note about empty topics.

    A topic is empty if it has no relevant document.  Raises InputError for one with --empty stop.
    """
    rule, level = options.empty, options.relevance_level
    if rule == AS_TREC_EVAL and not isinstance(relevance, QrelsJudgements):
        return relevance  # only qrels have topics that count as empty
    if rule == STOP:
        changed_judgements.check_no_empty_topics(relevance, level)
    result = relevance
    if rule == SKIP:
        result = changed_judgements.without_empty_topics(relevance, level)
    num_empty = int(changed_judgements.empty_topics(relevance, level).sum())
    if not num_empty:
        return result
    num_topics = len(relevance.pool.topics)
    have = "has" if num_empty == 1 else "have"
    text = f"{relevance.name}: {num_empty} of {num_topics} topics {have} no relevant document"
    consequence = {SKIP: "left out", AS_ZERO: "worth 0", ONE: "worth 1"}.get(rule)
    if consequence is not None:
        options.note(f"{text}: {consequence} (--empty {rule})")
    elif num_empty < num_topics:  # if all are, the warning about a run reports that nothing is relevant
        options.warn(f"{text}: as in trec_eval they count, mostly as 0 (see --empty)")
    return result


def topic_files(
    options: NumberOptions, groups: str | None, weights: str | None, judged: Sequence[bytes]
) -> tuple[Groups | None, Weights | None]:
    """Return the groups and the weights of topics in two files, after the warnings about them.

    groups, weights  paths of the files; None for one that is not named gives None
    judged           the judged topics
    """
    if groups is None and weights is None:
        return None, None
    from pres_eval.library import file_or_dict

    return file_or_dict.read_groups_and_weights(groups, weights, judged, options.warn)


def qrels_at(options: NumberOptions, path: str) -> QrelsJudgements:
    """Return the judgements at `path` in a command that has refused other formats than qrels before."""
    relevance = relevance_at(options, path)
    assert isinstance(relevance, QrelsJudgements), "the format is that of qrels"
    return relevance


def runs_at(
    options: NumberOptions,
    paths: Sequence[str],
    relevance: Relevance,
    evaluation_options: Options,
    failures: list[RunFailure] | None = None,
) -> Iterator[Ranking]:
    """Yield the runs at `paths` in their order, each after the notes and warnings about it.

    failures  list that receives the runs that cannot be read, which are left out; None: the first such run
              raises its error
    """
    answered = None  # topics that a run answers rightly by retrieving nothing for them
    if options.empty in GIVES_VALUES:
        answered = changed_judgements.topics_answered_by_nothing(relevance, evaluation_options)
    files = [run_at(path) for path in paths]
    outcomes = _ranked(options, files, relevance, evaluation_options, going_on=failures is not None)
    if options.cluster is not None:
        outcomes = _all_read_first(outcomes)
    for run, outcome in zip(files, outcomes, strict=True):
        if isinstance(outcome, RunFailure):
            assert failures is not None, "without the list, an error is raised"
            failures.append(outcome)
            say(f"pres-eval: {outcome.message}")
            continue
        if not options.quiet:
            is_only_run = len(paths) == 1
            _print_notes(options, outcome, relevance, evaluation_options)
            second_look = look_at_files(run, outcome, relevance, is_only_run)
            for warning in warnings_about(outcome, relevance, evaluation_options, second_look, is_only_run):
                options.warn(warning)
        if answered is not None:
            outcome = with_nothing_for(outcome, answered)  # noqa: PLW2901
        yield outcome


def _print_notes(
    options: NumberOptions, run: Ranking, relevance: Relevance, evaluation_options: Options
) -> None:
    """Print notes about a run: its format, what mapping and exclusion did, topics without an answer."""
    if options.results_format == TREC and run.form is not None:
        options.note(f"{run.name}: read as {run.form}")
    if run.unchecked:
        options.note(
            f"{run.name}: topics are not together, so unjudged documents were not checked for coming twice"
            " (--no-check-duplicates)"
        )
    counts = []
    if options.map_docs is not None:
        counts.append(f"{run.facts.num_mapped:,} of {run.facts.num_rows:,} rows mapped to other documents")
        counts.append(f"{run.num_dropped:,} left out as their document came before")
    if options.exclude is not None:
        counts.append(f"{run.facts.num_excluded:,} excluded")
    if counts:
        options.note(f"{run.name}: {', '.join(counts)}")
    if options.empty not in GIVES_VALUES:
        return
    no_answers = changed_judgements.count_empty_topics(
        relevance, evaluation_options, run.topic[run.num_ret > 0]
    )
    if no_answers is not None:
        num_topics, num_rightly = no_answers
        options.note(
            f"{run.name}: nothing retrieved for {num_rightly} of {num_topics} topics without a relevant"
            f" document ({num_rightly / num_topics:.4f})"
        )


def _ranked(
    options: NumberOptions,
    files: Sequence[RunFiles],
    relevance: Relevance,
    evaluation_options: Options,
    going_on: bool,
) -> Iterator[Ranking | RunFailure]:
    """Yield the ranked runs in the order of `files`, with a progress bar on a terminal.

    going_on  whether a run that cannot be read is yielded as a RunFailure; else its error is raised
    """
    bar: contextlib.AbstractContextManager[None] = contextlib.nullcontext()
    if is_watched(options.quiet):
        from pres_eval.cli.progress import reading_bar

        bar = reading_bar(files)
    ranker = RunRanker.for_judgements(relevance, evaluation_options, options.check_duplicates is not False)
    with (
        bar,
        _engine(options, files) as engine,
        Runs(ranker, engine) as runs,
        contextlib.closing(runs.rank_each(files, options.results_format, going_on)) as rankings,
    ):
        for ranking in rankings:
            with writing_results():
                yield ranking


def _engine(options: NumberOptions, files: Sequence[RunFiles]) -> contextlib.AbstractContextManager[Engine]:
    """Return what reads the runs: a cluster (--cluster), copies of this process if that pays, or threads."""
    if options.cluster is not None:
        return _engine_of_cluster(options, options.cluster, files)
    sizes = [run.size() for run in files]  # None: not known before it is read
    num_bytes = sum(size or 0 for size in sizes)
    if options.num_jobs > 1 and num_bytes >= BYTES_PER_COPY and None not in sizes:
        from pres_eval.engines.copies import MOST_COPIES, Copies, can_copy

        if can_copy() and not any(run.is_remote for run in files):
            num_copies = min(options.num_jobs, num_bytes // BYTES_PER_COPY + 1, MOST_COPIES)
            return contextlib.nullcontext(Copies(num_copies))
    return contextlib.nullcontext(ThisProcess(options.num_jobs))


@contextlib.contextmanager
def _engine_of_cluster(options: NumberOptions, address: str, files: Sequence[RunFiles]) -> Iterator[Engine]:
    """Yield the engine of the cluster at an address, which is left at the end of the block.

    Raises UsageError for standard input, which workers cannot read.
    """
    from pres_eval.engines.connecting import SECONDS, Patience, engine_of

    if any(run.sources[0].path == "-" for run in files):
        raise UsageError("--cluster: standard input (-) cannot be read by workers, expected files")

    def report(text: str) -> None:
        """Print what the engine waits for."""
        if not options.quiet:
            say(f"pres-eval: {text}")

    patience = Patience(options.cluster_timeout or SECONDS, report)
    with _interruptible(), engine_of(address, patience) as engine:
        yield engine


@contextlib.contextmanager
def _interruptible() -> Iterator[None]:
    """Make Ctrl-C an exception inside the block, which calls the workers off, and mute logging.

    A signal that is ignored stays so.
    """
    import logging
    import signal
    import threading

    logging.disable(logging.CRITICAL)
    if threading.current_thread() is not threading.main_thread():
        yield
        return
    before = signal.getsignal(signal.SIGINT)
    if before != signal.SIG_IGN:
        signal.signal(signal.SIGINT, signal.default_int_handler)
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, before)


def _all_read_first(ranked: Iterator[Ranking | RunFailure]) -> Iterator[Ranking | RunFailure]:
    """Yield the runs after all of them are read, so that no results are printed if workers are lost.

    An InputError, which is about one run, is raised after the runs before it.
    """
    outcomes: list[Ranking | RunFailure] = []
    try:
        outcomes.extend(ranked)
    except InputError:
        yield from outcomes
        raise
    yield from outcomes


@contextlib.contextmanager
def unchanged(read_twice: Sequence[str], read_once: Sequence[str] = ()) -> Iterator[None]:
    """Raise InputError at the end of the block if one of the files has changed meanwhile.

    A part file that was added to a folder is a change, too.

    read_twice  paths that the block reads twice; UsageError is raised for a pipe
    read_once   further paths that must not change
    """
    from pathlib import Path  # takes a while to import

    for path in read_twice:
        if path == "-" or Path(path).is_fifo():
            raise UsageError(f"{path}: a pipe can't be read twice: save it in a file first")
    paths = [*read_once, *read_twice]
    files_before = _readable_files(paths)
    for file in files_before.values():
        file.check_unchanged()
    yield
    files_after = _readable_files(paths)
    for path, file in (files_after | files_before).items():  # of a file in both, the earlier one
        if path not in files_before:
            raise file.change_error()
        file.check_unchanged()


def _readable_files(paths: Sequence[str]) -> dict[str, File]:
    """Return by path the files at `paths` that can be read; what reads the others reports their faults."""
    files = {}
    for path in paths:
        if path == "-":
            continue
        for file in run_at(path).sources:
            if file.size() is not None and (is_remote(file.path) or os.access(file.path, os.R_OK)):
                files[file.path] = file
    return files


def path_of(ranking: Ranking) -> str:
    """Return the path of a run as it was named on the command line."""
    if ranking.name == File("-").name:
        return "-"
    return ranking.name


def num_retrieved(ranking: Ranking, max_retrieved: int | None) -> int:
    """Return how many documents of a run count: of each topic the first `max_retrieved`, all for None."""
    lengths = ranking.num_ret.tolist()
    if max_retrieved is not None:
        lengths = [min(length, max_retrieved) for length in lengths]
    return sum(lengths)


def warn_of_ties(options: NumberOptions, scoring: Scoring, ranking: Ranking) -> None:
    """Warn of a run with equal scores if the order of its documents could change its main measure."""
    if not options.quiet:
        from pres_eval.analysis.ties import warning_of_ties

        options.warn(warning_of_ties(scoring.relevance, ranking, scoring.options, scoring.selection))
