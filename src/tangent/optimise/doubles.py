"""A product that is added to itself is doubled, and the factor goes to the smaller array.

bz = spread(b, x)
bx = bz * x + bz * x           ->   bx = spread(2.0 * b, x) * x

ba += b * a                    ->   ba += 2.0 * b * a
ba += b * a

So is what flows twice through a branch that may not be taken. Doubling is exact, so the number is the same. A sum of
two products with a name that the reader knows stays as it is.
"""

from __future__ import annotations

import ast

from tangent.optimise.context import Body, Optimisation
from tangent.syntax.quote import constant
from tangent.syntax.rebuild import NESTED, rebuild, replace
from tangent.syntax.uses import expression_reads
from tangent.syntax.walk import fact, walk


def doubles(body: Body, o: Optimisation) -> Body:
    return _summed([rebuild(s, lambda e: _moved(_doubled(e, o))) if _may_double(s) else s for s in body], o)


def _summed(body: Body, o: Optimisation) -> Body:
    """The block with one sum in place where the same stands twice in a row, also in the blocks inside it."""
    done: Body = []
    for s in body:
        if done and (both := _both(done[-1], s, o)) is not None:
            done[-1] = both
        elif isinstance(s, NESTED):
            done.append(replace(s, body=_summed(s.body, o), orelse=_summed(s.orelse, o)))
        else:
            done.append(s)
    return done


def _both(s: ast.stmt, following: ast.stmt, o: Optimisation) -> ast.stmt | None:
    """The sum in place that does what two equal ones do, of a product that does not read what it is added to."""
    match s, following:
        case (
            ast.AugAssign(target=ast.Name(id=b), op=ast.Add(), value=ast.BinOp() as once),
            ast.AugAssign(target=ast.Name(id=c), op=ast.Add(), value=ast.BinOp() as again),
        ) if b == c and b not in expression_reads(once):
            both = ast.BinOp(once, ast.Add(), again)
            doubled = _doubled(both, o)
            return None if doubled is both else replace(s, value=doubled)
        case _:
            return None


@fact
def _may_double(s: ast.stmt) -> bool:
    """Whether there is a sum or a product of one of the forms."""
    return any(map(_has_form, walk(s)))


def _has_form(e: ast.AST) -> bool:
    match e:
        case ast.BinOp(op=ast.Add(), left=ast.BinOp(op=ast.Mult()), right=ast.BinOp(op=ast.Mult())):
            return True
        case ast.BinOp(op=ast.Add(), right=ast.Call()):
            return True
        case ast.BinOp(op=ast.Mult(), left=ast.Constant(), right=ast.Call()):
            return True
        case _:
            return False


def _doubled(e: ast.expr, o: Optimisation) -> ast.expr:
    match e:
        case ast.BinOp(
            left=ast.BinOp(op=ast.Mult(), left=ast.Name(id=a) as factor, right=ast.Name(id=b) as other),
            op=ast.Add(),
            right=ast.BinOp(op=ast.Mult(), left=ast.Name(id=c), right=ast.Name(id=d)),
        ) if (a, b) == (c, d) and a not in o.visible:
            return ast.BinOp(ast.BinOp(constant(2.0), ast.Mult(), factor), ast.Mult(), other)
        case ast.BinOp(left=left, op=ast.Add(), right=ast.Call(func=ast.Name(id=function)) as part):
            return _twice(left, part) or e if function.rstrip("_") == "where_nonzero" else e
        case _:
            return e


def _twice(left: ast.expr, part: ast.Call) -> ast.expr | None:
    """`left + part`, where part is all of left, or the last term of it."""
    doubled = ast.BinOp(constant(2.0), ast.Mult(), part)
    match left:
        case ast.Call() if ast.dump(left) == ast.dump(part):
            return doubled
        case ast.BinOp(left=rest, op=ast.Add(), right=last) if ast.dump(last) == ast.dump(part):
            return ast.BinOp(rest, ast.Add(), doubled)
        case _:
            return None


def _moved(e: ast.expr) -> ast.expr:
    match e:
        case ast.BinOp(
            left=ast.Constant(value=float()) as factor,
            op=ast.Mult(),
            right=ast.Call(func=ast.Name(id=function), args=[inner, *rest]) as spread,
        ) if function.rstrip("_") == "spread":
            return replace(spread, args=[ast.BinOp(factor, ast.Mult(), inner), *rest])
        case _:
            return e
