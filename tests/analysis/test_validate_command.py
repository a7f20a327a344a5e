"""How much a review missed, through the command and the library."""

from __future__ import annotations

import gzip
import json
import re
import subprocess
import sys
from dataclasses import asdict
from pathlib import Path
from typing import Any

import numpy as np
import pytest
from support.commands import Command

import pres_eval as pe

FOUND = "".join(f"q1 d{number}\n" for number in range(40))
SAMPLE = "".join(f"q1 d{number} {int(number % 3 == 0)}\n" for number in range(0, 200, 4))
"""10 of 40 found documents are in the sample, and 40 of the 160 others."""

HEADER = "topic,docno,stratum,relevance\n"


@pytest.fixture
def call(call: Command, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Command:
    monkeypatch.chdir(tmp_path)
    Path("found").write_text(FOUND)
    Path("sample").write_text(SAMPLE)
    return call


def estimates(call: Command, *arguments: str) -> dict[str, dict[str, str]]:
    return {
        row["quantity"]: row for row in call.ok("validate", *arguments, "--format", "csv", "--quiet").rows
    }


WHOLE = ("found", "sample", "--collection", "200")


def test_the_numbers_are_those_of_the_strata(call: Command) -> None:
    found = estimates(call, *WHOLE)
    assert float(found["relevant found"]["estimate"]) == 40 * 4 / 10
    assert float(found["relevant missed"]["estimate"]) == 160 * 13 / 40
    assert float(found["recall"]["estimate"]) == pytest.approx(16 / 68)
    parts = call.ok("validate", *WHOLE, "--format", "json").json["parts"]
    assert [list(row.values())[2:] for row in parts] == [[True, 40, 10, 4], [False, 160, 40, 13]]


def test_the_seed_is_that_of_the_draws(call: Command) -> None:
    recalls = {seed: estimates(call, *WHOLE, "--seed", seed)["recall"] for seed in ("0", "9")}
    assert recalls["0"] == estimates(call, *WHOLE)["recall"]
    assert recalls["0"]["estimate"] == recalls["9"]["estimate"]
    for end in ("low", "high"):
        assert recalls["0"][end] != recalls["9"][end], end


def test_the_library_says_the_same(call: Command) -> None:
    review = pe.validate("found", "sample", collection=200, target=0.9)
    rows = call("validate", *WHOLE, "--target", "0.9", "--format", "json").json
    records = [asdict(each) for each in review.estimates]
    assert [{**each, "topic": each["topic"].decode()} for each in records] == rows["estimates"]
    assert review.sentence == rows["sentences"][0]["sentence"]
    assert review.sentence in review.to_text()
    assert not review.shows(review["recall"])
    assert review.plot().axes
    assert "\\begin{tabular}" in review.to_text("latex", "estimates")
    with pytest.raises(pe.PresEvalError, match="form='html': expected one of table, json, csv"):
        review.to_text("html")
    with pytest.raises(pe.PresEvalError, match=r"^table=nope: no such table"):
        review.to_text(table="nope")
    with pytest.raises(pe.PresEvalError, match="quantity 'Recall': expected one of recall, precision, F1,"):
        review["Recall"]
    with pytest.raises(pe.PresEvalError, match="either collection or sizes"):
        pe.validate("found", "sample", collection=200, sizes="sizes")
    with pytest.raises(pe.PresEvalError, match="confidence 95: expected a number above 0 and below 1"):
        pe.validate("found", "sample", collection=200, confidence=95)
    with pytest.raises(pe.PresEvalError, match="method exact: expected one of beta-binomial, wilson"):
        pe.validate("found", "sample", collection=200, method="exact")


def test_a_run_is_cut_where_the_reading_stopped(call: Command) -> None:
    lines = [f"q1 Q0 d{number} 0 {1000 - number} t\n" for number in range(100)]
    Path("run").write_text("".join(reversed(lines)))
    cut = estimates(call, "run", "sample", "--collection", "200", "--depth", "40")
    assert cut == estimates(call, *WHOLE)
    Path("parts").mkdir()
    for part in (0, 1):
        Path(f"parts/part-{part}").write_text("".join(lines[part::2]))
    asked = ("--collection", "200", "--depth", "40", "--format", "csv")
    assert (
        call.ok("validate", "parts", "sample", *asked).out == call.ok("validate", "run", "sample", *asked).out
    )
    script = f"{sys.executable} -m pres_eval validate <(cat run) sample {' '.join(asked)}"
    piped = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert piped.stdout.decode() == call.ok("validate", "run", "sample", *asked).out
    assert float(estimates(call, "run", "sample", "--collection", "200")["precision"]["estimate"]) > 0


def test_pipes_and_compressed_files(call: Command) -> None:
    expected = estimates(call, *WHOLE)
    Path("found.gz").write_bytes(gzip.compress(FOUND.encode(), mtime=0))
    Path("sample.gz").write_bytes(gzip.compress(SAMPLE.encode(), mtime=0))
    assert estimates(call, "found.gz", "sample.gz", "--collection", "200") == expected
    script = f"{sys.executable} -m pres_eval validate <(cat found) - --collection 200 --format csv < sample"
    done = subprocess.run(["bash", "-c", script], capture_output=True, check=True)
    assert done.stdout.decode() == call.ok("validate", *WHOLE, "--format", "csv").out


FORMS = {
    "with a stratum": SAMPLE.replace(" d", " d").replace(" 1\n", " all 1\n").replace(" 0\n", " all 0\n"),
    "commas": "topic,docno,relevance\n" + SAMPLE.replace(" ", ","),
    "another order": "rel;Reviewer;docid;qid\n" + "".join(
        "{2};A;{1};{0}\n".format(*line.split()) for line in SAMPLE.splitlines()
    ),
    "words": SAMPLE.replace(" 1\n", " Yes\n").replace(" 0\n", " no\n"),
    "decimals": SAMPLE.replace(" 1\n", " 1.0\n"),
    "a comment": "# judged on Monday\n" + SAMPLE,
    "unjudged ones": SAMPLE + "q1 d1 -1\nq1 d199 -1\n",
    "CRLF and a mark": "\ufeff" + SAMPLE.replace("\n", "\r\n"),
}  # fmt: skip


@pytest.mark.parametrize("form", FORMS)
def test_forms_of_samples(form: str, call: Command) -> None:
    expected = estimates(call, *WHOLE)
    Path("sample").write_bytes(FORMS[form].encode())
    assert estimates(call, *WHOLE) == expected


COLUMNS = ("--columns", "docno=Control Number", "--columns", "relevance=Responsive Coding")


@pytest.mark.parametrize(
    ("encoding", "between"),
    [
        (encoding, between)
        for row, encoding in enumerate(("utf-8", "utf-8-sig", "utf-16", "utf-16-le", "utf-16-be", "latin-1"))
        for column, between in enumerate(("\x14", "¶", ","))
        if (row + column) % 2 == 0
    ],
)
def test_load_files(encoding: str, between: str, call: Command) -> None:
    """Concordance's DAT with its þ, as platforms write it; the topic is that of the review."""
    expected = estimates(call, *WHOLE)
    rows = [("Control Number", "Custodian", "Responsive Coding")]
    for line in SAMPLE.splitlines():
        _, document, grade = line.split()
        rows.append((document, "Doe, Jane", "Responsive" if grade == "1" else "Not Responsive"))
    text = "".join(between.join(f"þ{cell}þ" for cell in row) + "\r\n" for row in rows)
    if between == ",":
        text = text.replace("þ", '"')
    Path("load.dat").write_bytes(text.encode(encoding))
    assert estimates(call, "found", "load.dat", "--collection", "200", *COLUMNS) == expected


STRATA = (
    HEADER
    + "".join(f"q1,d{number},found,{int(number % 3 == 0)}\n" for number in range(40))
    + "".join(f"q1,d{number},rest,{int(number % 40 == 0)}\n" for number in range(40, 200, 4))
)


def test_strata_that_were_found_or_missed_as_a_whole(call: Command) -> None:
    Path("strata").write_text(STRATA)
    Path("sizes").write_text("topic stratum size\nq1 found 40\nq1 rest 160\n")
    found = estimates(call, "found", "strata", "--sizes", "sizes")
    assert found["relevant found"]["low"] == found["relevant found"]["high"] == "14.0"
    assert float(found["relevant missed"]["estimate"]) == 160 * 4 / 40
    text = call.ok("validate", "found", "strata", "--sizes", "sizes").out
    assert "the review found 14; we can say" in text
    # What was judged as a whole is no sampled part.
    assert "95 % intervals of one sampled part" in text and "parts combined" not in text
    # The same from two files, and from one that lists all documents.
    header, *lines = STRATA.splitlines(keepends=True)
    Path("a").write_text(header + "".join(lines[:40]))
    Path("b").write_text(header + "".join(lines[40:]))
    assert estimates(call, "found", "a", "b", "--sizes", "sizes") == found
    rest = [f"q1,d{number},rest,-1\n" for number in range(40, 200) if number % 4]
    Path("every").write_text(STRATA + "".join(rest))
    assert estimates(call, "found", "every") == found


def test_one_stratum_that_the_review_crosses_has_what_is_left(call: Command) -> None:
    """All documents of the first are listed; the review found 10 of them, so 30 are of the second."""
    first = "".join(f"q1,d{number},a,{int(number < 5)}\n" for number in range(10))
    second = "".join(f"q1,d{number},b,{int(number % 20 == 0)}\n" for number in range(10, 200, 5))
    Path("strata").write_text(HEADER + first + second)
    Path("sizes").write_text("q1 a 10\nq1 b 190\n")
    parts = call.ok("validate", "found", "strata", "--sizes", "sizes", "--format", "json").json["parts"]
    assert [(row["stratum"], row["found"], row["size"]) for row in parts] == [
        ("a", True, 10), ("b", True, 30), ("b", False, 160)
    ]  # fmt: skip


def test_topics_have_rows_and_all_together(call: Command) -> None:
    Path("found").write_text(FOUND + FOUND.replace("q1", "q2"))
    Path("sample").write_text(SAMPLE + SAMPLE.replace("q1", "q2"))
    rows = call.ok("validate", *WHOLE, "--format", "json").json
    assert [row["topic"] for row in rows["sentences"]] == ["q1", "q2", "all"]
    assert rows["sentences"][2]["sentence"].startswith("Topic all: Of an estimated 136 ")
    assert [len(rows[name]) for name in ("estimates", "parts")] == [24, 4]


def test_targets_gate(call: Command) -> None:
    least = float(estimates(call, *WHOLE)["recall"]["at_least"])
    shown = call.ok("validate", *WHOLE, "--target", f"{least:.12f}", "--format", "json").json
    assert shown["targets"][0]["shown"] is True
    missed = call("validate", *WHOLE, "--target", "0.5")
    assert missed.code == 3
    assert missed.err == (
        f"pres-eval: --target: wanted a recall of at least 0.5 with 95 % confidence, shown is {least:.6f}\n"
    )
    assert [line.split()[-2:] for line in missed.out.splitlines() if "0.5000" in line] == [["not", "shown"]]
    assert "QBCB" in missed.out


def test_a_target_is_one_of_each_topic(call: Command) -> None:
    """One topic that is far from its target passed, as all topics together reached it."""
    Path("found").write_text(FOUND + "".join(f"q2 d{number}\n" for number in range(400)))
    Path("sample").write_text(SAMPLE + "".join(f"q2 d{n} {int(n < 300)}\n" for n in range(0, 1000, 4)))
    Path("sizes").write_text("q1 all 200\nq2 all 1000\n")
    files = ("validate", "found", "sample", "--sizes", "sizes")
    least = {
        row["topic"]: row["at_least"] for row in call.ok(*files, "--format", "json").json["estimates"][::8]
    }
    assert least["all"] > 0.5 > least["q1"]
    called = call(*files, "--target", "0.5")
    wanted = "topic q1: wanted a recall of at least 0.5 with 95 % confidence, shown is"
    assert (called.code, called.err) == (3, f"pres-eval: --target: {wanted} {least['q1']:.6f}\n")
    assert call(*files, "--target", f"{least['q1'] - 1e-10:.10f}").code == 0


def test_what_no_sample_has_is_not_ruled_out(call: Command) -> None:
    """Nothing relevant among 160 documents missed: at least 10 were, and recall was at most 0.99."""
    Path("found").write_text("".join(f"q1 d{number}\n" for number in range(2000)))
    numbers = [*range(40), *range(2000, 2160)]
    Path("sample").write_text("".join(f"q1 d{number} {int(number < 20)}\n" for number in numbers))
    review = pe.validate("found", "sample", collection=1_000_000)
    assert (review["relevant missed"].low, review["relevant missed"].at_least) == (0.0, 0.0)
    assert (review["recall"].high, review["recall"].at_most) == (1.0, 1.0)
    assert all(each.low <= each.estimate <= each.high for each in review.estimates)
    Path("sample").write_text("".join(f"q1 d{number} {int(number > 2140)}\n" for number in numbers))
    review = pe.validate("found", "sample", collection=1_000_000)
    assert (review["recall"].estimate, review["recall"].at_least) == (0.0, 0.0)
    assert "it found at least 0 %" in review.sentence


def test_a_sample_without_a_relevant_document_shows_no_recall(call: Command) -> None:
    """Where few of the documents found were judged it showed 20 %, by the prior alone."""
    Path("found").write_text("".join(f"q1 d{number}\n" for number in range(1000)))
    Path("sizes").write_text("q1 found 1000\nq1 rest 1000\n")
    strata = "".join(f"q1 d{n} {'rest' if n else 'found'} 0\n" for n in (0, *range(1000, 1500)))
    Path("sample").write_text(strata)
    called = call("validate", "found", "sample", "--sizes", "sizes", "--target", "0.1", "--format", "json")
    recall = called.json["estimates"][0]
    assert [recall[name] for name in ("estimate", "low", "high", "at_least")] == [None, 0.0, 1.0, 0.0]
    assert called.code == 3 and "it found at least 0 %" in called.json["sentences"][0]["sentence"]
    Path("sample").write_text(strata + "".join(f"q1 d{n} rest 0\n" for n in range(1500, 2000)))
    recall = pe.validate("found", "sample", sizes="sizes")["recall"]
    assert (recall.low, recall.high) == (1.0, 1.0), "nothing was missed"


def test_digits_of_shares_alone(call: Command) -> None:
    rows = call.ok("validate", *WHOLE, "--digits", "2", "--table", "estimates").out.splitlines()
    assert re.fullmatch(r"q1 +recall +0\.24  0\.\d\d \.\. 0\.\d\d +0\.\d\d +0\.\d\d", rows[4])
    assert rows[9].split()[:5] == ["q1", "relevant", "68", "47", ".."]


def test_nothing_relevant_is_no_nan(call: Command) -> None:
    """All is judged, nothing is relevant: "nan to nan", and the recall shown was nan."""
    Path("found").write_text("q1 d0\n")
    Path("sample").write_text("q1 d0 0\nq1 d1 0\n")
    called = call("validate", "found", "sample", "--collection", "2", "--target", "0.5")
    assert called.out.splitlines()[4].split() == ["q1", "recall", "-", "-", "-", "-"]
    assert "nan" not in called.out + called.err
    assert (called.code, called.err.endswith("confidence, shown is none, as nothing is relevant\n")) == (
        3,
        True,
    )


def test_erecall_is_of_two_samples(call: Command) -> None:
    """Its interval beside draws of beta-binomials by numpy."""
    Path("control").write_text(
        "".join(f"q1 d{number} {int(number % 3 == 0)}\n" for number in range(0, 200, 5))
    )
    found = estimates(call, *WHOLE, "--control", "control")["eRecall"]
    missed, relevant = 160 * 13 / 40, 200 * 14 / 40
    assert float(found["estimate"]) == pytest.approx(1 - missed / relevant)
    rng = np.random.default_rng(1)
    more = rng.binomial(120, rng.beta(13.5, 27.5, 200_000)) + 13
    every = rng.binomial(160, rng.beta(14.5, 26.5, 200_000)) + 14
    low, high = np.quantile(np.clip(1 - more / every, 0, 1), [0.0225, 0.9775])
    assert (float(found["low"]), float(found["high"])) == pytest.approx((low, high), abs=0.01)
    review = pe.validate("found", "sample", collection=200, control="control")
    assert f"{review['eRecall'].estimate}" == found["estimate"]
    assert set(estimates(call, *WHOLE, "--control", "control")) == {*estimates(call, *WHOLE), "eRecall"}
    assert "recall is surer" in call.ok("validate", *WHOLE, "--control", "control").out
    wilson = call("validate", *WHOLE, "--control", "control", "--method", "wilson")
    assert wilson.err == "pres-eval: --control goes with --method beta-binomial, not wilson\n"


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("q1 d1 1\nq1 d1 0\n", "control:2: document 'd1' again, expected a control sample of all documents,"),
        ("q1 d1 a 1\nq1 d2 b 0\n", "control:2: stratum 'b' of topic 'q1', expected a control sample of all"),
        ("q2 d1 1\n", "control: 0 judged documents of topic 'q1', expected a sample of its 200 documents"),
        (
            SAMPLE,
            "control: 40 of its 40 judged documents that the review missed are in the sample too, expected a"
            " sample that was drawn independently of it, of which chance has about 10 there",
        ),
        (
            "".join(f"q1 d{number} 0\n" for number in (*range(60, 180, 4), 181, 182, 183)),
            "control: 30 of its 33 judged documents that the review missed are in the sample too",
        ),
    ],
)
def test_mistakes_in_control_samples(text: str, message: str, call: Command) -> None:
    Path("control").write_text(text)
    called = call("validate", *WHOLE, "--control", "control")
    assert (called.code, called.out) == (2, "")
    assert called.err.startswith(f"pres-eval: {message}")


