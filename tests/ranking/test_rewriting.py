"""--map-docs and --exclude give the numbers of files that were rewritten by hand."""

from __future__ import annotations

import os
import random
import re
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, example, given, settings
from hypothesis import strategies as st
from support.commands import Command
from support.in_splits import PLANS, printed, printed_in_splits

import pres_eval as pe
from pres_eval.arrays.ids import Ids
from pres_eval.errors import PresEvalError
from pres_eval.reading.patterns import PatternMapping

pytestmark = pytest.mark.filterwarnings("ignore::pres_eval.errors.PresEvalWarning")

CASES = int(os.environ.get("PRES_EVAL_FUZZ_CASES", "40"))
PATTERNS = [r"^(.*)#\d+$", r"^(.+)_p\d+$", r"^([^#]+)", r"(d\d)", r"^(.*?)\.\d+$"]

Row = tuple[str, str, float]
"""Topic, document, score or grade."""


@dataclass(frozen=True)
class Case:
    """Judgements and a run, and what is asked for."""

    judged: Sequence[Row]
    run: Sequence[Row]
    options: list[str]
    becomes: Callable[[str], str]
    is_excluded: Callable[[str, str], bool]
    judged_too: bool
    dense: bool
    single: bool

    def write(self, folder: Path) -> tuple[str, str]:
        """Write the two files as they are."""
        (folder / "qrels").write_text("".join(f"{t} 0 {d} {int(g)}\n" for t, d, g in self.judged))
        (folder / "run").write_text("".join(f"{t} Q0 {d} 0 {s!r} t\n" for t, d, s in self.run))
        return str(folder / "qrels"), str(folder / "run")

    def write_by_hand(self, folder: Path) -> tuple[str, str]:
        """Write what somebody makes of them who has no such options."""
        grades: dict[tuple[str, str], int] = {}
        for topic, document, grade in self.judged:
            key = topic, self.becomes(document)
            if not (self.judged_too and (self.is_excluded(*key) or self.is_excluded(topic, document))):
                grades[key] = max(grades.get(key, -9), int(grade))
        ranked: dict[str, list[tuple[float, str]]] = {}
        for topic, document, score in self.run:
            new = self.becomes(document)
            if not (self.is_excluded(topic, new) or self.is_excluded(topic, document)):
                ranked.setdefault(topic, []).append((float(np.float32(score)) if self.single else score, new))
        lines = []
        for topic, rows in ranked.items():
            rows.sort(key=lambda row: (row[0], row[1].encode()), reverse=True)
            seen: set[str] = set()
            for place, (_, document) in enumerate(rows):
                again = document in seen
                seen.add(document)
                if not again or not self.dense:
                    lines.append(f"{topic} Q0 {f'again{place}' if again else document} 0 {-place} t\n")
        (folder / "qrels-hand").write_text("".join(f"{t} 0 {d} {g}\n" for (t, d), g in grades.items()))
        (folder / "run-hand").write_text("".join(lines))
        return str(folder / "qrels-hand"), str(folder / "run-hand")


