"""How the library behaves: results, errors, warnings, threads, pickles, measures of one's own."""

from __future__ import annotations

import hashlib
import json
import locale
import math
import os
import pickle
import subprocess
import sys
import warnings
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from types import MappingProxyType
from typing import Any

import numpy as np
import pytest
from conftest import ROOT, Command
from support import commands
from support.tables import frame, rows_of

import pres_eval as pe
from pres_eval.errors import PresEvalWarning, UsageError

QRELS = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
RUN = {"1": {"b": 0.9, "a": 0.5}, "2": {"c": 0.4, "d": 0.3}}


def patents(fixtures: Path) -> tuple[str, list[str]]:
    folder = fixtures / "patents"
    return str(folder / "qrels.txt"), [str(path) for path in sorted(folder.glob("run_*.txt"))]


def test_json_is_that_of_the_command(fixtures: Path, command: commands.Command) -> None:
    qrels, runs = patents(fixtures)
    expected = command.ok("--format", "json", "-m", "official", "-m", "PRES", qrels, runs[0]).json
    assert json.loads(pe.evaluate(qrels, runs[0], ["official", "PRES"]).to_json()) == expected


@pytest.fixture(scope="module")
def evaluations(fixtures: Path) -> list[pe.Evaluation]:
    """Those of the patent runs."""
    qrels, runs = patents(fixtures)
    judged = pe.Qrels(qrels)
    return [judged.rank(run).evaluate(["map", "PRES.100"]) for run in runs]


@pytest.fixture
def compared(fixtures: Path, command: commands.Command) -> Callable[..., list[dict[str, Any]]]:
    """What the command `compare` says of them with some options."""

    def run(*options: str) -> list[dict[str, Any]]:
        qrels, runs = patents(fixtures)
        measures = ("-m", "map", "-m", "PRES.100")
        found = command.ok("compare", *measures, "--format", "json", qrels, *runs, *options).json
        comparisons: list[dict[str, Any]] = found["comparisons"]
        return comparisons

    return run


def test_comparisons_are_those_of_the_command(
    fixtures: Path,
    evaluations: list[pe.Evaluation],
    compared: Callable[..., list[dict[str, Any]]],
) -> None:
    runs = patents(fixtures)[1]
    expected = compared("--baseline", runs[1])
    names = [Path(run).stem.removeprefix("run_") for run in runs]
    found = pe.compare(evaluations, baseline=evaluations[1], names=names)
    numbers = set(expected[0]) & set(found.to_dicts()[0])
    assert {"measure", "difference", "lower", "upper", "wins", "p_value", "corrected"} <= numbers
    assert [[row[name] for name in numbers] for row in found.to_dicts()] == [
        [row[name] for name in numbers] for row in expected
    ]
    assert len(found) == 2 * (len(runs) - 1)
    assert found.means[names[0]]["map"] == evaluations[0]["map"]


@pytest.mark.parametrize(
    ("options", "arguments"),
    [
        (("--alternative", "equivalent", "--margin", "0.05"), {"alternative": "equivalent", "margin": 0.05}),
        (("--alternative", "less", "--interval", "bca"), {"alternative": "less", "interval": "bca"}),
        (("--correct-over", "measures"), {"correct_over": "measures"}),
        (("--single-intervals",), {"simultaneous": False}),
        (
            ("--all-pairs", "--test", "randomised-tukey", "--jobs", "2"),
            {"baseline": None, "test": "randomised-tukey", "jobs": 2},
        ),
        (("--baseline", "broad", "--test", "dunnett"), {"baseline": "broad", "test": "dunnett"}),
        (("--baseline", "best"), {"baseline": "best"}),
    ],
)  # fmt: skip
def test_every_option_of_the_command_is_an_argument(
    fixtures: Path,
    evaluations: list[pe.Evaluation],
    compared: Callable[..., list[dict[str, Any]]],
    options: tuple[str, ...],
    arguments: dict[str, Any],
) -> None:
    if "dunnett" in options:
        pytest.importorskip("scipy")
    expected = compared("--samples", "200", *options)
    names = [Path(run).stem.removeprefix("run_") for run in patents(fixtures)[1]]
    found = pe.compare(evaluations, names=names, samples=200, **arguments).to_dicts()
    numbers = ("run", "other", "p_value", "corrected", "significant", "direction", "difference")
    assert [[row[name] for name in numbers] for row in found] == [
        [row[name] for name in numbers] for row in expected
    ]
    for mine, theirs in zip(found, expected, strict=True):
        for end in ("lower", "upper"):
            assert theirs[end] == (mine[end] if math.isfinite(mine[end]) else None), "open ends are null"


