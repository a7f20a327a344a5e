"""Copies of this process in which code is changed: they run tests, and are gone."""

from __future__ import annotations

import contextlib
import gc
import importlib.abc
import importlib.machinery
import io
import os
import resource
import signal
import subprocess
import sys
import tempfile
import time
import traceback
from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from pathlib import Path
from types import CodeType, FunctionType, ModuleType
from typing import Any

from fuzz.mutations import ROOT, Mutant

BROKEN = 99
"""Exit code of a copy whose work itself went wrong."""

_MEMORY = 4 << 30


def in_a_copy(work: Callable[[], int], seconds: float, log: Path) -> int:
    """What the work gives in a copy of this process; below 0 if it does not end.

    It may compute six times as long as was said, and 15 seconds more; what it says goes to the log.
    """
    sys.stdout.flush()
    child = os.fork()
    if child == 0:
        os.setsid()
        os.dup2(os.open(os.devnull, os.O_RDONLY), 0)
        said = os.open(log, os.O_WRONLY | os.O_CREAT | os.O_TRUNC)
        for number in (1, 2):
            os.dup2(said, number)
        most = int(15 + 6 * seconds)
        resource.setrlimit(resource.RLIMIT_CPU, (most, most))
        code = BROKEN
        try:
            code = work()
        except BaseException:
            traceback.print_exc()
        finally:
            sys.stdout.flush()
            os._exit(code)
    end = time.monotonic() + 60 + 30 * seconds
    pause = 0.002
    while time.monotonic() < end:
        ended, status = os.waitpid(child, os.WNOHANG)
        if ended:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(child, signal.SIGKILL)  # what it may have started
            return os.waitstatus_to_exitcode(status)
        time.sleep(pause)
        pause = min(2 * pause, 0.05)
    os.killpg(child, signal.SIGKILL)
    os.waitpid(child, 0)
    return -signal.SIGKILL


def limit_memory() -> None:
    """A mutant may ask for any amount."""
    resource.setrlimit(resource.RLIMIT_AS, (_MEMORY, _MEMORY))


class Functions:
    """The functions of the package as they are now, and what they have cached."""

    def __init__(self) -> None:
        package = str(ROOT / "pres_eval")
        self._of: dict[str, list[FunctionType]] = defaultdict(list)
        self._caches = []
        gc.unfreeze()  # conftest.py has frozen what there is
        for found in gc.get_objects():
            if isinstance(found, FunctionType) and found.__code__.co_filename.startswith(package):
                self._of[found.__code__.co_filename].append(found)
            elif hasattr(type(found), "cache_clear") and str(found.__module__).startswith("pres_eval"):
                self._caches.append(found)

    def change(self, mutant: Mutant | None) -> None:
        """Give the functions of the module the changed code, and forget what was cached."""
        self.forget()
        if mutant is None:
            return
        self.exchange(mutant.path, dict(code_pairs(mutant)))
        if not self._of[str(ROOT / "pres_eval" / mutant.path)]:  # it is imported when it is needed
            sys.meta_path.insert(0, Changed(mutant))

    def forget(self) -> None:
        """Forget what was cached."""
        for cached in self._caches:
            cached.cache_clear()

    def exchange(self, path: str, after: dict[CodeType, CodeType]) -> None:
        """Give the functions of a module other code."""
        for function in self._of[str(ROOT / "pres_eval" / path)]:
            function.__code__ = after.get(function.__code__, function.__code__)


def code_pairs(mutant: Mutant) -> Iterator[tuple[CodeType, CodeType]]:
    """Yield the code of each function of a mutant's module, and what becomes of it."""
    path = str(ROOT / "pres_eval" / mutant.path)
    before = compile(Path(path).read_text(), path, "exec", dont_inherit=True)
    yield from _pairs(before, compile(mutant.tree(), path, "exec", dont_inherit=True))


