"""Attempts in parts: each one assigns what can be seen after an exception at its end."""

from __future__ import annotations

import ast

from tangent.normalise.context import Context
from tangent.syntax.blocks import MARKS, Attempt
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.transform.attempts.failing import Body, asking_may_raise, changed, lists_made, may_raise


class Split:
    """Takes the attempts of a function apart, by what of each can be seen."""

    def __init__(self, context: Context, visible: dict[Attempt, set[str]]) -> None:
        self.context, self.visible = context, visible
        self.made: set[str] = set()

    def block(self, body: Body) -> Body:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case Attempt(body=body):
                names = self.visible[s]
                self.made |= lists_made(body)
                new = replace(s, body=self.block(body))
                return self.parts(new, names) if not self.is_whole(new.body, names) else [new]
            case ast.If(body=[ast.Break()]):
                return [s]
            case ast.If(body=then, orelse=other):
                return [replace(s, body=self.block(then), orelse=self.block(other))]
            case ast.For(body=inner) | ast.While(body=inner):
                return [replace(s, body=self.block(inner))]
            case _:
                return [s]

    def parts(self, s: Attempt, names: set[str]) -> Body:
        caught = next(iter(expression_reads(s.test)))
        return self.sequence(s.body, names, s, caught)

    def sequence(self, body: Body, names: set[str], s: Attempt, caught: str) -> Body:
        """The first part; if it went well the others, if not what was caught. What cannot raise is not attempted."""
        if quiet := _quiet(body):
            return [*body[:quiet], *(self.sequence(body[quiet:], names, s, caught) if body[quiet:] else [])]
        first, rest = self.cut(self.asked(body, names), names, s)
        if isinstance(first, ast.stmt):  # a branch or a loop, attempted from the inside
            opened = self.opened(first, names, s, caught)
            if not rest:
                return [opened]
            before = self.context.names.numbered("part")  # what is caught may change inside
            others = self.sequence(rest, names, s, caught)
            go_on = at(ast.If(expression("c is None", c=before), others, []), rest[0])
            return [opened, assign(before, name(caught), rest[0]), go_on]
        part = self.context.names.numbered("part")
        checks = [x for x in s.orelse[:-1] if not _is_push(x)]
        counted, first = _counted(first, {v for x in checks for v in header_reads(x)})
        store = replace(s.orelse[-1], targets=[ast.Name(part, ast.Store())])
        handler = [*checks, store]
        attempt = at(Attempt(test=expression("c is None", c=part), body=first, orelse=handler, types=s.types), first[0])
        start = [*counted, assign(part, constant(None), first[0])]
        failed = [*filter(_is_push, s.orelse[:-1]), assign(caught, name(part), first[0])]
        if not rest:
            last = (
                failed if len(failed) == 1 else [at(ast.If(expression("c is not None", c=part), failed, []), first[0])]
            )
            return [*start, attempt, *last]
        others = self.sequence(rest, names, s, caught)
        after = at(ast.If(expression("c is None", c=part), others, failed), first[0])
        return [*start, attempt, after]

    def cut(self, body: Body, names: set[str], s: Attempt) -> tuple[Body | ast.stmt, Body]:
        """What runs up to the first assignment of one of the names, or a compound statement with such; and the rest."""
        for position, x in enumerate(body):
            inside = changed([x], self.context, self.made) & names
            if position and _quiet(body[position:]):
                return body[:position], body[position:]
            if isinstance(x, MARKS):
                raise self.refusal(x, "a block with 'with' or 'finally' inside 'try'", s)
            if not inside:
                continue
            compound = isinstance(x, (ast.If, ast.For, ast.While)) and not isinstance(x, Attempt)
            if compound and position:
                return body[:position], body[position:]
            if compound:
                return x, body[1:]
            end = position + 1
            while end < len(body) and not may_raise(body[end]) and not _quiet(body[end:]):
                end += 1
            return body[:end], body[end:]
        return body, []

    def asked(self, body: Body, names: set[str]) -> Body:
        """The block where loops that assign one of the names ask for what may raise in statements of their own.

        while f(x) < 1.0:          go = f(x) < 1.0
            x = x * 2.0      ->    while go:
                                       x = x * 2.0
                                       go = f(x) < 1.0
        """
        done: Body = []
        for x in body:
            if isinstance(x, ast.While) and asking_may_raise(x.test) and changed([x], self.context, self.made) & names:
                go = self.context.names.numbered("go")
                ask = assign(go, x.test, x)
                *inner, last = x.body
                again = [*x.body, ask]
                if isinstance(last, ast.If) and _leaves(last):  # then it is not asked
                    again = [*inner, at(ast.If(ast.UnaryOp(ast.Not(), last.test), [ask], []), last), last]
                done += [ask, replace(x, test=name(go), body=again)]
            else:
                done.append(x)
        return done

    def opened(self, x: ast.stmt, names: set[str], s: Attempt, caught: str) -> ast.stmt:
        match x:
            case ast.If(body=then, orelse=other):
                sides = [self.sequence(b, names, s, caught) if b else [] for b in (then, other)]
                return replace(x, body=sides[0], orelse=sides[1])
            case ast.For(body=inner) | ast.While(body=inner):
                *rest, last = inner
                leaves = _leaves(last)
                test: ast.expr = expression("c is not None", c=caught)
                if leaves and isinstance(last, ast.If):
                    test = ast.BoolOp(ast.Or(), [test, last.test])
                body = self.sequence(rest if leaves else inner, names, s, caught)
                return replace(x, body=[*body, at(ast.If(test, [at(ast.Break(), last)], []), last)])
            case _:
                raise AssertionError("not a compound statement")

    def is_whole(self, body: Body, names: set[str]) -> bool:
        """Whether nothing may raise after one of the names was assigned."""
        for position, s in enumerate(body):
            if not (changed([s], self.context, self.made) & names):
                continue
            if any(map(may_raise, body[position + 1 :])):
                return False
            match s:
                case Attempt():
                    continue
                case ast.If(body=then, orelse=other):
                    if not (self.is_whole(then, names) and self.is_whole(other, names)):
                        return False
                case ast.For() | ast.While():
                    if may_raise(s):
                        return False
        return True

    def refusal(self, x: ast.stmt, what: str, s: Attempt) -> Exception:
        return self.context.refuse(
            x, what, "what it has assigned is read after an exception", "Move it into a function of its own."
        )


def _quiet(body: Body) -> int:
    """How many statements up to an attempt that catches everything, and with it, cannot raise."""
    for i, s in enumerate(body):
        if may_raise(s):
            return 0
        if isinstance(s, Attempt):
            return i + 1
    return 0


def _leaves(s: ast.stmt) -> bool:
    """Whether a statement is the one that ends a loop."""
    match s:
        case ast.If(body=[ast.Break()]):
            return True
        case _:
            return False


def _is_push(s: ast.stmt) -> bool:
    """Whether a handler keeps what it is about to overwrite."""
    match s:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="append"))):
            return True
        case _:
            return False


def _counted(body: Body, asked: set[str]) -> tuple[Body, Body]:
    """What a part begins with that its handler asks for, which is counted before; and what is attempted."""
    end = 0
    while end < len(body) - 1 and isinstance(body[end], ast.Assign) and {*writes(body[end])} <= asked:
        end += 1
    return body[:end], body[end:]
