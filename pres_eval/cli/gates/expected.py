"""--expect: are the printed lines those of a file that trec_eval, or we, printed?"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pres_eval.cli.gates.findings import GateFinding, Verdict, listed
from pres_eval.cli.gates.matching import unmatched
from pres_eval.errors import EmptyFileError, InputError, number_of, plural, quoted
from pres_eval.report.groups import split_label
from pres_eval.report.text import cut, text_of

EXPECT = "--expect"

ID_CHARACTERS = 80
"""Characters of an id in a message; the rest is cut off."""

SUMMARY_TOPIC = b"all"
"""Topic of the lines over all topics."""

RUN_NAME = b"run"
"""First column of the line over all topics that names one of several runs."""


class LineKey(NamedTuple):
    """What a line of trec_eval gives the value of.

    run      the name of the run; `number 2` in a file that names no runs and has more than we print
    repeat   1 for the first line of this run, measure and topic, 2 for the second
    """

    run: str
    measure: bytes
    topic: bytes
    repeat: int

    @property
    def names_run(self) -> bool:
        """Return whether it is the line with the name of a run."""
        return (self.measure, self.topic) == (RUN_NAME, SUMMARY_TOPIC)

    def __str__(self) -> str:
        """Return measure and topic, for a message."""
        measure, topic = text_of(self.measure), text_of(self.topic)
        return f"{cut(measure, ID_CHARACTERS)}, {cut(topic, ID_CHARACTERS)}"


class ExpectedLine(NamedTuple):
    """Value of a line of the file, and the number of the line."""

    value: bytes
    number: int


PrintedLines = dict[LineKey, bytes]
"""The lines that we print, with their values."""

ExpectedLines = dict[LineKey, ExpectedLine]
"""The lines of the file, with their values."""


def line_findings(path: str, expected: bytes, output: bytes, allowed: bool = False) -> Iterator[GateFinding]:
    """Yield whether we print each line with its value, and the lines of ours that the file should have.

    expected  lines of the file
    output    our lines, each run after a line with its name
    allowed   whether runs and lines of ours that the file lacks, and runs that we lack, are no failure
    Raises EmptyFileError for a file without a line, and InputError for one without a line of trec_eval.
    """
    if not expected.strip():
        raise EmptyFileError(path, None, "no line", "lines of trec_eval")
    _check_form(path, expected)
    printed = {key: value for key, value, _ in _lines_with_keys(output)}
    lines = {key: ExpectedLine(value, number) for key, value, number in _lines_with_keys(expected, printed)}
    runs_of_file = _runs_of(lines)
    printed = _named_as_in(runs_of_file, printed)
    runs_printed = _runs_of(printed)
    in_both = [run for run in runs_printed if run in runs_of_file]
    yield from unmatched(
        [run for run in runs_printed if run not in runs_of_file],
        [run for run in runs_of_file if run not in runs_printed],
        path,
        allowed=allowed,
        any_matched=bool(in_both),
        gate=EXPECT,
    )
    known_measures = {key.measure for key in lines} | {RUN_NAME}
    new_measures = dict.fromkeys(text_of(key.measure) for key in printed if key.measure not in known_measures)
    if new_measures:
        message = f"{', '.join(new_measures)}: printed now, not in {text_of(path)}"
        yield GateFinding(gate=EXPECT, message=message, path=path, verdict=Verdict.NOTE)
    is_alone = len({*runs_printed, *runs_of_file}) == 1
    for run in in_both:
        comparison = _RunLines(
            path=path,
            run_name="" if is_alone else f", run {cut(run, ID_CHARACTERS)}",
            expected={key: line for key, line in lines.items() if key.run == run},
            printed={key: value for key, value in printed.items() if key.run == run},
        )
        yield from comparison.findings(known_measures, allowed)


def _check_form(path: str, expected: bytes) -> None:
    """Raise InputError for a file of which no line is one of trec_eval."""
    first = None
    for number, line in enumerate(expected.split(b"\n"), 1):
        if line.count(b"\t") == 2:
            return
        if first is None and line.strip():
            first = number, line
    assert first is not None, "a file of blank lines is an error of its own"
    number, line = first
    advice = ""
    if re.fullmatch(rb"\S+ +\S+ +\S+\s*", line):
        advice = "this one has blanks in place of tabs"
    raise InputError(
        path,
        number,
        f"found {quoted(line.rstrip())}",
        "a line of trec_eval (measure, topic and value, with tabs between them)",
        advice,
    )


def _lines_with_keys(
    text: bytes, printed: PrintedLines | None = None
) -> Iterator[tuple[LineKey, bytes, int]]:
    """Yield the lines of trec_eval output: what they give the value of, the value, the line number.

    printed  our lines, by which lines that no line names the run of are given to runs
    """
    unnamed_runs = _UnnamedRuns(printed or {})
    repeats: Counter[tuple[str, bytes, bytes]] = Counter()
    run = ""
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        fields = [field.strip() for field in line.split(b"\t", 2)]
        measure, topic, value = [*fields, b"", b""][:3]
        if (measure, topic) == (RUN_NAME, SUMMARY_TOPIC):
            run = text_of(value)
        repeats[run, measure, topic] += 1
        repeat = repeats[run, measure, topic]
        key = LineKey(run, measure, topic, repeat)
        if not run:
            key = unnamed_runs.key(measure, topic, repeat)
        yield key, value, number


class _UnnamedRuns:
    """Runs of a file that does not name them: the first has as many lines as we print of it, and so on."""

    def __init__(self, printed: PrintedLines) -> None:
        """Count the lines that we print of each measure, topic and run."""
        self._runs = _runs_of(printed)
        self._num_lines = Counter((key.measure, key.topic, key.run) for key in printed)

    def key(self, measure: bytes, topic: bytes, repeat: int) -> LineKey:
        """Return the run of a line, the `repeat`-th of this measure and topic in the file."""
        repeat_in_run = repeat
        for run in self._runs:
            # Two, if a topic is called as the lines over all topics are.
            num_lines = max(self._num_lines[measure, topic, run], 1)
            if repeat_in_run <= num_lines:
                return LineKey(run, measure, topic, repeat_in_run)
            repeat_in_run -= num_lines
        return LineKey(f"number {repeat}", measure, topic, 1)


def _runs_of(lines: PrintedLines | ExpectedLines) -> list[str]:
    """Return the names of the runs, in order."""
    return list(dict.fromkeys(key.run for key in lines))


def _named_as_in(runs_of_file: Sequence[str], printed: PrintedLines) -> PrintedLines:
    """Return our lines; those of a single run get the name that it has in the file.

    The file may have been made of several runs, with names that are shorter: one of them has to be a part of
    ours between other characters than letters and digits.
    """
    runs_printed = _runs_of(printed)
    if len(runs_printed) != 1 or runs_printed[0] in runs_of_file:
        return printed
    (run,) = runs_printed
    names = [name for name in runs_of_file if re.search(rf"(?<![^\W_]){re.escape(name)}(?![^\W_])", run)]
    if len(names) != 1:
        return printed
    (name,) = names
    renamed = {key._replace(run=name): value for key, value in printed.items()}
    for key in renamed:
        if key.names_run:
            renamed[key] = name.encode("utf-8", "surrogateescape")
    return renamed


class _RunLines(NamedTuple):
    """Lines of one run.

    path      of the file
    run_name  the run as messages name it behind a comma, empty for a single run
    expected  the lines of the file
    printed   our lines
    """

    path: str
    run_name: str
    expected: ExpectedLines
    printed: PrintedLines

    def findings(self, known_measures: set[bytes], allowed: bool) -> Iterator[GateFinding]:
        """Yield what this call's options leave out, then each line of the file, then the lines that it lacks.

        known_measures  of the whole file
        allowed         whether lines that the file lacks are no failure
        """
        left_out = self._left_out()
        for option, keys in left_out.items():
            if keys:
                yield self._left_out_finding(option, keys)
        not_compared = {key for keys in left_out.values() for key in keys}
        for key in self.expected:
            if key not in not_compared:
                yield self._comparison(key)
        new = self._new_lines(known_measures)
        if new:
            yield self._new_lines_finding(new, allowed)

    def _new_lines(self, known_measures: set[bytes]) -> list[LineKey]:
        """Return the lines that we print and that the file of the run should have, but does not.

        A file of lines over all topics alone is complete.  A measure that the file has nowhere is new, which
        is no fault, unless the file ends before the lines over all topics.
        """
        has_topics = any(key.topic != SUMMARY_TOPIC for key in self.expected)
        has_summary = any(key.topic == SUMMARY_TOPIC and not key.names_run for key in self.expected)
        ends_early = has_topics and not has_summary
        new = []
        for key in self.printed:
            if key in self.expected or key.names_run:
                continue
            is_known = key.measure in known_measures and (has_topics or key.topic == SUMMARY_TOPIC)
            if is_known or (key.topic == SUMMARY_TOPIC and ends_early):
                new.append(key)
        return new

    def _left_out(self) -> dict[str, list[LineKey]]:
        """Return the lines of the file that this call leaves out, by the option that it lacks or has."""
        ours = [key for key in self.printed if not key.names_run]
        prints_topics = any(key.topic != SUMMARY_TOPIC for key in ours)
        prints_summary = any(key.topic == SUMMARY_TOPIC for key in ours)
        printed_measures = {key.measure for key in ours}
        left_out: dict[str, list[LineKey]] = {"-q": [], "-n": [], "-m": []}
        for key in self.expected:
            if key.names_run:
                continue
            if key.topic != SUMMARY_TOPIC and not prints_topics:
                left_out["-q"].append(key)
            elif key.topic == SUMMARY_TOPIC and not prints_summary:
                left_out["-n"].append(key)
            elif key.measure not in printed_measures:
                left_out["-m"].append(key)
        return left_out

    def _left_out_finding(self, option: str, keys: Sequence[LineKey]) -> GateFinding:
        """Return the failure for lines of the file that an option of this call leaves out."""
        if option == "-q":
            lines, other_call = f"{plural(len(keys), 'line')} of topics", "with -q"
        elif option == "-n":
            lines, other_call = f"{plural(len(keys), 'line')} over all topics", "without -n"
        else:
            labels = list(dict.fromkeys(cut(text_of(key.measure), ID_CHARACTERS) for key in keys))
            lines, other_call = listed(labels), f"with -m {labels[0]}"
            if split_label(labels[0])[1]:
                other_call = "with --groups"
        number = self.expected[keys[0]].number
        return GateFinding(
            gate=EXPECT,
            message=f"{text_of(self.path)}:{number}: {lines}, which this call does not print: the file was"
            f" made {other_call}{self.run_name}",
            path=self.path,
            line=number,
        )

    def _comparison(self, key: LineKey) -> GateFinding:
        """Return whether we print a line of the file with its value."""
        value, number = self.expected[key]
        checked = f"{text_of(self.path)}:{number}: {key}{self.run_name}"
        printed = self.printed.get(key)
        return GateFinding(
            gate=EXPECT,
            message=f"{checked}: {_difference_text(value, printed)}",
            path=self.path,
            line=number,
            measure=text_of(key.measure),
            size=-number,
            verdict=Verdict.from_check(printed == value),
            checked=checked,
        )

    def _new_lines_finding(self, keys: Sequence[LineKey], allowed: bool) -> GateFinding:
        """Return the finding about lines of ours that the file should have."""
        if len(keys) == 1:
            lines = f"1 line that is printed now is not in it, {keys[0]}"
        else:
            lines = f"{len(keys)} lines that are printed now are not in it, the first {keys[0]}"
        message = f"{text_of(self.path)}: {lines}{self.run_name}"
        if not allowed:
            message += "; is the file cut? (--allow-unmatched lets this pass)"
        return GateFinding(
            gate=EXPECT,
            message=message,
            path=self.path,
            verdict=Verdict.from_difference(allowed),
        )


def _difference_text(expected: bytes, printed: bytes | None) -> str:
    """Return the value wanted and the one printed, if there is one, and how far they are apart."""
    if printed is None:
        return f"wanted {quoted(expected)}, no such line here"
    values = f"wanted {quoted(expected)}, got {quoted(printed)}"
    change = number_of(text_of(printed)) - number_of(text_of(expected))
    if change == 0 or not math.isfinite(change):
        return values
    direction = "higher" if change > 0 else "lower"
    return f"{values}, {abs(change):.6g} {direction}, 0 allowed"
