"""`report` and `compare` with the same options have the same p-values; the page counts the same topics."""

from __future__ import annotations

import re
from collections.abc import Mapping
from html import unescape
from pathlib import Path

import pytest
from support.browser import AVAILABLE, Browser
from support.commands import Command
from support.made_reports import judgements, ranking

Pair = tuple[str, str, str]

RANKS = {"good": (1, 2, 1, 3), "like": (1, 3, 1, 2), "poor": (4, 3, 5, 4), "worse": (5, 4, 6, 4)}
"""Ranks of the relevant document, of topics one after the other and again from the first."""


@pytest.fixture
def files(tmp_path: Path) -> list[str]:
    """Return the paths of judgements of twelve topics and of four runs."""
    topics = [str(topic) for topic in range(1, 13)]
    (tmp_path / "qrels").write_text("".join(judgements(topic, 1) for topic in topics))
    for name, ranks in RANKS.items():
        lines = [ranking(topic, (ranks[at % 4] + (at == 5),), 12, name) for at, topic in enumerate(topics)]
        (tmp_path / name).write_text("".join(lines))
    return [str(tmp_path / "qrels"), *(str(tmp_path / name) for name in RANKS)]


MEASURES = ("-m", "map", "-m", "gm_map", "-m", "P.1", "-m", "ndcg")


def corrected_by(command: Command, name: str, files: list[str], *options: str) -> Mapping[Pair, float | None]:
    """Return the corrected p-values of a command's comparisons by measure, run and other run, both ways."""
    called = command(name, *files, *MEASURES, *options, "--format", "json", "--quiet")
    assert called.code == 0, called.err
    found = {}
    for row in called.json["comparisons"]:
        found[row["measure"], row["run"], row["other"]] = row["corrected"]
        found[row["measure"], row["other"], row["run"]] = row["corrected"]
    return found


@pytest.mark.parametrize(
    ("correction", "over"),
    [("holm", "runs"), ("holm", "measures"), ("bh", "runs"), ("bonferroni", "measures"), ("none", "runs")],
)
def test_a_baseline_is_corrected_as_compare_does(
    command: Command, files: list[str], over: str, correction: str
) -> None:
    """2.21.0: over the six pairs of four runs, `compare` over three: p = 0.0005 and 0.0039 of one pair."""
    options = ("--baseline", "like", "--correction", correction, "--correct-over", over)
    ours, theirs = (corrected_by(command, name, files, *options) for name in ("report", "compare"))
    assert len(theirs) == 2 * 3 * 3
    assert {pair: ours[pair] for pair in theirs} == theirs
    # The other pairs are outside the family: no corrected p-value is claimed of them.
    assert {ours[pair] for pair in ours.keys() - theirs.keys()} == {None}


@pytest.mark.parametrize("over", ["runs", "measures"])
def test_without_a_baseline_all_pairs_are_corrected_as_compare_does(
    command: Command, files: list[str], over: str
) -> None:
    ours = corrected_by(command, "report", files, "--correct-over", over)
    theirs = corrected_by(command, "compare", files, "--all-pairs", "--correct-over", over)
    assert ours == theirs and len(ours) == 2 * 3 * 6


def test_letters_are_of_all_pairs_alone(command: Command, files: list[str], tmp_path: Path) -> None:
    tables = command("report", *files, *MEASURES, "--format", "json", "--quiet").json
    assert {row["run"] for row in tables["groups"]} == set(RANKS) and tables["settings"]["baseline"] is None
    tables = command("report", *files, *MEASURES, "--format", "json", "--quiet", "--baseline", "like").json
    assert "groups" not in tables and tables["settings"]["baseline"] == "like"
    page = written_page(command, files, tmp_path, "--baseline", "like")
    static = page.partition("<script")[0]
    assert "share a letter" not in static and 'class="letters"' not in static
    assert "share a letter" in written_page(command, files, tmp_path).partition("<script")[0]


def written_page(command: Command, files: list[str], folder: Path, *options: str) -> str:
    called = command("report", *files, *MEASURES, "-o", folder / "r.html", "--quiet", *options)
    assert called.code == 0, called.err
    return (folder / "r.html").read_text()


def words_of(page: str, name: str) -> str:
    found = re.search(rf'<section id="{name}".*?</section>', page, re.DOTALL)
    assert found is not None
    return unescape(re.sub("<[^>]*>", "", found[0]))


def test_the_page_says_what_was_corrected(command: Command, files: list[str], tmp_path: Path) -> None:
    """Signs are corrected for the comparisons of one measure; three measures are three families."""
    page = written_page(command, files, tmp_path)
    family = "t, correction holm over 6 pairs of runs, within each measure"
    assert family in words_of(page, "leaderboard") and "(--correct-over measures" in words_of(
        page, "leaderboard"
    )
    assert family in words_of(page, "summary")
    page = written_page(command, files, tmp_path, "--correct-over", "measures")
    assert "t, correction holm over 6 pairs of runs and 3 measures" in words_of(page, "leaderboard")
    page = written_page(command, files, tmp_path, "--baseline", "like")
    family = "t, correction holm over 3 comparisons with the baseline, within each measure"
    assert family in words_of(page, "leaderboard")
    assert family in words_of(page, "summary") and family in words_of(page, "pair")


def test_the_summary_tells_of_the_family_alone(command: Command, files: list[str], tmp_path: Path) -> None:
    """With a baseline that is not the best run, only comparisons with it are told."""
    words = words_of(written_page(command, files, tmp_path, "--baseline", "poor"), "summary")
    words = words.partition("Significance")[2].partition("Topics:")[0]
    assert "like is significantly better than poor, the baseline (" in words
    assert "2 of the 3 other runs are significantly better than poor, 1 significantly worse." in words
    assert "good" not in words and "within each measure" in words


