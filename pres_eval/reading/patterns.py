"""Mapping of documents by a regular expression, such as chunks to their documents."""

from __future__ import annotations

import json
import re
import subprocess
import sys
from collections.abc import Iterator, Sequence
from operator import ne
from typing import Any

import numpy as np

from pres_eval.arrays import WORD, BoolArray, Bytes, Ids, IdTable, IntArray
from pres_eval.errors import InputError, UsageError, quoted

LONGEST_MATCHED_ID = 2_048
"""Most bytes of an id that a pattern is searched for in: the time may grow with their square."""

SEARCH_SECONDS = 5
"""Seconds that the search of IDS_OF_SEARCH ids for a pattern that might need hours may take."""

IDS_OF_SEARCH = 1 << 16
"""Ids that are searched for such a pattern at a time."""

MOST_QUANTIFIERS = 3
"""Quantifiers (*, + and {}) up to which a search of an id ends soon, unless one of them repeats another."""

Spans = Sequence["tuple[int, int]"]
"""Where each group of a pattern begins and ends in an id; (-1, -1) for a group that did not match."""

_SEARCH = """
import json, re, sys
pattern = re.compile(bytes.fromhex(sys.argv[1]))
for line in sys.stdin:
    match = pattern.search(bytes.fromhex(line))
    spans = match and [match.span(group + 1) for group in range(pattern.groups)]
    print(json.dumps(spans), flush=True)
"""
"""Program that prints the spans of the groups in each id; a process of its own can be ended."""


def may_take_long(pattern: str) -> bool:
    """Return whether the search of an id may take hours, as with a repeated group or many quantifiers."""
    without_sets = re.sub(r"\\.|\[\^?\]?[^\]]*\]", "x", pattern)
    has_repeated_group = re.search(r"\)[*+{]", without_sets) is not None
    num_quantifiers = len(re.findall(r"[*+}]", without_sets))
    return has_repeated_group or num_quantifiers > MOST_QUANTIFIERS


def spans_in_time(pattern: str, ids: Sequence[bytes]) -> Iterator[Spans | None]:
    """Yield the spans of a pattern's groups in each id, None for an id in which it is not found.

    Another process searches, as nothing can stop a search in this one.  Raises InputError for the id that is
    searched when SEARCH_SECONDS have passed.
    """
    program = [sys.executable, "-I", "-S", "-c", _SEARCH, pattern.encode("utf-8", "surrogateescape").hex()]
    for begin in range(0, len(ids), IDS_OF_SEARCH):
        texts = ids[begin : begin + IDS_OF_SEARCH]
        lines = "".join(f"{text.hex()}\n" for text in texts).encode()
        try:
            answer = subprocess.run(
                program, input=lines, stdout=subprocess.PIPE, timeout=SEARCH_SECONDS, check=True
            ).stdout
        except subprocess.TimeoutExpired as error:
            num_done = (error.stdout or b"").count(b"\n")
            searched = texts[num_done]
            raise InputError(
                f"--map-docs {pattern}",
                None,
                f"a search of docno {quoted(searched)} for more than {SEARCH_SECONDS} seconds",
                "a pattern in which no repeated group repeats something, as (1+)+ does",
                "a file of docno and document maps without a search",
            ) from None
        for line in answer.splitlines():
            yield json.loads(line)


def pattern_mapping(text: str) -> PatternMapping:
    """Return the mapping of a regular expression; raise UsageError for one without a group."""
    try:
        pattern = re.compile(text.encode("utf-8", "surrogateescape"))
    except re.error as error:
        raise UsageError(f"--map-docs {text}: not a regular expression ({error})") from None
    if pattern.groups == 0:
        raise UsageError(
            f"--map-docs {text}: found no group, expected one or more, for the id of the document:"
            " '^(.*)#\\d+$'"
        )
    if pattern.groups == 1:
        return PatternMapping(text)
    return GroupsMapping(text)


