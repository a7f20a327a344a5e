"""Warnings about a run and its judgements that are no errors."""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from functools import partial
from typing import TYPE_CHECKING, cast

import numpy as np

from pres_eval.arrays import absent
from pres_eval.checking.notations import Respelling
from pres_eval.checking.respelling import COMPARED_TOPICS, respelled_topics
from pres_eval.checking.second_look import OpeningFaults, SecondLook
from pres_eval.errors import NoCommonTopicError, quoted
from pres_eval.options import FIRST_LINE, LARGEST_LONG, ONE, Options, RelevanceInfo
from pres_eval.ranking.ranking import Ranking, no_common_topic
from pres_eval.reading.judgements.pool import Pool
from pres_eval.reading.judgements.relevance import QrelsJudgements, Relevance

if TYPE_CHECKING:
    from pres_eval.reading.judgements.judged_groups import Sample

EXCHANGED_COLUMNS = "are topic and docno exchanged in one of the files?"

MOST_GRADES = 6
"""Most different texts of a column that may be one of grades or iterations: grading scales have few steps."""

FIRST_DOCNOS = 36
"""Judged documents that are looked at: more than MOST_GRADES, since topics share docnos that are grades."""

GRADE_TEXT = re.compile(rb"-?\d{1,2}")
"""A number as small as grades are."""


def warnings_about(
    ranking: Ranking,
    relevance: Relevance,
    options: Options,
    second_look: SecondLook,
    missing_topics: bool = True,
) -> list[str]:
    """Return the warnings about a run: findings that are no error but may mislead.

    second_look     faults that some rows of the run show when they are read again
    missing_topics  whether to warn of judged topics that the run lacks: not of one of several runs, as
                    their topics are reported together (`analysis.topics`), nor of a part of a run
    """
    warnings: list[str] = []
    if ranking.facts.longer_line is not None or ranking.num_dropped:
        warnings += _of_lines(ranking, relevance, options)
    if len(ranking.topic) < len(relevance.pool.topics) or len(ranking.unjudged_ids):
        warnings += _of_topics(ranking, relevance, options, missing_topics)
    if not len(ranking.topic) and len(ranking.unjudged_ids) and _scores_missing_topics(options):
        # No error says so: all topics of the judgements count as 0.
        warnings.append(without_common_topic(relevance, ranking, options))
    if relevance.info is RelevanceInfo.STRATA:
        warnings += _undrawn_strata(ranking, cast("Sample", relevance), options)
    checked_too: list[str] = []  # warnings of faults that `pres-eval check` reports with examples
    if ranking.tag_before is not None:
        checked_too.append(_cut_off_tag(ranking, ranking.tag_before))
    if second_look.opening is not None:
        checked_too += _of_opening(ranking, second_look.opening)
    if len(ranking.topic):  # otherwise the error that there is no topic in common says so
        checked_too += _reasons_for_zeros(ranking, relevance, options, second_look)
        if second_look.respelling is not None or len(ranking.unjudged_ids):
            checked_too += _respellings(ranking, relevance, second_look)
    return warnings + [f"{text} (pres-eval check shows more)" for text in checked_too]


def _of_lines(ranking: Ranking, relevance: Relevance, options: Options) -> Iterator[str]:
    """Yield warnings about lines with further columns, and about documents that topics have twice."""
    if ranking.warning_of_longer_line is not None:
        yield ranking.warning_of_longer_line
    rewriting = relevance.rewriting
    if ranking.num_dropped and (rewriting is None or rewriting.mapping is None):
        lines = f"{ranking.num_dropped} lines were"
        if ranking.num_dropped == 1:
            lines = "1 line was"
        counted = "the best score"
        if options.duplicates == FIRST_LINE:
            counted = "the first line"
        yield (
            f"{ranking.name}: {lines} dropped: topics have their documents twice, {counted} counts"
            f" (--duplicates {options.duplicates})"
        )


