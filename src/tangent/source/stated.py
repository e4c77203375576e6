"""Statements in which objects are something else, and what their methods do is written out before them."""

from __future__ import annotations

import ast
import types
from collections.abc import Set

from tangent.source.inlined import Body, CannotWriteOut, Node, Steps
from tangent.syntax.names import Names
from tangent.syntax.quote import assign, at, constant
from tangent.syntax.rebuild import rename, replace, with_blocks
from tangent.syntax.uses import assigned_inside
from tangent.syntax.walk import walk


class Stated:
    """Blocks, statement by statement; what becomes of expressions is for others to say."""

    names: Names

    def mentions(self, node: ast.AST) -> bool:
        """Whether an object is named somewhere."""
        raise NotImplementedError

    def is_work(self, n: ast.AST) -> bool:
        """Whether a node is something that is written out in statements."""
        raise NotImplementedError

    def plain(self, node: Node) -> Node:
        """An expression or statement without work."""
        raise NotImplementedError

    def written(self, x: ast.expr, s: ast.stmt) -> tuple[Body, ast.expr]:
        """What some work does, and what it gives; the latter is not made plain yet."""
        raise NotImplementedError

    def held(self, v: str, x: ast.expr, s: ast.stmt) -> Body:
        """`v = x`, for what is computed before some work."""
        return [assign(v, self.plain(x), s)]

    def iterated(self, e: ast.expr, s: ast.stmt) -> tuple[Body, ast.expr]:
        """What a loop runs over, and what is done before."""
        return self.expression(e, s)

    def setter(self, target: ast.expr) -> types.FunctionType | None:
        """The function of a property that an assignment calls."""
        raise NotImplementedError

    def called_with(self, setter: types.FunctionType, target: ast.Attribute, value: ast.expr, s: ast.stmt) -> Body:
        """What such a function does with a value."""
        raise NotImplementedError

    def works(self, node: ast.AST) -> bool:
        return any(map(self.is_work, walk(node)))

    def chosen(self, e: ast.expr) -> Set[ast.AST]:
        return {n for n in walk(e) if self.is_work(n)}

    def block(self, body: Body) -> Body:
        found = [new for s in body for new in self.statement(s)]
        return found or [at(ast.Pass(), body[0])] if body else []

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case ast.Assign(targets=[ast.Attribute() as target], value=value) if setter := self.setter(target):
                before, value = self.expression(value, s)
                return [*before, *self.called_with(setter, target, value, s)]
            case ast.AugAssign(target=ast.Attribute() as target) if self.setter(target):
                read, held = replace(target, ctx=ast.Load()), self.names.numbered("t")
                steps = [assign(held, read, s), replace(s, target=ast.Name(held, ast.Store()))]
                return [x for step in steps for x in self.statement(step)] + self.statement(
                    at(ast.Assign([target], ast.Name(held, ast.Load())), s)
                )
            case ast.Assign(targets=targets, value=value):
                before, value = self.expression(value, s)
                return [*before, replace(s, targets=[self.target(t) for t in targets], value=value)]
            case ast.AnnAssign(target=target, value=value):
                if value is None:
                    return [] if self.mentions(target) else [s]
                before, value = self.expression(value, s)
                return [*before, at(ast.Assign([self.target(target)], value), s)]
            case ast.AugAssign(target=target, value=value):
                before, value = self.expression(value, s)
                into = self.target(target)
                if not isinstance(target, ast.Name) and before and _changes(before, into):
                    raise CannotWriteOut  # what it was before is what is added to
                return [*before, replace(s, target=into, value=value)]
            case ast.Expr(value=value):
                before, value = self.expression(value, s)
                done = isinstance(value, (ast.Name, ast.Constant)) and bool(before)
                return before if done else [*before, replace(s, value=value)]
            case ast.Return(value=ast.expr() as value):
                before, value = self.expression(value, s)
                return [*before, replace(s, value=value)]
            case ast.If(test=ast.BoolOp(op=ast.And(), values=[first, *rest]), body=body, orelse=[]) if any(
                map(self.works, rest)
            ):
                other = rest[0] if len(rest) == 1 else ast.BoolOp(ast.And(), rest)
                return self.statement(replace(s, test=first, body=[replace(s, test=other, body=body)]))
            case ast.If(test=test, body=body, orelse=orelse):
                before, test = self.expression(test, s)
                return [*before, replace(s, test=test, body=self.block(body), orelse=self.block(orelse))]
            case ast.For(target=target, iter=iter, body=body, orelse=orelse):
                before, iter = self.iterated(iter, s)
                loop = replace(s, target=self.target(target), iter=iter, body=self.block(body))
                return [*before, replace(loop, orelse=self.block(orelse))]
            case ast.While(test=test, body=body, orelse=orelse) if not self.works(test):
                return [replace(s, test=self.plain(test), body=self.block(body), orelse=self.block(orelse))]
            case ast.While(test=test, body=body, orelse=[]):
                before, test = self.expression(test, s)
                leave = at(ast.If(ast.UnaryOp(ast.Not(), test), [at(ast.Break(), s)], []), s)
                always = ast.copy_location(constant(True), test)
                return [replace(s, test=always, body=[*before, leave, *self.block(body)])]
            case ast.Raise() | ast.Assert() if not self.works(s):
                return [self.plain(s)]
            case ast.Try():
                return [with_blocks(s, self.block)]
            case _ if self.mentions(s):
                raise CannotWriteOut
            case _:
                return [s]

    def target(self, t: ast.expr) -> ast.expr:
        if self.works(t):
            raise CannotWriteOut
        return self.plain(t)

    def expression(self, e: ast.expr, s: ast.stmt) -> tuple[Body, ast.expr]:
        """What is done before an expression, in the order of Python, and the expression."""
        if not self.works(e):
            return [], self.plain(e)
        steps = _Steps(self, s, self.chosen(e))
        result = self.plain(steps.expression(e))
        return _without_copies(steps.before, steps.copies, result)


