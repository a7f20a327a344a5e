"""Judgements of several judges side by side: how far they agree, and one grade for each document."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from itertools import pairwise

import numpy as np

from pres_eval.arrays import BoolArray, FloatArray, Grades, Ids, IntArray
from pres_eval.errors import InputError, NoCommonTopicError, quoted
from pres_eval.reading.judgements.changed_judgements import with_documents
from pres_eval.reading.judgements.pool import Pool, build_pool
from pres_eval.reading.judgements.relevance import NO_DUPLICATES, QrelsJudgements

LEVELS_OF_MEASUREMENT = ("nominal", "ordinal", "interval")
"""Levels of measurement of the grades for Krippendorff's α."""


@dataclass(frozen=True, eq=False)
class Assessments:
    """Grades by J judges of the D documents that any of them judged, on topics that all or any of them have.

    judges      what each judge judged, all topics, J
    pool        the documents
    grades      (J, D) whole grades, -1 where the judge does not list the document
    listed      (J, D) whether the document is in the judge's qrels, also with a negative grade (not judged)
    left_out    number of topics left out because not all judges have them
    """

    judges: tuple[QrelsJudgements, ...]
    pool: Pool
    grades: IntArray
    listed: BoolArray
    left_out: int

    @property
    def names(self) -> tuple[str, ...]:
        """Return the names of the judges."""
        return tuple(qrels.name for qrels in self.judges)

    @cached_property
    def judged(self) -> BoolArray:
        """Return (J, D) whether the judge gave a grade; a negative one means "not judged"."""
        return np.asarray(self.listed & (self.grades >= 0), np.bool_)

    def beside_first(self, judge: int) -> Assessments:
        """Return the grades of two judges alone: the first one, and this one."""
        rows = [0, judge]
        return replace(
            self,
            judges=(self.judges[0], self.judges[judge]),
            grades=self.grades[rows],
            listed=self.listed[rows],
        )

    def qrels(self, judge: int) -> QrelsJudgements:
        """Return one judge's judgements, in a pool with the documents of all judges.

        What options added to them stays: the rewriting of documents, Nmax and collection size of each topic.
        """
        qrels = self.judges[judge]
        topics = qrels.pool.find_topics(self.pool.topics)
        return replace(
            qrels,
            pool=self.pool,
            grade=self.grades[judge],
            duplicates=NO_DUPLICATES,
            kept=self.listed[judge],
            nmax=None if qrels.nmax is None else qrels.nmax[topics],
            sizes=None if qrels.sizes is None else qrels.sizes[topics],
        )


def side_by_side(judges: Sequence[QrelsJudgements], every_topic: bool = False) -> Assessments:
    """Return judgements side by side, document by document.

    judges       judgements with whole grades, as -R qrels reads them
    every_topic  whether the topics of any judge count; else those that all judges have
    Raises NoCommonTopicError if no topic is in all of them, InputError if one has a document twice.
    """
    for qrels in judges:
        _check_duplicates(qrels)
    topics_of_judges = [set(qrels.pool.topics) for qrels in judges]
    all_topics = set.union(*topics_of_judges)
    chosen_topics = all_topics if every_topic else set.intersection(*topics_of_judges)
    if not chosen_topics:
        raise NoCommonTopicError(
            f"no topic in common among {', '.join(qrels.name for qrels in judges)}, expected one at least"
        )
    topics, lengths, documents, grades_of_judges = [], [], [], []
    for qrels in judges:
        is_chosen = np.array([topic in chosen_topics for topic in qrels.pool.topics], np.bool_)
        rows = np.flatnonzero(is_chosen[qrels.pool.topic_of])
        topics += [topic for topic in qrels.pool.topics if topic in chosen_topics]
        lengths.append(np.diff(qrels.pool.offsets)[is_chosen])
        documents.append(qrels.pool.documents.take(rows))
        grades_of_judges.append(qrels.grade[rows].astype(np.int64))
    # The topics of the judges come one judge after the other: the pool brings equal ones together.
    pooled = build_pool(Ids.from_texts(topics), np.concatenate(lengths), Ids.concatenate(documents))
    ends_of_judges = np.cumsum([len(grades) for grades in grades_of_judges])[:-1]
    documents_of_judges = np.split(pooled.document_of_row(), ends_of_judges)
    shape = (len(judges), len(pooled.pool.documents))
    all_grades, listed = np.full(shape, -1, np.int64), np.zeros(shape, np.bool_)
    for judge, documents_of_judge in enumerate(documents_of_judges):
        all_grades[judge, documents_of_judge] = grades_of_judges[judge]
        listed[judge, documents_of_judge] = True
    return Assessments(
        judges=tuple(judges),
        pool=pooled.pool,
        grades=all_grades,
        listed=listed,
        left_out=len(all_topics) - len(chosen_topics),
    )