def test_a_topic_judged_as_a_whole_says_nothing_of_the_control_of_others(call: Command) -> None:
    Path("found").write_text(FOUND + "q2 e0\n")
    Path("sample").write_text(SAMPLE + "q2 e0 1\nq2 e1 0\nq2 e2 0\n")
    Path("sizes").write_text("q1 all 200\nq2 all 3\n")
    Path("control").write_text(SAMPLE + "q2 e1 0\n")
    called = call("validate", "found", "sample", "--sizes", "sizes", "--control", "control")
    assert "control: 40 of its 40 judged documents that the review missed are in the sample too" in called.err


def test_words_are_grades_in_control_samples_too(call: Command) -> None:
    control = "".join(f"q1 d{number} {int(number % 3 == 0)}\n" for number in range(0, 200, 5))
    Path("control").write_text(control)
    expected = pe.validate("found", "sample", collection=200, control="control")["eRecall"]
    for path, text in (("sample", SAMPLE), ("control", control)):
        Path(path).write_text(text.replace(" 1\n", " hot\n").replace(" 0\n", " cold\n"))
    words = {"hot": 1, "cold": 0}
    review = pe.validate("found", "sample", collection=200, control="control", grades=words)
    assert review["eRecall"] == expected


def test_an_empty_cell_is_no_judgement(call: Command) -> None:
    expected = estimates(call, *WHOLE)
    judged = SAMPLE.replace(" ", ",")
    unjudged = "".join(f"q1,d{number},\n" for number in range(1, 200, 4))
    Path("sample").write_text(f"topic,docno,relevance\n{judged}{unjudged}")
    assert estimates(call, *WHOLE) == expected


