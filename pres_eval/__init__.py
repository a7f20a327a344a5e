"""pres-eval: trec_eval's numbers and PRES, for recall-oriented search."""

__version__ = "0.1.0"
