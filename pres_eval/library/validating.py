"""`validate`: how much a review missed, from judged samples of the collection."""

from __future__ import annotations

import os
from collections.abc import Iterable, Mapping
from typing import Any, cast

from pres_eval.analysis.review_intervals import METHODS, ReviewSettings
from pres_eval.analysis.sampled_parts import check_independent, control_parts, read_review, sampled_parts
from pres_eval.analysis.validation import Estimate, Validation, erecall, estimates_of_topics
from pres_eval.errors import UsageError, check_whole
from pres_eval.library.arguments import python_words
from pres_eval.library.naming import naming_of_arguments
from pres_eval.reading.judgements.samples import NAMES, Sampled, read_sample, read_sizes
from pres_eval.report.layout import Look, render
from pres_eval.report.paper import plotted
from pres_eval.report.validation_tables import sentences, validation_figure, validation_tables


class Review(Validation):
    """Estimates from samples of a review, and the `parts` that they are made of."""

    def __getitem__(self, quantity: str) -> Estimate:
        """Return the estimate of "recall" or another quantity, over all topics."""
        estimates = self.of(quantity)
        if estimates:
            return estimates[-1]  # that over all topics comes after those of each topic
        known = ", ".join(dict.fromkeys(estimate.quantity for estimate in self.estimates))
        raise UsageError(f"quantity {quantity!r}: expected one of {known}")

    @property
    def sentence(self) -> str:
        """Return in plain words the recall that the samples show, over all topics."""
        topics_and_sentences = list(sentences(self))
        _, over_all_topics = topics_and_sentences[-1]
        return over_all_topics

    @python_words
    def to_text(self, form: str = "table", table: str | None = None, digits: int = 4) -> str:
        """Return the tables in a format of --format: "table", "latex", "markdown", "json" or "csv".

        table  the name of the one table to return; None: those that the command prints
        """
        return render(validation_tables(self), Look(form, table, digits), "validate", {})

    def __repr__(self) -> str:
        return f"<Review: {self.sentence}>"

    def _repr_html_(self) -> str:
        """Return the estimates as a table, for a notebook."""
        return render(validation_tables(self)[:1], Look(style="html"), "validate", {})

    def plot(self, path: str | os.PathLike[str] | None = None) -> Any:
        """Return a matplotlib figure of the intervals (extra: plot).

        path  a file to write it to as well: .png, .svg or .pdf
        """
        return plotted(lambda: validation_figure(self), path)


@python_words
def validate(
    review: str | os.PathLike[str],
    *samples: str | os.PathLike[str],
    collection: int | None = None,
    sizes: str | os.PathLike[str] | None = None,
    control: str | os.PathLike[str] | None = None,
    depth: int | None = None,
    columns: Mapping[str, str] | None = None,
    grades: Mapping[str, float] | None = None,
    level: int = 1,
    method: str = ReviewSettings.method,
    confidence: float = ReviewSettings.confidence,
    target: float | None = None,
    margin: float | None = None,
    seed: int = ReviewSettings.seed,
) -> Review:
    """Estimate how much a review missed, as `pres-eval validate` does.

    review      the documents found: a file of topic and docno, or a run
    samples     files of judged documents that were drawn at random
    collection  how many documents there are, if the samples are of all of them
    sizes       otherwise a file with the size of each stratum: topic, stratum, size
    control     one more sample, of all documents, for eRecall: missed documents beside its relevant ones
    depth       if the review is a run: only its first documents of each topic were found
    columns     headings of the samples' columns: {"docno": "Control Number", "relevance": "Responsive"}
    grades      grades of words in the samples: {"hot": 2, "responsive": 1}
    level       least grade of a relevant document
    method      "beta-binomial", "wilson", "clopper-pearson", "wald" or "ei-recall"
    confidence  of intervals and limits, between 0 and 1
    target      the recall that is to be shown
    margin      half the width that the interval of recall should have
    seed        of the draws of "beta-binomial"

    >>> import pres_eval as pe
    >>> review = pe.validate("fixtures/review/found.txt", "fixtures/review/sample.txt", collection=3479)
    >>> f"{review['recall'].estimate:.3f}, at least {review['recall'].at_least:.3f}"
    '0.661, at least 0.556'

    Raises UsageError for arguments that make no sense, InputError for files that are wrong.
    """
    has_both_sizes = collection is not None and sizes is not None
    if not samples or has_both_sizes:
        raise UsageError("expected a review, one sample at least, and either collection or sizes")
    settings = ReviewSettings(method, confidence, seed, target, margin)
    if columns is not None and not isinstance(cast("object", columns), Mapping):
        raise UsageError(f"columns={columns!r}: expected a dict")
    _check(settings, columns or ())
    words = naming_of_arguments(None, grades).grades
    for name, value, least in (("collection", collection, 1), ("depth", depth, 1), ("level", level, 0)):
        if value is not None:
            check_whole(name, value, least)
    found_documents = read_review(os.fspath(review), depth)
    topics = {topic for topic, _ in found_documents}
    topic = topics.pop() if len(topics) == 1 else None  # samples of a review of one topic may lack its column
    sample: list[Sampled] = []
    for path in samples:
        sample += read_sample(os.fspath(path), columns or {}, topic, words=words)
    strata = None if sizes is None else read_sizes(os.fspath(sizes))
    parts = sampled_parts(sample, found_documents, level, collection, strata)
    estimates = estimates_of_topics(parts, settings)
    if control is not None:
        drawn = list(read_sample(os.fspath(control), columns or {}, topic, if_there=True, words=words))
        parts_of_control = control_parts(drawn, parts, level)
        check_independent(drawn, sample, found_documents, parts)
        for control_topic, control_part in parts_of_control.items():
            parts_of_topic = [part for part in parts if part.topic == control_topic]
            estimates.append(erecall(parts_of_topic, control_part, settings))
    return Review(settings, parts, estimates)


def _check(settings: ReviewSettings, columns: Iterable[str]) -> None:
    """Raise UsageError for a method or column that does not exist, or a share that is not between 0 and 1."""
    check_whole("seed", settings.seed, 0)
    methods = (ReviewSettings.method, *METHODS)
    if settings.method not in methods:
        raise UsageError(f"method {settings.method}: expected one of {', '.join(methods)}")
    for column in columns:
        if column not in NAMES:
            raise UsageError(f"columns {column}: expected one of {', '.join(NAMES)}")
    shares = {"confidence": settings.confidence, "target": settings.target, "margin": settings.margin}
    for name, share in shares.items():
        if share is None:
            continue
        if not isinstance(share, int | float) or not 0 < share < 1:
            raise UsageError(f"{name} {share!r}: expected a number above 0 and below 1")
