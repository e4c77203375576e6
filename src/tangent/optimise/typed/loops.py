"""Elementwise statements on arrays, as loops: they compile in a fraction of the time, and slices run faster.

a[1:-1] = (a[:-2] + a[2:]) / 2        t = np.empty(max(a.shape[0] - 2, 0))
                                      for i0 in range(a.shape[0] - 2):
                                ->        t[i0] = (a[i0] + a[i0 + 2]) / 2
                                      for i0 in range(a.shape[0] - 2):
                                          a[i0 + 1] = t[i0]

Arrays in one statement must agree in shape; where they do not, the loop refuses, and another version of the derivative
is made, without loops.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

import numpy as np

from tangent import runtime
from tangent.backends.numba.functions import require_same
from tangent.optimise.typed.agreed import agreed
from tangent.optimise.typed.aliases import made_here, private, shared
from tangent.optimise.typed.buffers import buffers
from tangent.optimise.typed.cells import cells
from tangent.optimise.typed.elements import Elements, NotElementwise
from tangent.optimise.typed.fuse import as_lowered, fuse
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.invariant import invariant
from tangent.optimise.typed.kinds import FLOAT, INT, Number
from tangent.optimise.typed.lengths import lengths
from tangent.optimise.typed.order import order
from tangent.optimise.typed.reach import Accesses
from tangent.optimise.typed.records import unchanged
from tangent.optimise.typed.split import split
from tangent.syntax.names import Names, identifiers
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import arguments, expression_reads, writes
from tangent.transform.generated import Generated

SUMS = (np.sum, runtime.unbroadcast)
LIKE = (np.zeros_like, np.ones_like, np.empty_like, runtime.shadow, runtime.init_grad, runtime.lazy_zero, runtime.own,
        runtime.own_any)  # fmt: skip


def loops(
    body: list[ast.stmt], g: Generated, found: Inference, np_name: str, max_name: str
) -> list[ast.stmt]:  # fmt: skip
    """`np_name` and `max_name` stand for NumPy and Python's `max`."""
    lowering = _Lowering(body, g, found, np_name, max_name)
    parameters = {a.arg for a in arguments(g.tree.args)} if g.tree is not None else set()
    fixed = lowering.stable.lasting
    body = agreed(lowering.block(body), fixed & parameters)
    body = fuse(body, lowering.own, lowering.temporaries)
    places = Accesses(fixed, lengths=lengths(body, fixed))
    body = order(cells(body, lowering.own, lowering.names, found.kinds[g], places), lowering.own, fixed)
    body = split(body, lowering.own, fixed)
    floats = frozenset(v for v, kind in found.kinds[g].items() if isinstance(kind, Number) and kind.dtype == "f8")
    body = invariant(body, lowering.own, unchanged(body, parameters), fixed, floats, lowering.names)
    kept = lowering.temporaries & private(body, lowering.own, g, found)
    return buffers(body, frozenset(kept), lowering.stable.lasting, lowering.own)


