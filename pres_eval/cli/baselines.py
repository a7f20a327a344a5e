"""The baseline of --against: read, held to what this call checks, and replaced if the gates are passed."""

from __future__ import annotations

import contextlib
import io
import itertools
import os
from collections.abc import Callable, Iterator
from typing import TYPE_CHECKING, BinaryIO

import click

from pres_eval.cli.output import write_output
from pres_eval.cli.streams import say
from pres_eval.errors import InputError, UsageError
from pres_eval.reading.file import BYTE_ORDER_MARK, CHUNK, File

if TYPE_CHECKING:
    from pres_eval.cli.job import EvaluateOptions
    from pres_eval.report.records import Record

MOST_BYTES = 1 << 30
"""Largest size of a file that a gate compares with, so that an endless file is refused."""


@contextlib.contextmanager
def replaced_if_passed(options: EvaluateOptions) -> Iterator[BinaryIO]:
    """Give the stream for results that replace what they are compared with.

    They are written when the block ends; if it raises, the file stays as it was, to be compared with again.
    """
    held = io.BytesIO()
    try:
        yield held
    except click.exceptions.Exit as stop:
        from pres_eval.cli.gates.findings import EXIT_CODE

        reason = "not all runs could be evaluated"
        if stop.exit_code == EXIT_CODE:
            reason = "the gate failed"
        say(f"pres-eval: {options.output} kept: {reason}")
        raise
    write_output(options.output, held.getvalue())


def read_baseline(options: EvaluateOptions, path: str, evaluated: Callable[[str], Record]) -> Record:
    """Return the evaluation that --against names: JSON, or a run that is evaluated now.

    evaluated  returns the evaluation of a run
    Raises UsageError for a run that its evaluation would replace.
    """
    from pres_eval.measures import MEASURES
    from pres_eval.report.read_records import from_json

    source = File(path)
    if source.head(4).removeprefix(BYTE_ORDER_MARK)[:1] == b"{":
        return from_json(read_whole(source), path, MEASURES)
    if options.replaced_option == "--against":  # --output would overwrite the file at `path`
        raise UsageError(
            f"--output {options.output}: {path} is an earlier run, which its evaluation would replace;"
            " choose another --output"
        )
    if path != "-" and source.size() is not None:
        return evaluated(path)
    return _of_stream(source, path, evaluated)


def _of_stream(source: File, path: str, evaluated: Callable[[str], Record]) -> Record:
    """Return the evaluation of a run from a pipe or standard input, which can be read only once."""
    import tempfile
    from dataclasses import replace

    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "run")  # noqa: PTH118
        with open(copy, "wb") as stream:  # noqa: PTH123
            stream.write(read_whole(source))
        record = evaluated(copy)
    runs = [replace(run, evaluation=replace(run.evaluation, path=path)) for run in record.runs]
    return replace(record, runs=tuple(runs))


def read_whole(source: File, by_line: bool = False) -> bytes:
    """Return the content of a file that a gate compares with; raise InputError for more than MOST_BYTES.

    by_line  read it by lines, of which an endless one is an error, too
    """
    if by_line:
        chunks = itertools.islice(source.chunks(), MOST_BYTES // CHUNK + 1)
        data = b"".join(chunk.text() for chunk in chunks)
    else:
        data = source.head(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise InputError(source.name, None, f"more than {MOST_BYTES:,} bytes", "a readable file")
    return data
