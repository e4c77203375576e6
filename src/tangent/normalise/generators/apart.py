"""Several iterators that are assigned at once, one by one.

a, b = growing(x), growing(y)      ->   a = growing(x); b = growing(y)
a, b = tee(xs)                     ->   items = list(xs); a = iter(items); b = iter(items)
"""

from __future__ import annotations

import ast
import itertools

from tangent.normalise.context import Context
from tangent.normalise.generators.written import Body, behind
from tangent.syntax.quote import assign, at, call, name
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.uses import expression_reads
from tangent.syntax.walk import walk


def apart(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if not any(isinstance(n, ast.Assign) and isinstance(n.targets[0], ast.Tuple) for n in walk(f)):
        return f
    return replace(f, body=_block(f.body, context))


def _block(body: Body, context: Context) -> Body:
    return [new for s in body for new in _statement(s, context)]


def _statement(s: ast.stmt, context: Context) -> Body:
    match s:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)) if len(targets) == len(
            values
        ) and _are_apart(targets, values, context):
            return [at(ast.Assign([t], v), s) for t, v in zip(targets, values)]
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Call(func=func, args=[items, *_])) if (
            all(isinstance(t, ast.Name) for t in targets) and context.scope.resolve(func) is itertools.tee
        ):
            held = context.names.numbered("items")
            context.scope.local.add(held)
            each = [at(ast.Assign([t], call(context.builtin("iter"), name(held))), s) for t in targets]
            return [assign(held, call(context.builtin("list"), items), s), *each]
        case ast.FunctionDef() | ast.ClassDef():
            return [s]
        case _:
            return [with_blocks(s, lambda b: _block(b, context))]


def _are_apart(targets: list[ast.expr], values: list[ast.expr], context: Context) -> bool:
    """Whether iterators are assigned here, and no value reads a variable that is assigned."""
    found = {t.id for t in targets if isinstance(t, ast.Name)}
    lazy = any(isinstance(v, ast.GeneratorExp) or _is_iterator(v, context) for v in values)
    return lazy and len(found) == len(targets) and not any(expression_reads(v) & found for v in values)


def _is_iterator(e: ast.expr, context: Context) -> bool:
    asks = isinstance(e, ast.Call) and context.scope.resolve(e.func) is iter
    return asks or behind(e, {}, context) is not None
