"""The tables of "Coming from other tools": every name and option of each tool, with what it is here.

The names are those of the tools installed in the tests' environment, and for ranx those of a stored list.
What pres-eval makes of a name is asked of pres-eval, so a table cannot promise what the program does not do.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import pytrec_eval
from ir_measures.measures import registry
from support import ranx_metrics
from support.doc_commands import table
from support.doc_measures import place

from pres_eval.errors import PresEvalError
from pres_eval.measures import NICKNAMES, measure_of
from pres_eval.measures.selection import Selection, select
from pres_eval.options import VERSIONS, RelevanceInfo

SAME = "the same"
TREC_EVAL_OPTIONS = (
    (
        "-h",
        "--help",
        "a short help (`--help-all` has all); with `-m` the texts of measures, with `-R FORMAT` the format",
    ),
    (
        "-v",
        "--version",
        "prints pres-eval's version, and those of trec_eval whose output it prints",
    ),
    ("-q", "--query_eval_wanted", SAME),
    ("-m", "--measure", "the same; also several names in one text, and other tools' names"),
    ("-c", "--complete_rel_info_wanted", SAME),
    ("-n", "--nosummary", SAME),
    ("-l", "--level_for_rel", "the same; a decimal number with `-R qrels_float`"),
    ("-D", "--Debug_level", "`-D 0.TOPIC` evaluates one topic; the debugging text is not printed"),
    ("-N", "--Number_docs_in_coll", SAME),
    ("-M", "--Max_retrieved_per_topic", SAME),
    ("-J", "--Judged_docs_only", SAME),
    ("-R", "--Rel_info_format", "trec_eval's formats, and [more](reference/formats.md)"),
    ("-T", "--Results_format", "`trec_results`, and [more](reference/formats.md)"),
    ("-Z", "--Zscore", SAME),
    ("-o", "--Output_old_results_format", "has no effect"),
)
"""Every option of trec_eval, short and long, with what it does here."""

RANX_ELSE = {"rbp.95": "rbp.p=0.95"}
"""What to write instead of the names that pres-eval does not take."""

NOT_TAKEN = {("SDCG", "dcg"), ("SetRelP", "relative")}
"""Settings of ir_measures' measures that have one value alone.  Measures of subtopics take no judged_only."""

EXAMPLES: dict[str, object] = {
    "cutoff": 10, "rel": 2, "judged_only": True, "recall": 0.1, "max_rel": 4, "min_rel": 0, "T": 2.0,
    "p": 0.9, "alpha": 0.5, "beta": 0.5, "dcg": "'log2'", "gains": "{1:2}",
    "normalize": False, "relative": True,
}  # fmt: skip
"""A value for each setting of ir_measures' measures."""


def _link(name: str) -> str:
    return f"[`{name}`](reference/measures/{place(measure_of(name))})"


def found(text: str) -> Selection | None:
    """What `-m text` chooses, with the judgements that it needs; None where it is refused."""
    for relevance in RelevanceInfo:
        try:
            return select((text,), relevance=relevance)
        except PresEvalError:
            continue
    return None


def trec_eval_options() -> str:
    """Option by option; those that are the same in one sentence."""
    same = ", ".join(f"`{short}`" for short, _, words in TREC_EVAL_OPTIONS if words == SAME)
    rows = ((f"`{short}`", words) for short, _, words in TREC_EVAL_OPTIONS if words != SAME)
    return f"The same, with the same long forms: {same}.\n\n{table(('option', 'here'), rows)}"


def trec_eval_measures() -> str:
    """How many names are the same, and which."""
    first, second = VERSIONS
    names = measures_of(first)
    added = sorted(measures_of(second) - names)
    return (
        f"All {len(names)} measures of {first} keep their names, parameters and printed lines, those of"
        " `-m all_trec`, `-m all_prefs` and `-m qrels_jg`. `--compat"
        f" {second}` adds {', '.join(f'`{name}`' for name in added)} to `all_trec`.\n"
    )


def measures_of(version: str) -> set[str]:
    """All measures of a version."""
    nicknames = NICKNAMES[version]
    return {name for nickname in ("all_trec", "all_prefs", "qrels_jg") for name in nicknames[nickname]}


def pytrec_eval_names() -> str:
    """How many names are the same; a test tries each."""
    measures, nicknames = pytrec_eval.supported_measures, pytrec_eval.supported_nicknames
    return (
        f"All {len(measures)} names of `pytrec_eval.supported_measures` and the {len(nicknames)} of"
        " `supported_nicknames` are taken, with the same parameters (`ndcg_cut.5,10`), and the keys of the"
        " results are the same.\n"
    )


def ir_measures_names() -> str:
    """Measure by measure, after the settings that are not understood; synonyms share a row.

    Names that differ in their letters' case alone have no row.
    """
    rows = []
    same = []
    for names, measure in _synonyms():
        settings = list(measure.SUPPORTED_PARAMS)
        needed = [name for name in settings if measure.SUPPORTED_PARAMS[name].required]
        example = _written(names[0], needed)
        selection = found(example)
        assert selection is not None, example
        left = {(names[0], name) for name in settings if not _is_taken(names[0], name, needed)}
        diverse = selection[0].measure.relevance is RelevanceInfo.SUBTOPICS
        assert left <= NOT_TAKEN | ({(names[0], "judged_only")} if diverse else set()), left
        measure_name = selection[0].measure.name
        if all(name.lower() == measure_name.lower() for name in names):
            same += [f"`{name}`" for name in names]
        else:
            rows.append((", ".join(f"`{name}`" for name in names), _link(measure_name)))
    refused = ", ".join(f"`{setting}` of `{measure}`" for measure, setting in sorted(NOT_TAKEN))
    return (
        f"Their settings are taken, but for {refused}, which have one value alone, and `judged_only` of"
        f" measures of subtopics. The same name, some in other letters: {', '.join(same)}.\n\n"
        f"{table(('ir_measures', 'measure here'), rows)}"
    )


def _is_taken(measure: str, setting: str, needed: Sequence[str]) -> bool:
    """Whether a setting of a measure is understood, alone or with a level."""
    return any(found(_written(measure, [*needed, setting, *more])) is not None for more in ([], ["rel"]))


def _synonyms() -> Iterator[tuple[list[str], Any]]:
    """The measures of ir_measures with all their names, without those that pres_eval.ir_measures adds."""
    seen: dict[int, list[str]] = {}
    for name, measure in registry.items():
        if type(measure).__module__.startswith("pres_eval."):
            continue
        seen.setdefault(id(measure), []).append(name)
    for names in seen.values():
        yield names, registry[names[0]]


def _written(name: str, settings: Sequence[str]) -> str:
    """The measure with those settings, as ir_measures writes it."""
    at = {"IPrec": "recall"}.get(name, "cutoff")
    inner = ", ".join(f"{key}={EXAMPLES[key]}" for key in dict.fromkeys(settings) if key != at)
    text = f"{name}({inner})" if inner else name
    return f"{text}@{EXAMPLES[at]}" if at in settings else text


def ranx_names() -> str:
    """Metric by metric."""
    rows = []
    for name in ranx_metrics.stored():
        written = RANX_ELSE.get(name, name)
        selection = found(written)
        assert selection is not None, written
        label = f"[`{selection[0].label}`](reference/measures/{place(selection[0].measure)})"
        rows.append((f"`{name}`", label + (f", by `-m {written}`" if written != name else "")))
    return table(("ranx", "here"), rows)
