"""Counts: topics, retrieved and relevant documents; and the grades as a string."""

from __future__ import annotations

from functools import partial

import numpy as np

from pres_eval.arrays import FloatArray, IntArray
from pres_eval.batches.batch import Batch
from pres_eval.batches.plain import RankedTopic
from pres_eval.batches.topics import UNJUDGED
from pres_eval.measures.base import (
    Format,
    Measure,
    Trait,
    WhenMissing,
    number_of_relevant,
    number_of_topics,
    total,
)
from pres_eval.measures.counting import Numbers, documents_within, relevant_within
from pres_eval.measures.parameters import Coefficients
from pres_eval.options import RelevanceInfo


def runid(batch: Batch) -> FloatArray:
    """Tag of the run, from the last line of the run file.

    Printed in the summary only; it is not a number and takes no part in comparisons.
    Source: trec_eval.
    """
    return np.zeros(len(batch))


def num_q(batch: Batch) -> FloatArray:
    """Number of topics that the means are taken over.

    These are the topics that are in both the run and the qrels; with -c all topics of the qrels.
    Printed in the summary only.
    Source: trec_eval.  ir_measures' NumQ is the same.
    """
    return np.ones(len(batch))


def num_ret(batch: Batch) -> IntArray:
    """Number of documents retrieved.

    Counted after -M has cut the ranking and -J has taken out what is not judged.  The summary is the sum over
    the topics, not their mean.
    Source: trec_eval.  ir_measures' NumRet.
    """
    return batch.num_ret


def num_rel(batch: Batch) -> IntArray:
    """Number of relevant documents in the qrels.

    Relevant is what was judged with at least the grade of -l.  The summary is the sum over the topics; with
    -c it is the number of judgements above 0 in the whole qrels file, whatever -l is (as in trec_eval).
    Source: trec_eval.  ir_measures' NumRel.
    """
    return batch.num_rel


def num_rel_ret(batch: Batch) -> Numbers:
    """Number of relevant documents retrieved.

    Counted after -M has cut the ranking.  The summary is the sum over the topics, not their mean.
    Source: trec_eval.  ir_measures' NumRet(rel=1).
    """
    return relevant_within(batch)


def num_nonrel_judged_ret(batch: Batch) -> Numbers:
    """Number of documents retrieved that were judged and are not relevant.

    Documents with a negative relevance in the qrels are in the pool but not judged, and are not counted.  The
    summary is the sum over the topics, not their mean.
    Source: trec_eval.
    """
    return documents_within(batch, batch.is_nonrel)


def relstring(batch: Batch, lengths: tuple[float, ...]) -> list[str]:
    """Grades of the first documents of the ranking (ten of them), one character each.

    Characters:  0 to 9  the grade          >  a grade above 9
                 -       not in the qrels   .  in the pool but not judged (negative in the qrels)
    Parameter: how many documents, as in -m relstring.20.  Printed for topics only (-q), never in the summary.
    Source: trec_eval.
    """
    # trec_eval: only the first number of the parameter counts.
    length = int(min(max(lengths[0], 0), batch.num_ret.max(initial=0)))
    num_shown = np.minimum(batch.num_ret, length)
    # One line for each topic in a buffer of all strings, which takes less room than equally long rows.
    begins = np.concatenate(([0], np.cumsum(num_shown + 1)))
    lines = np.full(begins[-1], ord("-"), np.uint8)
    lines[begins[1:] - 1] = ord("\n")
    shown = batch.rank <= length
    grade = batch.grade[shown]
    digit = ord("0") + np.clip(grade, 0, 9)
    character = np.where(grade > 9, ord(">"), digit)
    character[grade == UNJUDGED] = ord(".")
    index_in_lines = begins[batch.topic_of[shown]] + batch.rank[shown] - 1
    lines[index_in_lines] = character
    return lines.tobytes().decode("ascii").split("\n")[:-1]


def plain_num_q(topic: RankedTopic) -> float:
    """Return num_q of one topic."""
    return 1.0


def plain_num_ret(topic: RankedTopic) -> float:
    """Return num_ret of one topic."""
    return float(topic.num_ret)


def plain_num_rel(topic: RankedTopic) -> float:
    """Return num_rel of one topic."""
    return float(topic.judged.num_rel)


def plain_num_rel_ret(topic: RankedTopic) -> float:
    """Return num_rel_ret of one topic."""
    return float(len(topic.relevant))


def plain_num_nonrel_judged_ret(topic: RankedTopic) -> float:
    """Return num_nonrel_judged_ret of one topic."""
    level = topic.judged.relevance_level
    return float(len([grade for grade in topic.grades if 0 <= grade < level]))


_OF_JUDGED = frozenset({Trait.SET, Trait.IGNORES_UNJUDGED, Trait.IGNORES_TAIL})
_OF_RETRIEVED = _OF_JUDGED | {Trait.RISES, Trait.OWN_EXPECTED}
_of_run = partial(
    Measure,
    per_topic=False,
    relevance=RelevanceInfo.ANY,
    uses_level=False,
    tells_quality=False,
    traits=frozenset({Trait.BOUNDED}) | _OF_JUDGED,
)
_count = partial(Measure, format=Format.COUNT)

# `base.Measure` explains the fields, `base.Trait` the traits.
MEASURES: tuple[Measure, ...] = (
    _of_run("runid", runid, summary=total, format=Format.TAG),
    _of_run("num_q", num_q, summary=number_of_topics, format=Format.COUNT, plain=plain_num_q),
    _count(
        "num_ret",
        num_ret,
        summary=total,
        when_missing=WhenMissing.ZERO,
        uses_level=False,
        tells_quality=False,
        traits=frozenset({Trait.SET}),
        plain=plain_num_ret,
    ),
    _count(
        "num_rel",
        num_rel,
        summary=number_of_relevant,
        tells_quality=False,
        traits=_OF_JUDGED | {Trait.RISES},
        plain=plain_num_rel,
    ),
    _count(
        "num_rel_ret",
        num_rel_ret,
        summary=total,
        traits=_OF_RETRIEVED,
        plain=plain_num_rel_ret,
    ),
    _count(
        "num_nonrel_judged_ret",
        num_nonrel_judged_ret,
        summary=total,
        tells_quality=False,
        traits=_OF_RETRIEVED,
        plain=plain_num_nonrel_judged_ret,
    ),
    Measure(
        "relstring",
        relstring,
        Coefficients((10.0,), example="20"),
        summary=None,
        format=Format.TEXT,
        # trec_eval: 10.0 empties the string only where it is called plainly relstring.
        when_missing=WhenMissing.ZERO_WITHOUT_PARAMETERS,
        uses_level=False,
        tells_quality=False,
        whole_grades=True,
        traits=frozenset({Trait.GRADED}),
    ),
)
