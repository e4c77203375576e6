"""One name for the versions of an array, where each is given up for the next.

y = setitem(x, i, v)                          x = setitem(x, i, v)
x = setitem(setitem(y, j, u), k, w)     ->    x = setitem(x, j, u)
                                              x = setitem(x, k, w)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any

from tangent import runtime
from tangent.optimise.context import Body
from tangent.runtime.persistent import append, setitem
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import rename, replace, statements, with_blocks
from tangent.syntax.uses import expression_reads, header_reads, writes

Resolve = Callable[[ast.expr], Any]
Links = tuple[Resolve, tuple[Any, ...]]
VERSIONS = (append, setitem, runtime.appended_row, runtime.replaced_item)
IN_PLACE = (runtime.add_part, runtime.add_cell, runtime.clear_item)


def coalesced(body: Body, resolve: Resolve, adjoints: bool = False) -> Body:
    """The body with versions joined, or adjoints that are written in place by functions that give them back."""
    functions = IN_PLACE if adjoints else VERSIONS
    if not adjoints:
        body = _one_by_one(body, resolve)
    while (new := _joined(body, body, (resolve, functions), True)) is not None:
        body = new
    return body


def _is_link(e: ast.expr, resolve: Resolve, functions: tuple[Any, ...]) -> bool:
    if not isinstance(e, ast.Call) or not e.args or e.keywords or not isinstance(e.func, (ast.Name, ast.Attribute)):
        return False
    found = resolve(e.func)
    return any(found is f for f in functions)


def _one_by_one(body: Body, resolve: Resolve) -> Body:
    """Nested changes, each by a statement of its own."""
    done: Body = []
    for s in body:
        if isinstance(s, (ast.If, ast.For, ast.While)):
            done.append(with_blocks(s, lambda b: _one_by_one(b, resolve)))
        else:
            done += _apart(s, resolve)
    return done


def _apart(s: ast.stmt, resolve: Resolve) -> Body:
    match s:
        case ast.Assign(targets=[ast.Name(id=y)], value=ast.Call(args=[ast.Call() as inner, *rest]) as value) if (
            _is_link(value, resolve, VERSIONS)
            and _is_link(inner, resolve, VERSIONS)
            and not any(y in expression_reads(a) for a in rest)
        ):
            return [*_apart(assign(y, inner, s), resolve), replace(s, value=replace(value, args=[name(y), *rest]))]
        case _:
            return [s]


def _source(s: ast.stmt, links: Links) -> str:
    """The array that a statement gives up for its target, or nothing."""
    match s:
        case ast.Assign(targets=[ast.Name()], value=value):
            e: ast.expr = value
            while _is_link(e, *links):
                assert isinstance(e, ast.Call)
                e = e.args[0]
            return e.id if e is not value and isinstance(e, ast.Name) else ""
        case _:
            return ""


def _joined(block: Body, whole: Body, links: Links, top: bool) -> Body | None:
    """A block with one name less, or None."""
    for i, s in enumerate(block):
        x = _source(s, links)
        if x and (rest := _given_up(block, i, x, whole, links, top)) is not None:
            y = writes(s)[0]
            first = replace(s, targets=[ast.Name(x, ast.Store())])
            return [*block[:i], first, *(rename(r, {y: x}) for r in rest)]
        if isinstance(s, (ast.If, ast.For, ast.While)):
            for part in ("body", "orelse"):
                new = _joined(getattr(s, part), whole, links, False)
                if new is not None:
                    return [*block[:i], replace(s, **{part: new}), *block[i + 1 :]]
    return None


def _given_up(block: Body, i: int, x: str, whole: Body, links: Links, top: bool) -> Body | None:
    """The rest of a block, if x is not used there as long as its next version is, and the latter nowhere else."""
    y = writes(block[i])[0]
    rest = block[i + 1 :]
    made = [s for s in statements(whole) if y in writes(s)]
    if y == x or not all(s is block[i] or _source(s, links) == y for s in made):
        return None
    end = next((k for k, s in enumerate(rest) if isinstance(s, ast.Assign) and writes(s) == (x,)), None)
    if end is None and not top and not _is_made_in(block[:i], x, block, whole):
        return None
    until = rest if end is None else rest[: end + 1]
    inside = list(statements(until))
    uses = [s for s in _users(whole, y) if s is not block[i]]
    if not all(any(s is t for t in inside) for s in uses) or any(isinstance(s, InsertedCode) for s in uses):
        return None
    last = until[-1] if end is not None else None
    if any(x in header_reads(s) or (x in writes(s) and s is not last) for s in inside):
        return None
    return rest


def _is_made_in(before: Body, x: str, block: Body, whole: Body) -> bool:
    """Whether each run of a block makes an array anew before it is used, and nothing uses it elsewhere."""
    first = next((s for s in before if any(x in {*header_reads(y), *writes(y)} for y in statements([s]))), None)
    inside = set(statements(block))
    new = isinstance(first, ast.Assign) and writes(first) == (x,) and x not in header_reads(first)
    return new and all(s in inside for s in _users(whole, x))


def _users(body: Body, v: str) -> Iterator[ast.stmt]:
    return (s for s in statements(body) if v in header_reads(s) or v in writes(s))
