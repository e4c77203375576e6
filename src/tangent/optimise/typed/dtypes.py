"""The dtypes that calls ask for.

np.zeros(n, dtype=np.float32)      an array like np.zeros(n), of f4
np.empty(x.shape, x.dtype)         an array like np.empty(x.shape), of what x holds
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.optimise.typed.kinds import UNKNOWN, Dtype, Kind, Number
from tangent.syntax.rebuild import replace

PLACES = {
    np.zeros: 1, np.ones: 1, np.empty: 1, np.full: 2, np.zeros_like: 1, np.ones_like: 1, np.empty_like: 1,
    np.array: 1, np.asarray: 1, np.eye: 3, np.identity: 1,
}  # fmt: skip  # where the dtype stands, if it has no keyword


def parted(function: Any, call: ast.Call) -> tuple[ast.Call, ast.expr | None]:
    """A call that makes an array, without the dtype that it asks for, and that."""
    place = PLACES.get(function) if callable(function) and function.__hash__ else None
    if place is None:
        return call, None
    for keyword in call.keywords:
        if keyword.arg == "dtype":
            return replace(call, keywords=[k for k in call.keywords if k is not keyword]), keyword.value
    if len(call.args) == place + 1:
        return replace(call, args=call.args[:-1]), call.args[-1]
    return call, None


def named(asked: ast.expr, kind: Kind, resolve: Callable[[ast.expr], Any]) -> Kind:
    """The dtype that an expression stands for: that of an array, or one that the surroundings know."""
    if kind is None or isinstance(kind, Dtype):
        return kind
    found = resolve(asked)
    if not isinstance(found, (type, np.dtype)):
        return UNKNOWN
    return of_numbers(np.dtype(found))


def of_numbers(dtype: np.dtype[Any]) -> Kind:
    """A dtype, if it is one of numbers.

    >>> of_numbers(np.dtype(np.float32)), of_numbers(np.dtype("U3"))
    (Dtype(name='f4'), Unknown())
    """
    return Dtype(dtype.str[1:]) if dtype.kind in "biufc" else UNKNOWN


def holding(made: Kind, dtype: Kind) -> Kind:
    """An array that holds another dtype."""
    if made is None or dtype is None:
        return None
    return Number(made.rank, dtype.name) if isinstance(made, Number) and isinstance(dtype, Dtype) else UNKNOWN
