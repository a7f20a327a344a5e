"""What the page says of the judgements, and the warnings of equal scores."""

from __future__ import annotations

import json
import os
import re
from html import unescape
from pathlib import Path
from threading import Thread

import numpy as np
import pytest
from click.testing import CliRunner
from support.commands import Command
from support.made_reports import PATENT_QRELS, PATENT_RUNS, judgements, ranking, report_of, report_of_texts

from pres_eval.cli.commands import command_of
from pres_eval.report.html import as_html
from pres_eval.report.report_tables import as_tables
from pres_eval.report.trec_report import Report


def words_of(report: Report) -> str:
    found = re.search(r'<section id="trust".*?</section>', as_html(report), re.DOTALL)
    assert found is not None
    return unescape(re.sub("<[^>]*>", "", found[0].replace("</td>", "|").replace("</th>", "|")))


def test_judgements_are_those_of_other_commands() -> None:
    report = report_of(PATENT_QRELS, PATENT_RUNS)
    (table,) = (table for table in as_tables(report) if table.name == "judgements")
    measures = [f"-m{name}" for name in ("judged.10", "judged.100", "PRES.100", "map", "P.10")]
    for place, path in enumerate(PATENT_RUNS):
        row = dict(zip(table.headings, table.rows[place], strict=True))
        plain, bounds = (
            json.loads(
                CliRunner()
                .invoke(command_of("evaluate"), [PATENT_QRELS, path, "--format", "json", *options])
                .output
            )["runs"][0]["summary"]
            for options in (measures, [*measures[2:], "--bounds"])
        )
        assert [row[f"judged_{k}"] for k in (10, 100)] == [plain[f"judged_{k}"] for k in (10, 100)]
        for label in ("PRES_100", "map", "P_10"):
            for end in ("least", "greatest"):
                assert row[f"{label} {end}"] == bounds[f"{label}(bound={end})"]
        ranks = report.documents.ranks
        alone = sum(
            bool(ranks[place, at]) and np.count_nonzero(ranks[:, at]) == 1 for at in range(ranks.shape[1])
        )
        assert row["unique_relevant"] == alone > 0


def test_the_order_is_that_of_robustness() -> None:
    report = report_of(PATENT_QRELS, PATENT_RUNS)
    options = ["-m", "PRES.100", "--fractions", "0.5", "--samples", "5", "--format", "json"]
    result = CliRunner().invoke(command_of("robustness"), [PATENT_QRELS, *PATENT_RUNS, *options, "--quiet"])
    found = [row["tau_a"] for row in json.loads(result.output)["samples"]]
    assert f"τ = {sum(found) / 5:.2f} on average, {min(found):.2f} at worst" in words_of(report)


def test_topics_with_few_and_without_relevant_documents(tmp_path: Path) -> None:
    qrels = judgements("1", 9) + judgements("2", 2) + "3 0 N1 0\n"
    runs = ["".join(ranking(topic, (1, at), 9, f"r{at}") for topic in "123") for at in (2, 3)]
    words = words_of(report_of_texts(tmp_path, qrels, *runs))
    assert "1 topic of 3 without a relevant document: 3" in words
    assert "1 topic of 3 with fewer than 5 relevant documents: 2" in words


def test_one_run_has_no_order(tmp_path: Path) -> None:
    words = words_of(report_of_texts(tmp_path, judgements("1", 9), ranking("1", (1,), 9, "only")))
    assert "Kendall" not in words and "could be best" not in words


@pytest.mark.parametrize("bounds", [False, True])
def test_no_run_is_said_to_stay_best_where_bounds_meet(tmp_path: Path, bounds: bool) -> None:
    """Two runs of which all documents are judged, or none but the relevant."""
    known = "" if bounds else "".join(f"1 0 N{rank} 0\n" for rank in range(1, 10))
    runs = [ranking("1", (1, 2), 9, "good"), ranking("1", (5, 6), 9, "poor")]
    words = words_of(report_of_texts(tmp_path, judgements("1", 2) + known, *runs))
    assert ("The bounds of PRES_100 are one value for each run" in words) != bounds
    # N1 and N2, which only poor has, are before R1 and R2.
    assert ("Other judgements could put another run first by PRES_100" in words) == bounds


