"""Lists that are sorted in place where one variable holds them: the variable is bound to the sorted list.

events.sort(key=time)     ->    events = sorted(events, key=time)

So the list stays one that only grows until then, and needs no memory of what it held.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

from tangent.normalise.context import Context
from tangent.syntax.captured import bindings
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import SCOPES
from tangent.syntax.walk import children, walk

METHODS = frozenset("append extend insert pop remove clear sort reverse index count".split())
READING = (len, sum, min, max, any, all, sorted, list, tuple, set, print)
WALKING = (enumerate, zip, reversed)

Nodes = tuple[ast.AST, ...]


def sorting(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Bind variables anew where they sort lists that nobody else holds."""
    sorts = [(s, v) for s in walk_scope(f) if isinstance(s, ast.Expr) and (v := _sorted_variable(s))]
    alone = {v for _, v in sorts if _is_alone(v, f, context)}
    chosen = {s: v for s, v in sorts if v in alone and not _is_walked(s, v, f)}
    if not chosen:
        return f

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [_bound(s, chosen[s], context) if s in chosen else with_blocks(s, block) for s in body]

    return replace(f, body=block(f.body))


def _sorted_variable(s: ast.Expr) -> str:
    match s.value:
        case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="sort"), args=[]):
            return v
        case _:
            return ""


def _bound(s: ast.stmt, v: str, context: Context) -> ast.stmt:
    assert isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)
    made = ast.Call(name(context.builtin("sorted")), [name(v)], s.value.keywords)
    return assign(v, ast.copy_location(made, s), s)


def _is_alone(v: str, f: ast.FunctionDef, context: Context) -> bool:
    """Whether a variable is bound to new lists only, and nothing else gets to know them."""
    made = [n.value for n in walk_scope(f) if isinstance(n, ast.Assign) and _is_name(n.targets, v)]
    extended = sum(isinstance(n, ast.AugAssign) and _is_name([n.target], v) for n in walk_scope(f))
    if bindings(f)[v] != len(made) + extended or not all(_is_new_list(e, context) for e in made):
        return False
    if any(isinstance(n, (ast.Global, ast.Nonlocal)) and v in n.names for n in walk(f)):
        return False
    return all(_only_reads(use, within, context) for use, within in _uses(v, f, ()))


def _is_name(targets: list[ast.expr], v: str) -> bool:
    return len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id == v


def _is_new_list(e: ast.expr, context: Context) -> bool:
    match e:
        case ast.List() | ast.ListComp():
            return True
        case ast.BinOp(left=ast.List(), op=ast.Mult()):
            return True
        case ast.Call(func=func):
            return any(context.scope.resolve(func) is made for made in (list, sorted))
        case _:
            return False


def _uses(v: str, node: ast.AST, within: Nodes) -> Iterator[tuple[ast.AST, Nodes]]:
    """Where a variable is read, with what that belongs to, from the inside out."""
    for child in children(node):
        if isinstance(child, ast.Name) and child.id == v and isinstance(child.ctx, ast.Load):
            yield child, (node, *within)
        yield from _uses(v, child, (node, *within))


def _only_reads(use: ast.AST, within: Nodes, context: Context) -> bool:
    """Whether what reads a list neither hands it on nor keeps it, for others or for later."""
    for part, around in itertools.pairwise(within):
        if isinstance(part, (*SCOPES, ast.ClassDef)):
            return False
        if isinstance(part, ast.GeneratorExp) and not _calls(around, READING, context):
            return False
    match within:
        case ast.Attribute(attr=attr) as method, ast.Call(func=func), *_:
            return attr in METHODS and func is method
        case ast.Subscript(value=value), *_:
            return value is use
        case ((ast.For(iter=walked) | ast.comprehension(iter=walked)), *_):
            return walked is use
        case ((ast.Compare() | ast.Return() | ast.If() | ast.While()), *_):
            return True
        case ast.Call() as call, (ast.For(iter=walked) | ast.comprehension(iter=walked)), *_ if walked is call:
            return use in call.args and _calls(call, (*READING, *WALKING), context)
        case ast.Call(args=args) as call, *_:
            return use in args and _calls(call, READING, context)
        case _:
            return False


def _calls(node: ast.AST, functions: tuple[object, ...], context: Context) -> bool:
    if not isinstance(node, ast.Call):
        return False
    called = context.scope.resolve(node.func)
    return any(called is known for known in functions)


def _is_walked(s: ast.stmt, v: str, f: ast.FunctionDef) -> bool:
    """Whether a statement stands in a loop over the list that it sorts."""
    loops = [n for n in walk(f) if isinstance(n, ast.For) and s in walk(n)]
    return any(isinstance(n, ast.Name) and n.id == v for loop in loops for n in walk(loop.iter))
