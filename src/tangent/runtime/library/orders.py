"""Places and orders: which item comes when in what is sorted, combined or grouped."""

from __future__ import annotations

import heapq
import itertools
import operator
from collections.abc import Callable
from typing import Any

Function = Callable[..., Any]


def left_open(names: tuple[str, ...], count: int, named: Any, defaults: Any) -> list[str]:
    """The parameters behind the first `count` that a call does not name and that have defaults."""
    return [k for k in names[count:] if k not in named and k in defaults]


def ranking(items: list[Any], key: Function | None, reverse: bool) -> list[int]:
    """Indices in the order of `sorted`; each key is computed once."""
    keys = items if key is None else [key(x) for x in items]
    return sorted(range(len(keys)), key=keys.__getitem__, reverse=reverse)


def merging(keys: list[list[Any]], reverse: bool) -> list[int]:
    """The order in which `heapq.merge` gives the items of several lists, by their places one list behind the other.

    >>> merging([[1, 4], [2]], reverse=False)
    [0, 2, 1]
    """
    places = itertools.count()
    pairs = [[(key, next(places)) for key in inner] for inner in keys]
    return [place for _, place in heapq.merge(*pairs, key=operator.itemgetter(0), reverse=reverse)]


def extreme(items: list[Any], key: Function | None, largest: bool) -> int:
    """The index of the first item with the largest or smallest key."""
    keys = items if key is None else [key(x) for x in items]
    return (max if largest else min)(range(len(keys)), key=keys.__getitem__)


def runs(keys: list[Any]) -> list[tuple[int, int]]:
    """Where keys that are equal begin and end.

    >>> runs([1, 1, 2])
    [(0, 2), (2, 3)]
    """
    starts = [i for i, k in enumerate(keys) if i == 0 or k != keys[i - 1]]
    return list(zip(starts, [*starts[1:], len(keys)]))


def least_length(columns: list[Any]) -> int:
    return min(map(len, columns), default=0)


def longest(columns: list[Any]) -> int:
    return max(map(len, columns), default=0)


def product_indices(columns: list[Any]) -> list[tuple[int, ...]]:
    return list(itertools.product(*(range(len(c)) for c in columns)))


def combination_indices(n: int, r: int) -> list[tuple[int, ...]]:
    return list(itertools.combinations(range(n), r))


def repeated_combination_indices(n: int, r: int) -> list[tuple[int, ...]]:
    return list(itertools.combinations_with_replacement(range(n), r))


def permutation_indices(n: int, r: int | None) -> list[tuple[int, ...]]:
    return list(itertools.permutations(range(n), r))


def slice_indices(n: int, bounds: tuple[Any, ...]) -> list[int]:
    return list(itertools.islice(range(n), *bounds))
