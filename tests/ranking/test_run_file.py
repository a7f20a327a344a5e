"""Runs, read and ranked: the same as one line at a time, for any layout, chunk size and number of jobs."""

from __future__ import annotations

import random
import tracemalloc
from dataclasses import replace
from itertools import permutations
from pathlib import Path
from typing import Any
from unittest import mock

import numpy as np
import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from support.colliding import weaken_hashes
from support.plain_reading import (
    BYTE_ORDER_MARK,
    ODD_SCORES,
    PLAIN_SCORES,
    PlainError,
    PlainRun,
    PlainTopic,
    SmallSource,
    judgements_for,
    run_files,
)
from support.plain_reading import read_run as read_plainly
from support.pools import judged_pool, made_pool

from pres_eval.arrays import stretches
from pres_eval.errors import InputError
from pres_eval.options import Options
from pres_eval.ranking.parts import RankedPart
from pres_eval.ranking.ranking import Ranking
from pres_eval.ranking.run_ranker import RunRanker
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.pool import Pool

Judged = dict[bytes, set[bytes]]
WHOLE = 1 << 20


def pool_of(judged: Judged) -> Pool:
    return made_pool(
        [(topic, document) for topic, documents in judged.items() for document in sorted(documents)]
    )


def as_plain(ranking: Ranking, pool: Pool) -> PlainRun:
    """A Ranking as its twin has it."""
    topics = {}
    for row, topic in enumerate(ranking.topic.tolist()):
        chosen = slice(ranking.offsets[row], ranking.offsets[row + 1])
        documents = [pool.documents[document] for document in ranking.document[chosen].tolist()]
        judged = list(zip(ranking.rank[chosen].tolist(), documents, strict=True))
        topics[pool.topics[topic]] = PlainTopic(int(ranking.num_ret[row]), judged)
    assert len(topics) == len(ranking.topic)  # none comes twice
    tag = ranking.tag.encode("utf-8", "surrogateescape")
    return PlainRun(topics, tag, ranking.facts.num_rows, list(ranking.unjudged), ranking.facts.longer_line)


def read(
    path: Path,
    judged: Judged,
    size: int = WHOLE,
    *,
    compat: str = "9.0.8",
    most: int | None = None,
    jobs: int = 1,
    ascending: bool = False,
) -> PlainRun:
    """Read a run in chunks of this size."""
    pool = pool_of(judged)
    options = Options(compat, max_retrieved=most)
    ranking = read_run(SmallSource(path, size), judged_pool(pool, ascending), options, jobs)
    found = as_plain(ranking, pool)
    assert list(found.topics) == sorted(found.topics)
    return found


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return tmp_path_factory.mktemp("runs") / "run"


SIZES = st.sampled_from([1, 30, 60, 100, 200, 500, WHOLE])


@settings(deadline=None, max_examples=200)
@given(
    run_files(), st.data(), SIZES, st.sampled_from(["9.0.8", "10.0"]), st.booleans(), st.sampled_from([1, 3])
)
def test_like_the_plain_way(
    path: Path, data: bytes, draws: st.DataObject, size: int, compat: str, ascending: bool, jobs: int
) -> None:
    path.write_bytes(data)
    judged = judgements_for(data, draws.draw)
    found = read(path, judged, size, compat=compat, ascending=ascending, jobs=jobs)
    assert found == read_plainly(data, judged, compat, ascending=ascending)


@settings(deadline=None, max_examples=100)
@given(run_files(most=60), st.data(), st.integers(0))
def test_order_of_lines_does_not_matter(path: Path, data: bytes, draws: st.DataObject, seed: int) -> None:
    """Shuffled lines, small blocks of topics, any number of jobs: the same ranks."""
    judged = judgements_for(data, draws.draw)
    path.write_bytes(data)
    expected = read(path, judged)
    lines = data.removeprefix(BYTE_ORDER_MARK).removesuffix(b"\n").split(b"\n")
    random.Random(seed).shuffle(lines)
    path.write_bytes(b"\n".join(lines))
    with mock.patch.object(stretches, "BLOCK_ROWS", 5):
        for size in (40, 300, WHOLE):
            found = read(path, judged, size, jobs=2)
            assert found.topics == expected.topics
            assert (found.num_lines, found.unjudged) == (expected.num_lines, expected.unjudged)


