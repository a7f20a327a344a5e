"""Options of the evaluator, and the job that they make."""

from __future__ import annotations

from typing import TYPE_CHECKING

from pres_eval.cli.gating import GateOptions
from pres_eval.cli.shared import TABLES, TieOptions, check_table_options
from pres_eval.engines.engine import LOCAL
from pres_eval.errors import RunFailure, UsageError, quoted
from pres_eval.measures.views import read_scale
from pres_eval.ranking.ranking import COMMON, OWN, Ranking
from pres_eval.records import dataclass
from pres_eval.scoring import ScoredRun, Scoring

if TYPE_CHECKING:
    from pres_eval.report.records import File


@dataclass(frozen=True, kw_only=True)
class EvaluateOptions(TieOptions, GateOptions):
    """Options of the evaluator."""

    files: tuple[str, ...]
    help_wanted: bool
    help_all: bool
    version_wanted: bool
    per_topic: bool
    no_summary: bool
    zscore_file: str | None
    debug: str | None
    results_format: str
    old_format: bool
    measures: tuple[str, ...]
    nmax: tuple[int, ...]
    output_format: str
    style: str | None
    fit: bool
    digits: int | None
    bounds: bool
    bounds_of: str | None
    intervals: bool
    document_scores: str | None
    sort: str | None
    transpose: bool | None
    output: str | None
    cluster: str | None
    cluster_timeout: float | None
    check_duplicates: bool | None
    groups: str | None
    weights: str | None

    def check_layout(self) -> None:
        """Raises UsageError for options of tables that have no effect here."""
        check_table_options(self.output_format, self.style, self.digits, self.fit)
        for option, wanted in (("--sort", self.sort), ("--transpose", self.transpose)):
            if wanted is not None and self.output_format not in TABLES:
                raise UsageError(f"{option} goes with --format {', '.join(TABLES)}")
        if self.bounds_of is not None and not self.bounds:
            raise UsageError("--bounds-of is a part of --bounds all,max_rel=GRADE, expected that")
        if self.intervals and (self.groups or self.weights or self.zscore_file):
            raise UsageError("--intervals: expected none of --groups, --weights, -Z beside it")
        if self.groups is not None and (self.writes_parquet or self.zscore_file is not None):
            raise UsageError("--groups: expected neither -Z nor --output FILE.parquet beside it")
        if self.writes_parquet and self.zscore_file is not None:
            raise UsageError(f"--output {self.output}: is a table of values, which -Z does not go with")
        if self.check_duplicates is not None and self.cluster is None:
            raise UsageError("--check-duplicates goes with --cluster; one process always checks")

        if self.cluster_timeout is not None and (self.cluster or LOCAL).startswith(LOCAL):
            raise UsageError("--cluster-timeout goes with --cluster and a Dask scheduler")

    @property
    def writes_parquet(self) -> bool:
        """Return whether all values go into one table, because the output file's name says so."""
        return self.output_format == "trec" and self.output is not None and self.output.endswith(".parquet")

    @property
    def scale(self) -> int | None:
        """The highest grade that `--bounds all` may give, None for bounds down to the cutoff."""
        return None if self.bounds_of is None else read_scale(self.bounds_of)

    def files_behind(self) -> dict[str, File]:
        """Return the other files that numbers depend on, by option."""
        from pres_eval.report.records import file_record

        named = {
            "groups": self.groups,
            "weights": self.weights,
            "map-docs": self.map_docs,
            "exclude": self.exclude,
            "nmax-file": self.nmax_file,
            "size-file": self.size_file,
        }
        return {option: file_record(path) for option, path in named.items() if path is not None}

    def rules_of_files(self) -> dict[str, str]:
        """Return how --map-docs and --exclude are used, by option."""
        rules = {"map_ranks": "map-ranks", "exclude_from": "exclude-from"}
        return {rules[name]: value for name, value in self.rewrites.given.items() if name in rules}

    @property
    def over_common_topics(self) -> bool:
        """Return whether several runs are evaluated over the topics that all of them have."""
        return len(self.runs) > 1 and self.topic_rule(OWN) == COMMON

    @property
    def qrels(self) -> str:
        """The judgements."""
        return self.files[0]

    @property
    def runs(self) -> tuple[str, ...]:
        """The runs."""
        return self.files[1:]


@dataclass(frozen=True, eq=False, kw_only=True)
class Job(Scoring):
    """Job of the evaluator: files, measures, and how to evaluate.

    said      what the command line said, which tells how it is printed
    failures  where the runs that cannot be evaluated are put, None if the first of them is an error
    """

    said: EvaluateOptions
    jobs: int
    failures: list[RunFailure] | None

    @property
    def judgements_left(self) -> tuple[int, int] | None:
        """Return how many judgements were read and are left, if documents were mapped or excluded."""
        rewriting = self.relevance.rewriting
        return None if rewriting is None else (rewriting.num_judged, len(self.relevance.pool.documents))

    def evaluated(self, ranking: Ranking) -> ScoredRun:
        """All numbers of a run."""
        evaluation = self.evaluation(ranking, self.blocks(ranking, self.jobs))
        if self.said.intervals:
            from pres_eval.analysis.sample_intervals import with_sample_intervals, without_width

            evaluation = with_sample_intervals(evaluation, ranking, self)
            for text in without_width(evaluation, ranking, self):
                self.said.warn(text)
        wanted = () if self.groups is None else self.groups.topics
        gone = ", ".join(quoted(name) for name in wanted if name not in evaluation.groups)
        if gone:
            self.said.warn(
                f"{ranking.name}: no topic of the groups {gone}: they have no values, and all groups together"
                " no mean"
            )
        return evaluation
