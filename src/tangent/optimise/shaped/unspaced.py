"""Sums that keep an axis only to meet a new one are added without either; what is read without it is summed without.

bd[:, k, None] += b.sum(axis=1, keepdims=True)     ->     bd[:, k] += b.sum(axis=1)
bd = b.sum(axis=1, keepdims=True)[:, 0]            ->     bd = b.sum(axis=1)
"""

from __future__ import annotations

import ast
from collections import Counter
from collections.abc import Mapping

from tangent.optimise.context import Body
from tangent.optimise.shaped.kinds import Kind, Number
from tangent.optimise.shaped.making import value_of
from tangent.optimise.shaped.sums import Summed
from tangent.syntax.rebuild import exchanged, rebuild, replace, statements
from tangent.syntax.uses import writes
from tangent.syntax.walk import walk

Changes = dict[ast.stmt, ast.stmt | None]


def unspaced(body: Body, kinds: Mapping[str, Kind]) -> Body:
    """The body, where `kinds` are those of the variables."""
    bound = Counter(v for s in statements(body) for v in writes(s))
    reads = Counter(n.id for s in body for n in walk(s) if isinstance(n, ast.Name))
    made = {
        v: s
        for s in statements(body)
        if isinstance(s, ast.Assign) and isinstance(s.value, Summed)
        for v in writes(s)
        if bound[v] == 1 and reads[v] == 2
    }
    changes: Changes = {}
    for s in statements(body):
        match s:
            case ast.AugAssign(target=ast.Subscript() as place, value=Summed() as summed):
                if (new := _without(place, _kept(summed), kinds)) is not None:
                    changes[s] = replace(s, target=new, value=_dropped(summed))
            case ast.AugAssign(target=ast.Subscript() as place, value=ast.Name(id=v)) if v in made:
                value = made[v].value
                assert isinstance(value, Summed)
                if (new := _without(place, _kept(value), kinds)) is not None:
                    changes |= {s: replace(s, target=new), made[v]: replace(made[v], value=_dropped(value))}
            case ast.Assign(value=value) if (read := rebuild(value, _read)) is not value:
                changes[s] = replace(s, value=read)
    return exchanged(body, changes) if changes else body


def _read(e: ast.expr) -> ast.expr:
    match e:
        case ast.Subscript(value=Summed() as summed, slice=ast.Tuple(elts=parts)) if kept := _kept(summed):
            first = tuple(i for i, p in enumerate(parts) if isinstance(p, ast.Constant) and p.value == 0)
            return _dropped(summed) if first == kept and len(parts) - len(first) == sum(map(_is_whole, parts)) else e
        case _:
            return e


def _kept(e: Summed) -> tuple[int, ...]:
    """The axes along which a sum keeps one place."""
    given = {k.arg: value_of(k.value) for k in e.keywords}
    axis = given.get("axis")
    return () if not given.get("keepdims") else (axis,) if isinstance(axis, int) else tuple(axis or ())


def _without(
    place: ast.Subscript, axes: tuple[int, ...], kinds: Mapping[str, Kind]
) -> ast.Subscript | ast.Name | None:
    """A place without its new axes, where these are just the given ones, between slices and integers."""
    parts = place.slice.elts if isinstance(place.slice, ast.Tuple) else [place.slice]
    if not axes or not all(isinstance(p, ast.Slice) or _is_new(p) or _is_integer(p, kinds) for p in parts):
        return None
    shown = [p for p in parts if not _is_integer(p, kinds)]
    if tuple(i for i, p in enumerate(shown) if _is_new(p)) != axes:
        return None
    rest = [p for p in parts if not _is_new(p)]
    while len(rest) > 1 and _is_whole(rest[-1]):
        rest.pop()
    if not rest:
        return None
    if len(rest) == 1 and _is_whole(rest[0]) and isinstance(whole := place.value, ast.Name):
        return replace(whole, ctx=ast.Store())
    return replace(place, slice=rest[0] if len(rest) == 1 else ast.Tuple(rest, ast.Load()))


def _is_whole(p: ast.expr) -> bool:
    return isinstance(p, ast.Slice) and p.lower is p.upper is p.step is None


def _is_new(p: ast.expr) -> bool:
    return isinstance(p, ast.Constant) and p.value is None


def _is_integer(p: ast.expr, kinds: Mapping[str, Kind]) -> bool:
    match p:
        case ast.Constant(value=value):
            return type(value) is int
        case ast.Name(id=v):
            kind = kinds.get(v)
            return isinstance(kind, Number) and not kind.rank and kind.dtype == "i8"
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            return _is_integer(left, kinds) and _is_integer(right, kinds)
        case _:
            return False


def _dropped(e: Summed) -> Summed:
    return replace(e, keywords=[k for k in e.keywords if k.arg != "keepdims"])
