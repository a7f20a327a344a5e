"""pres-eval measures [NAME ...]: the list of measures, or the text of some."""

from __future__ import annotations

import click

from pres_eval.cli.help import measure_text
from pres_eval.measures import MEASURES, NICKNAMES
from pres_eval.measures.selection import named_measures
from pres_eval.options import COMPAT_VERSIONS, VERSIONS


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@click.option(
    "--compat", type=click.Choice(COMPAT_VERSIONS), default=COMPAT_VERSIONS[0], show_default=True,
    help="The trec_eval whose nicknames are meant.",
)  # fmt: skip
def command(names: tuple[str, ...], compat: str) -> None:
    """List the measures with one line each, or print the whole text of those named.

    \b
    Examples:
      pres-eval measures
      pres-eval measures PRES
      pres-eval measures official
    """  # noqa: D301 - click wants the character
    if names:
        measures = named_measures(names, VERSIONS[compat])
        click.echo("\n\n".join(measure_text(measure.name) for measure in measures))
        return
    width = max(len(measure.name) for measure in MEASURES)
    for measure in MEASURES:
        click.echo(f"{measure.name:<{width}}  {measure.description}")
    click.echo()
    for nickname, members in NICKNAMES[compat].items():
        click.echo(f"{nickname + ':':<{width}}  {', '.join(members)}")
