"""The ranker of a run: its chunks and blocks become parts, ranked or kept until they can be ranked."""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np

from pres_eval.arrays import Ids, IntArray, TopicNumbers, has_equal
from pres_eval.options import Options
from pres_eval.ranking.parts import Facts, RankedPart, Rows, RowsPart
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.ranker import Ranker
from pres_eval.reading.blocks import Block
from pres_eval.reading.cuts import ScatteredError
from pres_eval.reading.file import Chunk
from pres_eval.reading.judgements.relevance import Relevance
from pres_eval.reading.lines import RUN, block_of_lines, parse_lines
from pres_eval.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Sequence


@dataclass(frozen=True, eq=False, kw_only=True)
class FilteredRows:
    """Rows of a run that are to be ranked.

    block       these rows
    facts       facts of their lines
    as_written  the same rows with the documents of the file; None where no document is mapped
    """

    block: Block
    facts: Facts
    as_written: Block | None = None


@dataclass(frozen=True, eq=False, kw_only=True)
class RunRanker:
    """Ranker of a run; its state never changes, so that any thread may call it.

    A filter of rows before they are ranked is a subclass (see `ranking.rewritten`).

    ranker  ranks the rows of known topics
    only    the topic of -D as an index of the pool's, -1 for one that is not judged; None for all
    checks  whether documents that nobody judged are errors if they come twice in rows in any order
    """

    ranker: Ranker
    only: int | None = None
    checks: bool = True

    @classmethod
    def for_judgements(cls, judged: Relevance, options: Options, checks: bool = True) -> RunRanker:
        """Return the ranker for judgements and options."""
        only = None
        if options.only_topic is not None:
            (only,) = judged.pool.find_topics(Ids.from_texts([options.only_topic])).tolist()
        if judged.rewriting is not None:
            from pres_eval.ranking.rewritten import rewriting_ranker

            return rewriting_ranker(judged, judged.rewriting, options, only, checks)
        return cls(ranker=Ranker.for_judgements(judged, options), only=only, checks=checks)

    def passes(self) -> Sequence[RunRanker]:
        """Return the rankers with which a run whose topics are not whole is read, one reading each.

        The ranks of the last reading count. An earlier one only finds documents that a topic has twice before
        they are mapped (`RewritingRanker`).
        """
        return (self,)

    def ranked_part(self, piece: Chunk | Block) -> RankedPart:
        """Return the ranks of a chunk of lines or a block that has all rows of its topics, together.

        Raises LineError for a malformed line, DuplicateRowError, ScatteredError for a topic that comes twice.
        """
        rows = self.rows(piece)
        topic, unjudged = self._topics(rows.block)
        if has_equal(topic[topic >= 0]):
            raise ScatteredError
        return RankedPart(facts=rows.facts, unjudged=unjudged, ranked=self.ranked(rows, topic))

    def ranked_block(self, block: Block, jobs: int = 1) -> RankedPart:
        """Return the ranks of a run that is a single block, its rows in any order of topics.

        Raises DuplicateRowError.
        """
        rows = self.rows(block)
        topic, unjudged = self._topics(rows.block)
        return RankedPart(facts=rows.facts, unjudged=unjudged, ranked=self.ranked(rows, topic, jobs))

    def rows_part(self, piece: Chunk | Block) -> RowsPart:
        """Return the rows of judged topics of a chunk or a block, to be ranked later with others.

        Raises LineError for a malformed line.
        """
        rows = self.rows(piece, each_row_alone=True)
        topic, unjudged = self._topics(rows.block)
        judged, topic_of_row = _judged_rows(topic, rows.block.lengths)
        scores = self.ranker.cast(rows.block.numbers)[judged]
        documents = rows.block.documents.take(judged)
        return RowsPart(facts=rows.facts, unjudged=unjudged, rows=Rows(topic_of_row, scores, documents))

    def rows(self, piece: Chunk | Block, *, each_row_alone: bool = False) -> FilteredRows:
        """Return the rows of a chunk or a block.  Raises LineError for a malformed line.

        each_row_alone  whether each line may be a group of its own
        """
        if isinstance(piece, Block):
            return FilteredRows(block=piece, facts=Facts(num_rows=len(piece.numbers)))
        lines = parse_lines(piece, RUN).checked()
        block = block_of_lines(lines, each_row_alone=each_row_alone)
        return FilteredRows(block=block, facts=Facts.from_lines(lines))

    def ranked(self, rows: FilteredRows, topic: IntArray, jobs: int = 1) -> Ranked:
        """Return the ranks of rows that have all rows of their topics.

        topic  (G,) the topic of each of their groups as an index of the pool's, -1 for one that is left out
        Raises DuplicateRowError.
        """
        return self.ranker.ranked(rows.block, topic, jobs)

    def _topics(self, block: Block) -> tuple[IntArray, Ids]:
        """Return the topics (G,) of groups as indices of the pool's, -1 for one that is left out.

        Then come the ids of topics without judgements.
        """
        topic = self.ranker.pool.find_topics(block.topics)
        unjudged = block.topics.take(np.flatnonzero(topic < 0))
        if self.only is None:
            return topic, unjudged
        # trec_eval: the other topics are not looked at, so that no document there is one too many.
        return np.where(topic == self.only, topic, -1), unjudged


def _judged_rows(topic: IntArray, lengths: IntArray) -> tuple[IntArray | slice, TopicNumbers]:
    """Return the rows of judged topics (N,), and the topic of each (N,).

    topic, lengths  (G,) the topic of each group of rows, -1 for one that is not judged, and how many rows
    """
    topic_of_row = topic.astype(np.int32)
    if len(topic) != int(lengths.sum()):  # not each row is a group
        topic_of_row = np.repeat(topic_of_row, lengths)
    if not (topic < 0).any():
        return slice(0, len(topic_of_row)), topic_of_row
    # numpy takes rows by their numbers much faster than by a mask.
    rows: IntArray = np.flatnonzero(topic_of_row >= 0)
    return rows, topic_of_row[rows]
