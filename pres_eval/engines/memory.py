"""Settings of the C library for memory that arrays give back."""

from __future__ import annotations

import contextlib
import os
import re
import threading
from collections.abc import Iterator

_TRIM_THRESHOLD, _TOP_PAD, _MMAP_THRESHOLD, _ARENA_MAX = -1, -2, -3, -8
"""As glibc's malloc.h numbers them."""

_KEEP = (
    ("mallopt", _MMAP_THRESHOLD, 32 << 20),
    ("mallopt", _TOP_PAD, 16 << 20),
    ("mallopt", _TRIM_THRESHOLD, 1 << 30),
)
"""Calls of glibc that let it keep what is freed."""

GLIBC_DEFAULT = 128 << 10
"""Value that glibc begins with."""

_DIGITS = re.compile("[0-9]{1,18}")
"""A size in bytes, as MALLOC_TRIM_THRESHOLD_ gives it."""

_LARGEST = 2**31 - 1
"""The largest size that mallopt takes."""

_is_allowed = False
"""Whether keep_freed_memory is to make its calls: from allow_keeping_memory until they are made."""

_lock = threading.Lock()
"""Held by whoever changes the number of blocks."""

_num_blocks = 0
"""Blocks of freed_memory_kept that run now, in all threads."""


def allow_keeping_memory() -> None:
    """Allow keep_freed_memory to change the settings of the whole process: a program has to ask for it."""
    global _is_allowed  # noqa: PLW0603 - it is about the process
    _is_allowed = True


def keep_freed_memory() -> None:
    """Let freed memory be used again instead of being handed to the system and asked for anew.

    A chunk's arrays are as large as those of the chunk before.  glibc by default returns such memory at once,
    and the page faults of getting it back take a quarter of the time.  What is larger than 32 MB, the most
    that glibc allows here, still goes back at once.  Elsewhere, and unless the program allowed it, nothing
    happens.
    """
    global _is_allowed  # noqa: PLW0603 - it is about the process
    if _is_allowed:
        _is_allowed = False
        # Threads that had areas of their own could not use what another one gave back: 8 MB more for each.
        for call in (("mallopt", _ARENA_MAX, 1), *_KEEP):
            _c_library(*call)


@contextlib.contextmanager
def freed_memory_kept() -> Iterator[None]:
    """Keep freed memory, as keep_freed_memory does, inside the block; at its end give all memory back.

    This is for the process of another program, and restores its settings.

    Dask lets its workers return memory at once (MALLOC_TRIM_THRESHOLD_), which doubles what reading takes.
    """
    global _num_blocks  # noqa: PLW0603 - it is about the process
    with _lock:
        _num_blocks += 1
        for call in _KEEP:
            _c_library(*call)
    try:
        yield
    finally:
        with _lock:
            _num_blocks -= 1
            if not _num_blocks:
                _c_library("mallopt", _MMAP_THRESHOLD, GLIBC_DEFAULT)
                _c_library("mallopt", _TOP_PAD, GLIBC_DEFAULT)
                # The process may have been started with another threshold.
                size = os.environ.get("MALLOC_TRIM_THRESHOLD_", "")
                threshold = GLIBC_DEFAULT
                if _DIGITS.fullmatch(size):
                    threshold = min(int(size), _LARGEST)
                _c_library("mallopt", _TRIM_THRESHOLD, threshold)
                _c_library("malloc_trim", 0)


def _c_library(function: str, *values: int) -> None:
    """Call a function of glibc, where there is one."""
    with contextlib.suppress(ImportError, OSError, AttributeError, TypeError):
        import ctypes

        getattr(ctypes.CDLL(None), function)(*values)
