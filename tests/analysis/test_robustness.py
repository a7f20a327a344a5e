"""f-qrels and the robustness of measures; and the command."""

from __future__ import annotations

import hashlib
import itertools
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import QRELS, RUNS, Command

from pres_eval.analysis.correlation import kendall_tau_a
from pres_eval.analysis.sampling import keep_relevant, kept_counts


@pytest.mark.parametrize(
    ("relevant", "fraction", "expected"),
    [
        (0, 0.5, 0),
        (1, 0.2, 1),
        (3, 0.2, 1),
        (5, 0.3, 2),
        (50, 0.29, 15),
        (10, 0.8, 8),
        (4, 1.0, 4),
        (7, 0.01, 1),
    ],
)
def test_kept_counts(relevant: int, fraction: float, expected: int) -> None:
    assert kept_counts(np.array([relevant]), fraction).tolist() == [expected]


topics = st.lists(st.lists(st.booleans(), max_size=12), min_size=1, max_size=8)


@given(topics, st.sampled_from([0.05, 0.2, 0.5, 0.8, 1.0]), st.integers(0, 5), st.integers(0, 3))
@settings(deadline=None)
def test_each_topic_keeps_its_share(
    judged: list[list[bool]], fraction: float, sample: int, seed: int
) -> None:
    offsets = np.cumsum([0, *map(len, judged)])
    is_rel = np.array([rel for topic in judged for rel in topic], bool)
    keep = keep_relevant(offsets, is_rel, fraction, sample, seed)
    assert keep[~is_rel].all(), "judgements that are not relevant stay"
    for start, stop in itertools.pairwise(offsets):
        relevant = int(is_rel[start:stop].sum())
        assert (keep & is_rel)[start:stop].sum() == kept_counts(np.array([relevant]), fraction)[0]


def test_samples_differ_and_do_not_depend_on_each_other() -> None:
    offsets, is_rel = np.array([0, 30, 60]), np.ones(60, bool)
    samples = {
        (fraction, sample, seed): keep_relevant(offsets, is_rel, fraction, sample, seed).tobytes()
        for fraction in (0.4, 0.5)
        for sample in (0, 1)
        for seed in (0, 1)
    }
    assert len(set(samples.values())) == len(samples)
    assert samples[0.5, 1, 0] == keep_relevant(offsets, is_rel, 0.5, 1, 0).tobytes()


def test_sampling_is_the_same_everywhere() -> None:
    """Pinned: the same seed keeps the same documents on every platform and with every numpy."""
    keep = keep_relevant(np.array([0, 5, 5, 25]), np.arange(25) % 4 != 3, 0.4, 0, 7)
    assert "".join(map(str, keep.astype(int))) == "1011010110011111000100110"
    long = keep_relevant(np.arange(0, 10_001, 10), np.ones(10_000, bool), 0.2, 2, 0)
    assert hashlib.sha256(np.packbits(long).tobytes()).hexdigest()[:16] == "facbc50e39a6cbc0"


def test_every_document_is_kept_about_equally_often() -> None:
    offsets, is_rel = np.array([0, 10]), np.ones(10, bool)
    times = sum(keep_relevant(offsets, is_rel, 0.3, sample, 0).astype(int) for sample in range(2000))
    assert np.all(np.abs(times - 600) < 4 * np.sqrt(2000 * 0.3 * 0.7))


@pytest.fixture
def pres_eval(capsysbinary: pytest.CaptureFixture[bytes]) -> Command:
    return Command(capsysbinary)


def test_samples_are_what_the_evaluator_gives_on_the_written_qrels(
    pres_eval: Command, tmp_path: Path
) -> None:
    folder = tmp_path / "new" / "folder"
    options = ("--fractions", "0.3,0.7", "--samples", "2", "--cutoffs", "20,100", "--seed", "4")
    measures = ("-m", "map", "-m", "PRES", "-m", "bpref")
    arguments = ("robustness", QRELS, *RUNS, *options, *measures, "--write-qrels", str(folder))
    found = pres_eval.ok(*arguments, "--format", "json").json
    assert [row["measure"] for row in found["samples"][:4]] == ["map", "PRES_20", "PRES_100", "bpref"]
    assert sorted(path.name for path in folder.iterdir()) == [
        f"qrels.f{percent}.s{sample}.txt" for percent in (30, 70) for sample in (1, 2)
    ]
    full = exact_scores(pres_eval, QRELS)
    for row in found["samples"]:
        qrels = folder / f"qrels.f{100 * row['fraction']:g}.s{row['sample']}.txt"
        scores = exact_scores(pres_eval, str(qrels))
        label = row["measure"]
        assert row["tau_a"] == kendall_tau_a(np.array(full[label]), np.array(scores[label])), (qrels, label)
        judged = [line.split() for line in qrels.read_text().splitlines()]
        assert row["kept"] == sum(int(grade) > 0 for _, _, _, grade in judged)
    for row in found["fractions"]:
        taus = [
            each["tau_a"]
            for each in found["samples"]
            if (each["fraction"], each["measure"]) == (row["fraction"], row["measure"])
        ]
        assert (row["average"], row["lowest"]) == ((taus[0] + taus[1]) / 2, min(taus))


