"""pres-eval overlap: two runs without judgements, through the command."""

from __future__ import annotations

import math
import random
from pathlib import Path

import pytest
from support.commands import NAMES, QRELS, RUNS, Command

Lists = dict[str, list[str]]


def write(path: Path, lists: Lists, tag: str = "run") -> Path:
    """A run whose lines are in another order than its ranks."""
    lines = [
        f"{topic} Q0 {docno} 0 {-rank} {tag}\n"
        for topic, documents in lists.items()
        for rank, docno in enumerate(documents)
    ]
    path.write_text("".join(reversed(lines)))
    return path


def topics_of(call: Command, *arguments: str | Path) -> dict[str, dict[str, str]]:
    rows = call.ok("overlap", *arguments, "--format", "csv", "--table", "topics").rows
    return {row["topic"]: row for row in rows}


def test_example_of_webber(call: Command, tmp_path: Path) -> None:
    """By hand: X is 0, 1, 2 at depths 1, 2, 3; with p = 1/2 and no ties."""
    first = write(tmp_path / "first", {"1": ["a", "b", "c"]}, "one")
    second = write(tmp_path / "second", {"1": ["b", "d", "a"]}, "two")
    row = topics_of(call, first, second, "--cutoffs", "2,3,10", "-p", "0.5")["1"]
    assert (row["first"], row["second"]) == ("3", "3")
    assert float(row["jaccard@2"]) == 1 / 3
    assert float(row["overlap@2"]) == 1 / 2
    assert float(row["jaccard@3"]) == float(row["jaccard@10"]) == 2 / 4
    assert float(row["overlap@3"]) == float(row["overlap@10"]) == 2 / 3
    seen = 1 / 2 * 0.5**2 + 2 / 3 * 0.5**3
    assert math.isclose(float(row["rbo(0.5)"]), seen + 2 / 3 * 0.5**3, abs_tol=1e-15)
    rest = math.log(2) - (0.5 + 0.5**2 / 2 + 0.5**3 / 3)
    assert math.isclose(float(row["rbo_min(0.5)"]), seen + 2 * rest, abs_tol=1e-15)
    # At most: both of the fourth documents are shared, and all from there on.
    most = seen + 4 / 4 * 0.5**4 + 0.5**4
    assert math.isclose(float(row["rbo_min(0.5)"]) + float(row["rbo_res(0.5)"]), most, abs_tol=1e-15)


def agreement_by_sets(first: list[str], second: list[str], depth: int) -> float:
    """X_d / d of lists that go on as long as wanted."""
    return len({*first[:depth]} & {*second[:depth]}) / depth


def test_lists_of_different_lengths(call: Command, tmp_path: Path) -> None:
    """What the short list shares may lie deep in the long one."""
    first = write(tmp_path / "first", {"1": ["a", "b"]})
    second = write(tmp_path / "second", {"1": ["x", "y", "z", "a", "b"]})
    row = topics_of(call, first, second, "--cutoffs", "4,10")["1"]
    assert (float(row["jaccard@4"]), float(row["jaccard@10"])) == (1 / 5, 2 / 5)
    assert (float(row["overlap@4"]), float(row["overlap@10"])) == (1 / 4, 2 / 5)


def test_bounds_are_those_of_lists_that_go_on(call: Command, tmp_path: Path) -> None:
    """The least and the greatest overlap of uneven lists, by lists of 200 documents."""
    chance = random.Random(3)
    persistence = 0.8
    before: Lists = {}
    after: Lists = {}
    for number in range(12):
        documents = [f"d{place}" for place in range(12)]
        before[f"t{number:02}"] = chance.sample(documents, chance.randint(1, 8))
        after[f"t{number:02}"] = chance.sample(documents, chance.randint(1, 8))
    rows = topics_of(call, write(tmp_path / "a", before, "a"), write(tmp_path / "b", after, "b"), "-p", "0.8")
    for topic, row in rows.items():
        first, second = before[topic], after[topic]
        apart = (first + [f"x{n}" for n in range(200)], second + [f"y{n}" for n in range(200)])
        more = [f"z{n}" for n in range(200)]
        together = (
            first + [each for each in second if each not in first] + more,
            second + [each for each in first if each not in second] + more,
        )
        least, most = (
            (1 - persistence)
            * math.fsum(persistence ** (d - 1) * agreement_by_sets(*lists, d) for d in range(1, 201))
            for lists in (apart, together)
        )
        assert math.isclose(float(row["rbo_min(0.8)"]), least, abs_tol=1e-12), topic
        assert math.isclose(float(row["rbo_min(0.8)"]) + float(row["rbo_res(0.8)"]), most, abs_tol=1e-12)
        assert least - 1e-12 <= float(row["rbo(0.8)"]) <= most + 1e-12


