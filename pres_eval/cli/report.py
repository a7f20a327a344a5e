"""pres-eval report QRELS RUN ...: the TREC evaluation report."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from pathlib import PurePath
from typing import TYPE_CHECKING, Any

import click

from pres_eval.analysis.compare_settings import Settings
from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.relevant_ranks import relevant_ranks
from pres_eval.analysis.significance import PAIRED_TESTS
from pres_eval.analysis.topics import use_topics
from pres_eval.cli.analysing import ALPHA, SEED, check_qrels_alone, qrels_and_runs, read_runs, with_bar
from pres_eval.cli.output import write_output
from pres_eval.cli.progress import steps, working
from pres_eval.cli.reader import check_paths, exit_if_failed, path_of, warn
from pres_eval.cli.shared import KEEP_GOING, MEASURES, NAMES, NMAX, NumberOptions, number_options
from pres_eval.errors import UsageError, did_you_mean
from pres_eval.measures.selection import Selection
from pres_eval.options import Options
from pres_eval.ranking.common import OWN
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.qrels import Qrels
from pres_eval.reading.source import Source
from pres_eval.report.names import NAMINGS, run_names, without_shared
from pres_eval.report.pairs import pairs_of
from pres_eval.report.records import File, file_record
from pres_eval.report.text import text_of
from pres_eval.report.trec_plots import PICTURES, as_picture
from pres_eval.report.trec_report import Report, board_of, make_report, report_selection, topics_of
from pres_eval.report.trec_run_plots import Subject, default_subject
from pres_eval.report.trec_tables import as_text
from pres_eval.scoring import Evaluation, evaluate
from pres_eval.workers import in_order

if TYPE_CHECKING:
    from pres_eval.reading.medians import Medians

PAGES = (".html", ".htm")
FORMATS = ("text", "json", "csv")


@dataclass(frozen=True, kw_only=True)
class ReportOptions(NumberOptions):
    """What the command line said."""

    qrels: str
    runs: tuple[str, ...]
    outputs: tuple[str, ...]
    output_format: str
    table: str | None
    text_wanted: bool
    names: str
    picture: str | None
    of_runs: tuple[str, ...]
    of_topic: str | None
    measures: tuple[str, ...]
    nmax: tuple[int, ...]
    title: str
    description: str
    keep_going: bool
    medians: str | None
    test: str
    correction: str
    alpha: float
    samples: int
    seed: int

    def settings(self) -> Settings:
        """How the runs are compared."""
        return Settings(
            test=self.test,
            correction=self.correction,
            alpha=self.alpha,
            samples=self.samples,
            seed=self.seed,
        )


@click.command()
@qrels_and_runs()
@click.option(
    "-o", "--output", "outputs", multiple=True, metavar="FILE",
    help="Where to write it: FILE.html, .pdf, .png or .svg; can be given more than once.",
)  # fmt: skip
@click.option(
    "--format", "output_format", type=click.Choice(FORMATS), default=FORMATS[0], show_default=True,
    help="On stdout: the tables as TREC prints them, or all that is drawn as JSON or CSV.",
)  # fmt: skip
@click.option(
    "--table", metavar="NAME", help="Only this table of the JSON or CSV (CSV: the first, unless named)."
)
@click.option("--text", "text_wanted", is_flag=True, help="Print the tables, as TREC does (also with -o).")
@click.option(
    "--picture", type=click.Choice(tuple(PICTURES)), metavar="NAME",
    help=f"Only this picture in FILE.pdf, .png and .svg: {', '.join(PICTURES)}.",
)  # fmt: skip
@click.option(
    "--of-run", "of_runs", multiple=True, metavar="RUN",
    help="The run of the picture, a name, a tag or a file; two for a pair (default: the first).",
)  # fmt: skip
@click.option(
    "--of-topic", metavar="TOPIC", help="The topic of the picture (default: the hardest).",
)  # fmt: skip
@NAMES
@MEASURES
@NMAX
@click.option("--title", default="", metavar="TEXT", help="Title of the report.")
@click.option("--description", default="", metavar="TEXT", help="What the report is of, below its title.")
@click.option(
    "--medians", metavar="FILE",
    help="Medians of all participants by topic, as TREC gives them, to compare with.",
)  # fmt: skip
@click.option(
    "--test", type=click.Choice(tuple(PAIRED_TESTS)), default=Settings.test, show_default=True,
    help="Paired test over topics.",
)  # fmt: skip
@click.option(
    "--correction", type=click.Choice(tuple(CORRECTIONS)), default="holm", show_default=True,
    help="For many comparisons, over those of one measure.",
)  # fmt: skip
@ALPHA
@click.option(
    "--samples", type=click.IntRange(min=1), default=10_000, show_default=True,
    help="Draws of the bootstrap and sign changes of the randomisation test.",
)  # fmt: skip
@SEED
@KEEP_GOING
@number_options
def command(**values: Any) -> None:
    """Write the evaluation report that TREC makes of a run, with PRES beside.

    \b
    Examples:
      pres-eval report qrels.txt run.txt
      pres-eval report qrels.txt run_*.txt -o report.html

    For each run: Summary Statistics, Recall Level Precision Averages, Document Level Averages, PRES and
    recall at several Nmax.  FILE.html is one page that needs nothing else, to explore in a browser: a
    leaderboard with intervals and significance, any two runs topic by topic, every topic with the ranks of
    its relevant documents and those that were missed, distributions over topics, the graphs, a table of
    topics to sort and filter, and TREC's tables.  The address in the browser says what is open.
    FILE.pdf is a document with all pictures and tables (extra: plot); FILE.png and .svg hold the graphs and
    the histogram of the first run, or any one picture with --picture.

    --medians FILE: lines `measure topic median`, or a table with the heading `topic best median worst`, or
    with the names of measures as headings.

    Tables for --table: leaderboard, topics, intervals, groups, comparisons, curves, differences, documents.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    said = ReportOptions(**values)
    for path in said.outputs:
        _check_ending(path)
    report = report_of(said)
    for path in said.outputs:
        with working(f"writing {path}", said.quiet):
            text = _written(report, path, said)
        write_output(path, text)
    if said.output_format != "text":
        from pres_eval.report.layout import Look, render
        from pres_eval.report.report_tables import as_tables, settings_of

        tables, settings = as_tables(report), settings_of(report)
        look = Look(said.output_format, said.table, failures=report.failures)
        write_output(None, render(tables, look, "report", settings))
    elif said.text_wanted or not said.outputs:
        write_output(None, as_text(report))
    exit_if_failed(report.failures)


