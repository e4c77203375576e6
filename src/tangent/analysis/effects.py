"""Writes in place: which statement writes into which variable's storage, and which variables may share it."""

from __future__ import annotations

import ast
import functools
import operator
import random
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tangent.analysis.closures import inner_writes
from tangent.analysis.operation import Operation, Operations
from tangent.source.resolve import MISSING, Scope, is_library
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import SCOPES, expression_reads

WRITING_METHODS = frozenset(
    "append pop extend insert remove clear sort reverse update add discard setdefault popitem fill put itemset "
    "resize partition setflags byteswap setfield appendleft popleft extendleft rotate "
    "__setitem__ __iadd__ __isub__ __imul__ __itruediv__ __ipow__ __imatmul__ __setattr__".split()
)
FIRST_ARGUMENT = frozenset(
    id(f)
    for f in (
        np.copyto, np.put, np.place, np.putmask, np.put_along_axis, np.fill_diagonal, random.shuffle, np.random.shuffle,
        setattr, delattr, operator.setitem, operator.delitem, operator.iadd, operator.isub, operator.imul,
        operator.itruediv, operator.ipow, operator.imatmul, operator.iconcat, operator.imod, operator.ifloordiv,
    )
)  # fmt: skip


@dataclass(frozen=True)
class Write:
    """A statement that writes into what a name refers to."""

    statement: ast.stmt
    root: str
    reads: frozenset[str]
    construct: str
    nested: bool = True


@dataclass
class Summary:
    """What a function does to its parameters: which it writes into, which its result may share storage with."""

    written: set[str] = field(default_factory=set)
    returned: set[str] = field(default_factory=set)
    outside: set[tuple[int, str]] = field(default_factory=set)
    stores: bool = False


Summaries = Callable[[Any], Summary]


def writes_in_place(
    f: ast.FunctionDef, operations: Operations, scope: Scope, augmented: dict[tuple[int, int], Any],
    summaries: Summaries,
) -> Iterator[Write]:  # fmt: skip
    """All writes in place of a Core function; stacks, which have adjoints of their own, apart."""
    last = {_position(s): s for s in statements(f.body) if isinstance(s, ast.Assign) and _position(s) in augmented}
    for s in statements(f.body):
        op = operations.get(s)
        if op is not None and op.kind in ("push", "pop"):
            continue
        match s:
            case ast.Assign(targets=[ast.Name()], value=ast.BinOp(left=ast.Name(id=v)) as value) if (
                last.get(_position(s)) is s
            ):
                yield Write(s, v, frozenset(expression_reads(value.right)), "augmented")
            case ast.Assign(targets=targets, value=value):
                yield from _stores(s, targets, value)
            case ast.AugAssign(target=target, value=value):  # changes the item itself, where that is an array
                for root in _roots([target]):
                    yield Write(s, root, frozenset(expression_reads(value)), "store")
            case ast.Delete(targets=targets):
                yield from _stores(s, targets, None)
            case ast.FunctionDef() | ast.Assign(value=ast.Lambda()):
                for v in inner_writes(s if isinstance(s, ast.FunctionDef) else s.value):
                    if not v.startswith("*"):
                        yield Write(s, v, frozenset(expression_reads(s)), "closure")
        yield from _calls(s, scope, summaries)
        yield from _kept_methods(s, scope)
    yield from _local_writers(f)


def _kept_methods(s: ast.stmt, scope: Scope) -> Iterator[Write]:
    """`push = ys.append`: a method that writes, kept for later."""
    if isinstance(s, ast.If | ast.For | ast.While | ast.FunctionDef):
        return
    called = {id(n.func) for n in ast.walk(s) if isinstance(n, ast.Call)}
    for n in ast.walk(s):
        kept = isinstance(n, ast.Attribute) and n.attr in WRITING_METHODS and id(n) not in called
        if kept and isinstance(n, ast.Attribute) and scope.resolve(n) is MISSING:
            for root in _base(n.value):
                yield Write(s, root, frozenset(expression_reads(s)), "method")


def _local_writers(f: ast.FunctionDef) -> Iterator[Write]:
    """Calls of nested functions that write into their parameters."""
    writers = {
        s.name
        for s in statements(f.body)
        if isinstance(s, ast.FunctionDef) and any(v.startswith("*") for v in inner_writes(s))
    }
    for s in statements(f.body) if writers else ():
        if isinstance(s, ast.If | ast.For | ast.While | ast.FunctionDef):
            continue
        for n in ast.walk(s):
            if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in writers:
                for a in (*n.args, *(k.value for k in n.keywords)):
                    for root in _base(a):
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
                yield from _base(value)


