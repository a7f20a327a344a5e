"""Columns of Arrow's tables through pyarrow (extra `arrow`), whose texts stay where they are."""

from __future__ import annotations

from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays import WORD
from pres_eval.errors import InputError, extra_module
from pres_eval.library.idcolumns import Codes, IdColumn, Spans, TextParts, ids_of_numbers

TEXTS = ("string", "large_string", "string_view", "binary", "large_binary", "binary_view")
"""Types of columns that are read as ids, besides whole numbers and dictionaries."""


def arrow_table(data: Any, name: str) -> Any:
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
    """Return a column as ids; raise InputError for rows without a value and for other types."""
    import pyarrow

    _check_no_nulls(column, label, name)
    if pyarrow.types.is_dictionary(column.type):
        whole = column.unify_dictionaries().combine_chunks()
        entries = arrow_ids(pyarrow.chunked_array([whole.dictionary]), label, name)
        return Codes(whole.indices.to_numpy().astype(np.int64), entries.pick(slice(0, len(entries))))
    if pyarrow.types.is_integer(column.type):
        return ids_of_numbers(column.to_numpy(), name)
    if str(column.type) not in TEXTS:
        raise InputError(name, None, f"column {label} of type {column.type}", "texts or whole numbers")
    chunks = column.cast(pyarrow.large_binary()).chunks
    return TextParts([part for chunk in chunks if len(chunk) for part in _spans(chunk)])


def arrow_numbers(column: Any, label: str, name: str) -> NDArray[Any]:
    """Return a column (N,) as numbers; raise InputError for rows without a value and for other types."""
    import pyarrow

    _check_no_nulls(column, label, name)
    if not (pyarrow.types.is_integer(column.type) or pyarrow.types.is_floating(column.type)):
        raise InputError(name, None, f"column {label} of type {column.type}", "numbers")
    numbers: NDArray[Any] = column.to_numpy()
    return numbers


def _check_no_nulls(column: Any, label: str, name: str) -> None:
    if column.null_count:
        row = column.is_null().index(True).as_py() + 1
        raise InputError(name, None, f"column {label}: no value in row {row}", "a value")


def _spans(chunk: Any) -> list[Spans]:
    """Return the ids of an array of large_binary where they are, and a copy of the last ones."""
    _, offsets, data = chunk.buffers()
    places = np.frombuffer(offsets, np.int64)[chunk.offset : chunk.offset + len(chunk) + 1]
    text = np.frombuffer(data if data is not None else b"", np.uint8)[: int(places[-1])]
    # What is loaded of an id may reach 16 bytes behind it.
    safe = int(np.searchsorted(places[1:], len(text) - 2 * WORD, side="right"))
    tail = np.concatenate((text[int(places[safe]) :], np.zeros(3 * WORD, np.uint8)))
    return [Spans(text, places[: safe + 1]), Spans(tail, places[safe:] - places[safe])]
