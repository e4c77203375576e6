"""What is known of a value when the types of the arguments are: rank and dtype, or those of its items."""

from __future__ import annotations

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
    """A tuple."""

    items: tuple[Kind, ...]


@dataclass(frozen=True)
class Stack:
    """A list, with what is on it."""

    item: Kind


@dataclass(frozen=True)
class Unknown:
    """Anything."""


# None: nothing is known yet, because no value has been seen.
Kind = Number | Items | Stack | Unknown | None
UNKNOWN = Unknown()
FLOAT, INT, BOOL, COMPLEX = (Number(0, t) for t in ("f8", "i8", "b1", "c16"))


def kind_of(value: Any) -> Kind:
    """The kind of an argument.

    >>> kind_of((np.ones((2, 3)), 1))
    Items(items=(Number(rank=2, dtype='f8'), Number(rank=0, dtype='i8')))
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
        case np.generic() | np.ndarray():
            return Number(value.ndim, value.dtype.str[1:])
        case tuple() if not hasattr(value, "_fields"):
            return Items(tuple(kind_of(v) for v in value))
        case _:
            return UNKNOWN


def join(a: Kind, b: Kind) -> Kind:
    """What holds of a value that is one or the other."""
    if a is None or a == b:
        return b
    match a, b:
        case _, None:
            return a
        case Number(rank=0), Number(rank=0):
            return Number(0, promoted(a.dtype, b.dtype))
        case Items(items=p), Items(items=q) if len(p) == len(q):
            return Items(tuple(join(x, y) for x, y in zip(p, q)))
        case Stack(item=p), Stack(item=q):
            return Stack(join(p, q))
        case _:
            return UNKNOWN


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
            return Items(tuple(gradient_kind(k) for k in items))
        case Stack(item=item):
            return Stack(gradient_kind(item))
        case _:
            return kind
