"""pres-eval robustness: how much incomplete judgements change the ranking of runs."""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path

import click

from pres_eval.analysis.correlation import COEFFICIENTS
from pres_eval.analysis.pools import leave_out, pool_depths
from pres_eval.analysis.robustness import (
    REMOVED,
    THINNED,
    Plan,
    f_qrels,
    qrels_lines,
    robustness,
    without,
)
from pres_eval.analysis.sweep import SWEPT_MEASURES, select_at
from pres_eval.cli.analysing import (
    DRAWS,
    RUN_GROUPS,
    SEED,
    RunsOptions,
    groups_of_runs,
    measures_option,
    print_tables,
)
from pres_eval.cli.command_options import CutoffList, WholeRange, argument, command_with, option
from pres_eval.cli.loading import Loaded, load
from pres_eval.cli.output import write_output
from pres_eval.cli.overwriting import NamedFile
from pres_eval.cli.shared import TieOptions
from pres_eval.errors import PresEvalError, UsageError, decimal_comma, number_of
from pres_eval.measures.selection import Selection
from pres_eval.report.layout import Table
from pres_eval.report.robustness_tables import (
    depths_table,
    left_out_table,
    robustness_figure,
    robustness_tables,
    warning_of_few_runs,
)


def read_fractions(context: click.Context, option: click.Parameter, text: str) -> tuple[float, ...]:
    """Return the fractions of --fractions, above 0 and at most 1: ascending, each once."""
    fractions = {number_of(part) for part in text.split(",")}
    if not all(0 < fraction <= 1 for fraction in fractions):
        raise click.BadParameter(
            f"found {text!r}, expected fractions such as 0.2,0.4,0.6,0.8{decimal_comma(text)}"
        )
    return tuple(sorted(fractions))


class RobustnessOptions(TieOptions, RunsOptions):
    """Test how robust measures are to incomplete judgements: do they still rank the runs alike?

    \b
    Example:
      pres-eval robustness qrels.txt run_*.txt --cutoffs 100 --samples 3

    From the qrels f-qrels are made, in which each topic keeps a random fraction f of its relevant documents
    (rounded half up, one at least; with --thin all also of the others, ten at least).  What is taken out is
    in the pool but not judged (-1), which all measures but infAP take for unjudged.  The runs are ranked
    under the f-qrels and under the full ones, and the rankings compared: 0.9 and more means about the same,
    below 0.8 a noticeable change.

    --depths: what if fewer of the first documents of these runs had been judged?  --leave-out: what if a run
    had not been pooled, is the collection fair to a new system?

    Tables for --table: samples, fractions, depths, left_out.
    """  # noqa: D301 - a real \b keeps click from wrapping the example

    runs: tuple[str, ...] = argument(nargs=-1, required=True, metavar="RUN RUN [RUN ...]")
    measures: tuple[str, ...] = measures_option(
        SWEPT_MEASURES, "A measure, at every one of --cutoffs if it takes them", "NAME[.PARAMETERS]"
    )
    fractions: tuple[float, ...] = option(
        "--fractions", callback=read_fractions, default="0.2,0.4,0.6,0.8", show_default=True,
        help="Shares of each topic's relevant documents that stay.",
    )  # fmt: skip
    samples: int = option(
        "--samples", type=DRAWS, default=3, show_default=True, help="f-qrels for each fraction."
    )
    cutoffs: tuple[int, ...] = option(
        "--cutoffs", type=CutoffList(), default="100,1000", show_default=True, metavar="RANKS",
        help="Cutoffs of the measures.",
    )  # fmt: skip
    coefficient: str = option(
        "--coefficient", choices=COEFFICIENTS, default="tau_a", show_default=True,
        help="Coefficient that compares rankings of the runs.",
    )  # fmt: skip
    thin: str = option(
        "--thin", choices=THINNED, default=THINNED[0], show_default=True,
        help="Remove relevant judgements, or the same share of all (Buckley & Voorhees 2004).",
    )  # fmt: skip
    removed: str = option(
        "--removed", choices=REMOVED, default=REMOVED[0], show_default=True,
        help="Replacement of a removed judgement: -1 (in the pool), nothing, or 0.",
    )  # fmt: skip
    depths: tuple[int, ...] = option(
        "--depths", type=CutoffList(), default=(), metavar="RANKS",
        help="Also rank the runs under pools of these depths.",
    )  # fmt: skip
    leave_out: str | None = option(
        "--leave-out", choices=("run", "group"),
        help="Also score each run, or group of runs, without the judgements that it alone contributed.",
    )  # fmt: skip
    groups: tuple[tuple[str, str], ...] = RUN_GROUPS
    pool_depth: int = option(
        "--pool-depth", type=WholeRange(min=1), default=100, show_default=True,
        help="Depth of the pool for --leave-out.",
    )  # fmt: skip
    seed: int = SEED
    write_qrels: str | None = option(
        "--write-qrels", metavar="DIR", help="Keep the f-qrels in DIR: qrels.f20.s1.txt, ..."
    )


