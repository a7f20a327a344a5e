"""Expected values of measures when documents of equal scores may come in any order, all of them as likely.

A tie of m documents at the ranks f, ..., f + m - 1 puts each of them at each of these ranks with probability
1/m, and two of them at two of these with 1/(m (m - 1)).  So what is added up over ranks, over pairs of ranks,
or over the first relevant document of a tie has an expected value in closed form.
Source: McSherry & Najork, "Computing information retrieval performance measures efficiently in the presence
of tied scores", ECIR 2008, doi:10.1007/978-3-540-78646-7_38.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from pres_eval.arrays.exact import accumulate, divide, elementwise, log2
from pres_eval.arrays.ragged import blocks, ragged
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.batches.batch import Batch, TieGroups
from pres_eval.errors import MeasureError
from pres_eval.measures.base import Format, Measure, Trait
from pres_eval.measures.cumulated_gain import exponential_gains
from pres_eval.measures.gain import GradeGains, Pairs, document_gains, grade_gains
from pres_eval.measures.ndcg import best_dcg, best_dcg_cut, best_relative_dcg, relative_gains
from pres_eval.measures.precision import f_measure
from pres_eval.measures.pres import collection_size
from pres_eval.measures.rbp import Powers, gains_to_one, persistence_of
from pres_eval.measures.readers import DEPTH, scaled_gains
from pres_eval.measures.screening import documents_to_read
from pres_eval.options import LARGEST_LONG, V10, Version
from pres_eval.records import dataclass

Expected = Callable[..., FloatArray | IntArray | list[str]]
"""batch, *arguments of the measure -> (T,) expected values."""

AtRank = Callable[[FloatArray, IntArray], FloatArray]
"""What gains (N,) are worth at ranks (N,)."""


def has_expected_value(measure: Measure) -> bool:
    """Whether there is a closed form, or the order makes no difference."""
    return measure.name in EXPECTED or Trait.SET in measure.traits or measure.format is Format.TAG


def expected_of(measure: Measure) -> Expected:
    """The function that computes a measure's expected values.

    Raises MeasureError for a measure that has no closed form.
    """
    if has_expected_value(measure):
        return EXPECTED.get(measure.name, measure.score)
    raise MeasureError(
        f"{measure.name}: has no expected value in closed form when scores tie (--ties expected),"
        " expected another measure, or --ties best and --ties worst"
    )


def _groups(batch: Batch) -> TieGroups:
    assert batch.ties is not None
    return batch.ties


def _share(batch: Batch, cutoff: int | IntArray) -> FloatArray:
    """(D,) the probability that each document is among the first ranks: one cutoff for all, or (T,)."""
    ties = _groups(batch)
    last = cutoff if isinstance(cutoff, int) else cutoff[batch.topic_of]
    share: FloatArray = np.clip(last - ties.first + 1, 0, ties.size) / ties.size
    return share


def _found(batch: Batch, cutoff: int | IntArray) -> FloatArray:
    """(T,) expected number of relevant documents among the first ranks."""
    return batch.sum_by_topic(_share(batch, cutoff), batch.is_rel)


def _gained(batch: Batch, gains: FloatArray, at_rank: AtRank, cutoff: int = LARGEST_LONG) -> FloatArray:
    """(T,) what the gains (D,) of the documents are worth, on average over the ranks they may have."""
    ties = _groups(batch)
    worth = np.zeros(len(batch.rank))
    alone = np.flatnonzero((gains != 0) & (ties.size == 1) & (batch.rank <= cutoff))
    worth[alone] = at_rank(gains[alone], batch.rank[alone])
    tied = np.flatnonzero((gains != 0) & (ties.size > 1) & (ties.first <= cutoff))
    for places in _ranks_of(batch, tied, cutoff):
        mean = places.average(at_rank(np.ones(len(places.rank)), places.rank))
        worth[places.documents] = gains[places.documents] * mean[places.of_document]
    return batch.sum_by_topic(worth)


@dataclass(frozen=True, eq=False)
class _Places:
    """The ranks of some ties, and the documents in them.

    rank, number            (N,) every rank of every tie, and the number of its tie
    size                    (E,) documents in each tie
    documents, of_document  (K,) those of the batch that are in them, and which tie each is in
    """

    rank: IntArray
    number: IntArray
    size: IntArray
    documents: IntArray
    of_document: IntArray

    def each(self, values: IntArray) -> IntArray:
        """(E,) what is the same for all documents of a tie, from values (D,) of all documents."""
        found = np.zeros(len(self.size), values.dtype)
        found[self.of_document] = values[self.documents]
        return found

    def average(self, values: FloatArray) -> FloatArray:
        """(E,) the mean of values (N,) over the ranks of a tie; those behind the cutoff count as 0."""
        sums = np.bincount(self.number, weights=values, minlength=len(self.size))
        return np.asarray(sums / self.size, np.float64)


def _ranks_of(batch: Batch, documents: IntArray, cutoff: int) -> Iterator[_Places]:
    """The ties of some tied documents, a block of ranks at a time."""
    ties = _groups(batch)
    first, topic_of = ties.first[documents], batch.topic_of[documents]
    heads = np.flatnonzero((np.diff(first, prepend=-1) != 0) | (np.diff(topic_of, prepend=-1) != 0))
    tie_of = np.cumsum(np.bincount(heads, minlength=len(documents))) - 1 if len(documents) else heads
    begin, size = first[heads], ties.size[documents[heads]]
    length = np.minimum(size, cutoff - begin + 1)
    for start, stop in blocks(np.concatenate(([0], np.cumsum(length)))):
        rank, offsets = ragged(begin[start:stop], length[start:stop])
        inside = slice(*np.searchsorted(tie_of, (start, stop)).tolist())
        yield _Places(
            rank=rank,
            number=np.repeat(np.arange(stop - start), np.diff(offsets)),
            size=size[start:stop],
            documents=documents[inside],
            of_document=tie_of[inside] - start,
        )


def _relevant_in_tie(batch: Batch) -> tuple[IntArray, IntArray]:
    """(D,) relevant documents in each document's tie, and in all ties before it."""
    ties = _groups(batch)
    key = batch.topic_of * (int(batch.num_ret.max(initial=0)) + 2) + ties.first
    running = np.concatenate(([0], np.cumsum(batch.is_rel)))
    low, high = np.searchsorted(key, key, "left"), np.searchsorted(key, key, "right")
    inside: IntArray = running[high] - running[low]
    before: IntArray = running[low] - running[batch.offsets[:-1]][batch.topic_of]
    return inside, before


