"""Drop-in for pytrec_eval: `import pres_eval.pytrec_eval as pytrec_eval` is all that changes.

>>> from pres_eval import pytrec_eval
>>> qrel = {"q1": {"d1": 0, "d2": 1}, "q2": {"d2": 1, "d3": 1}}
>>> run = {"q1": {"d1": 1.0, "d2": 0.5}, "q2": {"d2": 2.0, "d9": 1.0}}
>>> evaluator = pytrec_eval.RelevanceEvaluator(qrel, {"map", "ndcg_cut.3,10", "recall_5"})
>>> evaluator.evaluate(run)["q1"]["map"]
0.5

Names, keys, values and left-out topics are pytrec_eval's.  Besides, any measure of pres-eval can be
asked for (`PRES.100`), numpy's scalars are numbers, ids may be whole numbers, evaluators can be pickled, and
no input ends the process.
"""

from __future__ import annotations

import math
import re
from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Mapping
from dataclasses import replace
from functools import cached_property, lru_cache
from itertools import repeat
from typing import Any

import numpy as np

from pres_eval.errors import InputError, MeasureError
from pres_eval.library.arguments import in_python, python_words, warn
from pres_eval.library.data import rank_any
from pres_eval.library.few import NUM_REL, FewDocuments, numbers_of, plain_judgements
from pres_eval.library.ranked import Qrels, UnprintedQrels
from pres_eval.measures import NICKNAMES, OUR_NICKNAMES, measure_names, own_measures
from pres_eval.measures.base import LEAST_GEOMETRIC_MEAN, Measure, geometric_mean, number_of_topics
from pres_eval.measures.parameters import Cutoffs, Fractions
from pres_eval.measures.selection import Selection, select, with_ties_and_bounds
from pres_eval.measures.settings import UnitedCutoffs
from pres_eval.options import V9, Options
from pres_eval.reading.judgements.relevance import QrelsJudgements
from pres_eval.scoring import Scoring

__version__ = "0.5.11"
"""The pytrec_eval-terrier whose names and values these are."""

__all__ = [
    "RelevanceEvaluator",
    "compute_aggregated_measure",
    "parse_qrel",
    "parse_run",
    "supported_measures",
    "supported_nicknames",
]

supported_nicknames: dict[str, set[str]] = {
    name: set(members) for name, members in NICKNAMES[V9.name].items() if name not in OUR_NICKNAMES
}
"""Names for groups of measures.  Those of preferences and judgement groups need other judgements."""

supported_measures: set[str] = set(supported_nicknames["all_trec"])
"""Names of trec_eval's measures for qrels."""

_OPTIONS_OF_JUDGEMENTS = ("map_docs", "map_ranks", "exclude", "exclude_from")
"""Arguments of pres_eval.evaluate that change the judgements, which the evaluator takes besides its own."""

_OPTIONS_OF_RUNS = ("empty", "ties", "max_retrieved", "compat")
"""Further arguments of pres_eval.evaluate that the evaluator takes."""

_NAME_AND_PARAMETERS = re.compile(r"(.+?)[._]([0-9]+(?:\.[0-9]+)?(?:,[0-9]+(?:\.[0-9]+)?)*)")
"""A name with numbers behind a dot or an underscore: `ndcg_cut_5`, `ndcg_cut.5,10`."""

_VALUES_WITHOUT_DOCUMENTS: dict[Any, float] = {
    number_of_topics: 1.0,
    geometric_mean: math.log(LEAST_GEOMETRIC_MEAN),
}
"""Values of a topic for which nothing was retrieved, by the measure's summary function; otherwise 0."""


def parse_run(f_run: Iterable[str]) -> dict[str, dict[str, float]]:
    """Read a run from lines: topic, Q0, document, rank, score, tag.

    Raises ValueError for a line of other than six columns, AssertionError for a document given twice.
    """
    return _parse(f_run, 6, 4, float)


