"""The command in this process, its runs read in splits of any size: by any engine, topics together or not."""

from __future__ import annotations

import contextlib
import io
from collections.abc import Callable, Generator, Iterable, Iterator
from typing import Any

import pytest

from pres_eval.cli import main, reader
from pres_eval.engines import connecting, copies
from pres_eval.engines.engine import Engine, ThisProcess
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.reading.cuts import ScatteredError

TOGETHER, ANY_ORDER, COPIES = PLANS = ("together", "any order", "copies")


class InSplits(ThisProcess):
    """This process, to which runs come in splits of so many bytes."""

    def __init__(self, size: int, jobs: int = 1) -> None:
        super().__init__(jobs)
        self._size = size

    def split_size(self, total: int) -> int:  # type: ignore[override]
        return self._size


class Watched:
    """An engine to which runs come in splits of so many bytes, and what is told of each that is done."""

    def __init__(self, engine: Engine, size: int, told: Callable[[int, int], None] | None = None) -> None:
        self._engine, self._size, self._told = engine, size, told
        self.workers, self.threads, self.share = engine.workers, engine.threads, engine.share

    def split_size(self, total: int) -> int:
        return self._size

    def map(self, work: Any, items: Iterable[Any], *shared: Any) -> Generator[Any, None, None]:
        every = list(items)
        for done, result in enumerate(self._engine.map(work, every, *shared), 1):
            if self._told is not None:
                self._told(done, len(every))
            yield result


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
    def engine_of(*_: Any) -> Iterator[Engine]:
        yield InSplits(size) if engine is None else Watched(engine, size)

    with pytest.MonkeyPatch.context() as patch:
        if plan == COPIES:
            read_by_copies(patch, size)
            return printed([*arguments, "--jobs", "2"])
        patch.setattr(connecting, "engine_of", engine_of)
        if plan == ANY_ORDER:
            without_order(patch)
        return printed([*arguments, "--cluster", "local:1"])


def without_order(patch: pytest.MonkeyPatch) -> None:
    """Let topics be found not to be together, in every run that has a judged topic."""
    before = RunRanker.ranked_part

    def ranked_part(self: RunRanker, piece: Any) -> Any:
        part = before(self, piece)
        if len(part.ranked.topic):
            raise ScatteredError
        return part

    patch.setattr(RunRanker, "ranked_part", ranked_part)


def read_by_copies(patch: pytest.MonkeyPatch, size: int) -> None:
    """Let the command copy its process for every run, in splits of so many bytes."""
    patch.setattr(reader, "BYTES_PER_COPY", 1)
    patch.setattr(copies, "SPLIT_BYTES", size)
