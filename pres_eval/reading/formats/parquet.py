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
"""Bytes of ids that are read together at most, where dictionary encoding has a long id once for many rows."""

MOST_ID_BYTES, MOST_ID_BYTES_RATIO = 1 << 27, 100
"""All ids may have 128 MiB, or a hundred times the bytes of their row groups if that is more.

So a small file that has a long id once for many rows does not fill the memory.
"""

LARGEST_GROUP = 1 << 30
"""Bytes that a row group may have, decompressed.

While its rows are read, its columns are in memory as they are stored.
"""


def read_parquet(source: File, role: Role) -> Iterator[Block]:
    """Yield the rows of a Parquet file.

    Its columns are those of ir_measures (query_id doc_id ...), of PyTerrier (qid docno ...) or of --columns.
    """
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
    is_path = True
    try:
        path_or_file = source.for_jumps()
        is_path = isinstance(path_or_file, str)  # not one of a store, nor read into memory
        # pyarrow keeps what it reads ahead: that is worth it only where each read is a request to a store.
        with (
            in_the_end(source.check_unchanged),
            pyarrow.parquet.ParquetFile(path_or_file, pre_buffer=not is_path) as file,
        ):
            file.path_or_file = path_or_file  # for `_shared_id_bytes`, which opens it once more
            yield file
    except PresEvalError:
        raise
    except UnicodeDecodeError:
        problem, expected = "a column whose name is no UTF-8", "columns with names in UTF-8"
        raise InputError(source.name, None, problem, expected) from None
    except Exception as error:
        # Stores raise what they like, such as ValueError for one that sends no parts of files.
        if is_path and not isinstance(error, (pyarrow.ArrowException, OSError)):
            raise
        reason = (str(error) or type(error).__name__).splitlines()[0]
        raise InputError(source.name, None, f"cannot be read ({reason})") from None


def has_grades_alone(source: File) -> bool:
    """Return whether a Parquet file has the columns of judgements, and not those of a run.

    Raises InputError for a file that cannot be read, MissingExtraError without pyarrow.
    """
    with opened(source) as file:
        names = file.schema_arrow.names
        if columns_of(names, Role.RUN, source.naming.for_role(Role.RUN)) is not None:
            return False
        return columns_of(names, Role.QRELS, source.naming.for_role(Role.QRELS)) is not None


def check_order_of_parts(source: File) -> None:
    """Raise InputError if one of several part files has neither scores nor ranks nor lists.

    Each part is read on its own, so that the order of rows is not known of a topic that is in several parts.
    """
    with opened(source) as file:
        columns = columns_in(source, file, Role.RUN)
    if columns.number is None and not columns.has_lists:
        problem = "part files of which no column is read as scores or ranks"
        expected = "one, as rows have an order inside of a file alone"
        advice = "--columns score=HEADING or rank=HEADING names it"
        raise InputError(source.name, None, problem, expected, advice)


def row_groups(source: File, file: Any, numbers: Iterable[int], role: Role) -> Iterator[Block]:
    """Yield the rows of the row groups with these numbers of an open file, some rows at a time."""
    columns, names = columns_in(source, file, role), column_names(source, file, role)
    topic_name, document_name = names[:2]
    id_names = [topic_name, document_name]
    if columns.has_lists:
        id_names = [topic_name]
    _warn_of_first_rows(source, file, columns, role)
    by_order = NumbersByOrder(role)
    group_bytes = id_bytes = 0
    for group in numbers:
        group_bytes += _bytes_of_group(source, file, group)
        num_rows = LARGEST_BATCH // (1 + _shared_id_bytes(file, group, id_names))
        num_rows = max(min(ROWS_OF_BATCH, num_rows), 1)
        # One group after the other, so that memory does not grow with the file; threads have their own files.
        for batch in file.iter_batches(num_rows, row_groups=[group], columns=names, use_threads=False):
            if not batch.num_rows:
                continue
            if columns.has_lists:
                yield from _blocks_of_lists(source, batch, topic_name, document_name, by_order, role)
                continue
            topics = _ids(source, batch.column(topic_name), topic_name)
            documents = _ids(source, batch.column(document_name), document_name)
            id_bytes += topics.nbytes + documents.nbytes
            _check_id_bytes(source, id_bytes, group_bytes)
            if columns.number is None:
                values: AnyArray = np.array([by_order.number(topic) for topic in topics])
            else:
                number_name = names[2]
                values = _numbers(source, batch.column(number_name), number_name, role)
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


