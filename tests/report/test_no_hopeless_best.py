"""A run is called best only if no run that lacks topics is better on the topics that both have."""

from __future__ import annotations

import re
from collections.abc import Mapping, Sequence
from html import unescape
from pathlib import Path

import pytest
from support.commands import Command
from support.made_reports import judgements, ranking

TOPICS = [str(topic) for topic in range(1, 21)]


def write_files(folder: Path, runs: Mapping[str, Mapping[str, Sequence[int]]]) -> list[str]:
    """Return the paths of judgements with one relevant document a topic, and of runs: topic -> its rank."""
    topics = sorted({topic for ranks in runs.values() for topic in ranks}, key=int)
    (folder / "qrels").write_text("".join(judgements(topic, 1) for topic in topics))
    for name, ranks in runs.items():
        (folder / name).write_text("".join(ranking(topic, at, 12, name) for topic, at in ranks.items()))
    return [str(folder / "qrels"), *(str(folder / name) for name in runs)]


@pytest.fixture
def hopeless(tmp_path: Path) -> list[str]:
    """`weak` has the document at rank 2 or 3 of 20 topics, `strong` at 1 or 2 of 19; `poor` at 4 of 20."""
    weak = {topic: (2 + at % 2,) for at, topic in enumerate(TOPICS)}
    strong = {topic: (1 + at % 2,) for at, topic in enumerate(TOPICS[:19])}
    return write_files(tmp_path, {"weak": weak, "strong": strong, "poor": dict.fromkeys(TOPICS, (4,))})


def page_of(command: Command, folder: Path, files: Sequence[str], *options: str) -> str:
    """Return the page that `report` writes."""
    called = command("report", *files, "-m", "map", "-o", folder / "r.html", "--quiet", *options)
    assert called.code == 0, called.err
    return (folder / "r.html").read_text()


def section_words(page: str, name: str) -> str:
    """Return the text of a section of the page."""
    found = re.search(rf'<section id="{name}".*?</section>', page, re.DOTALL)
    assert found is not None
    return unescape(re.sub("<[^>]*>", "", found[0]))


def test_the_page_calls_no_hopeless_run_best(command: Command, hopeless: list[str], tmp_path: Path) -> None:
    """2.21.0: "weak is best by map: 0.4167", green, and "weak is significantly worse than strong"."""
    page = page_of(command, tmp_path, hopeless)
    words = section_words(page, "summary")
    assert (
        "No run is called best: strong lacks 1 of 20 topics and is better on the other 19"
        " (0.7632 against 0.4211 of weak)." in words
    )
    assert "strong is significantly better than weak (+0.3421, p < 0.0001, 19 topics)" in words
    assert "is best" not in words and "significantly worse" not in words
    # Nothing is said of a run that was picked from several.
    assert not re.search(r"(weak|strong) (fails|misses|is first)|documents of (weak|strong) are", words)
    assert 'class="n best"' not in page
    assert "the best of each measure marked" not in page
    assert "could be best" not in section_words(page, "trust")


def test_the_script_calls_the_baseline_the_best_only_if_it_is(
    command: Command, hopeless: list[str], tmp_path: Path
) -> None:
    assert '"leaders":[]' in page_of(command, tmp_path, hopeless)
    assert '"leaders":[1]' in page_of(command, tmp_path, hopeless, "--topics", "common")


def test_a_run_that_lacks_topics_and_is_no_better_changes_nothing(command: Command, tmp_path: Path) -> None:
    """Its mean is higher, as its topics are easy; on these the best run is as good or better."""
    good = {topic: (1 if at < 5 else 2,) for at, topic in enumerate(TOPICS)}
    files = write_files(
        tmp_path, {"good": good, "poor": dict.fromkeys(TOPICS, (4,)), "easy": dict.fromkeys(TOPICS[:5], (1,))}
    )
    page = page_of(command, tmp_path, files)
    words = section_words(page, "summary")
    assert "good is best by map: 0.6250" in words and "Not ranked, as they lack topics: easy." in words
    assert "good is significantly better than 1 of the 2 other runs." in words
    assert page.count('class="n best"') == 1
    assert "of the runs with all topics (1 more lacks some)" in section_words(page, "trust")


def test_each_measure_has_its_own_best(command: Command, hopeless: list[str], tmp_path: Path) -> None:
    """By recall nobody is better than `weak`, and `poor` is as good."""
    page = page_of(command, tmp_path, hopeless, "-m", "recall.10", "-m", "gm_map")
    board = page.partition('id="board"')[2].partition("</table>")[0]
    marked = re.findall(r'class="n best" data-board="(\w+)"', board)
    assert marked == ["recall_10", "recall_10"]


def test_losses_to_runs_that_are_not_ranked_count(command: Command, tmp_path: Path) -> None:
    """By signed ranks `steady` beats the run with the higher mean, whether or not it has all topics."""
    peaks = {topic: (1 if at < 4 else 12,) for at, topic in enumerate(TOPICS)}
    steady = {topic: (10 if at < 4 else 11,) for at, topic in enumerate(TOPICS[:19])}
    files = write_files(tmp_path, {"peaks": peaks, "steady": steady, "poor": dict.fromkeys(TOPICS, (13,))})
    words = section_words(page_of(command, tmp_path, files, "--test", "sign"), "summary")
    assert "peaks is best by map" in words
    assert "peaks is significantly better than 1 of the 2 other runs and significantly worse than 1." in words


