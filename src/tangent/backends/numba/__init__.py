"""Tangent's run-time functions as overloads that Numba resolves by type, and functions of NumPy that Numba lacks.

`init` is called by Numba itself (the entry point `numba_extensions`) before it compiles anything, and by Tangent before
it compiles a derivative. Importing this module alone loads nothing.
"""

from __future__ import annotations

import importlib

PARTS = (
    "zeros", "broadcast", "checks", "index", "elementwise", "choices", "reduce", "products", "tensors", "shape",
    "linalg", "sequences", "containers", "accumulate", "memory", "storage", "mirrors", "shadows", "order", "arrays",
    "insert", "vectors", "picking", "dicts", "windows", "writers", "named", "calculus", "quantiles", "factors",
    "spectra", "wholes",
)  # fmt: skip

_done: list[str] = []


def init() -> None:
    """Register all overloads, once."""
    for part in PARTS:
        if part not in _done:
            importlib.import_module(f"tangent.backends.numba.{part}")
            _done.append(part)
