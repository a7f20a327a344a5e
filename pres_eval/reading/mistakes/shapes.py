"""What files in columns look like that are neither runs nor judgements, and the commands that read them.

Nothing here reads a file; `advice` does, once a file could not be read, and shows the result in the message.
"""

from __future__ import annotations

import re
import shlex
from collections.abc import Sequence

from pres_eval.arrays import LONGEST_NUMBER, nearest_integer
from pres_eval.reading.formats.csv_rows import cells_of, separator_of_lines
from pres_eval.reading.headings import (
    DOCNO,
    DOCNOS,
    GAINS_ADVICE,
    GRADE,
    NO_NAMING,
    OF_TABLES,
    RANK,
    SCORE,
    TOPIC,
    Role,
    pick,
    plain,
)
from pres_eval.reading.lines import QRELS, RUN
from pres_eval.reading.topic_files import words_of

Repair = tuple[str, str]
"""What a file looks like, and the command that helps, or "": FILE is the file, NEW the one it writes."""

Rows = Sequence[Sequence[str]]
"""The cells of the rows at the beginning of a file."""

_INTEGER = r"[+-]?\d+"
_NUMBER = r"(?i)[+-]?(\d+([.,]\d*)?|[.,]\d+)(e[+-]?\d+)?"
_ANY = r"(?s).*"
_DECIMAL_NUMBER = r"[+-]?\d*[.,]\d+"
_WORD = r"(?i).*[a-z].*"
_Q0 = r"(?i)q?0"
_MEASURE = (
    r"(runid|num_\w+|(gm_)?map|Rprec|bpref|recip_rank|infAP|iprec_at_recall_.*|PRES_.*"
    r"|(P|recall|ndcg|ndcg_cut|set|success|map_cut)(_.*)?)"
)
"""Patterns of whole cells; _MEASURE is a name of trec_eval's output."""

_MAY_BE_RANK = rf"\d{{1,{LONGEST_NUMBER}}}"
"""Pattern of whole numbers that Python's int() reads; longer ones are no ranks."""

ALL_BUT_FEW = 4 / 5
"""Share of the lines that have the columns of a shape: a few lines may be faulty."""

LISTED_WORDS = 6
"""Different words in a column of grades up to which a message lists them."""

SAMPLED = "sampled judgements (topic iteration docno stratum relevance)"
OUTPUT = "this looks like the output of trec_eval: it is neither a run nor judgements"
SWAPPED = "were the two files swapped? the judgements come first"
"""Parts of messages; SWAPPED is for a run with the columns of judgements, and the other way round."""

QUOTED_WORD = re.compile(r'"[^",;|]*"')
"""The last word of lines whose words are in quotation marks and between blanks."""

LETOR_LINE = r"[\d.]+\s+qid:\S+\s.*#\s*(docid\s*=\s*)?\S+.*"
"""A line for learning to rank, as LETOR, RankLib and Quepid write it."""

LETOR = "these are lines for learning to rank (grade qid:topic features # docno)"
LETOR_TO_QRELS = (
    """awk '{sub(/qid:/, "", $2); d = $0; sub(/.*# */, "", d); sub(/docid *= */, "", d); split(d, w, " ");"""
    """ print $2, 0, w[1], $1}' < FILE > NEW"""
)
"""The message about such lines, and the command that makes judgements of them."""

Shape = tuple[str, tuple[str, ...], dict[str, int]]
"""What lines lack ("" for nothing), patterns of their columns, and the numbers of those to read, from 1."""

