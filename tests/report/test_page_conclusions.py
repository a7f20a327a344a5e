"""What a reader concludes from the report page is true: one test for each wrong conclusion of 2.6.0."""

from __future__ import annotations

import re
from pathlib import Path

import numpy as np
import pytest
from support.commands import FIXTURES
from support.made_reports import judgements, ranking, report_of_texts
from support.null_rates import read_tables

from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.every_pair import every_pair
from pres_eval.analysis.paired import PairedScores, means_of
from pres_eval.analysis.significance import paired_t
from pres_eval.report.html import as_html
from pres_eval.report.trec_report import Report


@pytest.fixture
def unequal(tmp_path: Path) -> Report:
    """Two runs over twelve topics, one over the two easiest of them."""
    topics = [str(topic) for topic in range(11, 23)]
    qrels = "".join(judgements(topic, 2) for topic in topics)
    good = "".join(ranking(topic, (1 + at % 2, 4), 9, "good") for at, topic in enumerate(topics))
    poor = "".join(ranking(topic, (3 + at % 3, 8), 9, "poor") for at, topic in enumerate(topics))
    few = "".join(ranking(topic, (1, 2), 9, "few") for topic in topics[:2])
    return report_of_texts(tmp_path, qrels, good, poor, few)


def test_each_pair_is_tested_on_its_own_topics(unequal: Report) -> None:
    """2.6.0: all on the two topics that `few` has, too."""
    pairs = unequal.compared.pairs
    assert pairs is not None and pairs.topics.tolist() == [12, 2, 2]
    row = pairs.measures.index("map")
    differences = unequal.per_topic(0, "map") - unequal.per_topic(1, "map")
    assert pairs.p_values[row, 0] == paired_t(differences[None, :])[0] < 0.001
    assert pairs.pair_means[:, row, 0].tolist() == [unequal.summary(run, "map") for run in (0, 1)]
    assert pairs.counts.tolist() == [12, 12, 2]


def test_a_run_without_all_topics_has_no_rank(unequal: Report) -> None:
    """2.6.0: `few` comes first, as the best, and without a word."""
    assert unequal.summary(2, "map") > unequal.summary(0, "map") > unequal.summary(1, "map")
    assert unequal.best_first("map") == [0, 1, 2]
    board = as_html(unequal).partition('id="board"')[2].partition("</table>")[0]
    rows = re.findall(r"<tr><th scope=\"row\">.*?</tr>", board)
    assert [re.search(r">(good|poor|few)<", row)[1] for row in rows] == ["good", "poor", "few"]  # type: ignore[index]
    assert ">2 of 12 topics<" in rows[2] and ">12<" in rows[0]
    assert 'class="n best"' in rows[0] and "best" not in rows[2]


def test_the_page_names_the_options(unequal: Report) -> None:
    page = as_html(unequal)
    assert "--topics all counts missing topics as 0, --topics common leaves them out" in page


@pytest.mark.parametrize("baseline", [0, 5, 16])
def test_signs_and_letters_are_of_one_family(baseline: int) -> None:
    """2.6.0: + against a baseline with which the run shares a letter, of 16 and of 136 comparisons."""
    values = np.array(list(read_tables(FIXTURES / "scores" / "robust03.csv").values()))
    measures, runs, topics = values.shape
    names, ids = tuple(map(str, range(runs))), tuple(b"%03d" % topic for topic in range(topics))
    scores = PairedScores(names, ("a", "b", "c")[:measures], ids, values, means_of(values), topics)
    pairs = every_pair(scores, CompareSettings())
    found = 0
    for measure in range(measures):
        for place, pair in enumerate(zip(pairs.first.tolist(), pairs.second.tolist(), strict=True)):
            if baseline in pair:
                share = set(pairs.letters[measure][pair[0]]) & set(pairs.letters[measure][pair[1]])
                significant = pairs.corrected[measure, place] < 0.05
                assert significant != bool(share)
                found += significant
    assert found > 10


def test_the_page_names_its_family(unequal: Report) -> None:
    page = as_html(unequal)
    family = "t, correction holm over 3 pairs of runs"
    assert page.count(family) >= 2
    assert "not corrected" not in page.replace("uncorrected", "")


def test_one_topic_is_no_nan_and_no_plural(tmp_path: Path) -> None:
    """2.6.0: "p = nan" and "1 topics" (the script's words are tried in test_html)."""
    runs = [ranking("1", (at,), 5, tag) for at, tag in ((1, "a"), (3, "b"))]
    page = as_html(report_of_texts(tmp_path, judgements("1", 2), *runs))
    body = page.partition("<script")[0]
    assert not re.search(r"\b1 topics", body) and "nan" not in re.sub(r"<[^>]*>", " ", body).split()
    assert '? "nan" : p <' not in page
