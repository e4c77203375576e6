"""Which expressions can be dropped, moved or shared: those that only compute."""

from __future__ import annotations

import ast
import builtins
from collections.abc import Callable
from typing import Any

from tangent.analysis.storage import AROUND, RESULT
from tangent.optimise.context import Optimisation
from tangent.rules.table import table
from tangent.runtime.filling import is_filling
from tangent.runtime.writers import WRITING_METHODS
from tangent.source.resolve import MISSING
from tangent.syntax.rebuild import NESTED, all_writes, statements
from tangent.syntax.walk import fact, holds, walk

IMPURE_KERNELS = ("call_", "change_", "require_", "check_", "error_", "new_")
IMPURE = frozenset(
    getattr(builtins, n) for n in "print input open next iter exec eval setattr delattr breakpoint compile".split()
)
WRITING_FUNCTIONS = frozenset(
    "add_at add_into add_items put_item_back restore_item take_item add_to_item put_flat refill refill_item at".split()
)
PURE_CALLS = frozenset(
    "captured put_captured behind in_front forward_of backward_of tangent_of".split()
) | frozenset("dict_of parts_of subset superset copied_dict copied_grad copied_tangent".split())
CALLING = ("tangent.runtime.library", "tangent.runtime.calls")  # they call what they are given

COUNTED = frozenset({"changed", "initialised"})  # `try` looks whether they happened

ON_PURPOSE = WRITING_FUNCTIONS | COUNTED  # called for what they do
IN_PLACE = WRITING_FUNCTIONS | {"pop_grad", "add_item", "add_part", "add_cell", "clear_item"}

Resolve = Callable[[ast.expr], Any]


def is_pure(e: ast.AST, o: Optimisation) -> bool:
    """Whether evaluating an expression only gives its value."""
    if e not in o.pure:
        o.pure[e] = _is_pure(e, o.resolve)
    return o.pure[e]


def _is_pure(e: ast.AST, resolve: Resolve) -> bool:
    pure = not _does_more(e) and all(_pure_callee(n.func, resolve) for n in calls_in(e))
    return pure and not any(is_filling(resolve(n.value)) for n in _items_in(e))


@fact
def _does_more(e: ast.AST) -> bool:
    """Whether an expression binds a name, or waits."""
    return holds(e, ast.Await, ast.Yield, ast.YieldFrom, ast.NamedExpr)


def _pure_callee(func: ast.expr, resolve: Resolve) -> bool:
    found = resolve(func)
    rules = table()
    if found is MISSING:
        return isinstance(func, ast.Attribute) and (func.attr in rules.methods or func.attr in rules.zero_methods)
    try:
        called: str = getattr(found, "__name__", "")
        if found in IMPURE or called.startswith(("require_", "check_", "error_", "new_")) or called in ON_PURPOSE:
            return False
    except TypeError:
        return False
    return bool(rules.lookup(found)) or rules.is_zero(found) or _is_runtime(found)


def _is_runtime(found: Any) -> bool:
    module = getattr(found, "__module__", "") or ""
    if module.startswith(CALLING) and found.__name__ not in PURE_CALLS:
        return False
    return module.startswith("tangent.runtime.") and not found.__name__.startswith(IMPURE_KERNELS)


def written_in_place(s: ast.stmt, o: Optimisation) -> frozenset[str]:
    """Variables whose content a statement may change: by a store, by an operator in place, by a call that writes."""
    found = _stored_into(s) | {root_of(n) for n in _items_in(s) if is_filling(o.resolve(n.value))}
    if o.shared and calls_unknown(s, o):
        read = [n.id for n in walk(s) if isinstance(n, ast.Name) and isinstance(n.ctx, ast.Load)]
        found |= {v for v in read if v in o.shared} | {v for v, c in o.shared.items() if c.startswith(AROUND)}
    return found


@fact
def _stored_into(s: ast.stmt) -> frozenset[str]:
    """Variables that a statement stores into, or changes by an operator in place."""
    match s:
        case ast.Assign(targets=targets):
            found = {root_of(t) for t in targets if isinstance(t, (ast.Subscript, ast.Attribute))}
        case ast.AugAssign(target=target):
            found = {root_of(target)}
        case ast.Delete(targets=targets):
            found = {root_of(t) for t in targets}
        case _:
            found = set()
    return frozenset(found - {""})


@fact
def calls_in(node: ast.AST) -> list[ast.Call]:
    """The calls in a statement or an expression, from the outside in."""
    return [n for n in walk(node) if isinstance(n, ast.Call)]


@fact
def _items_in(node: ast.AST) -> list[ast.Subscript]:
    """The items that a statement or an expression reads."""
    return [n for n in walk(node) if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Load)]


def calls_unknown(s: ast.stmt, o: Optimisation) -> bool:
    """Whether a statement calls something that is not known to only compute."""
    if not isinstance(s, (ast.Assign, ast.AugAssign, ast.Expr)):
        return False
    if s not in o.calling:
        o.calling[s] = not all(_records(n, o) or _pure_callee(n.func, o.resolve) for n in calls_in(s.value))
    return o.calling[s]


def _records(n: ast.Call, o: Optimisation) -> bool:
    """Whether a call keeps a value in a list of records, or takes one off."""
    return isinstance(n.func, ast.Attribute) and isinstance(n.func.value, ast.Name) and n.func.value.id in o.stacks


def changes(s: ast.stmt, o: Optimisation) -> frozenset[str]:
    """Names that are bound anew by a statement and what is in it, or whose content may be another behind it."""
    return all_writes(s) | changed_in_place(s) | changed_inside(s, o)


@fact
def changed_in_place(s: ast.stmt) -> frozenset[str]:
    """What methods and kernels change in place that are called by a statement or in its blocks."""
    called = [n for x in statements([s]) if isinstance(x, (ast.Assign, ast.AugAssign, ast.Expr)) for n in walk(x)]
    return frozenset(v for n in called if isinstance(n, ast.Call) and (v := changed_by(n)))


def changed_inside(s: ast.stmt, o: Optimisation) -> frozenset[str]:
    """Names of storage whose content may be another after the statement."""
    if s not in o.changing:
        o.changing[s] = _changed_inside(s, o)
    return o.changing[s]


def _changed_inside(s: ast.stmt, o: Optimisation) -> frozenset[str]:
    inside = statements([s]) if isinstance(s, NESTED) else [s]
    in_place = frozenset().union(*(written_in_place(x, o) for x in inside))
    if not in_place:
        return in_place
    if any(calls_unknown(x, o) for x in inside):  # it may hold on to storage from before
        in_place |= {v for v, c in o.shared.items() if not c.startswith(RESULT)}
    classes = {o.shared[v] for v in in_place if v in o.shared}
    return in_place | {v for v, c in o.shared.items() if c in classes}


def changed_by(n: ast.AST) -> str:
    """What a method or a kernel changes in place."""
    match n:
        case ast.Call(func=ast.Attribute(value=place, attr=attr)) if attr in WRITING_METHODS:
            return root_of(place)
        case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=v), *_]) if function.rstrip("_") in IN_PLACE:
            return v
        case _:
            return ""


def root_of(e: ast.expr) -> str:
    """The variable that an expression is an item, attribute or part of; none where it is that of another expression."""
    while isinstance(e, (ast.Subscript, ast.Attribute)):
        e = e.value
    return e.id if isinstance(e, ast.Name) else ""
