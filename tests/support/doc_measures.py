"""The pages of measures: what `pres-eval measures NAME` prints, family by family, with formulas as HTML."""

from __future__ import annotations

import re
import textwrap
from collections import Counter
from collections.abc import Iterable
from dataclasses import dataclass

from support.doc_commands import escaped, table
from support.doc_formulas import Letter, letters_of, listed, typeset

from pres_eval.measures import FOR_PARITY
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


@dataclass(frozen=True)
class Page:
    """A page of docs/reference/measures/.

    modules      modules of pres_eval/measures/ that it shows
    in_brief     whether it has only what a measure is: `pres-eval measures NAME` has the rest
    common_note  words that the notes of its measures begin with; `opening` says them once
    opening      first sentence of the page
    """

    title: str
    modules: tuple[str, ...] = ()
    in_brief: bool = False
    common_note: str = ""
    opening: str = ""


PAGES = {
    "precision": Page("Precision, recall and counts", ("precision", "sets", "counts", "judged")),
    "average-precision": Page("Average precision and bpref", ("average_precision", "interpolation", "bpref")),
    "ndcg": Page(
        "nDCG and other gains",
        ("ndcg", "cumulated_gain", "normalized_gain", "likeness", "ntcir"),
        common_note="-l has no effect",
        opening="`-l` has no effect on these measures, except on `accuracy`.",
    ),
    "readers": Page("RBP, ERR and models of readers", ("rbp", "readers")),
    "pres": Page("PRES and its family", ("pres", "budgets")),
    "screening": Page("Screening, effort and cost", ("screening", "effort", "asreview", "reading_cost")),
    "diversity": Page(
        "Diversity and intents",
        ("diversity", "intents"),
        common_note="-l sets what is relevant",
        opening="All need judgements of subtopics (`-R subtopics`); `-l` sets what is relevant.",
    ),
    "sampled": Page(
        "Estimates from a sample",
        ("sampled",),
        common_note="-R strata",
        opening="All need judgements of a sample drawn within strata (`-R strata`).",
    ),
    "parity": Page(
        "Rarely used measures", ("preference", "judgement_groups", "document_scores"), in_brief=True
    ),
}
"""The pages by the names of their files.  A new module is added to one of them."""

RARELY_USED = FOR_PARITY | {
    *("Rprec_mult", "relative_P", "utility", "set_relative_P", "set_map", "num_nonrel_judged_ret"),
    *("gm_bpref", "yaap", "dcg", "ideal_dcg", "binG", "G", "ndcg_rel", "Rndcg", "rbp_resid"),
    *("ncg", "o_measure", "irbu", "bpm", "insq", "D_Q", "Dsharp_Q", "norm_last_rel", "loss_e", "loss_er"),
    *("erf_asreview", "tnr_asreview", "recall_asreview"),
}
"""Measures of the page that has only what each is."""


def entries() -> list[CatalogueEntry]:
    """Return what is known of every measure, family by family."""
    return catalogue(VERSIONS[next(iter(VERSIONS))])


def module_of(measure: Measure) -> str:
    """Return the name of the module that computes a measure."""
    return measure.score.__module__.rpartition(".")[2]


def page_name(measure: Measure) -> str:
    """Return the name of the page of a measure, without its ending."""
    if measure.name in RARELY_USED:
        return "parity"
    for name, page in PAGES.items():
        if module_of(measure) in page.modules:
            return name
    file = f"pres_eval/measures/{module_of(measure)}.py"
    raise LookupError(f"{file}: on no page; add the module to PAGES in tests/support/doc_measures.py")


def place(measure: Measure) -> str:
    """Return the page of a measure and its section there."""
    return f"{page_name(measure)}.md#{anchor(measure)}"


def anchor(measure: Measure) -> str:
    """Return the anchor of a measure's section."""
    return measure.name.lower()


def members_of(page: str) -> list[CatalogueEntry]:
    """Return the measures of a page, module by module in the order of PAGES."""
    members = [entry for entry in entries() if page_name(entry.measure) == page]
    modules = list(PAGES[page].modules)
    modules += [module for module in map(module_of_entry, members) if module not in modules]
    return sorted(members, key=lambda entry: modules.index(module_of_entry(entry)))


def module_of_entry(entry: CatalogueEntry) -> str:
    """Return the name of the module that computes an entry's measure."""
    return module_of(entry.measure)


def overview() -> str:
    """Return a table of the pages, each with links to its measures."""
    rows = (
        (
            f"[{page.title}](measures/{name}.md)",
            ", ".join(
                f"[`{entry.measure.name}`](measures/{place(entry.measure)})" for entry in members_of(name)
            ),
        )
        for name, page in PAGES.items()
    )
    return table(("page", "measures"), rows)


def page_of_measures(page: str) -> str:
    """Return a page of measures: the letters of several formulas, and each measure."""
    members = members_of(page)
    settings = PAGES[page]
    if settings.in_brief:
        sections = "\n".join(_brief_section(entry) for entry in members)
        return f"`pres-eval measures NAME` prints formula, range, notes and source of each.\n\n{sections}"
    letters = common_letters(page)
    parts = [f"{settings.opening}\n"] if settings.opening else []
    if letters:
        parts.append(f"Common letters:\n\n{listed(letters)}")
    parts += [_section(entry, letters, settings.common_note) for entry in members]
    return "\n".join(parts)


