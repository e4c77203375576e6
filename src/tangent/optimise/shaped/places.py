"""Sums at places of an adjoint, written as such.

b = add_part(add_part(b, 8, e), 7, f)   ->   b[8] += e; b[7] += f
b = scatter(e, x, 2)                    ->   b = np.zeros(x.shape); b[2] = e
b = add_part(clear_item(b, 8), 7, e)    ->   b[8] = 0.0; b[7] += e
x = put_rows(x, 1, v)                   ->   x[1] = v
b = with_part(b, 7, e)                  ->   b[7] += e, where nothing else refers to b
b2 = add_part(b, 7, e)                  ->   b[7] += e; b2 = b
b2 = b + scatter(e, x, 2)               ->   b2 = b.copy(); b2[2] += e
b = add_cell(b, i, j, e)                ->   b[i][j] += e, in a list of lists
b = add_cell(b, i, 1, e)                ->   b[i] = (b[i][0], b[i][1] + e), in a list of pairs of floats
b = add_grad(scatter(e, xs, 2), c)      ->   b = c.copy(); b[2] += e, in lists of floats
add_at(b, 7, e); add_into(b, e)         ->   b[7] += e; b += e
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING

import numpy as np

from tangent import runtime
from tangent.optimise.shaped.containers import is_of_floats, is_of_floats_each, is_of_numbers
from tangent.optimise.shaped.kinds import FLOAT, UNKNOWN, Fields, Items, Kind, Listed, Number, alike, is_float, same
from tangent.optimise.shaped.parts import index_in, names_once
from tangent.optimise.shaped.scattered import scattered
from tangent.optimise.simplify import positive
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.syntax.walk import walk

if TYPE_CHECKING:
    from tangent.optimise.shaped.flow import Flow


WRITERS = (
    runtime.add_part, runtime.with_part, runtime.add_cell, runtime.add_item, runtime.scatter, runtime.clear_item,
    runtime.put_rows,
)  # fmt: skip


ITEMS = (runtime.add_part, runtime.add_cell)
FEW = 4  # items of a tuple that is written out


def places(s: ast.Assign, flow: Flow) -> list[ast.stmt] | None:
    """The statements instead of one that adds to places of its target, or None where it does something else."""
    (target,) = s.targets
    assert isinstance(target, ast.Name)
    match s.value:
        case ast.BinOp(left=ast.Name() as whole, op=ast.Add(), right=ast.Call(func=func, args=[e, x, index])):
            if flow.resolve(func) is not runtime.scatter or not _fits(flow.of(whole), flow.of(x)):
                return None
            return _copied(target.id, whole, index, e, s, flow)
        case ast.Call(func=ast.Attribute(value=ast.Call(func=func) as inner, attr="copy"), args=[]) if (
            flow.resolve(func) is runtime.add_grad
        ):
            return _into_list(target.id, inner, s, flow)
        case ast.Call(func=func) as value if flow.resolve(func) is runtime.add_grad:
            return _into_list(target.id, value, s, flow)
        case ast.Call(func=func) as value if flow.resolve(func) in WRITERS:
            old = _root(value, flow)
            if old in ("", target.id):
                return _parts(target.id, value, s, flow)
            before = _parts(old, value, s, flow) if flow.versions.sizes is not None else None
            if before is None:  # earlier it would be two names for one array, which others take for two
                return None
            flow.env[target.id] = flow.env[old]
            return [*before, assign(target.id, name(old), s)]
        case _:
            return None


def _sum(place: ast.Subscript, e: ast.expr, s: ast.stmt) -> ast.AugAssign:
    plain = positive(e)
    return at(ast.AugAssign(place, ast.Add(), e) if plain is None else ast.AugAssign(place, ast.Sub(), plain), s)


def _copied(b: str, whole: ast.Name, index: ast.expr, e: ast.expr, s: ast.stmt, flow: Flow) -> list[ast.stmt] | None:
    """A copy of an array, with a sum at a place."""
    kind = flow.of(whole)
    if not isinstance(kind, Number) or not kind.rank or b in expression_reads(e) | expression_reads(index):
        return None
    before, flow.env[b] = flow.env.get(b, UNKNOWN), kind
    place = _place(b, index, flow)
    if place is None or not _is_real(e, flow):
        flow.env[b] = before
        return None
    return [assign(b, expression("b.copy()", b=whole), s), _sum(place, e, s)]


def _into_list(b: str, total: ast.Call, s: ast.stmt, flow: Flow) -> list[ast.stmt] | None:
    """A list of floats with sums at places."""
    for part, rest in (total.args, reversed(total.args)):
        terms = scattered(part, flow.resolve)
        read = set().union(*(expression_reads(e) for term in terms for e in term))
        if terms and b not in read and is_of_floats(flow.of(rest)) and all(flow.of(e) == FLOAT for _, e in terms):
            new = isinstance(rest, (ast.BinOp, ast.List, ast.ListComp))
            flow.env[b] = Listed(FLOAT)
            places = [_item(b, [index], flow) for index, _ in terms]
            start = assign(b, rest if new else expression("b.copy()", b=rest), s)
            sums = [_sum(place, e, s) for place, (_, e) in zip(places, terms) if place is not None]
            return [start, *sums] if None not in places else None
    return None


def _root(e: ast.Call, flow: Flow) -> str:
    """The array into which functions write that give it back, if it is an array."""
    inner: ast.expr = e
    while isinstance(inner, ast.Call) and flow.resolve(inner.func) is runtime.add_part and inner.args:
        inner = inner.args[0]
    found = inner.id if isinstance(inner, ast.Name) else ""
    kind = flow.env.get(found)
    return found if isinstance(kind, Number) and kind.rank and kind.real else ""


def added(s: ast.Expr, flow: Flow) -> ast.AugAssign | None:
    """The sum that a call makes in an array, or None where it may do something else."""
    match s.value:
        case ast.Call(func=func, args=[ast.Name(id=b), index, value], keywords=[]):
            place = _place(b, index, flow) if flow.resolve(func) is runtime.add_at else None
            if place is not None and _is_real(value, flow):
                return _sum(place, value, s)
        case ast.Call(func=func, args=[ast.Name(id=b), value], keywords=[]):
            whole = flow.env.get(b)
            if flow.resolve(func) is runtime.add_into and isinstance(whole, Number) and whole.rank and whole.real:
                if _is_real(value, flow):
                    return at(ast.AugAssign(ast.Name(b, ast.Store()), ast.Add(), value), s)
    return None


def _parts(b: str, e: ast.expr, s: ast.Assign, flow: Flow) -> list[ast.stmt] | None:
    match e:
        case ast.Name(id=v) if v == b:
            return []
        case ast.Call(args=[inner, *_, value]) if not _keeps(b, inner) and b in expression_reads(value):
            return None  # it is that of before
        case ast.Call(func=func, args=[inner, *indices, value], keywords=[]) if flow.resolve(func) in ITEMS and (
            _is_held(b, flow) or _begins_list(inner, flow)
        ):
            before = _parts(b, inner, s, flow)
            if before is not None and isinstance(row := flow.of(value), Items):
                sums = _row_sums(b, indices, value, row, s, flow)
                return None if sums is None else [*before, *sums]
            if before is not None and (array := _array(b, indices, value, flow)) is not None:
                return [*before, _sum(array, value, s)]
            if before is not None and (whole := _tuple_with_sum(b, indices, value, flow)) is not None:
                return [*before, at(whole, s)]
            place = _item(b, indices, flow)
            if before is None or place is None or not is_float(flow.of(value)):
                return None
            return [*before, _item_sum(b, place, value, s, flow)]
        case ast.Call(func=func, args=[inner, index, value], keywords=[]) if flow.resolve(func) is runtime.add_part or (
            flow.resolve(func) is runtime.with_part and _is_own_sum(b, flow)
        ):
            before = _parts(b, inner, s, flow)
            place = _place(b, index, flow)
            if before is None or place is None or not _is_real(value, flow):
                return None
            return [*before, _sum(place, value, s)]
        case ast.Call(func=func, args=[inner, index], keywords=[]) if flow.resolve(func) is runtime.clear_item:
            before, place = _parts(b, inner, s, flow), _place(b, index, flow)
            if before is None or place is None:
                return None
            return [*before, at(ast.Assign([place], constant(0.0)), s)]
        case ast.Call(func=func, args=[ast.Name(id=v), index, value]) if flow.resolve(func) is runtime.put_rows:
            place = _place(b, index, flow)
            fits = place is not None and _fits(flow.of(place), flow.of(value))
            return [at(ast.Assign([place], value), s)] if v == b and place is not None and fits else None
        case ast.Call(func=func, args=[inner, _, index, value], keywords=[]) if flow.resolve(func) is runtime.add_item:
            before, place = _parts(b, inner, s, flow), _item(b, [index], flow)
            if before is None or place is None or not is_float(flow.of(value)):
                return None
            return [*before, _item_sum(b, place, value, s, flow)]
        case ast.Call(func=func, args=[value, x, index], keywords=[]) if flow.resolve(func) is runtime.scatter:
            kind = flow.of(x)
            if is_of_numbers(kind) and flow.of(value) == FLOAT and b not in expression_reads(e):
                flow.env[b] = Listed(FLOAT)
                place = _item(b, [index], flow)
                zeros = expression("[0.0] * len(x)", x=x)
                return None if place is None else [
                    at(ast.Assign([ast.Name(b, ast.Store())], zeros), s), at(ast.Assign([place], value), s)
                ]  # fmt: skip
            if b in expression_reads(value) | expression_reads(x) | expression_reads(index):
                return None
            if not isinstance(kind, Number) or kind.dtype != "f8" or not kind.rank or not _is_real(value, flow):
                return None
            flow.env[b] = Number(kind.axes, kind.dtype)
            place = _place(b, index, flow)
            if place is None:
                return None
            zeros = expression("np.zeros(x.shape)", np=flow.use(np, "np"), x=x)
            return [
                at(ast.Assign([ast.Name(b, ast.Store())], zeros), s), at(ast.Assign([place], value), s)
            ]  # fmt: skip
        case _:
            return None


def _row_sums(
    b: str, indices: list[ast.expr], value: ast.expr, row: Items, s: ast.stmt, flow: Flow
) -> list[ast.stmt] | None:
    """The sums of a row of floats, item by item, in a list of lists."""
    if not isinstance(flow.of(ast.Subscript(ast.Name(b, ast.Load()), indices[0], ast.Load())), Listed):
        return None
    if not isinstance(indices[0], (ast.Name, ast.Constant)) or not all(k == FLOAT for k in row.items):
        return None
    if isinstance(value, (ast.List, ast.Tuple)):
        items = value.elts
    elif isinstance(value, ast.Name):
        items = [ast.Subscript(value, constant(k), ast.Load()) for k in range(len(row.items))]
    else:
        return None
    places = [_item(b, [*indices, constant(k)], flow) for k in range(len(items))]
    return [_sum(p, x, s) for p, x in zip(places, items) if p is not None] if None not in places else None


def _tuple_with_sum(b: str, indices: list[ast.expr], value: ast.expr, flow: Flow) -> ast.Assign | None:
    """`b[i] = (b[i][0], b[i][1] + v)`: another tuple of a few floats in a list."""
    match indices:
        case [ast.Name() as i, ast.Constant(value=int(j))] if flow.of(value) == FLOAT:
            row = ast.Subscript(ast.Name(b, ast.Load()), i, ast.Load())
            kind = flow.of(row)
            if not isinstance(flow.env.get(b), Listed) or not is_of_floats_each(kind) or not isinstance(kind, Items):
                return None
            if not 0 <= j < len(kind.items) <= FEW:
                return None
            parts: list[ast.expr] = [ast.Subscript(row, constant(k), ast.Load()) for k in range(len(kind.items))]
            parts[j] = ast.BinOp(parts[j], ast.Add(), value)
            return ast.Assign([replace(row, ctx=ast.Store())], ast.Tuple(parts, ast.Load()))
        case _:
            return None


def _item_sum(b: str, place: ast.Subscript, value: ast.expr, s: ast.stmt, flow: Flow) -> ast.AugAssign:
    """A sum at an item of a list of floats, which may be NumPy's behind that."""
    total = _sum(place, value, s)
    flow.store(place, flow.of(value))
    return total


