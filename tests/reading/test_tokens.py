"""Columns of lines: the vectorised ways against plain Python."""

from __future__ import annotations

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.plain_reading import BYTE_ORDER_MARK, faulty_lines, lines_of, run_files

from pres_eval.arrays.ids import PADDING
from pres_eval.reading import tokens
from pres_eval.reading.source import Chunk
from pres_eval.reading.tokens import LineError, split_fields

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
    """The text as a chunk; what stands around it must not matter."""
    noise = b"# 9\n" * (PADDING // 4)
    return Chunk(bytearray(noise + text + noise), PADDING, PADDING + len(text))


def fields_of(text: bytes, columns: int, more: bool = False) -> list[tuple[int, list[bytes]]]:
    """Line numbers from 1, and the fields of the lines."""
    chunk = chunk_of(text)
    fields = split_fields(chunk, columns, LAYOUT, more)
    places = [fields.column(number) for number in range(columns)]
    for number, (starts, ends) in enumerate(places):
        assert starts.tolist() == fields.starts[:, number].tolist()
        assert ends.tolist() == fields.ends[:, number].tolist()
    return [
        (
            fields.line_of(row) + 1,
            [bytes(chunk.buffer[starts[row] : ends[row]]) for starts, ends in places],
        )
        for row in range(len(fields))
    ]


def check(text: bytes, columns: int, more: bool) -> None:
    """Compare with the plain way, faults too."""
    faults = faulty_lines(text, columns, more)
    try:
        found = fields_of(text, columns, more)
    except LineError as error:
        fault = faults[error.line + 1]
        if fault == "NUL":
            assert (error.found, error.expected) == ("a NUL byte", "text")
        else:
            assert error.found == f"{fault} column{'s' * (fault != 1)}"
            assert error.expected == f"{columns} ({LAYOUT})"
        return
    rows = lines_of(text)
    assert not faults
    assert found == [(row.number, row.fields[:columns]) for row in rows]
    fields = split_fields(chunk_of(text), columns, LAYOUT, more)
    longer = [number for number, row in enumerate(rows) if len(row.fields) > columns]
    assert fields.longer == (longer[0] if longer else None)
    assert fields.num_lines == text.count(b"\n")


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
        fields = tokens._regular(chunk.array()[chunk.start : chunk.stop], chunk.start, 3)
        assert fields is not None
    check(text, 3, False)


@pytest.mark.parametrize("place", [0, 3, 11, 14])
def test_nul_byte(place: int) -> None:
    """A NUL anywhere is an error, even in a comment."""
    text = bytearray(b"a b c\n# d e\nf g h\n")
    text[place] = 0
    with pytest.raises(LineError) as caught:
        fields_of(bytes(text), 3)
    assert caught.value.line == bytes(text).count(b"\n", 0, place)
    assert (caught.value.found, caught.value.expected) == ("a NUL byte", "text")


def test_first_faulty_line_is_named() -> None:
    with pytest.raises(LineError) as caught:
        fields_of(b"a b c\n\n# x\na b\na\n", 3)
    assert (caught.value.line, caught.value.found) == (3, "2 columns")
