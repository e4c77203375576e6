"""Lengths of arrays, and names for them, in terms of as few as possible.

m, n = a.shape
b = a.copy()            ->    n is a.shape[1], so is b.shape[1]; q.shape[0] is 2 * a.shape[1]
q = np.zeros(2 * n)
"""

from __future__ import annotations

import ast

from tangent.optimise.typed.affine import Sum, added, in_terms_of, linear, scaled
from tangent.syntax.rebuild import rebuild, statements
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import writes

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

    def sum_of(e: ast.expr) -> Sum | None:
        return meant(linear(e, lambda v: in_terms_of(v, fixed)), known)

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
                if (found := sum_of(_at_least_zero(n))) is not None:
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


def _at_least_zero(e: ast.expr) -> ast.expr:
    """`n` for `max(n, 0)`: no element is below, and no loop runs, where n is negative."""
    match e:
        case ast.Call(args=[n, ast.Constant(value=0)]):
            return n
        case _:
            return e


def _like(v: str, a: str, known: Lengths) -> None:
    for k in range(AXES):
        known[f"{v}.shape[{k}]"] = _axis(a, k, known)


def _axis(a: str, k: int, known: Lengths) -> Sum:
    return known.get(f"{a}.shape[{k}]", {f"{a}.shape[{k}]": 1})


def spelled(body: list[ast.stmt], fixed: frozenset[str]) -> list[ast.stmt]:
    """Lengths that are asked for inside of loops, written out: they are the same every time.

    for t in range(steps):                 for t in range(steps):
        n = x.shape[0]              ->         for i in range(x.shape[0]):
        for i in range(n):                         ...
            ...
    """
    top = {v for s in body for v in writes(s)}
    found: dict[str, ast.expr] = {}
    other: set[str] = set()
    for s in statements(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if _is_length(value, fixed):
                known = found.setdefault(v, value)
                other |= set() if ast.unparse(known) == ast.unparse(value) else {v}
            case _ if (stack := popped(s)) and writes(s):
                if any(p not in writes(s) for p in _pushed_names(stack, body)):
                    other |= set(writes(s))
            case _:
                other |= set(writes(s))
    chosen = {v: e for v, e in found.items() if v not in other | top}

    def change(e: ast.expr) -> ast.expr:
        return chosen[e.id] if isinstance(e, ast.Name) and isinstance(e.ctx, ast.Load) and e.id in chosen else e

    return [rebuild(s, change) for s in body] if chosen else body


def _is_length(e: ast.expr, fixed: frozenset[str]) -> bool:
    match e:
        case ast.Subscript(value=ast.Attribute(value=ast.Name(id=x), attr="shape"), slice=ast.Constant()):
            return x in fixed
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=x)]):
            return x in fixed
        case _:
            return False


def _pushed_names(stack: str, body: list[ast.stmt]) -> list[str]:
    """What is put on a list, by name; a name that nothing has for anything else."""
    found = []
    for s in statements(body):
        if pushed(s) == stack and isinstance(s, ast.Expr) and isinstance(s.value, ast.Call):
            item = s.value.args[0]
            found.append(item.id if isinstance(item, ast.Name) else "")
    return found
