"""The provider `pres_eval`, and the evaluator behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from functools import lru_cache
from typing import Any

import ir_measures
import numpy as np
from ir_measures import measures, providers
from ir_measures.providers import base

from pres_eval.arrays.exact import add_in_order
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.errors import InputError
from pres_eval.ir_measures.own import PRES, Fprime, PRES_est, Rnorm
from pres_eval.library.finding import rank_dict
from pres_eval.library.judgements import check_dicts
from pres_eval.library.ranked import Qrels
from pres_eval.measures.base import Measure
from pres_eval.measures.own import own_measures
from pres_eval.measures.selection import SelectedColumn, select
from pres_eval.options import Options, RelevanceInfo
from pres_eval.ranking.ranking import Ranking
from pres_eval.reading import qrels as engine
from pres_eval.scoring import scored

ANY = base.Any()


@dataclass(frozen=True)
class Want:
    """A measure of ir_measures as a column here, and under which options it is computed."""

    column: SelectedColumn
    options: Options
    gains: tuple[tuple[int, int], ...]


@lru_cache(maxsize=1024)
def _column(name: str, relevance: RelevanceInfo, own: tuple[Measure, ...]) -> SelectedColumn:
    """The column of a measure's name; evaluators are made again and again for the same measures."""
    (column,) = select([name], relevance=relevance)
    return column


class PresEvalProvider(providers.Provider):  # type: ignore[misc]
    """The provider `pres_eval`: trec_eval's measures, PRES and its kin."""

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
        """Whether the measure is computed here; gains have to be whole numbers."""
        gains = measure.params.get("gains", {})
        return super().supports(measure) and all(isinstance(gain, int) for gain in gains.values())

    def _evaluator(self, wanted: Iterable[Any], qrels: Any) -> PresEvalEvaluator:
        return PresEvalEvaluator(wanted, qrels)


class PresEvalEvaluator(providers.Evaluator):  # type: ignore[misc]
    """Evaluates runs for some measures against judgements; averages are over all topics of these."""

    relevance = RelevanceInfo.QRELS

    def __init__(self, wanted: Iterable[Any], qrels: Any) -> None:
        wanted = list(wanted)
        self._qrels = self._judgements(qrels)
        topics = [] if self._qrels is None else self._qrels.topics
        if isinstance(qrels, dict):  # topics without judgements count as 0 there
            topics = [*topics, *(topic for topic, documents in qrels.items() if not documents)]
        super().__init__(wanted, set(topics))
        self._topics = topics
        self._wants = {measure: self._want(measure) for measure in wanted}

    def _judgements(self, data: Any) -> Qrels | None:
        """The judgements, None if there are none."""
        if isinstance(data, Qrels):
            return data
        try:
            return Qrels(data)
        except InputError as error:
            if error.found == "no judgements":
                return None
            raise

    def _want(self, measure: Any) -> Want:
        """Return the column and the options of a measure of ir_measures."""
        # Our names for measures are theirs, but for gains, which are here given to the judgements themselves,
        # the collection's size, and levels of recall, which have two digits there.
        params = dict(measure.params)
        gains, size = params.pop("gains", {}), params.pop("docs", 0)
        if "recall" in params:
            params["recall"] = f"{params['recall']:.2f}"
        return Want(
            column=replace(
                _column(str(type(measure)(**params)), self.relevance, own_measures()), label=str(measure)
            ),
            options=Options(num_docs_in_coll=size),
            gains=tuple(sorted(gains.items())),
        )

    def iter_calc(self, run: Any) -> Iterator[Any]:
        """The values of each topic: first of those in the run, then of those that it lacks."""
        ranking = self._ranking(run)
        names = self._topics
        present: list[int] = [] if ranking is None else ranking.topic.tolist()
        if ranking is not None:
            for measure, values in self._columns(ranking):
                for topic, value in zip(present, values.tolist(), strict=True):
                    yield ir_measures.Metric(names[topic], measure, value)
        there = set(present)
        missing = sorted(name for number, name in enumerate(names) if number not in there)
        for measure in sorted(self.measures, key=str):
            for name in missing:
                yield ir_measures.Metric(name, measure, measure.DEFAULT)

    def calc_aggregate(self, run: Any) -> dict[Any, float]:
        """One value for each measure over all topics of the judgements."""
        ranking = self._ranking(run)
        columns = dict.fromkeys(self.measures, np.zeros(0))
        columns.update({} if ranking is None else self._columns(ranking))
        return {measure: self._aggregate(measure, columns[measure]) for measure in self.measures}

    def calc(self, run: Any) -> Any:
        """One value for each measure over all topics, and all values by topic."""
        per_topic = list(self.iter_calc(run))
        values: dict[Any, list[float]] = {measure: [] for measure in self.measures}
        for metric in per_topic:
            values[metric.measure].append(metric.value)
        aggregated = {measure: self._aggregate(measure, np.array(each)) for measure, each in values.items()}
        return ir_measures.CalcResults(aggregated, per_topic)

    def _aggregate(self, measure: Any, values: FloatArray) -> float:
        aggregator = measure.aggregator()
        missing = [measure.DEFAULT] * (len(self._topics) - len(values))
        if type(aggregator) is measures.MeanAgg and self._topics and not any(missing):
            return add_in_order(values) / len(self._topics)
        for value in [*values.tolist(), *missing]:
            aggregator.add(value)
        result: float = aggregator.result()
        return result

    def _ranking(self, run: Any) -> Ranking | None:
        """The ranked run, None if it or the judgements are empty."""
        if self._qrels is None:
            return None
        try:
            if isinstance(run, dict) and not all(run.values()):  # topics without documents are topics there
                check_dicts(run, "run")
                relevance, lookup = self._qrels.relevance, self._qrels.lookup
                ranking = rank_dict(run, relevance, lookup, Options(), name="run", tag="run", empty=True)
            else:
                ranking = self._qrels.rank(run).ranking
        except InputError as error:
            if error.found == "no retrieved documents":
                return None
            raise
        return ranking if len(ranking.topic) else None

    def _columns(self, ranking: Ranking) -> Iterator[tuple[Any, FloatArray]]:
        """The values (T,) of each measure, in the order of the ranking's topics."""
        groups: dict[tuple[Options, tuple[tuple[int, int], ...]], list[Any]] = {}
        for measure, want in self._wants.items():
            groups.setdefault((want.options, want.gains), []).append(measure)
        for (options, gains), group in groups.items():
            relevance = self._with_gains(gains)
            selection = tuple(self._wants[measure].column for measure in group)
            blocks = list(scored(relevance, ranking, selection, options))
            for place, measure in enumerate(group):
                parts = [np.asarray(block.values[place], np.float64) for block in blocks]
                yield measure, np.concatenate(parts)

    def _with_gains(self, gains: tuple[tuple[int, int], ...]) -> Any:
        """The judgements with other grades."""
        assert self._qrels is not None
        relevance = self._qrels.relevance
        if not gains or not isinstance(relevance, engine.QrelsJudgements):
            return relevance
        grade: IntArray = relevance.grade.astype(np.int64)
        changed = grade.copy()
        for old, new in gains:
            changed[grade == old] = new
        return replace(relevance, grade=changed)
