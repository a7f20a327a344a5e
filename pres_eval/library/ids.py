"""Ids that Python code hands over, str or whole numbers: made bytes, made str again, and looked up."""

from __future__ import annotations

import operator
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cached_property
from itertools import pairwise
from typing import Any

import numpy as np

from pres_eval.arrays import PADDING, Ids, IntArray, lengths_at, rows_or_slice
from pres_eval.errors import InputError, quoted
from pres_eval.reading.judgements.pool import Pool


def decode(text: bytes) -> str:
    """Return an id as users see it; bytes that are no UTF-8 become surrogates, as in file names."""
    return text.decode("utf-8", "surrogateescape")


def encode(value: Any, name: str) -> bytes:
    """Return a str, bytes or a whole number as an id; `name` names its origin in messages.

    Raises InputError for anything else, for text that UTF-8 cannot hold, and for a NUL character.
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


def joined_ascii(values: Iterable[Any]) -> str | None:
    """Return texts as one if all are ASCII without NUL; then different ones are different ids.  Else None."""
    try:
        joined = "".join(values)
    except TypeError:
        return None
    if not joined.isascii() or "\0" in joined:
        return None
    return joined


def ids_of(values: Sequence[Any], name: str) -> Ids:
    """Return ids of Python objects; `name` names their origin in messages.

    If all are ASCII texts, they are encoded in one piece, which is faster than one by one.
    """
    joined = joined_ascii(values)
    if joined is None:
        return Ids.from_texts([encode(value, name) for value in values])
    lengths = np.fromiter(map(len, values), np.int64, len(values))
    starts = np.cumsum(lengths) - lengths
    # Words are loaded behind the last id too, so bytes of 0 follow it.
    buffer = np.frombuffer(joined.encode("ascii") + bytes(PADDING), np.uint8)
    return Ids.from_buffer(buffer, starts, starts + lengths)


def texts_of(ids: Iterable[bytes]) -> list[str]:
    """Return ids as users see them."""
    texts = list(ids)
    if not texts:
        return []
    # No id has a NUL.  Decoded as one text they take less time.
    return decode(b"\0".join(texts)).split("\0")


@dataclass(frozen=True, eq=False)
class JudgedNumbers:
    """J judged documents whose ids are whole numbers, by topic.

    offsets   (T+1,) where the documents of each topic of the pool begin
    number    (J,) the id of each document, as a number
    document  (J,) the index of each document in the pool
    """

    offsets: IntArray
    number: IntArray
    document: IntArray

    def of_topics(self, topics: IntArray) -> tuple[IntArray, Ids, IntArray]:
        """Return the documents of some topics, whose indices in the pool are `topics` (S,).

        As three columns: how many each topic has (S,), their ids (n,), and their indices in the pool (n,).
        An id is here the number itself as a word of 64 bits, not its digits: runs of numbers have such ids.
        """
        counts = lengths_at(self.offsets, topics)
        rows, _ = rows_or_slice(self.offsets[topics], counts)
        return counts, Ids([self.number[rows].view(np.uint64)]), self.document[rows]


@dataclass(frozen=True, eq=False)
class Lookup:
    """Indices of topics and documents in a pool, by their texts; each table is made when it is first used.

    pool  the judged documents, topic after topic
    """

    pool: Pool

    @cached_property
    def topic_texts(self) -> list[str]:
        """The ids of the topics of the pool."""
        return texts_of(self.pool.topics)

    @cached_property
    def topics(self) -> dict[str, int]:
        """For each topic its index in the pool."""
        return {topic: number for number, topic in enumerate(self.topic_texts)}

    @cached_property
    def documents(self) -> list[dict[str, int]]:
        """For each topic its documents and their indices in the pool."""
        ids = texts_of(self.pool.documents)
        offsets = self.pool.offsets.tolist()
        return [
            dict(zip(ids[start:stop], range(start, stop), strict=True)) for start, stop in pairwise(offsets)
        ]

    @cached_property
    def numbers(self) -> JudgedNumbers:
        """The documents whose ids are whole numbers below 2**63, written without sign or leading zeros."""
        texts = list(self.pool.documents)
        lengths = np.fromiter(map(len, texts), np.int64, len(texts))
        digits = np.fromiter(map(bytes.isdigit, texts), np.bool_, len(texts))
        rows = np.flatnonzero(digits & (lengths < 20))  # 2**63 has 19 digits
        values = np.fromiter([int(texts[row]) for row in rows.tolist()], np.uint64, len(rows))
        num_digits = lengths[rows]
        # 007 has three digits, but is below 100, the least number with three.
        least_with_digits = np.uint64(10) ** (num_digits - 1).astype(np.uint64)
        has_no_leading_zero = (values >= least_with_digits) | (num_digits == 1)
        chosen = np.flatnonzero(has_no_leading_zero & (values < 2**63))
        numbers, document = values[chosen].astype(np.int64), rows[chosen]
        return JudgedNumbers(np.searchsorted(document, self.pool.offsets), numbers, document)

    def index_of_topic(self, topic: Any, name: str) -> int | None:
        """Return the index of a topic in the pool, None for one without judgements."""
        if not isinstance(topic, str):
            topic = decode(encode(topic, name))
        return self.topics.get(topic)
