"""pres-eval: trec_eval's numbers and PRES, for recall-oriented search.

    >>> import pres_eval as pe
    >>> e = pe.evaluate({"1": {"a": 1}}, {"1": {"b": 0.9, "a": 0.5}}, ["map", "PRES@100"])
    >>> e["map"], e["PRES_100"]
    (0.5, 0.99)

Judgements and runs are paths, open files, dicts of dicts, tables (pandas, polars, Arrow), arrays, or rows of
topic, document and value.  `evaluate` does it in one call; `Qrels` reads judgements once for many runs;
`compare` tests which run is better.
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pres_eval.batches.batch import Batch
    from pres_eval.errors import PresEvalError
    from pres_eval.library.comparing import compare
    from pres_eval.library.converting import write_run
    from pres_eval.library.evaluating import evaluate
    from pres_eval.library.evaluation import Evaluation
    from pres_eval.library.experimenting import experiment
    from pres_eval.library.measures import list_measures, register
    from pres_eval.library.ranked import Qrels
    from pres_eval.library.run import Run
    from pres_eval.library.validating import validate
    from pres_eval.measures.base import Measure
    from pres_eval.options import Options

__version__ = "6.3.0"

__all__ = [
    "Batch",
    "Evaluation",
    "Measure",
    "Options",
    "PresEvalError",
    "Qrels",
    "Run",
    "compare",
    "evaluate",
    "experiment",
    "list_measures",
    "register",
    "validate",
    "write_run",
]

_HOME = {
    "Batch": "pres_eval.batches.batch",
    "Evaluation": "pres_eval.library.evaluation",
    "Measure": "pres_eval.measures.base",
    "Options": "pres_eval.options",
    "PresEvalError": "pres_eval.errors",
    "Qrels": "pres_eval.library.ranked",
    "Run": "pres_eval.library.run",
    "compare": "pres_eval.library.comparing",
    "evaluate": "pres_eval.library.evaluating",
    "experiment": "pres_eval.library.experimenting",
    "list_measures": "pres_eval.library.measures",
    "register": "pres_eval.library.measures",
    "validate": "pres_eval.library.validating",
    "write_run": "pres_eval.library.converting",
}
"""The module of each public name."""


def __getattr__(name: str) -> Any:
    """Return a public name, imported when it is first used: the command needs few, and starts faster."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)


def __dir__() -> list[str]:
    return [*__all__, "__version__"]
