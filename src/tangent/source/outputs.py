"""Calls of NumPy that write, in one form: what they write into has the name `out`, what they fill stands first.

np.dot(a, b, c)           ->  np.dot(a, b, out=c)
np.copyto(src=v, dst=a)   ->  np.copyto(a, v)
np.ndarray.sort(a)        ->  a.sort()
"""

from __future__ import annotations

import ast
import inspect
import types
from typing import Any

import numpy as np

from tangent.runtime.outputs import PLACES, place_of_output
from tangent.syntax.rebuild import replace

FILLING = {
    np.copyto: ("dst", "src", "casting", "where"), np.put: ("a", "ind", "v", "mode"),
    np.putmask: ("a", "mask", "values"), np.place: ("arr", "mask", "vals"),
    np.fill_diagonal: ("a", "val", "wrap"), np.put_along_axis: ("arr", "indices", "values", "axis"),
    np.nan_to_num: ("x", "copy", "nan", "posinf", "neginf"),
}  # fmt: skip
GIVEN = {np.copyto: 2, np.fill_diagonal: 2, np.nan_to_num: 1}  # how many of them are given by position; of others 3
FILLING_NAMES = frozenset(f.__name__ for f in FILLING)


def may_have_form(e: ast.Call) -> bool:
    """Whether a call may be one that is brought into another form, as far as its text tells."""
    match e.func:
        case ast.Attribute(value=ast.Attribute(attr="ndarray") | ast.Name(id="ndarray")):
            return True
        case ast.Attribute(attr=title) | ast.Name(id=title):
            return title in FILLING_NAMES or len(e.args) > PLACES.get(title, len(e.args))
        case _:
            return False


def in_one_form(e: ast.Call, found: Any) -> ast.Call:
    """A call of something, told where it writes by the name `out`, and what it fills by the first argument."""
    if any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords):
        return e
    if isinstance(found, types.MethodDescriptorType) and found.__objclass__ is np.ndarray and e.args:
        method = ast.copy_location(ast.Attribute(e.args[0], found.__name__, ast.Load()), e.func)
        return replace(e, func=method, args=e.args[1:])
    names = next((names for f, names in FILLING.items() if f is found), None)
    if names is not None:
        return _filling(e, names, names[: GIVEN.get(found, 3)])
    place = None if getattr(found, "nout", 1) > 1 else place_of_output(found)
    return e if place is None or len(e.args) <= place else _told(e, found, place)


def _told(e: ast.Call, found: Any, place: int) -> ast.Call:
    """The call with a name for what it writes into, and for what comes behind it."""
    names = _behind_output(found, place) if len(e.args) > place + 1 else ()
    named = [ast.keyword(k, a) for k, a in zip(("out", *names), e.args[place:])]
    return replace(e, args=e.args[:place], keywords=[*named, *e.keywords])


def _behind_output(found: Any, place: int) -> tuple[str, ...]:
    """The parameters of a function behind the array that it writes into; methods of ufuncs do not tell theirs."""
    if isinstance(getattr(found, "__self__", None), np.ufunc):
        return ("keepdims", "initial", "where")
    return tuple(inspect.signature(found).parameters)[place + 1 :]


def _filling(e: ast.Call, names: tuple[str, ...], first: tuple[str, ...]) -> ast.Call:
    """The call with its first arguments by position, and the others by name."""
    given: dict[str | None, ast.expr] = {**dict(zip(names, e.args)), **{k.arg: k.value for k in e.keywords}}
    if len(e.args) == len(first) or not given.keys() >= set(first):  # what is missing, the call itself will say
        return e
    args = [given.pop(v) for v in first]
    return replace(e, args=args, keywords=[ast.keyword(k, v) for k, v in given.items()])
