"""The list of mutants that make no difference quotes lines of the code: others would never be compared."""

from __future__ import annotations

from pathlib import Path

ROOT = Path(__file__).parents[2]
EQUIVALENT = ROOT / "tests" / "fuzz" / "equivalent_mutants.txt"


def is_stale(entry: str) -> bool:
    """Return whether the code has no line such as the entry's: MODULE | LINE | CHANGE | REASON."""
    module, *line, _, _ = entry.split(" | ")  # a line of code may have | itself
    path = ROOT / "pres_eval" / module
    lines = path.read_text(encoding="utf-8").splitlines() if path.is_file() else []
    return " | ".join(line) not in map(str.strip, lines)


def test_mutants_that_make_no_difference_are_those_of_the_code() -> None:
    entries = EQUIVALENT.read_text(encoding="utf-8").splitlines()
    assert [entry for entry in entries if entry and not entry.startswith("#") and is_stale(entry)] == []


def test_a_line_that_is_gone_is_found() -> None:
    assert is_stale("cli/gates/thresholds.py | fails_always = () | 0 to 1 | why")
    assert is_stale("cli/gates/gone.py | import re | 0 to 1 | why")
    assert not is_stale("cli/gates/thresholds.py | is_upper = threshold.option == OVER | Eq to NotEq | why")
