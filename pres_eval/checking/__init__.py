"""Checks of qrels and runs: all that is wrong or suspicious, not only the first thing."""
