"""Calls of the evaluator and twelve commands on small files; what they print does not depend on the form."""

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


def measures(names: str) -> tuple[str, ...]:
    """Return the words that ask for measures."""
    return tuple(word for name in names.split() for word in ("-m", name))


EVERY = measures(
    "all_trec PRES Rnorm Fprime map_ret hits F_cut dcg_cut dcg_exp_cut ndcg_exp_cut ndcg_gain_cut accuracy"
    " rbp rbp_cut rbp_graded_cut rbp_binary err sdcg bpm insq inst wss last_rel norm_last_rel"
    " recall_at_percent norm_area atd read_for_recall share_for_recall tnr erf recall_at loss wss_asreview"
    " total_cost loss_er q_measure q_measure_cut ncg nerr o_measure irbu nerr8 nerr11 judged unj compat"
)
SUBTOPICS = measures(
    "alpha_DCG alpha_nDCG ERR_IA nERR_IA NRBP nNRBP AP_IA P_IA StRecall facet_recall D_nDCG D_Q Dsharp_nDCG"
)
STRATA = measures("xinfAP infNDCG iP irecall inum_rel_ret inum_rel statAP stat_num_rel")

CALLS = {
    "evaluate": ("-q", "-m", "all_trec", "-m", "PRES", "qrels", *RUNS),
    "evaluate, complete": ("-q", "-c", "-m", "official", *GROUPED, "qrels", *RUNS),
    "evaluate, judged alone": ("-q", "-J", "-M", "8", "-l", "2", "-m", "map", "-m", "ndcg", "qrels", *RUNS),
    "evaluate, 10.0": ("-q", "--compat", "10.0", "-m", "official", "-m", "rbp", "qrels", *RUNS),
    "evaluate, every measure": (
        "-q",
        *EVERY,
        "-m",
        "PRES_budget",
        "-N",
        "50",
        "--nmax-file",
        "nmax",
        "qrels",
        *RUNS,
    ),
    "evaluate, with sizes": ("-q", *EVERY, "--size-file", "sizes", "--empty", "zero", "qrels", *RUNS),
    "evaluate, expected values": ("-q", "--ties", "expected", "-m", "all_trec", "qrels", *RUNS),
    "evaluate, best order": ("-q", "--ties", "best", "-m", "all_trec", "qrels", *RUNS),
    "evaluate, mapped": (
        *("-q", "--map-docs", "families", "--exclude", "excluded", *EVERY, "-N", "50", "qrels", *RUNS),
    ),
    "evaluate, scores of documents": (
        *("-q", "-m", "urbp", "-m", "urbp_graded", "-m", "ubpref", "--document-scores", "scores"),
        *("qrels", *RUNS),
    ),
    "preferences": ("-q", "-R", "qrels_prefs", "-m", "all_prefs", "preferences", *RUNS),
    "judgement groups": ("-q", "-R", "qrels_jg", "-m", "qrels_jg", "jg", *RUNS),
    "subtopics": ("-q", "-R", "subtopics", *SUBTOPICS, "subtopics", *RUNS),
    "strata": ("-q", "-R", "strata", *STRATA, "strata", *RUNS),
    "gates": (
        "-c",
        "--fail-under",
        "map=0",
        "--fail-under",
        "P.5=0",
        "-m",
        "map",
        "-m",
        "P.5",
        "qrels",
        *RUNS,
    ),
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
    """Write judgements, runs and files of options; each name becomes what it is in these dicts."""
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
    Path("nmax").write_text("".join(f"{topics[one]} {number}\n" for number, one in enumerate(TOPICS, 4)))
    Path("sizes").write_text("".join(f"{topics[one]} {number}\n" for number, one in enumerate(TOPICS, 40)))
    families = [f"{documents[one]} family{number // 2}\n" for number, one in enumerate(DOCUMENTS)]
    Path("families").write_text("".join(families))
    Path("excluded").write_text("".join(f"{topics[one]} {documents[DOCUMENTS[4]]}\n" for one in TOPICS[:3]))
    Path("scores").write_text(
        "".join(
            f"{topics[topic]} 0 {documents[one]} 0.{number}\n"
            for topic in TOPICS
            for number, one in enumerate(DOCUMENTS)
        )
    )
    _write_other_judgements(topics, documents)
    Path("stops").write_text("".join(f"{topics[one]} {number}\n" for number, one in enumerate(TOPICS, 3)))


def _write_other_judgements(topics: dict[str, str], documents: dict[str, str]) -> None:
    """Write judgements by groups of assessors, preferences, of subtopics, and of samples from strata."""
    chance = random.Random(6)
    lines: dict[str, list[str]] = {"jg": [], "preferences": [], "subtopics": [], "strata": []}
    for topic in TOPICS:
        for number, docno in enumerate(chance.sample(DOCUMENTS, 9)):
            begin, document = topics[topic], documents[docno]
            lines["preferences"].append(f"{begin} 0 {document} {chance.randint(0, 3)}\n")
            for group in ("first", "second"):
                lines["jg"].append(f"{begin} {group} {document} {chance.randint(0, 2)}\n")
            for subtopic in chance.sample("abc", 2):
                lines["subtopics"].append(f"{begin} {subtopic} {document} {chance.randint(0, 1)}\n")
            lines["strata"].append(f"{begin} 0 {document} {number % 2 + 1} {chance.randint(-1, 2)}\n")
    for path, of_file in lines.items():
        Path(path).write_text("".join(of_file))


NOT_ALIKE = {"sha256", "judgements", "tau_union_by_docno", "fractions", "samples"}
"""Digests, orders by docno, and what is drawn at random, topic after topic."""


def without_order(value: Any) -> Any:
    """Return JSON with its lists sorted, since topics come in byte order, and floats without last digits."""
    if isinstance(value, dict):
        return {key: without_order(value[key]) for key in sorted(value) if key not in NOT_ALIKE}
    if isinstance(value, list):
        return sorted((without_order(one) for one in value), key=json.dumps)
    return float(f"{value:.9g}") if isinstance(value, float) else value
