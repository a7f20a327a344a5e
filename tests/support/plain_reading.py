"""Plain-Python twins of reading and ranking: one line, one document at a time."""

from __future__ import annotations

import struct
from collections import Counter
from collections.abc import Callable, Generator
from dataclasses import dataclass, field
from fractions import Fraction
from pathlib import Path
from typing import Any

from hypothesis import strategies as st

from pres_eval.reading.cuts import Cut, behind_last_line
from pres_eval.reading.file import Chunk, File

SPACES = b" \t\n\v\f\r"
BYTE_ORDER_MARK = b"\xef\xbb\xbf"


class PlainError(Exception):
    """A faulty line: its number from 1, and a word for what is wrong."""

    def __init__(self, line: int, what: str) -> None:
        super().__init__(line, what)
        self.line = line
        self.what = what


def split_line(line: bytes) -> list[bytes]:
    """The fields of a line: what is between bytes of C's isspace."""
    fields: list[bytes] = []
    field_bytes = bytearray()
    for byte in line + b" ":
        if byte in SPACES:
            if field_bytes:
                fields.append(bytes(field_bytes))
            field_bytes = bytearray()
        else:
            field_bytes.append(byte)
    return fields


@dataclass
class Line:
    """A line that is neither blank nor a comment."""

    number: int
    fields: list[bytes]


def lines_of(data: bytes) -> list[Line]:
    """All lines that are neither blank nor comments; a NUL byte is an error."""
    if data.startswith(BYTE_ORDER_MARK):
        data = data[len(BYTE_ORDER_MARK) :]
    found = []
    for number, line in enumerate(data.split(b"\n"), 1):
        if b"\0" in line:
            raise PlainError(number, "NUL")
        fields = split_line(line)
        if fields and not fields[0].startswith(b"#"):
            found.append(Line(number, fields))
    return found


def rows_of(data: bytes, columns: int, more: bool = False) -> list[Line]:
    """The lines with exactly this many columns (or cut to it, with `more`); others are an error."""
    rows = lines_of(data)
    for row in rows:
        if len(row.fields) < columns or (len(row.fields) > columns and not more):
            raise PlainError(row.number, "columns")
    return rows


def faulty_lines(data: bytes, columns: int, more: bool = False) -> dict[int, int | str]:
    """The lines with a NUL byte (found: "NUL") or the wrong number of columns (found: that number)."""
    data = data.removeprefix(BYTE_ORDER_MARK)
    faults: dict[int, int | str] = {}
    for number, line in enumerate(data.split(b"\n"), 1):
        fields = split_line(line)
        if b"\0" in line:
            faults[number] = "NUL"
        elif not fields or fields[0].startswith(b"#"):
            continue
        elif len(fields) < columns or (len(fields) > columns and not more):
            faults[number] = len(fields)
    return faults


def number(token: bytes) -> float | None:
    """The double nearest to a decimal or hexadecimal number by exact fractions; None for anything else."""
    text = token.lower()
    sign = 1.0
    if text[:1] in (b"+", b"-"):
        sign = -1.0 if text[:1] == b"-" else 1.0
        text = text[1:]
    if text in (b"inf", b"infinity"):
        return sign * float("inf")
    base, digits, letter, exponent_base = 10, b"0123456789", b"e", 10
    if text.startswith(b"0x"):
        base, digits, letter, exponent_base = 16, b"0123456789abcdef", b"p", 2
        text = text[2:]
    mantissa, has_exponent, exponent_text = text.partition(letter)
    whole, _, part = mantissa.partition(b".")
    if not whole + part or any(byte not in digits for byte in whole + part):
        return None
    power = 0
    if has_exponent:
        unsigned = exponent_text[1:] if exponent_text[:1] in (b"+", b"-") else exponent_text
        if not unsigned or any(byte not in b"0123456789" for byte in unsigned):
            return None
        power = int(exponent_text)
    # Beyond these powers everything is 0 or inf, unless the mantissa has that many digits too.
    power = max(min(power, 100_000), -100_000)
    value = Fraction(int(whole + part, base), base ** len(part)) * Fraction(exponent_base) ** power
    return sign * nearest_double(value)


