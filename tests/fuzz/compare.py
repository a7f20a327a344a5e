"""Run trec_eval and ours on a case and compare the bytes of stdout, and success with success."""

from __future__ import annotations

import contextlib
import difflib
import io
import re
import subprocess
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Any
from unittest import mock

from fuzz.case import Case


@dataclass(frozen=True)
class Outcome:
    """What a command did: its stdout, whether it said that all went well, what it complained about."""

    stdout: bytes
    success: bool
    complaint: str


@dataclass(frozen=True)
class Difference:
    """A case on which the two do not agree."""

    case: Case
    kind: str
    theirs: Outcome
    ours: Outcome

    def text(self) -> str:
        """The case and what differs, to read."""
        theirs, ours = (outcome.stdout.decode("latin-1").splitlines() for outcome in (self.theirs, self.ours))
        differing = difflib.unified_diff(theirs, ours, "trec_eval", "ours", lineterm="", n=0)
        complaints = [
            f"{name}: {'success' if outcome.success else 'failure'} {outcome.complaint.strip()}"
            for name, outcome in (("trec_eval", self.theirs), ("ours", self.ours))
        ]
        return "\n".join([self.case.text(), f"{self.kind}:", *complaints, *differing])


def run_reference(binary: str, case: Case, folder: Path) -> Outcome | None:
    """trec_eval's outcome; None where it says nothing about what is right.

    That is where it crashed, and where it stopped at something that we take on purpose: a topic of the qrels
    that the run lacks (10.0), a topic with negative judgements only.
    """
    done = subprocess.run(
        [binary, *case.arguments(str(folder))], capture_output=True, check=False, timeout=60
    )
    complaint = done.stderr.decode("utf-8", "backslashreplace")
    crashed = done.returncode < 0 and "Pref inconsistency" not in complaint
    if crashed or "not found in qrels" in complaint or is_all_negative(case):
        return None
    return Outcome(done.stdout, done.returncode == 0, complaint)


def is_all_negative(case: Case) -> bool:
    """Whether a topic has no judgement of 0 or more."""
    if any("prefs" in part for group in case.options for part in group):
        return False
    levels: dict[bytes, list[bytes]] = {}
    for line in case.qrels:
        fields = line.split()
        if len(fields) > 1 and not line.startswith(b"#"):
            levels.setdefault(fields[0], []).append(fields[-1])
    return any(all(level.startswith(b"-") for level in found) for found in levels.values())


COPIES = 2
"""The number of jobs with which small cases are read by copies of the process, as large ones are."""


@contextlib.contextmanager
def small_chunks(copies: bool = False) -> Iterator[None]:
    """Chunks of some lines, blocks of some topics: small files take the ways meant for large ones.

    `copies`: also the way of several processes.
    """
    from pres_eval.arrays import exact, ids, stretches
    from pres_eval.batches import forming
    from pres_eval.cli import reader
    from pres_eval.engines import copies as copied
    from pres_eval.ranking import order, ranker, runs
    from pres_eval.reading import file, lines, splits
    from pres_eval.reading.judgements import relevance

    sizes = [
        (stretches, "BLOCK_ROWS", 7),
        (exact, "SHORT_STRETCH_VALUES", 2),
        (ids, "_LEAST_COLUMNS", 1),
        (ids, "_SORTED_COLUMNS", 1),
        (forming, "BATCH_TOPICS", 2),
        (order, "MOST_COMPARISONS", 1),
        (ranker, "BLOCK_ROWS", 7),
        (lines, "UNTHREADED", 0),
        (runs, "UNTHREADED", 0),
        (splits, "CHUNK", 120),
        (file, "CUT_WINDOW", 40),
        (relevance, "MANY_GROUPS", 2),
    ]
    if copies:
        sizes += [(reader, "BYTES_PER_COPY", 1), (copied, "SPLIT_BYTES", 100), (splits, "WORKER_CHUNK", 70)]
    defaults: list[tuple[Callable[..., Any], int, int]] = [
        (file.File.chunks, file.CHUNK, 150),
    ]
    with contextlib.ExitStack() as stack:
        for module, name, size in sizes:
            stack.enter_context(mock.patch.object(module, name, size))
        for function, usual, size in defaults:
            assert usual in (function.__defaults__ or ()), function
            smaller = tuple(size if value == usual else value for value in function.__defaults__ or ())
            stack.enter_context(mock.patch.object(function, "__defaults__", smaller))
        yield


def run_ours(case: Case, folder: Path) -> Outcome:
    """Our outcome, in this process; an exception that gets through is a fault and passes on."""
    from pres_eval.cli import main

    raw = io.BytesIO()
    stdout, stderr = io.TextIOWrapper(raw, encoding="utf-8"), io.StringIO()
    chunks = small_chunks(copies=case.jobs == COPIES) if case.small else contextlib.nullcontext()
    with chunks, contextlib.redirect_stdout(stdout), contextlib.redirect_stderr(stderr):
        status = main(case.our_arguments(str(folder)))
    stdout.flush()
    return Outcome(raw.getvalue(), status == 0, stderr.getvalue())


def defined_lines(stdout: bytes) -> list[bytes]:
    """The lines to compare: without rbp where there are other measures.

    10.0 reads two variables of rbp that were never set; what other measures left on the stack changes it.
    """
    lines = stdout.splitlines(keepends=True)
    others = [line for line in lines if not re.match(rb"rbp(_p=|_\d|\s)", line)]
    return others or lines


def compare(case: Case, binary: str, folder: Path) -> Difference | None:
    """The difference between both, if there is one."""
    case.write(folder)
    theirs = run_reference(binary, case, folder)
    if theirs is None:
        return None
    ours = run_ours(case, folder)
    if theirs.success != ours.success:
        return Difference(case, "success", theirs, ours)
    if theirs.success and defined_lines(theirs.stdout) != defined_lines(ours.stdout):
        return Difference(case, "stdout", theirs, ours)
    return None
