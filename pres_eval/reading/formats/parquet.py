"""Parquet files (extra `parquet`), some rows at a time."""

from __future__ import annotations

import contextlib
from collections.abc import Iterable, Iterator
from typing import Any

import numpy as np

from pres_eval.arrays import PADDING, AnyArray, Ids
from pres_eval.errors import InputError, MissingExtraError, PresEvalError, number_of, quoted
from pres_eval.reading.blocks import Block, Row, blocks_of_rows, check_topics
from pres_eval.reading.file import File
from pres_eval.reading.formats.separated import NumbersByOrder, ids_in_cell
from pres_eval.reading.formats.table_columns import Columns, columns_of
from pres_eval.reading.headings import DOCNO, GAINS_ADVICE, NAME_THEM, Role
from pres_eval.reading.mistakes.table_faults import (
    COMPARED_ROWS,
    ObservedTable,
    may_be_numbers,
    warn_of_other_number,
    warn_of_unnamed_number,
)
from pres_eval.reading.streams import in_the_end

ROWS_OF_BATCH = 1 << 16
"""Rows that are read together."""

LARGEST_BATCH = 1 << 24
"""Bytes of ids that are read together, if rows share long ones: a file may have them once for all rows."""

MOST_ID_BYTES, MOST_ID_BYTES_RATIO = 1 << 27, 100
"""Bytes that all ids may have, or if that is more, times that they may be larger than their row groups."""

LARGEST_GROUP = 1 << 30
"""Bytes of a row group, decompressed: who writes it decides in which pieces it is read."""


def read_parquet(source: File, role: Role) -> Iterator[Block]:
    """Yield a table with the columns of ir_measures (query_id doc_id ...) or PyTerrier (qid docno ...)."""
    with opened(source) as file:
        yield from row_groups(source, file, range(file.num_row_groups), role)


@contextlib.contextmanager
def opened(source: File) -> Iterator[Any]:
    """Open the file for the block as pyarrow's ParquetFile; errors of the file become InputErrors."""
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError(f"{source.name}: reading Parquet", "pyarrow", "parquet") from None
    opened_file: Any = ""
    try:
        opened_file = source.for_jumps()
        # pyarrow keeps what it reads ahead: that is worth it only where each read is a request to a store.
        reads_ahead = not isinstance(opened_file, str)
        with (
            in_the_end(source.check_unchanged),
            pyarrow.parquet.ParquetFile(opened_file, pre_buffer=reads_ahead) as file,
        ):
            file.path_or_file = opened_file  # to open it once more
            yield file
    except PresEvalError:
        raise
    except UnicodeDecodeError:
        problem, expected = "a column whose name is no UTF-8", "columns with names in UTF-8"
        raise InputError(source.name, None, problem, expected) from None
    except Exception as error:
        # Stores raise what they like, such as ValueError for one that sends no parts of files.
        if isinstance(opened_file, str) and not isinstance(error, (pyarrow.ArrowException, OSError)):
            raise
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(source.name, None, f"cannot be read ({reason})") from None


def row_groups(source: File, file: Any, numbers: Iterable[int], role: Role) -> Iterator[Block]:
    """Yield the rows of some row groups of an open file, some at a time."""
    columns, names = columns_in(source, file, role), column_names(source, file, role)
    _observe(source, file, columns, role)
    by_order = NumbersByOrder(role)
    group_bytes = id_bytes = 0
    for group in numbers:
        group_bytes += _bytes_of_group(source, file, group)
        id_columns = names[:2]
        if columns.has_lists:
            id_columns = names[:1]
        num_rows = LARGEST_BATCH // _longest_shared(file, group, id_columns)
        num_rows = max(min(ROWS_OF_BATCH, num_rows), 1)
        # One group after the other, so that memory does not grow with the file; threads have their own files.
        for batch in file.iter_batches(num_rows, row_groups=[group], columns=names, use_threads=False):
            if not batch.num_rows:
                continue
            if columns.has_lists:
                yield from _blocks_of_lists(source, batch, names, by_order, role)
                continue
            topics = _ids(source, batch.column(names[0]), names[0])
            documents = _ids(source, batch.column(names[1]), names[1])
            id_bytes += topics.nbytes + documents.nbytes
            _check_id_bytes(source, id_bytes, group_bytes)
            if columns.number is None:
                values: AnyArray = np.array([by_order.number(topic) for topic in topics])
            else:
                values = _numbers(source, batch.column(names[2]), names[2], role)
            if columns.by_rank:
                values = -values
            block = Block.of_rows(topics, documents, values)
            check_topics(source.name, block)
            yield block


def _bytes_of_group(source: File, file: Any, group: int) -> int:
    """Return the bytes of a row group, decompressed; raise InputError if they are too many."""
    num_bytes: int = file.metadata.row_group(group).total_byte_size
    if num_bytes > LARGEST_GROUP:
        problem = f"a row group of {num_bytes:,} bytes, decompressed"
        raise InputError(source.name, None, problem, f"at most {LARGEST_GROUP:,}, such as a million rows")
    return num_bytes


