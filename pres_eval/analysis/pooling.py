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
    topic_of   (n,) the index of each document's topic, ascending; in as few bytes as it needs
    documents  n ids
    rank       (n,) from 1; in as few bytes as it needs
    warning    about lines of the run that are longer than expected; None if there are none
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
        return zip(topics, self.documents, strict=True)


def first_documents(
    source: File,
    compat: str = Options.compat,
    depth: int | None = None,
    rewriting: Rewriting | None = None,
    duplicates: str = Options.duplicates,
) -> FirstDocuments:
    """Return the first documents of every topic of a run.

    compat      the trec_eval whose order of equal scores counts: a value of --compat
    depth       how many of each topic; None: all
    rewriting   the documents to rename or to leave out before ranks are counted; None: none
    duplicates  which line counts of a document that a topic has twice: a value of --duplicates

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
        # They keep the rewriting, which `read_run` applies.
        everything = replace(rewriting, judged_too=False).of_judgements(everything)
        pool = everything.pool
    ranking = read_run(source, everything, Options(compat=compat, duplicates=duplicates))
    topic_of = np.repeat(np.arange(len(ranking.topic)), np.diff(ranking.offsets))
    rows = np.arange(len(ranking.rank))
    if depth is not None:
        rows = np.flatnonzero(ranking.rank <= depth)
    return FirstDocuments(
        topics=tuple(pool.topics.take(ranking.topic)),
        topic_of=narrow(topic_of[rows]),
        documents=pool.documents.take(ranking.document[rows].astype(np.int64)),
        rank=ranking.rank[rows],
        warning=ranking.warning_of_longer_line,
    )


def own_pool(source: File) -> Pool:
    """Return the pool of all documents of a run, judged or not; the run may have any format."""
    file_format = recognised(source, Role.RUN)
    if file_format is None:
        # Without names of columns an error has no advice: `read_run` reads the file again, and has some.
        chunks = results_of_chunks(source, RUN, work=_block, chunks=source.chunks(), jobs=1, names="")
        blocks = [block for _, block in chunks]
    else:
        blocks = list(file_format.read(source, Role.RUN))
    if not any(len(block.documents) for block in blocks):
        raise no_lines_error(source, RUN)
    block = joined(source.name, blocks)
    return build_pool(block.topics, block.lengths, block.document_ids()).pool


def _block(lines: Lines) -> Block:
    """Return the topics and documents of a chunk of a run; raise LineError for a malformed line."""
    lines.checked()
    return Block.of_rows(lines.column(TOPIC_COLUMN), lines.column(DOCNO_COLUMN), lines.numbers)


@dataclass(frozen=True, eq=False)
class ToJudge(FirstDocuments):
    """Documents of a pool, n of them, each once; `rank` is the best in any of the runs.

    runs  (n,) how many runs have the document among their first ones
    gain  (n,) the sum of the weights of its ranks in the runs, see `pool_documents`
    """

    runs: IntArray
    gain: FloatArray

    @classmethod
    def joined(cls, parts: Sequence[ToJudge]) -> ToJudge:
        """Return the documents of all parts, each once, with its best rank; runs and gain are added up.

        Warnings are not joined: they were shown when the runs were read.
        """
        topics = [topic for part in parts for topic in part.topics]
        lengths = [np.bincount(part.topic_of, minlength=len(part.topics)) for part in parts]
        rank = np.concatenate([part.rank for part in parts])
        runs = np.concatenate([part.runs for part in parts])
        gain = np.concatenate([part.gain for part in parts])
        documents = Ids.concatenate([part.documents for part in parts])
        joined_rows = build_pool(Ids.from_texts(topics), np.concatenate(lengths), documents)
        pool, document = joined_rows.pool, joined_rows.document_of_row()
        # The lowest rank of a document is written last.
        worst_first = np.argsort(rank, kind="stable")[::-1]
        best = np.empty(len(pool.documents), np.int64)
        best[document[worst_first]] = rank[worst_first]
        return cls(
            topics=tuple(pool.topics),
            topic_of=pool.topic_of,
            documents=pool.documents,
            rank=best,
            runs=np.bincount(document, runs, len(pool.documents)).astype(np.int64),
            gain=np.bincount(document, gain, len(pool.documents)).astype(np.float64),
        )

    def take(self, rows: IntArray) -> ToJudge:
        """Return the documents with these indices (m,), in this order."""
        return ToJudge(
            topics=self.topics,
            topic_of=self.topic_of[rows],
            documents=self.documents.take(rows),
            rank=self.rank[rows],
            runs=self.runs[rows],
            gain=self.gain[rows],
        )

    def first_of_topics(self, most: int | None) -> ToJudge:
        """Return the first `most` documents of each topic, in the present order; None: all."""
        if most is None:
            return self
        first_of_topic = np.searchsorted(self.topic_of, self.topic_of)
        number_in_topic = np.arange(len(self)) - first_of_topic
        return self.take(np.flatnonzero(number_in_topic < most))


JUDGING_ORDERS: dict[str, Callable[[ToJudge], FloatArray | IntArray]] = {
    "contribution": lambda documents: -documents.gain,
    "runs": lambda documents: -documents.runs,
    "rank": lambda documents: documents.rank,
    "docno": lambda documents: np.zeros(len(documents)),
}
"""Orders in which documents are judged, by the names that options use: keys (n,), the least first.

