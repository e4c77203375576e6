"""Rebuild trees without changing them: unchanged parts are shared, changed ones are new."""

from __future__ import annotations

import ast
import operator
from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Any, TypeVar

from tangent.syntax.uses import COMPREHENSIONS, arguments, assigned_inside, header_reads, writes
from tangent.syntax.walk import ENDS, FIELDS, children, fact, walk

_Node = TypeVar("_Node", bound=ast.AST)

NESTED = (ast.If, ast.For, ast.While)
SIMPLE = frozenset((ast.Assign, ast.AugAssign, ast.Expr, ast.Return, ast.Pass, ast.Break, ast.Continue))
SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda, ast.ClassDef)
BLOCKS = ("body", "orelse", "finalbody", "handlers", "cases")


def replace(node: _Node, **changes: Any) -> _Node:
    """A copy of the node with some fields changed, at the same position; the node itself if these are as they were.

    >>> ast.unparse(replace(ast.parse("x + y", mode="eval").body, right=ast.Name("z")))
    'x + z'
    """
    kind, old = type(node), node.__dict__
    if changes and all(same(old.get(f), new) for f, new in changes.items()):
        return node
    copy = kind.__new__(kind)
    new = copy.__dict__
    for field in node._fields:
        new[field] = old.get(field)
    for attribute in node._attributes:
        if attribute in old:
            new[attribute] = old[attribute]
    new.update(changes)
    return copy


def same(old: Any, new: Any) -> bool:
    """Whether a field holds what it held: the same node, or a list of the same ones."""
    if old is new:
        return True
    both = isinstance(old, list) and isinstance(new, list) and len(old) == len(new)
    return both and all(map(operator.is_, old, new))


def rebuild(node: _Node, change: Callable[[ast.expr], ast.expr]) -> _Node:
    """Apply `change` to every expression, innermost first; statements inside blocks included.

    >>> double = lambda e: ast.Name("y", e.ctx) if isinstance(e, ast.Name) else e
    >>> ast.unparse(rebuild(ast.parse("x = x + 1"), double))
    'y = y + 1'
    """
    kind, fields = type(node), node.__dict__
    if kind in ENDS:
        return change(node)  # type: ignore[arg-type, return-value]
    changes: dict[str, Any] = {}
    for field in FIELDS[kind]:
        old = fields.get(field)
        if type(old) is list:
            if old and (items := _rebuilt(old, change)) is not old:
                changes[field] = items
        elif isinstance(old, ast.AST) and (new := rebuild(old, change)) is not old:
            changes[field] = new
    result = replace(node, **changes) if changes else node
    return change(result) if isinstance(result, ast.expr) else result  # type: ignore[return-value]


def _rebuilt(nodes: list[Any], change: Callable[[ast.expr], ast.expr]) -> list[Any]:
    items = [rebuild(v, change) if isinstance(v, ast.AST) else v for v in nodes]
    return nodes if same(nodes, items) else items


def rename(node: _Node, names: dict[str, str]) -> _Node:
    """Rename identifiers in expressions and targets; what lambdas and comprehensions bind themselves is theirs.

    >>> ast.unparse(rename(ast.parse("x = x + y + (lambda x: x)(y)"), {"x": "z"}))
    'z = z + y + (lambda x: x)(y)'
    """
    if not names:
        return node
    if isinstance(node, ast.Name):
        return replace(node, id=names[node.id]) if node.id in names else node
    inner = {k: v for k, v in names.items() if k not in _bound_by(node)}
    changes: dict[str, Any] = {}
    for field in node._fields:
        old = getattr(node, field, None)
        known = inner if field in ("body", "elt", "key", "value", "generators") and inner != names else names
        new: Any = old
        if isinstance(old, ast.AST):
            new = rename(old, known)
        elif isinstance(old, list):
            items = [rename(v, known) if isinstance(v, ast.AST) else v for v in old]
            new = items if any(a is not b for a, b in zip(items, old)) else old
        if new is not old:
            changes[field] = new
    if isinstance(node, ast.ExceptHandler) and node.name in names:
        changes["name"] = names[node.name]
    if isinstance(node, COMPREHENSIONS) and inner != names:  # the first iterable belongs to the surroundings
        first, *rest = changes.get("generators", node.generators)
        changes["generators"] = [replace(first, iter=rename(node.generators[0].iter, names)), *rest]
    return replace(node, **changes) if changes else node


