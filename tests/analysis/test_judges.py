"""Judges side by side: κ and α against published examples and others' code; runs under both; pool and
holes."""

from __future__ import annotations

import itertools
import math
import re
from collections.abc import Callable
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.commands import QRELS, RUNS, Command

from pres_eval.analysis.correlation import rbo, tau_ap
from pres_eval.analysis.judged_runs import order_changes
from pres_eval.analysis.judging import cohens_kappa, grade_table, krippendorffs_alpha, raw_agreement
from pres_eval.analysis.paired import PairedScores

N = -1
EXAMPLE = np.array(
    [
        [1, 2, 3, 3, 2, 1, 4, 1, 2, N, N, N],
        [1, 2, 3, 3, 2, 2, 4, 1, 2, 5, N, 3],
        [N, 3, 3, 3, 2, 3, 4, 2, 2, 5, 1, N],
        [1, 2, 3, 3, 2, 4, 4, 1, 2, 5, 1, N],
    ]
)


@pytest.mark.parametrize(
    ("level", "printed"), [("nominal", "0.743"), ("ordinal", "0.815"), ("interval", "0.849")]
)
def test_krippendorffs_published_example(level: str, printed: str) -> None:
    """Computing Krippendorff's Alpha-Reliability, 2011: four observers, twelve units, some not judged."""
    assert f"{krippendorffs_alpha(EXAMPLE, EXAMPLE != N, level):.3f}" == printed


def plain_alpha(grades: list[list[int]], level: str) -> float:
    """α from all pairs of grades, one by one."""
    units = [[g for g in column if g != N] for column in zip(*grades, strict=True)]
    units = [unit for unit in units if len(unit) > 1]
    values = sorted(g for unit in units for g in unit)

    def apart(a: int, b: int) -> float:
        if level == "nominal":
            return float(a != b)
        if level == "interval":
            return float((a - b) ** 2)
        low, high = min(a, b), max(a, b)
        between = sum(low <= g <= high for g in values) - (values.count(a) + values.count(b)) / 2
        return between**2 if a != b else 0.0

    observed = sum(
        apart(a, b) / (len(unit) - 1) for unit in units for a, b in itertools.permutations(unit, 2)
    )
    expected = sum(apart(a, b) for a, b in itertools.permutations(values, 2)) / (len(values) - 1)
    return 1 - observed / expected


@given(st.lists(st.lists(st.integers(-1, 3), min_size=12, max_size=12), min_size=2, max_size=4))
@settings(deadline=None, max_examples=60)
def test_alpha_is_that_of_all_pairs(rows: list[list[int]]) -> None:
    grades = np.array(rows)
    for level in ("nominal", "ordinal", "interval"):
        found = krippendorffs_alpha(grades, grades != N, level)
        many = (grades != N).sum(axis=0) > 1
        if len({g for g in grades[:, many].ravel().tolist() if g != N}) < 2:
            assert math.isnan(found)
        else:
            assert found == pytest.approx(plain_alpha(rows, level), abs=1e-12)


@pytest.mark.slow
@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=4, max_size=60))
@settings(deadline=None)
def test_kappa_is_statsmodels(pairs: list[tuple[int, int]]) -> None:
    from statsmodels.stats.inter_rater import cohens_kappa as theirs

    grades = [*pairs, (0, 1), (1, 2), (2, 3), (3, 0)]  # all grades occur, so their places are their values
    table = grade_table(np.array([a for a, _ in grades]), np.array([b for _, b in grades]))
    for power, weights in ((0, None), (1, "linear"), (2, "quadratic")):
        expected = theirs(table.counts, wt=weights, return_results=False)
        assert cohens_kappa(table, power) == pytest.approx(float(expected), abs=1e-12)
    assert raw_agreement(table) == sum(a == b for a, b in grades) / len(grades)


def test_rbo_by_hand() -> None:
    """Three things, the last two swapped: agreement 1, 1/2, 1."""
    x, y, p = np.array([3.0, 2, 1]), np.array([3.0, 1, 2]), 0.9
    expected = (1 - p) * (1 + 0.5 * p + 1 * p**2) + p**3
    for ties in "wab":
        assert rbo(x, y, p, ties) == pytest.approx(expected, abs=1e-15)
    tied = np.array([1.0, 1.0, 0.0])
    assert rbo(tied, tied, p, "w") == pytest.approx(1)
    assert rbo(tied, tied, p, "b") == pytest.approx(1)
    assert rbo(tied, tied, p, "a") == pytest.approx((1 - p) * (0.5 + p + p**2) + p**3)


