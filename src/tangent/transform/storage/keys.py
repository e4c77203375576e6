"""Numbers that are used as keys of dicts lose their derivative there: looked at when they are stored.

d[v] = i                    require_constant_key(d, v)
for k in d: s += k    ->    d[v] = i

Dicts of which the function only looks values up (those that remember results) may have any key.
"""

from __future__ import annotations

import ast

from tangent.analysis.operation import Operation
from tangent.runtime.stateful import call_setdefault, call_store
from tangent.source.naming import home_of
from tangent.source.read import outermost
from tangent.syntax.quote import at, expression
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import writes
from tangent.syntax.walk import walk
from tangent.transform.storage.rewriting import replaced, runtime_function
from tangent.transform.unit import Unit

STORING = (call_store, call_setdefault)
MAKING = (ast.Dict, ast.DictComp, ast.Call)
LOOKING_UP = frozenset("get setdefault pop".split())


def constant_keys(this: Unit, varied: frozenset[str], arrays: frozenset[str]) -> Unit:
    """The function with its keys looked at, where they may depend on the input."""
    if this.source.file.startswith("<generated"):
        return this
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    own = home_of(this.source.function).startswith("tangent.runtime")
    for s in statements(this.core.body):
        op = this.operations.get(s)
        owner, keys = _made(s, op) or (None if own else _stored(s, op)) or ("", [])
        named = [key.id for key in keys if isinstance(key, ast.Name) and key.id in varied]
        if named and owner not in arrays and not _looks_up(owner, this):
            check = this.context.use("require_constant_key", runtime_function("require_constant_key"))
            looks: list[ast.stmt] = [at(ast.Expr(expression("f(d, k)", f=check, d=owner, k=key)), s) for key in named]
            changed[s] = [s, *looks] if owner in writes(s) else [*looks, s]
    return replaced(this, changed, dict(this.operations)) if changed else this


def _made(s: ast.stmt, op: Operation | None) -> tuple[str, list[ast.expr]] | None:
    """The dict that a statement makes of keys and values, and its keys."""
    match s:
        case ast.Assign(targets=[ast.Name(id=made)], value=ast.Call(args=[keys, _])) if _rule(op) == "dict_of":
            return made, [keys]
        case ast.Assign(targets=[ast.Name(id=made)], value=ast.Dict(keys=listed)):
            return made, [k for k in listed if k is not None]
    return None


def _stored(s: ast.stmt, op: Operation | None) -> tuple[str, list[ast.expr]] | None:
    """The container and the key of a statement that puts something under a key."""
    match s:
        case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=owner), slice=key)]):
            return owner, [key]
        case ast.AugAssign(target=ast.Subscript(value=ast.Name(id=owner), slice=key)):
            return owner, [key]
        case ast.Assign(value=ast.Call(func=ast.Attribute(ast.Name(id=owner), "setdefault"), args=[key, *_])):
            return owner, [key]
        case ast.Assign(value=ast.Call(args=[_, ast.Name(id=owner), key, *_])) if _callee(op) in STORING:
            return owner, [key]
        case ast.Assign(targets=[ast.Name(id=owner)], value=ast.Call(args=[_, _, key, _])) if _rule(op) == "mutated":
            return owner, [key]
    return None


def _callee(op: Operation | None) -> object:
    return op.callee if op is not None else None


def _rule(op: Operation | None) -> str:
    return op.rule.name if op is not None and op.kind == "rule" else ""


def _looks_up(owner: str, this: Unit) -> bool:
    """Whether a dict is only asked for values by key, where it is made and in the functions inside that capture it."""
    whole = outermost(this.source)
    if whole is None or any(isinstance(n, ast.arg) and n.arg == owner for n in walk(whole)):
        return False
    asked = set()
    for n in walk(whole):
        match n:
            case ast.Subscript(value=ast.Name(id=v) as place) if v == owner:
                asked.add(place)
            case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[ast.Name(id=v) as place]) if v == owner:
                asked.add(place)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v) as place, attr=attr)) if v == owner:
                if attr in LOOKING_UP:
                    asked.add(place)
            case ast.Assign(targets=[ast.Name(id=v) as place], value=made) if v == owner and isinstance(made, MAKING):
                asked.add(place)
    found = [n for n in walk(whole) if isinstance(n, ast.Name) and n.id == owner]
    return bool(found) and all(n in asked for n in found)
