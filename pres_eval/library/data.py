"""Judgements and runs of programs: read from paths, open files, dicts, tables and rows."""

from __future__ import annotations

import io
import math
import os
from collections.abc import Mapping, Set
from dataclasses import replace
from functools import cached_property
from itertools import chain
from typing import Any, cast

import numpy as np
from numpy.typing import NDArray

from pres_eval.arrays import narrow
from pres_eval.checking.second_look import (
    MOST_ROWS_COMPARED,
    SecondLook,
    is_worth_a_look,
    look_at_blocks,
    look_at_files,
)
from pres_eval.errors import InputError, UsageError
from pres_eval.library.arguments import is_dict, is_path
from pres_eval.library.dict_topics import NOT_TOO_LARGE, TOO_LARGE
from pres_eval.library.finding import block_of_dict, look_at_dict, rank_dict
from pres_eval.library.idcolumns import with_numbers
from pres_eval.library.ids import Lookup, ids_of, joined_ascii
from pres_eval.library.matrices import TopDocuments
from pres_eval.library.tables import NAME_WORDS, as_number, block_of_table, column_of, number_of_word
from pres_eval.options import Options
from pres_eval.ranking.ranking import Ranking, rank_block, with_nothing_for
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.ranking.runs import Runs, read_run
from pres_eval.reading import streams
from pres_eval.reading.blocks import Block, check_tag
from pres_eval.reading.file import File
from pres_eval.reading.headings import DOCNO, OF_TABLES, TOPIC, Role, pick
from pres_eval.reading.judgements.pool import Pool
from pres_eval.reading.judgements.relevance import (
    NO_DUPLICATES,
    QrelsJudgements,
    Relevance,
    qrels_of_block,
    read_relevance,
)
from pres_eval.reading.naming import current_naming, named
from pres_eval.reading.run_files import run_at, source_at

LOOKED_AT_ROWS = 1 << 10
"""First rows of a table that are looked at if some matched; few of them are compared."""


class _FileObject(File):
    """An open file, binary or text; it is read to its end when it is first used, and not closed."""

    def __init__(self, stream: Any, name: str | None, default_name: str) -> None:
        """Name the file for messages: `name`, or else the stream's own name, or else `default_name`."""
        name_of_stream = getattr(stream, "name", None)
        if not name:
            name = default_name
            if isinstance(name_of_stream, str) and name_of_stream:  # that of gzip may be empty
                name = name_of_stream
        super().__init__(name)
        self._stream = stream

    def size(self) -> int | None:
        """Return the number of bytes, for which the file is read."""
        return len(self._data)

    @cached_property
    def _data(self) -> bytes:
        """The content, read once; raises InputError for an object that reads neither bytes nor text."""
        data = self._stream.read()
        if isinstance(data, str):
            data = data.encode("utf-8", "surrogateescape")
        if not isinstance(data, (bytes, bytearray, memoryview)):
            raise InputError(
                self.name,
                None,
                f"an open file that reads {type(data).__name__}",
                "one that reads bytes or text",
            )
        return bytes(data)

    def _open_unchecked(self, start: int, stop: int | None) -> streams.OpenFile:
        """Return the bytes from `start` to `stop`, or to the end, as a file."""
        return streams.OpenFile(cast(streams.RawStream, io.BytesIO(self._data[start:stop])))


def plain_data(data: Any, name: str, grade: int | None = None) -> tuple[Any, bool]:
    """Return data as a dict by topic, a table or rows, and whether they are a dict by topic.

    Objects of ranx and ir_datasets become dicts and rows, and lists of documents in ranked order dicts.

    grade  of all documents in lists, if the data are judgements; None for a run
    Raises InputError for an object of another kind, for tables not computed yet, and for a topic of a run
    without a dict of documents.
    """
    role = Role.RUN if grade is None else Role.QRELS
    if _is_dict_of_dicts(data) and not _has_columns(data, role):  # as nearly always
        return data, True
    if hasattr(data, "qrels_iter"):
        data = data.qrels_iter()
    elif type(data).__module__.split(".")[0] == "ranx" and hasattr(data, "to_dict"):
        data = data.to_dict()
    if is_dict(data) and not _has_columns(data, role):
        by_topic = _without_lists(data, name, grade)
        if grade is None:  # judgements may have sets of documents too
            check_dicts(by_topic, name)
        return by_topic, True
    for method in ("collect", "compute"):  # frames of Polars and of Dask that are not computed yet
        if callable(getattr(data, method, None)) and hasattr(type(data), "columns"):
            package = type(data).__module__.split(".")[0]
            lazy = f"a {type(data).__name__} of {package}, which is not computed yet"
            raise InputError(name, None, lazy, "a table", f"give its .{method}()")
    if not (hasattr(data, "__iter__") or hasattr(data, "__arrow_c_stream__")):
        raise InputError(
            name,
            None,
            f"an object of type {type(data).__name__}",
            "a path, an open file, a dict of dicts, a table, or rows of topic, document and value",
        )
    return data, False