RUN_SHAPES: tuple[Shape, ...] = (
    ("", (_ANY, _Q0, _ANY, _INTEGER, _NUMBER, _ANY), {TOPIC: 1, DOCNO: 3, SCORE: 5}),
    ("the tag is missing", (_ANY, _Q0, _ANY, _INTEGER, _NUMBER), {TOPIC: 1, DOCNO: 3, SCORE: 5}),
    ("the rank is missing", (_ANY, r"(?i)q0", _ANY, _NUMBER, _ANY), {TOPIC: 1, DOCNO: 3, SCORE: 4}),
    ("Q0 is missing", (_ANY, _ANY, _INTEGER, _NUMBER, _ANY), {TOPIC: 1, DOCNO: 2, SCORE: 4}),
    ("rank and tag are missing", (_ANY, r"(?i)q0", _ANY, _NUMBER), {TOPIC: 1, DOCNO: 3, SCORE: 4}),
    ("Q0 and tag are missing", (_ANY, _ANY, _INTEGER, _NUMBER), {TOPIC: 1, DOCNO: 2, SCORE: 4}),
    (
        "Q0 and tag are missing, and the rank is the last column",
        (_ANY, _ANY, _NUMBER, _INTEGER),
        {TOPIC: 1, DOCNO: 2, SCORE: 3},
    ),
    (
        "Q0, score and tag are missing, and the rank is the second column",
        (_ANY, _INTEGER, _WORD),
        {TOPIC: 1, DOCNO: 3, RANK: 2},
    ),
    ("Q0, rank and tag are missing", (_ANY, _ANY, _NUMBER), {TOPIC: 1, DOCNO: 2, SCORE: 3}),
    (
        "only topic and docno are there; if the documents of each topic are in ranked order",
        (r"[^,;]*[^,;:]", r"(?![+-]?\d*\.\d+$).*"),
        {TOPIC: 1, DOCNO: 2},
    ),
)
QRELS_SHAPES: tuple[Shape, ...] = (
    ("", (_ANY, _ANY, _ANY, _NUMBER), {TOPIC: 1, DOCNO: 3, GRADE: 4}),
    ("the iteration is missing", (_ANY, _ANY, _NUMBER), {TOPIC: 1, DOCNO: 2, GRADE: 3}),
    (
        "only topic and docno are there; if all of these documents are relevant",
        (r"[^,;]*[^,;:]", r"(?![+-]?\d*\.\d+$).*"),
        {TOPIC: 1, DOCNO: 2},
    ),
)
"""Shapes of lines that can become a run, or judgements; the first that fits counts."""

OTHER_ENCODING = (
    "the headings are not UTF-8, so that --columns cannot name them: save the table as CSV UTF-8;"
    " if it is from Windows in Western Europe"
)
FROM_WESTERN_EUROPE = "iconv -f WINDOWS-1252 -t UTF-8 < FILE > NEW"
JAPANESE = "the headings are not UTF-8, but those of Japanese Windows (code page 932)"
FROM_JAPAN = "iconv -f CP932 -t UTF-8 < FILE > NEW"
"""Messages about tables in other encodings, and the commands that make UTF-8 of them."""

_WIDE_CHARACTERS = re.compile(r"[\u3000-\u30ff\u4e00-\u9fff\uff01-\uff5e]")
"""Kana, kanji, and wide forms of punctuation and letters."""

GERMAN_HEADINGS = {
    TOPIC: ("Thema", "Themen-ID", "Anfrage", "Anfrage-ID", "Suchanfrage", "Frage"),
    DOCNO: ("Dokument", "Dokument-ID", "Dokumentnummer", "Schrift"),
    SCORE: ("Punktzahl", "Punkte", "Wert", "Score"),
    RANK: ("Rang", "Position"),
    GRADE: ("Relevanz", "Relevanzgrad", "Bewertung"),
}
"""Headings in German: they are proposed, but not read unasked, as they may mean other columns."""


