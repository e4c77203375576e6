"""Which calls make iterators, and which read them whole."""

from __future__ import annotations

import ast
import functools
import itertools
from collections import Counter, OrderedDict, deque
from typing import Any

from tangent.normalise.context import Context
from tangent.normalise.jumps import leaves_loop
from tangent.runtime import library
from tangent.source.generators import does_something, is_generator
from tangent.source.resolve import MISSING
from tangent.syntax.rebuild import replace, walk_scope
from tangent.syntax.uses import COMPREHENSIONS, SCOPES
from tangent.syntax.walk import children, walk

CONSUMERS = frozenset({sum, list, tuple, max, min, sorted, set, frozenset, dict, functools.reduce, deque, OrderedDict})
LISTING = frozenset({list, tuple, sorted})  # these make a list of all items first
INDEXED = (zip, enumerate, reversed)
KEYWORDS: dict[str, set[str | None]] = {"zip": {"strict"}, "enumerate": {"start"}}


def kind(e: ast.expr, context: Context) -> str:
    """Which iterator a call makes: the name of the builtin, or `view` for a view of a dict."""
    if not isinstance(e, ast.Call):
        return ""
    found = context.scope.resolve(e.func)
    for known in (map, filter, *INDEXED):
        if found is known and {k.arg for k in e.keywords} <= KEYWORDS.get(known.__name__, set()):
            return str(known.__name__)
    view = isinstance(e.func, ast.Attribute) and e.func.attr in library.VIEWS and not e.args and found is MISSING
    return "view" if view else ""


def any_starred(args: list[ast.expr]) -> bool:
    return any(isinstance(a, ast.Starred) for a in args)


def reads_all(found: Any) -> bool:
    """Whether a function reads all of its iterable before it returns."""
    return found in CONSUMERS or getattr(found, "__module__", "") in ("math", "statistics")


def _consumes(func: ast.expr, context: Context) -> bool:
    found = context.scope.resolve(func)
    try:
        return reads_all(found) or found in library.LAZY or found in (map, filter, itertools.chain, *INDEXED)
    except TypeError:
        return False


def consumed_calls(f: ast.FunctionDef, context: Context) -> list[ast.Call]:
    """Calls whose result is read whole by what they stand in."""
    found: list[ast.expr] = []
    for n in walk_scope(f):
        match n:
            case ast.For(iter=iter) if not leaves_loop(n):
                found.append(iter)
            case ast.comprehension(iter=iter):
                found.append(iter)
            case ast.Starred(value=value):
                found.append(value)
            case ast.Call(func=func, args=args) if _consumes(func, context) or is_extending(n, context):
                found += args
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value):
                found.append(value)
    return [e for e in found if isinstance(e, ast.Call)]


def is_extending(e: ast.Call, context: Context) -> bool:
    """Whether a method of a list or dict reads all that it is given."""
    extending = isinstance(e.func, ast.Attribute) and e.func.attr in ("extend", "extendleft", "update")
    return extending and context.scope.resolve(e.func) is MISSING


def made_dicts(f: ast.FunctionDef, context: Context) -> frozenset[str]:
    """Variables that are dicts wherever they are assigned."""
    made: Counter[str] = Counter()
    stored: Counter[str] = Counter()
    for n in walk_scope(f):
        match n:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Dict() | ast.DictComp()):
                made[v] += 1
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func)) if context.scope.resolve(func) is dict:
                made[v] += 1
            case ast.Name(id=v, ctx=ast.Store()):
                stored[v] += 1
    return frozenset(v for v, count in made.items() if count == stored[v])


def local_generators(f: ast.FunctionDef, context: Context) -> set[str]:
    """Generator functions defined inside, whose every call is read at once."""
    found = {
        s.name: s for s in walk_scope(f)
        if isinstance(s, ast.FunctionDef) and any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk_scope(s))
    }  # fmt: skip
    if not found:
        return set()
    uses = [n for n in walk(f) if isinstance(n, ast.Name) and n.id in found]
    calls = [c for c in consumed_calls(f, context) if isinstance(c.func, ast.Name)]
    for c in calls:  # those that a generator which is read whole reads whole
        calls += _read_by(c, found, context)
    for g in (n for n in walk(f) if isinstance(n, ast.FunctionDef) and n is not f):
        calls += _read_inside(g, found, context)
    whole = {id(c.func) for c in calls}
    return set(found) - {n.id for n in uses if id(n) not in whole}


