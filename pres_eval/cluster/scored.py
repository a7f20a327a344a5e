"""Runs of which very many documents are judged: copies of this process score the topics that they ranked.

Values take far less room than the ranks of documents, which nobody has to hand over or put in order then.
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pres_eval.arrays.types import IntArray
from pres_eval.batches.forming import BLOCK
from pres_eval.batches.from_qrels import relevant_and_tied, ties_matter
from pres_eval.cluster.scanning import Wanted
from pres_eval.cluster.splits import Split
from pres_eval.cluster.together import RankedSplit, map_ranked
from pres_eval.options import DOCNO
from pres_eval.ranking.ranked import NO_TIES, Ranked
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.qrels import Qrels
from pres_eval.records import dataclass
from pres_eval.scoring import ScoredBlock, ScoredRanking, Scoring, joined_values

LEAST_SCORED = 1 << 17
"""Judged documents of a split that are worth scoring alone: with fewer, the start of measures costs more."""

VALUE_BYTES = 8


def can_score_splits(scoring: Scoring) -> bool:
    """Whether each topic can be scored for itself, before the others are known."""
    options, relevance = scoring.options, scoring.relevance
    if options.complete or options.only_topic is not None or not isinstance(relevance, Qrels):
        return False
    # What is judged twice is an error that has to come before the first topic is printed.
    return not len(relevance.duplicates.document)


class ManyTiedError(Exception):
    """So many relevant documents share their scores that somebody wants to know what their order matters."""


@dataclass(frozen=True, eq=False)
class ScoredSplit(RankedSplit):
    """What a split makes of topics that are together; of those that are whole no document is left.

    blocks          their values
    relevant, tied  how many relevant documents they retrieve, and how many of these are in ties
    """

    blocks: tuple[ScoredBlock, ...]
    relevant: int
    tied: int


def map_scored(split: Split, wanted: Wanted, scoring: Scoring) -> RankedSplit:
    """Rank the topics of a split that it has whole, and score them if that is worth it."""
    part = map_ranked(split, wanted)
    inner = part.inner
    room = inner.rank.nbytes + inner.document.nbytes
    if len(inner.rank) < LEAST_SCORED or room < VALUE_BYTES * len(inner.topic) * len(scoring.selection):
        return part
    assert isinstance(scoring.relevance, Qrels), "can_score_splits lets nothing else through"
    relevant, tied = relevant_and_tied(scoring.relevance, inner, scoring.options.relevance_level)
    found = tuple(scoring.blocks(inner))
    return ScoredSplit(
        **vars(replace(part, inner=_without_documents(inner))), blocks=found, relevant=relevant, tied=tied
    )


def _without_documents(ranked: Ranked) -> Ranked:
    """The same topics, of which nothing but the number of documents is left."""
    return replace(
        ranked,
        offsets=np.zeros_like(ranked.offsets),
        rank=ranked.rank[:0].copy(),
        document=ranked.document[:0].copy(),
        ties=NO_TIES,
    )


class Scores:
    """Puts the values of the splits together."""

    def __init__(self, scoring: Scoring) -> None:
        self.scoring = scoring
        self._topics: list[IntArray] = []
        self._blocks: list[ScoredBlock] = []
        self._relevant = self._tied = 0

    def add(self, part: RankedSplit) -> None:
        """Take the next split; raises ManyTiedError if the order of equal scores may matter."""
        if isinstance(part, ScoredSplit):
            self._topics.append(part.inner.topic)
            self._blocks += part.blocks
            self._check_ties(part.relevant, part.tied)

    def _check_ties(self, relevant: int, tied: int) -> None:
        self._relevant += relevant
        self._tied += tied
        if self.scoring.options.ties == DOCNO and ties_matter(self._relevant, self._tied):
            raise ManyTiedError

    def ranking(self, ranking: Ranking) -> Ranking:
        """The run with all values, if any split was scored; raises ManyTiedError."""
        if not self._blocks:
            return ranking
        relevance, options = self.scoring.relevance, self.scoring.options
        assert isinstance(relevance, Qrels), "can_score_splits lets nothing else through"
        is_scored = np.zeros(len(relevance.pool.topics), np.bool_)
        is_scored[np.concatenate(self._topics)] = True
        rest = _of_topics(ranking, np.flatnonzero(~is_scored[ranking.topic]))
        self._check_ties(*relevant_and_tied(relevance, rest, options.relevance_level))
        found = [*self._blocks, *(self.scoring.blocks(rest) if len(rest.topic) else ())]
        in_order = _in_order(found, np.concatenate([*self._topics, rest.topic]))
        return ScoredRanking(**vars(replace(ranking, **vars(_without_documents(ranking)))), blocks=in_order)


def _of_topics(ranked: Ranked, chosen: IntArray) -> Ranked:
    """Some of the topics, where the others have no documents."""
    return Ranked(
        topic=ranked.topic[chosen],
        num_ret=ranked.num_ret[chosen],
        offsets=np.append(ranked.offsets[chosen], len(ranked.rank)),
        rank=ranked.rank,
        document=ranked.document,
        ties=ranked.ties,
    )


def _in_order(found: list[ScoredBlock], topic: IntArray) -> tuple[ScoredBlock, ...]:
    """The blocks with their topics in the order of the pool, whose numbers are given (T,)."""
    names = [name for block in found for name in block.topics]
    values = joined_values(found)
    order = np.argsort(topic).tolist()
    blocks = []
    for start in range(0, len(order), BLOCK):
        rows = order[start : start + BLOCK]
        block = [[each[row] for row in rows] if isinstance(each, list) else each[rows] for each in values]
        blocks.append(ScoredBlock(tuple([names[row] for row in rows]), tuple(block)))
    return tuple(blocks)
