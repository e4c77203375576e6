"""Calls through which no derivative flows, of functions that are known only when they are called.

    for update in updates:
        s += np.sum(c * x)
        update(c)               ->  call_effect(update, c)

The code around such a call takes for granted that it writes into nothing that others read: the backward pass reads `c`
again, and expressions are moved. `call_effect` looks at the function, and at what it was given, when the call happens.
"""

from __future__ import annotations

import ast

import numpy as np

from tangent.analysis.made import draws
from tangent.runtime.draws import DRAWING
from tangent.runtime.writers import WRITING_METHODS, is_changeable, is_of_scipy
from tangent.source.naming import is_library
from tangent.source.resolve import MISSING
from tangent.syntax.core import is_range
from tangent.syntax.quote import name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import expression_reads
from tangent.syntax.walk import walk
from tangent.transform.storage.rewriting import replaced, runtime_function
from tangent.transform.unit import Unit

MAKES_FUNCTIONS = (ast.Lambda, ast.FunctionDef)
METHODS = frozenset(dir(np.ndarray)) | frozenset(
    f for kind in (str, bytes, list, dict, set, tuple, float, int, complex) for f in dir(kind)
)
TELLING = frozenset("write format info debug".split())
KNOWN = METHODS | WRITING_METHODS | TELLING | DRAWING


def watched(this: Unit, varied: frozenset[str], useful: frozenset[str]) -> Unit:
    """The function, with such calls looked at when they happen."""
    function = this.source.function
    if this.source.file.startswith("<generated") or (is_library(function) and not is_of_scipy(function)):
        return this
    watch = _Watch(this)
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations = dict(this.operations)
    for s in statements(this.core.body):
        if isinstance(s, (ast.Expr, ast.Assign)) and not _is_followed(this, s, varied, useful):
            value = watch.over(s.value)
            if value is not s.value:
                changed[s] = [new := replace(s, value=value)]
                if s in operations and not isinstance(s.value, ast.Call):
                    operations[new] = operations[s]
    tested = any(isinstance(s, ast.While) and watch.over(s.test) is not s.test for s in statements(this.core.body))
    return replaced(this, changed, operations, watch.over) if changed or tested else this


def _is_followed(this: Unit, s: ast.stmt, varied: frozenset[str], useful: frozenset[str]) -> bool:
    """Whether a derivative flows through a statement."""
    op = this.operations.get(s)
    return op is not None and bool(set(op.operands) & varied) and any(v in useful for v in op.targets)


class _Watch:
    def __init__(self, this: Unit) -> None:
        self.this, self.resolve, body = this, this.context.scope.resolve, this.core.body
        loops = [s for s in statements(body) if isinstance(s, ast.For) and is_range(s.iter)]
        self.counters = {s.target.id for s in loops if isinstance(s.target, ast.Name)}
        nodes = [n for s in body for n in walk(s)]
        around, local = this.source.function.__globals__, this.context.scope.local
        held = {n.id for n in nodes if isinstance(n, ast.Name)} & around.keys() - local
        self.reaches_more = any(isinstance(n, MAKES_FUNCTIONS) for n in nodes) or any(
            is_changeable(around[v]) for v in held
        )

    def over(self, e: ast.expr) -> ast.expr:
        """An expression with the calls in it that are looked at; the same where there is none."""
        match e:
            case ast.Call(func=func, args=args) if self.is_unknown(e):
                watch = self.this.context.use("call_effect", runtime_function("call_effect"))
                return replace(e, func=name(watch), args=[func, *args])
            case ast.Compare(left=left, comparators=others):
                new = [self.over(x) for x in (left, *others)]
                changed = any(x is not y for x, y in zip(new, (left, *others)))
                return replace(e, left=new[0], comparators=new[1:]) if changed else e
            case ast.BoolOp(values=values):
                new = [self.over(x) for x in values]
                return replace(e, values=new) if any(x is not y for x, y in zip(new, values)) else e
            case ast.UnaryOp(operand=x):
                return e if (y := self.over(x)) is x else replace(e, operand=y)
            case ast.BinOp(left=x, right=y):
                new = [self.over(x), self.over(y)]
                return replace(e, left=new[0], right=new[1]) if new[0] is not x or new[1] is not y else e
            case _:
                return e

    def is_unknown(self, e: ast.Call) -> bool:
        """Whether nobody knows what a call writes into, and there may be something."""
        if self.resolve(e.func) is not MISSING:
            return False
        if isinstance(e.func, ast.Attribute):
            known = isinstance(e.func.value, ast.Constant) or e.func.attr in KNOWN
            return not known and not draws(e, self.this.operations)
        if isinstance(e.func, ast.Call) and self.resolve(e.func.func) is runtime_function("threaded"):
            return False  # what it changes is in the memory
        given = [a.value if isinstance(a, ast.Starred) else a for a in (*e.args, *(k.value for k in e.keywords))]
        return self.reaches_more or any(expression_reads(a) - self.counters for a in given)
