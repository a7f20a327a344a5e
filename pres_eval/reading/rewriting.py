"""Ids rewritten before ranks are given: chunks to documents, and documents that must not count left out."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from typing import Any

import numpy as np

from pres_eval.arrays import BoolArray, Ids, IdTable, IntArray
from pres_eval.errors import InputError, UsageError, quoted
from pres_eval.reading.blocks import Block
from pres_eval.reading.file import File
from pres_eval.reading.judgements.changed_judgements import with_documents
from pres_eval.reading.judgements.pool import Pool, build_pool
from pres_eval.reading.judgements.relevance import QrelsJudgements, Relevance, as_qrels
from pres_eval.reading.patents import PATENT, map_patents
from pres_eval.reading.patterns import pattern_mapping
from pres_eval.records import dataclass

DENSE, KEPT = "dense", "kept"
MAP_RANKS = (DENSE, KEPT)
"""Values of --map-ranks: where a document comes again, later ranks close up, or stay as they are."""

RUN_ALONE, RUN_AND_QRELS = "run", "both"
EXCLUDE_FROM = (RUN_AND_QRELS, RUN_ALONE)
"""Values of --exclude-from: where documents that must not count are left out."""

IdMapping = Callable[[Ids], tuple[Ids, BoolArray]]
"""Function that returns the ids that ids (N,) become (N,), and which of them (N,) become other ones."""


@dataclass(frozen=True, eq=False)
class Excluded:
    """Documents that must not count.

    pool  these documents, by topic; None: the document whose id is that of the topic (--exclude self)
    """

    pool: Pool | None

    def among(self, topics: Ids, documents: Ids) -> BoolArray:
        """Return (N,) which documents (N,) must not count for their topics (N,)."""
        if self.pool is None:
            rows = np.arange(len(documents))
            return documents.equal(rows, topics, rows)
        topic_of_stretch, lengths = topics.stretches()  # of neighbours with the same topic
        matches = self.pool.join(self.pool.find_topics(topic_of_stretch), lengths, documents)
        is_excluded = np.zeros(len(documents), np.bool_)
        is_excluded[matches.rows] = True
        return is_excluded


@dataclass(frozen=True, eq=False)
class RewrittenRows:
    """Rows of a run after they were rewritten.

    block         rows with mapped documents, without excluded rows
    as_written    the same rows with the documents of the file
    num_mapped    rows whose document became another one, before any were left out
    num_excluded  rows that were left out
    """

    block: Block
    as_written: Block
    num_mapped: int = 0
    num_excluded: int = 0


@dataclass(frozen=True, eq=False, kw_only=True)
class Rewriting:
    """Rewriting of runs and judgements before they are joined: documents are mapped, then some left out.

    Excluded documents may be named by their ids before or after the mapping.

    mapping     the mapping of documents; None: they stay as they are
    dense       whether ranks close up where a document comes again
    excluded    documents that do not count; None: all count
    judged_too  whether excluded documents are left out of the judgements as well
    num_judged  in the rewriting that judgements keep: how many there were before `of_judgements` rewrote them
    """

    mapping: IdMapping | None = None
    dense: bool = True
    excluded: Excluded | None = None
    judged_too: bool = True
    num_judged: int = 0

    def of_run(self, block: Block) -> RewrittenRows:
        """Return the rows of a block of a run with mapped documents, without excluded ones."""
        written = block
        num_mapped = 0
        if self.mapping is not None:
            documents, is_mapped = self.mapping(block.document_ids())
            block = replace(block, documents=documents)
            num_mapped = int(np.count_nonzero(is_mapped))
        if self.excluded is None:
            return RewrittenRows(block, written, num_mapped)
        group_of_row = np.repeat(np.arange(len(block.topics)), block.lengths)
        topics = block.topics.take(group_of_row)
        is_excluded = self._are_excluded(topics, block.document_ids())
        if self.mapping is not None:
            is_excluded |= self._are_excluded(topics, written.document_ids())
        rows = np.flatnonzero(~is_excluded)
        num_excluded = len(group_of_row) - len(rows)
        if not num_excluded:
            return RewrittenRows(block, written, num_mapped)
        lengths = np.bincount(group_of_row[rows], minlength=len(block.topics))
        remaining = block.some_rows(rows, lengths)
        written = replace(remaining, documents=written.documents.take(rows))
        return RewrittenRows(remaining, written, num_mapped, num_excluded)

    def _are_excluded(self, topics: Ids, documents: Ids) -> BoolArray:
        """Return (N,) which documents (N,) of topics (N,) are excluded.

        With `--exclude self` these have the topic's id, or the id that the mapping makes of it: the topic is
        a patent, and they are its family.
        """
        assert self.excluded is not None
        are_excluded = self.excluded.among(topics, documents)
        if self.excluded.pool is None and self.mapping is not None:
            families, _ = self.mapping(topics)
            are_excluded |= self.excluded.among(families, documents)
        return are_excluded

    def of_judgements(self, relevance: Relevance) -> QrelsJudgements:
        """Return judgements with mapped documents, without excluded ones.

        Where several documents become one, the highest grade counts.  The judgements keep this rewriting, so
        that runs that are ranked against them are rewritten too.

        Raises UsageError for judgements that are no qrels, InputError if none are left.
        """
        qrels = as_qrels(relevance, "--map-docs, --exclude")
        pool = qrels.pool
        documents = pool.documents
        if self.mapping is not None:
            documents, _ = self.mapping(documents)
        is_excluded = np.zeros(len(documents), np.bool_)
        if self.excluded is not None and self.judged_too:
            topics = pool.topics.take(pool.topic_of)
            is_excluded = self._are_excluded(topics, documents)
            is_excluded |= self._are_excluded(topics, pool.documents)
        if is_excluded.all():
            problem = "all judgements are of excluded documents"
            raise InputError(qrels.name, None, problem, "some that are not")
        rewriting = replace(self, num_judged=len(documents))
        return with_documents(replace(qrels, rewriting=rewriting), documents, np.flatnonzero(~is_excluded))


class FileMapping:
    """Mapping of the ids in the first column of a file to those in its second."""

    def __init__(self, name: str, first: Ids, second: Ids, lines: IntArray) -> None:
        """Index the ids of both columns (N,), which are in these lines (N,) of the file of this name.

        Raises InputError for an id that becomes two different ones.
        """
        self._table, self._targets = IdTable(first), second
        self._arguments = name, first, second, lines
        repeats, first_of_repeats = self._table.repeats, self._table.first
        others = repeats[~second.equal(repeats, second, first_of_repeats)]
        if len(others):
            row = int(others.min())
            problem = f"document {quoted(first[row])} again, for another one"
            raise InputError(name, int(lines[row]), problem, "one document for each")
        rows = np.arange(len(first))
        self._is_another = ~first.equal(rows, second, rows)
        """(N,) whether the id in the second column is another one than that in the first."""

    def __reduce__(self) -> tuple[Any, ...]:
        return FileMapping, self._arguments  # another process has other hashes

    def __call__(self, ids: Ids) -> tuple[Ids, BoolArray]:
        """Return the mapped ids (N,), and which of them (N,) are other ones; ids not in the file stay."""
        target_rows = self._table.find(ids)
        known, unknown = np.flatnonzero(target_rows >= 0), np.flatnonzero(target_rows < 0)
        is_another = np.zeros(len(ids), np.bool_)
        is_another[known] = self._is_another[target_rows[known]]
        if not len(unknown):
            return self._targets.take(target_rows), is_another
        unknown_then_mapped = Ids.concatenate([ids.take(unknown), self._targets.take(target_rows[known])])
        index = np.empty(len(ids), np.int64)  # of each row among these
        index[unknown] = np.arange(len(unknown))
        index[known] = len(unknown) + np.arange(len(known))
        return unknown_then_mapped.take(index), is_another


def rewriting_of(map_docs: Any, map_ranks: str, exclude: Any, exclude_from: str) -> Rewriting:
    """Return the rewriting of these options.

    map_docs      the value of --map-docs, an IdMapping, or None
    map_ranks     one of MAP_RANKS
    exclude       the value of --exclude, an Excluded, or None
    exclude_from  one of EXCLUDE_FROM
    Raises UsageError and InputError as `read_mapping` and `read_excluded` do.
    """
    mapping, excluded = map_docs, exclude
    if isinstance(map_docs, str):
        mapping = read_mapping(map_docs)
    if isinstance(exclude, str):
        excluded = read_excluded(exclude)
    return Rewriting(
        mapping=mapping,
        dense=map_ranks == DENSE,
        excluded=excluded,
        judged_too=exclude_from == RUN_AND_QRELS,
    )


def read_mapping(text: str) -> IdMapping:
    """Return the mapping of a value of --map-docs: a file, a regular expression with a group, or `patent`.

    Raises UsageError for other values, InputError for a file that cannot be read, or maps an id to two ids.
    """
    import os

    from pres_eval.reading.id_files import read_pairs

    if text == PATENT and not os.path.exists(text):  # noqa: PTH110
        return map_patents
    if not os.path.exists(text) and text != "-":  # noqa: PTH110 - pathlib takes a while to import
        if "(" not in text:
            raise UsageError(
                f"--map-docs {text}: no such file, and no pattern with a group, such as '^(.*)#\\d+$'; patent"
                " maps publications to their numbers"
            )
        return pattern_mapping(text)
    return FileMapping(text, *read_pairs(File(text), "docno document"))


def read_excluded(text: str) -> Excluded:
    """Return the excluded documents of a value of --exclude: a file (topic docno, or as qrels), or `self`.

    Raises InputError for a file that cannot be read.
    """
    from pres_eval.reading.id_files import read_pairs

    if text == "self":
        return Excluded(None)
    topic_column, documents, _ = read_pairs(File(text), "topic docno", also="topic iteration docno relevance")
    topics, lengths = topic_column.stretches()
    return Excluded(build_pool(topics, lengths, documents).pool)
