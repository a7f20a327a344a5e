"""Ids outside and inside: Python's str (or whole numbers) as bytes in a buffer, and back."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from typing import Any

import numpy as np

from pres_eval.arrays import WORD, Ids
from pres_eval.errors import InputError, quoted


def decode(text: bytes) -> str:
    """Return an id as users see it; bytes that are no UTF-8 become surrogates, as in file names."""
    return text.decode("utf-8", "surrogateescape")


def encode(value: Any, name: str) -> bytes:
    """Return an id for the engine, of str, bytes or a whole number.

    Raises InputError for anything else, and for text that UTF-8 cannot hold.
    """
    if isinstance(value, str):
        try:
            text = value.encode("utf-8", "surrogateescape")
        except UnicodeEncodeError:
            raise InputError(name, None, f"id {quoted(value)}", "one without a lone surrogate") from None
    elif isinstance(value, bytes):
        text = value
    else:
        try:
            text = b"%d" % operator.index(value)
        except TypeError:
            # numpy 1 and 2 have different texts for repr of their numbers.
            shown = str(value) if isinstance(value, np.generic) else repr(value)
            raise InputError(
                name, None, f"id {quoted(shown)} of type {type(value).__name__}", "a text or a whole number"
            ) from None
    if b"\0" in text:
        raise InputError(name, None, f"id {quoted(text)} with a NUL character", "an id without")
    return text


def ids_of(values: Sequence[Any], name: str) -> Ids:
    """Return ids of Python objects; `name` names their origin in messages."""
    try:
        joined = "".join(values)
    except TypeError:
        return Ids.of([encode(value, name) for value in values])
    if not joined.isascii() or "\0" in joined:
        return Ids.of([encode(value, name) for value in values])
    lengths = np.fromiter(map(len, values), np.int64, len(values))
    starts = np.cumsum(lengths) - lengths
    return Ids(np.frombuffer(joined.encode("ascii") + bytes(3 * WORD), np.uint8), starts, lengths)


def texts_of(ids: Iterable[bytes]) -> list[str]:
    """Return ids as users see them."""
    return [decode(text) for text in ids]
