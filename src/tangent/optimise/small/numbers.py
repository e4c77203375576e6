"""Small arrays as numbers: each statement on them becomes statements on their elements.

d = x - c             ->      d_0 = x_0 - c_0
p = r @ d                     d_1 = x_1 - c_1
                              t = r_00 * d_0
                              ...
"""

from __future__ import annotations

import ast
import itertools
from collections.abc import Callable

import numpy as np

from tangent.backends.numba.functions import require_inside, require_regular, require_same
from tangent.normalise.context import Context
from tangent.optimise.small.elements import Elements, Left, Other, Shape, indices
from tangent.optimise.small.sizes import PRODUCTS, Sizes
from tangent.optimise.small.unroll import whole
from tangent.optimise.typed.kinds import Number
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.uses import expression_reads


class Numbers(Elements):
    """Rewrites a block; `chosen` are the arrays that become numbers."""

    def __init__(
        self, chosen: dict[str, Shape], sizes: Sizes, context: Context, np_name: str,
        unwritten: Callable[[str], bool], pure: Callable[[ast.stmt], bool],
    ) -> None:  # fmt: skip
        super().__init__(chosen, sizes, context)
        self.np = np_name
        self.unwritten, self.pure = unwritten, pure
        self.current: ast.stmt = ast.Pass()

    # Statements

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        outer, self.out = self.out, []
        for s in body:
            self.current, self.like = s, at(ast.Pass(), s)
            self.like.col_offset = 0  # an augmented assignment of an array is known by its place: these are not
            match s:
                case ast.If(test=test, body=then, orelse=other):
                    test = self.header(test)
                    self.out.append(replace(s, test=test, body=self.block(then), orelse=self.block(other)))
                case ast.While(test=test, body=inner):
                    self.out.append(replace(s, test=self.header(test), body=self.block(inner)))
                case ast.For(iter=iter, body=inner):
                    self.out.append(replace(s, iter=self.header(iter), body=self.block(inner)))
                case _:
                    self.statement(s)
        done, self.out = self.out, outer
        return done

    def statement(self, s: ast.stmt) -> None:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if v in self.sizes.displays:
                if any(e.id in self.chosen for e in ast.walk(value) if isinstance(e, ast.Name)):
                    return  # the array that is made of it takes the elements
                self.out.append(s)
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if v in self.chosen:
                self.made(v, value)
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if self.mentions(value):
                self.other(s, v, value)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=v)) as target], value=value) if v in self.chosen:
                self.store(v, target, value, None)
            case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=v)) as target, op=op, value=value) if (
                v in self.chosen
            ):
                self.store(v, target, value, op)
            case ast.Assign(targets=[ast.Subscript() as target], value=ast.Name(id=v)) if v in self.chosen:
                self.store_into(target, v, None)
            case ast.AugAssign(target=ast.Subscript() as target, op=op, value=ast.Name(id=v)) if v in self.chosen:
                self.store_into(target, v, op)
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Name(id=v)) if v in self.chosen:
                if len(self.chosen[v]) != 1:
                    raise Left(v)
                for k, e in enumerate(elts):
                    assert isinstance(e, ast.Name)
                    self.emit(e.id, name(self.cell(v, (k,))))
            case _:
                new = rebuild(s, self.read_cells)
                self.refuse_rest(new)
                self.out.append(new)

    def mentions(self, e: ast.AST) -> bool:
        return any(isinstance(n, ast.Name) and n.id in self.chosen for n in ast.walk(e))

    def refuse_rest(self, node: ast.AST) -> None:
        for n in ast.walk(node):
            if isinstance(n, ast.Name) and n.id in self.chosen:
                raise Left(n.id)

    def header(self, e: ast.expr) -> ast.expr:
        new = rebuild(e, self.read_cells)
        self.refuse_rest(new)
        return new

    def read_cells(self, e: ast.expr) -> ast.expr:
        """An element that is read inside of an expression; the length of an array."""
        match e:
            case ast.Subscript(value=ast.Name(id=v), slice=index) if v in self.chosen:
                places = self.places(v, index)
                return name(self.cell(v, places[1][0])) if places[0] == () else e
            case ast.Call(func=func, args=[ast.Name(id=v)]) if v in self.chosen and self.sizes.resolve(func) is len:
                return constant(self.chosen[v][0])
            case _:
                return e

    # Values

    def made(self, v: str, e: ast.expr) -> None:
        shape = self.chosen[v]
        before = len(self.out)
        try:
            values = self.computed(e, shape)
        except Other:
            del self.out[before:]
            return self.taken_apart(v, e)
        cells = [self.cell(v, i) for i in indices(shape)]
        read = set().union(*(expression_reads(x) for x in values))
        if len(cells) > 1 and read & set(cells):  # a new value made of the old one
            values = [self.held(x) for x in values]
        for target, x in zip(cells, values):
            self.emit(target, x)

    def taken_apart(self, v: str, e: ast.expr) -> None:
        """An array that comes from elsewhere: its elements are read, once it is known to have this shape."""
        shape = self.chosen[v]
        match e:
            case ast.Subscript(value=ast.Name(id=base), slice=index) if base not in self.chosen:
                for i, place in zip(indices(shape), self.elements_of(base, index, shape)):
                    self.emit(self.cell(v, i), ast.Subscript(name(base), place, ast.Load()))
            case _:
                if not self.pure(self.current) or not self.unwritten(v):
                    raise Left(v)
                self.out.append(assign(v, self.as_arrays(e), self.like))
                self.entered(v)

    def entered(self, v: str) -> None:
        """The elements of an array that there is, under its own name."""
        shape = self.chosen[v]
        whole_index = ast.Tuple([ast.Slice() for _ in shape], ast.Load())
        for i, place in zip(indices(shape), self.elements_of(v, whole_index, shape)):
            self.emit(self.cell(v, i), ast.Subscript(name(v), place, ast.Load()))

    def elements_of(self, base: str, index: ast.expr, shape: Shape) -> list[ast.expr]:
        """The index of each element of `base[index]`; that it has this shape is checked."""
        parts = list(index.elts) if isinstance(index, ast.Tuple) else [index]
        rank = self.sizes.rank(name(base))
        parts += [ast.Slice()] * (rank - len(parts))
        if rank != len(parts) or sum(isinstance(p, ast.Slice) for p in parts) != len(shape):
            raise Left(base if base in self.chosen else next(iter(self.chosen)))
        wide = iter(shape)
        along: list[list[ast.expr]] = []
        for axis, p in enumerate(parts):
            if isinstance(p, ast.Slice):
                along.append(self.along(base, axis, p, next(wide)))
            else:
                along.append([self.header(p)])
        return [places[0] if len(places) == 1 else ast.Tuple(list(places), ast.Load())
                for places in itertools.product(*along)]  # fmt: skip

    def along(self, base: str, axis: int, p: ast.Slice, n: int) -> list[ast.expr]:
        lower, upper = (self.header(b) if b is not None else None for b in (p.lower, p.upper))
        low = whole(lower, self.sizes.numbers) if lower is not None else 0
        high = whole(upper, self.sizes.numbers) if upper is not None else None
        size = self.held(expression("t[k]", t=self.held(expression("v.shape", v=base)), k=constant(axis)))
        dims = self.sizes.dims.get(base)
        total = dims[axis] if dims else None
        if lower is None and upper is None:
            self.require(require_same, size, constant(n))
        elif total is not None and low is not None and (high is not None or upper is None):
            self.require(require_same, size, constant(total))
            return [constant(k) for k in range(*slice(low, high).indices(total))]
        elif low is not None:
            first, end = (low, low + n) if low >= 0 else (0, -low)
            self.require(require_inside, constant(first), constant(end), size)
            return [constant(low + k) for k in range(n)]
        else:
            assert lower is not None
            start = lower if isinstance(lower, ast.Name) else self.held(lower)
            self.require(require_inside, start, self.held(expression("a + n", a=start, n=constant(n))), size)
            return [expression("a + k", a=start, k=constant(k)) if k else start for k in range(n)]
        return [constant(k) for k in range(n)]

    def other(self, s: ast.Assign, v: str, e: ast.expr) -> None:
        """A value that is no small array, made from such."""
        match e:
            case ast.Subscript(value=ast.Name(id=base), slice=index) if base in self.chosen:
                shape, places = self.places(base, index)
                if shape == ():
                    return self.emit(v, name(self.cell(base, places[0])))
            case ast.BinOp(left=left, op=ast.MatMult(), right=right) if self.are_vectors(left, right):
                return self.emit(v, self.product(left, right, ())[0])
            case ast.Attribute(value=ast.Name(id=base), attr="shape") if base in self.chosen:
                return self.emit(v, ast.Tuple([constant(n) for n in self.chosen[base]], ast.Load()))
            case ast.Call(func=ast.Attribute(value=ast.Name(id=base), attr="sum"), args=[], keywords=[]) if (
                base in self.chosen
            ):
                return self.emit(v, self.total(base))
            case ast.Call(func=func, args=[ast.Name(id=base)], keywords=[]) if base in self.chosen:
                function = self.sizes.resolve(func)
                if function is np.sum:
                    return self.emit(v, self.total(base))
                if function is np.trace and len(self.chosen[base]) == 2:
                    return self.emit(v, self.trace(base))
                if function is np.linalg.det and self.is_square(self.chosen[base]):
                    return self.emit(v, self.determinant(name(base)))
                if function is np.linalg.slogdet and self.is_square(self.chosen[base]):
                    return self.emit(v, self.logarithm(name(base)))
                if function is np.linalg.norm and len(self.chosen[base]) == 1:
                    return self.emit(v, self.norm(base, func))
            case ast.Call(func=func, args=[left, right], keywords=[]) if self.are_vectors(left, right):
                if any(self.sizes.resolve(func) is f for f in PRODUCTS):
                    return self.emit(v, self.product(left, right, ())[0])
        new = rebuild(e, self.read_cells)
        if self.mentions(new) and not self.pure(s):
            self.refuse_rest(new)
        self.out.append(replace(s, value=self.as_arrays(new, v)))

    def are_vectors(self, *operands: ast.expr) -> bool:
        return all(isinstance(o, ast.Name) and len(self.chosen.get(o.id, ())) == 1 for o in operands)

    def total(self, v: str) -> ast.expr:
        return self.summed([name(self.cell(v, i)) for i in indices(self.chosen[v])])

    def trace(self, v: str) -> ast.expr:
        return self.summed([name(self.cell(v, (k, k))) for k in range(min(self.chosen[v]))])

    def logarithm(self, m: ast.expr) -> ast.expr:
        """The sign of a determinant, and the logarithm of its size."""
        det = self.held(self.determinant(m))
        self.require(require_regular, det)
        sign, size = (self.held(expression(f"np.{f}(d)", np=self.np, d=det)) for f in ("sign", "abs"))
        return ast.Tuple([sign, self.held(expression("np.log(s)", np=self.np, s=size))], ast.Load())

    def norm(self, v: str, func: ast.expr) -> ast.expr:
        """By `np.hypot`, which has the same derivative at zero."""
        cells: list[ast.expr] = [name(self.cell(v, i)) for i in indices(self.chosen[v])]
        if len(cells) == 1:
            return expression("np.abs(x)", np=self.np, x=cells[0])
        total = cells[0]
        for k, x in enumerate(cells[1:], 1):
            both = expression("np.hypot(a, b)", np=self.np, a=total, b=x)
            total = both if k == len(cells) - 1 else self.held(both)
        return total

    def as_arrays(self, e: ast.expr, target: str = "") -> ast.expr:
        """An expression with arrays in place of the numbers that they have become."""
        made: dict[str, ast.expr] = {}

        def change(x: ast.expr) -> ast.expr:
            if not isinstance(x, ast.Name) or x.id not in self.chosen:
                return x
            if not self.unwritten(x.id) and not (target and self.sizes.rank(name(target)) == 0):
                raise Left(x.id)
            if x.id not in made:
                made[x.id] = self.array(x.id)
            return made[x.id]

        return rebuild(e, change)

    def array(self, v: str) -> ast.expr:
        """The numbers as an array again."""
        cells: list[ast.expr] = [name(self.cell(v, i)) for i in indices(self.chosen[v])]
        flat = self.held(expression("np.array(t)", np=self.np, t=self.held(ast.List(cells, ast.Load()))))
        if len(self.chosen[v]) == 1:
            return flat
        shape = ast.Tuple([constant(n) for n in self.chosen[v]], ast.Load())
        return self.held(expression("np.reshape(t, s)", np=self.np, t=flat, s=shape))

    # Stores

    def store(self, v: str, target: ast.Subscript, value: ast.expr, op: ast.operator | None) -> None:
        shape, places = self.places(v, target.slice)
        try:
            given = self.shape(value)
        except Other:
            raise Left(v) from None
        if np.broadcast_shapes(shape, given) != shape:
            raise Left(v)
        values = [self.as_float(self.at(value, i)) for i in indices(shape)]
        if isinstance(value, ast.Name) and value.id == v and len(places) > 1:
            values = [self.held(x) for x in values]
        for p, x in zip(places, values):
            cell = self.cell(v, p)
            if op is not None and isinstance(x, ast.BinOp):
                x = self.held(x)
            self.emit(cell, x if op is None else ast.BinOp(name(cell), op, x))

    def store_into(self, target: ast.Subscript, v: str, op: ast.operator | None) -> None:
        """The elements one by one into a part of an array."""
        if not isinstance(target.value, ast.Name) or target.value.id in self.chosen:
            raise Left(v)
        base, shape = target.value.id, self.chosen[v]
        kind = self.sizes.kind(name(base))
        if not isinstance(kind, Number) or kind.dtype != "f8":
            raise Left(v)
        into = self.sizes.part(replace(target, ctx=ast.Load()))
        if into is None or len(into) != len(shape):
            raise Left(v)
        for i, place in zip(indices(shape), self.elements_of(base, target.slice, shape)):
            cell = ast.Subscript(name(base), place, ast.Store())
            x = name(self.cell(v, i))
            step: ast.stmt = ast.Assign([cell], x) if op is None else ast.AugAssign(cell, op, x)
            self.out.append(at(step, self.like))
