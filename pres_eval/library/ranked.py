"""Judgements that are read once, against which runs are ranked."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from copy import copy
from functools import cached_property
from inspect import signature
from typing import Any, ClassVar, Literal

from pres_eval.errors import UsageError, plural
from pres_eval.library.arguments import (
    DEFAULT_EXCLUDE_FROM,
    DEFAULT_MAP_RANKS,
    Compat,
    DuplicateRule,
    ExcludeFrom,
    MapRanks,
    check_jobs,
    is_path,
    python_words,
    warn,
)
from pres_eval.library.data import rank_any, rank_by_cluster, read_judgements
from pres_eval.library.evaluation import Digest, pandas_module
from pres_eval.library.file_or_dict import excluded_of, mapping_of, topic_numbers
from pres_eval.library.ids import Lookup, texts_of
from pres_eval.library.matrices import TopDocuments, rank_matrix
from pres_eval.library.measures import DEFAULT_OPTIONS, Measures, selected
from pres_eval.library.naming import naming_of_arguments
from pres_eval.library.run import GAINS_FORMAT, Run
from pres_eval.library.streaming import Accumulator
from pres_eval.library.swapped import first_values, look_swapped
from pres_eval.options import (
    AS_TREC_EVAL,
    DEFAULT_NMAX,
    ERROR_OF_DUPLICATES,
    SKIP,
    STOP,
    V9,
    Options,
    RelevanceInfo,
)
from pres_eval.reading.blocks import broken_topic, first_broken
from pres_eval.reading.headings import NO_NAMING
from pres_eval.reading.judgements import relevance as engine
from pres_eval.reading.judgements.changed_judgements import (
    check_no_empty_topics,
    with_document_scores,
    with_topic_numbers,
    without_empty_topics,
)
from pres_eval.reading.judgements.relevance import Relevance
from pres_eval.reading.naming import using
from pres_eval.reading.rewriting import EXCLUDE_FROM, MAP_RANKS, rewriting_of


class Qrels:
    """Judgements: which documents are relevant for which topic, and how much.

    `data` is a path or an open file; a dict of dicts (topic, document, grade); a table with the columns
    query_id, doc_id, relevance (or qid, docno, label): pandas, polars, Arrow or a dict of columns; an
    iterable of (topic, document, grade) or of dicts; a dict of sets of relevant documents; or a dataset of
    ir_datasets.  Grades below 0 mean "in the pool, not judged".  Whole grades may be
    stored as floats (1.0); with decimals (0.73) they are gains, for the measures that take any.  `form` is
    the format of a file as -R names it.  `columns` names columns of tables and files that have other headings
    ({"topic": "Frage", "docno": "Treffer", "grade": "Note"}), `grades` gives words their grades ({"hot": 2}).

    >>> import pres_eval as pe
    >>> qrels = pe.Qrels({"1": {"a": 2, "b": 0}, "2": {"a": 1}})
    >>> qrels.topics, len(qrels)
    (['1', '2'], 3)
    >>> run = qrels.rank({"1": {"a": 0.9, "x": 0.8}, "2": {"x": 0.7, "a": 0.6}})
    >>> run.evaluate("map")["map"], run.evaluate("map", level=2, complete=True)["map"]
    (0.75, 0.5)

    Raises InputError for unreadable input: file, line, found, expected.
    """

    _prints_lines: ClassVar[bool] = True
    """Whether topics get into lines of text, which tabs and line ends in them would break."""

    @python_words
    def __init__(
        self,
        data: Any,
        *,
        form: str = "qrels",
        name: str | None = None,
        columns: Mapping[str, str] | None = None,
        grades: Mapping[str, float] | None = None,
        jobs: int | None = None,
    ) -> None:
        check_jobs(jobs)
        if not isinstance(form, str):
            raise UsageError(f"form={form!r}: expected the name of a format, such as 'qrels'")
        naming = NO_NAMING
        if columns is not None or grades is not None:
            naming = naming_of_arguments(columns, grades)
        with using(naming):
            self.relevance = read_judgements(data, form, name, jobs)
        """The judgements as arrays: grades and the pool of their documents."""
        if self._prints_lines and not is_path(data):
            _check_topics(self.name, self.relevance.pool.topics)
        self.form = form
        if form == "qrels" and self.relevance.info is RelevanceInfo.QRELS_FLOAT:
            self.form = GAINS_FORMAT
        self.is_file = is_path(data)
        self._first = first_values(data)

    @cached_property
    def lookup(self) -> Lookup:
        """Return the index of topics and judged documents by their texts."""
        return Lookup(self.relevance.pool)

    @cached_property
    def digest(self) -> Digest:
        """Return the digest of the judgements, which all evaluations share."""
        return Digest(self.relevance)

    @property
    def name(self) -> str:
        """Return the name of the judgements in messages: the path, or "qrels"."""
        return self.relevance.name

    @property
    def topics(self) -> list[str]:
        """The topics, in byte order."""
        return texts_of(self.relevance.pool.topics)

    def __len__(self) -> int:
        return len(self.relevance.pool.documents)

    def __repr__(self) -> str:
        documents = plural(len(self), "document")
        return f"<Qrels {self.name}: {documents} of {plural(len(self.relevance.pool.topics))}>"

    def to_dict(self) -> dict[str, dict[str, int | float]]:
        """Return a dict of dicts: topic, document, grade.  Raises UsageError for others than qrels."""
        relevance = self.relevance
        if not isinstance(relevance, engine.QrelsJudgements):
            raise UsageError(f"{self.name}: expected judgements that are qrels, found form={self.form!r}")
        grades = relevance.grade.tolist()
        return {
            topic: {document: grades[judgement] for document, judgement in documents.items()}
            for topic, documents in zip(self.topics, self.lookup.documents, strict=True)
        }

    def to_pandas(self) -> Any:
        """Return the same as a pandas frame: query_id, doc_id and relevance."""
        return pandas_module().DataFrame(list(self._rows()), columns=["query_id", "doc_id", "relevance"])

    def to_trec(self) -> bytes:
        """Return the same as lines of a qrels file: topic, 0, document, grade."""
        lines = [f"{topic} 0 {document} {grade}\n" for topic, document, grade in self._rows()]
        return "".join(lines).encode("utf-8", "surrogateescape")

    def _rows(self) -> Iterator[tuple[str, str, int | float]]:
        """Yield topic, document and grade of each judgement."""
        for topic, documents in self.to_dict().items():
            for document, grade in documents.items():
                yield topic, document, grade

    @python_words
    def write(self, file: Any, form: str | None = None) -> None:
        """Write the judgements to a file, as `pres-eval convert` does.

        file  a path, or a file open for bytes
        form  "qrels", "beir", "json", "jsonl", "csv" or "parquet" (extra: parquet); None: the one of the
              path's ending (.csv, .json, .jsonl, .parquet; .tsv is "beir"), else "qrels"

        >>> import io
        >>> import pres_eval as pe
        >>> file = io.BytesIO()
        >>> pe.Qrels({"1": {"a": 2, "b": 0}}).write(file, form="csv")
        >>> print(file.getvalue().decode(), end="")
        query_id,doc_id,relevance
        1,a,2
        1,b,0

        Raises UsageError for another form and for judgements that are no qrels, InputError for ids that the
        form cannot hold.
        """
        from pres_eval.library.converting import write_qrels

        write_qrels(self, file, form)

    def __getstate__(self) -> dict[str, Any]:
        # For copies too: they make their own `lookup`, and do not look for swapped runs (`_first`).
        return {"relevance": self.relevance, "form": self.form, "is_file": self.is_file, "_first": None}

    @python_words
    def accumulator(
        self, measures: Measures = None, *, duplicates: Literal["error", "first"] = "error", **options: Any
    ) -> Accumulator:
        """Return an accumulator: `update(run)` adds topics, `compute()` returns the averages so far.

        `options` are those of `Run.evaluate`.  `duplicates="first"` is for samplers that repeat topics or
        documents to fill their last batch: the first of each counts.

        Raises MeasureError for a measure that does not exist, UsageError for other duplicates and for
        intervals, which need the whole run at once.

        >>> import pres_eval as pe
        >>> found = pe.Qrels({"1": {"a": 1}, "2": {"b": 1}}).accumulator("map")
        >>> found.update({"2": {"x": 2.0, "b": 1.0}})
        >>> found.compute()
        {'map': 0.5}
        >>> found.update({"1": {"a": 2.0}})
        >>> found.compute()
        {'map': 0.75}
        """
        signature(Run.evaluate).bind(self, measures, **options)  # raises TypeError for an unknown option
        if options.get("intervals"):
            raise UsageError("intervals=True: it needs the whole run at once, expected no accumulator")
        # Unknown measures raise their error now, not at the first update.
        selected(measures, Options(), options.get("nmax", DEFAULT_NMAX), self.form)
        level = options.get("level", Options.relevance_level)
        judged = self.of_topics(options.get("empty", AS_TREC_EVAL), level)
        return Accumulator(judged, measures, options, duplicates)

    @python_words
    def with_document_scores(self, scores: Any) -> Qrels:
        """Return the same judgements with scores that documents have of their own, for urbp and ubpref.

        `scores` is anything that judgements can be, with a score for each topic and document in the place of
        the grade; a document without one counts 0.

        >>> import pres_eval as pe
        >>> qrels = pe.Qrels({"1": {"a": 1, "b": 1}}).with_document_scores({"1": {"a": 0.25, "b": 1.0}})
        >>> qrels.rank({"1": {"a": 2.0, "b": 1.0}}).evaluate("urbp.p=0.5")["urbp_p=0.5"]
        0.375

        Raises InputError for unreadable input, and UsageError for judgements that are no qrels.
        """
        document_scores = read_judgements(scores, GAINS_FORMAT, "document_scores", None)
        assert isinstance(document_scores, engine.QrelsJudgements), "gains are qrels"
        return self._with_relevance(with_document_scores(self.relevance, document_scores))

    @python_words
    def with_topic_numbers(self, nmax_of: Any = None, sizes: Any = None) -> Qrels:
        """Return the judgements with Nmax and the size of the collection of each topic, from files or dicts.

        >>> import pres_eval as pe
        >>> qrels = pe.Qrels({"1": {"a": 1}, "2": {"a": 1}}).with_topic_numbers({"1": 10, "2": 2})
        >>> run = {"1": {"x": 2.0, "a": 1.0}, "2": {"x": 2.0, "a": 1.0}}
        >>> qrels.rank(run).evaluate("PRES_budget").per_topic("PRES_budget").tolist()
        [0.9, 0.5]

        Raises InputError for a topic without a whole number above 0, UsageError for judgements that are no
        qrels.
        """
        if nmax_of is None and sizes is None:
            return self
        nmax, sizes = topic_numbers(nmax_of, "nmax_of"), topic_numbers(sizes, "sizes")
        return self._with_relevance(with_topic_numbers(self.relevance, nmax, sizes))

    @python_words
    def of_topics(self, empty: str, level: float = Options.relevance_level) -> Qrels:
        """Return the judgements without topics that have no relevant document, or raise an error for these.

        empty  "skip" to leave them out, "error" to raise an error; other values of --empty keep all topics
        Raises InputError for the error, or if no topic is left; UsageError for judgements that are no qrels.
        """
        if empty == STOP:
            check_no_empty_topics(self.relevance, level)
        if empty != SKIP:
            return self
        return self._with_relevance(without_empty_topics(self.relevance, level))

    def _with_relevance(self, relevance: Relevance) -> Qrels:
        """Return a copy with changed judgements."""
        other = copy(self)
        other.relevance = relevance
        return other

    @python_words
    def rewritten(
        self,
        *,
        map_docs: Any = None,
        map_ranks: MapRanks = DEFAULT_MAP_RANKS,
        exclude: Any = None,
        exclude_from: ExcludeFrom = DEFAULT_EXCLUDE_FROM,
    ) -> Qrels:
        """Return the judgements with mapped documents and without excluded ones; runs are treated alike.

        The arguments are those of `evaluate`.

        >>> import pres_eval as pe
        >>> qrels = pe.Qrels({"1": {"a": 1, "b": 1}}).rewritten(map_docs={"a#0": "a", "a#1": "a"})
        >>> qrels.rank({"1": {"a#1": 3.0, "a#0": 2.0, "b": 1.0}}).evaluate("recall.2")["recall_2"]
        1.0

        Raises UsageError for judgements that are no qrels and for arguments that make no sense, InputError
        for files that cannot be read.
        """
        if map_ranks != DEFAULT_MAP_RANKS and map_docs is None:
            raise UsageError(f"map_ranks={map_ranks!r}: expected map_docs too")
        if exclude_from != DEFAULT_EXCLUDE_FROM and exclude is None:
            raise UsageError(f"exclude_from={exclude_from!r}: expected exclude too")
        if map_ranks not in MAP_RANKS:
            raise UsageError(f"map_ranks={map_ranks!r}: expected one of {', '.join(MAP_RANKS)}")
        if exclude_from not in EXCLUDE_FROM:
            raise UsageError(f"exclude_from={exclude_from!r}: expected one of {', '.join(EXCLUDE_FROM)}")
        rewriting = rewriting_of(mapping_of(map_docs), map_ranks, excluded_of(exclude), exclude_from)
        return self._with_relevance(rewriting.of_judgements(self.relevance))

    @python_words
    def rank(
        self,
        data: Any,
        *,
        compat: Compat = "9.0.8",
        max_retrieved: int | None = None,
        duplicates: DuplicateRule = "error",
        name: str | None = None,
        columns: Mapping[str, str] | None = None,
        jobs: int | None = None,
        cluster: Any = None,
        cluster_timeout: float | None = None,
    ) -> Run:
        """Rank a run once, to evaluate it many times; of its documents only the judged ones are kept.

        `data` is a path or an open file; a dict of dicts (topic, document, score); a table with the columns
        query_id, doc_id, score (or qid, docno, score); or an iterable of (topic, document, score).  See
        `evaluate` for `cluster`.  `columns` names columns that have other headings ({"score": "Punkte"}).
        """
        if isinstance(data, Run):
            raise UsageError("run: it is ranked already, expected what Qrels.rank takes")
        check_jobs(jobs)
        if self._first is not None:
            likeness = look_swapped(self._first, first_values(data))
            if likeness:
                warn(f"{self.name}: {likeness}: were the two swapped? the judgements come first")
        options = _options(compat, max_retrieved, duplicates)
        naming = NO_NAMING
        if columns is not None:
            naming = naming_of_arguments(columns, None)
        with using(naming):
            if cluster is None:
                ranking = rank_any(data, self.relevance, self.lookup, options, name, jobs)
            else:
                ranking = rank_by_cluster(cluster, data, self.relevance, options, cluster_timeout)
        if self._prints_lines and len(ranking.unjudged_ids) and not is_path(data):
            _check_topics(ranking.name, ranking.unjudged)
        return Run(self, ranking, options, is_file=is_path(data), made_of=data, naming=naming)

    @python_words
    def rank_top_k(
        self,
        topics: Any,
        ids: Any,
        scores: Any,
        *,
        compat: Compat = "9.0.8",
        max_retrieved: int | None = None,
        duplicates: DuplicateRule = "error",
        name: str | None = None,
    ) -> Run:
        """Rank the k best documents of T topics, as a vector search gives them.

        topics  T ids
        ids     (T, k) whole numbers or texts: numpy, or anything with `__array__` or `__dlpack__`; -1 where a
                topic has fewer documents.  Of tensors of torch on a GPU, these T k ids and scores are copied
                to the host
        scores  (T, k) numbers, higher is better; for distances give -distances

        >>> import numpy as np
        >>> import pres_eval as pe
        >>> qrels = pe.Qrels([("1", "17", 1), ("2", "4", 1)])
        >>> ids, scores = np.array([[17, 4], [9, -1]]), np.array([[0.9, 0.5], [0.3, 0.0]])
        >>> qrels.rank_top_k(["1", "2"], ids, scores).evaluate("recip_rank")["recip_rank"]
        0.5
        """
        name = name or "run"
        options = _options(compat, max_retrieved, duplicates)
        ranking = rank_matrix(topics, ids, scores, self.relevance, self.lookup, options, name=name, tag=name)
        if self._prints_lines:
            _check_topics(ranking.name, ranking.unjudged)
        return Run(self, ranking, options, made_of=TopDocuments(topics, ids, scores))


def _options(compat: str, max_retrieved: int | None, duplicates: str) -> Options:
    """Return the options of a ranking; the default ones are made once, as small calls need them each time."""
    if (compat, max_retrieved, duplicates) == (V9.name, None, ERROR_OF_DUPLICATES):
        return DEFAULT_OPTIONS
    return Options(compat=compat, max_retrieved=max_retrieved, duplicates=duplicates)


def _check_topics(name: str, topics: Sequence[bytes]) -> None:
    """Raise InputError for a topic with a tab or an end of a line; files of text can have none."""
    broken = first_broken(topics)
    if broken is not None:
        raise broken_topic(name, None, topics[broken])


class UnprintedQrels(Qrels):
    """Judgements of the drop-ins, which print no lines: topics may be any text."""

    _prints_lines = False
