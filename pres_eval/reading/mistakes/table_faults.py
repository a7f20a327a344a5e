"""Warnings about tables of a run or of judgements that can be read, but perhaps not as they are meant."""

from __future__ import annotations

import math
import warnings
from collections import Counter
from collections.abc import Iterable, Sequence

import numpy as np

from pres_eval.arrays import FloatArray, IntArray, changed
from pres_eval.errors import ReadingNote, ReadingWarning, number_of, plural, quoted
from pres_eval.reading.headings import (
    GRADE,
    RANK,
    SCORE,
    Naming,
    Role,
    are_rival,
    rival_docno,
    warning_of_rivals,
)

COMPARED_ROWS = 4096
"""Rows at the beginning of a table that are compared: ranks with scores, and two ids of a document."""

NEARLY_ALL = 0.9
"""Share of the pairs of rows of a topic, and of the topics, whose ranks have to contradict the scores."""

FEWEST_RANKS = 3
"""Rows of a topic from which on it is no accident that its scores are 1, 2, 3 ..."""

MOST_WORD_GRADES = 6
"""Different values of a column up to which they may be grades in words."""


class ObservedTable:
    """Observer of the rows of a table, which are shown to it one after the other; it warns at the end.

    It looks for ranks that contradict the scores beside them, two columns of ids of documents that differ,
    grades of several words, and topics that have several lists of documents.

    rival  the heading of a second column of ids of documents; None if there is none
    """

    def __init__(self, name: str, headings: Sequence[str], docno: str) -> None:
        """Begin with the name of the file, its headings, and the heading of the column of documents."""
        self.rival = rival_docno(headings, docno)
        self._name, self._docno = name, docno
        self._differing: tuple[str, str] | None = None
        """The ids of the first document whose two ids differ."""
        self._ranked_rows: list[tuple[str, float, float]] = []
        """Topic, rank and score of the first COMPARED_ROWS rows."""
        self._combined: Counter[str] = Counter()
        """By grade of several words, how many rows have it."""
        self._lists: Counter[str] = Counter()
        """By topic, how many lists of documents it has."""
        self._joined_ids: list[str] = []
        """Cells of documents that look like lists of ids."""

    def see_docnos(self, docno: object, rival: object) -> None:
        """Compare the ids of a document in two columns."""
        if self._differing is None and are_rival(docno, rival):
            self._differing = str(docno), str(rival)

    def see_rank(self, topic: object, rank: object, score: float) -> None:
        """Keep the rank and the score of a row; text that is no number is no rank."""
        number = number_of(rank)
        if len(self._ranked_rows) < COMPARED_ROWS and not math.isnan(number):
            self._ranked_rows.append((str(topic), number, score))

    def see_combined_grade(self, text: str) -> None:
        """Count a grade that is several words."""
        self._combined[text] += 1

    def see_list(self, topic: object) -> None:
        """Count a list of documents of a topic."""
        self._lists[str(topic)] += 1

    def see_joined_ids(self, cell: str) -> None:
        """Keep the cell of a document that looks like a list of ids."""
        self._joined_ids.append(cell)

    def warn(self) -> None:
        """Give the warnings and notes about all rows."""
        if self._differing is not None:
            assert self.rival is not None
            text = warning_of_rivals(self._docno, self.rival, *self._differing)
            advice = f"--columns docno={self.rival} takes the other one"
            warnings.warn(f"{self._name}: {text}; {advice}", ReadingWarning, stacklevel=2)
        contradiction = _warning_of_rising_scores(self._ranked_rows)
        if contradiction is not None:
            warnings.warn(f"{self._name}: {contradiction}", ReadingWarning, stacklevel=2)
        else:
            self._warn_of_exchanged()
        if self._combined:
            warnings.warn(f"{self._name}: {self._note_of_combined()}", ReadingNote, stacklevel=2)
        if self._joined_ids:
            warnings.warn(f"{self._name}: {self._warning_of_joined()}", ReadingWarning, stacklevel=2)
        repeated_topics = [topic for topic, count in self._lists.items() if count > 1]
        if repeated_topics:
            warnings.warn(f"{self._name}: {self._note_of_lists(repeated_topics)}", ReadingNote, stacklevel=2)

    def _warn_of_exchanged(self) -> None:
        """Warn if ranks seem to be the scores, and scores the ranks: they are 1, 2, 3 ... in each topic."""
        if not self._ranked_rows:
            return
        topics, ranks, scores = zip(*self._ranked_rows, strict=True)
        number_of_topic: dict[str, int] = {}
        for topic in topics:
            number_of_topic.setdefault(topic, len(number_of_topic))
        topic_numbers = np.array([number_of_topic[topic] for topic in topics])
        row = row_of_exchanged(topic_numbers, np.array(ranks), np.array(scores, np.float64))
        if row is None:
            return
        text = (
            f"in each topic the scores are 1, 2, 3 ..., as ranks are, and the rank column has {ranks[row]:g}:"
            " are rank and score exchanged? --columns score=HEADING names the column of the scores"
        )
        warnings.warn(f"{self._name}: {text}", ReadingWarning, stacklevel=2)

    def _note_of_combined(self) -> str:
        """Return the note about grades of several words."""
        example = next(iter(self._combined))
        count = plural(sum(self._combined.values()), "grade")
        return f"{count} of several words, such as {quoted(example)}: the highest of them counts (--grades)"

    def _warning_of_joined(self) -> str:
        """Return the warning about cells that look like lists of ids."""
        first, *others = self._joined_ids
        more = ""
        if others:
            more = f" and {plural(len(others), 'more cell')}"
        return (
            f"{quoted(first)}{more}: several ids in a cell, each cell read as one document;"
            f" --columns docnos={self._docno or 'HEADING'} reads them as lists"
        )

    def _note_of_lists(self, topics: Sequence[str]) -> str:
        """Return the note about topics that have several lists of documents."""
        first, *others = topics
        count = f"{self._lists[first]} records have topic {quoted(first)}"
        if others:
            count += f", and {plural(len(others), 'more topic')} several"
        return f"{count}: their documents are one list, in the order of the file"