def test_equal_runs_and_ties(call: Command, tmp_path: Path) -> None:
    """Equal scores are in the order of an evaluation: by docno, descending."""
    rows = call.ok("overlap", RUNS[0], RUNS[0], "--format", "json").json["overlap"]
    assert {row["measure"]: row["mean"] for row in rows if "res" not in row["measure"]}["rbo(0.9)"] == 1.0
    tied = tmp_path / "tied"
    tied.write_text("1 Q0 a 1 5 t\n1 Q0 b 2 5 t\n")
    ordered = write(tmp_path / "ordered", {"1": ["b", "a"]}, "o")
    assert float(topics_of(call, tied, ordered, "--cutoffs", "1")["1"]["jaccard@1"]) == 1.0


def test_scores_that_are_equal_in_single_precision_are_ties_of_9_0_8_alone(
    call: Command, tmp_path: Path
) -> None:
    near = tmp_path / "near"
    near.write_text("1 Q0 a 1 16777217 t\n1 Q0 b 2 16777216 t\n")
    ordered = write(tmp_path / "ordered", {"1": ["b", "a"]}, "o")
    for version, shared in (("9.0.8", 1.0), ("10.0", 0.0)):
        row = topics_of(call, near, ordered, "--cutoffs", "1", "--compat", version)["1"]
        assert float(row["jaccard@1"]) == shared, version


def test_topic_that_one_run_lacks_shares_nothing(call: Command, tmp_path: Path) -> None:
    first = write(tmp_path / "first", {"1": ["a"], "2": ["b"]}, "one")
    second = write(tmp_path / "second", {"1": ["a"]}, "two")
    called = call.ok("overlap", first, second)
    assert "1 topic without a document in two: nothing is shared there" in called.out
    assert "0.5000" in called.out
    other = write(tmp_path / "other", {"3": ["a"]}, "three")
    called = call("overlap", first, other)
    assert called.code == 1
    assert "no topic in common" in called.err and "such as '3'" in called.err


def test_lists_in_other_formats(call: Command, tmp_path: Path) -> None:
    """Ranked lists in JSON, and the same run as lines."""
    (tmp_path / "lists.json").write_text('{"1": ["a", "b"], "2": ["c"]}')
    lines = write(tmp_path / "lines", {"1": ["a", "b"], "2": ["c"]})
    rows = topics_of(call, tmp_path / "lists.json", lines)
    assert [row["rbo(0.9)"] for row in rows.values()] == ["1.0", "1.0"]


def test_opensearch(call: Command, tmp_path: Path) -> None:
    """The workbench's test of its own: docs A B C D and B C E, by its code on paper."""
    first = write(tmp_path / "first", {"1": ["A", "B", "C", "D"]}, "one")
    second = write(tmp_path / "second", {"1": ["B", "C", "E"]}, "two")
    row = topics_of(call, first, second, "--opensearch")["1"]
    assert float(row["jaccard"]) == 0.4
    agreements = [0, 1 / 2, 2 / 3, 2 / 4]
    for name, p in (("rbo50", 0.5), ("rbo90", 0.9)):
        value = sum(p**d * agreement for d, agreement in enumerate(agreements)) * (1 - p) / (1 - p**4)
        assert float(row[name]) == round(value, 2)
    both = 2 * (1 / 4 + 1 / 3) / 2
    assert float(row["frequencyWeighted"]) == round(both / (both + 2 / 4 / 2 + 1 / 3 / 2), 2)


