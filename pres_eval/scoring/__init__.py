"""Scoring: from batches of topics to the value of each column for each topic, and to the numbers of a run.

`columns` computes the values of each column for a batch of topics, `summing` adds them up over topics, `runs`
is the whole way from a ranking to all numbers of a run.
"""

from __future__ import annotations

from pres_eval.scoring.columns import score_blocks, seen_as, values_of_topics
from pres_eval.scoring.runs import ScoredRun, Scoring, evaluate, warning_of_infinite_gains
from pres_eval.scoring.summing import CountedJudgements, ScoredBlock, Summing, Values, joined

__all__ = [
    "CountedJudgements",
    "ScoredBlock",
    "ScoredRun",
    "Scoring",
    "Summing",
    "Values",
    "evaluate",
    "joined",
    "score_blocks",
    "seen_as",
    "values_of_topics",
    "warning_of_infinite_gains",
]
