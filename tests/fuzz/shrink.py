"""Make a failing case as small as it gets while it still fails in the same way."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import replace

from fuzz.case import Case, Lines

StillFails = Callable[[Case], bool]


def shrink(case: Case, still_fails: StillFails, budget: int = 3000) -> Case:
    """The smallest case found with `budget` tries; `still_fails` says whether a candidate shows the fault."""
    spent = 0
    found = True
    while found and spent < budget:
        found = False
        for candidate in candidates(case):
            spent += 1
            if still_fails(candidate):
                case, found = candidate, True
                break
            if spent >= budget:
                break
    return case


def candidates(case: Case) -> Iterator[Case]:
    """Smaller cases, the boldest first."""
    yield from _without_topics(case)
    for index in range(len(case.options)):
        yield case.without_option(index)
    yield from _with_fewer_lines(case)
    yield from _with_fewer_parameters(case)
    yield from _plainer(case)


def _without_topics(case: Case) -> Iterator[Case]:
    topics = sorted({_topic(line) for line in (*case.qrels, *case.run)})
    if len(topics) > 1:
        for topic in topics:
            yield replace(
                case,
                qrels=tuple(line for line in case.qrels if _topic(line) != topic),
                run=tuple(line for line in case.run if _topic(line) != topic),
            )


def _topic(line: bytes) -> bytes:
    return line.split(None, 1)[0] if line.strip() else b""


def _with_fewer_lines(case: Case) -> Iterator[Case]:
    for lines in _shorter(case.run):
        yield replace(case, run=lines)
    for lines in _shorter(case.qrels):
        yield replace(case, qrels=lines)
    if case.zscores is not None:
        for lines in _shorter(case.zscores):
            yield replace(case, zscores=lines)


def _shorter(lines: Lines) -> Iterator[Lines]:
    """Without halves, quarters, ... single lines; never empty."""
    size = len(lines) // 2
    while size:
        for start in range(0, len(lines), size):
            left = (*lines[:start], *lines[start + size :])
            if left:
                yield left
        size //= 2


def _with_fewer_parameters(case: Case) -> Iterator[Case]:
    """Measures with one parameter less, or none."""
    for index, group in enumerate(case.options):
        if len(group) != 2 or group[0] != "-m" or "." not in group[1]:
            continue
        name, _, parameters = group[1].partition(".")
        parts = parameters.split(",")
        shorter = (
            [parts[:place] + parts[place + 1 :] for place in range(len(parts))] if len(parts) > 1 else []
        )
        for text in [name, *(f"{name}.{','.join(left)}" for left in shorter)]:
            options = (*case.options[:index], ("-m", text), *case.options[index + 1 :])
            yield replace(case, options=options)


def _plainer(case: Case) -> Iterator[Case]:
    """Single blanks, plain line ends, one thread, options before the files."""
    if case.jobs != 1:
        yield replace(case, jobs=1)
    if case.small:
        yield replace(case, small=False)
    if case.trailing:
        yield replace(case, trailing=0)
    for name in ("run", "qrels"):
        lines: Lines = getattr(case, name)
        for index, line in enumerate(lines):
            plain = b" ".join(line.split()) + b"\n"
            if plain not in (line, b"\n"):
                changed = (*lines[:index], plain, *lines[index + 1 :])
                yield replace(case, run=changed) if name == "run" else replace(case, qrels=changed)
