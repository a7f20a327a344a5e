"""Lines in any order, one pass: what is kept of a split is what threads keep of a chunk."""

from __future__ import annotations

import contextlib
from dataclasses import replace

import numpy as np

from pres_eval.cluster.splits import Split, text_of
from pres_eval.cluster.telling import opening_of_files
from pres_eval.errors import EmptyFileError
from pres_eval.ranking.counted import Counted
from pres_eval.ranking.facts import Facts
from pres_eval.ranking.pieces import Piece, Reader
from pres_eval.ranking.scattered import Collected
from pres_eval.ranking.unjudged import UnjudgedTopics
from pres_eval.reading.cutting import cuts
from pres_eval.reading.source import NO_CHUNK


class ManyUnjudgedError(Exception):
    """A split has more topics without judgements than it may tell of."""


def map_piece(split: Split, reader: Reader) -> Piece:
    """The rows of a split, or their keys, as the reader wants.

    Raises LineError for a malformed line, and ManyUnjudgedError.
    """
    text, first = text_of(split), split.start == 0
    facts, unjudged = Facts(), UnjudgedTopics(split.unjudged)
    counted, rows = [], Collected(reader.single)
    with contextlib.suppress(EmptyFileError):  # a line that is longer than the split
        for cut in cuts(text, whole_topics=False):
            piece = reader.piece(replace(cut, first=first and cut.first))
            facts = facts.then(piece.facts)
            if len(piece.unjudged):
                unjudged.add(piece.unjudged)
            if piece.counted is not None:
                counted.append(piece.counted)
            if piece.rows is not None:
                rows.add(piece.rows)
            text.give_back(cut.chunk)
    topics = unjudged.ids()
    if unjudged.more:
        raise ManyUnjudgedError
    return Piece(
        chunk=NO_CHUNK,
        ends_whole=False,
        facts=replace(facts, final_newline=text.final_newline),
        opening=opening_of_files((split.file,), whole_topics=False) if first else None,
        topics=np.zeros(0, np.int64),
        unjudged=topics,
        rows=rows.rows() if len(rows) else None,
        counted=Counted.joined(counted) if counted else None,
    )
