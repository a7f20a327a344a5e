"""How a run is evaluated: trec_eval's options that change numbers, in one frozen record."""

from __future__ import annotations

import enum
from dataclasses import dataclass

COMPAT_VERSIONS = ("9.0.8", "10.0")
DEFAULT_NMAX = (100, 1000)


class RelevanceInfo(enum.Enum):
    """The formats of relevance information (-R) that a measure can be computed from."""

    ANY = "any format"
    QRELS = "-R qrels"
    QRELS_JG = "-R qrels_jg"
    PREFS = "-R prefs or -R qrels_prefs"


@dataclass(frozen=True)
class Options:
    """What changes the numbers.

    compat           the trec_eval whose numbers are wanted: "9.0.8" or "10.0" (--compat)
    relevance_level  least grade of a relevant document (-l)
    max_retrieved    documents used per topic, None for all (-M)
    judged_only      unjudged documents are taken out of the ranking first (-J)
    complete         average over all topics of the qrels (-c)
    num_docs_in_coll documents in the collection, 0 if not known (-N)
    only_topic       evaluate this topic alone (-D n.topic)
    """

    compat: str = "9.0.8"
    relevance_level: int = 1
    max_retrieved: int | None = None
    judged_only: bool = False
    complete: bool = False
    num_docs_in_coll: int = 0
    only_topic: bytes | None = None
