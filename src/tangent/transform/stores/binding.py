"""Shadows are bound beside handles, or at the start of a block's backward pass.

    row = a[i]    brow = ba[i]

Where a handle is bound anew (buffers that are swapped in a loop), its shadow is bound beside it in the forward pass.
"""

from __future__ import annotations

import ast
from collections.abc import Sequence
from typing import TYPE_CHECKING

from tangent.analysis.operation import Operation
from tangent.analysis.recorded import Block
from tangent.syntax.cells import Cell, place_in
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rename, replace, statements
from tangent.syntax.uses import writes
from tangent.transform.rows import Part
from tangent.transform.storage.refusals import holding, sharing_items
from tangent.transform.stores.facts import Facts

if TYPE_CHECKING:
    from tangent.transform.reverse.state import State

COPIES = frozenset("builtin_list builtin_tuple builtin_dict".split())


class Binding(Facts):
    """Statements that bind shadows."""

    def carry(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """The forward pass with shadows bound beside the handles."""
        if not self.carried:
            return body
        return [*self.for_parameters(), *self._carry(body)]

    def _carry(self, body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        operations = self.owner.operations
        for s in body:
            op = operations.get(s)
            match s:
                case ast.If(body=[ast.Break()]):
                    done.append(s)
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=self._carry(then), orelse=self._carry(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    if isinstance(s, ast.For) and any(v in self.shadowed for v in writes(s)):
                        raise self.owner.unit.refuse(
                            s, "a loop over something that it writes into", "its items are not read by an index",
                            "Loop over an index.",
                        )  # fmt: skip
                    new = replace(s, body=self._carry(inner))
                    self.owner.prepared.moved(s, new)
                    done.append(new)
                case ast.Expr() if op is not None and op.kind == "push" and op.targets[0] in self.shadowed:
                    stack, item = self.adjoint(op.targets[0]), self.adjoint(op.operands[0])
                    done += [s, at(ast.Expr(expression("s.append(v)", s=stack, v=item)), s)]
                case _:
                    done += [s, *self.emptied(s, op)]
                    for v in self.bound(s, op):
                        beside = self.binding(s, op, v)
                        operations[beside] = Operation("shadow", (self.adjoint(v),))
                        done.append(beside)
        return done

    def emptied(self, s: ast.stmt, op: Operation | None) -> list[ast.stmt]:
        """`bxs[i] = 0.0` beside `xs[i] = v`, in a list of values: the new item may have another shape than the old."""
        if op is None or op.kind != "store" or not self.is_flat(a := op.targets[0]) or self.is_dict(a):
            return []
        if a not in self.shadowed or self.owner.shapes.of(op.values["value"]).scalar:
            return []
        place = rename(self.place(op, a), {a: self.adjoint(a)})
        new = at(ast.Assign([replace(place, ctx=ast.Store())], constant(0.0)), s)
        self.owner.operations[new] = Operation("shadow", (self.adjoint(a),))
        return [new]

    def bound(self, s: ast.stmt, op: Operation | None) -> list[str]:
        """The handles with shadows that a statement binds."""
        if op is None or op.kind in ("store", "augment", "shadow"):
            return []
        return [v for v in op.targets if v in self.shadowed and v in writes(s)]

    def for_parameters(self) -> list[ast.stmt]:
        first = self.owner.unit.core.body[0]
        done: list[ast.stmt] = []
        seen: dict[str, list[str]] = {}
        own = [p for p in self.owner.unit.parameters if p in self.shadowed and (p not in self.given or self.carried)]
        for i, p in enumerate(own):
            before = seen.setdefault(self.class_of(p), [])
            after = [q for q in own[i + 1 :] if self.class_of(q) == self.class_of(p)]
            value = self.mirrored(p, before, after) if before else self.zeros(p)
            if not before and after:
                value = self.owner.scribe.call("shadow_among", name(p), *map(name, after))
            before.append(p)
            new = assign(self.adjoint(p), value, first)
            self.owner.operations[new] = Operation("shadow", (self.adjoint(p),))
            done.append(new)
        for p in own:
            if self.is_bound_anew(p):
                done.append(assign(self.first(p), name(self.adjoint(p)), first))
                self.owner.operations[done[-1]] = Operation("shadow", (self.first(p),))
        return done

    def binding(self, s: ast.stmt, op: Operation | None, v: str) -> ast.stmt:
        """The statement that binds the shadow of a handle as another binds the handle."""
        bases = [a for a in self.table.bases.get(s, ()) if a in self.shadowed]
        if not bases or (self.is_flat(v) and not (op is not None and op.kind == "copy")):
            return assign(self.adjoint(v), self.zeros(v, op), s)
        if op is not None and op.kind == "pop":
            return assign(self.adjoint(v), expression("s.pop()", s=self.adjoint(op.operands[0])), s)
        if op is not None and (packed := self.packed(op)) is not None:
            return assign(self.adjoint(v), packed, s)
        if op is not None and op.value is not None and self.is_view(op, v, bases):
            return assign(self.adjoint(v), rename(op.value, {bases[0]: self.adjoint(bases[0])}), s)
        return assign(self.adjoint(v), self.mirrored(v, bases), s)

    def zeros(self, v: str, op: Operation | None = None) -> ast.expr:
        """A new shadow, with what it starts from; that of a new list is one, which receives the shadows of items."""
        more = [self.starts[v]] if v in self.starts else []
        if self.is_dict(v):
            return self.owner.scribe.call("copy", *more) if more else ast.Dict([], [])
        if self.is_flat(v) and not more:
            return self.owner.scribe.call("init_grad", name(v))
        match op:
            case Operation(value=ast.List(elts=[])) if not more:
                return ast.List([], ast.Load())
            case Operation(kind="pack" | "rule") if self.is_container(v) and not more:  # of values, one by one
                return self.owner.scribe.call("item_shadow", name(v))
        return self.owner.scribe.call("shadow", name(v), *more)

    def mirrored(self, v: str, bases: list[str], later: Sequence[str] = ()) -> ast.expr:
        """What a handle is of others, of their shadows; those of some are bound later, and may need its memory."""
        both: list[ast.expr] = [name(a) for a in (*bases, *later)]
        shades: list[ast.expr] = [*(name(self.adjoint(a)) for a in bases), *(constant(None) for _ in later)]
        parts = [x[0] if len(both) == 1 else ast.Tuple(x, ast.Load()) for x in (both, shades)]
        return self.owner.scribe.call("mirror", name(v), *parts)

    def packed(self, op: Operation) -> ast.expr | None:
        """What is made of shadows as a container is made of what they shadow; None where that is open."""

        def part(e: ast.expr) -> ast.expr:
            if isinstance(e, ast.Starred):
                return replace(e, value=shade(e.value))
            if isinstance(e, ast.Name) and e.id in self.shadowed:
                own = name(self.adjoint(e.id))
                return own if self.is_array(e.id) else self.owner.scribe.call("item_shadow", e, own)
            return self.owner.scribe.call("item_shadow", e)

        def shade(e: ast.expr) -> ast.expr:
            return rename(e, {v: self.adjoint(v) for v in self.shadowed})

        def is_known(e: ast.expr) -> bool:
            return isinstance(e, ast.Name) and self.is_container(e.id) and e.id in self.shadowed

        match op.value:
            case ast.Tuple(elts=elts) | ast.List(elts=elts) if sum(
                isinstance(e, ast.Starred) for e in elts
            ) < 2 and all(is_known(e.value) for e in elts if isinstance(e, ast.Starred)):
                return replace(op.value, elts=[part(e) for e in elts])
            case ast.Dict(keys=keys, values=values) if all(k or is_known(e) for k, e in zip(keys, values)):
                return ast.Dict(keys, [part(e) if k else shade(e) for k, e in zip(keys, values)])
            case ast.BinOp(op=ast.Add(), left=left, right=right) if is_known(left) and is_known(right):
                return shade(op.value)
            case ast.Call(args=[e], keywords=[]) if op.kind == "rule" and op.rule.name in COPIES and is_known(e):
                return shade(op.value)
            case ast.Call() if op.kind == "rule" and op.rule.name == "mutated" and is_known(op.values["x"]):
                value = op.values["value"]
                new = value if isinstance(value, ast.Constant) and value.value is None else part(value)
                return self.owner.scribe.call(
                    "mutated", shade(op.values["x"]), op.values["method"], op.values["key"], new
                )
            case _:
                return None

    def unpacked(self, s: ast.stmt, op: Operation, v: str, state: State) -> list[ast.stmt] | None:
        """The adjoint of making a container that is a handle: its own parts go back, not those it shares."""
        if self.packed(op) is None:
            return None
        done: list[ast.stmt] = []
        for part, e in self.new_parts(op, self.adjoint(v)):
            if (
                not isinstance(e, ast.Name)
                or e.id not in self.owner.active
                or (e.id in self.shadowed and self.is_array(e.id))
            ):
                continue
            if self.is_dict(v):
                done.append(self.owner.accumulate(e.id, self.received(part, e), state, s))
                continue
            if e.id in self.shadowed:
                part = self.owner.scribe.call("rest", part, name(self.adjoint(e.id)))
            done.append(self.owner.accumulate(e.id, Part(self.owner.scribe.call("unboxed", part, e)), state, s))
        return done

    def received(self, part: ast.expr, e: ast.expr) -> Part:
        """What an item of a dict has received, given `b[k]`."""
        assert isinstance(part, ast.Subscript)
        return Part(self.owner.scribe.call("item_grad", expression("b.get(k)", b=part.value, k=part.slice), e))

    def new_parts(self, op: Operation, b: str) -> list[tuple[ast.expr, ast.expr]]:
        """The shadows of what is put into a container one by one, and what that is."""
        match op.value:
            case ast.Dict(keys=keys, values=values):
                return [(expression("b[k]", b=b, k=k), e) for k, e in zip(keys, values) if k is not None]
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                star = next((i for i, e in enumerate(elts) if isinstance(e, ast.Starred)), len(elts))
                places = [i if i < star else i - len(elts) for i in range(len(elts)) if i != star]
                return [(expression("b[k]", b=b, k=constant(i)), elts[i]) for i in places]
            case ast.Call() if op.rule.name == "mutated":
                x, method, key, value = (op.values[k] for k in ("x", "method", "key", "value"))
                return [(self.owner.scribe.call("mutated_part", name(b), x, method, key, value), value)]
            case _:
                return []

    def slots(self, s: ast.stmt, op: Operation, state: State) -> list[ast.stmt] | None:
        """The adjoint of unpacking storage: part by part, but for the parts that are views of it."""
        if op.kind != "unpack" or op.operands[0] not in self.shadowed:
            return None
        assert isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Tuple)
        source = op.operands[0]
        done: list[ast.stmt] = []
        for i, slot in enumerate(s.targets[0].elts):
            if not isinstance(slot, ast.Name):
                raise sharing_items(
                    self.owner.unit, s, "starred unpacking of something written in place", "it makes a list",
                    "Take the items by their indices.",
                )  # fmt: skip
            b = self.adjoint(slot.id)
            add = self.add_item(source, constant(i), name(b), s)
            if slot.id in self.shadowed:
                test = self.owner.scribe.call("is_part", name(b), name(self.adjoint(source)))
                done.append(at(ast.If(ast.UnaryOp(ast.Not(), test), [add], []), s))
            elif slot.id in state.held:
                done.append(add)
        for t in op.targets:
            for kept in (state.held, state.owned, state.lazy):
                kept.discard(t)
        return done

    def check(self) -> None:
        """Refuse handles whose shadows would not follow them."""
        for s, op in self.owner.operations.items():
            for v in op.targets if op.kind not in ("store", "augment", "shadow") else ():
                listed = op.kind == "push" and not (op.operands and op.operands[0] in self.shadowed and not op.why)
                if v in self.shadowed and (op.kind in ("closure", "opaque") or listed):
                    error = holding(self.owner.unit, s, v)
                    error.needs_memory |= op.kind == "push" or self.makes_set(op)
                    raise error

    def makes_set(self, op: Operation) -> bool:
        match op.value:
            case ast.Call(func=func):
                return self.owner.unit.context.scope.resolve(func) is set
            case e:
                return isinstance(e, (ast.Set, ast.SetComp))

    def rebuild(self, body: list[ast.stmt], path: tuple[Block, ...]) -> list[ast.stmt]:
        """At the start of a block's backward pass: the shadows of the handles that are bound in it."""
        if self.carried or not self.shadowed:
            return [] if path else self.seeding
        done = [] if path else self.for_parameters()
        for s in body:
            op = self.owner.operations.get(s)
            for v in self.bound(s, op):
                bases = [a for a in self.table.bases.get(s, ()) if a in self.shadowed]
                if op is not None and bases and self.is_view(op, v, bases):
                    again = at(ast.Assign([ast.Name(v, ast.Store())], op.value or name(v)), s)
                    self.rebuilt.add(again)
                    done.append(again)
                done.append(self.binding(s, op, v))
        return done if path else [*done, *self.seeding]

    def handed_back(
        self, s: ast.stmt, op: Operation, adds: list[ast.stmt], v: str, zeros: list[ast.stmt]
    ) -> list[ast.stmt]:
        """The adjoint of binding a handle: of a view nothing, of a copy that of any value."""
        bases = [a for a in self.table.bases.get(s, ()) if a in self.shadowed]
        if not bases or op.kind in ("call", "dynamic") or (self.is_flat(v) and op.kind != "copy"):
            return adds
        if not adds or self.is_view(op, v, bases):
            return []
        shades: ast.expr = name(self.adjoint(bases[0]))
        if len(bases) > 1:
            shades = ast.Tuple([name(self.adjoint(a)) for a in bases], ast.Load())
        b = self.adjoint(v)
        test = ast.UnaryOp(ast.Not(), self.owner.scribe.call("is_part", name(b), shades))
        if self.makes_container(op, v):
            adds = [assign(b, self.owner.scribe.call("rest", name(b), shades), s), *adds]
        return [at(ast.If(test, adds, zeros), s)]

    def holds_handles(self, op: Operation) -> bool:
        """Whether a list that grows or shrinks has a list of shadows; one of values has one of adjoints."""
        if op.kind == "push":
            return any(v in self.shadowed for v in (*op.targets, *op.operands))
        return op.kind == "pop" and op.operands[0] in self.shadowed

    def given_back(self, s: ast.stmt, op: Operation) -> list[ast.stmt]:
        """Handles on lists: what they refer to is kept in names; of a list that others made, shadows go back there."""
        if op.kind != "pop" or op.operands[0] not in self.taken_from:
            return []
        return [
            at(ast.Expr(expression("s.append(v)", s=self.adjoint(op.operands[0]), v=self.adjoint(op.targets[0]))), s)
        ]

    def name_shadow_of_result(self, result: str, seed: str) -> None:
        """The shadow of the result starts with the seed, or has it added."""
        self.owner.scribe.derivatives["b", result] = seed
        if result not in self.shadowed:
            return
        operations = self.settled.unit.operations
        bound = [s for s, op in operations.items() if result in self.bound(s, op)]
        made = not any(self.table.bases.get(s) for s in bound) and not self.is_beside_others(result)
        if not self.carried and result not in self.given and made:
            self.starts[result] = name(seed)
            return
        self.owner.scribe.derivatives["b", result] = self.owner.scribe.names.fresh("b" + result)
        self.seeding = [self.add(result, name(seed), self.settled.unit.core.body[-1])]

    def is_beside_others(self, p: str) -> bool:
        """Whether a parameter may share what it refers to with another: their shadows are made together."""
        own = [q for q in self.owner.unit.parameters if q in self.shadowed]
        return p in own and any(q != p and self.class_of(q) == self.class_of(p) for q in own)

    def add(self, v: str, value: ast.expr, like: ast.stmt) -> ast.stmt:
        """`bv += value`."""
        if self.is_dict(v):
            return at(ast.Expr(self.owner.scribe.call("add_items", name(self.adjoint(v)), value)), like)
        kept = isinstance(value, ast.Subscript) and self.is_none_at_first(v)
        if self.is_flat(v) or not self.is_array(v) or kept or v in self.pushed:
            return at(ast.Expr(self.owner.scribe.call("add_into", name(self.adjoint(v)), value)), like)
        return at(ast.AugAssign(ast.Name(self.adjoint(v), ast.Store()), ast.Add(), value), like)

    def is_none_at_first(self, v: str) -> bool:
        """Whether a variable may be None where it is kept, or returned in a tuple."""
        binds = [s.value for s in statements(self.owner.unit.core.body) if isinstance(s, ast.Assign) and v in writes(s)]
        return any(isinstance(e, ast.Constant) and e.value is None for e in binds)

    def add_key(self, v: str, part: Part, like: ast.stmt) -> ast.stmt:
        """`bv[key] = bv.get(key, 0.0) + value`, for a dict; of what may not be there, only where it is."""
        b, key = self.adjoint(v), part.index
        assert key is not None
        value: ast.expr = expression("b.get(k, 0.0) + v", b=b, k=key, v=part.value)
        if not part.number:
            value = self.owner.scribe.call("add_grad", expression("b.get(k)", b=b, k=key), part.value)
        add = at(ast.Assign([ast.Subscript(name(b), key, ast.Store())], value), like)
        return at(ast.If(expression("k in d", k=key, d=v), [add], []), like) if part.unsure else add

    def add_item(self, v: str, index: ast.expr, value: ast.expr, like: ast.stmt) -> ast.stmt:
        """`bv[index] += value`."""
        b = self.adjoint(v)
        flat = self.is_flat(v)
        if isinstance(index, Cell) and isinstance(index.elts[-1], ast.Slice):
            row, part = place_in(name(b), index.elts[0]), index.elts[-1]
            if ast.unparse(part) == ":":
                return at(ast.Expr(self.owner.scribe.call("add_into", row, value)), like)
            return at(ast.Expr(self.owner.scribe.call("add_at", row, self.owner.scribe.as_argument(part), value)), like)
        if (flat and not isinstance(index, ast.Slice)) or (not flat and self.is_array(v) and self.never_repeats(index)):
            return at(ast.AugAssign(place_in(name(b), index, ast.Store()), ast.Add(), value), like)
        if self.is_container(v) and not isinstance(index, ast.Slice):
            return at(ast.Expr(self.owner.scribe.call("add_into", place_in(name(b), index), value)), like)
        call = self.owner.scribe.call("add_at", name(b), self.owner.scribe.as_argument(index), value)
        return at(ast.Expr(call), like)
