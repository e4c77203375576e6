"""Random numbers that a generator inside an object draws depend on nothing that the object holds.

t = self.rng                            t = self.rng
z = t.standard_normal(n)          ->    branch = draws(t, "standard_normal")
                                        if branch: z = drawn(t, "standard_normal", (n,), {})
                                        else: z = t.standard_normal(n)

With a memory that is found out when the method is called (runtime/stateful/calls.py).
"""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.runtime.draws import DRAWING, drawn, draws
from tangent.syntax.quote import assign, at, call, constant, name
from tangent.syntax.rebuild import replace, statements, with_blocks
from tangent.syntax.uses import writes


def drawing(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Ask what holds a method that draws, where it was read from an object."""
    held = set() if context.memory else _held(f)
    if not held:
        return f

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(s)]

    def statement(s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr)) as e) if (
                v in held and attr in DRAWING and _is_written_out(e)
            ):
                return _either_way(s, e, v, attr, context)
            case _:
                return [with_blocks(s, block)]

    return replace(f, body=block(f.body))


def _held(f: ast.FunctionDef) -> set[str]:
    """Variables that only ever are attributes of something."""
    read = {s: isinstance(s, ast.Assign) and isinstance(s.value, ast.Attribute) for s in statements(f.body)}
    other = {v for s, found in read.items() if not found for v in writes(s)}
    return {v for s, found in read.items() if found for v in writes(s)} - other


def _is_written_out(e: ast.Call) -> bool:
    return not any(isinstance(a, ast.Starred) for a in e.args) and all(k.arg for k in e.keywords)


def _either_way(s: ast.Assign, e: ast.Call, v: str, attr: str, context: Context) -> list[ast.stmt]:
    branch = context.names.numbered("branch")
    context.scope.local.add(branch)
    test = call(context.use("draws", draws), name(v), constant(attr))
    args, named = context.names.numbered("given"), context.names.numbered("named")
    context.scope.local |= {args, named}
    keywords = ast.Dict([constant(k.arg) for k in e.keywords], [k.value for k in e.keywords])
    new = call(context.use("drawn", drawn), name(v), constant(attr), name(args), name(named))
    first: list[ast.stmt] = [assign(args, ast.Tuple(e.args, ast.Load()), s), assign(named, keywords, s)]
    chosen = [*first, replace(s, value=ast.copy_location(new, e))]
    return [assign(branch, test, s), at(ast.If(name(branch), chosen, [s]), s)]