def _of_topics(
    ranking: Ranking, relevance: Relevance, options: Options, missing_topics: bool
) -> Iterator[str]:
    """Yield warnings of topics that only the run or, if `missing_topics`, only the judgements have."""
    num_topics = len(relevance.pool.topics)
    lacking = num_topics - len(ranking.topic)
    is_averaged_over_all = options.complete or options.only_topic is not None
    if missing_topics and lacking and len(ranking.topic) and not is_averaged_over_all:
        verb, pronoun = "are", "them"
        if lacking == 1:
            verb, pronoun = "is", "it"
        value = "0"
        if options.empty == ONE:
            value = "0 (as 1 without relevant documents)"
        yield (
            f"{ranking.name}: {lacking} of {num_topics} topics of {relevance.name} {verb} not in the run"
            f" and {verb} left out of the averages; -c counts {pronoun} as {value}"
        )
    unjudged: Sequence[bytes] = ranking.unjudged_ids
    if isinstance(relevance, QrelsJudgements) and relevance.left_out:
        unjudged = [topic for topic in ranking.unjudged if topic not in relevance.left_out]
    if unjudged and len(ranking.topic):
        count = len(unjudged)
        have = f"{count} topics have no judgements and are"
        if ranking.more_unjudged:
            have = f"more than {have}"
        elif count == 1:
            have = "1 topic has no judgements and is"
        yield f"{ranking.name}: {have} ignored (such as {quoted(unjudged[0])})"


def _undrawn_strata(ranking: Ranking, sample: Sample, options: Options) -> Iterator[str]:
    """Yield a warning if a run has documents of strata, but none that was drawn from these for judging."""
    num_strata = len(sample.group_names)
    # The rows of the sample stand stratum after stratum.  (D,) stratum of each document; 1 if it was drawn.
    stratum_of = np.zeros(len(sample.document), np.int64)
    stratum_of[sample.document] = np.repeat(np.arange(num_strata), np.diff(sample.row_offsets))
    is_drawn = np.zeros(len(sample.document), np.int64)
    is_drawn[sample.document] = sample.grade >= 0
    documents = ranking.document[ranking.rank <= (options.max_retrieved or LARGEST_LONG)]
    num_retrieved = np.bincount(stratum_of[documents], minlength=num_strata)
    num_drawn = np.bincount(stratum_of[documents], is_drawn[documents], num_strata)
    strata = np.flatnonzero((num_retrieved > 0) & (num_drawn == 0))
    topic_of_strata = np.searchsorted(sample.group_offsets, strata, side="right") - 1
    num_topics = len(np.unique(topic_of_strata))
    if num_topics:
        have = f"{num_topics} topics have"
        if num_topics == 1:
            have = "1 topic has"
        yield (
            f"{ranking.name}: {have} strata of which the run retrieved documents, but none that was drawn:"
            " sample_eval.pl's formulas take a third of these for relevant, so that xinfAP, iP, irecall and"
            " inum_rel_ret may be too high there"
        )


def _respellings(ranking: Ranking, relevance: Relevance, look: SecondLook) -> Iterator[str]:
    """Yield warnings of ids that match nothing and would match if they were written alike."""
    if len(ranking.unjudged_ids):
        topics = unmatched_topics(ranking, relevance.pool)
        if topics is not None:
            yield (
                f"{ranking.name}: {topics.count:,} of the topics without judgements would match {topics.text}"
            )
    documents = look.respelling
    if documents is not None:
        noun = "document" if documents.count == 1 else "documents"
        rows = "row" if look.num_rows == 1 else "rows"
        yield (
            f"{ranking.name}: of {look.num_rows:,} {rows} looked at, {documents.count:,} unjudged"
            f" {noun} would match judged ones {documents.text}"
        )


def _cut_off_tag(ranking: Ranking, tag_before: str) -> str:
    """Return the warning about a last line whose tag was cut off.

    tag_before  the tag of the line before
    """
    return (
        f"{ranking.name}: the last line ends in the middle of its tag ({quoted(ranking.tag)}, but"
        f" {quoted(tag_before)} in the line before): the file was cut off"
    )


def _of_opening(ranking: Ranking, opening: OpeningFaults) -> Iterator[str]:
    """Yield warnings about ranks that contradict scores at the beginning of a run."""
    if opening.exchanged is not None:
        yield (
            f"{ranking.name}: in each topic the scores rise by 1 from line to line, as ranks do, and the rank"
            f" column has {quoted(opening.exchanged)}: are rank and score exchanged?"
        )
    if opening.exchanged_unsorted is not None:
        yield (
            f"{ranking.name}: in each topic the scores are 1, 2, 3 ..., as ranks are, and the rank column has"
            f" {quoted(opening.exchanged_unsorted)}: are rank and score exchanged?"
        )
    if opening.ranks_against_scores is not None:
        topic, rank, score, next_rank, next_score = opening.ranks_against_scores
        yield (
            f"{ranking.name}: scores rise with the rank column (topic {quoted(topic)}: rank {rank} has"
            f" {score!r}, rank {next_rank} has {next_score!r}), but the largest score comes first: are these"
            " distances?"
        )


