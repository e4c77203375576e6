"""Calls of run-time functions whose outcome is known with the shapes, written as what they do.

unbroadcast(bz, b)           ->   bz.sum(axis=0)
dot_adjoint_b(bz, x, w)      ->   np.dot(x.T, bz)
spread(bs, y, 1) * y         ->   bs[:, None] * y
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Collection
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.settled import DOTS, FITS, LEFT, OF_MATRICES, OF_TERMS, OUTER, OWN, PRODUCTS, ZERO, is_settled
from tangent.optimise.shaped import matrices
from tangent.optimise.shaped.containers import is_container, is_of_numbers, written_out
from tangent.optimise.shaped.joins import unjoined
from tangent.optimise.shaped.kinds import (
    FLOAT,
    Attributes,
    Axis,
    Items,
    Kind,
    Listed,
    Number,
    Stack,
    alike,
    is_float,
    is_single,
    not_one,
    reaches,
    same,
)
from tangent.optimise.shaped.making import product, summed_axes, value_of
from tangent.optimise.shaped.numbers import of_complex, of_numbers
from tangent.optimise.shaped.parts import Of, index_in, names_once
from tangent.optimise.shaped.scattered import scattered
from tangent.optimise.shaped.spreading import Spreading
from tangent.optimise.shaped.sums import Summed, factored, summed
from tangent.optimise.shaped.tuples import of_tuples
from tangent.optimise.shaped.unstretched import unstretched
from tangent.optimise.simplify import positive
from tangent.syntax.quote import constant, expression
from tangent.syntax.rebuild import rebuild, replace

BY_RANK = {  # the adjoints of x and of y in `x @ y`, by the ranks of both
    (1, 1): ("b * y", "b * x"), (2, 1): ("b[:, None] * y", "np.dot(b, x)"), (1, 2): ("np.dot(y, b)", "x[:, None] * b"),
    (2, 2): ("np.dot(b, y.T)", "np.dot(x.T, b)"),
}  # fmt: skip
CELLS = (runtime.add_cell, runtime.with_cell, runtime.scatter_cell)
ITERATED = (runtime.sequence_tangent, runtime.unsequence)


class Known(Spreading):
    """Rewrites of expressions; `of` tells kinds, `use` names something from outside, `length` tells that of an axis.

    `last`: nothing is rewritten any more behind that. `once` are the names that are bound only once.
    """

    def __init__(
        self, of: Of, resolve: Callable[[ast.expr], Any], use: Callable[[Any, str], str],
        length: Callable[[Axis], ast.expr | None], last: bool, once: set[str], shared: Collection[str],
    ) -> None:  # fmt: skip
        super().__init__(of, resolve)
        self.use, self.length, self.last, self.once, self.shared = use, length, last, once, shared

    def change(self, e: ast.expr) -> ast.expr:
        """One expression whose parts are rewritten already."""
        match e:
            case Summed():
                return self.as_product(factored(e, self.of))
            case ast.Call(func=func, args=[b, ast.BinOp() as x, *rest]) if self.resolve(func) is runtime.spread:
                return self.change(replace(e, args=[b, named, *rest])) if (named := self.like(x)) is not None else e
            case ast.Subscript(value=ast.Call(args=[_, _]), slice=ast.Constant()):
                return self.piece(e)
            case ast.Subscript(value=ast.Tuple(elts=items), slice=ast.Constant(value=int(i))) if i < len(items):
                return items[i] if all(isinstance(x, (ast.Name, ast.Constant)) for x in items) else e
            case ast.Attribute(attr="T"):
                return matrices.turned(e, self.rank, self.resolve)
            case ast.Call(args=[ast.Call() | ast.BinOp()], keywords=[]) if self.resolve(e.func) is np.transpose:
                return matrices.turned(e, self.rank, self.resolve)
            case ast.Call(func=ast.Attribute(value=inner, attr="copy"), args=[], keywords=[]):
                kind = self.of(inner)
                new = isinstance(kind, Number) and kind.real and (self.is_fixed(inner, kind) or self.is_gathered(inner))
                return inner if new or isinstance(inner, ast.ListComp) else e
            case ast.Call(func=ast.Name(), keywords=[_, *_]) if self.resolve(e.func) is runtime.cross_adjoint:
                return self.outcome(ast.Call(e.func, e.args, [k for k in e.keywords if value_of(k.value) != -1]))
            case ast.Call(args=[ast.BinOp() as x], keywords=[]) if self.resolve(e.func) is np.real:
                kind = self.of(x)
                return x if isinstance(kind, Number) and kind.real and kind.rank else e
            case ast.Call(args=[x], keywords=[]) if self.resolve(e.func) is np.ndim:
                kind = self.of(x)
                return constant(kind.rank) if isinstance(kind, Number) else e
            case ast.Call(args=[_, y, axes], keywords=[]) if self.resolve(e.func) is np.tensordot:
                kind = self.of(y)
                is_dot = value_of(axes) == 1 and isinstance(kind, Number) and kind.rank in (1, 2)
                return expression("np.dot(x, y)", np=self.use(np, "np"), x=e.args[0], y=y) if is_dot else e
            case ast.Call(func=ast.Attribute(), args=_) if not isinstance(self.resolve(e.func), type(runtime.copy)):
                return e
            case ast.Call(args=[_, _, _, _], keywords=[]) if self.resolve(e.func) in CELLS:
                return self.of_cell(e)
            case ast.Call(args=[x, ast.List(elts=[]) as none], keywords=[]) if self.resolve(e.func) is runtime.beside:
                return none if self.of(x) == Stack(None) else e  # what stands beside an empty list
            case ast.Call(args=[_, _, *_]) if (parts := unjoined(e, self.of, self.resolve, self.use)) is not None:
                return parts
            case ast.Call(args=[_, *_], keywords=[]):
                return self.outcome(e)
            case ast.BinOp(left=ast.Constant(value=2.0), op=ast.Mult(), right=right) if half := self.half(right):
                return half
            case ast.BinOp(left=ast.BinOp() as x, op=ast.Add(), right=ast.Call(args=[_, _, _] as args) as part) if (
                self.resolve(part.func) is runtime.turned
            ):
                kinds = [self.of(a) for a in (x, *args)]
                return x if all(isinstance(k, Number) and k.real for k in kinds) and kinds[0] == kinds[3] else e
            case ast.BinOp(op=ast.Mult() | ast.Add() | ast.Sub() | ast.Div()):
                return self.unspread(e)
            case ast.BinOp(op=ast.MatMult()):
                return matrices.multiplied(e)
            case _:
                return e

    def rank(self, e: ast.expr) -> int:
        """How many axes a value has; -1: that is not known."""
        kind = self.of(e)
        return kind.rank if isinstance(kind, Number) else -1

    def is_fixed(self, e: ast.expr, kind: Number) -> bool:
        """Whether a value is a number that nothing writes into: the shadow of a number is an array without axes."""
        return not kind.rank and not (isinstance(e, ast.Name) and e.id in self.shared)

    def of_cell(self, e: ast.Call) -> ast.expr:
        """What is added at `b[i][j]` of an array is added at `b[i, j]`."""
        function = self.resolve(e.func)
        p, q, r, s = e.args
        whole, indices, rest = (q, [r, s], p) if function is runtime.scatter_cell else (p, [q, r], s)
        kind = self.of(whole)
        if not isinstance(kind, Number) or kind.rank < 2:
            return e
        index = ast.Tuple(indices, ast.Load())
        if function is runtime.scatter_cell:
            return ast.Call(ast.Name(self.use(runtime.scatter, "scatter"), ast.Load()), [rest, whole, index], [])
        added = runtime.add_part if function is runtime.add_cell else runtime.with_part
        return ast.Call(ast.Name(self.use(added, added.__name__), ast.Load()), [whole, index, rest], [])

    def half(self, e: ast.expr) -> ast.expr | None:
        """What is multiplied by a half, a number or a new array."""
        match e:
            case ast.BinOp(left=x, op=ast.Mult(), right=ast.Constant(value=0.5)):
                pass
            case ast.BinOp(left=ast.Constant(value=0.5), op=ast.Mult(), right=x):
                pass
            case _:
                return None
        kind = self.of(x)
        new = isinstance(x, (ast.BinOp, ast.UnaryOp))
        return x if isinstance(kind, Number) and kind.real and (new or not kind.rank) else None

    def like(self, e: ast.BinOp) -> ast.Name | None:
        """An operand that has the form of the result, which is wanted for its form alone."""
        if isinstance(e.op, ast.MatMult):
            return None
        whole = self.of(e)
        for x in (e.left, e.right):
            if isinstance(x, ast.BinOp):
                x = self.like(x) or x
            kind = self.of(x)
            if isinstance(x, ast.Name) and isinstance(kind, Number) and isinstance(whole, Number) and whole.real:
                if kind.dtype == whole.dtype and kind.rank == whole.rank and all(map(alike, kind.axes, whole.axes)):
                    return x
        return None

    def is_gathered(self, e: ast.expr) -> bool:
        """Whether an expression reads elements by an array of indices, which gives an array of its own."""
        index = self.of(e.slice) if isinstance(e, ast.Subscript) else None
        return isinstance(index, Number) and index.rank > 0

    def outcome(self, e: ast.Call) -> ast.expr:
        function = self.resolve(e.func)
        kinds = [self.of(a) for a in e.args]
        if function is isinstance and isinstance(kinds[0], Number) and self.resolve(e.args[1]) is np.ndarray:
            return constant(kinds[0].rank > 0) if kinds[0].rank or kinds[0] == FLOAT else e
        if not is_settled(function):
            return e
        if function is runtime.attribute_tangent and all(isinstance(k, Attributes) for k in kinds[:2]):
            return tangent_of_attribute(e, kinds)
        if (
            all(map(is_single, kinds))
            and not e.keywords
            and (single := of_complex(function, e.args, kinds)) is not None
        ):
            return single
        plain = of_numbers(function, e, kinds, self.resolve, self.use) if self.last and not e.keywords else None
        if plain is not None:
            return plain
        if function is runtime.lazy_zero and isinstance(kinds[0], (Items, Listed)) and is_of_numbers(kinds[0]):
            once = isinstance(e.args[0], ast.Name) and e.args[0].id in self.once  # else it may be as long as another
            return expression("[0.0] * len(x)", x=e.args[0]) if once else e
        if function in (runtime.sequence, runtime.unsequence) and isinstance(kinds[-1], Items) and not e.keywords:
            return e.args[0]
        if function is runtime.sequence_tangent and all(isinstance(k, (Items, Listed, Stack)) for k in kinds):
            return e.args[0]
        tuples = of_tuples(function, e.args, kinds) if not e.keywords else None
        if tuples is not None:
            return tuples
        if any(map(is_container, kinds[:2])) and not e.keywords:
            if function is runtime.add_grad and (not self.last or any(scattered(a, self.resolve) for a in e.args)):
                return e  # it may be a sum at a place (`places`)
            new = written_out(function, e, kinds)
            if new is not e:
                return new
        if function is runtime.overwritten:
            return self.stored(e, kinds[0])
        if not all(isinstance(k, (Number, Items)) for k in kinds[:2]):
            return e
        found = self.by_function(function, e, e.args, kinds) if not e.keywords else None
        return e if found is None else found

    def by_function(self, function: Any, e: ast.Call, args: list[ast.expr], kinds: list[Kind]) -> ast.expr | None:
        real = [k for k in kinds if isinstance(k, Number) and k.real]
        if function in OF_MATRICES:
            return matrices.written(function, args, kinds, self.use(np, "np"))
        if function is runtime.repack and isinstance(kinds[0], Items) and kinds[0].fixed:
            return ast.Tuple(args[1:], ast.Load()) if all(isinstance(k, Number) for k in kinds[1:]) else None
        if function is runtime.repack and isinstance(kinds[0], Items) and kinds[0].listed and not kinds[0].names:
            return ast.List(args[1:], ast.Load()) if all(isinstance(k, Number) for k in kinds[1:]) else None
        if function is runtime.repack and kinds[0] == Number((len(args) - 1,), "f8") and all(map(is_float, kinds[1:])):
            return expression("np.array(x)", np=self.use(np, "np"), x=ast.List(args[1:], ast.Load()))
        if function is runtime.restructure and len(args) == 2:
            return args[0] if _is_like(kinds[0], kinds[1]) else None
        if function is runtime.nodes_tangent and isinstance(kinds[0], Number):
            return args[0]
        if function is runtime.outer_operand and len(real) == 2 and real[0].rank == real[1].rank == 1:
            return expression("x[:, None]", x=args[0])
        if function is runtime.sum_behind and len(real) == 2 and real[1].rank < real[0].rank:
            return summed(args[0], list(range(real[1].rank, real[0].rank)), real[0].rank, False)
        if function is runtime.past_cut:
            return args[0] if isinstance(kinds[1], Number) and kinds[1].real else None
        if function is runtime.strong:
            return args[0] if real and real[0].rank else None
        if function is runtime.count and real and len(args) <= 3:
            over = summed_axes(real[0].rank, value_of(args[1]) if len(args) > 1 else None)
            return None if over is None else self.counted([real[0].axes[i] for i in over])
        if function is runtime.sequence:
            return args[0] if isinstance(kinds[0], Number) and kinds[0].rank else None
        if function in ITERATED and len(real) == 2:
            return args[0] if all(k.rank for k in real) else None
        if len(real) < min(2, len(kinds)):
            return None
        b = real[0]
        if function is runtime.unbroadcast and len(args) == 2:
            return self.summed(args[0], b, real[1].axes, real[1].dtype)
        if function in OF_TERMS and len(real) == 3:
            x = real[OF_TERMS[function]]
            return self.summed(args[0], b, x.axes, x.dtype)
        if function is runtime.factor_part and len(kinds) == 3:
            return self.of_factor(args, kinds)
        if function in FITS and len(real) == 3:
            whole = product(kinds[1], kinds[2], dot=function is runtime.fit_dot)
            return self.summed(args[0], b, whole.axes, b.dtype) if isinstance(whole, Number) else None
        if function in PRODUCTS and len(real) == 3:
            return self.product(function, args, real)
        if function is runtime.scatter and len(args) == 3 and b is kinds[0]:
            return unstretched(args[0], args[2], b, real[1])
        if function in OUTER and len(real) == 3:
            flat = real[1].rank == real[2].rank == 1 and b.axes == (*real[1].axes, *real[2].axes)
            if not flat or len({k.dtype for k in real}) > 1:
                return None
            return expression(OUTER[function], b=args[0], x=args[1], y=args[2], np=self.use(np, "np"))
        if function is runtime.refit:
            level = len(real) == 2 and b.rank == real[1].rank
            return args[0] if level and all(map(same, b.axes, real[1].axes)) else None
        if function in OWN:
            level = len(real) == 2 and b.rank == real[1].rank
            keep = function is not runtime.settled or not b.rank
            return args[0] if level and keep else expression("b.copy()", b=args[0]) if level else None
        if function is runtime.copy:
            if b.rank:
                return expression("b.copy()", b=args[0])
            return args[0] if b.weak or self.is_fixed(args[0], b) else None
        if function in ZERO:
            return self.zeros(args[0], b)
        if function is runtime.turned and len(real) == 3 and self.last:  # before that a sum may leave it out
            return self.zeros(args[2], real[2])
        if function is runtime.add_grad:
            return self.unspread(ast.BinOp(args[0], ast.Add(), args[1])) if len(real) == 2 else None
        if function is runtime.check_seed and len(real) == 2:
            return args[0] if not b.rank and not real[1].rank and b.dtype == real[1].dtype == "f8" else None
        if function is runtime.broadcast_like and len(real) == 2:
            same_form = b.dtype == real[1].dtype and b.rank == real[1].rank and all(map(alike, b.axes, real[1].axes))
            return args[0] if same_form else None
        if function is runtime.cross_adjoint and len(real) == 3:
            plain = all(k.axes == (3,) and k.dtype == b.dtype for k in real)
            return expression("np.cross(y, b)", np=self.use(np, "np"), y=args[0], b=args[1]) if plain else None
        return None

    def stored(self, e: ast.Call, whole: Kind) -> ast.expr:
        """`b[index].copy()`, where an index names no element twice; a number needs no copy."""
        index = index_in(e.args[1])
        if not isinstance(whole, Number) or not whole.rank or not names_once(whole.axes, index, self.of):
            return e
        place = ast.Subscript(e.args[0], index, ast.Load())
        kind = self.of(place)
        if not isinstance(kind, Number):
            return e
        return expression("p.copy()", p=place) if kind.rank else place

    def of_factor(self, args: list[ast.expr], kinds: list[Kind]) -> ast.expr | None:
        """What x receives in `x * y`, where both are numbers or arrays."""
        new = ast.BinOp(args[0], ast.Mult(), args[2])
        whole, x = self.of(new), kinds[1]
        if (
            isinstance(whole, Number)
            and isinstance(x, Number)
            and isinstance(kinds[2], Number)
            and whole.real
            and x.real
        ):
            return self.summed(new, whole, x.axes, x.dtype)
        return None

    def zeros(self, x: ast.expr, kind: Number) -> ast.expr | None:
        if not kind.rank:
            return constant(0.0) if kind.dtype == "f8" else None
        text = "np.zeros(x.shape)" if kind.dtype == "f8" else "np.zeros(x.shape, x.dtype)"
        return expression(text, np=self.use(np, "np"), x=x)

    def product(self, function: Any, args: list[ast.expr], kinds: list[Number]) -> ast.expr | None:
        b, x, y = kinds
        whole = product(x, y, dot=function in DOTS)
        if not isinstance(whole, Number) or b.rank != whole.rank or len({k.dtype for k in kinds}) > 1:
            return None
        if not all(not_one(n) or same(n, m) for n, m in zip(b.axes, whole.axes)):
            return None
        left = function in LEFT
        text = BY_RANK[x.rank, y.rank][not left] if x.rank <= 2 >= y.rank else self.stacked_product(args, x, y, left)
        if not text:
            return None
        return expression(text, b=args[0], x=args[1], y=args[2], np=self.use(np, "np"))

    def stacked_product(self, args: list[ast.expr], x: Number, y: Number, left: bool) -> str:
        """An adjoint in `x @ y` where x is a stack of matrices, or both are."""
        if y.rank == 2 and left:
            return "b @ y.T"
        if y.rank == 2 and isinstance(args[2], ast.Name) and 0 not in y.axes:
            return "np.dot(x.reshape(-1, y.shape[0]).T, b.reshape(-1, y.shape[1]))"
        if x.rank == y.rank and all(map(alike, x.axes[:-2], y.axes[:-2])):
            return "b @ np.swapaxes(y, -1, -2)" if left else "np.swapaxes(x, -1, -2) @ b"
        return ""

    def summed(self, e: ast.expr, b: Number, axes: tuple[Axis, ...], dtype: str) -> ast.expr | None:
        """A gradient summed to the axes of what was broadcast."""
        if b.dtype != dtype and (axes or dtype != "f8"):
            return None
        lead = b.rank - len(axes)
        if lead < 0:
            return None
        if not axes:
            if b.rank:
                e = self.as_product(factored(summed(e, list(range(b.rank)), b.rank, False), self.of))
            return e if b.dtype == dtype else expression("f(e)", f=self.use(float, "float"), e=e)
        over = list(range(lead))
        for i, (n, m) in enumerate(zip(b.axes[lead:], axes)):
            if alike(n, m) or reaches(n, m):
                continue
            if m != 1 or not not_one(n):
                return None
            over.append(lead + i)
        if not over:
            return e
        if len(over) > lead and lead:
            return None
        return factored(summed(e, over, b.rank, not lead), self.of)

    def as_product(self, e: ast.expr) -> ast.expr:
        """`(x * y).sum()` of vectors as `np.dot(x, y)`."""
        return rebuild(e, self.as_dot)

    def as_dot(self, e: ast.expr) -> ast.expr:
        match e:
            case Summed(func=ast.Attribute(value=ast.BinOp(op=ast.Mult()) as inner), keywords=[]):
                plain = positive(inner)
                left, right = (plain.left, plain.right) if isinstance(plain, ast.BinOp) else (inner.left, inner.right)
                x, y = self.of(left), self.of(right)
                if not isinstance(x, Number) or not isinstance(y, Number) or x.rank != 1 or y.rank != 1:
                    return e
                if x.dtype != y.dtype or not x.real or not alike(x.axes[0], y.axes[0]):
                    return e
                dot = expression("np.dot(x, y)", np=self.use(np, "np"), x=left, y=right)
                return dot if plain is None else ast.UnaryOp(ast.USub(), dot)
            case _:
                return e

    def counted(self, axes: list[Axis]) -> ast.expr | None:
        """How many elements an array with such axes has."""
        lengths = [self.length(n) for n in axes]
        if 0 in axes or not lengths or any(n is None for n in lengths):
            return None
        found, *rest = [n for n in lengths if n is not None]
        for n in rest:
            both = isinstance(found, ast.Constant) and isinstance(n, ast.Constant)
            found = constant(found.value * n.value) if both else ast.BinOp(found, ast.Mult(), n)  # type: ignore[attr-defined]
        return found

    def piece(self, e: ast.Subscript) -> ast.expr:
        """One part of an array that was joined from several."""
        match e.value, e.slice:
            case ast.Call(func=func, args=[b, xs], keywords=options), ast.Constant(value=i) if [
                k.arg for k in options
            ] in ([], ["axis"]):
                at, parts, whole = value_of(options[0].value) if options else 0, self.of(xs), self.of(b)
                if self.resolve(func) is not runtime.split_like or not isinstance(at, int) or not isinstance(i, int):
                    return e
            case _:
                return e
        if not isinstance(parts, Items) or not isinstance(whole, Number) or not 0 <= i < len(parts.items):
            return e
        if not all(isinstance(k, Number) and k.rank == whole.rank and k.dtype == whole.dtype for k in parts.items):
            return e
        lengths = [self.length(k.axes[at]) for k in parts.items[: i + 1] if isinstance(k, Number)]
        if any(n is None for n in lengths[: i + (i < len(parts.items) - 1)]):
            return e
        start, stop = _total(lengths[:i]), _total(lengths[: i + 1]) if i < len(parts.items) - 1 else None
        every: list[ast.expr] = [ast.Slice() for _ in range(at % whole.rank)]
        cut = ast.Slice(start, stop)
        return ast.Subscript(b, ast.Tuple([*every, cut], ast.Load()) if every else cut, ast.Load())


def tangent_of_attribute(e: ast.Call, kinds: list[Kind]) -> ast.expr:
    """`attribute_tangent(dp, p, "k")` as `dp.k`, where both objects hold that."""
    match e.args, kinds:
        case [b, _, ast.Constant(value=str(attr))], [Attributes() as tangent, Attributes() as held, _]:
            known = all(isinstance(k.get(attr), (Number, Attributes)) for k in (tangent, held))
            return ast.Attribute(b, attr, ast.Load()) if known else e
        case _:
            return e


def _total(lengths: list[ast.expr | None]) -> ast.expr | None:
    """The sum of lengths, None for nothing."""
    found: ast.expr | None = None
    for n in lengths:
        assert n is not None
        found = n if found is None else ast.BinOp(found, ast.Add(), n)
    return found


def _is_like(b: Kind, x: Kind) -> bool:
    """Whether an array has the structure of nested lists of numbers, or of another array of as many axes."""
    match b, x:
        case Number(axes=(_, *_)), Number(axes=(_, *_)):
            return b.real and b.dtype == x.dtype and b.rank == x.rank
        case Number(axes=(n, *rest)), Items(items=items) if n == len(items) and b.real:
            inner = Number(tuple(rest), b.dtype)
            return all(_is_like(inner, k) for k in items)
        case Number(axes=()), Number(axes=()):
            return b.dtype == "f8" and x.dtype in ("f8", "i8")
        case _:
            return False
