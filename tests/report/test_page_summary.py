"""The page's first screen in words: each number and each claim recomputed from `compare --format json`."""

from __future__ import annotations

import json
import math
import re
from collections.abc import Callable, Sequence
from html import unescape
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from click.testing import CliRunner
from support.browser import AVAILABLE, Browser
from support.made_reports import (
    PATENT_QRELS,
    PATENT_RUNS,
    judgements,
    ranking,
    report_of,
    report_of_texts,
)

from pres_eval.cli.commands import command_of
from pres_eval.report.html import as_html
from pres_eval.report.trec_report import Report

pytestmark = pytest.mark.slow

TOPICS = [str(topic) for topic in range(11, 23)]
QRELS = "".join(judgements(topic, 2) for topic in TOPICS)


def made(tag: str, places: Callable[[int], Sequence[int]], topics: Sequence[str] = TOPICS) -> str:
    """A run that has the relevant documents of the topic at each place at the ranks of `places`."""
    return "".join(ranking(topic, places(at), 40, tag) for at, topic in enumerate(topics))


GOOD = made("good", lambda at: (1 + at % 2, 4))
POOR = made("poor", lambda at: (3 + at % 3, 8 + at))
LIKE = made("like", lambda at: (1 + (at + 1) % 2, 4))
SOME = made("some", lambda at: (1, 2), TOPICS[:2])
WORSE = made("some", lambda at: (3, 9), TOPICS[:2])
OTHERS = made("others", lambda at: (1, 3), TOPICS[3:])
REPORTS: dict[str, tuple[str, tuple[str, ...], dict[str, Any]]] = {
    "clear": (QRELS, (GOOD, POOR), {}),
    "tie": (QRELS, (GOOD, LIKE, POOR), {}),
    "tie-of-all": (QRELS, (GOOD, GOOD.replace("good", "same")), {}),
    "nothing-significant": (QRELS, (GOOD, made("near", lambda at: (1 + at % 2, 4 + at // 11))), {}),
    "few-topics": (
        QRELS,
        (
            made("alpha", lambda at: (1 + at, 5), TOPICS[:2]),
            made("beta", lambda at: (2 + at, 9 - at), TOPICS[:2]),
        ),
        {},
    ),
    "one-topic": (
        QRELS,
        (made("alpha", lambda at: (1, 5), TOPICS[:1]), made("beta", lambda at: (2, 9), TOPICS[:1])),
        {},
    ),
    "one-run": (QRELS, (GOOD,), {}),
    "one-run-one-topic": (QRELS, (made("alpha", lambda at: (1, 5), TOPICS[:1]),), {}),
    "lacks-topics": (QRELS, (GOOD, POOR, WORSE), {}),
    "overtaken": (QRELS, (GOOD, POOR, SOME), {}),
    "all-lack-topics": (QRELS, (SOME, OTHERS), {}),
    "less-is-better": (QRELS, (GOOD, POOR, LIKE), {"measures": ("last_rel",)}),
}
NONE_BEST = ("all-lack-topics", "overtaken")


@pytest.fixture(scope="module", params=[*REPORTS, "patents"])
def case(request: pytest.FixtureRequest, tmp_path_factory: pytest.TempPathFactory) -> tuple[str, Report]:
    name = request.param
    if name == "patents":
        return name, report_of(PATENT_QRELS, PATENT_RUNS)
    qrels, runs, options = REPORTS[name]
    return name, report_of_texts(tmp_path_factory.mktemp("case"), qrels, *runs, **options)


ANSWERS: dict[int, tuple[Report, dict[str, str]]] = {}
"""The reports whose pages were made, with their answers."""


def answers(report: Report) -> dict[str, str]:
    """Return the sentences of the first screen by their question."""
    if id(report) not in ANSWERS:
        ANSWERS[id(report)] = report, answers_of_page(report)
    return ANSWERS[id(report)][1]


def answers_of_page(report: Report) -> dict[str, str]:
    """Make the page and return the sentences of its first screen by their question."""
    found = re.search(r'<section id="summary".*?</section>', as_html(report), re.DOTALL)
    assert found is not None
    rows = re.findall(r"<li><strong>(\w+): </strong>(.*?)</li>", found[0])
    return {question: unescape(re.sub("<[^>]*>", "", text)) for question, text in rows}


def compared(report: Report, *runs: int) -> dict[str, list[dict[str, Any]]]:
    """What compare says of some of the runs by the main measure, pair by pair, not corrected."""
    files = [report.inputs.qrels.path, *(report.inputs.files[run].path for run in runs)]
    options = ["-m", report.main, "--all-pairs", "--correction", "none", "--format", "json"]
    result = CliRunner().invoke(command_of("compare"), [*files, *options, "--quiet"])
    assert result.exit_code == 0, result.output
    found: dict[str, list[dict[str, Any]]] = json.loads(result.output)
    return found


def holm(p_values: dict[tuple[int, int], float | None]) -> dict[tuple[int, int], float]:
    """Holm's correction, step by step: a comparison without a p-value counts as one that found nothing."""
    known = {pair: 1.0 if p_value is None else p_value for pair, p_value in p_values.items()}
    order = sorted(known, key=lambda pair: known[pair])
    corrected, least = {}, 0.0
    for done, pair in enumerate(order):
        least = max(least, min(1.0, known[pair] * (len(order) - done)))
        corrected[pair] = least
    return corrected


def pairs_of(report: Report) -> dict[tuple[int, int], dict[str, Any]]:
    """Each pair of runs as compare finds it over the topics that both have; without those that have none."""
    count = len(report.names)
    topics = [set(evaluation.topics) for evaluation in report.evaluations]
    return {
        (one, other): compared(report, one, other)["comparisons"][0]
        for one in range(count)
        for other in range(one + 1, count)
        if topics[one] & topics[other]
    }


in_chromium = pytest.mark.skipif(not AVAILABLE, reason="no Chromium with chromedriver here")
ANSWERED = """
  const place = (element) => element.getBoundingClientRect().bottom;
  const links = (row) => [...row.querySelectorAll("a")].map(a => a.hash);
  const rows = [...document.querySelectorAll("#summary li")];
  return rows.map(row => [row.querySelector("strong").textContent, place(row), ...links(row)]);
"""


@in_chromium
@pytest.mark.parametrize("width", [1280, 390])
def test_five_questions_are_answered_on_the_first_screen(
    browser: Browser, tmp_path: Path, width: int
) -> None:
    """Best, significant, where it fails, what it missed, trust: in words at once, in numbers a click away."""
    path = tmp_path / "report.html"
    path.write_text(as_html(report_of(PATENT_QRELS, PATENT_RUNS)))
    if width == 390:
        browser.look(width=390)
    browser.open(path)
    rows = browser.run(ANSWERED)
    assert [row[0] for row in rows] == [
        f"{each}: " for each in ("Result", "Significance", "Topics", "Documents", "Judgements")
    ]
    if width == 1280:
        assert all(0 < bottom < 844 for _, bottom, *_ in rows)
    shown = "return document.querySelector(arguments[0]).getBoundingClientRect().bottom"
    assert all(0 < browser.run(shown, part) < 844 for part in (".headline", "#summary svg.chart"))
    shows = {
        "pair": "#pair-words",
        "topic": "#topic-name",
        "trust": "#trust-table",
        "runs": "section.run",
    }
    for _, _, *links in rows:
        assert links
        browser.open(path, links[0])
        section = links[0][1:].split("?")[0]
        assert browser.run("return document.querySelector(arguments[0]).offsetHeight", shows[section]) > 0
        assert browser.run("return document.activeElement.closest('section').id") == section
    assert browser.messages() == []


def test_what_is_best_is_what_compare_says(case: tuple[str, Report]) -> None:
    name, report = case
    words = answers(report)["Result"]
    complete = [run for run in range(len(report.names)) if report.has_all_topics(run)]
    if name == "all-lack-topics":
        assert words == "No run is called best: every run lacks topics that another has."
        return
    if name == "overtaken":
        (mine, theirs) = (row["mean"] for row in compared(report, 2, 0)["means"])
        assert words == (
            "No run is called best: some lacks 10 of 12 topics and is better on the other 2"
            f" ({mine:.4f} against {theirs:.4f} of good)."
        )
        return
    rows = {}
    for run in complete:
        (row,) = compared(report, run)["means"]
        rows[report.names[run]] = row
    sign = -1 if name == "less-is-better" else 1
    best = max(sign * row["mean"] for row in rows.values())
    leaders = {run for run, row in rows.items() if abs(sign * row["mean"] - best) < 1e-12}
    assert all((run in words.partition(": ")[0]) == (run in leaders) for run in rows)
    assert ("tie for the best" in words) == (len(leaders) > 1)
    row = rows[min(leaders)]
    assert f"{row['mean']:.4f}" in words
    if row["lower"] is None:
        assert (
            f"{row['mean']:.4f} over {len(report.topics)} topic" in words and "without an interval" in words
        )
    else:
        assert f"(95 % interval {row['lower']:.4f} to {row['upper']:.4f}, " in words
    assert ("(less is better)" in words) == (sign < 0)
    assert ("Not ranked, as they lack topics: some." in words) == (name == "lacks-topics")


def test_what_is_significant_is_what_compare_says(case: tuple[str, Report]) -> None:
    name, report = case
    count = len(report.names)
    if count == 1:
        assert "Significance" not in answers(report)
        return
    words = answers(report)["Significance"]
    found = pairs_of(report)
    corrected = holm({pair: row["p_value"] for pair, row in found.items()})
    assert f"(t, correction holm over {count * (count - 1) // 2} pair" in words
    if name == "all-lack-topics":
        assert "significantly" not in words and "over the topics that both have" in words
        return
    if name == "overtaken":
        (row,) = compared(report, 2, 0)["comparisons"]
        assert (
            f"between some and good ({row['difference']:+.4f}, p = {corrected[0, 2]:.4f}, 2 topics)" in words
        )
        return
    leaders = report.leaders(report.main)
    if len(leaders) > 1:
        verdict, _, words = words.partition("; topic by topic.")
        tied = " and ".join(report.names[run] for run in leaders[:2])
        assert verdict.startswith(f"no significant difference was found between {tied} (+0.0000, p = 1.0000,")
    others = [run for run in report.best_first(report.main) if run not in leaders]
    assert (words.count("is significantly ") > 0) <= any(p < 0.05 for p in corrected.values())
    if others:
        pair = (min(leaders[0], others[0]), max(leaders[0], others[0]))
        row, p_value = found[pair], corrected[pair]
        sign = 1 if leaders[0] == pair[0] else -1
        assert f"({sign * row['difference']:+.4f}" in words
        if row["p_value"] is None:
            assert "could not be tested" in words
        else:
            known = "p < 0.0001" if p_value < 0.00005 else f"p = {p_value:.4f}"
            assert known in words
            assert ("no significant difference was found" in words) == (p_value >= 0.05)
    for leader in leaders if "is significantly better than" in words and count > 2 else []:
        beaten = sum(corrected[min(leader, run), max(leader, run)] < 0.05 for run in others)
        amount = "every other run" if beaten == count - 1 else f"{beaten} of the {count - 1} other runs"
        assert f"{report.names[leader]} is significantly better than {amount}." in words


@pytest.mark.parametrize(("name", "words"), [("one-topic", "could not be tested"), ("tie-of-all", "(t, ")])
def test_nothing_is_claimed_where_nothing_was_shown(tmp_path: Path, name: str, words: str) -> None:
    qrels, runs, options = REPORTS[name]
    found = answers(report_of_texts(tmp_path, qrels, *runs, **options))["Significance"]
    assert words in found and "is significantly" not in found and "nan" not in found


def test_where_a_run_fails_is_what_compare_says(case: tuple[str, Report]) -> None:
    """By the winners of each topic, and by the values of -q."""
    name, report = case
    if name in NONE_BEST:
        assert set(answers(report)) == {"Result", "Significance", "Judgements"}
        return
    if len(report.topics) == 1:
        assert "Topics" not in answers(report)
        return
    words, label = answers(report)["Topics"], report.main
    run = (report.leaders(label) or report.best_first(label))[0]
    values = {
        topic.decode(): report.sign(label) * float(value)
        for topic, value in zip(report.topics, report.per_topic(run, label), strict=True)
        if not math.isnan(value)
    }
    least = min(values.values())
    worst = [topic for topic, value in values.items() if value == pytest.approx(least, abs=1e-12)]
    assert f"is weakest on {worst[0]}" in words and f"{label} {report.sign(label) * least:.4f}" in words
    assert (f" and {len(worst) - 1} more" in words) == (len(worst) > 1)
    if len(report.names) == 1:
        return
    gains = report.sign(label) * report.matrix(label)
    best = {
        topic.decode(): max(float(value) for value in column if not math.isnan(value))
        for topic, column in zip(report.topics, gains.T, strict=True)
    }
    first = [topic for topic, value in values.items() if value == pytest.approx(best[topic], abs=1e-12)]
    assert f"is first on {len(first)} of {len(values)} topic" in words
    assert ("no run does better" in words) == (worst[0] in first)
    with_others = 0
    for topic, column in zip(report.topics, gains.T, strict=True):
        if topic.decode() in first:
            is_best = np.isclose(column, best[topic.decode()], rtol=0, atol=1e-12)
            with_others += int(is_best.sum() > 1)
    assert (f"on {with_others} of these together with others" in words) == (with_others > 0)


def test_missed_documents_are_those_of_explain(case: tuple[str, Report]) -> None:
    name, report = case
    if name in NONE_BEST:
        assert set(answers(report)) == {"Result", "Significance", "Judgements"}
        return
    words = answers(report)["Documents"]
    run = (report.leaders(report.main) or report.best_first(report.main))[0]
    command = [report.inputs.qrels.path, report.inputs.files[run].path, "--format", "json", "--quiet"]
    rows = json.loads(CliRunner().invoke(command_of("explain"), command).output)["documents"]
    # By PRES_100 the page looks at 100 documents; without a cutoff at as many as the largest Nmax.
    depth = 1000 if name == "less-is-better" else 100
    missed = [row for row in rows if not row["rank"] or row["rank"] > depth]
    assert f"misses {len(missed)} of {len(rows)} relevant documents by rank {depth}" in words


def test_judged_and_bounds_are_those_of_the_evaluation(case: tuple[str, Report]) -> None:
    name, report = case
    if name in NONE_BEST:
        assert set(answers(report)) == {"Result", "Significance", "Judgements"}
        return
    words = answers(report)["Judgements"]
    run = (report.leaders(report.main) or report.best_first(report.main))[0]
    files = [report.inputs.qrels.path, report.inputs.files[run].path, "--quiet", "--format", "json"]
    label = report.main
    share, bounds = (
        json.loads(CliRunner().invoke(command_of("evaluate"), [*files, *options]).output)["runs"][0][
            "summary"
        ]
        for options in (["-m", "judged.10"], ["-m", label, "--bounds"])
    )
    low, high = (bounds[f"{label}(bound={end})"] for end in ("least", "greatest"))
    lies = f"{label} lies between {low:.4f} and {high:.4f}, by what the unjudged ones are."
    assert (lies in words) == (f"{low:.4f}" != f"{high:.4f}")
    assert words.startswith(
        f"on average {share['judged_10']:.0%} of the first 10 documents of ".replace("%", " %")
    )
