"""Loops over what may be a list that their bodies make longer or shorter by another way to it: looked at as they run.

for v in plan["todo"]:                 items = plan["todo"]
    todo.append(v / 2)                 length = length_of(items)
                               ->      for v in items:
                                           require_length(items, length)
                                           todo.append(v / 2)
                                       else:
                                           require_length(items, length)

Python walks such a list as far as it reaches in the end; the loops of a derivative run as often as it is long at first.
Where the list is made in the function and changes by its own name, it is walked by a counter (`walked`).
"""

from __future__ import annotations

import ast
from typing import Any

from tangent.normalise.context import Context
from tangent.runtime.walks import length_of, require_length
from tangent.source.naming import is_library
from tangent.source.resolve import MISSING
from tangent.syntax.quote import assign, at, expression, name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments
from tangent.syntax.walk import walk

CHANGING = frozenset("append extend insert pop remove clear appendleft extendleft popleft".split())
THROUGH = (enumerate, zip)


def lengths(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if context.memory or not any(isinstance(n, ast.For) and _changed(n.body, context) for n in walk(f)):
        return f
    known = _Known(f, context)

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(s)]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
            return [s]
        s = with_blocks(s, block)
        return looked_at(s) if isinstance(s, ast.For) else [s]

    def looked_at(s: ast.For) -> list[ast.stmt]:
        changed = _changed(s.body, context)
        before: list[ast.stmt] = []
        checks: list[ast.stmt] = []

        def held(e: ast.expr) -> ast.expr:
            match e:
                case ast.Name() | ast.Attribute() | ast.Subscript() if ast.unparse(e) not in context.steady and any(
                    known.may_be_same(e, x) for x in changed
                ):
                    items, length = context.names.numbered("items"), context.names.numbered("length")
                    context.scope.local |= {items, length}
                    measure = context.use("length_of", length_of)
                    before.extend((assign(items, e, s), assign(length, expression("f(x)", f=measure, x=items), s)))
                    check = context.use("require_length", require_length)
                    checks.append(at(ast.Expr(expression("f(x, n)", f=check, x=items, n=length)), s))
                    return name(items)
                case ast.Call(func=func, args=args) if context.scope.resolve(func) in THROUGH:
                    return replace(e, args=[held(a) for a in args])
                case _:
                    return e

        new = replace(s, iter=held(s.iter))
        return [*before, replace(new, body=[*checks, *s.body], orelse=[*checks, *s.orelse])] if checks else [s]

    return replace(f, body=block(f.body))


def _root(e: ast.expr) -> str:
    while isinstance(e, (ast.Attribute, ast.Subscript)):
        e = e.value
    return e.id if isinstance(e, ast.Name) else ""


def _changed(body: list[ast.stmt], context: Context) -> list[ast.expr]:
    """What a loop makes longer or shorter, or hands on to functions that may."""
    found: list[ast.expr] = []
    for n in (n for s in body for n in walk(s)):
        match n:
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in CHANGING:
                if context.scope.resolve(n.func) is MISSING:
                    found.append(owner)
            case ast.Delete(targets=targets):
                found += [t.value for t in targets if isinstance(t, ast.Subscript)]
            case ast.Assign(targets=[ast.Subscript(value=owner, slice=ast.Slice())], value=ast.List() | ast.ListComp()):
                found.append(owner)
            case ast.AugAssign(target=target, op=ast.Add(), value=ast.List() | ast.ListComp()):
                found.append(target)
            case ast.Call(func=func, args=args) if _changes(context.scope.resolve(func)):
                found += [a for a in args if isinstance(a, ast.Name)]
    return found


def _changes(function: Any) -> bool:
    """Whether a function of the user calls a method that makes something longer or shorter."""
    code = getattr(function, "__code__", None)
    return code is not None and not is_library(function) and not CHANGING.isdisjoint(code.co_names)


class _Known:
    """Which variables are known by no other name, and which of them hold what is made in the function."""

    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        made: dict[str, list[bool]] = {a.arg: [False] for a in arguments(f.args)}
        for n in walk_scope(f):
            match n:
                case ast.Assign(targets=[ast.Name(id=v)], value=value):
                    made.setdefault(v, []).append(_is_new(value, context))
                case ast.For(target=ast.Name(id=v)):
                    made.setdefault(v, []).append(False)
        plain = {id(x) for n in walk(f) for x in _looked_into(n, context)}
        read = [n for n in walk(f) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        self.handed_on = {n.id for n in read if id(n) not in plain}
        self.alone = {v for v, new in made.items() if all(new)} - self.handed_on
        self.shares = any(v in self.handed_on for v, new in made.items() if any(new))

    def may_be_same(self, x: ast.expr, y: ast.expr) -> bool:
        """Whether two expressions may give one list."""
        v, w = _root(x), _root(y)
        if isinstance(x, ast.Name) and isinstance(y, ast.Name):
            return v == w or not {v, w} & self.alone
        if isinstance(x, ast.Name) or isinstance(y, ast.Name):
            whole, holder = (v, w) if isinstance(x, ast.Name) else (w, v)
            return whole not in self.alone and (whole in self.handed_on or holder not in self.alone)
        return v == w or self.shares or not {v, w} & self.alone


def _is_new(e: ast.expr, context: Context) -> bool:
    if isinstance(e, ast.Call):
        found = context.scope.resolve(e.func)
        return found is not MISSING and is_library(found)
    return isinstance(e, (ast.List, ast.ListComp, ast.Dict, ast.DictComp, ast.BinOp))


def _looked_into(n: ast.AST, context: Context) -> list[ast.expr]:
    """The variables that a node only looks into: items, methods, and what a function of a library is given."""
    match n:
        case ast.Subscript(value=e) | ast.Attribute(value=e) | ast.For(iter=e) | ast.comprehension(iter=e):
            return [e]
        case ast.Return(value=ast.expr() as e) | ast.UnaryOp(operand=e):
            return [e]
        case ast.If(test=e) | ast.While(test=e) | ast.IfExp(test=e):
            return [e]
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.Compare(left=left, comparators=others):
            return [left, *others]
        case ast.BoolOp(values=values):
            return values
        case ast.Call(func=func, args=args) if is_library(context.scope.resolve(func)):
            return [a.value if isinstance(a, ast.Starred) else a for a in args]
        case _:
            return []
