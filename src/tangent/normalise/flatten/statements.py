"""Statements with their blocks, conditions and iterables."""

from __future__ import annotations

import ast

from tangent.normalise.flatten.expressions import is_arithmetic
from tangent.normalise.flatten.stores import Stores
from tangent.syntax.blocks import Attempt, Enter
from tangent.syntax.core import is_atom, is_path, is_range
from tangent.syntax.quote import assign, at, name
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import assigned_inside
from tangent.syntax.walk import walk


class Statements(Stores):
    """Emits the statements of a function, one operation each."""

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        outer = self.emitted
        self.emitted = []
        for s in body:
            self.like = s
            self.rebound = self.rebound_by(s) if self.context.lifted else frozenset()
            self.statement(s)
        done, self.emitted = self.emitted, outer
        return done

    def rebound_by(self, s: ast.stmt) -> frozenset[str]:
        """Variables that a statement rebinds by calls of nested functions: what they were gets names of its own."""
        called = {n.id for n in walk(s) if isinstance(n, ast.Name)} & set(self.context.lifted)
        return frozenset(v for g in called for v in self.context.lifted[g].rebound)

    def statement(self, s: ast.stmt) -> None:
        match s:
            case ast.If(body=[ast.Break()]):
                self.emit(s)
            case Attempt(body=body, orelse=orelse):
                self.emit(replace(s, body=self.block(body), orelse=self.block(orelse)))
            case ast.If(test=test, body=body, orelse=orelse) if self.asks_for_caught(test, s):
                self.emit(replace(s, body=self.block(body), orelse=self.block(orelse)))
            case Enter(value=ast.expr() as value):
                self.emit(replace(s, value=value if is_path(value) else self.operation(value)))
            case ast.Pass():
                return
            case ast.If(test=test, body=body, orelse=orelse):
                blocks = [*body, *orelse]
                kept = isinstance(test, ast.Constant) or (
                    isinstance(test, ast.Name) and not _assigns(s, test.id) and not self.may_turn(test, blocks)
                )
                branch = test if kept else name(self.condition(test, blocks))
                self.emit(replace(s, test=branch, body=self.block(body), orelse=self.block(orelse)))
            case ast.While(test=test, body=body) if self.opens(test) or self.calls_writer(test):
                self.tested_loop(s)
            case ast.While(body=body):
                self.emit(replace(s, body=self.block(body)))
            case ast.For(iter=iter, body=body):
                flat = self.iterable(iter)
                self.emit(replace(s, iter=flat, body=self.block(body)))
            case ast.Assign():
                self.assignment(s)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="append"), args=[item]) as call) if (
                not call.keywords and not is_atom(item)
            ):
                self.emit(replace(s, value=replace(call, args=[self.atom(item)])))
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="pop"), args=[], keywords=[]) as call
            ):
                self.emit(assign(self.context.names.numbered("dropped"), call, s))
            case ast.AugAssign(target=ast.Subscript() | ast.Attribute() as target):
                self.augment(s, target)
            case ast.Expr(value=ast.Call() as call):
                self.effect(s, call)
            case ast.Delete(targets=targets):
                for t in targets:
                    match t:
                        case ast.Subscript(value=value) | ast.Attribute(value=value):
                            self.emit(replace(s, targets=[replace(t, value=self.atom(value))]))
                        case _:
                            self.emit(replace(s, targets=[t]))
            case _:
                self.emit(s)

    def asks_for_caught(self, test: ast.expr, s: ast.If) -> bool:
        match test:
            case ast.Compare(left=ast.Name(id=v), ops=[ast.Is() | ast.IsNot()]):
                return v in self.context.caught and not _assigns(s, v)
            case _:
                return False

    def iterable(self, e: ast.expr) -> ast.expr:
        """The arguments of a range become atoms or lengths; other iterables stay whole."""
        match e:
            case ast.Call() if is_range(e):
                return replace(e, args=[self.bound(a) for a in e.args])
            case _:
                return e

    def bound(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=identifier), args=args) if (
                identifier.rstrip("_") in ("range", "len", "min") and not e.keywords
            ):
                return replace(e, args=[self.bound(a) for a in args])
            case _ if is_arithmetic(e):
                return e
            case _:
                return self.atom(e)

    def tested_loop(self, s: ast.While) -> None:
        """`while f(): ...` as a loop over a variable that is computed again at its end."""
        flag = self.condition(s.test, [])
        body = self.block(s.body)
        again = self.branch(flag, s.test)
        match body:
            case [*start, ast.If(test=stop, body=[ast.Break()]) as last]:
                body = [*start, at(ast.If(stop, [], again), s), last]
            case _:
                body = [*body, *again]
        self.emit(replace(s, test=name(flag), body=body))


def _assigns(s: ast.If, v: str) -> bool:
    """Whether a branch changes the variable that it tests: then the test needs a name that lasts."""
    return v in assigned_inside([*s.body, *s.orelse])
