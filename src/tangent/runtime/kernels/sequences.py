"""Kernels of the builtins over sequences: the adjoint of a sequence is a sequence of the same kind."""

from __future__ import annotations

import math
from collections import deque
from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.dispatch import add_grad, init_grad, lazy_zero, repack
from tangent.runtime.fit import unbroadcast
from tangent.runtime.kernels.elementwise import ratio
from tangent.runtime.kernels.reduce import as_dtype
from tangent.runtime.kernels.shape import sequence_like


def all_elements(xs: Any) -> Any:
    """All elements of an iterator over an array, `x.flat`, which is read by this; anything else as it is."""
    if not isinstance(xs, np.flatiter):
        return xs
    if xs.index:
        raise UnsupportedError(
            "cannot differentiate what is left of an iterator over an array", why="some elements were read before",
            todo="Read them all at once, or use an array: x.ravel().",
        )  # fmt: skip
    deque(xs, 0)
    return xs[:]


def each(b: Any, xs: Any) -> Any:
    """b for each of the xs, in its shape; of a dict the xs are the keys, which have none."""
    if isinstance(xs, dict):
        return {k: init_grad(x) for k, x in xs.items()}
    if isinstance(xs, np.ndarray):
        return np.broadcast_to(as_dtype(b, xs), np.shape(xs)) if len(xs) else init_grad(xs)
    return sequence_like([unbroadcast(b, x) for x in xs], xs)


def total(xs: Any) -> Any:
    """The sum of the xs; of a dict, of the tangents of its keys, which are zero."""
    s = 0.0
    if isinstance(xs, dict):
        return s
    for x in xs:
        s = s + x
    return s


def product(xs: Any) -> Any:
    """The product of the xs."""
    p = 1.0
    for x in xs:
        p = p * x
    return p


def weighed(b: Any, weight: Any) -> Any:
    """A gradient times a number; of a list or tuple, each of its items.

    >>> weighed((1.0, [2.0, None]), 0.5)
    (0.5, [1.0, None])
    """
    if isinstance(b, (list, tuple)):
        parts = [weighed(v, weight) for v in b]
        return type(b)(*parts) if hasattr(b, "_fields") else type(b)(parts)
    return b if b is None else b * weight


def scaled(b: Any, w: Any, xs: Any) -> Any:
    """b times each of the weights w, as a sequence of the kind of xs; a weight of 0 lets not even infinity through.

    >>> scaled(math.inf, (1.0, 0.0), (2.0, 3.0))
    (inf, 0.0)
    """
    if isinstance(xs, dict):  # its keys, which have none
        return {k: init_grad(x) for k, x in xs.items()}
    if isinstance(xs, (set, frozenset)):
        return init_grad(xs)
    endless = isinstance(b, float) and not math.isfinite(b)
    parts = [0.0 if endless and isinstance(v, float) and v == 0.0 else weighed(b, v) for v in w]
    if isinstance(xs, (list, tuple)):
        parts = [unbroadcast(p, x) if isinstance(x, (float, complex, np.generic)) else p for p, x in zip(parts, xs)]
    if type(xs) is tuple:
        return tuple(parts)
    out = sequence_like(parts, xs)
    return as_dtype(out, xs) if isinstance(xs, np.ndarray) else out


def weighted(w: Any, ts: Any) -> Any:
    """The sum of the ts with the weights w; what has no weight does not even lend its dtype.

    >>> weighted((1.0, 0.0), (2.5, np.float16(1.0)))
    2.5
    """
    s: Any = 0.0
    if ts is None or isinstance(ts, dict):  # of keys, which are zero
        return s
    for k in range(len(w)):
        if not (isinstance(w[k], float) and w[k] == 0.0):
            part = weighed(ts[k], w[k])
            s = s + part if not isinstance(part, (list, tuple)) else part if s == 0.0 else add_grad(s, part)
    return s


def shares_of(y: Any, xs: Any) -> Any:
    """The share of each of the xs in their maximum or minimum y: ties share evenly."""
    same = [bool(x == y) for x in xs]
    share = 1.0 / max(same.count(True), 1)
    shares = [share if mine else 0.0 for mine in same]
    out = shares if isinstance(xs, (dict, set, frozenset)) else sequence_like(shares, xs)
    return as_dtype(out, xs) if isinstance(xs, np.ndarray) else out


def portions(b: float, y: float, xs: tuple[float, ...]) -> list[float]:
    """What each of some numbers receives of b, the adjoint of their maximum or minimum y: ties share evenly.

    >>> portions(3.0, 2.0, (2.0, 5.0, 2.0))
    [1.5, 0.0, 1.5]
    """
    same = [bool(x == y) for x in xs]
    ties = sum(same)
    part = b if ties == 1 else b * (1.0 / max(ties, 1))
    return [part if mine else 0.0 for mine in same]


