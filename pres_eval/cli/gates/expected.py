"""--expect: are the lines that we print those of a file, the output of trec_eval or an earlier one of ours?

"Printed" are our lines in this call, "expected" those of the file.
"""

from __future__ import annotations

import math
import re
from collections import Counter
from collections.abc import Iterator, Sequence
from typing import NamedTuple

from pres_eval.cli.gates.findings import GateFinding, Verdict, listed
from pres_eval.cli.gates.matching import unmatched
from pres_eval.errors import EmptyFileError, InputError, number_of, plural, quoted
from pres_eval.options import SUMMARY_TOPIC
from pres_eval.report.groups import split_label
from pres_eval.report.text import cut, text_of

EXPECT = "--expect"
"""Name of the gate in its findings."""

ID_CHARACTERS = 80
"""Characters of an id in a message; the rest is cut off."""

TOPIC_OF_SUMMARY_LINES = SUMMARY_TOPIC.encode()
"""Topic of the lines over all topics."""

RUN_NAME = b"run"
"""First column of the line over all topics that names one of several runs."""


class LineKey(NamedTuple):
    """What the value in a line of trec_eval's output belongs to.

    run      name of the run.  In a file that does not name its runs, it is the run of ours to which the line
             belongs; `number 3` for a third run if we print two.
    repeat   1 for the first line of this run, measure and topic, 2 for the second
    """

    run: str
    measure: bytes
    topic: bytes
    repeat: int

    @property
    def names_run(self) -> bool:
        """Return whether the value of the line is the name of a run."""
        return (self.measure, self.topic) == (RUN_NAME, TOPIC_OF_SUMMARY_LINES)

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


def line_findings(
    path: str, file_text: bytes, output: bytes, unmatched_allowed: bool = False
) -> Iterator[GateFinding]:
    """Yield a finding for each line of the file, whether we print its value, and for lines that it lacks.

    path               of the file
    file_text          its content
    output             our lines, each run after a line with its name
    unmatched_allowed  whether runs of only one side, and lines of ours that the file lacks, are no failure
    Raises EmptyFileError for a file without a line, and InputError for one without a line of trec_eval.
    """
    if not file_text.strip():
        raise EmptyFileError(path, None, "no line", "lines of trec_eval")
    _check_form(path, file_text)
    printed = {key: value for key, value, _ in _keyed_lines(output)}
    expected = {key: ExpectedLine(value, number) for key, value, number in _keyed_lines(file_text, printed)}
    runs_of_file = _runs_of(expected)
    printed = _named_as_in(runs_of_file, printed)
    runs_printed = _runs_of(printed)
    in_both = [run for run in runs_printed if run in runs_of_file]
    yield from unmatched(
        new=[run for run in runs_printed if run not in runs_of_file],
        gone=[run for run in runs_of_file if run not in runs_printed],
        path=path,
        allowed=unmatched_allowed,
        any_matched=bool(in_both),
        gate=EXPECT,
    )
    known_measures = {key.measure for key in expected} | {RUN_NAME}
    new_measures = dict.fromkeys(text_of(key.measure) for key in printed if key.measure not in known_measures)
    if new_measures:
        message = f"{', '.join(new_measures)}: printed now, not in {text_of(path)}"
        yield GateFinding(gate=EXPECT, message=message, path=path, verdict=Verdict.NOTE)
    is_only_run = len({*runs_printed, *runs_of_file}) == 1
    for run in in_both:
        comparison = _RunLines(
            path=path,
            run_suffix="" if is_only_run else f", run {cut(run, ID_CHARACTERS)}",
            expected={key: line for key, line in expected.items() if key.run == run},
            printed={key: value for key, value in printed.items() if key.run == run},
        )
        yield from comparison.findings(known_measures, unmatched_allowed)


def _check_form(path: str, file_text: bytes) -> None:
    """Raise InputError for a file in which no line has three columns between tabs, as trec_eval's have."""
    first = None
    for number, line in enumerate(file_text.split(b"\n"), 1):
        if line.count(b"\t") == 2:
            return
        if first is None and line.strip():
            first = number, line
    assert first is not None, "line_findings refuses a file of blank lines before"
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