class PatternMapping:
    """Mapping of ids to what the only group of a regular expression matches; others stay as they are."""

    def __init__(self, text: str) -> None:
        self._text = text
        self._pattern = re.compile(text.encode("utf-8", "surrogateescape"))
        # Such as '^(.*)#\d+$': all but a number at the end, and some text before it.
        all_but_number = re.fullmatch(
            r"\^?\(\.[*+]\??\)((?:[^\\.*+?()\[\]{}|^$\d]|\\[^\w\s])+)(?:\\d|\[0-9\])\+\$", text
        )
        self._before_number: bytes | None = None
        """This text, `#` here; None for other patterns."""
        if all_but_number is not None:
            unescaped = re.sub(r"\\(.)", r"\1", all_but_number[1])
            self._before_number = unescaped.encode("utf-8", "surrogateescape")
        self._kinds = _kinds_of_bytes(self._pattern.pattern)
        """(256,) the kind of each byte, as the pattern tells bytes apart; None where kinds are not enough."""
        self._is_slow = may_take_long(text)

    def __reduce__(self) -> tuple[Any, ...]:
        return PatternMapping, (self._text,)

    def __call__(self, ids: Ids) -> tuple[Ids, BoolArray]:
        """Return the mapped ids (N,), and (N,) which of them changed.

        Raises InputError for an id of more than LONGEST_MATCHED_ID bytes, unless the pattern needs no search.
        """
        if self._before_number is None:
            self._check_lengths(ids)
        if len(ids.long_rows):
            mapped = Ids.from_texts(self._mapped(list(ids)))
            rows = np.arange(len(ids))
            return mapped, ~mapped.equal(rows, ids, rows)
        matrix, lengths = _matrix_of(ids), ids.lengths()
        if self._before_number is not None:
            begins = np.zeros(len(ids), np.int64)
            ends = _ends_before_number(matrix, lengths, self._before_number)
        else:
            begins, ends = self._spans(ids, matrix, lengths)
        starts_of_rows = matrix.shape[1] * np.arange(len(ids))
        buffer = np.concatenate((matrix.ravel(), np.zeros(2 * WORD, np.uint8)))
        mapped = Ids.from_buffer(buffer, starts_of_rows + begins, starts_of_rows + ends)
        return mapped, (begins > 0) | (ends != lengths)

    def _spans(self, ids: Ids, matrix: Bytes, lengths: IntArray) -> tuple[IntArray, IntArray]:
        """Return (N,) where the group begins and (N,) where it ends in each id.

        Of ids of the same form, such as d12#0 and d34#7, only the first is searched.

        matrix, lengths  (N, W) the bytes of the ids, and (N,) how many each has
        """
        if self._kinds is None:
            spans = self._array_of_spans(ids)
        else:
            first_rows = _rows_of_form(matrix, lengths, self._kinds)
            searched_rows, index = np.unique(first_rows, return_inverse=True)
            spans = self._array_of_spans(ids.take(searched_rows))[index]
        return spans[:, 0], spans[:, 1]

    def _array_of_spans(self, ids: Ids) -> IntArray:
        """Return (N, 2) where the group begins and ends in each id; all of them are searched."""
        return np.array(self._searched(list(ids)), np.int64).reshape(-1, 2)

    def _mapped(self, texts: Sequence[bytes]) -> list[bytes]:
        """Return what the ids become, one by one."""
        if self._before_number is not None:
            return [self._without_number(text) for text in texts]
        return [text[begin:end] for text, (begin, end) in zip(texts, self._searched(texts), strict=True)]

    def _without_number(self, text: bytes) -> bytes:
        """Return an id without a number at its end and the text before it; other ids as they are."""
        assert self._before_number is not None
        beginning = text.rstrip(b"0123456789")
        has_number = beginning.endswith(self._before_number) and len(beginning) < len(text)
        if not has_number:
            return text
        return beginning[: -len(self._before_number)] or text

    def _searched(self, texts: Sequence[bytes]) -> list[tuple[int, int]]:
        """Return where the group begins and ends in each id; of the whole id if it is not found."""
        if not self._is_slow:
            return list(map(self._span, texts))
        found_spans: list[tuple[int, int]] = []
        for text, spans in zip(texts, spans_in_time(self._text, texts), strict=True):
            span = None
            if spans is not None:
                span = spans[0]
            found_spans.append(_span_or_all(text, span))
        return found_spans

    def _check_lengths(self, ids: Ids) -> None:
        """Raise InputError for an id that is so long that the pattern might search it for minutes."""
        longest = max(ids.long_texts, key=len, default=b"")
        if len(longest) > LONGEST_MATCHED_ID:
            raise InputError(
                f"--map-docs {self._text}",
                None,
                f"docno {quoted(longest)} of {len(longest):,} bytes",
                f"at most {LONGEST_MATCHED_ID:,} for a pattern",
                "a file of docno and document maps longer ones",
            )

    def _span(self, text: bytes) -> tuple[int, int]:
        """Return where the group begins and ends in an id; of the whole id if it is not found."""
        match = self._pattern.search(text)
        if match is None:
            return _span_or_all(text, None)
        return _span_or_all(text, match.span(1))


def _span_or_all(text: bytes, span: tuple[int, int] | None) -> tuple[int, int]:
    """Return the span of a group; of the whole id where none was found, or an empty one: no id is empty."""
    if span is None or span[0] == span[1]:
        return 0, len(text)
    return span[0], span[1]


def _matrix_of(ids: Ids) -> Bytes:
    """Return the bytes (N, W) of ids that are all whole in their columns, padded with NULs."""
    words = np.stack(ids.columns, axis=1)
    return words.view(np.uint8).reshape(len(ids), WORD * len(ids.columns))