def sorted_order(xs: Any, key: Any = None, reverse: bool = False) -> list[int]:
    """The indices of the xs in the order of `sorted`."""
    keys = list(xs) if key is None else [key(x) for x in xs]
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def picked(xs: Any, i: list[int]) -> list[Any]:
    """The items of xs with the indices i; of what holds keys, zeros."""
    if isinstance(xs, (dict, set, str)):
        keys = list(xs)
        return [init_grad(keys[k]) for k in i]
    return [xs[k] for k in i]


def put_back(b: Any, i: list[int], xs: Any) -> Any:
    """The transpose of `picked`, as a sequence of the kind of xs; no item is picked twice."""
    if isinstance(xs, (dict, set, str)):
        return lazy_zero(xs)
    where = {k: place for place, k in enumerate(i)}
    return sequence_like([b[where[k]] if k in where else init_grad(xs[k]) for k in range(len(xs))], xs)


def joined(x: Any, y: Any) -> Any:
    """`x + y`, where both may be lists; a deque takes in any items."""
    return deque([*x, *y], x.maxlen) if isinstance(x, deque) else x + y


def joined_tangent(dx: Any, dy: Any, x: Any, y: Any) -> Any:
    """The tangent of `x + y`; texts have none."""
    if isinstance(x, (str, bytes)):
        return init_grad(x)
    return repack(x, *dx, *dy) if are_lists(x, y) else dx + dy


def joined_left(b: Any, x: Any, y: Any) -> Any:
    """What x receives from `x + y`: of lists, the first items; texts receive nothing."""
    if isinstance(x, (str, bytes)):
        return init_grad(x)
    return repack(x, *(b[k] for k in range(len(x)))) if are_lists(x, y) else unbroadcast(b, x)


def joined_right(b: Any, x: Any, y: Any) -> Any:
    """What y receives from `x + y`: of lists, the last items; texts receive nothing."""
    if isinstance(y, (str, bytes)):
        return init_grad(y)
    return repack(y, *(b[len(x) + k] for k in range(len(y)))) if are_lists(x, y) else unbroadcast(b, y)


def are_lists(x: Any, y: Any) -> bool:
    return isinstance(x, (list, tuple, deque)) and isinstance(y, (list, tuple, deque))


def new_repeated(x: Any, n: Any) -> Any:
    """`x * n`, of a list."""
    return x * n


def folded(b: Any, xs: Any) -> Any:
    """The adjoint of `xs * n` for a list that n repeats: the sum over the repetitions.

    >>> folded([1.0, 2.0, 3.0, 4.0], [0.0, 0.0])
    [4.0, 6.0]
    """
    k = len(xs)
    parts = [b[i : i + k] for i in range(0, len(b), k)] if k else []
    return sequence_like([_sum_of([p[i] for p in parts], x) for i, x in enumerate(xs)], xs)


def _sum_of(parts: list[Any], x: Any) -> Any:
    found = parts[0] if parts else init_grad(x)
    for part in parts[1:]:
        found = add_grad(found, part)
    return found


def unfolded(b: Any, ys: Any) -> Any:
    """b, repeated to the length of ys."""
    return sequence_like(list(b) * (len(ys) // len(b)) if b else [], ys)


def factor_part(b: Any, x: Any, y: Any) -> Any:
    """What x receives in `x * y`, where one of them may be a list that the other repeats."""
    if isinstance(x, (list, tuple)) and not isinstance(y, np.ndarray):
        return folded(b, x)
    if isinstance(y, (list, tuple)) and not isinstance(x, np.ndarray):
        return init_grad(x)
    return unbroadcast(b * y, x)


def products_of_others(xs: Any, start: Any = 1.0) -> Any:
    """For each of the xs the product of all others, and of start."""
    out: list[Any] = []
    if isinstance(xs, dict):
        return out
    for k in range(len(xs)):
        out = [*out, start * product(xs[:k]) * product(xs[k + 1 :])]
    return sequence_like(out, xs)


def gaps(p: Any, q: Any) -> list[Any]:
    """The differences of the items of p and q."""
    return [1.0 * x - y for x, y in zip(p, q)]


def over(xs: Any, length: float) -> list[Any]:
    """The xs over a length, 0 if they are."""
    return [ratio(x, length) for x in xs]


def sides(xs: Any, length: float) -> list[Any]:
    """The xs over their length: the rule knows that it is theirs, so that no terms cancel.

    `math` takes the real parts of NumPy's complex numbers.
    """
    return over([x.real for x in xs], length)


def off_sides(t: Any, u: Any) -> list[Any]:
    """t without its part along u, which has the length 1; said by the others where one is nearly all of u."""
    t = [np.real(v) for v in t]
    found: list[Any] = []
    for k in range(len(u)):
        if u[k] * u[k] > 0.5:
            others = [*u[:k], 0.0, *u[k + 1 :]]
            found = [*found, t[k] * weighted(others, others) - u[k] * weighted(others, t)]
        else:
            found = [*found, t[k] - u[k] * weighted(u, t)]
    return found
