"""What a store overwrites is kept, and put back before the adjoints of what came before it read it."""

from __future__ import annotations

import ast

from tangent.analysis.operation import Operation
from tangent.analysis.recorded import Block
from tangent.syntax.blocks import Attempt
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import writes
from tangent.transform.stores.binding import Binding
from tangent.transform.stores.facts import Kept


class Keeping(Binding):
    """What is kept of storage, and its way back."""

    def save(self, s: ast.stmt, path: tuple[Block, ...]) -> list[ast.stmt]:
        """Keep what a statement is going to overwrite."""
        op = self.owner.operations.get(s)
        if s not in self.table.written or op is None:
            return []
        if op.kind in ("store", "augment"):
            return [*self.uncrossed(s, op), self.keep(s, op.targets[0], self.place(op, op.targets[0]), path)]
        if s in self.owner.pairs_of and s not in self.owner.jumping:
            return []
        roots = [v for v in op.operands if self.class_of(v) in self.table.written[s] and v in self.table.handles]
        return [self.keep(s, v, name(v), path) for v in roots]

    def uncrossed(self, s: ast.stmt, op: Operation) -> list[ast.stmt]:
        """A look at what a part of an array is assigned that another part may be: whether they cross."""
        a, value = op.targets[0], op.values.get("value")
        if op.kind != "store" or value is None or not self.same(value, a) or self.is_alongside(s, value):
            return []
        return [at(ast.Expr(self.owner.scribe.call("require_uncrossed", self.place(op, a), value)), s)]

    def is_alongside(self, s: ast.stmt, value: ast.expr) -> bool:
        """Whether an assignment is of parts of one array that are read the same way: `a[0] = a[-2]`."""
        if not isinstance(s, ast.Assign) or not isinstance(value, ast.Name):
            return False
        made = [x.value for x in self.owner.operations if isinstance(x, ast.Assign) and value.id in writes(x)]
        return len(made) == 1 and _way(made[0]) == _way(s.targets[0])

    def kept_after(self, s: ast.stmt) -> list[ast.stmt]:
        """What is kept of a statement that has not failed."""
        return self.late.get(s, [])

    def keep(self, s: ast.stmt, a: str, place: ast.expr, path: tuple[Block, ...]) -> ast.stmt:
        names = self.owner.scribe.names
        value = self.item_kept(place) if self.is_changed_item(s, a) else self.copied(place, a)
        stacked = self.owner.in_loop(path) or self.owner.records.everything
        if stacked and any(isinstance(owner, Attempt) for owner, _ in path):
            held = names.numbered(f"{a}_old")
            kept = Kept(names.numbered(f"{a}_stack"), True)
            new: ast.stmt = assign(held, value, s)
            push = at(ast.Expr(expression("s.append(v)", s=kept.name, v=held)), s)
            self.late.setdefault(s, []).append(push)
            self.saves[push], self.pairs[push] = self.class_of(a), new
            self.stacks[kept.name] = new
        elif stacked:
            kept = Kept(names.numbered(f"{a}_stack"), True)
            new = at(ast.Expr(expression("s.append(v)", s=kept.name, v=value)), s)
            self.stacks[kept.name] = new
        else:
            kept = Kept(names.numbered(f"{a}_old"), False)
            new = assign(kept.name, value, s)
        self.kept[s, a] = kept
        self.sites[s, a] = new
        self.saves[new] = self.class_of(a)
        return new

    def is_changed_item(self, s: ast.stmt, a: str) -> bool:
        """Whether an operator in place changes an item of what may be a list of arrays: it stays the one that it is."""
        op = self.owner.operations.get(s)
        return op is not None and op.kind == "augment" and "index" in op.values and self.is_given_part(a)

    def item_kept(self, place: ast.expr) -> ast.expr:
        assert isinstance(place, ast.Subscript)
        return self.owner.scribe.call("item_content", place.value, self.owner.scribe.as_argument(place.slice))

    def copied(self, place: ast.expr, a: str) -> ast.expr:
        """The content of a place, as it is now."""
        if self.is_dict(a) and isinstance(place, ast.Subscript):
            return self.owner.scribe.call("kept_item", name(a), place.slice)
        if self.is_flat(a) and isinstance(place, ast.Subscript):
            return place
        if isinstance(place, ast.Subscript) and not self.is_array(a) and not self.is_asked(place.slice):
            return self.item_kept(place)
        if isinstance(place, ast.Subscript) and self.is_given_part(a):
            return self.owner.scribe.call("content", place)
        if self.is_array(a) or isinstance(place, ast.Subscript):
            return place if self.place_fact(place).scalar else expression("p.copy()", p=place)
        return self.owner.scribe.call("content", place)

    def restore(self, s: ast.stmt) -> list[ast.stmt]:
        """Put back what a statement has overwritten."""
        done: list[ast.stmt] = []
        op = self.owner.operations.get(s)
        for (where, a), kept in self.kept.items():
            if where is s:
                place = self.place(op, a) if op is not None and op.kind in ("store", "augment") else name(a)
                done.append(self.put_back(place, a, kept, s))
                self.saves[done[-1]] = self.class_of(a)
                self.pairs[done[-1]] = self.sites[s, a]
        return done

    def put_back(self, place: ast.expr, a: str, kept: Kept, s: ast.stmt) -> ast.stmt:
        if self.is_dict(a) and isinstance(place, ast.Subscript):
            return at(ast.Expr(self.owner.scribe.call("restore_item", name(a), place.slice, kept.value())), s)
        if isinstance(place, ast.Subscript):
            if self.is_changed_item(s, a) or (not self.is_array(a) and not self.is_asked(place.slice)):
                key = self.owner.scribe.as_argument(place.slice)
                return at(ast.Expr(self.owner.scribe.call("put_item_back", place.value, key, kept.value())), s)
            return at(ast.Assign([replace(place, ctx=ast.Store())], kept.value()), s)
        index: ast.expr = ast.Slice() if self.is_flat(a) else constant(Ellipsis)
        whole = ast.Subscript(name(a), index, ast.Store())
        if self.is_array(a) and not self.is_dict(a):
            return at(ast.Assign([whole], kept.value()), s)
        held = kept.value()
        test = expression("f(a, t)", f=self.owner.builtin("isinstance"), a=a, t=self.owner.array_type())
        op = self.owner.operations.get(s)
        other = held
        if op is not None and op.why.startswith("into"):  # a shadow, which may be one of a container
            other = self.owner.scribe.call("refilled", name(a), held)
        return at(ast.If(test, [at(ast.Assign([whole], held), s)], [assign(a, other, s)]), s)


def _way(e: ast.expr) -> tuple[str, ...]:
    """The array that a part is read from, and which axes with which steps."""
    if not isinstance(e, ast.Subscript):
        return ()
    parts = e.slice.elts if isinstance(e.slice, ast.Tuple) else [e.slice]
    steps = ["." if not isinstance(p, ast.Slice) else ast.unparse(p.step) if p.step else "1" for p in parts]
    return (ast.unparse(e.value), *steps)