Documents with equal keys go by docno.
"""


_RUNS_AT_ONCE = 16
"""Runs that are joined at once: memory holds their documents, and the pool of all runs before them."""


def pool_documents(
    runs: Sequence[FirstDocuments], persistence: float = 0.8, order: str = "contribution"
) -> ToJudge:
    """Return the documents of several runs by topic, in one of JUDGING_ORDERS.

    `gain` is the sum over runs of (1 - p) p^(rank - 1), p the persistence: how much of the runs' rank-biased
    precision depends on the document (method A of Moffat, Webber & Zobel).
    Source: Moffat, Webber & Zobel, SIGIR 2007, doi:10.1145/1277741.1277806.
    """
    deepest = max(int(run.rank.max(initial=0)) for run in runs)
    weight_of_rank = np.array([(1 - persistence) * persistence**before for before in range(deepest)])
    pooled: list[ToJudge] = []
    for start in range(0, len(runs), _RUNS_AT_ONCE):
        for run in runs[start : start + _RUNS_AT_ONCE]:
            gain = weight_of_rank[run.rank - 1]
            pooled.append(ToJudge(**vars(run), runs=np.ones(len(run), np.int64), gain=gain))
        # The first part is the pool of all runs so far.
        pooled = [ToJudge.joined(pooled)]
    documents = pooled[0]
    by_docno = documents.take(documents.documents.byte_order(documents.topic_of))
    return by_docno.take(np.lexsort((JUDGING_ORDERS[order](by_docno), by_docno.topic_of)))


def grade_of_judged(pool: Pool, grades: Sequence[int]) -> dict[Key, int]:
    """Return the grades of a pool's documents that were judged; negative grades are left out."""
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
"""Placeholders for relevance.  Readers refuse "?", so that no file is used before all of it is judged."""


@dataclass(frozen=True)
class RankStratum:
    """Documents whose best rank in any run is from `first` to `last`, and the share of them to draw."""

    first: int
    last: int
    share: float

    @classmethod
    def read(cls, text: str) -> tuple[RankStratum, ...]:
        """Return the strata of a text such as `1-10:1.0,11-100:0.1`.

        Raises UsageError for ranks out of order, and for shares that are not above 0 and at most 1.  Strata
        have to follow each other without a gap: ranks between two strata would never be drawn, and inferred
        values would be too low.
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
        """Return the stratum of a text such as `1-10:0.5`; None for other texts, ranks and shares."""
        match = re.fullmatch(r"([0-9]{1,9})-([0-9]{1,9}):([0-9]*\.?[0-9]+)", text)
        if match is None:
            return None
        stratum = cls(int(match[1]), int(match[2]), float(match[3]))
        if stratum.first > stratum.last or not 0 < stratum.share <= 1:
            return None
        return stratum


@dataclass(frozen=True, eq=False)
class DrawnPool:
    """The n pooled documents that belong to a stratum.

    stratum  (n,) the number of each document's stratum, from 1
    drawn    (n,) whether the document was drawn
    """

    documents: ToJudge
    stratum: IntArray
    drawn: BoolArray

    def lines(self, grades: Mapping[Key, int]) -> bytes:
        """Return judgements of the format strata: lines `topic 0 docno stratum relevance`.

        grades  the known grades; a drawn document without one gets NOT_YET_JUDGED
        """
        rows = sorted(zip(self.documents.pairs(), self.stratum.tolist(), self.drawn.tolist(), strict=True))
        lines = []
        for key, number, is_drawn in rows:
            relevance = str(grades.get(key, NOT_YET_JUDGED)) if is_drawn else NOT_DRAWN
            lines.append(b"%s 0 %s %d %s\n" % (*key, number, relevance.encode()))
        return b"".join(lines)


def draw(documents: ToJudge, strata: Sequence[RankStratum], seed: int) -> DrawnPool:
    """Draw from each topic's documents in each stratum the stratum's share, rounded half up, at least one.

    documents  topic after topic
    The choice depends only on the seed, the topic, the number of the stratum and its documents.
    """
    numbers = np.zeros(len(documents), np.int64)
    drawn = np.zeros(len(documents), np.bool_)
    ids = list(documents.documents)
    for number, stratum in enumerate(strata, 1):
        inside = np.flatnonzero((stratum.first <= documents.rank) & (documents.rank <= stratum.last))
        numbers[inside] = number
        _, begins_of_topics = np.unique(documents.topic_of[inside], return_index=True)
        # The documents of each topic; the stretch before the first topic is empty.
        for rows in np.split(inside, begins_of_topics)[1:]:
            rows_by_docno = np.array(sorted(rows.tolist(), key=ids.__getitem__), np.int64)
            # The small number: 45 * 0.7 is 31.499999999999996, and 31.5 is rounded up.
            size = max(int(len(rows) * stratum.share + 0.5 + 1e-9), 1)
            topic = documents.topics[documents.topic_of[rows_by_docno[0]]]
            random_words = RandomStream(seed, number, zlib.crc32(topic)).words(len(rows))
            random_order = np.argsort(random_words, kind="stable")
            drawn[rows_by_docno[random_order[:size]]] = True
    in_strata = np.flatnonzero(numbers)
    return DrawnPool(documents.take(in_strata), numbers[in_strata], drawn[in_strata])
