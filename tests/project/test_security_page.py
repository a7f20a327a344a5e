"""The page on security: each claim has a test, and the tests that it names exist."""

from __future__ import annotations

import ast
import re

import pytest
from conftest import ROOT

PAGE = (ROOT / "docs" / "maintainers" / "security.md").read_text(encoding="utf-8")
NAMED = sorted(set(re.findall(r"`([a-z_]+/test_[a-z_0-9]+\.py)::([a-z_0-9]+)`", PAGE)))
NO_CLAIM = ("(trust, no claim)", "(a setting of Dask)")


@pytest.mark.parametrize(("path", "name"), NAMED, ids="::".join)
def test_the_tests_that_it_names_exist(path: str, name: str) -> None:
    tree = ast.parse((ROOT / "tests" / path).read_text(encoding="utf-8"))
    assert f"test_{name}" in {node.name for node in ast.walk(tree) if isinstance(node, ast.FunctionDef)}


def section(heading: str) -> str:
    return PAGE.split(f"\n## {heading}\n", 1)[1].split("\n## ", 1)[0]


@pytest.mark.parametrize("heading", ["Trust", "Limits"])
def test_each_row_has_its_test(heading: str) -> None:
    header, _, *rows = [line for line in section(heading).splitlines() if line.startswith("|")]
    assert header.endswith("| test |") and len(rows) > 8
    lacking = [
        row for row in rows if "::" not in row.rsplit("|", 2)[1] and not any(one in row for one in NO_CLAIM)
    ]
    assert lacking == []


@pytest.mark.parametrize("heading", ["Files and settings that are read", "Files that are written", "Output"])
def test_each_item_has_its_test(heading: str) -> None:
    """But for those that say what a package or a user does."""
    items = re.split(r"^- ", section(heading), flags=re.MULTILINE)[1:]
    lacking = [item.split("\n")[0] for item in items if "::" not in item]
    assert all(
        item.startswith(("Environment variables", "Results go to stdout", "matplotlib may", "`convert`"))
        for item in lacking
    ), lacking


def test_it_names_many_tests() -> None:
    assert len(NAMED) > 50
