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

WORKER_PROGRAM = "import sys; sys.path[:] = sys.argv[1:]; from pres_eval.engines.worker import main; main()"
"""Program of a worker: it imports nothing but `sys`, a part of Python itself, before its path is set."""


class WorkerProcess:
    """A worker process, the pipes to it and from it, and the numbers of the shared values that it has."""

    def __init__(self) -> None:
        import subprocess  # a worker itself does without

        # In a session of its own, the worker gets no Ctrl-C: the process that gives the work ends it.
        process = subprocess.Popen(
            _worker_command(), stdin=subprocess.PIPE, stdout=subprocess.PIPE, start_new_session=True
        )
        assert process.stdin is not None and process.stdout is not None
        self.number = process.pid
        self._to = os.dup(process.stdin.fileno())
        self._back = os.dup(process.stdout.fileno())
        process.stdin.close()
        process.stdout.close()
        process.returncode = 0  # keeps Popen from waiting for the process: `end` does
        widen(self._back)  # room for a large answer, so that the worker need not wait for its reader
        self._known_numbers: set[int] = set()

    def answer(self, task: bytes, numbers: tuple[int, ...], values: dict[int, bytes]) -> tuple[bool, Any]:
        """Return the worker's answer to a task: whether it succeeded, and the result, or else the error.

        task     the work and its item, pickled
        numbers  the numbers of the shared values that the work takes as further arguments
        values   every shared value that exists now, by its number, pickled; the worker gets only new ones
        Raises OSError or EOFError if the process has died.
        """
        forgotten = self._known_numbers - values.keys()
        new_values = {number: values[number] for number in numbers if number not in self._known_numbers}
        self._known_numbers = (self._known_numbers - forgotten) | new_values.keys()
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
    """Return the command of a worker: it imports from where this process does, but not the current folder.

    Python itself puts the current folder in front (`-m`, `-c`, a terminal): files beside the data would be
    executed.  The worker imports from it only if PYTHONPATH has its absolute path.  The folder of this
    package comes last if the path lacks it.
    """
    current_folder = ""
    with contextlib.suppress(OSError):  # the folder was deleted
        current_folder = str(Path.cwd())
    allowed_folders = map(os.path.normpath, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    left_out = {"."}
    if current_folder not in allowed_folders:
        left_out.add(current_folder)
    path = [folder for folder in sys.path if os.path.normpath(folder) not in left_out]
    package_folder = str(Path(__file__).parents[2])
    if package_folder not in path:
        path.append(package_folder)
    # The flags that keep folders out of this process's path keep them out of the worker's.
    is_set = {"-I": sys.flags.isolated, "-E": sys.flags.ignore_environment, "-s": sys.flags.no_user_site}
    flags = [flag for flag, value in is_set.items() if value]
    return [sys.executable, *flags, "-c", WORKER_PROGRAM, *path]


STDIN, STDOUT, STDERR = 0, 1, 2


def serve(tasks: int, answers: int) -> None:
    """Do the tasks that come through the pipe `tasks` until it closes; write to the pipe `answers`."""
    values: dict[int, Any] = {}
    while True:
        try:
            forgotten, new_values, numbers, task = receive(tasks)
        except EOFError:
            return
        for number in forgotten:
            values.pop(number, None)
        answer = outcome_of(_do_task, task, values, new_values, numbers)
        try:
            send(answers, answer)
        except OSError:  # whoever gave the work is gone
            return


def _do_task(
    task: bytes, values: dict[int, Any], new_values: dict[int, bytes], numbers: tuple[int, ...]
) -> Any:
    """Return the result of a task.

    Values and work are unpickled here, so that an error in it becomes the answer, as an error of the work.
    """
    while new_values:
        number, text = new_values.popitem()
        values[number] = pickle.loads(text)
    work, item = pickle.loads(task)
    return work(item, *(values[number] for number in numbers))


def main() -> None:
    """Read tasks from stdin and answer on stdout; what the work itself prints goes to stderr."""
    allow_keeping_memory()
    answers = os.dup(STDOUT)
    os.dup2(STDERR, STDOUT)
    serve(STDIN, answers)
