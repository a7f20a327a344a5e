"""How often `pres-eval judges --group` says that a judge favours some runs, if it does and if it does not.

    python tests/bench/favoured_groups.py [DRAWS [SEED]]

One collection is made: 12 runs from poor to good over 50 topics, with 20 to 60 relevant documents each.  In
each draw (default 200) a fair judge drops 25 or 50 % of the relevant documents at random, or takes 5 % of the
others for relevant, and a judge with a favour also takes 10 % of the irrelevant documents among the first 20
of the group's runs for relevant.  Printed is the share of draws with p < 0.05, for the three poorest runs,
three in the middle, and the three best: as 2.21.0 tested, whether the group gains as much as the other runs,
and whether it gains as much as by a fair judge.
"""

from __future__ import annotations

import itertools
import sys
import tempfile
from collections.abc import Callable, Mapping, Sequence
from pathlib import Path

import numpy as np

from pres_eval.analysis.group_favour import expected_gains, favours
from pres_eval.analysis.judging import side_by_side
from pres_eval.analysis.paired import PairedScores, pair_runs
from pres_eval.arrays.types import BoolArray, FloatArray
from pres_eval.measures.selection import select
from pres_eval.options import Options
from pres_eval.ranking.ranking import Ranking
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import QrelsJudgements, read_qrels

RUNS, TOPICS, JUDGED, DEPTH = 12, 50, 300, 100
MEASURES = ("map", "P.10", "ndcg")
GROUPS: Mapping[str, Sequence[int]] = {"poorest": (0, 1, 2), "middle": (5, 6, 7), "best": (9, 10, 11)}

Judge = Callable[[BoolArray, BoolArray, np.random.Generator], BoolArray]
"""From whether documents are relevant, and whether they are liked, whether the judge takes them for it."""

JUDGES: Mapping[str, Judge] = {
    "drops 25 %": lambda relevant, liked, chance: relevant & (chance.random(len(relevant)) < 0.75),
    "drops 50 %": lambda relevant, liked, chance: relevant & (chance.random(len(relevant)) < 0.5),
    "adds 5 %": lambda relevant, liked, chance: relevant | (chance.random(len(relevant)) < 0.05),
    "drops 25 %, favours 10 %": lambda relevant, liked, chance: (
        relevant & (chance.random(len(relevant)) < 0.75) | liked & (chance.random(len(relevant)) < 0.1)
    ),
}


def made(folder: Path, chance: np.random.Generator) -> tuple[Path, list[Path], BoolArray]:
    """Write a collection; return its qrels, its runs, and (R, D) which documents are in the first 20."""
    judged, top = [], np.zeros((RUNS, TOPICS * JUDGED), np.bool_)
    lines: list[list[str]] = [[] for _ in range(RUNS)]
    for topic in range(TOPICS):
        relevant = np.arange(JUDGED) < chance.integers(20, 61)
        judged += [f"{topic:03} 0 d{document:03} {int(one)}\n" for document, one in enumerate(relevant)]
        hard = chance.normal(0, 0.5)
        for run in range(RUNS):
            scores = chance.normal(0, 1, JUDGED) + relevant * (0.4 + 0.15 * run + hard)
            ranked = np.argsort(-scores)[:DEPTH]
            top[run, topic * JUDGED + ranked[:20]] = True
            lines[run] += [
                f"{topic:03} Q0 d{document:03} 0 {-rank} run\n" for rank, document in enumerate(ranked)
            ]
    qrels, runs = folder / "qrels", [folder / f"run{run:02}" for run in range(RUNS)]
    qrels.write_text("".join(judged))
    for path, own in zip(runs, lines, strict=True):
        path.write_text("".join(own))
    return qrels, runs, top


def accusations(
    qrels: QrelsJudgements,
    rankings: Sequence[Ranking],
    top: BoolArray,
    judge: Judge,
    favours_a_group: bool,
    draws: int,
    chance: np.random.Generator,
) -> dict[tuple[str, str], FloatArray]:
    """Return for each measure and group the shares (2,) of draws with a significant favour, by both tests."""
    options = Options()
    selection = select(MEASURES, options)
    names = [f"run{run}" for run in range(RUNS)]

    def score(relevance: QrelsJudgements) -> PairedScores:
        return pair_runs(relevance, rankings, names, selection, options)

    relevant = np.asarray(qrels.grade > 0, np.bool_)
    first = score(qrels)
    accused = {(measure, group): np.zeros(2) for measure, group in itertools.product(first.measures, GROUPS)}
    for draw in range(draws):
        # A judge without a favour is the same for all groups.
        for groups in [{name: GROUPS[name]} for name in GROUPS] if favours_a_group else [GROUPS]:
            liked = np.asarray(top[list(next(iter(groups.values())))].any(axis=0), np.bool_)
            grade = judge(relevant, liked, chance).astype(np.int8)
            judged = side_by_side([qrels, QrelsJudgements("judge", qrels.pool, grade, qrels.duplicates)])
            second = score(judged.qrels(1))
            fair = expected_gains(judged, first, score, seed=draw)
            tests = [favours(first, second, gains, groups) for gains in (np.zeros_like(fair), fair)]
            for one, other in zip(*tests, strict=True):
                accused[one.measure, one.group] += np.array([one.p_value, other.p_value]) < 0.05
    return {key: count / draws for key, count in accused.items()}


def main(draws: int, seed: int) -> None:
    """Print the shares."""
    chance = np.random.default_rng(seed)
    with tempfile.TemporaryDirectory() as folder:
        path, runs, top = made(Path(folder), chance)
        qrels = read_qrels(File(str(path)))
        rankings = [read_run(File(str(run)), qrels, Options()) for run in runs]
        for name, judge in JUDGES.items():
            accused = accusations(qrels, rankings, top, judge, "favours" in name, draws, chance)
            for (measure, group), shares in accused.items():
                print(f"{name}\t{measure}\t{group}\t{shares[0]:.3f}\t{shares[1]:.3f}", flush=True)


if __name__ == "__main__":
    defaults = ("200", "1")
    main(*(int(text) for text in (*sys.argv[1:], *defaults[len(sys.argv) - 1 :])))
