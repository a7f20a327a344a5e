"""The options that several commands share: single ones, and records of them."""

from __future__ import annotations

import sys
from collections.abc import Sequence
from typing import TYPE_CHECKING

import click
from click.core import ParameterSource

from pres_eval.cli.command_options import CommandOptions, CutoffList, LevelType, WholeRange, option
from pres_eval.cli.output import check_ending
from pres_eval.cli.streams import note, warn
from pres_eval.engines.machine import num_processors
from pres_eval.errors import UsageError
from pres_eval.options import (
    BY_DOCNO,
    COMPAT_VERSIONS,
    DEFAULT_NMAX,
    DUPLICATE_RULES,
    EMPTY_RULES,
    TIE_RULES,
    Options,
    RelevanceInfo,
)
from pres_eval.ranking.ranking import ALL, TOPIC_RULES
from pres_eval.reading.headings import NAMEABLE
from pres_eval.reading.judgements.relevance import JUDGED_FORMATS, relevance_info
from pres_eval.reading.run_files import RUN_FORMATS, TREC
from pres_eval.report.text import NAMINGS, run_names

if TYPE_CHECKING:
    from pres_eval.reading.rewriting import Rewriting


def _set_protocol(context: click.Context, parameter: click.Parameter, name: str | None) -> str | None:
    """Make the settings of a protocol the defaults of the other options, and return its name."""
    if name is not None:
        from pres_eval.cli.protocols import defaults_of

        context.default_map = defaults_of(name, context.command)
    return name


RESULTS_FORMAT = option(
    "-T", "--Results_format", default=TREC, metavar="FORMAT",
    help=f"Format of the runs: {TREC}, {', '.join(RUN_FORMATS)}; recognised if none is given.",
)  # fmt: skip
COLUMNS = option(
    "--columns", of_runs=True, multiple=True, metavar="NAME=HEADING,...",
    help="Columns of CSV, JSON and Parquet by their headings, or of any text by their numbers from 1; NAME is"
    f" {', '.join(NAMEABLE)}; qrels.NAME and run.NAME are for one of the files alone.",
)  # fmt: skip
GRADE_WORDS = option(
    "--grades",
    of_runs=True,
    multiple=True,
    metavar="WORD=GRADE,...",
    help="Grades that are words, as in X=3,Y=2,A=1.",
)  # fmt: skip
NMAX = option(
    "--nmax", of_runs=True, type=CutoffList(), default=",".join(map(str, DEFAULT_NMAX)), show_default=True,
    metavar="RANKS", help="Nmax of PRES where -m PRES names none.",
)  # fmt: skip
GROUPS = option(
    "--groups", once=True, metavar="FILE",
    help="Groups of topics (topic group): add the values of each group, their mean and the worst of them.",
)  # fmt: skip
WEIGHTS = option(
    "--weights",
    once=True,
    metavar="FILE",
    help="Weights of topics (topic weight), such as the frequency of each query.",
)


def _warn_of_parameters(
    context: click.Context, parameter: click.Parameter, texts: tuple[str, ...]
) -> tuple[str, ...]:
    """Return the measures of -m as they are, after warnings of parameters that have no effect."""
    has_parameters = any("." in text for text in texts)
    if has_parameters and not context.params.get("quiet"):
        from pres_eval.measures.selection import warnings_of_ignored_parameters

        for text in warnings_of_ignored_parameters(texts):
            warn(text)
    return texts


WITH_CUTOFFS = "NAME[.PARAMETERS]"
"""Metavar of -m in commands that let measures have cutoffs; others add cutoffs of their own."""

MEASURES = option(
    "-m", "--measure", multiple=True, metavar=WITH_CUTOFFS, callback=_warn_of_parameters,
    help="A measure or a nickname for several measures; can be given more than once.",
)  # fmt: skip

TABLES = ("table", "latex", "markdown")
"""Values of --format that are tables for people, with rounded numbers."""


def terminal_width(output: str | None) -> int | None:
    """Return the number of characters in a line of the terminal; None if results go elsewhere."""
    if output is not None or not sys.stdout.isatty():
        return None
    import shutil

    return shutil.get_terminal_size().columns


class TableOptions(CommandOptions, position=3):
    """Options of tables for people."""

    output: str | None
    output_format: str
    style: str | None = option(
        "--style", metavar="NAME", help="Style of --format table, one of tabulate's (default: simple)."
    )
    fit: bool = option("--fit", is_flag=True, help="Make tables of --format latex fit a column of a paper.")
    digits: int | None = option(
        "--digits", type=WholeRange(0, 17), metavar="NUM",
        help="Digits after the point in tables for people (default: 4).",
    )  # fmt: skip

    def check_table(self) -> None:
        """Raise UsageError for options of tables that have no effect in the format of --format."""
        form = self.output_format
        if self.output is not None:
            check_ending(self.output)
        if self.fit and form != "latex":
            raise UsageError(f"--fit goes with --format latex, not --format {form}")
        if self.style is not None and form != "table":
            # The ending of --output chooses a style, too, which another --format overrides.
            source = click.get_current_context().get_parameter_source("style")
            if source is ParameterSource.COMMANDLINE:
                raise UsageError(f"--style goes with --format table, not --format {form}")
        if self.digits is not None and form not in TABLES:
            raise UsageError(f"--digits goes with --format {', '.join(TABLES)}, not --format {form}")


