"""What a loop computes alike in every iteration is not kept: it is there behind the loop.

for j in range(n):                          for j in range(n):
    t = math.exp(-rate)                         t = math.exp(-rate)
    x = t * x                                   x = t * x
    t_stack.append(t)                 ->    for j in reversed(range(n)):
for j in reversed(range(n)):                    bx = bx * t
    t = t_stack.pop()
    bx = bx * t
"""

from __future__ import annotations

import ast
from collections import defaultdict

from tangent.analysis.liveness import live_into
from tangent.optimise.context import Body, Optimisation
from tangent.optimise.dead import local_stacks
from tangent.optimise.once import mathematics
from tangent.optimise.recompute import is_cheap, kept, stored
from tangent.source.resolve import MISSING
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.rebuild import exchanged, statements
from tangent.syntax.records import popped
from tangent.syntax.uses import expression_reads, writes


def steady(body: Body, o: Optimisation) -> Body:
    pairs = [(s.pushes[0], s.pops[0]) for s in local_stacks(body).values() if len(s.pushes) == len(s.pops) == 1]
    records = [(v, push, pop) for push, pop in pairs if (v := kept(push, pop))]
    if not records or any(isinstance(s, InsertedCode) for s in statements(body)):
        return body
    known = _Definitions(body, o)
    gone = [s for v, push, pop in records if known.is_steady(v) and not known.is_cheap(v) for s in (push, pop)]
    return exchanged(body, dict.fromkeys(gone)) if gone else body


class _Definitions:
    def __init__(self, body: Body, o: Optimisation) -> None:
        self.o = o
        self.changed = stored(body) | o.shared.keys()
        self.before = live_into(body)  # names that have a value already, which is another one than what is assigned
        self.made: dict[str, list[ast.stmt]] = defaultdict(list)
        for s in statements(body):
            for v in writes(s):
                self.made[v].append(s)
        self.outside = set(body)
        self.found: dict[str, bool] = {}

    def is_steady(self, v: str) -> bool:
        """Whether a variable has the same value wherever it is bound, but for being taken from a list."""
        if v not in self.found:
            self.found[v] = False  # what depends on itself
            self.found[v] = self._is_steady(v)
        return self.found[v]

    def _is_steady(self, v: str) -> bool:
        if v in self.changed or self.o.resolve(ast.Name(v, ast.Load())) is not MISSING:
            return False
        match [s for s in self.made[v] if not popped(s)]:
            case []:
                return not self.made[v]  # an argument
            case [ast.Assign(targets=[ast.Name()], value=value)]:
                return v not in self.before and self.is_same(value)
            case _:
                return False

    def is_cheap(self, v: str) -> bool:
        """Whether a variable is computed again instead, in the expression that reads it, from what is there."""
        made = [s.value for s in self.made[v] if isinstance(s, ast.Assign) and not popped(s)]
        return any(is_cheap(e) and all(map(self.is_outside, expression_reads(e))) for e in made)

    def is_outside(self, v: str) -> bool:
        """Whether no loop makes a variable."""
        return all(s in self.outside for s in self.made[v])

    def is_same(self, e: ast.expr) -> bool:
        match e:
            case ast.Constant(value=int() | float()):
                return True
            case ast.Name(id=v):
                return self.is_steady(v)
            case ast.BinOp(left=left, right=right):
                return self.is_same(left) and self.is_same(right)
            case ast.UnaryOp(operand=operand):
                return self.is_same(operand)
            case ast.Call(args=args):
                return mathematics(e, self.o) is not None and all(map(self.is_same, args))
            case _:
                return False
