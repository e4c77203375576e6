"""Arrays that are made in a function and known by one name there: no other name looks at their memory."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Number
from tangent.source.naming import home_of
from tangent.source.resolve import MISSING
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import arguments, expression_reads, header_reads, writes
from tangent.transform.generated import Generated

MAKERS: frozenset[Any] = frozenset(
    (np.zeros, np.ones, np.empty, np.zeros_like, np.ones_like, np.empty_like, np.dot, np.outer, np.eye, np.sum, np.full,
     runtime.init_grad, runtime.lazy_zero, runtime.shadow, runtime.own, runtime.own_any, runtime.content, runtime.copy,
     runtime.overwritten, runtime.with_part, runtime.ratio, runtime.times, len, float, abs, max, min, range, np.where)
)  # fmt: skip

FITTED = (runtime.unbroadcast, runtime.broadcast_like, runtime.spread)  # of the shape of another, from the first alone


def made_here(body: list[ast.stmt], g: Generated, found: Inference) -> frozenset[str]:
    """Names that only ever stand for new arrays, of which no other name is made."""
    assert g.tree is not None
    good: set[str] = set()
    bad = {a.arg for a in arguments(g.tree.args)}
    records = _records_of_new(body, g, found)
    for s in statements(body):
        match s:
            case ast.Assign(
                targets=[ast.Name(id=v)], value=ast.Call(func=ast.Attribute(value=ast.Name(id=stack), attr="pop"))
            ) if stack in records:
                good.add(v)
            case ast.Assign(targets=[ast.Name(id=v)], value=value):
                (good if _is_new(value, g, found) else bad).add(v)
                bad |= shared_by(value, g, found)
            case ast.AugAssign():
                pass
            case ast.Assign(targets=[ast.Subscript(value=ast.Name() as base)]) if isinstance(found.of(base, g), Number):
                pass  # an array takes the numbers
            case ast.Assign(value=value):
                bad |= set(writes(s)) | shared_by(value, g, found)
            case _:
                bad |= set(writes(s))
    return frozenset(good - bad)


def _records_of_new(body: list[ast.stmt], g: Generated, found: Inference) -> set[str]:
    """Lists that only get new arrays, and give each of them back once."""
    good: set[str] = set()
    bad: set[str] = set()
    for s in statements(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[])):
                good.add(v)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"), args=[item])) if (
                _is_new(item, g, found)
            ):
                bad |= expression_reads(item)
            case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="pop"), args=[])):
                bad |= set(writes(s))
            case _:
                bad |= header_reads(s) | set(writes(s))
    return good - bad


def shared(body: list[ast.stmt], g: Generated, found: Inference) -> frozenset[str]:
    """Names that some other name stands for, too, or looks at a part of."""
    values = [s.value for s in statements(body) if isinstance(s, ast.Assign)]
    return frozenset().union(*(shared_by(e, g, found) for e in values))


def _is_new(e: ast.expr, g: Generated, found: Inference) -> bool:
    match e:
        case ast.BinOp() | ast.UnaryOp() | ast.Constant():
            return True
        case ast.Call(func=ast.Attribute(attr="copy"), args=[]):
            return True
        case ast.Call(func=func):
            function = found.resolve(func, g)
            if isinstance(function, np.ufunc) or getattr(function, "__module__", "") == "math":
                return True
            return _hashable(function) and function in MAKERS
        case _:
            return False


def shared_by(e: ast.expr, g: Generated, found: Inference) -> set[str]:
    """Names that an expression gives a second name to, or a view of."""
    kind = found.of(e, g)
    if isinstance(kind, Number) and kind.scalar and not isinstance(e, ast.Call):
        return set()
    match e:
        case ast.Attribute(attr="shape"):
            return set()
        case ast.Name(id=v) | ast.Subscript(value=ast.Name(id=v)) | ast.Attribute(value=ast.Name(id=v)):
            return {v}
        case ast.IfExp(body=body, orelse=orelse):
            return shared_by(body, g, found) | shared_by(orelse, g, found)
        case ast.Call(func=func, args=[first, *_]) if found.resolve(func, g) in (
            runtime.add_item,
            runtime.add_part,
        ) and (isinstance(found.of(first, g), Number)):  # adds into the array that it gives back
            return {n.id for n in ast.walk(first) if isinstance(n, ast.Name)}
        case ast.Call(func=func, args=[first, *_]) if found.resolve(func, g) in FITTED:
            return shared_by(first, g, found)
        case ast.Call() if not _is_new(e, g, found):  # may give back what it was given, or a part of it
            return {n.id for n in ast.walk(e) if isinstance(n, ast.Name)}
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return set().union(*(shared_by(x, g, found) for x in elts))
        case _:
            return set()


def _hashable(x: object) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True


def private(body: list[ast.stmt], own: frozenset[str], g: Generated, found: Inference) -> frozenset[str]:
    """Arrays made here that nothing holds on to: no list, no tuple, no call that keeps its arguments."""
    kept: set[str] = set()
    for s in statements(body):
        for n in ast.walk(s) if not isinstance(s, (ast.If, ast.For, ast.While)) else ():
            match n:
                case ast.Tuple(elts=elts) | ast.List(elts=elts) if isinstance(n.ctx, ast.Load):
                    kept |= {e.id for e in elts if isinstance(e, ast.Name)}
                case ast.Call(func=func, args=args, keywords=keywords):
                    function = found.resolve(func, g)
                    module = "" if function is MISSING else home_of(function)
                    if isinstance(function, np.ufunc) or module.split(".")[0] in ("numpy", "math", "tangent"):
                        continue
                    kept |= {a.id for a in (*args, *(k.value for k in keywords)) if isinstance(a, ast.Name)}
    return own - kept
