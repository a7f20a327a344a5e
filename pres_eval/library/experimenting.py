"""`experiment`: many runs against the same judgements, in one call from data to the table of a paper."""

from __future__ import annotations

import html
import os
from collections.abc import Mapping, Sequence
from dataclasses import replace
from pathlib import Path
from typing import Any, cast

from pres_eval.analysis.compare_settings import CompareSettings
from pres_eval.analysis.joint import JOINT_TESTS
from pres_eval.errors import UsageError, plural
from pres_eval.library.arguments import Compat, Correction, Test, TieRule, is_path, python_words
from pres_eval.library.comparing import Comparisons, compare
from pres_eval.library.evaluation import Evaluation
from pres_eval.library.measures import Measures
from pres_eval.library.ranked import Qrels
from pres_eval.library.run import Run
from pres_eval.options import DEFAULT_NMAX, Options


class Page(str):
    """A page of HTML; a notebook shows it in a frame."""

    __slots__ = ()

    def _repr_html_(self) -> str:
        """Return a frame: the page's scripts can't reach the notebook, nor the notebook's styles the page."""
        return (
            f'<iframe srcdoc="{html.escape(self)}" sandbox="allow-scripts allow-popups"'
            ' style="width: 100%; height: 45em; border: 0"></iframe>'
        )


class Experiment(Comparisons):
    """Runs that were evaluated and compared: the comparisons, and each run's evaluation by name.

    `to_latex`, `to_markdown` and `plot` show the means, `report` writes the page to explore.
    """

    def __init__(
        self,
        compared: Comparisons,
        evaluations: Mapping[str, Evaluation],
        ranked: Sequence[Run],
        nmax: Sequence[int],
    ) -> None:
        super().__init__(**vars(compared))
        self.evaluations = dict(evaluations)
        """The evaluations by the names of the runs."""
        self._ranked = ranked
        self._nmax = nmax

    @python_words
    def report(self, path: str | os.PathLike[str] | None = None, title: str = "") -> Page:
        """Return the page of `pres-eval report`, which needs no other file; write it to `path` if not None.

        The page is a string.  As the last line of a notebook's cell it is shown there.

        Runs are compared with the experiment's baseline; its groups of topics have a section, and means are
        weighted by its weights.

        Raises UsageError for judgements that are not qrels, and for tests of all runs at once.
        """
        from pres_eval.reading.judgements import relevance as engine
        from pres_eval.report.html import as_html
        from pres_eval.report.records import FileRecord, file_record
        from pres_eval.report.report_columns import report_selection
        from pres_eval.report.trec_report import Inputs, PageTexts, make_report

        relevance = self._ranked[0].qrels.relevance
        if not isinstance(relevance, engine.QrelsJudgements):
            raise UsageError(f"{relevance.name}: expected judgements that are qrels, for a report")
        first, settings = next(iter(self.evaluations.values())), self.compared.settings
        if settings.test in JOINT_TESTS:
            raise UsageError(f"report: the page has tests of two runs, found test={settings.test!r}")
        options, labels = first.options, self.compared.scores.measures
        columns = report_selection(options, self._nmax, labels)
        groups, weights = first.groups_and_weights
        qrels_file = FileRecord(relevance.name, None)
        if first.origin.qrels_is_file:
            qrels_file = file_record(relevance.name)
        run_files: list[FileRecord] = []
        for run, evaluation in zip(self._ranked, self.evaluations.values(), strict=True):
            is_file = evaluation.origin.run_is_file
            run_files.append(file_record(run.name) if is_file else FileRecord(run.name, None))
        report = make_report(
            self.runs,
            [run.evaluate_columns(columns, options, files=(groups, weights)).scores for run in self._ranked],
            [run.ranking for run in self._ranked],
            relevance,
            options,
            self._nmax,
            labels,
            settings,
            Inputs(qrels=qrels_file, files=tuple(run_files), groups=groups, weights=weights),
            baseline=self.compared.baseline,
        )
        page = Page(as_html(replace(report, texts=PageTexts(title=title))))
        if path is not None:
            Path(path).write_text(page, encoding="utf-8", newline="\n")
        return page


