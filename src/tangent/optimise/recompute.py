"""Compute again what is cheap, instead of keeping it: shapes, parts of arrays, single sums, products and fractions.

for k in range(n):                      for k in range(n):
    t = x[k]                                t = x[k]
    y = y * t                               y_stack.append(y)
    ...                                     y = y * t
    t_stack.append(t)           ->      for k in reversed(range(n)):
for k in reversed(range(n)):                t = x[k]
    t = t_stack.pop()                       ...

What it is computed from must be there in the backward loop, with the same value: it never changes, each iteration
computes it alike, it is the loop's own counter, or it is restored there itself (for which its restore may have to move
up). Storage, which is written into, is never read again, but for its shape.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass, field

from tangent.analysis.liveness import live_into
from tangent.optimise.alike import Definitions, is_fixed
from tangent.optimise.context import Body, Optimisation
from tangent.optimise.dead import local_stacks
from tangent.optimise.held import content_reads, measured
from tangent.optimise.stored import stored
from tangent.syntax.rebuild import all_writes, rebuild, replace, statements
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.syntax.walk import walk


def recompute(body: Body, o: Optimisation) -> Body:
    plan = _Plan(body, o)
    plan.run()
    return _rebuilt(body, plan) if plan.instead else body


@dataclass
class _Block:
    """A block of statements, and the loops around it, innermost last."""

    body: Body
    loops: tuple[ast.stmt, ...]
    branch: ast.stmt | None = None  # the `if` it is a side of


@dataclass
class _Plan:
    body: Body
    o: Optimisation
    instead: dict[ast.stmt, ast.stmt] = field(default_factory=dict)
    gone: set[ast.stmt] = field(default_factory=set)
    orders: dict[int, Body] = field(default_factory=dict)

    def run(self) -> None:
        self.home: dict[ast.stmt, _Block] = {}
        self._place(self.body, ())
        self.written = Counter(v for s in statements(self.body) for v in writes(s))
        self.once = {v for s in self.body if isinstance(s, ast.Assign) for v in writes(s)} - live_into(self.body)
        self.shaped = self.once & self.o.kept_shapes
        self.stored = stored(self.body) | set(self.o.shared)
        self.known = Definitions(self.body, self.o, self.stored)
        self.stacks = {name: s for name, s in local_stacks(self.body).items() if len(s.pushes) == len(s.pops) == 1}
        pairs = {
            v: (s.pushes[0], s.pops[0]) for s in self.stacks.values() if (v := kept(s.pushes[0], s.pops[0]))
        }  # fmt: skip
        counts = Counter(kept(s.pushes[0], s.pops[0]) for s in self.stacks.values())
        self.pairs = {v: pair for v, pair in pairs.items() if counts[v] == 1}
        inits = {v: s for s in statements(self.body) for v in writes(s) if v in self.stacks and _is_list(s)}

        def settle(push: ast.stmt, pop: ast.stmt, value: ast.expr) -> None:
            assert isinstance(pop, ast.Assign)
            self.instead[pop] = replace(pop, value=value)
            self.gone |= {push, *(s for n, s in inits.items() if self.stacks[n].pushes == [push])}

        for s in self.stacks.values():
            if (counter := self.counter(s.pushes[0], s.pops[0])) is not None:
                settle(s.pushes[0], s.pops[0], counter)
        changed = True
        while changed:
            changed = False
            for v, (push, pop) in list(self.pairs.items()):
                if pop not in self.instead and (value := self.value(v, push, pop)) is not None:
                    settle(push, pop, value)
                    changed = True

    def _place(self, body: Body, loops: tuple[ast.stmt, ...], branch: ast.stmt | None = None) -> None:
        block = _Block(body, loops, branch)
        for s in body:
            self.home[s] = block
            if isinstance(s, (ast.If, ast.For, ast.While)):
                inner = loops if isinstance(s, ast.If) else (*loops, s)
                around = s if isinstance(s, ast.If) else None
                self._place(s.body, inner, around)
                self._place(s.orelse, inner, around)

    def order(self, block: _Block) -> Body:
        """The statements of a block, as far as some have moved up already."""
        return self.orders.setdefault(id(block.body), list(block.body))

    def counter(self, push: ast.stmt, pop: ast.stmt) -> ast.expr | None:
        """The counter of a loop that is kept under another name: `i_stack.append(k)`, `i = i_stack.pop()`."""
        match push, pop:
            case ast.Expr(value=ast.Call(args=[ast.Name(id=k) as e])), ast.Assign(targets=[ast.Name(id=v)]) if k != v:
                return e if self.is_counter(k, self.home[push], self.home[pop]) else None
            case _:
                return None

    def value(self, v: str, push: ast.stmt, pop: ast.stmt) -> ast.expr | None:
        """The expression that gives the kept value in the place where it is restored."""
        there, here = self.home[push], self.home[pop]
        made = [s for s in there.body[: there.body.index(push)] if v in all_writes(s)]
        if len(made) != 1 or not isinstance(made[0], ast.Assign) or v in self.stored:
            return None
        if not isinstance(made[0].targets[0], ast.Name):  # one of several that are unpacked
            return None
        value = self.spelled_out(made[0].value, there.body)
        if not is_cheap(value, self.o) or v in expression_reads(value) or not there.loops or not here.loops:
            return None
        moves: list[ast.stmt] = []
        content = content_reads(value)
        for n in sorted(expression_reads(value) - (self.shaped - content)):
            if n in self.stored & content or not self.is_there(n, made[0], there, here, pop, moves):
                return None
        order = self.order(here)
        for s in moves:
            order.remove(s)
            order.insert(order.index(pop), s)
        return value

    def spelled_out(self, e: ast.expr, body: Body) -> ast.expr:
        """`i + t[0]` after `t = a.shape` as `i + a.shape[0]`, where `a` always has that shape."""

        def spelled(x: ast.expr) -> ast.expr:
            if not isinstance(x, ast.Name) or (value := _made_once(x.id, body)) is None:
                return x
            value = _spelled_out(value, body)
            return value if measured(value) in self.shaped else x

        return rebuild(_spelled_out(e, body), spelled) if self.shaped else _spelled_out(e, body)

    def is_counter(self, n: str, there: _Block, here: _Block) -> bool:
        """Whether a name counts the iterations of a loop and of the one that goes back over them, unchanged."""
        around = [s for s in (*there.loops, *here.loops) if _counter(s) == n]
        once = self.written[n] == 2 or (len(around) == 2 and not any(_is_changed(n, s) for s in around))
        return _counts(n, there, here) and once

    def is_there(
        self, n: str, made: ast.stmt, there: _Block, here: _Block, pop: ast.stmt, moves: list[ast.stmt]
    ) -> bool:
        """Whether a name has in the place of the restore the value that it had in the forward pass."""
        if self.written[n] == 0 or (self.written[n] == 1 and n in self.once):
            return True
        if _counts(n, there, here):
            return self.is_counter(n, there, here)
        if n not in self.pairs:
            return self.known.is_steady(n)
        push, back = self.pairs[n]
        if there.branch is not None and here.branch is not None and self.home[push] is not there:
            return self.is_outside(n, made, there, here, pop)
        if self.home[push] is not there or self.home[back] is not here:
            return False
        first, last = sorted((there.body.index(made), there.body.index(push)))
        if any(n in all_writes(s) for s in there.body[first + 1 : last]) or n in all_writes(there.body[first]):
            return False
        order = self.order(here)
        i, j = order.index(pop), order.index(back)
        between = order[min(i, j) + 1 : max(i, j)]
        if any(n in all_writes(s) for s in between):
            return False
        if j > i and back not in moves:
            if any(n in _all_reads(s) for s in between) or not self.comes(n, back, there, here, pop, moves):
                return False
            moves.append(back)
        return True

    def comes(self, n: str, back: ast.stmt, there: _Block, here: _Block, pop: ast.stmt, moves: list[ast.stmt]) -> bool:
        """Whether what a recomputed value is made from is there before a place, or can move there, too."""
        source = self.instead.get(back)
        if source is None:
            return True
        order = self.order(here)
        later = {v for s in order[order.index(pop) : order.index(back)] for v in all_writes(s)}
        made = next(s for s in there.body if n in all_writes(s))
        return all(self.is_there(v, made, there, here, pop, moves) for v in sorted(header_reads(source) & later))

    def is_outside(self, n: str, made: ast.stmt, there: _Block, here: _Block, pop: ast.stmt) -> bool:
        """Whether a name is kept before the branch that makes a value, and restored before the one that reads it."""
        push, back = self.pairs[n]
        assert there.branch is not None and here.branch is not None
        outer, inner = self.home[there.branch], self.home[here.branch]
        if self.home[push] is not outer or self.home[back] is not inner:
            return False
        kept, branch = outer.body.index(push), outer.body.index(there.branch)
        order = self.order(inner)
        restored, reading = order.index(back), order.index(here.branch)
        ahead = order[restored + 1 : reading] + here.body[: here.body.index(pop)]
        before = outer.body[kept + 1 : branch] + there.body[: there.body.index(made)]
        return kept < branch and restored < reading and not any(n in all_writes(s) for s in (*ahead, *before))


def _rebuilt(body: Body, plan: _Plan) -> Body:
    done: Body = []
    for s in plan.orders.get(id(body), body):
        if s in plan.gone:
            continue
        s = plan.instead.get(s, s)
        match s:
            case ast.If(body=then, orelse=other):
                new = replace(s, body=_rebuilt(then, plan) or [ast.Pass()], orelse=_rebuilt(other, plan))
                done.append(new)
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(replace(s, body=_rebuilt(inner, plan) or [ast.Pass()]))
            case _:
                done.append(s)
    return done


def kept(push: ast.stmt, pop: ast.stmt) -> str:
    """The variable that goes onto a list and comes back from it."""
    match push, pop:
        case (
            ast.Expr(value=ast.Call(args=[ast.Name(id=v)])),
            ast.Assign(targets=[ast.Name(id=w)]),
        ) if v == w:
            return v
        case _:
            return ""


def _is_list(s: ast.stmt) -> bool:
    return isinstance(s, ast.Assign) and isinstance(s.value, ast.List) and not s.value.elts


def _spelled_out(e: ast.expr, body: Body) -> ast.expr:
    """`t[0]` after `t = a.shape` as `a.shape[0]`."""
    match e:
        case ast.Subscript(value=ast.Name(id=t), slice=ast.Constant()):
            if (value := _made_once(t, body)) is not None and measured(value):
                return replace(e, value=value)
    return e


def _made_once(v: str, body: Body) -> ast.expr | None:
    """What a variable is bound to by a block, if that is one expression."""
    made = [s for s in body if v in all_writes(s)]
    return made[0].value if len(made) == 1 and isinstance(made[0], ast.Assign) else None


def is_cheap(e: ast.expr, o: Optimisation) -> bool:
    """Whether an expression takes less than to keep what it gives."""
    match e:
        case _ if measured(e):
            return True
        case ast.Attribute(value=ast.Name(), attr="T"):
            return True
        case ast.Subscript(value=ast.Name() | ast.Subscript(value=ast.Name())):
            return all(isinstance(n, (*_INDEX, ast.Subscript)) for n in walk(e))
        case ast.BinOp(left=left, op=ast.Add() | ast.Sub() | ast.Mult(), right=right):
            return _is_atom(left, o) and _is_atom(right, o)
        case ast.BinOp(left=left, op=ast.Div(), right=ast.Constant(value=int() | float() as by)):
            return _is_atom(left, o) and by != 0  # nothing to raise or to warn of
        case ast.UnaryOp(op=ast.USub(), operand=operand):
            return _is_atom(operand, o)
        case ast.Compare(left=left, comparators=[right]):
            return _is_atom(left, o) and _is_atom(right, o)
        case _:
            return False


_INDEX = (
    ast.Name,
    ast.Constant,
    ast.Slice,
    ast.Tuple,
    ast.BinOp,
    ast.UnaryOp,
    ast.expr_context,
    ast.operator,
    ast.unaryop,
)


def _is_atom(e: ast.expr, o: Optimisation) -> bool:
    return isinstance(e, (ast.Name, ast.Constant)) or bool(measured(e)) or is_fixed(e, o.resolve)


def _counter(loop: ast.stmt) -> str:
    return loop.target.id if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name) else ""


def _counts(n: str, there: _Block, here: _Block) -> bool:
    return any(_counter(a) == n == _counter(b) for a, b in zip(reversed(there.loops), reversed(here.loops)))


def _is_changed(n: str, loop: ast.stmt) -> bool:
    """Whether a loop changes its own counter."""
    assert isinstance(loop, ast.For)
    return any(n in writes(s) for s in statements(loop.body))


def _all_reads(s: ast.stmt) -> set[str]:
    return {v for x in statements([s]) for v in header_reads(x)}
