"""pres-eval stopping: reviews that stopped, through the command."""

from __future__ import annotations

import math
from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, Command


@pytest.fixture
def call(capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    return Command(capfdbinary)


@pytest.fixture
def review(tmp_path: Path) -> tuple[Path, Path]:
    """Topic 1: four relevant at ranks 1, 3, 6 and 10 of 10.  Topic 2: one of two is retrieved, at rank 2."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    relevant = {1, 3, 6, 10}
    lines = [f"1 0 d{rank} {int(rank in relevant)}\n" for rank in range(1, 11)]
    qrels.write_text("".join(lines) + "2 0 x 1\n2 0 y 1\n2 0 z 0\n3 0 a 0\n")
    ranked = [f"1 Q0 d{rank} {rank} {-rank} r\n" for rank in range(1, 11)]
    run.write_text("".join(ranked) + "2 Q0 z 1 2 r\n2 Q0 x 2 1 r\n3 Q0 a 1 1 r\n")
    return qrels, run


def by_topic(call: Command, *arguments: str | Path) -> dict[str, dict[str, str]]:
    rows = call.ok("stopping", *arguments, "--quiet", "--format", "csv", "--table", "topics").rows
    return {row["topic"]: row for row in rows}


def test_by_hand(call: Command, review: tuple[Path, Path], tmp_path: Path) -> None:
    stops = tmp_path / "stops"
    stops.write_text("1 4\n2 1\n3 1\n")
    rows = by_topic(call, *review, "--stops", stops, "--target", "0.75", "--costs", "10,5,2,1")
    assert set(rows) == {"1", "2"}, "nothing is relevant for topic 3"
    first, second = rows["1"], rows["2"]
    assert (first["relevant"], first["read"], first["found"], first["earliest"]) == ("4", "4", "2", "6")
    assert (first["recall"], first["reached"], first["excess"]) == ("0.5", "false", "-2.0")
    assert math.isclose(float(first["relative_error"]), 0.25 / 0.75)
    assert float(first["share_read"]) == 0.4
    # Two relevant and two others were read; then rank 5, another, and rank 6, a relevant one.
    assert float(first["cost"]) == 2 * 10 + 2 * 5 + 1 * 2 + 1 * 1
    # Both have to be found, and the run has one of them: all of the three documents are read.
    assert (second["earliest"], second["excess"], second["recall"]) == ("0", "", "0.0")
    assert float(second["cost"]) == 0 * 10 + 1 * 5 + 2 * 2 + 0 * 1


def test_all_documents_known_are_read_where_the_target_is_out_of_reach(call: Command, tmp_path: Path) -> None:
    """Five are known, two of them retrieved; it left out the irrelevant ones that were not retrieved."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 good 1\n1 0 bad 0\n1 0 worse 0\n1 0 unjudged -1\n")
    run.write_text("1 Q0 u 1 2 r\n1 Q0 v 2 1 r\n")
    costs = []
    for options in ((), ("-N", "4"), ("-N", "7")):
        rows = by_topic(call, qrels, run, "--costs", "10,5,2,1", *options)
        costs.append(float(rows["1"]["cost"]))
    # Both are read before the stop; then one relevant document, and two others, four of seven.
    assert costs == [2 * 5 + 2 + 2 * 1, 2 * 5 + 2 + 2 * 1, 2 * 5 + 2 + 4 * 1]


def test_no_excess_is_shown_where_the_target_is_out_of_reach(
    call: Command, review: tuple[Path, Path]
) -> None:
    out = call.ok("stopping", *review, "--target", "0.75", "-q", "--quiet").out
    rows = {cells[1]: cells for cells in map(str.split, out.splitlines()) if cells[:1] == ["r"]}
    assert rows["1"][7] == "+4" and "nan" not in out, out


def test_a_review_may_stop_before_the_first_document(
    call: Command, review: tuple[Path, Path], tmp_path: Path
) -> None:
    stops = tmp_path / "stops"
    stops.write_text("1 0\n2 0\n3 0\n")
    rows = by_topic(call, *review, "--stops", stops, "--target", "0.75", "--costs", "10,5,2,1")
    first = rows["1"]
    assert (first["read"], first["found"], first["recall"], first["excess"]) == ("0", "0", "0.0", "-6.0")
    assert float(first["cost"]) == 3 * 2 + 3 * 1, "three relevant and three others down to rank 6, later"
    stops.write_text("1 -1\n2 0\n3 0\n")
    called = call("stopping", *review, "--stops", stops)
    assert called.code == 2 and ":1: rank '-1', expected a whole number of at least 0" in called.err


def test_a_stop_behind_the_end_is_the_end(call: Command, review: tuple[Path, Path], tmp_path: Path) -> None:
    stops = tmp_path / "stops"
    stops.write_text("1 99\n2 2\n3 1\n")
    called = call("stopping", *review, "--stops", stops, "-N", "100", "--format", "csv", "--table", "topics")
    assert "1 stop behind the end of" in called.err
    first = called.rows[0]
    assert (first["read"], first["share_read"], first["excess"]) == ("10", "0.1", "0.0")


