"""Columns of one measure are computed together where its record says so: not a bit may differ."""

from __future__ import annotations

from functools import partial

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.batches import EXAMPLE_PARAMETERS, batch_of, same_bits, topic_lists

from pres_eval.measures import MEASURES
from pres_eval.measures.base import Measure, Totals
from pres_eval.measures.selection import select
from pres_eval.scoring import columns, score_blocks
from pres_eval.scoring.summing import Summing

TAKE_MANY = [pytest.param(measure, id=measure.name) for measure in MEASURES if measure.takes_many]


def test_the_usual_measures_take_many() -> None:
    assert {"P", "recall", "map_cut", "ndcg_cut", "iprec_at_recall"} <= {
        measure.name for measure in MEASURES if measure.takes_many
    }


@pytest.mark.parametrize("measure", TAKE_MANY)
@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_together_as_one_by_one(measure: Measure, data: st.DataObject) -> None:
    batch = batch_of(data.draw(topic_lists()))
    text = data.draw(st.sampled_from(["", *(f".{each}" for each in EXAMPLE_PARAMETERS[measure.name])]))
    level = data.draw(st.sampled_from(["", "(rel=2)"])) if measure.uses_level else ""
    most = data.draw(st.integers(1, 40))
    selection = select([measure.name + (text or level), f"{measure.name}.1,7,1000"])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(columns, "MOST_VALUES", most)
        (block,) = score_blocks([lambda: batch], selection)
        summing = Summing(selection)
        summing.add(block)
    for column, values in zip(selection, block.values, strict=True):
        seen = batch if column.view.level is None else batch.with_grade(column.view.level)
        with np.errstate(all="ignore"):
            alone = np.asarray(measure.score(seen, *column.arguments), np.float64)
        assert all(map(same_bits, values, alone.tolist())), column.label
    assert summing.num_scored == len(batch)


@settings(deadline=None, max_examples=30)
@given(data=st.data())
def test_sums_of_all_columns_are_loops(data: st.DataObject) -> None:
    selection = select(["P.5,10", "num_rel", "runid", "map"])
    batches = [partial(batch_of, data.draw(topic_lists())) for _ in range(2)]
    blocks = list(score_blocks(batches, selection))
    summing = Summing(selection)
    for block in blocks:
        summing.add(block)
    summary = summing.summary(summing_totals(summing), "tag")
    for number, column in enumerate(selection):
        if column.measure.name in ("runid", "relstring"):
            continue
        total = 0.0
        for block in blocks:
            for value in np.asarray(block.values[number]).tolist():
                total += value
        assert column.measure.summary is not None
        assert same_bits(summary[number], column.measure.summary(total, summing_totals(summing)))


def summing_totals(summing: Summing) -> Totals:
    return Totals(
        num_scored=summing.num_scored,
        num_topics=summing.num_scored,
        num_rel_in_qrels=0,
        complete=False,
    )
