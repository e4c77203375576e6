"""NumPy's objects that join and make arrays by subscripts become calls of functions.

np.r_[x, y, 1:4]        ->   np.concatenate((np.atleast_1d(x), np.atleast_1d(y), np.arange(1, 4)))
np.r_[x, 0]             ->   np.concatenate((np.atleast_1d(x), np.atleast_1d(0)), dtype=joined_dtype(x, 0))
np.r_["1,2", x, y]      ->   np.concatenate((with_axes(x, 2, -1), with_axes(y, 2, -1)), axis=1)
np.c_[x, y]             ->   np.concatenate((with_axes(x, 2, 0), with_axes(y, 2, 0)), axis=-1)
np.mgrid[0:n, 0:x:5j]   ->   np.stack(np.meshgrid(np.arange(0, n), np.linspace(0, x, 5), indexing="ij"))
np.ogrid[0:n, 0:m]      ->   tuple(np.meshgrid(np.arange(0, n), np.arange(0, m), indexing="ij", sparse=True))
"""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from tangent.normalise.context import Context
from tangent.runtime.kernels.shape import with_axes
from tangent.runtime.library import joined_dtype
from tangent.syntax.quote import call, constant, name
from tangent.syntax.rebuild import rebuild, replace

JOINS = {"r_": (0, 1, -1), "c_": (-1, 2, 0)}  # axis, least rank, where new axes go


def grids(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    makers = {id(getattr(np, attr)): attr for attr in (*JOINS, "mgrid", "ogrid")}

    def change(e: ast.expr) -> ast.expr:
        if not isinstance(e, ast.Subscript):
            return e
        attr = makers.get(id(context.scope.resolve(e.value)), "")
        items = e.slice.elts if isinstance(e.slice, ast.Tuple) else [e.slice]
        if attr in JOINS:
            return ast.copy_location(_joined(e, items, JOINS[attr], context), e)
        return ast.copy_location(_grid(items, attr == "ogrid", e, context), e) if attr else e

    return replace(f, body=[rebuild(s, change) for s in f.body])


def _joined(e: ast.Subscript, items: list[ast.expr], how: tuple[int, int, int], context: Context) -> ast.expr:
    axis, rank, place = how
    match items:
        case [ast.Constant(value=str(text)), *rest]:
            axis, rank, place = _directive(text, e, context)
            items = rest
        case _:
            pass
    parts = [_piece(i, rank, place, e, context) for i in items]
    keywords = [ast.keyword("axis", constant(axis))] if axis else []
    if any(isinstance(i, ast.Constant) for i in items) and not any(isinstance(i, ast.Slice) for i in items):
        function = name(context.use("joined_dtype", joined_dtype))
        keywords.append(ast.keyword("dtype", ast.Call(function, list(items), [])))
    return ast.Call(_numpy("concatenate", e, context), [ast.Tuple(parts, ast.Load())], keywords)


def _directive(text: str, e: ast.Subscript, context: Context) -> tuple[int, int, int]:
    """`"axis,least rank,place of the array's own axes"`, of which the later ones may be left out."""
    try:
        numbers = [int(n) for n in text.split(",")]
    except ValueError:
        raise context.refuse(
            e, f"'np.r_' with {text!r}", "it makes a matrix, whose operators are others", "Join arrays with np.block."
        ) from None
    axis, rank, place = (numbers + [0, 1, -1][len(numbers) :])[:3]
    return axis, rank, place


def _piece(item: ast.expr, rank: int, place: int, e: ast.Subscript, context: Context) -> ast.expr:
    made = _points(item, e, context) if isinstance(item, ast.Slice) else item
    if rank <= 1:
        return made if isinstance(item, ast.Slice) else ast.Call(_numpy("atleast_1d", e, context), [made], [])
    return call(context.use("with_axes", with_axes), made, constant(rank), constant(place))


def _grid(items: list[ast.expr], sparse: bool, e: ast.Subscript, context: Context) -> ast.expr:
    points = [_points(i, e, context) for i in items if isinstance(i, ast.Slice)]
    if len(points) != len(items):
        raise context.refuse(e, "a grid without slices", "its bounds are not written out", "Use np.meshgrid.")
    if not isinstance(e.slice, ast.Tuple):
        return points[0]
    options = [ast.keyword("indexing", constant("ij"))] + [ast.keyword("sparse", constant(True))] * sparse
    grid = ast.Call(_numpy("meshgrid", e, context), list(points), options)
    return call(context.builtin("tuple"), grid) if sparse else ast.Call(_numpy("stack", e, context), [grid], [])


def _points(s: ast.Slice, e: ast.Subscript, context: Context) -> ast.expr:
    """`a:b:h` counts in steps, `a:b:5j` in points."""
    start, stop = s.lower or constant(0), s.upper or constant(None)
    match s.step:
        case ast.Constant(value=complex() as n):
            return ast.Call(_numpy("linspace", e, context), [start, stop, constant(int(abs(n)))], [])
        case None:
            return ast.Call(_numpy("arange", e, context), [start, stop], [])
        case step:
            return ast.Call(_numpy("arange", e, context), [start, stop, step], [])


def _numpy(function: str, e: ast.Subscript, context: Context) -> ast.expr:
    """The function of NumPy, by the user's name for it."""
    if isinstance(e.value, ast.Attribute):
        return ast.Attribute(e.value.value, function, ast.Load())
    found: Any = getattr(np, function)
    return name(context.use(function, found))