def _check_id_bytes(source: File, id_bytes: int, group_bytes: int) -> None:
    """Raise InputError if ids have far more bytes than their row groups, whose rows share long ones."""
    if id_bytes > max(MOST_ID_BYTES, MOST_ID_BYTES_RATIO * group_bytes):
        problem = f"row groups of {group_bytes:,} bytes that have ids of {id_bytes:,} bytes"
        expected = f"ids of at most {MOST_ID_BYTES:,}, or {MOST_ID_BYTES_RATIO} times the row groups"
        raise InputError(source.name, None, problem, expected)


def _observe(source: File, file: Any, columns: Columns, role: Role) -> None:
    """Warn of what the first rows show: grades that no option names, ranks against scores, rival ids."""
    headings = file.schema_arrow.names
    document = headings[columns.document]
    naming = source.naming.for_role(role)
    is_chosen = naming.named_column(DOCNO, headings) is not None
    table = ObservedTable(source.name, () if is_chosen else headings, document)
    is_unnamed = columns.number is None and not columns.has_lists
    if columns.number is not None:
        warn_of_other_number(source.name, naming, headings, headings[columns.number], role)
    if table.rival is None and columns.rank is None and not is_unnamed:
        return
    first_rows = next(file.iter_batches(COMPARED_ROWS, use_threads=False), None)
    if first_rows is None:
        return
    if is_unnamed:
        candidates = [
            heading
            for column, heading in enumerate(headings)
            if column not in columns.used and may_be_numbers(first_rows.column(column).to_pylist(), role)
        ]
        warn_of_unnamed_number(source.name, candidates, role, "HEADING")
    for row in first_rows.to_pylist():
        if table.rival is not None:
            table.see_docnos(row[document], row[table.rival])
        if columns.topic is not None and columns.rank is not None and columns.number is not None:
            score = number_of(row[headings[columns.number]])
            table.see_rank(row[headings[columns.topic]], row[headings[columns.rank]], score)
    table.warn()


def _blocks_of_lists(
    source: File, batch: Any, names: list[str], by_order: NumbersByOrder, role: Role
) -> Iterator[Block]:
    """Yield the documents of a table that has a list of them, or a text with several, in each row."""
    topics, lists = (batch.column(name).to_pylist() for name in names[:2])
    rows: list[Row] = []
    for topic, documents in zip(topics, lists, strict=True):
        for document in ids_in_cell(documents) if isinstance(documents, str) else documents or ():
            if topic is None or document is None:
                raise InputError(source.name, None, "a row without an id", "an id in all")
            ids = str(topic).encode(), str(document).encode()
            rows.append((*ids, by_order.number(topic), None))
    yield from blocks_of_rows(source.name, iter(rows), role)


def _longest_shared(file: Any, group: int, columns: list[str]) -> int:
    """Return 1 plus the bytes of the longest ids that all rows of a group may share, one in each column."""
    import pyarrow.compute

    with pyarrow.parquet.ParquetFile(
        file.path_or_file, metadata=file.metadata, read_dictionary=columns
    ) as again:
        # The first row comes with all ids of the group's dictionary; those without one are in the file.
        for first in again.iter_batches(1, row_groups=[group], columns=columns, use_threads=False):
            return 1 + sum(
                pyarrow.compute.max(pyarrow.compute.binary_length(column.dictionary)).as_py() or 0
                for column in first.columns
                if pyarrow.types.is_dictionary(column.type)
            )
    return 1


def blocks_of_groups(source: File, start: int, stop: int, by_topic: bool) -> Iterator[Block]:
    """Yield the rows of some row groups; with `by_topic`, those of the topics that begin in them."""
    with opened(source) as file:
        if not by_topic:
            yield from row_groups(source, file, range(start, stop), Role.RUN)
            return
        last_topic = None  # of the rows so far
        if start:
            *_, before = row_groups(source, file, [start - 1], Role.RUN)
            last_topic = before.topics[len(before.topics) - 1]
        has_begun = start == 0  # whether a topic has begun in these groups
        for block in row_groups(source, file, range(start, stop), Role.RUN):
            goes_on = not has_begun and block.topics[0] == last_topic
            first = int(goes_on)
            if first < len(block.topics):
                has_begun = True
                last_topic = block.topics[len(block.topics) - 1]
                yield block.groups(first, len(block.topics))
        for block in row_groups(source, file, range(stop, file.num_row_groups), Role.RUN):
            if not has_begun or block.topics[0] != last_topic:
                return
            yield block.groups(0, 1)
            if len(block.topics) > 1:
                return


