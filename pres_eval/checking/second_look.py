"""A second look at a run that is ranked: some rows are read again, for faults that few runs have.

To look for these while a run is read would cost all runs time.  Once it is ranked, it is known which topics
have judged documents that the run did not retrieve: rows of these topics are read again, from the beginning
of the file.  Their ids may be written in another way than those of the judgements.
"""

from __future__ import annotations

import contextlib
from collections.abc import Generator, Iterable, Iterator, Sequence
from dataclasses import replace
from itertools import compress

import numpy as np

from pres_eval.arrays import AnyInts, IntArray, lengths_at, rows_of_stretches
from pres_eval.checking.notations import Respelling
from pres_eval.checking.respelling import respelled_documents
from pres_eval.errors import InputError
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.blocks import Block
from pres_eval.reading.file import File
from pres_eval.reading.headings import Role
from pres_eval.reading.judgements.pool import Pool
from pres_eval.reading.judgements.relevance import Relevance
from pres_eval.reading.lines import (
    RANK_COLUMN,
    RUN,
    SCORE_COLUMN,
    TOPIC_COLUMN,
    Lines,
    block_of_lines,
    parse_lines,
)
from pres_eval.reading.mistakes.table_faults import FEWEST_RANKS, row_of_exchanged
from pres_eval.reading.numbers import read_number, read_numbers, read_whole_numbers
from pres_eval.reading.run_files import TREC, RunFiles
from pres_eval.records import dataclass

PIECE_BYTES = 1 << 17
"""Bytes of a run that are read again at a time."""

MOST_PIECES = 64
"""Pieces that are read at most of a run that is the only one; of several runs, one piece of each is read."""

MOST_ROWS_COMPARED = 1 << 13
"""Rows of the topics whose judged documents were not all retrieved: up to so many, all are compared."""

SAMPLED_ROWS = 512
"""Rows of these topics that are compared if there are more: enough for a difference that most ids have."""

ROWS_PER_COMPARED_ROW = 512
"""One of so many rows of a run of which some matched is compared in a brief look, at a dict or a table."""

LEAST_COMPARED_ROWS = 32
"""Rows that are compared at least in a brief look."""

FEWEST_COMPARED_ROWS = 1_000
"""Rows of a run from which on some are compared with judged documents, even if some matched."""

OPENING_ROWS = 4096
"""Rows at the beginning of a run whose ranks are compared with their scores."""

NEARLY_ALL = 0.9
"""Share of the topics, and of the rows of a topic, from which on a fault in these is no accident."""

_WITHOUT_SCORES = replace(RUN, number=None)
"""Layout of the lines of a run whose scores are not read as numbers, so that a faulty one raises no error."""


@dataclass(frozen=True)
class OpeningFaults:
    """Faults that ranks and scores at the beginning of a run show.

    ranks_against_scores  an example if larger ranks have larger scores in nearly all topics: the topic, a
                          rank with its score, and a larger rank with a larger score; None otherwise
    exchanged             a number of the rank column if that seems to be exchanged with the score column, as
                          scores rise by 1 from row to row; None otherwise
    exchanged_unsorted    the same of rows in another order: the scores of each topic count its rows
    """

    ranks_against_scores: tuple[bytes, int, float, int, float] | None = None
    exchanged: bytes | None = None
    exchanged_unsorted: bytes | None = None


@dataclass(frozen=True, eq=False)
class SecondLook:
    """Faults that a second look found.

    first_document  the first document of the run; None if no rows were read
    opening         faults of ranks and scores at its beginning; None if these are in order, or were not read
    num_rows        rows whose documents were compared with judged ones that were not retrieved
    respelling      the changes with which some of these documents would match; None if none would
    """

    first_document: bytes | None = None
    opening: OpeningFaults | None = None
    num_rows: int = 0
    respelling: Respelling | None = None


