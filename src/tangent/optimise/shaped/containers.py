"""What run-time functions do with lists of floats and dicts of numbers.

init_grad(xs)        ->   [0.0] * len(xs)
each(b, xs)          ->   [b] * len(xs)
settled(bxs, xs)     ->   bxs.copy()
"""

from __future__ import annotations

import ast
from typing import Any

from tangent import runtime
from tangent.optimise.dead import pushed
from tangent.optimise.settled import OWN
from tangent.optimise.shaped.kinds import BOOL, FLOAT, INT, UNKNOWN, Fields, Kind, Listed, Number, Stack
from tangent.syntax.quote import expression
from tangent.syntax.rebuild import blocks, statements
from tangent.syntax.uses import expression_reads, header_reads, writes

FLOATS = Listed(FLOAT)


def is_container(kind: Kind) -> bool:
    return isinstance(kind, (Listed, Fields, Stack))


def is_of_floats(kind: Kind) -> bool:
    """Whether a value is a list of Python's floats."""
    return isinstance(kind, (Listed, Stack)) and kind.item == FLOAT


def is_filled(v: str, body: list[ast.stmt]) -> bool:
    """Whether a list is made, filled, and given other names only behind that, all in one block.

    parts = []
    for x in xs: parts.append(x * x)
    ys = parts
    """
    for block in blocks(body):
        made = [i for i, s in enumerate(block) if _makes(s, v)]
        if len(made) == 1:
            uses = [i for i, s in enumerate(block) if any(v in {*header_reads(x), *writes(x)} for x in statements([s]))]
            inside = [x for i in uses for x in statements([block[i]])]
            filling = [i for i in uses if any(_appends(x, v) for x in statements([block[i]]))]
            naming = [i for i in uses if i not in filling and i != made[0]]
            elsewhere = [x for x in statements(body) if v in {*header_reads(x), *writes(x)} and x not in set(inside)]
            whole = all(_appends(x, v) or v not in header_reads(x) for i in filling for x in statements([block[i]]))
            return whole and not elsewhere and made[0] <= min(uses) and max(filling, default=0) < min(naming, default=0)
    return False


def _makes(s: ast.stmt, v: str) -> bool:
    match s:
        case ast.Assign(targets=[ast.Name(id=w)], value=ast.List()):
            return v == w
        case _:
            return False


def _appends(s: ast.stmt, v: str) -> bool:
    """Whether a statement appends to a list, and only that: what is appended does not come from it."""
    return pushed(s) == v and isinstance(s, ast.Expr) and v not in expression_reads(s.value.args[0])  # type: ignore[attr-defined]


def zeros_like(kind: Kind) -> Kind:
    """The kind of zeros in the form of a list or a dict."""
    match kind:
        case Listed(item=Number()):
            return FLOATS
        case Fields(items=items):
            return Fields(tuple((v, FLOAT if k in (INT, BOOL) else k) for v, k in items))
        case _:
            return kind


def result_of(function: Any, kinds: list[Kind]) -> Kind:
    """The kind of what a function gives, of which one of the first two arguments is a list or a dict."""
    if function is runtime.init_grad:
        return zeros_like(kinds[0])
    if function in (runtime.sequence, runtime.copy):
        return kinds[0]
    if function in (runtime.settled, runtime.as_given, runtime.unsequence, runtime.as_list, runtime.add_grad):
        return kinds[0] if kinds[0] == kinds[-1] else UNKNOWN
    if function is runtime.repack and kinds[0] == FLOATS:
        return FLOATS if all(k == FLOAT for k in kinds[1:]) else UNKNOWN
    if function is runtime.repack_from:
        return kinds[1] if is_of_floats(kinds[0]) and kinds[1] == FLOATS else UNKNOWN
    if function in (runtime.add_part, runtime.add_cell, runtime.add_item):
        return kinds[0] if kinds[-1] == FLOAT else UNKNOWN
    return UNKNOWN


def written_out(function: Any, e: ast.Call, kinds: list[Kind]) -> ast.expr:
    """A call of such a function as what it does, where that is known."""
    first, last = kinds[0], kinds[-1]
    if isinstance(last, Listed) and (function is runtime.sequence or function is runtime.unsequence):
        return e.args[0]
    if function is runtime.repack and first == FLOATS and not any(isinstance(a, ast.Starred) for a in e.args):
        return ast.List(e.args[1:], ast.Load())
    if function is runtime.each and first == FLOAT and is_of_floats(last):
        return expression("[b] * len(x)", b=e.args[0], x=e.args[1])
    if function is runtime.repack_from and is_of_floats(first) and last == FLOATS:
        return e.args[1]
    if function is runtime.as_list and first == FLOATS:
        return e.args[0] if isinstance(e.args[0], ast.BinOp) else expression("b.copy()", b=e.args[0])
    if function is runtime.init_grad and first == FLOATS:
        return expression("[0.0] * len(x)", x=e.args[0])
    if function is runtime.init_grad and first == Listed(FLOATS):
        return expression("[[0.0] * len(row) for row in x]", x=e.args[0])
    if function in OWN and first == last == Listed(FLOATS):
        return expression("[row.copy() for row in b]", b=e.args[0])
    if function in OWN and first == last and (first == FLOATS or _is_of_numbers(first)):
        return expression("b.copy()", b=e.args[0])
    return e


def _is_of_numbers(kind: Kind) -> bool:
    """Whether a value is a dict of floats."""
    return isinstance(kind, Fields) and all(k == FLOAT for _, k in kind.items)
