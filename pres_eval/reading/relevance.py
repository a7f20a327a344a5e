"""Relevance judgements: qrels (topic, iteration, docno, relevance), and the other formats that -R names."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import field, replace
from functools import partial
from typing import TYPE_CHECKING, ClassVar, TypeAlias

import numpy as np

from pres_eval.arrays import AnyInts, BoolArray, FloatArray, GrowingColumns, Ids, IntArray, narrow
from pres_eval.errors import InputError, UsageError, quoted
from pres_eval.options import RelevanceInfo
from pres_eval.reading.blocks import Block, FileFormat, joined
from pres_eval.reading.file import File
from pres_eval.reading.headings import NO_NAMING
from pres_eval.reading.lines import QRELS, Layout, LineError, Lines, in_parts, no_lines
from pres_eval.reading.pool import Pool, Pooled, Remembered, build_pool
from pres_eval.reading.run_files import TABLE_FORMATS
from pres_eval.records import dataclass

if TYPE_CHECKING:
    from pres_eval.reading.judged_groups import GroupQrels, Preferences, Sample, SubtopicQrels
    from pres_eval.reading.rewriting import Rewriting

QRELS_FLOAT = replace(QRELS, whole=False)
"""Judgements whose relevance may be any decimal number."""

MOST_JUDGEMENTS_REMEMBERED = 1 << 19
"""Topics and judgements of which batches keep what they made, so that memory stays small."""

MANY_GROUPS = 1024
"""Groups of rows in a chunk above which topics are taken to come again and again."""


@dataclass(frozen=True, eq=False)
class Duplicates:
    """Lines that judge a document again: its topic, the document, the relevance, and both lines."""

    topic: IntArray
    document: IntArray
    grade: AnyInts
    first_line: IntArray
    second_line: IntArray


_NONE = np.zeros(0, np.int64)
NO_DUPLICATES = Duplicates(*(_NONE,) * 5)


@dataclass(frozen=True, eq=False)
class QrelsJudgements:
    """The judgements of a file.

    pool        the judged documents
    grade       (D,) relevance of each, in as few bytes as they need (doubles with -R qrels_float); negative:
                in the pool but not judged
    kept        (D,) which judgements count (for experiments with incomplete ones), None for all
    duplicates  judgements of a document that already had one; they do not count
    form        the recognised format of the file, None for qrels of four columns
    document_scores  (D,) a score that each document has of its own; None if there are none
    rewriting   the mapping of their documents and of those of runs; None if there is none
    left_out    topics that options left out of them
    nmax, sizes (T,) how far each topic is read, and the documents in its collection; None if not known
    """

    ties_ascending: ClassVar = False

    name: str
    pool: Pool
    grade: AnyInts
    duplicates: Duplicates
    kept: BoolArray | None = None
    form: str | None = None
    document_scores: FloatArray | None = None
    rewriting: Rewriting | None = None
    left_out: frozenset[bytes] = frozenset()
    nmax: IntArray | None = None
    sizes: IntArray | None = None
    topics_seen: Remembered = field(
        init=False, default_factory=partial(Remembered, MOST_JUDGEMENTS_REMEMBERED)
    )
    """Facts of batches that need the judgements alone, kept between runs; `replace` drops them."""

    @property
    def info(self) -> RelevanceInfo:
        """Return which measures can be computed from them."""
        if self.grade.dtype == np.float64:
            return RelevanceInfo.QRELS_FLOAT
        return RelevanceInfo.QRELS

    def every_grade(self) -> AnyInts:
        """Return (N,) the relevance of all judgements that are kept, also of repeated ones."""
        if self.kept is not None:
            return self.grade[self.kept]
        if not len(self.duplicates.grade):
            return self.grade
        return np.concatenate((self.grade, self.duplicates.grade))

    def num_positive(self) -> int:
        """Return judgements with a relevance above 0."""
        # trec_eval: a document judged twice counts twice, as long as its topic is not scored.
        return int(np.count_nonzero(self.every_grade() > 0))

    def positive_by_topic(self) -> IntArray:
        """Return (T,) the judgements of each topic with a relevance above 0."""
        topic_of = self.pool.topic_of
        if self.kept is not None:
            topic_of = topic_of[self.kept]
        grades = self.every_grade()
        if len(grades) > len(topic_of):
            topic_of = np.concatenate((topic_of, self.duplicates.topic))
        return np.bincount(topic_of[grades > 0], minlength=len(self.pool.topics))


Relevance: TypeAlias = "QrelsJudgements | GroupQrels | SubtopicQrels | Sample | Preferences"


def as_qrels(relevance: Relevance, option: str) -> QrelsJudgements:
    """Return the judgements.  Raises UsageError if they are no qrels, with which alone the option goes."""
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
"""Formats, each with the kind of relevance information that it has."""


def relevance_info(form: str) -> RelevanceInfo:
    """Return the facts of a format of judgements; raise UsageError for one that does not exist."""
    if form not in JUDGED_FORMATS:
        raise UsageError(f"-R {form}: no such format, expected one of {', '.join(JUDGED_FORMATS)}")
    return JUDGED_FORMATS[form]


def read_relevance(path: str | File, form: str = "qrels", jobs: int | None = None) -> Relevance:
    """Read judgements or preferences; `jobs` threads parse qrels (None: as many as there are processors).

    Judgements of the form qrels that have not four columns are recognised by their beginning.  Raises
    UsageError for a format that does not exist, InputError for a file that is not in it.
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
    from pres_eval.reading import judged_groups

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
    """Read qrels or qrels_float, or judgements of another format, recognised where these cannot be read."""
    is_decimal = form == "qrels_float"
    # Imported where they are needed because few runs need other formats, and they take a while.
    if source.naming != NO_NAMING:
        from pres_eval.reading.formats.recognising import judgements_format

        named_format = judgements_format(source)
        if named_format is not None:
            return qrels_in(source, named_format, is_decimal)
    try:
        layout = QRELS
        if is_decimal:
            layout = QRELS_FLOAT
        return read_qrels(source, jobs, layout=layout)
    except InputError as error:
        from pres_eval.reading.formats.recognising import recognised

        recognised_format = recognised(source, grades=True)
        if recognised_format is not None:
            return qrels_in(source, recognised_format, is_decimal)
        if is_decimal:
            raise
        whole = qrels_of_decimals(source, error, jobs)
        if whole is None:
            raise
        return whole


