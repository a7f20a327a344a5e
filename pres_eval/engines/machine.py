"""Facts about this machine: its processors, its memory, and the signals that end its processes."""

from __future__ import annotations

import contextlib
import os
import signal
import sys

SIGNALS = ("SIGINT", "SIGTERM", "SIGHUP", "SIGXCPU", "SIGQUIT")
"""Signals that ask a process to end."""

CPU_LIMIT = "/sys/fs/cgroup/cpu.max"
"""File in which Linux has the processor time that a container gets in a period of time, and the period."""

MEMORY_LIMITS = ("/sys/fs/cgroup/memory.max", "/sys/fs/cgroup/memory/memory.limit_in_bytes")
"""Files in which Linux has the memory limit of a container."""


def ending_signals() -> list[int]:
    """Return the numbers of these signals, as far as this system has them."""
    return [getattr(signal, name) for name in SIGNALS if hasattr(signal, name)]


def num_processors() -> int:
    """Return the number of processors that this process may use, or that its container gets the time of."""
    processors = os.cpu_count() or 1
    # The system need not have this call, and may refuse it (seccomp).
    with contextlib.suppress(AttributeError, OSError):
        processors = len(os.sched_getaffinity(0))
    with contextlib.suppress(OSError, ValueError), open(CPU_LIMIT, encoding="utf-8") as file:  # noqa: PTH123
        time, period = map(int, file.read().split())  # the time is "max" if there is no limit
        processors = min(processors, max(1, -(-time // period)))
    return processors


def memory_of_machine() -> int:
    """Return bytes of memory that processes of this machine may have together."""
    try:
        size = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    except (AttributeError, OSError, ValueError):
        size = sys.maxsize
    for path in MEMORY_LIMITS:
        with contextlib.suppress(OSError, ValueError), open(path, encoding="ascii") as file:  # noqa: PTH123
            size = min(size, int(file.read()))
    return size