class _Lowering:
    def __init__(self, body: list[ast.stmt], g: Generated, found: Inference, np_name: str, max_name: str) -> None:
        self.g, self.found, self.np, self.max = g, found, np_name, max_name
        assert g.tree is not None
        self.names = Names(identifiers(g.tree) | set(g.externals) | set().union(*(identifiers(s) for s in body)))
        self.own = made_here(body, g, found)
        self.shared = shared(body, g, found)
        self.private = private(body, self.own, g, found)
        self.stable = stable_names(body, g)
        self.sizes: dict[str, list[ast.expr]] = {}
        self.temporaries: set[str] = set()

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in body:
            match s:
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=self.block(then), orelse=self.block(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    done.append(replace(s, body=self.block(inner)))
                case Comment():
                    done.append(s)
                case _:
                    before, s = self.sums(s)
                    done += [at(x, s) for x in (*before, *self.lowered(s))]
        return done

    def rank(self, e: ast.expr) -> int:
        """The rank of an array of floats, else 0."""
        kind = self.found.of(e, self.g)
        return kind.rank if isinstance(kind, Number) and kind.dtype == "f8" else 0

    def lowered(self, s: ast.stmt) -> list[ast.stmt]:
        self.like(s)
        try:
            match s:
                case ast.Assign(targets=[ast.Subscript(value=ast.Name()) as target], value=value) if self.rank(target):
                    return self.stored(target, value, None)
                case ast.AugAssign(target=ast.Subscript(value=ast.Name()) as target, op=op, value=value) if self.rank(
                    target
                ):
                    return self.stored(target, value, op)
                case ast.AugAssign(target=ast.Name() as target, op=op, value=value) if self.rank(target):
                    return self.stored(target, value, op)
                case ast.Assign(targets=[ast.Name(id=v)], value=value) if self.rank(value) and _computes(value):
                    return self.made(v, value)
        except NotElementwise:
            pass
        return [s]

    def learn(self, v: str, extents: list[ast.expr]) -> None:
        """Remember the shape of an array that is made once, in terms of what does not change."""
        known = {n for e in extents for n in expression_reads(e)}
        if (v in self.stable.once or v not in self.stable.every) and known <= self.stable.lasting:
            self.sizes[v] = extents

    def like(self, s: ast.stmt) -> None:
        """`bx = np.zeros_like(x)` and its kind."""
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func, args=[ast.Name(id=x), *_])) if (
                self.found.resolve(func, self.g) in LIKE
            ):
                pass
            case ast.Assign(
                targets=[ast.Name(id=v)], value=ast.Call(func=ast.Attribute(value=ast.Name(id=x), attr="copy"), args=[])
            ):
                pass
            case ast.Assign(
                targets=[ast.Name(id=v)], value=ast.Subscript(value=ast.Name(id=x), slice=index) as part
            ) if self.rank(part):
                elements = self.elements(self.rank(part))
                try:
                    elements.place(x, index)
                    if not elements.before:
                        self.learn(v, self.extents(elements))
                except NotElementwise:
                    pass
                return
            case _:
                return
        if rank := self.rank(name(x)):
            default: list[ast.expr] = [expression("x.shape[k]", x=x, k=constant(k)) for k in range(rank)]
            self.learn(v, self.sizes.get(x, default))

    # Sums

    def sums(self, s: ast.stmt) -> tuple[list[ast.stmt], ast.stmt]:
        """Sums over elementwise expressions, taken before the statement."""
        before: list[ast.stmt] = []

        def change(e: ast.expr) -> ast.expr:
            match e:
                case ast.Call(func=func, args=[inner, *_], keywords=[]) if (
                    self.found.resolve(func, self.g) in SUMS
                    and self.rank(inner)
                    and self.found.of(e, self.g) == FLOAT
                    and _computes(inner)
                ):
                    try:
                        before.extend(self.summed(held := self.names.numbered("total"), inner))
                    except NotElementwise:
                        return e
                    self.found.kinds[self.g][held] = FLOAT
                    return name(held)
                case _:
                    return e

        match s:
            case ast.Assign() | ast.AugAssign() | ast.Return():
                new = rebuild(s, change)
                return before, new
            case _:
                return [], s

    def summed(self, held: str, e: ast.expr) -> list[ast.stmt]:
        elements = self.elements(self.rank(e))
        value = elements.at(e)
        body: list[ast.stmt] = [ast.AugAssign(ast.Name(held, ast.Store()), ast.Add(), value)]
        loop = self.nest(elements, body)
        return [*elements.before, *self.checks(elements), assign(held, constant(0.0)), loop]

    # Arrays

    def made(self, v: str, e: ast.expr) -> list[ast.stmt]:
        """A new array."""
        if v in expression_reads(e) and v in self.private:
            with_place = self.in_place(v, e)
            if with_place is not None:
                return with_place
        elements = self.elements(self.rank(e))
        value = elements.at(e)
        target = self.names.numbered(f"{v}_new") if v in expression_reads(e) else v
        place = _index(elements.variables)
        body: list[ast.stmt] = [ast.Assign([ast.Subscript(name(target), place, ast.Store())], value)]
        loop = self.nest(elements, body)
        done = [*elements.before, *self.checks(elements), self.empty(target, elements), loop]
        self.temporaries.add(target)
        if target == v and v not in self.shared and (v in self.stable.once or v not in self.stable.every):
            self.own |= {target}
        self.learn(target, self.extents(elements))
        if target != v:
            self.found.kinds[self.g][target] = self.found.of(e, self.g)
            done.append(assign(v, name(target)))
        return done

    def in_place(self, v: str, e: ast.expr) -> list[ast.stmt] | None:
        """A new value in the memory of the old one, where each element needs only its own."""
        elements = self.elements(self.rank(e))
        value = elements.at(e)
        whole = self.found.kinds[self.g].get(v)
        if any(x == v and text != v for x, text in elements.reads) or not isinstance(whole, Number):
            return None
        if whole.rank != len(elements.variables) or v not in (x for x, _ in elements.reads):
            return None
        place = ast.Subscript(name(v), _index(elements.variables), ast.Store())
        step: ast.stmt = ast.Assign([place], value)
        match value:
            case ast.BinOp(left=ast.Subscript(value=ast.Name(id=same)), op=ast.Add() as op, right=part) if same == v:
                step = ast.AugAssign(place, op, part)
        return [*elements.before, *self.checks(elements), self.nest(elements, [step])]

    def stored(self, target: ast.Name | ast.Subscript, e: ast.expr, op: ast.operator | None) -> list[ast.stmt]:
        """A store into an array, or a part of one; by way of a temporary where the value reads other parts of it."""
        base = target.value if isinstance(target, ast.Subscript) else target
        assert isinstance(base, ast.Name)
        elements = self.elements(self.rank(target))
        index = target.slice if isinstance(target, ast.Subscript) else ast.Tuple([], ast.Load())
        into = ast.Subscript(name(base.id), elements.place(base.id, index), ast.Store())
        value = elements.at(e)
        others = [v for v, text in elements.reads if not (v == base.id and text == ast.unparse(target))]
        if any(v == base.id or not (v in self.own or base.id in self.own) for v in others):
            return self.by_way_of(target, e, op)
        step: ast.stmt = ast.AugAssign(into, op, value) if op is not None else ast.Assign([into], value)
        return [*elements.before, *self.checks(elements), self.nest(elements, [step])]

    def by_way_of(self, target: ast.Name | ast.Subscript, e: ast.expr, op: ast.operator | None) -> list[ast.stmt]:
        held = self.names.numbered("t")
        self.found.kinds[self.g][held] = self.found.of(e, self.g)
        if not isinstance(self.found.kinds[self.g][held], Number) or not self.rank(e):
            raise NotElementwise
        self.own |= {held}
        first = self.made(held, e)
        return [*first, *self.stored(target, name(held), op)]

    # Parts of loops

    def elements(self, rank: int) -> Elements:
        return Elements(self.g, self.found, self.names, self.sizes, [self.variable(k) for k in range(rank)])

    def variable(self, k: int) -> str:
        """`i0`, `i1`, ...: the same in all loops."""
        base = f"i{k}"
        while base in identifiers_of(self.g) or base in self.g.externals:
            base += "_"
        self.names.taken.add(base)
        self.found.kinds[self.g][base] = INT
        return base

    def extents(self, elements: Elements) -> list[ast.expr]:
        if any(not of for of in elements.extents):
            raise NotElementwise
        return [of[0] for of in elements.extents]

    def nest(self, elements: Elements, body: list[ast.stmt]) -> ast.stmt:
        for v, n in reversed(list(zip(elements.variables, self.extents(elements)))):
            body = [as_lowered(ast.For(ast.Name(v, ast.Store()), call("range", n), body, []))]
        return body[0]

    def checks(self, elements: Elements) -> list[ast.stmt]:
        """Extents that are not the same by their text are compared when the code runs."""
        done: dict[str, ast.stmt] = {}
        for first, others in zip(self.extents(elements), elements.extents):
            for other in others:
                if ast.unparse(other) != ast.unparse(first):
                    check = call("require_same", first, other)
                    done[ast.unparse(check)] = ast.Expr(check)
        if done:
            self.g.externals = {**self.g.externals, "require_same": require_same}
        return list(done.values())

    def empty(self, v: str, elements: Elements) -> ast.stmt:
        shape = [self.not_negative(n) for n in self.extents(elements)]
        size = shape[0] if len(shape) == 1 else ast.Tuple(shape, ast.Load())
        return assign(v, ast.Call(expression(f"{self.np}.empty"), [size], []))

    def not_negative(self, n: ast.expr) -> ast.expr:
        """A length: a[1:-1] has no element where a has one."""
        return call(self.max, n, constant(0)) if isinstance(n, ast.BinOp) else n