@pytest.mark.slow
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("compat", ["9.0.8", "10.0"])
@pytest.mark.parametrize("documents", [b"d%d", b"a-document-with-a-name-of-more-than-two-words-%d"])
def test_lines_in_no_order_with_near_scores(compat: str, documents: bytes, jobs: int, tmp_path: Path) -> None:
    """Scores that are equal, equal in 32 bits, or differ in their last bit, in chunks far apart."""
    generator = random.Random(5)
    rows = [(b"%d" % topic, documents % number) for topic in range(40) for number in range(60)]
    scores = [b"%.7f" % generator.uniform(-3, 3) for _ in rows]
    for near in range(0, len(rows), 7):
        # Neighbours in a topic: equal, equal in 32 bits, different in the last of 64 bits.
        value = float(scores[near])
        scores[near + 1] = repr([value, value * (1 + 1e-9), float(np.nextafter(value, 9))][near % 3]).encode()
    pairs = list(zip(rows, scores, strict=True))
    pairs.sort(key=lambda pair: (pair[0][1], generator.random()))
    data = b"".join(b"%s Q0 %s 1 %s t\n" % (*row, score) for row, score in pairs)
    path = tmp_path / "run"
    path.write_bytes(data)
    judged: Judged = {}
    for topic, document in generator.sample(rows, 900):
        judged.setdefault(topic, set()).add(document)
    found = read(path, judged, 800, compat=compat, jobs=jobs)
    assert found == read_plainly(data, judged, compat)


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("topics", [(b"x", b"y"), (b"1", b"2", b"3"), (b"1",), (b"none",)])
def test_chunks_without_a_judged_topic(topics: tuple[bytes, ...], jobs: int, tmp_path: Path) -> None:
    """At the beginning and the end of lines in no order, or nowhere, or everywhere."""
    unjudged = [b"%s Q0 d%d 1 %d t\n" % (topic, row, -row) for row in range(40) for topic in (b"x", b"y")]
    rows = [b"%d Q0 d%d 1 %d t\n" % (topic, row, -row) for row in range(50) for topic in range(5)]
    data = b"".join(unjudged[:40] + rows + unjudged[40:])
    path = tmp_path / "run"
    path.write_bytes(data)
    judged = judge(*topics, every=60)
    assert read(path, judged, 200, jobs=jobs) == read_plainly(data, judged)


def test_lines_in_no_order_with_many_ties(tmp_path: Path) -> None:
    """Each score comes twelve times."""
    data = b"".join(
        b"%d Q0 d%d 1 %d t\n" % (topic, number, number % 5) for number in range(60) for topic in range(4)
    )
    path = tmp_path / "run"
    path.write_bytes(data)
    judged = judge(b"1", b"2", b"3")
    assert read(path, judged, 400) == read_plainly(data, judged)


def lines_of_topics(*topics: tuple[bytes, int], score: bytes = b"") -> bytes:
    """Topics with so many documents d0, d1, ... of descending (or one) score."""
    return b"".join(
        b"%s Q0 d%d %d %s tag\n" % (topic, number, number + 1, score or b"%d.5" % (count - number))
        for topic, count in topics
        for number in range(count)
    )


def judge(*topics: bytes, every: int = 3, most: int = 200) -> Judged:
    return {topic: {b"d%d" % number for number in range(0, most, every)} for topic in topics}


