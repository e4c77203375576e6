"""Lists of lists that are written by two indices, `T[i][j] = v`, as tables in dynamic programming: in place.

Their rows are nobody else's, so that `t = T[i]; t[j] = v` is one operation, `T[i][j] = v`, on the table. Where the
whole table or a whole row is read, a copy is.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeGuard

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Write
from tangent.analysis.made import BESIDE
from tangent.analysis.operation import Operation
from tangent.syntax.cells import Cell
from tangent.syntax.inserted import Insertion, root
from tangent.syntax.rebuild import rename, replace, statements
from tangent.syntax.uses import header_reads, writes
from tangent.transform.storage.cells import is_item
from tangent.transform.storage.refusals import refusal
from tangent.transform.storage.rewriting import reclassified, replaced
from tangent.transform.storage.tabled import Tabled
from tangent.transform.unit import Unit


def written_tables(
    this: Unit, found: list[Write], again: Callable[[Unit], Aliases]
) -> tuple[Unit, list[Write], frozenset[str]]:
    """The function with what it does to tables as operations on them, its writes, and the tables."""
    chosen: set[str] = set()
    if this.context.memory:
        return this, found, frozenset()
    this = _loops_over(this, found, again(this)) if _candidates(this, found) else this
    for v in _candidates(this, found):
        if not any(v in op.targets and (_makes_list(op) or op.kind == "copy") for op in this.operations.values()):
            continue
        table = Tabled(this, v, found, again(this), frozenset(chosen))
        if table.is_one():
            this, found = table.rewritten()
            chosen.add(v)
    return this, found, frozenset(chosen)


def refuse_rows(this: Unit, found: list[Write], aliases: Aliases, flat: frozenset[str]) -> None:
    """Lists of lists that are no tables, where their rows are written into: a memory follows them."""
    if this.context.memory:
        return
    made = {op.targets[0] for op in this.operations.values() if _makes_list(op)} - _asked_lists_of_arrays(this)
    shown = {op.targets[0] for op in this.operations.values() if isinstance(op.value, (ast.List, ast.Dict))}
    for w in found:
        if _index(this, w) is None:
            continue
        for op in this.operations.values():
            row = is_item(op) and w.root in op.targets and op.operands[0] in aliases.containers
            listed = row and any(
                o in made and (o not in shown or _holds_lists(aliases, o)) for o in aliases.of(op.operands[0])
            )
            if (row and listed) or (w.root in made - flat and isinstance(_index(this, w), Cell)):
                error = refusal(this, w, op.operands[0] if row else w.root)
                error.needs_memory = True
                raise error


def _holds_lists(aliases: Aliases, o: str) -> bool:
    """Whether an item of a list that is written out may be a list that is made here."""
    return bool(aliases.holds.get(o, set()) & aliases.containers)


def _asked_lists_of_arrays(this: Unit) -> set[str]:
    """Lists and dicts of what arithmetic gives, of which a block asks for a gradient: a memory would not give it."""
    asked = {root(p) for s in statements(this.core.body) if isinstance(s, Insertion) for p in s.places}
    if not asked:
        return set()
    values = {op.targets[0] for op in this.operations.values() if op.kind == "rule" and op.rule.kind == "elementwise"}
    return {
        op.targets[0]
        for op in this.operations.values()
        if isinstance(op.value, (ast.List, ast.Dict)) and op.targets[0] in asked
        if all(isinstance(e, ast.Constant) or (_is_name(e) and e.id in values) for e in _items(op.value))
    }


def _items(e: ast.List | ast.Dict) -> list[ast.expr]:
    return e.elts if isinstance(e, ast.List) else e.values


def _is_name(e: ast.expr) -> TypeGuard[ast.Name]:
    return isinstance(e, ast.Name)


def _makes_list(op: Operation) -> bool:
    """Whether an operation makes a list whose rows may be lists: they are not told apart otherwise."""
    match op.value:
        case ast.List() | ast.ListComp() | ast.Dict():
            return True
        case ast.Call(func=ast.Name(id=function)) if function.rstrip("_") in BESIDE:
            return True
        case _:
            return op.kind == "call" or (op.kind == "rule" and op.rule.name in ("fresh_rows", "number_rows"))


def _index(this: Unit, w: Write) -> ast.expr | None:
    op = this.operations.get(w.statement)
    return op.values.get("index") if op is not None and op.kind in ("store", "augment") else None


def _candidates(this: Unit, found: list[Write]) -> list[str]:
    """Variables of which items are read that something is written into."""
    roots = {w.root for w in found}
    rows = [op for op in this.operations.values() if is_item(op) and op.targets[0] in roots]
    return list(dict.fromkeys(v for op in rows for v in op.operands))


def _loops_over(this: Unit, found: list[Write], aliases: Aliases) -> Unit:
    """`items = sequence(T); row = items[k]` as `row = T[k]`, where the rows of a list that is made here are written."""
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations = dict(this.operations)
    every = list(statements(this.core.body))
    headers: dict[str, str] = {}
    for items in _candidates(this, found):
        bound = [s for s in every if items in writes(s)]
        op = this.operations.get(bound[0]) if len(bound) == 1 else None
        if op is None or op.kind != "rule" or op.rule.name != "sequence" or op.operands[0] not in aliases.containers:
            continue
        users = [s for s in every if items in header_reads(s)]
        plain = all((x := this.operations.get(s)) is None or is_item(x) or x.kind == "zero" for s in users)
        if not plain or sum(op.operands[0] in writes(s) for s in every) != 1:
            continue
        changed[bound[0]] = []
        headers[items] = op.operands[0]
        for s in users:
            if not isinstance(s, (ast.For, ast.While, ast.If)):
                changed[s] = [rename(s, {items: op.operands[0]})]
                operations |= {x: made for x in changed[s] if (made := reclassified(x, this)) is not None}
    if not changed:
        return this
    this = replaced(this, changed, operations)
    return _with_headers(this, headers)


def _with_headers(this: Unit, names: dict[str, str]) -> Unit:
    """The function with other names in the headers of its loops and branches."""
    operations = dict(this.operations)

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        return [header(s) if isinstance(s, (ast.If, ast.For, ast.While)) else s for s in body]

    def header(s: ast.If | ast.For | ast.While) -> ast.stmt:
        part = "iter" if isinstance(s, ast.For) else "test"
        new = replace(s, **{part: rename(getattr(s, part), names)}, body=block(s.body), orelse=block(s.orelse))
        if s in operations:
            operations[new] = operations[s]
        return new

    return Unit(this.source, replace(this.core, body=block(this.core.body)), this.context, operations)
