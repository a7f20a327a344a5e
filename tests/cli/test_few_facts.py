"""Conclusions from few facts: runs that are alike, no common topics, topics that count as 0."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import Command

from pres_eval.analysis.significance import ALTERNATIVES

TOPICS = range(1, 8)
QRELS = "".join(f"{topic} 0 a 1\n{topic} 0 b 1\n{topic} 0 c 0\n" for topic in TOPICS)
TESTS = ("t", "wilcoxon", "sign", "randomisation", "bootstrap")


def lines(topics: range, tag: str) -> str:
    return "".join(f"{topic} Q0 {'ac'[topic % 2]} 1 1 {tag}\n" for topic in topics)


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "whole").write_text(lines(range(1, 7), "whole"))
    (tmp_path / "same").write_text(lines(range(1, 7), "same"))
    (tmp_path / "part").write_text(lines(range(1, 3), "part"))
    (tmp_path / "rest").write_text(lines(range(3, 7), "rest"))
    monkeypatch.chdir(tmp_path)
    return tmp_path


@pytest.mark.parametrize("test", TESTS)
@pytest.mark.parametrize("alternative", ALTERNATIVES)
def test_runs_that_are_alike_have_no_interval_without_width(
    test: str, alternative: str, call: Command, folder: Path
) -> None:
    """All differences are 0 on these topics: that says nothing certain of others."""
    margin = ["--margin", "0.1"] if alternative in ("equivalent", "non-inferior") else []
    options = ["--test", test, "--alternative", alternative, *margin, "-m", "map", "--format", "json"]
    found = call("compare", "q", "whole", "same", *options)
    assert found.code == 0, found.err
    row = json.loads(found.out)["comparisons"][0]
    assert row["difference"] == 0
    assert row["lower"] is None and row["upper"] is None


def test_json_of_a_comparison_names_groups_and_weights(call: Command, folder: Path) -> None:
    (folder / "g").write_text("".join(f"{topic} {'xy'[topic % 2]}\n" for topic in TOPICS))
    (folder / "w").write_text("".join(f"{topic} {topic}\n" for topic in TOPICS))
    options = ["compare", "q", "whole", "same", "-m", "map", "--format", "json"]
    plain, told = (
        json.loads(call(*options, *more).out)["settings"]
        for more in ([], ["--groups", "g", "--weights", "w"])
    )
    assert (told["groups"], told["weights"]) == ("g", "w")
    assert "groups" not in plain and "weights" not in plain


def test_an_earlier_run_comes_on_standard_input(folder: Path) -> None:
    """`--against - < FILE` is a file that can be read twice; 2.13.0 read its end the second time."""
    command = [sys.executable, "-m", "pres_eval", "--against", "-", "-m", "map", "q", "part"]
    with (folder / "whole").open("rb") as stream:
        done = subprocess.run(command, stdin=stream, capture_output=True, text=True, check=False)
    assert "is empty" not in done.stderr
    assert done.returncode == 3 and "topic" in done.stderr, done.stderr


def words_of(path: Path) -> str:
    return re.sub(r"\s+", " ", re.sub(r"<[^>]*>", "", path.read_text(encoding="utf-8")))


def test_a_page_says_which_topics_count_as_0(call: Command, folder: Path) -> None:
    """--topics all: six of seven topics are in a run, two in the other; fourteen documents are relevant."""
    found = call("report", "q", "whole", "part", "--topics", "all", "--output", "x.html")
    assert found.code == 0, found.err
    words = words_of(folder / "x.html")
    assert "7 (1 counted as 0)" in words and "7 (5 counted as 0)" in words
    assert "of the 6 topics that it has, the other 1 counting as 0" in words
    assert "whole misses 11 of 14 relevant documents" in words


def test_a_page_of_runs_without_common_topics(call: Command, folder: Path) -> None:
    found = call("report", "q", "rest", "part", "--output", "x.html")
    assert found.code == 0, found.err
    assert "No two runs have a topic in common: nothing could be tested." in words_of(folder / "x.html")


def test_a_page_of_runs_that_share_one_letter(call: Command, folder: Path) -> None:
    """compare says below its table that this shows nothing; so does the page."""
    found = call("report", "q", "whole", "same", "-m", "map", "-m", "P.5", "--output", "x.html")
    assert found.code == 0, found.err
    sentence = "map, P_5: all runs share a, which does not mean that they are equal."
    assert sentence in words_of(folder / "x.html")


def test_chunks_are_told_with_the_pattern_that_maps_them(call: Command, folder: Path) -> None:
    """The pattern that a warning names is one that works, in the evaluator and in check."""
    (folder / "chunks").write_text("".join(f"{topic} Q0 a.#3 1 1 t\n" for topic in TOPICS))
    (folder / "q").write_text(QRELS.replace(" a ", " a. "))
    option = r"--map-docs '^(.*)#\d+$'"
    assert option in call("q", "chunks").err
    assert option in call("check", "q", "chunks").out
    mapped = call("--map-docs", option.split("'")[1], "-m", "recip_rank", "q", "chunks")
    assert mapped.out == "recip_rank            \tall\t1.0000\n"
