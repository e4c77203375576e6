"""Kernels of indexing: reading `x[index]` backward. The two that write have rules in `rules/kernels_index.py`."""

from __future__ import annotations

from collections import deque
from typing import Any

import numpy as np

from tangent.errors import InPlaceError, UnsupportedError
from tangent.runtime.dispatch import add_grad, copy, init_grad, is_foreign, lazy_zero, map_structure, repack
from tangent.runtime.zeros import dtype_of, gradient_dtype


def scatter(b: Any, x: Any, index: Any) -> Any:
    """Zeros like x with b added at index: the transpose of reading `x[index]`."""
    if is_lazy_zero(x):
        x = x.like
    if type(x) is list:
        return add_item([0.0 if type(v) is float else lazy_zero(v) for v in x], x, index, b)
    if isinstance(x, (list, tuple, dict, deque)):
        return add_item(map_structure(lazy_zero, x), x, index, b)
    if is_foreign(x):
        return add_foreign(init_grad(x), index, b)
    out = np.zeros(np.shape(x), gradient_dtype(dtype_of(x)))
    if may_repeat(index):
        np.add.at(out, index, as_kind_of(out, b))
    else:
        out[index] = as_kind_of(out, b)
    return out


def add_item(b: Any, x: Any, index: Any, v: Any) -> Any:
    """b with v added at `b[index]`, in place where b can be written; b is the adjoint of x and may be the lazy zero."""
    if is_lazy_zero(v):
        return b
    if is_lazy_zero(b):
        return scatter(v, x, index)
    if isinstance(b, tuple):
        return repack(b, *list_with(b, index, v))
    if isinstance(b, dict):
        b[index] = add_grad(b[index], v) if index in b else v
    elif isinstance(b, deque):
        b[index] = add_grad(b[index], v)
    elif isinstance(b, list) and isinstance(index, slice):
        b[index] = _sums(b[index], v)
    elif isinstance(b, list):
        b[index] = add_grad(b[index], v)
    elif is_foreign(b):
        return add_foreign(b, index, v)
    elif not isinstance(b, np.ndarray):  # a number: the adjoint of an array without axes
        return add_item(np.array(b), x, index, v)[()]
    elif may_repeat(index):
        np.add.at(b, index, as_kind_of(b, v))
    else:
        b[index] += as_kind_of(b, v)
    return b


def add_foreign(b: Any, index: Any, v: Any) -> Any:
    """An array of another library with v added at `b[index]`, in place."""
    if may_repeat(index) or not hasattr(b, "__setitem__"):
        raise UnsupportedError(
            f"cannot differentiate reading a {type(b).__name__} by {type(index).__name__}",
            why="its items are added to one by one in the derivative",
            todo="Index by numbers and slices, or give the library a function for it, with a rule.",
        )  # fmt: skip
    b[index] = b[index] + v
    return b


def add_part(b: Any, index: Any, v: Any) -> Any:
    """b with v added at `b[index]`, in place; b is not the lazy zero."""
    if type(b) is list and type(index) is int and type(v) is type(b[index]) is float:
        b[index] += v
        return b
    if type(b) is list is type(v) and type(index) is slice:
        b[index] = _sums(b[index], v)
        return b
    if type(b) is np.ndarray and b.dtype == getattr(v, "dtype", None) and is_plain(index):
        b[index] += v
        return b
    return add_item(b, b, index, v)


def _sums(b: list[Any], v: Any) -> list[Any]:
    """The sums of gradients, item by item."""
    return [p + q if type(p) is float is type(q) else add_grad(p, q) for p, q in zip(b, v, strict=True)]


def add_cell(b: Any, i: Any, j: Any, v: Any) -> Any:
    """b with v added at `b[i][j]`, in place; b and its items are nobody else's."""
    if type(b) is list and type(v) is float:
        row = b[i]
        if type(row) is list and type(row[j]) is float:
            row[j] += v
            return b
    if is_lazy_zero(v):
        return b
    if is_lazy_zero(b):
        return scatter_cell(v, b, i, j)
    if isinstance(b, np.ndarray) or is_foreign(b):
        return add_part(b, (i, j), v)
    new = add_part(b[i], j, v)
    if isinstance(b, tuple):
        return repack(b, *b[:i], new, *b[i:][1:])
    b[i] = new
    return b


def scatter_cell(b: Any, x: Any, i: Any, j: Any) -> Any:
    """Zeros like x with b added at `x[i][j]`: the transpose of reading it."""
    if isinstance(x, tuple):  # its other items have no part in it
        return scatter(scatter(b, x[i], j), x, i)
    return add_cell(init_grad(x.like if is_lazy_zero(x) else x), i, j, b)


def with_cell(b: Any, i: Any, j: Any, v: Any) -> Any:
    """b with v added at `b[i][j]`, as a new value."""
    if is_lazy_zero(b):
        return scatter_cell(v, b, i, j)
    if isinstance(b, np.ndarray) or is_foreign(b):
        return with_part(b, (i, j), v)
    new = with_part(b[i], j, v)
    if isinstance(b, tuple):
        return repack(b, *b[:i], new, *b[i:][1:])
    out = b.copy()
    out[i] = new
    return out


def fresh_rows(xs: Any) -> Any:
    """A list or dict of lists, with rows of its own."""
    if isinstance(xs, dict):
        return dict(zip(xs, fresh_rows(list(xs.values()))))
    return [row.copy() if isinstance(row, (list, np.ndarray)) else row for row in xs]