def _sum_of_precisions(batch: Batch, cutoff: int = LARGEST_LONG) -> FloatArray:
    """(T,) expected sum of the precisions at the relevant documents.

    At a rank of a tie with R relevant documents a document is relevant with probability R/m, and then those
    at the ranks of the tie before it are with (R - 1)/(m - 1).
    """
    ties = _groups(batch)
    inside, before = _relevant_in_tie(batch)
    mean = np.zeros(len(batch.rank))
    alone = np.flatnonzero(batch.is_rel & (ties.size == 1) & (batch.rank <= cutoff))
    mean[alone] = (before[alone] + 1) / batch.rank[alone]
    tied = np.flatnonzero(batch.is_rel & (ties.size > 1) & (ties.first <= cutoff))
    for places in _ranks_of(batch, tied, cutoff):
        others = ((places.each(inside) - 1) / (places.size - 1))[places.number]
        ahead = places.rank - places.each(ties.first)[places.number]
        precision = places.each(before)[places.number] + 1 + ahead * others
        mean[places.documents] = places.average(precision / places.rank)[places.of_document]
    return batch.sum_by_topic(mean, batch.is_rel)


def _average_precision(batch: Batch, cutoff: int = LARGEST_LONG) -> FloatArray:
    return divide(_sum_of_precisions(batch, cutoff), batch.num_rel)


def _reciprocal_rank(batch: Batch, cutoff: int = LARGEST_LONG) -> FloatArray:
    """(T,) Σ P(first relevant document at r) / r.

    Of R relevant documents in a tie of m the first is at the i-th rank of it with probability
    R/(m - i + 1) Π (1 - R/(m - j + 1)) over j = 1 … i - 1.
    """
    ties = _groups(batch)
    inside, before = _relevant_in_tie(batch)
    score = np.zeros(len(batch))
    leading = np.flatnonzero(batch.is_rel & (before == 0) & (ties.first <= cutoff))
    for places in _ranks_of(batch, leading, cutoff):
        left = places.size[places.number] - (places.rank - places.each(ties.first)[places.number])
        here = np.minimum(places.each(inside)[places.number] / left, 1.0)
        offsets = np.searchsorted(places.number, np.arange(len(places.size) + 1))
        none_before = np.ones(len(here))
        none_before[1:] = accumulate(np.multiply, 1.0 - here, offsets)[:-1]
        none_before[offsets[:-1]] = 1.0
        found = np.bincount(places.number, weights=none_before * here / places.rank)
        score[places.each(batch.topic_of)] += found
    return score


