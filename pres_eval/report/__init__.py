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
"""What --format takes, the default first, and the module here whose function as_NAME writes it."""
