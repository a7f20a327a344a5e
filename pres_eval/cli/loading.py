"""Input of the commands that analyse runs: judgements, runs with names and topics, files of scores."""

from __future__ import annotations

import contextlib
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass, replace

import click
from click.core import ParameterSource

from pres_eval.analysis.paired import PairedScores, depth_warning, evaluations_of, pair_runs
from pres_eval.analysis.score_files import as_table, is_scores, is_table
from pres_eval.analysis.score_tables import choose_columns, read_score_table
from pres_eval.analysis.topics import UsedTopics, use_topics
from pres_eval.checking.warnings import without_common_topic
from pres_eval.cli.analysing import PairedOptions
from pres_eval.cli.progress import loop_with_bar
from pres_eval.cli.reader import num_retrieved, path_of, relevance_at, runs_at, warn_of_ties
from pres_eval.cli.shared import NumberOptions
from pres_eval.cli.streams import say
from pres_eval.engines.threads import Loop, in_turn
from pres_eval.errors import InputError, PresEvalError, RunFailure, UsageError, no_such_run, plural
from pres_eval.measures.selection import Selection, select
from pres_eval.options import Options, recorded
from pres_eval.ranking.ranking import ALL, COMMON, Ranking
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import QrelsJudgements, Relevance
from pres_eval.reading.topic_files import decoded
from pres_eval.report.text import text_of
from pres_eval.scoring import ScoredRun, Scoring

MEANS_ARE_REFUSED = "no column topic, expected run,topic,MEASURE,..."
"""What a message reports about scores that are means, to a command that compares topics."""


@dataclass(frozen=True)
class Loaded:
    """Judgements and R runs in memory, with names for the runs and the options of the command line.

    rankings, names and paths are those of the same runs, in the order of the command line.

    names     of the runs, as tables have them
    paths     of the runs, as on the command line
    topics    those over which the runs are averaged; the rankings have no others
    options   the options that change numbers
    settings  how the numbers were made, for JSON
    failures  the runs that could not be read, and why
    """

    relevance: Relevance
    rankings: list[Ranking]
    names: list[str]
    paths: list[str]
    topics: UsedTopics
    options: Options
    settings: dict[str, object]
    command_options: NumberOptions
    failures: tuple[RunFailure, ...]

    def scoring(self, selection: Selection) -> Scoring:
        """Return what the runs are scored with."""
        return Scoring(relevance=self.relevance, selection=selection, options=self.options)

    def evaluations(self, scoring: Scoring) -> list[ScoredRun]:
        """Return the runs as `scoring` scores them, in their order."""
        return evaluations_of(scoring, self.rankings, self.loop("evaluating"))

    def paired(self, selection: Selection) -> PairedScores:
        """Return the scores of the runs side by side, topic by topic; warn if some runs are much longer.

        With -c or --topics all they are over all topics of the judgements.
        """
        depths = [num_retrieved(ranking, self.options.max_retrieved) for ranking in self.rankings]
        self.command_options.warn(depth_warning(selection, depths))
        loop = self.loop("evaluating")
        return pair_runs(self.relevance, self.rankings, self.names, selection, self.options, loop)

    def qrels(self) -> QrelsJudgements:
        """Return the judgements; a command that calls this takes -R qrels alone."""
        assert isinstance(self.relevance, QrelsJudgements), "check lets nothing else in"
        return self.relevance

    @property
    def known_names(self) -> list[list[str]]:
        """The names by which options may name the runs, R of each kind: those of tables, tags, files."""
        tags = [text_of(ranking.tag) for ranking in self.rankings]
        return [self.names, tags, self.paths]

    def loop(self, label: str, paths: Iterable[str] = ()) -> Loop:
        """Return a function that carries out the steps of long work, with a progress bar on a terminal.

        label  of the bar
        paths  the files that the steps read
        """
        return loop_with_bar(label, self.command_options.jobs, self.command_options.quiet, paths)


