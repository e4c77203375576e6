"""Which variables of a Core function may hold lists or tuples, and where NumPy takes them for arrays."""

from __future__ import annotations

import ast
import types
from collections.abc import Mapping
from dataclasses import dataclass
from functools import cache
from typing import Any

import numpy as np

from tangent.analysis.operation import Operation, Operations
from tangent.analysis.shapes.numbers import numbers_in
from tangent.errors import TangentError
from tangent.normalise.context import Context
from tangent.rules.forms import is_ufunc_method
from tangent.source.read import read
from tangent.syntax.rebuild import walk_scope

# They take sequences of arrays, and have rules that know sequences.
SEQUENCES = frozenset(
    "concatenate stack vstack hstack dstack column_stack block array asarray require ascontiguousarray copy multi_dot "
    "choose select trim_zeros".split()
)
NUMBERS = frozenset({"ord"})  # operands that are a number or a name, and never an array
LIST_RULES = frozenset("tolist builtin_list builtin_tuple builtin_sorted".split())
ITEMS = frozenset(("getitem", "sequence"))


@dataclass(frozen=True)
class Lists:
    """Local variables that may be lists; parameters, and parameters with items, that NumPy would take for arrays."""

    names: frozenset[str] = frozenset()
    arrays: frozenset[str] = frozenset()
    items: frozenset[str] = frozenset()

    def given(self, operations: Operations) -> set[Any]:
        """The functions that are called with something that may be a list."""
        calls = (op for op in operations.values() if op.kind == "call" and isinstance(op.callee, types.FunctionType))
        return {op.callee for op in calls if self.names.intersection(op.operands)}


def find_lists(parameters: list[str], operations: Operations, context: Context, given: bool) -> Lists:
    """With `given`, parameters may be lists too, and lists of lists."""
    names = _spread(set(parameters) if given else set(), operations, given)
    of_items = {p: _spread({p}, operations, True) - {p} for p in parameters}
    used = {v for op in operations.values() for v in array_operands(op, context).values()}
    joined = {v for op in operations.values() for v in operator_operands(op)}
    return Lists(
        frozenset(names), frozenset(p for p in parameters if p in used or joined & _sliced({p}, operations)),
        frozenset(p for p in parameters if used & of_items[p]),
    )  # fmt: skip


def array_operands(op: Operation, context: Context) -> Mapping[str, str]:
    """The operands of a NumPy function that it takes for arrays, by parameter."""
    call = op.value
    if op.kind != "rule" or not isinstance(call, ast.Call) or op.rule.name in SEQUENCES:
        return {}
    if not numpy_name(call.func, context):
        return {}
    operands = op.rule.operands - NUMBERS
    return {k: v.id for k, v in op.values.items() if k in operands and isinstance(v, ast.Name)}


def operator_operands(op: Operation) -> set[str]:
    """The operands of an operator that joins or repeats lists, where they are lists."""
    match op.value:
        case ast.BinOp(op=ast.Add() | ast.Mult(), left=left, right=right) if op.kind == "rule":
            return {e.id for e in (left, right) if isinstance(e, ast.Name)} - numbers_in(op.value)
        case _:
            return set()


def operators_on_lists(parameters: list[str], operations: Operations, lists: Lists) -> set[str]:
    """What may be a list: such parameters, their slices, results of functions, and what operators make of them."""
    made = {v for op in operations.values() if op.kind != "pack" for v in op.targets if v in lists.names}
    return _sliced({*parameters, *(made - _items_of(operations))}, operations)


def _items_of(operations: Operations) -> set[str]:
    """What is read out of something with an index, of which nothing is known."""
    named = [op for op in operations.values() if op.kind == "rule" and op.rule.name in ITEMS and not _is_slice(op)]
    return {v for op in named for v in op.targets}


def _sliced(names: set[str], operations: Operations) -> set[str]:
    found, before = set(names), -1
    while len(found) != before:
        before = len(found)
        for op in operations.values():
            if (_is_slice(op) or operator_operands(op)) and found.intersection(op.operands):
                found |= set(op.targets)
    return found


def _is_slice(op: Operation) -> bool:
    """Whether an operation gives its operand, a slice of it, or what is in it now."""
    if op.kind != "rule":
        return op.kind == "copy"
    return op.rule.name == "contents" or (op.rule.name == "getitem" and isinstance(op.values["index"], ast.Slice))