class Sampler:
    """Sampler of rows of a run, whose documents are compared with judged ones that the run did not retrieve.

    Rows of the topics with the fewest retrieved judged documents come first.
    """

    def __init__(
        self,
        pool: Pool,
        topics: IntArray,
        lengths: IntArray,
        num_matched: IntArray,
        matched: AnyInts,
        *,
        with_matched: bool = False,
        sampled_rows: int = SAMPLED_ROWS,
        most_rows: int | None = None,
    ) -> None:
        """Choose the topics to compare.

        pool          the judged documents of all topics
        topics        (S,) indices in the pool of the topics of the run
        lengths       (S,) number of rows of each topic
        num_matched   (S,) number of judged documents of each topic that the run retrieved
        matched       (D,) indices of these documents in the pool
        with_matched  whether to compare with these documents too; otherwise topics that retrieved all of
                      their judged documents are left out
        sampled_rows  rows that are compared if there are more than MOST_ROWS_COMPARED
        most_rows     rows that are compared at most; None: no limit but these
        """
        self._pool = pool
        self._is_compared_with = np.ones(len(pool.documents), np.bool_)
        """Whether rows are compared with each judged document of the pool."""
        self._is_compared_with[matched] = with_matched
        # (S,) topics of the run with judged documents that it did not retrieve.
        is_compared = lengths_at(pool.offsets, topics) > num_matched
        if with_matched:
            is_compared[:] = True
        self._num_to_compare = int(lengths[is_compared].sum())
        if self._num_to_compare > MOST_ROWS_COMPARED:
            self._num_to_compare = sampled_rows
            # A sample is drawn from topics without any match, if there are some: all their ids may differ.
            matched_nothing = is_compared & (num_matched == 0)
            if matched_nothing.any() and not with_matched:
                is_compared = matched_nothing
        if most_rows is not None:
            self._num_to_compare = min(self._num_to_compare, most_rows)
        self._num_matched = np.full(len(pool.topics) + 1, -1)
        """(T+1,) number of matches of each topic of the pool; -1 if it is not compared, and at the end."""
        self._num_matched[topics[is_compared]] = num_matched[is_compared]
        self._documents: dict[int, list[bytes]] = {}
        """Documents of the rows that were added, by the index of the topic."""
        self.num_rows = 0

    @property
    def num_left(self) -> int:
        """Return how many more rows are to be compared."""
        return self._num_to_compare - self.num_rows

    @property
    def is_full(self) -> bool:
        """Return whether no further row is to be compared."""
        return self.num_left <= 0

    def compared(self, topics: IntArray) -> IntArray:
        """Return the positions in `topics` (n,) of those that are compared, with the fewest matches first.

        topics  indices in the pool; -1: not judged
        """
        num_matched = self._num_matched[topics]  # index -1 takes the -1 at the end
        order = np.argsort(num_matched, kind="stable")
        num_not_compared = np.count_nonzero(num_matched < 0)
        return order[num_not_compared:]

    def add_block(self, block: Block) -> None:
        """Add rows of a block, as many as are left to compare, of topics with the fewest matches first."""
        topics = self._pool.find_topics(block.topics)
        groups = self.compared(topics)
        rows_so_far = np.cumsum(block.lengths[groups])
        num_groups = np.searchsorted(rows_so_far, self.num_left) + 1  # the first ones with enough rows
        groups = groups[:num_groups]
        starts = (np.cumsum(block.lengths) - block.lengths)[groups]
        rows, _ = rows_of_stretches(starts, block.lengths[groups])
        documents = list(block.documents.take(rows[: self.num_left]))
        begin = 0
        for topic, length in zip(topics[groups].tolist(), block.lengths[groups].tolist(), strict=True):
            self.add(topic, documents[begin : begin + length])
            begin += length

    def add(self, topic: int, documents: Sequence[bytes]) -> None:
        """Add documents of a topic; `topic` is its index in the pool."""
        self._documents.setdefault(topic, []).extend(documents)
        self.num_rows += len(documents)

    def respelling(self) -> Respelling | None:
        """Return the changes with which documents that were added would match judged ones, if any."""
        ours: dict[int, list[bytes]] = {}
        judged: dict[int, list[bytes]] = {}
        for topic, documents in self._documents.items():
            first, last = self._pool.offsets[topic : topic + 2].tolist()
            judged_documents = list(self._pool.documents.take(slice(first, last)))
            matching = set(judged_documents)
            ours[topic] = [document for document in documents if document not in matching]
            is_compared_with = self._is_compared_with[first:last].tolist()
            judged[topic] = list(compress(judged_documents, is_compared_with))
        return respelled_documents(ours, judged)


