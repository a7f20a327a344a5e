"""The checker: finds every fault in files into which one of each was put, nothing in clean ones."""

from __future__ import annotations

import gzip
import itertools
import json
import struct
import time
from collections import defaultdict
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest
from click.testing import CliRunner
from hypothesis import given, settings
from hypothesis import strategies as st
from support.colliding import weaken_hashes
from support.commands import Command
from support.plain_reading import SmallSource
from support.pools import judged_pool, made_pool
from support.small_chunks import chunks_of
from support.trials import ALL

from pres_eval.arrays import stretches
from pres_eval.checking import second_look
from pres_eval.checking.check import check_files, failed
from pres_eval.checking.findings import KINDS, FileReport, Severity
from pres_eval.checking.notations import find_respelling, without_chunk_number
from pres_eval.checking.respelling import respelled_topics
from pres_eval.checking.run import CheckOptions
from pres_eval.checking.text import as_json, as_text
from pres_eval.cli import main
from pres_eval.cli.commands import command_of
from pres_eval.errors import InputError
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import CHUNK, File
from pres_eval.reading.judgements.relevance import read_qrels

pyarrow = pytest.importorskip("pyarrow")
from pyarrow.parquet import write_table  # noqa: E402

REALDATA = Path(__file__).parents[3] / "shared" / "realdata"

QRELS = b"".join(
    b"%d 0 D%02d %d\n" % (topic, document, document % 2) for topic in (1, 2, 3) for document in range(10)
)
RUN = b"".join(
    b"%d Q0 D%02d %d %d.5 clean\n" % (topic, document, document + 1, 50 - document)
    for topic in (1, 2, 3)
    for document in range(20)
)


@pytest.fixture
def check(tmp_path: Path) -> Any:
    """Checks qrels and a run given as bytes; gives the kinds found on each side with their counts."""

    def run(qrels: bytes = QRELS, ranked: bytes = RUN, **options: Any) -> tuple[FileReport, FileReport]:
        (tmp_path / "qrels.txt").write_bytes(qrels)
        (tmp_path / "run.txt").write_bytes(ranked)
        given: dict[str, Any] = {"depths": (20,), "most": 3} | options
        sources = File(str(tmp_path / "qrels.txt")), [File(str(tmp_path / "run.txt"))]
        reports = check_files(*sources, CheckOptions(**given))
        return reports[0], reports[1]

    return run


def test_short_topics_are_those_below_the_largest_cutoff(check: Any) -> None:
    lines = RUN.splitlines(keepends=True)
    _, run = check(ranked=b"".join(lines[:20] + lines[20:23] + lines[40:48]), depths=(5, 10))
    assert found(run) == {"shorter-than-cutoff": 2}
    text = as_text([run])
    assert "1 topic below 5, 2 topics below 10" in text and "topic '3' has 8 documents" in text


