"""Lengths of arrays, and names for them, in terms of as few as possible.

m, n = a.shape
b = a.copy()            ->    n is a.shape[1], so is b.shape[1]; q.shape[0] is 2 * a.shape[1]
q = np.zeros(2 * n)
"""

from __future__ import annotations

import ast

from tangent.optimise.typed.affine import Sum, added, linear, scaled

# By name, or by the text of a length.
Lengths = dict[str, Sum]
LIKE = ("shadow", "init_grad", "lazy_zero", "own", "own_any")
AXES = 6


def meant(a: Sum | None, known: Lengths) -> Sum | None:
    """A sum with what its names stand for."""
    found: Sum | None = {} if a is not None else None
    for v, k in (a or {}).items():
        found = added(found, scaled(known.get(v, {v: 1}), k) if v else {"": k})
    return found


def lengths(body: list[ast.stmt], fixed: frozenset[str]) -> Lengths:
    """What is said on the way that is always taken."""
    known: Lengths = {}

    def variable(v: str) -> str | None:
        return v if v.partition(".")[0] in fixed else None

    def sum_of(e: ast.expr) -> Sum | None:
        return meant(linear(e, variable), known)

    for s in body:
        match s:
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Attribute(value=ast.Name(id=a), attr="shape")):
                for k, e in enumerate(elts):
                    if isinstance(e, ast.Name) and e.id in fixed and a in fixed:
                        known[e.id] = _axis(a, k, known)
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if v in fixed:
                _learn(v, value, known, sum_of, fixed)
    return known


def _learn(v: str, e: ast.expr, known: Lengths, sum_of: object, fixed: frozenset[str]) -> None:
    assert callable(sum_of)
    match e:
        case ast.Call(func=ast.Attribute(attr="zeros" | "ones" | "empty"), args=[shape, *_]):
            for k, n in enumerate(shape.elts if isinstance(shape, ast.Tuple) else [shape]):
                if (found := sum_of(n)) is not None:
                    known[f"{v}.shape[{k}]"] = found
        case (
            ast.Call(func=ast.Attribute(value=ast.Name(id=a), attr="copy"), args=[])
            | ast.Call(func=ast.Attribute(attr="zeros_like" | "ones_like" | "empty_like"), args=[ast.Name(id=a)])
        ) if a in fixed:
            _like(v, a, known)
        case ast.Call(func=ast.Name(id=maker), args=[ast.Name(id=a), *_]) if maker in LIKE and a in fixed:
            _like(v, a, known)
        case _:
            if (found := sum_of(e)) is not None:
                known[v] = found


def _like(v: str, a: str, known: Lengths) -> None:
    for k in range(AXES):
        known[f"{v}.shape[{k}]"] = _axis(a, k, known)


def _axis(a: str, k: int, known: Lengths) -> Sum:
    return known.get(f"{a}.shape[{k}]", {f"{a}.shape[{k}]": 1})
