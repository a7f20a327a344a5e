"""Descriptions of a run, in the header of its file, and texts of topics and documents, in files of these."""

from __future__ import annotations

import io
import json
import re
from collections import Counter
from collections.abc import Sequence

from pres_eval.errors import InputError, quoted
from pres_eval.reading.file import File
from pres_eval.reading.formats.csv_rows import separated_rows
from pres_eval.reading.headings import pick, plain
from pres_eval.reading.topic_files import BLANKS, TOPIC_HEADINGS, decoded, encoded, lines_of, words_of

MARK = "# "


def header_of(path: str) -> dict[str, str]:
    """Return the values of a file's header by key: of its leading lines those that begin with `# ` and have a
    colon.

    The key of a line that is indented below another entry follows that key and a point: `platform.os`.  Items
    of a list are numbered: `retrieval.1.name`.  A key that comes again keeps its first value.  Nothing of a
    file that cannot be read; of long headers 64 KiB.
    """
    try:
        lines = File(path).head().removeprefix(b"\xef\xbb\xbf").decode("utf-8", "replace").split("\n")
    except InputError:
        return {}
    values: dict[str, str] = {}
    above: list[tuple[float, str]] = []
    items: Counter[str] = Counter()
    for line in lines:
        if not line.startswith("#"):
            break
        if not line.startswith(MARK):
            continue
        text = line.removeprefix(MARK)
        item = re.match(r"\s*- +(?=\S)", text)
        if not above:
            item = None
        if item is not None:  # it may be as far to the right as the key of its list
            indent_of_item = text.index("-") + 0.5
            above = [entry for entry in above if entry[0] < indent_of_item]
            parent = _path(above)
            items[parent] += 1
            above.append((indent_of_item, str(items[parent])))
            text = " " * item.end() + text[item.end() :]
        colon_of_key = ": "
        if item is None:
            colon_of_key = ":"
        key, colon, value = f"{text.rstrip()} ".partition(colon_of_key)
        if colon:
            indent = len(key) - len(key.lstrip())
            above = [*(entry for entry in above if entry[0] < indent), (indent, key.strip())]
        elif item is not None:
            value = key
        if value.strip():
            values.setdefault(_path(above), value.strip())
    return values


def _path(above: list[tuple[float, str]]) -> str:
    """Return the key of the last of the entries, each of which has its indent and its own key."""
    return ".".join(name for _, name in above)


IDS = ("_id", "id", "docno", "doc_id", "docid", "topic", "topic_id", "qid", "query_id", "num")
FIELDS_OF_TEXTS = ("title", "query", "text", "contents")
"""Names of the fields of JSON lines, the preferred one first."""

TEXTS_LAYOUT = "an id and a text apart by a tab or blanks, CSV, JSON objects, or TREC topics"
TREC_TOPIC = re.compile(
    r"<num>\s*(?:Number:)?\s*(\S+?)\s*(?=<).*?<title>\s*(?:Topic:)?\s*(.*?)\s*<", re.I | re.S
)


def read_texts(path: str) -> dict[bytes, str]:
    """Read texts by id: lines `id text`, JSON lines, or TREC topics with <num> and <title>.

    Raises InputError for a line without a text.
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
    """Return the semicolon or comma that follows the first word of all lines; None for others."""
    for sign in ";,":
        if lines and all(re.match(rf'(?:"[^"]*"|[^\s;,"{{]+){sign}', line) for line in lines):
            return sign
    return None


def _of_rows(path: str, text: str, separator: str) -> dict[str, str]:
    """Return the texts of CSV, whose first row may name its columns; separators in the last one are text."""
    rows = list(separated_rows(path, io.StringIO(text), TEXTS_LAYOUT, separator))
    column_of_text = last_column = 1
    if rows and plain(rows[0][1][0]) in map(plain, (*IDS, *TOPIC_HEADINGS)):
        heading = pick(rows[0][1][1:], FIELDS_OF_TEXTS)
        if heading is not None:
            column_of_text = rows[0][1].index(heading)
        last_column = len(_without_empty_end(rows[0][1])) - 1
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
    """Return the texts of a list of records in JSON."""
    try:
        records = json.loads(text)
    except ValueError as error:
        raise InputError(path, None, f"no JSON ({error})", TEXTS_LAYOUT) from None
    return dict(_pair(path, number, json.dumps(record)) for number, record in enumerate(records, 1))


def _pair(path: str, number: int, line: str) -> tuple[str, str]:
    """Return the id and the text of a line: separated, or a JSON record; raise InputError."""
    parts = line.split("\t", 1) if "\t" in line else re.split("[ \v\f]+", line.strip(BLANKS), maxsplit=1)
    if line.lstrip().startswith("{"):
        try:
            fields = json.loads(line)
        except ValueError:
            fields = {}
        parts = [
            str(next((fields[name] for name in names if fields.get(name)), ""))
            for names in (IDS, FIELDS_OF_TEXTS)
        ]
    if len(parts) < 2 or not all(parts):
        raise InputError(path, number, quoted(line), TEXTS_LAYOUT)
    return parts[0].strip(BLANKS), parts[1].strip()
