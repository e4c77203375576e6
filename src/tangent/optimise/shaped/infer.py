"""The kinds of expressions, from those of the variables in them."""

from __future__ import annotations

import ast
from collections.abc import Callable, Mapping
from dataclasses import replace as with_changes
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.alike import is_fixed
from tangent.optimise.shaped.calls import result_of
from tangent.optimise.shaped.containers import is_of_floats, is_of_floats_each, is_of_numbers, is_table, summed_lists
from tangent.optimise.shaped.drawn import drawn
from tangent.optimise.shaped.kinds import (
    BOOL,
    COMPLEX,
    FLOAT,
    UNKNOWN,
    Attributes,
    Drawing,
    Fields,
    Items,
    Kind,
    Listed,
    Number,
    Rows,
    Stack,
    any_of,
    broadcast,
    calculated,
    is_float,
    join,
    renamed,
    stretched,
    with_axes,
)
from tangent.optimise.shaped.making import product
from tangent.optimise.shaped.parts import attribute, method, subscript
from tangent.optimise.shaped.tuples import names_of
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import arguments, expression_reads
from tangent.transform.generated import Generated

Resolve = Callable[[ast.expr, Generated], Any]
Env = dict[str, Kind]
SIGNS: dict[type[ast.operator], str] = {ast.Add: "+", ast.Sub: "-", ast.Mult: "*"}
# Functions that are asked for a dtype, and the place where, if by position.
MAKERS = {
    np.zeros: 1, np.ones: 1, np.empty: 1, np.full: 2, np.eye: 3, np.identity: 1, np.zeros_like: 1, np.ones_like: 1,
    np.empty_like: 1, np.full_like: 2, np.arange: 3, np.linspace: 5, np.array: 1, np.asarray: 1,
}  # fmt: skip
DTYPES = {
    "f8": (float, np.float64, "float", "float64", "f8", "d"), "f4": (np.float32, "float32", "f4", "f"),
    "i8": (int, np.int64, "int", "int64", "i8"), "b1": (bool, np.bool_, "bool"),
}  # fmt: skip
Made = Mapping[tuple[Generated, tuple[Kind, ...]], tuple[Generated, Kind | None]]


