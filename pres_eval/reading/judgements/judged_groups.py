"""Judgements in groups (formats qrels_jg, subtopics, prefs, qrels_prefs) and of samples (strata, prels)."""

from __future__ import annotations

import re
import warnings
from dataclasses import dataclass, replace
from typing import ClassVar, NamedTuple, TypeVar

import numpy as np

from pres_eval.arrays import FloatArray, Ids, IntArray
from pres_eval.errors import InputError, ReadingWarning, plural, quoted
from pres_eval.options import RelevanceInfo
from pres_eval.reading.file import File
from pres_eval.reading.judgements.pool import Pool, build_pool
from pres_eval.reading.lines import Layout, Lines, read_table

QRELS_JG = Layout("topic judgement-group docno relevance", number=3, whole=True)
SUBTOPICS = Layout("topic subtopic docno relevance", number=3, whole=True)
QRELS_PREFS = replace(QRELS_JG, whole=False)
PREFS = Layout("topic judgement-group subgroup docno level", number=4)
STRATA = Layout("topic iteration docno stratum relevance", number=4, whole=True)
PRELS = Layout("topic docno relevance method inclusion-probability", number=4)
"""Columns of the formats of these names."""

LAYOUTS = {
    "qrels_jg": QRELS_JG,
    "subtopics": SUBTOPICS,
    "qrels_prefs": QRELS_PREFS,
    "prefs": PREFS,
    "strata": STRATA,
    "prels": PRELS,
}
"""The same by the names that -R gives the formats."""

SURE_TO_BE_JUDGED = (b"0", b"2")
"""Methods, in prels, of documents that an algorithm chose, alone (0) or as chance did too (2).

They were sure to be judged, so that they represent no others.
"""


@dataclass(frozen=True, eq=False)
class JudgedGroups:
    """N judgements of G judgement groups of T topics, sorted by topic and group.

    name           the file, as messages call it
    pool           the judged documents of each topic
    group_offsets  (T+1,) where each topic's groups begin among the G
    row_offsets    (G+1,) where each group's judgements begin among the N
    group_names    G names of groups, in byte order within a topic
    document       (N,) index of each judgement's document in the pool
    line           (N,) its line in the file, from 1

    For all judgements of a class:
    info            the kind of judgements, which decides what measures can be computed
    ties_ascending  whether documents of the same score are ranked by ascending docno
    rewriting       how documents were rewritten: never, for judgements in groups
    noun            what messages call a group
    """

    info: ClassVar = RelevanceInfo.QRELS_JG
    ties_ascending: ClassVar = False
    rewriting: ClassVar = None
    noun: ClassVar = "judgement group"

    name: str
    pool: Pool
    group_offsets: IntArray
    row_offsets: IntArray
    group_names: Ids
    document: IntArray
    line: IntArray

    def where(self, row: int) -> str:
        """Return the topic and the group of a judgement, for a message."""
        group = int(np.searchsorted(self.row_offsets, row, side="right")) - 1
        topic = int(np.searchsorted(self.group_offsets, group, side="right")) - 1
        name = quoted(self.group_names[group])
        return f"topic {quoted(self.pool.topics[topic])}, {self.noun} {name}"

    def _docno(self, row: int) -> str:
        """Return the document of a judgement, for a message."""
        return quoted(self.pool.documents[int(self.document[row])])

    def group_of_row(self) -> IntArray:
        """Return (N,) the number of each judgement's group, from 0."""
        return np.repeat(np.arange(len(self.group_names)), np.diff(self.row_offsets))


@dataclass(frozen=True, eq=False)
class GroupQrels(JudgedGroups):
    """Judgements with grades, sorted by topic and group, each document once in a group.

    grade  (N,) grade of each judgement, below 0 if the document is in the pool but was not judged

    For all judgements of this kind, words of the error that a document comes twice:
    repetition, once  what is found, with {} for the document, and what is expected
    """

    layout: ClassVar = QRELS_JG
    repetition: ClassVar = "a second judgement of document {}"
    once: ClassVar = "one judgement per document and group"

    grade: IntArray

    def judged_twice_error(self, first: int, second: int) -> InputError:
        """Return the error that a document comes twice where it may come once, in these two rows."""
        repetition = self.repetition.format(self._docno(second))
        problem = f"{self.where(second)}: {repetition} (first in line {self.line[first]})"
        return InputError(self.name, int(self.line[second]), problem, self.once)


