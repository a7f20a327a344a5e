"""Conversion of runs and judgements to another format, from files and from objects in memory."""

from __future__ import annotations

import io
import os
from collections.abc import Iterable, Iterator
from pathlib import Path
from typing import Any

import numpy as np

from pres_eval.errors import InputError, UsageError
from pres_eval.library.arguments import is_path, python_words
from pres_eval.library.data import block_of_data, plain_data
from pres_eval.library.ids import encode
from pres_eval.library.ranked import Qrels
from pres_eval.library.run import Run
from pres_eval.reading.blocks import Block, FileFormat, check_scores, check_topics
from pres_eval.reading.file import File
from pres_eval.reading.formats.delimited import is_decimal, read_columns
from pres_eval.reading.formats.recognising import FORMATS, judgements_format, recognised
from pres_eval.reading.headings import Role
from pres_eval.reading.judgements.relevance import QRELS_FLOAT, QrelsJudgements
from pres_eval.reading.lines import QRELS, RUN, Layout, no_lines_error
from pres_eval.reading.mistakes.advice import with_advice
from pres_eval.reading.naming import current_naming
from pres_eval.reading.run_files import source_at
from pres_eval.report.converted import OF_RUNS, TARGETS, write_blocks


@python_words
def write_run(run: Any, file: Any, form: str | None = None, tag: str = "run") -> None:
    """Write a run to a file, as `pres-eval convert` does.

    run   a run as for `evaluate`: a dict of dicts, a table, rows, or the path of a file in another format
    file  a path, or a file open for bytes
    form  "trec_results", "msmarco", "beir", "json", "jsonl", "csv" or "parquet" (extra: parquet); None: the
          one of the path's ending (.csv, .json, .jsonl, .parquet; .tsv is "beir"), else "trec_results"
    tag   the last column of "trec_results"

    Of dicts and tables the documents with the highest scores come first; lines of files keep their order.

    >>> import io
    >>> import pres_eval as pe
    >>> file = io.BytesIO()
    >>> pe.write_run({"1": {"a": 1.5, "b": 2.0}}, file, tag="mine")
    >>> print(file.getvalue().decode(), end="")
    1 Q0 b 1 2.0 mine
    1 Q0 a 2 1.5 mine

    Raises UsageError for a form that it does not know and for a `Run` of something that could be read once;
    InputError for unreadable input, and for ids that the form cannot hold.
    """
    if isinstance(run, Run):
        run.write(file, form, tag)
        return
    name, blocks, is_sortable = _blocks_of_run(run)
    _write(file, blocks, form, name, tag, grades=False, is_sortable=is_sortable)


def write_qrels(qrels: Qrels, file: Any, form: str | None) -> None:
    """Write judgements to a file.  See `Qrels.write` for the arguments."""
    relevance = qrels.relevance
    if not isinstance(relevance, QrelsJudgements):
        raise UsageError(f"{qrels.name}: expected judgements that are qrels, found form={qrels.form!r}")
    pool = relevance.pool
    block = Block(
        topics=pool.topics, lengths=np.diff(pool.offsets), documents=pool.documents, numbers=relevance.grade
    )
    _write(file, [block], form, qrels.name, "", grades=True)


TARGETS_OF_RUNS = tuple(form for form in TARGETS if form != "qrels")
"""Formats that runs are written in, the default first."""

TARGETS_OF_QRELS = tuple(form for form in TARGETS if form not in OF_RUNS)
"""Formats that judgements are written in, the default first."""


ENDINGS = {".csv": "csv", ".json": "json", ".jsonl": "jsonl", ".parquet": "parquet", ".tsv": "beir"}
"""The format of a file by the ending of its name."""

COMPRESSED_ENDINGS = (".gz", ".bz2", ".xz", ".zst")


