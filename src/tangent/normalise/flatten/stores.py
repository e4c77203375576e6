"""Assignments, and calls for what they write: names and constants are stored into items and attributes of names."""

from __future__ import annotations

import ast
import types

from tangent.normalise.alone import is_alone
from tangent.normalise.context import Context
from tangent.normalise.flatten.expressions import Expressions
from tangent.normalise.writers import is_adding_at, is_told_where
from tangent.runtime.ordered import HEAPS, INSERTS
from tangent.runtime.storage.items import put_item_back, restore_item
from tangent.runtime.storage.sums import add_at, add_into
from tangent.source.naming import is_library
from tangent.source.resolve import MISSING
from tangent.syntax.quote import assign, at, constant, expression
from tangent.syntax.rebuild import replace
from tangent.syntax.walk import walk

FLATTENED_METHODS = frozenset("fill sort partition put __setitem__ extend insert update setdefault appendleft".split())
FLAGS = {"writeable": "write", "aligned": "align"}  # of an array, and what its method `setflags` calls them
IN_PLACE = (ast.Add, ast.Sub, ast.Mult, ast.Div)
OF_ARRAYS = frozenset("sum mean max min dot copy prod std var trace conj ravel reshape transpose astype item".split())


class Stores(Expressions):
    """Emits statements that store."""

    def assignment(self, s: ast.Assign) -> None:
        match s:
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                self.assign(target, value)
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=value) if all(
                isinstance(e.value if isinstance(e, ast.Starred) else e, ast.Name) for e in elts
            ):
                self.emit(replace(s, value=self.atom(value)))
            case ast.Assign(targets=[ast.Subscript(value=ast.Attribute(value=owner, attr="flat"), slice=index)]):
                value = self.atom(s.value)
                self.writers.flat_store(self.atom(owner), self.index(index), value, s)
            case ast.Assign(targets=[ast.Attribute(value=owner, attr="flat")], value=value) if not self.context.memory:
                given = self.atom(value)
                self.writers.flat_fill(self.atom(owner), given, s)
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute() as target], value=value) if (
                part := self.complex_part(target)
            ):
                self.writers.part_store(*part, self.atom(value), s)
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=v) as owner, attr="shape")], value=value) if (
                not self.context.memory and is_alone(v, self.context.source.tree, self.context.scope, s)
            ):
                shaped = ast.Call(ast.Attribute(owner, "reshape", ast.Load()), [value], [])
                self.assign(v, ast.copy_location(ast.fix_missing_locations(shaped), s))
            case ast.Assign(targets=[ast.Attribute(value=ast.Attribute(value=owner, attr="flags"), attr=flag)]) if (
                flag in FLAGS
            ):
                told = [ast.keyword(FLAGS[flag], s.value)]
                call = ast.copy_location(ast.Call(ast.Attribute(owner, "setflags", ast.Load()), [], told), s)
                self.effect(at(ast.Expr(call), s), call)
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute() as target], value=value):
                held = self.atom(value)
                self.emit(replace(s, targets=[self.place(target)], value=held))
            case _:
                self.emit(s)

    def place(self, e: ast.Subscript | ast.Attribute) -> ast.Subscript | ast.Attribute:
        """The target of a store: an item or attribute of a name."""
        owner = e.value if self.is_static_path(e.value) else self.atom(e.value)
        if isinstance(e, ast.Attribute):
            return replace(e, value=owner)
        return replace(e, value=owner, slice=self.index(e.slice))

    def complex_part(self, e: ast.Subscript | ast.Attribute) -> tuple[ast.expr, str, ast.expr] | None:
        """The array, the part and the index of a store into the real or the imaginary part of an array."""
        match e:
            case _ if self.context.memory:
                return None
            case ast.Subscript(value=ast.Attribute(value=owner, attr="real" | "imag" as part), slice=index):
                return self.atom(owner), part, self.index(index)
            case ast.Attribute(value=owner, attr="real" | "imag" as part):
                return self.atom(owner), part, constant(Ellipsis)
            case _:
                return None

    def combined(self, item: ast.expr, s: ast.AugAssign) -> ast.expr:
        """What `item += v` stores."""
        return self.atom(ast.fix_missing_locations(ast.copy_location(ast.BinOp(item, s.op, s.value), s)))

    def augment(self, s: ast.AugAssign, target: ast.Subscript | ast.Attribute) -> None:
        """`a[i] += v` stays one statement; operators without an adjoint of their own are taken apart."""
        match target:
            case ast.Subscript(value=ast.Attribute(value=owner, attr="flat"), slice=index):
                held, key = self.atom(owner), self.index(index)
                self.writers.flat_store(held, key, self.combined(expression("a.flat[i]", a=held, i=key), s), s)
                return
            case _ if part := self.complex_part(target):
                held, attr, key = part  # of a copy: a view of the array would be looked at after the store
                old = expression("a[i].copy()", a=held, i=key)
                new = self.combined(ast.Attribute(old, attr, ast.Load()), s)
                self.writers.part_store(held, attr, key, new, s)
                return
        place = self.place(target)
        if isinstance(s.op, IN_PLACE) and not _calls_user(s.value, self.context):
            self.emit(replace(s, target=place, value=self.atom(s.value)))
            return
        old = self.atom(replace(place, ctx=ast.Load()))
        new = self.atom(ast.copy_location(ast.BinOp(old, s.op, s.value), s))
        if isinstance(old, ast.Name) and isinstance(new, ast.Name):
            self.context.apart[s.lineno, s.col_offset] = old.id, new.id
        self.emit(at(ast.Assign([place], new), s))

    def effect(self, s: ast.Expr, e: ast.Call) -> None:
        """A call for its effects: of a function that may write into its arguments, its arguments get names."""
        found = self.context.scope.resolve(e.func)
        starred = any(isinstance(a, ast.Starred) for a in e.args)
        if self.context.memory and (
            found is MISSING or not is_library(found) or found in (setattr, object.__setattr__, *HEAPS, *INSERTS)
            or any(_calls_user(a, self.context) for a in e.args)
        ):  # fmt: skip
            self.emit(replace(s, value=self.call(e)))
            return
        if found in (add_at, add_into, put_item_back, restore_item) and not starred and not e.keywords:
            self.emit(replace(s, value=self.operation(e)))
        elif is_adding_at(found) and not starred and not e.keywords:
            self.operation(e)
        elif isinstance(found, types.FunctionType) and not is_library(found):
            self.emit(assign(self.context.names.numbered("dropped"), self.operation(e), s))
        elif self.may_write(e, found):
            written = self.operation(e)
            if isinstance(written, ast.Call):
                self.emit(replace(s, value=written))
        else:
            self.emit(s)

    def may_write(self, e: ast.Call, found: object) -> bool:
        if any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords):
            return False
        if found is MISSING:
            match e.func:
                case ast.Attribute(value=owner, attr=attr):
                    writes = attr in FLATTENED_METHODS or is_told_where(e)
                    return writes and not self.is_static_path(owner)
                case _:
                    return False
        return (getattr(found, "__module__", None) or "numpy").split(".")[0] in ("numpy", "operator", "_operator")


def _calls_user(e: ast.expr, context: Context) -> bool:
    """Whether evaluating an expression runs code that might write into what is read before it."""
    for n in walk(e):
        if isinstance(n, ast.Call):
            found = context.scope.resolve(n.func)
            reads = isinstance(n.func, ast.Attribute) and n.func.attr in OF_ARRAYS and not context.objects
            if (found is MISSING and not reads) or (found is not MISSING and not is_library(found)):
                return True
    return False
