"""Files as libraries and engines export them: each is evaluated without a hint, to the same numbers."""

from __future__ import annotations

import importlib.util
from importlib import metadata
from pathlib import Path

import pytest
from support.commands import Command

EXPORTS = Path(__file__).parents[2] / "fixtures" / "exports"
TESTS = Path(__file__).parents[1]
RUNS = sorted([*EXPORTS.glob("run-*"), *EXPORTS.glob("clients/run-*")])
QRELS = sorted([*EXPORTS.glob("qrels-*"), *EXPORTS.glob("clients/qrels-*")])
CLIENTS = [
    *("pandas", "polars", "datasets", "ranx", "ir_measures", "pyterrier"),
    *("elasticsearch", "opensearch-py", "mteb"),
]


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    return call


MEASURES = ("-m", "map", "-m", "ndcg", "-m", "P.1", "-m", "num_rel_ret")


def values(text: str) -> list[str]:
    return [line for line in text.splitlines() if not line.startswith("runid")]


def evaluated(path: Path, call: Command) -> None:
    """Check that a file gives the numbers of the plain ones, without a hint."""
    if path.suffix == ".parquet":
        pytest.importorskip("pyarrow")
    quepid = "quepid" in path.name
    other = "quepid-plain.csv" if quepid else ""
    judged = EXPORTS / (f"qrels-{other}" if quepid else "qrels.txt")
    run = EXPORTS / (f"run-{other}" if quepid else "run.txt")
    files = (str(path), str(run)) if path.name.startswith("qrels") else (str(judged), str(path))
    plain = call.ok(*MEASURES, str(EXPORTS / "qrels.txt"), str(EXPORTS / "run.txt"))
    called = call(*MEASURES, *files)
    assert values(called.out) == values(plain.out)
    assert all(line.startswith("pres-eval: note: ") for line in called.err.splitlines())


@pytest.mark.parametrize(
    "path", [*RUNS, *QRELS], ids=lambda path: path.relative_to(EXPORTS).as_posix().replace("/", "-")
)
def test_an_export_is_evaluated_without_a_hint(path: Path, call: Command) -> None:
    evaluated(path, call)


@pytest.mark.filterwarnings("ignore")
@pytest.mark.parametrize("client", CLIENTS)
def test_a_client_writes_what_is_read(
    client: str,
    call: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    capfdbinary: pytest.CaptureFixture[bytes],
) -> None:
    """The versions that are installed here, which may be newer than those that wrote the files."""
    pytest.importorskip("pandas")
    try:
        metadata.version(client)
    except metadata.PackageNotFoundError:
        pytest.skip(f"{client} is not installed")
    monkeypatch.syspath_prepend(TESTS)
    importlib.import_module("make_client_exports").CLIENTS[client](tmp_path)
    capfdbinary.readouterr()  # bars of progress
    written = sorted(each.name for each in tmp_path.iterdir())
    name = client.removesuffix("-py")
    assert written == sorted(each.name for each in (EXPORTS / "clients").glob(f"*-{name}[-.]*"))
    for each in written:
        evaluated(tmp_path / each, call)


def test_each_client_wrote_four_files() -> None:
    for client in CLIENTS:
        assert len(list((EXPORTS / "clients").glob(f"*-{client.removesuffix('-py')}[-.]*"))) >= 4


def test_there_are_forty_files() -> None:
    assert len(RUNS) + len(QRELS) >= 40


