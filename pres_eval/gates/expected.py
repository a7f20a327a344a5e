"""--expect: are the lines those that trec_eval printed?"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Sequence

from pres_eval.errors import EmptyFileError, number_of, quoted
from pres_eval.gates.counterparts import unmatched
from pres_eval.gates.findings import GateFinding, Verdict
from pres_eval.report.text import cut, text_of

GATE = "--expect"

MOST = 80
"""Characters of an id in a message."""


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


def _runs(keys: Iterable[Key]) -> list[str]:
    return list(dict.fromkeys(key[0] for key in keys))


def _named_as_in(theirs: Sequence[str], printed: dict[Key, bytes]) -> dict[Key, bytes]:
    """Return our lines; those of an only run have the name that it had among several, if the file has it."""
    ours = _runs(printed)
    if len(ours) != 1 or ours[0] in theirs:
        return printed
    found = [name for name in theirs if re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", ours[0])]
    if len(found) != 1:
        return printed
    own = found[0].encode("utf-8", "surrogateescape")
    return {(found[0], *key[1:]): own if key[1:3] == NAME_LINE else value for key, value in printed.items()}


def unexpected(path: str, expected: bytes, output: bytes, allowed: bool = False) -> Iterator[GateFinding]:
    """Yield whether we print each line with this value; other lines of ours are no fault, but other runs are.

    expected, output: the lines of the file, and ours, each run after a line with its name; allowed: whether
    runs that only one of the two has are no failure.  Raises EmptyFileError for a file without a line, of
    which none could be missing.
    """
    if not expected.strip():
        raise EmptyFileError(path, None, "no line", "lines of trec_eval")
    printed = {key: value for key, value, _ in _keyed(output)}
    lines = list(_keyed(expected, _runs(printed)))
    theirs = _runs(key for key, _, _ in lines)
    printed = _named_as_in(theirs, printed)
    ours = _runs(printed)
    yield from unmatched(
        [run for run in ours if run not in theirs],
        [run for run in theirs if run not in ours],
        path,
        allowed=allowed,
        any_matched=bool({*ours} & {*theirs}),
        gate=GATE,
    )
    known = {key[1] for key, _, _ in lines} | {NAME_LINE[0]}
    if labels := ", ".join(dict.fromkeys(text_of(key[1]) for key in printed if key[1] not in known)):
        message = f"{labels}: printed now, not in {text_of(path)}"
        yield GateFinding(gate=GATE, message=message, path=path, verdict=Verdict.NOTE)
    for key, value, number in lines:
        if key[0] in ours:
            run = f", run {cut(key[0], MOST)}" if len({*ours, *theirs}) > 1 else ""
            what = f"{cut(text_of(key[1]), MOST)}, {cut(text_of(key[2]), MOST)}{run}"
            yield GateFinding(
                gate=GATE,
                message=f"{text_of(path)}:{number}: {what}: {_difference(value, printed.get(key))}",
                path=path,
                line=number,
                measure=text_of(key[1]),
                size=-number,
                verdict=Verdict.PASSED if printed.get(key) == value else Verdict.FAILED,
                checked=f"{text_of(path)}:{number}: {what}",
            )


def _difference(wanted: bytes, got: bytes | None) -> str:
    """Return the value wanted and the one printed, if there is one, and how far they are apart."""
    if got is None:
        return f"wanted {quoted(wanted)}, no such line here"
    change = number_of(text_of(got)) - number_of(text_of(wanted))
    by = f", {abs(change):.6g} {'higher' if change > 0 else 'lower'}, 0 allowed"
    return f"wanted {quoted(wanted)}, got {quoted(got)}{by * (0 < abs(change) < math.inf)}"
