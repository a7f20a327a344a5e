"""Relevance judgements: the same as one line at a time, in any layout and chunk size."""

from __future__ import annotations

from dataclasses import replace
from itertools import permutations
from pathlib import Path
from unittest import mock

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plain_reading import (
    BYTE_ORDER_MARK,
    IDS,
    LINE_ENDS,
    NOISE,
    SEPARATORS,
    TOPICS,
    PlainQrels,
    SmallSource,
)
from support.plain_reading import read_qrels as read_plainly

from pres_eval.errors import InputError, UsageError
from pres_eval.reading.formats import recognising
from pres_eval.reading.judgements import relevance as reading_qrels
from pres_eval.reading.judgements.judged_groups import GroupQrels, Preferences
from pres_eval.reading.judgements.relevance import JUDGED_FORMATS, QrelsJudgements, read_qrels, read_relevance

WHOLE = 1 << 20
OF_LINES = [form for form in JUDGED_FORMATS if form not in recognising.FORMATS]
"""trec_eval's formats."""
GRADES = st.sampled_from([b"0", b"1", b"2", b"-1", b"+1", b"007", b"-2", b"100", b"9223372036854775807"])


def as_plain(qrels: QrelsJudgements) -> PlainQrels:
    """Judgements as the twin has them."""
    pool = qrels.pool
    found = PlainQrels()
    for topic, document, grade in zip(
        pool.topic_of.tolist(), pool.documents, qrels.grade.tolist(), strict=True
    ):
        found.grades.setdefault(pool.topics[topic], {})[document] = grade
    twice = qrels.duplicates
    found.duplicates = [
        (pool.topics[topic], pool.documents[document], first, second)
        for topic, document, first, second in zip(
            *(twice.topic.tolist(), twice.document.tolist()),
            *(twice.first_line.tolist(), twice.second_line.tolist()),
            strict=True,
        )
    ]
    found.num_positive = qrels.num_positive()
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("qrels") / "qrels"


@st.composite
def qrels_files(draw: st.DrawFn) -> bytes:
    """The bytes of a qrels file, with documents that are judged again now and then."""
    judgements = draw(st.lists(st.tuples(TOPICS, IDS), min_size=1, max_size=25))
    plain = draw(st.booleans())
    separators, ends = (st.just(b" "), st.just(b"\n")) if plain else (SEPARATORS, LINE_ENDS)
    lines = [draw(st.sampled_from([b"", BYTE_ORDER_MARK]))]
    for topic, docno in judgements:
        if not plain and draw(st.integers(0, 3)) == 0:
            lines.append(draw(NOISE))
        iteration = draw(st.sampled_from([b"0", b"Q0", b"#"]))
        lines.append(draw(separators).join([topic, iteration, docno, draw(GRADES)]) + draw(ends))
    data = b"".join(lines)
    return data if draw(st.booleans()) else data.removesuffix(b"\n")


@settings(deadline=None, max_examples=300)
@given(
    qrels_files(), st.sampled_from([1, 40, 100, WHOLE]), st.sampled_from([1, 3]), st.sampled_from([1, 1024])
)
def test_like_the_plain_way(path: Path, data: bytes, size: int, jobs: int, many: int) -> None:
    path.write_bytes(data)
    with mock.patch.object(reading_qrels, "MANY_GROUPS", many):
        qrels = read_qrels(SmallSource(path, size), jobs)
    expected = read_plainly(data)
    assert as_plain(qrels) == expected
    assert list(qrels.pool.topics) == sorted(expected.grades)


def test_some_judgements_taken_out(path: Path) -> None:
    path.write_bytes(b"1 0 a 1\n1 0 b 2\n2 0 a 0\n2 0 c 1\n")
    qrels = read_qrels(SmallSource(path, WHOLE))
    kept = np.array([document != b"b" for document in qrels.pool.documents])
    assert replace(qrels, kept=kept).num_positive() == 2
    assert qrels.num_positive() == 3


