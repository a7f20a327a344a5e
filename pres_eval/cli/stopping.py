"""pres-eval stopping: reviews that stopped."""

from __future__ import annotations

import math
import re
from typing import NamedTuple

import click

from pres_eval.analysis.stopping import Costs, Stop, stops_of_run, summaries_of_stops
from pres_eval.cli.analysing import RunsOptions, print_tables
from pres_eval.cli.command_options import command_with, option
from pres_eval.cli.loading import Loaded, load
from pres_eval.errors import InputError, PresEvalError, UsageError, number_of, plural, quoted
from pres_eval.options import AS_TREC_EVAL, SKIP
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.topic_files import Weights, read_weights
from pres_eval.report.stopping_tables import stopping_figure, stopping_tables
from pres_eval.report.text import text_of

_ADVICE_TO_COUNT_AS_0 = re.compile(r"; -c counts .* as 0$| \(--topics all: missing ones count as 0\)$")
"""Ends of warnings about topics that runs lack, with advice that does not help here.

The warnings are those of UsedTopics: "... are left out of the averages; -c counts missing topics as 0", and
"... only the 47 that all have are used (--topics all: missing ones count as 0)".
"""

NUM_COSTS = 4
"""Numbers of --costs: of a relevant document and of another before the stop, and of one of each after it."""

Stops = Weights
"""The rank of the stop of each topic; files of ranks are read as files of weights are."""


def _read_targets(context: click.Context, parameter: click.Parameter, text: str) -> tuple[float, ...]:
    """Return the recalls of --target, above 0 and at most 1, in the order of the option, each once."""
    numbers = [number_of(part) for part in text.split(",")]
    if not all(0 < number <= 1 for number in numbers):
        raise click.BadParameter(f"found {quoted(text)}, expected recalls above 0 to 1 such as 0.8,0.95")
    return tuple(dict.fromkeys(numbers))


def _read_costs(context: click.Context, parameter: click.Parameter, text: str) -> Costs:
    """Return the four costs of --costs, each a finite number of at least 0."""
    costs = [number_of(part) for part in text.split(",")]
    if len(costs) != NUM_COSTS or not all(0 <= cost < math.inf for cost in costs):
        raise click.BadParameter(f"found {quoted(text)}, expected four costs of at least 0 such as 10,10,1,1")
    return costs[0], costs[1], costs[2], costs[3]


