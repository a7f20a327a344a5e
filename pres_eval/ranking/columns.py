"""Columns of a run of any origin (frames, dicts, arrays, JSON, Parquet) become a Ranking, as a file's do."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import NoReturn, Protocol

import numpy as np

from pres_eval.arrays.ids import Ids
from pres_eval.arrays.ordering import has_equal
from pres_eval.arrays.ragged import blocks, consecutive, ragged
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.arrays.word_ids import NO_IDS, WordIds
from pres_eval.errors import InputError, quoted
from pres_eval.options import Options
from pres_eval.ranking.order import DuplicateRowError, rank_topics
from pres_eval.ranking.ranked import Ranked, Scores, Topics, in_precision
from pres_eval.ranking.run_file import Judged, Ranking
from pres_eval.workers import in_order


class Documents(Protocol):
    """A column of ids from which some rows can be picked: WordIds, or ids that are made when wanted."""

    def __len__(self) -> int: ...

    def pick(self, rows: IntArray | slice, /) -> WordIds:
        """The ids of some rows (n,)."""
        ...


@dataclass(frozen=True)
class Texts:
    """Ids in a buffer as a column of documents; nothing is copied before it is ranked."""

    ids: Ids

    def __len__(self) -> int:
        return len(self.ids)

    def pick(self, rows: IntArray | slice, /) -> WordIds:
        """The ids of some rows (n,)."""
        return WordIds.of(self.ids[rows] if isinstance(rows, slice) else self.ids.take(rows))


@dataclass(frozen=True, eq=False)
class RunColumns:
    """N retrieved documents in G groups of rows that follow each other and have the same topic.

    name       what messages call them: a path, or "run"
    topics     (G,) the topic of each group; a topic may have several groups
    lengths    (G,) how many rows each group has; 0 is a topic for which nothing was retrieved
    documents  (N,) ids
    scores     (N,) higher is better; the order of the rows does not matter
    tag        of the run
    """

    name: str
    topics: Ids
    lengths: IntArray
    documents: Documents
    scores: FloatArray
    tag: str = "run"


def rank_columns(columns: RunColumns, relevance: Judged, options: Options, jobs: int = 1) -> Ranking:
    """Rank the documents of some columns; what nobody judged is dropped on the way.

    Of the options `compat` and `max_retrieved` have an effect here.  The result does not depend on `jobs`.
    Raises InputError if there are no rows, a score is not a number, or a topic has a document twice.
    """
    if not len(columns.lengths):
        raise InputError(columns.name, None, "no retrieved documents", "at least one")
    check_scores(columns)
    topic = relevance.pool.find_topics(columns.topics)
    starts = np.cumsum(columns.lengths) - columns.lengths
    unjudged = columns.topics.take(topic < 0)
    judged = np.flatnonzero(topic >= 0)
    topics, lengths, rows = _by_topic(topic[judged], starts[judged], columns.lengths[judged])
    offsets = np.concatenate(([0], np.cumsum(lengths)))
    scores = cast_scores(columns.scores, options)

    def rank_block(block: tuple[int, int]) -> Ranked:
        first, last = block
        begin, end = int(offsets[first]), int(offsets[last])
        chosen = slice(begin + rows.start, end + rows.start) if isinstance(rows, slice) else rows[begin:end]
        return rank_topics(
            relevance.pool,
            topics[first:last],
            offsets[first : last + 1] - offsets[first],
            scores[chosen],
            columns.documents.pick(chosen),
            options.max_retrieved,
            ascending=relevance.ties_ascending,
            duplicates=options.duplicates,
        )

    collected = Topics()
    try:
        for part in in_order(rank_block, blocks(offsets), jobs):
            collected.add(part)
    except DuplicateRowError as error:
        _raise_duplicate(columns, error)
    return ranking_of(
        collected.ranked(), relevance, options, columns.name, columns.tag, len(columns.scores), unjudged
    )


def ranking_of(
    ranked: Ranked,
    relevance: Judged,
    options: Options,
    name: str,
    tag: str,
    num_rows: int,
    unjudged: Ids,
) -> Ranking:
    """Ranked topics with what else is known of their run."""
    return Ranking(
        **vars(ranked),
        name=name,
        tag=tag,
        num_lines=num_rows,
        unjudged_ids=WordIds.of(unjudged) if len(unjudged) else NO_IDS,
        longer_line=None,
        single=options.version.single_precision_scores,
        ascending=relevance.ties_ascending,
    )


def check_scores(columns: RunColumns) -> None:
    """Raise InputError if a score is not a number."""
    wrong = np.isnan(columns.scores)
    if not wrong.any():
        return
    row = int(np.argmax(wrong))
    group = int(np.searchsorted(np.cumsum(columns.lengths), row, side="right"))
    document = quoted(columns.documents.pick(slice(row, row + 1))[0])
    where = f"of document {document} for topic {quoted(columns.topics[group])}"
    raise InputError(columns.name, None, f"score nan {where}", "a number")


def cast_scores(scores: FloatArray, options: Options) -> Scores:
    """(N,) the scores as trec_eval keeps them."""
    return in_precision(scores, options.version.single_precision_scores)


def _by_topic(
    topic: IntArray, starts: IntArray, lengths: IntArray
) -> tuple[IntArray, IntArray, IntArray | slice]:
    """(S,) the topics of groups, each once; (S,) how many rows each has; and which rows these are."""
    if has_equal(topic):
        order = np.argsort(topic, kind="stable")
        topic, starts, lengths = topic[order], starts[order], lengths[order]
        rows = ragged(starts, lengths)[0]
        first = np.flatnonzero(np.concatenate(([True], topic[1:] != topic[:-1])))
        ends = np.concatenate(([0], np.cumsum(lengths)))
        return topic[first], np.diff(ends[np.concatenate((first, [len(topic)]))]), rows
    return topic, lengths, consecutive(starts, lengths)[0]


def _raise_duplicate(columns: RunColumns, error: DuplicateRowError) -> NoReturn:
    """Find the two rows, and say so."""
    found = []
    for row in _rows_of(columns, error.topic):
        if columns.documents.pick(slice(row, row + 1))[0] == error.document:
            found.append(row + 1)
    document, topic = quoted(error.document), quoted(error.topic)
    raise InputError(
        columns.name,
        None,
        f"document {document} of topic {topic} again (rows {found[0]} and {found[1]})",
        "each document once per topic",
    )


def _rows_of(columns: RunColumns, topic: bytes) -> Iterator[int]:
    start = 0
    for text, length in zip(columns.topics, columns.lengths.tolist(), strict=True):
        if text == topic:
            yield from range(start, start + length)
        start += length
