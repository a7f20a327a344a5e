"""Worked examples and tables that others published, through the public functions."""

from __future__ import annotations

import itertools
import math
import re

import numpy as np
import pytest
from support.commands import FIXTURES

from pres_eval.analysis.compare import compare
from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.correlation import agreements, rbo
from pres_eval.analysis.distributions import rank_sums
from pres_eval.analysis.estimates import standardised, t_intervals
from pres_eval.analysis.joint import (
    Draws,
    dealt_ranges,
    randomised_tukey,
    residual_variance,
    studentized_range,
    tukey,
)
from pres_eval.analysis.judging import krippendorffs_alpha
from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.power import (
    SizePlan,
    anova_power,
    expected_width,
    needed_difference,
    stability,
    t_power,
    topic_set_sizes,
)
from pres_eval.analysis.reproducible import mean_and_deviation
from pres_eval.analysis.score_tables import read_score_table
from pres_eval.analysis.significance import bootstrap, paired_t, randomisation
from pres_eval.arrays.types import FloatArray

# Sakai, Joho Akusesu Hyoka Hohoron, Corona 2015, table 5.1: nDCG of three systems on 20 topics.
SAKAI = (
    np.array(
        [
            [7, 3, 2, 6, 4, 4, 0, 7, 1, 3, 5, 4, 0, 6, 5, 3, 1, 5, 2, 1],
            [5, 1, 0, 2, 4, 3, 0, 5, 3, 3, 4, 4, 1, 4, 2, 1, 1, 6, 3, 2],
            [0, 0, 2, 1, 3, 3, 1, 2, 4, 4, 4, 3, 3, 2, 2, 2, 1, 5, 4, 3],
        ]
    )
    / 10
)


def table(values: FloatArray, label: str = "m") -> PairedScores:
    """Scores of runs as `compare` takes them."""
    runs, topics = values.shape
    names, ids = tuple(f"{number}" for number in range(1, runs + 1)), tuple(b"%d" % i for i in range(topics))
    return PairedScores(names, (label,), ids, values[None], values.mean(axis=1)[None], topics)


def test_sakais_paired_t_test() -> None:
    """Section 5: t = 2.116, p = 0.048, variance 0.0251, effect size 0.473, margin of error 0.0742."""
    difference = (SAKAI[0] - SAKAI[1])[None]
    assert difference.mean() == pytest.approx(0.0750, abs=1e-12)
    assert difference.var(ddof=1) == pytest.approx(0.0251, abs=5e-5)
    assert standardised(difference)[0] == pytest.approx(0.473, abs=5e-4)
    assert standardised(difference)[0] * math.sqrt(20) == pytest.approx(2.116, abs=5e-4)
    assert paired_t(difference)[0] == pytest.approx(0.048, abs=5e-4)
    lower, upper = t_intervals(difference, 0.05)
    assert (upper[0] - lower[0]) / 2 == pytest.approx(0.0742, abs=5e-5)


def test_a_textbooks_two_algorithms() -> None:
    """Croft, Metzler & Strohman, Search Engines, 2009, 8.6.1: t = 2.33, p = 0.02 one-sided, w = 35."""
    first = [25, 43, 39, 75, 43, 15, 20, 52, 49, 50]
    second = [35, 84, 15, 75, 68, 85, 80, 50, 58, 75]
    differences = np.array([second], float) - first
    mean, deviation = mean_and_deviation(differences)
    assert mean[0] == pytest.approx(21.4)
    assert deviation[0] == pytest.approx(29.1, abs=0.05)
    assert mean[0] / deviation[0] * math.sqrt(10) == pytest.approx(2.33, abs=5e-3)
    assert paired_t(differences, greater=True)[0] == pytest.approx(0.02, abs=5e-3)
    positive, negative = rank_sums(differences)
    assert positive[0] - negative[0] == 35


def test_sakais_two_way_analysis_of_variance() -> None:
    """Section 5: residual variance 0.0219, F = 2.475; differences in standard deviations 0.507, 0.676."""
    variance = residual_variance(SAKAI)
    means = SAKAI.mean(axis=1)
    assert means == pytest.approx([0.345, 0.270, 0.245])
    assert variance == pytest.approx(0.0219, abs=5e-5)
    assert 20 * means.var(ddof=1) / variance == pytest.approx(2.475, abs=5e-4)
    sizes = (means[[0, 0, 1]] - means[[1, 2, 2]]) / math.sqrt(variance)
    assert sizes == pytest.approx([0.5070, 0.6760, 0.1690], abs=5e-5)


