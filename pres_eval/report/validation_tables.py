"""The tables and the picture of samples of a review, and their results in plain words."""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence

from pres_eval.analysis.review_intervals import EXACT, ReviewSettings
from pres_eval.analysis.validation import ERECALL, Estimate, Validation
from pres_eval.analysis.yields import SampledPart, elusion_tests, plans, sample_needed
from pres_eval.report.cells import Cell, Interval
from pres_eval.report.drawing import COLOURS, add_legend, one_plot
from pres_eval.report.layout import Readers, Table, records_table
from pres_eval.report.paper import Figure
from pres_eval.report.text import percentage, text_of

APPROXIMATE = ("wilson", "wald")
"""Methods of intervals whose limits may miss the truth more often than they say."""

DEFAULT_METHOD = ReviewSettings.method
"""The method of intervals without --method: beta-binomial."""

WORST_CASES = {
    DEFAULT_METHOD: "intervals held the truth in 92 % of samples, limits to one side in 94 %",
    EXACT: "intervals held the truth in 95 % of samples, limits to one side in 94 %",
}
"""How often 95 % intervals and limits of a method hold the truth in the worst simulated case of parts.

tests/bench/review_limits.py measures it.
"""

WORST_CASE_OF_ONE_PART = (
    "interval: in the worst case 95 % intervals of one sampled part held the truth in 92 % of samples, on"
    " average in 96 % (--method clopper-pearson: in 95 % at least)"
)


def validation_tables(review: Validation) -> list[Table]:
    """Return the tables of estimates, of sentences on these, and of sampled parts.

    If a target of recall is set: also whether it is reached, and when to stop; with a margin of the interval
    also how many documents to judge for it.
    """
    settings, in_words = review.settings, list(sentences(review))
    num_judged = sum(part.sampled for part in review.parts)
    documents = "document" if num_judged == 1 else "documents"
    tables = [
        records_table(
            "estimates",
            f"Estimates from {num_judged:,} judged {documents}",
            review.estimates,
            Estimate,
            notes=_notes(review, [sentence for _, sentence in in_words]),
            shown=Table(
                headings=("topic", "quantity", "estimate", "interval", "at least", "at most"),
                rows=[_estimate_cells(estimate) for estimate in review.estimates],
                left=2,
            ),
        ),
        Table(
            name="sentences",
            headings=("topic", "sentence"),
            rows=in_words,
            readers=Readers.PROGRAMS,
        ),
        records_table("parts", "Documents by stratum, found by the review or not", review.parts, SampledPart),
    ]
    if settings.target is not None:
        tables += _target_tables(review, settings.target, percentage(settings.confidence))
    if settings.margin is not None:
        tables.append(_documents_to_judge_table(review, settings.margin))
    return tables


def _notes(review: Validation, in_words: list[str]) -> list[str]:
    """Return the notes of the estimates: what intervals and limits promise; then `in_words`, the results."""
    method, percent = review.settings.method, percentage(review.settings.confidence)
    if method == DEFAULT_METHOD:
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
    num_sampled_parts = sum(part.sampled < part.size for part in review.parts)
    if num_sampled_parts > 1 and method in WORST_CASES:
        notes.append(f"parts combined; in the worst simulated case 95 % {WORST_CASES[method]}")
    elif num_sampled_parts == 1 and method == DEFAULT_METHOD:
        notes.append(WORST_CASE_OF_ONE_PART)
    if review.of(ERECALL):
        notes.append("eRecall: from the control sample and that of what was missed; recall is surer")
    return [*notes, *in_words]


def _estimate_cells(estimate: Estimate) -> list[Cell]:
    """Return the cells of an estimate for people: shares rounded to --digits, numbers of documents whole."""
    cells: list[Cell] = [text_of(estimate.topic), estimate.quantity]
    if estimate.quantity.startswith("relevant"):
        cells.append(_whole_number(estimate.estimate))
        cells.append(f"{_whole_number(estimate.low)} .. {_whole_number(estimate.high)}")
        cells.append(_whole_number(estimate.at_least))
        cells.append(_whole_number(estimate.at_most))
    else:
        cells.append(estimate.estimate)
        cells.append(Interval(estimate.low, estimate.high))
        cells.append(estimate.at_least)
        cells.append(estimate.at_most)
    return cells


def _whole_number(value: float) -> str:
    """Return a number of documents as text."""
    return f"{value:,.0f}"


