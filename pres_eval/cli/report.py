"""pres-eval report QRELS RUN ...: the TREC evaluation report."""

from __future__ import annotations

import contextlib
import re
from collections.abc import Iterable, Iterator, Sequence
from dataclasses import replace
from pathlib import Path, PurePath

import numpy as np

from pres_eval.analysis.compare_settings import FAMILIES, CompareSettings
from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.other_judgements import OtherJudgements, try_other_judgements
from pres_eval.analysis.pools import Trust, trust_of
from pres_eval.analysis.significance import PAIRED_TESTS
from pres_eval.analysis.weighting import few_topics_warning
from pres_eval.cli.analysing import ALPHA, DRAWS, SEED, FileOptions, PictureOptions
from pres_eval.cli.command_options import FileUse, command_with, option
from pres_eval.cli.loading import Loaded, chosen_run, load
from pres_eval.cli.output import exit_if_failed, write_output
from pres_eval.cli.progress import working
from pres_eval.cli.reader import topic_files, warn_of_ties
from pres_eval.cli.shared import GROUPS, MEASURES, NMAX, WEIGHTS, NumberOptions
from pres_eval.engines.threads import in_order
from pres_eval.errors import NoCommonTopicError, PresEvalError, UsageError, did_you_mean, quoted
from pres_eval.ranking.ranking import OWN
from pres_eval.reading.file import File
from pres_eval.reading.mistakes.advice import other_encoding_advice
from pres_eval.reading.run_files import run_at
from pres_eval.reading.topic_files import Medians, read_medians
from pres_eval.report.descriptions import read_texts
from pres_eval.report.groups import warning_of_groups
from pres_eval.report.paper import check_picture_path
from pres_eval.report.records import file_record
from pres_eval.report.report_columns import report_selection
from pres_eval.report.report_numbers import as_text
from pres_eval.report.text import NAMINGS, printable_lines, text_of, without_shared
from pres_eval.report.trec_pictures import Subject, default_subject
from pres_eval.report.trec_plots import PICTURES, as_picture
from pres_eval.report.trec_report import Inputs, PageTexts, Report, make_report

REPORT_FORMATS = ("text", "json", "csv")

PAGES = (".html", ".htm")
"""Endings of the names of pages."""

DATA_FORMATS = {".csv": "csv", ".json": "json"}
"""Formats of files with the data behind the pictures, by the endings of their names."""

BOUNDED_MEASURES = ("map", "P_10")
"""Labels of the measures whose bounds the page shows, besides the first of the leaderboard."""