def made(seed: int, folder: Path) -> Case:
    rng = random.Random(seed)
    ends = rng.choice([["#0", "#1", "#12", ""], ["_p1", "_p2", "#3"], ["", "x", ".1"]])
    names = [f"d{number}{end}" for number in range(8) for end in ends]
    topics = [f"d{number}" for number in range(rng.randint(1, 4))]
    judged = [
        (topic, document, rng.choice([-1, 0, 0, 1, 1, 2, 3]))
        for topic in topics
        for document in rng.sample(names, rng.randint(1, len(names) - 3))
    ]
    run = [
        (topic, document, rng.choice([0.5, 1.0, 2.0, 16777217.0, 16777216.0, rng.random()]))
        for topic in topics
        for document in rng.sample([*names, "y1", "y2"], rng.randint(1, len(names)))
    ]
    options: list[str] = []
    kind = rng.choice(["pattern", "pattern", "file", "file", "none"])
    table = {name: f"d{rng.randint(0, 9)}" for name in rng.sample(names, rng.randint(1, len(names)))}
    pattern = rng.choice(PATTERNS)

    def becomes(document: str) -> str:
        if kind == "file":
            return table.get(document, document)
        found = re.search(pattern, document) if kind == "pattern" else None
        return found[1] if found is not None and found[1] else document

    if kind == "file":
        separator = rng.choice([" ", "\t", ","])
        header = rng.choice(["", f"docno{separator}document\n"])
        (folder / "map").write_text(header + "".join(f"{a}{separator}{b}\n" for a, b in table.items()))
    if kind != "none":
        options += ["--map-docs", pattern if kind == "pattern" else str(folder / "map")]
    dense = kind == "none" or rng.random() < 0.7
    options += [] if dense else ["--map-ranks", "kept"]
    excluded: set[tuple[str, str]] = set()
    exclude = "file" if kind == "none" else rng.choice(["file", "self", "no"])
    if exclude == "file":
        excluded = {(rng.choice(topics), becomes(rng.choice(names))) for _ in range(rng.randint(1, 12))}
        as_qrels = rng.random() < 0.5
        lines = [f"{t} 0 {d} 1\n" if as_qrels else f"{t} {d}\n" for t, d in sorted(excluded)]
        (folder / "excluded").write_text("".join(lines))
    options += (
        [] if exclude == "no" else ["--exclude", str(folder / "excluded") if exclude == "file" else "self"]
    )
    judged_too = exclude == "no" or rng.random() < 0.5
    options += [] if judged_too else ["--exclude-from", "run"]
    extra = [[], ["-c"], ["-J"], ["-M", "3"], ["-l", "2"], ["--compat", "10.0"]]
    options += (chosen := rng.choice(extra))
    return Case(
        judged=judged,
        run=run,
        options=options,
        becomes=becomes,
        is_excluded=lambda topic, document: (
            document in (topic, becomes(topic)) if exclude == "self" else (topic, document) in excluded
        ),
        judged_too=judged_too,
        dense=dense,
        single="10.0" not in chosen,
    )


def without_options(options: Sequence[str]) -> list[str]:
    """The options that files made by hand are evaluated with."""
    kept = list(options)
    for option in ("--map-docs", "--map-ranks", "--exclude", "--exclude-from"):
        if option in kept:
            place = kept.index(option)
            del kept[place : place + 2]
    return kept


def numbers(printed_text: bytes) -> list[bytes]:
    """The lines without the run's tag."""
    return [line for line in printed_text.splitlines() if not line.startswith(b"runid")]


@pytest.mark.parametrize("seed", range(CASES))
def test_options_do_what_is_done_to_the_files_by_hand(seed: int, tmp_path: Path) -> None:
    case = made(seed, tmp_path)
    measures = ["-q", "--quiet", "-m", "all_trec", "-m", "PRES"]
    by_hand = printed([*measures, *without_options(case.options), *case.write_by_hand(tmp_path)])
    files = case.write(tmp_path)
    arguments = [*measures, *case.options, *files]
    code, out, err = printed(arguments)
    if by_hand[0]:  # an empty file, or no topic in common: files made by hand tell them apart
        assert {code, by_hand[0]} <= {2, 7}, err
        return
    assert (code, numbers(out)) == (0, numbers(by_hand[1])), (case.options, err)
    plan = PLANS[seed % len(PLANS)]
    assert printed_in_splits(arguments, random.Random(seed).choice([7, 50, 400]), plan)[:2] == (code, out)
    shuffled = list(case.run)
    random.Random(seed).shuffle(shuffled)
    Path(files[1]).write_text("".join(f"{t} Q0 {d} 0 {s!r} t\n" for t, d, s in shuffled))
    assert printed(arguments)[:2] == (code, out), "lines in any order"


@pytest.mark.parametrize("seed", range(8))
def test_dicts_rows_and_tables_are_rewritten_as_files_are(seed: int, tmp_path: Path) -> None:
    pandas = pytest.importorskip("pandas")
    case = made(1000 + seed, tmp_path)
    qrels, run = case.write(tmp_path)
    options = dict(zip(case.options[::2], case.options[1::2], strict=False))
    asked = {
        name.removeprefix("--").replace("-", "_"): value
        for name, value in options.items()
        if name in ("--map-docs", "--map-ranks", "--exclude", "--exclude-from")
    }
    judged: dict[str, dict[str, int]] = {}
    for topic, document, grade in case.judged:
        judged.setdefault(topic, {})[document] = int(grade)
    retrieved: dict[str, dict[str, float]] = {}
    for topic, document, score in case.run:
        retrieved.setdefault(topic, {})[document] = score
    frame = pandas.DataFrame(list(case.run), columns=["qid", "docno", "score"])

    def values(*data: object) -> object:
        try:
            return pe.evaluate(*data, ["map", "PRES", "ndcg", "num_ret"], **asked).to_dict()  # type: ignore[arg-type, call-arg]
        except PresEvalError as error:
            return type(error)

    wanted = values(qrels, run)
    assert values(judged, retrieved) == wanted
    assert values(judged, frame) == wanted
    assert values(qrels, case.run) == wanted