def _is_dict_of_dicts(data: Any) -> bool:
    """Return whether data are a dict of dicts, not of subclasses or of other mappings."""
    return type(data) is dict and set(map(type, data.values())) <= {dict}


def _has_columns(data: Mapping[Any, Any], role: Role) -> bool:
    """Return whether the keys of a dict are names of columns, not topics.

    role  RUN, or QRELS, whose columns the user may have named
    """
    topics, documents = OF_TABLES["topic"], OF_TABLES["document"]
    naming = current_naming()
    if naming.columns:
        headings = naming.for_role(role).columns
        topics = (*topics, *filter(None, [headings.get(TOPIC)]))
        documents = (*documents, *filter(None, [headings.get(DOCNO)]))
    if isinstance(next(iter(data.values()), None), Mapping):  # topics, as nearly always: nothing is respelled
        return not (data.keys().isdisjoint(topics) or data.keys().isdisjoint(documents))
    return pick(data, topics) is not None and pick(data, documents) is not None


def _without_lists(data: Mapping[Any, Any], name: str, grade: int | None = None) -> Mapping[Any, Any]:
    """Return a dict by topic with dicts of documents in place of lists in ranked order.

    grade  of all documents in lists, if these are judgements; None: the scores are -1, -2, ... by rank
    Raises InputError for a document that a list has twice.
    """
    by_topic: dict[Any, Any] = {}
    for topic, documents in data.items():
        if not isinstance(documents, (list, tuple)):
            by_topic[topic] = documents
            continue
        if grade is None:
            values = {document: -rank for rank, document in enumerate(documents, 1)}
        else:
            values = dict.fromkeys(documents, grade)
        if len(values) < len(documents):
            again = next(document for document in documents if documents.count(document) > 1)
            twice = f"document {again!r} twice in the list of topic {topic!r}"
            raise InputError(name, None, twice, "each document once")
        by_topic[topic] = values
    return by_topic


def check_dicts(data: Mapping[Any, Any], name: str) -> None:
    """Raise InputError for a topic that has no dict of documents."""
    if all(issubclass(kind, Mapping) for kind in set(map(type, data.values()))):
        return
    for topic, documents in data.items():
        if not isinstance(documents, Mapping):
            raise InputError(
                name,
                None,
                f"{type(documents).__name__} for topic {topic!r}",
                "a dict of documents and their values",
            )


def read_judgements(data: Any, form: str, name: str | None, jobs: int | None) -> Relevance:
    """Return judgements of any kind; raise InputError for unreadable ones.

    form  the format of a file (-R)
    name  of data that are no file, for messages; None: the name of an open file, or "qrels"
    jobs  threads that parse a file; None: one a processor
    """
    if is_path(data):
        return read_relevance(source_at(os.fspath(data)), form, jobs)
    if hasattr(data, "read"):
        return read_relevance(named(_FileObject(data, name, "qrels")), form, jobs)
    name = name or "qrels"
    data, by_topic = plain_data(data, name, grade=1)
    if by_topic:
        qrels = _qrels_of_texts(data, name)
        if qrels is not None:
            return qrels
    block = _block_of_dict(data, name) if by_topic else block_of_table(data, OF_TABLES["grade"], name)
    return qrels_of_block(name, replace(block, numbers=_as_grades(block.numbers, name)))


