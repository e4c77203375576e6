"""The kinds of what functions of NumPy make, join, turn and multiply, from the kinds of what they are given."""

from __future__ import annotations

import ast
import math
from typing import Any

from tangent.optimise.shaped.kinds import (
    LONGEST,
    NOT_ONE,
    UNKNOWN,
    UNSURE,
    Axis,
    Items,
    Kind,
    Listed,
    Number,
    Stack,
    broadcast,
    promoted,
    stretched,
)


def value_of(e: ast.expr | None) -> Any:
    """A constant, or what is written like one; `...` where it is none."""
    match e:
        case None:
            return None
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() as value)):
            return -value
        case ast.Tuple(elts=elts):
            found = tuple(value_of(x) for x in elts)
            return ... if ... in found else found
        case _:
            return ...


def summed_axes(rank: int, axis: Any) -> tuple[int, ...] | None:
    """The axes of a reduction, from the front."""
    axes = tuple(range(rank)) if axis is None else (axis,) if isinstance(axis, int) else axis
    if not isinstance(axes, tuple) or not all(isinstance(i, int) and -rank <= i < rank for i in axes):
        return None
    return tuple(i % rank for i in axes)


def reduced(kind: Kind, given: dict[str, ast.expr]) -> Kind:
    """`np.sum(x, axis, keepdims)` and its kind."""
    if not isinstance(kind, Number) or not kind.real or not given.keys() <= {"axis", "keepdims"}:
        return UNKNOWN
    keep = value_of(given.get("keepdims")) or False
    over = summed_axes(kind.rank, value_of(given.get("axis")))
    if over is None or not isinstance(keep, bool):
        return UNKNOWN
    axes = [1 if i in over else n for i, n in enumerate(kind.axes) if keep or i not in over]
    return Number(tuple(axes), kind.dtype)


def product(a: Kind, b: Kind, dot: bool = False) -> Kind:
    """`a @ b`, also of stacks of matrices, or `np.dot(a, b)`.

    >>> product(Number((5, 4, "x.2"), "f8"), Number(("x.2", 3), "f8")).axes
    (5, 4, 3)
    """
    both = promoted([a, b]) if isinstance(a, Number) and isinstance(b, Number) else None
    if both is None or not isinstance(a, Number) or not isinstance(b, Number) or not a.real or not b.real:
        return UNKNOWN
    if not a.rank or not b.rank or (dot and b.rank > 2):
        return UNKNOWN
    stack = stretched([a.axes[:-2], b.axes[:-2]])
    return Number((*stack, *a.axes[-2:-1], *(b.axes[-1:] if b.rank > 1 else ())), both[0])


def subscripted(subscripts: Any, kinds: list[Kind]) -> Kind:
    """`np.einsum` of arrays of one dtype, by letters.

    >>> subscripted("bij,bjk", [Number((9, 5, "x.2"), "f8"), Number(("y.0", "y.1", 3), "f8")]).axes
    (5, 3)
    """
    numbers = [k for k in kinds if isinstance(k, Number) and k.real and k.rank]
    if not isinstance(subscripts, str) or len(numbers) < len(kinds) or len({k.dtype for k in numbers}) != 1:
        return UNKNOWN
    given, _, result = subscripts.replace(" ", "").partition("->")
    terms = given.split(",")
    if "->" not in subscripts:
        result = "".join(sorted(c for c in set(given) - {","} if given.count(c) == 1))
    if not f"{given}{result}".replace(",", "").isalpha() or [len(t) for t in terms] != [k.rank for k in numbers]:
        return UNKNOWN
    pairs = [(c, n) for term, k in zip(terms, numbers) for c, n in zip(term, k.axes)]
    return Number(tuple(stretched([(n,) for d, n in pairs if d == c])[0] for c in result), numbers[0].dtype)


