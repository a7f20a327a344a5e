"""pres-eval figures: the figures of the papers on PRES, for the runs of the user."""

from __future__ import annotations

from pres_eval.analysis.explain import Explanation, explain_topics
from pres_eval.checking.warnings import without_common_topic
from pres_eval.cli.analysing import RunsOptions, print_tables
from pres_eval.cli.command_options import WholeRange, argument, command_with, option
from pres_eval.cli.loading import Loaded, load
from pres_eval.errors import NoCommonTopicError, UsageError
from pres_eval.report import figures
from pres_eval.report.text import text_of

FIGURES_OF_ONE_TOPIC = {
    "precision-recall": figures.precision_recall_figure,
    "roc": figures.roc_figure,
    "rnorm": figures.rnorm_figure,
}
"""The functions that make the figures of one topic, by the names of the figures."""

FIGURES_OF_ALL_TOPICS = {"pres-rank": figures.pres_rank_figure, "pres-mrr": figures.pres_mrr_figure}
"""The functions that make the figures of all topics of the runs, by the names of the figures."""

FIGURE_KINDS = ("relevant", *FIGURES_OF_ONE_TOPIC, *FIGURES_OF_ALL_TOPICS)
"""Names of all figures; `relevant` shows the judgements alone, with which the runs need a topic in common."""


class FiguresOptions(RunsOptions):
    """The figures of the papers on PRES, and precision-recall and ROC curves, of your own runs.

    \b
    Examples:
      pres-eval figures relevant qrels.txt run.txt
      pres-eval figures precision-recall qrels.txt run_*.txt

    relevant: relevant documents of each topic.  precision-recall: the saw-tooth curve of a topic, its
    interpolation, the break-even point.  roc: recall against fallout, with the area up to (1, 1) (AUC); needs
    -N.  rnorm: normalised recall against the size of the collection.  pres-rank: PRES against the average
    rank of what was found, for several recalls.  pres-mrr: PRES and reciprocal rank of topics with one
    relevant document.  The numbers are printed; --plot FILE draws them.

    pres-eval report --picture draws recall-precision, ROC and relevant of all topics, too.

    Table for --table: figure.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    kind: str = argument(choices=FIGURE_KINDS, metavar="KIND")
    topic: str | None = option(
        "--topic", metavar="TOPIC", help="Topic of precision-recall, roc and rnorm (default: the first)."
    )
    cutoff: int = option(
        "--nmax", type=WholeRange(min=1), default=100, show_default=True, metavar="RANK",
        help="The rank at which the reader stops.",
    )  # fmt: skip


@command_with(FiguresOptions)
def command(options: FiguresOptions) -> None:
    """Print the table of a figure, and draw it."""
    if options.kind == "roc" and not options.num_docs_in_coll:
        raise UsageError("roc needs the number of documents in the collection: -N NUM")
    loaded = load(options, options.qrels, options.runs)
    for ranking in loaded.rankings:
        if not len(ranking.topic):
            raise NoCommonTopicError(without_common_topic(loaded.relevance, ranking, loaded.options))
    table, draw = _figure(options, loaded)
    settings = {**loaded.settings, "kind": options.kind, "nmax": options.cutoff}
    print_tables([table], "figures", settings, options, loaded.failures, draw)


def _figure(options: FiguresOptions, loaded: Loaded) -> figures.Drawn:
    """Return the table of the figure, and the function that draws it."""
    if options.kind == "relevant":
        return figures.relevant_figure(loaded.qrels(), loaded.options.relevance_level)
    if options.kind in FIGURES_OF_ALL_TOPICS:
        make = FIGURES_OF_ALL_TOPICS[options.kind]
        return make(options.cutoff, loaded.names, _explained(options, loaded, topics=None))
    topics = [text_of(topic) for topic in loaded.relevance.pool.topics]
    name = topics[0] if options.topic is None else options.topic
    if name not in topics:
        raise UsageError(f"--topic {name}: not in the qrels, expected one such as {', '.join(topics[:3])}")
    explained = _explained(options, loaded, topics=[topics.index(name)])
    explanations = [explanation for (explanation,) in explained]  # one topic for each run
    return FIGURES_OF_ONE_TOPIC[options.kind](name, loaded.names, explanations, options.num_docs_in_coll)


def _explained(options: FiguresOptions, loaded: Loaded, topics: list[int] | None) -> list[list[Explanation]]:
    """Return for each run the explanations of topics.

    topics  their indices in the judgements; None: all topics of the run
    """
    explanations = []
    for ranking in loaded.rankings:
        topics_of_run = ranking.topic.tolist() if topics is None else topics
        explained = explain_topics(loaded.qrels(), ranking, loaded.options, options.cutoff, topics_of_run)
        explanations.append(list(explained))
    return explanations
