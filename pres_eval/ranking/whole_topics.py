"""Rankings of whole topics: which row of a document counts if it has several, and ranks of judged ones."""

from __future__ import annotations

from dataclasses import replace

import numpy as np

from pres_eval.arrays import IntArray, Matches
from pres_eval.options import BEST_SCORE, ERROR_OF_DUPLICATES
from pres_eval.ranking.order import Sortable, positions_of, rank_judged
from pres_eval.ranking.ranked import Ranked, Scores, only
from pres_eval.reading.blocks import Documents, MatchingDocuments
from pres_eval.reading.judgements.pool import Pool

KEEP_RANKS = "keep ranks"
"""Instead of a rule for duplicates: a document's first rank counts, and other documents keep theirs."""


class DuplicateRowError(Exception):
    """A document that a topic has twice: its arguments are the topic and the document."""


def rank_topics(
    pool: Pool,
    topic: IntArray,
    offsets: IntArray,
    scores: Scores,
    documents: Documents,
    most: int | None = None,
    *,
    ascending: bool,
    duplicates: str = ERROR_OF_DUPLICATES,
    checks: bool = True,
) -> Ranked:
    """Return the ranks of the judged documents of S whole topics.

    topic        (S,) indices of the pool's topics
    offsets      (S+1,) where the rows of each topic begin among all
    scores, documents
                 (N,) of the rows
    most         documents of a topic that count (-M), None for all
    ascending    whether equal scores go by docno ascending, not descending
    duplicates   which row counts of a document that a topic has twice
    checks       whether documents that nobody judged are errors, too, if a topic has them twice
    Raises DuplicateRowError for a document twice if that is an error; trec_eval: it is none where -M cuts all
    but one of its rows off.
    """
    rows_to_rank = Sortable(offsets, scores, documents, ascending)
    if isinstance(documents, MatchingDocuments):
        matches = documents.join(topic, np.diff(offsets))
    else:
        matches = pool.join(topic, np.diff(offsets), documents.take(slice(None)))
    is_rule_for_rows = duplicates not in (ERROR_OF_DUPLICATES, KEEP_RANKS)
    if len(matches.repeats) and is_rule_for_rows:
        kept_rows = _without_duplicates(scores, matches, best=duplicates == BEST_SCORE)
        ranked = rank_topics(
            pool,
            topic,
            np.searchsorted(kept_rows, offsets),
            scores[kept_rows],
            documents.take(kept_rows),
            most,
            ascending=ascending,
        )
        return replace(ranked, num_dropped=len(scores) - len(kept_rows))
    if not checks and duplicates == ERROR_OF_DUPLICATES:
        matches = _judged_repeats(matches)
    if len(matches.repeats) and duplicates == ERROR_OF_DUPLICATES:
        row = _row_with_copy(rows_to_rank, matches, most)
        if row is not None:
            document = documents.take(slice(row, row + 1))[0]
            raise DuplicateRowError(pool.topics[int(topic[rows_to_rank.topic_of[row]])], document)
    ranked = rank_judged(rows_to_rank, topic, matches.rows, matches.partners)
    if duplicates != KEEP_RANKS:
        return ranked
    _, first = np.unique(ranked.document, return_index=True)
    return replace(only(ranked, np.sort(first)), num_dropped=len(matches.repeats))


def _judged_repeats(matches: Matches) -> Matches:
    """Return the matches with the repeats of judged documents alone."""
    is_judged = np.isin(matches.repeats, matches.rows)
    return replace(matches, repeats=matches.repeats[is_judged], first=matches.first[is_judged])


def _without_duplicates(scores: Scores, matches: Matches, *, best: bool) -> IntArray:
    """Return the rows (n,) that stay, ascending, when each document counts once.

    Of each document that is its first row, or with `best` the first of its rows with the best score.
    """
    is_kept = np.ones(len(scores), np.bool_)
    is_kept[matches.repeats] = False
    is_better = scores[matches.repeats] > scores[matches.first]
    if not best or not is_better.any():  # as nearly always, where scores descend
        return np.flatnonzero(is_kept)
    # All rows of the documents that have a better row than their first; `document` is the number of that.
    has_better = np.zeros(len(scores), np.bool_)
    has_better[matches.first[is_better]] = True  # np.unique hashes or sorts them
    first = np.flatnonzero(has_better)
    others = np.flatnonzero(has_better[matches.first])
    rows = np.concatenate((first, matches.repeats[others]))
    document = np.concatenate((first, matches.first[others]))
    is_kept[rows] = True
    order = np.lexsort((rows, -scores[rows], document))
    rows, document = rows[order], document[order]
    worse_rows = rows[1:][document[1:] == document[:-1]]
    is_kept[worse_rows] = False
    return np.flatnonzero(is_kept)


def _row_with_copy(rows: Sortable, matches: Matches, most: int | None) -> int | None:
    """Return a row of a document that is twice among the first `most` of its topic, None if there is none.

    `matches` has the documents that are twice in whole topics, at least one.
    """
    if most is None:
        return int(matches.first[0])
    has_copies = np.zeros(len(rows.offsets) - 1, np.bool_)
    has_copies[rows.topic_of[matches.repeats]] = True
    members = np.flatnonzero(has_copies[rows.topic_of])  # all rows of these topics
    positions, _, _ = positions_of(rows, members)
    ranks_from_0 = positions - rows.offsets[rows.topic_of[members]]
    document = np.arange(len(rows.scores))  # the first row of each row's document
    document[matches.repeats] = matches.first
    documents = np.sort(document[members[ranks_from_0 < most]])
    is_twice = np.zeros(len(rows.scores), np.bool_)
    is_twice[documents[1:][documents[1:] == documents[:-1]]] = True
    copies = matches.first[is_twice[matches.first]]
    if not len(copies):
        return None
    return int(copies[0])
