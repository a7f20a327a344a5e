"""Contents of a report: runs read, scored and compared, medians, and how the numbers were made."""

from __future__ import annotations

from dataclasses import replace
from pathlib import PurePath
from typing import TYPE_CHECKING

from pres_eval.analysis.pools import trust_of
from pres_eval.cli.loading import Loaded, chosen_run, read
from pres_eval.cli.reader import warn_of_ties
from pres_eval.cli.topics import topic_files
from pres_eval.errors import NoCommonTopicError, UsageError
from pres_eval.ranking.ranking import OWN
from pres_eval.reading.source import Source
from pres_eval.reading.texts import read_texts
from pres_eval.reading.topic_files import Medians, read_medians
from pres_eval.report.groups import warning_of_groups
from pres_eval.report.records import file_record
from pres_eval.report.trec_report import Report, make_report, report_selection
from pres_eval.workers import in_order

if TYPE_CHECKING:
    from pres_eval.cli.report import ReportOptions

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
    selection = report_selection(said.numbers(), said.nmax, said.measures)
    medians = _medians(said, {column.label for column in selection})
    loaded = read(said, said.qrels, said.runs, OWN)
    relevance, rankings = loaded.qrels(), loaded.rankings
    if medians and set(relevance.pool.topics).isdisjoint(set().union(*medians.values())):
        raise NoCommonTopicError(f"--medians {said.medians}: no topic in common with {relevance.name}")
    scoring = loaded.scoring(selection)
    warn_of_ties(said, scoring, rankings)
    groups, weights = topic_files(said, said.groups, said.weights, relevance.pool.topics)
    report = make_report(
        loaded.names,
        loaded.evaluations(replace(scoring, groups=groups, weights=weights)),
        rankings,
        relevance,
        loaded.options,
        said.nmax,
        said.measures,
        said.settings(),
        qrels=file_record(said.qrels),
        files=list(in_order(file_record, loaded.paths, said.num_jobs)),
        compared_with=None
        if said.baseline is None
        else chosen_run("--baseline", said.baseline, loaded.known),
        each=loaded.each("comparing"),
        medians=medians,
        groups=groups,
        weights=weights,
    )
    for evaluation in report.evaluations:
        said.warn(warning_of_groups(evaluation, groups, weights))
    return _looked_into(said, report, loaded)


def _looked_into(said: ReportOptions, report: Report, loaded: Loaded) -> Report:
    """Return the report with the uncertainty from missing judgements, and with texts for the page."""
    bounded = tuple(report.column(label) for label in dict.fromkeys((report.main, *BOUNDED)))
    each = loaded.each("taking judgements out")
    # TREC's tables as text, and pictures, say nothing of this, which takes longer than all the rest.
    shows_all = said.output_format != "text" or any(is_page(path) for path in said.outputs)
    trust = None
    if shows_all:
        trust = trust_of(loaded.qrels(), loaded.rankings, bounded, report.options, each, report.weights)
    return replace(
        report,
        trust=trust,
        failures=loaded.failures,
        title=said.title,
        description=said.description,
        made_with=_made_with(said),
        document_url=said.document_url,
        titles=read_texts(said.titles) if said.titles else {},
        queries=read_texts(said.queries) if said.queries else {},
        paths=said.paths,
    )


def _made_with(said: ReportOptions) -> tuple[tuple[str, str], ...]:
    """Return the options that change numbers, besides those of the evaluation and the tests."""
    facts = (
        ("Topics averaged over (--topics)", said.topic_rule(OWN)),
        ("Judgements read as (-R)", said.relevance_format),
        ("Nmax (--nmax)", ", ".join(map(str, said.nmax))),
        ("Measures asked for (-m)", ", ".join(said.measures) or "none: those usual for recall"),
    )
    files = (
        ("Medians from (--medians)", said.medians),
        ("Groups of topics from (--groups)", said.groups),
        ("Weights of topics from (--weights)", said.weights),
    )
    return (*facts, *((name, PurePath(path).name) for name, path in files if path is not None))


def _medians(said: ReportOptions, labels: set[str]) -> Medians:
    """Return the medians of measures in the report; raise UsageError if none is left."""
    if said.medians is None:
        return {}
    medians = read_medians(Source(said.medians))
    known = {label: by_topic for label, by_topic in medians.items() if label in labels}
    if not known:
        raise UsageError(
            f"--medians {said.medians}: medians of {', '.join(sorted(medians)) or 'no topic'}, expected those"
            " of a measure in the report such as map (-m adds measures)"
        )
    for label in sorted(set(medians) - set(known)):
        said.warn(f"{said.medians}: medians of {label} are left out: the report does not have this measure")
    return known