class ReportOptions(FileOptions, PictureOptions, NumberOptions):
    """Write the evaluation report that TREC makes of a run, with PRES beside.

    \b
    Examples:
      pres-eval report qrels.txt run.txt
      pres-eval report qrels.txt run_*.txt -o report.html

    For each run: Summary Statistics, Recall Level Precision Averages, Document Level Averages, PRES and
    recall at several Nmax.  FILE.html is one page that needs nothing else, to explore in a browser: a
    leaderboard with intervals and significance, any two runs topic by topic, every topic with the ranks of
    its relevant documents and those that were missed, distributions over topics, the graphs, a table of
    topics to sort and filter, and TREC's tables.  The address in the browser keeps what is open.
    FILE.pdf is a document with all pictures and tables (extra: plot); FILE.png and .svg hold the graphs and
    the histogram of the first run, or any one picture with --picture.

    --medians FILE: lines `measure topic median`, or a heading `topic best median worst` or of measures.

    --groups FILE adds the means of each group of topics and tests in each of them, as compare has them.
    With --weights FILE means, intervals and tests are weighted.

    P-values are corrected for the comparisons with --baseline, or for all pairs of runs: then runs share a
    letter if no significant difference was found between them.

    Tables for --table: leaderboard, topics, intervals, groups (without --baseline), comparisons, judgements,
    curves, differences, documents; with --groups means_by_group, by_group, interaction.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    outputs: tuple[str, ...] = option(
        "-o", "--output", multiple=True, metavar="FILE", file_use=FileUse.WRITTEN,
        help="Write the report to FILE.html, .pdf, .png or .svg, its data to .csv or .json; several allowed.",
    )  # fmt: skip
    output_format: str = option(
        "--format", choices=REPORT_FORMATS, default=REPORT_FORMATS[0], show_default=True,
        help="On stdout: TREC's tables, or the data of all pictures as JSON or CSV.",
    )  # fmt: skip
    one_page: bool = option(
        "--one-page", is_flag=True,
        help="Write the summary, one picture and the leaderboard alone to FILE.html, to print on one sheet.",
    )  # fmt: skip
    table: str | None = option(
        "--table",
        once=True,
        metavar="NAME",
        help="Write only this table as JSON or CSV (CSV default: the first).",
    )
    text_wanted: bool = option("--text", is_flag=True, help="Print TREC's tables (also with -o).")
    picture: str | None = option(
        "--picture", choices=PICTURES, metavar="NAME",
        help=f"Write only this picture to FILE.pdf, .png and .svg: {', '.join(PICTURES)}.",
    )  # fmt: skip
    of_runs: tuple[str, ...] = option(
        "--of-run", multiple=True, metavar="RUN",
        help="Run of the picture: a name, a tag or a file; two for a pair (default: the first).",
    )  # fmt: skip
    of_topic: str | None = option(
        "--of-topic", metavar="TOPIC", help="The topic of the picture (default: the hardest).",
    )  # fmt: skip
    baseline: str | None = option(
        "--baseline",
        metavar="RUN",
        help="Compare with this run, a name, a tag or a file (default: all pairs of runs, the best first).",
    )
    measures: tuple[str, ...] = MEASURES
    nmax: tuple[int, ...] = NMAX
    title: str = option("--title", default="", metavar="TEXT", help="Title of the report.")
    description: str = option(
        "--description", default="", metavar="TEXT", help="Description of the report, below its title."
    )
    document_url: str | None = option(
        "--document-url", metavar="URL",
        help="Address of documents, 'https://.../{docno}': the page links them.",
    )  # fmt: skip
    allow_http: bool = option("--allow-http", is_flag=True, help="Allow http:// in --document-url.")
    titles: str | None = option(
        "--titles",
        metavar="FILE",
        help="Titles of documents for the page: lines `docno text`, or JSON lines.",
    )
    queries: str | None = option(
        "--queries", metavar="FILE",
        help="Texts of topics for the page: lines `topic text`, JSON lines, or TREC topics.",
    )  # fmt: skip
    paths: bool = option(
        "--paths", is_flag=True, help="Show whole paths of files on the page, not only their names."
    )
    medians: str | None = option(
        "--medians", metavar="FILE",
        help="Compare with the medians of all participants by topic, from TREC's file.",
    )  # fmt: skip
    test: str = option(
        "--test", choices=PAIRED_TESTS, default=CompareSettings.test, show_default=True,
        help="Paired test over topics.",
    )  # fmt: skip
    correction: str = option(
        "--correction", choices=CORRECTIONS, default="holm", show_default=True,
        help="Correction for many comparisons: those with --baseline, or all pairs of runs.",
    )  # fmt: skip
    correct_over: str = option(
        "--correct-over", choices=FAMILIES, default=FAMILIES[0], show_default=True,
        help="Correct for the comparisons of one measure, or for those of all measures together.",
    )  # fmt: skip
    groups: str | None = GROUPS
    weights: str | None = WEIGHTS
    alpha: float = ALPHA
    samples: int = option(
        "--samples", type=DRAWS, default=10_000, show_default=True,
        help="Draws of the bootstrap and sign changes of the randomisation test.",
    )  # fmt: skip
    seed: int = SEED

    def check(self) -> None:
        """Raise UsageError for options that make no sense, before anything is read."""
        if self.document_url is not None:
            self._check_url(self.document_url)
        if self.one_page and not self.outputs:
            raise UsageError("--one-page goes with -o FILE.html")
        for path in self.outputs:
            if self.one_page and not _is_page(path):
                raise UsageError(
                    f"--one-page: found -o {path}, expected -o FILE.html, which a browser prints:"
                    " chromium --headless --print-to-pdf=FILE.pdf FILE.html"
                )

    def check_no_picture(self, needed: str) -> None:
        """Raise UsageError for options of pictures, those of the report among them."""
        super().check_no_picture(needed)
        for name, value in (
            ("--picture", self.picture),
            ("--of-run", self.of_runs),
            ("--of-topic", self.of_topic),
        ):
            if value:
                raise UsageError(f"{name} chooses a picture, and you asked for none: expected {needed} too")

    def check_table_is_written(self) -> None:
        """Raise UsageError for --table if no tables are written."""
        writes_data = self.output_format != "text" or any(map(_data_format, self.outputs))
        if self.table is not None and not writes_data:
            raise UsageError("--table goes with --format csv or json, or with -o FILE.csv or FILE.json")

    def _check_url(self, url: str) -> None:
        """Raise UsageError for an address without {docno}, or one without https."""
        schemes: tuple[str, ...] = ("https://",)
        if self.allow_http:
            schemes += ("http://",)
        if url.startswith(schemes) and "{docno}" in url:
            return
        message = f"--document-url {url}: expected {' or '.join(schemes)}... with {{docno}} in it"
        if url.startswith("http://") and not self.allow_http:
            message += "; --allow-http takes http://"
        raise UsageError(message)

    def names_of_runs(self, runs: Sequence[tuple[str, str]]) -> list[str]:
        """Return the names of runs, each given by its tag and its path.

        Words that all names share are left out, unless --names asks for certain names.
        """
        names = super().names_of_runs(runs)
        is_default_naming = self.names == NAMINGS[0]
        if is_default_naming:
            return without_shared(names)
        return names

    def settings(self) -> CompareSettings:
        """Return the settings of the comparison."""
        return CompareSettings(
            test=self.test,
            correction=self.correction,
            alpha=self.alpha,
            samples=self.samples,
            seed=self.seed,
            over=self.correct_over,
        )


@command_with(ReportOptions)
def command(options: ReportOptions) -> None:
    """Read, compare and write."""
    pictures = [path for path in options.outputs if not _is_page(path) and not _data_format(path)]
    for path in pictures:
        check_picture_path(
            path,
            options.plot_style,
            option="-o",
            feature="drawing the report",
            others=(*PAGES, *DATA_FORMATS),
        )
    if not pictures:
        options.check_no_picture("-o FILE.svg")
    options.check_table_is_written()
    report = report_of(options)
    for path in options.outputs:
        with working(f"writing {path}", options.quiet):
            content = _content(report, options, path)
        write_output(path, content)
    if options.output_format != "text":
        write_output(None, _data(report, options, options.output_format))
    elif options.text_wanted or not options.outputs:
        write_output(None, printable_lines(as_text(report)))
    exit_if_failed(report.inputs.failures)


def _content(report: Report, options: ReportOptions, path: str) -> str | bytes:
    """Return the content of the file at `path`: a page, data or a picture, by the ending of its name."""
    if _is_page(path):
        from pres_eval.report.html import as_html

        return as_html(report, one_page=options.one_page)
    data_format = _data_format(path)
    if data_format:
        return _data(report, options, data_format)
    return as_picture(report, path, options.picture, _subject(report, options), options.paper)


def _data(report: Report, options: ReportOptions, data_format: str) -> str:
    """Return the data behind the pictures as JSON, or one table of it as CSV."""
    from pres_eval.report.layout import Look, render
    from pres_eval.report.report_tables import as_tables, settings_of

    look = Look(data_format, options.table, failures=report.inputs.failures)
    return render(as_tables(report), look, "report", settings_of(report))


def _is_page(path: str) -> bool:
    """Return whether a file of the report is a page, by the ending of its name."""
    return PurePath(path).suffix.lower() in PAGES


def _data_format(path: str) -> str:
    """Return json or csv for a file with the data behind the pictures; empty for pages and pictures."""
    return DATA_FORMATS.get(PurePath(path).suffix.lower(), "")


def report_of(options: ReportOptions) -> Report:
    """Read, score and compare the runs of the report."""
    options.check_qrels_alone()
    selection = report_selection(options.evaluation_options(), options.nmax, options.measures)
    medians = _medians(options, {column.label for column in selection})
    loaded = load(options, options.qrels, options.runs, default_rule=OWN)
    relevance, rankings = loaded.qrels(), loaded.rankings
    if medians and set(relevance.pool.topics).isdisjoint(set().union(*medians.values())):
        raise NoCommonTopicError(f"--medians {options.medians}: no topic in common with {relevance.name}")
    scoring = loaded.scoring(selection)
    for ranking in rankings:
        if len(ranking.ties.document):
            warn_of_ties(options, scoring, ranking)
    groups, weights = topic_files(options, options.groups, options.weights, relevance.pool.topics)
    baseline = None
    if options.baseline is not None:
        baseline = chosen_run("--baseline", options.baseline, loaded.known_names)
    evaluations = loaded.evaluations(replace(scoring, groups=groups, weights=weights))
    inputs = Inputs(
        qrels=file_record(options.qrels),
        files=tuple(in_order(file_record, loaded.paths, options.num_jobs)),
        groups=groups,
        weights=weights,
        medians=medians,
        failures=loaded.failures,
    )
    report = make_report(
        names=loaded.names,
        evaluations=evaluations,
        rankings=rankings,
        relevance=relevance,
        options=loaded.options,
        nmax=options.nmax,
        measures=options.measures,
        settings=options.settings(),
        inputs=inputs,
        baseline=baseline,
        loop=loaded.loop("comparing"),
    )
    for evaluation in report.evaluations:
        options.warn(warning_of_groups(evaluation, groups, weights))
    options.warn(_warning_of_weights(report))
    return _with_texts_and_trust(options, report, loaded)


def _warning_of_weights(report: Report) -> str | None:
    """Return the warning that a few of the report's topics have most of the weight; None if not."""
    weights = report.inputs.weights
    if weights is None:
        return None
    weights_of_topics = np.array([weights.of[topic] for topic in report.topics], np.float64)
    return few_topics_warning(weights_of_topics[weights_of_topics > 0])


