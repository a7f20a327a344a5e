"""pres-eval replicate: whether an experiment comes out again."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

import numpy as np

from pres_eval.analysis.paired import PairedScores, means_of
from pres_eval.analysis.ranked_lists import read_ranked_lists
from pres_eval.analysis.replication import ListSimilarity, list_similarities, replications
from pres_eval.cli.analysing import PairedOptions, print_tables
from pres_eval.cli.command_options import FiniteRange, argument, command_with, option
from pres_eval.cli.loading import (
    MEANS_ARE_REFUSED,
    Paired,
    load,
    read_paired,
    read_score_file,
    select_or_default,
)
from pres_eval.errors import PresEvalError, RunFailure, UsageError, plural
from pres_eval.reading.run_files import run_at
from pres_eval.report.replication_tables import replication_figure, replication_tables
from pres_eval.report.text import text_of

ROLES = ("baseline", "advanced")
"""Roles of the two runs of an experiment, in the order of the command line."""

FOUR_RUNS = "four runs: BASELINE, ADVANCED, NEW_BASELINE, NEW_ADVANCED"


class ReplicateOptions(PairedOptions):
    """Measure whether an experiment comes out again: the improvement of an advanced run over a baseline, as
    it was published and as you replicated it.

    \b
    Example:
      pres-eval replicate qrels.txt old_1.txt old_2.txt new_1.txt new_2.txt

    The runs come in this order: baseline and advanced run of the original, then of the replication.  After
    Breuer et al. (SIGIR 2020): effect ratio, delta relative improvement, root mean square error by topic; of
    the documents Kendall's tau of the union, and rank-biased overlap.  None of these is a test;
    for tests see pres-eval compare.

    --scores takes a table of four runs in that order.  With --new-qrels or --new-scores the replication has
    other topics, such as those of another collection: then there is no error by topic.

    Tables for --table: effects; with runs documents, topics.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    files: tuple[str, ...] = argument(nargs=-1, metavar="QRELS RUN RUN NEW_RUN NEW_RUN")
    new_qrels: str | None = option(
        "--new-qrels", metavar="QRELS", help="Judgements of the replicated runs, if they are others."
    )
    new_scores: tuple[str, ...] = option(
        "--new-scores", metavar="FILE", multiple=True,
        help="With --scores of the two original runs: scores of the two replicated ones.",
    )  # fmt: skip
    persistence: float = option(
        "-p", "--persistence", type=FiniteRange(0, 1, min_open=True, max_open=True), default=0.9,
        show_default=True, help="Probability of going on to the next rank, for rbo.",
    )  # fmt: skip
    per_topic: bool = option("-q", "--per-topic", is_flag=True, help="Also show the values of each topic.")

    def check(self) -> None:
        """Raise UsageError for options that make no sense, before anything is read."""
        super().check()
        if self.new_scores and not self.scores:
            raise UsageError("--new-scores goes with --scores")
        if self.new_qrels is not None and self.scores:
            raise UsageError("--new-qrels goes with QRELS and runs, not with --scores: leave it out")


@command_with(ReplicateOptions)
def command(options: ReplicateOptions) -> None:
    """Print the effects, and how similar documents are."""
    documents: list[ListSimilarity] = []
    if options.scores:
        original, new, paired = _scores_of_tables(options)
    else:
        if len(options.files) != 5:
            num_runs = plural(max(len(options.files) - 1, 0), "run")
            raise UsageError(f"found {num_runs} behind QRELS, expected {FOUR_RUNS}; or --scores FILE")
        original, new, paired = _scores_of_runs(options)
        documents = _list_similarities(options)
    rows = replications(original, new)
    topics = plural(len(original.topics))
    if original.topics != new.topics:
        topics += f", and {len(new.topics)} of the replication"
    settings = {
        **paired.settings,
        "new_qrels": None if options.new_qrels is None else text_of(options.new_qrels),
        "new_scores": [text_of(path) for path in options.new_scores],
        "persistence": options.persistence,
    }
    print_tables(
        replication_tables(rows, topics, documents, options.persistence, options.per_topic),
        "replicate",
        settings,
        options,
        make_figure=lambda: replication_figure(rows),
    )


