"""The error of a run in which a topic has a document twice: which document, and in which lines."""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import numpy as np

from pres_eval.arrays.matching import repeated
from pres_eval.arrays.ordering import changes, stable_order
from pres_eval.arrays.word_ids import WordIds
from pres_eval.errors import InputError, quoted
from pres_eval.ranking.opening import DOCNO, TOPIC
from pres_eval.ranking.order import DuplicateRowError, rank_topics
from pres_eval.ranking.pieces import Piece, Reader
from pres_eval.reading.lines import RUN, parse_lines
from pres_eval.reading.source import Source


def first_duplicate(source: Source, reader: Reader, pieces: Iterable[Piece]) -> InputError:
    """The error of a run in which topics have documents twice: of the first line that is one too many.

    The whole run is read for it, and a malformed line anywhere raises its own error, so that what is named
    does not depend on where the run was cut into chunks.
    """
    again: dict[tuple[bytes, bytes], list[int]] = {
        (error.topic, error.document): [] for error in _duplicates(reader, pieces)
    }
    topics = {topic for topic, _ in again}
    number = 0
    for chunk in source.chunks():
        lines = parse_lines(chunk, RUN)
        ids, documents = lines.column(TOPIC), lines.column(DOCNO)
        heads = changes(ids)
        for start, stop in zip(heads.tolist(), [*heads.tolist()[1:], len(lines)], strict=True):
            if (topic := ids[start]) not in topics:
                continue
            for row, document in enumerate(documents[start:stop], start):
                if (topic, document) in again:
                    again[topic, document].append(number + int(lines.line_of(np.array([row]))[0]) + 1)
        number += lines.num_lines
        source.give_back(chunk)
    if not again or min(map(len, again.values())) < 2:  # read once more, the file has other lines
        return source.changed()
    (topic, document), places = min(again.items(), key=lambda item: item[1][1])
    return InputError(
        source.name,
        places[1],
        f"document {quoted(document)} of topic {quoted(topic)} again (first in line {places[0]})",
        "each document once per topic",
    )


def _duplicates(reader: Reader, pieces: Iterable[Piece]) -> Iterator[DuplicateRowError]:
    """The first document that is there twice of each topic that has one."""
    parts = [piece.rows for piece in pieces if piece.rows is not None]
    topic = np.concatenate([part.topic for part in parts])
    scores = np.concatenate([part.scores for part in parts])
    ids = WordIds.concatenate([part.ids for part in parts])
    order = stable_order(topic, len(reader.pool.topics))
    offsets = np.concatenate(([0], np.cumsum(np.bincount(topic))))
    again, _ = repeated(offsets, ids.pick(order))
    for number in np.unique(topic[order[again]]).tolist():
        rows = order[int(offsets[number]) : int(offsets[number + 1])]
        chosen, ends = np.array([number]), np.array([0, len(rows)])
        picked = ids.pick(rows)
        try:
            rank_topics(
                reader.pool, chosen, ends, scores[rows], picked, reader.most, ascending=reader.ascending
            )
        except DuplicateRowError as error:
            yield error