def _base(e: ast.expr) -> Iterator[str]:
    match e:
        case ast.Name(id=v):
            yield v
        case ast.Subscript(value=value) | ast.Attribute(value=value) | ast.Starred(value=value):
            yield from _base(value)
        case ast.Call(func=ast.Attribute(value=value)):
            yield from _base(value)
        case ast.Call(args=args):
            for a in args:
                yield from _base(a)
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            for x in elts:
                yield from _base(x)


def _calls(s: ast.stmt, scope: Scope, summaries: Summaries) -> Iterator[Write]:
    """Calls inside a statement that write into their arguments."""
    parts: list[ast.AST] = [s]
    if isinstance(s, ast.If | ast.While):
        parts = [s.test]
    elif isinstance(s, ast.For):
        parts = [s.iter]
    elif isinstance(s, SCOPES):
        parts = []
    for part in parts:
        for node in ast.walk(part):
            if isinstance(node, ast.Call):
                reads = frozenset(expression_reads(node))
                direct = isinstance(node.func, ast.Attribute) and isinstance(node.func.value, ast.Name)
                for root in written_by(node, scope, summaries):
                    yield Write(s, root, reads, "call", not direct)


def written_by(node: ast.Call, scope: Scope, summaries: Summaries) -> Iterator[str]:
    """The variables that a call may write into."""
    for k in node.keywords:
        if k.arg == "out" and not (isinstance(k.value, ast.Constant) and k.value.value is None):
            yield from _base(k.value)
    found = scope.resolve(node.func)
    if found is MISSING:
        if isinstance(node.func, ast.Attribute) and node.func.attr in WRITING_METHODS:
            yield from _base(node.func.value)
        if isinstance(node.func, ast.Attribute) and node.func.attr in ("shuffle", "readinto", "permuted"):
            for a in node.args:
                yield from _base(a)
        return
    if found is functools.partial and node.args:
        inner = scope.resolve(node.args[0])
        if isinstance(inner, types.FunctionType) and summaries(inner).written:
            for a in node.args[1:]:
                yield from _base(a)
        return
    if found is map or found is filter or isinstance(found, np.vectorize):
        inner = scope.resolve(node.args[0]) if node.args else MISSING
        if isinstance(inner, types.FunctionType) and summaries(inner).written:
            for a in node.args[1:]:
                yield from _base(a)
        return
    if found is np.nditer and node.keywords:
        yield from _base(node.args[0])
    if isinstance(found, np.ufunc) and len(node.args) > found.nin:
        for a in node.args[found.nin :]:
            yield from _base(a)
    elif isinstance(owner := getattr(found, "__self__", None), np.ufunc) and found.__name__ == "at":
        assert owner is not None
        yield from _base(node.args[0])
    elif id(found) in FIRST_ARGUMENT and node.args:
        yield from _base(node.args[0])
    elif isinstance(found, types.FunctionType) and not is_library(found):
        yield from _by_summary(node, found, summaries)
    elif not is_library(found) and not isinstance(found, type):
        behind = _behind(found)
        if behind is None or summaries(behind).written:
            for a in node.args:
                yield from _base(a)


def _behind(found: Any) -> types.FunctionType | None:
    """The Python function that a method, a cached function or a callable object runs."""
    for candidate in (
        getattr(found, "__func__", None), getattr(found, "__wrapped__", None), getattr(found, "py_func", None),
        getattr(found, "func", None), getattr(type(found), "__call__", None),
    ):  # fmt: skip
        if isinstance(candidate, types.FunctionType):
            return candidate
    return None


def _by_summary(node: ast.Call, found: types.FunctionType, summaries: Summaries) -> Iterator[str]:
    written = summaries(found).written
    if not written:
        return
    names = found.__code__.co_varnames[: found.__code__.co_argcount + found.__code__.co_kwonlyargcount]
    for position, a in enumerate(node.args):
        inside = names[position] if position < found.__code__.co_argcount else "*"
        if inside in written or (inside == "*" and written - set(names)):
            yield from _base(a)
    for k in node.keywords:
        if k.arg is None or k.arg in written:
            yield from _base(k.value)