@python_words
def experiment(
    qrels: Any,
    runs: Mapping[str, Any],
    measures: Measures = None,
    *,
    baseline: str | None = None,
    all_pairs: bool = False,
    test: Test = "t",
    correction: Correction = "holm",
    alpha: float = CompareSettings.alpha,
    samples: int = CompareSettings.samples,
    seed: int = CompareSettings.seed,
    level: float = Options.relevance_level,
    complete: bool = False,
    judged_only: bool = False,
    max_retrieved: int | None = None,
    num_docs: int = 0,
    nmax: int | Sequence[int] = DEFAULT_NMAX,
    ties: TieRule = "docno",
    compat: Compat = "9.0.8",
    form: str = "qrels",
    groups: Any = None,
    weights: Any = None,
    jobs: int | None = None,
) -> Experiment:
    r"""Evaluate several runs against the same judgements, and compare them with one of them.

    qrels      as `evaluate` takes them
    runs       name and run, each as `evaluate` takes it; two at least
    measures   as `evaluate` takes them
    baseline   the name of the run that others are compared with, "best" for the best of each measure; None:
               the first
    all_pairs  compare each run with each other instead

    The other arguments are those of `evaluate` and `compare`.  Means are over the topics that all runs have,
    or with `complete` over all of the judgements.

    >>> import pres_eval as pe
    >>> qrels = {str(topic): {"a": 1} for topic in range(8)}
    >>> good = {str(topic): {"a": 2.0, "b": 1.0} for topic in range(8)}
    >>> poor = {str(topic): {"b": 2.0, "a": 1.0 + topic % 2 / 4} for topic in range(8)}
    >>> found = pe.experiment(qrels, {"poor": poor, "good": good}, ["map", "P@1"])
    >>> print(found)
    Means over 8 topics
    <BLANKLINE>
    run          map        P_1
    -----  ---------  ---------
    poor      0.5000     0.0000
    good   ^+ 1.0000  ^+ 1.0000
    <BLANKLINE>
    ^ best of the measure (means that agree to 12 digits are equal)
    + - significantly better, worse than poor (t, correction holm within each measure, p < 0.05)
    >>> found.evaluations["good"]["map"], "\\textbf{1.0000}" in found.to_latex()
    (1.0, True)

    Raises UsageError for fewer than two runs, and the errors of `evaluate` and `compare`.
    """
    if not isinstance(cast("object", runs), Mapping):
        kind = type(runs).__name__
        raise UsageError(f"runs: found a {kind}, expected a dict of two or more names and runs")
    if len(runs) < 2:
        raise UsageError(
            f"runs: found {plural(len(runs), 'run')}, expected a dict of two or more names and runs"
        )
    if all_pairs and baseline is not None:
        raise UsageError(f"all_pairs and baseline={baseline!r}: expected one of them")
    judged = qrels
    if not isinstance(judged, Qrels):
        judged = Qrels(qrels, form=form, jobs=jobs)
    compared_with: str | int | None = baseline
    if baseline is None and not all_pairs:
        compared_with = 0
    ranked: list[Run] = []
    for name, run in runs.items():
        name_of_run = None if is_path(run) else str(name)
        ranked.append(
            judged.rank(run, compat=compat, max_retrieved=max_retrieved, name=name_of_run, jobs=jobs)
        )
    evaluations: dict[str, Evaluation] = {}
    for name, ranked_run in zip(runs, ranked, strict=True):
        evaluations[str(name)] = ranked_run.evaluate(
            measures,
            level=level,
            complete=complete,
            judged_only=judged_only,
            num_docs=num_docs,
            nmax=nmax,
            ties=ties,
            groups=groups,
            weights=weights,
            jobs=jobs or 1,
        )
    compared = compare(
        evaluations.values(),
        baseline=compared_with,
        names=list(evaluations),
        test=test,
        correction=correction,
        alpha=alpha,
        samples=samples,
        seed=seed,
        jobs=jobs,
    )
    ranks = (nmax,) if isinstance(nmax, int) else tuple(nmax)
    return Experiment(compared, evaluations, ranked, ranks)
