"""A process that does what another one sends it; processes.py starts it."""

from __future__ import annotations

import os
import pickle
import sys
from typing import Any, BinaryIO

from pres_eval.cluster.processes import receive, send
from pres_eval.reading.memory import allow_keeping_memory

STDOUT, STDERR = 1, 2


def serve(given: BinaryIO, back: BinaryIO) -> None:
    """Do work until nothing more is given."""
    values: dict[int, Any] = {}
    while True:
        try:
            gone, new, numbers, work = receive(given)
        except EOFError:
            return
        for number in gone:
            values.pop(number, None)
        try:
            while new:
                number, text = new.popitem()
                values[number] = pickle.loads(text)
            function, item = pickle.loads(work)
            answer = True, function(item, *(values[number] for number in numbers))
        except Exception as error:
            answer = False, error
        try:
            send(back, answer)
        except OSError:  # whoever gave the work is gone
            return


def main() -> None:
    """Take work from standard input; whatever is printed meanwhile goes to stderr."""
    allow_keeping_memory()
    back = os.fdopen(os.dup(STDOUT), "wb")
    os.dup2(STDERR, STDOUT)
    serve(sys.stdin.buffer, back)
