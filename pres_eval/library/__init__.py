"""Interface for Python programs: judgements and runs of every kind in, numbers and tables out."""
