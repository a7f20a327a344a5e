"""Parquet runs in row groups, in order and shuffled, and the table that --output FILE.parquet writes."""

from __future__ import annotations

import random
import shutil
from io import BytesIO
from pathlib import Path
from typing import Any

import pytest
from conftest import Command
from support.in_splits import InSplits
from support.rankings import outcome, ranked_by

from pres_eval.errors import InputError
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.formats import parquet
from pres_eval.reading.formats.parquet import opened
from pres_eval.reading.headings import Role
from pres_eval.reading.judgements.relevance import read_relevance
from pres_eval.reading.run_files import run_at

pyarrow: Any = pytest.importorskip("pyarrow", reason="the extra `parquet` is not installed")

pytestmark = pytest.mark.slow

Row = tuple[str, str, float]
ROWS: list[Row] = [(f"q{topic}", f"d{number}", 9 - number % 4) for topic in range(6) for number in range(8)]
QRELS = "".join(f"q{topic} 0 d{number} 1\n" for topic in (0, 1, 3, 5) for number in (0, 2, 5))


def written(path: Path, rows: list[Row], group: int = 5, names: str = "qid docno score") -> Path:
    import pyarrow.parquet

    columns = zip(names.split(), (list(column) for column in zip(*rows, strict=True)), strict=True)
    pyarrow.parquet.write_table(pyarrow.table(dict(columns)), path, row_group_size=group)
    return path


def check_the_same(path: Path, tmp_path: Path, form: str = "trec_results", **options: Any) -> dict[str, Any]:
    """In splits of one row group, and in larger ones, the file gives what it gives as a whole."""
    (tmp_path / "qrels").write_text(QRELS)
    judged = read_relevance(str(tmp_path / "qrels"))
    chosen = Options(**options)
    expected = outcome(lambda: read_run(File(str(path)), judged, chosen, 1, form))
    for size in (1, 500):
        found = outcome(lambda size=size: ranked_by(InSplits(size), str(path), judged, chosen, form))  # type: ignore[misc]
        assert found == expected
    return expected


def test_a_row_group_without_rows_before_a_split(tmp_path: Path) -> None:
    import pyarrow.parquet

    path = tmp_path / "run.parquet"
    columns = zip(
        ("qid", "docno", "score"), (list(column) for column in zip(*ROWS, strict=True)), strict=True
    )
    table = pyarrow.table(dict(columns))
    with pyarrow.parquet.ParquetWriter(path, table.schema) as writer:
        for part in (table[:0], table[:20], table[:0], table[20:21], table[:0], table[:0], table[21:]):
            writer.write_table(part)
    check_the_same(path, tmp_path, "parquet")