def _scores_of_tables(options: ReplicateOptions) -> tuple[PairedScores, PairedScores, Paired]:
    """Return the scores of the original and of the replication from --scores, and what --scores held.

    Raises UsageError for other numbers of runs, and for tables without a measure in common.
    """
    paired = read_paired(options, least_runs=4, error_of_means=MEANS_ARE_REFUSED)
    if not options.new_scores:
        _check_runs(options.scores, paired.scores, 4, FOUR_RUNS)
        return _of_two_runs(paired.scores, 0, 1), _of_two_runs(paired.scores, 2, 3), paired
    _check_runs(options.scores, paired.scores, 2, "two runs: BASELINE, ADVANCED")
    new = read_score_file(options, options.new_scores, options.measures)
    _check_runs(options.new_scores, new, 2, "two runs: NEW_BASELINE, NEW_ADVANCED")
    labels = [label for label in paired.scores.measures if label in new.measures]  # of both
    if not labels:
        labels_of_new = ", ".join(new.measures)
        raise UsageError(
            f"{options.new_scores[0]}: measures {labels_of_new}, expected those of {options.scores[0]}"
        )
    return _of_measures(paired.scores, labels), _of_measures(new, labels), paired


def _check_runs(paths: Sequence[str], scores: PairedScores, number: int, expected: str) -> None:
    """Raise UsageError if the scores in the files at `paths` are of another number of runs.

    expected  these runs in words
    """
    if len(scores.runs) != number:
        raise UsageError(f"{paths[0]}: found {plural(len(scores.runs), 'run')}, expected {expected}")


def _of_two_runs(scores: PairedScores, first: int, second: int) -> PairedScores:
    """Return the scores of two of the runs, given by their indices."""
    runs = (scores.runs[first], scores.runs[second])
    values = np.ascontiguousarray(scores.values[:, [first, second]])
    return replace(scores, runs=runs, values=values, means=means_of(values))


def _of_measures(scores: PairedScores, labels: Sequence[str]) -> PairedScores:
    """Return the scores by the measures with these labels, in their order."""
    indices = [scores.measures.index(label) for label in labels]
    return scores.of_measures(indices, labels)


def _scores_of_runs(options: ReplicateOptions) -> tuple[PairedScores, PairedScores, Paired]:
    """Return the scores of the original and of the replication from their runs, and what was read.

    What was read is all four runs, or with --new-qrels those of the original.
    Raises PresEvalError if --keep-going left out a run.
    """
    if options.new_qrels is None:
        paired = read_paired(options, least_runs=4)
        _check_all_read(paired.failures)
        return _of_two_runs(paired.scores, 0, 1), _of_two_runs(paired.scores, 2, 3), paired
    selection = select_or_default(options, options.measures, options.nmax)
    original = load(options, options.files[0], options.files[1:3])
    new = load(options, options.new_qrels, options.files[3:])
    _check_all_read([*original.failures, *new.failures])
    scores = original.paired(selection)
    paired = Paired(
        scores=scores,
        settings=original.settings,
        topics=original.topics.text,
        known_names=original.known_names,
    )
    return scores, new.paired(selection), paired


def _check_all_read(failures: Sequence[RunFailure]) -> None:
    """Raise PresEvalError if a run cannot be evaluated, which --keep-going leaves out."""
    if failures:
        raise PresEvalError(f"{plural(len(failures), 'run')} cannot be evaluated, expected {FOUR_RUNS}")


def _list_similarities(options: ReplicateOptions) -> list[ListSimilarity]:
    """Return how similar the documents of each run and of its replication are, by role and topic."""
    evaluation_options = options.evaluation_options()
    rewriting = options.rewriting()
    lists = [read_ranked_lists(run_at(path), evaluation_options, rewriting) for path in options.files[1:]]
    original_lists, new_lists = lists[:2], lists[2:]
    rows: list[ListSimilarity] = []
    for role, original, new in zip(ROLES, original_lists, new_lists, strict=True):
        rows.extend(list_similarities(role, original, new, options.persistence))
    return rows
