"""The sampled batch: the documents that a sample was drawn from, by stratum, and where a run has them."""

from __future__ import annotations

from dataclasses import dataclass, replace
from functools import cached_property

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, IntArray, divide
from pres_eval.batches.from_groups import JudgementsOfTopics, scored_groups
from pres_eval.batches.topics import rows_of
from pres_eval.options import Options
from pres_eval.ranking.ranked import Ranked
from pres_eval.reading.judgements.judged_groups import Sample


@dataclass(frozen=True, eq=False)
class SampledBatch(JudgementsOfTopics):
    """T topics with S strata in all, and R documents in all strata, of which some were drawn and judged.

    A stratum is a group of `JudgementsOfTopics`: its fields say where topics and strata begin.

    grade            (R,) below 0 where the document was not drawn
    rank             (R,) in the run, after -M; 0 if it was not retrieved
    times            (R,) how often the document was drawn: once or never, but for a resampled batch
    probability      (R,) of being drawn; None: that of all documents of a stratum is drawn / documents
    max_retrieved    the last rank that counts (-M), None for the whole ranking
    relevance_level  least grade of a relevant document (-l)
    """

    grade: IntArray
    rank: IntArray
    times: FloatArray
    probability: FloatArray | None
    max_retrieved: int | None = None
    relevance_level: float = 1

    @cached_property
    def num_documents(self) -> IntArray:
        """(S,) documents of each stratum."""
        return np.diff(self.row_offsets)

    @cached_property
    def topic_of(self) -> IntArray:
        """(R,) index of each document's topic."""
        return self.topic_of_group[self.group_of]

    @cached_property
    def is_rel(self) -> BoolArray:
        """(R,) whether the document was drawn and is relevant."""
        return (self.grade >= 0) & (self.grade >= self.relevance_level)

    @cached_property
    def relevant_rows(self) -> IntArray:
        """(Q,) which of the documents were drawn and are relevant."""
        return np.flatnonzero(self.is_rel)

    @cached_property
    def relevant(self) -> FloatArray:
        """(S,) how many relevant documents of each stratum were drawn."""
        return self.by_stratum(self.times[self.relevant_rows], self.relevant_rows)

    @cached_property
    def drawn(self) -> FloatArray:
        """(S,) how many documents of each stratum were drawn."""
        return self.by_stratum(self.times)

    @cached_property
    def worth(self) -> FloatArray:
        """(R,) how many documents each one represents, 0 where it was not drawn.

        It is 1 over the probability of being drawn: of documents of a stratum N_s / n_s.
        """
        if self.probability is not None:
            return divide(self.times, self.probability)
        worth_in_stratum = divide(self.num_documents, self.drawn)
        return self.times * worth_in_stratum[self.group_of]

    @cached_property
    def retrieved(self) -> IntArray:
        """(D,) which of the R documents were retrieved, by topic and rank."""
        rows = np.flatnonzero(self.rank > 0)
        by_rank = np.lexsort((self.rank[rows], self.topic_of[rows]))
        return rows[by_rank]

    @cached_property
    def begins(self) -> IntArray:
        """(D,) where, in `retrieved`, the topic of each document retrieved begins."""
        topic_of = self.topic_of[self.retrieved]
        return np.searchsorted(topic_of, topic_of)

    def before(self, values: FloatArray) -> FloatArray:
        """Return for each document (D,) the sum of the values (D,) of its topic's earlier documents."""
        running = np.concatenate(([0.0], np.cumsum(values)))
        return running[:-1] - running[self.begins]

    def by_stratum(self, values: FloatArray, rows: IntArray | slice = slice(None)) -> FloatArray:
        """Return (S,) the sums of documents' values (R,), or of those in `rows` (n,), one after the other."""
        sums = np.bincount(self.group_of[rows], values, len(self.row_offsets) - 1)
        return sums.astype(np.float64, copy=False)

    def over_strata(self, values: FloatArray) -> FloatArray:
        """Add up values of strata in their order: (S,) in, (T,) out."""
        return np.bincount(self.topic_of_group, values, len(self)).astype(np.float64, copy=False)

    def with_grade(self, relevance_level: float) -> SampledBatch:
        """Return the same batch seen at another relevance level."""
        return replace(self, relevance_level=relevance_level)

    def drawn_anew(self, times: FloatArray) -> SampledBatch:
        """Return the same documents drawn other numbers of times (R,)."""
        resampled = replace(self, times=times)
        for name in _SAME_FOR_ALL_DRAWS:
            vars(resampled)[name] = getattr(self, name)  # computed once, as cached_property would
        return resampled


_SAME_FOR_ALL_DRAWS = (
    "num_documents",
    "group_of",
    "topic_of_group",
    "topic_of",
    "is_rel",
    "relevant_rows",
    "retrieved",
    "begins",
)
"""Facts about a batch that do not depend on the draw, so that a thousand samples compute them once.

The others depend on `times`: relevant, drawn, worth.
"""


def form_sampled_batch(
    sample: Sample, ranking: Ranked, options: Options, topics: IntArray, run_rows: IntArray
) -> SampledBatch:
    """Join a sample with a ranking, after -M.

    topics    (T,) indices of the topics in the sample's pool
    run_rows  (T,) where each topic is in the ranking, -1 for topics that it lacks
    """
    scored = scored_groups(sample, ranking, options, topics, run_rows)
    grade = sample.grade[scored.row]
    return SampledBatch(
        topics=scored.topics,
        missing=scored.missing,
        offsets=scored.offsets,
        row_offsets=scored.row_offsets,
        grade=grade,
        rank=scored.rank[sample.document[scored.row]],
        times=(grade >= 0).astype(np.float64),
        probability=rows_of(sample.probability, scored.row),
        max_retrieved=options.max_retrieved,
        relevance_level=options.relevance_level,
    )