def row_of_exchanged(topic: IntArray, ranks: FloatArray, scores: FloatArray) -> int | None:
    """Return a row whose rank seems to be a score, None if there is none.

    There is one if the scores (R,) of each topic are 1, 2, 3 ... in any order, as ranks are, while the ranks
    (R,) have decimals or are not so.  If all ranks are the same, the column is not used, and None is
    returned.

    topic  (R,) numbers of the topics, as they first appear
    """
    has_decimal_scores = not (scores == np.rint(scores)).all()
    has_equal_ranks = (ranks == ranks[0]).all()
    if has_decimal_scores or has_equal_ranks or not np.isfinite(ranks).all():
        return None
    order = np.lexsort((scores, topic))
    first_rows = np.flatnonzero(changed(topic[order]))
    if not _are_ranks(scores[order], first_rows, last_topic=int(topic[-1])):
        return None
    decimals = np.flatnonzero(ranks != np.rint(ranks))
    if len(decimals):
        return int(decimals[0])
    return _row_of_whole_rank(ranks, order, first_rows)


def _row_of_whole_rank(ranks: FloatArray, order: IntArray, first_rows: IntArray) -> int | None:
    """Return a row whose rank seems to be a score, though all ranks (R,) are whole; None if there is none.

    The scores of each topic are 1, 2, 3 ...

    order       (R,) the rows by topic and ascending score
    first_rows  (T,) where each topic begins in this order
    """
    ranks_in_order, lengths = ranks[order], np.diff(first_rows, append=len(ranks))
    topic = np.repeat(np.arange(len(first_rows)), lengths)
    # Exchanged, the row with the score 1 has the largest "rank".  If ranks rise with scores, the scores are
    # distances, and nothing is exchanged.
    rises = (np.diff(ranks_in_order) > 0) & (np.diff(topic) == 0)
    if rises.any():
        return None
    least = np.minimum.reduceat(ranks_in_order, first_rows)
    begins_as_ranks = (least == 0) | (least == 1)
    if not begins_as_ranks.any():
        return 0
    # Ranks have gaps where documents were left out; but then a file does not begin with the least score.
    span = np.maximum.reduceat(ranks_in_order, first_rows) - least
    has_ranks = begins_as_ranks & (span == lengths - 1)
    is_sorted = bool((order == np.arange(len(order))).all())
    if not is_sorted or has_ranks.all():
        return None
    topic_without_ranks = int(np.argmin(has_ranks))
    return int(first_rows[topic_without_ranks])


def _are_ranks(scores: FloatArray, first_rows: IntArray, last_topic: int) -> bool:
    """Return whether the scores of each topic are 1, 2, 3 ... or 0, 1, 2 ..., over enough rows to mean it.

    scores      (R,) by topic, ascending
    first_rows  (T,) where each topic begins
    last_topic  number of the topic that may go on behind these rows: it does not count if there are others
    """
    lengths = np.diff(first_rows, append=len(scores))
    if lengths.max() < FEWEST_RANKS and np.count_nonzero(lengths > 1) < 2:
        return False
    least = scores[first_rows]
    row_in_topic = np.arange(len(scores)) - np.repeat(first_rows, lengths)
    is_next = scores == row_in_topic + np.repeat(least, lengths)
    has_ranks = np.logical_and.reduceat(is_next, first_rows) & ((least == 0) | (least == 1))
    if len(first_rows) > 1:
        has_ranks[last_topic] = True
    return bool(has_ranks.all())


