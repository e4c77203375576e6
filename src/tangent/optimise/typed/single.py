"""Python's numbers beside those of single precision: NumPy takes them for such, Numba would widen everything.

y = x * 0.5 + 1         ->      y = x * np.float32(0.5) + np.float32(1)
s = 0.0                         s = np.float32(0.0)
s = s + x[i]                    s = s + x[i]
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import FLOAT, INT, Items, Kind, Number
from tangent.syntax.quote import expression
from tangent.syntax.rebuild import rebuild, replace
from tangent.transform.generated import Generated

Resolve = Callable[[ast.expr, Generated], Any]
# Numbers of Python give way to any other: so do these kinds, which no argument has.
WEAK_FLOAT, WEAK_INT = Number(0, "f2"), Number(0, "i1")
STRONG: dict[Kind, Kind] = {WEAK_FLOAT: FLOAT, WEAK_INT: INT}


def mentions_single(kind: Kind) -> bool:
    match kind:
        case Number(dtype=dtype):
            return dtype == "f4"
        case Items(items=items):
            return any(mentions_single(k) for k in items)
        case _:
            return False


def single(functions: list[Generated], given: list[Kind], resolve: Resolve, numpy: Callable[[Generated], str]) -> None:
    """Rewrite the functions of a module, where an argument is in single precision."""
    if not any(mentions_single(k) for k in given):
        return
    entry = functions[0]
    assert entry.tree is not None
    seeds = set(entry.seeds.values())
    parameters = [a.arg for a in entry.tree.args.args]
    weak = [WEAK_FLOAT if p in seeds and k == FLOAT else k for p, k in zip(parameters, given)]
    found = _Weak(functions, [*weak, *given[len(weak) :]], resolve)
    for g in functions:
        _write(g, found, numpy(g))


class _Weak(Inference):
    def of(self, e: ast.expr, g: Generated) -> Kind:
        if isinstance(e, ast.Constant) and type(e.value) in (int, float):
            return WEAK_FLOAT if type(e.value) is float else WEAK_INT
        return super().of(e, g)

    def call(self, e: ast.Call, g: Generated) -> Kind:
        kind = super().call(e, g)
        if isinstance(self.resolve(e.func, g), np.ufunc):  # its numbers are NumPy's
            return STRONG.get(kind, kind) if isinstance(kind, Number) else kind
        from_math = getattr(self.resolve(e.func, g), "__module__", "") == "math"
        return WEAK_FLOAT if from_math and kind == FLOAT else WEAK_INT if from_math and kind == INT else kind


def _write(g: Generated, found: Inference, np_name: str) -> None:
    def is_weak(e: ast.expr) -> bool:
        return found.of(e, g) in (WEAK_FLOAT, WEAK_INT)

    def is_single(e: ast.expr) -> bool:
        kind = found.of(e, g)
        return isinstance(kind, Number) and kind.dtype == "f4"

    def narrow(e: ast.expr) -> ast.expr:
        return expression("np.float32(e)", np=np_name, e=e)

    def beside(operands: list[ast.expr]) -> list[ast.expr]:
        if not any(is_single(o) for o in operands):
            return operands
        return [narrow(o) if is_weak(o) else o for o in operands]

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.BinOp(left=left, op=ast.Pow(), right=ast.Constant()) if not _rank(found.of(left, g)):
                return e
            case ast.BinOp(left=left, right=right):
                left, right = beside([left, right])
                return replace(e, left=left, right=right)
            case ast.Call(func=func, args=args, keywords=[]) if isinstance(found.resolve(func, g), np.ufunc):
                return replace(e, args=beside(args))
            case _:
                return e

    def statement(s: ast.stmt) -> ast.stmt:
        match s:
            case ast.Assign(targets=[ast.Name() as target], value=value) if is_weak(value) and is_single(target):
                return replace(rebuild(s, change), value=narrow(value))
            case ast.If(body=then, orelse=other):
                return replace(s, body=[statement(x) for x in then], orelse=[statement(x) for x in other])
            case ast.For(body=inner) | ast.While(body=inner):
                return replace(s, body=[statement(x) for x in inner])
            case _:
                return rebuild(s, change)

    assert g.tree is not None
    g.tree = replace(g.tree, body=[statement(s) for s in g.tree.body])


def _rank(kind: Kind) -> int:
    return kind.rank if isinstance(kind, Number) else 0
