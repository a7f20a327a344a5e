"""Against others: trec_eval on its own tests and real runs (where they are there), our peers as installed."""

from __future__ import annotations

import contextlib
import csv
import gzip
import io
import shlex
import shutil
from collections.abc import Iterator
from pathlib import Path

import ir_measures
import pytest
import pytrec_eval
from conftest import ROOT
from support.peers import Qrels, Run, by_topic, evaluated, made, patents

from pres_eval.cli import main
from pres_eval.measures import measure_of
from pres_eval.options import Options

pytestmark = pytest.mark.slow

SHARED = ROOT.parent / "shared"


def printed(*arguments: str | Path) -> tuple[int, bytes]:
    """Exit code and stdout of a command, called in this process."""
    raw = io.BytesIO()
    stdout = io.TextIOWrapper(raw, encoding="utf-8")
    with contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(io.StringIO()):
        code = main([str(argument) for argument in arguments])
    stdout.flush()
    return code, raw.getvalue()


PRES_FOLLOWS = "no -m: PRES follows the official measures, which are the same"
DIFFERENT_OUTPUT = {
    **{f"{name} 9.0.8": PRES_FOLLOWS for name in ("default", "comments", "trunc")},
    **{f"{name} 10.0": PRES_FOLLOWS for name in ("default", "comments", "qrels-comments")},
}
"""Rows of COMMANDS.tsv whose output we print with a difference, and why."""

OWN_RBP = ("dcg 10.0", b"rbp_p=0.8")
"""A row with rbp beside dcg: 10.0 prints what no formula gives, see the differences from trec_eval."""

DIFFERENT_EXIT = {
    **{
        f"{name} 9.0.8": (0, "comments are known")
        for name in ("qrels-comments", "prefs-comments", "jg-comments")
    },
    "trunc 10.0": (0, "a topic that the run lacks is left out instead of stopping"),
    "dcg 9.0.8": (0, "10.0's measures can be named under 9.0.8 too"),
    **{f"prefs-rank20 {v}": (2, "a level that is no number is an error") for v in ("9.0.8", "10.0")},
}
"""Rows on which trec_eval stops: our exit code, and why it is another."""


def conformance_rows() -> list[dict[str, str]]:
    path = SHARED / "conformance" / "COMMANDS.tsv"
    if not path.is_file():
        return []
    with path.open(encoding="utf-8", newline="") as stream:
        return list(csv.DictReader(stream, delimiter="\t", quoting=csv.QUOTE_NONE))


ROWS = conformance_rows()
NOTHING_THERE = pytest.param({}, marks=pytest.mark.skip(reason="no ../shared beside the checkout"))


def row_name(row: dict[str, str]) -> str:
    return f"{row['name']} {row['version']}" if row else "none"


@pytest.mark.parametrize("row", ROWS or [NOTHING_THERE], ids=row_name)
def test_conformance(row: dict[str, str]) -> None:
    """trec_eval's own test commands give its own expected files, byte for byte."""
    folder = SHARED / "conformance"
    arguments = [str(folder / part) if part == "zscores_file" else part for part in shlex.split(row["args"])]
    files = (folder / row["qrels"], folder / row["run"])
    code, found = printed("--compat", row["version"], *arguments, *files)
    if row["exit"] != "0":
        assert code == DIFFERENT_EXIT.get(row_name(row), (int(row["exit"]), ""))[0]
        assert code == 0 or not found
        return
    assert code == 0
    expected = (folder / row["expected"]).read_bytes()
    if row_name(row) in DIFFERENT_OUTPUT:
        assert b"\nPRES_100 " in found
        found = b"".join(line for line in found.splitlines(keepends=True) if not line.startswith(b"PRES_"))
    if row_name(row) == OWN_RBP[0]:
        assert found != expected
        found, expected = (_without(text, OWN_RBP[1]) for text in (found, expected))
    assert found == expected


def _without(lines: bytes, label: bytes) -> bytes:
    return b"".join(line for line in lines.splitlines(keepends=True) if not line.startswith(label))


@pytest.mark.skipif(not ROWS, reason="no ../shared beside the checkout")
def test_every_difference_is_a_row() -> None:
    assert {*DIFFERENT_OUTPUT, *DIFFERENT_EXIT} <= {row_name(row) for row in ROWS}