def made(shape: Kind) -> Kind:
    """`np.zeros(shape)`."""
    match shape:
        case Number(axes=(), size=size) if shape.dtype == "i8":
            return Number((UNSURE if size is None else size,), "f8")
        case Items(items=[_, *_] as items) if all(isinstance(k, Number) and not k.axes for k in items):
            sizes = [k.size for k in items if isinstance(k, Number)]
            return Number(tuple(UNSURE if n is None else n for n in sizes), "f8")
        case _:
            return UNKNOWN


def filled(shape: Kind, value: Kind) -> Kind:
    """`np.full(shape, value)`."""
    whole = made(shape)
    if not isinstance(whole, Number) or not isinstance(value, Number) or value.rank or value.dtype == "c16":
        return UNKNOWN
    return Number(whole.axes, value.dtype)


def counted(bounds: list[Kind]) -> Kind:
    """`np.arange` of numbers.

    >>> counted([Number((), "i8", True, 2), Number((), "i8", True, 6)]).axes
    (4,)
    """
    numbers = [k for k in bounds if isinstance(k, Number) and not k.axes and k.dtype in ("i8", "f8")]
    if len(numbers) < len(bounds):
        return UNKNOWN
    if any(k.dtype == "f8" for k in numbers):
        return Number((UNSURE,), "f8")
    match [k.size for k in numbers]:
        case [size] if size is not None:
            return Number((max(size, 0) if isinstance(size, int) else size,), "i8")
        case [int() as first, int() as last]:
            return Number((max(last - first, 0),), "i8")
        case _:
            return Number((UNSURE,), "i8")


def stacked(kind: Kind) -> Kind:
    """`np.array` of nested lists of numbers."""
    match kind:
        case Number(axes=(_, *_)):
            return Number(kind.axes, kind.dtype)
        case Items(items=items) if items:
            inner = [k if isinstance(k, Number) and not k.axes else stacked(k) for k in items]
            numbers = [k for k in inner if isinstance(k, Number)]
            if len(numbers) != len(inner) or any(k.axes != numbers[0].axes for k in numbers):
                return UNKNOWN
            found = promoted(numbers)
            return Number((len(items), *numbers[0].axes), found[0]) if found and found[0] in ("f8", "i8") else UNKNOWN
        case Stack(item=Number() as item) | Listed(item=Number() as item) if item.real and (kind.some or not item.rank):
            return Number((UNSURE, *item.axes), item.dtype)
        case _:
            return UNKNOWN


def joined(kind: Kind, axis: ast.expr) -> Kind:
    """`np.concatenate`."""
    at = value_of(axis)
    if not isinstance(kind, Items) or not isinstance(at, int):
        return UNKNOWN
    numbers = [k for k in kind.items if isinstance(k, Number) and k.real]
    if not numbers or len(numbers) != len(kind.items) or len({(k.rank, k.dtype) for k in numbers}) > 1:
        return UNKNOWN
    first = numbers[0]
    if not -first.rank <= at < first.rank:
        return UNKNOWN
    axes: list[Axis] = list(first.axes)
    lengths = [k.axes[at] for k in numbers]
    counts = [n for n in lengths if isinstance(n, int)]
    longer = any(isinstance(n, str) and not n.startswith(UNSURE) for n in lengths) or sum(counts) > 1
    axes[at] = sum(counts) if len(counts) == len(lengths) else "+".join(map(str, lengths)) if longer else UNSURE
    return Number(tuple(axes), first.dtype)


def solved(a: Kind, b: Kind) -> Kind:
    """`np.linalg.solve(a, b)`, of one matrix."""
    both = promoted([a, b]) if isinstance(a, Number) and isinstance(b, Number) else None
    if both is None or not isinstance(a, Number) or not isinstance(b, Number) or not a.real or not b.real:
        return UNKNOWN
    return Number(b.axes, both[0]) if a.rank == 2 and b.rank in (1, 2) else UNKNOWN


