"""Options that change numbers are in the record of an evaluation: a baseline made with others fails."""

from __future__ import annotations

import shlex
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from support.commands import Command
from support.gate_files import FILES, run

from pres_eval.cli.gating import GateOptions
from pres_eval.cli.job import EvaluateOptions

TWICE = FILES["a"] + "q01 Q0 other1 13 0 a\n"
TIED = "".join(f"q{topic:02} Q0 {name} 1 1 a\n" for topic in range(1, 11) for name in ("x", "relevant", "a"))


@dataclass(frozen=True)
class Changed:
    """An option of a baseline, and what differs now.

    before, now  options of both calls
    words        of the message
    files        that are there for both, besides those of the scenarios
    later        files that have other contents now
    run          file of the run
    """

    before: str
    now: str
    words: str
    files: dict[str, str] = field(default_factory=dict)
    later: dict[str, str] = field(default_factory=dict)
    run: str = "a"


NUMBERS = {topic: f"q{topic:02} {{}}\n" for topic in range(1, 11)}


def numbers(number: int) -> str:
    return "".join(line.format(number) for line in NUMBERS.values())


CHANGED = {
    "complete": Changed("-c -m map", "-m map", "-c on (now off)"),
    "topics": Changed("--topics all -m map", "-m map", "-c on (now off)"),
    "relevance_level": Changed("-l 1 -m map", "-l 0 -m map", "-l 1 (now 0)"),
    "judged_only": Changed("-m map", "-J -m map", "-J off (now on)"),
    "num_docs_in_coll": Changed("-N 100 -m map", "-N 200 -m map", "-N 100 (now 200)"),
    "size_file": Changed(
        "--size-file n -m rnorm -m map", "--size-file n -m rnorm -m map",
        "--size-file n (its contents differ now)",
        {"n": numbers(100)}, {"n": numbers(200)},
    ),
    "nmax_file": Changed(
        "--nmax-file n -m PRES_budget", "--nmax-file n -m PRES_budget",
        "--nmax-file n (its contents differ now)", {"n": numbers(10)}, {"n": numbers(20)},
    ),
    "max_retrieved": Changed("-M 5 -m map", "-M 6 -m map", "-M 5 (now 6)"),
    "duplicates": Changed(
        "--duplicates first -m map", "--duplicates best -m map", "--duplicates first (now best)",
        {"twice": TWICE}, run="twice",
    ),
    "empty": Changed("--empty zero -m map", "--empty skip -m map", "--empty zero (now skip)"),
    "compat": Changed("--compat 9.0.8 -m map", "--compat 10.0 -m map", "--compat 9.0.8 (now 10.0)"),
    "relevance_format": Changed(
        "-R qrels -m map", "-R qrels_float -m map", "-R qrels (now qrels_float)"
    ),
    "ties": Changed(
        "--ties best -m map", "--ties worst -m map", "--ties best (now worst)", {"tied": TIED}, run="tied"
    ),
    "debug": Changed("-D 1.q01 -m map", "-m map", "-D q01 (now none)"),
    "map_docs": Changed(
        "--map-docs d -m map", "--map-docs d -m map", "--map-docs d (its contents differ now)",
        {"d": "other1 other2\n"}, {"d": "other1 other3\n"},
    ),
    "map_ranks": Changed(
        "--map-docs d --map-ranks kept -m map", "--map-docs d -m map", "--map-ranks kept",
        {"d": "other1 other2\n"},
    ),
    "exclude": Changed(
        "--exclude x -m map", "--exclude x -m map", "--exclude x (its contents differ now)",
        {"x": "q01 other1\n"}, {"x": "q02 other1\n"},
    ),
    "exclude_from": Changed(
        "--exclude x --exclude-from run -m map", "--exclude x -m map", "--exclude-from run",
        {"x": "q01 other1\n"},
    ),
    "weights": Changed(
        "--weights heavy -m map", "--weights heavy -m map", "--weights heavy (its contents differ now)",
        {}, {"heavy": FILES["heavy"].replace("q10 10", "q10 1")},
    ),
    "groups": Changed(
        "--groups halves -m map", "--groups halves -m map", "cannot be compared: its groups changed",
        {}, {"halves": FILES["halves"].replace("q10 tail", "q10 head")},
    ),
    "document_scores": Changed(
        "--document-scores s -m urbp", "--document-scores s -m urbp",
        "--document-scores s (its contents differ now)",
        {"s": "q01 0 relevant 0.5\n"}, {"s": "q01 0 relevant 0.25\n"},
    ),
    "measures": Changed("-m map -m P.5", "-m map", "P_5: computed earlier, not now (-m)"),
    "nmax": Changed("--nmax 100 -m PRES", "--nmax 50 -m PRES", "PRES_100: computed earlier, not now (-m)"),
    "bounds": Changed("--bounds -m map", "-m map", "map(bound=greatest): computed earlier, not now (-m)"),
    "bounds_of": Changed(
        "--bounds all,max_rel=2 -m map", "--bounds all,max_rel=3 -m map",
        "max_rel=2): computed earlier, not now",
    ),
    "protocol": Changed(
        "--protocol trec-dl -m map", "-m map", "-l 2 (now 1)",
        {"qrels": FILES["qrels"].replace(" 1\n", " 2\n")},
    ),
    "grades": Changed(
        "--grades yes=1 -m map", "--grades yes=2 -m map", "the judgements changed",
        {"qrels": FILES["qrels"].replace(" 1\n", " yes\n")},
    ),
    "columns": Changed(
        "--columns topic=1,docno=3,relevance=4 -m map", "--columns topic=1,docno=3,relevance=5 -m map",
        "the judgements changed", {"qrels": FILES["qrels"].replace(" 1\n", " 1 2\n")},
    ),
    "qrels": Changed("-m map", "-m map", "the judgements changed", {}, {"qrels": FILES["changed"]}),
    "runs": Changed("-m map", "-m map", "map, all: fell", {}, {"a": run("a", [3] * 10)}),
}  # fmt: skip
"""Options by field, with a change of each that has to fail."""

