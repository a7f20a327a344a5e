"""Values over groups of topics, and means with weights: equal to what is made by hand on the files."""

from __future__ import annotations

import json
import math
import random
from pathlib import Path

import pytest
from support.commands import QRELS, RUNS, Command

import pres_eval as pe
from pres_eval.errors import InputError, PresEvalError

MEASURES = ["all_trec", "PRES", "gm_map", "num_q"]


def only(path: str, topics: set[str], to: Path) -> str:
    """The lines of a file that are of some topics."""
    lines = Path(path).read_text().splitlines(keepends=True)
    to.write_text("".join(line for line in lines if line.split()[0] in topics))
    return str(to)


@pytest.mark.parametrize("seed", range(8))
@pytest.mark.parametrize("complete", [False, True])
def test_a_group_has_the_values_of_files_with_its_topics_alone(
    tmp_path: Path, seed: int, complete: bool
) -> None:
    rng = random.Random(seed)
    topics = pe.Qrels(QRELS).topics
    lost = set(rng.sample(topics, 2)) if complete else set()
    groups = {topic: rng.sample(["a", "b", "c"], rng.randint(1, 2)) for topic in topics if topic not in lost}
    groups |= {topic: ["a"] for topic in lost}
    run = only(RUNS[1], set(topics) - lost, tmp_path / "run")
    found = pe.evaluate(QRELS, run, MEASURES, complete=complete, groups=groups)
    whole = pe.evaluate(QRELS, run, MEASURES, complete=complete)
    assert found.summary == whole.summary and found.to_dict() == whole.to_dict()
    names = sorted({name for own in groups.values() for name in own})
    assert sorted(found.groups) == sorted([*names, "macro", "worst"])
    for name in names:
        own = {topic for topic in topics if name in groups[topic]}
        if own <= lost:
            continue
        alone = pe.evaluate(
            only(QRELS, own, tmp_path / "qrels"),
            only(run, own, tmp_path / "own"),
            MEASURES,
            complete=complete,
        )
        assert found.groups[name] == alone.summary, name
    maps = [found.groups[name]["map"] for name in names]
    assert found.groups["macro"]["map"] == pytest.approx(sum(maps) / len(maps), abs=1e-15)  # type: ignore[arg-type]
    assert found.groups["worst"]["map"] == min(maps)  # type: ignore[type-var]
    assert "num_rel_ret" not in found.groups["macro"]


@pytest.mark.filterwarnings("ignore:.*are not in the run")
@pytest.mark.parametrize("complete", [False, True])
def test_weights_are_those_of_a_weighted_mean(tmp_path: Path, complete: bool) -> None:
    rng = random.Random(7)
    topics = pe.Qrels(QRELS).topics
    weights = {topic: rng.choice([0, 1, 2.5, 10]) for topic in topics}
    run = only(RUNS[2], set(topics[2:]), tmp_path / "run")
    plain = pe.evaluate(QRELS, run, ["map", "P.10", "num_rel_ret", "gm_map"], complete=complete)
    found = pe.evaluate(
        QRELS, run, ["map", "P.10", "num_rel_ret", "gm_map"], complete=complete, weights=weights
    )
    over = topics if complete else topics[2:]
    for label in ("map", "P_10"):
        values = dict(zip(plain.topics, plain.per_topic(label).tolist(), strict=True))
        wanted = math.fsum(weights[topic] * values.get(topic, 0) for topic in over)
        assert found[label] == pytest.approx(wanted / math.fsum(weights[topic] for topic in over))
    assert found["num_rel_ret"] == plain["num_rel_ret"] and found["gm_map"] == plain["gm_map"]
    same = pe.evaluate(QRELS, run, ["all_trec"], complete=complete, weights=dict.fromkeys(topics, 1))
    assert same.summary == pe.evaluate(QRELS, run, ["all_trec"], complete=complete).summary


def test_weights_go_with_groups(tmp_path: Path) -> None:
    topics = pe.Qrels(QRELS).topics
    weights = {topic: number + 1.0 for number, topic in enumerate(topics)}
    groups = {topic: "head" if number < 5 else "tail" for number, topic in enumerate(topics)}
    found = pe.evaluate(QRELS, RUNS[0], "map", weights=weights, groups=groups)
    values = dict(zip(found.topics, found.per_topic("map").tolist(), strict=True))
    total = sum(weights[topic] for topic in topics[:5])
    wanted = sum(weights[topic] * values[topic] for topic in topics[:5]) / total
    assert found.groups["head"]["map"] == pytest.approx(wanted)