def repair_of_columns(lines: Sequence[bytes], names: str, path: str) -> Repair | None:
    """Return what lines of text look like, and the command that reads them; None if that is unknown.

    names  the columns that were expected
    path   of the file, whose ending may tell that it is CSV
    """
    texts = [line.decode("utf-8-sig", "surrogateescape").rstrip("\r") for line in lines]
    role = {RUN.names: Role.RUN, QRELS.names: Role.QRELS}.get(names)
    if not texts:
        return None
    if role is None:
        return _of_other_judgements(_rows(texts, None), names)
    if all(QUOTED_WORD.fullmatch(words_of(text)[-1]) for text in texts):
        return "its words are in quotation marks", """tr -d '"' < FILE > NEW"""
    if role.has_grades and all(re.fullmatch(LETOR_LINE, text) for text in texts):
        return LETOR, LETOR_TO_QRELS
    separator = _separator(texts)
    rows = _rows(texts, separator)
    is_table = separator is not None
    has_header = _has_header(rows, is_table)
    if is_table and _is_csv(path):
        has_header = has_header or not any(map(_is_number, rows[0]))
    has_named_columns = has_header if is_table else _has_cells_of_lines(texts, path)
    if has_named_columns:
        return _of_headings(lines, role, path)
    body = rows
    if has_header:
        body = rows[1:]
    repair = None
    if separator in (None, "\t"):
        repair = _known(body, role)
    return repair or _converted(body, role, separator, has_header) or _lists(texts, role)


def _is_csv(path: str) -> bool:
    """Return whether a file has the name of a CSV or TSV file."""
    return path.lower().endswith((".csv", ".tsv"))


def _of_headings(lines: Sequence[bytes], role: Role, path: str) -> Repair:
    """Return how a table is read whose first line names its columns, or how it becomes UTF-8."""
    try:
        lines[0].decode()
    except UnicodeDecodeError:
        if _is_japanese(lines[0]):
            return JAPANESE, FROM_JAPAN
        return OTHER_ENCODING, FROM_WESTERN_EUROPE
    return named_columns(lines, role, path), ""


def _is_japanese(line: bytes) -> bool:
    """Return whether a line in code page 932 has two or more characters outside ASCII, all of them wide."""
    try:
        text = line.decode("cp932")
    except UnicodeDecodeError:
        return False
    others = [character for character in text if not character.isascii()]
    return len(others) > 1 and all(map(_WIDE_CHARACTERS.fullmatch, others))


def _has_cells_of_lines(texts: Sequence[str], path: str) -> bool:
    """Return whether a CSV file with headings has quoted cells of several lines, such as abstracts."""
    if not _is_csv(path):
        return False
    first_cells = re.split(r"[,;\t]", texts[0])
    has_headings = len(first_cells) > 1 and not any(map(_is_number, first_cells))
    has_open_quotation_mark = any(text.count('"') % 2 for text in texts)
    return has_headings and has_open_quotation_mark


def _rows(texts: Sequence[str], separator: str | None) -> list[list[str]]:
    """Return the cells of lines, which this separator separates; None: blanks."""
    return [cells_of(text, separator) for text in texts]


def _separator(texts: Sequence[str]) -> str | None:
    """Return the separator of the columns, of which there must be three, or else two.

    None for blanks, and if no separator gives all lines as many columns.
    """
    if _is_line_for_excel(texts[0]):
        texts = texts[1:] or texts
    joined = "".join(f"{text}\n" for text in texts).encode("utf-8", "surrogateescape")
    for least_columns in (3, 2):
        separator = separator_of_lines(joined, least_columns)
        if separator is not None:
            return separator
        if all(len(text.split()) >= least_columns for text in texts):
            return None
    return None


def _is_line_for_excel(text: str) -> bool:
    """Return whether a line tells Excel alone which separator the file has: sep=;"""
    return text.lower().lstrip('" ').startswith("sep=")


def _has_header(rows: Rows, is_table: bool) -> bool:
    """Return whether the first row names the columns: with known headings, or where others have numbers.

    is_table  whether signs separate the columns, and not blanks: then one known heading is enough
    """
    first_cells = [plain(cell.strip('"')) for cell in rows[0]]
    if first_cells and first_cells[0].startswith("sep="):
        return True
    if any(map(_is_number, rows[0])):
        return False
    if len(rows) > 1 and all(any(map(_is_number, row)) for row in rows[1:]):
        return True
    known = {plain(name) for names in OF_TABLES.values() for name in names}
    known |= {
        plain(name) for name in ("rank", "iter", "iteration", "tag", "run_id", "q0", "pid", "judgement")
    }
    num_known = sum(cell in known for cell in first_cells)
    if is_table:
        return num_known > 0
    return num_known > 1 and 2 * num_known >= len(first_cells)


