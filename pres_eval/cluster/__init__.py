"""Runs evaluated by many processes or machines: workers make parts of a ranking, one place merges them."""
