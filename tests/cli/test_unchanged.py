"""What must not change a number: order of lines, chunks, threads, compression, names, order of scores."""

from __future__ import annotations

import bz2
import gzip
import json
import lzma
import random
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from support.commands import Command
from support.small_chunks import chunks_of

from pres_eval.arrays import ids, stretches
from pres_eval.batches import forming

pytestmark = pytest.mark.slow

Row = tuple[str, ...]
Rows = list[Row]
TOPICS = ("1", "10", "2", "33", "7")
MEASURES = ("all_trec", "extended", "pres", "readers", "screening")
WANTED = ("--quiet", "-q", "-N", "5000", *(part for name in MEASURES for part in ("-m", name)))


def made(seed: int = 4) -> tuple[Rows, Rows, Rows]:
    """Judgements and two runs with ties, with grades below 0, with topics that one side lacks."""
    chance = random.Random(seed)
    documents = [f"d{number:03}" for number in range(60)]
    qrels: Rows = []
    runs: tuple[Rows, Rows] = ([], [])
    for topic in TOPICS:
        judged = chance.sample(documents, 25)
        qrels += [(topic, "0", docno, str(chance.choice((-1, 0, 0, 1, 1, 2, 3)))) for docno in judged]
        for run, tag in zip(runs, ("one", "two"), strict=True):
            scores = [chance.choice((-1.5, 0.25, 0.5, 2.0, chance.random())) for _ in range(40)]
            found = chance.sample(documents, 40)
            run += [
                (topic, "Q0", docno, "0", repr(score), tag)
                for docno, score in zip(found, scores, strict=True)
            ]
    return qrels, *runs


def text_of(rows: Rows) -> bytes:
    return "".join(" ".join(row) + "\n" for row in rows).encode()


def write(qrels: Rows, *runs: Rows, packed: Callable[[bytes], bytes] = bytes) -> None:
    for name, rows in zip(("qrels", "one", "two"), (qrels, *runs), strict=False):
        Path(name).write_bytes(packed(text_of(rows)))


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    write(*made())
    return call


def evaluated(call: Command, *options: str) -> list[str]:
    return call.ok(*WANTED, *options, "qrels", "one").out.splitlines()


def shuffled(rows: Rows, seed: int) -> Rows:
    """In another order, the last line in its place: its tag is the run's."""
    first = rows[:-1]
    random.Random(seed).shuffle(first)
    return [*first, rows[-1]]


@pytest.mark.parametrize("options", [[], ["-c", "-l", "2"], ["-J", "-M", "7"], ["--compat", "10.0"]])
@pytest.mark.parametrize("seed", [1, 2])
def test_order_of_lines(seed: int, options: list[str], call: Command) -> None:
    expected = evaluated(call, *options)
    write(*(shuffled(rows, seed) for rows in made()))
    assert evaluated(call, *options) == expected


@pytest.mark.parametrize("size", [1, 2, 7, 64, 300])
@pytest.mark.parametrize("mixed", [False, True])
def test_chunks(size: int, mixed: bool, call: Command) -> None:
    if mixed:
        write(*(shuffled(rows, 1) for rows in made()))
    expected = evaluated(call)
    with chunks_of(size):
        assert evaluated(call) == evaluated(call, "--jobs", "3") == expected


