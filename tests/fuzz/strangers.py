"""Cases of a stranger over all commands: made from what users may have, not from what the code does.

    python tests/fuzz/strangers.py --cases 5000 --seed 1

Each case is a call of the command or of the Python API in a folder of its own.  It must end with an exit
code that the manual knows, or with one of our exceptions; print what no reader takes for a command; give one
line of three columns for each value; and the same numbers from every format that holds the same data.
"""

from __future__ import annotations

import argparse
import contextlib
import csv
import io
import json
import math
import os
import random
import resource
import signal
import sys
import tempfile
import traceback
import warnings
from collections import Counter
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any, NoReturn

sys.path.insert(0, str(Path(__file__).parents[1]))

from support.hostile import UNSAFE, check_output

import pres_eval as pe
from pres_eval import pytrec_eval
from pres_eval.cli import main
from pres_eval.errors import PresEvalError

SECONDS = 300
MOST_MEMORY = 3 << 30
"""Bytes: a case that needs more is wrong."""
EXIT_CODES = {0, 1, 2, 3, 7}
SIGNS = (
    *"aZ09-_.:;,|/\\'\"`*[](){}<>&%$#@!?=+~^",
    *("\x1b", "\x07", "\x08", "\x7f", "\x9b", "\x85", "\x1c", "\x1f"),
    *("\u00a0", "\u2028", "\u2029", "\u202e", "\u2066", "\u200f", "\ufeff", "\u00ad", "\u3000"),
    *("é", "漢", "🙂", "\U000e0041"),
)
BREAKS = ("\t", "\n", "\r", "\v", "\f", "\r\n")
WORDS = (
    *("all", "::error::x", "##[error]x", "##vso[task]", "=1+1", "-1", "+1", "@SUM(1)", "\\input{x}"),
    *(
        "<script>x</script>",
        "</script>",
        "nan",
        "inf",
        "None",
        "null",
        "true",
        "__proto__",
        "map",
        "run",
        "Q0",
    ),
    *("1e5", "0x10", "1_000", "#c", "%s", "{0}", "%0A", "../x", "~", "$HOME", "-q", "--help", "topic"),
)
NUMBERS = (
    "0",
    "1",
    "-1",
    "2.5",
    "1e-300",
    "1e308",
    "-0.0",
    "3",
    "7",
    "inf",
    "-inf",
    "0.1",
    "1e16",
    "2147483648",
)
ODD_NUMBERS = (*NUMBERS, "nan", "", "1,5", "0x1p3", "١", "1_0", "1e999", "--1", "NaN", "9223372036854775808")
ODD_BYTES = (b"\0", b"\xff", b'"', b"{", b"]", b"\n", b"\t", b",", b"\x1a")
BEGINNINGS = (b"\xef\xbb\xbf", b"\xff\xfe", b"\x1f\x8b", b"PAR1", b"#", b"\n\n")
GRADES = (0, 1, 1, 2, 3, -1, -2, 10, 2**31, 2**63 - 1)


class StuckError(Exception):
    """A case that took too long."""


def stop(*_: object) -> NoReturn:
    raise StuckError


def name(chance: random.Random, breaks: bool = False) -> str:
    """A topic, docno, tag or group."""
    kind = chance.random()
    if kind < 0.3:
        return chance.choice(WORDS)
    if kind < 0.5:
        return f"d{chance.randrange(50)}"
    text = "".join(chance.choice(SIGNS) for _ in range(chance.choice((1, 2, 5, 30))))
    if breaks and chance.random() < 0.3:
        place = chance.randrange(len(text) + 1)
        text = text[:place] + chance.choice(BREAKS) + text[place:]
    return text if chance.random() > 0.01 else text * 2000


def names(chance: random.Random, count: int, breaks: bool = False) -> list[str]:
    found: list[str] = []
    while len(found) < count:
        one = name(chance, breaks)
        if one not in found:
            found.append(one)
    return found


Data = dict[str, dict[str, Any]]