class RewriteOptions(CommandOptions, position=5):
    """Options that map and exclude documents."""

    map_docs: str | None = option(
        "--map-docs", once=True, of_runs=True, metavar="FILE|REGEX|patent",
        help="Map documents, in runs and judgements: by a file (docno document, docno family), a pattern with"
        " groups, as '^(.*)#\\d+$' for chunks, or to the numbers of patents, without kind codes; the first of"
        " several hits counts, the highest of grades.",
    )  # fmt: skip
    map_ranks: str = option(
        "--map-ranks", of_runs=True, choices=("dense", "kept"), default="dense", show_default=True,
        help="With --map-docs, if a document comes again: renumber the ranks, or keep them.",
    )  # fmt: skip
    exclude: str | None = option(
        "--exclude", once=True, of_runs=True, metavar="FILE|self",
        help="Documents that do not count: a file (topic docno, or qrels); self: the topic's own id.",
    )  # fmt: skip
    exclude_from: str = option(
        "--exclude-from", of_runs=True, choices=("both", "run"), default="both", show_default=True,
        help="With --exclude: leave them out of run and judgements, or of the run alone, as BEIR does.",
    )  # fmt: skip

    def check_rewrites(self) -> None:
        """Raise UsageError for options that have no effect without others."""
        if self.map_ranks != "dense" and self.map_docs is None:
            raise UsageError("--map-ranks goes with --map-docs")
        if self.exclude_from != "both" and self.exclude is None:
            raise UsageError("--exclude-from goes with --exclude")

    @property
    def rewrites(self) -> dict[str, str]:
        """Return by name the options of mapping, if there is --map-docs, and of exclusion, if --exclude."""
        rewrites: dict[str, str] = {}
        if self.map_docs is not None:
            rewrites |= {"map_docs": self.map_docs, "map_ranks": self.map_ranks}
        if self.exclude is not None:
            rewrites |= {"exclude": self.exclude, "exclude_from": self.exclude_from}
        return rewrites

    def rewriting(self) -> Rewriting | None:
        """Return the mapping and exclusion of documents, None if no option asks for any.

        Raises UsageError and InputError for files and patterns that cannot be used.
        """
        if self.map_docs is None and self.exclude is None:
            return None
        from pres_eval.reading.rewriting import rewriting_of

        return rewriting_of(self.map_docs, self.map_ranks, self.exclude, self.exclude_from)


