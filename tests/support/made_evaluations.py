"""Evaluations made by hand, for what shows them: no file is read, no measure computed."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np

from pres_eval.measures.base import Format, Measure, Totals, total
from pres_eval.measures.names import View
from pres_eval.measures.selection import SelectedColumn
from pres_eval.scoring import ScoredRun
from pres_eval.scoring.summing import Values

RUNID = Measure("runid", lambda batch: [], format=Format.TAG, per_topic=False, tells_quality=False)
NUM_Q = Measure("num_q", lambda batch: [], format=Format.COUNT, per_topic=False, tells_quality=False)
NUM_REL_RET = Measure("num_rel_ret", lambda batch: [], format=Format.COUNT, summary=total)
MAP = Measure("map", lambda batch: [])
PRES = Measure("PRES", lambda batch: [])
UNJ = Measure("unj", lambda batch: [], less_is_better=True)
RELSTRING = Measure("relstring", lambda batch: [], format=Format.TEXT, summary=None, tells_quality=False)
MEASURES = (RUNID, NUM_Q, NUM_REL_RET, MAP, PRES, UNJ, RELSTRING)

COLUMNS = (
    SelectedColumn(label="runid", measure=RUNID, arguments=()),
    SelectedColumn(label="num_q", measure=NUM_Q, arguments=()),
    SelectedColumn(label="num_rel_ret", measure=NUM_REL_RET, arguments=()),
    SelectedColumn(label="map", measure=MAP, arguments=(), view=View(level=2)),
    SelectedColumn(label="PRES_100", measure=PRES, arguments=(100,)),
    SelectedColumn(label="unj_5", measure=UNJ, arguments=(5,)),
    SelectedColumn(label="relstring_10", measure=RELSTRING, arguments=(10,)),
)


def evaluation(
    tag: str = "keyword",
    topics: Sequence[bytes] = (b"1", b"10", b"2"),
    average_precision: Sequence[float] = (0.1, 1 / 3, 0.75),
    pres: Sequence[float] = (0.5, 0.25, 1.0),
    path: str = "run.txt",
    unjudged: float = 0.125,
) -> ScoredRun:
    """One run with seven columns; the summaries are those of the topics given."""
    count = len(topics)
    values: tuple[Values, ...] = (
        [tag] * count,
        np.ones(count),
        np.arange(count, dtype=float),
        np.array(average_precision, float),
        np.array(pres, float),
        np.full(count, unjudged),
        ["01-"] * count,
    )
    summary = (
        tag,
        float(count),
        count * (count - 1) / 2,
        mean(average_precision),
        mean(pres),
        unjudged,
        None,
    )
    totals = Totals(count, count, 7, False)
    return ScoredRun(tuple(topics), values, path, tag, COLUMNS, summary, totals)


def mean(values: Sequence[float]) -> float:
    added = 0.0
    for value in values:
        added += value
    return added / len(values) if values else 0.0
