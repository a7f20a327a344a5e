"""pres-eval explain: why a topic has the PRES that it has."""

from __future__ import annotations

import os
import shutil
from collections.abc import Iterator, Sequence

from pres_eval.analysis.explain import Explanation, explain_topics
from pres_eval.analysis.steps import STEP_MAKERS, check_explained, measure_steps, topic_rankings
from pres_eval.analysis.sweep import SWEPT_MEASURES, select_at
from pres_eval.cli.analysing import AnalysisOptions, print_tables
from pres_eval.cli.command_options import WholeRange, argument, command_with, option
from pres_eval.cli.loading import Loaded, load
from pres_eval.cli.shared import WITH_CUTOFFS
from pres_eval.errors import UsageError, did_you_mean
from pres_eval.measures.selection import SelectedColumn, select
from pres_eval.options import Options
from pres_eval.report.explained_tables import explained_figure, explained_tables, side_by_side_tables
from pres_eval.report.layout import Table
from pres_eval.report.steps_tables import steps_tables
from pres_eval.report.text import text_of
from pres_eval.scoring import ScoredRun

MOST_PICTURES = 12
"""Largest number of topics that --plot draws."""

SCREEN_LINES = 50
"""Lines that count as a screenful where there is no terminal."""

LINES_OF_PROMPT = 2
"""Lines of a terminal that stay free for the shell's prompt."""


