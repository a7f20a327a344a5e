"""Columns and words that programs name: what --columns and --grades are for the command."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import AbstractContextManager, nullcontext

from pres_eval.errors import UsageError
from pres_eval.reading.headings import NO_NAMING, Naming, naming_of
from pres_eval.reading.naming import using

_NOTHING_NAMED = nullcontext()


def reading(naming: Naming) -> AbstractContextManager[None]:
    """Return a context manager inside which files and data are read with these names of columns and grades.

    If nothing is named, all calls share one that does nothing: small calls would notice a new one each time.
    """
    if naming is NO_NAMING:
        return _NOTHING_NAMED
    return using(naming)


def naming_of_arguments(columns: Mapping[str, str] | None, grades: Mapping[str, float] | None) -> Naming:
    """Return the names in columns= and grades=; raise UsageError for arguments that are no dicts of names."""
    if columns is None and grades is None:
        return NO_NAMING
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
