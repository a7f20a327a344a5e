"""Copies of the process score a run as its threads do, and threads go on where a copy fails."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path
from typing import Any

import pytest
from support import in_splits

from pres_eval.cluster import scored
from pres_eval.cluster.copies import Copies, can_copy
from pres_eval.cluster.engines import Result, Shared, Work

pytestmark = pytest.mark.skipif(not can_copy(), reason="processes are not copied here")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A run of 9 topics, and judgements of most of its documents."""
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_text("".join(f"t{t} Q0 d{d} 0 {(d * 7 + t) % 9} r\n" for t in range(9) for d in range(5 + t)))
    qrels.write_text("".join(f"t{t} 0 d{d} {(d + t) % 3}\n" for t in range(8) for d in range(12)))
    return [str(qrels), str(run)]


def ranges_of(monkeypatch: pytest.MonkeyPatch, failing: int | None = None) -> list[tuple[int, int]]:
    """The ranges of topics that copies are given; one of them fails."""
    given: list[tuple[int, int]] = []

    class Noted(Copies):
        def map(self, work: Work[Result], items: Iterable[Any], *shared: Shared) -> Any:
            given.extend(items)

            def working(item: Any) -> Result:
                assert failing is None or item != given[failing]
                return work(item)

            return super().map(working, given, *shared)

    monkeypatch.setattr(scored, "Copies", Noted)
    return given


@pytest.mark.parametrize("options", [[], ["-q", "-m", "all_trec"], ["-q", "-M", "4", "-J"], ["-n", "-q"]])
@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
def test_the_output_is_the_same(
    compat: str, options: list[str], files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    arguments = ["--compat", compat, *options, *files]
    expected = in_splits.printed(["--jobs", "1", *arguments])
    given = ranges_of(monkeypatch)
    assert in_splits.printed_in_splits(arguments, 100, in_splits.COPIES) == expected
    assert given[0] == (0, 1) and given[-1] == (7, 8)
    assert expected[0] == 0


def test_topics_that_the_run_lacks(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """They lie between those that it has, so that threads score all."""
    Path(files[0]).write_text(Path(files[0]).read_text() + "t33 0 d1 1\n")
    arguments = ["-c", "-q", "--compat", "10.0", *files]
    expected = in_splits.printed(["--jobs", "1", *arguments])
    given = ranges_of(monkeypatch)
    assert in_splits.printed_in_splits(arguments, 100, in_splits.COPIES) == expected
    assert not given and b"t33" in expected[1]


@pytest.mark.parametrize("failing", [0, 3, 7])
def test_a_copy_that_fails(failing: int, files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """What was printed by then is not printed again."""
    expected = in_splits.printed(["--jobs", "1", "-q", *files])
    given = ranges_of(monkeypatch, failing)
    assert in_splits.printed_in_splits(["-q", *files], 100, in_splits.COPIES) == expected
    assert len(given) == 8


def test_what_is_wrong_is_told(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """A document of the fifth topic that is judged twice: no topic is printed before that is said."""
    Path(files[0]).write_text(Path(files[0]).read_text() + "t4 0 d3 1\n")
    expected = in_splits.printed(["--jobs", "1", "-q", *files])
    given = ranges_of(monkeypatch)
    assert in_splits.printed_in_splits(["-q", *files], 100, in_splits.COPIES) == expected
    assert expected[:2] == (2, b"") and "t4" in expected[2]
    assert not given


def test_judgements_of_another_kind(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Threads score them."""
    lines = [line.split() for line in Path(files[0]).read_text().splitlines()]
    Path(files[0]).write_text("".join(f"{topic} 1 1 {docno} {grade}\n" for topic, _, docno, grade in lines))
    arguments = ["-q", "-R", "prefs", "-m", "all_prefs", *files]
    expected = in_splits.printed(["--jobs", "1", *arguments])
    given = ranges_of(monkeypatch)
    assert in_splits.printed_in_splits(arguments, 100, in_splits.COPIES) == expected
    assert expected[0] == 0 and not given


def test_where_processes_are_not_copied(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    expected = in_splits.printed(["--jobs", "1", "-q", *files])
    monkeypatch.setattr(scored, "can_copy", lambda: False)
    given = ranges_of(monkeypatch)
    assert in_splits.printed_in_splits(["-q", *files], 100, in_splits.COPIES) == expected
    assert not given
