"""Every kind of input gives the bytes that the command prints for the files written out."""

from __future__ import annotations

import io
import os
import random
import subprocess
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from conftest import ROOT, Command
from support.tables import Judged, Retrieved, frame, int_matrix, rows_of, write_qrels, write_run

import pres_eval as pe
from pres_eval.errors import MissingExtraError

MEASURES = ["official", "ndcg_cut.10", "PRES@100", "recip_rank"]
QRELS_VALUE, RUN_VALUE = "relevance", "score"


def made(seed: int, *, numbers: bool = False, judged: float = 0.1) -> tuple[Judged, Retrieved]:
    """Judgements and a run with ties, also such that only 32-bit scores have, and topics on one side only."""
    rng = random.Random(seed)
    ids = (
        [str(number) for number in rng.sample(range(1, 3000), 400)]
        if numbers
        else [f"{rng.choice(['EP', 'doc-with-a-long-name-', 'é', ''])}{number}" for number in range(400)]
    )
    scores = [0.5, 0.25, 16777216.0, 16777217.0, -1.0, *(rng.random() for _ in range(30))]
    qrels: Judged = {}
    run: Retrieved = {}
    for topic in map(str, range(1, 13)):
        retrieved = rng.sample(ids, rng.choice([1, 5, 40, 120]))
        if topic != "11":
            run[topic] = {document: rng.choice(scores) for document in retrieved}
        if topic != "12":
            chosen = [document for document in ids if rng.random() < judged]
            qrels[topic] = {document: rng.choice([-1, 0, 1, 2]) for document in [*chosen, retrieved[0]]}
    return qrels, run


def mapping_of_columns(data: Any, value: str) -> dict[str, list[Any]]:
    rows = rows_of(data)
    return {
        "query_id": [row[0] for row in rows],
        "doc_id": [row[1] for row in rows],
        value: [row[2] for row in rows],
    }


class Record(NamedTuple):
    """A row as ir_measures has it."""

    query_id: str
    doc_id: str
    score: float
    relevance: int


def records(data: Any, value: str) -> Iterator[Record]:
    return (Record(topic, document, number, number) for topic, document, number in rows_of(data))


def pandas_frame(data: Any, value: str) -> Any:
    names = {"relevance": ("qid", "docno", "label"), "score": ("qid", "docno", "score")}[value]
    return frame("pandas", data, names)


def object_frame(data: Any, value: str) -> Any:
    made = frame("pandas", data, ("query_id", "doc_id", value))
    return made.astype({"query_id": object, "doc_id": object})


def shuffled_frame(data: Any, value: str) -> Any:
    return frame("pandas", data, ("query_id", "doc_id", value)).sample(frac=1, random_state=3)


def categories(data: Any, value: str) -> Any:
    made = frame("pandas", data, ("query_id", "doc_id", value))
    return made.astype({"query_id": "category", "doc_id": "category"})


def polars_frame(data: Any, value: str) -> Any:
    return frame("polars", data, ("query_id", "doc_id", value))


def polars_categories(data: Any, value: str) -> Any:
    polars = pytest.importorskip("polars")
    return polars_frame(data, value).with_columns(polars.col("query_id").cast(polars.Categorical))


def arrow_table(data: Any, value: str) -> Any:
    return frame("pyarrow", data, ("query_id", "doc_id", value))


def arrow_slices(data: Any, value: str) -> Any:
    """A table in many small pieces, each a slice of a longer one, with ids in dictionaries."""
    pyarrow = pytest.importorskip("pyarrow")
    whole = arrow_table(data, value)
    pieces = [whole.slice(start, 7) for start in range(0, whole.num_rows, 7)]
    coded = [piece.set_column(0, "query_id", piece["query_id"].dictionary_encode()) for piece in pieces]
    return pyarrow.concat_tables(coded)


def structured(data: Any, value: str) -> dict[str, Any]:
    """Columns that are arrays of numpy."""
    columns = mapping_of_columns(data, value)
    return {name: np.array(values) for name, values in columns.items()}