@pytest.mark.parametrize("name", ["report.html", "report.HTM", "report.pdf"])
def test_only_pages_and_programs_wait_for_it(name: str) -> None:
    wanted = report_of(PATENT_QRELS, PATENT_RUNS, outputs=(name,))
    assert (wanted.trust is None) == (name == "report.pdf")
    assert report_of(PATENT_QRELS, PATENT_RUNS, outputs=(), output_format="json").trust is not None
    assert report_of(PATENT_QRELS, PATENT_RUNS, outputs=()).trust is None


def test_judged_only_has_no_bounds(tmp_path: Path) -> None:
    runs = [ranking("1", (1, 2), 9, "good"), ranking("1", (5, 6), 9, "poor")]
    report = report_of_texts(tmp_path, judgements("1", 2), *runs, judged_only=True)
    assert report.trust is not None and report.trust.bounds == {} and " .. " not in words_of(report)


@pytest.mark.parametrize("name", ["report", "compare"])
def test_equal_scores_are_told(command: Command, tmp_path: Path, name: str) -> None:
    (tmp_path / "qrels").write_text(judgements("1", 2) + judgements("2", 2))
    lines = [f"{topic} Q0 {docno} 1 1 tied\n" for topic in "12" for docno in ("A", "N", "R1", "R2", "Z")]
    (tmp_path / "run").write_text("".join(lines))
    called = command(name, tmp_path / "qrels", tmp_path / "run")
    assert "run: equal scores: map is 0.3250 to 1.0000 by how they are ordered (--ties)" in called.err
    assert "equal scores" not in command(name, tmp_path / "qrels", tmp_path / "run", "--quiet").err
    page = as_html(report_of(str(tmp_path / "qrels"), [str(tmp_path / "run")]))
    assert page.count("PRES_100 is 0.9700 to 1.0000") == 2


def test_the_baseline_is_the_best_or_the_one_named(command: Command, tmp_path: Path) -> None:
    assert report_of(PATENT_QRELS, PATENT_RUNS[1:]).baseline == 1
    report = report_of(PATENT_QRELS, PATENT_RUNS, baseline="keyword")
    assert report.baseline == 1
    assert "each run against keyword over" in as_html(report)
    called = command("report", PATENT_QRELS, *PATENT_RUNS, "--baseline", "keywrd", "-o", tmp_path / "r.html")
    assert called.code == 1
    assert "--baseline keywrd: no such run; did you mean keyword?" in called.err


def page_of(command: Command, folder: Path, qrels: str, *runs: str) -> str:
    """Return the text of the page that the command writes."""
    (folder / "qrels").write_text(qrels)
    for number, run in enumerate(runs):
        (folder / f"run{number}").write_text(run)
    files = [folder / f"run{number}" for number in range(len(runs))]
    called = command("report", folder / "qrels", *files, "-o", folder / "r.html", "-m", "P.10", "--quiet")
    assert called.code == 0, called.err
    return unescape(re.sub("<[^>]*>", "", (folder / "r.html").read_text()))


def test_shares_of_judged_documents_are_rounded(command: Command, tmp_path: Path) -> None:
    """2.21.0: "on average 83 %" of 0.84, "99 %" of 0.9967 (which is not all)."""
    topics = [str(topic) for topic in range(1, 31)]
    for unjudged, words in ((48, "on average 84 % of"), (1, "on average over 99 % of"), (0, "all of")):
        qrels, run = [], []
        for place, topic in enumerate(topics):
            gone = unjudged // 30 + (place < unjudged % 30)
            qrels += [f"{topic} 0 N{rank} {int(rank == 10)}\n" for rank in range(1 + gone, 11)]
            run += [ranking(topic, (), 10, "run")]
        assert f"{words} the first 10 documents of run are judged" in page_of(
            command, tmp_path, "".join(qrels), "".join(run)
        )


def test_bounds_of_runs_that_share_unjudged_documents_prove_nothing(command: Command, tmp_path: Path) -> None:
    """2.21.0: "another run could be best", although `good` has one relevant document more in any case."""
    topics = [str(topic) for topic in range(1, 4)]
    qrels = "".join(f"{topic} 0 R1 1\n{topic} 0 N1 0\n" for topic in topics)
    good = "".join(ranking(topic, (1,), 6, "good") for topic in topics)
    poor = "".join(
        f"{topic} Q0 {docno} {rank} {9 - rank} poor\n"
        for topic in topics
        for rank, docno in enumerate(("N1", "N2", "N3", "N4", "N5", "N6"), 1)
    )
    words = page_of(command, tmp_path, qrels, good, poor)
    assert (
        "By P_10 no other run can be better than good, whatever grades the unjudged documents of these"
        in words
    )
    assert "has further down, both down to rank 10 (here 0), had the highest grade" in words
    assert "all others 0: then good would have 0.1000 and poor 0.0000" in words
    alone = "".join(f"{topic} Q0 X{rank} {rank} {9 - rank} poor\n" for topic in topics for rank in (1, 2))
    words = page_of(command, tmp_path, qrels, good, alone)
    assert "Other judgements could put another run first by P_10" in words
    assert "good would have 0.1000 and poor 0.2000. 1 of 1 other run could be better" in words


