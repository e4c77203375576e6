"""What the user's code may change of the gradients that it is given, and of the variables that it reads."""

from __future__ import annotations

import ast
from collections.abc import Iterator

import numpy as np

from tangent.rules.table import table
from tangent.runtime.writers import WRITING_METHODS
from tangent.source.resolve import MISSING
from tangent.syntax.inserted import Block, root
from tangent.syntax.rebuild import rebuild
from tangent.syntax.uses import expression_reads
from tangent.transform.unit import Unit

READING = frozenset(m for c in (np.ndarray, float, complex, dict, list, tuple) for m in dir(c)) - WRITING_METHODS
READING |= frozenset("_replace _asdict".split())  # of named tuples


def may_change(block: Block, n: str, unit: Unit) -> bool:
    """Whether a block may write into the gradient it is given, itself or by a function that it calls."""
    names = _aliases(block, n)
    return any(_changes(node, names, unit) or _by_own_method(node, names) for node in _nodes(block))


def changes_parts(block: Block, n: str, unit: Unit) -> bool:
    """Whether a block may change something that the gradient it is given holds, not only the gradient as a whole."""
    names = _aliases(block, n)

    def is_whole(node: ast.AST) -> bool:
        return isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id == n

    return any(
        (_changes(node, names, unit) or _by_own_method(node, names)) and not is_whole(node) for node in _nodes(block)
    )


def collects_in(block: Block, v: str, unit: Unit) -> bool:
    """Whether a block may change what a variable of the function holds."""
    names = _aliases(block, v, (ast.BinOp, ast.UnaryOp))
    return any(_changes(node, names, unit) for node in _nodes(block))


def _nodes(block: Block) -> Iterator[ast.AST]:
    return (node for s in block.body for node in ast.walk(s))


def _aliases(block: Block, n: str, new: tuple[type[ast.expr], ...] = ()) -> set[str]:
    """The names in a block that may refer to what a variable holds, or to a part of it; some expressions do not."""
    found, size = {n}, 0
    while size != len(found):
        size = len(found)
        for node in _nodes(block):
            for target, value in _bound(node):
                if not isinstance(value, new) and found & _handed(value):
                    found |= {x.id for x in ast.walk(target) if isinstance(x, ast.Name)}
    return found


def _bound(node: ast.AST) -> Iterator[tuple[ast.expr, ast.expr]]:
    match node:
        case ast.Assign(targets=targets, value=value):
            for target in targets:
                yield target, value
        case ast.For(target=target, iter=value) | ast.comprehension(target=target, iter=value):
            yield target, value
        case ast.AnnAssign(target=target, value=ast.expr() as value) | ast.NamedExpr(target=target, value=value):
            yield target, value
        case ast.AugAssign(target=target, value=value):
            yield target, value
        case ast.withitem(context_expr=value, optional_vars=ast.expr() as target):
            yield target, value


def _changes(node: ast.AST, names: set[str], unit: Unit) -> bool:
    match node:
        case ast.Assign(targets=targets) | ast.Delete(targets=targets):
            return any(root(t) in names and not isinstance(t, ast.Name) for t in _single(targets))
        case ast.For(target=target):
            return any(root(t) in names and not isinstance(t, ast.Name) for t in _single([target]))
        case ast.AugAssign(target=target):
            return root(target) in names
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if root(value) in names:
            return attr in WRITING_METHODS
        case ast.Call(func=func, args=args, keywords=keywords):
            passed = any(names & _handed(e) for e in (*args, *(k.value for k in keywords)))
            return passed and (any(k.arg == "out" for k in keywords) or not _only_reads(func, unit))
        case _:
            return False


def _single(targets: list[ast.expr]) -> Iterator[ast.expr]:
    """What is assigned, where several things are at once one by one."""
    for t in targets:
        match t:
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                yield from _single(elts)
            case ast.Starred(value=value):
                yield from _single([value])
            case _:
                yield t


def _by_own_method(node: ast.AST, names: set[str]) -> bool:
    """Whether a method of a class of the user is called, which may change its object."""
    match node:
        case ast.Call(func=ast.Attribute(value=value, attr=attr)):
            return root(value) in names and attr not in READING
        case _:
            return False


def _handed(e: ast.expr) -> frozenset[str]:
    """Names whose values, or parts of them, an expression may hand on; shapes and the like apart."""
    plain = table().zero_attributes

    def handing(x: ast.expr) -> ast.expr:
        new = isinstance(x, (ast.Compare, ast.JoinedStr)) or (isinstance(x, ast.Attribute) and x.attr in plain)
        return ast.Constant(None) if new else x

    return expression_reads(rebuild(e, handing))


def _only_reads(func: ast.expr, unit: Unit) -> bool:
    """Whether a function is known to leave its arguments alone."""
    found = unit.context.scope.resolve(func)
    if found is MISSING:
        return isinstance(func, ast.Attribute) and func.attr == "append"
    module = getattr(found, "__module__", "") or ""
    own = module in ("builtins", "math") and found not in (setattr, delattr)
    return own or bool(table().lookup(found)) or table().is_zero(found)
