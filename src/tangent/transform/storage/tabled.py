"""What is done with a list of lists, as operations on the whole: `t = T[i]; t[j] = v` is `T[i][j] = v`."""

from __future__ import annotations

import ast
import dataclasses

from tangent.analysis.effects import Write
from tangent.analysis.operation import Operations
from tangent.syntax.cells import place_in
from tangent.syntax.quote import assign, expression, name
from tangent.syntax.rebuild import rename, replace
from tangent.syntax.uses import header_reads, writes
from tangent.transform.storage.rewriting import reclassified, runtime_function
from tangent.transform.storage.table import Table
from tangent.transform.unit import Unit

ALL = ast.Slice(None, None, None)


class Tabled(Table):
    """A table, and the function with operations on it."""

    def rewritten(self) -> tuple[Unit, list[Write]]:
        """The function with operations on the table, and its writes."""
        changed: dict[ast.stmt, list[ast.stmt]] = {}
        operations = dict(self.this.operations)
        for s in self.rows:
            changed[s] = []
        for row, s in self.names.items():
            index = self.this.operations[s].values["index"]
            for x in self.every:
                if row in header_reads(x):
                    changed[x] = self.with_row(x, row, index, changed.get(x, [x]))
        for x in self.readers():
            changed[x] = self.with_copy(x, changed.get(x, [x]))
        changed |= self.beginning()
        for old, new in changed.items():
            for x in new:
                if x is not old and x not in operations:
                    operations |= self.known(x, old)
        moved = {w.statement: x for w in self.found for x in changed.get(w.statement, []) if self.v in _targets(x)}
        found = [
            dataclasses.replace(w, statement=moved.get(w.statement, w.statement), root=self.v, nested=False)
            if w.root in self.names else w
            for w in self.found
        ]  # fmt: skip
        return self.rebuilt(changed, operations), found

    def rebuilt(self, changed: dict[ast.stmt, list[ast.stmt]], operations: Operations) -> Unit:
        """The function with some statements replaced, loops and branches by such with another header."""

        def block(body: list[ast.stmt]) -> list[ast.stmt]:
            done: list[ast.stmt] = []
            for s in body:
                if isinstance(s, (ast.If, ast.For, ast.While)) and s.body != [ast.Break()]:
                    *before, new = changed.get(s, [s])
                    new = replace(new, body=block(s.body), orelse=block(s.orelse))
                    if s in operations:
                        operations[new] = operations[s]
                    done += [*before, new]
                else:
                    done += changed.get(s, [s])
            return done

        core = replace(self.this.core, body=block(self.this.core.body))
        left = {s: op for s, op in operations.items() if s not in changed or s in changed[s]}
        return Unit(self.this.source, core, self.this.context, left)

    def known(self, s: ast.stmt, old: ast.stmt) -> Operations:
        """The operation of a statement that stands for another."""
        before = self.this.operations.get(old)
        if before is not None and before.kind in ("push", "call", "pack", "zero", "copy") and writes(s) == writes(old):
            if isinstance(s, ast.Expr) and isinstance(s.value, ast.Call):
                operands = tuple(a.id for a in s.value.args if isinstance(a, ast.Name))
                return {s: dataclasses.replace(before, operands=operands, value=s.value.args[0])}
        op = reclassified(s, self.this)
        return {} if op is None else {s: op}

    def beginning(self) -> dict[ast.stmt, list[ast.stmt]]:
        """`T = parts` and `T = [r, q]` with rows of their own."""
        s = self.bound[0]
        assert isinstance(s, ast.Assign)
        match s.value:
            case ast.Name():
                return {s: [self.copied(self.v, s.value, s, self.began(s.value.id))]}
            case ast.List() | ast.Dict():
                held = self.fresh("parts")
                return {s: [assign(held, s.value, s), self.copied(self.v, name(held), s, self.began(self.v))]}
            case _:
                return {}

    def began(self, v: str) -> str:
        """How rows are copied: where items that may be an argument's are added to in place, they must be numbers."""
        added = any(isinstance(s, ast.AugAssign) for s in self.writing)
        added |= any((s.lineno, s.col_offset) in self.this.context.apart for s in self.writing)
        return "number_rows" if added and self.aliases.reach(v) & set(self.this.inputs) else "fresh_rows"

    def copied(self, target: str, e: ast.expr, s: ast.stmt, copy: str = "fresh_rows") -> ast.stmt:
        function = self.this.context.use(copy, runtime_function(copy))
        return assign(target, expression("f(x)", f=function, x=e), s)

    def fresh(self, wish: str) -> str:
        held = self.this.context.names.numbered(wish)
        self.this.context.scope.local.add(held)
        return held

    def with_row(self, s: ast.stmt, row: str, index: ast.expr, now: list[ast.stmt]) -> list[ast.stmt]:
        """A statement with `T[i]` instead of a row; where that is read as a whole, with a copy of it."""
        *before, s_now = now
        place = place_in(name(self.v), index)
        op = self.this.operations.get(s)
        if self.is_cell(s, row) or op is None or op.kind == "zero":
            return [*before, _substituted(s_now, row, place)]
        held = self.fresh("t")
        copy = assign(held, ast.Subscript(place, ALL, ast.Load()), s)
        return [*before, copy, rename(s_now, {row: held})]

    def with_copy(self, s: ast.stmt, now: list[ast.stmt]) -> list[ast.stmt]:
        """A statement that reads the table as a whole, with a copy."""
        op = self.this.operations.get(s)
        if op is None or op.kind == "zero" or self.is_measured(op) or self.is_whole(op):
            return now
        *before, s_now = now
        held = self.fresh("t")
        return [*before, self.copied(held, name(self.v), s), rename(s_now, {self.v: held})]


def _targets(s: ast.stmt) -> set[str]:
    """The variable that a statement stores into."""
    match s:
        case ast.Assign(targets=[ast.Subscript() as place]) | ast.AugAssign(target=ast.Subscript() as place):
            pass
        case ast.Expr(value=ast.Call(args=[ast.Subscript() as place, *_])):
            pass
        case _:
            return set()
    e: ast.expr = place
    while isinstance(e, ast.Subscript):
        e = e.value
    return {e.id} if isinstance(e, ast.Name) else set()


def _substituted(s: ast.stmt, row: str, place: ast.expr) -> ast.stmt:
    """A statement with an expression in the place of a variable that it reads."""

    def change(e: ast.AST) -> ast.AST:
        if isinstance(e, ast.Name):
            return place if e.id == row and isinstance(e.ctx, ast.Load) else e
        fields = {f: getattr(e, f) for f in e._fields}
        new = {
            f: change(x) if isinstance(x, ast.AST) else [change(y) if isinstance(y, ast.AST) else y for y in x]
            for f, x in fields.items()
            if isinstance(x, (ast.AST, list))
        }
        return replace(e, **new) if new else e

    if isinstance(s, (ast.If, ast.While)):
        return replace(s, test=change(s.test))
    if isinstance(s, ast.For):
        return replace(s, iter=change(s.iter))
    done = change(s)
    assert isinstance(done, ast.stmt)
    return done