def test_margins_and_plans(call: Command) -> None:
    rows = call.ok("validate", *WHOLE, "--margin", "0.05", "--format", "json").json["more"]
    assert all(row["needed"] > row["judged"] and row["more"] == row["needed"] - row["judged"] for row in rows)
    plan = call.ok("validate", "--collection", "100000", "--prevalence", "0.02", "--format", "json").json
    assert plan["settings"] == {"collection": 100000, "prevalence": 0.02, "margin": 0.05, "confidence": 0.95}
    assert plan["plan"][0] == {"recall": 0.5, "relevant": 323, "documents": 16120}
    assert [row["missed"] for row in plan["elusion"] if row["documents"] == 300] == [992]
    sure = ("--collection", "50", "--prevalence", "0.02", "--confidence", "0.999999999")
    assert "99.9999999 % confidence" in call.ok("validate", *sure).out, "not 100 %"


def test_pictures_are_drawn(call: Command) -> None:
    call.ok("validate", *WHOLE, "--plot", "picture.svg", "--quiet")
    assert "recall" in Path("picture.svg").read_text()


def test_settings_are_in_the_json(call: Command) -> None:
    record = call.ok("validate", *WHOLE, "--method", "wilson", "--format", "json").json
    assert record["settings"]["method"] == "wilson"
    assert record["settings"]["samples"] == ["sample"]
    json.dumps(record, allow_nan=False)


