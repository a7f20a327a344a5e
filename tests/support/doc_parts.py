"""The parts of the documentation that the code makes: tables of options, measures, formats, differences."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator
from functools import partial
from pathlib import Path
from typing import Any

from support import doc_commands, doc_measures, doc_peers
from support.doc_api import public_names
from support.doc_commands import table
from support.doc_measures import entries, place
from trec_eval import test_differences

from pres_eval import __version__
from pres_eval.cli.commands import COMMANDS, command_of
from pres_eval.cli.help import DIFFERENCES, EXIT_CODES, FILE_FORMATS, LINES_IN_ALL, option_rows
from pres_eval.errors import INSTALL_EXTRA
from pres_eval.measures import NICKNAMES

SPEED = Path(__file__).parents[2] / "docs" / "speed.json"
SCHEMA = Path(__file__).parents[2] / "pres_eval" / "report" / "evaluation.schema.json"


def names_elsewhere() -> str:
    """What tools without a section of their own call the measures, tool by tool."""
    names: dict[str, list[str]] = {}
    for entry in entries():
        for name, tool in entry.also:
            if tool not in ("ir_measures", "ranx", "pres-eval"):
                link = f"[`{entry.measure.name}`](reference/measures/{place(entry.measure)})"
                names.setdefault(tool, []).append(f"`{name}` is {link}")
    return "".join(f"- {tool}: {', '.join(here)}\n" for tool, here in names.items())


def nicknames() -> str:
    """The nicknames; one that has all measures of others names these."""
    versions = tuple(NICKNAMES)
    first = NICKNAMES[versions[0]]
    rows = []
    for name, members in first.items():
        contained = [other for other in ("official", "set", "prefs") if set(first[other]) < set(members)]
        listed = {member for other in contained for member in first[other]}
        names = [f"those of `{other}`" for other in contained]
        text = ", ".join([*names, *(f"`{member}`" for member in members if member not in listed)])
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


DETAILS_OF_JSON = frozenset(
    f"{path}."
    for path in (
        *("signature.options", "signature.rules", "signature.judgements"),
        *("runs[].file", "runs[].totals", "runs[].no_answers", "runs[].columns[]"),
    )
)
"""Fields whose own fields only the schema explains."""
RARE_IN_JSON = frozenset(
    (
        *("signature.rules", "signature.judgements", "runs[].dropped", "runs[].mapped", "runs[].excluded"),
        *("runs[].header", "runs[].no_answers"),
    )
)
"""Fields that only some options or files lead to: the schema has them."""


def json_layout() -> str:
    """The fields of --format json that its schema describes; the same words stand once."""
    schema = json.loads(SCHEMA.read_text(encoding="utf-8"))
    described: set[str] = set()
    lines = []
    for name, kind, description in _fields(schema, schema["$defs"], ""):
        if not description or name.strip("`") in RARE_IN_JSON:
            continue
        lines.append(f"- {name} ({kind}): {'as above.' if description in described else description}\n")
        described.add(description)
    return "".join(lines)


def _fields(schema: dict[str, Any], definitions: dict[str, Any], path: str) -> Iterator[tuple[str, str, str]]:
    """A row for each field below a schema, but for details; `[]` says that a field is one of a list."""
    if path in DETAILS_OF_JSON:
        return
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
    """The large run with the first and the last versions, and its share of the time of other programs."""
    others = ("wc -w", "trec_eval 9.0.8", "pytrec_eval")
    first, *later = json.loads(SPEED.read_text(encoding="utf-8"))
    rows = (
        (
            *(str(row[name]) for name in ("version", "measured", "seconds", "megabytes")),
            *(f"{row['seconds'] / row[name]:.2f}" for name in others),
        )
        for row in (first, *later[-3:])
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
    "measures": doc_measures.overview,
    **{f"measures of {page}": partial(doc_measures.page_of_measures, page) for page in doc_measures.PAGES},
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
