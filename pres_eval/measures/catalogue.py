"""The catalogue: measures in their families, with the names that other tools give them."""

from __future__ import annotations

import itertools
import sys
from collections.abc import Iterable
from contextlib import suppress
from dataclasses import dataclass
from typing import Any

from pres_eval.errors import MeasureError
from pres_eval.measures import FOR_PARITY, MEASURES, NICKNAMES
from pres_eval.measures.base import Measure
from pres_eval.measures.docstrings import docstring_of
from pres_eval.measures.notation import NOTATIONS, NotationSettings
from pres_eval.options import Version


@dataclass(frozen=True, kw_only=True)
class CatalogueEntry:
    """A measure as the catalogue shows it.

    family      the subject of its module
    for_parity  whether it is there for the numbers of another tool
    nicknames   names for several measures, this one among them, such as "official"
    also        names in other tools: ("P@10", "ir_measures")
    """

    measure: Measure
    family: str
    for_parity: bool
    nicknames: tuple[str, ...]
    also: tuple[tuple[str, str], ...]

    def matches(self, words: Iterable[str]) -> bool:
        """Return whether each word is in the name, the description, or a name of another tool."""
        names = [name for name, _ in self.also]
        searched = " ".join([self.measure.name, self.measure.description, *names]).casefold()
        return all(word.casefold() in searched for word in words)

    def as_record(self) -> dict[str, Any]:
        """Return the entry for JSON."""
        measure = self.measure
        example = None
        if measure.parameters.example:
            example = f"{measure.name}.{measure.parameters.example}"
        return {
            "name": measure.name,
            "family": self.family,
            "for_parity": self.for_parity,
            "description": measure.description,
            "example": example,
            "nicknames": list(self.nicknames),
            "also": [{"name": name, "tool": tool} for name, tool in self.also],
            "in_trec_eval": not measure.ours,
            "uses_level": measure.uses_level,
            "less_is_better": measure.less_is_better,
            "needs": measure.relevance.value,  # the format of judgements: "-R qrels"
            "text": measure.text,
        }


def catalogue(version: Version) -> list[CatalogueEntry]:
    """Return all measures, family by family, in print order inside each."""
    names_in_tools = _names_in_tools()
    nicknames = NICKNAMES[version.name]
    entries = []
    for measure in MEASURES:
        docstring_of_module = docstring_of(sys.modules[measure.score.__module__])
        other_names = names_in_tools.get(measure.name, {}).values()
        entry = CatalogueEntry(
            measure=measure,
            family=docstring_of_module.partition("\n")[0].rstrip("."),
            for_parity=measure.name in FOR_PARITY,
            nicknames=tuple(name for name, members in nicknames.items() if measure.name in members),
            also=tuple((name, tool) for name, tool in other_names if name != measure.name),
        )
        entries.append(entry)
    families = list(dict.fromkeys(entry.family for entry in entries))
    return sorted(entries, key=lambda entry: families.index(entry.family))


def _names_in_tools() -> dict[str, dict[str, tuple[str, str]]]:
    """Return by measure, and by name in another tool, the form of the name for this measure and the tool.

    {"map": {"AP": ("AP", "ir_measures")}, "map_cut": {"AP": ("AP@10", "ir_measures")}, …}
    """
    names_by_measure: dict[str, dict[str, tuple[str, str]]] = {}
    for notation in NOTATIONS:
        for name, cutoff in itertools.product(notation.names, (None, "10")):
            with suppress(MeasureError):  # a notation may need a cutoff, or take none
                measure_name = notation.text(NotationSettings(), cutoff).partition(".")[0]
                form = f"{name}@{cutoff}" if cutoff else name
                names = names_by_measure.setdefault(measure_name, {})
                names.setdefault(name, (form, notation.tool))  # without cutoff if that names it, too
    return names_by_measure
