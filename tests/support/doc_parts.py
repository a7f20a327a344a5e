"""The parts of the documentation that the code makes: tables of options, measures, formats, differences."""

from __future__ import annotations

import json
import re
import textwrap
from collections.abc import Callable, Iterable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from support import doc_commands, doc_peers
from support.doc_api import public_names
from support.doc_commands import escaped, table
from support.doc_formulas import typeset
from trec_eval import test_differences

from pres_eval import __version__
from pres_eval.cli.commands import COMMANDS, command_of
from pres_eval.cli.help import DIFFERENCES, EXIT_CODES, FILE_FORMATS, LINES_IN_ALL, option_rows
from pres_eval.errors import INSTALL_EXTRA
from pres_eval.measures import NICKNAMES
from pres_eval.measures.base import Measure
from pres_eval.measures.catalogue import CatalogueEntry, catalogue
from pres_eval.measures.parameters import (
    BetaCutoffs,
    Coefficients,
    Cutoffs,
    Fractions,
    Multiples,
    OptionalCutoffs,
    Pairs,
)
from pres_eval.measures.settings import GainCutoffs, MeasureSettings, Percents
from pres_eval.options import VERSIONS

SPEED = Path(__file__).parents[2] / "docs" / "speed.json"
SCHEMA = Path(__file__).parents[2] / "pres_eval" / "report" / "evaluation.schema.json"


def entries() -> list[CatalogueEntry]:
    """What is known of every measure, family by family."""
    return catalogue(VERSIONS[next(iter(VERSIONS))])


FAMILIES = {
    "counts": "Counts",
    "average-precision": "Average precision (MAP)",
    "precision": "Precision, recall and reciprocal rank",
    "bpref": "Binary preference (bpref)",
    "interpolation": "Interpolated precision",
    "sets": "Measures of the retrieved set",
    "normalized-gain": "Graded average precision (binG, G)",
    "ndcg": "nDCG and DCG",
    "preference": "Preferences between documents",
    "judgement-groups": "Averages over judgement groups",
    "rbp": "RBP and ERR",
    "judged": "Share of judged documents",
    "pres": "PRES and its family",
    "cumulated-gain": "DCG at cutoffs",
    "likeness": "Likeness to an ideal ranking",
    "readers": "Models of readers (C/W/L)",
    "budgets": "PRES with a budget for each topic",
    "document-scores": "Understandability",
    "screening": "Screening (technology-assisted review)",
    "effort": "Effort and recall",
    "reading-cost": "Costs of reading and missing",
    "diversity": "Novelty and diversity",
    "ntcir": "Q-measure and other measures of NTCIR",
    "intents": "Intents with grades (D-measures)",
    "sampled": "Estimates from a sample",
}
"""The titles of the pages of measures, by the names of their files: those of the modules of the families."""


def measures() -> str:
    """Return a table of the families, each with links to its page and measures."""
    rows = (
        (
            f"[{FAMILIES[page]}](measures/{page}.md)",
            ", ".join(f"[`{one.measure.name}`](measures/{place(one.measure)})" for one in members),
        )
        for page, members in families().items()
    )
    return table(("family", "measures"), rows)


def families() -> dict[str, list[CatalogueEntry]]:
    """Return the measures of each page, by its name."""
    found: dict[str, list[CatalogueEntry]] = {}
    for entry in entries():
        found.setdefault(family_page(entry.measure), []).append(entry)
    return found


def family(page: str) -> str:
    """Return a page of measures: its subject, a table, and a section for each measure."""
    members = families()[page]
    rows = (
        (f"[`{entry.measure.name}`](#{anchor(entry.measure)})", entry.measure.description)
        for entry in members
    )
    sections = "\n".join(_section(entry) for entry in members)
    subject = members[0].family + ("" if members[0].family.endswith("?") else ".")
    return f"{subject}\n\n{table(('measure', 'what it is'), rows)}\n{sections}"


def family_page(measure: Measure) -> str:
    """Return the name of the page of a measure, without its ending."""
    return measure.score.__module__.rpartition(".")[2].replace("_", "-")


def place(measure: Measure) -> str:
    """Return the page of a measure and its section there."""
    return f"{family_page(measure)}.md#{anchor(measure)}"


def anchor(measure: Measure) -> str:
    """Return the anchor of a measure's section."""
    return measure.name.lower()