class Aliases:
    """Variables that may share storage, as far as assignments, views, containers and calls can tell.

    What is read from a list or dict made here is not changed when another item takes its place: `shallow` leaves
    items out.
    """

    def __init__(self, f: ast.FunctionDef, operations: Operations, summaries: Summaries, shallow: bool = False) -> None:
        self.parent: dict[str, str] = {}
        self.bases: dict[ast.stmt, tuple[str, ...]] = {}
        self.containers = _containers(operations)
        for s in statements(f.body):
            op = operations.get(s)
            if op is None:
                continue
            shared: tuple[str, ...] = op.operands
            if op.kind in ("zero", "constant", "augment", "shadow") or (op.kind == "rule" and not _may_be_view(op)):
                shared = ()
            elif op.kind == "rule":
                shared = tuple(v for v in op.operands if v in _viewed(op))
            elif op.kind == "store":
                by_reference = op.targets[0] in self.containers or "attribute" in op.values
                shared = tuple(v for v in op.operands if v != op.targets[0]) if by_reference else ()
            elif op.kind == "call" and isinstance(op.value, ast.Call):
                shared = tuple(_returned_arguments(op.value, op.callee, summaries))
            if shallow and (
                op.kind in ("pack", "unpack", "opaque")
                or (op.kind == "rule" and (op.rule.name == "getitem" or op.rule.name in CONTAINER_COPIES))
            ):
                shared = ()
            self.bases[s] = shared
            for t in op.targets:
                for v in shared:
                    self.join(t, v)

    def find(self, v: str) -> str:
        while self.parent.get(v, v) != v:
            v = self.parent[v]
        return v

    def join(self, a: str, b: str) -> None:
        self.parent[self.find(a)] = self.find(b)

    def same(self, v: str, names: frozenset[str] | set[str]) -> list[str]:
        """Those of some names that may share storage with v."""
        root = self.find(v)
        return sorted(n for n in names if self.find(n) == root)


VIEWS = frozenset("real imag conj real_if_close nan_to_num einsum einsum_one einsum_two".split())


def _viewed(op: Operation) -> set[str]:
    """The operands that the result of a rule may be a view of: `mirror` is one of its last."""
    if op.rule.name == "mirror":
        return {n.id for n in ast.walk(op.values["shade"]) if isinstance(n, ast.Name)}
    return set(op.operands)


def _may_be_view(op: Operation) -> bool:
    """Whether the result of a rule may share storage with an operand."""
    copied = op.values.get("copy")
    if copied is not None and not (isinstance(copied, ast.Constant) and copied.value is True):
        return True
    if op.rule.name in VIEWS:
        return not isinstance(op.value, ast.Call) or op.rule.name != "conj" or isinstance(op.value.func, ast.Attribute)
    return op.rule.kind == "linear" and op.rule.name not in FRESH


CONTAINER_COPIES = frozenset("builtin_list builtin_tuple builtin_dict builtin_sorted".split())


def _containers(operations: Operations) -> frozenset[str]:
    """Variables that only ever hold lists, tuples and dicts made by displays."""
    made: dict[str, bool] = {}
    for op in operations.values():
        if op.kind in ("store", "augment"):
            continue
        display = op.kind == "pack" or isinstance(op.value, ast.Dict | ast.List | ast.ListComp | ast.DictComp)
        display = display or (op.kind == "rule" and op.rule.name in CONTAINER_COPIES)
        for t in op.targets:
            made[t] = made.get(t, True) and (display or op.kind in ("push",))
    return frozenset(t for t, only in made.items() if only)


FRESH = frozenset(
    "matmul dot inner outer vdot vecdot matvec vecmat tensordot kron einsum_one einsum_two einsum cross concatenate "
    "stack vstack hstack dstack column_stack block mean tile repeat roll pad diagflat tril triu array copy take trace "
    "copy_method astype full full_like own own_any content overwritten assigned gather_placed unmirror scatter "
    "unbroadcast broadcast_like copy_grad settled".split()
)


def _returned_arguments(node: ast.Call, callee: Any, summaries: Summaries) -> Iterator[str]:
    code = getattr(callee, "__code__", None)
    if code is None:
        for a in (*node.args, *(k.value for k in node.keywords)):
            yield from _base(a)
        return
    returned = summaries(callee).returned
    names = code.co_varnames[: code.co_argcount]
    for position, a in enumerate(node.args):
        if position >= len(names) or names[position] in returned:
            yield from _base(a)
    for k in node.keywords:
        if k.arg is None or k.arg in returned:
            yield from _base(k.value)
