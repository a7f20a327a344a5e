"""pres-eval inside ir_measures: to use it, import this module.

    import ir_measures
    import pres_eval.ir_measures
    ir_measures.calc_aggregate([ir_measures.parse_measure("PRES@100"), ir_measures.nDCG @ 10], qrels, run)

The import does these things, once for the process:

- it adds the measures PRES, PRES_est, Rnorm and Fprime to those that `ir_measures.parse_measure` knows;
- it registers the provider `pres_eval` with `ir_measures.providers`;
- it puts that provider first in `ir_measures.DefaultPipeline`, so that whoever uses ir_measures in this
  process, PyTerrier's `pt.Experiment` too, gets these four from it, and all that the provider pytrec_eval
  computes: the same values, faster;
- it adds the measures that you `pres_eval.register`, before the import or after it, as `relto@2`;
- behind all other providers it puts two that compute the measures of cwl_eval, pyndeval, gdeval and the
  like, and RBP@k, where these packages are not installed.  Where they are, ir_measures asks them as before.

A document that a run has twice for a topic is an error, as in trec_eval; the provider pytrec_eval takes the
last.  Scores that are no numbers are errors as well.
"""

from __future__ import annotations

from functools import partial
from typing import Any

from pres_eval.errors import MissingExtraError

try:
    import ir_measures
    from ir_measures import measures, providers
except ImportError:
    raise MissingExtraError("pres_eval.ir_measures", "ir_measures", "ir-measures") from None

from pres_eval.ir_measures.families import DiversityProvider, ReadersProvider
from pres_eval.ir_measures.own import PRES, Fprime, PRES_est, Rnorm, as_ir_measure
from pres_eval.ir_measures.provider import ANY, PresEvalProvider
from pres_eval.measures import when_added
from pres_eval.measures.base import Measure

_OWN_NAMES: set[str] = set()
"""Measures that users registered with pres-eval."""


def _register() -> Any:
    """Make ir_measures know the measures and the providers, once, and return the provider `pres_eval`."""
    for measure in (PRES, PRES_est, Rnorm, Fprime):
        if measure.NAME not in measures.registry:
            measures.register(measure)
    provider: Any = providers.registry.get(PresEvalProvider.NAME)
    if provider is None:
        provider = providers.register(PresEvalProvider())
        ir_measures.DefaultPipeline.providers.insert(0, provider)
        for last in (ReadersProvider(), DiversityProvider()):
            ir_measures.DefaultPipeline.providers.append(providers.register(last))
        when_added(partial(_add, provider))
    return provider


def _add(provider: Any, measure: Measure) -> None:
    """Make ir_measures know a measure that was registered with pres-eval, unless it has one of this name."""
    known = measures.registry.get(measure.name)
    if known is None or known.NAME in _OWN_NAMES:
        described_measure = as_ir_measure(measure)
        measures.registry[measure.name] = described_measure
        any_parameters = dict.fromkeys(described_measure.SUPPORTED_PARAMS, ANY)
        provider.SUPPORTED_MEASURES.append(described_measure(**any_parameters))
        _OWN_NAMES.add(measure.name)


PROVIDER = _register()
"""The provider that `ir_measures.providers.registry` has."""

__all__ = ["PRES", "PROVIDER", "Fprime", "PRES_est", "PresEvalProvider", "Rnorm"]
