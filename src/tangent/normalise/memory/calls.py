"""Calls of functions, methods and classes over a memory."""

from __future__ import annotations

import ast
import copy
import dataclasses
import inspect
import types
from collections.abc import Sequence
from typing import Any

import numpy as np

from tangent.normalise.memory.arrays import CHANGING, Arrays
from tangent.normalise.memory.known import (
    ASKING_TRUTH,
    COLLECTIONS,
    COPIES,
    HOLDING,
    MAKERS,
    METHODS,
    OF_NUMBERS,
    TELLING,
    is_of_container,
)
from tangent.runtime import library as library_module
from tangent.runtime import memory, memory_arrays, memory_views, stateful, walks
from tangent.runtime.classes import factory_of, is_made_by_class, nothing
from tangent.runtime.dispatch import sequence
from tangent.runtime.objects import field, is_object
from tangent.runtime.ordered import HEAPS, INSERTS, plain_items
from tangent.runtime.places import METHODS as METHODS_OF_VIEWS
from tangent.runtime.places import is_view_function
from tangent.source.makers import lasting_maker
from tangent.source.naming import is_library
from tangent.source.read import unwrapped
from tangent.source.remembering import named_after, remembering
from tangent.source.resolve import MISSING
from tangent.source.writing import writes_by_iterator
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import replace

KEYED = {
    library_module.sorted_by: stateful.call_sorted_by, library_module.chosen_by: stateful.call_chosen_by,
}  # fmt: skip

OF_ARRAYS = frozenset(m for m in dir(np.ndarray) if callable(getattr(np.ndarray, m)))
OF_PLAIN_VALUES = (OF_ARRAYS | frozenset("items keys values index count".split())) - CHANGING