def test_what_is_said_of_negative_grades_is_so(command: Command, tmp_path: Path) -> None:
    """The note had it that `judged` counts them as judged."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b -1\n")
    (tmp_path / "run").write_text("1 Q0 a 1 3 r\n1 Q0 b 2 2 r\n")
    files = tmp_path / "qrels", tmp_path / "run"
    assert "infAP counts them as pooled, judged as unjudged" in command("check", *files).out
    assert command.ok("-m", "judged.2", *files).out.split()[2] == "0.5000"
    assert command.ok("-m", "judged.2", "-J", *files).out.split()[2] == "1.0000"


def found(report: FileReport) -> dict[str, int]:
    return {finding.kind.name: finding.count for finding in report.in_order()}


def with_line(text: bytes, number: int, line: bytes) -> bytes:
    """The text with another line in place of a line counted from 1."""
    lines = text.split(b"\n")
    lines[number - 1] = line
    return b"\n".join(lines)


@pytest.mark.parametrize("jobs", [1, 3])
def test_nothing_in_clean_files(check: Any, jobs: int) -> None:
    qrels, run = check(jobs=jobs)
    assert found(qrels) == {} and found(run) == {}
    assert as_text([qrels, run]).endswith("2 files: nothing wrong or suspicious\n")
    assert run.facts["documents_per_topic"] == [20, 20] and run.facts["tags"] == {"clean": 60}
    assert qrels.facts["grades"] == {"0": 15, "1": 15}


LINES: list[bytes] = RUN.split(b"\n")[:-1]


def rank_column(line: bytes) -> bytes:
    return line.split()[3]


BY_RANK = sorted(LINES, key=rank_column)


RUN_FAULTS: dict[str, tuple[bytes, dict[str, int], str]] = {
    "too few columns": (
        with_line(RUN, 5, b"1 Q0 D04 5 46.5"),
        {"too-few-columns": 1, "shorter-than-cutoff": 1},
        "run.txt:5: 5 columns",
    ),
    "more columns": (
        with_line(RUN, 5, b"1 Q0 D04 5 46.5 clean x"),
        {"extra-columns": 1},
        "run.txt:5: 7 columns",
    ),
    "NUL": (
        with_line(RUN, 5, b"1 Q0 D\x0004 5 46.5 clean"),
        {"nul-byte": 1, "shorter-than-cutoff": 1},
        "run.txt:5: a NUL",
    ),
    "nan": (
        with_line(RUN, 5, b"1 Q0 D04 5 NaN clean"),
        {"score-nan": 1, "shorter-than-cutoff": 1},
        "run.txt:5: score 'NaN'",
    ),
    "no number": (
        with_line(RUN, 5, b"1 Q0 D04 5 4x clean"),
        {"score-no-number": 1, "shorter-than-cutoff": 1},
        "run.txt:5: score '4x'",
    ),
    "infinite": (with_line(RUN, 1, b"1 Q0 D00 1 inf clean"), {"score-infinite": 1}, "run.txt:1: score 'inf'"),
    "duplicate": (
        with_line(RUN, 25, b"2 Q0 D01 5 46.5 clean"),
        {"duplicate": 1},
        "run.txt:25: topic '2', document 'D01' again (first in line 22)",
    ),
    "ranks": (
        with_line(RUN, 5, b"1 Q0 D04 9 46.5 clean"),
        {"rank-disagrees": 1},
        "rank 9 has score 46.5, rank 8 has 43.5 (line 8)",
    ),
    "rank and score": (
        b"".join(
            b" ".join((*words[:3], words[4], words[3], words[5])) + b"\n"
            for words in map(bytes.split, RUN.splitlines())
        ),
        {"rank-is-score": 60},
        "are rank and score exchanged?",
    ),
    "rank and whole score": (
        b"".join(
            b"%s Q0 %s %d %s %s\n" % (words[0], words[2], int(float(words[4])), words[3], words[5])
            for words in map(bytes.split, RUN.splitlines())
        ),
        {"rank-is-score": 60},
        "run.txt:1: rank '50'",
    ),
    "no rank": (with_line(RUN, 5, b"1 Q0 D04 x 46.5 clean"), {"rank-no-number": 1}, "run.txt:5: rank 'x'"),
    "tie": (with_line(RUN, 5, b"1 Q0 D04 5 45.5 clean"), {"ties": 1}, "across cutoff 5 in 1 topic"),
    "all equal": (
        b"".join(
            b" ".join((*words[:4], b"1", words[5])) + b"\n" for words in map(bytes.split, RUN.splitlines())
        ),
        {"ties": 3, "all-scores-equal": 3, "order-of-ties": 15},
        "map is 0.",
    ),
    "32-bit tie": (
        with_line(RUN, 5, b"1 Q0 D04 5 45.50000001 clean"),
        {"float32-ties": 1},
        "score 45.50000001 and 45.5 at ranks 5 and 6",
    ),
    "tags": (
        with_line(RUN, 60, b"3 Q0 D19 20 31.5 other"),
        {"several-tags": 2},
        "run.txt:60: tag 'other' (1 line)",
    ),
    "short": (
        RUN.rstrip(b"\n").rpartition(b"\n")[0] + b"\n",
        {"shorter-than-cutoff": 1},
        "topic '3' has 19 documents",
    ),
    "only in the run": (
        RUN + RUN.split(b"\n")[0].replace(b"1 Q0", b"4 Q0") + b"\n",
        {"topic-without-judgements": 1, "shorter-than-cutoff": 1},
        "1 of 4 topics",
    ),
    "only in the qrels": (
        b"\n".join(RUN.split(b"\n")[:40]) + b"\n",
        {"topic-not-in-run": 1},
        "1 of 3 topics",
    ),
    "leading zero": (
        RUN.replace(b"\n3 Q0", b"\n03 Q0"),
        {
            "topic-without-judgements": 1,
            "topic-not-in-run": 1,
            "other-notation-of-topic": 1,
        },
        "'03' of the run, '3' of the qrels",
    ),
    "case of a docno": (
        with_line(RUN, 5, b"1 Q0 d04 5 46.5 clean"),
        {"other-notation-of-docno": 1},
        "run.txt:5: 'd04' of the run, 'D04' of the qrels",
    ),
    "byte order mark": (b"\xef\xbb\xbf" + RUN, {"byte-order-mark": 1}, "run.txt:1: EF BB BF"),
    "no UTF-8": (
        with_line(RUN, 20, b"1 Q0 caf\xe9 20 31.5 clean"),
        {"not-utf-8": 1},
        "run.txt:20: not UTF-8",
    ),
    "comment": (b"# made by hand\n" + RUN, {"comments": 1}, "comments (1)"),
    "no final newline": (RUN.rstrip(b"\n"), {"no-final-newline": 1}, "no-final-newline (1)"),
    "cut off": (
        RUN[:-3],
        {"cut-off": 1, "several-tags": 2, "no-final-newline": 1},
        "run.txt:60: tag 'cle', but 'clean' before",
    ),
    "qrels": (QRELS, {"too-few-columns": 30, "another-format": 1}, "files swapped?"),
    "no documents": (b"# nothing\n", {"no-documents": 1, "comments": 1}, "no line that counts"),
    "empty": (b"", {"no-documents": 1}, "empty"),
    "other collection": (RUN.replace(b" D", b" X"), {"no-judged-document": 1}, "same collection"),
    "no common topic": (
        RUN.replace(b"\n", b"\nT")[:-1].replace(b"1 Q0", b"T1 Q0", 1),
        {"no-common-topic": 1, "topic-without-judgements": 3, "topic-not-in-run": 3},
        "the qrels have '1', '2', '3', the run has 'T1', 'T2', 'T3'",
    ),
}


@pytest.mark.parametrize("fault", RUN_FAULTS)
def test_every_fault_of_a_run(check: Any, fault: str) -> None:
    text, kinds, said = RUN_FAULTS[fault]
    qrels, run = check(ranked=text)
    assert found(run) == kinds and found(qrels) == {}
    assert said in as_text([qrels, run])
    assert failed([qrels, run]) is any(KINDS[kind].severity is Severity.ERROR for kind in kinds)


QRELS_FAULTS: dict[str, tuple[bytes, dict[str, int], str]] = {
    "too few columns": (with_line(QRELS, 2, b"1 0 D01"), {"too-few-columns": 1}, "qrels.txt:2: 3 columns"),
    "more columns": (with_line(QRELS, 2, b"1 0 D01 1 x"), {"too-many-columns": 1}, "qrels.txt:2: 5 columns"),
    "prels": (
        b"1 D00 0 1 0.5\n1 D01 1 1 1\n",
        {"too-many-columns": 2, "another-format": 1},
        "prels of a Million Query track",
    ),
    "ndeval": (
        b"".join(b"%d %d D0 1\n1 1 D%d 0\n1 2 D%d 0\n" % (t, t, t, t) for t in (1, 2, 3)),
        {"duplicate": 3},
        "diversity judgements of a Web track (topic subtopic docno relevance), ndeval",
    ),
    "no integer": (
        with_line(QRELS, 2, b"1 0 D01 1.5"),
        {"relevance-no-integer": 1, "another-format": 1},
        "qrels.txt:2: relevance '1.5'",
    ),
    "duplicate": (
        QRELS + b"3 0 D00 1\n",
        {"duplicate": 1},
        "qrels.txt:31: topic '3', document 'D00' again (first in line 21)",
    ),
    "none relevant": (
        with_line(QRELS, 31, b"4 0 D00 0\n"),
        {"topic-without-relevant": 1},
        "topic '4'",
    ),
    "negative": (
        with_line(QRELS, 1, b"1 0 D00 -1"),
        {"negative-relevance": 1},
        "as not relevant: -1: 1",
    ),
    "only negative": (
        with_line(QRELS, 31, b"4 0 D00 -1\n"),
        {"topic-without-relevant": 1, "negative-relevance": 1, "topic-only-negative": 1},
        "trec_eval stops there",
    ),
}


@pytest.mark.parametrize("fault", QRELS_FAULTS)
def test_every_fault_of_qrels(check: Any, fault: str) -> None:
    text, kinds, said = QRELS_FAULTS[fault]
    qrels, run = check(qrels=text)
    assert found(qrels) == kinds
    assert said in as_text([qrels, run])


def test_the_tables_hold_every_kind() -> None:
    covered = {
        kind for table in (RUN_FAULTS, QRELS_FAULTS) for _, kinds, _ in table.values() for kind in kinds
    }
    # tests of their own
    covered |= {"unreadable", "same-tag", "more-than-at-most", "tag-of-another-file"}
    covered |= {"unknown-topic", "unknown-document", "read-with-warning"}
    assert covered == set(KINDS)


def test_all_faults_at_once(check: Any) -> None:
    """One of each in one run, none hides another."""
    lines = RUN.split(b"\n")[:-1]
    lines[0] = b"\xef\xbb\xbf# comment"
    lines[1:1] = [
        b"",
        b"1 Q0",
        b"1 Q0 D50 1 49.9 clean extra",
        b"1 Q0 D51 1 nan clean",
        b"1 Q0 D52 1 x clean",
    ]
    lines += [
        b"3 Q0 D19 20 31.5 other",
        b"3 Q0 D\0 1 1 clean",
        b"2 Q0 d01 50 1e-50 cl\xe9an",
        b"01 Q0 D00 z -inf clean\r",
    ]
    lines += [b"3 Q0 D60 98 1e-50 clean"]
    _, run = check(ranked=b"\n".join(lines))
    expected = {
        "too-few-columns",
        "extra-columns",
        "score-nan",
        "score-no-number",
        "duplicate",
        "nul-byte",
        "byte-order-mark",
        "not-utf-8",
        "score-infinite",
        "several-tags",
        "ties",
        "topic-without-judgements",
        "other-notation-of-topic",
        "other-notation-of-docno",
        "shorter-than-cutoff",
        "rank-no-number",
        "comments",
        "no-final-newline",
    }
    assert expected <= set(found(run)) <= expected | {"rank-disagrees"}


@pytest.mark.parametrize(("cutoff", "short"), [(18, 0), (19, 0), (20, 1), (21, 3)])
def test_topics_below_a_cutoff(check: Any, cutoff: int, short: int) -> None:
    """A topic with exactly as many documents is not below."""
    _, run = check(ranked=RUN.rstrip(b"\n").rpartition(b"\n")[0] + b"\n", depths=(15, cutoff))
    assert found(run) == ({"shorter-than-cutoff": short} if short else {})
    if short:
        finding = run.in_order()[0]
        assert finding.details == {"topics_below": {str(cutoff): short}}
        assert finding.message == f"{short} topic{'s' * (short > 1)} below {cutoff}"


SWAPPED = with_line(with_line(RUN, 5, RUN.split(b"\n")[5]), 6, RUN.split(b"\n")[4])
FACTS: dict[str, tuple[bytes, dict[str, object]]] = {
    "clean": (RUN, {"lines": 60, "topics_in_order": True, "tabs": False, "extra_blanks": False}),
    "unsorted": (SWAPPED, {"topics_unsorted": 1}),
    "CR LF": (RUN.replace(b"\n", b"\r\n"), {"crlf_lines": 60, "extra_blanks": False}),
    "tabs": (RUN.replace(b" ", b"\t"), {"tabs": True}),
    "blanks": (RUN.replace(b" ", b"  "), {"extra_blanks": True}),
    "blank line": (b"\n" + RUN + b" \n", {"blank_lines": 2}),
    "scattered": (b"\n".join(BY_RANK) + b"\n", {"topics_apart": 3, "topics_unsorted": 3}),
    "order": (
        b"\n".join([*LINES[20:60], *LINES[:20]]) + b"\n",
        {"topics_in_order": False, "topics_apart": 0},
    ),
    "ranks from 0": (with_line(RUN, 1, b"1 Q0 D00 0 50.5 clean"), {"topics_with_ranks_from_0": 1}),
    "all ranks 0": (
        b"".join(b"%s Q0 %s 0 %s t\n" % (*line.split()[:3:2], line.split()[4]) for line in LINES),
        {"topics_with_ranks_from_0": 0},
    ),
    "32 bits, the same order": (
        with_line(with_line(RUN, 5, b"1 Q0 D99 5 45.50000001 clean"), 6, b"1 Q0 D05 6 45.5 clean"),
        {"float32_ties": 2},
    ),
}


@pytest.mark.parametrize("layout", FACTS)
def test_what_changes_nothing_is_a_fact(check: Any, layout: str) -> None:
    """What no one can or need act on is no finding, but on the line of the file."""
    text, facts = FACTS[layout]
    qrels, run = check(ranked=text, qrels=QRELS.replace(b" 1\n", b" 3\n"))
    assert found(run) == {} and found(qrels) == {}
    assert {name: run.facts[name] for name in facts} == facts
    assert run.verdict() is None and as_text([run]).count("verdict: good") == 1


def test_verdicts_and_strict(check: Any) -> None:
    for fault, verdict, codes in (
        ("infinite", "can be evaluated, but check 1 kind of warning", (False, True)),
        ("tie", "good", (False, False)),
        ("nan", "evaluation stops at this file: 1 kind of error", (True, True)),
        ("comment", "good", (False, False)),
    ):
        reports = check(ranked=RUN_FAULTS[fault][0], depths=())
        assert f"  verdict: {verdict}\n" in as_text(reports)
        assert (failed(reports), failed(reports, strict=True)) == codes
        name = {"can": "warnings", "eva": "errors", "goo": "good"}[verdict[:3]]
        assert json.loads(as_json(reports))["files"][1]["verdict"] == name


def test_level_2_knows_about_grades(check: Any) -> None:
    qrels, _ = check(qrels=QRELS.replace(b" 1\n", b" 2\n"), relevance_level=2)
    assert found(qrels) == {}


def test_ties_are_weighed_at_the_level_that_was_asked_for(check: Any) -> None:
    """With -l 2 one of three tied documents is relevant: map is 1/3 to 1."""
    tied = b"1 Q0 a 1 3 t\n1 Q0 b 2 3 t\n1 Q0 c 3 3 t\n"
    _, run = check(qrels=b"1 0 a 1\n1 0 b 2\n", ranked=tied, relevance_level=2, depths=())
    assert run.findings["ties"].details["map"] == pytest.approx([1 / 3, 1])


def test_ties_across_the_cutoffs_that_were_asked_for(check: Any) -> None:
    scores = [9, 8, 7, 6, 5, 4, 3, 3, 1]
    ranked = "".join(f"1 Q0 d{rank} {rank} {score} t\n" for rank, score in enumerate(scores, 1))
    for depths, at_cutoffs in (((7,), {"7": 1}), ((8,), {})):
        _, run = check(qrels=b"1 0 d1 1\n", ranked=ranked.encode(), depths=depths)
        assert run.findings["ties"].details["at_cutoffs"] == at_cutoffs


def test_two_subtopics_of_one_topic_are_diversity_judgements(check: Any) -> None:
    for second, is_told in ((b"2", True), (b"1", False)):
        qrels, _ = check(qrels=b"1 1 d1 1\n1 %s d1 0\n" % second, depths=())
        assert qrels.findings["duplicate"].count == 1
        assert ("diversity judgements" in qrels.findings["duplicate"].message) is is_told


def test_grades_that_are_all_whole_with_decimals(check: Any) -> None:
    qrels, _ = check(qrels=QRELS.replace(b" 1\n", b" 1.0\n").replace(b" 0\n", b" 0.0\n"))
    assert found(qrels) == {} and qrels.facts["judgements"] == len(QRELS.splitlines())


def test_long_runs_are_compared_where_each_topic_has_a_match_too(
    command: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Of many rows, here more than two, topics without any match come first, but all if none is so."""
    monkeypatch.setattr(second_look, "MOST_ROWS_COMPARED", 2)
    (tmp_path / "qrels").write_text("".join(f"1 0 d{number} 1\n" for number in range(4)))
    (tmp_path / "run").write_text("1 Q0 d0 1 4 t\n" + "".join(f"1 Q0 D{n} 2 {4 - n} t\n" for n in (1, 2, 3)))
    called = command("-m", "map", tmp_path / "qrels", tmp_path / "run")
    assert "of 4 rows looked at, 3 unjudged documents would match judged ones without case" in called.err


