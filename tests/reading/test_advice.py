"""Advice is followed as its readers would, and the numbers are those that were meant."""

from __future__ import annotations

import bz2
import gzip
import io
import json
import lzma
import os
import random
import re
import shlex
import subprocess
import sys
import tarfile
import zipfile
from collections.abc import Callable, Iterable
from pathlib import Path
from typing import Any

import pytest
from support import prepared
from support.commands import Command

Row = tuple[str, str, int, float]
"""Topic, docno, rank and score of a run, or topic, docno, 0 and grade."""

MEASURES = ("-m", "map", "-m", "recip_rank", "-m", "ndcg", "-m", "num_ret", "-m", "P.2")

PROGRAMS = r"(?<=[:,] )(?:pres-eval convert|awk|tr|iconv|tail|perl|sed|unzip|tar|jq|gzip|bzip2|xz|zstd) "


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    scripts = [Path(prepared.program()).parent, Path(sys.executable).parent]
    monkeypatch.setenv("PATH", os.pathsep.join([*map(str, scripts), os.environ["PATH"]]))
    return call


def collection(number: int, step: float = 0.25) -> tuple[list[Row], list[Row]]:
    """Return judgements and a run of one of three collections, with ids of letters, of digits, of both."""
    drawn = random.Random(number)
    topic_id, docno = (("q{}", "d{}"), ("{}", "1{}"), ("PAC-{}", "EP{}-B1"))[number]
    qrels, run = [], []
    for topic in range(1, 6):
        documents = drawn.sample(range(100, 140), 12)
        qrels += [(topic_id.format(topic), docno.format(d), 0, float(drawn.randrange(3))) for d in documents]
        ranked = drawn.sample(documents, 6) + drawn.sample(range(200, 240), 3)
        drawn.shuffle(ranked)
        run += [
            (topic_id.format(topic), docno.format(document), rank, 20 + drawn.random() - step * rank * 5)
            for rank, document in enumerate(ranked, 1)
        ]
    return qrels, run


def trec_qrels(rows: list[Row]) -> str:
    return "".join(f"{topic} 0 {docno} {grade:g}\n" for topic, docno, _, grade in rows)


def trec_run(rows: list[Row]) -> str:
    return "".join(f"{topic} Q0 {docno} {rank} {score} mine\n" for topic, docno, rank, score in rows)


def expected(call: Command, qrels: list[Row], run: list[Row], *options: str) -> str:
    Path("plain-qrels").write_text(trec_qrels(qrels))
    Path("plain-run").write_text(trec_run(run))
    return call.ok(*options, *MEASURES, "plain-qrels", "plain-run").out


ROLES = {
    "topic": ("query", "query_id", "Anfrage", "Frage"),
    "docno": ("Dokument", "patent", "product", "Treffer"),
    "score": ("Wert", "similarity", "Punkte"),
    "grade": ("Note", "label"),
}
"""What the columns of the files hold, which their owner knows."""


def with_headings(option: str, message: str) -> str:
    """Return an option of columns with the headings that only the file's owner can put in."""
    headings = re.findall(r"[^ ,]+", message.partition("names the columns ")[2].partition(", and topic")[0])
    for role, names in ROLES.items():
        known = [name for name in names if name in headings]
        option = option.replace(f"{role}=HEADING", f"{role}={known[0] if known else 'none'}")
    return option


def followed(call: Command, qrels: str, run: str, choose: int = 0) -> str:
    """Return the values after whatever the messages advise was typed; `choose`: which of two commands."""
    options: list[str] = []
    for _ in range(4):
        called = call(*options, *MEASURES, qrels, run)
        if called.code == 0:
            return called.out
        path = re.match(r"pres-eval: (.*?)(:\d+)?: ", called.err)
        assert path is not None, called.err
        commands = re.findall(PROGRAMS + r".*?> NEW\d*", called.err)
        option = re.search(r"(-R \w+|-T \w+|--columns .*|--grades \S+)$", called.err.strip())
        assert commands or option, called.err
        if not commands:
            assert option is not None
            options += shlex.split(with_headings(option[1], called.err))
            continue
        before = Path(path[1]).read_bytes()
        subprocess.run(["bash", "-c", commands[choose]], check=True)
        assert Path(path[1]).read_bytes() == before
        written = commands[choose].rpartition(" ")[2]
        assert written != path[1]
        qrels, run = (written if name == path[1] else name for name in (qrels, run))
    raise AssertionError(called.err)


