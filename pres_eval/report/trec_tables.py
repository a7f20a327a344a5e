"""The three tables of the TREC evaluation report, and one of PRES and recall: as rows, and as text."""

from __future__ import annotations

from pres_eval.measures.precision import DOCUMENT_CUTOFFS
from pres_eval.report.text import text_of
from pres_eval.report.trec_report import RECALL_LEVELS, Report

Row = tuple[str, str]


def summary_statistics(report: Report, run: int) -> list[Row]:
    """The rows of the first table."""
    return [
        ("Run tag", text_of(report.evaluations[run].tag)),
        ("Run description", report.shown_path(report.files[run].path)),
        ("Number of topics", report.text(run, "num_q")),
        ("Retrieved", report.text(run, "num_ret")),
        ("Relevant", report.text(run, "num_rel")),
        ("Rel_ret", report.text(run, "num_rel_ret")),
    ]


def recall_level_averages(report: Report, run: int) -> list[Row]:
    """The rows of the second table: interpolated precision at eleven recall levels, and average precision."""
    rows = [(level, report.text(run, f"iprec_at_recall_{level}")) for level in RECALL_LEVELS]
    return [*rows, ("Average precision", report.text(run, "map"))]


def document_level_averages(report: Report, run: int) -> list[Row]:
    """The rows of the third table: precision at nine ranks, and R-precision."""
    rows = [(f"At {level} docs", report.text(run, f"P_{level}")) for level in DOCUMENT_CUTOFFS]
    return [*rows, ("R-precision", report.text(run, "Rprec"))]


def pres_and_recall(report: Report, run: int) -> list[tuple[str, str, str]]:
    """The rows of the table that TREC does not have: PRES and recall at each Nmax of the grid."""
    return [
        (str(cutoff), report.text(run, f"PRES_{cutoff}"), report.text(run, f"recall_{cutoff}"))
        for cutoff in report.grid
    ]


def as_text(report: Report) -> str:
    """The tables of all runs as TREC prints them, for a terminal; runs without tables at the end."""
    texts = [run_text(report, run) for run in range(len(report.names))]
    if report.failures:
        lines = (f"  {text_of(each.message)}\n" for each in report.failures)
        texts.append("Runs that could not be evaluated\n" + "".join(lines))
    return "\n\n".join(texts)


def run_text(report: Report, run: int) -> str:
    """The tables of one run."""
    statistics = dict(summary_statistics(report, run))
    lines = [
        "Summary Statistics",
        *(f"  {name:<20}{statistics[name]}" for name in ("Run tag", "Run description", "Number of topics")),
        "  Total number of documents over all topics",
        *(f"    {name:<16}{statistics[name]:>9}" for name in ("Retrieved", "Relevant", "Rel_ret")),
        "",
        "Recall Level Precision Averages",
        "  Recall     Precision",
    ]
    *levels, average = recall_level_averages(report, run)
    lines += [f"  {level:>6}{value:>14}" for level, value in levels]
    lines += ["  Average precision over all", "  relevant docs (non-interpolated)", f"  {average[1]:>20}", ""]
    lines += ["Document Level Averages", "                 Precision"]
    *ranks, exact = document_level_averages(report, run)
    lines += [f"  At {label.split()[1]:>5} docs{value:>10}" for label, value in ranks]
    lines += [
        "  R-Precision (precision after R docs",
        "  retrieved, R relevant documents)",
        f"  Exact{exact[1]:>19}",
        "",
    ]
    lines += ["PRES and recall", "    Nmax      PRES    Recall"]
    lines += [f"  {cutoff:>6}{pres:>10}{recall:>10}" for cutoff, pres, recall in pres_and_recall(report, run)]
    return "\n".join(lines) + "\n"
