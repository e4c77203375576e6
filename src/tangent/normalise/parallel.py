"""Loops that Numba has words of its own for are loops: parallel ones, since what one iteration writes and another reads
backward must not race, and those over items of several types, which are written one by one where the loop names them.

for i in numba.prange(n):                   for i in range(n):
    ...                              ->         ...
for v in numba.literal_unroll((x, a)):      item, item2 = (x, a)
    s += np.sum(v)                          v = item
                                     ->     s += np.sum(v)
                                            v = item2
                                            s += np.sum(v)
"""

from __future__ import annotations

import ast
import copy
import sys

from tangent.normalise.context import Context
from tangent.normalise.jumps import own_jumps
from tangent.syntax.quote import at, name
from tangent.syntax.rebuild import rebuild, replace, with_blocks
from tangent.syntax.walk import walk


def parallel(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    numba = sys.modules.get("numba")
    if numba is None or not any(isinstance(n, ast.For) for n in walk(f)):
        return f

    def means(e: ast.expr, word: object) -> bool:
        return isinstance(e, (ast.Name, ast.Attribute)) and context.scope.resolve(e) is word

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(with_blocks(s, block))]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.For(iter=ast.Call(func=func, args=[ast.Tuple(elts=elts) as items]), orelse=[]) if (
                means(func, numba.literal_unroll) and not own_jumps(s.body)
            ):
                held = [context.names.fresh("item") for _ in elts]
                every = ast.Tuple([ast.Name(v, ast.Store()) for v in held], ast.Store())
                steps = [[at(ast.Assign([s.target], name(v)), s), *s.body] for v in held]
                return [at(ast.Assign([every], items), s), *(copy.deepcopy(x) for step in steps for x in step)]
            case _:
                return [s]

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=func, args=[items]) if means(func, numba.literal_unroll):
                return items
            case ast.Call(func=func) if means(func, numba.prange):
                return replace(e, func=name(context.builtin("range")))
            case _:
                return e

    return rebuild(replace(f, body=block(f.body)), change)
