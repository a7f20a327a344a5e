"""pres-eval pool: the documents to judge."""

from __future__ import annotations

import numpy as np

from pres_eval.analysis.pooling import (
    JUDGING_ORDERS,
    FirstDocuments,
    Key,
    RankStratum,
    ToJudge,
    draw,
    first_documents,
    grade_of_judged,
    pool_documents,
    unjudged_qrels,
)
from pres_eval.arrays import BoolArray
from pres_eval.cli.analysing import ResultOptions
from pres_eval.cli.command_options import FileUse, FiniteRange, WholeRange, argument, command_with, option
from pres_eval.cli.output import exit_if_failed, write_output
from pres_eval.cli.progress import loop_with_bar
from pres_eval.cli.reader import qrels_at
from pres_eval.cli.shared import COLUMNS, GRADE_WORDS, NumberOptions, RewriteOptions, terminal_width
from pres_eval.cli.streams import say, warn
from pres_eval.errors import InputError, PresEvalError, RunFailure, UsageError
from pres_eval.options import COMPAT_VERSIONS
from pres_eval.reading.file import File
from pres_eval.reading.lines import RUN
from pres_eval.reading.mistakes.advice import advice
from pres_eval.reading.mistakes.shapes import SWAPPED
from pres_eval.reading.rewriting import Rewriting
from pres_eval.reading.run_files import text_at
from pres_eval.report.layout import Look, render
from pres_eval.report.robustness_tables import pools_table, to_judge_table
from pres_eval.report.text import text_of

POOL_DEPTH = 100
"""Last rank of each topic of every run that is pooled without --depth and --strata."""

SAMPLE_SEED = 1
"""Seed of --strata without --seed."""


