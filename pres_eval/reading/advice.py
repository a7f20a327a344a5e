"""Advice on files that cannot be read, with a command: computed only after a failure.

The first bytes and the first lines decide, so a fault far down in a good file gets no advice.
"""

from __future__ import annotations

import contextlib
import re
import shlex
from collections.abc import Callable

from pres_eval.errors import InputError
from pres_eval.reading.source import HEAD, Source

LINES = 20
"""Lines that are looked at."""

_UTF_8 = "iconv -f UTF-16 -t UTF-8 FILE > NEW"
_ONE_A_LINE = (
    'python3 -c "import json, sys; [print(json.dumps(row)) for row in json.load(sys.stdin)]" < FILE > NEW'
)
_WEB_PAGE = "a web page: was something else to be downloaded?"
_SAVE_AS = "in Excel, save it as CSV UTF-8; columns query_id, doc_id, and score or relevance"
_BINARY = (
    (b"\xff\xfe", "UTF-16 text", _UTF_8),
    (b"\xfe\xff", "UTF-16 text", _UTF_8),
    (b"\xd0\xcf\x11\xe0", "an Excel workbook", _SAVE_AS),
    (b"PK\x03\x04", "a zip archive", "unzip -p FILE > NEW"),
    (b"7z\xbc\xaf\x27\x1c", "a 7z archive", "7z x -so FILE > NEW"),
    (b"\x80\x04\x95", "a Python pickle", ""),
    (b"\x80\x05\x95", "a Python pickle", ""),
    (b"\x89HDF", "an HDF5 file", ""),
    (b"SQLite format 3", "an SQLite database", ""),
    (b"%PDF", "a PDF file", ""),
    (b"<!DOCTYPE", _WEB_PAGE, ""),
    (b"<!doctype", _WEB_PAGE, ""),
    (b"<html", _WEB_PAGE, ""),
    (b"version https://git-lfs", "a Git LFS pointer, not the file itself", "git lfs pull"),
)
"""First bytes of files without lines of columns; their kind; the command to type."""

_HEADER_WORDS = frozenset(
    b"topic topic_id topicid qid query query_id query-id queryid doc docno doc_id docid doc-id document"
    b" corpus-id corpus_id pid rank score sim label rel relevance grade judgment judgement iteration iter"
    b" tag run run_id runid q0".split()
)
_INTEGER, _NUMBER = rb"[+-]?\d+", rb"(?i)[+-]?(\d+\.?\d*|\.\d+)(e[+-]?\d+)?"
_ANY = rb"(?s).*"
_MEASURE = (
    rb"(runid|num_\w+|(gm_)?map|Rprec|bpref|recip_rank|infAP|iprec_at_recall_.*|PRES_.*"
    rb"|(P|recall|ndcg|ndcg_cut|set|success|map_cut)(_.*)?)"
)

Found = tuple[str, str] | None
"""Patterns of lines, each with the command that helps, in which FILE is the file."""


def with_advice(error: InputError, source: Source, names: str) -> InputError:
    """Return an error about a line of a file, with advice on the whole file; `names`: its columns.

    Raises InputError if the file has changed, which then explains the line.
    """
    source.check_unchanged()
    said = advice(source, names)
    return type(error)(error.path, error.line, error.found, error.expected, said) if said else error


def advice(source: Source, names: str) -> str:
    """Return the probable format of a malformed file and a command; "" if that is unknown.

    `names` are the columns that were expected.
    """
    head = b""
    with contextlib.suppress(InputError):
        head = source.head()
    whole = (
        head if len(head) < HEAD else head[: head.rfind(b"\n") + 1]
    )  # a line that is cut off tells nothing
    lines = [
        line
        for line in whole.split(b"\n")[:LINES]
        if line.strip() and not line.lstrip(b"\xef\xbb\xbf \t").startswith(b"#")
    ]
    found = _binary(head)
    if found is None and head.strip():
        found = _json(lines or [head])  # a list of records may be one long line
    for recognise in (_separators, _header, _RECOGNISERS.get(names, lambda _: None)):
        found = found or (recognise(lines) if lines and b"\0" not in head else None)
    if found is None:
        return ""
    what, command = found
    path = "-" if source.path == "-" else shlex.quote(source.path)
    return what + (f": {command.replace('FILE', path)}" if command else "")


def _binary(head: bytes) -> Found:
    """Return the kind of a binary file, and the command that makes text of it; None for others."""
    if head.startswith(b"PK\x03\x04") and any(
        name in head for name in (b"[Content_Types].xml", b"docProps/")
    ):
        return "this is an Excel workbook", _SAVE_AS
    for magic, what, command in _BINARY:
        if head.startswith(magic):
            return f"this is {what}", command
    if head[257:262] == b"ustar":
        return "this is a tar archive", "tar -xOf FILE > NEW"
    for second, name in ((1, "UTF-16LE"), (0, "UTF-16BE")):
        if len(head) > 7 and not head[second:8:2].strip(b"\0") and head[1 - second : 8 : 2].isascii():
            return "this is UTF-16 text", _UTF_8.replace("UTF-16", name)
    return None


