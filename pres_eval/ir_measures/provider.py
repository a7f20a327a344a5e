"""The provider `pres_eval`, and the evaluator behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any, NamedTuple

import ir_measures
import numpy as np
from ir_measures import measures, providers
from ir_measures.providers import base

from pres_eval.arrays import FloatArray, IntArray, add_in_order
from pres_eval.errors import InputError, MeasureError
from pres_eval.ir_measures.own import PRES, Fprime, PRES_est, Rnorm
from pres_eval.library.arguments import python_words
from pres_eval.library.data import check_dicts
from pres_eval.library.finding import rank_dict
from pres_eval.library.ranked import Qrels, UnprintedQrels
from pres_eval.measures import HOME, own_measures
from pres_eval.measures.base import Measure
from pres_eval.measures.parameters import Fractions
from pres_eval.measures.selection import SelectedColumn, select
from pres_eval.options import Options, RelevanceInfo
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading.judgements import relevance as engine
from pres_eval.scoring import Scoring, joined

ANY = base.Any()
"""A parameter with any value, or none."""

Gains = tuple[tuple[int, int], ...]
"""Grades with the gains that take their place."""


@dataclass(frozen=True)
class Computation:
    """The column, the options and the gains for grades with which a measure of ir_measures is computed."""

    column: SelectedColumn
    options: Options
    gains: Gains


def _topics_of(run: Any) -> list[str]:
    """Return the topics of a run in its order; empty if they cannot be told.

    Those of a list of rows come as often as they have documents.
    """
    if isinstance(run, dict):
        return [str(topic) for topic in run]
    if hasattr(run, "columns"):
        if "query_id" not in run:
            return []
        topics = run["query_id"].unique()
        if not hasattr(topics, "tolist"):  # those of Polars are in no order
            topics = dict.fromkeys(run["query_id"])
        return [str(topic) for topic in topics]
    if isinstance(run, list):
        return [str(row[0]) for row in run]
    return []


@lru_cache(maxsize=1024)
def _column(name: str, relevance: RelevanceInfo, registered: tuple[Measure, ...]) -> SelectedColumn:
    """Return the column of a measure's name, from a cache: evaluators are made again for the same measures.

    registered  the user's measures, of which the name may be one
    Raises MeasureError for a measure that does not exist, or lacks its cutoff.
    """
    columns = select([name], relevance=relevance)
    if len(columns) > 1:
        example = "0.1" if isinstance(columns[0].measure.parameters, Fractions) else "10"
        raise MeasureError(f"{name}: found no cutoff, expected one, as in {name}@{example}")
    return columns[0]


class Call(NamedTuple):
    """A call of pytrec_eval by ir_measures' own provider, which makes one for each of these combinations.

    level        least grade of a relevant document
    set_f        the number of a measure SetF among all SetF, each of which has its own call; 0 for others
    judged_only  whether unjudged documents are left out
    """

    level: Any
    gains: Gains
    set_f: int
    judged_only: bool


def _call_of(measure: Any, gains: Gains, set_f: int, first_call: Call | None) -> Call:
    """Return the call of pytrec_eval that would compute a measure.

    first_call  the call of the first measure, with which those go that have no level; None for the first
    """
    parameters = {name: measure[name] for name in measure.SUPPORTED_PARAMS}
    level = parameters.get("rel", base.NOT_PROVIDED)
    judged_only = parameters.get("judged_only", False)
    if level is not base.NOT_PROVIDED:
        return Call(level, gains, set_f, judged_only)
    if gains or first_call is None:
        return Call(1, gains, 0, judged_only)
    return first_call._replace(judged_only=parameters.get("judged_only", first_call.judged_only))


def _in_calls(computations: Mapping[Any, Computation]) -> list[list[Any]]:
    """Return the measures in the order in which ir_measures' provider of pytrec_eval has their values.

    They are a list for each call of pytrec_eval, in trec_eval's order inside.
    """
    measures_of_call: dict[Call, list[Any]] = {}
    first_call: Call | None = None
    all_set_f = [measure for measure in computations if measure.NAME == "SetF"]
    for measure, computation in computations.items():
        set_f = 0
        if measure in all_set_f:
            set_f = all_set_f.index(measure)
        call = _call_of(measure, computation.gains, set_f, first_call)
        first_call = first_call or call
        measures_of_call.setdefault(call, []).append(measure)
    number_of_measure = {name: number for number, name in enumerate(HOME)}

    def print_order(measure: Any) -> Any:
        """Return the key by which trec_eval sorts: the measure's number, then its cutoffs, none first."""
        column = computations[measure].column
        number = number_of_measure.get(column.measure.name, len(number_of_measure))
        return number, [(argument is not None, argument) for argument in column.arguments]

    return [sorted(measures_of_call[call], key=print_order) for call in measures_of_call]


