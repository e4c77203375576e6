"""Derivatives on demand: of functions that the API is given, and of those that calls meet only at run time.

All that transforms functions is loaded with this package: it is imported when the first derivative is asked for.
"""

from tangent.pipeline import derive
from tangent.service.demand import DerivativesOnDemand
from tangent.service.running import run_from_core

SERVICE = DerivativesOnDemand()

__all__ = ["SERVICE", "DerivativesOnDemand", "derive", "run_from_core"]
