"""Files that change while a command reads them: it is caught while it does so, and stands still meanwhile."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import time
from collections.abc import Callable, Iterable, Iterator
from pathlib import Path

SECONDS = 5
"""How long a command is watched; then it may be that it waits for somebody to read what it prints."""


class NotCaughtError(Exception):
    """The command had ended before it was seen to read the file."""


def other(path: Path) -> bytes:
    """Another file of the same size, in which all is right, too: documents d… are e… there."""
    return path.read_bytes().replace(b" d", b" e")


def replaced(path: Path) -> None:
    """By another file of the same size and time."""
    new, status = path.with_name("new"), path.stat()
    new.write_bytes(other(path))
    os.utime(new, ns=(status.st_atime_ns, status.st_mtime_ns))
    new.replace(path)


def overwritten(path: Path) -> None:
    """In place, and the time is set back."""
    status, text = path.stat(), other(path)
    with path.open("r+b") as file:
        file.write(text)
    os.utime(path, ns=(status.st_atime_ns, status.st_mtime_ns))


def appended(path: Path) -> None:
    """By a line that is as right as the others, if it is text."""
    with path.open("ab") as file:
        file.write(b"1 0 late 1\n" if path.name.endswith("qrels") else b"last Q0 late 1 0.5 tag\n")


def cut(path: Path) -> None:
    """In the middle of a line."""
    os.truncate(path, path.stat().st_size // 2 + 7)


def halved(path: Path) -> None:
    """By another file, with the first half of its lines."""
    text = path.read_bytes()
    path.with_name("new").write_bytes(text[: text.find(b"\n", len(text) // 2) + 1])
    path.with_name("new").replace(path)


CHANGES: tuple[Callable[[Path], None], ...] = (replaced, overwritten, appended, cut, halved)


def family(process: int) -> list[int]:
    """A process and those that it has started."""
    found = [process]
    with contextlib.suppress(OSError):
        for task in Path(f"/proc/{process}/task").iterdir():
            found += [int(child) for child in (task / "children").read_text().split()]
    return found


def is_reading(process: int, path: Path, *, begun: bool) -> bool:
    """Whether it has the file open, and has read some megabytes of it if it has `begun` to."""
    with contextlib.suppress(OSError):
        for each in Path(f"/proc/{process}/fd").iterdir():
            with contextlib.suppress(OSError):
                if each.readlink() == path:
                    place = Path(f"/proc/{process}/fdinfo/{each.name}").read_text().split()[1]
                    if not begun or int(place) > 1 << 20:
                        return True
    return False


@contextlib.contextmanager
def caught(running: subprocess.Popen[bytes], path: Path, workers: Iterable[int] = ()) -> Iterator[None]:
    """Let the command stand still while it reads the file, or others do that it has started, or `workers`."""
    deadline = time.monotonic() + SECONDS
    while running.poll() is None and time.monotonic() < deadline:
        first, *others = every = [*family(running.pid), *workers]
        if is_reading(first, path, begun=True) or any(is_reading(each, path, begun=False) for each in others):
            for each in every:
                os.kill(each, signal.SIGSTOP)
            yield
            for each in every:
                with contextlib.suppress(ProcessLookupError):  # one that was killed, and waited for
                    os.kill(each, signal.SIGCONT)
            return
        time.sleep(0.0005)
    raise NotCaughtError
