"""pres-eval robustness: how much incomplete judgements change the ranking of runs."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import click
from numpy.typing import NDArray

from pres_eval.analysis.correlation import COEFFICIENTS
from pres_eval.analysis.cutoffs import cutoff_of, select_at
from pres_eval.analysis.robustness import Plan, Robustness, Sampler, qrels_lines, robustness
from pres_eval.analysis.sweep import DEFAULT_MEASURES
from pres_eval.cli.analysing import (
    SEED,
    Loaded,
    analysis_options,
    draw,
    percentage,
    prepare_for_qrels,
    read,
    show,
)
from pres_eval.cli.output import write_output
from pres_eval.cli.shared import CutoffList
from pres_eval.errors import PresEvalError
from pres_eval.measures.selection import Selection
from pres_eval.report.layout import Shown, Table

COEFFICIENT_NAMES = {
    "tau_a": "Kendall τ-a",
    "tau_b": "Kendall τ-b",
    "spearman": "Spearman ρ",
    "tau_ap": "τ_AP",
    "tau_ap_b": "τ_AP,b",
}


def read_fractions(context: click.Context, option: click.Parameter, text: str) -> tuple[float, ...]:
    """Fractions above 0 and up to 1, separated by commas: ascending, each once."""
    try:
        fractions = {float(part) for part in text.split(",")}
    except ValueError:
        fractions = {math.nan}
    if not all(0 < fraction <= 1 for fraction in fractions):
        raise click.BadParameter(f"found {text!r}, expected fractions such as 0.2,0.4,0.6,0.8")
    return tuple(sorted(fractions))


@click.command()
@click.argument("qrels")
@click.argument("runs", nargs=-1, required=True, metavar="RUN RUN [RUN ...]")
@click.option(
    "-m", "--measure", "measures", multiple=True, metavar="NAME[.PARAMETERS]",
    help=f"A measure, at every one of --cutoffs if it takes them (default: {', '.join(DEFAULT_MEASURES)}).",
)  # fmt: skip
@click.option(
    "--fractions",
    callback=read_fractions,
    default="0.2,0.4,0.6,0.8",
    show_default=True,
    help="Of the relevant documents.",
)
@click.option(
    "--samples", type=click.IntRange(min=1), default=3, show_default=True, help="f-qrels for each fraction."
)
@click.option(
    "--cutoffs",
    type=CutoffList(),
    default="100,1000",
    show_default=True,
    metavar="RANKS",
    help="Of the measures.",
)
@click.option(
    "--coefficient", type=click.Choice(tuple(COEFFICIENTS)), default="tau_a", show_default=True,
    help="How rankings of the runs are compared.",
)  # fmt: skip
@SEED
@click.option("--write-qrels", metavar="DIR", help="Keep the f-qrels there: qrels.f20.s1.txt, ...")
@analysis_options
def command(qrels: str, runs: tuple[str, ...], **values: Any) -> None:
    """How robust measures are to incomplete judgements: do they still rank the runs alike?

    \b
    Example:
      pres-eval robustness fixtures/patents/qrels.txt fixtures/patents/run_*.txt --cutoffs 100 --samples 3

    From the qrels f-qrels are made, in which each topic keeps a random fraction f of its relevant documents
    (rounded half up, one at least); all else stays, and what was taken out counts as unjudged.  The runs are
    ranked under the f-qrels and under the full ones, and the rankings compared: 0.9 and more means about the
    same, below 0.8 a noticeable change.

    Tables for --table: samples, fractions.
    """  # noqa: D301 - a real \b keeps click from wrapping the example
    options = prepare_for_qrels(values)
    selection = select_at(values["measures"] or DEFAULT_MEASURES, values["cutoffs"], options.compat)
    loaded = read(qrels, runs, options, values)
    loaded.warn_of_different_topics()
    plan = Plan(values["fractions"], values["samples"], values["seed"], values["coefficient"])
    if values["write_qrels"]:
        _write_qrels(loaded, plan, Path(values["write_qrels"]))
    result = robustness(
        loaded.qrels(), loaded.rankings, selection, options, plan, loaded.each("scoring f-qrels")
    )
    show(_tables(result, loaded), "robustness", {**loaded.settings, **vars(plan)}, values)
    if values["plot"]:
        from pres_eval.report.plots import robustness as picture

        panels = _panels(result, selection)
        draw(picture(plan.fractions, panels, COEFFICIENT_NAMES[plan.coefficient]), values["plot"])


def _write_qrels(loaded: Loaded, plan: Plan, folder: Path) -> None:
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PresEvalError(f"{folder}: cannot be made a folder: {error.strerror or error}") from error
    qrels = loaded.qrels()
    sampler = Sampler(qrels, loaded.options.relevance_level, plan.seed)
    for fraction in plan.fractions:
        for sample in range(plan.samples):
            name = f"qrels.f{100 * fraction:g}.s{sample + 1}.txt"
            write_output(str(folder / name), qrels_lines(qrels, sampler.keep(fraction, sample)))


def _tables(result: Robustness, loaded: Loaded) -> list[Table]:
    plan, labels = result.plan, result.labels
    coefficient = COEFFICIENT_NAMES[plan.coefficient]
    samples, lines = [], []
    for f, fraction in enumerate(plan.fractions):
        for s in range(plan.samples):
            kept, found = int(result.kept[f, s]), result.correlations[f, s].tolist()
            lines.append([percentage(fraction), str(s + 1), str(kept), *(f"{value:.4f}" for value in found)])
            samples += [
                (fraction, s + 1, kept, label, value) for label, value in zip(labels, found, strict=True)
            ]
    about = f"{len(loaded.names)} runs, {result.num_rel} relevant documents, seed {plan.seed}"
    fractions = [
        (fraction, label, float(result.averages[f, m]), float(result.lowest[f, m]))
        for f, fraction in enumerate(plan.fractions)
        for m, label in enumerate(labels)
    ]
    return [
        _by_fraction(
            "averages",
            f"{coefficient} with the full ranking, average of the samples",
            result,
            result.averages,
        ),
        _by_fraction("lowest", f"{coefficient}, lowest of the samples", result, result.lowest),
        Table(
            "samples",
            f"{coefficient} of each sample ({about})",
            ("fraction", "sample", "kept", "measure", plan.coefficient),
            samples,
            shown=Shown(("relevant", "sample", "kept", *labels), lines),
        ),
        Table("fractions", "", ("fraction", "measure", "average", "lowest"), fractions, people=False),
    ]


def _by_fraction(name: str, title: str, result: Robustness, values: NDArray[Any]) -> Table:
    rows = [
        [percentage(fraction), *(f"{value:.4f}" for value in row)]
        for fraction, row in zip(result.plan.fractions, values.tolist(), strict=True)
    ]
    shown = Shown(("relevant", *result.labels), rows)
    return Table(name, title, (), (), shown=shown, programs=False)


def _panels(result: Robustness, selection: Selection) -> dict[str, dict[str, NDArray[Any]]]:
    panels: dict[str, dict[str, NDArray[Any]]] = {}
    for number, column in enumerate(selection):
        cutoff = cutoff_of(column)
        title = "no cutoff" if cutoff is None else f"cutoff {cutoff}"
        name = column.label if cutoff is None else column.measure.name
        panels.setdefault(title, {})[name] = result.correlations[:, :, number]
    return panels
