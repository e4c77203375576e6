"""Storage at run time: copies that keep their layout, shadows, and which view of a shadow belongs to which view.

A shadow is the adjoint (or tangent) of something that is written in place. It has the layout of what it shadows, so
that a view of the one and the same view of the other are at the same place.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.lib.array_utils import byte_bounds

from tangent.errors import InPlaceError
from tangent.runtime.dispatch import is_foreign
from tangent.runtime.kernels.index import may_repeat
from tangent.runtime.zeros import gradient_dtype

NUMBERS = (float, int, complex, np.generic)


def own(x: Any, *others: Any) -> Any:
    """A copy of an argument that will be written into; it may not overlap the other arguments.

    >>> a = np.ones(3)
    >>> own(a) is a
    False
    """
    if isinstance(x, list | tuple | dict):
        raise InPlaceError(
            f"an argument that is written in place by index is a {type(x).__name__}",
            why="the derivative takes it for an array", todo="Pass np.array(...), or fill a list made in the function.",
        )  # fmt: skip
    return own_any(x, *others)


def own_any(x: Any, *others: Any) -> Any:
    """A copy of an argument of any kind that will be written into."""
    if isinstance(x, np.ndarray):
        for other in others:
            if _overlap(x, other):
                raise InPlaceError(
                    "an argument that is written in place shares its memory with another argument",
                    why="the derivative works on copies, which would not share it", todo="Pass a copy of one of them.",
                )  # fmt: skip
    return _copied(x)


def _overlap(x: np.ndarray[Any, Any], other: Any) -> bool:
    if isinstance(other, np.ndarray):
        return bool(np.may_share_memory(x, other)) and bool(np.shares_memory(x, other))
    if isinstance(other, list | tuple | dict):
        return any(_overlap(x, item) for item in (other.values() if isinstance(other, dict) else other))
    return False


def _copied(x: Any) -> Any:
    if isinstance(x, np.ndarray):
        fresh = _like(x, x.dtype)
        fresh[...] = x
        return fresh
    if isinstance(x, dict):
        return type(x)({k: _copied(v) for k, v in x.items()})
    if isinstance(x, list):
        return [_copied(v) for v in x]
    if isinstance(x, tuple):
        parts = [_copied(v) for v in x]
        return type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    return x


def _like(x: np.ndarray[Any, Any], dtype: np.dtype[Any]) -> np.ndarray[Any, Any]:
    """Zeros with the layout of x, gaps between its elements included."""
    if x.flags.c_contiguous or x.flags.f_contiguous or dtype.itemsize != x.dtype.itemsize or 0 in x.strides:
        return np.zeros_like(x, dtype, subok=False)
    low, high = byte_bounds(x)
    memory = np.zeros(high - low, np.uint8)
    return np.ndarray(x.shape, dtype, memory, x.__array_interface__["data"][0] - low, x.strides)


class Cut(np.ndarray[Any, Any]):
    """The shadow of something that no derivative passes: zeros, whatever is written into them."""

    def __setitem__(self, index: Any, value: Any) -> None:
        pass

    def __array_ufunc__(self, ufunc: Any, method: str, *inputs: Any, out: Any = None, **kwargs: Any) -> Any:
        if method == "at" or (out is not None and any(o is x for o in out for x in inputs)):
            return self
        if ufunc is np.add and out is None and isinstance(inputs[0], Cut):
            raise InPlaceError(
                "cannot differentiate a store into an array of integers twice",
                why="what it cuts off would come back", todo="Make the array one of floats.",
            )  # fmt: skip
        plain = [x.view(np.ndarray) if isinstance(x, Cut) else x for x in inputs]
        if out is not None:
            kwargs["out"] = tuple(o.view(np.ndarray) if isinstance(o, Cut) else o for o in out)
        return getattr(ufunc, method)(*plain, **kwargs)


def shadow(x: Any, content: Any = None) -> Any:
    """The adjoint of x, to be changed in place: zeros, or a copy of some content; of a number, an array without axes.

    >>> shadow(np.ones(2))
    array([0., 0.])
    >>> shadow(np.ones(2), np.array([1.0, 2.0]))
    array([1., 2.])
    """
    if isinstance(x, np.ndarray):
        if x.dtype.kind not in "fcO" or isinstance(x, Cut):
            return np.zeros(x.shape).view(Cut)
        made = _like(x, gradient_dtype(x.dtype))
        if content is not None:
            made[...] = _real(content, made)
        return made
    if isinstance(x, NUMBERS):
        whole = isinstance(x, int) or np.asarray(x).dtype.kind not in "fc"
        made = np.zeros((), np.complex128 if isinstance(x, complex | np.complexfloating) and not whole else np.float64)
        if content is not None:
            made[...] = content
        return made
    if isinstance(x, dict | list | tuple):
        return _beside_all(x, content, shadow)
    if is_foreign(x):
        raise InPlaceError(
            f"cannot differentiate writes into a {type(x).__name__}",
            why="of arrays that are written in place only those of NumPy are followed",
            todo="Make new arrays instead of changing old ones.",
        )  # fmt: skip
    return None


def _beside_all(x: Any, content: Any, make: Callable[..., Any]) -> Any:
    """Shadows or tangents of all that a container holds: what is one thing twice, or overlaps, is so there."""
    leaves = [v for v, _ in _leaves(x, x) if isinstance(v, np.ndarray)]
    made: dict[int, Any] = {}

    def beside_one(v: Any, c: Any) -> Any:
        if isinstance(v, NUMBERS) or v is None:
            return make(v, c)
        if id(v) not in made:
            made[id(v)] = inside(v, c)
        elif isinstance(v, np.ndarray) and c is not None:
            made[id(v)][...] = c
        return made[id(v)]

    def inside(v: Any, c: Any) -> Any:
        if isinstance(v, np.ndarray):
            for other in leaves:
                if other is not v and id(other) in made and np.may_share_memory(v, other):
                    new = mirror(v, other, made[id(other)])
                    break
            else:
                new = shadow_among(v, *leaves)
            if c is not None:
                new[...] = _real(c, new)
            return new
        if isinstance(v, dict):
            return {k: beside_one(item, None if c is None else c[k]) for k, item in v.items()}
        if isinstance(v, list | tuple):
            parts = [beside_one(item, d) for item, d in zip(v, c if c is not None else [None] * len(v))]
            return parts if isinstance(v, list) else type(v)(*parts) if hasattr(v, "_fields") else tuple(parts)
        return make(v, c)

    return beside_one(x, content)


def refill(b: Any, other: Any) -> None:
    """Give a shadow the content of another of the same structure."""
    if isinstance(b, np.ndarray):
        b[...] = other
    elif isinstance(b, list | tuple | dict):
        for k in b if isinstance(b, dict) else range(len(b)):
            refill(b[k], other[k])


def refill_item(b: Any, index: Any, other: Any) -> None:
    """Give one place of a shadow another content."""
    if isinstance(b, np.ndarray):
        b[index] = other
    else:
        refill(b[index], other)


def refilled(b: Any, other: Any) -> Any:
    """A shadow with the content of another: itself, where it is a container; else the other."""
    if not isinstance(b, list | tuple | dict):
        return other
    refill(b, other)
    return b


def shadow_among(x: Any, *others: Any) -> Any:
    """The adjoint of x, in memory in which those of others that overlap it have their places, too."""
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "fc":
        return shadow(x)
    low, high = byte_bounds(x)
    for other in others:
        if isinstance(other, np.ndarray) and other.dtype == x.dtype and np.may_share_memory(x, other):
            first, last = byte_bounds(other)
            low, high = min(low, first), max(high, last)
    if (low, high) == byte_bounds(x):
        return shadow(x)
    memory = np.zeros(high - low, np.uint8)
    return np.ndarray(x.shape, x.dtype, memory, x.__array_interface__["data"][0] - low, x.strides)


def beside(x: Any, content: Any = None) -> Any:
    """The tangent of something that is written in place: like a shadow, but that of a number is a number."""
    if isinstance(x, NUMBERS):
        return content if content is not None else 0.0
    if isinstance(x, dict | list | tuple):
        return _beside_all(x, content, beside)
    return shadow(x, content)


def item_shadow(x: Any, shade: Any = None) -> Any:
    """The shadow of an item of a container: the item's own, or that of a number, which is a value everywhere."""
    return shade if shade is not None and not isinstance(x, NUMBERS) else shadow(x)


