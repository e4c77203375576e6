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
    """Attributes of functions defined here that are only called and looked into, and that get them here."""
    once = bindings(tree)
    functions = {g.name for g in own_functions(tree) if once[g.name] == 1 and not g.decorator_list}
    given = _of(functions, walk_scope(tree), ast.Store)
    if not given:
        return []
    inside = {n.value for n in walk(tree) if isinstance(n, ast.Attribute)}
    called = {n.func for n in walk(tree) if isinstance(n, ast.Call)}
    escaped = {n.id for n in walk(tree) if isinstance(n, ast.Name) and n not in inside | called}
    deleted = {f for f, _ in _of(functions, walk(tree), ast.Del)}
    return [pair for pair in given if pair[0] not in escaped | deleted]


def _of(functions: set[str], nodes: Iterable[ast.AST], context: type[ast.expr_context]) -> list[tuple[str, str]]:
    """Functions and their attributes that are named in some way."""
    found: dict[tuple[str, str], None] = {}
    for n in nodes:
        match n:
            case ast.Attribute(value=ast.Name(id=f), attr=attr, ctx=ctx) if f in functions and isinstance(ctx, context):
                found[f, attr] = None
    return list(found)