def test_end_of_the_run_is_the_stop(call: Command, review: tuple[Path, Path]) -> None:
    rows = by_topic(call, *review, "--target", "0.5", "-N", "20", "-M", "6")
    assert (rows["1"]["read"], rows["1"]["excess"], rows["1"]["reached"]) == ("6", "3.0", "true")
    assert float(rows["1"]["share_read"]) == 6 / 20
    assert (rows["2"]["read"], rows["2"]["excess"], rows["2"]["reached"]) == ("2", "0.0", "true")


def test_means(call: Command, review: tuple[Path, Path], tmp_path: Path) -> None:
    """Several stops of one run are several reviews; reliability is the mean of what was reached."""
    early, late = tmp_path / "early", tmp_path / "late"
    early.write_text("1 1\n2 2\n3 1\n")
    late.write_text("1 10\n2 2\n3 1\n")
    rows = call.ok(
        "stopping",
        *review,
        "--stops",
        early,
        "--stops",
        late,
        "--target",
        "0.5,1",
        "--quiet",
        "--format",
        "csv",
    ).rows
    assert [(Path(row["run"]).name, row["target"], row["reliability"]) for row in rows] == [
        ("early", "0.5", "0.5"),
        ("early", "1.0", "0.0"),
        ("late", "0.5", "1.0"),
        ("late", "1.0", "0.5"),
    ]
    assert [row["excess"] for row in rows] == ["-1.0", "-9.0", "3.5", "0.0"]
    assert float(rows[0]["recall"]) == (0.25 + 0.5) / 2
    called = call("stopping", *review, "--stops", early, "--target", "1")
    assert "1 of 3 topics has no relevant document: left out" in called.err
    assert "1 stop of runs that do not retrieve enough for the target" in called.out


def test_it_agrees_with_the_measures(call: Command) -> None:
    """Where the run's end is the stop: recall is set_recall, the earliest rank read_for_recall."""
    rows = call.ok("stopping", QRELS, *RUNS, "--target", "0.3", "--format", "json").json["topics"]
    lines = call.ok(
        "-q", "-m", "set_recall", "-m", "read_for_recall.30", "--format", "csv", QRELS, *RUNS
    ).rows
    values = {(line["run"], line["topic"]): line for line in lines}
    assert len(rows) == 36
    for row in rows:
        line = values[row["run"], row["topic"]]
        assert row["recall"] == float(line["set_recall"])
        assert row["earliest"] in (0, float(line["read_for_recall_30"]))


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--target", "95"), 1, "expected recalls above 0 to 1 such as 0.8,0.95"),
        (("--target", "0"), 1, "expected recalls above 0 to 1 such as 0.8,0.95"),
        (("--costs", "1,1"), 1, "expected four costs of at least 0 such as 10,10,1,1"),
        (("-c",), 1, "-c adds topics that the run lacks, which have no stop"),
        (("--stops", "FILE"), 2, "no stop for 11 of 12 topics, such as 'PAC-1002', expected one for each"),
        (("--stops", "FILE", "--stops", "FILE"), 1, "found 2 files, expected one, or one for each of 3 runs"),
    ],
)
def test_mistakes(arguments: tuple[str, ...], code: int, message: str, call: Command, tmp_path: Path) -> None:
    stops = tmp_path / "stops"
    stops.write_text("PAC-1001 5\n")
    words = [str(stops) if word == "FILE" else word for word in arguments]
    called = call("stopping", QRELS, *RUNS, *words)
    assert called.code == code and message in called.err


def test_stop_behind_the_end(call: Command, review: tuple[Path, Path], tmp_path: Path) -> None:
    stops = tmp_path / "stops"
    stops.write_text("1 11\n2 1\n3 1\n")
    called = call("stopping", *review, "--stops", stops)
    assert called.code == 0 and "1 stop behind the end of" in called.err and "the end counts" in called.err


def test_no_advice_that_the_command_refuses(call: Command, review: tuple[Path, Path], tmp_path: Path) -> None:
    """A topic that the run lacks has no stop, so that -c is refused: no warning names it."""
    qrels, run = review
    qrels.write_text(qrels.read_text() + "4 0 x 1\n")
    other = tmp_path / "other"
    other.write_text("1 Q0 d1 1 1 o\n4 Q0 x 1 1 o\n")
    for runs, missing in (([run], "1 of 3 topics"), ([run, other], "only the 1 that all have are used")):
        called = call("stopping", qrels, *runs, "--target", "0.5")
        assert called.code == 0 and missing in called.err
        assert "-c" not in called.err and "--topics all" not in called.err


def test_excess_of_the_means_is_a_share(call: Command, review: tuple[Path, Path]) -> None:
    lines = call.ok("stopping", *review, "--quiet", "-q", "--target", "0.5").out.splitlines()
    headings = [line.split("  ") for line in lines if line.startswith("run")]
    assert ["share excess" in [cell.strip() for cell in line] for line in headings] == [True, False]
