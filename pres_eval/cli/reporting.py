"""Contents of a report: runs read, scored and compared, medians, and how the numbers were made."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from pres_eval.analysis.every_pair import pairs_of
from pres_eval.analysis.explain import relevant_ranks
from pres_eval.analysis.pools import trust_of
from pres_eval.cli.loading import over_topics, read_runs, warn_of_ties, with_bar
from pres_eval.cli.progress import steps
from pres_eval.cli.reader import check_paths, path_of
from pres_eval.cli.topics import topic_files
from pres_eval.errors import NoCommonTopicError, UsageError, did_you_mean
from pres_eval.ranking.ranking import OWN, Ranking
from pres_eval.reading.qrels import QrelsJudgements
from pres_eval.reading.source import Source
from pres_eval.reading.texts import read_texts
from pres_eval.report.records import File, file_record
from pres_eval.report.text import NAMINGS, text_of, without_shared
from pres_eval.report.trec_report import (
    Report,
    board_of,
    in_groups,
    report_selection,
    topics_of,
)
from pres_eval.scoring import ScoredRun, Scoring
from pres_eval.workers import in_order

if TYPE_CHECKING:
    from pres_eval.cli.report import ReportOptions
    from pres_eval.reading.topic_files import Medians

PAGES = (".html", ".htm")
"""Endings of the names of pages."""

BOUNDED = ("map", "P_10")
"""The measures whose bounds the page shows, besides the first of the leaderboard."""


def is_page(path: str) -> bool:
    """Return whether a file of the report is a page, not a picture."""
    return PurePath(path).suffix.lower() in PAGES


def report_of(said: ReportOptions) -> Report:
    """Read, score and compare the runs of the report."""
    said.check_qrels_alone()
    check_paths(said.qrels, said.runs)
    options, reader = said.numbers(), said.reader()
    selection = report_selection(options, said.nmax, said.measures)
    medians = _medians(said, {column.label for column in selection})
    relevance = reader.qrels(said.qrels)
    if medians and set(relevance.pool.topics).isdisjoint(set().union(*medians.values())):
        raise NoCommonTopicError(f"--medians {said.medians}: no topic in common with {relevance.name}")
    rankings, names, failures = read_runs(said, said.runs, relevance, options)
    if said.names == NAMINGS[0]:
        names = without_shared(names)
    rankings, _ = over_topics(said, rankings, names, OWN, relevance)
    warn_of_ties(said, relevance, rankings, options, selection)
    groups, weights = topic_files(said, said.groups, said.weights, relevance.pool.topics)
    scoring = Scoring(
        relevance=relevance, selection=selection, options=options, groups=groups, weights=weights
    )
    evaluations, files = _evaluated(said, reader.num_jobs, scoring, rankings)
    board = board_of(selection, options, said.nmax, said.measures)
    every_topic = tuple(relevance.pool.topics) if options.complete else None
    report = Report(
        names=tuple(names),
        evaluations=tuple(evaluations),
        nmax=tuple(said.nmax),
        options=options,
        qrels=file_record(said.qrels),
        files=tuple(files),
        board=board,
        documents=relevant_ranks(relevance, rankings, options, topics_of(evaluations)),
        pairs=pairs_of(
            evaluations,
            names,
            board,
            said.settings(),
            every_topic,
            with_bar("comparing", said.quiet),
            weights,
        ),
        failures=failures,
        medians=medians,
        title=said.title,
        description=said.description,
        made_with=tuple(_made_with(said)),
        weights=weights,
    )
    return in_groups(_looked_into(said, report, relevance, rankings), groups, every_topic)


def _looked_into(
    said: ReportOptions, report: Report, relevance: QrelsJudgements, rankings: Sequence[Ranking]
) -> Report:
    """Return the report with the uncertainty from missing judgements, and with the baseline of the option."""
    bounded = tuple(report.column(label) for label in dict.fromkeys((report.main, *BOUNDED)))
    each = with_bar("taking judgements out", said.quiet)
    # TREC's tables as text, and pictures, say nothing of this, which takes longer than all the rest.
    shows_all = said.output_format != "text" or any(is_page(path) for path in said.outputs)
    trust = None
    if shows_all:
        trust = trust_of(relevance, rankings, bounded, report.options, each, report.weights)
    return replace(
        report,
        trust=trust,
        document_url=said.document_url,
        titles=read_texts(said.titles) if said.titles else {},
        queries=read_texts(said.queries) if said.queries else {},
        paths=said.paths,
        compared_with=None if said.baseline is None else chosen_run(report, "--baseline", said.baseline),
    )


def chosen_run(report: Report, option: str, wanted: str) -> int:
    """Return the run that an option names: by its name, its tag or its file."""
    for names in (
        report.names,
        [text_of(evaluation.tag) for evaluation in report.evaluations],
        [file.path for file in report.files],
    ):
        if wanted in names:
            return names.index(wanted)
    hint = did_you_mean(wanted, report.names, f"there are {', '.join(report.names)}")
    raise UsageError(f"{option} {wanted}: no such run; {hint}")


def _evaluated(
    said: ReportOptions, jobs: int, scoring: Scoring, rankings: Sequence[Ranking]
) -> tuple[list[ScoredRun], list[File]]:
    """Return the numbers of the runs and the warnings about their files; several threads read them."""

    def work(ranking: Ranking) -> tuple[ScoredRun, File]:
        return scoring.evaluation(ranking, scoring.blocks(ranking)), file_record(path_of(ranking))

    with steps("evaluating", len(rankings), said.quiet) as bar:
        done = [each for _, each in zip(bar, in_order(work, rankings, jobs), strict=True)]
    return [evaluation for evaluation, _ in done], [file for _, file in done]


def _made_with(said: ReportOptions) -> list[tuple[str, str]]:
    """Return the options that change numbers, besides those of the evaluation and the tests."""
    facts = [
        ("Topics averaged over (--topics)", said.topic_rule(OWN)),
        ("Judgements read as (-R)", said.relevance_format),
        ("Nmax (--nmax)", ", ".join(map(str, said.nmax))),
        ("Measures asked for (-m)", ", ".join(said.measures) or "none: those usual for recall"),
    ]
    files = (
        ("Medians from (--medians)", said.medians),
        ("Groups of topics from (--groups)", said.groups),
        ("Weights of topics from (--weights)", said.weights),
    )
    return [*facts, *((name, PurePath(path).name) for name, path in files if path is not None)]


def _medians(said: ReportOptions, labels: set[str]) -> Medians:
    """Return the medians of measures in the report; raise UsageError if none is left."""
    if said.medians is None:
        return {}
    from pres_eval.reading.topic_files import read_medians

    medians = read_medians(Source(said.medians))
    known = {label: by_topic for label, by_topic in medians.items() if label in labels}
    if not known:
        raise UsageError(
            f"--medians {said.medians}: medians of {', '.join(sorted(medians))}, expected those of a"
            " measure in the report such as map (-m adds measures)"
        )
    for label in sorted(set(medians) - set(known)):
        said.warn(f"{said.medians}: medians of {label} are left out: the report does not have this measure")
    return known
