"""Lists of values that only stores by an index change, as tables in dynamic programming: written in place."""

from __future__ import annotations

import ast

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Write
from tangent.analysis.liveness import liveness
from tangent.analysis.operation import Operation
from tangent.syntax.cells import Cell
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import statements
from tangent.transform.storage.rewriting import reclassified, replaced
from tangent.transform.storage.summaries import is_key
from tangent.transform.unit import Unit

LOOPS = ast.For | ast.While


def flat_lists(this: Unit, found: list[Write], aliases: Aliases, tables: frozenset[str]) -> frozenset[str]:
    """Lists of values with one name that only stores by an index change, in loops: written in place, as arrays are."""
    inside = {s for loop in statements(this.core.body) if isinstance(loop, LOOPS) for s in statements(loop.body)}
    names = {v for op in this.operations.values() for v in (*op.targets, *op.operands)} | set(this.parameters)
    chosen: set[str] = set()
    for w in found:
        if w.root in tables or (w.statement in inside and _is_item_store(this, w)):
            if w.root not in chosen and _is_flat(this, w.root, found, aliases, names):
                chosen.add(w.root)
    return frozenset(chosen)


def finished_lists(this: Unit, found: list[Write]) -> Unit:
    """`xs = parts` as `xs = [*parts]`, where items were appended to parts, and stores change xs."""
    stored = {w.root for w in found if _is_item_store(this, w)}
    pushed = {op.targets[0] for op in this.operations.values() if op.kind in ("push", "pop")}
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


def _is_flat(this: Unit, root: str, found: list[Write], aliases: Aliases, names: set[str]) -> bool:
    own = aliases.of(root)
    sharing = {n for n in names if aliases.of(n) & own}
    if sharing != {root} or not own <= aliases.containers:
        return False
    if any(own & held for held in aliases.holds.values()) or sharing & set(this.parameters):
        return False
    held = set().union(*(aliases.reach(o) for o in own)) - own
    if held & aliases.containers or any(aliases.of(w.root) & held for w in found):
        return False
    if not all(_is_item_store(this, w) for w in found if aliases.of(w.root) & own):
        return False
    return all(_is_plain(op, sharing, aliases) for op in this.operations.values())


def _is_plain(op: Operation, sharing: set[str], aliases: Aliases) -> bool:
    """Whether an operation makes, copies or reads some lists: no dicts, no stacks, no functions that are given them."""
    if op.kind == "call" and not sharing & set(op.operands):  # a function may make the list
        return True
    if op.kind in ("push", "pop", "call", "dynamic", "closure", "opaque"):
        return not sharing & {*op.targets, *op.operands}
    made = sharing & set(op.targets) and op.kind not in ("store", "copy")
    return not made or not isinstance(op.value, ast.Dict | ast.DictComp)