LAYOUTS = {
    "one topic": lines_of_topics((b"1", 150)),
    "a giant between small ones": lines_of_topics((b"1", 3), (b"2", 150), (b"3", 3), (b"4", 1)),
    "a giant first": lines_of_topics((b"1", 120), (b"2", 5)),
    "a giant last": lines_of_topics((b"1", 5), (b"2", 120)),
    "two giants": lines_of_topics((b"1", 80), (b"2", 80)),
    "giants between unjudged ones": lines_of_topics(
        (b"x", 9), (b"1", 80), (b"x1", 70), (b"2", 80), (b"y", 80)
    ),
    "a topic again at the end": lines_of_topics((b"1", 40), (b"2", 40)) + b"1 Q0 e 1 99 tag\n",
    "a topic again after unjudged ones": lines_of_topics((b"1", 9), (b"x", 90)) + b"1 Q0 e 1 9 tag\n",
    "topics of one document": lines_of_topics(*((b"%d" % topic, 1) for topic in range(1, 60))),
    "ties everywhere": lines_of_topics((b"1", 100), (b"2", 100), score=b"1"),
    "a comment at every cut": lines_of_topics((b"1", 60), (b"2", 9)).replace(b"tag\n", b"tag\n# comment\n"),
    "blank lines at every cut": lines_of_topics((b"1", 60), (b"2", 9)).replace(b"tag\n", b"tag\n\n \n"),
    "leading blanks": lines_of_topics((b"1", 60), (b"2", 60)).replace(b"tag\n", b"tag\n  "),
    "a long line last": lines_of_topics((b"1", 5)) + b"2 Q0 " + b"d" * 3000 + b" 1 1.0 tag",
    "a long comment last": lines_of_topics((b"1", 30)) + b"#" * 3000,
    "long lines only": lines_of_topics((b"1", 20), (b"2", 20)).replace(b" tag", b" " + b"t" * 700),
    "topics with long ids alike": lines_of_topics((b"t" * 300 + b"1", 20), (b"t" * 300 + b"2", 20)),
}


@pytest.mark.slow
@pytest.mark.parametrize("size", [1, 50, 1000, WHOLE])
@pytest.mark.parametrize("layout", LAYOUTS)
def test_topics_cut_everywhere(layout: str, size: int, tmp_path: Path) -> None:
    """Topics larger than a chunk, coming again, with noise between: nothing is lost or counted twice."""
    data = LAYOUTS[layout]
    path = tmp_path / "run"
    path.write_bytes(data)
    judged = judge(b"1", b"2", b"3", b"4", b"t" * 300 + b"1", b"t" * 300 + b"2")
    judged[b"2"].add(b"d" * 3000)
    expected = read_plainly(data, judged)
    for jobs in (1, 3):
        assert read(path, judged, size, jobs=jobs) == expected


@pytest.mark.parametrize("length", range(1, 400, 9))
def test_file_ends_where_a_chunk_ends(length: int, tmp_path: Path) -> None:
    """Whatever the size of the file in relation to that of the chunks, the last topic counts."""
    data = b"1 Q0 d0 1 1.5 tag\n1 Q0 d3 1 1.0 tag\n2 Q0 d6 1 1.0 " + b"t" * length + b"\n"
    path = tmp_path / "run"
    path.write_bytes(data)
    judged = judge(b"1", b"2")
    for size in (20, 100):
        assert read(path, judged, size) == read_plainly(data, judged)
    data = data[data.index(b"2") :]
    path.write_bytes(data)
    assert read(path, judged, 100) == read_plainly(data, judged)


