"""Folders of part files, as engines write them: the run that the files are, one after the other."""

from __future__ import annotations

import gzip
import random
import re
from collections.abc import Sequence
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from support import commands
from support.in_splits import InSplits
from support.made_runs import made_run
from support.rankings import outcome, ranked_by

import pres_eval as pe
from pres_eval.errors import InputError
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import Relevance, read_relevance
from pres_eval.reading.run_files import RunFiles, run_at

LINES = [f"{topic} Q0 d{number} 0 {9 - number % 4} t\n" for topic in "abcd" for number in range(6)]
QRELS = "".join(f"{topic} 0 d{number} 1\n" for topic in "abd" for number in (0, 2, 5))
OPTIONS = Options()


@pytest.fixture
def judged(tmp_path: Path) -> Relevance:
    (tmp_path / "qrels").write_text(QRELS)
    return read_relevance(str(tmp_path / "qrels"))


def in_parts(folder: Path, lines: Sequence[str], parts: int = 4) -> Path:
    """The lines in part files, of which every other one is compressed and one is empty."""
    folder.mkdir()
    for name in ("_SUCCESS", ".part-00000.crc"):
        (folder / name).write_text("no lines")
    (folder / "part-00000").touch()
    for number in range(parts):
        text = "".join(lines[number * len(lines) // parts : (number + 1) * len(lines) // parts]).encode()
        if number % 2:
            (folder / f"part-{number + 1:05d}.gz").write_bytes(gzip.compress(text))
        else:
            (folder / f"part-{number + 1:05d}").write_bytes(text)
    return folder


def of_parts(path: Path, judged: Relevance, options: Options, size: int | None = None) -> dict[str, Any]:
    """What splits of so many bytes give, or threads if none are named."""
    if size is None:
        return outcome(lambda: read_run(run_at(str(path)), judged, options, 2))
    return outcome(lambda: ranked_by(InSplits(size), str(path), judged, options))


@pytest.mark.slow
@pytest.mark.parametrize("seed", range(6))
def test_text(seed: int, tmp_path: Path) -> None:
    """What the lines give as one file, in order and shuffled, with documents that are there twice."""
    rng = random.Random(seed)
    made = made_run(rng, shuffled=seed % 2 > 0, doubled=seed % 3 > 1, faults=False)
    (tmp_path / "run").write_text(made.run, encoding="utf-8", newline="")
    (tmp_path / "qrels").write_text(made.qrels, encoding="utf-8")
    judged = read_relevance(str(tmp_path / "qrels"))
    folder = in_parts(tmp_path / "parts", made.run.splitlines(keepends=True))
    for options in (OPTIONS, Options(compat="10.0", max_retrieved=3)):
        expected = outcome(
            lambda options=options: read_run(File(str(tmp_path / "run")), judged, options)  # type: ignore[misc]
        )
        for size in (None, 29, 1 << 20):
            found = of_parts(folder, judged, options, size)
            if "error" in expected:
                assert "again (" in expected["message"] and "again (" in found["message"]
            else:
                assert found | {"name": expected["name"]} == expected


def test_faults_name_the_file_and_its_line(judged: Relevance, tmp_path: Path) -> None:
    folder = in_parts(tmp_path / "parts", [*LINES[:-1], "d Q0 d9 0 high t\n"])
    for size in (None, 40):
        said = of_parts(folder, judged, OPTIONS, size)["message"]
        assert said == f"{folder}/part-00004.gz:6: score 'high', expected a number"
    (tmp_path / "parts" / "part-00004.gz").unlink()
    (tmp_path / "parts" / "part-00003").write_text("one\n")
    assert f"{folder}/part-00003:1: 1 column, expected 6" in of_parts(folder, judged, OPTIONS)["message"]


@pytest.mark.parametrize("shuffled", [False, True])
def test_a_document_twice(shuffled: bool, judged: Relevance, tmp_path: Path) -> None:
    """Both lines are named by their files."""
    lines = list(LINES)
    lines[7:7] = ["a Q0 d2 0 1 t\n"] if shuffled else ["b Q0 d0 0 1 t\n"]
    folder = in_parts(tmp_path / "parts", lines)
    for size in (None, 30):
        said = of_parts(folder, judged, OPTIONS, size)["message"]
        if shuffled:
            again = "document 'd2' of topic 'a' again (first in line 3 of"
            assert said.startswith(f"{folder}/part-00002.gz:2: {again} {folder}/part-00001)")
        else:
            assert f"{folder}/part-00002.gz:2: document 'd0' of topic 'b' again (first in line 1)" in said


def test_names(tmp_path: Path) -> None:
    """Parts are in the order of their numbers; a folder with anything else is a directory."""
    for name in ("part.10.parquet", "part.9.parquet", "part.0.parquet", "_metadata"):
        (tmp_path / name).write_text("x")
    found = run_at(f"{tmp_path}/")
    assert isinstance(found, RunFiles) and found.name == str(tmp_path) and found.size() == 3
    assert [Path(file.name).name for file in found.sources] == [f"part.{n}.parquet" for n in (0, 9, 10)]
    (tmp_path / "other").write_text("x")
    (tmp_path / "none").mkdir()
    (tmp_path / "table.parquet").mkdir()
    (tmp_path / "table.parquet" / "data_0.parquet").write_text("x")
    assert isinstance(run_at(str(tmp_path / "table.parquet")), RunFiles)
    for folder in (tmp_path, tmp_path / "none"):
        with pytest.raises(
            InputError, match=r"is a directory.*, expected a readable file, or a folder of noth"
        ):
            run_at(str(folder)).sources[0].head()


def test_progress(judged: Relevance, tmp_path: Path) -> None:
    """Bytes are told while they are read, as those of one file are."""
    folder = in_parts(tmp_path / "parts", LINES)
    source = run_at(str(folder))
    size = sum(file.stat().st_size for file in folder.glob("part*"))
    told: list[int] = []
    source.watch(told.append)
    assert source.size() == size
    read_run(source, judged, OPTIONS)
    assert size - 10 < sum(told) <= size and len(told) > 4
    assert run_at(str(tmp_path)).size() is None  # it has other files


def test_part_files_of_several_kinds(judged: Relevance, tmp_path: Path) -> None:
    folder = in_parts(tmp_path / "parts", LINES)
    (folder / "part-00009").write_bytes(b"PAR1")
    said = of_parts(folder, judged, OPTIONS, 100)["message"]
    assert (
        said
        == f"{folder}/part-00009: Parquet, expected the part files of a run all as text, or all as Parquet"
    )
    found = outcome(lambda: ranked_by(InSplits(1 << 20), str(folder), judged, form="parquet"))
    assert f"{folder}/part-00001: no Parquet" in found["message"]


def test_nothing_in_them(judged: Relevance, tmp_path: Path) -> None:
    folder = in_parts(tmp_path / "parts", [], 1)
    assert (
        of_parts(folder, judged, OPTIONS)["message"] == f"{folder}: the file is empty, expected lines of text"
    )
    (folder / "part-00001").write_text("# nothing\n")
    assert "no lines but blank ones and comments" in of_parts(folder, judged, OPTIONS)["message"]


@pytest.mark.parametrize("shuffled", [False, True])
def test_parquet(shuffled: bool, judged: Relevance, tmp_path: Path) -> None:
    pyarrow: Any = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    tables: Any = pytest.importorskip("pyarrow.parquet")

    def write(path: Path, lines: Sequence[str]) -> None:
        rows = [line.split() for line in lines]
        scores = pyarrow.array([float(row[4]) for row in rows], pyarrow.float64())
        ids = {"qid": [row[0] for row in rows], "docno": [row[2] for row in rows]}
        tables.write_table(pyarrow.table(ids | {"score": scores}), path, row_group_size=4)

    lines = list(LINES)
    if shuffled:
        random.Random(3).shuffle(lines)
    write(tmp_path / "run.parquet", lines)
    expected = outcome(lambda: read_run(File(str(tmp_path / "run.parquet")), judged, OPTIONS))
    folder = tmp_path / "parts"
    folder.mkdir()
    for number in range(12):
        write(folder / f"part.{number}.parquet", lines[2 * number : 2 * number + 2])
    for size in (None, 1):
        found = of_parts(folder, judged, OPTIONS, size)
        assert found["tag"] == "parts"
        assert found | {key: expected[key] for key in ("name", "tag")} == expected
    write(folder / "part.3.parquet", [*lines[6:8], lines[0]])
    said = of_parts(folder, judged, OPTIONS)["message"]
    name = folder / "part.3.parquet"
    assert (
        said.startswith(f"{name}: document ")
        and f"again (row 1 of {folder}/part.0.parquet and row 3)" in said
    )


def test_a_second_look_at_all_tables(tmp_path: Path, command: commands.Command) -> None:
    """Documents written in another way are found in any part file."""
    pyarrow: Any = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    tables: Any = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "qrels").write_text("1 0 D1 1\n2 0 D3 1\n2 0 D4 1\n")
    folder = tmp_path / "run.parquet"
    folder.mkdir()
    for topic, docnos in (("1", ["D1"]), ("2", ["d3", "d4"])):
        columns = {"qid": [topic] * len(docnos), "docno": docnos, "score": [0.5] * len(docnos)}
        tables.write_table(pyarrow.table(columns), folder / f"part.{topic}.parquet")
    warning = command("-m", "map", str(tmp_path / "qrels"), str(folder)).err
    assert "2 unjudged documents would match judged ones without case" in warning


def test_tables_without_scores(tmp_path: Path, command: commands.Command) -> None:
    """Rows have an order inside of a file alone: a topic in two parts needs scores or ranks, or lists."""
    pyarrow: Any = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")
    tables: Any = pytest.importorskip("pyarrow.parquet")
    (tmp_path / "qrels").write_text("1 0 d1 0\n1 0 d2 0\n1 0 d3 1\n2 0 d4 1\n")
    rows = tmp_path / "rows.parquet"
    lists = tmp_path / "lists.parquet"
    rows.mkdir()
    lists.mkdir()
    for part, (topic, docnos) in enumerate((("1", ["d1", "d2"]), ("1", ["d3"]))):
        columns = {"q": [topic] * len(docnos), "d": docnos, "r": [2 * part, 2 * part + 1][: len(docnos)]}
        tables.write_table(pyarrow.table(columns), rows / f"part.{part}.parquet")
    for part, (topic, docnos) in enumerate((("1", ["d1", "d2", "d3"]), ("2", ["d4"]))):
        tables.write_table(pyarrow.table({"q": [topic], "d": [docnos]}), lists / f"part.{part}.parquet")
    measure = ("-m", "recip_rank", str(tmp_path / "qrels"))
    result = command("--columns", "topic=q,docno=d", *measure, str(rows))
    error = "part files of which no column is read as scores or ranks, expected one"
    assert (result.code, error in result.err) == (2, True), result.err
    with_ranks = command("--columns", "topic=q,docno=d,rank=r", *measure, str(rows))
    assert with_ranks.out == f"{'recip_rank':22}\tall\t0.3333\n"
    with_lists = command("--columns", "topic=q,docnos=d", *measure, str(lists))
    assert with_lists.out == f"{'recip_rank':22}\tall\t0.6667\n"


@pytest.mark.parametrize("form", ["json", "csv"])
def test_tables_are_not_read_in_another_format(form: str, tmp_path: Path, command: commands.Command) -> None:
    """Of part files as of a single file, -T names the format, and Parquet is recognised without -T alone."""
    (tmp_path / "qrels").write_text(QRELS)
    (tmp_path / "run.parquet").write_bytes(b"PAR1 table")
    folder = in_parts(tmp_path / "parts", [])
    for number in range(2):
        (folder / f"part-0000{number}").write_bytes(b"PAR1 table")
    errors = [
        command("-T", form, str(tmp_path / "qrels"), str(path)).err
        for path in (tmp_path / "run.parquet", folder)
    ]
    single, of_parts = [
        error.replace(f"{folder}/part-00000", str(tmp_path / "run.parquet")) for error in errors
    ]
    assert of_parts == single


def test_check_looks_into_folders(tmp_path: Path, command: commands.Command) -> None:
    """What it finds are lines of the whole run; Parquet is told, and so is a folder of other files."""
    (tmp_path / "qrels").write_text(QRELS)
    qrels = str(tmp_path / "qrels")
    folder = in_parts(tmp_path / "parts", LINES)
    (tmp_path / "run").write_text("".join(LINES))
    # Only a file is read a second time, for what the order of ties could change.
    check = ("check", "--ignore", "order-of-ties", qrels)
    expected = re.sub("; map is .* ordered", "", command(*check, str(tmp_path / "run")).out)
    found = command(*check, str(folder)).out
    assert found == expected.replace(str(tmp_path / "run"), str(folder)) and "verdict: good" in found
    (folder / "part-00003").write_text("one\n")
    assert "1 column" in command("check", qrels, str(folder)).out
    (folder / "part-00009").write_bytes(b"PAR1")
    assert f"one of them: {folder}/part-00009" in command("check", qrels, str(folder)).err
    (tmp_path / "none").mkdir()
    assert "is a directory" in command("check", qrels, str(tmp_path / "none")).out


@pytest.mark.slow
def test_the_command_and_the_library(fixtures: Path, tmp_path: Path, pres_eval: Command) -> None:
    run, qrels = fixtures / "patents" / "run_broad.txt", fixtures / "patents" / "qrels.txt"
    lines = run.read_text().splitlines(keepends=True)
    random.Random(1).shuffle(lines)
    (tmp_path / "run").write_text("".join(lines))
    folder = in_parts(tmp_path / "parts", lines)
    expected = pres_eval("-q", "-m", "all_trec", qrels, tmp_path / "run")
    for cluster in ((), ("--cluster", "local:2")):
        found = pres_eval("-q", "-m", "all_trec", *cluster, qrels, folder)
        assert (found.returncode, found.stdout, found.stderr) == (0, expected.stdout, expected.stderr)
    assert pe.evaluate(qrels, folder).to_trec(True) == pe.evaluate(qrels, tmp_path / "run").to_trec(True)


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("rule", ["first", "best"])
def test_duplicates(rule: str, shuffled: bool, judged: Relevance, tmp_path: Path) -> None:
    """A row of several counts, also of topics that are in several splits or part files."""
    lines = [*LINES[:6], "a Q0 d2 0 10 t\n", "a Q0 d3 0 1 t\n", *LINES[6:]]
    if shuffled:
        random.Random(1).shuffle(lines)
    (tmp_path / "run").write_text("".join(lines))
    options = Options(duplicates=rule)
    expected = outcome(lambda: read_run(File(str(tmp_path / "run")), judged, options))
    assert expected["dropped"] == 2
    for size in (20, 70, 1 << 20):
        found = of_parts(tmp_path / "run", judged, options, size)
        assert found == expected
    found = of_parts(in_parts(tmp_path / "parts", lines), judged, options, 40)
    assert found | {"name": expected["name"]} == expected


def test_folders_of_a_store(judged: Relevance, tmp_path: Path) -> None:
    fsspec: Any = pytest.importorskip("fsspec", reason="the extra `cluster` is not installed")
    store = fsspec.filesystem("memory")
    folder = in_parts(tmp_path / "parts", LINES)
    for file in folder.iterdir():
        store.pipe_file(f"/parts/{file.name}", file.read_bytes())
    try:
        found = of_parts("memory://parts", judged, OPTIONS, 50)  # type: ignore[arg-type]
        whole = of_parts("memory://parts", judged, OPTIONS)  # type: ignore[arg-type]
        expected = of_parts(folder, judged, OPTIONS, 50)
        assert "error" not in expected and found == whole == expected | {"name": "memory://parts"}
    finally:
        store.rm("/parts", recursive=True)
