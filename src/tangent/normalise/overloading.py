"""Operators on what may be objects of the user's classes: functions that look for what the class defines.

z = v @ w   ->   z = matrix_times(v, w)          (runtime/operators.py)

Only where an argument is such an object, which the derivative finds out when it is called, or where such an object or
its class is named.
"""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Iterator
from typing import Any

import numpy as np

from tangent.normalise.context import Context
from tangent.runtime import objects, operators
from tangent.runtime.objects import defines_operators, overloads
from tangent.source.naming import home_of
from tangent.source.read import unwrapped
from tangent.source.resolve import MISSING
from tangent.syntax.quote import assign, at, call, constant, name
from tangent.syntax.rebuild import replace, with_blocks


def mentions_operators(function: types.FunctionType, seen: set[types.CodeType] | None = None) -> bool:
    """Whether a function, or one that it names, names an object or a class that defines operators."""
    seen = set() if seen is None else seen
    if function.__code__ in seen:
        return False
    seen.add(function.__code__)
    return any(_has_operators(found, seen) for found in _named(function))


def _named(function: types.FunctionType) -> Iterator[Any]:
    """What the global and captured names of a function refer to."""
    names = {n for c in _codes(function.__code__) for n in c.co_names}
    yield from (function.__globals__[n] for n in names if n in function.__globals__)
    for cell in function.__closure__ or ():
        try:
            yield cell.cell_contents
        except ValueError:  # a function that is not defined yet
            continue


def _codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for inner in code.co_consts:
        if isinstance(inner, types.CodeType):
            yield from _codes(inner)


def _has_operators(found: Any, seen: set[types.CodeType]) -> bool:
    found = unwrapped(found)  # a compiled function is a function
    module = home_of(found).split(".")[0]
    if module in sys.stdlib_module_names or module in ("numpy", "scipy", "tangent", "builtins"):
        return False
    if isinstance(found, types.FunctionType):
        return mentions_operators(found, seen)
    return defines_operators(found) if isinstance(found, type) else overloads(found)


def overloading(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    own = home_of(context.source.function).split(".")[0] == "tangent"
    if not context.objects or own:
        return f
    return replace(f, body=_block(f.body, context))


def _block(body: list[ast.stmt], context: Context) -> list[ast.stmt]:
    return [new for s in body for new in _statement(s, context)]


def _statement(s: ast.stmt, context: Context) -> list[ast.stmt]:
    match s:
        case ast.Assign(value=ast.Attribute(value=ast.Name(id=v), attr=attr)) if _local_member(v, attr, context):
            read = call(context.use("field", objects.field), name(v), constant(attr))
            return _either_way(s, read, v, attr, context)
        case ast.Assign(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr)) as e) if _local_member(
            v, attr, context
        ):
            method = context.names.numbered("method")
            found = call(context.use("method_of", objects.method_of), name(v), constant(attr))
            called = ast.Call(name(method), [name(v), *e.args], e.keywords)
            test, chosen = _either_way(s, ast.copy_location(called, e), v, attr, context)
            assert isinstance(chosen, ast.If)
            return [test, replace(chosen, body=[assign(method, found, s), *chosen.body])]
        case ast.Assign(value=value):
            return [replace(s, value=_value(value, context))]
        case _:
            return [with_blocks(s, lambda body: _block(body, context))]


def _local_member(v: str, attr: str, context: Context) -> bool:
    """Whether this may be a member of a local object that arrays have, too."""
    return hasattr(np.ndarray, attr) and not attr.startswith("__") and context.scope.lookup(v) is MISSING


def _either_way(s: ast.Assign, value: ast.expr, v: str, attr: str, context: Context) -> list[ast.stmt]:
    """`if has_member(v, attr): target = value; else: ...`"""
    branch = context.names.numbered("branch")
    test = call(context.use("has_member", objects.has_member), name(v), constant(attr))
    return [assign(branch, test, s), at(ast.If(name(branch), [replace(s, value=value)], [s]), s)]


def _value(e: ast.expr, context: Context) -> ast.expr:
    match e:
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY and _may_be_object(left, right):
            function = BINARY[type(op)]
            return ast.copy_location(call(context.use(function.__name__, function), left, right), e)
        case ast.UnaryOp(op=ast.USub(), operand=operand) if _may_be_object(operand):
            return ast.copy_location(call(context.use("negated", operators.negated), operand), e)
        case ast.Subscript(value=value, slice=index) if isinstance(index, ast.Name | ast.Constant):
            return ast.copy_location(call(context.use("item_of", operators.item_of), value, index), e)
        case _:
            return e


BINARY = {
    ast.Add: operators.plus, ast.Sub: operators.minus, ast.Mult: operators.times, ast.Div: operators.over_by,
    ast.MatMult: operators.matrix_times, ast.Pow: operators.to_the, ast.Mod: operators.modulo,
}  # fmt: skip


def _may_be_object(*operands: ast.expr) -> bool:
    return any(isinstance(e, ast.Name) for e in operands)
