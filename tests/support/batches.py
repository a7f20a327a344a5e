"""Batches from plain lists, and hypothesis strategies that draw them."""

from __future__ import annotations

import math
from collections import Counter
from collections.abc import Sequence
from dataclasses import replace
from typing import Any

import numpy as np
from hypothesis import strategies as st
from support.oracle import DOCUMENT_SCORE, POOLED, TWINS, UNKNOWN, Topic, own_nmax
from support.oracle_gain import GAIN_TWINS
from support.oracle_ntcir import NTCIR_TWINS
from support.oracle_readers import READER_TWINS
from support.oracle_screening import SCREENING_TWINS

from pres_eval.batches.batch import Batch, frozen
from pres_eval.measures import MEASURES
from pres_eval.measures.parameters import Cutoffs, OptionalCutoffs
from pres_eval.options import VERSIONS, RelevanceInfo

ALL_TWINS = TWINS | GAIN_TWINS | READER_TWINS | SCREENING_TWINS | NTCIR_TWINS

EXAMPLE_PARAMETERS: dict[str, tuple[str, ...]] = {
    **{
        measure.name: ("1", "2,3,7", "50", "9223372036854775807")
        for measure in MEASURES
        if measure.relevance is RelevanceInfo.QRELS
        and isinstance(measure.parameters, Cutoffs | OptionalCutoffs)
    },
    **dict.fromkeys(("PRES", "PRES_est", "Rnorm"), ("1", "2,3,7", "50", "1000000000")),
    **dict.fromkeys(("iprec_at_recall", "Rprec_mult"), ("0.25,.5,0.75", "-0.5,0,1.5", "1e20,1e-3")),
    "11pt_avg": (".25,.5,.75", "0.75,0.25,0.5", "0,0,1,1", "1.5,-0.5,0.3,2,0.9"),
    **dict.fromkeys(("Fprime", "F_cut"), ("1,5", "4", "0.5,2,100", "0.0,1")),
    "relstring": ("0", "-3", "20", "2.9", "1e9"),
    "set_F": ("0.5", "0", "-1", "-0.4", "4.9"),
    "utility": ("1,-1,0,0", "0.3,-0.1,0.7,1e-3", "-1,-2,-3,-4"),
    **dict.fromkeys(
        ("ndcg", "dcg", "ideal_dcg", "G", "ndcg_rel", "Rndcg", "rbp"),
        (
            *("1=3.5,2=9.0,4=7.0", "0=1", "1=0", "2=-1,1=2", "1=2,1=3", "1=3,1=2", "-1=2", "-1=0.5,0=-1"),
            *("1=0.5", "1=0.5,2=0.25,0=0.75", "3=0.3,2=2.1,1=0.9", "p=0.4", "p=0.4,1x=2, 3=1,1.5=7"),
            *("-1=0,1=-1", "-2=1,+2=0.1,0=0.2", "2=0.1,2=0.9,1=0.5,0=0.4,3=0.2", "1=1e10,2=-1e10", "9=4"),
        ),
    ),
    **dict.fromkeys(
        (
            *("wss", "recall_at_percent", "read_for_recall", "share_for_recall", "tnr", "erf"),
            *("wss_asreview", "erf_asreview", "tnr_asreview", "recall_asreview"),
        ),
        ("95", "50,100,2.5", "85.7", "0.1%,1"),
    ),
    "recall_at": ("1R,2R+100", "0R+3", "1R+0,2R+1"),
    **dict.fromkeys(("total_cost", "total_cost_uniform", "total_cost_weighted"), ("1,20", "0.3,-2.5")),
    **dict.fromkeys(
        ("sdcg", "nerr8", "nerr9"), ("1", "3,50", "7,max_rel=3", "2000,min_rel=1,max_rel=2.5", "min_rel=1")
    ),
    "bpm": ("1", "3,50,T=0.7", "7,T=2,max_rel=3", "2000,T=1e9,min_rel=1,max_rel=2", "min_rel=1"),
    **dict.fromkeys(
        ("insq", "inst", "nerr11"), ("T=2", "max_rel=3", "T=0.3,min_rel=1,max_rel=2", "T=40,min_rel=3")
    ),
    **dict.fromkeys(("rbp_cut", "rbp_graded_cut"), ("1", "3,50,p=0.5", "2000,p=0.99")),
    **dict.fromkeys(("urbp", "urbp_graded"), ("p=0.5", "factor=0.01", "p=0.99,factor=3")),
    "ubpref": ("factor=0.01", "factor=3"),
    "nerr10": ("p=0.5", "max_rel=3", "p=0.99,min_rel=1,max_rel=2", "min_rel=3"),
    "ndcg_gain_cut": (
        "1",
        "3,50,1=3.5,2=9",
        "7,0=1,1=0",
        "2,1=-1,2=2",
        "1=0.5,2=0.25,3=0.75",
        "5,1=1,2=3,3=7",
    ),
    **dict.fromkeys(("q_measure", "o_measure"), ("beta=0", "beta=0.3", "beta=10")),
    "q_measure_cut": ("1", "3,50,beta=0.5", "2000,beta=0"),
    "nerr": ("1", "3,50,max_rel=3", "2000,max_rel=40"),
    "irbu": ("1", "3,50,phi=0.5", "2000,phi=0.999,max_rel=3"),
    "err": ("1", "2,3,7", "50", "all", "all,5,max_rel=5", "max_rel=100"),
    "compat": ("p=0.5", "normalize=0", "p=0.999,normalize=0", "normalize=1", "depth=1", "depth=60,p=0.9"),
    **dict.fromkeys(("rbp_binary", "rbp_resid"), ("p=0.5", "p=1", "p=0", "p=-0.5", "p=1.1", "p=0.99,p=0.8")),
}
"""Parameter texts that the twins are compared with, for each measure that takes any, besides its defaults."""