def sentences(review: Validation) -> Iterator[tuple[bytes, str]]:
    """Yield for each topic the recall that its sample shows, in plain words."""
    recalls = review.of("recall")
    confidence = percentage(review.settings.confidence)
    counts = zip(review.of("relevant"), review.of("relevant found"), strict=True)
    for recall, (relevant, relevant_found) in zip(recalls, counts, strict=True):
        of_topic = ""
        if len(recalls) > 1:
            of_topic = f"Topic {text_of(recall.topic)}: "
        estimated = ""
        if relevant_found.low < relevant_found.high:
            estimated = " an estimated"
        least = "nothing"
        if not math.isnan(recall.at_least):
            least = f"at least {math.floor(100 * recall.at_least)} %"
        number = _number_with_limits(relevant)
        documents = "document" if number == "1" else "documents"
        sentence = (
            f"{of_topic}Of an estimated {number} relevant {documents}, the review found"
            f"{estimated} {_number_with_limits(relevant_found)};"
            f" we can say with {confidence} confidence that it found {least}."
        )
        yield recall.topic, sentence


def _number_with_limits(estimate: Estimate) -> str:
    """Return a number of documents, with its limits unless it is known: `1,200 (900 to 1,500)`."""
    count = _whole_number(estimate.estimate)
    if estimate.low < estimate.high:
        return f"{count} ({_whole_number(estimate.low)} to {_whole_number(estimate.high)})"
    return count


def _target_tables(review: Validation, target: float, percent: str) -> list[Table]:
    """Return the tables of a target of recall: is it shown to be reached, and may the review stop?

    percent: the confidence in words
    """
    tests = []
    cells: list[Sequence[Cell]] = []
    for recall in review.of("recall"):
        target_is_shown = review.shows(recall)
        verdict = "shown" if target_is_shown else "not shown"
        tests.append((recall.topic, target, recall.at_least, target_is_shown))
        cells.append((recall.topic, target, recall.at_least, verdict))
    rules = list(review.stopping(target))
    return [
        Table(
            name="targets",
            title=f"Recall of at least {target:g}, with {percent} confidence",
            headings=("topic", "target", "at_least", "shown"),
            rows=tests,
            shown=Table(headings=("topic", "target", "at least", "recall"), rows=cells),
        ),
        Table(
            name="stopping",
            title=f"Stop when this many relevant documents of the sample are found (QBCB, recall {target:g})",
            headings=("topic", "sampled", "needed", "found", "stop"),
            rows=rules,
            notes=(
                "for a sample drawn at random from all documents before the review, which it did not guide",
            ),
            readers=Readers.ALL if rules else Readers.PROGRAMS,
        ),
    ]


def _documents_to_judge_table(review: Validation, margin: float) -> Table:
    """Return the table of documents to judge until the interval of recall is ± `margin` wide, by part."""
    half_widths = {recall.topic: (recall.high - recall.low) / 2 for recall in review.of("recall")}
    rows = []
    for part in review.parts:
        needed = sample_needed(part, half_widths[part.topic], margin)
        more = needed - part.sampled
        rows.append((part.topic, part.stratum, part.found, part.sampled, needed, more))
    return Table(
        name="more",
        title=f"Documents to judge for recall ± {margin:g}",
        headings=("topic", "stratum", "found", "judged", "needed", "more"),
        rows=rows,
        left=2,
    )


def plan_tables(collection: int, prevalence: float, margin: float, confidence: float) -> list[Table]:
    """Return the tables of sample sizes for a collection of documents, before there is any sample.

    collection: number of documents; prevalence: share of relevant ones, as guessed
    margin: half the width that the interval of recall is to have
    """
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


def validation_figure(review: Validation) -> Figure:
    """Draw the interval of each share over all topics, with a tick at the limit to one side."""
    names = ("recall", "precision", "F1", "prevalence", "elusion")
    # The last estimate of a quantity is that over all topics.
    estimates = [review.of(name)[-1] for name in names]
    lows = [share.low for share in estimates]
    highs = [share.high for share in estimates]
    heights = range(len(estimates))
    settings = review.settings
    percent = percentage(settings.confidence)
    with one_plot(6.5, 1.5 + 0.3 * len(estimates)) as (figure, axes):
        axes.hlines(heights, lows, highs, color=COLOURS[0], lw=2)
        axes.plot([share.estimate for share in estimates], heights, "o", color=COLOURS[0], label="estimate")
        axes.plot(
            [share.at_least for share in estimates],
            heights,
            "|",
            color=COLOURS[1],
            markersize=11,
            label=f"at least, with {percent}",
        )
        if settings.target is not None:
            axes.axvline(settings.target, color="#888888", lw=0.9, linestyle=":", label="target of recall")
        axes.set(
            yticks=heights,
            yticklabels=names,
            xlim=(-0.01, 1.01),
            ylim=(len(estimates) - 0.5, -0.5),
            title=f"{percent} intervals ({settings.method})",
        )
        add_legend(figure, *axes.get_legend_handles_labels(), 3)
    return figure
