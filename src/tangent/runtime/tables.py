"""Tables that are never changed, only made anew, at no cost: what a memory knows, and gradients of it.

>>> a = Table({"x": 1.0})
>>> b = a.having("x", 2.0).having("y", 3.0)
>>> a.items(), b.items(), b.without("x").items()
([('x', 1.0)], [('x', 2.0), ('y', 3.0)], [('y', 3.0)])

There is one dict, that of the table used last; the others know in which key they differ from the next. A table that is
read again takes the dict back, one difference at a time: nothing for the newest, and one step for each where tables are
read in reverse order, as a backward pass does. A table is for one thread.
"""

from __future__ import annotations

from collections.abc import Hashable
from typing import Any

ABSENT: Any = object()


class Table:
    """A dict of which changes make new ones."""

    __slots__ = ("_data", "_key", "_next", "_old")
    _data: dict[Any, Any] | None
    _next: Table | None

    def __init__(self, data: dict[Any, Any]) -> None:
        self._data = data
        self._next = None

    def having(self, key: Hashable, value: Any) -> Table:
        """The table with another value for a key."""
        data = self._data
        if data is None:
            data = self.taken()
        made = Table(data)
        self._data, self._next, self._key, self._old = None, made, key, data.get(key, ABSENT)
        data[key] = value
        return made

    def without(self, key: Hashable) -> Table:
        """The table without a key."""
        data = self.taken()
        if key not in data:
            return self
        made = Table(data)
        self._data, self._next, self._key, self._old = None, made, key, data.pop(key)
        return made

    def get(self, key: Hashable, default: Any = None) -> Any:
        data = self._data
        return (self.taken() if data is None else data).get(key, default)

    def __contains__(self, key: Hashable) -> bool:
        data = self._data
        return key in (self.taken() if data is None else data)

    def __len__(self) -> int:
        return len(self.taken())

    def keys(self) -> list[Any]:
        return list(self.taken())

    def items(self) -> list[tuple[Any, Any]]:
        """All of it, as a list: reading another table takes the dict away."""
        return list(self.taken().items())

    def taken(self) -> dict[Any, Any]:
        """The dict, as it is for this table; only to be looked at."""
        if self._data is not None:
            return self._data
        way: list[Table] = []
        table: Table = self
        while table._data is None:
            way.append(table)
            assert table._next is not None
            table = table._next
        data = table._data
        for before in reversed(way):
            key, old = before._key, before._old
            table._data, table._next, table._key, table._old = None, before, key, data.get(key, ABSENT)
            if old is ABSENT:
                del data[key]
            else:
                data[key] = old
            before._data, before._next, before._key, before._old = data, None, None, None
            table = before
        return data