def _keyed_lines(text: bytes, printed: PrintedLines | None = None) -> Iterator[tuple[LineKey, bytes, int]]:
    """Yield for each line of trec_eval output its key, its value, and the number of the line.

    printed  our lines: they tell which run a line belongs to if the text does not name its runs
    """
    unnamed_runs = _UnnamedRuns(printed or {})
    repeats: Counter[tuple[str, bytes, bytes]] = Counter()
    run = ""
    for number, line in enumerate(text.split(b"\n"), 1):
        if not line.strip():
            continue
        fields = [field.strip() for field in line.split(b"\t", 2)]
        measure, topic, value = [*fields, b"", b""][:3]  # columns that are not there are empty
        if (measure, topic) == (RUN_NAME, TOPIC_OF_SUMMARY_LINES):
            run = text_of(value)
        repeats[run, measure, topic] += 1
        repeat = repeats[run, measure, topic]
        key = LineKey(run, measure, topic, repeat)
        if not run:
            key = unnamed_runs.key(measure, topic, repeat)
        yield key, value, number


class _UnnamedRuns:
    """Runs of a file that does not name them.

    They are taken to be our runs, in our order: lines of a measure and topic belong to our first run, as many
    as we print of it, then to the second, and so on.
    """

    def __init__(self, printed: PrintedLines) -> None:
        """Count the lines that we print of each measure, topic and run."""
        self._runs = _runs_of(printed)
        self._num_lines = Counter((key.measure, key.topic, key.run) for key in printed)

    def key(self, measure: bytes, topic: bytes, repeat: int) -> LineKey:
        """Return the key, with its run, of the `repeat`-th line of this measure and topic in the file."""
        repeat_in_run = repeat
        for run in self._runs:
            # Mostly 1; 2 for topic `all` if a topic has this name, as the lines over all topics have; 0 for a
            # line that we do not print, of which the file has one for each run.
            num_lines = max(self._num_lines[measure, topic, run], 1)
            if repeat_in_run <= num_lines:
                return LineKey(run, measure, topic, repeat_in_run)
            repeat_in_run -= num_lines
        return LineKey(f"number {repeat}", measure, topic, 1)


def _runs_of(lines: PrintedLines | ExpectedLines) -> list[str]:
    """Return the names of the runs, in order."""
    return list(dict.fromkeys(key.run for key in lines))


def _named_as_in(runs_of_file: Sequence[str], printed: PrintedLines) -> PrintedLines:
    """Return our lines; if we print a single run, with the name that the file has for it.

    The file may be of several runs, whose names had lost what all have in common: bm25 for input.bm25.gz.  So
    exactly one name in the file has to be a part of ours in whole words; if not, our lines stay as they are.
    """
    runs_printed = _runs_of(printed)
    if len(runs_printed) != 1 or runs_printed[0] in runs_of_file:
        return printed
    (run,) = runs_printed
    names = [name for name in runs_of_file if _has_in_whole_words(run, name)]
    if len(names) != 1:
        return printed
    (name,) = names
    renamed = {key._replace(run=name): value for key, value in printed.items()}
    for key in renamed:
        if key.names_run:
            renamed[key] = name.encode("utf-8", "surrogateescape")
    return renamed


def _has_in_whole_words(text: str, part: str) -> bool:
    """Return whether a part is in the text without a letter or digit directly before or behind it."""
    return re.search(rf"(?<![^\W_]){re.escape(part)}(?![^\W_])", text) is not None


