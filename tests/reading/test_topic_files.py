"""Files of groups and weights of topics."""

from __future__ import annotations

from pathlib import Path

import pytest
from hypothesis import given
from hypothesis import strategies as st

from pres_eval.errors import InputError
from pres_eval.reading.topic_files import decoded, read_groups, read_weights

WAYS = {
    "blanks": "1 head\n2  tail\n3 tail\n",
    "tabs, header": "qid\tgroup\n1\thead\n2\ttail\n3\ttail\n",
    "commas, mark, CRLF": "\ufefftopic,kind\r\n1,head\r\n2,tail\r\n3,tail\r\n",
    "semicolons": "Topic;Group\n1;head\n2;tail\n3;tail\n",
    "comment, empty lines": "# made by hand\n\n1 head\n2 tail\n\n3 tail\n",
    "quotes": '"1","head"\n"2","tail"\n"3","tail"\n',
}


@pytest.mark.parametrize("text", WAYS.values(), ids=WAYS)
def test_groups_are_read_however_columns_are_separated(tmp_path: Path, text: str) -> None:
    file = tmp_path / "groups"
    file.write_bytes(text.encode())
    assert read_groups(str(file)).topics == {"head": {b"1"}, "tail": {b"2", b"3"}}


def test_a_topic_may_be_in_several_groups_and_a_table_may_group_in_several_ways(tmp_path: Path) -> None:
    file = tmp_path / "groups"
    file.write_text("1 en\n1 hard\n2 en\n")
    assert read_groups(str(file)).topics == {"en": {b"1", b"2"}, "hard": {b"1"}}
    file.write_text("topic,language,kind\n1,en,hard\n2,en,\n3,de,hard\n")
    assert read_groups(str(file)).topics == {
        "language=en": {b"1", b"2"}, "kind=hard": {b"1", b"3"}, "language=de": {b"3"},
    }  # fmt: skip


@pytest.mark.parametrize("text", ["1 2\n2 0.5\n", "query,frequency\n1,2\n2,0.5\n".replace("query", "qid")])
def test_weights_are_read(tmp_path: Path, text: str) -> None:
    file = tmp_path / "weights"
    file.write_text(text)
    assert read_weights(str(file)).of == {b"1": 2.0, b"2": 0.5}


@pytest.mark.parametrize(
    ("reads", "text", "message"),
    [
        (read_groups, "", "the file is empty, expected lines of text"),
        (read_groups, "1 head\n2\n", ":2: 1 column, expected 2 (topic group)"),
        (read_groups, "1 a b\n", ":1: 3 columns, expected 2 (topic group)"),
        (read_groups, "1\ta b\n", ":1: group 'a b', expected a name without blanks or [ ]"),
        (read_groups, "1 macro\n", ":1: group 'macro', expected a name without blanks or [ ], not macro"),
        (read_weights, "1 2\n2 much\n", ":2: weight 'much', expected a number of at least 0"),
        (read_weights, "1 2\n2 -1\n", ":2: weight '-1', expected a number of at least 0"),
        (read_weights, "1 2\n2 inf\n", ":2: weight 'inf', expected a number of at least 0"),
        (read_weights, "1 2\n1 3\n", ":2: topic '1' again, expected each topic once"),
        (read_weights, "1 2,5\n", ":1: '1 2,5', expected 2 columns (topic weight); is this a decimal comma?"),
        (read_weights, "1 2\n2 2,5\n", ":2: weight '2,5', expected a number of at least 0, at most 1e+15;"),
        (read_weights, "1 1e300\n", ":1: weight '1e300', expected a number of at least 0, at most 1e+15"),
        (read_weights, "1,0,5\n", ":1: 3 columns, expected 2 (topic weight)"),
    ],
)  # fmt: skip
def test_what_is_wrong_is_named_with_its_line(tmp_path: Path, reads: object, text: str, message: str) -> None:
    file = tmp_path / "file"
    file.write_text(text)
    assert callable(reads)
    with pytest.raises(InputError) as raised:
        reads(str(file))
    assert message in str(raised.value)


@given(
    st.binary(max_size=12), st.sampled_from([b"", b"\xff\xfe", b"\xfe\xff", b"a\0b\0", b"\0a\0b", b"\xfe"])
)
def test_any_bytes_are_text(data: bytes, start: bytes) -> None:
    """Halves of characters in UTF-16 were a UnicodeDecodeError."""
    for errors in ("surrogateescape", "backslashreplace"):
        assert isinstance(decoded(start + data, errors), str)
    assert decoded("a\tb".encode("utf-16") + b"\0\xd8\n") == "a\tb\ufffd"