def _is_number(cell: str) -> bool:
    """Return whether a cell is a number, perhaps with a decimal comma."""
    return re.fullmatch(_NUMBER, cell.strip()) is not None


def _like(rows: Rows, patterns: Sequence[str]) -> bool:
    """Return whether nearly all rows match these patterns, cell by cell."""
    num_matching = sum(_matches(row, patterns) for row in rows)
    return num_matching >= len(rows) * ALL_BUT_FEW


def _matches(row: Sequence[str], patterns: Sequence[str]) -> bool:
    """Return whether a row has as many cells as there are patterns, and they match."""
    return len(row) == len(patterns) and all(map(re.fullmatch, patterns, row))


def _known(rows: Rows, role: Role) -> Repair | None:
    """Return what lines look like that no command makes a run or judgements of; None for other lines."""
    if _like(rows, (_MEASURE, _ANY, _ANY)):
        return OUTPUT, ""
    if role.has_grades:
        return _of_judgements(rows) or _of_grades(rows)
    if _like(rows, (_ANY, _Q0, _ANY, _INTEGER)):
        return f"this looks like judgements; {SWAPPED}", ""
    if _like(rows, (_ANY, r"(?i)q0", _INTEGER, _NUMBER, _WORD)) and _can_be_ranks(rows, column=2):
        return "the docno is missing, or part of the topic", ""
    if _like(rows, (r"(?i)q0", _ANY, _INTEGER, _NUMBER, _ANY)):
        return "the topic is missing", ""
    return None


def _can_be_ranks(rows: Rows, column: int) -> bool:
    """Return whether no whole number in a column, which a few rows may lack, is above the number of rows."""
    cells = [row[column] for row in rows if len(row) > column]
    numbers = [nearest_integer(cell) for cell in cells if re.fullmatch(r"\d+", cell)]
    return max(numbers, default=0) <= len(rows)


def _of_judgements(rows: Rows) -> Repair | None:
    """Return what lines look like that are read with an option, or are no judgements; None for others."""
    if _like(rows, (_ANY, _ANY, _ANY, _INTEGER, _NUMBER, _ANY)):
        return f"this looks like a run; {SWAPPED}", ""
    if _like(rows, (_ANY, "0", _ANY, _INTEGER, _INTEGER)):
        return f"this looks like {SAMPLED}: read them with -R strata", ""
    if _like(rows, (_ANY, _ANY, _INTEGER, _INTEGER, _NUMBER)):
        what = "this looks like prels of a Million Query track (topic docno relevance method probability)"
        return f"{what}: read them with -R prels", ""
    if _like(rows, (*(_ANY,) * 4, _NUMBER)):
        return (
            f"docnos have blanks in them, or these are {SAMPLED} (-R strata), or preferences (-R prefs)",
            "",
        )
    return None


def _of_grades(rows: Rows) -> Repair | None:
    """Return how lines of judgements are read whose grades have decimals or are words; None for others."""
    grades = [row[3] for row in rows if len(row) == 4]
    if len(grades) < len(rows) * ALL_BUT_FEW:
        return None
    if any(re.fullmatch(r"[+-]?\d+,\d+", grade) for grade in grades):
        return None
    decimals = [grade for grade in grades if re.fullmatch(_DECIMAL_NUMBER, grade)]
    if decimals:
        return GAINS_ADVICE, ""
    good = [row for row in rows if len(row) == 4]
    if all(re.fullmatch(_INTEGER, row[2]) for row in good) and not any(map(_is_number, grades)):
        columns = {TOPIC: 1, DOCNO: 4, GRADE: 3}
        return "docno and relevance are exchanged", _command(good, columns, GRADE, Role.QRELS)
    words = [grade for grade in grades if re.fullmatch(r"[^\W\d_].*", grade)]
    if len(words) < 2 or len(words) * 2 < len(grades) or len(set(words)) > LISTED_WORDS:
        return None
    example = ",".join(f"{word}=NUMBER" for word in dict.fromkeys(words))
    return f"grades are words: give each its number with --grades {shlex.quote(example)}", ""