RUNS: dict[str, Callable[[list[Row]], str]] = {
    "no tag": lambda rows: "".join(f"{t} Q0 {d} {r} {s}\n" for t, d, r, s in rows),
    "no Q0": lambda rows: "".join(f"{t} {d} {r} {s} mine\n" for t, d, r, s in rows),
    "no rank": lambda rows: "".join(f"{t} Q0 {d} {s} mine\n" for t, d, r, s in rows),
    "no rank, no tag": lambda rows: "".join(f"{t} Q0 {d} {s}\n" for t, d, r, s in rows),
    "no Q0, no tag": lambda rows: "".join(f"{t} {d} {r} {s}\n" for t, d, r, s in rows),
    "no Q0, no tag, ranks last": lambda rows: "".join(f"{t} {d} {s} {r}\n" for t, d, r, s in rows),
    "scores": lambda rows: "".join(f"{t} {d} {s}\n" for t, d, r, s in rows),
    "scores in mixed order": lambda rows: "".join(f"{t} {d} {s}\n" for t, d, r, s in sorted(rows)),
    "ranks": lambda rows: "".join(f"{t} {d} {r}\n" for t, d, r, s in rows),
    "ranks from 0": lambda rows: "".join(f"{t} {d} {r - 1}\n" for t, d, r, s in rows),
    "ranks in mixed order": lambda rows: "".join(f"{t} {d} {r}\n" for t, d, r, s in sorted(rows)),
    "rank before docno": lambda rows: "".join(
        f"{t} {r} {d}\n" if d[0] != "1" else f"{t} {d} {r}\n" for t, d, r, s in rows
    ),
    "no score": lambda rows: "".join(f"{t} Q0 {d} {r} mine\n" for t, d, r, s in rows),
    "no score, ranks from 0": lambda rows: "".join(f"{t} Q0 {d} {r - 1} mine\n" for t, d, r, s in rows),
    "documents alone": lambda rows: "".join(f"{t} {d}\n" for t, d, r, s in rows),
    "decimal commas": lambda rows: trec_run(rows).replace(".", ","),
    "decimal commas, three columns": lambda rows: "".join(
        f"{t} {d} {s}\n".replace(".", ",") for t, d, r, s in rows
    ),
    "some decimal commas": lambda rows: "".join(
        f"{t} {d} {s}\n".replace(".", "," if r % 2 else ".") for t, d, r, s in rows
    ),
    "header": lambda rows: "topic Q0 docno rank score tag\n" + trec_run(rows),
    "header of three columns": lambda rows: (
        "qid docno score\n" + "".join(f"{t} {d} {s}\n" for t, d, r, s in rows)
    ),
    "commas": lambda rows: trec_run(rows).replace(" ", ","),
    "bars": lambda rows: trec_run(rows).replace(" ", "|"),
    "semicolons and decimal commas": lambda rows: trec_run(rows).replace(" ", ";").replace(".", ","),
    "commas, three columns": lambda rows: "".join(f"{t},{d},{s}\n" for t, d, r, s in rows),
    "commas, ranks": lambda rows: "".join(f"{t},{d},{r}\n" for t, d, r, s in rows),
    "quoted": lambda rows: "".join(f'"{t}","{d}","{s}"\n' for t, d, r, s in rows),
    "tabs and a header": lambda rows: (
        "Anfrage\tDokument\tWert\n" + "".join(f"{t}\t{d}\t{s}\n" for t, d, r, s in rows)
    ),
    "an unknown heading": lambda rows: (
        "query_id,patent,similarity\n" + "".join(f"{t},{d},{s}\n" for t, d, r, s in rows)
    ),
    "unknown headings, other columns": lambda rows: (
        "Frage;Treffer;Titel;Punkte\n" + "".join(f"{t};{d};a title;{s}\n" for t, d, r, s in rows)
    ),
    "no-break spaces": lambda rows: trec_run(rows).replace(" ", "\u00a0"),
    "lists": lambda rows: lists(rows, "{} {}", " "),
    "lists with a colon": lambda rows: lists(rows, "{}: {}", " "),
    "lists of CSV": lambda rows: lists(rows, "{},{}", ","),
    "quoted lists": lambda rows: lists(rows, '{},"{}"', ";"),
}


