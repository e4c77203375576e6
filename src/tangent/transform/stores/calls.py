"""Calls of functions that write into their arguments: their backward passes work in the caller's shadows."""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tangent.analysis.operation import Operation
from tangent.analysis.storage import merged
from tangent.syntax.print import comment
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import writes
from tangent.transform.calls import Groups
from tangent.transform.content import content_read
from tangent.transform.stores.adjoints import Adjoints

if TYPE_CHECKING:
    from tangent.transform.reverse.state import State


class Calls(Adjoints):
    """Adjoints of calls that write."""

    def written_by(self, s: ast.stmt) -> bool:
        """Whether a call writes into storage that has a shadow."""
        classes = self.table.written.get(s, frozenset())
        return any(self.class_of(v) in classes for v in self.shadowed)

    def groups(self, s: ast.stmt, values: dict[str, Any]) -> Groups:
        """The parameters that get storage which the call writes into, by what they share."""
        found: dict[str, list[str]] = {}
        for p, value in values.items():
            if isinstance(value, ast.Name) and self.class_of(value.id) in self.table.written.get(s, frozenset()):
                if value.id not in self.shadowed:
                    raise self.owner.unit.refuse(
                        s, f"the argument '{value.id}' of a call that writes into it",
                        "it may be a copy or a view", "Pass the array itself.",
                    )  # fmt: skip
                found.setdefault(self.class_of(value.id), []).append(p)
        members = frozenset(self.table.members(self.class_names(found)))
        members |= {v for v in self.holding if self.with_held({v}) & members}
        callers = self.restored and any(self.class_of(p) in found for p in self.given)
        restored = self.owner.records_everything or callers or content_read(
            self.settled.unit, self.owner.active, members, self.settled.summary, s
        )  # fmt: skip
        arrays = {p for group in found.values() for p in group if self.is_array(values[p].id)}
        return Groups(tuple(tuple(group) for group in found.values()), frozenset(arrays), restored, known=True)

    def lowered(self, s: ast.stmt, new: ast.stmt, stored: list[str], nothing: bool) -> None:
        """A call got its forward pass: what is known of it holds for the new statement."""
        if s in self.table.bases:
            self.table.bases[new] = self.table.bases[s]
        if stored:
            self.table.written[new] = self.table.written[s]
            self.calls[new] = stored, nothing

    def call(self, s: ast.stmt, op: Operation, state: State) -> list[ast.stmt]:
        """The adjoint of a call that writes: its backward pass works in the shadows."""
        stored, nothing = self.calls[s]
        backward, saved, wanted = self.owner.pairs_of[s]
        target = op.targets[0]
        args: list[ast.expr] = [name(saved)]
        if not nothing:
            args.append(self.seed(s, target, state))
        handles = [op.values[p].id for p in stored if isinstance(op.values[p], ast.Name)]  # type: ignore[attr-defined]
        lent, back = self.lent(handles, s)
        args += [name(v) for v in handles] + [name(lent.get(v, self.adjoint(v))) for v in handles]
        value = ast.Call(name(backward), args, [])
        first: list[ast.stmt] = [comment(f"Grad of: {self.owner.primal(s)}", s)]
        first += [assign(b, self.mirrored(v, [v]), s) for v, b in lent.items()]
        for kept in (state.held, state.owned, state.lazy):
            kept.discard(target)
        if not wanted:
            return [*first, at(ast.Expr(value), s), *back]
        before, parts = self.owner.hand_back([(p, op.values[p]) for p in wanted], value, s, state, op.targets)
        adds = [self.owner.accumulate(v, part, state, s) for v, found in parts.items() for part in found]
        return [*first, *before, *adds, *back]

    def lent(self, handles: list[str], s: ast.stmt) -> tuple[dict[str, str], list[ast.stmt]]:
        """Shadows of arguments that may be numbers, which a callee does not change for its caller; and their return."""
        may = [v for v in dict.fromkeys(handles) if not self.is_array(v) and not self.is_container(v)]
        lent = {v: self.owner.scribe.names.numbered(self.adjoint(v)) for v in may}
        back: list[ast.stmt] = []
        for v, b in lent.items():
            own = self.owner.scribe.call("is_part", name(b), name(self.adjoint(v)))
            add = at(ast.Expr(self.owner.scribe.call("add_into", name(self.adjoint(v)), name(b))), s)
            back.append(at(ast.If(ast.UnaryOp(ast.Not(), own), [add], []), s))
        return lent, back

    def seed(self, s: ast.stmt, target: str, state: State) -> ast.expr:
        """The adjoint of a call's result; nothing where its shadow is part of an argument's."""
        if self.is_dict(target):
            return self.owner.whole(target)
        if target in self.shadowed:
            bases = [a for a in self.table.bases.get(s, ()) if a in self.shadowed]
            shades = [name(self.adjoint(a)) for a in bases]
            if not shades and not self.is_taken_apart(target):
                return name(self.adjoint(target))
            shade = shades[0] if len(shades) == 1 else ast.Tuple(list(shades), ast.Load())
            return self.owner.scribe.call("rest", name(self.adjoint(target)), shade)
        if target in state.held:
            return name(self.adjoint(target))
        return self.owner.scribe.call("init_grad", name(target))

    def is_taken_apart(self, v: str) -> bool:
        """Whether several handles come out of a variable, which may overlap: what they share goes back once."""
        taken = [
            t
            for op in self.settled.unit.operations.values()
            if v in op.operands and (op.kind == "unpack" or (op.kind == "rule" and op.rule.name == "getitem"))
            for t in op.targets
        ]
        return not self.is_array(v) and len(taken) > 1 and any(t in self.table.handles for t in taken)

    def with_given(self, backward: list[ast.stmt]) -> list[ast.stmt]:
        """In a callee with shadows of its own: what the caller's hold comes in, and goes back at the end."""
        if not self.carried:
            return backward
        first = self.owner.unit.core.body[0]
        into: list[ast.stmt] = []
        back: list[ast.stmt] = []
        for p in self.owner.unit.parameters:
            if p in self.given and p in self.shadowed:
                own, callers = name(self.first(p)), name(self.callers(p))
                into.append(self.refill(p, own, callers, first))
                back.append(self.refill(p, callers, own, first))
        return [*into, *backward, *back]

    def refill(self, p: str, own: ast.Name, other: ast.Name, like: ast.stmt) -> ast.stmt:
        """Give a shadow the content of another."""
        if self.is_array(p):
            return at(ast.Assign([expression_store(own)], other), like)
        return at(ast.Expr(self.owner.scribe.call("refill", own, other)), like)

    def stays(self, p: str, forward: list[ast.stmt]) -> bool:
        """Whether a parameter refers to what its caller passed when the backward pass begins."""
        own = [s for s in statements(forward) if not (isinstance(s, ast.AugAssign) and self.is_array(p))]
        return not self.carried and not any(p in writes(s) for s in own)

    def apart(self, saved: list[str]) -> bool:
        """Whether nothing of what is kept for the backward pass is storage that the caller has."""
        callers = {self.class_of(p) for p in self.given} - {""}
        return not self.carried and not self.tangled and not any(self.class_kept(v) in callers for v in saved)

    def scales_shared(self, groups: Groups) -> bool:
        """Whether an argument that is given twice is multiplied or divided in place."""
        twice = {self.class_of(p) for group in groups for p in group if len(group) > 1}
        return any(
            op.kind == "augment" and op.why.endswith(("Mult", "Div")) and self.class_of(op.targets[0]) in twice
            for op in self.settled.unit.operations.values()
        )

    def sharing(self, saved: list[str], backward: list[ast.stmt]) -> tuple[tuple[str, ...], ...]:
        """What is kept for the backward pass of one storage, under several names, and put back there."""
        return self._of_one_storage({v: v for v in saved}, backward)

    def shares_lists(self, saved: list[str], backward: list[ast.stmt]) -> bool:
        """Whether a list of views is kept, and what they show as well, and put back there."""
        lists = {stack: item for (_, item), stack in self.owner.stacks.items() if item not in self.forms}
        return bool(self._of_one_storage({v: lists.get(v, v) for v in saved}, backward))

    def _of_one_storage(self, saved: dict[str, str], backward: list[ast.stmt]) -> tuple[tuple[str, ...], ...]:
        """Groups of names, by what they stand for."""
        targets = [t for s in statements(backward) if isinstance(s, (ast.Assign, ast.AugAssign)) for t in targets_of(s)]
        written = {t.value.id for t in targets if isinstance(t, ast.Subscript) and isinstance(t.value, ast.Name)}
        put_back = {self.class_of(w) for w in written} - {""}
        links = [
            frozenset({*bases, *op.targets})
            for s, op in self.settled.unit.operations.items()
            if op.kind in ("copy", "rule") and (bases := self.table.bases.get(s))
        ]
        same = merged(links)
        groups: dict[str, list[str]] = {}
        for v, item in saved.items():
            if item in same and self.class_of(item) in put_back:
                groups.setdefault(same[item], []).append(v)
        return tuple(tuple(group) for group in groups.values() if len(group) > 1)

    def entangled(self, saved: list[str]) -> bool:
        """Whether what is kept is storage that the caller has, and may be numbers, or is bound anew."""
        callers = {self.class_of(p) for p in self.given} - {""}
        return self.carried or any(self.class_kept(v) in callers and not self.is_array(v) for v in saved)

    def class_kept(self, v: str) -> str:
        """The class of what is kept under a name, or on a list, unless the backward pass reads its shape alone."""
        stacks = self.owner.stacks.items()
        kept = {stack: self.class_of(item) for (_, item), stack in stacks if item not in self.forms}
        return kept.get(v) or self.class_of(v)


def targets_of(s: ast.Assign | ast.AugAssign) -> list[ast.expr]:
    return s.targets if isinstance(s, ast.Assign) else [s.target]


def expression_store(e: ast.expr) -> ast.expr:
    """`e[...]`, to be assigned."""
    return ast.Subscript(e, constant(Ellipsis), ast.Store())
