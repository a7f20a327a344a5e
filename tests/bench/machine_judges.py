"""How often corrected intervals hold the truth, with planted judges that are right 70, 85 and 95 % of times.

    python tests/bench/machine_judges.py QRELS RUN [RUN ...] --trials 1000

People judged 30 topics drawn by chance; the truth is the mean over all topics by their judgements.  The
planted judge takes relevant documents for relevant with its accuracy, and others with a tenth of what it
lacks; a biased one is that good for the first run's first 20 documents, and misses twice as many of others.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from pres_eval.analysis import student
from pres_eval.analysis.paired import PairedScores, pair_topics
from pres_eval.analysis.pooling import first_documents
from pres_eval.analysis.prediction_powered import TwoJudges, favoured, powered_means
from pres_eval.arrays.types import BoolArray, FloatArray
from pres_eval.measures.selection import select
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.qrels import QrelsJudgements, read_qrels
from pres_eval.reading.source import Source
from pres_eval.scoring import evaluate

MEASURES = ("map", "P.10", "PRES.1000")
PEOPLE = 30


def scores_of(qrels: QrelsJudgements, runs: list[str]) -> PairedScores:
    """Evaluate the runs."""
    options = Options(complete=True)
    selection = select(MEASURES, options)
    found = [evaluate(qrels, read_run(Source(run), qrels, options), selection, options) for run in runs]
    return pair_topics(found, runs, tuple(qrels.pool.topics))


def planted(
    qrels: QrelsJudgements, accuracy: float, liked: BoolArray, rng: np.random.Generator
) -> QrelsJudgements:
    """Return what a judge of this accuracy says; of documents that it does not favour it misses more."""
    relevant = qrels.grade > 0
    missed = np.minimum((1 - accuracy) * np.where(liked, 1.0, 2.0), 1.0)
    chance = np.where(relevant, 1 - missed, (1 - accuracy) / 10)
    grade = (rng.random(len(relevant)) < chance).astype(np.int8)
    return QrelsJudgements(qrels.name, qrels.pool, grade, qrels.duplicates)


def held(people: FloatArray, machine: FloatArray, rng: np.random.Generator, trials: int) -> list[float]:
    """Return shares of intervals that hold the truth, corrected and people's alone, and their mean widths."""
    truth, topics, t = people.mean(axis=1), people.shape[1], student.quantile(0.05, PEOPLE - 1)
    found = np.zeros(4)
    for _ in range(trials):
        order = rng.permutation(topics)
        known, rest = order[:PEOPLE], order[PEOPLE:]
        powered = powered_means(people[:, known], machine[:, known], machine[:, rest])
        alone = people[:, known].std(axis=1, ddof=1) / math.sqrt(PEOPLE)
        found += [
            np.mean(np.abs(powered.mean - truth) <= t * powered.error),
            np.mean(np.abs(people[:, known].mean(axis=1) - truth) <= t * alone),
            2 * t * powered.error.mean(),
            2 * t * alone.mean(),
        ]
    return [float(each) for each in found / trials]


def accusations(
    people: PairedScores, machine: PairedScores, own: str, rng: np.random.Generator
) -> list[bool]:
    """Return whether warnings name the first run, and whether another, of topics drawn by chance."""
    rows = rng.permutation(len(people.topics))[:PEOPLE]
    judges = TwoJudges(people.on(rows), machine.on(rows), (), np.zeros((len(MEASURES), len(people.runs), 0)))
    accused = {one.group for one in favoured(judges, {run: [at] for at, run in enumerate(people.runs)})}
    return [own in accused, bool(accused - {own})]


def print_accusations(
    qrels: QrelsJudgements, people: PairedScores, own: BoolArray, rng: np.random.Generator, trials: int
) -> None:
    """Print how often a judge is said to favour the first run, or another: a fair one, and one that does.

    The lenient one takes 8 % of all documents for relevant; the one that favours, 30 % of the first run's
    first 20 documents.
    """
    print("accuracy judge    the first run  another")
    for accuracy in (0.7, 0.85, 0.95):
        for name, chance in (("fair", 0.0 * own), ("lenient", 0.08 + 0.0 * own), ("own", 0.3 * own)):
            found = []
            for _ in range(12):
                fair = planted(qrels, accuracy, np.ones(len(own), np.bool_), rng)
                grade = np.where(rng.random(len(own)) < chance, 1, fair.grade).astype(np.int8)
                judged = QrelsJudgements(qrels.name, qrels.pool, grade, qrels.duplicates)
                machine = scores_of(judged, list(people.runs))
                found += [accusations(people, machine, people.runs[0], rng) for _ in range(trials // 12)]
            first, another = np.mean(found, axis=0)
            print(f"{accuracy:8} {name:8} {first:13.1%} {another:8.1%}")


def main() -> None:
    """Print for each accuracy, measure and kind of judge how often intervals hold, and how wide they are."""
    parser = argparse.ArgumentParser()
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--trials", type=int, default=1000)
    said = parser.parse_args()
    rng = np.random.default_rng(1)
    qrels = read_qrels(Source(said.qrels))
    first = set(first_documents(said.runs[0], depth=20).pairs())
    topics = list(qrels.pool.topics)
    own = np.array(
        [
            (topics[topic], document) in first
            for topic, document in zip(qrels.pool.topic_of.tolist(), qrels.pool.documents, strict=True)
        ]
    )
    people = scores_of(qrels, said.runs)
    pairs = np.triu_indices(len(said.runs), 1)
    print_accusations(qrels, people, own, rng, said.trials)
    print("accuracy judge  measure    of        corrected  people  width corrected  people")
    for accuracy in (0.7, 0.85, 0.95):
        for name, liked in (("fair", np.ones(len(own), np.bool_)), ("biased", own)):
            machine = scores_of(planted(qrels, accuracy, liked, rng), said.runs)
            for number, measure in enumerate(people.measures):
                ours, theirs = people.values[number], machine.values[number]
                a, b = pairs
                for what, by_people, by_machine in (
                    ("means", ours, theirs),
                    ("pairs", ours[a] - ours[b], theirs[a] - theirs[b]),
                ):
                    one, other, width, alone = held(by_people, by_machine, rng, said.trials)
                    print(
                        f"{accuracy:8} {name:6} {measure:10} {what:6} {one:12.1%} {other:7.1%}"
                        f" {width:16.4f} {alone:7.4f}"
                    )


if __name__ == "__main__":
    main()
