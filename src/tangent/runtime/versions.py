"""Versions of one array: the root is in memory, every other version is a difference to the version nearer the root.

After `x[1] = 7.0` while someone holds the version before, that version says "the same, but [1] is 2.0":

    before --Put(1, 2.0)--> root

Reading the version before moves the root to it: the array is changed back, and the difference turned round. A version
refers to the next one towards the root and never the other way. So it goes, with its difference, as soon as
no handle refers to it and no other version needs it on its way to the root.
"""

from __future__ import annotations

import threading
import weakref
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np

Array = np.ndarray[Any, Any]


class Buffer:
    """The one array in memory, with room for more rows; `length` of them are in use."""

    __slots__ = ("data", "length", "lock")

    def __init__(self, data: Array) -> None:
        self.data, self.length, self.lock = data, len(data), threading.RLock()

    def rows(self) -> Array:
        return self.data if self.length == len(self.data) else self.data[: self.length]

    def extend(self, rows: Array) -> None:
        """Put rows behind the last one; room is doubled when there is none, so that n rows cost n."""
        end = self.length + len(rows)
        if end > len(self.data):
            data = np.empty((max(2 * len(self.data), end, 8), *self.data.shape[1:]), self.data.dtype)
            data[: self.length] = self.rows()
            self.data = data
        self.data[self.length : end] = rows
        self.length = end


def part_of(rows: Array, index: Any) -> Any:
    """What is at an index now."""
    part = rows[index]
    return part.copy() if isinstance(part, (np.ndarray, np.void)) else part  # a row of fields shows the array


class Difference(Protocol):
    def apply(self, buffer: Buffer, turn: bool) -> Difference | None:
        """Change the array in memory; the difference turned round, if it is wanted."""
        ...


@dataclass(slots=True)
class Put:
    """Other values at an index."""

    index: Any
    values: Any

    def apply(self, buffer: Buffer, turn: bool) -> Difference | None:
        rows = buffer.rows()
        back = Put(self.index, part_of(rows, self.index)) if turn else None
        rows[self.index] = self.values
        return back


@dataclass(slots=True)
class Cut:
    """Fewer rows."""

    length: int

    def apply(self, buffer: Buffer, turn: bool) -> Difference | None:
        back = Grow(buffer.data[self.length : buffer.length].copy()) if turn else None
        buffer.length = self.length
        return back


@dataclass(slots=True)
class Grow:
    """More rows."""

    rows: Array

    def apply(self, buffer: Buffer, turn: bool) -> Difference | None:
        back = Cut(buffer.length) if turn else None
        buffer.extend(self.rows)
        return back


class Version:
    """One version; the root has no difference and no next version."""

    __slots__ = ("__weakref__", "buffer", "difference", "length", "next")

    def __init__(self, buffer: Buffer) -> None:
        self.buffer, self.length = buffer, buffer.length
        self.difference: Difference | None = None
        self.next: Version | None = None

    def rows(self) -> Array:
        """The array of this version, which becomes the root; good until another version is read or written."""
        if self.next is not None:
            self._make_root()
        return self.buffer.rows()

    def _make_root(self) -> None:
        way: list[Version] = []
        root: Version | None = self
        while root is not None and root.next is not None:
            way.append(root)
            root = root.next
        while way:
            nearer = way.pop()
            difference, nearer.difference, nearer.next = nearer.difference, None, None
            assert root is not None and difference is not None
            seen = weakref.ref(root)
            root = None
            root = seen()  # gone, if nobody else holds it: then nobody needs a way back to it
            back = difference.apply(self.buffer, root is not None)
            if root is not None:
                root.difference, root.next = back, nearer
            root = nearer
