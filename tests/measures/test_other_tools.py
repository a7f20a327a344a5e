"""Measures under the names and with the values of ragas and ASReview, and the list of those for parity."""

from __future__ import annotations

import json
from pathlib import Path

import pytest
from support.commands import Command

from pres_eval.measures import FOR_PARITY, NICKNAMES


@pytest.fixture
def call(capfdbinary: pytest.CaptureFixture[bytes]) -> Command:
    return Command(capfdbinary)


def test_contexts_of_ragas(call: Command, tmp_path: Path) -> None:
    """Contexts a x b retrieved, a b c wanted: (1/1 + 2/3) / 2 of those retrieved; recall 2/3."""
    (tmp_path / "wanted.json").write_text('{"1": ["a", "b", "c"]}')
    (tmp_path / "retrieved.json").write_text('{"1": ["a", "x", "b"]}')
    names = ("NonLLMContextPrecisionWithReference", "NonLLMContextRecall", "IDBasedContextPrecision")
    options = [word for name in names for word in ("-m", name)]
    files = (tmp_path / "wanted.json", tmp_path / "retrieved.json")
    (row,) = call.ok(*options, "--quiet", "--format", "csv", *files).rows
    assert float(row["map_ret"]) == (1 / 1 + 2 / 3) / 2
    assert float(row["set_recall"]) == 2 / 3
    assert float(row["set_P"]) == 2 / 3


def test_values_of_asreview(call: Command, tmp_path: Path) -> None:
    """Labels 1 0 0 1 1 0 0 0 0 0, read by hand as asreview-insights 1.6 does.

    At 67 % two of three: the second relevant one is at place 3 from 0; the random order 0 0 1 1 1 2 2 2 3 3
    has two at place 5.  Half of the records find three, the random order 1.  TNR: two of the seven were read.
    """
    labels = "1001100000"
    (tmp_path / "qrels").write_text("".join(f"1 0 d{n} {label}\n" for n, label in enumerate(labels)))
    (tmp_path / "run").write_text("".join(f"1 Q0 d{n} 0 {-n} r\n" for n in range(10)))
    names = ("wss_asreview.67", "erf_asreview.50", "tnr_asreview.67", "recall_asreview.45", "wss.67")
    options = [word for name in names for word in ("-m", name)]
    (row,) = call.ok(*options, "--format", "csv", tmp_path / "qrels", tmp_path / "run").rows
    assert float(row["wss_asreview_67"]) == (5 - 3) / 10
    assert float(row["erf_asreview_50"]) == (3 - 1) / 3
    assert float(row["tnr_asreview_67"]) == round(5 / 7, 6)
    assert float(row["recall_asreview_45"]) == 2 / 3
    assert float(row["wss_67"]) != float(row["wss_asreview_67"])


def test_measures_for_parity_come_last(call: Command) -> None:
    """In one group; under their names, in nicknames and in JSON nothing changes but a field."""
    families, _, rest = call.ok("measures").out.partition("\nFor parity with other tools")
    group = rest.partition("\nNicknames")[0]
    for name in FOR_PARITY:
        assert f"\n  {name} " not in families and f"\n  {name} " in group
    entries = json.loads(call.ok("measures", "--format", "json").out)
    assert {entry["name"] for entry in entries if entry["for_parity"]} == FOR_PARITY
    assert {"nerr8", "nerr11"} <= {*NICKNAMES["9.0.8"]["readers"]}
    assert call.ok("measures", "urbp").out.startswith("urbp\n")
