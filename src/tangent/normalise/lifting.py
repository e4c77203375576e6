"""Nested functions that are only called by name get what they capture as arguments, and give back what they rebind.

def f(x):                            def f(x):
    buf, n = np.zeros(3), 0              buf, n = np.zeros(3), 0
    def put(v):                          _, n = put(2.0, buf, x, n)
        nonlocal n               ->      return buf[0] * n
        buf[n] = v * x
        n = n + 1                    def put(v, buf, x, n):
    put(2.0)                             buf[n] = v * x
    return buf[0] * n                    n = n + 1
                                         return None, n

So they are functions like those of the module: known, with derivatives of their own, and read variables when they are
called, as in Python. So do those that are handed to functions which only call them (handed.py). Those that are kept or
returned stay closures.
"""

from __future__ import annotations

import ast
import types
import weakref
from collections.abc import Iterator, Set
from typing import Any

from tangent.normalise.accumulated import made_anew, rebinding
from tangent.normalise.bound import unbound_at
from tangent.normalise.context import Context
from tangent.normalise.handed import handed, handed_on
from tangent.normalise.lifted import Lifted
from tangent.normalise.named import applied, defined
from tangent.source.naming import is_library
from tangent.source.resolve import MISSING
from tangent.source.stubs import stub
from tangent.syntax.captured import (
    bindings,
    declared,
    free_variables,
    own_functions,
    own_variables,
    rebound_outside,
)
from tangent.syntax.names import identifiers
from tangent.syntax.quote import at, constant, name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments, assigned_inside, expression_reads
from tangent.syntax.walk import walk

TELLING = frozenset("locals vars eval exec super __class__".split())
_made: weakref.WeakKeyDictionary[types.FunctionType, dict[Any, dict[str, Lifted]]] = weakref.WeakKeyDictionary()


