"""Pools: the first documents of every run, judged or not, and samples of them drawn in strata of ranks."""

from __future__ import annotations

import re
import zlib
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field, replace

import numpy as np

from pres_eval.analysis.reproducible import RandomStream
from pres_eval.arrays import AnyInts, BoolArray, FloatArray, Ids, IntArray, narrow
from pres_eval.errors import UsageError, decimal_comma, quoted
from pres_eval.options import Options
from pres_eval.ranking.runs import read_run
from pres_eval.reading.blocks import Block, joined
from pres_eval.reading.file import File
from pres_eval.reading.formats.recognising import recognised
from pres_eval.reading.headings import Role
from pres_eval.reading.judgements.pool import Pool, build_pool
from pres_eval.reading.judgements.relevance import NO_DUPLICATES, QrelsJudgements
from pres_eval.reading.lines import DOCNO_COLUMN, RUN, TOPIC_COLUMN, Lines, no_lines_error, results_of_chunks
from pres_eval.reading.rewriting import Rewriting

Key = tuple[bytes, bytes]
"""A topic and a document."""


@dataclass(frozen=True, eq=False)
class FirstDocuments:
    """The first documents of each topic of a run, judged or not: n of them, topic after topic.

    topics     T ids
    topic_of   (n,) the number of each document's topic, from 0
    documents  n ids
    rank       (n,) from 1; this and topic_of in as few bytes as they need
    warning    that lines of the run may be meant otherwise, if one says so
    """

    topics: tuple[bytes, ...]
    topic_of: AnyInts
    documents: Ids
    rank: AnyInts
    warning: str | None = field(default=None, kw_only=True)

    def __len__(self) -> int:
        return len(self.documents)

    def pairs(self) -> Iterator[Key]:
        """Yield the topic and the id of each document."""
        topics = map(self.topics.__getitem__, self.topic_of.tolist())
        return zip(topics, self.documents.take(slice(None)), strict=True)


def first_documents(
    source: File,
    compat: str = Options.compat,
    depth: int | None = None,
    rewriting: Rewriting | None = None,
) -> FirstDocuments:
    """Return the first `depth` documents of every topic of a run, all if it is None.

    `rewriting`: which documents they become and which are left out before ranks are given.
    The file is read twice: once for its documents, once for their order.  Raises UsageError for standard
    input, InputError for a malformed line.
    """
    if source.path == "-":
        raise UsageError("standard input can't be read twice: save the run in a file first")
    pool = own_pool(source)
    everything = QrelsJudgements(
        name=source.name, pool=pool, grade=np.zeros(len(pool.documents), np.int8), duplicates=NO_DUPLICATES
    )
    if rewriting is not None:
        # All judgements are of documents of the run: what is excluded need not be taken out of them too.
        everything = replace(rewriting, judged_too=False).of_judgements(everything)
        pool = everything.pool
    ranking = read_run(source, everything, Options(compat=compat))
    topic_of = np.repeat(np.arange(len(ranking.topic)), np.diff(ranking.offsets))
    rows = np.flatnonzero(ranking.rank <= depth) if depth is not None else np.arange(len(ranking.rank))
    return FirstDocuments(
        topics=tuple(pool.topics.take(ranking.topic)),
        topic_of=narrow(topic_of[rows]),
        documents=pool.documents.take(ranking.document[rows].astype(np.int64)),
        rank=ranking.rank[rows],
        warning=ranking.warning_of_longer_line,
    )


def own_pool(source: File) -> Pool:
    """Return all documents of a run, in any format, as if somebody had judged them."""
    file_format = recognised(source, Role.RUN)
    if file_format is None:
        blocks = [block for _, block in results_of_chunks(source, RUN, _block, source.chunks(), 1, names="")]
    else:
        blocks = list(file_format.read(source, Role.RUN))
    if not any(len(block.documents) for block in blocks):
        raise no_lines_error(source, RUN)
    block = joined(source.name, blocks)
    return build_pool(block.topics, block.lengths, block.documents.take(slice(None))).pool


def _block(lines: Lines) -> Block:
    """Return the rows of a chunk; raise LineError."""
    lines.checked()
    return Block.of_rows(lines.column(TOPIC_COLUMN), lines.column(DOCNO_COLUMN), lines.numbers)


