"""How often intervals of sampled judgements hold what all judgements give.

    python tests/bench/sample_coverage.py QRELS RUN [RUN ...] --samples 60

The judgements are taken for the truth; each sample draws of them within strata of the best rank that any of
the runs gives a document (all of 1 to 10, 30 % of 11 to 50, 10 % of 51 to 100), and nothing else is judged.
"""

from __future__ import annotations

import argparse
import tempfile
from collections.abc import Mapping

import numpy as np

from pres_eval.analysis.pooling import (
    DrawnPool,
    Key,
    RankStratum,
    draw,
    first_documents,
    grade_of_judged,
    pool_documents,
)
from pres_eval.analysis.sample_intervals import with_sample_intervals
from pres_eval.measures.selection import Selection, select
from pres_eval.options import Options, RelevanceInfo
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import read_qrels, read_relevance
from pres_eval.scoring import ScoredRun, Scoring

STRATA = "1-10:1.0,11-50:0.3,51-100:0.1"
MEASURES = ("xinfAP", "iP.10,100", "irecall.100", "inum_rel", "statAP")


def evaluated(pool: DrawnPool, grades: Mapping[Key, int], run: str, times: int) -> ScoredRun:
    """Evaluate a run against what was drawn, with intervals if it is to be drawn anew."""
    with tempfile.NamedTemporaryFile() as file:
        file.write(pool.lines(grades))
        file.flush()
        judged = read_relevance(file.name, "strata")
    options = Options(max_retrieved=1000)
    columns: Selection = select(MEASURES, options, relevance=RelevanceInfo.STRATA)
    ranking = read_run(File(run), judged, options)
    scoring = Scoring(relevance=judged, selection=columns, options=options)
    found = scoring.evaluation(ranking, scoring.blocks(ranking))
    return with_sample_intervals(found, ranking, scoring, print, times) if times else found


def main() -> None:
    """Print for each measure how many of the intervals of means, and of topics, hold the truth."""
    parser = argparse.ArgumentParser()
    parser.add_argument("qrels")
    parser.add_argument("runs", nargs="+")
    parser.add_argument("--samples", type=int, default=60)
    parser.add_argument("--times", type=int, default=200)
    parser.add_argument("--evaluated", type=int, default=3)
    said = parser.parse_args()
    qrels = read_qrels(File(said.qrels))
    grades = grade_of_judged(qrels.pool, qrels.grade.tolist())
    strata = RankStratum.read(STRATA)
    documents = pool_documents([first_documents(File(run), depth=strata[-1].last) for run in said.runs])
    documents = documents.take(np.flatnonzero([key in grades for key in documents.pairs()]))
    everything = draw(documents, [RankStratum(each.first, each.last, 1.0) for each in strata], 0)
    held: dict[str, list[float]] = {}
    for run in said.runs[: said.evaluated]:
        truth = evaluated(everything, grades, run, 0)
        for seed in range(said.samples):
            found = evaluated(draw(documents, strata, seed), grades, run, said.times)
            over_all = dict(zip(found.labels, found.summary, strict=True))
            for label, value in zip(truth.labels, truth.summary, strict=True):
                assert isinstance(value, float)
                ends = [float(over_all[f"{label}({end})"] or 0) for end in ("lower", "upper")]
                inside = ends[0] - 1e-4 <= value <= ends[1] + 1e-4
                of_topics = truth.by_label(label)
                lower, upper = (found.by_label(f"{label}({end})") for end in ("lower", "upper"))
                topics = float(np.mean((lower - 1e-4 <= of_topics) & (of_topics <= upper + 1e-4)))
                held.setdefault(label, []).extend([inside, topics, ends[1] - ends[0]])
    for label, numbers in held.items():
        means, topics, widths = (np.array(numbers[start::3], float).mean() for start in range(3))
        print(f"{label:14} means {means:6.1%}  topics {topics:6.1%}  mean width {widths:.4f}")


if __name__ == "__main__":
    main()
