"""What a user writes: fifteen short uses of the library, run and type-checked by the tests."""

from __future__ import annotations

import pickle
import tempfile
import warnings
from pathlib import Path

import numpy as np
import numpy.typing as npt

import pres_eval as pe
from pres_eval import pytrec_eval

qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 2}, "3": {"a": 1}}
run = {"1": {"b": 0.9, "a": 0.5}, "2": {"c": 0.4, "d": 0.3}, "3": {"a": 1.0}}

# 1. Dicts in, one number out.
mean: float = pe.evaluate(qrels, run, "map")["map"]
assert mean == (0.5 + 1 + 1) / 3

# 2. Several measures, by label or as asked for.
evaluation: pe.Evaluation = pe.evaluate(qrels, run, ["map", "PRES@100", "nDCG@10"])
assert evaluation["PRES@100"] == evaluation["PRES_100"] == evaluation.summary["PRES_100"]

# 3. Values by topic.
values: npt.NDArray[np.float64] = evaluation.per_topic("map")
assert dict(zip(evaluation.topics, values.tolist(), strict=True)) == {"1": 0.5, "2": 1.0, "3": 1.0}

# 4. Files, by path or opened.
with tempfile.TemporaryDirectory() as name:
    folder = Path(name)
    (folder / "qrels").write_text("1 0 a 1\n2 0 c 1\n")
    (folder / "run").write_text("1 Q0 a 1 0.9 t\n2 Q0 c 1 0.8 t\n")
    assert pe.evaluate(folder / "qrels", folder / "run", "map")["map"] == 1.0
    with (folder / "run").open() as stream:
        assert pe.evaluate(str(folder / "qrels"), stream, "map").tag == "t"

# 5. Rows of topic, document and value.
rows = [("1", "a", 0.9), ("2", "c", 0.8), ("3", "x", 0.7), ("3", "a", 0.6)]
assert pe.evaluate(qrels, rows, "recip_rank").per_topic("recip_rank").tolist() == [1.0, 1.0, 0.5]

# 6. Columns; pandas, polars and Arrow tables go the same way.
columns = {"qid": ["1", "2"], "docno": ["a", "c"], "score": [1.0, 2.0]}
assert pe.evaluate(qrels, columns, "P.1", topic="1")["P_1"] == 1.0

# 7. Options have the names of what they do.
with warnings.catch_warnings(record=True) as caught:
    warnings.simplefilter("always")
    assert pe.evaluate(qrels, {"1": {"a": 1.0}}, "map", complete=True)["map"] == 1 / 3
    assert pe.evaluate(qrels, {"1": {"a": 1.0}}, "map")["map"] == 1.0
assert ["complete" in str(one.message) or "-c" in str(one.message) for one in caught] == [True]

# 8. Read judgements once, for many runs.
judged = pe.Qrels(qrels)
assert [judged.rank({"1": {"a": score, "b": 0.5}}).topics for score in (0.1, 0.9)] == [["1"], ["1"]]

# 9. Rank once, evaluate many times.
ranked: pe.Run = judged.rank(run)
assert [ranked.evaluate("map", level=level)["map"] for level in (1, 2)] == [mean, 1 / 3]

# 10. The arrays of a vector search.
ids, scores = np.array([[17, 4], [9, -1]]), np.array([[0.9, 0.5], [0.3, 0.0]], np.float32)
numbers = pe.Qrels([(1, 17, 1), (2, 9, 1)])
assert numbers.rank_top_k([1, 2], ids, scores).evaluate("success.1")["success_1"] == 1.0

# 11. trec_eval's lines, JSON, dicts.
assert evaluation.to_trec().startswith(b"map                   \tall\t0.8333\n")
assert evaluation.to_dict()["1"]["map"] == 0.5
assert '"label": "PRES_100"' in evaluation.to_json()

# 12. Which run is better?
many = pe.Qrels({str(topic): {"a": 1} for topic in range(10)})
good = many.rank({str(topic): {"a": 2.0, "b": 1.0} for topic in range(10)}, name="good").evaluate("map")
poor = many.rank({str(topic): {"a": 1.0, "b": 2.0} for topic in range(10)}, name="poor").evaluate("map")
[comparison] = pe.compare([good, poor], baseline=good, measure="map")
assert comparison.run == "poor" and comparison.significant


# 13. A measure of one's own.
def found_any(batch: pe.Batch) -> npt.NDArray[np.float64]:
    """Whether a relevant document was retrieved at all."""
    return (batch.num_rel_ret > 0).astype(np.float64)


own: pe.Measure = pe.register("found_any", found_any)
assert pe.evaluate(qrels, run, ["map", "found_any"])["found_any"] == 1.0

# 14. What goes wrong is an exception that says what to do.
try:
    pe.evaluate(qrels, run, "mapp")
except pe.PresEvalError as error:
    assert "did you mean map" in str(error)

# 15. Results travel between processes; code for pytrec_eval needs another import only.
assert pickle.loads(pickle.dumps(evaluation)).summary == evaluation.summary
assert pytrec_eval.RelevanceEvaluator(qrels, {"map"}).evaluate(run)["1"] == {"map": 0.5}
