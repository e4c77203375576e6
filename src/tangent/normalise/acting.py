"""Comprehensions that call what may change or read something, where an expression would stay whole.

if any(p.move(x) for p in ps): ...   ->   found = False
                                          for p in ps:
                                              if p.move(x): found = True; break
                                          if found: ...
while len([p for p in ps             ->   while True:
           if p.far(x)]) > 1: ...             held = [p for p in ps if p.far(x)]
                                              if not len(held) > 1: break
                                              ...
raise ValueError(p.move(x))          ->   held = p.move(x)
                                          raise ValueError(held)

`any`, `all` and `in` end at the first item that tells; where such a loop reads an iterator, the rest is left in it.
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator

import numpy as np

from tangent.normalise.context import Context
from tangent.runtime.writers import WRITING_METHODS
from tangent.source.generators import is_generator
from tangent.source.naming import home_of, is_library
from tangent.source.resolve import MISSING
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import COMPREHENSIONS
from tangent.syntax.walk import holds, walk

WHOLE = (ast.Compare, ast.BoolOp, ast.IfExp, ast.JoinedStr, ast.UnaryOp, ast.SetComp)  # expressions that stay whole
ITERATORS = (iter, zip, map, filter, reversed, enumerate)


def may_act(f: ast.FunctionDef) -> bool:
    """Whether there is anything in a function that might have to be taken apart."""
    return holds(f, *COMPREHENSIONS, ast.Assert, ast.Raise) or any(
        isinstance(n, ast.Name) and n.id in ("any", "all") for n in walk(f)
    )


def bound(target: ast.expr, value: ast.expr) -> Iterator[tuple[str, ast.expr]]:
    """The names of an assignment with what they are bound to, also where a display is taken apart.

    >>> [(v, ast.unparse(e)) for s in ast.parse("a, (b, c) = 1, (x, y)").body for v, e in bound(s.targets[0], s.value)]
    [('a', '1'), ('b', 'x'), ('c', 'y')]
    """
    match target, value:
        case ast.Name(id=v), e:
            yield v, e
        case ast.Tuple(elts=targets) | ast.List(elts=targets), ast.Tuple(elts=values) | ast.List(elts=values):
            if len(targets) == len(values) and not any(isinstance(x, ast.Starred) for x in (*targets, *values)):
                for t, e in zip(targets, values):
                    yield from bound(t, e)


class Acting:
    """Which expressions of a function have to be taken apart because of what they call."""

    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.context = context
        self.iterators = {
            v for s in walk_scope(f) if isinstance(s, ast.Assign) for t in s.targets
            for v, e in bound(t, s.value) if self.is_iterator(e)
        }  # fmt: skip

    def is_iterator(self, e: ast.expr) -> bool:
        if not isinstance(e, ast.Call):
            return isinstance(e, ast.GeneratorExp)
        found = self.context.scope.resolve(e.func)
        if found is MISSING:
            return isinstance(e.func, ast.Name)  # a generator function that is defined inside, perhaps
        return any(found is f for f in ITERATORS) or home_of(found) == itertools.__name__ or is_generator(found)

    def inside(self, e: ast.AST, whole: bool = False) -> Iterator[ast.AST]:
        """The comprehensions in an expression that act, and are no loops otherwise."""
        if isinstance(e, ast.Lambda):
            return
        if (items := self.asked(e)) is not None:
            yield from [items] if self.is_told(items) else []
            return
        whole = whole or isinstance(e, WHOLE) or (isinstance(e, ast.Call) and self.takes_all(e.func))
        if isinstance(e, COMPREHENSIONS):
            if whole and self.context.memory and self.calls(e):
                yield e
            else:
                yield from self.inside(e.generators[0].iter)
            return
        for child in ast.iter_child_nodes(e):
            yield from self.inside(child, whole)

    def asked(self, e: ast.AST) -> ast.expr | None:
        """The items of which an expression asks the first that tells."""
        match e:
            case ast.Call(func=func, args=[ast.GeneratorExp() as items], keywords=[]) if self.asks(func):
                return items
            case ast.Call(func=func, args=[ast.Call(func=each, args=[_, _], keywords=[]) as items], keywords=[]) if (
                self.asks(func) and self.context.scope.resolve(each) is map
            ):
                return items
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.GeneratorExp() as items]):
                return items
        return None

    def asks(self, func: ast.expr) -> bool:
        """Whether a function stops at the first item that tells what it asks for."""
        found = self.context.scope.resolve(func)
        return found is any or found is all

    def takes_all(self, func: ast.expr) -> bool:
        """Whether a function makes a set or a text of all items."""
        found = self.context.scope.resolve(func)
        return found is set or found is frozenset or (isinstance(func, ast.Attribute) and func.attr == "join")

    def is_told(self, items: ast.expr) -> bool:
        """Whether it matters how far items are read, or what asks for them."""
        reads = {n.id for n in walk(items) if isinstance(n, ast.Name)}
        return bool(self.context.memory or reads & self.iterators) or self.calls(items)

    def calls(self, e: ast.AST) -> bool:
        """Whether a function or method of the user's is called."""
        return any(self.is_users(n) for n in walk(e))

    def is_users(self, n: ast.AST) -> bool:
        match n:
            case ast.Call(func=ast.Name(id="map" | "filter"), args=[each, *_]):
                return isinstance(each, ast.Lambda) or self.is_users(ast.Call(each, [], []))
            case ast.Call(func=func):
                found = self.context.scope.resolve(func)
                if found is MISSING and isinstance(func, ast.Attribute) and not self.context.memory:
                    known = hasattr(str, func.attr) or hasattr(np.ndarray, func.attr)
                    return not known or func.attr in WRITING_METHODS
                return found is MISSING or not is_library(found)
        return False