def chosen_run(option: str, text: str, known_names: Sequence[Sequence[str]], *others: str) -> int:
    """Return the index of the run that an option's value, `text`, names.

    known_names  the names of all runs, a list for each kind, tried one after the other: those of tables,
                 tags, files
    others       what else the option takes, for the message
    Raises UsageError for a name that no run has, or several.
    """
    names_in_tables = known_names[0]
    for names in known_names:
        indices = [index for index, name in enumerate(names) if name == text]
        if len(indices) > 1:
            names_of_runs = ", ".join(names_in_tables[index] for index in indices)
            raise UsageError(
                f"{option} {text}: the name of {len(indices)} runs, expected one of {names_of_runs}"
            )
        if indices:
            return indices[0]
    raise no_such_run(option, text, [*others, *names_in_tables])


def read_runs(
    options: NumberOptions, paths: Sequence[str], relevance: Relevance, evaluation_options: Options
) -> tuple[list[Ranking], list[str], tuple[RunFailure, ...]]:
    """Return the runs that can be evaluated, their names, and with --keep-going the others.

    Raises PresEvalError if no run is left.
    """
    failures: list[RunFailure] = []
    rankings = []
    collected = failures if options.keep_going else None  # None: runs_at raises the first error
    for ranking in runs_at(options, paths, relevance, evaluation_options, collected):
        if options.keep_going and not len(ranking.topic):
            failures.append(
                RunFailure(ranking.name, without_common_topic(relevance, ranking, evaluation_options))
            )
            say(f"pres-eval: {failures[-1].message}")
        else:
            rankings.append(ranking)
    if failures and not rankings:
        raise PresEvalError("no run can be evaluated")
    return (
        rankings,
        options.names_of_runs([(ranking.tag, ranking.name) for ranking in rankings]),
        tuple(failures),
    )


def has_scores(path: str) -> bool:
    """Return whether a file begins as files of scores do; False if it cannot be read."""
    with contextlib.suppress(InputError):
        return is_scores(decoded(File(path).head(), "backslashreplace"))
    return False


def read_score_file(options: NumberOptions, paths: Sequence[str], measures: Sequence[str]) -> PairedScores:
    """Return the scores in the files of --scores, of `measures` alone if there are any.

    A single file may be a table run,topic,MEASURE,...; several are each the output of one run.
    Raises UsageError for options that change how runs are evaluated, and for --topics where scores are means.
    """
    _check_no_options_of_runs(options)
    texts = [_text_of_file(path) for path in paths]
    path, text = ", ".join(paths), texts[0]
    if len(paths) > 1 or not is_table(text):
        text = as_table(list(zip(paths, texts, strict=True)))
    rule = options.topic_rule(COMMON)
    score_table = read_score_table(path, text, rule == ALL, options.warn)
    if score_table.topics:
        most_lacking_first = sorted(
            score_table.lacking, key=lambda name_and_count: name_and_count[1], reverse=True
        )
        used = UsedTopics(
            rule=rule,
            counts=(len(score_table.topics),) * len(score_table.runs),
            any_run=score_table.num_all_topics,
            judged=score_table.num_all_topics,
            lacking=tuple(most_lacking_first),
        )
        options.warn(used.warning)
    elif options.topics or options.complete:
        raise UsageError(f"--topics: {path} has {MEANS_ARE_REFUSED}")
    if not measures:
        return score_table
    return choose_columns(score_table, measures, options.evaluation_options())


def _check_no_options_of_runs(options: NumberOptions) -> None:
    """Raise UsageError for an option that changes how runs are evaluated: scores were evaluated before."""
    context = click.get_current_context()
    for name, option in options.fields():
        if option.of_runs and context.get_parameter_source(name) is ParameterSource.COMMANDLINE:
            raise UsageError(
                f"{option.names[0]} has no effect on --scores, whose runs are evaluated: leave it out"
            )


def _text_of_file(path: str) -> str:
    """Return the whole text of a file; bytes that are not UTF-8 become escapes."""
    return decoded(b"".join(chunk.text() for chunk in File(path).chunks()), "backslashreplace")


