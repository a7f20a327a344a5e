"""Job of the evaluator: its options, the runs that it reads, and their evaluations."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterable, Iterator
from typing import TYPE_CHECKING, NamedTuple

from pres_eval.arrays import IntArray
from pres_eval.checking.warnings import check_common_topics
from pres_eval.cli.command_options import FileUse, FiniteRange, argument, option
from pres_eval.cli.gating import GATE_FIELDS, GateOptions
from pres_eval.cli.output import FORMAT_OF_ENDING, set_format
from pres_eval.cli.reader import num_retrieved, runs_at, warn_of_ties
from pres_eval.cli.shared import (
    GROUPS,
    MEASURES,
    NMAX,
    RESULTS_FORMAT,
    TABLES,
    WEIGHTS,
    TableOptions,
    TieOptions,
)
from pres_eval.engines.engine import LOCAL
from pres_eval.engines.threads import Result, in_turn
from pres_eval.errors import RunFailure, UsageError
from pres_eval.ranking.ranking import COMMON, OWN, Ranking
from pres_eval.records import dataclass
from pres_eval.report import OUTPUT_FORMATS
from pres_eval.report.groups import warning_of_groups
from pres_eval.scoring import ScoredRun, Scoring

if TYPE_CHECKING:
    from pres_eval.report.records import FileRecord, Record, RunRecord


class EvaluateOptions(TieOptions, GateOptions, TableOptions):
    """Evaluate runs against judgements."""

    qrels: str = argument(required=False, metavar="QRELS")
    runs: tuple[str, ...] = argument(nargs=-1, metavar="RUN [RUN ...]")
    help_wanted: bool = option(
        "-h", "--help", is_flag=True, help="Show the short help; with -m X also X's text."
    )
    help_all: bool = option(
        "--help-all", is_flag=True, help="Show all options, formats, exit codes, differences."
    )
    version_wanted: bool = option("-v", "--version", is_flag=True, help="Print the version.")
    per_topic: bool = option(
        "-q", "--query_eval_wanted", is_flag=True, help="Also print each topic's values."
    )
    no_summary: bool = option(
        "-n", "--nosummary", is_flag=True, help="Don't print the values over all topics."
    )
    signature: bool = option(
        "--signature", is_flag=True,
        help="End with a line that says how the numbers were made, for a paper: PRES@100|topics:12|level:1|…",
    )  # fmt: skip
    zscore_file: str | None = option(
        "-Z", "--Zscore", metavar="FILE", help="Print Z-scores, with the means in FILE."
    )
    debug: str | None = option("-D", "--Debug_level", metavar="NUM[.TOPIC]", help="Evaluate TOPIC alone.")
    results_format: str = RESULTS_FORMAT
    old_format: bool = option("-o", "--Output_old_results_format", is_flag=True, help="Has no effect.")
    measures: tuple[str, ...] = MEASURES
    nmax: tuple[int, ...] = NMAX
    output_format: str = option(
        "--format", choices=OUTPUT_FORMATS, default="trec", show_default=True,
        help="Form of the results.",
    )  # fmt: skip
    bounds: bool = option(
        "--bounds", is_flag=True,
        help="Add the least and the greatest value that judgements of the unjudged documents down to the"
        " measure's cutoff could give, with grades up to the topic's highest; --bounds all,max_rel=3: of"
        " all unjudged documents retrieved, with grades up to 3.",
    )  # fmt: skip
    bounds_of: str | None = option("--bounds-of", hidden=True)
    intervals: bool = option(
        "--intervals", is_flag=True,
        help="Add 95% intervals of values inferred from a sample (-R strata), from 1,000 redrawn samples.",
    )  # fmt: skip
    document_scores: str | None = option(
        "--document-scores",
        metavar="FILE",
        help="Scores of documents (topic 0 docno score) for urbp and ubpref.",
    )
    sort: str | None = option(
        "--sort",
        metavar="MEASURE",
        help="Sort the runs of a table by this measure, the best first; runs that lack topics are last.",
    )
    transpose: bool | None = option(
        "--transpose/--no-transpose", default=None,
        help="Measures as the rows of a table (default on a terminal: by its width).",
    )  # fmt: skip
    groups: str | None = GROUPS
    weights: str | None = WEIGHTS
    output: str | None = option(
        "--output", metavar="FILE", file_use=FileUse.WRITTEN,
        callback=set_format,
        help="Write results to FILE, whole or not at all. FILE.csv, .tsv, .json, .jsonl, .md and .tex set"
        " --format; FILE.parquet is a table of the values of all topics, with the names of the runs' files,"
        " or with --names tag their tags.",
    )  # fmt: skip
    cluster: str | None = option(
        "--cluster", metavar="WORKERS", file_use=FileUse.READ,
        help="Read the runs in local:N (N processes) or by a Dask scheduler, tcp://HOST:PORT or FILE.json.",
    )  # fmt: skip
    cluster_timeout: float | None = option(
        "--cluster-timeout", type=FiniteRange(0, 86_400, min_open=True), metavar="SECONDS",
        help="Time for a Dask scheduler to answer and to have a worker (default: 30).",
    )  # fmt: skip
    check_duplicates: bool | None = option(
        "--check-duplicates/--no-check-duplicates", default=None,
        help="With --cluster: find unjudged documents that come twice, where topics are not together"
        " (default: yes; it sends 8 more bytes a line).",
    )  # fmt: skip

    def check_effects(self) -> None:
        """Raise UsageError for gates that make no sense, and options that have no effect beside others."""
        if self.old_format:
            self._check_old_format()
        has_option_of_gates = any(getattr(self, name) not in (None, False, ()) for name in GATE_FIELDS)
        if has_option_of_gates:
            self.check_options_of_gates()
        self.check_table()
        if self.signature and (self.writes_parquet or self.output_format in ("csv", "tsv", "jsonl")):
            raise UsageError(
                "--signature: a line behind the results, which this format has no place for;"
                " expected --format trec, table, latex, markdown or json"
            )
        has_zscores = self.zscore_file is not None
        if self.output_format not in TABLES:
            for option, value in (("--sort", self.sort), ("--transpose", self.transpose)):
                if value is not None:
                    raise UsageError(f"{option} goes with --format {', '.join(TABLES)}")
        if self.bounds_of is not None and not self.bounds:
            raise UsageError("--bounds-of: expected --bounds all,max_rel=GRADE instead")
        if self.intervals and (self.groups or self.weights or has_zscores):
            raise UsageError("--intervals: expected none of --groups, --weights, -Z beside it")
        if self.groups is not None and (self.writes_parquet or has_zscores):
            raise UsageError("--groups: expected neither -Z nor --output FILE.parquet beside it")
        if self.writes_parquet and has_zscores:
            raise UsageError(
                f"--output {self.output}: -Z makes no table of values; expected no -Z, or another ending"
            )
        if self.check_duplicates is not None and self.cluster is None:
            raise UsageError("--check-duplicates goes with --cluster; one process always checks")
        if self.cluster_timeout is not None and (self.cluster or LOCAL).startswith(LOCAL):
            raise UsageError("--cluster-timeout goes with --cluster and a Dask scheduler")

    def _check_old_format(self) -> None:
        """Raise UsageError for -o with a value, as other commands take it; trec_eval's -o takes none.

        The value is then the first file, where judgements are expected.  It was meant as a value if there is
        no such file, and it has an ending of results, or two files follow.
        """
        path = self.qrels or ""
        if path in ("", "-") or "://" in path or os.path.exists(path):  # noqa: PTH110
            return
        ending = path.rpartition(".")[2].lower()
        if ending in FORMAT_OF_ENDING or ending == "parquet" or len(self.runs) > 1:
            raise UsageError(
                f"{path}: no such file; -o takes no value here, as in trec_eval, and has no effect:"
                f" to write the results to {path}, use --output {path}"
            )

    @property
    def writes_parquet(self) -> bool:
        """Return whether --output names a table of all values, FILE.parquet, and no --format another one."""
        if self.output is None or self.output_format != "trec":
            return False
        return self.output.endswith(".parquet")


class ReadRun(NamedTuple):
    """Facts of a run that was read, for the warning about all runs together.

    topics         (T,) indices of its topics in the judgements
    num_retrieved  number of its documents that count, as -M leaves them
    """

    tag: str
    path: str
    topics: IntArray
    num_retrieved: int


@dataclass(frozen=True, eq=False, kw_only=True)
class Job(Scoring):
    """Job of the evaluator: what runs are scored with, the options of the command, lists of what happened.

    failures   list that receives the runs that cannot be evaluated, None if the first of them is an error
    read_runs  list that receives the facts of each run that is read
    """

    command_options: EvaluateOptions
    failures: list[RunFailure] | None
    read_runs: list[ReadRun]

    def record(self, runs: Iterable[RunRecord], qrels: FileRecord) -> Record:
        """Return the evaluated runs with all that their numbers depend on, for JSON and for gates.

        qrels  the file of the judgements
        """
        from pres_eval.reading.judgements.digests import judgements_digest
        from pres_eval.report.records import JudgementsRecord, Record, file_record

        options, rewriting = self.command_options, self.relevance.rewriting
        files = {
            "groups": options.groups,
            "weights": options.weights,
            "map-docs": options.map_docs,
            "exclude": options.exclude,
            "nmax-file": options.nmax_file,
            "size-file": options.size_file,
            "document-scores": options.document_scores,
        }
        rules = {
            "map-ranks": options.rewrites.get("map_ranks"),
            "exclude-from": options.rewrites.get("exclude_from"),
            "protocol": options.protocol,
        }
        digest = None
        if options.against or options.output_format == "json":
            digest = judgements_digest(self.relevance, options.qrels)
        num_judgements = None
        if rewriting is not None:
            num_judgements = (rewriting.num_judged, len(self.relevance.pool.documents))
        return Record(
            options=self.options,
            qrels=qrels,
            runs=tuple(runs),
            relevance_format=options.relevance_format,
            failures=tuple(self.failures or ()),
            files={name: file_record(path) for name, path in files.items() if path is not None},
            rules={name: rule for name, rule in rules.items() if rule is not None},
            judgements=JudgementsRecord(digest, num_judgements),
            groups=self.groups,
            weights=self.weights,
        )

    def rankings(self) -> Iterator[Ranking]:
        """Yield the runs over the topics of --topics, each after a warning about equal scores.

        Several runs over common topics are all read before the first is yielded.
        """
        rankings = self._read()
        if len(self.command_options.runs) > 1 and self.command_options.topic_rule(OWN) == COMMON:
            rankings = self._on_common_topics(rankings)
        for ranking in rankings:
            if len(ranking.ties.document):
                warn_of_ties(self.command_options, self, ranking)
            yield ranking

    def _on_common_topics(self, runs: Iterable[Ranking]) -> Iterator[Ranking]:
        """Yield the runs over the topics that all of them have.

        With --keep-going runs without any topic do not count, and are yielded last: evaluating them fails.
        """
        from pres_eval.analysis.topics import use_topics

        with_topics, failed = [], []
        for ranking in runs:
            if self.command_options.keep_going and not len(ranking.topic):
                failed.append(ranking)
            else:
                with_topics.append(ranking)
        num_topics = len(self.relevance.pool.topics)
        over_common_topics, _ = use_topics(with_topics, self._names(), COMMON, num_topics)
        yield from over_common_topics
        yield from failed

    def _read(self) -> Iterator[Ranking]:
        """Yield the runs as they are read, and add the facts of each to `read_runs`."""
        options = self.command_options
        for ranking in runs_at(options, options.runs, self.relevance, self.options, self.failures):
            if len(ranking.topic) or not options.keep_going:
                number = num_retrieved(ranking, self.options.max_retrieved)
                self.read_runs.append(ReadRun(ranking.tag, ranking.name, ranking.topic, number))
            yield ranking

    def _names(self) -> list[str]:
        """Return the names of the runs read so far."""
        return self.command_options.names_of_runs([(run.tag, run.path) for run in self.read_runs])

    def warning_about_runs(self) -> str | None:
        """Return the warning about several runs together that were read so far; None if there is none."""
        if self.options.only_topic is not None or not self.read_runs:
            return None
        from pres_eval.analysis.paired import depth_warning
        from pres_eval.analysis.topics import used_topics

        topics = [run.topics for run in self.read_runs]
        rule = self.command_options.topic_rule(OWN)
        used = used_topics(topics, self._names(), rule, len(self.relevance.pool.topics))
        depth = depth_warning(self.selection, [run.num_retrieved for run in self.read_runs])
        texts = [text for text in (used.warning, depth) if text]
        if not texts:
            return None
        return "; ".join(texts)

    def loop(self, work: Callable[[int], Result], count: int) -> Iterator[Result]:
        """Yield work(0) to work(count - 1), the scores of some topics each.

        Copies of this process may do the work, but not for a single step, several runs, or one processor.
        """
        options = self.command_options
        # Z-scores remember in this process, for a warning, which topics and measures their file lacks.
        if count == 1 or len(options.runs) > 1 or options.num_jobs == 1 or self.zscores is not None:
            return in_turn(work, count)
        from pres_eval.engines.copies import by_copies

        return by_copies(work, count, options.num_jobs)

    def evaluate(self, ranking: Ranking) -> ScoredRun:
        """Return the evaluation of a run; raise NoCommonTopicError if none of its topics is judged."""
        check_common_topics(self.relevance, ranking, self.options)
        evaluation = self.evaluation(ranking, self.blocks(ranking, self.loop))
        if self.command_options.intervals:
            from pres_eval.analysis.sample_intervals import with_sample_intervals

            evaluation = with_sample_intervals(evaluation, ranking, self, self.command_options.warn)
        self.command_options.warn(warning_of_groups(evaluation, self.groups, self.weights))
        return evaluation