def test_no_other_run_is_counted_among_none(command: Command, tmp_path: Path) -> None:
    """2.21.0: "no other run could be best: the bounds of map of 0 of 0 other runs reach into those of"."""
    files = write_files(
        tmp_path, {"good": dict.fromkeys(TOPICS, (1,)), "some": dict.fromkeys(TOPICS[:19], (2,))}
    )
    words = section_words(page_of(command, tmp_path, files), "trust")
    assert "of 0 other" not in words and "could be best" not in words


@pytest.mark.parametrize("output_format", ["table", "markdown", "latex"])
def test_a_sorted_table_says_that_no_run_is_best(
    command: Command, hopeless: list[str], output_format: str
) -> None:
    """2.21.0: weak, poor, strong, and nothing about which is better where both were evaluated."""
    called = command(*hopeless, "-m", "map", "--format", output_format, "--sort", "map", "--quiet")
    assert called.code == 0
    assert re.search("weak.*poor.*strong", called.out, re.DOTALL)
    assert (
        "no run is best by map: strong lacks 1 of 20 topics and is better on the other 19"
        " (0.7632 against 0.4211 of weak)" in called.out
    )


def test_a_sorted_table_with_weights_and_groups(
    command: Command, hopeless: list[str], tmp_path: Path
) -> None:
    """The means over common topics are those that the columns have, weighted or of a group."""
    (tmp_path / "weights").write_text("".join(f"{topic} {1 + int(topic) % 2}\n" for topic in TOPICS))
    (tmp_path / "groups").write_text("".join(f"{topic} g{int(topic) % 2}\n" for topic in TOPICS))
    options = ("-m", "map", "--format", "table", "--quiet")
    weighted = command(*hopeless, *options, "--sort", "map", "--weights", tmp_path / "weights").out
    # Odd topics, the ten of weight 2: 1 against 0.5; even ones: 0.5 against 0.3333.
    assert f"({(20 + 9 / 2) / 29:.4f} against {(10 + 9 / 3) / 29:.4f} of weak)" in weighted
    grouped = (*hopeless, *options, "--groups", str(tmp_path / "groups"))
    assert "strong lacks 1 of 10 topics and is better on the other 9 (0.5000 against 0.3333 of weak)" in (
        command(*grouped, "--sort", "map[g0]").out
    )
    assert "no run is best" not in command(*grouped, "--sort", "map[g1]").out


def test_runs_over_different_topics_are_not_ranked_although_they_have_as_many(
    command: Command, tmp_path: Path
) -> None:
    """2.21.0: sorted by means over two topics each that have nothing in common."""
    files = write_files(tmp_path, {"low": {"1": (3,), "2": (3,)}, "high": {"3": (1,), "4": (1,)}})
    called = command(*files, "-m", "map", "--format", "table", "--sort", "map", "--quiet")
    assert "no run is best by map: every run lacks topics that another has" in called.out
    complete = command(*files, "-m", "map", "--format", "table", "--sort", "map", "--quiet", "-c")
    assert "no run is best" not in complete.out


def test_compare_marks_the_run_that_is_better_on_common_topics(command: Command, hopeless: list[str]) -> None:
    rows = command("compare", *hopeless, "-m", "map", "--quiet", "--format", "csv").rows
    assert [row["run"] for row in rows if row["best"] == "true"] == ["strong"]


def test_report_names_the_best_run_for_programs(command: Command, hopeless: list[str]) -> None:
    """Rows of `leaderboard` say which runs are ranked, and which of them is called best."""
    options = ("-m", "map", "--quiet", "--format", "json", "--table", "leaderboard")

    def board(*more: str) -> list[tuple[object, ...]]:
        rows = command("report", *hopeless, *options, *more).json["leaderboard"]
        return [(row["run"], row["lacks"], row["best"]) for row in rows]

    assert board() == [("weak", 0, False), ("strong", 1, False), ("poor", 0, False)]
    assert board("--topics", "common") == [("weak", 0, False), ("strong", 0, True), ("poor", 0, False)]
    assert board("--topics", "all") == [("weak", 0, False), ("strong", 1, True), ("poor", 0, False)]


def test_three_of_the_runs_with_the_fewest_topics_are_named(command: Command, tmp_path: Path) -> None:
    runs = {name: {"1": (1,)} for name in "abcde"} | {name: {"1": (1,), "2": (1,)} for name in "fg"}
    page = page_of(command, tmp_path, write_files(tmp_path, runs))
    assert "Of 2 topics a, b, c and 2 more have 1." in section_words(page, "leaderboard")


def test_the_leaderboard_names_the_measures_without_a_best_run(
    command: Command, hopeless: list[str], tmp_path: Path
) -> None:
    """By P_5 `weak` and `strong` are equal."""
    words = section_words(page_of(command, tmp_path, hopeless, "-m", "P.5"), "leaderboard")
    assert "the best of each measure marked (no run is best by map)" in words
