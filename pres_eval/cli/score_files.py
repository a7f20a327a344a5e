"""The option --scores: scores from CSV instead of judgements and runs."""

from __future__ import annotations

import click

from pres_eval.analysis.paired import PairedScores
from pres_eval.analysis.score_tables import Means, read_score_table
from pres_eval.reading.source import Source

SCORES = click.option(
    "--scores", metavar="FILE",
    help="CSV of scores instead of QRELS and runs: run,topic,MEASURE,..., as --format csv -q writes it.",
)  # fmt: skip


def read_score_file(path: str) -> PairedScores | Means:
    """The scores of a CSV file, with topics if it has them."""
    text = b"".join(chunk.text() for chunk in Source(path).chunks())
    return read_score_table(path, text.decode("utf-8", "backslashreplace"))