@settings(deadline=None, max_examples=200)
@given(
    st.lists(st.tuples(st.integers(0, 12), PLAIN_SCORES | ODD_SCORES), min_size=1), st.integers(0, 15), SIZES
)
@example([(1, b"1"), (1, b"1")], 1, WHOLE)
@example([(1, b"1"), (2, b"1"), (1, b"1")], 2, WHOLE)
@example([(1, b"2"), (2, b"1"), (1, b"0")], 2, WHOLE)
def test_duplicates_and_m(path: Path, documents: list[tuple[int, bytes]], most: int, size: int) -> None:
    """A document that comes twice is an error exactly if both are among the first -M."""
    data = b"".join(b"1 Q0 d%d 1 %s tag\n" % pair for pair in documents)
    path.write_bytes(data)
    judged = {b"1": {b"d1", b"d2"}}
    try:
        expected = read_plainly(data, judged, most=most)
    except PlainError:
        with pytest.raises(InputError, match="each document once per topic"):
            read(path, judged, size, most=most)
    else:
        # Behind the cut trec_eval's ranks mean nothing, and nobody sees them.
        found = read(path, judged, size, most=most)
        assert up_to(found.topics[b"1"], most) == up_to(expected.topics[b"1"], most)
        assert found.topics[b"1"].num_ret == expected.topics[b"1"].num_ret


@pytest.mark.parametrize("size", [30, 60, WHOLE])
def test_later_rows_of_a_topic_push_duplicates_behind_m(path: Path, size: int) -> None:
    rows = ((1, "d1", 2), (1, "d1", 1), (2, "d1", 1), (1, "d2", 4), (1, "d3", 3))
    path.write_text("".join(f"{topic} Q0 {document} 1 {score} tag\n" for topic, document, score in rows))
    judged = {b"1": {b"d2"}, b"2": {b"d1"}}
    found = read(path, judged, size, most=2)
    assert found.topics == {b"1": PlainTopic(4, [(1, b"d2")]), b"2": PlainTopic(1, [(1, b"d1")])}
    with pytest.raises(InputError, match="'d1' of topic '1' again"):
        read(path, judged, size, most=4)


def up_to(topic: PlainTopic, most: int) -> list[tuple[int, bytes]]:
    return [(rank, document) for rank, document in topic.judged if rank <= most]


@pytest.mark.parametrize("size", [40, WHOLE])
@pytest.mark.parametrize("shuffled", [False, True])
def test_duplicate_names_both_lines(size: int, shuffled: bool, tmp_path: Path) -> None:
    """The document may be judged or not, its lines far apart, of different scores."""
    path = tmp_path / "run"
    for document in (b"d0", b"d1"):
        lines = lines_of_topics((b"1", 40), (b"2", 40)).splitlines(keepends=True)
        if shuffled:
            random.Random(7).shuffle(lines)
        first = next(n for n, line in enumerate(lines, 1) if line.startswith(b"2 Q0 %s " % document))
        again = max(n for n, line in enumerate(lines, 1) if line.startswith(b"2"))
        lines.insert(again, b"2 Q0 %s 9 0.25 tag\r\n" % document)
        path.write_bytes(b"# comment\n" + b"".join(lines))
        with pytest.raises(InputError) as caught:
            read(path, judge(b"1", b"2"), size)
        text = document.decode()
        assert str(caught.value) == (
            f"{path}:{again + 2}: document '{text}' of topic '2' again (first in line {first + 1}),"
            " expected each document once per topic;"
            " the evaluator can keep one: --duplicates best or --duplicates first"
        )


def test_duplicates_in_unjudged_topics_are_nobody_s_business(tmp_path: Path) -> None:
    """As trec_eval, which looks at topics with judgements only."""
    path = tmp_path / "run"
    path.write_bytes(lines_of_topics((b"1", 2), (b"x", 3)) * 1 + lines_of_topics((b"x", 2)))
    assert read(path, judge(b"1")).unjudged == [b"x"]


