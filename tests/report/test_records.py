"""JSON: what is written validates against the schema and reads back as the same evaluation."""

from __future__ import annotations

import hashlib
import json
import math
from dataclasses import replace
from importlib import resources
from pathlib import Path
from typing import Any

import jsonschema
import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.made_evaluations import MEASURES, evaluation

from pres_eval.errors import InputError
from pres_eval.options import Options
from pres_eval.reading.judgements.relevance import JUDGED_FORMATS
from pres_eval.report.read_records import from_json
from pres_eval.report.records import FileRecord, Record, RunRecord, as_jsonl, file_record, to_json
from pres_eval.report.table import RunLayout
from pres_eval.report.text import bytes_of, text_of
from pres_eval.scoring import ScoredRun

IDS = st.binary(min_size=1, max_size=12).filter(lambda text: not set(text) & set(b" \t\n\v\f\r\0"))
DOUBLES = st.floats(allow_nan=True, allow_infinity=True)


def evaluation_schema() -> dict[str, Any]:
    """The JSON Schema (draft 2020-12) of an evaluation, as the package has it."""
    text = resources.files("pres_eval.report").joinpath("evaluation.schema.json").read_text(encoding="utf-8")
    schema: dict[str, Any] = json.loads(text)
    return schema


def record(*evaluations: ScoredRun) -> Record:
    qrels = FileRecord("qrels.txt", "0" * 64)
    runs = tuple(
        RunRecord(run, FileRecord(run.path, None), (b"extra",), (b"01", b"\xff")) for run in evaluations
    )
    return Record(Options(), qrels, runs)


def same(one: ScoredRun, other: ScoredRun) -> bool:
    """Equal to the last bit, nan and its sign included."""
    fields = ("path", "tag", "topics", "columns", "totals")
    if any(getattr(one, field) != getattr(other, field) for field in fields):
        return False
    for a, b in zip(one.values, other.values, strict=True):
        if isinstance(a, list) or isinstance(b, list):
            if a != b:
                return False
        elif a.tobytes() != b.tobytes():
            return False
    return [bits(value) for value in one.summary] == [bits(value) for value in other.summary]


def bits(value: float | str | None) -> Any:
    return np.float64(value).tobytes() if isinstance(value, float) else value


def read(text: str) -> Record:
    return from_json(text, "old.json", MEASURES)


def test_reads_back_and_validates() -> None:
    options = Options("10.0", 2, 500, True, True, 528155, b"caf\xe9")
    written = record(evaluation(), evaluation("broad", (b"\xe9", b"=1"), (0.0, 5e-324), (1.0, 0.1 + 0.2)))
    written = Record(options, written.qrels, written.runs, "qrels_jg")
    text = to_json(written)
    jsonschema.validate(json.loads(text), evaluation_schema())
    back = read(text)
    assert (back.options, back.qrels, back.relevance_format) == (options, written.qrels, "qrels_jg")
    assert back.version == written.version
    for old, new in zip(written.runs, back.runs, strict=True):
        assert same(old.evaluation, new.evaluation)
        assert (old.file, old.skipped, old.missing) == (new.file, new.skipped, new.missing)
    assert to_json(back) == text


@settings(deadline=None, max_examples=60)
@given(st.lists(st.tuples(IDS, DOUBLES, DOUBLES), min_size=1, max_size=4), IDS)
def test_any_ids_and_doubles_read_back(rows: list[tuple[bytes, float, float]], tag: bytes) -> None:
    # A nan has many bit patterns in a double; files only ever hold these two.
    topics, one, two = zip(*[(i, nan_of(a), nan_of(b)) for i, a, b in rows], strict=True)
    run = evaluation(tag.decode("utf-8", "surrogateescape"), topics, one, two)
    run = replace(run, summary=(*run.summary[:3], *one[:1], *two[:1], *run.summary[5:]))
    text = to_json(record(run))
    jsonschema.validate(json.loads(text, parse_constant=pytest.fail), evaluation_schema())
    assert same(read(text).runs[0].evaluation, run)


def nan_of(value: float) -> float:
    return math.copysign(math.nan, value) if math.isnan(value) else value