@dataclass(frozen=True, eq=False)
class SubtopicQrels(GroupQrels):
    """Judgements for the subtopics of each topic: the groups are the subtopics."""

    info: ClassVar = RelevanceInfo.SUBTOPICS
    layout: ClassVar = SUBTOPICS


@dataclass(frozen=True, eq=False)
class Preferences(JudgedGroups):
    """Judgements with levels of preference, sorted by topic and group.

    subgroup  (N,) number of each judgement's subgroup, ascending with the names of a group's subgroups
    level     (N,) its level: a document is preferred to those of lower levels in its subgroup
    by_docno  (D,) indices of the pool's documents, sorted by topic and docno
    """

    info: ClassVar = RelevanceInfo.PREFS
    # trec_eval: form_prefs_counts.c compares docnos the other way round than form_res_rels.c.
    ties_ascending: ClassVar = True

    subgroup: IntArray
    level: FloatArray
    by_docno: IntArray

    def has_pairs(self) -> bool:
        """Return whether any subgroup has two judgements, so that one document may be preferred."""
        # If there are fewer subgroups than judgements, one of them has two.  In qrels_prefs, without
        # subgroups, all have the number 0: the groups tell them apart.
        subgroups = np.stack((self.group_of_row(), self.subgroup))
        num_subgroups: int = np.unique(subgroups, axis=1).shape[1]
        return num_subgroups < len(self.level)

    def two_levels_error(self, row: int, other: int) -> InputError:
        """Return the error that a document has two levels in a subgroup, in these two rows."""
        first, second = self._by_line(row, other)
        level = f"document {self._docno(second)} has level {self.level[second]:g}"
        other_level = f"and {self.level[first]:g} in line {self.line[first]}"
        problem = f"{self.where(second)}: {level} ({other_level})"
        return InputError(self.name, int(self.line[second]), problem, "one level per document and subgroup")

    def _by_line(self, row: int, other: int) -> tuple[int, int]:
        """Return two rows in the order of their lines in the file."""
        if self.line[row] > self.line[other]:
            return other, row
        return row, other

    def conflict_error(self, row: int, other: int) -> InputError:
        """Return the error of two judgements of a group that contradict each other, in these rows.

        Each of two documents is preferred to the other, or one document is relevant and not relevant.
        """
        first, second = self._by_line(row, other)
        problem = f"documents {self._docno(first)} and {self._docno(second)} are each preferred to the other"
        expected = "the subgroups of a judgement group to agree"
        if self.document[first] == self.document[second]:
            problem = (
                f"document {self._docno(first)} has level 0 in one subgroup and a level above 0 in another"
            )
            expected = "level 0 (not relevant) in all subgroups of a judgement group or in none"
        return InputError(self.name, int(self.line[first]), f"{self.where(first)}: {problem}", expected)


@dataclass(frozen=True, eq=False)
class Sample(GroupQrels):
    """Documents of which some were drawn and judged; the groups are strata, or the methods of prels.

    A negative grade is of a document that was not drawn.  The layout of other judgements in groups has no
    meaning here: a sample has a reader of its own.

    probability  (N,) that each document is drawn; None: it is the share of its stratum that was drawn
    """

    info: ClassVar = RelevanceInfo.STRATA
    noun: ClassVar = "stratum"
    repetition: ClassVar = "document {} again"
    once: ClassVar = "each document once, in one stratum of its topic"

    probability: FloatArray | None = None


@dataclass(frozen=True, eq=False)
class UnequalSample(Sample):
    """A sample whose file has a probability for each document: prels."""

    info: ClassVar = RelevanceInfo.PRELS
    noun: ClassVar = "method"
    once: ClassVar = "each document of a topic once"


