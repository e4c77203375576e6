"""What calls hand back and keep: nothing twice, where arrays share memory."""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tangent.runtime.dispatch import like_dict
from tangent.runtime.memory import Memory
from tangent.runtime.storage.shadows import beside, beside_all, shadow
from tangent.runtime.storage.views import is_part, laid_out_like, leaves_of, same_view


def rest(b: Any, shade: Any) -> Any:
    """What a call's result hands back: nothing, where its shadow is part of that of an argument; nothing twice."""
    return _handed(b, b, shade, lambda p: np.zeros_like(p))


def _handed(v: Any, b: Any, shade: Any, nothing: Callable[[Any], Any]) -> Any:
    seen = iter(_first_shown(b))

    def inside(v: Any, b: Any, shared: bool = False) -> Any:
        if isinstance(b, (list, tuple, dict)):
            shared = shared or any(b is s for s, _ in leaves_of(shade, shade))  # with the numbers in it
            keys = b if isinstance(b, dict) else range(len(b))
            return _again(b, {k: inside(v[k], b[k], shared) for k in keys})
        first = next(seen) if isinstance(b, np.ndarray) else None
        if shared or is_part(b, shade):
            return nothing(b)
        return v if first is None else np.where(first, v, 0.0)

    return inside(v, b)


def _first_shown(b: Any) -> list[Any]:
    """For each array inside, where it is the first to show an element; None where none shares memory with another."""
    arrays = [v for v, _ in leaves_of(b, b) if isinstance(v, np.ndarray)]
    if not any(np.may_share_memory(p, q) for i, p in enumerate(arrays) for q in arrays[:i]):
        return [None] * len(arrays)
    found: list[Any] = []
    for v, shown in leaves_of(b, beside_all(b, None, shadow)):
        if isinstance(v, np.ndarray):
            found.append(shown == 0)
            shown[...] = 1.0
    return found


def _again(b: Any, items: dict[Any, Any]) -> Any:
    """A container like another, with other items."""
    if isinstance(b, dict):
        return like_dict(b, items)
    return type(b)(*items.values()) if hasattr(b, "_fields") else type(b)(items.values())


def unboxed(b: Any, x: Any) -> Any:
    """A shadow as it is given back: the number in it, for a number; likewise inside containers."""
    if isinstance(b, dict):
        return {k: unboxed(v, x[k]) for k, v in b.items()}
    if isinstance(b, (list, tuple)):
        parts = [unboxed(p, q) for p, q in zip(b, x)]
        return parts if isinstance(b, list) else type(b)(*parts) if hasattr(b, "_fields") else tuple(parts)
    if not isinstance(b, np.ndarray) or b.ndim or isinstance(x, np.ndarray):
        return b
    return b.astype(x.dtype)[()] if isinstance(x, np.floating) and b.dtype.kind == "f" else b[()]


def returned_rest(v: Any, b: Any, shade: Any) -> Any:
    """The adjoint of `rest`, and its tangent: nothing for what is part of a shadow."""
    return _handed(v, b, shade, shadow)


def content(x: Any) -> Any:
    """What an array holds now, or the number itself; to be put back later. Likewise of all that a container holds."""
    if isinstance(x, Memory):  # made anew where it changes
        return x
    if isinstance(x, (list, tuple, dict)):
        if any(first is not None for first in _first_shown(x)):
            return beside_all(x, x, beside)
        keys = x if isinstance(x, dict) else range(len(x))
        return _again(x, {k: content(x[k]) for k in keys})
    return x.copy() if isinstance(x, np.ndarray) else x


def content_beside(d: Any, x: Any, others: tuple[Any, ...], tangents: tuple[Any, ...]) -> Any:
    """The tangent of what a call gave, sharing memory as that does.

    `others` are what the call was given, `tangents` the tangents of these. What shares memory with one of those, or
    with another part of the result, is copied where the value does not; views are views of the copies.
    """
    arrays = list(_beside(d, x))
    memories = [id(_memory_of(part)) for part, _ in arrays]
    owners = [id(_memory_of(value)) if isinstance(value, np.ndarray) else None for _, value in arrays]
    given = {id(_memory_of(t)) for t, _ in leaves_of(tangents, tangents) if isinstance(t, np.ndarray)}
    several = {m for m, count in Counter(m for m, _ in set(zip(memories, owners))).items() if count > 1}
    shared, shown = given | several, Counter(owners)
    copies: list[Any] = []
    made: dict[tuple[int, int | None], np.ndarray[Any, Any]] = {}
    for (part, value), memory, owner in zip(arrays, memories, owners):
        if memory not in shared or (owner is not None and is_part(value, others)):
            copies.append(part)
        elif owner is None or shown[owner] == 1:
            copies.append(part.copy())
        else:
            whole = _memory_of(part)
            if (memory, owner) not in made:
                made[memory, owner] = laid_out_like(whole, whole.dtype)
                made[memory, owner][...] = whole
            copies.append(same_view(part, whole, made[memory, owner]))
    return _with_arrays(d, x, iter(copies))


def _beside(d: Any, x: Any) -> Iterator[tuple[np.ndarray[Any, Any], Any]]:
    """The arrays of a tangent, with what they are the tangents of."""
    if isinstance(x, (list, tuple, dict)):
        for k in _keys(d, x):
            yield from _beside(d[k], x[k])
    elif isinstance(d, np.ndarray):
        yield d, x


def _with_arrays(d: Any, x: Any, arrays: Iterator[Any]) -> Any:
    """A tangent with other arrays, which come in the order of `_beside`."""
    if isinstance(x, (list, tuple, dict)):
        return _again(x, {k: _with_arrays(d[k], x[k], arrays) for k in _keys(d, x)}) if isinstance(d, type(x)) else d
    return next(arrays) if isinstance(d, np.ndarray) else d


def _keys(d: Any, x: Any) -> Any:
    """The keys of a container whose tangent is one, too."""
    return () if not isinstance(d, type(x)) else x if isinstance(x, dict) else range(len(x))


def _memory_of(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array that an array is a view of."""
    while isinstance(x.base, np.ndarray):
        x = x.base
    return x
