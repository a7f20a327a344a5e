"""Reports for tests: of the patent fixture, and of files given as text."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from pres_eval.cli.commands import command_of
from pres_eval.cli.report import ReportOptions
from pres_eval.cli.report import report_of as report_from
from pres_eval.report.trec_report import Report

PATENTS = Path(__file__).parents[2] / "fixtures" / "patents"
PATENT_RUNS = sorted(str(path) for path in PATENTS.glob("run_*.txt"))
PATENT_QRELS = str(PATENTS / "qrels.txt")


def report_of(qrels: str, runs: Sequence[str], nmax: Sequence[int] = (100, 1000), **options: Any) -> Report:
    """The report that the command makes of files; few draws, because drawing takes most of the time."""
    context = command_of("report").make_context(
        "report", [qrels, *runs, "--quiet", "--samples", "200", "-o", "report.html"]
    )
    return report_from(ReportOptions(**context.params).replace(nmax=tuple(nmax), **options))


def report_of_texts(folder: Path, qrels: str, *runs: str, **options: Any) -> Report:
    """The report of judgements and runs given as text."""
    (folder / "qrels").write_text(qrels)
    for number, run in enumerate(runs):
        (folder / f"run{number}").write_text(run)
    return report_of(str(folder / "qrels"), [str(folder / f"run{n}") for n in range(len(runs))], **options)


def ranking(topic: str, relevant_at: Sequence[int], length: int, tag: str) -> str:
    """A run of one topic with documents R1, R2 ... at these ranks."""
    lines = []
    for rank in range(1, length + 1):
        docno = f"R{relevant_at.index(rank) + 1}" if rank in relevant_at else f"N{rank}"
        lines.append(f"{topic} Q0 {docno} {rank} {1000 - rank} {tag}\n")
    return "".join(lines)


def judgements(topic: str, count: int) -> str:
    """Judgements of one topic: R1 ... are relevant."""
    return "".join(f"{topic} 0 R{number} 1\n" for number in range(1, count + 1))