@pytest.mark.parametrize(
    "options",
    [
        WANTED,
        (*WANTED, "--format", "json"),
        ("-q", "-R", "qrels_jg", "-m", "map_avgjg", "-m", "P_avgjg", "-m", "runid"),
        ("-q", "-R", "qrels_prefs", "-m", "all_prefs"),
        ("-q", "-R", "subtopics", "-m", "diversity"),
    ],
)
def test_blocks_of_topics(options: tuple[str, ...], call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """However few topics are evaluated together."""
    expected = call(*options, "qrels", "one")
    assert expected.out
    for size in (1, 2, 3):
        monkeypatch.setattr(forming, "BATCH_TOPICS", size)
        monkeypatch.setattr(stretches, "BLOCK_ROWS", 10 * size)
        assert call(*options, "qrels", "one") == expected


def test_errors_in_later_blocks_of_topics(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """They name the line of the file, not that of the block."""
    Path("prefs").write_text("1 g s a 2\n1 g s b 1\n2 g s a 2\n2 g s b 1\n2 g r a 0\n2 g r b 1\n")
    Path("run").write_text("1 Q0 a 1 2 t\n2 Q0 b 1 2 t\n")
    expected = call("-R", "prefs", "-m", "all_prefs", "prefs", "run")
    assert expected.code == 2 and expected.err.startswith("pres-eval: prefs:5: topic '2'")
    monkeypatch.setattr(forming, "BATCH_TOPICS", 1)
    assert call("-R", "prefs", "-m", "all_prefs", "prefs", "run") == expected


@pytest.mark.parametrize("packed", [gzip.compress, bz2.compress, lzma.compress])
def test_compression(packed: Callable[[bytes], bytes], call: Command) -> None:
    expected = evaluated(call)
    write(*made(), packed=packed)
    assert evaluated(call) == expected
    write(*made(), packed=lambda data: packed(data[:300]) + packed(data[300:]))
    assert evaluated(call) == expected


def test_the_number_that_hashes_begin_with(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is drawn anew for each process."""
    expected = evaluated(call)
    for number in (0, 1, 2**63, 0x9E3779B97F4A7C15):
        monkeypatch.setattr(ids, "_SEED_OF_PROCESS", number)
        assert evaluated(call) == expected


def renamed(rows: Rows, place: int, name: Callable[[str], str]) -> Rows:
    return [(*row[:place], name(row[place]), *row[place + 1 :]) for row in rows]


@pytest.mark.parametrize("prefix", ["x", "a-long-prefix-of-more-than-sixteen-bytes-", "é", "\u2028"])
def test_topics_and_documents_by_other_names(prefix: str, call: Command) -> None:
    """Names in the same order: only the column of the topic is another."""
    expected = evaluated(call)
    write(*(renamed(renamed(rows, 0, prefix.__add__), 2, prefix.__add__) for rows in made()))
    fields = [line.split("\t") for line in expected]
    renames = [[label, topic if topic == "all" else prefix + topic, value] for label, topic, value in fields]
    assert call.ok(*WANTED, "qrels", "one").out.split("\n")[:-1] == ["\t".join(row) for row in renames]


def test_topics_in_another_order(call: Command) -> None:
    """Values of topics are the same; of sums over topics the last digit may differ."""
    other = dict(zip(TOPICS, reversed(TOPICS), strict=True))
    expected = {
        (label, other[topic], value)
        for label, topic, value in (line.split("\t") for line in evaluated(call))
        if topic != "all"
    }
    write(*(renamed(rows, 0, other.__getitem__) for rows in made()))
    found = [tuple(line.split("\t")) for line in evaluated(call)]
    assert {line for line in found if line[1] != "all"} == expected


@pytest.mark.parametrize(
    "change",
    [
        lambda rank, score: score * 8 - 3,
        lambda rank, score: -rank,
        lambda rank, score: 10.0 ** (30 - rank / 4),
    ],
)
def test_scores_of_the_same_order(change: Callable[[int, float], float], call: Command) -> None:
    """Ties stay ties."""
    expected = evaluated(call)
    qrels, *runs = made()
    changed = []
    for run in runs:
        values = sorted({float(row[4]) for row in run}, reverse=True)
        rank = {value: place for place, value in enumerate(values)}
        changed.append(renamed(run, 4, lambda text, rank=rank: repr(change(rank[float(text)], float(text)))))  # type: ignore[misc]
    write(qrels, *changed)
    assert evaluated(call) == expected
    assert evaluated(call, "--compat", "10.0")[:5] == expected[:5]


def test_topics_apart_and_together(call: Command) -> None:
    """Each topic in files of its own has the lines that it has among the others."""
    whole = evaluated(call)
    qrels, *runs = made()
    parts: list[str] = []
    for topic in TOPICS:
        write(*([row for row in rows if row[0] == topic] for rows in (qrels, *runs)))
        parts += [line for line in evaluated(call) if f"\t{topic}\t" in line]
    assert parts == [line for line in whole if "\tall\t" not in line]


def test_topics_that_nobody_judged(call: Command) -> None:
    expected = evaluated(call)
    qrels, *runs = made()
    more: Rows = [
        ("0", "Q0", "d1", "0", "1", "x"),
        ("5", "Q0", "d1", "0", "1", "x"),
        ("5", "Q0", "d2", "0", "1", "x"),
    ]
    write(qrels, *([*more, *run[:50], *renamed(more, 0, "5".__add__), *run[50:]] for run in runs))
    assert evaluated(call) == expected


def test_judged_topics_that_the_run_lacks(call: Command) -> None:
    """Left out without -c, but for the count of judgements that 9.0.8 takes from the whole file."""
    expected = evaluated(call)
    qrels, *runs = made()
    write([*qrels, ("6", "0", "d1", "1")], *runs)
    assert evaluated(call) == expected


ANALYSES: dict[str, tuple[str, ...]] = {
    "compare": ("-m", "map", "-m", "PRES.10", "--samples", "50"),
    "compare --all-pairs": ("-m", "P.5", "--test", "randomisation", "--samples", "50"),
    "agreement": ("-m", "map", "-m", "P.5"),
    "sweep": ("-m", "PRES", "--nmax", "5,10,20"),
    "explain": ("--nmax", "10"),
    "robustness": ("-m", "map", "-m", "bpref", "--samples", "2"),
    "power": ("-m", "map", "--trials", "3", "--samples", "20"),
    "holes": ("--depth", "7", "--documents"),
    "figures pres-rank": (),
    "figures rnorm": (),
    "report": ("--samples", "50"),
}


@pytest.mark.parametrize("command", ANALYSES)
def test_analyses(command: str, call: Command) -> None:
    """All of it at once: lines in another order, one compressed file, small chunks, another hash."""
    name, *options = command.split()
    arguments = [name, *options, "qrels", "one", "two", *ANALYSES[command], "--quiet", "--format", "json"]

    def found() -> Any:
        record = call.ok(*arguments).json
        for volatile in ("settings", "producer"):
            record.pop(volatile, None)
        return record

    expected = found()
    write(*(shuffled(rows, 3) for rows in made()), packed=lambda data: gzip.compress(data, mtime=0))
    with pytest.MonkeyPatch.context() as patch, chunks_of(50):
        patch.setattr(ids, "_SEED_OF_PROCESS", 12345)
        assert found() == expected


@pytest.mark.parametrize("command", ["judges", "pool"])
def test_judges_and_pools(command: str, call: Command) -> None:
    files = {"judges": ["qrels", "qrels", "one", "two", "-m", "map", "--quiet"], "pool": ["one", "two"]}[
        command
    ]
    expected = json.loads(call.ok(command, *files, "--format", "json").out)
    write(*(shuffled(rows, 3) for rows in made()), packed=bz2.compress)
    with chunks_of(50):
        assert json.loads(call.ok(command, *files, "--format", "json").out) == expected


@pytest.mark.parametrize("size", [1, 13, 100])
def test_check(size: int, call: Command) -> None:
    """What is found, and in which lines, does not depend on chunks or compression."""
    qrels, one, two = made()
    write([*qrels, qrels[3]], [*one, ("9", "Q0"), *one[:2]], two)
    expected = call("check", "qrels", "one", "two")
    assert expected.code == 1
    write([*qrels, qrels[3]], [*one, ("9", "Q0"), *one[:2]], two, packed=lzma.compress)
    with chunks_of(size):
        assert call("check", "qrels", "one", "two") == expected