_Groups = TypeVar("_Groups", bound=GroupQrels)


def read_group_qrels(source: File, kind: type[_Groups]) -> _Groups:
    """Return judgements in groups, of lines of topic, judgement group or subtopic, docno and relevance.

    Raises InputError for a line that has not four columns, for a relevance that is no integer, and for a
    document that a group judges twice.
    """
    table = read_table(source, kind.layout)
    rows = _group_rows(source.name, table, docno=2)
    qrels = kind(*rows.fields, table.numbers[rows.order])
    _check_once(qrels, qrels.group_of_row())
    return qrels


def _check_once(qrels: GroupQrels, group: IntArray) -> None:
    """Raise InputError for a document that has two judgements of the same group.

    group  (N,) of each row
    """
    order = np.lexsort((qrels.line, qrels.document, group))
    is_same_document = np.diff(qrels.document[order]) == 0
    is_same_group = np.diff(group[order]) == 0
    seconds = np.flatnonzero(is_same_document & is_same_group) + 1  # in this order, each behind the first
    if len(seconds):
        second = seconds[np.argmin(qrels.line[order[seconds]])]
        raise qrels.judged_twice_error(int(order[second - 1]), int(order[second]))


def read_preferences(source: File, layout: Layout = PREFS) -> Preferences:
    """Return preferences, of lines of topic, judgement group, subgroup, docno and level.

    layout  PREFS, or QRELS_PREFS, which has no subgroups
    Documents may be in any number of subgroups; whether these agree is checked when a topic is scored.
    Raises InputError for a line that has other columns and for a level that is no number.
    """
    table = read_table(source, layout)
    docno = layout.width - 2  # the column before the level
    rows = _group_rows(source.name, table, docno)
    subgroup = np.zeros(len(table), np.int64)
    if layout is PREFS:
        subgroup, _ = _number_names(table.column(2), rows.group)
    by_docno = rows.fields.pool.byte_order()
    return Preferences(*rows.fields, subgroup[rows.order], table.numbers[rows.order], by_docno)


def read_strata(source: File) -> Sample:
    """Return the sample of a file of format strata: lines of topic, iteration, docno, stratum and relevance.

    A negative relevance means that the document is in the stratum, but was not drawn.
    Warns of strata of which no document was drawn.  Raises InputError for a line that has not five columns,
    a relevance that is no integer, a document that a topic has twice, and a stratum named by a negative
    number, which is probably a relevance.
    """
    table = read_table(source, STRATA)
    rows = _group_rows(source.name, table, docno=2, group_name=3)
    sample = Sample(*rows.fields, table.numbers[rows.order])
    _check_once(sample, _one_group(sample))
    negative = [number for number, name in enumerate(sample.group_names) if re.fullmatch(rb"-[0-9]+", name)]
    if negative:
        first = int(sample.line[sample.row_offsets[negative]].min())
        raise InputError(
            sample.name, first, "a stratum named by a negative number", f"columns {STRATA.names}",
            "are stratum and relevance exchanged?",
        )  # fmt: skip
    first_rows = sample.row_offsets[:-1]
    num_drawn = np.add.reduceat(sample.grade >= 0, first_rows)
    if not num_drawn.all():
        text = _warning_of_undrawn(sample, first_rows[num_drawn == 0])
        warnings.warn(text, ReadingWarning, stacklevel=2)
    return sample


def _one_group(sample: Sample) -> IntArray:
    """Return (N,) the same group for all documents, as in a sample a topic has each document once."""
    return np.zeros(len(sample.document), np.int64)


def _warning_of_undrawn(sample: Sample, rows: IntArray) -> str:
    """Return the warning about strata of which no document was drawn.

    rows  (n,) the first row of each
    """
    first = min(rows.tolist(), key=lambda row: int(sample.line[row]))
    strata = plural(len(rows), "stratum", "strata")
    return (
        f"{sample.name}:{sample.line[first]}: {strata} without a judged document (a relevance of 0 or more),"
        f" such as {sample.where(first)}: as in sample_eval.pl, none of their documents is inferred to be"
        " relevant"
    )


