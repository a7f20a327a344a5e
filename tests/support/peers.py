"""Judgements and runs as dictionaries, as our peers take them, and our numbers for them."""

from __future__ import annotations

import random
from pathlib import Path

from conftest import ROOT

from pres_eval.measures.selection import select
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import read_qrels
from pres_eval.scoring import ScoredRun, evaluate

Qrels = dict[str, dict[str, int]]
Run = dict[str, dict[str, float]]


def made(seed: int, ties: bool = False) -> tuple[Qrels, Run]:
    """Seeded judgements and a run over the same topics; without ties unless wanted, in 32 bits too."""
    generator = random.Random(seed)
    qrels: Qrels = {}
    run: Run = {}
    for topic in range(1, 9):
        documents = [f"d{number}" for number in range(60)]
        judged = generator.sample(documents, generator.randint(3, 40))
        qrels[f"{topic}"] = {document: generator.choice([0, 0, 1, 1, 2, 3]) for document in judged}
        qrels[f"{topic}"][judged[0]] = 1
        retrieved = generator.sample(documents, generator.randint(1, 50))
        scores = generator.sample(range(1000), len(retrieved))
        divisor = 100 if ties else 1
        run[f"{topic}"] = {doc: float(score // divisor) for doc, score in zip(retrieved, scores, strict=True)}
    return qrels, run


def patents() -> tuple[Qrels, Run]:
    """The fixtures' judgements and a run of them, as dictionaries."""
    qrels: Qrels = {}
    run: Run = {}
    folder = ROOT / "fixtures" / "patents"
    for line in (folder / "qrels.txt").read_text(encoding="utf-8").splitlines():
        topic, _, document, grade = line.split()
        qrels.setdefault(topic, {})[document] = int(grade)
    for line in (folder / "run_broad.txt").read_text(encoding="utf-8").splitlines():
        topic, _, document, _, score, _ = line.split()
        run.setdefault(topic, {})[document] = float(score)
    return qrels, run


def evaluated(
    qrels: Qrels, run: Run, texts: list[str], folder: Path, options: Options | None = None
) -> ScoredRun:
    """Our numbers, unrounded."""
    lines = [f"{topic} 0 {doc} {grade}\n" for topic, docs in qrels.items() for doc, grade in docs.items()]
    (folder / "qrels").write_text("".join(lines), encoding="utf-8")
    lines = [
        f"{topic} Q0 {doc} 0 {score!r} t\n" for topic, docs in run.items() for doc, score in docs.items()
    ]
    (folder / "run").write_text("".join(lines), encoding="utf-8")
    judgements = read_qrels(File(str(folder / "qrels")))
    options = options or Options()
    ranking = read_run(File(str(folder / "run")), judgements, options)
    return evaluate(judgements, ranking, select(texts, options), options)


def by_topic(evaluation: ScoredRun, label: str) -> dict[str, float]:
    values = evaluation.by_label(label).tolist()
    return {topic.decode(): value for topic, value in zip(evaluation.topics, values, strict=True)}
