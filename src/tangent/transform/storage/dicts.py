"""Dicts that are made here and filled key by key, in loops: written in place, as lists are.

v = d.setdefault(k, x)    ->   if k not in d: d[k] = x
                               v = d[k]
v = d.pop(k)              ->   v = d[k]; del d[k]
v = d.pop(k, x)           ->   v = d.get(k, x)
                               if k in d: del d[k]
"""

from __future__ import annotations

import ast
import dataclasses
from collections import Counter

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Summaries, Write
from tangent.analysis.made import BESIDE
from tangent.analysis.operation import Operation, Operations
from tangent.runtime.library import keys_of, made_dict
from tangent.syntax.cells import Cell
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import blocks, rename, replace, statements
from tangent.syntax.uses import header_reads, writes
from tangent.syntax.walk import walk
from tangent.transform.storage.flat import sharing, spreads
from tangent.transform.storage.rewriting import reclassified, replaced, runtime_function
from tangent.transform.unit import Unit

LOOPS = ast.For | ast.While
MAKERS = frozenset("dict_of copied_dict copied_tangent".split())
OF_KEYS = frozenset("sequence builtin_list builtin_tuple builtin_sorted builtin_max builtin_min".split())


def dicts_made(this: Unit, summary: Summaries) -> frozenset[str]:
    """Variables that only ever hold dicts that are made here, or by a callee."""
    made: dict[str, list[Operation]] = {}
    for op in this.operations.values():
        for t in op.targets if op.kind not in ("store", "augment", "push") else ():
            made.setdefault(t, []).append(op)
    found = {v for v in made if v not in this.inputs}
    while (left := {v for v in found if all(_makes_dict(op, found, summary) for op in made[v])}) != found:
        found = left
    return frozenset(found)


def _makes_dict(op: Operation, dicts: set[str], summary: Summaries) -> bool:
    match op.value:
        case ast.Dict():
            return True
        case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=v), *_]) if function.rstrip("_") in BESIDE:
            return v in dicts
        case ast.Name(id=v) if op.kind == "copy":
            return v in dicts
        case ast.BinOp(left=left, op=ast.BitOr(), right=right):
            return any(isinstance(e, ast.Name) and e.id in dicts for e in (left, right))
        case ast.Call(args=[ast.Name(id=v), *_]) if op.kind == "rule" and op.rule.name == "mutated":
            return v in dicts
        case _ if op.kind == "call" and hasattr(op.callee, "__code__"):
            return op.callee is made_dict or "{}" in summary(op.callee).gives
        case _:
            return op.kind == "rule" and op.rule.name in MAKERS


def dict_methods(this: Unit, found: list[Write], summary: Summaries) -> tuple[Unit, list[Write]]:
    """The function with methods that change dicts as stores and deletions, and its writes."""
    made = dicts_made(this, summary) & {w.root for w in found}
    if this.context.memory or not made:
        return this, found
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations = dict(this.operations)
    kept: list[Write] = []
    for w in found:
        s = w.statement
        new = [s] if w.root not in made else _in_steps(this, s)
        if new != [s]:
            changed[s] = new
            operations |= {x: op for x in statements(new) if (op := reclassified(x, this)) is not None}
        steps = [x for x in statements(new) if _writes_item(x)]
        if w.root in made:
            operations |= {x: _deletion(x) for x in steps if isinstance(x, ast.Delete)}
        kept += [w] if new == [s] else [Write(x, w.root, w.reads, "store", nested=False) for x in steps]
    return replaced(this, changed, operations), kept


def copies(this: Unit, found: list[Write]) -> Unit:
    """`d = made_dict(x)` as `d = copied_dict(x)`, where stores change d."""
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations, written = dict(this.operations), {w.root for w in found}
    for s, op in this.operations.items():
        match s:
            case ast.Assign(targets=[ast.Name(id=d)], value=ast.Call(args=[ast.Name() as x], keywords=[])) if (
                op.callee is made_dict and d in written and not this.context.memory
            ):
                copy = this.context.use("copied_dict", runtime_function("copied_dict"))
                changed[s] = [assign(d, expression("f(x)", f=copy, x=x), s)]
                operations |= {x: made for x in changed[s] if (made := reclassified(x, this)) is not None}
    return replaced(this, changed, operations) if changed else this


