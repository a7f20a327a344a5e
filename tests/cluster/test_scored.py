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
from pres_eval.ranking.run_file import Ranking
from pres_eval.scoring import ScoredRanking

pytestmark = pytest.mark.skipif(not can_copy(), reason="processes are not copied here")


@pytest.fixture
def together(tmp_path: Path) -> list[str]:
    """The same with its topics together, in another order than that of the judgements; no scores tie."""
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    rows = [(t, d) for t in (7, 3, 8, 0, 5, 2, 6, 1, 4) for d in range(5 + t)]
    run.write_text("".join(f"t{t} Q0 d{d} 0 {(d * 7 + t) % 29} r\n" for t, d in rows))
    qrels.write_text("".join(f"t{t} 0 d{d} {(d + t) % 3}\n" for t in range(8) for d in range(12)))
    return [str(qrels), str(run)]


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A run of 9 topics, whose lines are in no order, and judgements of most of its documents."""
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    rows = sorted((d, t) for t in range(9) for d in range(5 + t))
    run.write_text("".join(f"t{t} Q0 d{d} 0 {(d * 7 + t) % 9} r\n" for d, t in rows))
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


def runs_of(monkeypatch: pytest.MonkeyPatch) -> list[Ranking]:
    """What became of the runs whose topics were to be scored where they were ranked."""
    given: list[Ranking] = []
    ranking = scored.Scores.ranking

    def noted(scores: scored.Scores, *arguments: Any) -> Ranking:
        given.append(ranking(scores, *arguments))
        return given[-1]

    monkeypatch.setattr(scored.Scores, "ranking", noted)
    return given


@pytest.mark.parametrize("size", [250, 400, 5000])
@pytest.mark.parametrize(
    "options",
    [
        *(
            [],
            ["-q", "-m", "all_trec", "-m", "relstring", "-m", "runid"],
            ["-q", "-M", "4", "-J"],
            ["-n", "-q"],
        ),
        *(["-q", "--ties", "best"], ["--ties", "expected", "-m", "map"], ["-q", "--bounds", "-m", "P"]),
        *(["--format", "json", "-q"], ["--format", "table", "-q"], ["--quiet", "--fail-under", "map=0.9"]),
        *(["-l", "3"], ["--duplicates", "first"], ["--nmax", "5", "-m", "PRES", "-m", "rbp"]),
    ],
)
@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
def test_topics_scored_where_they_are_ranked(
    compat: str, options: list[str], size: int, together: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The output is the same in all formats, also that of topics which lie in two splits."""
    arguments = ["--compat", compat, *options, *together]
    expected = in_splits.printed(["--jobs", "1", *arguments])
    given = runs_of(monkeypatch)
    assert in_splits.printed_in_splits(arguments, size, in_splits.COPIES) == expected
    assert [type(each) for each in given] == [ScoredRanking]
    assert not len(given[0].rank) and len(given[0].topic) == 8


def test_several_runs_scored_so(together: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over their own topics; those over common ones, and experiments, want ranks."""
    other = tmp_path / "other"
    lines = Path(together[1]).read_text().splitlines(keepends=True)
    other.write_text("".join(line for line in lines if not line.startswith("t3")))
    arguments = [*together, str(other)]
    for options, num_scored in ([], 2), (["--topics", "common", "-q"], 0), (["--topics", "all"], 0):
        expected = in_splits.printed(["--jobs", "1", *options, *arguments])
        given = runs_of(monkeypatch)
        assert in_splits.printed_in_splits([*options, *arguments], 250, in_splits.COPIES) == expected
        assert expected[0] == 0 and len(given) == num_scored


@pytest.mark.parametrize(("bytes_of_a_value", "kind"), [(0, ScoredRanking), (1 << 20, Ranking)])
def test_values_that_take_more_room_than_ranks(
    bytes_of_a_value: int, kind: type[Ranking], together: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for very many columns, or topics with hardly a judged document."""
    expected = in_splits.printed(["--jobs", "1", *together])
    given = runs_of(monkeypatch)
    with pytest.MonkeyPatch.context() as patch:
        in_splits.read_by_copies(patch, 250)
        patch.setattr(scored, "VALUE_BYTES", bytes_of_a_value)
        assert in_splits.printed([*together, "--jobs", "2"]) == expected
    assert [type(each) for each in given] == [kind]


@pytest.mark.parametrize("first", [True, False])
def test_ties_that_are_worth_a_warning(
    first: bool, together: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What their order matters takes the ranks: the run is read again, whenever they are found."""
    run = Path(together[1])
    lines = run.read_text().splitlines(keepends=True)
    tied = slice(0, 9) if first else slice(-9, None)
    lines[tied] = [" ".join([*line.split()[:4], "1", "r"]) + "\n" for line in lines[tied]]
    run.write_text("".join(lines))
    expected = in_splits.printed(["--jobs", "1", "-q", *together])
    given = runs_of(monkeypatch)
    assert in_splits.printed_in_splits(["-q", *together], 250, in_splits.COPIES) == expected
    assert not given and "equal scores" in expected[2]


def test_what_is_wrong_with_a_run_scored_so(together: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Nothing is printed before a fault in its last line is told."""
    run = Path(together[1])
    text = run.read_text()
    for last in ("t9 Q0 d1 0 x r\n", "t4 Q0 d1 0 1 r\n", "t7 Q0 d99 0 1 r\n"):
        run.write_text(text + last)
        expected = in_splits.printed(["--jobs", "1", "-q", *together])
        assert in_splits.printed_in_splits(["-q", *together], 250, in_splits.COPIES) == expected
        assert (expected[0] == 0) is (last.startswith("t7"))


def test_judgements_that_need_all_topics(together: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics that the run lacks and that count, one topic alone, a document judged twice: ranks are kept."""
    given = runs_of(monkeypatch)
    Path(together[0]).write_text(Path(together[0]).read_text() + "t33 0 d1 1\n")
    for options in ["-c", "-q"], ["-D", "0.t3", "-q"]:
        expected = in_splits.printed(["--jobs", "1", *options, *together])
        assert in_splits.printed_in_splits([*options, *together], 250, in_splits.COPIES) == expected
        assert expected[0] == 0
    Path(together[0]).write_text(Path(together[0]).read_text() + "t4 0 d3 1\n")
    expected = in_splits.printed(["--jobs", "1", "-q", *together])
    assert in_splits.printed_in_splits(["-q", *together], 250, in_splits.COPIES) == expected
    assert expected[0] == 2 and not given


def test_many_blocks(together: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics come out in their order whatever blocks they are put together to."""
    expected = in_splits.printed(["--jobs", "1", "-q", *together])
    monkeypatch.setattr(scored, "BLOCK", 3)
    given = runs_of(monkeypatch)
    assert in_splits.printed_in_splits(["-q", *together], 250, in_splits.COPIES) == expected
    assert isinstance(given[0], ScoredRanking)
    assert [len(block.topics) for block in given[0].blocks] == [3, 3, 2]
