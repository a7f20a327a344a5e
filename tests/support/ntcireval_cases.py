"""Random topics for the comparison with pyNTCIREVAL, and pres-eval's values of them."""

from __future__ import annotations

import random
from dataclasses import dataclass
from pathlib import Path

import pres_eval as pe

HIGHEST_GRADE = 3
CUTOFFS = (1, 3, 10, 50)
BETAS = (0.1, 1.0, 10.0)

Subtopics = dict[str, dict[str, int]]


@dataclass(frozen=True)
class Case:
    """A topic: grades of documents for each subtopic, and a ranking."""

    subtopics: Subtopics
    ranking: list[str]
    beta: float
    cutoff: int

    @property
    def grades(self) -> dict[str, int]:
        """The grades for the first subtopic, as those of qrels."""
        return next(iter(self.subtopics.values()))


def draw_case(rng: random.Random) -> Case:
    """A topic with one to four subtopics, each with a relevant document; some documents are unjudged."""
    documents = [f"d{number:02}" for number in range(rng.choice((3, 8, 30, 60)))]
    subtopics = {}
    for number in range(rng.randint(1, 4)):
        judged = rng.sample(documents, rng.randint(1, len(documents)))
        highest = rng.randint(1, HIGHEST_GRADE)
        grades = {document: rng.choice((0, 0, rng.randint(0, highest))) for document in judged}
        grades[judged[0]] = highest
        subtopics[str(number + 1)] = grades
    ranking = rng.sample(
        [*documents, *(f"x{number}" for number in range(10))], rng.randint(1, len(documents))
    )
    return Case(subtopics, ranking, rng.choice(BETAS), rng.choice(CUTOFFS))


def our_values(cases: list[Case], folder: Path) -> list[dict[str, float]]:
    """For each case the values under NTCIREVAL's names."""
    subtopics, qrels, run = folder / "subtopics", folder / "qrels", folder / "run"
    with subtopics.open("w") as of_subtopics, qrels.open("w") as of_qrels, run.open("w") as of_run:
        for number, case in enumerate(cases):
            for name, grades in case.subtopics.items():
                of_subtopics.writelines(f"{number} {name} {d} {grade}\n" for d, grade in grades.items())
            of_qrels.writelines(f"{number} 0 {d} {grade}\n" for d, grade in case.grades.items())
            size = len(case.ranking)
            of_run.writelines(f"{number} Q0 {d} 0 {size - at} t\n" for at, d in enumerate(case.ranking))
    values: list[dict[str, float]] = [{} for _ in cases]
    for beta in BETAS:
        for cutoff in CUTOFFS:
            names = {
                "QMeasure": f"q_measure.beta={beta}",
                "QMeasure@k": f"q_measure_cut.{cutoff},beta={beta}",
                "OMeasure": f"o_measure.beta={beta}",
                "nERR@k": f"nerr.{cutoff},max_rel={HIGHEST_GRADE}",
                "MSnDCG@k": f"ndcg_cut.{cutoff}",
            }
            of_intents = {"D-MSnDCG@k": f"D_nDCG.{cutoff}", "D-QMeasure@k": f"D_Q.{cutoff},beta={beta}"}
            for form, judged, texts in (("qrels", qrels, names), ("subtopics", subtopics, of_intents)):
                for name, text in texts.items():
                    found = pe.evaluate(str(judged), str(run), text, form=form)
                    (column,) = found.per_topic(next(iter(found.summary))).reshape(1, -1)
                    for topic, value in zip(found.topics, column.tolist(), strict=True):
                        case = cases[int(topic)]
                        if (case.beta, case.cutoff) == (beta, cutoff):
                            values[int(topic)][name] = value
    return values