@given(st.lists(st.tuples(st.integers(0, 3), st.integers(0, 3)), min_size=1, max_size=5))
@settings(deadline=None, max_examples=40)
def test_rbo_a_is_the_mean_over_all_ways_to_break_ties(pairs: list[tuple[int, int]]) -> None:
    x, y = np.array([a for a, _ in pairs], float), np.array([b for _, b in pairs], float)

    def broken(scores: np.ndarray) -> list[np.ndarray]:
        orders = itertools.permutations(range(len(scores)))
        kept = [o for o in orders if all(scores[a] >= scores[b] for a, b in itertools.pairwise(o))]
        return [-np.argsort(order).astype(float) for order in kept]

    values = [rbo(a, b) for a in broken(x) for b in broken(y)]
    assert rbo(x, y, ties="a") == pytest.approx(math.fsum(values) / len(values), abs=1e-12)


def strict_qrels(folder: Path) -> Path:
    """A second judge who takes grade 1 for nothing, left a topic out, and judged one document more."""
    lines = [line.split() for line in Path(QRELS).read_text().splitlines()]
    topics = sorted({line[0] for line in lines})
    kept = [[t, i, d, "0" if g == "1" else g] for t, i, d, g in lines if t != topics[-1]]
    kept.append([topics[0], "0", "NEW", "2"])
    path = folder / "strict"
    path.write_text("".join(" ".join(line) + "\n" for line in kept))
    return path


def test_judges_command_is_the_evaluator_under_each(call: Command, tmp_path: Path) -> None:
    strict = strict_qrels(tmp_path)
    found = call.ok("judges", QRELS, strict, *RUNS, "-m", "map", "--quiet", "--format", "json").json
    first = {
        tuple(line.split()[::2][:2]): int(line.split()[3]) for line in Path(QRELS).read_text().splitlines()
    }
    second = {tuple(line.split()[::2][:2]): int(line.split()[3]) for line in strict.read_text().splitlines()}
    topics = {topic for topic, _ in first} & {topic for topic, _ in second}
    both = [key for key in first if key in second and key[0] in topics]
    statistics = {row["statistic"]: row["value"] for row in found["agreement"]}
    assert statistics["documents that both judged"] == len(both)
    assert statistics["topics that only some have, left out"] == 1
    assert statistics["agreement: the same grade"] == sum(first[k] == second[k] for k in both) / len(both)
    cells = {(row["first"], row["second"]): row["documents"] for row in found["grades"]}
    assert cells[1, 0] == sum(first[k] == 1 for k in both)
    for run, row in zip(
        RUNS,
        sorted(found["runs"], key=lambda r: ["keyword", "broad", "semantic"].index(r["run"])),
        strict=True,
    ):
        for side, qrels in (("first", Path(QRELS)), ("second", strict)):
            own = tmp_path / f"{side}.qrels"
            own.write_text(
                "".join(line + "\n" for line in qrels.read_text().splitlines() if line.split()[0] in topics)
            )
            score = call.ok("--quiet", "--format", "csv", "-m", "map", own, run).rows[-1]["map"]
            assert row[side] == float(score)
    assert found["orders"][0]["pairs"] == 3


def test_two_runs_have_an_order_too(call: Command, tmp_path: Path) -> None:
    strict = strict_qrels(tmp_path)
    judged = ("judges", QRELS, strict, "-m", "map", "--quiet", "--format", "json")
    assert call.ok(*judged, *RUNS[:2]).json["orders"][0]["pairs"] == 1


def test_a_table_of_several_judges_says_who_is_the_second(call: Command, tmp_path: Path) -> None:
    out = call.ok("judges", QRELS, strict_qrels(tmp_path), "--judge", QRELS, "--quiet").out
    assert "second judge: the one in the first column" in out


