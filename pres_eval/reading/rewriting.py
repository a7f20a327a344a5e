"""Ids rewritten before ranks are given: chunks to documents, and documents that must not count left out."""

from __future__ import annotations

import re
from collections.abc import Callable
from dataclasses import replace
from itertools import count
from typing import Any

import numpy as np

from pres_eval.arrays import (
    DIGITS,
    WORD,
    BoolArray,
    Ids,
    IntArray,
    KeyTable,
    Texts,
    WordIds,
    ending_in,
    equal,
    stretches_of,
    stripped,
)
from pres_eval.errors import InputError, UsageError, quoted
from pres_eval.reading.blocks import Block, Documents
from pres_eval.reading.changed_judgements import with_documents
from pres_eval.reading.patents import PATENT, map_patents
from pres_eval.reading.pool import Pool, build_pool
from pres_eval.reading.relevance import QrelsJudgements, Relevance, as_qrels
from pres_eval.reading.source import Source
from pres_eval.records import dataclass

DENSE, KEPT = "dense", "kept"
MAP_RANKS = (DENSE, KEPT)
"""Values of --map-ranks: ranks close up where a document comes again, or not."""

RUN, BOTH = "run", "both"
EXCLUDE_FROM = (BOTH, RUN)
"""Values of --exclude-from."""

Mapping = Callable[[Ids], tuple[Documents, BoolArray]]
"""Ids (N,) -> the ids that they become (N,), and which of them (N,) are others."""


@dataclass(frozen=True, eq=False)
class Excluded:
    """Documents that must not count: those of a pool for its topics, or (None) each topic's own id."""

    pool: Pool | None

    def among(self, topics: Ids, documents: WordIds) -> BoolArray:
        """Return which documents (N,) must not count for their topics (N,)."""
        if self.pool is None:
            return equal(documents.take(slice(None)), topics)
        heads, lengths = stretches_of(topics)
        among = np.zeros(len(documents), np.bool_)
        among[self.pool.join(self.pool.find_topics(heads), lengths, documents).rows] = True
        return among