def columns_of(measure: Any, text: str | None = None) -> list[tuple[str, tuple[Any, ...]]]:
    """Labels and arguments of a measure for one parameter text, or its defaults."""
    columns: list[tuple[str, tuple[Any, ...]]] = measure.parameters.columns(
        measure.name, [] if text is None else [text]
    )
    return columns


def batch_of(topics: Sequence[Topic]) -> Batch:
    """The topics as the evaluator would hand them to the measures."""
    documents = [
        [(rank, grade) for rank, grade in enumerate(topic.ranking, 1) if grade != UNKNOWN] for topic in topics
    ]
    levels = [sorted(Counter(grade for grade in topic.qrels if grade >= 0).items()) for topic in topics]
    like = topics[0] if topics else Topic((), (), collection=5000)
    return frozen(
        Batch(
            topics=tuple(b"%d" % number for number in range(len(topics))),
            num_ret=np.array([topic.num_ret for topic in topics], np.int64),
            offsets=_offsets(documents),
            rank=np.array([rank for found in documents for rank, _ in found], np.int64),
            grade=np.array([grade for found in documents for _, grade in found], np.int64),
            levels=np.array([level for found in levels for level, _ in found], np.int64),
            level_counts=np.array([count for found in levels for _, count in found], np.int64),
            level_offsets=_offsets(levels),
            missing=np.zeros(len(topics), bool),
            relevance_level=like.level,
            num_docs_in_coll=like.collection,
            version=VERSIONS[like.compat],
            document_scores=np.full(sum(map(len, documents)), DOCUMENT_SCORE),
            nmax=np.array([own_nmax(topic) for topic in topics], np.int64),
        )
    )


def _offsets(lists: Sequence[Sequence[object]]) -> np.ndarray[Any, np.dtype[np.int64]]:
    return np.cumsum([0, *map(len, lists)], dtype=np.int64)


GRADES = st.one_of(st.integers(0, 3), st.integers(0, 1), st.just(POOLED), st.integers(0, 40))
GDEVAL_GRADES = st.one_of(st.integers(0, 4), st.just(POOLED))


@st.composite
def topic_lists(draw: st.DrawFn, grades: st.SearchStrategy[int] = GRADES) -> list[Topic]:
    """Some topics of one run, with stretches of documents that nobody judged, short and long."""
    gaps = st.one_of(st.integers(0, 2), st.integers(0, 2), st.integers(0, 150))
    level = draw(st.sampled_from([0, 1, 1, 1, 2, 3, 7]))
    compat = draw(st.sampled_from(["9.0.8", "10.0"]))
    topics = []
    for _ in range(draw(st.integers(0, 4))):
        ranking: list[int] = []
        for gap, grade in draw(st.lists(st.tuples(gaps, grades), max_size=12)):
            ranking += [UNKNOWN] * gap + [grade]
        ranking += [UNKNOWN] * draw(gaps)
        retrieved = [grade for grade in ranking if grade != UNKNOWN]
        missed = draw(st.lists(grades, max_size=8))
        topics.append(Topic(tuple(ranking), tuple(retrieved + missed), level, compat, 5000))
    return topics


def with_ranking(topic: Topic, ranking: Sequence[int]) -> Topic:
    """The topic with the same judgements and another order."""
    return replace(topic, ranking=tuple(ranking))


def same_bits(ours: object, theirs: object) -> bool:
    """Whether two values are the same, to the sign of zero; any nan is as good as another."""
    if isinstance(ours, float | np.floating) and isinstance(theirs, float):
        if math.isnan(ours) or math.isnan(theirs):
            return math.isnan(ours) and math.isnan(theirs)
        return bool(ours == theirs and math.copysign(1.0, ours) == math.copysign(1.0, theirs))
    return bool(ours == theirs)