def _check_duplicates(qrels: QrelsJudgements) -> None:
    """Raise InputError if a document was judged twice for a topic."""
    duplicates = qrels.duplicates
    if not len(duplicates.document):
        return
    docno = qrels.pool.documents[int(duplicates.document[0])]
    raise InputError(
        qrels.name,
        int(duplicates.second_line[0]),
        f"document {quoted(docno)} a second time (first in line {int(duplicates.first_line[0])})",
        "one judgement per document and topic",
    )


@dataclass(frozen=True, eq=False)
class GradeTable:
    """Confusion table of two judges: counts (G, G) over G grades, the first judge's in rows, ascending."""

    grades: tuple[int, ...]
    counts: IntArray


def grade_table(first: IntArray, second: IntArray) -> GradeTable:
    """Return the confusion table of the grades (D,) of two judges, of documents that both judged."""
    grades = np.union1d(first, second)
    size = len(grades)
    cells = np.searchsorted(grades, first) * size + np.searchsorted(grades, second)
    counts = np.bincount(cells, minlength=size * size).reshape(size, size)
    return GradeTable(grades=tuple(grades.tolist()), counts=counts.astype(np.int64))


def raw_agreement(table: GradeTable) -> float:
    """Return the share of documents with the same grade; nan without documents."""
    total = int(table.counts.sum())
    if not total:
        return np.nan
    return int(np.trace(table.counts)) / total


def cohens_kappa(table: GradeTable, power: int = 0) -> float:
    """Return Cohen's κ: agreement beyond chance, with disagreements weighted by the distance of grades.

    power  0: plain κ, every disagreement weighs the same; 1: linear weights; 2: quadratic weights
    Formula:  κ = 1 - Σ w_ij n_ij / Σ w_ij e_ij, over pairs of grades i, j
      n_ij   documents with grade i by the first judge and j by the second, n in all
      e_ij   n_i. n_.j / n, what chance gives: n_i. and n_.j are the sums of a row and of a column
      w_ij   |i - j|^power, 0 for i = j
    Range: up to 1, 0 for chance agreement; nan without documents, and if both gave one and the same grade to
      all of them.
    Source: Cohen, Educational and Psychological Measurement 1960, doi:10.1177/001316446002000104; weighted:
      Cohen, Psychological Bulletin 1968, doi:10.1037/h0026256.
    """
    counts = table.counts
    total = int(counts.sum())
    if not total:
        return np.nan
    grades = np.array(table.grades, np.int64)
    distances = np.abs(grades[:, None] - grades)
    weights = np.where(distances > 0, distances**power, 0)
    counts_of_first, counts_of_second = counts.sum(axis=1), counts.sum(axis=0)
    expected = int((weights * counts_of_first[:, None] * counts_of_second).sum())
    if not expected:
        return np.nan
    return 1 - int((weights * counts).sum()) * total / expected


