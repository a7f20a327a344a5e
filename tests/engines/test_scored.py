"""Copies of the process score the topics that they ranked as its threads do."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from support import in_splits

from pres_eval.cluster import scored
from pres_eval.cluster.copies import can_copy
from pres_eval.ranking.ranking import Ranking
from pres_eval.scoring import ScoredRanking

pytestmark = pytest.mark.skipif(not can_copy(), reason="processes are not copied here")


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """A run of 9 topics in another order than that of the judgements; no scores tie."""
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    rows = [(t, d) for t in (7, 3, 8, 0, 5, 2, 6, 1, 4) for d in range(5 + t)]
    run.write_text("".join(f"t{t} Q0 d{d} 0 {(d * 7 + t) % 29} r\n" for t, d in rows))
    qrels.write_text("".join(f"t{t} 0 d{d} {(d + t) % 3}\n" for t in range(8) for d in range(12)))
    return [str(qrels), str(run)]


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
    compat: str, options: list[str], size: int, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """The output is the same in all formats, also that of topics which lie in two splits."""
    arguments = ["--compat", compat, *options, *files]
    expected = in_splits.printed(["--jobs", "1", *arguments])
    given = runs_of(monkeypatch)
    assert in_splits.printed_in_splits(arguments, size, in_splits.COPIES) == expected
    assert [type(each) for each in given] == [ScoredRanking]
    assert not len(given[0].rank) and len(given[0].topic) == 8


def test_several_runs_scored_so(files: list[str], tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Over their own topics; those over common ones, and experiments, want ranks."""
    other = tmp_path / "other"
    lines = Path(files[1]).read_text().splitlines(keepends=True)
    other.write_text("".join(line for line in lines if not line.startswith("t3")))
    arguments = [*files, str(other)]
    for options, num_scored in ([], 2), (["--topics", "common", "-q"], 0), (["--topics", "all"], 0):
        expected = in_splits.printed(["--jobs", "1", *options, *arguments])
        given = runs_of(monkeypatch)
        assert in_splits.printed_in_splits([*options, *arguments], 250, in_splits.COPIES) == expected
        assert expected[0] == 0 and len(given) == num_scored


@pytest.mark.parametrize(("bytes_of_a_value", "kind"), [(0, ScoredRanking), (1 << 20, Ranking)])
def test_values_that_take_more_room_than_ranks(
    bytes_of_a_value: int, kind: type[Ranking], files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for very many columns, or topics with hardly a judged document."""
    expected = in_splits.printed(["--jobs", "1", *files])
    given = runs_of(monkeypatch)
    with pytest.MonkeyPatch.context() as patch:
        in_splits.read_by_copies(patch, 250)
        patch.setattr(scored, "VALUE_BYTES", bytes_of_a_value)
        assert in_splits.printed([*files, "--jobs", "2"]) == expected
    assert [type(each) for each in given] == [kind]


@pytest.mark.parametrize("first", [True, False])
def test_ties_that_are_worth_a_warning(
    first: bool, files: list[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """What their order matters takes the ranks: the run is read again, whenever they are found."""
    run = Path(files[1])
    lines = run.read_text().splitlines(keepends=True)
    tied = slice(0, 9) if first else slice(-9, None)
    lines[tied] = [" ".join([*line.split()[:4], "1", "r"]) + "\n" for line in lines[tied]]
    run.write_text("".join(lines))
    expected = in_splits.printed(["--jobs", "1", "-q", *files])
    given = runs_of(monkeypatch)
    assert in_splits.printed_in_splits(["-q", *files], 250, in_splits.COPIES) == expected
    assert not given and "equal scores" in expected[2]


def test_what_is_wrong_with_a_run_scored_so(files: list[str]) -> None:
    """Nothing is printed before a fault in its last line is told."""
    run = Path(files[1])
    text = run.read_text()
    for last in ("t9 Q0 d1 0 x r\n", "t4 Q0 d1 0 1 r\n", "t7 Q0 d99 0 1 r\n"):
        run.write_text(text + last)
        expected = in_splits.printed(["--jobs", "1", "-q", *files])
        assert in_splits.printed_in_splits(["-q", *files], 250, in_splits.COPIES) == expected
        assert (expected[0] == 0) is (last.startswith("t7"))


def test_judgements_that_need_all_topics(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics that the run lacks and that count, one topic alone, a document judged twice: ranks are kept."""
    given = runs_of(monkeypatch)
    Path(files[0]).write_text(Path(files[0]).read_text() + "t33 0 d1 1\n")
    for options in ["-c", "-q"], ["-D", "0.t3", "-q"]:
        expected = in_splits.printed(["--jobs", "1", *options, *files])
        assert in_splits.printed_in_splits([*options, *files], 250, in_splits.COPIES) == expected
        assert expected[0] == 0
    Path(files[0]).write_text(Path(files[0]).read_text() + "t4 0 d3 1\n")
    expected = in_splits.printed(["--jobs", "1", "-q", *files])
    assert in_splits.printed_in_splits(["-q", *files], 250, in_splits.COPIES) == expected
    assert expected[0] == 2 and not given


def test_many_blocks(files: list[str], monkeypatch: pytest.MonkeyPatch) -> None:
    """Topics come out in their order whatever blocks they are put together to."""
    expected = in_splits.printed(["--jobs", "1", "-q", *files])
    monkeypatch.setattr(scored, "BLOCK", 3)
    given = runs_of(monkeypatch)
    assert in_splits.printed_in_splits(["-q", *files], 250, in_splits.COPIES) == expected
    assert isinstance(given[0], ScoredRanking)
    assert [len(block.topics) for block in given[0].blocks] == [3, 3, 2]
