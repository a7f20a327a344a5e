"""The guide and the docstrings of the public names: every example gives what it says."""

from __future__ import annotations

import doctest
import importlib
import inspect
from pathlib import Path

import pytest
from conftest import ROOT

import pres_eval as pe

GUIDE = ROOT / "docs" / "guides" / "python.md"
MODULES = ["pres_eval", "pres_eval.pytrec_eval"]


def run_examples(name: str, text: str) -> int:
    test = doctest.DocTestParser().get_doctest(text, {}, name, name, 0)
    runner = doctest.DocTestRunner(
        optionflags=doctest.ELLIPSIS | doctest.NORMALIZE_WHITESPACE | doctest.IGNORE_EXCEPTION_DETAIL
    )
    runner.run(test)
    assert runner.summarize(verbose=False).failed == 0
    return len(test.examples)


@pytest.mark.parametrize("path", [GUIDE], ids=lambda path: path.name)
def test_guide(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(ROOT)  # some examples read files of fixtures/
    # Closing fences end a block as a blank line would.
    assert run_examples(path.name, path.read_text(encoding="utf-8").replace("```", "")) > 20


@pytest.mark.parametrize("name", MODULES)
def test_module_examples(name: str) -> None:
    assert run_examples(name, inspect.getdoc(importlib.import_module(name)) or "")


@pytest.mark.parametrize("name", sorted(set(pe.__all__) - {"Batch", "Measure", "Options", "PresEvalError"}))
def test_public_names_have_examples(name: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """One screen each: at most 60 lines, with at least one example that runs."""
    monkeypatch.chdir(ROOT)  # one reads files of fixtures/
    text = inspect.getdoc(getattr(pe, name)) or ""
    assert run_examples(name, text)
    assert len(text.splitlines()) <= 60


def test_there_are_few_public_names() -> None:
    assert len(pe.__all__) <= 14
    assert all(hasattr(pe, name) for name in pe.__all__)
    assert set(pe.__all__) <= set(dir(pe))
    with pytest.raises(AttributeError):
        _ = pe.nothing
