"""Preferences: the readers of their files, the batch, and each measure against its slow twin, bit by bit."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import cast

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st
from support.oracle_preferences import ContradictionError, preference_scores
from support.preference_files import Rankings, ranked, write

from pres_eval.batches import preference_orders
from pres_eval.batches.forming import in_blocks
from pres_eval.batches.from_preferences import PreferenceBatch, form_preference_batch
from pres_eval.batches.topics import scored_topics
from pres_eval.errors import InputError
from pres_eval.measures.base import Format
from pres_eval.measures.preference import MEASURES as PREFERENCE_MEASURES
from pres_eval.options import Options, RelevanceInfo
from pres_eval.ranking.ranked import Ranked
from pres_eval.ranking.runs import read_run
from pres_eval.reading.file import File
from pres_eval.reading.judgements.judged_groups import QRELS_PREFS, Preferences, read_preferences

Row = tuple[str, str, str, str, float]

MEASURES = {measure.name: measure for measure in PREFERENCE_MEASURES}


def whole_batch(preferences: Preferences, run: Ranked, options: Options | None = None) -> PreferenceBatch:
    options = options or Options()
    return form_preference_batch(preferences, run, options, *scored_topics(preferences.pool, run, options))


def form(
    path: Path, rows: Sequence[Row], rankings: Rankings, options: Options | None = None
) -> PreferenceBatch:
    preferences = read_preferences(write(path, rows))
    return whole_batch(preferences, ranked(preferences.pool, rankings), options)


def scores(batch: PreferenceBatch) -> dict[bytes, dict[str, float]]:
    columns = {name: measure.score(batch) for name, measure in MEASURES.items()}
    return {
        topic: {name: float(values[index]) for name, values in columns.items()}
        for index, topic in enumerate(batch.topics)
    }


def groups_of(rows: Sequence[Row], topic: str) -> dict[str, list[tuple[str, str, float]]]:
    groups: dict[str, list[tuple[str, str, float]]] = {}
    for name, group, subgroup, docno, level in rows:
        if name == topic:
            groups.setdefault(group, []).append((subgroup, docno, level))
    return groups


DOCNOS = [f"d{number}" for number in range(9)]
LEVELS = st.sampled_from([0.0, 0.0, 1.0, 1.0, 2.0, 3.5, 1.00000001, 1e-50, -1.0, -3.0, -5.0])


@st.composite
def judgement_group(draw: st.DrawFn, topic: str, name: str) -> list[Row]:
    """Judgements of one group: classes with any levels, or subgroups that mostly agree."""
    some = st.lists(st.sampled_from(DOCNOS), min_size=1, max_size=9, unique=True)
    num_subgroups = draw(st.integers(1, 4))
    if num_subgroups == 1:
        rows = [(topic, name, "s", docno, draw(LEVELS)) for docno in draw(some)]
        return rows + draw(st.lists(st.sampled_from(rows), max_size=2))
    truth = {docno: draw(st.sampled_from([0, 0, 1, 2, 3, 4, 5])) for docno in DOCNOS}
    rows = []
    for subgroup in range(num_subgroups):
        factor = draw(st.sampled_from([1, 1, 2]))
        rows += [(topic, name, f"s{subgroup}", docno, float(truth[docno] * factor)) for docno in draw(some)]
    if draw(st.integers(0, 5)) == 0:
        rows[0] = (*rows[0][:4], draw(LEVELS))
    return rows


@st.composite
def cases(draw: st.DrawFn) -> tuple[list[Row], Rankings, Options]:
    rows: list[Row] = []
    rankings: Rankings = {"only in the run": ["d1"]}
    for topic in draw(st.lists(st.sampled_from(["1", "10", "2", "é"]), min_size=1, max_size=3, unique=True)):
        for name in draw(st.lists(st.sampled_from(["a", "B", "10"]), min_size=1, max_size=3, unique=True)):
            rows += draw(judgement_group(topic, name))
        if draw(st.integers(0, 4)):
            rankings[topic] = draw(st.lists(st.sampled_from([*DOCNOS, "x", "y", "z"]), unique=True))
    options = Options(
        compat=draw(st.sampled_from(["9.0.8", "10.0"])),
        max_retrieved=draw(st.sampled_from([None, None, 1, 3])),
        complete=draw(st.booleans()),
        judged_only=draw(st.booleans()),
        relevance_level=draw(st.integers(0, 2)),
    )
    return draw(st.permutations(rows)), rankings, options


def expected_scores(
    rows: Sequence[Row], rankings: Rankings, options: Options
) -> dict[bytes, dict[str, float]]:
    scored = {}
    for topic in sorted({row[0] for row in rows}, key=str.encode):
        if topic not in rankings and not (options.complete and options.compat == "10.0"):
            continue
        ranking = rankings.get(topic, [])[: options.max_retrieved]
        scored[topic.encode()] = preference_scores(groups_of(rows, topic), ranking, options.compat)
    return scored


@settings(deadline=None, max_examples=100)
@given(case=cases(), cells=st.sampled_from([1, 7, 1 << 20]), size=st.integers(1, 3))
def test_scores_are_those_of_the_slow_twin(
    tmp_path_factory: pytest.TempPathFactory,
    case: tuple[list[Row], Rankings, Options],
    cells: int,
    size: int,
) -> None:
    rows, rankings, options = case
    path = tmp_path_factory.getbasetemp() / "twin.prefs"
    preferences = read_preferences(write(path, rows))
    run = ranked(preferences.pool, rankings)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(preference_orders, "CELLS", cells)
        try:
            expected = expected_scores(rows, rankings, options)
        except ContradictionError:
            with pytest.raises(InputError):
                scores(whole_batch(preferences, run, options))
            return
        found: dict[bytes, dict[str, float]] = {}
        for formed in in_blocks(preferences, run, options, size):
            block = cast(PreferenceBatch, formed())
            assert len(block) <= size
            found |= scores(block)
    assert list(found) == list(expected)
    for topic, values in expected.items():
        assert found[topic] == values  # == on doubles: the same bits


def test_every_measure_has_a_twin_and_a_text() -> None:
    twins = preference_scores({"g": [("s", "a", 1.0)]}, ["a"], "9.0.8")
    assert [measure.name for measure in PREFERENCE_MEASURES] == [
        "prefs_num_prefs_poss",
        "prefs_num_prefs_ful",
        "prefs_num_prefs_ful_ret",
        "prefs_simp",
        "prefs_pair",
        "prefs_avgjg",
        "prefs_avgjg_Rnonrel",
        "prefs_simp_ret",
        "prefs_pair_ret",
        "prefs_avgjg_ret",
        "prefs_avgjg_Rnonrel_ret",
        "prefs_simp_imp",
        "prefs_pair_imp",
        "prefs_avgjg_imp",
    ]
    assert set(twins) == set(MEASURES)
    for measure in PREFERENCE_MEASURES:
        assert measure.relevance is RelevanceInfo.PREFS
        assert (measure.format is Format.COUNT) == measure.name.startswith("prefs_num")
        assert measure.traits
        assert measure.description.endswith(".")
        for part in (f"Formula:  {measure.name} = ", "Range:", "Source:"):
            assert part in measure.text


def judgements(text: str) -> list[Row]:
    rows = [line.split() for line in text.splitlines() if line]
    return [(topic, group, subgroup, docno, float(level)) for topic, group, subgroup, docno, level in rows]


TRANSITIVE = "1 u a 1 3\n1 u a 2 2\n1 u a 3 1\n1 u b 2 5\n1 u b 4 4\n"


@pytest.mark.parametrize(
    ("text", "number"),
    [
        pytest.param("1 u s 1 3\n1 u s 2 2\n", 1, id="two documents"),
        pytest.param(
            "1 u s 1 3\n1 u s 2 2\n1 u s 3 0\n1 u s 4 6\n1 u s 5 0\n1 u s 6 2\n", 13, id="one subgroup"
        ),
        pytest.param(
            "1 u a 1 3\n1 u a 2 2\n1 u a 3 1\n1 u b 1 2\n1 u b 2 1\n1 u b 4 3\n", 6, id="4>1>2>3 gives 4>3"
        ),
        pytest.param(TRANSITIVE, 5, id="1>2>4 gives 1>4"),
        pytest.param(
            "1 u s 1 3\n1 u s 2 2\n1 v a 1 0\n1 v a 3 6\n1 v a 4 2\n1 v b 1 0\n1 v b 2 8\n",
            5,
            id="two users, who contradict each other",
        ),
        pytest.param("1 u s 1 2\n1 u s 2 2\n", 0, id="a tie is no preference"),
    ],
)
def test_examples_of_the_format(tmp_path: Path, text: str, number: int) -> None:
    batch = form(tmp_path / "prefs", judgements(text), {"1": []})
    assert scores(batch)[b"1"]["prefs_num_prefs_poss"] == number


def test_one_topic_by_hand(tmp_path: Path) -> None:
    # u prefers a to b, c and b to c; v prefers b to a.  Retrieved: a (rank 1), x, b (rank 3); not c.
    rows = judgements("1 u s a 2\n1 u s b 1\n1 u s c 0\n1 v s a 0\n1 v s b 1\n")
    found = scores(form(tmp_path / "prefs", rows, {"1": ["a", "x", "b"]}))[b"1"]
    assert found == {
        "prefs_num_prefs_poss": 4,
        "prefs_num_prefs_ful": 3,  # a before b; a and b without c
        "prefs_num_prefs_ful_ret": 1,
        "prefs_simp": 3 / 4,
        "prefs_pair": (1 / 2 + 1 + 1) / 3,  # (a, b) is one to one
        "prefs_avgjg": (3 / 3 + 0 / 1) / 2,
        "prefs_avgjg_Rnonrel": (5 / 5 + 0 / 1) / 2,  # u has R = 2 and N = 1: 2 · 1 are added
        "prefs_simp_ret": 1 / 2,
        "prefs_pair_ret": (1 / 2) / 1,
        "prefs_avgjg_ret": (1 / 1 + 0 / 1) / 2,
        "prefs_avgjg_Rnonrel_ret": (5 / 5 + 0 / 1) / 2,  # r = 2, n = 0: 2 · 2 are added
        "prefs_simp_imp": 3 / 4,
        "prefs_pair_imp": (1 / 2 + 1 + 1) / 3,
        "prefs_avgjg_imp": (3 / 3 + 0 / 1) / 2,
    }


def test_group_without_relevant_documents_takes_the_whole_topic_to_zero(tmp_path: Path) -> None:
    rows = judgements("1 u s a 1\n1 u s b 0\n1 v s a 0\n1 v s c 0\n")
    found = scores(form(tmp_path / "prefs", rows, {"1": ["a", "b"]}))[b"1"]
    assert found["prefs_avgjg"] == 0.5
    assert found["prefs_avgjg_Rnonrel"] == 0.0


@pytest.mark.parametrize(("highest", "number"), [(-2, 3), (-3, 1), (-4, 3)])
def test_highest_level_of_minus_3_costs_the_lowest_class(tmp_path: Path, highest: int, number: int) -> None:
    # trec_eval: -3 is its mark for "no level yet".
    rows = [("1", "u", "s", docno, float(level)) for docno, level in (("a", highest), ("b", -5), ("c", -6))]
    found = scores(form(tmp_path / "prefs", rows, {"1": ["a", "b", "c"]}))[b"1"]
    assert found["prefs_num_prefs_ful"] == number


def test_the_lowest_class_that_minus_3_costs_may_be_a_single_document(tmp_path: Path) -> None:
    levels = {"a": -3.0, "b": -5.0, "c": -5.0, "d": -6.0}
    rows = [("1", "u", "s", docno, level) for docno, level in levels.items()]
    found = scores(form(tmp_path / "prefs", rows, {"1": list(levels)}))[b"1"]
    # a is preferred to b and to c, and d counts no more.
    assert found["prefs_num_prefs_poss"] == 2
    assert found == preference_scores(groups_of(rows, "1"), list(levels), "9.0.8")


@pytest.mark.parametrize(("compat", "number"), [("9.0.8", 0), ("10.0", 1)])
def test_levels_are_floats_in_9_and_doubles_in_10(tmp_path: Path, compat: str, number: int) -> None:
    rows = [("1", "u", "s", "a", 1.00000001), ("1", "u", "s", "b", 1.0)]
    batch = form(tmp_path / "prefs", rows, {"1": ["a"]}, Options(compat=compat))
    assert scores(batch)[b"1"]["prefs_num_prefs_poss"] == number


@pytest.mark.parametrize("level", ["inf", "1e39"])
def test_levels_beyond_a_float_are_infinite(tmp_path: Path, level: str) -> None:
    rows = [("1", "u", "s", "a", level), ("1", "u", "s", "b", "1e40"), ("1", "u", "s", "c", "0")]
    batch = form(tmp_path / "prefs", rows, {"1": ["a"]})  # type: ignore[arg-type]
    assert scores(batch)[b"1"]["prefs_num_prefs_poss"] == 2


def test_pairs_are_counted_in_16_bits(tmp_path: Path) -> None:
    rows = [("1", "u", "s", "a", 1.0)] * 256 + [("1", "u", "s", "b", 0.0)] * 256
    found = scores(form(tmp_path / "prefs", rows, {"1": ["a", "b"]}))[b"1"]
    assert found["prefs_num_prefs_poss"] == 65536
    assert found["prefs_simp"] == 1.0
    assert found["prefs_pair"] == 0.0


TIED = [("1", "Q0", docno, 0, score, "tag") for docno, score in (("b", 1), ("x", 1), ("a", 1), ("c", 2))]


@pytest.mark.parametrize(("most", "ranks"), [(None, {b"c": 1, b"a": 2, b"b": 3}), (2, {b"c": 1, b"a": 2})])
def test_ties_go_by_docno_ascending(tmp_path: Path, most: int | None, ranks: dict[bytes, int]) -> None:
    # trec_eval: form_prefs_counts.c; every other measure takes the last docno first.
    preferences = read_preferences(write(tmp_path / "prefs", judgements("1 u s a 2\n1 u s b 1\n1 u s c 0\n")))
    pool = preferences.pool
    ranking = read_run(write(tmp_path / "run", TIED), preferences, Options(max_retrieved=most))
    assert [pool.documents[int(document)] for document in ranking.document] == [b"c", b"a", b"b"]
    assert ranking.rank.tolist() == [1, 2, 3]
    batch = whole_batch(preferences, ranking, Options(max_retrieved=most))
    found = {
        pool.documents[int(preferences.document[row])]: place + 1
        for row, place in zip(batch.row, batch.position, strict=True)
    }
    retrieved = {docno: place for docno, place in found.items() if place <= batch.num_judged_ret[0]}
    assert retrieved == ranks


@pytest.mark.parametrize(("most", "stops"), [(None, True), (3, True), (2, False)])
def test_tied_duplicate_beyond_the_limit(tmp_path: Path, most: int | None, stops: bool) -> None:
    # In ascending order: a, b, b; with two documents per topic the second b is cut off.
    rows = [("1", "Q0", docno, 0, 1, "tag") for docno in ("b", "a", "b")]
    preferences = read_preferences(write(tmp_path / "prefs", judgements(TRANSITIVE)))
    run = write(tmp_path / "run", rows)
    if stops:
        with pytest.raises(InputError, match="document 'b'"):
            read_run(run, preferences, Options(max_retrieved=most))
    else:
        assert read_run(run, preferences, Options(max_retrieved=most)).num_ret.tolist() == [3]


def test_topics_that_the_run_lacks(tmp_path: Path) -> None:
    rows = judgements("1 u s a 1\n1 u s b 0\n2 u s a 1\n2 u s b 0\n")
    for compat, complete, topics in (
        ("9.0.8", True, (b"1",)),
        ("10.0", False, (b"1",)),
        ("10.0", True, (b"1", b"2")),
    ):
        options = Options(compat=compat, complete=complete)
        batch = form(tmp_path / "prefs", rows, {"1": ["a"]}, options)
        assert batch.topics == topics
        assert batch.missing.tolist() == [False, True][: len(topics)]
        assert batch.num_judged_ret.tolist() == [1, 0][: len(topics)]


def test_no_topic_to_score(tmp_path: Path) -> None:
    batch = form(tmp_path / "prefs", judgements(TRANSITIVE), {})
    assert len(batch) == 0
    assert scores(batch) == {}


def test_qrels_read_as_preferences(tmp_path: Path) -> None:
    rows = [
        ("1", "u", "a", 1),
        ("1", "v", "a", 0),
        ("1", "u", "b", 0),
        ("1", "v", "b", 2),
        ("1", "u", "c", 0.5),
    ]
    preferences = read_preferences(write(tmp_path / "qrels", rows), QRELS_PREFS)
    batch = whole_batch(preferences, ranked(preferences.pool, {"1": ["c", "a"]}))
    as_prefs = [(topic, group, "0", docno, float(level)) for topic, group, docno, level in rows]
    expected = preference_scores(groups_of(as_prefs, "1"), ["c", "a"], "9.0.8")
    assert scores(batch)[b"1"] == expected


@pytest.mark.parametrize(
    ("text", "line", "message"),
    [
        pytest.param(
            "1 u s a 1\n1 u s b 0\n\n1 u s a 2\n",
            4,
            "topic '1', judgement group 'u': document 'a' has level 2 (and 1 in line 1), "
            "expected one level per document and subgroup",
            id="two levels",
        ),
        pytest.param(
            "1 u x a 1\n1 u x b 2\n1 u y b 3\n1 u y c 4\n1 u z a 9\n1 u z c 8\n",
            1,
            "topic '1', judgement group 'u': documents 'a' and 'b' are each preferred to the other, "
            "expected the subgroups of a judgement group to agree",
            id="circle",
        ),
        pytest.param(
            "1 u x a 1\n1 u x b 2\n1 u y a 0\n",
            1,
            "topic '1', judgement group 'u': document 'a' has level 0 in one subgroup and a level above 0 in "
            "another, expected level 0 (not relevant) in all subgroups of a judgement group or in none",
            id="relevant and not",
        ),
    ],
)
def test_contradictions_name_line_topic_group_and_documents(
    tmp_path: Path, text: str, line: int, message: str
) -> None:
    path = tmp_path / "prefs"
    path.write_text(text)
    preferences = read_preferences(File(str(path)))
    with pytest.raises(InputError) as error:
        scores(whole_batch(preferences, ranked(preferences.pool, {"1": ["a"]})))
    assert str(error.value) == f"{path}:{line}: {message}"
    assert scores(whole_batch(preferences, ranked(preferences.pool, {}))) == {}


@pytest.mark.parametrize("rows", ["2 u s a 1\n2 u s b 0\n2 u s a 2\n", "2 u x a 1\n2 u x b 2\n2 u y a 0\n"])
def test_contradictions_in_a_later_block_name_their_own_line(tmp_path: Path, rows: str) -> None:
    path = tmp_path / "prefs"
    path.write_text("1 u s a 1\n1 u s b 0\n1 u s c 0\n1 u s d 0\n" + rows)
    preferences = read_preferences(File(str(path)))
    run = ranked(preferences.pool, {"1": ["a"], "2": ["a"]})
    first, second = (cast(PreferenceBatch, formed()) for formed in in_blocks(preferences, run, Options(), 1))
    assert scores(first)
    with pytest.raises(InputError, match="topic '2', judgement group 'u': document 'a'") as error:
        scores(second)
    assert error.value.line in (5, 7)


@pytest.mark.parametrize(
    ("text", "line", "found"),
    [
        pytest.param("1 u s a 1\n1 u s b\n", 2, "4 columns", id="too few columns"),
        pytest.param("1 u s a 1 x\n", 1, "6 columns", id="too many columns"),
        pytest.param("# comment\n1 u s a high\n", 2, "level 'high'", id="no number"),
        pytest.param("1 u s a nan\n", 1, "level 'nan'", id="nan"),
    ],
)
def test_malformed_lines(tmp_path: Path, text: str, line: int, found: str) -> None:
    path = tmp_path / "prefs"
    path.write_text(text)
    with pytest.raises(InputError) as error:
        read_preferences(File(str(path)))
    assert error.value.line == line
    assert found in error.value.found


def test_levels_of_qrels_read_as_preferences_are_numbers(tmp_path: Path) -> None:
    with pytest.raises(InputError, match="relevance 'yes', expected a number"):
        read_preferences(write(tmp_path / "qrels", [("1", "0", "a", "yes")]), QRELS_PREFS)
