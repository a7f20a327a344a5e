"""Tables with named columns: pandas, polars, Arrow, mappings of columns, and rows as tuples or records."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Mapping, Sequence
from itertools import islice
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays import WORD
from pres_eval.errors import InputError, MissingExtraError, ReadingWarning, extra_module, quoted
from pres_eval.library.arguments import warn
from pres_eval.library.idcolumns import Codes, IdColumn, Objects, Spans, TextParts, ids_of_array
from pres_eval.library.matrices import as_array
from pres_eval.reading.blocks import Block
from pres_eval.reading.headings import (
    DOCNO,
    GRADE,
    OF_TABLES,
    SCORE,
    TOPIC,
    Naming,
    Role,
    are_rival,
    pick,
    rival_docno,
    warning_of_rivals,
)
from pres_eval.reading.mistakes.table_faults import COMPARED_ROWS
from pres_eval.reading.naming import current_naming

TOPICS, DOCUMENTS = OF_TABLES["topic"], OF_TABLES["document"]

ThreeColumns = tuple[IdColumn, IdColumn, NDArray[Any]]
"""Topics, documents and values of a run or of judgements."""


def _column_names(available: Iterable[Any], value: Sequence[str], name: str) -> tuple[str, str, str]:
    """Return the names of the three columns; raise InputError if one is missing.

    available  the headings of the table
    value      the known headings of the third column: those of scores (a run) or of grades (judgements)
    """
    known = list(map(str, available))
    if not known:
        raise InputError(name, None, "a table without columns", "columns of topics, documents and values")
    is_run = value is OF_TABLES["score"]
    naming = current_naming().for_role(Role.RUN if is_run else Role.QRELS)

    def heading_of(kind: str, names: Sequence[str]) -> str:
        """Return the heading that the user named for this kind, else the first of `names` in the table."""
        if kind in naming.columns:
            names = [naming.columns[kind]]
        column = pick(known, names)
        if column is None:
            expected = names[-1]
            if len(names) > 1:
                expected = f"{', '.join(names[:-1])} or {expected}"
            raise InputError(
                name,
                None,
                f"no {names[0]} among the columns {', '.join(known)}",
                f"a column named {expected}",
            )
        if known.count(column) > 1:
            raise InputError(name, None, f"{known.count(column)} columns named {column}", "one")
        return column

    value_kind = SCORE if is_run else GRADE
    return heading_of(TOPIC, TOPICS), heading_of(DOCNO, DOCUMENTS), heading_of(value_kind, value)


def _warn_of_rival(
    available: Iterable[Any], docno: str, values: Callable[[str], Iterable[Any]], name: str
) -> None:
    """Warn if a second column seems to have ids of documents too, and one of its first values differs.

    available  the headings of the table
    docno      the heading of the column that is read
    values     returns the values of the column with a heading
    """
    rival = rival_docno(list(map(str, available)), docno)
    if rival is None:
        return
    first_pairs = islice(zip(values(docno), values(rival), strict=False), COMPARED_ROWS)
    for used, other in first_pairs:
        if are_rival(used, other):
            text = warning_of_rivals(docno, rival, str(used), str(other))
            warn(f"{name}: {text}", ReadingWarning)
            return


def block_of_table(data: Any, names: Sequence[str], name: str) -> Block:
    """Return the rows of a table, or rows of topic, document and value, with numbers of any type.

    names  known headings of the column of numbers; the first one that the table has counts
    Raises InputError for columns that are missing, rows without a value, and values that are no numbers.
    """
    if type(data).__module__.split(".")[0] == "pandas":  # which is not imported to find out
        if not hasattr(data, "columns"):
            raise InputError(name, None, f"a pandas {type(data).__name__}", "a table with named columns")
        topic_name, docno_name, value_name = _column_names(data.columns, names, name)
        _warn_of_rival(data.columns, docno_name, lambda column: data[column].to_numpy(), name)
        topic = _pandas_ids(data[topic_name], topic_name, name)
        document = _pandas_ids(data[docno_name], docno_name, name)
        value = _numbers(data[value_name].to_numpy(), value_name, name)
    elif hasattr(data, "__arrow_c_stream__"):
        topic, document, value = _arrow_table(data, names, name)
    elif isinstance(data, Mapping):
        topic, document, value = _mapping_table(data, names, name)
    else:
        topic, document, value = _table_of_rows(data, names, name)
    topics, lengths = topic.groups()
    return Block(topics=topics, lengths=lengths, documents=document, numbers=value)


def _arrow_table(data: Any, value: Sequence[str], name: str) -> ThreeColumns:
    """Return the columns of a table of Arrow; those of a frame of Polars also without pyarrow."""
    try:
        table = _read_arrow(data, name)
    except MissingExtraError:
        if not hasattr(data, "get_column"):
            raise
        names = _column_names(data.columns, value, name)
        return _mapping_table({column: data.get_column(column).to_list() for column in names}, value, name)
    topic, document, number = _column_names(table.column_names, value, name)
    _warn_of_rival(
        table.column_names, document, lambda column: table.column(column)[:COMPARED_ROWS].to_pylist(), name
    )
    return (
        arrow_ids(table.column(topic), topic, name),
        arrow_ids(table.column(document), document, name),
        _arrow_numbers(table.column(number), number, name),
    )


def _pandas_ids(series: Any, column: str, name: str) -> IdColumn:
    """Return a column of pandas as ids: categories and Arrow strings without making texts of them."""
    kind = series.dtype
    if hasattr(kind, "categories"):
        if bool(series.isna().any()):
            raise InputError(name, None, f"column {column}: rows without a value", "a value in every row")
        entries = Objects(kind.categories.tolist(), name)
        return Codes(series.cat.codes.to_numpy().astype(np.int64), entries.take(slice(0, len(entries))))
    if getattr(kind, "storage", "") == "pyarrow" or type(kind).__name__ == "ArrowDtype":
        import pyarrow

        return arrow_ids(pyarrow.table({column: series.array}).column(column), column, name)
    return _ids(series.to_numpy(), name)


def _mapping_table(data: Mapping[Any, Any], value: Sequence[str], name: str) -> ThreeColumns:
    """Return the columns of a dict of columns; raise InputError for columns of other lengths."""
    names = _column_names(data, value, name)
    topic_name, docno_name, value_name = names
    if any(isinstance(data[column], Mapping) for column in names):
        raise InputError(
            name,
            None,
            "columns that are dicts of rows",
            "columns that are lists",
            "give the frame itself, or its to_dict('list')",
        )
    for column in names:
        if isinstance(data[column], str | bytes | int | float | complex | None):
            kind = type(data[column]).__name__
            raise InputError(name, None, f"column {column} that is a {kind}", "a list with a value a row")
    _warn_of_rival(data, docno_name, data.__getitem__, name)
    topics = _ids(_on_host(data[topic_name]), name)
    documents = _ids(_on_host(data[docno_name]), name)
    values = _on_host(data[value_name])
    if not hasattr(values, "__len__"):  # it can be read once
        values = list(values)
    numbers = _numbers(column_of(values), value_name, name)
    sizes = [len(topics), len(documents), len(numbers)]
    if len(set(sizes)) > 1:
        raise InputError(name, None, f"columns of {', '.join(map(str, sizes))} rows", "columns of one length")
    return topics, documents, numbers


def _on_host(column: Any) -> Any:
    """Return a tensor of torch, which may be on a GPU, as an array of numpy; other columns as they are."""
    if hasattr(column, "detach"):
        return as_array(column)
    return column


def _ids(values: Any, name: str) -> IdColumn:
    """Return a column of ids from an array or a sequence of objects."""
    if isinstance(values, np.ndarray):
        return ids_of_array(values, name)
    return Objects(list(values), name)


def column_of(values: Any) -> NDArray[Any]:
    """Return a sequence of numbers as an array (N,), of Python's objects if one of them is no number.

    If 64 bits cannot hold one of the whole numbers, the array has objects too: numpy would make doubles.
    """
    if isinstance(values, np.ndarray):
        return values
    try:
        array = np.asarray(values)
    except ValueError:  # lists among them, of different lengths
        return np.fromiter(values, object, len(values))
    if array.ndim != 1:
        return np.fromiter(values, object, len(values))
    if array.dtype.kind == "f" and (np.abs(array.astype(np.float64, copy=False)) >= 2.0**63).any():
        whole_numbers = [int(value) for value in values if isinstance(value, int | np.integer)]
        if any(not -(2**63) <= number < 2**63 for number in whole_numbers):
            return np.fromiter(map(_plain, values), object, len(values))
    return array


def _plain(value: Any) -> Any:
    """Return a number of numpy as Python's; other values as they are."""
    if isinstance(value, np.generic):
        return value.item()
    return value


