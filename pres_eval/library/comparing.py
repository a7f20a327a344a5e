"""Runs compared with each other: the analyses of `pres-eval compare`, as objects."""

from __future__ import annotations

import html
import os
from collections.abc import Iterable, Sequence
from dataclasses import asdict, replace
from typing import Any

from pres_eval.analysis.by_group import FullComparison, full_comparison
from pres_eval.analysis.compare import BEST_RUN
from pres_eval.analysis.compare_settings import CompareSettings, Comparison, check_settings
from pres_eval.analysis.paired import (
    ORDERS,
    TopicWinner,
    pair_topics,
    topic_winners,
    topics_with_weights,
    wins_of_runs,
)
from pres_eval.engines.threads import by_threads
from pres_eval.errors import MeasureError, UsageError, no_such_run, plural
from pres_eval.library.arguments import (
    Alternative,
    Correction,
    IntervalKind,
    Over,
    Test,
    TopicOrder,
    check_jobs,
    in_python,
    python_words,
    warn,
)
from pres_eval.library.evaluation import Evaluation, pandas_module
from pres_eval.library.streaming import evaluations_of, topic_contents
from pres_eval.scoring import ScoredRun


class Comparisons(FullComparison, Sequence[Comparison]):
    """The comparisons that `compare` made: a sequence of records, and the means with their intervals.

    It inherits `compared`, the comparisons over all topics, whose scores are weighted, and `plain`, the same
    scores without weights.
    """

    def __len__(self) -> int:
        return len(self.compared.comparisons)

    def __getitem__(self, index: Any) -> Any:
        return self.compared.comparisons[index]

    @property
    def runs(self) -> list[str]:
        """The names of the runs."""
        return list(self.compared.scores.runs)

    @property
    def means(self) -> dict[str, dict[str, float]]:
        """For each run a dict from label to mean over the topics that all runs have."""
        scores = self.compared.scores
        return {
            run: dict(zip(scores.measures, means, strict=True))
            for run, means in zip(scores.runs, scores.means.T.tolist(), strict=True)
        }

    def per_topic(self, sort: TopicOrder = "difference") -> list[TopicWinner]:
        """Return for each measure and topic the best run, the second, and their difference.

        sort  within a measure: "difference", the largest first; "topic"; "best", by the best run
        Values that agree to 12 digits are equal.  One topic is no evidence that a run is better.
        """
        if sort not in ORDERS:
            raise UsageError(f"sort={sort!r}: expected one of {', '.join(ORDERS)}")
        return list(topic_winners(self.plain, sort))

    @property
    def wins(self) -> dict[str, dict[str, tuple[int, int]]]:
        """For each run a dict from label to the topics that it wins: alone, and together with other runs."""
        scores = self.plain
        return {
            run: dict(zip(scores.measures, wins, strict=True))
            for run, wins in zip(scores.runs, wins_of_runs(scores), strict=True)
        }

    def to_dicts(self) -> list[dict[str, Any]]:
        """Return one dict for each comparison."""
        return [asdict(comparison) for comparison in self]

    def to_pandas(self) -> Any:
        """Return a pandas frame: one row for each comparison."""
        return pandas_module().DataFrame(self.to_dicts(), columns=list(Comparison.__dataclass_fields__))

    def to_latex(self, digits: int = 4) -> str:
        """Return the table of means for LaTeX (package booktabs): the best in bold, significance marked."""
        return self._tables_text("latex", digits)

    def to_markdown(self, digits: int = 4) -> str:
        """Return the same table in Markdown, with notes on the marks."""
        return self._tables_text("markdown", digits)

    def _tables_text(self, form: str, digits: int, style: str = "simple") -> str:
        """Return the tables of means and of groups as text of a format, with notes on the marks."""
        from pres_eval.report.compared_tables import compared_tables
        from pres_eval.report.layout import Look, render

        topics = plural(len(self.plain.topics))
        tables = compared_tables(self.compared, topics_with_weights(topics, self.compared.scores))
        # The table of groups has the letters that mark significance between all pairs.
        shown = [table for table in tables if table.name in ("means", "groups")]
        # Notes name options: here they name arguments of `compare`.
        return in_python(render(shown, Look(form, digits=digits, style=style), "compare", {}))

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Return a matplotlib figure of the means, or for all pairs of the differences (extra: plot).

        path  a file to write it to as well: .png, .svg or .pdf
        """
        from pres_eval.report.paper import plotted
        from pres_eval.report.run_plots import compared_figure

        return plotted(lambda: compared_figure(self.compared), path)

    def __str__(self) -> str:
        return self._tables_text("table", 4).rstrip("\n")

    def __repr__(self) -> str:
        scores = self.compared.scores
        return f"<Comparisons: {len(self)}, of {len(scores.runs)} runs over {len(scores.topics)} topics>"

    def _repr_html_(self) -> str:
        """Return the table of means with its notes, and the comparisons to unfold, for a notebook."""
        tables = self._tables_text("table", 4, "html").rstrip("\n").replace("\n\n", "")
        # Notes become lines of one paragraph, and headings text: a notebook has headings of its own.
        tables = tables.replace("</p>\n<p>", "<br>")
        pieces = [tables.replace("<h2>", "<p>").replace("</h2>", "</p>")]
        names = list(Comparison.__dataclass_fields__)
        head = "".join(f"<th>{name}</th>" for name in names)
        rows: list[str] = []
        for row in self.to_dicts():
            cells = "".join(f"<td>{html.escape(_shown(row[name]))}</td>" for name in names)
            rows.append(f"<tr>{cells}</tr>")
        table = f"<table><tr>{head}</tr>{''.join(rows)}</table>"
        pieces.append(f"<details><summary>Comparisons</summary>{table}</details>")
        return "".join(pieces)


def _shown(value: Any) -> str:
    """Return a value of a comparison for a cell of a notebook."""
    return f"{value:.4f}" if isinstance(value, float) else str(value)


@python_words
def compare(
    evaluations: Iterable[Evaluation],
    *,
    baseline: Evaluation | str | int | None = 0,
    measure: str | Sequence[str] | None = None,
    names: Sequence[str] | None = None,
    test: Test = "t",
    correction: Correction = "holm",
    alpha: float = CompareSettings.alpha,
    samples: int = CompareSettings.samples,
    seed: int = CompareSettings.seed,
    alternative: Alternative = "two-sided",
    margin: float = CompareSettings.margin,
    interval: IntervalKind = "t",
    correct_over: Over = "runs",
    simultaneous: bool = CompareSettings.simultaneous,
    jobs: int | None = None,
) -> Comparisons:
    """Compare runs, topic by topic, as `pres-eval compare` does.

    evaluations   of the same measures over the same judgements; means are with their weights of topics, and
                  if they have groups, `by_group` of the result has each
    baseline      the run to compare the others with: an evaluation, its place or its name; "best": the best
                  of each measure, corrected for all pairs; None: all pairs
    measure       one label or several; None: all that are averages over topics
    names         of the runs; None: those of the evaluations, numbered where two are the same
    test          "t", "randomisation", "bootstrap", "wilcoxon" or "sign", paired over topics, or of all runs
                  at once "tukey", "randomised-tukey" or, with a baseline, "dunnett"
    correction    "holm", "bonferroni", "bh" or "none", for the number of comparisons
    alpha         level of significance; intervals cover 1 - alpha
    samples       draws of the bootstrap, random sign changes of the randomisation test, permutations of the
                  runs' scores in randomised Tukey
    seed          of the random numbers of these
    alternative   the hypothesis: "two-sided", "greater" or "less"; "equivalent", "non-inferior" by
                  `margin`.  Tests of all runs at once are two-sided
    margin        a difference of means too small to matter
    interval      "t", "bca" or "percentile"
    correct_over  "runs": for the comparisons of one measure; "measures": for those of all measures together
    simultaneous  whether intervals of differences are as wide as the correction asks for
    jobs          threads for tests of all runs at once (None: as many as there are processors)

    >>> import pres_eval as pe
    >>> qrels = pe.Qrels({str(topic): {"a": 1} for topic in range(8)})
    >>> good = qrels.rank({str(topic): {"a": 2.0, "b": 1.0} for topic in range(8)}, name="good")
    >>> poor = qrels.rank({str(topic): {"a": 1.0, "b": 2.0} for topic in range(8)}, name="poor")
    >>> e1, e2 = good.evaluate(["map", "PRES@10"]), poor.evaluate(["map", "PRES@10"])
    >>> [one] = pe.compare([e1, e2], baseline=e1, measure="map")
    >>> one.run, one.other, one.difference, one.losses, one.significant
    ('poor', 'good', -0.5, 8, True)
    >>> [one] = pe.compare([e1, e2], measure="map", alternative="non-inferior", margin=0.1)
    >>> one.significant
    False

    Raises UsageError for arguments that make no sense, MeasureError if the evaluations share no such measure.
    """
    compared = evaluations_of(evaluations)
    if any(topic_contents(evaluation) != topic_contents(compared[0]) for evaluation in compared):
        raise UsageError("compare: found other groups or weights of topics, expected the same for all")
    if len(compared) < 2:
        raise UsageError(f"compare: {plural(len(compared), 'evaluation')}, expected at least two")
    first = compared[0]
    settings = CompareSettings(
        test=test, correction=correction, alpha=alpha, samples=samples, seed=seed, alternative=alternative,
        margin=margin, interval=interval, over=correct_over, simultaneous=simultaneous,
    )  # fmt: skip
    check_settings(settings, all_pairs=baseline is None)
    check_jobs(jobs)
    # Not by topic=, which changes no value: only the topics that all evaluations share are compared.
    if len({replace(evaluation.options, only_topic=None) for evaluation in compared}) > 1:
        warn("compare: the evaluations were made with different options, which their differences show too")
    run_names = _names(compared, names)
    labels = [measure] if isinstance(measure, str) else list(measure or first.measures)
    all_topics = tuple(first.origin.topics) if first.options.complete else None
    scores = pair_topics([_columns_of(evaluation, labels) for evaluation in compared], run_names, all_topics)
    scores = replace(scores, relevance_level=first.options.relevance_level)
    baseline_run = _baseline_run(baseline, compared, run_names)
    groups, weights = first.groups_and_weights
    comparison = full_comparison(scores, baseline_run, settings, groups, weights, by_threads(jobs), warn)
    return Comparisons(**vars(comparison))  # the same fields, with the methods of a sequence


def _names(evaluations: Sequence[Evaluation], names: Sequence[str] | None) -> list[str]:
    """Return a different name for each evaluation; raise UsageError for names that are equal or too few.

    names  those that the user chose; None: those of the evaluations, numbered if two are equal
    """
    if names is not None:
        if isinstance(names, str):
            raise UsageError(f"names={names!r}: expected a list with a name for each evaluation")
        if len(names) != len(evaluations) or len(set(names)) < len(names):
            raise UsageError(f"names: {list(names)}, expected a different one for each evaluation")
        return list(names)
    run_names = [evaluation.name for evaluation in evaluations]
    if len(set(run_names)) == len(run_names):
        return run_names
    return [f"{name} {number}" for number, name in enumerate(run_names, 1)]


def _columns_of(evaluation: Evaluation, labels: Sequence[str]) -> ScoredRun:
    """Return the scores of an evaluation, of the columns with these labels alone.

    Raises MeasureError for a label that it does not have.
    """
    columns: list[int] = []
    for label in labels:
        if label not in evaluation:
            raise MeasureError(f"{evaluation.name}: {label} is not among the measures that were evaluated")
        column = evaluation.place(label)
        if column not in columns:  # a measure may be named in two ways
            columns.append(column)
    return evaluation.scores.with_columns(columns)


def _baseline_run(
    baseline: Evaluation | str | int | None, evaluations: Sequence[Evaluation], names: Sequence[str]
) -> int | str | None:
    """Return the index of the baseline, BEST_RUN for the best of each measure, None for all pairs.

    Raises UsageError if there is no such run.
    """
    if isinstance(baseline, str) and baseline in names:
        return names.index(baseline)
    if baseline is None or (isinstance(baseline, str) and baseline == BEST_RUN):
        return baseline
    if isinstance(baseline, int) and -len(names) <= baseline < len(names):
        return baseline % len(names)
    for run, evaluation in enumerate(evaluations):
        if evaluation is baseline:
            return run
    # `python_words` writes baseline= for the option.
    raise no_such_run("--baseline", baseline if isinstance(baseline, str) else repr(baseline), names)
