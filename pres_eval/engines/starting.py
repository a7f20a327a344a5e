"""Start of new processes, and the memory that they may have."""

from __future__ import annotations

import contextlib
import os
import subprocess
import sys
from pathlib import Path

from pres_eval.engines.worker import Channel

BEGIN = "import sys; sys.path[:] = sys.argv[1:]; from pres_eval.engines.worker import main; main()"
"""Program of a worker: it imports nothing but `sys`, a part of Python itself, before its path is set."""

CONTAINER_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Files in which Linux has the memory limit of a container."""


def started() -> tuple[int, Channel]:
    """Start a worker anew; return its number and the channel to it.  Raises OSError."""
    process = subprocess.Popen(
        worker_command(),
        stdin=subprocess.PIPE,
        stdout=subprocess.PIPE,
        # Ctrl-C goes to whoever gives the work.
        start_new_session=True,
    )
    assert process.stdin is not None and process.stdout is not None
    channel = Channel(os.dup(process.stdout.fileno()), os.dup(process.stdin.fileno()))
    process.stdin.close()
    process.stdout.close()
    process.returncode = 0  # whoever ends the worker waits for it
    return process.pid, channel


def worker_command() -> list[str]:
    """Return the command of a worker: it imports from where this process does, never from the current folder.

    Python itself puts that folder in front (`-m`, `-c`, a terminal): files beside the data would be executed.
    Only an absolute path in PYTHONPATH may name it.  The folder of this package comes last if it is left out.
    """
    here = ""
    with contextlib.suppress(OSError):  # the folder is gone
        here = str(Path.cwd())
    named = map(os.path.normpath, os.environ.get("PYTHONPATH", "").split(os.pathsep))
    outside = {".", *{here}.difference(named)}
    path = [each for each in sys.path if os.path.normpath(each) not in outside]
    home = str(Path(__file__).parents[2])
    # What shuts a file out of this process (-I, -E, -s) shuts it out of the worker.
    shut = {"-I": sys.flags.isolated, "-E": sys.flags.ignore_environment, "-s": sys.flags.no_user_site}
    flags = [flag for flag, is_set in shut.items() if is_set]
    return [sys.executable, *flags, "-c", BEGIN, *path, *([] if home in path else [home])]


def memory_of_machine() -> int:
    """Return bytes of memory that processes of this machine may have together."""
    try:
        found = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        found = sys.maxsize
    for path in CONTAINER_LIMITS:
        with contextlib.suppress(OSError, ValueError):
            found = min(found, int(Path(path).read_text(encoding="ascii")))
    return found
