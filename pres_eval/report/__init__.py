"""Evaluations as text: trec_eval lines, tables, JSON, the TREC report."""
