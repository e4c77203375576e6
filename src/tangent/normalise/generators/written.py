"""The body of a generator under names of its own, ready to stand in the function that reads it.

growing(x * 2)        x2 = x * 2          what its parameters are given
                      while True:         its body
                          yield x2
                          x2 = x2 * 1.5

So for generator functions, those that are defined inside, generator expressions, and functions of the standard
library that read one item after the other (runtime/library/lazily.py).
"""

from __future__ import annotations

import ast
import types
from dataclasses import dataclass
from typing import Any

from tangent.errors import TangentError
from tangent.normalise.context import Context
from tangent.normalise.managers import bound_arguments, renamed_variables
from tangent.runtime.library import lazily
from tangent.source.generators import is_generator
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.source.resolve import MISSING
from tangent.syntax.quote import assign, at, name
from tangent.syntax.rebuild import rebuild, rename, walk_scope
from tangent.syntax.uses import arguments, assigned_inside
from tangent.syntax.walk import walk

Body = list[ast.stmt]
Nested = dict[str, ast.FunctionDef]
HIDING = ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.Await | ast.Global | ast.Nonlocal
YIELDS = ast.Yield | ast.YieldFrom


@dataclass(frozen=True)
class Written:
    """What a generator's parameters are given, its body, and the variables that are its own."""

    key: object
    start: Body
    body: Body
    own: frozenset[str]


def behind(e: ast.expr, nested: Nested, context: Context) -> ast.FunctionDef | types.FunctionType | None:
    """The generator function that a call asks, which says the same when it is written out."""
    if not isinstance(e, ast.Call):
        return None
    if isinstance(e.func, ast.Name) and e.func.id in nested:
        return nested[e.func.id]
    found = context.scope.resolve(e.func)
    if found is MISSING:
        return None
    if is_generator(found) and not is_library(found) and not found.__code__.co_freevars:
        return found  # type: ignore[no-any-return]
    return _stand_in(e, found)


def _stand_in(e: ast.Call, found: Any) -> types.FunctionType | None:
    try:
        known = lazily.LATER.get(found, ())
    except TypeError:
        return None
    if found is iter and len(e.args) == 2:
        return lazily.items_called  # type: ignore[return-value]
    if found in (map, filter) and (len(e.args) != 2 or _is_none(e.args[0])):
        return None
    if not known or any(isinstance(a, ast.Starred) for a in e.args):
        return None
    return known[min(max(len(e.args) - 2, 0), len(known) - 1)]  # type: ignore[return-value]


def _is_none(e: ast.expr) -> bool:
    return isinstance(e, ast.Constant) and e.value is None


def written(e: ast.expr, s: ast.stmt, nested: Nested, context: Context) -> Written | None:
    """The generator that an expression gives; None where it cannot stand elsewhere."""
    if isinstance(e, ast.GeneratorExp):
        return _of_expression(e, s, nested, context)
    found = behind(e, nested, context)
    if found is None:
        return None
    assert isinstance(e, ast.Call)
    if isinstance(found, ast.FunctionDef):
        return _of_nested(found, e, context)
    return _of_known(found, e, s, nested, context)


def _of_known(
    found: types.FunctionType, e: ast.Call, s: ast.stmt, nested: Nested, context: Context
) -> Written | None:
    try:
        tree = read(found).tree
    except TangentError:
        return None
    given = bound_arguments(found, e, context) if is_plain(tree) else None
    names = renamed_variables(found, tree, context) if given is not None else None
    if given is None or names is None:
        return None
    own = {names[v] for v in assigned_inside(tree.body) | set(given)}
    context.scope.local |= own
    body = [rename(x, names) for x in context.placed(tree.body, s)]
    start: Body = []
    for v, value in given.items():
        body = _given(names[v], value, body, start, s, nested, context)
    return Written(found, start, body, frozenset(own))


def _of_nested(g: ast.FunctionDef, e: ast.Call, context: Context) -> Written | None:
    """What a generator that is defined inside captures are the variables themselves."""
    every = arguments(g.args)
    plain = not (e.keywords or g.args.vararg or g.args.kwarg or g.args.defaults or g.args.kwonlyargs)
    if not plain or len(e.args) != len(every) or any(isinstance(a, ast.Starred) for a in e.args) or not is_plain(g):
        return None
    own = {a.arg for a in every} | assigned_inside(g.body)
    names = {v: context.names.numbered(v) for v in sorted(own)}
    context.scope.local |= set(names.values())
    start: Body = [assign(names[a.arg], value, g) for a, value in zip(every, e.args)]
    return Written(g, start, [rename(x, names) for x in g.body], frozenset(names.values()))