def number_rows(xs: Any) -> Any:
    """A list or dict of lists of numbers, with rows of its own."""
    for row in xs.values() if isinstance(xs, dict) else xs:
        if not isinstance(row, np.ndarray) and any(isinstance(v, (np.ndarray, list, dict)) for v in row):
            error = InPlaceError(
                "cannot differentiate an operator in place on items of lists in a list or dict",
                why="they are arrays, which others may hold, too", todo="Write 't[i][j] = t[i][j] + v'.",
            )  # fmt: skip
            error.found_late = True  # with a memory it can be followed
            raise error
    return fresh_rows(xs)


def is_plain(index: Any) -> bool:
    """Whether an index consists of numbers and slices, which name nothing twice."""
    return type(index) in PLAIN or (type(index) is tuple and PLAIN.issuperset(map(type, index)))


PLAIN = frozenset({int, slice})


def with_part(b: Any, index: Any, v: Any) -> Any:
    """b with v added at `b[index]`, as a new value."""
    if is_lazy_zero(b) or isinstance(b, tuple):
        return add_item(b, b, index, v)
    return add_item(copy(b) if is_foreign(b) else b.copy(), b, index, v)


def cleared(b: Any, index: Any) -> Any:
    """b with zeros at `b[index]`."""
    out = np.array(b)
    out[index] = 0.0
    return out


LARGE = 4096  # elements: of fewer, a table of places is made sooner than places are sorted


def overwritten(b: Any, index: Any) -> Any:
    """A copy of `b[index]` as an assignment to that index sees it: of an element named twice only the last counts.

    >>> overwritten(np.array([1.0, 2.0, 3.0]), [0, 2, 0])
    array([0., 3., 1.])
    """
    found = b.get(index, 0.0) if isinstance(b, dict) else b[index]
    if isinstance(b, dict) or not may_repeat(index):
        return found.copy() if isinstance(found, np.ndarray) else found
    stays = _stays_among_few(index, b) if b.size > LARGE and 8 * found.size < b.size else None
    if stays is None:
        order = np.arange(found.size).reshape(found.shape)
        last = np.empty(b.shape, np.intp)
        last[index] = order
        stays = last[index] == order
    return found if stays.all() else np.where(stays, found, 0.0)


def _stays_among_few(index: Any, b: Any) -> Any:
    """Which elements, of few, are the last that an index of integers names so; None where it has slices or masks."""
    parts = index if isinstance(index, tuple) else (index,)
    if not all(isinstance(p, (int, np.integer)) or is_integer_array(p) for p in parts):
        return None
    named = np.broadcast_arrays(*(np.asarray(p) % n for p, n in zip(parts, b.shape)))
    flat = np.ravel_multi_index(named, b.shape[: len(parts)]).ravel()
    _, place = np.unique(flat[::-1], return_index=True)
    stays = np.zeros(flat.size, bool)
    stays[flat.size - 1 - place] = True
    return stays.reshape(named[0].shape + (1,) * (b.ndim - len(parts)))


def clear_item(b: Any, index: Any) -> Any:
    """b with zeros at `b[index]`, in place."""
    b[index] = 0.0
    return b


def list_with(b: Any, index: Any, v: Any) -> list[Any]:
    """The items of b with v added at index, an integer or a slice."""
    items = list(b)
    if isinstance(index, slice):
        items[index] = [add_grad(p, q) for p, q in zip(items[index], v, strict=True)]
    else:
        items[index] = add_grad(items[index], v)
    return items


def as_kind_of(b: Any, v: Any) -> Any:
    """v, but its real part if b is real."""
    return np.real(v) if np.iscomplexobj(v) and not np.iscomplexobj(b) else v


def may_repeat(index: Any) -> bool:
    """Whether an index can name an element twice: only arrays of integers can."""
    parts = index if isinstance(index, tuple) else (index,)
    return any(is_integer_array(part) for part in parts)


def is_integer_array(part: Any) -> bool:
    """Whether one part of an index is a list or array of integers, not a mask, a slice or a number."""
    if part is None or part is Ellipsis or isinstance(part, (slice, int, np.integer)):
        return False
    return np.ndim(part) > 0 and np.asarray(part).dtype != np.bool_


def is_lazy_zero(b: Any) -> bool:
    """Whether b is the runtime's zero without a shape."""
    return bool(getattr(type(b), "is_zero_grad", False))


def put_key(b: Any, x: Any, key: Any) -> Any:
    """Zeros like the dict x with b under a key, if x has it."""
    return scatter(b, x, key) if key in x else init_grad(x)


def default_part(b: Any, x: Any, key: Any, default: Any) -> Any:
    """What the default of `x.get(key, default)` receives: nothing where the dict has the key."""
    return init_grad(default) if key in x else b


def get_either(x: Any, default: Any, like: Any, key: Any) -> Any:
    """The item under a key that a dict like it has, or the default: the very one, which may be written into."""
    return x[key] if key in like else default


def item_adjoint(b: Any, x: Any, index: Any) -> Any:
    """The adjoint of x in `x.item(index)`, where a number counts the elements of x taken flat."""
    if isinstance(index, tuple) and len(index) > 1:
        return scatter(b, x, index)
    return np.reshape(scatter(b, np.ravel(x), index), np.shape(x))


def untake(b: Any, x: Any, indices: Any, axis: Any = None, mode: str = "raise") -> Any:
    """The adjoint of `np.take(x, indices, axis, mode)`."""
    if axis is None or np.ndim(x) == 0:
        return np.reshape(untake(b, np.ravel(x), indices, 0, mode), np.shape(x))
    n, axis = np.shape(x)[axis], axis % np.ndim(x)
    indices = np.asarray(indices, np.intp)
    if mode == "wrap":
        indices = indices % n
    elif mode == "clip":
        indices = np.clip(indices, 0, n - 1)
    return scatter(b, x, (slice(None),) * axis + (indices,))
