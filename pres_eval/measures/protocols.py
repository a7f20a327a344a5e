"""Evaluation settings of known tracks and benchmarks, as their papers report them."""

from __future__ import annotations

from pres_eval.errors import UsageError, did_you_mean, quoted
from pres_eval.records import dataclass


@dataclass(frozen=True)
class Protocol:
    """Settings that make numbers comparable with those published for a track.

    level          least grade of a relevant document (-l)
    max_retrieved  documents used per topic, None for all (-M)
    measures       as -m takes them, the main measure first
    source         paper that defines the measures
    note           further steps of the papers, which no setting here covers

    All average over every topic of the judgements (-c).
    """

    measures: tuple[str, ...]
    source: str
    level: int = 1
    max_retrieved: int | None = None
    note: str = ""

    @property
    def options(self) -> dict[str, object]:
        """The settings as options of `evaluate`, without those that keep their defaults."""
        level = {} if self.level == 1 else {"relevance_level": self.level}
        most = {} if self.max_retrieved is None else {"max_retrieved": self.max_retrieved}
        return {"topics": "all", **level, **most, "measures": self.measures}


PROTOCOLS = {
    "trec-dl": Protocol(
        ("ndcg_cut.10", "recip_rank", "map", "map_cut.100", "recall.100,1000"),
        "Craswell, Mitra, Yilmaz, Campos & Voorhees, TREC 2019 Deep Learning Track, arXiv:2003.07820",
        level=2,
        note="Passages: grades 2 and 3 are relevant. For documents, where grade 1 is relevant too, add -l 1."
        " Papers report map_cut_100 for documents, and for passages from 2021 on.",
    ),
    "msmarco": Protocol(
        ("recip_rank_cut.10", "recall.100,1000"),
        "Bajaj et al., MS MARCO, arXiv:1611.09268",
        note="Passages; the document ranking uses -m recip_rank_cut.100.",
    ),
    "beir": Protocol(
        ("ndcg_cut.10", "recall.100"),
        "Thakur, Reimers, Rücklé, Srivastava & Gurevych, BEIR, arXiv:2104.08663",
        note="For ArguAna and Quora add --exclude self --exclude-from run, as BEIR's code does.",
    ),
    "robust04": Protocol(
        ("map", "gm_map", "P.10,20,30", "ndcg_cut.20"),
        "Voorhees, Overview of the TREC 2004 Robust Retrieval Track, TREC 2004",
        max_retrieved=1000,
        note="P.20, P.30 and ndcg_cut.20 are those of later papers.",
    ),
    "clef-ip": Protocol(
        ("PRES.100,1000", "recall.100,1000", "map"),
        "Magdy & Jones, PRES, SIGIR 2010, doi:10.1145/1835449.1835551",
        max_retrieved=1000,
        note="In 2009 the track ranked runs by map and recall. Papers on claims to passages (2012, 2013)"
        " report PRES.100, recall.100 and map of documents. Not checked against the track's overviews (Roda"
        " et al. 2009, Piroi et al. 2010 to 2013).",
    ),
    "trec-covid": Protocol(
        ("ndcg_cut.10,20", "P.5,20", "bpref", "map"),
        "Roberts et al., Searching for Scientific Evidence in a Pandemic, arXiv:2104.09632",
        max_retrieved=1000,
        note="ndcg_cut.10 and P.5 are those of the first rounds, ndcg_cut.20 and P.20 of the last.",
    ),
    "total-recall": Protocol(
        ("recall_at.1R+0,1R+100,1R+1000,2R+0,2R+100,2R+1000,4R+0,4R+100,4R+1000",),
        "Roegiest, Cormack, Clarke & Grossman, TREC 2015 Total Recall Track Overview, TREC 2015",
    ),
}
"""Protocols by the names that --protocol takes."""


def protocol_of(name: str) -> Protocol:
    """Return the protocol of a name; raise UsageError if there is none."""
    if name not in PROTOCOLS:
        hint = did_you_mean(name, PROTOCOLS, "pres-eval protocols explains them")
        raise UsageError(f"--protocol {quoted(name)}: expected one of {', '.join(PROTOCOLS)}; {hint}")
    return PROTOCOLS[name]