def _write(
    file: Any,
    blocks: Iterable[Block],
    form: str | None,
    name: str,
    tag: str,
    *,
    grades: bool,
    is_sortable: bool = False,
) -> None:
    """Write blocks to a file; if one of them is faulty, raise an error and write nothing.

    form         None: the format of the file's ending, or the default
    name         the name of the run or of the judgements, for messages
    grades       whether these are judgements
    is_sortable  whether they are from a file, and this has sortable lines
    """
    known = TARGETS_OF_QRELS if grades else TARGETS_OF_RUNS
    ending = Path(file).suffix if is_path(file) else ""
    if ending in COMPRESSED_ENDINGS:
        raise UsageError(f"{file}: pres-eval writes no compressed files; expected another ending")
    if form is None:
        form = ENDINGS.get(ending, known[0])
    if form not in known:
        raise UsageError(f"form={form!r}: expected one of {', '.join(known)}")
    encode(tag, "tag")  # raises InputError for a tag that UTF-8 cannot hold
    stream = io.BytesIO()
    write_blocks(stream, blocks, form, grades, name, tag, is_sortable)
    if is_path(file):
        Path(file).write_bytes(stream.getvalue())
    else:
        file.write(stream.getvalue())


def _blocks_of_run(data: Any) -> tuple[str, Iterable[Block], bool]:
    """Return the name of a run of any kind, its blocks, and whether it is a file of sortable lines."""
    if is_path(data):
        source = source_at(os.fspath(data))
        is_sortable = has_sortable_lines(source, None, grades=False)
        return source.name, blocks_of_file(source, None, grades=False), is_sortable
    data, by_topic = plain_data(data, "run")
    block = block_of_data(data, by_topic, "run")
    check_topics("run", block)
    check_scores("run", block)
    # The rows of each topic by descending score, equal scores in the order of the data.
    topic_of_row = np.repeat(np.arange(len(block.lengths)), block.lengths)
    order = np.lexsort((-block.numbers, topic_of_row))
    ranked = Block(
        topics=block.topics,
        lengths=block.lengths,
        documents=block.documents.take(order),
        numbers=block.numbers[order],
    )
    return "run", [ranked], False


def has_sortable_lines(source: File, form: str | None, *, grades: bool) -> bool:
    """Return whether a sort by topic keeps a file whole: it has lines of columns between blanks, no header.

    form, grades  as in `blocks_of_file`
    """
    file_format = _format_of_file(source, form, grades=grades)
    return file_format is None or file_format.name == "msmarco"


def _format_of_file(source: File, form: str | None, *, grades: bool) -> FileFormat | None:
    """Return the format of a file; None if it has the columns of TREC's files.

    form, grades  as in `blocks_of_file`
    """
    role = Role.GAINS if grades else Role.RUN
    file_format = FORMATS.get(form or "") or recognised(source, role)
    if file_format is None and grades and current_naming().grades:
        return judgements_format(source)
    return file_format


def blocks_of_file(source: File, form: str | None, *, grades: bool) -> Iterator[Block]:
    """Yield the rows of a file of any format, with scores checked.

    form    a name of FORMATS; None or another name: the format that the beginning of the file shows, or else
            the columns of TREC's files
    grades  whether the file has judgements
    Raises InputError for unreadable input, and a file without rows.
    """
    role = Role.GAINS if grades else Role.RUN
    file_format = _format_of_file(source, form, grades=grades)
    if file_format is None:
        if grades:
            yield from _qrels_blocks(source)
        else:
            yield from _blocks_of_lines(source, RUN)
        return
    has_rows = False
    for block in file_format.read(source, role):
        has_rows = True
        if not grades:
            check_scores(source.name, block)
        yield block
    if not has_rows:
        raise InputError(source.name, None, "no rows", "at least one")


def _qrels_blocks(source: File) -> Iterator[Block]:
    """Yield the rows of qrels, whose grades may have decimals."""
    try:
        # All blocks are read before the first is yielded, as the last one may show that grades have decimals.
        yield from list(_blocks_of_lines(source, QRELS))
    except InputError as error:
        if not is_decimal(error):
            raise
        yield from _blocks_of_lines(source, QRELS_FLOAT)


def _blocks_of_lines(source: File, layout: Layout) -> Iterator[Block]:
    """Yield the rows of a file of lines; raise InputError for a wrong line, with advice, and without rows."""
    has_rows = False
    try:
        for block in read_columns(source, layout, header=False, document=2):
            has_rows = True
            yield block
    except InputError as error:
        if error.line is None:
            raise
        raise with_advice(error, source, layout.names) from None
    if not has_rows:
        raise no_lines_error(source, layout)