@dataclass(frozen=True, eq=False)
class ToJudge(FirstDocuments):
    """Documents of a pool, n of them, each once; `rank` is the best in any of the runs.

    runs  (n,) how many runs have a document among their first
    gain  (n,) the sum over runs of the weight of its rank there, see `pool_documents`: the order
          `contribution` puts the largest first
    """

    runs: IntArray
    gain: FloatArray

    @classmethod
    def joined(cls, parts: Sequence[ToJudge]) -> ToJudge:
        """Return the documents of all parts, each once, with its best rank; runs and gain are added up."""
        topics = [topic for part in parts for topic in part.topics]
        lengths = [np.bincount(part.topic_of, minlength=len(part.topics)) for part in parts]
        rank = np.concatenate([part.rank for part in parts])
        runs = np.concatenate([part.runs for part in parts])
        gain = np.concatenate([part.gain for part in parts])
        documents = Ids.concatenate([part.documents for part in parts])
        joined_rows = build_pool(Ids.from_texts(topics), np.concatenate(lengths), documents)
        pool, document = joined_rows.pool, joined_rows.document_of_row()
        by_rank = np.argsort(rank, kind="stable")[::-1]
        best = np.empty(len(pool.documents), np.int64)
        best[document[by_rank]] = rank[by_rank]
        return cls(
            topics=tuple(pool.topics),
            topic_of=pool.topic_of,
            documents=pool.documents,
            rank=best,
            runs=np.bincount(document, runs, len(pool.documents)).astype(np.int64),
            gain=np.bincount(document, gain, len(pool.documents)).astype(np.float64),
        )

    def take(self, rows: IntArray) -> ToJudge:
        """Return the documents of some rows (m,)."""
        return ToJudge(
            topics=self.topics,
            topic_of=self.topic_of[rows],
            documents=self.documents.take(rows),
            rank=self.rank[rows],
            runs=self.runs[rows],
            gain=self.gain[rows],
        )

    def first_of_topics(self, most: int | None) -> ToJudge:
        """Return the first documents of each topic, up to a number, None for all."""
        if most is None:
            return self
        begins = np.searchsorted(self.topic_of, self.topic_of)
        return self.take(np.flatnonzero(np.arange(len(self)) - begins < most))


JUDGING_ORDERS: dict[str, Callable[[ToJudge], FloatArray | IntArray]] = {
    "contribution": lambda documents: -documents.gain,
    "runs": lambda documents: -documents.runs,
    "rank": lambda documents: documents.rank,
    "docno": lambda documents: np.zeros(len(documents)),
}
"""Orders in which documents are judged, by the names that options use; equal ones go by docno."""


_AT_ONCE = 16
"""Runs that are joined at once: memory is then that of their documents, and of all of them each once."""


def pool_documents(
    runs: Sequence[FirstDocuments], persistence: float = 0.8, order: str = "contribution"
) -> ToJudge:
    """Return the documents of several runs, by topic, those first that `order` puts first.

    `gain` is the sum over runs of (1 - p) p^(rank - 1), p the persistence: how much of the runs' rank-biased
    precision hangs on the document (Moffat, Webber & Zobel, SIGIR 2007, doi:10.1145/1277741.1277806, method
    A). Equal ones go by docno.
    """
    deepest = max(int(run.rank.max(initial=0)) for run in runs)
    worth = np.array([(1 - persistence) * persistence**before for before in range(deepest)])
    pooled: list[ToJudge] = []
    for start in range(0, len(runs), _AT_ONCE):
        for run in runs[start : start + _AT_ONCE]:
            pooled.append(ToJudge(**vars(run), runs=np.ones(len(run), np.int64), gain=worth[run.rank - 1]))
        # The first part is the pool of all runs so far.
        pooled = [ToJudge.joined(pooled)]
    documents = pooled[0]
    by_docno = documents.take(documents.documents.byte_order(documents.topic_of))
    return by_docno.take(np.lexsort((JUDGING_ORDERS[order](by_docno), by_docno.topic_of)))


def judged_keys(pool: Pool, grades: Sequence[int]) -> dict[Key, int]:
    """Return the topics and documents of a pool that were judged, with their grades."""
    topics = list(pool.topics)
    grade_of_key = {}
    for topic, document, grade in zip(pool.topic_of.tolist(), pool.documents, grades, strict=True):
        if grade >= 0:
            grade_of_key[topics[topic], document] = grade
    return grade_of_key