MISTAKES = [
    ("q1 0 d1 1\nq1 0 d2 0\n", "sample:2: document '0' again, expected each document once, in one stratum;"
     " these look like qrels, expected topic docno stratum relevance"),
    ("q1 d1 a 1\nq1 d1 b 1\n", "sample:2: document 'd1' again, expected each document once, in one stratum"),
    ("q1 d1\n", "sample:1: 2 columns, expected topic docno stratum relevance, or a header with docno and"
     " relevance; --columns names them: docno=DocID"),
    ("q1 d1 a 1\nq1 d2 a\n", "sample:2: 3 columns, expected 4 as in line 1"),
    ("q1 d1 a high\n", "sample:1: relevance 'high', expected a whole number (negative: not judged),"
     " or yes or no"),
    ("q1 d1 a 0.5\n", "sample:1: relevance '0.5', expected a whole number (negative: not judged),"
     " or yes or no"),
    ("docno,relevance\n,1\n", "sample:2: no docno, expected one in each line"),
    ("", "sample: the file is empty, expected lines of text"),
    (HEADER, "sample:1: headings without a document under them, expected at least one"),
    ("q1 d1 a -1\n", "sample:1: 0 judged documents among the 40 of stratum 'a' of topic 'q1' that the review"
     " found, expected a sample of these"),
    ("q1 d1 a 1\n", "sample:1: 0 judged documents among the 160 of stratum 'a' of topic 'q1' that the review"
     " missed, expected a sample of these"),
    ("q2 d1 a 1\n", "sample:1: topic 'q2', expected a topic of the review, such as 'q1'"),
    ("q1 d1 a 1\nq1 x b 1\n", "how many documents stratum 'a' of topic 'q1' has is not known:"
     " expected --sizes FILE (lines of topic, stratum, size)"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), MISTAKES)