IDS = [
    b"d1#0",
    b"d1#12",
    b"d#1#2",
    b"#3",
    b"d#",
    b"",
    b"d1",
    b"12",
    b"d_p7",
    b"d_p",
    b"_p7",
    b"a" * 30 + b"#5",
]


@pytest.mark.parametrize(
    "pattern", [r"^(.*)#\d+$", r"(.+)#\d+$", r"^(.*)_p\d+$", r"^(.*?)\#\d+$", r"^(.*)p\d+$", r"^(.*)#[0-9]+$"]
)
def test_the_short_way_for_numbers_at_the_end_is_that_of_the_pattern(pattern: str) -> None:
    short = PatternMapping(pattern)
    assert short._before_number is not None
    ids = [one for one in IDS if one]
    found, changed = short(Ids.from_texts(ids))
    wanted = []
    for one in ids:
        match = re.search(pattern.encode(), one)
        wanted.append(match[1] if match is not None and match[1] else one)
    assert list(found.take(slice(None))) == wanted
    assert changed.tolist() == [new != old for new, old in zip(wanted, ids, strict=True)]


@pytest.mark.parametrize(
    "pattern", [r"^(.*)#1\d+$", r"^(.*)[#_]\d+$", r"^(.*)#\d+", r"^(a|b)#\d+$", r"^(.*)#\d*$"]
)
def test_other_patterns_go_the_long_way(pattern: str) -> None:
    assert PatternMapping(pattern)._before_number is None


PARTS = [
    "d", "1", "_", "-", "#", r"\d", r"\D", r"\w", r"\W", r"\b", r"\B", r"\s", r"\.", r"\#", ".", "é",
    "(?:a|d1)", "(?=1)", "(?<!d)", "{", "x{", r"\\",
]  # fmt: skip
REPEATED = ["", "", "", "+", "*", "?", "{2}", "{1,3}", "{,2}", "{2,}", "+?", "*?"]
SIGNS = "d1290_-#.aAfFzZ{3}x+,é\\/ \n"


@st.composite
def patterns(draw: st.DrawFn) -> str:
    """A pattern with one group, of all kinds of parts, or one with flags or a group that is named again."""

    def parts(most: int) -> str:
        some = draw(st.lists(st.tuples(st.sampled_from(PARTS), st.sampled_from(REPEATED)), max_size=most))
        return "".join(part + often for part, often in some)

    pattern = f"{parts(2)}({parts(3)}){parts(3)}"
    pattern = draw(st.sampled_from(["", "", "^", "(?i)", "(?s)", r"\A"])) + pattern
    pattern += draw(st.sampled_from(["", "", "$", r"\Z", r"\1", "(?i:a)", "(?(1)a|d)", r"\x61", r"\141"]))
    try:
        re.compile(pattern.encode())
    except re.error:
        assume(False)
    return pattern


@settings(max_examples=400)
@given(patterns(), st.lists(st.text(SIGNS, min_size=1, max_size=12), min_size=1, max_size=30))
@example(r"^(.*)l", ["long" * 80, "lang" * 80, "1"])
@example(r"(x){2}", ["axx2", "xx{2", "x"])
@example(r"^([{3}]+)", ["{3}a", "4{3", "33"])
@example(r"([a-c-e]+)-", ["ab-e-", "d-", "b-d-"])
def test_ids_that_are_alike_to_a_pattern_become_what_it_finds(pattern: str, texts: list[str]) -> None:
    ids = [b"\xff" + b"padding", *(text.encode() for text in texts)]
    found, changed = PatternMapping(pattern)(Ids.from_texts(ids)[1:])
    wanted = []
    for one in ids[1:]:
        match = re.search(pattern.encode(), one)
        wanted.append(match[1] if match is not None and match[1] else one)
    assert list(found.take(slice(None))) == wanted
    spans = [re.search(pattern.encode(), one) for one in ids[1:]]
    assert changed.tolist() == [
        bool(span is not None and span[1] and span[1] != one)
        for span, one in zip(spans, ids[1:], strict=True)
    ]


