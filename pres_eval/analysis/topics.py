"""Topics over which several runs are averaged: one rule, and its messages."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from functools import reduce

import numpy as np

from pres_eval.arrays import IntArray
from pres_eval.errors import NoCommonTopicError, plural
from pres_eval.ranking.ranking import ALL, COMMON, OWN, Ranking, on_topics

MOST_NAMED = 3
"""Runs that a warning names at most, so that it stays a line or two."""


@dataclass(frozen=True)
class UsedTopics:
    """The topics over which some runs are averaged.

    rule     one of TOPIC_RULES
    counts   for each run the number of topics that it is averaged over
    any_run  number of topics that at least one run has
    judged   number of topics of the judgements
    lacking  runs that lack topics which others have: names and how many they lack, those that lack most first
    """

    rule: str
    counts: tuple[int, ...]
    any_run: int
    judged: int
    lacking: tuple[tuple[str, int], ...]

    @property
    def text(self) -> str:
        """The topics in a few words, for a title: `50 topics`, or `each run's own topics (18 to 20)`."""
        low, high = min(self.counts), max(self.counts)
        if self.rule == OWN and self.lacking:
            if low < high:
                return f"each run's own topics ({low} to {high})"
            return f"each run's own {low} topics"
        if self.rule == COMMON and low < self.any_run:
            return f"{plural(low)} that every run has, of {self.any_run} that some run has"
        return plural(low)

    @property
    def warning(self) -> str | None:
        """Return the warning that runs have different topics, with the runs that lack some, and a remedy.

        None if no topic is left out, and for a single run, whose reader gives the warning.
        """
        if self.rule == ALL or not self.any_run or len(self.counts) == 1:
            return None
        if not self.lacking:
            return self._in_no_run()
        judged = f", of {self.judged} in the qrels"
        if self.any_run == self.judged:
            judged = ""
        lacking = ", ".join(f"{name} lacks {count}" for name, count in self.lacking[:MOST_NAMED])
        unnamed = len(self.lacking) - MOST_NAMED
        if unnamed > 0:
            lacking += f" and {unnamed} more {'lacks' if unnamed == 1 else 'lack'} some"
        if self.rule == OWN:
            averages = "each is averaged over its own (--topics common or all: over the same)"
        else:
            averages = (
                f"only the {min(self.counts)} that all have are used (--topics all: missing ones count as 0)"
            )
        return f"the runs have different topics, {self.any_run} in all{judged} ({lacking}); {averages}"

    def _in_no_run(self) -> str | None:
        """Return the warning of topics of the qrels that no run has; None if there are none."""
        count = self.judged - self.any_run
        if not count:
            return None
        verb = "is" if count == 1 else "are"
        return (
            f"{count} of {plural(self.judged)} of the qrels {verb} in no run and {verb} left out of the"
            " averages; -c counts missing topics as 0"
        )


def use_topics(
    rankings: Sequence[Ranking], names: Sequence[str], rule: str, num_topics: int
) -> tuple[list[Ranking], UsedTopics]:
    """Return the runs with the topics that count by one of TOPIC_RULES, and a description of these topics.

    num_topics  number of topics of the judgements
    Raises NoCommonTopicError under the rule `common` if there is no topic that all runs have.
    """
    if not rankings:
        return [], UsedTopics(rule=rule, counts=(0,), any_run=0, judged=num_topics, lacking=())
    used = used_topics([ranking.topic for ranking in rankings], names, rule, num_topics)
    if rule != COMMON or not used.lacking:
        return list(rankings), used
    common = reduce(np.intersect1d, [ranking.topic for ranking in rankings])
    if not len(common) and used.any_run:
        worst, count = used.lacking[0]
        raise NoCommonTopicError(
            f"no topic that all the runs have: {worst} lacks {count} of {used.any_run};"
            " leave it out, or count missing topics as 0 with --topics all"
        )
    return [on_topics(ranking, common) for ranking in rankings], used


def used_topics(topics: Sequence[IntArray], names: Sequence[str], rule: str, num_topics: int) -> UsedTopics:
    """Return the description of the topics that count by a rule.

    topics      for each run, indices (n,) of its topics in the pool
    names       of the runs
    num_topics  number of topics of the judgements
    """
    any_run = len(np.unique(np.concatenate(topics)))
    lacking = []
    for name, topics_of_run in zip(names, topics, strict=True):
        if len(topics_of_run) < any_run:
            lacking.append((name, any_run - len(topics_of_run)))
    if rule == ALL:
        counts = [num_topics] * len(topics)
    elif rule == COMMON:
        counts = [len(reduce(np.intersect1d, topics))] * len(topics)
    else:
        counts = [len(np.unique(topics_of_run)) for topics_of_run in topics]
    return UsedTopics(
        rule=rule,
        counts=tuple(counts),
        any_run=any_run,
        judged=num_topics,
        lacking=tuple(sorted(lacking, key=lambda run: -run[1])),
    )