def _with_texts_and_trust(options: ReportOptions, report: Report, loaded: Loaded) -> Report:
    """Return the report with the limits of its judgements, and with texts for the page."""
    trust = None
    # TREC's tables as text, and pictures, do not show the limits, which take longer than all the rest.
    writes_page_or_data = any(_is_page(path) or _data_format(path) for path in options.outputs)
    if writes_page_or_data or options.output_format != "text":
        trust = _trust(report, loaded)
    titles: dict[bytes, str] = {}
    if options.titles:
        documents = report.documents.docnos
        titles = _texts(options, "--titles", options.titles, documents, "relevant document")
    queries: dict[bytes, str] = {}
    if options.queries:
        queries = _texts(options, "--queries", options.queries, report.topics, "topic")
    texts = PageTexts(
        title=options.title,
        description=options.description,
        made_with=tuple(_recorded_options(options, report)),
        document_url=options.document_url,
        titles=titles,
        queries=queries,
        paths=options.paths,
    )
    return replace(report, trust=trust, texts=texts)


def _trust(report: Report, loaded: Loaded) -> Trust:
    """Return the limits of the judgements: how unjudged and missing ones could change values and order."""
    labels = dict.fromkeys((report.main, *BOUNDED_MEASURES))
    bounded = tuple(report.column(label) for label in labels)
    trust = trust_of(
        loaded.qrels(),
        loaded.rankings,
        bounded,
        report.options,
        loop=loaded.loop("taking judgements out"),
        weights=report.inputs.weights,
    )
    if report.main not in trust.bounds:
        return trust
    return replace(trust, other_judgements=_other_judgements(report, loaded))


