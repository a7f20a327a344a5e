"""The values of all topics of any number of runs as one Parquet file (extra `parquet`)."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any, BinaryIO

from pres_eval.errors import MissingExtraError
from pres_eval.measures.base import Format
from pres_eval.measures.selection import Selection
from pres_eval.report.text import text_of
from pres_eval.scoring import ScoredRun


class ParquetTable:
    """Takes the runs one after the other, so that no more than one of them is in memory."""

    def __init__(self, writer: Any, schema: Any) -> None:
        self._writer = writer
        self._schema = schema

    def add(self, name: str, evaluation: ScoredRun) -> None:
        """Write the topics of a run: its name, the topic, and a column for each measure."""
        import pyarrow

        columns: list[Any] = [
            pyarrow.array([name] * len(evaluation.topics), pyarrow.string()),
            pyarrow.array([text_of(topic) for topic in evaluation.topics], pyarrow.string()),
        ]
        for column, values in zip(evaluation.columns, evaluation.values, strict=True):
            if column.measure.per_topic:
                columns.append(pyarrow.array(values, self._schema.field(column.label).type))
        self._writer.write_table(pyarrow.Table.from_arrays(columns, schema=self._schema))


@contextmanager
def parquet_table(stream: BinaryIO, selection: Selection) -> Iterator[ParquetTable]:
    """A table of these columns, which is whole after the block.

    The columns are `run`, `topic` and one for each measure that topics have values of: doubles, or texts.
    """
    try:
        import pyarrow
        import pyarrow.parquet
    except ImportError:
        raise MissingExtraError("writing Parquet", "pyarrow", "parquet") from None
    fields = [("run", pyarrow.string()), ("topic", pyarrow.string())]
    for column in selection:
        if column.measure.per_topic:
            is_text = column.measure.format in (Format.TEXT, Format.TAG)
            fields.append((column.label, pyarrow.string() if is_text else pyarrow.float64()))
    schema = pyarrow.schema(fields)
    with pyarrow.parquet.ParquetWriter(stream, schema) as writer:
        yield ParquetTable(writer, schema)