class Inference:
    """`of` tells the kind of an expression where variables have the kinds in `env`.

    `plain`: lists that are written item by item stay as they are, but for stores that are known as such.
    `named`: items of named tuples are followed.
    """

    plain = True
    named = False

    def __init__(self, g: Generated, env: Env, local: set[str], resolve: Resolve, made: Made) -> None:
        self.g, self.env, self.local, self._resolve, self.made = g, env, local, resolve, made

    def resolve(self, e: ast.expr) -> Any:
        """What a name from outside stands for; None for a variable."""
        root = e
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Name) and root.id in self.local:
            return None
        return self._resolve(e, self.g)

    def given(self, e: ast.Call, callee: Generated) -> tuple[Kind, ...] | None:
        assert callee.tree is not None
        args = callee.tree.args
        if any(isinstance(a, ast.Starred) for a in e.args) or args.vararg or args.kwarg:
            return None
        names = parameters_of(callee)
        given = dict(zip(names, e.args)) | {k.arg: k.value for k in e.keywords if k.arg}
        return tuple(self.of(given[v]) if v in given else default_kind(callee, v) for v in names)

    def of(self, e: ast.expr) -> Kind:
        """The kind of an expression."""
        match e:
            case ast.Constant(value=value):
                return constant_kind(value)
            case ast.Name(id=v):
                return self.env.get(v, UNKNOWN)
            case ast.BinOp(left=ast.List(elts=[item]), op=ast.Mult() as op, right=times):
                return binary(op, Items((self.of(item),), True), self.of(times))
            case ast.BinOp(left=left, op=op, right=right):
                return binary(op, self.of(left), self.of(right))
            case ast.UnaryOp(op=ast.USub(), operand=operand):
                kind = self.of(operand)
                return negated(kind) if isinstance(kind, Number) and kind.dtype != "b1" else UNKNOWN
            case ast.UnaryOp(op=ast.UAdd(), operand=operand):
                kind = self.of(operand)
                return kind if isinstance(kind, Number) and kind.dtype != "b1" else UNKNOWN
            case ast.UnaryOp(op=ast.Not()):
                return BOOL
            case ast.Compare(left=left, comparators=[right]):
                both = broadcast(self.of(left), self.of(right))
                return Number(both.axes, "b1", both.weak) if isinstance(both, Number) else UNKNOWN
            case ast.IfExp(body=body, orelse=orelse):
                return join(self.of(body), self.of(orelse)) or UNKNOWN
            case ast.Tuple(elts=elts) | ast.List(elts=[_, *_] as elts) if not is_starred(elts):
                listed = isinstance(e, ast.List)
                return Items(tuple(self.of(x) for x in elts), self.plain and listed, not listed)
            case ast.List(elts=[]):
                return Stack(None)
            case ast.List(elts=elts):
                return self.listed(elts)
            case ast.ListComp(elt=ast.Constant(value=float())):
                return Listed(FLOAT)
            case ast.ListComp(ast.BinOp() as row, [ast.comprehension(target=ast.Name(id=v), ifs=[])]) if (
                v not in expression_reads(row) and is_of_floats(kind := self.of(row))
            ):
                return Listed(kind)
            case ast.ListComp(generators=[ast.comprehension(target=ast.Name(id=row), iter=rows, ifs=[])], elt=elt):
                kind, written = self.of(rows), ast.unparse(elt)
                if not is_table(kind) or written not in (f"[0.0] * len({row})", f"{row}.copy()"):
                    return UNKNOWN
                return kind if written == f"{row}.copy()" else Listed(Listed(FLOAT))
            case ast.ListComp() if lists := summed_lists(e):
                return Listed(FLOAT) if all(is_of_floats(self.of(x)) for x in lists) else UNKNOWN
            case ast.Subscript() | ast.Attribute() if (found := self.from_outside(e)) is not None:
                return found
            case ast.Subscript(value=value, slice=index):
                return subscript(self.of(value), index, self.of)
            case ast.Attribute(value=value, attr=attr):
                owner = self.of(value)
                if isinstance(owner, Number):
                    return attribute(owner, attr)
                if isinstance(owner, Attributes):
                    return owner.get(attr)
                if isinstance(owner, Items) and attr in owner.names:
                    return owner.items[owner.names.index(attr)]
                if isinstance(owner, Rows) and attr == "shape":
                    return attribute(owner.array, attr)
                return FLOAT if is_fixed(e, self.resolve) else UNKNOWN
            case ast.Call():
                return self.call(e)
            case _:
                return UNKNOWN

    def from_outside(self, e: ast.expr) -> Kind | None:
        """The kind of what a path from outside leads to, if it is known: `settings.rate`, `TABLE[1]`."""
        root = e
        while isinstance(root, (ast.Attribute, ast.Subscript)):
            root = root.value
        if not self.g.outside or not isinstance(root, ast.Name) or root.id in self.local:
            return None
        return self.g.outside.get(ast.unparse(e))

    def listed(self, elts: list[ast.expr]) -> Kind:
        """The kind of a list of numbers, and of those that other lists hold: `[*xs, y]`."""
        found: Kind | None = None
        for e in elts:
            kind = self.of(e.value if isinstance(e, ast.Starred) else e)
            if isinstance(e, ast.Starred):
                held = any_of(kind) if isinstance(kind, Items) else getattr(kind, "item", None)
                kind = held if held is not None and is_of_numbers(kind) else UNKNOWN
            found = join(found, kind)
        return Listed(found) if found is not None and is_float(found) else UNKNOWN

    def call(self, e: ast.Call) -> Kind:
        if isinstance(e.func, ast.Attribute):
            owner = self.of(e.func.value)
            if isinstance(owner, Number) and e.func.attr == "astype" and len(e.args) == 1 and not e.keywords:
                dtype = self.dtype(e.args[0])
                return Number(owner.axes, dtype) if dtype and owner.rank else UNKNOWN
            if isinstance(owner, Number):
                return method(owner, e.func.attr, e, self.of)
            if isinstance(owner, Drawing):
                return drawn(owner, e.func.attr, e, self.of)
            if e.func.attr == "copy" and isinstance(owner, (Listed, Fields)) and not e.args:
                return owner
            if e.func.attr == "pop" and isinstance(owner, (Stack, Listed)) and not e.args:
                return owner.item or UNKNOWN
        found = self.resolve(e.func)
        if isinstance(found, Generated):
            return self.result_of(found, e)
        if found is runtime.call_effect and isinstance(e.args[0], ast.Attribute):
            inner = ast.Call(e.args[0], e.args[1:], e.keywords)
            return self.call(inner) if isinstance(self.of(e.args[0].value), Drawing) else UNKNOWN
        if found is runtime.tuple_of and self.named and not is_starred(e.args):
            names, held = names_of(self.resolve(e.args[0])), tuple(self.of(a) for a in e.args[1:])
            return Items(held, False, True, names) if len(names) == len(held) else UNKNOWN
        if (place := maker(found)) is not None and (asked := dtype_asked(e, place)) is not None:
            plain = replace(e, args=e.args[:place], keywords=[k for k in e.keywords if k.arg != "dtype"])
            kind, dtype = result_of(found, plain, self.of), self.dtype(asked)
            return with_changes(kind, dtype=dtype, weak=False) if dtype and isinstance(kind, Number) else UNKNOWN
        return result_of(found, e, self.of)

    def dtype(self, asked: ast.expr) -> str:
        """The dtype that an argument stands for; empty where that is not known."""
        match asked:
            case ast.Attribute(value=owner, attr="dtype"):
                kind = self.of(owner)
                return kind.dtype if isinstance(kind, Number) and kind.real else ""
            case _:
                found = asked.value if isinstance(asked, ast.Constant) else self.resolve(asked)
                known = isinstance(found, (type, str))
                return next((name for name, types in DTYPES.items() if known and found in types), "")

    def result_of(self, version: Generated, e: ast.Call) -> Kind:
        """The kind of what a version of a callee gives back."""
        result = next((kind for new, kind in self.made.values() if new is version), None)
        kinds = self.given(e, version)
        if result is None or kinds is None:
            return UNKNOWN
        return with_axes(result, renamed(kinds, parameters_of(version))[1])


