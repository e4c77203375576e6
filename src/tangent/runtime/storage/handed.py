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


def content_beside(d: Any, x: Any, others: tuple[Any, ...]) -> Any:
    """What a tangent holds now, as `content`; but where the value is part of some others, it stays what it is.

    What shares memory does so in the copies: an array, and views of it that were kept beside it.
    """
    roots = [id(_memory_of(part)) for part in _apart(d, x, others)]
    made: dict[int, np.ndarray[Any, Any]] = {}
    several = {root for root, count in Counter(roots).items() if count > 1}

    def copied(part: Any, value: Any) -> Any:
        if isinstance(value, (list, tuple, dict)):
            keys = value if isinstance(value, dict) else range(len(value))
            same = isinstance(part, type(value))
            return _again(value, {k: copied(part[k], value[k]) for k in keys}) if same else part
        if not _is_apart(part, value, others):
            return part
        memory = _memory_of(part)
        if id(memory) not in several:
            return part.copy()
        if id(memory) not in made:
            made[id(memory)] = laid_out_like(memory, memory.dtype)
            made[id(memory)][...] = memory
        return same_view(part, memory, made[id(memory)])

    return copied(d, x)


def _apart(d: Any, x: Any, others: tuple[Any, ...]) -> Iterator[np.ndarray[Any, Any]]:
    """The arrays of a tangent that are copied."""
    if isinstance(x, (list, tuple, dict)):
        for k in x if isinstance(x, dict) else range(len(x)):
            if isinstance(d, type(x)):
                yield from _apart(d[k], x[k], others)
    elif _is_apart(d, x, others):
        yield d


def _is_apart(d: Any, x: Any, others: tuple[Any, ...]) -> bool:
    return isinstance(d, np.ndarray) and not (isinstance(x, np.ndarray) and is_part(x, others))


def _memory_of(x: np.ndarray[Any, Any]) -> np.ndarray[Any, Any]:
    """The array that an array is a view of."""
    while isinstance(x.base, np.ndarray):
        x = x.base
    return x
