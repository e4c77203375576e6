"""Rebuild trees without changing them: unchanged parts are shared, changed ones are new."""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from typing import Any, TypeVar, cast

_Node = TypeVar("_Node", bound=ast.AST)

BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def replace(node: _Node, **changes: Any) -> _Node:
    """A copy of the node with some fields changed, at the same position.

    >>> ast.unparse(replace(ast.parse("x + y", mode="eval").body, right=ast.Name("z")))
    'x + z'
    """
    new = type(node)(**{f: changes.get(f, getattr(node, f, None)) for f in node._fields})
    for attribute in node._attributes:
        if hasattr(node, attribute):
            setattr(new, attribute, getattr(node, attribute))
    return new


def rebuild(node: _Node, change: Callable[[ast.expr], ast.expr]) -> _Node:
    """Apply `change` to every expression, innermost first; statements inside blocks included.

    >>> double = lambda e: ast.Name("y", e.ctx) if isinstance(e, ast.Name) else e
    >>> ast.unparse(rebuild(ast.parse("x = x + 1"), double))
    'y = y + 1'
    """
    changes: dict[str, Any] = {}
    for field in node._fields:
        old = getattr(node, field, None)
        new: Any = old
        if isinstance(old, ast.AST):
            new = rebuild(old, change)
        elif isinstance(old, list):
            items = [rebuild(v, change) if isinstance(v, ast.AST) else v for v in old]
            new = items if any(a is not b for a, b in zip(items, old)) else old
        if new is not old:
            changes[field] = new
    result = replace(node, **changes) if changes else node
    return cast(_Node, change(result)) if isinstance(result, ast.expr) else result


def rename(node: _Node, names: dict[str, str]) -> _Node:
    """Rename identifiers in expressions and targets.

    >>> ast.unparse(rename(ast.parse("x = x + y"), {"x": "z"}))
    'z = z + y'
    """

    def change(e: ast.expr) -> ast.expr:
        if isinstance(e, ast.Name) and e.id in names:
            return replace(e, id=names[e.id])
        return e

    return rebuild(node, change) if names else node


def statements(body: list[ast.stmt]) -> Iterator[ast.stmt]:
    """All statements of a block and of the blocks inside it, in program order."""
    for s in body:
        yield s
        if isinstance(s, ast.If | ast.For | ast.While):
            yield from statements(s.body)
            yield from statements(s.orelse)


def walk_scope(node: ast.AST) -> Iterator[ast.AST]:
    """All nodes below, without entering nested functions and classes."""
    for child in ast.iter_child_nodes(node):
        yield child
        if not isinstance(child, ast.FunctionDef | ast.AsyncFunctionDef | ast.Lambda | ast.ClassDef):
            yield from walk_scope(child)


def function_node(title: str, args: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    """A function definition, with the fields of this version of Python."""
    node = ast.FunctionDef(name=title, args=args, body=body, decorator_list=[], returns=None, type_comment=None)
    if "type_params" in ast.FunctionDef._fields:
        node.type_params = []  # type: ignore[attr-defined, unused-ignore]
    return node
