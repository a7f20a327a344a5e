"""Files with lines of topics: their groups, weights, Nmax and other numbers, and medians of measures."""

from __future__ import annotations

import io
import math
import re
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from pres_eval.errors import InputError, decimal_comma, number_of, plural, quoted
from pres_eval.reading.file import File
from pres_eval.reading.formats.csv_rows import separated_rows, separator_of_lines
from pres_eval.reading.numbers import read_number
from pres_eval.records import dataclass

TOPIC_HEADINGS = ("topic", "topic_id", "topicid", "qid", "query", "query_id", "query-id", "queryid", "id")
"""Names of the column of topics in a header."""

CONCORDANCE_QUOTE = "þ"
"""Quotation mark around each cell of a Concordance load file (.DAT); \\x14, shown as ¶, separates cells."""

MACRO_MEAN, WORST_GROUP = "macro", "worst"
"""Names of the mean over groups, and of the worst of them, in output; no group may have them."""

LARGEST_WEIGHT = 1e15
"""Largest weight: a sum with larger ones, of some 16 digits, would have none left for small weights."""


@dataclass(frozen=True, eq=False)
class Groups:
    """Groups of topics.

    path    the file
    topics  the topics of each group, by its name, in the order of the file
    """

    path: str
    topics: dict[str, frozenset[bytes]]


@dataclass(frozen=True, eq=False)
class Weights:
    """Weights of topics, or other numbers of theirs, such as Nmax.

    path  the file
    of    the number of each topic, at least 0
    """

    path: str
    of: dict[bytes, float]


def read_groups(path: str) -> Groups:
    """Return the groups in lines `topic group`; a topic has a line for each of its groups.

    A CSV file with a header may have more columns: then each is a way to group topics, and its groups are
    called `column=value`.  Raises InputError for other lines, and for a name that no group may have.
    """
    header, rows = _rows(path, "topic group", more_columns=True)
    columns = [""]
    if len(header) > 2:
        columns = header[1:]
    topics: dict[str, set[bytes]] = {}
    for line, (topic, *groups) in rows:
        for column, group in zip(columns, groups, strict=True):
            if not group:
                continue
            name = f"{column}={group}" if column else group
            check_name(path, line, name)
            topics.setdefault(name, set()).add(encoded(topic))
    return Groups(path, {name: frozenset(topics_of_group) for name, topics_of_group in topics.items()})


def check_name(path: str, line: int | None, name: str) -> None:
    """Raise InputError for a name that no group may have."""
    has_wrong_sign = any(sign in name for sign in BLANKS + "[]")
    if name in (MACRO_MEAN, WORST_GROUP) or has_wrong_sign:
        expected = f"a name without blanks or [ ], not {MACRO_MEAN} or {WORST_GROUP}"
        raise InputError(path, line, f"group {quoted(name)}", expected)


def read_weights(path: str, what: str = "weight") -> Weights:
    """Return the weights in lines `topic weight`, or other numbers.

    what  the word for these numbers, by which `check_weight` tells which are allowed
    Raises InputError for other lines, or a topic that comes twice.
    """
    _, rows = _rows(path, f"topic {what}")
    weights: dict[bytes, float] = {}
    for line, (topic, text) in rows:
        if encoded(topic) in weights:
            raise InputError(path, line, f"topic {quoted(topic)} again", "each topic once")
        weights[encoded(topic)] = check_weight(path, line, text, what)
    return Weights(path, weights)


def check_weight(path: str, line: int | None, value: Any, what: str = "weight") -> float:
    """Return the number of a topic that a text or a value is.

    what  the word for it: weight, rank, or another one
    A weight is at least 0, a rank whole and at least 0 (the rank of a stop before anything was read), any
    other number whole and above 0.  Raises InputError for others.
    """
    weight = number_of(value)
    if what == "rank" and not (weight >= 0 and weight.is_integer()):
        raise InputError(path, line, f"{what} {quoted(str(value))}", "a whole number of at least 0")
    if what not in ("weight", "rank") and not (weight >= 1 and weight.is_integer()):
        raise InputError(path, line, f"{what} {quoted(str(value))}", "a whole number above 0")
    if not 0 <= weight <= LARGEST_WEIGHT:
        advice = decimal_comma(str(value)).removeprefix("; ")
        expected = f"a number of at least 0, at most {LARGEST_WEIGHT:g}"
        raise InputError(path, line, f"{what} {quoted(str(value))}", expected, advice)
    return weight


def check_groups(groups: Groups, judged: Sequence[bytes]) -> str | None:
    """Return the warning about groups and judged topics that differ, None if there is none.

    Raises InputError if no judged topic is in a group.
    """
    judged_topics = set(judged)
    grouped = set().union(*groups.topics.values())
    if not judged_topics & grouped:
        problem = "no groups"
        if grouped:
            problem = f"topics such as {quoted(min(grouped))}"
        raise InputError(groups.path, None, problem, f"topics of the judgements, such as {quoted(judged[0])}")
    parts = []
    ungrouped, unjudged = judged_topics - grouped, grouped - judged_topics
    if ungrouped:
        example = quoted(min(ungrouped))
        parts.append(f"topics of the judgements without a group: {len(ungrouped)} (such as {example})")
    if unjudged:
        parts.append(f"topics of it without judgements: {len(unjudged)} (such as {quoted(min(unjudged))})")
    if not parts:
        return None
    return f"{groups.path}: {'; '.join(parts)}"


