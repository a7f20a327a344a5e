"""The leaderboard: averages of all runs, the intervals of one measure as bars; two runs compared.

Letters behind a mean are those of `compare --all-pairs`: between runs that share a letter no significant
difference was found.
"""

from __future__ import annotations

import numpy as np

from pres_eval.analysis.corrections import CORRECT_OVER_ALL, SHARED
from pres_eval.analysis.every_pair import PairTable
from pres_eval.analysis.paired import depth_warning
from pres_eval.errors import plural
from pres_eval.measures.base import Format
from pres_eval.report import svg
from pres_eval.report.markup import Cell, Html, controls, element, figure, link, scrolling, section, table
from pres_eval.report.text import p_text, percentage, signed_difference, text_of
from pres_eval.report.trec_report import Report

MANY_RUNS = 12
"""With more runs than this the table scrolls in a frame, can be searched, and has one measure's letters."""

MANY_LETTERS = 8
"""More letters than this behind a number are shown as the first and the last ones."""

SEARCH = element("input", id="board-search", type="search", autocomplete="off")
"""Field that finds a run among many."""


def leaderboard(report: Report, *, interactive: bool = True) -> Html:
    """Return averages of all runs, and the intervals of one measure as bars.

    interactive: whether there are fields to choose in, and the bars, which follow these
    """
    # Few rows need no frame that scrolls.
    rows = len(report.names) if len(report.names) > MANY_RUNS else 0
    parts = [_different_topics(report), failed_runs(report)]
    if interactive:
        parts.append(_choices(report))
    parts.append(scrolling("Averages over topics", _averages(report, sortable=interactive), rows=rows))
    parts.append(_note_on_signs_and_letters(report))
    if interactive:
        parts.append(_intervals(report))
    return section("leaderboard", "Leaderboard", *parts)


def _choices(report: Report) -> Html:
    """Return the choices of a measure and of a baseline, which is fixed if p-values are corrected for it."""
    selects = [("measure", "Measure")]
    if report.compared.asked_baseline is None:
        selects.append(("baseline", "Compared with"))
    search = element("label", "Find a run ", SEARCH) if len(report.names) > MANY_RUNS else ""
    return controls(*selects, field=search)


def _different_topics(report: Report) -> Html | str:
    """Return the banner that warns of averages over different topics; empty if all runs have all topics."""
    if not report.topics_differ() or report.options.complete:
        return ""
    counts = [len(evaluation.topics) for evaluation in report.evaluations]
    fewest = [name for name, count in zip(report.names, counts, strict=True) if count == min(counts)]
    named = ", ".join(fewest[:3])
    if len(fewest) > 3:
        named += f" and {len(fewest) - 3} more"
    verb = "has" if len(fewest) == 1 else "have"
    return element(
        "p",
        element("strong", "The runs have different topics."),
        f" Of {len(report.topics)} topics {named} {verb} {min(counts)}."
        " Averages are over each run's own topics; runs that lack some (topics, beside the name) are not"
        " ranked and stand last. --topics all counts missing topics as 0, --topics common leaves them out."
        " Two runs are compared over the topics that both have.",
        class_="banner",
        role="note",
    )


def failed_runs(report: Report) -> Html | str:
    """Return the banner with the runs that could not be evaluated, and why; empty if there are none."""
    if not report.inputs.failures:
        return ""
    rows = []
    for failure in report.inputs.failures:
        message = text_of(failure.message).replace(failure.path, report.shown_path(failure.path))
        rows.append(element("li", message))
    return element(
        "div",
        element("p", element("strong", "Runs that could not be evaluated")),
        element("ul", *rows),
        class_="banner",
        role="note",
    )


