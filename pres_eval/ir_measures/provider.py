"""The provider `pres_eval`, its four measures, and the evaluator behind it."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace
from typing import Any

import ir_measures
import numpy as np
from ir_measures import measures, providers
from ir_measures.providers import base

from pres_eval.arrays.exact import add_in_order
from pres_eval.arrays.types import FloatArray, IntArray
from pres_eval.errors import InputError
from pres_eval.library.ranked import Qrels
from pres_eval.measures import MEASURE_BY_NAME
from pres_eval.measures.selection import SelectedColumn
from pres_eval.options import Options
from pres_eval.ranking.run_file import Ranking
from pres_eval.reading import qrels as engine
from pres_eval.scoring import scored

_LEVEL = measures.ParamInfo(
    dtype=int, default=1, desc="minimum relevance score to be considered relevant (inclusive)"
)
_CUTOFF = measures.ParamInfo(dtype=int, required=True, desc="ranking cutoff threshold (Nmax)")


class _PRES(measures.Measure):  # type: ignore[misc]
    """PRES: how early all the relevant documents come, for a reader who stops at rank Nmax, the cutoff.

    Magdy & Jones, SIGIR 2010, doi:10.1145/1835449.1835551.
    """

    __name__ = NAME = "PRES"
    PRETTY_NAME = "Patent Retrieval Evaluation Score"
    SHORT_DESC = "How early all the relevant documents come, for a reader who stops at the cutoff."
    SUPPORTED_PARAMS = {"cutoff": _CUTOFF, "rel": _LEVEL}  # noqa: RUF012 - ir_measures reads a plain dict


class _PRESEst(measures.Measure):  # type: ignore[misc]
    """PRES as a share of the highest that could be had, where there are more relevant documents than Nmax."""

    __name__ = NAME = "PRES_est"
    PRETTY_NAME = "Estimated PRES"
    SHORT_DESC = "PRES as a share of the highest that could be had with this cutoff."
    SUPPORTED_PARAMS = {"cutoff": _CUTOFF, "rel": _LEVEL}  # noqa: RUF012


class _Rnorm(measures.Measure):  # type: ignore[misc]
    """Normalised recall over a collection of `docs` documents: Rnorm(docs=528155)."""

    __name__ = NAME = "Rnorm"
    PRETTY_NAME = "Normalised Recall"
    SHORT_DESC = "How early the relevant documents come in a ranking of the whole collection."
    SUPPORTED_PARAMS = {  # noqa: RUF012
        "cutoff": measures.ParamInfo(dtype=int, required=False, desc="ranking cutoff threshold"),
        "rel": _LEVEL,
        "docs": measures.ParamInfo(dtype=int, required=True, desc="documents in the collection"),
    }


class _Fprime(measures.Measure):  # type: ignore[misc]
    """F' of average precision and recall at a cutoff; recall counts beta times as much."""

    __name__ = NAME = "Fprime"
    PRETTY_NAME = "F'"
    SHORT_DESC = "The weighted harmonic mean of average precision and recall at the cutoff."
    SUPPORTED_PARAMS = {  # noqa: RUF012
        "cutoff": _CUTOFF,
        "rel": _LEVEL,
        "beta": measures.ParamInfo(dtype=float, default=1.0, desc="how many times more recall counts"),
    }


PRES, PRES_est, Rnorm, Fprime = _PRES(), _PRESEst(), _Rnorm(), _Fprime()


def _at(name: str, cut_name: str | None = None) -> Any:
    """A measure with a cutoff; without one it is `name`."""

    def arguments(measure: Any) -> tuple[str, tuple[Any, ...]]:
        cutoff = measure["cutoff"]
        if cutoff is base.NOT_PROVIDED:
            return name, ()
        return cut_name or name, (cutoff,)

    return arguments


def _plain(name: str, *arguments: Any) -> Any:
    return lambda measure: (name, arguments)


_COLUMNS: dict[str, Any] = {
    "P": _at("P"),
    "RR": _plain("recip_rank"),
    "Rprec": _plain("Rprec"),
    "AP": _at("map", "map_cut"),
    "nDCG": lambda measure: (
        ("ndcg", ((),)) if measure["cutoff"] is base.NOT_PROVIDED else ("ndcg_cut", (measure["cutoff"],))
    ),
    "R": _at("recall"),
    "Bpref": _plain("bpref"),
    "NumRet": lambda measure: (
        "num_ret" if measure["rel"] is base.NOT_PROVIDED else "num_rel_ret",
        (),
    ),
    "NumQ": _plain("num_q"),
    "NumRel": _plain("num_rel"),
    "SetAP": _plain("set_map"),
    "SetF": lambda measure: ("set_F", ((float(measure["beta"]),),)),
    "SetP": lambda measure: ("set_relative_P" if measure["relative"] else "set_P", ()),
    "SetR": _plain("set_recall"),
    "Success": _at("success"),
    "IPrec": lambda measure: ("iprec_at_recall", (float(f"{measure['recall']:.2f}"),)),
    "infAP": _plain("infAP"),
    "PRES": _at("PRES"),
    "PRES_est": _at("PRES_est"),
    "Rnorm": lambda measure: (
        "Rnorm",
        (None if measure["cutoff"] is base.NOT_PROVIDED else measure["cutoff"],),
    ),
    "Fprime": lambda measure: ("Fprime", (float(measure["beta"]), measure["cutoff"])),
}
"""For each of ir_measures' names the measure here and the arguments of its function."""


