"""How often corrected intervals hold the truth, with planted judges that are right 70, 85 and 95 % of times.

    python tests/bench/machine_judges.py QRELS RUN [RUN ...] --trials 1000
    python tests/bench/machine_judges.py QRELS RUN [RUN ...] --machine MODEL_QRELS --people 15

With --machine the judge is not planted: the file holds what a language model said of the same documents.

People judged 30 topics drawn by chance; the truth is the mean over all topics by their judgements.  The
planted judge takes relevant documents for relevant with its accuracy, and others with a tenth of what it
lacks; a biased one is that good for the first run's first 20 documents, and misses twice as many of others.
"""

from __future__ import annotations

import argparse
import math

import numpy as np

from pres_eval.analysis.distributions import t_quantile
from pres_eval.analysis.paired import PairedScores, pair_topics
from pres_eval.analysis.pooling import first_documents
from pres_eval.analysis.prediction_powered import TwoJudges, favoured_groups, powered_means
from pres_eval.arrays.types import BoolArray, FloatArray
from pres_eval.measures.selection import select
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import QrelsJudgements, read_qrels
from pres_eval.scoring import evaluate

MEASURES = ("map", "P.10", "PRES.1000")
REAL_MEASURES = ("ndcg_cut.10", "P.10", "PRES.100")
PEOPLE = 30


def scores_of(qrels: QrelsJudgements, runs: list[str], measures: tuple[str, ...] = MEASURES) -> PairedScores:
    """Evaluate the runs."""
    options = Options(complete=True)
    selection = select(measures, options)
    found = [evaluate(qrels, read_run(File(run), qrels, options), selection, options) for run in runs]
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


def held(
    people: FloatArray, machine: FloatArray, rng: np.random.Generator, trials: int, judged: int = PEOPLE
) -> list[float]:
    """Return shares of intervals that hold the truth, corrected and people's alone, and their mean widths."""
    truth, topics, t = people.mean(axis=1), people.shape[1], t_quantile(0.05, judged - 1)
    found = np.zeros(4)
    for _ in range(trials):
        order = rng.permutation(topics)
        known, rest = order[:judged], order[judged:]
        powered = powered_means(people[:, known], machine[:, known], machine[:, rest])
        alone = people[:, known].std(axis=1, ddof=1) / math.sqrt(judged)
        found += [
            np.mean(np.abs(powered.mean - truth) <= t * powered.error),
            np.mean(np.abs(people[:, known].mean(axis=1) - truth) <= t * alone),
            2 * t * powered.error.mean(),
            2 * t * alone.mean(),
        ]
    return [float(each) for each in found / trials]


def accusations(
    people: PairedScores, machine: PairedScores, rng: np.random.Generator, judged: int = PEOPLE
) -> set[str]:
    """Return the runs that warnings name, of topics drawn by chance."""
    rows = rng.permutation(len(people.topics))[:judged]
    no_others = np.zeros((len(people.measures), len(people.runs), 0))
    judges = TwoJudges(people.on_topics(rows), machine.on_topics(rows), (), no_others)
    return {one.group for one in favoured_groups(judges, {run: [at] for at, run in enumerate(people.runs)})}


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
                found += [accusations(people, machine, rng) for _ in range(trials // 12)]
            first = np.mean([people.runs[0] in accused for accused in found])
            another = np.mean([bool(accused - {people.runs[0]}) for accused in found])
            print(f"{accuracy:8} {name:8} {first:13.1%} {another:8.1%}")


def print_coverage(
    label: str,
    people: PairedScores,
    machine: PairedScores,
    rng: np.random.Generator,
    trials: int,
    judged: int,
) -> None:
    """Print for each measure how often intervals hold the truth, and how wide they are."""
    a, b = np.triu_indices(len(people.runs), 1)
    for number, measure in enumerate(people.measures):
        ours, theirs = people.values[number], machine.values[number]
        for what, by_people, by_machine in (
            ("means", ours, theirs),
            ("pairs", ours[a] - ours[b], theirs[a] - theirs[b]),
        ):
            one, other, width, alone = held(by_people, by_machine, rng, trials, judged)
            print(f"{label:15} {measure:11} {what:6} {one:12.1%} {other:7.1%} {width:16.4f} {alone:7.4f}")


def print_real(said: argparse.Namespace, qrels: QrelsJudgements, rng: np.random.Generator) -> None:
    """Print coverage for a real model's judgements, and how often warnings name each run."""
    people = scores_of(qrels, said.runs, REAL_MEASURES)
    machine = scores_of(read_qrels(File(said.machine)), said.runs, REAL_MEASURES)
    print_coverage("model", people, machine, rng, said.trials, said.people)
    found = [accusations(people, machine, rng, said.people) for _ in range(said.trials)]
    for run in said.runs:
        print(f"named as favoured: {np.mean([run in accused for accused in found]):6.1%} {run}")


def main() -> None:
    """Print for each accuracy, measure and kind of judge how often intervals hold, and how wide they are."""
    parser = argparse.ArgumentParser()
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--trials", type=int, default=1000)
    parser.add_argument("--machine")
    parser.add_argument("--people", type=int, default=PEOPLE)
    said = parser.parse_args()
    rng = np.random.default_rng(1)
    qrels = read_qrels(File(said.qrels))
    header = "judge           measure     of        corrected  people  width corrected  people"
    if said.machine:
        print(header)
        print_real(said, qrels, rng)
        return
    first = set(first_documents(File(said.runs[0]), depth=20).pairs())
    topics = list(qrels.pool.topics)
    own = np.array(
        [
            (topics[topic], document) in first
            for topic, document in zip(qrels.pool.topic_of.tolist(), qrels.pool.documents, strict=True)
        ]
    )
    people = scores_of(qrels, said.runs)
    print_accusations(qrels, people, own, rng, said.trials)
    print(header)
    for accuracy in (0.7, 0.85, 0.95):
        for name, liked in (("fair", np.ones(len(own), np.bool_)), ("biased", own)):
            machine = scores_of(planted(qrels, accuracy, liked, rng), said.runs)
            print_coverage(f"{accuracy} {name}", people, machine, rng, said.trials, PEOPLE)


if __name__ == "__main__":
    main()
