"""What callers ask for, checked, as the engine's Options."""

from __future__ import annotations

from typing import Any

from pres_eval.errors import UsageError
from pres_eval.options import COMPAT_VERSIONS, Options


def checked_options(**values: Any) -> Options:
    """Options of keyword arguments; raises UsageError for one that makes no sense."""
    options = Options(**values)
    if options.compat not in COMPAT_VERSIONS:
        raise UsageError(f"compat={options.compat!r}: expected one of {', '.join(COMPAT_VERSIONS)}")
    for name in ("relevance_level", "max_retrieved", "num_docs_in_coll"):
        value = getattr(options, name)
        if value is not None and (not isinstance(value, int) or value < 0):
            raise UsageError(f"{name}={value!r}: expected a whole number of at least 0")
    return options
