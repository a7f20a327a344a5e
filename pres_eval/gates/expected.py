"""--expect: are the lines those that trec_eval printed?"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

from pres_eval.errors import EmptyFileError, number_of, quoted
from pres_eval.gates.counterparts import unmatched
from pres_eval.gates.findings import GateFinding, Verdict
from pres_eval.report.text import cut, text_of

GATE = "--expect"

MOST = 80
"""Characters of an id in a message."""


@dataclass(frozen=True)
class Expected:
    """`--expect FILE`: the lines of trec_eval that must be among ours.

    printed          ours, each run after a line with its name
    allow_unmatched  whether runs that only one of the two has are no failure
    """

    path: str
    lines: bytes
    printed: bytes
    allow_unmatched: bool = False


Key = tuple[str, bytes, bytes, int]

NAME_LINE = (b"run", b"all")
"""Beginning of the line that names one of several runs."""


def _keyed(text: bytes, names: Sequence[str] = ()) -> Iterator[tuple[Key, bytes, int]]:
    """Yield the lines of trec_eval output: ((run, measure, topic, which one of several), value, line number).

    Runs without a line that names them have these names, in order.
    """
    seen: Counter[tuple[str, bytes, bytes]] = Counter()
    run = ""
    for number, line in enumerate(text.split(b"\n"), 1):
        fields = [field.strip() for field in line.split(b"\t", 2)]
        if fields == [b""]:
            continue
        measure, topic, value = [*fields, b"", b""][:3]
        run = text_of(value) if (measure, topic) == NAME_LINE else run
        seen[run, measure, topic] += 1
        nth = seen[run, measure, topic]
        of_run = run or dict(enumerate(names, 1)).get(nth, f"number {nth}")
        yield (of_run, measure, topic, nth if run else 1), value, number


def _among_several(ours: Sequence[str], theirs: Sequence[str]) -> str:
    """Return the name that a file's only run had among several, without the common words; empty if none."""
    if len(ours) != 1 or ours[0] in theirs:
        return ""
    found = [name for name in theirs if re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", ours[0])]
    return found[0] if len(found) == 1 else ""


def unexpected(expected: Expected) -> Iterator[GateFinding]:
    """Yield whether we print each line with this value; other lines of ours are no fault, but other runs are.

    Raises EmptyFileError for a file without a line, of which none could be missing.
    """
    if not expected.lines.strip():
        raise EmptyFileError(expected.path, None, "no line", "lines of trec_eval")
    printed = {key: value for key, value, _ in _keyed(expected.printed)}
    ours = list(dict.fromkeys(key[0] for key in printed))
    lines = list(_keyed(expected.lines, ours))
    theirs = list(dict.fromkeys(key[0] for key, _, _ in lines))
    if shorter := _among_several(ours, theirs):
        own = shorter.encode("utf-8", "surrogateescape")
        printed = {
            (shorter, *key[1:]): own if key[1:3] == NAME_LINE else value for key, value in printed.items()
        }
        ours = [shorter]
    new, gone = [run for run in ours if run not in theirs], [run for run in theirs if run not in ours]
    yield from unmatched(new, gone, expected.path, expected.allow_unmatched, GATE)
    if not set(ours) & set(theirs):
        message = f"{text_of(expected.path)}: no run has a counterpart in it"
        yield GateFinding(gate=GATE, message=message, path=expected.path)
    known = {key[1] for key, _, _ in lines} | {NAME_LINE[0]}
    if labels := ", ".join(dict.fromkeys(text_of(key[1]) for key in printed if key[1] not in known)):
        message = f"{labels}: printed now, not in {text_of(expected.path)}"
        yield GateFinding(gate=GATE, message=message, path=expected.path, verdict=Verdict.NOTE)
    for key, value, number in (line for line in lines if line[0][0] in ours):
        got = printed.get(key)
        what = f"{cut(text_of(key[1]), MOST)}, {cut(text_of(key[2]), MOST)}"
        what += f", run {cut(key[0], MOST)}" if len({*ours, *theirs}) > 1 else ""
        found = f"got {quoted(got)}" if got is not None else "no such line here"
        change = number_of(text_of(got or b"")) - number_of(text_of(value))
        if 0 < abs(change) < math.inf:
            found += f", {abs(change):.6g} {'higher' if change > 0 else 'lower'}, 0 allowed"
        message = f"{text_of(expected.path)}:{number}: {what}: wanted {quoted(value)}, {found}"
        yield GateFinding(
            gate=GATE,
            message=message,
            path=expected.path,
            line=number,
            measure=text_of(key[1]),
            size=-number,
            verdict=Verdict.PASSED if got == value else Verdict.FAILED,
            checked=f"{text_of(expected.path)}:{number}: {what}",
        )
