"""Zeros, sums and copies of gradients."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.kinds import (
    gradient_type,
    implements,
    is_array,
    is_list,
    is_nothing,
    is_number,
    is_record,
    is_tuple,
    jitable,
    per_item,
    per_key,
    types,
)
from tangent.runtime import add_grad, as_given, copy, dense, init_grad, lazy_zero, refit, settled, unread


def zero(x: Any) -> Any:
    if is_number(x):
        nothing = gradient_type(x)
        return lambda x: nothing(0)
    if is_array(x):
        dtype = gradient_type(x)
        return lambda x: np.zeros(x.shape, dtype)
    if is_tuple(x):
        return per_item(x, "x", "init_grad(x[{i}])", init_grad=init_grad)
    if is_list(x):
        return lambda x: [init_grad(v) for v in x]
    if isinstance(x, types.DictType):
        return lambda x: {k: init_grad(v) for k, v in x.items()}
    if is_record(x):
        return per_key(x, "x", lambda key: f"init_grad(x[{key!r}])", init_grad=init_grad)
    if is_nothing(x) or isinstance(x, (types.StringLiteral, types.UnicodeType)):
        return lambda x: None
    return None


implements(init_grad)(zero)
implements(lazy_zero)(zero)


@implements(unread)
def unread_zero(x: Any) -> Any:
    """Zeros that are one number, as their strides tell: what is added to them is not."""
    if is_array(x):
        nothing = gradient_type(x)
        return lambda x: np.broadcast_to(nothing(0), x.shape)
    return per_item(x, "x", "unread(x[{i}])", unread=unread) if is_tuple(x) else zero(x)


@jitable
def is_unread(b: Any) -> bool:
    """Whether an array is what `unread` gives: nothing reads the result whose adjoint it is."""
    return bool(b.size > 0 and max(b.strides) == 0 and b.flat[0] == 0.0)


DIFFERENT = "gradients of a list have different lengths"


def sum_of_items(a: Any, b: Any) -> Any:
    if len(a) != len(b):
        raise ValueError(DIFFERENT)
    return [add_grad(a[i], b[i]) for i in range(len(a))]


def sum_of_numbers(a: Any, b: Any) -> Any:
    """A zero that was made for another list than the name stands for later has another length, and adds nothing."""
    if len(a) != len(b):
        if sum([1 for v in a if v != 0]) == 0:
            return [v + 0.0 for v in b]
        if sum([1 for v in b if v != 0]) == 0:
            return [v + 0.0 for v in a]
        raise ValueError(DIFFERENT)
    return [a[i] + b[i] for i in range(len(a))]


@implements(add_grad)
def sum_of(a: Any, b: Any) -> Any:
    if is_nothing(a):
        return lambda a, b: b
    if is_nothing(b):
        return lambda a, b: a
    if is_tuple(a):
        return per_item(a, "a, b", "add_grad(a[{i}], b[{i}])", add_grad=add_grad)
    if is_list(a):
        return sum_of_numbers if is_number(a.dtype) and is_list(b) and is_number(b.dtype) else sum_of_items
    if isinstance(a, types.DictType):
        return lambda a, b: {k: add_grad(a[k], b[k]) for k in a}
    if is_record(a):
        return per_key(a, "a, b", lambda key: f"add_grad(a[{key!r}], b[{key!r}])", add_grad=add_grad)
    return lambda a, b: a + b


def own(b: Any) -> Any:
    if is_array(b):
        return lambda b: b.copy()
    if is_tuple(b):
        return per_item(b, "b", "copy(b[{i}])", copy=copy)
    if is_list(b):
        return lambda b: [copy(v) for v in b]
    if isinstance(b, types.DictType):
        return lambda b: {k: copy(v) for k, v in b.items()}
    if is_record(b):
        return per_key(b, "b", lambda key: f"copy(b[{key!r}])", copy=copy)
    return lambda b: b


implements(copy)(own)


@implements(settled)
def own_like(b: Any, x: Any) -> Any:
    if is_array(b) and not is_array(x):
        return None
    return lambda b, x: copy(b)


@implements(as_given)
def as_it_was_made(b: Any, x: Any) -> Any:
    if is_array(b) and is_array(x):
        return lambda b, x: b
    return lambda b, x: settled(b, x)


@implements(dense)
def as_it_is(b: Any) -> Any:
    return lambda b: b


@implements(refit)
def fitting(b: Any, x: Any) -> Any:
    if is_array(b) and is_array(x) and b.ndim == x.ndim:
        return lambda b, x: b if b.shape == x.shape else init_grad(x)
    return lambda b, x: b
