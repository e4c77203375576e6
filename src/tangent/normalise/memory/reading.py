"""Attributes, items and lists as they are now."""

from __future__ import annotations

import ast
from collections.abc import Callable, Sequence
from typing import Any

import numpy as np

from tangent.normalise.memory.known import ASKING_TRUTH, TELLING, Known
from tangent.runtime import memory, memory_arrays, memory_items, memory_views, stateful
from tangent.runtime.classes import names_held
from tangent.runtime.objects import is_object
from tangent.source.naming import is_library
from tangent.source.resolve import MISSING
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import SCOPES

ORDER = {
    ast.Eq: "==", ast.NotEq: "!=", ast.Lt: "<", ast.LtE: "<=", ast.Gt: ">", ast.GtE: ">=", ast.In: "in",
    ast.NotIn: "not in",
}  # fmt: skip
COMPARING = tuple(f"__{word}__" for word in "eq ne lt le gt ge".split())  # what a class may define
OF_SHAPES = frozenset("shape size ndim dtype".split())
ASKING = frozenset(  # methods that tell of a container what it holds
    "count index keys values items get copy most_common elements total union intersection difference "
    "symmetric_difference issubset issuperset isdisjoint".split()
)
AS_THEY_ARE = frozenset("__class__ __name__ __dict__ __doc__ __module__ __qualname__".split())


