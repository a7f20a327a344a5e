"""Arrays of ids and scores of every type and layout rank as the same documents in a dict."""

from __future__ import annotations

from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

import pres_eval as pe
from pres_eval.arrays import stretches

MEASURES = ["num_ret", "map", "ndcg", "PRES.3"]
pytestmark = pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")


@settings(deadline=None, max_examples=60)
@given(
    data=st.data(),
    dtype=st.sampled_from(["f2", "f4", "f8", ">f4", "i4", "i8"]),
    shape=st.tuples(st.integers(1, 4), st.integers(1, 5)),
    layout=st.sampled_from(["C", "F"]),
    compat=st.sampled_from(["9.0.8", "10.0"]),
    block=st.sampled_from([1, 6, 1 << 17]),
)
def test_like_a_dict(
    data: st.DataObject, dtype: str, shape: tuple[int, int], layout: Any, compat: str, block: int
) -> None:
    depth = shape[1]
    rows = [data.draw(st.permutations(range(8))) for _ in range(shape[0])]
    ids = np.array([row[:depth] for row in rows], np.int64, order=layout)
    if data.draw(st.booleans()):
        ids[data.draw(st.integers(0, shape[0] - 1)), data.draw(st.integers(0, depth - 1)) :] = -1
    # Those of 16777216 and above are whole numbers that only doubles tell apart.
    values = st.sampled_from([0, 1, 2, 3] if dtype == "f2" else [0, 1, 2, 16777216, 16777217])
    ordered = data.draw(st.booleans())
    drawn = [data.draw(st.lists(values, min_size=depth, max_size=depth)) for _ in range(shape[0])]
    scores = np.array([sorted(row, reverse=True) if ordered else row for row in drawn], dtype, order=layout)
    qrels = {f"t{topic}": {str(number): number % 3 for number in range(0, 8, 2)} for topic in range(1, 4)}
    run = {
        f"t{topic}": {
            str(number): float(score) for number, score in zip(row, own, strict=True) if number >= 0
        }
        for topic, (row, own) in enumerate(zip(ids.tolist(), scores.tolist(), strict=True))
    }
    judged = pe.Qrels(qrels | {"t0": {"99": 1}} if data.draw(st.booleans()) else qrels)
    try:
        wanted = judged.rank(run, compat=compat)  # type: ignore[arg-type]
    except pe.PresEvalError:  # no documents at all
        wanted = None
    with mock.patch.object(stretches, "BLOCK_ROWS", block):
        if wanted is None:
            with pytest.raises(pe.PresEvalError, match="no retrieved documents"):
                judged.rank_top_k(list(run), ids, scores, compat=compat)  # type: ignore[arg-type]
            return
        found = judged.rank_top_k(list(run), ids, scores, compat=compat)  # type: ignore[arg-type]
    assert (found.topics, found.ranking.facts.num_rows) == (wanted.topics, wanted.ranking.facts.num_rows)
    assert sorted(found.ranking.unjudged) == sorted(wanted.ranking.unjudged)
    if found.topics:
        assert found.evaluate(MEASURES).to_trec(per_topic=True) == wanted.evaluate(MEASURES).to_trec(
            per_topic=True
        )


@pytest.mark.parametrize(
    ("docno", "number"),
    [
        ("0", 0),
        ("7", 7),
        ("10", 10),
        ("1048583", 1048583),  # whose lowest bits are those of 7
        ("9223372036854775807", 2**63 - 1),
    ],
)
def test_documents_that_are_numbers(docno: str, number: int) -> None:
    qrels = pe.Qrels({"1": {docno: 1, "other": 1}})
    found = qrels.rank_top_k(["1"], np.array([[5, number]]), np.array([[2.0, 1.0]]))
    assert found.evaluate("num_rel_ret")["num_rel_ret"] == 1


@pytest.mark.parametrize(
    "docno", ["007", "-7", "+7", "7 ", "٧", "9223372036854775808", "99999999999999999999"]
)
def test_documents_that_look_like_numbers(docno: str) -> None:
    """What no whole number is written like is not found by one."""
    found = pe.Qrels({"1": {docno: 1, "1": 0}}).rank_top_k(["1"], np.array([[7, 1]]), np.array([[2.0, 1.0]]))
    assert found.evaluate("num_rel_ret")["num_rel_ret"] == 0


def test_tensors_of_torch() -> None:
    """What `topk` gives, by torch's documented methods: not on the host, and with gradients."""

    class Tensor:
        def __init__(self, values: Any, device: str = "cuda", grad: bool = True) -> None:
            self.values, self.device, self.grad = np.asarray(values), device, grad

        def detach(self) -> Tensor:
            return Tensor(self.values, self.device, grad=False)

        def cpu(self) -> Tensor:
            return Tensor(self.values, "cpu", self.grad)

        def __array__(self, dtype: Any = None, copy: Any = None) -> Any:
            if self.device != "cpu":
                raise TypeError("can't convert cuda:0 device type tensor to numpy.")
            if self.grad:
                raise RuntimeError("Can't call numpy() on Tensor that requires grad.")
            return self.values

    ids, scores = [[17, 4], [9, 4]], [[0.9, 0.5], [0.3, 0.1]]
    judged = pe.Qrels({"1": {"17": 1}, "2": {"4": 1}})
    for device in ("cpu", "cuda"):
        found = judged.rank_top_k(["1", "2"], Tensor(ids, device, grad=False), Tensor(scores, device))
        assert found.evaluate("recip_rank")["recip_rank"] == 0.75
