"""Other tools' numbers for judgements and a run, beside ours for the measures that are theirs."""

from __future__ import annotations

import csv
import importlib
import importlib.util
import math
import random
import subprocess
import sys
import types
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pres_eval as pe

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]
Subtopics = dict[str, dict[str, dict[str, int]]]
Values = dict[str, float]
Pairs = Iterator[tuple[str, Values, Values]]
"""The name of a measure, our values by topic, and theirs."""


def ours(qrels: Any, run: Run, text: str, **options: Any) -> Values:
    """Our values of one column, by topic."""
    evaluation = pe.evaluate(qrels, run, text, **options)
    (label,) = evaluation.measures
    return dict(zip(evaluation.topics, evaluation.per_topic(label).tolist(), strict=True))


def written(folder: Path, qrels: Qrels, run: Run) -> tuple[str, str]:
    """Both as files of trec_eval's formats."""
    judged = [f"{topic} 0 {doc} {grade}\n" for topic, docs in qrels.items() for doc, grade in docs.items()]
    found = [
        f"{topic} Q0 {doc} {rank} {score} made\n"
        for topic, docs in run.items()
        for rank, (doc, score) in enumerate(docs.items(), 1)
    ]
    (folder / "qrels").write_text("".join(judged), encoding="utf-8")
    (folder / "run").write_text("".join(found), encoding="utf-8")
    return str(folder / "qrels"), str(folder / "run")


def subtopics(qrels: Qrels, run: Run, seed: int) -> tuple[Subtopics, Run]:
    """Judgements of subtopics made of plain ones: each relevant document belongs to one or several."""
    generator = random.Random(seed)
    found: Subtopics = {}
    for topic, grades in qrels.items():
        number = generator.randint(1, 8)
        for doc, grade in grades.items():
            chosen = generator.sample(range(1, number + 1), generator.randint(1, number))
            for subtopic in range(1, number + 1):
                own = grade if subtopic in chosen else 0
                found.setdefault(topic, {}).setdefault(str(subtopic), {})[doc] = own
    return found, run


NDEVAL = {
    **{f"{name}@{k}": f"{name.replace('-', '_')}.{k}" for k in (5, 10, 20)
       for name in ("ERR-IA", "nERR-IA", "alpha-DCG", "alpha-nDCG", "P-IA")},
    **{f"strec@{k}": f"StRecall.{k}" for k in (5, 10, 20)},
    **{"NRBP": "NRBP", "nNRBP": "nNRBP", "MAP-IA": "AP_IA"},
}  # fmt: skip


def ndeval(judged: Subtopics, run: Run, folder: Path, at: str) -> Pairs:
    """The C program's numbers, of six digits."""
    rows = [
        f"{topic} {subtopic} {doc} {grade}\n"
        for topic, parts in judged.items()
        for subtopic, docs in parts.items()
        for doc, grade in docs.items()
    ]
    _, run_path = written(folder, {}, run)
    (folder / "subtopics").write_text("".join(rows), encoding="utf-8")
    command = [at, "-traditional", str(folder / "subtopics"), run_path]
    printed = subprocess.run(command, check=True, capture_output=True, text=True).stdout
    table = [row for row in csv.DictReader(printed.splitlines()) if row["topic"] != "amean"]
    for theirs, text in NDEVAL.items():
        values = ours(str(folder / "subtopics"), run, text, form="subtopics")
        yield text, values, {row["topic"]: float(row[theirs]) for row in table}


CWL = {
    "BPM(T={T},max_rel={top})@{k}": "bpm.{k},T={T},max_rel={top}",
    "BPM(T={T},min_rel=1,max_rel={top})@{k}": "bpm.{k},T={T},min_rel=1,max_rel={top}",
    "SDCG(max_rel={top})@{k}": "sdcg.{k},max_rel={top}",
    "INSQ(T={T},max_rel={top})": "insq.T={T},max_rel={top}",
    "INST(T={T},max_rel={top})": "inst.T={T},max_rel={top}",
    "NERR8(max_rel={top})@{k}": "nerr8.{k},max_rel={top}",
    "NERR9(max_rel={top})@{k}": "nerr9.{k},max_rel={top}",
    "NERR10(p={p},max_rel={top})": "nerr10.p={p},max_rel={top}",
    "NERR11(T={T},max_rel={top})": "nerr11.T={T},max_rel={top}",
}


def cwl(qrels: Qrels, run: Run, folder: Path, at: str | None) -> Pairs:
    """cwl_eval's numbers, which ir_measures hands on."""
    measures = importlib.import_module("ir_measures")
    for settings in ({"T": 1.0, "p": 0.9, "k": 10, "top": 3}, {"T": 2.5, "p": 0.5, "k": 20, "top": 4}):
        for theirs, text in CWL.items():
            measure = measures.parse_measure(theirs.format(**settings))
            found = {one.query_id: one.value for one in measures.cwl_eval.iter_calc([measure], qrels, run)}
            yield text.partition(".")[0], ours(qrels, run, text.format(**settings)), found


