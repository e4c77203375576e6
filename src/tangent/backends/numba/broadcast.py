"""Broadcasting, and broadcasting reversed."""

from __future__ import annotations

from typing import Any

import numpy as np

from tangent.backends.numba.functions import spread_to
from tangent.backends.numba.kinds import (
    element,
    gradient_type,
    implements,
    is_array,
    is_complex,
    is_list,
    is_nothing,
    is_number,
    is_tuple,
    jitable,
    rank,
    written,
)
from tangent.runtime import as_dtype, broadcast_like, cast_tangent, real_as, unbroadcast


def cast(have: Any, want: Any) -> Any:
    """A function that takes the real part where a real number is wanted, and changes the precision of floats."""
    have, want = element(have), element(want)
    if is_complex(have) and not is_complex(want):
        part = gradient_type(want)
        return jitable(lambda b: part(b.real))
    kind = gradient_type(want)
    if have == kind or (want != kind and have == gradient_type(have)):
        return jitable(lambda b: b)
    return jitable(lambda b: kind(b))


def cast_array(have: Any, want: Any) -> Any:
    """The same for arrays."""
    have, want = element(have), element(want)
    kind = gradient_type(want)
    if is_complex(have) and not is_complex(want):
        return jitable(lambda b: b.real.astype(kind))
    if have == kind or (want != kind and have == gradient_type(have)):
        return jitable(lambda b: b)
    return jitable(lambda b: b.astype(kind))


@implements(unbroadcast)
def summed(b: Any, x: Any) -> Any:
    if is_number(x) and is_number(b):
        number = cast(b, x)
        return lambda b, x: number(b)
    if is_number(x) and is_array(b):
        number = cast(b, x)
        return lambda b, x: number(np.sum(b))
    if is_array(x) and is_number(b):
        kind, number = gradient_type(x), cast(b, x)
        return lambda b, x: np.full(x.shape, number(b), kind)
    if is_array(b) and rank(b) and is_row(x):  # that was stored into a part of an array
        return lambda b, x: unbroadcast(b, np.array(x))
    if not (is_array(x) and is_array(b)):
        return None
    fit, add = cast_array(b, x), sum_to(rank(b), rank(x))
    kind = gradient_type(element(b))
    if rank(b) != rank(x):
        return lambda b, x: fit(add(b, x.shape, kind))
    return lambda b, x: fit(b) if b.shape == x.shape else fit(add(b, x.shape, kind))


def is_row(x: Any) -> bool:
    """Whether a list or tuple holds numbers alone."""
    if is_tuple(x):
        return len(x) > 0 and all(map(is_number, x))
    return is_list(x) and is_number(x.dtype)


def sum_to(n: int, m: int) -> Any:
    """A function that adds an array of rank n up to (or repeats it in) a shape of rank m.

    For n = 2 and m = 1:

    for i0 in range(b.shape[0]):
        for i1 in range(b.shape[1]):
            out[i1 if shape[0] != 1 else 0] += b[i0, i1]
    """
    if m > n:
        return jitable(written("def impl(b, shape, kind):\n    return np.broadcast_to(b, shape).copy()\n", np=np))
    lines = ["def impl(b, shape, kind):", "    out = np.zeros(shape, kind)"]
    lines += [f"    one{j} = 1 if shape[{j}] != 1 else 0" for j in range(m)]
    for i in range(n):
        lines.append("    " * (i + 1) + f"for i{i} in range(b.shape[{i}]):")
    into = ", ".join(f"i{j + n - m} * one{j}" for j in range(m)) or "()"
    source = ", ".join(f"i{i}" for i in range(n)) or "()"
    lines += ["    " * (n + 1) + f"out[{into}] += b[{source}]", "    return out", ""]
    return jitable(written("\n".join(lines), np=np))


@implements(broadcast_like)
def stretched(b: Any, x: Any) -> Any:
    if is_number(x) and is_array(b) and rank(b) == 0:
        real = is_complex(b) and not is_complex(x)
        return (lambda b, x: b[()].real) if real else (lambda b, x: b[()])
    if not is_array(x):
        if is_complex(b) and is_number(x) and not is_complex(x):
            return lambda b, x: b.real
        return lambda b, x: b
    if is_number(b):
        kind, number = gradient_type(x), cast(b, x)
        return lambda b, x: np.full(x.shape, number(b), kind)
    if not is_array(b):
        return None
    fit = cast_array(b, x) if element(x) == gradient_type(x) else cast_array(b, b)
    if rank(b) > rank(x):
        add, kind = sum_to(rank(b), rank(x)), gradient_type(element(b))
        return lambda b, x: fit(add(b, x.shape, kind))
    if rank(b) == rank(x):
        return lambda b, x: fit(b) if b.shape == x.shape else fit(np.broadcast_to(b, x.shape).copy())
    return lambda b, x: fit(np.broadcast_to(b, x.shape).copy())


@implements(as_dtype)
def in_dtype(b: Any, x: Any) -> Any:
    if is_array(b):
        fit = cast_array(b, x)
        return lambda b, x: fit(b)
    number = cast(b, x)
    return lambda b, x: number(b)


@implements(real_as)
def real_where_real(x: Any, like: Any) -> Any:
    if is_complex(like) or not is_complex(x):
        return lambda x, like: x
    return lambda x, like: x.real


@implements(cast_tangent)
def cast_to(b: Any, y: Any, asked: Any = True) -> Any:
    if is_nothing(asked):
        return lambda b, y, asked=True: b
    if element(y) != gradient_type(y):
        return lambda b, y, asked=True: b * 0.0
    if is_array(b):
        fit = cast_array(b, y)
        return lambda b, y, asked=True: fit(b)
    number = cast(b, y)
    return lambda b, y, asked=True: number(b)


@implements(spread_to)
def over_axes(x: Any, shape: Any) -> Any:
    if is_number(x) and is_tuple(shape) and len(shape) == 0:
        return lambda x, shape: x
    return lambda x, shape: np.broadcast_to(x, shape)