class Reading(Known):
    """Reads what is kept in the memory."""

    def emit(self, s: ast.stmt) -> None:
        self.done.append(s)

    def call(self, function: Any, *args: ast.expr) -> ast.Call:
        return ast.Call(name(self.context.use(function.__name__, function)), list(args), [])

    def held(self, e: ast.expr, base: str, s: ast.stmt) -> str:
        held = self.context.names.numbered(base)
        self.context.scope.local.add(held)
        self.emit(assign(held, e, s))
        return held

    def pair(self, target: str, value: ast.expr, s: ast.stmt) -> None:
        """A call that gives its result and the memory after it."""
        held = self.held(value, "called", s)
        slots = ast.Tuple([ast.Name(target, ast.Store()), ast.Name(self.memory, ast.Store())], ast.Store())
        self.emit(at(ast.Assign([slots], name(held)), s))
        self.count(s)

    def change(self, function: Any, args: list[ast.expr], s: ast.stmt) -> None:
        """A call that gives the memory after it."""
        self.emit(assign(self.memory, self.call(function, name(self.memory), *args), s))
        self.count(s)

    def count(self, s: ast.stmt) -> None:
        """Inside `try`: up to here nothing is lost."""
        if self.counted:
            self.emit(assign(self.counted, self.call(memory.new_count), s))

    def attribute(self, owner: ast.expr, attr: str, s: ast.stmt, base: str = "t") -> str:
        """A variable that holds an attribute as it is now."""
        if attr == "__dict__":  # what is left of it are names (source/namespaces.py)
            return self.held(self.call(names_held, name(self.memory), owner), base, s)
        if attr in AS_THEY_ARE:
            return self.held(ast.Attribute(owner, attr, ast.Load()), base, s)
        if attr in self.context.properties or not hasattr(np.ndarray, attr):
            return self.member(owner, attr, s, base)
        read = self.call(memory.remembered, name(self.memory), owner, constant(attr))
        held, branch = self.context.names.numbered(base), self.context.names.numbered("branch")
        self.context.scope.local |= {held, branch}
        self.emit(assign(branch, self.call(is_object, owner), s))
        outer, self.done = self.done, []
        if self.arrays and attr not in OF_SHAPES:
            asked = self.call(memory_arrays.gives_view, constant(attr), owner)

            def of(x: ast.expr) -> ast.expr:
                return ast.copy_location(ast.Attribute(x, attr, ast.Load()), s)

            self.viewed(
                asked, assign(held, of(owner), s), lambda: self.emit(assign(held, of(self.now(owner)), s)), [owner]
            )
        else:
            self.emit(assign(held, ast.copy_location(ast.Attribute(owner, attr, ast.Load()), s), s))
        plain, self.done = self.done, outer
        self.emit(at(ast.If(name(branch), [assign(held, read, s)], plain), s))
        return held

    def viewed(
        self, asked: ast.expr, view: ast.stmt, make: Callable[[], None], owners: Sequence[ast.expr]
    ) -> None:  # fmt: skip
        """What may show an array: where it does, a part of that very array; else it is made of what the array holds."""
        s = self.like
        branch = self.held(asked, "branch", s)
        outer, self.done = self.done, []
        self.emit(view)
        for owner in owners:
            self.change(memory_arrays.pinned, [owner], s)
        shown, self.done = self.done, []
        make()
        made, self.done = self.done, outer
        self.emit(at(ast.If(name(branch), shown, made), s))

    def member(self, owner: ast.expr, attr: str, s: ast.stmt, base: str = "t") -> str:
        """A variable that holds an attribute of an object as it is now."""
        if attr not in self.context.properties and "__getattr__" not in self.context.properties:
            return self.held(self.call(memory.remembered, name(self.memory), owner, constant(attr)), base, s)
        held = self.context.names.numbered(base)
        self.context.scope.local.add(held)
        self.pair(held, self.call(stateful.call_getter, name(self.memory), owner, constant(attr)), s)
        return held

    def store(self, owner: ast.expr, attr: str, value: ast.expr, s: ast.stmt) -> None:
        told = attr in self.context.properties or "__setattr__" in self.context.properties
        function = stateful.call_setter if told else memory.changed
        self.change(function, [owner, constant(attr), value], s)

    def item(self, owner: ast.expr, key: ast.expr, s: ast.stmt) -> str:
        self.make_missing(owner, key, s)
        return self.held(self.item_of(owner, key), "t", s)

    def item_of(self, owner: ast.expr, index: ast.expr) -> ast.expr:
        """An item as it is now; of a list, it is read from the memory by itself."""
        if isinstance(index, (ast.Name, ast.Constant)) and self.may_be_list(owner):
            return self.call(memory_items.item_now, name(self.memory), owner, index)
        return ast.copy_location(ast.Subscript(self.now(owner), index, ast.Load()), self.like)

    def make_missing(self, owner: ast.expr, key: ast.expr, s: ast.stmt) -> None:
        """Where a defaultdict may be met: what it does not have, it has from here on."""
        if self.defaults and isinstance(key, (ast.Name, ast.Constant)):
            self.change(stateful.with_default, [owner, key], s)

    def now(self, e: ast.expr) -> ast.expr:
        """A list or dict as it is now."""
        if not self.may_be_list(e):
            return e
        return name(self.held(self.call(memory.contents, name(self.memory), e), "now", self.like))

    def indexed(self, index: ast.expr) -> ast.expr:
        """An index, with lists as they are now."""
        match index:
            case ast.Tuple(elts=elts):
                return replace(index, elts=[self.indexed(x) for x in elts])
            case ast.Name():
                return self.now(index)
            case _:
                return self.inside(index)

    def stars(self, items: list[ast.expr]) -> list[ast.expr]:
        """Items of a call or display; what a star unpacks is what the list holds now."""
        return [replace(a, value=self.now(a.value)) if isinstance(a, ast.Starred) else a for a in items]

    def unpacked(self, e: ast.Call) -> ast.Call:
        """A call that unpacks lists and dicts as they are now."""
        named = [replace(k, value=self.now(k.value)) if k.arg is None else k for k in e.keywords]
        return replace(e, args=self.stars(e.args), keywords=named)

    def key(self, index: ast.expr) -> ast.expr:
        """An index as an object: slices are made by their function."""

        def whole(e: ast.expr) -> ast.expr:
            match e:
                case ast.Slice(lower=lower, upper=upper, step=step):
                    parts = [part or constant(None) for part in (lower, upper, step)]
                    return ast.Call(name(self.context.builtin("slice")), parts, [])
                case ast.Tuple(elts=elts):
                    return ast.Tuple([whole(x) for x in elts], ast.Load())
                case _:
                    return e

        index = whole(index)
        return index if isinstance(index, (ast.Name, ast.Constant)) else name(self.held(index, "t", self.like))

    def check_number(self, v: str, shown: str, s: ast.stmt) -> None:
        """Stop where an operator in place would change an array that somebody else may refer to."""
        source = self.context.source
        place = [constant(source.file), constant(s.lineno), constant(source.line(s.lineno).strip())]
        self.emit(at(ast.Expr(self.call(memory.require_number, name(v), constant(shown), *place)), s))

    def bounds(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name() as func, args=[ast.Name() as a]) if (
                self.may_be_list(a) and a.id not in self.looped and self.context.scope.resolve(func) is len
            ):
                length = self.context.names.numbered("length")
                self.context.scope.local.add(length)
                self.pair(length, self.call(stateful.call_length, name(self.memory), a), self.like)
                return name(length)
            case ast.Call(func=ast.Name(), args=args):
                return replace(e, args=[self.bounds(a) for a in args])
            case ast.Name():
                return self.now(e)
            case _:
                return e

    def filled(self, e: ast.expr) -> ast.expr:
        """A display that unpacks lists and dicts as they are now."""
        match e:
            case ast.List(elts=elts) | ast.Tuple(elts=elts):
                return replace(e, elts=self.stars(elts))
            case ast.Dict(keys=keys, values=values):
                return replace(e, values=[v if k else self.now(v) for k, v in zip(keys, values)])
            case _:
                return e

    def display(self, e: ast.expr, s: ast.stmt) -> ast.expr:
        return name(self.held(self.filled(e), "items", s))

    def rebuilt(self, s: ast.stmt) -> ast.stmt:
        """A statement of another kind (`raise`, `assert`), with what it reads as it is now."""
        changes = {f: self.inside(e) for f, e in ast.iter_fields(s) if isinstance(e, ast.expr)}
        return replace(s, **changes) if changes else s

    def inside(self, e: ast.expr) -> ast.expr:
        """An expression that no derivative flows through, with what it reads as it is now."""
        if isinstance(e, (*SCOPES, ast.Lambda, ast.Constant, ast.Name)):
            return e
        match e:
            case ast.Call(func=ast.Attribute(value=table, attr="items" | "values" | "keys") as method, args=[]) if (
                self.may_be_list(table)
            ):
                return replace(e, func=replace(method, value=self.call(memory.current, name(self.memory), table)))
            case ast.Call(func=ast.Attribute(value=table, attr=attr) as method, args=args) if (
                attr in ASKING and self.is_part(table)
            ):
                now = self.call(memory.current, name(self.memory), self.inside(table))
                return replace(e, func=replace(method, value=now), args=[self.inside(a) for a in args])
        changes: dict[str, Any] = {}
        for field, old in ast.iter_fields(e):
            if isinstance(old, ast.expr):
                changes[field] = self.inside(old)
            elif isinstance(old, list):
                changes[field] = [self.part(x) for x in old]
        new = replace(e, **changes)
        if self.arrays and not is_text(new):
            new = self.with_elements(new)
        match new:
            case ast.Attribute(value=owner, attr="__dict__", ctx=ast.Load()) if not self.is_static(e):
                return self.call(names_held, name(self.memory), owner)
            case ast.Attribute(value=owner, attr=attr, ctx=ast.Load()) if (
                not self.is_static(e) and attr not in AS_THEY_ARE and not hasattr(np.ndarray, attr)
                and not isinstance(owner, (ast.Constant, ast.JoinedStr))
            ):  # fmt: skip
                return self.call(memory.remembered, name(self.memory), owner, constant(attr))
            case ast.Subscript(value=owner, ctx=ast.Load()) if self.may_be_list(owner) or not isinstance(
                owner, (ast.Name, ast.Constant)
            ):
                return replace(new, value=self.call(memory_views.peeked, name(self.memory), owner))
            case ast.UnaryOp(op=ast.Not(), operand=ast.Name() as a) if self.may_be_list(a):
                return replace(new, operand=self.truth(a))
            case ast.BoolOp(values=values):
                return replace(new, values=[self.truth(v) if isinstance(v, ast.Name) else v for v in values])
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as a]) if self.may_be_list(a):
                return replace(new, args=[self.call(memory_views.shown, name(self.memory), a)])
            case ast.Compare(left=left, ops=[op], comparators=[other]) if type(op) in ORDER and (
                any(self.may_be_list(x) for x in (left, other))
                and (
                    isinstance(op, (ast.In, ast.NotIn))
                    or self.context.overloads(*COMPARING)
                    or not any(isinstance(x, ast.Constant) for x in (left, other))
                )
            ):
                return self.call(memory_views.compared, name(self.memory), left, constant(ORDER[type(op)]), other)
            case ast.FormattedValue(value=value):
                return replace(new, value=self.told(value))
            case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod(), right=right):
                return replace(new, right=self.told(right))
            case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()) | ast.JoinedStr()), args=args):
                return replace(new, args=[self.told(a) for a in args])
            case ast.Call(func=func, args=args) if (found := self.context.scope.resolve(func)) in TELLING:
                return replace(new, args=[self.told(a, asked=found in ASKING_TRUTH) for a in args])
            case ast.Call(func=func, args=args) if (
                found := self.context.scope.resolve(func)
            ) is not MISSING and is_library(found):
                given = e.args if isinstance(e, ast.Call) else []
                held = [self.may_hold_list(a) or self.is_part(old) for a, old in zip(args, given)]
                return replace(
                    new,
                    args=[self.call(memory.current, name(self.memory), a) if h else a for a, h in zip(args, held)],
                )
            case _:
                return new

    def is_part(self, e: ast.expr) -> bool:
        """Whether an expression gives what an object, list or dict holds, which may be a list."""
        return isinstance(e, (ast.Attribute, ast.Subscript)) and not self.is_static(e)

    def part(self, x: Any) -> Any:
        """An item of an expression: an argument, or a loop of a comprehension."""
        match x:
            case ast.expr():
                return self.inside(x)
            case ast.keyword(value=value):
                return replace(x, value=self.inside(value))
            case ast.comprehension(iter=items, ifs=tests):
                return replace(x, iter=self.run_over(items), ifs=[self.truth(t) for t in tests])
            case _:
                return x

    def run_over(self, e: ast.expr) -> ast.expr:
        """What a comprehension runs over, as it is now."""
        match e:
            case ast.Name() if not self.may_hold_list(e):
                return e
            case ast.Name() | ast.Attribute() | ast.Subscript():
                return self.call(memory.current, name(self.memory), self.inside(e))
            case _:
                return self.inside(e)

    def told(self, e: ast.expr, asked: bool = False) -> ast.expr:
        """What is written or asked for its truth, as it is now: an object may tell of what it holds."""
        if isinstance(e, ast.Starred):
            return replace(e, value=self.told(e.value, asked))
        reading = memory_views.asked_now if asked else memory_views.as_now
        return self.call(reading, name(self.memory), e) if self.may_hold_object(e) else e

    def with_elements(self, e: ast.expr) -> ast.expr:
        """An operation on arrays as they are now."""

        def now(x: ast.expr) -> ast.expr:
            return self.call(memory.contents, name(self.memory), x) if self.may_be_list(x) else x

        match e:
            case ast.BinOp(left=left, right=right):
                return replace(e, left=now(left), right=now(right))
            case ast.UnaryOp(operand=operand) if not isinstance(e.op, ast.Not):
                return replace(e, operand=now(operand))
            case ast.Compare() if self.context.overloads(*COMPARING):
                return e
            case ast.Compare(left=left, ops=ops, comparators=others) if not isinstance(
                ops[0], (ast.Is, ast.IsNot, ast.In, ast.NotIn)
            ):
                return replace(e, left=now(left), comparators=[now(x) for x in others])
            case _:
                return e

    def truth(self, e: ast.expr) -> ast.expr:
        """A condition: of a list, whether it holds something now."""
        found = self.inside(e)
        listed = self.may_be_list(found) or isinstance(e, (ast.Attribute, ast.Subscript))
        return self.call(memory_views.shown, name(self.memory), found) if listed else found


def is_text(e: ast.expr) -> bool:
    """Whether an expression writes something out: `"%s" % x`, `"{}".format(x)`."""
    match e:
        case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
            return True
        case ast.Call(func=ast.Attribute(value=ast.Constant(value=str()))):
            return True
        case _:
            return isinstance(e, ast.JoinedStr)