@pytest.mark.slow
def test_randomised_tests_of_sakais_scores() -> None:
    """Against elinor (a Rust library), which prints these of 10,000 draws.

    The scores have one digit, so that many draws are exactly as far apart as the runs.  They count, but in
    doubles some fall short by a last bit: elinor's numbers lie between those with and without them.
    """
    noise = 4 * math.sqrt(2 * 0.25 * 0.75 / 10_000)
    difference = (SAKAI[0] - SAKAI[1])[None]
    assert bootstrap(difference)[0] == pytest.approx(0.0511, abs=4 * math.sqrt(2 * 0.05 * 0.95 / 10_000))
    assert randomisation(difference)[0] == 2160 / 2**15, (
        "15 topics differ: all sign changes, in whole numbers"
    )
    assert 1080 / 2**15 < 0.0498 < 2160 / 2**15
    means = SAKAI.mean(axis=1)
    differences = means[[0, 0, 1]] - means[[1, 2, 2]]
    dealt = randomised_tukey(SAKAI[None], [differences], Draws(10_000))[0].p_values
    ranges = dealt_ranges(SAKAI[None], 10_000, 0)[0]
    for far, ours, theirs in zip(differences, dealt, (0.2561, 0.1040, 0.8926), strict=True):
        assert (ranges > far + 1e-9).mean() - noise < theirs < ours + noise
    assert tukey(SAKAI[None], [differences], Draws())[0].p_values == pytest.approx(dealt, abs=0.06)


def test_an_experiment_in_blocks() -> None:
    """Montgomery, Design and Analysis of Experiments, vascular grafts: 4 pressures, 6 batches, MSE 7.33."""
    grafts = np.array(
        [
            [90.3, 89.2, 98.2, 93.9, 87.4, 97.9],
            [92.5, 89.5, 90.6, 94.7, 87.0, 95.8],
            [85.5, 90.8, 89.6, 86.2, 88.0, 93.4],
            [82.5, 89.5, 85.6, 87.4, 78.9, 90.7],
        ]
    )
    assert residual_variance(grafts) == pytest.approx(7.33, abs=0.005)
    assert 6 * grafts.mean(axis=1).var(ddof=1) / residual_variance(grafts) == pytest.approx(8.11, abs=0.005)
    # 4.08 is the 5 % point of the studentised range for 4 means and 15 degrees of freedom.
    found = compare(table(grafts), None, CompareSettings(test="tukey")).comparisons
    assert found[0].upper - found[0].difference == pytest.approx(4.08 * math.sqrt(7.33 / 6), abs=0.01)
    assert [(one.run, one.other) for one in found if one.significant] == [("1", "4"), ("2", "4")]


@pytest.mark.parametrize(
    ("groups", "freedom", "printed"),
    [
        (2, 10, 3.15), (3, 5, 4.60), (3, 10, 3.88), (4, 15, 4.08), (4, 20, 3.96), (5, 20, 4.23),
        (10, 60, 4.65), (20, 120, 5.13),
    ],
)  # fmt: skip
def test_table_of_the_studentised_range(groups: int, freedom: int, printed: float) -> None:
    """Upper 5 % points to two digits, Harter, Annals of Mathematical Statistics 1960."""
    below, above = studentized_range(np.array([printed + 0.006, printed - 0.006]), groups, freedom)
    assert below < 0.05 < above


def test_tukey_as_r_prints_it() -> None:
    """TukeyHSD(aov(breaks ~ wool + tension, warpbreaks), "tension"), from R's manual: mean square 134.96."""
    q = np.array([10.000000, 14.722222, 4.722222]) / math.sqrt(134.9578 / 18)
    assert studentized_range(q, 3, 50) == pytest.approx([0.0336262, 0.0011218, 0.4474210], abs=2e-6)


def test_power_as_r_prints_it() -> None:
    """Examples of power.anova.test (R's stats) and of pwr.t.test (package pwr, exercise 2.5 of Cohen)."""
    delta, variance = (
        math.sqrt(6),
        3.0,
    )  # between.var 1, within.var 3 in R's terms, where delta²/2 = λ var / n
    assert anova_power(5, delta, variance, 4, 0.05) == pytest.approx(0.3535594, abs=5e-8)
    assert anova_power(11, delta, variance, 4, 0.05) < 0.80 < anova_power(12, delta, variance, 4, 0.05), (
        "R: n = 11.92613"
    )
    assert t_power(60, 0.2, 1, 0.10) == pytest.approx(0.4555818, abs=5e-8)