def krippendorffs_alpha(grades: IntArray, judged: BoolArray, level: str = "nominal") -> float:
    """Return Krippendorff's α of any number of judges, who need not judge everything.

    grades, judged  (J, D) by judge and document, and whether the judge judged it
    level           "nominal", "ordinal" or "interval": how far apart two grades are
    Formula:  α = 1 - (n - 1) Σ o_ck δ²_ck / Σ n_c n_k δ²_ck, over pairs of grades c and k
      n_c    how often grade c was given, n all grades
      o_ck   pairs of judges that gave a document the grades c and k, divided by m - 1 for a document with m
             judges
      δ²_ck  1 (nominal), (Σ_{g=c..k} n_g - (n_c + n_k) / 2)² (ordinal), (c - k)² (interval); 0 for c = k
    Documents with one judge do not count.  nan if no document has two, or only one grade was given.
    Source: Krippendorff, Content Analysis, 2004, chapter 11; Computing Krippendorff's Alpha-Reliability,
    2011.
    """
    has_judges = judged.sum(axis=0) > 1  # two or more
    grades, judged = grades[:, has_judges], judged[:, has_judges]
    values, value_of_judgement = np.unique(grades[judged], return_inverse=True)
    if len(values) < 2:
        return np.nan
    num_documents = grades.shape[1]
    document_of_judgement = np.broadcast_to(np.arange(num_documents), grades.shape)[judged]
    # (D, V) how often a document has each value, and these counts divided by m - 1.
    value_counts = np.zeros((num_documents, len(values)), np.int64)
    np.add.at(value_counts, (document_of_judgement, value_of_judgement), 1)
    judges = value_counts.sum(axis=1)
    weighted_counts = value_counts / (judges - 1)[:, None]
    # o_ck (V, V): all pairs of judgements of a document, less those of a judgement with itself.
    pairs = value_counts.T @ weighted_counts
    pairs -= np.diag(weighted_counts.sum(axis=0))
    counts = value_counts.sum(axis=0).astype(np.float64)
    distances = _squared_distances(values.astype(np.float64), counts, level)
    expected = float((counts[:, None] * counts * distances).sum())
    total = float(counts.sum())
    return 1 - (total - 1) * float((pairs * distances).sum()) / expected


def _squared_distances(values: FloatArray, counts: FloatArray, level: str) -> FloatArray:
    """Return the squared distances δ² (V, V) of the values (V,) at a level of measurement.

    counts  (V,) how often each value was given
    """
    if level == "nominal":
        return np.asarray(1.0 - np.eye(len(values)), np.float64)
    if level == "interval":
        return np.asarray((values[:, None] - values) ** 2, np.float64)
    # Sort all grades that were given: the distance of two values is that of the middles of their stretches.
    middle = np.cumsum(counts) - counts / 2
    return np.asarray((middle[:, None] - middle) ** 2, np.float64)


@dataclass(frozen=True)
class TopicAgreement:
    """Two judges on one topic.

    both, only_first, only_second  documents that both judged, or one of them
    relevant_first, relevant_second, relevant_both  relevant documents, of those that both judged
    agreement, kappa  on the grades of documents that both judged, see `raw_agreement` and `cohens_kappa`
    overlap      documents relevant to both, as a share of those relevant to either
    """

    topic: bytes
    both: int
    only_first: int
    only_second: int
    relevant_first: int
    relevant_second: int
    relevant_both: int
    agreement: float
    kappa: float
    overlap: float


def by_topic(assessments: Assessments, relevance_level: float) -> list[TopicAgreement]:
    """Return how the first two judges agree on each topic.

    relevance_level  the least grade of a relevant document
    """
    rows = []
    ends = pairwise(assessments.pool.offsets.tolist())
    for topic, (start, stop) in zip(assessments.pool.topics, ends, strict=True):
        rows.append(agreement(assessments, relevance_level, topic, slice(start, stop)))
    return rows


