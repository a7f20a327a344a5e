"""The same judgements and runs as files, rows, frames and matrices."""

from __future__ import annotations

from collections.abc import Mapping
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from numpy.typing import NDArray

Judged = dict[str, dict[str, int]]
Retrieved = dict[str, dict[str, float]]


def write_qrels(path: Path, qrels: Judged) -> None:
    lines = [f"{topic} 0 {document} {grade}\n" for topic, document, grade in rows_of(qrels)]
    path.write_bytes("".join(lines).encode("utf-8", "surrogateescape"))


def write_run(path: Path, run: Retrieved, tag: str = "run") -> None:
    lines = [f"{topic} Q0 {document} 0 {score!r} {tag}\n" for topic, document, score in rows_of(run)]
    path.write_bytes("".join(lines).encode("utf-8", "surrogateescape"))


def rows_of(data: Mapping[Any, Mapping[Any, Any]]) -> list[tuple[Any, Any, Any]]:
    return [(topic, key, value) for topic, values in data.items() for key, value in values.items()]


def frame(library: str, data: Mapping[Any, Mapping[Any, Any]], names: tuple[str, str, str]) -> Any:
    """A table of pandas, polars or pyarrow; the test is skipped where the library is missing."""
    module = pytest.importorskip(library)
    columns = dict(zip(names, map(list, zip(*rows_of(data), strict=True)), strict=True))
    return module.table(columns) if library == "pyarrow" else module.DataFrame(columns)


def int_matrix(run: Retrieved) -> tuple[list[str], NDArray[np.int64], NDArray[np.float64]]:
    """Topics, ids and scores, best first; -1 where a topic has fewer documents."""
    most = max(map(len, run.values()))
    ids, scores = np.full((len(run), most), -1), np.full((len(run), most), np.nan)
    for row, documents in enumerate(run.values()):
        ranked = sorted(documents.items(), key=lambda pair: -pair[1])
        ids[row, : len(ranked)] = [int(document) for document, _ in ranked]
        scores[row, : len(ranked)] = [score for _, score in ranked]
    return list(run), ids, scores
