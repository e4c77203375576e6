"""Arrays that are joined from lists, and cut into sections: their kinds, and what becomes of their gradients.

unstack_like(b, rows)                     ->   list(b)
rejoined([p, q], x, 2, axis=1)            ->   np.concatenate([p, q], axis=1)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.shaped.kinds import SMALL, UNKNOWN, UNSURE, Axis, Items, Kind, Listed, Number, Stack
from tangent.optimise.shaped.making import value_of
from tangent.optimise.shaped.parts import Of
from tangent.syntax.quote import expression

Use = Callable[[Any, str], str]
JOINING = (np.stack, np.concatenate, np.vstack, np.hstack)


def sections(whole: Kind, count: ast.expr, axis: ast.expr) -> Kind:
    """What `np.split(whole, count, axis)` gives, for a number of sections of the same length.

    >>> one, two = ast.Constant(1), ast.Constant(2)
    >>> sections(Number((3, "x.1"), "f8"), two, one).items[0].axes
    (3, 'x.1/2')
    >>> sections(Number((8,), "f8"), two, ast.Constant(0)).items[0].axes
    (4,)
    """
    n, at = value_of(count), value_of(axis)
    if not isinstance(whole, Number) or type(n) is not int or type(at) is not int or n < 1:
        return UNKNOWN
    if not -whole.rank <= at < whole.rank or (part := _part(whole.axes[at], n)) is None:
        return UNKNOWN
    axes = list(whole.axes)
    axes[at] = part
    return Items((Number(tuple(axes), whole.dtype),) * n, True)


def _part(n: Axis, count: int) -> Axis | None:
    """The length of one of some sections that together are all: what is longer than SMALL has parts that are not 1."""
    if isinstance(n, int):
        return None if n % count else n // count
    return f"{n}/{count}" if n[0].isidentifier() and "-" not in n and "/" not in n and count <= SMALL else UNSURE


def joined_list(function: Any, rows: Kind, axis: ast.expr) -> Kind:
    """What `np.stack`, `np.concatenate` and their kin make of a list of arrays, which is not empty, or they fail."""
    at = value_of(axis)
    if not isinstance(rows, (Stack, Listed)) or not isinstance(rows.item, Number) or not rows.item.real:
        return UNKNOWN
    axes: list[Axis] = list(rows.item.axes)
    if function is np.stack:
        if type(at) is not int or not -len(axes) - 1 <= at <= len(axes):
            return UNKNOWN
        axes.insert(at % (len(axes) + 1), UNSURE)
        return Number(tuple(axes), rows.item.dtype)
    if function is np.vstack and len(axes) == 1:
        return Number((UNSURE, *axes), rows.item.dtype)
    if function is np.hstack:
        at = 1 if len(axes) > 1 else 0
    if type(at) is not int or not -len(axes) <= at < len(axes):
        return UNKNOWN
    axes[at] = UNSURE
    return Number(tuple(axes), rows.item.dtype)


def unjoined(e: ast.Call, of: Of, resolve: Callable[[ast.expr], Any], use: Use) -> ast.expr | None:
    """The gradient of a join or of sections, as what it is; None where that is not known."""
    function = resolve(e.func)
    axis = next((k.value for k in e.keywords if k.arg == "axis"), ast.Constant(0))
    plain = all(k.arg == "axis" for k in e.keywords)
    if function is runtime.unstack_like and plain and len(e.args) == 2:
        b, rows = (of(a) for a in e.args)
        return expression("list(b)", b=e.args[0]) if value_of(axis) == 0 and _are_rows(b, rows) else None
    if function is runtime.rejoined and plain and len(e.args) == 3:
        parts, whole = of(e.args[0]), of(e.args[1])
        cut = sections(whole, e.args[2], axis)
        if isinstance(e.args[0], ast.List) and cut != UNKNOWN and _are_like(parts, cut):
            return expression("np.concatenate(p, axis=k)", np=use(np, "np"), p=e.args[0], k=axis)
    return None


def _are_rows(b: Kind, rows: Kind) -> bool:
    """Whether the rows of an array are like what is in a list."""
    if not isinstance(b, Number) or not b.real or not isinstance(rows, (Stack, Listed)):
        return False
    item = rows.item
    return isinstance(item, Number) and item.rank == b.rank - 1 > 0 and item.dtype == b.dtype


def _are_like(parts: Kind, other: Kind) -> bool:
    """Whether two lists of arrays are as long, and their arrays of one rank and dtype."""
    if not isinstance(parts, Items) or not isinstance(other, Items) or len(parts.items) != len(other.items):
        return False
    return all(
        isinstance(p, Number) and isinstance(q, Number) and (p.rank, p.dtype) == (q.rank, q.dtype)
        for p, q in zip(parts.items, other.items)
    )