class PoolOptions(RewriteOptions):
    """List the documents to judge: the first of every run, except judged ones, with the number of runs
    that found each.

    \b
    Examples:
      pres-eval pool run_*.txt --depth 10
      pres-eval pool run_*.txt --judged qrels.txt --per-topic 5
      pres-eval pool run_*.txt --strata 1-10:1,11-50:0.1

    Orders: contribution begins with the documents that weigh most in the runs' rank-biased precision (Moffat,
    Webber & Zobel 2007); runs with those that most runs found; rank with those at the top of any run; docno
    sorts by id, so that the order reveals nothing to assessors.

    Tables for --table: documents, topics.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    runs: tuple[str, ...] = argument(nargs=-1, required=True, metavar="RUN [RUN ...]")
    depth: int | None = option(
        "--depth", type=WholeRange(min=1), metavar="RANK",
        help="Pool the first RANK documents of each topic of every run (default: 100).",
    )  # fmt: skip
    strata: str | None = option(
        "--strata", metavar="RANKS:SHARE,...",
        help="Draw a sample: 1-10:1.0,11-100:0.1 takes all documents whose best rank is 1 to 10, and a"
        " tenth of those down to 100.",
    )  # fmt: skip
    seed: int | None = option(
        "--seed", type=WholeRange(min=0), metavar="NUM", help="Seed of --strata (default: 1)."
    )
    judged: str | None = option(
        "--judged", metavar="QRELS", help="Leave out the documents that QRELS judges."
    )
    order: str = option(
        "--order", choices=JUDGING_ORDERS, default="contribution", show_default=True,
        help="Order of the documents.",
    )  # fmt: skip
    persistence: float = option(
        "--persistence", type=FiniteRange(0, 1, min_open=True, max_open=True), default=0.8,
        show_default=True, help="Persistence of the reader, for --order contribution.",
    )  # fmt: skip
    per_topic: int | None = option(
        "--per-topic",
        type=WholeRange(min=1),
        metavar="NUM",
        help="List only the first NUM documents of each topic.",
    )
    write_qrels: str | None = option(
        "--write-qrels", metavar="FILE", file_use=FileUse.WRITTEN,
        help="Also write the documents as unjudged qrels (-1); with --strata for -R strata: -1 for"
        " documents not drawn, ? for those to judge.",
    )  # fmt: skip
    compat: str = option(
        "--compat", choices=COMPAT_VERSIONS, default=COMPAT_VERSIONS[0], show_default=True,
        help="Order equal scores as this trec_eval does.",
    )  # fmt: skip
    columns: tuple[str, ...] = COLUMNS
    grades: tuple[str, ...] = GRADE_WORDS
    jobs: int | None = NumberOptions.jobs
    keep_going: bool = NumberOptions.keep_going
    quiet: bool = NumberOptions.quiet
    output_format: str = ResultOptions.output_format
    table: str | None = ResultOptions.table

    def read_strata(self) -> tuple[RankStratum, ...]:
        """Return the strata of --strata, none without it; raise UsageError for options that exclude it."""
        if self.strata is None:
            if self.seed is not None:
                raise UsageError("--seed goes with --strata")
            return ()
        expected = "expected one of them, as strata say how deep and how many"
        if self.depth is not None:
            raise UsageError(f"--strata and --depth: {expected}")
        if self.per_topic is not None:
            raise UsageError(f"--strata and --per-topic: {expected}")
        return RankStratum.read(self.strata)

    def deepest(self, strata: tuple[RankStratum, ...]) -> int:
        """Return the last rank that is pooled: that of the last of the strata, or of --depth without any."""
        if strata:
            return strata[-1].last
        return self.depth or POOL_DEPTH

    @property
    def used_seed(self) -> int:
        """Seed with which --strata draws."""
        return SAMPLE_SEED if self.seed is None else self.seed

    def settings(self, strata: tuple[RankStratum, ...]) -> dict[str, object]:
        """Return what the pool was made with, for JSON."""
        return {
            "runs": [text_of(run) for run in self.runs],
            "depth": self.deepest(strata),
            "strata": self.strata,
            "seed": self.used_seed if strata else None,
            "judged": None if self.judged is None else text_of(self.judged),
            "order": self.order,
            "persistence": self.persistence,
            "per_topic": self.per_topic,
            **self.rewrites,
        }


@command_with(PoolOptions)
def command(options: PoolOptions) -> None:
    """List the documents to judge, and write them as qrels."""
    strata = options.read_strata()
    options.check_rewrites()
    runs, failures = _read(options, options.deepest(strata), options.rewriting())
    grades: dict[Key, int] = {}
    if options.judged:
        qrels = qrels_at(NumberOptions.with_defaults(**vars(options)), options.judged)
        grades = grade_of_judged(qrels.pool, qrels.grade.tolist())
    pooled = pool_documents(runs, options.persistence, options.order)
    documents = pooled
    sample = None
    if strata:
        sample = draw(pooled, strata, options.used_seed)
        documents = sample.documents
    to_judge = ~_are_judged(documents, grades)
    stratum = None
    if sample is not None:
        to_judge &= sample.drawn
        stratum = sample.stratum[to_judge]
    chosen = documents.take(np.flatnonzero(to_judge)).first_of_topics(options.per_topic)
    tables = [
        to_judge_table(chosen, len(runs), stratum),
        pools_table(pooled, _are_judged(pooled, grades), chosen),
    ]
    look = Look(
        form=options.output_format, chosen=options.table, width=terminal_width(None), failures=tuple(failures)
    )
    write_output(None, render(tables, look, "pool", options.settings(strata)))
    if options.write_qrels:
        lines = unjudged_qrels(chosen) if sample is None else sample.lines(grades)
        write_output(options.write_qrels, lines)
    exit_if_failed(failures)


def _read(
    options: PoolOptions, depth: int, rewriting: Rewriting | None
) -> tuple[list[FirstDocuments], list[RunFailure]]:
    """Return the documents of the runs down to a rank, and with --keep-going the runs that cannot be read."""

    def first_of(run: int) -> FirstDocuments | PresEvalError:
        """Return the first documents of a run by its index, or the error of a run that cannot be read."""
        try:
            return first_documents(text_at(options.runs[run]), options.compat, depth, rewriting)
        except PresEvalError as error:
            if not isinstance(error, InputError) or error.advice or not error.found.endswith(" columns"):
                return error
            text = advice(File(error.path), RUN.names, error.found)
            if SWAPPED in text:
                text = (
                    "if these are judgements: pool takes runs, and"
                    f"  --judged {error.path}  leaves out what is judged"
                )
            return InputError(error.path, error.line, error.found, error.expected, text)

    runs, failures = list[FirstDocuments](), list[RunFailure]()
    loop = loop_with_bar("reading", options.jobs, options.quiet, options.runs)
    for path, outcome in zip(options.runs, loop(first_of, len(options.runs)), strict=True):
        if isinstance(outcome, FirstDocuments):
            if outcome.warning and not options.quiet:
                warn(outcome.warning)
            runs.append(outcome)
            continue
        failures.append(RunFailure(path, str(outcome)))
        if not options.keep_going or len(failures) == len(options.runs):
            raise outcome
        say(f"pres-eval: {outcome}")
    return runs, failures


def _are_judged(documents: ToJudge, grades: dict[Key, int]) -> BoolArray:
    """Return whether each document (n,) is judged; `grades` are those of judged topics and documents."""
    if not grades:
        return np.zeros(len(documents), np.bool_)
    return np.array([key in grades for key in documents.pairs()], np.bool_)
