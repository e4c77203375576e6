"""Statements that are spelled as functions of `operator` are statements.

y = operator.iadd(y, e)    ->   y += e
z = operator.iadd(y, e)    ->   z = y; z += e
operator.setitem(a, i, v)  ->   a[i] = v
o.v += e                   ->   t = o.v; t += e; o.v = t      where a class says what += means
reduce(imul, [x * y, z])   ->   reduce(mul, [x * y, z])       what is made there is changed for nobody else
"""

from __future__ import annotations

import ast
import functools
import operator

from tangent.normalise.context import Context
from tangent.normalise.overloading import BINARY
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import rebuild, replace, with_blocks

IN_PLACE: dict[object, ast.operator] = {
    operator.iadd: ast.Add(), operator.isub: ast.Sub(), operator.imul: ast.Mult(), operator.itruediv: ast.Div(),
    operator.ipow: ast.Pow(), operator.imod: ast.Mod(), operator.imatmul: ast.MatMult(),
    operator.ifloordiv: ast.FloorDiv(),
}  # fmt: skip


def augmented(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Where the call is all that a statement computes; elsewhere it is a call of a function that writes."""

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(s)]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Expr(value=ast.Call(func=func, args=[owner, index, value], keywords=[])) if (
                context.scope.resolve(func) is operator.setitem
            ):
                return [ast.copy_location(ast.Assign([ast.Subscript(owner, index, ast.Store())], value), s)]
            case ast.AugAssign(target=ast.Attribute() | ast.Subscript() as place) if told(s.op) and is_item(place):
                return taken_out(place, s)
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call() as e) if (op := meant(e)) is not None:
                return changed(v, e, op, s)
            case ast.Expr(value=ast.Call() as e) | ast.Return(value=ast.Call() as e) if (op := meant(e)) is not None:
                held = context.names.numbered("t")
                given = [replace(s, value=ast.copy_location(name(held), e))] if isinstance(s, ast.Return) else []
                return [*changed(held, e, op, s), *given]
            case _:
                return [with_blocks(s, block)]

    def told(op: ast.operator) -> bool:
        return type(op) in BINARY and context.overloads(f"__i{BINARY[type(op)][1]}__")

    def taken_out(place: ast.Attribute | ast.Subscript, s: ast.AugAssign) -> list[ast.stmt]:
        owner, held = context.names.numbered("t"), context.names.numbered("t")
        inner = replace(place, value=ast.copy_location(name(owner), place))
        parts = [
            assign(owner, place.value, s), assign(held, replace(inner, ctx=ast.Load()), s),
            ast.AugAssign(ast.Name(held, ast.Store()), s.op, s.value), ast.Assign([inner], name(held)),
        ]  # fmt: skip
        return [ast.fix_missing_locations(ast.copy_location(new, s)) for new in parts]

    def meant(e: ast.Call) -> ast.operator | None:
        if len(e.args) != 2 or e.keywords or any(isinstance(a, ast.Starred) for a in e.args):
            return None
        found = context.scope.resolve(e.func)
        return IN_PLACE[found] if _is_in_place(found) else None

    def changed(v: str, e: ast.Call, op: ast.operator, s: ast.stmt) -> list[ast.stmt]:
        first, second = e.args
        same = isinstance(first, ast.Name) and first.id == v
        before = [] if same else [assign(v, first, s)]
        step = ast.AugAssign(ast.Name(v, ast.Store()), op, second)
        return [*before, ast.fix_missing_locations(ast.copy_location(step, s))]

    def folded(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=func, args=[op, ast.List(elts=[ast.BinOp() | ast.UnaryOp(), *_])], keywords=[]) if (
                context.scope.resolve(func) is functools.reduce and _is_in_place(found := context.scope.resolve(op))
            ):
                plain = found.__name__[1:]
                return replace(e, args=[name(context.use(plain, getattr(operator, plain))), e.args[1]])
            case _:
                return e

    return rebuild(replace(f, body=block(f.body)), folded)


def _is_in_place(found: object) -> bool:
    return isinstance(found, type(operator.iadd)) and found in IN_PLACE


def is_item(place: ast.Attribute | ast.Subscript) -> bool:
    """Whether a place may hold an object, and its index calls nothing, so that it may be computed twice."""
    index = place.slice if isinstance(place, ast.Subscript) else place
    return place is index or not any(isinstance(n, (ast.Call, ast.NamedExpr, ast.Slice)) for n in ast.walk(index))