def test_a_pattern_of_bytes_that_are_no_text() -> None:
    """As the command line gives them: bytes that are not UTF-8."""
    found, changed = PatternMapping("^(\udcff+)x")(Ids.from_texts([b"\xff\xffx1", b"\xfex"]))
    assert list(found.take(slice(None))) == [b"\xff\xff", b"\xfex"] and changed.tolist() == [True, False]
    found, _ = PatternMapping("^(.*)\udcff\\d+$")(Ids.from_texts([b"d1\xff12", b"d1"]))
    assert list(found.take(slice(None))) == [b"d1", b"d1"]


@pytest.mark.parametrize("pattern", [r"^(d\d+)", r"(.+)_[0-9]+", r"^([^_]+)_", r"([a-z]+[0-9]{3,})#?"])
def test_a_pattern_is_tried_on_few_ids(pattern: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """Numbers of one length are alike: speed is not measured here, but what it comes from."""
    tried = 0
    span = PatternMapping._span

    def counted(self: PatternMapping, text: bytes) -> tuple[int, int]:
        nonlocal tried
        tried += 1
        return span(self, text)

    monkeypatch.setattr(PatternMapping, "_span", counted)
    PatternMapping(pattern)(
        Ids.from_texts([b"d%d_%d" % (1000 + number, number % 7) for number in range(9000)])
    )
    assert tried <= 2


def test_recall_above_one_becomes_one(command: Command, tmp_path: Path) -> None:
    """gbrain#4176: two chunks of the one relevant document counted twice."""
    (tmp_path / "qrels").write_text("1 0 doc 1\n")
    (tmp_path / "run").write_text("1 Q0 doc#1 1 3 t\n1 Q0 doc#2 2 2 t\n1 Q0 other#1 3 1 t\n")
    called = command("-m", "recall.5", "--map-docs", r"^(.*)#\d+$", tmp_path / "qrels", tmp_path / "run")
    assert called.out.split() == ["recall_5", "all", "1.0000"]
    assert "3 of 3 rows mapped to other documents, 1 left out as their document came before" in called.err
    json = command("-m", "recall.5", "--map-docs", r"^(.*)#\d+$", "--format", "json", tmp_path / "qrels",
                   tmp_path / "run").json  # fmt: skip
    assert json["signature"]["files"] == {"map-docs": {"path": r"^(.*)#\d+$", "sha256": None}}
    assert (json["runs"][0]["mapped"], json["runs"][0]["dropped"]) == (3, 1)


@pytest.mark.parametrize("engine", [(), ("--jobs", "2"), ("--cluster", "local:1")], ids=" ".join)
def test_map_exclude_rank_then_most_then_judged_only(
    engine: tuple[str, ...], command: Command, tmp_path: Path
) -> None:
    """Each of these numbers would be another one if two neighbours changed places."""
    (tmp_path / "qrels").write_text("1 0 a 1\n1 0 b 1\n1 0 x#9 1\n")
    (tmp_path / "exclude").write_text("1 x\n")
    ids = "x#1", "x#2", "u", "a#1", "a#2", "b#1"
    (tmp_path / "run").write_text("".join(f"1 Q0 {one} 0 {-rank} t\n" for rank, one in enumerate(ids)))
    given = "--map-docs", r"^(.*)#\d+$", "--exclude", tmp_path / "exclude"
    files: list[str | Path] = [tmp_path / "qrels", tmp_path / "run", *engine]

    def values(*options: str) -> dict[str, str]:
        lines = command("--quiet", *given, *options, *files).out.splitlines()
        return {name: value for name, _, value in map(str.split, lines)}

    asked = "-m", "num_rel", "-m", "num_ret", "-m", "num_rel_ret", "-m", "recip_rank"
    # x is excluded after x#9, x#1 and x#2 became x; a#2 is dropped before ranks are given: u, a, b.
    assert values(*asked) == {"num_rel": "2", "num_ret": "3", "num_rel_ret": "2", "recip_rank": "0.5000"}
    assert values(*asked, "-M", "3")["num_rel_ret"] == "2"
    assert values(*asked, "-M", "2")["num_rel_ret"] == "1"
    # -J takes u out of the two that -M left.
    found = {"num_rel": "2", "num_ret": "1", "num_rel_ret": "1", "recip_rank": "1.0000"}
    assert values(*asked, "-M", "2", "-J") == found


def test_a_topic_is_no_answer_to_itself(command: Command, tmp_path: Path) -> None:
    """ArguAna, Quora: BEIR's ignore_identical_ids."""
    (tmp_path / "qrels").write_text("q1 0 a 1\nq2 0 b 1\n")
    (tmp_path / "run").write_text("q1 Q0 q1 1 3 t\nq1 Q0 a 2 2 t\nq2 Q0 q2 1 3 t\nq2 Q0 b 2 2 t\n")
    files = tmp_path / "qrels", tmp_path / "run"
    assert command("-m", "recip_rank", *files).out.split()[-1] == "0.5000"
    called = command("-m", "recip_rank", "--exclude", "self", *files)
    assert called.out.split()[-1] == "1.0000" and "run: 2 excluded" in called.err


@pytest.mark.parametrize("mapping", [r"^(EP\d+)-", "families"])
def test_a_topic_s_own_family_is_no_answer_to_it(mapping: str, command: Command, tmp_path: Path) -> None:
    """The topic's id goes through the map as documents do."""
    (tmp_path / "qrels").write_text("EP1-A1 0 EP5-A1 1\n")
    (tmp_path / "run").write_text("EP1-A1 Q0 EP1-B1 1 3 t\nEP1-A1 Q0 EP5-B2 2 2 t\n")
    families = tmp_path / "families"
    families.write_text("EP1-A1 f1\nEP1-B1 f1\nEP5-A1 f5\nEP5-B2 f5\n")
    options = ["--map-docs", str(families) if mapping == "families" else mapping, "--exclude", "self"]
    called = command("-m", "recip_rank", *options, tmp_path / "qrels", tmp_path / "run")
    assert called.out.split()[-1] == "1.0000" and "1 excluded" in called.err


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 A,B,C\n", "C"),
        ('1 "A"\n', "D"),
        ("doc B\n1 A,B,C\n", "C"),
        ("topic docno\n1 A,B,C\n", "C"),
        ('1,"A,B,C"\n', "C"),
        ("1;A,B,C\n2;B\n", "C"),
        ("1 0 A,B,C 1\n", "C"),
        ("query,document\n1,B\n", "B"),
        ("1\tA,B,C\n", "C"),
    ],
)
def test_excluded_ids_are_those_of_the_separator_that_all_lines_have(
    text: str, expected: str, command: Command, tmp_path: Path
) -> None:
    """Each of four documents is the only one that a file excludes."""
    documents = {"A,B,C": "C", "B": "B", '"A"': "D", "x": "x"}
    (tmp_path / "excluded").write_text(text)
    (tmp_path / "qrels").write_text("".join(f"1 0 {docno} 1\n" for docno in documents))
    gone = []
    for docno, name in documents.items():
        (tmp_path / "run").write_text(f"1 Q0 {docno} 1 2 t\n1 Q0 other 2 1 t\n")
        called = command(
            "-m", "num_ret", "--exclude", tmp_path / "excluded", tmp_path / "qrels", tmp_path / "run"
        )
        gone += [name] if called.out.split()[-1] == "1" else []
    assert gone == [expected]


