"""Evaluations as text: trec_eval lines, tables, JSON, the TREC report."""

OUTPUT_FORMATS = {
    "trec": "trec",
    "table": "table",
    "csv": "table",
    "tsv": "table",
    "json": "records",
    "jsonl": "records",
    "latex": "table",
    "markdown": "table",
}
"""Values of --format, the default first, each with the module here whose function as_NAME writes it."""