def test_tables() -> None:
    pytest.importorskip("pandas")
    pytest.importorskip("pyarrow")
    found = pe.evaluate(QRELS, RUN, ["map", "num_ret", "relstring"])
    assert found.to_pandas()["map"].tolist() == [0.5, 1.0]
    assert found.to_arrow()["topic"].to_pylist() == ["1", "2"]
    assert found["num_ret"] == 4 and isinstance(found["num_ret"], int)
    assert found.to_dict()["2"] == {"map": 1.0, "num_ret": 2, "relstring": "2-"}
    assert found.per_topic("relstring").tolist() == ["01", "2-"]
    two = pe.compare([found, found], measure="map")
    assert two.to_pandas()["difference"].tolist() == [0.0]
    assert two.runs == ["run 1", "run 2"]


def test_results_can_be_pickled() -> None:
    judged = pe.Qrels(QRELS)
    found = judged.rank(RUN).evaluate(["official", "PRES", "ndcg_cut"])
    for thing in (judged, judged.rank(RUN), found):
        again: Any = pickle.loads(pickle.dumps(thing))
        assert repr(again) == repr(thing)
    assert pickle.loads(pickle.dumps(judged)).rank(RUN).evaluate("map")["map"] == found["map"]
    assert pickle.loads(pickle.dumps(found)).to_trec(per_topic=True) == found.to_trec(per_topic=True)