in_chromium = pytest.mark.skipif(not AVAILABLE, reason="no Chromium with chromedriver here")
TEXT = "return document.querySelector(arguments[0]).textContent"


@in_chromium
@pytest.mark.slow
def test_a_pair_without_the_baseline_has_its_own_p_value(
    browser: Browser, command: Command, files: list[str], tmp_path: Path
) -> None:
    single = corrected_by(command, "compare", files, "--all-pairs", "--correction", "none")
    written_page(command, files, tmp_path, "--baseline", "like")
    browser.open(tmp_path / "r.html", "#pair?a=good&b=poor&m=map")
    sentence = browser.run(TEXT, "#pair-words")
    assert f"p = {single['map', 'good', 'poor']:.4f}, uncorrected" in sentence.replace("<", "=")
    assert "corrected: the pair has no comparison" not in sentence
    assert "uncorrected" in browser.run(TEXT, "#pair-view caption")
    browser.open(tmp_path / "r.html", "#pair?a=good&b=like&m=map")
    assert "uncorrected" not in browser.run(TEXT, "#pair-words")
    # No other baseline can be chosen, in the address either: its signs would not be corrected.
    browser.open(tmp_path / "r.html", "#leaderboard?base=poor")
    assert "than like" in browser.run(TEXT, "#board-signs")
    assert browser.run("return document.getElementById('baseline')") is None
    assert browser.messages() == []


@in_chromium
@pytest.mark.slow
def test_two_runs_count_the_same_topics_everywhere(
    browser: Browser, command: Command, tmp_path: Path
) -> None:
    """2.21.0 with -c: the sentence 6 topics "that both have", caption and list 3."""
    topics = [str(topic) for topic in range(1, 7)]
    (tmp_path / "qrels").write_text("".join(judgements(topic, 2) for topic in topics))
    for name, own, at in (("a", topics[:4], 1), ("b", topics[1:5], 2)):
        (tmp_path / name).write_text("".join(ranking(topic, (at,), 5, name) for topic in own))
    files = [str(tmp_path / name) for name in ("qrels", "a", "b")]
    counts = {}
    for options in ((), ("-c",)):
        written_page(command, files, tmp_path, *options)
        browser.open(tmp_path / "r.html", "#pair?a=a&b=b&m=map")
        view = browser.run(TEXT, "#pair-view")
        counts[options] = [int(count) for count in re.findall(r"(\d+) topics", view)]
        bars = browser.run("return document.querySelectorAll('#pair-view figure').length")
        assert bars == 2 and browser.messages() == []
        sentence = browser.run(TEXT, "#pair-words")
        found = re.search(r"better on (\d+), equal on (\d+), worse on (\d+)", sentence)
        assert found is not None
        assert sum(map(int, found.groups())) == (6 if options else 3)
        (documents,) = re.findall(r"both found (\d+), only a (\d+), only b (\d+), neither (\d+)", view)
        assert list(map(int, documents)) == ([3, 1, 1, 7] if options else [3, 0, 0, 3])
    assert set(counts[()]) == {3} and set(counts["-c",]) == {6}


def test_stars_of_several_measures_say_what_they_are_corrected_for(
    command: Command, files: list[str]
) -> None:
    """Three measures are three families: some star appears in 11 % of comparisons of equal runs."""
    within = (
        "* significant: p (holm) < 0.05, corrected within each measure (--correct-over measures: over all"
    )
    assert within in command("compare", *files, *MEASURES).out
    assert "(t, correction holm within each measure, p < 0.05)" in command("compare", *files, *MEASURES).out
    for options in (
        ("-m", "map"),
        (*MEASURES, "--correct-over", "measures"),
        (*MEASURES, "--correction", "none"),
    ):
        assert "within each measure" not in command("compare", *files, *options).out
    assert "within each measure" in command("compare", *files, *MEASURES, "--test", "randomised-tukey").out


def test_stars_of_groups_say_what_they_are_corrected_for(
    command: Command, files: list[str], tmp_path: Path
) -> None:
    (tmp_path / "groups").write_text("".join(f"{topic} g{topic % 2}\n" for topic in range(1, 13)))
    out = command("compare", *files, *MEASURES, "--groups", tmp_path / "groups").out
    within = "p (holm, over all groups) < 0.05, corrected within each measure (--correct-over measures"
    assert out.count(within) == 2
    page = written_page(command, files, tmp_path, "--groups", str(tmp_path / "groups"))
    assert "correction holm over all groups and runs of a measure" in words_of(page, "groups")


def test_verdicts_of_agreement_say_that_they_are_not_corrected(command: Command, files: list[str]) -> None:
    """Of 136 pairs of equal runs seven had a "better" one, and nothing said so beside them."""
    out = command("agreement", *files, *MEASURES).out
    assert "Verdicts on 6 pairs of runs (wilcoxon, p < 0.05, uncorrected)" in out
    assert "if all runs were equal, about 0.3 of 6 pairs would have a better run under each measure" in out


@pytest.mark.parametrize("test", ["t", "bootstrap", "wilcoxon"])
def test_weights_are_used_as_compare_does(
    command: Command, files: list[str], tmp_path: Path, test: str
) -> None:
    """Both test ratios of weighted sums: weights alone make no run uncertain."""
    (tmp_path / "weights").write_text("".join(f"{topic} {1 + topic % 4}\n" for topic in range(1, 13)))
    options = ("--weights", str(tmp_path / "weights"), "--test", test, "--samples", "500")
    ours = corrected_by(command, "report", files, *options)
    assert ours == corrected_by(command, "compare", files, "--all-pairs", *options)