def _success(batch: Batch, cutoff: int) -> FloatArray:
    """(T,) probability of a relevant document down to the cutoff; hypergeometric in the tie that it cuts."""
    ties = _groups(batch)
    inside, before = _relevant_in_tie(batch)
    whole = batch.is_rel & (ties.first + ties.size - 1 <= cutoff)
    score = (batch.count_by_topic(whole) > 0).astype(float)
    cut = np.flatnonzero(
        batch.is_rel & (before == 0) & (ties.first <= cutoff) & (ties.first + ties.size - 1 > cutoff)
    )
    _, heads = np.unique(batch.topic_of[cut], return_index=True)
    for row in cut[heads].tolist():
        seen, size, relevant = cutoff - int(ties.first[row]) + 1, int(ties.size[row]), int(inside[row])
        left = size - np.arange(seen)
        none = np.multiply.accumulate(np.maximum(left - relevant, 0) / left)[-1]
        score[batch.topic_of[row]] = 1.0 - none
    return score


def _pairs_found(batch: Batch, cutoff: int) -> tuple[FloatArray, FloatArray]:
    """(T,) expected number k of relevant documents down to the cutoff, and of k (k + 1)."""
    ties = _groups(batch)
    inside, before = _relevant_in_tie(batch)
    whole = batch.is_rel & (ties.first + ties.size - 1 <= cutoff)
    known = batch.count_by_topic(whole).astype(float)
    found, square = known.copy(), known * (known + 1)
    cut = np.flatnonzero(batch.is_rel & (ties.first <= cutoff) & (ties.first + ties.size - 1 > cutoff))
    topic, heads = np.unique(batch.topic_of[cut], return_index=True)
    row = cut[heads]
    seen, size = (cutoff - ties.first[row] + 1).astype(float), ties.size[row].astype(float)
    relevant, known = inside[row].astype(float), before[row].astype(float)
    mean = seen * relevant / size
    # The factorial moment of the hypergeometric distribution; a tie that is cut has two documents at least.
    twice = seen * (seen - 1) * relevant * (relevant - 1) / (size * (size - 1))
    found[topic] = known + mean
    square[topic] = known * (known + 1) + (2 * known + 2) * mean + twice
    return found, square


def _sum_of_ranks(batch: Batch, cutoff: int) -> FloatArray:
    return _gained(batch, batch.is_rel.astype(float), lambda gain, rank: gain * rank, cutoff)


def _pres(batch: Batch, nmax: int) -> FloatArray:
    found, square = _pairs_found(batch, nmax)
    n = batch.num_rel
    worst_case = (n - found) * float(nmax) + (n * (n + 1) - square) / 2
    score = 1.0 - (divide(_sum_of_ranks(batch, nmax) + worst_case, n) - (n + 1) / 2.0) / nmax
    score[(n == 0) | (found == 0)] = 0.0
    return score


def _pres_estimated(batch: Batch, nmax: int) -> FloatArray:
    highest_recall = np.minimum(divide(np.array(nmax), batch.num_rel), 1.0)
    return np.minimum(divide(_pres(batch, nmax), highest_recall), 1.0)


def _normalized_recall(batch: Batch, cutoff: int | None) -> FloatArray:
    size, last = collection_size(batch), LARGEST_LONG if cutoff is None else cutoff
    found, square = _pairs_found(batch, last)
    n = batch.num_rel
    rest = (size - n).astype(float)
    late = _sum_of_ranks(batch, last) - square / 2
    score = 1.0 - divide(late + (n - found) * rest, n * rest)
    score[n == 0] = 0.0
    return score


def _discounted(gain: FloatArray, rank: IntArray) -> FloatArray:
    return np.asarray(gain / log2(rank + 1), np.float64)


def _named_gains(pairs: Pairs, version: Version) -> GradeGains:
    """The gains that parameters name; those of documents that nobody judged are of no document here."""
    named = grade_gains(pairs, version)
    if any(grade == -1 for grade, _ in named):
        raise MeasureError("found a gain for unjudged documents (-1=…), expected none with --ties expected")
    return named


def _dcg(batch: Batch, pairs: Pairs) -> FloatArray:
    return _gained(batch, document_gains(batch, _named_gains(pairs, V10)), _discounted)


def _ndcg(batch: Batch, pairs: Pairs) -> FloatArray:
    named = _named_gains(pairs, batch.version)
    return divide(_gained(batch, document_gains(batch, named), _discounted), best_dcg(batch, named))


def _dcg_cut(batch: Batch, cutoff: int) -> FloatArray:
    return _gained(batch, document_gains(batch), _discounted, cutoff)


def _ndcg_cut(batch: Batch, cutoff: int) -> FloatArray:
    return divide(_dcg_cut(batch, cutoff), best_dcg_cut(batch, cutoff))