def _numbers(values: NDArray[Any], column: str, name: str) -> NDArray[Any]:
    """Return a column (N,) as numbers, words as the grades that the user named for them.

    Raises InputError for a column with other texts or objects.
    """
    if values.dtype.kind in "biuf" and values.ndim == 1:
        return values
    cells = values.tolist()
    naming = current_naming()
    if naming.grades:
        cells = [number_of_word(cell, naming) for cell in cells]
        for row, cell in enumerate(cells, 1):
            if isinstance(cell, str):
                raise InputError(name, None, f"{column} {quoted(cell)} in row {row}", "a number", NAME_WORDS)
    if values.dtype.kind in "biuf":
        raise InputError(name, None, f"column {column} of shape {values.shape}", "one number for each row")
    numbers = [as_number(cell) for cell in cells]
    if None in numbers:
        raise InputError(name, None, f"column {column} of {values.dtype}", "numbers")
    return column_of(numbers)


def as_number(value: Any) -> int | float | None:
    """Return any kind of number as Python's int or float; None for texts and other values."""
    if isinstance(value, int | np.integer):
        return int(value)
    if isinstance(value, str | bytes | complex):
        return None
    try:
        return float(value)
    except (TypeError, ValueError, OverflowError):
        return None


NAME_WORDS = "grades={'WORD': NUMBER, ...} reads words as grades"
"""Advice of messages where judgements have words without a grade beside words that have one."""


