"""Functions of `np.polynomial` that write into arrays, written out without: one text for the families of each."""

from __future__ import annotations

import types
from functools import cache
from typing import Any

import numpy as np

from tangent import runtime
from tangent.source.adapt import define

TEXTS = {
    "der": """\
def {x}der(c, m=1, scl=1, axis=0):
    return series_derivative({family}.{x}der, c, m, scl, axis)
""",
    "int": """\
def {x}int(c, m=1, k=[], lbnd=0, scl=1, axis=0):
    return series_integral({family}.{x}int, {family}.{x}val, c, m, k, lbnd, scl, axis)
""",
    "div": """\
def {x}div(c1, c2):
    return series_division({family}.{x}mul, c1, c2)
""",
    "mulx": """\
def {x}mulx(c):
    c = trimmed_series(c)
    i = np.arange(len(c))
    return series_by_x(c, {up}, {same}, {down}) if len(c) > 1 or c[0] != 0 else c
""",
}
FAMILIES = {
    "poly": "polynomial", "cheb": "chebyshev", "leg": "legendre", "herm": "hermite", "herme": "hermite_e",
    "lag": "laguerre",
}  # fmt: skip

# x times the i-th function of a basis, in terms of the next one, of itself and of the one before.
BY_X = {
    "leg": ("(i + 1) / (2 * i + 1)", "0 * i", "i / (2 * i + 1)"),
    "herm": ("0 * i + 0.5", "0 * i", "i"),
    "herme": ("0 * i + 1", "0 * i", "i"),
    "lag": ("-(i + 1)", "2 * i + 1", "-i"),
}


def written_series(function: Any) -> types.FunctionType | None:
    """`np.polynomial.legendre.legder` and the like as Python; None for what is none of them."""
    module, _, family = (getattr(function, "__module__", None) or "").rpartition(".")
    if module != "numpy.polynomial" or not isinstance(function, types.FunctionType):
        return None
    for x, name in FAMILIES.items():
        kind = function.__name__.removeprefix(x)
        if name == family and kind in TEXTS and (kind != "mulx" or x in BY_X):
            return _written(x, kind)
    return None


@cache
def _written(x: str, kind: str) -> types.FunctionType:
    names = ("series_derivative", "series_integral", "trimmed_series", "series_by_x", "series_division")
    family = getattr(np.polynomial, FAMILIES[x])
    namespace = {"np": np, FAMILIES[x]: family, **{kernel: getattr(runtime, kernel) for kernel in names}}
    up, same, down = BY_X.get(x, ("", "", ""))
    return define(f"{x}{kind}", TEXTS[kind].format(x=x, family=FAMILIES[x], up=up, same=same, down=down), namespace)
