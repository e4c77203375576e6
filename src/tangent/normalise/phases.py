"""Lists that are filled first and written by an index later have one name for each.

xs = []                           parts = []
for i in range(n):                for i in range(n):
    xs.append(a * i)       ->         parts.append(a * i)
for i in range(n):                xs = parts
    xs[i] += 1.0                  for i in range(n):
                                      xs[i] += 1.0

So the first is one that only grows, and the second one that only stores change: both have plain adjoints.
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.source.naming import is_generated
from tangent.syntax.captured import bindings
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import rename, replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments
from tangent.syntax.walk import walk


def phases(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if context.memory or is_generated(context.source.function):
        return f
    once = bindings(f)
    own = {v for v, times in once.items() if times == 1} - {a.arg for a in arguments(f.args)} - context.declared
    stored = {v for n in walk_scope(f) if (v := _stored(n)) in own} & {v for n in walk_scope(f) if (v := _grown(n))}
    for v in sorted(stored):
        f = replace(f, body=_split(f.body, v, f, context))
    return f


def _split(body: list[ast.stmt], v: str, f: ast.FunctionDef, context: Context) -> list[ast.stmt]:
    """The block with two names for a list, where it is made, filled and written into in this order."""
    made = next((i for i, s in enumerate(body) if _makes_empty(s, v)), None)
    if made is None:
        return [with_blocks(s, lambda inner: _split(inner, v, f, context)) for s in body]
    every = {n for n in walk(f) if _is(n, v)}
    end = made + 1
    while end < len(body) and _only_fills(body[end], v):
        end += 1
    filled = max((i + 1 for i in range(made, end) if any(_grown(n) == v for n in walk(body[i]))), default=0)
    behind = [n for s in body[filled:] for n in walk(s)]
    here = {n for s in body[made:] for n in walk(s) if _is(n, v)}
    inner = [n for s in body[filled:] for x in walk(s) if isinstance(x, (ast.FunctionDef, ast.Lambda)) for n in walk(x)]
    if not filled or every != here or any(_grown(n) == v for n in behind) or any(_is(n, v) for n in inner):
        return body
    parts = context.names.numbered("parts")
    context.scope.local.add(parts)
    first = [rename(s, {v: parts}) for s in body[made:filled]]
    return [*body[:made], *first, assign(v, name(parts), body[filled - 1]), *body[filled:]]


def _makes_empty(s: ast.stmt, v: str) -> bool:
    match s:
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.List(elts=[])):
            return target == v
        case _:
            return False


def _only_fills(s: ast.stmt, v: str) -> bool:
    """Whether a statement does nothing else with a list than to append to it, and to ask for its length."""
    fine = {n.func.value for n in walk(s) if _grown(n) == v and _is_append(n)}  # type: ignore[attr-defined]
    fine |= {n.args[0] for n in walk(s) if isinstance(n, ast.Call) and _is_length(n)}
    return all(n in fine for n in walk(s) if _is(n, v)) and not any(
        isinstance(n, (ast.FunctionDef, ast.Lambda, ast.Try)) and any(_is(x, v) for x in walk(n)) for n in walk(s)
    )


def _is_length(e: ast.Call) -> bool:
    return isinstance(e.func, ast.Name) and e.func.id == "len" and len(e.args) == 1


def _is_append(n: ast.AST) -> bool:
    return isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr == "append"


def _grown(n: ast.AST) -> str:
    """The variable that a method is called of."""
    match n:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=v))):
            return v
        case _:
            return ""


def _stored(n: ast.AST) -> str:
    """The variable whose item is assigned."""
    match n:
        case ast.Subscript(value=ast.Name(id=v), slice=index, ctx=ast.Store()) if not isinstance(index, ast.Slice):
            return v
        case _:
            return ""


def _is(n: ast.AST, v: str) -> bool:
    return isinstance(n, ast.Name) and n.id == v
