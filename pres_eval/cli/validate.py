"""pres-eval validate: how much a review missed, from judged samples."""

from __future__ import annotations

import inspect
import math
from collections.abc import Sequence
from typing import Any

import click

from pres_eval.analysis.review_intervals import METHODS, ReviewSettings
from pres_eval.cli.analysing import SEED, ResultOptions, print_tables
from pres_eval.cli.command_options import FiniteRange, WholeRange, argument, command_with, option
from pres_eval.cli.gates.findings import EXIT_CODE
from pres_eval.cli.shared import GRADE_WORDS
from pres_eval.cli.streams import say
from pres_eval.errors import UsageError
from pres_eval.library.validating import validate
from pres_eval.reading.headings import (
    DOCNO,
    GRADE,
    STRATUM,
    TOPIC,
    columns_of_option,
    grades_of_option,
)
from pres_eval.report.text import percentage, text_of
from pres_eval.report.validation_tables import plan_tables, validation_tables

SHARE = FiniteRange(0, 1, min_open=True, max_open=True)
"""Kind of value for a share of documents, or a probability."""

DEFAULT_MARGIN = 0.05
"""Half the width of the interval of recall in a plan without --margin."""


class ValidateOptions(ResultOptions):
    """Estimate how much a review missed: recall, precision, prevalence and elusion, each with an interval.

    \b
    Examples:
      pres-eval validate review.txt sample.txt --collection 3479
      pres-eval validate review.txt sample.txt --collection 3479 --target .5
      pres-eval validate --collection 50000 --prevalence 0.02

    REVIEW: the documents that were found, as lines of topic and docno, or a run.  SAMPLE: documents drawn at
    random and judged, as lines of topic, docno, stratum and relevance, with or without the stratum, as CSV
    with a header, or as the load file of a review platform (CSV, Concordance DAT).

    beta-binomial: intervals are quantiles of the posterior under Jeffreys' prior (Webber 2013), limits to one
    side are exact (Clopper-Pearson; several parts: Fay and Feuer, melded).  clopper-pearson: intervals are
    between two such limits.  wilson, wald: the intervals of the parts, combined (MOVER); ei-recall: Losey's.
    What is judged as a whole is certain.

    Tables for --table: estimates, sentences, parts, targets, stopping, more; without files plan, elusion.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    files: tuple[str, ...] = argument(nargs=-1, metavar="[REVIEW SAMPLE ...]")
    depth: int | None = option(
        "--depth", type=WholeRange(min=1), metavar="RANK",
        help="If REVIEW is a run: the review found its first RANK documents of each topic.",
    )  # fmt: skip
    collection: int | None = option(
        "--collection", type=WholeRange(1, 10**12), metavar="NUM",
        help="Documents in the collection, of which SAMPLE was drawn at random.",
    )  # fmt: skip
    sizes: str | None = option(
        "--sizes", once=True, metavar="FILE", help="Documents of each stratum: lines of topic, stratum, size."
    )
    control: str | None = option(
        "--control", once=True, metavar="FILE",
        help="One more sample, of all documents, in place of the estimate of relevant ones: adds eRecall.",
    )  # fmt: skip
    # Not `columns`, which `RecordCommand` gives to the readers of runs and judgements.
    sample_columns: tuple[str, ...] = option(
        "--columns", multiple=True, metavar="NAME=HEADING,...",
        help="Columns of SAMPLE by their headings; NAME is topic, docno, stratum or relevance.",
    )  # fmt: skip
    sample_grades: tuple[str, ...] = GRADE_WORDS
    level: int = option(
        "-l", "--level_for_rel", type=WholeRange(min=0), default=1, show_default=True,
        metavar="NUM", help="Least grade of a relevant document.",
    )  # fmt: skip
    method: str = option(
        "--method", choices=(ReviewSettings.method, *METHODS), default=ReviewSettings.method,
        show_default=True, help="Method of the intervals.",
    )  # fmt: skip
    confidence: float = option(
        "--confidence",
        type=SHARE,
        default=0.95,
        show_default=True,
        help="Confidence of intervals and limits.",
    )
    target: float | None = option(
        "--target", once=True, type=SHARE, metavar="RECALL",
        help="Exit with 3 unless the samples show at least this recall, of each topic and of all; report"
        " when a review may stop (QBCB).",
    )  # fmt: skip
    margin: float | None = option(
        "--margin", type=SHARE, metavar="MARGIN",
        help="Show how many documents to judge for recall ± MARGIN (in a plan: 0.05).",
    )  # fmt: skip
    prevalence: float | None = option(
        "--prevalence", type=SHARE, metavar="SHARE",
        help="Without files: plan a sample for a collection in which about this share is relevant.",
    )  # fmt: skip
    seed: int = SEED


@command_with(ValidateOptions)
def command(options: ValidateOptions) -> None:
    """Estimate from samples, or plan one."""
    settings = options.own_values()
    files = settings.pop("files")
    if files:
        review, *samples = files
        _validate(options, settings, review, samples)
    else:
        _plan(options, settings)


def _validate(options: ResultOptions, settings: dict[str, Any], review: str, samples: Sequence[str]) -> None:
    """Print the estimates of a review from its samples; raise click's Exit if they do not show the --target.

    settings  the values of the command's options, by their fields; this function changes them
    review    path of the documents that the review found
    samples   paths of the judged samples
    """
    if settings.pop("prevalence") is not None:
        raise UsageError(
            "--prevalence is for a plan, without files: here the samples estimate it; leave it out"
        )
    headings = columns_of_option(settings.pop("sample_columns"), (TOPIC, DOCNO, STRATUM, GRADE))
    settings["columns"] = {}  # by the names that the library has for the kinds of columns
    for kind, heading in headings.items():
        name = "relevance" if kind == GRADE else kind
        settings["columns"][name] = heading
    settings["grades"] = grades_of_option(settings.pop("sample_grades"))
    # Not the public function, whose errors name arguments: the wrapped one names options.
    validation = inspect.unwrap(validate)(review, *samples, **settings)
    settings |= {"review": text_of(review), "samples": [text_of(path) for path in samples]}
    print_tables(validation_tables(validation), "validate", settings, options, make_figure=validation.plot)
    recalls = validation.of("recall")
    # Without --target none is below it.
    below_target = [recall for recall in recalls if not validation.shows(recall)]
    for recall in below_target:
        topic = f"topic {text_of(recall.topic)}: " if len(recalls) > 1 else ""
        shown = f"{recall.at_least:.6f}"
        if math.isnan(recall.at_least):
            shown = "none, as nothing is relevant"
        say(
            f"pres-eval: --target: {topic}wanted a recall of at least {settings['target']:g}"
            f" with {percentage(settings['confidence'])} confidence, shown is {shown}"
        )
    if below_target:
        raise click.exceptions.Exit(EXIT_CODE)


def _plan(options: ResultOptions, settings: dict[str, Any]) -> None:
    """Print how many documents to draw; raise UsageError for options that need files, or too few for a plan.

    settings  the values of the command's options, by their fields
    """
    defaults = ValidateOptions.with_defaults()
    plan = {
        "collection": settings["collection"],
        "prevalence": settings["prevalence"],
        "margin": settings["margin"] or DEFAULT_MARGIN,
        "confidence": settings["confidence"],
    }
    needs_files = any(
        value != getattr(defaults, name) for name, value in settings.items() if name not in plan
    )
    if None in plan.values() or needs_files:
        raise UsageError(
            "expected REVIEW SAMPLE ..., or for a plan no files and"
            " --collection NUM --prevalence SHARE [--margin MARGIN] [--confidence SHARE]"
        )
    print_tables(plan_tables(**plan), "validate", plan, options)
