"""What the report says of its own limits: few effective topics, intervals of the logit, small groups."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import Command

TOPICS = [f"{topic:02d}" for topic in range(1, 21)]


@pytest.fixture
def files(tmp_path: Path) -> Path:
    """Two runs of which the second is better on five topics, and worse on fifteen."""
    judged: list[str] = []
    first: list[str] = []
    second: list[str] = []
    for number, topic in enumerate(TOPICS):
        judged.append(f"{topic} 0 R 1\n")
        few = number < 5
        place = number % 3
        for run, at in ((first, 2 + place), (second, 1 if few else 5 + place)):
            docnos = [f"N{rank}" for rank in range(8)]
            docnos.insert(at - 1, "R")
            run += [f"{topic} Q0 {docno} {rank} {-rank} tag{at}\n" for rank, docno in enumerate(docnos)]
    for name, lines in (("qrels", judged), ("first", first), ("second", second)):
        (tmp_path / name).write_text("".join(lines))
    (tmp_path / "groups").write_text(
        "".join(f"{topic} {'few' if number < 5 else 'many'}\n" for number, topic in enumerate(TOPICS))
    )
    return tmp_path


def written(command: Command, files: Path, *options: str | Path) -> tuple[str, str]:
    """Return the page of the two runs, and what came on stderr."""
    page = files / "page.html"
    called = command(
        "report", files / "qrels", files / "first", files / "second", "-m", "map", "-o", page, *options
    )
    assert called.code == 0
    return page.read_text(), called.err


@pytest.mark.parametrize(("heavy", "warned"), [(60, True), (2, False), (1, False)])
def test_few_effective_topics_and_the_logit(heavy: int, warned: bool, command: Command, files: Path) -> None:
    weights = files / "weights"
    weights.write_text("".join(f"{topic} {heavy if topic < '03' else 1}\n" for topic in TOPICS))
    page, words = written(command, files, "--weights", weights)
    assert ("20 topics tell as much as 2.6 of equal weight (Kish)" in words) is warned
    kind = "t; of means from 0 to 1, t of the logit" if heavy > 1 else "t"
    assert f"<dt>Intervals of the means</dt><dd>{kind}</dd>" in page


def test_a_significant_interaction_with_a_small_group(command: Command, files: Path) -> None:
    page, _ = written(command, files, "--groups", files / "groups")
    assert "p is too low if differences are skewed and vary more in a small group" in page
    assert "up to 19 % of cases for a group of 5 topics" in page


def test_no_such_note_without_a_significant_interaction(command: Command, files: Path) -> None:
    (files / "groups").write_text("".join(f"{topic} {int(topic) % 2}\n" for topic in TOPICS))
    page, _ = written(command, files, "--groups", files / "groups")
    assert "Whether the difference in map" in page
    assert "p is too low" not in page
