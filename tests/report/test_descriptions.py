"""Headers of runs, `# key: value`, are carried into JSON and the report, and change no number."""

from __future__ import annotations

import gzip
import json
from pathlib import Path
from typing import Any

import pytest
from support.commands import QRELS, RUNS, Command

import pres_eval
from pres_eval.report import records
from pres_eval.report.descriptions import header_of

jsonschema: Any = pytest.importorskip("jsonschema")
SCHEMA = Path(records.__file__).with_name("evaluation.schema.json")

HEADER = """\
# ir_metadata.start
# platform:
#   hardware:
#     cpu:
#       model: 'Xeon, 2.2 GHz'
#   operating system: Debian
# tag: bm25: the first
# tag: again
#no: blank after the mark
# research goal:
# method:
#   retrieval:
#   - name: bm25
#     k1: 0.9
#   - name: second
#     reranks: bm25
#     of:
#       - https://example.org
#       - b
# ir_metadata.end
"""
FOUND = {
    "platform.hardware.cpu.model": "'Xeon, 2.2 GHz'",
    "platform.operating system": "Debian",
    "tag": "bm25: the first",
    "method.retrieval.1.name": "bm25",
    "method.retrieval.1.k1": "0.9",
    "method.retrieval.2.name": "second",
    "method.retrieval.2.reranks": "bm25",
    "method.retrieval.2.of.1": "https://example.org",
    "method.retrieval.2.of.2": "b",
}


@pytest.mark.parametrize("packed", [False, True])
def test_headers_in_json_and_report(packed: bool, call: Command, tmp_path: Path) -> None:
    text = HEADER.encode() + Path(RUNS[0]).read_bytes() + b"# late: not of the header\n"
    run = tmp_path / "run"
    run.write_bytes(gzip.compress(text) if packed else text)
    assert call.ok("-q", QRELS, run).out == call.ok("-q", QRELS, RUNS[0]).out
    record = call.ok("--format", "json", QRELS, run).json
    assert record["runs"][0]["header"] == FOUND
    jsonschema.validate(record, json.loads(SCHEMA.read_text(encoding="utf-8")))
    assert json.loads(pres_eval.evaluate(QRELS, str(run), ["map"]).to_json())["runs"][0]["header"] == FOUND
    page = tmp_path / "page.html"
    call("report", QRELS, run, RUNS[1], "--output", page, "--quiet")
    shown = page.read_text(encoding="utf-8")
    assert "<dt>platform.operating system</dt><dd>Debian</dd>" in shown
    assert "header" not in call.ok("--format", "json", QRELS, RUNS[0]).json["runs"][0]


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", {}),
        ("1 Q0 a 1 1 t\n# k: v\n", {}),
        ("# k: v", {"k": "v"}),
        ("\ufeff# k: v\n#\n# l : w \n1 Q0 a 1 1 t\n", {"k": "v", "l": "w"}),
        ("# k:\n# l: w\n", {"l": "w"}),
        ("# no colon\n# http://example\n", {"http": "//example"}),
    ],
)
def test_what_is_a_header(text: str, found: dict[str, str], tmp_path: Path) -> None:
    (tmp_path / "run").write_text(text, encoding="utf-8")
    assert header_of(str(tmp_path / "run")) == found
    assert header_of(str(tmp_path / "none")) == {}