def _of_other_judgements(rows: Rows, names: str) -> Repair | None:
    """Return what lines look like where samples or judgement groups were expected; None if unknown.

    names  the columns that were expected
    """
    if names == "topic iteration docno stratum relevance":
        asked = any(row[4:5] == ["?"] for row in rows)
        if asked and _like(rows, (*(_ANY,) * 4, r"-?\d+|\?")):
            return "? is what pool --strata wrote for a document to judge: put its grade there", ""
        return None
    if names == "topic judgement-group docno relevance":
        return _of_judgements(rows)
    return None


NAMES_OF_SEPARATORS = {",": "commas", ";": "semicolons", "|": "bars"}
"""Separators of columns, as messages call them."""

WITHOUT_SCORES = "; without scores their order is the rank"
"""End of the message about a table of two columns."""

RANKS_OF_FIVE = "the score is missing, and the rank can take its place"
RANKS_OF_FOUR = "Q0, score and tag are missing, and the ranks can take the scores' place"
"""What a run of five or four columns lacks whose numbers are ranks."""

SCORES_OR_RANKS = {"scores": (SCORE,), "ranks": (RANK,), "either": (SCORE, RANK)}
"""Kinds of columns that numbers may be, by what `_meaning` returns."""


def _converted(rows: Rows, role: Role, separator: str | None, has_header: bool) -> Repair | None:
    """Return what lines look like, and the call of convert that makes a run or judgements of them.

    rows       without the header
    separator  of the columns; None: blanks
    Returns None if no shape fits, or nothing seems to be wrong.
    """
    shapes = RUN_SHAPES
    if role.has_grades:
        shapes = QRELS_SHAPES
    for what, patterns, columns in shapes:
        if not _like(rows, patterns):
            continue
        good = [row for row in rows if _matches(row, patterns)]
        kinds = _kinds_of_number(good, columns, len(rows) - len(good))
        parts = []
        if separator in NAMES_OF_SEPARATORS:
            parts.append(
                f"the columns are separated by {NAMES_OF_SEPARATORS[separator]}, not by blanks or tabs"
            )
        if has_header:
            parts.append("line 1 looks like a header")
        number = columns.get(SCORE, columns.get(GRADE))
        if number is not None and any("," in row[number - 1] for row in good):
            parts.append("the numbers have decimal commas")
        has_ranks_for_scores = kinds == (RANK,) and SCORE in columns
        if has_ranks_for_scores:
            parts.append(RANKS_OF_FIVE if len(patterns) == 5 else RANKS_OF_FOUR)
        elif what:
            parts.append(what)
        if not parts:
            return None
        commands = [_command(good, columns, kind, role) for kind in kinds]
        command = commands[0]
        if has_header and kinds == (None,):
            # Only a column of numbers tells convert that the first line is no row.
            command = f"sed 1d < FILE | {command.replace('FILE', '-')}"
        if len(commands) > 1:
            command = f"{commands[0]} if the numbers are scores, {commands[1]} if they are ranks"
        return "; ".join(parts), command
    return None


def _kinds_of_number(rows: Rows, columns: dict[str, int], num_faulty: int) -> tuple[str | None, ...]:
    """Return the kinds of columns that the numbers of rows may be, (None,) if there are none.

    columns     numbers of the columns of a shape, from 1
    num_faulty  how many rows do not have this shape
    """
    if GRADE in columns:
        return (GRADE,)
    if RANK in columns:
        return (RANK,)
    if SCORE not in columns:
        return (None,)
    if columns[SCORE] == 5:
        return (SCORE,)
    score_column = columns[SCORE] - 1
    rank_columns = [column for column in (2, 3) if column != score_column]
    has_rank = any(_has_ranks_in(rows, column, num_faulty) for column in rank_columns)
    if has_rank and len(rows[0]) > 3:
        return (SCORE,)
    return SCORES_OR_RANKS[_meaning(rows, score_column, num_faulty)]