def _check_ending(path: str) -> None:
    """Stop before the work if the file's ending is none of ours, or if matplotlib is not there."""
    ending = PurePath(path).suffix.lower()
    if ending in PAGES:
        return
    from pres_eval.report.drawing import PICTURE_FORMATS, check_matplotlib

    if ending not in PICTURE_FORMATS:
        raise UsageError(f"-o {path}: expected a name that ends with {', '.join((*PAGES, *PICTURE_FORMATS))}")
    check_matplotlib("drawing the report")


def report_of(said: ReportOptions) -> Report:
    """Read, score and compare what the report is made of."""
    check_qrels_alone(said.relevance_format)
    check_paths(said.qrels, said.runs)
    options, reader = said.numbers(), said.reader()
    selection = report_selection(options, said.nmax, said.measures)
    medians = _medians(said, {column.label for column in selection})
    relevance = reader.relevance(said.qrels)
    assert isinstance(relevance, Qrels), "check_qrels_alone lets nothing else in"
    rankings, failures = read_runs(said, said.keep_going, said.runs, relevance, options)
    names = run_names([(ranking.tag, ranking.name) for ranking in rankings], said.names)
    if said.names == NAMINGS[0]:
        names = without_shared(names)
    rankings, topics = use_topics(rankings, names, said.topic_rule(OWN), len(relevance.pool.topics))
    if topics.warning and not said.quiet:
        warn(topics.warning)
    evaluations, files = _evaluated(said, reader.num_jobs, relevance, rankings, selection, options)
    return make_report(
        evaluations,
        options,
        said.nmax,
        file_record(said.qrels),
        files,
        documents=relevant_ranks(relevance, rankings, options, topics_of(evaluations)),
        names=names,
        measures=said.measures,
        pairs=pairs_of(
            evaluations,
            names,
            board_of(selection, options, said.nmax, said.measures),
            said.settings(),
            tuple(relevance.pool.topics) if options.complete else None,
            with_bar("comparing", said.quiet),
        ),
        failures=failures,
        medians=medians,
        title=said.title,
        description=said.description,
        made_with=_made_with(said),
    )