NO_NUMBERS = {
    "names": "names of runs",
    "keep_going": "runs that cannot be read have no numbers",
    "quiet": "messages",
    "jobs": "speed",
    "help_wanted": "help",
    "help_all": "help",
    "version_wanted": "version",
    "per_topic": "what is printed",
    "no_summary": "what is printed",
    "zscore_file": "what is printed: gates compare the values themselves",
    "results_format": "how the file of a run is read",
    "old_format": "without effect",
    "output_format": "what is printed",
    "intervals": "more values beside those that are compared",
    "sort": "the order of a table",
    "transpose": "the form of a table",
    "output": "where results go",
    "cluster": "where runs are read",
    "cluster_timeout": "where runs are read",
    "check_duplicates": "an error or none",
    "style": "the form of a table",
    "fit": "the form of a table",
    "digits": "the form of a table",
    "signature": "what is printed",
    **{name: "a gate itself" for name, _ in GateOptions.fields()},
}


def test_each_option_is_in_one_of_the_tables() -> None:
    """One that is new changes numbers, and then fails a baseline that was made without, or does not."""
    fields = {name for name, _ in EvaluateOptions.fields()}
    assert not CHANGED.keys() & NO_NUMBERS.keys()
    assert fields - CHANGED.keys() - NO_NUMBERS.keys() == set()


@pytest.mark.parametrize("name", CHANGED)
def test_a_baseline_made_otherwise_fails(
    name: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capfdbinary: pytest.CaptureFixture[bytes]
) -> None:
    monkeypatch.chdir(tmp_path)
    changed = CHANGED[name]
    command = Command(capfdbinary)
    for file, text in (
        {key: FILES[key] for key in ("qrels", "a", "heavy", "halves")} | changed.files
    ).items():
        Path(file).write_text(text, encoding="utf-8")
    files = ("qrels", changed.run)
    before = command(*shlex.split(changed.before), "--format", "json", "--output", "base.json", *files)
    assert before.code == 0, before.err
    same = command(*shlex.split(changed.before), "--against", "base.json", *files)
    assert same.code == 0, same.err
    for file, text in changed.later.items():
        Path(file).write_text(text, encoding="utf-8")
    now = command(*shlex.split(changed.now), "--against", "base.json", *files)
    assert now.code == 3, now.err
    assert changed.words in now.err