def compatibility(qrels: Qrels, run: Run, folder: Path, at: str) -> Pairs:
    """compatibility.py's numbers."""
    paths = written(folder, qrels, run)
    for p in (0.95, 0.8):
        printed = subprocess.run(
            [sys.executable, at, "-p", str(p), *paths], check=True, capture_output=True, text=True
        ).stdout
        found = {row["topic"]: float(row["compatibility"]) for row in csv.DictReader(printed.splitlines())}
        yield f"compat.depth=1000,p={p}", ours(qrels, run, f"compat.depth=1000,p={p}"), found


def _stubs(*names: str) -> None:
    """Modules that a tool imports and does not need for its measures."""
    for name in names:
        try:
            importlib.import_module(name)
        except ImportError:
            module: Any = types.ModuleType(name)
            module.metrics = module.NearestNeighbors = module.BeautifulSoup = module.etree = None
            sys.modules[name] = module


def _calls_of_trectools(tool: Any, other: Any, ties: bool) -> Iterator[tuple[str, Any]]:
    """The measure of ours, and trectools' table of it."""
    every: dict[str, Any] = {"depth": 10000, "per_query": True}
    yield "rbp_binary.p=0.8", tool.get_rbp(p=0.8, **every)[0]
    yield "urbp.p=0.8", tool.get_urbp(other, p=0.8, **every)
    yield "urbp_graded.p=0.9", tool.get_urbp(other, p=0.9, binary_topical_relevance=False, **every)
    if ties:
        return
    yield "map", tool.get_map(**every)
    yield "recip_rank", tool.get_reciprocal_rank(**every)
    yield "bpref", tool.get_bpref(**every)
    yield "ubpref", tool.get_ubpref(other, **every)
    for k in (5, 10, 100):
        first: dict[str, Any] = {"depth": k, "per_query": True}
        yield f"P.{k}", tool.get_precision(**first)
        yield f"recall.{k}", tool.get_recall(**first)
        yield f"map_cut.{k}", tool.get_map(**first)
        yield f"ndcg_cut.{k}", tool.get_ndcg(**first)
        yield f"ndcg_exp_cut.{k}", tool.get_ndcg(trec_eval=False, **first)
        yield f"unj.{k}", tool.get_unjudged(**first)


