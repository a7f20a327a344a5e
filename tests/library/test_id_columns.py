"""Columns of ids as Arrow has them, in pieces and slices: the same ids, and the same groups of neighbours."""

from __future__ import annotations

from itertools import groupby
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pres_eval as pe
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
    with mock.patch.object(idcolumns, "BLOCK_ROWS", block):
        assert len(column) == len(texts)
        assert list(column.take(slice(1, 4))) == texts[1:4]
        assert list(column.take(np.arange(len(texts))[::-1])) == texts[::-1]
        ids, lengths = column.groups()
    found = list(zip(ids, lengths.tolist(), strict=True))
    assert found == [(text, len(list(group))) for text, group in groupby(texts)]


def columns(made: Any, ids: Any) -> Any:
    return made({"query_id": ["1"] * len(ids), "doc_id": ids, "score": [3.0, 2.0, 1.0]})


def ranked(qrels: dict[str, dict[str, int]], ids: Any) -> pe.Run:
    return pe.Qrels(qrels).rank_top_k(["1"], ids[np.newaxis], np.array([[3.0, 2.0, 1.0]]))


@pytest.mark.parametrize("kind", ["u8", ">u8"])
def test_numbers_of_64_bits_without_a_sign(kind: str) -> None:
    """Hashes as ids: they became negative, so that they matched nothing, and the largest was no document."""
    pandas, polars = pytest.importorskip("pandas"), pytest.importorskip("polars")
    ids = np.array([2**63 + 5, 2**64 - 1, 7], kind)
    qrels = {"1": {"9223372036854775813": 1, "18446744073709551615": 1, "7": 1}}
    tables = [columns(made, ids.astype("u8")) for made in (pandas.DataFrame, polars.DataFrame, pyarrow.table)]
    for run in (*tables, columns(dict, ids)):
        assert pe.evaluate(qrels, run, "map")["map"] == 1.0
    assert ranked(qrels, ids).evaluate("map")["map"] == 1.0


def test_a_name_that_two_columns_have() -> None:
    """It was an IndexError."""
    pandas = pytest.importorskip("pandas")
    frame = pandas.DataFrame([["1", "a", 1.0, 2.0]], columns=["query_id", "doc_id", "score", "score"])
    with pytest.raises(pe.PresEvalError, match="run: 2 columns named score, expected one"):
        pe.evaluate({"1": {"a": 1}}, frame, "map")