def _warning_of_rising_scores(rows: Sequence[tuple[str, float, float]]) -> str | None:
    """Return the warning about scores that rise with the ranks in nearly all topics; None if they do not.

    rows  topic, rank and score of each; it is compared with the row before of its topic
    """
    pairs: Counter[str] = Counter()
    wrong_pairs: Counter[str] = Counter()
    first_wrong_pairs: dict[str, tuple[tuple[float, float], tuple[float, float]]] = {}
    """By topic rank and score of a row, and those of the row with the higher rank."""
    last: dict[str, tuple[float, float]] = {}
    """By topic rank and score of its last row so far."""
    for topic, rank, score in rows:
        rank_before, score_before = last.get(topic, (rank, score))
        last[topic] = rank, score
        if rank_before == rank or score_before == score:
            continue
        pairs[topic] += 1
        if (rank > rank_before) == (score > score_before):
            wrong_pairs[topic] += 1
            lower, higher = sorted(((rank_before, score_before), (rank, score)))
            first_wrong_pairs.setdefault(topic, (lower, higher))
    wrong_topics = [topic for topic in pairs if wrong_pairs[topic] >= NEARLY_ALL * pairs[topic]]
    if not wrong_topics or len(wrong_topics) < NEARLY_ALL * len(pairs):
        return None
    topic = wrong_topics[0]
    (low_rank, low_score), (high_rank, high_score) = first_wrong_pairs[topic]
    return (
        f"scores rise with the rank column (topic {quoted(topic)}: rank {low_rank:g} has {low_score!r},"
        f" rank {high_rank:g} has {high_score!r}), but the largest score comes first: are these distances?"
    )


def warn_of_unnamed_number(
    name: str, naming: Naming, candidates: Sequence[str], role: Role, option: str
) -> None:
    """Warn of a table that is read without grades or scores, though it may have some or --columns names some.

    name        of the file
    candidates  headings of the columns whose values may be grades or scores
    option      what --columns calls one of them: its heading, or its number
    """
    kinds, named = _kinds_of_number(role, naming)
    if not named and not candidates:
        return
    if len(candidates) == 1:
        option = candidates[0]
    problem, verb = f"--columns names no {' and no '.join(kinds)}", "add"
    if named:
        problem, verb = f"{_named_options(named, naming)} not among its headings", "use"
    result, what = "the order of its rows is the ranking", "them"
    if role.has_grades:
        result, what = "all of its documents are relevant", "grades"
    text = f"{problem}, so that {result}"
    if candidates:
        options = " or ".join(f"{kind}={option}" for kind in kinds)
        text += f"; {' or '.join(candidates)} may hold {what}: {verb} {options}"
    warnings.warn(f"{name}: {text}", ReadingWarning, stacklevel=2)


def _kinds_of_number(role: Role, naming: Naming) -> tuple[list[str], list[str]]:
    """Return the kinds of columns of grades, or of scores and ranks, and those that --columns names."""
    kinds = [SCORE, RANK]
    if role.has_grades:
        kinds = [GRADE]
    return kinds, [kind for kind in kinds if kind in naming.columns]


def _named_options(kinds: Sequence[str], naming: Naming) -> str:
    """Return what --columns names for these kinds of columns, with a verb: `--columns score=Points is`."""
    verb = "is" if len(kinds) == 1 else "are"
    options = " and ".join(f"{kind}={naming.columns[kind]}" for kind in kinds)
    return f"--columns {options} {verb}"


def warn_of_other_number(name: str, naming: Naming, headings: Sequence[str], number: str, role: Role) -> None:
    """Warn of a table whose numbers are read by a known heading, as the one that --columns names is not
    there.

    name      of the file
    headings  of the table
    number    the heading that is read: of grades, scores or ranks
    """
    _, named = _kinds_of_number(role, naming)
    if not named or naming.by_number or any(naming.named_column(kind, headings) for kind in named):
        return
    problem = f"{_named_options(named, naming)} not among its headings ({', '.join(headings)})"
    text = f"{problem}, so that {number} is read"
    warnings.warn(f"{name}: {text}", ReadingWarning, stacklevel=2)


def may_be_numbers(values: Iterable[object], role: Role) -> bool:
    """Return whether the values of a column may be scores, which are numbers, or grades: also a few words."""
    texts = [str(value).strip() for value in values if value is not None and str(value).strip()]
    if not texts:
        return False
    if not any(math.isnan(number_of(text.replace(",", ".", 1))) for text in texts):
        return True
    words = set(texts)
    are_few = len(words) <= MOST_WORD_GRADES and 2 * len(words) <= len(texts)
    return role.has_grades and are_few