def lists(rows: list[Row], line: str, between: str) -> str:
    by_topic: dict[str, list[str]] = {}
    for topic, docno, *_ in rows:
        by_topic.setdefault(topic, []).append(docno)
    return "".join(f"{line.format(topic, between.join(docnos))}\n" for topic, docnos in by_topic.items())


def in_turn(shapes: Iterable[str]) -> list[Any]:
    """Return each shape with one of the three collections: ids of letters, of digits and of both by turns.

    Lists get no ids of digits: lines of more than six columns, the fifth a number, are a run with a warning.
    """
    return [
        pytest.param(shape, 2 if number % 3 == 1 and "lists" in shape else number % 3, id=shape)
        for number, shape in enumerate(shapes)
    ]


@pytest.mark.parametrize(("shape", "number"), in_turn(RUNS))
def test_advice_on_runs(shape: str, number: int, call: Command) -> None:
    qrels, run = collection(number)
    values = expected(call, qrels, run)
    Path("run").write_text(RUNS[shape](run))
    assert followed(call, "plain-qrels", "run") == values


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("reading", ["score", "rank"])
def test_advice_where_numbers_can_be_scores_or_ranks(reading: str, number: int, call: Command) -> None:
    """Whole numbers that fall from line to line: both readings are offered."""
    qrels, run = collection(number)
    falling = [(t, d, r, float(10 - r)) for t, d, r, _ in run]
    meant = falling if reading == "score" else [(t, d, 10 - r, float(r)) for t, d, r, _ in run]
    values = expected(call, qrels, meant)
    Path("run").write_text("".join(f"{t} {d} {s:.0f}\n" for t, d, _, s in falling))
    assert followed(call, "plain-qrels", "run", choose=int(reading == "rank")) == values


JUDGEMENTS: dict[str, Callable[[list[Row]], str]] = {
    "no iteration": lambda rows: "".join(f"{t} {d} {g:g}\n" for t, d, _, g in rows),
    "header": lambda rows: "topic iter docno rel\n" + trec_qrels(rows),
    "header of three columns": lambda rows: (
        "topic docno relevance\n" + "".join(f"{t} {d} {g:g}\n" for t, d, _, g in rows)
    ),
    "semicolons": lambda rows: trec_qrels(rows).replace(" ", ";"),
    "commas, three columns": lambda rows: "".join(f"{t},{d},{g:g}\n" for t, d, _, g in rows),
    "no-break spaces": lambda rows: trec_qrels(rows).replace(" ", "\u00a0"),
    "returns": lambda rows: trec_qrels(rows).replace("\n", "\r"),
    "an unknown heading": lambda rows: (
        "query,product,label\n" + "".join(f"{t},{d},{g:g}\n" for t, d, _, g in rows)
    ),
    "headings in another language": lambda rows: (
        "Frage;Dokument;Note\n" + "".join(f"{t};{d};{g:g}\n" for t, d, _, g in rows)
    ),
    "another order": lambda rows: (
        "Note,Dokument,Anfrage,query\n" + "".join(f"{g:g},{d},x,{t}\n" for t, d, _, g in rows)
    ),
}


