"""Layout: which view of a shadow belongs to which view of what it shadows."""

from __future__ import annotations

from collections.abc import Iterator
from itertools import repeat
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from tangent.errors import InPlaceError


def laid_out_like(x: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Zeros with the layout of x, gaps between its elements included, and places of others around it (`in_memory`)."""
    around = x.base
    if isinstance(around, np.ndarray) and around.dtype == np.uint8 and x.dtype == dtype and 0 not in x.strides:
        return in_memory(x, *byte_bounds(around))
    if x.flags.c_contiguous or x.flags.f_contiguous or dtype.itemsize != x.dtype.itemsize or 0 in x.strides:
        return np.zeros_like(x, dtype, subok=False)
    return in_memory(x, *byte_bounds(x), dtype)


def in_memory(x: np.ndarray[Any, Any], low: int, high: int, dtype: Any = None) -> np.ndarray[Any, Any]:
    """Zeros in memory of their own that is like the one from low to high, where x lies in that."""
    memory = np.zeros(high - low, np.uint8)
    return np.ndarray(x.shape, dtype or x.dtype, memory, x.__array_interface__["data"][0] - low, x.strides)


class Cut(np.ndarray[Any, Any]):
    """The shadow of something that no derivative passes: zeros, whatever is written into them."""

    def __setitem__(self, index: Any, value: Any) -> None:
        pass

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        written = inputs[0] if method == "at" else out[0] if out is not None else None
        if isinstance(written, Cut):
            return written
        if ufunc is np.add and out is None and type(inputs[0]) is Cut:
            raise InPlaceError(
                "cannot differentiate a store into an array of integers twice",
                why="what it cuts off would come back", todo="Make the array one of floats.",
            )  # fmt: skip
        plain = [x.view(np.ndarray) if isinstance(x, Cut) else x for x in inputs]
        if out is not None:
            kwargs["out"] = out
        return getattr(ufunc, method)(*plain, **kwargs)

    def copy(self, order: Any = "C") -> Any:
        return np.zeros(self.shape)


class Still(Cut):
    """The tangent of something that no derivative passes: zeros that sums may begin with."""


def leaves_of(base: Any, shade: Any) -> Iterator[tuple[Any, Any]]:
    """Arrays and containers inside a container, with their shadows: None, where the container has none."""
    yield base, shade
    if isinstance(base, (list, tuple)):
        for x, b in zip(base, repeat(None) if shade is None else shade):
            yield from leaves_of(x, b)
    elif isinstance(base, dict):
        for k, x in base.items():
            yield from leaves_of(x, None if shade is None else shade[k])


def same_view(v: np.ndarray[Any, Any], x: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> Any:
    if isinstance(b, Cut):
        return np.zeros(v.shape).view(type(b))
    if b.dtype != x.dtype or not (x.dtype == v.dtype or shows_real_parts(v, x)):
        raise InPlaceError(
            "cannot follow a view that is written in place",
            why=f"it looks at an array of {x.dtype} as {v.dtype}", todo="Write into the array itself.",
        )  # fmt: skip
    if b.strides != x.strides:
        if x.dtype != v.dtype or (found := _at_same_places(v, x, b)) is None:
            raise InPlaceError(
                "cannot follow a view that is written in place",
                why="its elements lie elsewhere in the adjoint of its array", todo="Write into the array itself.",
            )  # fmt: skip
        return found
    memory: Any = b
    while isinstance(memory.base, np.ndarray):
        memory = memory.base
    offset = v.__array_interface__["data"][0] - x.__array_interface__["data"][0]
    start = b.__array_interface__["data"][0]
    (first, last), (low, high) = byte_bounds(v), byte_bounds(memory)
    moved = start - x.__array_interface__["data"][0]
    if first + moved < low or last + moved > high:
        raise InPlaceError(
            "cannot follow two arrays that overlap where one of them is written in place",
            why="neither is a part of the other", todo="Pass the array that both are views of, or copies.",
        )  # fmt: skip
    flat = memory if memory.flags.c_contiguous else memory.T
    kind = Folded if _overlaps_itself(v) else np.ndarray
    return kind(v.shape, v.dtype, flat, start - memory.__array_interface__["data"][0] + offset, v.strides)


def _at_same_places(v: np.ndarray[Any, Any], x: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> Any:
    """What v is of x, of an array b of another layout; None where an axis of v is not along one of x.

    >>> x, b = np.zeros((3, 4)), np.arange(12.0).reshape(4, 3).T
    >>> _at_same_places(x[1, ::-2], x, b)
    array([10.,  4.])
    >>> _at_same_places(x.reshape(-1), x, b) is None
    True
    """
    turned = tuple(slice(None, None, -1) if n < 0 else slice(None) for n in x.strides)
    x, b = x[turned], b[turned]
    order = sorted((k for k, n in enumerate(x.shape) if n > 1), key=lambda k: -x.strides[k])
    rest, start = v.__array_interface__["data"][0] - x.__array_interface__["data"][0], [0] * x.ndim
    if 0 in (x.strides[k] for k in order) or _overlaps_itself(v):
        return None
    for k in order:
        start[k], rest = divmod(rest, x.strides[k])
    low, high, steps = list(start), list(start), []
    for n, stride in zip(v.shape, v.strides):
        reach = {k: (n - 1) * (stride // x.strides[k]) for k in order if n > 1 and stride % x.strides[k] == 0}
        along = next((k for k, far in reach.items() if 0 <= start[k] + far < x.shape[k]), None)
        if n > 1 and along is None:
            return None
        steps.append(0 if along is None else stride // x.strides[along] * b.strides[along])
        if along is not None:
            low[along] += min(reach[along], 0)
            high[along] += max(reach[along], 0)
    if rest or any(i < 0 or j >= n for i, j, n in zip(low, high, x.shape)):
        return None
    return np.lib.stride_tricks.as_strided(b[tuple(slice(i, None) for i in start)], v.shape, steps)


def shows_real_parts(v: np.ndarray[Any, Any], x: np.ndarray[Any, Any]) -> bool:
    """Whether v is `z.real` of (a part of) a complex array: its adjoint is the real part of that of z.

    The adjoint of `z.imag` is the negative of the imaginary part, of which there is no view.

    >>> z = np.ones(3, complex)
    >>> shows_real_parts(z.real[1:], z), shows_real_parts(z.imag, z), shows_real_parts(z.view(float), z)
    (True, False, False)
    """
    size = x.dtype.itemsize
    offset = v.__array_interface__["data"][0] - x.__array_interface__["data"][0]
    apart = any(n % size for n in (offset, *v.strides, *x.strides))
    return x.dtype.kind == "c" and v.dtype == x.real.dtype and not apart


def flattened(b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """A shadow as `x.flat` sees its array."""
    flat = b.reshape(-1)
    if b.size and not np.may_share_memory(flat, b):
        raise InPlaceError(
            "cannot follow x.flat of an array that is written in place",
            why="its elements do not lie one after another", todo="Use an index of its own for every axis.",
        )  # fmt: skip
    return flat


class Folded(np.ndarray[Any, Any]):
    """The shadow of a view that has elements of its base many times (np.broadcast_to): all that is added counts."""

    def __iadd__(self, v: Any) -> Any:  # type: ignore[misc]
        np.add.at(self.view(np.ndarray), np.ix_(*map(np.arange, self.shape)), v)
        return self

    def __isub__(self, v: Any) -> Any:  # type: ignore[misc]
        return self.__iadd__(-np.asarray(v))

    def __array_wrap__(self, array: Any, context: Any = None, return_scalar: bool = False) -> Any:
        return array[()] if return_scalar else array


def _overlaps_itself(v: np.ndarray[Any, Any]) -> bool:
    """Whether an array has an element of its memory twice, as far as its strides tell."""
    reach = v.itemsize
    for stride, n in sorted((abs(stride), n) for stride, n in zip(v.strides, v.shape) if n > 1):
        if stride < reach:
            return True
        reach += stride * (n - 1)
    return False


def is_part(b: Any, shade: Any) -> bool:
    """Whether something is a part of a shadow, so that nothing has to be handed back to it."""
    if isinstance(b, np.ndarray):
        return any(
            b is s or (isinstance(s, np.ndarray) and np.may_share_memory(b, s)) for s, _ in leaves_of(shade, shade)
        )
    if isinstance(b, (list, tuple, dict)):
        items = b.values() if isinstance(b, dict) else b
        return any(b is s for s, _ in leaves_of(shade, shade)) or all(is_part(item, shade) for item in items)
    return False


def cut_shares(asked: tuple[bool, ...], *shades: Any) -> tuple[float, ...]:
    """Where a block has cut a loop short that binds storage anew: the shadows that names had there, the first half, go
    over to those that the names had before, the second half, which are sums. An array of two names goes to the one that
    the block asks for (`asked`), if they had two before: that one has the share 1.0, the other 0.0. If they had one,
    the first has it."""
    half = len(shades) // 2
    old, new = shades[:half], shades[half:]
    if all(b is c for b, c in zip(old, new)):
        return tuple(float(not any(_is_same(old[i], b) for b in old[:i])) for i in range(half))
    for b, c in zip(old, new):
        if isinstance(b, np.ndarray) and np.shape(b) != np.shape(c):
            why = f"an array that the loop binds anew has shape {np.shape(b)} there and had {np.shape(c)} before"
            raise _uncut(why, "Bind arrays of one shape")
    return tuple(_share(i, old, new, asked) for i in range(half))


def _share(i: int, old: tuple[Any, ...], new: tuple[Any, ...], asked: tuple[bool, ...]) -> float:
    found = 1.0
    for j in range(len(old)):
        if j == i or not (_overlap(old[i], old[j]) or _overlap(new[i], new[j])):
            continue
        if _is_same(new[i], new[j]) and _is_same(old[i], old[j]):
            found *= float(i < j)
            continue
        if _is_same(new[i], new[j]) and not _overlap(old[i], old[j]):
            continue
        if _overlap(new[i], new[j]):
            raise _uncut("two names shared a part of an array before, and do not there", "Give one of them a copy")
        if not _is_same(old[i], old[j]) or asked[i] == asked[j]:
            why = "two names share an array there that had one each before, and its gradient can stay with one only"
            raise _uncut(why, "Ask for the gradient of that one (with insert_grad_of(a):)")
        found *= float(asked[i])
    return found


def _overlap(b: Any, other: Any) -> bool:
    return is_part(b, other) or is_part(other, b)


def _is_same(b: Any, other: Any) -> bool:
    arrays = isinstance(b, np.ndarray) and isinstance(other, np.ndarray)
    return arrays and bool(b.__array_interface__ == other.__array_interface__)


def _uncut(why: str, todo: str) -> InPlaceError:
    todo = f"{todo}, or set the gradient to zero instead of jumping."
    return InPlaceError("cannot cut the backward loop short here", why=why, todo=todo)
