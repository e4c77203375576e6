"""Containers that a function makes once, under one name: rewritten one by one, with all that is done to them."""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Callable
from typing import Any, TypeVar

from tangent.source.imports import local_imports
from tangent.source.inlined import written_anew
from tangent.source.naming import home_of, is_generated
from tangent.syntax.captured import bindings, own_variables
from tangent.syntax.names import Names, identifiers
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import SCOPES
from tangent.syntax.walk import walk

Body = list[ast.stmt]
Node = TypeVar("Node", bound=ast.AST)
Rewrite = Callable[[ast.FunctionDef, ast.Assign, str], ast.FunctionDef]


def for_each_made_once(tree: ast.FunctionDef, function: types.FunctionType, rewrite: Rewrite) -> ast.FunctionDef:
    """The definition, rewritten for each variable that is assigned once, by name; derivatives stay as they are."""
    if is_generated(function) or home_of(function).split(".")[0] == "tangent":
        return tree
    once = bindings(tree)
    for s in walk_scope(tree):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)]) if once[v] == 1:
                tree = rewrite(tree, s, v)
    return tree


def meaning(e: ast.expr, tree: ast.FunctionDef, function: types.FunctionType) -> Any:
    """What a name outside of a function stands for, or an attribute of a module there; None where it is its own.

    What a function imports for itself is outside of it.
    """
    match e:
        case ast.Name(id=v):
            return _outside(v, tree, function)
        case ast.Attribute(value=ast.Name(id=v), attr=attr):
            module = _outside(v, tree, function)
            return getattr(module, attr, None) if isinstance(module, types.ModuleType) else None
        case _:
            return None


def _outside(v: str, tree: ast.FunctionDef, function: types.FunctionType) -> Any:
    if v in own_variables(tree):
        return local_imports(tree).get(v) if bindings(tree)[v] == 1 else None
    return function.__globals__.get(v, getattr(builtins, v, None)) if v not in function.__code__.co_freevars else None


class MadeOnce:
    """One variable that is made once, on its way to something else."""

    def __init__(self, tree: ast.FunctionDef, function: types.FunctionType, made: ast.Assign, v: str) -> None:
        self.tree, self.made, self.v = tree, made, v
        self.names = Names(identifiers(tree) | set(function.__globals__) | set(dir(builtins)))

    def whole(self) -> ast.FunctionDef:
        return written_anew(self.tree, self.block(self.tree.body))

    def block(self, body: Body) -> Body:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> Body:
        return [self.changed(with_blocks(s, self.block))]

    def changed(self, node: Node) -> Node:
        """A node in which the variable is something else."""
        return self.inside(node)

    def inside(self, node: Node) -> Node:
        """A node with what becomes of its parts, but for blocks, which are on their way as such."""
        changes: dict[str, Any] = {}
        for field in node._fields:
            old = getattr(node, field, None)
            if isinstance(old, ast.AST):
                changes[field] = self.changed(old)
            elif isinstance(old, list) and not (old and isinstance(old[0], ast.stmt) and not isinstance(node, SCOPES)):
                changes[field] = [self.changed(x) if isinstance(x, ast.AST) else x for x in old]
        mentioned = any(isinstance(n, ast.Name) and n.id == self.v for n in walk(node))
        return replace(node, **changes) if mentioned else node