@dataclass(frozen=True)
class Want:
    """A measure of ir_measures as a column here, and under which options it is computed."""

    column: SelectedColumn
    options: Options
    gains: tuple[tuple[int, int], ...]


def _want(measure: Any) -> Want:
    name, arguments = _COLUMNS[measure.NAME](measure)
    known = measure.SUPPORTED_PARAMS
    level = measure["rel"] if "rel" in known else None
    level = None if level is base.NOT_PROVIDED else level
    judged_only = bool(measure["judged_only"]) if "judged_only" in known else False
    gains = measure["gains"] if "gains" in known else {}
    gains = {} if gains is base.NOT_PROVIDED else gains
    return Want(
        column=SelectedColumn(
            label=str(measure),
            measure=MEASURE_BY_NAME[name],
            arguments=arguments,
            relevance_level=level,
        ),
        options=Options(judged_only=judged_only, num_docs_in_coll=measure["docs"] if "docs" in known else 0),
        gains=tuple(sorted(gains.items())),
    )


class PresEvalProvider(providers.Provider):  # type: ignore[misc]
    """The provider `pres_eval`: trec_eval's measures, PRES and its kin."""

    NAME = "pres_eval"
    SUPPORTED_MEASURES = [  # noqa: RUF012
        measures._P(cutoff=base.Any(), rel=base.Any(), judged_only=base.Any()),
        measures._RR(cutoff=base.Choices(base.NOT_PROVIDED), rel=base.Any(), judged_only=base.Any()),
        measures._Rprec(rel=base.Any(), judged_only=base.Any()),
        measures._AP(cutoff=base.Any(), rel=base.Any(), judged_only=base.Any()),
        measures._nDCG(
            cutoff=base.Any(),
            dcg=base.Choices("log2"),
            gains=base.Any(),
            judged_only=base.Any(),
        ),
        measures._R(cutoff=base.Any(), judged_only=base.Any()),
        measures._Bpref(rel=base.Any()),
        measures._NumRet(rel=base.Any()),
        measures._NumQ(),
        measures._NumRel(rel=base.Any()),
        measures._SetAP(rel=base.Any(), judged_only=base.Any()),
        measures._SetF(rel=base.Any(), beta=base.Any(), judged_only=base.Any()),
        measures._SetP(rel=base.Any(), relative=base.Any(), judged_only=base.Any()),
        measures._SetR(rel=base.Any()),
        measures._Success(rel=base.Any(), cutoff=base.Any(), judged_only=base.Any()),
        measures._IPrec(recall=base.Any(), judged_only=base.Any()),
        measures._infAP(rel=base.Any()),
        _PRES(cutoff=base.Any(), rel=base.Any()),
        _PRESEst(cutoff=base.Any(), rel=base.Any()),
        _Rnorm(cutoff=base.Any(), rel=base.Any(), docs=base.Any()),
        _Fprime(cutoff=base.Any(), rel=base.Any(), beta=base.Any()),
    ]

    def supports(self, measure: Any) -> bool:
        """Whether the measure is computed here; gains have to be whole numbers."""
        if not super().supports(measure):
            return False
        gains = measure["gains"] if "gains" in measure.SUPPORTED_PARAMS else None
        if gains is None or gains is base.NOT_PROVIDED:
            return True
        return all(isinstance(gain, int) for gain in gains.values())

    def _evaluator(self, wanted: Iterable[Any], qrels: Any) -> PresEvalEvaluator:
        return PresEvalEvaluator(wanted, qrels)


class PresEvalEvaluator(providers.Evaluator):  # type: ignore[misc]
    """Evaluates runs for some measures against judgements; averages are over all topics of these."""

    def __init__(self, wanted: Iterable[Any], qrels: Any) -> None:
        wanted = list(wanted)
        self._qrels = self._judgements(qrels)
        topics = [] if self._qrels is None else self._qrels.topics
        super().__init__(wanted, set(topics))
        self._topics = topics
        self._wants = {measure: self._want(measure) for measure in wanted}

    def _judgements(self, data: Any) -> Qrels | None:
        return _qrels(data)

    def _want(self, measure: Any) -> Want:
        return _want(measure)

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
        nothing = np.zeros(0)
        columns = dict.fromkeys(self.measures, nothing)
        columns.update({} if ranking is None else self._columns(ranking))
        return {measure: self._aggregate(measure, columns[measure]) for measure in self.measures}

    def calc(self, run: Any) -> Any:
        """One value for each measure over all topics, and all values by topic."""
        per_topic = list(self.iter_calc(run))
        values: dict[Any, list[float]] = {measure: [] for measure in self.measures}
        for metric in per_topic:
            values[metric.measure].append(metric.value)
        aggregated = {
            measure: self._aggregate(measure, np.array(numbers)) for measure, numbers in values.items()
        }
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
        if not gains or not isinstance(relevance, engine.Qrels):
            return relevance
        grade: IntArray = relevance.grade.astype(np.int64)
        changed = grade.copy()
        for old, new in gains:
            changed[grade == old] = new
        return replace(relevance, grade=changed)


def _qrels(data: Any) -> Qrels | None:
    """The judgements, None if there are none."""
    if isinstance(data, Qrels):
        return data
    try:
        return Qrels(data)
    except InputError as error:
        if error.found == "no judgements":
            return None
        raise
