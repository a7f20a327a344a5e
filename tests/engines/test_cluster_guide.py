"""What the guide says of Dask's own commands is what these take."""

from __future__ import annotations

import re
import shlex
from typing import Any

import pytest
from conftest import ROOT

yaml: Any = pytest.importorskip("yaml", reason="Dask, which brings it, is not installed")
distributed: Any = pytest.importorskip(
    "distributed", reason="the extra `cluster` is not installed", exc_type=ImportError
)
GUIDE = (ROOT / "docs" / "guides" / "scale.md").read_text(encoding="utf-8")


def blocks(kind: str) -> list[str]:
    return re.findall(rf"```{kind}\n(.*?)```", GUIDE, re.DOTALL)


def check_options(words: list[str]) -> None:
    """A line `dask worker ...` or `dask scheduler ...` has options that are known, each with a value."""
    from distributed.cli import dask_scheduler, dask_worker

    assert words[0] == "dask"
    command = {"worker": dask_worker.main, "scheduler": dask_scheduler.main}[words[1]]
    context = command.make_context(words[1], words[2:], resilient_parsing=True)
    assert not context.args, words
    known = {option for param in command.params for option in param.opts}
    assert {word for word in words if word.startswith("--")} <= known


def test_the_scripts() -> None:
    lines = [line for block in blocks("sh") for line in block.splitlines()]
    found = [line[line.index("dask ") :] for line in lines if re.match(r"(srun .*)?dask ", line)]
    assert len(found) == 2
    for line in found:
        check_options([word for word in shlex.split(line) if word != "&"])


def test_the_cluster_of_kubernetes() -> None:
    (text,) = blocks("yaml")
    made = yaml.safe_load(text)
    assert (made["apiVersion"], made["kind"]) == ("kubernetes.dask.org/v1", "DaskCluster")
    name, spec = made["metadata"]["name"], made["spec"]
    for part in ("worker", "scheduler"):
        (container,) = spec[part]["spec"]["containers"]
        assert container["name"] == part
        check_options(container["args"])
    service = spec["scheduler"]["service"]
    assert service["selector"] == {"dask.org/cluster-name": name, "dask.org/component": "scheduler"}
    named = {port["name"]: port["containerPort"] for port in container["ports"]}
    assert {port["targetPort"]: port["port"] for port in service["ports"]} == named
    assert f"--cluster tcp://{name}-scheduler:{named['tcp-comm']} " in GUIDE
