"""Runs as files: one file, a pipe, an address, or a folder of part files."""

from __future__ import annotations

import contextlib
import os
import re
import stat
from collections.abc import Iterator, Sequence
from dataclasses import replace
from functools import partial
from typing import NoReturn

from pres_eval.errors import EmptyFileError, InputError, PresEvalError, UsageError, quoted, readable, reason
from pres_eval.reading.file import File
from pres_eval.reading.headings import Role
from pres_eval.reading.judgements.datasets import DATASET, qrels_text
from pres_eval.reading.naming import named
from pres_eval.reading.storage import files_in, is_remote, remote_version
from pres_eval.reading.streams import Progress
from pres_eval.records import dataclass

PARQUET_ENDING = ".parquet"
"""Ending of the name of a folder whose files with this ending are the parts of one table."""

PARQUET_MAGIC = b"PAR1"
"""First bytes of Parquet files."""

TREC = "trec_results"
PARQUET = "parquet"
"""Names of formats of runs, as -T gives them."""

TABLE_FORMATS = ("beir", "json", "jsonl", "csv", PARQUET)
"""Formats other than trec_eval's of runs and of judgements, as -T and -R name them."""

RUN_FORMATS = ("msmarco", *TABLE_FORMATS)
"""Formats of runs other than trec_eval's, as -T names them."""


@dataclass(frozen=True, eq=False)
class RunFiles:
    """A run in one file, or in part files, as Spark and the like write them.

    name     as messages call it
    sources  the files in the order of the numbers in their names, which is that of their rows
    form     its format: TREC, or the name of one of `recognising.FORMATS`
    """

    name: str
    sources: tuple[File, ...]
    form: str = TREC

    def size(self) -> int | None:
        """Return how many bytes all files have, None if that is not known of one."""
        total = 0
        for source in self.sources:
            size = source.size()
            if size is None:
                return None
            total += size
        return total

    def watch(self, progress: Progress | None) -> None:
        """Call `progress` after each read with the number of bytes that were read; None: nobody is told."""
        for source in self.sources:
            source.watch(progress)

    def advance(self, count: int) -> None:
        """Call the `progress` of `watch`, which all files share, with a number of bytes read elsewhere.

        Other processes read splits of the files: only they know when.
        """
        self.sources[0].advance(count)

    def of_form(self, form: str) -> RunFiles:
        """Return the files in the format of -T, or without -T in Parquet, as it is recognised.

        A single file for which --columns names columns is read in the format that its beginning shows.
        Raises InputError if some part files are in Parquet and others not, or if no column of Parquet orders
        them.
        """
        if len(self.sources) > 1:
            return self._parts_of_form(form)
        (source,) = self.sources
        if source.naming.columns or source.naming.grades:
            form = form_of_named(source, form)
        elif form == TREC and source.starts_with(PARQUET_MAGIC):
            form = PARQUET
        return replace(self, form=form)

    def _parts_of_form(self, form: str) -> RunFiles:
        """Return the part files in the format of -T, or in Parquet; of Parquet without files that are empty.

        Text whose columns --columns numbers is one file with all lines.
        Raises InputError if some are in Parquet and others not, or if no column of Parquet orders them.
        """
        if form not in (TREC, PARQUET):
            return replace(self, form=form)
        filled_sources = [source for source in self.sources if source.size() != 0]
        is_parquet = [source.starts_with(PARQUET_MAGIC) for source in filled_sources]
        is_parquet_run = form == PARQUET or is_parquet[:1] == [True]
        for source, is_parquet_file in zip(filled_sources, is_parquet, strict=True):
            if is_parquet_file != is_parquet_run:
                problem = "no Parquet"
                if is_parquet_file:
                    problem = "Parquet"
                raise InputError(
                    source.name, None, problem, "the part files of a run all as text, or all as Parquet"
                )
        if not filled_sources:
            return replace(self, form=form)
        naming = filled_sources[0].naming
        if is_parquet_run:
            if naming.columns or naming.grades:
                from pres_eval.reading.formats.parquet import check_order_of_parts

                for source in filled_sources:
                    check_order_of_parts(source)
            return RunFiles(self.name, tuple(filled_sources), PARQUET)
        if naming.for_role(Role.RUN).by_number:
            # As one text, whose rows go on from part to part where their order is the ranking.
            whole_text = text_at(self.name)
            return RunFiles(self.name, (whole_text,), form_of_named(whole_text, form))
        return replace(self, form=form)

    @property
    def is_remote(self) -> bool:
        """Return whether fsspec opens the files."""
        return any(source.is_remote for source in self.sources)


def check_format(form: str) -> None:
    """Raise UsageError for a name of a format (-T) that does not exist."""
    if form not in (TREC, *RUN_FORMATS):
        raise UsageError(f"-T {form}: no such format, expected one of {', '.join((TREC, *RUN_FORMATS))}")


