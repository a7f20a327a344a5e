"""Files that gates compare with: read with a limit of size, and replaced if the gates are passed."""

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
    """Collect results that replace the file that they are compared with: yield the stream for them.

    They are written to --output when the block ends.  If it raises, as at a gate that was not passed, the
    file stays as it was, to be compared with again.
    """
    results = io.BytesIO()
    try:
        yield results
    except click.exceptions.Exit as stop:
        from pres_eval.cli.gates.findings import EXIT_CODE

        reason = "not all runs could be evaluated"
        if stop.exit_code == EXIT_CODE:
            reason = "the gate failed"
        say(f"pres-eval: {options.output} kept: {reason}")
        raise
    write_output(options.output, results.getvalue())


def read_baseline(options: EvaluateOptions, path: str, evaluate_run: Callable[[str], Record]) -> Record:
    """Return the evaluation at `path`, the FILE of --against: read from JSON, or made now of an earlier run.

    evaluate_run  returns the evaluation of the run at a path
    Raises UsageError for a run that --output would overwrite with its evaluation.
    """
    from pres_eval.measures import MEASURES
    from pres_eval.report.read_records import from_json

    source = File(path)
    is_json = source.head(4).removeprefix(BYTE_ORDER_MARK)[:1] == b"{"
    if is_json:
        return from_json(read_whole(source), path, MEASURES)
    if options.option_of_replaced_file == "--against":
        raise UsageError(
            f"--output {options.output}: {path} is an earlier run, which its evaluation would replace;"
            " choose another --output"
        )
    is_stream = path == "-" or source.size() is None
    if is_stream:
        return _evaluate_stream(source, path, evaluate_run)
    return evaluate_run(path)


def _evaluate_stream(source: File, path: str, evaluate_run: Callable[[str], Record]) -> Record:
    """Return the evaluation of a run from a pipe or standard input, which can be read only once."""
    import tempfile
    from dataclasses import replace

    with tempfile.TemporaryDirectory() as folder:
        copy = os.path.join(folder, "run")  # noqa: PTH118
        with open(copy, "wb") as stream:  # noqa: PTH123
            stream.write(read_whole(source))
        record = evaluate_run(copy)
    runs = [replace(run, evaluation=replace(run.evaluation, path=path)) for run in record.runs]
    return replace(record, runs=tuple(runs))


def read_whole(source: File, by_line: bool = False) -> bytes:
    """Return the content of a file that a gate compares with.

    by_line  check the length of lines as well: an endless one raises InputError early
    Raises InputError for more than MOST_BYTES.
    """
    if by_line:
        chunks = itertools.islice(source.chunks(), MOST_BYTES // CHUNK + 1)
        data = b"".join(chunk.text() for chunk in chunks)
    else:
        data = source.head(MOST_BYTES + 1)
    if len(data) > MOST_BYTES:
        raise InputError(source.name, None, f"more than {MOST_BYTES:,} bytes", "a readable file")
    return data
