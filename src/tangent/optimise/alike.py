"""Variables that a loop gives the same value in each iteration: behind the loop, too, they have it.

for j in range(n):
    t = math.exp(-rate)      # as long as neither this loop nor what stands around it changes `rate`
    x = t * x
"""

from __future__ import annotations

import ast
import types
from collections import defaultdict
from collections.abc import Callable, Collection
from typing import Any

from tangent.analysis.liveness import live_into
from tangent.optimise.context import Body, Optimisation
from tangent.optimise.once import mathematics
from tangent.source.resolve import MISSING
from tangent.syntax.rebuild import all_writes, statements
from tangent.syntax.records import popped
from tangent.syntax.uses import writes

LIBRARIES = frozenset({"math", "numpy", "scipy.constants"})


class Definitions:
    """What the variables of a function are bound to; `changed` are those that something is written into."""

    def __init__(self, body: Body, o: Optimisation, changed: Collection[str]) -> None:
        self.o, self.changed = o, changed
        self.body = body
        self.made: dict[str, list[ast.stmt]] = defaultdict(list)
        for s in statements(body):
            for v in writes(s):
                self.made[v].append(s)
        self.outside = {*body}
        self.found: dict[str, bool] = {}

    def is_outside(self, v: str) -> bool:
        """Whether no loop or branch makes a variable."""
        return all(s in self.outside for s in self.made[v])

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
                return self.is_same(value) and not self.is_read_before(v)
            case _:
                return False

    def is_read_before(self, v: str) -> bool:
        """Whether something reads a variable before it is bound: another value."""
        last = next(i for i, s in enumerate(self.body) if v in all_writes(s))
        return v in live_into(self.body[: last + 1])

    def is_same(self, e: ast.expr) -> bool:
        match e:
            case ast.Constant(value=int() | float()):
                return True
            case ast.Name(id=v):
                return self.is_steady(v)
            case ast.Attribute():
                return is_fixed(e, self.o.resolve)
            case ast.BinOp(left=left, right=right):
                return self.is_same(left) and self.is_same(right)
            case ast.UnaryOp(operand=operand):
                return self.is_same(operand)
            case ast.Call(args=args):
                return mathematics(e, self.o) is not None and all(map(self.is_same, args))
            case _:
                return False


def is_fixed(e: ast.expr, resolve: Callable[[ast.expr], Any]) -> bool:
    """Whether an expression is a number that a library has: `np.pi`."""
    if not isinstance(e, ast.Attribute) or not isinstance(library := resolve(e.value), types.ModuleType):
        return False
    return library.__name__ in LIBRARIES and type(resolve(e)) is float
