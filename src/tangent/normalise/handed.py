"""Closures that are handed to functions which only call them: these functions get what the closures capture.

def root(a):                                 def root(a):
    return newton(lambda x: x * x - a, 1.0)      return newton(a, 1.0)

def newton(f, x):                     ->     def newton(a, x):
    for _ in range(9):                           for _ in range(9):
        x = x - f(x)                                 x = x - f(x, a)
    return x                                     return x

                                             def f(x, a):
                                                 return x * x - a

So nothing is left to find out when the calls happen. A function may hand a closure on to others that only call it.
"""

from __future__ import annotations

import ast
import types
import weakref
from collections.abc import Callable, Collection, Iterator
from typing import Any

from tangent.errors import SourceError
from tangent.normalise.context import Context
from tangent.normalise.lifted import Lifted
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.source.resolve import Scope
from tangent.source.signatures import own_signature
from tangent.source.stubs import stub
from tangent.syntax.captured import bindings, own_variables
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import name
from tangent.syntax.rebuild import rebuild, replace, walk_scope
from tangent.syntax.walk import walk

HasRule = Callable[[Any], bool]
_trees: weakref.WeakKeyDictionary[types.FunctionType, tuple[types.CodeType, ast.FunctionDef]] = (
    weakref.WeakKeyDictionary()
)
TELLING = frozenset("locals vars eval exec super __class__".split())


def handed(f: ast.AST, scope: Scope, has_rule: HasRule) -> Iterator[tuple[ast.Call, str, ast.expr]]:
    """The calls that hand on something which the callee only calls: with the parameter and the argument."""
    for n in walk_scope(f):
        if isinstance(n, ast.Call) and any(isinstance(a, (ast.Name, ast.Lambda)) for a in _given(n)):
            taker = taker_of(n, scope, has_rule)
            if taker is not None:
                found = _fitted(n, taker)
                yield from ((n, p, a) for p, a in found.items() if only_calls(taker, p, has_rule))


def only_calls(g: types.FunctionType, p: str, has_rule: HasRule, asked: dict[Any, bool] | None = None) -> bool:
    """Whether a function does nothing with a parameter but call it, and hand it on to others that do no more.

    What is `asked` already counts as found, so that functions may call each other.
    """
    asked = {} if asked is None else asked
    if (g, p) not in asked:
        asked[g, p] = True
        asked[g, p] = _only_calls(g, p, has_rule, asked)
    return asked[g, p]


def _only_calls(g: types.FunctionType, p: str, has_rule: HasRule, asked: dict[Any, bool]) -> bool:
    tree = _tree(g)
    nodes = walk_scope(tree)
    own = {a.arg for a in (*tree.args.posonlyargs, *tree.args.args, *tree.args.kwonlyargs)}
    if p not in own or bindings(tree)[p] != 1:
        return False
    mentions = {n for n in walk(tree) if isinstance(n, ast.Name) and n.id == p}
    calls = [n for n in nodes if isinstance(n, ast.Call)]
    fine: set[ast.AST] = {n.func for n in calls} | {n.left for n in nodes if _asks(n)}  # type: ignore[attr-defined]
    scope = Scope(g, own_variables(tree))
    for n in calls:
        if any(isinstance(a, ast.Name) and a.id == p for a in _given(n)):
            taker = taker_of(n, scope, has_rule)
            if taker is None:
                return False
            handed = {q: a for q, a in _fitted(n, taker).items() if isinstance(a, ast.Name) and a.id == p}
            fine |= {a for q, a in handed.items() if only_calls(taker, q, has_rule, asked)}
    inside = {x for n in nodes if isinstance(n, ast.Lambda) for x in walk(n)}
    return bool(mentions) and mentions <= fine - inside


def _tree(g: types.FunctionType) -> ast.FunctionDef:
    """The definition of a function, which is asked for often."""
    code, tree = _trees.get(g, (None, None))
    if tree is None or code is not g.__code__:
        tree = read(g).tree
        _trees[g] = g.__code__, tree
    return tree


def _asks(n: ast.AST) -> bool:
    """`f is None`, `f is not None`."""
    match n:
        case ast.Compare(left=ast.Name(), ops=[ast.Is() | ast.IsNot()], comparators=[ast.Constant(value=None)]):
            return True
        case _:
            return False


def _answered(tree: ast.FunctionDef, known: Collection[str]) -> ast.FunctionDef:
    """The function without questions whether what it knows is there."""

    def change(e: ast.expr) -> ast.expr:
        if isinstance(e, ast.Compare) and _asks(e) and isinstance(e.left, ast.Name) and e.left.id in known:
            return ast.copy_location(ast.Constant(isinstance(e.ops[0], ast.IsNot)), e)
        return e

    return rebuild(tree, change)