def lifting(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Take the nested functions out that are only called by name."""
    f = applied(defined(f), context)
    bound = {a.arg for a in arguments(f.args)} | assigned_inside(f.body)
    choice = _Choice(f, context)
    nodes = choice.chosen()
    if nodes:
        if choice.anew:
            f = replace(f, body=rebinding(f.body, choice.anew))
            nodes = {g.name: g for g in own_functions(f) if g.name in nodes}
        known = _made.setdefault(context.source.function, {})
        key = (context.source.function.__code__, tuple((v, g.lineno) for v, g in nodes.items()))
        if key not in known:
            known[key] = _functions(f, nodes, context)
        context.lifted |= known[key]
        f = replace(f, body=_without(f.body, {nodes[v] for v in nodes}))
        context.declared = declared(f)
        context.scope.local |= bound - context.declared
    for v, g in context.lifted.items():
        context.externals[v] = context.scope.externals[v] = g.function
        context.scope.local.discard(v)
    return handed_on(f, context) if context.lifted else f


def lifted_by_name(f: ast.FunctionDef, context: Context) -> dict[str, ast.FunctionDef]:
    """The nested functions that are taken out."""
    return _Choice(f, context).chosen()


def _without(body: list[ast.stmt], taken: set[ast.FunctionDef]) -> list[ast.stmt]:
    kept = [with_blocks(s, lambda block: _without(block, taken)) for s in body if s not in taken]
    return kept or [at(ast.Pass(), body[0])]


class _Choice:
    """Which nested functions of a function are lifted."""

    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.f, self.context = f, context
        self.local = own_variables(f) - set(context.scope.imports)
        self.anew = made_anew(f, {v for g in own_functions(f) for v in rebound_outside(g)})

    def chosen(self) -> dict[str, ast.FunctionDef]:
        nodes = {g.name: g for g in own_functions(self.f)}
        once = bindings(self.f)
        nodes = {v: g for v, g in nodes.items() if once[v] == 1 and self.is_plain(g) and v in self.local}
        while lost := [v for v, g in nodes.items() if not self.fits(v, g, nodes)]:
            for v in lost:
                del nodes[v]
        return nodes

    def is_plain(self, g: ast.FunctionDef) -> bool:
        """No generators, decorators, computed defaults, nor anything that looks at the variables around."""
        defaults = [*g.args.defaults, *(e for e in g.args.kw_defaults if e is not None)]
        if g.decorator_list or not all(isinstance(e, ast.Constant) for e in defaults):
            return False
        if any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in walk_scope(g)):
            return False
        return not any(isinstance(n, ast.Name) and n.id in TELLING for n in walk(g))

    def fits(self, v: str, g: ast.FunctionDef, nodes: dict[str, ast.FunctionDef]) -> bool:
        needed, rebound = captured(g, nodes, self.local, self.context.lifted)
        if not (self.only_called(v, nodes) or (needed and not rebound and self.only_handed(v, g, nodes))):
            return False
        if not rebound_outside(g) <= self.local:
            return False
        own = {a.arg for a in arguments(g.args)} | assigned_inside(g.body)
        if own & set(needed) - rebound_outside(g):  # a variable of its own hides one that it must pass on
            return False
        if _augmented(g) & set(rebound) - self.anew:  # it may change an array in place that others hold
            return False
        if rebound and (_tries(g) or any(_tried(x, v) for x in (self.f, *nodes.values()))):
            return False
        if self.changing(g) & self.kept_inside(g) & set(needed):  # it gives functions that see a variable change
            return False
        reached = _reached(v, nodes)
        return not unbound_at(self.f, v, {*needed, *reached})

    def changing(self, g: ast.FunctionDef) -> set[str]:
        """Variables of the function around that are bound again after a nested one is defined, or by nested ones."""
        order = {n: i for i, n in enumerate(walk_scope(self.f))}
        loops = [{*walk_scope(n)} for n in order if isinstance(n, (ast.For, ast.While))]
        again = {n for loop in loops if g in loop for n in loop}
        stored = [n for n in order if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)]
        inside = {v for n in own_functions(self.f) for v in rebound_outside(n)}
        return inside | {n.id for n in stored if order[n] > order[g] or n in again}

    def kept_inside(self, g: ast.FunctionDef) -> set[str]:
        """What functions read or rebind that a nested one defines and does not only call."""
        inner = [n for n in walk_scope(g) if isinstance(n, (ast.FunctionDef, ast.Lambda))]
        calls = [n for n in walk_scope(g) if isinstance(n, ast.Call)]
        called = {n.func for n in calls}
        at_once = {a for n in calls if self.is_known(n.func) for a in (*n.args, *(k.value for k in n.keywords))}
        named = {n.id for n in walk(g) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load) and n not in called}
        kept = [n for n in inner if (n.name in named if isinstance(n, ast.FunctionDef) else n not in at_once | called)]
        rebound = {v for n in kept if isinstance(n, ast.FunctionDef) for v in rebound_outside(n)}
        return rebound | {v for n in kept for v in expression_reads(n)}

    def is_known(self, func: ast.expr) -> bool:
        found = self.context.scope.resolve(func)
        return found is not MISSING and is_library(found)

    def only_called(self, v: str, nodes: dict[str, ast.FunctionDef], fine: Set[ast.expr] = frozenset()) -> bool:
        """Whether a function is called and never kept, here and in those that are lifted with it."""
        scopes = [self.f, *nodes.values()]
        here = [n for scope in scopes for n in walk_scope(scope)]
        called = {n.func for n in here if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id == v}
        inside = {x for n in here if isinstance(n, ast.Lambda) for x in walk(n)}
        every = {n for n in walk(self.f) if isinstance(n, ast.Name) and n.id == v}
        return every == (called | fine) - inside

    def only_handed(self, v: str, g: ast.FunctionDef, nodes: dict[str, ast.FunctionDef]) -> bool:
        """Whether a function that changes nothing around it is called, or given to those that do no more than that."""
        if self.context.memory or not _is_quiet(g):
            return False
        given = handed(self.f, self.context.scope, self.context.has_rule)
        here = {a for _, _, a in given if isinstance(a, ast.Name) and a.id == v}
        return bool(here) and self.only_called(v, nodes, here)


def captured(
    g: ast.FunctionDef, nodes: dict[str, ast.FunctionDef], local: set[str], lifted: dict[str, Lifted]
) -> tuple[tuple[str, ...], tuple[str, ...]]:
    """The variables that a function reads of those around it, and those that it rebinds; also through others."""
    found: dict[str, None] = {}
    rebound: set[str] = set()
    for v in [g.name, *_reached(g.name, nodes)]:
        inner = nodes.get(v, g)
        found |= dict.fromkeys(free_variables(inner))
        rebound |= rebound_outside(inner)
        for known in (lifted[x] for x in free_variables(inner) if x in lifted):
            found |= dict.fromkeys(known.here)
            rebound |= set(known.rebound)
    names = [v for v in found if v in local and v not in nodes]
    return tuple(names), tuple(v for v in names if v in rebound)


def _reached(v: str, nodes: dict[str, ast.FunctionDef]) -> list[str]:
    """The functions that one calls, directly or through others."""
    found: list[str] = []
    waiting = [v]
    while waiting:
        for x in free_variables(nodes[waiting.pop()]):
            if x in nodes and x not in found:
                found.append(x)
                waiting.append(x)
    return found


def _augmented(g: ast.FunctionDef) -> set[str]:
    found = [n.target for n in walk(g) if isinstance(n, ast.AugAssign)]
    return {t.id for t in found if isinstance(t, ast.Name)}


def _tries(g: ast.FunctionDef) -> bool:
    return any(isinstance(n, (ast.Try, ast.TryStar)) for n in walk_scope(g))


def _tried(f: ast.FunctionDef, v: str) -> bool:
    """Whether a call stands inside `try`: what it has rebound before it fails would be lost."""
    tries = [n for n in walk_scope(f) if isinstance(n, (ast.Try, ast.TryStar))]
    return any(isinstance(n, ast.Name) and n.id == v for t in tries for n in walk(t))


# The functions


def _functions(f: ast.FunctionDef, nodes: dict[str, ast.FunctionDef], context: Context) -> dict[str, Lifted]:
    found: dict[str, Lifted] = {}
    source, local = context.source, own_variables(f) - set(context.scope.imports)
    known = {**context.scope.imports, **context.externals}
    cells = {**context.scope.cells, **{v: types.CellType(m) for v, m in known.items()}}
    for v, g in nodes.items():
        needed, rebound = captured(g, nodes, local, context.lifted)
        by_name = bool(g.args.defaults or g.args.vararg or g.args.kwonlyargs or g.args.kwarg)
        tree = replace(g, args=_parameters(g.args, needed, by_name), body=_giving_back(g, rebound), decorator_list=[])
        seen = {x: cells[x] for x in free_variables(g) if x in cells}
        made = stub(source.function, tree, seen, source.file)
        made.__name__ = made.__qualname__ = v
        made.__defaults__ = tuple(ast.literal_eval(e) for e in g.args.defaults) or None
        pairs = zip(g.args.kwonlyargs, g.args.kw_defaults)
        made.__kwdefaults__ = {a.arg: ast.literal_eval(e) for a, e in pairs if e is not None} or None
        found[v] = Lifted(made, needed, rebound, by_name, _writes(g))
    for lifted in found.values():
        lifted.function.lifted = {**context.lifted, **found}  # type: ignore[attr-defined]
    return found


def _parameters(args: ast.arguments, needed: tuple[str, ...], by_name: bool) -> ast.arguments:
    more = [ast.arg(v) for v in needed]
    if by_name:
        return replace(
            args, kwonlyargs=[*args.kwonlyargs, *more], kw_defaults=[*args.kw_defaults, *(None for _ in more)]
        )
    return replace(args, args=[*args.args, *more])


def _giving_back(g: ast.FunctionDef, rebound: tuple[str, ...]) -> list[ast.stmt]:
    if not rebound:
        return g.body

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in statement(s)]

    def statement(s: ast.stmt) -> Iterator[ast.stmt]:
        match s:
            case ast.Nonlocal(names=names):
                kept = [v for v in names if v not in rebound]
                if kept:
                    yield replace(s, names=kept)
            case ast.Return(value=value):
                parts = [value or constant(None), *(name(v) for v in rebound)]
                yield replace(s, value=ast.copy_location(ast.Tuple(parts, ast.Load()), s))
            case _:
                yield with_blocks(s, block)

    body = block(g.body)
    if not isinstance(g.body[-1], ast.Return):
        last = ast.Tuple([constant(None), *(name(v) for v in rebound)], ast.Load())
        body.append(at(ast.Return(last), g.body[-1]))
    return body


def _is_quiet(g: ast.FunctionDef) -> bool:
    """Whether a function stores into nothing but items of its own variables, and calls nothing for its effects."""
    around = set(free_variables(g))
    for n in walk_scope(g):
        match n:
            case ast.Expr(value=value) if not isinstance(value, ast.Constant):
                return False
            case ast.Attribute(ctx=ast.Store() | ast.Del()):
                return False
            case ast.Subscript(ctx=ast.Store() | ast.Del()) if around & identifiers(n.value):
                return False
            case ast.AugAssign(target=ast.Name(id=v)) if v in around:
                return False
    return True


def _writes(g: ast.FunctionDef) -> bool:
    kinds = ast.Subscript | ast.Attribute
    return any(isinstance(n, kinds) and isinstance(n.ctx, (ast.Store, ast.Del)) for n in walk(g))
