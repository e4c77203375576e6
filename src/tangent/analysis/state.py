"""Whether a function needs a memory: it makes objects, or it, or something that it calls, changes some.

What is found: objects of the user's classes that are made; lists, dicts and attributes inside objects that are changed;
functions and methods that change what they are given or what they capture. A function that only changes a list, dict or
object under a name of its own needs none (transform/containers.py).
"""

from __future__ import annotations

import ast
import contextlib
import dataclasses
import enum
import functools
import types
import weakref
from collections import Counter, OrderedDict, defaultdict, deque
from collections.abc import Callable, Iterator
from typing import Any

from tangent.analysis.nested import (
    NESTED,
    augmented_inside,
    base_of,
    displays_made,
    is_one_kept,
    keeps_rebinding,
    lists_of_lists,
    nested_writers,
)
from tangent.analysis.written import writes_arrays
from tangent.errors import TangentError
from tangent.options import Memory
from tangent.runtime.classes import PROPERTIES, is_made_by_class, making
from tangent.runtime.descriptors import assignment_of
from tangent.runtime.filling import is_filling
from tangent.runtime.objects import holds_filling, is_descriptor, is_object
from tangent.source.cells import content_of
from tangent.source.generators import is_generator
from tangent.source.imports import local_imports
from tangent.source.makers import maker
from tangent.source.naming import is_library
from tangent.source.read import is_derivative, read, unwrapped
from tangent.source.resolve import MISSING, Scope
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import arguments, assigned_inside

CHANGING = frozenset("append extend insert pop remove clear reverse update setdefault popitem delete".split())
COLLECTIONS = (deque, defaultdict, OrderedDict, Counter)
OF_ARRAYS = frozenset("flat T real imag".split())
UNSEEN = frozenset(
    "__init__ __new__ __repr__ __str__ __eq__ __hash__ __post_init__ __setattr__ __init_subclass__ __enter__ "
    "__exit__".split()
)
ASSIGNING = (setattr, delattr, object.__setattr__, object.__delattr__)
ITERATING = ("__iter__", "__reversed__")
NO_NAMES: frozenset[str] = frozenset()
_known: weakref.WeakKeyDictionary[Any, dict[Any, Memory]] = weakref.WeakKeyDictionary()
_writing: weakref.WeakKeyDictionary[Any, dict[types.CodeType, bool]] = weakref.WeakKeyDictionary()


def needs_memory(
    function: types.FunctionType, has_rule: Callable[[Any], bool], classes: frozenset[type] = frozenset()
) -> Memory:
    """The memory that a function needs, given objects of some classes; what has a rule is not looked into."""
    function = getattr(function, "remembers", function)
    if (origin := getattr(function, "origin", None)) is not None:
        return needs_memory(origin[0], has_rule, classes)
    known = _known.setdefault(function, {})
    key = (function.__code__, classes)
    if key not in known:
        known[key] = _Search(function, has_rule, classes).found()
    return known[key]


def forget(function: types.FunctionType) -> None:
    """What a function needs is asked again: something that it calls is another function now."""
    for known in (_known, _writing):
        known.pop(getattr(function, "remembers", function), None)


def writes_into_arrays(function: types.FunctionType, has_rule: Callable[[Any], bool]) -> bool:
    """Whether a function, or one that it calls, writes into what may be an array."""
    function = getattr(function, "remembers", function)
    known = _writing.setdefault(function, {})
    if function.__code__ not in known:
        search = _Search(function, has_rule, frozenset())
        search.found()
        known[function.__code__] = search.arrays or search.augments
    return known[function.__code__]


def classes_of(values: Any, depth: int = 3) -> frozenset[type]:
    """The classes of the objects among some values and in them."""
    found: set[type] = set()
    _collect(values, depth + 1, found)
    return frozenset(found)


