"""Derivatives on demand, for calls whose callee is known only at run time."""

from tangent.service.demand import DerivativesOnDemand
from tangent.service.running import run_from_core

__all__ = ["DerivativesOnDemand", "run_from_core"]
