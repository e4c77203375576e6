"""Where an array that nothing else holds is given up for one with another part, that one is made in its memory.

db2 = with_part(with_part(db, 1, u), 0, v)   ->   db2 = add_part(add_part(db, 1, u), 0, v)
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tangent import runtime
from tangent.analysis.liveness import Liveness, liveness
from tangent.optimise.context import Body
from tangent.optimise.held import Resolve, holds, is_new
from tangent.optimise.shaped.kinds import Kind, Number
from tangent.syntax.print import Comment
from tangent.syntax.quote import constant, name
from tangent.syntax.rebuild import exchanged, rebuild, replace, statements
from tangent.syntax.uses import COMPREHENSIONS, expression_reads, writes
from tangent.syntax.walk import walk

PLAIN = (ast.Assign, ast.AugAssign, ast.Expr, ast.For, ast.While, ast.If, ast.Return, ast.Pass, Comment)
IN_PLACE: dict[Any, Any] = {runtime.with_part: runtime.add_part, runtime.with_cell: runtime.add_cell}
MAKERS = (runtime.scatter, runtime.init_grad, np.zeros)


def given_up(
    tree: ast.FunctionDef, of: Callable[[ast.expr], Kind], resolve: Resolve, use: Callable[[Any, str], str]
) -> Body:  # fmt: skip
    """The body of a function with such sums in place; `of` tells kinds that hold wherever an expression stands."""
    if not all(type(s) in PLAIN for s in statements(tree.body)):
        return tree.body
    sums = Sums(of, resolve, use)
    chains = {s: calls for s in statements(tree.body) if isinstance(s, ast.Assign) and (calls := sums.chain(s))}
    if not any(sums.is_new_sum(c) for calls in chains.values() for c in calls):
        return tree.body
    own = sums.own(tree.body, chains)
    live = liveness(tree, frozenset(chains))
    return exchanged(tree.body, {s: sums.in_place(s, calls, own, live) for s, calls in chains.items()})


Chains = dict[ast.Assign, list[ast.Call]]  # statements that add to parts, with the calls, the first one last


@dataclass(frozen=True)
class Sums:
    """What is asked of statements that add to parts of arrays."""

    of: Callable[[ast.expr], Kind]
    resolve: Resolve
    use: Callable[[Any, str], str]

    def chain(self, s: ast.Assign) -> list[ast.Call]:
        """The calls of `b2 = with_part(with_part(b, i, u), j, v)`, from outside."""
        found: list[ast.Call] = []
        e = s.value
        while isinstance(e, ast.Call) and self.is_sum(e) and isinstance(s.targets[0], ast.Name):
            found.append(e)
            e = e.args[0]
        return found

    def is_sum(self, e: ast.Call) -> bool:
        called = self.resolve(e.func)
        plain = bool(e.args) and not e.keywords
        return plain and any(called is f for f in (*IN_PLACE, *IN_PLACE.values()))

    def is_new_sum(self, e: ast.Call) -> bool:
        """Whether a sum is a new array."""
        return any(self.resolve(e.func) is f for f in IN_PLACE)

    def makes(self, e: ast.expr) -> bool:
        """Whether an expression makes an array."""
        return is_new(e, self.resolve) or (isinstance(e, ast.Call) and any(self.resolve(e.func) is f for f in MAKERS))

    def own(self, body: Body, chains: Chains) -> set[str]:
        """Arrays that are made here, or in the memory of such arrays, and that nothing else holds."""
        roots = {_root(calls) for calls in chains.values()} - {""}
        bound = {v for s in statements(body) for v in writes(s)}
        found = {v for v in roots & bound if _is_array(self.of(name(v)))}
        last = {v: _last_use(body, v) for v in found}
        while lost := {
            v
            for s in statements(body)
            for v in found
            if s is not last[v] and not self.leaves_alone(s, v, found, chains)
        }:
            found -= lost
        return found

    def leaves_alone(self, s: ast.stmt, v: str, own: set[str], chains: Chains) -> bool:
        """Whether a statement gives an array a value of its own, or none, and no other name for it."""
        match s:
            case ast.Return() | ast.If() | ast.While():
                return True
            case ast.For():
                return v not in writes(s) and v not in expression_reads(s.iter)
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                calls = chains.get(s, [])
                made = self.is_new_sum(calls[-1]) or self.makes(calls[-1].args[0]) if calls else self.makes(value)
                if target == v and not made and _root(calls) not in own:
                    return False
                if calls and _root(calls) == v != target and not self.is_new_sum(calls[-1]):
                    return False
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=w) as whole)], value=value) if v != w:
                if _is_array(self.of(whole)) and all(self.forgets(n) for n in walk(value) if isinstance(n, ast.Call)):
                    return True  # what is stored is copied
            case ast.Assign(targets=[ast.Subscript(value=ast.Name())]) | ast.AugAssign(target=ast.Name()):
                pass
            case ast.AugAssign(target=ast.Subscript(value=ast.Name())) | ast.Expr() | ast.Pass() | Comment():
                pass
            case _:
                return v not in writes(s) and not any(isinstance(n, ast.Name) and n.id == v for n in walk(s))
        if any(v in expression_reads(e) for e in _hidden(s)):
            return False
        return not holds(rebuild(s, lambda e: self.unseen(e, v)), v, self.resolve)

    def forgets(self, e: ast.Call) -> bool:
        """Whether a call keeps none of its arguments: a function of NumPy, that may give a view of them."""
        return (getattr(self.resolve(e.func), "__module__", "") or "").split(".")[0] == "numpy"

    def unseen(self, e: ast.expr, v: str) -> ast.expr:
        """An expression without what only looks at an array."""
        match e:
            case ast.Subscript(value=ast.Name(id=w), ctx=ast.Load()) if v == w:
                kind = self.of(e)
                return constant(0.0) if isinstance(kind, Number) and not kind.rank else e
            case ast.Attribute(value=ast.Name(id=w), attr="shape") if v == w:
                return constant(0)
            case ast.Call(args=args) if self.is_sum(e) or any(self.resolve(e.func) is f for f in MAKERS):
                return replace(e, args=[constant(0.0) if isinstance(a, ast.Name) and a.id == v else a for a in args])
            case _:
                return e

    def in_place(self, s: ast.Assign, calls: list[ast.Call], own: set[str], live: Liveness) -> ast.stmt:
        """The sums of a statement in place, all but the first of them, which is where its array is given up."""
        first, v = calls[-1].args[0], _root(calls)
        last = v in own and (v in writes(s) or v not in live.after[s])
        alone = not any(v in expression_reads(a) for e in calls for a in e.args[1:])
        for e in reversed(calls):
            function = self.resolve(e.func)
            if function in IN_PLACE and (e is not calls[-1] or self.makes(calls[-1].args[0]) or (last and alone)):
                function = IN_PLACE[function]
                first = ast.Call(name(self.use(function, function.__name__)), [first, *e.args[1:]], [])
            else:
                first = replace(e, args=[first, *e.args[1:]])
        return replace(s, value=first)


def _root(calls: list[ast.Call]) -> str:
    """The array that sums begin with, where it has a name."""
    return calls[-1].args[0].id if calls and isinstance(calls[-1].args[0], ast.Name) else ""


def _last_use(body: Body, v: str) -> ast.stmt | None:
    """The statement behind all that uses an array, where it is no loop or branch: who holds it then, holds it alone."""
    uses = [s for s in body if any(isinstance(n, ast.Name) and n.id == v for n in walk(s))]
    return uses[-1] if uses and not isinstance(uses[-1], (ast.If, ast.For, ast.While)) else None


def _is_array(kind: Kind) -> bool:
    return isinstance(kind, Number) and kind.real and kind.rank > 0


def _hidden(s: ast.stmt) -> Iterator[ast.expr]:
    """Expressions that may keep what they read, though they are no operands: of keywords and of other scopes."""
    for n in walk(s):
        if isinstance(n, (ast.Lambda, ast.NamedExpr, *COMPREHENSIONS)):
            yield n
        elif isinstance(n, ast.keyword):
            yield n.value
