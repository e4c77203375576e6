"""What an object receives from several of its attributes is put together at once.

bn = put_attribute(bt, n, "left")                              bt2 = 2.0 * b
bt2 = 2.0 * b                                        ->        bn = put_each(n, left=bt, v=bt2)
bn = add_grad(bn, put_attribute(bt2, n, "v"))
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

from tangent import runtime
from tangent.optimise.context import Body
from tangent.syntax.quote import name
from tangent.syntax.rebuild import NESTED, all_writes, replace, statements, with_blocks
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.syntax.walk import ENDS

Resolve = Callable[[ast.expr], Any]
Use = Callable[[Any, str], str]


def at_once(body: Body, resolve: Resolve, use: Use) -> Body:
    return _AtOnce(resolve, use).block(body)


@dataclass(frozen=True)
class _Sum:
    """What an object receives from attributes, beside what a variable holds if it is added to that."""

    owner: str
    parts: dict[str, ast.expr]
    added_to: str = ""


class _AtOnce:
    def __init__(self, resolve: Resolve, use: Use) -> None:
        self.resolve, self.use = resolve, use

    def block(self, body: Body) -> Body:
        done: Body = []
        for s in body:
            if isinstance(s, NESTED):
                s = with_blocks(s, self.block)
            done.append(self.statement(s, done))
        return done

    def statement(self, s: ast.stmt, done: Body) -> ast.stmt:
        if not isinstance(s, ast.Assign) or not isinstance(s.targets[0], ast.Name):
            return s
        found = self.sum_of(s.value)
        if found is not None and found.added_to and writes(s) == (found.added_to,):
            found = self.begun_before(done, found) or found
        return s if found is None or found.added_to else self.written(s, found)

    def begun_before(self, done: Body, later: _Sum) -> _Sum | None:
        """The whole sum, where a statement before begins it, which is then taken away."""
        b = later.added_to
        at = next((i for i in reversed(range(len(done))) if _mentions(done[i], b)), None)
        if at is None or not isinstance(begun := done[at], ast.Assign) or writes(begun) != (b,):
            return None
        first = self.sum_of(begun.value)
        if first is None or first.added_to or first.owner != later.owner:
            return None
        between = done[at + 1 :]
        read = {first.owner}.union(*map(expression_reads, first.parts.values()))
        stays = all(map(self.may_wait, first.parts.values())) and read.isdisjoint(_written(between))
        if between and not stays:
            return None
        del done[at]
        return self.joined(first, _Sum(later.owner, later.parts))

    def sum_of(self, e: ast.expr) -> _Sum | None:
        match e:
            case ast.Call(func=func, args=[value, ast.Name(id=p), ast.Constant(value=str(attr))], keywords=[]):
                return _Sum(p, {attr: value}) if self.resolve(func) is runtime.put_attribute else None
            case ast.Call(func=func, args=[ast.Name(id=p)], keywords=keywords) if (
                keywords and self.resolve(func) is runtime.put_each
            ):
                return _Sum(p, {k.arg: k.value for k in keywords if k.arg is not None})
            case ast.Call(func=func, args=[ast.Name(id=b), more], keywords=[]) if self.is_added(func):
                found = self.sum_of(more)
                return None if found is None or found.added_to else _Sum(found.owner, found.parts, b)
            case ast.Call(func=func, args=[first, more], keywords=[]) if self.is_added(func):
                return self.joined(self.sum_of(first), self.sum_of(more))
            case _:
                return None

    def joined(self, a: _Sum | None, b: _Sum | None) -> _Sum | None:
        if a is None or b is None or b.added_to or a.owner != b.owner:
            return None
        add = name(self.use(runtime.add_grad, "add_grad"))
        twice: dict[str, ast.expr] = {k: ast.Call(add, [a.parts[k], e], []) for k, e in b.parts.items() if k in a.parts}
        return _Sum(a.owner, {**a.parts, **b.parts, **twice}, a.added_to)

    def may_wait(self, e: ast.expr) -> bool:
        """Whether an expression is a variable, or a sum of such."""
        if isinstance(e, ast.Call) and self.is_added(e.func):
            return all(map(self.may_wait, e.args))
        return type(e) in ENDS

    def is_added(self, func: ast.expr) -> bool:
        return self.resolve(func) is runtime.add_grad

    def written(self, s: ast.Assign, found: _Sum) -> ast.stmt:
        owner, parts = name(found.owner), found.parts
        if len(parts) > 1:
            each = [ast.keyword(attr, e) for attr, e in parts.items()]
            return replace(s, value=ast.Call(name(self.use(runtime.put_each, "put_each")), [owner], each))
        ((attr, e),) = parts.items()
        put = name(self.use(runtime.put_attribute, "put_attribute"))
        return replace(s, value=ast.Call(put, [e, owner, ast.Constant(attr)], []))


def _mentions(s: ast.stmt, v: str) -> bool:
    return any(v in header_reads(x) or v in writes(x) for x in statements([s]))


def _written(body: Body) -> set[str]:
    return {v for s in body for v in all_writes(s)}
