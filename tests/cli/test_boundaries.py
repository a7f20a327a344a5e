"""Counts and limits at their boundaries, where a wrong comparison of two numbers would show."""

from __future__ import annotations

from pathlib import Path

import numpy as np
import pytest
from support.commands import Command

from pres_eval.analysis.corrections import letters_of_pairs


def test_a_score_of_zero_is_not_negative(call: Command, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 1.0 t\n1 Q0 b 2 0 t\n1 Q0 c 3 -1 t\n")
    checked = call.ok("check", "--format", "json", tmp_path / "qrels", tmp_path / "run").out
    assert '"negative_scores": 1,' in checked


def test_complete_runs_are_sorted_before_better_ones_that_lack_topics(call: Command, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "all").write_text("1 Q0 b 1 2 t\n1 Q0 a 2 1 t\n2 Q0 b 1 2 t\n2 Q0 a 2 1 t\n")
    (tmp_path / "some").write_text("1 Q0 a 1 2 t\n")
    paths = [tmp_path / name for name in ("qrels", "some", "all")]
    lines = call("--quiet", "--format", "table", "--sort", "map", "-m", "map", *paths).out.splitlines()
    assert [line.split()[0] for line in lines[2:4]] == ["all", "some"]


def test_the_letters_after_the_alphabet_are_numbers() -> None:
    count = 53
    first, second = np.triu_indices(count, 1)
    letters = letters_of_pairs(np.arange(count, 0.0, -1), first, second, np.ones(len(first), bool))
    assert letters[:2] == ["a", "b"] and letters[-1] == "<53>"


def test_compatibility_counts_a_document_at_its_depth(call: Command, tmp_path: Path) -> None:
    """Of the first two documents one is among the first two of the ideal ranking, at rank 2."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 1\n")
    (tmp_path / "run").write_text("1 Q0 x 1 2 t\n1 Q0 a 2 1 t\n")
    row = call.ok("-m", "compat.depth=2", "--format", "csv", tmp_path / "qrels", tmp_path / "run").rows[0]
    assert float(row["compat_depth=2"]) == pytest.approx(0.95 * (1 / 2) / (1 + 0.95))


def test_no_fewer_than_no_documents_are_left_unread(call: Command, tmp_path: Path) -> None:
    """The 10 retrieved documents are all there seem to be, and one that was missed has no room."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("".join(f"1 0 r{number} 1\n" for number in range(5)))
    retrieved = [f"n{number}" for number in range(6)] + [f"r{number}" for number in range(4)]
    run.write_text("".join(f"1 Q0 {docno} 0 {-rank} t\n" for rank, docno in enumerate(retrieved)))
    assert call.ok("-m", "tnr.80", qrels, run).out.split() == ["tnr_80", "all", "0.0000"]


def test_readers_read_1000_documents_at_most(call: Command, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 1\n")
    run.write_text("1 Q0 a 1 1 t\n")
    values = {}
    for line in call.ok("-m", "sdcg.999,1000,2000", qrels, run, "--format", "csv").rows:
        values.update(line)
    assert values["sdcg_999"] > values["sdcg_1000"] == values["sdcg_2000"]


def test_judges_warn_of_a_test_without_power_at_the_level(call: Command, tmp_path: Path) -> None:
    """Signs on four topics give p 0.125 at least."""
    qrels, first, second = tmp_path / "qrels", tmp_path / "first", tmp_path / "second"
    qrels.write_text("".join(f"{topic} 0 a 1\n" for topic in range(4)))
    first.write_text("".join(f"{topic} Q0 a 1 2 first\n{topic} Q0 b 2 1 first\n" for topic in range(4)))
    second.write_text("".join(f"{topic} Q0 a 2 1 second\n{topic} Q0 b 1 2 second\n" for topic in range(4)))
    judges = ("judges", qrels, qrels, first, second, "-m", "map", "--test", "sign", "--alpha")
    assert "nothing can be significant at 0.05" in call(*judges, "0.05").err
    assert "nothing can be significant" not in call(*judges, "0.2").err
