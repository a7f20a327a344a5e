"""Descriptions of runs in the headers of their files, and texts of topics and documents in files of texts."""

from __future__ import annotations

import contextlib
import io
import json
import re
from collections import Counter
from collections.abc import Mapping, Sequence
from typing import Any

from pres_eval.errors import InputError, quoted
from pres_eval.reading.file import BYTE_ORDER_MARK, File
from pres_eval.reading.formats.csv_rows import separated_rows
from pres_eval.reading.headings import pick, plain
from pres_eval.reading.topic_files import BLANKS, TOPIC_HEADINGS, decoded, encoded, lines_of, words_of

MARK = "# "
"""Beginning of a line of a header."""


def header_of(path: str) -> dict[str, str]:
    """Return the values of a file's header by key, of lines `# key: value` at its beginning.

    The header is like YAML: the key of a line that is indented below another one follows that one's key and a
    point: `platform.os`.  Items of a list (`- name: x`) are numbered: `retrieval.1.name`.  A key that comes
    again keeps its first value.  Lines of `#` without a blank behind it are left out.

    Worked example: the lines `# tag: t`, `# retrieval:`, `#   - name: bm25`, `#     b: 0.4` have the values
    tag: t, retrieval.1.name: bm25, retrieval.1.b: 0.4.

    Returns {} for a file that cannot be read.  Of a long header the first 64 KiB are read.
    """
    try:
        lines = File(path).head().removeprefix(BYTE_ORDER_MARK).decode("utf-8", "replace").split("\n")
    except InputError:
        return {}
    values: dict[str, str] = {}
    above: list[tuple[float, str]] = []
    """The entries that the present line is in, outermost first: the indent and the key of each."""
    num_items: Counter[str] = Counter()
    """By the key of a list how many items it has so far."""
    for line in lines:
        if not line.startswith("#"):
            break
        if not line.startswith(MARK):
            continue
        text = line.removeprefix(MARK)
        item = re.match(r"\s*- +(?=\S)", text)
        if not above:  # a list has a key, and stands below it
            item = None
        if item is not None:
            # An item may be as far to the right as the key of its list: half a column more puts it below.
            indent_of_item = text.index("-") + 0.5
            above = _entries_around(above, indent_of_item)
            list_key = _path(above)
            num_items[list_key] += 1
            above.append((indent_of_item, str(num_items[list_key])))
            text = " " * item.end() + text[item.end() :]
        colon_of_key = ": "  # an item may be a text with a colon, such as an address
        if item is None:
            colon_of_key = ":"
        # With a blank at the end, a key without a value has a colon and a blank as well.
        key, colon, value = f"{text.rstrip()} ".partition(colon_of_key)
        if colon:
            indent = len(key) - len(key.lstrip())
            above = _entries_around(above, indent)
            above.append((indent, key.strip()))
        elif item is not None:
            value = key
        if value.strip():
            values.setdefault(_path(above), value.strip())
    return values


def _entries_around(above: list[tuple[float, str]], indent: float) -> list[tuple[float, str]]:
    """Return the entries that a line with this indent is in, of those that the line before is in."""
    return [(indent_above, key) for indent_above, key in above if indent_above < indent]


def _path(above: list[tuple[float, str]]) -> str:
    """Return the whole key of the last of some entries, each of which has its indent and its key alone."""
    return ".".join(key for _, key in above)


IDS = ("_id", "id", "docno", "doc_id", "docid", "topic", "topic_id", "qid", "query_id", "num")
FIELDS_OF_TEXTS = ("title", "query", "text", "contents")
"""Names of the fields of JSON records for the id and for the text, the preferred one first."""

TEXTS_LAYOUT = "an id and a text apart by a tab or blanks, CSV, JSON objects, or TREC topics"
"""What a file of texts should have, for messages."""

TREC_TOPIC = re.compile(
    r"<num>\s*(?:Number:)?\s*(\S+?)\s*(?=<).*?<title>\s*(?:Topic:)?\s*(.*?)\s*<", re.I | re.S
)
"""A topic of TREC: its number and its title."""


def read_texts(path: str) -> dict[bytes, str]:
    """Return texts by id, of lines `id text`, CSV, JSON, or TREC topics with <num> and <title>.

    Of an id that comes twice, the last text counts.  In CSV a text may be empty.
    Raises InputError for other lines and records, and if there is no text.
    """
    whole = decoded(b"".join(chunk.text() for chunk in File(path).chunks()))
    if re.search("<top>|<num>", whole, re.IGNORECASE):
        texts = {name: " ".join(text.split()) for name, text in TREC_TOPIC.findall(whole)}
    elif whole.lstrip().startswith("["):
        texts = _of_list(path, whole)
    else:
        lines = [(number, line) for number, line in enumerate(lines_of(whole), 1) if words_of(line)]
        separator = _separator([line for _, line in lines])
        if separator is None:
            texts = dict(_pair(path, number, line) for number, line in lines)
        else:
            texts = _of_rows(path, whole, separator)
    if not texts:
        raise InputError(path, None, "no text", TEXTS_LAYOUT)
    return {encoded(name): text for name, text in texts.items()}