LAYOUT = "4 (topic iteration docno relevance)"


@pytest.mark.parametrize("size", [1, WHOLE])
@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"1 0 e", f"3 columns, expected {LAYOUT}"),
        (b"1", f"1 column, expected {LAYOUT}"),
        (b"1 0 e f 1", f"5 columns, expected {LAYOUT}"),
        (
            b"1 0 e 1.7",
            "relevance '1.7', expected an integer; gains with decimals can be read with -R qrels_float",
        ),
        (b"1 0 e abc", "relevance 'abc', expected an integer"),
        (b"1 0 e 1e3", "relevance '1e3', expected an integer"),
        (b"1 0 e -", "relevance '-', expected an integer"),
        (b"1 0 e 9223372036854775808", "relevance '9223372036854775808', expected an integer"),
        (b"1 0 e\0 1", "a NUL byte, expected text"),
    ],
)
def test_faulty_line(line: bytes, found: str, size: int, path: Path) -> None:
    path.write_bytes(b"# comment\r\n\n1 0 a 1\n1 0 b 0\n" + line + b"\n1 0 c 1\n")
    with pytest.raises(InputError) as caught:
        read_qrels(SmallSource(path, size))
    assert str(caught.value) == f"{path}:5: {found}"


@pytest.mark.parametrize("data", [b"\n", b"# only a comment", b" \t\r\n", BYTE_ORDER_MARK + b"#\n"])
@pytest.mark.parametrize("form", OF_LINES)
def test_nothing_but_blank_lines_and_comments(form: str, data: bytes, path: Path) -> None:
    path.write_bytes(data)
    with pytest.raises(InputError, match="no lines but blank ones and comments, expected lines of topic"):
        read_relevance(str(path), form)


@pytest.mark.parametrize("data", [b"", BYTE_ORDER_MARK])
@pytest.mark.parametrize("form", OF_LINES)
def test_empty_file(form: str, data: bytes, path: Path) -> None:
    path.write_bytes(data)
    with pytest.raises(InputError, match=r"qrels: the file is empty, expected lines of text$"):
        read_relevance(str(path), form)


def test_formats(path: Path) -> None:
    """-R names what the file is read as."""
    path.write_bytes(b"1 0 a 1\n1 0 b 0\n")
    kinds = {form: type(read_relevance(str(path), form)) for form in ("qrels", "qrels_jg", "qrels_prefs")}
    assert kinds == {"qrels": QrelsJudgements, "qrels_jg": GroupQrels, "qrels_prefs": Preferences}
    path.write_bytes(b"1 0 s a 1\n1 0 s b 0\n")
    assert isinstance(read_relevance(str(path), "prefs"), Preferences)
    with pytest.raises(UsageError, match="-R runs: no such format, expected one of qrels, qrels_jg, prefs"):
        read_relevance(str(path), "runs")


@pytest.mark.parametrize("form", OF_LINES)
def test_columns_of_each_format(form: str, path: Path) -> None:
    path.write_bytes(b"1 0 a\n")
    with pytest.raises(
        InputError,
        match=rf"qrels:1: 3 columns, expected {5 if form in ('prefs', 'strata', 'prels') else 4} \(topic",
    ):
        read_relevance(str(path), form)


@pytest.mark.parametrize("size", [1, 50, WHOLE])
def test_the_first_fault_is_named(size: int, tmp_path: Path) -> None:
    """Whatever is looked for first."""
    faults = [(b"1 0 b x\n", "relevance 'x'"), (b"1 0 b\n", "3 columns"), (b"1 0 \0 1\n", "a NUL byte")]
    for order in permutations(faults):
        (tmp_path / "qrels").write_bytes(b"1 0 a 1\n" + b"".join(line for line, _ in order))
        with pytest.raises(InputError) as caught:
            read_qrels(SmallSource(tmp_path / "qrels", size))
        assert (caught.value.line, caught.value.found) == (2, order[0][1])
