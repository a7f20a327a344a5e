"""A whole run, as far as it was judged; runs that are a single block; and the topics that runs share."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property

import numpy as np

from pres_eval.arrays import Ids, IntArray
from pres_eval.errors import InputError, quoted
from pres_eval.options import Options
from pres_eval.ranking.parts import Facts, RankedPart, each_once
from pres_eval.ranking.ranked import Ranked, only
from pres_eval.ranking.ranker import Ranker
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.ranking.whole_topics import DuplicateRowError
from pres_eval.reading.blocks import Block, check_scores
from pres_eval.reading.judgements.relevance import Relevance
from pres_eval.records import dataclass


@dataclass(frozen=True, eq=False)
class Ranking(Ranked):
    """A whole run, as far as it was judged.

    name             of the file, as messages call it
    tag              of its last line
    facts            facts of its lines
    unjudged_ids     topics without judgements, the first `parts.MOST_UNJUDGED_TOPICS` of them
    more_unjudged    whether there are further such topics
    form             the recognised format of the file, None for a trec run
    tag_before       tag of the line before the last, if that was cut off in the middle of its own
    single_precision whether scores were kept in 32 bits
    ascending        whether ties were broken by docno in ascending order
                     (`batches.forming.form` refuses options that need other values of these two)
    unchecked        whether nobody checked that unjudged documents are there only once
    """

    name: str
    tag: str
    facts: Facts
    unjudged_ids: Ids
    single_precision: bool
    ascending: bool
    more_unjudged: bool = False
    tag_before: str | None = None
    form: str | None = None
    unchecked: bool = False

    @cached_property
    def unjudged(self) -> Ids:
        """The topics without judgements, in byte order."""
        return self.unjudged_ids.distinct()[0]

    @property
    def warning_of_longer_line(self) -> str | None:
        """The warning about a line with more columns than are used, None if there is none."""
        if self.facts.longer_line is None:
            return None
        from pres_eval.reading.mistakes.advice import line_end_advice  # takes a while to import

        return (
            f"{self.name}:{self.facts.longer_line}: more than 6 columns; the first 6 are used"
            " (topic Q0 docno rank score tag), which is wrong if an id has a blank in it"
            + line_end_advice(self.name)
        )


def ranking_of(
    part: RankedPart,
    ranker: Ranker,
    name: str,
    tag: str | None = None,
    form: str | None = None,
    unchecked: bool = False,
) -> Ranking:
    """Return the ranking of a part that is a whole run.

    tag        of a run that has none in its lines; None: that of the last line
    form       the recognised format of the file, None for a trec run
    unchecked  whether nobody checked that unjudged documents are there only once
    """
    facts = part.facts
    if tag is None:
        tag = facts.tag.decode("utf-8", "surrogateescape")
    # A file that was cut off ends without a newline, and its last tag may be the beginning of the tag.
    is_shortened = facts.tag != facts.tag_before and facts.tag_before.startswith(facts.tag)
    tag_before = None
    if is_shortened and not facts.final_newline:
        tag_before = facts.tag_before.decode("utf-8", "surrogateescape")
    return Ranking(
        **vars(part.ranked),
        name=name,
        tag=tag,
        tag_before=tag_before,
        facts=facts,
        unjudged_ids=part.unjudged,
        more_unjudged=part.more_unjudged,
        form=form,
        single_precision=ranker.single_precision,
        ascending=ranker.ascending,
        unchecked=unchecked,
    )


def rank_block(name: str, block: Block, ranker: RunRanker, tag: str = "run", jobs: int = 1) -> Ranking:
    """Return the ranking of a run that is one block, its topics in any order.

    Raises InputError if there are no rows, a score is not a number, or a topic has a document twice.
    """
    if not len(block.lengths):
        raise InputError(name, None, "no retrieved documents", "at least one")
    check_scores(name, block)
    try:
        part = ranker.ranked_block(block, jobs)
    except DuplicateRowError as error:
        from pres_eval.ranking.duplicates import duplicate_error

        failure = duplicate_error(name, block, [error.args])
        assert failure is not None, "the rows are those that were ranked"
        raise failure from None
    return ranking_of(replace(part, unjudged=each_once(part.unjudged)), ranker.ranker, name, tag)


OWN, COMMON, ALL = "own", "common", "all"
TOPIC_RULES = (OWN, COMMON, ALL)
"""Values of --topics: each run's own topics, those that all runs have, all of the judgements (-c)."""


def on_topics(ranking: Ranking, topics: IntArray) -> Ranking:
    """Return the run with only those of its topics that are among `topics` (n,)."""
    is_chosen = np.isin(ranking.topic, topics)
    rows = np.flatnonzero(np.repeat(is_chosen, np.diff(ranking.offsets)))
    chosen = only(ranking, rows)
    begins, end = chosen.offsets[:-1], chosen.offsets[-1]
    return replace(
        chosen,
        topic=chosen.topic[is_chosen],
        num_ret=chosen.num_ret[is_chosen],
        offsets=np.append(begins[is_chosen], end),
    )


def with_nothing_for(ranking: Ranking, topics: IntArray) -> Ranking:
    """Return the run with these topics (n,) too, for which it retrieved nothing, where it lacks them."""
    new_topics = np.setdiff1d(topics, ranking.topic)
    nothing = np.zeros(len(new_topics), np.int64)
    topic = np.concatenate((ranking.topic, new_topics))
    num_ret = np.concatenate((ranking.num_ret, nothing))
    num_judged = np.concatenate((np.diff(ranking.offsets), nothing))
    order = np.argsort(topic, kind="stable")
    # Documents stay where they are: topics ascend, and the new ones have none.
    offsets = np.concatenate(([0], np.cumsum(num_judged[order])))
    return replace(ranking, topic=topic[order], num_ret=num_ret[order], offsets=offsets)


def no_common_topic(relevance: Relevance, ranking: Ranking, options: Options) -> str:
    """Return the message about a run without a topic of the judgements."""
    if options.only_topic is not None:
        return f"{ranking.name}: topic {quoted(options.only_topic)} of -D is not in both files"
    example = ""
    if len(ranking.unjudged):
        example = f" such as {quoted(ranking.unjudged[0])}"
    return (
        f"{ranking.name}: no topic in common with {relevance.name}:"
        f" expected topics such as {quoted(relevance.pool.topics[0])}, found others{example};"
        " are both files of the same collection, and the ids written alike?"
    )
