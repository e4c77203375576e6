"""The adjoints of `np.einsum`, of which the subscripts are known, as `np.einsum`.

einsum_adjoint_x(bz, "ij,jk->ik", x, y)    ->    np.einsum("ik,jk->ij", bz, y)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent import runtime
from tangent.optimise.shaped.kinds import Axis, Number, alike
from tangent.optimise.shaped.parts import Of
from tangent.runtime.kernels.einsum import einsum_transpose
from tangent.syntax.quote import constant, expression

PLACES = {runtime.einsum_adjoint_x: 0, runtime.einsum_adjoint_y: 1}
Large = Callable[[tuple[Axis, ...]], bool]


def subscripts(
    e: ast.expr, of: Of, resolve: Callable[[ast.expr], Any], large: Large, use: Callable[[], str]
) -> ast.expr:
    """Such a call, written out; large arrays are worth a matrix product."""
    match e:
        case ast.Call(func=ast.Name(), args=[b, ast.Constant(value=str(text)), x, y], keywords=[]):
            place = PLACES.get(resolve(e.func))
        case _:
            return e
    kinds = [of(a) for a in (b, x, y)]
    numbers = [k for k in kinds if isinstance(k, Number) and k.real]
    if place is None or len(numbers) < 3 or len({k.dtype for k in numbers}) > 1:
        return e
    try:
        turned, lone, twins = einsum_transpose(text, place, (numbers[1].rank, numbers[2].rank))
    except (ValueError, KeyError, IndexError):  # no such subscripts: the call itself will tell
        return e
    if lone or twins:
        return e
    new = expression("np.einsum(over, b, y)", np=use(), over=constant(turned), b=b, y=(y, x)[place])
    result, operand = of(new), numbers[1 + place]
    if not isinstance(result, Number) or result.rank != operand.rank or not all(map(alike, result.axes, operand.axes)):
        return e
    assert isinstance(new, ast.Call)
    if any(large(k.axes) for k in numbers):
        new.keywords.append(ast.keyword("optimize", constant(True)))
    return new