class PresEvalProvider(providers.Provider):  # type: ignore[misc]
    """The provider `pres_eval`: trec_eval's measures, PRES, PRES_est, Rnorm and F'."""

    NAME = "pres_eval"
    SUPPORTED_MEASURES = [  # noqa: RUF012
        measures._P(cutoff=ANY, rel=ANY, judged_only=ANY),
        measures._RR(cutoff=base.Choices(base.NOT_PROVIDED), rel=ANY, judged_only=ANY),
        measures._Rprec(rel=ANY, judged_only=ANY),
        measures._AP(cutoff=ANY, rel=ANY, judged_only=ANY),
        measures._nDCG(cutoff=ANY, dcg=base.Choices("log2"), gains=ANY, judged_only=ANY),
        measures._R(cutoff=ANY, judged_only=ANY),
        measures._Bpref(rel=ANY),
        measures._NumRet(rel=ANY),
        measures._NumQ(),
        measures._NumRel(rel=ANY),
        measures._SetAP(rel=ANY, judged_only=ANY),
        measures._SetF(rel=ANY, beta=ANY, judged_only=ANY),
        measures._SetP(rel=ANY, relative=ANY, judged_only=ANY),
        measures._SetR(rel=ANY),
        measures._Success(rel=ANY, cutoff=ANY, judged_only=ANY),
        measures._IPrec(recall=ANY, judged_only=ANY),
        measures._infAP(rel=ANY),
        PRES(cutoff=ANY, rel=ANY),
        PRES_est(cutoff=ANY, rel=ANY),
        Rnorm(cutoff=ANY, rel=ANY, docs=ANY),
        Fprime(cutoff=ANY, rel=ANY, beta=ANY),
    ]

    def supports(self, measure: Any) -> bool:
        """Return whether the measure is computed here; gains have to be whole numbers."""
        gains = measure.params.get("gains", {})
        return super().supports(measure) and all(isinstance(gain, int) for gain in gains.values())

    def _evaluator(self, requested: Iterable[Any], qrels: Any) -> PresEvalEvaluator:
        """Return the evaluator of some measures; ir_measures calls this."""
        return PresEvalEvaluator(requested, qrels)


