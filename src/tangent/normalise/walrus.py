"""Assignment expressions become assignments before the statement, in the order in which Python evaluates.

if (y := x * x) > 1: ...         ->   y = x * x
                                      if y > 1: ...
while (e := f(x)) > tol:         ->   while True:
    ...                                   e = f(x)
                                          if not e > tol: break
                                          ...
if a > 0 and (b := a * a) < 1:   ->   test = a > 0
    ...                               if test:
                                          b = a * a
                                          test = b < 1
                                      if test: ...

What stands to the left of an assignment and could be changed by it is kept under a name: `x * (x := x + 1)`.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from typing import Any

from tangent.normalise.context import Context
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.uses import COMPREHENSIONS, expression_reads
from tangent.syntax.walk import walk


def walrus(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    return replace(f, body=_block(f.body, context)) if _assigned(f) else f


def _assigned(node: ast.AST) -> set[str]:
    """The names that assignments inside an expression bind; those inside a lambda belong to it."""
    found = [n for n in walk(node) if isinstance(n, ast.NamedExpr)]
    inside = {id(n) for x in walk(node) if found and isinstance(x, ast.Lambda) for n in walk(x.body)}
    return {n.target.id for n in found if id(n) not in inside}


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, context)]


def _statement(s: ast.stmt, context: Context) -> list[ast.stmt]:
    order = _Order(s, context)
    match s:
        case ast.With() | ast.Try():
            return [with_blocks(s, lambda body: _block(body, context))]
        case ast.If(test=test, body=body, orelse=orelse):
            test = order.value(test)
            return [*order.before, replace(s, test=test, body=_block(body, context), orelse=_block(orelse, context))]
        case ast.While():
            return _while(s, order, context)
        case ast.For(iter=iter, body=body, orelse=orelse):
            iter = order.value(iter)
            return [*order.before, replace(s, iter=iter, body=_block(body, context), orelse=_block(orelse, context))]
        case ast.AugAssign(target=target) if expression_reads(target) & _assigned(s.value) or _assigned(target):
            return _plain(s, context)
        case ast.Assign(targets=targets) if any(_assigned(t) for t in targets):
            return _plain(s, context)
        case (
            ast.Assign(value=ast.expr() as value)
            | ast.Return(value=ast.expr() as value)
            | ast.Expr(value=value)
            | ast.AugAssign(value=value)
        ) if _assigned(value):
            value = order.value(value)
            return [*order.before, replace(s, value=value)]
        case ast.Assert(test=test) if not (s.msg and _assigned(s.msg)):
            test = order.value(test)
            return [*order.before, replace(s, test=test)]
        case _:
            return _plain(s, context)


def _plain(s: ast.stmt, context: Context) -> list[ast.stmt]:
    if _assigned(s) and not hasattr(s, "body"):
        raise _refusal(s, context, "what is evaluated before it and after it is not clear")
    return [s]


def _while(s: ast.While, order: _Order, context: Context) -> list[ast.stmt]:
    """A condition that takes statements is looked at inside the loop; where it fails, the `else` clause runs."""
    test = order.value(s.test)
    inner, rest = _block(s.body, context), _block(s.orelse, context)
    if not order.before:
        return [replace(s, body=inner, orelse=rest)]
    if any(isinstance(n, (ast.Break, ast.Continue)) for x in rest for n in walk(x)):
        raise _refusal(s, context, "the 'else' clause leaves a loop around this one")
    leave = at(ast.If(ast.UnaryOp(ast.Not(), test), [*rest, at(ast.Break(), s)], []), s)
    return [replace(s, test=constant(True), body=[*order.before, leave, *inner], orelse=[])]


def _refusal(node: ast.AST, context: Context, why: str) -> Exception:
    return context.refuse(node, "':=' here", why, "Assign before the statement.")


class _Order:
    """Takes expressions apart from left to right; `before` is what happens before the statement."""

    def __init__(self, s: ast.stmt, context: Context) -> None:
        self.s, self.context = s, context
        self.before: list[ast.stmt] = []

    def value(self, e: ast.expr) -> ast.expr:
        """The expression that is left when the assignments in it are done."""
        if not _assigned(e):
            return e
        match e:
            case ast.NamedExpr(target=target, value=value):
                self.before.append(assign(target.id, self.value(value), self.s))
                return name(target.id)
            case ast.BoolOp(op=op, values=[first, *rest]) if any(map(_assigned, rest)):
                return self.short(op, first, rest[0] if len(rest) == 1 else replace(e, values=rest))
            case ast.Compare(left=left, ops=[op, *ops], comparators=[first, *rest]) if any(map(_assigned, rest)):
                left = self.kept(self.value(left), _assigned(first))
                middle = self.kept(self.value(first))
                return self.short(ast.And(), ast.Compare(left, [op], [middle]), ast.Compare(middle, ops, rest))
            case ast.IfExp(test=test, body=body, orelse=orelse) if _assigned(body) or _assigned(orelse):
                return self.either(self.value(test), body, orelse)
            case _ if isinstance(e, COMPREHENSIONS):
                return e  # a loop later
            case _:
                return self.parts(e)

    def short(self, op: ast.boolop, first: ast.expr, rest: ast.expr) -> ast.expr:
        """`first and rest`, with statements in the second."""
        held = self.context.names.numbered("test")
        self.before.append(assign(held, self.value(first), self.s))
        test: ast.expr = name(held) if isinstance(op, ast.And) else ast.UnaryOp(ast.Not(), name(held))
        self.before.append(at(ast.If(test, self.into(held, rest), []), self.s))
        return name(held)

    def either(self, test: ast.expr, then: ast.expr, other: ast.expr) -> ast.expr:
        held = self.context.names.numbered("chosen")
        self.before.append(at(ast.If(test, self.into(held, then), self.into(held, other)), self.s))
        return name(held)

    def into(self, held: str, e: ast.expr) -> list[ast.stmt]:
        inner = _Order(self.s, self.context)
        value = inner.value(e)
        return [*inner.before, assign(held, value, self.s)]

    def parts(self, e: ast.expr) -> ast.expr:
        """The operands in their order; those before the last assignment are kept where it could change them."""
        operands = list(operands_of(e))
        last = max(i for i, x in enumerate(operands) if _assigned(x))
        new: dict[int, Any] = {}
        for i, x in enumerate(operands):
            later: set[str] = set().union(*map(_assigned, operands[i + 1 :]))
            found = self.value(x)
            function = isinstance(e, ast.Call) and x is e.func
            new[id(x)] = self.kept(found, later, function) if i < last else found
        return with_operands(e, new)

    def kept(self, e: ast.expr, later: set[str] | None = None, function: bool = False) -> ast.expr:
        """A value that stays what it is now; names in `later` are about to change (None: any may)."""
        root = e
        while function and isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(e, ast.Constant) or (isinstance(root, ast.Name) and later is not None and root.id not in later):
            return e
        if isinstance(e, ast.Starred):
            return ast.Starred(self.kept(e.value, later), ast.Load())
        if isinstance(e, ast.Slice):
            return replace(e, **{f: part and self.kept(part, later) for f, part in ast.iter_fields(e)})
        held = self.context.names.numbered("held")
        self.before.append(assign(held, e, self.s))
        return name(held)


def operands_of(e: ast.expr) -> Iterator[ast.expr]:
    """The expressions that an expression is made of, as Python evaluates them."""
    if isinstance(e, ast.Dict):
        for k, v in zip(e.keys, e.values):
            yield from (x for x in (k, v) if x is not None)
        return
    for child in ast.iter_child_nodes(e):
        if isinstance(child, ast.expr):
            yield child
        elif isinstance(child, ast.keyword):
            yield child.value


def with_operands(e: ast.expr, new: dict[int, Any]) -> ast.expr:
    """An expression with other operands."""

    def part(v: Any) -> Any:
        if isinstance(v, list):
            return [part(x) for x in v]
        if isinstance(v, ast.keyword):
            return replace(v, value=part(v.value))
        return new.get(id(v), v)

    return replace(e, **{f: part(getattr(e, f)) for f in e._fields})