def select_or_default(
    options: NumberOptions, measures: Sequence[str], nmax: Sequence[int], default_measures: Sequence[str] = ()
) -> Selection:
    """Return the columns of an analysis.

    measures          those of -m; without any, the default ones
    default_measures  empty for map, and recall and PRES at each Nmax
    """
    names = measures or default_measures
    if not names:
        names = ("map", f"recall.{','.join(map(str, nmax))}", "PRES")
    return select(names, options.evaluation_options(), nmax, options.relevance_info)


@dataclass(frozen=True)
class Paired:
    """Runs side by side, topic by topic, evaluated or from a file of scores.

    settings     how the numbers were made, for JSON
    topics       the topics in a few words, for a title
    known_names  the names by which options may name the runs, as `chosen_run` takes them
    failures     the runs that could not be read, and why
    loop         returns, for the label of a progress bar, a function that carries out a long loop
    """

    scores: PairedScores
    settings: dict[str, object]
    topics: str
    known_names: Sequence[Sequence[str]]
    failures: tuple[RunFailure, ...] = ()
    loop: Callable[[str], Loop] = lambda label: in_turn


def read_paired(
    options: PairedOptions,
    least_runs: int,
    error_of_means: str = "",
    default_measures: Sequence[str] = (),
    *,
    with_ties: bool = True,
) -> Paired:
    """Return the runs side by side: from judgements and at least `least_runs` runs, or from --scores.

    error_of_means    what a message reports about scores that are means, without topics; empty: means will do
    default_measures  the measures if -m names none
    with_ties         whether to warn of runs whose values the order of equal scores could change
    Raises UsageError for too few files, and for --scores beside files of judgements and runs.
    """
    if options.scores:
        if not all(map(has_scores, options.files)):
            raise UsageError(f"--scores FILE replaces QRELS{' RUN' * least_runs}: leave one of them out")
        paths = (*options.scores, *options.files)  # as in  --scores a.csv b.csv
        score_table = read_score_file(options, paths, options.measures)
        if error_of_means and not score_table.topics:
            raise UsageError(f"--scores {options.scores[0]}: {error_of_means}")
        names = [text_of(path) for path in paths]
        settings: dict[str, object] = {"scores": names[0] if len(names) == 1 else names}
        return Paired(
            scores=score_table,
            settings=settings,
            topics=plural(len(score_table.topics)),
            known_names=[score_table.runs],
        )
    if len(options.files) < 1 + least_runs:
        runs = "one run" if least_runs == 1 else "two runs"
        raise UsageError(f"expected QRELS and at least {runs}, or --scores FILE")
    selection = select_or_default(options, options.measures, options.nmax, default_measures)
    loaded = load(options, options.files[0], options.files[1:])
    for ranking in loaded.rankings:
        if with_ties and len(ranking.ties.document):
            warn_of_ties(options, loaded.scoring(selection), ranking)
    return Paired(
        scores=replace(loaded.paired(selection), relevance_level=loaded.options.relevance_level),
        settings=loaded.settings,
        topics=loaded.topics.text,
        known_names=loaded.known_names,
        failures=loaded.failures,
        loop=loaded.loop,
    )


def load(options: NumberOptions, qrels: str, runs: Sequence[str], default_rule: str = COMMON) -> Loaded:
    """Return the judgements and the runs, over the topics of --topics, after the warnings about them.

    default_rule  stands for --topics if it is not given, a name of TOPIC_RULES
    """
    evaluation_options = options.evaluation_options()
    relevance = relevance_at(options, qrels)
    rankings, names, failures = read_runs(options, runs, relevance, evaluation_options)
    rankings, topics = use_topics(
        rankings, names, options.topic_rule(default_rule), len(relevance.pool.topics)
    )
    options.warn(topics.warning)
    return Loaded(
        relevance=relevance,
        rankings=rankings,
        names=names,
        paths=[path_of(ranking) for ranking in rankings],
        topics=topics,
        options=evaluation_options,
        settings={
            "qrels": text_of(qrels),
            "runs": [text_of(run) for run in runs],
            **recorded(evaluation_options),
            **options.rewrites,
        },
        command_options=options,
        failures=failures,
    )
