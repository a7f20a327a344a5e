"""How much power the numbers of topics of `pres-eval power` give, on real scores.

    python tests/bench/power_of_plans.py scores.csv [--trials 400] [--seed 1]

plans with the whole table of scores, and then draws so many topics for each pair of runs, whose differences
are moved so that their mean is the one that was planned for.  Prints in how many of the pairs the t-test
finds it less often than planned, before and after the corrections of `compare`, and how often the interval of
a pilot with few topics holds the number of topics of the whole table.  Markdown, as docs/correctness.md has
it.
"""

from __future__ import annotations

import argparse
import math
import sys
from pathlib import Path

import numpy as np

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.null_rates import read_tables

from pres_eval.analysis.corrections import holm
from pres_eval.analysis.paired import PairedScores, means_of
from pres_eval.analysis.power import SizePlan, Sizes, topic_set_sizes
from pres_eval.analysis.significance import paired_t
from pres_eval.arrays.types import FloatArray

DELTA, POWER, ALPHA = 0.05, 0.8, 0.05
LEAST = POWER - 0.03
"""Power that counts as the one planned for, as the simulation errs by a few points."""

PILOTS = (10, 25, 50)


def planned(values: FloatArray, plan: SizePlan) -> Sizes:
    """Return the sizes that `power` plans from scores (R, T) of one measure."""
    runs, topics = values.shape
    names, ids = tuple(map(str, range(runs))), tuple(b"%03d" % topic for topic in range(topics))
    scores = PairedScores(names, ("measure",), ids, values[None], means_of(values[None]), topics)
    return topic_set_sizes(scores, plan)[0]


def power_of_pairs(
    values: FloatArray, topics: int, comparisons: int, trials: int, chance: np.random.Generator
) -> FloatArray:
    """Return for each pair of runs how often its difference is found, with Holm's correction.

    The other comparisons of the family have no difference: their p-values are drawn evenly from 0 to 1.
    """
    first, second = np.triu_indices(len(values), 1)
    differences = values[first] - values[second]
    differences = differences - differences.mean(axis=1, keepdims=True) + DELTA
    found = np.empty(len(differences))
    for pair, own in enumerate(differences):
        drawn = own[chance.integers(len(own), size=(trials, topics))]
        p_values = paired_t(drawn)
        if comparisons > 1:
            others = chance.uniform(size=(trials, comparisons - 1))
            families = np.column_stack((p_values, others))
            p_values = np.array([holm(family)[0] for family in families])
        found[pair] = (p_values < ALPHA).mean()
    return found


def held(values: FloatArray, pilot: int, trials: int, chance: np.random.Generator) -> float:
    """Return how often the interval of a pilot holds the number of topics of the whole table."""
    topics_needed = planned(values, SizePlan(DELTA)).t
    assert topics_needed is not None
    holds = 0
    for _ in range(trials):
        sizes = planned(values[:, chance.integers(values.shape[1], size=pilot)], SizePlan(DELTA))
        holds += (sizes.t_low or 0) <= topics_needed <= (sizes.t_high or math.inf)
    return holds / trials


def held_of_pairs(values: FloatArray, pilot: int, trials: int, chance: np.random.Generator) -> float:
    """Return the same for pilots of two runs, drawn from all."""
    pairs = [values[chance.choice(len(values), 2, replace=False)] for _ in range(trials)]
    return sum(held(pair, pilot, 1, chance) for pair in pairs) / trials


def main() -> None:
    """Print the tables of a file of scores."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    asked.add_argument("file", type=Path)
    asked.add_argument("--trials", type=int, default=400, help="draws of topics for each pair of runs")
    asked.add_argument("--seed", type=int, default=1)
    options = asked.parse_args()
    chance = np.random.default_rng(options.seed)
    tables = read_tables(options.file)
    plans = (
        ("average pair", SizePlan(DELTA), 1),
        ("`--share 0.9`", SizePlan(DELTA, share=0.9), 1),
        ("average pair, Holm over 45", SizePlan(DELTA), 45),
        ("`--share 0.9 --comparisons 45`, Holm over 45", SizePlan(DELTA, share=0.9, comparisons=45), 45),
    )
    print("| plan | measure | topics | pairs with less | least power | average power |")
    print("| --- | --- | ---: | ---: | ---: | ---: |")
    for words, plan, comparisons in plans:
        for measure, values in tables.items():
            topics = planned(values, plan).t
            assert topics is not None
            power = power_of_pairs(values, topics, comparisons, options.trials, chance)
            less = f"{(power < LEAST).mean():.0%} | {power.min():.2f} | {power.mean():.2f}"
            print(f"| {words} | {measure} | {topics} | {less} |", flush=True)
    print("\n| topics of the pilot | measure | holds, 17 runs | holds, two runs |")
    print("| ---: | --- | ---: | ---: |")
    for pilot in PILOTS:
        for measure, values in tables.items():
            of_all, of_two = (rate(values, pilot, options.trials, chance) for rate in (held, held_of_pairs))
            print(f"| {pilot} | {measure} | {of_all:.0%} | {of_two:.0%} |", flush=True)


if __name__ == "__main__":
    main()
