"""Writes in place: which statement writes into which variable's storage, and which variables may share it."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field, replace
from typing import Any, TypeGuard

import numpy as np

from tangent.analysis.closures import inner_writes
from tangent.analysis.operation import Operations
from tangent.analysis.passed import Passed, written_through
from tangent.runtime.library import partial_of
from tangent.runtime.writers import FIRST_ARGUMENT, WRITING_METHODS, is_foreign, is_of_scipy
from tangent.source.naming import is_library
from tangent.source.resolve import MISSING, Scope, is_vectorized
from tangent.source.writing import writes_by_iterator
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import SCOPES, arguments, assigned_inside, expression_reads
from tangent.syntax.walk import walk

RUNTIME_WRITERS = frozenset("add_at add_into add_items put_flat put_item_back refill refill_item restore_item".split())
ASSIGNING = frozenset("__setitem__ __delitem__ __setattr__ __delattr__ __iadd__ __imul__ __ior__".split())
SHUFFLING = frozenset({"Random.shuffle", "RandomState.shuffle", "Generator.shuffle"})  # by name: not loaded for this


Variable = tuple[int, str]  # of a module, by the address of its names


@dataclass(frozen=True)
class Write:
    """A statement that writes into what a name refers to."""

    statement: ast.stmt
    root: str
    reads: frozenset[str]
    construct: str
    nested: bool = True
    deep: bool = False  # into what a container holds, too


@dataclass
class Summary:
    """What a function does to its parameters: which it writes into, which its result may share storage with."""

    written: set[str] = field(default_factory=set)
    returned: set[str] = field(default_factory=set)
    outside: set[Variable] = field(default_factory=set)
    shown: frozenset[Variable] = frozenset()  # variables of modules that its result may be, or show
    stores: bool = False
    arrays: frozenset[str] = frozenset()
    content: frozenset[str] | None = None
    result: bool = False  # whether its backward pass reads what the result holds
    restored: bool = False  # whether its backward pass writes into what the result holds
    passed: frozenset[Passed] = frozenset()
    gives: frozenset[str] = (
        frozenset()
    )  # "" for a list, tuple or dict that it makes, "{}" for a dict, "0" for such a first item, "[]" for all
    constant: frozenset[Variable] = frozenset()  # of `outside`, what only gets values that depend on no parameter
    bound: frozenset[Variable] = frozenset()  # of `outside`, what is only bound anew: `global n; n = n + 1`
    asked: frozenset[str] = frozenset()  # parameters that are asked for attributes, which objects have


Summaries = Callable[[Any], Summary]


def writes_in_place(
    f: ast.FunctionDef, operations: Operations, scope: Scope, augmented: dict[tuple[int, int], Any],
    summaries: Summaries,
) -> Iterator[Write]:  # fmt: skip
    """All writes in place of a Core function; stacks, which have adjoints of their own, apart."""
    operators = operators_in_place(f, augmented)
    for s in statements(f.body):
        op = operations.get(s)
        if op is not None and op.kind in ("push", "pop"):
            continue
        match s:
            case ast.Assign(targets=[ast.Name()], value=ast.BinOp(left=ast.Name(id=v)) as value) if s in operators:
                yield Write(s, v, frozenset(expression_reads(value.right)), "augmented")
            case ast.Assign(targets=targets, value=value):
                yield from _stores(s, targets, value)
            case ast.AugAssign(target=ast.Name(id=v), value=value):  # known to be in place
                yield Write(s, v, frozenset(expression_reads(value)), "store")
            case ast.AugAssign(target=target, value=value):  # changes the item itself, where that is an array
                for root in _roots([target]):
                    yield Write(s, root, frozenset(expression_reads(value)), "store")
            case ast.Delete(targets=targets):
                held = any(isinstance(t, ast.Subscript) and not isinstance(t.value, ast.Name) for t in targets)
                yield from (replace(w, deep=held) for w in _stores(s, targets, None))
            case (ast.FunctionDef() as made) | ast.Assign(value=ast.Lambda() as made):
                for v in _by_closure(made, scope, summaries):
                    yield Write(s, v, frozenset(expression_reads(s)), "closure")
        yield from _calls(s, scope, summaries, op is not None and op.kind in ("rule", "zero"))
        yield from _kept_methods(s, scope)
    yield from _local_writers(f)


def _by_closure(g: ast.FunctionDef | ast.Lambda, scope: Scope, summaries: Summaries) -> Iterator[str]:
    """Captured variables that a nested function writes into, by itself or by what it calls."""
    captured = expression_reads(g)
    yield from (v for v in inner_writes(g) if v in captured)
    own = {a.arg for a in arguments(g.args)} | (assigned_inside(g.body) if isinstance(g, ast.FunctionDef) else set())
    for n in ast.walk(g):
        if isinstance(n, ast.Call):
            yield from (v for v in written_by(n, scope, summaries) if v not in own)


def operators_in_place(f: ast.FunctionDef, augmented: dict[tuple[int, int], Any]) -> set[ast.stmt]:
    """The statements `y = y + v` of a Core function that stand for `y += v`: the last ones at their places."""
    return set({_position(s): s for s in statements(f.body) if _computes(s) and _position(s) in augmented}.values())


def _computes(s: ast.stmt) -> bool:
    return isinstance(s, ast.Assign) and isinstance(s.value, ast.BinOp)


def _kept_methods(s: ast.stmt, scope: Scope) -> Iterator[Write]:
    """`push = ys.append`: a method that writes, kept for later."""
    if isinstance(s, (ast.If, ast.For, ast.While, ast.FunctionDef)):
        return
    called = {id(n.func) for n in walk(s) if isinstance(n, ast.Call)}
    for n in walk(s):
        kept = isinstance(n, ast.Attribute) and n.attr in WRITING_METHODS and id(n) not in called
        if kept and isinstance(n, ast.Attribute) and scope.resolve(n) is MISSING:
            for root in base_names(n.value):
                yield Write(s, root, frozenset(expression_reads(s)), "method")


def _local_writers(f: ast.FunctionDef) -> Iterator[Write]:
    """Calls of nested functions that write into their parameters."""
    writers = {
        s.name
        for s in statements(f.body)
        if isinstance(s, ast.FunctionDef) and any(v.startswith("*") for v in inner_writes(s))
    }
    for s in statements(f.body) if writers else ():
        if isinstance(s, (ast.If, ast.For, ast.While, ast.FunctionDef)):
            continue
        for n in walk(s):
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in writers:
                for a in (*n.args, *(k.value for k in n.keywords)):
                    for root in base_names(a):
                        yield Write(s, root, frozenset(expression_reads(n)), "call")


def _stores(s: ast.stmt, targets: list[ast.expr], value: ast.expr | None) -> Iterator[Write]:
    direct = {t.value.id for t in targets if isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name)}
    for root in _roots(targets):
        yield Write(s, root, frozenset(expression_reads(value)), "store", root not in direct)


def _position(s: ast.stmt) -> tuple[int, int]:
    return getattr(s, "lineno", 0), getattr(s, "col_offset", 0)


def _roots(targets: list[ast.expr]) -> Iterator[str]:
    """The variables behind subscripts and attributes that are assigned."""
    for target in targets:
        match target:
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                yield from _roots(elts)
            case ast.Starred(value=value):
                yield from _roots([value])
            case ast.Subscript(value=value) | ast.Attribute(value=value):
                yield from base_names(value)


def base_names(e: ast.expr) -> Iterator[str]:
    match e:
        case ast.Name(id=v):
            yield v
        case ast.Subscript(value=value) | ast.Attribute(value=value) | ast.Starred(value=value):
            yield from base_names(value)
        case ast.Call(func=ast.Attribute(value=value)):
            yield from base_names(value)
        case ast.Call(func=ast.Name(), args=args):
            for a in args:
                yield from base_names(a)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            for x in elts:
                yield from base_names(x)
        case _:  # one of several, or what a function gives that has no name
            yield from sorted(expression_reads(e))


def _calls(s: ast.stmt, scope: Scope, summaries: Summaries, ruled: bool) -> Iterator[Write]:
    """Calls inside a statement that write into their arguments; what has a rule and no source does not."""
    parts: list[ast.AST] = [s]
    if isinstance(s, (ast.If, ast.While)):
        parts = [s.test]
    elif isinstance(s, ast.For):
        parts = [s.iter]
    elif isinstance(s, SCOPES) or (isinstance(s, ast.Assign) and isinstance(s.value, ast.Lambda)):
        parts = []  # what a nested function writes, it writes when it is called
    for part in parts:
        for node in walk(part):
            if isinstance(node, ast.Call):
                reads = frozenset(expression_reads(node))
                direct = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
                kept = scope.resolve(node.func) in (functools.partial, partial_of)  # it writes when it is called
                alone = isinstance(s, ast.Expr) and s.value is node
                method = isinstance(node.func, ast.Attribute) and scope.resolve(node.func) is MISSING
                inner = any(isinstance(a, (ast.Subscript, ast.Attribute)) for a in node.args)
                held = not direct if method else inner  # by something else
                for root in written_by(node, scope, summaries, ruled, alone):
                    yield Write(s, root, reads, "method" if kept else "call", not direct, held)
                if isinstance(node.func, ast.Lambda):
                    for root in _by_closure(node.func, scope, summaries):
                        yield Write(s, root, reads, "call")


def written_by(
    node: ast.Call, scope: Scope, summaries: Summaries, ruled: bool = False, alone: bool = False
) -> Iterator[str]:
    """The variables that a call may write into; `alone` says that nothing else of it is used."""
    found = scope.resolve(node.func)
    for k in node.keywords if not _is_own(found) else ():  # what 'out' of one's own means, it says
        if k.arg == "out" and not (isinstance(k.value, ast.Constant) and k.value.value is None):
            yield from base_names(k.value)
    if found is MISSING:
        if isinstance(node.func, ast.Attribute) and node.func.attr in WRITING_METHODS:
            yield from base_names(node.func.value)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("shuffle", "readinto", "permuted"):
            for a in node.args:
                yield from base_names(a)
        return
    if found in (functools.partial, partial_of) and node.args:
        inner = scope.resolve(node.args[0])
        if isinstance(inner, types.FunctionType) and not is_library(inner) and summaries(inner).written:
            for a in node.args[1:]:
                yield from base_names(a)
        return
    if found is map or found is filter or isinstance(found, np.vectorize):
        inner = scope.resolve(node.args[0]) if node.args else MISSING
        if isinstance(inner, types.FunctionType) and summaries(inner).written:
            for a in node.args[1:]:
                yield from base_names(a)
        return
    if _is_of_storage(found) and found.__name__ in RUNTIME_WRITERS:
        yield from base_names(node.args[0])
        return
    if writes_by_iterator(found, node):
        yield from base_names(node.args[0])
    if (isinstance(found, np.ufunc) or is_vectorized(found)) and len(node.args) > found.nin:
        for a in node.args[found.nin :]:  # how many a star brings is known when the call happens
            yield from base_names(a) if not isinstance(a, ast.Starred) else ()
    elif isinstance(owner := getattr(found, "__self__", None), np.ufunc) and found.__name__ == "at":
        assert owner is not None
        yield from base_names(node.args[0])
    elif node.args and (id(found) in FIRST_ARGUMENT or _is_writing_method(found)):
        yield from base_names(node.args[0])
    elif not ruled and ((alone and is_of_scipy(found)) or is_foreign(found)):
        for a in (*node.args, *(k.value for k in node.keywords)):
            yield from base_names(a)
    elif _is_own(found):
        yield from _by_summary(node, found, scope, summaries)
    elif not is_library(found) and not isinstance(found, type):
        behind = _behind(found)
        if not ruled if behind is None else summaries(behind).written:
            for a in node.args:
                yield from base_names(a)


def _is_own(found: Any) -> TypeGuard[types.FunctionType]:
    """Whether something is a function of the user's, whose text says what it writes into."""
    return isinstance(found, types.FunctionType) and not is_library(found)


