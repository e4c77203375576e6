"""The elements of what is computed with small arrays, one expression for each."""

from __future__ import annotations

import ast
import itertools
from collections.abc import Iterator
from typing import Any

import numpy as np

from tangent.backends.numba.functions import require_regular
from tangent.normalise.context import Context
from tangent.optimise.small.sizes import EYES, PACKS, PRODUCTS, Sizes
from tangent.optimise.small.unroll import whole
from tangent.optimise.typed.elements import UFUNCS
from tangent.optimise.typed.kinds import FLOAT, Number
from tangent.syntax.quote import assign, at, constant, name

Shape = tuple[int, ...]
Index = tuple[int, ...]


class Left(Exception):
    """An array that something is done with that numbers cannot do."""

    def __init__(self, v: str) -> None:
        super().__init__(v)
        self.name = v


class Other(Exception):
    """Not a value that is computed element by element."""


def indices(shape: Shape) -> Iterator[Index]:
    return itertools.product(*(range(n) for n in shape))


class Elements:
    """`chosen` are the arrays that become numbers; what must come before an expression goes to `out`."""

    def __init__(self, chosen: dict[str, Shape], sizes: Sizes, context: Context) -> None:
        self.chosen, self.sizes, self.context = chosen, sizes, context
        self.out: list[ast.stmt] = []
        self.like: ast.stmt = ast.Pass()
        self.named: dict[tuple[str, Index], str] = {}

    def emit(self, target: str, value: ast.expr) -> None:
        self.out.append(assign(target, value, self.like))

    def held(self, value: ast.expr) -> ast.expr:
        v = self.context.names.numbered("t")
        self.emit(v, value)
        return name(v)

    def cell(self, v: str, index: Index) -> str:
        if (v, index) not in self.named:
            self.named[v, index] = self.context.names.fresh(f"{v}_{''.join(map(str, index))}")
        return self.named[v, index]

    def at(self, e: ast.expr, index: Index) -> ast.expr:
        """The element of an operand, which may have fewer axes."""
        if isinstance(e, ast.Name) and e.id in self.chosen:
            shape = self.chosen[e.id]
            mine = index[len(index) - len(shape) :] if shape else ()
            return name(self.cell(e.id, tuple(i if n > 1 else 0 for i, n in zip(mine, shape))))
        kind = self.sizes.kind(e)
        if not isinstance(kind, Number) or not kind.scalar:
            raise Other
        return e

    def shape(self, e: ast.expr) -> Shape:
        if isinstance(e, ast.Name) and e.id in self.chosen:
            return self.chosen[e.id]
        kind = self.sizes.kind(e)
        if isinstance(kind, Number) and kind.scalar and kind.dtype in ("f8", "i8", "b1"):
            return ()
        raise Other

    def computed(self, e: ast.expr, shape: Shape) -> list[ast.expr]:
        """The elements of a value, in order; they may need statements before."""
        match e:
            case ast.Name():
                self.agree(shape, self.shape(e))
                return [self.at(e, i) for i in indices(shape)]
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                return self.product(left, right, shape)
            case ast.BinOp(left=left, op=op, right=right):
                self.agree(shape, np.broadcast_shapes(self.shape(left), self.shape(right)))
                return [ast.BinOp(self.at(left, i), op, self.at(right, i)) for i in indices(shape)]
            case ast.UnaryOp(op=ast.USub() | ast.UAdd() as op, operand=operand):
                self.agree(shape, self.shape(operand))
                return [ast.UnaryOp(op, self.at(operand, i)) for i in indices(shape)]
            case ast.Subscript(value=ast.Name(id=v), slice=index) if v in self.chosen:
                found, places = self.places(v, index)
                self.agree(shape, found)
                return [name(self.cell(v, p)) for p in places]
            case ast.Attribute(value=ast.Name() as value, attr="T"):
                self.agree(shape, self.shape(value)[::-1])
                return [self.at(value, i[::-1]) for i in indices(shape)]
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v) as value, attr="copy"), args=[]) if v in self.chosen:
                self.agree(shape, self.shape(value))
                return [self.at(value, i) for i in indices(shape)]
            case ast.Call(args=args, keywords=[]) if args:
                return self.called(e, self.sizes.resolve(e.func), args, shape)
            case _:
                raise Other

    def agree(self, shape: Shape, found: Shape) -> None:
        if shape != found:
            raise Other

    def called(self, e: ast.Call, function: Any, args: list[ast.expr], shape: Shape) -> list[ast.expr]:
        if isinstance(function, np.ufunc):
            if function not in UFUNCS:
                raise Other
            self.agree(shape, np.broadcast_shapes(*(self.shape(a) for a in args)))
            return [ast.Call(e.func, [self.at(a, i) for a in args], []) for i in indices(shape)]
        first = args[0]
        match function:
            case _ if any(function is f for f in PRODUCTS) and len(args) == 2:
                return self.product(first, args[1], shape)
            case np.cross:
                if (self.shape(first), self.shape(args[1]), shape) != ((3,), (3,), (3,)):
                    raise Other
                return [self.crossed(first, args[1], (k + 1) % 3, (k + 2) % 3) for k in range(3)]
            case np.outer:
                self.agree(shape, self.shape(first) + self.shape(args[1]))
                return [ast.BinOp(self.at(first, i[:1]), ast.Mult(), self.at(args[1], i[1:])) for i in indices(shape)]
            case np.zeros | np.empty:
                return [constant(0.0) for _ in indices(shape)]
            case np.ones:
                return [constant(1.0) for _ in indices(shape)]
            case np.full if len(args) == 2 and self.shape(args[1]) == ():
                return [self.as_float(args[1]) for _ in indices(shape)]
            case _ if any(function is f for f in EYES) and len(args) == 1:
                return [constant(1.0 if i[0] == i[1] else 0.0) for i in indices(shape)]
            case np.zeros_like | np.empty_like | np.ones_like:
                self.agree(shape, self.shape(first))
                return [constant(1.0 if function is np.ones_like else 0.0) for _ in indices(shape)]
            case np.copy:
                self.agree(shape, self.shape(first))
                return [self.at(first, i) for i in indices(shape)]
            case np.diag if len(args) == 1:
                return self.diagonal(first, shape)
            case np.transpose if len(args) == 1:
                self.agree(shape, self.shape(first)[::-1])
                return [self.at(first, i[::-1]) for i in indices(shape)]
            case np.linalg.inv if self.is_square(shape):
                self.agree(shape, self.shape(first))
                return self.inverse(first)
            case np.linalg.solve if len(args) == 2 and self.is_square(self.shape(first)):
                return self.solved(self.inverse(first), args[1], shape)
            case _ if any(function is f for f in PACKS) and isinstance(first, ast.Name):
                return self.packed(first.id, shape)
            case _:
                raise Other

    def packed(self, v: str, shape: Shape) -> list[ast.expr]:
        """The elements of lists in lists."""
        elts = self.sizes.displays.get(v)
        if elts is None or len(elts) != shape[0]:
            raise Other
        found: list[ast.expr] = []
        for e in elts:
            if isinstance(e, ast.Name) and e.id in self.sizes.displays:
                found += self.packed(e.id, shape[1:])
            else:
                self.agree(shape[1:], self.shape(e))
                found += [self.as_float(self.at(e, i)) for i in indices(shape[1:])]
        return found

    def as_float(self, e: ast.expr) -> ast.expr:
        """What an array of floats makes of a number."""
        if isinstance(e, ast.Constant):
            return constant(float(e.value))  # type: ignore[arg-type]
        known = isinstance(e, ast.Name) and e.id in self.named.values()
        if known or self.sizes.kind(e) == FLOAT:
            return e
        return ast.BinOp(e, ast.Mult(), constant(1.0))

    def crossed(self, a: ast.expr, b: ast.expr, i: int, j: int) -> ast.expr:
        first = self.held(ast.BinOp(self.at(a, (i,)), ast.Mult(), self.at(b, (j,))))
        second = self.held(ast.BinOp(self.at(a, (j,)), ast.Mult(), self.at(b, (i,))))
        return ast.BinOp(first, ast.Sub(), second)

    def product(self, a: ast.expr, b: ast.expr, shape: Shape) -> list[ast.expr]:
        p, q = self.shape(a), self.shape(b)
        if not p or not q or p[-1] != q[0] or p[:-1] + q[1:] != shape:
            raise Other
        found = []
        for i in indices(shape):
            row, column = i[: len(p) - 1], i[len(p) - 1 :]
            terms = [(self.at(a, (*row, k)), self.at(b, (k, *column))) for k in range(q[0])]
            found.append(self.summed([self.held(ast.BinOp(x, ast.Mult(), y)) for x, y in terms]))
        return found

    def diagonal(self, e: ast.expr, shape: Shape) -> list[ast.expr]:
        """The diagonal of a matrix, or the matrix that has this one."""
        mine = self.shape(e)
        if len(mine) == 2:
            self.agree(mine, shape * 2)
            return [self.at(e, i * 2) for i in indices(shape)]
        self.agree(shape, mine * 2)
        return [self.at(e, i[:1]) if i[0] == i[1] else constant(0.0) for i in indices(shape)]

    def is_square(self, shape: Shape) -> bool:
        """Whether a matrix is inverted by a formula that is as exact as elimination."""
        return shape in ((1, 1), (2, 2))

    def determinant(self, m: ast.expr) -> ast.expr:
        if self.shape(m) == (1, 1):
            return self.at(m, (0, 0))
        first = self.held(ast.BinOp(self.at(m, (0, 0)), ast.Mult(), self.at(m, (1, 1))))
        second = self.held(ast.BinOp(self.at(m, (0, 1)), ast.Mult(), self.at(m, (1, 0))))
        return ast.BinOp(first, ast.Sub(), second)

    def inverse(self, m: ast.expr) -> list[ast.expr]:
        """The elements of the inverse; that there is one is checked."""
        det = self.held(self.determinant(m))
        self.require(require_regular, det)
        if self.shape(m) == (1, 1):
            return [ast.BinOp(constant(1.0), ast.Div(), det)]
        a, b, c, d = (self.at(m, i) for i in indices((2, 2)))
        b, c = (self.held(ast.UnaryOp(ast.USub(), x)) for x in (b, c))
        return [ast.BinOp(x, ast.Div(), det) for x in (d, b, c, a)]

    def solved(self, inverse: list[ast.expr], b: ast.expr, shape: Shape) -> list[ast.expr]:
        self.agree(shape, self.shape(b))
        n = shape[0]
        inverse = [self.held(x) for x in inverse]
        found = []
        for i, *column in indices(shape):
            terms = [(inverse[i * n + k], self.at(b, (k, *column))) for k in range(n)]
            found.append(self.summed([self.held(ast.BinOp(x, ast.Mult(), y)) for x, y in terms]))
        return found

    def require(self, function: Any, *args: ast.expr) -> None:
        called = name(self.context.use(function.__name__, function))
        self.out.append(at(ast.Expr(ast.Call(called, list(args), [])), self.like))

    def summed(self, terms: list[ast.expr]) -> ast.expr:
        total = terms[0]
        for k, term in enumerate(terms[1:], 1):
            both = ast.BinOp(total, ast.Add(), term)
            total = both if k == len(terms) - 1 else self.held(both)
        return total

    def places(self, v: str, index: ast.expr) -> tuple[Shape, list[Index]]:
        """The shape of `v[index]`, and where its elements are; the index must be constant."""
        shape = self.chosen[v]
        parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
        if len(parts) > len(shape):
            raise Left(v)
        parts += [ast.Slice()] * (len(shape) - len(parts))
        along: list[list[int]] = []
        found: list[int] = []
        for p, n in zip(parts, shape):
            if isinstance(p, ast.Slice):
                bounds = [None if b is None else whole(b, self.sizes.numbers) for b in (p.lower, p.upper, p.step)]
                if any(b is not None and k is None for b, k in zip((p.lower, p.upper, p.step), bounds)):
                    raise Left(v)
                along.append(list(range(*slice(*bounds).indices(n))))
                found.append(len(along[-1]))
                continue
            k = whole(p, self.sizes.numbers)
            if k is None or not -n <= k < n:
                raise Left(v)
            along.append([k % n])
        return tuple(found), list(itertools.product(*along))