def _averages(report: Report, *, sortable: bool) -> Html:
    """Return the table of runs and their means, the best by the first measure first.

    sortable: whether columns can be sorted and the names of runs are links
    """
    labels = report.board_and_counts
    caption = "Averages over topics"
    if len(report.names) > 1:
        caption += _order_and_marks(report)
    rows: list[list[Cell]] = []
    for run in report.best_first(labels[0]):
        name = report.names[run]
        shown_name = link("runs", name, run=name) if sortable else name
        row: list[Cell] = [
            element("span", svg.swatch(run), shown_name, class_="name", data_run=run),
            _topic_count(report, run),
        ]
        row += [_mean_cell(report, run, label) for label in labels]
        rows.append(row)
    return table(
        caption,
        ["run", "topics", *labels],
        rows,
        sortable=sortable,
        name="board",
        falling={label for label in labels if report.less_is_better(label)},
    )


def _mean_cell(report: Report, run: int, label: str) -> Html:
    """Return the cell of a run's mean, marked if it is the best, with the letters behind it."""
    several_runs = len(report.names) > 1
    is_mean = report.column(label).measure.format is Format.FLOAT
    is_best = several_runs and is_mean and run in report.leaders(label)
    letters_are_hidden = len(report.names) > MANY_RUNS and label != report.board_and_counts[0]
    return element(
        "td",
        report.text(run, label),
        _letters(report, label, run, hidden=letters_are_hidden),
        class_="n best" if is_best else "n",
        data_board=label if label in report.board else None,
    )


def _topic_count(report: Report, run: int) -> str:
    """Return over how many topics a run was averaged: `20`, `20 (2 counted as 0)` or `18 of 20 topics`."""
    count = report.topic_counts()[run]
    zeros = report.counted_as_0(run)
    if zeros:
        return f"{count} ({zeros} counted as 0)"
    if report.has_all_topics(run):
        return str(count)
    return f"{count} of {plural(len(report.topics))}"


def _order_and_marks(report: Report) -> str:
    """Return the end of the table's caption: what its order and its marks mean."""
    words = f", by {report.board[0]}"
    rated = [label for label in report.board if report.column(label).measure.format is Format.FLOAT]
    without = [label for label in rated if not report.leaders(label)]
    if len(without) < len(rated):
        words += ", the best of each measure marked"
        if without:
            words += f" (no run is best by {', '.join(without)})"
    falling = [label for label in report.board if report.less_is_better(label)]
    if falling:
        words += f" (less is better: {', '.join(falling)})"
    retrieved = [int(report.summary(run, "num_ret")) for run in range(len(report.names))]
    warning = depth_warning([report.column(label) for label in report.board], retrieved)
    if warning:
        words += f"; {warning}"
    return words


def _note_on_signs_and_letters(report: Report) -> Html | str:
    """Return the paragraph on the tests behind the signs and the letters of the table; empty for one run.

    The script writes into its element `board-signs` what + and - mean, by the baseline that is chosen.
    """
    pairs = report.compared.pairs
    if pairs is None or len(report.names) == 1:
        return ""
    if not pairs.topics.any():
        return element("p", "No two runs have a topic in common: nothing could be tested.", class_="dim")
    if not np.isfinite(pairs.p_values).any():
        return element("p", f"Over {_topics_of_pairs(pairs)} no difference could be tested.", class_="dim")
    tests = pairs.family
    is_corrected_by_measure = pairs.settings.corrects_within(len(pairs.measures))
    if is_corrected_by_measure:
        tests += f" {CORRECT_OVER_ALL}"
    tests += f", each over the topics that both have, significant where p < {pairs.settings.alpha:g}."
    if pairs.baseline is None:
        words = f"{SHARED.capitalize()}. Signs and letters are of one family of tests: {tests}"
        alike = []
        for label, letters in zip(pairs.measures, pairs.letters, strict=True):
            if set(letters) == {"a"}:
                alike.append(label)
        if alike:
            words += f" {', '.join(alike)}: all runs share a, which does not mean that they are equal."
    else:
        words = (
            f"Signs are of one family of tests: {tests} Other pairs are in Two runs, uncorrected; letters"
            " need tests of all pairs (without --baseline)."
        )
    signs = element("span", id="board-signs", role="status")
    return element("p", signs, words, class_="dim", id="board-note")


def _topics_of_pairs(pairs: PairTable) -> str:
    """Return the number of topics that two runs have in common, in words: `5 topics`, `2 to 5 topics`."""
    fewest, most = int(pairs.topics.min()), int(pairs.topics.max())
    if fewest == most:
        return plural(most)
    return f"{fewest} to {plural(most)}"