def maker(found: Any) -> int | None:
    """The place where a function is asked for a dtype, if it is one that makes arrays."""
    return next((place for f, place in MAKERS.items() if f is found), None)


def dtype_asked(e: ast.Call, place: int) -> ast.expr | None:
    """
    >>> ast.unparse(dtype_asked(ast.parse("np.zeros(n, float)", mode="eval").body, 1))
    'float'
    """
    named = next((k.value for k in e.keywords if k.arg == "dtype"), None)
    return e.args[place] if named is None and len(e.args) == place + 1 else named


def parameters_of(g: Generated) -> list[str]:
    assert g.tree is not None
    return [a.arg for a in arguments(g.tree.args)]


def default_kind(g: Generated, v: str) -> Kind:
    """The kind of a parameter that is not given."""
    code, defaults = g.primal.__code__, g.primal.__defaults__ or ()
    names = code.co_varnames[: code.co_argcount]
    known = dict(zip(names[len(names) - len(defaults) :], defaults)) | (g.primal.__kwdefaults__ or {})
    return FLOAT if type(known.get(v)) is float else UNKNOWN


def replace_size(kind: Number) -> Number:
    """The kind without what is known of the value."""
    return with_changes(kind, size=None)


def negated(kind: Number) -> Number:
    return with_changes(kind, size=-kind.size if isinstance(kind.size, int) else None)


def constant_kind(value: Any) -> Kind:
    if type(value) is int:
        return Number((), "i8", True, value)
    return {bool: BOOL, float: FLOAT, complex: COMPLEX}.get(type(value), UNKNOWN)


def binary(op: ast.operator, a: Kind, b: Kind) -> Kind:
    if isinstance(op, ast.MatMult):
        return product(a, b)
    if isinstance(a, Listed) and a == b and isinstance(op, ast.Add):
        return a
    if isinstance(a, Items) and a.listed and isinstance(op, ast.Mult):
        whole = isinstance(b, Number) and not b.rank and b.dtype == "i8" and b.weak
        alike = all(map(is_float, a.items)) or all(map(is_of_floats_each, a.items))
        return Listed(any_of(a) or UNKNOWN) if whole and alike else UNKNOWN
    if isinstance(op, (ast.BitAnd, ast.BitOr, ast.BitXor)):
        return _of_truths(a, b)
    both = broadcast(a, b)
    if not isinstance(both, Number):
        return UNKNOWN
    whole = both.dtype == "i8"
    match op:
        case ast.Add() | ast.Sub() | ast.Mult() if whole and isinstance(a, Number) and isinstance(b, Number):
            return with_changes(both, size=calculated(SIGNS[type(op)], a, b))
        case ast.Add() | ast.Sub() | ast.Mult():
            return replace_size(both)
        case ast.Div():
            return Number(both.axes, "f8", both.weak) if whole else both
        case ast.Pow() | ast.Mod() | ast.FloorDiv() if not whole:
            return both
        case ast.Mod() | ast.FloorDiv():
            return replace_size(both)
        case _:
            return UNKNOWN


def _of_truths(a: Kind, b: Kind) -> Kind:
    """`a | b` of masks."""
    if isinstance(a, Number) and isinstance(b, Number) and a.dtype == b.dtype == "b1" and a.weak is b.weak is False:
        return Number(stretched([a.axes, b.axes]), "b1")
    return UNKNOWN


def is_starred(elts: list[ast.expr]) -> bool:
    return any(isinstance(x, ast.Starred) for x in elts)
