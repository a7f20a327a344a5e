"""`--signature`: one line that names every option which changes numbers."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, Command

from pres_eval import __version__

END = f"trec_eval:9.0.8|v:{__version__}"


@pytest.mark.parametrize(
    ("options", "signature"),
    [
        (["-m", "PRES.100"], f"PRES@100|topics:12|level:1|complete:no|ties:docno|{END}"),
        (["-m", "map", "-m", "P.5,10"], f"map+P@5+P@10|topics:12|level:1|complete:no|ties:docno|{END}"),
        (["-m", "map", "-c", "-M", "50"], f"map|topics:12|level:1|complete:yes|ties:docno|M:50|{END}"),
        (
            ["-m", "map(rel=2)", "-J"],
            f"map(rel=2)|topics:12|level:1|complete:no|ties:docno|judged-only:yes|{END}",
        ),
        (
            ["-m", "map", "--ties", "expected", "--duplicates", "first", "-N", "1000"],
            f"map|topics:12|level:1|complete:no|ties:expected|N:1000|duplicates:first|{END}",
        ),
        (
            ["-m", "map", "--compat", "10.0"],
            f"map|topics:12|level:1|complete:no|ties:docno|trec_eval:10.0|v:{__version__}",
        ),
        ([], f"31 measures|topics:12|level:1|complete:no|ties:docno|{END}"),
    ],
)
def test_the_line_names_what_changes_numbers(command: Command, options: list[str], signature: str) -> None:
    called = command("--quiet", *options, "--signature", QRELS, RUNS[0])
    without = command("--quiet", *options, QRELS, RUNS[0])
    assert called.out == without.out + f"signature: {signature}\n"
    if options:
        record = command("--quiet", *options, "--format", "json", QRELS, RUNS[0]).json
        assert record["runs"][0]["signature"] == signature


def test_files_that_change_numbers_are_named(command: Command, tmp_path: Path) -> None:
    weights = tmp_path / "w.txt"
    weights.write_text("".join(f"PAC-{number} {number - 1000}\n" for number in range(1001, 1013)))
    called = command.ok("-m", "map", "--weights", weights, "--signature", QRELS, RUNS[0])
    assert (
        called.out.splitlines()[-1]
        == f"signature: map|topics:12|level:1|complete:no|ties:docno|weights:w.txt|{END}"
    )


def test_runs_of_different_topics_have_a_line_each(command: Command, tmp_path: Path) -> None:
    short = tmp_path / "short.txt"
    lines = Path(RUNS[0]).read_text(encoding="utf-8").splitlines(keepends=True)
    short.write_text(
        "".join(line for line in lines if not line.startswith("PAC-1012")).replace("keyword", "short")
    )
    called = command("--quiet", "-m", "map", "--signature", QRELS, RUNS[0], short)
    assert [line.partition("|level")[0] for line in called.out.splitlines()[-2:]] == [
        "signature of keyword: map|topics:12",
        "signature of short: map|topics:11",
    ]


@pytest.mark.parametrize("form", ["table", "latex"])
def test_tables_have_it_below_them(command: Command, form: str) -> None:
    called = command.ok("-m", "map", "--signature", "--format", form, QRELS, *RUNS)
    assert "signature: map" in called.out.splitlines()[-1]


@pytest.mark.parametrize("options", [["--format", "csv"], ["--format", "jsonl"], ["--output", "x.parquet"]])
def test_formats_for_programs_have_no_place_for_it(command: Command, options: list[str]) -> None:
    called = command("-m", "map", "--signature", *options, QRELS, RUNS[0])
    assert called.code == 1 and "--signature: a line behind the results" in called.err and called.out == ""