def parse_qrel(f_qrel: Iterable[str]) -> dict[str, dict[str, int]]:
    """Read judgements from lines: topic, iteration, document, relevance.

    Raises ValueError for a line of other than four columns, AssertionError for a document given twice.
    """
    return _parse(f_qrel, 4, 3, int)


def _parse(
    lines: Iterable[str], width: int, column: int, number: Callable[[str], Any]
) -> dict[str, dict[str, Any]]:
    """Return the numbers by topic and document; raise pytrec_eval's errors.

    width   columns of a line
    column  index of the number, which the function `number` reads
    """
    numbers: dict[str, dict[str, Any]] = defaultdict(dict)
    for line_number, line in enumerate(lines, 1):
        fields = line.split()
        if len(fields) != width:
            raise ValueError(f"line {line_number}: {len(fields)} columns, expected {width}")
        topic, document = fields[0], fields[2]
        documents = numbers[topic]
        if document in documents:
            # Callers of pytrec_eval expect this exception.
            raise AssertionError(f"line {line_number}: document {document} of topic {topic} again")
        documents[document] = number(fields[column])
    return numbers


def compute_aggregated_measure(measure: str, values: Iterable[float]) -> float:
    """Return one number for values by topic: the sum of counts, exp(mean) for gm_…, else the mean."""
    numbers = np.asarray(list(values), np.float64)
    if measure.startswith("num_"):
        return float(np.sum(numbers))
    if measure.startswith("gm_"):
        return float(np.exp(np.sum(numbers) / len(numbers)))
    return float(np.mean(numbers))


