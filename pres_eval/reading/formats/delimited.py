"""Three columns: runs of MS MARCO (topic, docno, rank), and BEIR's files with a header."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np

from pres_eval.errors import InputError
from pres_eval.reading.blocks import Block
from pres_eval.reading.formats.names import DOCUMENT, GRADE, TOPIC
from pres_eval.reading.lines import Layout, LineError, parse_lines
from pres_eval.reading.source import Chunk, Source

MSMARCO = Layout("topic docno rank", number=2, whole=True)
BEIR_RUN = Layout("query-id corpus-id score", number=2)
BEIR_QRELS = Layout("query-id corpus-id score", number=2, whole=True)


def read_msmarco(source: Source, grades: bool) -> Iterator[Block]:
    """A run of MS MARCO, of which the rank is the order; there are no judgements in this format."""
    assert not grades
    for part in read_columns(source, MSMARCO, header=False):
        yield Block(
            topics=part.topics,
            lengths=part.lengths,
            documents=part.documents,
            numbers=-part.numbers.astype(np.float64),
            lines=part.lines,
        )


def read_beir(source: Source, grades: bool) -> Iterator[Block]:
    """A run or judgements as BEIR writes them."""
    return read_columns(source, BEIR_QRELS if grades else BEIR_RUN, header=True)


def is_header(line: bytes) -> bool:
    """Return whether a line is BEIR's header, or names the columns as other tools do."""
    words = [word.strip(b'"').lower().decode("utf-8", "replace") for word in line.split()]
    known = (TOPIC, DOCUMENT, GRADE)
    return len(words) == 3 and all(word in names for word, names in zip(words, known, strict=True))


def read_columns(source: Source, layout: Layout, header: bool, document: int = 1) -> Iterator[Block]:
    """Read a file of columns: the topic first, the docno in column `document` from 0, and the number."""
    before = 0
    is_first = header
    for chunk in source.chunks():
        body = chunk
        if is_first:
            start = chunk.buffer.find(b"\n", chunk.start) + 1
            if is_header(bytes(chunk.buffer[chunk.start : start])):
                body, before = Chunk(chunk.buffer, start, chunk.stop), 1
            is_first = False
        if body.start < body.stop:
            lines = parse_lines(body, layout)
            try:
                lines.checked()
            except LineError as error:
                line = before + error.line + 1
                hint = f", or the header {BEIR_RUN.names}" if header and line == 1 else ""
                raise InputError(source.name, line, error.found, f"{error.expected}{hint}") from None
            numbers = lines.line_of(np.arange(len(lines))) + before + 1
            if len(lines):
                yield Block.of_rows(lines.column(0), lines.column(document), lines.numbers, numbers)
            before += lines.fields.num_lines
        source.give_back(chunk)