def _collect(x: Any, depth: int, found: set[type]) -> None:
    if depth < 0:
        return
    if isinstance(x, (list, tuple)):
        for v in {type(v): v for v in x}.values():
            _collect(v, depth - 1, found)
    elif isinstance(x, dict):
        for v in {type(v): v for v in x.values()}.values():
            _collect(v, depth - 1, found)
    elif is_object(x):
        found.add(type(x))
        for v in getattr(x, "__dict__", {}).values():
            _collect(v, depth - 1, found)


class _Search:
    def __init__(self, function: types.FunctionType, has_rule: Callable[[Any], bool], classes: frozenset[type]) -> None:
        self.has_rule = has_rule
        self.waiting: list[tuple[types.FunctionType, bool, frozenset[str]]] = [(function, True, NO_NAMES)]
        self.seen: set[tuple[types.CodeType, frozenset[str]]] = set()
        self.names: set[str] = set()
        self.classes: set[type] = set()
        self.needed = self.arrays = False
        self.augments = False  # whether nested functions have operators in place on what is not theirs
        self.keeps = self.assigns = False  # whether objects compute attributes once, and whether some are assigned
        self.holders = False  # whether objects are made that may hold arrays
        for c in classes:
            self.meet(c)

    def found(self) -> Memory:
        while True:
            while self.waiting:
                found = self.changes(*self.waiting.pop())
                self.needed = self.needed or found or (self.keeps and self.assigns)
                if self.needed and self.arrays:
                    return "arrays"
            for c in self.classes:
                new = [f for f in _methods(c, self.names) if (f.__code__, NO_NAMES) not in self.seen]
                self.waiting += [(f, False, NO_NAMES) for f in new]
            if not self.waiting:
                return "arrays" if self.arrays and self.holders else "objects" if self.needed else ""

    def meet(self, cls: type) -> None:
        if cls not in self.classes and not is_library(cls):
            self.classes.add(cls)
            members = [(name, member) for c in cls.__mro__ for name, member in vars(c).items()]
            self.needed |= any(is_descriptor(cls, name) for name, _ in members) or assignment_of(cls) is not None
            self.keeps |= any(isinstance(member, functools.cached_property) for _, member in members)
            PROPERTIES.update(_properties(cls))

    def changes(self, function: types.FunctionType, root: bool, containers: frozenset[str]) -> bool:
        """Whether a function changes something that is not its own; what it calls is looked at later."""
        if (function.__code__, containers) in self.seen:
            return False
        self.seen.add((function.__code__, containers))
        try:
            source = read(function)
        except TangentError:
            return False
        if is_derivative(function):
            return False
        tree = source.tree
        own = {a.arg for a in arguments(tree.args)}
        local = own | assigned_inside(tree.body)
        scope = Scope(function, local, {k: v for k, v in local_imports(tree).items() if k not in own})
        for cell in function.__closure__ or ():
            self.look_at(content_of(cell))
        self.displays = displays_made(tree) | containers
        self.arrays = self.arrays or writes_arrays(tree, scope, own, self.displays)
        self.augments = self.augments or augmented_inside(tree)
        nested = lists_of_lists(tree, self.displays)
        self.defaulted = {v for n in ast.walk(tree) if isinstance(n, NESTED) for v in with_defaults(n.args)}
        found = keeps_rebinding(tree)
        if writers := nested_writers(tree, scope, self.displays):
            self.arrays = True
            found = found or is_one_kept(writers, tree)
        given, self.asked = _given_or_made(tree), _asked(tree)
        for node, inner in _nodes(tree):
            match node:
                case ast.Subscript(ctx=ast.Store() | ast.Del()) if base_of(node) in containers | given:
                    found = True
                case ast.Subscript(ctx=ast.Store() | ast.Del()) if inner is not None and base_of(node) not in inner:
                    found = found or base_of(node) in self.displays
                case ast.Subscript(value=ast.Subscript(), ctx=ast.Store() | ast.Del()) if base_of(node) in nested:
                    found = True
            found = self.node_changes(node, scope, own, local, root, inner) or found
        return found

    def look_at(self, value: Any) -> None:
        value = unwrapped(value)
        if isinstance(value, types.MethodType):
            if isinstance(value.__self__, type):
                self.needed |= self.makes(value.__self__, [])
            self.look_at(value.__self__)
            self.look_at(value.__func__)
        elif isinstance(value, types.FunctionType) and not is_library(value):
            if not self.has_rule(value):
                self.waiting.append((value, False, NO_NAMES))
        elif isinstance(value, functools.partial):
            self.look_at(value.func)
            for v in value.args:
                self.look_at(v)
        elif _is_known(value):
            for c in classes_of([value]):
                self.meet(c)

    def node_changes(
        self, node: ast.AST, scope: Scope, own: set[str], local: set[str], root: bool, inner: frozenset[str] | None
    ) -> bool:  # fmt: skip
        match node:
            case ast.Attribute(value=value, attr="flat" | "real" | "imag", ctx=ast.Store()) if not _is_self(value):
                return isinstance(_whole(value), ast.Attribute) and self.foreign(value, scope, own, local, root, inner)
            case ast.Attribute(value=ast.Attribute(attr="flags"), ctx=ast.Store()):
                return False
            case ast.Attribute(value=value, attr=attr, ctx=ast.Store() | ast.Del()):
                self.assigns = True
                return self.foreign(value, scope, own, local, root, inner)
            case ast.Subscript(value=value, ctx=ast.Store() | ast.Del()) if isinstance(_whole(value), ast.Attribute):
                return self.foreign(value, scope, own, local, root, inner)
            case ast.Subscript(value=value, slice=ast.Constant(value=str()), ctx=ast.Store() | ast.Del()):
                return self.foreign(value, scope, own, local, root, inner)
            case ast.Call(func=ast.Attribute(value=value, attr=attr)) if attr in CHANGING:
                self.names.add(attr)
                found = scope.resolve(node.func)
                return found is MISSING and self.foreign(value, scope, own, local, root, inner)
            case ast.Call(func=func, args=args, keywords=keywords):
                found = unwrapped(scope.resolve(func))
                if isinstance(found, type):
                    return self.makes(found, [*args, *(k.value for k in keywords)])
                if found is dataclasses.replace:
                    return True
                if found in ASSIGNING and args:
                    self.assigns = True
                    told = any(isinstance(a, ast.Constant) for a in args[1:2])
                    return not told or self.foreign(args[0], scope, own, local, root, inner)
                self.look_at(found)
                if isinstance(found, types.FunctionType) and not is_library(found):
                    names = found.__code__.co_varnames
                    given = {p for p, a in zip(names, args) if isinstance(a, ast.Name) and a.id in self.displays}
                    if given:
                        self.waiting.append((found, False, frozenset(given)))
            case ast.FunctionDef(decorator_list=[_, *_] as decorators):
                classes = [c for d in decorators if isinstance(c := unwrapped(scope.resolve(d)), type)]
                makes = [self.makes(c, decorators) for c in classes]
                return any(makes)
            case ast.Attribute(attr=attr):
                self.names.add(attr)
            case ast.withitem(context_expr=e, optional_vars=target):
                if isinstance(e, ast.Call) and scope.resolve(e.func) is contextlib.closing:
                    self.names.add("close")
                if target is not None or not isinstance(e, ast.Call) or e.args or e.keywords:
                    self.names |= {"__enter__", "__exit__"}
            case ast.Name(id=v, ctx=ast.Load()):
                found = scope.lookup(v)
                if found is not MISSING and not isinstance(found, type):
                    self.look_at(found)
                if holds_filling(found) and (node not in self.asked or not is_filling(found)):
                    self.arrays = True
                    return True
        return False

    def makes(self, cls: type, given: list[ast.expr]) -> bool:
        """Whether a call makes an object that matters: of what is not constant, or one that is changed later."""
        if cls is types.SimpleNamespace:
            return any(not isinstance(e, ast.Constant) for e in given)
        if cls in COLLECTIONS:
            return True
        if is_library(cls) or is_made_by_class(cls) or issubclass(cls, (tuple, enum.Enum, dict, list)):
            return False
        self.meet(cls)
        if (made := maker(cls)) is not None:
            self.waiting.append((made, True, NO_NAMES))
            self.holders |= any(not isinstance(e, ast.Constant) for e in given)
            return False
        if isinstance(initialise := cls.__init__, types.FunctionType):
            self.waiting.append((initialise, True, NO_NAMES))
        if making(cls) is not None or any(not isinstance(e, ast.Constant) for e in given):
            return True  # what a class makes itself may be an object that it has made before
        return any(
            _stores(f) for c in cls.__mro__ if not is_library(c)
            for name, f in vars(c).items() if isinstance(f, types.FunctionType) and name not in UNSEEN
        )  # fmt: skip

    def foreign(
        self, e: ast.expr, scope: Scope, own: set[str], local: set[str], root: bool, inner: frozenset[str] | None
    ) -> bool:
        """Whether what is changed is held by somebody else, too."""
        match e:
            case ast.Name(id=v):
                if inner is not None and v not in inner:
                    return v in local or v in self.defaulted
                if v not in local:
                    return _is_known(scope.lookup(v))
                return v in own and not root
            case ast.Attribute() | ast.Subscript():
                base: ast.expr = e
                while isinstance(base, (ast.Attribute, ast.Subscript)):
                    base = base.value
                if isinstance(base, ast.Call):
                    return True
                if not isinstance(base, ast.Name):
                    return False
                nested = any(isinstance(n, ast.Attribute) and n.attr not in OF_ARRAYS for n in ast.walk(e))
                return nested and (base.id in local or _is_known(scope.lookup(base.id)))
            case ast.Call():
                return isinstance(e.func, ast.Attribute)
            case _:
                return False