def byte_ids(data: Any, value: str) -> dict[bytes, dict[bytes, Any]]:
    return {
        topic.encode(): {document.encode(): number for document, number in documents.items()}
        for topic, documents in data.items()
    }


def numpy_scalars(data: Any, value: str) -> dict[str, dict[str, Any]]:
    kind = np.float64 if value == RUN_VALUE else np.int64
    return {topic: {name: kind(number) for name, number in values.items()} for topic, values in data.items()}


KINDS: dict[str, Callable[[Any, str], Any]] = {
    "dicts": lambda data, value: data,
    "dicts of numpy's numbers": numpy_scalars,
    "dicts of bytes": byte_ids,
    "tuples": lambda data, value: iter(rows_of(data)),
    "records": records,
    "columns": mapping_of_columns,
    "columns of arrays": structured,
    "pandas": pandas_frame,
    "pandas objects": object_frame,
    "pandas shuffled": shuffled_frame,
    "pandas categories": categories,
    "polars": polars_frame,
    "polars categories": polars_categories,
    "Arrow": arrow_table,
    "Arrow slices": arrow_slices,
}


@pytest.fixture(scope="module")
def expected(
    tmp_path_factory: pytest.TempPathFactory, pres_eval: Command
) -> Callable[..., tuple[Path, Path, bytes]]:
    """The files of some data, and what the command prints for them."""
    found: dict[Any, tuple[Path, Path, bytes]] = {}

    def run(seed: int, *options: str, **how: Any) -> tuple[Path, Path, bytes]:
        key = (seed, options, *how.items())
        if key not in found:
            folder = tmp_path_factory.mktemp("inputs")
            qrels, ranked = made(seed, **how)
            write_qrels(folder / "qrels", qrels)
            write_run(folder / "run", ranked)
            measures = [text for name in MEASURES for text in ("-m", name)]
            done = pres_eval("-q", "--quiet", *measures, *options, folder / "qrels", folder / "run")
            assert done.returncode == 0, done.stderr
            found[key] = (folder / "qrels", folder / "run", done.stdout)
        return found[key]

    return run


def evaluated(qrels: Any, run: Any, **options: Any) -> bytes:
    return pe.evaluate(qrels, run, MEASURES, **options).to_trec(per_topic=True)


pytestmark = pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize(("judged", "compat"), [(0.1, "9.0.8"), (0.95, "10.0")])
def test_like_the_command(kind: str, judged: float, compat: str, expected: Any) -> None:
    """Few documents judged, and nearly all; 32-bit scores and doubles."""
    qrels, run = made(5, judged=judged)
    wanted = expected(5, "--compat", compat, judged=judged)[2]
    convert = KINDS[kind]
    found = evaluated(convert(qrels, QRELS_VALUE), convert(run, RUN_VALUE), compat=compat, name="run")
    assert found == wanted


@pytest.mark.slow
@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (["-c"], {"complete": True}),
        (["-l2", "-J"], {"level": 2, "judged_only": True}),
        (["-M7", "-c"], {"max_retrieved": 7, "complete": True}),
        (["-N5000", "-m", "Rnorm"], {"num_docs": 5000}),
        (["-D", "0.3"], {"topic": 3}),
        (["--nmax", "7", "-m", "PRES"], {"nmax": 7}),
    ],
)
def test_options(options: list[str], arguments: dict[str, Any], expected: Any) -> None:
    qrels, run = made(6)
    wanted = expected(6, *options)[2]
    measures = [*MEASURES, *(options[options.index("-m") + 1 :] if "-m" in options else [])]
    found = pe.evaluate(qrels, run, measures, **arguments)
    assert found.to_trec(per_topic=True) == wanted