def common_letters(page: str) -> list[Letter]:
    """Return the letters that several formulas of a page explain, each in the words that most of them use.

    A formula that uses other words keeps them in its section.
    """
    formulas = (formula_of(entry.measure) for entry in members_of(page))
    counts = Counter(letter for formula in formulas if formula for letter in letters_of(formula))
    usual: dict[str, Letter] = {}
    for letter, count in counts.most_common():
        if count > 1:
            usual.setdefault(letter[0], letter)
    return list(usual.values())


def formula_of(measure: Measure) -> str:
    """Return the formula of a measure with its letters, as its text has it; "" if it has none."""
    return _fields_of(measure).get("Formula", "")


def _fields_of(measure: Measure) -> dict[str, str]:
    _, _, rest = measure.text.partition("\nSource:")[0].partition("\n\n")
    return _text_fields(rest)


def _brief_section(entry: CatalogueEntry) -> str:
    """Return a measure's section that says only what it is."""
    return f"## {entry.measure.name}\n\n{escaped(' '.join(entry.measure.description.split()))}\n"


def _section(entry: CatalogueEntry, known: list[Letter], common_note: str) -> str:
    """Return a measure's section, without the letters and the note that the top of the page has."""
    measure = entry.measure
    description = measure.text.partition("\nSource:")[0].partition("\n\n")[0]
    fields = _fields_of(measure)
    drawn = fields.pop("Characters", "")
    block = f"```text\n{drawn}\n```\n\n" if drawn else ""
    if formula := fields.pop("Formula", ""):
        block = f"{typeset(measure.name, formula, known)}\n"
    prose = {label: escaped(" ".join(lines.split())) for label, lines in fields.items()}
    if "Notes" in prose and common_note:
        prose["Notes"] = prose["Notes"].removeprefix(common_note).lstrip(".; ")
    paragraph = f"{prose.pop('')}\n\n" if "" in prose else ""
    more = PARAMETERS_SHOWN.sub("", PARAMETER_EXAMPLE.sub("", prose.pop("Parameters", "")))
    parameters = ". ".join(filter(None, [_parameters(measure), more[:1].upper() + more[1:]]))
    facts = {
        "Range": prose.pop("Range", ""),
        "Parameters": parameters,
        **prose,
        "Source": _source(measure),
    }
    lines = "".join(f"- {label}: {words}\n" for label, words in facts.items() if words)
    return f"## {measure.name}\n\n{escaped(' '.join(description.split()))}\n\n{block}{paragraph}{lines}"


PARAMETER_EXAMPLE = re.compile(r", as in -m \w+\.[^\s;]*[^\s;.,](?=;|\.?$|\. )")
"""An example of parameters within their text: the page shows one before it."""
PARAMETERS_SHOWN = re.compile(
    r"^(?:x|x in percent|the cutoffs|a and b|ranks and gains|-m \w+\.[^\s;]*[^\s;.])(?:; |\.(?: |$))"
)
"""Names of parameters, or an example, that the page shows before the text."""
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
            return f"ranks; else {_numbers(defaults)}"
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


USUAL_RANKS = (5, 10, 15, 20, 30, 100, 200, 500, 1000)
"""trec_eval's cutoffs, which many measures have and the overview lists."""


def _numbers(values: Iterable[float]) -> str:
    if tuple(values) == USUAL_RANKS:
        return "[trec_eval's ranks](../measures.md#families)"
    return ", ".join(f"{value:g}" for value in values)


TITLE = re.compile(r'"[^"]*", ')
"""The title of a paper, which the help has: authors, venue and DOI are enough to find it."""
NOT_IN_TREC_EVAL = re.compile(r"[;.] trec_eval: none\.")
"""Words of a source that the overview of measures explains once."""
NAME_IN_IR_MEASURES = re.compile(r" ir_measures' \S+\.$")
"""The end of a source that the page on other tools has."""
VOLUME = re.compile(r" \d+(?:\([^)]*\))?, (?=\d{4},)")
"""The volume of a journal, which its DOI has."""
PAPER = re.compile(r"([^\s;,\[\]](?:(?!doi:)[^;\[\]])*), doi:(10\.[^\s;]*[^\s;.,)])")
"""A paper with its DOI."""
THREE_AUTHORS = re.compile(r"([A-Z][\w-]+)(?:, [A-Z][\w-]+)+ & [A-Z][\w-]+(?=, )")
"""The names of three authors or more."""


def _source(measure: Measure) -> str:
    """The source that a measure's text ends with, "" for trec_eval alone; papers are linked by their DOIs."""
    source = " ".join(measure.text.partition("\nSource:")[2].split())
    assert source, f"{measure.name} names no source"
    source = NAME_IN_IR_MEASURES.sub("", NOT_IN_TREC_EVAL.sub(".", TITLE.sub("", source)))
    if source == "trec_eval.":
        return ""
    source = THREE_AUTHORS.sub(r"\1 et al.", source)
    return PAPER.sub(r"[\1](https://doi.org/\2)", VOLUME.sub(" ", source))