@command_with(RobustnessOptions)
def command(options: RobustnessOptions) -> None:
    """Print how measures order runs with fewer judgements."""
    if len(options.runs) < 2:
        raise UsageError("only one run: expected at least two, whose order can change")
    if options.groups and options.leave_out != "group":
        raise UsageError("--group goes with --leave-out group")
    plan = Plan(
        fractions=options.fractions,
        samples=options.samples,
        seed=options.seed,
        coefficient=options.coefficient,
        removed=options.removed,
        thin=options.thin,
    )
    if options.write_qrels:
        options.check_files(_files_of_samples(options.write_qrels, plan))
    selection = select_at(options.measures or SWEPT_MEASURES, options.cutoffs, options.evaluation_options())
    loaded = load(options, options.qrels, options.runs)
    if len(loaded.rankings) < 2:
        raise UsageError("only one run is left: expected at least two, whose order can change")
    if options.write_qrels:
        _write_qrels(loaded, plan, Path(options.write_qrels))
    loop = loaded.loop("scoring f-qrels")
    result = robustness(loaded.qrels(), loaded.rankings, selection, loaded.options, plan, loop)
    tables = robustness_tables(result, len(loaded.names), loaded.topics.text)
    tables += _pool_tables(options, loaded, selection)
    print_tables(
        tables,
        "robustness",
        {**loaded.settings, **vars(plan)},
        options,
        loaded.failures,
        lambda: robustness_figure(result, selection),
        warning_of_few_runs(result),
    )


def _pool_tables(options: RobustnessOptions, loaded: Loaded, selection: Selection) -> Iterator[Table]:
    """Yield the tables that --depths and --leave-out ask for."""
    if options.depths:
        depths = pool_depths(
            loaded.qrels(),
            loaded.rankings,
            selection,
            loaded.options,
            depths=options.depths,
            coefficient=options.coefficient,
            removed=options.removed,
            loop=loaded.loop("scoring pools"),
        )
        yield depths_table(depths, options.depths, options.coefficient)
    if options.leave_out:
        groups = groups_of_runs(options.groups, loaded.names, required=options.leave_out == "group")
        rows = leave_out(
            loaded.qrels(),
            loaded.rankings,
            loaded.names,
            selection,
            loaded.options,
            groups=groups,
            depth=options.pool_depth,
            removed=options.removed,
            loop=loaded.loop("leaving out"),
        )
        yield left_out_table(list(rows), options.pool_depth)


def _files_of_samples(folder: str, plan: Plan) -> list[NamedFile]:
    """Return the files in a folder for the judgements of each sample, those of the first fraction first.

    The third sample of fraction 0.2 is in qrels.f20.s3.txt.
    """
    files = []
    for fraction in plan.fractions:
        for sample in range(1, plan.samples + 1):
            path = str(Path(folder) / f"qrels.f{100 * fraction:g}.s{sample}.txt")
            files.append(NamedFile(name=f"--write-qrels {folder}: {path}", path=path))
    return files


def _write_qrels(loaded: Loaded, plan: Plan, folder: Path) -> None:
    """Write the judgements of each sample into a folder; raise PresEvalError if it cannot be created."""
    try:
        folder.mkdir(parents=True, exist_ok=True)
    except OSError as error:
        raise PresEvalError(f"{folder}: this folder cannot be created: {error.strerror or error}") from error
    qrels = loaded.qrels()
    kept_in_sample = f_qrels(qrels, loaded.options.relevance_level, plan)
    files = _files_of_samples(str(folder), plan)

    def write(number: int) -> None:
        """Write the judgements of the sample of that number."""
        reduced = without(qrels, kept_in_sample(number), plan.removed)
        write_output(files[number].path, qrels_lines(reduced, reduced.kept))

    loop = loaded.loop("writing f-qrels")
    for _ in loop(write, len(files)):
        pass
