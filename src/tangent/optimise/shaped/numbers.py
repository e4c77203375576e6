"""What run-time functions do with single numbers.

share(b, m, n)                                ->   (0.5 * b if n else b) if m else 0.0
scaled(b, shares_of(y, (p, q)), (p, q))       ->   portions(b, y, (p, q))
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent import runtime
from tangent.optimise.settled import ZERO
from tangent.optimise.shaped.kinds import COMPLEX, Items, Kind, Number
from tangent.syntax.quote import expression

Resolve = Callable[[ast.expr], Any]
Use = Callable[[Any, str], str]


def of_numbers(function: Any, e: ast.Call, kinds: list[Kind], resolve: Resolve, use: Use) -> ast.expr | None:
    """A call as what it does with numbers of double precision; None where it is given something else."""
    if function is runtime.share and isinstance(e.args[0], ast.Name) and is_number(kinds[0]):
        b, mine, other = e.args
        if all(isinstance(k, Number) and not k.rank and k.dtype == "b1" for k in kinds[1:]):
            return expression("(0.5 * b if n else b) if m else 0.0", b=b, m=mine, n=other)
    if function is runtime.scaled and is_number(kinds[0]):
        return _portions(e, kinds, resolve, use)
    return None


def of_complex(function: Any, args: list[ast.expr], kinds: list[Kind]) -> ast.expr | None:
    """A call as what it does with numbers of double precision of which some are complex.

    unbroadcast(b, x)     ->   b, or b.real where x is real
    settled(b, x)         ->   b, or complex(b) where b may be real
    """
    numbers = [k for k in kinds if isinstance(k, Number)]
    if all(k.dtype != "c16" for k in numbers):
        return None
    match function, numbers:
        case runtime.unbroadcast, [b, x]:
            return args[0] if x.dtype == "c16" or b.dtype == "f8" else expression("b.real", b=args[0])
        case runtime.add_grad, [_, _]:
            return ast.BinOp(args[0], ast.Add(), args[1])
        case runtime.copy, [_]:
            return args[0]
        case ((runtime.settled | runtime.as_given), [b, x]) if x == COMPLEX:
            return args[0] if b == COMPLEX else expression("complex(b)", b=args[0])
        case _, [x] if function in ZERO and x == COMPLEX:
            return ast.Constant(0j)
        case _:
            return None


def _portions(e: ast.Call, kinds: list[Kind], resolve: Resolve, use: Use) -> ast.expr | None:
    match e.args:
        case [b, ast.Call(func=func, args=[y, ast.Tuple() as xs]), ast.Tuple() as again]:
            numbers = isinstance(kinds[2], Items) and all(map(is_number, kinds[2].items))
            same = ast.unparse(xs) == ast.unparse(again)
            if resolve(func) is runtime.shares_of and numbers and same:
                return expression("f(b, y, xs)", f=use(runtime.portions, "portions"), b=b, y=y, xs=xs)
    return None


def is_number(kind: Kind) -> bool:
    return isinstance(kind, Number) and not kind.rank and kind.dtype == "f8"
