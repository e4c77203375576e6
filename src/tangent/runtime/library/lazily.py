"""Iterators that are read item by item, in plain Python that Tangent reads: what `next` gives, and lazy functions.

The generators here stand for functions of the standard library where what they are given never ends, or is left
early: they are written out around the loop that reads them.
"""

from __future__ import annotations

import builtins
import itertools
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

Function = Callable[..., Any]


def item_of(taken: Any) -> Any:
    """`next` of an iterator that told whether there was an item, and which."""
    if not taken[0]:
        raise StopIteration
    return taken[1]


def item_or(taken: Any, default: Any) -> Any:
    """`next` with a default, of such an iterator."""
    return taken[1] if taken[0] else default


def next_item(items: Any, k: int) -> Any:
    """`next` of an iterator that has come to an index."""
    if k >= len(items):
        raise StopIteration
    return items[k]


def taken_at(items: Any, k: int) -> tuple[bool, Any]:
    """Whether such an iterator has an item, and which."""
    return (True, items[k]) if k < len(items) else (False, None)


def next_or(items: Any, k: int, default: Any) -> Any:
    """`next` with a default, of such an iterator."""
    return items[k] if k < len(items) else default


def advance(iterator: Any) -> tuple[bool, Any]:
    """Whether an iterator has an item, and which."""
    for item in iterator:
        return True, item
    return False, None


def items_left(items: Any, k: int, stop: int) -> Any:
    """All that comes after an index."""
    return items[k + 1 : stop]


def first_items(items: Any, stop: int) -> Iterator[Any]:
    """`itertools.islice` up to an index."""
    if stop > 0:
        count = 0
        for item in items:
            yield item
            count = count + 1
            if count == stop:
                break


def items_between(items: Any, start: int, stop: int | None, step: int = 1) -> Iterator[Any]:
    """`itertools.islice` of a range."""
    count = 0
    if stop is None or stop > 0:
        for item in items:
            if count >= start and (count - start) % step == 0:
                yield item
            count = count + 1
            if count == stop:
                break


def items_while(function: Function, items: Any) -> Iterator[Any]:
    """`itertools.takewhile`."""
    for item in items:
        if not function(item):
            break
        yield item


def items_after(function: Function, items: Any) -> Iterator[Any]:
    """`itertools.dropwhile`."""
    dropping = True
    for item in items:
        if dropping:
            dropping = function(item)
        if not dropping:
            yield item


def items_counted(items: Any, start: int = 0) -> Iterator[Any]:
    """`enumerate`."""
    count = start
    for item in items:
        yield count, item
        count = count + 1


def items_mapped(function: Function, items: Any) -> Iterator[Any]:
    """`map`."""
    for item in items:
        yield function(item)


def items_kept(function: Function, items: Any) -> Iterator[Any]:
    """`filter`."""
    for item in items:
        if function(item):
            yield item


def items_called(function: Function, sentinel: Any) -> Iterator[Any]:
    """`iter` of a function."""
    while True:
        item = function()
        if item == sentinel:
            break
        yield item


def items_accumulated(items: Any, function: Function = np.add) -> Iterator[Any]:
    """`itertools.accumulate`."""
    started = False
    total = 0.0
    for item in items:
        total = function(total, item) if started else item
        started = True
        yield total


def items_from(start: Any = 0, step: Any = 1) -> Iterator[Any]:
    """`itertools.count`."""
    item = start
    while True:
        yield item
        item = item + step


def items_again(items: Any) -> Iterator[Any]:
    """`itertools.cycle`."""
    while len(items) > 0:
        yield from items


LATER: dict[Any, tuple[Function, ...]] = {
    itertools.islice: (first_items, items_between),
    itertools.takewhile: (items_while,),
    itertools.dropwhile: (items_after,),
    itertools.accumulate: (items_accumulated,),
    itertools.count: (items_from,),
    itertools.cycle: (items_again,),
    builtins.enumerate: (items_counted,),
    builtins.map: (items_mapped,),
    builtins.filter: (items_kept,),
}
