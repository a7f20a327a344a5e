"""What the guide says of training loops: by documented interfaces, and with the packages."""

from __future__ import annotations

import re
from types import SimpleNamespace
from typing import Any

import numpy as np
import pytest
from conftest import ROOT

import pres_eval as pe

GUIDE = (ROOT / "docs" / "guides" / "python.md").read_text(encoding="utf-8")
SECTION = GUIDE.partition("## While a model is trained\n")[2].partition("\n## ")[0]
JUDGED = {"1": {"a": 1}, "2": {"d": 2}}
LOGITS = np.array([[0.5], [0.75], [1.0], [2.0]], np.float32)
FOUND = {"map": 0.75, "ndcg_cut_10": pytest.approx((1 / np.log2(3) + 1) / 2)}
BATCHES = [{"1": {"b": 0.75, "a": 0.5}}, {"2": {"d": 2.0, "c": 1.0}}]


def names_of(block: str, **known: Any) -> dict[str, Any]:
    """The names that a block of the guide's code defines."""
    [code] = [text for text in re.findall(r"```python\n(.*?)```", SECTION, re.DOTALL) if block in text]
    names = {"pe": pe, **known}
    exec(re.sub(r"^(>>>|\.\.\.) ?", "", code, flags=re.MULTILINE), names)
    return names


def test_metrics_of_a_trainer() -> None:
    """`predictions` of transformers.EvalPrediction: one row for each of the evaluation set."""
    compute_metrics = names_of("def compute_metrics")["compute_metrics"]
    assert compute_metrics(SimpleNamespace(predictions=LOGITS, label_ids=None)) == FOUND


def callback(lightning: Any) -> Any:
    return names_of("class Retrieval", lightning=lightning)["Retrieval"](pe.Qrels(JUDGED))


def test_the_callback() -> None:
    """The hooks that lightning.Callback documents, in the order in which a loop calls them."""
    logged: list[Any] = []
    module = SimpleNamespace(log_dict=logged.append)
    hooks = callback(SimpleNamespace(Callback=object))
    for _ in range(2):
        hooks.on_validation_epoch_start(None, module)
        for number, outputs in enumerate(BATCHES):
            hooks.on_validation_batch_end(None, module, outputs, None, number)
        hooks.on_validation_epoch_end(None, module)
    assert logged == [FOUND, FOUND]


@pytest.mark.filterwarnings("ignore")  # of the packages themselves
def test_the_callback_in_lightning() -> None:
    lightning = pytest.importorskip("lightning")
    torch = pytest.importorskip("torch")

    class Model(lightning.LightningModule):  # type: ignore[misc, name-defined]
        def validation_step(self, batch: Any, batch_idx: int) -> Any:
            return BATCHES[batch_idx]

    silent = {"logger": False, "enable_progress_bar": False, "enable_checkpointing": False}
    trainer = lightning.Trainer(accelerator="cpu", callbacks=[callback(lightning)], **silent)
    [found] = trainer.validate(Model(), torch.utils.data.DataLoader(range(2)), verbose=False)
    assert found == pytest.approx({"map": 0.75, "ndcg_cut_10": 0.815465}, rel=1e-6)


@pytest.mark.parametrize("ids", ["int32", "int64"])
@pytest.mark.parametrize("scores", ["float16", "bfloat16", "float32", "float64"])
def test_tensors(scores: str, ids: str) -> None:
    torch = pytest.importorskip("torch")
    values = torch.tensor([[0.9, 0.5], [0.3, 0.1]], dtype=getattr(torch, scores), requires_grad=True)
    numbers = torch.tensor([[17, 4], [9, 4]], dtype=getattr(torch, ids))
    judged = pe.Qrels({"1": {"17": 1}, "2": {"4": 1}})
    best, places = values.topk(2)
    found = judged.rank_top_k(["1", "2"], numbers.gather(1, places), best)
    assert found.evaluate("recip_rank")["recip_rank"] == 0.75
    columns = {"qid": torch.tensor([1, 1, 2, 2]), "docno": numbers.flatten(), "score": values.flatten()}
    assert judged.rank(columns).evaluate("recip_rank")["recip_rank"] == 0.75


def test_floats_for_loggers() -> None:
    """What wandb.log and mlflow.log_metrics take: names and Python's own floats."""
    found = pe.evaluate(JUDGED, {topic: run[topic] for run in BATCHES for topic in run}, ["map", "P@10"])
    assert {type(value) for value in found.to_floats().values()} == {float}