def _in_steps(this: Unit, s: ast.stmt) -> list[ast.stmt]:
    """What a method of a dict does, step by step; other statements as they are."""
    match s:
        case ast.Assign(targets=[ast.Name(id=target)], value=ast.Call(func=ast.Attribute() as func) as call):
            pass
        case ast.Expr(value=ast.Call(func=ast.Attribute() as func) as call):
            target = ""
        case _:
            return [s]
    match func.value, func.attr, call.args:
        case ast.Name(id=d), "setdefault", [key, value] if not call.keywords:
            first, held = _named(this, value, s)
            store = at(ast.Assign([ast.Subscript(name(d), key, ast.Store())], held), s)
            steps = [*first, *_where(this, "k not in d", d, key, store, s)]
            return [*steps, *_bound(target, expression("d[k]", d=d, k=key), s)]
        case ast.Name(id=d), "pop", [key] if not call.keywords:
            return [*_bound(target, expression("d[k]", d=d, k=key), s), _without(d, key, s)]
        case ast.Name(id=d), "pop", [key, value] if not call.keywords:
            got = expression("d.get(k, v)", d=d, k=key, v=value)
            return [*_bound(target, got, s), *_where(this, "k in d", d, key, _without(d, key, s), s)]
        case _:
            return [s]


def _named(this: Unit, e: ast.expr, s: ast.stmt) -> tuple[list[ast.stmt], ast.expr]:
    """A value under a name, so that it is an operation like any other."""
    if isinstance(e, (ast.Name, ast.Constant)):
        return [], e
    held = this.context.names.numbered("t")
    this.context.scope.local.add(held)
    return [assign(held, e, s)], name(held)


def _bound(target: str, e: ast.expr, s: ast.stmt) -> list[ast.stmt]:
    return [assign(target, e, s)] if target else []


def _without(d: str, key: ast.expr, s: ast.stmt) -> ast.stmt:
    return at(ast.Delete([ast.Subscript(name(d), key, ast.Del())]), s)


def _where(this: Unit, test: str, d: str, key: ast.expr, then: ast.stmt, s: ast.stmt) -> list[ast.stmt]:
    held = this.context.names.numbered("branch")
    this.context.scope.local.add(held)
    return [assign(held, expression(test, d=d, k=key), s), at(ast.If(name(held), [then], []), s)]


def _writes_item(s: ast.stmt) -> bool:
    match s:
        case ast.Assign(targets=[ast.Subscript()]) | ast.Delete(targets=[ast.Subscript(value=ast.Name())]):
            return True
        case _:
            return False


def _deletion(s: ast.Delete) -> Operation:
    """`del d[k]`: a store of nothing."""
    place = s.targets[0]
    assert isinstance(place, ast.Subscript) and isinstance(place.value, ast.Name)
    values = {"index": place.slice, "value": constant(0.0)}
    return Operation("store", (place.value.id,), (place.value.id,), place.slice, values=values, why="del")


def flat_dicts(this: Unit, found: list[Write], aliases: Aliases, summary: Summaries) -> frozenset[str]:
    """Dicts of values that only stores and deletions by a key change, some of them in loops."""
    if this.context.memory:
        return frozenset()
    inside = {s for loop in statements(this.core.body) if isinstance(loop, LOOPS) for s in statements(loop.body)}
    roots = dict.fromkeys(w.root for w in found if w.statement in inside)
    made = dicts_made(this, summary)
    names = {v for op in this.operations.values() for v in (*op.targets, *op.operands)} | set(this.parameters)
    groups = [sharing(d, names, aliases) for d in roots if d in made]
    return frozenset(v for group in groups if group <= made and _are_flat(this, group, found, aliases) for v in group)


def _are_flat(this: Unit, group: set[str], found: list[Write], aliases: Aliases) -> bool:
    own = set().union(*(aliases.of(d) for d in group))
    if any(own & held for held in aliases.holds.values()):
        return False
    held = set().union(*(aliases.reach(o) for o in own)) - own
    if held & aliases.containers or any(aliases.of(w.root) & held for w in found):
        return False
    if not all(_is_item_store(this.operations.get(w.statement)) for w in found if aliases.of(w.root) & own):
        return False
    return all(_is_plain(op, group) for op in this.operations.values())


