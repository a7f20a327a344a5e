"""The tables and the picture of samples of a review, and their results in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator

from pres_eval.analysis.review_intervals import EXACT, ReviewSettings
from pres_eval.analysis.validation import ERECALL, Estimate, Validation
from pres_eval.analysis.yields import SampledPart, elusion_tests, plans, sample_needed
from pres_eval.report.drawing import COLOURS, add_legend, one_plot
from pres_eval.report.layout import Interval, Shown, ShownCell, Table, records_table
from pres_eval.report.paper import Figure
from pres_eval.report.text import percentage, text_of

APPROXIMATE = ("wilson", "wald")
"""Methods whose limits may miss the truth more often than they say."""

WORST_CASES = {
    ReviewSettings.method: "intervals held the truth in 92 % of samples, limits to one side in 94 %",
    EXACT: "intervals held the truth in 95 % of samples, limits to one side in 94 %",
}
"""How often intervals and limits of several parts hold the truth: tests/bench/review_limits.py."""


def validation_tables(found: Validation) -> list[Table]:
    """Return the estimates, their meaning in words, their parts, and the other results wanted."""
    settings, said = found.settings, list(sentences(found))
    percent = percentage(settings.confidence)
    return [
        records_table(
            "estimates",
            f"Estimates from {sum(part.sampled for part in found.parts):,} judged documents",
            found.estimates,
            Estimate,
            notes=_notes(found, [text for _, text in said]),
            shown=Shown(
                ("topic", "quantity", "estimate", "interval", "at least", "at most"),
                [_shown(one) for one in found.estimates],
                left=2,
            ),
        ),
        Table("sentences", "", ("topic", "sentence"), said, people=False),
        records_table("parts", "Documents by stratum, found by the review or not", found.parts, SampledPart),
        *([] if settings.target is None else _target_tables(found, settings.target, percent)),
        *([] if settings.margin is None else [_more_table(found, settings.margin)]),
    ]


def _notes(review: Validation, in_words: list[str]) -> list[str]:
    """Return the notes of the estimates: what intervals and limits promise, and the results in words."""
    method, percent = review.settings.method, percentage(review.settings.confidence)
    if method == ReviewSettings.method:
        notes = [
            f"interval: {method}, {percent} confidence; at least, at most: exact limits to one side"
            f" (Clopper-Pearson), each with {percent} confidence"
        ]
    else:
        notes = [f"{method}; interval, at least and at most: each with {percent} confidence"]
    if method in APPROXIMATE:
        notes.append(
            f"{method} is approximate: its limits may be wrong more often; those of beta-binomial are not"
        )
    if sum(part.sampled < part.size for part in review.parts) > 1 and method in WORST_CASES:
        notes.append(f"parts combined; in the worst simulated case 95 % {WORST_CASES[method]}")
    if review.of(ERECALL):
        notes.append("eRecall: from the control sample and that of what was missed; recall is surer")
    return [*notes, *in_words]


def _shown(one: Estimate) -> list[ShownCell]:
    """Return the cells of an estimate for people: shares with --digits, numbers of documents whole."""
    values: tuple[ShownCell, ...] = (one.estimate, Interval(one.low, one.high), one.at_least, one.at_most)
    if one.quantity.startswith("relevant"):
        ends = f"{_count(one.low)} .. {_count(one.high)}"
        values = _count(one.estimate), ends, _count(one.at_least), _count(one.at_most)
    return [text_of(one.topic), one.quantity, *values]


def _count(value: float) -> str:
    return f"{value:,.0f}"


def sentences(found: Validation) -> Iterator[tuple[bytes, str]]:
    """Yield for each topic the recall that its sample shows, in plain words."""
    columns = [found.of(name) for name in ("recall", "relevant", "relevant found")]
    for recall, relevant, inside in zip(*columns, strict=True):
        of_topic = f"Topic {text_of(recall.topic)}: " if len(columns[0]) > 1 else ""
        estimated = " an estimated" if inside.low < inside.high else ""
        least = (
            "nothing" if math.isnan(recall.at_least) else f"at least {math.floor(100 * recall.at_least)} %"
        )
        yield (
            recall.topic,
            f"{of_topic}Of an estimated {_count_between(relevant)} relevant documents, the review found"
            f"{estimated} {_count_between(inside)};"
            f" we can say with {percentage(found.settings.confidence)} confidence that it found {least}.",
        )


def _count_between(one: Estimate) -> str:
    """Return a number of documents, with its limits unless it is known."""
    if one.low < one.high:
        return f"{_count(one.estimate)} ({_count(one.low)} to {_count(one.high)})"
    return _count(one.estimate)


def _target_tables(found: Validation, target: float, percent: str) -> list[Table]:
    """Return the tables of the target: is the recall shown, and may the review stop?"""
    tests = [(one.topic, target, one.at_least, found.shows(one)) for one in found.of("recall")]
    return [
        Table(
            name="targets",
            title=f"Recall of at least {target:g}, with {percent} confidence",
            headings=("topic", "target", "at_least", "shown"),
            rows=tests,
            shown=Shown(
                ("topic", "target", "at least", "recall"),
                [(*test[:3], "shown" if test[3] else "not shown") for test in tests],
            ),
        ),
        Table(
            name="stopping",
            title=f"Stop when this many relevant documents of the sample are found (QBCB, recall {target:g})",
            headings=("topic", "sampled", "needed", "found", "stop"),
            rows=(rules := list(found.stopping(target))),
            notes=(
                "for a sample drawn at random from all documents before the review, which it did not guide",
            ),
            people=bool(rules),
        ),
    ]


def _more_table(found: Validation, margin: float) -> Table:
    """Return the table of documents still to judge."""
    widths = {one.topic: (one.high - one.low) / 2 for one in found.of("recall")}
    return Table(
        name="more",
        title=f"Documents to judge for recall ± {margin:g}",
        headings=("topic", "stratum", "found", "judged", "needed", "more"),
        rows=[
            (part.topic, part.stratum, part.found, part.sampled, needed, needed - part.sampled)
            for part in found.parts
            for needed in (sample_needed(part, widths[part.topic], margin),)
        ],
        left=2,
    )


def plan_tables(collection: int, prevalence: float, margin: float, confidence: float) -> list[Table]:
    """Return the tables of sample sizes, before there is any sample."""
    percent = f"{percentage(confidence)} confidence"
    return [
        Table(
            name="plan",
            title=f"Documents to draw at random for recall ± {margin:g}, {percent}",
            headings=("recall", "relevant", "documents"),
            rows=list(plans(collection, prevalence, margin, confidence)),
            notes=("relevant: how many of them will be, if the prevalence is as guessed",),
        ),
        Table(
            name="elusion",
            title=f"Elusion tests without a relevant document, {percent}",
            headings=("documents", "elusion", "missed", "recall"),
            rows=list(elusion_tests(collection, collection * prevalence, confidence)),
            notes=("elusion, missed: at most; recall: at least, if the prevalence is as guessed",),
        ),
    ]


def validation_figure(found: Validation) -> Figure:
    """Return the interval of each share over all topics; a tick is the limit to one side."""
    names = ("recall", "precision", "F1", "prevalence", "elusion")
    rows = [found.of(name)[-1] for name in names]
    places, percent = range(len(rows)), percentage(found.settings.confidence)
    with one_plot(6.5, 1.5 + 0.3 * len(rows)) as (figure, axes):
        axes.hlines(places, [one.low for one in rows], [one.high for one in rows], color=COLOURS[0], lw=2)
        axes.plot([one.estimate for one in rows], places, "o", color=COLOURS[0], label="estimate")
        axes.plot(
            [one.at_least for one in rows],
            places,
            "|",
            color=COLOURS[1],
            markersize=11,
            label=f"at least, with {percent}",
        )
        if found.settings.target is not None:
            axes.axvline(
                found.settings.target, color="#888888", lw=0.9, linestyle=":", label="target of recall"
            )
        axes.set(
            yticks=places,
            yticklabels=names,
            xlim=(-0.01, 1.01),
            ylim=(len(rows) - 0.5, -0.5),
            title=f"{percent} intervals ({found.settings.method})",
        )
        add_legend(figure, *axes.get_legend_handles_labels(), 3)
    return figure
