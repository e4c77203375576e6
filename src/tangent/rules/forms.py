"""Forms of calls that say the same in other words: methods of arrays, keywords of ufuncs and of their methods."""

from __future__ import annotations

import ast
import types
from collections.abc import Sequence
from typing import Any, TypeGuard

import numpy as np

from tangent.runtime.draws import takes_sizes

Call = tuple[list[ast.expr], list[ast.keyword]]

# The parameters of the methods of ufuncs behind the array, in order.
METHODS = {
    "reduce": ("axis", "dtype", "out", "keepdims", "initial", "where"),
    "accumulate": ("axis", "dtype", "out"),
    "reduceat": ("indices", "axis", "dtype", "out"),
}
# Keywords of ufuncs that say how a result is stored, not what it is.
STORAGE = frozenset(("order", "subok", "casting"))
# Rules for calls whose result is in the dtype that they ask for.
OWN_DTYPE = frozenset("astype sum prod mean cumsum cumprod".split())


def is_ufunc_method(function: Any) -> TypeGuard[types.BuiltinMethodType]:
    """Whether a function is `np.add.reduce` or the like."""
    return isinstance(function, types.BuiltinMethodType) and isinstance(function.__self__, np.ufunc)


def plain_form(function: Any, args: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> Call:
    """A call of a ufunc, or of a method of one, in the form that rules know."""
    if function is np.einsum or getattr(function, "signature", None):  # products, whose operands a cast may cut
        keywords = [k for k in keywords if k.arg != "casting" or not _keeps_operands(k)]
        if function is np.einsum or any(k.arg == "casting" for k in keywords):
            return list(args), list(keywords)
    if isinstance(function, np.ufunc) or function is np.clip:
        return list(args), [k for k in keywords if not _is_storage(k)]
    if is_ufunc_method(function) and function.__name__ in METHODS and not any(isinstance(a, ast.Starred) for a in args):
        named = zip(METHODS[function.__name__], args[1:])
        given = [*(ast.keyword(k, v) for k, v in named), *keywords]
        return [*args[:1]], [_along_one_axis(k) if _goes_in_turn(function) else k for k in given]
    return list(args), list(keywords)


def _goes_in_turn(method: types.BuiltinMethodType) -> bool:
    """Whether a method of a ufunc goes along one axis, so that the order of elements counts."""
    return method.__name__ != "reduce" or method.__self__ in (np.subtract, np.divide)


def _along_one_axis(k: ast.keyword) -> ast.keyword:
    """The one axis of a vector may be called None, and any axis stand in a tuple."""
    match k:
        case ast.keyword(arg="axis", value=ast.Constant(value=None)):
            return ast.keyword("axis", ast.Constant(0))
        case ast.keyword(arg="axis", value=ast.Tuple(elts=[axis])):
            return ast.keyword("axis", axis)
        case _:
            return k


def without_sizes(function: Any, e: ast.Call) -> list[ast.expr]:
    """The arguments of a call, without those that only tell how many random numbers it draws."""
    given: list[tuple[int | str, ast.expr]] = [*enumerate(e.args), *((k.arg or "**", k.value) for k in e.keywords)]
    return [a for place, a in given if not takes_sizes(function, (place,))]


def _is_storage(k: ast.keyword) -> bool:
    if k.arg == "where":
        return isinstance(k.value, ast.Constant) and k.value.value is True
    return k.arg in STORAGE or k.arg == "dtype"


def _keeps_operands(casting: ast.keyword) -> bool:
    """Whether a cast leaves complex numbers complex."""
    return isinstance(casting.value, ast.Constant) and casting.value.value != "unsafe"


def is_inexact(dtype: Any) -> bool:
    """Whether what a call gives as a dtype, or nothing, is one that derivatives flow through.

    >>> is_inexact(np.float32), is_inexact("c8"), is_inexact(None), is_inexact(int)
    (True, True, True, False)
    """
    return dtype is None or (isinstance(dtype, (type, str, np.dtype)) and np.dtype(dtype).kind in "fc")


def result_dtype(e: ast.expr | None, kind: str) -> ast.expr | None:
    """The dtype that a call of an elementwise function asks for, if it does."""
    if kind != "elementwise" or not isinstance(e, ast.Call):
        return None
    found = [k.value for k in e.keywords if k.arg == "dtype"]
    return found[0] if found and not (isinstance(found[0], ast.Constant) and found[0].value is None) else None


def method_form(attr: str, owner: ast.expr, args: Sequence[ast.expr], keywords: Sequence[ast.keyword]) -> Call:
    """`x.reshape(2, 3)`, `x.transpose(1, 0)`, `x.item(1, 2)` take their tuple apart; other methods are functions of x."""
    apart = attr in ("reshape", "transpose") and len(args) == 1 and _is_number(args[0])
    if attr in ("reshape", "transpose", "item") and (len(args) > 1 or apart or _is_starred(args)):
        return [owner, ast.Tuple(list(args), ast.Load())], list(keywords)
    return [owner, *args], list(keywords)


def _is_number(e: ast.expr) -> bool:
    return isinstance(e, ast.Constant) and e.value is not None


def _is_starred(args: Sequence[ast.expr]) -> bool:
    return len(args) == 1 and isinstance(args[0], ast.Starred)
