"""Functions of rules that give adjoints in the form of an operand, by the place of that operand among their arguments.

def tile(y, A, reps):    d[A] = sum_tiles(d[y], A, reps)      what sum_tiles gives has the form of its second argument

The rules themselves say so: a line that is not `@fitted` has the form of its operand already.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator, Mapping
from functools import cache
from typing import Any

from tangent import runtime
from tangent.optimise.shaped.kinds import UNKNOWN, Kind, Number
from tangent.rules.notation import Rule
from tangent.rules.table import table


def like_operand(function: Any, kinds: list[Kind]) -> Kind:
    """The kind of an adjoint: that of the operand, where all are of its dtype.

    >>> like_operand(runtime.sum_tiles, [Number(("?",), "f8"), Number(("x.0",), "f8"), UNKNOWN])
    Number(axes=('x.0',), dtype='f8', weak=False, size=None)
    """
    place = places().get(function, len(kinds))
    operand = kinds[place] if place < len(kinds) else UNKNOWN
    if not isinstance(operand, Number) or not operand.rank or not operand.real or not isinstance(kinds[0], Number):
        return UNKNOWN
    dtypes = {k.dtype for k in kinds if isinstance(k, Number) and k.dtype[0] not in "ib"}
    return Number(operand.axes, operand.dtype) if dtypes == {operand.dtype} else UNKNOWN


@cache
def places() -> Mapping[Any, int]:
    """Where functions find the operand whose form they give, of those that all rules use in one way."""
    found: dict[Any, set[int | None]] = {}
    for rule in table().rules.values():
        if rule.kind != "elementwise" and not rule.scope:
            for function, place in _told(rule):
                found.setdefault(function, set()).add(place)
    return {function: place for function, (place, *more) in found.items() if place is not None and not more}


def _told(rule: Rule) -> Iterator[tuple[Any, int | None]]:
    """The functions of a rule's adjoints with the place of the operand; None: they do not fit to it by themselves."""
    for line in rule.adjoint:
        match line:
            case ast.Assign(targets=[ast.Subscript(slice=ast.Name(id=v))], value=ast.Call(func=ast.Name(id=f)) as call):
                function = getattr(runtime, f, None)
                at = [i for i, a in enumerate(call.args) if isinstance(a, ast.Name) and a.id == v]
                if (getattr(function, "__module__", None) or "").startswith("tangent.runtime.kernels."):
                    yield function, at[0] if len(at) == 1 and v not in rule.fitted else None