@pytest.mark.parametrize(("shape", "number"), in_turn(JUDGEMENTS))
def test_advice_on_judgements(shape: str, number: int, call: Command) -> None:
    qrels, run = collection(number)
    values = expected(call, qrels, run)
    Path("qrels.csv" if "," in shape else "qrels").write_text(JUDGEMENTS[shape](qrels))
    assert followed(call, "qrels.csv" if "," in shape else "qrels", "plain-run") == values


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("place", [0, 30, -1])
def test_advice_on_gains(place: int, number: int, call: Command) -> None:
    """Also where most grades are whole, and where the first with decimals is far down."""
    qrels, run = collection(number)
    more = [(t, f"{d}x{n}", 0, 1.0) for n in range(2000) for t, d, *_ in qrels[:1]]
    qrels = [*qrels, *more]
    topic, docno, _, grade = qrels[place]
    qrels[place] = topic, docno, 0, grade + 0.5
    values = expected(call, qrels, run, "-R", "qrels_float")
    Path("qrels").write_text(trec_qrels(qrels))
    assert followed(call, "qrels", "plain-run") == values
    checked = call("check", "qrels", "plain-run")
    assert "-R qrels_float" in checked.out and "int(" not in checked.out


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("shape", ["lists", "lists of CSV"])
def test_advice_on_lists_of_relevant_documents(shape: str, number: int, call: Command) -> None:
    qrels, run = collection(number)
    relevant = [(t, d, 0, 1.0) for t, d, _, g in qrels if g]
    values = expected(call, relevant, run)
    Path("qrels").write_text(RUNS[shape](relevant))
    assert followed(call, "qrels", "plain-run") == values


def in_tar(data: bytes) -> bytes:
    stream = io.BytesIO()
    with tarfile.open(fileobj=stream, mode="w") as file:
        entry = tarfile.TarInfo("run")
        entry.size = len(data)
        file.addfile(entry, io.BytesIO(data))
    return stream.getvalue()


def in_zip(data: bytes) -> bytes:
    stream = io.BytesIO()
    with zipfile.ZipFile(stream, "w") as file:
        file.writestr("run", data)
    return stream.getvalue()


PACKED: dict[str, Callable[[bytes], bytes]] = {
    "UTF-16": lambda data: data.decode().encode("utf-16"),
    "UTF-16, big-endian": lambda data: b"\xfe\xff" + data.decode().encode("utf-16-be"),
    "UTF-16LE without a mark": lambda data: data.decode().encode("utf-16-le"),
    "UTF-16BE without a mark": lambda data: data.decode().encode("utf-16-be"),
    "zip": in_zip,
    "tar": in_tar,
    "tar.gz": lambda data: gzip.compress(in_tar(data), mtime=0),
    "gzip, no tag": lambda data: gzip.compress(data.replace(b" mine", b""), mtime=0),
    "bzip2, lists with a colon": lambda data: bz2.compress(
        lists(rows_of(data), "T{}: D{}", " D").encode().replace(b"T", b"").replace(b"D", b"")
    ),
    "xz, lists": lambda data: lzma.compress(lists(rows_of(data), "{} {}", " ").encode()),
}


def rows_of(data: bytes) -> list[Row]:
    words = [line.split() for line in data.decode().splitlines()]
    return [(t, d, int(r), float(s)) for t, _, d, r, s, _ in words]


@pytest.mark.parametrize("number", range(3))
@pytest.mark.parametrize("form", PACKED)
def test_advice_on_files_of_other_kinds(form: str, number: int, call: Command) -> None:
    qrels, run = collection(number)
    values = expected(call, qrels, run)
    packed = PACKED[form](trec_run(run).encode())
    name = ("run", "my run=1.txt", "NEW")[number]
    Path(name).write_bytes(packed)
    if number == 1 and "lists" in form:
        pytest.skip("as above")
    assert followed(call, "plain-qrels", name) == values


@pytest.mark.parametrize("number", range(3))
def test_a_run_whose_lines_end_in_returns_is_warned_about(number: int, call: Command) -> None:
    """trec_eval takes them for blanks, and so do we; the warning names the command."""
    qrels, run = collection(number)
    values = expected(call, qrels, run)
    Path("run").write_bytes(trec_run(run).replace("\n", "\r").encode())
    called = call(*MEASURES, "plain-qrels", "run")
    assert called.code == 0 and called.out != values
    command = re.search(r"tr '\\r' '\\n' < run > NEW", called.err)
    assert command is not None, called.err
    subprocess.run(["bash", "-c", command[0]], check=True)
    assert call.ok(*MEASURES, "plain-qrels", "NEW").out == values