class _Steps(Steps):
    def __init__(self, owner: Stated, s: ast.stmt, chosen: Set[ast.AST]) -> None:
        super().__init__(s, owner.names, chosen, lambda x: owner.written(x, s))
        self.owner = owner
        self.copies: list[ast.stmt] = []

    def held(self, x: ast.expr) -> ast.expr:
        v = self.names.numbered("t")
        found = self.owner.held(v, x, self.s)
        self.before += found
        self.copies += found
        return ast.Name(v, ast.Load())


def _without_copies(before: Body, copies: Body, result: ast.expr) -> tuple[Body, ast.expr]:
    """The statements without `t = x`, where nothing binds x anew as long as t is read."""
    bound = assigned_inside(before)
    same: dict[str, str] = {}
    for s in copies:
        match s:
            case ast.Assign(targets=[ast.Name(id=t)], value=ast.Name(id=x)) if x not in bound:
                same[t] = x
    left = [s for s in before if not (s in copies and isinstance(s, ast.Assign) and _target(s) in same)]
    return [rename(s, same) for s in left], rename(result, same)


def _target(s: ast.Assign) -> str:
    return s.targets[0].id if isinstance(s.targets[0], ast.Name) else ""


def _changes(before: Body, target: ast.expr) -> bool:
    """Whether some statements may change a place that is asked for before they run."""
    match target:
        case ast.Name(id=v):
            return v in assigned_inside(before)
        case ast.Subscript(value=ast.Name(id=v), slice=ast.Name() | ast.Constant() as index):
            bound = assigned_inside(before)
            moved = isinstance(index, ast.Name) and index.id in bound
            stored = any(
                isinstance(n, ast.Name) and n.id == v
                for s in before
                for x in walk(s)
                if isinstance(x, (ast.Subscript, ast.Attribute)) and (isinstance(x, ast.Attribute) or not _is_load(x))
                for n in walk(x.value)
            )
            return moved or stored or v in bound
        case _:
            return True


def _is_load(x: ast.Subscript) -> bool:
    return isinstance(x.ctx, ast.Load)
