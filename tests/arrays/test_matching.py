"""Equal documents are found exactly, whatever their hashes say and however many there are."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.colliding import colliding_pairs, known_process, weaken_hashes
from support.plain_reading import IDS

from pres_eval.arrays import stretches
from pres_eval.arrays.ids import Ids
from pres_eval.arrays.matching import KeyTable, match, repeated

Lists = list[tuple[list[bytes], list[bytes]]]
FEW = st.sampled_from([b"a", b"b", b"c", b"12345678", b"123456789", b"1234567890123456-1", b"x" * 90])
TOPICS = st.lists(
    st.tuples(st.lists(FEW | IDS, max_size=12), st.lists(FEW | IDS, max_size=8, unique=True)),
    min_size=1,
    max_size=5,
)


def match_plainly(topics: Lists) -> tuple[list[tuple[int, int]], list[tuple[int, int]]]:
    """Repeats with their first row, and pairs of rows, with dictionaries."""
    repeats, pairs = [], []
    row = wanted_row = 0
    for listed, wanted in topics:
        first: dict[bytes, int] = {}
        asked = {document: wanted_row + place for place, document in enumerate(wanted)}
        for place, document in enumerate(listed, row):
            if document in first:
                repeats.append((place, first[document]))
            first.setdefault(document, place)
            if document in asked:
                pairs.append((place, asked[document]))
        row, wanted_row = row + len(listed), wanted_row + len(wanted)
    return repeats, pairs


def word_ids(lists: list[list[bytes]]) -> tuple[Any, Ids]:
    texts = [text for listed in lists for text in listed]
    return np.array([len(listed) for listed in lists]), Ids.from_texts(texts)


@pytest.mark.parametrize("weak", [False, True])
@settings(deadline=None, max_examples=150)
@given(topics=TOPICS)
def test_like_the_plain_way(weak: bool, topics: Lists) -> None:
    """With good hashes and with ones that collide all the time."""
    with pytest.MonkeyPatch.context() as patch:
        if weak:
            weaken_hashes(patch, 3)
        found = match(*word_ids([listed for listed, _ in topics]), *word_ids([asked for _, asked in topics]))
    repeats, pairs = match_plainly(topics)
    assert list(zip(found.repeats.tolist(), found.first.tolist(), strict=True)) == repeats
    assert list(zip(found.rows.tolist(), found.partners.tolist(), strict=True)) == pairs


@pytest.mark.parametrize("size", [1, 4, 1 << 17])
@settings(deadline=None, max_examples=100)
@given(topics=TOPICS)
def test_repeated(size: int, topics: Lists) -> None:
    """The same some topics at a time."""
    lengths, ids = word_ids([listed for listed, _ in topics])
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(stretches, "BLOCK_ROWS", size)
        rows, first = repeated(np.concatenate(([0], np.cumsum(lengths))), ids)
    assert list(zip(rows.tolist(), first.tolist(), strict=True)) == match_plainly(topics)[0]


@pytest.mark.parametrize("bits", [0, 4, 12])
def test_equal_keys(bits: int) -> None:
    """All rows whose key a row before has, the first that has it, and where wanted keys are."""
    generator = np.random.default_rng(bits)
    for size in (0, 1, 2, 50, 700):
        keys = generator.integers(0, 1 << bits, size, np.uint64) << np.uint64(40)
        keys = np.concatenate((keys, generator.integers(0, 2**64, size, np.uint64)))
        generator.shuffle(keys)
        wanted = np.concatenate((keys[: size // 2], generator.integers(0, 2**64, 5, np.uint64)))
        first: dict[int, int] = {}
        for row, key in enumerate(keys.tolist()):
            first.setdefault(key, row)
        firsts = [first[key] for key in keys.tolist()]
        table = KeyTable(keys)
        repeats, before = table.repeats()
        found = table.find(wanted)
        assert repeats.tolist() == [row for row, place in enumerate(firsts) if place != row]
        assert before.tolist() == [firsts[row] for row in repeats.tolist()]
        assert found.tolist() == [first.get(key, -1) for key in wanted.tolist()]


def test_ids_made_to_collide(monkeypatch: pytest.MonkeyPatch) -> None:
    """Who knows the number that a process hashes with costs it one more look; others have nothing of it."""
    pairs = colliding_pairs(50, process=7)
    ids = [text for pair in pairs for text in pair]
    listed, asked = [*ids, *ids[:3]], ids[::7]
    seeds: list[int] = []

    def hashes(some: Ids, seed: int = 0) -> Any:
        seeds.append(seed)
        return true_hashes(some, seed)

    true_hashes = Ids.hashes
    monkeypatch.setattr(Ids, "hashes", hashes)
    for process, tried in ((7, {0, 1}), (8, {0})):
        seeds.clear()
        with known_process(process):
            found = match(*word_ids([listed]), *word_ids([asked]))
        assert set(seeds) == tried
        assert list(zip(found.repeats.tolist(), found.first.tolist(), strict=True)) == [
            (100, 0),
            (101, 1),
            (102, 2),
        ]
        wanted = {text: number for number, text in enumerate(asked)}
        assert list(zip(found.rows.tolist(), found.partners.tolist(), strict=True)) == [
            (row, wanted[text]) for row, text in enumerate(listed) if text in wanted
        ]


@pytest.mark.parametrize("size", [100, 128, 129, 200, 256, 257, 32_768, 32_769, 50_000, 65_536, 70_000])
def test_tables_have_bits_for_all_rows(size: int) -> None:
    keys = np.random.default_rng(size).integers(0, 2**63, size, dtype=np.uint64)
    table = KeyTable(keys)
    assert np.array_equal(table.find(keys), np.arange(size))
    assert (table.find(keys + np.uint64(1)) == -1).all()
