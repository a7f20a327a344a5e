"""A run that is ranked once against judgements, to be evaluated at will."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import lru_cache
from typing import TYPE_CHECKING, Any

from pres_eval.errors import UsageError
from pres_eval.library.evaluation import Evaluation, Origin
from pres_eval.library.texts import encode, texts_of
from pres_eval.library.warned import as_asked, warn, weigh_ties
from pres_eval.measures.base import Measure
from pres_eval.measures.own import own_measures
from pres_eval.measures.selection import Selection, select
from pres_eval.options import DEFAULT_NMAX, Options, RelevanceInfo
from pres_eval.ranking.run_file import Ranking
from pres_eval.ranking.warnings import warnings_about
from pres_eval.reading.relevance import relevance_info
from pres_eval.scoring import evaluate as score

if TYPE_CHECKING:
    from pres_eval.library.ranked import Qrels

Measures = str | Iterable[str] | None


class Run:
    """A ranked run: the ranks of its judged documents, and what they are judged by.

    `Qrels.rank` and `Qrels.rank_top_k` make it.

    >>> import pres_eval as pe
    >>> run = pe.Qrels({"1": {"a": 1}}).rank({"1": {"b": 2.0, "a": 1.0}})
    >>> run.topics, run.evaluate(["recip_rank", "P@1"]).summary
    (['1'], {'recip_rank': 0.5, 'P_1': 0.0})
    """

    def __init__(self, qrels: Qrels, ranking: Ranking, options: Options, is_file: bool = False) -> None:
        self.qrels = qrels
        self.ranking = ranking
        """The ranks as the engine has them."""
        self._options = options
        self._is_file = is_file

    @property
    def name(self) -> str:
        """What messages call the run: the path, or "run"."""
        return self.ranking.name

    @property
    def tag(self) -> str:
        """The tag in the last line of the file; otherwise the name."""
        return self.ranking.tag

    @property
    def topics(self) -> list[str]:
        """The topics that have judgements, in byte order."""
        return texts_of(self.qrels.relevance.pool.topics.take(self.ranking.topic))

    def __repr__(self) -> str:
        return f"<Run {self.name}: {self.ranking.num_lines} documents, {len(self.ranking.topic)} topics>"

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
        ties: str = Options.ties,
        bounds: bool = False,
        jobs: int = 1,
    ) -> Evaluation:
        """All numbers of the run; what the arguments mean is told at `evaluate`."""
        options = Options(
            compat=self._options.compat,
            relevance_level=level,
            max_retrieved=self._options.max_retrieved,
            complete=bool(complete),
            judged_only=bool(judged_only),
            num_docs_in_coll=num_docs,
            only_topic=None if topic is None else encode(topic, "topic"),
            ties=ties,
            duplicates=self._options.duplicates,
        )
        selection = as_asked(self._select(measures, nmax), options, bounds)
        weigh_ties(self.qrels.relevance, self.ranking, options, selection)
        return self.evaluate_columns(selection, options, jobs)

    def evaluate_columns(self, selection: Selection, options: Options, jobs: int = 1) -> Evaluation:
        """All numbers of the run for columns that were selected before."""
        relevance = self.qrels.relevance
        for text in warnings_about(self.ranking, relevance, options):
            warn(text)
        found = score(relevance, self.ranking, selection, options, jobs=jobs)
        return Evaluation(found, options, self._origin())

    def _origin(self) -> Origin:
        return Origin(
            qrels=self.qrels.name,
            form=self.qrels.form,
            topics=self.qrels.relevance.pool.topics,
            ranked=self.ranking.topic,
            unjudged=self.ranking.unjudged_ids.take(slice(None)),
            qrels_is_file=self.qrels.is_file,
            run_is_file=self._is_file,
            dropped=self.ranking.num_dropped,
        )

    def _select(self, measures: Measures, nmax: int | Sequence[int]) -> Selection:
        texts = [measures] if isinstance(measures, str) else list(measures or ())
        for text in texts:
            if not isinstance(text, str):
                raise UsageError(f"measures: found {text!r}, expected names such as 'map' or 'PRES@100'")
        ranks = (nmax,) if isinstance(nmax, int) else tuple(nmax)
        info = relevance_info(self.qrels.form)
        if any(":" in text for text in texts):
            return select(texts, self._options, ranks, info)
        return _selected(tuple(texts), self._options, ranks, info, own_measures())


@lru_cache(maxsize=256)
def _selected(
    texts: tuple[str, ...],
    options: Options,
    ranks: tuple[int, ...],
    info: RelevanceInfo,
    own: tuple[Measure, ...],
) -> Selection:
    """The columns; they are asked for again and again, and reading them costs as much as a small batch."""
    return select(texts, options, ranks, info)
