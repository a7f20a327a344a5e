"""--expect: are the lines those that trec_eval printed?"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator
from dataclasses import dataclass

from pres_eval.errors import EmptyFileError, quoted
from pres_eval.gates.findings import Finding, Verdict
from pres_eval.report.text import cut, text_of

MOST = 80
"""Characters of an id in a message."""


@dataclass(frozen=True)
class Expected:
    """`--expect FILE`: the lines of trec_eval that must be among ours; `printed` are ours."""

    path: str
    lines: bytes
    printed: bytes


Key = tuple[bytes, bytes, int]


def _keyed(text: bytes) -> Iterator[tuple[Key, bytes, int]]:
    """The lines of trec_eval output: ((measure, topic, which one of several), value, line number)."""
    seen: Counter[tuple[bytes, bytes]] = Counter()
    for number, line in enumerate(text.split(b"\n"), 1):
        fields = [field.strip() for field in line.split(b"\t", 2)]
        if fields == [b""]:
            continue
        measure, topic, value = [*fields, b"", b""][:3]
        seen[measure, topic] += 1
        yield (measure, topic, seen[measure, topic]), value, number


def unexpected(expected: Expected) -> Iterator[Finding]:
    """Yield whether we print each line with this value; lines of ours that the file lacks are no fault.

    Raises EmptyFileError for a file without a line, of which none could be missing.
    """
    if not expected.lines.strip():
        raise EmptyFileError(expected.path, None, "no line", "lines of trec_eval")
    printed = {key: value for key, value, _ in _keyed(expected.printed)}
    for key, value, number in _keyed(expected.lines):
        got = printed.get(key)
        what = f"{cut(text_of(key[0]), MOST)}, {cut(text_of(key[1]), MOST)}"
        found = f"got {quoted(got)}" if got is not None else "no such line here"
        message = f"{text_of(expected.path)}:{number}: {what}: wanted {quoted(value)}, {found}"
        yield Finding(
            gate="--expect",
            message=message,
            path=expected.path,
            line=number,
            measure=text_of(key[0]),
            size=-number,
            verdict=Verdict.PASSED if got == value else Verdict.FAILED,
            checked=f"{text_of(expected.path)}:{number}: {what}",
        )
