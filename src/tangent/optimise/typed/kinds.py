"""What is known of a value when the types of the arguments are: rank and dtype, or those of its items."""

from __future__ import annotations

import functools
from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import numpy as np


@dataclass(frozen=True)
class Number:
    """A number (rank 0) or an array; the dtype by its letter and size: f8, i8, b1."""

    rank: int
    dtype: str

    @property
    def scalar(self) -> bool:
        return self.rank == 0

    @property
    def real(self) -> bool:
        return self.dtype in ("f8", "i8", "b1")


@dataclass(frozen=True)
class Items:
    """A tuple; a named one has the names of its items as fields."""

    items: tuple[Kind, ...]
    fields: tuple[str, ...] = ()

    def with_items(self, items: Iterable[Kind]) -> Items:
        return Items(tuple(items), self.fields)


@dataclass(frozen=True)
class Stack:
    """A list, with what is on it."""

    item: Kind


@dataclass(frozen=True)
class Named:
    """A named tuple, one of several."""


@dataclass(frozen=True)
class Dtype:
    """What arrays hold: `x.dtype`."""

    name: str


@dataclass(frozen=True)
class Unknown:
    """Anything."""


# None: nothing is known yet, because no value has been seen.
Kind = Number | Items | Stack | Named | Dtype | Unknown | None
UNKNOWN = Unknown()
DEPTH = 5  # what holds more in each other may be something that holds its own kind, and has no end
FLOAT, INT, BOOL, COMPLEX = (Number(0, t) for t in ("f8", "i8", "b1", "c16"))


def kind_of(value: Any) -> Kind:
    """The kind of an argument.

    >>> kind_of((np.ones((2, 3)), 1))
    Items(items=(Number(rank=2, dtype='f8'), Number(rank=0, dtype='i8')), fields=())
    """
    match value:
        case bool() | np.bool_():
            return BOOL
        case float():
            return FLOAT
        case int():
            return INT
        case complex():
            return COMPLEX
        case np.generic() | np.ndarray() if value.dtype.kind in "biufc":  # not records, texts or dates
            return Number(value.ndim, value.dtype.str[1:])
        case tuple() if not hasattr(value, "_fields"):
            return Items(tuple(kind_of(v) for v in value))
        case tuple() if has_fields_alone(type(value)):
            return Items(tuple(kind_of(v) for v in value), value._fields)  # type: ignore[attr-defined]
        case _:
            return UNKNOWN


def has_fields_alone(cls: type) -> bool:
    """Whether the attributes of a named tuple are its items: none is computed by its class."""
    said = (v for c in cls.__mro__ for v in vars(c).values())
    computed = any(isinstance(v, (property, functools.cached_property)) for v in said)
    return not computed and not hasattr(cls, "__getattr__")


def is_named(kind: Kind) -> bool:
    """Whether a value is a named tuple."""
    return isinstance(kind, Named) or (isinstance(kind, Items) and bool(kind.fields))


def join(a: Kind, b: Kind) -> Kind:
    """What holds of a value that is one or the other."""
    if a is None or a == b:
        return b
    match a, b:
        case _, None:
            return a
        case Number(rank=0), Number(rank=0):
            return Number(0, promoted(a.dtype, b.dtype))
        case (Items() | Stack(), _) | (_, Items() | Stack()) if max(depth(a), depth(b)) > DEPTH:
            return UNKNOWN
        case Items(items=p), Items(items=q) if len(p) == len(q) and a.fields == b.fields:
            return a.with_items(join(x, y) for x, y in zip(p, q))
        case Stack(item=p), Stack(item=q):
            return Stack(join(p, q))
        case _ if is_named(a) and is_named(b):
            return Named()
        case _:
            return UNKNOWN


def depth(kind: Kind) -> int:
    """How many tuples and lists stand in each other.

    >>> depth(Stack(Items((FLOAT, Stack(FLOAT)))))
    3
    """
    match kind:
        case Items(items=items):
            return 1 + max(map(depth, items), default=0)
        case Stack(item=item):
            return 1 + depth(item)
        case _:
            return 0


def promoted(*dtypes: str) -> str:
    return np.result_type(*(np.dtype(t) for t in dtypes)).str[1:]


def elementwise(*kinds: Kind) -> Kind:
    """The result of an operation that broadcasts."""
    if any(k is None for k in kinds):
        return None
    numbers = [k for k in kinds if isinstance(k, Number)]
    if len(numbers) != len(kinds) or not numbers:
        return UNKNOWN
    return Number(max(k.rank for k in numbers), promoted(*(k.dtype for k in numbers)))


def inexact(kind: Kind) -> Kind:
    """Integers made floats."""
    if isinstance(kind, Number) and kind.dtype[0] in "iub":
        return Number(kind.rank, "f8")
    return kind


def gradient_kind(kind: Kind) -> Kind:
    """The kind of the gradient of such a value."""
    match kind:
        case Number():
            return inexact(kind)
        case Items(items=items):
            return kind.with_items(gradient_kind(k) for k in items)
        case Stack(item=item):
            return Stack(gradient_kind(item))
        case _:
            return kind
