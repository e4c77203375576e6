"""What is put into the lists of a function: they hold nothing but numbers if all of it is numbers.

xs = [0.0] * n
for i in range(n):          # xs holds 0.0 and t
    t = x * i
    xs[i] = t

Lists that may be one are looked at together, whatever their names, and those that are given to functions with what
these put into them. Lists that are changed in a way that is not followed may hold anything.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field
from typing import Any

from tangent.analysis.aliases import Aliases, put_by_method
from tangent.analysis.effects import Write
from tangent.analysis.made import is_slice
from tangent.analysis.operation import Operation, Operations
from tangent.syntax.cells import Cell
from tangent.syntax.rebuild import statements

Calls = list[tuple[ast.stmt, Any, dict[str, Any]]]  # the functions that are called, with what each parameter gets
COPYING = frozenset("builtin_list builtin_tuple builtin_sorted".split())
NAMING = frozenset("sequence getitem".split())  # another name, for a list or for one of those that a list holds
PUTTING = ("store", "augment")
PLAIN = frozenset(["", "Add", "Sub", "Mult", "Div", "Pow"])  # operators in place, or none
KEEPING = frozenset("sort reverse clear remove pop".split())  # methods that put nothing into a list


@dataclass
class Held:
    """What is put into some lists: values, items of other lists, what functions give, and what parameters bring."""

    values: list[ast.expr] = field(default_factory=list)
    items: list[ast.expr] = field(default_factory=list)
    results: list[Any] = field(default_factory=list)
    given: list[tuple[Any, str]] = field(default_factory=list)  # to functions, as which parameters
    parameters: set[str] = field(default_factory=set)


def held_by_lists(
    f: ast.FunctionDef, operations: Operations, aliases: Aliases, found: list[Write], calls: Calls, parameters: set[str]
) -> dict[str, Held]:
    """What is put into the lists of a function, by their names; `parameters` are those that hold numbers as given."""
    names = {v for op in operations.values() for v in (*op.targets, *op.operands)} | parameters
    body = list(statements(f.body))
    known: dict[str, Held] = {}
    for group in _groups(names, aliases):
        own = set().union(*(aliases.of(v) for v in group))
        if own <= aliases.containers | parameters and not (own & parameters and _are_kept(group, body, operations)):
            try:
                held = _held(group, own, operations, aliases, found, calls)
            except _Open:
                continue
            held.parameters = own & parameters
            known |= dict.fromkeys(group, held)
    return known


class _Open(Exception):
    """Something may be put into a list that is not followed."""


def _groups(names: set[str], aliases: Aliases) -> list[set[str]]:
    """Variables that may stand for one list, together."""
    found: list[tuple[set[str], set[str]]] = []
    for v in sorted(names):
        group, own = {v}, set(aliases.of(v))
        for other in [x for x in found if x[1] & own]:
            found.remove(other)
            group |= other[0]
            own |= other[1]
        found.append((group, own))
    return [group for group, own in found if own]


def _are_kept(group: set[str], body: list[ast.stmt], operations: Operations) -> bool:
    """Whether something else may hold a list, not only its items."""
    for s in body:
        op = operations.get(s)
        if op is None:
            put = put_by_method(s)
            if put is not None and put[1] and not group.isdisjoint(put[2]):
                return True
        elif op.kind in ("closure", "opaque", "dynamic"):
            if not group.isdisjoint(op.operands):
                return True
        elif op.kind in ("pack", "push", "store", "augment") and not group.isdisjoint(_kept_by(op)):
            return True
    return False


def _kept_by(op: Operation) -> set[str]:
    """What a container holds itself, not only its items."""
    match op.value:
        case ast.Name(id=v):
            return {v}
        case ast.List(elts=elts) | ast.Tuple(elts=elts) | ast.Set(elts=elts) | ast.Dict(values=elts):
            return {e.id for e in elts if isinstance(e, ast.Name)}
        case _:
            return set(op.operands)


def _held(
    group: set[str], own: set[str], operations: Operations, aliases: Aliases, found: list[Write], calls: Calls
) -> Held:
    held = Held()
    for op in operations.values():
        if op.kind == "push" and op.targets[0] in group:
            held.values.append(_known(op.value))
        elif op.kind not in ("store", "augment", "push") and not group.isdisjoint(op.targets):
            if op.kind in ("unpack", "pop") and not own.isdisjoint(op.targets):
                raise _Open  # a list that was made elsewhere
            _bound(op, held)
    given = {s: (callee, values) for s, callee, values in calls}
    for callee, values in given.values():
        if any(isinstance(e, ast.Name) and e.id not in group and aliases.reach(e.id) & own for e in values.values()):
            raise _Open  # as a part of something
        held.given += [(callee, p) for p, e in values.items() if isinstance(e, ast.Name) and e.id in group]
    for w in found:
        if aliases.reach(w.root) & own and w.statement not in given:
            _written(w, operations.get(w.statement), bool(aliases.of(w.root) & own), held)
    return held


def _known(e: ast.expr | None) -> ast.expr:
    if e is None:
        raise _Open
    return e


def _bound(op: Operation, held: Held) -> None:
    """What a list holds from the start."""
    match op.value:
        case ast.List(elts=elts) | ast.Tuple(elts=elts) if op.kind == "pack":
            held.items += [e.value for e in elts if isinstance(e, ast.Starred)]
            held.values += [e for e in elts if not isinstance(e, ast.Starred)]
        case ast.ListComp(elt=ast.Constant() as elt):
            held.values.append(elt)
        case ast.BinOp(left=left, op=ast.Add(), right=right) if op.kind == "rule":
            held.items += [left, right]
        case ast.BinOp(left=left, op=ast.Mult()) if op.kind == "rule":
            held.items.append(left)
        case _ if op.kind == "rule" and (op.rule.name in COPYING or is_slice(op)):
            held.items.append(ast.Name(op.operands[0], ast.Load()))
        case _ if op.kind == "call":
            held.results.append(op.callee)
        case _ if op.kind not in ("copy", "unpack", "pop") and not (op.kind == "rule" and op.rule.name in NAMING):
            raise _Open


def _written(w: Write, op: Operation | None, direct: bool, held: Held) -> None:
    """What a statement puts into a list, which is written into directly or as one of those that a list holds."""
    index = op.values.get("index") if op is not None else None
    match w.statement:
        case _ if op is not None and isinstance(index, Cell) and op.kind in PUTTING and op.why in PLAIN:
            held.values.append(op.values["value"])
            if isinstance(index.elts[-1], ast.Slice) or len(index.elts) != 2:
                raise _Open
        case _ if op is not None and index is not None and op.kind in PUTTING and op.why in PLAIN:
            if isinstance(index, ast.Slice):
                raise _Open
            held.values += [op.values["value"]] if direct else []
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr=attr), args=args, keywords=[])) if (
            op is None
        ):
            if direct:
                _by_method(attr, args, held)
        case ast.Delete(targets=[ast.Subscript(value=ast.Name())]):
            pass
        case _:
            raise _Open


def _by_method(attr: str, args: list[ast.expr], held: Held) -> None:
    match attr, args:
        case ("append", [value]) | ("insert", [_, value]):
            held.values.append(value)
        case "extend", [value]:
            held.items.append(value)
        case _ if attr not in KEEPING or any(isinstance(a, ast.Starred) for a in args):
            raise _Open

