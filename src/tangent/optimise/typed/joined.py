"""A loop and the backward loop over the same range, as one, where no iteration needs another: nothing is kept.

for i in range(n):                        for i in range(n):
    t = math.sin(x[i])                        t = math.sin(x[i])
    t_stack[i] = t                ->          bx[i] += 2.0 * t
for i in range(n):
    t = t_stack[i]
    bx[i] += 2.0 * t
"""

from __future__ import annotations

import ast

from tangent.optimise.typed.cells import only_computes
from tangent.optimise.typed.order import independent, live_after, order, subscripted
from tangent.optimise.typed.reach import accesses
from tangent.syntax.print import Comment
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import expression_reads, header_reads, writes

CHECKS = ("require_same", "require_inside", "require_regular")


def joined(body: list[ast.stmt], own: frozenset[str], fixed: frozenset[str]) -> list[ast.stmt]:
    """`own`: arrays that have one name; `fixed`: names that keep their value. The same list where nothing changes."""
    turned = order(body, own, fixed)
    known = accesses(turned, fixed, frozenset(subscripted(turned)))
    after = live_after(turned, frozenset())
    for j, second in enumerate(turned):
        if not isinstance(second, ast.For) or not independent(second, own, after[second], known):
            continue
        i = next((i for i in range(j - 1, -1, -1) if isinstance(turned[i], (ast.For, ast.While, ast.If))), None)
        first = turned[i] if i is not None else None
        if i is None or not isinstance(first, ast.For) or ast.unparse(first.iter) != ast.unparse(second.iter):
            continue
        between = turned[i + 1 : j]
        if _same_variable(first, second) and _fit(first, second, own) and _can_go_before(between, first):
            both = replace(first, body=[*first.body, *second.body])
            return _numbers([*turned[:i], *between, both, *turned[j + 1 :]], both)
    return body


def _same_variable(first: ast.For, second: ast.For) -> bool:
    match first.iter:
        case ast.Call(func=ast.Name(id="range")):
            return ast.unparse(first.target) == ast.unparse(second.target)
        case _:
            return False


def _can_go_before(between: list[ast.stmt], loop: ast.For) -> bool:
    """Whether statements neither need what a loop does, nor change what it sees."""
    changed = {v for s in statements([loop]) for v in (*writes(s), *stored(s))}
    seen = {v for s in statements([loop]) for v in header_reads(s)} | changed
    return all(
        isinstance(s, Comment)
        or (isinstance(s, ast.Assign) and not header_reads(s) & changed and not set(writes(s)) & seen and not stored(s))
        for s in between
    )


def stored(s: ast.stmt) -> list[str]:
    match s:
        case (
            ast.Assign(targets=[ast.Subscript(value=ast.Name(id=v))])
            | ast.AugAssign(target=ast.Subscript(value=ast.Name(id=v)))
        ):
            return [v]
        case _:
            return []


def _fit(first: ast.For, second: ast.For, own: frozenset[str]) -> bool:
    """Whether an iteration of the second may come before later ones of the first."""
    assert isinstance(first.target, ast.Name)
    i = first.target.id
    one, two = list(statements(first.body)), list(statements(second.body))
    fixed = {i, *header_reads(first)}
    if not all(_is_simple(s) for s in one) or any(fixed & set(writes(s)) for s in (*one, *two)):
        return False
    named = {v for s in one for v in writes(s)}
    if named & _carried(second.body) or {v for s in two for v in writes(s)} & _carried(first.body):
        return False
    changed = {v for s in one for v in stored(s)}, {v for s in two for v in stored(s)}
    touched = subscripted(one), subscripted(two)
    for a in changed[0] | changed[1]:
        shared = (a in changed[0] and a in touched[1]) or (a in changed[1] and a in touched[0])
        if shared and not all(_at_own_place(s, a, i) for s in (*one, *two)):
            return False
        if a not in own and (len(touched[0] | touched[1]) > 1):
            return False
    return True


def _is_simple(s: ast.stmt) -> bool:
    match s:
        case ast.Expr(value=ast.Call(func=ast.Name(id=f))):
            return f in CHECKS
        case ast.Assign(targets=[ast.Name() | ast.Subscript(value=ast.Name())]) | ast.AugAssign():
            return only_computes(s)
        case ast.For() | ast.If() | Comment():
            return True
        case _:
            return False


def _carried(body: list[ast.stmt]) -> set[str]:
    """Names that an iteration may read before it sets them."""
    found: set[str] = set()

    def block(stmts: list[ast.stmt], known: set[str]) -> set[str]:
        for s in stmts:
            found.update(header_reads(s) - known)
            match s:
                case ast.If(body=then, orelse=other):
                    known = known | (block(then, set(known)) & block(other, set(known)))
                case ast.For(body=inner):
                    block(inner, known | set(writes(s)))
                case ast.While(body=inner):
                    block(inner, set(known))
                case _:
                    known = known | set(writes(s))
        return known

    block(body, set())
    return found


def _at_own_place(s: ast.stmt, a: str, i: str) -> bool:
    """Whether a statement touches an array only at the iteration's own index."""
    if isinstance(s, (ast.For, ast.If, ast.While)):
        return a not in header_reads(s)
    good = 0
    for n in ast.walk(s):
        match n:
            case ast.Subscript(value=ast.Name(id=v), slice=ast.Name(id=k)) if v == a and k == i:
                good += 1
            case ast.Subscript(value=ast.Name(id=v), slice=ast.Tuple(elts=[ast.Name(id=k), *_])) if v == a and k == i:
                good += 1
    return good == sum(1 for n in ast.walk(s) if isinstance(n, ast.Name) and n.id == a)


# Records that need not be


def _numbers(body: list[ast.stmt], loop: ast.For) -> list[ast.stmt]:
    """Arrays that are set once and read in one iteration, at its place, are numbers."""
    assert isinstance(loop.target, ast.Name)
    chosen = {v for s in loop.body for v in stored(s) if _is_record(v, body, loop)}

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Subscript(value=ast.Name(id=v), ctx=ctx) if v in chosen:
                return ast.Name(v, ctx)
            case _:
                return e

    new = replace(loop, body=[rebuild(s, change) for s in loop.body])
    return [new if s is loop else s for s in body if not (isinstance(s, ast.Assign) and set(writes(s)) & chosen)]


def _is_record(v: str, body: list[ast.stmt], loop: ast.For) -> bool:
    assert isinstance(loop.target, ast.Name)
    inside = list(statements(loop.body))
    made = [s for s in statements(body) if v in writes(s)]
    others = [s for s in statements(body) if s not in inside and s is not loop and v in header_reads(s)]
    if len(made) != 1 or made[0] not in body or others:
        return False
    match made[0]:
        case ast.Assign(value=ast.Call(func=ast.Attribute(attr="empty"), args=[size])) if not isinstance(
            size, ast.Tuple
        ):
            pass
        case _:
            return False
    first = next(k for k, s in enumerate(loop.body) if v in stored(s))
    stores = [s for s in inside if v in stored(s)]
    if len(stores) != 1 or not isinstance(stores[0], ast.Assign) or v in expression_reads(stores[0].value):
        return False
    before = any(v in header_reads(x) for s in loop.body[:first] for x in statements([s]))
    return not before and all(_at_own_place(s, v, loop.target.id) for s in inside)
