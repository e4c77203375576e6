"""Series of `np.polynomial`, which are objects of classes: the functions that make them, in terms of what has rules.

p = Polynomial([a, b, c])    ->    p = new_instance(Polynomial, ("coef", "domain", ...), coefficients([a, b, c]), ...)

Their methods and operators are read as NumPy has written them.
"""

from __future__ import annotations

import types
from functools import cache
from typing import Any

import numpy as np

from tangent.runtime.classes import new_instance
from tangent.runtime.kernels.series import coefficients, series_ends, series_symbol
from tangent.source.adapt import define

SERIES = frozenset("Polynomial Chebyshev Legendre Hermite HermiteE Laguerre".split())
FIELDS = ("coef", "domain", "window", "_symbol")
TEXT = """\
def {title}(coef, domain=None, window=None, symbol="x"):
    row = coefficients(coef)
    ends = series_ends(domain, {title}.domain)
    range_ = series_ends(window, {title}.window)
    return new_instance({title}, {fields}, row, ends, range_, series_symbol(symbol))
"""


def is_series(cls: Any) -> bool:
    """Whether a class is one of `np.polynomial`."""
    return isinstance(cls, type) and cls.__name__ in SERIES and cls.__module__.startswith("numpy.polynomial.")


@cache
def series_maker(cls: type) -> types.FunctionType:
    """The function that makes a series of a class."""
    names = {f.__name__: f for f in (coefficients, series_ends, series_symbol, new_instance)}
    text = TEXT.format(title=cls.__name__, fields=FIELDS)
    made = define(cls.__name__, text, {**names, cls.__name__: cls, "np": np})
    made.__globals__[cls.__name__] = cls
    made.assigned = FIELDS  # type: ignore[attr-defined]
    made.captures = ()  # type: ignore[attr-defined]
    return made