def collection(chance: random.Random, breaks: bool = False) -> tuple[Data, list[Data]]:
    """Judgements and runs: topics, documents, grades or scores."""
    topics = names(chance, chance.randrange(1, 6), breaks)
    documents = names(chance, chance.randrange(2, 9))
    grades = GRADES if chance.random() < 0.3 else GRADES[:6]
    qrels = {
        topic: {one: chance.choice(grades) for one in documents if chance.random() < 0.7} for topic in topics
    }
    runs = []
    for _ in range(chance.randrange(2, 4)):
        own = [*documents, *names(chance, 2)]
        runs.append(
            {
                topic: {one: float(chance.choice(NUMBERS)) for one in own if chance.random() < 0.8}
                for topic in topics
                if chance.random() < 0.9
            }
        )
    return qrels, runs


def text_lines(data: Data, tag: str | None) -> bytes:
    lines = []
    for topic, documents in data.items():
        for rank, (docno, value) in enumerate(documents.items()):
            words = (
                [topic, "0", docno, str(value)]
                if tag is None
                else [topic, "Q0", docno, str(rank), repr(value), tag]
            )
            lines.append(" ".join(words) + "\n")
    return "".join(lines).encode("utf-8", "surrogateescape")


def as_json(data: Data) -> bytes:
    return json.dumps({topic: documents for topic, documents in data.items() if documents}).encode()


def as_rows(data: Data) -> list[tuple[str, str, Any]]:
    return [(topic, docno, value) for topic, documents in data.items() for docno, value in documents.items()]


def as_json_lines(data: Data, key: str) -> bytes:
    rows = [{"query_id": topic, "doc_id": docno, key: value} for topic, docno, value in as_rows(data)]
    return "".join(f"{json.dumps(row)}\n" for row in rows).encode()


def as_csv(data: Data, key: str) -> bytes:
    stream = io.StringIO(newline="")
    csv.writer(stream).writerows([("query_id", "doc_id", key), *as_rows(data)])
    return stream.getvalue().encode("utf-8", "surrogateescape")


def as_parquet(data: Data, key: str) -> bytes:
    import pyarrow
    import pyarrow.parquet

    stream = io.BytesIO()
    topics, documents, values = map(list, zip(*as_rows(data), strict=True))
    pyarrow.parquet.write_table(pyarrow.table({"query_id": topics, "doc_id": documents, key: values}), stream)
    return stream.getvalue()


def call(*arguments: str) -> tuple[int, str, str]:
    """Call the command: exit code, output, messages."""
    out, err = io.TextIOWrapper(io.BytesIO(), "utf-8", newline="\n"), io.StringIO()
    with contextlib.redirect_stdout(out), contextlib.redirect_stderr(err):
        code = main(list(arguments))
        out.flush()
    data = out.buffer.getvalue()
    return code, data.decode("utf-8", "surrogateescape"), err.getvalue()


def check_messages(code: int, messages: str, is_check: bool = False) -> None:
    """The exit code is one of the manual's, the messages are ours; `check` prints its findings as results."""
    assert code in EXIT_CODES, code
    assert "Traceback" not in messages, messages
    lines = messages.split("\n")
    assert lines.pop() == "", messages
    assert all(line.isprintable() for line in lines), messages
    begins = ("pres-eval: ", "Usage: ", "Try ", "Error: ")
    assert all(line.startswith(begins) or not line for line in lines), messages
    assert code in (0, 3) or lines or is_check, "an error without a word"


def lines_of(text: str) -> list[list[str]]:
    """The lines of trec_eval, each of three columns."""
    rows = [line.split("\t") for line in text.split("\n")[:-1]]
    assert all(len(row) == 3 for row in rows), [row for row in rows if len(row) != 3]
    return rows


def write_collection(chance: random.Random) -> tuple[str, list[str], list[str]]:
    """Write judgements and runs as text under names of a stranger; their paths, and the topics."""
    qrels, runs = collection(chance)
    paths = [f"{place}{name(chance)}".replace("/", "_")[:60] for place in range(len(runs) + 1)]
    Path(paths[0]).write_bytes(text_lines(qrels, None) or b"1 0 a 1\n")
    for path, run in zip(paths[1:], runs, strict=True):
        Path(path).write_bytes(text_lines(run, name(chance).replace(" ", "_")) or b"1 Q0 a 0 1 t\n")
    return paths[0], paths[1:], list(qrels)


