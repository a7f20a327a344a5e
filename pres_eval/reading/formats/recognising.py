"""Recognition of a file's format by its beginning."""

from __future__ import annotations

import json
import re
from collections.abc import Iterator, Sequence
from typing import Any

from pres_eval.errors import InputError
from pres_eval.reading.blocks import Block, FileFormat
from pres_eval.reading.file import BYTE_ORDER_MARK, HEAD, File
from pres_eval.reading.formats.delimited import read_beir, read_msmarco
from pres_eval.reading.formats.engines import BEGINNING_OF_EXPORT
from pres_eval.reading.formats.json_records import is_record, records_of_table
from pres_eval.reading.formats.json_text import SHAPE, SHAPE_OF_LISTS, read_json, read_json_lines
from pres_eval.reading.formats.parquet import read_parquet
from pres_eval.reading.formats.separated import read_by_number, read_csv, read_words
from pres_eval.reading.formats.table_columns import columns_of
from pres_eval.reading.formats.table_heads import head_of_table
from pres_eval.reading.headings import DOCNO, DOCNOS, GRADE, RANK, SCORE, TOPIC, Naming, Role
from pres_eval.reading.run_files import PARQUET_MAGIC

LOOKED_AT_LINES = 20
"""Lines at the beginning of a file that are looked at."""

LONGEST_RECORD = 1 << 22
"""Bytes in which the first record of a list has to end, to be recognised."""

COLUMNS_OF_TABLES = (TOPIC, DOCNO, SCORE, RANK, GRADE)
"""An object in JSON is a table with a list for each column if its first key is a heading of these kinds.

Other objects with lists have a list of documents for each topic.
"""

JSON_LISTS, JSON_RECORDS, JSON_EXPORT = "json lists", "json records", "json export"
"""Our names for JSON of other shapes; -T and -R call all of them json."""

NAMED = "columns"
"""Our name for the format whose columns --columns numbers, and for Parquet whose columns it names."""


def _read_named(source: File, role: Role) -> Iterator[Block]:
    """Yield the rows of a file whose columns --columns numbers, or of Parquet whose columns it names."""
    if source.head().startswith(PARQUET_MAGIC):
        return read_parquet(source, role)
    return read_by_number(source, role)


FORMATS = {
    file_format.name: file_format
    for file_format in (
        FileFormat(
            name="msmarco",
            meaning="MS MARCO's (topic docno rank; the rank is the order)",
            read=read_msmarco,
            by_rank=True,
            runs_only=True,
        ),
        FileFormat("beir", "BEIR's (a header, then query-id corpus-id score)", read_beir),
        FileFormat("json", f"JSON ({SHAPE})", read_json, numbered=False),
        FileFormat(JSON_LISTS, f"JSON ({SHAPE_OF_LISTS})", read_json, numbered=False, by_rank=True),
        FileFormat(JSON_RECORDS, "JSON (records)", read_json, numbered=False),
        FileFormat(JSON_EXPORT, "JSON (of a search engine or an evaluation tool)", read_json, numbered=False),
        FileFormat("jsonl", "JSON Lines", read_json_lines),
        FileFormat("csv", "CSV or TSV with a header", read_csv),
        FileFormat("parquet", "Parquet", read_parquet, numbered=False),
        FileFormat(NAMED, "the columns of --columns", _read_named),
    )
}
"""Formats by their names, which -T and -R know but for JSON_LISTS and the others of ours."""


def recognised(source: File, role: Role) -> FileFormat | None:
    """Return the format of a file; None if none of FORMATS fits, so that it is read as trec_eval's lines."""
    try:
        head = source.head().removeprefix(BYTE_ORDER_MARK)
    except InputError:
        return None
    naming = source.naming.for_role(role)
    if head.startswith(PARQUET_MAGIC):
        return FORMATS["parquet"]
    if naming.by_number:
        if not _numbers_are_of(naming, role):
            return None
        return FORMATS[NAMED]
    if head.lstrip()[:1] in (b"{", b"["):
        file_format = _json(source, head, role, naming)
        if file_format is None and b"\n" not in head.strip() and _is_cut_off(head):
            longer_head = source.head(LONGEST_RECORD).removeprefix(BYTE_ORDER_MARK)
            file_format = _json(source, longer_head, role, naming)
        return file_format
    return _of_text(head, _lines_of(head) or [head], role, naming)


def _lines_of(head: bytes) -> list[bytes]:
    """Return the first lines of a text that are not blank; what is behind the last newline may be cut off."""
    *ended_lines, _ = head.split(b"\n")
    return [line for line in ended_lines if line.strip()][:LOOKED_AT_LINES]


def _is_cut_off(head: bytes) -> bool:
    """Return whether the file may go on behind this beginning, from which a byte order mark was removed."""
    return len(head) >= HEAD - len(BYTE_ORDER_MARK)


def _of_text(text: bytes, lines: list[bytes], role: Role, naming: Naming) -> FileFormat | None:
    """Return the format of a text in columns, None if it is not known.

    text   the beginning of the file
    lines  its lines that are not blank
    """
    first = text.partition(b"\n")[0]
    if [word.strip(b'"').lower() for word in first.split()] == [b"query-id", b"corpus-id", b"score"]:
        return FORMATS["beir"]
    table = head_of_table(text, naming)
    if table is not None and columns_of(table.names, role, naming) is not None:
        return FORMATS["csv"]
    if role is Role.RUN and _ranks_ascend(lines):
        return FORMATS["msmarco"]
    return None