def _evaluated(
    said: ReportOptions,
    jobs: int,
    relevance: Qrels,
    rankings: Sequence[Ranking],
    selection: Selection,
    options: Options,
) -> tuple[list[Evaluation], list[File]]:
    """The numbers of the runs, and what is said of their files, by several threads."""

    def work(ranking: Ranking) -> tuple[Evaluation, File]:
        return evaluate(relevance, ranking, selection, options), file_record(path_of(ranking))

    with steps("evaluating", len(rankings), said.quiet) as bar:
        done = [each for _, each in zip(bar, in_order(work, rankings, jobs), strict=True)]
    return [evaluation for evaluation, _ in done], [file for _, file in done]


def _made_with(said: ReportOptions) -> list[tuple[str, str]]:
    """The options that change numbers, besides those of the evaluation and the tests."""
    facts = [
        ("Topics averaged over (--topics)", said.topic_rule(OWN)),
        ("Judgements read as (-R)", said.relevance_format),
        ("Nmax (--nmax)", ", ".join(map(str, said.nmax))),
        ("Measures asked for (-m)", ", ".join(said.measures) or "none: those usual for recall"),
    ]
    return [*facts, ("Medians from (--medians)", said.medians)] if said.medians is not None else facts


def _medians(said: ReportOptions, labels: set[str]) -> Medians:
    if said.medians is None:
        return {}
    from pres_eval.reading.medians import read_medians

    medians = read_medians(Source(said.medians))
    known = {label: by_topic for label, by_topic in medians.items() if label in labels}
    if not known:
        raise UsageError(
            f"--medians {said.medians}: medians of {', '.join(sorted(medians))}, expected those of a"
            " measure in the report such as map (-m adds measures)"
        )
    for label in sorted(set(medians) - set(known)):
        if not said.quiet:
            warn(f"{said.medians}: medians of {label} are left out: the report does not have this measure")
    return known


def _written(report: Report, path: str, said: ReportOptions) -> str | bytes:
    if PurePath(path).suffix.lower() in PAGES:
        from pres_eval.report.html import as_html

        return as_html(report)
    return as_picture(report, path, said.picture, _subject(report, said))


def _subject(report: Report, said: ReportOptions) -> Subject:
    """What the picture is of: the runs and the topic asked for, or those that are taken without."""
    subject = default_subject(report)
    runs = [_run(report, said, wanted) for wanted in said.of_runs]
    others = [run for run in range(len(report.names)) if run not in runs]
    topic = subject.topic
    if said.of_topic is not None:
        topics = [text_of(topic) for topic in report.topics]
        if said.of_topic not in topics:
            hint = did_you_mean(said.of_topic, topics, f"there are {topics[0]} and others")
            raise UsageError(f"--of-topic {said.of_topic}: no such topic; {hint}")
        topic = topics.index(said.of_topic)
    return Subject(runs=(*runs, *others)[:2], topic=topic, label=subject.label)


def _run(report: Report, said: ReportOptions, wanted: str) -> int:
    tags = [text_of(evaluation.tag) for evaluation in report.evaluations]
    for names in (report.names, tags, [file.path for file in report.files]):
        if wanted in names:
            return names.index(wanted)
    hint = did_you_mean(wanted, report.names, f"there are {', '.join(report.names)}")
    raise UsageError(f"--of-run {wanted}: no such run; {hint}")