def write_groups(chance: random.Random, topics: list[str]) -> list[str]:
    options: list[str] = []
    if chance.random() < 0.5:
        stream = io.StringIO(newline="")
        csv.writer(stream).writerows([("topic", "group"), *((topic, name(chance)) for topic in topics)])
        Path("groups.csv").write_bytes(stream.getvalue().encode())
        options += ["--groups", "groups.csv"]
    if chance.random() < 0.5:
        stream = io.StringIO(newline="")
        weights = [(topic, chance.choice((1, 2, "0.5", 0, *ODD_NUMBERS[:2]))) for topic in topics]
        csv.writer(stream).writerows([("topic", "weight"), *weights])
        Path("weights.csv").write_bytes(stream.getvalue().encode())
        options += ["--weights", "weights.csv"]
    return options


MEASURES = (
    "map",
    "P.5",
    "PRES.10",
    "ndcg",
    "recip_rank",
    "num_ret",
    "runid",
    "bpref",
    "nosuch",
    "P@",
    "map.x",
)


def case_evaluator(chance: random.Random) -> str:
    """The evaluator over names of a stranger, in every format."""
    qrels, runs, topics = write_collection(chance)
    form = chance.choice(("trec", "table", "csv", "tsv", "json", "jsonl", "latex", "markdown"))
    measures = [word for one in chance.sample(MEASURES[:8], 3) for word in ("-m", one)]
    flags = [flag for flag in ("-q", "-c", "-n", "-J") if chance.random() < 0.3]
    groups = write_groups(chance, topics)
    words = [*flags, *measures, *groups, "--format", form, "--", qrels, *runs]
    code, out, err = call(*words)
    check_messages(code, err)
    if form == "trec":
        rows = lines_of(out)
        summaries = Counter(label for label, topic, _ in rows if topic == "all" and "all" not in topics)
        assert all(count <= len(runs) for count in summaries.values()), summaries
        assert {topic for _, topic, _ in rows} <= {*topics, "all"}
    elif code == 0:
        check_output(form, out)
    return form


COMMANDS = {
    "agreement": ["-m", "map", "-m", "P.5"],
    "check": [],
    "compare": ["-m", "map", "--per-topic", "--samples", "9"],
    "explain": ["--nmax", "5", "--max", "0"],
    "holes": ["--depth", "5", "--documents"],
    "judges": ["-m", "map"],
    "pool": ["--depth", "5"],
    "power": ["-m", "map", "--trials", "2", "--sizes", "2", "--samples", "9"],
    "report": ["--samples", "9"],
    "robustness": ["-m", "map", "--samples", "1", "--fractions", "0.5"],
    "sweep": ["-m", "PRES", "--nmax", "5,10"],
    "figures": [],
}


def case_commands(chance: random.Random) -> str:
    """All other commands over such names."""
    command = chance.choice(sorted(COMMANDS))
    qrels, runs, topics = write_collection(chance)
    files = {"judges": [qrels, qrels, *runs], "pool": runs, "explain": [qrels, *runs[:2]]}.get(
        command, [qrels, *runs]
    )
    forms = {"check": ("text", "json"), "report": ("text", "json", "csv")}
    form = chance.choice(forms.get(command, ("table", "json", "csv", "tsv", "latex", "markdown")))
    groups = write_groups(chance, topics) if command in ("compare", "report") else []
    before = [chance.choice(("pres-rank", "precision-recall", "roc"))] if command == "figures" else []
    code, out, err = call(command, *before, *COMMANDS[command], *groups, "--format", form, "--", *files)
    check_messages(code, err, command == "check")
    if out:
        check_output(form, out)
    return command


