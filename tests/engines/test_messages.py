"""Messages between processes: whole, whatever is in them, and an end is noticed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pres_eval.engines.worker import Channel


@pytest.fixture
def ends() -> Iterator[tuple[Channel, Channel]]:
    """Two channels that are connected with each other."""
    (here, there_to), (there, here_to) = os.pipe(), os.pipe()
    one, other = Channel(here, here_to), Channel(there, there_to)
    yield one, other
    for channel in (one, other):
        for end in channel.ends:
            try:
                os.close(end)
            except OSError:  # the test has closed it
                continue


def sent(ends: tuple[Channel, Channel], message: Any) -> Any:
    """What comes at the other end: more than a pipe takes at once is read while it is written."""
    thread = threading.Thread(target=ends[0].send, args=(message,))
    thread.start()
    found = ends[1].receive()
    thread.join()
    return found


@pytest.mark.parametrize("size", [0, 1, 1000, 1 << 22])
def test_arrays_arrive_whole(ends: tuple[Channel, Channel], size: int) -> None:
    made = np.arange(size)
    found = sent(ends, {"array": made, "part": made[::3], "none": np.zeros((0, 2)), "text": "x" * size})
    assert (found["array"] == made).all() and (found["part"] == made[::3]).all()
    assert found["none"].shape == (0, 2) and len(found["text"]) == size
    found["array"].sort()  # it may be changed


def test_messages_come_one_after_the_other(ends: tuple[Channel, Channel]) -> None:
    one, other = ends
    for number in range(5):
        one.send((number, np.full(number, number)))
    found = [other.receive() for _ in range(5)]
    assert [(number, array.tolist()) for number, array in found] == [(n, [n] * n) for n in range(5)]


@pytest.mark.parametrize("cut", [0, 3, 12])
def test_an_end_in_the_middle_is_noticed(ends: tuple[Channel, Channel], cut: int) -> None:
    one, other = ends
    os.write(one.ends[1], (1).to_bytes(8, "little") + (1 << 20).to_bytes(8, "little"))
    os.write(one.ends[1], b"x" * cut)
    os.close(one.ends[1])
    with pytest.raises(EOFError):
        other.receive()


def test_nobody_reads(ends: tuple[Channel, Channel]) -> None:
    one, other = ends
    os.close(other.back)
    with pytest.raises(OSError, match="Broken pipe"):
        one.send("said to nobody")
