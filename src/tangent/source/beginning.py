"""What a function reads of objects at its beginning, in copies where it goes on to change it."""

from __future__ import annotations

import ast
import types
from collections.abc import Iterable

import numpy as np

from tangent.source.inlined import Body, CannotWriteOut
from tangent.syntax.quote import expression
from tangent.syntax.uses import writes
from tangent.syntax.walk import walk

CHANGING = frozenset(
    "append extend insert pop remove clear reverse update setdefault popitem add discard popleft appendleft extendleft "
    "rotate sort move_to_end fill resize put shuffle".split()
)
COPIES = {"value": "+x", "list": "[*x]", "dict": "{**x}"}


def split(body: Body, v: str) -> tuple[Body, Body]:
    """Statements up to that which binds a variable at the beginning, and those behind; none where it is a parameter."""
    last = max((i + 1 for i, s in enumerate(body) if v in writes(s)), default=0)
    return body[:last], body[last:]


def attribute_of(v: str, attr: str) -> ast.expr:
    """`v.attr`; not where arrays have such an attribute, too, which would be taken for theirs: `p.size`."""
    if isinstance(getattr(np.ndarray, attr, None), types.GetSetDescriptorType):
        raise CannotWriteOut
    return ast.Attribute(ast.Name(v, ast.Load()), attr, ast.Load())


def copied_as(e: ast.expr, form: str) -> ast.expr:
    """A copy of what is held in some form."""
    if form == "other":
        raise CannotWriteOut
    return expression(COPIES[form], x=e) if form in COPIES else e


def changed_in(body: Iterable[ast.stmt]) -> set[str]:
    """The variables whose content some statements change."""
    return {v for s in body for n in walk(s) for v in _changed(n)}


def assigned_in(body: Iterable[ast.stmt]) -> set[str]:
    return {n.id for s in body for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}


def named_in(body: Iterable[ast.stmt]) -> set[str]:
    return {n.id for s in body for n in walk(s) if isinstance(n, ast.Name)}


def _changed(n: ast.AST) -> set[str]:
    """The variables whose content one statement or call changes."""
    match n:
        case ast.AugAssign(target=ast.Name(id=v)):
            return {v}
        case ast.Subscript(ctx=ast.Store() | ast.Del()) | ast.Attribute(ctx=ast.Store() | ast.Del()):
            return {x.id for x in walk(n.value) if isinstance(x, ast.Name)}
        case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if attr in CHANGING:
            return {x.id for x in walk(owner) if isinstance(x, ast.Name)}
        case _:
            return set()