def _qrels_of_texts(data: Mapping[Any, Any], name: str) -> QrelsJudgements | None:
    """Return the judgements of a dict of dicts, as most are: texts of ASCII as ids, and whole grades.

    None for other dicts.  In these no two ids are the same, as 1 and "1" are, so that none are looked for.
    """
    if not _is_dict_of_dicts(data):
        return None
    judged = {topic: documents for topic, documents in data.items() if documents}
    if not judged or joined_ascii(chain(judged, *judged.values())) is None:
        return None
    topics = sorted(judged)
    documents_of_topics = [judged[topic] for topic in topics]
    grades = list(chain.from_iterable([documents.values() for documents in documents_of_topics]))
    if set(map(type, grades)) != {int}:
        return None
    grade = np.array(grades)
    if grade.dtype != np.int64:  # one is too large
        return None
    pool = Pool(
        topics=ids_of(topics, name),
        documents=ids_of(list(chain.from_iterable(documents_of_topics)), name),
        offsets=np.cumsum([0, *map(len, documents_of_topics)]),
    )
    return QrelsJudgements(name=name, pool=pool, grade=narrow(grade), duplicates=NO_DUPLICATES)


def _block_of_dict(data: Mapping[Any, Any], name: str) -> Block:
    """Return judgements from a dict of dicts, or of sets, whose documents have grade 1."""
    judged = {
        topic: dict.fromkeys(documents, 1) if isinstance(documents, Set) else _with_grades(documents)
        for topic, documents in data.items()
        if documents
    }
    check_dicts(judged, name)
    ids = list(chain.from_iterable(judged.values()))
    grades = column_of(list(chain.from_iterable([documents.values() for documents in judged.values()])))
    if grades.dtype.kind not in "biuf":
        numbers: list[int | float] = []
        for topic, documents in judged.items():
            for document, grade in documents.items():
                number = as_number(grade)
                if number is None:
                    text = f"relevance {grade!r} of document {document!r} of topic {topic!r}"
                    advice = NAME_WORDS if current_naming().grades else ""
                    raise InputError(name, None, text, "a number", advice)
                numbers.append(number)
        grades = column_of(numbers)
    return Block(
        topics=ids_of(list(judged), name),
        lengths=np.array(list(map(len, judged.values())), np.int64),
        documents=ids_of(ids, name),
        numbers=grades,
    )


def _with_grades(documents: Any) -> Any:
    """Return the documents of a topic, with grades in place of words for which the user named some.

    Words without a grade stay.
    """
    naming = current_naming()
    if not naming.grades or not is_dict(documents):
        return documents
    return {document: number_of_word(grade, naming) for document, grade in documents.items()}


def _as_grades(values: NDArray[Any], name: str) -> NDArray[Any]:
    """Return grades as int64 if all are whole numbers, even if stored as floats; else as gains in float64.

    Raises InputError for a value that is no finite number, and for a whole one that 64 bits cannot hold.
    """
    if values.dtype.kind == "f":
        values = values.astype(np.float64, copy=False)  # 2^63 is beyond 16 bits
        wrong = np.flatnonzero(~np.isfinite(values))
        if len(wrong):
            row = int(wrong[0])
            raise InputError(name, None, f"relevance {values[row]:g} in row {row + 1}", "a finite number")
        has_decimals = (np.trunc(values) != values).any()
        if has_decimals or (np.abs(values) >= 2.0**63).any():
            return values
        return values.astype(np.int64)
    if values.dtype.kind in "Ou":
        for row, value in enumerate(values.tolist(), 1):
            if isinstance(value, int) and not -(2**63) <= value < 2**63:
                expected = "a whole number from -2^63 to 2^63 - 1"
                raise InputError(name, None, f"relevance {TOO_LARGE} in row {row}", expected)
    if values.dtype.kind not in "biu" and not all(isinstance(value, int) for value in values.tolist()):
        raise InputError(name, None, f"relevance of type {values.dtype}", "numbers")
    return values.astype(np.int64)