def test_mistakes_in_samples(text: str, message: str, call: Command) -> None:
    Path("sample").write_text(text)
    called = call("validate", *WHOLE)
    assert called.code in (1, 2)
    assert called.err.startswith(f"pres-eval: {message}")
    assert not called.out


def test_every_topic_of_the_review_needs_a_sample(call: Command) -> None:
    """2.9.0: a target was shown though a topic had none."""
    Path("sample").write_text(SAMPLE)
    with Path("found").open("a") as found:
        found.write("q2 d1\nq2 d2\n")
    called = call("validate", "found", "sample", "--collection", "200", "--target", "0.1")
    assert (called.code, called.out) == (2, "")
    assert called.err.startswith(
        "pres-eval: sample: no sample of topic 'q2', of which the review found 2 doc"
    )


def test_a_topic_of_the_sample_alone_is_a_slip_unless_its_size_is_told(call: Command) -> None:
    """Ids written otherwise (`q02` for `q2`) counted as a topic of which everything was missed."""
    with Path("sample").open("a") as sample:
        sample.write("q02 d1 1\nq02 d2 0\n")
    called = call("validate", "found", "sample", "--collection", "200")
    assert called.code == 2 and "topic 'q02', of which the review found nothing, expected" in called.err
    lines = [line.split() for line in Path("sample").read_text().splitlines()]
    Path("strata").write_text("".join(
        f"{topic} {docno} {'found' if f'{topic} {docno}' in FOUND.splitlines() else 'rest'} {grade}\n"
        for topic, docno, grade in lines
    ))  # fmt: skip
    Path("sizes").write_text("q1 found 40\nq1 rest 160\nq02 rest 100\n")
    found = call.ok("validate", "found", "strata", "--sizes", "sizes", "--format", "csv", "--quiet").rows
    [missed] = [row for row in found if (row["topic"], row["quantity"]) == ("q02", "relevant missed")]
    assert float(missed["estimate"]) == 50.0