class NumberOptions(RewriteOptions, position=4):
    """Options that change the numbers of an evaluation; besides --names, -R, --quiet and --jobs."""

    names: str = option(
        "--names", of_runs=True, choices=NAMINGS, default=NAMINGS[0], show_default=True,
        help="Names of runs: tag, file or path; auto: their tags if all of them differ, else their"
        " files.",
    )  # fmt: skip
    keep_going: bool = option(
        "--keep-going", of_runs=True, is_flag=True,
        help="Name the runs that cannot be evaluated, evaluate the others, and exit with 2.",
    )  # fmt: skip
    protocol: str | None = option(
        "--protocol", once=True, of_runs=True, metavar="NAME", is_eager=True, callback=_set_protocol,
        help="Set -c, -l, -M and -m as a track's papers do, such as trec-dl; your own options win"
        " (pres-eval protocols lists all).",
    )  # fmt: skip
    complete: bool = option(
        "-c", "--complete_rel_info_wanted", is_flag=True,
        help="Average over all topics of the qrels; those the run lacks count as 0.",
    )  # fmt: skip
    topics: str | None = option(
        "--topics", choices=TOPIC_RULES,
        help="Topics to average over: those of each run, those common to all runs, or all of the qrels (-c).",
    )  # fmt: skip
    relevance_level: float = option(
        "-l", "--level_for_rel", of_runs=True, type=LevelType(), default=1, show_default=True,
        metavar="NUM", help="Least grade of a relevant document.",
    )  # fmt: skip
    judged_only: bool = option(
        "-J", "--Judged_docs_only", of_runs=True, is_flag=True,
        help="Remove unjudged documents from the rankings first.",
    )  # fmt: skip
    num_docs_in_coll: int = option(
        "-N", "--Number_docs_in_coll", of_runs=True, type=WholeRange(min=0), default=0,
        metavar="NUM", help="Number of documents in the collection.",
    )  # fmt: skip
    size_file: str | None = option(
        "--size-file", of_runs=True, metavar="FILE",
        help="Number of documents in the collection of each topic (topic number), in place of -N.",
    )  # fmt: skip
    nmax_file: str | None = option(
        "--nmax-file", of_runs=True, metavar="FILE",
        help="Nmax of each topic (topic number), for -m PRES_budget.",
    )  # fmt: skip
    max_retrieved: int | None = option(
        "-M", "--Max_retrieved_per_topic", of_runs=True, type=WholeRange(min=0), metavar="NUM",
        help="Use only the first NUM documents of each topic.",
    )  # fmt: skip
    duplicates: str = option(
        "--duplicates", of_runs=True, choices=DUPLICATE_RULES, default=DUPLICATE_RULES[0], show_default=True,
        help="If a run has a document twice for a topic: stop, or use the first line or the best score.",
    )  # fmt: skip
    empty: str = option(
        "--empty", once=True, of_runs=True, choices=EMPTY_RULES, default=EMPTY_RULES[0], show_default=True,
        help="Topics without relevant documents: treat them as trec_eval does; give measures between 0 and"
        " 1 the value 0 or 1; skip them; stop.",
    )  # fmt: skip
    compat: str = option(
        "--compat", of_runs=True, choices=COMPAT_VERSIONS, default=COMPAT_VERSIONS[0], show_default=True,
        help="Print the numbers of this trec_eval.",
    )  # fmt: skip
    relevance_format: str = option(
        "-R", "--Rel_info_format", of_runs=True, default="qrels", show_default=True, metavar="FORMAT",
        help=f"Format of the judgements: {', '.join(JUDGED_FORMATS)}.",
    )  # fmt: skip
    columns: tuple[str, ...] = COLUMNS
    grades: tuple[str, ...] = GRADE_WORDS
    quiet: bool = option("--quiet", is_flag=True, is_eager=True, help="No warnings and no progress bar.")
    jobs: int | None = option(
        "--jobs", type=WholeRange(min=1), metavar="NUM",
        help="Processes or threads that read and compute (default: the processors that may be used).",
    )  # fmt: skip

    # Options that only some commands have; the others use these values.
    ties: str = BY_DOCNO
    results_format: str = TREC
    document_scores: str | None = None
    cluster: str | None = None
    cluster_timeout: float | None = None
    check_duplicates: bool | None = None

    @property
    def num_jobs(self) -> int:
        """Number of processes or threads that may work at the same time."""
        return self.jobs or num_processors()

    def names_of_runs(self, runs: Sequence[tuple[str, str]]) -> list[str]:
        """Return the names of runs, as --names chooses them; `runs` are their tags and paths."""
        return run_names(runs, self.names)

    @property
    def relevance_info(self) -> RelevanceInfo:
        """Return the facts of the format of judgements; raise UsageError for one that does not exist."""
        return relevance_info(self.relevance_format)

    def warn(self, text: str | None) -> None:
        """Print a warning on stderr if there is one, unless --quiet is given."""
        if text and not self.quiet:
            warn(text)

    def note(self, text: str) -> None:
        """Print a note on stderr, unless --quiet is given."""
        if not self.quiet:
            note(text)

    def check_qrels_alone(self) -> None:
        """Raise UsageError for a format of judgements other than qrels, and for one that does not exist."""
        relevance_info(self.relevance_format)  # raises the error of the latter
        if self.relevance_format != "qrels":
            raise UsageError(f"-R {self.relevance_format}: this command takes -R qrels alone")

    def topic_rule(self, default: str) -> str:
        """Return over which topics several runs are averaged, a name of TOPIC_RULES.

        default  the rule if neither -c nor --topics is given
        Raises UsageError if they contradict each other.
        """
        if not self.complete:
            return self.topics or default
        if self.topics not in (None, ALL):
            raise UsageError(f"-c is --topics {ALL}, not --topics {self.topics}: expected one of them")
        return ALL

    def evaluation_options(self, only_topic: bytes | None = None) -> Options:
        """Return the options that change numbers, as the library takes them.

        only_topic  the topic of -D that is evaluated alone, None for all
        Raises UsageError for options that contradict each other.
        """
        self.check_rewrites()
        level = self.relevance_level
        if isinstance(level, float) and self.relevance_format != "qrels_float":
            raise UsageError(f"-l {level:g}: expected a whole number, or the judgements with -R qrels_float")
        if self.size_file is not None and self.num_docs_in_coll:
            raise UsageError("-N and --size-file: expected one of them")
        return Options(
            compat=self.compat,
            relevance_level=level,
            max_retrieved=self.max_retrieved,
            judged_only=self.judged_only,
            complete=self.complete or self.topics == ALL,
            num_docs_in_coll=self.num_docs_in_coll,
            only_topic=only_topic,
            duplicates=self.duplicates,
            empty=self.empty,
            ties=self.ties,
        )


class TieOptions(NumberOptions, position=6):
    """Options that change numbers, with --ties."""

    ties: str = option(
        "--ties", of_runs=True, choices=TIE_RULES, default=BY_DOCNO, show_default=True,
        help="Equal scores: by docno, as in trec_eval; the mean of all orders; relevant ones first; or last.",
    )  # fmt: skip
