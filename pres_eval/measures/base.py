"""The record of a measure: its pure function, its parameters, and how its values are averaged."""

from __future__ import annotations

import enum
import math
from collections.abc import Callable
from dataclasses import field

from pres_eval.arrays import FloatArray, IntArray
from pres_eval.measures.parameters import NoParameters, Parameters
from pres_eval.options import RelevanceInfo
from pres_eval.records import dataclass


@dataclass(frozen=True)
class Totals:
    """Counts that a summary may need besides the sum of a column.

    num_scored        topics whose values were added up
    num_topics        topics to average over: those scored, or all those of the qrels with -c
    num_rel_in_qrels  judgements with relevance above 0, in the whole qrels file or of the group's topics
    complete          whether -c was given
    weight            sum of the weights of the topics to average over; None: all weigh the same
    """

    num_scored: int
    num_topics: int
    num_rel_in_qrels: int
    complete: bool
    weight: float | None = None


Summary = Callable[[float, Totals], float]
"""The sum of a column over the topics that were scored, and their counts -> the value over all topics."""


def mean(total: float, totals: Totals) -> float:
    """Return the arithmetic mean over the topics; if they have weights, `total` is Σ value × weight."""
    if totals.weight is not None:
        return total / totals.weight if totals.weight else math.nan
    return total / totals.num_topics if totals.num_topics else total


def total(total: float, totals: Totals) -> float:
    """Return the sum over the topics."""
    return total


LEAST_GEOMETRIC_MEAN = 0.00001
"""Least value whose logarithm trec_eval takes for a geometric mean: smaller ones count as this."""


def geometric_mean(total: float, totals: Totals) -> float:
    """Return the geometric mean over the topics; the column has logarithms of max(value, 0.00001)."""
    if not totals.num_topics:
        return total
    if totals.complete:
        # trec_eval: topics that the run lacks get the least value, in one multiplication after the sum.
        missing = totals.num_topics - totals.num_scored
        total += missing * math.log(LEAST_GEOMETRIC_MEAN)
    return math.exp(total / totals.num_topics)


def number_of_topics(total: float, totals: Totals) -> float:
    """Return the number of topics that were averaged over."""
    return float(totals.num_topics)


def number_of_relevant(total: float, totals: Totals) -> float:
    """Return the sum over the topics, with -c over all of the qrels."""
    if totals.complete:
        # trec_eval: under -c any judgement above 0 counts, whatever -l says.
        return float(totals.num_rel_in_qrels)
    return total


class Format(enum.Enum):
    """Formats of printed values: decimal numbers, counts, a text for each topic, and the tag of the run."""

    FLOAT = "%6.4f"
    COUNT = "%ld"
    TEXT = "'%s'"
    TAG = "%s"


class WhenMissing(enum.Enum):
    """Rules for the value that 10.0 prints with -c for a topic that the run lacks.

    AS_SCORED                what the measure gives a ranking of one unjudged document
    ZERO                     0, or an empty text
    ZERO_WITHOUT_PARAMETERS  the same where the measure has no parameters in its label, else AS_SCORED
    """

    AS_SCORED = enum.auto()
    ZERO = enum.auto()
    ZERO_WITHOUT_PARAMETERS = enum.auto()


class Trait(enum.Enum):
    """Facts that hold for a measure on every input; the tests hold each measure to them."""

    BOUNDED = "lies between 0 and 1"
    MAY_BE_NAN = "is nan where trec_eval divides 0 by 0 (nothing was retrieved, or nothing has a gain)"
    GRADED = "depends on the grades beyond relevant or not"
    IGNORES_UNJUDGED = "does not change when unjudged documents are put into or taken out of the ranking"
    IGNORES_TAIL = "does not change when unjudged documents are put after the ranking"
    SET = "does not depend on the order of the ranking"
    OF_COLLECTION = "depends on how many documents there are (-N)"
    OWN_EXPECTED = "gives the expected value in ties by its own formula, of the means that `counting` returns"
    RISES = "only rises, or only falls, with each grade of a document up to the highest of its topic"
    OF_TOPIC_SCALE = "divides grades by the highest of the topic, unless a parameter max_rel is given"
    TOO_HIGH_OF_SAMPLES = "is biased upwards when inferred from a sample, so resampling gives no interval"
    MOVES_UP = "counts relevance alone, and is no worse if a relevant document moves up"


