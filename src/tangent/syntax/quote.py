"""Write code as code: `quote("b = b + e", b=name, e=part)`.

>>> print(ast.unparse(quote("b = b + e", b="bx", e=expression("2 * y"))))
bx = bx + 2 * y
"""

from __future__ import annotations

import ast
from functools import lru_cache
from typing import TypeVar, cast

Part = ast.expr | str
_Stmt = TypeVar("_Stmt", bound=ast.stmt)


def quote(text: str, /, **parts: Part) -> ast.stmt:
    """One statement, with the names in `parts` replaced by expressions (or other names)."""
    return at(cast(ast.stmt, fill(_statement(text), parts)), ast.Pass())


def expression(text: str, /, **parts: Part) -> ast.expr:
    """One expression, with the names in `parts` replaced."""
    return cast(ast.expr, fill(_expression(text), parts))


def name(identifier: str) -> ast.Name:
    return ast.Name(identifier, ast.Load())


def call(function: str, *arguments: ast.expr) -> ast.Call:
    return ast.Call(name(function), list(arguments), [])


def constant(value: object) -> ast.Constant:
    return ast.Constant(value)  # type: ignore[arg-type]


def assign(target: str, value: ast.expr, like: ast.stmt | None = None) -> ast.Assign:
    """`target = value`, at the position of `like`."""
    node = ast.Assign([ast.Name(target, ast.Store())], value)
    return at(node, like) if like is not None else node


def at(node: _Stmt, like: ast.AST) -> _Stmt:
    """The node, moved to the position of `like` in the primal source."""
    node.lineno, node.col_offset = getattr(like, "lineno", 0), getattr(like, "col_offset", 0)
    return node


@lru_cache(maxsize=4096)
def _statement(text: str) -> ast.stmt:
    return ast.parse(text).body[0]


@lru_cache(maxsize=4096)
def _expression(text: str) -> ast.expr:
    return ast.parse(text, mode="eval").body


def fill(node: ast.AST, parts: dict[str, Part]) -> ast.AST:
    """A fresh copy of the tree in which names are replaced by parts."""
    if isinstance(node, ast.Name) and node.id in parts:
        part = parts[node.id]
        return ast.Name(part, node.ctx) if isinstance(part, str) else part
    fields: dict[str, object] = {}
    for field in node._fields:
        value = getattr(node, field, None)
        if isinstance(value, ast.AST):
            fields[field] = fill(value, parts)
        elif isinstance(value, list):
            fields[field] = [fill(v, parts) if isinstance(v, ast.AST) else v for v in value]
        else:
            fields[field] = value
    return type(node)(**fields)
