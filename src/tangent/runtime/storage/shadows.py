"""Shadows: arrays beside arrays, of their layout, alone or inside containers."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np
from numpy.lib.array_utils import byte_bounds

from tangent.errors import InPlaceError
from tangent.runtime.dispatch import init_grad, is_foreign, is_numpy_like, like_dict
from tangent.runtime.memory import Memory
from tangent.runtime.objects import is_object
from tangent.runtime.storage.views import Cut, Still, flattened, in_memory, laid_out_like, leaves_of, same_view
from tangent.runtime.usual import require_usual_items
from tangent.runtime.zeros import ZeroGrad, gradient_dtype

NUMBERS = (float, int, complex, np.generic)


def shadow(x: Any, content: Any = None) -> Any:
    """The adjoint of x, to be changed in place: zeros, or a copy of some content; of a number, an array without axes.

    >>> shadow(np.ones(2))
    array([0., 0.])
    >>> shadow(np.ones(2), np.array([1.0, 2.0]))
    array([1., 2.])
    """
    if isinstance(x, np.ndarray):
        dtype = gradient_dtype(x.dtype)
        if x.dtype.kind not in "fcO" or isinstance(x, Cut):
            return np.zeros(x.shape).view(Cut)
        made = laid_out_like(x, dtype)
        if content is not None:
            made[...] = real_part(content, made)
        return made
    if isinstance(x, NUMBERS):
        whole = isinstance(x, int) or np.asarray(x).dtype.kind not in "fc"
        made = np.zeros((), np.complex128 if isinstance(x, (complex, np.complexfloating)) and not whole else np.float64)
        if content is not None:
            made[...] = content
        return made
    if isinstance(x, Memory):
        raise InPlaceError(
            "cannot follow what is written in place here",
            why="of an array that nothing else holds, views go to where arrays are followed by what holds them",
            todo="Make new arrays instead of changing old ones.",
        )  # fmt: skip
    require_usual_items(x)
    if isinstance(x, (dict, list, tuple)):
        return beside_all(x, content, shadow)
    if is_numpy_like(x):
        return init_grad(x) if content is None else np.array(content)
    if isinstance(x, ZeroGrad):  # of an object
        return init_grad(x) if content is None else content
    if is_foreign(x):
        raise InPlaceError(
            f"cannot differentiate writes into a {type(x).__name__}",
            why="of arrays that are written in place only those of NumPy are followed",
            todo="Make new arrays instead of changing old ones.",
        )  # fmt: skip
    return None


def beside_all(x: Any, content: Any, make: Callable[..., Any]) -> Any:
    """Shadows or tangents of all that a container holds: what is one thing twice, or overlaps, is so there."""
    leaves = [v for v, _ in leaves_of(x, x) if isinstance(v, np.ndarray)]
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
                new = new.view(Still) if isinstance(new, Cut) and make is beside else new
            if c is not None:
                new[...] = real_part(c, new)
            return new
        if isinstance(v, dict):
            return like_dict(v, {k: beside_one(item, None if c is None else c[k]) for k, item in v.items()})
        if isinstance(v, (list, tuple)):
            parts = [beside_one(item, d) for item, d in zip(v, c if c is not None else [None] * len(v))]
            return parts if isinstance(v, list) else type(v)(*parts) if hasattr(v, "_fields") else tuple(parts)
        return make(v, c)

    return beside_one(x, content)


def refill(b: Any, other: Any) -> None:
    """Give a shadow the content of another of the same structure."""
    if isinstance(b, np.ndarray):
        b[...] = other
    elif isinstance(b, (list, tuple, dict)):
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
    if not isinstance(b, (list, tuple, dict)):
        return other
    refill(b, other)
    return b


def shadow_among(x: Any, *others: Any) -> Any:
    """The adjoint of x, in memory in which those of others that overlap it, or each other, have their places, too.

    >>> a = np.zeros((3, 2))
    >>> shadow_among(a[0], a[2], a).base.nbytes == a.nbytes
    True
    """
    if not isinstance(x, np.ndarray) or x.dtype.kind not in "fc":
        return shadow(x)
    linked = [x, *linked_to(x, others)]
    low, high = min(byte_bounds(v)[0] for v in linked), max(byte_bounds(v)[1] for v in linked)
    return shadow(x) if (low, high) == byte_bounds(x) else in_memory(x, low, high)


def linked_to(x: Any, others: Any) -> list[Any]:
    """The arrays among others that overlap x, or one that does, or one that does: they need one memory."""
    rest = [v for v, _ in leaves_of(others, None) if isinstance(v, np.ndarray) and v.dtype == x.dtype]
    reached = [x]
    for v in reached:
        reached += [other for other in rest if np.may_share_memory(v, other)]
        rest = [other for other in rest if not np.may_share_memory(v, other)]
    return reached[1:]


def beside(x: Any, content: Any = None) -> Any:
    """The tangent of something that is written in place: like a shadow, but that of a number is a number."""
    if isinstance(x, NUMBERS):
        return content if content is not None else 0.0
    require_usual_items(x)
    if isinstance(x, (dict, list, tuple)):
        return beside_all(x, content, beside)
    if is_object(x) and not isinstance(x, Memory):  # a value: what changes is followed with a memory
        return content if content is not None else init_grad(x)
    made = shadow(x, content)
    return made.view(Still) if isinstance(made, Cut) else made


def item_shadow(x: Any, shade: Any = None) -> Any:
    """The shadow of an item of a container: the item's own, or that of a number, which is a value everywhere."""
    return shade if shade is not None and not isinstance(x, NUMBERS) else _of_values(x)


