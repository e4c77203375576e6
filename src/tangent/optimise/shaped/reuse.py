"""Where a large array is used for the last time, the result of arithmetic goes into its memory.

bs = p * scaled                          bs = np.multiply(p, scaled, out=scaled)
total = (bs * x).sum(axis=0)       ->    total = np.multiply(bs, x, out=bs).sum(axis=0)
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Callable

from tangent.optimise.context import Body
from tangent.optimise.held import Resolve, is_new, keeps
from tangent.syntax.rebuild import blocks, statements
from tangent.syntax.uses import header_reads, writes
from tangent.syntax.walk import walk

OPERATORS = {ast.Mult: "multiply", ast.Add: "add", ast.Sub: "subtract", ast.Div: "divide"}
LARGE = 1 << 14  # elements, from which new memory costs more than the arithmetic


def dying(body: Body, resolve: Resolve) -> dict[ast.stmt, set[str]]:
    """Arrays computed here that nothing else holds, by the statement that reads them last, once.

    They are defined once, in the block of that statement.
    """
    made = Counter(v for s in statements(body) for v in writes(s))
    held = {v for s in statements(body) for v in header_reads(s) if v in made and _holds(s, v, resolve)}
    found: dict[ast.stmt, set[str]] = {}
    for block in blocks(body):
        new = {
            s.targets[0].id
            for s in block
            if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and is_new(s.value, resolve)
        }
        inside = {x for s in block for x in statements([s])}
        read_elsewhere = {v for s in statements(body) if s not in inside for v in header_reads(s)}
        for v in new:
            if made[v] != 1 or v in held or v in read_elsewhere:
                continue
            last = next((s for s in reversed(block) if any(v in header_reads(x) for x in statements([s]))), None)
            if isinstance(last, ast.Assign) and _times(last.value, v) == 1:
                found.setdefault(last, set()).add(v)
    return found


def _times(e: ast.expr, v: str) -> int:
    return sum(isinstance(n, ast.Name) and n.id == v for n in walk(e))


def _holds(s: ast.stmt, v: str, resolve: Resolve) -> bool:
    """Whether something else refers to an array after a statement that reads it."""
    match s:
        case ast.If() | ast.For() | ast.While():
            return False
        case ast.Assign(targets=[ast.Name()], value=value):
            return keeps(value, v, resolve)
        case _:
            return True


def reused(e: ast.BinOp, names: set[str], np_name: str, fits: Callable[[str, ast.expr], bool]) -> ast.expr:
    """Arithmetic with its result in the memory of an operand, if one is read here for the last time."""
    ufunc = OPERATORS.get(type(e.op))
    for operand in (e.left, e.right):
        if ufunc and isinstance(operand, ast.Name) and operand.id in names and fits(operand.id, e):
            function = ast.Attribute(ast.Name(np_name, ast.Load()), ufunc, ast.Load())
            return ast.Call(function, [e.left, e.right], [ast.keyword("out", ast.Name(operand.id, ast.Load()))])
    return e