def _whole(e: ast.expr) -> ast.expr:
    """What an expression shows a part of, or all in another order: `o.w` of `o.w.real`."""
    while isinstance(e, ast.Attribute) and e.attr in OF_ARRAYS:
        e = e.value
    return e


def _is_self(e: ast.expr) -> bool:
    return isinstance(e, ast.Name) and e.id == "self"


def _given_or_made(tree: ast.FunctionDef) -> set[str]:
    """Parameters, also of functions inside, for which a dict is made where none is given."""
    inside = [n for n in ast.walk(tree) if isinstance(n, ast.FunctionDef)]
    return {v for g in inside for v in _made_where_missing(g) & {a.arg for a in arguments(g.args)}}


def _asked(tree: ast.FunctionDef) -> set[ast.AST]:
    """The names that are asked for an item, a method or a length under their own name, and given to nobody."""
    found: set[ast.AST] = set()
    for n in ast.walk(tree):
        match n:
            case ast.Subscript(value=asked) | ast.Attribute(value=asked) | ast.For(iter=asked):
                found.add(asked)
            case ast.Call(func=ast.Name(id="len" | "sorted" | "list"), args=[asked]):
                found.add(asked)
            case ast.Compare(comparators=[asked]):
                found.add(asked)
    return found


def _made_where_missing(tree: ast.FunctionDef) -> set[str]:
    """Variables that are dicts which are written out, or else what they were: `memo = {} if memo is None else memo`."""
    found: set[str] = set()
    for n in walk_scope(tree):
        match n:
            case ast.Assign(targets=[ast.Name(id=v)], value=value):
                parts = [value.body, value.orelse] if isinstance(value, ast.IfExp) else [value]
                parts = [*parts, *(value.values if isinstance(value, ast.BoolOp) else ())]
                found |= {v} if any(isinstance(e, ast.Dict) for e in parts) else set()
    return found


