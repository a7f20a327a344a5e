"""Files in other formats: runs and judgements block by block, values of all topics as Parquet."""

from __future__ import annotations

import json
import shlex
from collections import Counter
from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from itertools import repeat
from typing import Any, BinaryIO

import numpy as np

from pres_eval.arrays import Ids
from pres_eval.errors import InputError, UsageError, extra_module, quoted
from pres_eval.measures.base import Format
from pres_eval.measures.selection import Selection
from pres_eval.ranking.order import rows_in_order
from pres_eval.reading.blocks import Block, Row, whole_topics
from pres_eval.reading.formats.separated import ROUNDED
from pres_eval.report.grid import separated
from pres_eval.report.text import text_of
from pres_eval.scoring import ScoredRun
from pres_eval.scoring.summing import Values

Columns = Sequence[Sequence[Any] | Values]
"""Values of the columns of a table, column by column."""

Write = Callable[[Columns], None]
"""Function that writes rows, given as columns, into a file."""


@contextmanager
def parquet_table(stream: BinaryIO, selection: Selection) -> Iterator[Callable[[str, ScoredRun], None]]:
    """Return a function that writes a run, by its name, into a Parquet file, complete after the block.

    selection  the columns of all runs' evaluations, in the same order

    The columns are `run`, `topic` and one for each measure that topics have values of: doubles, or texts.
    It is called for one run after the other, so that no more than one of them is in memory.
    """
    kinds = {"run": "string", "topic": "string"}
    for column in selection:
        if column.measure.per_topic:
            is_text = column.measure.format in (Format.TEXT, Format.TAG)
            kinds[column.label] = "string" if is_text else "double"
    with parquet_writer(stream, kinds) as write:

        def add(name: str, evaluation: ScoredRun) -> None:
            """Write the values of the topics of a run."""
            topics = [text_of(topic) for topic in evaluation.topics]
            columns: list[Sequence[Any] | Values] = [[name] * len(topics), topics]
            for column, values in zip(evaluation.columns, evaluation.values, strict=True):
                if column.measure.per_topic:
                    columns.append(values)
            write(columns)

        yield add


@contextmanager
def parquet_writer(stream: BinaryIO, fields: Mapping[str, str]) -> Iterator[Write]:
    """Return a function that writes rows, given as columns, into a Parquet file, complete after the block.

    fields: names of the columns and their types, as Arrow calls them.  Raises MissingExtraError without
    pyarrow.
    """
    pyarrow = extra_module("pyarrow", "writing Parquet", "parquet")
    parquet = extra_module("pyarrow.parquet", "writing Parquet", "parquet")
    schema = pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in fields.items()])
    with parquet.ParquetWriter(stream, schema) as writer:
        yield lambda columns: writer.write_table(pyarrow.table(list(columns), schema=schema))


LINE_FORMATS = ("trec_results", "qrels", "beir", "msmarco")
"""Formats whose columns are separated by blanks or tabs."""

OF_RUNS = ("trec_results", "msmarco")
"""Formats of runs alone."""

TARGETS = (*LINE_FORMATS, "json", "jsonl", "csv", "parquet")
"""Values of convert --to."""

JSONL_KEEPS_IT = "--to jsonl keeps it"
"""Advice for an id that a format cannot hold."""


