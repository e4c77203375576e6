"""Where items of a container go, as the standard library says: found out by doing it to their places."""

from __future__ import annotations

import bisect
import heapq
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable
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


class Moves:
    """What a function of `heapq` does to a list, as where items go: `origins` has the place that each came from.

    Only the items on one way through the heap are compared and moved; the rest stays. A new item comes from the place
    behind the last.
    """

    def __init__(self, items: Any, less: Callable[[Any, Any], bool]) -> None:
        self.items, self.less = items, less
        self.length = len(items)
        self.origins: dict[int, int] = {}

    def origin(self, place: int) -> int:
        return self.origins.get(place, place)

    def put(self, place: int, origin: int) -> None:
        if origin == place:
            self.origins.pop(place, None)
        else:
            self.origins[place] = origin

    def before(self, a: int, b: int) -> bool:
        """Whether the item that came from one place goes before that from another."""
        return self.less(self.items[a], self.items[b])

    def up(self, place: int, top: int) -> None:
        """Let the item at a place rise, up to a place above."""
        item = self.origin(place)
        while place > top and self.before(item, above := self.origin((place - 1) // 2)):
            self.put(place, above)
            place = (place - 1) // 2
        self.put(place, item)

    def down(self, top: int) -> None:
        """Let the item at a place sink: the smaller of two below rises, down to the end, and then it rises itself."""
        item, place = self.origin(top), top
        while (child := 2 * place + 1) < self.length:
            if child + 1 < self.length and not self.before(self.origin(child), self.origin(child + 1)):
                child += 1
            self.put(place, self.origin(child))
            place = child
        self.put(place, item)
        self.up(place, top)


def heap_moves(name: str, items: Any, count: int, less: Callable[[Any, Any], bool]) -> tuple[Moves, int | None]:
    """Where items go in a function of `heapq`, and the place of the one it gives; `count` of them are in the heap yet.

    >>> moves, first = heap_moves("heappop", [1, 4, 2], 3, int.__lt__)
    >>> moves.origins, moves.length, first
    ({0: 2}, 2, 0)
    """
    moves = Moves(items, less)
    if name == "heappush":
        moves.up(count, 0)
        return moves, None
    moves.length = count
    if name == "heapify":
        for place in reversed(range(count // 2)):
            moves.down(place)
        return moves, None
    if name == "heappushpop" and not (count and moves.before(0, count)):
        return moves, count
    if not count:
        raise IndexError("index out of range")
    if name == "heappop":
        moves.length = count - 1
    if moves.length:
        moves.put(0, moves.length if name == "heappop" else count)
        moves.down(0)
    return moves, 0


class HeapEntry:
    """An item of a heap, and the place where it came to be; entries go one before the other as the items do."""

    __slots__ = ("item", "place")

    def __init__(self, item: Any, place: int) -> None:
        self.item, self.place = item, place

    def __lt__(self, other: HeapEntry) -> bool:
        return bool(self.item < other.item)


class HeapOrder:
    """A heap of entries, which tells where the smallest item came to be.

    >>> order = heap_order([3.0, 1.0])
    >>> order.update()
    >>> order.add(heap_entry(0.5, 2))
    >>> order.discard(first := heap_first(order))
    >>> first, heap_first(order), len(order)
    (2, 1, 2)
    """

    __slots__ = ("entries",)

    def __init__(self, entries: list[HeapEntry]) -> None:
        self.entries = entries

    def __len__(self) -> int:
        return len(self.entries)

    def update(self) -> None:
        """`heapq.heapify(heap)`."""
        heapq.heapify(self.entries)

    def add(self, entry: HeapEntry) -> None:
        """`heapq.heappush(heap, item)`."""
        heapq.heappush(self.entries, entry)

    def discard(self, place: int) -> None:
        """`heapq.heappop(heap)`, which gives the item at this place."""
        assert heapq.heappop(self.entries).place == place


def heap_order(items: Any) -> HeapOrder:
    """The order of a list that becomes a heap."""
    return HeapOrder([HeapEntry(item, place) for place, item in enumerate(items)])


def heap_entry(item: Any, place: int) -> HeapEntry:
    """An item that comes to be at a place."""
    return HeapEntry(item, place)


def heap_first(order: HeapOrder) -> int:
    """Where the first item of a heap came to be."""
    return order.entries[0].place


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
