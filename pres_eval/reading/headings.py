"""Headings of columns: those that are known, in files and in tables, and those that --columns names."""

from __future__ import annotations

import enum
import re
from collections.abc import Iterable, Mapping, Sequence

from pres_eval.errors import UsageError, number_of, quoted
from pres_eval.records import dataclass

TOPIC, DOCNO, DOCNOS, RELEVANT_DOCNOS = "topic", "docno", "docnos", "relevant docnos"
SCORE, RANK, GRADE, STRATUM = "score", "rank", "grade", "stratum"
"""Kinds of columns, as --columns calls them; only RELEVANT_DOCNOS has no name there.

DOCNOS are several documents in a cell: those that a run retrieved, in ranked order, or those that are
relevant. RELEVANT_DOCNOS are the latter where the headings of runs and of judgements differ.
"""


class Role(enum.Enum):
    """What a file is read as: it decides which columns are looked for, and which numbers they may have.

    RUN    a run, with scores or ranks
    QRELS  judgements, whose grades are whole numbers
    GAINS  judgements, whose grades may have decimals

    has_grades  whether it is read as judgements
    has_gains   whether grades may have decimals
    """

    RUN = (False, False)
    QRELS = (True, False)
    GAINS = (True, True)

    def __init__(self, has_grades: bool, has_gains: bool) -> None:
        # Attributes, for each row: in Python 3.11 `role is Role.RUN` takes some ten times as long.
        self.has_grades = has_grades
        self.has_gains = has_gains


GAINS_ADVICE = "gains with decimals can be read with -R qrels_float"

NAME_THEM = "--columns topic=HEADING,docno=HEADING names others"
"""Advice for a table whose headings are not known."""

KNOWN_HEADINGS: dict[str, tuple[str, ...]] = {
    TOPIC: ("query_id", "qid", "topic", "q_id", "topic_id", "query text", "query", "question", "user_input"),
    DOCNO: ("docno", "doc_id", "corpus_id", "document_id", "did", "document"),
    DOCNOS: ("docnos", "doc_ids", "retrieved_ids", "retrieved_doc_ids", "retrieved_context_ids", "ctxs"),
    RELEVANT_DOCNOS: (
        "relevant_ids",
        "expected_ids",
        "reference_context_ids",
        "target_pns",
        "docnos",
        "doc_ids",
    ),
    SCORE: ("score", "sim", "similarity"),
    RANK: ("rank", "position", "doc position"),
    GRADE: ("relevance", "label", "grade", "rel", "rating", "score"),
}
"""Headings of each kind of column, as other programs write them; the first that a file has counts.

Case, blanks, hyphens and underscores do not matter: `Query ID`, `query-id` and `QueryId` are query_id.
"""

OF_TABLES = {
    "topic": KNOWN_HEADINGS[TOPIC],
    "document": KNOWN_HEADINGS[DOCNO],
    "score": KNOWN_HEADINGS[SCORE],
    "grade": KNOWN_HEADINGS[GRADE],
}
"""The same headings for tables in memory, which have fewer kinds of columns."""

NAMEABLE = (TOPIC, DOCNO, DOCNOS, SCORE, RANK, GRADE, STRATUM)
"""Kinds of columns for which --columns names the heading."""

QRELS_PREFIX, RUN_PREFIX = "qrels.", "run."
"""Before the kind of a column that only judgements have, or only runs: `qrels.docnos=expected`."""

RIVAL_DOCNOS = ("docno", "doc_id")
"""Headings of ids of documents.  If a table has both, one is read as docno, and the other is its rival."""

ALSO_CALLED = {"relevance": GRADE}
"""Other names of kinds of columns, and the kinds."""


def plain(name: str) -> str:
    """Return a heading as it is compared: `Query ID`, `query-id` and `QueryId` are all queryid."""
    return re.sub(r"[\s_-]+", "", name.casefold())


def rival_docno(headings: Sequence[str], docno: str) -> str | None:
    """Return the heading of another column of ids of documents than the docno; None if there is none."""
    others = [name for name in RIVAL_DOCNOS if plain(name) != plain(docno)]
    docno_has_no_rival = len(others) == len(RIVAL_DOCNOS)
    if docno_has_no_rival:
        return None
    return pick(headings, others)


def are_rival(docno: object, rival: object) -> bool:
    """Return whether two cells of a row are different ids of its document, either of which may be the docno.

    A whole number beside another docno is no rival: PyTerrier writes the numbers of its index there.
    """
    used, other = str(docno).strip(), str(rival).strip()
    is_number_in_index = other.isdecimal() and not used.isdecimal()
    return used != other and not is_number_in_index


def warning_of_rivals(docno: str, rival: str, used: str, other: str) -> str:
    """Return the warning about two columns of ids of documents that differ in a row, without the file's name.

    docno, rival  the headings of the column that is read and of the other one
    used, other   the ids that a row has in them
    """
    ids = f"{docno} and {rival} are different ids of documents ({quoted(used)} and {quoted(other)})"
    return f"{ids}: {docno} counts"


def pick(columns: Iterable[str], names: Iterable[str]) -> str | None:
    """Return the column with the first of these names that any has, as `plain` compares; None if none has."""
    column_of: dict[str, str] = {}
    for column in columns:
        column_of.setdefault(plain(str(column)), column)
    for name in names:
        if plain(name) in column_of:
            return column_of[plain(name)]
    return None


