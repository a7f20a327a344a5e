"""Overlap of two ranked lists, without judgements: documents shared by the first k, rank-biased overlap.

All measures follow from the lengths of the lists, and from the two ranks of each shared document.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

from pres_eval.records import dataclass


@dataclass(frozen=True)
class SharedDocuments:
    """Facts about two ranked lists that their overlap is computed from.

    lengths  numbers of documents in the first list and in the second
    ranks    for each document that both have, its rank in the first list and in the second, from 1
    """

    lengths: tuple[int, int]
    ranks: tuple[tuple[int, int], ...]

    @classmethod
    def of_lists(cls, first: Sequence[bytes], second: Sequence[bytes]) -> SharedDocuments:
        """Return the shared documents of two lists, each without duplicates."""
        rank_in_second = {document: rank for rank, document in enumerate(second, 1)}
        ranks = []
        for rank, document in enumerate(first, 1):
            if document in rank_in_second:
                ranks.append((rank, rank_in_second[document]))
        return cls(lengths=(len(first), len(second)), ranks=tuple(ranks))

    def within(self, depth: int) -> int:
        """Return how many documents are among the first `depth` of both lists."""
        return sum(max(pair) <= depth for pair in self.ranks)

    def by_depth(self, depth: int) -> list[int]:
        """Return X_d, how many documents the first d of both lists share, for d = 0, 1, ..., depth."""
        new_at_depth = [0] * (depth + 1)
        for pair in self.ranks:
            if max(pair) <= depth:
                new_at_depth[max(pair)] += 1
        return list(itertools.accumulate(new_at_depth))


def jaccard(shared: SharedDocuments, depth: int | None = None) -> float:
    """Return the shared documents of two lists as a share of all that either has, within rank `depth`.

    Formula:  jaccard@k = |A ∩ B| / |A ∪ B|, A and B the first k documents of each list
    Range: 0 to 1; 1 for two empty lists, 0 if one of them is empty.
    Source: Jaccard, Bulletin de la Société Vaudoise des Sciences Naturelles 37, 1901.
    """
    sizes = [length if depth is None else min(length, depth) for length in shared.lengths]
    in_both = shared.within(max(sizes))
    in_either = sizes[0] + sizes[1] - in_both
    if not in_either:
        return 1.0
    return in_both / in_either


def overlap(shared: SharedDocuments, depth: int) -> float:
    """Return the shared documents of two lists as a share of those that could be, within rank `depth`.

    Formula:  overlap@k = |A ∩ B| / min(k, longer list), A and B the first k documents of each list
    Range: 0 to 1; 1 for two empty lists, 0 if one of them is empty.
    Notes: it is the agreement A_k of rank-biased overlap if a list has at least k documents.
    Source: Webber, Moffat & Zobel, ACM TOIS 28(4), 2010, doi:10.1145/1852102.1852106.
    """
    longest = min(depth, max(shared.lengths))
    if not longest:
        return 1.0
    return shared.within(depth) / longest


@dataclass(frozen=True)
class RankBiasedOverlap:
    """Rank-biased overlap of two lists of which only the beginnings are known.

    extrapolated  the estimate: beyond their ends the lists agree as far as they do at the ends
    least         the value if the lists share no document beyond their ends
    residual      how much higher the value is if they share as many as possible
    """

    extrapolated: float
    least: float
    residual: float


def rank_biased_overlap(shared: SharedDocuments, persistence: float) -> RankBiasedOverlap:
    """Return the rank-biased overlap of two lists, for a reader who reads on with probability `persistence`.

    Formula, l and s the lengths of the longer and the shorter list, p the persistence:
      RBO_ext = (1 - p)/p (Σ_{d=1..l} X_d p^d / d + Σ_{d=s+1..l} X_s (d - s) p^d / (s d))
                + ((X_l - X_s) / l + X_s / s) p^l
      RBO_min = (1 - p)/p (Σ_{d=1..l} X_d p^d / d + X_l Σ_{d>l} p^d / d)
      RBO_res = RBO_max - RBO_min, where for RBO_max each unseen document is in the other list too
      X_d  documents that the first d of both lists share
    Range: 0 to 1; 1 for two empty lists, 0 (with a residual of 0) if one of them is empty.
    Notes: ties are broken as for measures, by score and docno.
    Source: Webber, Moffat & Zobel, ACM TOIS 28(4), 2010, doi:10.1145/1852102.1852106 (equation 32).
    """
    shorter, longer = sorted(shared.lengths)
    if not shorter:
        value = 0.0 if longer else 1.0
        return RankBiasedOverlap(extrapolated=value, least=value, residual=0.0)
    shared_by_depth = shared.by_depth(longer)
    scale = (1 - persistence) / persistence
    weights = [persistence**depth / depth for depth in range(1, longer + 1)]  # of depths 1, 2, ...
    seen = math.fsum(weight * count for weight, count in zip(weights, shared_by_depth[1:], strict=True))
    agreement = shared_by_depth[shorter] / shorter
    terms_beyond = []
    for depth in range(shorter + 1, longer + 1):
        terms_beyond.append(agreement * (depth - shorter) * weights[depth - 1])
    beyond_shorter = math.fsum(terms_beyond)
    final_agreement = (shared_by_depth[longer] - shared_by_depth[shorter]) / longer + agreement
    extrapolated = scale * (seen + beyond_shorter) + final_agreement * persistence**longer
    # Σ_{d>l} p^d / d is the weight of all depths, -ln(1 - p), less that of the depths down to l.
    weight_beyond = max(0.0, -math.log1p(-persistence) - math.fsum(weights))
    least = scale * (seen + shared_by_depth[longer] * weight_beyond)
    most = scale * (seen + _unseen_matches(shared_by_depth, shorter, longer, persistence))
    full_depth = shorter + longer - shared_by_depth[longer]
    # Beyond the depth f the lists can agree in full: (1 - p)/p Σ_{d>f} p^d = p^f.
    most += persistence**full_depth
    return RankBiasedOverlap(
        extrapolated=min(1.0, extrapolated),
        least=min(1.0, least),
        residual=max(0.0, min(1.0, most) - min(1.0, least)),
    )


def _unseen_matches(shared_by_depth: Sequence[int], shorter: int, longer: int, persistence: float) -> float:
    """Return the sum that unseen documents add to Σ X_d p^d / d if as many as possible are shared.

    shared_by_depth  X_d for d = 0, 1, ..., longer
    Each unseen document of a list may be in the other list.  At depth `shorter + longer - X_longer` all
    documents can be shared; deeper positions are left out of the sum.
    """
    num_shared = shared_by_depth[longer]
    full_depth = shorter + longer - num_shared
    # Beyond the end of the shorter list: one unseen document at each depth.
    terms = [(depth - shorter) * persistence**depth / depth for depth in range(shorter + 1, longer + 1)]
    # Beyond both ends: one unseen document of each list, besides the shared ones that were seen.
    for depth in range(longer + 1, full_depth + 1):
        unseen = (depth - shorter) + (depth - longer)
        terms.append((num_shared + unseen) * persistence**depth / depth)
    return math.fsum(terms)


def opensearch_jaccard(shared: SharedDocuments) -> float:
    """Return `jaccard` as OpenSearch's Search Relevance Workbench prints it; 0 for two empty lists."""
    if not max(shared.lengths):
        return 0.0
    return _two_digits(jaccard(shared))


