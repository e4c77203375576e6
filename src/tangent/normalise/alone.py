"""Arrays that one variable holds, and nothing else: their shape may be assigned.

y = x * 2.0                 y = x * 2.0
y.shape = (2, 3)     ->     y = y.reshape((2, 3))

Everybody who holds an array sees its new shape, so that the variable must be bound to arrays made here alone (`y = x`,
`y = xs[0]` and `y = g(x)` may be arrays of others), and must not have been given away. A view is an array of its
own here: it shares elements, not its shape.
"""

from __future__ import annotations

import ast

import numpy as np

from tangent.source.naming import is_library
from tangent.source.resolve import MISSING, Scope
from tangent.syntax.walk import walk

GIVE_BACK = frozenset((
    np.asarray, np.asanyarray, np.ascontiguousarray, np.asfortranarray, np.asarray_chkfinite, np.atleast_1d,
    np.atleast_2d, np.atleast_3d, np.require, np.real, np.real_if_close, np.nan_to_num, np.broadcast_arrays,
    np.squeeze, np.round, np.around, np.swapaxes, np.rollaxis,
))  # fmt: skip
GRIDS = (np.mgrid, np.ogrid)
METHODS = frozenset("copy reshape ravel flatten transpose repeat dot cumsum clip take".split())
SELF = frozenset("real squeeze conj conjugate round swapaxes astype".split())  # these may give the array itself
MAY_KEEP = ("out", "copy", "subok")  # options with which a function may give what it was given


def is_alone(v: str, tree: ast.AST, scope: Scope, s: ast.stmt) -> bool:
    """Whether a variable only ever holds arrays that are made here, and that nothing else holds at a statement."""
    nodes = list(walk(tree))
    bound = sum(isinstance(n, ast.Name) and n.id == v and isinstance(n.ctx, ast.Store) for n in nodes)
    made = [value for n in nodes for value in _bound_to(n, v, scope)]
    added = sum(isinstance(n, ast.AugAssign) and _is_name(n.target, v) for n in nodes)
    if bound != len(made) + added or any(isinstance(n, ast.arg) and n.arg == v for n in nodes):
        return False
    if not all(_is_new(e, scope) or _is_part_of(e, v) for e in made):
        return False
    return not any(_gives_away(n, v, tree, scope) for n in _before(s, nodes))


def _before(s: ast.stmt, nodes: list[ast.AST]) -> list[ast.AST]:
    """What may run before a statement: all, where a loop is around it."""
    place = s.lineno, s.col_offset
    for loop in nodes:
        if isinstance(loop, (ast.For, ast.While)) and (loop.lineno, loop.col_offset) < place:
            if place <= (loop.end_lineno or s.lineno, loop.end_col_offset or s.col_offset):
                return nodes
    return [n for n in nodes if (getattr(n, "lineno", 0), getattr(n, "col_offset", 0)) < place]


def _bound_to(n: ast.AST, v: str, scope: Scope) -> list[ast.expr]:
    """The expressions that an assignment binds a variable to."""
    match n:
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=ast.Tuple(elts=values)):
            return [e for t, e in zip(targets, values, strict=False) if _is_name(t, v)]
        case ast.Assign(targets=[ast.Tuple(elts=targets)], value=value) if _makes_all(value, scope):
            return [value for t in targets if _is_name(t, v)]
        case ast.Assign(targets=[ast.Name(id=w)], value=value) | ast.AnnAssign(
            target=ast.Name(id=w), value=ast.expr() as value
        ):
            return [value] if w == v else []
        case _:
            return []


def _is_new(e: ast.expr, scope: Scope) -> bool:
    """Whether an expression makes an array object that nobody else has."""
    match e:
        case ast.BinOp() | ast.UnaryOp():
            return True
        case ast.Subscript(value=grid) if scope.resolve(grid) in GRIDS:
            return True
        case ast.Subscript(slice=ast.Tuple(elts=elts)):
            return any(isinstance(i, ast.Slice) for i in elts)
        case ast.Subscript(slice=index):
            return isinstance(index, ast.Slice)
        case ast.Call(func=func, keywords=keywords) if not any(k.arg in (None, *MAY_KEEP) for k in keywords):
            found = scope.resolve(func)
            if found is MISSING:
                return isinstance(func, ast.Attribute) and func.attr in METHODS
            return is_library(found) and _of_numpy(found) and found not in GIVE_BACK
        case _:
            return False


def _makes_all(e: ast.expr, scope: Scope) -> bool:
    """Whether an expression gives several arrays that nobody else has: `u, v = np.mgrid[0:m, 0:n]`."""
    match e:
        case ast.Subscript(value=func) | ast.Call(func=func):
            found = scope.resolve(func)
            return (found in GRIDS if isinstance(e, ast.Subscript) else found is not MISSING) and _is_new(e, scope)
        case _:
            return False


def _is_part_of(e: ast.expr, v: str) -> bool:
    """Whether an expression is a part of a variable: `a = a[mask]` binds an array that nobody else has, as a was."""
    return isinstance(e, ast.Subscript) and _is_name(e.value, v)


def _of_numpy(found: object) -> bool:
    return isinstance(found, np.ufunc) or (getattr(found, "__module__", None) or "").split(".")[0] == "numpy"


def _gives_away(n: ast.AST, v: str, tree: ast.AST, scope: Scope) -> bool:
    """Whether a variable gets another holder: another name, a container, an attribute, a closure, a function called."""
    match n:
        case ast.Assign(value=value) | ast.NamedExpr(value=value) | ast.AnnAssign(value=ast.expr() as value):
            return _is_name(value, v) or _is_output(value, v)
        case ast.Attribute(value=ast.Name(id=w), attr=attr):
            return w == v and attr in SELF
        case ast.Tuple(elts=held, ctx=ast.Load()) | ast.List(elts=held) | ast.Set(elts=held) | ast.Dict(values=held):
            return any(_is_name(e, v) for e in held)
        case ast.IfExp(body=one, orelse=two):
            return _is_name(one, v) or _is_name(two, v)
        case ast.BoolOp(values=held):
            return any(_is_name(e, v) for e in held)
        case ast.FunctionDef() | ast.Lambda() if n is not tree:
            return any(_is_name(x, v) for x in walk(n))
        case ast.Call(func=func, args=args, keywords=keywords):
            given = [*(a.value if isinstance(a, ast.Starred) else a for a in args), *(k.value for k in keywords)]
            found = scope.resolve(func)
            safe = found is not MISSING and is_library(found) and _of_numpy(found) and found not in GIVE_BACK
            return not safe and any(_is_name(e, v) for e in given)
        case _:
            return False


def _is_output(e: ast.expr, v: str) -> bool:
    """Whether a function may give back an array that it was told to write into."""
    match e:
        case ast.Call(args=args, keywords=keywords):
            return any(_is_name(a, v) for a in (*args[2:], *(k.value for k in keywords)))
        case _:
            return False


def _is_name(e: ast.AST | None, v: str) -> bool:
    return isinstance(e, ast.Name) and e.id == v
