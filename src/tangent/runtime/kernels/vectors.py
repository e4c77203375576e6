"""Nested structures of numbers and arrays as one vector, and back."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from tangent.runtime.dispatch import get_attribute, map_structure
from tangent.runtime.objects import fields_of, is_object
from tangent.runtime.zeros import ZeroGrad


def to_vector(x: Any) -> Any:
    """All numbers of a structure, one after the other.

    >>> to_vector({"a": 1.0, "b": [np.zeros(2), 3.0]})
    array([1., 0., 0., 3.])
    """
    if isinstance(x, (np.ndarray, float)):
        return np.reshape(x, (-1,))
    return np.concatenate([np.ravel(v) for v in _leaves(x)] or [np.zeros(0)])


def from_vector(v: Any, like: Any) -> Any:
    """The numbers of a vector, in the structure of another value.

    >>> from_vector(np.array([1.0, 2.0, 3.0]), {"a": 0.0, "b": np.zeros(2)})
    {'a': np.float64(1.0), 'b': array([2., 3.])}
    """
    start = 0

    def taken(part: Any) -> Any:
        nonlocal start
        if isinstance(part, (dict, list, tuple)) or is_object(part):
            return map_structure(taken, part)
        shape, size = np.shape(part), np.size(part)
        start += size
        return np.reshape(v[start - size : start], shape) if shape else v[start - 1]

    return taken(like)


def vector_like(b: Any, like: Any) -> Any:
    """The gradient of a structure as a vector; parts of it that have none are zero.

    >>> vector_like((None, [1.0]), (np.ones(2), [3.0]))
    array([0., 0., 1.])
    """
    return np.concatenate([*_parts(b, like), np.zeros(0)])


def _parts(b: Any, like: Any) -> Iterator[Any]:
    none = b is None or isinstance(b, ZeroGrad)
    if isinstance(like, dict):
        for k, part in like.items():
            yield from _parts(None if none else b[k], part)
    elif isinstance(like, (list, tuple)):
        for k, part in enumerate(like):
            yield from _parts(None if none else b[k], part)
    elif is_object(like):
        for k, part in fields_of(like).items():
            yield from _parts(None if none else get_attribute(b, k), part)
    else:
        yield np.zeros(np.size(like)) if none else np.ravel(b)


def _leaves(x: Any) -> Iterator[Any]:
    if isinstance(x, (dict, list, tuple)):
        for part in x.values() if isinstance(x, dict) else x:
            yield from _leaves(part)
    elif is_object(x):
        yield from _leaves(list(fields_of(x).values()))
    else:
        yield np.asarray(x)


__all__ = ["from_vector", "to_vector", "vector_like"]
