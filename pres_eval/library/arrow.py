"""Columns from anything that speaks Arrow's C stream interface, without any Arrow library.

The interface is three C structs and two calls (https://arrow.apache.org/docs/format/CDataInterface.html).
"""

from __future__ import annotations

import contextlib
import ctypes
from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays.ids import WORD, Ids
from pres_eval.arrays.word_ids import WordIds
from pres_eval.errors import InputError
from pres_eval.library.idcolumns import Codes, IdColumn, Numbers, ShortViews, Spans, TextParts

_Pointer = ctypes.c_void_p


class _Schema(ctypes.Structure):
    """struct ArrowSchema."""


class _Array(ctypes.Structure):
    """struct ArrowArray."""


class _Stream(ctypes.Structure):
    """struct ArrowArrayStream."""


_Schema._fields_ = [
    ("format", ctypes.c_char_p),
    ("name", ctypes.c_char_p),
    ("metadata", _Pointer),
    ("flags", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("children", ctypes.POINTER(ctypes.POINTER(_Schema))),
    ("dictionary", ctypes.POINTER(_Schema)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Schema))),
    ("private_data", _Pointer),
]
_Array._fields_ = [
    ("length", ctypes.c_int64),
    ("null_count", ctypes.c_int64),
    ("offset", ctypes.c_int64),
    ("n_buffers", ctypes.c_int64),
    ("n_children", ctypes.c_int64),
    ("buffers", ctypes.POINTER(_Pointer)),
    ("children", ctypes.POINTER(ctypes.POINTER(_Array))),
    ("dictionary", ctypes.POINTER(_Array)),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Array))),
    ("private_data", _Pointer),
]
_Stream._fields_ = [
    ("get_schema", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Schema))),
    ("get_next", ctypes.CFUNCTYPE(ctypes.c_int, ctypes.POINTER(_Stream), ctypes.POINTER(_Array))),
    ("get_last_error", ctypes.CFUNCTYPE(ctypes.c_char_p, ctypes.POINTER(_Stream))),
    ("release", ctypes.CFUNCTYPE(None, ctypes.POINTER(_Stream))),
    ("private_data", _Pointer),
]

_NUMBERS = {
    **{b"c": "i1", b"C": "u1", b"s": "i2", b"S": "u2", b"i": "i4", b"I": "u4", b"l": "i8", b"L": "u8"},
    **{b"e": "f2", b"f": "f4", b"g": "f8"},
}
_TEXT, _LARGE_TEXT, _VIEWS = (b"u", b"z"), (b"U", b"Z"), (b"vu", b"vz")
_BYTE = np.dtype(np.uint8)
_INLINE = 12
"""The longest id, in bytes, that is in the view itself."""