@dataclass(frozen=True)
class Measure:
    """One measure, or one family of measures with cutoffs: the record that the registry lists.

    Its fields are many and flat because users write them as keyword arguments of measures of their own.

    What it is
    name          as trec_eval writes it; the first part of every label
    score         batch, *arguments -> (T,) values (a list of T strings if the format is TEXT); its docstring
                  is the measure's whole text, its first line the one-line description
    parameters    how `-m name.text` is read and which columns come of it
    summary       how a column becomes one number; None: not in the summary
    ours          whether trec_eval has no such measure; if so, parameters without effect are errors
    traits        properties that the tests check

    How it is printed
    title         the usual name of its value for a topic, if that is another one
    format        how values are printed
    per_topic     whether -q prints the measure for each topic
    when_missing  the value that 10.0 -c -q prints for a topic that the run lacks

    What it needs
    relevance     the formats of relevance information that it can be computed from
    whole_grades  whether grades must be whole numbers, so that it cannot be had with -R qrels_float
    uses_level    whether -l, or a level of its own as in name(rel=2), makes a difference
    needs_collection_size  whether it needs -N
    needs_document_scores  whether it needs --document-scores

    What its values tell
    tells_quality whether it measures the quality of a run, so that --against watches it; counts do not
    less_is_better  whether a run is better the lower its value
    rewards_giving_up  whether a run that retrieves less is better by it, even if it finds less

    Ties and unjudged documents
    best_by_grade  whether the highest grades first are the best order of a tie, and last the worst: --ties
                  best and worst are these orders
    expected      of a measure of your own: batch with ties, *arguments -> (T,) expected values; None: those
                  of `measures/expected` or of its traits
    bounds        of a measure of your own: batch, measure, arguments -> (T,) least and (T,) greatest values
                  that judgements of what nobody judged could give; None: those of `measures/bounds` or of its
                  traits

    Faster ways
    takes_many    whether `score` also takes its argument for C columns at once, as an array (C, 1), and
                  returns (C, T), so that the common work is done once
    plain         a ranked topic, *arguments -> the value with the same bits, for few documents; None: there
                  is none
    """

    name: str
    score: Callable[..., FloatArray | IntArray | list[str]]
    parameters: Parameters = field(default_factory=NoParameters)
    summary: Summary | None = mean
    format: Format = Format.FLOAT
    per_topic: bool = True
    relevance: RelevanceInfo = RelevanceInfo.QRELS
    whole_grades: bool = False
    when_missing: WhenMissing = WhenMissing.AS_SCORED
    ours: bool = False
    uses_level: bool = True
    tells_quality: bool = True
    less_is_better: bool = False
    needs_collection_size: bool = False
    needs_document_scores: bool = False
    rewards_giving_up: bool = False
    best_by_grade: bool = True
    takes_many: bool = False
    traits: frozenset[Trait] = frozenset()
    title: str = ""
    bounds: Callable[..., tuple[FloatArray, FloatArray]] | None = None
    expected: Callable[..., FloatArray | IntArray | list[str]] | None = None
    plain: Callable[..., float] | None = None

    @property
    def text(self) -> str:
        """Return the whole text of the measure."""
        from pres_eval.measures.docstrings import docstring_of  # takes a while to import

        return docstring_of(self.score)

    @property
    def description(self) -> str:
        """Return the first sentence of the text."""
        return self.text.split("\n\n")[0].replace("\n", " ")
