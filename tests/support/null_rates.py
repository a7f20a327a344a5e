"""How often tests and intervals err on real scores where the truth is known.

Real scores are skewed, tied, and alike from run to run; no simulation from a formula is.  So the tables are
made from a table of real scores, (R, T) values of R runs on T topics, in ways that leave no difference to be
found, or one that is known.
"""

from __future__ import annotations

import csv
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path

import numpy as np
from scipy import stats

from pres_eval.analysis.compare import compare
from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.corrections import CORRECTIONS
from pres_eval.analysis.estimates import hedges_g, intervals
from pres_eval.analysis.joint import JOINT_TESTS
from pres_eval.analysis.joint import Draws as JointDraws
from pres_eval.analysis.paired import PairedScores, means_of
from pres_eval.analysis.reproducible import mean_and_deviation
from pres_eval.analysis.significance import PAIRED_TESTS, p_values
from pres_eval.arrays.types import FloatArray
from pres_eval.cli.gates.confirming import TopicValues, confirm

ALPHA = 0.05
MARGIN = 0.05


def read_tables(path: Path) -> dict[str, FloatArray]:
    """(R, T) scores of each measure from a CSV file `run,topic,MEASURE,...`, with 0 for what is not there.

    A run is left out that has nothing on nine topics of ten, or nothing but zeros.
    """
    rows = [row for row in csv.DictReader(path.read_text().splitlines()) if row["topic"] != "all"]
    named = [name for name in rows[0] if name not in ("file", "run", "topic")]
    whose = "file" if "file" in rows[0] else "run"
    runs, topics = sorted({row[whose] for row in rows}), sorted({row["topic"] for row in rows})
    run_place, topic_place = ({name: place for place, name in enumerate(names)} for names in (runs, topics))
    tables = {name: np.zeros((len(runs), len(topics))) for name in named}
    there = np.zeros(len(runs))
    for row in rows:
        there[run_place[row[whose]]] += 1
        for name in named:
            tables[name][run_place[row[whose]], topic_place[row["topic"]]] = float(row[name])
    kept = there > len(topics) / 10
    return {name: values[kept & values.any(axis=1)] for name, values in tables.items()}


@dataclass(frozen=True)
class Draws:
    """How much is drawn: trials, topics of each, seed."""

    trials: int
    topics: int
    seed: int = 0


def pair_differences(values: FloatArray, draws: Draws, null: str) -> FloatArray:
    """(trials, topics) differences of two real runs on topics drawn with replacement.

    swapped   on each topic the two scores change places with a chance of 1/2: no test can tell the runs apart
    centred   the mean difference over all topics is taken off, so that it is 0 where the topics come from;
              the differences stay as lopsided as they are
    """
    rng = np.random.default_rng([draws.seed, draws.topics, null == "swapped"])
    first = rng.integers(len(values), size=draws.trials)
    second = (first + rng.integers(1, len(values), size=draws.trials)) % len(values)
    topics = rng.integers(values.shape[1], size=(draws.trials, draws.topics))
    differences = values[first[:, None], topics] - values[second[:, None], topics]
    if null == "swapped":
        return np.asarray(differences * rng.choice([-1.0, 1.0], differences.shape), np.float64)
    means = (values[first] - values[second]).mean(axis=1, keepdims=True)
    return np.asarray(differences - means, np.float64)


def false_positives(values: FloatArray, test: str, draws: Draws, null: str, samples: int = 2000) -> float:
    """The share of comparisons of two runs without a difference that a test calls significant."""
    found = PAIRED_TESTS[test].run(pair_differences(values, draws, null), samples, 0)
    return float((found < ALPHA).mean())


def at_the_margin(
    values: FloatArray, test: str, draws: Draws, alternative: str, samples: int = 2000
) -> float:
    """The share of comparisons with a difference as large as the margin that are called small, or fair.

    `equivalent`: the run is better by the margin; `non-inferior`: it is worse by it, so that the rate is also
    that of the one-sided test of runs that are as good as each other.
    """
    shift = {"equivalent": MARGIN, "non-inferior": -MARGIN}[alternative]
    differences = pair_differences(values, draws, "centred") + shift
    found = p_values(PAIRED_TESTS[test], differences, alternative, MARGIN, samples, 0)
    return float((found < ALPHA).mean())