@pytest.mark.parametrize(
    ("options", "code", "message"),
    [
        (["--map-docs", "nofile"], 1, "--map-docs nofile: no such file, and no pattern with a group"),
        (["--map-docs", "(?:a)"], 1, "--map-docs (?:a): found no group, expected one or more"),
        (["--map-docs", "(a"], 1, "--map-docs (a: not a regular expression ("),
        (["--map-ranks", "kept"], 1, "--map-ranks goes with --map-docs"),
        (["--exclude-from", "run"], 1, "--exclude-from goes with --exclude"),
        (["--exclude", "nofile"], 2, "nofile: no such file"),
        (["--map-docs", "three"], 2, "three:2: 3 columns, expected 2 (docno document)"),
        (["--map-docs", "twice"], 2, "twice:3: document 'a' again, for another one, expected "),
        (["--map-docs", "empty"], 2, "empty: "),
        (["--exclude", "three"], 2, "three:2: 3 columns, expected 2 (topic docno)"),
        (["--exclude", "all"], 2, "qrels: all judgements are of excluded documents, expected some"),
        (["--map-docs", "pairs", "-R", "prefs"], 1, "--map-docs, --exclude: expected judgements in the"),
        (["--map-docs", "no_rows"], 2, "no_rows: no lines, expected lines of docno document"),
        (["--map-docs", "empty_cell"], 2, "empty_cell:2: an empty cell, expected an id in each (docno"),
    ],
)  # fmt: skip
def test_mistakes(
    command: Command,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    options: list[str],
    code: int,
    message: str,
) -> None:
    monkeypatch.chdir(tmp_path)
    for name, text in {
        "qrels": "1 0 a 1\n", "run": "1 Q0 a 1 1 t\n", "three": "a b\na b c\n", "twice": "a b\nb c\na c\n",
        "empty": "", "all": "1 a\n", "pairs": "a b\n", "prefs": "1 0 A a 1.0\n1 0 A b 2.0\n",
        "no_rows": ",docno,family\n", "empty_cell": "a,b\nb,\n",
    }.items():  # fmt: skip
        (tmp_path / name).write_text(text)
    judged = "prefs" if "prefs" in options else "qrels"
    called = command("-m", "map" if judged == "qrels" else "prefs_simp", *options, judged, "run")
    assert (called.code, message in called.err) == (code, True), called.err


