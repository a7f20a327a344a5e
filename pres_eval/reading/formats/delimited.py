"""Columns of text between blanks: runs of MS MARCO (topic, docno, rank), and files of BEIR."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import replace

import numpy as np

from pres_eval.errors import InputError, quoted
from pres_eval.reading.blocks import Block, joined
from pres_eval.reading.file import Chunk, File
from pres_eval.reading.headings import DOCNO, GAINS_ADVICE, GRADE, KNOWN_HEADINGS, TOPIC, Role, plain
from pres_eval.reading.lines import Layout, LineError, parse_lines
from pres_eval.reading.numbers import are_whole

MSMARCO = Layout("topic docno rank", number=2, whole=True)
"""Lines of an MS MARCO run."""

BEIR_RUN = Layout("query-id corpus-id score", number=2)
BEIR_QRELS = Layout("query-id corpus-id score", number=2, whole=True)
"""Lines of BEIR's files; the "score" of judgements is their grade."""


def read_msmarco(source: File, role: Role) -> Iterator[Block]:
    """Yield the rows of an MS MARCO run, ranked by its ranks; there are no judgements in this format."""
    assert role is Role.RUN
    for part in read_columns(source, MSMARCO, header=False):
        yield Block(
            topics=part.topics,
            lengths=part.lengths,
            documents=part.documents,
            numbers=-part.numbers.astype(np.float64),
            lines=part.lines,
        )


def read_beir(source: File, role: Role) -> Iterator[Block]:
    """Return the rows of a run or of judgements as BEIR writes them."""
    if role is not Role.QRELS:
        return read_columns(source, BEIR_RUN, header=True)
    try:
        return iter(list(read_columns(source, BEIR_QRELS, header=True)))
    except InputError as error:
        if not is_decimal(error):
            raise
        # Grades such as 1.0 are read as scores are, and have to be whole.
        decimals = joined(source.name, read_columns(source, BEIR_RUN, header=True))
        return iter([with_whole_grades(source.name, decimals)])


def is_decimal(error: InputError) -> bool:
    """Return whether the error is of a number that is wrong because it has decimals."""
    return re.search(r" '[+-]?(\d+\.\d*|\.\d+)'$", error.found) is not None


def with_whole_grades(name: str, block: Block) -> Block:
    """Return judgements with grades such as 1.0 as whole numbers; raise InputError for one such as 1.5.

    name  of the file, for messages
    """
    wrong = np.flatnonzero(~are_whole(block.numbers))
    if len(wrong):
        row = int(wrong[0])
        line = None
        if block.lines is not None:
            line = int(block.lines[row])
        problem = f"relevance {quoted(repr(float(block.numbers[row])))}"
        raise InputError(name, line, problem, "an integer", GAINS_ADVICE)
    return replace(block, numbers=block.numbers.astype(np.int64))


def is_header(line: bytes) -> bool:
    """Return whether a line is BEIR's header, or names the columns as other tools do."""
    words = [plain(word.strip(b'"').decode("utf-8", "replace")) for word in line.split()]
    kinds = (TOPIC, DOCNO, GRADE)
    if len(words) != len(kinds):
        return False
    known = [set(map(plain, KNOWN_HEADINGS[kind])) for kind in kinds]
    return all(word in headings for word, headings in zip(words, known, strict=True))


def read_columns(source: File, layout: Layout, header: bool, document: int = 1) -> Iterator[Block]:
    """Yield the rows of a file of columns, with their lines.

    layout    its columns, the first of which is the topic
    header    whether the first line may be a header, which is left out
    document  which column has the docno, from 0
    Raises InputError for a malformed line.
    """
    before = 0  # lines before the body of a chunk
    for number, chunk in enumerate(source.chunks()):
        body = chunk
        if header and number == 0:
            end_of_line = chunk.buffer.find(b"\n", chunk.start) + 1
            if is_header(bytes(chunk.buffer[chunk.start : end_of_line])):
                body, before = Chunk(chunk.buffer, end_of_line, chunk.stop), 1
        if body.start < body.stop:
            lines = parse_lines(body, layout)
            try:
                lines.checked()
            except LineError as error:
                line = before + error.line + 1
                expected = error.expected
                if header and line == 1:
                    expected = f"{expected}, or the header {BEIR_RUN.names}"
                raise InputError(source.name, line, error.found, expected) from None
            numbers = lines.line_of(np.arange(len(lines))) + before + 1
            if len(lines):
                yield Block.of_rows(lines.column(0), lines.column(document), lines.numbers, numbers)
            before += lines.fields.num_lines
        source.give_back(chunk)
