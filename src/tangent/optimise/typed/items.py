"""Contributions to items of arrays, in place.

bx = add_item(bx, x, i, v)            ->   bx[i] += v
bx = with_part(bx, i, v)              ->   bx[i] += v      where nothing else looks at bx
add_at(bx, i, v)                      ->   bx[i] += v
add_into(bx, v)                       ->   bx += v
"""

from __future__ import annotations

import ast

from tangent import runtime
from tangent.optimise.typed.aliases import made_here, private
from tangent.optimise.typed.calls import rank_after
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Number
from tangent.syntax.names import identifiers
from tangent.syntax.quote import at, name
from tangent.syntax.rebuild import replace
from tangent.transform.generated import Generated


def items(body: list[ast.stmt], g: Generated, found: Inference) -> list[ast.stmt]:
    own = private(body, made_here(body, g, found), g, found)

    def block(stmts: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in stmts:
            match s:
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=block(then), orelse=block(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    done.append(replace(s, body=block(inner)))
                case _:
                    done += _own_parts(s, own, g, found) or [_in_place(s, g, found)]
        return done

    return block(body)


def _own_parts(s: ast.stmt, own: frozenset[str], g: Generated, found: Inference) -> list[ast.stmt]:
    """The contributions of `bx = with_part(with_part(bx, i, v), j, w)`, if all can be made in place."""
    match s:
        case ast.Assign(targets=[ast.Name(id=b)], value=e) if b in own:
            done: list[ast.stmt] = []
            while isinstance(e, ast.Call) and found.resolve(e.func, g) is runtime.with_part:
                e, index, v = e.args
                done.insert(0, _added(s, b, index, v, g, found))
                if done[0] is s or b in identifiers(index) | identifiers(v):
                    return []
            return done if isinstance(e, ast.Name) and e.id == b else []
        case _:
            return []


def _in_place(s: ast.stmt, g: Generated, found: Inference) -> ast.stmt:
    match s:
        case ast.Assign(
            targets=[ast.Name(id=b)], value=ast.Call(func=func, args=[ast.Name(id=same), _, index, v], keywords=[])
        ) if b == same and found.resolve(func, g) is runtime.add_item:
            return _added(s, b, index, v, g, found)
        case ast.Expr(value=ast.Call(func=func, args=[ast.Name(id=b), index, v], keywords=[])) if (
            found.resolve(func, g) is runtime.add_at
        ):
            return _added(s, b, index, v, g, found)
        case ast.Expr(value=ast.Call(func=func, args=[ast.Name(id=b), v], keywords=[])) if (
            found.resolve(func, g) is runtime.add_into
        ):
            into, value = found.kinds[g].get(b), found.of(v, g)
            arrays = isinstance(into, Number) and isinstance(value, Number) and into.dtype == value.dtype == "f8"
            fits = arrays and isinstance(into, Number) and isinstance(value, Number) and 0 < into.rank >= value.rank
            return at(ast.AugAssign(ast.Name(b, ast.Store()), ast.Add(), v), s) if fits else s
        case _:
            return s


def _added(s: ast.stmt, b: str, index: ast.expr, v: ast.expr, g: Generated, found: Inference) -> ast.stmt:
    into, value = found.kinds[g].get(b), found.of(v, g)
    if not (isinstance(into, Number) and isinstance(value, Number) and into.dtype == value.dtype == "f8"):
        return s
    if isinstance(index, ast.Subscript) and isinstance(index.value, ast.Attribute):  # np.s_[1:]
        index = index.slice
    left = rank_after(into.rank, index, lambda x: found.of(x, g)) if into.rank else None
    if left is None or value.rank > left:
        return s
    return at(ast.AugAssign(ast.Subscript(name(b), index, ast.Store()), ast.Add(), v), s)
