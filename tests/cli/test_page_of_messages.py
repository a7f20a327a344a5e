"""Messages that docs/troubleshooting.md explains: each of them comes of a command, or of a call in Python."""

from __future__ import annotations

import csv
import gzip
import lzma
import os
import pickle
import re
import shlex
import tempfile
import threading
import zipfile
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Command

import pres_eval as pe

ROOT = Path(__file__).parents[2]

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\nq2 0 d3 2\n"
RUN = "q1 Q0 d1 1 3.0 bm25\nq1 Q0 d2 2 2.0 bm25\nq2 Q0 d3 1 2.0 bm25\nq2 Q0 d1 2 1.0 bm25\n"
NUMBERED = "1 Q0 d1 1 3.0 bm25\n1 Q0 d2 2 2.0 bm25\n2 Q0 d3 1 2.0 bm25\n2 Q0 d1 2 1.0 bm25\n"


def without(column: int) -> str:
    rows = (line.split() for line in RUN.splitlines())
    return "".join(" ".join(row[: column - 1] + row[column:]) + "\n" for row in rows)


def topics(tag: str, ranks: list[int]) -> str:
    """A run that has the only relevant document of each topic at these ranks."""
    return "".join(
        f"t{topic} Q0 {'r' if place == rank else f'o{place}'} {place} {9 - place} {tag}\n"
        for topic, rank in enumerate(ranks)
        for place in range(1, 9)
    )


def two_documents(tag: str, first: str, last: str) -> str:
    """A run that has a document at rank 1 or 2 and another at rank 7 or 8 of 24 topics."""
    ranks = {0: {1: first, 7: last}, 1: {2: first, 8: last}}
    return "".join(
        f"t{topic} Q0 {ranks[topic % 2].get(place, f'o{place}')} {place} {9 - place} {tag}\n"
        for topic in range(24)
        for place in range(1, 9)
    )


