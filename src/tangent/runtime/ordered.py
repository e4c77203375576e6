"""Where items of a container go, as the standard library says: found out by doing it to their places."""

from __future__ import annotations

import bisect
import heapq
from collections import Counter, OrderedDict, defaultdict, deque
from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.persistent import has_rows

HEAPS = frozenset({heapq.heappush, heapq.heappop, heapq.heapify, heapq.heapreplace, heapq.heappushpop})
INSERTS = {bisect.insort_left: False, bisect.insort_right: True}


def new_deque(items: Any, maxlen: int | None) -> Any:
    """A deque of its own."""
    return deque(items, maxlen)


def new_default_dict(factory: Any, items: Any) -> Any:
    """A defaultdict of its own."""
    for cell in getattr(factory, "__closure__", None) or ():
        if _holds_numbers(cell.cell_contents):
            raise UnsupportedError(
                "cannot differentiate a defaultdict whose items depend on a variable",
                why="they are made where a key is missing, which is not followed",
                todo="Write d.setdefault(key, value), or look whether the key is there.",
            )
    return defaultdict(factory, items)


def new_ordered_dict(items: Any) -> Any:
    """An OrderedDict of its own."""
    return OrderedDict(items)


def new_counter(items: Any) -> Any:
    """A Counter of its own."""
    return Counter(items)


class CounterTangent(Counter[Any]):
    """How the counts of a Counter change: nothing is dropped, so that the operators of Counters are not its own."""

    def __add__(self, other: Any) -> Any:
        raise UnsupportedError(
            "cannot differentiate an operator on a Counter", why="it drops what is not positive",
            todo="Make both Counters in the function, or write c.update(d), c.subtract(d).",
        )  # fmt: skip

    __sub__ = __or__ = __and__ = __iadd__ = __isub__ = __ior__ = __iand__ = __radd__ = __rsub__ = __add__

    def __pos__(self) -> Any:
        return self + self

    __neg__ = __pos__


def new_counter_tangent(items: Any) -> Any:
    """The tangent of a Counter."""
    return CounterTangent(items)


def _holds_numbers(x: Any) -> bool:
    if isinstance(x, dict):
        return any(map(_holds_numbers, x.values()))
    if isinstance(x, (list, tuple, set, frozenset, deque)):
        return any(map(_holds_numbers, x))
    return isinstance(x, (float, complex, np.ndarray, np.inexact))


def counts_of(items: Any) -> dict[Any, int]:
    """How often each item is there."""
    return dict(Counter(items))


class _Ranked:
    """An item that is compared, and its place."""

    def __init__(self, item: Any, place: int) -> None:
        self.item, self.place = item, place

    def __lt__(self, other: _Ranked) -> bool:
        return bool(self.item < other.item)


def heap_order(name: str, items: Any) -> tuple[list[int], int | None]:
    """The places of items after a function of `heapq`, and of the one it gives; a new item is the last one.

    >>> heap_order("heappop", [1, 4, 2])
    ([2, 1], 0)
    """
    ranked = [_Ranked(v, i) for i, v in enumerate(items)]
    given = [] if name in ("heapify", "heappop") else [ranked.pop()]
    found = getattr(heapq, name)(ranked, *given)
    return [r.place for r in ranked], None if found is None else found.place


def place_for(right: bool, items: Any, value: Any, *bounds: Any, **options: Any) -> int:
    """Where `bisect.insort` puts a value."""
    if (key := options.get("key")) is not None:
        value = key(value)
    return (bisect.bisect_right if right else bisect.bisect_left)(items, value, *bounds, **options)


def place_of(items: Any, value: Any) -> int:
    """Where `remove` finds a value."""
    return list(items).index(value)


def key_at_end(items: Any, last: bool) -> Any:
    """The last key of a dict, or the first."""
    if not items:
        raise KeyError("popitem(): dictionary is empty")
    return next(reversed(items)) if last else next(iter(items))


def keys_by_count(counts: Any, n: Any = None) -> list[Any]:
    """The keys of a Counter, those with the largest values first; of them the first n.

    >>> keys_by_count({"a": 1.0, "b": 3.0, "c": 2.0}, 2)
    ['b', 'c']
    """
    found = sorted(counts, key=counts.__getitem__, reverse=True)
    return found if n is None else found[: max(n, 0)]


def of_text(x: Any, name: str, args: Any, named: Any) -> Any:
    """`x.name(...)`, of a text or a range: nothing in it has a derivative."""
    return getattr(x, name)(*args, **named)


def is_range_or_text(x: Any) -> bool:
    return isinstance(x, (str, range, bytes))


def plain_items(x: Any) -> list[Any]:
    """What a loop over text or over numbers of a range runs over."""
    return list(x)


def is_set(x: Any) -> bool:
    return isinstance(x, set)


def changes_in_place(x: Any) -> bool:
    """Whether an operator in place changes something, rather than that it makes something new."""
    if isinstance(x, np.ndarray):
        return bool(x.dtype != object)
    return isinstance(x, (list, deque, dict, set)) or has_rows(x)


def is_counter(x: Any) -> bool:
    return isinstance(x, Counter)


def key_set(items: Any) -> set[Any]:
    """A set of keys."""
    return changed_set(set(), "update", list(items))  # type: ignore[no-any-return]


def changed_set(x: Any, method: str, *values: Any) -> Any:
    """A set of keys after a method was called on it; what is in it has no derivative."""
    if any(map(_holds_numbers, values)):
        raise UnsupportedError(
            f"cannot differentiate '{method}' of a set here", why="numbers lose their derivative in a set",
            todo="Use a list, or a set of indices.",
        )  # fmt: skip
    made = x.copy()
    getattr(made, method)(*values)
    return made


def key_to_pop(x: Any) -> Any:
    """The key that `x.pop()` takes out of a set."""
    return x.copy().pop()
