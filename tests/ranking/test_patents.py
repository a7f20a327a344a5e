"""Patents: publications of one number are one document, as are members of a family."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import Command

from pres_eval.reading.patents import patent_number

ALIKE = [
    ("EP1000456", ["EP1000456B1", "EP-1000456-A1", "ep 1000456 a2", "EP.1000456.B1", "EP01000456A1"]),
    ("EP123", ["EP0000123A1", "EP123B1", "EP-0123"]),
    ("US200612345", ["US2006012345A1", "US20060012345B2", "US 2006/0012345 A1", "US-2006-012345"]),
    ("US7123456", ["US7123456B2", "US 7,123,456 B2", "US07123456"]),
    ("USD123456", ["USD123456S1", "US D0123456 S"]),
    ("USRE40123", ["USRE40123E1", "US-RE-40123-E"]),
    ("WO200012345", ["WO0012345A1", "WO 00/12345", "WO2000012345A2", "WO2000/012345"]),
    ("WO199912345", ["WO9912345A1", "WO1999012345"]),
    ("DE102006012345", ["DE102006012345A1", "DE 10 2006 012 345 B4"]),
    ("JPH612345", ["JPH0612345A", "JP-H06-12345-A"]),
]


@pytest.mark.parametrize(("number", "publications"), ALIKE)
def test_publications_of_one_number(number: str, publications: list[str]) -> None:
    assert {patent_number(text.encode()).decode() for text in (number, *publications)} == {number}


@pytest.mark.parametrize(
    ("first", "second"),
    [
        ("EP1000123", "EP1123"),
        ("EP1000456A1", "DE1000456A1"),
        ("US2006012345A1", "US2005012345A1"),
        ("US2006012345", "US12345"),
        ("USD123456", "US123456"),
        ("WO0012345", "WO9912345"),
    ],
)
def test_publications_of_two_numbers(first: str, second: str) -> None:
    numbers = {patent_number(first.encode()), patent_number(second.encode())}
    assert len(numbers) == 2 and b"" not in numbers


@pytest.mark.parametrize(
    "text", ["d1", "clueweb09-en0000-00-00000", "FBIS3-1", "12345", "E1", "EP", "EP1A12"]
)
def test_what_is_no_publication(text: str) -> None:
    assert patent_number(text.encode()) == b""


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 EP-1000456-A1 1\n1 0 US2006012345A1 1\n1 0 DE7 1\n1 0 other 0\n")
    Path("run").write_text(
        "1 Q0 EP1000456B1 1 4 r\n1 Q0 DE7 2 3 r\n1 Q0 EP1000456B2 3 2 r\n1 Q0 US20060012345B2 4 1 r\n"
    )
    return call


def test_patents_are_mapped_to_their_numbers(call: Command) -> None:
    called = call("--map-docs", "patent", "-m", "map", "-m", "num_ret", "qrels", "run")
    assert called.out.split() == ["num_ret", "all", "3", "map", "all", "1.0000"]
    assert "3 of 4 rows mapped to other documents, 1 left out as their document came before" in called.err


def test_a_warning_names_the_mapping(call: Command) -> None:
    """Also where other ids match, and where punctuation and kind codes differ at once."""
    called = call("-m", "map", "qrels", "run")
    assert called.code == 0
    assert "unjudged documents would match judged ones" in called.err
    assert "; see --map-docs patent" in called.err
    assert "the run has 'EP1000456B1', the qrels have 'EP-1000456-A1'" in called.err
    assert "other-notation-of-docno" in call("check", "qrels", "run").out
    assert "patent" not in call("--map-docs", "patent", "-m", "map", "qrels", "run").err.replace(
        "patents", ""
    )


def test_family_files(call: Command) -> None:
    Path("families").write_text(
        "docno,family\nEP1000456B1,f1\nEP1000456B2,f1\nEP-1000456-A1,f1\nUS2006012345A1,f2\nUS20060012345B2,f2\n"
    )
    called = call("--map-docs", "families", "-m", "map", "-m", "num_rel", "qrels", "run")
    assert called.out.split() == ["num_rel", "all", "3", "map", "all", "1.0000"]


def test_patterns_of_several_groups_join_them(call: Command) -> None:
    Path("run").write_text("1 Q0 EP-1000456-B1 1 4 r\n1 Q0 x 2 3 r\n")
    Path("qrels").write_text("1 0 EP1000456 1\n")
    called = call("--map-docs", r"^(EP)-?(\d+)", "-m", "recip_rank", "qrels", "run")
    assert called.out.split()[-1] == "1.0000"
