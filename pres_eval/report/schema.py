"""The JSON Schema of what `--format json` writes."""

from __future__ import annotations

import json
from importlib import resources
from typing import Any

SCHEMA_FILE = "evaluation.schema.json"


def schema_text() -> str:
    """The JSON Schema (draft 2020-12) of an evaluation, as the package has it."""
    return resources.files("pres_eval.report").joinpath(SCHEMA_FILE).read_text(encoding="utf-8")


def evaluation_schema() -> dict[str, Any]:
    """The same, read."""
    schema: dict[str, Any] = json.loads(schema_text())
    return schema
