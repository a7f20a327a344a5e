"""Measures of one topic step by step: what each document adds, as a teacher would write it on a board."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from pres_eval.batches.forming import counted_documents
from pres_eval.errors import UsageError
from pres_eval.measures.names import View
from pres_eval.measures.rbp import persistence_of
from pres_eval.measures.selection import SelectedColumn
from pres_eval.options import Options, level_lines
from pres_eval.ranking.ranked import Ranked
from pres_eval.reading.judgements.relevance import QrelsJudgements


@dataclass(frozen=True)
class JudgedDocument:
    """A judged document, and its rank in the run.

    rank  from 1, after -M and -J; None if the run does not have it
    """

    docno: bytes
    grade: int
    rank: int | None


@dataclass(frozen=True)
class TopicRanking:
    """All judged documents of a topic: those that the run has by rank, then the others by grade and id."""

    topic: bytes
    documents: tuple[JudgedDocument, ...]

    def relevant(self, level: float) -> list[JudgedDocument]:
        """Return the documents with at least this grade, in order."""
        return [document for document in self.documents if document.grade >= level]

    def num_nonrelevant(self, level: float) -> int:
        """Count the documents judged not relevant; a negative grade means in the pool, not judged."""
        return len([document for document in self.documents if 0 <= document.grade < level])

    def gains(self) -> list[int]:
        """Return the grades above 0, descending: those of the best ranking there could be."""
        return sorted([document.grade for document in self.documents if document.grade > 0], reverse=True)


@dataclass(frozen=True)
class Step:
    """What one document adds to a measure.

    work   the calculation with its numbers, such as "2 / 5"
    adds   its result
    total  the sum so far
    """

    document: JudgedDocument
    work: str
    adds: float
    total: float


@dataclass(frozen=True)
class MeasureSteps:
    """A measure of one topic, step by step.

    label    the measure's, as it is printed
    steps    one for each document that counts
    lines    the formula, and the formula with the numbers of the topic
    value    what pres-eval prints for the topic
    """

    topic: bytes
    label: str
    steps: tuple[Step, ...]
    lines: tuple[str, ...]
    value: float


class _Board:
    """List of steps that grows, with their running sum.

    zero  what a document adds that does not count: 0.0, or 0 where whole numbers are added
    """

    def __init__(self, zero: float = 0.0) -> None:
        self.steps: list[Step] = []
        self.zero = self.total = zero

    def add(self, document: JudgedDocument, work: str, adds: float) -> None:
        """Add a step: the calculation `work` has the result `adds`."""
        self.total += adds
        self.steps.append(Step(document, work, adds, self.total))

    def add_nothing(self, document: JudgedDocument, cutoff: float = math.inf) -> None:
        """Add a step for a document that the run lacks, or has beyond the cutoff."""
        work = f"beyond rank {cutoff:.0f}"
        if document.rank is None:
            work = "not retrieved"
        self.steps.append(Step(document, work, self.zero, self.total))


StepMaker = Callable[[TopicRanking, float, str, tuple[Any, ...]], tuple[_Board, list[str], float]]
"""Function of a topic, the relevance level, a column's label and its arguments, (10,) for P.10.