def _real(content: Any, like: np.ndarray[Any, Any]) -> Any:
    return np.real(content) if np.iscomplexobj(content) and like.dtype.kind != "c" else content


def mirror(v: Any, base: Any, shade: Any) -> Any:
    """What v is of base, of base's shadow: the same view or item; a new shadow where v is neither.

    >>> a = np.arange(6.0)
    >>> b = shadow(a)
    >>> mirror(a[1::2], a, b)[:] = 1.0
    >>> b
    array([0., 1., 0., 1., 0., 1.])
    """
    if isinstance(v, np.ndarray):
        for x, b in _leaves(base, shade):
            if v is x:
                return b
            if isinstance(x, np.ndarray) and np.may_share_memory(v, x):
                return _same_view(v, x, b)
        return shadow(v)
    if isinstance(v, np.flatiter):
        return _flat(mirror(v.base, base, shade))
    if isinstance(v, list | tuple | dict):
        for x, b in _leaves(base, shade):
            if x is v:
                return b
        if isinstance(v, dict):
            return {k: mirror(item, base, shade) for k, item in v.items()}
        parts = [mirror(item, base, shade) for item in v]
        return parts if isinstance(v, list) else tuple(parts)
    return shadow(v)


def add_into(b: Any, v: Any) -> None:
    """Add a gradient to the shadow of a container, in place."""
    if isinstance(b, np.ndarray):
        b += v
    elif isinstance(b, dict):
        for k in b:
            b[k] = _added(b[k], v[k])
    elif isinstance(b, list):
        if len(b) != len(v):
            raise InPlaceError(
                "cannot differentiate again what keeps a list and takes from it",
                why="the list is shorter by the time that its adjoint is made",
                todo="Take the second derivative forward over reverse: tangent.jvp(tangent.grad(f)), hessian, hvp.",
            )  # fmt: skip
        b[:] = [_added(p, q) for p, q in zip(b, v, strict=True)]
    elif isinstance(b, tuple):
        for p, q in zip(b, v, strict=True):
            add_into(p, q)
    elif isinstance(b, NUMBERS):
        raise InPlaceError(
            "cannot follow a number that came out of an array into a list or dict",
            why="what the list or dict holds is written in place", todo="Put the array itself, or a copy, there.",
        )  # fmt: skip


