"""The tables and the picture of measures against Nmax."""

from __future__ import annotations

from pres_eval.analysis.sweep import Sweep
from pres_eval.report.drawing import add_legend, name_ends, named_lines, panels, plain, run_styles
from pres_eval.report.layout import Table
from pres_eval.report.paper import Figure


def sweep_tables(result: Sweep, topics: str) -> list[Table]:
    """Return one table with everything, and for people one for each measure; `topics`: the topics' rule."""
    rows = []
    tables = []
    for measure, means in zip(result.measures, result.means, strict=True):
        for cutoff, means_of_runs in zip(result.cutoffs, means.tolist(), strict=True):
            for run, mean in zip(result.runs, means_of_runs, strict=True):
                rows.append((measure, cutoff, run, mean))
        tables.append(
            Table(
                name=measure,
                title=f"{measure} at Nmax, over {topics}",
                headings=("run", *map(str, result.cutoffs)),
                rows=[[run, *row] for run, row in zip(result.runs, means.T.tolist(), strict=True)],
                programs=False,
            )
        )
    everything = Table("sweep", "", ("measure", "nmax", "run", "mean"), rows, people=False)
    return [everything, *tables]


def sweep_figure(result: Sweep) -> Figure:
    """Draw the means over the cutoffs, a panel for each measure, a line for each run (figure 8)."""
    # Where there are many runs, those with the highest means of the first measure have colours.
    best = (-result.means[0].mean(axis=0)).argsort(kind="stable").tolist()
    with panels(len(result.measures), 3, (2.9, 2.9), (1.8, 0.0)) as (figure, grid):
        for measure, means, axes in zip(result.measures, result.means, grid, strict=True):
            lines = []
            for means_of_run, look in zip(means.T, run_styles(result.runs, best), strict=True):
                lines += axes.plot(result.cutoffs, means_of_run, linewidth=1.2, **look)
            name = plain(measure)
            axes.set(title=name, xlabel="Nmax (rank)", ylabel=f"mean {name}", xlim=(0, None), ylim=(0, None))
        if len(grid) == 1:
            name_ends(figure, grid[0], lines, result.runs)
        else:
            add_legend(figure, *named_lines(lines, result.runs))
    return figure
