"""Recognition of a file's format by its beginning."""

from __future__ import annotations

import re
from itertools import pairwise

from pres_eval.errors import InputError
from pres_eval.reading.blocks import FileFormat
from pres_eval.reading.formats.delimited import (
    SEPARATOR_LINE,
    columns_of,
    header_of,
    read_beir,
    read_csv,
    read_msmarco,
    separator_of,
)
from pres_eval.reading.formats.json_text import BEGINNING_OF_ENGINE, SHAPE, read_json, read_json_lines
from pres_eval.reading.formats.names import DOCUMENT, GRADE, SCORE, TOPIC, pick
from pres_eval.reading.formats.parquet import read_parquet
from pres_eval.reading.source import Source

FORMATS = {
    one.name: one
    for one in (
        FileFormat(
            "msmarco", "MS MARCO's (topic docno rank; the rank is the order)", read_msmarco, by_rank=True
        ),
        FileFormat("beir", "BEIR's (a header, then query-id corpus-id score)", read_beir),
        FileFormat("json", f"JSON ({SHAPE})", read_json, numbered=False),
        FileFormat("jsonl", "JSON Lines", read_json_lines),
        FileFormat("csv", "CSV or TSV with a header", read_csv),
        FileFormat("parquet", "Parquet", read_parquet, numbered=False),
    )
}
"""By the names that -T and -R give them."""


def recognised(source: Source, grades: bool) -> FileFormat | None:
    """Return the format of a file that is none of trec_eval's; None if it is not known either."""
    try:
        head = source.head().removeprefix(b"\xef\xbb\xbf")
    except InputError:
        return None
    if head.startswith(b"PAR1"):
        return FORMATS["parquet"]
    told = SEPARATOR_LINE.match(head)
    lines = head[told.end() if told else 0 :].split(b"\n")
    whole, first = [line for line in lines[:-1] if line.strip()][:20], lines[0].split()
    if head.lstrip().startswith(b"{"):
        # The last line counts if the file ends in it, newline or not.
        return _json(head, whole or [line for line in lines if line.strip()][:20], grades)
    if [word.strip(b'"').lower() for word in first] == [b"query-id", b"corpus-id", b"score"]:
        return FORMATS["beir"]
    if separator_of(lines[0]) and columns_of(header_of(lines[0]), grades) is not None:
        return FORMATS["csv"]
    return FORMATS["msmarco"] if not grades and _ranks_ascend(whole or [head]) else None


def _json(head: bytes, lines: list[bytes], grades: bool) -> FileFormat | None:
    """Return which kind of JSON begins so, None if it is neither a run nor judgements."""
    string = rb'"(?:[^"\\]|\\.)*"'
    if BEGINNING_OF_ENGINE.search(head):
        return FORMATS["json"]
    nested = re.match(rb"\s*\{\s*(" + string + rb"\s*:\s*\{|\}\s*$)", head) is not None
    closed = [line.rstrip().endswith(b"}") for line in lines]
    if lines and lines[0].lstrip().startswith(b"{") and all(closed) and (len(lines) > 1 or not nested):
        keys = [word.strip(b'"').decode("utf-8", "replace") for word in re.findall(string, lines[0])]
        columns = (TOPIC, DOCUMENT, GRADE if grades else SCORE)
        if nested or None not in [pick(keys, names) for names in columns]:
            return FORMATS["jsonl"]
    return FORMATS["json"] if nested else None


def _ranks_ascend(lines: list[bytes]) -> bool:
    """Return whether all lines are topic, docno and rank, the ranks rising inside of a topic."""
    rows = [line.split() for line in lines]
    if not all(len(words) == 3 and re.fullmatch(rb"\d{1,9}", words[2]) for words in rows):
        return False
    ranks = [(topic, int(rank)) for topic, _, rank in rows]
    return all(
        rank > last if topic == before else rank == 1
        for (before, last), (topic, rank) in pairwise([(b"", 0), *ranks])
    )
