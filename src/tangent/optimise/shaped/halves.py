"""Both shares of an adjoint, of the two operands of a maximum or minimum, are made at once.

bx = share(b, m, n)
by = share(b, n, m)             ->     bx, by = shares(b, m, n)

b = bd[:, :].copy()
bd[:, :] = share(b, m, n)
by = share(b, n, m)             ->     by = take_share(bd[:, :], n, m)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent import runtime
from tangent.optimise.context import Body
from tangent.syntax.names import Names
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, expression, name
from tangent.syntax.rebuild import rebuild, replace, statements, with_blocks
from tangent.syntax.uses import header_reads, writes
from tangent.syntax.walk import walk

Resolve = Callable[[ast.expr], Any]
Use = Callable[[Any, str], str]


def halves(body: Body, names: Names, resolve: Resolve, use: Use) -> Body:
    """The body, with pairs of shares of arrays made together."""

    def block(inner: Body) -> Body:
        for i in range(len(inner)):
            pair = _pair(inner, i, resolve)
            if pair is not None:
                return block(_together(inner, i, *pair, names, resolve, use, body))
        return [with_blocks(s, block) if isinstance(s, (ast.If, ast.For, ast.While)) else s for s in inner]

    return block(body)


def _pair(block: Body, i: int, resolve: Resolve) -> tuple[ast.Call, int] | None:
    """The share that a statement assigns, and the place of the statement behind it that has the other one."""
    match block[i]:
        case ast.Assign(targets=[ast.Name() | ast.Subscript()], value=ast.Call() as first) if _is_share(first, resolve):
            asked = _turned(first)
        case _:
            return None
    read = {a.id for a in first.args if isinstance(a, ast.Name)}
    if read.intersection(writes(block[i])):
        return None
    for j in range(i + 1, len(block)):
        if isinstance(block[j], (ast.Assign, ast.AugAssign)) and any(ast.unparse(n) == asked for n in _calls(block[j])):
            return first, j
        if read.intersection(v for x in statements([block[j]]) for v in writes(x)):
            return None
    return None


def _is_share(e: ast.Call, resolve: Resolve) -> bool:
    return resolve(e.func) is runtime.share and all(isinstance(a, ast.Name) for a in e.args) and not e.keywords


def _calls(s: ast.stmt) -> list[ast.Call]:
    return [n for n in walk(s) if isinstance(n, ast.Call)]


def _turned(e: ast.Call) -> str:
    b, m, n = e.args
    return ast.unparse(replace(e, args=[b, n, m]))


def _together(
    block: Body, i: int, first: ast.Call, j: int, names: Names, resolve: Resolve, use: Use, body: Body
) -> Body:
    """The block with one call for both; the second share gets a name where it is a part of something."""
    s, other = block[i], block[j]
    assert isinstance(s, ast.Assign)
    asked = _turned(first)
    target = other.targets[0] if isinstance(other, ast.Assign) else None
    alone = isinstance(target, ast.Name) and ast.unparse(other.value) == asked  # type: ignore[attr-defined]
    touched = {v for x in block[i:j] for y in statements([x]) for v in (*header_reads(y), *writes(y))}
    if alone and isinstance(target, ast.Name) and target.id not in touched:
        held, rest = target.id, [*block[i + 1 : j], *block[j + 1 :]]
    else:
        held = names.numbered(f"{ast.unparse(first.args[0])}_rest")
        again = rebuild(other, lambda e: name(held) if isinstance(e, ast.Call) and ast.unparse(e) == asked else e)
        rest = [*block[i + 1 : j], again, *block[j + 1 :]]
    before, b = _uncopied(block[:i], first, body)
    if _is_view(b) and ast.unparse(b) == ast.unparse(s.targets[0]):
        taken = expression("f(b, n, m)", f=use(runtime.take_share, "take_share"), b=b, m=first.args[1], n=first.args[2])
        return [*before, assign(held, taken, s), *rest]
    call = expression("f(b, m, n)", f=use(runtime.shares, "shares"), b=b, m=first.args[1], n=first.args[2])
    targets = ast.Tuple([s.targets[0], ast.Name(held, ast.Store())], ast.Store())
    return [*before, replace(s, targets=[targets], value=call), *rest]


def _is_view(e: ast.expr) -> bool:
    """Whether an expression looks at a part of an array by slices alone."""
    if not isinstance(e, ast.Subscript):
        return False
    return all(isinstance(p, ast.Slice) for p in (e.slice.elts if isinstance(e.slice, ast.Tuple) else [e.slice]))


def _uncopied(before: Body, first: ast.Call, body: Body) -> tuple[Body, ast.expr]:
    """What is shared, not copied first where nothing else reads the copy."""
    b = first.args[0]
    assert isinstance(b, ast.Name)
    reads = sum(isinstance(n, ast.Name) and n.id == b.id and isinstance(n.ctx, ast.Load) for s in body for n in walk(s))
    for k in reversed(range(len(before))):
        match before[k]:
            case ast.Assign(
                targets=[ast.Name(id=v)],
                value=ast.Call(func=ast.Attribute(value=ast.Subscript() as part, attr="copy"), args=[]),
            ) if v == b.id and reads == 2:
                return [*before[:k], *before[k + 1 :]], part
            case Comment():
                pass
            case ast.Assign(targets=[ast.Name()], value=ast.Call(func=ast.Attribute(attr="pop"))):
                pass
            case _:
                break
    return before, b
