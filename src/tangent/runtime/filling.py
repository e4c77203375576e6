"""Dicts in which reading makes what is not there: `defaultdict`, and classes with `__missing__`."""

from __future__ import annotations

import copy
import functools
import types
from collections import defaultdict
from typing import Any

from tangent.errors import UnsupportedError


def is_filling(x: Any) -> bool:
    """Whether x is a dict in which reading may make what is not there.

    >>> is_filling(defaultdict(list)), is_filling(defaultdict()), is_filling({})
    (True, False, False)
    """
    if isinstance(x, defaultdict):
        return x.default_factory is not None
    return isinstance(x, dict) and _says_what_is_missing(type(x))


@functools.cache
def _says_what_is_missing(cls: type) -> bool:
    return isinstance(getattr(cls, "__missing__", None), types.FunctionType) and cls.__module__ != "collections"


def is_missing(x: Any, key: Any) -> bool:
    """Whether reading an item of x makes one."""
    if not is_filling(x) or key in x:
        return False
    if not isinstance(x, defaultdict):
        _require_reading(x, key)
        return False
    return True


def _require_reading(x: Any, key: Any) -> None:
    """Stop where a class keeps what it says of a key that is not there."""
    trial = copy.copy(x)
    trial[key]
    if key in trial:
        raise UnsupportedError(
            f"cannot differentiate the reading of an item that a '{type(x).__name__}' does not have",
            why="its class keeps what '__missing__' makes, which is not followed",
            todo="Write d.setdefault(key, value), or use a defaultdict.",
        )


def made_by_default(x: Any) -> Any:
    """What a defaultdict gives for a key that it does not have."""
    return x.default_factory()


class Looked(dict[Any, Any]):
    """What a dict holds that reading fills, where nothing may be made."""

    def __missing__(self, key: Any) -> Any:
        raise UnsupportedError(
            f"cannot differentiate the reading of '{key}', which a dict does not have", why="reading makes it there",
            todo="Read it in a statement of its own, before.",
        )  # fmt: skip


def looked_at(x: Any) -> Any:
    """A container that is only looked at, by what is written, asserted or asked."""
    return Looked(x) if is_filling(x) else x
