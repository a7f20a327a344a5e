"""Runs in any format: trec_eval's, or what the file turns out to be."""

from __future__ import annotations

import os
import stat
from collections.abc import Iterator
from dataclasses import replace
from typing import TYPE_CHECKING

import numpy as np

from pres_eval.errors import InputError, UsageError
from pres_eval.options import Options
from pres_eval.ranking.run_file import Judged, Ranking, read_run
from pres_eval.reading.cutting import ScatteredError
from pres_eval.reading.source import Source
from pres_eval.workers import num_processors

if TYPE_CHECKING:
    from pres_eval.reading.formats.columns import Format, Part

TREC = "trec_results"
PARQUET = "parquet"
PARQUET_MAGIC = b"PAR1"
LARGE = 16 << 20
"""Bytes of a run that are worth one more process: to copy one takes as long as reading two megabytes."""
RUN_FORMATS = ("msmarco", "beir", "json", "jsonl", PARQUET)


class RunInParts(Source):
    """A run that is not read as a stream; it knows how."""

    alone = False
    """Whether it is read with all that the machine has, so that no other run should be read at the time."""

    def rank(self, judged: Judged, options: Options, jobs: int | None, form: str) -> Ranking:
        """What `read_any_run` gives for it."""
        raise NotImplementedError


def is_in_parts(path: str) -> bool:
    """Whether a path is that of a folder or of a Parquet file, which are not read as streams."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116
        if not stat.S_ISREG(mode):
            return stat.S_ISDIR(mode)
        with open(path, "rb", buffering=0) as file:  # noqa: PTH123
            return file.read(len(PARQUET_MAGIC)) == PARQUET_MAGIC
    except (OSError, ValueError):
        return False  # whoever reads it says why not


def check_format(form: str) -> None:
    """Raise UsageError for a name of a format (-T) that does not exist."""
    if form not in (TREC, *RUN_FORMATS):
        raise UsageError(f"-T {form}: no such format, expected one of {', '.join((TREC, *RUN_FORMATS))}")


def read_any_run(
    source: Source, judged: Judged, options: Options, jobs: int | None = None, form: str = TREC
) -> Ranking:
    """Read a run and rank its documents; `form` is that of -T.

    A file that is no trec run is recognised by its beginning if it is in another format.
    """
    if isinstance(source, RunInParts):
        return source.rank(judged, options, jobs, form)
    if form != TREC:
        from pres_eval.reading.formats.recognising import FORMATS

        check_format(form)
        return _ranked(source, FORMATS[form], judged, options, jobs)
    try:
        return read_run(source, judged, options, jobs)
    except InputError:
        from pres_eval.reading.formats.recognising import recognised

        found = recognised(source, grades=False)
        if found is None:
            raise
        return _ranked(source, found, judged, options, jobs)


def _ranked(source: Source, form: Format, judged: Judged, options: Options, jobs: int | None) -> Ranking:
    """The run part by part while its topics are together, else as a whole."""
    jobs = jobs or num_processors()
    try:
        ranking = _streamed(source, form, judged, options, jobs)
    except ScatteredError:
        from pres_eval.reading.formats.columns import joined

        ranking = _rank(source, joined(source, form.read(source, False)), judged, options, jobs)
    return replace(ranking, form=form.meaning)


def _streamed(source: Source, form: Format, judged: Judged, options: Options, jobs: int) -> Ranking:
    """Rank topics as they become complete; raises ScatteredError if one comes again."""
    from pres_eval.ranking.columns import ranking_of
    from pres_eval.ranking.ranked import Topics
    from pres_eval.ranking.unjudged import UnjudgedTopics
    from pres_eval.reading.formats.columns import joined

    topics, unjudged = Topics(), UnjudgedTopics()
    seen: set[bytes] = set()
    num_rows = 0
    for part in _whole_topics(source, form.read(source, False)):
        ids = list(part.topics)
        if len(set(ids)) < len(ids) or not seen.isdisjoint(ids):
            raise ScatteredError
        seen.update(ids)
        try:
            ranking = _rank(source, part, judged, options, jobs)
        except InputError:
            raise ScatteredError from None  # rows are numbered from the start of the file
        topics.add(ranking)
        if len(ranking.unjudged_ids):
            unjudged.add(ranking.unjudged_ids)
        num_rows += len(part.documents)
    if not num_rows:
        joined(source, iter(()))
    unjudged_ids = unjudged.ids().take(slice(None))
    ranked = ranking_of(
        topics.ranked(), judged, options, source.name, tag_of(source.name), num_rows, unjudged_ids
    )
    return replace(ranked, more_unjudged=unjudged.more)


def _whole_topics(source: Source, parts: Iterator[Part]) -> Iterator[Part]:
    """Parts of whole topics, as long as these are together: the last topic of each waits for the next."""
    from pres_eval.reading.formats.columns import joined

    waiting: list[Part] = []
    for part in parts:
        if len(part.topics) == 1 and (not waiting or part.topics[0] == waiting[-1].topics[-1]):
            waiting.append(part)
            continue
        begin = int(part.lengths[:-1].sum())
        head, tail = _cut(part, 0, len(part.topics) - 1), _cut(part, len(part.topics) - 1, len(part.topics))
        if begin or waiting:
            yield _together(joined(source, iter([*waiting, head])))
        waiting = [tail]
    if waiting:
        yield _together(joined(source, iter(waiting)))


def _together(part: Part) -> Part:
    """The same with neighbouring groups of one topic as one group."""
    from pres_eval.arrays.ordering import changes

    first = changes(part.topics.take(slice(None)))
    return replace(part, topics=part.topics.pick(first), lengths=np.add.reduceat(part.lengths, first))


def _cut(part: Part, first: int, last: int) -> Part:
    """The groups first ... last-1."""
    ends = np.concatenate(([0], np.cumsum(part.lengths)))
    rows = slice(int(ends[first]), int(ends[last]))
    return replace(
        part,
        topics=part.topics.pick(slice(first, last)),
        lengths=part.lengths[first:last],
        documents=part.documents.pick(rows),
        numbers=part.numbers[rows],
        lines=None if part.lines is None else part.lines[rows],
    )


def _rank(source: Source, part: Part, judged: Judged, options: Options, jobs: int) -> Ranking:
    from pres_eval.ranking.columns import RunColumns, rank_columns

    columns = RunColumns(
        name=source.name,
        topics=part.topics.take(slice(None)),
        lengths=part.lengths,
        documents=part.documents,
        scores=part.numbers.astype(np.float64),
        tag=tag_of(source.name),
    )
    return rank_columns(columns, judged, options, jobs)


def tag_of(name: str) -> str:
    """A name for a run whose format has none: that of the file, without its endings."""
    return name.rpartition("/")[2].partition(".")[0] or "run"
