"""Splits: parts of a run for different workers.

They are ranges of bytes of a text, row groups of a Parquet file, or whole files.  Ranges end where a line, or
a topic, begins: the process that plans the work looks for that place.
"""

from __future__ import annotations

from collections.abc import Generator, Iterator

from pres_eval.reading.blocks import Block, FileFormat, check_scores, whole_topics
from pres_eval.reading.cuts import Cut, before_last_topic, behind_last_line
from pres_eval.reading.file import CHUNK, Chunk, File
from pres_eval.reading.headings import Role
from pres_eval.records import dataclass

WORKER_CHUNK = 1 << 20
"""Bytes that a worker reads at a time: half of CHUNK; from 0.5 to 2 MiB it takes about as long."""


@dataclass(frozen=True)
class Split:
    """A part of a run.

    number       which file of the run has it, from 0
    start, stop  its bytes of a text, or its row groups; `stop` None: the whole file
    """

    number: int
    start: int = 0
    stop: int | None = None


def text_splits(number: int, file: File, size: int, by_topic: bool) -> Iterator[Split]:
    """Yield ranges of about `size` bytes of the number-th file, with `by_topic` of whole topics.

    A compressed file is one split.
    Raises ScatteredError, so that the run is ranked as one in no order, for a topic of more than
    LARGEST_TOPIC bytes.
    """
    for start, stop in file.splits(cut_for(by_topic), size):
        yield Split(number, start, stop)


def parquet_splits(number: int, file: File, size: int) -> Iterator[Split]:
    """Yield row groups of the number-th file that have about `size` bytes together."""
    from pres_eval.reading.formats.parquet import column_names, opened

    with opened(file) as parquet:
        column_names(file, parquet, Role.RUN)  # raises InputError
        groups = [parquet.metadata.row_group(group) for group in range(parquet.num_row_groups)]
    start = num_bytes = 0
    for stop, group in enumerate(groups, 1):
        num_bytes += group.total_byte_size
        if num_bytes >= size or stop == len(groups):
            yield Split(number, start, stop)
            start, num_bytes = stop, 0


def text_chunks(
    file: File, by_topic: bool, start: int = 0, stop: int | None = None
) -> Generator[Chunk, None, None]:
    """Return the chunks of a text, or of a range of it; with `by_topic`, all topics of a chunk are whole.

    Chunks of a range of whole topics, which a worker reads, have WORKER_CHUNK bytes, others CHUNK.
    Raises ScatteredError, so that the run is ranked as one in no order, for a topic of more than
    LARGEST_TOPIC bytes.
    """
    is_of_worker = stop is not None and by_topic
    size = WORKER_CHUNK if is_of_worker else CHUNK
    return file.chunks(start, stop, cut_for(by_topic), size)


def cut_for(by_topic: bool) -> Cut:
    """Return the function that cuts between topics, or only between lines."""
    return before_last_topic if by_topic else behind_last_line


def blocks_in(file: File, split: Split, form: FileFormat, by_topic: bool) -> Iterator[Block]:
    """Yield the rows of a split of a file in another format than trec_eval's.

    Only of Parquet it may be a part of a file: row groups.

    by_topic  whether each block has all rows of its topics, if these are together in the file
    Raises InputError for a score that is not a number.
    """
    if split.stop is None:
        blocks = form.read(file, Role.RUN)
    else:
        from pres_eval.reading.formats.parquet import blocks_of_groups

        blocks = blocks_of_groups(file, split.start, split.stop, by_topic)
    if by_topic:
        blocks = whole_topics(blocks)
    for block in blocks:
        check_scores(file.name, block)
        yield block
