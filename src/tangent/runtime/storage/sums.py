"""Sums into shadows."""

from __future__ import annotations

import operator
from typing import Any

import numpy as np

from tangent.errors import InPlaceError
from tangent.runtime.kernels.index import may_repeat
from tangent.runtime.memory import Memory
from tangent.runtime.objects import is_object
from tangent.runtime.storage.shadows import NUMBERS, real_part, shadow
from tangent.runtime.storage.views import leaves_of
from tangent.runtime.zeros import ZeroGrad


def add_into(b: Any, v: Any) -> None:
    """Add a gradient to the shadow of a container, in place."""
    if isinstance(b, np.ndarray):
        if b.ndim == 0 and np.ndim(v):
            raise grown_number()
        b += v
    elif isinstance(b, Memory):  # only what something has flowed to has a place
        b.receive(v, _added)
    elif isinstance(b, dict):
        for k in b:
            b[k] = _added(b[k], v[k])
    elif isinstance(b, list):
        if not isinstance(v, np.ndarray) and not v:  # nothing has flowed to a list that was empty in the end
            return
        if len(b) != len(v):
            raise InPlaceError(
                "cannot differentiate again what keeps a list and takes from it",
                why="the list is shorter by the time that its adjoint is made",
                todo="Take the second derivative forward over reverse: tangent.jvp(tangent.grad(f)), hessian, hvp.",
            )  # fmt: skip
        b[:] = _sums(b, v)
    elif isinstance(b, tuple):
        for p, q in zip(b, v, strict=True):
            if q is not None and not isinstance(q, ZeroGrad):
                add_into(p, q)
    elif isinstance(b, NUMBERS):
        raise InPlaceError(
            "cannot follow a number that came out of an array into a list or dict",
            why="what the list or dict holds is written in place", todo="Put the array itself, or a copy, there.",
        )  # fmt: skip
    elif b is None and is_object(v):
        raise InPlaceError(
            f"cannot differentiate writes into a {type(v).__name__}", why="what it holds is written in place",
            todo="Bind a new object instead of changing parts of the old one.",
        )  # fmt: skip


def grown_number() -> InPlaceError:
    """The error of `s = x[0]; s += x`, where s is written by an index later, or has several names."""
    return InPlaceError(
        "cannot follow a number that an operator in place turned into an array",
        why="what is written in place was a number at first, and its adjoint is one",
        todo="Begin with an array of that shape: np.zeros_like(...), x[0] + np.zeros(shape).",
    )  # fmt: skip


def _sums(b: Any, v: Any) -> list[Any]:
    """The sums of the items of two lists, of one length."""
    from tangent.runtime.dispatch import are_floats  # beside its use: dispatch knows nothing of storage

    if are_floats(b, v):
        return list(map(operator.add, b, v))
    return [_added(p, q) for p, q in zip(b, v, strict=True)]


def _added(b: Any, v: Any) -> Any:
    from tangent.runtime.dispatch import add_grad  # beside its use: dispatch knows nothing of storage

    if v is None or isinstance(v, ZeroGrad):
        return b
    boxed = isinstance(b, tuple) and any(isinstance(x, np.ndarray) for x, _ in leaves_of(b, b))
    if (boxed or isinstance(b, (np.ndarray, list, dict, Memory))) and b is not v:
        add_into(b, v)  # others may hold it, too
        return b
    return add_grad(b, v)


def assigned(b: Any, like: Any, index: Any) -> Any:
    """Zeros with b assigned at an index: the adjoint of `overwritten`."""
    found = shadow(like)
    found[index] = b
    return found


def add_at(b: Any, index: Any, v: Any) -> None:
    """`b[index] += v`, counting an element every time that the index names it."""
    if isinstance(b, (list, tuple, dict)):
        add_to_item(b, index, v)
    elif may_repeat(index):
        np.add.at(b, index, real_part(v, b))
    elif b.dtype == object:
        b[index] = b[index] + v
    elif np.ndim(v) and not np.ndim(b[index]):
        raise grown_number()
    else:
        b[index] += real_part(v, b)


def add_to_item(b: Any, index: Any, v: Any) -> None:
    """`b[index] += v` for the shadow of a list or dict; shadows of lists inside stay the ones that they are."""
    if isinstance(index, slice):
        b[index] = _sums(b[index], v)
    elif isinstance(b, dict) and index not in b:  # a key that came after the shadow was made
        b[index] = np.array(v) if isinstance(v, np.ndarray) else v
    elif isinstance(b[index], np.ndarray) and not isinstance(v, (list, tuple, dict)):
        part = b[index]
        part += real_part(v, part)
    elif isinstance(b, tuple):
        add_into(b[index], v)
    else:
        b[index] = _added(b[index], v)
