"""Facts about this machine: its processors, its memory, and the signals that end its processes."""

from __future__ import annotations

import contextlib
import math
import os
import signal
import sys

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGXCPU", "SIGQUIT")
"""Signals that ask a process to end."""

CPU_LIMIT_FILE = "/sys/fs/cgroup/cpu.max"
"""Linux' file with the processor time that a container gets in each period, and that period, in µs."""

MEMORY_LIMIT_FILES = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Linux' files with the memory limit of a container, in bytes: those of cgroups 2 and 1."""


def ending_signals() -> list[int]:
    """Return the numbers of SIGNALS, of those that this system has."""
    return [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]


def num_processors() -> int:
    """Return how many processors this process may use, at most as many as its container gets the time of."""
    processors = os.cpu_count() or 1
    # The system need not have this call, and may refuse it (seccomp).
    with contextlib.suppress(AttributeError, OSError):
        processors = len(os.sched_getaffinity(0))
    with contextlib.suppress(OSError, ValueError), open(CPU_LIMIT_FILE, encoding="utf-8") as file:  # noqa: PTH123
        time, period = map(int, file.read().split())  # ValueError: the time is "max", which is no limit
        limit = math.ceil(time / period)
        processors = min(processors, max(1, limit))
    return processors


def memory_of_machine() -> int:
    """Return the bytes of memory that all processes of this machine, or container, may have together."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        size = sys.maxsize
    for path in MEMORY_LIMIT_FILES:
        with contextlib.suppress(OSError, ValueError), open(path, encoding="ascii") as file:  # noqa: PTH123
            size = min(size, int(file.read()))
    return size
