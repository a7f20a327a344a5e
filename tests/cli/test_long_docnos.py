"""A docno of any length is mapped in no time, or is an error."""

from __future__ import annotations

import time
from pathlib import Path

import pytest
from support.commands import Command

import pres_eval as pe
from pres_eval.errors import InputError

LONG = "1" * 300_000


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 a 1\n")
    Path("run").write_text(f"1 Q0 {LONG} 1 2.0 tag\n1 Q0 a#1 2 1.0 tag\n")
    return call


@pytest.mark.parametrize("pattern", [r"(\d+)#", r"([0-9]*)#x", r"(.+?)#", r"(?:x|(\d+))#"])
def test_a_pattern_that_searches_from_each_place(pattern: str, call: Command) -> None:
    begin = time.process_time()
    called = call("-m", "map", "--map-docs", pattern, "--quiet", "qrels", "run")
    assert (called.code, called.out) == (2, "")
    assert called.err == (
        f"pres-eval: --map-docs {pattern}: docno '{'1' * 77}...' of 300,000 bytes, expected at most 2,048"
        " for a pattern; a file of docno and document maps longer ones\n"
    )
    assert time.process_time() - begin < 5


def test_the_message_of_python(call: Command) -> None:
    with pytest.raises(InputError, match=r"^map_docs \(.d\+\)#: docno .* of 300,000 bytes, expected at most"):
        pe.evaluate({"1": {"a": 1}}, {"1": {LONG: 1.0}}, "map", map_docs=r"(\d+)#")


def test_judgements_and_the_longest_that_goes(call: Command) -> None:
    Path("qrels").write_text(f"1 0 {'1' * 2_049}# 1\n")
    assert call("-m", "map", "--map-docs", r"(\d+)#", "qrels", "run").code == 2
    Path("qrels").write_text(f"1 0 {'1' * 2_047}# 1\n")
    Path("run").write_text(f"1 Q0 {'1' * 2_047} 1 2.0 tag\n")
    called = call("-m", "map", "--map-docs", r"(\d+)#", "--quiet", "qrels", "run")
    assert called.out == "map                   \tall\t1.0000\n"


def test_numbers_at_the_end_have_no_limit(call: Command) -> None:
    called = call("-m", "map", "--map-docs", r"^(.*)#\d+$", "--quiet", "qrels", "run")
    assert called.out == "map                   \tall\t0.5000\n"