def _ndcg_gain_cut(batch: Batch, cutoff: int, gains: GradeGains) -> FloatArray:
    return _ndcg_cut(batch.with_gains(gains), cutoff)


def _ndcg_exp_cut(batch: Batch, cutoff: int) -> FloatArray:
    collected = _gained(batch, relative_gains(batch), _discounted, cutoff)
    return divide(collected, best_relative_dcg(batch, cutoff))


def _dcg_exp_cut(batch: Batch, cutoff: int) -> FloatArray:
    return _gained(batch, exponential_gains(batch), _discounted, cutoff)


def _scaled_dcg(batch: Batch, cutoff: int, min_rel: float, max_rel: float | None) -> FloatArray:
    depth = min(cutoff, DEPTH)
    collected = _gained(batch, scaled_gains(batch, min_rel, max_rel), _discounted, depth)
    return np.asarray(collected / np.add.accumulate(1.0 / log2(np.arange(2, depth + 2)))[-1], np.float64)


def _persistent(batch: Batch, gains: FloatArray, p: float) -> FloatArray:
    power = Powers(p, int(batch.num_ret.max(initial=0)))
    return (1.0 - p) * _gained(batch, gains, lambda gain, rank: gain * power[rank - 1])


def _rbp(batch: Batch, pairs: Pairs) -> FloatArray:
    return _persistent(batch, gains_to_one(batch, _named_gains(pairs, V10)), persistence_of(pairs))


def _rbp_binary(batch: Batch, pairs: Pairs) -> FloatArray:
    return _persistent(batch, batch.is_rel.astype(float), persistence_of(pairs))


def _first_persistent(batch: Batch, gains: FloatArray, cutoff: int, p: float) -> FloatArray:
    def worth(gain: FloatArray, rank: IntArray) -> FloatArray:
        return gain * elementwise(lambda at: p ** (at - 1.0), rank.astype(float))

    return (1.0 - p) * _gained(batch, gains, worth, cutoff)


def _rbp_cut(batch: Batch, cutoff: int, p: float) -> FloatArray:
    return _first_persistent(batch, batch.is_rel.astype(float), cutoff, p)


def _graded_rbp_cut(batch: Batch, cutoff: int, p: float) -> FloatArray:
    return _first_persistent(batch, scaled_gains(batch, 0.0, None), cutoff, p)


def _bpref(batch: Batch) -> FloatArray:
    """(T,) expected bpref: of a tie's documents judged not relevant, 0 or more come before a relevant one."""
    ties = _groups(batch)
    key = batch.topic_of * (int(batch.num_ret.max(initial=0)) + 2) + ties.first
    running = np.concatenate(([0], np.cumsum(batch.is_nonrel)))
    low, high = np.searchsorted(key, key, "left"), np.searchsorted(key, key, "right")
    before = running[low] - running[batch.offsets[:-1]][batch.topic_of]
    others = running[high] - running[low]
    n = batch.num_rel[batch.topic_of]
    # Σ min(before + x, n) for x = 0 … others: below n they rise by one, then they stay.
    rising = np.clip(n - before, 0, others + 1)
    sums = rising * before + rising * (rising - 1) // 2 + (others + 1 - rising) * n
    mean = sums / (others + 1)
    preferred = 1.0 - divide(mean, np.minimum(batch.num_nonrel[batch.topic_of], n))
    return divide(batch.sum_by_topic(preferred, batch.is_rel), batch.num_rel)


def _accuracy(batch: Batch, cutoff: int | None) -> FloatArray:
    """(T,) expected accuracy of the whole ranking: in a tie, half of its pairs are in the right order."""
    if cutoff is not None:
        raise MeasureError("accuracy at a cutoff has no expected value in closed form when scores tie")
    ties = _groups(batch)
    inside, before = _relevant_in_tie(batch)
    others_before = ties.first - 1 - before + (ties.size - inside) / 2
    found = batch.num_rel_ret
    pairs = (batch.num_ret - found) * found.astype(float)
    wrong = divide(batch.sum_by_topic(others_before, batch.is_rel), pairs)
    return np.where(found > 0, 1.0 - wrong, 0.0)


