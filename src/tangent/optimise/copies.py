"""Read the original instead of a copy of it.

a = b                 a = b
y = a * a       ->    y = b * b

ba = init_grad(a)           ba = init_grad(a)
dba = init_grad(ba)   ->    dba = init_grad(a)
"""

from __future__ import annotations

import ast
from collections.abc import Iterable, Mapping

from tangent.analysis.storage import AROUND
from tangent.optimise.compared import asked_by_identity
from tangent.optimise.context import Body, Optimisation
from tangent.syntax.blocks import Attempt
from tangent.syntax.core import is_literal
from tangent.syntax.rebuild import all_writes, rebuild, replace, statements
from tangent.syntax.uses import COMPREHENSIONS, expression_reads, writes
from tangent.syntax.walk import fact, walk

SCOPED = (ast.Lambda, ast.NamedExpr, *COMPREHENSIONS)
Known = dict[str, ast.expr]


def copies(body: Body, o: Optimisation) -> Body:
    pinned = _pinned(body)
    return _Copies(pinned, o.shared, asked_by_identity(body)).block(body, {})


def _pinned(body: Body) -> frozenset[str]:
    """Names that nested scopes and opaque statements use: they keep their names."""
    return frozenset().union(*map(_pinned_by, statements(body)))


@fact
def _pinned_by(s: ast.stmt) -> frozenset[str]:
    """The names that nested scopes in a statement use, not those in its blocks; all of one that is not simple.

    So are variables around the function that it binds (`global rate`): what it calls may bind them, too.
    """
    parts: list[ast.AST] = [s]
    if isinstance(s, (ast.Global, ast.Nonlocal)):
        return frozenset(s.names)
    if isinstance(s, (ast.If, ast.For, ast.While)):
        parts = []
    elif isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr, ast.Return)):
        parts = [n for n in walk(s) if isinstance(n, SCOPED)]
    return frozenset(n.id for part in parts for n in walk(part) if isinstance(n, ast.Name))


class _Copies:
    def __init__(self, pinned: frozenset[str], shared: Mapping[str, str], compared: frozenset[str]) -> None:
        self.pinned, self.shared, self.compared = pinned, shared, compared
        self.users: dict[str, set[str]] = {}

    def block(self, body: Body, known: Known) -> Body:
        return [self.statement(s, known) for s in body]

    def read(self, node: ast.expr, known: Known) -> ast.expr:
        def change(e: ast.expr) -> ast.expr:
            match e:
                case ast.Name(id=v, ctx=ast.Load()) if v in known and not isinstance(known[v], ast.Call):
                    return known[v]
                case ast.Call(args=[ast.Name(id=v)]) if v in known and _zeros_of(e):  # those of zeros
                    return known[v]
                case _:
                    return e

        return node if known.keys().isdisjoint(expression_reads(node)) else rebuild(node, change)

    def place(self, target: ast.expr, known: Known) -> ast.expr:
        """Where something is stored: the array keeps its name."""
        if not isinstance(target, ast.Subscript):
            return target
        inner, index = self.place(target.value, known), self.read(target.slice, known)
        same = inner is target.value and index is target.slice
        return target if same else replace(target, value=inner, slice=index)

    def forget(self, names: Iterable[str], known: Known) -> None:
        for v in names:
            known.pop(v, None)
            for user in self.users.get(v, ()):
                held = known.get(user)
                if held is not None and v in (_zeros_of(held), getattr(held, "id", "")):
                    del known[user]

    def learn(self, target: str, value: ast.expr, known: Known) -> None:
        if target in self.pinned:
            return
        match value:
            case ast.Name(id=source) if source != target and source not in self.pinned and not self.is_around(source):
                known[target] = value
                self.users.setdefault(source, set()).add(target)
            case ast.Call() if (
                (source := _zeros_of(value)) and source != target and not {source, target} & {*self.shared}
            ):
                known[target] = value
                self.users.setdefault(source, set()).add(target)
            case _ if is_literal(value) and not isinstance(value, ast.Tuple) and target not in self.compared:
                known[target] = value

    def is_around(self, v: str) -> bool:
        """Whether a name stands for something around the function that what it calls may bind anew."""
        return self.shared.get(v, "").startswith(AROUND)

    def statement(self, s: ast.stmt, known: Known) -> ast.stmt:
        match s:
            case ast.If(body=[ast.Break()]):
                return s
            case ast.If(test=test, body=then, orelse=other):
                test = test if isinstance(s, Attempt) else self.read(test, known)
                one, two = self.block(then, dict(known)), self.block(other, dict(known))
                self.forget(all_writes(s), known)
                return replace(s, test=test, body=one, orelse=other and two)
            case ast.For(iter=iter, body=inner):
                iter = self.read(iter, known)
                self.forget(all_writes(s), known)
                return replace(s, iter=iter, body=self.block(inner, dict(known)))
            case ast.While(test=test, body=inner):
                self.forget(all_writes(s), known)
                return replace(s, test=self.read(test, known), body=self.block(inner, dict(known)))
            case ast.Assign(targets=targets, value=value) if all(isinstance(t, (ast.Name, ast.Tuple)) for t in targets):
                new = self.read(value, known)
                self.forget(writes(s), known)
                if isinstance(targets[0], ast.Name) and len(targets) == 1:
                    self.learn(targets[0].id, new, known)
                return s if new is value else replace(s, value=new)
            case ast.Expr(value=value):
                new = self.read(value, known)
                return s if new is value else replace(s, value=new)
            case ast.AugAssign(value=value) if not isinstance(s.target, ast.Attribute):
                new, target = self.read(value, known), self.place(s.target, known)
                self.forget(writes(s), known)
                return s if new is value and target is s.target else replace(s, target=target, value=new)
            case ast.Assign(targets=[ast.Subscript() as old], value=value):
                new, target = self.read(value, known), self.place(old, known)
                return s if new is value and target is old else replace(s, targets=[target], value=new)
            case ast.Return(value=ast.expr() as value):
                return replace(s, value=self.read(value, known))
            case _:
                self.forget(writes(s), known)
                return s


def _zeros_of(e: ast.expr) -> str:
    """The variable of which an expression makes the zero gradient, or nothing."""
    match e:
        case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=v)], keywords=[]):
            return v if function.rstrip("_") == "init_grad" else ""
        case _:
            return ""