def _given(call: ast.Call) -> list[ast.expr]:
    return [*call.args, *(k.value for k in call.keywords)]


def taker_of(call: ast.Call, scope: Scope, has_rule: HasRule) -> types.FunctionType | None:
    """The function of the user's that is called, where it can be written anew."""
    if any(isinstance(a, ast.Starred) for a in call.args) or any(k.arg is None for k in call.keywords):
        return None
    found = scope.resolve(call.func)
    if type(found) is not types.FunctionType or found.__closure__ or found.__dict__ or is_library(found):
        return None
    if has_rule(found):
        return None
    try:
        tree = _tree(found)
    except SourceError:
        return None
    if tree.args.kwarg or any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in walk_scope(tree)):
        return None
    return None if TELLING & identifiers(tree) else found


def _fitted(call: ast.Call, taker: types.FunctionType) -> dict[str, Any]:
    """The arguments by parameter."""
    try:
        bound = own_signature(taker).bind(*call.args, **{k.arg or "": k.value for k in call.keywords})
    except TypeError:  # Python says so when the call happens
        return {}
    return {p: a for p, a in bound.arguments.items() if isinstance(a, (ast.Name, ast.Lambda))}


# The calls


def handed_on(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Calls that are given lifted functions, as calls of functions which know these."""
    closures: dict[str, Lifted] = {}
    found: ast.Call | None = None
    for call, p, a in handed(f, context.scope, context.has_rule):
        if isinstance(a, ast.Name) and a.id in context.lifted and found in (None, call):
            found = call
            closures[p] = context.lifted[a.id]
    if found is None:
        return f
    new = _call(found, closures, context)
    return handed_on(rebuild(f, lambda e: new if e is found else e), context)


def _call(call: ast.Call, closures: dict[str, Lifted], context: Context) -> ast.Call:
    taker = context.scope.resolve(call.func)
    made, names = knowing(taker, closures)
    gone = {a for p, a in _fitted(call, taker).items() if p in closures}
    more = [ast.copy_location(name(v), call) for v in names]
    func = ast.copy_location(name(context.use(made.__name__, made)), call.func)
    keywords = [k for k in call.keywords if k.value not in gone]
    return replace(call, func=func, args=[*more, *(a for a in call.args if a not in gone)], keywords=keywords)


def knowing(taker: types.FunctionType, closures: dict[str, Lifted]) -> tuple[types.FunctionType, list[str]]:
    """A function that knows what some of its parameters are, and the variables that it gets before the others."""
    tree = _tree(taker)
    names = Names(identifiers(tree))
    more: dict[str, str] = {}  # by the variable of the caller
    lifted: dict[str, Lifted] = {}
    for p, known in closures.items():
        for v, h in zip(known.captured, known.here):
            if h not in more:
                more[h] = names.numbered(v)
        here = tuple(more[h] for h in known.here)
        lifted[p] = Lifted(known.function, known.captured, (), known.by_name, known.writes, here)
    first = next(iter(closures.values())).function
    kept = first.__dict__.setdefault("handed", {})
    key = (taker, taker.__code__, *((p, k.function, k.here) for p, k in lifted.items()))
    made, defaults = kept.get(key, (None, None))
    if made is None or defaults is not taker.__defaults__:
        made = _made(taker, tree, lifted, tuple(more.values()))
        kept[key] = made, taker.__defaults__
    return made, list(more)


def _made(
    taker: types.FunctionType, tree: ast.FunctionDef, lifted: dict[str, Lifted], more: tuple[str, ...]
) -> types.FunctionType:
    args = tree.args
    places = [*args.posonlyargs, *args.args]
    start = len(places) - len(args.defaults)
    left = [i for i, a in enumerate(places[start:]) if a.arg not in lifted]
    named = [(a, d) for a, d in zip(args.kwonlyargs, args.kw_defaults) if a.arg not in lifted]
    first = [ast.arg(v) for v in more]
    only = [a for a in args.posonlyargs if a.arg not in lifted]
    new = replace(
        args,
        posonlyargs=[*first, *only] if only else [],
        args=[*([] if only else first), *(a for a in args.args if a.arg not in lifted)],
        defaults=[args.defaults[i] for i in left],
        kwonlyargs=[a for a, _ in named],
        kw_defaults=[d for _, d in named],
    )
    made = stub(taker, replace(_answered(tree, lifted), args=new), {}, taker.__code__.co_filename)
    made.__name__, made.__qualname__ = taker.__name__, taker.__qualname__
    made.__defaults__ = tuple((taker.__defaults__ or ())[i] for i in left) or None
    made.__kwdefaults__ = {p: d for p, d in (taker.__kwdefaults__ or {}).items() if p not in lifted} or None
    made.lifted = lifted  # type: ignore[attr-defined]
    return made