class StoppingOptions(RunsOptions):
    """Evaluate where reviews stopped: whether they reached the recall they were to reach, and how much they
    read for it.

    \b
    Examples:
      pres-eval stopping qrels.txt run_*.txt --target 0.8,0.95
      pres-eval stopping qrels.txt run.txt -M 70 -N 1000 -q

    A run is read down to the rank that --stops has for each topic, or to its end (with -M to that rank).
    reliability is the share of topics in which the target recall T was reached, the relative error |recall -
    T| / T (Li & Kanoulas 2020), the excess what was read beyond the earliest rank with recall T.  The share
    read is that of -N documents, or of those judged for the topic, or retrieved if these are more.  Topics
    without relevant documents are left out: --empty trec means skip here.

    The cost counts the documents read, and those to be read then, in the order of the run, until recall T is
    reached, with --costs as in TARexp (Yang et al. 2021).  What a ranking could save whoever stops at
    the right place is -m screening; how much an actual review missed, from a sample: pres-eval validate.

    Tables for --table: stopping, topics.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    target: tuple[float, ...] = option(
        "--target", once=True, callback=_read_targets, default="0.95", show_default=True, metavar="RECALLS",
        help="Recall to be reached, one or several.",
    )  # fmt: skip
    stops: tuple[str, ...] = option(
        "--stops", metavar="FILE", multiple=True,
        help="Rank of the last document read of each topic (topic rank): one file for all runs, one each, or"
        " several for one run.",
    )  # fmt: skip
    costs: Costs = option(
        "--costs", callback=_read_costs, default="1,1,1,1", show_default=True, metavar="NUMBERS",
        help="Cost of a relevant document and of another before the stop, and of one of each after it.",
    )  # fmt: skip
    per_topic: bool = option("-q", "--per-topic", is_flag=True, help="Also show the values of each topic.")

    def warn(self, text: str | None) -> None:
        """Print a warning, without the advice to count missing topics as 0: they have no stop."""
        if text is not None:
            super().warn(_ADVICE_TO_COUNT_AS_0.sub("", text))

    def check(self) -> None:
        """Raise UsageError for options that make no sense, before anything is read."""
        super().check()
        if self.complete or self.topics == "all":
            raise UsageError("-c adds topics that the run lacks, which have no stop: leave it out")
        if len(self.stops) < 2 or len(self.runs) == 1:
            return
        if len(self.runs) != len(self.stops):
            expected = f"one, or one for each of {len(self.runs)} runs"
            raise UsageError(f"--stops: found {len(self.stops)} files, expected {expected}")
        if len(self.runs) > len({*self.runs}):
            raise UsageError("a run twice with several --stops: name it once, with all of its --stops")


class _Review(NamedTuple):
    """A run that a reviewer read down to the stop of each topic; without stops, to its end.

    name  of the run, or of the file of stops if one run has several
    """

    name: str
    ranking: Ranking
    stops: Stops | None


@command_with(StoppingOptions)
def command(options: StoppingOptions) -> None:
    """Print the means over topics, and the topics."""
    if options.empty == AS_TREC_EVAL:
        options = options.replace(empty=SKIP)  # without relevant documents there is no recall
    loaded = load(options, options.qrels, options.runs)
    stops: list[Stop] = []
    for review in _reviews(options, loaded):
        rank_of_topic = None
        if review.stops is not None:
            _check_stops(options, review.stops, loaded, review.ranking)
            rank_of_topic = review.stops.of
        stops.extend(
            stops_of_run(
                loaded.relevance,
                review.ranking,
                loaded.options,
                review.name,
                options.target,
                rank_of_topic,
                options.costs,
            )
        )
    if not stops:
        raise PresEvalError(f"{options.qrels}: no topic of the runs has a relevant document")
    settings = {
        **loaded.settings,
        "target": list(options.target),
        "stops": [text_of(path) for path in options.stops],
        "costs": list(options.costs),
    }
    tables = stopping_tables(summaries_of_stops(stops), stops, options.per_topic)
    print_tables(tables, "stopping", settings, options, loaded.failures, lambda: stopping_figure(stops))


def _reviews(options: StoppingOptions, loaded: Loaded) -> list[_Review]:
    """Return each run with its stops.

    One file of stops is for all runs, several are for one run each.  A single run with several files is one
    review for each file.
    """
    files: list[Stops] = [read_weights(path, what="rank") for path in options.stops]
    if len(files) > 1 and len(options.runs) == 1:
        return [_Review(text_of(file.path), loaded.rankings[0], file) for file in files]
    file_of_run: dict[str, Stops] = {}
    if len(files) == 1:
        file_of_run = dict.fromkeys(loaded.paths, files[0])
    elif files:
        file_of_run = dict(zip(options.runs, files, strict=True))
    return [
        _Review(name, ranking, file_of_run.get(path))
        for name, path, ranking in zip(loaded.names, loaded.paths, loaded.rankings, strict=True)
    ]


def _check_stops(options: StoppingOptions, file: Stops, loaded: Loaded, ranking: Ranking) -> None:
    """Raise InputError for a topic of the run without a stop; warn of stops behind the end of the run."""
    topics = list(loaded.relevance.pool.topics.take(ranking.topic))
    missing = [topic for topic in topics if topic not in file.of]
    if missing:
        fault = f"no stop for {len(missing)} of {plural(len(topics))}, such as {quoted(missing[0])}"
        raise InputError(file.path, None, fault, f"one for each topic of {ranking.name}")
    lengths = ranking.num_ret.tolist()
    behind = [topic for topic, length in zip(topics, lengths, strict=True) if file.of[topic] > length]
    if behind:
        options.warn(
            f"{file.path}: {plural(len(behind), 'stop')} behind the end of {ranking.name} (such as topic"
            f" {quoted(behind[0])}): the end counts"
        )
