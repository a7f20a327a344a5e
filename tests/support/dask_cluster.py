"""A Dask cluster of processes of its own: a scheduler and workers, each of which can be killed."""

from __future__ import annotations

import contextlib
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path

from conftest import ROOT

SECONDS = 60

IDLE = {
    "DASK_DISTRIBUTED__ADMIN__TICK__INTERVAL": "500ms",
    "DASK_DISTRIBUTED__ADMIN__SYSTEM_MONITOR__INTERVAL": "5s",
    "DASK_DISTRIBUTED__WORKER__PROFILE__ENABLED": "False",
}
"""Settings with which Dask watches itself less: processes that wait take a third of the processor time."""


class DaskCluster:
    """The processes, and the address of the scheduler."""

    def __init__(self, folder: Path, memory: str) -> None:
        self._memory = memory
        self.file = folder / "scheduler.json"
        self._processes: list[subprocess.Popen[bytes]] = []
        self._folder = folder
        self._log = (folder / "log").open("wb")
        command = ("scheduler", "--port", "0", "--no-dashboard", "--scheduler-file", str(self.file))
        self.scheduler = self._start(*command, "--host", "127.0.0.1")
        deadline = time.monotonic() + SECONDS
        while not self.file.is_file() and time.monotonic() < deadline:
            time.sleep(0.05)

    def add_worker(self, *options: str) -> subprocess.Popen[bytes]:
        """Start a worker with one thread, which is replaced if it dies."""
        place = ("--local-directory", str(self._folder), "--scheduler-file", str(self.file), *options)
        return self._start(
            "worker", "--nthreads", "1", "--memory-limit", self._memory, "--no-dashboard", *place
        )

    def _start(self, *arguments: str) -> subprocess.Popen[bytes]:
        path = os.pathsep.join([str(ROOT), *filter(None, [os.environ.get("PYTHONPATH")])])
        process = subprocess.Popen(
            [sys.executable, "-W", "ignore", "-m", "dask", *arguments],
            env={**IDLE, **os.environ, "PYTHONPATH": path},
            stdin=subprocess.DEVNULL,
            stdout=self._log,
            stderr=self._log,
            start_new_session=True,
        )
        self._processes.append(process)
        return process

    def wait_for(self, words: bytes) -> None:
        """Wait until some process has said this."""
        deadline = time.monotonic() + SECONDS
        while words not in (self._folder / "log").read_bytes() and time.monotonic() < deadline:
            time.sleep(0.05)

    def kill_scheduler(self) -> None:
        """End the scheduler, as a machine that goes down does."""
        self.scheduler.send_signal(signal.SIGKILL)
        self.scheduler.wait()

    def close(self) -> None:
        """End everything at once, with what the processes have started; --cov waits for their data."""
        told = any(name.startswith("COVERAGE_PROCESS") for name in os.environ)
        for process in reversed(self._processes):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM if told else signal.SIGKILL)
        for process in self._processes:
            with contextlib.suppress(subprocess.TimeoutExpired):
                process.wait(SECONDS)
            process.kill()
            process.wait()
        self._log.close()


@contextlib.contextmanager
def dask_cluster(folder: Path, workers: int, memory: str = "1GB") -> Iterator[DaskCluster]:
    """A cluster for as long as the block goes."""
    cluster = DaskCluster(folder, memory)
    try:
        for _ in range(workers):
            cluster.add_worker()
        yield cluster
    finally:
        cluster.close()