def _json(lines: list[bytes]) -> Found:
    if re.match(rb'(?s)\s*\[\s*\{.{0,1000}"(query|q|topic).{0,1000}"doc', b"\n".join(lines)):
        return "this is a JSON list of records, of which one a line can be read", _ONE_A_LINE
    if lines[0].lstrip()[:1] in (b"{", b"["):
        return 'this looks like JSON, of which {"topic": {"docno": number}} can be read', ""
    return None


def _separators(lines: list[bytes]) -> Found:
    # Two columns have one separator, but so have numbers with decimal commas.
    signs = (",", "commas"), (";", "semicolons"), ("|", "bars")
    for least, words, (sign, name) in [(2, 2, each) for each in signs] + [(1, 1, each) for each in signs]:
        if all(line.count(sign.encode()) >= least and len(line.split()) <= words for line in lines):
            unquoted = "tr -d '\"' < FILE | " if any(b'"' in line for line in lines) else ""
            command = f"tr '{sign}' ' '" if unquoted else f"tr '{sign}' ' ' < FILE"
            what = f"the columns are separated by {name}, not by blanks or tabs"
            return what, f"{unquoted}{command} > NEW"
    return None


def _header(lines: list[bytes]) -> Found:
    first = lines[0].lower().replace(b'"', b"").split()
    known = sum(word in _HEADER_WORDS for word in first)
    numbered = [bool(re.search(rb"(^|\s)[+-]?\d+([.,]\d+)?(\s|$)", line)) for line in lines]
    named = len(lines) > 1 and not numbered[0] and all(numbered[1:])
    if named or (known > 1 and known * 2 >= len(first)) or lines[0].lower().lstrip(b'" ').startswith(b"sep="):
        return "line 1 looks like a header", "tail -n +2 FILE > NEW"
    return None


def _like(lines: list[bytes], patterns: tuple[bytes, ...]) -> bool:
    """Return whether nearly all lines have columns like these."""
    good = sum(_are_like(line.split(), patterns) for line in lines)
    return good * 5 >= len(lines) * 4


def _are_like(words: list[bytes], patterns: tuple[bytes, ...]) -> bool:
    return len(words) == len(patterns) and all(map(re.fullmatch, patterns, words))


Shapes = tuple[tuple[str, tuple[bytes, ...], str], ...]
"""Patterns of lines with such columns, each with the awk program that makes the expected ones of them."""


def _by_shape(shapes: Shapes, lines: list[bytes]) -> Found:
    for what, patterns, program in shapes:
        if _like(lines, patterns):
            return what, f"awk '{{{program}}}' FILE > NEW" if program else ""
    return None


SWAPPED = "were the two files swapped? the judgements come first"
"""Messages where a run has the columns of judgements, or judgements those of a run."""

_SCORES: Shapes = (
    (
        "this looks like the output of trec_eval: it is neither a run nor judgements",
        (_MEASURE, _ANY, _ANY),
        "",
    ),
)
_RUN_SHAPES: Shapes = (
    *_SCORES,
    (f"this looks like judgements; {SWAPPED}", (_ANY, rb"(?i)q?0", _ANY, _INTEGER), ""),
    ("Q0 and tag are missing", (_ANY, _ANY, _INTEGER, _NUMBER), 'print $1, "Q0", $2, $3, $4, "run"'),
    (
        "the docno is missing, or part of the topic",
        (_ANY, rb"(?i)q0", _INTEGER, _NUMBER, rb"(?i).*[a-z].*"),
        "",
    ),
    ("the tag is missing", (_ANY, rb"(?i)q?0", _ANY, _INTEGER, _NUMBER), 'print $0, "run"'),
    ("the topic is missing", (rb"(?i)q0", _ANY, _INTEGER, _NUMBER, _ANY), ""),
    ("Q0 is missing", (_ANY, _ANY, _INTEGER, _NUMBER, _ANY), 'print $1, "Q0", $2, $3, $4, $5'),
    ("the rank is missing", (_ANY, rb"(?i)q?0", _ANY, _NUMBER, _ANY), "print $1, $2, $3, 0, $4, $5"),
    (
        "Q0 and tag are missing, and the rank is the last column",
        (_ANY, _ANY, _NUMBER, _INTEGER),
        'print $1, "Q0", $2, $4, $3, "run"',
    ),
    (
        "Q0, rank and tag are missing, and the scores have decimal commas",
        (_ANY, _ANY, rb"[+-]?\d+,\d+"),
        'sub(",", ".", $3); print $1, "Q0", $2, 0, $3, "run"',
    ),
    ("Q0, rank and tag are missing", (_ANY, _ANY, _NUMBER), 'print $1, "Q0", $2, 0, $3, "run"'),
    (
        "Q0, rank and tag are missing, and some scores have decimal commas",
        (_ANY, _ANY, rb"[+-]?\d+([.,]\d+)?"),
        'sub(",", ".", $3); print $1, "Q0", $2, 0, $3, "run"',
    ),
    (
        "the numbers have decimal commas",
        (_ANY, _ANY, _ANY, _ANY, rb"[+-]?\d+,\d+", _ANY),
        'sub(",", ".", $5); print',
    ),
    (
        "only topic and docno are there; if the documents of each topic are in ranked order",
        (rb"[^,;]*[^,;:]", rb"(?![+-]?\d*\.\d+$).*"),
        '++n[$1]; print $1, "Q0", $2, n[$1], -n[$1], "run"',
    ),
)
_DECIMAL_GAINS = (
    "gains with decimals can be read with -R qrels_float",
    (_ANY, _ANY, _ANY, rb"[+-]?\d*\.\d+"),
    "",
)
_SAMPLED = "sampled judgements (topic iteration docno stratum relevance)"
_QRELS_SHAPES: Shapes = (
    *_SCORES,
    (f"this looks like a run; {SWAPPED}", (_ANY, _ANY, _ANY, _INTEGER, _NUMBER, _ANY), ""),
    ("the iteration is missing", (_ANY, _ANY, _INTEGER), "print $1, 0, $2, $3"),
    ("the grades have decimals", (_ANY, _ANY, _ANY, rb"[+-]?\d+\.0*"), "print $1, $2, $3, int($4)"),
    (
        f"this looks like {_SAMPLED}: read them with -R strata",
        (_ANY, rb"0", _ANY, _INTEGER, _INTEGER),
        "",
    ),
    (
        "this looks like prels of a Million Query track (topic docno relevance method probability): read them"
        " with -R prels",
        (_ANY, _ANY, _INTEGER, _INTEGER, _NUMBER),
        "",
    ),
    (
        f"docnos have blanks in them, or these are {_SAMPLED} (-R strata), or preferences (-R prefs)",
        (*(_ANY,) * 4, _NUMBER),
        "",
    ),
)


