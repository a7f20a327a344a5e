"""Files that describe topics and documents in words: titles of documents, texts of topics."""

from __future__ import annotations

import json
import re

from pres_eval.errors import InputError, quoted
from pres_eval.reading.source import Source

IDS = ("_id", "id", "docno", "doc_id", "docid", "topic", "topic_id", "qid", "query_id", "num")
TEXTS = ("title", "query", "text", "contents")
"""Names of the fields of JSON lines, the preferred one first."""

LAYOUT = "an id and a text apart by a tab or blanks, a JSON object a line, or TREC topics"
TOPIC = re.compile(r"<num>\s*(?:Number:)?\s*(\S+?)\s*(?=<).*?<title>\s*(?:Topic:)?\s*(.*?)\s*<", re.I | re.S)


def read_texts(path: str) -> dict[bytes, str]:
    """Read texts by id: lines `id text`, JSON lines, or TREC topics with <num> and <title>.

    Raises InputError for a line without a text.
    """
    whole = b"".join(chunk.text() for chunk in Source(path).chunks()).decode("utf-8", "surrogateescape")
    if re.search("<top>|<num>", whole, re.IGNORECASE):
        found = {name: " ".join(text.split()) for name, text in TOPIC.findall(whole)}
    else:
        lines = [(number, line) for number, line in enumerate(whole.splitlines(), 1) if line.strip()]
        found = dict(_pair(path, number, line) for number, line in lines)
    if not found:
        raise InputError(path, None, "no text", LAYOUT)
    return {name.encode("utf-8", "surrogateescape"): text for name, text in found.items()}


def _pair(path: str, number: int, line: str) -> tuple[str, str]:
    """Return the id and the text of a line: separated, or a JSON record; raise InputError."""
    parts = line.split("\t" if "\t" in line else None, 1)
    if line.lstrip().startswith("{"):
        try:
            fields = json.loads(line)
        except ValueError:
            fields = {}
        parts = [
            str(next((fields[name] for name in names if fields.get(name)), "")) for names in (IDS, TEXTS)
        ]
    if len(parts) < 2 or not all(parts):
        raise InputError(path, number, quoted(line), LAYOUT)
    return parts[0].strip(), parts[1].strip()
