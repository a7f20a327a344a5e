"""What "Coming from other tools" promises: every name and option of the other tools is known here."""

from __future__ import annotations

import importlib.util
import os
import re
import subprocess

import pytest
import pytrec_eval
from ir_measures.measures import registry
from support import doc_peers, ranx_metrics

from pres_eval.cli.commands import command_of
from pres_eval.cli.help import option_rows
from pres_eval.options import VERSIONS

pytestmark = pytest.mark.slow


def test_every_option_of_trec_eval_is_ours() -> None:
    ours = " ".join(name for name, _ in option_rows(command_of(None)))
    for short, long, _ in doc_peers.TREC_EVAL_OPTIONS:
        assert re.search(rf"(?<!\S){short}(?![\w-])", ours), short
        assert long in ours, long


@pytest.mark.skipif("TREC_EVAL_9" not in os.environ, reason="TREC_EVAL_9 names no trec_eval")
def test_no_option_of_trec_eval_is_left_out() -> None:
    text = subprocess.run([os.environ["TREC_EVAL_9"], "--help"], capture_output=True, text=True, check=False)
    theirs = set(re.findall(r"^ (-\w)", text.stdout, re.MULTILINE))
    assert theirs and theirs <= {short for short, *_ in doc_peers.TREC_EVAL_OPTIONS}


@pytest.mark.parametrize("name", sorted({*pytrec_eval.supported_measures, *pytrec_eval.supported_nicknames}))
def test_every_name_of_pytrec_eval_is_ours(name: str) -> None:
    columns = doc_peers.found(name)
    assert columns is not None
    if name in pytrec_eval.supported_measures:
        assert {column.measure.name for column in columns} == {name}


# Other tests import pres_eval.ir_measures, which adds measures of ours to the registry.
THEIRS = sorted(name for name, each in registry.items() if not type(each).__module__.startswith("pres_eval."))


@pytest.mark.parametrize("name", THEIRS)
def test_every_measure_of_ir_measures_is_ours(name: str) -> None:
    assert f"`{name}`" in doc_peers.ir_measures_names()


def test_all_measures_of_trec_eval_have_their_names() -> None:
    for version in VERSIONS:
        for name in doc_peers.measures_of(version):
            assert doc_peers.found(name) is not None


@pytest.mark.parametrize("name", ranx_metrics.stored())
def test_every_metric_of_ranx_is_ours(name: str) -> None:
    assert f"| `{name}` |" in doc_peers.ranx_names()


@pytest.mark.skipif(importlib.util.find_spec("ranx") is None, reason="ranx is not installed")
def test_the_list_of_ranx_is_that_of_ranx() -> None:
    assert ranx_metrics.STORED.read_text(encoding="utf-8") == ranx_metrics.listed()
