"""A call of each command, on files that are written for it, whose output does not depend on their form."""

from __future__ import annotations

import json
import random
from pathlib import Path
from typing import Any

TOPICS = ("q9", "q10", "q11", "q2", "q100", "q1")
DOCUMENTS = tuple(f"d{number}" for number in range(1, 15))
OTHER_TOPICS = dict(zip(TOPICS, ("qb9", "qf", "qaaaa", "qe11", "qc", "qd0"), strict=True))
OTHER_DOCUMENTS = {document: f"d{'z' * (15 - len(document))}{document[::-1]}" for document in DOCUMENTS}
UNCHANGED = {name: name for name in (*TOPICS, *DOCUMENTS)}
RUNS = ("one.run", "two.run", "three.run")
GROUPED = ("--groups", "groups", "--weights", "weights")

CALLS = {
    "evaluate": ("-q", "-m", "all_trec", "-m", "PRES", "qrels", *RUNS),
    "evaluate, complete": ("-q", "-c", "-m", "official", *GROUPED, "qrels", *RUNS),
    "evaluate, judged alone": ("-q", "-J", "-M", "8", "-l", "2", "-m", "map", "-m", "ndcg", "qrels", *RUNS),
    "evaluate, 10.0": ("-q", "--compat", "10.0", "-m", "official", "-m", "rbp", "qrels", *RUNS),
    "bounds": ("-q", "--bounds", "-m", "map", "-m", "P.5", "qrels", *RUNS),
    "agreement": ("agreement", "-m", "map", "-m", "P.5", "-m", "ndcg", "qrels", *RUNS),
    "compare": ("compare", "-m", "map", "-m", "P.5", "--per-topic", "--weights", "weights", "qrels", *RUNS),
    "all pairs": ("compare", "-m", "ndcg", "--all-pairs", "--topics", "all", "qrels", *RUNS),
    "signed ranks": ("compare", "-m", "ndcg", "--test", "wilcoxon", "qrels", *RUNS),
    "explain": ("explain", "--nmax", "10", "--max", "0", "qrels", RUNS[2]),
    "holes": ("holes", "--depth", "9", "--documents", "qrels", *RUNS),
    "judges": ("judges", "qrels", "other qrels", *RUNS[:2], "-m", "map"),
    "overlap": ("overlap", "-q", "--changes", *RUNS[:2]),
    "pool": ("pool", "--depth", "5", *RUNS),
    "report": ("report", "-m", "map", "-m", "P.5", "qrels", *RUNS),
    "replicate": ("replicate", "-q", "-m", "map", "qrels", *RUNS[:2], *RUNS[1:]),
    "robustness": ("robustness", "--leave-out", "run", "--depths", "1,3", "-m", "map", "qrels", *RUNS),
    "stopping": ("stopping", "-q", "--stops", "stops", "qrels", *RUNS),
    "sweep": ("sweep", "-m", "PRES", "--nmax", "5,10", "qrels", *RUNS),
}


def write_files(topics: dict[str, str], documents: dict[str, str]) -> None:
    """Write judgements, runs, groups, weights and stops; each name becomes what it is in these dicts."""
    chance = random.Random(5)
    for path in ("qrels", "other qrels"):
        lines = []
        for topic in TOPICS:
            judged = chance.sample(DOCUMENTS, chance.randint(6, 12))
            lines += [f"{topics[topic]} 0 {documents[one]} {chance.randint(0, 2)}\n" for one in judged]
        Path(path).write_text("".join(lines))
    for path in RUNS:
        lines = []
        for topic in TOPICS[: 6 if path == RUNS[0] else 5]:
            scores = chance.sample(range(100), 14)
            for document, score in zip(DOCUMENTS[: chance.randint(9, 14)], scores, strict=False):
                lines.append(f"{topics[topic]} Q0 {documents[document]} 1 {score} {path.partition('.')[0]}\n")
        Path(path).write_text("".join(lines))
    sides = ("left", "left", "right", "left", "right", "right")
    Path("groups").write_text(
        "".join(f"{topics[one]} {side}\n" for one, side in zip(TOPICS, sides, strict=True))
    )
    Path("weights").write_text("".join(f"{topics[one]} {3 + len(one)}\n" for one in TOPICS))
    Path("stops").write_text("".join(f"{topics[one]} {number}\n" for number, one in enumerate(TOPICS, 3)))


NOT_ALIKE = {"sha256", "judgements", "tau_union_by_docno", "fractions", "samples"}
"""Digests, orders by docno, and what is drawn at random, topic after topic."""


def without_order(value: Any) -> Any:
    """Return JSON with its lists sorted, since topics come in byte order, and floats without last digits."""
    if isinstance(value, dict):
        return {key: without_order(value[key]) for key in sorted(value) if key not in NOT_ALIKE}
    if isinstance(value, list):
        return sorted((without_order(one) for one in value), key=json.dumps)
    return float(f"{value:.9g}") if isinstance(value, float) else value
