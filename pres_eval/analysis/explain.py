"""Relevant documents and their ranks: in several runs; one topic in full; the curves of papers' figures."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from itertools import pairwise

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, lengths_at, rows_or_slice
from pres_eval.batches.forming import counted_documents
from pres_eval.options import Options
from pres_eval.ranking.ranked import Ranked
from pres_eval.reading.judgements.relevance import QrelsJudgements


@dataclass(frozen=True, eq=False)
class RelevantRanks:
    """The D relevant documents of T topics, and the ranks at which R runs have them.

    offsets  (T+1,) where each topic's documents begin
    docnos   D ids, in byte order within a topic
    grades   (D,) relevance in the qrels
    ranks    (R, D) ranks after -M and -J, 0 where a run does not have the document
    """

    offsets: IntArray
    docnos: tuple[bytes, ...]
    grades: IntArray
    ranks: IntArray


def relevant_ranks(
    qrels: QrelsJudgements, rankings: Sequence[Ranked], options: Options, topics: Sequence[bytes]
) -> RelevantRanks:
    """Return the relevant documents of topics, with their ranks in every run.

    topics  ids of topics that are all in the qrels
    """
    pool = qrels.pool
    index_of_topic = {topic: index for index, topic in enumerate(pool.topics)}
    order = pool.byte_order()
    relevant = qrels.grade[order] >= options.relevance_level
    relevant_before_document = np.concatenate(([0], np.cumsum(relevant)))
    # Where each topic of the pool begins among all relevant documents.
    starts = relevant_before_document[pool.offsets]
    indices = np.array([index_of_topic[topic] for topic in topics], np.int64)
    rows, offsets = rows_or_slice(starts[indices], lengths_at(starts, indices))
    documents = order[np.flatnonzero(relevant)[rows]]
    # (R, D), 0 where a run does not have the document.
    ranks = np.zeros((len(rankings), len(documents)), np.int64)
    for run, ranking in enumerate(rankings):
        retrieved = counted_documents(qrels, ranking, options)
        # Each judged document is retrieved once at most: the sum of its ranks is its rank, or 0.
        rank_of_document = np.bincount(retrieved.document, retrieved.rank, len(pool.documents))
        ranks[run] = rank_of_document[documents]
    return RelevantRanks(
        offsets=np.asarray(offsets),
        docnos=tuple(pool.documents.take(documents)),
        grades=qrels.grade[documents].astype(np.int64),
        ranks=ranks,
    )


@dataclass(frozen=True)
class Relevant:
    """One relevant document of a topic.

    position  its place, from 1, in the order in which the topic's relevant documents count: i of the formulas
    docno    its id
    grade    its relevance in the qrels
    rank     its rank in the run, from 1; None if the run does not have it
    nmax     the rank at which the reader stops
    """

    position: int
    docno: bytes
    grade: int
    rank: int | None
    nmax: int

    @property
    def is_found(self) -> bool:
        """Whether the run has it by rank Nmax."""
        return self.rank is not None and self.rank <= self.nmax

    @property
    def counted(self) -> int:
        """r_i, the rank with which it counts: its own if at most Nmax, else Nmax + i, the worst case."""
        if self.rank is None or self.rank > self.nmax:
            return self.nmax + self.position
        return self.rank

    @property
    def lost(self) -> int:
        """r_i - i, the ranks by which it comes later than in the best case: its share of A1."""
        return self.counted - self.position


@dataclass(frozen=True)
class Explanation:
    """A topic's relevant documents in the order in which they count, and PRES at Nmax computed from them.

    num_ret  documents that the run retrieved for the topic, relevant or not
    """

    topic: bytes
    nmax: int
    num_ret: int
    documents: tuple[Relevant, ...]

    @property
    def ranks(self) -> list[int]:
        """Ranks of the relevant documents retrieved, ascending."""
        return [document.rank for document in self.documents if document.rank is not None]

    @property
    def num_found(self) -> int:
        """How many relevant documents the run has by rank Nmax."""
        return sum(document.is_found for document in self.documents)

    @property
    def sum_of_ranks(self) -> int:
        """Σ r_i."""
        return sum(document.counted for document in self.documents)

    @property
    def area_lost(self) -> int:
        """A1: the area between the best case (ranks 1 ... n) and the run."""
        return sum(document.lost for document in self.documents)

    @property
    def area_kept(self) -> int:
        """A2: the area between the run and the worst case (ranks Nmax+1 ... Nmax+n)."""
        return len(self.documents) * self.nmax - self.area_lost

    @property
    def score(self) -> float:
        """A2 / (A1 + A2), which is PRES; 0 without relevant documents."""
        if not self.documents:
            return 0.0
        return self.area_kept / (len(self.documents) * self.nmax)


def explain_topic(
    topic: bytes, nmax: int, num_ret: int, *, docnos: Sequence[bytes], grades: IntArray, ranks: IntArray
) -> Explanation:
    """Return the explanation of a topic by its n relevant documents, their grades (n,) and ranks (n,).

    A rank of 0: the run has not retrieved the document.

    With k of them found by rank Nmax, the others count with the ranks Nmax + k + 1, ..., Nmax + n: those the
    run has further down come first, by rank, then the rest by id.
    Source: Magdy & Jones, SIGIR 2010, doi:10.1145/1835449.1835551, figures 1 and 3.
    """
    behind_all_ranks = np.iinfo(np.int64).max
    order = sorted(range(len(docnos)), key=lambda i: (int(ranks[i]) or behind_all_ranks, docnos[i]))
    documents = []
    for number, index in enumerate(order, 1):
        documents.append(
            Relevant(
                position=number,
                docno=docnos[index],
                grade=int(grades[index]),
                rank=int(ranks[index]) or None,
                nmax=nmax,
            )
        )
    return Explanation(topic, nmax, num_ret, tuple(documents))


def explain_topics(
    qrels: QrelsJudgements, ranking: Ranked, options: Options, nmax: int, topic_indices: Sequence[int]
) -> Iterator[Explanation]:
    """Yield the explanations of topics, given as indices of the pool's topics; the run may lack them.

    -l, -M and -J of the options count as they do for the measures.
    """
    topics = [qrels.pool.topics[index] for index in topic_indices]
    relevant = relevant_ranks(qrels, [ranking], options, topics)
    num_ret = counted_documents(qrels, ranking, options).num_ret
    num_ret_of_topic = dict(zip(ranking.topic.tolist(), num_ret.tolist(), strict=True))
    stretches = pairwise(relevant.offsets.tolist())
    for index, topic, (start, stop) in zip(topic_indices, topics, stretches, strict=True):
        yield explain_topic(
            topic,
            nmax,
            num_ret_of_topic.get(index, 0),
            docnos=relevant.docnos[start:stop],
            grades=relevant.grades[start:stop],
            ranks=relevant.ranks[0, start:stop],
        )


def cumulated(ranks: Sequence[int], last: int) -> tuple[list[int], list[int]]:
    """Return the corners of the curve of relevant documents by rank, from 0 to `last`: ranks (x), counts (y).

    ranks  of the relevant documents, ascending, none above `last`
    Worked example: relevant documents at ranks 2 and 3 of 5 make x = 0, 2, 2, 3, 3, 5, y = 0, 0, 1, 1, 2, 2.
    """
    steps, counts = [0], [0]
    for count, rank in enumerate(ranks):
        # A step has two ends: the count before the rank, and the one after it.
        steps += [rank, rank]
        counts += [count, count + 1]
    steps.append(last)
    counts.append(len(ranks))
    return steps, counts


def text_plot(explanation: Explanation, width: int = 60, height: int = 12) -> list[str]:
    """Return the areas as lines of text: a row for each relevant document, the last on top, then the scale.

    width   of the scale, in characters
    height  most rows of documents; of more documents some are shown, the last among them

    Ranks run from 1 at the left to Nmax + n.  `.` is area lost (A1), from a document's rank in the best case
    to its rank in the run; `#` is area kept (A2), from there to its rank in the worst case.
    """
    documents, nmax = explanation.documents, explanation.nmax
    count = len(documents)
    if not count:
        return []
    rows = min(count, height)
    shown = [documents[round((row + 1) * count / rows) - 1] for row in range(rows)]
    margin = len(str(count))
    lines = []
    for document in reversed(shown):
        best, worst = document.position, nmax + document.position
        bar = _bar(best, document.counted, worst, nmax + count, width)
        lines.append(f"{document.position:{margin}} |{bar}".rstrip())
    lines.append(f"{' ' * margin} +{'-' * width}")
    last_rank = str(nmax + count)
    lines.append(f"{' ' * margin}  1{'rank':^{width - 1 - len(last_rank)}}{last_rank}")
    return lines


def _bar(best: int, run: int, worst: int, last: int, width: int) -> str:
    """Return `.` for ranks best..run-1 (lost) and `#` for run..worst-1 (kept), at least one unless empty.

    last, width  the last rank of the scale, and its width in characters, which the bar fits into
    Worked example: `_bar(1, 3, 9, 10, 10)` is "..######".
    """
    lost_from = round((best - 1) * width / last)
    kept_from = round((run - 1) * width / last)
    end = round((worst - 1) * width / last)
    if run > best and kept_from == lost_from:
        kept_from += 1
    num_lost, num_kept = kept_from - lost_from, max(end - kept_from, 0)
    if worst > run:
        num_kept = max(num_kept, 1)
    # What goes beyond the scale is taken from the lost ranks, and then from the blanks before them.
    num_lost = min(num_lost, max(width - lost_from - num_kept, 1))
    num_blanks = min(lost_from, width - num_lost - num_kept)
    return " " * num_blanks + "." * num_lost + "#" * num_kept


@dataclass(frozen=True, eq=False)
class PrecisionRecall:
    """Precision against recall of one topic, of whose relevant documents n were found.

    recall, precision  (2 n,) the saw-tooth: at each relevant document, and just before the next
    levels             (n,) recall at each of these documents
    interpolated       (n,) the highest precision at this recall or beyond
    break_even         precision where it equals recall: at rank R, if R documents are relevant
    """

    recall: FloatArray
    precision: FloatArray
    levels: FloatArray
    interpolated: FloatArray
    break_even: float


def precision_recall(ranks: Sequence[int], relevant: int, retrieved: int) -> PrecisionRecall:
    """Return the curve of a topic.

    ranks      of the relevant documents that were retrieved
    relevant   number of relevant documents
    retrieved  number of documents retrieved, relevant or not

    Precision falls from one relevant document to the next, and after the last of them to the end of the
    ranking.
    Source: Manning, Raghavan & Schütze, Introduction to Information Retrieval, 2008, 8.4.
    """
    ordered = np.array(sorted(ranks), np.int64)
    numbers = np.arange(1, len(ordered) + 1)
    # The rank before the next relevant document; for the last one that of the end.
    before_next = np.append(ordered, retrieved + 1)[1:] - 1
    peaks = numbers / ordered
    troughs = numbers / before_next
    levels = numbers / max(relevant, 1)
    break_even = int(np.count_nonzero(ordered <= relevant)) / max(relevant, 1)
    return PrecisionRecall(
        recall=np.repeat(levels, 2),
        precision=np.column_stack((peaks, troughs)).ravel(),
        levels=levels,
        interpolated=np.maximum.accumulate(peaks[::-1])[::-1],
        break_even=break_even,
    )


@dataclass(frozen=True, eq=False)
class Roc:
    """Recall (n,) against fallout (n,), from (0, 0) to (1, 1), and the area under it.

    If the collection lacks relevant or nonrelevant documents: (0, 0) alone, and an area of nan.
    """

    fallout: FloatArray
    recall: FloatArray
    area: float


def roc(ranks: Sequence[int], relevant: int, retrieved: int, collection: int) -> Roc:
    """Return the ROC curve of a topic.

    ranks       of the relevant documents that were retrieved
    relevant    number of relevant documents
    retrieved   number of documents retrieved, relevant or not
    collection  number of documents in the collection

    Documents that were not retrieved follow in an unknown order: a straight line to (1, 1).  The area (AUC)
    is the chance that a relevant document comes before a nonrelevant one.
    Source: Robertson, Journal of Documentation 1969, doi:10.1108/eb026466.
    """
    nonrelevant = collection - relevant
    if not relevant or nonrelevant <= 0:
        return Roc(np.zeros(1), np.zeros(1), float("nan"))
    ordered = np.array(sorted(ranks), np.int64)
    numbers = np.arange(1, len(ordered) + 1)
    recall = np.column_stack((numbers - 1, numbers)).ravel() / relevant
    fallout = np.repeat((ordered - numbers) / nonrelevant, 2)
    last_fallout = (retrieved - len(ordered)) / nonrelevant
    last_recall = len(ordered) / relevant
    fallout = np.concatenate(([0.0], fallout, [last_fallout, 1.0]))
    recall = np.concatenate(([0.0], recall, [last_recall, 1.0]))
    trapezoids = np.diff(fallout) * (recall[1:] + recall[:-1]) / 2
    return Roc(fallout, recall, float(trapezoids.sum()))


def normalised_recall(ranks: Sequence[int], relevant: int, collection: FloatArray) -> FloatArray:
    """Return Rnorm of one topic for each of several sizes of the collection (figure 2 of Magdy & Jones).

    ranks       of the relevant documents that were retrieved
    relevant    number of relevant documents
    collection  (K,) sizes, each above the number of relevant documents

    Formula:  1 - (Σ r_i - n (n + 1) / 2) / (n (N - n)), n relevant documents with the ranks r_i among N of
      the collection; those that the run lacks count with the last ranks, N, N - 1, ...
    Source: Magdy & Jones, SIGIR 2010, doi:10.1145/1835449.1835551, equation 2.
    """
    n = relevant
    if not n:
        return np.zeros(len(collection))
    missing = n - len(ranks)
    missing_ranks = missing * collection - missing * (missing - 1) / 2
    sum_of_ranks = float(sum(ranks)) + missing_ranks
    least_sum = n * (n + 1) / 2
    return np.asarray(1 - (sum_of_ranks - least_sum) / (n * (collection - n)), np.float64)


def pres_of_average_rank(average: FloatArray, recall: float, relevant: int, nmax: int) -> FloatArray:
    """Return PRES (K,) of a topic whose found documents have this average rank (figure 4a of Magdy & Jones).

    average   (K,) average ranks, a
    recall    R, the share of the n relevant documents that were found
    relevant  n

    Formula:  1 - (R a + (1 - R) (Nmax + (R n + 1 + n) / 2) - (n + 1) / 2) / Nmax: the missing ones count with
      the ranks Nmax + R n + 1 ... Nmax + n
    """
    n = relevant
    average_missing = nmax + (recall * n + 1 + n) / 2
    average_of_all = recall * average + (1 - recall) * average_missing
    return np.asarray(1 - (average_of_all - (n + 1) / 2) / nmax, np.float64)


def pres_of_one(rank: IntArray, nmax: int) -> FloatArray:
    """Return PRES (K,) if one document is relevant, at these ranks (K,) (figure 4b of Magdy & Jones).

    It is 1 - (rank - 1) / Nmax by rank Nmax, and 0 beyond.
    """
    return np.where(rank <= nmax, 1 - (rank - 1) / nmax, 0.0)