def identifiers_of(g: Generated) -> set[str]:
    assert g.tree is not None
    return identifiers(g.tree)


def broadcasts(body: list[ast.stmt], g: Generated, found: Inference) -> bool:
    """Whether operations are left that may broadcast arrays of one rank."""

    def rank(e: ast.expr) -> int:
        kind = found.of(e, g)
        return kind.rank if isinstance(kind, Number) else 0 if kind is not None else -1

    for s in statements(body):
        for n in ast.walk(s) if not isinstance(s, (ast.If, ast.For, ast.While)) else ():
            match n:
                case ast.BinOp(left=left, op=op, right=right) if not isinstance(op, ast.MatMult):
                    if rank(left) == rank(right) > 0:
                        return True
                case ast.Call(args=args) if isinstance(function := found.resolve(n.func, g), np.ufunc):
                    if not function.signature and len(args) > 1 and rank(args[0]) == rank(args[1]) > 0:
                        return True
                case ast.Call(args=[x, _]) if found.resolve(n.func, g) is np.broadcast_to:
                    if rank(x) > 0 and rank(n) in (rank(x), 0):  # 0: nobody knows
                        return True
                case ast.AugAssign(target=target, value=value) if rank(_loaded(target)) == rank(value) > 0:
                    return True
    return False


