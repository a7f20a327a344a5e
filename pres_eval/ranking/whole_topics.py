"""Rankings of whole topics: which row of a document counts if it has several, and ranks of judged ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pres_eval.arrays import Ids, IntArray, Matches
from pres_eval.options import BEST_SCORE, ERROR
from pres_eval.ranking.order import Sortable, places_of, rank_judged
from pres_eval.ranking.ranked import Ranked, Scores, only
from pres_eval.reading.pool import Pool

KEEP_RANKS = "keep ranks"
"""Instead of a rule for duplicates: a document's first rank counts, and other documents keep theirs."""


class DuplicateRowError(Exception):
    """A document that a topic has twice: its arguments are the topic and the document."""


def rank_topics(
    pool: Pool,
    topic: IntArray,
    offsets: IntArray,
    scores: Scores,
    ids: Ids,
    most: int | None = None,
    *,
    ascending: bool,
    duplicates: str = ERROR,
    checks: bool = True,
) -> Ranked:
    """Rank S whole topics (S,): rows offsets[i] ... offsets[i+1]-1 are those of pool topic topic[i].

    `ascending`: equal scores go by docno ascending, not descending.  `duplicates`: which row counts of a
    document that a topic has twice.  `checks`: whether documents count for that which nobody judged.
    Raises DuplicateRowError if that is an error; trec_eval: not when -M cuts all but one off.
    """
    rows_to_rank = Sortable(offsets, scores, ids, ascending)
    found = pool.join(topic, np.diff(offsets), ids)
    if len(found.repeats) and duplicates not in (ERROR, KEEP_RANKS):
        kept = _without_duplicates(scores, found, best=duplicates == BEST_SCORE)
        ranked = rank_topics(
            pool,
            topic,
            np.searchsorted(kept, offsets),
            scores[kept],
            ids.take(kept),
            most,
            ascending=ascending,
        )
        return replace(ranked, num_dropped=len(scores) - len(kept))
    if not checks and duplicates == ERROR:
        found = _judged_repeats(found)
    if len(found.repeats) and duplicates == ERROR:
        row = _duplicate(rows_to_rank, found, most)
        if row is not None:
            raise DuplicateRowError(pool.topics[int(topic[rows_to_rank.topic_of[row]])], ids[row])
    ranked = rank_judged(rows_to_rank, topic, found.rows, found.wanted)
    if duplicates != KEEP_RANKS:
        return ranked
    _, first = np.unique(ranked.document, return_index=True)
    return replace(only(ranked, np.sort(first)), num_dropped=len(found.repeats))


def _judged_repeats(matches: Matches) -> Matches:
    """Return the matches with the repeats of judged documents alone."""
    is_judged = np.isin(matches.repeats, matches.rows)
    return replace(matches, repeats=matches.repeats[is_judged], first=matches.first[is_judged])


def _without_duplicates(scores: Scores, found: Matches, *, best: bool) -> IntArray:
    """Return the rows (n,) that stay when each document counts once: its first row, or its first best one."""
    kept = np.ones(len(scores), np.bool_)
    kept[found.repeats] = False
    above = scores[found.repeats] > scores[found.first]
    if not best or not above.any():  # as nearly always, where scores descend
        return np.flatnonzero(kept)
    again = np.zeros(len(scores), np.bool_)
    again[found.first[above]] = True  # np.unique hashes or sorts them
    first = np.flatnonzero(again)
    others = np.flatnonzero(again[found.first])
    rows = np.concatenate((first, found.repeats[others]))
    document = np.concatenate((first, found.first[others]))
    kept[rows] = True
    order = np.lexsort((rows, -scores[rows], document))
    rows, document = rows[order], document[order]
    kept[rows[1:][document[1:] == document[:-1]]] = False
    return np.flatnonzero(kept)


def _duplicate(rows: Sortable, found: Matches, most: int | None) -> int | None:
    """Return a row of a document that is twice among the first `most` of its topic, None if there is none.

    `found` has the documents that are twice in whole topics, at least one.
    """
    if most is None:
        return int(found.first[0])
    has_copies = np.zeros(len(rows.offsets) - 1, np.bool_)
    has_copies[rows.topic_of[found.repeats]] = True
    members = np.flatnonzero(has_copies[rows.topic_of])
    places, _, _ = places_of(rows, members)
    document = np.arange(len(rows.scores))
    document[found.repeats] = found.first
    kept = np.sort(document[members[places - rows.offsets[rows.topic_of[members]] < most]])
    twice = np.zeros(len(rows.scores), np.bool_)
    twice[kept[1:][kept[1:] == kept[:-1]]] = True
    copies = found.first[twice[found.first]]
    return int(copies[0]) if len(copies) else None
