"""A process that does what another one sends it; processes.py starts it."""

from __future__ import annotations

import os
import pickle
from typing import Any

from pres_eval.engines.messages import Channel
from pres_eval.reading.memory import allow_keeping_memory

STDIN, STDOUT, STDERR = 0, 1, 2


def serve(channel: Channel, values: dict[int, Any]) -> None:
    """Do work until nothing more is given; `values` are those that are known already."""
    while True:
        try:
            gone, new, numbers, text = channel.receive()
        except EOFError:
            return
        for number in gone:
            values.pop(number, None)
        try:
            while new:
                number, value = new.popitem()
                values[number] = pickle.loads(value)
            work, item = pickle.loads(text)
            answer = True, work(item, *(values[number] for number in numbers))
        except Exception as error:
            answer = False, error
        try:
            channel.send(answer)
        except OSError:  # whoever gave the work is gone
            return


def main() -> None:
    """Take work from standard input; whatever is printed meanwhile goes to stderr."""
    allow_keeping_memory()
    back = os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)
    serve(Channel(STDIN, back), {})
