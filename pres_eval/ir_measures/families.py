"""Values of other packages' measures for ir_measures, where those packages are not installed.

They come behind all other providers: where cwl_eval, pyndeval or gdeval are installed, these are asked.
"""

from __future__ import annotations

import io
from collections.abc import Iterable
from typing import Any

import ir_measures
from ir_measures import measures, providers
from ir_measures.providers import base

from pres_eval.errors import InputError, quoted
from pres_eval.ir_measures.provider import ANY, PresEvalEvaluator, PresEvalProvider
from pres_eval.library.ids import encode
from pres_eval.library.ranked import Qrels
from pres_eval.options import RelevanceInfo

REQUIRED = base.Any(required=True)
"""A parameter that a measure must have, with any value."""

_GRADES = {"min_rel": ANY, "max_rel": ANY}
"""The parameters of measures that scale grades to 0 … 1."""

OF_READERS = [
    measures._RBP(cutoff=ANY, rel=ANY, p=ANY),
    measures._BPM(cutoff=REQUIRED, T=ANY, **_GRADES),
    measures._SDCG(cutoff=REQUIRED, dcg=base.Choices("log2"), **_GRADES),
    measures._INST(T=ANY, **_GRADES),
    measures._INSQ(T=ANY, **_GRADES),
    measures._NERR8(cutoff=REQUIRED, **_GRADES),
    measures._NERR9(cutoff=REQUIRED, **_GRADES),
    measures._NERR10(p=ANY, **_GRADES),
    measures._NERR11(T=ANY, **_GRADES),
    measures._Compat(p=ANY, normalize=ANY),
    measures._Accuracy(cutoff=ANY, rel=ANY),
    measures._Judged(cutoff=ANY),
    measures._ERR(cutoff=REQUIRED),
    measures._RR(cutoff=REQUIRED, rel=ANY, judged_only=ANY),
    measures._nDCG(
        cutoff=REQUIRED, dcg=base.Choices("exp-log2"), gains=base.Choices(base.NOT_PROVIDED), judged_only=ANY
    ),
]

_OF_ALL = {"rel": ANY, "judged_only": base.Choices(False)}
"""The parameters of all measures of diversity."""

OF_DIVERSITY = [
    measures._alpha_DCG(cutoff=REQUIRED, alpha=ANY, **_OF_ALL),
    measures._alpha_nDCG(cutoff=REQUIRED, alpha=ANY, **_OF_ALL),
    measures._ERR_IA(cutoff=REQUIRED, **_OF_ALL),
    measures._nERR_IA(cutoff=REQUIRED, **_OF_ALL),
    measures._NRBP(rel=ANY, alpha=ANY, beta=ANY),
    measures._nNRBP(rel=ANY, alpha=ANY, beta=ANY),
    measures._AP_IA(**_OF_ALL),
    measures._P_IA(cutoff=REQUIRED, **_OF_ALL),
    measures._StRecall(cutoff=REQUIRED, rel=ANY),
]


class ReadersProvider(PresEvalProvider):
    """The provider `pres_eval_readers`: models of readers, compatibility, accuracy, RBP@k."""

    NAME = "pres_eval_readers"
    SUPPORTED_MEASURES = OF_READERS


class DiversityProvider(providers.Provider):  # type: ignore[misc]
    """The provider `pres_eval_diversity`: measures of judgements whose `iteration` is a subtopic."""

    NAME = "pres_eval_diversity"
    SUPPORTED_MEASURES = OF_DIVERSITY

    def _evaluator(self, requested: Iterable[Any], qrels: Any) -> PresEvalEvaluator:
        """Return the evaluator of some measures; ir_measures calls this."""
        return DiversityEvaluator(requested, qrels)


class DiversityEvaluator(PresEvalEvaluator):
    """Evaluates runs against judgements with subtopics."""

    relevance = RelevanceInfo.SUBTOPICS

    def _judgements(self, data: Any) -> Qrels | None:
        """Return the judgements, None if there are none; raise InputError for ids that break lines."""
        lines = []
        for row in ir_measures.util.QrelsConverter(data).as_namedtuple_iter():
            ids = [str(row.query_id), str(row.iteration), str(row.doc_id)]
            for text in ids:
                encoded = encode(text, "qrels")
                if encoded.split() != [encoded]:
                    raise InputError("qrels", None, f"id {quoted(text)}", "one without blanks and line ends")
            lines.append(f"{' '.join(ids)} {row.relevance}\n")
        text = "".join(lines)
        if not text:
            return None
        return Qrels(io.BytesIO(text.encode("utf-8", "surrogateescape")), form="subtopics", name="qrels")
