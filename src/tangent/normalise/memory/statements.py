"""Statements over a memory: what changes something makes the memory anew."""

from __future__ import annotations

import ast
from collections.abc import Iterator
from functools import partial

from tangent.normalise.memory.inserted import Inserted
from tangent.normalise.memory.reading import is_text
from tangent.runtime import memory, memory_arrays, stateful, walks
from tangent.runtime.checks import error_raised
from tangent.runtime.kernels.sequences import joined
from tangent.runtime.ordered import HEAPS, INSERTS
from tangent.source.naming import is_library
from tangent.source.resolve import MISSING
from tangent.syntax.blocks import Attempt, Enter
from tangent.syntax.inserted import Insertion
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import assigned_inside, writes

CHANGING = frozenset("shuffle setitem delitem iadd isub imul itruediv iconcat".split())  # functions


class Statements(Inserted):
    """Rewrites the statements of a function."""

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        outer, self.done = self.done, []
        for s in body:
            self.statement(s)
        found, self.done = self.done, outer
        return found

    def statement(self, s: ast.stmt) -> None:
        self.like = s
        match s:
            case ast.If(body=[ast.Break()]):
                self.emit(s)
            case Attempt():
                self.attempt(s)
            case ast.If(test=test, body=body, orelse=orelse):
                self.emit(replace(s, test=self.choice(test, s), body=self.block(body), orelse=self.block(orelse)))
            case ast.While(test=test, body=body):
                self.emit(replace(s, test=self.truth(test), body=self.block(body)))
            case ast.For(iter=iter, body=body):
                self.emit(replace(s, iter=self.bounds(iter), body=[*self.coming(s), *self.block(body)]))
                self.check_length(s)
            case ast.Assign(value=ast.Call(func=func)) if self.context.scope.resolve(func) is error_raised:
                self.emit(s)
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                self.assign(target, value, s)
            case ast.Assign(targets=[ast.Tuple()], value=ast.Name() as value):
                self.unpack(value, s)
            case ast.Assign(
                targets=[ast.Attribute() | ast.Subscript() as place], value=ast.Name(id=new) as value
            ) if (old := self.augmented(place, new, s)):
                self.stored_apart(place, old, value, s)
            case ast.Assign(targets=[ast.Attribute(value=owner, attr=attr)], value=value) if self.is_object(owner):
                self.store(owner, attr, value, s)
            case ast.AugAssign(target=ast.Attribute(value=owner, attr=attr)) if self.arrays and self.is_object(owner):
                self.augment_attribute(owner, attr, s)
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=v) as owner, slice=index)) if (
                self.arrays and not self.is_kept_as_is(v)
            ):
                self.augment_item(owner, index, s)
            case ast.AugAssign(target=ast.Attribute(value=owner, attr=attr), op=op, value=value) if self.is_object(
                owner
            ):
                old = self.attribute(owner, attr, s)
                self.check_number(old, ast.unparse(s.target), s)
                new = self.held(ast.BinOp(name(old), op, value), "t", s)
                self.store(owner, attr, name(new), s)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=v) as owner, slice=index)], value=value) if (
                not self.is_kept_as_is(v)
            ):
                self.change(stateful.call_store, [owner, self.index(index), value], s)
            case ast.AugAssign(
                target=ast.Subscript(value=ast.Name(id=v) as owner, slice=index), op=op, value=value
            ) if not self.is_kept_as_is(v):
                key = self.index(index)
                old = self.item(owner, key, s)
                self.check_number(old, ast.unparse(s.target), s)
                new = self.held(ast.BinOp(name(old), op, value), "t", s)
                self.change(stateful.call_store, [owner, key, name(new)], s)
            case ast.Assign(targets=[ast.Subscript(slice=index) as target], value=value):
                place = replace(target, slice=self.indexed(index))
                self.emit(replace(s, targets=[place], value=self.stored(target, value)))
            case ast.AugAssign(target=ast.Subscript(slice=index) as target, value=value):
                place = replace(target, slice=self.indexed(index))
                self.emit(replace(s, target=place, value=self.stored(target, value)))
            case ast.Delete(targets=targets):
                for t in targets:
                    self.delete(t, s)
            case ast.Expr(value=ast.Call() as value):
                self.effect(value, s)
            case ast.FunctionDef() | ast.ClassDef() | ast.Global() | ast.Nonlocal():
                self.emit(s)
            case Enter(value=ast.expr() as value):
                for a in value.args if isinstance(value, ast.Call) else [value]:
                    if self.may_be_list(a):
                        self.emit(at(ast.Expr(self.call(memory.require_no_object, a)), s))
                self.emit(replace(s, value=self.inside(value)))
            case Insertion():
                self.insertion(s)
            case _:
                self.emit(self.rebuilt(s))

    def choice(self, test: ast.expr, s: ast.If) -> ast.expr:
        """The condition of a branch, under a name where it asks the memory: the branch may change that."""
        found = self.truth(test)
        return found if found is test else name(self.held(found, "branch", s))

    def unpack(self, value: ast.Name, s: ast.Assign) -> None:
        """`a, *rest = x`: the rows of an array show parts of it."""
        if not self.arrays or value.id in self.plain:
            self.emit(replace(s, value=self.now(value)))
            return
        asked = self.call(memory_arrays.gives_view, name(self.context.use("list", list)), value)
        self.viewed(asked, s, lambda: self.emit(replace(s, value=self.now(value))), [value])

    def stored(self, place: ast.Subscript, value: ast.expr) -> ast.expr:
        """What is stored into an array is what a list or an array holds now; a list of its own holds the very list."""
        own = isinstance(place.value, ast.Name) and place.value.id in self.own
        return value if own else self.now(value)

    def augmented(self, place: ast.Attribute | ast.Subscript, new: str, s: ast.stmt) -> str:
        """What was there before, where an assignment is the last part of `place **= v`, which was taken apart, on what
        is in the memory."""
        old, stored = self.context.apart.get((s.lineno, s.col_offset), ("", ""))
        if stored != new or not isinstance(place.value, ast.Name):
            return ""
        kept = isinstance(place, ast.Subscript) and self.is_kept_as_is(place.value.id)
        return "" if kept or (isinstance(place, ast.Attribute) and not self.is_object(place.value)) else old

    def stored_apart(self, place: ast.Attribute | ast.Subscript, old: str, value: ast.expr, s: ast.stmt) -> None:
        """What an operator in place gives is written into an array, and takes the place of anything else."""
        if not self.arrays:
            self.check_number(old, ast.unparse(place), s)
        key = constant(place.attr) if isinstance(place, ast.Attribute) else self.index(place.slice)
        if not self.arrays and isinstance(place, ast.Attribute):
            self.store(place.value, place.attr, value, s)
        elif not self.arrays:
            self.change(stateful.call_store, [place.value, key, value], s)
        else:
            attribute = isinstance(place, ast.Attribute)
            function = stateful.call_augmented if attribute else stateful.call_augmented_item
            self.change(function, [place.value, key, name(old), self.now(value)], s)

    def attempt(self, s: Attempt) -> None:
        """`try`: what a call has changed before it fails is lost, so nothing may have been."""
        outer, self.counted = self.counted, self.held(self.call(memory.new_count), "count", s)
        body = self.block(s.body)
        match body:
            case [*start, ast.Assign(targets=[ast.Name(id=v)])] if v == self.counted:
                body = start
        check = at(ast.Expr(self.call(memory.require_nothing_lost, name(self.counted))), s)
        self.counted = outer
        threads = any(isinstance(x, ast.Assign) and self.memory in writes(x) for x in statements(body))
        handler = self.block(s.orelse)
        self.emit(replace(s, body=body, orelse=[check, *handler] if threads else handler))

    def coming(self, s: ast.For) -> list[ast.stmt]:
        """Checks that a loop comes to what a list held when it began; a memory of arrays has what it holds now."""
        if self.arrays or not isinstance(s.target, ast.Name):
            return []
        call = partial(self.call, walks.require_coming, name(self.memory))
        return [at(ast.Expr(call(name(v), name(items), name(s.target.id))), s) for v, items in self.walked(s)]

    def check_length(self, s: ast.For) -> None:
        """Loops run over what a list holds when they start; one that is left does not look at the list again."""
        checks: list[ast.stmt] = [
            at(ast.Expr(self.call(walks.require_same, name(self.memory), name(v), name(items))), s)
            for v, items in self.walked(s)
        ]
        match s.body:
            case [*_, ast.If(test=left, body=[ast.Break()])] if checks:
                checks = [at(ast.If(ast.UnaryOp(ast.Not(), left), checks, []), s)]
        for check in checks:
            self.emit(check)

    def walked(self, s: ast.For) -> Iterator[tuple[str, str]]:
        """The lists that a loop runs over and calls something which may change them, with what they held before."""
        walked = {self.looped[n.id]: n.id for n in ast.walk(s.iter) if isinstance(n, ast.Name) and n.id in self.looped}
        for v in sorted(walked.keys() - assigned_inside(s.body)):
            if any(isinstance(x, ast.Call) and not self.is_plain(x) for b in s.body for x in ast.walk(b)):
                yield v, walked[v]

    def assign(self, target: str, value: ast.expr, s: ast.stmt) -> None:
        if is_text(value):
            self.emit(assign(target, self.inside(value), s))
            return
        if self.arrays and self.assigned_array(target, value, s):
            return
        if isinstance(value, ast.Subscript):
            value = replace(value, slice=self.indexed(value.slice))
        match value:
            case ast.Attribute(value=owner, attr=attr) if self.is_object(owner):
                if attr in ("real", "imag") and (target in self.stored_in or (self.arrays and target in self.named)):
                    stop = stateful.require_real if target in self.named else stateful.require_unwritten_part
                    self.emit(at(ast.Expr(self.call(stop, owner, constant(attr))), s))
                self.emit(assign(target, name(self.attribute(owner, attr, s, target)), s))
            case ast.Subscript(value=ast.Name(id=v) as owner, slice=ast.Slice()) if v not in self.own | self.plain:
                part = self.held(replace(value, value=self.now(owner)), "t", s)
                self.emit(assign(target, self.call(memory.new_list, name(part)), s))
            case ast.Subscript(value=ast.Name(id=v) as owner, slice=index) if v not in self.own | self.plain:
                self.make_missing(owner, index, s)
                self.emit(assign(target, self.item_of(owner, index), s))
            case ast.List() | ast.Dict() if target not in self.own:
                self.emit(assign(target, self.call(memory.new_list, self.display(value, s)), s))
            case ast.Call():
                self.assign_call(target, value, s)
            case ast.BinOp(left=left, right=right) if self.is_grown(target, s) and self.is_surely_list(left):
                self.pair(target, self.call(stateful.call_grown, name(self.memory), left, right), s)
            case ast.BinOp(op=ast.Add() | ast.BitOr(), left=left, right=right) if self.may_be_lists(left, right):
                if (s.lineno, s.col_offset) in self.context.augmented and isinstance(left, ast.Name):
                    if left.id == target:  # not a part of what is added
                        self.check_number(target, target, s)
                both = self.now(left), self.now(right)
                sure = self.is_surely_list(left) or self.is_surely_list(right)
                if isinstance(value.op, ast.Add) and (self.lists or sure):
                    value = self.call(joined, *both)
                    if sure:
                        self.surely.add(target)
                else:
                    value = replace(value, left=both[0], right=both[1])
                self.emit(assign(target, value, s))
            case ast.BinOp(left=ast.Name(id=v)) if (
                (s.lineno, s.col_offset) in self.context.augmented
                and v == target  # not a part of what is added
                and v not in self.plain | self.own
                and v not in {a.arg for a in ast.walk(self.context.source.tree.args) if isinstance(a, ast.arg)}
            ):
                self.check_number(v, v, s)
                self.emit(assign(target, value, s))
            case ast.BinOp(op=ast.Mult(), left=left, right=right) if target not in self.plain | self.own:
                if self.is_surely_list(left) or self.is_surely_list(right):
                    self.repeat(target, left, right, s)
                    return
                value = replace(value, left=self.now(left), right=self.now(right))
                self.emit(assign(target, self.call(memory.new_list, self.display(value, s)), s))
            case ast.Tuple() | ast.List() | ast.Dict():
                self.emit(assign(target, self.filled(value), s))
            case ast.UnaryOp(op=ast.Not()):
                self.emit(assign(target, self.inside(value), s))
            case ast.BinOp(left=left, right=right) if not self.computes_with_constant(value):
                self.emit(assign(target, replace(value, left=self.now(left), right=self.now(right)), s))
            case ast.Lambda() | ast.Name() | ast.Constant() | ast.BinOp() | ast.UnaryOp():
                self.emit(assign(target, value, s))
            case _:
                self.emit(assign(target, self.inside(value), s))

    def delete(self, target: ast.expr, s: ast.stmt) -> None:
        match target:
            case ast.Subscript(value=ast.Name(id=v) as owner, slice=index) if not self.is_kept_as_is(v):
                self.change(stateful.call_delete, [owner, self.key(index)], s)
            case ast.Attribute(value=ast.Name() as owner, attr=attr):
                self.change(memory.forget, [owner, constant(attr)], s)
            case _:
                self.emit(at(ast.Delete([target]), s))

    def effect(self, e: ast.Call, s: ast.Expr) -> None:
        """A call for its effects."""
        found = self.context.scope.resolve(e.func)
        match e.func:
            case ast.Attribute(value=ast.Name(id=v)) if found is MISSING and self.is_kept_as_is(v):
                self.emit(s)
                return
        if found is not MISSING and is_library(found) and found not in (setattr, object.__setattr__, *HEAPS, *INSERTS):
            if getattr(found, "__name__", "") in CHANGING and e.args and self.may_be_list(e.args[0]):
                todo = "Make a new list, and assign that."
                shown = ast.unparse(e.func)
                raise self.context.refuse(e, f"'{shown}' here", "it changes a list that others may hold", todo)
            self.emit(replace(s, value=self.inside(e)))
            return
        self.assign_call(self.context.names.numbered("dropped"), self.flat(e), s)

    def flat(self, e: ast.Call) -> ast.Call:
        """The call with names for its arguments, where they have none."""

        def atom(a: ast.expr) -> ast.expr:
            if isinstance(a, ast.Starred):
                return replace(a, value=atom(a.value))
            if isinstance(a, (ast.Name, ast.Constant)):
                return a
            held = self.context.names.numbered("t")
            self.context.scope.local.add(held)
            self.assign(held, a, self.like)
            return name(held)

        return replace(
            e, args=[atom(a) for a in e.args], keywords=[replace(k, value=atom(k.value)) for k in e.keywords]
        )