def case_formats(chance: random.Random) -> str:
    """The same data in several formats and as objects: the same numbers, or an error."""
    qrels, runs = collection(chance, breaks=True)
    run = runs[0]
    outcomes: dict[str, Any] = {}
    ways: dict[str, Callable[[], tuple[Any, Any]]] = {
        "dict": lambda: (qrels, run),
        "rows": lambda: (as_rows(qrels), as_rows(run)),
    }
    writers = {
        "json": (as_json(qrels), as_json(run)),
        "csv": (as_csv(qrels, "relevance"), as_csv(run, "score")),
    }
    writers["jsonl"] = as_json_lines(qrels, "relevance"), as_json_lines(run, "score")
    if as_rows(qrels) and as_rows(run):
        writers["parquet"] = as_parquet(qrels, "relevance"), as_parquet(run, "score")
    writers["text"] = text_lines(qrels, None), text_lines(run, "t")
    for form, (judged, ranked) in writers.items():
        Path(f"q.{form}").write_bytes(judged)
        Path(f"r.{form}").write_bytes(ranked)
        ways[form] = lambda form=form: (f"q.{form}", f"r.{form}")  # type: ignore[misc]
    for way, data in ways.items():
        judged_data, ranked_data = data()
        try:
            found = pe.evaluate(judged_data, ranked_data, ["map", "P.5", "ndcg", "num_rel"])
        except PresEvalError as error:
            assert str(error)
            continue
        lines = lines_of(found.to_trec(per_topic=True).decode("utf-8", "surrogateescape"))
        outcomes[way] = sorted(map(tuple, lines))
    topics = [topic for data in (qrels, run) for topic, documents in data.items() if documents]
    whole = [one for topic in topics for one in topic if one in "\t\n\v\f\r"]
    blanks = any(set(one) & set(" \t\n\v\f\r") for one in [*qrels, *run])
    if whole:
        assert not set(outcomes) - {"text", "csv"}, (whole, list(outcomes))
    # In text such a line is a comment, and such a file has a byte order mark.
    comments = any(topic.startswith(("#", "\ufeff")) for topic in [*qrels, *run])
    compared = [way for way in outcomes if way != "text" or not (blanks or comments)]
    for way in compared[1:]:
        stripped = way == "csv" or compared[0] == "csv"
        assert outcomes[way] == outcomes[compared[0]] or (stripped and blanks), (way, compared[0])
    return "formats"


SPOIL: tuple[Callable[[random.Random, bytes, int], bytes], ...] = (
    lambda chance, data, place: data[:place],
    lambda chance, data, place: data[place:],
    lambda chance, data, place: data + data,
    lambda chance, data, place: data[:place] + chance.choice(ODD_BYTES) + data[place:],
    lambda chance, data, place: data.replace(b"1", chance.choice(ODD_NUMBERS).encode(), 1),
    lambda chance, data, place: data.replace(
        b"doc_id", chance.choice((b"docno", b"x", b"query_id", b"score"))
    ),
    lambda chance, data, place: chance.choice(BEGINNINGS) + data,
)
"""Ways to spoil a file."""


def spoiled(chance: random.Random, data: bytes) -> bytes:
    """A file in which something is wrong."""
    return chance.choice(SPOIL)(chance, data, chance.randrange(len(data) + 1))


def case_spoiled(chance: random.Random) -> str:
    """Damaged files of every format, for every command that reads one."""
    qrels, runs = collection(chance, breaks=True)
    form = chance.choice(("json", "jsonl", "csv", "parquet", "text"))
    if not as_rows(qrels) or not as_rows(runs[0]):
        form = "text"
    made = {
        "json": lambda: (as_json(qrels), as_json(runs[0])),
        "jsonl": lambda: (as_json_lines(qrels, "relevance"), as_json_lines(runs[0], "score")),
        "csv": lambda: (as_csv(qrels, "relevance"), as_csv(runs[0], "score")),
        "parquet": lambda: (as_parquet(qrels, "relevance"), as_parquet(runs[0], "score")),
        "text": lambda: (text_lines(qrels, None), text_lines(runs[0], "t")),
    }
    judged, ranked = made[form]()
    if chance.random() < 0.5:
        judged = spoiled(chance, judged)
    else:
        ranked = spoiled(chance, ranked)
    Path("qrels").write_bytes(judged)
    Path("run").write_bytes(ranked)
    words = chance.choice(
        (
            ["-q", "-m", "map", "qrels", "run"],
            ["check", "qrels", "run"],
            [
                "convert",
                "run",
                "--to",
                chance.choice(("trec_results", "json", "csv", "parquet", "beir")),
                "--output",
                "o",
            ],
            ["convert", "qrels", "-R", "json" if form == "text" else form, "--to", "qrels"],
            ["holes", "qrels", "run", "--format", "csv"],
            ["merge", "qrels", "qrels", "--quiet"],
            ["pool", "run", "--depth", "3"],
            ["-c", "-m", "P.5", "--exclude", "qrels", "qrels", "run"],
            ["-m", "map", "--map-docs", "run", "qrels", "run"],
            ["-m", "map", "--groups", "run", "--weights", "qrels", "qrels", "run"],
            ["compare", "--scores", "run"],
            ["validate", "run", "qrels", "--collection", "1000"],
            ["-m", "map", "--against", "run", "qrels", "run"],
            ["-m", "map", "--expect", "run", "qrels", "run"],
        )
    )
    code, out, err = call(*words)
    check_messages(code, err, words[0] == "check")
    if words[0] == "-q":
        lines_of(out)
    return f"spoiled {form}"


