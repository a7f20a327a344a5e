"""pool --strata: a sample to judge, drawn within strata of ranks, from the runs to what is inferred."""

from __future__ import annotations

from collections import Counter
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st
from support.commands import QRELS, RUNS, Command

from pres_eval.analysis.pooling import DrawnPool, RankStratum, ToJudge, draw
from pres_eval.arrays import Ids
from pres_eval.errors import UsageError

STRATA = RankStratum.read("1-3:1,4-20:0.25,21-99:0.1")


def pooled(*documents: tuple[int, int, int]) -> ToJudge:
    """Documents of topics, by number, with their best ranks; those of a topic together."""
    ones = np.ones(len(documents), np.int64)
    return ToJudge(
        topics=(b"0", b"1"),
        topic_of=np.array([topic for topic, _, _ in documents], np.int64),
        documents=Ids.from_texts([b"d%d" % number for _, number, _ in documents]),
        rank=np.array([best for _, _, best in documents], np.int64),
        runs=ones,
        gain=np.zeros(len(documents)),
    )


def drawn_of(found: DrawnPool) -> set[tuple[bytes, bytes]]:
    return {key for key, drawn in zip(found.documents.pairs(), found.drawn.tolist(), strict=True) if drawn}


@given(best=st.lists(st.integers(1, 120), max_size=60), seed=st.integers(0, 9), others=st.integers(0, 20))
def test_as_many_are_drawn_as_the_shares_say_whatever_else_is_there(
    best: list[int], seed: int, others: int
) -> None:
    documents = [(1, number, rank) for number, rank in enumerate(best)]
    found = draw(pooled(*documents), STRATA, seed)
    of_strata = Counter(found.stratum.tolist())
    drawn = Counter(found.stratum[found.drawn].tolist())
    assert len(found.stratum) == sum(rank < 100 for rank in best)
    for number, stratum in enumerate(STRATA, 1):
        size = sum(stratum.first <= rank <= stratum.last for rank in best)
        assert of_strata[number] == size
        assert drawn[number] == (max(int(size * stratum.share + 0.5), 1) if size else 0)
    more = [(0, number, 5) for number in range(others)]
    again = draw(pooled(*more, *documents[::-1]), STRATA, seed)
    assert {key for key in drawn_of(again) if key[0] == b"1"} == drawn_of(found)


def test_each_document_of_a_stratum_is_drawn_as_often_as_any_other() -> None:
    documents = pooled(*((1, number, 10) for number in range(8)))
    times = Counter(key[1] for seed in range(4000) for key in drawn_of(draw(documents, STRATA, seed)))
    assert sum(times.values()) == 8000
    # Each is binomial, with a quarter of 4,000 draws: 1,000 and a standard deviation of 27.4.
    assert all(abs(number - 1000) < 4.5 * 27.4 for number in times.values())


@pytest.mark.parametrize(
    ("text", "found", "above"),
    [("1-10", "1-10", 0), ("1-10:0", "1-10:0", 0), ("0-10:1", "0-10:1", 0), ("5-2:1", "5-2:1", 0),
     ("1-10:1,10-20:0.5", "10-20:0.5", 10), ("1-10:1,12-20:0.5", "12-20:0.5", 10), ("2-9:1", "2-9:1", 0),
     ("1-10:1.5", "1-10:1.5", 0), ("1-10:0,5", "1-10:0", 0)],
)  # fmt: skip
def test_strata_that_make_no_sense(text: str, found: str, above: int) -> None:
    with pytest.raises(UsageError, match="expected FIRST-LAST:SHARE") as raised:
        RankStratum.read(text)
    assert f"found '{found}'" in str(raised.value)
    assert f"ranks from {above + 1} on " in str(raised.value)


@pytest.mark.slow
def test_from_runs_to_values(command: Command, tmp_path: Path) -> None:
    sample, filled = tmp_path / "sample", tmp_path / "filled"
    options = ("--strata", "1-10:1,11-50:0.3", "--seed", "3", "--write-qrels", sample)
    listed = command.ok("pool", *RUNS, *options, "--format", "csv").rows
    lines = [line.split() for line in sample.read_text().splitlines()]
    to_judge = {(line[0], line[2]) for line in lines if line[4] == "?"}
    assert {(row["topic"], row["docno"]) for row in listed} == to_judge
    assert {line[4] for line in lines} == {"?", "-1"}
    refused = command("-R", "strata", sample, RUNS[0])
    assert refused.code == 2
    assert refused.err.rstrip().endswith(
        "relevance '?', expected an integer; ? is what pool --strata wrote for a document to judge: put its"
        " grade there"
    )
    # Judged are those that the qrels have; the others are judged not relevant.
    command.ok("pool", *RUNS, *options[:4], "--judged", QRELS, "--write-qrels", sample)
    again = [line.split() for line in sample.read_text().splitlines()]
    assert [line[:4] for line in again] == [line[:4] for line in lines]
    left = [line for line in again if line[4] == "?"]
    assert 0 < len(left) < len(to_judge)
    filled.write_text("".join(" ".join(line).replace("?", "0") + "\n" for line in again))
    values = command.ok("-R", "strata", "-m", "xinfAP", "-m", "inum_rel", "--intervals", filled, RUNS[0])
    assert values.out.startswith("xinfAP")
    assert len(values.out.splitlines()) == 6


@pytest.mark.parametrize(
    ("options", "message"),
    [
        (("--strata", "1-10:1", "--depth", "5"), "--strata and --depth: expected one of them"),
        (("--strata", "1-10:1", "--per-topic", "5"), "--strata and --per-topic: expected one of them"),
        (("--seed", "5"), "--seed goes with --strata"),
    ],
)
def test_options_that_contradict_strata(command: Command, options: tuple[str, ...], message: str) -> None:
    called = command("pool", RUNS[0], *options)
    assert (called.code, called.out) == (1, "")
    assert called.err.startswith(f"pres-eval: {message}")


def test_ids_with_blanks_are_warned_about(command: Command, tmp_path: Path) -> None:
    """The first words were listed as documents to judge, without a word."""
    (tmp_path / "run").write_text("1 Q0 my doc.pdf 1 2.5 r\n")
    called = command("pool", tmp_path / "run")
    assert called.code == 0 and "run:1: more than 6 columns; the first 6 are used" in called.err
    assert command("pool", tmp_path / "run", "--quiet").err == ""


def test_a_seed_of_0_is_a_seed(command: Command) -> None:
    def drawn_by(*seed: str) -> list[dict[str, str]]:
        return command("pool", *RUNS, "--strata", "1-50:0.1", *seed, "--format", "csv").rows

    assert drawn_by() == drawn_by("--seed", "1") != drawn_by("--seed", "0")
