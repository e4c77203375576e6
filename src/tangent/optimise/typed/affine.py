"""Sums of integer variables with integer factors, and whether inequalities between them can hold at once.

i - 1, n - k + 2      are such sums; i * j and p[i] are not

Elimination of one variable after the other (Fourier and Motzkin): what cannot hold for fractions cannot for integers.
"""

from __future__ import annotations

import ast
from collections.abc import Callable

from tangent.syntax.quote import constant, expression

# Factors by variable; that of the empty name is the number that is added.
Sum = dict[str, int]
Variable = Callable[[str], str | None]
LIMIT = 400


def linear(e: ast.expr, variable: Variable) -> Sum | None:
    """An expression as a sum; `variable` says what a name, or the length of an axis, is called there.

    >>> linear(ast.parse("2 * i - (j + 1)", mode="eval").body, lambda v: v)
    {'i': 2, 'j': -1, '': -1}
    """
    match e:
        case ast.Constant(value=int(k)) if not isinstance(k, bool):
            return {"": k}
        case ast.Name(id=v):
            return _named(variable(v))
        case ast.Subscript(value=ast.Attribute(value=ast.Name(), attr="shape"), slice=ast.Constant()):
            return _named(variable(ast.unparse(e)))
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=v)]):
            return _named(variable(f"len({v})"))
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return scaled(linear(operand, variable), -1)
        case ast.BinOp(left=left, op=ast.Add(), right=right):
            return added(linear(left, variable), linear(right, variable))
        case ast.BinOp(left=left, op=ast.Sub(), right=right):
            return added(linear(left, variable), scaled(linear(right, variable), -1))
        case ast.BinOp(left=ast.Constant(value=int(k)), op=ast.Mult(), right=other):
            return scaled(linear(other, variable), k)
        case ast.BinOp(left=other, op=ast.Mult(), right=ast.Constant(value=int(k))):
            return scaled(linear(other, variable), k)
        case _:
            return None


def in_terms_of(v: str, fixed: frozenset[str]) -> str | None:
    """A name that keeps its value; the length of such an array, asked for one way or the other."""
    if v.startswith("len("):
        v = f"{v[4:-1]}.shape[0]"
    return v if v.partition(".")[0] in fixed else None


def _named(v: str | None) -> Sum | None:
    return None if v is None else {v: 1}


def added(a: Sum | None, b: Sum | None) -> Sum | None:
    if a is None or b is None:
        return None
    both = {v: a.get(v, 0) + b.get(v, 0) for v in {**a, **b}}
    return {v: k for v, k in both.items() if k}


def scaled(a: Sum | None, k: int) -> Sum | None:
    return None if a is None else {v: k * x for v, x in a.items() if k * x}


def difference(a: Sum, b: Sum, less: int = 0) -> Sum:
    """`a - b - less`."""
    found = added(added(a, scaled(b, -1)), {"": -less})
    assert found is not None
    return found


def possible(sums: list[Sum]) -> bool:
    """Whether all sums can be at least zero at once; True where that is not found out.

    >>> possible([{"i": 1, "j": -1, "": -1}, {"j": 1, "i": -1}])
    False
    """
    left = [s for s in sums if any(v for v in s)]
    if any(s.get("", 0) < 0 for s in sums if not any(v for v in s)):
        return False
    while left:
        v = min({v for s in left for v in s if v}, key=lambda v: (_pairs(left, v), v))
        up = [s for s in left if s.get(v, 0) > 0]
        down = [s for s in left if s.get(v, 0) < 0]
        rest = [s for s in left if not s.get(v, 0)]
        for a in up:
            for b in down:
                both = added(scaled(a, -b[v]), scaled(b, a[v]))
                assert both is not None
                if not any(w for w in both):
                    if both.get("", 0) < 0:
                        return False
                elif both not in rest:
                    rest.append(both)
        if len(rest) > LIMIT:
            return True
        left = rest
    return True


def _pairs(sums: list[Sum], v: str) -> int:
    up = sum(1 for s in sums if s.get(v, 0) > 0)
    down = sum(1 for s in sums if s.get(v, 0) < 0)
    return up * down


def written(a: Sum) -> ast.expr:
    """A sum as an expression.

    >>> ast.unparse(written({"n": 1, "k": -2, "": 1}))
    'n - 2 * k + 1'
    """
    done: ast.expr | None = None
    for v, k in sorted(a.items(), key=lambda part: (not part[0], part[1] < 0, part[0])):
        if not k:
            continue
        term: ast.expr = constant(abs(k)) if not v else expression(v)
        if v and abs(k) != 1:
            term = ast.BinOp(constant(abs(k)), ast.Mult(), term)
        if done is None:
            done = term if k > 0 else ast.UnaryOp(ast.USub(), term)
        else:
            done = ast.BinOp(done, ast.Add() if k > 0 else ast.Sub(), term)
    return done if done is not None else constant(0)