def write_blocks(
    stream: BinaryIO,
    blocks: Iterable[Block],
    form: str,
    grades: bool,
    name: str,
    tag: str,
    is_sortable: bool = False,
) -> None:
    """Write blocks of rows in a format of TARGETS.

    grades       whether the numbers are grades of judgements, else scores of a run; none is nan
    name         the file that the rows are from, for messages
    tag          the last column of runs
    is_sortable  whether `sort` can bring the file's lines of a topic together, which an error then advises

    Raises InputError for what the format cannot hold: in lines of columns ids with blanks or that begin a
    comment, in CSV rounded ids, elsewhere ids that are no UTF-8; in JSON and JSON Lines an infinite number;
    in JSON and MS MARCO's format a topic that comes again, and in JSON a document.  Raises UsageError for a
    tag that is no word, MissingExtraError for Parquet without pyarrow.
    """
    if not grades and tag.split() != [tag]:
        raise UsageError(f"--tag {quoted(tag)}: expected a name without blanks")
    if form == "parquet":
        type_of_number = {"score": "double"}
        if grades:
            blocks = list(blocks)
            has_doubles = any(block.numbers.dtype.kind == "f" for block in blocks)
            type_of_number = {"relevance": "double" if has_doubles else "int64"}
        with parquet_writer(stream, {"query_id": "string", "doc_id": "string", **type_of_number}) as write:
            for block in blocks:
                rows = []
                for topic, docno, number, line in _rows(block):
                    rows.append((_text(name, topic, line), _text(name, docno, line), number))
                if rows:
                    write([list(column) for column in zip(*rows, strict=True)])
        return
    stream.writelines(_texts(blocks, form, grades, name, tag, is_sortable))


def _rows(block: Block) -> Iterator[Row]:
    """Yield the rows of a block: topic, document, number, and line of the file, None if that is not known."""
    topics = block.topics.take(np.repeat(np.arange(len(block.lengths)), block.lengths))
    lines = repeat(None, len(topics)) if block.lines is None else block.lines.tolist()
    return zip(topics, block.document_ids(), block.numbers.tolist(), lines, strict=True)


def _texts(
    blocks: Iterable[Block], form: str, grades: bool, name: str, tag: str, is_sortable: bool
) -> Iterator[bytes]:
    """Yield the rows as text of a format, in parts; raise InputError for ids that it cannot hold.

    form, grades, name, tag, is_sortable: as in `write_blocks`
    """
    if form == "json":
        yield from _json(_by_topic(blocks, name, is_sortable), name)
        return
    if form == "msmarco":
        yield from _msmarco(_by_topic(blocks, name, is_sortable), name)
        return
    number_name = "relevance" if grades else "score"
    headings = {"beir": "query-id\tcorpus-id\tscore\n", "csv": f"query_id,doc_id,{number_name}\n"}
    heading = headings.get(form, "").encode()
    ranks: Counter[bytes] = Counter()
    for block in blocks:
        # The heading comes with the first rows: if these cannot be written, nothing is.
        yield heading + b"".join([_line(row, form, name, number_name, tag, ranks) for row in _rows(block)])
        heading = b""


def _line(row: Row, form: str, name: str, number_name: str, tag: str, ranks: Counter[bytes]) -> bytes:
    """Return a row as a line of a format.

    number_name: key of the number in JSON; ranks: documents so far of each topic, which are counted here, so
    that the ranks of trec_results are in the order of the file, whatever the scores
    """
    _check_ids(name, form, row)
    topic, document, number, line = row
    if form == "trec_results":
        ranks[topic] += 1
        last = tag.encode("utf-8", "surrogateescape")
        return b"%s Q0 %s %d %s %s\n" % (topic, document, ranks[topic], repr(number).encode(), last)
    if form == "qrels":
        grade = str(int(number)) if number == int(number) else repr(number)
        return b"%s 0 %s %s\n" % (topic, document, grade.encode())
    if form == "beir":
        return b"%s\t%s\t%s\n" % (topic, document, repr(number).encode())
    if form == "csv":
        ids = [identifier.decode("utf-8", "surrogateescape") for identifier in (topic, document)]
        return separated([[*ids, repr(number)]], ",").encode("utf-8", "surrogateescape")
    record = {
        "query_id": _text(name, topic, line),
        "doc_id": _text(name, document, line),
        number_name: _finite(name, number, line),
    }
    return json.dumps(record, ensure_ascii=False).encode() + b"\n"


