"""Kernels of the rules of `scipy.sparse.linalg`."""

from __future__ import annotations

from typing import Any

from scipy import sparse


def transposed(a: Any) -> Any:
    """The transposed matrix, in the form in which systems of it are solved."""
    return sparse.csc_array(a.T)
