"""Parts of an array that a loop shows to a function are taken again on the way back, of the array and of its shadow.

for j in range(n):                         for j in range(n):
    v = u[:, j]                                v = u[:, j]
    g_saved = g_fwd(v)                         g_saved = g_fwd(v)
    v_stack.append(v)                          ...
    ...                              ->    for j in reversed(range(n)):
for j in reversed(range(n)):                   ...
    v = v_stack.pop()                          v = u[:, j]
    bv = mirror(v, u, bu)                      bv = bu[:, j]
    g_bwd(g_saved, v, bv)                      g_bwd(g_saved, v, bv)
    if not is_part(bv, bu):
        bu[:, j] += bv

Outside of loops, too, where nothing has to be taken from a list:

v = u[1:]                                  v = u[1:]
bv = mirror(v, u, bu)              ->      bv = bu[1:]
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

from tangent import runtime
from tangent.optimise.context import Body
from tangent.optimise.dead import local_stacks
from tangent.optimise.shaped.kinds import Kind, Number
from tangent.optimise.shaped.mirrored import Nest, mirrored, nests
from tangent.syntax.quote import name
from tangent.syntax.rebuild import exchanged, replace, statements
from tangent.syntax.uses import expression_reads, writes

Changes = dict[ast.stmt, ast.stmt | None]
INDEX = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp)


def shown(body: Body, of: Callable[[ast.expr], Kind], resolve: Callable[[ast.expr], Any]) -> Body:
    """The body, in which `of` knows the kinds of values."""
    if not any(_mirror(s, resolve) for s in statements(body)):
        return body
    work = _Shown(body, of, resolve)
    changes = work.changes()
    return exchanged(body, changes) if changes else body


def _mirror(s: ast.stmt, resolve: Callable[[ast.expr], Any]) -> tuple[str, str, str, str] | None:
    """The names in `bv = mirror(v, a, ba)`."""
    match s:
        case ast.Assign(
            targets=[ast.Name(id=bv)],
            value=ast.Call(func=func, args=[ast.Name(id=v), ast.Name(id=a), ast.Name(id=ba)]),
        ) if resolve(func) is runtime.mirror:
            return bv, v, a, ba
        case _:
            return None


@dataclass
class _Shown:
    body: Body
    of: Callable[[ast.expr], Kind]
    resolve: Callable[[ast.expr], Any]
    bound: dict[str, list[ast.stmt]] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for s in statements(self.body):
            for v in writes(s):
                self.bound.setdefault(v, []).append(s)
        self.nests, self.lasting = nests(self.body), mirrored(self.body)
        self.stacks = local_stacks(self.body)

    def changes(self) -> Changes:
        found: Changes = {}
        for s in statements(self.body):
            match _mirror(s, self.resolve):
                case (bv, v, a, ba) if self.is_one_array(bv) and self.is_fixed(a) and self.is_array(ba, a):
                    if (place := self.place(s, v, a, ba)) is not None:
                        assert isinstance(s, ast.Assign)
                        found |= {**dict.fromkeys(self.asked(bv, ba)), s: replace(s, value=place)}
                        continue
                    stack = self.stack_of(v) if self.is_fixed(bv) else ""
                    part = self.part(v, a, stack) if stack else None
                    if part is None:
                        continue
                    (push,), (pop,) = self.stacks[stack].pushes, self.stacks[stack].pops
                    assert isinstance(s, ast.Assign) and isinstance(pop, ast.Assign)
                    found |= dict.fromkeys([push, *self.bound[stack], *self.asked(bv, ba)])
                    found |= {pop: replace(pop, value=part), s: replace(s, value=replace(part, value=name(ba)))}
        return found

    def place(self, s: ast.stmt, v: str, a: str, ba: str) -> ast.expr | None:
        """The part of a shadow that belongs to a name, where nothing that tells which one is bound again."""
        if not self.is_one_array(ba):
            return None
        if v == a:
            return name(ba)
        match self.bound.get(v, []):
            case [ast.Assign(targets=[ast.Name()], value=ast.Subscript(value=ast.Name(id=w)) as part) as made] if (
                w == a and made in self.body and self.is_view(part)
            ):
                before = self.body[: self.body.index(made)]
                steady = all(x in before for n in expression_reads(part) for x in self.bound.get(n, []))
                return replace(part, value=name(ba)) if steady else None
            case _:
                return None

    def stack_of(self, v: str) -> str:
        """The list that a name, which one other statement binds, is taken from."""
        pops = self.bound[v][1:] if len(self.bound.get(v, [])) == 2 else []
        return next((x for x, t in self.stacks.items() if x in self.lasting and t.pops == pops), "")

    def part(self, v: str, a: str, stack: str) -> ast.Subscript | None:
        """What a name is of an array, in the loops that push it and in those that pop it."""
        push = self.stacks[stack].pushes[0]
        match self.bound[v][0], push:
            case (
                ast.Assign(targets=[ast.Name()], value=ast.Subscript(value=ast.Name(id=w)) as part) as made,
                ast.Expr(value=ast.Call(args=[ast.Name(id=u)])),
            ) if w == a and u == v and self.nests.get(made) == self.nests[push]:
                return part if self.is_view(part) and self.means_the_same(part.slice, self.nests[push]) else None
            case _:
                return None

    def is_view(self, part: ast.Subscript) -> bool:
        whole, kind = self.of(part.value), self.of(part)
        if not (isinstance(whole, Number) and isinstance(kind, Number) and whole.rank and kind.rank):
            return False
        return all(map(self.is_basic, part.slice.elts if isinstance(part.slice, ast.Tuple) else [part.slice]))

    def is_basic(self, e: ast.expr) -> bool:
        """Whether a part of an index is a slice, or surely an integer."""
        match e:
            case ast.Slice(lower=low, upper=high, step=step):
                return all(self.is_basic(x) for x in (low, high, step) if x is not None)
            case ast.Constant(value=value):
                return value is None or value is ... or type(value) is int
            case _:
                kind = self.of(e)
                return isinstance(e, INDEX) and isinstance(kind, Number) and not kind.rank and kind.dtype == "i8"

    def means_the_same(self, index: ast.expr, nest: Nest) -> bool:
        """Whether the names in an index are counters of mirrored loops, or have one value from before these on."""
        counters = {v for loop in nest for v in writes(loop) if len(self.bound[v]) == 2}
        early = set(self.body[: self.body.index(nest[0])])
        return all(
            v in counters or v not in self.bound or (len(self.bound[v]) == 1 and self.bound[v][0] in early)
            for v in expression_reads(index)
        )

    def is_fixed(self, a: str) -> bool:
        """Whether a name has one value."""
        return len(self.bound.get(a, [])) <= 1

    def is_one_array(self, b: str) -> bool:
        """Whether a name of an array is bound once; operators in place leave it what it is."""
        return sum(not isinstance(s, ast.AugAssign) for s in self.bound.get(b, [])) <= 1

    def is_array(self, ba: str, a: str) -> bool:
        """Whether an array has a shadow with the same axes."""
        whole, shade = self.of(name(a)), self.of(name(ba))
        floats = all(isinstance(k, Number) and k.dtype[0] in "fc" for k in (whole, shade))
        return floats and isinstance(whole, Number) and isinstance(shade, Number) and whole.rank == shade.rank > 0

    def asked(self, bv: str, ba: str) -> list[ast.stmt]:
        """The statements that add what is no part of a shadow to it."""
        return [
            s
            for s in statements(self.body)
            if isinstance(s, ast.If) and not s.orelse and self.is_question(s.test, bv, ba)
        ]

    def is_question(self, e: ast.expr, bv: str, ba: str) -> bool:
        match e:
            case ast.UnaryOp(op=ast.Not(), operand=ast.Call(func=func, args=[ast.Name(id=v), ast.Name(id=w)])) if (
                self.resolve(func) is runtime.is_part
            ):
                return (v, w) == (bv, ba)
            case _:
                return False
