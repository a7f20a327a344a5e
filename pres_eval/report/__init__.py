"""Evaluations as text: trec_eval lines, tables, JSON, the TREC report."""

OUTPUT_FORMATS = {
    "trec": "trec",
    "table": "table.as_table",
    "csv": "table.as_csv",
    "tsv": "table.as_csv",
    "json": "records",
    "jsonl": "records.as_jsonl",
    "latex": "table.as_table",
    "markdown": "table.as_table",
}
"""Values of --format, the default first, each with the module here that writes it, or module.function."""