def found_by_compare(
    values: FloatArray,
    test: str,
    draws: Draws,
    shift: float = 0.0,
    theirs: Callable[[FloatArray], float] | None = None,
) -> tuple[float, float | None]:
    """The share of trials in which `compare` finds one of two runs better than the other, and another test.

    The scores are those of two real runs, exchanged at random topic by topic; `shift` is added to the one.
    theirs: (T,) differences -> the p-value of the same test elsewhere.
    """
    differences = pair_differences(values, draws, "swapped") + shift
    mine = other = 0
    for row in differences:
        pair = np.array([[np.zeros(len(row)), row]])
        topics = tuple(b"%d" % topic for topic in range(len(row)))
        scores = PairedScores(("a", "b"), ("m",), topics, pair, means_of(pair), len(row))
        (one,) = compare(scores, 0, CompareSettings(test=test, samples=1000)).comparisons
        mine += one.significant
        other += theirs is not None and theirs(row) < ALPHA
    return mine / draws.trials, None if theirs is None else other / draws.trials


def failed_gates(tables: Sequence[FloatArray], correction: str, draws: Draws) -> float:
    """The share of trials in which --if-significant fails a run that is as good as its baseline.

    tables  (runs, topics) scores of each measure.  Two real runs are exchanged at random topic by topic, in
            all measures alike; the gate fails if one of them is significantly worse.
    """
    how = CompareSettings(test="t", alternative="less", correction=correction)
    rng = np.random.default_rng([draws.seed, draws.topics])
    failed = 0
    for _ in range(draws.trials):
        pair = rng.choice(len(tables[0]), 2, replace=False)
        topics = rng.integers(tables[0].shape[1], size=draws.topics)
        turned = rng.random(draws.topics) < 0.5
        both = [values[np.ix_(pair, topics)] for values in tables]
        tested = confirm([TopicValues(*np.where(turned, one[::-1], one)) for one in both], how)
        failed += any(one.corrected < ALPHA for one in tested)
    return failed / draws.trials


def any_star(tables: Sequence[FloatArray], over: str, draws: Draws) -> float:
    """The share of trials in which `compare` stars a difference of two equal runs by any of the measures.

    tables  (runs, topics) scores of each measure.  Two real runs are exchanged at random topic by topic, in
            all measures alike.
    over    --correct-over: "runs" corrects within each measure, "measures" over all of them
    """
    rng = np.random.default_rng([draws.seed, draws.topics])
    settings = CompareSettings(over=over)
    starred = 0
    for _ in range(draws.trials):
        pair = rng.choice(len(tables[0]), 2, replace=False)
        topics = rng.integers(tables[0].shape[1], size=draws.topics)
        turned = rng.random(draws.topics) < 0.5
        drawn = [values[np.ix_(pair, topics)] for values in tables]
        both = np.array([np.where(turned, values[::-1], values) for values in drawn])
        names, ids = tuple(f"m{number}" for number in range(len(tables))), tuple(map(b"%d".__mod__, topics))
        scores = PairedScores(("a", "b"), names, ids, both, means_of(both), draws.topics)
        starred += any(comparison.significant for comparison in compare(scores, 0, settings).comparisons)
    return starred / draws.trials


def _exchanged(differences: FloatArray) -> float:
    """The p-value of scipy's permutation test of (T,) differences: all sign changes, or 999 of them."""

    def mean(sample: FloatArray, axis: int) -> FloatArray:
        return np.asarray(sample.mean(axis=axis))

    found = stats.permutation_test(
        (differences,), mean, permutation_type="samples", n_resamples=1024, random_state=1
    )
    return float(found.pvalue)


def _signs(differences: FloatArray) -> float:
    """The p-value of the sign test of (T,) differences, as scipy's binomial test gives it."""
    above, below = int((differences > 1e-12).sum()), int((differences < -1e-12).sum())
    return float(stats.binomtest(above, above + below).pvalue) if above + below else 1.0


def _t(differences: FloatArray) -> float:
    """The p-value of scipy's t-test of (T,) differences."""
    return float(stats.ttest_1samp(differences, 0.0).pvalue)


THEIRS: dict[str, Callable[[FloatArray], float]] = {
    "t": _t,
    "randomisation": _exchanged,
    "wilcoxon": lambda differences: float(stats.wilcoxon(np.round(differences, 12)).pvalue),
    "sign": _signs,
    "tukey": _t,
    "dunnett": _t,
    "randomised-tukey": _exchanged,
}
"""The same tests of two runs by scipy; of two runs Tukey's and Dunnett's are the paired t-test."""


