"""Adjoints of stores and of operators in place.

a[i] = v      bv = bv + ba[i]; ba[i] = 0.0
a[i] += v     bv = bv + ba[i]
"""

from __future__ import annotations

import ast
from typing import TYPE_CHECKING, Any

from tangent.analysis.operation import Operation
from tangent.analysis.shapes.facts import fits
from tangent.syntax.print import comment
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rename, replace
from tangent.transform.rows import Part
from tangent.transform.stores.facts import has_slice
from tangent.transform.stores.keeping import Keeping

if TYPE_CHECKING:
    from tangent.transform.reverse.state import State


class Adjoints(Keeping):
    """Adjoints of stores and of operators in place."""

    def statement(self, s: ast.stmt, op: Operation, state: State) -> list[ast.stmt]:
        """The adjoint of a store or of an operation in place."""
        a = op.targets[0]
        restored = self.restore(s)
        if a not in self.shadowed:
            return restored
        mark = comment(f"Grad of: {self.owner.primal(s)}", s)
        if "index" in op.values and not self.is_array(a) and not self.is_asked(op.values["index"]):
            for x in restored:
                self.saves.pop(x)
                self.pairs.pop(x)
            return [mark, *self.item(s, op, state)]
        if op.kind == "store" and self.is_dict(a):
            return [mark, *self.key(s, op, state), *restored]
        if op.kind == "store":
            return [mark, *self.store(s, op, state), *restored]
        return [mark, *self.augment(s, op, state, restored)]

    def taken(self, op: Operation, b: ast.expr) -> ast.expr:
        """What the stored value receives; of an element that is stored twice, only the last store counts."""
        if isinstance(b, ast.Subscript) and not self.is_flat(op.targets[0]) and not self.never_repeats(b.slice):
            return self.owner.scribe.call("overwritten", b.value, self.owner.scribe.as_argument(b.slice))
        return b

    def store(self, s: ast.stmt, op: Operation, state: State) -> list[ast.stmt]:
        a, value = op.targets[0], op.values["value"]
        place = self.place(op, a)
        b = rename(place, {a: self.adjoint(a)})
        clear = at(ast.Assign([replace(b, ctx=ast.Store())], constant(0.0)), s)
        if not (isinstance(value, ast.Name) and value.id in self.owner.active):
            return [clear]
        given = self.taken(op, b)
        shared = self.same(value, a)
        if given is b and (shared or self.keeps_alias(value.id, state)) and not self.is_flat(a):
            given = self.fresh(given, place)
        whole = self.fitted(given, place, value)
        if shared:
            held = self.owner.scribe.names.numbered("b" + value.id if value.id in self.shadowed else "bt")
            add = self.owner.accumulate(value.id, self.part(name(held)), state, s)
            return [assign(held, whole, s), clear, add]
        return [self.owner.accumulate(value.id, self.part(whole, True), state, s), clear]

    def key(self, s: ast.stmt, op: Operation, state: State) -> list[ast.stmt]:
        """`bv = bv + bd.pop(k, 0.0)`, for a store into a dict."""
        b, key, value = self.adjoint(op.targets[0]), op.values["index"], op.values["value"]
        if op.why == "del":
            return []
        if not (isinstance(value, ast.Name) and value.id in self.owner.active):
            return [at(ast.Expr(expression("b.pop(k, None)", b=b, k=key)), s)]
        part: ast.expr = expression("b.pop(k, 0.0)", b=b, k=key)
        if not self.owner.shapes.of(value).scalar:
            part = self.owner.scribe.call("item_grad", expression("b.pop(k, None)", b=b, k=key), value)
        return [self.owner.accumulate(value.id, Part(part), state, s)]

    def keeps_alias(self, v: str, state: State) -> bool:
        """Whether an adjoint would be a part of a shadow itself: the first, added to nothing or to a lazy zero."""
        return v not in self.shadowed and (v not in state.held or v not in state.owned or v in state.lazy)

    def fresh(self, e: ast.expr, place: ast.expr) -> ast.expr:
        """A copy; of the shadow of a number, which is an array without axes, the number, and of an element itself."""
        if self.place_fact(place).scalar:
            return expression("p[()]", p=e) if isinstance(place, ast.Name) else e
        owner = place.value if isinstance(place, ast.Subscript) else None
        if isinstance(owner, ast.Name) and self.is_given_part(owner.id):
            return self.owner.scribe.call("copy", e)
        return expression("p.copy()", p=e)

    def fitted(self, e: ast.expr, place: ast.expr, value: ast.Name) -> ast.expr:
        """The adjoint of a place in the shape and dtype of what was stored there."""
        if fits(self.owner.shapes.of(value), self.place_fact(place)):
            return e
        return self.owner.scribe.call("unbroadcast", e, value)

    def augment(self, s: ast.stmt, op: Operation, state: State, restored: list[ast.stmt]) -> list[ast.stmt]:
        a, value = op.targets[0], op.values["value"]
        place = self.place(op, a)
        b = rename(place, {a: self.adjoint(a)})
        kind = op.why.removeprefix("at ").removeprefix("into ")
        active = isinstance(value, ast.Name) and value.id in self.owner.active
        shared = self.same(value, a)
        scaled = kind in ("Mult", "Div")
        scale: list[ast.stmt] = []
        if scaled:
            operator = ast.Mult() if kind == "Mult" else ast.Div()
            target: Any = replace(b, ctx=ast.Store())
            scale = [at(ast.AugAssign(target, operator, value), s)]
        if not active:
            return [*scale, *restored]
        assert isinstance(value, ast.Name)
        given = b if op.why.startswith("at ") else self.taken(op, b)
        match kind:
            case "Add":
                part = given
            case "Sub":
                part = ast.UnaryOp(ast.USub(), given)
            case "Mult":
                part = expression("g * p", g=given, p=place)
            case _ if shared:
                part = expression("-g * p / (v * v)", g=given, p=place, v=value)
            case _:
                part = expression("-g * p / v", g=given, p=place, v=value)
        if part is b and self.keeps_alias(value.id, state):
            inside = op.why.startswith("into") and not self.is_array(a)
            part = self.owner.scribe.call("content", part) if inside else self.fresh(part, place)
        part = self.fitted(part, place, value)
        held: list[ast.stmt] = []
        if shared and (scaled or kind == "Sub"):
            kept = self.owner.scribe.names.numbered("bt")
            held, part = [assign(kept, part, s)], name(kept)
        add = self.owner.accumulate(value.id, self.part(part, True), state, s)
        if kind == "Div" and not shared:
            return [add, *scale, *restored]
        return [*restored, *held, *([*scale, add] if held else [add, *scale])]

    def item(self, s: ast.stmt, op: Operation, state: State) -> list[ast.stmt]:
        """Stores into lists and dicts: their shadows hold the shadows of their items."""
        a, value = op.targets[0], op.values["value"]
        kept = self.kept[s, a]
        self.forced.add(self.sites[s, a])
        scribe = self.owner.scribe
        key = scribe.as_argument(op.values["index"])
        b = name(self.adjoint(a))
        old = scribe.names.numbered(f"{a}_item")
        undo = at(ast.Expr(scribe.call("put_item_back", name(a), key, name(old))), s)
        active = isinstance(value, ast.Name) and value.id in self.owner.active
        if op.kind == "augment":
            return self.augmented_item(s, op, state, assign(old, kept.value(), s), undo)
        taken: ast.expr = scribe.call("take_item", b, key, name(a), name(old))
        first = assign(old, kept.value(), s)
        if not active:
            return [first, at(ast.Expr(taken), s), undo]
        assert isinstance(value, ast.Name)
        held = scribe.names.numbered("b" + value.id)
        whole = has_slice(op.values["index"])  # of an array: what was stored may have been stretched
        part = scribe.call("unbroadcast", name(held), value) if whole else name(held)
        return [first, assign(held, taken, s), undo, self.owner.accumulate(value.id, Part(part), state, s)]

    def augmented_item(
        self, s: ast.stmt, op: Operation, state: State, first: ast.stmt, undo: ast.stmt
    ) -> list[ast.stmt]:
        a, value = op.targets[0], op.values["value"]
        place = self.place(op, a)
        b: Any = rename(place, {a: self.adjoint(a)})
        done: list[ast.stmt] = [first, undo]
        kind = op.why.removeprefix("at ").removeprefix("into ")
        if isinstance(value, ast.Name) and value.id in self.owner.active:
            part: ast.expr = {
                "Add": b, "Sub": ast.UnaryOp(ast.USub(), b), "Mult": expression("g * p", g=b, p=place),
                "Div": expression("-g * p / (v * v)", g=b, p=place, v=value),
            }[kind]  # fmt: skip
            if kind == "Add":
                part = self.owner.scribe.call("content", part)
            part = self.owner.scribe.call("unbroadcast", part, value)
            done.append(self.owner.accumulate(value.id, self.part(part, kind != "Add"), state, s))
        if kind in ("Mult", "Div"):
            operator = ast.Mult() if kind == "Mult" else ast.Div()
            scaled = ast.BinOp(b, operator, value)
            done.append(at(ast.Assign([replace(b, ctx=ast.Store())], scaled), s))
        return done
