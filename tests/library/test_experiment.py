"""Many runs in one call: the numbers are those of evaluate and compare, the tables the command's."""

from __future__ import annotations

import html
import re
import typing
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pytest
from support.commands import Command

import pres_eval as pe
from pres_eval import options
from pres_eval.analysis import compare_settings, corrections, estimates, significance
from pres_eval.library import arguments

RNG = np.random.default_rng(5)
DOCUMENTS = [f"d{number}" for number in range(30)]
QRELS = {f"q{t}": {d: int(RNG.integers(0, 3)) for d in DOCUMENTS[::2]} for t in range(12)}


def made(strength: float) -> dict[str, dict[str, float]]:
    return {
        topic: {d: strength * grades.get(d, 0) + float(RNG.normal()) for d in DOCUMENTS}
        for topic, grades in QRELS.items()
    }


RUNS = {"bm25": made(0.0), "dense": made(2.0), "both": made(0.1)}


def test_numbers() -> None:
    found = pe.experiment(QRELS, RUNS, ["map", "ndcg_cut.10"], complete=True, level=2)
    alone = [pe.evaluate(QRELS, run, ["map", "ndcg_cut.10"], complete=True, level=2) for run in RUNS.values()]
    assert [e.to_dict() for e in found.evaluations.values()] == [e.to_dict() for e in alone]
    assert list(found) == list(pe.compare(alone, names=list(RUNS)))
    assert found.runs == list(found.evaluations) == list(RUNS)
    everything = pe.experiment(QRELS, RUNS, "map", all_pairs=True, test="wilcoxon", correction="bh")
    assert len(everything) == 3


def test_tests_are_drawn_as_asked() -> None:
    drawn: dict[str, Any] = {"test": "bootstrap", "samples": 40, "seed": 3}
    found = pe.experiment(QRELS, RUNS, ["map"], **drawn)
    assert list(found) == list(pe.compare(found.evaluations.values(), names=list(RUNS), **drawn))
    assert list(found) != list(pe.experiment(QRELS, RUNS, ["map"], **{**drawn, "samples": 50}))


@pytest.mark.filterwarnings("ignore:.*are not in the run")
def test_complete_experiments_count_missing_topics_as_0() -> None:
    run = dict(list(RUNS["dense"].items())[:6])
    for complete in (True, False):
        found = pe.experiment(QRELS, {"some": run, "all": RUNS["both"]}, "map", complete=complete)
        alone = pe.evaluate(QRELS, run, "map", complete=complete)
        assert found.evaluations["some"].summary == alone.summary
    assert alone["map"] != pe.evaluate(QRELS, run, "map", complete=True)["map"]