class ExplainOptions(AnalysisOptions):
    """Explain the PRES of single topics, or with -m other measures, document by document.

    \b
    Examples:
      pres-eval explain qrels.txt run.txt
      pres-eval explain qrels.txt run.txt TOPIC --nmax 100
      pres-eval explain qrels.txt run.txt other_run.txt TOPIC
      pres-eval explain -m map -m ndcg_cut.10 qrels.txt run.txt TOPIC

    Without TOPIC the worst topics come first, and a screenful is shown (with -c: topics that the run lacks as
    well).  A second RUN is shown side by side with the first; without TOPIC the topics come first on which
    the two differ most.

    Every relevant document is shown with its rank; one beyond rank Nmax counts with a rank of the worst case.
    In the plot a line is a document: dots are ranks lost against the best case (A1), # are ranks gained over
    the worst case (A2), and PRES = A2 / (A1 + A2).  MAP, recall and PRES are averaged over the run's topics
    and over all topics of the qrels.

    With -m, a table shows step by step what each document adds to a measure, and the formula with the
    numbers of the topic.

    Tables for --table: topics, documents, averages; with -m: steps, values.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    NEEDS_QRELS_FORMAT = True

    qrels: str = argument()
    run: str = argument()
    run_and_topics: tuple[str, ...] = argument(nargs=-1, metavar="[RUN] [TOPIC ...]")
    measures: tuple[str, ...] = option(
        "-m", "--measure", multiple=True, metavar=WITH_CUTOFFS,
        help=f"A measure to explain step by step instead of PRES: {', '.join(STEP_MAKERS)}; several allowed.",
    )  # fmt: skip
    nmax: int = option(
        "--nmax", type=WholeRange(min=1), default=100, show_default=True, metavar="RANK",
        help="The rank at which the reader stops.",
    )  # fmt: skip
    most: int | None = option(
        "--max", type=WholeRange(min=0), metavar="NUM",
        help="Topics to show if you name none, 0 for all (default: a screenful).",
    )  # fmt: skip


@command_with(ExplainOptions)
def command(options: ExplainOptions) -> None:
    """Print where the values of a run come from, or those of two runs side by side."""
    runs, names_of_topics = [options.run], list(options.run_and_topics)
    if names_of_topics and os.path.exists(names_of_topics[0]):  # noqa: PTH110
        runs.append(names_of_topics.pop(0))
    loaded = load(options, options.qrels, runs)
    scoring = loaded.scoring(select_at(SWEPT_MEASURES, [options.nmax], options.evaluation_options()))
    evaluations = loaded.evaluations(scoring)
    chosen = list(_topics(loaded, names_of_topics))
    most_lines = None  # of output; None: any number
    if not names_of_topics and options.most is None:
        most_lines = shutil.get_terminal_size((80, SCREEN_LINES)).lines - LINES_OF_PROMPT
    if options.measures:
        tables = _tables_of_steps(options, loaded, chosen, most_lines)
        settings = {**loaded.settings, "measures": options.measures}
        print_tables(tables, "explain", settings, options, loaded.failures)
        return
    if options.plot and len(chosen) > MOST_PICTURES:
        raise UsageError(
            f"--plot: {len(chosen)} topics, expected {MOST_PICTURES} at most: name those to draw"
        )
    explained = [
        list(explain_topics(loaded.qrels(), ranking, loaded.options, options.nmax, chosen))
        for ranking in loaded.rankings
    ]
    tables = _tables_of_pres(options, loaded, evaluations, explained, most_lines)
    settings = {**loaded.settings, "nmax": options.nmax}
    print_tables(tables, "explain", settings, options, loaded.failures, lambda: explained_figure(explained))


def _tables_of_pres(
    options: ExplainOptions,
    loaded: Loaded,
    evaluations: Sequence[ScoredRun],
    explained: Sequence[Sequence[Explanation]],
    most_lines: int | None,
) -> list[Table]:
    """Return the tables that explain the PRES of one run, or of two side by side.

    evaluations  of the runs
    explained    for each run the explanations of the topics
    most_lines   of output; None: any number
    """
    level = loaded.options.relevance_level
    if len(loaded.rankings) == 2:
        pairs = list(zip(*explained, strict=True))
        return side_by_side_tables(pairs, evaluations, loaded.names, options.most, most_lines, level)
    num_topics = {
        "topics of the run": len(loaded.rankings[0].topic),
        "topics of the qrels": len(loaded.relevance.pool.topics),
    }
    return explained_tables(
        explained[0], evaluations[0], loaded.names[0], num_topics, options.most, most_lines, level
    )


def _tables_of_steps(
    options: ExplainOptions, loaded: Loaded, topics: list[int], most_lines: int | None
) -> list[Table]:
    """Return the tables that explain the measures of -m step by step.

    topics      indices of topics in the judgements
    most_lines  of output; None: any number, and topics in their order, not the worst first (but with --max)
    """
    if len(loaded.rankings) > 1:
        raise UsageError("-m explains one run: leave out the second")
    if options.plot:
        raise UsageError("--plot draws PRES: leave out -m, or --plot")
    selection = _in_order_asked(options.measures, loaded.options)
    for column in selection:
        check_explained(column)
    explained = []
    for topic in topic_rankings(loaded.qrels(), loaded.rankings[0], loaded.options, topics):
        level = loaded.options.relevance_level
        explained.append([measure_steps(topic, column, level) for column in selection])
    if most_lines is not None or options.most is not None:
        explained.sort(key=lambda steps_of_measures: steps_of_measures[0].value)
    return steps_tables(explained, options.most, most_lines)


def _in_order_asked(measures: Sequence[str], options: Options) -> list[SelectedColumn]:
    """Return the columns of `measures`, the values of -m, in the order of these values."""
    columns = select(measures, options)
    order: dict[str, int] = {}
    for text in measures:
        for column in select([text], options):
            order.setdefault(column.label, len(order))
    return sorted(columns, key=lambda column: order.get(column.label, len(order)))


def _topics(loaded: Loaded, names: Sequence[str]) -> Iterator[int]:
    """Yield the indices in the judgements of the topics with these names, each once.

    Without names: of the topics of the first run, or with -c of all judged topics.
    Raises UsageError for a topic that is not judged.
    """
    number_of_topic = {topic: number for number, topic in enumerate(loaded.relevance.pool.topics)}
    if not names and loaded.options.complete:
        yield from number_of_topic.values()
    elif not names:
        yield from loaded.rankings[0].topic.tolist()
    for name in dict.fromkeys(names):
        topic = name.encode("utf-8", "surrogateescape")
        if topic not in number_of_topic:
            message = f"topic {name} is not in the qrels"
            hint = did_you_mean(name, [text_of(known) for known in number_of_topic])
            if hint:
                message += f"; {hint}"
            raise UsageError(message)
        yield number_of_topic[topic]
