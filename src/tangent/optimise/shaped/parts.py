"""The kinds of what is read of a value: attributes, methods, items and slices."""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from tangent.optimise.shaped.example import METHODS, by_example
from tangent.optimise.shaped.kinds import (
    FLOAT,
    INT,
    LONGEST,
    NOT_ONE,
    SMALL,
    UNKNOWN,
    UNSURE,
    Axis,
    Fields,
    Items,
    Kind,
    Listed,
    Number,
    Rows,
    Stack,
    any_of,
    is_single,
    stretched,
)
from tangent.optimise.shaped.making import reduced, reshaped, transposed, value_of
from tangent.optimise.shaped.windows import window

Of = Callable[[ast.expr], Kind]


def method(owner: Number, attr: str, e: ast.Call, of: Of) -> Kind:
    """What a method of an array gives."""
    match attr:
        case "copy" if not e.args:
            return owner
        case "sum" | "max" | "min" | "prod" | "mean":
            first = dict(zip(("axis",), e.args)) | {k.arg: k.value for k in e.keywords if k.arg}
            return reduced(owner, first) if len(e.args) <= 1 else UNKNOWN
        case "reshape" if e.args and not e.keywords:
            kinds = [of(a) for a in e.args]
            return reshaped(owner, kinds[0] if isinstance(kinds[0], Items) else Items(tuple(kinds)))
        case "transpose" if not e.keywords:
            values = [value_of(a) for a in e.args]
            return transposed(owner, None if not values else values[0] if len(values) == 1 else tuple(values))
        case "tolist" if owner.rank == 1 and owner.real:
            return Listed(FLOAT)
        case _ if attr in METHODS and owner.rank:
            return by_example(getattr(np.ndarray, attr), e, of, owner)
        case _:
            return UNKNOWN


def attribute(owner: Number, attr: str) -> Kind:
    match attr:
        case "shape":
            return Items(tuple(Number((), "i8", True, n) for n in owner.axes))
        case "size" | "ndim":
            return INT
        case "T":
            return Number(owner.axes[::-1], owner.dtype, owner.weak)
        case "real" | "imag" if is_single(owner):
            return Number((), "f8", owner.weak)
        case _:
            return UNKNOWN


def subscript(owner: Kind, index: ast.expr, of: Of) -> Kind:
    """What is read at an index."""
    match owner:
        case Items(items=items):
            at = value_of(index)
            if isinstance(at, int):
                return items[at] if not isinstance(at, bool) and -len(items) <= at < len(items) else UNKNOWN
            if isinstance(index, ast.Slice):
                bounds = [value_of(x) for x in (index.lower, index.upper, index.step)]
                return UNKNOWN if ... in bounds else Items(items[slice(*bounds)], owner.listed)
            kind = of(index)
            number = isinstance(kind, Number) and not kind.rank and kind.dtype == "i8"
            return any_of(owner) or UNKNOWN if number else UNKNOWN
        case Stack(item=item) if not isinstance(index, ast.Slice):
            return item or UNKNOWN
        case Number(axes=(_, *_)):
            axes = axes_after(owner.axes, index, of)
            return UNKNOWN if axes is None else Number(axes, owner.dtype)
        case Listed(item=item) if isinstance(index, ast.Slice):
            return owner
        case Listed(item=item):
            at = of(index)
            return item if isinstance(at, Number) and not at.rank and at.dtype == "i8" else UNKNOWN
        case Fields():
            return owner.get(value_of(index))
        case Rows(array=array):
            return subscript(array, index, of)
        case _:
            return UNKNOWN


def axes_after(axes: tuple[Axis, ...], index: ast.expr, of: Of) -> tuple[Axis, ...] | None:
    """The axes of what is read by numbers and slices, or None where the index is something else."""
    left: list[Axis] = []
    rest = list(axes)
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    kinds = [UNKNOWN if isinstance(part, (ast.Slice, ast.Constant)) else of(part) for part in parts]
    if len(parts) > 1 and any(isinstance(k, Number) and k.rank for k in kinds):
        return by_arrays(axes, kinds)
    for i, part in enumerate(parts):
        if isinstance(part, ast.Constant) and part.value is None:
            left.append(1)
            continue
        if isinstance(part, ast.Constant) and part.value is ...:
            behind = sum(not (isinstance(p, ast.Constant) and p.value is None) for p in parts[i + 1 :])
            if behind > len(rest):
                return None
            left, rest = [*left, *rest[: len(rest) - behind]], rest[len(rest) - behind :]
            continue
        if not rest:
            return None
        if isinstance(part, ast.Slice):
            left.append(sliced(rest.pop(0), part, of))
            continue
        kind = of(part)
        if isinstance(kind, Number) and kind.dtype == "i8" and part is index:
            return (*kind.axes, *rest[1:])
        if isinstance(kind, Number) and kind.dtype == "b1" and kind.rank and part is index:
            return (UNSURE, *axes[kind.rank :]) if kind.rank <= len(axes) else None
        if not (isinstance(kind, Number) and not kind.axes and kind.dtype == "i8"):
            return None
        rest.pop(0)
    shows = any(isinstance(part, ast.Constant) and part.value is ... for part in parts)
    return (*left, *rest) if left or rest or not shows else None  # a[..., 1] of a vector shows a number, and is none