def has_whole_numbers(source: File) -> bool:
    """Return whether the beginning of a file has no decimals, as grades have none, and scores may.

    Then a file that could be a run or judgements counts as judgements.
    """
    return re.search(rb"[:\s,]-?(\d+(\.\d|[eE][+-]?\d)|(NaN|Infinity)\b)", source.head()) is None


def judgements_format(source: File) -> FileFormat | None:
    """Return the format of judgements by their beginning, or that of words for grades if --grades names some.

    None if they are in trec_eval's lines.
    """
    file_format = recognised(source, Role.QRELS)
    if file_format is None and source.naming.grades:
        return FileFormat("qrels", "", read_words)
    return file_format


def _numbers_are_of(naming: Naming, role: Role) -> bool:
    """Return whether the columns that --columns numbers may be of a file of this role.

    Scores and ranks are of runs, grades of judgements; documents alone, or with both of these, may be of
    either.
    """
    if DOCNO not in naming.columns and DOCNOS not in naming.columns:
        return False
    names_grade = GRADE in naming.columns
    names_score = SCORE in naming.columns or RANK in naming.columns
    if names_grade == names_score:
        return True
    return names_grade == role.has_grades


def _json(source: File, head: bytes, role: Role, naming: Naming) -> FileFormat | None:
    """Return the format of JSON with this beginning, None if it is neither a run nor judgements."""
    if BEGINNING_OF_EXPORT.search(head):
        return FORMATS[JSON_EXPORT]
    if head.lstrip().startswith(b"["):
        return _json_list(source, head, role, naming)
    lines = _lines_of(head)
    last_line = head.rpartition(b"\n")[2]
    if not lines and last_line.strip():
        lines = [last_line]  # a file of one line may end without a newline
    shape = _shape(head, role, naming)
    has_objects = all(line.rstrip().endswith(b"}") for line in lines)
    if lines and lines[0].lstrip().startswith(b"{") and has_objects:
        record = _first_value(lines[0])
        if is_record(record, role, naming) and not _has_columns(record):
            return FORMATS["jsonl"]  # {"topic": "1", "docno": "d", "score": 2}
        if shape is not None and len(lines) > 1:
            return FORMATS["jsonl"]  # {"1": {"d": 2}}, a topic or more a line
    if shape is None:
        return None
    return FORMATS[shape]


def _json_list(source: File, head: bytes, role: Role, naming: Naming) -> FileFormat | None:
    """Return the format of a list in JSON, None if its first element is no record."""
    record = _first_value(head.lstrip()[1:])
    if record is None and _is_cut_off(head):
        longer_head = source.head(LONGEST_RECORD).removeprefix(BYTE_ORDER_MARK)
        record = _first_value(longer_head.lstrip()[1:])
    if not is_record(record, role, naming):
        return None
    return FORMATS[JSON_RECORDS]


_MEMBER = re.compile(rb'\s*\{\s*("(?:[^"\\]|\\.)*")\s*:\s*')
"""The first key of an object, up to its value."""

_LIST_OF_IDS = re.compile(rb'\[\s*(?:["\]]|-?\d)')
"""The beginning of a list of texts or numbers, or an empty list."""


def _shape(head: bytes, role: Role, naming: Naming) -> str | None:
    """Return the name of the format of an object with this beginning; None if it is none that can be read."""
    member = _MEMBER.match(head)
    if member is None:
        is_empty_object = re.match(rb"\s*\{\s*\}\s*$", head) is not None
        return "json" if is_empty_object else None
    value = head[member.end() :]
    if is_record(_first_value(value.removeprefix(b"[")), role, naming):
        return JSON_RECORDS  # {"results": [{"topic": "1", "docno": "d", "score": 2}, …
    if value.startswith(b"{"):
        return "json"  # {"1": {"d": 2, …
    if _LIST_OF_IDS.match(value) is not None:
        # {"topic": ["1", …], "docno": ["d", …] are columns, {"1": ["d", …] lists of documents.
        key = json.loads(member[1].decode("utf-8", "replace"))
        is_table = key == "columns" or any(
            naming.column(kind, [key]) is not None for kind in COLUMNS_OF_TABLES
        )
        return JSON_RECORDS if is_table else JSON_LISTS
    if records_of_table(_first_value(head), role, naming) is not None:
        return JSON_RECORDS
    return None


def _first_value(text: bytes) -> Any:
    """Return the value in JSON at the beginning of a text; None if it is not whole."""
    try:
        return json.JSONDecoder().raw_decode(text.decode("utf-8", "replace").lstrip())[0]
    except (ValueError, RecursionError):
        return None


def _has_columns(record: Any) -> bool:
    """Return whether an object has columns and not a row: all its values are lists or objects."""
    return isinstance(record, dict) and all(isinstance(value, (list, dict)) for value in record.values())


def _ranks_ascend(lines: Sequence[bytes]) -> bool:
    """Return whether all lines are topic, docno and rank, the ranks rising from 1 on inside of a topic."""
    rows = [line.split() for line in lines]
    if not all(len(words) == 3 and re.fullmatch(rb"\d{1,9}", words[2]) for words in rows):
        return False
    last_topic, last_rank = b"", 0
    for topic, _, rank_text in rows:
        rank = int(rank_text)
        if topic == last_topic and rank <= last_rank:
            return False
        if topic != last_topic and rank != 1:
            return False
        last_topic, last_rank = topic, rank
    return True