def _texts(
    options: ReportOptions, option: str, path: str, known_ids: Iterable[bytes], kind: str
) -> dict[bytes, str]:
    """Return the texts of an option's file by id; warn if no id is known, or the file is not UTF-8.

    option     --titles or --queries
    known_ids  ids of the report
    kind       what the ids name, for the warning: "topic" or "relevant document"
    """
    texts = read_texts(path)
    if texts.keys().isdisjoint(known_ids):
        first = quoted(text_of(next(iter(texts))))
        options.warn(f"{option} {path}: none of its ids such as {first} is a {kind} of {options.qrels}")
    # Characters by which Python stands for bytes that are not UTF-8 (surrogateescape).
    undecoded = re.search("[\udc80-\udcff]", "".join(texts.values()))
    if undecoded is not None:
        code = text_of(undecoded[0].encode("utf-8", "surrogateescape"))
        advice = other_encoding_advice(path)
        options.warn(f"{option} {path}: not UTF-8, so the page shows codes such as {code}; {advice}")
    return texts


def _other_judgements(report: Report, loaded: Loaded) -> OtherJudgements | None:
    """Return whether other judgements could put another run first.

    None if several runs are first, and if a run cannot be read again, which is necessary for this.
    """
    leaders = report.leaders(report.main)
    if len(leaders) != 1:
        return None
    # A pipe can be read once only, and waits for ever the second time.
    if not all(Path(path).is_file() or Path(path).is_dir() for path in loaded.paths):
        return None
    (best,) = leaders
    rivals = [run for run in range(len(report.names)) if run != best and report.has_all_topics(run)]
    with contextlib.suppress(PresEvalError):  # runs that cannot be read twice
        return try_other_judgements(
            loaded.qrels(),
            [run_at(path) for path in loaded.paths],
            loaded.rankings,
            best,
            rivals,
            report.column(report.main),
            report.options,
            report.inputs.weights,
        )
    return None


