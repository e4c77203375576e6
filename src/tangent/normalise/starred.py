"""What a star brings: the items of a tuple that is written out, one by one, for functions.

pair = (x, y)                 pair = (x, y)
z = f(*pair)           ->     a = pair[0]
                              b = pair[1]
                              z = f(a, b)

Ufuncs that are given more than they take write into the rest: there what a star brings is counted first.

y = np.sin(x, *args)    ->    require_inputs(np.sin, x, *args)
                              y = np.sin(x, *args)
"""

from __future__ import annotations

import ast
import types

import numpy as np

from tangent.normalise.context import Context
from tangent.runtime.checks import require_inputs
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import replace, statements, with_blocks
from tangent.syntax.uses import arguments, writes
from tangent.syntax.walk import walk


def starred(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Write out known arguments of functions; count those of ufuncs where a star may bring too many."""
    if not any(isinstance(n, ast.Starred) for n in walk(f)):
        return f
    lengths = _lengths(f)

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(s)]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Assign(value=ast.Call(func=func, args=args)) | ast.Expr(value=ast.Call(func=func, args=args)) if (
                any(isinstance(a, ast.Starred) for a in args) and _takes_fewer(context.scope.resolve(func), len(args))
            ):
                check = ast.Call(name(context.use("require_inputs", require_inputs)), [func, *args], [])
                return [at(ast.Expr(check), s), s]
            case ast.Assign(value=ast.Call() as call) | ast.Expr(value=ast.Call() as call) if any(
                _is_known(a, lengths) for a in call.args
            ) and _is_function(context.scope.resolve(call.func)):
                before, args = _written_out(call.args, lengths, context)
                return [*(at(b, s) for b in before), replace(s, value=replace(call, args=args))]
            case _:
                return [with_blocks(s, block)]

    return replace(f, body=block(f.body))


def _takes_fewer(found: object, count: int) -> bool:
    return isinstance(found, np.ufunc) and found.nin < count


def _is_function(found: object) -> bool:
    """Whether something is a function of Python, or was compiled from one."""
    return isinstance(getattr(found, "py_func", found), types.FunctionType)


def _lengths(f: ast.FunctionDef) -> dict[str, int]:
    """Names that only ever stand for tuples of one length, written out; stars in these count by what they bring."""
    known: dict[str, int] = {}
    while (more := _measured(f, known)) != known:
        known = more
    return known


def _measured(f: ast.FunctionDef, known: dict[str, int]) -> dict[str, int]:
    found: dict[str, set[int | None]] = {a.arg: {None} for a in arguments(f.args)}
    for s in statements(f.body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Tuple(elts=elts)):
                found.setdefault(v, set()).add(_count(elts, known))
            case _:
                for v in writes(s):
                    found.setdefault(v, set()).add(None)
    return {v: n for v, (n, *more) in found.items() if n is not None and not more}


def _count(elts: list[ast.expr], known: dict[str, int]) -> int | None:
    """How many items a tuple has; None where a star brings what is not known."""
    if any(isinstance(e, ast.Starred) and not _is_known(e, known) for e in elts):
        return None
    return sum(known[e.value.id] if isinstance(e, ast.Starred) and isinstance(e.value, ast.Name) else 1 for e in elts)


def _is_known(a: ast.expr, lengths: dict[str, int]) -> bool:
    return isinstance(a, ast.Starred) and isinstance(a.value, ast.Name) and a.value.id in lengths


def _written_out(
    args: list[ast.expr], lengths: dict[str, int], context: Context
) -> tuple[list[ast.stmt], list[ast.expr]]:
    before: list[ast.stmt] = []
    done: list[ast.expr] = []
    for a in args:
        match a:
            case ast.Starred(value=ast.Name(id=v)) if v in lengths:
                for k in range(lengths[v]):
                    before.append(assign(held := context.names.numbered("t"), expression("v[k]", v=v, k=constant(k))))
                    done.append(name(held))
            case _:
                done.append(a)
    return before, done