def _pairs(before: CodeType, after: CodeType) -> Iterator[tuple[CodeType, CodeType]]:
    """The code of each function, and what becomes of it."""
    inside: dict[tuple[str, int], list[CodeType]] = defaultdict(list)
    for constant in after.co_consts:
        if isinstance(constant, CodeType):
            inside[constant.co_name, constant.co_firstlineno].append(constant)
    for constant in before.co_consts:
        if isinstance(constant, CodeType) and (of := inside[constant.co_name, constant.co_firstlineno]):
            changed = of.pop(0)
            yield constant, changed
            yield from _pairs(constant, changed)


class Changed(importlib.abc.MetaPathFinder):
    """Imports one module from a changed tree."""

    def __init__(self, mutant: Mutant) -> None:
        parts = ("pres_eval", *Path(mutant.path).with_suffix("").parts)
        self._name = ".".join(parts[:-1] if parts[-1] == "__init__" else parts)
        self._mutant = mutant

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> importlib.machinery.ModuleSpec | None:
        if fullname != self._name:
            return None
        spec = importlib.machinery.PathFinder.find_spec(fullname, path, target)
        assert spec is not None and spec.origin is not None
        spec.loader = _Loader(fullname, spec.origin, self._mutant)
        return spec


class _Loader(importlib.machinery.SourceFileLoader):
    def __init__(self, name: str, path: str, mutant: Mutant) -> None:
        super().__init__(name, path)
        self._mutant = mutant

    def get_code(self, fullname: str) -> CodeType:
        return compile(self._mutant.tree(), self.path, "exec", dont_inherit=True)


@contextlib.contextmanager
def without_subprocesses() -> Iterator[None]:
    """Let tests that start `python -m pres_eval` run it in this process."""
    processes: Any = subprocess
    real = processes.run

    def run(command: Any, *arguments: Any, **settings: Any) -> Any:
        if command[:3] != [sys.executable, "-m", "pres_eval"] or arguments:
            return real(command, *arguments, **settings)
        return _called(command, settings)

    processes.run = run
    try:
        yield
    finally:
        processes.run = real


def _called(command: list[str], settings: dict[str, Any]) -> subprocess.CompletedProcess[bytes]:
    from pres_eval.cli import main

    folder, environment = Path.cwd(), dict(os.environ)
    with contextlib.ExitStack() as stack:
        # Streams that the test redirects to files of its own are these; the others are caught.
        redirected = [settings.get(name) for name in ("stdin", "stdout", "stderr")]
        files: list[Any] = []
        for stream in redirected:
            is_file = hasattr(stream, "fileno")
            files.append(stream if is_file else stack.enter_context(tempfile.TemporaryFile()))
        if files[0] is not redirected[0]:
            files[0].write(settings.get("input") or b"")
            files[0].seek(0)
        for number, file in enumerate(files):
            kept = os.dup(number)
            os.dup2(file.fileno(), number)
            stack.callback(os.close, kept)
            stack.callback(os.dup2, kept, number)
        stack.callback(os.environ.update, environment)
        stack.callback(os.environ.clear)
        stack.callback(os.chdir, folder)
        before = sys.stdin, sys.stdout, sys.stderr
        sys.stdin, sys.stdout, sys.stderr = (
            io.TextIOWrapper(io.FileIO(number, mode, closefd=False), "utf-8")
            for number, mode in enumerate(("r", "w", "w"))
        )
        try:
            os.environ.update(settings.get("env") or {})
            os.chdir(settings.get("cwd") or folder)
            code = main(command[3:])
            sys.stdout.flush()
            sys.stderr.flush()
        finally:
            sys.stdin, sys.stdout, sys.stderr = before
        caught: list[bytes | None] = []
        for file, stream in zip(files[1:], redirected[1:], strict=True):
            if file is stream:
                caught.append(None)
            else:
                file.seek(0)
                caught.append(file.read())
        return subprocess.CompletedProcess(command, code, *caught)
