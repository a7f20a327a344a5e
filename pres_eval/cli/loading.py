"""What the commands that analyse runs read: judgements, and runs with their names and topics."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Sequence
from dataclasses import asdict, dataclass

from pres_eval.analysis.paired import PairedScores, pair_topics
from pres_eval.analysis.topics import UsedTopics, use_topics
from pres_eval.cli.analysing import AnalysisOptions, PairedOptions
from pres_eval.cli.progress import steps
from pres_eval.cli.reader import check_paths, path_of, warn
from pres_eval.cli.shared import NumberOptions
from pres_eval.cli.streams import say
from pres_eval.errors import PresEvalError, RunFailure, UsageError
from pres_eval.measures.selection import Selection, select
from pres_eval.options import Options, RelevanceInfo
from pres_eval.ranking.common import COMMON, no_common_topic
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.qrels import Qrels
from pres_eval.reading.relevance import Relevance
from pres_eval.report.names import run_names
from pres_eval.report.text import text_of
from pres_eval.scoring import Evaluation, evaluate


@dataclass(frozen=True)
class Loaded:
    """Judgements and runs in memory, with names for the runs and what the command line said.

    paths     of the runs, as the command line named them
    topics    those over which the runs are averaged, which the runs have already been cut down to
    failures  the runs that could not be read, and why
    """

    relevance: Relevance
    rankings: list[Ranking]
    names: list[str]
    paths: list[str]
    topics: UsedTopics
    options: Options
    settings: dict[str, object]
    quiet: bool
    failures: tuple[RunFailure, ...]

    def evaluations(self, selection: Selection) -> list[Evaluation]:
        """The runs scored by a selection."""
        return [
            evaluate(self.relevance, self.rankings[run], selection, self.options)
            for run in self.each("evaluating")(range(len(self.rankings)))
        ]

    def paired(self, selection: Selection, complete: bool) -> PairedScores:
        """The same side by side; over all topics of the judgements if `complete` (-c)."""
        every_topic = tuple(self.relevance.pool.topics) if complete else None
        return pair_topics(self.evaluations(selection), self.names, every_topic)

    def qrels(self) -> Qrels:
        """The judgements, in a command that takes qrels alone."""
        assert isinstance(self.relevance, Qrels), "check_for_qrels lets nothing else in"
        return self.relevance

    def each(self, label: str) -> Callable[[Iterable[int]], Iterable[int]]:
        """A wrapper for loops that shows a progress bar on a terminal."""
        return with_bar(label, self.quiet)


def with_bar(label: str, quiet: bool) -> Callable[[Iterable[int]], Iterable[int]]:
    """A wrapper for loops that shows a progress bar on a terminal."""

    def wrapped(numbers: Iterable[int]) -> Iterable[int]:
        with steps(label, len(list(numbers)), quiet) as bar:
            yield from bar

    return wrapped


def read_runs(
    said: NumberOptions, keep_going: bool, paths: Sequence[str], relevance: Relevance, options: Options
) -> tuple[list[Ranking], tuple[RunFailure, ...]]:
    """The runs, and those that cannot be evaluated if these are to be left out; some run is left.

    Raises PresEvalError if there is none.
    """
    failures: list[RunFailure] = []
    rankings = []
    for ranking in said.reader().runs(paths, relevance, options, failures if keep_going else None):
        if keep_going and not len(ranking.topic) and not options.complete:
            failures.append(RunFailure(ranking.name, no_common_topic(relevance, ranking, options)))
            say(f"pres-eval: {failures[-1].message}")
        else:
            rankings.append(ranking)
    if failures and not rankings:
        raise PresEvalError("no run can be evaluated")
    return rankings, tuple(failures)


def over_topics(
    said: NumberOptions, rankings: Sequence[Ranking], names: Sequence[str], usual: str, relevance: Relevance
) -> tuple[list[Ranking], UsedTopics]:
    """The runs over the topics that --topics wants, after what is to be said of these."""
    used, topics = use_topics(rankings, names, said.topic_rule(usual), len(relevance.pool.topics))
    if topics.warning and not said.quiet:
        warn(topics.warning)
    return used, topics


def usual_measures(nmax: Sequence[int]) -> tuple[str, ...]:
    """The measures of an analysis that is asked for none."""
    return ("map", f"recall.{','.join(map(str, nmax))}", "PRES")


def read_paired(said: PairedOptions, info: RelevanceInfo, least: int) -> tuple[Loaded, PairedScores]:
    """Read the judgements and the runs, `least` at least, and score these on the same topics."""
    if len(said.files) < 1 + least:
        runs = "one run" if least == 1 else "two runs"
        raise UsageError(f"expected QRELS and at least {runs}, or --scores FILE")
    selection = select(said.measures or usual_measures(said.nmax), said.numbers(), said.nmax, info)
    loaded = read(said, said.files[0], said.files[1:])
    return loaded, loaded.paired(selection, said.complete)


def read(said: AnalysisOptions, qrels: str, runs: Sequence[str]) -> Loaded:
    """Read the judgements and the runs."""
    options = said.numbers()
    check_paths(qrels, runs)
    relevance = said.reader().relevance(qrels)
    rankings, failures = read_runs(said, said.keep_going, runs, relevance, options)
    names = run_names([(ranking.tag, ranking.name) for ranking in rankings], said.names)
    rankings, topics = over_topics(said, rankings, names, COMMON, relevance)
    settings: dict[str, object] = {"qrels": text_of(qrels), "runs": [text_of(run) for run in runs]}
    settings.update({name: value for name, value in asdict(options).items() if name != "only_topic"})
    return Loaded(
        relevance=relevance,
        rankings=rankings,
        names=names,
        paths=[path_of(ranking) for ranking in rankings],
        topics=topics,
        options=options,
        settings=settings,
        quiet=said.quiet,
        failures=failures,
    )