def agreement(
    assessments: Assessments, relevance_level: float, topic: bytes = b"all", documents: slice = slice(None)
) -> TopicAgreement:
    """Return how the first two judges agree on all topics together, or on one.

    relevance_level  the least grade of a relevant document
    topic            the name of the topic
    documents        the documents of the topic, as indices of the pool; the default is all
    """
    by_first, by_second = assessments.judged[:2, documents]
    by_both = by_first & by_second
    first_grades, second_grades = assessments.grades[:2, documents][:, by_both]
    table = grade_table(first_grades, second_grades)
    relevant_first, relevant_second = first_grades >= relevance_level, second_grades >= relevance_level
    relevant_both = int(np.count_nonzero(relevant_first & relevant_second))
    relevant_either = int(np.count_nonzero(relevant_first | relevant_second))
    overlap = np.nan
    if relevant_either:
        overlap = relevant_both / relevant_either
    return TopicAgreement(
        topic=topic,
        both=int(np.count_nonzero(by_both)),
        only_first=int(np.count_nonzero(by_first & ~by_second)),
        only_second=int(np.count_nonzero(by_second & ~by_first)),
        relevant_first=int(np.count_nonzero(relevant_first)),
        relevant_second=int(np.count_nonzero(relevant_second)),
        relevant_both=relevant_both,
        agreement=raw_agreement(table),
        kappa=cohens_kappa(table),
        overlap=overlap,
    )


BY_MAJORITY, BY_FIRST, BY_HIGHEST, BY_MEAN = "majority", "first", "highest", "mean"
JOINING_RULES = (BY_MAJORITY, BY_FIRST, BY_HIGHEST, BY_MEAN)
"""Rules by which several judges' grades of a document become one (merge --rule), see `merged_grades`."""


def judges_of_repeats(qrels: QrelsJudgements) -> list[QrelsJudgements]:
    """Return qrels that judge documents several times as the qrels of several judges.

    The first judge has the first judgement of each document, the second judge the second ones, and so on.
    """
    duplicates = qrels.duplicates
    first_judge = replace(qrels, duplicates=NO_DUPLICATES)
    judges = [first_judge]
    remaining = np.arange(len(duplicates.document))
    while len(remaining):
        # The next judge has the first of the remaining judgements of each document.
        documents, rows = np.unique(duplicates.document[remaining], return_index=True)
        # Of grades such as 300.0 the first ones may need fewer bytes than the repeated ones.
        grade = qrels.grade.astype(np.result_type(qrels.grade, duplicates.grade))
        grade[documents] = duplicates.grade[remaining[rows]]
        judges.append(with_documents(replace(first_judge, grade=grade), qrels.pool.documents, documents))
        remaining = np.delete(remaining, rows)
    return judges


def merged_grades(assessments: Assessments, rule: str = BY_MAJORITY) -> Grades:
    """Return one grade for each document (D,) from those of J judges.

    rule  majority: the most frequent grade; of equally frequent ones that of the first judge who gave one
          first: the grade of the first judge who judged the document
          highest: the highest grade
          mean: the mean of the grades, which may be no whole number

    A negative grade means "not judged"; it counts only where nobody judged.
    """
    grades = assessments.grades
    # (J, D) whether the grade counts: those from 0 on; where a document has none of these, the negative ones.
    is_counted = np.where(assessments.judged.any(axis=0), assessments.judged, assessments.listed)
    if rule == BY_MEAN:
        return np.asarray((grades * is_counted).sum(axis=0) / is_counted.sum(axis=0), np.float64)
    if rule == BY_HIGHEST:
        return np.asarray(np.where(is_counted, grades, grades.min()).max(axis=0), np.int64)
    # (J, D) votes for each judge's grade.  By the rule `first` each grade that counts has one vote: argmax
    # finds the first of these.
    votes = is_counted.astype(np.int64)
    if rule == BY_MAJORITY:
        same_grade = [(is_counted & (grades == grades_of_judge)).sum(axis=0) for grades_of_judge in grades]
        votes = np.array(same_grade) * is_counted
    judge_of_document = votes.argmax(axis=0)
    return np.asarray(grades[judge_of_document, np.arange(grades.shape[1])], np.int64)


def disagreements(assessments: Assessments) -> IntArray:
    """Return the documents to which judges gave different grades, as indices (n,) of the pool."""
    grades, has_grade = assessments.grades, assessments.judged
    lowest = np.where(has_grade, grades, np.iinfo(np.int64).max).min(axis=0)
    highest = np.where(has_grade, grades, -1).max(axis=0)
    return np.flatnonzero(lowest < highest)