def test_the_script_writes_these_files(tmp_path: Path) -> None:
    pytest.importorskip("pandas")
    script = TESTS / "make_exports.py"
    spec = importlib.util.spec_from_file_location("make_exports", script)
    assert spec is not None and spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    module.main([str(tmp_path)])
    assert {each.name: each.read_bytes() for each in tmp_path.iterdir()} == {
        each.name: each.read_bytes() for each in EXPORTS.iterdir() if each.is_file()
    }


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("qid,docno,score\n1,a,2\n1,b\n", "run:3: 2 columns, expected 3, as in the header"),
        ("qid;docno;score\n1;a;much\n", "run:2: score 'much', expected a number"),
        ("qid,docno,score\n1,,2\n", "run:2: docno '', expected an id"),
        ("qid,docno,score\n1,a,\n", "run:2: score '', expected a number"),
        (
            "qid,docno,score\n1,1.23457E+15,2\n",
            "run:2: docno '1.23457E+15', expected all digits; a spreadsheet has rounded it:"
            " import this column as text, and save again",
        ),
        (
            '{"took": 1, "responses": [{"error": {"type": "x"}, "status": 400}]}',
            "run: no hits in response 1, but an error, expected hits: was the request right?",
        ),
        (
            '{"took": 1, "responses": [{"hits": {"hits": [{"_score": 1.0}]}}]}',
            "run: a hit or a rating that is not whole ('_id'), expected _id and _score, or _id and rating",
        ),
        (
            '{"default": {"dev": {"1": {"a": 1.0}}, "test": {"1": {"a": 1.0}}}}',
            "run: predictions of 'default.dev', 'default.test', expected those of one subset and split;"
            ' take one out: jq \'.["default"]["dev"]\' run > NEW',
        ),
        (
            "map \tall\t0.25\nP_5 \tall\t0.2\n",
            "run:1: 3 columns, expected 6 (topic Q0 docno rank score tag); this looks like the"
            " output of trec_eval: it is neither a run nor judgements",
        ),
    ],
)
def test_faults_are_named(text: str, said: str, call: Command) -> None:
    Path("qrels").write_text("1 0 a 1\n")
    Path("run").write_text(text)
    called = call("qrels", "run")
    assert called.code == 2
    assert said in called.err


@pytest.mark.parametrize("head", [b"PK\x03\x04....[Content_Types].xml", b"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1"])
def test_a_workbook_is_not_told_to_unzip(head: bytes, call: Command) -> None:
    Path("qrels").write_text("1 0 a 1\n")
    Path("run").write_bytes(head + b"\0" * 40)
    assert "this is an Excel workbook: in Excel, save it as CSV UTF-8" in call("qrels", "run").err


@pytest.mark.parametrize("options", [(), ("-T", "csv")], ids=["", "named"])
@pytest.mark.parametrize("kind", ["run", "qrels"])
def test_a_workbook_of_openpyxl_is_told_how_to_be_saved(
    kind: str, options: tuple[str, ...], call: Command, tmp_path: Path
) -> None:
    book = pytest.importorskip("openpyxl").Workbook()
    for row in (["qid", "docno", "score"], ["1", "a", 1]):
        book.active.append(row)
    book.save("book.xlsx")
    plain = str(EXPORTS / f"{'run' if kind == 'qrels' else 'qrels'}.txt")
    files = ("book.xlsx", plain) if kind == "qrels" else (plain, "book.xlsx")
    called = call(*options, *files)
    assert called.code == 2
    assert "this is an Excel workbook: in Excel, save it as CSV UTF-8" in called.err


def test_many_rows_are_several_blocks(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("pres_eval.reading.blocks.ROWS_OF_BLOCK", 2)
    files = str(EXPORTS / "qrels.txt"), str(EXPORTS / "run-pyterrier-excel.csv")
    assert values(call("-m", "map", *files).out)[0].split() == ["map", "all", "0.6111"]


@pytest.mark.parametrize("blank", ["\r ", "\r", '"\r'], ids=["blank", "alone", "quoted"])
@pytest.mark.parametrize("what", ["qrels", "run"])
def test_carriage_returns_inside_of_the_first_line(what: str, blank: str, call: Command) -> None:
    """A file of tabs that has them is no CSV, and its own fault is told."""
    for name in ("qrels", "run"):
        Path(name).write_bytes((EXPORTS / f"{name}.txt").read_bytes())
    first = f"15 {blank} 0\t d0\t1 {blank}\n" if what == "qrels" else f"15\tQ0\td0 {blank}\t1\t0.5\tt\n"
    Path(what).write_bytes(first.encode() + b"two columns\n" + Path(what).read_bytes())
    called = call("qrels", "run")
    assert called.code == 2
    assert called.err.startswith(f"pres-eval: {what}:") and "column" in called.err