FILES = {
    "qrels": QRELS,
    "run": RUN,
    "lm": RUN.replace("bm25", "lm").replace("3.0", "1.0"),
    "empty": "",
    "none.json": "{}",
    "half": RUN + "q2 Q0 d9",
    "cut": RUN.rstrip("\n")[:-2],
    "long": RUN + f"q3 Q0 {'d' * (1 << 20)} 1 1 r\n",
    "lfs": "version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 10\n",
    "page": "<!DOCTYPE html><html><body>404</body></html>\n",
    "output": "map\tall\t0.5\nP_5\tall\t0.2\n",
    "hits.json": '{"took": 1, "hits": {"hits": [{"_score": 1}]}}',
    "summary.csv": "run,topic,map\na,x,0.1\na,y,0.1\na,all,0.5\n",
    "nosummary.csv": "run,topic,map\na,x,0.1\na,all,0.5\nb,all,0.3\n",
    "wide.csv": 'query_id,doc_id,score\nq1,"d1\nd2",1\n',
    "open.csv": 'query_id,doc_id,score\nq1,"d1,1\n',
    "rounded.csv": "query_id,doc_id,score\nq1,1.23457E+15,1\n",
    "german.csv": "Frage;Treffer;Punkte\nq1;d1;1\n",
    "bars": RUN.replace(" ", "|"),
    "norank": without(4),
    "noscore": without(5),
    "falling": "q1 d1 3\nq1 d2 2\nq2 d3 2\nq2 d1 1\n",
    "seven": RUN.replace(" d1 ", " d 1 "),
    "nan": RUN.replace("3.0", "nan"),
    "nan.json": '{"q1": {"d1": NaN}}',
    "decimals": QRELS.replace(" 2\n", " 1.5\n"),
    "words": QRELS.replace(" 1\n", " X\n").replace(" 0\n", " A\n").replace(" 2\n", " Y\n"),
    "twice": RUN + "q1 Q0 d1 3 0.5 bm25\n",
    "judged-twice": QRELS + "q1 0 d1 0\n",
    "csv.csv": "query_id,doc_id,score\nq1,d1,1\n",
    "key.json": '{"q1": {"d1": 1, "d1": 2}}',
    "prefs": "q1 0 0 d1 1\nq1 0 1 d2 2\n",
    "llama.jsonl": '{"retrieved_ids": ["d1"]}\n{"retrieved_ids": ["d3"]}\n',
    "whole.json": '{"q1": {"d1": 1}}',
    "other": RUN.replace("q1", "t1").replace("q2", "t2"),
    "ids": RUN.replace(" d", " doc-"),
    "upper": RUN.replace(" d1 ", " D1 "),
    "padded": RUN.replace("q1", "q01"),
    "padded-qrels": QRELS.replace("q1", "q001").replace("q2", "q002") + "q3 0 d1 1\n",
    "one": "q1 Q0 d1 1 3.0 one\n",
    "two": "q2 Q0 d1 1 3.0 two\n",
    "three": RUN + "q9 Q0 d1 1 1.0 bm25\n",
    "zeros": QRELS + "q3 0 d1 0\n",
    "distances": "q1 Q0 d1 1 0.1 t\nq1 Q0 d2 2 0.2 t\nq2 Q0 d3 1 0.1 t\nq2 Q0 d1 2 0.5 t\n",
    "exchanged": "q1 Q0 d1 9.5 1 t\nq1 Q0 d2 8.5 2 t\nq1 Q0 d4 8.1 3 t\n",
    "tied": "q1 Q0 d1 1 1 tied\nq1 Q0 d2 2 1 tied\nq2 Q0 d3 1 1 tied\nq2 Q0 d9 2 1 tied\n",
    "groups": "q1 a\nq2 b\n",
    "against": "q1 Q0 d1 2 3.0 t\nq1 Q0 d2 1 2.0 t\n",
    "single": "q1 Q0 d1 1 1.00000002 t\nq1 Q0 d2 2 1.00000001 t\n",
    "letters": RUN.replace("3.0", "x"),
    "short": "q1 Q0 d1 1 3.0 bm25\nq2 Q0 d3 1 2.0 bm25\n",
    "index-map.csv": ",chunk,document\n0,d1,e1,x\n",
    "strangers": RUN + "x Q0 d1 1 1 bm25\ny Q0 d1 1 1 bm25\n",
    "mark": "\ufeff" + RUN,
    "high": QRELS.replace(" 2\n", " 5\n"),
    "mine.py": "import pres_eval\n\ndef broken(batch):\n    return batch.nothing\n\n"
    "BROKEN = pres_eval.register('broken_measure', broken)\n",
    "numbered": NUMBERED,
    "names": "a\nb\nc\n",
    "spread": "q1 Q0 1.5E+10 1 1 r\n",
    "tests": "".join(f"t{topic} 0 r 1\n" for topic in range(4)),
    "few-a": topics("a", [1, 1, 1, 1]),
    "few-b": topics("b", [2, 3, 2, 3]),
    "people": "".join(f"t{topic} 0 r 1\nt{topic} 0 b 0\n" for topic in range(24)),
    "machine": "".join(f"t{topic} 0 r 0\nt{topic} 0 b 1\n" for topic in range(24)),
    "many-a": two_documents("a", "r", "b"),
    "many-b": two_documents("b", "b", "r"),
    "old.txt": "P_5                   \tall\t0.2000\n",
    "found": "".join(f"q1 d{number}\n" for number in range(40)),
    "sample": "".join(f"q1 d{number} {int(number % 3 == 0)}\n" for number in range(0, 200, 4)),
    "strata": "".join(
        f"q1 d{number} {'found' if number < 40 else 'rest'} {int(number % 3 == 0)}\n"
        for number in range(0, 200, 4)
    ),
    "sizes": "q1 found 50\nq1 rest 160\n",
    "elsewhere": "q1 d1 1\nq1 d3 0\nq7 d1 1\nq7 d5 0\n",
    "drawn": "1 0 a 1 1\n1 0 b 2 0\n1 0 c 2 -1\n",
    "drawn-run": "1 Q0 a 0 2 r\n1 Q0 b 0 1 r\n",
    "undrawn": "1 0 a 1 1\n1 0 b 2 -1\n1 0 c 2 -1\n",
}  # fmt: skip


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    monkeypatch.syspath_prepend(str(tmp_path))
    for name, text in FILES.items():
        (tmp_path / name).write_text(text, encoding="utf-8")
    (tmp_path / "latin").write_bytes(RUN.replace("bm25", "b\xe9").encode("latin-1"))
    (tmp_path / "cut.gz").write_bytes(gzip.compress(RUN.encode() * 100, mtime=0)[:60])
    (tmp_path / "tape.xz").write_bytes(lzma.compress(RUN.encode()) + bytes(3))
    (tmp_path / "run.pkl").write_bytes(pickle.dumps({"q1": {"d1": 1.0}}, protocol=4))
    with zipfile.ZipFile(tmp_path / "run.xlsx", "w") as archive:
        archive.writestr("[Content_Types].xml", "<Types/>")
    return call


TABLE = Path(__file__).with_name("messages.tsv")
"""Words of a message, and the commands that end in it: `&&` between them; `python NAME` calls a function."""

with TABLE.open(encoding="utf-8", newline="") as stream:
    SCENARIOS = [
        (row["words"], row["commands"])
        for row in csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE)
    ]

