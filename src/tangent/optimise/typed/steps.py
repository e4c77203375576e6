"""Array expressions inside other calls, and contributions to items, as statements of their own.

return settled(scatter(bt * t, x, np.s_[1:]), x)      ->      b = np.zeros_like(x)
                                                              b[1:] += bt * t
                                                              return settled(b, x)
"""

from __future__ import annotations

import ast

import numpy as np

from tangent import runtime
from tangent.optimise.typed.calls import rank_after
from tangent.optimise.typed.elements import KERNELS, UFUNCS
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Number
from tangent.syntax.names import Names, identifiers
from tangent.syntax.print import Comment
from tangent.syntax.quote import assign, at, expression, name
from tangent.syntax.rebuild import replace
from tangent.transform.generated import Generated

ELEMENTWISE = (
    UFUNCS | KERNELS | {np.where, np.sum, np.outer, runtime.unbroadcast, runtime.broadcast_like, runtime.spread}
)


def steps(body: list[ast.stmt], g: Generated, found: Inference, np_name: str) -> list[ast.stmt]:
    return _Steps(body, g, found, np_name).block(body)


class _Steps:
    def __init__(self, body: list[ast.stmt], g: Generated, found: Inference, np_name: str) -> None:
        self.g, self.found, self.np = g, found, np_name
        assert g.tree is not None
        self.names = Names(identifiers(g.tree) | set(g.externals) | set().union(*(identifiers(s) for s in body)))
        self.before: list[ast.stmt] = []
        self.temporaries: set[str] = set()

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in body:
            match s:
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=self.block(then), orelse=self.block(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    done.append(replace(s, body=self.block(inner)))
                case ast.Assign(targets=[ast.Name(id=c)], value=ast.Call() as value) if chain := self.chain(value):
                    b, parts = chain
                    self.before = []
                    for index, v in parts:
                        self.before.append(_add(b, index, self.step(v)))
                    done += [at(x, s) for x in (*self.before, *([] if b == c else [assign(c, name(b))]))]
                case ast.Assign(value=value) | ast.AugAssign(value=value) | ast.Return(value=ast.expr() as value):
                    self.before = []
                    found = self.step(value)
                    new = replace(s, value=self.product(found) if _stores(s) else found)
                    done += [at(x, s) for x in (*self.before, new)]
                case Comment() | _:
                    done.append(s)
        return done

    def chain(self, e: ast.expr) -> tuple[str, list[tuple[ast.expr, ast.expr]]] | None:
        """The b and the contributions of `add_item(add_item(b, x, i, v), x, j, w)`, in order."""
        found: list[tuple[ast.expr, ast.expr]] = []
        while isinstance(e, ast.Call) and len(e.args) == 4 and not e.keywords:
            if self.found.resolve(e.func, self.g) is not runtime.add_item:
                return None
            found.insert(0, (e.args[2], e.args[3]))
            e = e.args[0]
        whole = isinstance(e, ast.Name) and found and all(self.fits(e, index, v) for index, v in found)
        return (e.id, found) if isinstance(e, ast.Name) and whole else None

    def step(self, e: ast.expr) -> ast.expr:
        """The expression with what must come before it taken out."""
        match e:
            case ast.Call(func=func, args=args, keywords=keywords):
                function = self.found.resolve(func, self.g)
                if function is runtime.add_item and len(args) == 4 and not keywords:
                    return self.added(e, self.step(args[0]), args[2], self.step(args[3]))
                if function is runtime.scatter and len(args) == 3 and isinstance(args[1], ast.Name) and not keywords:
                    return self.scattered(e, args[1].id, args[2], self.step(args[0]))
                inside = self.in_order(args)
                if function in ELEMENTWISE:
                    inside = [self.product(a) for a in inside]
                elif not isinstance(func, (ast.Attribute, ast.Lambda)):
                    inside = [self.held(a) for a in inside]
                return replace(e, args=inside)
            case ast.BinOp(left=left, op=ast.MatMult(), right=right):
                left, right = self.in_order([left, right])
                return replace(e, left=self.held(left), right=self.held(right))
            case ast.BinOp(left=left, right=right):
                left, right = self.in_order([left, right])
                return replace(e, left=self.product(left), right=self.product(right))
            case ast.UnaryOp(operand=operand):
                return replace(e, operand=self.product(self.step(operand)))
            case ast.Tuple(elts=elts) | ast.List(elts=elts) if isinstance(e.ctx, ast.Load):
                return replace(e, elts=[self.held(x) for x in self.in_order(elts)])
            case _:
                return e

    def in_order(self, parts: list[ast.expr]) -> list[ast.expr]:
        """Parts of an expression, from left to right; what is computed before a backward pass runs stays before it.

        by = bt * q + g_bwd(g_saved, bq)      the backward pass puts back what q holds
        """
        last = max((i for i, p in enumerate(parts) if self.calls_module(p)), default=-1)
        return [self.fixed(self.step(p)) if i < last else self.step(p) for i, p in enumerate(parts)]

    def calls_module(self, e: ast.expr) -> bool:
        """Whether another function of the module is called in an expression."""
        called = (n.func for n in ast.walk(e) if isinstance(n, ast.Call))
        return any(isinstance(self.found.resolve(f, self.g), Generated) for f in called)

    def fixed(self, e: ast.expr) -> ast.expr:
        return e if isinstance(e, (ast.Name, ast.Constant)) else self.named(e)

    def held(self, e: ast.expr) -> ast.expr:
        """A computed array under a name."""
        kind = self.found.of(e, self.g)
        called = isinstance(e, ast.Call) and self.found.resolve(e.func, self.g) in ELEMENTWISE
        computed = called or isinstance(e, (ast.BinOp, ast.UnaryOp))
        return self.named(e) if computed and isinstance(kind, Number) and kind.rank else e

    def given(self, e: ast.expr) -> ast.expr:
        """An array that another function gives, under a name: a loop adds it."""
        kind = self.found.of(e, self.g)
        other = isinstance(e, ast.Call) and self.found.resolve(e.func, self.g) not in ELEMENTWISE
        return self.named(e) if other and isinstance(kind, Number) and kind.rank and kind.dtype == "f8" else e

    def product(self, e: ast.expr) -> ast.expr:
        """A matrix product, or what another function gives, inside of an elementwise expression, under a name."""
        match e:
            case ast.BinOp(op=ast.MatMult()) | ast.Attribute(attr="T"):
                kind = self.found.of(e, self.g)
                return self.named(e) if isinstance(kind, Number) and kind.rank else e
            case ast.Call(func=ast.Attribute(attr="copy"), args=[]):
                return e
            case _:
                return self.given(e)

    def named(self, e: ast.expr) -> ast.Name:
        v = self.names.numbered("t")
        self.found.kinds[self.g][v] = self.found.of(e, self.g)
        self.temporaries.add(v)
        self.before.append(assign(v, e))
        return name(v)

    def fits(self, whole: ast.expr, index: ast.expr, v: ast.expr) -> bool:
        """Whether v can be added at an index of numbers and slices."""
        kind, part = self.found.of(whole, self.g), self.found.of(v, self.g)
        if not (isinstance(kind, Number) and isinstance(part, Number) and kind.dtype == part.dtype == "f8"):
            return False
        left = rank_after(kind.rank, _plain(index), lambda x: self.found.of(x, self.g)) if kind.rank else None
        return left is not None and part.rank <= left

    def added(self, e: ast.Call, b: ast.expr, index: ast.expr, v: ast.expr) -> ast.expr:
        if (isinstance(b, ast.Name) and b.id not in self.temporaries) or not self.fits(b, index, v):
            return replace(e, args=[b, e.args[1], index, v])
        into = b if isinstance(b, ast.Name) else self.named(b)
        self.before.append(_add(into.id, index, v))
        return into

    def scattered(self, e: ast.Call, x: str, index: ast.expr, v: ast.expr) -> ast.expr:
        if not self.fits(name(x), index, v):
            return replace(e, args=[v, *e.args[1:]])
        into = self.named(ast.Call(expression(f"{self.np}.zeros_like"), [name(x)], []))
        self.before.append(_add(into.id, index, v))
        return into


def _stores(s: ast.stmt) -> bool:
    """Whether a statement writes into an array: a loop does that, element by element."""
    return isinstance(s, ast.AugAssign) or (isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Subscript))


def _plain(index: ast.expr) -> ast.expr:
    """The index itself instead of `np.s_[index]`."""
    named = isinstance(index, ast.Subscript) and isinstance(index.value, ast.Attribute) and index.value.attr == "s_"
    return index.slice if named and isinstance(index, ast.Subscript) else index


def _add(b: str, index: ast.expr, v: ast.expr) -> ast.stmt:
    return ast.AugAssign(ast.Subscript(name(b), _plain(index), ast.Store()), ast.Add(), v)