def junk(chance: random.Random) -> Any:
    """A value for an argument."""
    choices: tuple[Any, ...] = (
        *(
            None,
            True,
            False,
            0,
            1,
            -1,
            2**63,
            10**400,
            1.5,
            -0.0,
            math.nan,
            math.inf,
            "",
            "x",
            b"x",
            "\0",
            "1",
        ),
        *(
            [],
            [1],
            (1, 2),
            {},
            {1: 1},
            {"1": "a"},
            {"1": ["a"]},
            set(),
            {"a"},
            object(),
            range(10**9),
            lambda: 1,
        ),
        *(
            complex(1, 2),
            "docno",
            "zero",
            "best",
            "10.0",
            "self",
            "^(.*)#$",
            [["a"]],
            {"1": {"a": [1]}},
            [("1", "a")],
        ),
    )
    return chance.choice(choices)


ARGUMENTS = (
    *("measures", "level", "complete", "judged_only", "max_retrieved", "num_docs", "topic", "nmax", "ties"),
    *(
        "duplicates",
        "empty",
        "map_docs",
        "map_ranks",
        "exclude",
        "exclude_from",
        "bounds",
        "intervals",
        "groups",
    ),
    *("weights", "document_scores", "nmax_of", "sizes", "compat", "form", "name", "jobs", "cluster_timeout"),
)


def case_arguments(chance: random.Random) -> str:
    """Values of any type in the place of arguments, judgements and runs: errors of ours, or numbers."""
    data: list[Any] = [{"1": {"a": 1, "b": 0}, "2": {"a": 2}}, {"1": {"a": 2.0, "b": 1.0}, "2": {"a": 1.0}}]
    kind = chance.randrange(4)
    given = {one: junk(chance) for one in chance.sample(ARGUMENTS, chance.choice((1, 1, 2)))} if kind else {}
    if not kind:
        place = chance.randrange(2)
        topic = chance.choice((name(chance), 1, b"1", None, 1.5))
        data[place] = chance.choice(
            (
                {"1": {"a": junk(chance)}},
                {topic: {"a": 1}},
                {"1": {junk_key(chance): 1}},
                junk(chance),
                [("1", "a", junk(chance))],
            )
        )
    try:
        pe.evaluate(*data, **given)
    except PresEvalError as error:
        assert str(error)
    except TypeError as error:
        # An argument of a wrong type may be Python's own error, if it names the argument.
        assert any(one in str(error) for one in given), f"{given} {data}: TypeError: {error}"
    return f"arguments {kind and sorted(given)[0]}"


def junk_key(chance: random.Random) -> Any:
    return chance.choice((None, 1, 1.5, b"x", "\ud800", "\0", (1,), name(chance)))


def case_pytrec_eval(chance: random.Random) -> str:
    """The drop-in: values by topic, or pytrec_eval's errors."""
    qrels, runs = collection(chance, breaks=True)
    measures = {"map", "ndcg_cut.5", "recall_5", "P"}
    run = {topic: dict(documents) for topic, documents in runs[0].items()}
    if chance.random() < 0.2 and run:
        run[next(iter(run))][chance.choice(("x", "\0", name(chance)))] = junk(chance)
    try:
        found = pytrec_eval.RelevanceEvaluator(qrels, measures).evaluate(run)
    except (TypeError, ValueError) as error:
        assert str(error)
        return "pytrec_eval error"
    assert set(found) <= set(qrels) & set(run)
    assert all(set(values) == set(next(iter(found.values()))) for values in found.values())
    return "pytrec_eval"


