"""The metrics of ranx: those that its `evaluate` looks up, and what follows each name.

ranx needs numba, which is too much for the tests' environment.  In one that has ranx,

    python tests/support/ranx_metrics.py

writes ranx_metrics.txt again; tests/project/test_peers.py compares it where ranx is installed.
"""

from __future__ import annotations

import inspect
import re
import sys
from importlib.metadata import version
from pathlib import Path
from typing import Any

STORED = Path(__file__).with_suffix(".txt")


def stored() -> list[str]:
    """Each metric with an example of its parameter, from the stored list."""
    lines = STORED.read_text(encoding="utf-8").splitlines()
    return [line for line in lines if not line.startswith("#")]


def listed() -> str:
    """The list, of the ranx that is installed."""
    from ranx import metrics

    names = re.findall(r'metric == "([^"]+)"', inspect.getsource(metrics.metric_switch))
    lines = [f"{name}{_parameter(metrics.metric_switch(name))}" for name in names]
    return "".join(f"{line}\n" for line in (f"# ranx {version('ranx')}", *lines))


def _parameter(function: Any) -> str:
    """What follows a name: a cutoff if the metric uses one, and the persistence of rbp."""
    worker = getattr(sys.modules[function.__module__], f"_{function.__name__}", function)
    used = inspect.signature(getattr(worker, "py_func", worker)).parameters
    return "@10" if "k" in used else ".95" if "p" in used else ""


if __name__ == "__main__":
    STORED.write_text(listed(), encoding="utf-8")