@dataclass(frozen=True, eq=False, kw_only=True)
class Rewriting:
    """Rewriting of the documents of runs and judgements before they are joined: mapped, then excluded.

    Excluded documents may be named by their ids before or after the mapping.

    mapping    the mapping of documents; None: they stay as they are
    dense      whether ranks close up where a document comes again
    excluded   documents that do not count; None: all count
    judged_too whether it is taken out of the judgements as well
    num_judged judgements before they were rewritten; 0 until then
    """

    mapping: Mapping | None = None
    dense: bool = True
    excluded: Excluded | None = None
    judged_too: bool = True
    num_judged: int = 0

    def of_run(self, block: Block) -> tuple[Block, Documents, int, int]:
        """Return a block of a run rewritten: N rows, and their documents (N,) as they are in the file.

        Then come how many rows have another id, and how many were left out.
        """
        documents, num_mapped, written = block.documents, 0, block.documents
        if self.mapping is not None:
            ids = (
                documents.ids
                if isinstance(documents, Texts)
                else documents.pick(slice(None)).take(slice(None))
            )
            documents, changed = self.mapping(ids)
            num_mapped = int(np.count_nonzero(changed))
            block = replace(block, documents=documents)
        if self.excluded is None:
            return block, written, num_mapped, 0
        group = np.repeat(np.arange(len(block.topics)), block.lengths)
        topics = block.topics.take(group)
        gone = self._gone(topics, documents.pick(slice(None)))
        if written is not documents:
            gone |= self._gone(topics, written.pick(slice(None)))
        kept = np.flatnonzero(~gone)
        if len(kept) == len(gone):
            return block, written, num_mapped, 0
        lengths = np.bincount(group[kept], minlength=len(block.topics))
        # As in a file without these lines, a topic of which nothing is left is not there.
        there = np.flatnonzero(lengths > 0)
        rewritten = Block(
            topics=block.topics.take(there),
            lengths=lengths[there],
            documents=documents.pick(kept),
            numbers=block.numbers[kept],
            lines=None if block.lines is None else block.lines[kept],
        )
        of_kept = written if written is documents else written.pick(kept)
        return rewritten, of_kept, num_mapped, len(gone) - len(kept)

    def _gone(self, topics: Ids, documents: WordIds) -> BoolArray:
        """Return which documents (N,) of topics (N,) are excluded.

        With `self` they are those of the topic's id, or of what the mapping makes of it: its family.
        """
        assert self.excluded is not None
        gone = self.excluded.among(topics, documents)
        if self.excluded.pool is None and self.mapping is not None:
            families, _ = self.mapping(topics)
            gone |= self.excluded.among(families.pick(slice(None)).take(slice(None)), documents)
        return gone

    def of_judgements(self, relevance: Relevance) -> QrelsJudgements:
        """Return judgements rewritten, of which runs are ranked so; the highest of several grades counts.

        Raises UsageError for judgements that are no qrels, InputError if none are left.
        """
        qrels = as_qrels(relevance, "--map-docs, --exclude")
        pool = qrels.pool
        documents = pool.documents
        if self.mapping is not None:
            found, _ = self.mapping(documents.take(slice(None)))
            documents = found.pick(slice(None))
        kept = np.ones(len(documents), np.bool_)
        if self.excluded is not None and self.judged_too:
            topics = pool.topics.take(pool.topic_of)
            excluded = self._gone(topics, documents)
            kept = ~(excluded | self._gone(topics, pool.documents))
        if not kept.any():
            gone = "all judgements are of excluded documents"
            raise InputError(qrels.name, None, gone, "some that are not")
        rewriting = replace(self, num_judged=len(documents))
        return with_documents(replace(qrels, rewriting=rewriting), documents, np.flatnonzero(kept))


class FileMapping:
    """The ids in one column become those in another; both have a row for each id (N,)."""

    def __init__(self, name: str, first: WordIds, second: WordIds, lines: IntArray) -> None:
        """Index the ids; raises InputError for one that occurs twice, with its line (N,)."""
        self._ids, self._targets = first, second
        self._made_of = name, first, second, lines
        for self._seed in count():
            self._table = KeyTable(first.hashes(self._seed))
            again, before = self._table.repeats()
            same = first.equal(again, first, before)
            if same.all():
                break
        other = again[~second.equal(again, second, before)]
        if len(other):
            row = int(other.min())
            found = f"document {quoted(first[row])} again, for another one"
            raise InputError(name, int(lines[row]), found, "one document for each")

    def __reduce__(self) -> tuple[Any, ...]:
        return FileMapping, self._made_of  # another process has other hashes

    def __call__(self, ids: Ids) -> tuple[Documents, BoolArray]:
        """Return the mapped ids (N,), and which of them changed (N,); unknown ones stay."""
        own = WordIds.of(ids)
        row = self._table.find(own.hashes(self._seed))
        there = np.flatnonzero(row >= 0)
        there = there[own.equal(there, self._ids, row[there])]
        changed = np.zeros(len(ids), np.bool_)
        changed[there] = True
        if len(there) == len(ids):
            return self._targets.pick(row), changed
        rest = np.flatnonzero(~changed)
        both = WordIds.concatenate([own.pick(rest), self._targets.pick(row[there])])
        order = np.empty(len(ids), np.int64)
        order[rest], order[there] = np.arange(len(rest)), len(rest) + np.arange(len(there))
        return both.pick(order), changed


LONGEST_MATCHED_ID = 2_048
"""Bytes of an id for a pattern: the search from each of its places takes time for the square of them."""