def unjudged_qrels(documents: ToJudge) -> bytes:
    """Return the documents as qrels in which nothing is judged yet: relevance -1."""
    return b"".join(b"%s 0 %s -1\n" % key for key in documents.pairs())


NOT_DRAWN, NOT_YET_JUDGED = "-1", "?"
"""Placeholders for relevance: a file with documents to judge cannot be read before somebody judged them."""


@dataclass(frozen=True)
class RankStratum:
    """Documents whose best rank in any run is from `first` to `last`, of which a share is drawn."""

    first: int
    last: int
    share: float

    @classmethod
    def read(cls, text: str) -> tuple[RankStratum, ...]:
        """Read `1-10:1.0,11-100:0.1`.  Raises UsageError for ranks out of order, shares beyond 0 to 1.

        Strata have to follow each other without a gap: ranks between two strata would never be drawn, and
        inferred values would be too low.
        """
        strata: list[RankStratum] = []
        for part in text.split(","):
            last = strata[-1].last if strata else 0
            stratum = cls._of_text(part)
            if stratum is None or stratum.first != last + 1:
                raise UsageError(
                    f"--strata {text}: found {quoted(part)}, expected FIRST-LAST:SHARE with ranks from"
                    f" {last + 1} on and a share above 0 and at most 1, as 1-10:1,11-100:0.1"
                    f"{decimal_comma(text)}"
                )
            strata.append(stratum)
        return tuple(strata)

    @classmethod
    def _of_text(cls, text: str) -> RankStratum | None:
        """Return the stratum of `1-10:0.5`; None for another text, ranks that fall, a share beyond 0 to 1."""
        match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9}):([0-9]*\.?[0-9]+)", text)
        if match is None:
            return None
        stratum = cls(int(match[1]), int(match[2]), float(match[3]))
        if stratum.first > stratum.last or not 0 < stratum.share <= 1:
            return None
        return stratum


@dataclass(frozen=True, eq=False)
class DrawnPool:
    """The pooled documents of strata, n of them.

    stratum  (n,) the number of the stratum of each, from 1
    drawn    (n,) which of them were drawn
    """

    documents: ToJudge
    stratum: IntArray
    drawn: BoolArray

    def lines(self, grades: Mapping[Key, int]) -> bytes:
        """Return judgements of the format strata, with the grades that are known."""
        rows = sorted(zip(self.documents.pairs(), self.stratum.tolist(), self.drawn.tolist(), strict=True))
        lines = []
        for key, number, is_drawn in rows:
            relevance = str(grades.get(key, NOT_YET_JUDGED)) if is_drawn else NOT_DRAWN
            lines.append(b"%s 0 %s %d %s\n" % (*key, number, relevance.encode()))
        return b"".join(lines)


def draw(documents: ToJudge, strata: Sequence[RankStratum], seed: int) -> DrawnPool:
    """Draw of each topic's documents in each stratum the share of it, rounded half up, at least one.

    Which ones depends on the seed, the topic, the number of the stratum, and its documents alone.
    """
    numbers = np.zeros(len(documents), np.int64)
    drawn = np.zeros(len(documents), np.bool_)
    ids = list(documents.documents.take(slice(None)))
    for number, stratum in enumerate(strata, 1):
        inside = np.flatnonzero((stratum.first <= documents.rank) & (documents.rank <= stratum.last))
        numbers[inside] = number
        _, first = np.unique(documents.topic_of[inside], return_index=True)
        # What comes before the first topic is empty.
        for rows in np.split(inside, first)[1:]:
            rows_by_docno = np.array(sorted(rows.tolist(), key=ids.__getitem__), np.int64)
            size = max(int(len(rows) * stratum.share + 0.5), 1)
            topic = documents.topics[documents.topic_of[rows_by_docno[0]]]
            words = RandomStream(seed, number, zlib.crc32(topic)).words(len(rows))
            order = np.argsort(words, kind="stable")
            drawn[rows_by_docno[order[:size]]] = True
    in_strata = np.flatnonzero(numbers)
    return DrawnPool(documents.take(in_strata), numbers[in_strata], drawn[in_strata])
