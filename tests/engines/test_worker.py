"""What one worker does with what it is sent: works, keeps values, tells errors, and ends."""

from __future__ import annotations

import io
import operator
import pickle
import subprocess
from collections.abc import Callable, Iterator
from typing import Any

import pytest

from pres_eval.cluster import worker
from pres_eval.cluster.processes import receive, send, worker_command


def request(
    function: Callable[..., Any], item: Any, *numbers: int, gone: tuple[int, ...] = (), **new: object
) -> bytes:
    """A message: values that are gone, new ones (v1=…), the numbers of those that are needed, the work."""
    values = {int(name[1:]): pickle.dumps(value) for name, value in new.items()}
    stream = io.BytesIO()
    send(stream, (gone, values, numbers, pickle.dumps((function, item))))
    return stream.getvalue()


def answers(*requests: bytes) -> Iterator[tuple[bool, Any]]:
    back = io.BytesIO()
    worker.serve(io.BytesIO(b"".join(requests)), back)
    back.seek(0)
    while back.tell() < len(back.getbuffer()):
        yield receive(back)


def test_values_are_kept_until_they_are_gone() -> None:
    sent = (
        request(operator.sub, 5, 1, v1=3, v2=30),
        request(operator.sub, 50, 2),
        request(operator.sub, 7, 1, v1=4),
        request(operator.sub, 50, 2, gone=(2, 9)),
    )
    *said, last = answers(*sent)
    assert said == [(True, 2), (True, 20), (True, 3)]
    assert last[0] is False and isinstance(last[1], KeyError)


def test_errors_are_answers() -> None:
    (good, error), (_, after) = answers(request(operator.truediv, 1, 1, v1=0), request(operator.neg, 2))
    assert not good and isinstance(error, ZeroDivisionError)
    assert after == -2


def test_it_ends_when_nobody_takes_its_answers() -> None:
    class Broken(io.BytesIO):
        def write(self, text: object) -> int:
            raise BrokenPipeError

    given = io.BytesIO(request(operator.neg, 1) + request(operator.neg, 2))
    worker.serve(given, Broken())
    assert given.read()


@pytest.mark.parametrize("cut", [1, 8, 20])
def test_it_ends_in_the_middle_of_a_message(cut: int) -> None:
    assert list(answers(request(operator.neg, 1), request(operator.neg, 2)[:cut])) == [(True, -1)]


def test_what_is_printed_goes_to_stderr() -> None:
    done = subprocess.run(
        worker_command(),
        input=request(print, "said by the way"),
        capture_output=True,
        check=True,
    )
    assert receive(io.BytesIO(done.stdout)) == (True, None)
    assert done.stderr == b"said by the way\n"