def _added(b: Any, v: Any) -> Any:
    from tangent.runtime.dispatch import add_grad  # beside its use: dispatch knows nothing of storage

    if isinstance(b, np.ndarray | list | dict) and b is not v:
        add_into(b, v)
        return b
    return add_grad(b, v)


def _leaves(base: Any, shade: Any) -> Iterator[tuple[Any, Any]]:
    """Arrays and containers inside a container, with their shadows."""
    yield base, shade
    if isinstance(base, list | tuple):
        for x, b in zip(base, shade):
            yield from _leaves(x, b)
    elif isinstance(base, dict):
        for k, x in base.items():
            yield from _leaves(x, shade[k])


def _same_view(v: np.ndarray[Any, Any], x: np.ndarray[Any, Any], b: np.ndarray[Any, Any]) -> Any:
    if isinstance(b, Cut):
        return np.zeros(v.shape).view(Cut)
    if b.strides != x.strides or b.dtype != v.dtype or x.dtype != v.dtype:
        raise InPlaceError(
            "cannot follow a view that is written in place",
            why=f"it looks at an array of {x.dtype} as {v.dtype}", todo="Write into the array itself.",
        )  # fmt: skip
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


def _flat(b: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
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
            b is s or (isinstance(s, np.ndarray) and np.may_share_memory(b, s)) for s, _ in _leaves(shade, shade)
        )
    if isinstance(b, list | tuple | dict):
        items = b.values() if isinstance(b, dict) else b
        return any(b is s for s, _ in _leaves(shade, shade)) or all(is_part(item, shade) for item in items)
    return False