SHOWN_ELSEWHERE = {
    "not enough memory": ("cli/test_faults.py", "not enough memory"),
    "an input, which the shell opens for writing before": (
        "cli/gate_harms.tsv",
        "standard output: the same file as a",
    ),
    "its topics are not together, and the disk has no room for a copy": (
        "cli/test_page_of_messages.py",
        "test_no_room_for_a_copy_of_a_pipe",
    ),
    "ir_datasets cannot fetch": ("reading/test_datasets.py", "ir_datasets cannot fetch"),
    "of the same piece of work (did": ("engines/test_processes.py", "died of the same piece of work"),
    "no Dask scheduler answers": ("engines/test_wrong_peers.py", "no Dask scheduler answers"),
    "a worker process died and cannot be replaced": ("engines/test_processes.py", "cannot be replaced"),
    "fell back unasked": ("engines/test_processes.py", "fell back unasked"),
}
"""Messages about machines rather than files: the tests that produce them, and what these look for."""


def dict_of_runs() -> None:
    pe.evaluate("qrels", {"a": {"q1": {"d1": 1.0}}, "b": {"q1": {"d1": 1.0}}}, "map")


def fractions_as_ids() -> None:
    pe.evaluate("qrels", [("q1", 1.5, 2.0)], "map")


def empty_cell() -> None:
    table = pytest.importorskip("pyarrow").table({"qid": ["q1"], "docno": [None], "score": [1.0]})
    pe.evaluate("qrels", table, "map")


def columns_by_row() -> None:
    pe.evaluate("qrels", {"qid": {0: "q1"}, "docno": {0: "d1"}, "score": {0: 1.0}}, "map")


def ragged_rows() -> None:
    pe.Qrels("qrels").rank_top_k(["q1", "q2"], [[1, 2], [3]], [[2.0, 1.0], [1.0]])


def runs_compared() -> None:
    pe.compare([{"q1": {"d1": 1.0}}, {"q1": {"d2": 1.0}}])  # type: ignore[list-item]


def changed_result() -> None:
    pe.Measure("short", lambda batch: np.array([1.0])).name = "long"  # type: ignore[misc]


def short_measure() -> None:
    pe.evaluate("qrels", "run", [pe.Measure("short", lambda batch: np.array([1.0]))])


CALLS: dict[str, Callable[[], Any]] = {
    function.__name__: function
    for function in (
        dict_of_runs,
        fractions_as_ids,
        empty_cell,
        columns_by_row,
        ragged_rows,
        runs_compared,
        changed_result,
        short_measure,
    )
}


def message_of_call(name: str) -> str:
    """The message of the exception that a call in Python ends with."""
    with pytest.raises(Exception, match=r".") as caught:
        CALLS[name]()
    return str(caught.value)


@pytest.mark.parametrize(("words", "commands"), SCENARIOS, ids=[words for words, _ in SCENARIOS])
def test_the_message_comes(words: str, commands: str, call: Command) -> None:
    if commands.startswith("python "):
        assert words in message_of_call(commands.removeprefix("python "))
        return
    *before, last = commands.split(" && ")
    for command in before:
        arguments, _, target = command.partition(" > ")
        Path(target).write_text(call(*shlex.split(arguments)).out)
    called = call(*shlex.split(last))
    assert words in called.err + called.out


def test_messages_about_the_machine_have_tests() -> None:
    for words, (path, text) in SHOWN_ELSEWHERE.items():
        assert text in (ROOT / "tests" / path).read_text(encoding="utf-8"), words


@pytest.mark.skipif(not hasattr(os, "mkfifo"), reason="a system without named pipes")
def test_no_room_for_a_copy_of_a_pipe(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    def full(**_: object) -> None:
        raise OSError(28, "No space left on device")

    monkeypatch.setattr(tempfile, "TemporaryFile", full)
    os.mkfifo("pipe")
    scattered = RUN + "q1 Q0 d9 3 1.0 bm25\n"
    writer = threading.Thread(target=Path("pipe").write_text, args=[scattered], daemon=True)
    writer.start()
    called = call("--jobs", "1", "qrels", "pipe")
    writer.join(5)
    expected = "its topics are not together, and the disk has no room for a copy"
    assert called.code == 2 and expected in called.err


def words_of_page() -> list[str]:
    """The words that the items of the page begin with."""
    page = (ROOT / "docs" / "troubleshooting.md").read_text(encoding="utf-8")
    items = re.findall(r"^- (`.*?`): ", page, re.MULTILINE)
    assert items
    return [words for item in items for words in re.findall(r"`([^`]+)`", item)]


def test_each_message_of_the_page_is_produced() -> None:
    """A message that nothing produces leaves the page."""
    produced = {words for words, _ in SCENARIOS} | SHOWN_ELSEWHERE.keys()
    assert [words for words in words_of_page() if words not in produced] == []
