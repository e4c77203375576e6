"""A product with a number, over its root, is one with the root: no division.

y = math.sqrt(x)                              y = math.sqrt(x)
...                                     ->    ...
bx = bz * y + ratio(bz * x, 2.0 * y)          bx = 1.5 * bz * y

That is the derivative of `x * math.sqrt(x)`, for instance of the third power of a distance.
"""

from __future__ import annotations

import ast
import math
from collections.abc import Callable
from typing import Any

from tangent import runtime
from tangent.optimise.dead import local_stacks
from tangent.syntax.print import Comment
from tangent.syntax.quote import expression
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import header_reads, writes

Resolve = Callable[[ast.expr], Any]
Body = list[ast.stmt]
PLAIN = (ast.Assign, ast.AugAssign, ast.Expr, ast.If, ast.For, ast.While, ast.Return, ast.Pass, Comment)


def roots(body: Body, resolve: Resolve) -> Body:
    """The body with such quotients as products, where number and root surely belong together."""
    every = list(statements(body))
    plain = all(isinstance(s, PLAIN) for s in every)
    if not plain or not any("ratio" in header_reads(s) for s in every):
        return body
    found: dict[tuple[str, str], int] = {}
    for s in every:
        if pair := _root(s, every, resolve):
            found[pair] = _known_from(*pair, s, body)
    found = {pair: last for pair, last in found.items() if last >= 0}
    return _changed(body, found, {id(s): i for i, s in enumerate(every)}, resolve) if found else body


def _root(s: ast.stmt, every: Body, resolve: Resolve) -> tuple[str, str] | None:
    """The names y and x of `y = math.sqrt(x)`, or where the root is only kept, to be taken back under the name y."""
    match s:
        case ast.Assign(targets=[ast.Name(id=y)], value=ast.Call(func=func, args=[ast.Name(id=x)])):
            pass
        case ast.Expr(value=ast.Call(args=[ast.Call(func=func, args=[ast.Name(id=x)])])) if stack := pushed(s):
            y = next((v for pop in every if popped(pop) == stack for v in writes(pop)), "")
        case _:
            return None
    return (y, x) if y and x != y and resolve(func) is math.sqrt else None


def _known_from(y: str, x: str, root: ast.stmt, body: Body) -> int:
    """After which statement y is the root of x wherever both are read; -1 for never.

    Each is computed once, x in the block of the root and before it, and if one of them is kept so is the other: in
    that block, for one block of the backward pass.
    """
    every = list(statements(body))
    places = _blocks(body)
    writers = {v: [s for s in every if v in writes(s)] for v in (y, x)}
    made = {v: [s for s in writers[v] if not popped(s)] for v in (y, x)}
    pops = {v: [s for s in writers[v] if popped(s)] for v in (y, x)}
    once = made[y] == ([] if pushed(root) else [root]) and len(made[x]) == 1
    if not once or len(pops[y]) != len(pops[x]) or len(pops[y]) > 1:
        return -1
    block = places.get(root)
    if block is None or places.get(made[x][0]) is not block or block.index(made[x][0]) > block.index(root):
        return -1
    if not pops[y]:
        return every.index(root)
    stacks = local_stacks(body)
    for v, first in ((y, root), (x, made[x][0])):
        stack = stacks.get(popped(pops[v][0]))
        if stack is None or len(stack.pushes) != 1 or len(stack.pops) != 1:
            return -1
        push = stack.pushes[0]
        if places.get(push) is not block or block.index(push) < block.index(first):
            return -1
        if push is not root and not _pushes(push, v):
            return -1
    if places.get(pops[y][0]) is not places.get(pops[x][0]):
        return -1
    return max(every.index(pops[y][0]), every.index(pops[x][0]))


def _blocks(body: Body) -> dict[ast.stmt, Body]:
    """The block that each statement stands in."""
    found = dict.fromkeys(body, body)
    for s in statements(body):
        if isinstance(s, (ast.If, ast.For, ast.While)):
            found |= dict.fromkeys(s.body, s.body) | dict.fromkeys(s.orelse, s.orelse)
    return found


def _pushes(s: ast.stmt, v: str) -> bool:
    assert pushed(s) and isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)
    return isinstance(s.value.args[0], ast.Name) and s.value.args[0].id == v


def _changed(body: Body, found: dict[tuple[str, str], int], order: dict[int, int], resolve: Resolve) -> Body:
    def block(stmts: Body) -> Body:
        return [statement(s) for s in stmts]

    def statement(s: ast.stmt) -> ast.stmt:
        if isinstance(s, (ast.If, ast.For, ast.While)):
            return _with_blocks(s, block)
        known = {pair for pair, last in found.items() if order[id(s)] > last}
        return rebuild(s, lambda e: _product(e, known, resolve)) if known else s

    return block(body)


def _with_blocks(s: ast.If | ast.For | ast.While, change: Callable[[Body], Body]) -> ast.stmt:
    return replace(s, body=change(s.body), orelse=change(s.orelse))


def _product(e: ast.expr, known: set[tuple[str, str]], resolve: Resolve) -> ast.expr:
    match e:
        case ast.Call(
            func=func,
            args=[
                ast.BinOp(left=b, op=ast.Mult(), right=ast.Name(id=x)),
                ast.BinOp(left=ast.Constant(value=2.0), op=ast.Mult(), right=ast.Name(id=y)),
            ],
        ) if (y, x) in known and resolve(func) is runtime.ratio:
            return expression("0.5 * b * y", b=b, y=y)
        case ast.BinOp(
            left=ast.BinOp(left=ast.Name() as b, op=ast.Mult(), right=ast.Name(id=y)), op=ast.Add(), right=half
        ) if ast.dump(half) == ast.dump(expression("0.5 * b * y", b=b, y=y)):
            return expression("1.5 * b * y", b=b, y=y)
        case _:
            return e