def _read_inside(g: ast.FunctionDef, found: dict[str, ast.FunctionDef], context: Context) -> list[ast.Call]:
    """The calls of generators that a function defined inside reads whole, or hands on: these do nothing else."""
    handed = [n.value for n in walk_scope(g) if isinstance(n, ast.YieldFrom) and isinstance(n.value, ast.Call)]
    return [
        c for c in (*consumed_calls(g, context), *handed)
        if isinstance(c.func, ast.Name) and c.func.id in found
        and not does_something(found[c.func.id], context.scope.resolve)
    ]  # fmt: skip


def _read_by(c: ast.Call, found: dict[str, ast.FunctionDef], context: Context) -> list[ast.Call]:
    """The calls of generators that a generator is given, and goes through to the end: these do nothing else."""
    g = found.get(c.func.id) if isinstance(c.func, ast.Name) else None
    if g is None or any_starred(c.args):
        return []
    given = [a.arg for a in (*g.args.posonlyargs, *g.args.args)]
    calls = [(p, a) for p, a in zip(given, c.args) if isinstance(a, ast.Call) and isinstance(a.func, ast.Name)]
    return [
        a for p, a in calls if isinstance(a.func, ast.Name) and a.func.id in found and _goes_through(p, g)
        and not does_something(found[a.func.id], context.scope.resolve)
    ]  # fmt: skip


def _goes_through(p: str, g: ast.FunctionDef) -> bool:
    """Whether a loop that is not inside another one, and runs to its end, is all that reads a parameter."""
    loops = [n for n in walk_scope(g) if isinstance(n, ast.For)]
    inside = {n for loop in walk_scope(g) if isinstance(loop, (ast.For, ast.While)) for n in walk_scope(loop)}
    over = [n for n in loops if isinstance(n.iter, ast.Name) and n.iter.id == p and n not in inside]
    uses = [n for n in walk(g) if isinstance(n, ast.Name) and n.id == p]
    return len(over) == 1 == len(uses) and not leaves_loop(over[0])


def read_once(f: ast.FunctionDef, context: Context) -> dict[str, Any]:
    """Names of iterators that are made in one place and read in one other, not inside a loop of its own."""
    if not any(_makes_iterator(node, context) for node in walk(f)):
        return {}
    made: dict[str, tuple[ast.stmt, tuple[int, ...]]] = {}
    counts: dict[str, int] = {}
    depth: dict[str, tuple[int, ...]] = {}

    def visit(node: ast.AST, loops: tuple[int, ...]) -> None:
        match node:
            case ast.Assign(targets=[ast.Name(id=v)]) if _makes_iterator(node, context):
                made[v] = (node, loops)
            case ast.Name(id=v, ctx=ast.Load()):
                depth[v] = loops
        if isinstance(node, ast.Name):
            counts[node.id] = counts.get(node.id, 0) + 1
        first = node.generators[0].iter if isinstance(node, COMPREHENSIONS) else None
        if first is not None:  # it is evaluated where the comprehension stands
            visit(first, loops)
            loops = (*loops, id(node))
        for child in children(node):
            if isinstance(child, ast.comprehension) and child.iter is first:
                child = replace(child, iter=ast.Constant(None))
            inner = isinstance(node, (ast.For, ast.While)) and child in node.body
            scope = isinstance(node, (*SCOPES, *COMPREHENSIONS, ast.While))
            visit(child, (*loops, id(node)) if inner or scope else loops)

    for s in f.body:
        visit(s, ())
    return {v: None for v, (_, loops) in made.items() if counts[v] == 2 and depth.get(v) == loops}


def _makes_iterator(node: ast.AST, context: Context) -> bool:
    match node:
        case ast.Assign(targets=[ast.Name()], value=ast.Call() as value):
            return _is_iterator(value, context)
        case _:
            return False


def _is_iterator(e: ast.Call, context: Context) -> bool:
    found = context.scope.resolve(e.func)
    if kind(e, context) in ("map", "filter", "zip", "enumerate", "reversed"):
        return True
    try:
        return found in library.LAZY or found is itertools.chain or is_generator(found)
    except TypeError:
        return False