# One or two runs of each collection; tests/bench and the fuzzer see more.
REAL = [
    ("covid_r5_neg", "run.gz", ""),
    ("robust03", "runs/rutcor03100.gz", "rutcor03100."),
    ("robust03", "runs/NLPR03vb10", "NLPR03vb10."),
    ("clefip2010_higashi", "runs/AND_8_1", "AND_8_1."),
    ("cleftar2019_int", "runs/Sheffield_baseline.gz", "Sheffield_baseline."),
]


def stored_outputs() -> Iterator[tuple[Path, Path, Path, list[str]]]:
    """Real runs with what trec_eval printed for them: qrels, run, output, our options."""
    for name, run, prefix in REAL:
        folder = SHARED / "realdata" / name
        for variant, options in (
            ("te908", ["--compat", "9.0.8"]),
            ("te908.c", ["--compat", "9.0.8", "-c"]),
            ("te10.c", ["--compat", "10.0", "-c"]),
        ):
            names = [f"out/{prefix}{variant}.out.gz", f"{variant}.out.gz", f"{variant}.out"]
            outputs = [
                folder / output for output in names[: 1 if prefix else 3] if (folder / output).is_file()
            ]
            if outputs and (folder / run).is_file():
                yield folder / "qrels.gz", folder / run, outputs[0], options


STORED = list(stored_outputs())


def test_real_runs_are_found() -> None:
    if not (SHARED / "realdata").is_dir():
        pytest.skip("no ../shared beside the checkout")
    assert len(STORED) >= 10


@pytest.mark.parametrize(
    ("qrels", "run", "expected", "options"),
    STORED
    or [pytest.param(*[Path()] * 3, [], marks=pytest.mark.skip(reason="no ../shared beside the checkout"))],
    ids=lambda part: part.name if isinstance(part, Path) else "".join(part),
)
def test_real_runs(qrels: Path, run: Path, expected: Path, options: list[str]) -> None:
    """-q -m all_trec on real runs, byte for byte."""
    stored = gzip.decompress(expected.read_bytes()) if expected.suffix == ".gz" else expected.read_bytes()
    code, found = printed(*options, "-q", "-m", "all_trec", qrels, run)
    assert code == 0
    assert found.splitlines() == stored.splitlines()
    assert found == stored


DATA = {
    "patents": patents(),
    **{f"seed {seed}": made(seed) for seed in range(3)},
    "ties": made(7, ties=True),
}


@pytest.mark.parametrize("level", [1, 2])
@pytest.mark.parametrize("data", DATA)
def test_pytrec_eval(data: str, level: int, tmp_path: Path) -> None:
    """Every number that pytrec_eval has, to the last bit but for its own averages."""
    qrels, run = DATA[data]
    theirs = pytrec_eval.RelevanceEvaluator(
        qrels, set(pytrec_eval.supported_measures), relevance_level=level
    ).evaluate(run)
    ours = evaluated(qrels, run, ["all_trec"], tmp_path, Options(relevance_level=level))
    labels = set(next(iter(theirs.values()))) - {"runid", "relstring"}
    assert len(labels) > 80
    for label in sorted(labels & {column.label for column in ours.columns}):
        found = by_topic(ours, label)
        if label.startswith("gm_") or label == "num_q":
            continue
        expected = {topic: values[label] for topic, values in theirs.items()}
        assert found == pytest.approx(expected, rel=1e-14, abs=0), label
    missing = labels - {column.label for column in ours.columns}
    assert not missing


SAME_NAMES = [
    *(
        "AP",
        "AP@10",
        "AP(rel=2)",
        "AP(rel=2)@5",
        "P@1",
        "P@5",
        "P@10",
        "P(rel=2)@5",
        "P(rel=3)@20",
        "R@5",
        "R@20",
    ),
    *(
        "RR",
        "RR(rel=2)",
        "Rprec",
        "Rprec(rel=2)",
        "nDCG",
        "nDCG@5",
        "nDCG@20",
        "Bpref",
        "Bpref(rel=2)",
        "infAP",
    ),
    *(
        "Success@1",
        "Success@5",
        "Success(rel=2)@5",
        "IPrec@0.1",
        "IPrec@0.5",
        "IPrec(rel=2)@0.8",
        "NumRet",
        "NumQ",
    ),
    *(
        "NumRet(rel=1)",
        "NumRet(rel=2)",
        "NumRel",
        "SetP",
        "SetP(rel=2)",
        "SetP(relative=True)",
        "SetR",
        "SetAP",
    ),
    *("SetF", "SetF(beta=2.0)", "SetF(beta=0.5)", "SetR(rel=2)"),
]
OF_THE_TOP = ["RR@1", "RR@10", "RR(rel=2)@10", "Judged@1", "Judged@10", "Judged@100"]
"""Read from the ranking by Python of ir_measures' own, which breaks ties by docno the other way round."""