@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize("size", [60, WHOLE])
def test_colliding_hashes(size: int, jobs: int, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """When most ids have the same hash, nothing is taken for a duplicate or for another document."""
    # Longer than a word: the hashes of shorter topics are known to differ, and are not compared.
    one, two, other = b"topic-001", b"topic-002", b"topic-00x"
    data = lines_of_topics((one, 60), (two, 60), (other, 3))
    path = tmp_path / "run"
    path.write_bytes(data)
    judged = judge(one, two)
    weaken_hashes(monkeypatch, 4)
    assert read(path, judged, size, jobs=jobs) == read_plainly(data, judged)
    path.write_bytes(data + two + b" Q0 d59 1 0.1 tag\n")
    with pytest.raises(
        InputError, match=r"run:124: document 'd59' of topic 'topic-002' again \(first in line 120\)"
    ):
        read(path, judged, size, jobs=jobs)


def test_ids_that_differ_in_the_highest_bits_of_two_words(tmp_path: Path) -> None:
    """A hash that adds up products with odd numbers takes them for equal, whatever the numbers are."""
    path = tmp_path / "run"
    path.write_bytes(b"1 Q0 1234567a1234567a 1 2 t\n1 Q0 1234567\xe11234567\xe1 2 1 t\n")
    judged = {b"1": {b"1234567\xe11234567\xe1"}}
    assert read(path, judged).topics[b"1"] == PlainTopic(2, [(2, b"1234567\xe11234567\xe1")])


@pytest.mark.parametrize("size", [1, 30, WHOLE])
def test_tag_that_is_cut_off(size: int, tmp_path: Path) -> None:
    """The last line is compared with the one before, also where that is in another chunk."""
    path = tmp_path / "run"
    for end, before in ((b"1 Q0 b 2 1 ta", "tag"), (b"1 Q0 b 2 1 tag", None), (b"1 Q0 b 2 1 tags", None)):
        path.write_bytes(b"1 Q0 x 1 3 t\n1 Q0 a 1 2 tag\n" + end)
        judgements = judged_pool(pool_of({b"1": {b"a"}}))
        assert read_run(SmallSource(path, size), judgements, Options()).tag_before == before
    for whole in (b"1 Q0 a 1 2 ta", b"1 Q0 x 1 3 tag\n1 Q0 a 1 2 ta\n"):
        path.write_bytes(whole)
        assert read_run(SmallSource(path, size), judgements, Options()).tag_before is None


def test_more_lines_than_32_bits_can_count(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """tests/fuzz/many_lines.py makes so many; here the first chunk says that it had them."""

    chunks: list[Any] = []

    def ranked_part(ranker: RunRanker, piece: Any) -> RankedPart:
        part = true_part(ranker, piece)
        chunks.append(piece)
        if len(chunks) > 1:
            return part
        facts = replace(
            part.facts, num_lines=part.facts.num_lines + 2**31, num_rows=part.facts.num_rows + 2**31
        )
        return replace(part, facts=facts)

    true_part = RunRanker.ranked_part
    monkeypatch.setattr(RunRanker, "ranked_part", ranked_part)
    path = tmp_path / "run"
    path.write_bytes(b"1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 b 1 2 t\n3 Q0 b 1 2 t\n" + b"4 Q0 b 1 2 t more\n" * 9)
    found = read(path, judge(b"1", b"2"), 1)
    assert (found.longer_line, found.num_lines) == (2**31 + 5, 2**31 + 13)
    chunks.clear()
    path.write_bytes(b"1 Q0 a 1 3 t\n1 Q0 b 2 2 t\n2 Q0 b 1 2 t\n3 Q0 b 1 2 t\n" + b"4 Q0 b\n" * 9)
    with pytest.raises(InputError, match=r"run:2147483653: 3 columns, expected 6"):
        read(path, judge(b"1", b"2"), 1)


def test_32_bit_ties(tmp_path: Path) -> None:
    """9.0.8 keeps scores in 32 bits: near ones tie, and the docno decides; 10.0 tells them apart."""
    path = tmp_path / "run"
    path.write_bytes(b"1 Q0 a 1 16777217 t\n1 Q0 b 2 16777216 t\n1 Q0 c 3 1e300 t\n1 Q0 d 4 1e39 t\n")
    judged = {b"1": {b"a", b"b", b"c", b"d"}}
    order = {
        compat: [document for _, document in read(path, judged, compat=compat).topics[b"1"].judged]
        for compat in ("9.0.8", "10.0")
    }
    assert order == {"9.0.8": [b"d", b"c", b"b", b"a"], "10.0": [b"c", b"d", b"a", b"b"]}


def test_tag_is_that_of_the_last_line(tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(b"1 Q0 a 1 2 first\n2 Q0 a 1 2 \xffsecond\n# not Q0 a line 0 third\n\n")
    assert read(path, judge(b"1")).tag == b"\xffsecond"


@pytest.mark.parametrize("size", [50, WHOLE])
@pytest.mark.parametrize("jobs", [1, 2])
@pytest.mark.parametrize(
    ("line", "found"),
    [
        (b"1 Q0 e 1 1.0\n", "5 columns, expected 6 (topic Q0 docno rank score tag)"),
        (b"1\n", "1 column, expected 6 (topic Q0 docno rank score tag)"),
        (b"1 Q0 e 1 abc tag\n", "score 'abc', expected a number"),
        (b"1 Q0 e 1 nan tag\n", "score 'nan', expected a number"),
        (b"x Q0 e 1 1_0 tag\n", "score '1_0', expected a number"),
        (b"1 Q0 e\0 1 1.0 tag\n", "a NUL byte, expected text"),
        (b"1 Q0 e 1 \xff\x1b[1m tag\n", r"score '\xff\x1b[1m', expected a number"),
    ],
)
def test_faulty_line(line: bytes, found: str, size: int, jobs: int, tmp_path: Path) -> None:
    """The message names file and line, wherever the chunk begins."""
    path = tmp_path / "run"
    before = b"# comment\n\n" + lines_of_topics((b"1", 9), (b"2", 9))
    path.write_bytes(before + line + lines_of_topics((b"3", 9)))
    with pytest.raises(InputError) as caught:
        read(path, judge(b"1"), size, jobs=jobs)
    assert str(caught.value) == f"{path}:21: {found}"


FAULTS = [
    (b"2 Q0 e 1 abc tag\n", "score 'abc'"),
    (b"2 Q0 e 1\n", "4 columns"),
    (b"3 Q0 e 1 \0 x\n", "a NUL byte"),
]


@pytest.mark.parametrize("jobs", [1, 2, 4])
@pytest.mark.parametrize("size", [1, 50, 200, WHOLE])
@pytest.mark.parametrize("faults", list(permutations(FAULTS)))
def test_the_first_fault_is_named(
    faults: tuple[tuple[bytes, str], ...], size: int, jobs: int, tmp_path: Path
) -> None:
    """Whatever is looked for first, in chunks of any size."""
    path = tmp_path / "run"
    path.write_bytes(lines_of_topics((b"1", 3)) + b"".join(line for line, _ in faults) * 2)
    with pytest.raises(InputError) as caught:
        read(path, judge(b"1"), size, jobs=jobs)
    assert (caught.value.line, caught.value.found) == (4, faults[0][1])


def lines_of(text: str) -> bytes:
    """`1a3 2b` is document a of topic 1 with score 3, and document b of topic 2 with score 1."""
    words = [(word[0], word[1], word[2:] or "1") for word in text.split()]
    return "".join(f"{topic} Q0 {docno} 1 {score} t\n" for topic, docno, score in words).encode()


TWICE = {
    "in one topic": (lines_of("1c 1b 1b2 1c"), None, 3, "document 'b' of topic '1'"),
    "in two topics": (lines_of("2b 2b2 1a 1a2"), None, 2, "document 'b' of topic '2'"),
    "scattered": (lines_of("2b 1a 2b2 1a2"), None, 3, "document 'b' of topic '2'"),
    "before a malformed line": (lines_of("1a 1a 2b 2b 2b 2b") + b"3 Q0\n", None, 7, "2 columns"),
    "beyond -M": (lines_of("2b 2c9 2d8 2b2 1a2 1a2"), 2, 6, "document 'a' of topic '1'"),
}


@pytest.mark.parametrize("jobs", [1, 3])
@pytest.mark.parametrize("size", [1, 30, 60, WHOLE])
@pytest.mark.parametrize("case", TWICE)
def test_the_first_of_several_duplicates_is_named(case: str, size: int, jobs: int, tmp_path: Path) -> None:
    """Wherever the run is cut into chunks; malformed lines come first."""
    data, most, line, found = TWICE[case]
    path = tmp_path / "run"
    path.write_bytes(data)
    with pytest.raises(InputError) as caught:
        read(path, judge(b"1", b"2"), size, most=most, jobs=jobs)
    assert (caught.value.line, caught.value.found[: len(found)]) == (line, found)


def test_memory_stays_flat_however_long_the_run(tmp_path: Path) -> None:
    """Topics leave as soon as they are complete: a run four times as long takes no more memory.

    A cutter that gave up on changes of topic would still be right, but would collect the whole run.
    """
    pool = pool_of(judge(*(b"%d" % topic for topic in range(160)), every=97, most=1000))
    peaks = []
    for count in (40, 160):
        path = tmp_path / str(count)
        path.write_bytes(lines_of_topics(*((b"%d" % topic, 1000) for topic in range(count))))
        tracemalloc.start()
        read_run(SmallSource(path, 100_000), judged_pool(pool), jobs=1)
        peaks.append(tracemalloc.get_traced_memory()[1])
        tracemalloc.stop()
    assert peaks[1] < 1.2 * peaks[0]


@pytest.mark.parametrize("data", [b"\n", b"# only a comment\n", b" \r\n\t\n\n#", BYTE_ORDER_MARK + b"\n"])
def test_nothing_but_blank_lines_and_comments(data: bytes, tmp_path: Path) -> None:
    path = tmp_path / "run"
    path.write_bytes(data)
    with pytest.raises(InputError, match="no lines but blank ones and comments, expected lines of topic Q0"):
        read(path, judge(b"1"))


@pytest.mark.parametrize("size", [50, WHOLE])
def test_longer_lines(size: int, tmp_path: Path) -> None:
    """The first line with more than six columns is remembered, with its number in the file."""
    path = tmp_path / "run"
    data = b"\n" + lines_of_topics((b"1", 5)) + b"2 Q0 d0 1 5 tag more\n# x\n2 Q0 d1 1 4 tag more of it\n"
    path.write_bytes(data)
    found = read(path, judge(b"1", b"2"), size)
    assert found == read_plainly(data, judge(b"1", b"2"))
    assert found.longer_line == 7


@pytest.mark.slow
def test_large_run_in_ordinary_chunks(tmp_path: Path) -> None:
    """The sizes of everyday use: several chunks of a megabyte, two jobs, scattered and not."""
    generator = random.Random(11)
    topics = [b"%d" % number for number in range(1, 37)]
    lines = [
        b"%s Q0 a-document-with-a-long-name-%06d %d %.4f tag\n" % (topic, document, rank, generator.random())
        for topic in topics
        for rank, document in enumerate(generator.sample(range(10**6), 1500), 1)
    ]
    judged = {
        topic: {line.split()[2] for line in generator.sample(lines, 1500) if line.startswith(topic + b" ")}
        for topic in topics
    }
    judged = {topic: documents for topic, documents in judged.items() if documents}
    path = tmp_path / "run"
    path.write_bytes(b"".join(lines))
    pool = pool_of(judged)
    expected = read_plainly(path.read_bytes(), judged)
    assert path.stat().st_size > 2.5 * WHOLE
    assert as_plain(read_run(File(str(path)), judged_pool(pool), jobs=2), pool) == expected
    generator.shuffle(lines)
    path.write_bytes(b"".join(lines))
    assert as_plain(read_run(File(str(path)), judged_pool(pool), jobs=2), pool).topics == expected.topics
