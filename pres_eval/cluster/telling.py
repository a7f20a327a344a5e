"""What the splits of a run tell besides ranks: faults, tags, topics without judgements, how it begins."""

from __future__ import annotations

import contextlib
from bisect import bisect_left
from collections.abc import Sequence
from operator import itemgetter

from pres_eval.cluster.scanning import Tally, Wanted
from pres_eval.cluster.splits import Split
from pres_eval.cluster.storage import File, source_of
from pres_eval.errors import EmptyFileError, InputError
from pres_eval.ranking.any_format import tag_of
from pres_eval.ranking.facts import Facts
from pres_eval.ranking.opening import Opening, opening_of
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.run_file import Ranking
from pres_eval.ranking.unjudged import UnjudgedTopics
from pres_eval.reading.cutting import cuts
from pres_eval.reading.lines import RUN, no_lines, parse_lines
from pres_eval.reading.source import Source
from pres_eval.records import dataclass


@dataclass(frozen=True)
class WholeRun:
    """A run, its files in order, and how it is ranked."""

    name: str
    files: tuple[File, ...]
    is_parquet: bool
    wanted: Wanted


class Telling:
    """Collects what the splits tell besides ranks, in the order of the file."""

    def __init__(self, run: WholeRun) -> None:
        self._run = run
        self.before = 0
        """Lines, or rows of Parquet, of the splits before."""
        self._begins: list[tuple[int, File]] = []
        self._facts = Facts()
        self._unjudged = UnjudgedTopics()
        self._nan: InputError | None = None

    @property
    def has_nan(self) -> bool:
        """Whether a score is not a number, so that nothing is ranked."""
        return self._nan is not None

    def where(self, place: int) -> tuple[File, int]:
        """The file of a line or row of the run, and which one of the file it is; both counted from 1."""
        begins, file = self._begins[bisect_left(self._begins, place, key=itemgetter(0)) - 1]
        return file, place - begins

    def take(self, split: Split, tally: Tally) -> None:
        """Take the next split; raises the InputError of its fault."""
        file = split.file
        self.before = self._facts.num_rows if self._run.is_parquet else self._facts.num_lines
        if not self._begins or self._begins[-1][1] is not file:
            self._begins.append((self.before, file))
        if tally.fault is not None:
            fault = tally.fault
            line = None if fault.line is None else self.before - self._begins[-1][0] + fault.line
            error = InputError(file.name, line, fault.found, fault.expected)
            if fault.of_lines:
                from pres_eval.reading.advice import with_advice

                error = with_advice(error, source_of(file), RUN.names)
            raise error
        if self._nan is None and tally.nan is not None:
            self._nan = InputError(file.name, None, tally.nan.found, tally.nan.expected)
        self._facts = self._facts.then(tally.facts)
        if len(tally.unjudged):
            self._unjudged.add(tally.unjudged)
        self._unjudged.more |= tally.more

    def check_end(self) -> None:
        """Raise InputError if there were no rows, or a score that is not a number."""
        if self._nan is not None:
            raise self._nan
        if self._facts.num_rows:
            return
        name = self._run.name
        if self._run.is_parquet:
            raise InputError(name, None, "no rows", "at least one")
        if not self._facts.num_lines:
            raise EmptyFileError(name, None, "the file is empty", "lines of text")
        raise no_lines(Source(name), RUN)

    def ranking(self, ranked: Ranked, whole_topics: bool) -> Ranking:
        """The result."""
        run, facts = self._run, self._facts.of_ranking()
        if run.is_parquet:
            facts["tag"] = tag_of(run.name)
        return Ranking(
            **vars(ranked),
            **facts,
            name=run.name,
            unjudged_ids=self._unjudged.ids(),
            single=run.wanted.single,
            ascending=run.wanted.ascending,
            more_unjudged=self._unjudged.more,
            opening=None if run.is_parquet else opening_of_files(run.files, whole_topics),
            form="Parquet" if run.is_parquet else None,
        )


def opening_of_files(files: Sequence[File], whole_topics: bool) -> Opening | None:
    """How the run opens, from the chunk that one process would look at."""
    for file in files:
        with contextlib.suppress(EmptyFileError):
            for cut in cuts(source_of(file), whole_topics):
                return opening_of(parse_lines(cut.chunk, RUN))
    return None
