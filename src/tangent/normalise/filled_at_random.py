"""What NumPy's generators of random numbers fill or shuffle in place is stored: they draw the same numbers either way.

rng.shuffle(x)                    ->    x[:] = x[rng.permutation(len(x))]
rng.standard_normal(out=x)        ->    x[...] = rng.standard_normal(x.shape)
"""

from __future__ import annotations

import ast
from collections.abc import Callable

import numpy as np

from tangent.normalise.context import Context
from tangent.runtime.draws import (
    DRAWING,
    SIZES,
    is_drawing,
    require_filled_in_order,
    require_generator,
    require_shuffled,
)
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import replace, statements, with_blocks
from tangent.syntax.uses import arguments, writes
from tangent.syntax.walk import walk

FILLING = frozenset("random standard_normal standard_exponential standard_gamma".split())  # those that take `out`
IN_ROWS = (np.empty, np.zeros, np.ones, np.full, np.arange)  # unless they are told another order


def filled_at_random(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Stores for what generators of random numbers do in place."""
    if not any(isinstance(n, ast.Attribute) and n.attr in FILLING | {"shuffle"} for n in walk(f)):
        return f
    return replace(f, body=_InPlace(f, context).block(f.body))


class _InPlace:
    """Rewrites calls of generators that write, where what they write into has a name."""

    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.context = context
        self.values = _values(f)
        self.parameters = {a.arg for a in arguments(f.args)}
        self.uses = [n for n in walk(f) if isinstance(n, ast.Attribute) and isinstance(n.value, ast.Name)]

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=rng, attr="shuffle"), args=[x], keywords=[])
            ) if self.is_generator(rng) and not isinstance(x, ast.Starred):
                held, before = self.with_name(x, "shuffled", s)
                return [*self.checks(rng, "shuffle", s), *before, *self.shuffled(rng, held, s)]
            case ast.Expr(value=e) | ast.Assign(targets=[ast.Name()], value=e) if (given := self.filled(e)) is not None:
                assert isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute)
                out, before = self.with_name(given, "filled", s)
                named = [k for k in e.keywords if k.arg != "out"]
                size = [ast.keyword("size", expression("x.shape", x=out))] if not self.has_size(e) else []
                value = ast.copy_location(replace(e, keywords=[*size, *named]), e)
                store = at(ast.Assign([ast.Subscript(out, constant(Ellipsis), ast.Store())], value), s)
                after = [replace(s, value=out)] if isinstance(s, ast.Assign) else []
                return [*before, *self.checks(e.func.value, e.func.attr, s), *self.in_order(out, s), store, *after]
            case _:
                return [with_blocks(s, self.block)]

    def with_name(self, e: ast.expr, base: str, s: ast.stmt) -> tuple[ast.Name, list[ast.stmt]]:
        """What is written into has a name by then: `rng.shuffle(m[0])` is about a row."""
        if isinstance(e, ast.Name):
            return e, []
        held = self.context.names.fresh(base)
        self.values[held] = [e]
        return name(held), [assign(held, e, s)]

    def shuffled(self, rng: ast.expr, x: ast.Name, s: ast.stmt) -> list[ast.stmt]:
        order = expression("rng.permutation(n(x))", rng=rng, n=self.context.builtin("len"), x=x)
        values = self.values_of(x.id)
        if all(map(self.is_list, values)):
            items: ast.expr = expression("[x[k] for k in order]", x=x, k=self.context.names.fresh("k"), order=order)
        else:
            items = expression("x[order]", x=x, order=order)
        store = at(ast.Assign([ast.Subscript(x, ast.Slice(), ast.Store())], ast.copy_location(items, s)), s)
        known = isinstance(items, ast.ListComp) or self.is_in_rows(x.id)
        return [store] if known else [self.check(require_shuffled, x, s), store]

    def filled(self, e: ast.expr) -> ast.expr | None:
        """The array that a call fills with random numbers."""
        match e:
            case ast.Call(func=ast.Attribute(value=rng, attr=attr), keywords=keywords) if attr in FILLING:
                out = next((k.value for k in keywords if k.arg == "out"), None)
                return out if not isinstance(out, ast.Constant) and self.is_generator(rng) else None
        return None

    def has_size(self, e: ast.Call) -> bool:
        assert isinstance(e.func, ast.Attribute)
        return len(e.args) > SIZES[e.func.attr] or any(k.arg in ("size", None) for k in e.keywords)

    def in_order(self, x: ast.Name, s: ast.stmt) -> list[ast.stmt]:
        return [] if self.is_in_rows(x.id) else [self.check(require_filled_in_order, x, s)]

    def is_in_rows(self, v: str) -> bool:
        return v not in self.parameters and all(map(self.makes_rows, self.values_of(v)))

    def makes_rows(self, e: ast.expr | None) -> bool:
        """Whether an array is made whose rows lie one after the other."""
        match e:
            case ast.Call(func=func, keywords=keywords):
                return self.context.scope.resolve(func) in IN_ROWS and all(k.arg != "order" for k in keywords)
        return False

    def is_list(self, e: ast.expr | None) -> bool:
        match e:
            case ast.List() | ast.ListComp():
                return True
            case ast.Call(func=ast.Name() as func):
                return self.context.scope.resolve(func) is list
        return False

    def is_generator(self, e: ast.expr) -> bool:
        """Whether something is a generator of NumPy's, or is used as one: a check asks parameters when it runs."""
        if isinstance(e, ast.Call):
            return self.makes_one(e)
        if not isinstance(e, ast.Name):
            return self.context.scope.resolve(e) is np.random
        if e.id in self.context.scope.local:
            given = e.id in self.parameters and e.id not in self.values
            return self.is_used_as_one(e.id) if given else all(map(self.makes_one, self.values_of(e.id)))
        return is_drawing(type(self.context.scope.resolve(e)))

    def makes_one(self, e: ast.expr | None) -> bool:
        return isinstance(e, ast.Call) and is_drawing(self.context.scope.resolve(e.func))

    def is_used_as_one(self, v: str) -> bool:
        asked = {n.attr for n in self.uses if isinstance(n.value, ast.Name) and n.value.id == v}
        return bool(asked & DRAWING) and asked <= DRAWING | {"shuffle"}

    def values_of(self, v: str) -> list[ast.expr | None]:
        """What a variable is bound to, also as another name of something."""
        found: list[ast.expr | None] = []
        seen, waiting = {v}, [v]
        while waiting:
            for e in self.values.get(waiting.pop(), [None]):
                if not isinstance(e, ast.Name):
                    found.append(e)
                elif e.id not in seen:
                    seen.add(e.id)
                    waiting.append(e.id)
        return found

    def checks(self, rng: ast.expr, attr: str, s: ast.stmt) -> list[ast.stmt]:
        return [self.check(require_generator, rng, s, attr)] if _id(rng) in self.parameters else []

    def check(self, stop: Callable[..., None], x: ast.expr, s: ast.stmt, *more: str) -> ast.stmt:
        used = self.context.use(stop.__name__, stop)
        return at(ast.Expr(ast.copy_location(call(used, x, *map(constant, more)), s)), s)


def _id(e: ast.expr) -> str:
    return e.id if isinstance(e, ast.Name) else ""


def _values(f: ast.FunctionDef) -> dict[str, list[ast.expr | None]]:
    """What each variable is bound to; None for what an assignment does not say."""
    found: dict[str, list[ast.expr | None]] = {}
    for s in statements(f.body):
        plain = isinstance(s, ast.Assign) and all(isinstance(t, ast.Name) for t in s.targets)
        for v in writes(s):
            found.setdefault(v, []).append(s.value if plain else None)  # type: ignore[attr-defined]
    return found