@dataclass(frozen=True)
class Naming:
    """Meaning of columns and words that users give with --columns and --grades.

    columns  by kind of column its heading, or its number from 1; the kind is called `qrels.KIND` if that is
             for judgements alone, `run.KIND` if for runs alone
    grades   by word, in lower case, its grade
    """

    columns: Mapping[str, str]
    grades: Mapping[str, float]

    def for_role(self, role: Role) -> Naming:
        """Return the naming without prefixes, and without the kinds of the other role alone."""
        if not any("." in kind for kind in self.columns):
            return self
        prefix = RUN_PREFIX
        if role.has_grades:
            prefix = QRELS_PREFIX
        columns = {kind: heading for kind, heading in self.columns.items() if "." not in kind}
        for kind, heading in self.columns.items():
            if kind.startswith(prefix):
                columns[kind.removeprefix(prefix)] = heading
        return Naming(columns, self.grades)

    @property
    def by_number(self) -> bool:
        """Return whether all columns are named by their numbers."""
        return bool(self.columns) and all(heading.isdecimal() for heading in self.columns.values())

    def column(self, kind: str, headings: Sequence[str]) -> str | None:
        """Return the heading of a kind of column, named by the user or else known; None if there is none."""
        option = kind
        if kind == RELEVANT_DOCNOS:
            option = DOCNOS
        named = self.named_column(option, headings)
        if named is not None:
            return named
        return pick(headings, KNOWN_HEADINGS.get(kind, ()))

    def named_column(self, kind: str, headings: Sequence[str]) -> str | None:
        """Return the heading that the user named for a kind of column; None if the file has none such."""
        if kind not in self.columns:
            return None
        return pick(headings, [self.columns[kind]])

    def grade(self, text: str) -> float:
        """Return the grade of a word or a number, nan for other text; of `X,Y` the higher one of X and Y."""
        number = self.grades.get(text.strip().casefold())
        if number is not None:
            return number
        if self.is_combined(text):
            return max(self.grades[word] for word in words_of_cell(text))
        return number_of(text)

    def is_combined(self, text: str) -> bool:
        """Return whether a text is several words, of whose grades the highest counts."""
        if not self.grades or text.strip().casefold() in self.grades:
            return False
        words = words_of_cell(text)
        return len(words) > 1 and all(word in self.grades for word in words)


def words_of_cell(text: str) -> list[str]:
    """Return the words of a cell, in lower case: between commas, semicolons, bars, slashes or blanks."""
    return [word.casefold() for word in re.split(r"[,;|/\s]+", text.strip()) if word]


NO_NAMING = Naming({}, {})


def naming_of(columns: Iterable[str], grades: Iterable[str]) -> Naming:
    """Return the naming of the values of --columns and --grades; raise UsageError for wrong ones."""
    return Naming(columns_of_option(columns), grades_of_option(grades))


def columns_of_option(
    texts: Iterable[str], kinds: Sequence[str] = NAMEABLE, option: str = "--columns"
) -> dict[str, str]:
    """Return the heading of each kind of column that the texts name: {"topic": "qid"} of `topic=qid`.

    texts   values of the option, each of one name or of several with commas between
    kinds   the kinds that the option takes
    option  its name, for messages
    Kinds of the judgements or of the runs alone keep their prefix.  Raises UsageError for other kinds of
    columns, for one without a heading, and for one with two headings.
    """
    columns: dict[str, str] = {}
    names = "|".join((*NAMEABLE, *ALSO_CALLED))
    comma_before_name = rf",(?=(?:qrels\.|run\.)?(?:{names})=)"  # other commas belong to a heading
    for text in texts:
        for part in re.split(comma_before_name, text):
            name, equals, heading = part.partition("=")
            prefix, dot, plain_name = name.rpartition(".")
            plain_kind = ALSO_CALLED.get(plain_name, plain_name)
            kind = prefix + dot + plain_kind
            is_known = plain_kind in kinds and (not dot or prefix + dot in (QRELS_PREFIX, RUN_PREFIX))
            if not is_known:
                raise UsageError(f"{option} {part}: expected NAME=HEADING, NAME one of {', '.join(kinds)}")
            if not equals or not heading.strip():
                raise UsageError(f"{option} {part}: no heading, expected {name}=HEADING")
            if columns.setdefault(kind, heading.strip()) != heading.strip():
                raise UsageError(f"{option} {part}: {name} is {columns[kind]} already, expected it once")
    return columns


def grades_of_option(texts: Iterable[str]) -> dict[str, float]:
    """Return the grade of each word, in lower case, that the texts name: {"x": 3.0, "y": 2.0} of `X=3,Y=2`.

    Raises UsageError for a part that is no word with a finite number, and for a word with two grades.
    """
    grades: dict[str, float] = {}
    for text in texts:
        for part in text.split(","):
            word, equals, number = part.rpartition("=")
            grade = number_of(number)
            key = word.strip().casefold()
            if not equals or not key or not abs(grade) < 2**53:
                raise UsageError(f"--grades {text}: found {quoted(part)}, expected WORD=GRADE, as in X=3,Y=2")
            if grades.setdefault(key, grade) != grade:
                raise UsageError(f"--grades {text}: {word.strip()} has two grades, expected one")
    return grades
