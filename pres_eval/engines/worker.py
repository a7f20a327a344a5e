"""Worker processes: their start and end, and the work that they do for another process."""

from __future__ import annotations

import contextlib
import os
import pickle
import signal
import sys
from pathlib import Path
from typing import Any

from pres_eval.engines.engine import outcome_of
from pres_eval.engines.memory import allow_keeping_memory
from pres_eval.engines.messages import receive, send, widen

BEGIN = "import sys; sys.path[:] = sys.argv[1:]; from pres_eval.engines.worker import main; main()"
"""Program of a worker: it imports nothing but `sys`, a part of Python itself, before its path is set."""


class WorkerProcess:
    """A process that was started anew, the pipes to it and from it, and which shared values it has."""

    def __init__(self) -> None:
        import subprocess  # a worker itself does without

        # Ctrl-C goes to whoever gives the work.
        process = subprocess.Popen(
            _worker_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        assert process.stdin is not None and process.stdout is not None
        self.number = process.pid
        self._to = os.dup(process.stdin.fileno())
        self._back = os.dup(process.stdout.fileno())
        process.stdin.close()
        process.stdout.close()
        process.returncode = 0  # `end` waits for it
        widen(self._back)
        self._known_values: set[int] = set()

    def answer(self, task: bytes, numbers: tuple[int, ...], values: dict[int, bytes]) -> tuple[bool, Any]:
        """Return the answer to a task: the work and its item, pickled.

        numbers  of the shared values that the work takes
        values   all shared values that there are now, pickled
        Raises OSError or EOFError if the process has died.
        """
        forgotten = self._known_values - values.keys()
        new_values = {number: values[number] for number in numbers if number not in self._known_values}
        self._known_values = (self._known_values - forgotten) | new_values.keys()
        send(self._to, (forgotten, new_values, numbers, task))
        answer: tuple[bool, Any] = receive(self._back)
        return answer

    def kill(self) -> None:
        """End the process, whatever it does."""
        with contextlib.suppress(OSError):
            os.kill(self.number, signal.SIGKILL)

    def end(self) -> None:
        """End the process and forget it; no thread may wait for its answer."""
        self.kill()
        os.close(self._to)
        os.close(self._back)
        with contextlib.suppress(ChildProcessError):
            os.waitpid(self.number, 0)


def _worker_command() -> list[str]:
    """Return the command of a worker: it imports from where this process does, never from the current folder.

    Python itself puts that folder in front (`-m`, `-c`, a terminal): files beside the data would be executed.
    Only an absolute path in PYTHONPATH may name it.  The folder of this package comes last if it is left out.
    """
    here = ""
    with contextlib.suppress(OSError):  # the folder is gone
        here = str(Path.cwd())
    named = map(os.path.normpath, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    outside = {".", *{here}.difference(named)}
    path = [folder for folder in sys.path if os.path.normpath(folder) not in outside]
    home = str(Path(__file__).parents[2])
    # What shuts a file out of this process (-I, -E, -s) shuts it out of the worker.
    shut = {"-I": sys.flags.isolated, "-E": sys.flags.ignore_environment, "-s": sys.flags.no_user_site}
    flags = [flag for flag, is_set in shut.items() if is_set]
    return [sys.executable, *flags, "-c", BEGIN, *path, *([] if home in path else [home])]


STDIN, STDOUT, STDERR = 0, 1, 2


def serve(tasks: int, answers: int) -> None:
    """Do the tasks that come on one pipe until no more come; answer on the other one."""
    values: dict[int, Any] = {}
    while True:
        try:
            forgotten, new_values, numbers, task = receive(tasks)
        except EOFError:
            return
        for number in forgotten:
            values.pop(number, None)
        answer = outcome_of(_do, task, values, new_values, numbers)
        try:
            send(answers, answer)
        except OSError:  # whoever gave the work is gone
            return


def _do(task: bytes, values: dict[int, Any], new_values: dict[int, bytes], numbers: tuple[int, ...]) -> Any:
    """Return the result of a task; what cannot be loaded here raises an error as the work does."""
    while new_values:
        number, text = new_values.popitem()
        values[number] = pickle.loads(text)
    work, item = pickle.loads(task)
    return work(item, *(values[number] for number in numbers))


def main() -> None:
    """Take work from standard input; whatever is printed meanwhile goes to stderr."""
    allow_keeping_memory()
    answers = os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)
    serve(STDIN, answers)