@pytest.mark.parametrize("split_bytes", [1, 1 << 20])
def test_a_table_that_changes(split_bytes: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """By another file of the same bytes and time, while it is read, or between two of its parts."""
    import pyarrow.parquet

    path = written(tmp_path / "run.parquet", ROWS)
    (tmp_path / "qrels").write_text(QRELS)
    judged = read_relevance(str(tmp_path / "qrels"))
    batches = pyarrow.parquet.ParquetFile.iter_batches

    def replace_after(self: Any, *given: Any, **named: Any) -> Any:
        yield from batches(self, *given, **named)
        shutil.copy2(path, tmp_path / "new")
        (tmp_path / "new").replace(path)

    monkeypatch.setattr(pyarrow.parquet.ParquetFile, "iter_batches", replace_after)
    with pytest.raises(InputError, match="the file changed while it was read"):
        ranked_by(InSplits(split_bytes), str(path), judged)
    with pytest.raises(InputError, match="the file changed while it was read"):
        read_run(File(str(path)), judged, Options(), 1, "parquet")


@pytest.mark.parametrize("names", ["qid docno score", "query_id doc_id score"])
@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
def test_row_groups(names: str, shuffled: bool, compat: str, tmp_path: Path) -> None:
    rows = list(ROWS)
    if shuffled:
        random.Random(1).shuffle(rows)
    expected = check_the_same(written(tmp_path / "run.parquet", rows, 5, names), tmp_path, compat=compat)
    assert expected["form"] == "Parquet" and expected["tag"] == "run" and expected["unjudged"]


def test_the_format_may_be_named(tmp_path: Path) -> None:
    check_the_same(written(tmp_path / "run.parquet", ROWS), tmp_path, "parquet")
    (tmp_path / "text").write_text("q0 Q0 d1 1 1 t\n" * 20)
    assert "cannot be read" in check_the_same(tmp_path / "text", tmp_path, "parquet")["message"]


@pytest.mark.parametrize("shuffled", [False, True])
@pytest.mark.parametrize("document", ["d2", "d7"])
def test_a_document_twice(document: str, shuffled: bool, tmp_path: Path) -> None:
    rows = [*ROWS[:8], ("q0", document, 0.5), *ROWS[8:]]
    if shuffled:
        random.Random(4).shuffle(rows)
    expected = check_the_same(written(tmp_path / "run.parquet", rows), tmp_path)
    assert f"document '{document}' of topic 'q0' again (rows " in expected["message"]


@pytest.mark.parametrize(
    ("rows", "names", "says"),
    [
        ([*ROWS, ("q9", "d1", float("nan"))], "qid docno score", "score nan of document 'd1' for topic 'q9'"),
        (ROWS, "qid docno value", "the columns qid, docno, value, expected query_id doc_id score"),
        ([*ROWS, ("q9", "d\0", 1.0)], "qid docno score", "a NUL in an id of column 'docno'"),
        ([("q9", "d1", float("nan")), *ROWS, ("q9", "d\0", 1.0)], "qid docno score", "a NUL in an id"),
        ([("a", "b", "c")], "qid docno score", "of type string, expected numbers"),
    ],
)
def test_faults(rows: list[Row], names: str, says: str, tmp_path: Path) -> None:
    expected = check_the_same(written(tmp_path / "run.parquet", rows, 5, names), tmp_path)
    assert says in expected["message"]


def test_a_table_without_rows(tmp_path: Path) -> None:
    import pyarrow.parquet

    kinds = pyarrow.schema([("qid", "string"), ("docno", "string"), ("score", "double")])
    pyarrow.parquet.write_table(kinds.empty_table(), tmp_path / "run.parquet")
    assert "no rows" in check_the_same(tmp_path / "run.parquet", tmp_path)["message"]


def test_all_values_as_one_table(fixtures: Path, tmp_path: Path, pres_eval: Command) -> None:
    import pyarrow.parquet

    folder = fixtures / "patents"
    files = (folder / "qrels.txt", *sorted(folder.glob("run_*.txt")))
    measures = ("-m", "map", "-m", "P.5", "-m", "relstring", "-m", "gm_map")
    lines = pres_eval("-q", "-n", "--names", "tag", *measures, *files).stdout.decode().splitlines()
    table = tmp_path / "table.parquet"
    done = pres_eval(*measures, "--names", "tag", "--output", table, *files)
    assert (done.returncode, done.stdout, done.stderr) == (0, b"", b"")
    read = pyarrow.parquet.read_table(table)
    assert read.column_names[:2] == ["run", "topic"]
    rows = read.to_pylist()
    expected = [line.split("\t") for line in lines]
    values = [[name.strip(), topic, text] for name, topic, text in expected if topic != "all"]
    shown = [
        [name, row["topic"], f"'{row[name]}'" if name == "relstring" else f"{row[name]:6.4f}"]
        for row in rows
        for name in read.column_names[2:]
    ]
    order = [name for name, topic, _ in values if topic == values[0][1]][: len(read.column_names) - 2]
    assert sorted(shown) == sorted(values) and set(order) == set(read.column_names[2:])
    assert list(dict.fromkeys(row["run"] for row in rows)) == ["broad", "keyword", "semantic"]


def test_tags_that_come_again_are_numbered(fixtures: Path, tmp_path: Path, pres_eval: Command) -> None:
    """Runs of the same tag had one name, and nothing told their rows apart."""
    import pyarrow.parquet

    qrels, run = fixtures / "patents" / "qrels.txt", fixtures / "patents" / "run_broad.txt"
    pres_eval("-m", "map", "--names", "tag", "--output", tmp_path / "t.parquet", qrels, run, run)
    names = pyarrow.parquet.read_table(tmp_path / "t.parquet")["run"].to_pylist()
    assert list(dict.fromkeys(names)) == ["broad", "broad (2)"]


def test_z_scores_are_no_values(fixtures: Path, tmp_path: Path, pres_eval: Command) -> None:
    folder = fixtures / "patents"
    files = folder / "qrels.txt", folder / "run_broad.txt"
    done = pres_eval("-Z", "x", "--output", tmp_path / "t.parquet", *files)
    assert done.returncode == 1 and b"-Z makes no table of values" in done.stderr


def test_a_store_that_sends_no_parts(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whatever it raises is one line that names the file; faults of our own are not taken for its."""
    fsspec: Any = pytest.importorskip("fsspec", reason="the extra `cluster` is not installed")
    path = written(tmp_path / "run.parquet", ROWS)
    (tmp_path / "qrels").write_text(QRELS)
    judged = read_relevance(str(tmp_path / "qrels"))
    store = fsspec.filesystem("memory")
    store.pipe_file("/run.parquet", path.read_bytes())

    class Stubborn(BytesIO):
        def read(self, size: int | None = -1) -> bytes:
            raise ValueError("no parts are sent\nof any file")

    monkeypatch.setattr(type(store), "open", lambda self, path, mode: Stubborn(b"PAR1" * 9))
    found = outcome(lambda: read_run(run_at("memory://run.parquet"), judged, Options()))
    assert found["message"] == "memory://run.parquet: cannot be read (no parts are sent)"
    with pytest.raises(ZeroDivisionError), opened(File(str(path))):
        raise ZeroDivisionError
    store.rm("/run.parquet")


def of_two_long_ids(path: Path, column: str, rows: int = 2000) -> Path:
    """A file of a few kB whose rows share two ids of 100 kB in one of its columns."""
    import pyarrow.parquet

    shared = pyarrow.array([row % 2 for row in range(rows)], pyarrow.int32())
    table: dict[str, Any] = {
        "qid": [f"q{row}" for row in range(rows)],
        "docno": [f"d{row}" for row in range(rows)],
    }
    table[column] = pyarrow.DictionaryArray.from_arrays(shared, ["a" * 100_000, "b" * 100_000])
    table["score"] = [float(rows - row) for row in range(rows)]
    pyarrow.parquet.write_table(pyarrow.table(table), path, compression="zstd")
    assert path.stat().st_size < 50_000
    return path


@pytest.mark.parametrize("column", ["qid", "docno"])
def test_few_bytes_of_shared_ids_do_not_fill_memory(column: str, tmp_path: Path, pres_eval: Command) -> None:
    """2.8.0: 23 kB with 5,000 rows of two ids of 100 kB took 1.6 to 3.2 GB."""
    (tmp_path / "qrels").write_text("q1 0 d1 1\n")
    path = of_two_long_ids(tmp_path / "run.parquet", column)
    done = pres_eval("qrels", path, cwd=tmp_path)
    assert (done.returncode, done.stdout) == (2, b"")
    assert b"run.parquet: row groups of" in done.stderr
    assert b"expected ids of at most 134,217,728, or 100 times the row groups" in done.stderr


@pytest.mark.parametrize("column", ["qid", "docno"])
def test_rows_of_long_shared_ids_are_read_a_few_at_a_time(
    column: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(parquet, "MOST_ID_BYTES", 1 << 40)
    source = File(str(of_two_long_ids(tmp_path / "run.parquet", column, rows=500)))
    rows = [int(block.lengths.sum()) for block in parquet.read_parquet(source, Role.RUN)]
    assert sum(rows) == 500 and max(rows) * 100_000 <= parquet.LARGEST_BATCH


def test_rows_of_short_shared_ids_are_read_together(tmp_path: Path) -> None:
    rows: list[Row] = [(f"q{row % 3}", f"d{row}", 1.0) for row in range(70_000)]
    source = File(str(written(tmp_path / "run.parquet", sorted(rows), group=100_000)))
    found = [int(block.lengths.sum()) for block in parquet.read_parquet(source, Role.RUN)]
    assert found == [parquet.ROWS_OF_BATCH, 70_000 - parquet.ROWS_OF_BATCH]