def number_of_word(value: Any, naming: Naming) -> Any:
    """Return the grade of a word, or the number that a text is; other texts and other values as they are."""
    if not isinstance(value, str):
        return value
    grade = naming.grade(value)
    return value if math.isnan(grade) else grade


def _table_of_rows(data: Any, value: Sequence[str], name: str) -> ThreeColumns:
    """Return the columns of rows: tuples (topic, document, value), dicts, or records with attributes."""
    remaining = iter(data)
    rows = list(islice(remaining, 1))
    if not rows:
        return Objects([], name), Objects([], name), np.zeros(0)
    first = rows[0]
    # Names of the attributes with topic, document and value; None in a row that is no such record.
    attributes = [_attribute_of(first, names) for names in (TOPICS, DOCUMENTS, value)]
    try:
        if None in attributes:
            iter(first)  # raises TypeError before the rest is read, which may have no end
        rows.extend(remaining)
        if isinstance(first, Mapping):
            return _mapping_table(_columns_of_dicts(rows, name), value, name)
        if None in attributes:
            columns = [list(column) for column in zip(*rows, strict=True)]
        else:
            columns = [[getattr(row, str(attribute)) for row in rows] for attribute in attributes]
    except (TypeError, AttributeError) as error:
        odd = quoted(repr(_odd_row(rows, attributes)))
        raise InputError(name, None, f"rows such as {odd} ({error})", _ROW) from None
    except ValueError:  # rows of different lengths
        columns = []
    if len(columns) != 3:
        odd = quoted(repr(_odd_row(rows, attributes)))
        raise InputError(name, None, f"rows such as {odd}", _ROW)
    topics, documents, values = columns
    number = attributes[2] or value[0]
    return Objects(topics, name), Objects(documents, name), _numbers(column_of(values), number, name)


def _columns_of_dicts(rows: Sequence[Any], name: str) -> dict[Any, list[Any]]:
    """Return the columns of rows that are dicts; raise InputError for one with other keys than the first."""
    keys = rows[0].keys()
    for number, row in enumerate(rows, 1):
        if not isinstance(row, Mapping) or row.keys() != keys:
            expected = f"a dict with the keys {', '.join(map(str, keys))}, as the first"
            raise InputError(name, None, f"{quoted(repr(row))} in row {number}", expected)
    return {key: [row[key] for row in rows] for key in keys}


def _odd_row(rows: Sequence[Any], attributes: Sequence[str | None]) -> Any:
    """Return the first row that is no record with the attributes, or has not three values, for a message."""
    for row in rows:
        if None not in attributes:
            fits = all(hasattr(row, str(attribute)) for attribute in attributes)
        elif hasattr(row, "__len__"):
            fits = len(row) == 3
        else:
            fits = hasattr(row, "__iter__")
        if not fits:
            return row
    return rows[0]