@pytest.mark.parametrize("kind", ["path", "Path", "binary", "text", "gzip", "bytes in memory"])
def test_files(kind: str, expected: Any, tmp_path: Path) -> None:
    qrels, run, wanted = expected(7)
    if kind == "path":
        assert evaluated(str(qrels), str(run)) == wanted
    elif kind == "Path":
        assert evaluated(qrels, run) == wanted
    elif kind in ("binary", "text"):
        mode = "rb" if kind == "binary" else "r"
        with open(qrels, mode) as first, open(run, mode) as second:  # noqa: PTH123
            assert evaluated(first, second) == wanted
            assert not second.closed
    elif kind == "gzip":
        import gzip

        (tmp_path / "run.gz").write_bytes(gzip.compress(run.read_bytes()))
        with gzip.open(tmp_path / "run.gz") as second:
            assert evaluated(qrels, second) == wanted
        with (tmp_path / "run.gz").open("rb") as second:
            assert evaluated(qrels, second) == wanted
    else:
        assert evaluated(io.StringIO(qrels.read_text()), io.BytesIO(run.read_bytes())) == wanted


@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
@pytest.mark.parametrize("kind", ["int64", "int32", "texts", "lists", "dlpack"])
def test_matrices(kind: str, compat: str, expected: Any) -> None:
    qrels, run = made(8, numbers=True)
    wanted = expected(8, "--compat", compat, numbers=True)[2]
    topics, ids, scores = int_matrix(run)
    given: tuple[Any, Any, Any] = (topics, ids, scores)
    if kind == "int32":
        given = (np.array(topics, np.int64), ids.astype(np.int32), scores)
    elif kind == "texts":
        given = (topics, np.where(ids < 0, None, ids.astype(str).astype(object)), scores)  # type: ignore[call-overload]
    elif kind == "lists":
        given = (topics, ids.tolist(), scores.tolist())
    elif kind == "dlpack":
        given = (topics, Dlpack(ids), Dlpack(scores))
    found = pe.Qrels(qrels).rank_top_k(*given, compat=compat).evaluate(MEASURES)  # type: ignore[arg-type]
    assert found.to_trec(per_topic=True) == wanted


class Dlpack:
    """An array that speaks DLPack alone."""

    def __init__(self, values: Any) -> None:
        self._values = values

    def __dlpack__(self, **arguments: Any) -> Any:
        return self._values.__dlpack__(**arguments)

    def __dlpack_device__(self) -> Any:
        return self._values.__dlpack_device__()


def test_numbers_as_ids(expected: Any) -> None:
    """Whole numbers, as frames and dicts have them, are their decimal digits."""
    qrels, run = made(9, numbers=True)
    wanted = expected(9, numbers=True)[2]
    number_qrels = {int(t): {int(d): grade for d, grade in judged.items()} for t, judged in qrels.items()}
    number_run = {int(t): {int(d): score for d, score in found.items()} for t, found in run.items()}
    assert evaluated(number_qrels, number_run) == wanted
    assert evaluated(qrels, number_run) == wanted
    assert evaluated(number_qrels, run) == wanted
    columns = mapping_of_columns(number_run, "score")
    arrays = {name: np.array(values) for name, values in columns.items()}
    assert evaluated(number_qrels, arrays) == wanted
    assert evaluated(number_qrels, frame("pandas", number_run, ("qid", "docno", "score"))) == wanted
    assert evaluated(number_qrels, frame("pyarrow", number_run, ("qid", "docno", "score"))) == wanted


DECIMALS = [kind for kind in KINDS if kind != "records"]


GAINS = ["ndcg", "ndcg_cut.10", "dcg", "map", "PRES@100"]


@pytest.fixture(scope="module")
def decimals() -> tuple[Any, Retrieved]:
    """The same data with decimal grades."""
    whole, run = made(8)
    graded = ((topic, documents.items()) for topic, documents in whole.items())
    return {topic: {docno: grade * 0.73 for docno, grade in documents} for topic, documents in graded}, run