def pattern_mapping(text: str) -> Mapping:
    """Return the mapping of a regular expression; raise UsageError for one without a group."""
    try:
        pattern = re.compile(text.encode("utf-8", "surrogateescape"))
    except re.error as error:
        raise UsageError(f"--map-docs {text}: not a regular expression ({error})") from None
    if pattern.groups == 0:
        raise UsageError(
            f"--map-docs {text}: found no group, expected one or more, for the id of the document:"
            " '^(.*)#\\d+$'"
        )
    return PatternMapping(text) if pattern.groups == 1 else GroupsMapping(text)


class GroupsMapping:
    """Ids become the groups of a regular expression, joined; those in which it is not found stay."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._pattern = re.compile(text.encode("utf-8", "surrogateescape"))

    def __reduce__(self) -> tuple[Any, ...]:
        return GroupsMapping, (self._text,)

    def __call__(self, ids: Ids) -> tuple[Documents, BoolArray]:
        """Return the mapped ids (N,), and which of them changed (N,)."""
        before = list(ids)
        after = [self._joined(text) or text for text in before]
        changed = np.array([text != other for text, other in zip(before, after, strict=True)], np.bool_)
        return WordIds.of(Ids.of(after)), changed

    def _joined(self, text: bytes) -> bytes:
        match = self._pattern.search(text)
        return b"" if match is None else b"".join(group or b"" for group in match.groups())


class PatternMapping:
    """Ids become the group of a regular expression; those in which it is not found stay as they are."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._pattern = re.compile(text.encode("utf-8", "surrogateescape"))
        digits = re.fullmatch(
            r"\^?\(\.[*+]\??\)((?:[^\\.*+?()\[\]{}|^$\d]|\\[^\w\s])+)(?:\\d|\[0-9\])\+\$", text
        )
        before = None if digits is None else re.sub(r"\\(.)", r"\1", digits[1])
        self._before_number = None if before is None else before.encode("utf-8", "surrogateescape")
        self._kinds = _kinds_of_bytes(self._pattern.pattern)

    def __reduce__(self) -> tuple[Any, ...]:
        return PatternMapping, (self._text,)

    def __call__(self, ids: Ids) -> tuple[Documents, BoolArray]:
        """Return the mapped ids (N,), and which of them changed (N,); raise InputError for a long id."""
        if self._before_number is not None:
            starts, lengths = ids.starts, _without_number(ids, self._before_number)
        else:
            self._check_lengths(ids)
            rows, alike = (slice(None), slice(None)) if self._kinds is None else _alike(ids, self._kinds)
            spans = [self._span(text) for text in ids.take(rows)]
            edges = np.array(spans, np.int64).reshape(-1, 2)[alike]
            starts, lengths = ids.starts + edges[:, 0], edges[:, 1] - edges[:, 0]
        changed = (lengths != ids.lengths) | (starts != ids.starts)
        return Texts(Ids(ids.buffer, starts, lengths)), changed

    def _check_lengths(self, ids: Ids) -> None:
        """Raise InputError for an id that is so long that the pattern might search it for minutes."""
        if ids.lengths.max(initial=0) > LONGEST_MATCHED_ID:
            longest = ids[int(ids.lengths.argmax())]
            raise InputError(
                f"--map-docs {self._text}",
                None,
                f"docno {quoted(longest)} of {len(longest):,} bytes",
                f"at most {LONGEST_MATCHED_ID:,} for a pattern",
                "a file of docno and document maps longer ones",
            )

    def _span(self, text: bytes) -> tuple[int, int]:
        found = self._pattern.search(text)
        # An empty id would be no id.
        return (0, len(text)) if found is None or found.start(1) == found.end(1) else found.span(1)


def _without_number(ids: Ids, before: bytes) -> IntArray:
    """Return the lengths of ids (N,) without a number at their end and the text before it.

    What most patterns ask for, a hundred times as fast as by one regular expression an id.
    """
    left = stripped(ids, ids.lengths, DIGITS)
    rows = ending_in(ids, left, before)
    rows = rows[(left[rows] < ids.lengths[rows]) & (left[rows] > len(before))]
    lengths = ids.lengths.copy()
    lengths[rows] = left[rows] - len(before)
    return lengths