SIZES = [
    ("q1 found 40\n", "strata:42: stratum 'rest' of topic 'q1', which has no size, expected a line of"),
    ("q1 found 40\nq1 rest 30\n", "sizes:2: 30 documents in stratum 'rest' of topic 'q1', of which 40 are in"
     " the sample, expected 40 at least, or inclusion probabilities are above 1"),
    ("q1 found 40\nq1 rest 160\nq1 other 7\n", "sizes:3: no judged document in stratum 'other' of topic 'q1',"
     " expected a sample of each stratum"),
    ("q1 found 50\nq1 rest 160\n", "strata:2: 40 documents of topic 'q1' in the review, expected the 50 of"
     " the strata that it found; are sizes, strata and the review of the same collection?"),
    ("q1 found 40\nq1 found 4\n", "sizes:2: stratum 'found' of topic 'q1' again, expected each stratum once"),
    ("q1 found many\n", "sizes:1: 'q1 found many', expected topic stratum size, the size a whole number"),
]  # fmt: skip


@pytest.mark.parametrize(("text", "message"), SIZES)
def test_mistakes_in_sizes(text: str, message: str, call: Command) -> None:
    Path("strata").write_text(STRATA)
    Path("sizes").write_text(text)
    called = call("validate", "found", "strata", "--sizes", "sizes")
    assert (called.code, called.out) == (2, "")
    assert called.err.startswith(f"pres-eval: {message}")


