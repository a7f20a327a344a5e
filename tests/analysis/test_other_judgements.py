"""Could other judgements put another run first: beside all judgements of a few documents."""

from __future__ import annotations

import random
from itertools import product
from pathlib import Path

import pytest

import pres_eval
from pres_eval.analysis.other_judgements import try_other_judgements
from pres_eval.measures.selection import select
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import read_qrels
from pres_eval.reading.run_files import run_at

TOPICS = ("1", "2")


def random_lists(rng: random.Random) -> dict[str, list[str]]:
    """Return a ranked list for each topic, of up to four of six documents."""
    return {topic: rng.sample("abcdef", rng.randint(1, 4)) for topic in TOPICS}


def means_under_all_judgements(
    judged: dict[str, dict[str, int]], best: dict[str, list[str]], rival: dict[str, list[str]], measure: str
) -> float:
    """Return the largest lead of the rival over all grades, 0 or 1, of documents that nobody judged."""
    free = []
    for topic in TOPICS:
        retrieved = {*best[topic], *rival[topic]}
        free += [(topic, document) for document in sorted(retrieved - judged[topic].keys())]
    scored = []
    for lists in (best, rival):
        scored.append({topic: {d: -float(i) for i, d in enumerate(lists[topic])} for topic in TOPICS})
    largest = -9.0
    for grades in product((0, 1), repeat=len(free)):
        qrels = {topic: dict(by_document) for topic, by_document in judged.items()}
        for (topic, document), grade in zip(free, grades, strict=True):
            qrels[topic][document] = grade
        evaluations = [pres_eval.evaluate(qrels, run, measures=[measure]) for run in scored]
        value_of_best, value_of_rival = (float(evaluation[measure]) for evaluation in evaluations)
        largest = max(largest, value_of_rival - value_of_best)
    return largest


@pytest.mark.parametrize("measure", ["P_3", "num_rel_ret"])
@pytest.mark.parametrize("seed", range(4))
def test_the_largest_lead_is_that_over_all_judgements(tmp_path: Path, measure: str, seed: int) -> None:
    rng = random.Random(seed)
    judged = {topic: {document: rng.randint(0, 1) for document in "abc"} for topic in TOPICS}
    best, rival = random_lists(rng), random_lists(rng)
    (tmp_path / "qrels").write_text(
        "".join(f"{topic} 0 {d} {grade}\n" for topic in TOPICS for d, grade in judged[topic].items())
    )
    for name, lists in (("best", best), ("rival", rival)):
        (tmp_path / name).write_text(
            "".join(f"{t} Q0 {d} {i} {9 - i} {name}\n" for t in TOPICS for i, d in enumerate(lists[t], 1))
        )
    qrels = read_qrels(File(str(tmp_path / "qrels")))
    runs = [run_at(str(tmp_path / name)) for name in ("best", "rival")]
    (column,) = select([measure.replace("_3", ".3")], Options())
    tried = try_other_judgements(
        qrels, runs, [read_run(run, qrels) for run in runs], 0, [1], column, Options()
    )
    assert tried is not None and tried.is_proof and tried.nearest == 1
    expected = means_under_all_judgements(judged, best, rival, measure)
    assert tried.value_of_rival - tried.value_of_best == pytest.approx(expected)
    assert tried.better == (expected > 1e-9)
