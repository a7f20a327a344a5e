"""What the commands that analyse runs share: reading them, naming them, putting out tables and pictures."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pres_eval.analysis.paired import PairedScores, pair_topics
from pres_eval.analysis.topics import UsedTopics, use_topics
from pres_eval.cli.output import write_output
from pres_eval.cli.progress import steps, working
from pres_eval.cli.reader import check_paths, path_of, warn
from pres_eval.cli.shared import (
    DIGITS,
    KEEP_GOING,
    NAMES,
    STYLE,
    FiniteRange,
    NumberOptions,
    check_table_options,
    number_options,
    terminal_width,
)
from pres_eval.cli.streams import say
from pres_eval.errors import PresEvalError, RunFailure, UsageError
from pres_eval.measures.selection import Selection, select
from pres_eval.options import Options, RelevanceInfo
from pres_eval.ranking.common import COMMON, OWN, no_common_topic
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.qrels import Qrels
from pres_eval.reading.relevance import Relevance, relevance_info
from pres_eval.report.layout import FORMATS, Look, Table, render
from pres_eval.report.names import run_names
from pres_eval.report.shown_runs import DEFAULT_DIGITS, DEFAULT_STYLE
from pres_eval.report.text import text_of
from pres_eval.scoring import Evaluation, evaluate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


RESULT_OPTIONS = [
    click.option(
        "--format", "output_format", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True,
        help="Tables for people (table, latex, markdown), or all digits for programs (json, csv, tsv).",
    ),
    click.option(
        "--table", "table", metavar="NAME",
        help="Put out this table alone (CSV and TSV always have one: the first, unless named).",
    ),
    STYLE,
    DIGITS,
    NAMES,
    click.option("--output", metavar="FILE", help="Write results to FILE, whole or not at all."),
    click.option(
        "--plot", metavar="FILE", help="Also draw a picture: FILE.png, .svg or .pdf (extra: plot).",
    ),
]  # fmt: skip
SEED = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True,
    help="Of all random choices: the same seed gives the same output everywhere (PCG64).",
)  # fmt: skip
ALPHA = click.option(
    "--alpha", type=FiniteRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
    help="Level of significance.",
)  # fmt: skip


def qrels_and_runs(metavar: str = "RUN [RUN ...]") -> Callable[[Decorated], Decorated]:
    """The arguments QRELS and RUN, one run at least."""

    def decorate(function: Decorated) -> Decorated:
        runs = click.argument("runs", nargs=-1, required=True, metavar=metavar)
        return click.argument("qrels")(runs(function))

    return decorate


def measures_option(defaults: Sequence[str], which: str, metavar: str) -> Callable[[Decorated], Decorated]:
    """The option -m of a command whose measures have cutoffs of their own."""
    return click.option(
        "-m", "--measure", "measures", multiple=True, metavar=metavar,
        help=f"{which} (default: {', '.join(defaults)}).",
    )  # fmt: skip


@dataclass(frozen=True, kw_only=True)
class AnalysisOptions(NumberOptions):
    """What the command line said to `analysis_options`."""

    output_format: str
    table: str | None
    style: str | None
    digits: int | None
    names: str
    plot: str | None
    output: str | None
    keep_going: bool

    def check(self) -> RelevanceInfo:
        """What the judgements can give; stops before anything is read if the options make no sense."""
        check_table_options(self.output_format, self.style, self.digits)
        self.topic_rule(COMMON)
        if self.plot:
            from pres_eval.report.drawing import check_picture_path

            check_picture_path(self.plot)
        return relevance_info(self.relevance_format)

    def check_paired(self) -> None:
        """Raises UsageError for topics over which runs cannot be compared topic by topic."""
        if self.topics == OWN:
            raise UsageError(f"--topics {OWN}: runs are compared topic by topic, expected common or all")

    def check_for_qrels(self) -> None:
        """The same for a command that takes judgements of relevance alone."""
        check_qrels_alone(self.relevance_format)
        self.check()


def check_qrels_alone(relevance_format: str) -> None:
    """Stop at a format of judgements that is not qrels."""
    relevance_info(relevance_format)
    if relevance_format != "qrels":
        raise UsageError(f"-R {relevance_format}: this command takes -R qrels alone")


def analysis_options(function: Decorated) -> Decorated:
    """Add the options of results (--format, --table, --plot ...) and those that change numbers."""
    function = number_options(function)
    for option in reversed([*RESULT_OPTIONS, KEEP_GOING]):
        function = option(function)
    return function


@dataclass(frozen=True)
class Loaded:
    """Judgements and runs in memory, with names for the runs and what the command line said.

    paths     of the runs, as the command line named them
    topics    those over which the runs are averaged, which the runs have already been cut down to
    failures  the runs that could not be read, and why
    """

    relevance: Relevance
    rankings: list[Ranking]
    names: list[str]
    paths: list[str]
    topics: UsedTopics
    options: Options
    settings: dict[str, object]
    quiet: bool
    failures: tuple[RunFailure, ...]

    def evaluations(self, selection: Selection) -> list[Evaluation]:
        """The runs scored by a selection."""
        return [
            evaluate(self.relevance, self.rankings[run], selection, self.options)
            for run in self.each("evaluating")(range(len(self.rankings)))
        ]

    def qrels(self) -> Qrels:
        """The judgements, in a command that takes qrels alone."""
        assert isinstance(self.relevance, Qrels), "check_for_qrels lets nothing else in"
        return self.relevance

    def each(self, label: str) -> Callable[[Iterable[int]], Iterable[int]]:
        """A wrapper for loops that shows a progress bar on a terminal."""
        return with_bar(label, self.quiet)


def with_bar(label: str, quiet: bool) -> Callable[[Iterable[int]], Iterable[int]]:
    """A wrapper for loops that shows a progress bar on a terminal."""

    def wrapped(numbers: Iterable[int]) -> Iterable[int]:
        with steps(label, len(list(numbers)), quiet) as bar:
            yield from bar

    return wrapped


def read_runs(
    said: NumberOptions, keep_going: bool, paths: Sequence[str], relevance: Relevance, options: Options
) -> tuple[list[Ranking], tuple[RunFailure, ...]]:
    """The runs, and those that cannot be evaluated if these are to be left out; some run is left.

    Raises PresEvalError if there is none.
    """
    failures: list[RunFailure] = []
    rankings = []
    for ranking in said.reader().runs(paths, relevance, options, failures if keep_going else None):
        if keep_going and not len(ranking.topic) and not options.complete:
            failures.append(RunFailure(ranking.name, no_common_topic(relevance, ranking, options)))
            say(f"pres-eval: {failures[-1].message}")
        else:
            rankings.append(ranking)
    if failures and not rankings:
        raise PresEvalError("no run can be evaluated")
    return rankings, tuple(failures)


def usual_measures(nmax: Sequence[int]) -> tuple[str, ...]:
    """The measures of an analysis that is asked for none."""
    return ("map", f"recall.{','.join(map(str, nmax))}", "PRES")


@dataclass(frozen=True, kw_only=True)
class PairedOptions(AnalysisOptions):
    """What commands are told that look at runs topic by topic: judgements and runs, or a file of scores."""

    files: tuple[str, ...]
    measures: tuple[str, ...]
    nmax: tuple[int, ...]
    scores: str | None


def read_paired(said: PairedOptions, info: RelevanceInfo, least: int) -> tuple[Loaded, PairedScores]:
    """Read the judgements and the runs, `least` at least, and score these on the same topics."""
    if len(said.files) < 1 + least:
        runs = "one run" if least == 1 else "two runs"
        raise UsageError(f"expected QRELS and at least {runs}, or --scores FILE")
    selection = select(said.measures or usual_measures(said.nmax), said.numbers(), said.nmax, info)
    loaded = read(said, said.files[0], said.files[1:])
    every_topic = tuple(loaded.relevance.pool.topics) if said.complete else None
    return loaded, pair_topics(loaded.evaluations(selection), loaded.names, every_topic)


def read(said: AnalysisOptions, qrels: str, runs: Sequence[str]) -> Loaded:
    """Read the judgements and the runs."""
    options = said.numbers()
    check_paths(qrels, runs)
    relevance = said.reader().relevance(qrels)
    rankings, failures = read_runs(said, said.keep_going, runs, relevance, options)
    names = run_names([(ranking.tag, ranking.name) for ranking in rankings], said.names)
    rankings, topics = use_topics(rankings, names, said.topic_rule(COMMON), len(relevance.pool.topics))
    if topics.warning and not said.quiet:
        warn(topics.warning)
    settings: dict[str, object] = {"qrels": text_of(qrels), "runs": [text_of(run) for run in runs]}
    settings.update({name: value for name, value in asdict(options).items() if name != "only_topic"})
    return Loaded(
        relevance=relevance,
        rankings=rankings,
        names=names,
        paths=[path_of(ranking) for ranking in rankings],
        topics=topics,
        options=options,
        settings=settings,
        quiet=said.quiet,
        failures=failures,
    )


def show(
    tables: Sequence[Table],
    command: str,
    settings: dict[str, object],
    said: AnalysisOptions,
    failures: tuple[RunFailure, ...] = (),
) -> None:
    """Put the tables out, in the format that --format wants."""
    look = Look(
        form=said.output_format,
        chosen=said.table,
        digits=DEFAULT_DIGITS if said.digits is None else said.digits,
        style=said.style or DEFAULT_STYLE,
        width=terminal_width(said.output),
        failures=failures,
    )
    write_output(said.output, render(tables, look, command, settings))


def draw(make: Callable[[], Figure], said: AnalysisOptions) -> None:
    """Draw the picture that --plot wants, if it does; it is written whole or not at all."""
    if said.plot is None:
        return
    from pres_eval.report.drawing import picture

    with working(f"drawing {said.plot}", said.quiet):
        drawn = picture(make(), said.plot)
    write_output(said.plot, drawn)
