"""`evaluate`: judgements and a run in, all numbers out."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from pres_eval.errors import UsageError
from pres_eval.library.arguments import (
    DEFAULT_EXCLUDE_FROM,
    DEFAULT_MAP_RANKS,
    Compat,
    DuplicateRule,
    EmptyRule,
    ExcludeFrom,
    MapRanks,
    TieRule,
    python_words,
)
from pres_eval.library.evaluation import Evaluation
from pres_eval.library.measures import Measures
from pres_eval.library.ranked import Qrels
from pres_eval.library.run import Run
from pres_eval.library.swapped import is_runs_by_name
from pres_eval.options import AS_TREC_EVAL, DEFAULT_NMAX, Options


@python_words
def evaluate(
    qrels: Any,
    run: Any,
    measures: Measures = None,
    *,
    level: float = Options.relevance_level,
    complete: bool = False,
    judged_only: bool = False,
    max_retrieved: int | None = None,
    num_docs: int = 0,
    topic: Any = None,
    nmax: int | Sequence[int] = DEFAULT_NMAX,
    ties: TieRule = "docno",
    duplicates: DuplicateRule = "error",
    empty: EmptyRule = "trec",
    map_docs: Any = None,
    map_ranks: MapRanks = DEFAULT_MAP_RANKS,
    exclude: Any = None,
    exclude_from: ExcludeFrom = DEFAULT_EXCLUDE_FROM,
    bounds: bool | str = False,
    intervals: bool = False,
    groups: Any = None,
    weights: Any = None,
    document_scores: Any = None,
    nmax_of: Any = None,
    sizes: Any = None,
    compat: Compat = "9.0.8",
    form: str = "qrels",
    name: str | None = None,
    columns: Mapping[str, str] | None = None,
    grades: Mapping[str, float] | None = None,
    jobs: int | None = None,
    cluster: Any = None,
    cluster_timeout: float | None = None,
) -> Evaluation:
    r"""Evaluate a run against judgements: trec_eval's numbers, bit for bit.

    qrels, run     a path, an open file, a dict of dicts, a table (pandas, polars, Arrow, a dict of columns),
                   or rows of (topic, document, value); see `Qrels` and `Qrels.rank`
    measures       names as -m takes them ("map", "P.5,10", "nDCG@10", "PRES@100"), one or several; None: the
                   official measures and PRES
    level          least grade of a relevant document (-l)
    complete       average over all topics of the qrels; those that the run lacks count as 0 (-c)
    judged_only    take unjudged documents out of the ranking first (-J)
    max_retrieved  documents used per topic (-M)
    num_docs       documents in the collection (-N)
    topic          evaluate this topic alone (-D)
    nmax           Nmax of PRES where a measure names none (--nmax)
    ties           equal scores: "docno" as trec_eval orders them, "expected" the mean over all their orders,
                   "best" and "worst" the relevant documents first and last (--ties)
    duplicates     documents that the run has twice for a topic: an "error"; or the "first" line, or the
                   "best" score, counts (--duplicates)
    empty          topics without relevant documents: "trec", as trec_eval has them; "zero" or "one", their
                   value of measures from 0 to 1; "skip", left out; "error", refused (--empty)
    map_docs       mapping of documents, in run and judgements: a pattern with a group ("^(.*)#\d+$" for
                   chunks), a file (docno document), or a dict; the first of several hits counts, and the
                   highest of several grades (--map-docs)
    map_ranks      where a mapped document comes again, documents below it move up ("dense") or stay ("kept")
    exclude        documents to leave out: a file, a dict by topic, or "self", the topic's own id (--exclude)
    exclude_from   "both", or the "run" alone (--exclude-from)
    bounds         add the range of values if unjudged documents retrieved down to the measure's cutoff
                   were judged, with grades up to the highest that the topic has (--bounds);
                   "all,max_rel=3": if all that were retrieved were judged, with grades up to 3
    intervals      add 95% intervals of values inferred from a sample, form="strata" (--intervals)
    groups         groups of topics, for `Evaluation.groups`: a file, or a dict with the group of each topic,
                   or a list of its groups (--groups)
    weights        weights of topics for means: a file, or a dict of topic and weight (--weights)
    document_scores  scores that documents have of their own, for urbp and ubpref: a path, or whatever else
                   judgements can be, with scores for grades (--document-scores)
    nmax_of        how far each topic is read, for PRES_budget: a file, or a dict of topic and Nmax
                   (--nmax-file)
    sizes          documents in the collection of each topic, in place of num_docs: a file, or a dict
                   (--size-file)
    compat         the trec_eval whose numbers are wanted, "9.0.8" or "10.0" (--compat)
    form           the format of a qrels file (-R)
    name           name of the run in messages and in the result, if it is no file
    columns        headings that have other names: {"topic": "Frage", "qrels.docno": "Treffer"} (--columns)
    grades         grades of words in judgements: {"hot": 2, "relevant": 1} (--grades)
    jobs           threads; None: one a processor to read files, and one to compute
    cluster        who reads a run that is a file: a Dask client (`distributed.Client`), the address of its
                   scheduler, or "local:N" for N processes of this machine
    cluster_timeout  seconds to wait for the scheduler and its first worker; None: 30 (--cluster-timeout)

    >>> import pres_eval as pe
    >>> qrels = {"1": {"a": 1, "b": 0}, "2": {"c": 2}}
    >>> run = {"1": {"b": 0.9, "a": 0.5}, "2": {"c": 0.4, "d": 0.3}}
    >>> e = pe.evaluate(qrels, run, ["map", "PRES@100"])
    >>> e["map"], e.per_topic("map").tolist()
    (0.75, [0.5, 1.0])
    >>> print(e)  # doctest: +NORMALIZE_WHITESPACE
    map                   	all	0.7500
    PRES_100              	all	0.9950

    Raises InputError for unreadable input, MeasureError for a measure that does not exist, and
    NoCommonTopicError if no topic is in both: all of them are PresEvalError.
    """
    if isinstance(run, Run):
        raise UsageError("run: it is ranked already; call its method evaluate")
    if is_runs_by_name(run):
        raise UsageError("run: found a dict of runs, expected one run; pres_eval.experiment takes several")
    judged = _judgements(qrels, form, columns, grades, jobs)
    is_mapped = map_docs is not None or map_ranks != DEFAULT_MAP_RANKS
    is_reduced = exclude is not None or exclude_from != DEFAULT_EXCLUDE_FROM
    if is_mapped or is_reduced:
        judged = judged.rewritten(
            map_docs=map_docs, map_ranks=map_ranks, exclude=exclude, exclude_from=exclude_from
        )
    if document_scores is not None:
        judged = judged.with_document_scores(document_scores)
    if empty != AS_TREC_EVAL:
        judged = judged.of_topics(empty, level)
    if nmax_of is not None or sizes is not None:
        judged = judged.with_topic_numbers(nmax_of, sizes)
    ranked = judged.rank(
        run,
        compat=compat,
        max_retrieved=max_retrieved,
        duplicates=duplicates,
        name=name,
        columns=columns,
        jobs=jobs,
        cluster=cluster,
        cluster_timeout=cluster_timeout,
    )
    return ranked.evaluate(
        measures,
        level=level,
        complete=complete,
        judged_only=judged_only,
        num_docs=num_docs,
        topic=topic,
        nmax=nmax,
        ties=ties,
        empty=empty,
        bounds=bounds,
        intervals=intervals,
        groups=groups,
        weights=weights,
        jobs=jobs or 1,
    )


def _judgements(
    qrels: Any,
    form: str,
    columns: Mapping[str, str] | None,
    grades: Mapping[str, float] | None,
    jobs: int | None,
) -> Qrels:
    """Return the judgements, read unless they are already; raise UsageError for grades= of a Qrels.

    A Qrels needs neither `form` nor `columns`, but the run may need `columns`.
    """
    if not isinstance(qrels, Qrels):
        return Qrels(qrels, form=form, columns=columns, grades=grades, jobs=jobs)
    if grades is not None:
        raise UsageError("grades: the judgements are read already; pres_eval.Qrels takes them")
    return qrels