def _is_own_sum(b: str, flow: Flow) -> bool:
    """Whether an array starts as zeros and is only added to, under one name, until it is returned."""
    assert flow.g.tree is not None
    for s in statements(flow.g.tree.body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func)) if v == b:
                inner, rest = _first(s.value, flow)
                zeros = any(flow.resolve(func) is f for f in (np.zeros, runtime.init_grad))
                own = zeros or (isinstance(inner, ast.Name) and inner.id == b)
                if not own or any(b in expression_reads(e) for e in rest):
                    return False
            case ast.Return(value=ast.expr() as value):
                if sum(isinstance(n, ast.Name) and n.id == b for n in walk(value)) > 1:
                    return False
            case _ if b in header_reads(s) or b in writes(s):
                return False
    return True


def _first(e: ast.expr, flow: Flow) -> tuple[ast.expr, list[ast.expr]]:
    """What sums are made in, and what stands in them."""
    rest: list[ast.expr] = []
    while isinstance(e, ast.Call) and flow.resolve(e.func) is runtime.with_part and e.args:
        rest += e.args[1:]
        e = e.args[0]
    return e, rest


def _keeps(b: str, e: ast.expr) -> bool:
    """Whether sums are made at places of what has the name already."""
    while isinstance(e, ast.Call) and e.args:
        e = e.args[0]
    return isinstance(e, ast.Name) and e.id == b


