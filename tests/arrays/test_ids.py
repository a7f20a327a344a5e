"""Ids as words: equality, byte order and hashes are those of the bytes, at any length."""

from __future__ import annotations

import subprocess
import sys
from itertools import pairwise

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from support.plain_reading import IDS

from pres_eval.arrays.columns import GrowingColumns
from pres_eval.arrays.ids import Ids
from pres_eval.ranking.parts import each_once

LONG = [b"x" * length + end for length in (40, 1020, 1024, 1030, 3000) for end in (b"", b"y", b"z")]
LISTS = st.lists(IDS | st.sampled_from(LONG), min_size=1, max_size=12)
BY_LENGTH = [(b"0123456789" * 8)[:length] for length in range(1, 71)]


@settings(deadline=None, max_examples=200)
@given(LISTS)
@example(BY_LENGTH)
def test_a_sequence_of_bytes(texts: list[bytes]) -> None:
    ids = Ids.from_texts(texts)
    assert list(ids) == texts
    assert len(ids) == len(texts)
    for part in (slice(1, None), slice(None, None, 2), slice(1, None, 3), slice(None, None, -1)):
        assert list(ids[part]) == texts[part]
    assert list(ids.take(np.arange(len(texts))[::-1])) == texts[::-1]
    assert [ids[row] for row in range(-len(texts), len(texts))] == texts * 2
    assert ids.lengths().tolist() == list(map(len, texts))


def equal(texts: list[bytes], others: list[bytes]) -> list[bool]:
    rows = np.arange(len(texts))
    same: list[bool] = Ids.from_texts(texts).equal(rows, Ids.from_texts(others), rows).tolist()
    return same


@settings(deadline=None, max_examples=200)
@given(st.lists(st.lists(IDS | st.sampled_from(LONG), min_size=1, max_size=9), min_size=1, max_size=5))
@example([[b"1"] * 5 + [b"a-topic-with-a-name-2"], [b"a-topic-with-a-name-1", b"a-topic-with-a-name-2"]])
def test_parts_of_different_widths(parts: list[list[bytes]]) -> None:
    """An id may be long for one part and short for another: it is the same id."""
    texts = [text for part in parts for text in part]
    columns = GrowingColumns()
    for part in parts:
        columns.append(Ids.from_texts(part))
    (grown,) = columns.release()
    for ids in (Ids.concatenate([Ids.from_texts(part) for part in parts]), grown):
        assert list(ids) == texts
        assert list(ids.distinct()[0]) == sorted(set(texts))
        assert ids.hashes(2).tolist() == Ids.from_texts(texts).hashes(2).tolist()
        assert ids.heads().tolist() == Ids.from_texts(texts).heads().tolist()
        assert len(each_once(ids)) == len(set(texts))


def test_no_ids() -> None:
    ids = Ids.from_texts([])
    assert list(ids) == []
    assert len(ids.hashes()) == len(ids.heads()) == len(ids.byte_order()) == 0
    found, index = ids.distinct()
    assert (list(found), len(index)) == ([], 0)


@settings(deadline=None, max_examples=200)
@given(LISTS, LISTS)
def test_from_a_buffer(texts: list[bytes], between: list[bytes]) -> None:
    """Wherever ids begin, whatever is around them."""
    buffer, starts, ends = bytearray(16), [], []
    for place, text in enumerate(texts):
        starts.append(len(buffer))
        buffer += text
        ends.append(len(buffer))
        buffer += between[place % len(between)]
    found = Ids.from_buffer(
        np.frombuffer(bytes(buffer) + bytes(16), np.uint8), np.array(starts), np.array(ends)
    )
    assert list(found) == texts
    assert found.hashes(5).tolist() == Ids.from_texts(texts).hashes(5).tolist()


@settings(deadline=None, max_examples=200)
@given(LISTS)
@example(BY_LENGTH)
def test_cut_loose_from_the_buffer(texts: list[bytes]) -> None:
    """Ids survive as words, in parts of different widths too."""
    loose = Ids.from_texts(texts)
    assert len(loose) == len(texts)
    assert list(loose) == texts
    assert list(loose.take(np.array([len(texts) - 1, 0]))) == [texts[-1], texts[0]]
    assert list(loose.take(np.array([len(texts) - 1, 0]))) == [texts[-1], texts[0]]
    assert list(loose[1:]) == texts[1:]
    assert len(each_once(loose)) == len(set(texts))
    parts = [Ids.from_texts([text]) for text in texts]
    assert list(Ids.concatenate(parts)) == texts


@settings(deadline=None, max_examples=200)
@given(LISTS, LISTS)
@example([b"a"] * 9 + [b"x" * 40], [b"x" * 40])
def test_equal_words(some: list[bytes], others: list[bytes]) -> None:
    """Whether ids are short or long for their list makes no difference."""
    pairs = [(row, other) for row in range(len(some)) for other in range(len(others))]
    rows, other_rows = np.array(pairs).T
    found = Ids.from_texts(some).equal(rows, Ids.from_texts(others), other_rows)
    assert found.tolist() == [some[row] == others[other] for row, other in pairs]


