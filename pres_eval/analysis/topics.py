"""Over which topics several runs are averaged: one rule, and how it is told."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.errors import NoCommonTopicError
from pres_eval.ranking.common import ALL, COMMON, OWN, common_topics, topics_of_any, with_topics
from pres_eval.ranking.run_file import Ranking

MOST_NAMED = 3


@dataclass(frozen=True)
class UsedTopics:
    """The topics over which some runs are averaged.

    rule     one of TOPIC_RULES
    counts   for each run how many topics it is averaged over
    any_run  how many topics the runs have together
    lacking  the runs that lack topics which others have: name and how many, those that lack most first
    """

    rule: str
    counts: tuple[int, ...]
    any_run: int
    lacking: tuple[tuple[str, int], ...]

    @property
    def differ(self) -> bool:
        """Whether the runs are averaged over different topics."""
        return self.rule == OWN and bool(self.lacking)

    @property
    def text(self) -> str:
        """The topics in a few words, for a title."""
        low, high = min(self.counts), max(self.counts)
        if self.differ:
            return (
                f"each run's own topics ({low} to {high})" if low < high else f"each run's own {low} topics"
            )
        if self.rule == COMMON and low < self.any_run:
            return f"{plural(low)} that every run has, of {self.any_run} that some run has"
        return plural(low)

    @property
    def warning(self) -> str | None:
        """What must not go unsaid: that runs have different topics, which ones lack some, what to do."""
        if not self.lacking or self.rule == ALL:
            return None
        some = ", ".join(f"{name} lacks {count}" for name, count in self.lacking[:MOST_NAMED])
        more = (
            f" and {len(self.lacking) - MOST_NAMED} more lack some" if len(self.lacking) > MOST_NAMED else ""
        )
        used = (
            "each is averaged over its own (--topics common or all: over the same)"
            if self.rule == OWN
            else f"only the {min(self.counts)} that all have are used (--topics all: missing ones count as 0)"
        )
        return f"the runs have different topics, {self.any_run} in all ({some}{more}); {used}"


def plural(count: int) -> str:
    """So many topics."""
    return f"{count} topic" if count == 1 else f"{count} topics"


def use_topics(
    rankings: Sequence[Ranking], names: Sequence[str], rule: str, num_topics: int
) -> tuple[list[Ranking], UsedTopics]:
    """The runs as the rule wants them; `num_topics` are in the judgements.

    Raises NoCommonTopicError under the rule `common` if there is no topic that all runs have.
    """
    any_run = topics_of_any(rankings)
    lacking = sorted(
        ((name, len(any_run) - len(each.topic)) for name, each in zip(names, rankings, strict=True)),
        key=lambda pair: -pair[1],
    )
    lacking = [(name, count) for name, count in lacking if count]
    kept = list(rankings)
    if rule == COMMON and lacking:
        common = common_topics(rankings)
        if not len(common) and len(any_run):
            worst, count = lacking[0]
            raise NoCommonTopicError(
                f"no topic that all the runs have: {worst} lacks {count} of {len(any_run)};"
                " leave it out, or count missing topics as 0 with --topics all"
            )
        kept = [with_topics(each, common) for each in rankings]
    counts = [num_topics if rule == ALL else len(np.unique(each.topic)) for each in kept]
    return kept, UsedTopics(rule, tuple(counts), len(any_run), tuple(lacking))