def _separator(lines: Sequence[str]) -> str | None:
    """Return the semicolon or comma that follows the first word of all lines; None if neither does.

    A line without a first word may be an empty row; a heading may have several words.
    """
    for sign in ";,":
        first_cell = re.compile(rf'\s*(?:"[^"]*"|[^\s;,"{{]*){sign}')
        rows = lines
        if lines and sign in lines[0] and _is_heading_of_ids(lines[0].partition(sign)[0]):
            rows = lines[1:]
        if lines and all(map(first_cell.match, rows)):
            return sign
    return None


def _is_heading_of_ids(cell: str) -> bool:
    """Return whether the first cell of CSV is the heading of a column of ids."""
    return plain(cell) in map(plain, (*IDS, *TOPIC_HEADINGS))


def _of_rows(path: str, text: str, separator: str) -> dict[str, str]:
    """Return the texts of CSV by id.

    The first row may name the columns; else the second column has the texts.  In the last column separators
    are part of the text.  Blank lines are left out.
    """
    numbered_rows = separated_rows(path, io.StringIO(text), TEXTS_LAYOUT, separator)
    rows = [(line, cells) for line, cells in numbered_rows if _without_empty_end(cells)]
    column_of_text = last_column = 1
    first_cells = [""]
    if rows:
        _, first_cells = rows[0]
    if _is_heading_of_ids(first_cells[0]):
        heading = pick(first_cells[1:], FIELDS_OF_TEXTS)
        if heading is not None:
            column_of_text = first_cells.index(heading)
        last_column = len(_without_empty_end(first_cells)) - 1
        del rows[0]
    texts = {}
    for line, cells in rows:
        if len(cells) <= column_of_text or not cells[0].strip():
            raise InputError(path, line, quoted(separator.join(cells)), TEXTS_LAYOUT)
        text_of_row = cells[column_of_text]
        if column_of_text >= last_column:  # nobody quoted the text: what is cut here belongs to it
            text_of_row = separator.join(_without_empty_end(cells[column_of_text:]))
        texts[cells[0].strip()] = " ".join(text_of_row.split())
    return texts


def _without_empty_end(cells: Sequence[str]) -> Sequence[str]:
    """Return the cells without the empty ones at the end, with which spreadsheets fill rows."""
    num_cells = len(cells)
    while num_cells and not cells[num_cells - 1].strip():
        num_cells -= 1
    return cells[:num_cells]


def _of_list(path: str, text: str) -> dict[str, str]:
    """Return the texts of a list of records in JSON by id."""
    try:
        records = json.loads(text)
    except ValueError as error:
        raise InputError(path, None, f"no JSON ({error})", TEXTS_LAYOUT) from None
    texts: dict[str, str] = {}
    for number, record in enumerate(records, 1):
        name, text_of_record = _fields_of_record(record)
        if not name or not text_of_record:
            shown = json.dumps(record, ensure_ascii=False)
            raise InputError(path, None, f"record {number}, {quoted(shown)}", TEXTS_LAYOUT)
        texts[name] = text_of_record
    return texts


def _pair(path: str, number: int, line: str) -> tuple[str, str]:
    """Return the id and the text of a line: separated, or a JSON record; raise InputError."""
    name = text = ""
    if line.lstrip().startswith("{"):
        with contextlib.suppress(ValueError):
            name, text = _fields_of_record(json.loads(line))
    elif "\t" in line:
        name, _, text = line.partition("\t")
    else:
        name, *texts = re.split("[ \v\f]+", line.strip(BLANKS), maxsplit=1)
        text = "".join(texts)
    name, text = name.strip(BLANKS), text.strip()
    if not name or not text:
        raise InputError(path, number, quoted(line), TEXTS_LAYOUT)
    return name, text


def _fields_of_record(record: Any) -> tuple[str, str]:
    """Return the id and the text of a record in JSON, "" for those that it lacks."""
    if not isinstance(record, dict):
        return "", ""
    return _first_field(record, IDS).strip(BLANKS), _first_field(record, FIELDS_OF_TEXTS).strip()


def _first_field(fields: Mapping[str, Any], names: Sequence[str]) -> str:
    """Return the value of the first of these names that has one in a JSON record, "" if none has.

    None, a blank text, and an empty list or object are no value; the number 0 is one.
    """
    for name in names:
        value = fields.get(name)
        if value in (None, [], {}):
            continue
        text = str(value)
        if text.strip():
            return text
    return ""