def test_examples_are_limited_counts_are_not(check: Any) -> None:
    bad = RUN.replace(b".5 clean", b"x clean")
    for most in (0, 1, 4):
        _, run = check(ranked=bad, most=most)
        finding = run.findings["score-no-number"]
        assert finding.count == 60 and [example.line for example in finding.examples] == [1, 2, 3, 4][:most]


def test_unreadable_files_do_not_stop_the_rest(tmp_path: Path) -> None:
    (tmp_path / "run.txt").write_bytes(RUN)
    broken = tmp_path / "broken.gz"
    broken.write_bytes(gzip.compress(RUN)[:100])
    runs = [File(str(broken)), File(str(tmp_path)), File(str(tmp_path / "run.txt"))]
    reports = check_files(File(str(tmp_path / "missing")), runs, CheckOptions(depths=(20,)))
    assert [found(report) for report in reports] == [{"unreadable": 1}] * 3 + [{}]


def test_runs_with_the_same_tag(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(QRELS)
    for name in ("a", "b"):
        (tmp_path / name).write_bytes(RUN)
    runs = [File(str(tmp_path / name)) for name in ("a", "b")]
    reports = check_files(File(str(tmp_path / "qrels")), runs, CheckOptions())
    assert [found(report) for report in reports[1:]] == [{"same-tag": 1}] * 2


@pytest.mark.slow
def test_compressed_files_and_long_ones_are_the_same(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    for _, (text, kinds, _) in RUN_FAULTS.items():
        if "no-final-newline" in kinds or not text:
            continue
        _, run = check(ranked=gzip.compress(text))
        assert found(run) == kinds
    monkeypatch.setattr(stretches, "BLOCK_ROWS", 7)
    with chunks_of(300):
        for _, (text, kinds, _) in RUN_FAULTS.items():
            _, run = check(ranked=text, jobs=2)
            assert found(run) == kinds


def test_a_mark_is_told_where_the_first_line_has_several_chunks(check: Any) -> None:
    with chunks_of(1):
        _, run = check(ranked=b"\xef\xbb\xbf" + RUN, jobs=2)
    assert found(run) == {"byte-order-mark": 1}


def test_colliding_hashes_hide_nothing(check: Any, monkeypatch: pytest.MonkeyPatch) -> None:
    """Documents are compared themselves: however alike their hashes are, duplicates are told, all of them."""
    weaken_hashes(monkeypatch, 4)
    scattered = b"\n".join(BY_RANK) + b"\n"
    for text in (RUN, scattered):
        qrels, run = check(ranked=text + b"3 Q0 D18 21 1 clean\n", qrels=QRELS + b"3 0 D09 1\n", most=9)
        assert found(run) == found(qrels) == {"duplicate": 1}
        first = text.split(b"\n").index(b"3 Q0 D18 19 32.5 clean") + 1
        assert run.findings["duplicate"].examples[0].other_line == first
        assert run.facts["judged_documents_retrieved"] == 30


def test_large_grades(check: Any) -> None:
    """What the evaluator reads is no error here."""
    qrels, _ = check(qrels=QRELS + b"3 0 D10 9223372036854775807\n3 0 D11 2147483648\n")
    assert found(qrels) == {} and qrels.facts["grades"]["2147483648"] == 1


def test_ids_of_megabytes_take_no_longer_than_their_bytes(check: Any) -> None:
    """One docno of most of a megabyte in each file: every word of it used to be looked at on its own."""
    docno = b"0" * (1 << 19) + b"x" * (1 << 18)
    start = time.process_time()
    _, run = check(qrels=QRELS + b"3 0 %s 1\n" % docno, ranked=RUN + b"3 Q0 %s 21 1 clean\n" % docno.upper())
    assert found(run) == {"other-notation-of-docno": 1} and time.process_time() - start < 5


def test_lines_of_other_chunks_in_examples(tmp_path: Path) -> None:
    """A second line that an example names is counted from the start of the file, too."""
    (tmp_path / "run").write_bytes(RUN + b"3 Q0 D18 9 50 clean\n")
    source = SmallSource(tmp_path / "run", 500)
    report = check_files(File(str(tmp_path / "no")), [source], CheckOptions())[1]
    assert str(report.findings["duplicate"].examples[0]).endswith("again (first in line 59)")
    assert str(report.findings["rank-disagrees"].examples[0]).endswith("(line 48)")


SCORES = st.sampled_from([1.0, 2.0, 2.00000001, 2.00000002, -3.0, 0.0, 1e-50, 1e300, 1e301])
ROWS = st.lists(
    st.tuples(st.sampled_from("123"), st.integers(0, 12), st.integers(0, 4), SCORES), min_size=1, max_size=40
)


@settings(deadline=None, max_examples=100)
@given(
    *(
        st.lists(
            st.from_regex(r"[aA10\-._#é]{0,4}((chunk|PART|seg|passage|p)[_#-]?)?[0-9#a]{0,4}", fullmatch=True)
            .filter(bool)
            .map(str.encode),
            max_size=12,
            unique=True,
        ),
    )
    * 2
)
def test_no_notation_is_lost_where_letters_are_compared_first(ours: list[bytes], judged: list[bytes]) -> None:
    """The candidates that `respelled_topics` picks are all that match in any notation."""
    unmatched = [text for text in ours if text not in judged]
    expected = find_respelling([(0, text) for text in unmatched], [(0, text) for text in judged])
    assert respelled_topics(unmatched, judged) == expected


@given(ROWS)
def test_against_a_slow_twin(rows: list[tuple[str, int, int, float]]) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "run"
        path.write_text(
            "".join(f"{topic} Q0 D{docno:02} {rank} {score!r} t\n" for topic, docno, rank, score in rows)
        )
        report = check_files(File(str(path.with_name("qrels"))), [File(str(path))], CheckOptions())[1]
    expected = twin(rows)
    facts = {"unsorted": report.facts["topics_unsorted"], "apart": report.facts["topics_apart"]}
    counts = found(report) | facts
    assert {kind: counts.get(kind, 0) for kind in expected} == expected
    if expected["ties"]:
        assert report.findings["ties"].details["documents"] == twin_tied_documents(rows)


def twin(rows: list[tuple[str, int, int, float]]) -> dict[str, int]:
    """The counts of some kinds, topic by topic with plain loops."""
    by_topic = defaultdict(list)
    for topic, docno, rank, score in rows:
        by_topic[topic].append((docno, rank, score))
    counts = dict.fromkeys(("duplicate", "ties", "float32-ties", "unsorted", "rank-disagrees", "apart"), 0)
    stretches = [topic for i, (topic, *_) in enumerate(rows) if i == 0 or rows[i - 1][0] != topic]
    for topic, documents in by_topic.items():
        docnos = [docno for docno, _, _ in documents]
        scores = [score for _, _, score in documents]
        singles = {score: as_single(score) for score in scores}
        counts["duplicate"] += len(docnos) - len(set(docnos))
        counts["ties"] += len(set(scores)) < len(scores)
        in_9 = sorted(documents, key=lambda row: (-singles[row[2]], -row[0]))
        in_10 = sorted(documents, key=lambda row: (-row[2], -row[0]))
        counts["float32-ties"] += [row[0] for row in in_9] != [row[0] for row in in_10]
        counts["unsorted"] += any(b > a for a, b in itertools.pairwise(scores))
        counts["rank-disagrees"] += any(
            r > rank and s > score for _, rank, score in documents for _, r, s in documents
        )
        counts["apart"] += stretches.count(topic) > 1
    return counts


def twin_tied_documents(rows: list[tuple[str, int, int, float]]) -> int:
    pairs = [(topic, score) for topic, _, _, score in rows]
    return sum(pairs.count(pair) > 1 for pair in pairs)


def as_single(score: float) -> float:
    try:
        return float(struct.unpack("f", struct.pack("f", score))[0])
    except OverflowError:
        return float("inf")


FIELDS = {
    "id": st.sampled_from([b"1", b"2", b"01", b"\xe9", b"D1", b"d1", b"\xef\xbb\xbf1", b"#1", b"D\0"]),
    "score": st.sampled_from(
        [b"1", b"2.5", b"-3", b"nan", b"-inf", b"1e400", b"x", b".", b"0x1p3", b"9" * 40]
    ),
    "grade": st.sampled_from([b"0", b"1", b"2", b"-1", b"+1", b"1.5", b"x", b"9" * 20]),
    "rest": st.sampled_from([b"Q0", b"0", b"r"]),
}
BETWEEN = st.sampled_from([b" ", b" ", b"\t", b"  ", b"\x0b"])
ENDS = st.sampled_from([b"\n", b"\n", b"\r\n", b" \n", b"\n\n", b"", b" x\n", b"\n#\n"])


def hostile(*kinds: str) -> st.SearchStrategy[bytes]:
    """Files of lines with these fields, some of them wrong in some way."""
    line = st.tuples(*[FIELDS[kind] for kind in kinds], BETWEEN, ENDS)
    return st.lists(line.map(lambda parts: parts[-2].join(parts[:-2]) + parts[-1]), max_size=6).map(b"".join)


@settings(deadline=None, max_examples=150)
@given(hostile("id", "rest", "id", "grade"), hostile("id", "rest", "id", "rest", "score", "rest"))
def test_what_stops_the_evaluator_is_an_error(qrels: bytes, ranked: bytes) -> None:
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        paths = [str(Path(folder) / name) for name in ("qrels", "run")]
        for path, text in zip(paths, (qrels, ranked), strict=True):
            Path(path).write_bytes(text)
        code = main(["--quiet", "--output", str(Path(folder) / "out"), *paths])
        reports = check_files(File(paths[0]), [File(paths[1])], CheckOptions())
    errors = {
        f.kind.name for report in reports for f in report.in_order() if f.kind.severity is Severity.ERROR
    }
    # The checker also tells duplicates in topics that the evaluator leaves out.
    assert (errors - {"duplicate"} != set()) is (code != 0) or (code != 0 and errors == {"duplicate"})
    assert json.loads(as_json(reports)) and as_text(reports).encode()


MALFORMED = {kind.name for kind in KINDS.values() if kind.severity is Severity.ERROR} - {"duplicate"}


def first_malformed(report: FileReport) -> tuple[int, str] | None:
    """The first line that the checker calls malformed, and what is there."""
    examples = [
        (example.line, example.text)
        for name in MALFORMED & set(report.findings)
        for example in report.findings[name].examples
        if example.line is not None
    ]
    return min(examples, default=None)


def error_of(read: Callable[[], object]) -> tuple[int, str] | None:
    """The line that the evaluator stops at because it is malformed, and what is there."""
    try:
        read()
    except InputError as error:
        if error.line is not None and "again (first" not in error.found:
            return error.line, error.found
    return None


@settings(deadline=None, max_examples=100)
@given(
    hostile("id", "rest", "id", "grade"),
    hostile("id", "rest", "id", "rest", "score", "rest"),
    st.sampled_from([1, 40, 1 << 20]),
    st.sampled_from([1, 3]),
)
def test_the_evaluator_stops_at_the_first_error_of_check(
    qrels: bytes, ranked: bytes, size: int, jobs: int
) -> None:
    """They share one reader, so they name the same line with the same words, however files are cut."""
    import tempfile

    with tempfile.TemporaryDirectory() as folder:
        one, other = Path(folder) / "qrels", Path(folder) / "run"
        one.write_bytes(qrels)
        other.write_bytes(ranked)
        sources = SmallSource(one, size), [SmallSource(other, size)]
        reports = check_files(*sources, CheckOptions(most=10**6, jobs=jobs))
        stop = error_of(lambda: read_qrels(SmallSource(one, 1 << 20)))
        assert first_malformed(reports[0]) == stop
        pool = made_pool([(b"1", b"D1"), (b"2", b"d1")])
        stop = error_of(lambda: read_run(SmallSource(other, 1 << 20), judged_pool(pool)))
        assert first_malformed(reports[1]) == stop


@pytest.mark.parametrize(
    ("one", "other"),
    [
        ("1", "01"),
        ("EP-001", "ep-1"),
        ("q 1".replace(" ", "\u00a0"), "q1"),
        ("\ufeff301", "301"),
        ('"301"', "301"),
        ("ａ1", "a1"),
    ],
)
def test_notations_that_are_alike(one: str, other: str) -> None:
    found = respelled_topics([one.encode()], [b"x", other.encode()])
    assert found is not None and found.pairs == (((0, one.encode()), other.encode()),)


@pytest.mark.parametrize(
    ("one", "other"),
    [("10", "1"), ("0", "00a"), ("1.05", "1.5"), ("--", "__"), ("\ufeff", "\u200b"), ("x", "y")],
)
def test_notations_that_are_not(one: str, other: str) -> None:
    assert respelled_topics([one.encode()], [other.encode()]) is None


def test_a_short_name_of_chunks_needs_a_separator() -> None:
    found = [without_chunk_number(one) for one in (b"d1-p3", b"d1::p3", b"d1_P_3", b"EP12", b"ap3")]
    assert found == [b"d1", b"d1", b"d1", b"", b""]


def test_json_and_exit_codes(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(QRELS)
    (tmp_path / "run").write_bytes(RUN_FAULTS["duplicate"][0])
    arguments = [str(tmp_path / "qrels"), str(tmp_path / "run"), "--format", "json", "--nmax", "20"]
    result = CliRunner().invoke(command_of("check"), arguments)
    data = json.loads(result.output)
    assert result.exit_code == 1 and (data["errors"], data["warnings"], data["notes"]) == (1, 0, 0)
    finding = data["files"][1]["findings"][0]
    assert finding["kind"] == "duplicate" and finding["examples"][0]["line"] == 25
    (tmp_path / "run").write_bytes(RUN)
    assert CliRunner().invoke(command_of("check"), arguments).exit_code == 0


def test_json_of_odd_bytes(check: Any) -> None:
    reports = check(ranked=RUN.replace(b"clean", b"cl\xe9an\x01"), qrels=QRELS.replace(b"1 0", b"\xff 0"))
    data = json.loads(as_json(reports))
    assert data["files"][1]["facts"]["tags"] == {r"cl\xe9an\x01": 60}
    assert as_text(reports).encode()


@pytest.mark.slow
@pytest.mark.skipif(not REALDATA.is_dir(), reason="the real runs are not here")
@pytest.mark.parametrize("name", ["robust03", "clefip2010_higashi", "cleftar2019_int", "covid_r5_neg"])
def test_tells_what_is_known_of_real_runs(name: str) -> None:
    folder = REALDATA / name
    known = json.loads((folder / "META.json").read_text())
    files = {path.name.removesuffix(".gz"): path for path in sorted((folder / "runs").glob("*"))}
    if not files:
        files = {next(iter(known["runs"])): next(folder.glob("run*"))}
    runs = known["runs"] if ALL else one_of_each_kind(known["runs"])
    sources = [File(str(files[run])) for run in runs]
    reports = check_files(File(str(folder / "qrels.gz")), sources, CheckOptions(jobs=2))
    assert told_of_qrels(reports[0]) == {key: known["qrels"][key] for key in told_of_qrels(reports[0])}
    for report, run in zip(reports[1:], runs.values(), strict=True):
        told = told_of_run(report)
        assert told == {key: run[key] for key in told}
        assert ("tabs" in run["pecul"]) == report.facts["tabs"]
        assert ("ranks from 0" in run["pecul"]) == (report.facts["topics_with_ranks_from_0"] > 0)
        assert ("topics not in byte order" in run["pecul"]) != report.facts["topics_in_order"]
        assert ("topics non-contiguous" in run["pecul"]) == (report.facts["topics_apart"] > 0)


def one_of_each_kind(runs: dict[str, Any]) -> dict[str, Any]:
    """The smallest run of those with the same peculiarities."""
    by_size = sorted(runs.items(), key=lambda each: -each[1]["lines"])
    smallest = {tuple(run["pecul"]): name for name, run in by_size}
    return {name: run for name, run in runs.items() if name in smallest.values()}


def told_of_qrels(report: FileReport) -> dict[str, Any]:
    counts = found(report)
    return {
        "lines": report.facts["judgements"],
        "topics": report.facts["topics"],
        "levels": report.facts["grades"],
        "negative": counts.get("negative-relevance", 0),
        "topics_no_rel": counts.get("topic-without-relevant", 0),
        "dup_topic_doc": counts.get("duplicate", 0),
    }


def told_of_run(report: FileReport) -> dict[str, Any]:
    counts = defaultdict(int, found(report))
    ties = report.findings.get("ties")
    return {
        "lines": report.facts["documents"],
        "topics": report.facts["topics"],
        "docs_per_topic": report.facts["documents_per_topic"],
        "tied_docs": ties.details["documents"] if ties else 0,
        "topics_with_ties": counts["ties"],
        "float32_only_ties": report.facts["float32_ties"],
        "dup_topic_doc": counts["duplicate"],
        "topics_file_unsorted": report.facts["topics_unsorted"],
        "topics_rank_vs_score_disagree": counts["rank-disagrees"],
        "run_topics_not_in_qrels": counts["topic-without-judgements"],
        "qrels_topics_not_in_run": counts["topic-not-in-run"],
    }


def test_relevance_that_is_nan_is_no_integer(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("1 0 a nan\n1 0 b 1\n")
    (tmp_path / "run").write_text("1 Q0 b 1 1 t\n")
    assert main(["check", str(tmp_path / "qrels"), str(tmp_path / "run")]) == 1
    assert "relevance that is not an integer" in capfd.readouterr().out


def written_as(form: str, grades: bool, path: Path, text: bytes) -> None:
    """A trec file in another format."""
    rows = [line.decode().split() for line in text.split(b"\n") if line]
    number = 3 if grades else 4
    table: dict[str, dict[str, float]] = {}
    for row in rows:
        value = float(row[number])
        table.setdefault(row[0], {})[row[2]] = int(value) if grades else value
    topics, documents, numbers = zip(
        *((topic, docno, value) for topic, docs in table.items() for docno, value in docs.items()),
        strict=True,
    )
    if form == "json":
        path.write_text(json.dumps(table))
    elif form == "jsonl":
        path.write_text("".join(json.dumps({topic: docs}) + "\n" for topic, docs in table.items()))
    elif form == "beir":
        lines = ("\t".join(map(str, row)) + "\n" for row in zip(topics, documents, numbers, strict=True))
        path.write_text("query-id\tcorpus-id\tscore\n" + "".join(lines))
    elif form == "parquet":
        name = "relevance" if grades else "score"
        write_table(pyarrow.table({"query_id": topics, "doc_id": documents, name: numbers}), path)
    else:
        ranked = ((topic, sorted(docs, key=lambda d: -docs[d])) for topic, docs in table.items())
        path.write_text(
            "".join(
                f"{topic}\t{docno}\t{rank}\n" for topic, docs in ranked for rank, docno in enumerate(docs, 1)
            )
        )


OF_FORMATS = sorted(set(RUN_FAULTS) & {"tie", "32-bit tie", "short", "only in the run", "only in the qrels"})


@pytest.mark.parametrize("named", [False, True])
@pytest.mark.parametrize("form", ["json", "jsonl", "beir", "parquet", "msmarco"])
def test_other_formats_are_checked(form: str, named: bool, tmp_path: Path) -> None:
    """What is said of topics, documents and order is what is said of the same rows in trec's columns."""
    trec, run, qrels = (tmp_path / name for name in ("trec", "run", "qrels"))
    judged = "json" if form == "msmarco" else form
    given = {"relevance_form": judged, "run_form": form} if named else {}
    written_as(judged, True, qrels, QRELS)
    for fault in OF_FORMATS:
        text, kinds, said = RUN_FAULTS[fault]
        trec.write_bytes(text)
        written_as(form, False, run, text)
        options = CheckOptions(depths=(20,), most=3, **given)  # type: ignore[arg-type]
        of_qrels, found_run = check_files(File(str(qrels)), [File(str(run))], options)
        as_trec = check_files(File(str(qrels)), [File(str(trec))], CheckOptions(depths=(20,), most=3))[1]
        if form == "msmarco":
            kinds = {kind: count for kind, count in kinds.items() if "ties" not in kind}
        else:
            assert said in as_text([found_run])
            assert [f.details for f in found_run.in_order()] == [f.details for f in as_trec.in_order()]
        assert found(found_run) == kinds
        assert found_run.facts["documents_per_topic"] == as_trec.facts["documents_per_topic"]
        assert found(of_qrels) == {} and of_qrels.facts["grades"] == {"0": 15, "1": 15}
        assert "read as " in as_text([of_qrels]) and "read as " in as_text([found_run])


def test_faults_of_other_formats(tmp_path: Path) -> None:
    """The first malformed row is reported; one that is repeated has its lines, where the format has lines."""
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    qrels.write_text("query-id\tcorpus-id\tscore\n1\tA\t1\n1\tA\t0\n")
    run.write_text('{"1": {"A": 1.0}, "2": {"A": "high"}}')
    reports = check_files(File(str(qrels)), [File(str(run))], CheckOptions())
    assert found(reports[0])["duplicate"] == 1
    assert f"{qrels}:3: topic '1', document 'A' again (first in line 2)" in as_text(reports)
    assert found(reports[1]) == {"unreadable": 1} and "score '\"high\"'" in as_text(reports)
    write_table(pyarrow.table({"qid": ["1", "1"], "docno": ["A", "A"], "label": [1, 0]}), qrels)
    run.write_text("1\tA\t1\n1\tA\t2\n")
    reports = check_files(File(str(qrels)), [File(str(run))], CheckOptions())
    assert "    topic '1', document 'A' again\n" in as_text(reports)
    assert f"{run}:2: topic '1', document 'A' again (first in line 1)" in as_text(reports)


@pytest.mark.parametrize(
    ("form", "text"),
    [
        ("qrels_float", "1 0 D00 0.5\n2 0 D00 1\n3 0 D01 0\n"),
        ("qrels_jg", "1 a D00 1\n1 b D00 0\n2 a D00 1\n3 a D01 1\n"),
        ("prefs", "1 a x D00 1\n1 a x D01 0\n2 a x D00 1\n3 a x D01 2\n3 a x D02 1\n"),
        ("qrels_prefs", "1 0 D00 2\n1 0 D01 1\n2 0 D00 1\n3 0 D01 1\n"),
        ("subtopics", "1 1 D00 1\n1 2 D00 1\n2 1 D00 1\n3 1 D01 1\n"),
    ],
)
def test_other_judgements_are_checked(form: str, text: str, tmp_path: Path) -> None:
    run, qrels = tmp_path / "run", tmp_path / "qrels"
    run.write_bytes(RUN)
    qrels.write_text(text)
    options = CheckOptions(relevance_form=form)
    reports = check_files(File(str(qrels)), [File(str(run))], options)
    assert "3 topics" in as_text(reports) and f"read as {form}" in as_text(reports)
    assert not failed(reports) and found(reports[1]) == {}
    qrels.write_text(text + "3 b\n")
    reports = check_files(File(str(qrels)), [File(str(run))], options)
    assert found(reports[0]) == {"unreadable": 1} and failed(reports)


def test_many_files_take_a_line_each(tmp_path: Path, capfdbinary: pytest.CaptureFixture[bytes]) -> None:
    command = Command(capfdbinary)
    qrels, clean, tied = (tmp_path / name for name in ("qrels", "clean", "tied"))
    qrels.write_bytes(QRELS)
    clean.write_bytes(RUN)
    tied.write_bytes(with_line(RUN_FAULTS["tie"][0], 1, b"1 Q0 D00 1 inf clean"))
    asked = ("check", "--strict", "--brief", qrels, clean, tied)
    called = command(*asked)
    lines = called.out.splitlines()
    assert lines[1] == f"good     {clean}: run clean, 60 documents, 3 topics, 20 each; same-tag 1"
    assert lines[2].startswith(f"warning  {tied}: ")
    assert lines[2].endswith("; score-infinite 1, tag-of-another-file 1, ties 1, same-tag 1")
    assert (called.code, lines[3]) == (1, "")
    kinds = ("score-infinite", "same-tag", "tag-of-another-file")
    left = command(*asked, *(word for kind in kinds for word in ("--ignore", kind)))
    assert (left.code, left.out.splitlines()[2].rpartition("; ")[2]) == (0, "ties 1")
    refused = command(*asked, "--ignore", "duplicate")
    assert (refused.code, refused.out) == (1, "")
    assert "--ignore duplicate: errors cannot be left out, as the evaluator stops at them" in refused.err


def test_more_than_at_most(command: Command, tmp_path: Path) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_bytes(QRELS)
    run.write_bytes(RUN)  # 20 documents of each topic
    asked = ("check", "--strict", qrels, run)
    assert command(*asked, "--at-most", "20").out == command(*asked).out
    called = command(*asked, "--at-most", "19", "--max", "1")
    kept = "topics with more documents than --at-most allows: at most 19"
    assert f"  warning more-than-at-most (3): {kept}\n    topic '1' has 20 documents\n" in called.out
    assert called.code == 1
    assert command(*asked, "--at-most", "0").code == 1


def test_a_tag_in_the_name_of_another_file(command: Command, tmp_path: Path) -> None:
    """Runs that were saved under each other's names."""
    (tmp_path / "qrels").write_bytes(QRELS)
    for name, tag in (("run_bm25.txt", b"dense"), ("run-dense.txt", b"bm25"), ("a.run", b"a"), ("b", b"t")):
        (tmp_path / name).write_bytes(RUN.replace(b" clean\n", b" %s\n" % tag))
    runs = [tmp_path / name for name in ("run_bm25.txt", "run-dense.txt", "a.run", "b")]
    found = json.loads(command("check", tmp_path / "qrels", *runs, "--format", "json").out)
    told = {
        Path(each["path"]).name: one["message"]
        for each in found["files"]
        for one in each["findings"]
        if one["kind"] == "tag-of-another-file"
    }
    assert told == {
        "run_bm25.txt": f"'dense', as in {runs[1]}",
        "run-dense.txt": f"'bm25', as in {runs[0]}",
    }


def test_a_tag_that_was_copied_from_another_run(tmp_path: Path) -> None:
    (tmp_path / "qrels").write_bytes(QRELS)
    for name in ("clean.txt", "dense.txt", "clean_2.txt"):
        (tmp_path / name).write_bytes(RUN)
    runs = [File(str(tmp_path / name)) for name in ("clean.txt", "dense.txt", "clean_2.txt")]
    told = [found(each) for each in check_files(File(str(tmp_path / "qrels")), runs, CheckOptions())[1:]]
    assert told == [{"same-tag": 2}, {"same-tag": 2, "tag-of-another-file": 1}, {"same-tag": 2}]


@pytest.mark.parametrize(("twice", "told"), [("whole", True), ("a topic", False), ("one line", False)])
def test_judgements_that_are_two_files_in_one(
    twice: str, told: bool, command: Command, tmp_path: Path
) -> None:
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    run.write_bytes(RUN)
    lines = QRELS.splitlines(keepends=True)
    first = [line for line in lines if line.split()[0] == lines[0].split()[0]]
    again = {"whole": lines, "a topic": first, "one line": lines[:1]}[twice]
    qrels.write_bytes(b"".join([*lines, *again]))
    called = command("check", qrels, run)
    said = (
        f"from line {len(lines) + 1} on, or shortly before, this looks like a second file: were several files"
        " of judgements put together? pres-eval merge FILE > NEW makes one judgement of several"
    )
    assert f"error duplicate ({len(again)}): " in called.out
    assert (said in called.out) == told


def test_details_of_some_kinds_and_of_many_files(command: Command, tmp_path: Path) -> None:
    """Verdicts and exit codes are those of all kinds; more than ten files have a line each."""
    qrels, run = tmp_path / "qrels", tmp_path / "run"
    qrels.write_bytes(QRELS + b"1 0 D00\n")
    run.write_bytes(RUN)
    every = command("check", qrels, run, run)
    some = command("check", qrels, run, run, "--kind", "same-tag")
    assert "too-few-columns" in every.out and "too-few-columns" not in some.out
    assert some.code == every.code == 1
    assert some.out.splitlines()[-1] == every.out.splitlines()[-1]
    assert some.out.count("note same-tag") == 2 and some.out.count("evaluation stops") == 1
    ten, many = [qrels, *[run] * 9], [qrels, *[run] * 10]
    assert command("check", *ten).out == command("check", "--details", *ten).out
    assert command("check", *many).out == command("check", "--brief", *many).out
    assert command("check", *many).out != command("check", "--details", *many).out


def test_documents_are_compared_as_they_are_mapped(command: Command, tmp_path: Path) -> None:
    """--map-docs: chunks count once for the document that is judged, and a chunk may not come twice."""
    qrels, run, again = (tmp_path / name for name in ("qrels", "run", "again"))
    qrels.write_bytes(QRELS)
    rows = [line.split() for line in RUN.decode().splitlines()]
    chunks = "".join(f"{t} Q0 {d}#{n} {r} {s} {tag}\n" for n, (t, _, d, r, s, tag) in enumerate(rows))
    run.write_text(chunks)
    again.write_text(chunks + chunks.splitlines()[0])
    plain = tmp_path / "clean"
    plain.write_bytes(RUN)
    asked = ("check", "--format", "json", "--ignore", "same-tag", qrels)
    pattern = ("--map-docs", r"^(.*)#\d+$")
    (_, unchanged), (_, mapped) = (
        command(*asked, path, *more).json["files"] for path, more in ((plain, ()), (run, pattern))
    )
    assert {**mapped, "path": ""} == {**unchanged, "path": ""}
    kinds = [one["kind"] for one in command(*asked, again, *pattern).json["files"][1]["findings"]]
    assert "duplicate" in kinds
    assert "no-judged-document" in command("check", qrels, run).out
    assert command(*asked, run, "--map-docs", "nofile").code == 1


def test_a_tag_that_begins_far_down_is_named_with_its_line(command: Command, tmp_path: Path) -> None:
    """Lines are counted from the beginning of the file, which is read in chunks of two megabytes."""
    padding = b"x" * 300
    lines = [
        b"%d Q0 D%04d%s %d %d %s\n" % (topic, n, padding, n, 2000 - n, b"tagA" if topic < 15 else b"tagB")
        for topic in range(1, 17)
        for n in range(1, 1001)
    ]
    (tmp_path / "qrels").write_bytes(b"".join(b"%d 0 D0001%s 1\n" % (n, padding) for n in range(1, 17)))
    (tmp_path / "run").write_bytes(b"".join(lines))
    assert (tmp_path / "run").stat().st_size > 2 * CHUNK
    called = command("check", tmp_path / "qrels", tmp_path / "run")
    assert "run:14001: tag 'tagB' (2000 lines)" in called.out


def test_the_summary_counts_the_files_of_each_kind(tmp_path: Path, capfd: pytest.CaptureFixture[str]) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    texts = {"r1": "1 Q0 a 1 2 r1\n", "r2": "1 Q0 a 1 x r2\n", "r3": "1 Q0 a 1 x r3\n1 Q0 b 1 y r3\n"}
    for name, text in texts.items():
        (tmp_path / name).write_text(text)
    main(["check", str(tmp_path / "qrels"), *(str(tmp_path / name) for name in texts)])
    assert "error  score-no-number  3  in 2 files\n" in capfd.readouterr().out


def test_an_iteration_that_goes_on_in_the_next_chunk_is_one(check: Any) -> None:
    """A document judged twice is no hint of subtopics where the second column is the same throughout."""
    with chunks_of(20):
        qrels, _ = check(qrels=with_line(QRELS, 2, b"1 0 D00 1"))
    assert found(qrels) == {"duplicate": 1}
    assert "diversity judgements" not in as_text([qrels])


def test_advice_is_on_the_first_of_wrong_grades(call: Command, tmp_path: Path) -> None:
    """Which decides on the format, far behind the lines by which one is recognised."""
    run = tmp_path / "run"
    run.write_text("1 Q0 a 1 3 bm25\n")
    for number, grades in enumerate((("0.5", "x"), ("x", "0.5"))):
        qrels = tmp_path / f"qrels{number}"
        rows = enumerate((*["1"] * 20_000, *grades))
        qrels.write_text("".join(f"1 0 document{row} {grade}\n" for row, grade in rows))
        printed = call("check", qrels, run).out
        assert ("can be read with -R qrels_float" in printed) == (grades[0] == "0.5")
