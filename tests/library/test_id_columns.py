"""Columns of ids as Arrow has them, in pieces and slices: the same ids, and the same groups of neighbours."""

from __future__ import annotations

from itertools import groupby
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pres_eval.library import idcolumns
from pres_eval.library.tables import arrow_ids

pyarrow = pytest.importorskip("pyarrow")

IDS = st.sampled_from(["a", "b", "7", "abcdefgh", "just12bytes.", "of 13 bytes..", "é" * 9, ""])


@settings(deadline=None, max_examples=60)
@given(
    pieces=st.lists(st.lists(IDS, max_size=6), min_size=1, max_size=3),
    kind=st.sampled_from(["string", "large_string", "string_view"]),
    short=st.booleans(),
    skipped=st.integers(0, 2),
    block=st.sampled_from([1, 2, 1 << 17]),
)
def test_ids_and_groups(pieces: list[list[str]], kind: str, short: bool, skipped: int, block: int) -> None:
    if short:
        pieces = [[text for text in piece if len(text.encode()) <= 12] for piece in pieces]
    type_of = getattr(pyarrow, kind)()
    table = pyarrow.table({"id": pyarrow.chunked_array([pyarrow.array(piece, type_of) for piece in pieces])})
    texts = [text.encode() for piece in pieces for text in piece][skipped:]
    column = arrow_ids(table.slice(skipped).column("id"), "id", "run")
    with mock.patch.object(idcolumns, "BLOCK", block):
        assert len(column) == len(texts)
        assert list(column.pick(slice(1, 4))) == texts[1:4]
        assert list(column.pick(np.arange(len(texts))[::-1])) == texts[::-1]
        ids, lengths = column.groups()
    found = list(zip(ids, lengths.tolist(), strict=True))
    assert found == [(text, len(list(group))) for text, group in groupby(texts)]
