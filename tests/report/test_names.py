"""The one rule by which runs are named."""

from __future__ import annotations

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from pres_eval.report.text import NAMINGS, fitted, run_names, without_shared


@pytest.mark.parametrize(
    ("runs", "names"),
    [
        ([("bm25", "x/1"), ("lm", "x/2")], ["bm25", "lm"]),
        ([("s", "x/run_bm25.txt"), ("s", "y/run_lm.txt")], ["bm25", "lm"]),
        ([("s", "input.BM25.gz"), ("s", "input.LM2.xz")], ["BM25", "LM2"]),
        ([("s", "run1"), ("s", "run10")], ["run1", "run10"]),
        ([("s", "run.txt"), ("s", "run_b.txt")], ["run", "run_b"]),
        ([("s", "a/x/run"), ("s", "a/y/run")], ["x", "y"]),
        ([("", "a"), ("b", "c")], ["a", "c"]),
        ([("s", "a"), ("s", "a")], ["a (1)", "a (2)"]),
        ([("s", "x/run_a.txt"), ("s", "x/run_a.txt")], ["x/run_a.txt (1)", "x/run_a.txt (2)"]),
        ([("s", "a"), ("s", "a"), ("s", "a (1)")], ["a (2)", "a (3)", "a (1)"]),
        ([("s", "x/a.gz")], ["s"]),
        ([("", "x/a.gz")], ["a"]),
    ],
)
def test_tags_then_files_then_paths(runs: list[tuple[str, str]], names: list[str]) -> None:
    assert run_names(runs) == names


@pytest.mark.parametrize(
    ("naming", "names"),
    [("auto", ["s", "t"]), ("tag", ["s", "t"]), ("file", ["1", "2"]), ("path", ["x/r.1", "x/r.2"])],
)
def test_a_kind_of_name_that_is_asked_for(naming: str, names: list[str]) -> None:
    assert run_names([("s", "x/r.1"), ("t", "x/r.2")], naming) == names


def test_fifty_runs_of_one_track() -> None:
    """The tags are all the same, the paths long: what tells the runs apart is left."""
    paths = [f"/long/path/of/a/track/input.STANDARD.team{number}-r1.gz" for number in range(50)]
    names = run_names([("STANDARD", path) for path in paths])
    assert names == [f"team{number}" for number in range(50)]


@pytest.mark.parametrize(
    ("names", "longest", "short"),
    [
        (["bm25", "lm"], 4, ["bm25", "lm"]),
        (["track-2026-bm25-run", "track-2026-lm-run"], 12, ["bm25", "lm"]),
        (["abcdefghij1", "abcdefghij2"], 7, ["abc…ij1", "abc…ij2"]),
        (["abcdef1ghijkl", "abcdef2ghijkl"], 9, ["ab…kl (1)", "ab…kl (2)"]),
        (["one-name-of-a-run"], 9, ["one-…-run"]),
    ],
)
def test_names_that_are_too_long_for_their_place(names: list[str], longest: int, short: list[str]) -> None:
    assert fitted(names, longest) == short


@settings(deadline=None)
@given(st.lists(st.text("ab-1…", min_size=1, max_size=40), min_size=1), st.integers(8, 30))
def test_fitted_names_differ_as_the_names_do(names: list[str], longest: int) -> None:
    short = fitted(names, longest)
    assert len(dict(zip(names, short, strict=True))) == len(set(short)) == len(set(names))
    assert all(len(name) <= longest for name in short)


def test_characters_that_cannot_be_seen_are_written_out() -> None:
    """A tag can't end the line of a table: U+2028 and U+2029 are line ends for browsers and JavaScript."""
    assert run_names([("a\u2028b", "x"), ("a\u2029b", "y")]) == [r"a\xe2\x80\xa8b", r"a\xe2\x80\xa9b"]


@settings(deadline=None)
@given(
    st.lists(st.tuples(st.sampled_from(["", "s", "t"]), st.text("ab1./_ ()2", min_size=1)), min_size=1),
    st.sampled_from(NAMINGS),
)
def test_no_two_names_are_the_same(runs: list[tuple[str, str]], naming: str) -> None:
    names = run_names(runs, naming)
    assert len(set(names)) == len(runs)


@settings(deadline=None)
@given(st.lists(st.text("ab1._", min_size=1), min_size=2, unique=True))
def test_what_is_shared_is_taken_off_all(names: list[str]) -> None:
    short = without_shared(names)
    assert len(set(short)) == len(names)
    assert all(rest in name for name, rest in zip(names, short, strict=True))


def test_long_names_among_short_ones_lose_what_they_alone_share() -> None:
    long = [f"some-university_{tag}-dense-with-feedback-fold-{n}" for tag in ("aa", "bb") for n in (1, 2)]
    assert fitted(["bm25", *long], 18) == [
        "bm25", "…aa-dense…k-fold-1", "…aa-dense…k-fold-2", "…bb-dense…k-fold-1", "…bb-dense…k-fold-2"
    ]  # fmt: skip