def _score_missing(lines: list[bytes]) -> Found:
    """Advise on five columns whose fourth counts the documents of a topic: those are ranks, not scores."""
    columns = (_ANY, rb"(?i)q?0", _ANY, _INTEGER, rb"(?i).*[a-z].*")
    if not _like(lines, columns):
        return None
    before: tuple[bytes, int] | None = None
    for words in map(bytes.split, lines):
        due = before[1] + 1 if before else 1
        if not _are_like(words, columns):
            before = before and (before[0], due)  # one of few lines, which counts as a document
            continue
        rank = int(words[3])
        if rank not in ((0, 1) if before is None or before[0] != words[0] else (due,)):
            return None
        before = words[0], rank
    return (
        "the score is missing, and the rank can take its place",
        """awk '{print $1, $2, $3, $4, -$4, $5}' FILE > NEW""",
    )


def _lists(lines: list[bytes]) -> Found:
    """Lines that have a topic, perhaps a separator, and all its documents."""
    rows = [re.fullmatch(rb'"?([^\s,;:"]+)"?\s*([,;:]?)(.+)', line.strip()) for line in lines]
    found = [row for row in rows if row is not None]
    counts = {len(row[3].replace(b'"', b" ").split()) for row in found}
    separated = any(row[2] for row in found)
    # Lines of a run have as many columns, and some numbers; no id looks like a score.
    plain = len(counts) == 1 and any(re.search(rb"\s[+-]?[\d.]+(\s|$)", line) for line in lines)
    scored = any(re.search(rb"[\s\"]\d*[.,]\d+(\s|$)", row[3]) for row in found)
    several = len({row[1] for row in found}) >= max(2, len(lines)) and max(counts) > 1
    if not several or scored or (plain and not separated):
        return None
    change = 'sub(/[,;:]/, " "); gsub(/"/, ""); ' if separated else ""
    program = f'{change}for (i = 2; i <= NF; i++) print $1, "Q0", $i, i - 1, -i, "run"'
    what = "each line looks like a topic and its documents; if these are in ranked order"
    return what, f"awk '{{{program}}}' FILE > NEW"


def _sample(lines: list[bytes]) -> Found:
    if not _like(lines, (*(_ANY,) * 4, rb"-?\d+|\?")) or not any(
        line.split()[4:5] == [b"?"] for line in lines
    ):
        return None
    return "? is what pool --strata wrote for a document to judge: put its grade there", ""


_RECOGNISERS: dict[str, Callable[[list[bytes]], Found]] = {
    "topic Q0 docno rank score tag": lambda lines: (
        _score_missing(lines) or _by_shape(_RUN_SHAPES, lines) or _lists(lines)
    ),
    "topic iteration docno relevance": lambda lines: _by_shape((*_QRELS_SHAPES, _DECIMAL_GAINS), lines),
    "topic iteration docno stratum relevance": _sample,
    "topic judgement-group docno relevance": lambda lines: _by_shape(_QRELS_SHAPES, lines),
}