def _attribute_of(row: Any, names: Sequence[str]) -> str | None:
    """Return the first of the names that is an attribute of a row, None if none is."""
    return next((name for name in names if hasattr(row, name)), None)


_ROW = "rows of topic, document and value"
"""The rows that messages expect."""


ARROW_TEXTS = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
"""Types of Arrow's columns that are read as ids, besides whole numbers and dictionaries."""


def _read_arrow(data: Any, name: str) -> Any:
    """Return a table of pyarrow from anything that speaks Arrow's C stream interface.

    Raises InputError for unreadable data or data without columns, MissingExtraError without pyarrow.
    """
    pyarrow = extra_module("pyarrow", f"{name}: reading a table of Arrow", "arrow")
    try:
        rows = pyarrow.chunked_array(data)
    except (TypeError, ValueError, OSError, pyarrow.ArrowException) as error:
        # pyarrow adds the traceback of a Python program that makes the table.
        reason = str(error).partition(". Detail: ")[0]
        raise InputError(name, None, f"the table cannot be read ({reason})") from None
    if not pyarrow.types.is_struct(rows.type):
        raise InputError(name, None, "an Arrow array", "a table with named columns")
    return pyarrow.Table.from_struct_array(rows)


def arrow_ids(column: Any, label: str, name: str) -> IdColumn:
    """Return a column as ids; raise InputError for rows without a value, a NUL in an id, and other types."""
    import pyarrow

    _check_no_nulls(column, label, name)
    if pyarrow.types.is_dictionary(column.type):
        # pyarrow cannot join an empty slice of codes with others.
        with_rows = [chunk for chunk in column.chunks if len(chunk)]
        column = pyarrow.chunked_array(with_rows, column.type)
        whole = column.unify_dictionaries().combine_chunks()
        entries = arrow_ids(pyarrow.chunked_array([whole.dictionary]), label, name)
        return Codes(whole.indices.to_numpy().astype(np.int64), entries.take(slice(0, len(entries))))
    if pyarrow.types.is_integer(column.type):
        return ids_of_array(column.to_numpy(), name)
    if str(column.type) not in ARROW_TEXTS:
        raise InputError(name, None, f"column {label} of type {column.type}", "texts or whole numbers")
    chunks = column.cast(pyarrow.large_binary()).chunks
    return TextParts([part for chunk in chunks if len(chunk) for part in _spans(chunk, label, name)])


def _arrow_numbers(column: Any, label: str, name: str) -> NDArray[Any]:
    """Return a column (N,) as numbers; raise InputError for rows without a value and for other types."""
    import pyarrow

    _check_no_nulls(column, label, name)
    if not (pyarrow.types.is_integer(column.type) or pyarrow.types.is_floating(column.type)):
        raise InputError(name, None, f"column {label} of type {column.type}", "numbers")
    return np.asarray(column.to_numpy())


def _check_no_nulls(column: Any, label: str, name: str) -> None:
    """Raise InputError for a row of an Arrow column without a value."""
    if column.null_count:
        row = column.is_null().index(True).as_py() + 1
        raise InputError(name, None, f"column {label}: no value in row {row}", "a value")


def _spans(chunk: Any, label: str, name: str) -> list[Spans]:
    """Return the ids of an array of large_binary in two parts: where they are, and the last ones as a copy.

    A span needs 8 bytes behind its last id, which the buffer of Arrow may not have.
    Raises InputError for a NUL in an id.
    """
    _, offsets, data = chunk.buffers()
    starts = np.frombuffer(offsets, np.int64)[chunk.offset : chunk.offset + len(chunk) + 1]
    text = np.frombuffer(data if data is not None else b"", np.uint8)[: int(starts[-1])]
    if text[starts[0] :].min(initial=1) == 0:
        raise InputError(name, None, f"a NUL in an id of column {quoted(label)}", "text")
    num_safe = int(np.searchsorted(starts[1:], len(text) - WORD, side="right"))
    tail_start = int(starts[num_safe])
    tail = np.concatenate((text[tail_start:], np.zeros(WORD, np.uint8)))
    return [Spans(text, starts[: num_safe + 1]), Spans(tail, starts[num_safe:] - tail_start)]
