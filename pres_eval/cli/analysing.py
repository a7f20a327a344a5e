"""Options and output of the commands that analyse runs."""

from __future__ import annotations

import fnmatch
from collections.abc import Callable, Sequence
from typing import Any

from pres_eval.analysis.compare_settings import LEAST_ALPHA
from pres_eval.cli.command_options import (
    CommandOptions,
    FileUse,
    FiniteRange,
    Millimetres,
    WholeRange,
    argument,
    option,
)
from pres_eval.cli.output import exit_if_failed, set_format, write_output
from pres_eval.cli.progress import working
from pres_eval.cli.shared import MEASURES, NMAX, NumberOptions, TableOptions, terminal_width
from pres_eval.cli.streams import warn
from pres_eval.errors import RunFailure, UsageError
from pres_eval.ranking.ranking import COMMON, OWN
from pres_eval.reading.judgements.relevance import relevance_info
from pres_eval.report.grid import HTML
from pres_eval.report.layout import ANALYSIS_FORMATS, Look, Table, render
from pres_eval.report.paper import Figure, Paper, check_picture_path, picture

DRAWS = WholeRange(1, 10_000_000)
"""Kind of value for a number of random draws, at most ten million: time grows with it."""

SEED = option(
    "--seed", type=WholeRange(min=0), default=0, show_default=True,
    help="Seed of all random choices: the same seed gives the same output on every machine (PCG64).",
)  # fmt: skip
ALPHA = option(
    "--alpha", type=FiniteRange(LEAST_ALPHA, 1, max_open=True), default=0.05, show_default=True,
    help="Level of significance.",
)  # fmt: skip
RUN_GROUPS = option(
    "--group", type=(str, str), multiple=True, metavar="NAME PATTERN",
    help="A group of runs, and the pattern of their names, such as LM 'lm-*'; several allowed.",
)  # fmt: skip


def measures_option(defaults: Sequence[str], which: str, metavar: str) -> Any:
    """Return the Parameter -m of a command that adds cutoffs to measures, or has defaults of its own.

    which  beginning of the help: which measures the option takes
    """
    return option(
        "-m", "--measure", multiple=True, metavar=metavar,
        help=f"{which} (default: {', '.join(defaults)}).",
    )  # fmt: skip


class PictureOptions(CommandOptions, position=3):
    """Options of pictures."""

    plot_width: float | None = option(
        "--width", type=Millimetres(40, 1000), metavar="MM",
        help="Width of the picture, such as a column of a paper: 84mm, 174mm (letters of 7 points or more).",
    )  # fmt: skip
    untitled: bool = option(
        "--untitled", is_flag=True, help="Leave out the titles, for a picture with a caption."
    )
    plot_style: str | None = option(
        "--plot-style", metavar="NAME", file_use=FileUse.READ,
        help="Settings of matplotlib for the picture: a file, or one of its styles (grayscale).",
    )  # fmt: skip
    highlight: tuple[str, ...] = option(
        "--highlight", multiple=True, metavar="RUN",
        help="Draw the curve of this run, by its name, in colour and those not named in grey; several times.",
    )  # fmt: skip

    @property
    def paper(self) -> Paper:
        """Return the width, style and title that pictures are drawn for."""
        return Paper(self.plot_width, self.untitled, self.plot_style, self.highlight)

    def check_no_picture(self, needed: str) -> None:
        """Raise UsageError for options of pictures; a call that draws none calls this.

        needed  the option that would draw one, for the message
        """
        unused = f"changes a picture, and you asked for none: expected {needed} too"
        if self.plot_width is not None:
            raise UsageError(f"--width {unused}")
        if self.untitled:
            raise UsageError(f"--untitled {unused}")
        if self.plot_style is not None:
            raise UsageError(f"--plot-style {unused}")
        if self.highlight:
            raise UsageError(f"--highlight {unused}")


class ResultOptions(PictureOptions, TableOptions, position=2):
    """Options of results: --format, --table, --output, --plot and --quiet."""

    output_format: str = option(
        "--format", choices=ANALYSIS_FORMATS, default=ANALYSIS_FORMATS[0], show_default=True,
        help="Tables for people (table, latex, markdown), or all digits for programs (json, csv, tsv).",
    )  # fmt: skip
    table: str | None = option(
        "--table", once=True, metavar="NAME",
        help="Print only this table (CSV and TSV have one; default: the first).",
    )  # fmt: skip
    output: str | None = option(
        "-o", "--output", metavar="FILE", callback=set_format, file_use=FileUse.WRITTEN,
        help="Write results to FILE, whole or not at all; FILE.csv, .tsv, .json, .md and .tex set --format.",
    )  # fmt: skip
    plot: str | None = option(
        "--plot",
        once=True,
        metavar="FILE",
        file_use=FileUse.WRITTEN,
        help="Also draw a picture: FILE.png, .svg or .pdf (extra: plot).",
    )
    quiet: bool = NumberOptions.quiet

    def check(self) -> None:
        """Raise UsageError for options that make no sense, before anything is read."""
        self.check_table()
        if self.plot:
            check_picture_path(self.plot, self.plot_style)
        else:
            self.check_no_picture("--plot FILE.svg")