def _of_values(x: Any) -> Any:
    """The shadow of a value: what a container holds twice has two shadows, each with what came to its place."""
    if isinstance(x, dict):
        return {k: _of_values(v) for k, v in x.items()}
    if isinstance(x, (list, tuple)):
        parts = [_of_values(v) for v in x]
        return parts if isinstance(x, list) else type(x)(*parts) if hasattr(x, "_fields") else tuple(parts)
    return shadow(x)


def real_part(content: Any, like: np.ndarray[Any, Any]) -> Any:
    return np.real(content) if np.iscomplexobj(content) and like.dtype.kind != "c" else content


def mirror(v: Any, base: Any, shade: Any) -> Any:
    """What v is of base, of base's shadow: the same view or item; a new shadow where v is neither.

    A base that has no shadow yet (None) says only where memory is shared.

    >>> a = np.arange(6.0)
    >>> b = shadow(a)
    >>> mirror(a[1::2], a, b)[:] = 1.0
    >>> b
    array([0., 1., 0., 1., 0., 1.])
    """
    if isinstance(v, np.ndarray):
        pairs = list(leaves_of(base, shade))
        for x, b in pairs:
            if v is x and b is not None:
                return b
            if isinstance(x, np.ndarray) and b is not None and np.may_share_memory(v, x):
                return same_view(v, x, b)
        if any(isinstance(x, np.ndarray) and x.dtype == object and _holds(x, v) for x, _ in pairs):
            raise InPlaceError(
                "cannot follow an array that is written in place", why="an array of objects holds it",
                todo="Hold it in a list.",
            )  # fmt: skip
        if not (open_ones := [x for x, b in pairs if b is None and isinstance(x, np.ndarray)]):
            return shadow(v)
        linked = linked_to(v, [x for x, _ in pairs])
        for x, b in pairs:
            if b is not None and any(x is other for other in linked):
                return same_view(v, x, b)
        return shadow_among(v, *open_ones)
    if isinstance(v, np.flatiter):
        return flattened(mirror(v.base, base, shade))
    if isinstance(v, (list, tuple, dict)):
        for x, b in leaves_of(base, shade):
            if x is v:
                return b
        if isinstance(v, dict):
            return {k: mirror(item, base, shade) for k, item in v.items()}
        parts = [mirror(item, base, shade) for item in v]
        return parts if isinstance(v, list) else tuple(parts)
    return shadow(v)


def _holds(x: np.ndarray[Any, Any], v: np.ndarray[Any, Any]) -> bool:
    """Whether v is an item of an array of objects, or shares memory with one."""
    return any(isinstance(item, np.ndarray) and np.may_share_memory(item, v) for item in x.flat)


def unmirror(b: Any, v: Any, base: Any, shade: Any) -> Any:
    """The adjoint of reading a mirror: zeros like the shadow, with b where the mirror is."""
    found = shadow(shade)
    part = mirror(v, base, found)
    if isinstance(part, np.ndarray):
        part += b
    else:
        _add_items(part, b)
    return found


def _add_items(part: Any, b: Any) -> None:
    """Add a gradient to the shadow of a list or dict: that of a number is an array without axes."""
    if isinstance(part, (list, tuple, dict)):
        for k in part if isinstance(part, dict) else range(len(part)):
            if isinstance(part[k], np.ndarray):
                part[k][...] += b[k]
            else:
                _add_items(part[k], b[k])
