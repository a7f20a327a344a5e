"""pres-eval as a process that starts at once: a fork of a server that has imported the package already.

`program()` is the path of a program that may stand for `python -m pres_eval`: arguments, folder, environment,
open streams and exit code are those of its caller.  It costs 20 ms in place of 400 ms.  Not for tests of
signals, of limits, of the start of Python or of what is imported: these need the real process.
"""

from __future__ import annotations

import array
import functools
import gc
import importlib
import io
import marshal
import os
import select
import shlex
import shutil
import signal
import socket
import subprocess
import sys
import tempfile
from pathlib import Path
from typing import NoReturn

from pres_eval import __main__ as entry

ROOT = Path(__file__).parents[2]
STREAMS = 3
CHUNK = 1 << 16
SECONDS_BETWEEN_LOOKS = 2.0
"""Seconds after which the server looks again whether its owner lives."""

CLIENT = """\
import _socket, array, marshal, os, sys
server = _socket.socket(_socket.AF_UNIX)
server.connect({address!r})
request = marshal.dumps((sys.argv[1:], os.getcwd(), dict(os.environ)))
streams = array.array("i", [0, 1, 2])
server.sendmsg([len(request).to_bytes(8, "big")], [(_socket.SOL_SOCKET, _socket.SCM_RIGHTS, streams)])
while request:
    request = request[server.send(request):]
status = int.from_bytes(server.recv(8), "big")
if os.WIFSIGNALED(status):
    os.kill(os.getpid(), os.WTERMSIG(status))
os._exit(os.waitstatus_to_exitcode(status))
"""


@functools.cache
def program() -> str:
    """Return the path of the program, whose server this process starts."""
    folder = Path(tempfile.mkdtemp(prefix="pres-eval-"))
    path = folder / "pres-eval"
    python = shlex.quote(sys.executable)
    if os.name != "posix" or any(name.startswith("COVERAGE_PROCESS") for name in os.environ):
        path.write_text(f'#!/bin/sh\nexec {python} -m pres_eval "$@"\n', encoding="utf-8")
    else:
        address = str(folder / "socket")
        client = folder / "client.py"
        client.write_text(CLIENT.format(address=address), encoding="utf-8")
        path.write_text(f'#!/bin/sh\nexec {python} -IS {shlex.quote(str(client))} "$@"\n', encoding="utf-8")
        _start_server(address)
    path.chmod(0o755)
    return str(path)


def _start_server(address: str) -> None:
    """Start the server, which ends soon after this process. It is no child: tests count their children."""
    paths = [str(ROOT), str(ROOT / "tests"), *filter(None, [os.environ.get("PYTHONPATH")])]
    started = subprocess.run(
        [sys.executable, "-m", "support.prepared", address, str(os.getpid())],
        env={**os.environ, "PYTHONPATH": os.pathsep.join(paths)},
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        cwd="/",
        check=True,
    )
    assert started.stdout == b"ready\n"


def serve(address: str, owner: int) -> NoReturn:
    """Import the package, and fork for each request as long as the owner lives."""
    from pres_eval.cli.commands import COMMANDS, command_of

    for name in COMMANDS:
        command_of(name)
    for module in ("numpy", "tabulate", "pres_eval.report", "pres_eval.measures", "pres_eval.analysis"):
        importlib.import_module(module)
    gc.collect()
    gc.freeze()
    listener = socket.socket(socket.AF_UNIX)
    listener.bind(address)
    listener.listen(64)
    os.write(1, b"ready\n")
    if os.fork():
        os._exit(0)
    os.setsid()
    os.dup2(0, 1)
    signal.signal(signal.SIGCHLD, signal.SIG_IGN)  # the system forgets the children that have answered
    while _lives(owner):
        readable, _, _ = select.select([listener], [], [], SECONDS_BETWEEN_LOOKS)
        if not readable:
            continue
        connection, _ = listener.accept()
        if os.fork() == 0:
            listener.close()
            signal.signal(signal.SIGCHLD, signal.SIG_DFL)
            _answer(connection)
        connection.close()
    shutil.rmtree(Path(address).parent, ignore_errors=True)
    os._exit(0)


def _lives(process: int) -> bool:
    try:
        os.kill(process, 0)
    except ProcessLookupError:
        return False
    return True


def _answer(connection: socket.socket) -> NoReturn:
    """Run the command of a request in a fork of its own, and answer with its exit status."""
    head, ancillary, _, _ = connection.recvmsg(8, socket.CMSG_SPACE(STREAMS * 4))
    streams = array.array("i")
    streams.frombytes(ancillary[0][2])
    size = int.from_bytes(head, "big")
    request = b""
    while len(request) < size:
        request += connection.recv(CHUNK)
    child = os.fork()
    if child == 0:
        connection.close()
        arguments, folder, environment = marshal.loads(request)
        _become_command(arguments, folder, environment, streams)
    for stream in streams:
        os.close(stream)
    for stream in range(STREAMS):
        os.close(stream)
    _, status = os.waitpid(child, 0)
    connection.sendall(status.to_bytes(8, "big"))
    os._exit(0)


def _become_command(
    arguments: list[str], folder: str, environment: dict[str, str], streams: array.array[int]
) -> NoReturn:
    """Run the command as `python -m pres_eval` does."""
    for number, stream in enumerate(streams):
        os.dup2(stream, number)
        os.close(stream)
    os.chdir(folder)
    os.environ.clear()
    os.environ.update(environment)
    sys.argv = ["pres-eval", *arguments]
    sys.path[:] = [folder, *(path for path in sys.path if path not in ("/", str(ROOT / "tests")))]
    sys.path += environment.get("PYTHONPATH", "").split(os.pathsep)
    importlib.invalidate_caches()
    sys.stdin = open(0, encoding="utf-8")  # noqa: SIM115
    sys.stdout = _text(1, "strict")
    sys.stderr = _text(2, "backslashreplace")
    code: object = 1
    # Workers that the command starts import this module under its name.
    sys.modules["__main__"] = entry
    try:
        entry.run()
    except SystemExit as end:
        code = end.code
    except BaseException:
        sys.excepthook(*sys.exc_info())
    sys.stdout.flush()
    sys.stderr.flush()
    os._exit(code if isinstance(code, int) else 1)


def _text(number: int, errors: str) -> io.TextIOWrapper:
    """Return a standard stream as Python opens it."""
    terminal = os.isatty(number)
    raw = io.FileIO(number, "w")
    return io.TextIOWrapper(
        io.BufferedWriter(raw), encoding="utf-8", errors=errors, line_buffering=terminal or number == 2
    )


if __name__ == "__main__":
    serve(sys.argv[1], int(sys.argv[2]))
