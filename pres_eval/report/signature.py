"""One line that says how numbers were made, to stand beside them in a paper."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import fields

from pres_eval import __version__
from pres_eval.measures.parameters import Cutoffs
from pres_eval.measures.selection import SelectedColumn
from pres_eval.options import Options
from pres_eval.report.text import plain_text
from pres_eval.scoring import ScoredRun

MOST_MEASURES = 5
"""Measures up to which a signature names them; of more it has the number alone."""

_NAMED_APART = {"compat", "relevance_level", "complete", "ties"}
"""Options that every signature has under names of its own."""

_SHORT_NAMES = {
    "max_retrieved": "M",
    "num_docs_in_coll": "N",
    "judged_only": "judged-only",
    "only_topic": "topic",
}
"""Names in signatures of the other options, which are there if they are not the default."""


def signature_line(evaluation: ScoredRun, options: Options, others: Mapping[str, str]) -> str:
    """Return the measures, the number of topics, and every option that changes numbers, in one line.

    others  further settings that change numbers, such as files of weights, by the names of their options
    """
    defaults = Options()
    parts = [
        _measures(evaluation),
        f"topics:{evaluation.totals.num_topics}",
        f"level:{options.relevance_level:g}",
        f"complete:{'yes' if options.complete else 'no'}",
        f"ties:{options.ties}",
    ]
    for option in fields(options):
        value = getattr(options, option.name)
        if option.name not in _NAMED_APART and value != getattr(defaults, option.name):
            name = _SHORT_NAMES.get(option.name, option.name.replace("_", "-"))
            parts.append(f"{name}:{plain_text(value, yes='yes', no='no')}")
    parts += [f"{name}:{value}" for name, value in others.items()]
    parts += [f"trec_eval:{options.compat}", f"v:{__version__}"]
    return "|".join(parts)


def signature_lines(names: Sequence[str], signatures: Sequence[str]) -> list[str]:
    """Return the lines that show the signatures of runs: one line where all are the same."""
    if len(set(signatures)) <= 1:
        return [f"signature: {signature}" for signature in signatures[:1]]
    return [f"signature of {name}: {signature}" for name, signature in zip(names, signatures, strict=True)]


def _measures(evaluation: ScoredRun) -> str:
    """Return the measures with a number over all topics, `map+P@10`, or how many: `9 measures`.

    Texts, as of runid, are no numbers.
    """
    columns = zip(evaluation.columns, evaluation.summary, strict=True)
    names = [_name(column) for column, value in columns if isinstance(value, float)]
    return "+".join(names) if len(names) <= MOST_MEASURES else f"{len(names)} measures"


def _name(column: SelectedColumn) -> str:
    """Return a column's name with its cutoff behind @, as ir_measures writes it: `P@10`; else its label."""
    prefix = f"{column.measure.name}_"
    cutoff = column.label.removeprefix(prefix)
    has_cutoff = isinstance(column.measure.parameters, Cutoffs) and cutoff.isdecimal()
    if has_cutoff:
        return f"{column.measure.name}@{cutoff}"
    return column.label
