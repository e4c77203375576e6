"""The kinds of all variables of a generated module, from those of the arguments of its entry.

A variable has one kind in a function: the join of all that is assigned to it. Functions of the module are
followed into.
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Set
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.typed.calls import reduced, result_of, subscript
from tangent.optimise.typed.dtypes import holding, named, parted
from tangent.optimise.typed.kinds import (
    BOOL,
    COMPLEX,
    FLOAT,
    INT,
    UNKNOWN,
    Dtype,
    Items,
    Kind,
    Number,
    Stack,
    elementwise,
    has_fields_alone,
    inexact,
    join,
    kind_of,
)
from tangent.syntax.core import is_range
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import arguments, writes
from tangent.transform.generated import Generated

Resolve = Callable[[ast.expr, Generated], Any]
Env = dict[str, Kind]


class Inference:
    """`kinds[g][v]` for every function g of a module; shared names stand for the same in all of them."""

    def __init__(
        self, functions: list[Generated], given: list[Kind], resolve: Resolve, shared: Set[str] = frozenset()
    ) -> None:
        self.functions, self.resolve, self.shared = functions, resolve, shared
        self.kinds: dict[Generated, Env] = {g: {} for g in functions}
        self.results: dict[Generated, Kind] = dict.fromkeys(functions)
        self.local: dict[Generated, tuple[ast.FunctionDef, set[str]]] = {}
        self.changed = True
        entry = functions[0]
        assert entry.tree is not None
        for a, kind in zip(arguments(entry.tree.args), given):
            self.set(entry, a.arg, kind)
        for _ in range(100):
            if not self.changed:
                break
            self.changed = False
            for g in functions:
                self.function(g)
        else:
            self.kinds = {g: {} for g in functions}

    def set(self, g: Generated, v: str, kind: Kind) -> None:
        known = self.kinds[g].get(v)
        new = join(known, kind)
        if new != known:
            for h in self.functions if v in self.shared else (g,):
                self.kinds[h][v] = new
            self.changed = True

    def function(self, g: Generated) -> None:
        assert g.tree is not None
        for s in statements(g.tree.body):
            self.statement(s, g)

    def statement(self, s: ast.stmt, g: Generated) -> None:
        match s:
            case ast.Assign() if is_unset(s):
                pass
            case ast.Assign(targets=[target], value=value):
                self.store(target, self.of(value, g), g)
            case ast.AugAssign(target=ast.Name(id=v)) if _is_array(self.kinds[g].get(v)):
                pass  # in place
            case ast.AugAssign(target=ast.Name(id=v), value=value):
                self.set(g, v, elementwise(self.kinds[g].get(v), self.of(value, g)))
            case ast.AugAssign():
                pass
            case ast.For(target=ast.Name(id=v), iter=iter):
                self.set(g, v, self.looped(iter, g))
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"), args=[item])):
                self.set(g, v, Stack(self.of(item, g)))
            case ast.Expr(value=value):
                self.of(value, g)
            case ast.Return(value=value) if value is not None:
                new = join(self.results[g], self.of(value, g))
                if new != self.results[g]:
                    self.results[g], self.changed = new, True
            case ast.If() | ast.While() | ast.Pass():
                pass
            case _:
                for v in writes(s):
                    self.set(g, v, UNKNOWN)

    def store(self, target: ast.expr, kind: Kind, g: Generated) -> None:
        match target, kind:
            case ast.Name(id=v), _:
                self.set(g, v, kind)
            case ast.Tuple(elts=elts), None:
                pass
            case ast.Tuple(elts=elts), Items(items=items) if len(items) == len(elts):
                for e, k in zip(elts, items):
                    self.store(e, k, g)
            case ast.Tuple(elts=elts), Number(rank=rank, dtype=dtype) if rank and not _starred(elts):
                for e in elts:
                    self.store(e, Number(rank - 1, dtype), g)
            case ast.Tuple(elts=elts) | ast.Starred(value=ast.Name() as elts), _:
                for e in elts if isinstance(elts, list) else [elts]:
                    self.store(e, UNKNOWN, g)

    def looped(self, iter: ast.expr, g: Generated) -> Kind:
        inner = iter.args[0] if isinstance(iter, ast.Call) and len(iter.args) == 1 else iter
        if is_range(iter) or is_range(inner):
            return INT
        kind = self.of(iter, g)
        if isinstance(kind, Number):
            return Number(kind.rank - 1, kind.dtype) if kind.rank else UNKNOWN
        return kind.item if isinstance(kind, Stack) else UNKNOWN if kind is not None else None

    def of(self, e: ast.expr, g: Generated) -> Kind:
        """The kind of an expression."""
        match e:
            case ast.Constant(value=value):
                return {bool: BOOL, int: INT, float: FLOAT, complex: COMPLEX}.get(type(value), UNKNOWN)
            case ast.Name(id=v):
                return self.kinds[g].get(v, None if self.is_local(v, g) else self.outside(e, g))
            case ast.BinOp(left=left, op=op, right=right):
                return binary(op, self.of(left, g), self.of(right, g))
            case ast.UnaryOp(op=ast.Not()):
                return BOOL
            case ast.UnaryOp(operand=operand):
                return self.of(operand, g)
            case ast.Compare(left=left, comparators=[right]):
                both = elementwise(self.of(left, g), self.of(right, g))
                return Number(both.rank, "b1") if isinstance(both, Number) else both
            case ast.BoolOp(values=values):
                found: Kind = None
                for x in values:
                    found = join(found, self.of(x, g))
                return BOOL if found == UNKNOWN and all(isinstance(x, ast.Compare) for x in values) else found
            case ast.IfExp(body=body, orelse=orelse):
                return join(self.of(body, g), self.of(orelse, g))
            case ast.Tuple(elts=elts):
                return Items(tuple(self.of(x, g) for x in elts))
            case ast.List(elts=elts):
                item: Kind = None
                for x in elts:
                    item = join(item, self.spread(x, g) if isinstance(x, ast.Starred) else self.of(x, g))
                return Stack(item)
            case ast.Subscript(value=value, slice=index):
                return subscript(self.of(value, g), index, lambda x: self.of(x, g))
            case ast.Attribute(value=value, attr=attr):
                return self.attribute(e, value, attr, g)
            case ast.Call():
                return self.call(e, g)
            case _:
                return UNKNOWN

    def spread(self, e: ast.Starred, g: Generated) -> Kind:
        """The kind of each item that a star puts into a list."""
        kind = self.of(e.value, g)
        return kind.item if isinstance(kind, Stack) else None if kind is None else UNKNOWN

    def is_local(self, v: str, g: Generated) -> bool:
        assert g.tree is not None
        if g not in self.local or self.local[g][0] is not g.tree:
            names = {a.arg for a in arguments(g.tree.args)} | {w for s in statements(g.tree.body) for w in writes(s)}
            self.local[g] = g.tree, names
        return v in self.local[g][1]

    def outside(self, e: ast.expr, g: Generated) -> Kind:
        """A global number, or array of numbers, is what it is when the code is compiled."""
        value = self.resolve(e, g)
        known = type(value) in (bool, int, float, np.ndarray)
        return kind_of(value) if known else UNKNOWN

    def attribute(self, e: ast.expr, value: ast.expr, attr: str, g: Generated) -> Kind:
        owner = self.of(value, g)
        if owner is None:
            return None
        if isinstance(owner, Items) and attr in owner.fields:
            return owner.items[owner.fields.index(attr)]
        if not isinstance(owner, Number):
            found = self.resolve(e, g)
            return FLOAT if isinstance(found, float) else INT if isinstance(found, int) else UNKNOWN
        match attr:
            case "shape":
                return Items((INT,) * owner.rank)
            case "size" | "ndim":
                return INT
            case "dtype":
                return Dtype(owner.dtype)
            case "T" | "real" if owner.real:
                return owner
            case _:
                return UNKNOWN

    def call(self, e: ast.Call, g: Generated) -> Kind:
        if isinstance(e.func, ast.Attribute) and e.func.attr == "pop" and not e.args:
            stack = self.of(e.func.value, g)
            return stack.item if isinstance(stack, Stack) else UNKNOWN if stack is not None else None
        owner = self.of(e.func.value, g) if isinstance(e.func, ast.Attribute) else UNKNOWN
        if owner is None:
            return None
        if isinstance(e.func, ast.Attribute) and isinstance(owner, Number):
            return method(owner, e.func.attr, e)
        found = self.resolve(e.func, g)
        if isinstance(found, Generated) and found in self.kinds:
            return self.followed(e, found, g)
        if found is runtime.tuple_of:
            return self.named_tuple(e, g)
        plain, asked = parted(found, e)
        made = result_of(found, plain, lambda x: self.of(x, g))
        return made if asked is None else holding(made, named(asked, self.of(asked, g), lambda x: self.resolve(x, g)))

    def named_tuple(self, e: ast.Call, g: Generated) -> Kind:
        """What `tuple_of(State, x, v)` makes."""
        made, *parts = e.args
        cls = self.resolve(made, g)
        fields = getattr(cls, "_fields", ())
        if len(fields) != len(parts) or _starred(parts) or not has_fields_alone(cls):
            return UNKNOWN
        return Items(tuple(self.of(x, g) for x in parts), fields)

    def followed(self, e: ast.Call, callee: Generated, g: Generated) -> Kind:
        assert callee.tree is not None
        parameters = [a.arg for a in arguments(callee.tree.args)]
        if any(isinstance(a, ast.Starred) for a in e.args) or callee.tree.args.vararg:
            for v in parameters:
                self.set(callee, v, UNKNOWN)
            return self.results[callee]
        given = dict(zip(parameters, e.args)) | {k.arg: k.value for k in e.keywords if k.arg}
        for v in parameters:
            self.set(callee, v, self.of(given[v], g) if v in given else UNKNOWN)
        return self.results[callee]


def is_unset(s: ast.stmt) -> bool:
    """`t = None` of Tangent's own, in no line of the primal: not set yet, and never looked at before it is."""
    match s:
        case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=None)):
            return int(getattr(s, "lineno", 0)) <= 1
        case _:
            return False


