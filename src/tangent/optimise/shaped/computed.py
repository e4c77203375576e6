"""Expressions that only compute, from values that nothing writes into: they may be computed once for several uses."""

from __future__ import annotations

import ast
import math
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from functools import cached_property
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.context import Body
from tangent.optimise.held import holds
from tangent.optimise.shaped.kinds import Kind, Number
from tangent.syntax.names import Names
from tangent.syntax.rebuild import mentions, replace
from tangent.syntax.uses import expression_reads, writes
from tangent.syntax.walk import walk

FUNCTIONS = (
    np.dot, np.outer, np.sum, np.mean, np.max, np.min, np.where, runtime.ratio, runtime.share, runtime.winners,
    runtime.where_nonzero,
)  # fmt: skip
VIEWS = frozenset({"T", "real"})


@dataclass(frozen=True)
class Values:
    """What is known about the values of a function."""

    of: Callable[[ast.expr], Kind]
    resolve: Callable[[ast.expr], Any]
    parameters: frozenset[str]
    local: frozenset[str]
    written: frozenset[str]  # what stands for memory that something writes into
    names: Names
    body: Body
    free: dict[str, bool] = field(default_factory=dict)

    @cached_property
    def mentions(self) -> dict[str, Body]:
        return mentions(self.body)

    def is_number(self, e: ast.expr) -> bool:
        kind = self.of(e)
        return isinstance(kind, Number) and not kind.rank

    def is_free(self, v: str) -> bool:
        """Whether a variable may stand for the same array as another: nothing changes it, and nothing holds it."""
        if v not in self.free:
            mentioned = self.mentions.get(v, [])
            alone = v not in self.written and not any(holds(s, v, self.resolve) for s in mentioned)
            once = sum(v in writes(s) for s in mentioned) == 1
            self.free[v] = alone or (once and self.is_number(ast.Name(v, ast.Load())))
        return self.free[v]

    def computes(self, e: ast.expr) -> bool:
        """Whether an expression is one operation that gives a new value."""
        match e:
            case ast.BinOp() | ast.UnaryOp(op=ast.USub()):
                return True
            case ast.Call(func=ast.Attribute(value=inner, attr="sum"), args=[]) if self.is_value(inner):
                return True
            case ast.Call(func=func) if not any(k.arg == "out" for k in e.keywords):
                found = self.resolve(func)
                return isinstance(found, np.ufunc) or found in FUNCTIONS or getattr(math, _name(found), None) is found
            case _:
                return False

    def is_plain(self, e: ast.expr) -> bool:
        """Whether an expression reads nothing but values of this function that stay as they are."""
        match e:
            case ast.Constant():
                return True
            case ast.Name(id=v):
                return v in self.local and v not in self.written
            case ast.BinOp(left=left, right=right):
                return self.is_plain(left) and self.is_plain(right)
            case ast.UnaryOp(op=ast.USub(), operand=inner):
                return self.is_plain(inner)
            case ast.Subscript(value=value, slice=index):
                return self.is_plain(value) and all(self.is_plain(p) for p in _parts(index))
            case ast.Attribute(value=ast.Name() as inner, attr=attr) if attr in VIEWS:
                return self.is_plain(inner) and self.is_value(inner)
            case ast.Call(func=func, args=args, keywords=keywords) if self.computes(e):
                owner = [func.value] if isinstance(func, ast.Attribute) and self.is_value(func.value) else []
                return all(self.is_plain(x) for x in (*owner, *args, *(k.value for k in keywords)))
            case ast.Tuple(elts=elts):
                return all(self.is_plain(x) for x in elts)
            case _:
                return False

    def is_value(self, e: ast.expr) -> bool:
        return isinstance(self.of(e), Number)

    def operands(self, s: ast.stmt) -> Iterator[ast.expr]:
        """The operations in a statement whose values go into other operations, or into a variable."""
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value):
                yield from self._inside(value, self.is_free(v))
            case ast.AugAssign(value=value):
                yield from self._inside(value, True)
            case ast.Assign(value=value) | ast.Expr(value=value) | ast.Return(value=ast.expr() as value):
                yield from self._inside(value, False)
            case ast.If(test=e) | ast.For(iter=e):
                yield from self._inside(e, False)

    def _inside(self, e: ast.expr, free: bool) -> Iterator[ast.expr]:
        if self.computes(e):
            if free and self.is_plain(e) and expression_reads(e):
                yield e
            for x in _operands(e):
                yield from self._inside(x, True)
        elif isinstance(e, (ast.Subscript, ast.Attribute, ast.Starred)):
            yield from self._inside(e.value, free)
        elif isinstance(e, ast.Compare):
            for x in (e.left, *e.comparators):
                yield from self._inside(x, True)
        elif isinstance(e, (ast.Call, ast.Tuple, ast.List)):
            items = [*e.args, *(k.value for k in e.keywords)] if isinstance(e, ast.Call) else e.elts
            for x in items:
                yield from self._inside(x, False)


def text(e: ast.expr) -> str:
    """What tells equal expressions from others."""
    known: str | None = e.__dict__.get("_text")
    if known is None:
        known = e.__dict__["_text"] = ast.dump(e)
    return known


def with_name(s: ast.stmt, e: ast.expr, v: str) -> ast.stmt:
    """A statement that reads a variable instead of computing an expression."""
    match s:
        case ast.If(test=inner):
            return replace(s, test=_replaced(inner, text(e), v))
        case ast.For(iter=inner):
            return replace(s, iter=_replaced(inner, text(e), v))
        case ast.Assign(value=inner) | ast.AugAssign(value=inner) | ast.Expr(value=inner) | ast.Return(value=inner):
            assert inner is not None
            return replace(s, value=_replaced(inner, text(e), v))
        case _:
            return s


def _replaced(node: Any, key: str, v: str) -> Any:
    if isinstance(node, ast.expr) and text(node) == key:
        return ast.Name(v, ast.Load())
    changes: dict[str, Any] = {}
    for part in node._fields:
        old = getattr(node, part, None)
        if isinstance(old, (ast.expr, ast.keyword)):
            new: Any = _replaced(old, key, v)
        elif isinstance(old, list):
            new = [_replaced(x, key, v) if isinstance(x, (ast.expr, ast.keyword)) else x for x in old]
            new = new if any(a is not b for a, b in zip(new, old)) else old
        else:
            continue
        if new is not old:
            changes[part] = new
    return replace(node, **changes) if changes else node


def times(s: ast.stmt, e: ast.expr) -> int:
    """How often an expression occurs in a statement itself."""
    match s:
        case ast.If(test=inner) | ast.For(iter=inner):
            root: ast.AST = inner
        case ast.While():
            return 0
        case _:
            root = s
    return sum(type(n) is type(e) and isinstance(n, ast.expr) and text(n) == text(e) for n in walk(root))


def _operands(e: ast.expr) -> list[ast.expr]:
    match e:
        case ast.BinOp(left=left, right=right):
            return [left, right]
        case ast.UnaryOp(operand=operand):
            return [operand]
        case ast.Call(func=func, args=args, keywords=keywords):
            owner = [func.value] if isinstance(func, ast.Attribute) else []
            return [*owner, *args, *(k.value for k in keywords)]
        case _:
            return []


def _name(found: Any) -> str:
    name = getattr(found, "__name__", "")
    return name if isinstance(name, str) else ""


def _parts(index: ast.expr) -> list[ast.expr]:
    items = index.elts if isinstance(index, ast.Tuple) else [index]
    parts = [x for p in items for x in ((p.lower, p.upper, p.step) if isinstance(p, ast.Slice) else (p,))]
    return [p for p in parts if p is not None]