def test_sakais_sample_sizes() -> None:
    """Topic set size design by t: 34 topics for half a standard deviation, 33 have a power of 0.795 only."""
    assert t_power(33, 0.5, 1, 0.05) == pytest.approx(0.795, abs=5e-4)
    assert t_power(34, 0.5, 1, 0.05) == pytest.approx(0.808, abs=5e-4)
    assert expected_width(17, 0.25, 0.05) > 0.5 > expected_width(18, 0.25, 0.05)


@pytest.mark.parametrize(
    ("alpha", "beta", "constant", "slope"),
    [
        (0.01, 0.1, 10.439, 5.213), (0.01, 0.2, 7.736, 4.551), (0.01, 0.3, 6.030, 4.077),
        (0.01, 0.4, 4.733, 3.675), (0.01, 0.5, 3.653, 3.302), (0.05, 0.1, 7.049, 4.244),
        (0.05, 0.2, 4.860, 3.584), (0.05, 0.3, 3.522, 3.112), (0.05, 0.4, 2.543, 2.712),
        (0.05, 0.5, 1.765, 2.341),
    ],
)  # fmt: skip
@pytest.mark.parametrize("runs", [5, 10, 20, 50, 100])
def test_nagatas_line(alpha: float, beta: float, constant: float, slope: float, runs: int) -> None:
    """Sakai's table for analysis of variance: λ ≈ constant + slope √(m - 1) has the power 1 - β."""
    noncentrality, topics = constant + slope * math.sqrt(runs - 1), 20_000
    delta = math.sqrt(2 * noncentrality / topics)
    assert anova_power(topics, delta, 1.0, runs, alpha) == pytest.approx(1 - beta, abs=0.005)


# What the formulas of Sakai's Excel tools say (samplesizeTTEST2, samplesizeCI2; computed with
# github.com/jerome-white/sakai-book, which repeats them): alpha, beta, difference or width, variance, topics.
EXCEL_T = [
    (0.05, 0.2, 0.10, 0.05, 42),
    (0.05, 0.2, 0.05, 0.05, 159),
    (0.05, 0.1, 0.10, 0.10, 108),
    (0.01, 0.2, 0.10, 0.05, 62),
    (0.05, 0.5, 0.20, 0.20, 22),
    (0.05, 0.3, 0.02, 0.01, 157),
]
EXCEL_WIDTH = [
    (0.05, 0.10, 0.05, 79),
    (0.05, 0.20, 0.10, 41),
    (0.01, 0.10, 0.02, 57),
    (0.05, 0.05, 0.02, 125),
]


@pytest.mark.parametrize(("alpha", "beta", "delta", "variance", "topics"), EXCEL_T)
def test_topics_of_the_excel_tool_for_t(
    alpha: float, beta: float, delta: float, variance: float, topics: int
) -> None:
    assert t_power(topics, delta, variance, alpha) >= 1 - beta > t_power(topics - 1, delta, variance, alpha)


@pytest.mark.parametrize(("alpha", "width", "variance", "topics"), EXCEL_WIDTH)
def test_topics_of_the_excel_tool_for_intervals(
    alpha: float, width: float, variance: float, topics: int
) -> None:
    assert expected_width(topics, variance, alpha) <= width < expected_width(topics - 1, variance, alpha)


def test_krippendorffs_alpha_of_three_coders() -> None:
    """Three coders and 15 units, 26 values that pair: nominal 0.691, ordinal 0.807, interval 0.811."""
    texts = ("*****34121133*3", "1*213343*******", "**21344*21133*4")
    grades = np.array([[-1 if value == "*" else int(value) for value in text] for text in texts])
    there = grades >= 0
    assert krippendorffs_alpha(grades, there, "nominal") == pytest.approx(0.691, abs=5e-4)
    assert krippendorffs_alpha(grades, there, "ordinal") == pytest.approx(0.807, abs=5e-4)
    assert krippendorffs_alpha(grades, there, "interval") == pytest.approx(0.811, abs=5e-4)


def lists(first: str, second: str) -> tuple[FloatArray, FloatArray, int]:
    """Scores of all items of two written lists, where `(a b)` tie, and the length of the shorter.

    What a list does not have comes after all that it has.
    """
    places = []
    for text in (first, second):
        groups = [found[1] or found[0] for found in re.finditer(r"\(([^)]*)\)|\S+", text)]
        places.append({item: number for number, group in enumerate(groups) for item in group.split()})
    items = sorted({*places[0], *places[1]})
    x, y = (np.array([-float(own.get(item, 1000)) for item in items]) for own in places)
    return x, y, min(map(len, places))