def _has_ranks_in(rows: Rows, column: int, num_faulty: int) -> bool:
    """Return whether rows have this column, and ranks in it."""
    return column < len(rows[0]) and _meaning(rows, column, num_faulty) == "ranks"


def _meaning(rows: Rows, column: int, num_faulty: int) -> str:
    """Return whether the numbers in a column are "scores", "ranks" or "either".

    num_faulty  rows that were left out, each of which may have had one of the ranks
    Ranks are whole numbers from 0 or 1, each once in a topic.  Where they fall from line to line they may be
    scores as well, and where some are left out.
    """
    if not all(re.fullmatch(_MAY_BE_RANK, row[column]) for row in rows):
        return "scores"
    numbers_of_topics: dict[str, list[int]] = {}
    for row in rows:
        numbers_of_topics.setdefault(row[0], []).append(int(row[column]))
    numbers_by_topic = list(numbers_of_topics.values())
    if any(len(set(numbers)) < len(numbers) for numbers in numbers_by_topic):
        return "scores"
    if all(len(numbers) == 1 for numbers in numbers_by_topic):
        return "either"
    # The last topic may go on behind the lines that were read.
    whole_topics = numbers_by_topic[:-1] or numbers_by_topic
    are_complete = all(_are_ranks(numbers, num_faulty) for numbers in whole_topics)
    are_falling = all(
        numbers == sorted(numbers, reverse=True) for numbers in numbers_by_topic if len(numbers) > 1
    )
    if are_complete and not are_falling:
        return "ranks"
    return "either"


def _are_ranks(numbers: Sequence[int], num_missing: int) -> bool:
    """Return whether the numbers of a topic are all from 0 or 1 on, but for at most `num_missing` of them."""
    least, largest = min(numbers), max(numbers)
    return least in (0, 1) and largest - least < len(numbers) + num_missing


def _command(rows: Rows, columns: dict[str, int], kind: str | None, role: Role) -> str:
    """Return the call of convert that reads these columns.

    columns  numbers of the columns of a shape, from 1
    kind     what the column with the number is: score, rank or grade; None: there is none
    """
    column_of = {TOPIC: columns[TOPIC], DOCNO: columns[DOCNO]}
    if kind is not None:
        column_of[kind] = next(number for name, number in columns.items() if name not in (TOPIC, DOCNO))
    named = ",".join(f"{name}={number}" for name, number in column_of.items())
    ids = [row[column_of[name] - 1] for row in rows for name in (TOPIC, DOCNO)]
    if any(len(text.split()) > 1 for text in ids):
        target = "csv"
    elif role.has_grades:
        target = "qrels"
    else:
        target = "trec_results"
    return f"pres-eval convert FILE --columns {named} --to {target}{_tag(rows, role)} > NEW"


def _tag(rows: Rows, role: Role) -> str:
    """Return the option for the tag that all lines of a run end in, if they do."""
    tags = {row[-1] for row in rows if len(row) > 4}
    if role.has_grades or len(tags) != 1 or _is_number(min(tags)):
        return ""
    return f" --tag {shlex.quote(tags.pop())}"


