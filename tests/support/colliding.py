"""Ids that collide: by somebody who knows the number that a process hashes with, or by weak hashes."""

from __future__ import annotations

import random
from collections.abc import Callable
from typing import Any

import numpy as np
import pytest

from pres_eval.arrays import ids
from pres_eval.arrays.ids import WORD, Ids


def colliding_pairs(count: int, process: int, seed: int = 0) -> list[tuple[bytes, bytes]]:
    """Pairs of docnos of 16 bytes with the same hash in a process that has drawn this number."""
    with known_process(process):
        inverse = pow(int(ids.odd_numbers(seed, 128)[0]), -1, 2**64)
        chance = random.Random(1)
        pairs: list[tuple[bytes, bytes]] = []
        while len(pairs) < count:
            # The first word adds a product to the hash, so it can make up for any other second word.
            one, other = (bytes(chance.choices(range(33, 127), k=WORD)) for _ in range(2))
            first = bytes(chance.choices(range(33, 127), k=WORD))
            hashes = Ids.from_texts([first + one, first + other]).hashes(seed).tolist()
            made_up = int.from_bytes(first, "little") + (hashes[0] - hashes[1]) * inverse
            second = (made_up % 2**64).to_bytes(WORD, "little")
            if min(second) > ord(" "):
                pairs.append((first + one, second + other))
    return pairs


class known_process:  # noqa: N801 - a context manager
    """Let hashes begin with this number."""

    def __init__(self, process: int) -> None:
        self._before, self._process = ids._SEED_OF_PROCESS, process

    def __enter__(self) -> None:
        self._set(self._process)

    def __exit__(self, *_: object) -> None:
        self._set(self._before)

    def _set(self, process: int) -> None:
        ids._SEED_OF_PROCESS = process
        ids.odd_numbers.cache_clear()


def weaken_hashes(patch: pytest.MonkeyPatch, bits: int) -> None:
    """Let hashes have so few bits that nearly all are the same."""
    patch.setattr(Ids, "hashes", _of_few_bits(Ids.hashes, bits))


def _of_few_bits(true_hashes: Callable[[Any, int], Any], bits: int) -> Callable[..., Any]:
    def hashes(ids: object, seed: int = 0) -> Any:
        # A seed more is a bit more, so that the pool finds one that tells its own ids apart.
        dropped = np.uint64(max(64 - bits - seed, 0))
        return (true_hashes(ids, seed) >> dropped) << dropped

    return hashes
