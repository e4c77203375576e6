"""Reading with new axes, turned around.

scatter(b, x, np.s_[:, None])   ->   b[:, 0]
"""

from __future__ import annotations

import ast

from tangent.optimise.shaped.kinds import Number, alike
from tangent.syntax.quote import constant


def unstretched(e: ast.expr, index: ast.expr, b: Number, x: Number) -> ast.expr | None:
    """The adjoint of `x[:, None]`: what is at the one place of the new axis."""
    match index:
        case ast.Subscript(value=ast.Attribute(attr="s_"), slice=inner):
            index = inner
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if not all(_is_new_axis(p) or _is_whole(p) for p in parts) or not any(map(_is_new_axis, parts)):
        return None
    parts = [*parts, *[ast.Slice()] * (x.rank - sum(map(_is_whole, parts)))]
    axes = iter(x.axes)
    fits = [b.axes[i] == 1 if _is_new_axis(p) else alike(b.axes[i], next(axes)) for i, p in enumerate(parts[: b.rank])]
    if len(parts) != b.rank or not all(fits) or b.dtype != x.dtype:
        return None
    places: list[ast.expr] = [constant(0) if _is_new_axis(p) else ast.Slice() for p in parts]
    return ast.Subscript(e, ast.Tuple(places, ast.Load()), ast.Load())


def _is_new_axis(e: ast.expr) -> bool:
    return isinstance(e, ast.Constant) and e.value is None


def _is_whole(e: ast.expr) -> bool:
    return isinstance(e, ast.Slice) and e.lower is None and e.upper is None and e.step is None
