"""Whether measures agree about runs: in the order of all, and in the verdict on each pair."""

from __future__ import annotations

import csv
import io
import itertools
import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from pres_eval.analysis.correlation import (
    kendall_tau_a,
    kendall_tau_b,
    positions,
    spearman,
    tau_ap,
    tau_ap_b,
)
from pres_eval.analysis.significance import signed_ranks
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.errors import InputError, quoted


@dataclass(frozen=True)
class Correlation:
    """How alike two measures order the runs.

    tau_ap        with the first measure's order as the true one; tau_ap_back: with the second's
    tau_ap_b      τ_AP as agreement, neither order being the true one
    """

    first: str
    second: str
    tau_a: float
    tau_b: float
    spearman: float
    tau_ap: float
    tau_ap_back: float
    tau_ap_b: float


def correlations(measures: Sequence[str], scores: FloatArray) -> list[Correlation]:
    """Every pair of measures: (M, R) scores of runs in, one row a pair out."""
    return [
        Correlation(
            measures[a],
            measures[b],
            kendall_tau_a(scores[a], scores[b]),
            kendall_tau_b(scores[a], scores[b]),
            spearman(scores[a], scores[b]),
            tau_ap(scores[a], scores[b]),
            tau_ap(scores[b], scores[a]),
            tau_ap_b(scores[a], scores[b]),
        )
        for a, b in itertools.combinations(range(len(measures)), 2)
    ]


def rank_changes(scores: FloatArray) -> IntArray:
    """(M, R) position of each run under each measure, 1 for the best; equal scores share the first place."""
    return np.array([positions(row) for row in scores], np.int64).reshape(scores.shape)


def verdicts(values: FloatArray, alpha: float = 0.05) -> IntArray:
    """What each measure says of each pair of runs: (M, R, T) values in, (M, R (R - 1) / 2) out.

    1: the first run is better, -1: the second is, 0: they can't be told apart, by a Wilcoxon signed-rank test
    over the topics at the given level, uncorrected, as in Magdy & Jones (SIGIR 2010).  Pairs stand in the
    order 0-1, 0-2, ..., 1-2, ...
    """
    first, second = np.triu_indices(values.shape[1], 1)
    said = np.zeros((len(values), len(first)), np.int64)
    for measure, rows in enumerate(values):
        ranks = signed_ranks(rows[first] - rows[second])
        said[measure] = np.where(ranks.p_value < alpha, np.sign(ranks.positive - ranks.negative), 0)
    return said


@dataclass(frozen=True)
class Pattern:
    """Measures that say the same of a pair, in groups: (("map", "recall"), ("PRES",)); on how many pairs."""

    groups: tuple[tuple[str, ...], ...]
    pairs: int
    share: float

    @property
    def text(self) -> str:
        """The groups as people read them: `map = recall ≠ PRES`."""
        return " ≠ ".join(" = ".join(group) for group in self.groups)


def verdict_patterns(measures: Sequence[str], said: IntArray) -> list[Pattern]:
    """Count the pairs of runs by which measures say the same of them (figure 7 of Magdy & Jones).

    (M, P) verdicts in.  For up to three measures all patterns are listed, for more those that occur; the more
    measures agree, the further up.
    """
    found = Counter(tuple(_groups(column)) for column in said.T.tolist())
    if len(measures) <= 3:
        for labels in itertools.product(range(3), repeat=len(measures)):
            found.setdefault(tuple(_groups(labels)), 0)
    ordered = sorted(found, key=lambda groups: (len(groups), -found[groups], groups))
    total = max(1, said.shape[1])
    return [
        Pattern(
            tuple(tuple(measures[place] for place in group) for group in groups),
            found[groups],
            found[groups] / total,
        )
        for groups in ordered
    ]


def _groups(said: Sequence[int]) -> list[tuple[int, ...]]:
    """Indices of equal verdicts, the largest group first."""
    groups = [tuple(i for i, v in enumerate(said) if v == value) for value in dict.fromkeys(said)]
    return sorted(groups, key=lambda group: (-len(group), group))


@dataclass(frozen=True)
class Dissent:
    """A measure alone against the others.

    pairs  on which all the others say the same
    alone  of these, those on which the measure says something else; share: alone / pairs, nan for none
    """

    measure: str
    pairs: int
    alone: int
    share: float


def dissents(measures: Sequence[str], said: IntArray) -> list[Dissent]:
    """For each measure, how often it contradicts all the others where they agree: (M, P) verdicts in."""
    rows = []
    for place, measure in enumerate(measures):
        others = np.delete(said, place, axis=0)
        agreed = (others == others[:1]).all(axis=0)
        pairs = int(np.count_nonzero(agreed))
        alone = int(np.count_nonzero(agreed & (said[place] != others[0])))
        rows.append(Dissent(measure, pairs, alone, alone / pairs if pairs else math.nan))
    return rows


def read_scores(path: str, text: str) -> tuple[tuple[str, ...], tuple[str, ...], FloatArray]:
    """Runs, measures and (M, R) scores from CSV text: a heading, then a run and its scores in each line.

    Raises InputError with file and line for a missing heading, a line of another length, or a score that is
    not a finite number.
    """
    reader = csv.reader(io.StringIO(text.removeprefix("\ufeff")))
    rows = [(reader.line_num, row) for row in reader if any(cell.strip() for cell in row)]
    if not rows or len(rows[0][1]) < 2:
        raise InputError(path, 1 if rows else None, "no heading", "run,MEASURE,MEASURE,...")
    heading = rows[0][1]
    scores = np.empty((len(heading) - 1, len(rows) - 1))
    for number, (line, row) in enumerate(rows[1:]):
        if len(row) != len(heading):
            raise InputError(path, line, f"{len(row)} columns", f"{len(heading)} as in the heading")
        for measure, cell in enumerate(row[1:]):
            scores[measure, number] = _score(path, line, cell)
    return tuple(row[0].strip() for _, row in rows[1:]), tuple(name.strip() for name in heading[1:]), scores


def _score(path: str, line: int, cell: str) -> float:
    try:
        score = float(cell)
    except ValueError:
        score = math.nan
    if not math.isfinite(score):
        raise InputError(path, line, quoted(cell), "a number")
    return score
