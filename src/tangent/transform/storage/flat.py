"""Lists of values that only stores by an index change, as tables in dynamic programming: written in place."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Summaries, Write
from tangent.analysis.liveness import liveness
from tangent.analysis.made import copies_container, is_slice
from tangent.analysis.operation import Operation
from tangent.runtime.library import made_dict
from tangent.syntax.cells import Cell
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import statements
from tangent.transform.storage.asked import may_hold_objects
from tangent.transform.storage.rewriting import reclassified, replaced
from tangent.transform.storage.summaries import is_key
from tangent.transform.unit import Unit

LOOPS = ast.For | ast.While
COPIES = frozenset("copy_method deepcopy copy".split())


def flat_lists(
    this: Unit, found: list[Write], aliases: Aliases, tables: frozenset[str], summary: Summaries
) -> frozenset[str]:  # fmt: skip
    """Lists of values that only stores by an index change, in loops: written in place, as arrays are.

    They have one name, or take turns under several.
    """
    inside = {s for loop in statements(this.core.body) if isinstance(loop, LOOPS) for s in statements(loop.body)}
    names = {v for op in this.operations.values() for v in (*op.targets, *op.operands)} | set(this.parameters)
    roots = [w.root for w in found if w.root in tables or (w.statement in inside and _is_item_store(this, w))]
    groups = [sharing(v, names, aliases) for v in dict.fromkeys(roots)]
    flat = [group for group in groups if _are_flat(this, group, found, aliases, summary)]
    others = [group for group in flat if not group <= this.context.listed]
    return frozenset().union(*flat).difference(_take_turns(this, others, frozenset().union(*flat)))


def finished_lists(this: Unit, found: list[Write]) -> Unit:
    """`xs = parts` as `xs = [*parts]`, where items were appended to parts, and stores change xs."""
    stored = {w.root for w in found if _is_item_store(this, w) or _adds_to_item(this, w)}
    named = [(op.targets[0], op.operands[0]) for op in this.operations.values() if op.kind == "copy"]
    while more := {t for t, v in named if v in stored} - stored:
        stored |= more
    pushed = {op.targets[0] for op in this.operations.values() if op.kind == "push"}
    pushed |= {op.operands[0] for op in this.operations.values() if op.kind == "pop"}
    copies = {
        s: op
        for s, op in this.operations.items()
        if op.kind == "copy" and op.operands[0] in pushed and op.targets[0] in stored - pushed
    }
    live = liveness(this.core, frozenset(copies))
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations = dict(this.operations)
    for s, op in copies.items():
        if op.operands[0] not in live.after.get(s, frozenset()):
            new = assign(op.targets[0], ast.List([ast.Starred(name(op.operands[0]), ast.Load())], ast.Load()), s)
            made = reclassified(new, this)
            assert made is not None
            changed[s], operations[new] = [new], made
    return replaced(this, changed, operations) if changed else this


def _is_item_store(this: Unit, w: Write) -> bool:
    op = this.operations.get(w.statement)
    index = op.values.get("index") if op is not None and op.kind == "store" else None
    if op is not None and op.why == "into Add":  # to a row of a table, or to all of it
        return "index" not in op.values or isinstance(op.values["index"], Cell)
    return index is not None and not isinstance(index, ast.Slice) and not is_key(index)


def _adds_to_item(this: Unit, w: Write) -> bool:
    op = this.operations.get(w.statement)
    index = op.values.get("index") if op is not None and op.kind == "augment" else None
    return index is not None and not isinstance(index, ast.Slice) and not is_key(index)


def sharing(v: str, names: set[str], aliases: Aliases) -> set[str]:
    """The names of a list or dict, of those that these names may stand for, and so on."""
    found, own = {v}, set(aliases.of(v))
    while more := {n for n in names - found if aliases.of(n) & own}:
        found |= more
        own.update(*(aliases.of(n) for n in more))
    return found


def _are_flat(this: Unit, group: set[str], found: list[Write], aliases: Aliases, summary: Summaries) -> bool:
    own = set().union(*(aliases.of(v) for v in group))
    bound = [op for op in this.operations.values() if group.intersection(op.targets) and op.kind != "store"]
    numbers = group <= this.context.listed  # nobody shares these: lists may be made of one another
    if len(group) > 1 and not all(_names_list(op) or (numbers and _sources(op)) for op in bound):
        return False
    if not own <= aliases.containers or group & this.inputs:
        return False
    if any(own & held for held in aliases.holds.values()):
        return False
    held = set().union(*(aliases.reach(o) for o in own)) - own
    if held & aliases.containers or any(aliases.of(w.root) & held for w in found):
        return False
    if not all(_is_item_store(this, w) for w in found if aliases.of(w.root) & own):
        return False
    plain = all(_is_plain(op, group, numbers) for op in this.operations.values())
    return plain and (numbers or not may_hold_objects(this, group, summary))


def _names_list(op: Operation) -> bool:
    """Whether an operation makes a list, or gives it another name, as loops over its items do."""
    walked = op.kind == "rule" and op.rule.name == "sequence"
    return walked or isinstance(op.value, (ast.List, ast.ListComp, ast.BinOp, ast.Name))


def _is_plain(op: Operation, group: set[str], numbers: bool) -> bool:
    """Whether an operation makes, copies or reads some lists: no dicts, no stacks, no functions that are given them."""
    if op.kind == "call" and not group & set(op.operands):  # a function may make the list
        return True
    if spreads(op, group) and not numbers:
        return False
    if numbers and op.kind == "call" and group.isdisjoint(op.targets):
        return True
    if op.kind in ("push", "pop", "call", "dynamic", "closure", "opaque"):
        return not group & {*op.targets, *op.operands}
    made = group & set(op.targets) and op.kind not in ("store", "copy")
    return not made or not isinstance(op.value, (ast.Dict, ast.DictComp))


def spreads(op: Operation, group: set[str]) -> bool:
    """Whether an operation puts the items of a list or dict of a group into another one of it: both share them.

    `xs = [*xs, v]`, `xs = xs + [v]`, `xs = xs[::-1]`, `d = {**d, "k": v}`, `d = d | e`.
    """
    return bool(group.intersection(op.targets)) and not group.isdisjoint(_sources(op))


def _sources(op: Operation) -> list[str]:
    """The lists and dicts whose items an operation puts into a new one."""
    match op.value:
        case ast.List(elts=elts) | ast.Tuple(elts=elts):
            spread = [e.value for e in elts if isinstance(e, ast.Starred)]
        case ast.Dict(keys=keys, values=values):
            spread = [v for k, v in zip(keys, values) if k is None]
        case ast.Call(args=given, keywords=[_, *_] as named) if op.callee is made_dict:
            spread = [*given, *(k.value for k in named if k.arg is None)]
        case ast.BinOp(left=left, op=ast.Add() | ast.Mult() | ast.BitOr(), right=right):
            spread = [left, right]
        case ast.Subscript(value=owner) if is_slice(op):
            spread = [owner]
        case ast.Call(args=given) if copies_container(op) or (op.kind == "rule" and op.rule.name in COPIES):
            spread = given
        case _:
            spread = []
    return [e.id for e in spread if isinstance(e, ast.Name)]


def _take_turns(this: Unit, groups: list[set[str]], written: frozenset[str]) -> Iterator[str]:
    """Lists that stores change, and that loops make of one another: they share their items from turn to turn.

    ys = xs[::-1]; ys[0] = v; xs = [*ys, w]; xs[1] = u
    """
    inside = {s for loop in statements(this.core.body) if isinstance(loop, LOOPS) for s in statements(loop.body)}
    ops = [op for s, op in this.operations.items() if s in inside]
    for group in groups:
        for op in ops:
            into = group.intersection(op.targets) and not written.isdisjoint(_sources(op))
            if into or (not group.isdisjoint(_sources(op)) and written.intersection(op.targets)):
                yield from group
