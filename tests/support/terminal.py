"""A shell at a terminal of its own, to type into and read from."""

from __future__ import annotations

import contextlib
import fcntl
import os
import pty
import re
import select
import struct
import subprocess
import termios
import time
from collections.abc import Mapping, Sequence
from pathlib import Path
from types import TracebackType

_CONTROL = re.compile(rb"\x1b(\[[0-?]*[ -/]*[@-~]|\][^\x07]*\x07|[()][A-Z0-9]|[=>78])|[\r\x07\x08\x0f]")


class Terminal:
    """Runs a program behind a pseudo-terminal of 40 lines and 160 columns."""

    def __init__(self, command: Sequence[str], folder: Path, environment: Mapping[str, str]) -> None:
        self._master, slave = pty.openpty()
        fcntl.ioctl(slave, termios.TIOCSWINSZ, struct.pack("HHHH", 40, 160, 0, 0))
        self._process = subprocess.Popen(
            ["setsid", "--ctty", *command],
            stdin=slave,
            stdout=slave,
            stderr=slave,
            cwd=folder,
            env={**environment, "TERM": "xterm"},
        )
        os.close(slave)
        self._seen = b""

    def __enter__(self) -> Terminal:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._process.kill()
        self._process.wait()
        os.close(self._master)

    def type(self, text: str) -> None:
        """Type the text; what was shown before is forgotten."""
        self._read(0.2)
        self._seen = b""
        os.write(self._master, text.encode())

    def wait_for(self, text: str, seconds: float = 30.0) -> str:
        """What the terminal showed, without its control sequences, once the text is in it."""
        end = time.monotonic() + seconds
        while time.monotonic() < end:
            shown = self.shown()
            if text in shown:
                self._read(0.3)
                return self.shown()
            self._read(0.2)
        raise AssertionError(f"{text!r} was not shown, but {self.shown()!r}")

    def shown(self) -> str:
        """What was shown since the last text was typed."""
        return _CONTROL.sub(b"", self._seen).decode("utf-8", "replace")

    def _read(self, seconds: float) -> None:
        while select.select([self._master], [], [], seconds)[0]:
            with contextlib.suppress(OSError):
                data = os.read(self._master, 65536)
                if data:
                    self._seen += data
                    self._answer(data)
                    continue
            return

    def _answer(self, data: bytes) -> None:
        """What a terminal says when it is asked where its cursor is, and what it is."""
        if b"\x1b[6n" in data:
            os.write(self._master, b"\x1b[1;1R")
        if b"\x1b[c" in data or b"\x1b[0c" in data:
            os.write(self._master, b"\x1b[?62;c")
