"""Sizes from which on large inputs are computed otherwise, made so small that every input is a large one."""

from __future__ import annotations

import importlib
import sys
from types import FunctionType
from typing import Any

import pytest

SIZES = {
    "pres_eval.analysis.estimates._ROWS_AT_ONCE": 1,
    "pres_eval.analysis.estimates._DRAWS_AT_ONCE": 7,
    "pres_eval.analysis.interaction.PERMUTATIONS_AT_ONCE": 7,
    "pres_eval.analysis.joint._STATISTICS_AT_ONCE": 1,
    "pres_eval.analysis.joint._DEALT_AT_ONCE": 40,
    "pres_eval.analysis.pooling._RUNS_AT_ONCE": 1,
    "pres_eval.analysis.sample_intervals.TOPICS_AT_ONCE": 1,
    "pres_eval.analysis.significance._SAMPLES_AT_ONCE": 7,
    "pres_eval.analysis.unequal_variances._SCORES_AT_ONCE": 40,
    "pres_eval.arrays.columns.LONG_COLUMN_BYTES": 64,
    "pres_eval.arrays.columns.SHORT_COLUMN_ROWS": 1,
    "pres_eval.arrays.exact.SHORT_STRETCH_VALUES": 1,
    "pres_eval.arrays.ids._LONG_IDS_AT_ONCE": 1,
    "pres_eval.arrays.matching.FEW_KEYS": 1,
    "pres_eval.arrays.stretches.BLOCK_ROWS": 3,
    "pres_eval.batches.forming.BATCH_TOPICS": 1,
    "pres_eval.batches.plain.MOST_PLAIN_TOPICS": 0,
    "pres_eval.batches.preference_orders.CELLS": 3,
    "pres_eval.ranking.order.MOST_COMPARISONS": 0,
    "pres_eval.ranking.order.MOST_FEW_ROWS": 0,
    "pres_eval.ranking.order.SHORT_TOPIC_ROWS": 2,
    "pres_eval.ranking.runs.FIRST_BYTES": 16,
    "pres_eval.reading.blocks.ROWS_OF_BLOCK": 2,
    "pres_eval.reading.compression.READ_AT_ONCE": 64,
    "pres_eval.reading.file.CHUNK": 256,
    "pres_eval.reading.file.CUT_WINDOW": 16,
    "pres_eval.reading.formats.parquet.ROWS_OF_BATCH": 2,
    "pres_eval.reading.judgements.relevance.MANY_GROUPS": 1,
    "pres_eval.reading.splits.WORKER_CHUNK": 128,
    "pres_eval.scoring.summing.FEW_VALUES": 0,
    "pres_eval.scoring.summing.MOST_VALUES": 2,
}
"""Constants that change no output, and what they become."""


def use_small_sizes(patch: pytest.MonkeyPatch, sizes: dict[str, int] = SIZES) -> None:
    """Give constants other values wherever their names are known, and as defaults of functions."""
    for path, size in sizes.items():
        module, _, name = path.rpartition(".")
        before = getattr(importlib.import_module(module), name)
        for other in list(sys.modules.values()):
            if other.__name__.startswith("pres_eval") and vars(other).get(name) is before:
                patch.setattr(other, name, size)
    _change_defaults(patch, "pres_eval.reading.file", "File.chunks", sizes["pres_eval.reading.file.CHUNK"])
    _change_defaults(
        patch, "pres_eval.batches.forming", "in_blocks", sizes["pres_eval.batches.forming.BATCH_TOPICS"]
    )


def _change_defaults(patch: pytest.MonkeyPatch, module: str, name: str, size: int) -> None:
    """Give the last argument of a function another default."""
    function: Any = importlib.import_module(module)
    for part in name.split("."):
        function = getattr(function, part)
    assert isinstance(function, FunctionType) and function.__defaults__
    patch.setattr(function, "__defaults__", (*function.__defaults__[:-1], size))
