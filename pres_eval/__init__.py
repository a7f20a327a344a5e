"""pres-eval: trec_eval's numbers and PRES, for recall-oriented search.

From Python:

    from pres_eval import Options, Source, read_relevance, read_run, select
    from pres_eval.scoring import evaluate

    qrels = read_relevance("qrels.txt")
    run = read_run(Source("run.txt"), qrels.pool)
    evaluation = evaluate(qrels, run, select(["map", "PRES.100"]), Options())
    evaluation.by_label("PRES_100")  # one value for each of evaluation.topics
"""

from __future__ import annotations

import importlib
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from pres_eval.measures.selection import select
    from pres_eval.options import Options
    from pres_eval.ranking.run_file import Ranking, read_run
    from pres_eval.reading.relevance import read_relevance
    from pres_eval.reading.source import Source
    from pres_eval.scoring import Evaluation

__version__ = "1.0.0"

__all__ = ["Evaluation", "Options", "Ranking", "Source", "read_relevance", "read_run", "select"]

_HOME = {
    "Evaluation": "pres_eval.scoring",
    "Options": "pres_eval.options",
    "Ranking": "pres_eval.ranking.run_file",
    "Source": "pres_eval.reading.source",
    "read_relevance": "pres_eval.reading.relevance",
    "read_run": "pres_eval.ranking.run_file",
    "select": "pres_eval.measures.selection",
}


def __getattr__(name: str) -> Any:
    """The public names, imported when they are first used: `pres-eval measures` needs none of them."""
    if name not in _HOME:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(importlib.import_module(_HOME[name]), name)