def check_weights(weights: Weights, judged: Sequence[bytes]) -> Weights:
    """Return the weights; raise InputError if a topic has none, or all of them weigh 0.

    judged  the topics that need one: those of the judgements, or those that are compared
    """
    missing = [topic for topic in judged if topic not in weights.of]
    if missing:
        problem = f"no weight for {len(missing)} of {plural(len(judged))}, such as {quoted(missing[0])}"
        raise InputError(weights.path, None, problem, "one for each")
    if not any(weights.of[topic] for topic in judged):
        raise InputError(weights.path, None, f"the weight 0 for all {plural(len(judged))}", "one above 0")
    return weights


def encoded(text: str) -> bytes:
    """Return the bytes that a text has in a file of UTF-8, also those that are no UTF-8."""
    return text.encode("utf-8", "surrogateescape")


def _rows(
    path: str, columns: str, *, more_columns: bool = False
) -> tuple[list[str], Iterator[tuple[int, list[str]]]]:
    """Return the header, [] if there is none, and the other rows with their lines, all of the same length.

    columns       names of the two columns, for messages
    more_columns  whether a header may have more
    Raises InputError for rows of another length, and for a topic with blanks if other signs separate columns.
    """
    rows, separator = read_cells(path, columns)
    _, first = rows[0]
    has_index = separator is not None and not first[0]  # as pandas writes that of a frame
    if has_index:
        rows = [(number, row[1:]) for number, row in rows]
        first = first[1:]
    header: list[str] = []
    if has_index or first[0].casefold() in TOPIC_HEADINGS:
        header = first
    width = 2
    if more_columns:
        width = max(len(header), 2)
    for number, row in rows:
        if len(row) != width:
            expected = f"{width} ({columns})" if width == 2 else f"{width} as in the heading"
            raise InputError(File(path).name, number, plural(len(row), "column"), expected)
        if not row[0]:
            raise InputError(File(path).name, number, "no topic", "one in each line")
        if separator is not None and set(row[0]) & set(" \t"):
            line = separator.join(row)
            advice = decimal_comma(words_of(line)[-1]).removeprefix("; ")
            raise InputError(File(path).name, number, quoted(line), f"{width} columns ({columns})", advice)
    if header:
        rows = rows[1:]
    return header, iter(rows)


BLANKS = " \t\n\v\f\r"
"""Characters that C's isspace takes for blanks: other blanks, such as U+00A0 and U+2028, are part of ids."""


def lines_of(text: str) -> list[str]:
    r"""Return the lines of a text, which end in \n, \r\n or \r; Python's splitlines knows more ends."""
    return re.split("\r\n?|\n", text)


def words_of(line: str) -> list[str]:
    """Return the words of a line, which only BLANKS separate."""
    return re.findall("[^ \t-\r]+", line)


def read_cells(path: str, columns: str) -> tuple[list[tuple[int, list[str]]], str | None]:
    """Return the rows of a file with their lines, and the separator of their columns, None for blanks.

    The separator is a tab, comma or semicolon: the one that gives all lines as many columns, or else the
    first of these that the first line has.  In a file of Concordance it is what is between its quotation
    marks.

    columns  names of the expected columns, for messages
    Raises InputError if there are no rows.
    """
    source = File(path)
    text = decoded(b"".join(chunk.text() for chunk in source.chunks()))
    lines = lines_of(text)
    first = next((line for line in lines if words_of(line) and not line.startswith("#")), "")
    no_rows_error = InputError(source.name, None, "no lines", f"lines of {columns}")
    if not first:
        raise no_rows_error
    quote, possible_separators = '"', "\t,;"
    if first[0] == CONCORDANCE_QUOTE:
        quote = CONCORDANCE_QUOTE
        # A line such as þDocIDþ¶þTitleþ: what follows the second mark separates the cells.
        parts = first.split(CONCORDANCE_QUOTE, 3)
        possible_separators = parts[2] if len(parts) > 2 else ""
    separators = [sign for sign in possible_separators if sign in first]
    separator = separator_of_lines(encoded(text), least=2)
    if separator not in separators:
        separator = next(iter(separators), None)
    numbered: Iterable[tuple[int, list[str]]] = enumerate(map(words_of, lines), 1)
    if separator is not None:
        numbered = separated_rows(source.name, io.StringIO(text), f"lines of {columns}", separator, quote)
    rows = []
    for number, cells in numbered:
        row = [cell.strip(BLANKS) for cell in cells]
        if any(row) and not row[0].startswith("#"):
            rows.append((number, row))
    if not rows:  # all cells are empty, or comments
        raise no_rows_error
    return rows, separator


