"""Options about the collection: what JSON records of them, files as other tools write them, limits."""

from __future__ import annotations

import json
import math
import os
import shlex
import subprocess
import sys
from pathlib import Path

import pytest
from support.commands import Command

QRELS = "1 0 a 1\n1 0 b 0\n2 0 a 1\n3 0 a 0\n"
RUN = "1 Q0 a-1 1 3 r\n1 Q0 a-2 2 2 r\n1 Q0 b-1 3 1 r\n2 Q0 b-1 1 2 r\n2 Q0 a-1 2 1 r\n3 Q0 a-1 1 1 r\n"


@pytest.fixture
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "q").write_text(QRELS)
    (tmp_path / "r").write_text(RUN)
    monkeypatch.chdir(tmp_path)
    return tmp_path


def test_json_records_how_documents_were_mapped_and_excluded(call: Command, folder: Path) -> None:
    """The same options give the same signature, others another one; judgements are counted."""
    (folder / "x").write_text("1 b\n")
    options = ["--map-docs", r"^(.*)-\d+$", "--exclude", "x", "--format", "json", "-m", "map", "q", "r"]
    dense, kept = (
        json.loads(call(*more, *options).out)["signature"]
        for more in ([], ["--map-ranks", "kept", "--exclude-from", "run"])
    )
    assert dense["rules"] == {"map-ranks": "dense", "exclude-from": "both"}
    assert kept["rules"] == {"map-ranks": "kept", "exclude-from": "run"}
    assert dense["judgements"] == {"read": 4, "left": 3}
    assert kept["judgements"] == {"read": 4, "left": 4}
    plain = json.loads(call("--format", "json", "q", "r").out)["signature"]
    assert "rules" not in plain and "judgements" not in plain


def test_gates_name_another_rule_of_mapping(call: Command, folder: Path) -> None:
    """An evaluation with other ranks of mapped documents is not compared without a word."""
    options = ["--map-docs", r"^(.*)-\d+$", "-m", "map", "q", "r"]
    (folder / "old.json").write_text(call("--format", "json", *options).out)
    found = call("--against", "old.json", "--map-ranks", "kept", *options)
    assert "--map-ranks dense" in found.err


@pytest.mark.parametrize(
    "text",
    [
        'chunk,doc\n"a-1","a"\n"a-2","a"\n"b-1","b"\n',
        'a-1,"a"\na-2,"a"\n"b-1",b\n',
        ",chunk,doc\n0,a-1,a\n1,a-2,a\n2,b-1,b\n",
        '\ufeff"";"chunk";"doc"\n"1";"a-1";"a"\n"2";"a-2";"a"\n"3";"b-1";"b"\n',
    ],
    ids=["cells in quotes", "some in quotes", "index of pandas", "row names of Excel"],
)
def test_mappings_as_other_tools_write_them(call: Command, folder: Path, text: str) -> None:
    """Quotes and an unnamed column of row numbers are not part of ids."""
    (folder / "m").write_text(text)
    mapped = call("--map-docs", "m", "-q", "-m", "map", "q", "r")
    assert mapped.out == call("--map-docs", r"^(.*)-\d+$", "-q", "-m", "map", "q", "r").out
    assert "6 of 6 rows mapped" in mapped.err


def test_groups_with_the_index_of_a_pandas_frame(call: Command, folder: Path) -> None:
    """The index is no way to group topics."""
    (folder / "g").write_text(",topic,group\n0,1,head\n1,2,tail\n2,3,tail\n")
    found = call("--groups", "g", "-m", "map", "--map-docs", r"^(.*)-\d+$", "q", "r").out
    assert "map[head]" in found and "map[tail]" in found and "=" not in found


def test_runs_whose_topics_all_weigh_0_are_an_error(call: Command, folder: Path) -> None:
    """Their means would be 0 by 0."""
    (folder / "w").write_text("1 0\n2 1\n3 0\n")
    (folder / "one").write_text("1 Q0 a 1 1 one\n")
    found = call("--weights", "w", "-m", "map", "q", "one")
    assert found.code == 7 and not found.out
    assert "weight 0" in found.err and "-c" in found.err
    assert call("--weights", "w", "-c", "-m", "map", "q", "one").out.split() == [
        "map",
        "all",
        "0.0000",
    ]