@pytest.fixture(scope="module", params=[1, 0.5])
def level_and_lines(
    request: pytest.FixtureRequest,
    decimals: tuple[Any, Retrieved],
    tmp_path_factory: pytest.TempPathFactory,
    pres_eval: Command,
) -> tuple[float, bytes]:
    """A relevance level, and what the command prints at it for the files of the data."""
    folder = tmp_path_factory.mktemp("decimals")
    write_qrels(folder / "qrels", decimals[0])
    write_run(folder / "run", decimals[1])
    names = (text for name in GAINS for text in ("-m", name))
    options = ("-q", "--quiet", "-R", "qrels_float", f"-l{request.param:g}", *names)
    return request.param, pres_eval(*options, folder / "qrels", folder / "run").stdout


@pytest.mark.parametrize("kind", DECIMALS)
def test_gains_with_decimals(
    kind: str, level_and_lines: tuple[float, bytes], decimals: tuple[Any, Retrieved]
) -> None:
    """The command reads them with -R qrels_float; here any kind of data may have them."""
    qrels, run = decimals
    kinds = dict(KINDS) | {"dicts of numpy's numbers": lambda data, value: {
        topic: {name: np.float64(number) for name, number in values.items()} for topic, values in data.items()
    }}  # fmt: skip
    judged = pe.Qrels(kinds[kind](qrels, QRELS_VALUE))
    assert judged.form == "qrels_float"
    level, wanted = level_and_lines
    found = judged.rank(run).evaluate(GAINS, level=level)
    assert wanted and found.to_trec(per_topic=True) == wanted
    with pytest.raises(pe.PresEvalError, match=r"err: needs whole grades, but these may have decimals"):
        judged.rank(run).evaluate("err")
    assert '"relevance_format": "qrels_float"' in found.to_json()


@pytest.mark.parametrize("kind", DECIMALS)
def test_whole_grades_may_be_floats(kind: str, expected: Any) -> None:
    qrels, run = made(5)
    floats: Any = {
        topic: {document: float(grade) for document, grade in documents.items()}
        for topic, documents in qrels.items()
    }
    judged = pe.Qrels(KINDS[kind](floats, QRELS_VALUE))
    assert judged.form == "qrels"
    assert judged.rank(run, name="run").evaluate(MEASURES).to_trec(per_topic=True) == expected(5)[2]


def test_nothing_is_imported_to_find_out() -> None:
    """Dicts are evaluated without pandas, polars or Arrow being loaded."""
    text = (
        "import sys, pres_eval as pe\n"
        "pe.evaluate({'1': {'a': 1}}, {'1': {'a': 1.0}}, 'map')\n"
        "print(sorted({'pandas', 'polars', 'pyarrow', 'scipy', 'click', 'tabulate'} & set(sys.modules)))"
    )
    done = subprocess.run(
        [sys.executable, "-c", text],
        env={**os.environ, "PYTHONPATH": str(ROOT)},
        capture_output=True,
        check=True,
        text=True,
    )
    assert done.stdout == "[]\n"
    assert done.stderr == ""


def test_frames_of_polars_without_pyarrow(monkeypatch: pytest.MonkeyPatch) -> None:
    """Polars' own lists have the same ids and numbers; for other tables the error names the extra."""
    frame_of = pytest.importorskip("polars").DataFrame
    qrels = frame_of({"qid": ["1", "1"], "docno": ["a", "b"], "label": [1, 0]})
    run = frame_of({"qid": ["1", "1"], "docno": ["b", "a"], "score": [2.0, 1.0]})
    with_pyarrow = pe.evaluate(qrels, run, "map").summary
    monkeypatch.setitem(sys.modules, "pyarrow", None)
    assert pe.evaluate(qrels, run, "map").summary == with_pyarrow == {"map": 0.5}
    with pytest.raises(MissingExtraError, match=r"run: reading a table of Arrow needs .* pyarrow"):
        pe.evaluate(qrels, run["score"].rename("run"), "map")