def rest(b: Any, shade: Any) -> Any:
    """What a call's result hands back: nothing, where its shadow is part of that of an argument; nothing twice."""
    return _handed(b, b, shade, lambda p: np.zeros_like(p))


def _handed(v: Any, b: Any, shade: Any, nothing: Callable[[Any], Any]) -> Any:
    seen = iter(_first_shown(b))

    def inside(v: Any, b: Any) -> Any:
        if isinstance(b, list | tuple | dict):
            keys = b if isinstance(b, dict) else range(len(b))
            return _again(b, {k: inside(v[k], b[k]) for k in keys})
        first = next(seen) if isinstance(b, np.ndarray) else None
        if is_part(b, shade):
            return nothing(b)
        return v if first is None else np.where(first, v, 0.0)

    return inside(v, b)


def _first_shown(b: Any) -> list[Any]:
    """For each array inside, where it is the first to show an element; None where none shares memory with another."""
    arrays = [v for v, _ in _leaves(b, b) if isinstance(v, np.ndarray)]
    if not any(np.may_share_memory(p, q) for i, p in enumerate(arrays) for q in arrays[:i]):
        return [None] * len(arrays)
    found: list[Any] = []
    for v, shown in _leaves(b, _beside_all(b, None, shadow)):
        if isinstance(v, np.ndarray):
            found.append(shown == 0)
            shown[...] = 1.0
    return found


def _again(b: Any, items: dict[Any, Any]) -> Any:
    """A container like another, with other items."""
    if isinstance(b, dict):
        return items
    return type(b)(*items.values()) if hasattr(b, "_fields") else type(b)(items.values())


def unboxed(b: Any, x: Any) -> Any:
    """A shadow as it is given back: the number in it, for a number; likewise inside containers."""
    if isinstance(b, dict):
        return {k: unboxed(v, x[k]) for k, v in b.items()}
    if isinstance(b, list | tuple):
        parts = [unboxed(p, q) for p, q in zip(b, x)]
        return parts if isinstance(b, list) else type(b)(*parts) if hasattr(b, "_fields") else tuple(parts)
    return b[()] if isinstance(b, np.ndarray) and b.ndim == 0 and not isinstance(x, np.ndarray) else b


def returned_rest(v: Any, b: Any, shade: Any) -> Any:
    """The adjoint of `rest`, and its tangent: nothing for what is part of a shadow."""
    return _handed(v, b, shade, shadow)


def unmirror(b: Any, v: Any, base: Any, shade: Any) -> Any:
    """The adjoint of reading a mirror: zeros like the shadow, with b where the mirror is."""
    found = shadow(shade)
    part = mirror(v, base, found)
    if isinstance(part, np.ndarray):
        part += b
    return found


def assigned(b: Any, like: Any, index: Any) -> Any:
    """Zeros with b assigned at an index: the adjoint of `overwritten`."""
    found = shadow(like)
    found[index] = b
    return found


def content(x: Any) -> Any:
    """What an array holds now, or the number itself; to be put back later. Likewise of all that a container holds."""
    if isinstance(x, list | tuple | dict):
        if any(first is not None for first in _first_shown(x)):
            return _beside_all(x, x, beside)
        keys = x if isinstance(x, dict) else range(len(x))
        return _again(x, {k: content(x[k]) for k in keys})
    return x.copy() if isinstance(x, np.ndarray) else x


