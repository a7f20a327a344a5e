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
from pres_eval.analysis.robustness import keep_relevant, kept_counts


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


@pytest.mark.slow
def test_samples_are_what_the_evaluator_gives_on_the_written_qrels(call: Command, tmp_path: Path) -> None:
    folder = tmp_path / "new" / "folder"
    options = ("--fractions", "0.3,0.7", "--samples", "2", "--cutoffs", "20,100", "--seed", "4")
    measures = ("-m", "map", "-m", "PRES", "-m", "bpref")
    arguments = ("robustness", "--quiet", QRELS, *RUNS, *options, *measures, "--write-qrels", str(folder))
    found = call.ok(*arguments, "--format", "json").json
    assert [row["measure"] for row in found["samples"][:4]] == ["map", "PRES_20", "PRES_100", "bpref"]
    assert sorted(path.name for path in folder.iterdir()) == [
        f"qrels.f{percent}.s{sample}.txt" for percent in (30, 70) for sample in (1, 2)
    ]
    full = exact_scores(call, QRELS)
    for row in found["samples"]:
        qrels = folder / f"qrels.f{100 * row['fraction']:g}.s{row['sample']}.txt"
        scores = exact_scores(call, str(qrels))
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


@pytest.mark.parametrize(("removed", "becomes"), [("pooled", "-1"), ("unjudged", None), ("nonrelevant", "0")])
def test_written_qrels_keep_what_is_not_relevant(
    call: Command, tmp_path: Path, removed: str, becomes: str | None
) -> None:
    call.ok(
        "robustness",
        "--quiet",
        "--quiet",
        QRELS,
        *RUNS,
        "-l",
        "2",
        "--samples",
        "1",
        "--fractions",
        "0.5",
        "--removed",
        removed,
        "--write-qrels",
        tmp_path,
    )
    original = [tuple(line.split()) for line in Path(QRELS).read_text().splitlines()]
    written = [tuple(line.split()) for line in (tmp_path / "qrels.f50.s1.txt").read_text().splitlines()]
    new = set(written) - set(original)
    gone = set(original) - set(written)
    assert new == {(*row[:3], becomes) for row in gone if becomes is not None}
    assert written == sorted(written, key=lambda row: (row[0].encode(), row[2].encode()))
    assert {row for row in original if row[3] != "2"} <= set(written)
    for topic in {row[0] for row in original}:
        before, after = (
            sum(row[0] == topic and row[3] == "2" for row in rows) for rows in (original, written)
        )
        assert after == kept_counts(np.array([before]), 0.5)[0]


def test_order_of_lines_and_of_runs_does_not_matter(call: Command, tmp_path: Path) -> None:
    turned = tmp_path / "qrels"
    turned.write_text("".join(reversed(Path(QRELS).read_text().splitlines(keepends=True))))
    options = ("--samples", "2", "--format", "csv")
    first = call.ok("robustness", "--quiet", QRELS, *RUNS, *options).out
    assert call.ok("robustness", "--quiet", turned, *reversed(RUNS), *options).out == first
    assert call.ok("robustness", "--quiet", QRELS, *RUNS, *options, "--seed", "1").out != first


def relevant_in(qrels: Path) -> int:
    return sum(int(line.split()[3]) > 0 for line in qrels.read_text().splitlines())


def test_only_infap_tells_pooled_from_unjudged(call: Command) -> None:
    """With nothing else in the pool infAP of thinned judgements is map; of -1 it is not."""
    measures = [text for name in ("infAP", "map", "ndcg", "bpref", "Rprec") for text in ("-m", name)]
    arguments = ("robustness", "--quiet", QRELS, *RUNS, *measures, "--samples", "2", "--format", "json")
    found = {
        removed: call.ok(*arguments, "--removed", removed).json["samples"]
        for removed in ("pooled", "unjudged")
    }
    assert len(found["pooled"]) == 5 * 8
    for pooled, unjudged in zip(found["pooled"], found["unjudged"], strict=True):
        if pooled["measure"] != "infAP":
            assert pooled == unjudged


def test_infap_sees_what_was_pooled(call: Command, tmp_path: Path) -> None:
    for removed in ("pooled", "unjudged"):
        folder = tmp_path / removed
        options = ("--fractions", "0.3", "--samples", "1", "--removed", removed, "--write-qrels", folder)
        call.ok("robustness", "--quiet", QRELS, *RUNS, *options)
        lines = call.ok("-m", "infAP", "-m", "map", folder / "qrels.f30.s1.txt", RUNS[0]).out
        map_, inferred = (line.split()[-1] for line in lines.splitlines())
        assert (map_ == inferred) == (removed == "unjudged")