def read_prels(source: File) -> UnequalSample:
    """Return the sample of a prels file: lines of topic, docno, relevance, method, inclusion probability.

    Documents of the methods SURE_TO_BE_JUDGED have the probability 1, as in the script of the Million Query
    track, whatever probability the file gives.
    Raises InputError for a line that has not five columns, a relevance that is no integer, a probability that
    is not above 0 and at most 1, and a document that a topic has twice.
    """
    table = read_table(source, PRELS)
    lines = table.line_of(np.arange(len(table))) + 1
    wrong = np.flatnonzero(~((table.numbers > 0) & (table.numbers <= 1)))
    if len(wrong):
        problem = f"inclusion probability {quoted(table.text(int(wrong[0]), 4))}"
        raise InputError(source.name, int(lines[wrong[0]]), problem, "a number above 0 and at most 1")
    rows = _group_rows(source.name, table, docno=1, group_name=3)
    is_sure = [table.text(row, 3) in SURE_TO_BE_JUDGED for row in range(len(table))]
    probability = np.where(is_sure, 1.0, table.numbers)
    texts = [table.text(row, 2) for row in range(len(table))]
    for row, text in enumerate(texts):
        if not re.fullmatch(rb"[+-]?[0-9]{1,18}", text):
            raise InputError(source.name, int(lines[row]), f"relevance {quoted(text)}", "an integer")
    grade = np.array(list(map(int, texts)))
    sample = UnequalSample(*rows.fields, grade[rows.order], probability[rows.order])
    _check_once(sample, _one_group(sample))
    return sample


class _Fields(NamedTuple):
    """The fields of JudgedGroups, in the same order, which all kinds of such judgements begin with."""

    name: str
    pool: Pool
    group_offsets: IntArray
    row_offsets: IntArray
    group_names: Ids
    document: IntArray
    line: IntArray


class _GroupedRows(NamedTuple):
    """The N rows of a table in G groups.

    fields  of JudgedGroups, sorted by topic and group
    group   (N,) the number of each row's group, in the order of the table
    order   (N,) the rows of the table in the order of the fields
    """

    fields: _Fields
    group: IntArray
    order: IntArray


def _group_rows(name: str, table: Lines, docno: int, group_name: int = 1) -> _GroupedRows:
    """Return the rows of a table in groups.

    name        of the file
    docno       number of the column of documents
    group_name  number of the column of names of groups
    """
    topics, lengths = table.column(0).stretches()
    pooled = build_pool(topics, lengths, table.column(docno))
    pool, document = pooled.pool, pooled.document_of_row()
    names = table.column(group_name)
    group, row_of_group = _number_names(names, pool.topic_of[document])
    order = np.argsort(group, kind="stable")
    topic_of_group = pool.topic_of[document[row_of_group]]
    fields = _Fields(
        name=name,
        pool=pool,
        group_offsets=np.searchsorted(topic_of_group, np.arange(len(pool.topics) + 1)),
        row_offsets=np.searchsorted(group[order], np.arange(len(row_of_group) + 1)),
        group_names=names.take(row_of_group),
        document=document[order],
        line=table.line_of(order) + 1,
    )
    return _GroupedRows(fields, group, order)


def _number_names(names: Ids, within: IntArray) -> tuple[IntArray, IntArray]:
    """Return (N,) the number of each name, from 0, and (G,) a row with the name of each number.

    within  (N,) a number for each name, such as of its topic: equal names with different ones are different
    Numbers ascend with `within`, and then with the names in byte order.
    """
    order = names.byte_order(within)
    is_new = np.append(True, np.diff(within[order]) != 0)
    differs_from_name_before = names.take(order).heads()
    is_new[differs_from_name_before] = True
    number = np.empty(len(names), np.int64)
    number[order] = np.cumsum(is_new) - 1
    return number, order[is_new]
