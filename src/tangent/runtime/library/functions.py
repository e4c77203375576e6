"""Functions of the standard library that take functions or give iterators, in plain Python that Tangent reads.

A call of the original on the way of a derivative is a call of its stand-in here. Those that stand for iterators give
lists: they are used only where Python reads the whole iterator at once.
"""

from __future__ import annotations

import dataclasses
import functools
import heapq
import itertools
import operator
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.errors import UnsupportedError
from tangent.runtime.classes import listing_of, telling_of, telling_of_parent
from tangent.runtime.dispatch import sequence
from tangent.runtime.kernels.sequences import picked
from tangent.runtime.library.dicts import items_of, keys_of, subset, values_of
from tangent.runtime.library.fields import as_dict, as_tuple
from tangent.runtime.library.orders import (
    combination_indices,
    extreme,
    least_length,
    left_open,
    longest,
    merging,
    permutation_indices,
    product_indices,
    ranking,
    repeated_combination_indices,
    runs,
    slice_indices,
)
from tangent.runtime.objects import field, is_method, parent_method

Function = Callable[..., Any]


def reduced(function: Function, iterable: Any, *initial: Any) -> Any:
    """`functools.reduce`."""
    items = [*initial, *sequence(iterable)]
    if not items:
        raise TypeError("reduce() of empty iterable with no initial value")
    value = items[0]
    for k in range(1, len(items)):
        value = function(value, items[k])
    return value


def accumulated(iterable: Any, function: Any = None, *, initial: Any = None) -> Any:
    """`itertools.accumulate`, all of it."""
    items = list(sequence(iterable)) if initial is None else [initial, *sequence(iterable)]
    found = []
    if items:
        value = items[0]
        found.append(value)
        for k in range(1, len(items)):
            value = value + items[k] if function is None else function(value, items[k])
            found.append(value)
    return found


def partial_of(function: Function, *given: Any, **named: Any) -> Function:
    """`functools.partial`."""

    def bound(*args, **more):  # type: ignore[no-untyped-def]
        every = [*given, *args]
        names = {**named, **more}
        return function(*every, **names)

    return bound


def applied_function(function: Any) -> Any:
    """The function behind a `functools.partial`, or behind what takes its place here; None for others."""
    if isinstance(function, functools.partial):
        return function.func
    code = getattr(function, "__code__", None)
    if getattr(function, "__module__", "") != __name__ or code is None or "function" not in code.co_freevars:
        return None
    return function.__closure__[code.co_freevars.index("function")].cell_contents


def is_instance(x: Any, cls: Any) -> bool:
    """`isinstance`, of what may be a function that takes the place of a `functools.partial` here."""
    code = getattr(x, "__code__", None)
    stands_for_one = code is not None and applied_function(x) is not None and "given" in code.co_freevars
    return issubclass(functools.partial, cls) if stands_for_one else isinstance(x, cls)


def with_defaults(function: Function, names: tuple[str, ...], defaults: Any) -> Function:
    """A function whose parameters have defaults: those that a call leaves open."""

    def bound(*args, **named):  # type: ignore[no-untyped-def]
        keys = left_open(names, len(args), named, defaults)
        given = {**subset(defaults, keys), **named}
        return function(*args, **given)

    return bound


def items_given(owner: Any, title: str, /, *args: Any, **named: Any) -> Any:
    """All that a method gives to a loop, of a class that is known when it is called: it may be a generator."""
    if is_method(owner, title):
        method = listing_of(owner, title)
        return method(owner, *args, **named)
    held = field(owner, title)
    return list(held(*args, **named))


def told_by(owner: Any, title: str, /, *args: Any, **named: Any) -> Any:
    """What a method gives, or what it raises, of a class that is known when it is called."""
    method = telling_of(owner, title)
    if method is not None:
        return method(owner, *args, **named)
    held = field(owner, title)
    value = held(*args, **named)
    return None, value, ()


def told_by_parent(cls: type, owner: Any, title: str, /, *args: Any, **named: Any) -> Any:
    """The same of `super().title(...)` in a method of a class."""
    method = telling_of_parent(cls, owner, title)
    if method is not None:
        return method(owner, *args, **named)
    held = parent_method(cls, owner, title)
    value = held(owner, *args, **named)
    return None, value, ()


def sorted_by(iterable: Any, key: Function | None, reverse: bool = False) -> Any:
    """`sorted` with a key, each key computed once."""
    items = list(sequence(iterable))
    return picked(items, ranking(items, key, reverse))


def n_largest(n: int, iterable: Any, key: Any = None) -> Any:
    """`heapq.nlargest`."""
    found = sorted(iterable, reverse=True) if key is None else sorted_by(iterable, key, True)
    return found[: max(n, 0)]


def n_smallest(n: int, iterable: Any, key: Any = None) -> Any:
    """`heapq.nsmallest`."""
    found = sorted(iterable) if key is None else sorted_by(iterable, key)
    return found[: max(n, 0)]


def merged_in_order(*iterables: Any, key: Any = None, reverse: bool = False) -> Any:
    """`heapq.merge`, all of it."""
    lists = [list(sequence(items)) for items in iterables]
    keys = lists if key is None else [[key(v) for v in items] for items in lists]
    return picked([v for items in lists for v in items], merging(keys, reverse))


def grouped(iterable: Any, key: Any = None) -> Any:
    """`itertools.groupby`, all of it."""
    items = list(sequence(iterable))
    keys = [v if key is None else key(v) for v in items]
    return [(keys[i], items[i:j]) for i, j in runs(keys)]


def chosen_by(iterable: Any, key: Function | None, largest: bool) -> Any:
    """`max` and `min` with a key."""
    items = list(sequence(iterable))
    return items[extreme(items, key, largest)]


