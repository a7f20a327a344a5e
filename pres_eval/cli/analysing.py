"""What the commands that analyse runs share: reading them, naming them, putting out tables and pictures."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any, TypeVar

import click

from pres_eval.cli.output import write_output
from pres_eval.cli.progress import steps
from pres_eval.cli.shared import Reader, load, make_options, number_options, warn
from pres_eval.errors import UsageError
from pres_eval.measures.selection import Selection
from pres_eval.options import Options, RelevanceInfo
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.qrels import Qrels
from pres_eval.reading.relevance import FORMATS as RELEVANCE_FORMATS
from pres_eval.reading.relevance import Relevance
from pres_eval.report.layout import FORMATS, Table, render
from pres_eval.report.text import text_of
from pres_eval.scoring import Evaluation, evaluate

if TYPE_CHECKING:
    from matplotlib.figure import Figure

Decorated = TypeVar("Decorated", bound=Callable[..., Any])


RESULT_OPTIONS = [
    click.option(
        "--format", "form_of_result", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True,
        help="A table for people, or JSON or CSV with all digits.",
    ),
    click.option(
        "--table", "table", metavar="NAME",
        help="Put out this table alone (CSV always has one: the first, unless named).",
    ),
    click.option(
        "--plot", metavar="FILE", help="Also draw a picture: FILE.png, .svg or .pdf (extra: plot).",
    ),
]  # fmt: skip
SEED = click.option(
    "--seed", type=click.IntRange(min=0), default=0, show_default=True,
    help="Of all random choices: the same seed gives the same output everywhere (PCG64).",
)  # fmt: skip
ALPHA = click.option(
    "--alpha", type=click.FloatRange(0, 1, min_open=True, max_open=True), default=0.05, show_default=True,
    help="Level of significance.",
)  # fmt: skip


def analysis_options(function: Decorated) -> Decorated:
    """Add --format, --table, --plot and the options that change numbers."""
    function = number_options(function)
    for option in reversed(RESULT_OPTIONS):
        function = option(function)
    return function


@dataclass(frozen=True)
class Loaded:
    """Judgements and runs in memory, with names for the runs and what the command line said."""

    relevance: Relevance
    rankings: list[Ranking]
    names: list[str]
    options: Options
    settings: dict[str, object]
    quiet: bool

    def evaluations(self, selection: Selection) -> list[Evaluation]:
        """The runs scored by a selection."""
        return [evaluate(self.relevance, ranking, selection, self.options) for ranking in self.rankings]

    def qrels(self) -> Qrels:
        """The judgements, in a command that takes qrels alone."""
        assert isinstance(self.relevance, Qrels), "prepare_for_qrels lets nothing else in"
        return self.relevance

    def warn_of_different_topics(self) -> None:
        """Say so if runs are averaged over topics that are not the same."""
        first = self.rankings[0].topic.tolist()
        different = any(ranking.topic.tolist() != first for ranking in self.rankings[1:])
        if different and not self.options.complete and not self.quiet:
            warn("the runs have different topics and are averaged over their own; -c: over all of the qrels")

    def each(self, label: str) -> Callable[[Iterable[int]], Iterable[int]]:
        """A wrapper for loops that shows a progress bar on a terminal."""

        def wrapped(numbers: Iterable[int]) -> Iterable[int]:
            with steps(label, len(list(numbers)), self.quiet) as bar:
                yield from bar

        return wrapped


def prepare(values: dict[str, Any]) -> tuple[Options, RelevanceInfo]:
    """The options, checked before anything is read; and what the judgements can give."""
    if values["plot"]:
        from pres_eval.report.plots import check_picture_path

        check_picture_path(values["plot"])
    if values["form"] not in RELEVANCE_FORMATS:
        raise UsageError(
            f"-R {values['form']}: no such format, expected one of {', '.join(RELEVANCE_FORMATS)}"
        )
    return make_options(values), RELEVANCE_FORMATS[values["form"]]


def prepare_for_qrels(values: dict[str, Any]) -> Options:
    """The same for a command that takes judgements of relevance alone."""
    if values["form"] != "qrels":
        raise UsageError(f"-R {values['form']}: this command takes -R qrels alone")
    return prepare(values)[0]


def read(qrels: str, runs: Sequence[str], options: Options, values: dict[str, Any]) -> Loaded:
    """Read the judgements and the runs."""
    reader = Reader(values["form"], values["quiet"], values["jobs"])
    relevance, rankings = load(qrels, runs, options, reader)
    settings: dict[str, object] = {"qrels": text_of(qrels), "runs": [text_of(run) for run in runs]}
    settings.update({name: value for name, value in asdict(options).items() if name != "only_topic"})
    return Loaded(relevance, rankings, run_names(rankings), options, settings, values["quiet"])


def run_names(rankings: Sequence[Ranking]) -> list[str]:
    """A short name for each run: its tag, or its file's name where tags are the same, or else its path."""
    tags = [text_of(ranking.tag) for ranking in rankings]
    files = [text_of(_file_name(ranking.name)) for ranking in rankings]
    names = [
        tag if tag and tags.count(tag) == 1 else file if files.count(file) == 1 else text_of(ranking.name)
        for tag, file, ranking in zip(tags, files, rankings, strict=True)
    ]
    numbered = [f"{name} ({names[:i].count(name) + 1})" for i, name in enumerate(names)]
    return [one if names.count(name) > 1 else name for name, one in zip(names, numbered, strict=True)]


def _file_name(path: str) -> str:
    """A file's name, without the ending that says how it is compressed."""
    name = PurePath(path)
    return name.stem if name.suffix in (".gz", ".bz2", ".xz", ".zst") else name.name


def show(tables: Sequence[Table], command: str, settings: dict[str, object], values: dict[str, Any]) -> None:
    """Put the tables out, in the format that --format wants."""
    write_output(None, render(tables, values["form_of_result"], command, settings, values["table"]))


def draw(figure: Figure, path: str) -> None:
    """Write a picture, whole or not at all."""
    from pres_eval.report.plots import picture

    write_output(path, picture(figure, path))


def percentage(fraction: float) -> str:
    """A fraction as people read it: 20 %."""
    return f"{100 * fraction:g} %"


def p_text(p_value: float) -> str:
    """A p-value for people: four digits, and never 0."""
    if math.isnan(p_value):
        return "nan"
    return "<0.0001" if p_value < 0.00005 else f"{p_value:.4f}"