@pytest.mark.parametrize("number", range(3))
def test_a_last_line_that_was_not_written_to_its_end(number: int, call: Command) -> None:
    qrels, run = collection(number)
    values = expected(call, qrels, run)
    Path("run").write_text(trec_run(run) + "q1 Q0 d")
    assert "the file ends in the middle of this line" in call("plain-qrels", "run").err
    assert followed(call, "plain-qrels", "run") == values


def test_rtf_is_said_to_be_rtf(call: Command) -> None:
    qrels, run = collection(0)
    expected(call, qrels, run)
    Path("run").write_text("{\\rtf1\\ansi\n" + trec_run(run).replace("\n", "\\\n") + "}\n")
    assert "this is RTF of a word processor: save it there as plain text" in call("plain-qrels", "run").err


def test_letters_in_two_forms_are_shown_apart(call: Command) -> None:
    Path("qrels").write_text("1 0 caf\u00e9 1\n1 0 x 0\n")
    Path("run").write_text("1 Q0 cafe\u0301 1 2 t\n1 Q0 x 2 1 t\n")
    for called in (call("qrels", "run"), call("check", "qrels", "run")):
        said = called.err + called.out
        assert r"cafe\u0301" in said and r"caf\xe9" in said
    command = re.search(r"python3 -c .*? < FILE > NEW", called.err + said)
    assert command is not None
    subprocess.run(["bash", "-c", command[0].replace("FILE", "run")], check=True)
    assert call.ok("-m", "map", "qrels", "NEW").out.split() == ["map", "all", "1.0000"]


@pytest.mark.parametrize("number", range(3))
def test_one_of_several_predictions_is_taken_out(number: int, call: Command) -> None:
    qrels, run = collection(number)
    values = expected(call, qrels, run)
    scores: dict[str, dict[str, float]] = {}
    for topic, docno, _, score in run:
        scores.setdefault(topic, {})[docno] = score
    Path("run").write_text(json.dumps({"en-de": {"test": scores, "dev-2": {"x": {"y": 1.0}}}}))
    assert followed(call, "plain-qrels", "run") == values


def test_grades_that_are_words(call: Command) -> None:
    Path("qrels").write_text("1 0 a X\n1 0 b A\n1 0 c Y\n2 0 a Y\n2 0 b A\n")
    Path("run").write_text("1 Q0 c 1 2 t\n1 Q0 a 2 1 t\n2 Q0 a 1 1 t\n")
    assert "--grades X=NUMBER,A=NUMBER,Y=NUMBER" in call("qrels", "run").err


def test_standard_input(call: Command) -> None:
    """No command has a file that is called `-`."""
    script = "printf '1 d1 d2\\n2 d3 d4 d5\\n' | pres-eval qrels -"
    Path("qrels").write_text("1 0 d1 1\n2 0 d3 1\n")
    done = subprocess.run(["bash", "-c", script], capture_output=True, text=True, check=False)
    assert done.returncode == 2 and " < " not in done.stderr and "awk '" in done.stderr


@pytest.mark.parametrize(
    ("line", "advice"),
    [
        ("1 d1 {}", "Q0, rank and tag are missing: pres-eval convert run --columns topic=1,docno=2,score=3"),
        ("1 Q0 {} 1.5 tag", "the rank is missing: pres-eval convert run --columns topic=1,docno=3,score=4"),
    ],
)
def test_numbers_longer_than_python_reads(line: str, advice: str, call: Command) -> None:
    Path("qrels").write_text("1 0 d1 1\n")
    Path("run").write_text(f"{line.format('9' * 5_000)}\n")
    called = call("qrels", "run")
    assert called.code == 2
    assert advice in called.err
