"""What people do wrong, and the line that each of them gets: what it looks like, and what to type."""

from __future__ import annotations

import csv
import gzip
import io
import os
import pickle
import re
import shlex
import shutil
import subprocess
import sys
import tarfile
import zipfile
from pathlib import Path

import pytest
from support.commands import Command

from pres_eval.errors import decimal_comma

QRELS = "q1 0 d1 1\nq1 0 d2 0\nq2 0 d1 1\nq2 0 d3 2\n"
RUN = "q1 Q0 d1 1 3.0 bm25\nq1 Q0 d2 2 2.0 bm25\nq2 Q0 d3 1 2.0 bm25\nq2 Q0 d1 2 1.0 bm25\n"

FILES = {
    "qrels": QRELS,
    "run": RUN,
    "run2": RUN.replace("bm25", "lm"),
    "header": "topic Q0 docno rank score tag\n" + RUN,
    "commas": RUN.replace(" ", ","),
    "nested.json": '[{"topic": "q1"}]',
    "decimals": QRELS.replace(" 1\n", " 1.5\n"),
    "ids": RUN.replace(" d", " D-"),
    "exchanged": "q1 Q0 d1 9.5 1 t\nq1 Q0 d2 8.5 2 t\nq1 Q0 d4 8.1 3 t\nq2 Q0 d3 7.5 1 t\nq2 Q0 d1 7.1 2 t\n",
    "distances": "q1 Q0 d1 1 0.1 t\nq1 Q0 d2 2 0.2 t\nq2 Q0 d3 1 0.1 t\nq2 Q0 d1 2 0.5 t\n",
    "decimal-commas": RUN.replace(".0 ", ",0 "),
    "other": RUN.replace("q", "t"),
    "semicolons": QRELS.replace(" ", ";"),
    "page": "<!DOCTYPE html><html><body>404</body></html>\n",
    "lfs": "version https://git-lfs.github.com/spec/v1\noid sha256:abc\nsize 10\n",
    "two": "q1 d1\nq1 d2\nq2 d3\nq2 d1\n",
    "lists.csv": "query,documents\nq1,d1 d2\nq2,d3 d1\n",
    "lists": "q1 d1 d2\nq2 d3 d1 d4\n",
    "quoted": 'q1,"d1 d2"\nq2,"d3 d1"\n',
    "found": "q1 d1\nq1 d2\n",
    "sample": "q1 d1 1\nq1 d3 0\nq1 d4 1\n",
    "coded.csv": "DocID,Coding\nd1,Yes\nd3,Maybe\n",
    "empty-title": "d1 A title\nd2\n",
    "zeros": "q1 0\nq2 0\nq3 1\n",
    "numbered.csv": "query_id,doc_id,score\n1,d1,2\n",
    "sizes": "q1 a 2\nq1 b 8\n",
    "twice": RUN + "q1 Q0 d1 3 0.5 bm25\n",
    "blank": RUN.replace(" d1 ", " d 1 "),
    "empty": "",
    "words.json": '{"q1": {"d1": "high"}}',
    "cut": RUN.rstrip("\n")[:-2],
    **{
        f"without-{column}": "".join(
            " ".join(word for place, word in enumerate(line.split(), 1) if place != column) + "\n"
            for line in RUN.splitlines()
        )
        for column in range(1, 7)
    },
}


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    scripts = str(Path(sys.executable).parent)
    monkeypatch.setenv("PATH", scripts + os.pathsep + os.environ["PATH"])
    write_files(tmp_path)
    return call


def write_files(folder: Path) -> None:
    """The files of FILES, and those that are no text."""
    for name, text in FILES.items():
        (folder / name).write_text(text)
    (folder / "utf16").write_bytes(RUN.encode("utf-16"))
    (folder / "run.pkl").write_bytes(pickle.dumps({"q1": {"d1": 1.0}}, protocol=4))
    (folder / "cut.gz").write_bytes(gzip.compress(RUN.encode() * 1000, mtime=0)[:60])
    with zipfile.ZipFile(folder / "run.zip", "w") as archive:
        archive.writestr("run", RUN)
    with tarfile.open(folder / "run.tar", "w", format=tarfile.USTAR_FORMAT) as archive:
        member = tarfile.TarInfo("run")
        member.size = len(RUN)
        archive.addfile(member, io.BytesIO(RUN.encode()))


TABLE = Path(__file__).with_name("mistakes.tsv")
"""What is done wrong, whether users reported it, the exit code, the command, the first line on stderr."""

with TABLE.open(encoding="utf-8", newline="") as stream:
    MISTAKES = list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