def nearest_double(value: Fraction) -> float:
    """The double nearest to a fraction >= 0, ties to even; inf from the middle above the largest on."""
    if value == 0:
        return 0.0
    if value >= Fraction(2**1024 - 2**970):
        return float("inf")
    if value < Fraction(1, 2**1080):
        return 0.0
    return value.numerator / value.denominator  # Python rounds quotients of integers exactly


def single(value: float) -> float:
    """The value as a 32-bit float holds it."""
    try:
        return float(struct.unpack("<f", struct.pack("<f", value))[0])
    except OverflowError:
        return float("inf") if value > 0 else float("-inf")


@dataclass
class PlainTopic:
    """What a run has for a judged topic: (rank, docno) of the judged documents in rank order."""

    num_ret: int
    judged: list[tuple[int, bytes]]


@dataclass
class PlainRun:
    """A run, read and ranked."""

    topics: dict[bytes, PlainTopic] = field(default_factory=dict)
    tag: bytes = b""
    num_lines: int = 0
    unjudged: list[bytes] = field(default_factory=list)
    longer_line: int | None = None


def read_run(
    data: bytes,
    judged: dict[bytes, set[bytes]],
    compat: str = "9.0.8",
    most: int | None = None,
    ascending: bool = False,
) -> PlainRun:
    """Read and rank a run, one document at a time."""
    run = PlainRun()
    retrieved: dict[bytes, list[tuple[float, bytes]]] = {}
    for row in rows_of(data, 6, more=True):
        topic, _, docno, _, score_text, tag = row.fields[:6]
        score = number(score_text)
        if score is None:
            raise PlainError(row.number, "score")
        if len(row.fields) > 6 and run.longer_line is None:
            run.longer_line = row.number
        retrieved.setdefault(topic, []).append((single(score) if compat == "9.0.8" else score, docno))
        run.tag = tag
        run.num_lines += 1
    if not run.num_lines:
        raise PlainError(0, "empty")
    run.unjudged = sorted(topic for topic in retrieved if topic not in judged)
    for topic in sorted(topic for topic in retrieved if topic in judged):
        ranking = ranked(retrieved[topic], ascending)
        cut = ranking if most is None else ranking[:most]
        if any(count > 1 for count in Counter(cut).values()):
            raise PlainError(0, "duplicate")
        documents = [(rank, docno) for rank, docno in enumerate(ranking, 1) if docno in judged[topic]]
        run.topics[topic] = PlainTopic(len(ranking), documents)
    return run


def ranked(documents: list[tuple[float, bytes]], ascending: bool = False) -> list[bytes]:
    """The tie rule: score descending, then docno descending (ascending for preferences)."""
    by_docno = sorted(documents, key=lambda pair: pair[1], reverse=not ascending)
    return [docno for _, docno in sorted(by_docno, key=lambda pair: -pair[0])]


@dataclass
class PlainQrels:
    """Grades by topic and document, and the lines that judge a document again: (first line, this line)."""

    grades: dict[bytes, dict[bytes, int]] = field(default_factory=dict)
    duplicates: list[tuple[bytes, bytes, int, int]] = field(default_factory=list)
    num_positive: int = 0
    """Lines with a relevance above 0, also those that judge a document again."""


def read_qrels(data: bytes) -> PlainQrels:
    """Read judgements, one line at a time; of several judgements of a document the first counts."""
    qrels = PlainQrels()
    first: dict[tuple[bytes, bytes], int] = {}
    for row in rows_of(data, 4):
        topic, _, docno, grade = row.fields
        digits = grade[1:] if grade[:1] in (b"+", b"-") else grade
        if not digits or any(byte not in b"0123456789" for byte in digits) or abs(int(grade)) >= 2**63:
            raise PlainError(row.number, "relevance")
        qrels.num_positive += int(grade) > 0
        if (topic, docno) in first:
            qrels.duplicates.append((topic, docno, first[topic, docno], row.number))
            continue
        first[topic, docno] = row.number
        qrels.grades.setdefault(topic, {})[docno] = int(grade)
    if not first:
        raise PlainError(0, "empty")
    return qrels


