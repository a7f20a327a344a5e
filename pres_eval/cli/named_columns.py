"""Check of --columns: a heading that no file has is an error, as it is most likely mistyped."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Sequence

from pres_eval.errors import InputError, UsageError, did_you_mean
from pres_eval.reading.blocks import FileFormat
from pres_eval.reading.file import File
from pres_eval.reading.formats.recognising import recognised
from pres_eval.reading.formats.table_heads import head_of_table
from pres_eval.reading.headings import DOCNO, TOPIC, Naming, Role, pick
from pres_eval.reading.mistakes.advice import headings_of
from pres_eval.reading.run_files import source_at

CHECKED_KINDS = (TOPIC, DOCNO)
"""Kinds of columns that each table has; if other kinds are named and not there, readers warn."""

JSON_MEMBER = re.compile(rb'"([^"\\]*)"\s*:')
"""Name of a member of an object in JSON."""


def check_named_columns(naming: Naming, paths: Iterable[str]) -> None:
    """Raise UsageError for a heading of topics or documents that none of the files has.

    It is enough if one file has it, as the others are then read by usual headings.  Nothing is checked if the
    headings of a file are not known, as those of pipes, folders and Parquet.
    """
    headings_of_files: dict[str, Sequence[str]] = {}
    for path in dict.fromkeys(paths):
        headings = _headings(path)
        if headings is None:
            return
        if headings:
            headings_of_files[path] = headings
    if not headings_of_files:
        return
    for kind, heading in naming.columns.items():
        kind_in_any_file = kind.rpartition(".")[2]  # docno of run.docno
        is_number_of_column = heading.isdecimal()
        if kind_in_any_file not in CHECKED_KINDS or is_number_of_column:
            continue
        if any(pick(headings, [heading]) is not None for headings in headings_of_files.values()):
            continue
        tables = [f"{', '.join(headings)} ({path})" for path, headings in headings_of_files.items()]
        message = f"--columns {kind}={heading}: no such heading, expected one of {' or '.join(tables)}"
        all_headings = [name for headings in headings_of_files.values() for name in headings]
        hint = did_you_mean(heading, all_headings)
        if hint:
            message += f"; {hint}"
        raise UsageError(message)


def _headings(path: str) -> Sequence[str] | None:
    """Return the headings of a file, empty for lines without headings; None if they are not known."""
    if not os.path.isfile(path):  # noqa: PTH113 - pathlib takes a while to import
        return None
    try:
        source = source_at(path)
        file_format = recognised(source, Role.RUN) or recognised(source, Role.QRELS)
        if file_format is None:
            return headings_of(source)
        return _headings_in_format(source, file_format)
    except InputError:  # reading the file will report it
        return None


def _headings_in_format(source: File, file_format: FileFormat) -> Sequence[str] | None:
    """Return the headings of a file in a format, None if they are not known."""
    head = source.head()
    if file_format.name.startswith("json"):  # json, jsonl, and our names for JSON of other shapes
        names = [name.decode("utf-8", "replace") for name in JSON_MEMBER.findall(head)]
        return list(dict.fromkeys(names))
    if file_format.name == "csv":
        table = head_of_table(head, source.naming)
        return None if table is None else table.names
    return None