def _is_known(found: Any) -> bool:
    """Whether a name outside the function refers to an object."""
    return found is not MISSING and is_object(found)


def _nodes(tree: ast.AST, inner: frozenset[str] | None = None) -> Iterator[tuple[ast.AST, frozenset[str] | None]]:
    """All nodes of a function; for those of functions inside it, the variables that are theirs."""
    for node in walk_scope(tree):
        yield node, inner
        if isinstance(node, NESTED):
            body = node.body if isinstance(node, ast.FunctionDef) else []
            own = {a.arg for a in arguments(node.args)} | assigned_inside(body)
            yield from _nodes(node, frozenset(own - with_defaults(node.args)))


def with_defaults(args: ast.arguments) -> set[str]:
    """Parameters that hold something from outside where they are not given: their defaults are no constants."""
    last = [*args.posonlyargs, *args.args][-len(args.defaults) :] if args.defaults else []
    pairs = [*zip(last, args.defaults), *zip(args.kwonlyargs, args.kw_defaults)]
    return {a.arg for a, e in pairs if e is not None and not isinstance(e, ast.Constant)}


def changes_objects(function: types.FunctionType) -> str:
    """The parameter whose attributes, or what they hold, a function changes; none where it changes none."""
    try:
        tree = read(function).tree
    except TangentError:
        return ""
    given = {a.arg for a in arguments(tree.args)} - assigned_inside(tree.body)
    for node in walk_scope(tree):
        match node:
            case (
                ast.Attribute(value=ast.Name(id=v), ctx=ast.Store() | ast.Del())
                | ast.Subscript(value=ast.Attribute(value=ast.Name(id=v)), ctx=ast.Store() | ast.Del())
            ) if v in given:
                return v
            case ast.Call(func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=v)), attr=attr)) if (
                v in given and attr in CHANGING
            ):
                return v
    return ""


