"""Messages between processes: whole, whatever is in them, and an end is noticed."""

from __future__ import annotations

import os
import threading
from collections.abc import Iterator
from typing import Any

import numpy as np
import pytest

from pres_eval.engines.messages import receive, send

Pipe = tuple[int, int]


@pytest.fixture
def pipe() -> Iterator[Pipe]:
    """The ends of a pipe: to read, to write."""
    ends = os.pipe()
    yield ends
    for end in ends:
        try:
            os.close(end)
        except OSError:  # the test has closed it
            continue


def sent(pipe: Pipe, message: Any) -> Any:
    """What comes at the other end: more than a pipe takes at once is read while it is written."""
    thread = threading.Thread(target=send, args=(pipe[1], message))
    thread.start()
    found = receive(pipe[0])
    thread.join()
    return found


@pytest.mark.parametrize("size", [0, 1, 1000, 1 << 22])
def test_arrays_arrive_whole(pipe: Pipe, size: int) -> None:
    made = np.arange(size)
    found = sent(pipe, {"array": made, "part": made[::3], "none": np.zeros((0, 2)), "text": "x" * size})
    assert (found["array"] == made).all() and (found["part"] == made[::3]).all()
    assert found["none"].shape == (0, 2) and len(found["text"]) == size
    found["array"].sort()  # it may be changed


def test_messages_come_one_after_the_other(pipe: Pipe) -> None:
    for number in range(5):
        send(pipe[1], (number, np.full(number, number)))
    found = [receive(pipe[0]) for _ in range(5)]
    assert [(number, array.tolist()) for number, array in found] == [(n, [n] * n) for n in range(5)]


@pytest.mark.parametrize("cut", [0, 3, 12])
def test_an_end_in_the_middle_is_noticed(pipe: Pipe, cut: int) -> None:
    os.write(pipe[1], (1).to_bytes(8, "little") + (1 << 20).to_bytes(8, "little"))
    os.write(pipe[1], b"x" * cut)
    os.close(pipe[1])
    with pytest.raises(EOFError):
        receive(pipe[0])


def test_nobody_reads(pipe: Pipe) -> None:
    os.close(pipe[0])
    with pytest.raises(OSError, match="Broken pipe"):
        send(pipe[1], "said to nobody")
