"""The tables and the picture of reviews that stopped."""

from __future__ import annotations

from collections.abc import Sequence

from pres_eval.analysis.stopping import Stop, StopSummary
from pres_eval.errors import plural
from pres_eval.report.cells import Cell, Score
from pres_eval.report.drawing import add_legend, named_lines, panels, run_styles
from pres_eval.report.layout import Column, Readers, Table, columns_table, records_table
from pres_eval.report.paper import Figure

MEAN_COLUMNS: tuple[Column[StopSummary], ...] = (
    Column("run", lambda stops: stops.run),
    Column("target", lambda stops: stops.target),
    Column("topics", lambda stops: stops.topics),
    Column("reliability", lambda stops: stops.reliability),
    Column("recall", lambda stops: stops.recall),
    Column("rel. error", lambda stops: stops.relative_error),
    Column("share read", lambda stops: stops.share_read),
    Column("share excess", lambda stops: Score(stops.share_excess, signed=True)),
    Column("cost", lambda stops: stops.cost),
)
"""Columns of the means over topics, for people."""


def stopping_tables(summaries: Sequence[StopSummary], stops: Sequence[Stop], per_topic: bool) -> list[Table]:
    """Return the means of each run and target over topics, and the stops of the topics.

    per_topic  whether people see the topics, too
    """
    # T is the target recall.
    notes = [
        "reliability: share of topics in which the target recall was reached; rel. error: |recall - T| / T",
        "share excess: documents read beyond the earliest rank with recall T, as a share of those to read",
    ]
    # `earliest` is the first rank with the target recall; 0 if the run never has it.
    num_out_of_reach = sum(1 for stop in stops if stop.earliest == 0)
    if num_out_of_reach:
        stops_out_of_reach = plural(num_out_of_reach, "stop")
        notes.append(
            f"{stops_out_of_reach} of runs that do not retrieve enough for the target: without excess;"
            " the cost is that of reading all documents"
        )
    return [
        records_table(
            "stopping",
            "Stops of reviews, means over topics",
            summaries,
            StopSummary,
            notes,
            columns_table(MEAN_COLUMNS, summaries),
        ),
        _topics_table(stops, per_topic),
    ]


STOP_HEADINGS = (
    "run",
    "topic",
    "target",
    "relevant",
    "documents",
    "read",
    "found",
    "earliest",
    "recall",
    "reached",
    "relative_error",
    "share_read",
    "excess",
    "cost",
)
"""Fields of a stop that programs get."""


def _excess(stop: Stop) -> Cell:
    """Return the documents read beyond the earliest stop with the target recall, as `+12` or `-3`.

    Empty if the run never has the target recall.
    """
    return f"{stop.excess:+.0f}" if stop.earliest else ""


STOP_COLUMNS: tuple[Column[Stop], ...] = (
    Column("run", lambda stop: stop.run),
    Column("topic", lambda stop: stop.topic),
    Column("target", lambda stop: stop.target),
    Column("read", lambda stop: stop.read),
    Column("found", lambda stop: f"{stop.found}/{stop.relevant}"),
    Column("recall", lambda stop: stop.recall),
    Column("reached", lambda stop: stop.reached),
    Column("excess", _excess),
    Column("cost", lambda stop: stop.cost),
)
"""Columns of the stops by topic, for people."""


def _topics_table(stops: Sequence[Stop], per_topic: bool) -> Table:
    """Return a row for each topic, run and target.

    per_topic  whether people see them
    """
    rows = [[getattr(stop, name) for name in STOP_HEADINGS] for stop in stops]
    return Table(
        name="topics",
        title="Stops by topic",
        headings=STOP_HEADINGS,
        rows=rows,
        shown=columns_table(STOP_COLUMNS, stops, left=2),  # run and topic are texts
        readers=Readers.ALL if per_topic else Readers.PROGRAMS,
    )


def stopping_figure(stops: Sequence[Stop]) -> Figure:
    """Draw recall against the share read, a point for each topic, a panel for each target."""
    targets = list(dict.fromkeys(stop.target for stop in stops))
    runs = list(dict.fromkeys(stop.run for stop in stops))
    with panels(len(targets), most_columns=3, plot_inches=(2.9, 2.6), margin_inches=(1.8, 0.0)) as (
        figure,
        grid,
    ):
        for target, axes in zip(targets, grid, strict=True):
            lines = []
            for run, look in zip(runs, run_styles(runs), strict=True):
                points = [stop for stop in stops if (stop.run, stop.target) == (run, target)]
                shares = [stop.share_read for stop in points]
                recalls = [stop.recall for stop in points]
                marks_only = {**look, "linestyle": ""}
                lines += axes.plot(shares, recalls, **marks_only, markersize=5)
            axes.axhline(target, color="#888888", linewidth=0.8)
            axes.set(title=f"target recall {target:g}", xlabel="share read", ylabel="recall")
            axes.set(xlim=(0, 1.02), ylim=(0, 1.05))
        add_legend(figure, *named_lines(lines, runs))  # of the last panel: runs look the same in all
    return figure