def test_pickled_judgements_know_their_file(tmp_path: Path) -> None:
    """What an evaluation writes down has the digests of both files, also after pickling."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("1 0 a 1\n")
    run.write_text("1 Q0 a 1 2.0 t\n")
    judged = pe.Qrels(qrels)
    expected = judged.rank(run).evaluate("map").to_json()
    assert hashlib.sha256(qrels.read_bytes()).hexdigest() in expected
    again: pe.Qrels = pickle.loads(pickle.dumps(judged))
    assert again.rank(run).evaluate("map").to_json() == expected


IN_ANOTHER_PROCESS = """
import pickle, sys
judged = pickle.loads(sys.stdin.buffer.read())
print(judged.rank(sys.argv[1]).evaluate("map"))
"""


def test_judgements_can_be_pickled_for_another_process(tmp_path: Path) -> None:
    """Hashes differ from process to process; what was made of them has to be made again."""
    path = tmp_path / "run.txt"
    path.write_text("1 Q0 a 1 2.0 t\n2 Q0 b 1 1.0 t\n" + "long-name-of-a-topic Q0 c 1 1.0 t\n")
    judged = pe.Qrels([("1", "a", 1), ("2", "c", 1), ("2", "b", 1), ("long-name-of-a-topic", "c", 1)])
    done = subprocess.run(
        [sys.executable, "-c", IN_ANOTHER_PROCESS, str(path)],
        input=pickle.dumps(judged),
        capture_output=True,
        check=True,
        env={**os.environ, "PYTHONPATH": str(ROOT)},
    )
    assert done.stdout.decode() == f"{judged.rank(path).evaluate('map')}\n"
    assert b"0.8333" in done.stdout


@pytest.mark.filterwarnings("ignore:run. equal scores")
def test_threads_side_by_side() -> None:
    judged = pe.Qrels({str(topic): {f"d{number}": number % 3 for number in range(50)} for topic in range(30)})
    run = {
        str(topic): {f"d{number}": float((number * 7) % 83) for number in range(80)} for topic in range(30)
    }
    expected = judged.rank(run).evaluate(["map", "ndcg_cut", "PRES"]).to_trec(per_topic=True)

    def work(_: int) -> bytes:
        return judged.rank(run).evaluate(["map", "ndcg_cut", "PRES"]).to_trec(per_topic=True)

    with ThreadPoolExecutor(8) as threads:
        assert set(threads.map(work, range(40))) == {expected}


def test_nothing_is_printed_and_no_setting_touched(capfd: pytest.CaptureFixture[str]) -> None:
    before = (np.geterr(), np.get_printoptions(), locale.setlocale(locale.LC_ALL), warnings.filters[:])
    pe.evaluate(QRELS, RUN, ["all_trec", "PRES"])
    assert before == (
        np.geterr(),
        np.get_printoptions(),
        locale.setlocale(locale.LC_ALL),
        warnings.filters[:],
    )
    assert capfd.readouterr() == ("", "")


def test_warnings_name_the_callers_line() -> None:
    with pytest.warns(match="1 of 2 topics of qrels is not in the run") as caught:
        pe.evaluate(QRELS, {"1": RUN["1"]}, "map")
    assert caught[0].filename == __file__
    with pytest.warns(match="have no judgements|has no judgements"):
        pe.evaluate(QRELS, RUN | {"9": {"x": 1.0}}, "map")


@pytest.mark.parametrize(
    ("run", "message"),
    [
        ({"1": {"a": "x"}}, "run: score 'x' of document 'a', expected a number"),
        ({"1": {"a": None}}, "run: score 'None' of document 'a', expected a number"),
        ({"1": {"a": float("nan")}}, "run: score 'nan'"),
        ({"1": 5}, "run: int for topic '1', expected a dict of documents and their values"),
        ({}, "run: no retrieved documents"),
        ({"1": {}}, "run: no retrieved documents"),
        ([("1", "a")], "run: rows such as \"('1', 'a')\", expected rows of topic, document and value"),
        ([("1", "a", "x")], "run: column score of"),
        ([("1", "a", 1.0), ("1", "a", 2.0)], "document 'a' of topic '1' again (rows 1 and 2)"),
        ([("1", 1.5, 1.0)], "run: id '1.5' of type float, expected a text or a whole number"),
        ([("1", "a\0", 1.0)], "with a NUL character"),
        ({"1": {"a\ud800": 1.0}}, "run: id 'a\\ud800', expected one without a lone surrogate"),
        ({"query_id": ["1"], "doc_id": ["a"]}, "run: no score among the columns query_id, doc_id"),
        ({"query_id": ["1"], "doc_id": ["a", "b"], "score": [1.0]}, "run: columns of 1, 2, 1 rows"),
        (17, "run: an object of type int, expected a path, an open file, a dict of dicts"),
        ("no such file", "no such file: no such file"),
        ({"7": {"a": 1.0}}, "no topic in common"),
    ],
)
def test_faulty_runs(run: Any, message: str) -> None:
    with pytest.raises(pe.PresEvalError) as error:
        pe.evaluate(QRELS, run, "map")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("qrels", "message"),
    [
        ({"1": {"a": 1, "b": float("nan")}}, "qrels: relevance nan in row 2, expected a finite number"),
        ({"1": {"a": float("-inf")}}, "qrels: relevance -inf in row 1, expected a finite number"),
        ({"1": {"a": "x"}}, "qrels: relevance 'x' of document 'a' of topic '1', expected a number"),
        ({}, "qrels: no judgements"),
        (3, "qrels: an object of type int"),
        ([("1", "a", 1), ("1", "a", 0)], "qrels:2: a second judgement of document 'a' for topic '1'"),
    ],
)
def test_faulty_judgements(qrels: Any, message: str) -> None:
    with pytest.raises(pe.PresEvalError) as error:
        pe.evaluate(qrels, {"1": {"a": 1.0}}, "map")
    assert message in str(error.value)


@pytest.mark.parametrize(
    ("topics", "ids", "scores", "message"),
    [
        (["1"], [[1, 2]], [[1.0]], "1 topic, ids of shape (1, 2), scores of shape (1, 1)"),
        (["1", "2"], [[1]], [[1.0]], "2 topics, ids of shape (1, 1)"),
        (["1"], [[1, -2]], [[1.0, 0.5]], "document -2, expected ids of at least 0, or -1 for none"),
        (["1"], [[1, 2]], [[1.0, float("nan")]], "score nan of document '2'"),
        (["1"], [[3, 3]], [[1.0, 0.5]], "document '3' of topic '1' again (rows 1 and 2)"),
        (["1"], [[-1, -1]], [[1.0, 0.5]], "no retrieved documents"),
        (["1"], [[1, 2]], [["x", "y"]], "scores of type"),
    ],
)
def test_faulty_matrices(topics: Any, ids: Any, scores: Any, message: str) -> None:
    with pytest.raises(pe.PresEvalError) as error:
        pe.Qrels({"1": {"1": 1}}).rank_top_k(topics, ids, scores)
    assert message in str(error.value)


@pytest.mark.parametrize(
    "arguments", [{"compat": "8"}, {"level": -1}, {"measures": [5]}, {"measures": "mapp"}, {"form": "x"}]
)
def test_faulty_arguments(arguments: dict[str, Any]) -> None:
    with pytest.raises(pe.PresEvalError):
        pe.evaluate(*(QRELS, RUN) if "form" not in arguments else ("q", "r"), **arguments)


def test_tables_without_values() -> None:
    table = frame("pyarrow", QRELS, ("query_id", "doc_id", "relevance"))
    pyarrow = pytest.importorskip("pyarrow")
    holes = table.set_column(1, "doc_id", [pyarrow.array(["a", None, "c"])])
    with pytest.raises(pe.PresEvalError, match="column doc_id: no value in row 2"):
        pe.Qrels(holes)


def test_comparing_warns_where_nothing_can_be_significant() -> None:
    found = pe.evaluate(QRELS, RUN, "map")
    with pytest.warns(PresEvalWarning, match=r"sign over 2 topics can't give .* more topics, or test='t'"):
        pe.compare([found, found], test="sign")
    grouped = pe.evaluate(QRELS, RUN, "map", groups={"1": "a", "2": "b"})
    expected = r"^groups goes with .*, not with test='randomised-tukey'$"
    with pytest.raises(pe.PresEvalError, match=expected):
        pe.compare([grouped, grouped], test="randomised-tukey")


def test_comparing_asks_for_what_it_needs() -> None:
    found = pe.evaluate(QRELS, RUN, "map")
    for arguments in (
        {"baseline": "nobody"},
        {"measure": "ndcg"},
        {"test": "x"},
        {"correction": "x"},
        {"alternative": "x"},
        {"alternative": "equivalent"},
        {"alternative": "equivalent", "margin": -0.1},
        {"margin": 0.1},
        {"interval": "x"},
        {"correct_over": "x"},
        {"alpha": 0.0},
        {"alpha": 1.5},
        {"samples": 0},
        {"seed": -1},
        {"test": "tukey", "alternative": "greater"},
        {"test": "dunnett", "baseline": None},
        {"names": ["one"]},
    ):
        with pytest.raises(pe.PresEvalError):
            pe.compare([found, found], **arguments)
    with pytest.raises(pe.PresEvalError, match="expected at least two"):
        pe.compare([found])


def test_ids_of_any_bytes(tmp_path: Path) -> None:
    """Bytes that are no UTF-8 come out as surrogates, and go in as such."""
    (tmp_path / "qrels").write_bytes(b"\xff 0 d\xfe 1\n")
    (tmp_path / "run").write_bytes(b"\xff Q0 d\xfe 1 1.0 t\n")
    found = pe.evaluate(tmp_path / "qrels", tmp_path / "run", "map")
    assert found.topics == ["\udcff"]
    assert found.to_trec(per_topic=True).splitlines()[0].split(b"\t")[1] == b"\xff"
    assert pe.evaluate(tmp_path / "qrels", {"\udcff": {"d\udcfe": 1.0}}, "map")["map"] == 1.0


def test_a_tag_with_a_lone_surrogate_is_an_error(tmp_path: Path) -> None:
    with pytest.raises(pe.PresEvalError, match="expected one without a lone surrogate"):
        pe.write_run(RUN, tmp_path / "new", tag="\ud800")
    assert not (tmp_path / "new").exists()


def test_a_measure_of_ones_own() -> None:
    def depth(batch: pe.Batch, cutoff: int) -> Any:
        """Judged documents down to a rank."""
        return batch.judged_places.within(cutoff).astype(float)

    made = pe.register("own_depth", depth, cutoffs=(2,))
    assert made in pe.list_measures()
    found = pe.evaluate(QRELS, RUN, ["own_depth", "own_depth.1", "map"])
    assert found.measures == ["map", "own_depth_1"]
    assert pe.evaluate(QRELS, RUN, "own_depth").per_topic("own_depth_2").tolist() == [2.0, 1.0]
    with pytest.raises(pe.PresEvalError, match="there is one of this name"):
        pe.register("map", depth)
    with pytest.raises(pe.PresEvalError, match="expected a name of letters"):
        pe.register("my measure", depth)
    with pytest.raises(TypeError):
        pe.register("own_nothing")


def test_a_measure_of_ones_own_with_expected_value_and_bounds(
    fixtures: Path, pres_eval: Command, tmp_path: Path
) -> None:
    (tmp_path / "mine.py").write_text(
        "import numpy as np\nimport pres_eval as pe\n\n\n"
        "def first(batch):\n"
        '    "Whether the first document is relevant."\n'
        "    return batch.count_by_topic(batch.is_rel & (batch.rank == 1)).astype(float)\n\n\n"
        "def expected(batch):\n"
        "    chosen = batch.is_rel & (batch.ties.first == 1)\n"
        "    return batch.sum_by_topic(1.0 / batch.ties.size, chosen)\n\n\n"
        "def bounds(batch, measure, arguments):\n"
        "    value = measure.score(batch)\n"
        "    judged = batch.count_by_topic((batch.grade >= 0) & (batch.rank == 1))\n"
        "    return value, np.where(judged > 0, value, 1.0)\n\n\n"
        'FIRST = pe.Measure("first", first, expected=expected, bounds=bounds)\n'
        'BARE = pe.Measure("bare", first)\n'
    )
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 0\n2 0 a 1\n")
    (tmp_path / "run").write_text("1 Q0 a 0 1 t\n1 Q0 b 0 1 t\n2 Q0 x 0 2 t\n2 Q0 a 0 1 t\n")
    for option, lines in (
        ("--ties=expected", {"first": "0.2500"}),
        ("--bounds", {"first": "0.0000", "first(bound=least)": "0.0000", "first(bound=greatest)": "0.5000"}),
    ):
        done = pres_eval(option, "-m", "mine:FIRST", "qrels", "run", cwd=tmp_path)
        assert done.returncode == 0, done.stderr
        parts = [line.split("\t") for line in done.stdout.decode().splitlines()]
        assert {label.strip(): value for label, _, value in parts} == lines
        done = pres_eval(option, "-m", "mine:BARE", "qrels", "run", cwd=tmp_path)
        assert done.returncode == 1 and b"bare: has no " in done.stderr


@pytest.mark.slow
def test_a_measure_from_a_module_at_the_command_line(
    tmp_path: Path, fixtures: Path, pres_eval: Command, monkeypatch: pytest.MonkeyPatch
) -> None:
    (tmp_path / "my_measures.py").write_text(
        "import pres_eval as pe\n\n\n"
        "def half(batch):\n"
        '    "Half of everything."\n'
        "    return batch.num_ret / 2\n\n\n"
        'HALF = pe.Measure("own_half", half)\n'
        "NOTHING = 5\n"
    )
    monkeypatch.setenv("PYTHONPATH", str(tmp_path))
    qrels, runs = patents(fixtures)
    done = pres_eval("-m", "my_measures:HALF", "-m", "num_ret", qrels, runs[0])
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].startswith(b"own_half              \tall\t")
    for wrong in ("my_measures:NOTHING", "my_measures:MISSING", "no_such_module:X"):
        done = pres_eval("-m", wrong, qrels, runs[0])
        assert done.returncode == 1
        assert wrong.encode() in done.stderr


def test_ranx(monkeypatch: pytest.MonkeyPatch) -> None:
    """ranx's Run and Qrels are taken by their dicts."""

    class Held:
        def __init__(self, data: Any) -> None:
            self._data = data

        def to_dict(self) -> Any:
            return self._data

    monkeypatch.setattr(Held, "__module__", "ranx.data_structures.run")
    found = pe.evaluate(Held(QRELS), Held(RUN), "map")
    assert found["map"] == 0.75
    assert len(rows_of(RUN)) == 4


