"""The functions of NumPy that write: where each element came from."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.runtime.kernels.elementwise import real_as


def sources(writer: Callable[..., Any], a: Any, v: Any, position: int, *others: Any, **options: Any) -> Any:
    """Which element of v a library function would write into each element of a; -1 where it writes none."""
    found = np.full(np.shape(a), -1, np.intp)
    numbers = np.arange(np.size(v)).reshape(np.shape(v))
    args = list(others)
    args.insert(position, numbers if numbers.ndim else numbers[()])
    writer(found, *args, **options)
    return found


def winners_at(ufunc: np.ufunc, a: Any, index: Any, v: Any) -> Any:
    """Which element of v stands in each element of a after `np.maximum.at(a, index, v)`; -1 where a keeps its own."""
    after = np.array(a)
    ufunc.at(after, index, v)
    places = np.arange(after.size).reshape(after.shape)[index]
    values = np.broadcast_to(v, places.shape)
    numbers = np.broadcast_to(np.arange(np.size(v)).reshape(np.shape(v)), places.shape)
    won = (values == after.flat[places]) & (values != np.ravel(a)[places])
    found = np.full(after.size, -1, np.intp)
    found[places[won]] = numbers[won]
    return found.reshape(after.shape)


def put_flat(a: Any, index: Any, v: Any) -> None:
    """`a.flat[index] = v`."""
    a.flat[index] = v


def fill_flat(a: Any, v: Any) -> None:
    """`a.flat = v`."""
    a.flat = v


def shape_at(a: Any, index: Any) -> tuple[int, ...]:
    """The shape of what an index selects."""
    return np.shape(_places(a, index))


def rounds_at(a: Any, index: Any) -> list[tuple[Any, Any]]:
    """What an index selects, in rounds that have no element twice: for each, places in a and in what is selected.

    >>> [(place.tolist(), number.tolist()) for (place,), (number,) in rounds_at(np.zeros(3), [2, 0, 2])]
    [([2, 0], [0, 1]), ([2], [2])]
    """
    places = _places(a, index)
    if not places.ndim:
        return [(np.unravel_index(int(places), np.shape(a)), ())]
    order = np.argsort(places, axis=None, kind="stable")
    ordered = np.ravel(places)[order]
    first = np.searchsorted(ordered, ordered)
    turn = np.empty(places.size, np.intp)
    turn[order] = np.arange(places.size) - first
    found = (np.flatnonzero(turn == k) for k in range(turn.max(initial=-1) + 1))
    return [(np.unravel_index(places.flat[n], np.shape(a)), np.unravel_index(n, places.shape)) for n in found]


def _places(a: Any, index: Any) -> Any:
    return np.asarray(np.arange(np.size(a)).reshape(np.shape(a))[index])


def with_real(z: Any, v: Any) -> Any:
    """A number or array with another real part."""
    return np.real(v) + 1j * z.imag if np.iscomplexobj(z) else np.real(v)


def with_imag(z: Any, v: Any) -> Any:
    """A complex number or array with another imaginary part."""
    return z.real + 1j * np.real(v)


def placed(a: Any, v: Any, taken: Any) -> Any:
    """The array a with elements of v where `taken` says which."""
    return np.where(taken < 0, a, np.ravel(real_as(v, a))[taken] if np.size(v) else a)


def gather_placed(b: Any, v: Any, taken: Any) -> Any:
    """The adjoint of v in `placed`."""
    out = np.zeros(np.size(v), np.result_type(b, 0.0))
    chosen = taken >= 0
    np.add.at(out, taken[chosen], b[chosen])
    return out.reshape(np.shape(v))[()]


def multiplied_at(a: Any, index: Any, v: Any) -> Any:
    """The array a after `np.multiply.at(a, index, v)`."""
    return a * factors_at(a, index, v)


def factors_at(a: Any, index: Any, v: Any) -> Any:
    """The product of what `np.multiply.at` multiplies each element with."""
    v = real_as(v, a)
    found = np.ones(np.shape(a), np.result_type(a, v))
    np.multiply.at(found, index, v)
    return found


def other_factors_at(a: Any, index: Any, v: Any) -> Any:
    """For each factor of `factors_at`, the product of the others of the same element."""
    v = np.broadcast_to(real_as(v, a), np.shape(a[index]))
    zeros = np.zeros(np.shape(a))
    np.add.at(zeros, index, v == 0)
    rest = factors_at(a, index, np.where(v == 0, 1.0, v))[index]
    alone = zeros[index] - (v == 0) == 0
    return np.where(alone, rest / np.where(v == 0, 1.0, v), 0.0)


def factors_tangent(d: Any, a: Any, index: Any, v: Any) -> Any:
    """The tangent of `factors_at`."""
    d = real_as(d, a)
    found = np.zeros(np.shape(a), np.result_type(a, d))
    np.add.at(found, index, np.broadcast_to(d, np.shape(a[index])) * other_factors_at(a, index, v))
    return found
