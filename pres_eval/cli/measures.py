"""pres-eval measures [NAME ...]: the measures in their families, the text of some, or a search."""

from __future__ import annotations

import json
from collections.abc import Sequence

import click

from pres_eval.cli.command_options import Choice
from pres_eval.cli.help import measure_text
from pres_eval.cli.wrapping import definitions, prose
from pres_eval.errors import MeasureError
from pres_eval.measures import NICKNAMES
from pres_eval.measures.catalogue import CatalogueEntry, catalogue
from pres_eval.measures.selection import named_measures
from pres_eval.options import COMPAT_VERSIONS, VERSIONS

PARITY_HEADING = "For parity with other tools: rarely used, and last here for that"
"""Heading of the measures that exist for comparing with the numbers of another tool."""


@click.command()
@click.argument("names", nargs=-1, metavar="[NAME ...]")
@click.option(
    "--compat", type=Choice(COMPAT_VERSIONS), default=COMPAT_VERSIONS[0], show_default=True,
    help="Use the nicknames of this trec_eval.",
)  # fmt: skip
@click.option(
    "--format", "output_format", type=Choice(("text", "json")), default="text", show_default=True,
    help="Text for people, or JSON with all facts about each measure.",
)  # fmt: skip
def command(names: tuple[str, ...], compat: str, output_format: str) -> None:
    """List the measures, print the whole text of those named, or search for a word.

    \b
    Examples:
      pres-eval measures
      pres-eval measures PRES
      pres-eval measures reader
      pres-eval measures --format json
    """  # noqa: D301 - click wants the character
    entries = catalogue(VERSIONS[compat])
    chosen, were_named = _chosen(names, entries, compat)
    if output_format == "json":
        click.echo(json.dumps([entry.as_record() for entry in chosen], indent=2, ensure_ascii=False))
    elif were_named:
        click.echo("\n\n".join(measure_text(entry.measure) for entry in chosen))
        related = [entry for entry in entries if entry.matches(names) and entry not in chosen]
        if related:
            names_of_related = ", ".join(entry.measure.name for entry in related)
            click.echo("\n" + prose(f"See also: {names_of_related}", 0, 2))
    else:
        click.echo(_families_text(chosen))
        if not names:
            rows = [(f"{name}:", ", ".join(members)) for name, members in NICKNAMES[compat].items()]
            click.echo("\nNicknames\n" + definitions(rows))


def _families_text(entries: Sequence[CatalogueEntry]) -> str:
    """Return the list of measures by family, with descriptions and, in brackets, other names."""
    families: dict[str, list[tuple[str, str]]] = {}
    for entry in sorted(entries, key=lambda entry: entry.for_parity):
        text = entry.measure.description
        other_names = ", ".join(dict.fromkeys(name for name, _ in entry.also))
        if other_names:
            text += f" [{other_names}]"
        heading = PARITY_HEADING if entry.for_parity else entry.family
        families.setdefault(heading, []).append((entry.measure.name, text))
    return "\n\n".join(f"{prose(heading)}\n{definitions(rows)}" for heading, rows in families.items())


def _chosen(
    names: tuple[str, ...], entries: list[CatalogueEntry], compat: str
) -> tuple[list[CatalogueEntry], bool]:
    """Return the entries that `names` choose, and whether they are names of measures.

    Without names, all entries are returned; for words that are not all names of measures, the entries in
    which they are found.  Raises MeasureError if they are found in none.
    """
    if not names:
        return entries, False
    try:
        measures = named_measures(names, VERSIONS[compat])
    except MeasureError:
        matches = [entry for entry in entries if entry.matches(names)]
        if not matches:
            raise
        return matches, False
    # An entry is found by the object itself; a measure without one, such as a user's, is left out.
    entry_of_measure = {id(entry.measure): entry for entry in entries}
    return [entry_of_measure[id(measure)] for measure in measures if id(measure) in entry_of_measure], True