def chosen_or(iterable: Any, key: Any, largest: bool, default: Any) -> Any:
    """`max` and `min` with a default."""
    items = list(sequence(iterable))
    if not items:
        return default
    if key is not None:
        return chosen_by(items, key, largest)
    return max(items) if largest else min(items)


def zipped(*iterables: Any, strict: bool = False) -> Any:
    """`zip`, all of it."""
    columns = [sequence(items) for items in iterables]
    if strict and least_length(columns) != longest(columns):
        raise ValueError("zip() arguments have different lengths")
    return [tuple([c[k] for c in columns]) for k in range(least_length(columns))]


def counted_part(start: Any, step: Any, places: range) -> Any:
    """`itertools.islice(itertools.count(start, step), ...)`, all of it."""
    return [start + k * step for k in places]


def cycled_part(items: Any, places: range) -> Any:
    """`itertools.islice(itertools.cycle(items), ...)`, all of it."""
    held = sequence(items)
    return [held[k % len(held)] for k in places]


def repeated_part(value: Any, places: range) -> Any:
    """`itertools.islice(itertools.repeat(value), ...)`, all of it."""
    return [value for _ in places]


def zipped_longest(*iterables: Any, fillvalue: Any = None) -> Any:
    """`itertools.zip_longest`, all of it."""
    columns = [sequence(items) for items in iterables]
    rows = []
    for k in range(longest(columns)):
        rows.append(tuple([c[k] if k < len(c) else fillvalue for c in columns]))
    return rows


def products(*iterables: Any, repeat: int = 1) -> Any:
    """`itertools.product`, all of it."""
    once = [list(sequence(items)) for items in iterables]
    columns = [c for _ in range(repeat) for c in once]
    return [tuple([c[i] for c, i in zip(columns, index)]) for index in product_indices(columns)]


def combined(iterable: Any, r: int) -> Any:
    """`itertools.combinations`, all of it."""
    items = list(sequence(iterable))
    return [tuple([items[i] for i in index]) for index in combination_indices(len(items), r)]


def combined_again(iterable: Any, r: int) -> Any:
    """`itertools.combinations_with_replacement`, all of it."""
    items = list(sequence(iterable))
    return [tuple([items[i] for i in index]) for index in repeated_combination_indices(len(items), r)]


def permuted(iterable: Any, r: Any = None) -> Any:
    """`itertools.permutations`, all of it."""
    items = list(sequence(iterable))
    return [tuple([items[i] for i in index]) for index in permutation_indices(len(items), r)]


def neighbours(iterable: Any) -> Any:
    """`itertools.pairwise`, all of it."""
    items = list(sequence(iterable))
    return [(items[k], items[k + 1]) for k in range(len(items) - 1)]


def batches(iterable: Any, n: int) -> Any:
    """`itertools.batched`, all of it."""
    items = list(sequence(iterable))
    return [tuple(items[k : k + n]) for k in range(0, len(items), n)]


def sliced(iterable: Any, *bounds: Any) -> Any:
    """`itertools.islice` of something with a length."""
    items = sequence(iterable)
    return [items[k] for k in slice_indices(len(items), bounds)]


def taken_while(predicate: Function, iterable: Any) -> Any:
    """`itertools.takewhile`, all of it."""
    found = []
    for x in iterable:
        if not predicate(x):
            break
        found.append(x)
    return found


def dropped_while(predicate: Function, iterable: Any) -> Any:
    """`itertools.dropwhile`, all of it."""
    found = []
    dropping = True
    for x in iterable:
        if dropping:
            dropping = bool(predicate(x))
        if not dropping:
            found.append(x)
    return found


def unit_arrays(value: Any) -> list[Any]:
    """Arrays like the value with a single one in them, each in turn."""
    found = np.asarray(value).dtype
    rows = np.eye(int(np.size(value)), dtype=found if found.kind in "fc" else float)
    return [np.reshape(row, np.shape(value))[()] for row in rows]


def joined_dtype(*parts: Any) -> Any:
    """The dtype of arrays and numbers that are joined; none is asked for where all are integers."""
    found = np.result_type(*(np.asarray(p) if isinstance(p, (list, tuple)) else p for p in parts))
    return found if found.kind in "fcO" else None


def joined_shape(value: Any, argument: Any) -> tuple[int, ...]:
    """The shape of the matrix of derivatives of one value by another."""
    for each in (value, argument):
        if np.asarray(each).dtype.kind not in "fciub":
            raise UnsupportedError(
                f"cannot differentiate a matrix of derivatives with a {type(each).__name__} in it",
                why="inside a differentiated function such a matrix is one of arrays and numbers",
                todo="Give the inner function the arrays as arguments, and let it return one.",
            )  # fmt: skip
    return (*np.shape(value), *np.shape(argument))


EAGER: dict[Any, Function] = {
    functools.reduce: reduced, functools.partial: partial_of, heapq.nlargest: n_largest, heapq.nsmallest: n_smallest,
    dataclasses.asdict: as_dict, dataclasses.astuple: as_tuple, heapq.merge: merged_in_order,
}  # fmt: skip
LAZY: dict[Any, Function] = {
    itertools.accumulate: accumulated, itertools.zip_longest: zipped_longest, itertools.product: products,
    itertools.combinations: combined, itertools.combinations_with_replacement: combined_again,
    itertools.permutations: permuted, itertools.pairwise: neighbours, itertools.takewhile: taken_while,
    itertools.dropwhile: dropped_while, itertools.islice: sliced, itertools.groupby: grouped,
}  # fmt: skip
if hasattr(itertools, "batched"):
    LAZY[itertools.batched] = batches
VIEWS = {"keys": keys_of, "values": values_of, "items": items_of}
GETTERS = (operator.itemgetter, operator.attrgetter, operator.methodcaller)
