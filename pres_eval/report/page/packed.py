r"""The page's numbers as compact arrays: one compressed block, and a table of what is where in it.

Values are kept as people see them, rounded to DIGITS, as whole numbers in as few bytes as they need; p-values
and means as doubles.  The block is zlib's, which browsers unpack themselves; its bytes are written in base64.
"""

from __future__ import annotations

import base64
import json
import zlib
from collections.abc import Iterable, Mapping, Sequence
from typing import Any

import numpy as np

from pres_eval import __version__
from pres_eval.analysis.every_pair import PairTable
from pres_eval.arrays import AnyArray, FloatArray
from pres_eval.measures.base import Format
from pres_eval.report.markup import Html, element, raw
from pres_eval.report.paper_notes import pairs_note
from pres_eval.report.report_numbers import medians_of, topic_measures
from pres_eval.report.text import fitted, text_of
from pres_eval.report.trec_report import DIGITS, Report

NAME_LENGTHS = (24, 20, 16, 14, 12, 10)
"""Letters for which there may be room at the left of a picture: names of runs are shortened for each."""

ALIGNED = 8
"""Bytes: arrays begin at multiples of this, as JavaScript's typed arrays of doubles need it."""


def packed(arrays: Mapping[str, AnyArray]) -> tuple[dict[str, tuple[str, int, int]], str]:
    """Return the contents of a block of arrays, and the block: compressed, in base64.

    The contents have for each array its kind (i2, u4, f8 ...), its first byte in the block before this was
    compressed, and how many numbers it has.
    """
    block = bytearray()
    contents = {}
    for name, array in arrays.items():
        data = np.ascontiguousarray(array.astype(array.dtype.newbyteorder("<")))
        padding = -len(block) % ALIGNED  # bytes up to the next multiple
        block += b"\0" * padding
        contents[name] = (data.dtype.str[1:], len(block), data.size)
        block += data.tobytes()
    return contents, base64.b64encode(zlib.compress(bytes(block), 6)).decode()


def as_lines(texts: Iterable[str]) -> AnyArray:
    """Return the bytes of lines of text, none of which has a line end of its own."""
    return np.frombuffer("\n".join(texts).encode("utf-8", "backslashreplace"), np.uint8)


def smallest(numbers: AnyArray, kinds: Sequence[str] = ("<i2", "<i4")) -> AnyArray:
    """Return whole numbers (n,) in the first kind of integers that holds them, else as doubles.

    The least number of a signed kind is not used for them: it stands for what is no number.
    """
    if numbers.size == 0:
        return numbers.astype(kinds[0])
    for kind in kinds:
        limits = np.iinfo(kind)
        least = limits.min + 1 if limits.min < 0 else 0
        if numbers.min() >= least and numbers.max() <= limits.max:
            return numbers.astype(kind)
    return numbers.astype("<f8")


def as_shown(values: FloatArray, kind: Format) -> AnyArray:
    """Return values as whole numbers of the same shape: what people see times 10**DIGITS; counts as they are.

    What is not a finite number becomes the least number of the type, or nan among doubles.

    >>> as_shown(np.array([0.12345, np.nan]), Format.FLOAT)
    array([  1235, -32768], dtype=int16)
    """
    digits = 0 if kind is Format.COUNT else DIGITS
    scale = 10**digits
    known = np.isfinite(values)
    known_values = values[known]
    scaled = known_values * scale
    rounded = np.rint(scaled)
    # The product is rounded too: near a half only the printed digits say which way it goes.
    is_near_half = np.abs(scaled - np.floor(scaled) - 0.5) < 1e-3
    for index in np.flatnonzero(is_near_half).tolist():
        printed = f"{known_values[index]:.{digits}f}"
        rounded[index] = round(float(printed) * scale)
    whole = smallest(rounded)
    missing = np.nan if whole.dtype.kind == "f" else np.iinfo(whole.dtype).min
    numbers = np.full(values.shape, missing, whole.dtype)
    numbers[known] = whole
    return numbers