def column_names(source: File, file: Any, role: Role) -> list[str]:
    """Return the names of the columns that are read.  Raises InputError if the file has not all of them."""
    names = file.schema_arrow.names
    return [names[column] for column in columns_in(source, file, role).used]


def columns_in(source: File, file: Any, role: Role) -> Columns:
    """Return the columns that are read.

    Raises InputError if the file has not all of them, has one twice, or has structs for ids, or lists where
    one document is expected.
    """
    import pyarrow

    schema = file.schema_arrow
    names = schema.names
    columns = columns_of(names, role, source.naming.for_role(role))
    if columns is None or columns.topic is None:
        value = "score"
        if role.has_grades:
            value = "relevance or label"
        expected = f"query_id doc_id {value}, or qid docno {value}"
        raise InputError(source.name, None, f"the columns {', '.join(names)}", expected, NAME_THEM)
    for column in columns.used:
        if names.count(names[column]) > 1:
            problem = f"{names.count(names[column])} columns named {names[column]}"
            raise InputError(source.name, None, problem, "one")
    columns_of_ids = columns.used[:2]
    if columns.has_lists:
        columns_of_ids = columns.used[:1]
    for column in columns_of_ids:
        kind = schema.field(column).type
        if pyarrow.types.is_nested(kind):
            problem = f"column {quoted(names[column])} of type {kind}"
            raise InputError(source.name, None, problem, "texts or whole numbers")
    return columns


def _ids(source: File, column: Any, name: str) -> Ids:
    """Return a column as ids, made of its buffer at once; raise InputError for a null, and for a NUL."""
    import pyarrow

    _check_nulls(source, column, name)
    if pyarrow.types.is_dictionary(column.type):
        column = column.dictionary_decode()
    if not (pyarrow.types.is_binary(column.type) or pyarrow.types.is_large_binary(column.type)):
        column = column.cast(pyarrow.large_string())
    column = column.cast(pyarrow.large_binary())
    _, offsets, data = column.buffers()
    byte_offsets = np.frombuffer(offsets, np.int64)[column.offset : column.offset + len(column) + 1]
    start, stop = int(byte_offsets[0]), int(byte_offsets[-1])
    text = np.zeros(stop - start + PADDING, np.uint8)
    if stop > start:
        text[: stop - start] = np.frombuffer(data, np.uint8)[start:stop]
    if (text[: stop - start] == 0).any():
        raise InputError(source.name, None, f"a NUL in an id of column {quoted(name)}", "text")
    return Ids.from_buffer(text, byte_offsets[:-1] - start, byte_offsets[1:] - start)


def _numbers(source: File, column: Any, name: str, role: Role) -> AnyArray:
    """Return (n,) the numbers of a column: whole ones if they are grades, doubles if scores or gains."""
    import pyarrow

    naming = source.naming.for_role(role)
    _check_nulls(source, column, name)
    if role.has_grades and naming.grades and not pyarrow.types.is_floating(column.type):
        values = [naming.grade(str(value)) for value in column.to_pylist()]
        return _grades(source, np.array(values), name, role)
    if not (pyarrow.types.is_integer(column.type) or pyarrow.types.is_floating(column.type)):
        expected = "numbers"
        if role.has_grades:
            expected = "integers"
        raise InputError(source.name, None, f"column {quoted(name)} of type {column.type}", expected)
    numbers = column.to_numpy(zero_copy_only=False)
    if role is Role.RUN:
        return np.asarray(numbers, np.float64)
    return _grades(source, np.asarray(numbers), name, role)


def _grades(source: File, grades: AnyArray, name: str, role: Role) -> AnyArray:
    """Return (n,) grades as whole numbers, or gains; raise InputError for decimals where these are none."""
    limits = np.iinfo(np.int64)
    if grades.dtype.kind != "f":
        if len(grades) and not limits.min <= int(grades.max()) <= limits.max:
            problem = f"relevance {int(grades.max())} in column {quoted(name)}"
            raise InputError(source.name, None, problem, "integers of 64 bits")
        return grades.astype(np.int64)
    wrong = ~np.isfinite(grades)
    if not role.has_gains:
        # 2^63 as a double is the first that a whole number of 64 bits cannot be.
        wrong |= np.abs(grades.astype(np.float64)) >= 2.0**63
        wrong |= grades != np.trunc(grades)
    if wrong.any():
        problem = f"relevance {float(grades[int(np.argmax(wrong))])!r} in column {quoted(name)}"
        if role.has_gains:
            raise InputError(source.name, None, problem, "finite numbers")
        raise InputError(source.name, None, problem, "integers", GAINS_ADVICE)
    if role.has_gains:
        return grades.astype(np.float64)
    return grades.astype(np.int64)


def _check_nulls(source: File, column: Any, name: str) -> None:
    """Raise InputError if a row has no value in a column."""
    if column.null_count:
        raise InputError(
            source.name, None, f"rows without a value in column {quoted(name)}", "a value in all"
        )