def any_false_positive(
    values: FloatArray, settings: CompareSettings, draws: Draws, *, against_first: bool = False
) -> float:
    """The share of tables without any difference in which some comparison is called significant.

    Topics are drawn with replacement, and each topic's scores are dealt anew to the runs.
    """
    rng = np.random.default_rng([draws.seed, draws.topics, 7])
    wrong = 0
    for trial in range(draws.trials):
        topics = rng.integers(values.shape[1], size=draws.topics)
        dealt = rng.permuted(values[:, topics], axis=0)
        wrong += _any_found(dealt, replace(settings, seed=trial), against_first=against_first)
    return wrong / draws.trials


def any_false_positive_of_equal_means(
    values: FloatArray, settings: CompareSettings, draws: Draws, *, against_first: bool = False
) -> float:
    """The share of tables with a significant comparison, of runs that have equal means and vary unequally.

    Topics are drawn with replacement from those of a table whose runs all have the mean 0.
    """
    centred = values - values.mean(axis=1, keepdims=True)
    rng = np.random.default_rng([draws.seed, draws.topics, 8])
    wrong = 0
    for trial in range(draws.trials):
        drawn = centred[:, rng.integers(values.shape[1], size=draws.topics)]
        wrong += _any_found(drawn, replace(settings, seed=trial), against_first=against_first)
    return wrong / draws.trials


def variants(topics: int, seed: int = 0) -> FloatArray:
    """Scores (17, topics) of 14 variants of one system, which vary by 0.02 from topic to topic, and of three
    other systems, which vary by 0.15.
    """
    rng = np.random.default_rng([seed, topics, 9])
    spread = np.repeat([0.02, 0.15], [14, 3])[:, None]
    return np.asarray(0.4 + rng.normal(0, 0.1, topics) + spread * rng.normal(size=(17, topics)), np.float64)


def _any_found(values: FloatArray, settings: CompareSettings, *, against_first: bool) -> bool:
    """Whether `compare` would call a difference in (R, T) values significant; only what that takes."""
    first, second = np.triu_indices(len(values), 1)
    pairs = slice(len(values) - 1 if against_first else None)
    first, second = first[pairs], second[pairs]
    if settings.test in JOINT_TESTS:
        means = values.mean(axis=1)
        widest = np.abs(means[first] - means[second]).max(keepdims=True)
        chance = JointDraws(settings.samples, settings.seed, settings.alpha)
        found = JOINT_TESTS[settings.test].run(values[None], [widest], chance)[0].p_values
    else:
        differences = values[first] - values[second]
        plain = PAIRED_TESTS[settings.test].run(differences, settings.samples, settings.seed)
        found = CORRECTIONS[settings.correction](plain)
    return bool((found < settings.alpha).any())


def coverage(
    values: FloatArray, kind: str, draws: Draws, *, of_differences: bool, samples: int = 2000
) -> float:
    """The share of 95 % intervals that hold the mean over all the topics that theirs were drawn from."""
    if of_differences:
        drawn, truth = pair_differences(values, draws, "centred"), np.zeros(draws.trials)
    else:
        rng = np.random.default_rng([draws.seed, draws.topics, 3])
        runs = rng.integers(len(values), size=draws.trials)
        topics = rng.integers(values.shape[1], size=(draws.trials, draws.topics))
        drawn, truth = values[runs[:, None], topics], values[runs].mean(axis=1)
    lower, upper = intervals(drawn, ALPHA, kind, samples, 0)
    return float(((lower <= truth + 1e-12) & (truth - 1e-12 <= upper)).mean())


def effect_coverage(values: FloatArray, draws: Draws) -> float:
    """The share of 95 % intervals of Hedges' g that hold d_z of the two runs over all topics."""
    rng = np.random.default_rng([draws.seed, draws.topics, 4])
    first, second = np.triu_indices(len(values), 1)
    mean, deviation = mean_and_deviation(values[first] - values[second])
    pairs = rng.choice(np.flatnonzero(deviation > 0), draws.trials)
    topics = rng.integers(values.shape[1], size=(draws.trials, draws.topics))
    drawn = values[first[pairs][:, None], topics] - values[second[pairs][:, None], topics]
    _, lower, upper = hedges_g(drawn, 1 - ALPHA)
    truth = mean[pairs] / deviation[pairs]
    return float(((lower <= truth) & (truth <= upper)).mean())
