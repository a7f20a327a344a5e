"""Runs of which very many documents are judged, scored by copies of this process."""

from __future__ import annotations

import contextlib
from collections.abc import Iterator

from pres_eval.arrays.ragged import blocks
from pres_eval.cluster.copies import MOST_ITEMS, Copies, can_copy
from pres_eval.cluster.engines import WorkersLostError
from pres_eval.measures.selection import Selection
from pres_eval.options import Options
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading.qrels import Qrels
from pres_eval.reading.relevance import Relevance
from pres_eval.reading.zscores import ZScores
from pres_eval.scoring import ScoredBlock, scored

AT_ONCE = 1 << 19
"""Judged documents whose topics a copy scores at a time."""


def scored_by_copies(
    relevance: Relevance,
    ranking: Ranking,
    selection: Selection,
    options: Options,
    zscores: ZScores | None,
    jobs: int,
) -> Iterator[ScoredBlock]:
    """What `scored` gives for a run without missing topics; threads go on where copies fail."""

    def score(topics: tuple[int, int]) -> list[ScoredBlock]:
        return list(scored(relevance, ranking.part(*topics), selection, options, zscores))

    # Two neighbours have more together than one may have: there are at most twice as many as it seems.
    ranges = list(blocks(ranking.offsets, max(AT_ONCE, len(ranking.document) // (MOST_ITEMS // 4))))
    done = 0
    # What is judged twice is an error that has to come before the first topic is printed.
    if can_copy() and isinstance(relevance, Qrels) and not len(relevance.duplicates.document):
        with (
            contextlib.suppress(WorkersLostError),
            contextlib.closing(Copies(jobs).map(score, ranges)) as results,
        ):
            for found in results:
                yield from found
                done += 1
    if done < len(ranges):
        rest = ranking.part(ranges[done][0], len(ranking.topic)) if done else ranking
        yield from scored(relevance, rest, selection, options, zscores, jobs)
