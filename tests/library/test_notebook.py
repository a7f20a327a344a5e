"""A notebook, executed: evaluations and comparisons show as tables, and a plot of them as a picture."""

from __future__ import annotations

import base64
from typing import Any

import pytest

pytestmark = pytest.mark.slow

CELLS = [
    "import pres_eval as pe\n"
    "judged = pe.Qrels({str(t): {'a': 1, 'c': 2} for t in range(12)})\n"
    "good = judged.rank({str(t): {'a': 3.0, 'b': 2.0, 'c': 1.0} for t in range(12)}, name='good')\n"
    "poor = judged.rank({str(t): {'b': 3.0, 'x': 2.0, 'c': t / 12} for t in range(12)}, name='poor')\n"
    "e1, e2 = (run.evaluate(['map', 'PRES@100', 'nDCG@10']) for run in (good, poor))\n"
    "e1",
    "pe.compare([e1, e2], measure='map')",
    "e1.to_pandas().head(3)",
    "%matplotlib inline\n"
    "import matplotlib.pyplot as plt\n"
    "figure, axes = plt.subplots(figsize=(4, 3))\n"
    "axes.bar(['good', 'poor'], [e1['map'], e2['map']])\n"
    "axes.set_ylabel('map')\n"
    "plt.show()",
    "print(e1)",
]


@pytest.fixture(scope="module")
def outputs() -> list[list[Any]]:
    """The outputs of each cell."""
    nbformat, nbclient, *_ = map(
        pytest.importorskip, ("nbformat", "nbclient", "ipykernel", "matplotlib", "pandas")
    )
    cells = [nbformat.v4.new_code_cell(text) for text in CELLS]
    kernel = {"kernelspec": {"name": "python3", "display_name": "Python 3", "language": "python"}}
    notebook = nbformat.v4.new_notebook(cells=cells, metadata=kernel)
    nbclient.NotebookClient(notebook, timeout=120).execute()
    return [cell["outputs"] for cell in notebook["cells"]]


def html_of(output: Any) -> str:
    return str(output["data"]["text/html"])


@pytest.mark.filterwarnings("ignore")
def test_tables(outputs: list[list[Any]]) -> None:
    first = html_of(outputs[0][-1])
    assert first.startswith("<table>")
    assert "<td>map</td>" in first and "0.8333" in first
    assert "<caption>good: 12 topics</caption>" in first
    second = html_of(outputs[1][-1])
    assert "<td>poor</td>" in second and "<th>p_value</th>" in second
    assert "PRES_100" in html_of(outputs[2][-1])


@pytest.mark.filterwarnings("ignore")
def test_plot(outputs: list[list[Any]]) -> None:
    pictures = [output["data"]["image/png"] for output in outputs[3] if "image/png" in output.get("data", {})]
    assert base64.b64decode(pictures[0]).startswith(b"\x89PNG")


@pytest.mark.filterwarnings("ignore")
def test_print_gives_trec_evals_lines(outputs: list[list[Any]]) -> None:
    [printed] = outputs[4]
    assert printed["name"] == "stdout"
    assert printed["text"].startswith("map                   \tall\t0.8333\n")