def _warn_of_first_rows(source: File, file: Any, columns: Columns, role: Role) -> None:
    """Warn of what the headings and the first rows of a file show that may not be meant.

    That is another column of numbers than --columns names, or one that may have numbers where none is named;
    ranks that contradict the scores; and a second column of ids of documents that differ (the `rival`).
    """
    headings = file.schema_arrow.names
    naming = source.naming.for_role(role)
    document = headings[columns.document]
    compared_headings = headings
    if naming.named_column(DOCNO, headings) is not None:
        compared_headings = ()
    table = ObservedTable(source.name, compared_headings, document)
    is_number_unnamed = columns.number is None and not columns.has_lists
    if columns.number is not None:
        warn_of_other_number(source.name, naming, headings, headings[columns.number], role)
    if table.rival is None and columns.rank is None and not is_number_unnamed:
        return
    first_rows = next(file.iter_batches(COMPARED_ROWS, use_threads=False), None)
    if first_rows is None:
        return
    if is_number_unnamed:
        candidates = []
        for column, heading in enumerate(headings):
            is_unused = column not in columns.used
            if is_unused and may_be_numbers(first_rows.column(column).to_pylist(), role):
                candidates.append(heading)
        warn_of_unnamed_number(source.name, naming, candidates, role, "HEADING")
    for row in first_rows.to_pylist():
        if table.rival is not None:
            table.see_docnos(row[document], row[table.rival])
        if columns.topic is not None and columns.rank is not None and columns.number is not None:
            score = number_of(row[headings[columns.number]])
            table.see_rank(row[headings[columns.topic]], row[headings[columns.rank]], score)
    table.warn()


def _blocks_of_lists(
    source: File, batch: Any, topic_name: str, lists_name: str, by_order: NumbersByOrder, role: Role
) -> Iterator[Block]:
    """Yield the documents of a table that has a list of them, or a text with several, in each row."""
    topics, lists = (batch.column(name).to_pylist() for name in (topic_name, lists_name))
    rows: list[Row] = []
    for topic, cell in zip(topics, lists, strict=True):
        documents = cell or ()
        if isinstance(cell, str):
            documents = ids_in_cell(cell)
        for document in documents:
            if topic is None or document is None:
                raise InputError(source.name, None, "a row without an id", "an id in all")
            ids = str(topic).encode(), str(document).encode()
            rows.append((*ids, by_order.number(topic), None))
    yield from blocks_of_rows(source.name, iter(rows), role)


def _shared_id_bytes(file: Any, group: int, columns: list[str]) -> int:
    """Return the most bytes of ids in a row that the file may have once for many rows of a group.

    Dictionary encoding does that: the sum is of the longest id in the dictionary of each column.  Ids of
    other columns take as much room in the file as in memory, and do not count.
    """
    import pyarrow.compute

    with pyarrow.parquet.ParquetFile(
        file.path_or_file, metadata=file.metadata, read_dictionary=columns
    ) as file_of_dictionaries:
        # With its first row comes the whole dictionary of each column.
        first_row = next(
            file_of_dictionaries.iter_batches(1, row_groups=[group], columns=columns, use_threads=False), None
        )
        if first_row is None:
            return 0
        num_bytes = 0
        for column in first_row.columns:
            if pyarrow.types.is_dictionary(column.type):
                lengths = pyarrow.compute.binary_length(column.dictionary)
                num_bytes += pyarrow.compute.max(lengths).as_py() or 0
    return num_bytes


def blocks_of_groups(source: File, start: int, stop: int, by_topic: bool) -> Iterator[Block]:
    """Yield the rows of the row groups start ... stop-1; with `by_topic`, those of the topics that begin
    there.

    With `by_topic` each topic is in the split in which its first row is.  If a split has the topics 6 7 7 and
    the next one 7 7 8, the first yields 6 and all of 7, beyond its end, and the next one 8 alone.
    """
    with opened(source) as file:
        if not by_topic:
            yield from row_groups(source, file, range(start, stop), Role.RUN)
            return
        topic_before = _last_topic_before(source, file, start)
        last_topic = None  # of the topics that begin here; None: none has begun yet
        for block in row_groups(source, file, range(start, stop), Role.RUN):
            first_group, num_groups = 0, len(block.topics)
            if last_topic is None and block.topics[0] == topic_before:
                first_group = 1
            if first_group < num_groups:
                last_topic = block.topics[-1]
                yield block.groups(first_group, num_groups)
        for block in row_groups(source, file, range(stop, file.num_row_groups), Role.RUN):
            if block.topics[0] != last_topic:
                return
            yield block.groups(0, 1)
            if len(block.topics) > 1:
                return


def _last_topic_before(source: File, file: Any, group: int) -> bytes | None:
    """Return the topic of the last row before a row group; None if there is no such row."""
    while group > 0:
        group -= 1
        last_topic = None
        for block in row_groups(source, file, [group], Role.RUN):
            last_topic = block.topics[-1]
        if last_topic is not None:  # a row group may have no rows
            return last_topic
    return None


def column_names(source: File, file: Any, role: Role) -> list[str]:
    """Return the names of the columns of topics, documents and, if there is one, numbers.

    Raises InputError as `columns_in` does.
    """
    names = file.schema_arrow.names
    return [names[column] for column in columns_in(source, file, role).used]


def columns_in(source: File, file: Any, role: Role) -> Columns:
    """Return which columns of a file are read.

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
    """Return a column as ids, made from its buffer at once; raise InputError for a null, and for a NUL."""
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
    if grades.dtype.kind != "f":
        # Only unsigned numbers of 64 bits may be out of the range, above it.
        if len(grades) and int(grades.max()) > np.iinfo(np.int64).max:
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