class RelevanceEvaluator:
    r"""Evaluates runs against judgements, as pytrec_eval's class of this name.

    query_relevance         topic, document, relevance: a dict of dicts
    measures                names (`map`, `ndcg_cut`, `ndcg_cut.5,10`, `ndcg_cut_5`) or nicknames; parameters
                            of the same measure are united
    relevance_level         least grade of a relevant document
    judged_docs_only_flag   take unjudged documents out of the rankings first
    pres_eval               further options: a dict of arguments of `pres_eval.evaluate`, some of
                            map_docs, map_ranks, exclude, exclude_from, empty, ties, max_retrieved, compat

    >>> judged = {"q1": {"d1": 1, "d2": 1}}
    >>> evaluator = RelevanceEvaluator(judged, {"recall_2"}, pres_eval={"map_docs": r"^(.*)#\d+$"})
    >>> evaluator.evaluate({"q1": {"d1#0": 3.0, "d1#4": 2.0, "d2#1": 1.0}})
    {'q1': {'recall_2': 1.0}}

    Raises TypeError for judgements of other types, for grades with decimals and for other arguments,
    ValueError for a measure that does not exist.
    """

    def __init__(
        self,
        query_relevance: Mapping[str, Mapping[str, int]],
        measures: Iterable[str],
        relevance_level: int = 1,
        judged_docs_only_flag: bool = False,
        pres_eval: Mapping[str, Any] | None = None,
    ) -> None:
        if not isinstance(query_relevance, Mapping):
            raise TypeError("Argument query_relevance should be of type dictionary.")
        if not isinstance(relevance_level, int | np.integer):
            raise TypeError(f"relevance_level: found {relevance_level!r}, expected a whole number")
        if relevance_level < 1:
            raise TypeError("Argument relevance_level should be positive.")
        judged = {topic: documents for topic, documents in query_relevance.items() if len(documents)}
        plain = plain_judgements(judged)
        self._judged = plain or {}
        if plain is None:
            # Judgements of other types are checked and become arrays now, others when `_qrels` is first used.
            self._qrels = _as_arrays(judged)
        names = frozenset([measures] if isinstance(measures, str) else measures)
        self._options = _options(int(relevance_level), bool(judged_docs_only_flag))
        self._further_options = pres_eval or {}
        if self._further_options:
            self._set_further_options(self._further_options)
        self._columns, self._keys, self._values_without_documents = _columns_of(
            names, own_measures(), self._options
        )

    @python_words
    def _set_further_options(self, ours: Mapping[str, Any]) -> None:
        """Set options that pytrec_eval lacks, and map or leave out documents of the judgements by them.

        Raises TypeError for names that are no such options.
        """
        known = (*_OPTIONS_OF_JUDGEMENTS, *_OPTIONS_OF_RUNS)
        for_runs: dict[str, Any] = {}
        for_judgements: dict[str, Any] = {}
        for name, value in ours.items():
            if name not in known:
                raise TypeError(f"pres_eval: found {name!r}, expected some of {', '.join(known)}")
            if name in _OPTIONS_OF_JUDGEMENTS:
                for_judgements[name] = value
            else:
                for_runs[name] = value
        self._options = replace(self._options, **for_runs)
        if self._qrels is not None:
            qrels = self._qrels.rewritten(**for_judgements)
            self._qrels = qrels.of_topics(self._options.empty, self._options.relevance_level)

    @cached_property
    def _qrels(self) -> Qrels | None:
        """The judgements as arrays, which runs of few documents need not have; None if there are none."""
        if not self._judged:
            return None
        return _as_arrays(self._judged)

    @cached_property
    def _few(self) -> FewDocuments | None:
        """Evaluator of runs with few documents, without arrays; None if an option needs arrays."""
        if self._options.judged_only or self._further_options:
            return None
        grades: Callable[[str], Mapping[str, int] | None] = self._judged.get
        if not self._judged and self._qrels is not None:  # the judgements are arrays alone
            grades = self._grades_of
        level = int(self._options.relevance_level)
        return FewDocuments(grades, level, self._keys, self._columns, self._values_without_documents)

    def _grades_of(self, topic: str) -> dict[str, int] | None:
        """Return the grades of a topic's documents, from judgements that are kept as arrays."""
        assert self._qrels is not None and isinstance(self._qrels.relevance, QrelsJudgements)
        index = self._qrels.lookup.topics.get(topic)
        if index is None:
            return None
        documents = self._qrels.lookup.documents[index]
        grades = self._qrels.relevance.grade[list(documents.values())].tolist()
        return dict(zip(documents, grades, strict=True))

    def evaluate(self, scores: Mapping[str, Mapping[str, Any]]) -> dict[str, dict[str, float]]:
        """Return the values of all measures for each judged topic of the run, in the run's order.

        Raises TypeError for scores that are not numbers, nan among them: with these the values of pytrec_eval
        depend on the order of the dict.
        """
        if not isinstance(scores, Mapping):
            raise TypeError("Argument object scores should be of type dictionary.")
        if self._few is not None:
            values = self._few.values(scores)
            if values is not None:
                return values
        if self._qrels is None:
            return {}
        try:
            values_by_index = self._values_by_index(scores)
            indices = self._indices(scores)
        except InputError as error:
            raise TypeError(str(error)) from error
        values = {}
        for topic, index in indices.items():
            if index in values_by_index:
                values[topic] = values_by_index[index]
            else:
                values[topic] = {**self._values_without_documents, **self._num_rel_of(index)}
        return values

    def _indices(self, topics: Iterable[str]) -> dict[str, int]:
        """Return for each of these topics that has judgements its index in them."""
        assert self._qrels is not None
        lookup = self._qrels.lookup
        indices = {}
        for topic in topics:
            index = lookup.topics.get(topic) if type(topic) is str else lookup.index_of_topic(topic, "run")
            if index is not None:
                indices[topic] = index
        return indices

    def _num_rel_of(self, index: int) -> dict[str, float]:
        """Return the number of relevant documents of a topic under its key, nothing if no column has it."""
        if NUM_REL not in self._keys:
            return {}
        assert self._qrels is not None and isinstance(self._qrels.relevance, QrelsJudgements)
        begin, end = self._qrels.relevance.pool.offsets[index : index + 2]
        relevant = self._qrels.relevance.grade[begin:end] >= self._options.relevance_level
        return {NUM_REL: float(np.count_nonzero(relevant))}

    @python_words
    def _values_by_index(self, scores: Mapping[str, Mapping[str, Any]]) -> dict[int, dict[str, float]]:
        """Return, by the topic's index in the judgements, the values by key of topics with documents."""
        qrels = self._qrels
        assert qrels is not None
        for topic, documents in scores.items():
            if type(documents) is not dict and not isinstance(documents, Mapping):
                raise InputError("run", None, f"{type(documents).__name__} for topic {topic!r}", "a dict")
            # The first score tells, as runs hardly mix texts and numbers.
            if isinstance(next(iter(documents.values()), None), str):
                raise InputError("run", None, f"scores that are texts for topic {topic!r}", "numbers")
        if not any(scores.values()) and not self._further_options:
            return {}
        # Topics without documents may get values by further options, such as empty.
        has_further_options = bool(self._further_options)
        ranking = rank_any(
            scores,
            qrels.relevance,
            qrels.lookup,
            self._options,
            name="run",
            jobs=None,
            empty=has_further_options,
        )
        if not (len(ranking.topic) and self._columns):
            return {index: {} for index in ranking.topic.tolist()}
        # Scored without the means over topics that an Evaluation has: they are not needed here.
        scoring = Scoring(relevance=qrels.relevance, selection=self._columns, options=self._options)
        values_of_topics: list[dict[str, float]] = []
        for block in scoring.blocks(ranking):
            rows = zip(*map(numbers_of, block.values), strict=True)
            values_of_topics += map(dict, map(zip, repeat(self._keys), rows))  # a loop in C
        return dict(zip(ranking.topic.tolist(), values_of_topics, strict=True))


