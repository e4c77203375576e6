"""Nested functions that tell what they raise, beside those that raise it (source/telling.py).

def step(v):                       def step(v): ...
    nonlocal n                     def step_told(v):
    n = n + v                 ->       nonlocal n
    if n > 1: raise Done(n)            n = n + v
                                       if n > 1: return Done, (n,), (("args0", 0),)
                                       return None, None, ()
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent.normalise.context import Context
from tangent.source.resolve import MISSING
from tangent.source.telling import Telling
from tangent.source.writing import writes_outside
from tangent.syntax.captured import bindings, own_functions, own_variables
from tangent.syntax.names import identifiers
from tangent.syntax.quote import name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks

Body = list[ast.stmt]


class NestedFunctions:
    """The functions that are defined inside one, and those that tell in their place, made on demand."""

    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.context = context
        once = bindings(f)
        self.nodes = {g.name: g for g in own_functions(f) if once[g.name] == 1 and _runs_through(g)}
        self.made: dict[str, _Nested | None] = {}

    def asking(self, e: ast.Call, writes: bool) -> ast.Call | None:
        """A call of the function that tells, in place of a call of a nested one; with `writes` of one that writes."""
        if not isinstance(e.func, ast.Name) or e.func.id not in self.nodes:
            return None
        g = self.nodes[e.func.id]
        if writes and not writes_outside(g, self.resolving(g)):
            return None
        told = self.told(g)
        return replace(e, func=ast.copy_location(name(told.itself), e.func)) if told is not None else None

    def told(self, g: ast.FunctionDef) -> _Nested | None:
        if g.name not in self.made:
            self.made[g.name] = None  # one that is called by those that it calls
            inner = _Nested(g, self)
            self.made[g.name] = inner if inner.raises else None
        return self.made[g.name]

    def resolving(self, g: ast.FunctionDef) -> Callable[[ast.expr], Any]:
        """What names mean inside a nested function."""
        own = own_variables(g)

        def resolve(e: ast.expr) -> Any:
            return MISSING if identifiers(e) & own else self.context.scope.resolve(e)

        return resolve

    def beside(self, body: Body) -> Body:
        """A block, with the functions that tell after those that they stand for."""
        done: Body = []
        for s in body:
            inner = self.made.get(s.name) if isinstance(s, ast.FunctionDef) else None
            done.append(s if isinstance(s, (ast.FunctionDef, ast.ClassDef)) else with_blocks(s, self.beside))
            if inner is not None and s is self.nodes.get(inner.name):
                done.append(inner.tree)
        return done


class _Nested(Telling):
    def __init__(self, g: ast.FunctionDef, others: NestedFunctions) -> None:
        context = others.context
        super().__init__(g, others.resolving(g), context.source.function)
        self.name, self.others, self.names = g.name, others, context.names
        self.itself = context.names.fresh(f"{g.name}_told")
        context.names.taken.add(self.itself)
        context.scope.local.add(self.itself)
        self.tree = replace(g, name=self.itself, body=self.whole(g.body), returns=None)

    def asking(self, e: ast.Call) -> ast.expr | None:
        match e.func:
            case ast.Name(id=v) if v == self.name and not self.caught:
                return replace(e, func=ast.copy_location(name(self.itself), e.func))
            case ast.Name(id=v) if v in self.others.nodes:
                inner = self.others.told(self.others.nodes[v])
                if inner is None or not self.leaves(inner.raises):
                    return None
                self.raises |= inner.raises
                return replace(e, func=ast.copy_location(name(inner.itself), e.func))
        return super().asking(e)

    def use(self, base: str, value: Any) -> str:
        return self.others.context.use(base, value)


def _runs_through(g: ast.FunctionDef) -> bool:
    return not g.decorator_list and not any(isinstance(n, (ast.Yield, ast.YieldFrom, ast.Await)) for n in walk_scope(g))
