"""pres-eval: trec_eval's numbers and PRES, for recall-oriented search."""

__version__ = "1.0.0"