CHUNKS = {
    "together": "1 Q0 c1#1 1 3 t\n1 Q0 c1#1 2 2 t\n1 Q0 d2#1 3 1 t\n2 Q0 d1#0 1 1 t\n",
    "scattered": "1 Q0 c1#1 1 3 t\n2 Q0 d1#0 1 1 t\n1 Q0 c1#1 2 2 t\n1 Q0 d2#1 3 1 t\n",
}
AGAIN = (
    "run:{line}: document 'c1#1' of topic '1' again (first in line 1), expected each document once per topic"
)


@pytest.fixture
def chunks(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    Path("qrels").write_text("1 0 d2 1\n1 0 d4 0\n2 0 d1 1\n2 0 d3 0\n")
    Path("map").write_text("c1#1 c1\nd2#1 d2\nd1#0 d1\n")
    return tmp_path


@pytest.mark.parametrize("how", [["map"], [r"^(.*)#\d+$"], ["map", "--map-ranks", "kept"]])
@pytest.mark.parametrize(("order", "line"), [("together", 2), ("scattered", 3)])
@pytest.mark.parametrize("cluster", [[], ["--cluster", "local:1"]])
def test_a_document_twice_before_it_is_mapped_is_an_error(
    how: list[str], order: str, line: int, cluster: list[str], chunks: Path, command: Command
) -> None:
    """2.8.0: the second c1#1 was left out as if it were another chunk of c1."""
    (chunks / "run").write_text(CHUNKS[order])
    called = command(*cluster, "--map-docs", *how, "qrels", "run")
    assert (called.code, called.out) == (2, "")
    assert AGAIN.format(line=line) in called.err
    assert command(*cluster, "--map-docs", *how, "--duplicates", "first", "qrels", "run").code == 0


def test_rows_twice_before_they_are_mapped_are_an_error_from_python() -> None:
    qrels = pe.Qrels({"1": {"d1": 1}}).rewritten(map_docs={"a#0": "d1", "a#1": "d1"})
    rows = [("1", "a#0", 3.0), ("1", "a#1", 2.0), ("1", "b", 1.0)]
    assert pe.evaluate(qrels, rows, "map").summary["map"] == 1.0
    with pytest.raises(PresEvalError, match=r"document 'a#0' of topic '1' again \(rows 1 and 4\)"):
        pe.evaluate(qrels, [*rows, ("1", "a#0", 0.5)], "map")


@pytest.mark.parametrize("name", ["d2", "d2#1"])
def test_what_is_excluded_may_be_named_before_or_after_it_is_mapped(
    name: str, chunks: Path, command: Command
) -> None:
    (chunks / "run").write_text(CHUNKS["together"].replace("c1#1 2", "c1#2 2"))
    (chunks / "out").write_text(f"1 {name}\n")
    called = command("-m", "num_ret", "--map-docs", r"^(.*)#\d+$", "--exclude", "out", "qrels", "run")
    assert "num_ret               \tall\t2\n" in called.out
    assert ", 1 excluded" in called.err


def test_excluded_judgements_may_be_named_before_they_are_mapped(chunks: Path, command: Command) -> None:
    (chunks / "run").write_text(CHUNKS["together"].replace("c1#1 2", "c1#2 2"))
    (chunks / "qrels").write_text("1 0 d2#1 1\n1 0 d2#2 1\n1 0 d4 1\n2 0 d1 1\n")
    (chunks / "out").write_text("1 d4\n1 d2#1\n")
    called = command("--map-docs", r"^(.*)#\d+$", "--exclude", "out", "-m", "num_rel", "qrels", "run")
    assert called.out == "num_rel               \tall\t2\n"
