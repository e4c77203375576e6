"""Stores into arrays: the tangent is stored beside the value."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

from tangent.analysis.operation import Operation
from tangent.syntax.cells import place_in
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rename, replace
from tangent.transform.forward.frame import Frame


class InPlace(Frame):
    """Tangents of what is written in place."""

    def store(self, s: ast.stmt, op: Operation) -> list[ast.stmt]:
        """`a[i] = v` beside `da[i] = dv`, and likewise for operators in place."""
        a, value = op.targets[0], op.values["value"]
        if a not in self.shadowed:
            return [s]
        tangent = self.tangent_of(value) if isinstance(value, ast.Name) and value.id in self.active else constant(0.0)
        names = {a: self.tangent(a)}
        if op.why == "del":
            return [s, rename(s, names)]
        if op.why == "back":
            assert isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)
            return [s, replace(s, value=replace(s.value, args=[name(names[a]), s.value.args[1], tangent]))]
        if op.kind == "store":
            return [s, replace_value(rename_target(s, names), tangent)]
        index = op.values.get("index")
        place: ast.expr = name(a) if index is None else place_in(name(a), index)
        d: Any = rename(place, names)
        target = replace(d, ctx=ast.Store())
        active = not (isinstance(tangent, ast.Constant) and tangent.value == 0.0)
        kind = op.why
        if kind.startswith("into "):
            assert isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)
            beside = replace(s.value, args=[rename(s.value.args[0], names), tangent])
            return [s, at(ast.Expr(beside), s)] if active else [s]
        if kind.startswith("at "):
            assert isinstance(s, ast.Expr) and isinstance(s.value, ast.Call)
            args = [name(self.tangent(a)), s.value.args[1], tangent]
            return [s, at(ast.Expr(replace(s.value, args=args)), s)] if active else [s]
        if kind in ("Add", "Sub"):
            operator = ast.Add() if kind == "Add" else ast.Sub()
            return [s, at(ast.AugAssign(target, operator, tangent), s)] if active else [s]
        scale = at(ast.AugAssign(target, ast.Mult() if kind == "Mult" else ast.Div(), value), s)
        if not active:
            return [scale, s]
        if kind == "Mult":
            more = expression("p * d", p=place, d=tangent)
            held = self.scribe.names.numbered("dt")
            return [assign(held, more, s), scale, at(ast.AugAssign(target, ast.Add(), name(held)), s), s]
        more = expression("p * d / (v * v)", p=place, d=tangent, v=value)
        held = self.scribe.names.numbered("dt")
        return [assign(held, more, s), scale, at(ast.AugAssign(target, ast.Sub(), name(held)), s), s]

    def fresh(self, done: list[ast.stmt], op: Operation, v: str) -> list[ast.stmt]:
        """The tangent of something that is written later: an array of its own, laid out like the value.

        That of a call's result may be the tangent of an argument, and is copied.
        """
        if op.kind in ("call", "dynamic") and v in self.active and isinstance(_target(done[-1]), ast.Tuple):
            return self.held_beside(done, op, v)

        def laid_out(value: ast.expr, x: str) -> ast.expr:
            return self.scribe.call("beside", name(x), *([] if is_zero(value) else [value]))

        return self.given_otherwise(done, v, laid_out)

    def apart(self, done: list[ast.stmt], op: Operation, v: str) -> list[ast.stmt]:
        """The tangent of something new: a copy, where it may be a tangent that is written in place later."""
        if op.kind in ("call", "dynamic"):
            shared = any(x in self.table.classes for x in op.operands)
            return self.held_beside(done, op, v) if shared else done

        def copied(value: ast.expr, x: str) -> ast.expr:
            return self.scribe.call("content", value) if self.may_be_shared(value) else value

        return self.given_otherwise(done, v, copied)

    def given_otherwise(
        self, done: list[ast.stmt], v: str, new: Callable[[ast.expr, str], ast.expr]
    ) -> list[ast.stmt]:  # fmt: skip
        """The statements with another tangent for a variable, made of it and of the name that the value has by then:
        that of `x = x + v` is computed before x is bound anew."""
        x = v
        for i, s in reversed(list(enumerate(done))):
            match s:
                case ast.Assign(targets=[ast.Name(id=target)], value=ast.Name(id=between)) if target == v:
                    x = between
                case ast.Assign(targets=[ast.Name(id=target)], value=value) if target == self.tangent(v):
                    return [*done[:i], replace(s, value=new(value, x)), *done[i + 1 :]]
        return done

    def beside_bases(self, done: list[ast.stmt], op: Operation) -> list[ast.stmt]:
        """The tangent of what a call gives that may be a part of something, or new: that of what is new is a copy."""
        if op.kind not in ("call", "dynamic") or not self.flows(op):
            return done
        shows = op.kind == "call" and self.derivatives.origins(op.callee) == {"part"}
        return done if shows else self.held_beside(done, op, op.targets[0], new=False)

    def held_beside(self, done: list[ast.stmt], op: Operation, v: str, new: bool = True) -> list[ast.stmt]:
        """The tangent of what a call gives, apart from what the call was given, unless the value is part of that.

        Where it is one thing and new, that is a copy. What a forward pass keeps of its arguments changes with them.
        """
        s, d = done[-1], self.tangent(v)
        if new and op.kind == "call" and self.derivatives.origins(op.callee) == {"new"}:
            return [*done, assign(d, self.scribe.call("content", name(d)), s)]
        given = {x: (x, self.tangent(x)) for x in op.operands if x in self.active}
        before: list[ast.stmt] = []
        if v in given:  # the call binds it anew
            given[v] = self.scribe.names.numbered("t"), self.scribe.names.numbered("dt")
            before = [assign(given[v][0], name(v), s), assign(given[v][1], name(d), s)]
        others, tangents = (ast.Tuple([name(x) for x in names], ast.Load()) for names in zip(*given.values()))
        held = self.scribe.call("content_beside", name(d), name(v), others, tangents)
        return [*before, *done, assign(d, held, s)]

    def may_be_shared(self, e: ast.expr) -> bool:
        """Whether a tangent may be that of something written in place itself, not computed from it."""
        match e:
            case ast.Name(id=d):
                return any(self.tangent(v) == d for v in self.table.classes if v in self.active)
            case ast.Call(func=ast.Name(id=function), args=args) if function.rstrip("_0123456789") in GIVING:
                return any(self.may_be_shared(a) for a in args)
            case _:
                return False


GIVING = frozenset("broadcast_like cast_tangent add_grad unbroadcast refit as_given".split())


def _target(s: ast.stmt) -> ast.expr | None:
    return s.targets[0] if isinstance(s, ast.Assign) else None


def is_zero(e: ast.expr) -> bool:
    match e:
        case ast.Constant(value=0.0):
            return True
        case ast.Call(func=ast.Name(id=function)):
            return function.rstrip("_") == "init_grad"
        case _:
            return False


def rename_target(s: ast.stmt, names: dict[str, str]) -> ast.Assign:
    """A store into something else."""
    assert isinstance(s, ast.Assign)
    match s.targets[0]:
        case ast.Subscript(value=ast.Subscript(value=ast.Name(id=v)) as row) as place:
            return replace(s, targets=[replace(place, value=replace(row, value=name(names.get(v, v))))])
        case ast.Subscript(value=ast.Name(id=v)) | ast.Attribute(value=ast.Name(id=v)) as place:
            return replace(s, targets=[replace(place, value=name(names.get(v, v)))])
        case _:
            raise AssertionError("not a store")


def replace_value(s: ast.Assign, value: ast.expr) -> ast.stmt:
    return replace(s, value=value)