def page_data(report: Report) -> list[Html]:
    """Return the elements that hold the page's numbers: a JSON object, and the block of `packed` arrays."""
    labels, documents = topic_measures(report), report.documents
    medians: dict[str, FloatArray] = {}
    arrays: dict[str, AnyArray] = {}
    for number, label in enumerate(labels):
        arrays[f"values{number}"] = as_shown(report.matrix(label), report.column(label).measure.format)
        median = medians_of(report, label)
        if median is not None:
            medians[label] = median
    arrays["present"] = (~np.isnan(report.matrix("num_rel"))).astype("<u1")
    arrays["offsets"] = documents.offsets.astype("<i4")
    arrays["grades"] = smallest(documents.grades)
    arrays["ranks"] = smallest(documents.ranks, ("<u2", "<u4"))
    arrays["docnos"] = as_lines(map(text_of, documents.docnos))
    for label, median in medians.items():
        arrays[f"median:{label}"] = as_shown(median, Format.FLOAT)
    if report.compared.pairs is not None:
        arrays |= _arrays_of_pairs(report.compared.pairs)
    titles = report.texts.titles
    if titles:
        arrays["titles"] = as_lines(text_of(titles.get(docno, "")) for docno in documents.docnos)
    contents, block = packed(arrays)
    document = {
        **_document(report, labels),
        "contents": contents,
        # Whether they are those of --medians, else of the runs.
        "medians": {label: label in report.inputs.medians for label in medians},
    }
    text = json.dumps(document, separators=(",", ":"), allow_nan=False)
    text = text.replace("&", r"\u0026").replace("<", r"\u003c").replace(">", r"\u003e")
    return [
        element("script", raw(text), type="application/json", id="data"),
        element("script", raw(block), type="text/plain", id="block"),
    ]


def _arrays_of_pairs(pairs: PairTable) -> dict[str, AnyArray]:
    """Return the arrays of the tests of any two runs, and of the means of runs with their intervals."""
    return {
        "corrected": np.where(pairs.in_family, pairs.corrected, pairs.p_values).astype("<f8"),
        "firstMeans": pairs.pair_means[0].astype("<f8"),
        "secondMeans": pairs.pair_means[1].astype("<f8"),
        "pairTopics": pairs.topics.astype("<i4"),
        "direction": pairs.direction.astype("<i1"),
        "wins": pairs.wins.astype("<i4"),
        "losses": pairs.losses.astype("<i4"),
        "means": pairs.means.astype("<f8"),
        "lower": pairs.lower.astype("<f8"),
        "upper": pairs.upper.astype("<f8"),
    }


def _document(report: Report, labels: Sequence[str]) -> dict[str, Any]:
    """Return what the script needs besides the arrays, as JSON; labels: of the measures of topics."""
    pairs = report.compared.pairs
    runs = range(len(report.names))
    return {
        "producer": f"pres-eval {__version__}",
        "runs": report.names,
        "fitted": {longest: fitted(report.names, longest) for longest in NAME_LENGTHS},
        "topics": [text_of(topic) for topic in report.topics],
        "measures": [_measure(report, label) for label in labels],
        "board": report.board,
        "summaries": [_summaries(report, run) for run in runs],
        "nmax": report.nmax,
        "qrels": report.shown_path(report.inputs.qrels.path),
        "url": report.texts.document_url,
        "queries": [text_of(report.texts.queries.get(topic, "")) for topic in report.topics],
        "best": report.best_first(report.main),
        "leaders": report.leaders(report.main),
        "base": report.baseline,
        "complete": report.options.complete,
        "weightless": _weightless(report),
        "beyond": report.documents_beyond,
        "topicsDiffer": report.topics_differ(),
        "partial": [int(not report.has_all_topics(run)) for run in runs],
        "pairs": None if pairs is None else _pairs(pairs, has_note=len(report.names) > 1),
    }


def _measure(report: Report, label: str) -> dict[str, Any]:
    """Return what the script needs of a measure."""
    measure = report.column(label).measure
    return {
        "label": label,
        "digits": 0 if measure.format is Format.COUNT else DIGITS,
        "words": measure.description,
        "less": measure.less_is_better,
    }


def _pairs(pairs: PairTable, *, has_note: bool) -> dict[str, Any]:
    """Return what the script needs of the tests of pairs of runs besides the arrays.

    has_note  whether there is a line on the tests for tables in papers
    """
    return {
        "measures": pairs.measures,
        **vars(pairs.settings),
        "over": pairs.over,
        "baseline": pairs.baseline,
        "family": pairs.family,
        "note": pairs_note(pairs) if has_note else "",
        "letters": pairs.letters,
    }


def _weightless(report: Report) -> list[int]:
    """Return the numbers of the topics with a weight of 0, which no test counts."""
    weights = report.inputs.weights
    if weights is None:
        return []
    return [number for number, topic in enumerate(report.topics) if weights.of[topic] == 0]


def _summaries(report: Report, run: int) -> list[float | None]:
    """Return a run's means of the leaderboard's measures; None for what JSON has no number for."""
    means = [report.summary(run, label) for label in report.board]
    return [mean if np.isfinite(mean) else None for mean in means]