@dataclass(frozen=True, eq=False)
class Piece:
    """One column of one record batch: its format, and the struct that has its buffers."""

    name: str
    format: bytes
    array: Any
    dictionary_format: bytes
    columns_of: str

    def ids(self) -> IdColumn:
        """The column as ids."""
        self._check_no_nulls()
        array = self.array
        if array.dictionary:
            entries = replace(
                self, format=self.dictionary_format, array=array.dictionary[0], dictionary_format=b""
            )
            codes = self.numbers().astype(np.int64)
            return Codes(codes, entries.ids().pick(slice(0, entries.array.length)))
        if self.format in (*_TEXT, *_LARGE_TEXT):
            return TextParts(self._texts())
        if self.format in _VIEWS:
            return TextParts([self._views()])
        values = self.numbers()
        if values.dtype.kind not in "iu":
            found = f"column {self.name} of {values.dtype}"
            raise InputError(self.columns_of, None, found, "texts or whole numbers")
        return Numbers(values.astype(np.int64, copy=False), self.columns_of)

    def numbers(self) -> NDArray[Any]:
        """The column as numbers."""
        self._check_no_nulls()
        if self.format not in _NUMBERS:
            found = f"column {self.name} of Arrow's type {self.format.decode()}"
            raise InputError(self.columns_of, None, found, "numbers")
        return self._buffer(1, np.dtype(_NUMBERS[self.format]))

    def _check_no_nulls(self) -> None:
        if self.array.null_count == 0 or not self.array.buffers[0]:
            return
        start, length = self.array.offset, self.array.length
        bits = _view(self.array.buffers[0], (start + length + 7) // 8, _BYTE)
        valid = np.unpackbits(bits, bitorder="little")[start : start + length]
        if not valid.all():
            row = int(np.argmin(valid)) + 1
            raise InputError(self.columns_of, None, f"column {self.name}: no value in row {row}", "a value")

    def _buffer(self, number: int, dtype: np.dtype[Any], more: int = 0) -> NDArray[Any]:
        """A buffer's values of the rows, and as many more."""
        start = self.array.offset
        return _view(self.array.buffers[number], start + self.array.length + more, dtype)[start:]

    def _texts(self) -> list[Ids | Spans]:
        """Ids where they are, and a copy of the last ones."""
        if not self.array.length:
            return [Ids.of([])]
        wide = self.format in _LARGE_TEXT
        places = self._buffer(1, np.dtype("i8" if wide else "i4"), 1)
        data = _view(self.array.buffers[2], int(places[-1]), _BYTE)
        # What is loaded of an id may reach 16 bytes behind it.
        safe = int(np.searchsorted(places[1:], len(data) - 2 * WORD, side="right"))
        tail = np.concatenate((data[int(places[safe]) :], np.zeros(3 * WORD, np.uint8)))
        return [Spans(data, places[: safe + 1]), Spans(tail, places[safe:] - places[safe])]

    def _views(self) -> Ids | ShortViews:
        """Ids of Arrow's string views: short ones are in the views, long ones in other buffers."""
        fields = self._buffer(1, np.dtype("V16")).view(np.int32).reshape(-1, 4)
        long = np.flatnonzero(fields[:, 0] > _INLINE)
        if not len(long):
            return ShortViews(fields)
        views = fields.view(np.uint8).reshape(-1)
        lengths = fields[:, 0].astype(np.int64)
        starts = np.arange(len(fields), dtype=np.int64) * 16 + 4
        others = self.array.n_buffers - 3
        sizes = _view(self.array.buffers[2 + others], others, np.dtype(np.int64))
        data = [_view(self.array.buffers[2 + number], int(size), _BYTE) for number, size in enumerate(sizes)]
        begins = len(views) + np.cumsum(sizes) - sizes
        starts[long] = begins[fields[long, 2]] + fields[long, 3]
        return Ids(np.concatenate((views, *data, np.zeros(3 * WORD, np.uint8))), starts, lengths)


def _view(address: int | None, count: int, dtype: np.dtype[Any]) -> NDArray[Any]:
    """Memory at an address as an array; it must live as long as the array is used."""
    if not count or not address:
        return np.zeros(0, dtype)
    memory = (ctypes.c_uint8 * (count * dtype.itemsize)).from_address(address)
    return np.frombuffer(memoryview(memory).cast("B"), dtype)


@contextlib.contextmanager
def arrow_columns(data: Any, name: str) -> Iterator[dict[str, list[Piece]]]:
    """The columns of a table by name, in pieces; they are gone when the context ends."""
    capsule = data.__arrow_c_stream__()
    pointer = ctypes.pythonapi.PyCapsule_GetPointer
    pointer.restype, pointer.argtypes = _Pointer, [ctypes.py_object, ctypes.c_char_p]
    stream = ctypes.cast(pointer(capsule, b"arrow_array_stream"), ctypes.POINTER(_Stream))
    schema, arrays = _Schema(), []
    try:
        _check(stream, stream[0].get_schema(stream, ctypes.byref(schema)), name)
        while True:
            array = _Array()
            _check(stream, stream[0].get_next(stream, ctypes.byref(array)), name)
            if not array.release:
                break
            arrays.append(array)
        yield _pieces(schema, arrays, name)
    finally:
        for array in arrays:
            array.release(ctypes.byref(array))
        if schema.release:
            schema.release(ctypes.byref(schema))


def _check(stream: Any, code: int, name: str) -> None:
    if code:
        message = (stream[0].get_last_error(stream) or b"no reason given").decode(errors="replace")
        # pyarrow adds the traceback of a Python program that makes the table.
        reason = message.partition(". Detail: ")[0]
        raise InputError(name, None, f"the table cannot be read ({reason})")


def _pieces(schema: _Schema, arrays: Sequence[_Array], name: str) -> dict[str, list[Piece]]:
    """Return the columns of all record batches by name; raises InputError for an array that is no table."""
    if schema.format != b"+s":
        raise InputError(name, None, "an Arrow array", "a table with named columns")
    columns: dict[str, list[Piece]] = {}
    for number in range(schema.n_children):
        child = schema.children[number][0]
        column = (child.name or b"").decode()
        inner = child.dictionary[0].format if child.dictionary else b""
        columns[column] = [
            Piece(
                name=column,
                format=child.format,
                array=_child(array, number),
                dictionary_format=inner,
                columns_of=name,
            )
            for array in arrays
        ]
    return columns


def _child(array: _Array, number: int) -> Any:
    """A column of a record batch, which may be a slice of it."""
    child = array.children[number][0]
    if not array.offset and child.length == array.length:
        return child
    part = _Array.from_buffer_copy(child)
    part.offset, part.length, part.null_count = child.offset + array.offset, array.length, -1
    return part


def joined_ids(pieces: Sequence[Piece]) -> IdColumn:
    """The ids of all pieces of a column."""
    columns = [piece.ids() for piece in pieces]
    if len(columns) == 1:
        return columns[0]
    texts = [column.parts for column in columns if isinstance(column, TextParts)]
    if len(texts) == len(columns):
        return TextParts([part for parts in texts for part in parts])
    numbers = [column.values for column in columns if isinstance(column, Numbers)]
    if len(numbers) == len(columns):
        return Numbers(np.concatenate(numbers), pieces[0].columns_of)
    everything = WordIds.concatenate([column.pick(slice(0, len(column))) for column in columns])
    return Codes(np.arange(len(everything)), everything)


def joined_numbers(pieces: Sequence[Piece]) -> NDArray[Any]:
    """The numbers of all pieces of a column."""
    if len(pieces) == 1:
        return pieces[0].numbers()
    return np.concatenate([np.zeros(0, np.int8), *(piece.numbers() for piece in pieces)])
