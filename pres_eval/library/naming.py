"""Columns and words that programs name: what --columns and --grades are for the command."""

from __future__ import annotations

from collections.abc import Mapping

from pres_eval.errors import UsageError
from pres_eval.reading.headings import Naming, naming_of


def naming_of_arguments(columns: Mapping[str, str] | None, grades: Mapping[str, float] | None) -> Naming:
    """Return the names in columns= and grades=; raise UsageError for arguments that are no dicts of names."""
    for name, value in (("columns", columns), ("grades", grades)):
        if value is not None and not isinstance(value, Mapping):
            raise UsageError(f"{name}={value!r}: expected a dict")
    headings = [f"{kind}={heading}" for kind, heading in (columns or {}).items()]
    words = [f"{word}={grade!r}" for word, grade in (grades or {}).items()]
    try:
        return naming_of(headings, words)
    except UsageError as error:
        text = str(error).replace("--columns ", "columns: ").replace("--grades ", "grades: ")
        raise UsageError(text) from None
