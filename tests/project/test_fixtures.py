"""The bytes of trec_eval, as the fixtures keep them, and what README says about the patent collection."""

from __future__ import annotations

import contextlib
import io
import shlex
from pathlib import Path

import pytest
from conftest import Command

FOLDER = Path(__file__).parents[2] / "fixtures" / "conformance"
EXPECTED = sorted(FOLDER.glob("*/*.expected"))
VERSIONS = ("9.0.8", "10.0")


def command_line(expected: Path) -> list[str]:
    """Our options for a file with expected output: the version, then trec_eval's."""
    name, version = split_name(expected)
    first = expected.with_name(f"{name}.args").read_text(encoding="utf-8").splitlines()[0]
    return ["--compat", version, *shlex.split(first), "qrels", "run"]


def split_name(expected: Path) -> tuple[str, str]:
    """The case and the version that an expected file names."""
    for version in VERSIONS:
        if expected.name.endswith(f".{version}.expected"):
            return expected.name.removesuffix(f".{version}.expected"), version
    raise AssertionError(expected)


def identity(path: Path) -> str:
    return f"{path.parent.name}/{path.name.removesuffix('.expected')}"


@pytest.mark.parametrize("expected", EXPECTED, ids=identity)
def test_conformance(expected: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """The command prints trec_eval's bytes (called in this process, which saves the start of Python)."""
    from pres_eval.cli import main

    monkeypatch.chdir(expected.parent)
    raw = io.BytesIO()
    stdout, stderr = io.TextIOWrapper(raw, encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        assert main(command_line(expected)) == 0, stderr.getvalue()
    stdout.flush()
    assert raw.getvalue() == expected.read_bytes()


@pytest.mark.slow
@pytest.mark.parametrize("case", ["options/clusters", "bytes/all", "crlf/official"])
@pytest.mark.parametrize("version", VERSIONS)
def test_conformance_as_process(case: str, version: str, new_process: Command) -> None:
    """The same through a process of its own."""
    expected = FOLDER / f"{case}.{version}.expected"
    done = new_process(*command_line(expected), cwd=expected.parent)
    assert (done.returncode, done.stdout) == (0, expected.read_bytes())


def test_every_case_is_complete() -> None:
    """Each case says what it is for, and has an output of at least one version."""
    cases = sorted(FOLDER.glob("*/*.args"))
    assert len(cases) >= 75
    for path in cases:
        lines = path.read_text(encoding="utf-8").splitlines()
        assert len(lines) == 2
        assert lines[1].startswith("REASON: ")
        outputs = [path.with_name(f"{path.stem}.{version}.expected") for version in VERSIONS]
        assert any(output.is_file() for output in outputs), path
    assert all(path.with_name(f"{split_name(path)[0]}.args").is_file() for path in EXPECTED)


@pytest.mark.parametrize(
    ("measure", "order"),
    [("map", ["keyword", "semantic", "broad"]), ("PRES.100", ["broad", "semantic", "keyword"])],
)
def test_patents_divide_the_measures(
    measure: str, order: list[str], fixtures: Path, pres_eval: Command
) -> None:
    """PRES and map rank the three patent runs the other way round."""
    folder = fixtures / "patents"
    runs = [folder / f"run_{name}.txt" for name in order]
    done = pres_eval("-m", measure, folder / "qrels.txt", *runs)
    values = [float(line.split()[2]) for line in done.stdout.splitlines()[1::2]]
    assert len(values) == 3
    assert values == sorted(values, reverse=True)
    assert len(set(values)) == 3