def _bound_by(node: ast.AST) -> set[str]:
    """The names that a nested scope binds itself."""
    if isinstance(node, ast.Lambda):
        return {a.arg for a in arguments(node.args)} | assigned_inside([node.body])
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef)):
        outside = {v for s in walk_scope(node) if isinstance(s, (ast.Global, ast.Nonlocal)) for v in s.names}
        return ({a.arg for a in arguments(node.args)} | assigned_inside(node.body)) - outside
    if isinstance(node, COMPREHENSIONS):
        return {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
    return set()


def statements(body: list[ast.stmt]) -> list[ast.stmt]:
    """All statements of a block and of the blocks inside it, in program order."""
    found: list[ast.stmt] = []
    for s in body:
        found.append(s)
        if isinstance(s, NESTED):
            found += _inside(s)
    return found


@fact
def _inside(s: ast.If | ast.For | ast.While) -> list[ast.stmt]:
    return [*statements(s.body), *statements(s.orelse)]


@fact
def all_writes(s: ast.stmt) -> frozenset[str]:
    """Names bound by a statement and the blocks inside it."""
    return frozenset(v for x in statements([s]) for v in writes(x))


def mentions(body: list[ast.stmt]) -> dict[str, list[ast.stmt]]:
    """The statements that bind or read each variable, in program order; loops and branches count by their heads.

    >>> found = mentions(ast.parse("y = x").body + ast.parse("for i in y: x = i").body)
    >>> {v: len(found[v]) for v in sorted(found)}
    {'i': 2, 'x': 2, 'y': 2}
    """
    found: dict[str, list[ast.stmt]] = {}
    for s in statements(body):
        for v in {*writes(s), *header_reads(s)}:
            found.setdefault(v, []).append(s)
    return found


def blocks(body: list[ast.stmt]) -> Iterator[list[ast.stmt]]:
    """A block and all blocks inside it."""
    yield body
    for s in body:
        if isinstance(s, NESTED):
            yield from blocks(s.body)
            yield from blocks(s.orelse)


def exchanged(body: list[ast.stmt], changes: Mapping[ast.stmt, ast.stmt | None]) -> list[ast.stmt]:
    """A block with other statements for some of those in it, at any depth; None for those that go."""
    done: list[ast.stmt] = []
    for s in body:
        if s in changes:
            new = changes[s]
            done += [] if new is None else [new]
            continue
        match s:
            case ast.If(body=[ast.Break()]):
                pass
            case ast.If(body=then, orelse=other):
                s = replace(s, body=exchanged(then, changes) or [ast.Pass()], orelse=exchanged(other, changes))
            case ast.For(body=inner) | ast.While(body=inner):
                s = replace(s, body=exchanged(inner, changes) or [ast.Pass()])
        done.append(s)
    return done


def with_blocks(s: _Node, change: Callable[[list[ast.stmt]], list[ast.stmt]]) -> _Node:
    """The statement with its blocks changed, handlers and cases included; definitions are left alone."""
    if type(s) in SIMPLE or isinstance(s, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        return s
    changes: dict[str, Any] = {}
    for field in BLOCKS:
        old = getattr(s, field, None)
        if isinstance(old, list) and old:
            inner = isinstance(old[0], (ast.ExceptHandler, ast.match_case))
            changes[field] = [with_blocks(x, change) for x in old] if inner else change(old)
    return replace(s, **changes) if changes else s


@fact
def walk_scope(node: ast.AST) -> Sequence[ast.AST]:
    """All nodes below, without entering nested functions and classes."""
    found: list[ast.AST] = []
    for child in children(node):
        found.append(child)
        if isinstance(child, SCOPES):
            continue
        if isinstance(child, ast.expr) and not any(isinstance(n, ast.Lambda) for n in walk(child)):
            found += walk(child)[1:]
        else:
            found += walk_scope(child)
    return found


def function_node(title: str, args: ast.arguments, body: list[ast.stmt]) -> ast.FunctionDef:
    """A function definition, with the fields of this version of Python."""
    node = ast.FunctionDef(name=title, args=args, body=body, decorator_list=[], returns=None, type_comment=None)
    if "type_params" in ast.FunctionDef._fields:
        node.type_params = []  # type: ignore[attr-defined, unused-ignore]
    return node