def test_a_report_warns_of_groups_without_values(call: Command, folder: Path) -> None:
    """The page of one run had - there, without a word; the evaluator warned."""
    (folder / "g").write_text("1 a\n2 b\n3 b\n")
    (folder / "w").write_text("1 0\n2 1\n3 1\n")
    options = ["--groups", "g", "--weights", "w", "--map-docs", r"^(.*)-\d+$"]
    reported = call("report", "q", "r", *options)
    assert reported.code == 0 and "r: no topic of the groups 'a' weighs more than 0" in reported.err


def test_empty_one_holds_for_geometric_means(call: Command, folder: Path) -> None:
    """A topic worth 1 adds the logarithm of 1, not that of 0.00001."""
    options = ["--map-docs", r"^(.*)-\d+$", "--empty", "one", "-m", "map", "-m", "gm_map", "q", "r"]
    found = dict(line.split()[::2] for line in call(*options).out.splitlines())
    assert found["gm_map"] == f"{math.exp((math.log(1) + math.log(0.5) + math.log(1)) / 3):.4f}"
    assert found["map"] == "0.8333"


def test_missing_topics_that_are_empty_are_worth_1(call: Command, folder: Path) -> None:
    """The hint of -c says what it would do."""
    (folder / "one").write_text("1 Q0 a 1 1 one\n")
    found = call("--empty", "one", "-m", "map", "q", "one")
    assert "-c counts them as 0 (as 1 without relevant documents)" in found.err


ROWS = [("1", "a", 2.5), ("1", "b", 1.5), ("2", "b", 3.5), ("2", "a", 0.5), ("3", "a", 1.25)]


@pytest.mark.parametrize(
    "names", ["Query ID;Doc ID;Score", "QueryId;DocumentId;Score", "QUERY-ID;Doc_Id;score"]
)
def test_names_of_columns_may_be_written_in_other_ways(names: str, call: Command, folder: Path) -> None:
    (folder / "r.csv").write_text(names + "\n" + "".join(f"{t};{d};{s:g}\n" for t, d, s in ROWS))
    assert call("-m", "map", "q", "r.csv").out == "map                   \tall\t0.5000\n"


@pytest.mark.parametrize(
    "text",
    [
        "".join(f'"{topic}","{document}",{score}\n' for topic, document, score in ROWS),
        "".join(f"{topic};{document};{score:g}\n".replace(".", ",") for topic, document, score in ROWS),
        "".join(f"{topic};{document};{score:g}\n".replace(".", ",") for topic, document, score in ROWS)
        + "3;c;1\n3;d;0\n",
        "sep=;\ntopic;passage;score\n"
        + "".join(f"{topic};{document};{score:g}\n" for topic, document, score in ROWS),
        "".join(
            f"{topic},{document},{score},{place}\n" for place, (topic, document, score) in enumerate(ROWS)
        ),
        json.dumps([dict(zip(("query_id", "doc_id", "score"), row, strict=True)) for row in ROWS]),
        json.dumps([dict(zip(("qid", "docno", "score"), row, strict=True)) for row in ROWS], indent=1),
        json.dumps([{"query_id": "1", "doc_id": f"{'x' * 90}{n}", "score": -n} for n in range(1, 4000)])[:-1]
        + "".join(", " + json.dumps({"query_id": t, "doc_id": d, "score": s}) for t, d, s in ROWS)
        + "]",
    ],
    ids=[
        "quoted",
        "German",
        "German and whole",
        "sep=",
        "rank last",
        "records",
        "records on lines",
        "one long line",
    ],
)
def test_hints_lead_to_a_file_that_can_be_read(text: str, call: Command, folder: Path) -> None:
    """Whatever is typed as the message says ends in the numbers of the file, after four steps at most."""
    name = "r0"
    (folder / name).write_text(text)
    options: list[str] = []
    for step in range(1, 6):
        found = call(*options, "-m", "map", "q", name)
        if found.code == 0:
            break
        if " with --columns " in found.err:
            option = found.err.rpartition(" with ")[2].replace("docno=HEADING", "docno=passage")
            options += shlex.split(option)
            continue
        command = found.err[found.err.index("pres-eval convert ") :].strip()
        scripts = f"{Path(sys.executable).parent}{os.pathsep}{os.environ['PATH']}"
        subprocess.run(
            command.replace("NEW", f"r{step}"), shell=True, check=True, env={**os.environ, "PATH": scripts}
        )
        name = f"r{step}"
    assert found.out == "map                   \tall\t0.5000\n", found.err
