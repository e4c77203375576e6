"""Functions and classes that read an iterator which they are given whole, and once: they may as well get a list.

def total(items):                 total(v * x for v in xs)   ->   total([v * x for v in xs])
    s = 0.0
    for v in items: s = s + v
    return s
"""

from __future__ import annotations

import ast
import types
from collections.abc import Iterator
from typing import Any

from tangent.errors import TangentError
from tangent.normalise.iterators.known import reads_all
from tangent.normalise.jumps import leaves_loop
from tangent.runtime.classes import factory_of, is_made_by_class
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.source.resolve import MISSING, Scope
from tangent.source.writing import may_write
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import arguments, assigned_inside, expression_reads
from tangent.syntax.walk import walk


def read_whole(e: ast.expr, to: ast.Call, found: Any) -> bool:
    """Whether what a call hands on is read to its end, and nothing that it reads is changed meanwhile."""
    function, skipped = _behind(found)
    if function is None or any(isinstance(a, ast.Starred) for a in to.args):
        return False
    if (tree := _tree(function)) is None or (p := _parameter(e, to, tree, skipped)) is None:
        return False
    if not _is_read_whole(p, function, tree):
        return False
    others = [a for a in (*to.args, *(k.value for k in to.keywords)) if a is not e]
    shared = expression_reads(e) & set().union(*(expression_reads(a) for a in others))
    return not shared or not (_changes_given(tree) if skipped else may_write(function))


def _behind(found: Any) -> tuple[types.FunctionType | None, int]:
    """The function that a call runs, and how many of its parameters the call does not give."""
    if isinstance(found, types.FunctionType) and not is_library(found):
        return found, 0
    if isinstance(found, type) and not is_library(found) and not is_made_by_class(found):
        try:
            made = factory_of(found)
        except TangentError:
            return None, 0
        return (made, 1) if isinstance(made, types.FunctionType) else (None, 0)
    return None, 0


def _tree(function: types.FunctionType) -> ast.FunctionDef | None:
    try:
        return read(function).tree
    except TangentError:
        return None


def _parameter(e: ast.expr, to: ast.Call, tree: ast.FunctionDef, skipped: int) -> str | None:
    if e in to.args:
        given = [*tree.args.posonlyargs, *tree.args.args][skipped:]
        place = to.args.index(e)
        return given[place].arg if place < len(given) else None
    names = {a.arg for a in (*tree.args.args, *tree.args.kwonlyargs)}
    return next((k.arg for k in to.keywords if k.value is e and k.arg in names), None)


def _is_read_whole(p: str, function: types.FunctionType, tree: ast.FunctionDef) -> bool:
    """Whether a parameter is read in one place, not in a loop, by something that goes through all of it."""
    asked = {n.left for n in walk(tree) if isinstance(n, ast.Compare) and isinstance(n.ops[0], (ast.Is, ast.IsNot))}
    uses = [n for n in walk(tree) if isinstance(n, ast.Name) and n.id == p and n not in asked]
    if len(uses) != 1 or not isinstance(uses[0].ctx, ast.Load) or uses[0] not in walk_scope(tree):
        return False
    own = {a.arg for a in arguments(tree.args)} | assigned_inside(tree.body)
    scope = Scope(function, own)
    for loop in (n for n in walk_scope(tree) if isinstance(n, (ast.For, ast.While))):
        again = [*loop.body, *([loop.test] if isinstance(loop, ast.While) else [])]
        if any(uses[0] in walk(s) for s in again):
            return False
    return any(uses[0] in _through(e, scope) for e in _readers(tree, scope))


def _changes_given(tree: ast.FunctionDef) -> bool:
    """Whether an initialiser changes something that it is given, perhaps where the object holds it."""
    given = [a.arg for a in arguments(tree.args)][1:]
    kept = {
        t.attr for s in walk(tree) if isinstance(s, ast.Assign) and expression_reads(s.value) & set(given)
        for t in s.targets if isinstance(t, ast.Attribute) and isinstance(s.value, (ast.Name, ast.Subscript))
    }  # fmt: skip
    for n in walk(tree):
        match n:
            case ast.Subscript(value=e, ctx=ast.Store() | ast.Del()) | ast.AugAssign(target=e):
                changed = e
            case ast.Call(func=ast.Attribute(value=e)):
                changed = e
            case _:
                continue
        attributes = {x.attr for x in walk(changed) if isinstance(x, ast.Attribute)}
        if attributes & kept or {x.id for x in walk(changed) if isinstance(x, ast.Name)} & set(given):
            return True
    return False


def _readers(tree: ast.FunctionDef, scope: Scope) -> Iterator[ast.expr]:
    """What is read whole by a loop, a list or a function of Python's."""
    for n in walk_scope(tree):
        match n:
            case ast.For(iter=iter) if not leaves_loop(n):
                yield iter
            case ast.ListComp(generators=[g, *_]) | ast.SetComp(generators=[g, *_]) | ast.DictComp(generators=[g, *_]):
                yield g.iter
            case ast.Call(func=func, args=[first, *_]) if _reads_all(scope.resolve(func)):
                yield first.generators[0].iter if isinstance(first, ast.GeneratorExp) else first
            case ast.Starred(value=value):
                yield value


def _through(e: ast.expr, scope: Scope) -> list[ast.expr]:
    """What is read where an expression is: it, and what `enumerate` or `zip` go through."""
    match e:
        case ast.Call(func=func, args=args) if scope.resolve(func) in (enumerate, zip):
            return [e, *args]
        case _:
            return [e]


def _reads_all(found: Any) -> bool:
    try:
        return found is not MISSING and reads_all(found)
    except TypeError:
        return False
