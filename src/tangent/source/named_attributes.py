"""Attributes that are asked for by a written name, as attributes.

y = getattr(o, "w")        ->   y = o.w
setattr(o, "w", v)              o.w = v
"""

from __future__ import annotations

import ast
import keyword
import types

from tangent.syntax.captured import own_variables
from tangent.syntax.rebuild import rebuild, replace, with_blocks
from tangent.syntax.walk import walk


def with_attributes_named(tree: ast.FunctionDef, function: types.FunctionType) -> ast.FunctionDef:
    """The definition, where `getattr` and `setattr` are those of Python."""
    if not any(_attribute(n) for n in walk(tree)):
        return tree
    own = {v for n in walk(tree) if isinstance(n, ast.FunctionDef) for v in own_variables(n)}
    if {"getattr", "setattr"} & (own | set(function.__code__.co_freevars) | set(function.__globals__)):
        return tree
    new = rebuild(replace(tree, body=_block(tree.body)), _read)
    new.before = getattr(tree, "before", tree)  # type: ignore[attr-defined]
    return new


def _block(body: list[ast.stmt]) -> list[ast.stmt]:
    return [_statement(s) for s in body]


def _statement(s: ast.stmt) -> ast.stmt:
    match s:
        case ast.Expr(value=ast.Call(func=ast.Name(id="setattr"), args=[owner, _, value]) as e) if (
            _attribute(e) and _is_path(owner)
        ):
            place = ast.copy_location(ast.Attribute(owner, _attribute(e), ast.Store()), e)
            return ast.copy_location(ast.Assign([place], value), s)
        case ast.FunctionDef(body=body):
            return replace(s, body=_block(body))
        case _:
            return with_blocks(s, _block)


def _read(e: ast.expr) -> ast.expr:
    match e:
        case ast.Call(func=ast.Name(id="getattr"), args=[owner, _]) if attr := _attribute(e):
            return ast.copy_location(ast.Attribute(owner, attr, ast.Load()), e)
        case _:
            return e


def _attribute(n: ast.AST) -> str:
    """The attribute that a call names; not one that a class would call otherwise (`__w`)."""
    match n:
        case ast.Call(
            func=ast.Name(id="getattr" | "setattr" as asked), args=[_, ast.Constant(value=str() as attr), *more],
            keywords=[],
        ) if len(more) == (asked == "setattr"):  # fmt: skip
            fine = attr.isidentifier() and not keyword.iskeyword(attr) and not attr.startswith("__")
            return attr if fine and attr.isascii() else ""
        case _:
            return ""


def _is_path(e: ast.expr) -> bool:
    """Whether it does not matter if an object is looked up before or after what it is given."""
    while isinstance(e, ast.Attribute):
        e = e.value
    return isinstance(e, ast.Name)