@settings(deadline=None, max_examples=200)
@given(LISTS)
@example(BY_LENGTH)
@example([text[:20] + b"%d" % (len(text) % 3) for text in BY_LENGTH])
def test_compare(texts: list[bytes]) -> None:
    """As Python compares bytes."""
    ids = Ids.from_texts(texts)
    assume(not len(ids.long_rows))
    pairs = [(row, other) for row in range(len(texts)) for other in range(len(texts))]
    after, same = ids.compare(*np.array(pairs).T)
    assert after.tolist() == [texts[row] > texts[other] for row, other in pairs]
    assert same.tolist() == [texts[row] == texts[other] for row, other in pairs]


@settings(deadline=None, max_examples=200)
@given(LISTS, st.data())
def test_equal(texts: list[bytes], data: st.DataObject) -> None:
    others = data.draw(st.lists(st.sampled_from(texts) | IDS, min_size=len(texts), max_size=len(texts)))
    expected = [one == other for one, other in zip(texts, others, strict=True)]
    assert equal(texts, others) == expected


@pytest.mark.parametrize("length", range(1, 71))
def test_one_byte_makes_the_difference(length: int) -> None:
    """At any length, a difference in any byte is seen by all operations."""
    text = bytes(range(60, 60 + length))
    others = [text[:place] + b"!" + text[place + 1 :] for place in range(length)]
    others += [text + b"!", text[:-1] or b"?"]
    assert not any(equal([text] * len(others), others))
    assert all(equal([text] * len(others), [text] * len(others)))
    ids = Ids.from_texts([text, *others])
    assert len(set(ids.hashes().tolist())) == len(others) + 1
    assert ids.byte_order().tolist() == sorted(range(len(ids)), key=lambda row: ids[row])
    assert len(ids.distinct()[0]) == len(ids)


@settings(deadline=None, max_examples=300)
@given(LISTS)
@example(BY_LENGTH[::-1])
def test_byte_order(texts: list[bytes]) -> None:
    """As strcmp sorts: bytes are unsigned, a prefix comes first; equal ids keep their order."""
    order = Ids.from_texts(texts).byte_order().tolist()
    assert order == sorted(range(len(texts)), key=lambda row: texts[row])
    assert list(Ids.from_texts(texts).take(np.array(order))) == sorted(texts)


@settings(deadline=None, max_examples=200)
@given(LISTS, st.data())
def test_byte_order_in_groups(texts: list[bytes], data: st.DataObject) -> None:
    groups = data.draw(st.lists(st.integers(0, 3), min_size=len(texts), max_size=len(texts)))
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr("pres_eval.arrays.ids._SORTED_COLUMNS", data.draw(st.sampled_from([0, 1, 3, 64])))
        order = Ids.from_texts(texts).byte_order(np.array(groups)).tolist()
    assert order == sorted(range(len(texts)), key=lambda row: (groups[row], texts[row]))


@settings(deadline=None, max_examples=200)
@given(st.lists(st.sampled_from([b"a", b"b", b"12345678", b"123456789", b"1234567890123456x"]), min_size=1))
def test_changes_and_distinct(texts: list[bytes]) -> None:
    ids = Ids.from_texts(texts)
    differing = [0] + [place for place, (a, b) in enumerate(pairwise(texts), 1) if a != b]
    assert ids.heads().tolist() == differing
    found, index = ids.distinct()
    assert list(found) == sorted(set(texts))
    assert [found[place] for place in index.tolist()] == texts


@settings(deadline=None, max_examples=200)
@given(LISTS, st.integers(0, 5))
def test_hashes_do_not_depend_on_the_place(texts: list[bytes], seed: int) -> None:
    """The same id has the same hash wherever it is and whatever is beside it."""
    together = Ids.from_texts([b"x", *texts]).hashes(seed)[1:].tolist()
    assert together == [int(Ids.from_texts([text]).hashes(seed)[0]) for text in texts]
    assert together == Ids.from_texts(texts).hashes(seed).tolist()


def test_hashes_differ_by_seed() -> None:
    ids = Ids.from_texts(BY_LENGTH)
    assert not (ids.hashes(0) == ids.hashes(1)).any()


@pytest.mark.parametrize("words", range(2, 20))
def test_highest_bits_do_not_cancel_out(words: int) -> None:
    """Two ids that differ in the highest bit of two words: 2^63 times any odd number is 2^63 again."""
    for one in range(words):
        for other in range(one):
            text = bytearray(b"1234567a" * words)
            ids = [bytes(text)]
            text[8 * one + 7] ^= 0x80
            text[8 * other + 7] ^= 0x80
            found = Ids.from_texts([*ids, bytes(text)]).hashes()
            assert found[0] != found[1]


def test_hashes_differ_from_process_to_process() -> None:
    """So that nobody can make ids that collide."""
    command = [
        sys.executable,
        "-c",
        "from pres_eval.arrays.ids import Ids; print(Ids.from_texts([b'docno']).hashes())",
    ]
    one, other = (subprocess.run(command, capture_output=True, check=True).stdout for _ in range(2))
    assert one != other