OF_GDEVAL = ["ERR@5", "ERR@20", "nDCG(dcg='exp-log2')@5", "nDCG(dcg='exp-log2')@20"]
"""Computed by a Perl script that rounds to five digits."""


def theirs_of(text: str, qrels: Qrels, run: Run) -> tuple[dict[str, float], float]:
    """ir_measures' values of a measure: by topic, and over all."""
    measure = ir_measures.parse_measure(text)
    values = {metric.query_id: metric.value for metric in ir_measures.iter_calc([measure], qrels, run)}
    return values, ir_measures.calc_aggregate([measure], qrels, run)[measure]


@pytest.mark.parametrize("text", [*SAME_NAMES, *OF_THE_TOP])
@pytest.mark.parametrize("data", DATA)
def test_ir_measures(data: str, text: str, tmp_path: Path) -> None:
    """The same text gives the same numbers, by topic and over all."""
    if data == "ties" and text in OF_THE_TOP:
        data = "seed 7 without ties"
    qrels, run = DATA.get(data) or made(7)
    expected, over_all = theirs_of(text, qrels, run)
    ours = evaluated(qrels, run, [text], tmp_path)
    (column,) = ours.columns
    found = by_topic(ours, column.label)
    assert found == pytest.approx(expected, rel=1e-12, abs=1e-12)
    assert ours.summary[0] == pytest.approx(over_all, rel=1e-12, abs=1e-12)


@pytest.mark.skipif(shutil.which("perl") is None, reason="gdeval is a Perl script")
@pytest.mark.parametrize("data", ["seed 0", "seed 1", "ties"])
def test_gdeval(data: str, tmp_path: Path) -> None:
    """ERR and the exponential nDCG of the TREC Web track, as ir_measures calls its script."""
    qrels, run = DATA[data]
    measures = [ir_measures.parse_measure(text) for text in OF_GDEVAL]
    theirs: dict[object, dict[str, float]] = {}
    for metric in ir_measures.iter_calc(measures, qrels, run):
        theirs.setdefault(metric.measure, {})[metric.query_id] = metric.value
    for text, measure in zip(OF_GDEVAL, measures, strict=True):
        ours = evaluated(qrels, run, [text], tmp_path)
        assert by_topic(ours, ours.columns[0].label) == pytest.approx(theirs[measure], abs=6e-6), text


@pytest.mark.parametrize("text", ["AP", "P@5", "nDCG@10", "RR", "Bpref"])
def test_topics_that_the_run_lacks(text: str, tmp_path: Path) -> None:
    """ir_measures averages over all topics of the qrels: that is -c."""
    qrels, run = made(3)
    run = {topic: documents for topic, documents in run.items() if topic not in {"2", "5"}}
    over_all = theirs_of(text, qrels, run)[1]
    complete = evaluated(qrels, run, [text], tmp_path, Options(complete=True))
    assert complete.summary[0] == pytest.approx(over_all, rel=1e-12)


@pytest.mark.parametrize(
    "text", ["AP(judged_only=True)", "P(judged_only=True)@5", "nDCG(judged_only=True)@10"]
)
def test_judged_documents_alone(text: str, tmp_path: Path) -> None:
    """ir_measures' judged_only is -J."""
    qrels, run = made(4)
    expected, over_all = theirs_of(text, qrels, run)
    name = text.replace("(judged_only=True)", "")
    ours = evaluated(qrels, run, [name], tmp_path, Options(judged_only=True))
    assert by_topic(ours, ours.columns[0].label) == pytest.approx(expected, rel=1e-12)
    assert ours.summary[0] == pytest.approx(over_all, rel=1e-12)


@pytest.mark.parametrize(
    ("name", "words"),
    [
        ("recip_rank_cut", "ties"),
        ("judged", "negative"),
        ("judged", "without a cutoff"),
        ("judged", "ties"),
        ("rbp", "ir_measures"),
        ("set_F", "β²"),
        ("err", "gdeval"),
        ("ndcg_exp_cut", "gdeval"),
    ],
)
def test_texts_tell_where_definitions_differ(name: str, words: str) -> None:
    """What another tool computes differently under the same name is told in the measure's text."""
    assert words in " ".join(measure_of(name).text.split())