def form_of_named(source: File, form: str) -> str:
    """Return the format of a run for which options name columns; `form` if the file lacks these columns.

    Of Parquet it is NAMED, so that the columns are those that the options name.
    """
    from pres_eval.reading.formats.recognising import NAMED, recognised

    if not source.naming.for_role(Role.RUN).columns:
        return form
    recognised_format = recognised(source, Role.RUN)
    if recognised_format is None:
        return form
    if recognised_format.name == PARQUET:
        return NAMED
    return recognised_format.name


def run_at(address: str) -> RunFiles:
    """Return the run at a path or an address; an error of this is raised when the run is read."""
    try:
        may_be_folder = "://" in address or os.path.isdir(address)  # noqa: PTH112
        parts = None
        if may_be_folder:
            parts = _part_files(address)
        if parts is not None:
            return RunFiles(address.rstrip("/"), tuple(map(source_at, parts)))
        return RunFiles(File(address).name, (source_at(address),))
    except PresEvalError as error:
        unreadable = File(address, pieces=partial(_raise, error))
        return RunFiles(address, (unreadable,))


def source_at(address: str) -> File:
    """Return the file at a path or an address; of `irds:ID` the judgements of a dataset of ir_datasets."""
    if address.startswith(DATASET):
        return File(address, pieces=partial(qrels_text, address))
    if "://" in address and is_remote(address):
        return named(File(address, version=remote_version(address), is_remote=True))
    return named(File(address))


def _raise(error: PresEvalError) -> NoReturn:
    """Raise an error."""
    raise error


def _part_files(address: str) -> list[str] | None:
    """Return the part files of a folder in order, None if there is no folder at this address.

    Raises InputError for a folder with no part files, or with other files beside them.
    """
    if "://" in address:
        paths = files_in(address)
        if paths is None:
            return None
    else:
        with readable(address):
            paths = [os.path.join(address, name) for name in os.listdir(address)]  # noqa: PTH118, PTH208
    # The programs that write them put files of their own beside them: _SUCCESS, _metadata, .part-00000.crc
    parts = [path for path in paths if not _file_name(path).startswith(("_", "."))]
    others = [path for path in parts if not _is_part(address, path)]
    if not parts or others:
        problem = reason(IsADirectoryError())
        if others:
            problem += f" with {quoted(_file_name(others[0]))}"
        expected = "a readable file, or a folder of nothing but the part files (part-*) of one run"
        raise InputError(address, None, problem, expected)
    if "://" not in address:
        for part in parts:
            _check_no_pipe(part)
    return sorted(parts, key=_by_number)


def _file_name(path: str) -> str:
    """Return the last part of a path or an address."""
    return path.replace(os.sep, "/").rpartition("/")[2]  # Windows' paths have backslashes


def _check_no_pipe(path: str) -> None:
    """Raise InputError for a part file that is a pipe or a device, which might never end."""
    try:
        mode = os.stat(path).st_mode  # noqa: PTH116 - pathlib takes a while to import
    except OSError:  # it is reported when it is read
        return
    if not stat.S_ISREG(mode):
        raise InputError(path, None, "no ordinary file among part files", "part files of one run")


def _is_part(folder: str, file: str) -> bool:
    """Return whether a file has a name of part files: part-00000, or any name with the folder's .parquet."""
    name = _file_name(file)
    if re.match(r"part[-._]", name) is not None:
        return True
    return folder.rstrip("/").endswith(PARQUET_ENDING) and name.endswith(PARQUET_ENDING)


def _by_number(file: str) -> tuple[list[tuple[int, str]], str]:
    """Return the key that sorts part.10 behind part.9, and part-00010 behind part-00009."""
    words_of_name: list[tuple[int, str]] = []
    for word in re.split(r"(\d+)", _file_name(file)):
        if word.isdecimal():
            words_of_name.append((int(word), ""))
        else:
            words_of_name.append((-1, word))
    return words_of_name, file


def text_at(address: str) -> File:
    """Return the file at a path or an address; the part files of a folder as one file with all their lines.

    Raises UsageError if the part files are no text.
    """
    run = run_at(address)
    if len(run.sources) == 1:
        return run.sources[0]
    for source in run.sources:
        if source.starts_with(PARQUET_MAGIC):
            raise UsageError(
                f"{run.name}: part files in Parquet, expected text, or one of them: {source.name}"
            )
    return named(File(run.name, pieces=partial(_texts, run.sources)))


def _texts(sources: Sequence[File]) -> Iterator[bytes]:
    """Yield the text of part files, decompressed, in chunks of whole lines."""
    for source in sources:
        with contextlib.suppress(EmptyFileError):
            for chunk in source.chunks():
                yield chunk.text()
