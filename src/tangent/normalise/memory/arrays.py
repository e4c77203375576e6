"""Arrays that are written in place and that others hold: a variable stands for the storage, what it holds is read when
it is needed.

y = a * 2.0       ->   now = contents(memory, a); y = now * 2.0
row = a[i]        ->   called = call_item(memory, a, i); row, memory = called
a += v            ->   now = contents(memory, a); t = now + v; called = call_rebound(memory, a, t); a, memory = called
self.w += v       ->   t = remembered(memory, self, "w"); ...; memory = call_augmented(memory, self, "w", t, t2)
"""

from __future__ import annotations

import ast
from typing import Any

from tangent.normalise.memory.reading import Reading
from tangent.runtime import memory, stateful
from tangent.runtime.kernels.sequences import joined, new_repeated
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import replace

CHANGING = frozenset("sort put partition resize itemset setfield byteswap".split())
FOLLOWED: dict[str, tuple[Any, int]] = {  # with the number of arguments that they need
    "sort": (stateful.call_sort, 0), "partition": (stateful.call_partition, 1), "put": (stateful.call_put, 2),
}  # fmt: skip


class Arrays(Reading):
    """Rewrites what may be about arrays."""

    def assigned_array(self, target: str, value: ast.expr, s: ast.stmt) -> bool:
        """Rewrite an assignment, if it is one that arrays have a part in."""
        match value:
            case ast.Subscript(value=ast.Name(id=v) as owner, slice=index) if v not in self.plain:
                self.pair(target, self.call(stateful.call_item, name(self.memory), owner, self.index(index)), s)
            case ast.BinOp(left=left, op=ast.Mult(), right=right) if self.is_surely_list(left) or self.is_surely_list(
                right
            ):
                self.repeat(target, left, right, s)
            case ast.BinOp(left=left, right=right):
                made = replace(value, left=self.now(left), right=self.now(right))
                whole = isinstance(left, ast.Name) and left.id == target  # not a part of what is added
                if whole and (s.lineno, s.col_offset) in self.context.augmented and self.may_be_list(left):
                    new = name(self.held(self.added(made, left, right), "t", s))
                    self.followed.add((s.lineno, s.col_offset))
                    self.pair(target, self.call(stateful.call_rebound, name(self.memory), left, new), s)
                else:
                    if whole and target in self.numbers:  # bound anew, whatever has been given its value
                        self.followed.add((s.lineno, s.col_offset))
                    self.made(target, made, s)
            case ast.UnaryOp(operand=operand) if not isinstance(value.op, ast.Not):
                self.made(target, replace(value, operand=self.now(operand)), s)
            case _:
                return False
        return True

    def added(self, made: ast.BinOp, left: ast.expr, right: ast.expr) -> ast.expr:
        """What an operator in place gives: of what may be lists a sum may be both of them, one behind the other."""
        joins = isinstance(made.op, ast.Add) and self.may_be_lists(left, right)
        return self.call(joined, made.left, made.right) if joins else made

    def repeat(self, target: str, left: ast.expr, right: ast.expr, s: ast.stmt) -> None:
        """`[v] * n`."""
        items, count = (left, right) if self.is_surely_list(left) else (right, left)
        self.emit(assign(target, self.call(new_repeated, self.now(items), self.now(count)), s))
        self.surely.add(target)

    def made(self, target: str, value: ast.expr, s: ast.stmt) -> None:
        """A new value: an array that somebody else will hold is told from all others."""
        if self.arrays and target not in self.plain:
            value = self.call(memory.new_list, name(self.held(value, "t", s)))
        self.emit(assign(target, value, s))

    def index(self, e: ast.expr) -> ast.expr:
        """An index as an object, with arrays and lists as they are now."""
        return self.key(self.indexed(e))

    def augment_attribute(self, owner: ast.expr, attr: str, s: ast.AugAssign) -> None:
        old = self.attribute(owner, attr, s)
        new = self.held(ast.BinOp(self.now(name(old)), s.op, self.now(s.value)), "t", s)
        self.change(stateful.call_augmented, [owner, constant(attr), name(old), name(new)], s)

    def augment_item(self, owner: ast.expr, index: ast.expr, s: ast.AugAssign) -> None:
        key = self.index(index)
        old = self.context.names.numbered("t")
        self.context.scope.local.add(old)
        self.pair(old, self.call(stateful.call_item, name(self.memory), owner, key), s)
        new = self.held(ast.BinOp(self.now(name(old)), s.op, self.now(s.value)), "t", s)
        self.change(stateful.call_augmented_item, [owner, key, name(old), name(new)], s)

    def changes_array(self, target: str, owner: ast.expr, attr: str, e: ast.Call, s: ast.stmt) -> bool:
        """Rewrite a method that changes an array, if it is one."""
        if not self.arrays:
            if attr == "fill" or attr in FOLLOWED or attr in CHANGING:
                self.emit(at(ast.Expr(self.call(stateful.require_no_array, owner, constant(attr))), s))
            return False
        if attr == "fill" and len(e.args) == 1 and not e.keywords:
            value = self.now(e.args[0])
            self.pair(target, self.call(stateful.call_fill, name(self.memory), owner, value), s)
            return True
        if attr in FOLLOWED and len(e.args) >= FOLLOWED[attr][1]:
            called = self.call(FOLLOWED[attr][0], name(self.memory), owner, *e.args)
            self.pair(target, replace(called, keywords=e.keywords), s)
            return True
        if attr in CHANGING:
            self.emit(at(ast.Expr(self.call(stateful.require_no_array, owner, constant(attr))), s))
        return False
