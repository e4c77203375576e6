"""Objects that are made and changed: what they hold is kept in a memory, which every call is given and gives back.

c = Cell(x, 0.5)      ->   called = call_class(memory, Cell, x, 0.5); c, memory = called
y = c.step(x)         ->   called = call_method(memory, c, "step", x); y, memory = called
c.h = y               ->   memory = changed(memory, c, "h", y)
z = c.h               ->   z = remembered(memory, c, "h")
xs.append(z)          ->   called = call_append(memory, xs, z); _, memory = called
return z              ->   return z, memory

Only in functions that make or change objects, or call one that does (analysis/state.py); see runtime/memory.py.
"""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import types
from collections.abc import Callable, Set
from typing import Any

import numpy as np

from tangent.normalise.context import Context
from tangent.runtime import library as library_module
from tangent.runtime import memory, memory_views, operators, stateful
from tangent.runtime.classes import factory_of, is_made_by_class, nothing
from tangent.runtime.dispatch import sequence
from tangent.runtime.kernels import functions as written_out
from tangent.runtime.objects import is_object
from tangent.source import dataclass  # noqa: F401  (it writes the initialisers of dataclasses)
from tangent.source.read import unwrapped
from tangent.source.remembering import named_after, remembering
from tangent.source.resolve import MISSING, is_library
from tangent.syntax.blocks import Attempt, Enter
from tangent.syntax.inserted import Insertion
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import SCOPES, assigned_inside, writes

METHODS = {
    "append": stateful.call_append, "extend": stateful.call_extend, "insert": stateful.call_insert,
    "pop": stateful.call_pop, "clear": stateful.call_clear, "reverse": stateful.call_reverse,
    "update": stateful.call_update, "setdefault": stateful.call_setdefault, "get": stateful.call_get,
}  # fmt: skip
KEYED = {
    library_module.sorted_by: stateful.call_sorted_by, library_module.chosen_by: stateful.call_chosen_by,
}  # fmt: skip
MAKERS = (list, dict, sorted, copy.copy, copy.deepcopy)
AS_THEY_ARE = frozenset("__class__ __name__ __dict__ __doc__ __module__ __qualname__".split())
ORDER = (ast.Eq, ast.NotEq, ast.Lt, ast.LtE, ast.Gt, ast.GtE)
FUNCTIONS_OF_FUNCTIONS = (library_module.__name__, operators.__name__, written_out.__name__)


