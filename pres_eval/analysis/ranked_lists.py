"""The ranked documents of a run, judged or not, for comparisons of two runs."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np

from pres_eval.analysis.pooling import own_pool
from pres_eval.arrays import Ids, IntArray
from pres_eval.batches.topics import cut_to_depth
from pres_eval.errors import InputError, UsageError
from pres_eval.options import Options
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.runs import read_run
from pres_eval.reading.blocks import joined
from pres_eval.reading.formats.recognising import recognised
from pres_eval.reading.headings import Role
from pres_eval.reading.judgements.pool import Pool, build_pool
from pres_eval.reading.judgements.relevance import NO_DUPLICATES, QrelsJudgements
from pres_eval.reading.rewriting import Rewriting
from pres_eval.reading.run_files import RunFiles, text_at


@dataclass(frozen=True, eq=False)
class RankedLists:
    """The T ranked lists of a run, in byte order of their topics.

    name, tag  of the run
    topics     T ids
    offsets    (T+1,) where each topic's documents begin
    documents  N ids, topic by topic, those of a topic from rank 1 on
    warning    about lines of the run that are longer than expected; None if there are none
    """

    name: str
    tag: str
    topics: tuple[bytes, ...]
    offsets: IntArray
    documents: Ids
    warning: str | None = None

    def of_topic(self, number: int) -> list[bytes]:
        """Return the documents of the topic with this index, from rank 1 on."""
        start, stop = self.offsets[number : number + 2].tolist()
        return list(self.documents[start:stop])

    def with_lists(self, by_topic: Mapping[bytes, Sequence[bytes]]) -> RankedLists:
        """Return the same run with these lists of documents, by topic, in place of its own."""
        topics = sorted(by_topic)
        lengths = [len(by_topic[topic]) for topic in topics]
        documents = [document for topic in topics for document in by_topic[topic]]
        return replace(
            self,
            topics=tuple(topics),
            offsets=np.cumsum([0, *lengths]),
            documents=Ids.from_texts(documents),
        )

    def number_of_topic(self) -> dict[bytes, int]:
        """Return the index of each topic."""
        return {topic: number for number, topic in enumerate(self.topics)}


def paired_lists(first: RankedLists, second: RankedLists) -> Iterator[tuple[bytes, list[bytes], list[bytes]]]:
    """Yield each topic that either run has, with its two lists; a run that lacks it has an empty one."""
    in_first, in_second = first.number_of_topic(), second.number_of_topic()
    for topic in sorted({*in_first, *in_second}):
        first_list = first.of_topic(in_first[topic]) if topic in in_first else []
        second_list = second.of_topic(in_second[topic]) if topic in in_second else []
        yield topic, first_list, second_list


def read_ranked_lists(run: RunFiles, options: Options, rewriting: Rewriting | None = None) -> RankedLists:
    """Return the ranked lists of a run in any format, cut and ordered as the options say.

    rewriting  the documents to rename or to leave out before ranks are counted; None: none
    The file is read twice: once for its documents, once for their order.  Raises UsageError for standard
    input, InputError for a malformed line.
    """
    if any(source.path == "-" for source in run.sources):
        raise UsageError("standard input can't be read twice: save the run in a file first")
    pool = _pool_of(run)
    everything = QrelsJudgements(
        name=run.name, pool=pool, grade=np.zeros(len(pool.documents), np.int8), duplicates=NO_DUPLICATES
    )
    if rewriting is not None:
        # All judgements are of documents of the run: what is excluded need not be taken out of them too.
        everything = replace(rewriting, judged_too=False).of_judgements(everything)
        pool = everything.pool
    ranking = read_run(run, everything, options)
    ranked: Ranked = ranking
    if options.max_retrieved is not None:
        ranked = cut_to_depth(ranking, options.max_retrieved)
    order = np.argsort(ranked.topic, kind="stable")  # the pool's topics are in byte order
    lengths = np.diff(ranked.offsets)
    rows_of_topics = [
        np.arange(ranked.offsets[number], ranked.offsets[number + 1]) for number in order.tolist()
    ]
    no_rows = np.zeros(0, np.int64)  # np.concatenate needs an array, also for a run without topics
    documents = ranked.document[np.concatenate([*rows_of_topics, no_rows])].astype(np.int64)
    return RankedLists(
        name=run.name,
        tag=ranking.tag,
        topics=tuple(pool.topics.take(ranked.topic[order])),
        offsets=np.concatenate(([0], np.cumsum(lengths[order]))),
        documents=pool.documents.take(documents),
        warning=ranking.warning_of_longer_line,
    )


def _pool_of(run: RunFiles) -> Pool:
    """Return the pool of all documents of a run, judged or not; the run may have any format."""
    try:
        return own_pool(text_at(run.name) if len(run.sources) > 1 else run.sources[0])
    except InputError:
        # For a file in another format without any row, that format's own reader has a better message.
        other_format = recognised(run.sources[0], Role.RUN) if len(run.sources) == 1 else None
        if other_format is None:
            raise
    block = joined(run.name, other_format.read(run.sources[0], Role.RUN))
    return build_pool(block.topics, block.lengths, block.document_ids()).pool