def _by_topic(blocks: Iterable[Block], name: str, is_sortable: bool) -> Iterator[tuple[bytes, Iterator[Row]]]:
    """Yield each topic with its rows; raise InputError for a topic that comes again."""
    advice = ""
    if is_sortable:
        advice = f"sort it first: sort -s -k1,1 {shlex.quote(name)} > NEW"
    seen: set[bytes] = set()
    for block in whole_topics(blocks):
        for group, topic in enumerate(block.topics):
            rows = _rows(block.groups(group, group + 1))
            if topic in seen:
                raise InputError(
                    name,
                    next((line for *_, line in rows), None),
                    f"topic {quoted(topic)} again",
                    "the lines of a topic together",
                    advice,
                )
            seen.add(topic)
            yield topic, rows


def _json(topics: Iterable[tuple[bytes, Iterator[Row]]], name: str) -> Iterator[bytes]:
    """Yield one object {topic: {docno: number}}, topic by topic.

    Raises InputError for a document that comes again, a number that is infinite, and ids that are no UTF-8.
    """
    start = "{"
    for topic, rows in topics:
        numbers: dict[str, int | float] = {}
        for _, document, number, line in rows:
            docno = _text(name, document, line)
            if docno in numbers:
                raise InputError(
                    name,
                    line,
                    f"document {quoted(document)} of topic {quoted(topic)} again",
                    "each document once",
                )
            numbers[docno] = _finite(name, number, line)
        documents = json.dumps(numbers, ensure_ascii=False)
        yield f"{start}{json.dumps(_text(name, topic, None))}: {documents}".encode()
        start = ",\n"
    if start == "{":
        yield b"{"
    yield b"}\n"


def _msmarco(topics: Iterable[tuple[bytes, Iterator[Row]]], name: str) -> Iterator[bytes]:
    """Yield lines of topic, docno and rank: by score, equal ones by descending docno, as 9.0.8 ranks them."""
    for _, rows_of_topic in topics:
        rows = list(rows_of_topic)
        scores = np.array([score for _, _, score, _ in rows], np.float64)
        documents = Ids.from_texts([document for _, document, _, _ in rows])
        for rank, index in enumerate(rows_in_order(scores, documents).tolist(), 1):
            _check_ids(name, "msmarco", rows[index])
            topic, document = rows[index][:2]
            yield b"%s\t%s\t%d\n" % (topic, document, rank)


def _check_ids(name: str, form: str, row: Row) -> None:
    """Raise InputError for ids that readers of the format would cut at blanks, or take for a comment.

    In CSV also for one that reading it back would take for a number which a spreadsheet has rounded.
    """
    topic, document, _, line = row
    if form == "csv":
        for identifier in (topic, document):
            if ROUNDED.fullmatch(identifier):
                expected = "one that pres-eval does not take for a number which a spreadsheet has rounded"
                raise InputError(name, line, f"id {quoted(identifier)}", expected, JSONL_KEEPS_IT)
    if form == "jsonl":
        return
    is_comment = form in LINE_FORMATS and topic.startswith(b"#")
    if is_comment or not _can_hold(form, topic):
        refused = f"topic {quoted(topic)}"
    elif not _can_hold(form, document):
        refused = f"docno {quoted(document)}"
    else:
        return
    blanks = "blanks around it" if form == "csv" else "blanks"
    expected = "one that begins no comment" if is_comment else f"one without {blanks} for {form}"
    raise InputError(name, line, refused, expected, JSONL_KEEPS_IT)


def _can_hold(form: str, identifier: bytes) -> bool:
    """Return whether a format keeps an id: not if it is empty, or has blanks (in CSV, blanks around it)."""
    if form in LINE_FORMATS:
        return identifier.split() == [identifier]
    return identifier != b"" and identifier.strip() == identifier


def _text(name: str, identifier: bytes, line: int | None) -> str:
    """Return an id as text; raise InputError, with file and line, for one that is no UTF-8."""
    try:
        return identifier.decode()
    except UnicodeDecodeError:
        raise InputError(
            name, line, f"id {quoted(identifier)}", "UTF-8", "--to csv keeps its bytes"
        ) from None


def _finite(name: str, number: int | float, line: int | None) -> int | float:
    """Return a number, which is never nan; raise InputError for infinity, which JSON does not have."""
    if abs(number) == float("inf"):
        raise InputError(name, line, f"score {number}", "a finite one: JSON has no others")
    return number