def test_other_judgements_of_measures_that_share_a_denominator_prove_nothing(
    command: Command, tmp_path: Path
) -> None:
    (tmp_path / "qrels").write_text("1 0 R1 1\n1 0 N1 0\n")
    for name, document in (("good", "R1"), ("poor", "N1")):
        (tmp_path / name).write_text(f"1 Q0 {document} 1 9 {name}\n1 Q0 U 2 8 {name}\n")
    files = [tmp_path / name for name in ("qrels", "good", "poor")]
    command("report", *files, "-m", "map", "-o", tmp_path / "r.html", "--quiet")
    words = unescape(re.sub("<[^>]*>", "", (tmp_path / "r.html").read_text()))
    assert (
        "By map good stays the best under the judgements that were tried" in words
        and "This is no proof" in words
    )


def test_judgements_that_bring_topics_back_or_pipes_that_end_prove_nothing(
    command: Command, tmp_path: Path
) -> None:
    """Topic 2 has no relevant document, so --empty skip leaves it out until one is judged."""
    (tmp_path / "qrels").write_text("1 0 a 1\n2 0 n 0\n")
    (tmp_path / "A").write_text("1 Q0 a 1 9 A\n2 Q0 n 1 9 A\n")
    (tmp_path / "B").write_text("1 Q0 n 1 9 B\n2 Q0 y 1 9 B\n2 Q0 z 2 8 B\n")
    files = [tmp_path / name for name in ("qrels", "A", "B")]
    page = tmp_path / "r.html"
    command("report", *files, "-m", "P.3", "--empty", "skip", "-o", page, "--quiet")
    assert "whatever grades" not in page.read_text()
    os.mkfifo(tmp_path / "pipe")
    writer = Thread(target=lambda: (tmp_path / "pipe").write_text("1 Q0 n 1 9 B\n2 Q0 y 1 9 B\n"))
    writer.start()
    called = command("report", *files[:2], tmp_path / "pipe", "-m", "P.3", "-o", page, "--quiet")
    writer.join()
    assert called.code == 0, called.err
    assert "whatever grades" not in page.read_text()