def add_at(b: Any, index: Any, v: Any) -> None:
    """`b[index] += v`, counting an element every time that the index names it."""
    if isinstance(b, list | tuple | dict):
        add_to_item(b, index, v)
    elif may_repeat(index):
        np.add.at(b, index, _real(v, b))
    else:
        b[index] += _real(v, b)


def add_to_item(b: Any, index: Any, v: Any) -> None:
    """`b[index] += v` for the shadow of a list or dict."""
    from tangent.runtime.dispatch import add_grad  # beside its use: dispatch knows nothing of storage

    if isinstance(index, slice):
        b[index] = [add_grad(p, q) for p, q in zip(b[index], v, strict=True)]
    elif isinstance(b[index], np.ndarray) and not isinstance(v, list | tuple | dict):
        part = b[index]
        part += _real(v, part)
    elif isinstance(b, tuple):
        add_into(b[index], v)
    else:
        b[index] = add_grad(b[index], v)


def overwritten(b: Any, index: Any) -> Any:
    """A copy of `b[index]` as an assignment to that index sees it: of an element named twice only the last counts."""
    found = b[index]
    if not may_repeat(index):
        return found.copy() if isinstance(found, np.ndarray) else found
    order = np.arange(found.size).reshape(found.shape)
    last = np.empty(b.shape, np.intp)
    last[index] = order
    return np.where(last[index] == order, found, 0.0)


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


def placed(a: Any, v: Any, taken: Any) -> Any:
    """The array a with elements of v where `taken` says which."""
    return np.where(taken < 0, a, np.ravel(v)[taken] if np.size(v) else a)


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
    found = np.ones(np.shape(a), np.result_type(a, v))
    np.multiply.at(found, index, v)
    return found


def other_factors_at(a: Any, index: Any, v: Any) -> Any:
    """For each factor of `factors_at`, the product of the others of the same element."""
    v = np.broadcast_to(v, np.shape(a[index]))
    zeros = np.zeros(np.shape(a))
    np.add.at(zeros, index, v == 0)
    rest = factors_at(a, index, np.where(v == 0, 1.0, v))[index]
    alone = zeros[index] - (v == 0) == 0
    return np.where(alone, rest / np.where(v == 0, 1.0, v), 0.0)


def factors_tangent(d: Any, a: Any, index: Any, v: Any) -> Any:
    """The tangent of `factors_at`."""
    found = np.zeros(np.shape(a), np.result_type(a, d))
    np.add.at(found, index, np.broadcast_to(d, np.shape(a[index])) * other_factors_at(a, index, v))
    return found


class _Absent:
    def __repr__(self) -> str:
        return "ABSENT"


ABSENT = _Absent()


class _Item(NamedTuple):
    """An array in a container, and what it held."""

    array: Any
    content: Any


def item_content(x: Any, key: Any) -> Any:
    """What a container holds under a key, to be put back later."""
    if isinstance(x, np.ndarray):
        return content(x[key])
    if isinstance(x, dict) and key not in x:
        return ABSENT
    if isinstance(key, slice):
        return list(x[key])
    return _Item(x[key], x[key].copy()) if isinstance(x[key], np.ndarray) else x[key]


def put_item_back(x: Any, key: Any, kept: Any) -> None:
    """Undo a store into a container."""
    if kept is ABSENT:
        del x[key]
    elif isinstance(kept, _Item):
        kept.array[...] = kept.content
        if not isinstance(x, tuple):
            x[key] = kept.array
    else:
        x[key] = kept


def take_item(b: Any, key: Any, x: Any, kept: Any) -> Any:
    """The shadow of an item that was stored; its place gets that of the item before, which is zero."""
    if isinstance(b, np.ndarray):
        found = overwritten(b, key)
        b[key] = 0.0
        return found
    found = b[key]
    if kept is ABSENT:
        del b[key]
    elif isinstance(key, slice):
        b[key] = [shadow(v, None) for v in kept]
    else:
        b[key] = shadow(kept.array if isinstance(kept, _Item) else kept)
    return found