def crossed(a: Kind, b: Kind) -> Kind:
    both = broadcast(a, b)
    three = isinstance(a, Number) and isinstance(b, Number) and a.axes[-1:] == b.axes[-1:] == (3,)
    return Number(both.axes, both.dtype) if three and isinstance(both, Number) and both.real else UNKNOWN


def outer(a: Kind, b: Kind) -> Kind:
    both = broadcast(a, b)
    if isinstance(a, Number) and isinstance(b, Number) and isinstance(both, Number) and a.rank == b.rank == 1:
        return Number((a.axes[0], b.axes[0]), both.dtype) if both.real else UNKNOWN
    return UNKNOWN


def diagonal(kind: Kind) -> Kind:
    """`np.diag` of a square matrix, or of a vector."""
    match kind:
        case Number(axes=(n, m)) if n == m and n not in (UNSURE, NOT_ONE):
            return Number((n,), kind.dtype)
        case Number(axes=(n,)):
            return Number((n, n), kind.dtype)
        case _:
            return UNKNOWN


def stacked_anew(kind: Kind, axis: ast.expr) -> Kind:
    """`np.stack`."""
    at = value_of(axis)
    first = kind.items[0] if isinstance(kind, Items) and kind.items else UNKNOWN
    if not isinstance(kind, Items) or not isinstance(first, Number) or not first.real or not isinstance(at, int):
        return UNKNOWN
    if any(k != first for k in kind.items) or not -first.rank - 1 <= at <= first.rank:
        return UNKNOWN
    place = at % (first.rank + 1)
    return Number((*first.axes[:place], len(kind.items), *first.axes[place:]), first.dtype)


def swapped(kind: Kind, first: Any, second: Any) -> Kind:
    """`np.swapaxes(x, first, second)`."""
    if not isinstance(kind, Number) or not isinstance(first, int) or not isinstance(second, int):
        return UNKNOWN
    if not all(-kind.rank <= i < kind.rank for i in (first, second)):
        return UNKNOWN
    axes = list(kind.axes)
    axes[first], axes[second] = axes[second], axes[first]
    return Number(tuple(axes), kind.dtype)


def transposed(kind: Kind, order: Any) -> Kind:
    """`np.transpose(x, order)`."""
    if not isinstance(kind, Number) or not kind.rank:
        return UNKNOWN
    if order is None:
        return Number(kind.axes[::-1], kind.dtype)
    axes = summed_axes(kind.rank, order)
    if axes is None or sorted(axes) != list(range(kind.rank)):
        return UNKNOWN
    return Number(tuple(kind.axes[i] for i in axes), kind.dtype)


def reshaped(kind: Kind, shape: Kind) -> Kind:
    """`np.reshape(x, shape)`."""
    new = made(shape)
    if not isinstance(kind, Number) or not kind.rank or not isinstance(new, Number):
        return UNKNOWN
    return Number(tuple(_rest(kind.axes, new.axes) if n == -1 else n for n in new.axes), kind.dtype)


def _rest(axes: tuple[Axis, ...], new: tuple[Axis, ...]) -> Axis:
    """The length of the axis that is given as -1.

    >>> _rest((6, 4), (3, -1)), _rest(("x.0", 8), ("x.0", 2, -1)), _rest(("x.0", 8), (4, -1))
    (8, 4, '?(x.0*8/4)')
    """
    old, other = list(axes), [n for n in new if n != -1]
    for n in tuple(other):
        if n in old and n not in (UNSURE, NOT_ONE):
            old.remove(n)
            other.remove(n)
    if all(isinstance(n, int) for n in (*old, *other)):
        count = math.prod(n for n in other if isinstance(n, int))
        return math.prod(n for n in old if isinstance(n, int)) // count if count else UNSURE
    if len(old) == 1 and not other:
        return old[0]
    text = f"{UNSURE}({'*'.join(map(str, old))}{''.join(f'/{n}' for n in other)})"
    return UNSURE if {UNSURE, NOT_ONE} & {*old, *other} or len(text) > LONGEST else text