def _reasons_for_zeros(
    ranking: Ranking, relevance: Relevance, options: Options, look: SecondLook
) -> Iterator[str]:
    """Yield warnings about unmatched documents or low grades, by which all values are 0."""
    if not len(ranking.rank) and len(relevance.pool.documents):
        first = look.first_document
        ours = ""
        if first is not None:
            ours = f"the run has {quoted(first)}, "
        judged = quoted(relevance.pool.documents[0])
        yield (
            f"{ranking.name}: no retrieved document is judged ({ours}the qrels have {judged}):"
            " are ids written alike, and both files of the same collection?"
        )
        if _documents_are_numbers(relevance.pool):
            yield (
                f"{relevance.name}: the docnos are numbers such as {judged}: is the third column the docno"
                " (topic iteration docno relevance)?"
            )
    if not isinstance(relevance, QrelsJudgements):
        from pres_eval.reading.judgements.judged_groups import Preferences  # what qrels do without

        if isinstance(relevance, Preferences) and not relevance.has_pairs():
            yield (
                f"{relevance.name}: no document is preferred to another, as none shares its subgroup; sampled"
                " judgements (topic iteration docno stratum relevance) are read with -R strata"
            )
        return
    # Remembered, as small calls come again and again with the same judgements; it takes the room of 1 number.
    highest = relevance.remembered.get(_highest_grade, 1, partial(_highest_grade, relevance))
    if highest < options.relevance_level:
        yield (
            f"{relevance.name}: nothing is relevant at -l {options.relevance_level}: the highest relevance"
            f" is {highest:g}"
        )


def _topics_are_documents(ranking: Ranking, pool: Pool) -> bool:
    """Return whether topics of a run, none of which is judged, are judged documents."""
    unjudged = set(ranking.unjudged_ids.take(slice(COMPARED_TOPICS)))
    return any(document in unjudged for document in pool.documents)


def _documents_are_numbers(pool: Pool) -> bool:
    """Return whether the first judged documents are a few small numbers, as grades and iterations are."""
    documents = set(pool.documents.take(slice(FIRST_DOCNOS)))
    return len(documents) <= MOST_GRADES and all(GRADE_TEXT.fullmatch(document) for document in documents)


def _highest_grade(qrels: QrelsJudgements) -> float:
    """Return the highest relevance of all judgements."""
    grades = qrels.every_grade()
    if not len(grades):  # an experiment may leave none
        return 0
    highest: float = grades.max().item()
    return highest


def unmatched_topics(ranking: Ranking, pool: Pool) -> Respelling | None:
    """Return the change with which unjudged topics of a run would match judged ones; None if none would."""
    if not len(ranking.unjudged_ids):
        return None
    unjudged = ranking.unjudged_ids.take(slice(COMPARED_TOPICS))
    missing = absent(ranking.topic, len(pool.topics))[:COMPARED_TOPICS]
    return respelled_topics(list(unjudged), list(pool.topics.take(missing)))


def check_common_topics(relevance: Relevance, ranking: Ranking, options: Options) -> None:
    """Raise NoCommonTopicError for a run without a topic of the judgements."""
    if not len(ranking.topic) and not _scores_missing_topics(options):
        raise NoCommonTopicError(without_common_topic(relevance, ranking, options))


def _scores_missing_topics(options: Options) -> bool:
    """Return whether a run without a topic of the judgements is scored, as trec_eval 10.0 does with -c."""
    return options.complete and options.version.scores_missing_topics


def without_common_topic(relevance: Relevance, ranking: Ranking, options: Options) -> str:
    """Return the message about a run without a topic of the judgements, and what may help."""
    message = no_common_topic(relevance, ranking, options)
    if options.only_topic is not None:
        return message
    if _topics_are_documents(ranking, relevance.pool):
        message += f"; topics of {ranking.name} are documents of {relevance.name}: {EXCHANGED_COLUMNS}"
    respelling = unmatched_topics(ranking, relevance.pool)
    if respelling is not None:
        message += f"; {respelling.count:,} would match {respelling.text}"
    is_numbered = len(ranking.unjudged) > 0 and ranking.unjudged[0] == b"1"
    if is_numbered and str(ranking.form).startswith("JSON (of a search engine"):
        message += "; pres-eval convert --topics-from FILE names the topics 1, 2, ... of _msearch responses"
    return message
