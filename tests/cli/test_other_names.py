"""What changes nothing: other names of topics and documents, but for the names; another order of lines."""

from __future__ import annotations

import json
import random
import re
from pathlib import Path

import pytest
from support.calls import CALLS, OTHER_DOCUMENTS, OTHER_TOPICS, RUNS, UNCHANGED, without_order, write_files
from support.commands import Command


def with_first_names(text: str, names: dict[str, str]) -> str:
    """Return a text with the keys of a dict of names in the place of the values."""
    first_names = {new: old for old, new in names.items()}
    pattern = re.compile(rf"\b({'|'.join(first_names)})\b")
    return pattern.sub(lambda match: first_names[match[1]], text)


@pytest.mark.parametrize("name", CALLS)
def test_other_names(name: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    outputs = []
    for folder, topics, documents in (
        ("before", UNCHANGED, UNCHANGED),
        ("after", OTHER_TOPICS, OTHER_DOCUMENTS),
    ):
        (tmp_path / folder).mkdir()
        monkeypatch.chdir(tmp_path / folder)
        write_files(topics, documents)
        called = command(*CALLS[name], "--format", "json", "--quiet")
        assert called.code == 0, called.err
        text = with_first_names(called.out, topics | documents)
        outputs.append(without_order(json.loads(text)))
    assert outputs[0] == outputs[1]


@pytest.mark.parametrize("name", CALLS)
def test_lines_in_another_order(
    name: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(UNCHANGED, UNCHANGED)
    before = command(*CALLS[name])
    for path in {*tmp_path.iterdir()} - {tmp_path / "groups"}:  # groups are printed in their order
        lines = path.read_text().splitlines(keepends=True)
        random.Random(8).shuffle(lines)
        path.write_text("".join(lines))
    assert command(*CALLS[name]) == before


OF_ONE_RUN = {"explain", "judges", "overlap", "replicate", "compare", "all pairs", "signed ranks", "report"}
"""Calls in which a run is alone, or is compared with the first or with those behind it."""


@pytest.mark.parametrize("name", sorted(set(CALLS) - OF_ONE_RUN))
def test_runs_in_another_order(
    name: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(UNCHANGED, UNCHANGED)
    words = list(CALLS[name])
    outputs = []
    for _ in RUNS:
        called = command(*words, "--format", "json", "--quiet")
        assert called.code == 0, called.err
        outputs.append(without_order(json.loads(called.out)))
        words.append(words.pop(words.index(RUNS[0])))
    assert outputs[0] == outputs[1] == outputs[2]


OPPOSITES = (("run", "other"), ("mean", "other_mean"), ("wins", "losses"))
NEGATED = ("difference", "direction", "d_z", "hedges_g", "rank_biserial")
NEGATED_LIMITS = (("lower", "upper"), ("g_lower", "g_upper"))


@pytest.mark.parametrize("test", ["t", "wilcoxon", "sign", "randomisation", "bootstrap"])
def test_two_runs_the_other_way_round(
    test: str, command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    write_files(UNCHANGED, UNCHANGED)
    words = ("compare", "-m", "map", "-m", "P.5", "--test", test, "--format", "json", "--quiet", "qrels")
    there, back = (command(*words, *runs).json["comparisons"] for runs in (RUNS[1:], RUNS[:0:-1]))
    for pair, turned in zip(there, back, strict=True):
        expected = {**pair}
        for first, second in OPPOSITES:
            expected[first], expected[second] = pair[second], pair[first]
        for key in NEGATED:
            expected[key] = -pair[key]
        for lower, upper in NEGATED_LIMITS:
            expected[lower], expected[upper] = -pair[upper], -pair[lower]
        assert turned == pytest.approx(expected, abs=1e-12)