def _rank_of_relevant(batch: Batch, number: IntArray) -> FloatArray:
    """(T,) expected rank of the `number`-th relevant document, 0 if that was not retrieved.

    The j-th of R documents in a tie of m is expected at its rank j (m + 1) / (R + 1).
    """
    ties = _groups(batch)
    inside, before = _relevant_in_tie(batch)
    own = batch.is_rel & (before < number[batch.topic_of]) & (number[batch.topic_of] <= before + inside)
    topic, heads = np.unique(batch.topic_of[own], return_index=True)
    row = np.flatnonzero(own)[heads]
    rank = np.zeros(len(batch))
    place = (number[topic] - before[row]) * (ties.size[row] + 1) / (inside[row] + 1)
    rank[topic] = ties.first[row] - 1 + place
    return rank


def _work_saved(batch: Batch, percent: float) -> FloatArray:
    wanted = np.rint(batch.num_rel * (percent / 100.0)).astype(np.int64)
    rank, documents = _rank_of_relevant(batch, wanted), documents_to_read(batch)
    saved = divide(documents - rank, documents) - (100.0 - percent) / 100.0
    met = (rank > 0) | ((wanted == 0) & (batch.num_rel > 0))
    return np.where(met, saved, 0.0)


def _last_relevant(batch: Batch) -> FloatArray:
    return _rank_of_relevant(batch, batch.num_rel_ret)


def _normalized_last_relevant(batch: Batch) -> FloatArray:
    return divide(_last_relevant(batch), documents_to_read(batch))


def _recall_at_percent(batch: Batch, percent: float) -> FloatArray:
    rank = np.rint(documents_to_read(batch) * percent / 100.0).astype(np.int64)
    return divide(_found(batch, rank), batch.num_rel)


def _normalized_area(batch: Batch) -> FloatArray:
    documents, n = documents_to_read(batch), batch.num_rel.astype(float)
    area = batch.num_rel_ret * (documents + 0.5) - _sum_of_ranks(batch, LARGEST_LONG)
    return divide(area, n * documents - n * n / 2.0)


def _r_precision_at_multiples(batch: Batch, multiple: float) -> FloatArray:
    cutoff = np.maximum(np.trunc(multiple * batch.num_rel + 0.9), 0.0).astype(np.float64)
    return divide(_found(batch, np.minimum(cutoff, batch.num_ret).astype(np.int64)), cutoff)


def _f_cut(batch: Batch, beta: float, cutoff: int) -> FloatArray:
    """(1 + β²) P R / (β² P + R) is (1 + β²) rel(k) / (β² n + k): expected of rel(k), so is the measure."""
    found = _found(batch, cutoff)
    return f_measure(beta, divide(found, np.array(cutoff)), divide(found, batch.num_rel))


def _judged(batch: Batch, cutoff: int) -> FloatArray:
    return batch.sum_by_topic(_share(batch, cutoff), batch.grade >= 0)


EXPECTED: dict[str, Expected] = {
    "map": _average_precision,
    "map_cut": _average_precision,
    "Rprec": lambda batch: divide(_found(batch, batch.num_rel), batch.num_rel),
    "Rprec_mult": _r_precision_at_multiples,
    "bpref": _bpref,
    "recip_rank": _reciprocal_rank,
    "recip_rank_cut": _reciprocal_rank,
    "P": lambda batch, cutoff: divide(_found(batch, cutoff), np.array(cutoff)),
    "recall": lambda batch, cutoff: divide(_found(batch, cutoff), batch.num_rel),
    "relative_P": lambda batch, cutoff: divide(_found(batch, cutoff), np.minimum(batch.num_rel, cutoff)),
    "success": _success,
    "hits": _found,
    "F_cut": _f_cut,
    "unj": lambda batch, cutoff: (np.minimum(batch.num_ret, cutoff) - _judged(batch, cutoff)) / cutoff,
    "judged": lambda batch, cutoff: divide(_judged(batch, cutoff), np.minimum(batch.num_ret, cutoff)),
    "dcg": _dcg,
    "ndcg": _ndcg,
    "dcg_cut": _dcg_cut,
    "dcg_exp_cut": _dcg_exp_cut,
    "ndcg_cut": _ndcg_cut,
    "ndcg_exp_cut": _ndcg_exp_cut,
    "ndcg_gain_cut": _ndcg_gain_cut,
    "rbp": _rbp,
    "rbp_binary": _rbp_binary,
    "rbp_cut": _rbp_cut,
    "rbp_graded_cut": _graded_rbp_cut,
    "sdcg": _scaled_dcg,
    "PRES": _pres,
    "PRES_est": _pres_estimated,
    "Rnorm": _normalized_recall,
    "accuracy": _accuracy,
    "wss": _work_saved,
    "last_rel": _last_relevant,
    "norm_last_rel": _normalized_last_relevant,
    "recall_at_percent": _recall_at_percent,
    "norm_area": _normalized_area,
}
"""The measures whose value depends on the order and has an expected value in closed form."""
