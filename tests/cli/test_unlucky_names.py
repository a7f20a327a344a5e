"""Topics and judgements with unlucky names: blanks of Unicode, `all`, and measures of another format."""

from __future__ import annotations

from pathlib import Path

import pytest
from support.commands import Command

BLANKS = ("\u00a0", "\u0085", "\u2028", "\u3000", "\x1c", "\x1f")


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    return call


def write_topics(*topics: str) -> None:
    """Files of these topics, in which the first has the value 1, the second 0.5, the third 1/3 of map."""
    Path("qrels").write_text("".join(f"{topic} 0 a 1\n" for topic in topics))
    lines = [
        f"{topic} Q0 {'a' if place == rank else place} {place} {9 - place} tag\n"
        for rank, topic in enumerate(topics)
        for place in range(len(topics))
    ]
    Path("run").write_text("".join(lines))


@pytest.mark.parametrize("blank", BLANKS)
@pytest.mark.parametrize("separator", [" ", "\t", ","])
def test_blanks_of_unicode_are_letters(blank: str, separator: str, call: Command) -> None:
    first, second = f"a{blank}b", f"a{blank}c"
    write_topics(first, second)
    Path("groups").write_text(f"{first}{separator}g{blank}h\n{second}{separator}x\n")
    Path("weights").write_text(f"{first}{separator}3\n{second}{separator}1\n")
    called = call(
        "-m", "map", "--groups", "groups", "--weights", "weights", "qrels", "run", "--format", "csv"
    )
    assert called.code == 0, called.err
    header, values = called.out.split("\n")[:2]
    assert header.count(",") == values.count(",") and values.endswith(",0.875,1.0,0.5,0.75,0.5")
    assert called.err == ""


def test_expect_with_a_topic_called_all(call: Command) -> None:
    write_topics("1", "all", "x")
    Path("second").write_text(Path("run").read_text().replace("tag", "other").replace(" a ", " b ", 1))
    for runs in (["run"], ["run", "second"]):
        for options in (["-q"], ["-q", "-m", "map", "-m", "P.5"], ["-q", "-c", "-m", "map"], ["-m", "map"]):
            Path("expected").write_text(call("--quiet", *options, "qrels", *runs).out)
            again = call("--quiet", *options, "--expect", "expected", "qrels", *runs)
            assert again.code == 0, again.err
            Path("expected").write_text(Path("expected").read_text().replace("0.5000", "0.5001"))
            if "0.5001" in Path("expected").read_text():
                assert call("--quiet", *options, "--expect", "expected", "qrels", *runs).code == 3


def test_lines_of_trec_eval_of_several_runs(call: Command) -> None:
    """Without names of runs: the lines of the first, then those of the second."""
    write_topics("1", "all", "x")
    Path("second").write_text(Path("run").read_text().replace("tag", "other").replace(" a ", " b ", 1))
    lines = [call("-q", "-m", "map", "qrels", run).out for run in ("run", "second")]
    Path("expected").write_text("".join(lines))
    assert call("--quiet", "-q", "-m", "map", "--expect", "expected", "qrels", "run", "second").code == 0
    Path("expected").write_text("".join(reversed(lines)))
    assert call("--quiet", "-q", "-m", "map", "--expect", "expected", "qrels", "run", "second").code == 3


def test_measures_of_strata_with_prels(call: Command) -> None:
    Path("prels").write_text("1 a 1 1 0.5\n")
    Path("run").write_text("1 Q0 a 1 1 tag\n")
    called = call("-R", "prels", "-m", "iP.5", "prels", "run")
    assert called.err == "pres-eval: iP: needs -R strata, but the judgements are read with -R prels\n"
    assert called.code == 1


def test_a_baseline_with_a_group_whose_topics_weigh_nothing(call: Command) -> None:
    write_topics("1", "2", "3")
    Path("groups").write_text("1 a\n2 a\n3 b\n")
    Path("weights").write_text("1 1\n2 1\n3 0\n")
    options = ["--quiet", "-m", "map", "--groups", "groups", "--weights", "weights"]
    assert call(*options, "--format", "json", "--output", "old.json", "qrels", "run").code == 0
    called = call(*options, "--against", "old.json", "qrels", "run")
    assert called.code == 0, called.err
    Path("run").write_text(Path("run").read_text().replace("1 Q0 a 0 9", "1 Q0 a 0 -9"))
    assert call(*options, "--against", "old.json", "qrels", "run").code == 3
