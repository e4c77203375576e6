"""Which small arrays may be numbers: those that are nobody else's memory, or that nobody writes into."""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.analysis.operation import Operations
from tangent.optimise.small.sizes import EYES, LIKE, MAKERS, PRODUCTS
from tangent.optimise.typed.kinds import Number
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import expression_reads, header_reads, writes

NEW = (*MAKERS, *LIKE, *PRODUCTS, *EYES, np.array, np.cross, np.outer, np.concatenate, np.stack, np.sum, np.hstack,
       np.vstack, np.linalg.norm, np.linalg.inv, np.linalg.solve, np.linalg.det, np.linalg.slogdet,
       np.trace)  # fmt: skip
PURE = ("rule", "zero", "constant", "copy", "pack", "unpack", "store", "augment")


class Sharing:
    """Classes of names that may look at the same memory, and those that are written into."""

    def __init__(
        self, body: list[ast.stmt], operations: Operations, kind: Callable[[ast.expr], Any],
        resolve: Callable[[ast.expr], Any], augmented: set[ast.stmt],
    ) -> None:  # fmt: skip
        self.body, self.operations, self.kind, self.resolve = body, operations, kind, resolve
        self.parent: dict[str, str] = {}
        self.members: dict[str, set[str]] = {}
        self.written: set[str] = set()
        for s in statements(body):
            self.writes_of(s, augmented)
        for s in statements(body):
            self.joined(s)

    def may_be_numbers(self, v: str, parameters: set[str]) -> bool:
        """Whether reading all of an array where it is made is as good as looking at it later."""
        members = self.members.get(self.root(v), {v})
        if not members & self.written:
            return True
        return len(members) == 1 and v not in parameters

    def unwritten(self, v: str) -> bool:
        return not self.members.get(self.root(v), {v}) & self.written

    def root(self, v: str) -> str:
        while (up := self.parent.get(v, v)) != v:
            v = up
        return v

    def join(self, a: str, b: str) -> None:
        p, q = self.root(a), self.root(b)
        if p != q:
            self.parent[p] = q
            self.members[q] = self.members.get(q, {q}) | self.members.get(p, {p})

    def is_number(self, e: ast.expr) -> bool:
        kind = self.kind(e)
        return isinstance(kind, Number) and kind.scalar

    def writes_of(self, s: ast.stmt, augmented: set[ast.stmt]) -> None:
        match s:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=v))]):
                self.written.add(v)
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=v)) | ast.Name(id=v)):
                self.written.add(v)
            case ast.Assign(targets=[ast.Name() as t], value=ast.BinOp(left=ast.Name(id=v))) if s in augmented:
                if not self.is_number(t):
                    self.written |= {t.id, v}
            case ast.If() | ast.For() | ast.While():
                return
        op = self.operations.get(s)
        plain = isinstance(s, (ast.Assign, ast.AugAssign)) and op is not None and op.kind in PURE
        keywords = [n for n in ast.walk(s) if isinstance(n, ast.keyword) and n.arg == "out"]
        if not plain or keywords:
            self.written |= {v for v in expression_reads(s) if not self.is_number(ast.Name(v, ast.Load()))}

    def joined(self, s: ast.stmt) -> None:
        match s:
            case ast.Assign(targets=[target], value=value) if not isinstance(target, ast.Subscript):
                if isinstance(target, ast.Name) and (self.is_number(target) or self.is_new(value)):
                    return
                if isinstance(target, ast.Name) and self.is_snapshot(s, target.id, value):
                    return
                names = [v for v in expression_reads(value) if not self.is_number(ast.Name(v, ast.Load()))]
                for v in (*names, *writes(s)):
                    if not self.is_number(ast.Name(v, ast.Load())):
                        self.join(v, writes(s)[0])
            case ast.For(target=ast.Name(id=v), iter=iter):
                for other in expression_reads(iter):
                    self.join(v, other)

    def is_new(self, e: ast.expr) -> bool:
        match e:
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.Constant() | ast.Attribute(attr="shape"):
                return True
            case ast.Call(func=ast.Attribute(attr="copy" | "sum")):
                return True
            case ast.Call(func=func, keywords=[]):
                function = self.resolve(func)
                if isinstance(function, np.ufunc) or getattr(function, "__module__", "") == "math":
                    return True
                return any(function is f for f in NEW)
            case _:
                return False

    def is_snapshot(self, s: ast.Assign, v: str, value: ast.expr) -> bool:
        """Whether a part of an array is read only before anything writes into that array, and in one block."""
        if not isinstance(value, ast.Subscript) or not isinstance(value.value, ast.Name) or v in self.written:
            return False
        block = _block_of(s, self.body)
        places = [i for i, x in enumerate(block) if v in _mentioned(x)]
        every = sum(1 for x in statements(self.body) if v in header_reads(x) or v in writes(x))
        inside = sum(1 for x in statements(block) if v in header_reads(x) or v in writes(x))
        if every != inside or any(v in writes(x) for x in statements(self.body) if x is not s):
            return False
        start, end = block.index(s), max(places)
        if min(places) < start:
            return False
        base = value.value.id
        after = block[start + 1 : end + 1]
        last = after[-1:] if after and not isinstance(after[-1], (ast.Assign, ast.AugAssign)) else []
        return not any(self.stores(x, base) for y in (*after[:-1], *last) for x in statements([y]))

    def stores(self, s: ast.stmt, base: str) -> bool:
        """Whether a statement may write into an array."""
        match s:
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=v))]):
                return self.may_share(v, base)
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=v)) | ast.Name(id=v)):
                return self.may_share(v, base)
            case ast.Assign(targets=[ast.Name(id=v)]):
                return v in self.written and not self.is_number(ast.Name(v, ast.Load())) and self.may_share(v, base)
            case ast.If() | ast.For() | ast.While():
                return False
            case _:
                return True

    def may_share(self, v: str, base: str) -> bool:
        """Anything may, but what is made here with what is given."""
        made = [s.value for s in statements(self.body) if isinstance(s, ast.Assign) and v in writes(s)]
        given = not any(base in writes(s) for s in statements(self.body))
        return not (given and made and all(self.is_new(e) for e in made))


def _mentioned(s: ast.stmt) -> set[str]:
    return set().union(*(header_reads(x) | set(writes(x)) for x in statements([s])))


def _block_of(s: ast.stmt, body: list[ast.stmt]) -> list[ast.stmt]:
    """The block that a statement is in."""
    if any(x is s for x in body):
        return body
    for x in body:
        for inner in (getattr(x, "body", []), getattr(x, "orelse", [])):
            if inner and (found := _block_of(s, inner)):
                return found
    return []
