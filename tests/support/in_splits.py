"""The command in this process, its runs read in splits of any size: by any plan, or by its copies."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Iterator
from functools import partial
from typing import Any

import pytest

from pres_eval.cli import clustering, main, reader
from pres_eval.cluster import judged, large, scored
from pres_eval.cluster.engines import Engine, Here
from pres_eval.cluster.ranking import Plan, SplitRun
from pres_eval.reading.cutting import ScatteredError

TOGETHER, ANY_ORDER, COPIES = PLANS = ("together", "any order", "copies")


def printed(arguments: list[str]) -> tuple[int, bytes, str]:
    """Exit code, stdout and stderr."""
    raw = io.BytesIO()
    stdout, stderr = io.TextIOWrapper(raw, encoding="utf-8"), io.StringIO()
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        code = main(arguments)
    stdout.flush()
    return code, raw.getvalue(), stderr.getvalue()


def printed_in_splits(
    arguments: list[str], size: int, plan: str, engine: Engine | None = None
) -> tuple[int, bytes, str]:
    """The same with `--cluster`, whose workers are this process if no engine is given."""

    @contextlib.contextmanager
    def engine_of(_: Any) -> Iterator[Engine]:
        yield engine or Here()

    def scattered(_: SplitRun) -> None:
        raise ScatteredError

    with pytest.MonkeyPatch.context() as patch:
        if plan == COPIES:
            read_by_copies(patch, size)
            return printed([*arguments, "--jobs", "2"])
        patch.setattr(clustering, "engine_of", engine_of)
        patch.setattr(clustering, "Plan", partial(Plan, split_bytes=size))
        if plan == ANY_ORDER:
            patch.setattr(SplitRun, "_together", scattered)
        return printed([*arguments, "--cluster", "local:1"])


def read_by_copies(patch: pytest.MonkeyPatch, size: int) -> None:
    """Let the command copy its process for every run, in splits of so many bytes, and score it so."""
    patch.setattr(reader, "LARGE", 1)
    patch.setattr(reader, "LARGE_QRELS", 1)
    patch.setattr(judged, "LEAST_PART", 1)
    patch.setattr(large, "LARGE", 1)
    patch.setattr(large, "SPLIT", size)
    patch.setattr(scored, "LEAST_SCORED", 1)
    patch.setattr(scored, "VALUE_BYTES", 0)
