"""Names and references of one generated function: adjoints, stacks, runtime functions, library modules."""

from __future__ import annotations

import ast
import math
from collections.abc import Container
from functools import lru_cache
from typing import Any

import numpy as np

from tangent import runtime
from tangent.analysis.operation import Operation
from tangent.analysis.shapes.facts import is_real
from tangent.analysis.shapes.table import Shapes
from tangent.normalise.context import Context
from tangent.rules.forms import result_dtype
from tangent.rules.notation import Parameter, Rule, instantiate, local_names
from tangent.rules.table import table
from tangent.syntax.quote import constant, expression, name
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.uses import expression_reads
from tangent.syntax.walk import walk
from tangent.transform.spelled import without_defaults, worked_out

BUILTIN_NAMES = frozenset(dir(__builtins__) if not isinstance(__builtins__, dict) else __builtins__)

# In rules of several operands: which of them are asked for.
EVERY = ast.Constant(None)
ASKED = Parameter("asked", EVERY)

# Functions of `cmath` whose derivative by a real number is complex, where that of a function of NumPy would be nan.
BEYOND_REAL = frozenset("asin acos acosh".split())


class Scribe:
    """Gives derivative names and binds what generated code refers to."""

    def __init__(self, context: Context) -> None:
        self.context = context
        self.names = context.names
        self.externals: dict[str, Any] = context.externals
        self.derivatives: dict[tuple[str, str], str] = {}
        self.accumulators: set[str] = set()
        self.kept_shapes: frozenset[str] = frozenset()  # arrays that only ever change in place
        self.kept: dict[str, str] = {}  # names under which the forward pass keeps what a variable refers to

    def derivative(self, v: str, prefix: str) -> str:
        """`bx` for the adjoint of x, `dx` for its tangent."""
        key = (prefix, v)
        if key not in self.derivatives:
            self.derivatives[key] = self.names.fresh(prefix + v)
        return self.derivatives[key]

    def use(self, base: str, value: Any) -> str:
        """A name in the generated function for an object from outside."""
        return self.context.use(base, value)

    def runtime(self, function: str) -> str:
        """The name of a runtime function; the user's own names are never in its way."""
        value = getattr(runtime, function)
        for path, seen in self.context.scope.seen.items():
            if seen is value and "." not in path:
                return path
        return self.use(function, value)

    def library(self, module: Any, short: str) -> str:
        """The user's own name for a module (or a function), or one of ours."""
        for path, seen in self.context.scope.seen.items():
            if seen is module and "." not in path:
                return path
        return self.use(short, module)

    def call(self, function: str, *args: ast.expr) -> ast.Call:
        return ast.Call(name(self.runtime(function)), list(args), [])

    # Rule templates

    def template(
        self, rule: Rule, lines: tuple[ast.Assign, ...], wanted: list[str], op: Operation,
        values: dict[str, ast.expr], derivatives: dict[str, ast.expr],
    ) -> tuple[list[ast.Assign], dict[str, ast.expr]]:  # fmt: skip
        """Rule lines as code of this function."""
        lines = lines if rule.scope else _for_library(lines, op.library)
        fresh = {n: self.names.numbered(n) for n in local_names(lines, wanted)}
        for free in sorted(_free_names(lines) - set(values) - set(fresh) - {"d"}):
            if free in rule.scope:
                fresh[free] = self.library(rule.scope[free], free)
            elif free == "np":
                fresh["np"] = self.library(table().libraries.get(op.library, np), "np")
            elif free == "math":
                fresh["math"] = self.library(math, "math")
            elif hasattr(runtime, free):
                fresh[free] = self.runtime(free)
            elif free in BUILTIN_NAMES:
                fresh[free] = self.context.builtin(free)
        left_out = tuple(p for p in (*rule.parameters, ASKED) if p.default and values.get(p.name) is p.default)
        lines = worked_out(without_defaults(lines, left_out), values)
        shown = {k: self.as_argument(v) for k, v in values.items()}
        before, found = instantiate(lines, wanted, shown, derivatives, fresh)
        if op.library == "math":
            before = [rebuild(x, self._as_taken) for x in before]
            found = {k: rebuild(e, self._as_taken) for k, e in found.items()}
        return before, found

    def _as_taken(self, e: ast.expr) -> ast.expr:
        """`math.cos(x)` for `math.cos(float(x))`."""
        match e:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=module)), args=args) if self._is_math(module):
                return replace(e, args=[self._unconverted(a) for a in args])
            case _:
                return e

    def _is_math(self, v: str) -> bool:
        return self.externals.get(v, self.context.scope.lookup(v)) is math

    def _unconverted(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=v), args=[x], keywords=[]) if v == self.context.builtin("float"):
                return x
            case _:
                return e

    def array_values(self, op: Operation, shapes: Shapes, wanted: list[str]) -> dict[str, ast.expr]:
        """The values of a rule's parameters: in arithmetic lists beside arrays are arrays, and what is cast is cast."""
        if op.library == "math":
            return {**op.values, **self.float_values(op, shapes)}
        if op.library == "cmath" and op.rule.name in BEYOND_REAL:
            return {k: ast.Call(name(self.context.builtin("complex")), [v], []) for k, v in op.values.items()}
        asked = None if op.rule.tangent else result_dtype(op.value, op.rule.kind)
        if asked is not None:
            return {**op.values, **self.cast_values(op, asked)}
        if op.rule.kind != "elementwise" and not isinstance(op.value, ast.BinOp):
            return dict(op.values)
        fixed = {k: v for k, v in op.values.items() if k in op.rule.operands and k not in wanted}
        lists = {k: v for k, v in fixed.items() if isinstance(v, ast.Tuple) or shapes.of(v).sequence}
        if not lists:
            return dict(op.values)
        module = self.library(np, "np")
        return {**op.values, **{k: expression("np.array(v)", np=module, v=v) for k, v in lists.items()}}

    def cast_values(self, op: Operation, dtype: ast.expr) -> dict[str, ast.expr]:
        """The operands of a call that says in which dtype it computes: they are cast to it before anything else."""
        cast = {k: v for k, v in op.values.items() if k in op.rule.operands and not isinstance(v, ast.Constant)}
        module = self.library(np, "np")
        return {k: expression("np.asarray(v, dtype=t)", np=module, v=v, t=dtype) for k, v in cast.items()}

    def float_values(self, op: Operation, shapes: Shapes) -> dict[str, ast.expr]:
        """The operands of a function of `math` as it takes them: of a complex number of NumPy that is the real part."""
        if op.rule.kind != "elementwise":
            return {}
        unsure = {k: v for k, v in op.values.items() if k in op.rule.operands and not is_real(shapes.of(v))}
        return {k: ast.Call(name(self.context.builtin("float")), [v], []) for k, v in unsure.items()}

    def asked(self, op: Operation, active: Container[str]) -> dict[str, ast.expr]:
        """`asked` in a rule: the active ones of several operands (`*xs`) by place, else by name; None if all are."""
        several = [op.values[p.name] for p in op.rule.parameters if p.star]
        if not several:
            return self.asked_by_name(op, active)
        elts = several[0].elts if isinstance(several[0], ast.Tuple) else []
        places = [i for i, e in enumerate(elts) if isinstance(e, ast.Name) and e.id in active]
        if len(places) == len(elts) or any(isinstance(e, ast.Starred) for e in elts):
            return {ASKED.name: EVERY}
        return {ASKED.name: ast.Tuple([constant(i) for i in places], ast.Load())}

    def asked_by_name(self, op: Operation, active: Container[str]) -> dict[str, ast.expr]:
        if op.rule.scope:
            return {}  # a user's template, in which the name may mean something else
        values = {k: v for k, v in op.values.items() if k in op.rule.operands}
        names = sorted(k for k, v in values.items() if not isinstance(v, ast.Name) or v.id in active)
        if len(names) == len(values):
            return {ASKED.name: EVERY}
        return {ASKED.name: ast.Tuple([constant(k) for k in names], ast.Load())}

    def as_argument(self, e: ast.expr) -> ast.expr:
        """An index with slices as an expression of its own: `np.s_[1:]`."""
        if any(isinstance(n, ast.Slice) for n in walk(e)):
            return ast.Subscript(ast.Attribute(name(self.library(np, "np")), "s_", ast.Load()), e, ast.Load())
        return e


@lru_cache(maxsize=4096)
def _free_names(lines: tuple[ast.Assign, ...]) -> frozenset[str]:
    return frozenset().union(*(expression_reads(s.value) for s in lines))


@lru_cache(maxsize=4096)
def _for_library(lines: tuple[ast.Assign, ...], library: str) -> tuple[ast.Assign, ...]:
    """For `math` the array namespace of a rule is `math` itself, as far as it has the name."""
    if library != "math":
        return lines

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Attribute(value=ast.Name(id="np"), attr=attr) if hasattr(math, attr):
                return replace(e, value=name("math"))
            case _:
                return e

    return tuple(rebuild(s, change) for s in lines)
