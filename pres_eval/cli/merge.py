"""pres-eval merge: one file of judgements from those of several assessors."""

from __future__ import annotations

import click
import numpy as np

from pres_eval.analysis.judging import Assessments, side_by_side
from pres_eval.analysis.merging import RULES, disputed, merged_grades
from pres_eval.analysis.topics import plural
from pres_eval.arrays.types import AnyInts, FloatArray
from pres_eval.cli.output import write_output
from pres_eval.cli.reader import Reader, check_paths
from pres_eval.cli.shared import QUIET
from pres_eval.cli.streams import say
from pres_eval.errors import UsageError
from pres_eval.report.converted import judged_lines
from pres_eval.report.shown_runs import guarded
from pres_eval.report.text import text_of


@click.command()
@click.argument("files", nargs=-1, required=True, metavar="QRELS QRELS [QRELS ...]")
@click.option(
    "--rule", type=click.Choice(RULES), default=RULES[0], show_default=True,
    help="The grade of a document: what most gave, and the highest of several such; that of the first file"
    " that has it; the highest; the mean, for -R qrels_float.",
)  # fmt: skip
@click.option(
    "--disagreements", metavar="FILE",
    help="Also write the documents with different grades: topic, docno, each file's grade, the merged one.",
)  # fmt: skip
@click.option("--output", metavar="FILE", help="Write to FILE, whole or not at all.")
@QUIET
def command(
    files: tuple[str, ...], rule: str, disagreements: str | None, output: str | None, quiet: bool
) -> None:
    """Merge the judgements of several assessors into one file.

    \b
    Example:
      pres-eval merge alice.txt bob.txt carol.txt --disagreements disputed.tsv

    All topics and documents of all files are kept.  A negative grade says that nobody judged the document: it
    counts only where no file has another.  Several judgements in one file are an error: give each assessor a
    file.  `pres-eval judges` says how far assessors agree.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    if len(files) < 2:
        raise UsageError("only one file: expected at least two to merge")
    check_paths(files[0], files[1:])
    judged = side_by_side([Reader("qrels", quiet=True).qrels(path) for path in files], common=False)
    grades, differ = merged_grades(judged, rule), disputed(judged)
    write_output(output, judged_lines(judged.pool, grades))
    if disagreements is not None:
        write_output(disagreements, _table(judged, grades, np.flatnonzero(differ)))
    if not quiet:
        several = np.count_nonzero(judged.judged.sum(axis=0) > 1)
        say(
            f"pres-eval: note: {plural(len(grades), 'document')} of {plural(len(judged.pool.topics))};"
            f" {several:,} judged by several, {np.count_nonzero(differ):,} of them with different grades"
        )


def _table(judged: Assessments, grades: AnyInts | FloatArray, rows: AnyInts) -> str:
    """Return the documents of these rows with all grades, tab-separated; nothing where nobody judged."""
    lines = ["\t".join(("topic", "docno", *map(guarded, map(text_of, judged.names)), "merged"))]
    for row in rows.tolist():
        topic = judged.pool.topics[int(judged.pool.topic_of[row])]
        own = [
            str(grade) if there else ""
            for grade, there in zip(judged.grades[:, row], judged.judged[:, row], strict=True)
        ]
        ids = (guarded(text_of(topic)), guarded(text_of(judged.pool.documents[row])))
        lines.append("\t".join((*ids, *own, str(grades[row]))))
    return "\n".join(lines) + "\n"
