"""Each command's record has a field for each of its parameters, under the same name; what options change."""

from __future__ import annotations

import importlib
import inspect
from pathlib import Path

import pytest
from support.commands import Command

from pres_eval.cli.command_options import CommandOptions, Need, Parameter, option
from pres_eval.cli.commands import COMMANDS, command_of
from pres_eval.errors import UsageError

WITHOUT_RECORDS = {"completion", "help", "man", "measures", "protocols"}
"""Commands with so few options that they are arguments of a function."""


@pytest.mark.parametrize("name", [None, *sorted(set(COMMANDS) - WITHOUT_RECORDS)])
def test_an_option_is_said_once(name: str | None) -> None:
    """Each parameter is a field of the command's record, and each field without a value a parameter."""
    module = importlib.import_module(f"pres_eval.cli.{name or 'evaluate'}")
    records = [
        kind
        for kind in vars(module).values()
        if isinstance(kind, type)
        and issubclass(kind, CommandOptions)
        and kind.__doc__
        and command_of(name).help
        if inspect.cleandoc(kind.__doc__) == command_of(name).help
    ]
    assert len(records) == 1
    named = {field for kind in records[0].__mro__ for field in getattr(kind, "__annotations__", {})}
    fields = {field for field in named if isinstance(getattr(records[0], field), Parameter)}
    assert {parameter.name for parameter in command_of(name).params} == fields
    assert len(command_of(name).params) == len(fields)


class Needs(CommandOptions):
    """Options that need another one, whatever their values."""

    number: int | None = option("--number", need=Need(("other",), "--other"), type=int)
    texts: tuple[str, ...] = option("--text", need=Need(("other",), "--other"), multiple=True)
    other: bool = option("--other", is_flag=True)


def test_an_option_of_0_needs_what_others_need() -> None:
    assert vars(Needs.with_defaults()) == {"number": None, "texts": (), "other": False}
    Needs.with_defaults().check_needs()
    Needs.with_defaults(number=0, other=True).check_needs()
    for values in ({"number": 0}, {"texts": ("a",)}):
        with pytest.raises(UsageError, match="goes with --other"):
            Needs.with_defaults(**values).check_needs()


@pytest.mark.parametrize("topic", ["1", "x"])
def test_d_says_when_the_files_have_nothing_in_common(
    topic: str, call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """-D names its topic whether it is in one of the files, or in none."""
    monkeypatch.chdir(tmp_path)
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    (tmp_path / "run").write_text("x Q0 a 1 1 t\n")
    called = call("-D", f"0.{topic}", "qrels", "run")
    assert called.code == 7
    assert called.err == f"pres-eval: run: topic '{topic}' of -D is not in both files\n"


@pytest.mark.parametrize(
    ("name", "found", "missing"),
    [
        *(("relstring", "'100'", "''"), ("relstring.2", "'10'", "'-'"), ("num_ret", "3", "0")),
        *(("rbp_resid", "0.0000", "0.0000"), ("rbp_resid.p=0.5", "0.0000", "1.0000")),
        *(("utility", "-1.0000", "0.0000"), ("utility.1,2,3,4", "-8.0000", "-4.0000")),
        *(("unj.1", "0.0000", "0.0000"), ("map", "0.5000", "0.0000")),
    ],
)
def test_missing_topics_under_10_0_as_trec_eval_prints_them(
    name: str, found: str, missing: str, call: Command, tmp_path: Path
) -> None:
    """One unjudged document is retrieved for them, but some measures without parameters leave that out."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q1 0 a 1\nq1 0 b 0\nq1 0 c 0\nq1 0 d 1\nq2 0 a 1\nq2 0 b 1\n")
    run.write_text("q1 Q0 a 1 3.0 tag\nq1 Q0 b 2 2.0 tag\nq1 Q0 c 3 1.0 tag\n")
    lines = call.ok("--compat", "10.0", "-c", "-q", "-m", name, qrels, run).out.splitlines()
    assert [line.split("\t")[1:] for line in lines[:2]] == [["q1", found], ["q2", missing]]


@pytest.mark.parametrize("name", ["P.5", "map", "Rprec", "recall.5", "utility", "bpref"])
def test_bounds_of_missing_topics_under_10_0_are_their_values(
    name: str, call: Command, tmp_path: Path
) -> None:
    """5.0.0: a document that the run does not have could be relevant."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_text("q1 0 a 1\nq1 0 b 0\nq2 0 a 1\nq2 0 b 1\n")
    run.write_text("q1 Q0 a 1 3.0 tag\nq1 Q0 u 2 2.0 tag\n")
    lines = call.ok("--compat", "10.0", "-c", "-q", "--bounds", "-m", name, qrels, run).out.splitlines()
    values_of_q2 = [line.split("\t")[2] for line in lines if line.split("\t")[1] == "q2"]
    assert len(values_of_q2) == 3 and set(values_of_q2) == {"0.0000"}
