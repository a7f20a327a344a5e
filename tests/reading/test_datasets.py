"""irds:ID names the judgements of a dataset of ir_datasets."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
from support.commands import QRELS, RUNS, Command

import pres_eval

ir_datasets: Any = pytest.importorskip("ir_datasets")


@pytest.fixture
def registered(monkeypatch: pytest.MonkeyPatch) -> dict[str, Any]:
    """The datasets that are registered for a test."""
    found: dict[str, Any] = {}
    monkeypatch.setattr(ir_datasets, "registry", found)
    monkeypatch.setattr(ir_datasets, "load", found.__getitem__)
    return found


class Made:
    """A dataset of rows."""

    def __init__(self, *rows: Any, error: Exception | None = None, judged: bool = True) -> None:
        self.rows, self.error, self.judged = rows, error, judged

    def has_qrels(self) -> bool:
        return self.judged

    def qrels_iter(self) -> Iterator[Any]:
        yield from self.rows
        if self.error is not None:
            raise self.error


def row(topic: str, document: str, relevance: int, **more: str) -> Any:
    return SimpleNamespace(query_id=topic, doc_id=document, relevance=relevance, **more)


def test_a_local_dataset_is_its_file(call: Command) -> None:
    """Registered as a user registers one, and read by ir_datasets itself."""
    name = "pres-eval-patents"
    if name not in ir_datasets.registry:
        ir_datasets.registry.register(name, ir_datasets.create_dataset(qrels_trec=QRELS))
    address = f"irds:{name}"
    assert call.ok("-q", address, *RUNS).out == call.ok("-q", QRELS, *RUNS).out
    found = call.ok("--format", "json", address, RUNS[0]).json["signature"]["qrels"]
    judgements = call.ok("--format", "json", QRELS, RUNS[0]).json["signature"]["qrels"]["judgements"]
    assert found == {"path": address, "sha256": None, "judgements": judgements}
    for command in (["compare", "-m", "map"], ["check", "--brief"], ["holes"]):
        expected = call(*command, QRELS, *RUNS)
        assert call(*command, address, *RUNS).out == expected.out.replace(QRELS, address)
    lines = call.ok("convert", "-R", "qrels", address, "--to", "qrels").out.splitlines()
    assert sorted(lines) == sorted(" ".join(line.split()) for line in Path(QRELS).read_text().splitlines())
    means = pres_eval.evaluate(address, RUNS[0], ["map"])
    assert means["map"] == pres_eval.evaluate(QRELS, RUNS[0], ["map"])["map"]


def test_iterations_and_subtopics(registered: dict[str, Any], call: Command, tmp_path: Path) -> None:
    run = tmp_path / "run"
    run.write_text("1 Q0 a 1 2 t\n1 Q0 b 2 1 t\n")
    registered["plain"] = Made(row("1", "a", 0, iteration=""), row("1", "b", 1))
    assert call.ok("-m", "recip_rank", "irds:plain", run).out == "recip_rank            \tall\t0.5000\n"
    registered["aspects"] = Made(row("1", "a", 1, subtopic_id="1"), row("1", "a", 1, subtopic_id="2"))
    out = call.ok("-R", "subtopics", "-m", "StRecall.1", "irds:aspects", run).out
    assert out == "StRecall_1            \tall\t1.0000\n"


REFUSED = ConnectionError("Max retries exceeded with url: /q.txt")
REFUSED.request = SimpleNamespace(url="https://a.example/q.txt")  # type: ignore[attr-defined]
MIRRORS = RuntimeError("All download sources failed", ["RequestsDownload('https://b.example/q.gz', None)"])
HINT = "with a network, ir_datasets fetches it once and keeps it; or name a file"


@pytest.mark.parametrize(
    ("name", "said"),
    [
        ("refused", f"ir_datasets cannot fetch https://a.example/q.txt (ConnectionError); {HINT}"),
        ("mirrors", f"ir_datasets cannot fetch https://b.example/q.gz (RuntimeError); {HINT}"),
        ("broken", "cannot be read (ValueError); no such column"),
        ("blanks", "ids '1 0 a b 1', expected ids without blanks"),
        ("whole", "a dataset without judgements, expected one that has some; parts of it have: whole/part"),
        ("bare", "a dataset without judgements, expected one that has some"),
        ("blank", "no such dataset, expected an id of ir_datasets; did you mean blanks?"),
        ("qqq", "no such dataset, expected an id of ir_datasets; ir_datasets list prints all"),
        ("none", "the file is empty, expected lines of text"),
    ],
)
def test_what_cannot_be_read(name: str, said: str, registered: dict[str, Any], call: Command) -> None:
    registered |= {
        "refused": Made(error=REFUSED),
        "mirrors": Made(error=MIRRORS),
        "broken": Made(row("1", "a", 1), error=ValueError("no such column")),
        "blanks": Made(row("1", "a b", 1)),
        "whole": Made(judged=False),
        "whole/part": Made(),
        "whole/other": Made(judged=False),
        "bare": Made(judged=False),
        "none": Made(),
    }
    called = call(f"irds:{name}", RUNS[0])
    assert (called.code, called.out, called.err) == (2, "", f"pres-eval: irds:{name}: {said}\n")


def test_without_the_package(call: Command, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is imported for irds: alone."""
    monkeypatch.setitem(sys.modules, "ir_datasets", None)
    call.ok(QRELS, RUNS[0])
    called = call("irds:vaswani", RUNS[0])
    assert (called.code, called.out) == (2, "")
    assert called.err == (
        "pres-eval: irds:vaswani: reading it needs the package ir_datasets: install it with "
        " pip install ir_datasets  or, with all of its extra,  pip install '.[datasets]'  in a checkout of"
        " pres-eval\n"
    )