@pytest.mark.parametrize("mistake", MISTAKES, ids=[row["mistake"] for row in MISTAKES])
def test_the_line_says_what_it_looks_like_and_what_to_type(mistake: dict[str, str], call: Command) -> None:
    called = call(*shlex.split(mistake["command"])[1:])
    assert (str(called.code), called.err.splitlines()[0]) == (mistake["exit code"], mistake["line"])
    gated = "--against" in mistake["command"]  # the numbers are printed before
    assert called.out == "" or called.code == 0 or gated


def test_commands_that_lines_recommend_help(call: Command, tmp_path: Path) -> None:
    """What is to be typed is typed: the file that comes of it has the numbers of the run."""
    expected = call("-m", "map", "qrels", "run").out
    typed = 0
    for mistake in MISTAKES:
        _, _, command = mistake["line"].rpartition(": ")
        if not command.endswith("> NEW") or ("UTF-16" in command.split(">")[0] and not shutil.which("iconv")):
            continue
        subprocess.run(["sh", "-c", command], cwd=tmp_path, check=True)
        files = shlex.split(mistake["command"])[1:]
        files = ["NEW" if name in command.split() else name for name in files]
        called = call("-m", "map", *files)
        assert called.code == 0, (command, called.err)
        if "without-5" not in command:
            assert called.out == expected, command
        typed += 1
    assert typed >= 8


@pytest.mark.parametrize(
    "text",
    [
        "id;titel;wert\nq1;d1;3,0\nq1;d2;2\nq2;d3;2,0\nq2;d1;1,0\n",
        "anfrage,dok,wert\nq1,d1,3\nq1,d2,2\nq2,d3,2\nq2,d1,1\n",
        "a\tb\tc\td\nq1\td1\t1\t3\nq1\td2\t2\t2\nq2\td3\t1\t2\nq2\td1\t2\t1\n",
        "q1;d1\nq1;d2\nq2;d3\nq2;d1\n",
        "qid,docno\nq1,d1\nq1,d2\nq2,d3\nq2,d1\n",
        "q1,d1,d2\nq2,d3,d1\n",
        '"q1","d1 d2"\n"q2","d3 d1"\n',
    ],
)
def test_following_hints_ends_in_numbers(text: str, call: Command, tmp_path: Path) -> None:
    wanted = call("-m", "map", "-m", "num_ret", "qrels", "run").out
    (tmp_path / "given").write_text(text)
    headings = re.split(r"[;,\t]", text.splitlines()[0])
    options: list[str] = []
    for _ in range(4):
        called = call(*options, "-m", "map", "-m", "num_ret", "qrels", "given")
        if called.code == 0:
            break
        command = called.err.rpartition(": ")[2].strip()
        if " with --columns " in called.err:
            option = called.err.rpartition(" with ")[2]
            # Which column holds what is for the file's owner to say.
            for role, place in (("topic", 0), ("docno", 1), ("score", -1)):
                option = option.replace(f"{role}=HEADING", f"{role}={headings[place]}")
            options += shlex.split(option)
            continue
        assert command.endswith("> NEW"), called.err
        subprocess.run(["sh", "-c", f"{command} && mv NEW given"], cwd=tmp_path, check=True)
    assert called.out == wanted


@pytest.mark.parametrize(
    "text",
    [
        "question dokument wert\nq1 d1 9,1\nq2 d2 8,0\n",  # an unknown header, and scores
        "q1 d1 0.5\nq2 d2 a b\n",
        "q1 d1 d2 7\nq2 d2 d3 9\n",
        "q1 d1 d2\nq1 d3 d4 d5\n",  # a topic twice
        "one line of a text\n",
        "d1\nd2\n",
    ],
)
def test_what_is_no_list_of_documents(text: str, call: Command) -> None:
    Path("given").write_text(text)
    called = call("qrels", "given")
    assert called.code == 2 and "a topic and its documents" not in called.err


@pytest.mark.parametrize(
    ("text", "number"),
    [
        ("0,8", "0.8"),
        ("1,5%", "1.5%"),
        ("map=0,01", "0.01"),
        ("rbp.0,8", "0.8"),
        ("T=1,5", "1.5"),
        ("T=0,5,max_rel=1", "0.5"),
        ("10,1=0,5", "0.5"),
        *((text, None) for text in ("P.5,10", "gains={0,1}", "5,0=x", "0.01,0.02", "0,1,2", "x", "")),
    ],
)
def test_what_looks_like_a_decimal_comma(text: str, number: str | None) -> None:
    """Lists of numbers do not."""
    assert decimal_comma(text) == (f"; is this a decimal comma? write {number}" if number else "")