def exact_scores(command: Command, qrels: str) -> dict[str, list[float]]:
    """The scores of all runs with all digits, by measure."""
    measures = ("-m", "map", "-m", "PRES.20,100", "-m", "bpref")
    found = command.ok("compare", qrels, *RUNS, *measures, "--format", "json", "--samples", "1").json
    scores: dict[str, list[float]] = {}
    for row in found["means"]:
        scores.setdefault(row["measure"], []).append(row["mean"])
    return scores


def test_written_qrels_keep_what_is_not_relevant(pres_eval: Command, tmp_path: Path) -> None:
    pres_eval.ok(
        "robustness",
        QRELS,
        *RUNS,
        "-l",
        "2",
        "--samples",
        "1",
        "--fractions",
        "0.5",
        "--write-qrels",
        tmp_path,
    )
    original = [tuple(line.split()) for line in Path(QRELS).read_text().splitlines()]
    written = [tuple(line.split()) for line in (tmp_path / "qrels.f50.s1.txt").read_text().splitlines()]
    assert set(written) < set(original)
    assert written == sorted(written, key=lambda row: (row[0].encode(), row[2].encode()))
    assert {row for row in original if row[3] != "2"} <= set(written)
    for topic in {row[0] for row in original}:
        before, after = (
            sum(row[0] == topic and row[3] == "2" for row in rows) for rows in (original, written)
        )
        assert after == kept_counts(np.array([before]), 0.5)[0]


def test_order_of_lines_and_of_runs_does_not_matter(pres_eval: Command, tmp_path: Path) -> None:
    turned = tmp_path / "qrels"
    turned.write_text("".join(reversed(Path(QRELS).read_text().splitlines(keepends=True))))
    options = ("--samples", "2", "--format", "csv")
    first = pres_eval.ok("robustness", QRELS, *RUNS, *options).out
    assert pres_eval.ok("robustness", turned, *reversed(RUNS), *options).out == first
    assert pres_eval.ok("robustness", QRELS, *RUNS, *options, "--seed", "1").out != first


def test_everything_kept_is_the_same_ranking(pres_eval: Command) -> None:
    rows = pres_eval.ok("robustness", QRELS, *RUNS, "--fractions", "1", "--format", "csv").rows
    assert {row["tau_a"] for row in rows} == {"1.0"}


@pytest.mark.parametrize("coefficient", ["tau_b", "spearman", "tau_ap", "tau_ap_b"])
def test_other_coefficients(pres_eval: Command, coefficient: str) -> None:
    arguments = (
        "robustness",
        QRELS,
        *RUNS,
        "--coefficient",
        coefficient,
        "--cutoffs",
        "100",
        "--samples",
        "1",
    )
    rows = pres_eval.ok(*arguments, "--format", "csv").rows
    assert len(rows) == 4 * 3
    assert all(-1 <= float(row[coefficient]) <= 1 for row in rows)


def test_table_is_that_of_the_paper(pres_eval: Command) -> None:
    text = pres_eval.ok("robustness", QRELS, *RUNS, "--cutoffs", "50,100").out
    assert text.startswith("Kendall τ-a with the full ranking, average of the samples\n\nrelevant ")
    labels = text.splitlines()[2].split()[1:]
    assert labels == ["map_cut_50", "map_cut_100", "recall_50", "recall_100", "PRES_50", "PRES_100"]
    assert [line.split("  ")[0] for line in text.splitlines()[4:8]] == ["20 %", "40 %", "60 %", "80 %"]


def test_plot_draws_a_panel_a_cutoff(pres_eval: Command, tmp_path: Path) -> None:
    picture = tmp_path / "p.svg"
    pres_eval.ok(
        "robustness", QRELS, *RUNS, "--cutoffs", "50,100", "-m", "PRES", "-m", "map", "--plot", picture
    )
    text = picture.read_text()
    for words in ("cutoff 50", "cutoff 100", "no cutoff", "PRES (lowest)", "map (lowest)"):
        assert f">{words}<" in text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--fractions", "0,1"), 1, "found '0,1', expected fractions such as 0.2,0.4,0.6,0.8"),
        (("--fractions", "x"), 1, "found 'x', expected fractions"),
        (("-m", "num_ret"), 1, "-m num_ret: none of these is a score"),
        (("-R", "prefs"), 1, "-R prefs: this command takes -R qrels alone"),
        (("--write-qrels", QRELS), 2, "cannot be made a folder"),
    ],
)
def test_wrong_options(pres_eval: Command, arguments: tuple[str, ...], code: int, message: str) -> None:
    called = pres_eval("robustness", QRELS, *RUNS, *arguments)
    assert (called.code, called.out) == (code, "")
    assert message in called.err