def _section(entry: CatalogueEntry) -> str:
    """A measure: what `pres-eval measures NAME` prints, its formula as it is and the rest as prose."""
    measure = entry.measure
    description, _, rest = measure.text.partition("\nSource:")[0].partition("\n\n")
    fields = _text_fields(rest)
    drawn = fields.pop("Characters", "")
    block = f"```text\n{drawn}\n```\n\n" if drawn else ""
    if formula := fields.pop("Formula", ""):
        block = f"{typeset(measure.name, formula)}\n"
    prose = {label: escaped(" ".join(lines.split())) for label, lines in fields.items()}
    paragraph = f"{prose.pop('')}\n\n" if "" in prose else ""
    more = prose.pop("Parameters", "")
    parameters = ". ".join(filter(None, [_parameters(measure), more[:1].upper() + more[1:]]))
    facts = {
        "Range": prose.pop("Range", ""),
        "Parameters": parameters,
        **prose,
        "Part of": ", ".join(f"`-m {name}`" for name in entry.nicknames),
        "Source": _source(measure),
    }
    lines = "".join(f"- {label}: {words}\n" for label, words in facts.items() if words)
    return f"## {measure.name}\n\n{escaped(' '.join(description.split()))}\n\n{block}{paragraph}{lines}"


LABEL = re.compile(r"(Formula|Characters|Range|Parameter|Notes)s?: *(.*)")
"""How a field of a measure's text begins."""


def _text_fields(text: str) -> dict[str, str]:
    """The fields of a measure's text by their labels, with their lines as they are; "" has the rest."""
    fields: dict[str, list[str]] = {}
    label = ""
    for line in text.splitlines():
        if found := LABEL.match(line):
            label = "Parameters" if found[1] == "Parameter" else found[1]
            fields[label] = [" " * found.start(2) + found[2]]
        else:
            if line[:1].strip():
                label = ""
            fields.setdefault(label, []).append(line)
    return {label: textwrap.dedent("\n".join(lines)).rstrip() for label, lines in fields.items()}


def names_elsewhere() -> str:
    """What tools without a section of their own call the measures, tool by tool."""
    rows = [
        (tool, f"`{name}`", f"[`{entry.measure.name}`](reference/measures/{place(entry.measure)})")
        for entry in entries()
        for name, tool in entry.also
        if tool not in ("ir_measures", "ranx", "pres-eval")
    ]
    tools = list(dict.fromkeys(tool for tool, *_ in rows))
    return table(("tool", "its name", "name here"), sorted(rows, key=lambda row: tools.index(row[0])))


def _parameters(measure: Measure) -> str:
    """What may follow the dot of -m, and what is used where nothing does."""
    kind = measure.parameters
    if not kind.example:
        return ""
    example = f"`{measure.name}.{kind.example}`"
    match kind:
        case Cutoffs(None):
            return f"ranks, {example}; else those of `--nmax`"
        case Cutoffs(tuple(defaults)):
            what, otherwise = "ranks", _numbers(defaults)
        case Fractions(defaults) | Coefficients(defaults):
            what, otherwise = "numbers", _numbers(defaults)
        case BetaCutoffs(betas, tuple(cutoffs)):
            what, otherwise = "β and ranks", f"β {_numbers(betas)} at {_numbers(cutoffs)}"
        case OptionalCutoffs():
            what, otherwise = "ranks", "the whole ranking"
        case Pairs():
            what, otherwise = "key=number", "none"
        case GainCutoffs(_, cutoffs):
            what, otherwise = "ranks and grade=gain", _numbers(cutoffs)
        case Multiples():
            what, otherwise = "aR+b", "1R, 2R and 4R, with 0, 100 and 1000 more"
        case Percents(defaults):
            what, otherwise = "percentages", _numbers(defaults)
        case MeasureSettings(settings, cutoffs):
            what = " and ".join(["ranks"] * bool(cutoffs) + ["key=number"])
            usual = [f"{one.name}={one.default:g}" for one in settings if one.default is not None]
            otherwise = ", ".join([_numbers(cutoffs)] * bool(cutoffs) + usual)
        case _:
            raise AssertionError(f"no words for the parameters of {measure.name}")
    return f"{what}, {example}; else {otherwise}"


def _numbers(values: Iterable[float]) -> str:
    return ", ".join(f"{value:g}" for value in values)


def _source(measure: Measure) -> str:
    """The source that a measure's text ends with; DOIs become links."""
    source = " ".join(measure.text.partition("\nSource:")[2].split())
    assert source, f"{measure.name} names no source"
    return re.sub(r"doi:(10\.[^\s;]*[^\s;.,)])", r"[doi:\1](https://doi.org/\1)", source)