class PresEvalEvaluator(providers.Evaluator):  # type: ignore[misc]
    """Evaluates runs for some measures against judgements; averages are over all topics of these."""

    relevance = RelevanceInfo.QRELS
    """The format of the judgements."""

    @python_words
    def __init__(self, requested: Iterable[Any], qrels: Any) -> None:
        """Read the judgements, and select a column for each measure of ir_measures that is requested."""
        requested = list(requested)
        self._qrels = self._judgements(qrels)
        topics = [] if self._qrels is None else self._qrels.topics
        if isinstance(qrels, dict):  # topics without documents count as 0 in averages of ir_measures
            topics = [*topics, *(topic for topic, documents in qrels.items() if not documents)]
        super().__init__(requested, set(topics))
        self._topics = topics
        self._computations = {measure: self._computation(measure) for measure in requested}
        self._calls = _in_calls(self._computations)

    def _judgements(self, data: Any) -> Qrels | None:
        """Return the judgements, None if there are none; raise InputError for others than qrels."""
        if isinstance(data, Qrels):
            if not isinstance(data.relevance, engine.QrelsJudgements):
                raise InputError(data.name, None, f"judgements with form={data.form!r}", "qrels")
            return data
        try:
            return UnprintedQrels(data)
        except InputError as error:
            if error.found == "no judgements":
                return None
            raise

    def _computation(self, measure: Any) -> Computation:
        """Return the column, the options and the gains of a measure of ir_measures.

        Raises MeasureError for a measure that does not exist, or lacks its cutoff or the collection's size.
        """
        # Our names are those of ir_measures but for three parameters: gains replace grades of judgements,
        # the collection's size is an option, and levels of recall have two digits.
        params = dict(measure.params)
        gains = params.pop("gains", {})
        if "docs" in measure.SUPPORTED_PARAMS and "docs" not in params:
            raise MeasureError(
                f"{measure}: found no number of documents, expected docs, as in Rnorm(docs=1000)"
            )
        size = params.pop("docs", 0)
        if "recall" in params:
            params["recall"] = f"{params['recall']:.2f}"
        name = str(type(measure)(**params))
        column = _column(name, self.relevance, own_measures())
        return Computation(
            column=replace(column, label=str(measure)),
            options=Options(num_docs_in_coll=size),
            gains=tuple(sorted(gains.items())),
        )

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """Yield the values of each topic, in the order in which the provider of pytrec_eval has them."""
        retrieved_topics, columns = self._values(run)
        values = {measure: column.tolist() for measure, column in columns.items()}
        for call in self._calls:
            for row, topic in enumerate(retrieved_topics):
                for measure in call:
                    yield ir_measures.Metric(self._topics[topic], measure, values[measure][row])
        retrieved = set(retrieved_topics)
        missing = sorted(name for topic, name in enumerate(self._topics) if topic not in retrieved)
        for measure in sorted(self._computations, key=str):
            for name in missing:
                yield ir_measures.Metric(name, measure, measure.DEFAULT)

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """Return one value for each measure over all topics of the judgements."""
        _, columns = self._values(run)
        return {measure: self._aggregate(measure, columns[measure]) for measure in self.measures}

    @python_words
    def _values(self, run: Any) -> tuple[list[int], dict[Any, FloatArray]]:
        """Return the topics of a run in its order, and the values of each measure for these."""
        if isinstance(run, Iterator):
            run = list(run)  # it is read twice
        ranking = self._ranking(run)
        if ranking is None:
            return [], dict.fromkeys(self.measures, np.zeros(0))
        retrieved_topics = ranking.topic.tolist()
        order = self._order(run, retrieved_topics)
        columns = {measure: values[order] for measure, values in self._columns(ranking)}
        return [retrieved_topics[row] for row in order], columns

    def _order(self, run: Any, retrieved_topics: list[int]) -> list[int]:
        """Return the rows of the ranked topics in the order of the run, in which ir_measures adds them up."""
        row_of_topic = {self._topics[topic]: row for row, topic in enumerate(retrieved_topics)}
        rows = [row_of_topic.pop(topic) for topic in _topics_of(run) if topic in row_of_topic]
        return [*rows, *row_of_topic.values()]

    def _aggregate(self, measure: Any, values: FloatArray) -> float:
        """Return the value of a measure over all topics; those that the run lacks have its default.

        values  of the topics that the run has
        """
        aggregator = measure.aggregator()
        missing = [measure.DEFAULT] * (len(self._topics) - len(values))
        if type(aggregator) is measures.MeanAgg and self._topics and not any(missing):
            return add_in_order(values) / len(self._topics)
        for value in [*values.tolist(), *missing]:
            aggregator.add(value)
        result: float = aggregator.result()
        return result

    def _ranking(self, run: Any) -> Ranking | None:
        """Return the ranked run, None if it or the judgements are empty."""
        if self._qrels is None:
            return None
        try:
            relevance, lookup = self._qrels.relevance, self._qrels.lookup
            if isinstance(run, dict) and not all(run.values()) and relevance.rewriting is None:
                check_dicts(run, "run")  # ir_measures counts topics without documents
                ranking = rank_dict(run, relevance, lookup, Options(), name="run", tag="run", empty=True)
            else:
                ranking = self._qrels.rank(run).ranking
        except InputError as error:
            if error.found == "no retrieved documents":
                return None
            raise
        return ranking if len(ranking.topic) else None

    def _columns(self, ranking: Ranking) -> Iterator[tuple[Any, FloatArray]]:
        """Yield the values (T,) of each measure, in the order of the ranking's topics."""
        groups: dict[tuple[Options, Gains], list[Any]] = {}
        for measure, computation in self._computations.items():
            groups.setdefault((computation.options, computation.gains), []).append(measure)
        for (options, gains), group in groups.items():
            relevance = self._with_gains(gains)
            selection = tuple(self._computations[measure].column for measure in group)
            scoring = Scoring(relevance=relevance, selection=selection, options=options)
            columns = joined(scoring.blocks(ranking)).values
            yield from zip(group, (np.asarray(values, np.float64) for values in columns), strict=True)

    def _with_gains(self, gains: Gains) -> Any:
        """Return the judgements, with gains in place of the grades that have one."""
        assert self._qrels is not None
        relevance = self._qrels.relevance
        if not gains or not isinstance(relevance, engine.QrelsJudgements):
            return relevance
        grade: IntArray = relevance.grade.astype(np.int64)
        changed = grade.copy()
        for old, new in gains:
            changed[grade == old] = new
        return replace(relevance, grade=changed)
