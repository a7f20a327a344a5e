"""The ranker of a run whose documents are mapped or excluded: a filter of rows before they are ranked."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from pres_eval.arrays import IntArray
from pres_eval.options import BEST_SCORE, ERROR_OF_DUPLICATES, Options
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.ranker import Ranker
from pres_eval.ranking.run_ranker import FilteredRows, RunRanker
from pres_eval.ranking.whole_topics import KEEP_RANKS
from pres_eval.reading.blocks import Block
from pres_eval.reading.file import Chunk
from pres_eval.reading.judgements.relevance import Relevance
from pres_eval.reading.rewriting import Rewriting
from pres_eval.records import dataclass


@dataclass(frozen=True, eq=False, kw_only=True)
class RewritingRanker(RunRanker):
    """Ranker of a run that is rewritten before it is ranked.

    rewriting  the mapping and the exclusion
    unmapped   ranker of the documents as the file has them, which raises DuplicateRowError for one that a
               topic has twice; None if that is no error, or if nothing is mapped
    """

    rewriting: Rewriting
    unmapped: Ranker | None = None

    def passes(self) -> Sequence[RunRanker]:
        """Return the ranker that finds documents twice before they are mapped, and the one that maps them.

        This is for runs whose rows come in any order; for others `ranked` does both at once.
        """
        if self.unmapped is None:
            return (self,)
        # The second pass, of rows in any order too, knows mapped ids alone.
        before_mapping = RunRanker(ranker=self.unmapped, only=self.only, checks=self.checks)
        return before_mapping, replace(self, unmapped=None)

    def rows(self, piece: Chunk | Block, *, each_row_alone: bool = False) -> FilteredRows:
        """Return the rows of a chunk or a block, mapped and without excluded ones."""
        rows = super().rows(piece, each_row_alone=each_row_alone)
        if not len(rows.block.numbers):
            return rows
        rewritten = self.rewriting.of_run(rows.block)
        facts = replace(rows.facts, num_mapped=rewritten.num_mapped, num_excluded=rewritten.num_excluded)
        return FilteredRows(block=rewritten.block, facts=facts, as_written=rewritten.as_written)

    def ranked(self, rows: FilteredRows, topic: IntArray, jobs: int = 1) -> Ranked:
        """Return the ranks of rows of topics (G,); raise DuplicateRowError, before the mapping as well."""
        if self.unmapped is not None and rows.as_written is not None:
            self.unmapped.ranked(rows.as_written, topic, jobs)
        return super().ranked(rows, topic, jobs)


def rewriting_ranker(
    judged: Relevance, rewriting: Rewriting, options: Options, only: int | None, checks: bool
) -> RewritingRanker:
    """Return the ranker for rewritten judgements and options; `only` and `checks`: see `RunRanker`."""
    duplicates = options.duplicates
    if rewriting.mapping is not None:
        checks = True  # a mapping makes duplicates of rows that had none
        # Several documents become the same one: its first row counts.
        if duplicates == ERROR_OF_DUPLICATES:
            duplicates = BEST_SCORE
        if not rewriting.dense:
            duplicates = KEEP_RANKS  # where a document comes again, its rank stays empty
    unmapped = None
    if options.duplicates == ERROR_OF_DUPLICATES and duplicates != ERROR_OF_DUPLICATES:
        unmapped = Ranker.for_judgements(judged, options)
    return RewritingRanker(
        ranker=Ranker.for_judgements(judged, options, duplicates),
        only=only,
        checks=checks,
        rewriting=rewriting,
        unmapped=unmapped,
    )