@pytest.mark.parametrize("baseline", [-2, -1, 0, 1])
def test_a_baseline_by_its_place_from_either_end(baseline: int) -> None:
    qrels = {str(topic): {"a": 1} for topic in range(3)}
    best = pe.evaluate(qrels, {topic: {"a": 2.0, "b": 1.0} for topic in qrels}, "map")
    worse = pe.evaluate(qrels, {topic: {"a": 1.0, "b": 2.0} for topic in qrels}, "map")
    names = ["best", "worse"]
    [comparison] = pe.compare([best, worse], baseline=baseline, names=names)
    assert (comparison.other, comparison.run) == (names[baseline], names[baseline % 2 - 1])


@pytest.mark.parametrize("baseline", [-3, 2])
def test_a_baseline_beyond_either_end(baseline: int) -> None:
    found = pe.evaluate({"1": {"a": 1}}, {"1": {"a": 2.0}}, "map")
    with pytest.raises(UsageError, match=f"baseline={baseline}: no such run"):
        pe.compare([found, found], baseline=baseline, names=["one", "other"])


@pytest.mark.filterwarnings("ignore:.*are not in the run")
def test_complete_evaluations_are_compared_over_all_topics() -> None:
    """A topic that neither run has counts as 0 for both, as in their own means."""
    qrels = pe.Qrels({"1": {"a": 1}, "2": {"a": 1}, "3": {"a": 1}})
    runs = {"both": {"1": {"a": 1.0}, "2": {"a": 1.0}}, "one": {"1": {"a": 1.0}}}
    evaluations = [qrels.rank(run, name=name).evaluate("map", complete=True) for name, run in runs.items()]
    compared = pe.compare(evaluations)
    assert compared.means == {"both": {"map": 2 / 3}, "one": {"map": 1 / 3}}
    assert compared[0].difference == pytest.approx(-1 / 3)