def test_the_schema_is_a_schema_and_says_no() -> None:
    jsonschema.Draft202012Validator.check_schema(evaluation_schema())
    good = json.loads(to_json(record(evaluation())))
    for path in (
        ["signature", "qrels", "sha256"],
        ["signature", "compat"],
        ["runs", 0, "topics", 0, "values"],
    ):
        bad = json.loads(json.dumps(good))
        place = bad
        for step in path[:-1]:
            place = place[step]
        place[path[-1]] = "?"
        with pytest.raises(jsonschema.ValidationError):
            jsonschema.validate(bad, evaluation_schema())


def test_one_topic_a_line_counts_whole_numbers() -> None:
    text = to_json(record(evaluation()))
    line = next(line for line in text.splitlines() if '"10"' in line)
    assert '"num_rel_ret": 1, "map": 0.3333333333333333, "PRES_100": 0.25' in line
    assert text.isascii()


def test_jsonl_lines() -> None:
    lines = [json.loads(line) for line in as_jsonl([evaluation()], RunLayout(per_topic=True)).splitlines()]
    assert [line["topic"] for line in lines] == ["1", "10", "2", None]
    assert lines[2]["values"]["map"] == 0.75 and "num_q" not in lines[2]["values"]
    assert lines[3]["values"]["num_q"] == 3 and lines[3]["run"] == "keyword"
    assert len(as_jsonl([evaluation(), evaluation()], RunLayout()).splitlines()) == 2
    assert as_jsonl([evaluation()], RunLayout(summary=False)) == ""


@pytest.mark.parametrize(
    ("text", "found"),
    [
        ("", "no JSON"),
        ("map\tall\t0.5\n", "no JSON"),
        ("[]", "JSON is not an evaluation"),
        ('{"kind": "pres-eval evaluation", "layout": 2}', "JSON is not an evaluation"),
        ('{"kind": "pres-eval evaluation", "layout": 1}', "incomplete"),
    ],
)
def test_other_files_are_refused(text: str, found: str) -> None:
    with pytest.raises(InputError, match=found) as caught:
        read(text)
    assert str(caught.value).startswith("old.json") and "--format json" in str(caught.value)


def test_unknown_measure_is_named() -> None:
    text = to_json(record(evaluation())).replace('"measure": "map"', '"measure": "mapp"')
    with pytest.raises(InputError, match="mapp is not known"):
        read(text)


@pytest.mark.parametrize(
    ("before", "after", "found"),
    [
        ('"compat": "9.0.8"', '"compat": "9.0.9"', "compat='9.0.9': expected one of 9.0.8, 10.0"),
        ('"ties": "docno"', '"ties": "docnO"', "ties='docnO': expected one of docno"),
        ('"relevance_level": 1', '"relevance_level": -1', "relevance_level=-1: expected a whole number"),
    ],
)
def test_options_that_nobody_wrote_are_a_fault_of_the_file(before: str, after: str, found: str) -> None:
    text = to_json(record(evaluation()))
    assert before in text
    with pytest.raises(InputError, match=rf"^old.json: the JSON is incomplete or altered \({found}"):
        read(text.replace(before, after, 1))


def test_file_record_is_the_sha256_of_the_bytes(tmp_path: Path) -> None:
    path = tmp_path / "run.gz"
    path.write_bytes(b"\x1f\x8b" + bytes(3_000_000))
    assert file_record(str(path)) == FileRecord(str(path), hashlib.sha256(path.read_bytes()).hexdigest())
    assert file_record("-") == FileRecord("-", None)


@settings(deadline=None)
@given(st.binary(max_size=20).filter(lambda text: b"\0" not in text))
def test_ids_become_text_and_come_back(identifier: bytes) -> None:
    text = text_of(identifier)
    assert bytes_of(text) == identifier
    assert all(c.isprintable() or ord(c) > 0xFF for c in text)


@pytest.mark.parametrize(
    ("identifier", "text"),
    [
        (b"EP1905585A1", "EP1905585A1"),
        ("möbel".encode(), "möbel"),
        (b"a\\b", "a\\b"),
        (b"caf\xe9", r"caf\xe9"),
        (b"caf\\xe9", r"caf\x5cxe9"),
        (b"\xff\\", r"\xff\x5c"),
        ("a\u202eb".encode(), r"a\xe2\x80\xaeb"),
    ],
)
def test_text_of_examples(identifier: bytes, text: str) -> None:
    assert text_of(identifier) == text


def test_the_schema_knows_every_format_of_judgements() -> None:
    parts = evaluation_schema()["properties"]["signature"]["properties"]["options"]["properties"]
    assert set(parts["relevance_format"]["enum"]) == set(JUDGED_FORMATS)
