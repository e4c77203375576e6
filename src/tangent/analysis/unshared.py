"""Where a variable holds something that nothing else does: made anew, and not put anywhere since.

r = 0.0
for k in range(n):
    r += a[k]         # nobody else sees it change
row.append(r)         # from here on it is shared, until `r = 0.0` again
"""

from __future__ import annotations

import ast
from collections.abc import Mapping

from tangent.analysis.operation import Operations
from tangent.syntax.blocks import Attempt
from tangent.syntax.uses import header_reads, writes

Bases = Mapping[ast.stmt, tuple[str, ...]]  # the operands that what a statement gives may be, be a view of, or hold


def is_unshared(
    v: str, s: ast.stmt, body: list[ast.stmt], operations: Operations, bases: Bases, changes: Mapping[ast.stmt, str]
) -> bool:
    """Whether nothing else may hold what v refers to when s is reached.

    `changes` are statements `y = x + v` that may stand for `x += v`, s among them, with x: y may be x then.
    """
    walk = _Walk(v, s, operations, bases, changes)
    walk.block(body, True)
    return walk.alone


class _Walk:
    """A walk through the statements with one fact: whether v may be shared."""

    def __init__(
        self, v: str, s: ast.stmt, operations: Operations, bases: Bases, changes: Mapping[ast.stmt, str]
    ) -> None:
        self.v, self.s, self.operations, self.bases, self.changes = v, s, operations, bases, changes
        self.alone = True
        self.left = False  # whether a loop may be left where v is shared

    def block(self, body: list[ast.stmt], shared: bool) -> bool:
        for s in body:
            shared = self.statement(s, shared)
        return shared

    def statement(self, s: ast.stmt, shared: bool) -> bool:
        if s is self.s:
            self.alone = self.alone and not shared
        match s:
            case ast.Break():
                self.left |= shared
                return shared
            case ast.If(body=then, orelse=other):
                one = self.block(then, shared)
                return self.block(other, shared or isinstance(s, Attempt)) or one
            case ast.For(body=inner) | ast.While(body=inner):
                return self.loop(s, inner, shared)
            case _ if s in self.changes and self.v in (self.changes[s], *writes(s)):
                return shared or not (self.changes[s] == self.v and self.v in writes(s))
            case _ if self.v in writes(s):
                return not self.makes_new(s)
            case _:
                return shared or (self.v in header_reads(s) and not self.makes_new(s))

    def loop(self, s: ast.For | ast.While, inner: list[ast.stmt], shared: bool) -> bool:
        shared = shared or (isinstance(s, ast.For) and self.v in {*header_reads(s), *writes(s)})
        outer, self.left = self.left, False
        once = self.block(inner, shared)
        if once and not shared:
            self.block(inner, True)
        after, self.left = shared or once or self.left, outer
        return after

    def makes_new(self, s: ast.stmt) -> bool:
        """Whether what a statement gives is nothing that there was before."""
        op = self.operations.get(s)
        if isinstance(s, ast.Assign) and isinstance(s.value, ast.Constant):
            return True
        return op is not None and op.kind == "rule" and not self.bases.get(s)
