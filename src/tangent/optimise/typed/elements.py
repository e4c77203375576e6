"""One element of an elementwise array expression, at the variables of the loops over it.

(a[:-2] + a[2:]) / 2            ->   (a[i0] + a[i0 + 2]) / 2          for i0 in range(a.shape[0] - 2)
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

import numpy as np

from tangent import runtime
from tangent.backends.numba.functions import span
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Number
from tangent.syntax.names import Names
from tangent.syntax.quote import assign, call, constant, expression, name
from tangent.transform.generated import Generated

UFUNCS = frozenset(
    (np.exp, np.log, np.sin, np.cos, np.tan, np.tanh, np.sinh, np.cosh, np.sqrt, np.abs, np.negative, np.maximum,
     np.minimum, np.square, np.arctan, np.expm1, np.log1p, np.sign, np.arctan2, np.hypot, np.add, np.subtract,
     np.multiply, np.divide, np.arcsin, np.arccos, np.arcsinh, np.arccosh, np.arctanh, np.logaddexp, np.power, np.exp2,
     np.log2, np.log10, np.floor, np.ceil, np.fabs, np.isfinite, np.isnan)
)  # fmt: skip
KERNELS = frozenset(
    (runtime.ratio, runtime.times, runtime.gap, runtime.logistic, runtime.logistic2, runtime.share, runtime.conj_sign,
     runtime.power_slope, runtime.power_log, runtime.hypot_one, runtime.leg_one, runtime.leg_cosh, runtime.leg_tanh,
     runtime.where_finite, runtime.where_nonzero, runtime.nonzero_part, runtime.safe_ratio)
)  # fmt: skip


class NotElementwise(Exception):
    """The expression is left as it is."""


@dataclass
class Elements:
    """What is found on the way: statements that must come before the loop, extents, arrays that are read."""

    g: Generated
    found: Inference
    names: Names
    sizes: dict[str, list[ast.expr]]
    variables: list[str]
    before: list[ast.stmt] = field(default_factory=list)
    extents: list[list[ast.expr]] = field(default_factory=list)
    reads: list[tuple[str, str]] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.extents = [[] for _ in self.variables]

    def at(self, e: ast.expr) -> ast.expr:
        """The element of e."""
        kind = self.found.of(e, self.g)
        if not isinstance(kind, Number) or kind.dtype not in ("f8", "i8", "b1") or kind.rank > len(self.variables):
            raise NotElementwise
        if kind.scalar:
            return self.hoisted(e)
        match e:
            case ast.Name() | ast.Subscript(value=ast.Name()):
                return self.leaf(e)
            case ast.BinOp(left=left, op=op, right=right) if not isinstance(op, ast.MatMult):
                return ast.BinOp(self.at(left), op, self.at(right))
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as sign, operand=operand):
                return ast.UnaryOp(sign, self.at(operand))
            case ast.Compare(left=left, ops=[op], comparators=[right]):
                return ast.Compare(self.at(left), [op], [self.at(right)])
            case ast.Call(func=func, args=args, keywords=[]):
                return self.call(e, self.found.resolve(func, self.g), args)
            case _:
                raise NotElementwise

    def call(self, e: ast.Call, function: object, args: list[ast.expr]) -> ast.expr:
        if isinstance(e.func, ast.Attribute) and e.func.attr == "copy" and not args:
            return self.at(e.func.value)
        if function in UFUNCS or function in KERNELS:
            return ast.Call(e.func, [self.at(a) for a in args], [])
        if function is np.outer and len(args) == 2:
            return self.outer(*args)
        if function is np.where and len(args) == 3:
            return ast.IfExp(*(self.at(a) for a in args))
        if function in (runtime.unbroadcast, runtime.broadcast_like, runtime.spread) and len(args) == 2:
            return self.as_wide_as(args[0], args[1])
        raise NotElementwise

    def as_wide_as(self, e: ast.expr, like: ast.expr) -> ast.expr:
        """The element itself, where the shapes agree; a number is the same everywhere."""
        mine, other = self.found.of(e, self.g), self.found.of(like, self.g)
        if not isinstance(mine, Number) or not isinstance(other, Number):
            raise NotElementwise
        if mine.rank not in (0, other.rank) or other.dtype != "f8" or mine.dtype != "f8":
            raise NotElementwise
        if isinstance(like, ast.Name):
            self.whole(like.id, other.rank)
        else:
            self.at(like)  # for its extents
        return self.at(e)

    def outer(self, a: ast.expr, b: ast.expr) -> ast.expr:
        """Every element of one vector times every element of another."""
        if len(self.variables) != 2 or not (isinstance(a, ast.Name) and isinstance(b, ast.Name)):
            raise NotElementwise
        i, j = self.variables
        self.extents[0].append(self.size(a.id, 0))
        self.extents[1].append(self.size(b.id, 0))
        self.reads += [(a.id, ""), (b.id, "")]
        return expression("a[i] * b[j]", a=a, b=b, i=i, j=j)

    def hoisted(self, e: ast.expr) -> ast.expr:
        """A number, computed once."""
        if isinstance(e, (ast.Constant, ast.Name)) or (
            isinstance(e, ast.UnaryOp) and isinstance(e.operand, (ast.Constant, ast.Name))
        ):
            return e
        held = self.names.numbered("c")
        self.before.append(assign(held, e))
        self.found.kinds[self.g][held] = self.found.of(e, self.g)
        return name(held)

    # Arrays

    def whole(self, v: str, rank: int) -> None:
        """All of an array: its shape is the extent of the last loops."""
        first = len(self.variables) - rank
        for k in range(rank):
            self.extents[first + k].append(self.size(v, k))

    def size(self, v: str, k: int) -> ast.expr:
        """The length of an array along an axis, in terms of what it was made from."""
        return self.sizes[v][k] if v in self.sizes else expression("v.shape[k]", v=v, k=constant(k))

    def leaf(self, e: ast.Name | ast.Subscript) -> ast.expr:
        index: ast.expr = ast.Tuple([], ast.Load()) if isinstance(e, ast.Name) else e.slice
        base = e if isinstance(e, ast.Name) else e.value
        assert isinstance(base, ast.Name)
        self.reads.append((base.id, ast.unparse(e)))
        return ast.Subscript(name(base.id), self.place(base.id, index), ast.Load())

    def place(self, base: str, index: ast.expr) -> ast.expr:
        """The index of one element of `base[index]`; extents are noted."""
        kind = self.found.kinds[self.g].get(base)
        if not isinstance(kind, Number):
            raise NotElementwise
        parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
        rest: list[ast.expr] = [ast.Slice()] * (kind.rank - sum(1 for p in parts if not _is_any(p)))
        dots = next((k for k, p in enumerate(parts) if _is_any(p) and not _is_new_axis(p)), None)
        parts[len(parts) if dots is None else dots : len(parts) if dots is None else dots + 1] = rest
        wide = sum(1 for p in parts if isinstance(p, ast.Slice) or _is_new_axis(p))
        variable = len(self.variables) - wide
        if variable < 0:
            raise NotElementwise
        places: list[ast.expr] = []
        axis = 0
        for p in parts:
            if _is_new_axis(p):
                variable += 1
                continue
            if isinstance(p, ast.Slice):
                places.append(self.along(base, axis, p, variable))
                variable += 1
            else:
                self.number_index(p)
                places.append(self.hoisted(p) if not _is_simple(p) else p)
            axis += 1
        return places[0] if len(places) == 1 else ast.Tuple(places, ast.Load())

    def number_index(self, p: ast.expr) -> None:
        kind = self.found.of(p, self.g)
        if not (isinstance(kind, Number) and kind.scalar and kind.dtype == "i8"):
            raise NotElementwise

    def along(self, base: str, axis: int, part: ast.Slice, variable: int) -> ast.expr:
        """The place along one axis, which a slice may shift."""
        size = self.size(base, axis)
        i = name(self.variables[variable])
        low, high = _known(part.lower), _known(part.upper)
        if part.step is None and low is not None and low >= 0 and high is not None and (part.upper is None or high < 0):
            self.extents[variable].append(_less(size, low - high))
            return ast.BinOp(i, ast.Add(), constant(low)) if low else i
        return self.spanned(size, part, variable)

    def spanned(self, size: ast.expr, part: ast.Slice, variable: int) -> ast.expr:
        """A slice whose bounds are known when it is taken."""
        start, length = self.names.numbered("start"), self.names.numbered("length")
        given = [p or constant(None) for p in (part.lower, part.upper)]
        step = part.step or constant(1)
        if not isinstance(step, (ast.Constant, ast.UnaryOp)):
            raise NotElementwise
        for p in given:
            if not (isinstance(p, ast.Constant) and p.value is None):
                self.number_index(p)
        target = ast.Tuple([ast.Name(start, ast.Store()), ast.Name(length, ast.Store())], ast.Store())
        self.before.append(ast.Assign([target], call("span", size, *given, step)))
        self.g.externals = {**self.g.externals, "span": span}
        self.extents[variable].append(name(length))
        i: ast.expr = name(self.variables[variable])
        if part.step is not None:
            i = ast.BinOp(i, ast.Mult(), step)
        return ast.BinOp(name(start), ast.Add(), i)


def _less(size: ast.expr, n: int) -> ast.expr:
    match size:
        case _ if not n:
            return size
        case ast.BinOp(left=left, op=ast.Sub(), right=ast.Constant(value=int(m))):
            return ast.BinOp(left, ast.Sub(), constant(m + n))
        case _:
            return ast.BinOp(size, ast.Sub(), constant(n))


def _is_new_axis(p: ast.expr) -> bool:
    return isinstance(p, ast.Constant) and p.value is None


def _is_any(p: ast.expr) -> bool:
    """A new axis, or dots: what stands for no axis by itself."""
    return isinstance(p, ast.Constant) and (p.value is None or p.value is Ellipsis)


def _is_simple(p: ast.expr) -> bool:
    match p:
        case ast.Name() | ast.Constant():
            return True
        case ast.BinOp(left=ast.Name(), right=ast.Constant() | ast.Name(), op=ast.Add() | ast.Sub()):
            return True
        case _:
            return False


def _known(e: ast.expr | None) -> int | None:
    """A bound that is a constant; none is 0 on both sides."""
    match e:
        case None:
            return 0
        case ast.Constant(value=int(n)):
            return n
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(n))):
            return -n
        case _:
            return None