def _as_arrays(judged: Mapping[str, Mapping[str, int]]) -> Qrels:
    """Return judgements as arrays; raise TypeError for other types, and grades with decimals."""
    try:
        qrels = UnprintedQrels(judged)
    except InputError as error:
        raise TypeError(str(error)) from error
    if qrels.form != "qrels":
        raise TypeError("Expected relevance to be integer.")
    return qrels


@lru_cache(maxsize=64)
def _options(relevance_level: int, judged_only: bool) -> Options:
    """Return the options, from a cache: evaluators are made again and again with the same ones."""
    return Options(relevance_level=relevance_level, judged_only=judged_only)


@lru_cache(maxsize=64)
@python_words
def _columns_of(
    measures: frozenset[str], registered: tuple[Measure, ...], options: Options
) -> tuple[Selection, list[str], dict[str, float]]:
    """Return the columns, their keys, and the values of a topic for which nothing was retrieved.

    registered  the user's measures, of which `measures` may name some: a key of the cache, as they may change
    """
    texts = list(_texts_of(sorted(measures)))
    try:
        selection = select(texts) if texts else ()
    except MeasureError as error:
        raise ValueError(in_python(str(error))) from error
    columns = with_ties_and_bounds(selection, options, bounds=False, warn=warn)
    keys = []
    values_without_documents = {}
    for column in columns:
        # Keys of pytrec_eval have cutoffs, but no other parameters.
        has_cutoffs = isinstance(column.measure.parameters, Cutoffs | Fractions | UnitedCutoffs)
        key = column.label if has_cutoffs else column.measure.name
        keys.append(key)
        values_without_documents[key] = _VALUES_WITHOUT_DOCUMENTS.get(column.measure.summary, 0.0)
    return columns, keys, values_without_documents


def _texts_of(measures: Iterable[str]) -> Iterator[str]:
    """Yield the names of measures as -m takes them, in any order, some perhaps again.

    Raises ValueError for a measure that does not exist.
    """
    names = set(measure_names())
    for measure in measures:
        match = None if measure in names else _NAME_AND_PARAMETERS.fullmatch(measure)
        if measure in supported_nicknames:
            yield from supported_nicknames[measure]
        elif match is not None and match[1] in names:
            yield f"{match[1]}.{match[2]}"
        elif re.split("[.@]", measure)[0] in names:
            yield measure
        else:
            raise ValueError(f"unsupported measure {measure}")
