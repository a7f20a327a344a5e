"""How the C library treats memory that arrays give back."""

from __future__ import annotations

import contextlib
from functools import cache

_allowed = False


def allow_keeping_memory() -> None:
    """Let keep_freed_memory do its work: it changes the whole process, so a program has to ask for it."""
    global _allowed  # noqa: PLW0603 - it is about the process
    _allowed = True


def keep_freed_memory() -> None:
    """Let freed memory be used again instead of being handed to the system and asked for anew.

    A chunk's arrays are as large as those of the chunk before.  glibc by default returns such memory at once,
    and the page faults of getting it back take a quarter of the time.  What is larger than 32 MB, the most
    that glibc allows here, still goes back at once.  Elsewhere, and unless the program allowed it, nothing
    happens.
    """
    if _allowed:
        _tell_malloc()


@cache
def _tell_malloc() -> None:
    with contextlib.suppress(ImportError, OSError, AttributeError):
        import ctypes

        mallopt = ctypes.CDLL(None).mallopt
        # As glibc's malloc.h numbers them.
        trim_threshold, top_pad, mmap_threshold, arena_max = -1, -2, -3, -8
        # Threads that had areas of their own could not use what another one gave back: 8 MB more for each.
        mallopt(arena_max, 1)
        mallopt(mmap_threshold, 32 << 20)
        mallopt(top_pad, 16 << 20)
        mallopt(trim_threshold, 1 << 30)