def _is_writing_method(found: Any) -> bool:
    """Whether a method of a class of Python's writes into what it is given first: `list.append`."""
    if getattr(found, "__qualname__", "") in SHUFFLING:
        return True
    kinds = (types.MethodDescriptorType, types.WrapperDescriptorType)
    return isinstance(found, kinds) and found.__name__ in WRITING_METHODS | ASSIGNING


def _is_of_storage(found: Any) -> bool:
    """Whether something is a function of the package that derivatives write in place with."""
    return (getattr(found, "__module__", "") or "").startswith("tangent.runtime.storage.")


def _behind(found: Any) -> types.FunctionType | None:
    """The Python function that a method, a cached function or a callable object runs."""
    for candidate in (
        getattr(found, "__func__", None), getattr(found, "__wrapped__", None), getattr(found, "py_func", None),
        getattr(found, "func", None), getattr(type(found), "__call__", None),
    ):  # fmt: skip
        if isinstance(candidate, types.FunctionType):
            return candidate
    return None


def _by_summary(node: ast.Call, found: types.FunctionType, scope: Scope, summaries: Summaries) -> Iterator[str]:
    known = summaries(found)
    written = known.written | written_through(node, found, scope, known.passed, lambda f: summaries(f).written)
    if not written:
        return
    names = found.__code__.co_varnames[: found.__code__.co_argcount + found.__code__.co_kwonlyargcount]
    more = bool(written - set(names))
    starred = next((i for i, a in enumerate(node.args) if isinstance(a, ast.Starred)), len(node.args))
    for position, a in enumerate(node.args):
        inside = names[position] if position < found.__code__.co_argcount else "*"
        if inside in written or (inside == "*" and more) or position >= starred:
            yield from base_names(a)
    for k in node.keywords:
        if k.arg is None or k.arg in written or (more and k.arg not in names):
            yield from base_names(k.value)
