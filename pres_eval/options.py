"""Options that change numbers, and the quirks of each release of trec_eval."""

from __future__ import annotations

import enum
import operator

from pres_eval.errors import UsageError
from pres_eval.records import dataclass

DEFAULT_NMAX = (100, 1000)
"""Ranks down to which PRES regards a run if no cutoff is named."""

LARGEST_LONG = 2**63 - 1
"""The largest long of C, which its atol returns for larger numbers."""

SUMMARY_TOPIC = "all"
"""What stands in place of a topic in trec_eval's lines of values over all topics."""


class RelevanceInfo(enum.Enum):
    """Kinds of relevance information, by their formats (-R): of a file, and those that a measure can use.

    ANY is of measures alone; a measure of PRELS takes a file of STRATA too.
    """

    ANY = "any format"
    QRELS = "-R qrels"
    QRELS_FLOAT = "-R qrels_float"
    QRELS_JG = "-R qrels_jg"
    SUBTOPICS = "-R subtopics"
    PREFS = "-R prefs or -R qrels_prefs"
    STRATA = "-R strata"
    PRELS = "-R strata or -R prels"


@dataclass(frozen=True, kw_only=True)
class Version:
    """Quirks of one release of trec_eval.

    name                        as --compat takes it
    single_precision_scores     scores of runs, and levels of preferences, are C floats: close ones tie
    scores_missing_topics       with -c, a topic that the run lacks is scored as one document nobody judged
    recall_levels_reach_up      the relevant documents that a recall level x needs, of n, are x n + 0.9, cut
                                down to a whole number; otherwise x n, rounded half away from zero
    gain_keys_need_not_be_grades  the key of `key=gain` is read as its leading digits, 0 if there are none;
                                otherwise a key that is no whole number is left out
    also_in_all_trec            measures of the nickname all_trec besides those of 9.0.8
    """

    name: str
    single_precision_scores: bool
    scores_missing_topics: bool
    recall_levels_reach_up: bool
    gain_keys_need_not_be_grades: bool
    also_in_all_trec: tuple[str, ...] = ()


V9 = Version(
    name="9.0.8",
    single_precision_scores=True,
    scores_missing_topics=False,
    recall_levels_reach_up=True,
    gain_keys_need_not_be_grades=True,
)
V10 = Version(
    name="10.0",
    single_precision_scores=False,
    scores_missing_topics=True,
    recall_levels_reach_up=False,
    gain_keys_need_not_be_grades=False,
    also_in_all_trec=("unj", "rbp", "rbp_resid"),
)
VERSIONS = {version.name: version for version in (V9, V10)}
"""The releases that can be asked for, the default first."""

COMPAT_VERSIONS = tuple(VERSIONS)


BY_DOCNO, EXPECTED_VALUES, BEST_ORDER, WORST_ORDER = "docno", "expected", "best", "worst"
TIE_RULES = (BY_DOCNO, EXPECTED_VALUES, BEST_ORDER, WORST_ORDER)
"""Values of --ties: the order of documents with equal scores, trec_eval's way first."""


ERROR_OF_DUPLICATES, FIRST_LINE, BEST_SCORE = "error", "first", "best"
DUPLICATE_RULES = (ERROR_OF_DUPLICATES, FIRST_LINE, BEST_SCORE)
"""Values of --duplicates, for a document that a run has twice for a topic."""


AS_TREC_EVAL, AS_ZERO, SKIP, STOP, ONE = "trec", "zero", "skip", "error", "one"
EMPTY_RULES = (AS_TREC_EVAL, AS_ZERO, SKIP, STOP, ONE)
"""Values of --empty, for topics without relevant documents."""

GIVES_VALUES = (AS_ZERO, ONE)
"""Values of --empty that give these topics a value."""