_TOKENS = re.compile(rb"\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|\{(?:\d+,?\d*|,\d*)\}|.", re.DOTALL)
"""Sets of bytes, escapes, and numbers of repetitions, which name no byte."""


def _kinds_of_bytes(pattern: bytes) -> bytes | None:
    """Return the kind of each byte (256,), from 1; None for a pattern that needs more than the kinds.

    A pattern names bytes, ranges and classes of them. Bytes between which none of these begins or ends are
    of one kind: the pattern finds the same in two ids with the same kinds.
    """
    if re.search(rb"\\[0-9x]|\(\?(?![:=!<]|P<)", pattern):
        return None  # flags, and groups that are named again
    begins = np.zeros(257, np.bool_)
    begins[:34] = True  # blanks, and the end of a line
    for token in _TOKENS.findall(pattern):
        for named in re.findall(rb"\\.|\w-\w|.", token, re.DOTALL) if len(token) > 2 else [token]:
            if named[:1] == b"\\" and named[1:].isalpha():
                begins[list(b"0:" if named[1:] in b"dD" else b"0:A[_`a{")] = True
            elif token[:1] != b"{" or len(token) == 1:
                begins[[named[0] if len(named) > 2 else named[-1], named[-1] + 1]] = True
    return np.cumsum(begins[:256]).astype(np.uint8).tobytes()


def _alike(ids: Ids, kinds: bytes) -> tuple[IntArray, IntArray]:
    """Return rows (m,) with an id of each form, and (N,) which of them has the form of each id.

    The form of an id is the kinds (256,) of its bytes. A form that shares its slot with another may come
    several times.
    """
    low, high = int(ids.starts.min(initial=0)), int((ids.starts + ids.lengths).max(initial=0))
    text = ids.buffer[low : high + 2 * WORD].tobytes().translate(kinds)
    forms = WordIds.of(Ids(np.frombuffer(text, np.uint8), ids.starts - low, ids.lengths))
    slot = (forms.hashes() >> np.uint64(48)).view(np.int64)
    every: IntArray = np.arange(len(ids))
    owner = np.zeros(1 << 16, np.int64)
    owner[slot] = every
    like = owner[slot]
    others = np.flatnonzero(~forms.equal(every, forms, like))
    like[others] = others
    rows = np.flatnonzero(like == every)
    place = np.empty_like(every)
    place[rows] = np.arange(len(rows))
    return rows, place[like]


def rewriting_of(map_docs: Any, map_ranks: str, exclude: Any, exclude_from: str) -> Rewriting:
    """Return the rewriting of --map-docs and --exclude; mappings and exclusions may be made already."""
    return Rewriting(
        mapping=read_mapping(map_docs) if isinstance(map_docs, str) else map_docs,
        dense=map_ranks == DENSE,
        excluded=read_excluded(exclude) if isinstance(exclude, str) else exclude,
        judged_too=exclude_from == BOTH,
    )


def read_mapping(text: str) -> Mapping:
    """Return the mapping of a file, or of a regular expression with a group.

    Raises UsageError for other values, InputError for a file that cannot be read, or names an id twice.
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
    return FileMapping(text, *read_pairs(Source(text), "docno document"))


def read_excluded(text: str) -> Excluded:
    """Return the excluded documents of a file (topic docno, or as qrels), or of "self".

    Raises InputError for a file that cannot be read.
    """
    from pres_eval.reading.id_files import read_pairs

    if text == "self":
        return Excluded(None)
    ids, documents, _ = read_pairs(Source(text), "topic docno", also="topic iteration docno relevance")
    topics, lengths = stretches_of(ids.take(slice(None)))
    return Excluded(build_pool(topics, lengths, documents).pool)
