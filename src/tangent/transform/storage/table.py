"""A list of lists whose rows are nobody else's: whether a variable is one, by all that is done with it."""

from __future__ import annotations

import ast

from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Write
from tangent.analysis.liveness import liveness
from tangent.analysis.made import BESIDE
from tangent.analysis.operation import Operation
from tangent.syntax.rebuild import blocks, statements
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.transform.storage.cells import is_item
from tangent.transform.storage.summaries import is_key
from tangent.transform.unit import Unit


class Table:
    """One list of lists, and what is done with it."""

    def __init__(self, this: Unit, v: str, found: list[Write], aliases: Aliases, tables: frozenset[str]) -> None:
        self.this, self.v, self.found, self.aliases, self.tables = this, v, found, aliases, tables
        self.every = list(statements(this.core.body))
        self.bound = [s for s in self.every if v in writes(s)]
        self.rows = [s for s in self.every if (op := this.operations.get(s)) and is_item(op) and op.operands[0] == v]
        self.names = {self.this.operations[s].targets[0]: s for s in self.rows}
        self.writing = {w.statement for w in found if w.root in self.names}
        self.unsure = False  # whether its rows may be parts of arrays

    def is_one(self) -> bool:
        """Whether all that is done with it is of a table whose rows nobody else holds."""
        if self.v in self.this.inputs or len(self.bound) != 1 or len(self.names) != len(self.rows):
            return False
        return self.is_made_here() and all(map(self.is_row, self.rows)) and all(map(self.is_fine, self.readers()))

    def readers(self) -> list[ast.stmt]:
        """The statements that read the table other than by a row."""
        return [s for s in self.every if self.v in header_reads(s) and s not in self.rows]

    def is_made_here(self) -> bool:
        """Whether it is made with rows of its own, or of rows that nobody holds when it is made of them."""
        s = self.bound[0]
        op = self.this.operations.get(s)
        match op.value if op is not None else None:
            case ast.ListComp():
                return op is not None and op.kind == "pack"
            case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=of), *_]) if function.rstrip("_") in BESIDE:
                return of in self.tables
            case ast.Call() if op is not None and op.kind == "rule":
                return op.rule.name in ("fresh_rows", "number_rows")
            case ast.Name(id=parts):
                return self.is_filled(parts, s)
            case ast.List(elts=elts) | ast.Dict(values=elts):
                names = [e.id for e in elts if isinstance(e, ast.Name)]
                return len(names) == len(elts) > 0 and self.are_apart(names, s)
            case _:
                return False

    def is_filled(self, parts: str, made: ast.stmt) -> bool:
        """Whether the list that it begins as was filled with a new row in every turn of a loop."""
        pushes = [s for s in self.every if (op := self.this.operations.get(s)) and parts in op.targets]
        made_of = [self.this.operations[s] for s in pushes]
        if [op.kind for op in made_of] != ["pack", "push"] or len(made_of[1].operands) != 1:
            return False
        row = made_of[1].operands[0]
        block = next(b for b in blocks(self.this.core.body) if pushes[1] in b)
        return any(row in writes(s) for s in block) and self.are_apart([row], made, frozenset([parts]))

    def are_apart(self, names: list[str], made: ast.stmt, parts: frozenset[str] = frozenset()) -> bool:
        """Whether some variables hold lists that no two of them share, and nobody reads after the table is made."""
        live = liveness(self.this.core, frozenset([made])).after.get(made, frozenset()) - {self.v}
        every = {n for op in self.this.operations.values() for n in (*op.targets, *op.operands)} | self.this.inputs
        seen: set[str] = set()
        for v in names:
            own = self.aliases.of(v) if not self.is_slice_of_list(v) else {v}
            self.unsure |= not own <= self.aliases.containers
            others = {n for n in every if n in live and self.aliases.reach(n) & own}
            if own & seen or others - parts or not self.is_list(v):
                return False
            seen |= own
        return not parts & live

    def is_list(self, v: str) -> bool:
        """Whether a variable holds a new list, or part of one."""
        made = [op for op in self.this.operations.values() if v in op.targets and op.kind not in ("push", "store")]
        return self.sliced(v) is not None or (v in self.aliases.containers and all(map(_gives_list, made)))

    def sliced(self, v: str) -> str | None:
        """What a variable is a slice of."""
        made = [op for op in self.this.operations.values() if v in op.targets and op.kind not in ("push", "store")]
        if len(made) == 1 and isinstance(getattr(made[0].value, "slice", None), ast.Slice):
            return made[0].operands[0]
        return None

    def is_slice_of_list(self, v: str) -> bool:
        of = self.sliced(v)
        return of is not None and self.aliases.of(of) <= self.aliases.containers

    def is_row(self, s: ast.stmt) -> bool:
        """Whether a row is used only behind the statement that takes it, where that would still give the same."""
        row = self.this.operations[s].targets[0]
        block = next(b for b in blocks(self.this.core.body) if s in b)
        behind = list(statements(block[block.index(s) + 1 :]))
        users = [x for x in self.every if row in header_reads(x)]
        if not set(users) <= set(behind) or sum(row in writes(x) for x in self.every) != 1:
            return False
        last = max((behind.index(x) for x in users), default=-1)
        loops = [set(statements(x.body)) for x in behind if isinstance(x, (ast.For, ast.While))]
        between = {*behind[: last + 1], *(y for inside in loops if inside.intersection(users) for y in inside)}
        needed = expression_reads(self.this.operations[s].values["index"])
        if any(needed & set(writes(x)) for x in between):
            return False
        return all(self.is_cell(x, row) or self.is_fine(x) for x in users)

    def is_cell(self, s: ast.stmt, row: str) -> bool:
        """Whether a statement reads or writes an item of a row, or adds to all of it."""
        op = self.this.operations.get(s)
        if op is None:
            return False
        if op.kind in ("store", "augment") and op.targets == (row,):
            index = op.values.get("index")
            stored = row in expression_reads(op.values["value"])
            whole = index is None and op.why == "into Add"
            one = index is not None and not isinstance(index, (ast.Slice, ast.Tuple)) and not is_key(index)
            return not stored and (whole or one)
        if op.kind != "rule" or op.rule.name != "getitem" or op.operands != (row,) or row in op.targets:
            return False
        return not (self.unsure and isinstance(op.values["index"], ast.Slice))

    def is_fine(self, s: ast.stmt) -> bool:
        """Whether a statement reads the table, or a row, as a copy would do: what it makes is not changed with it."""
        op = self.this.operations.get(s)
        if op is None:
            return isinstance(s, (ast.For, ast.While, ast.If))
        if op.kind == "zero" or self.is_measured(op) or self.is_whole(op):
            return True
        if op.kind not in ("rule", "call", "pack", "push", "copy") or s in self.writing or "attribute" in op.values:
            return False
        if any(w.statement is s for w in self.found):
            return False
        if op.kind == "rule" and not self.aliases.bases.get(s):
            return True
        return self.is_last(s) or self.is_short(s, op) or self.is_over(s)

    def is_measured(self, op: Operation) -> bool:
        """Whether an operation asks only for the form of the table."""
        match op.value:
            case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=v), *rest]) if function.rstrip("_") in BESIDE:
                return v == self.v and not any(self.v in expression_reads(e) for e in rest)
            case _:
                return False

    def is_whole(self, op: Operation) -> bool:
        """Whether an operation copies the table, or adds to all of it."""
        if op.kind == "augment":
            return op.targets == (self.v,) and not op.values.get("index") and self.v not in expression_reads(op.value)
        return op.kind == "rule" and op.rule.name in ("fresh_rows", "number_rows")

    def is_last(self, s: ast.stmt) -> bool:
        """Whether nothing is written into the table after a statement."""
        loops = [x for x in self.every if isinstance(x, (ast.For, ast.While))]
        around = {y for x in loops if s in set(statements(x.body)) for y in statements(x.body)}
        return not self.writing & {*self.every[self.every.index(s) :], *around}

    def is_over(self, s: ast.stmt) -> bool:
        """Whether the table is read last in a statement, which takes it over."""
        return not {self.v, *self.names} & liveness(self.this.core, frozenset([s])).after.get(s, frozenset([self.v]))

    def is_short(self, s: ast.stmt, op: Operation) -> bool:
        """Whether what a statement takes is read by an index only, before something is written into the table."""
        taken = op.targets[0]
        if op.kind != "rule" or op.rule.name != "sequence":
            return False
        block = next(b for b in blocks(self.this.core.body) if s in b)
        behind = block[block.index(s) + 1 :]
        users = [i for i, x in enumerate(behind) if any(taken in header_reads(y) for y in statements([x]))]
        inside = set(statements(behind[: max(users, default=-1) + 1]))
        every = {x for x in self.every if taken in header_reads(x)}
        return every <= inside and not self.writing & inside and sum(taken in writes(x) for x in self.every) == 1


def _gives_list(op: Operation) -> bool:
    match op.value:
        case ast.List() | ast.ListComp() | ast.BinOp():
            return True
        case _:
            return op.kind == "rule" and op.rule.name in ("builtin_list", "builtin_sorted", "tolist")
