"""Relevance judgements: qrels (topic, iteration, docno, relevance), and the other formats that -R names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import replace
from functools import cached_property, partial
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, Grades, GrowingColumns, Ids, IntArray, narrow
from pres_eval.errors import InputError, UsageError, quoted
from pres_eval.options import RelevanceInfo
from pres_eval.reading.blocks import Block, FileFormat, joined
from pres_eval.reading.file import File
from pres_eval.reading.headings import GAINS_ADVICE, Role
from pres_eval.reading.judgements.pool import Pool, Pooled, Remembered, build_pool
from pres_eval.reading.lines import QRELS, Layout, LineError, Lines, no_lines_error, results_of_chunks
from pres_eval.reading.numbers import are_whole
from pres_eval.reading.run_files import TABLE_FORMATS
from pres_eval.records import dataclass

if TYPE_CHECKING:
    from pres_eval.reading.judgements.judged_groups import GroupQrels, Preferences, Sample, SubtopicQrels
    from pres_eval.reading.rewriting import Rewriting

QRELS_FLOAT = replace(QRELS, whole=False)
"""Lines of judgements whose relevance may be any decimal number."""

MOST_JUDGEMENTS_REMEMBERED = 1 << 19
"""Topics and judgements together whose facts are kept between runs, so that memory stays small."""

MANY_GROUPS = 1024
"""Groups of neighbours with the same topic in a chunk from which on equal topics among them are looked for.