def _loaded(target: ast.expr) -> ast.expr:
    return replace(target, ctx=ast.Load()) if isinstance(target, (ast.Name, ast.Subscript)) else target


@dataclass(frozen=True)
class Stable:
    """Names by how often they are assigned: at all, once anywhere, and those that keep what they have for good."""

    every: frozenset[str]
    once: frozenset[str]
    lasting: frozenset[str]


def stable_names(body: list[ast.stmt], g: Generated) -> Stable:
    assert g.tree is not None
    times: dict[str, int] = {}
    for s in statements(body):
        for v in writes(s) if not isinstance(s, ast.AugAssign) else ():
            times[v] = times.get(v, 0) + 1
    top = {v for s in body for v in writes(s)}
    parameters = {a.arg for a in arguments(g.tree.args)}
    once = frozenset(v for v, n in times.items() if n == 1 and v not in parameters)
    lasting = frozenset({v for v in once if v in top} | {p for p in parameters if p not in times})
    return Stable(frozenset(times), once, lasting)


def _computes(e: ast.expr) -> bool:
    """Whether an expression makes a new array by arithmetic, rather than naming one or copying all of it."""
    if isinstance(e, ast.Call) and isinstance(e.func, ast.Attribute) and isinstance(e.func.value, ast.Name):
        if e.func.attr == "copy":
            return False
    return isinstance(e, (ast.BinOp, ast.UnaryOp, ast.Call)) and not (
        isinstance(e, ast.BinOp) and isinstance(e.op, ast.MatMult)
    )  # fmt: skip


def _index(variables: list[str]) -> ast.expr:
    return name(variables[0]) if len(variables) == 1 else ast.Tuple([name(v) for v in variables], ast.Load())