def test_the_command_prints_them_in_every_format(command: Command, tmp_path: Path) -> None:
    topics = pe.Qrels(QRELS).topics
    file = tmp_path / "groups.tsv"
    file.write_text("".join(f"{topic}\t{'head' if topic < topics[4] else 'tail'}\n" for topic in topics))
    wanted = pe.evaluate(QRELS, RUNS[0], ["map", "num_ret"], groups=str(file))
    called = ("-m", "map", "-m", "num_ret", "--groups", file, QRELS, RUNS[0])
    lines = [line.split() for line in command.ok(*called).out.splitlines()]
    assert [line[0] for line in lines] == [
        "num_ret", "map", "num_ret[head]", "num_ret[tail]",
        "map[head]", "map[tail]", "map[macro]", "map[worst]",
    ]  # fmt: skip
    assert {line[0]: line[2] for line in lines}["map[head]"] == f"{wanted.groups['head']['map']:.4f}"
    [row] = command.ok(*called, "--format", "csv").rows
    assert float(row["map[tail]"]) == wanted.groups["tail"]["map"]
    [run] = json.loads(command.ok(*called, "--format", "json").out)["runs"]
    assert run["groups"]["tail"] == {"topics": 8, "summary": wanted.groups["tail"]}
    assert run["macro"] == wanted.groups["macro"]
    assert run["worst"]["map"]["value"] == wanted.groups["worst"]["map"]
    assert run["worst"]["map"]["group"] in ("head", "tail")
    assert "map[head]" in command.ok(*called, "--format", "table", "--style", "plain").out
    # Topic lines are those of the run; groups are summaries.
    assert command.ok("-q", *called).out.startswith(command.ok("-q", "-n", *called).out)
    assert "[" not in command.ok("-q", "-n", *called).out


def test_what_is_lacking_is_said(command: Command, tmp_path: Path) -> None:
    topics = pe.Qrels(QRELS).topics
    file = tmp_path / "groups"
    file.write_text("".join(f"{topic} {'a' if number else 'b'}\n" for number, topic in enumerate(topics)))
    run = only(RUNS[0], set(topics[1:]), tmp_path / "run")
    called = command("-m", "map", "--groups", file, QRELS, run)
    assert called.code == 0 and "no topic of the groups 'b': they have no values" in called.err
    assert "map[a]" in called.out and "map[b]" not in called.out and "macro" not in called.out
    weights = tmp_path / "weights"
    weights.write_text("".join(f"{topic} {int(number > 0)}\n" for number, topic in enumerate(topics)))
    weighed = ("-m", "map", "--groups", file, "--weights", weights)
    called = command(*weighed, "--fail-under", "map[b]=0", QRELS, RUNS[0])
    assert called.code == 3 and "no topic of the groups 'b' weighs more than 0: they have" in called.err
    assert "nan" not in called.out + called.err and "map[b]: no value" in called.err
    file.write_text(f"{topics[0]} a\nelsewhere b\n")
    called = command("-m", "map", "--groups", file, QRELS, RUNS[0])
    assert "topics of the judgements without a group: 11 (such as" in called.err
    assert "topics of it without judgements: 1 (such as 'elsewhere')" in called.err
    file.write_text("elsewhere b\n")
    called = command("-m", "map", "--groups", file, QRELS, RUNS[0])
    assert called.code == 2 and "expected topics of the judgements, such as" in called.err
    file.write_text(f"{topics[0]} 1\n")
    called = command("-m", "map", "--weights", file, QRELS, RUNS[0])
    assert called.code == 2 and "no weight for 11 of 12 topics, such as" in called.err


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"groups": 3}, "groups: found int, expected a path, or a dict by topic"),
        ({"groups": {"PAC-1001": 3}}, "found 3, expected the name of a group"),
        ({"groups": {"PAC-1001": "a b"}}, "group 'a b', expected a name without blanks"),
        ({"weights": {"PAC-1001": "x"}}, "weight 'x', expected a number of at least 0"),
        ({"weights": {"PAC-1001": 1}}, "no weight for 11 of 12 topics"),
        ({"weights": [1, 2]}, "weights: found list, expected a path, or a dict by topic"),
        ({"groups": "/nowhere/groups"}, "/nowhere/groups: no such file"),
    ],
)
def test_mistakes_are_named(arguments: dict[str, object], message: str) -> None:
    with pytest.raises(PresEvalError) as raised:
        pe.evaluate(QRELS, RUNS[0], "map", **arguments)  # type: ignore[arg-type]
    assert message in str(raised.value)
    assert isinstance(raised.value, InputError) or "expected" in str(raised.value)


def test_the_worst_group_has_the_highest_value_where_less_is_better() -> None:
    qrels, run = {"1": {"a": 1}, "2": {"b": 1}}, {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 2.0, "b": 1.0}}
    groups = pe.evaluate(qrels, run, ["last_rel", "P.1"], groups={"1": "x", "2": "y"}).groups
    assert groups["worst"] == {"last_rel": 2.0, "P_1": 0.0}
