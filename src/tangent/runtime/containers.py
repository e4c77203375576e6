"""Lists, dicts and objects with something changed: what was there before stays as it was.

A statement that changes a container which nobody else holds means the same as a new container. Where each item of the
new one comes from is found out by doing to a list of numbers what was done to the list.
"""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.dispatch import init_grad, lazy_zero, repack
from tangent.runtime.fit import unbroadcast
from tangent.runtime.kernels.index import cleared, overwritten
from tangent.runtime.kernels.rows import lengthened
from tangent.runtime.objects import fields_of, is_frozen, is_object, is_property, is_told, remade
from tangent.runtime.persistent import PersistentArray
from tangent.runtime.usual import require_usual_items
from tangent.runtime.zeros import ZeroGrad

SEVERAL = ("extend", "extendleft", "update")


def mutated(x: Any, method: str, key: Any, value: Any) -> Any:
    """A list or dict after a method was called on it.

    >>> mutated([1, 2], "insert", 0, 5)
    [5, 1, 2]
    """
    if is_lazy(x):
        x = init_grad(x.like)
    if isinstance(x, (np.ndarray, PersistentArray)):
        return _with_rows(x, method, key, value)
    require_usual_items(x)
    changed = x.copy()
    if method == "rearrange":
        return _rearranged(x, key, value)
    if method == "move_to_end":
        item, rest = changed.pop(key), dict(changed)
        changed.clear()
        changed.update({**rest, key: item} if value else {key: item, **rest})
        return changed
    getattr(changed, method)(*_arguments(method, key, value))
    return changed


def _rearranged(x: Any, moves: Any, value: Any) -> Any:
    """A list in which some items are at other places; a new one comes from the place behind the last."""
    changed = [*x, value]
    for place, origin in moves.origins.items():
        changed[place] = value if origin == len(x) else x[origin]
    del changed[moves.length :]
    return changed


def _with_rows(x: Any, method: str, key: Any, value: Any) -> Any:
    """A persistent array, or the gradient of one, after a method was called on it.

    >>> _with_rows(np.array([1.0, 2.0]), "append", None, 3.0)
    array([1., 2., 3.])
    """
    changed = PersistentArray(x)
    if method == "append":
        changed.append(np.zeros(changed.shape[1:]) if is_lazy(value) else value)
    elif method == "__setitem__":
        changed[key] = 0.0 if is_lazy(value) else value
    elif method == "__delitem__":
        del changed[key]
    elif method in ("pop", "delete") and (key is None) == (method == "pop"):
        changed.delete(1 if key is None else key)
    else:
        raise AttributeError(f"'PersistentArray' object has no attribute '{method}' that takes this")
    return changed if isinstance(x, PersistentArray) else np.asarray(changed)


def is_lazy(x: Any) -> bool:
    return bool(getattr(type(x), "is_zero_grad", False))


def _arguments(method: str, key: Any, value: Any) -> tuple[Any, ...]:
    match method:
        case "append" | "appendleft" | "extend" | "extendleft" | "update":
            return (value,)
        case "insert" | "__setitem__":
            return key, value
        case "__delitem__" | "rotate":
            return (key,)
        case "pop":
            return () if key is None else (key,)
        case _:
            return ()


def _origins(x: Any, method: str, key: Any, value: Any) -> Any:
    """For each item of the changed list, its place in the old one, or -1 - j for the j-th that is new."""
    found: Any = repack(x, *range(len(x)))
    several = method in SEVERAL or (method == "__setitem__" and isinstance(key, slice))
    new = [-1 - j for j in range(len(value))] if several else -1
    getattr(found, method)(*_arguments(method, key, new))
    return found


def unmutated(b: Any, x: Any, method: str, key: Any, value: Any) -> Any:
    """What the old container receives from the gradient of the changed one."""
    if is_lazy(b):
        return lazy_zero(x)
    if isinstance(x, (np.ndarray, PersistentArray)):
        kept = b[:-1] if method == "append" else b
        return cleared(b, key) if method == "__setitem__" else lengthened(kept, x)
    if isinstance(x, dict) and method == "move_to_end":
        return b
    if isinstance(x, dict):
        gone = set(x) if method == "clear" else set(value) if method == "update" else {key}
        return {k: lazy_zero(v) if k in gone or k not in b else b[k] for k, v in x.items()}
    if method == "__setitem__" and not isinstance(key, slice):
        found = repack(x, *b)
        found[key] = lazy_zero(x[key])
        return found
    found = repack(x, *(lazy_zero(v) for v in x))
    for place, origin in enumerate(_origins(x, method, key, value)):
        if origin >= 0:
            found[origin] = b[place]
    return found


def mutated_part(b: Any, x: Any, method: str, key: Any, value: Any) -> Any:
    """What a new item, or several, receive from the gradient of the changed container."""
    if is_lazy(b):
        return init_grad(value)
    if isinstance(x, (np.ndarray, PersistentArray)):
        if method not in ("append", "__setitem__"):
            return init_grad(value)
        return b[-1] if method == "append" else unbroadcast(overwritten(b, key), value)
    if isinstance(x, dict):
        if method == "update":
            return {k: b[k] if k in b else init_grad(v) for k, v in value.items()}
        return b[key] if key in b else init_grad(value)
    if method == "__setitem__" and not isinstance(key, slice):
        return b[key]
    origins = list(_origins(x, method, key, value))
    if method in SEVERAL or isinstance(key, slice):
        kept = [origins.index(-1 - j) if -1 - j in origins else None for j in range(len(value))]
        return repack(value, *(lazy_zero(v) if k is None else b[k] for k, v in zip(kept, value)))
    return b[origins.index(-1)] if -1 in origins else init_grad(value)


def with_attribute(x: Any, name: str, value: Any) -> Any:
    """An object like x with another value for one attribute; x may be the tangent of one, which some have not."""
    if x is None:
        raise UnsupportedError(
            f"cannot differentiate the assignment to '{name}' of an object",
            why="only numbers, arrays, containers and objects of classes written in Python have gradients",
            todo="Keep it in a variable, or in an object of a class of yours.",
        )  # fmt: skip
    if is_frozen(x):
        raise dataclasses.FrozenInstanceError(f"cannot assign to field {name!r}")
    if is_told(x, name):
        why = "it is a property" if is_property(x, name) else "its class says what assignment means"
        raise UnsupportedError(
            f"cannot differentiate the assignment to '{name}' of a {type(x).__name__}", why=why,
            todo="Assign the attribute behind it.",
        )  # fmt: skip
    if callable(x) and not is_object(x):
        raise UnsupportedError(
            f"cannot differentiate the assignment to '{name}' of a function", why="only what it captures is followed",
            todo="Keep it in a variable, or write a class with __call__.",
        )  # fmt: skip
    return remade(x, {**fields_of(x), name: value})


def cleared_attribute(b: Any, x: Any, name: str) -> Any:
    """The gradient of an object, but for one attribute, which is assigned anew later."""
    if isinstance(b, ZeroGrad):
        return lazy_zero(x)
    held = fields_of(b)
    return remade(b, {k: lazy_zero(v) if k == name else held[k] for k, v in fields_of(x).items()})