def test_strata_that_the_review_crosses_need_all_their_documents(call: Command) -> None:
    lines = [f"q1,d{number},{'ab'[number % 2]},0\n" for number in range(0, 200, 3)]
    Path("strata").write_text(HEADER + "".join(lines))
    Path("sizes").write_text("q1 a 100\nq1 b 100\n")
    called = call("validate", "found", "strata", "--sizes", "sizes")
    assert called.code == 2
    assert called.err == (
        "pres-eval: strata:2: stratum 'a' of topic 'q1': the review found some of its sample; of how many in"
        " all is not known, expected strata that were found or missed as a whole; list all documents of the"
        " stratum, those that nobody judged with relevance -1\n"
    )


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        (("found", "sample"), "how many documents stratum 'all' of topic 'q1' has is not known"),
        (("found",), "expected a review, one sample at least, and either collection or sizes"),
        ((), "expected REVIEW SAMPLE ..., or for a plan no files and --collection NUM --prevalence SHARE"),
        (
            (*WHOLE, "--prevalence", "0.1"),
            "--prevalence is for a plan, without files: here the samples estimate it; leave it out",
        ),
        ((*WHOLE, "--depth", "5"), "--depth goes with a run (topic Q0 docno rank score tag), not with lines"),
        (
            (*WHOLE, "--columns", "doc=x"),
            "--columns doc=x: expected NAME=HEADING, NAME one of topic, docno, stratum, grade",
        ),
        ((*WHOLE, "--target", "75"), "--target: found '75', expected a number above 0 and below 1"),
        (("found", "sample", "--collection", "20"), "sample:1: 20 documents in stratum 'all' of topic 'q1'"),
        (("found", "sample", "--collection", "60"), "sample:1: 40 judged documents among the 20 of stratum"),
    ],
)
def test_mistakes_in_options(arguments: tuple[str, ...], message: str, call: Command) -> None:
    called = call("validate", *arguments)
    assert called.code in (1, 2)
    assert called.err.startswith(f"pres-eval: {message}")
    assert not called.out


@pytest.mark.parametrize(
    "option", [("--columns", "docno=ID"), ("--grades", "yes=1"), ("-l", "2"), ("--method", "wald")]
)
def test_a_plan_refuses_options_of_samples(option: tuple[str, str], call: Command) -> None:
    called = call("validate", "--collection", "1000", "--prevalence", "0.02", *option)
    assert called.code == 1
    assert called.err.startswith("pres-eval: expected REVIEW SAMPLE ..., or for a plan no files and")


def test_columns_that_are_not_there(call: Command) -> None:
    Path("sample").write_text("Doc ID,Responsive\nd1,Yes\n")
    called = call("validate", *WHOLE, "--columns", "docno=DocID", "--columns", "relevance=Responsive")
    assert called.err.startswith("pres-eval: sample:1: no column 'DocID', expected topic docno stratum")
    assert called.err.endswith("did you mean Doc ID?\n")
    Path("found").write_text("q1 d1\nq2 d1\n")
    called = call("validate", *WHOLE, "--columns", "docno=Doc ID", "--columns", "relevance=Responsive")
    assert called.err == (
        "pres-eval: sample:2: no topic, expected one in each line;"
        " --columns topic=HEADING names the column of topics\n"
    )