def named_columns(lines: Sequence[bytes], role: Role, path: str) -> str:
    """Return a message: which columns a table has, which are needed, and the option that names them.

    lines  those at the beginning of the file
    Returns "" for lines of which none names columns.
    """
    texts = [line.decode("utf-8-sig", "surrogateescape").rstrip("\r") for line in lines]
    line = 1
    if texts and _is_line_for_excel(texts[0]):
        line = 2
        del texts[0]
    if not texts:
        return ""
    separator = next((sign for sign in "\t;,|" if sign in texts[0]), ",")
    header = next(iter(_rows(texts, separator)))
    kinds = [SCORE, RANK]
    if role.has_grades:
        kinds = [GRADE]
    known = _known_headings(header, [TOPIC, DOCNO, *kinds])
    names = [TOPIC, DOCNO]
    needed = f"{TOPIC}, {DOCNO} and {' or '.join(kinds)}"
    message = f"line {line} names the columns {', '.join(header)}, and {needed} are needed"
    if len(header) > len(names):
        names.append(next((kind for kind in kinds if kind in known), kinds[0]))
        if role.has_grades:
            message += " (--grades WORD=NUMBER,... reads words as grades)"
    elif role.has_grades:
        message += "; without grades all documents are relevant"
    else:
        message += WITHOUT_SCORES
    cells = [cell for row in _rows(texts[1:], separator) for cell in row]
    if len(header) <= 2 and any(re.search(r"\w\s*[;|,]\s*\w", cell) for cell in cells):
        names[1] = DOCNOS
        message += "; docnos are several in a cell"
    # Only known headings are filled in: a guess might swap ids, or take ranks for scores.
    option = ",".join(f"{name}={known.get(name, 'HEADING')}" for name in names)
    return f"{message}: name them with --columns {shlex.quote(option)}"


def headings_of_unknown_table(lines: Sequence[bytes]) -> list[str]:
    """Return the names of columns in the first line of a table; none of other lines.

    Raises UnicodeDecodeError if it is not UTF-8.
    """
    if not lines:
        return []
    lines[0].decode()
    texts = [line.decode("utf-8-sig", "surrogateescape").rstrip("\r") for line in lines]
    if _is_line_for_excel(texts[0]):
        del texts[0]
    separator = _separator(texts) if texts else None
    if separator is None:
        return []
    rows = _rows(texts, separator)
    if not _has_header(rows, is_table=True):
        return []
    return rows[0]


def _known_headings(header: Sequence[str], names: Sequence[str]) -> dict[str, str]:
    """Return the heading of each of these columns that is known, in English or German."""
    headings: dict[str, str] = {}
    unused = list(header)
    for name in names:
        heading = NO_NAMING.column(name, unused) or pick(unused, GERMAN_HEADINGS[name])
        if heading is not None:
            headings[name] = heading
            unused.remove(heading)
    return headings


def _lists(texts: Sequence[str], role: Role) -> Repair | None:
    """Return the command for lines that have a topic, perhaps a separator, and all its documents.

    Returns None for lines with the same topic, with single documents, or that may be those of a run.
    """
    line_pattern = re.compile(r'"?(?P<topic>[^\s,;:"]+)"?\s*(?P<separator>[,;:]?)(?P<documents>.+)')
    matches = [match for text in texts if (match := line_pattern.fullmatch(text.strip())) is not None]
    num_topics = len({match["topic"] for match in matches})
    if len(matches) < len(texts) or num_topics < max(2, len(texts)):
        return None
    documents_of_lines = [match["documents"] for match in matches]
    between_documents = " "
    for sign in ",;|":
        if any(sign in documents for documents in documents_of_lines):
            between_documents = sign
            break
    document_counts = {len(re.sub(r"[\",;|]", " ", documents).split()) for documents in documents_of_lines}
    has_separator = any(match["separator"] for match in matches)
    # Lines of a run have as many columns, and some numbers; no id looks like a score.
    has_numbers = any(re.search(r"\s[+-]?[\d.]+(\s|$)", text) for text in texts)
    is_like_run = len(document_counts) == 1 and has_numbers and not has_separator
    has_scores = any(re.search(r"[\s\"]\d*[.,]\d+(\s|$)", documents) for documents in documents_of_lines)
    if max(document_counts) < 2 or has_scores or is_like_run:
        return None
    change = ""
    if has_separator:
        change = 'sub(/[,;:]/, " "); gsub(/"/, ""); '
    if between_documents != " ":
        change += f'gsub(/[{between_documents}]/, " "); '
    line, condition = '$1, "Q0", $i, i - 1, -i, "run"', "if these are in ranked order"
    if role.has_grades:
        line, condition = "$1, 0, $i, 1", "if all of these are relevant"
    program = f"{change}for (i = 2; i <= NF; i++) print {line}"
    return f"each line looks like a topic and its documents; {condition}", f"awk '{{{program}}}' < FILE > NEW"
