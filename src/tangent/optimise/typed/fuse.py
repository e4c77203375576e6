"""Neighbouring loops over the same elements, as one; arrays that live in one iteration only, as numbers.

for i0 in range(n):                       for i0 in range(n):
    t[i0] = a[i0] * b[i0]                     t = a[i0] * b[i0]
for i0 in range(n):                 ->        c[i0] += t * 2.0
    c[i0] += t[i0] * 2.0

Two loops become one if every element that one of them writes and the other touches is touched in the same iteration:
so iterations stay independent, and can be done several at a time.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tangent.syntax.print import Comment
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import expression_reads, header_reads, writes

Own = frozenset[str]


@dataclass(frozen=True)
class Access:
    """An element of an array that one iteration touches: its place relative to the loops, None where not known."""

    array: str
    place: tuple[int, ...] | None
    write: bool


def fuse(body: list[ast.stmt], own: Own, made: set[str]) -> list[ast.stmt]:
    """`own`: arrays that have one name; `made`: temporaries of this stage."""
    body = _block(body, own)
    return _numbers(body, made)


def _block(body: list[ast.stmt], own: Own) -> list[ast.stmt]:
    done: list[ast.stmt] = []
    for s in body:
        match s:
            case ast.If(body=then, orelse=other):
                done.append(replace(s, body=_block(then, own), orelse=_block(other, own)))
            case ast.For() if is_nest(s):
                _join(done, s, own)
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=_block(inner, own)))
            case _:
                done.append(s)
    return done


def is_nest(s: ast.stmt) -> bool:
    """Whether a loop is one that this stage has made."""
    return isinstance(s, ast.For) and getattr(s, "lowered", False)


def _join(done: list[ast.stmt], loop: ast.For, own: Own) -> None:
    """Put a loop behind the others, or into the last one."""
    between = len(done)
    while between and (isinstance(done[between - 1], Comment) or _is_setup(done[between - 1])):
        between -= 1
    if not between or not is_nest(done[between - 1]):
        done.append(loop)
        return
    first = done[between - 1]
    assert isinstance(first, ast.For)
    setups = [s for s in done[between:] if not isinstance(s, Comment)]
    changed = {v for s in statements([first]) for v in (*writes(s), *_stored(s))}
    known = changed | {v for s in statements([first]) for v in header_reads(s)}
    free = not any(header_reads(s) & changed or known.intersection(writes(s)) for s in setups)
    if not (free and _headers(first) == _headers(loop) and _in_order(first, loop, own)):
        done.append(loop)
        return
    done[between - 1 :] = [*setups, _both(first, loop)]


def _is_setup(s: ast.stmt) -> bool:
    """Statements that only allocate or compare lengths."""
    match s:
        case ast.Expr(value=ast.Call(func=ast.Name(id="require_same"))):
            return True
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Attribute(attr="empty" | "zeros_like"))):
            return True
        case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Name(id="shadow" | "init_grad" | "lazy_zero"))):
            return True
        case ast.Assign(targets=[ast.Name()], value=ast.Constant()):
            return True
        case _:
            return False


def _headers(loop: ast.stmt) -> list[str]:
    found = []
    while isinstance(loop, ast.For) and is_nest(loop):
        found.append(ast.unparse(loop.target) + ast.unparse(loop.iter))
        loop = loop.body[0]
    return found


def _innermost(loop: ast.For) -> list[ast.stmt]:
    inner = loop.body[0]
    return _innermost(inner) if isinstance(inner, ast.For) and is_nest(inner) else loop.body


def _variables(loop: ast.For) -> list[str]:
    inner = loop.body[0]
    assert isinstance(loop.target, ast.Name)
    return [loop.target.id, *(_variables(inner) if isinstance(inner, ast.For) and is_nest(inner) else [])]


def _both(first: ast.For, second: ast.For) -> ast.For:
    if is_nest(first.body[0]):
        a, b = first.body[0], second.body[0]
        assert isinstance(a, ast.For) and isinstance(b, ast.For)
        return as_lowered(replace(first, body=[_both(a, b)]))
    return as_lowered(replace(first, body=[*first.body, *second.body]))


def as_lowered(loop: ast.For) -> ast.For:
    loop.lowered = True  # type: ignore[attr-defined]
    return loop


def _in_order(first: ast.For, second: ast.For, own: Own) -> bool:
    variables = _variables(first)
    one, two = list(_accesses(first, variables)), list(_accesses(second, variables))
    numbers = {v for s in _innermost(first) for v in writes(s)}
    if numbers & {v for s in _innermost(second) for v in header_reads(s) | set(writes(s))}:
        return False
    for a in one:
        for b in two:
            if not (a.write or b.write):
                continue
            if a.array != b.array:
                if a.array not in own and b.array not in own:
                    return False
                continue
            if a.place is None or a.place != b.place:
                return False
    return True


def _accesses(loop: ast.For, variables: list[str]) -> Iterator[Access]:
    for s in _innermost(loop):
        for n in ast.walk(s):
            if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name):
                write = isinstance(n.ctx, ast.Store)
                yield Access(n.value.id, _place(n.slice, variables), write)


def _place(index: ast.expr, variables: list[str]) -> tuple[int, ...] | None:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    if len(parts) != len(variables):
        return None
    found = []
    for part, v in zip(parts, variables):
        match part:
            case ast.Name(id=i) if i == v:
                found.append(0)
            case ast.BinOp(left=ast.Name(id=i), op=ast.Add(), right=ast.Constant(value=int(k))) if i == v:
                found.append(k)
            case _:
                return None
    return tuple(found)


def _stored(s: ast.stmt) -> list[str]:
    match s:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=v))]):
            return [v]
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=v))):
            return [v]
        case _:
            return []


# Arrays that need not be


def _numbers(body: list[ast.stmt], made: set[str]) -> list[ast.stmt]:
    """Temporaries that are written and read in one loop only, at its own place, are numbers."""
    chosen = {v for v in made if _in_one_loop(v, body)}
    if not chosen:
        return body

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Subscript(value=ast.Name(id=v), ctx=ctx) if v in chosen:
                return ast.Name(v, ctx)
            case _:
                return e

    def block(stmts: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in stmts:
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=ast.Attribute(attr="empty"))) if (
                    v in chosen
                ):
                    continue
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=block(then), orelse=block(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    done.append(replace(s, body=block(inner)))
                case _:
                    done.append(rebuild(s, change))
        return done

    return block(body)


def _in_one_loop(v: str, body: list[ast.stmt]) -> bool:
    loops: set[int] = set()
    creations = 0

    def walk(stmts: list[ast.stmt], inside: ast.For | None) -> bool:
        nonlocal creations
        for s in stmts:
            if isinstance(s, ast.If):
                if v in expression_reads(s.test) or not (walk(s.body, inside) and walk(s.orelse, inside)):
                    return False
            elif isinstance(s, (ast.For, ast.While)):
                nest = s if isinstance(s, ast.For) and is_nest(s) and inside is None else inside
                if v in header_reads(s) or not walk(s.body, nest):
                    return False
            elif _is_setup(s) and v in writes(s):
                creations += 1
            elif isinstance(s, Comment):
                continue
            elif v in header_reads(s) or v in writes(s):
                if inside is None or not _only_own_place(s, v, _variables(inside)):
                    return False
                loops.add(id(inside))
        return True

    return walk(body, None) and len(loops) == 1 and creations == 1


def _only_own_place(s: ast.stmt, v: str, variables: list[str]) -> bool:
    zero = (0,) * len(variables)
    named = 0
    for n in ast.walk(s):
        if isinstance(n, ast.Subscript) and isinstance(n.value, ast.Name) and n.value.id == v:
            if _place(n.slice, variables) != zero:
                return False
            named += 1
    return named == sum(1 for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == v)
