"""Columns of judgements: the same arrays as from the file that has them as lines."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.plain_reading import IDS, TOPICS

from pres_eval.arrays.ids import NO_IDS, Ids
from pres_eval.errors import InputError
from pres_eval.reading.blocks import Block
from pres_eval.reading.file import File
from pres_eval.reading.judgements.relevance import QrelsJudgements, qrels_of_block, read_qrels

JUDGEMENTS = st.lists(st.tuples(TOPICS, IDS, st.integers(-3, 200)), min_size=1, max_size=25)


def as_lists(qrels: QrelsJudgements) -> list[object]:
    pool, twice = qrels.pool, qrels.duplicates
    arrays = (pool.offsets, qrels.grade, twice.topic, twice.document, twice.grade)
    lines = (twice.first_line, twice.second_line)
    return [list(pool.topics), list(pool.documents), *(array.tolist() for array in (*arrays, *lines))]


@settings(deadline=None, max_examples=200)
@given(JUDGEMENTS, st.booleans())
def test_like_the_file(
    tmp_path_factory: pytest.TempPathFactory, rows: list[tuple[bytes, bytes, int]], numbered: bool
) -> None:
    path = tmp_path_factory.getbasetemp() / "qrels-of-columns"
    path.write_bytes(b"".join(b"%s\t0\t%s\t%d\n" % row for row in rows if not row[0].startswith(b"#")))
    block = Block.of_rows(
        Ids.from_texts([topic for topic, _, _ in rows]),
        Ids.from_texts([document for _, document, _ in rows]),
        np.array([grade for _, _, grade in rows], np.int64),
        np.arange(1, len(rows) + 1) if numbered else None,
    )
    found = qrels_of_block(str(path), block)
    assert as_lists(found) == as_lists(read_qrels(File(str(path))))


def test_no_judgements_are_a_fault() -> None:
    none = np.zeros(0, np.int64)
    with pytest.raises(InputError, match=r"^mine: no judgements, expected at least one$"):
        qrels_of_block("mine", Block(topics=Ids.from_texts([]), lengths=none, documents=NO_IDS, numbers=none))
