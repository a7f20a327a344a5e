"""Columns of lines: the vectorised ways against plain Python."""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.plain_reading import BYTE_ORDER_MARK, faulty_lines, lines_of, run_files, split_line

from pres_eval.arrays.ids import PADDING
from pres_eval.reading import tokens
from pres_eval.reading.file import Chunk
from pres_eval.reading.lines import RUN, LineError, parse_lines
from pres_eval.reading.tokens import Fields, split_fields

LAYOUT = "one two three"
PIECES = st.sampled_from(
    [
        *(
            b" ",
            b" ",
            b" ",
            b"\t",
            b"\n",
            b"\n",
            b"\r\n",
            b"\r",
            b"\v",
            b"\f",
            b"#",
            b"\x01",
            b"\x1f",
            b"\x7f",
        ),
        *(b"a", b"b", b"ab", b"\xff", b"\xc3\xa4", b"\xa0", b"\x85", b"\x1c", b"12345678901234567890"),
        *(b"1 Q0 d", b"1 Q0 d\n", b"1\tQ0\td\r\n", b"# x y\n", b" # z\n", b"\n\n"),
    ]
)
HOSTILE = st.lists(PIECES, min_size=1, max_size=40).map(b"".join)


def chunk_of(text: bytes) -> Chunk:
    """The text as a chunk; what is around it must not matter."""
    noise = b"# 9\n" * (PADDING // 4)
    return Chunk(bytearray(noise + text + noise), PADDING, PADDING + len(text))


def fields_of(text: bytes, columns: int, more: bool = False) -> list[tuple[int, list[bytes]]]:
    """Line numbers from 1, and the fields of the lines."""
    chunk = chunk_of(text)
    fields = split_fields(chunk, columns, LAYOUT, more)
    places = [fields.column(number) for number in range(columns)]
    rows = np.arange(len(fields.edges))[::2]
    for number, (starts, ends) in enumerate(places):
        taken = fields.take(rows).column(number)
        assert (taken[0].tolist(), taken[1].tolist()) == (starts[rows].tolist(), ends[rows].tolist())
    return [
        (
            (row if fields.lines is None else int(fields.lines[row])) + 1,
            [bytes(chunk.buffer[starts[row] : ends[row]]) for starts, ends in places],
        )
        for row in range(len(fields.edges))
    ]


def check(text: bytes, columns: int, more: bool) -> None:
    """Compare with the plain way: rows and faults."""
    faults = faulty_lines(text, columns, more)
    fields = split_fields(chunk_of(text), columns, LAYOUT, more)
    assert faults_of(fields) == faults
    good = b"\n".join(b"" if number in faults else line for number, line in enumerate(text.split(b"\n"), 1))
    rows = lines_of(good)
    assert fields_of(text, columns, more) == [(row.number, row.fields[:columns]) for row in rows]
    longer = {row.number: len(row.fields) for row in rows if len(row.fields) > columns}
    assert faults_of(replace(fields, faults=(fields.longer,) if fields.longer else ())) == longer
    assert fields.num_lines == text.count(b"\n")
    heads = [b"".join(split_line(line)[:1]) for line in text.split(b"\n")[:-1]]
    assert (fields.blank, fields.comments) == (heads.count(b""), sum(head[:1] == b"#" for head in heads))


def faults_of(fields: Fields) -> dict[int, int | str]:
    """The faulty lines, from 1, with what is told of each."""
    told: dict[int, int | str] = {}
    for faults in fields.faults:
        for i, line in enumerate(faults.lines.tolist()):
            found = faults.content(i)
            assert line + 1 not in told
            told[line + 1] = "NUL" if found == "a NUL byte" else int(found.split()[0])
            assert found in {"a NUL byte", "1 column"} or found == f"{told[line + 1]} columns"
            assert faults.expected == ("text" if faults.kind == "nul-byte" else LAYOUT)
    return told


@settings(deadline=None, max_examples=600)
@given(HOSTILE, st.integers(1, 4), st.booleans())
@example(b"a b\nc\rd e\r\n", 3, False)
@example(b"a b c\r\nd e f\n", 3, False)
@example(b"a b\r c\n", 3, False)
@example(b"a b \r\n", 3, False)
@example(b"a\x01b c d\n", 3, False)
@example(b"a b #c\n", 3, False)
@example(b"a b c\n# b c\n", 3, False)
@example(b"a b c d\n e f\n", 3, True)
def test_hostile_text(text: bytes, columns: int, more: bool) -> None:
    check(text if text.endswith(b"\n") else text + b"\n", columns, more)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.binary(max_size=12), min_size=1, max_size=8)
    .map(b"\n".join)
    .filter(lambda text: not text.startswith(BYTE_ORDER_MARK)),
    st.integers(1, 3),
)
def test_any_bytes(text: bytes, columns: int) -> None:
    check(text + b"\n", columns, True)


@settings(deadline=None, max_examples=200)
@given(run_files())
def test_runs(data: bytes) -> None:
    text = data.removeprefix(b"\xef\xbb\xbf")
    check(text if text.endswith(b"\n") else text + b"\n", 6, True)


@settings(deadline=None, max_examples=300)
@given(
    st.lists(
        st.lists(st.sampled_from([b"a", b"bc", b"\xff\x7f", b"x" * 20, b"#"]), min_size=3, max_size=3),
        min_size=1,
    ),
    st.lists(st.sampled_from([b" ", b"\t"]), min_size=2, max_size=2),
    st.sampled_from([b"\n", b"\r\n"]),
)
def test_regular_lines_take_the_regular_way(
    rows: list[list[bytes]], separators: list[bytes], end: bytes
) -> None:
    """Single blanks or tabs and one kind of line end are read the fast way."""
    first, second = separators
    text = b"".join(a + first + b + second + c + end for a, b, c in rows)
    chunk = chunk_of(text)
    if all(row[0] != b"#" for row in rows):
        fields = tokens._split_regular(chunk, chunk.array()[chunk.start : chunk.stop], 3)
        assert fields is not None
    check(text, 3, False)


@pytest.mark.parametrize("place", [0, 3, 11, 14])
def test_nul_byte(place: int) -> None:
    """A NUL anywhere is an error, even in a comment."""
    text = bytearray(b"a b c\n# d e\nf g h\n")
    text[place] = 0
    fields = split_fields(chunk_of(bytes(text)), 3, LAYOUT)
    assert faults_of(fields) == {bytes(text).count(b"\n", 0, place) + 1: "NUL"}


def test_all_faults_are_told_and_the_first_is_raised() -> None:
    """Whatever is looked for first."""
    text = b"1 Q0 a 1 2 t\n1 Q0 b 1 x t\n1 Q0\n\n1 Q0 \0 1 1 t\n1 Q0 c 1 nan t x\n"
    lines = parse_lines(chunk_of(text), RUN)
    told = {fault.kind: (fault.lines.tolist(), fault.content(0)) for fault in lines.fields.faults}
    assert told == {
        "too-few-columns": ([2], "2 columns"),
        "nul-byte": ([4], "a NUL byte"),
        "score-no-number": ([1], "score 'x'"),
        "score-nan": ([5], "score 'nan'"),
    }
    assert list(lines.column(2)) == [b"a"]
    with pytest.raises(LineError) as caught:
        lines.checked()
    assert (caught.value.line, caught.value.found, caught.value.expected) == (1, "score 'x'", "a number")