def test_titles_stay_whatever_a_judge_is_called(
    call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    strict_qrels(tmp_path).rename("grades")
    out = call.ok("judges", QRELS, "grades", "--judge", QRELS, "--quiet").out
    assert out.startswith(f"Agreement of {QRELS} and each other judge\n")
    assert "Documents that both judged, by their grades\n" in out


def test_judges_of_a_measure_that_falls(call: Command, tmp_path: Path) -> None:
    """The run gains whose last relevant document came nearer; τ_AP and RBO look at the lowest first."""
    arguments: tuple[str | Path, ...] = (
        "judges",
        QRELS,
        strict_qrels(tmp_path),
        *RUNS,
        "-m",
        "last_rel",
        "--quiet",
    )
    found = call.ok(*arguments, "--group", "k", "keyword", "--format", "json").json
    rows = found["runs"]
    changes = [row["change"] for row in rows]
    assert changes == sorted(changes) and len(set(changes)) > 1
    first, second = (np.array([-row[side] for row in rows]) for side in ("first", "second"))
    assert [row["position_first"] for row in rows] == (1 + (first[:, None] < first).sum(axis=1)).tolist()
    order = found["orders"][0]
    assert (order["tau_ap"], order["rbo"]) == (tau_ap(first, second), rbo(first, second))
    topics = [row["change"] for row in found["topic_changes"]]
    assert topics == sorted(topics)
    assert call.ok(*arguments).out.count("less is better: last_rel") == 1
    assert call.ok(*arguments, "--group", "k", "keyword").out.count("less is better: last_rel") == 2


@pytest.mark.slow
def test_judges_plot(call: Command, tmp_path: Path) -> None:
    picture = tmp_path / "j.svg"
    call.ok("judges", QRELS, strict_qrels(tmp_path), *RUNS, "--quiet", "-m", "map", "--plot", picture)
    assert "that both judged" in picture.read_text()


def test_digits_of_statistics(call: Command, tmp_path: Path) -> None:
    """Those of κ and α, of topics, and of power's deviations were four, whatever --digits said."""
    options = ("--quiet", "--digits", "2", "--table")
    judges = ("judges", QRELS, strict_qrels(tmp_path), *options)
    power = ("power", QRELS, *RUNS, "-m", "map", *options)
    for command in ((*judges, "agreement"), (*judges, "topics"), (*power, "sizes")):
        found = re.findall(r"0\.\d+", call.ok(*command).out.partition("---")[2].partition("\n\n")[0])
        assert found and all(len(number) == 4 for number in found), found


def test_a_test_of_ranks_may_contradict_the_means() -> None:
    """Run a is better on 11 of 12 topics to both judges; the swapped pair was called reversed."""
    gain = np.arange(1, 12) / 100
    first, second = (
        PairedScores(
            runs=("a", "b"),
            measures=("map",),
            topics=tuple(str(topic).encode() for topic in range(12)),
            values=np.array([[[*gain, 0.0], [0.0] * 11 + [lost]]]),
            means=np.array([[gain.mean(), lost]]) / 12 * [11, 1],
            num_all_topics=12,
        )
        for lost in (0.9, 0.2)
    )
    counts = ("swapped", "contradicted", "lost", "gained", "reversed")
    (change,) = order_changes(first, second, test="wilcoxon")
    assert [change[count] for count in counts] == [1, 0, 0, 0, 0]
    (change,) = order_changes(second, first, test="wilcoxon")
    assert [change[count] for count in counts] == [1, 1, 0, 0, 0]


@pytest.mark.filterwarnings("error")
def test_judges_of_no_document_in_common(call: Command, tmp_path: Path) -> None:
    """matplotlib warned on stderr, and a note named grades as the reason for numbers that are not there."""
    (tmp_path / "one").write_text("1 0 a 1\n")
    (tmp_path / "two").write_text("1 0 b 1\n")
    called = call.ok("judges", tmp_path / "one", tmp_path / "two", "--plot", tmp_path / "judges.svg")
    assert "or they judged no document both" in called.out


def first_of(run: str, depth: int) -> dict[tuple[str, str], int]:
    found: dict[tuple[str, str], int] = {}
    rows = [line.split() for line in Path(run).read_text().splitlines()]
    for topic in {row[0] for row in rows}:
        own = sorted(
            (row for row in rows if row[0] == topic), key=lambda r: (float(r[4]), r[2]), reverse=True
        )
        found |= {(topic, row[2]): rank for rank, row in enumerate(own[:depth], 1)}
    return found


def test_pool_is_what_the_runs_have_first(call: Command, tmp_path: Path) -> None:
    out = tmp_path / "skeleton"
    rows = call.ok(
        "pool", *RUNS, "--depth", "15", "--judged", QRELS, "--write-qrels", out, "--format", "csv"
    ).rows
    runs = [first_of(run, 15) for run in RUNS]
    judged = {tuple(line.split()[::2][:2]) for line in Path(QRELS).read_text().splitlines()}
    expected = set().union(*runs) - judged
    assert {(row["topic"], row["docno"]) for row in rows} == expected
    for row in rows:
        key = (row["topic"], row["docno"])
        ranks = [run[key] for run in runs if key in run]
        assert (int(row["runs"]), int(row["best_rank"])) == (len(ranks), min(ranks))
        assert float(row["contribution"]) == pytest.approx(sum(0.2 * 0.8 ** (rank - 1) for rank in ranks))
    lines = {tuple(line.split()) for line in out.read_text().splitlines()}
    assert lines == {(topic, "0", document, "-1") for topic, document in expected}


def test_holes_are_listed_of_the_topics_that_are_counted(call: Command, tmp_path: Path) -> None:
    """Those that all runs have, as in the other tables."""
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 a 1\n")
    (tmp_path / "one").write_text("1 Q0 x 1 2 one\n2 Q0 y 1 2 one\n")
    (tmp_path / "other").write_text("1 Q0 z 1 2 other\n")
    files = [tmp_path / name for name in ("qrels", "one", "other")]
    for options, listed in (((), "xz"), (("--topics", "own"), "xyz"), (("-c",), "xyz")):
        found = call.ok("holes", "--quiet", *files, *options, "--documents", "--format", "json").json
        assert "".join(row["docno"] for row in found["documents"] if row["run"] == "one") == listed[:-1]
        assert sum(row["unjudged"] for row in found["runs"]) == len(listed) == len(found["documents"])


def test_holes_are_what_nobody_judged(call: Command) -> None:
    arguments = ("holes", QRELS, *RUNS, "--depth", "7", "--documents", "--format")
    found = call.ok(*arguments, "json").json
    judged = {tuple(line.split()[::2][:2]) for line in Path(QRELS).read_text().splitlines()}
    for run, row in zip(RUNS, found["runs"], strict=True):
        missing = {key for key in first_of(run, 7) if key not in judged}
        assert row["unjudged"] == len(missing)
        listed = {(r["topic"], r["docno"]) for r in found["documents"] if r["run"] == row["run"]}
        assert listed == missing
    cut = call.ok("holes", QRELS, *RUNS, "--depth", "20", "-M", "7", "--documents", "--format", "json").json
    assert (cut["runs"], cut["documents"]) == (found["runs"], found["documents"])


def test_the_topics_with_the_most_holes_come_first(call: Command, tmp_path: Path) -> None:
    """Not those of which the most documents are looked at."""
    judged = "".join(f"1 0 d{rank} 1\n" for rank in range(1, 10))
    ranked = "".join(f"1 Q0 d{rank} {rank} {-rank} r\n" for rank in range(1, 11))
    few = "".join(f"2 Q0 x{rank} {rank} {-rank} r\n" for rank in range(1, 6))
    (tmp_path / "qrels").write_text(judged + "2 0 y 1\n")
    (tmp_path / "run").write_text(ranked + few)
    out = call("holes", "--quiet", tmp_path / "qrels", tmp_path / "run").out
    rows = out[out.index("Topics with the most of them") :].splitlines()[4:6]
    assert [row.split() for row in rows] == [["r", "2", "5", "5"], ["r", "1", "10", "1"]]


def test_a_table_of_twelve_topics_is_whole(call: Command) -> None:
    out = call("judges", "--quiet", QRELS, QRELS).out
    assert out.count("PAC-10") == 12 and " more: --table" not in out


def test_measures_of_a_protocol_need_no_runs(call: Command) -> None:
    """They are not asked for: what a protocol says of grades is all that judges alone need."""
    judges = ("judges", "--quiet", QRELS, QRELS, "--format", "csv")
    graded = call.ok(*judges, "-l", "2").out
    assert call.ok(*judges, "--protocol", "trec-dl").out == graded != call.ok(*judges).out
    assert "-m: no runs" in call(*judges, "-m", "map").err


def judged_runs(folder: Path, judge: Callable[[np.random.Generator, bool, bool], bool]) -> list[Path]:
    """Write qrels, those of a judge, and eight runs from poor to good; the judge sees what is in run 0.

    judge  from whether a document is relevant, and in the first ten of run 0, whether the judge takes it
    """
    rng = np.random.default_rng(7)
    first, second, runs = [], [], [[] for _ in range(8)]  # type: ignore[var-annotated]
    for topic in range(40):
        relevant = np.arange(120) < rng.integers(15, 40)
        orders = [np.argsort(-rng.normal(0, 1, 120) - relevant * run / 3) for run in range(8)]
        liked = set(orders[0][:10].tolist())
        for document in range(120):
            name = f"{topic:02} 0 d{document:03}"
            first.append(f"{name} {int(relevant[document])}\n")
            second.append(f"{name} {int(judge(rng, bool(relevant[document]), document in liked))}\n")
        for run, order in enumerate(orders):
            ranked = enumerate(order[:50].tolist())
            runs[run] += [f"{topic:02} Q0 d{document:03} 0 {-rank} r{run}\n" for rank, document in ranked]
    for name, lines in {
        "first": first,
        "second": second,
        **{f"r{n}": own for n, own in enumerate(runs)},
    }.items():
        (folder / name).write_text("".join(lines))
    return [folder / "first", folder / "second", *(folder / f"r{run}" for run in range(8))]


@pytest.mark.parametrize("kept", [0.75, 0.5])
def test_a_fair_strict_judge_favours_no_group(kept: float, call: Command, tmp_path: Path) -> None:
    """A judge who drops relevant documents at random was said to favour the poorest runs (p < 0.0001)."""
    files = judged_runs(tmp_path, lambda rng, relevant, _: relevant and rng.random() < kept)
    groups = ["--group", "poorest", "r[01]", "--group", "best", "r[67]"]
    rows = call.ok("judges", *files, "-m", "map", "-m", "P.10", *groups, "--format", "json").json["groups"]
    for row in rows:
        assert abs(row["difference"]) > 0.02, "a strict judge takes more from the better runs"
        assert row["expected"] == pytest.approx(row["difference"], abs=0.02)
        assert row["corrected"] > 0.05


def test_the_table_of_groups_shows_what_is_expected_by_the_seed(call: Command, tmp_path: Path) -> None:
    rng = np.random.default_rng(2)
    texts = dict.fromkeys(("first", "second", "r0", "r1"), "")
    for topic in range(6):
        for document in range(12):
            grade = int(rng.random() < 0.4)
            texts["first"] += f"{topic} 0 d{document} {grade}\n"
            texts["second"] += f"{topic} 0 d{document} {grade * int(rng.random() < 0.7)}\n"
            for run in ("r0", "r1"):
                texts[run] += f"{topic} Q0 d{document} 0 {rng.random()} {run}\n"
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    files = [str(tmp_path / name) for name in texts]
    judges = ("judges", *files, "-m", "P.10", "--group", "one", "r0", "--quiet", "--table", "groups")
    cells = {}
    for seed in ("0", "5"):
        (line,) = (x for x in call.ok(*judges, "--seed", seed).out.splitlines() if x.startswith("P_10"))
        *_, cells["difference", seed], cells["expected", seed], _, _ = line.split()
    assert cells["difference", "0"] == cells["difference", "5"]
    assert len({cells["difference", "0"], cells["expected", "0"], cells["expected", "5"]}) == 3


def test_a_judge_with_a_favour_is_found(call: Command, tmp_path: Path) -> None:
    """Beside what a strict judge does to all: 10 % of the first irrelevant documents of a run's are taken."""
    files = judged_runs(
        tmp_path,
        lambda rng, relevant, liked: rng.random() < 0.75 if relevant else liked and rng.random() < 0.1,
    )
    groups = ["--group", "poorest", "r0", "--group", "best", "r[67]"]
    called = call.ok("judges", *files, "-m", "P.10", *groups, "--format", "json")
    poorest, best = called.json["groups"]
    assert poorest["corrected"] < 0.05 and poorest["difference"] > poorest["expected"]
    assert best["corrected"] > 0.05 or best["difference"] < best["expected"]
