"""The tables and the picture of measures against Nmax."""

from __future__ import annotations

from pres_eval.analysis.sweep import Sweep
from pres_eval.report.drawing import add_legend, name_ends, named_lines, panels, picture_text, run_styles
from pres_eval.report.layout import Readers, Table
from pres_eval.report.paper import Figure


def sweep_tables(result: Sweep, topics: str) -> list[Table]:
    """Return one table of all means for programs, and for people one for each measure.

    topics: the topics that the means are over, in words for the titles
    """
    rows = []
    tables = []
    for measure, means in zip(result.measures, result.means, strict=True):
        for cutoff, means_of_runs in zip(result.cutoffs, means.tolist(), strict=True):
            for run, mean in zip(result.runs, means_of_runs, strict=True):
                rows.append((measure, cutoff, run, mean))
        rows_of_runs = []
        for run, means_of_run in zip(result.runs, means.T.tolist(), strict=True):
            rows_of_runs.append([run, *means_of_run])
        tables.append(
            Table(
                name=measure,
                title=f"{measure} at Nmax, over {topics}",
                headings=("run", *map(str, result.cutoffs)),
                rows=rows_of_runs,
                readers=Readers.PEOPLE,
            )
        )
    all_means = Table(
        name="sweep",
        headings=("measure", "nmax", "run", "mean"),
        rows=rows,
        readers=Readers.PROGRAMS,
    )
    return [all_means, *tables]


def sweep_figure(result: Sweep) -> Figure:
    """Draw the means over the cutoffs, a panel for each measure, a line for each run.

    Figure 8 of Magdy & Jones, SIGIR 2010, is such a panel.
    """
    # Where there are many runs, those have colours whose means (cutoffs, runs) of the first measure are high.
    means_over_cutoffs = result.means[0].mean(axis=0)
    best = (-means_over_cutoffs).argsort(kind="stable").tolist()
    with panels(len(result.measures), most_columns=3, plot_inches=(2.9, 2.9), margin_inches=(1.8, 0.0)) as (
        figure,
        grid,
    ):
        for measure, means, axes in zip(result.measures, result.means, grid, strict=True):
            lines = []
            for means_of_run, look in zip(means.T, run_styles(result.runs, best), strict=True):
                lines += axes.plot(result.cutoffs, means_of_run, linewidth=1.2, **look)
            name = picture_text(measure)
            axes.set(title=name, xlabel="Nmax (rank)", ylabel=f"mean {name}", xlim=(0, None), ylim=(0, None))
        if len(grid) == 1:
            name_ends(figure, grid[0], lines, result.runs)
        else:
            add_legend(figure, *named_lines(lines, result.runs))
    return figure
