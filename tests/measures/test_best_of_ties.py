"""--ties best and worst are the best and the worst order of ties, or errors; rounding loses no gain."""

from __future__ import annotations

import itertools
import random
import warnings

import pytest
from support.batches import EXAMPLE_PARAMETERS

import pres_eval as pe
from pres_eval.errors import MeasureError, PresEvalError, PresEvalWarning
from pres_eval.measures import MEASURES
from pres_eval.measures.names import falling_labels

REFUSED = ("accuracy", "infAP", "bpm", "G")


def columns() -> list[str]:
    """Texts of -m: every measure with its own parameters, with small cutoffs, and with examples."""
    texts = []
    for measure in MEASURES:
        endings = (
            "",
            ".1",
            ".2",
            ".3",
            *(f".{text}" for text in EXAMPLE_PARAMETERS.get(measure.name, ())[:2]),
        )
        for text in (measure.name + ending for ending in endings):
            try:
                pe.evaluate({"1": {"a": 1, "b": 0}}, {"1": {"a": 2.0}}, text, ties="best")
            except (PresEvalError, PresEvalWarning):  # of parameters that are ignored
                continue
            texts.append(text)
    return texts


def number_of(value: object) -> float:
    """A value that is a number."""
    assert isinstance(value, int | float)
    return float(value)


def orders(run: dict[str, float]) -> list[dict[str, float]]:
    """The run with its ties in every order."""
    by_score = sorted(set(run.values()), reverse=True)
    groups = [[docno for docno, score in run.items() if score == wanted] for wanted in by_score]
    found = itertools.product(*(itertools.permutations(group) for group in groups))
    return [{docno: 99.0 - place for place, docno in enumerate(itertools.chain(*order))} for order in found]


@pytest.mark.slow
def test_no_order_is_better_than_best_or_worse_than_worst() -> None:
    """2.6.0: accuracy.3 is 0 with --ties best and worst, and 0.5 by docno."""
    texts, rng = columns(), random.Random(18)
    assert len(texts) > 200 and not [text for text in texts if text.partition(".")[0] in REFUSED]
    falling = falling_labels(texts)
    for _ in range(4):
        documents = [f"d{number}" for number in range(rng.randint(3, 5))]
        qrels = {"x": 1, "y": 0} | {docno: rng.choice((-1, 0, 0, 1, 1, 2)) for docno in documents[1:]}
        run = {docno: float(rng.choice((1, 1, 2))) for docno in documents}
        made = [pe.evaluate({"1": qrels}, {"1": order}, texts).summary for order in orders(run)]
        best, worst = (
            pe.evaluate({"1": qrels}, {"1": run}, texts, ties=tie).summary for tie in ("best", "worst")
        )
        for label, value in best.items():
            if isinstance(value, float) and label not in ("runid",):
                sign = -1 if label in falling or label in falling_labels([label]) else 1
                values = [sign * number_of(one[label]) for one in made]
                assert sign * value >= max(values) - 1e-9, label
                assert sign * number_of(worst[label]) <= min(values) + 1e-9, label


@pytest.mark.parametrize("name", REFUSED)
@pytest.mark.parametrize("ties", ["best", "worst"])
def test_measures_with_other_best_orders_are_refused(name: str, ties: str) -> None:
    with pytest.raises(MeasureError, match=f"{name}: ties=.{ties}. orders a tie by grade"):
        pe.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, name, ties=ties)  # type: ignore[arg-type]


def test_nicknames_leave_them_out_and_say_so() -> None:
    with pytest.warns(UserWarning, match="best order of a tie need not be that of the grades: infAP"):
        found = pe.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "all_trec", ties="best").summary
    assert "infAP" not in found and "map" in found
    with warnings.catch_warnings():
        warnings.simplefilter("error")
        assert "infAP" in pe.evaluate({"1": {"a": 1}}, {"1": {"a": 1.0}}, "all_trec").summary


def test_six_thirds_are_two() -> None:
    """2.6.0: 0.2000, as 6 × 1/3 added up is less than 2."""
    documents = [f"d{number}" for number in range(10)]
    qrels = dict.fromkeys(documents[:6], 1) | {"top": 3}
    run = {docno: 10.0 - place for place, docno in enumerate(documents)}
    found = pe.evaluate({"1": qrels}, {"1": run}, "bpm.10,T=2,max_rel=3").summary
    assert list(found.values()) == [pytest.approx(1 / 3)]
