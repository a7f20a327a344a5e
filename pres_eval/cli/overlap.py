"""pres-eval overlap: two runs without judgements, document by document."""

from __future__ import annotations

import click

from pres_eval.analysis.overlap import (
    SharedDocuments,
    jaccard,
    opensearch_frequency_weighted,
    opensearch_jaccard,
    opensearch_rbo,
    overlap,
    rank_biased_overlap,
)
from pres_eval.analysis.rank_changes import changes_of_judgements, rank_changes, without_suffixes
from pres_eval.analysis.ranked_lists import RankedLists, paired_lists, read_ranked_lists
from pres_eval.cli.analysing import ResultOptions, print_tables
from pres_eval.cli.command_options import CutoffList, WholeRange, argument, command_with, option
from pres_eval.cli.progress import working
from pres_eval.cli.reader import unchanged
from pres_eval.cli.shared import COLUMNS, NumberOptions, RewriteOptions
from pres_eval.cli.streams import warn
from pres_eval.errors import InputError, UsageError, number_of, quoted
from pres_eval.options import Options
from pres_eval.reading.file import File
from pres_eval.reading.id_files import read_pairs
from pres_eval.reading.lines import RUN
from pres_eval.reading.mistakes.advice import advice
from pres_eval.reading.mistakes.shapes import SWAPPED
from pres_eval.reading.run_files import run_at
from pres_eval.report.layout import Table
from pres_eval.report.overlap_tables import (
    OverlapByTopic,
    changes_table,
    instruction_tables,
    overlap_figure,
    overlap_tables,
)
from pres_eval.report.text import run_names, text_of


def _read_persistences(context: click.Context, parameter: click.Parameter, text: str) -> tuple[float, ...]:
    """Return the numbers of -p, between 0 and 1, in the order of the option, each once."""
    numbers = [number_of(part) for part in text.split(",")]
    if not all(0 < number < 1 for number in numbers):
        raise click.BadParameter(f"found {quoted(text)}, expected numbers between 0 and 1 such as 0.9,0.98")
    return tuple(dict.fromkeys(numbers))


