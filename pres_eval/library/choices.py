"""The values that some arguments take, for type checkers and editors."""

from __future__ import annotations

from typing import Literal

TieRule = Literal["docno", "expected", "best", "worst"]
DuplicateRule = Literal["error", "first", "best"]
Compat = Literal["9.0.8", "10.0"]
Test = Literal["t", "randomisation", "bootstrap", "wilcoxon", "sign", "tukey", "randomised-tukey", "dunnett"]
Correction = Literal["holm", "bonferroni", "bh", "none"]
Alternative = Literal["two-sided", "greater", "less", "equivalent", "non-inferior"]
IntervalKind = Literal["t", "bca", "percentile"]
Over = Literal["runs", "measures"]
EmptyRule = Literal["trec", "zero", "skip", "error", "one"]
MapRanks = Literal["dense", "kept"]
ExcludeFrom = Literal["both", "run"]
TopicOrder = Literal["difference", "topic", "best"]