def numpy_name(func: ast.expr, context: Context) -> str:
    """The user's name for NumPy in a call of one of its functions, or one of ours where that has a name of its own."""
    root: Any = func
    while isinstance(root, ast.Attribute):
        root = root.value
    found = context.scope.resolve(root) if isinstance(root, ast.Name) else None
    if found is np:
        return str(root.id)
    return context.use("np", np) if _is_of_numpy(found) else ""


def _is_of_numpy(found: Any) -> bool:
    """Whether something is a function of NumPy, or a module of it, or a ufunc of another library.

    >>> _is_of_numpy(np.linalg), _is_of_numpy(np.sin), _is_of_numpy(np.sort), _is_of_numpy(len)
    (True, True, True, False)
    >>> _is_of_numpy(np.minimum.accumulate)
    True
    """
    if isinstance(found, types.ModuleType):
        return found.__name__.startswith("numpy.") or found.__name__ == "scipy.special"
    if isinstance(found, np.ufunc) or is_ufunc_method(found):
        return True
    return callable(found) and (getattr(found, "__module__", None) or "").partition(".")[0] == "numpy"


def _spread(names: set[str], operations: Operations, items: bool) -> set[str]:
    """The names, and all that may hold the same, or a list that is made of it."""
    found, before = set(names), -1
    packs = {op.targets[0]: op.value for op in operations.values() if op.kind == "pack"}
    while len(found) != before:
        before = len(found)
        for op in operations.values():
            found |= set(op.targets) if _makes_list(op, found, items) else _taken_out(op, packs, found)
    return found


def _taken_out(op: Operation, packs: Mapping[str, ast.expr | None], lists: set[str]) -> set[str]:
    """Lists that an operation reads out of one that is written out: `t = ([a, b], c); u, v = t`."""
    whole = packs.get(op.operands[0]) if op.operands else None
    items = whole.elts if isinstance(whole, (ast.List, ast.Tuple)) else []
    if op.kind == "unpack" and len(items) == len(op.targets):
        return {v for v, e in zip(op.targets, items) if isinstance(e, ast.Name) and e.id in lists}
    match op.values.get("index") if op.kind == "rule" and op.rule.name == "getitem" else None:
        case ast.Constant(value=int(i)) if -len(items) <= i < len(items):
            return set(op.targets) if isinstance(e := items[i], ast.Name) and e.id in lists else set()
        case _:
            return set()


def _makes_list(op: Operation, lists: set[str], items: bool) -> bool:
    match op.kind:
        case "pack":
            return isinstance(op.value, (ast.List, ast.Tuple)) and bool(op.operands)
        case "push":
            return True
        case "call":
            return isinstance(op.callee, types.FunctionType) and _returns_list(op.callee)
        case "copy":
            return bool(lists.intersection(op.operands))
        case "unpack":
            return items and bool(lists.intersection(op.operands))
        case "rule" if op.rule.name in LIST_RULES:
            return True
        case "rule" if op.rule.name in ITEMS:
            return items and bool(lists.intersection(op.operands))
        case "rule" if isinstance(op.value, ast.BinOp) and isinstance(op.value.op, ast.Add):
            return all(isinstance(e, ast.Name) and e.id in lists for e in (op.value.left, op.value.right))
        case _:
            return False


@cache
def _returns_list(function: types.FunctionType) -> bool:
    """Whether a function returns a list or a tuple, as far as its text tells."""
    try:
        tree = read(function).tree
    except TangentError:
        return False
    nodes = list(walk_scope(tree))
    made = {
        t.id
        for s in nodes
        if isinstance(s, ast.Assign) and _is_display(s.value)
        for t in s.targets
        if isinstance(t, ast.Name)
    }
    values = [s.value for s in nodes if isinstance(s, ast.Return)]
    return any(_is_display(e) or (isinstance(e, ast.Name) and e.id in made) for e in values)


def _is_display(e: ast.expr | None) -> bool:
    match e:
        case ast.List() | ast.Tuple() | ast.ListComp():
            return True
        case ast.BinOp(op=ast.Add(), left=left, right=right):
            return _is_display(left) or _is_display(right)
        case ast.IfExp(body=body, orelse=orelse):
            return _is_display(body) or _is_display(orelse)
        case ast.Call(func=ast.Name(id="list" | "tuple" | "sorted")) | ast.Call(func=ast.Attribute(attr="tolist")):
            return True
        case _:
            return False
