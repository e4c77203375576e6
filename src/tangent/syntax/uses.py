"""Which names a statement reads and writes."""

from __future__ import annotations

import ast
from collections.abc import Iterable, Iterator

from tangent.syntax.blocks import Attempt
from tangent.syntax.inserted import InsertedCode, Insertion
from tangent.syntax.walk import children, fact, walk

SCOPES = (ast.FunctionDef, ast.AsyncFunctionDef, ast.Lambda)
INSERTED = (Insertion, InsertedCode)
SKIPPING = (ast.Try, ast.With, ast.Match, ast.Delete, ast.AsyncFor, ast.AsyncWith, InsertedCode)
COMPREHENSIONS = (ast.ListComp, ast.SetComp, ast.DictComp, ast.GeneratorExp)


def side_by_side(s: ast.Assign) -> list[tuple[ast.expr, ast.expr]]:
    """What an assignment binds to what: `a, b = x, y` part by part.

    >>> pairs = side_by_side(ast.parse("a, b = x, y").body[0])
    >>> [(ast.unparse(target), ast.unparse(value)) for target, value in pairs]
    [('a', 'x'), ('b', 'y')]
    """
    match s.targets[0], s.value:
        case ast.Tuple(elts=slots), ast.Tuple(elts=parts) if len(slots) == len(parts):
            return list(zip(slots, parts))
        case target, value:
            return [(target, value)]


def expression_reads(node: ast.AST | None) -> frozenset[str]:
    """The variables an expression reads; those bound inside lambdas and comprehensions do not count.

    >>> sorted(expression_reads(ast.parse("[a * b for a in xs]", mode="eval").body))
    ['b', 'xs']
    """
    if node is None:
        return frozenset()
    known: frozenset[str] | None = node.__dict__.get("_reads")  # nodes never change: what they read is kept with them
    if known is None:
        found: set[str] = set()
        _collect(node, found, frozenset())
        known = node.__dict__["_reads"] = frozenset(found)
    return known


def _collect(node: ast.AST, found: set[str], bound: frozenset[str]) -> None:
    if isinstance(node, ast.Name):
        if isinstance(node.ctx, ast.Load) and node.id not in bound:
            found.add(node.id)
        return
    if isinstance(node, ast.Constant):
        return
    if isinstance(node, INSERTED):
        found |= node.block.reads - bound
        found |= node.block.own if isinstance(node, InsertedCode) else set()
    if isinstance(node, ast.AugAssign) and isinstance(node.target, ast.Name) and node.target.id not in bound:
        found.add(node.target.id)
    if isinstance(node, SCOPES):
        for default in (*node.args.defaults, *(d for d in node.args.kw_defaults if d)):
            _collect(default, found, bound)
        body: Iterable[ast.AST] = node.body if isinstance(node.body, list) else [node.body]
        rebound = {v for part in body for v in _nonlocal(part)}  # somebody around has to bind these
        found |= rebound - bound
        inner = bound | {a.arg for a in arguments(node.args)} | (assigned_inside(body) - rebound)
        for part in body:
            _collect(part, found, inner)
        return
    if isinstance(node, COMPREHENSIONS):
        targets = {n.id for g in node.generators for n in ast.walk(g.target) if isinstance(n, ast.Name)}
        _collect(node.generators[0].iter, found, bound)
        for child in children(node):
            _collect(child, found, bound | targets)
        return
    for child in children(node):
        _collect(child, found, bound)


def _nonlocal(node: ast.AST) -> Iterator[str]:
    """Variables of the functions around one that it binds."""
    if isinstance(node, ast.Nonlocal):
        yield from node.names
    elif isinstance(node, ast.stmt) and not isinstance(node, SCOPES):
        for child in ast.iter_child_nodes(node):
            yield from _nonlocal(child)


def arguments(args: ast.arguments) -> list[ast.arg]:
    """All parameters, in the order of the signature."""
    star = [args.vararg] if args.vararg else []
    stars = [args.kwarg] if args.kwarg else []
    return [*args.posonlyargs, *args.args, *star, *args.kwonlyargs, *stars]


def assigned_inside(body: Iterable[ast.AST]) -> set[str]:
    """Names that a block binds in its own scope."""
    found: set[str] = set()
    for node in body:
        known = node.__dict__.get("_binds")
        if known is None:
            known = node.__dict__["_binds"] = frozenset(_bound(node))
        found |= known
    return found


def _bound(node: ast.AST) -> Iterator[str]:
    if isinstance(node, (ast.FunctionDef, ast.AsyncFunctionDef, ast.ClassDef)):
        yield node.name
        return
    if isinstance(node, ast.Lambda):
        return
    if isinstance(node, InsertedCode):
        yield from node.block.binds
        return
    if isinstance(node, COMPREHENSIONS):
        yield from (n.target.id for n in ast.walk(node) if isinstance(n, ast.NamedExpr))
        return
    if isinstance(node, ast.Name) and isinstance(node.ctx, (ast.Store, ast.Del)):
        yield node.id
    if isinstance(node, (ast.Import, ast.ImportFrom)):
        yield from ((a.asname or a.name).split(".")[0] for a in node.names)
    if isinstance(node, (ast.ExceptHandler, ast.MatchAs, ast.MatchStar)) and node.name:
        yield node.name
    if isinstance(node, ast.Assign) and all(isinstance(t, ast.Name) for t in node.targets):  # the common case
        yield from (t.id for t in node.targets if isinstance(t, ast.Name))
        yield from _bound_by_expression(node.value)
        return
    for child in children(node):
        yield from assigned_inside([child]) if isinstance(child, ast.stmt) else _bound(child)


def _bound_by_expression(e: ast.expr) -> Iterator[str]:
    if any(isinstance(n, ast.NamedExpr) for n in walk(e)):
        yield from _bound(e)


def target_names(target: ast.expr) -> list[str]:
    """The names an assignment target binds.

    >>> target_names(ast.parse("a, (b, *c) = t").body[0].targets[0])
    ['a', 'b', 'c']
    """
    return [n.id for n in walk(target) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Store)]


@fact
def header_reads(s: ast.stmt) -> frozenset[str]:
    """Names read by the statement itself, not by the blocks inside it."""
    match s:
        case ast.Assign(targets=[ast.Name()], value=value):
            return expression_reads(value)
        case Attempt(test=test, types=types):
            return expression_reads(test) | expression_reads(types)
        case ast.If(test=test) | ast.While(test=test):
            return expression_reads(test)
        case ast.For(iter=iter):
            return expression_reads(iter)
        case _:
            return expression_reads(s)


@fact
def writes(s: ast.stmt) -> tuple[str, ...]:
    """Names bound by the statement itself, not by the blocks inside it."""
    match s:
        case ast.Assign(targets=[ast.Name(id=target)]):
            return (target,)
        case ast.Assign(targets=targets):
            return tuple(n for t in targets for n in target_names(t))
        case ast.For(target=target):
            return tuple(target_names(target))
        case ast.If() | ast.While():
            return ()
        case _:
            return tuple(sorted(assigned_inside([s])))


def may_skip(s: ast.stmt) -> bool:
    """Whether the statement may leave some of the names it writes unbound (opaque compound statements)."""
    return type(s) is not ast.Assign and isinstance(s, SKIPPING)
