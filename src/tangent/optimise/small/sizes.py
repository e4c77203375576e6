"""The shapes of small arrays, as far as the text says them: `np.zeros(3)`, `x[i:i + 3]`, what is computed with them.

Arrays of one rank in one operation are taken to have one shape; who relies on it checks it when the code runs.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.optimise.small.unroll import whole
from tangent.optimise.typed.affine import added, linear, scaled
from tangent.optimise.typed.elements import UFUNCS
from tangent.optimise.typed.kinds import Number
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import writes

Dims = list[int | None]
LONGEST, MOST = 9, 16
MAKERS = (np.zeros, np.ones, np.empty, np.full)
LIKE = (np.zeros_like, np.ones_like, np.empty_like, np.copy)
PRODUCTS = (np.dot, np.matmul)
EYES = (np.eye, np.identity)
PACKS = (np.array, np.asarray)
SQUARES = (np.linalg.inv, np.linalg.cholesky)


class Sizes:
    """`dims[v]` for the arrays of a function whose rank is known."""

    def __init__(
        self, body: list[ast.stmt], kind: Callable[[ast.expr], Any], resolve: Callable[[ast.expr], Any],
        numbers: dict[str, int], displays: dict[str, list[ast.expr]],
    ) -> None:  # fmt: skip
        self.kind, self.resolve, self.numbers, self.displays = kind, resolve, numbers, displays
        self.dims: dict[str, Dims] = {}
        self.bad: set[str] = set()
        self.changed = True
        while self.changed:
            self.changed = False
            for s in statements(body):
                self.statement(s)

    def shape(self, v: str) -> tuple[int, ...] | None:
        """The whole shape of a small array."""
        dims = self.dims.get(v)
        if not dims or v in self.bad or any(n is None or not 1 <= n <= LONGEST for n in dims):
            return None
        found = tuple(n for n in dims if n is not None)
        return found if int(np.prod(found)) <= MOST else None

    def rank(self, e: ast.expr) -> int:
        kind = self.kind(e)
        return kind.rank if isinstance(kind, Number) else -1

    def of(self, e: ast.expr) -> Dims | None:
        """What is known of an operand; None where it is no array or number of known rank."""
        if isinstance(e, ast.Name) and e.id in self.bad:
            return None
        rank = self.rank(e)
        if rank < 0:
            return None
        return list(self.dims.get(e.id, [None] * rank)) if isinstance(e, ast.Name) else [None] * rank

    def meet(self, e: ast.expr, dims: Dims | None) -> None:
        """Say what is known of an array."""
        if dims is None or not isinstance(e, ast.Name) or not dims:
            return
        old = self.dims.get(e.id, [None] * len(dims))
        if len(old) != len(dims) or self.rank(e) != len(dims) or any(a and b and a != b for a, b in zip(old, dims)):
            self.changed |= e.id not in self.bad
            self.bad.add(e.id)
            return
        new = [a if a is not None else b for a, b in zip(old, dims)]
        if new != self.dims.get(e.id) and any(n is not None for n in new):
            self.dims[e.id] = new
            self.changed = True

    def certain(self, body: list[ast.stmt]) -> dict[str, int]:
        """Names that stand for the length of an array that is made with this length, and nowhere else."""
        made: dict[str, list[ast.expr]] = {}
        for s in statements(body):
            for v in writes(s):
                made.setdefault(v, []).append(s.value if isinstance(s, ast.Assign) else ast.Constant(None))
        sure = {v for v, values in made.items() if self.shape(v) and all(self.is_made(e) for e in values)}
        found: dict[str, int] = {}
        for v, values in made.items():
            match values:
                case [ast.Call(func=func, args=[ast.Name(id=owner)])] if owner in sure and self.resolve(func) is len:
                    found[v] = self.dims[owner][0] or 0
                case [ast.Subscript(value=ast.Name(id=t), slice=ast.Constant(value=int(k)))]:
                    match made.get(t):
                        case [ast.Attribute(value=ast.Name(id=owner), attr="shape")] if owner in sure:
                            dims = self.dims[owner]
                            if -len(dims) <= k < len(dims):
                                found[v] = dims[k] or 0
        return found

    def is_made(self, e: ast.expr) -> bool:
        if not isinstance(e, ast.Call):
            return False
        function = self.resolve(e.func)
        return any(function is f for f in (*MAKERS, *EYES, np.array))

    def statement(self, s: ast.stmt) -> None:
        match s:
            case ast.Assign(targets=[ast.Name() as target], value=value) if self.rank(target) >= 0:
                self.assigned(target, value)
            case (
                ast.Assign(targets=[ast.Subscript() as target], value=value)
                | ast.AugAssign(target=ast.Subscript() as target, value=value)
            ) if self.rank(value) > 0:
                into = self.part(target)
                if into is not None and len(into) == self.rank(value):
                    self.meet(value, into)
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Name() as value) if self.rank(value) == 1:
                if not any(isinstance(e, ast.Starred) for e in elts):
                    self.meet(value, [len(elts)])

    def assigned(self, target: ast.Name, e: ast.expr) -> None:
        match e:
            case ast.Name():
                self.same(target, e)
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                self.product(target, left, right)
            case ast.BinOp(left=left, right=right):
                self.elementwise(target, left, right)
            case ast.UnaryOp(operand=operand):
                self.same(target, operand)
            case ast.Subscript(value=ast.Name()):
                self.meet(target, self.part(e))
            case ast.Attribute(value=value, attr="T"):
                found, other = self.of(value), self.of(target)
                self.meet(target, found[::-1] if found else None)
                self.meet(value, other[::-1] if other else None)
            case ast.Call(func=ast.Attribute(value=ast.Name() as owner, attr="copy"), args=[], keywords=[]) if (
                self.rank(owner) > 0
            ):
                self.same(target, owner)
            case ast.Call(args=[*args], keywords=[]) if args:
                self.called(target, self.resolve(e.func), args)

    def called(self, target: ast.Name, function: Any, args: list[ast.expr]) -> None:
        first = args[0]
        if isinstance(function, np.ufunc) and function in UFUNCS and len(args) <= 2:
            self.elementwise(target, *args)
        elif not _hashable(function):
            return
        elif function in MAKERS and len(args) == (2 if function is np.full else 1):  # no dtype
            self.meet(target, self.lengths(first))
        elif function in EYES and len(args) == 1:
            n = whole(first, self.numbers)
            self.meet(target, [n, n])
        elif function in LIKE and len(args) == 1:
            self.same(target, first)
        elif function in SQUARES and len(args) == 1:
            self.same(target, first)
            found = self.of(first)
            self.meet(first, found[::-1] if found else None)
        elif function is np.linalg.solve and len(args) == 2:
            self.same(target, args[1])
            found = self.of(args[1])
            self.meet(first, [found[0], found[0]] if found else None)
        elif function in PACKS and len(args) == 1 and isinstance(first, ast.Name):
            self.meet(target, self.packed(first.id))
        elif function in PRODUCTS and len(args) == 2:
            self.product(target, *args)
        elif function is np.cross and len(args) == 2 and self.rank(first) == self.rank(args[1]) == 1:
            for v in (target, *args):
                self.meet(v, [3])
        elif function is np.outer and len(args) == 2:
            a, b = self.of(first), self.of(args[1])
            if a and b and len(a) == len(b) == 1:
                self.meet(target, a + b)
        elif function is np.diag and len(args) == 1 and (found := self.of(first)):
            self.meet(target, found * 2 if len(found) == 1 else found[:1] if found[0] == found[1] else None)
        elif function is np.transpose and len(args) == 1:
            found = self.of(first)
            self.meet(target, found[::-1] if found else None)

    def lengths(self, e: ast.expr) -> Dims | None:
        parts = e.elts if isinstance(e, ast.Tuple) else [e]
        return [whole(p, self.numbers) for p in parts]

    def packed(self, v: str) -> Dims | None:
        """The shape of an array made from lists."""
        elts = self.displays.get(v)
        if not elts:
            return None
        inner = [self.packed(e.id) if isinstance(e, ast.Name) and e.id in self.displays else self.of(e) for e in elts]
        first = next((d for d in inner if d is not None), None)
        if first is None or any(d is None or len(d) != len(first) for d in inner):
            return None
        return [len(elts), *first]

    def same(self, a: ast.expr, b: ast.expr) -> None:
        if self.rank(a) == self.rank(b):
            self.meet(a, self.of(b))
            self.meet(b, self.of(a))

    def elementwise(self, target: ast.Name, *operands: ast.expr) -> None:
        rank = self.rank(target)
        if any(self.rank(o) < 0 for o in operands) or max(self.rank(o) for o in operands) != rank or not rank:
            return
        arrays = [o for o in operands if self.rank(o)]
        told = [self.of(o) or [None] for o in arrays]
        if len(arrays) == 1:
            self.same(target, arrays[0])
        elif all(None not in dims for dims in told):
            self.meet(target, _broadcast(told))
        full = [o for o in (target, *operands) if self.rank(o) == rank]
        for a in full:
            for b in full:
                if 1 not in (self.of(a) or []) and 1 not in (self.of(b) or []):
                    self.meet(b, self.of(a))
        wide = self.of(target)
        for o in operands:
            low = self.rank(o)
            if wide and 0 < low < rank and 1 not in (self.of(o) or []):
                self.meet(o, wide[rank - low :])
                mine = self.of(o)
                self.meet(target, [*[None] * (rank - low), *mine] if mine else None)

    def product(self, target: ast.Name, left: ast.expr, right: ast.expr) -> None:
        a, b, c = self.of(left), self.of(right), self.of(target)
        if a is None or b is None or c is None or len(a) not in (1, 2) or len(b) not in (1, 2):
            return
        if len(c) != len(a) + len(b) - 2:
            return
        inner = a[-1] if a[-1] is not None else b[0]
        outer = c[: len(a) - 1], c[len(a) - 1 :]
        self.meet(left, [*outer[0], inner] if len(a) == 2 else [inner])
        self.meet(right, [inner, *outer[1]] if len(b) == 2 else [inner])
        self.meet(target, [*(a[:-1]), *(b[1:])])

    # Parts

    def part(self, e: ast.Subscript) -> Dims | None:
        """The shape of what is read by numbers and slices."""
        if not isinstance(e.value, ast.Name):
            return None
        base = self.of(e.value)
        if not base:
            return None
        indices = list(e.slice.elts) if isinstance(e.slice, ast.Tuple) else [e.slice]
        if len(indices) > len(base):
            return None
        indices += [ast.Slice()] * (len(base) - len(indices))
        found: Dims = []
        for i, n in zip(indices, base):
            if isinstance(i, ast.Slice):
                found.append(self.length(i, n))
            elif (isinstance(i, ast.Constant) and not isinstance(i.value, int)) or self.rank(i) != 0:
                return None
        return found

    def length(self, i: ast.Slice, n: int | None) -> int | None:
        """How long a slice is; one whose bounds are variables is taken to lie inside."""
        if i.step is not None:
            return None
        low = whole(i.lower, self.numbers) if i.lower is not None else 0
        high = whole(i.upper, self.numbers) if i.upper is not None else n
        if n is not None:
            known = low is not None and (high is not None or i.upper is None)
            return len(range(*slice(low, high).indices(n))) if known else None
        if i.upper is None:
            return -low if low is not None and low < 0 else None
        if low is not None and high is not None:
            return max(high - low, 0) if (low >= 0) == (high >= 0) else None
        if i.lower is None:
            return None
        apart = added(linear(i.upper, lambda v: v), scaled(linear(i.lower, lambda v: v), -1))
        return apart.get("", 0) if apart is not None and not set(apart) - {""} else None


def _broadcast(shapes: list[Dims]) -> Dims | None:
    try:
        return list(np.broadcast_shapes(*(tuple(n or 0 for n in dims) for dims in shapes)))
    except ValueError:
        return None


def _hashable(x: object) -> bool:
    try:
        hash(x)
    except TypeError:
        return False
    return True
