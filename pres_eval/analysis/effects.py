"""Effect sizes of differences."""

from __future__ import annotations

import math
from statistics import NormalDist

import numpy as np

from pres_eval.analysis.digits import DECIMALS, mean_and_deviation, rounded, wins_ties_losses
from pres_eval.analysis.paired import means_of
from pres_eval.analysis.signed_ranks import rank_sums
from pres_eval.arrays import FloatArray, IntArray


def standardised(differences: FloatArray) -> FloatArray:
    """Return d_z: the mean difference in standard deviations of the differences.

    (P, T) differences in, (P,) out.  0 where all are zero, infinite where all are the same other number, nan
    for one topic.  Not comparable with Cohen's d of two independent groups, for which 0.2, 0.5 and 0.8 are
    called small, medium and large: d_z is larger, the more the two runs do well on the same topics.
    Source: Cohen, Statistical Power Analysis for the Behavioral Sciences, 1988, 2.3.5.
    """
    mean, deviation = mean_and_deviation(differences)
    if differences.shape[1] < 2:
        return np.full(len(mean), math.nan)
    sizes = np.where(np.round(mean, DECIMALS) == 0, 0.0, np.copysign(math.inf, mean))
    np.divide(mean, deviation, out=sizes, where=deviation > 0)
    return sizes


def hedges_g(differences: FloatArray, confidence: float = 0.95) -> tuple[FloatArray, FloatArray, FloatArray]:
    """Return Hedges' g of paired values: d_z without its bias, and a confidence interval.

    Formula:  g = J(T - 1) d_z, J(m) = Γ(m / 2) / (√(m / 2) Γ((m - 1) / 2));
      g ± z √(1 / T + g² / (2 T)), z the normal quantile
    (P, T) differences in; (P,) g, lower and upper ends out.  Infinite or nan where d_z is, nan for two topics
    or fewer.
    Source: Hedges, Journal of Educational Statistics 1981, doi:10.3102/10769986006002107; Hedges & Olkin,
      Statistical Methods for Meta-Analysis, 1985, 5.E.
    """
    topics = differences.shape[1]
    if topics < 3:
        return (np.full(len(differences), math.nan),) * 3
    m = topics - 1
    unbiased = math.exp(math.lgamma(m / 2) - math.lgamma((m - 1) / 2)) / math.sqrt(m / 2)
    g = unbiased * standardised(differences)
    spread = NormalDist().inv_cdf((1 + confidence) / 2) * np.sqrt((1 + g * g / 2) / topics)
    spread[np.isinf(g)] = 0.0
    return g, g - spread, g + spread


def rank_biserial(differences: FloatArray) -> FloatArray:
    """Return the matched-pairs rank-biserial correlation, the effect size that goes with the Wilcoxon test.

    Formula:  r = (W+ - W-) / (W+ + W-), the rank sums of the positive and of the negative differences
    Range: -1 (every topic that differs got worse) to 1; 0 where no topic differs.  (P, T) in, (P,) out.
    Source: Kerby, Comprehensive Psychology 2014, doi:10.2466/11.IT.3.1.
    """
    positive, negative = rank_sums(differences)
    total = positive + negative
    sizes = np.zeros(len(total))
    np.divide(positive - negative, total, out=sizes, where=total > 0)
    return sizes


def favoured(differences: FloatArray, test: str) -> IntArray:
    """Return the signs (P,) of what a test compares: ranks for "wilcoxon", wins for "sign", else means."""
    if test == "wilcoxon":
        compared = rank_biserial(differences)
    elif test == "sign":
        wins, _, losses = wins_ties_losses(differences)
        compared = np.asarray(wins - losses, np.float64)
    else:
        compared = rounded(means_of(differences))
    return np.sign(compared).astype(np.int64)