def _recorded_options(options: ReportOptions, report: Report) -> Iterator[tuple[str, str]]:
    """Yield the options that change numbers, each as the page names it, with its value.

    Without those of the evaluation and of the tests, which the report has already.
    """
    yield "Topics averaged over (--topics)", options.topic_rule(default=OWN)
    yield "Judgements read as (-R)", options.relevance_format
    yield "Nmax (--nmax)", ", ".join(map(str, report.nmax))
    yield "Measures asked for (-m)", ", ".join(options.measures) or "none: those usual for recall"
    for name, path in (
        ("Medians from (--medians)", options.medians),
        ("Groups of topics from (--groups)", options.groups),
        ("Weights of topics from (--weights)", options.weights),
    ):
        if path is not None:
            yield name, PurePath(path).name


def _medians(options: ReportOptions, labels: set[str]) -> Medians:
    """Return the medians of --medians by label and topic; warn of those whose measure the report lacks.

    labels  of the report's measures
    Raises UsageError if the file has none of them.
    """
    if options.medians is None:
        return {}
    medians = read_medians(File(options.medians))
    known = {label: by_topic for label, by_topic in medians.items() if label in labels}
    if not known:
        raise UsageError(
            f"--medians {options.medians}: medians of {', '.join(sorted(medians)) or 'no topic'}, expected"
            " those of a measure in the report such as map (-m adds measures)"
        )
    for label in sorted(set(medians) - set(known)):
        options.warn(
            f"{options.medians}: medians of {label} are left out: the report does not have this measure"
        )
    return known


def _subject(report: Report, options: ReportOptions) -> Subject:
    """Return what the picture shows: the runs of --of-run and the topic of --of-topic, or the defaults."""
    subject = default_subject(report)
    tags = [text_of(evaluation.tag) for evaluation in report.evaluations]
    paths = [file.path for file in report.inputs.files]
    runs = [chosen_run("--of-run", name, (report.names, tags, paths)) for name in options.of_runs]
    others = [run for run in range(len(report.names)) if run not in runs]
    topic = subject.topic
    if options.of_topic is not None:
        topics = [text_of(topic) for topic in report.topics]
        if options.of_topic not in topics:
            hint = did_you_mean(options.of_topic, topics, f"there are {topics[0]} and others")
            raise UsageError(f"--of-topic {options.of_topic}: no such topic; {hint}")
        topic = topics.index(options.of_topic)
    chosen_first = (*runs, *others)
    return Subject(runs=chosen_first[:2], topic=topic, label=subject.label)