It returns the steps, the lines of the formula, and the value.
"""


def _share(total: float, parts: float) -> float:
    """Return total / parts, 0 if parts is 0."""
    return total / parts if parts else 0.0


def _average_precision(
    topic: TopicRanking, level: float, label: str, arguments: tuple[Any, ...]
) -> tuple[_Board, list[str], float]:
    """Return AP step by step: precision at each relevant document."""
    cutoff = arguments[0] if arguments else math.inf
    board = _Board()
    relevant = topic.relevant(level)
    for number, document in enumerate(relevant, 1):
        if document.rank is not None and document.rank <= cutoff:
            board.add(document, f"{number} / {document.rank}", number / document.rank)
        else:
            board.add_nothing(document, cutoff)
    value = _share(board.total, len(relevant))
    lines = [
        f"{label} = 1/n Σ i / r_i,   n = {len(relevant)} relevant documents in the qrels",
        f"{label} = {board.total:.4f} / {len(relevant)} = {value:.4f}",
    ]
    return board, lines, value


def _count_of_relevant(topic: TopicRanking, level: float, cutoff: float) -> _Board:
    """Return steps that count the relevant documents by rank `cutoff`: each adds 1."""
    board = _Board(0)
    for document in topic.relevant(level):
        if document.rank is not None and document.rank <= cutoff:
            board.add(document, "1", 1)
        else:
            board.add_nothing(document, cutoff)
    return board


def _precision(
    topic: TopicRanking, level: float, label: str, arguments: tuple[Any, ...]
) -> tuple[_Board, list[str], float]:
    """Return precision at a cutoff step by step."""
    cutoff = arguments[0]
    board = _count_of_relevant(topic, level, cutoff)
    value = board.total / cutoff
    lines = [
        f"{label} = relevant documents by rank {cutoff} / {cutoff}",
        f"{label} = {board.total:.0f} / {cutoff} = {value:.4f}",
    ]
    return board, lines, value


def _recall(
    topic: TopicRanking, level: float, label: str, arguments: tuple[Any, ...]
) -> tuple[_Board, list[str], float]:
    """Return recall at a cutoff step by step."""
    cutoff = arguments[0]
    board = _count_of_relevant(topic, level, cutoff)
    num_relevant = len(topic.relevant(level))
    value = _share(board.total, num_relevant)
    lines = [
        f"{label} = relevant documents by rank {cutoff} / n,   n = {num_relevant} in the qrels",
        f"{label} = {board.total:.0f} / {num_relevant} = {value:.4f}",
    ]
    return board, lines, value


def _r_precision(
    topic: TopicRanking, level: float, label: str, arguments: tuple[Any, ...]
) -> tuple[_Board, list[str], float]:
    """Return precision at rank n, of n relevant documents, step by step."""
    num_relevant = len(topic.relevant(level))
    board = _count_of_relevant(topic, level, num_relevant)
    value = _share(board.total, num_relevant)
    lines = [
        f"{label} = relevant documents by rank n / n,   n = {num_relevant} relevant documents in the qrels",
        f"{label} = {board.total:.0f} / {num_relevant} = {value:.4f}",
    ]
    return board, lines, value


def _reciprocal_rank(
    topic: TopicRanking, level: float, label: str, arguments: tuple[Any, ...]
) -> tuple[_Board, list[str], float]:
    """Return the reciprocal rank of the first relevant document."""
    cutoff = arguments[0] if arguments else math.inf
    board = _Board()
    for document in topic.relevant(level):
        if document.rank is None or document.rank > cutoff:
            board.add_nothing(document, cutoff)
        elif board.total:
            board.add(document, "not the first", 0.0)
        else:
            board.add(document, f"1 / {document.rank}", 1 / document.rank)
    lines = [f"{label} = 1 / rank of the first relevant document = {board.total:.4f}"]
    return board, lines, board.total


def _discounted(topic: TopicRanking, cutoff: float) -> _Board:
    """Return steps that add each gain by rank `cutoff`, discounted by rank.

    Grades are the gains, whatever the relevance level is.
    """
    board = _Board()
    for document in topic.relevant(1):
        if document.rank is not None and document.rank <= cutoff:
            discount = math.log2(1 + document.rank)
            work = f"{document.grade} / log2(1 + {document.rank})"
            board.add(document, work, document.grade / discount)
        else:
            board.add_nothing(document, cutoff)
    return board


def _dcg(
    topic: TopicRanking, level: float, label: str, arguments: tuple[Any, ...]
) -> tuple[_Board, list[str], float]:
    """Return discounted cumulated gain step by step."""
    board = _discounted(topic, _rank_or_all(arguments))
    lines = [f"{label} = Σ grade / log2(1 + rank) = {board.total:.4f}"]
    return board, lines, board.total


def _ndcg(
    topic: TopicRanking, level: float, label: str, arguments: tuple[Any, ...]
) -> tuple[_Board, list[str], float]:
    """Return discounted cumulated gain, and its share of the best there could be."""
    cutoff = _rank_or_all(arguments)
    board = _discounted(topic, cutoff)
    ideal = 0.0
    works = []
    for rank, gain in enumerate(topic.gains(), 1):
        if rank > cutoff:
            break
        ideal += gain / math.log2(1 + rank)
        works.append(f"{gain}/log2({1 + rank})")
    value = _share(board.total, ideal)
    lines = [
        f"{label} = DCG / ideal DCG,   DCG = Σ grade / log2(1 + rank)",
        f"ideal DCG = {_shortened(works)} = {ideal:.4f}   (the grades of the qrels, the highest first)",
        f"{label} = {board.total:.4f} / {ideal:.4f} = {value:.4f}",
    ]
    return board, lines, value


def _rank_or_all(arguments: tuple[Any, ...]) -> float:
    """Return the cutoff among a measure's arguments, infinity where it covers the whole ranking.

    The only whole number among the arguments is the cutoff; the others are pairs of grades and gains.
    """
    cutoff: float = math.inf
    for argument in arguments:
        if isinstance(argument, int):
            cutoff = argument
    return cutoff


MOST_TERMS = 6
"""Terms of a sum that are written out; of longer sums the first and the last."""


def _shortened(terms: Sequence[str]) -> str:
    """Return a sum of terms; of many the first ones and the last."""
    if not terms:
        return "0"
    if len(terms) <= MOST_TERMS:
        return " + ".join(terms)
    return f"{' + '.join(terms[: MOST_TERMS - 1])} + … + {terms[-1]}"


def _rank_biased_precision(
    topic: TopicRanking, level: float, label: str, arguments: tuple[Any, ...]
) -> tuple[_Board, list[str], float]:
    """Return RBP by a cutoff step by step."""
    cutoff, persistence = arguments
    return _binary_rbp(topic, level, label, cutoff, persistence)


def _uncut_rank_biased_precision(
    topic: TopicRanking, level: float, label: str, arguments: tuple[Any, ...]
) -> tuple[_Board, list[str], float]:
    """Return RBP of the whole ranking step by step."""
    pairs = arguments[0] if arguments else ()
    return _binary_rbp(topic, level, label, math.inf, persistence_of(pairs))


def _binary_rbp(
    topic: TopicRanking, level: float, label: str, cutoff: float, persistence: float
) -> tuple[_Board, list[str], float]:
    """Return RBP by rank `cutoff` step by step: each relevant document adds persistence^(rank - 1)."""
    board = _Board()
    for document in topic.relevant(level):
        if document.rank is not None and document.rank <= cutoff:
            work = f"{persistence:g}^{document.rank - 1}"
            board.add(document, work, persistence ** (document.rank - 1))
        else:
            board.add_nothing(document, cutoff)
    value = (1 - persistence) * board.total
    lines = [
        f"{label} = (1 - p) Σ p^(rank - 1),   p = {persistence:g}",
        f"{label} = (1 - {persistence:g}) × {board.total:.4f} = {value:.4f}",
    ]
    return board, lines, value


def _graded_rank_biased_precision(
    topic: TopicRanking, level: float, label: str, arguments: tuple[Any, ...]
) -> tuple[_Board, list[str], float]:
    """Return RBP with grades as gains: each document with its share of the highest grade, and its weight."""
    persistence = persistence_of(arguments[0] if arguments else ())
    highest = max([1, *topic.gains()])
    board = _Board()
    for document in topic.relevant(1):
        if document.rank is None:
            board.add_nothing(document)
            continue
        work = f"{document.grade}/{highest} × {persistence:g}^{document.rank - 1}"
        board.add(document, work, document.grade / highest * persistence ** (document.rank - 1))
    value = (1 - persistence) * board.total
    lines = [
        f"{label} = (1 - p) Σ grade / {highest} × p^(rank - 1),   p = {persistence:g},"
        f" {highest}: the highest grade of the topic",
        f"{label} = (1 - {persistence:g}) × {board.total:.4f} = {value:.4f}",
    ]
    return board, lines, value


def _expected_reciprocal_rank(
    topic: TopicRanking, level: float, label: str, arguments: tuple[Any, ...]
) -> tuple[_Board, list[str], float]:
    """Return ERR step by step: each document with the chance that it ends the search."""
    cutoff, highest_grade = arguments
    board = _Board()
    works = []
    still_reading = 1.0
    for document in topic.relevant(1):
        if document.rank is None or document.rank > cutoff:
            board.add_nothing(document, cutoff)
            continue
        satisfied = (2.0**document.grade - 1) / 2.0**highest_grade
        work = f"1/{document.rank} × {satisfied:.4g} × {still_reading:.4f}"
        works.append(work)
        board.add(document, work, satisfied * still_reading / document.rank)
        still_reading *= 1 - satisfied
    lines = [
        f"{label} = Σ 1/rank × R × Π (1 - R of those before),   R = (2^grade - 1) / 2^{highest_grade:g},"
        f"   {highest_grade:g}: the highest grade that there could be (max_rel)",
        f"{label} = {_shortened(works)} = {board.total:.4f}",
    ]
    return board, lines, board.total


def _binary_preference(
    topic: TopicRanking, level: float, label: str, arguments: tuple[Any, ...]
) -> tuple[_Board, list[str], float]:
    """Return bpref step by step: pairs of a relevant and a nonrelevant document in the right order."""
    num_relevant, num_nonrelevant = len(topic.relevant(level)), topic.num_nonrelevant(level)
    most = min(num_nonrelevant, num_relevant)
    board = _Board()
    nonrelevant_before = 0
    for document in topic.documents:
        if document.grade >= level and document.rank is None:
            board.add_nothing(document)
        elif document.grade >= level:
            counted = min(nonrelevant_before, num_relevant)
            work = f"1 - {counted} / {most}" if most else "1"
            board.add(document, work, 1.0 - _share(counted, most))
        elif document.grade >= 0 and document.rank is not None:
            nonrelevant_before += 1
    value = _share(board.total, num_relevant)
    lines = [
        f"{label} = 1/n Σ (1 - min(b, n) / min(N, n)),   b: documents judged not relevant that come before",
        f"n = {num_relevant} relevant, N = {num_nonrelevant} judged not relevant in the qrels",
        f"{label} = {board.total:.4f} / {num_relevant} = {value:.4f}",
    ]
    return board, lines, value


def _pres(
    topic: TopicRanking, level: float, label: str, arguments: tuple[Any, ...]
) -> tuple[_Board, list[str], float]:
    """Return PRES step by step: the rank with which each relevant document counts."""
    nmax = arguments[0]
    relevant = topic.relevant(level)
    board = _Board(0)
    for number, document in enumerate(relevant, 1):
        if document.rank is not None and document.rank <= nmax:
            board.add(document, str(document.rank), document.rank)
        else:
            board.add(document, f"{nmax} + {number} (worst case)", nmax + number)
    num_relevant = len(relevant)
    value = 0.0
    if num_relevant:
        value = 1 - (board.total / num_relevant - (num_relevant + 1) / 2) / nmax
    lines = [
        f"{label} = 1 - (Σ r_i / n - (n + 1) / 2) / Nmax,   n = {num_relevant}, Nmax = {nmax}",
        f"{label} = 1 - ({board.total:.0f} / {num_relevant} - {num_relevant + 1} / 2) / {nmax} = {value:.4f}",
    ]
    return board, lines, value


STEP_MAKERS: dict[str, StepMaker] = {
    "map": _average_precision,
    "map_cut": _average_precision,
    "P": _precision,
    "recall": _recall,
    "Rprec": _r_precision,
    "recip_rank": _reciprocal_rank,
    "recip_rank_cut": _reciprocal_rank,
    "ndcg": _ndcg,
    "ndcg_cut": _ndcg,
    "dcg": _dcg,
    "dcg_cut": _dcg,
    "rbp": _graded_rank_biased_precision,
    "rbp_binary": _uncut_rank_biased_precision,
    "rbp_cut": _rank_biased_precision,
    "err": _expected_reciprocal_rank,
    "bpref": _binary_preference,
    "PRES": _pres,
}
"""The measures that can be explained step by step, by name."""


def check_explained(column: SelectedColumn) -> None:
    """Raise UsageError for a column that cannot be explained step by step."""
    if column.measure.name not in STEP_MAKERS:
        names = ", ".join(STEP_MAKERS)
        raise UsageError(f"-m {column.label}: not explained step by step, expected one of {names}")
    only_level_is_set = View(level=column.view.level)
    if column.view != only_level_is_set:
        raise UsageError(f"-m {column.label}: explained without judged_only and bound, expected rel alone")
    if any(isinstance(argument, tuple) and _names_gains(argument) for argument in column.arguments):
        raise UsageError(f"-m {column.label}: explained with grades as gains alone, expected no gains")


def _names_gains(parameters: tuple[Any, ...]) -> bool:
    """Return whether parameters (name, value) set gains of grades; `p`, the persistence, is no gain."""
    return any(name != "p" for name, _ in parameters)


def measure_steps(topic: TopicRanking, column: SelectedColumn, relevance_level: float) -> MeasureSteps:
    """Return the steps that lead to a column's value of a topic.

    relevance_level  that of -l, which counts where the column has none of its own
    """
    level = relevance_level if column.view.level is None else column.view.level
    make = STEP_MAKERS[column.measure.name]
    # () stands for parameters without a value.
    arguments = tuple(argument for argument in column.arguments if argument != ())
    board, lines, value = make(topic, level, column.label, arguments)
    if column.measure.uses_level:
        lines += level_lines(level)
    return MeasureSteps(topic.topic, column.label, tuple(board.steps), tuple(lines), value)


def topic_rankings(
    qrels: QrelsJudgements, ranking: Ranked, options: Options, topics: Sequence[int]
) -> Iterator[TopicRanking]:
    """Yield the judged documents of some topics, with their ranks in the run, which may lack these topics.

    topics  indices in the pool

    -M and -J of the options count as they do for the measures.
    """
    pool = qrels.pool
    ranked = counted_documents(qrels, ranking, options)
    # The rank of each document of the pool (D,), 0 where the run does not have it.
    rank_of = np.zeros(len(pool.documents), np.int64)
    rank_of[ranked.document] = ranked.rank
    for topic in topics:
        start, stop = pool.offsets[topic : topic + 2].tolist()
        docnos = list(pool.documents.take(slice(start, stop)))
        grades, ranks = qrels.grade[start:stop].tolist(), rank_of[start:stop].tolist()
        documents = []
        for docno, grade, rank in zip(docnos, grades, ranks, strict=True):
            documents.append(JudgedDocument(docno, int(grade), rank or None))
        documents.sort(key=lambda document: (document.rank or math.inf, -document.grade, document.docno))
        yield TopicRanking(pool.topics[topic], tuple(documents))
