"""What is summed up apart, and then added, is added directly.

for _ in reversed(range(n)):            for _ in reversed(range(n)):
    ba2 = np.zeros(a.shape)                 for i in reversed(range(m)):
    for i in reversed(range(m)):    ->          ba[i] += bt * x
        ba2[i] += bt * x
    ba += ba2
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection

from tangent.optimise.context import Body
from tangent.optimise.shaped.kinds import Kind, Number, alike
from tangent.optimise.simplify import positive
from tangent.syntax.quote import at
from tangent.syntax.rebuild import rename, replace, statements
from tangent.syntax.uses import expression_reads, header_reads, writes

Of = Callable[[ast.expr], Kind]


def direct(body: Body, of: Of, shared: Collection[str]) -> Body:
    """`shared`: names that may stand for the memory of others."""
    return _block(body, body, of, shared)


def _block(block: Body, whole: Body, of: Of, shared: Collection[str]) -> Body:
    for i, s in enumerate(block):
        match s:
            case ast.Assign(targets=[ast.Name(id=part)], value=ast.Call(func=ast.Attribute(attr="zeros"))):
                end = next((k for k in range(i + 1, len(block)) if _total(block[k], part)), None)
                total = "" if end is None else _total(block[end], part)
                if not total or {part, total} & set(shared) or not _are_alike(of, part, total):
                    continue
                assert end is not None
                between = _adding(block[i + 1 : end], part)
                if _is_apart(part, total, between, whole):
                    between = [rename(x, {part: total}) for x in between]
                    return _block([*block[:i], *between, *block[end + 1 :]], whole, of, shared)
    return [_inside(s, whole, of, shared) for s in block]


def _inside(s: ast.stmt, whole: Body, of: Of, shared: Collection[str]) -> ast.stmt:
    match s:
        case ast.If(body=[ast.Break()]):
            return s
        case ast.If(body=then, orelse=other) if type(s) is ast.If:
            return replace(s, body=_block(then, whole, of, shared), orelse=_block(other, whole, of, shared))
        case ast.For(body=inner) | ast.While(body=inner):
            return replace(s, body=_block(inner, whole, of, shared))
        case _:
            return s


def _adding(body: Body, part: str) -> Body:
    """A block whose first store into zeros adds to them."""
    first = next((i for i, s in enumerate(body) if any(part in header_reads(x) for x in statements([s]))), 0)
    match body[first : first + 1]:
        case [ast.Assign(targets=[ast.Subscript(value=ast.Name(id=v)) as place], value=value) as s] if v == part:
            plain = positive(value)
            op: ast.operator = ast.Add() if plain is None else ast.Sub()
            added = at(ast.AugAssign(place, op, value if plain is None else plain), s)
            return [*body[:first], added, *body[first + 1 :]]
        case _:
            return body


def _total(s: ast.stmt, part: str) -> str:
    """The name that a statement adds an array to."""
    match s:
        case ast.AugAssign(target=ast.Name(id=total), op=ast.Add(), value=ast.Name(id=v)) if v == part != total:
            return total
        case _:
            return ""


def _are_alike(of: Of, part: str, total: str) -> bool:
    """Whether two names stand for arrays of the same form."""
    a, b = of(ast.Name(part, ast.Load())), of(ast.Name(total, ast.Load()))
    if not isinstance(a, Number) or not isinstance(b, Number) or not a.rank or a.rank != b.rank:
        return False
    return a.real and a.dtype == b.dtype and all(map(alike, a.axes, b.axes))


def _is_apart(part: str, total: str, between: Body, whole: Body) -> bool:
    """Whether statements only add to one array, and leave the other alone; nothing else knows the first."""
    inside = list(statements(between))
    uses = sum(part in {*header_reads(s), *writes(s)} for s in statements(whole))
    adding = [s for s in inside if part in {*header_reads(s), *writes(s)}]
    if uses != len(adding) + 2 or not all(_adds(s, part) for s in adding):
        return False
    return not any(total in {*header_reads(s), *writes(s)} for s in inside)


def _adds(s: ast.stmt, part: str) -> bool:
    match s:
        case ast.AugAssign(target=target, op=ast.Add() | ast.Sub(), value=value):
            place = [target.slice] if isinstance(target, ast.Subscript) else []
            base = target.value if isinstance(target, ast.Subscript) else target
            apart = not any(part in expression_reads(e) for e in (value, *place))
            return isinstance(base, ast.Name) and base.id == part and apart
        case _:
            return False
