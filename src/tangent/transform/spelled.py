"""The lines of a rule as one call needs them: options at their defaults are left out, and what is known is worked out.

spread(d[y], a, axis, keepdims, m)   ->   spread(d[y], a, where=m)        np.nansum(x)
np.roll(d[y], np.negative(shift))    ->   np.roll(d[y], -2)               np.roll(x, 2)
in_degrees(d[y], deg)                ->   d[y]                            np.angle(z)
np.transpose(d[y], inverse_axes(axes))   ->   np.transpose(d[y], (2, 0, 1))   np.transpose(x, (1, 2, 0))
"""

from __future__ import annotations

import ast
import inspect
from collections.abc import Callable, Mapping
from functools import lru_cache
from typing import Any

import numpy as np

from tangent import runtime
from tangent.rules.notation import Parameter
from tangent.syntax.rebuild import rebuild, replace

Lines = tuple[ast.Assign, ...]
Known = tuple[tuple[str, type, Any], ...]

# Kernels that give their first argument back, where an option says so.
OPTIONAL = {
    "in_degrees": (1, False), "without_first": (2, False), "with_first": (2, False),
    "computed_in": (1, None), "taken_back": (2, None), "through_store": (2, None),
}  # fmt: skip
WORKED_OUT: Mapping[str, Callable[..., Any]] = {"negative": np.negative, "divide": np.divide}


def without_defaults(lines: Lines, left_out: tuple[Parameter, ...]) -> Lines:
    """The lines without the options that a call leaves at their defaults."""
    return _without_defaults(lines, left_out) if left_out else lines


def worked_out(lines: Lines, values: Mapping[str, ast.expr]) -> Lines:
    """The lines with what follows from the constants among the operands and options of a call."""
    found = [(k, _literal(v)) for k, v in values.items()]
    known = tuple((k, type(v), v) for k, v in found if v is None or isinstance(v, (int, float, tuple)))
    return _worked_out(lines, known)


@lru_cache(maxsize=4096)
def _worked_out(lines: Lines, known: Known) -> Lines:
    constants = {k: v for k, _, v in known}

    def value(e: ast.expr) -> Any:
        return constants.get(e.id, ...) if isinstance(e, ast.Name) else _literal(e)

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=kernel), args=[first, *_] as args) if kernel in OPTIONAL:
                place, plain = OPTIONAL[kernel]
                return first if value(args[place]) is plain else e
            case ast.Call(func=ast.Name(id="init_grad"), args=[x]) if type(value(x)) in (int, float):
                return ast.Constant(0.0)
            case ast.Call(func=ast.Name(id="inverse_axes"), args=[axes]) if type(value(axes)) is tuple:
                return ast.Tuple([ast.Constant(i) for i in runtime.inverse_axes(value(axes))], ast.Load())
            case ast.Call(func=ast.Name(id="extent"), args=[x, _]) if value(x) is None:
                return ast.Constant(0)
            case (
                ast.BinOp(left=some, op=ast.BitOr(), right=ast.Compare(ops=[ast.Eq()], comparators=[x]))
                | ast.BinOp(left=ast.Compare(ops=[ast.Eq()], comparators=[x]), op=ast.BitOr(), right=some)
            ) if value(x) is None:
                return some
            case ast.Call(func=ast.Attribute(value=ast.Name(id="np"), attr=attr), args=args, keywords=[]) if (
                attr in WORKED_OUT and all(type(value(a)) in (int, float) for a in args)
            ):
                return _constant(WORKED_OUT[attr](*(value(a) for a in args)).item())
            case _:
                return e

    return tuple(rebuild(s, change) for s in lines)


def _literal(e: ast.expr) -> Any:
    """What a constant stands for; an ellipsis for everything else."""
    match e:
        case ast.Constant(value=value):
            return value
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as value)):
            return -value
        case ast.Tuple(elts=elts):
            found = tuple(map(_literal, elts))
            return found if all(type(v) is int for v in found) else ...
        case _:
            return ...


def _constant(value: float) -> ast.expr:
    return ast.UnaryOp(ast.USub(), ast.Constant(-value)) if value < 0 else ast.Constant(value)


@lru_cache(maxsize=4096)
def _without_defaults(lines: Lines, left_out: tuple[Parameter, ...]) -> Lines:
    defaults = {p.name: ast.literal_eval(p.default) for p in left_out if p.default is not None}

    def is_default(e: ast.expr, names: list[str], optional: dict[str, Any], place: int) -> bool:
        """Whether an argument is an option at its default, which is that of the kernel's parameter, too."""
        if not isinstance(e, ast.Name) or e.id not in defaults or place >= len(names) or names[place] not in optional:
            return False
        here, there = defaults[e.id], optional[names[place]]
        return type(here) is type(there) and bool(here == there)

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=func, args=args, keywords=keywords):
                names, optional = _parameters(func)
                plain = [is_default(a, names, optional, i) for i, a in enumerate(args)]
                kept = args[: _last_said(plain) + 1]
                named: list[ast.keyword] = []
                start = plain.index(True) if True in plain[: len(kept)] else len(kept)
                if plain[: len(kept)].count(True) > 1:  # what comes behind them is said by name
                    rest = range(start, len(kept))
                    named = [ast.keyword(names[i], kept[i]) for i in rest if not plain[i]]
                    kept = kept[:start]
                options = [
                    k
                    for k in keywords
                    if not (isinstance(k.value, ast.Name) and k.value.id in defaults and k.value.id == k.arg)
                ]
                if len(kept) != len(args) or len(options) != len(keywords):
                    return replace(e, args=kept, keywords=[*named, *options])
        return e

    return tuple(rebuild(s, change) for s in lines)


def _last_said(plain: list[bool]) -> int:
    """The place of the last argument that is no default."""
    return max((i for i, p in enumerate(plain) if not p), default=-1)


@lru_cache(maxsize=4096)
def _parameters(func: ast.expr) -> tuple[list[str], dict[str, Any]]:
    """The parameters of a kernel by position, and the defaults of those that have one."""
    if not isinstance(func, ast.Name) or not hasattr(runtime, func.id):
        return [], {}
    parameters = inspect.signature(getattr(runtime, func.id)).parameters.values()
    return [p.name for p in parameters], {p.name: p.default for p in parameters if p.default is not p.empty}
