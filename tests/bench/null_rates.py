"""Count on real scores how often the tests of `compare` find what is not there, and how often intervals miss.

    pres-eval -q -n --format csv -m map -m P.10 -m PRES.1000 qrels.txt run_*.txt > scores.csv
    python tests/bench/null_rates.py scores.csv [ANOTHER.csv ...] [--trials 20000] [--tables 1000]
    python tests/bench/null_rates.py scores.csv --compare 1000
    python tests/bench/null_rates.py scores.csv --stars 4000
    python tests/bench/null_rates.py many_measures.csv --gates 2000
    python tests/bench/null_rates.py scores.csv --unequal 500

prints Markdown tables; docs/correctness.md shows them.  The same seeds give the same numbers.
"""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.null_rates import (
    THEIRS,
    Draws,
    any_false_positive,
    any_false_positive_of_equal_means,
    any_star,
    at_the_margin,
    coverage,
    effect_coverage,
    failed_gates,
    false_positives,
    found_by_compare,
    read_tables,
    variants,
)

from pres_eval.analysis.compare_settings import FAMILIES as FAMILIES_OF_MEASURES
from pres_eval.analysis.compare_settings import TESTS, CompareSettings
from pres_eval.analysis.estimates import INTERVALS
from pres_eval.analysis.significance import PAIRED_TESTS
from pres_eval.arrays.types import FloatArray

TOPICS = (10, 25, 50)

FAMILIES = (
    CompareSettings(test="t", correction="none"),
    CompareSettings(test="t", correction="bonferroni"),
    CompareSettings(test="t", correction="holm"),
    CompareSettings(test="t", correction="bh"),
    CompareSettings(test="wilcoxon", correction="holm"),
    CompareSettings(test="tukey"),
    CompareSettings(test="randomised-tukey", samples=1000),
    CompareSettings(test="dunnett"),
)


Scores = Sequence[tuple[str, FloatArray]]
"""Tables of scores by the names of measures."""

Rate = Callable[[FloatArray, int], float]
"""A rate from a table of scores and the number of topics that are drawn."""


def table(title: str, rows: Sequence[tuple[str, Rate]], scores: Scores) -> None:
    """Print one rate a row and collection, in percent, the topics of a trial side by side."""
    print(f"\n{title}\n")
    print("| " + " | ".join(["", *(f"{name}, {n}" for name, _ in scores for n in TOPICS)]) + " |")
    print("| --- |" + " ---: |" * (len(scores) * len(TOPICS)))
    for label, rate in rows:
        cells = [f"{100 * rate(values, n):.1f}" for _, values in scores for n in TOPICS]
        print("| " + " | ".join([label, *cells]) + " |", flush=True)


def main() -> None:
    """Print all tables of the files named."""
    asked = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawTextHelpFormatter)
    asked.add_argument("files", nargs="+", type=Path)
    asked.add_argument("--trials", type=int, default=20_000, help="comparisons of two runs for each rate")
    asked.add_argument("--tables", type=int, default=1000, help="tables of all runs for each rate")
    asked.add_argument("--compare", type=int, help="only what compare finds: so many trials for each rate")
    asked.add_argument("--stars", type=int, help="only stars by any measure: so many trials for each rate")
    asked.add_argument("--gates", type=int, help="only gates that fail equal runs: so many trials")
    asked.add_argument("--unequal", type=int, help="only runs that vary unequally: so many tables")
    said = asked.parse_args()
    for path in said.files:
        tables = read_tables(path)
        scores = list(tables.items())
        runs, topics = scores[0][1].shape
        print(f"\n## {path.stem}: {runs} runs, {topics} topics")
        if said.stars:
            by_any_measure(scores, said.stars)
            continue
        if said.gates:
            by_gate(scores, said.gates)
            continue
        if said.unequal:
            unequal(scores, said.unequal)
            continue
        if said.compare:
            by_compare(scores, said.compare)
            continue
        pairs(scores, said.trials)
        families(scores, said.tables)


def by_any_measure(scores: Scores, trials: int) -> None:
    """Print how often some star is there of two equal runs, with each correction over measures."""
    print(f"\n| any star, %, {len(scores)} measures | " + " | ".join(f"{n} topics" for n in TOPICS) + " |")
    print("| --- |" + " ---: |" * len(TOPICS))
    tables = [values for _, values in scores]
    for over in FAMILIES_OF_MEASURES:
        rates = [100 * any_star(tables, over, Draws(trials, n)) for n in TOPICS]
        cells = " | ".join(f"{rate:.1f}" for rate in rates)
        print(f"| `--correct-over {over}` | {cells} |", flush=True)


