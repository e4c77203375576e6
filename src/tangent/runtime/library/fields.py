"""Objects and named tuples by their fields."""

from __future__ import annotations

import dataclasses
from typing import Any

import numpy as np

from tangent.runtime.dispatch import repack_from
from tangent.runtime.library.dicts import dict_of
from tangent.runtime.objects import field


def has_fields(x: Any) -> bool:
    """Whether x is an object of a dataclass."""
    return dataclasses.is_dataclass(x) and not isinstance(x, type)


def field_names(x: Any) -> list[str]:
    """The fields of a dataclass."""
    return [f.name for f in dataclasses.fields(x)]


def as_dict(x: Any) -> Any:
    """`dataclasses.asdict(x)`."""
    if has_fields(x):
        names = field_names(x)
        return dict_of(names, [as_dict(getattr(x, k)) for k in names])
    if isinstance(x, dict):
        names = list(x)
        return dict_of(names, [as_dict(x[k]) for k in names])
    if isinstance(x, list):
        return [as_dict(v) for v in x]
    if isinstance(x, tuple):
        return repack_from(x, [as_dict(v) for v in x])
    return copied(x)


def as_tuple(x: Any) -> Any:
    """`dataclasses.astuple(x)`."""
    if has_fields(x):
        return tuple([as_tuple(getattr(x, k)) for k in field_names(x)])
    if isinstance(x, dict):
        names = list(x)
        return dict_of(names, [as_tuple(x[k]) for k in names])
    if isinstance(x, list):
        return [as_tuple(v) for v in x]
    if isinstance(x, tuple):
        return repack_from(x, [as_tuple(v) for v in x])
    return copied(x)


def copied(x: Any) -> Any:
    """A number, or a copy of an array."""
    if isinstance(x, np.ndarray):
        return np.copy(x)
    return x


def named_dict(x: Any) -> Any:
    """`x._asdict()` of a named tuple."""
    return dict_of(list(x._fields), list(x))


def field_or(x: Any, name: str, default: Any) -> Any:
    """`getattr(x, name, default)`."""
    if hasattr(x, name):
        return field(x, name)
    return default
