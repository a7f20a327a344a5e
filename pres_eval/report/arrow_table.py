"""The values of all topics of any number of runs as one Parquet file (extra `parquet`)."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, BinaryIO

from pres_eval.errors import MissingExtraError
from pres_eval.measures.base import Format
from pres_eval.measures.selection import Selection
from pres_eval.report.text import text_of
from pres_eval.scoring import ScoredRun
from pres_eval.summing import Values

Columns = Sequence[Sequence[Any] | Values]
Write = Callable[[Columns], None]


@contextmanager
def parquet_table(stream: BinaryIO, selection: Selection) -> Iterator[Callable[[str, ScoredRun], None]]:
    """Return a writer of runs, by name, into a table of these columns, which is whole after the block.

    The columns are `run`, `topic` and one for each measure that topics have values of: doubles, or texts.
    It takes the runs one after the other, so that no more than one of them is in memory.
    """
    kinds = {
        column.label: "string" if column.measure.format in (Format.TEXT, Format.TAG) else "double"
        for column in selection
        if column.measure.per_topic
    }
    with parquet_writer(stream, {"run": "string", "topic": "string", **kinds}) as write:

        def add(name: str, evaluation: ScoredRun) -> None:
            names, topics = [name] * len(evaluation.topics), [text_of(topic) for topic in evaluation.topics]
            of_topics = zip(evaluation.columns, evaluation.values, strict=True)
            write([names, topics, *(values for column, values in of_topics if column.measure.per_topic)])

        yield add


@contextmanager
def parquet_writer(stream: BinaryIO, fields: Mapping[str, str]) -> Iterator[Write]:
    """Return a writer of rows, given as columns, into a file that is whole after the block.

    fields: Arrow's types by the names of the columns.  Raises MissingExtraError.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("writing Parquet", "pyarrow", "parquet") from None
    schema = pyarrow.schema([(name, pyarrow.type_for_alias(kind)) for name, kind in fields.items()])
    with pyarrow.parquet.ParquetWriter(stream, schema) as writer:
        yield lambda columns: writer.write_table(pyarrow.table(list(columns), schema=schema))