def qrels_of_decimals(source: File, error: InputError, jobs: int | None) -> QrelsJudgements | None:
    """Return qrels whose grades are whole, but have decimals, such as 1.0; None for others.

    error  the error of the first line whose grade is no integer
    """
    from pres_eval.reading.formats.delimited import is_decimal

    if not is_decimal(error):
        return None
    try:
        qrels = read_qrels(source, jobs, layout=QRELS_FLOAT)
    except InputError:
        return None
    grades, again = qrels.grade, qrels.duplicates
    if not (np.trunc(qrels.every_grade()) == qrels.every_grade()).all():
        return None
    return replace(
        qrels,
        grade=narrow(grades.astype(np.int64)),
        duplicates=replace(again, grade=again.grade.astype(np.int64)),
    )


def qrels_in(source: File, form: FileFormat, is_decimal: bool = False) -> QrelsJudgements:
    """Read judgements in a format that is not trec_eval's, as gains with decimals if `is_decimal`."""
    from pres_eval.reading.headings import GAINS, GRADES

    numbers = GRADES
    if is_decimal:
        numbers = GAINS
    block = joined(source.name, form.read(source, numbers))
    if is_decimal:
        block = replace(block, numbers=block.numbers.astype(np.float64))
    return replace(qrels_of_block(source.name, block), form=form.meaning or None)


Tell = Callable[[int, Lines], None]
"""Function that gets the lines of a chunk, with all faults, and the number of lines before them."""


