"""Operators on what may be objects of the user's classes: functions that look for what the class defines.

z = v @ w   ->   z = matrix_times(v, w)          (runtime/operators.py)

Only where an argument is such an object, which the derivative finds out when it is called, or where such an object or
its class is named.
"""

from __future__ import annotations

import ast
import copy
import math
from collections.abc import Hashable
from typing import Any

import numpy as np

from tangent.normalise.context import Context
from tangent.runtime import objects, operators
from tangent.runtime.objects import MEMBERS
from tangent.runtime.storage.unheld import unheld
from tangent.source import listings  # noqa: F401  (it writes out iterators)
from tangent.source.resolve import MISSING
from tangent.syntax.quote import assign, at, call, constant, name
from tangent.syntax.rebuild import replace, statements, with_blocks
from tangent.syntax.uses import writes


def overloading(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    if not context.overloads(*context.objects):
        return f
    context.displays = _displays(f)
    return replace(f, body=_block(f.body, context))


def _displays(f: ast.FunctionDef) -> frozenset[str]:
    """Variables that only ever are lists or tuples which are written out."""
    made = {s: isinstance(s, ast.Assign) and isinstance(s.value, (ast.List, ast.Tuple)) for s in statements(f.body)}
    other = {v for s, display in made.items() if not display for v in writes(s)}
    return frozenset(v for s, display in made.items() if display for v in writes(s)) - other


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
        case ast.Assign(targets=[ast.Name(id=t)], value=ast.BinOp(left=ast.Name(id=v), op=op) as e) if (
            t == v and (s.lineno, s.col_offset) in context.augmented and type(op) in BINARY
        ):  # fmt: skip
            return _in_place(s, e, v, context)
        case ast.Assign(value=ast.Subscript(slice=index) as e) if context.overloads("__getitem__") and not isinstance(
            index, (ast.Name, ast.Constant)
        ):
            key = context.names.numbered("key")
            return [*_key(key, index, s, context), replace(s, value=_value(replace(e, slice=name(key)), context))]
        case ast.Assign(value=value):
            return [replace(s, value=_value(value, context))]
        case _:
            return [with_blocks(s, lambda body: _block(body, context))]


def _local_member(v: str, attr: str, context: Context) -> bool:
    """Whether this may be a member of a local object that arrays have, too."""
    known = objects.is_common(attr) and not attr.startswith("__") and context.scope.lookup(v) is MISSING
    return known and context.overloads(MEMBERS)


def _either_way(s: ast.Assign, value: ast.expr, v: str, attr: str, context: Context) -> list[ast.stmt]:
    """`if has_member(v, attr): target = value; else: ...`"""
    branch = context.names.numbered("branch")
    test = call(context.use("has_member", objects.has_member), name(v), constant(attr))
    return [assign(branch, test, s), at(ast.If(name(branch), [replace(s, value=value)], [s]), s)]


def _in_place(s: ast.Assign, e: ast.BinOp, v: str, context: Context) -> list[ast.stmt]:
    """`if has_method(v, "__iadd__"): v = v.__iadd__(e); else: v = v + e`"""
    plain = _bound_anew(s, e, context)
    word = f"__i{BINARY[type(e.op)][1]}__"
    if not context.overloads(word):
        return plain
    branch, method = context.names.numbered("branch"), context.names.numbered("method")
    test = call(context.use("has_method", objects.has_method), name(v), constant(word))
    found = call(context.use("method_of", objects.method_of), name(v), constant(word))
    called = replace(s, value=ast.copy_location(call(method, name(v), e.right), e))
    return [assign(branch, test, s), at(ast.If(name(branch), [assign(method, found, s), called], plain), s)]


def _bound_anew(s: ast.Assign, e: ast.BinOp, context: Context) -> list[ast.stmt]:
    """`if is_object(v): v = plus(v, e); else: v = v + e`, which changes an array or list that others may hold.

    An array that an operator of the user's gives is nobody else's, or it is refused: then it is known what changes.
    """
    value = _value(e, context)
    if value is e:
        return [s]
    found: list[ast.stmt] = [s]
    for operand in (e.right, e.left):
        if isinstance(operand, ast.Name):
            branch = context.names.numbered("branch")
            test = call(context.use("is_object", objects.is_object), name(operand.id))
            found = [assign(branch, test, s), at(ast.If(name(branch), _given(s, e, value, context), found), s)]
    return found


def _given(s: ast.Assign, e: ast.BinOp, value: ast.expr, context: Context) -> list[ast.stmt]:
    """`given = plus(v, e); v = unheld(given, v, e)`; a memory knows by itself who holds what."""
    if context.memory:
        return [replace(s, value=value)]
    given = context.names.numbered("given")
    alone = call(context.use("unheld", unheld), name(given), e.left, e.right)
    return [assign(given, value, s), replace(s, value=alone)]


def _value(e: ast.expr, context: Context) -> ast.expr:
    def made(function: Any, *operands: ast.expr) -> ast.expr:
        return ast.copy_location(call(context.use(function.__name__, function), *operands), e)

    match e:
        case ast.BinOp(left=left, right=right) if any(
            isinstance(x, ast.Name) and x.id in context.displays for x in (left, right)
        ):
            return e
        case ast.BinOp(left=left, op=op, right=right) if type(op) in BINARY and _may_be_object(left, right):
            function, word = BINARY[type(op)]
            return made(function, left, right) if context.overloads(f"__{word}__", f"__r{word}__") else e
        case ast.UnaryOp(op=op, operand=operand) if type(op) in UNARY and _may_be_object(operand):
            single, word = UNARY[type(op)]
            return made(single, operand) if context.overloads(f"__{word}__") else e
        case ast.Subscript(value=value, slice=index) if context.overloads("__getitem__") and (
            isinstance(index, (ast.Name, ast.Constant))
        ):
            return made(operators.item_of, value, index)
        case ast.Call(func=func, args=[operand, *more], keywords=[]) if (
            asking := _asking(context.scope.resolve(func), len(more), context)
        ) and _may_be_object(operand):
            return made(asking, operand, *more)
        case ast.Call(func=func, args=[_, _] as args, keywords=[]) if context.overloads(
            "__divmod__", "__rdivmod__"
        ) and (context.scope.resolve(func) is divmod and _may_be_object(*args)):
            return made(operators.divided_whole, *args)
        case ast.Call(func=func, args=[_] | [_, _] as args, keywords=[]) if (
            total := total_of(context.scope.resolve(func), context)
        ):
            return made(total, *args)
        case _:
            return e


def _key(target: str, index: ast.expr, s: ast.stmt, context: Context) -> list[ast.stmt]:
    """An index as an object: slices are made by their function."""
    match index:
        case ast.Slice(lower=lower, upper=upper, step=step):
            parts = [part or constant(None) for part in (lower, upper, step)]
            return [assign(target, ast.Call(name(context.builtin("slice")), parts, []), s)]
        case ast.Tuple(elts=elts):
            before: list[ast.stmt] = []
            parts = []
            for e in elts:
                if not isinstance(e, (ast.Name, ast.Constant)):
                    held = context.names.numbered("key")
                    before += _key(held, e, s, context)
                    e = name(held)
                parts.append(e)
            return [*before, assign(target, ast.Tuple(parts, ast.Load()), s)]
        case _:
            return [assign(target, index, s)]


BINARY = {
    ast.Add: (operators.plus, "add"), ast.Sub: (operators.minus, "sub"), ast.Mult: (operators.times, "mul"),
    ast.Div: (operators.over_by, "truediv"), ast.FloorDiv: (operators.floored, "floordiv"),
    ast.Mod: (operators.modulo, "mod"), ast.Pow: (operators.to_the, "pow"),
    ast.MatMult: (operators.matrix_times, "matmul"), ast.LShift: (operators.shifted_left, "lshift"),
    ast.RShift: (operators.shifted_right, "rshift"), ast.BitAnd: (operators.both, "and"),
    ast.BitOr: (operators.one_of, "or"), ast.BitXor: (operators.either_of, "xor"),
}  # fmt: skip
UNARY = {
    ast.USub: (operators.negated, "neg"), ast.UAdd: (operators.positive, "pos"),
    ast.Invert: (operators.inverted, "invert"),
}  # fmt: skip


ASKING = {
    abs: (operators.size_of, ("__abs__",)), round: (operators.rounded, ("__round__",)),
    float: (operators.number_of, ("__float__",)), np.float64: (operators.double_of, ("__float__",)),
    complex: (operators.complex_of, ("__complex__", "__float__")),
    copy.copy: (operators.shallow_copy, ("__copy__",)), copy.deepcopy: (operators.deep_copy, ("__deepcopy__",)),
}  # fmt: skip

TOTALS = (
    (sum, (operators.summed, ("__add__", "__radd__"))),
    (math.prod, (operators.multiplied, ("__mul__", "__rmul__"))),
)


def _asking(found: Any, more: int, context: Context) -> Any:
    """What stands for a builtin that asks a method of its argument, where classes of the user's define that."""
    known = found is round or not more
    function, words = ASKING.get(found, (None, ())) if known and isinstance(found, Hashable) else (None, ())
    return function if context.overloads(*words) else None


def total_of(found: Any, context: Context) -> Any:
    """What stands for a function that adds or multiplies all items, where classes of the user's define how."""
    function, words = next((t for f, t in TOTALS if f is found), (None, ()))
    return function if context.overloads(*words) else None


def _may_be_object(*operands: ast.expr) -> bool:
    return any(isinstance(e, ast.Name) for e in operands)