def gathers(index: ast.expr, of: Of) -> bool:
    """Whether arrays are among what an array is read by: places may be there more than once."""
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    kinds = [of(part) for part in parts if not isinstance(part, ast.Slice)]
    return any(not isinstance(k, Number) or k.rank > 0 for k in kinds if k != UNKNOWN)


def index_in(e: ast.expr) -> ast.expr:
    """The index that is handed to a function: slices stand in `np.s_[...]`."""
    match e:
        case ast.Subscript(value=ast.Attribute(attr="s_"), slice=inner):
            return inner
        case _:
            return e


def names_once(axes: tuple[Axis, ...], index: ast.expr, of: Of) -> bool:
    """Whether an index consists of numbers and slices, and so names no element twice."""
    return axes_after(axes, index, of) is not None and not gathers(index, of)


def by_arrays(axes: tuple[Axis, ...], kinds: list[Kind]) -> tuple[Axis, ...] | None:
    """The axes of what is read by several integers or arrays of them.

    >>> by_arrays(("x.0", 3, 4), [Number(("i.0", 1), "i8"), Number((2,), "i8")])
    ('i.0', 2, 4)
    """
    numbers = [k for k in kinds if isinstance(k, Number) and k.dtype == "i8"]
    if len(numbers) < len(kinds) or len(kinds) > len(axes):
        return None
    return (*stretched([k.axes for k in numbers]), *axes[len(kinds) :])


def sliced(n: Axis, part: ast.Slice, of: Of = lambda e: UNKNOWN) -> Axis:
    """The length of a slice of an axis; one that has a name is longer than SMALL.

    >>> cut = ast.parse("x[1:-1]", mode="eval").body.slice
    >>> sliced(5, cut), sliced("x.0", cut)
    (3, 'x.0-2')
    """
    lower, upper, step = (value_of(x) for x in (part.lower, part.upper, part.step))
    if ... in (lower, upper, step) or (isinstance(n, str) and step is not None):
        return _cut(n, part, of)
    if isinstance(n, int):
        return len(range(n)[slice(lower, upper, step)])
    base, _, less = n.partition("-")
    if n[0] in (UNSURE, NOT_ONE) or "/" in n or not (less or "0").isdigit():
        return n if lower is None and upper is None else _cut(n, part, of)
    sure = SMALL + 1 - int(less or 0)  # it is at least that long
    start, stop = lower or 0, upper
    if not -sure <= start <= sure or (stop is not None and not -sure <= stop <= sure):
        return UNSURE
    if start >= 0 and (stop is None or stop < 0):
        cut = int(less or 0) + start - (stop or 0)
        return (f"{base}-{cut}" if cut else base) if cut < SMALL else UNSURE
    if (start >= 0) == (stop is not None and stop >= 0):
        return max((stop or 0) - start, 0)
    return UNSURE


def _cut(n: Axis, part: ast.Slice, of: Of) -> Axis:
    """The length of a slice between bounds of which only the names are known: it is the same wherever these are."""
    bounds = ["" if e is None else _named(of(e)) for e in (part.lower, part.upper, part.step)]
    lower, upper, step = bounds
    if lower and upper and step == "" and (length := window(n, lower, upper)) is not None:
        return length
    text = f"{UNSURE}{n}[{':'.join(map(str, bounds))}]"
    return UNSURE if n in (UNSURE, NOT_ONE) or None in bounds or len(text) > LONGEST else text


def _named(kind: Kind) -> Axis | None:
    return kind.size if isinstance(kind, Number) and not kind.axes and kind.dtype == "i8" else None