def _letters(report: Report, label: str, run: int, *, hidden: bool) -> Html | str:
    """Return the letters behind a run's mean; empty if not all pairs of runs were compared by this measure.

    hidden: whether they stay hidden until the script shows those of the measure that the reader chooses
    """
    pairs = report.compared.pairs
    if pairs is None or len(report.names) < 2:
        return ""
    if pairs.baseline is not None or label not in pairs.measures:
        return ""
    letters = pairs.letters[pairs.measures.index(label)][run]
    if len(letters) <= MANY_LETTERS:
        return element("sup", letters, class_="letters", hidden=hidden)
    cut = f"{letters[:4]}…{letters[-3:]}"
    return element("sup", cut, class_="letters", title=letters, hidden=hidden)


def _intervals(report: Report) -> Html | str:
    """Return the chart of means by the first measure with their intervals; empty if no mean was tested."""
    pairs = report.compared.pairs
    if pairs is None:
        return ""
    label = pairs.measures[0]
    # Gains are the means, with the sign turned where less is better.
    best_first = np.argsort(-pairs.gains[0], kind="stable").tolist()
    rows = [_interval_row(report, pairs, run) for run in report.all_topics_first(best_first)]
    words = f"Means over {pairs.over}"
    if np.isfinite(pairs.lower[0]).any():
        words += f" with {percentage(1 - pairs.settings.alpha)} intervals (uncorrected)"
    words += ", best first"
    if report.topics_differ() and not report.options.complete:
        words += ", runs that lack topics last"
    if report.less_is_better(label):
        words += " (less is better)"
    picture = svg.row_chart("intervals", f"{label} of the runs", words, f"mean {label}", rows)
    return element("div", figure(label, words, picture), id="board-bars")


def _interval_row(report: Report, pairs: PairTable, run: int) -> svg.Row:
    """Return the row of a run in the chart of intervals of the first measure."""
    name = report.names[run]
    mean = float(pairs.means[0, run])
    lower, upper = float(pairs.lower[0, run]), float(pairs.upper[0, run])
    interval = "(no interval)"
    if np.isfinite(lower):
        interval = f"({lower:.4f} to {upper:.4f})"
    letters = ""
    if len(report.names) > 1:
        letters = pairs.letters[0][run]
    return svg.Row(
        name=name,
        series=run,
        middle=mean,
        line=(lower, upper),
        box=None,
        text=f"{name}: {mean:.4f} {interval}",
        end=letters,
    )


def two_runs(report: Report) -> Html:
    """Return the section that compares two runs: a table of each run against the baseline, by one measure.

    The script replaces the table by any two runs that the reader chooses.
    """
    pairs = report.compared.pairs
    if pairs is None:
        return section("pair", "Two runs", element("p", "There is no average over topics to test."))
    baseline = report.baseline
    rows: list[list[Cell]] = []
    for run in report.best_first(report.main):
        if run != baseline:
            name, test = report.names[run], pairs.against(measure=0, run=run, other=baseline)
            ties = test.topics - test.wins - test.losses
            row: list[Cell] = [
                link("runs", name, run=name),
                str(test.topics),
                signed_difference(test.difference),
            ]
            row += [str(test.wins), str(ties), str(test.losses), p_text(test.p_value)]
            rows.append(row)
    caption = (
        f"{pairs.measures[0]}: each run against {report.names[baseline]} over the topics that both have"
        f" ({pairs.family}, as on the leaderboard)"
    )
    static = scrolling(
        "Each run against the baseline",
        table(caption, ["run", "topics", "difference", "wins", "ties", "losses", "p"], rows, sortable=True),
    )
    return section(
        "pair",
        "Two runs",
        controls(
            ("pair-a", "Run"),
            ("pair-b", "against"),
            ("pair-measure", "by"),
            ("pair-nmax", "documents by rank"),
        ),
        element("div", id="pair-view", hidden=True),
        element("div", static, id="pair-static"),
    )