class OverlapOptions(RewriteOptions, ResultOptions):
    """Compare the documents of two runs, topic by topic, without judgements: how much a new version of a
    search engine changes before anybody has judged it.

    \b
    Examples:
      pres-eval overlap run.txt other_run.txt
      pres-eval overlap run.txt other_run.txt --cutoffs 10 -q --changes
      pres-eval overlap run.txt other_run.txt --irrelevant qrels.txt

    jaccard@k is the number of documents that both have among their first k, over the number that either has;
    overlap@k the same over k, or over the longer list if it is shorter.  rbo is rank-biased overlap (Webber,
    Moffat & Zobel 2010): extrapolated, its least value (rbo_min), and how much higher it can be if the lists
    go on (rbo_res).  Topics are those of either run: where one has no documents nothing is shared.  Equal
    scores are in the order of an evaluation.

    --irrelevant adds p-MRR (FollowIR, MTEB): how far documents moved down that a changed instruction made
    irrelevant, 1 at best, 0 if nothing moved, below 0 if they moved up.  Topics T of FILE may be T-og in
    FIRST and T-changed in SECOND, as in MTEB's predictions.

    Tables for --table: overlap, topics; with --changes changes; with --irrelevant p_mrr, p_mrr_topics,
    p_mrr_changes.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    first: str = argument(metavar="FIRST")
    second: str = argument(metavar="SECOND")
    cutoffs: tuple[int, ...] = option(
        "--cutoffs", type=CutoffList(), default="10,100", show_default=True, metavar="RANKS",
        help="Ranks k of jaccard@k and overlap@k.",
    )  # fmt: skip
    persistence: tuple[float, ...] = option(
        "-p", "--persistence", callback=_read_persistences, default="0.9", show_default=True,
        metavar="NUMBERS",
        help="Probability of going on to the next rank, for rbo: with 0.9 the first ten ranks weigh 86 %.",
    )  # fmt: skip
    per_topic: bool = option("-q", "--per-topic", is_flag=True, help="Also show the values of each topic.")
    changes: bool = option(
        "--changes", is_flag=True,
        help="Also list the documents among the first k (the largest of --cutoffs) and their ranks.",
    )  # fmt: skip
    opensearch: bool = option(
        "--opensearch", is_flag=True,
        help="Also compute jaccard, rbo50, rbo90 and frequencyWeighted as OpenSearch's Search Relevance"
        " Workbench does.",
    )  # fmt: skip
    irrelevant: str | None = option(
        "--irrelevant", metavar="FILE",
        help="Documents that a changed instruction made irrelevant (topic docno, or qrels): add p-MRR.",
    )  # fmt: skip
    max_retrieved: int | None = option(
        "-M", "--Max_retrieved_per_topic", type=WholeRange(min=1), metavar="NUM",
        help="Use only the first NUM documents of each topic.",
    )  # fmt: skip
    duplicates: str = NumberOptions.duplicates
    compat: str = NumberOptions.compat
    columns: tuple[str, ...] = COLUMNS
    names: str = NumberOptions.names

    def check(self) -> None:
        """Raise UsageError for options that make no sense, before anything is read."""
        super().check()
        self.check_rewrites()


@command_with(OverlapOptions)
def command(options: OverlapOptions) -> None:
    """Print the overlap of two runs."""
    with unchanged([options.first, options.second]), working("reading", options.quiet):
        first, second = _read_runs(options)
    irrelevant: dict[bytes, list[bytes]] = {}
    if options.irrelevant is not None:
        irrelevant = _read_irrelevant(options.irrelevant)
    first, second = without_suffixes(first, second, irrelevant)
    names = run_names([(run.tag, run.name) for run in (first, second)], options.names)
    result = _overlap_by_topic(options, first, second, (names[0], names[1]))
    tables = overlap_tables(result, options.per_topic)
    if options.changes:
        depth = options.cutoffs[-1]
        tables.append(changes_table(list(rank_changes(first, second, depth)), names, depth))
    if options.irrelevant is not None:
        tables.extend(_instruction_tables(options.irrelevant, first, second, irrelevant))
    print_tables(tables, "overlap", _settings(options), options, make_figure=lambda: overlap_figure(result))


def _settings(options: OverlapOptions) -> dict[str, object]:
    """Return how the numbers were made, for JSON."""
    return {
        "first": text_of(options.first),
        "second": text_of(options.second),
        "cutoffs": list(options.cutoffs),
        "persistence": list(options.persistence),
        "irrelevant": None if options.irrelevant is None else text_of(options.irrelevant),
        "max_retrieved": options.max_retrieved,
        "duplicates": options.duplicates,
        "compat": options.compat,
        **options.rewrites,
    }


def _read_runs(options: OverlapOptions) -> tuple[RankedLists, RankedLists]:
    """Return the ranked lists of both runs, after the warnings about them."""
    evaluation_options = Options(
        compat=options.compat, max_retrieved=options.max_retrieved, duplicates=options.duplicates
    )
    rewriting = options.rewriting()
    try:
        runs = [
            read_ranked_lists(run_at(path), evaluation_options, rewriting)
            for path in (options.first, options.second)
        ]
    except InputError as error:
        if error.advice or not error.found.endswith(" columns"):
            raise
        text = advice(File(error.path), RUN.names, error.found)
        if SWAPPED in text:
            text = "this looks like judgements: overlap takes two runs alone"
        raise InputError(error.path, error.line, error.found, error.expected, text) from None
    for run in runs:
        if run.warning is not None and not options.quiet:
            warn(run.warning)
    return runs[0], runs[1]


def _overlap_by_topic(
    options: OverlapOptions, first: RankedLists, second: RankedLists, names: tuple[str, str]
) -> OverlapByTopic:
    """Return the overlap of the lists of each topic; raise UsageError if the runs share no topic."""
    _check_common_topic(first, second)
    topics, lengths = [], []
    values: dict[str, list[float]] = {}
    for topic, documents, other_documents in paired_lists(first, second):
        shared = SharedDocuments.of_lists(documents, other_documents)
        topics.append(topic)
        lengths.append(shared.lengths)
        for label, value in _values(options, shared).items():
            values.setdefault(label, []).append(value)
    return OverlapByTopic(names=names, topics=topics, lengths=lengths, values=values)


def _check_common_topic(first: RankedLists, second: RankedLists) -> None:
    """Raise UsageError if two runs have no topic in common."""
    if {*first.topics} & {*second.topics}:
        return
    topics_of_first = "no topics"
    if first.topics:
        topics_of_first = f"topics such as {quoted(first.topics[0])}"
    topics_of_second = "topics of the second, which has none"
    if second.topics:
        topics_of_second = f"topics of the second such as {quoted(second.topics[0])}"
    raise UsageError(
        f"{first.name} and {second.name} have no topic in common: the first has {topics_of_first},"
        f" expected {topics_of_second}"
    )


def _values(options: OverlapOptions, shared: SharedDocuments) -> dict[str, float]:
    """Return by label the values of a topic, whose two lists `shared` compares."""
    values: dict[str, float] = {}
    for depth in options.cutoffs:
        values[f"jaccard@{depth}"] = jaccard(shared, depth)
    for depth in options.cutoffs:
        values[f"overlap@{depth}"] = overlap(shared, depth)
    for persistence in options.persistence:
        result = rank_biased_overlap(shared, persistence)
        values[f"rbo({persistence:g})"] = result.extrapolated
        values[f"rbo_min({persistence:g})"] = result.least
        values[f"rbo_res({persistence:g})"] = result.residual
    if options.opensearch:
        values["jaccard"] = opensearch_jaccard(shared)
        values["rbo50"] = opensearch_rbo(shared, 0.5)
        values["rbo90"] = opensearch_rbo(shared, 0.9)
        values["frequencyWeighted"] = opensearch_frequency_weighted(shared)
    return values


def _read_irrelevant(path: str) -> dict[bytes, list[bytes]]:
    """Return the documents of each topic in the file of --irrelevant, in its order, each once."""
    topics, documents, _ = read_pairs(File(path), "topic docno", "topic iteration docno relevance")
    by_topic: dict[bytes, dict[bytes, None]] = {}
    for topic, document in zip(topics, documents, strict=True):
        by_topic.setdefault(topic, {})[document] = None
    return {topic: list(of_topic) for topic, of_topic in by_topic.items()}


def _instruction_tables(
    path: str, first: RankedLists, second: RankedLists, irrelevant: dict[bytes, list[bytes]]
) -> list[Table]:
    """Return the tables of p-MRR; raise InputError if the file has no topic of both runs.

    irrelevant  documents of each topic in the file at `path`
    """
    rows = changes_of_judgements(first, second, irrelevant)
    if not rows:
        expected = f"topics of both runs, such as {quoted(min({*first.topics} & {*second.topics}))}"
        raise InputError(path, None, f"topics such as {quoted(next(iter(irrelevant)))}", expected)
    num_left_out = len(irrelevant) - len({row.topic for row in rows})
    return instruction_tables(rows, num_left_out)