def extrapolated(x: FloatArray, y: FloatArray, depth: int, persistence: float, ties: str) -> float:
    """RBO_EXT of lists of which only the first places are known."""
    agreement = agreements(x, y, ties)[:depth]
    weights = persistence ** np.arange(depth)
    return float((agreement * weights).sum() * (1 - persistence) + agreement[-1] * persistence**depth)


def test_agreements_of_webbers_example() -> None:
    """Webber, Moffat & Zobel 2010, figure 2: <a b c d ...> and <z c a v w ...>, overlap at depth 1 to 7."""
    x, y, _ = lists("a b c d e f g", "z c a v w x y")
    for ties in "wab":
        found = agreements(x, y, ties)[:7]
        assert found == pytest.approx([0, 0, 2 / 3, 2 / 4, 2 / 5, 2 / 6, 2 / 7])
    average = np.cumsum(agreements(x, y)[:7]) / np.arange(1, 8)
    assert average == pytest.approx([0, 0, 0.222, 0.292, 0.313, 0.317, 0.312], abs=6e-4)


RBO_OF_ALL = [
    ("(i8 i13) i14 (i4 i11) (i1 i5)", "(i8 i13) i14 (i5 i11) (i1 i4)", 0.919017337671389,
     (0.975874736903505, 0.929532918336715, 0.981543358385111)),
    ("i2 i7 i8 i9 (i5 i6 i10)", "i2 i7 i8 (i5 i6 i9 i10)", 0.981470986722495,
     (0.995222361784499, 0.991167335846473, 0.997465641217454)),
    ("i5 (i7 i19) (i1 i2 i15 i18 i22) i6 (i11 i14)", "(i1 i5 i6 i7 i14 i15 i18 i19 i22) i2 i11",
     0.941517080640316, (0.855812852453826, 0.775740787182797, 0.863721039300509)),
    ("i8 (i1 i2 i15) (i3 i4 i5 i11 i17)", "(i1 i2 i5 i8) (i3 i4 i11 i15 i17)", 0.964794284267633,
     (0.954288195988512, 0.907393848609729, 0.949507243113903)),
]  # fmt: skip


@pytest.mark.parametrize(("first", "second", "persistence", "printed"), RBO_OF_ALL)
def test_rbo_with_ties(
    first: str, second: str, persistence: float, printed: tuple[float, float, float]
) -> None:
    """The first pairs of equal items in the tests beside Corsi & Urbano, SIGIR 2024,
    doi:10.1145/3626772.3657700 (github.com/julian-urbano/sigir2024-rbo).
    """
    x, y, depth = lists(first, second)
    for ties, expected in zip("wab", printed, strict=True):
        assert rbo(x, y, persistence, ties) == pytest.approx(expected, abs=1e-13)
        assert extrapolated(x, y, depth, persistence, ties) == pytest.approx(expected, abs=1e-13)


@pytest.fixture(scope="module")
def robust() -> PairedScores:
    path = FIXTURES / "scores" / "robust03.csv"
    return read_score_table(str(path), path.read_text())


@pytest.mark.slow
def test_swaps_as_voorhees_and_buckley_found_them(robust: PairedScores) -> None:
    """The shape of SIGIR 2000 and 2002 on TREC 2003 Robust: the larger the difference and the more topics,
    the rarer the swaps; precision at ten errs about twice as often as average precision; two runs have to be
    about 0.05 of map apart for 50 topics to swap them in less than 5 % of cases.
    """
    rows, swaps = stability(robust, [10, 25, 50], trials=300)
    errors = {(measure, topics): error_rate for measure, topics, error_rate, _, _ in rows}
    for measure in robust.measures:
        assert errors[measure, 10] > errors[measure, 25] > errors[measure, 50]
        needed = {}
        for topics in (10, 25, 50):
            own = [one for one in swaps if (one.measure, one.topics) == (measure, topics) and one.pairs > 500]
            rates = [one.rate for one in own if one.lower >= 0.01][:8]
            assert all(one >= other - 0.02 for one, other in itertools.pairwise(rates))
            needed[topics] = needed_difference(own)
        assert needed[10] > needed[25] > needed[50]
        if measure == "map":
            assert 0.03 <= needed[50] <= 0.06
    assert 1.5 < errors["P_10", 25] / errors["map", 25] < 2.5


def test_measures_of_more_variance_need_more_topics(robust: PairedScores) -> None:
    """Sakai 2016: precision at ten needs a multiple of the topics that average precision does."""
    needed = {one.measure: one for one in topic_set_sizes(robust, SizePlan(0.1))}
    assert needed["P_10"].t is not None and needed["map"].t is not None
    assert needed["P_10"].t > 2 * needed["map"].t
