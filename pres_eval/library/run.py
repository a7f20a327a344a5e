"""A run that was ranked once against judgements, to be evaluated at will."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING, Any, NamedTuple

from pres_eval.checking.second_look import SecondLook
from pres_eval.checking.warnings import check_common_topics, warnings_about
from pres_eval.engines.threads import Loop, by_threads, in_turn
from pres_eval.errors import UsageError, plural
from pres_eval.library.arguments import EmptyRule, TieRule, check_jobs, is_path, python_words, warn
from pres_eval.library.data import look_again
from pres_eval.library.evaluation import Evaluation, Origin
from pres_eval.library.file_or_dict import read_groups_and_weights
from pres_eval.library.ids import encode, texts_of
from pres_eval.library.measures import Measures, selected
from pres_eval.measures.selection import Selection, with_ties_and_bounds
from pres_eval.options import AS_TREC_EVAL, BY_DOCNO, DEFAULT_NMAX, GIVES_VALUES, SKIP, STOP, Options
from pres_eval.ranking.ranking import Ranking, with_nothing_for
from pres_eval.reading.headings import NO_NAMING, Naming
from pres_eval.reading.judgements.changed_judgements import (
    check_no_empty_topics,
    empty_topics,
    topics_answered_by_nothing,
)
from pres_eval.reading.naming import using
from pres_eval.reading.topic_files import Groups, Weights
from pres_eval.scoring import Scoring, warning_of_infinite_gains

if TYPE_CHECKING:
    from pres_eval.library.ranked import Qrels

GAINS_FORMAT = "qrels_float"
"""The format, as -R names it, of judgements that are gains with decimals."""


class ScoreOptions(NamedTuple):
    """Options that an evaluation needs besides those a run was ranked with; see `evaluate` for each."""

    level: float = Options.relevance_level
    complete: bool = False
    judged_only: bool = False
    num_docs: int = 0
    topic: Any = None
    ties: str = BY_DOCNO
    empty: str = AS_TREC_EVAL


DEFAULT_SCORE_OPTIONS = ScoreOptions()
"""With these, as in nearly all evaluations, the options that the run was ranked with are used unchanged."""


class Run:
    """A ranked run: the ranks of its judged documents, and their judgements.

    `Qrels.rank` and `Qrels.rank_top_k` make it.

    >>> import pres_eval as pe
    >>> run = pe.Qrels({"1": {"a": 1}}).rank({"1": {"b": 2.0, "a": 1.0}})
    >>> run.topics, run.evaluate(["recip_rank", "P@1"]).summary
    (['1'], {'recip_rank': 0.5, 'P_1': 0.0})
    """

    def __init__(
        self,
        qrels: Qrels,
        ranking: Ranking,
        options: Options,
        is_file: bool = False,
        made_of: Any = None,
        naming: Naming = NO_NAMING,
    ) -> None:
        """Keep a ranking, and what further methods need.

        options  those that the run was ranked with
        is_file  whether the run was read from a file, and its name is a path
        made_of  the data or path of the run, which a warning or `write` may read again
        naming   the names of columns (columns=) with which these data are read
        """
        self.qrels = qrels
        self.ranking = ranking
        """The ranks of the judged documents, as arrays."""
        self._options = options
        self._is_file = is_file
        self._made_of = made_of
        self._naming = naming
        self.is_part = False
        """Whether this is a part of a longer run: the judged topics that it lacks are no reason to warn."""

    @property
    def name(self) -> str:
        """Return the name of the run in messages: the path, or "run"."""
        return self.ranking.name

    @property
    def tag(self) -> str:
        """The tag in the last line of the file; otherwise the name."""
        return self.ranking.tag

    @property
    def topics(self) -> list[str]:
        """The topics of the run that have judgements, in byte order."""
        return texts_of(self.qrels.relevance.pool.topics.take(self.ranking.topic))

    @cached_property
    def _second_look(self) -> SecondLook:
        """Return the faults that some rows of the run show when they are read again; only warnings need them.

        These are ids that would match judged ones if they were written alike, and ranks that seem exchanged
        with scores.
        """
        with using(self._naming):
            return look_again(self._made_of, self.ranking, self.qrels.relevance, self.qrels.lookup)

    def __repr__(self) -> str:
        documents = plural(self.ranking.facts.num_rows, "document")
        return f"<Run {self.name}: {documents}, {plural(len(self.ranking.topic))}>"

    def write(self, file: Any, form: str | None = None, tag: str = "run") -> None:
        """Write all documents of the run to a file, as `write_run` does: they are read again for it.

        Raises UsageError for a run of an open file, or of rows that can be read only once.

        >>> import io
        >>> import pres_eval as pe
        >>> file = io.BytesIO()
        >>> pe.Qrels({"1": {"a": 1}}).rank({"1": {"b": 2.0, "a": 1.0}}).write(file, form="csv")
        >>> print(file.getvalue().decode(), end="")
        query_id,doc_id,score
        1,b,2.0
        1,a,1.0
        """
        from pres_eval.library.converting import write_run

        if not is_path(self._made_of) and not hasattr(self._made_of, "__len__"):
            raise UsageError(
                f"{self.name}: was made of a {type(self._made_of).__name__}, which can be read once, expected"
                " a path, a dict or a table"
            )
        with using(self._naming):
            write_run(self._made_of, file, form, tag)

    def _options_of(self, settings: ScoreOptions) -> Options:
        """Return the options that the run was ranked with, changed by those of an evaluation.

        Raises UsageError for values that are not valid, and for topics without a relevant document: with
        `empty` "error" always, with "skip" if the judgements still have them.
        """
        level = settings.level
        if settings.complete not in (True, False):
            raise UsageError(f"complete={settings.complete!r}: expected True or False")
        if settings.judged_only not in (True, False):
            raise UsageError(f"judged_only={settings.judged_only!r}: expected True or False")
        if isinstance(level, float) and level % 1 and self.qrels.form != GAINS_FORMAT:
            raise UsageError(f"level={level!r}: expected a whole number, or judgements with decimals")
        # A level of 1.0 equals the default 1, but stays a decimal in messages.
        if isinstance(level, int) and settings == DEFAULT_SCORE_OPTIONS:
            return self._options
        options = replace(
            self._options,
            relevance_level=level,
            complete=bool(settings.complete),
            judged_only=bool(settings.judged_only),
            num_docs_in_coll=settings.num_docs,
            only_topic=None if settings.topic is None else encode(settings.topic, "topic"),
            ties=settings.ties,
            empty=settings.empty,
        )
        if options.empty == STOP:
            check_no_empty_topics(self.qrels.relevance, level)
        elif options.empty == SKIP and empty_topics(self.qrels.relevance, level).any():
            expected = f"judgements without them: Qrels.of_topics('skip', level={level})"
            raise UsageError(f"empty='skip': found topics without a relevant document, expected {expected}")
        return options

    @python_words
    def evaluate(
        self,
        measures: Measures = None,
        *,
        level: float = Options.relevance_level,
        complete: bool = False,
        judged_only: bool = False,
        num_docs: int = 0,
        topic: Any = None,
        nmax: int | Sequence[int] = DEFAULT_NMAX,
        ties: TieRule = "docno",
        empty: EmptyRule = "trec",
        bounds: bool | str = False,
        intervals: bool = False,
        groups: Any = None,
        weights: Any = None,
        jobs: int = 1,
    ) -> Evaluation:
        """Return all numbers of the run.  See `evaluate` for the arguments."""
        check_jobs(jobs)
        relevance = self.qrels.relevance
        score_options = ScoreOptions(level, complete, judged_only, num_docs, topic, ties, empty)
        options = self._options_of(score_options)
        # With the ranking's options, which most calls share, columns are in a cache; the evaluation's follow.
        columns = selected(measures, self._options, nmax, self.qrels.form)
        columns = with_ties_and_bounds(columns, options, bounds, warn)
        of_infinite_gains = warning_of_infinite_gains(columns, relevance)
        if of_infinite_gains is not None:
            warn(of_infinite_gains)
        if len(self.ranking.ties.document):
            from pres_eval.analysis.ties import warning_of_ties  # most runs have none

            of_ties = warning_of_ties(relevance, self.ranking, options, columns)
            if of_ties is not None:
                warn(of_ties)
        groups_and_weights: tuple[Groups | None, Weights | None] = (None, None)
        if groups is not None or weights is not None:
            groups_and_weights = read_groups_and_weights(groups, weights, relevance.pool.topics, warn)
        return self.evaluate_columns(columns, options, jobs, groups_and_weights, intervals)

    def evaluate_columns(
        self,
        selection: Selection,
        options: Options,
        jobs: int = 1,
        files: tuple[Groups | None, Weights | None] = (None, None),
        intervals: bool = False,
    ) -> Evaluation:
        """Return all numbers of the run for columns that were selected before.

        files  groups of topics, and weights of topics, both read already; None: no groups, no weights
        """
        if intervals and files != (None, None):
            raise UsageError("intervals: expected neither groups nor weights beside it")
        qrels, relevance = self.qrels, self.qrels.relevance
        is_whole = not self.is_part
        for text in warnings_about(
            self.ranking,
            relevance,
            options,
            second_look=self._second_look,
            missing_topics=is_whole,
        ):
            warn(text)
        groups, weights = files
        ranking = self.ranking
        # An empty result is right for topics without relevant documents: they get the value of `empty`.
        if options.empty in GIVES_VALUES:
            topics_without_relevant = topics_answered_by_nothing(relevance, options)
            if topics_without_relevant is not None:
                ranking = with_nothing_for(ranking, topics_without_relevant)
        check_common_topics(relevance, ranking, options)
        scoring = Scoring(
            relevance=relevance,
            selection=selection,
            options=options,
            groups=groups,
            weights=weights,
            is_part=self.is_part,
        )
        loop: Loop = in_turn
        if jobs > 1:
            loop = by_threads(jobs)
        scores = scoring.evaluation(ranking, scoring.blocks(ranking, loop))
        if intervals:
            from pres_eval.analysis.sample_intervals import with_sample_intervals

            scores = with_sample_intervals(scores, ranking, scoring, warn)
        origin = Origin(
            qrels=relevance.name,
            form=qrels.form,
            topics=relevance.pool.topics,
            ranked=self.ranking.topic,
            unjudged=self.ranking.unjudged_ids,
            qrels_is_file=qrels.is_file,
            run_is_file=self._is_file,
            digest=qrels.digest,
            dropped=self.ranking.num_dropped,
        )
        return Evaluation(scores, options, origin, groups, weights)