def _is_item_store(op: Operation | None) -> bool:
    index = op.values.get("index") if op is not None and op.kind == "store" else None
    return index is not None and not isinstance(index, Cell) and not any(isinstance(n, ast.Slice) for n in walk(index))


def _is_plain(op: Operation, group: set[str]) -> bool:
    """Whether an operation makes or names a dict, changes it by a key, or reads it and keeps nothing of it."""
    if spreads(op, group):
        return False
    if not group.intersection(op.operands) or op.kind in ("zero", "store", "pack", "copy"):
        return True
    if op.kind == "call":
        return op.callee is made_dict or not group.intersection(op.operands) or not group.intersection(op.targets)
    return op.kind == "rule"


def one_name(this: Unit, found: list[Write], summary: Summaries) -> tuple[Unit, list[Write]]:
    """The function with dicts under their own names, where a second one stands for the same as long as it is read."""
    made, every = dicts_made(this, summary), list(statements(this.core.body))
    bound = Counter(v for s in every for v in writes(s))
    for s, op in list(this.operations.items()):
        if op.kind == "copy" and op.operands[0] in made and bound[op.targets[0]] == 1 and isinstance(s, ast.Assign):
            (v,), (d,) = op.targets, op.operands
            behind = next((b[b.index(s) + 1 :] for b in blocks(this.core.body) if s in b), [])
            users = {x for x in statements(this.core.body) if v in header_reads(x)}
            inside = set(statements(behind))
            if users <= inside and not any(d in writes(x) for x in inside) and this.result != v:
                this, found = _renamed(this, found, s, {v: d})
    return this, found


def _renamed(this: Unit, found: list[Write], gone: ast.stmt, names: dict[str, str]) -> tuple[Unit, list[Write]]:
    """The function and its writes with other names, and without the statement that binds them."""
    operations: Operations = {}
    now: dict[ast.stmt, ast.stmt] = {}

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [statement(s) for s in body if s is not gone]

    def statement(s: ast.stmt) -> ast.stmt:
        if isinstance(s, (ast.If, ast.For, ast.While)) and s.body != [ast.Break()]:
            part = "iter" if isinstance(s, ast.For) else "test"
            new: ast.stmt = replace(
                s, **{part: rename(getattr(s, part), names)}, body=block(s.body), orelse=block(s.orelse)
            )
        else:
            new = rename(s, names) if names.keys() & header_reads(s) else s
        if s in this.operations:
            old = this.operations[s]
            operations[new] = old if new is s else reclassified(new, this) or old
        now[s] = new
        return new

    core = replace(this.core, body=block(this.core.body))
    kept = [
        dataclasses.replace(
            w, statement=now.get(w.statement, w.statement), root=names.get(w.root, w.root),
            reads=frozenset(names.get(v, v) for v in w.reads),
        )
        for w in found if w.statement is not gone
    ]  # fmt: skip
    return Unit(this.source, core, this.context, operations, this.lists), kept


def _of_computed_keys(this: Unit) -> set[str]:
    """Dicts that are made at once of keys that may depend on the input; those of stores are looked at."""
    return {t for op in this.operations.values() if _computes_keys(op) for t in op.targets}


def _computes_keys(op: Operation) -> bool:
    match op.value:
        case ast.Dict(keys=keys) if op.kind == "pack":
            return not all(isinstance(k, ast.Constant) for k in keys)
        case _:
            return op.callee is made_dict


def keys_alone(this: Unit, summary: Summaries) -> Unit:
    """The function with what goes over the keys of dicts that it makes known to do so: nothing flows through them."""
    listed = {
        s: op
        for s, op in this.operations.items()
        if op.operands and ((op.kind == "rule" and op.rule.name in OF_KEYS) or op.callee is keys_of)
    }
    if not listed:
        return this
    dicts = dicts_made(this, summary) - _of_computed_keys(this)
    known = {s: op for s, op in listed.items() if dicts.issuperset(op.operands)}
    operations = this.operations | {s: Operation("zero", op.targets, (), op.value) for s, op in known.items()}
    return Unit(this.source, this.core, this.context, operations, this.lists)