def _begins_list(e: ast.expr, flow: Flow) -> bool:
    """Whether sums are made at items of a new list of zeros."""
    while isinstance(e, ast.Call) and flow.resolve(e.func) in ITEMS:
        e = e.args[0]
    return isinstance(e, ast.Call) and flow.resolve(e.func) is runtime.scatter and is_of_numbers(flow.of(e.args[1]))


def _is_held(b: str, flow: Flow) -> bool:
    return isinstance(flow.env.get(b), (Listed, Fields))


def _item(b: str, indices: list[ast.expr], flow: Flow) -> ast.Subscript | None:
    """`b[i]` or `b[i][j]`, if that is a float in a list or in a dict."""
    found: ast.expr = ast.Name(b, ast.Load())
    for index in indices:
        found = ast.Subscript(found, index, ast.Load())
    owner = flow.of(found.value)  # type: ignore[attr-defined]
    given = isinstance(owner, Items) and not owner.listed  # a tuple takes no items
    held = _is_held(b, flow) and not given and is_float(flow.of(found))
    return ast.Subscript(found.value, found.slice, ast.Store()) if held else None  # type: ignore[attr-defined]


def _array(b: str, indices: list[ast.expr], value: ast.expr, flow: Flow) -> ast.Subscript | None:
    """`b["w"]`, if that is an array in a dict, of the form of what is added to it."""
    if not isinstance(flow.env.get(b), Fields) or len(indices) > 1:
        return None
    place = ast.Subscript(ast.Name(b, ast.Load()), indices[0], ast.Load())
    kind, new = flow.of(place), flow.of(value)
    if not isinstance(kind, Number) or not isinstance(new, Number) or not kind.rank or kind.dtype != new.dtype:
        return None
    alike_ = kind.rank == new.rank and all(map(alike, kind.axes, new.axes))
    return ast.Subscript(place.value, place.slice, ast.Store()) if alike_ else None


def _fits(place: Kind, value: Kind) -> bool:
    """Whether a value has the form of what it replaces."""
    if not isinstance(place, Number) or not isinstance(value, Number):
        return False
    return place.dtype == value.dtype and place.rank == value.rank and all(map(same, place.axes, value.axes))


def _is_real(value: ast.expr, flow: Flow) -> bool:
    kind = flow.of(value)
    return isinstance(kind, Number) and kind.real


def _place(b: str, index: ast.expr, flow: Flow) -> ast.Subscript | None:
    """`b[index]`, if the index consists of numbers and slices."""
    whole, index = flow.env.get(b), index_in(index)
    if not isinstance(whole, Number) or not whole.rank or not whole.real:
        return None
    if not names_once(whole.axes, index, flow.of):
        return None
    return ast.Subscript(ast.Name(b, ast.Load()), index, ast.Store())