def test_thinning_all_grades(call: Command, tmp_path: Path) -> None:
    call.ok(
        "robustness", "--quiet", QRELS, *RUNS, "--thin", "all", "--removed", "unjudged", "--fractions", "0.5",
        "--samples", "1", "--write-qrels", tmp_path,
    )  # fmt: skip
    original = [line.split() for line in Path(QRELS).read_text().splitlines()]
    written = [line.split() for line in (tmp_path / "qrels.f50.s1.txt").read_text().splitlines()]
    for topic in {row[0] for row in original}:
        for relevant, least in ((True, 1), (False, 10)):
            before, after = (
                sum(row[0] == topic and (int(row[3]) > 0) == relevant for row in rows)
                for rows in (original, written)
            )
            assert after == kept_counts(np.array([before]), 0.5, least)[0]


def test_nothing_taken_out_is_said_where_runs_tie(call: Command, tmp_path: Path) -> None:
    """success_1 ties runs, so τ-a stays below 1 with all judgements: the table says so, the picture too."""
    text = call.ok("robustness", "--quiet", QRELS, *RUNS, RUNS[0], "-m", "map", "--samples", "1").out
    full = next(line for line in text.splitlines() if line.startswith("100 %"))
    assert full.split()[2] == "0.8333"
    assert "map: runs tie, so that tau_a can't reach 1" in text
    arguments = (
        "robustness",
        "--quiet",
        QRELS,
        *RUNS,
        RUNS[0],
        "-m",
        "map",
        "--samples",
        "1",
        "--coefficient",
        "tau_b",
    )
    assert "100 %" in call.ok(*arguments).out
    assert "can't reach" not in call.ok(*arguments).out


def test_pools_of_less_depth_are_what_the_evaluator_gives(call: Command, tmp_path: Path) -> None:
    found = call.ok(
        *("robustness", "--quiet", QRELS, *RUNS, "--depths", "5,20", "--samples", "1", "-m", "map"),
        *("-m", "PRES", "--cutoffs", "100", "--format", "json"),
    ).json  # fmt: skip
    ranks: dict[tuple[str, str], int] = {}
    for run in RUNS:
        for topic, rows in itertools.groupby(
            (line.split() for line in Path(run).read_text().splitlines()), key=lambda row: row[0]
        ):
            ordered = sorted(rows, key=lambda row: (float(row[4]), row[2]), reverse=True)
            for rank, row in enumerate(ordered, 1):
                key = (topic, row[2])
                ranks[key] = min(rank, ranks.get(key, rank))
    full = scores_of(call, QRELS)
    for depth in (5, 20):
        lines = [line.split() for line in Path(QRELS).read_text().splitlines()]
        kept = [row for row in lines if ranks.get((row[0], row[2]), 9999) <= depth]
        qrels = tmp_path / f"depth{depth}"
        qrels.write_text("".join(" ".join(row) + "\n" for row in kept))
        scores = scores_of(call, str(qrels))
        for row in found["depths"]:
            if row["depth"] == depth:
                assert row["judged"] == len(kept)
                assert row["relevant"] == relevant_in(qrels)
                label = row["measure"]
                assert row["tau_a"] == kendall_tau_a(np.array(full[label]), np.array(scores[label]))


def scores_of(command: Command, qrels: str) -> dict[str, list[float]]:
    """The scores of the runs with all digits over all topics of the full qrels, by measure."""
    scores: dict[str, list[float]] = {}
    for run in RUNS:
        row = command.ok("--quiet", "--format", "csv", "-m", "map", "-m", "PRES.100", qrels, run).rows[-1]
        for label in ("map", "PRES_100"):
            scores.setdefault(label, []).append(float(row[label]))
    return scores


def test_a_run_left_out_loses_what_it_alone_found(call: Command, tmp_path: Path) -> None:
    arguments = ("robustness", "--quiet", QRELS, *RUNS, "--samples", "1", "-m", "map", "--format", "json")
    rows = call.ok(*arguments, "--leave-out", "run", "--pool-depth", "1000").json["left_out"]
    assert [row["run"] for row in rows] == ["keyword", "broad", "semantic"]
    documents = [
        {(line.split()[0], line.split()[2]) for line in Path(run).read_text().splitlines()} for run in RUNS
    ]
    lines = [line.split() for line in Path(QRELS).read_text().splitlines()]
    for number, row in enumerate(rows):
        others = set().union(*(found for place, found in enumerate(documents) if place != number))
        gone = [one for one in lines if (one[0], one[2]) in documents[number] - others]
        assert row["unique"] == len(gone)
        assert row["unique_relevant"] == sum(int(one[3]) > 0 for one in gone)
        qrels = tmp_path / row["run"]
        qrels.write_text("".join(" ".join(one) + "\n" for one in lines if one not in gone))
        score = call.ok("--format", "csv", "-m", "map", qrels, RUNS[number]).rows[-1]["map"]
        assert row["without"] == float(score)
    together = call.ok(
        *arguments, "--leave-out", "group", "--group", "text", "*e*", "--group", "rest", "broad"
    ).json
    assert [(row["group"], row["run"]) for row in together["left_out"]] == [
        ("text", "keyword"),
        ("text", "semantic"),
        ("rest", "broad"),
    ]