class _RunLines(NamedTuple):
    """Lines of one run, which are compared.

    path        of the file
    run_suffix  end of messages that names the run, with a comma before it; empty for a single run
    expected    the lines of the file
    printed     our lines
    """

    path: str
    run_suffix: str
    expected: ExpectedLines
    printed: PrintedLines

    def findings(self, known_measures: set[bytes], unmatched_allowed: bool) -> Iterator[GateFinding]:
        """Yield what this call's options leave out, then each line of the file, then the lines that it lacks.

        known_measures     of the whole file
        unmatched_allowed  whether lines that the file lacks are no failure
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
            yield self._new_lines_finding(new, unmatched_allowed)

    def _new_lines(self, known_measures: set[bytes]) -> list[LineKey]:
        """Return the lines of ours that the file should have for this run, but lacks.

        Lines of topics are not expected in a file of lines over all topics alone, and lines of a measure that
        the file has nowhere are expected only if it ends before the lines over all topics: it may be cut.
        """
        has_topics = any(key.topic != TOPIC_OF_SUMMARY_LINES for key in self.expected)
        has_summary = any(key.topic == TOPIC_OF_SUMMARY_LINES and not key.names_run for key in self.expected)
        ends_early = has_topics and not has_summary
        new = []
        for key in self.printed:
            if key in self.expected or key.names_run:
                continue
            is_summary = key.topic == TOPIC_OF_SUMMARY_LINES
            may_be_cut_off = is_summary and ends_early
            has_such_lines = key.measure in known_measures and (is_summary or has_topics)
            if may_be_cut_off or has_such_lines:
                new.append(key)
        return new

    def _left_out(self) -> dict[str, list[LineKey]]:
        """Return the lines of the file that this call leaves out, by the option that decides on them.

        -q: lines of topics, which need it; -n: lines over all topics, without it; -m: lines of measures that
        it does not name.
        """
        ours = [key for key in self.printed if not key.names_run]
        prints_topics = any(key.topic != TOPIC_OF_SUMMARY_LINES for key in ours)
        prints_summary = any(key.topic == TOPIC_OF_SUMMARY_LINES for key in ours)
        printed_measures = {key.measure for key in ours}
        left_out: dict[str, list[LineKey]] = {"-q": [], "-n": [], "-m": []}
        for key in self.expected:
            if key.names_run:
                continue
            if key.topic != TOPIC_OF_SUMMARY_LINES and not prints_topics:
                left_out["-q"].append(key)
            elif key.topic == TOPIC_OF_SUMMARY_LINES and not prints_summary:
                left_out["-n"].append(key)
            elif key.measure not in printed_measures:
                left_out["-m"].append(key)
        return left_out

    def _left_out_finding(self, option: str, keys: Sequence[LineKey]) -> GateFinding:
        """Return the failure for lines of the file that this call leaves out.

        option  the one that decides on them, as in `_left_out`
        """
        if option == "-q":
            lines, other_call = f"{plural(len(keys), 'line')} of topics", "with -q"
        elif option == "-n":
            lines, other_call = f"{plural(len(keys), 'line')} over all topics", "without -n"
        else:
            labels = list(dict.fromkeys(cut(text_of(key.measure), ID_CHARACTERS) for key in keys))
            lines, other_call = listed(labels), f"with -m {labels[0]}"
            _, group = split_label(labels[0])
            if group:
                other_call = "with --groups"
        number = self.expected[keys[0]].number
        return GateFinding(
            gate=EXPECT,
            message=f"{text_of(self.path)}:{number}: {lines}, which this call does not print: the file was"
            f" made {other_call}{self.run_suffix}",
            path=self.path,
            line=number,
            verdict=Verdict.FAILED,
        )

    def _comparison(self, key: LineKey) -> GateFinding:
        """Return the finding about a line of the file: passed if we print it with the same value."""
        value, number = self.expected[key]
        checked = f"{text_of(self.path)}:{number}: {key}{self.run_suffix}"
        printed = self.printed.get(key)
        return GateFinding(
            gate=EXPECT,
            message=f"{checked}: {_difference_text(value, printed)}",
            path=self.path,
            line=number,
            measure=text_of(key.measure),
            size=-number,  # the largest come first: so the findings are in the order of the lines
            verdict=Verdict.from_check(printed == value),
            checked=checked,
        )

    def _new_lines_finding(self, keys: Sequence[LineKey], unmatched_allowed: bool) -> GateFinding:
        """Return the finding about lines of ours that the file should have."""
        if len(keys) == 1:
            lines = f"1 line that is printed now is not in it, {keys[0]}"
        else:
            lines = f"{len(keys)} lines that are printed now are not in it, the first {keys[0]}"
        message = f"{text_of(self.path)}: {lines}{self.run_suffix}"
        if not unmatched_allowed:
            message += "; is the file cut? (--allow-unmatched lets this pass)"
        return GateFinding(
            gate=EXPECT,
            message=message,
            path=self.path,
            verdict=Verdict.from_difference(unmatched_allowed),
        )


def _difference_text(expected: bytes, printed: bytes | None) -> str:
    """Return in words the expected value, the printed one, and how far they are apart.

    printed  None if we print no such line
    """
    if printed is None:
        return f"wanted {quoted(expected)}, no such line here"
    values = f"wanted {quoted(expected)}, got {quoted(printed)}"
    change = number_of(text_of(printed)) - number_of(text_of(expected))
    if change == 0 or not math.isfinite(change):
        return values
    direction = "higher" if change > 0 else "lower"
    return f"{values}, {abs(change):.6g} {direction}, 0 allowed"
