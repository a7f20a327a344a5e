"""Names of clusters: `local:N`, the address of a Dask scheduler or its file, or a Dask client."""

from __future__ import annotations

import contextlib
import select
from collections.abc import Iterator
from typing import Any

from pres_eval.engines.engine import LOCAL, Engine
from pres_eval.engines.patience import Patience
from pres_eval.errors import UsageError

EXPECTED = (
    "local:N for N processes of this machine, or a Dask scheduler's address (tcp://...) or file (.json)"
)


@contextlib.contextmanager
def engine_of(cluster: Any, patience: Patience | None = None) -> Iterator[Engine]:
    """Return the engine that carries work to the workers of a cluster while the block runs.

    `patience`: how long a scheduler and its first worker are waited for.
    Raises UsageError for what is none, PresEvalError if nobody answers there.
    """
    if not isinstance(cluster, str):
        if not hasattr(cluster, "scatter"):
            raise UsageError(
                f"cluster: found an object of type {type(cluster).__name__}, expected {EXPECTED}"
            )
        from pres_eval.engines.on_dask import OnDask

        yield OnDask(cluster, patience)
    elif cluster.startswith(LOCAL):
        if not hasattr(select, "poll"):
            raise UsageError(
                f"cluster {cluster!r}: processes of this machine need Linux or macOS,"
                " expected a Dask scheduler, or no cluster"
            )
        from pres_eval.engines.processes import Processes

        with Processes(_number(cluster)) as processes:
            yield processes
    elif "://" in cluster or cluster.endswith(".json"):
        from pres_eval.engines.on_dask import OnDask, connected

        patience = patience or Patience()
        with connected(cluster, patience) as client:
            yield OnDask(client, patience)
    else:
        raise UsageError(f"cluster {cluster!r}: expected {EXPECTED}")


def _number(cluster: str) -> int:
    number = cluster.removeprefix(LOCAL)
    if not (number.isascii() and number.isdecimal() and 0 < int(number) < 10_000):
        raise UsageError(f"cluster {cluster!r}: expected {EXPECTED}")
    return int(number)
