"""pres-eval explain: PRES of single topics laid open."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import click

from pres_eval.analysis.cutoffs import select_at
from pres_eval.analysis.explain import Explanation, cumulated, explain_topics
from pres_eval.analysis.sweep import DEFAULT_MEASURES
from pres_eval.cli.analysing import AnalysisOptions, Loaded, analysis_options, draw, read, show
from pres_eval.errors import UsageError, did_you_mean
from pres_eval.report.explained_tables import explained_tables
from pres_eval.report.text import text_of

MOST_PICTURES = 12


@dataclass(frozen=True, kw_only=True)
class ExplainOptions(AnalysisOptions):
    """What the command line said."""

    qrels: str
    run: str
    chosen: tuple[str, ...]
    nmax: int


@click.command()
@click.argument("qrels")
@click.argument("run")
@click.argument("chosen", nargs=-1, metavar="[TOPIC ...]")
@click.option(
    "--nmax", type=click.IntRange(min=1), default=100, show_default=True, metavar="RANK",
    help="The rank at which the reader stops.",
)  # fmt: skip
@analysis_options
def command(**values: Any) -> None:
    """PRES of single topics laid open: every relevant document, its rank, and the areas A1 and A2.

    \b
    Example:
      pres-eval explain fixtures/patents/qrels.txt fixtures/patents/run_broad.txt --nmax 100

    Without TOPIC all topics of the run (with -c: of the qrels).  A relevant document beyond rank Nmax counts
    with a rank of the worst case.  In the plot a line is a document: dots are ranks lost against the best
    case (A1), # are ranks gained over the worst case (A2), and PRES = A2 / (A1 + A2).  MAP, recall and PRES
    are averaged over the run's topics and over all topics of the qrels.

    Tables for --table: topics, documents, averages.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    _explain(ExplainOptions(**values))


def _explain(said: ExplainOptions) -> None:
    said.check_for_qrels()
    loaded = read(said, said.qrels, [said.run])
    evaluation = loaded.evaluations(select_at(DEFAULT_MEASURES, [said.nmax], said.numbers()))[0]
    chosen = _topics(loaded, said.chosen)
    if said.plot and len(chosen) > MOST_PICTURES:
        raise UsageError(
            f"--plot: {len(chosen)} topics, expected {MOST_PICTURES} at most: name those to draw"
        )
    ranking = loaded.rankings[0]
    explanations = explain_topics(loaded.qrels(), ranking, loaded.options, said.nmax, chosen)
    topics = {
        "topics of the run": len(ranking.topic),
        "topics of the qrels": len(loaded.relevance.pool.topics),
    }
    tables = explained_tables(explanations, evaluation, loaded.names[0], topics)
    show(tables, "explain", {**loaded.settings, "nmax": said.nmax}, said)
    if said.plot:
        from pres_eval.report.plots import cumulated_curves

        draw(cumulated_curves([_curves(one) for one in explanations]), said.plot)


def _topics(loaded: Loaded, wanted: Sequence[str]) -> list[int]:
    """The chosen topics as indices of the pool's."""
    known = {topic: number for number, topic in enumerate(loaded.relevance.pool.topics)}
    if not wanted:
        return [*known.values()] if loaded.options.complete else loaded.rankings[0].topic.tolist()
    chosen = []
    for text in dict.fromkeys(wanted):
        topic = text.encode("utf-8", "surrogateescape")
        if topic not in known:
            hint = did_you_mean(text, [text_of(each) for each in known])
            raise UsageError(f"topic {text} is not in the qrels{'; ' * bool(hint)}{hint}")
        chosen.append(known[topic])
    return chosen


def _curves(one: Explanation) -> dict[str, Any]:
    n = len(one.documents)
    last = one.nmax + max(n, 1)
    return {
        "title": f"{text_of(one.topic)}: PRES_{one.nmax} = {one.score:.4f}, n = {n}",
        "nmax": one.nmax,
        "best": cumulated(range(1, n + 1), last),
        "run": cumulated([document.counted for document in one.documents], last),
        "worst": cumulated(range(one.nmax + 1, one.nmax + n + 1), last),
    }
