"""Attributes of nested functions that stay where they are defined: variables of the function around.

def step(v):                        def step(v):
    step.count += 1                     nonlocal step_count
    return v * step.rate      ->        step_count += 1
step.count, step.rate = 0, x            return v * step_rate
                                    step_count, step_rate = 0, x
"""

from __future__ import annotations

import ast
from collections.abc import Iterable

from tangent.syntax.captured import bindings, own_functions
from tangent.syntax.names import Names, identifiers
from tangent.syntax.rebuild import rebuild, replace, walk_scope
from tangent.syntax.walk import walk


def with_variables(tree: ast.FunctionDef) -> ast.FunctionDef:
    """The definition in which attributes of nested functions are variables."""
    found = _attributes(tree)
    if not found:
        return tree
    names = Names(identifiers(tree))
    variables = {(f, attr): names.fresh(f"{f}_{attr}") for f, attr in found}

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Attribute(value=ast.Name(id=f), attr=attr, ctx=ctx) if (f, attr) in variables:
                return ast.copy_location(ast.Name(variables[f, attr], ctx), e)
            case _:
                return e

    def inner(s: ast.FunctionDef) -> ast.FunctionDef:
        """A nested function, which says that variables it assigns are not its own."""
        s = replace(s, body=[nested(x) for x in s.body])
        assigned = {n.id for n in walk_scope(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)}
        shared = sorted(assigned & set(variables.values()))
        first: list[ast.stmt] = [ast.copy_location(ast.Nonlocal(shared), s.body[0])] if shared else []
        return replace(s, body=[*first, *s.body])

    def nested(x: ast.stmt) -> ast.stmt:
        if isinstance(x, ast.FunctionDef):
            return inner(x)
        changes = {b: [nested(y) for y in getattr(x, b)] for b in ("body", "orelse", "finalbody") if _is_block(x, b)}
        return replace(x, **changes) if changes else x

    changed = rebuild(tree, change)
    return replace(changed, body=[nested(x) for x in changed.body])


def _is_block(x: ast.stmt, field: str) -> bool:
    block = getattr(x, field, None)
    return isinstance(block, list) and bool(block)


def _attributes(tree: ast.FunctionDef) -> list[tuple[str, str]]:
    """Attributes of functions defined here that are only called and looked into, and that get them here.

    Those that such a function itself looks into may be given back, as a decorator does: nobody else should look.
    """
    once = bindings(tree)
    own = {g.name: g for g in own_functions(tree) if once[g.name] == 1 and all(map(_wraps, g.decorator_list))}
    given = _of(set(own), walk_scope(tree), ast.Store)
    if not given:
        return []
    inside = {n.value for n in walk(tree) if isinstance(n, ast.Attribute)}
    called = {n.func for n in walk(tree) if isinstance(n, ast.Call)}
    returned = {n.value for n in walk_scope(tree) if isinstance(n, ast.Return)}
    escaped = {n.id for n in walk(tree) if isinstance(n, ast.Name) and n not in inside | called | returned}
    back = {n.id for n in returned if isinstance(n, ast.Name)}
    deleted = {f for f, _ in _of(set(own), walk(tree), ast.Del)}
    seen = {pair for f in back & set(own) for pair in _of({f}, walk(own[f]), (ast.Load, ast.Store))}
    kept = [(f, attr) for f, attr in given if f not in escaped | deleted and (f not in back or (f, attr) in seen)]
    return [(f, attr) for f, attr in kept if not own[f].decorator_list or f in back]


def _wraps(d: ast.expr) -> bool:
    """Whether a decorator is `functools.wraps(f)`, which gives back what it is given."""
    match d:
        case ast.Call(func=ast.Name(id="wraps") | ast.Attribute(value=ast.Name(id="functools"), attr="wraps")):
            return True
        case _:
            return False


def _of(
    functions: set[str], nodes: Iterable[ast.AST], context: type[ast.expr_context] | tuple[type[ast.expr_context], ...]
) -> list[tuple[str, str]]:
    """Functions and their attributes that are named in some way."""
    found: dict[tuple[str, str], None] = {}
    for n in nodes:
        match n:
            case ast.Attribute(value=ast.Name(id=f), attr=attr, ctx=ctx) if f in functions and isinstance(ctx, context):
                found[f, attr] = None
    return list(found)