def opensearch_rbo(shared: SharedDocuments, persistence: float) -> float:
    """Return rank-biased overlap as OpenSearch's Search Relevance Workbench prints it (rbo50, rbo90).

    Formula:  Σ_{d=1..l} p^(d-1) X_d / min(d, l) (1 - p) / (1 - p^l), to two digits; l the longer list
    Notes: the weights of the known depths are scaled to a sum of 1; Webber et al. extrapolate instead.
    Source: opensearch-project/search-relevance, PairComparison.java.
    """
    longer = max(shared.lengths)
    if not longer:
        return 0.0  # 0/0 there, which Java rounds to 0
    shared_by_depth = shared.by_depth(longer)
    total = 0.0
    weight = 1.0
    for depth in range(1, longer + 1):
        total += weight * (shared_by_depth[depth] / depth)
        weight *= persistence
    return _two_digits(total * (1 - persistence) / (1 - math.pow(persistence, longer)))


def opensearch_frequency_weighted(shared: SharedDocuments) -> float:
    """Return frequencyWeighted of OpenSearch's Search Relevance Workbench.

    Formula:  Σ_{A ∩ B} w / Σ_{A ∪ B} w, w = (a + b) / 2 the weight of a document, a = 1/|A| if it is in list
      A, else 0, b = 1/|B| if it is in list B, else 0
    Source: opensearch-project/search-relevance, PairComparison.java.
    """
    first, second = shared.lengths
    if not (first and second):
        return 0.0
    num_shared = len(shared.ranks)
    weight = (1 / first + 1 / second) / 2
    # Added one by one, as OpenSearch does: the last bit decides how a half is rounded.
    weight_of_shared = 0.0
    for _ in range(num_shared):
        weight_of_shared += weight
    only_in_first = [1 / first / 2] * (first - num_shared)
    only_in_second = [1 / second / 2] * (second - num_shared)
    weight_of_all = math.fsum([weight] * num_shared + only_in_first + only_in_second)
    return _two_digits(weight_of_shared / weight_of_all)


def _two_digits(value: float) -> float:
    """Return the number rounded to two decimals, halves up as Java's Math.round does."""
    return math.floor(value * 100.0 + 0.5) / 100.0