def _of_expression(e: ast.GeneratorExp, s: ast.stmt, nested: Nested, context: Context) -> Written | None:
    """Only the first iterable is evaluated where the expression stands."""
    targets = {n.id for g in e.generators for n in walk(g.target) if isinstance(n, ast.Name)}
    if any(isinstance(n, (ast.NamedExpr, ast.Lambda)) or getattr(n, "is_async", 0) for n in walk(e)):
        return None
    first = context.names.numbered("items")
    names = {v: context.names.numbered(v) for v in sorted(targets)}
    context.scope.local |= {first, *names.values()}
    body: Body = [at(ast.Expr(ast.Yield(e.elt)), s)]
    for i, g in reversed(list(enumerate(e.generators))):
        for test in reversed(g.ifs):
            body = [at(ast.If(test, body, []), s)]
        body = [at(ast.For(g.target, g.iter if i else name(first), body, []), s)]
    start: Body = []
    inner = [rename(x, names) for x in body]
    given = _given(first, e.generators[0].iter, inner, start, s, nested, context)
    return Written(e, start, given, frozenset({first, *names.values()}))


def _given(
    v: str, value: ast.expr, body: Body, start: Body, s: ast.stmt, nested: Nested, context: Context
) -> Body:
    """The body of a generator with what a parameter of it is given: an iterator stands where it is read."""
    if isinstance(value, ast.Name) and value.id in context.kept and _is_read_once(v, body):
        return [rename(x, {v: value.id}) for x in body]
    if not isinstance(value, ast.Call) or not _is_read_once(v, body) or not _is_late(value, nested, context):
        start.append(at(ast.Assign([ast.Name(v, ast.Store())], value), s))
        return body

    def part(a: ast.expr) -> ast.expr:
        kept = isinstance(a, ast.Name) and a.id in context.kept
        if kept or isinstance(a, ast.Constant) or context.scope.resolve(a) is not MISSING:
            return a
        if isinstance(a, ast.Call) and _is_late(a, nested, context):
            return ast.Call(a.func, [part(x) for x in a.args], a.keywords)
        held = context.names.numbered(f"{v}_part")
        context.scope.local.add(held)
        start.append(at(assign(held, a), s))
        return name(held)

    made = ast.Call(value.func, [part(a) for a in value.args], value.keywords)
    return [rebuild(x, lambda n: made if isinstance(n, ast.Name) and n.id == v else n) for x in body]


def _is_late(e: ast.Call, nested: Nested, context: Context) -> bool:
    """Whether a call gives an iterator, which evaluates nothing of it before it is asked."""
    if isinstance(e.func, ast.Name) and e.func.id in nested:
        return True
    found = context.scope.resolve(e.func)
    try:
        return is_generator(found) or found in lazily.LATER or found is zip or (found is iter and len(e.args) == 2)
    except TypeError:
        return False


def _is_read_once(v: str, body: Body) -> bool:
    loops = [n for x in body for n in (x, *walk_scope(x)) if isinstance(n, ast.For)]
    iterated = [n for n in loops if isinstance(n.iter, ast.Name) and n.iter.id == v]
    every = [n for x in body for n in walk(x) if isinstance(n, ast.Name) and n.id == v]
    inside = {n for loop in loops for x in loop.body for n in walk(x)}
    return len(iterated) == 1 == len(every) and iterated[0] not in inside


def is_plain(tree: ast.FunctionDef) -> bool:
    """Items are yielded by statements, outside of `try` and `with`; nothing has a scope of its own."""
    nodes = list(walk_scope(tree))
    every = [n for n in nodes if isinstance(n, YIELDS)]
    told = [n.value for n in nodes if isinstance(n, (ast.Expr, ast.Assign))]
    if any(isinstance(n, HIDING) for n in nodes) or not all(y in told for y in every):
        return False
    tried = [n for n in nodes if isinstance(n, (ast.Try, ast.TryStar)) and n.handlers]
    return not any(isinstance(x, (YIELDS, ast.Return)) for t in tried for x in walk_scope(t))
