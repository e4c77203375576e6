"""All nodes of a tree; they are kept with it, since nodes never change."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from functools import wraps
from typing import Any, TypeVar

_Node = TypeVar("_Node", bound=ast.AST)
_Fact = TypeVar("_Fact")

ENDS = (ast.Name, ast.Constant)
PLAIN = frozenset("ctx op ops id attr kind type_comment conversion is_async".split())


class _Fields(dict[type, tuple[str, ...]]):
    """The fields of each kind of node that may hold nodes other than marks, found out once."""

    def __missing__(self, kind: type[ast.AST]) -> tuple[str, ...]:
        self[kind] = tuple(f for f in kind._fields if f not in PLAIN)
        return self[kind]


FIELDS = _Fields()
COMMON: dict[type, Callable[[Any], list[ast.AST]]] = {  # most nodes are of these kinds, and hold nothing but nodes
    ast.Name: lambda node: [],
    ast.Constant: lambda node: [],
    ast.Attribute: lambda node: [node.value],
    ast.BinOp: lambda node: [node.left, node.right],
    ast.UnaryOp: lambda node: [node.operand],
    ast.Subscript: lambda node: [node.value, node.slice],
    ast.Call: lambda node: [node.func, *node.args, *node.keywords],
    ast.keyword: lambda node: [node.value],
    ast.Tuple: lambda node: [*node.elts],
    ast.Assign: lambda node: [*node.targets, node.value],
    ast.Expr: lambda node: [node.value],
}


def fact(find: Callable[[_Node], _Fact]) -> Callable[[_Node], _Fact]:
    """What is found out of a node once is kept with it, since nodes never change; nobody changes what is kept."""
    key = f"_{find.__module__}.{find.__qualname__}"

    @wraps(find)
    def known(node: _Node) -> _Fact:
        facts = node.__dict__
        if key in facts:
            return facts[key]  # type: ignore[no-any-return]
        found = facts[key] = find(node)
        return found

    return known


def walk(tree: ast.AST) -> Sequence[ast.AST]:
    """The nodes of a tree, from the outside in, without the marks for contexts and operators.

    >>> [type(n).__name__ for n in walk(ast.parse("y = x + 1").body[0])]
    ['Assign', 'Name', 'BinOp', 'Name', 'Constant']
    """
    known: list[ast.AST] | None = tree.__dict__.get("_nodes")  # without the tree itself, which would keep itself alive
    if known is None:
        known = tree.__dict__["_nodes"] = _below(tree)
    return [tree, *known]


def holds(tree: ast.AST, *kinds: type[ast.AST]) -> bool:
    """Whether there is a node of one of these kinds.

    >>> tree = ast.parse("y = x + 1")
    >>> holds(tree, ast.BinOp, ast.Call), holds(tree, ast.Call)
    (True, False)
    """
    return any(issubclass(kind, kinds) for kind in _kinds(tree))


@fact
def _kinds(tree: ast.AST) -> frozenset[type[ast.AST]]:
    return frozenset(map(type, walk(tree)))


def _below(tree: ast.AST) -> list[ast.AST]:
    found = children(tree)
    for node in found:
        if type(node) not in ENDS:
            found += children(node)
    return found


def children(node: ast.AST) -> list[ast.AST]:
    """The nodes right below one, without marks."""
    known = COMMON.get(type(node))
    if known is not None:
        return known(node)
    found: list[ast.AST] = []
    for field in FIELDS[type(node)]:
        value = getattr(node, field, None)
        if isinstance(value, ast.AST):
            found.append(value)
        elif isinstance(value, list):
            found += [child for child in value if isinstance(child, ast.AST)]
    return found
