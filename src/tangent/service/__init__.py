"""Derivatives on demand, for calls whose callee is known only at run time."""

from tangent.service.demand import DerivativesOnDemand

__all__ = ["DerivativesOnDemand"]
