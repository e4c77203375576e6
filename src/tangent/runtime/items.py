"""Gradients of lists and dicts of which only some items are not zero; they are in gradients of memories alone."""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterable, Iterator
from typing import Any

from tangent.runtime.dispatch import lazy_zero, repack
from tangent.runtime.objects import Internal
from tangent.runtime.tables import ABSENT, Table
from tangent.runtime.zeros import ZeroGrad


class Items(Internal):
    """A gradient of what a list or dict holds, with the items that were touched.

    `like` is what it holds, `table` has gradients by key, or by place less `shift`: what comes or goes at the front
    moves all others at once.

    >>> b = Items([1.0, 2.0, 3.0], Table({1: 0.5}))
    >>> b.plus(Items(b.like, Table({1: 0.25, 2: 4.0})), lambda p, q: p + q).whole()
    [0.0, 0.75, 4.0]
    >>> b.moved([9.0, *b.like], 0, 1).whole()
    [0.0, 0.0, 0.5, 0.0]
    """

    __slots__ = ("like", "shift", "table")

    def __init__(self, like: Any, table: Table, shift: int = 0) -> None:
        self.like, self.table, self.shift = like, table, shift

    def __len__(self) -> int:
        return len(self.like)

    def __getitem__(self, place: Any) -> Any:
        if not isinstance(self.like, dict):
            if isinstance(place, slice):
                return self.whole()[place]
            place += len(self.like) if place < 0 else 0
        found = self.table.get(place - self.shift if self.shift else place, ABSENT)
        return lazy_zero(self.like[place]) if found is ABSENT else found

    def __iter__(self) -> Iterator[Any]:
        return iter(self.whole())

    def whole(self) -> Any:
        """The gradient with something for all items."""
        if isinstance(self.like, dict):
            return {k: self[k] for k in self.like}
        return repack(self.like, *(self[k] for k in range(len(self.like))))

    def parts(self) -> list[tuple[Any, Any]]:
        """The items that are there, by key or place."""
        shift = self.shift
        return [(k + shift, b) for k, b in self.table.items()] if shift else self.table.items()

    def plus(self, other: Any, add: Callable[[Any, Any], Any]) -> Items:
        """The sum of this and another gradient of the same list or dict."""
        if isinstance(other, Items) and len(other.table) > len(self.table):
            return other.plus(self, add)
        table, shift = self.table, self.shift
        for place, b in _parts(other):
            if b is None or isinstance(b, ZeroGrad):
                continue
            key = place - shift if shift else place
            known = table.get(key, ABSENT)
            table = table.having(key, b if known is ABSENT else add(known, b))
        return Items(self.like, table, shift)

    def mapped(self, function: Callable[[Any], Any]) -> Any:
        """The whole gradient, with what a function makes of its items."""
        made = self.whole()
        if isinstance(made, dict):
            return {k: function(v) for k, v in made.items()}
        return repack(made, *map(function, made))

    def without(self, like: Any, places: Iterable[Any]) -> Items:
        """The gradient of something like it in which some items have no part."""
        table, shift = self.table, self.shift
        for place in places:
            table = table.without(place - shift if shift else place)
        return Items(like, table, shift)

    def rearranged(self, like: Any, origins: dict[int, int]) -> Items:
        """The gradient of a list of which some items went to other places; one that is not in it was new."""
        shift, table = self.shift, self.table
        found = {origin: table.get(place - shift, ABSENT) for place, origin in origins.items() if origin < len(like)}
        table = self.without(like, [*origins, len(like)]).table
        for origin, b in found.items():
            table = table if b is ABSENT else table.having(origin - shift, b)
        return Items(like, table, shift)

    def moved(self, like: Any, start: int, by: int) -> Items:
        """The gradient of a list in which the items from a place on are further back, or nearer to the front."""
        if start >= len(like) - (by > 0):
            return Items(like, self.table, self.shift)
        if start == 0:
            return Items(like, self.table, self.shift + by)
        return Items(like, Table({k if k < start else k + by: b for k, b in self.parts()}))


def _parts(b: Any) -> Iterable[tuple[Any, Any]]:
    """The items of a gradient, by key or place."""
    if isinstance(b, Items):
        return b.parts()
    return b.items() if isinstance(b, dict) else enumerate(b)


def in_items(b: Any) -> Any:
    """The gradient of a list or dict by items, so that changes of one cost nothing for the others."""
    return Items(b, Table(dict(_parts(b)))) if isinstance(b, (list, dict, deque)) else b


def whole(b: Any) -> Any:
    """A gradient with something for all items."""
    return b.whole() if isinstance(b, Items) else b