def nicknames() -> str:
    versions = tuple(NICKNAMES)
    rows = []
    for name, members in NICKNAMES[versions[0]].items():
        text = ", ".join(f"`{member}`" for member in members)
        for version in versions[1:]:
            added = [f"`{member}`" for member in NICKNAMES[version].get(name, ()) if member not in members]
            text += f"; with `--compat {version}` also {', '.join(added)}" if added else ""
        rows.append((f"`{name}`", text))
    return table(("nickname", "measures"), rows)


def formats() -> str:
    texts = "\n\n".join((*FILE_FORMATS.values(), LINES_IN_ALL))
    return f"```text\n{texts}\n```\n"


def differences() -> str:
    lines = []
    for number, (text, functions) in enumerate(zip(DIFFERENCES, test_differences.TESTS, strict=True), 1):
        names = ", ".join(f"`{function.__name__}`" for function in functions)
        lines.append(f"{number}. {text} ({names})\n")
    return "".join(lines)


def exit_codes() -> str:
    return table(("code", "meaning"), ((str(code), text) for code, text in EXIT_CODES.items()))


def json_layout() -> str:
    """The fields of --format json, from its schema."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    return table(("field", "type", "what it is"), _fields(schema, schema["$defs"], ""))


def _fields(schema: dict[str, Any], definitions: dict[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
    """A row for each field below a schema; `[]` says that a field is one of a list."""
    for name, field in schema.get("properties", {}).items():
        whole = _resolved(field, definitions)
        where = f"{path}{name}"
        yield f"`{where}`", _type(whole), whole.get("description", "")
        if whole.get("type") == "array":
            yield from _fields(_resolved(whole.get("items", {}), definitions), definitions, f"{where}[].")
        else:
            yield from _fields(whole, definitions, f"{where}.")


def _resolved(field: dict[str, Any], definitions: dict[str, Any]) -> dict[str, Any]:
    """A schema with what it refers to; its own description wins."""
    name = field.get("$ref", "").rpartition("/")[2]
    return {**definitions[name], **field} if name else field


def _type(field: dict[str, Any]) -> str:
    if "const" in field:
        return f"`{json.dumps(field['const'])}`"
    if "enum" in field:
        return ", ".join(f"`{value}`" for value in field["enum"])
    kinds = field["type"] if isinstance(field["type"], list) else [field["type"]]
    return " or ".join(kinds)


OPTIONED = [name for name in COMMANDS if option_rows(command_of(name))]
"""The commands that have options."""


def speed() -> str:
    """The large run with each version that was measured, and its share of the time of other programs."""
    others = ("wc -w", "trec_eval 9.0.8", "pytrec_eval")
    rows = (
        (
            *(str(row[name]) for name in ("version", "measured", "seconds", "megabytes")),
            *(f"{row['seconds'] / row[name]:.2f}" for name in others),
        )
        for row in json.loads(SPEED.read_text(encoding="utf-8"))
    )
    header = ("version", "measured", "seconds", "MB", *(f"/ {name}" for name in others))
    return table(header, rows)


def install_extras() -> str:
    """Return how to install extras, as the message about a missing package shows it."""
    command, *where = INSTALL_EXTRA.format(extra="stats,plot").split("  ")
    return f"`{command}`{''.join(f' {each}' for each in where)}\n"


def citation() -> str:
    """Return the entry for bibliographies of this version."""
    lines = (
        "@software{preseval,",
        "  author  = {{The pres-eval authors}},",
        "  title   = {pres-eval: A trec_eval-compatible evaluator with {PRES}},",
        f"  version = {{{__version__}}},",
        "}",
    )
    return "\n".join(("```text", *lines, "```", ""))


PARTS: dict[str, Callable[[], str]] = {
    "install extras": install_extras,
    "citation": citation,
    "options": doc_commands.options,
    "commands": doc_commands.command_table,
    "shared options": doc_commands.shared_options,
    "measures": measures,
    **{f"measures of {page}": partial(family, page) for page in FAMILIES},
    "trec_eval options": doc_peers.trec_eval_options,
    "trec_eval measures": doc_peers.trec_eval_measures,
    "pytrec_eval names": doc_peers.pytrec_eval_names,
    "ir_measures names": doc_peers.ir_measures_names,
    "ranx names": doc_peers.ranx_names,
    "names elsewhere": names_elsewhere,
    "nicknames": nicknames,
    "formats": formats,
    "json": json_layout,
    "python": public_names,
    "differences": differences,
    "exit codes": exit_codes,
    "history of speed": speed,
    **{f"help of {name}": partial(doc_commands.help_of, name) for name in COMMANDS},
    **{f"options of {name}": partial(doc_commands.options, name) for name in OPTIONED},
}
"""What is between `<!-- NAME -->` and `<!-- /NAME -->`, on one page each."""