def trectools(qrels: Qrels, run: Run, folder: Path, at: str) -> Pairs:
    """trectools' numbers, those in which ties are averaged among them; nan is what it has no number for."""
    if at not in sys.path:
        _stubs("sklearn", "sklearn.neighbors", "sarge", "lxml", "bs4")
        sys.path.append(at)
    tools: Any = importlib.import_module("trectools")
    generator = random.Random(len(run))
    scores = {
        topic: {doc: round(generator.random(), 3) for doc in {**docs, **run[topic]}}
        for topic, docs in qrels.items()
    }
    rows = [f"{topic} 0 {doc} {value}\n" for topic, docs in scores.items() for doc, value in docs.items()]
    (folder / "scores").write_text("".join(rows), encoding="utf-8")
    tied = {topic: {doc: score // 4 for doc, score in docs.items()} for topic, docs in run.items()}
    for given, ties in ((run, "docno"), (tied, "expected")):
        qrels_path, run_path = written(folder, qrels, given)
        tool = tools.TrecEval(tools.TrecRun(run_path), tools.TrecQrel(qrels_path))
        other = tools.TrecQrel(str(folder / "scores"))
        for text, table in _calls_of_trectools(tool, other, ties == "expected"):
            found = {str(topic): float(value) for topic, value in table.iloc[:, 0].items()}
            found = {topic: value for topic, value in found.items() if not math.isnan(value)}
            name = text if ties == "docno" else f"{text} (ties)"
            yield name, ours(qrels, given, text, ties=ties, document_scores=scores, compat="10.0"), found


def asreview(qrels: Qrels, run: Run, folder: Path, at: str) -> Pairs:
    """asreview-insights' numbers for a simulation in which the run's documents are all that there are."""
    if at not in sys.path:
        _stubs("asreview", "asreviewcontrib.insights.utils")
        sys.modules["asreviewcontrib.insights.utils"].get_simulation_labels = None  # type: ignore[attr-defined]
        sys.path.append(at)
    metrics: Any = importlib.import_module("asreviewcontrib.insights.metrics")
    algorithms: Any = importlib.import_module("asreviewcontrib.insights.algorithms")
    for topic, found in run.items():
        ranked = sorted(found, key=lambda doc: -found[doc])
        labels = [int(qrels[topic].get(doc, 0) > 0) for doc in ranked]
        size, relevant = len(labels), sum(labels)
        if not 0 < relevant < size:
            continue
        yield from _of_simulation(topic, dict(zip(ranked, labels, strict=True)), found, metrics, algorithms)


def _of_simulation(
    topic: str, judged: dict[str, int], found: dict[str, float], metrics: Any, algorithms: Any
) -> Pairs:
    """The numbers of one topic, whose documents are in rank order."""
    labels = list(judged.values())
    size, relevant = len(labels), sum(labels)

    def both(name: str, text: str, theirs: float, **options: Any) -> tuple[str, Values, Values]:
        return name, ours({topic: judged}, {topic: found}, text, **options), {topic: theirs}

    rank = metrics._time_to_discovery(list(judged), labels)
    yield both("atd", "atd", metrics._average_time_to_discovery(rank))
    yield both("Rnorm = 1 - loss", "Rnorm", 1.0 - algorithms._loss_value(labels), num_docs=size)
    yield both("loss", "loss", algorithms._loss_value(labels))
    for number in {1, (relevant + 1) // 2, relevant}:
        # Its tnr rounds this to six digits.
        theirs = algorithms._tn_values(labels)[1][number - 1] / (size - relevant)
        yield both("tnr", f"tnr.{100 * number / relevant!r}%", theirs)
    for share in (0.1, 0.25, 0.5, 0.75, 0.9):
        # Theirs is at the last rank that is not above the share.
        last = max((rank for rank in range(1, size + 1) if rank / size <= share), default=0)
        if last:
            yield both("recall_k = recall", f"recall.{last}", metrics._recall(labels, share))
    # In theirs a random order has all n documents where their rounded number is n: before the last rank.
    step = relevant / (size - 1)
    all_found = next(place for place in range(size) if round(place * step) >= relevant)
    earlier = (size - 1 - all_found) / size
    yield both("wss_100 = wss + rounding", "wss.100", metrics._wss(labels, 1.0) + earlier)


RANX = {
    "hits": "hits", "hit_rate": "success", "precision": "P", "recall": "recall", "f1": "F_cut.1,",
    "mrr": "recip_rank_cut", "map": "map_cut", "dcg": "dcg_cut", "dcg_burges": "dcg_exp_cut",
    "ndcg": "ndcg_cut", "ndcg_burges": "ndcg_exp_cut",
}  # fmt: skip


def ranx(qrels: Qrels, run: Run, folder: Path, at: str | None) -> Pairs:
    """ranx' numbers."""
    tool: Any = importlib.import_module("ranx")
    texts = {
        f"{theirs}@{k}": f"{text}{k}" if text.endswith(",") else f"{text}.{k}"
        for theirs, text in RANX.items()
        for k in (1, 5, 10, 100)
    }
    texts |= {"map": "map", "mrr": "recip_rank", "r-precision": "Rprec", "bpref": "bpref"}
    # It adds up grades as they are: as urbp_graded does where each document's own score is 1.
    texts |= {f"rbp.{p}": f"urbp_graded.p=0.{p}" for p in (50, 80, 95)}
    ones = {topic: dict.fromkeys(docs, 1.0) for topic, docs in qrels.items()}
    # ranx takes what is judged as relevant whatever its grade, except bpref.
    positive = {
        topic: {doc: grade for doc, grade in docs.items() if grade > 0} for topic, docs in qrels.items()
    }
    for judged, chosen in ((positive, [name for name in texts if name != "bpref"]), (qrels, ["bpref"])):
        there = {topic: docs for topic, docs in judged.items() if docs}
        ranked = tool.Run({topic: run[topic] for topic in there})
        tool.evaluate(tool.Qrels(there), ranked, chosen, make_comparable=True)
        for theirs in chosen:
            yield (
                f"{theirs.partition('@')[0]} = {texts[theirs].partition('.')[0]}",
                ours(qrels, run, texts[theirs], document_scores=ones),
                dict(ranked.scores[theirs]),
            )


def real_subtopics(qrels_path: str, run_path: str) -> tuple[Subtopics, Run]:
    """Judgements of subtopics and a run from files; scores as trec_eval orders them, without ties."""
    judged: Subtopics = {}
    scored: dict[str, list[tuple[float, str]]] = {}
    for line in Path(qrels_path).read_text(encoding="utf-8").splitlines():
        topic, subtopic, doc, grade = line.split()
        judged.setdefault(topic, {}).setdefault(subtopic, {})[doc] = int(grade)
    for line in Path(run_path).read_text(encoding="utf-8").splitlines():
        topic, _, doc, _, score, *_ = line.split()
        scored.setdefault(topic, []).append((float(score), doc))
    run = {
        topic: {doc: float(-place) for place, (_, doc) in enumerate(sorted(found, reverse=True))}
        for topic, found in scored.items()
        if topic in judged
    }
    return judged, run
