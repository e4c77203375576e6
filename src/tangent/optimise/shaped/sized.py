"""Arrays of which nothing is read but their shape: they are not filled, nor made.

d = np.zeros(n)
d[1:-1] = y[2:] - y[:-2]          ->    bd = np.zeros(n)
bd = np.zeros(d.shape)

What is stored into such an array may be read of it, or of another: a sweep like `m[i] = d[i] - m[i + 1]` is one.
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Iterable, Mapping
from typing import TypeGuard

import numpy as np

from tangent.optimise.context import Body, Optimisation
from tangent.optimise.purity import is_pure
from tangent.syntax.blocks import MARKS, Attempt
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.rebuild import exchanged, rebuild, replace, statements
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.syntax.walk import walk

FROM_SHAPES = (np.zeros, np.ones, np.empty, np.full)
FROM_ARRAYS = (np.zeros_like, np.ones_like, np.empty_like, np.full_like)


def sized(body: Body, ranks: Mapping[str, int], parameters: Iterable[str], o: Optimisation) -> Body:
    if any(isinstance(s, (*MARKS, Attempt, InsertedCode)) for s in statements(body)):
        return body
    unread = _made(body, ranks, parameters, o)
    while read := unread.keys() & {v for s in statements(body) for v in _read(s, unread, o)}:
        unread = {v: shape for v, shape in unread.items() if v not in read}
    asking = [s for s in statements(body) if not hasattr(s, "body") and any(_is_shape(n, unread, o) for n in walk(s))]
    if not asking:
        return body
    changes: dict[ast.stmt, ast.stmt | None] = {s: rebuild(s, lambda e: _shape(e, unread, o)) for s in asking}
    for s in statements(body):
        if _stored(s) in unread or any(v in unread for v in writes(s)):
            changes[s] = None
    return exchanged(body, changes)


def _made(body: Body, ranks: Mapping[str, int], parameters: Iterable[str], o: Optimisation) -> dict[str, ast.expr]:
    """Arrays that are made once, with the expressions for their shapes, which hold from there on."""
    bound = Counter([*parameters, *(v for s in statements(body) for v in writes(s))])
    changed = {_stored(s) for s in statements(body)}
    found: dict[str, ast.expr] = {}
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func, args=[shape, *_]) as made) if (
                bound[v] == 1
            ):
                maker = o.resolve(func)
                if any(maker is f for f in FROM_ARRAYS) and isinstance(shape, ast.Name) and ranks.get(shape.id):
                    shape = ast.Attribute(shape, "shape", ast.Load())
                elif not any(maker is f for f in FROM_SHAPES) or expression_reads(shape) & changed:
                    continue
                lasting = all(bound[w] < 2 for w in expression_reads(shape))
                if lasting and _is_plain(shape) and is_pure(made, o):
                    found[v] = shape
    return found


def _is_plain(e: ast.expr) -> bool:
    """Whether a shape is written with names, numbers and arithmetic, and parts of shapes."""
    kinds = (ast.Name, ast.Constant, ast.BinOp, ast.operator, ast.Tuple, ast.expr_context, ast.Subscript)
    return all(isinstance(n, kinds) or (isinstance(n, ast.Attribute) and n.attr == "shape") for n in walk(e))


def _stored(s: ast.stmt) -> str:
    """The array that a statement does no more than store into."""
    match s:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=v))]):
            return v
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=v))):
            return v
        case _:
            return ""


def _is_shape(n: ast.AST, among: Mapping[str, ast.expr], o: Optimisation) -> TypeGuard[ast.Call]:
    """Whether an array is made in the shape of one of some others: `np.zeros(d.shape)`."""
    match n:
        case ast.Call(func=func, args=[ast.Attribute(value=ast.Name(id=v), attr="shape"), *_]) if v in among:
            return any(o.resolve(func) is f for f in FROM_SHAPES)
        case _:
            return False


def _shape(e: ast.expr, among: Mapping[str, ast.expr], o: Optimisation) -> ast.expr:
    if not _is_shape(e, among, o):
        return e
    array = e.args[0].value  # type: ignore[attr-defined]
    return replace(e, args=[among[array.id], *e.args[1:]])


def _read(s: ast.stmt, among: Mapping[str, ast.expr], o: Optimisation) -> frozenset[str]:
    """What a statement reads, but for shapes, and for what it stores into arrays that nothing is read of."""
    if hasattr(s, "body"):
        return header_reads(s)
    if (v := _stored(s)) in among:
        return frozenset() if all(is_pure(e, o) for e in ast.iter_child_nodes(s)) else frozenset([v])
    return header_reads(rebuild(s, lambda e: replace(e, args=e.args[1:]) if _is_shape(e, among, o) else e))
