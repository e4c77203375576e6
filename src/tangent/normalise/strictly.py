"""Loops over `zip(..., strict=True)` end with a look at the lengths, where Python looks, too.

for a, b in zip(xs, f(x), strict=True):   ->   items = f(x)
    body                                       for a, b in zip(xs, items):
                                                   body
                                               if len(xs) != len(items):
                                                   raise ValueError("zip() arguments have different lengths")
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable
from typing import TypeGuard

from tangent.normalise.context import Context
from tangent.normalise.jumps import own_breaks
from tangent.source.generators import is_generator
from tangent.syntax.quote import assign, at, call, constant, name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import assigned_inside
from tangent.syntax.walk import walk

ITERATORS = (zip, enumerate, reversed, map, filter)
NEVER_END = (itertools.count, itertools.cycle, itertools.repeat)


def strictly(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if not any(isinstance(n, ast.keyword) and n.arg == "strict" for n in walk(f)):
        return f

    generators = {n.name for n in walk(f) if isinstance(n, ast.FunctionDef) and _yields(n)}
    _refuse_kept(f, context)

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(with_blocks(s, block))]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.For(iter=e) if is_strict(e, context):
                return measured(s, e, lambda new: new)
            case ast.For(iter=ast.Call(func=func, args=[e, *_]) as outer) if (
                is_strict(e, context) and context.scope.resolve(func) is enumerate
            ):
                return measured(s, e, lambda new: replace(outer, args=[new, *outer.args[1:]]))
            case _:
                return [s]

    def measured(s: ast.For, e: ast.Call, around: Callable[[ast.Call], ast.expr]) -> list[ast.stmt]:
        before: list[ast.stmt] = []
        names = [held(a, s, before) for a in e.args]
        zipped = replace(e, args=[name(v) for v in names], keywords=[])
        lengths: list[ast.expr] = [call(context.builtin("len"), name(v)) for v in names]
        check = lengths_told(lengths, strictness(e), s, context)
        loop = replace(s, iter=around(zipped))
        if own_breaks(s):
            return [*before, replace(loop, orelse=[check, *s.orelse])]
        return [*before, loop, check]

    def held(a: ast.expr, s: ast.For, before: list[ast.stmt]) -> str:
        if isinstance(a, ast.Name) and a.id not in assigned_inside([s]):
            return a.id
        found = context.names.numbered("items")
        context.scope.local.add(found)
        before.append(assign(found, _with_length(a, generators, context), s))
        return found

    return replace(f, body=block(f.body))


def is_strict(e: ast.expr, context: Context) -> TypeGuard[ast.Call]:
    """Whether an expression is a `zip` that wants what it is given to be of one length."""
    if not isinstance(e, ast.Call) or [k.arg for k in e.keywords] != ["strict"]:
        return False
    if context.scope.resolve(e.func) is not zip or any(isinstance(a, ast.Starred) for a in e.args) or not e.args:
        return False
    if any(isinstance(a, ast.Call) and context.scope.resolve(a.func) in NEVER_END for a in e.args):
        raise context.refuse(e, f"'{ast.unparse(e)}'", "not all of it ends", "Leave 'strict=True' out.")
    told = strictness(e)
    return not isinstance(told, ast.Constant) or bool(told.value)


def strictness(e: ast.Call) -> ast.expr:
    return e.keywords[0].value


def lengths_told(lengths: list[ast.expr], told: ast.expr, s: ast.stmt, context: Context) -> ast.stmt:
    """`if len(xs) != len(ys): raise ValueError(...)`, where this is wanted."""
    differ: list[ast.expr] = [ast.Compare(lengths[0], [ast.NotEq()], [n]) for n in lengths[1:]]
    if not isinstance(told, ast.Constant):
        differ = [ast.BoolOp(ast.And(), [told, d]) for d in differ]
    test = differ[0] if len(differ) == 1 else ast.BoolOp(ast.Or(), differ) if differ else constant(False)
    error = call(context.builtin("ValueError"), constant("zip() arguments have different lengths"))
    return at(ast.If(test, [at(ast.Raise(error, None), s)], []), s)


def _refuse_kept(f: ast.FunctionDef, context: Context) -> None:
    """An iterator that is kept looks at the lengths when it is made: refused where somebody can tell the difference."""
    made = [n for n in walk(f) if isinstance(n, ast.Assign) and is_strict(n.value, context)]
    if not made:
        return
    asked = any(isinstance(n, ast.Call) and context.scope.resolve(n.func) is next for n in walk(f))
    if asked or any(isinstance(n, (ast.Try, ast.With)) for n in walk(f)):
        raise context.refuse(
            made[0].value, f"'{ast.unparse(made[0].value)}' that is kept",
            "that the lengths differ is found when the last item has been read",
            "Loop over 'zip(..., strict=True)' itself, or compare the lengths before.",
        )  # fmt: skip


def _yields(f: ast.FunctionDef) -> bool:
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk_scope(f))


def _with_length(a: ast.expr, generators: set[str], context: Context) -> ast.expr:
    """An expression whose value has a length: what an iterator gives is listed."""
    match a:
        case ast.GeneratorExp(elt=elt, generators=loops):
            return ast.copy_location(ast.ListComp(elt, loops), a)
        case ast.Call(func=ast.Name(id=v)) if v in generators:
            return ast.copy_location(call(context.builtin("list"), a), a)
        case ast.Call(func=func) if (found := context.scope.resolve(func)) in ITERATORS or is_generator(found):
            return ast.copy_location(call(context.builtin("list"), a), a)
        case _:
            return a