With so many the rows of topics are probably scattered.
"""


@dataclass(frozen=True, eq=False)
class Duplicates:
    """J judgements of documents that had one already.

    topic, document  (J,) indices among the pool's topics and documents
    grade            (J,) the relevance that this judgement gives
    first_line       (J,) the line of the document's first judgement, from 1
    second_line      (J,) the line of this one
    """

    topic: IntArray
    document: IntArray
    grade: Grades
    first_line: IntArray
    second_line: IntArray


_NO_NUMBERS = np.zeros(0, np.int64)
NO_DUPLICATES = Duplicates(
    topic=_NO_NUMBERS,
    document=_NO_NUMBERS,
    grade=_NO_NUMBERS,
    first_line=_NO_NUMBERS,
    second_line=_NO_NUMBERS,
)


@dataclass(frozen=True, eq=False)
class QrelsJudgements:
    """The judgements of a file, of D documents of T topics.

    name             the file, as messages call it
    pool             the judged documents
    grade            (D,) relevance of each document, in as few bytes as all need (doubles with -R
                     qrels_float); negative: it is in the pool, but was not judged
    duplicates       judgements of a document that already had one; they do not count
    kept             (D,) which judgements count: of incomplete ones in experiments, and of one judge among
                     several; None: all
    form             the recognised format of the file, as messages call it; None: qrels of four columns
    document_scores  (D,) the score of each document (--document-scores); None: there are none
    rewriting        the mapping and exclusion of documents, which runs need too; None: there is none
    left_out         topics that options left out
    nmax             (T,) the Nmax of each topic; None: no file gave any
    sizes            (T,) how many documents the collection of each topic has; None: no file gave any

    For all qrels:
    ties_ascending   whether documents of the same score are ranked by ascending docno
    """

    ties_ascending: ClassVar = False

    name: str
    pool: Pool
    grade: Grades
    duplicates: Duplicates
    kept: BoolArray | None = None
    form: str | None = None
    document_scores: FloatArray | None = None
    rewriting: Rewriting | None = None
    left_out: frozenset[bytes] = frozenset()
    nmax: IntArray | None = None
    sizes: IntArray | None = None

    @cached_property
    def remembered(self) -> Remembered:
        """Return the cache of facts about topics that need the judgements alone, kept between runs.

        Judgements that `replace` makes of these begin with an empty one.
        """
        return Remembered(MOST_JUDGEMENTS_REMEMBERED)

    @property
    def info(self) -> RelevanceInfo:
        """Return what kind of judgements these are, which decides what measures can be computed."""
        if self.grade.dtype == np.float64:
            return RelevanceInfo.QRELS_FLOAT
        return RelevanceInfo.QRELS

    def every_grade(self) -> Grades:
        """Return (N,) the relevance of the judgements that count by `kept`; without it also of duplicates."""
        if self.kept is not None:
            return self.grade[self.kept]
        if not len(self.duplicates.grade):
            return self.grade
        return np.concatenate((self.grade, self.duplicates.grade))

    def num_positive(self) -> int:
        """Count the judgements with a relevance above 0."""
        # trec_eval: a document judged twice counts twice; it is an error only once its topic is scored.
        return int(np.count_nonzero(self.every_grade() > 0))

    def positive_by_topic(self) -> IntArray:
        """Count (T,) the judgements of each topic with a relevance above 0."""
        topic_of = self.pool.topic_of
        if self.kept is not None:
            topic_of = topic_of[self.kept]
        elif len(self.duplicates.topic):
            # The duplicates come last in `every_grade` too.
            topic_of = np.concatenate((topic_of, self.duplicates.topic))
        return np.bincount(topic_of[self.every_grade() > 0], minlength=len(self.pool.topics))


Relevance: TypeAlias = "QrelsJudgements | GroupQrels | SubtopicQrels | Sample | Preferences"


def as_qrels(relevance: Relevance, option: str) -> QrelsJudgements:
    """Return the judgements; raise UsageError if they are no qrels, which the option needs.

    option  its name, for messages
    """
    if not isinstance(relevance, QrelsJudgements):
        raise UsageError(f"{option}: expected judgements in the format qrels or qrels_float (-R)")
    return relevance


JUDGED_FORMATS = {
    "qrels": RelevanceInfo.QRELS,
    "qrels_jg": RelevanceInfo.QRELS_JG,
    "prefs": RelevanceInfo.PREFS,
    "qrels_prefs": RelevanceInfo.PREFS,
    "qrels_float": RelevanceInfo.QRELS_FLOAT,
    "subtopics": RelevanceInfo.SUBTOPICS,
    "strata": RelevanceInfo.STRATA,
    "prels": RelevanceInfo.PRELS,
    **dict.fromkeys(TABLE_FORMATS, RelevanceInfo.QRELS),
}
"""Formats of judgements by the names that -R gives them, each with the kind of judgements in it."""


def relevance_info(form: str) -> RelevanceInfo:
    """Return the kind of judgements in a format; raise UsageError for a format that does not exist."""
    if form not in JUDGED_FORMATS:
        raise UsageError(f"-R {form}: no such format, expected one of {', '.join(JUDGED_FORMATS)}")
    return JUDGED_FORMATS[form]


def read_relevance(path: str | File, form: str = "qrels", jobs: int | None = None) -> Relevance:
    """Return the judgements or preferences of a file.

    form  the name of the format (-R); with `qrels` and `qrels_float` a file in another format than these is
          recognised by its beginning
    jobs  how many threads parse qrels; None: one for each processor
    Raises UsageError for a format that does not exist, InputError for a file that is not in it.
    """
    relevance_info(form)
    source = path
    if not isinstance(source, File):
        source = File(source)
    if form in ("qrels", "qrels_float"):
        return _read_recognised(source, form, jobs)
    if JUDGED_FORMATS[form] is RelevanceInfo.QRELS:
        from pres_eval.reading.formats.recognising import FORMATS as OTHERS

        return qrels_in(source, OTHERS[form])
    from pres_eval.reading.judgements import judged_groups

    readers: dict[str, Callable[[File], Relevance]] = {
        "qrels_jg": partial(judged_groups.read_group_qrels, kind=judged_groups.GroupQrels),
        "subtopics": partial(judged_groups.read_group_qrels, kind=judged_groups.SubtopicQrels),
        "strata": judged_groups.read_strata,
        "prels": judged_groups.read_prels,
        "prefs": judged_groups.read_preferences,
        "qrels_prefs": partial(judged_groups.read_preferences, layout=judged_groups.QRELS_PREFS),
    }
    return readers[form](source)


def _read_recognised(source: File, form: str, jobs: int | None) -> QrelsJudgements:
    """Return judgements in lines of qrels or qrels_float, or else in the format that is recognised."""
    with_decimals = form == "qrels_float"
    # Other formats are imported where they are needed, as that takes a while, and few files have them.
    if source.naming.columns or source.naming.grades:  # options name columns, or explain words
        from pres_eval.reading.formats.recognising import judgements_format

        named_format = judgements_format(source)
        if named_format is not None:
            return qrels_in(source, named_format, with_decimals)
    try:
        layout = QRELS
        if with_decimals:
            layout = QRELS_FLOAT
        return read_qrels(source, jobs, layout=layout)
    except InputError as error:
        from pres_eval.reading.formats.recognising import recognised

        recognised_format = recognised(source, Role.QRELS)
        if recognised_format is not None:
            return qrels_in(source, recognised_format, with_decimals)
        if with_decimals:
            raise _without_gains_advice(error) from None
        qrels_with_whole_grades = qrels_of_decimals(source, error, jobs)
        if qrels_with_whole_grades is None:
            raise
        return qrels_with_whole_grades


def _without_gains_advice(error: InputError) -> InputError:
    """Return an error without the advice to read decimals as gains, which the options ask for already."""
    if error.advice != GAINS_ADVICE:
        return error
    return type(error)(error.path, error.line, error.found, error.expected)


def qrels_of_decimals(source: File, error: InputError, jobs: int | None) -> QrelsJudgements | None:
    """Return qrels whose grades are whole numbers written with decimals, such as 1.0; None for others.

    error  of the first line whose grade is no integer
    """
    from pres_eval.reading.formats.delimited import is_decimal

    if not is_decimal(error):
        return None
    try:
        qrels = read_qrels(source, jobs, layout=QRELS_FLOAT)
    except InputError:
        return None
    if not are_whole(qrels.every_grade()).all():
        return None
    duplicates = qrels.duplicates
    return replace(
        qrels,
        grade=narrow(qrels.grade.astype(np.int64)),
        duplicates=replace(duplicates, grade=duplicates.grade.astype(np.int64)),
    )


def qrels_in(source: File, form: FileFormat, with_decimals: bool = False) -> QrelsJudgements:
    """Return the judgements of a file in a format that is not trec_eval's.

    with_decimals  whether grades may have decimals; then all are doubles
    """
    role = Role.QRELS
    if with_decimals:
        role = Role.GAINS
    block = joined(source.name, form.read(source, role))
    if with_decimals:
        block = replace(block, numbers=block.numbers.astype(np.float64))
    return replace(qrels_of_block(source.name, block), form=form.meaning or None)


SeeLines = Callable[[int, Lines], None]
"""Function that gets the number of lines before a chunk, and the lines of the chunk with all faults."""


def read_qrels(
    source: File, jobs: int | None = None, see_lines: SeeLines | None = None, layout: Layout = QRELS
) -> QrelsJudgements:
    """Return the judgements of a qrels file.

    jobs       how many threads parse it (None: one for each processor); the result does not depend on it
    see_lines  gets the lines of each chunk; then lines with faults are left out, and are no error, but for an
               infinite relevance
    layout     QRELS, or QRELS_FLOAT: relevance may be any finite decimal number
    Raises InputError for a line that has not four columns, or whose relevance is not as the layout has it.
    """
    columns = GrowingColumns()
    num_topics = 0
    rows_of_parts: list[tuple[int, int, IntArray | None]] = []
    """Of each part: the lines before it, how many judgements it has, and their lines in it."""
    read = partial(_read_part, layout, see_lines is not None)
    for before, (part, lines) in results_of_chunks(source, layout, read, source.chunks(), jobs):
        if see_lines is not None and lines is not None:
            see_lines(before, lines)
        if part is None:
            continue
        groups = narrow(part.groups + num_topics)
        columns.append(part.topics, groups, narrow(part.num_rows), part.documents, part.grades)
        rows_of_parts.append((before, len(part.grades), part.lines))
        num_topics += len(part.topics)
    if not len(columns):
        raise no_lines_error(source, layout)
    topics, groups, num_rows, documents, grades = columns.release()
    pooled = build_pool(topics, num_rows.astype(np.int64), documents, groups, jobs)

    def lines_of_rows() -> IntArray:
        """Return (N,) the line of each judgement in the file, from 1."""
        lines_of_parts = []
        for before, size, lines in rows_of_parts:
            lines_of_part = np.arange(size) if lines is None else lines
            lines_of_parts.append(before + 1 + lines_of_part)
        return np.concatenate(lines_of_parts)

    return _pooled_qrels(source.name, pooled, grades, lines_of_rows)


@dataclass(frozen=True, eq=False)
class _PartOfQrels:
    """N judgements of a chunk, in G groups of neighbours with the same topic.

    topics     ids, of which each group has one
    groups     (G,) the index of each group's topic among them
    num_rows   (G,) how many judgements each group has
    documents  N ids
    grades     (N,) their relevance
    lines      (N,) the line of each judgement in the chunk, from 0; None where row i is line i
    """

    topics: Ids
    groups: IntArray
    num_rows: IntArray
    documents: Ids
    grades: Grades
    lines: IntArray | None


def _read_part(layout: Layout, with_faults: bool, lines: Lines) -> tuple[_PartOfQrels | None, Lines | None]:
    """Return the judgements of a chunk, None if it has none; and its lines if `with_faults`, else None.

    Lines take memory while they wait, so that they are returned only where they are needed.
    Raises LineError for a fault: with `with_faults` for an infinite relevance alone.
    """
    if not with_faults:
        lines.checked()
    if not layout.whole:
        infinite = np.flatnonzero(np.isinf(lines.numbers))  # which no gain may be
        if len(infinite):
            relevance = quoted(lines.text(int(infinite[0]), 3))
            raise LineError(int(lines.line_of(infinite[:1])[0]), f"relevance {relevance}", "a finite number")
    seen_lines = None
    if with_faults:
        seen_lines = lines
    if not len(lines):
        return None, seen_lines
    topic_of_group, num_rows = lines.column(0).stretches()
    topics, groups = topic_of_group, np.arange(len(topic_of_group))
    if len(topic_of_group) > MANY_GROUPS:
        topics, groups = topic_of_group.distinct()
    grades: Grades = lines.numbers
    if layout.whole:
        grades = narrow(lines.numbers)
    return _PartOfQrels(topics, groups, num_rows, lines.column(2), grades, lines.fields.lines), seen_lines


def _pooled_qrels(
    name: str, pooled: Pooled, grades: Grades, lines_of_rows: Callable[[], IntArray]
) -> QrelsJudgements:
    """Return the judgements of a file of this name whose documents were pooled.

    grades         (N,) of all rows
    lines_of_rows  function that returns the lines (N,) of all rows, which only duplicates need
    """
    duplicates = NO_DUPLICATES
    repeated_rows, document_of_repeated = pooled.again, pooled.document
    if len(repeated_rows):
        lines = lines_of_rows()
        duplicates = Duplicates(
            topic=pooled.pool.topic_of[document_of_repeated],
            document=document_of_repeated,
            grade=grades[repeated_rows],
            first_line=pooled.of_documents(lines)[document_of_repeated],
            second_line=lines[repeated_rows],
        )
    return QrelsJudgements(name, pooled.pool, pooled.of_documents(grades), duplicates)


def qrels_of_block(name: str, block: Block) -> QrelsJudgements:
    """Return the judgements of a block.  Raises InputError if there are none.

    A document that is judged twice is an error only when its topic is scored, as in a file.
    """
    if not len(block.documents):
        raise InputError(name, None, "no judgements", "at least one")
    pooled = build_pool(block.topics, block.lengths, block.document_ids())
    grades: Grades = block.numbers
    if grades.dtype != np.float64:
        grades = narrow(grades.astype(np.int64))

    def lines_of_rows() -> IntArray:
        """Return (N,) the line of each judgement, or its number, from 1, if rows are in no lines."""
        if block.lines is None:
            return np.arange(1, len(grades) + 1)
        return block.lines

    return _pooled_qrels(name, pooled, grades, lines_of_rows)
