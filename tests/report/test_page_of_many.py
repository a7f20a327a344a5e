"""The page of sixty runs over 250 topics: how large it is, and that its first table needs no script."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.made_reports import judgements, ranking, report_of_texts

from pres_eval.report.html import as_html

RUNS, TOPICS = 60, [str(topic) for topic in range(1000, 1250)]


@pytest.mark.slow
def test_sixty_runs_are_less_than_two_megabytes(tmp_path: Path) -> None:
    runs = [
        "".join(
            ranking(topic, (1 + (at + run) % 7, 9 + (at * run) % 11), 20, f"run{run}")
            for at, topic in enumerate(TOPICS)
        )
        for run in range(RUNS)
    ]
    qrels = "".join(judgements(topic, 2) for topic in TOPICS)
    page = as_html(report_of_texts(tmp_path, qrels, *runs, names="tag"))
    assert len(page.encode()) < 2_000_000
    board = page.partition('id="board"')[2].partition("</table>")[0]
    assert board.count("<tr>") == RUNS + 1 and "<script" not in board
    assert page.index('id="board"') < 150_000, "bytes before the first table: style, and what is in short"