def _stores(function: types.FunctionType) -> bool:
    """Whether a method assigns attributes, or changes lists and dicts, of what it is given."""
    try:
        tree = read(function).tree
    except TangentError:
        return False
    for node in ast.walk(tree):
        match node:
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(value=ast.Attribute(), ctx=ast.Store()):
                return True
            case ast.Call(func=ast.Attribute(value=ast.Attribute(), attr=attr)) if attr in CHANGING:
                return True
            case ast.Call(func=ast.Name(id="setattr" | "delattr") | ast.Attribute(attr="__setattr__" | "__delattr__")):
                return True
    return False


def _methods(cls: type, names: set[str]) -> Iterator[types.FunctionType]:
    """The functions of a class that may be called, given the names of what is."""
    for c in cls.__mro__:
        if is_library(c):
            continue
        for name, member in vars(c).items():
            if (name in UNSEEN and name not in names) or not (
                name in names or (name.startswith("__") and name.endswith("__"))
            ):
                continue
            if isinstance(member, property):
                yield from (f for f in (member.fget, member.fset) if isinstance(f, types.FunctionType))
            if isinstance(member, functools.singledispatchmethod):
                yield from (f for f in member.dispatcher.registry.values() if isinstance(f, types.FunctionType))
            behind = getattr(member, "__func__", getattr(member, "func", unwrapped(member)))
            if isinstance(behind, types.FunctionType) and (not is_generator(behind) or name in ITERATING):
                yield behind


def _properties(cls: type) -> set[str]:
    return {
        name for c in cls.__mro__ for name, member in vars(c).items()
        if isinstance(member, (property, functools.cached_property)) or is_descriptor(cls, name)
    }  # fmt: skip


def _protocols(cls: type) -> set[str]:
    """What a class defines that says what reading and assigning any attribute means."""
    found = {"__getattr__"} if isinstance(getattr(cls, "__getattr__", None), types.FunctionType) else set()
    return found | ({"__setattr__"} if assignment_of(cls) is not None else set())


def known_properties(function: types.FunctionType) -> frozenset[str]:
    """The names that are properties of a class which a function may meet."""
    spaces = [function.__globals__]
    spaces += [vars(m) for m in function.__globals__.values() if isinstance(m, types.ModuleType) and not is_library(m)]
    classes = {c for space in spaces for c in list(space.values()) if isinstance(c, type) and not is_library(c)}
    classes |= {type(c) for space in spaces for c in list(space.values()) if is_object(c)}
    return frozenset(PROPERTIES).union(*(_properties(c) | _protocols(c) for c in classes))