def elusion_test(documents: int, *relevant: int) -> None:
    """Write a review that found 1,000 documents, all judged, and a sample of 50,000 others."""
    Path("found").write_text("".join(f"q1 d{number}\n" for number in range(1000)))
    Path("sizes").write_text("q1 found 1000\nq1 rest 50000\n")
    inside = "".join(f"q1 d{number} found {int(number < 900)}\n" for number in range(1000))
    rest = "".join(f"q1 e{number} rest {int(number in relevant)}\n" for number in range(documents))
    Path("sample").write_text(inside + rest)


ELUSION_TEST = ("validate", "found", "sample", "--sizes", "sizes")


def limits(call: Command, *arguments: str) -> dict[str, dict[str, Any]]:
    rows = call(*ELUSION_TEST, *arguments, "--format", "json").json["estimates"]
    return {row["quantity"]: row for row in rows}


def test_an_elusion_test_proves_what_the_plan_promises(call: Command) -> None:
    """1,500 documents without a relevant one "proved" at most 65 missed; the plan says 98."""
    elusion_test(1500)
    plan = call.ok("validate", "--collection", "50000", "--prevalence", "0.02", "--format", "json").json
    [planned] = [row["missed"] for row in plan["elusion"] if row["documents"] == 1500]
    found = limits(call)
    assert found["relevant missed"]["at_most"] == planned == 98
    assert found["recall"]["at_least"] == 900 / (900 + planned)
    assert found["recall"]["low"] <= found["recall"]["at_least"], "the interval reaches to both limits"
    assert found["relevant missed"]["high"] >= planned
    assert call(*ELUSION_TEST, "--target", "0.91").code == 3, "shown before, though 98 may be missed"
    assert call(*ELUSION_TEST, "--target", "0.90").code == 0


def test_limits_of_one_uncertain_stratum_are_the_hypergeometric_ones(call: Command) -> None:
    """Each limit is the last number of missed documents that the sample does not contradict at 5 %."""
    hypergeometric = pytest.importorskip("scipy.stats").hypergeom
    elusion_test(600, 5, 50, 599)
    missed = limits(call)["relevant missed"]
    # As many relevant documents or fewer in the sample, and as many or more.
    assert hypergeometric.cdf(3, 50_000, missed["at_most"], 600) > 0.05
    assert hypergeometric.cdf(3, 50_000, missed["at_most"] + 1, 600) <= 0.05
    assert hypergeometric.sf(2, 50_000, missed["at_least"], 600) > 0.05
    assert hypergeometric.sf(2, 50_000, missed["at_least"] - 1, 600) <= 0.05


def test_the_limit_of_recall_of_one_sample_of_all_is_the_exact_one(call: Command) -> None:
    """Of 52 relevant documents in the sample 34 were found: Clopper and Pearson's limit of that share.

    It was 0.54; at that recall 7.5 % of the samples have 34 or more among those found.
    """
    binomial = pytest.importorskip("scipy.stats").binom
    Path("found").write_text("".join(f"q1 d{number}\n" for number in range(100_000)))
    inside = "".join(f"q1 d{number} {int(number < 34)}\n" for number in range(2000))
    rest = "".join(f"q1 e{number} {int(number < 18)}\n" for number in range(2000))
    Path("sample").write_text(inside + rest)
    review = pe.validate("found", "sample", collection=200_000)
    assert binomial.sf(33, 52, review["recall"].at_least) == pytest.approx(0.05, abs=0.005)


@pytest.mark.parametrize("iteration", ["0", "Q0"])
def test_qrels_that_were_given_as_a_sample_are_told(iteration: str, call: Command) -> None:
    Path("judged").write_text(f"q1 {iteration} d1 1\nq1 {iteration} d2 0\n")
    called = call("validate", "found", "judged", "--collection", "200")
    assert (called.code, called.out) == (2, "")
    assert f"judged:2: document '{iteration}' again" in called.err
    assert "these look like qrels, expected topic docno stratum relevance" in called.err
