"""Topics and documents of runs and judgements that the collection lacks (--topics, --documents)."""

from __future__ import annotations

import json
import re
from collections.abc import Iterable, Iterator

import numpy as np

from pres_eval.checking.findings import Example, FileReport
from pres_eval.errors import InputError, quoted
from pres_eval.reading.blocks import Block
from pres_eval.reading.file import File
from pres_eval.reading.formats.recognising import FORMATS, recognised
from pres_eval.reading.headings import DOCNO, NO_NAMING, TOPIC, Role
from pres_eval.reading.id_files import is_heading
from pres_eval.reading.lines import QRELS, RUN, Layout, Lines, results_of_chunks
from pres_eval.reading.run_files import source_at
from pres_eval.reading.topic_files import encoded, read_cells
from pres_eval.records import dataclass

IDS_OF_COLLECTIONS = ("_id", "id")
"""Names of ids in the files of collections, as BEIR has them."""

BYTES_BEFORE_TEXT = b"\xef\xbb\xbf \r\n"
"""Byte order mark and blanks, which may come before the first character that counts."""

NUMBER_OF_TOPIC = re.compile(
    rb"<(?:num|number|identifier|tid|qid)>\s*(?:Number\s*:|Topic\s*:)?\s*([^\s<]+)"
    rb"|<(?:topic|query)\b[^>]*?\b(?:number|id|qid)\s*=\s*[\"']([^\"'>]+)[\"']",
    re.IGNORECASE,
)
"""Number of a TREC topic, identifier of one of CLEF's, or the attribute that has it in XML."""


@dataclass(frozen=True, eq=False)
class KnownIds:
    """Ids of a collection; None where they are not known."""

    topics: frozenset[bytes] | None = None
    documents: frozenset[bytes] | None = None


def read_ids(path: str, kind: str) -> frozenset[bytes]:
    """Return the ids in a file of TREC topics, of JSON Lines, or of lines whose first column has them.

    kind  TOPIC or DOCNO
    Raises InputError for a file that cannot be read, for topics and for a record without an id.
    """
    source = source_at(path)
    beginning = source.head().lstrip(BYTES_BEFORE_TEXT)
    if kind == TOPIC and beginning.startswith(b"<"):
        return _ids_of_topics(source)
    if beginning.startswith(b"{"):
        return frozenset(_ids_of_records(source, kind))
    rows, _ = read_cells(path, "ids")
    _, first_cells = rows[0]
    if is_heading(encoded(first_cells[0])):
        del rows[0]
    return frozenset(encoded(cells[0]) for _, cells in rows)


def _ids_of_topics(source: File) -> frozenset[bytes]:
    """Return the numbers of TREC topics, or the ids of topics in XML; raise InputError without any."""
    text = b"".join(chunk.text() for chunk in source.chunks())
    # Of the two groups of the pattern, one has matched: an element's text, or an attribute.
    ids = frozenset((match[1] or match[2]).strip() for match in NUMBER_OF_TOPIC.finditer(text))
    if not ids:
        expected = 'topics with <num>, or <topic number="...">'
        raise InputError(source.name, None, "markup without numbers of topics", expected)
    return ids


def _ids_of_records(source: File, kind: str) -> Iterator[bytes]:
    """Yield the id in each line of JSON: of `_id`, `id`, or a field with a usual name for this kind of id.

    kind  TOPIC or DOCNO
    Raises InputError for a line without an id.
    """
    line = 0
    for chunk in source.chunks():
        for text in chunk.text().splitlines():
            line += 1
            if not text.strip():
                continue
            try:
                record = json.loads(text)
                names = [name for name in IDS_OF_COLLECTIONS if name in record]
                name = names[0] if names else NO_NAMING.column(kind, list(record))
                if record[name] is None:
                    raise KeyError(name)
                yield str(record[name]).encode("utf-8", "surrogatepass")
            except (ValueError, KeyError, TypeError):
                raise InputError(source.name, line, quoted(text), f"JSON with the id of a {kind}") from None


def check_ids(report: FileReport, source: File, form: str, known: KnownIds) -> None:
    """Report topics and documents of a run, or of judgements, that the collection lacks."""
    if known.topics is None and known.documents is None:
        return
    # Ids that the collection lacks, each with its first line, None if lines have no numbers.
    unknown: dict[str, dict[bytes, int | None]] = {TOPIC: {}, DOCNO: {}}
    for block in _blocks(source, form, report.role == "qrels"):
        lines: list[int | None] = [None] * len(block.documents)
        if block.lines is not None:
            lines = block.lines.tolist()
        if known.topics is not None:
            first_rows = np.cumsum(block.lengths) - block.lengths
            for topic, row in zip(block.topics, first_rows.tolist(), strict=True):
                if topic not in known.topics:
                    unknown[TOPIC].setdefault(topic, lines[row])
        if known.documents is not None:
            for document, line in zip(block.document_ids(), lines, strict=True):
                if document not in known.documents:
                    unknown[DOCNO].setdefault(document, line)
    report.add("unknown-topic", len(unknown[TOPIC]), "", _examples(unknown[TOPIC], "topic"))
    report.add("unknown-document", len(unknown[DOCNO]), "", _examples(unknown[DOCNO], "document"))


def _blocks(source: File, form: str, is_judged: bool) -> Iterator[Block]:
    """Return the rows of a run or of judgements, in lines or in another format; faulty lines are left out."""
    role, layout = Role.RUN, RUN
    if is_judged:
        role, layout = Role.QRELS, _layout_of_judgements(form)
    if form == "qrels_float":
        role = Role.GAINS
    file_format = FORMATS.get(form)
    if file_format is None and layout in (RUN, QRELS):
        file_format = recognised(source, role)
    if file_format is not None:
        return file_format.read(source, role)
    return _blocks_of_lines(source, layout)


def _layout_of_judgements(form: str) -> Layout:
    """Return the columns of the lines of judgements in a format (-R); those of qrels for other formats."""
    from pres_eval.reading.judgements.judged_groups import LAYOUTS  # takes a while to import

    return LAYOUTS.get(form, QRELS)


def _blocks_of_lines(source: File, layout: Layout) -> Iterator[Block]:
    """Yield the ids in lines with these columns, without numbers: what is wrong with these was reported."""
    columns_of_words = Layout(layout.names, more=layout.more)
    docno_column = layout.names.split().index(DOCNO)
    for before, lines in results_of_chunks(source, columns_of_words, _all_lines, source.chunks(), jobs=1):
        if len(lines):
            numbers = lines.line_of(np.arange(len(lines))) + before + 1
            no_values = np.zeros(len(lines))
            yield Block.of_rows(lines.column(0), lines.column(docno_column), no_values, numbers)


def _all_lines(lines: Lines) -> Lines:
    """Return the good lines of a chunk as they are."""
    return lines


def _examples(ids: dict[bytes, int | None], what: str) -> Iterable[Example]:
    """Yield ids with their lines as examples; `what` says what they are ids of."""
    return (Example(line, f"{what} {quoted(text)}") for text, line in ids.items())