def _ends_before_number(matrix: Bytes, lengths: IntArray, separator: bytes) -> IntArray:
    """Return (N,) where ids end without their last number and the separator before it; others keep their
    ends.

    matrix, lengths  (N, W) the bytes of the ids, and (N,) how many each has
    Most patterns ask for this, which takes a hundredth of the time that a search of each id does.
    """
    digits_begin = lengths.copy()  # where the digits at the end of each id begin
    rows = np.flatnonzero(lengths > 0)
    while len(rows):
        is_digit = matrix[rows, digits_begin[rows] - 1] - ord("0") < 10
        rows = rows[is_digit]
        digits_begin[rows] -= 1
        rows = rows[digits_begin[rows] > 0]
    matching = np.flatnonzero((digits_begin < lengths) & (digits_begin > len(separator)))
    for distance, byte in enumerate(reversed(separator), 1):
        is_same = matrix[matching, digits_begin[matching] - distance] == byte
        matching = matching[is_same]
    ends = lengths.copy()
    ends[matching] = digits_begin[matching] - len(separator)
    return ends


_TOKENS_OF_PATTERNS = re.compile(rb"\[\^?\]?(?:\\.|[^\]\\])*\]|\\.|\{(?:\d+,?\d*|,\d*)\}|.", re.DOTALL)
"""A set of bytes such as [a-z], an escape, a number of repetitions, or another byte of a pattern."""

_BORDERS_OF_DIGITS, _BORDERS_OF_WORDS = b"0:", b"0:A[_`a{"
"""The first byte of each range of \\d (0-9) and of \\w (0-9, A-Z, _, a-z), and the byte behind its last."""


def _kinds_of_bytes(pattern: bytes) -> bytes | None:
    r"""Return (256,) the kind of each byte, from 1; None for a pattern that needs more than the kinds.

    A pattern names bytes, ranges and classes of them.  Bytes between which none of these begins or ends are
    of one kind: in two ids whose bytes have the same kinds the pattern finds the same.  ([a-m]+)-\d tells a
    to m, the hyphen and digits from all other bytes, so that its group is the same part of ab-1 and cd-7.
    """
    if re.search(rb"\\[0-9x]|\(\?(?![:=!<]|P<)", pattern):
        return None  # references to groups, octal or hexadecimal bytes, and flags
    begins_kind = np.zeros(257, np.bool_)  # whether a kind begins with each byte; 256 is behind the last
    # Blanks and line ends: bytes 0 to 32 are a kind each, and with 33 the next one begins.
    begins_kind[:34] = True
    for token in _TOKENS_OF_PATTERNS.findall(pattern):
        is_repetition = token.startswith(b"{") and len(token) > 1
        members = [token]
        if len(token) > 2:  # a set, of which each byte, escape or range counts
            members = re.findall(rb"\\.|\w-\w|.", token, re.DOTALL)
        for member in members:
            if member.startswith(b"\\") and member[1:].isalpha():
                borders = _BORDERS_OF_WORDS
                if member[1:] in b"dD":
                    borders = _BORDERS_OF_DIGITS
                begins_kind[list(borders)] = True
            elif not is_repetition:
                first_byte, last_byte = member[-1], member[-1]
                if len(member) > 2:  # a range such as a-z
                    first_byte = member[0]
                begins_kind[[first_byte, last_byte + 1]] = True
    return np.cumsum(begins_kind[:256]).astype(np.uint8).tobytes()


def _rows_of_form(matrix: Bytes, lengths: IntArray, kinds: bytes) -> IntArray:
    """Return (N,) the first row with an id of the same form as each id: whose bytes have the same kinds.

    matrix, lengths  (N, W) the bytes of the ids, and (N,) how many each has
    kinds            (256,) the kind of each byte
    """
    text = matrix.tobytes().translate(kinds) + bytes(2 * WORD)
    begins = matrix.shape[1] * np.arange(len(lengths))
    forms = Ids.from_buffer(np.frombuffer(text, np.uint8), begins, begins + lengths)
    return IdTable(forms).first_rows()


class GroupsMapping(PatternMapping):
    """Mapping of ids to the joined matches of several groups of a regular expression; others stay."""

    def __reduce__(self) -> tuple[Any, ...]:
        return GroupsMapping, (self._text,)

    def __call__(self, ids: Ids) -> tuple[Ids, BoolArray]:
        """Return the mapped ids (N,), and (N,) which of them changed.

        Raises InputError for an id of more than LONGEST_MATCHED_ID bytes.
        """
        self._check_lengths(ids)
        texts = list(ids)
        if self._is_slow:
            spans_of_ids = spans_in_time(self._text, texts)
            joined = [
                _joined_spans(text, spans or ()) for text, spans in zip(texts, spans_of_ids, strict=True)
            ]
        else:
            joined = [self._joined_groups(text) for text in texts]
        mapped = [groups or text for text, groups in zip(texts, joined, strict=True)]
        return Ids.from_texts(mapped), np.array(list(map(ne, texts, mapped)), np.bool_)

    def _joined_groups(self, text: bytes) -> bytes:
        """Return the groups found in an id, joined; b"" if the pattern is not found."""
        match = self._pattern.search(text)
        if match is None:
            return b""
        return b"".join(group or b"" for group in match.groups())


def _joined_spans(text: bytes, spans: Spans) -> bytes:
    """Return the parts of an id at these spans, joined; a group that did not match has (-1, -1)."""
    return b"".join(text[begin:end] for begin, end in spans if begin >= 0)