@pytest.mark.parametrize("kind", ["pandas", "polars"])
def test_a_table_may_have_a_column_called_name(kind: str) -> None:
    """It was taken for the name of the run: pandas raised an error of its own."""
    module = pytest.importorskip(kind)
    columns = {"qid": ["1", "1"], "docno": ["a", "b"], "score": [2.0, 1.0], "name": ["x", "y"]}
    found = pe.evaluate({"1": {"a": 1}}, module.DataFrame(columns), "map")
    assert (found.name, found.summary) == ("run", {"map": 1.0})


def test_whole_numbers_from_2_on_are_shown_whole() -> None:
    """A value of 1 may be a share: it keeps its digits."""
    found = pe.evaluate({"1": {"a": 1}}, {"1": {"b": 2.0, "a": 1.0}}, ["utility.2,0,0,0", "set_recall"])
    assert "set_recall=1.0000" in repr(found) and "utility_2,0,0,0=2" in repr(found)
    assert "=2.0000" not in repr(found)


def test_runs_of_other_options_are_compared_with_a_warning() -> None:
    qrels = pe.Qrels({"1": {"a": 1}, "2": {"a": 2}})
    run = qrels.rank({"1": {"a": 1.0}, "2": {"b": 2.0, "a": 1.0}})
    evaluations = [run.evaluate("map", level=level) for level in (1, 2)]
    with pytest.warns(PresEvalWarning, match="the evaluations were made with different options"):
        pe.compare(evaluations, names=["one", "two"])


def test_ranks_of_mapped_documents_can_be_kept() -> None:
    qrels, run = {"1": {"b": 1}}, {"1": {"a#1": 3.0, "a#2": 2.0, "b#1": 1.0}}
    values = {}
    for ranks in ("dense", "kept"):
        found = pe.evaluate(qrels, run, "recip_rank", map_docs=r"^(.*)#\d+$", map_ranks=ranks)
        values[ranks] = found["recip_rank"]
    assert values == {"dense": 1 / 2, "kept": 1 / 3}


def test_any_mapping_is_a_dict() -> None:
    qrels, run = MappingProxyType({"1": {"a": 1}}), MappingProxyType({"1": {"b": 2.0, "a": 1.0}})
    assert pe.evaluate(qrels, run, "map")["map"] == 1 / 2


def test_a_measure_to_compare_that_one_run_lacks_is_named() -> None:
    run = pe.Qrels({"1": {"a": 1}}).rank({"1": {"a": 1.0}}, name="mine")
    evaluations = [run.evaluate(["map", "P.5"]), run.evaluate("map")]
    with pytest.raises(pe.PresEvalError, match="mine: P_5 is not among the measures that were"):
        pe.compare(evaluations, measure="P_5", names=["one", "two"])