def test_a_level_of_the_measure_itself_counts(command: Command, tmp_path: Path) -> None:
    """P(rel=2): documents of grade 1, the highest of topic 1, are not relevant, and those of 2 would be."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 n 0\n2 0 a 2\n")
    (tmp_path / "A").write_text("1 Q0 a 1 9 A\n2 Q0 a 1 9 A\n")
    (tmp_path / "B").write_text("1 Q0 x 1 9 B\n1 Q0 y 2 8 B\n2 Q0 z 1 9 B\n")
    files = [tmp_path / name for name in ("qrels", "A", "B")]
    command("report", *files, "-m", "P(rel=2)@3", "-o", tmp_path / "r.html", "--quiet")
    words = unescape(re.sub("<[^>]*>", "", (tmp_path / "r.html").read_text()))
    assert "Other judgements could put another run first by P_3(rel=2)" in words
    assert "then A would have 0.1667 and B 0.5000." in words


def write_three_files(folder: Path) -> list[Path]:
    """Write judgements and two runs, A the better one; B retrieved u, which nobody judged, before n."""
    (folder / "qrels").write_text("1 0 a 1\n1 0 n 0\n1 0 u -1\n")
    (folder / "A").write_text("1 Q0 a 1 9 A\n1 Q0 n 2 8 A\n")
    (folder / "B").write_text("1 Q0 n 1 9 B\n1 Q0 u 2 8 B\n")
    return [folder / name for name in ("qrels", "A", "B")]


def words_of_page(command: Command, folder: Path, *arguments: str | Path) -> str:
    """Return the text of the page that `report` writes with these arguments."""
    command.ok("report", *arguments, "-o", folder / "r.html", "--quiet")
    return unescape(re.sub("<[^>]*>", "", (folder / "r.html").read_text()))


@pytest.mark.parametrize(
    "options", [("-m", "P(bound=greatest)@3"), ("-m", "P(judged_only=True)@3"), ("-m", "P.3", "-l", "0")]
)
def test_columns_that_no_judgement_leaves_open_have_no_bounds(
    command: Command, tmp_path: Path, options: tuple[str, ...]
) -> None:
    """5.0.0: a traceback for a bound, and an error about bounds that nobody asked for."""
    words = words_of_page(command, tmp_path, *write_three_files(tmp_path), *options)
    assert "can be better" not in words and "bounds of P_3" not in words


def test_documents_that_the_judgements_leave_open_count_as_unjudged(command: Command, tmp_path: Path) -> None:
    """A grade of -1 says that nobody judged u.  5.0.0: only the bounds, "of 0 of 1 other runs"."""
    words = words_of_page(command, tmp_path, *write_three_files(tmp_path), "-m", "num_rel_ret")
    assert "By num_rel_ret no other run can be better than A, whatever grades" in words
    assert "(here 1), had the highest grade" in words and "then A would have 1 and B 1." in words


def test_other_judgements_end_where_the_ranking_ends(command: Command, tmp_path: Path) -> None:
    """5.0.0: with -M 1 u at rank 2 was among those "down to rank 5"."""
    files = write_three_files(tmp_path)
    with files[2].open("a") as run:
        run.write("1 Q0 v 3 7 B\n")
    words = words_of_page(command, tmp_path, *files, "-m", "P.5", "-M", "2")
    assert "both down to rank 2 (here 1), had the highest grade" in words


@pytest.mark.parametrize("measure", ["bpref", "infAP"])
def test_documents_that_do_not_favour_are_judged_as_0(command: Command, tmp_path: Path, measure: str) -> None:
    """As if they were unjudged, bpref and infAP of the best run had other values."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 1\n1 0 n 0\n")
    (tmp_path / "A").write_text("".join(f"1 Q0 {d} 1 {9 - i} A\n" for i, d in enumerate("uavbn")))
    (tmp_path / "B").write_text("".join(f"1 Q0 {d} 1 {9 - i} B\n" for i, d in enumerate("nwb")))
    (tmp_path / "judged").write_text("1 0 a 1\n1 0 b 1\n1 0 n 0\n1 0 u 0\n1 0 v 0\n1 0 w 1\n")
    files = [tmp_path / name for name in ("qrels", "A", "B")]
    command("report", *files, "-m", measure, "-o", tmp_path / "r.html", "--quiet")
    words = unescape(re.sub("<[^>]*>", "", (tmp_path / "r.html").read_text()))
    values = [command.ok("-m", measure, tmp_path / "judged", run).out.split()[-1] for run in files[1:]]
    assert f"then A would have {values[0]} and B {values[1]}." in words


def test_two_runs_that_tie_have_a_verdict(command: Command, tmp_path: Path) -> None:
    """2.21.0: nothing but "(t, correction holm over 1 pair of runs, p < 0.05.)"."""
    topics = [str(topic) for topic in range(1, 9)]
    qrels = "".join(judgements(topic, 1) for topic in topics)
    runs = ("".join(ranking(topic, (1 + (at + off) % 2,), 4, name) for at, topic in enumerate(topics))
            for off, name in enumerate(("even", "odd")))  # fmt: skip
    (tmp_path / "qrels").write_text(qrels)
    for name, run in zip(("even", "odd"), runs, strict=True):
        (tmp_path / name).write_text(run)
    files = [tmp_path / name for name in ("qrels", "even", "odd")]
    command("report", *files, "-m", "map", "-o", tmp_path / "r.html", "--quiet")
    words = unescape(re.sub("<[^>]*>", "", (tmp_path / "r.html").read_text()))
    assert "even and odd tie for the best map" in words
    assert "no significant difference was found between even and odd (+0.0000, p = 1.0000, 8 topics)" in words


def test_rows_of_judgements_have_the_values_of_ties_in_their_order(command: Command, tmp_path: Path) -> None:
    (tmp_path / "qrels").write_text("1 0 a 1\n")
    for name in ("one", "other"):
        (tmp_path / name).write_text(f"1 Q0 a 1 2 {name}\n1 Q0 b 2 2 {name}\n")
    files = (tmp_path / "qrels", tmp_path / "one", tmp_path / "other")
    options = ("-m", "map", "--table", "judgements", "--format", "csv", "--quiet")
    row = command("report", *files, *options).rows[0]
    assert (row["ties least"], row["ties greatest"]) == ("0.5", "1.0")
