"""Experiments on evaluations: comparing runs, agreement of measures, sweeps, robustness, single topics."""