def case_gates(chance: random.Random) -> str:
    """What we printed is what we print."""
    qrels, runs, topics = write_collection(chance)
    groups = write_groups(chance, topics)
    options = [*groups, "-m", "map", "-m", "P.5", *(["-q"] if chance.random() < 0.5 else [])]
    code, out, err = call("--quiet", *options, "--", qrels, *runs)
    check_messages(code, err)
    if code != 0:
        return "gates error"
    Path("expected").write_bytes(out.encode("utf-8", "surrogateescape"))
    code, _, err = call("--quiet", *options, "--expect", "expected", "--", qrels, *runs)
    check_messages(code, err)
    assert code == 0, err
    code, out, err = call("--quiet", *options, "--format", "json", "--output", "old.json", "--", qrels, *runs)
    assert code == 0, err
    code, _, err = call("--quiet", *options, "--against", "old.json", "--", qrels, *runs)
    check_messages(code, err)
    assert code == 0, err
    return "gates"


NUMBER_OPTIONS = (
    *(
        "-l",
        "-M",
        "-N",
        "--nmax",
        "--digits",
        "--jobs",
        "--fail-under",
        "--tolerance",
        "-D",
        "--ties",
        "--empty",
    ),
    *("--map-docs", "--format", "-R", "-T", "--compat", "-m", "--names", "--sort", "--style", "--bounds"),
)


def case_options(chance: random.Random) -> str:
    """Values of any text in the place of options."""
    qrels, runs, _ = write_collection(chance)
    option = chance.choice(NUMBER_OPTIONS)
    value = chance.choice(
        (*ODD_NUMBERS, name(chance), "map", "1:2", "[", "(", "P." + "9" * 30, "json", "(a*)*b")
    )
    words = (
        ["-q", "-m", "map", f"{option}={value}"] if option.startswith("--") else ["-m", "map", option, value]
    )
    code, out, err = call(*words, "--", qrels, *runs)
    check_messages(code, err)
    if code == 0 and option not in ("--format", "--style"):
        assert UNSAFE.search(out.replace("\t", "")) is None or option != "--format"
    return f"option {option}"


CASES: dict[Callable[[random.Random], str], int] = {
    case_evaluator: 5,
    case_commands: 5,
    case_formats: 5,
    case_spoiled: 6,
    case_arguments: 5,
    case_pytrec_eval: 2,
    case_gates: 3,
    case_options: 3,
}
"""Kinds of cases, and how often they come."""


@contextlib.contextmanager
def own_folder() -> Iterator[None]:
    before = Path.cwd()
    with tempfile.TemporaryDirectory(prefix="strangers") as folder:
        os.chdir(folder)
        try:
            yield
        finally:
            os.chdir(before)


def run_case(seed: int, number: int) -> tuple[str, str | None]:
    """The kind of a case, and what was wrong with it."""
    chance = random.Random(seed * 1_000_003 + number)
    case = chance.choices(list(CASES), list(CASES.values()))[0]
    signal.signal(signal.SIGALRM, stop)
    signal.alarm(SECONDS)
    try:
        with own_folder(), warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return case(chance), None
    except (Exception, RecursionError) as error:
        if os.environ.get("STRANGERS_RAISE"):
            raise
        last = traceback.format_exception(error)[-6:]
        return case.__name__, f"{type(error).__name__}: {error}"[:400] + "\n    " + "    ".join(last)[-900:]
    finally:
        signal.alarm(0)


def run() -> int:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--cases", type=int, default=500)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--only", type=int, help="the number of one case")
    options = parser.parse_args()
    resource.setrlimit(resource.RLIMIT_AS, (MOST_MEMORY, MOST_MEMORY))
    kinds: Counter[str] = Counter()
    wrong = 0
    numbers = range(options.cases) if options.only is None else [options.only]
    try:
        for number in numbers:
            kind, fault = run_case(options.seed, number)
            kinds[kind.split(" ")[0]] += 1
            if fault is not None:
                wrong += 1
                print(f"case {number}: {kind}: {fault}", flush=True)
    finally:
        print(f"{sum(kinds.values())} cases, {wrong} wrong; {dict(kinds)}")
    return int(wrong > 0)


if __name__ == "__main__":
    sys.exit(run())
