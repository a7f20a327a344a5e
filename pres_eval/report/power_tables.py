"""The tables of power: topics needed, pairs told apart, stability, swaps."""

from __future__ import annotations

from collections.abc import Sequence

from pres_eval.analysis.power import Discrimination, Stability, Swaps, needed_difference
from pres_eval.analysis.topic_numbers import Sizes
from pres_eval.report.layout import Shown, Table, records_table
from pres_eval.report.text import UNKNOWN, number


def sizes_table(found: Sequence[Sizes], delta: float, alpha: float, power: float, runs: int) -> Table:
    """Return the table of the topics that a difference needs."""
    lines = [
        (
            one.measure,
            number(one.deviation),
            *(UNKNOWN if value is None else value for value in (one.t, one.anova, one.interval)),
            number(one.detectable),
        )
        for one in found
    ]
    headings = ("measure", "deviation", "t-test", f"ANOVA, {runs} runs", "interval", "detectable")
    return records_table(
        "sizes",
        f"Topics that a difference of {delta:g} needs (alpha {alpha:g}, power {power:g})",
        found,
        Sizes,
        (
            "t-test: of two runs; ANOVA: between the best and the worst of the runs; interval: for one of the"
            f" difference of two runs no wider than {delta:g}",
            "deviation: of a score, what neither run nor topic explains; -: the scores do not vary;"
            " detectable: the least difference that the t-test finds with these topics",
        ),
        Shown(headings, lines),
    )


def discrimination_tables(found: Sequence[Discrimination], test: str, alpha: float) -> list[Table]:
    """Pairs of runs that each measure tells apart; for programs the achieved significance levels."""
    return [
        Table(
            name="discrimination",
            title=f"Discriminative power: pairs of runs told apart ({test}, p < {alpha:g})",
            headings=("measure", "pairs", "significant", "share", "needed"),
            rows=[(one.measure, len(one.levels), one.significant, one.share, one.needed) for one in found],
            notes=("needed: a difference of means that would have been significant for any pair",),
        ),
        Table(
            name="levels",
            headings=("measure", "pair", "level"),
            rows=[
                (one.measure, place, level)
                for one in found
                for place, level in enumerate(one.levels.tolist(), 1)
            ],
            people=False,
        ),
    ]


def stability_tables(
    rows: Sequence[Stability], swaps: Sequence[Swaps], trials: int, fuzziness: float, rate: float = 0.05
) -> list[Table]:
    """Error rates and swap rates, with the difference from which on swaps are rare."""
    lines = []
    for one in rows:
        own = [each for each in swaps if (each.measure, each.topics) == (one.measure, one.topics)]
        needed = number(needed_difference(own, rate), 2)
        lines.append((one.measure, one.topics, one.error_rate, one.ties, one.swap_rate, needed))
    return [
        records_table(
            "stability",
            f"Stability on {trials} random sets of topics",
            rows,
            Stability,
            (
                f"error_rate: share of rarer verdicts; ties: means within {fuzziness:.0%} of each other;"
                " swap_rate: another set of topics turns the order round",
                f"needed: differences from which on at most {rate:.0%} of the pairs swap; -: no difference",
            ),
            Shown(("measure", "topics", "error_rate", "ties", "swap_rate", "needed"), lines),
        ),
        records_table("swaps", "", swaps, Swaps, people=False),
    ]