def sampler_of(ranking: Ranked, pool: Pool, *, is_brief: bool) -> Sampler:
    """Return the sampler of the rows of a ranked run.

    is_brief  whether to compare few rows if the run retrieved some judged documents
    """
    most_rows = None
    if is_brief and len(ranking.rank):
        num_rows = int(ranking.num_ret.sum())
        most_rows = max(num_rows // ROWS_PER_COMPARED_ROW, LEAST_COMPARED_ROWS)
    num_matched = np.diff(ranking.offsets)  # of the rows, a ranked run keeps those of judged documents
    return Sampler(pool, ranking.topic, ranking.num_ret, num_matched, ranking.document, most_rows=most_rows)


def look_at_blocks(
    blocks: Iterable[Block], ranking: Ranked, relevance: Relevance, *, is_brief: bool
) -> SecondLook:
    """Return a second look at blocks of a run, as many as it takes to have enough rows.

    is_brief  as in `sampler_of`
    """
    sampler = sampler_of(ranking, relevance.pool, is_brief=is_brief)
    first_document = None
    for block in blocks:
        if first_document is None and len(block.documents):
            (first_document,) = block.documents.take(slice(0, 1))
        rewritten_block = block  # ids as --map-docs and --exclude make them
        if relevance.rewriting is not None:
            rewritten_block = relevance.rewriting.of_run(block).block
        sampler.add_block(rewritten_block)
        if sampler.is_full:
            break
    return SecondLook(
        first_document=first_document, num_rows=sampler.num_rows, respelling=sampler.respelling()
    )


def has_retrieved_all(ranking: Ranked, pool: Pool) -> bool:
    """Return whether a run retrieved all judged documents of its topics: none can be written otherwise."""
    return len(ranking.document) == pool.num_documents_of(ranking.topic)


def is_worth_a_look(ranking: Ranking, pool: Pool) -> bool:
    """Return whether to compare documents of a ranked run with judged ones that it did not retrieve.

    Yes if it retrieved none of them; if it retrieved some, only if it is large.
    """
    if not len(ranking.rank):
        return True
    is_large = ranking.facts.num_rows >= FEWEST_COMPARED_ROWS
    return is_large and not has_retrieved_all(ranking, pool)


def look_at_files(run: RunFiles, ranking: Ranking, relevance: Relevance, is_only_run: bool) -> SecondLook:
    """Return a second look at a run in files, empty if these cannot be read a second time.

    is_only_run  whether no other run is evaluated, so that there is time to read more of this one
    """
    openings: list[OpeningFaults | None] = []  # one, once lines have been read
    with contextlib.suppress(InputError):
        if len(run.sources) > 1:
            run = run.of_form(TREC)  # the part files may have been read as one text
        most_pieces = 1
        if is_only_run:
            most_pieces = MOST_PIECES
        look = SecondLook()
        with contextlib.closing(_pieces(run, ranking, most_pieces, openings)) as pieces:
            if not has_retrieved_all(ranking, relevance.pool):
                look = look_at_blocks(pieces, ranking, relevance, is_brief=False)
            elif ranking.form is None:  # other formats have no opening
                next(pieces, None)  # for its opening alone
        if openings:
            look = replace(look, opening=openings[0])
        return look
    return SecondLook()


def _pieces(
    run: RunFiles, ranking: Ranking, most_pieces: int, openings: list[OpeningFaults | None]
) -> Generator[Block, None, None]:
    """Yield rows of a run from its beginning on, as far as the caller asks for them.

    most_pieces  how many pieces of files of lines are read; scores of these rows are given as 0
    openings     output, empty at first: gets what `opening_of` returns; nothing in formats without lines
    """
    for source in run.sources:
        with source.unwatched():  # the progress shown was that of the first reading
            if ranking.form is not None:
                yield from _blocks_in_format(source, ranking.form)
                continue
            with contextlib.closing(source.chunks(size=PIECE_BYTES)) as chunks:
                for chunk in chunks:
                    lines = parse_lines(chunk, _WITHOUT_SCORES)
                    if len(lines):
                        if not openings:
                            openings.append(opening_of(lines))
                        yield replace(block_of_lines(lines), numbers=np.zeros(len(lines)))
                    most_pieces -= 1
                    if most_pieces == 0:
                        return


def _blocks_in_format(source: File, meaning: str) -> Iterator[Block]:
    """Yield the rows of a file in the format with this meaning, which is all that a ranking knows of it."""
    from pres_eval.reading.formats.recognising import FORMATS

    (form,) = [form for form in FORMATS.values() if form.meaning == meaning]
    yield from form.read(source, Role.RUN)


def opening_of(lines: Lines) -> OpeningFaults | None:
    """Return the faults that ranks and scores show in the first lines of a run, at least one line.

    None if they are in order, or if a score is no number.
    """
    lines = replace(lines, fields=lines.fields.head(OPENING_ROWS))
    scores, rows_without_score = read_numbers(lines.chunk.array(), *lines.fields.column(SCORE_COLUMN))
    ranks, rows_without_rank = read_whole_numbers(lines.chunk.array(), *lines.fields.column(RANK_COLUMN))
    if rows_without_score:
        return None
    lines = replace(lines, numbers=scores)
    if not rows_without_rank and _are_in_order(lines, ranks):  # as nearly always
        return None
    ranks_against_scores = None
    if rows_without_rank:
        exchanged = exchanged_decimal(lines, rows_without_rank[0])
    else:
        exchanged = _rank_text(lines, exchanged_whole(lines, ranks))
        ranks_against_scores = _ranks_against_scores(lines, ranks)
    unsorted = None
    if exchanged is None and ranks_against_scores is None:
        unsorted = _rank_text(lines, exchanged_unsorted(lines))
    return OpeningFaults(
        ranks_against_scores=ranks_against_scores, exchanged=exchanged, exchanged_unsorted=unsorted
    )


def _rank_text(lines: Lines, row: int | None) -> bytes | None:
    """Return the text of a row in the rank column; None without a row."""
    if row is None:
        return None
    return lines.text(row, RANK_COLUMN)


def _are_in_order(lines: Lines, ranks: IntArray) -> bool:
    """Return whether scores fall and ranks (R,) rise in each topic: then none of the faults is there.

    Whole scores that fall may be ranks of lines in another order, so that they do not count as in order.
    """
    same_topic = np.ones(len(lines), np.bool_)
    same_topic[lines.column(TOPIC_COLUMN).heads()] = False
    scores = lines.numbers
    is_wrong = (scores[1:] > scores[:-1]) | (ranks[1:] < ranks[:-1])
    return not is_wrong[same_topic[1:]].any() and not (scores == np.rint(scores)).all()


def exchanged_decimal(lines: Lines, row: int) -> bytes | None:
    """Return the rank of a row, which is no whole number, if it seems to be a score; else None.

    It is one if it is a number and the scores rise by 1 as ranks do: the two columns are exchanged.
    """
    rank = lines.text(row, RANK_COLUMN)
    if not _scores_count_rows(lines) or read_number(rank) is None:
        return None
    return rank


def exchanged_whole(lines: Lines, ranks: IntArray) -> int | None:
    """Return a row of the rank column, whose whole numbers `ranks` (R,) seem to be scores; else None.

    They are scores if the scores rise by 1 as ranks do, while no rank rises inside a topic, and the ranks do
    not count down to 1 or 0: the two columns are exchanged.  If all ranks are the same, such as 0, the column
    is not used: None.
    """
    if not _scores_count_rows(lines) or (ranks == ranks[0]).all():
        return None
    heads = lines.column(TOPIC_COLUMN).heads()
    same_topic = np.ones(len(ranks), np.bool_)
    same_topic[heads] = False
    if (ranks[1:] > ranks[:-1])[same_topic[1:]].any():
        return None
    for begin, end in zip(heads.tolist(), np.append(heads[1:], len(ranks)).tolist(), strict=True):
        # A file in the order of its scores, the least first, has ranks that count down to 1 or 0.
        first_rank, last_rank = ranks[begin], ranks[end - 1]
        counts_down = first_rank - last_rank == end - begin - 1 and last_rank in (0, 1)
        if not counts_down:
            return int(begin)
    return None


def exchanged_unsorted(lines: Lines) -> int | None:
    """Return a row of the rank column that seems to be a score, of lines in any order; else None.

    It is one if, in the first OPENING_ROWS, the scores of each topic count its rows, as ranks do, and the
    ranks do not.
    """
    scores = lines.numbers[:OPENING_ROWS]
    if not (scores == np.rint(scores)).all():
        return None
    lines = replace(lines, fields=lines.fields.head(OPENING_ROWS), numbers=scores)
    ranks, rows_without_rank = read_numbers(lines.chunk.array(), *lines.fields.column(RANK_COLUMN))
    if rows_without_rank:
        return None
    index_of_topic: dict[bytes, int] = {}
    topic = np.array(
        [index_of_topic.setdefault(text, len(index_of_topic)) for text in lines.column(TOPIC_COLUMN)]
    )
    return row_of_exchanged(topic, ranks, scores)


def _scores_count_rows(lines: Lines) -> bool:
    """Return whether scores rise by 1 from row to row, from the same score in each topic, in enough rows.

    Enough that it is no accident are FEWEST_RANKS rows of one topic, or two topics with more than one row.
    """
    heads = lines.column(TOPIC_COLUMN).heads()
    lengths = np.diff(heads, append=len(lines))
    rows_before = np.arange(len(lines)) - np.repeat(heads, lengths)
    is_enough = lengths.max() >= FEWEST_RANKS or np.count_nonzero(lengths > 1) > 1
    return bool((lines.numbers == rows_before + lines.numbers[0]).all() and is_enough)


def _ranks_against_scores(lines: Lines, rank: IntArray) -> tuple[bytes, int, float, int, float] | None:
    """Return the first neighbouring rows of a topic of which the larger rank has the larger score.

    Return topic, smaller rank and its score, larger rank and its score; None unless such rows are NEARLY_ALL
    in NEARLY_ALL of the topics.

    rank  (R,) of all rows
    """
    score, topics = lines.numbers, lines.column(TOPIC_COLUMN)
    heads = topics.heads()
    topic_of = np.repeat(np.arange(len(heads)), np.diff(heads, append=len(rank)))
    # Each row but the first, with the row before it.
    same_topic = topic_of[1:] == topic_of[:-1]
    is_pair = same_topic & (rank[1:] != rank[:-1]) & (score[1:] != score[:-1])
    rank_rises, score_rises = rank[1:] > rank[:-1], score[1:] > score[:-1]
    is_wrong = is_pair & (rank_rises == score_rises)
    num_pairs = np.bincount(topic_of[1:][is_pair], minlength=len(heads))
    num_wrong = np.bincount(topic_of[1:][is_wrong], minlength=len(heads))
    has_pairs = num_pairs > 0
    is_wrong_topic = has_pairs & (num_wrong >= NEARLY_ALL * num_pairs)
    if not has_pairs.any() or np.count_nonzero(is_wrong_topic) < NEARLY_ALL * np.count_nonzero(has_pairs):
        return None
    row = int(np.flatnonzero(is_wrong & is_wrong_topic[topic_of[1:]])[0])
    lower, higher = row, row + 1
    if rank[lower] > rank[higher]:
        lower, higher = higher, lower
    return topics[row], int(rank[lower]), float(score[lower]), int(rank[higher]), float(score[higher])