class AnalysisOptions(ResultOptions, NumberOptions):
    """Options of results, and those that change numbers.

    COMPARES_TOPICS     whether runs are compared topic by topic, so that --topics own is an error
    NEEDS_QRELS_FORMAT  whether the command takes no other judgements than those of -R qrels
    """

    COMPARES_TOPICS = False
    NEEDS_QRELS_FORMAT = False

    def check(self) -> None:
        """Raise UsageError for options that make no sense, before anything is read."""
        if self.COMPARES_TOPICS and self.topics == OWN:
            raise UsageError(f"--topics {OWN}: runs are compared topic by topic, expected common or all")
        if self.NEEDS_QRELS_FORMAT:
            self.check_qrels_alone()
        super().check()
        # These raise UsageError for -c beside --topics, and for a format that does not exist.
        self.topic_rule(default=COMMON)
        relevance_info(self.relevance_format)


class FileOptions(CommandOptions, position=2):
    """Arguments of a command that takes judgements and at least one run."""

    qrels: str = argument()
    runs: tuple[str, ...] = argument(nargs=-1, required=True, metavar="RUN [RUN ...]")


class RunsOptions(FileOptions, AnalysisOptions):
    """Options of commands that take judgements with -R qrels and at least one run."""

    NEEDS_QRELS_FORMAT = True


class PairedOptions(AnalysisOptions, position=0):
    """Options of commands that compare runs topic by topic: judgements and runs, or files of scores."""

    COMPARES_TOPICS = True

    files: tuple[str, ...] = argument(nargs=-1, metavar="QRELS RUN [RUN ...]")
    measures: tuple[str, ...] = MEASURES
    nmax: tuple[int, ...] = NMAX
    scores: tuple[str, ...] = option(
        "--scores", metavar="FILE", multiple=True,
        help="Scores instead of QRELS and runs: CSV (run,topic,MEASURE,..., from --format csv -q), output of"
        " trec_eval -q, or JSON Lines with qid; several files allowed; -m and --topics select from them.",
    )  # fmt: skip


def groups_of_runs(
    groups: Sequence[tuple[str, str]], names: Sequence[str], required: bool = True
) -> dict[str, list[int]]:
    """Return the indices of the runs in each group, ascending, by the group's name.

    groups    (name, pattern) pairs of --group; a group may have several patterns
    names     of the runs, which the patterns match
    required  False: `groups` does not count, and each run is a group of its own
    Raises UsageError for a pattern that no run matches, and if groups are required and there are none.
    """
    if not required:
        return {name: [index] for index, name in enumerate(names)}
    if not groups:
        raise UsageError("no groups: expected --group NAME PATTERN, such as --group LM 'lm-*'")
    runs_of_group: dict[str, list[int]] = {}
    for name, pattern in groups:
        indices = [index for index, run in enumerate(names) if fnmatch.fnmatchcase(run, pattern)]
        if not indices:
            raise UsageError(
                f"--group {name} {pattern}: matches no run, expected names such as {', '.join(names[:5])}"
            )
        runs_of_group[name] = sorted({*runs_of_group.get(name, []), *indices})
    return runs_of_group


def print_tables(
    tables: Sequence[Table],
    command: str,
    settings: dict[str, object],
    options: ResultOptions,
    failures: tuple[RunFailure, ...] = (),
    make_figure: Callable[[], Figure] | None = None,
    warning: str = "",
) -> None:
    """Write the tables in the format of --format, then the picture of --plot.

    command      name of the command, for JSON
    settings     how the numbers were made, for JSON
    failures     runs that could not be read: if there are any, click's Exit is raised after the output
    make_figure  makes the picture of --plot, None if the command has none
    warning      a note that the tables have below them: printed as a warning with json, csv and tsv, which
                 have no notes; empty for none
    """
    look = Look(
        form=options.output_format,
        chosen=options.table,
        digits=Look.digits if options.digits is None else options.digits,
        style=options.style or Look.style,
        width=terminal_width(options.output),
        failures=failures,
        fit=options.fit,
    )
    text = render(tables, look, command, settings)
    if warning and options.output_format in ("json", "csv", "tsv") and not options.quiet:
        warn(warning)
    if look.markup == HTML and options.output not in (None, "-"):
        from pres_eval.report.table_page import page_of_tables

        text = page_of_tables(text, f"pres-eval {command}")
    write_output(options.output, text)
    if options.plot is not None and make_figure is not None:
        with working(f"drawing {options.plot}", options.quiet):
            drawn = picture(make_figure, options.plot, options.paper)
        write_output(options.plot, drawn)
    exit_if_failed(failures)
