"""Operators in place that change sets and deques are the methods that say so; what is removed is taken out of lists.

seen |= {k}         ->    seen.update({k})
seen -= other       ->    seen.difference_update(other)       where one of both is known to be a set
todo += more        ->    todo.extend(more)                   of a deque that is made here
xs.remove(v)        ->    xs.pop(xs.index(v))                 of what is no set
                          if isinstance(xs, set): xs.remove(v)
                          else: xs.pop(xs.index(v))           where nothing tells what it is
"""

from __future__ import annotations

import ast
from collections import defaultdict, deque

from tangent.normalise.context import Context
from tangent.source.resolve import MISSING
from tangent.syntax.captured import bindings
from tangent.syntax.quote import at, expression, name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.walk import walk

METHODS: dict[type[ast.operator], str] = {
    ast.BitOr: "update", ast.BitAnd: "intersection_update", ast.Sub: "difference_update",
    ast.BitXor: "symmetric_difference_update",
}  # fmt: skip
MAKERS: tuple[type, ...] = (set, list, deque, frozenset)


def merged(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    operators = any(isinstance(n, ast.AugAssign) and isinstance(n.op, (*METHODS, ast.Add)) for n in walk(f))
    removing = not context.memory and any(isinstance(n, ast.Attribute) and n.attr == "remove" for n in walk(f))
    if not operators and not removing:
        return f
    known = _known(f, context)

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(s)]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.AugAssign(target=target, op=op, value=value) if type(op) in METHODS:
                kind = _kind(target, known, context)
                if kind is set or (kind is None and _kind(value, known, context) is set and _is_place(target)):
                    return [_method(target, METHODS[type(op)], value, s)]
            case ast.AugAssign(target=target, op=ast.Add(), value=value) if _kind(target, known, context) is deque:
                return [_method(target, "extend", value, s)]
            case ast.Expr(ast.Call(func=ast.Attribute(value=ast.Name() as xs, attr="remove") as func, args=[v])) if (
                removing and context.scope.resolve(func) is MISSING and known.get(xs.id) is not set
            ):
                return removed(xs, v, s)
            case ast.FunctionDef() | ast.ClassDef():
                return [s]
        return [with_blocks(s, block)]

    def removed(xs: ast.Name, v: ast.expr, s: ast.stmt) -> list[ast.stmt]:
        place = ast.copy_location(expression("xs.index(v)", xs=xs.id, v=v), s)
        taken = _method(xs, "pop", place, s)
        if known.get(xs.id) is list:
            return [taken]
        kind = name(context.use("set", set))
        test = expression("f(xs, kind)", f=context.builtin("isinstance"), xs=xs.id, kind=kind)
        return [at(ast.If(test, [s], [taken]), s)]

    return replace(f, body=block(f.body))


def _is_place(target: ast.expr) -> bool:
    """Whether a place may be looked up once: what is assigned to it again is what it holds."""
    return not any(isinstance(n, (ast.Call, ast.NamedExpr)) for n in walk(target))


def _method(target: ast.expr, attr: str, value: ast.expr, s: ast.stmt) -> ast.stmt:
    func = ast.copy_location(ast.Attribute(replace(target, ctx=ast.Load()), attr, ast.Load()), s)
    return at(ast.Expr(ast.copy_location(ast.Call(func, [value], []), s)), s)


def _kind(e: ast.expr, known: dict[str, type], context: Context) -> type | None:
    """What an expression surely gives: a set, a list, a deque, a frozenset."""
    match e:
        case ast.Set() | ast.SetComp():
            return set
        case ast.List() | ast.ListComp():
            return list
        case ast.Name(id=v):
            return known.get(v)
        case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="copy"), args=[]):
            return known.get(v)
        case ast.Call(func=func):
            made = context.scope.resolve(func)
            return next((kind for kind in MAKERS if made is kind), None)
        case ast.Subscript(value=value, slice=ast.Slice()) | ast.BinOp(left=value, op=ast.Add()) if (
            _kind(value, known, context) is list
        ):
            return list
        case ast.BinOp(left=left, op=ast.BitOr() | ast.BitAnd() | ast.BitXor() | ast.Sub()):
            return _kind(left, known, context)
        case _:
            return None


def _known(f: ast.FunctionDef, context: Context) -> dict[str, type]:
    """Variables that only ever are bound to sets, to lists, or to deques."""
    bound: defaultdict[str, list[ast.expr]] = defaultdict(list)
    for n in walk_scope(f):
        match n:
            case ast.Assign(targets=[ast.Name(id=v)], value=value):
                bound[v].append(value)
            case ast.AugAssign(target=ast.Name(id=v)):
                bound[v].append(n.target)
    once = bindings(f)
    found: dict[str, type] = {}
    for kind in MAKERS:
        same: dict[str, type] = {v: kind for v, made in bound.items() if len(made) == once[v]}
        while left := [v for v in same if not all(_kind(e, same, context) is kind for e in bound[v])]:
            for v in left:
                del same[v]
        found |= same
    return found
