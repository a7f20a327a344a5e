"""The report as a PDF: pages of one size, and legends that stay within their pictures."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from matplotlib.figure import Figure
from matplotlib.patches import StepPatch
from support.made_reports import PATENT_QRELS, PATENT_RUNS, judgements, ranking, report_of, report_of_texts

from pres_eval.report.drawing import add_legend
from pres_eval.report.trec_pictures import MANY_BARS, Subject, draw_median
from pres_eval.report.trec_plots import PAGE_INCHES, as_picture, document, page_around


@pytest.mark.slow
def test_all_pages_are_alike() -> None:
    pdf = as_picture(report_of(PATENT_QRELS, PATENT_RUNS[:1]), "report.pdf")
    boxes = re.findall(rb"/MediaBox \[ *([\d. ]+?) *\]", pdf)
    assert len(boxes) >= 3 + 1
    sizes = {tuple(map(float, box.split())) for box in boxes}
    assert len(sizes) == 1 and sizes.pop() == pytest.approx((0, 0, 72 * PAGE_INCHES[0], 72 * PAGE_INCHES[1]))


@pytest.mark.slow
def test_less_is_better_on_paper(tmp_path: Path) -> None:
    topics = [f"{topic}" for topic in range(1, 5)]
    qrels = "".join(judgements(topic, 2) for topic in topics)
    runs = [
        "".join(ranking(topic, (1, last + at), 40, tag) for at, topic in enumerate(topics))
        for tag, last in (("slow", 30), ("fast", 3), ("middle", 12))
    ]
    first = next(iter(document(report_of_texts(tmp_path, qrels, *runs, measures=("last_rel",)))))
    lines = first.texts[0].get_text().splitlines()
    assert [line.split()[0] for line in lines[-3:]] == ["fast", "middle", "slow"]


@pytest.mark.parametrize("count", [5, 8])
def test_the_names_of_curves_are_in_the_picture(count: int) -> None:
    figure = Figure(figsize=(9.5, 7.2), layout="constrained")
    axes = figure.subplots()
    for number in range(count):
        axes.plot([0, 1], [0, number])
    add_legend(figure, axes.get_lines(), [f"run-{number}" for number in range(count)])
    page = page_around(figure)
    figure.draw_without_rendering()
    (legend,) = figure.legends
    assert len(legend.get_texts()) == count
    for box in (legend.get_window_extent(), axes.get_window_extent()):
        inches = box.transformed(figure.dpi_scale_trans.inverted())
        assert page.x0 <= inches.x0 and page.y0 <= inches.y0
        assert inches.x1 <= page.x1 and inches.y1 <= page.y1
    assert not legend.get_window_extent().overlaps(axes.get_window_extent())
    assert (page.width, page.height) == pytest.approx(PAGE_INCHES)


@pytest.mark.slow
def test_many_topics_are_one_shape(tmp_path: Path) -> None:
    """Each value is drawn at its place all the same."""
    topics = [f"{topic:04d}" for topic in range(MANY_BARS + 1)]
    qrels = "".join(judgements(topic, 1) for topic in topics)
    runs = [
        "".join(ranking(topic, (1 + at % (3 + run),), 10, f"run{run}") for at, topic in enumerate(topics))
        for run in range(3)
    ]
    report = report_of_texts(tmp_path, qrels, *runs)
    axes = draw_median(report, Subject((1,), 0, "map")).axes[0]
    shapes = [patch for patch in axes.patches if isinstance(patch, StepPatch)]
    assert len(shapes) == len(axes.patches) == 2
    drawn = np.sum([shape.get_data()[0] for shape in shapes], axis=0)
    middle = np.median(report.matrix("map"), axis=0)
    assert drawn.tolist() == sorted((report.matrix("map")[1] - middle).tolist(), reverse=True)
