"""Groups of topics on the page and in the tables of the report: the numbers of `compare --groups`."""

from __future__ import annotations

import json
import math
import re
from html import unescape
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from support.made_reports import PATENT_QRELS, PATENT_RUNS, judgements, ranking, report_of, report_of_texts

import pres_eval as pe
from pres_eval.cli.commands import command_of
from pres_eval.errors import PresEvalWarning, UsageError
from pres_eval.report.html import as_html
from pres_eval.report.report_tables import as_tables
from pres_eval.report.trec_report import Report

TOPICS = sorted({line.split()[0] for line in Path(PATENT_QRELS).read_text().splitlines()})


@pytest.fixture
def groups(tmp_path: Path) -> str:
    """The first half of the topics but the first is head, the others are tail."""
    path = tmp_path / "groups.tsv"
    names = ["head" if place < len(TOPICS) // 2 else "tail" for place in range(len(TOPICS))]
    path.write_text("".join(f"{topic}\t{name}\n" for topic, name in zip(TOPICS[1:], names[1:], strict=True)))
    return str(path)


def rows_of(report: Report, name: str) -> list[dict[str, Any]]:
    (found,) = (table for table in as_tables(report) if table.name == name)
    return [dict(zip(found.headings, row, strict=True)) for row in found.rows]


def section_of(page: str) -> str:
    found = re.search(r'<section id="groups".*?</section>', page, re.DOTALL)
    assert found is not None
    return unescape(re.sub("<[^>]*>", "", found[0].replace("</td>", "|").replace("</th>", "|")))


def called(command: str, *arguments: str) -> Any:
    result = CliRunner().invoke(command_of(command), [*arguments, "--quiet", "--format", "json"])
    return json.loads(result.stdout)


def test_comparisons_are_those_of_compare(groups: str) -> None:
    report = report_of(PATENT_QRELS, PATENT_RUNS, groups=groups)
    baseline = report.inputs.files[report.baseline].path
    options = ["--groups", groups, "--baseline", baseline, "-m", "PRES.100", "--samples", "200"]
    wanted = called("compare", PATENT_QRELS, *PATENT_RUNS, *options)
    keys = ("group", "topics", "difference", "p_value", "corrected")
    for name in ("by_group", "interaction"):
        found = [row for row in rows_of(report, name) if row["measure"] == "PRES_100"]
        assert len(found) == len(wanted[name]) > 0
        for ours, theirs in zip(found, wanted[name], strict=True):
            assert [ours.get(key) for key in keys] == [theirs.get(key) for key in keys]


def test_means_are_those_of_the_evaluator_and_on_the_page(groups: str) -> None:
    report = report_of(PATENT_QRELS, PATENT_RUNS, groups=groups)
    words = section_of(as_html(report))
    for name, path in zip(report.names, PATENT_RUNS, strict=True):
        (run,) = called("evaluate", PATENT_QRELS, path, "-m", "map", "--groups", groups)["runs"]
        own = {
            row["group"]: row["value"]
            for row in rows_of(report, "means_by_group")
            if (row["run"], row["measure"]) == (name, "map")
        }
        assert set(own) == {"head", "tail", "macro", "worst"}
        for group in ("head", "tail"):
            assert own[group] == run["groups"][group]["summary"]["map"]
            assert f"{own[group]:.4f}" in words
        assert own["macro"] == (own["head"] + own["tail"]) / 2
        assert own["worst"] == min(own["head"], own["tail"])


def test_a_run_that_lacks_topics_of_a_group_is_marked(tmp_path: Path) -> None:
    (tmp_path / "groups").write_text("a x\nb x\nc x\nd y\ne y\n")
    qrels = "".join(judgements(topic, 2) for topic in "abcdef")
    whole = "".join(ranking(topic, (1, 3), 9, "whole") for topic in "abcdef")
    part = "".join(ranking(topic, (2, 4), 9, "part") for topic in "abdef")
    report = report_of_texts(tmp_path, qrels, whole, part, groups=str(tmp_path / "groups"))
    words = section_of(as_html(report))
    assert "(2 of 3)" in words and "x (3 topics), y (2 topics)" in words
    assert {row["topics"] for row in rows_of(report, "by_group")} == {2}


def test_one_run_and_runs_without_common_topics_have_means_alone(tmp_path: Path) -> None:
    (tmp_path / "groups").write_text("a x\nb y\n")
    qrels, chosen = judgements("a", 2) + judgements("b", 2), {"groups": str(tmp_path / "groups")}
    for runs in ([ranking("a", (1,), 5, "one")], [ranking("a", (1,), 5, "p"), ranking("b", (2,), 5, "q")]):
        report = report_of_texts(tmp_path, qrels, *runs, **chosen)
        assert "No differences were tested" in section_of(as_html(report))
        assert not [table for table in as_tables(report) if table.name == "by_group"]


def test_without_groups_there_is_no_section() -> None:
    assert 'id="groups"' not in as_html(report_of(PATENT_QRELS, PATENT_RUNS))


QRELS = {str(topic): {"a": 1, "b": 0} for topic in range(12)}
GOOD = {topic: {"a": 2.0, "b": 1.0} for topic in QRELS}
POOR = {topic: {"b": 1.2, "a": 1.0 + int(topic) % 3 / 4} for topic in QRELS}
NAMES = {topic: "even" if int(topic) % 2 == 0 else "odd" for topic in QRELS}


def test_an_experiment_has_groups_and_weights() -> None:
    runs = {"poor": POOR, "good": GOOD}
    found = pe.experiment(QRELS, runs, ["map"], groups=NAMES)
    assert found.by_group is not None and len(found.by_group.comparisons) == 2
    words = section_of(found.report())
    assert "even (6 topics), odd (6 topics)" in words and "than those of poor in the group" in words
    with pytest.warns(PresEvalWarning, match="a few topics weigh most: 11 topics tell as much as 8.6"):
        weighed = pe.experiment(QRELS, runs, ["map"], weights={topic: int(topic) for topic in QRELS})
    assert weighed.evaluations["poor"]["map"] == pytest.approx(weighed.means["poor"]["map"])
    assert "Means are weighted" in weighed.report()


def test_the_page_of_an_experiment_has_its_baseline() -> None:
    runs = {"poor": POOR, "good": GOOD}
    page = pe.experiment(QRELS, runs, ["map"], baseline="good", groups=NAMES).report()
    assert "worse than those of good" in section_of(page)
    with pytest.raises(UsageError, match="tests of two runs"):
        pe.experiment(QRELS, runs, ["map"], all_pairs=True, test="randomised-tukey").report()


@pytest.fixture
def weights(tmp_path: Path) -> str:
    path = tmp_path / "weights.tsv"
    path.write_text("".join(f"{topic} {1 + place % 5}\n" for place, topic in enumerate(TOPICS)))
    return str(path)


def test_weighted_means_and_tests_are_those_of_the_commands(groups: str, weights: str) -> None:
    report = report_of(PATENT_QRELS, PATENT_RUNS, groups=groups, weights=weights)
    options = ["--groups", groups, "--weights", weights, "-m", "PRES.100", "--samples", "200"]
    compared = called("compare", PATENT_QRELS, *PATENT_RUNS, "--all-pairs", *options)
    for ours, theirs in zip(
        [row for row in rows_of(report, "comparisons") if row["measure"] == "PRES_100"],
        compared["comparisons"],
        strict=True,
    ):
        for own, other in (("p_value", "p_value"), ("difference", "difference"), ("corrected", "corrected")):
            assert abs(ours[own]) == pytest.approx(abs(theirs[other]), rel=1e-12)
    bounds = ["--weights", weights, "-m", "map", "--bounds"]
    for place, path in enumerate(PATENT_RUNS):
        (run,) = called("evaluate", PATENT_QRELS, path, *bounds)["runs"]
        (shares,) = called("evaluate", PATENT_QRELS, path, *bounds[:2], "-m", "judged.10")["runs"]
        assert report.summary(place, "map") == run["summary"]["map"]
        assert report.compared.pairs is not None and report.trust is not None
        row = report.compared.pairs.measures.index("map")
        assert report.compared.pairs.means[row, place] == pytest.approx(run["summary"]["map"], rel=1e-12)
        ends = [run["summary"][f"map(bound={end})"] for end in ("least", "greatest")]
        assert report.trust.bounds["map"][:, place].tolist() == ends
        assert report.trust.judged[10][place] == shares["summary"]["judged_10"]
    page = as_html(report)
    assert "Means are weighted" in page and "at worst (" in page and "without weights of topics" in page
    assert len(section_of(page)) > 500


def test_a_pair_whose_common_topics_weigh_nothing_is_not_tested(tmp_path: Path) -> None:
    (tmp_path / "weights").write_text("a 0\nb 0\nc 1\nd 1\n")
    qrels = "".join(judgements(topic, 2) for topic in "abcd")
    one = "".join(ranking(topic, (1, 3), 9, "one") for topic in "abc")
    two = "".join(ranking(topic, (2, 4), 9, "two") for topic in "abd")
    report = report_of_texts(tmp_path, qrels, one, two, weights=str(tmp_path / "weights"))
    assert all(math.isnan(row["p_value"]) for row in rows_of(report, "comparisons"))
    assert "nan" not in section_like(as_html(report))


def section_like(page: str) -> str:
    """Return the words of the first sections."""
    return re.sub("<[^>]*>", " ", page.partition('<section id="topic"')[0].partition("</head>")[2])