def test_everything_kept_is_the_same_ranking(call: Command) -> None:
    rows = call.ok("robustness", "--quiet", QRELS, *RUNS, "--fractions", "1", "--format", "csv").rows
    assert {row["tau_a"] for row in rows} == {"1.0"}


def test_the_best_of_a_measure_that_falls_are_its_lowest(call: Command) -> None:
    """τ_AP weighs the top most, so it has to know which end that is; so do positions."""
    arguments = (
        "robustness",
        "--quiet",
        QRELS,
        *RUNS,
        "-m",
        "last_rel",
        "--fractions",
        "0.4",
        "--samples",
        "1",
    )
    options = ("--coefficient", "tau_ap", "--depths", "2", "--leave-out", "run", "--format", "json")
    found = call.ok(*arguments, *options).json
    scores = {row["run"]: row["score"] for row in found["left_out"]}
    places = {row["run"]: row["position"] for row in found["left_out"]}
    assert sorted(scores, key=lambda run: scores[run]) == sorted(places, key=lambda run: places[run])
    assert len(set(scores.values())) == 3


@pytest.mark.parametrize("coefficient", ["tau_b", "spearman", "tau_ap", "tau_ap_b"])
def test_other_coefficients(call: Command, coefficient: str) -> None:
    arguments = (
        "robustness",
        "--quiet",
        QRELS,
        *RUNS,
        "--coefficient",
        coefficient,
        "--cutoffs",
        "100",
        "--samples",
        "1",
    )
    rows = call.ok(*arguments, "--format", "csv").rows
    assert len(rows) == 4 * 3
    assert all(-1 <= float(row[coefficient]) <= 1 for row in rows)


def test_table_is_that_of_the_paper(call: Command) -> None:
    text = call.ok("robustness", "--quiet", QRELS, *RUNS, "--cutoffs", "50,100").out
    assert text.startswith("Kendall τ-a with the full ranking, average of the samples\n\nrelevant ")
    labels = text.splitlines()[2].split()[1:]
    assert labels == ["map_cut_50", "map_cut_100", "recall_50", "recall_100", "PRES_50", "PRES_100"]
    assert [line.split("  ")[0] for line in text.splitlines()[4:8]] == ["20 %", "40 %", "60 %", "80 %"]


@pytest.mark.slow
def test_plot_draws_a_panel_a_cutoff(call: Command, tmp_path: Path) -> None:
    picture = tmp_path / "p.svg"
    call.ok(
        *("robustness", "--quiet", QRELS, *RUNS, "--cutoffs", "50,100", "-m", "PRES", "-m", "map"),
        *("-m", "PRES(rel=2)@50", "--plot", picture),
    )
    text = picture.read_text()
    for words in (
        *("cutoff 50", "cutoff 100", "no cutoff"),
        *("PRES (lowest)", "map (lowest)", "PRES(rel=2) (lowest)"),
    ):
        assert f">{words}<" in text


@pytest.mark.parametrize(
    ("arguments", "code", "message"),
    [
        (("--fractions", "0,1"), 1, "found '0,1', expected fractions such as 0.2,0.4,0.6,0.8"),
        (("--fractions", "x"), 1, "found 'x', expected fractions"),
        (("-m", "num_ret"), 1, "-m num_ret: none of these is a score"),
        (("-R", "prefs"), 1, "-R prefs: this command takes -R qrels alone"),
        (("--leave-out", "group"), 1, "no groups: expected --group NAME PATTERN"),
        (("--leave-out", "group", "--group", "A", "x*"), 1, "--group A x*: matches no run"),
        (("--group", "A", "x*"), 1, "--group goes with --leave-out group"),
        (("--write-qrels", QRELS), 2, "this folder cannot be created"),
    ],
)
def test_wrong_options(call: Command, arguments: tuple[str, ...], code: int, message: str) -> None:
    called = call("robustness", "--quiet", QRELS, *RUNS, *arguments)
    assert (called.code, called.out) == (code, "")
    assert message in called.err


def test_one_run_has_no_order(call: Command) -> None:
    called = call("robustness", "--quiet", QRELS, RUNS[0])
    assert (called.code, called.out) == (1, "")
    assert "only one run: expected at least two" in called.err


def test_relevant_documents_are_those_at_the_level(call: Command) -> None:
    options = ("-m", "map", "--samples", "1", "--fractions", "0.5", "--quiet")
    grades = [int(line.split()[3]) for line in Path(QRELS).read_text().splitlines()]
    for level in (1, 2):
        out = call.ok("robustness", QRELS, *RUNS, *options, "-l", str(level)).out
        assert f"(3 runs, {sum(grade >= level for grade in grades)} relevant documents, " in out
