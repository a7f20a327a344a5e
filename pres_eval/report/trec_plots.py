"""The report as pictures, each by its name, and as a PDF with all of them and the tables (extra: plot)."""

from __future__ import annotations

import io
from collections.abc import Callable
from typing import TYPE_CHECKING

from pres_eval.errors import UsageError
from pres_eval.report.drawing import check_matplotlib, check_picture_ending, picture, style
from pres_eval.report.report_topics import median_labels
from pres_eval.report.trec_document import document, draw_curves, page_around
from pres_eval.report.trec_report import Report, title_of
from pres_eval.report.trec_run_plots import (
    Subject,
    default_subject,
    draw_distributions,
    draw_intervals,
    draw_one_graph,
    draw_relevant,
)
from pres_eval.report.trec_topic_plots import draw_explained, draw_median, draw_pair, draw_topic

if TYPE_CHECKING:
    from matplotlib.figure import Figure


def as_picture(report: Report, path: str, name: str | None = None, subject: Subject | None = None) -> bytes:
    """The picture of that name, as the ending of the path says.

    Without a name: a PDF with everything; PNG and SVG with the curves and the histogram of the first run.
    Raises UsageError for another ending, or a picture that the report does not have.
    """
    kind = check_picture_ending(path, path)
    check_matplotlib("drawing the report")
    if name is not None:
        draw, need = PICTURES[name]
        subject = subject or default_subject(report)
        if len(subject.runs) < need:
            raise UsageError(f"--picture {name}: a picture of {need} runs, and the report has one")
        return picture(draw(report, subject), path)
    if kind != ".pdf":
        return picture(draw_curves(report, histogram=bool(median_labels(report))), path)
    from matplotlib.backends.backend_pdf import PdfPages

    output = io.BytesIO()
    metadata = {"CreationDate": None, "Title": title_of(report)}
    with style(), PdfPages(output, metadata=metadata) as pages:
        for figure in document(report):
            pages.savefig(figure, bbox_inches=page_around(figure))
    return output.getvalue()


PICTURES: dict[str, tuple[Callable[[Report, Subject], Figure], int]] = {
    "recall-precision": (draw_one_graph("recall-precision"), 1),
    "PRES": (draw_one_graph("PRES"), 1),
    "recall": (draw_one_graph("recall"), 1),
    "ROC": (draw_one_graph("ROC"), 1),
    "leaderboard": (draw_intervals, 1),
    "distributions": (draw_distributions, 1),
    "relevant": (draw_relevant, 1),
    "median": (draw_median, 1),
    "pair": (draw_pair, 2),
    "topic": (draw_topic, 1),
    "explain": (draw_explained, 1),
}
"""The pictures by the names of --picture: how each is drawn, and of how many runs it is."""