def read_qrels(
    source: File, jobs: int | None = None, tell: Tell | None = None, layout: Layout = QRELS
) -> QrelsJudgements:
    """Read a qrels file whole; with the layout QRELS_FLOAT relevance may be any finite decimal number.

    `jobs` threads parse (None: as many as there are processors to use); the result does not depend on it.
    Raises InputError for a line that has not four columns or whose relevance is no integer, unless there is
    `tell`: that gets these lines, and they are left out.
    """
    judgements, num_topics = GrowingColumns(), 0
    line_numbers: list[tuple[int, int, IntArray | None]] = []
    read = partial(_read_part, layout, tell is not None)
    for before, (rows, lines, columns) in in_parts(source, layout, read, source.chunks(), jobs):
        if tell is not None and lines is not None:
            tell(before, lines)
        if columns is not None:
            topics, groups, num_rows, documents, grades = columns
            judgements.append(topics, narrow(groups + num_topics), narrow(num_rows), documents, grades)
            line_numbers.append((before, len(grades), rows))
            num_topics += len(topics)
    if not len(judgements):
        raise no_lines(source, layout)
    topics, groups, num_rows, documents, grades = judgements.values()
    pooled = build_pool(topics, num_rows.astype(np.int64), documents, groups, jobs)

    def lines_of_rows() -> IntArray:
        """Return the line of each judgement in its file (N,), from 1."""
        lines_of_parts = []
        for before, size, rows in line_numbers:
            if rows is None:
                rows = np.arange(size)  # noqa: PLW2901
            lines_of_parts.append(before + 1 + rows)
        return np.concatenate(lines_of_parts)

    return _pooled_qrels(source.name, pooled, grades, lines_of_rows)


_Columns = tuple[Ids, IntArray, IntArray, Ids, AnyInts]
"""Topics, each at least once; the topic of each group of rows that follow each other, and how many these are;
documents and grades of each row."""


def _read_part(
    layout: Layout, with_faults: bool, lines: Lines
) -> tuple[IntArray | None, Lines | None, _Columns | None]:
    """Return the judgements of a chunk, None if there are none; raise LineError unless faults are wanted.

    Before them come the line of each row in the chunk (n,), counted from 0, None where row i is line i; and
    the lines if `tell` wants them: they take room while they wait.
    """
    if not with_faults:
        lines.checked()
    if not layout.whole:
        infinite = np.flatnonzero(np.isinf(lines.numbers))  # which no gain can be
        if len(infinite):
            relevance = quoted(lines.text(int(infinite[0]), 3))
            raise LineError(int(lines.line_of(infinite[:1])[0]), f"relevance {relevance}", "a finite number")
    lines_to_tell = None
    if with_faults:
        lines_to_tell = lines
    if not len(lines):
        return None, lines_to_tell, None
    heads, num_rows = lines.column(0).stretches()
    topics, groups = heads, np.arange(len(heads))
    if len(heads) > MANY_GROUPS:
        topics, groups = heads.distinct()
    grades: AnyInts = lines.numbers
    if layout.whole:
        grades = narrow(lines.numbers)
    return lines.fields.lines, lines_to_tell, (topics, groups, num_rows, lines.column(2), grades)


def _pooled_qrels(
    name: str, pooled: Pooled, grades: AnyInts, lines: Callable[[], IntArray]
) -> QrelsJudgements:
    """Return judgements whose documents were pooled: the grade (N,) of each row, and its line if needed."""
    duplicates = NO_DUPLICATES
    if len(pooled.again):
        numbers, document = lines(), pooled.document
        duplicates = Duplicates(
            topic=pooled.pool.topic_of[document],
            document=document,
            grade=grades[pooled.again],
            first_line=pooled.of_documents(numbers)[document],
            second_line=numbers[pooled.again],
        )
    return QrelsJudgements(name, pooled.pool, pooled.of_documents(grades), duplicates)


def qrels_of_block(name: str, block: Block) -> QrelsJudgements:
    """Return the judgements of a block.  Raises InputError if there are none.

    A document that is judged twice is an error only when its topic is scored, as in a file.
    """
    if not len(block.documents):
        raise InputError(name, None, "no judgements", "at least one")
    pooled = build_pool(block.topics, block.lengths, block.documents.take(slice(None)))
    grades: AnyInts = block.numbers
    if grades.dtype != np.float64:
        grades = narrow(grades.astype(np.int64))

    def lines_of_rows() -> IntArray:
        """Return the line of each judgement (N,), or its number from 1."""
        if block.lines is None:
            return np.arange(1, len(grades) + 1)
        return block.lines

    return _pooled_qrels(name, pooled, grades, lines_of_rows)