def test_changes(call: Command, tmp_path: Path) -> None:
    first = write(tmp_path / "first", {"1": ["a", "b", "c", "d"]}, "one")
    second = write(tmp_path / "second", {"1": ["c", "a", "e"]}, "two")
    called = call.ok("overlap", first, second, "--cutoffs", "2", "--changes", "--format", "json")
    rows = called.json["changes"]
    assert [(row["docno"], row["first_rank"], row["second_rank"], row["change"]) for row in rows] == [
        ("b", 2, None, -2),
        ("c", 3, 1, 2),
        ("a", 1, 2, -1),
    ]


def test_a_new_document_behind_the_end_of_the_other_list_has_no_change(call: Command, tmp_path: Path) -> None:
    """A list that ends at rank 1 says nothing of a document that is now at rank 3: it did not move down."""
    first = write(tmp_path / "first", {"1": ["a"]}, "one")
    second = write(tmp_path / "second", {"1": ["b", "a", "c"], "2": ["x", "y"]}, "two")
    for files, sign in (((first, second), 1), ((second, first), -1)):
        rows = call.ok("overlap", *files, "--changes", "--format", "json").json["changes"]
        changes = {row["docno"]: row["change"] for row in rows}
        assert changes == {"b": sign, "a": -sign, "c": None, "x": None, "y": None}
    assert "no change: that run ends before" in call.ok("overlap", first, second, "--changes").out


@pytest.mark.parametrize("suffixes", [("", ""), ("-og", "-changed")])
def test_p_mrr(suffixes: tuple[str, str], call: Command, tmp_path: Path) -> None:
    """Down from 1 to 2 is 1/2, up from 4 to 1 is -3/4; a document that is gone is behind the list."""
    first = write(tmp_path / "first", {f"1{suffixes[0]}": list("abcd"), f"2{suffixes[0]}": ["x"]}, "one")
    second = write(tmp_path / "second", {f"1{suffixes[1]}": list("dabc"), f"2{suffixes[1]}": ["y"]}, "two")
    changed = tmp_path / "changed"
    changed.write_text("1 a\n1 d\n2 x\n3 z\n")
    called = call.ok("overlap", first, second, "--irrelevant", changed, "--format", "json").json
    assert [(row["topic"], row["p_mrr"]) for row in called["p_mrr_topics"]] == [("1", -1 / 8), ("2", 1 / 2)]
    assert called["p_mrr"] == [{"topics": 2, "documents": 3, "p_mrr": (-1 / 8 + 1 / 2) / 2}]
    text = call.ok("overlap", first, second, "--irrelevant", changed).out
    assert "1 topic left out: not in both runs" in text


def test_p_mrr_of_other_topics(call: Command, tmp_path: Path) -> None:
    run = write(tmp_path / "run", {"1": ["a"]})
    changed = tmp_path / "changed"
    changed.write_text("7 a\n")
    called = call("overlap", run, run, "--irrelevant", changed)
    assert called.code == 2
    assert "changed: topics such as '7', expected topics of both runs, such as '1'" in called.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("-p", "1"), "expected numbers between 0 and 1 such as 0.9,0.98"),
        (("-p", "x"), "expected numbers between 0 and 1 such as 0.9,0.98"),
        (("--cutoffs", "0"), "expected ranks above 0"),
        (("--map-ranks", "kept"), "--map-ranks goes with --map-docs"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], message: str, call: Command) -> None:
    called = call("overlap", *RUNS[:2], *arguments)
    assert called.code == 1 and message in called.err


def test_judgements_are_no_run(call: Command) -> None:
    called = call("overlap", QRELS, RUNS[0])
    assert called.code == 2 and "4 columns" in called.err
    assert "this looks like judgements: overlap takes two runs alone" in called.err
    assert NAMES[0] in call.ok("overlap", RUNS[0], RUNS[1]).out
