"""Ten-line scripts of five users, checked by mypy --strict and run by the tests."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import numpy as np

import pres_eval as pe
from pres_eval import pytrec_eval


def trainer_callback(
    qrels: dict[str, dict[str, int]], batches: list[dict[str, dict[str, float]]]
) -> list[float]:
    """A reward for each query, and the averages for the log."""
    evaluator = pytrec_eval.RelevanceEvaluator(qrels, {"ndcg_cut.10", "recip_rank"})
    rewards = [row["ndcg_cut_10"] for batch in batches for row in evaluator.evaluate(batch).values()]
    averages = pe.Qrels(qrels).accumulator(["ndcg_cut.10", "recip_rank"])
    for batch in batches:
        averages.update(batch)
    logged: dict[str, float] = averages.compute()
    return [*rewards, *logged.values()]


def notebook(qrels: dict[str, set[str]], run: dict[str, dict[str, float]]) -> dict[str, float]:
    """Judgements of sentence-transformers, and a table of topics."""
    e = pe.evaluate(qrels, run, ["map", "P@5"], complete=True)
    worst = e.topics[int(np.argmin(e.per_topic("map")))]
    print(e, worst, e.to_pandas(), sep="\n")
    return e.to_floats()


def data_engineer(qrels: Path, run: Path, out: Path) -> float:
    """Parquet in, Parquet out."""
    import pyarrow.parquet

    e = pe.evaluate(qrels, run, ["ndcg", "recall@100"], compat="10.0", duplicates="best")
    pyarrow.parquet.write_table(e.to_arrow(), out)
    value: float = e["ndcg"]
    return value


def found_early(batch: pe.Batch, cutoff: int) -> Any:
    """Whether a relevant document is among the first ranks."""
    return batch.relevant_places.within(cutoff) > 0


def custom_measure(qrels: dict[str, dict[str, int]], run: dict[str, dict[str, float]]) -> dict[str, float]:
    """A measure of one's own with two cutoffs."""
    pe.register("found_early", found_early, cutoffs=(1, 5))
    return pe.evaluate(qrels, run, ["found_early@1", "found_early@2"]).to_floats()


def table_of_a_paper(qrels: dict[str, dict[str, int]], runs: dict[str, dict[str, dict[str, float]]]) -> str:
    """LaTeX with marks of significance."""
    found = pe.experiment(qrels, runs, ["map", "ndcg_cut.10"], baseline="bm25", test="t", correction="holm")
    significant = [one.run for one in found if one.significant]
    return found.to_latex(digits=3) + f"% {len(significant)} significant\n"
