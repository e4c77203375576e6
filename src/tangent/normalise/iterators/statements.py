"""Statements over iterators: loops call what an iterator calls item by item, as Python does."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from tangent.normalise.iterators.expressions import Expressions, Reading
from tangent.normalise.iterators.known import any_starred, kind
from tangent.normalise.jumps import leaves_loop
from tangent.source.resolve import MISSING
from tangent.syntax.quote import assign, expression, name
from tangent.syntax.rebuild import replace, with_blocks


class Statements(Expressions):
    """Rewrites the statements of a function."""

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.FunctionDef() | ast.AsyncFunctionDef() | ast.ClassDef():
                return [s]
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call() as value) if v in self.waiting:
                return self.hold(v, value, s)
            case ast.For():
                return self.loop(s)
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="sort") as method, args=[]) as e
            ) if self.context.overloads("__lt__") and self.context.scope.lookup(v) is MISSING:
                made = ast.Call(name(self.context.builtin("sorted")), [method.value], e.keywords)
                place = ast.Subscript(method.value, ast.Slice(), ast.Store())
                return [self.inside(_assign_to(place, ast.copy_location(made, e), s))]
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value):
                return [replace(s, value=self.items(self.read(value, "list")))]
            case ast.Assign(targets=[ast.Subscript(slice=ast.Slice())], value=value) if (
                not self.context.overloads("__setitem__")
            ):
                return [replace(s, value=self.items(self.read(value, "list")))]
        return [self.inside(with_blocks(s, self.block))]

    def inside(self, s: ast.stmt) -> ast.stmt:
        """The statement with its own expressions rewritten; its blocks are done."""
        changes: dict[str, Any] = {}
        for field, old in ast.iter_fields(s):
            if field in ("targets", "target"):
                continue
            if isinstance(old, ast.expr):
                new = self.read(old)
                if new is not old:
                    changes[field] = new
            elif isinstance(old, list) and old and isinstance(old[0], ast.withitem):
                changes[field] = [replace(i, context_expr=self.read(i.context_expr)) for i in old]
        return replace(s, **changes) if changes else s

    def loop(self, s: ast.For) -> list[ast.stmt]:
        """Loops over `map` and `filter` call the function item by item, as Python does."""
        inner = replace(s, body=self.block(s.body), orelse=self.block(s.orelse))
        whole = self.read_whole(s)
        if (opened := self.elements(inner)) is not None:
            return opened
        match kind(s.iter, self.context), s.iter:
            case "map", ast.Call(args=[function, items]):
                held, before = self.held(function, "function", s)
                item = self.context.names.numbered("item")
                first = _assign_to(s.target, self.applied(held, [name(item)]), s)
                new = replace(inner, target=ast.Name(item, ast.Store()), iter=items, body=[first, *inner.body])
                return [*before, *self.loop_again(new)]
            case "filter", ast.Call(args=[function, items]) if isinstance(s.target, ast.Name):
                held, before = self.held(function, "function", s)
                test = self.kept(held, name(s.target.id))
                body: list[ast.stmt] = [ast.copy_location(ast.If(test, inner.body, []), s)]
                return [*before, *self.loop_again(replace(inner, iter=items, body=body))]
            case "zip" | "enumerate" | "reversed", ast.Call(args=args) if not any_starred(args):
                return [replace(inner, iter=replace(s.iter, args=[self.by_index(a, whole) for a in args]))]
            case "view", _:
                return [inner]
        return [replace(inner, iter=self.read(s.iter, whole))]

    def read_whole(self, s: ast.For) -> Reading:
        """How a loop reads its iterable: to the end, and without changing what the iterable reads."""
        if self.turns.reads_first(s.iter):
            return "list"
        return "" if leaves_loop(s) or self.turns.taken(s.iter, s.target, s.body) else "each"

    def elements(self, s: ast.For) -> list[ast.stmt] | None:
        """`for i, v in np.ndenumerate(x)` runs over the indices."""
        match s:
            case ast.For(target=ast.Tuple(elts=[index, item]), iter=ast.Call(func=func, args=[array], keywords=[])) if (
                self.context.scope.resolve(func) is np.ndenumerate
            ):
                held, place = self.context.names.numbered("array"), self.context.names.numbered("index")
                module = func.value if isinstance(func, ast.Attribute) else name(self.context.use("np", np))
                first = [_assign_to(index, name(place), s), _assign_to(item, expression("x[i]", x=held, i=place), s)]
                indices = expression("np.ndindex(np.shape(x))", np=module, x=held)
                loop = replace(s, target=ast.Name(place, ast.Store()), iter=indices, body=[*first, *s.body])
                return [assign(held, self.read(array), s), loop]
            case _:
                return None

    def loop_again(self, s: ast.For) -> list[ast.stmt]:
        """A loop over what `map` or `filter` ran over: another one of them is opened in turn."""
        if kind(s.iter, self.context) not in ("map", "filter"):
            return [replace(s, iter=self.read(s.iter, self.read_whole(s)))]
        if not self.read_whole(s):
            return [s]
        *before, last = self.loop(replace(s, body=[], orelse=[]))
        assert isinstance(last, ast.For)
        return [*before, _with_tail(last, s.body, s.orelse)]

    def held(self, e: ast.expr, base: str, s: ast.stmt) -> tuple[ast.expr, list[ast.stmt]]:
        """A function that is evaluated once, before the loop; names, lambdas and paths need no other name."""
        if isinstance(e, (ast.Name, ast.Lambda, ast.Constant)) or self.context.scope.resolve(e) is not MISSING:
            return e, []
        held = self.context.names.numbered(base)
        return name(held), [assign(held, self.read(e), s)]

    def hold(self, v: str, e: ast.Call, s: ast.stmt) -> list[ast.stmt]:
        """The arguments of an iterator that is read later, once, are evaluated where it is made."""
        before: list[ast.stmt] = []

        def part(a: ast.expr) -> ast.expr:
            if isinstance(a, (ast.Lambda, ast.Constant)) or self.context.scope.resolve(a) is not MISSING:
                return a
            if isinstance(a, ast.Name) and self.is_waiting(a.id):
                return self.waiting[a.id] or a  # an iterator that this one asks for its items
            if isinstance(a, ast.Call) and self.is_iterator(a):
                return parts(a)
            held = self.context.names.numbered(f"{v}_part")
            before.append(assign(held, self.read(a), s))
            return name(held)

        def parts(e: ast.Call) -> ast.Call:
            named = [replace(k, value=part(k.value)) for k in e.keywords]
            return replace(e, args=[part(a) for a in e.args], keywords=named)

        self.waiting[v] = parts(e)
        return before


def _with_tail(loop: ast.For, body: list[ast.stmt], orelse: list[ast.stmt]) -> ast.For:
    """The loop with a body at the innermost place of what was opened."""
    match loop.body:
        case [*first, ast.If(body=[]) as test]:
            return replace(loop, body=[*first, replace(test, body=body)], orelse=orelse)
        case first:
            return replace(loop, body=[*first, *body], orelse=orelse)


def _assign_to(target: ast.expr, value: ast.expr, like: ast.stmt) -> ast.stmt:
    return ast.copy_location(ast.Assign([target], value), like)
