"""The tables of measures against Nmax."""

from __future__ import annotations

from pres_eval.analysis.sweep import Sweep
from pres_eval.report.layout import Shown, Table
from pres_eval.report.paper import Figure


def sweep_tables(result: Sweep, topics: str) -> list[Table]:
    """Return one table with everything, and for people one for each measure; `topics`: the topics' rule."""
    return [
        Table(
            "sweep",
            "",
            ("measure", "nmax", "run", "mean"),
            [
                (measure, cutoff, run, float(result.means[m, n, r]))
                for m, measure in enumerate(result.measures)
                for n, cutoff in enumerate(result.cutoffs)
                for r, run in enumerate(result.runs)
            ],
            people=False,
        ),
        *(
            Table(
                measure,
                f"{measure} at Nmax, over {topics}",
                shown=Shown(
                    ("run", *map(str, result.cutoffs)),
                    [[run, *row] for run, row in zip(result.runs, means.T.tolist(), strict=True)],
                ),
                programs=False,
            )
            for measure, means in zip(result.measures, result.means, strict=True)
        ),
    ]


def sweep_figure(result: Sweep) -> Figure:
    """Return the picture of measures against Nmax."""
    from pres_eval.report.plots import curves

    return curves(result.runs, result.measures, result.cutoffs, result.means, xlabel="Nmax (rank)")