def by_gate(scores: Scores, trials: int) -> None:
    """How often --if-significant fails a run that is as good as its baseline, by one measure and by all."""
    print("\n| failed, % | " + " | ".join(f"{n} topics" for n in FEW) + " |")
    print("| --- |" + " ---: |" * len(FEW))
    tables = [values for _, values in scores]
    for words, chosen, correction in (
        (f"{scores[0][0]} alone", tables[:1], "holm"),
        (f"{len(tables)} measures, `--correction holm`", tables, "holm"),
        (f"{len(tables)} measures, `--correction none`", tables, "none"),
    ):
        rates = [100 * failed_gates(chosen, correction, Draws(trials, n)) for n in FEW]
        print("| " + " | ".join([words, *(f"{rate:.1f}" for rate in rates)]) + " |", flush=True)


FEW = (2, 3, 5, 10, 50)
SHIFTS = {10: 0.1, 50: 0.04}
"""Differences that are planted, by numbers of topics."""


def by_compare(scores: Scores, trials: int) -> None:
    """What `compare` finds of two runs whose scores are exchanged at random, with and without a shift."""
    print("\n| false positives, % | " + " | ".join(f"{name}, {n}" for name, _ in scores for n in FEW) + " |")
    print("| --- |" + " ---: |" * (len(scores) * len(FEW)))
    for test in TESTS:
        rates = [found_by_compare(values, test, Draws(trials, n))[0] for _, values in scores for n in FEW]
        print("| " + " | ".join([f"`{test}`", *(f"{100 * rate:.1f}" for rate in rates)]) + " |", flush=True)
    print(
        "\n| power, % (of scipy) | " + " | ".join(f"{name}, {n}" for name, _ in scores for n in SHIFTS) + " |"
    )
    print("| --- |" + " ---: |" * (len(scores) * len(SHIFTS)))
    for test in TESTS:
        cells = []
        for _, values in scores:
            for topics, shift in SHIFTS.items():
                mine, theirs = found_by_compare(values, test, Draws(trials, topics), shift, THEIRS.get(test))
                cells.append(f"{100 * mine:.1f}" + ("" if theirs is None else f" ({100 * theirs:.1f})"))
        print("| " + " | ".join([f"`{test}`", *cells]) + " |", flush=True)


def pairs(scores: Scores, trials: int) -> None:
    """Two runs at a time: false positives, what passes at the margin, intervals that hold the truth."""
    for null in ("swapped", "centred"):
        rows = [(test, _false(test, null, trials)) for test in PAIRED_TESTS]
        table(f"False positives, {null}", rows, scores)
    for kind in ("equivalent", "non-inferior"):
        rows = [(test, _margin(test, kind, trials)) for test in PAIRED_TESTS]
        table(f"Called {kind} where it just is not", rows, scores)
    for differences, what in ((False, "mean"), (True, "difference of means")):
        rows = [(kind, _covered(kind, differences, trials // 4)) for kind in INTERVALS]
        table(f"95 % intervals that hold the {what}", rows, scores)
    rows = [("Hedges' g", lambda values, n: effect_coverage(values, Draws(trials, n)))]
    table("95 % intervals that hold the effect size", rows, scores)


def _false(test: str, null: str, trials: int) -> Rate:
    return lambda values, topics: false_positives(values, test, Draws(trials, topics), null)


def _margin(test: str, kind: str, trials: int) -> Rate:
    return lambda values, topics: at_the_margin(values, test, Draws(trials, topics), kind)


def _covered(kind: str, differences: bool, trials: int) -> Rate:
    return lambda values, topics: coverage(values, kind, Draws(trials, topics), of_differences=differences)


def unequal(scores: Scores, tables: int) -> None:
    """All runs at once, with equal means and unequal variances: tables with any false positive."""
    rows = [
        (settings.test, _any_of_equal_means(settings, tables))
        for settings in (
            CompareSettings(test="t", correction="holm"),
            CompareSettings(test="tukey"),
            CompareSettings(test="randomised-tukey", samples=500),
            CompareSettings(test="dunnett"),
        )
    ]
    table("Tables with any false positive, equal means", rows, [*scores, ("variants", variants(100_000))])


def _any_of_equal_means(settings: CompareSettings, tables: int) -> Rate:
    one = settings.test == "dunnett"
    return lambda values, topics: any_false_positive_of_equal_means(
        values, settings, Draws(tables, topics), against_first=one
    )


def _any(settings: CompareSettings, tables: int) -> Rate:
    one = settings.test == "dunnett"
    return lambda values, topics: any_false_positive(
        values, settings, Draws(tables, topics), against_first=one
    )


def families(scores: Scores, tables: int) -> None:
    """All runs at once: tables with any false positive."""
    rows = [
        (f"{one.test}, {one.correction}" if one.test in PAIRED_TESTS else one.test, _any(one, tables))
        for one in FAMILIES
    ]
    table("Tables with any false positive", rows, scores)


if __name__ == "__main__":
    main()