def test_tables_of_the_command(command: Command, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(pe.Qrels(QRELS).to_trec())
    for name, run in RUNS.items():
        lines = [f"{t} Q0 {d} 0 {s!r} {name}\n" for t in run for d, s in run[t].items()]
        (tmp_path / name).write_text("".join(lines))
    found = pe.experiment(tmp_path / "qrels", {name: tmp_path / name for name in RUNS}, ["map", "P@5"])
    for form, text in (("latex", found.to_latex()), ("markdown", found.to_markdown())):
        paths = [tmp_path / name for name in RUNS]
        options = ("-m", "map", "-m", "P@5", "--format", form, "--table", "means")
        assert command.ok("compare", *options, tmp_path / "qrels", *paths).out == text
    assert (
        "\\textbf{" in found.to_latex() and "$^{+}$" in found.to_latex() and "\\toprule" in found.to_latex()
    )
    assert "^+" in str(found)


def test_report_and_plot(tmp_path: Path) -> None:
    found = pe.experiment(QRELS, RUNS, ["map", "PRES@100"])
    page = found.report(tmp_path / "out.html", title="Three runs")
    assert (tmp_path / "out.html").read_text(encoding="utf-8") == page
    assert "<title>Three runs</title>" in page and all(name in page for name in RUNS)
    assert len(found.plot().axes) == 2
    assert len(found.plot(tmp_path / "means.svg").axes) == 2
    assert (tmp_path / "means.svg").read_bytes().startswith(b"<?xml")
    with pytest.raises(pe.PresEvalError, match=r"plot\('means.doc'\): expected a name that ends with"):
        found.plot("means.doc")


def test_the_page_is_shown_in_a_notebook() -> None:
    page = pe.experiment(QRELS, RUNS, ["map"]).report()
    frame = re.fullmatch(r'<iframe srcdoc="([^"]*)"[^<>]*></iframe>', page._repr_html_())
    assert frame is not None and html.unescape(frame[1]) == page


def test_judgements_of_other_kinds() -> None:
    """Sets of relevant documents (sentence-transformers), datasets of ir_datasets, rows as dicts."""

    class Row(NamedTuple):
        query_id: str
        doc_id: str
        relevance: int
        iteration: str

    class Dataset:
        def qrels_iter(self) -> Any:
            return iter([Row("q1", "a", 1, "0"), Row("q1", "b", 1, "0")])

    run = {"q1": {"x": 3.0, "a": 2.0, "b": 1.0}}
    wanted = pe.evaluate({"q1": {"a": 1, "b": 1}}, run, "map")["map"]
    rows = [{"query-id": "q1", "corpus-id": d, "score": 1} for d in "ab"]
    for qrels in ({"q1": {"a", "b"}}, {"q1": frozenset("ab")}, Dataset(), rows):
        assert pe.evaluate(qrels, run, "map")["map"] == wanted


@pytest.mark.parametrize("qrels", [QRELS, {"1": {"a": 0.5, "b": 2.0}}, {"1": {"a": -1, "é": 3}}])
def test_qrels_out_and_in(qrels: Any, tmp_path: Path) -> None:
    judged = pe.Qrels(qrels)
    assert judged.to_dict() == qrels
    (tmp_path / "qrels").write_bytes(judged.to_trec())
    assert pe.Qrels(tmp_path / "qrels", form=judged.form).to_dict() == qrels
    with pytest.raises(pe.PresEvalError, match="expected judgements that are qrels"):
        (tmp_path / "prefs").write_text("1 0 1 a 1\n1 0 1 b 0\n")
        pe.Qrels(tmp_path / "prefs", form="prefs").to_dict()


def test_choices_are_those_there_are() -> None:
    for kind, known in (
        (arguments.TieRule, options.TIE_RULES),
        (arguments.DuplicateRule, options.DUPLICATE_RULES),
        (arguments.Compat, options.COMPAT_VERSIONS),
        (arguments.Correction, corrections.CORRECTIONS),
        (arguments.Test, compare_settings.TESTS),
        (arguments.Alternative, significance.ALTERNATIVES),
        (arguments.IntervalKind, estimates.INTERVALS),
    ):
        assert typing.get_args(kind) == tuple(known), kind
    assert significance.PAIRED_TESTS.keys() <= set(typing.get_args(arguments.Test))


def test_public_names() -> None:
    assert set(dir(pe)) == {*pe.__all__, "__version__"}


def test_plain_floats() -> None:
    e = pe.evaluate(QRELS, RUNS["dense"], ["map", "runid", "num_ret", "relstring"])
    floats: dict[str, float] = e.to_floats()
    assert floats == {"num_ret": 360.0, "map": e["map"]}
    assert {type(value) for value in floats.values()} == {float}


def test_all_pairs_have_their_letters() -> None:
    """2.9.0: a table of means alone, as if nothing had been tested; and in notebooks 23 columns."""
    found = pe.experiment(QRELS, RUNS, "map", all_pairs=True)
    assert "same letter" in str(found) or "letter" in str(found)
    shown = found._repr_html_()
    assert shown.startswith("<p>Means over") and "<details><summary>Comparisons</summary><table>" in shown


def test_a_notebook_shows_the_means_as_a_table_with_their_marks() -> None:
    qrels = {str(topic): {"a": 1} for topic in range(8)}
    good = {str(topic): {"a": 2.0, "b": 1.0} for topic in range(8)}
    poor = {str(topic): {"b": 2.0, "a": 1.0 + topic % 2 / 4} for topic in range(8)}
    shown = pe.experiment(qrels, {"<poor>": poor, "good": good}, "map")._repr_html_()
    assert shown.startswith("<p>Means over 8 topics</p><table>")
    assert "&lt;poor&gt;" in shown and "<poor>" not in shown
    assert "^+ 1.0000</td>" in shown
    tests = "(t, correction holm, p &lt; 0.05)<br>8 topics;"
    assert f"significantly better, worse than &lt;poor&gt; {tests}" in shown


@pytest.mark.parametrize(("baseline", "other"), [(0, "b"), (1, "a"), (-1, "a"), (-2, "b")])
def test_a_baseline_by_its_place(baseline: int, other: str) -> None:
    """Places count from the end too, down to the first."""
    qrels = pe.Qrels({str(topic): {"x": 1} for topic in range(6)})
    runs = [
        qrels.rank({str(topic): {"x": score, "y": 1.0} for topic in range(6)}, name=name)
        for name, score in (("a", 2.0), ("b", 0.5))
    ]
    [found] = pe.compare([run.evaluate("map") for run in runs], baseline=baseline)
    assert (found.run, found.other) == (other, "ab".replace(other, ""))
    for beyond in (2, -3):
        with pytest.raises(pe.PresEvalError, match="no such run"):
            pe.compare([run.evaluate("map") for run in runs], baseline=beyond)