@dataclass(frozen=True)
class Options:
    """Options that change the numbers.

    compat           the trec_eval whose numbers are wanted: "9.0.8" or "10.0" (--compat)
    relevance_level  least grade of a relevant document (-l), a decimal number for -R qrels_float
    max_retrieved    documents used per topic, None for all (-M)
    judged_only      unjudged documents are taken out of the ranking first (-J)
    complete         average over all topics of the qrels (-c)
    num_docs_in_coll documents in the collection, 0 if not known (-N)
    only_topic       evaluate this topic alone (-D n.topic, where n is a number that nothing uses)
    ties             documents of equal scores: by "docno", as trec_eval orders them; "best" and "worst", the
                     relevant ones first or last; "expected", the mean over all of their orders (--ties)
    duplicates       documents that a run has twice for a topic: an "error"; else the "first" line counts, or
                     the one with the "best" score, and the others are dropped (--duplicates)
    empty            topics without relevant documents: "trec", as trec_eval has them; all measures of quality
                     from 0 to 1 are "zero" or "one"; "skip", they are left out; an "error" (--empty)

    Numbers above 2^63 - 1 count as that, as in C.
    Raises UsageError for another value of compat, ties, duplicates or empty, and for what is no number from 0
    on; only the relevance level may have decimals.
    """

    compat: str = V9.name
    relevance_level: float = 1
    max_retrieved: int | None = None
    judged_only: bool = False
    complete: bool = False
    num_docs_in_coll: int = 0
    only_topic: bytes | None = None
    ties: str = BY_DOCNO
    duplicates: str = ERROR_OF_DUPLICATES
    empty: str = AS_TREC_EVAL

    def __post_init__(self) -> None:
        """Check each value; numbers above C's long become its largest."""
        self._check_choice("compat", COMPAT_VERSIONS)
        self._check_choice("ties", TIE_RULES)
        self._check_choice("duplicates", DUPLICATE_RULES)
        self._check_choice("empty", EMPTY_RULES)
        self._check_level()
        if self.max_retrieved is not None:
            self._check_whole("max_retrieved")
        self._check_whole("num_docs_in_coll")

    def _check_choice(self, name: str, choices: tuple[str, ...]) -> None:
        """Raise UsageError for an option that is none of its choices."""
        value = getattr(self, name)
        if value not in choices:
            raise UsageError(f"{name}={value!r}: expected one of {', '.join(choices)}")

    def _check_level(self) -> None:
        """Raise UsageError for a level that is no finite number from 0 up; cut one above C's long to it."""
        level = self.relevance_level
        is_decimal = isinstance(level, float)
        if not is_decimal:
            self._check_whole("relevance_level")
        elif not 0 <= level < float("inf"):
            raise UsageError(f"relevance_level={level!r}: expected a number of at least 0")
        elif level > LARGEST_LONG:
            object.__setattr__(self, "relevance_level", LARGEST_LONG)

    def _check_whole(self, name: str) -> None:
        """Raise UsageError for an option that is no whole number from 0 up; cut one above C's long to it."""
        value = getattr(self, name)
        try:
            number = operator.index(value)  # numpy's whole numbers, too
        except TypeError:
            number = -1
        if number < 0:
            raise UsageError(f"{name}={value!r}: expected a whole number of at least 0")
        object.__setattr__(self, name, min(number, LARGEST_LONG))

    @property
    def version(self) -> Version:
        """Return the quirks of the chosen trec_eval."""
        return VERSIONS[self.compat]


def recorded(options: Options) -> dict[str, object]:
    """Return the options that the JSON of an analysis records: without only_topic, as all topics count."""
    return {name: value for name, value in vars(options).items() if name != "only_topic"}


def level_lines(relevance_level: float) -> list[str]:
    """Return the line that says which documents are relevant; none for grade 1 or above, as everywhere.

    >>> level_lines(2), level_lines(1)
    (['relevant: grade 2 or above'], [])
    """
    if relevance_level == 1:
        return []
    return [f"relevant: grade {relevance_level:g} or above"]