NOT_IN_IDS = frozenset(b"\0" + SPACES)
PREFIX = b"a-very-long-prefix-that-all-these-ids-share-en0000-00-00000-and-more"
ENDINGS = st.binary(min_size=1, max_size=4).filter(lambda text: not NOT_IN_IDS & set(text))
IDS = st.one_of(
    st.sampled_from([b"a", b"b", b"A", b"d1", b"d10", b"d2", b"12345678", b"123456789", b"1234567812345678"]),
    ENDINGS,
    st.builds(lambda length, ending: PREFIX[:length] + ending, st.integers(0, 66), ENDINGS),
)
TOPICS = st.sampled_from([b"1", b"10", b"2", b"a-topic-with-a-name-1", b"a-topic-with-a-name-2", b"\xff"])
SEPARATORS = st.sampled_from([b" ", b" ", b" ", b"\t", b"  ", b" \t ", b"\v", b"\f", b"\r", b" \r\v"])
LINE_ENDS = st.sampled_from([b"\n", b"\n", b"\n", b"\r\n", b" \n", b"\t\r\n"])
NOISE = st.sampled_from(
    [
        *(b"\n", b"\r\n", b" \t\n", b"# a comment\n", b"#\n", b" #x y\n", b"\t# 1 0 a 1\n"),
        *(b"#1 Q0 d 1 1.0 t\r\n", b"\v\f\n", b"# " + b"x" * 90 + b"\n"),
    ]
)
PLAIN_SCORES = st.sampled_from([b"1.0", b"2.0", b"2.5", b"3", b"0.5", b"-1.25", b"10.125", b"2.50", b"+2.5"])
ODD_SCORES = st.one_of(
    st.floats(allow_nan=False).map(lambda value: repr(value).encode()),
    st.sampled_from([b"inf", b"-inf", b"Infinity", b"1e400", b"-1e-400", b"16777217", b"16777216", b"0x1p4"]),
    st.sampled_from(
        [b".5", b"5.", b"1E5", b"-0", b"0", b"3.4028236e38", b"1e39", b"00000000000000000000001"]
    ),
)


@st.composite
def run_files(draw: st.DrawFn, scores: st.SearchStrategy[bytes] | None = None, most: int = 30) -> bytes:
    """The bytes of a run without faults: every topic's documents once, lines in any order, in any layout."""
    scores = scores or draw(st.sampled_from([PLAIN_SCORES, ODD_SCORES]))
    documents = draw(st.lists(st.tuples(TOPICS, IDS), min_size=1, max_size=most, unique=True))
    if draw(st.booleans()):
        documents.sort(key=lambda pair: pair[0])
    plain = draw(st.booleans())
    separators, ends = (st.just(b" "), st.just(b"\n")) if plain else (SEPARATORS, LINE_ENDS)
    lines = [BYTE_ORDER_MARK] if draw(st.integers(0, 9)) == 0 else []
    for topic, docno in documents:
        if not plain and draw(st.integers(0, 3)) == 0:
            lines.append(draw(NOISE))
        fields = [topic, b"Q0", docno, b"1", draw(scores), draw(st.sampled_from([b"tag", b"t", b"#9"]))]
        if not plain and draw(st.integers(0, 5)) == 0:
            fields.append(b"more of it")
        separator = draw(separators)
        lead = b"" if plain else draw(st.sampled_from([b"", b"", b" ", b"\t"]))
        lines.append(lead + separator.join(fields) + draw(ends))
    data = b"".join(lines)
    return data if draw(st.booleans()) else data.removesuffix(b"\n")


def judgements_for(data: bytes, draw: Callable[[st.SearchStrategy[Any]], Any]) -> dict[bytes, set[bytes]]:
    """Some documents of the run, and some that it lacks, of some of its topics and others."""
    judged: dict[bytes, set[bytes]] = {b"1": {b"nobody-retrieved-this"}}
    for row in lines_of(data):
        topic, docno = row.fields[0], row.fields[2]
        if draw(st.integers(0, 2)):
            judged.setdefault(topic, set()).add(docno)
    dropped = draw(TOPICS)
    return {topic: documents for topic, documents in judged.items() if topic != dropped or len(judged) == 1}


class SmallSource(File):
    """A file that comes in chunks of about `small` bytes, so that lines and topics are cut everywhere."""

    def __init__(self, path: Path | str, small: int) -> None:
        super().__init__(str(path))
        self._small = small

    def chunks(
        self, start: int = 0, stop: int | None = None, cut: Cut = behind_last_line, size: int = 0
    ) -> Generator[Chunk, None, None]:
        """The file in small chunks, whatever size is asked for."""
        yield from super().chunks(start, stop, cut, self._small)