def decoded(data: bytes, errors: str = "surrogateescape") -> str:
    """Return the text of a file in UTF-8, or in UTF-16 or Latin-1 as other programs write it.

    errors  what becomes of bytes that are no text, as for bytes.decode
    """
    encoding = _encoding_of(data[:4])
    if encoding.startswith("utf-16"):
        # If the last byte of a file is no line feed, reading adds one: then the number of bytes is odd.
        num_whole = len(data) // 2 * 2
        data = data[:num_whole]
        errors = "replace"  # surrogateescape keeps single bytes alone
    return data.decode(encoding, errors)


def _encoding_of(start: bytes) -> str:
    """Return the encoding of a text by its first four bytes."""
    for encoding in ("utf-16-le", "utf-16-be"):
        if _is_latin(start, encoding):  # without a byte order mark: every other byte of Latin letters is NUL
            return encoding
    if start.startswith((b"\xff\xfe", b"\xfe\xff")):
        return "utf-16"
    if start.startswith(b"\xfe"):  # CONCORDANCE_QUOTE
        return "latin-1"
    return "utf-8-sig"


def _is_latin(start: bytes, encoding: str) -> bool:
    """Return whether the first four bytes of a file are two characters of Latin-1 in this encoding."""
    text = start.decode(encoding, "replace")
    return len(text) == 2 and all("\t" <= letter <= "ÿ" for letter in text)


MEDIANS_LAYOUT = "`measure topic median`, or a heading `topic best median worst` with a line for each topic"
"""The two layouts of files of medians, for messages."""

MEDIAN = b"median"
"""Name of a column of medians, or its end."""

MEASURE_OF_MEDIANS = "map"
"""The measure of a table whose heading names none."""

Medians = dict[str, dict[bytes, float]]
"""By label of a measure, the median of each topic."""


def read_medians(source: File) -> Medians:
    """Return the medians of a file in one of two layouts, with columns between blanks, tabs or commas.

    Lines of three columns, `measure topic median`, are what `-q` prints.  A table begins with a heading whose
    first column is `topic`; a column `median` is of average precision, `LABEL` or `LABEL_median` of that
    measure; columns named best, worst, min, max or mean, alone or after `LABEL_`, are passed over.
    Raises InputError for a line that is neither, for a number that is none, and for a topic given twice.
    """
    text = decoded(b"".join(chunk.text() for chunk in source.chunks()))
    rows: list[tuple[int, list[bytes]]] = []
    for number, line in enumerate(encoded(text).split(b"\n"), 1):
        fields = line.replace(b",", b" ").split()
        if fields and not line.lstrip().startswith(b"#"):
            rows.append((number, fields))
    if not rows:
        raise InputError(source.name, None, "nothing in the file", MEDIANS_LAYOUT)
    medians: Medians = {}
    heading_line, heading = rows[0]
    if heading[0].lower() != b"topic":
        for number, fields in rows:
            if len(fields) != 3:
                raise InputError(source.name, number, plural(len(fields), "column"), MEDIANS_LAYOUT)
            label, topic, median = fields
            if topic != b"all":
                _add(medians, source.name, number, _text(label), topic, median)
        return medians
    columns = _columns(source.name, heading_line, heading)
    for number, fields in rows[1:]:
        if len(fields) != len(heading):
            expected = f"{len(heading)} as in the heading"
            raise InputError(source.name, number, plural(len(fields), "column"), expected)
        for column, label_of_column in columns:
            _add(medians, source.name, number, label_of_column, fields[0], fields[column])
    return medians


PASSED_OVER = (b"best", b"worst", b"min", b"max", b"mean")
"""Names of columns of other statistics than medians."""


def _columns(name: str, line: int, heading: Sequence[bytes]) -> list[tuple[int, str]]:
    """Return the columns of a heading that hold medians, each with the label of its measure.

    name, line  where the heading is, for messages
    Raises InputError if there is none.
    """
    columns = []
    for column, field in enumerate(heading[1:], 1):
        label, _, what = field.rpartition(b"_")
        if field.lower() == MEDIAN:
            columns.append((column, MEASURE_OF_MEDIANS))
        elif label and what.lower() == MEDIAN:
            columns.append((column, _text(label)))
        elif field.lower() not in PASSED_OVER and what.lower() not in PASSED_OVER:
            columns.append((column, _text(field)))
    if not columns:
        raise InputError(name, line, "no column of medians", "one called median or after a measure")
    return columns


def _add(medians: Medians, name: str, line: int, label: str, topic: bytes, text: bytes) -> None:
    """Add the median of a topic to those of its label.

    name, line  where it is, for messages
    Raises InputError for a text that is no number, and for a topic that has one already.
    """
    value = read_number(text)
    if value is None or not math.isfinite(value):
        raise InputError(name, line, quoted(text), f"a number, the median of {label}")
    by_topic = medians.setdefault(label, {})
    if topic in by_topic:
        raise InputError(name, line, f"topic {quoted(topic)} a second time", f"one median of {label} a topic")
    by_topic[topic] = value


def _text(label: bytes) -> str:
    """Return a label as text, of which `encoded` makes the same bytes."""
    return label.decode("utf-8", "surrogateescape")