def _is_array(kind: Kind) -> bool:
    return isinstance(kind, Number) and kind.rank > 0


def _starred(elts: list[ast.expr]) -> bool:
    return any(isinstance(e, ast.Starred) for e in elts)


def method(owner: Number, attr: str, e: ast.Call) -> Kind:
    """What a method of an array gives."""
    match attr:
        case "copy" if not e.args:
            return owner
        case "sum" | "max" | "min" | "prod" | "mean" | "var" | "std":
            plain = ast.Call(e.func, [e.func.value, *e.args], e.keywords) if isinstance(e.func, ast.Attribute) else e
            return reduced(owner, plain, getattr(np, attr))
        case "ravel" | "flatten" if not e.args:
            return Number(1, owner.dtype)
        case _:
            return UNKNOWN


def binary(op: ast.operator, a: Kind, b: Kind) -> Kind:
    match op, a, b:
        case ast.Add(), Items(items=p), Items(items=q):
            return Items((*p, *q))
        case ast.Add(), Stack(), Stack():
            return join(a, b)
        case ast.Mult(), Stack(), Number(rank=0):
            return a
    both = elementwise(a, b)
    match op:
        case ast.MatMult():
            if not isinstance(a, Number) or not isinstance(b, Number) or not isinstance(both, Number):
                return both
            ranks = {(1, 1): 0, (1, 2): 1, (2, 1): 1, (2, 2): 2}
            return Number(ranks[a.rank, b.rank], both.dtype) if (a.rank, b.rank) in ranks else UNKNOWN
        case ast.Div():
            return inexact(both)
        case ast.Pow() if isinstance(both, Number) and not both.dtype.startswith("f"):
            return UNKNOWN
        case _:
            return both
