"""The graphs of the report as pictures: what stands for what."""

from __future__ import annotations

from matplotlib.colors import to_hex
from matplotlib.patches import Rectangle
from support.made_reports import PATENT_QRELS, PATENT_RUNS, report_of

from pres_eval.report.drawing import COLOURS
from pres_eval.report.trec_pictures import Subject, draw_median


def test_bars_above_and_below_the_median_have_their_colours() -> None:
    """Blue is better than the median of the runs, orange is worse."""
    report = report_of(PATENT_QRELS, PATENT_RUNS)
    bars = [
        patch
        for run in range(len(PATENT_RUNS))
        for patch in draw_median(report, Subject((run,), 0, "map")).axes[0].patches
        if isinstance(patch, Rectangle) and patch.get_height()
    ]
    colours = {(bar.get_height() > 0, to_hex(bar.get_facecolor()).upper()) for bar in bars}
    assert colours == {(True, COLOURS[0]), (False, COLOURS[1])}