def memorised(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    kept = context.memory
    if not kept:
        return f
    context.scope.local |= assigned_inside(f.body) - context.declared
    rewrite = _Memory(f, context)
    body = rewrite.block(f.body[:-1])
    last = f.body[-1]
    assert isinstance(last, ast.Return) and last.value is not None
    if context.source.function.entry:  # type: ignore[attr-defined]
        start = assign(kept, rewrite.call(memory.no_memory), f.body[0])
        result = context.names.fresh("result")
        end = assign(result, rewrite.call(memory.current, name(kept), last.value), last)
        if isinstance(last.value, ast.Name) and last.value.id in rewrite.plain:
            return replace(f, body=[start, *body, last])
        return replace(f, body=[start, *body, end, at(ast.Return(name(result)), last)])
    result = context.names.fresh("result")
    pair = assign(result, ast.Tuple([last.value, name(kept)], ast.Load()), last)
    return replace(f, body=[*body, pair, at(ast.Return(name(result)), last)])


class _Memory:
    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.context, self.memory = context, context.memory
        self.done: list[ast.stmt] = []
        self.plain = self.plain_variables(f)
        self.lists = context.source.function.lists  # type: ignore[attr-defined]
        self.own = set() if self.lists else self.own_lists(f)
        self.classes = self.known_classes(f)
        self.looped: dict[str, str] = {}
        self.counted = ""

    # What is known of variables

    def plain_variables(self, f: ast.FunctionDef) -> set[str]:
        """Variables that only ever are numbers or arrays, or lists that a library function made."""
        made: dict[str, list[ast.expr | None]] = {}
        for s in statements(f.body):
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=value):
                    made.setdefault(v, []).append(value)
                case ast.Assign(targets=[ast.Tuple(elts=elts)]):
                    for e in elts:
                        inner = e.value if isinstance(e, ast.Starred) else e
                        if isinstance(inner, ast.Name):
                            made.setdefault(inner.id, []).append(None)
                case ast.For(target=ast.Name(id=v), iter=iter):
                    made.setdefault(v, []).append(constant(0) if _is_range(iter) else None)
                case ast.FunctionDef(name=v) | Enter(target=ast.Name(id=v)):
                    made.setdefault(v, []).append(None)
        given = {a.arg for a in ast.walk(f.args) if isinstance(a, ast.arg)}
        displays = {v for v, es in made.items() if any(isinstance(e, ast.List | ast.Dict | ast.ListComp) for e in es)}
        found = set(made) - given
        while True:
            new = {v for v in found if all(self.is_plain(e, found, displays) for e in made[v])}
            if new == found:
                return found
            found = new

    def is_plain(self, e: ast.expr | None, known: Set[str] = frozenset(), displays: Set[str] = frozenset()) -> bool:
        match e:
            case ast.BinOp(left=left, op=ast.Add(), right=right):
                return any(
                    isinstance(x, ast.Constant) or (isinstance(x, ast.Name) and x.id in known) for x in (left, right)
                )
            case ast.BinOp(left=left, op=ast.Mult(), right=right):
                return not any(isinstance(x, ast.Name) and x.id in displays for x in (left, right))
            case ast.Attribute(value=ast.Name(id=v)) | ast.Name(id=v):
                return v in known
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v))) if v in known:
                return True
            case ast.BinOp() | ast.UnaryOp() | ast.Compare() | ast.BoolOp() | ast.JoinedStr():
                return True
            case ast.Constant():
                return True
            case ast.Call(func=func):
                found = self.context.scope.resolve(func)
                if found is MISSING or not is_library(found) or self.takes_functions(found):
                    return False
                return found not in MAKERS and found is not types.SimpleNamespace
            case _:
                return False

    def takes_functions(self, found: Any) -> bool:
        return getattr(found, "__module__", "") in FUNCTIONS_OF_FUNCTIONS

    def known_classes(self, f: ast.FunctionDef) -> dict[str, type]:
        """Variables that only ever are objects of one class, made here."""
        found: dict[str, set[Any]] = {}
        for s in statements(f.body):
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func)):
                    found.setdefault(v, set()).add(self.made_class(func))
                case _:
                    for v in writes(s):
                        found.setdefault(v, set()).add(None)
        given = {a.arg for a in ast.walk(f.args) if isinstance(a, ast.arg)}
        sole = {v: next(iter(kinds)) for v, kinds in found.items() if len(kinds) == 1 and v not in given}
        return {v: cls for v, cls in sole.items() if cls is not None}

    def made_class(self, func: ast.expr) -> type | None:
        found = self.context.scope.resolve(func)
        own = isinstance(found, type) and not is_made_by_class(found) and found is not types.SimpleNamespace
        return found if own and not issubclass(found, tuple) else None

    def own_lists(self, f: ast.FunctionDef) -> set[str]:
        """Lists and dicts that are made here and that nobody but their variable ever holds."""
        made: dict[str, list[bool]] = {}
        for s in statements(f.body):
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=value):
                    made.setdefault(v, []).append(isinstance(value, ast.List | ast.Dict))
                case ast.Assign(targets=[ast.Tuple(elts=elts)]):
                    for n in ast.walk(ast.Tuple(elts, ast.Store())):
                        if isinstance(n, ast.Name):
                            made.setdefault(n.id, []).append(False)
                case ast.FunctionDef(name=v):
                    made.setdefault(v, []).append(False)
        found = {v for v, kinds in made.items() if all(kinds)} - self.context.declared
        for s in statements(f.body):
            if found:
                found -= self.escaping(s)
        return found

    def escaping(self, s: ast.stmt) -> set[str]:
        """Variables that a statement lets somebody else hold."""
        match s:
            case ast.If(test=test) | ast.While(test=test):
                return self.handed_on(test)
            case ast.For(iter=iter):
                return self.handed_on(iter)
            case ast.Assign(targets=[ast.Name()], value=ast.Name(id=v)):
                return {v}
            case ast.Assign(targets=[ast.Name()], value=value):
                return self.handed_on(value)
            case ast.Assign(targets=[ast.Tuple()]):
                return set()
            case ast.Assign(targets=[ast.Subscript(slice=index)], value=value):
                return self.handed_on(value) | self.handed_on(index)
            case ast.AugAssign(value=value):
                return self.handed_on(value)
            case ast.Expr(value=value):
                return self.handed_on(value)
            case _:
                return {n.id for n in ast.walk(s) if isinstance(n, ast.Name)}

    def handed_on(self, e: ast.expr) -> set[str]:
        match e:
            case ast.Name(id=v):
                return {v}
            case ast.Constant():
                return set()
            case ast.Subscript(value=ast.Name(), slice=index):
                return self.handed_on(index)
            case ast.Slice() | ast.BinOp() | ast.UnaryOp() | ast.Compare():
                inner = [x for x in ast.iter_child_nodes(e) if isinstance(x, ast.expr)]
                return set().union(*(set() if isinstance(x, ast.Name) else self.handed_on(x) for x in inner))
            case ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr), args=args, keywords=[]) if attr in METHODS:
                return set().union(*(self.handed_on(a) for a in args))
            case ast.Call(func=func, args=args, keywords=keywords):
                found = self.context.scope.resolve(func)
                if found is not MISSING and is_library(found) and not self.takes_functions(found):
                    return set()
                inner = [*args, *(k.value for k in keywords)]
                return {n.id for a in inner for n in ast.walk(a) if isinstance(n, ast.Name)}
            case _:
                return {n.id for n in ast.walk(e) if isinstance(n, ast.Name)}

    # Statements

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        outer, self.done = self.done, []
        for s in body:
            self.statement(s)
        found, self.done = self.done, outer
        return found

    def emit(self, s: ast.stmt) -> None:
        self.done.append(s)

    def call(self, function: Any, *args: ast.expr) -> ast.Call:
        return ast.Call(name(self.context.use(function.__name__, function)), list(args), [])

    def statement(self, s: ast.stmt) -> None:
        self.like = s
        match s:
            case ast.If(body=[ast.Break()]):
                self.emit(s)
            case Attempt():
                self.attempt(s)
            case ast.If(test=test, body=body, orelse=orelse):
                self.emit(replace(s, test=self.truth(test), body=self.block(body), orelse=self.block(orelse)))
            case ast.While(test=test, body=body):
                self.emit(replace(s, test=self.truth(test), body=self.block(body)))
            case ast.For(iter=iter, body=body):
                self.emit(replace(s, iter=self.bounds(iter), body=self.block(body)))
                self.check_length(s)
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                self.assign(target, value, s)
            case ast.Assign(targets=[ast.Tuple()], value=ast.Name() as value):
                self.emit(replace(s, value=self.now(value)))
            case ast.Assign(targets=[ast.Attribute(value=owner, attr=attr)], value=value) if self.is_object(owner):
                self.store(owner, attr, value, s)
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
                self.change(stateful.call_store, [owner, self.key(index), value], s)
            case ast.AugAssign(
                target=ast.Subscript(value=ast.Name(id=v) as owner, slice=index), op=op, value=value
            ) if not self.is_kept_as_is(v):
                key = self.key(index)
                old = self.item(owner, key, s)
                self.check_number(old, ast.unparse(s.target), s)
                new = self.held(ast.BinOp(name(old), op, value), "t", s)
                self.change(stateful.call_store, [owner, key, name(new)], s)
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

    def insertion(self, s: Insertion) -> None:
        """A block for the backward pass: what it asks for in objects and lists is read before, and stored after."""
        places, stores = [], []
        for place in s.places:
            new, store = self.inserted_place(place, s)
            places.append(new)
            stores.append(store)
        viewed = tuple(v for v in sorted(s.block.reads) if self.may_be_list(name(v)))
        block = dataclasses.replace(s.block, viewed=viewed)
        self.emit(at(Insertion(places, block, name(self.memory) if viewed else None), s))
        for store in stores:
            store()

    def inserted_place(self, place: ast.expr, s: Insertion) -> tuple[ast.expr, Callable[[], None]]:
        match place:
            case ast.Attribute(value=value, attr=attr):
                owner = self.inserted_owner(value, s)
                if owner is not None and self.is_object(owner):
                    held = self.attribute(owner, attr, s)
                    return name(held), lambda: self.store(owner, attr, name(held), s)
            case ast.Subscript(value=value, slice=index):
                owner = self.inserted_owner(value, s)
                if owner is not None and not self.is_kept_as_is(owner.id):
                    key = self.key(index)
                    held = self.item(owner, key, s)
                    return name(held), lambda: self.change(stateful.call_store, [owner, key, name(held)], s)
            case ast.Name() if self.may_be_list(place):
                self.emit(at(ast.Expr(self.call(memory_views.require_own_state, name(self.memory), place)), s))
        return place, lambda: None

    def inserted_owner(self, e: ast.expr, s: Insertion) -> ast.Name | None:
        """What holds the place, in a variable; None where other passes look after it."""
        match e:
            case ast.Name():
                return e
            case ast.Attribute(value=value, attr=attr):
                owner = self.inserted_owner(value, s)
                known = owner is not None and self.is_object(owner)
                return name(self.attribute(owner, attr, s)) if owner is not None and known else None
            case ast.Subscript(value=value, slice=index):
                owner = self.inserted_owner(value, s)
                if owner is None or self.is_kept_as_is(owner.id):
                    return None
                return name(self.item(owner, self.key(index), s))
            case _:
                return None

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

    def count(self, s: ast.stmt) -> None:
        """Inside `try`: up to here nothing is lost."""
        if self.counted:
            self.emit(assign(self.counted, self.call(memory.new_count), s))

    def rebuilt(self, s: ast.stmt) -> ast.stmt:
        """A statement of another kind (`raise`, `assert`), with what it reads as it is now."""
        changes = {f: self.inside(e) for f, e in ast.iter_fields(s) if isinstance(e, ast.expr)}
        return replace(s, **changes) if changes else s

    def is_kept_as_is(self, v: str) -> bool:
        """Whether a variable is a list of its own, an array or a global, which other passes look after."""
        found = MISSING if v in self.context.scope.cells else self.context.scope.lookup(v)
        return v in self.own or v in self.plain or (found is not MISSING and not is_object(found))

    def check_length(self, s: ast.For) -> None:
        """Loops run over what a list holds when they start."""
        walked = {self.looped[n.id] for n in ast.walk(s.iter) if isinstance(n, ast.Name) and n.id in self.looped}
        for v in sorted(walked - assigned_inside(s.body)):
            if any(isinstance(x, ast.Call) and not self.is_plain(x) for b in s.body for x in ast.walk(b)):
                items = next(k for k, held in self.looped.items() if held == v)
                self.emit(at(ast.Expr(self.call(memory.require_same, name(self.memory), name(v), name(items))), s))

    def assign(self, target: str, value: ast.expr, s: ast.stmt) -> None:
        match value:
            case ast.Attribute(value=owner, attr=attr) if self.is_object(owner):
                self.emit(assign(target, name(self.attribute(owner, attr, s, target)), s))
            case ast.Subscript(value=ast.Name(id=v) as owner, slice=_) if v not in self.own | self.plain:
                self.emit(assign(target, replace(value, value=self.now(owner)), s))
            case ast.List() | ast.Dict() if target not in self.own:
                self.emit(assign(target, self.call(memory.new_list, self.display(value, s)), s))
            case ast.Call():
                self.assign_call(target, value, s)
            case ast.BinOp(op=ast.Add(), left=left, right=right) if self.may_be_list(left) and self.may_be_list(right):
                if (s.lineno, s.col_offset) in self.context.augmented and isinstance(left, ast.Name):
                    self.check_number(left.id, left.id, s)
                self.emit(assign(target, replace(value, left=self.now(left), right=self.now(right)), s))
            case ast.BinOp(left=ast.Name(id=v)) if (
                (s.lineno, s.col_offset) in self.context.augmented
                and v not in self.plain | self.own
                and v not in {a.arg for a in ast.walk(self.context.source.tree.args) if isinstance(a, ast.arg)}
            ):
                self.check_number(v, v, s)
                self.emit(assign(target, value, s))
            case ast.BinOp(op=ast.Mult()) if target not in self.plain | self.own:
                self.emit(assign(target, self.call(memory.new_list, self.display(value, s)), s))
            case ast.Lambda() | ast.Name() | ast.Constant() | ast.BinOp() | ast.UnaryOp() | ast.Tuple():
                self.emit(assign(target, value, s))
            case _:
                self.emit(assign(target, self.inside(value), s))

    def may_be_list(self, e: ast.expr) -> bool:
        return isinstance(e, ast.Name) and e.id not in self.plain and e.id not in self.own

    def display(self, e: ast.expr, s: ast.stmt) -> ast.expr:
        return name(self.held(e, "items", s))

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

    def delete(self, target: ast.expr, s: ast.stmt) -> None:
        match target:
            case ast.Subscript(value=ast.Name(id=v) as owner, slice=index) if not self.is_kept_as_is(v):
                self.change(stateful.call_delete, [owner, self.key(index)], s)
            case ast.Attribute(value=ast.Name() as owner, attr=attr):
                self.change(memory.forget, [owner, constant(attr)], s)
            case _:
                self.emit(at(ast.Delete([target]), s))

    # Attributes and items

    def is_object(self, e: ast.expr) -> bool:
        """Whether an expression may be an object: not a module, a class, an array of the library."""
        match e:
            case ast.Name(id=v):
                found = self.context.scope.lookup(v)
                return v not in self.plain if found is MISSING else is_object(found)
            case _:
                return False

    def attribute(self, owner: ast.expr, attr: str, s: ast.stmt, base: str = "t") -> str:
        """A variable that holds an attribute as it is now."""
        if attr in AS_THEY_ARE:
            return self.held(ast.Attribute(owner, attr, ast.Load()), base, s)
        if attr in self.context.properties:
            held = self.context.names.numbered(base)
            self.context.scope.local.add(held)
            self.pair(held, self.call(stateful.call_getter, name(self.memory), owner, constant(attr)), s)
            return held
        read = self.call(memory.remembered, name(self.memory), owner, constant(attr))
        if not hasattr(np.ndarray, attr):
            return self.held(read, base, s)
        held, branch = self.context.names.numbered(base), self.context.names.numbered("branch")
        self.context.scope.local |= {held, branch}
        self.emit(assign(branch, self.call(is_object, owner), s))
        plain = assign(held, ast.copy_location(ast.Attribute(owner, attr, ast.Load()), s), s)
        self.emit(at(ast.If(name(branch), [assign(held, read, s)], [plain]), s))
        return held

    def store(self, owner: ast.expr, attr: str, value: ast.expr, s: ast.stmt) -> None:
        function = stateful.call_setter if attr in self.context.properties else memory.changed
        self.change(function, [owner, constant(attr), value], s)

    def item(self, owner: ast.expr, key: ast.expr, s: ast.stmt) -> str:
        return self.held(ast.Subscript(self.now(owner), key, ast.Load()), "t", s)

    def now(self, e: ast.expr) -> ast.expr:
        """A list or dict as it is now."""
        if not self.may_be_list(e):
            return e
        return name(self.held(self.call(memory.contents, name(self.memory), e), "now", self.like))

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
        return index if isinstance(index, ast.Name | ast.Constant) else name(self.held(index, "t", self.like))

    def check_number(self, v: str, shown: str, s: ast.stmt) -> None:
        """Stop where an operator in place would change an array that somebody else may refer to."""
        source = self.context.source
        place = [constant(source.file), constant(s.lineno), constant(source.line(s.lineno).strip())]
        self.emit(at(ast.Expr(self.call(memory.require_number, name(v), constant(shown), *place)), s))

    def bounds(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(), args=args):
                return replace(e, args=[self.bounds(a) for a in args])
            case ast.Name():
                return self.now(e)
            case _:
                return e

    # Calls

    def assign_call(self, target: str, e: ast.Call, s: ast.stmt) -> None:
        func = e.func
        found = self.context.scope.resolve(func)
        match func:
            case ast.Attribute(value=ast.Name(id=v) as owner, attr=attr) if found is MISSING:
                method = inspect.getattr_static(self.classes[v], attr, None) if v in self.classes else None
                if self.is_kept_as_is(v):
                    self.emit(assign(target, self.with_current(e), s))
                elif isinstance(method, types.FunctionType) and self.is_followed(method):
                    inner = self.context.use(method.__name__, remembering(method, lists=self.lists))
                    called = ast.Call(name(inner), [name(self.memory), owner, *e.args], e.keywords)
                    self.pair(target, ast.copy_location(called, e), s)
                elif attr in METHODS and not e.keywords:
                    self.pair(target, self.threaded_call(METHODS[attr], [owner, *e.args], [], found), s)
                elif hasattr(np.ndarray, attr) or attr in ("items", "keys", "values", "index", "count"):
                    self.array_method(target, owner, attr, e, s)
                else:
                    self.pair(
                        target,
                        self.threaded_call(stateful.call_method, [owner, constant(attr), *e.args], e.keywords, found),
                        s,
                    )
                return
        if found is MISSING or (self.context.scope.lookup(getattr(func, "id", "")) is MISSING and not _is_path(func)):
            self.pair(target, self.threaded_call(stateful.call_function, [func, *e.args], e.keywords, found), s)
            return
        self.known_call(target, unwrapped(found), e, s)

    def known_call(self, target: str, found: Any, e: ast.Call, s: ast.stmt) -> None:
        if found is sequence and isinstance(e.args[0], ast.Name) and self.may_be_list(e.args[0]):
            self.looped[target] = e.args[0].id
            self.pair(target, self.call(stateful.call_sequence, name(self.memory), e.args[0]), s)
            return
        if found in KEYED:
            self.pair(target, self.threaded_call(KEYED[found], e.args, e.keywords, found), s)
            return
        if found is object.__setattr__ and len(e.args) == 3:
            self.change(memory.initialised, e.args, s)
            self.emit(assign(target, constant(None), s))
        elif found is getattr and len(e.args) == 3:
            self.emit(assign(target, self.call(stateful.remembered_or, name(self.memory), *e.args), s))
        elif found is hasattr and len(e.args) == 2:
            self.emit(assign(target, self.call(memory.is_remembered, name(self.memory), *e.args), s))
        elif found is getattr and len(e.args) == 2:
            self.emit(assign(target, self.call(memory.remembered, name(self.memory), *e.args), s))
        elif found is setattr and len(e.args) == 3:
            self.change(memory.changed, e.args, s)
            self.emit(assign(target, constant(None), s))
        elif found is dataclasses.replace and len(e.args) == 1:
            self.pair(target, self.threaded_call(stateful.call_replace, e.args, e.keywords, found), s)
        elif found is copy.copy and len(e.args) == 1:
            self.pair(target, self.threaded_call(stateful.call_copy, e.args, [], found), s)
        elif found is len and len(e.args) == 1 and self.may_be_list(e.args[0]):
            self.pair(target, self.call(stateful.call_length, name(self.memory), *e.args), s)
        elif isinstance(found, type) and not is_made_by_class(found) and not issubclass(found, tuple):
            self.construct(target, found, e, s)
        elif isinstance(found, types.FunctionType) and self.is_followed(found):
            inner = remembering(found, lists=self.lists)
            called = ast.Call(name(self.context.use(found.__name__, inner)), [name(self.memory), *e.args], e.keywords)
            self.pair(target, ast.copy_location(called, e), s)
        elif found in MAKERS and target not in self.own:
            self.emit(assign(target, self.call(memory.new_list, self.display(self.with_current(e), s)), s))
        elif is_library(found) or isinstance(found, type):
            self.emit(assign(target, self.with_current(e), s))
        else:
            self.pair(target, self.threaded_call(stateful.call_function, [e.func, *e.args], e.keywords, found), s)

    def construct(self, target: str, cls: type, e: ast.Call, s: ast.stmt) -> None:
        """An object, and what its initialiser does."""
        if cls is types.SimpleNamespace:
            self.pair(target, self.threaded_call(stateful.call_class, [e.func, *e.args], e.keywords, cls), s)
            return
        made = self.held(self.call(memory.new_object, e.func), target, s)
        initialise: Any = factory_of(cls)
        if initialise is not nothing:
            inner = named_after(remembering(initialise, lists=self.lists), cls)
            called = ast.Call(
                name(self.context.use(cls.__name__, inner)), [name(self.memory), name(made), *e.args], e.keywords
            )
            self.pair(self.context.names.numbered("dropped"), ast.copy_location(called, e), s)
        self.emit(assign(target, name(made), s))

    def is_followed(self, found: types.FunctionType) -> bool:
        """Whether a function is read, and given the memory."""
        if getattr(found, "makes_derivatives", False) or self.context.has_rule(found):
            return False
        return not is_library(found) or self.takes_functions(found)

    def threaded_call(self, function: Any, args: list[ast.expr], keywords: list[ast.keyword], found: Any) -> ast.expr:
        made = self.call(function, name(self.memory), *args)
        return ast.copy_location(replace(made, keywords=keywords), self.like)

    def with_current(self, e: ast.Call) -> ast.expr:
        """A call of a library function: it is given lists and dicts as they are now."""

        def given(a: ast.expr) -> ast.expr:
            if isinstance(a, ast.Starred):
                return replace(a, value=given(a.value))
            if not self.may_be_list(a):
                return a
            return name(self.held(self.call(memory.current, name(self.memory), a), "now", self.like))

        return replace(
            e, args=[given(a) for a in e.args], keywords=[replace(k, value=given(k.value)) for k in e.keywords]
        )

    def array_method(self, target: str, owner: ast.Name, attr: str, e: ast.Call, s: ast.stmt) -> None:
        """A method that arrays or dicts have: of an object it is one of its class."""
        branch = self.context.names.numbered("branch")
        self.context.scope.local.add(branch)
        self.emit(assign(branch, self.call(is_object, owner), s))
        outer, self.done = self.done, []
        self.pair(
            target, self.threaded_call(stateful.call_method, [owner, constant(attr), *e.args], e.keywords, None), s
        )
        own, self.done = self.done, []
        self.emit(assign(target, self.with_current(replace(e, func=replace(e.func, value=self.now(owner)))), s))
        plain, self.done = self.done, outer
        self.emit(at(ast.If(name(branch), own, plain), s))

    def effect(self, e: ast.Call, s: ast.Expr) -> None:
        """A call for its effects."""
        found = self.context.scope.resolve(e.func)
        match e.func:
            case ast.Attribute(value=ast.Name(id=v)) if found is MISSING and self.is_kept_as_is(v):
                self.emit(s)
                return
        if found is not MISSING and is_library(found) and found not in (setattr, object.__setattr__):
            self.emit(replace(s, value=self.inside(e)))
            return
        self.assign_call(self.context.names.numbered("dropped"), self.flat(e), s)

    def flat(self, e: ast.Call) -> ast.Call:
        """The call with names for its arguments, where they have none."""

        def atom(a: ast.expr) -> ast.expr:
            if isinstance(a, ast.Starred):
                return replace(a, value=atom(a.value))
            if isinstance(a, ast.Name | ast.Constant):
                return a
            held = self.context.names.numbered("t")
            self.context.scope.local.add(held)
            self.assign(held, a, self.like)
            return name(held)

        return replace(
            e, args=[atom(a) for a in e.args], keywords=[replace(k, value=atom(k.value)) for k in e.keywords]
        )

    def inside(self, e: ast.expr) -> ast.expr:
        """An expression that no derivative flows through, with what it reads as it is now."""
        if isinstance(e, (*SCOPES, ast.Lambda, ast.Constant, ast.Name)):
            return e
        changes: dict[str, Any] = {}
        for field, old in ast.iter_fields(e):
            if isinstance(old, ast.expr):
                changes[field] = self.inside(old)
            elif isinstance(old, list):
                changes[field] = [
                    self.inside(x) if isinstance(x, ast.expr)
                    else replace(x, value=self.inside(x.value)) if isinstance(x, ast.keyword) else x
                    for x in old
                ]  # fmt: skip
        new = replace(e, **changes)
        match new:
            case ast.Attribute(value=owner, attr=attr, ctx=ast.Load()) if (
                not self.is_static(e) and attr not in AS_THEY_ARE and not hasattr(np.ndarray, attr)
            ):
                return self.call(memory.remembered, name(self.memory), owner, constant(attr))
            case ast.Subscript(value=owner, ctx=ast.Load()) if self.may_be_list(owner) or not isinstance(
                owner, ast.Name
            ):
                return replace(new, value=self.call(memory.contents, name(self.memory), owner))
            case ast.UnaryOp(op=ast.Not(), operand=ast.Name() as a) if self.may_be_list(a):
                return replace(new, operand=self.truth(a))
            case ast.BoolOp(values=values):
                return replace(new, values=[self.truth(v) if isinstance(v, ast.Name) else v for v in values])
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name() as a]) if self.may_be_list(a):
                return replace(new, args=[self.call(memory.contents, name(self.memory), a)])
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name() as a]) if self.may_be_list(a):
                return replace(new, comparators=[self.call(memory.contents, name(self.memory), a)])
            case ast.Compare(left=left, ops=ops, comparators=others) if not any(
                isinstance(x, ast.Constant) for x in (left, *others)
            ) and all(isinstance(op, ORDER) for op in ops):
                left, *others = [
                    self.call(memory.current, name(self.memory), x) if self.may_be_list(x) else x
                    for x in (left, *others)
                ]
                return replace(new, left=left, comparators=others)
            case ast.Call(func=func, args=args) if (
                found := self.context.scope.resolve(func)
            ) is not MISSING and is_library(found):
                return replace(
                    new,
                    args=[self.call(memory.current, name(self.memory), a) if self.may_be_list(a) else a for a in args],
                )
            case _:
                return new

    def truth(self, e: ast.expr) -> ast.expr:
        """A condition: of a list, whether it holds something now."""
        found = self.inside(e)
        listed = self.may_be_list(found) or isinstance(e, ast.Attribute | ast.Subscript)
        return self.call(memory.contents, name(self.memory), found) if listed else found

    def is_static(self, e: ast.expr) -> bool:
        root = e
        while isinstance(root, ast.Attribute):
            root = root.value
        if not isinstance(root, ast.Name):
            return False
        found = self.context.scope.lookup(root.id)
        return found is not MISSING and not is_object(found)


def _is_range(e: ast.expr) -> bool:
    return isinstance(e, ast.Call) and isinstance(e.func, ast.Name) and e.func.id.rstrip("_") in ("range", "reversed")


def _is_path(e: ast.expr) -> bool:
    return isinstance(e, ast.Attribute) and (isinstance(e.value, ast.Name) or _is_path(e.value))