class Calls(Arrays):
    """Hands the memory to calls and takes it back."""

    def assign_call(self, target: str, e: ast.Call, s: ast.stmt) -> None:
        e = self.unpacked(e)
        func = e.func
        found = self.context.scope.resolve(func)
        match func:
            case ast.Attribute(value=ast.Constant()):
                self.emit(assign(target, self.with_current(e), s))
                return
            case ast.Attribute(value=owner, attr=attr) if self.arrays and self.is_array_around(owner):
                array = owner if isinstance(owner, ast.Name) else name(self.held(owner, "t", s))
                if not self.changes_array(target, array, attr, e, s):
                    self.method_now(target, array, attr, e, s)
                return
            case ast.Attribute(value=ast.Attribute(value=ast.Name(id=v) as holder, attr=attr)) if (
                found is MISSING and v in self.context.scope.local
            ):
                owner = name(self.member(holder, attr, s))
                self.assign_call(target, replace(e, func=replace(func, value=owner)), s)
                return
            case ast.Attribute(value=ast.Name(id=v) as owner, attr=attr) if found is MISSING:
                method = inspect.getattr_static(self.classes[v], attr, None) if v in self.classes else None
                if self.is_kept_as_is(v):
                    self.emit(assign(target, self.with_current(e), s))
                elif isinstance(method, types.FunctionType) and self.is_followed(method):
                    inner = self.context.use(method.__name__, remembering(method, lists=self.lists, arrays=self.arrays))
                    called = ast.Call(name(inner), [name(self.memory), owner, *e.args], e.keywords)
                    self.pair(target, ast.copy_location(called, e), s)
                elif self.changes_array(target, owner, attr, e, s):
                    pass
                elif is_of_container(e, attr):
                    self.pair(target, self.threaded_call(METHODS[attr], [owner, *e.args], e.keywords, found), s)
                elif attr in OF_PLAIN_VALUES:
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
        if writes_by_iterator(found, e):
            raise self.context.refuse(
                e, "'np.nditer' here", "it gives parts of arrays to be written into, which are not followed",
                "Loop over np.ndindex(x.shape).",
            )  # fmt: skip
        if found is sequence and isinstance(e.args[0], ast.Name) and self.may_be_list(e.args[0]):
            self.looped[target] = e.args[0].id
            if len(e.args) > 1:
                self.emit(at(ast.Expr(self.call(walks.require_unwritten, e.args[0])), s))
            self.pair(target, self.call(stateful.call_loop, name(self.memory), e.args[0]), s)
            return
        if found is sequence and isinstance(e.args[0], ast.Constant) and isinstance(e.args[0].value, str):
            self.emit(assign(target, self.call(plain_items, e.args[0]), s))
            return
        if found in COLLECTIONS:
            self.pair(target, self.threaded_call(COLLECTIONS[found], e.args, e.keywords, found), s)
            return
        if found in COPIES and len(e.args) == 1 and self.may_be_list(e.args[0]) and target not in self.own:
            self.pair(target, self.threaded_call(COPIES[found], e.args, e.keywords, found), s)
            return
        if found in HEAPS:
            args = [constant(found.__name__), *e.args]
            self.pair(target, self.threaded_call(stateful.call_heap, args, e.keywords, found), s)
            return
        if found in INSERTS:
            args = [constant(INSERTS[found]), *e.args]
            self.pair(target, self.threaded_call(stateful.call_insort, args, e.keywords, found), s)
            return
        if found in KEYED:
            self.pair(target, self.threaded_call(KEYED[found], e.args, e.keywords, found), s)
            return
        if found in HOLDING:
            self.emit(assign(target, e, s))
        elif found is library_module.subset:  # what a dict holds goes on as it is
            self.emit(assign(target, replace(e, args=[self.now(e.args[0]), *e.args[1:]]), s))
        elif found is object.__setattr__ and len(e.args) == 3:
            self.change(memory.initialised, e.args, s)
            self.emit(assign(target, constant(None), s))
        elif found is object.__getattribute__ and len(e.args) == 2:  # in descriptors (source/namespaces.py)
            self.emit(assign(target, self.call(stateful.call_held, name(self.memory), *e.args), s))
        elif found is field and isinstance(title := e.args[1], ast.Constant):
            self.emit(assign(target, name(self.member(e.args[0], str(title.value), s)), s))
        elif found is getattr and len(e.args) == 3:
            self.emit(assign(target, self.call(stateful.remembered_or, name(self.memory), *e.args), s))
        elif found is hasattr and len(e.args) == 2:
            self.emit(assign(target, self.call(memory.is_remembered, name(self.memory), *e.args), s))
        elif found is getattr and len(e.args) == 2 and self.context.properties:
            self.pair(target, self.call(stateful.call_getter, name(self.memory), *e.args), s)
        elif found is getattr and len(e.args) == 2:
            self.emit(assign(target, self.call(memory.remembered, name(self.memory), *e.args), s))
        elif found is setattr and len(e.args) == 3:
            self.change(stateful.call_setter if self.context.properties else memory.changed, e.args, s)
            self.emit(assign(target, constant(None), s))
        elif found is dataclasses.replace and len(e.args) == 1:
            self.pair(target, self.threaded_call(stateful.call_replace, e.args, e.keywords, found), s)
        elif found is copy.copy and len(e.args) == 1:
            self.pair(target, self.threaded_call(stateful.call_copy, e.args, [], found), s)
        elif found is copy.deepcopy and len(e.args) == 1:
            self.pair(target, self.threaded_call(stateful.call_deepcopy, e.args, [], found), s)
        elif found is len and len(e.args) == 1 and self.may_be_list(e.args[0]):
            self.pair(target, self.call(stateful.call_length, name(self.memory), *e.args), s)
        elif isinstance(found, type) and self.is_built(found):
            self.construct(target, found, e, s)
        elif isinstance(found, types.FunctionType) and self.is_followed(found):
            inner = remembering(found, lists=self.lists, arrays=self.arrays)
            called = ast.Call(name(self.context.use(found.__name__, inner)), [name(self.memory), *e.args], e.keywords)
            self.pair(target, ast.copy_location(called, e), s)
        elif found in MAKERS and target not in self.own:
            self.emit(assign(target, self.call(memory.new_list, self.display(self.with_current(e), s)), s))
        elif self.arrays and is_view_function(found) and any(map(self.may_be_list, e.args)):
            self.view_of(target, found, e, s)
        elif is_library(found) or isinstance(found, type):
            self.made(target, self.with_current(e), s)
        else:
            self.pair(target, self.threaded_call(stateful.call_function, [e.func, *e.args], e.keywords, found), s)

    def construct(self, target: str, cls: type, e: ast.Call, s: ast.stmt) -> None:
        """An object, and what its initialiser does."""
        if cls is types.SimpleNamespace or isinstance(cls.__new__, types.FunctionType):
            self.pair(target, self.threaded_call(stateful.call_class, [e.func, *e.args], e.keywords, cls), s)
            return
        if (whole := lasting_maker(cls)) is not None:
            inner = remembering(whole, lists=self.lists, arrays=self.arrays)
            called = ast.Call(name(self.context.use(cls.__name__, inner)), [name(self.memory), *e.args], e.keywords)
            self.pair(target, ast.copy_location(called, e), s)
            return
        made = self.held(self.call(memory.new_object, e.func), target, s)
        initialise: Any = factory_of(cls)
        if initialise is not nothing:
            inner = named_after(remembering(initialise, lists=self.lists, arrays=self.arrays), cls)
            called = ast.Call(
                name(self.context.use(cls.__name__, inner)), [name(self.memory), name(made), *e.args], e.keywords
            )
            self.pair(self.context.names.numbered("dropped"), ast.copy_location(called, e), s)
        self.emit(assign(target, name(made), s))

    def is_built(self, cls: type) -> bool:
        """Whether objects of a class are made step by step, in the memory."""
        return not is_made_by_class(cls) and not issubclass(cls, tuple) and not self.context.has_rule(cls)

    def is_followed(self, found: types.FunctionType) -> bool:
        """Whether a function is read, and given the memory."""
        given = hasattr(found, "origin") or self.context.has_rule(found)
        if getattr(found, "makes_derivatives", False) or given:
            return False
        return not is_library(found) or self.takes_functions(found)

    def view_of(self, target: str, found: Any, e: ast.Call, s: ast.stmt) -> None:
        """`np.reshape(a, ...)` and the like: of what may be an array that others hold."""
        several = found in (np.einsum, np.broadcast_arrays)
        owners = [a for a in (e.args if several else e.args[:1]) if self.may_be_list(a)]
        whole = self.with_current(e, owners)
        asked = replace(self.call(memory_arrays.gives_view, e.func, *whole.args), keywords=whole.keywords)
        self.viewed(asked, assign(target, whole, s), lambda: self.made(target, self.with_current(whole), s), owners)

    def threaded_call(self, function: Any, args: list[ast.expr], keywords: list[ast.keyword], found: Any) -> ast.expr:
        made = self.call(function, name(self.memory), *args)
        return ast.copy_location(replace(made, keywords=keywords), self.like)

    def with_current(self, e: ast.Call, kept: Sequence[ast.expr] = ()) -> ast.Call:
        """A call of a library function: it is given lists and dicts as they are now, but for some that are kept."""
        found = self.context.scope.resolve(e.func)
        asked = found in TELLING or (found is int and self.context.overloads("__int__"))
        if not self.arrays and found in OF_NUMBERS and not asked:
            return e
        telling = memory_views.asked_now if found in ASKING_TRUTH else memory_views.as_now
        reading = telling if asked else memory.current

        def given(a: ast.expr) -> ast.expr:
            if isinstance(a, ast.Starred):
                return replace(a, value=given(a.value))
            if not self.may_hold_list(a) or a in kept:
                return a
            return name(self.held(self.call(reading, name(self.memory), a), "now", self.like))

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
        self.method_now(target, owner, attr, e, s)
        plain, self.done = self.done, outer
        self.emit(at(ast.If(name(branch), own, plain), s))

    def method_now(self, target: str, owner: ast.Name, attr: str, e: ast.Call, s: ast.stmt) -> None:
        """A method of an array or a dict, as that is now."""

        def method(x: ast.expr) -> ast.expr:
            return ast.copy_location(ast.Attribute(x, attr, ast.Load()), s)

        if self.arrays and attr in METHODS_OF_VIEWS:
            whole = self.with_current(e)
            asked = replace(
                self.call(memory_arrays.gives_view, constant(attr), owner, *whole.args), keywords=whole.keywords
            )
            make = lambda: self.made(target, replace(whole, func=method(self.now(owner))), s)  # noqa: E731
            self.viewed(asked, assign(target, whole, s), make, [owner])
        else:
            self.made(target, self.with_current(replace(e, func=method(self.now(owner)))), s)


def _is_path(e: ast.expr) -> bool:
    return isinstance(e, ast.Attribute) and (isinstance(e.value, ast.Name) or _is_path(e.value))