def rank_any(
    data: Any,
    relevance: Relevance,
    lookup: Lookup,
    options: Options,
    name: str | None,
    jobs: int | None,
    empty: bool = False,
) -> Ranking:
    """Rank a run: a path, an open file, a dict of dicts, a table, or rows of topic, document and score.

    name   of data that are no file; None: the name of the object, or "run"
    jobs   threads; None: one a processor for files, one for other data
    empty  whether topics of a dict without documents count, as topics for which nothing was retrieved
    """
    if is_path(data):
        return read_run(run_at(os.fspath(data)), relevance, options, jobs)
    if hasattr(data, "read"):
        return read_run(named(_FileObject(data, name, "run")), relevance, options, jobs)
    name = name or getattr(data, "name", None)
    if isinstance(name, str) and name:
        check_tag(name, name)
    else:  # a column called so is no name of a table
        name = "run"
    data, by_topic = plain_data(data, name)
    # Mapping and exclusion need a block, which a dict without documents does not make.
    if by_topic and (relevance.rewriting is None or (empty and not any(data.values()))):
        return rank_dict(data, relevance, lookup, options, name=name, tag=name, empty=empty)
    block = with_numbers(block_of_data(data, by_topic, name), lookup)
    ranking = rank_block(name, block, RunRanker.for_judgements(relevance, options), name, jobs or 1)
    if not (empty and by_topic):
        return ranking
    indices = [lookup.index_of_topic(topic, name) for topic, documents in data.items() if not documents]
    empty_topics = np.array([index for index in indices if index is not None], np.int64)
    if not len(empty_topics):
        return ranking
    return with_nothing_for(ranking, empty_topics)


NO_LOOK = SecondLook()
"""Returned if no rows are read again."""


def look_again(data: Any, ranking: Ranking, relevance: Relevance, lookup: Lookup) -> SecondLook:
    """Return the faults that some rows of a run show when they are read again, for warnings.

    data  of which the ranking was made: a path, a dict, a table; others can be read only once, and are not
    """
    if is_path(data):
        return look_at_files(run_at(os.fspath(data)), ranking, relevance, is_only_run=True)
    if hasattr(data, "read") or not hasattr(data, "__len__") or isinstance(data, TopDocuments):
        return NO_LOOK
    # Small runs leave first, as these calls are the fastest.
    if relevance.rewriting is None and not is_worth_a_look(ranking, relevance.pool):
        return NO_LOOK
    data, by_topic = plain_data(data, ranking.name)
    if by_topic and relevance.rewriting is None:
        return look_at_dict(data, ranking, relevance, lookup)
    if not by_topic:
        most_rows = LOOKED_AT_ROWS if len(ranking.rank) else MOST_ROWS_COMPARED
        data = _first_rows(data, most_rows)
    block = block_of_data(data, by_topic, ranking.name)
    return look_at_blocks([block], ranking, relevance, is_brief=True)


def _first_rows(data: Any, number: int) -> Any:
    """Return the first rows of a table, so many at most; all of a table of unknown kind."""
    if isinstance(data, (list, tuple)):
        return data[:number]
    if hasattr(data, "head"):  # pandas, Polars
        return data.head(number)
    if hasattr(data, "slice"):  # Arrow
        return data.slice(0, number)
    return data


def block_of_data(data: Any, by_topic: bool, name: str) -> Block:
    """Return a run that is no file as a block: a dict by topic, or a table."""
    if by_topic:
        return block_of_dict(data, name)
    block = block_of_table(data, OF_TABLES["score"], name)
    try:
        return replace(block, numbers=block.numbers.astype(np.float64, copy=False))
    except OverflowError:
        raise InputError(name, None, f"a score {TOO_LARGE}", NOT_TOO_LARGE) from None


def rank_by_cluster(
    cluster: Any, data: Any, relevance: Relevance, options: Options, timeout: float | None = None
) -> Ranking:
    """Rank a run that is a file by the workers of a cluster.

    timeout  seconds to wait for the scheduler and its first worker; None: 30
    Raises UsageError for another run, and for a timeout that is no number above 0.
    """
    is_time = timeout is None or (isinstance(timeout, int | float) and 0 < timeout < math.inf)
    if not is_time:
        raise UsageError(f"cluster_timeout={timeout!r}: expected seconds, above 0")
    if not is_path(data):
        raise UsageError("cluster: its workers read files; expected a path or an address as the run")
    from pres_eval.engines.connecting import SECONDS, Patience, engine_of

    patience = Patience(SECONDS if timeout is None else timeout)
    with (
        engine_of(cluster, patience) as engine,
        Runs(RunRanker.for_judgements(relevance, options), engine) as runs,
    ):
        return runs.rank(run_at(os.fspath(data)))
