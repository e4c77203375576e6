"""Storage in reverse mode: shadows beside handles, adjoints of stores, and what is put back before they are read.

    a[i] = v      bv = bv + ba[i]; ba[i] = 0.0
    a[i] += v     bv = bv + ba[i]
    row = a[i]    brow = ba[i], at the start of the block's backward pass

Where a handle is bound anew (buffers that are swapped in a loop), shadows are bound beside it in the forward pass.
"""

from __future__ import annotations

import ast
import copy
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tangent import runtime
from tangent.analysis.aliases import CONTAINER_COPIES
from tangent.analysis.operation import Operation
from tangent.analysis.recorded import Block
from tangent.analysis.shapes.facts import Fact
from tangent.analysis.shapes.table import Shapes
from tangent.analysis.storage import Storage
from tangent.errors import InPlaceError
from tangent.syntax.blocks import Attempt
from tangent.syntax.inserted import InsertedCode
from tangent.syntax.print import Comment, comment
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rename, replace, statements
from tangent.syntax.uses import assigned_inside, expression_reads, header_reads, writes
from tangent.transform.calls import Groups
from tangent.transform.content import content_read
from tangent.transform.storage import Settled
from tangent.transform.unit import Unit

if TYPE_CHECKING:
    from tangent.transform.reverse.passes import Reverse
    from tangent.transform.reverse.state import State
    from tangent.transform.rows import Part

COPIES = frozenset("builtin_list builtin_tuple builtin_dict".split())
MAKERS = frozenset({"add", "multiply", "mutated", "with_attribute"}) | CONTAINER_COPIES
ALWAYS_VIEWS = frozenset("T transpose swapaxes moveaxis rollaxis".split())
SHAPE_ONLY: dict[Any, tuple[int, ...]] = {
    runtime.unbroadcast: (1,), runtime.init_grad: (0,), runtime.lazy_zero: (0,), runtime.shadow: (0,),
    runtime.refit: (1,), runtime.settled: (1,), runtime.scatter: (1,), runtime.add_item: (1,),
    runtime.mirror: (0, 1), runtime.broadcast_like: (1,), runtime.spread: (1,), runtime.rest: (),
}  # fmt: skip


@dataclass(frozen=True)
class Kept:
    """What a store overwrites, kept for the backward pass: on a list in loops, under a name outside."""

    name: str
    stack: bool

    def value(self) -> ast.expr:
        return expression("s.pop()", s=self.name) if self.stack else name(self.name)


class Stores:
    """The part of the reverse transformation that deals with storage."""

    def __init__(self, owner: Reverse, settled: Settled, groups: Groups) -> None:
        self.owner, self.settled, self.restored = owner, settled, groups.restored
        self.given = frozenset(p for group in groups for p in group)
        self.table: Storage = settled.storage
        self._shadowed = settled.shadowed
        self.kept: dict[tuple[ast.stmt, str], Kept] = {}
        self.sites: dict[tuple[ast.stmt, str], ast.stmt] = {}
        self.pairs: dict[ast.stmt, ast.stmt] = {}
        self.saves: dict[ast.stmt, str] = {}
        self.stacks: dict[str, ast.stmt] = {}
        self.rebuilt: set[ast.stmt] = set()
        self.forced: set[ast.stmt] = set()
        self.late: dict[ast.stmt, list[ast.stmt]] = {}
        self.holding = kept_from_arguments(settled.unit, set(settled.storage.classes))
        for op in settled.unit.operations.values():
            if op.kind == "unpack":
                self.holding[op.operands[0]] = (*self.holding.get(op.operands[0], ()), *op.targets)
        self.shown: dict[str, ast.stmt] = {}
        self.calls: dict[ast.stmt, tuple[list[str], bool]] = {}
        self.starts: dict[str, ast.expr] = {}
        self.seeding: list[ast.stmt] = []
        self.forms: set[str] = set()
        self.tangled = False  # whether something is written that a callee keeps

    @property
    def shadowed(self) -> frozenset[str]:
        """Handles that have a shadow: those of active classes."""
        active = {self.table.classes[v] for v in self._shadowed}
        return self._shadowed | {v for v in self.table.handles if self.table.classes[v] in active}

    @property
    def carried(self) -> bool:
        return (self.table.carried or self.stacked) and bool(self.shadowed)

    @property
    def stacked(self) -> bool:
        """Whether handles are kept on lists, whose shadows are lists of shadows."""
        operations = self.settled.unit.operations.values()
        return any(op.kind == "push" and op.targets[0] in self.table.handles for op in operations)

    def adjoint(self, v: str) -> str:
        return self.owner.adjoint(v)

    def is_array(self, v: str) -> bool:
        known: Shapes | None = getattr(self.owner, "shapes", None)
        return v in self.settled.arrays or (known is not None and known.of(name(v)).array)

    def is_container(self, v: str) -> bool:
        return self.table.between.get(v, v) in self.settled.containers

    def makes_container(self, op: Operation, v: str) -> bool:
        """Whether an operation may make a new container, some of whose items are shared and some are not."""
        made = op.kind == "pack" or self.is_container(v) or (op.kind == "rule" and op.rule.name in MAKERS)
        return made and not self.is_array(v)

    def class_of(self, v: str) -> str:
        return self.table.classes.get(v, "")

    def same(self, v: ast.expr, a: str) -> bool:
        """Whether a value may share storage with a handle."""
        return isinstance(v, ast.Name) and self.class_of(v.id) != "" and self.class_of(v.id) == self.class_of(a)

    # Calls of functions that write into their arguments

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

    def class_names(self, classes: dict[str, list[str]]) -> list[str]:
        return [v for v, c in self.table.classes.items() if c in classes]

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
        if target in self.shadowed:
            bases = [a for a in self.table.bases.get(s, ()) if a in self.shadowed]
            shades = [name(self.adjoint(a)) for a in bases]
            if not shades:
                return name(self.adjoint(target))
            shade = shades[0] if len(shades) == 1 else ast.Tuple(list(shades), ast.Load())
            return self.owner.scribe.call("rest", name(self.adjoint(target)), shade)
        if target in state.held:
            return name(self.adjoint(target))
        return self.owner.scribe.call("init_grad", name(target))

    def name_shadow_of_result(self, result: str, seed: str) -> None:
        """The shadow of the result starts with the seed, or has it added."""
        self.owner.scribe.derivatives["b", result] = seed
        if result not in self.shadowed:
            return
        operations = self.settled.unit.operations
        bound = [s for s, op in operations.items() if result in self.bound(s, op)]
        if not self.carried and result not in self.given and not any(self.table.bases.get(s) for s in bound):
            self.starts[result] = name(seed)
            return
        self.owner.scribe.derivatives["b", result] = self.owner.scribe.names.fresh("b" + result)
        self.seeding = [self.add(result, name(seed), self.settled.unit.core.body[-1])]

    def value(self, v: str) -> ast.expr:
        """What a shadow holds, as an adjoint that is a value."""
        b = name(self.adjoint(v))
        return b if self.is_array(v) else self.owner.scribe.call("unboxed", b, name(v))

    def zeros(self, v: str) -> ast.expr:
        """A new shadow, with what it starts from."""
        more = [self.starts[v]] if v in self.starts else []
        return self.owner.scribe.call("shadow", name(v), *more)

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

    def callers(self, p: str) -> str:
        """The name of the caller's shadow of a parameter."""
        return self.named("caller", p, f"b{p}_given") if self.carried else self.adjoint(p)

    def first(self, p: str) -> str:
        """The name of the shadow that a parameter has at the start, of those that it has in turn."""
        return self.named("first", p, f"b{p}_first") if self.is_bound_anew(p) else self.adjoint(p)

    def is_bound_anew(self, p: str) -> bool:
        return self.carried and p in self.given and p in assigned_inside(self.owner.unit.core.body)

    def named(self, role: str, p: str, wish: str) -> str:
        derivatives = self.owner.scribe.derivatives
        if (role, p) not in derivatives:
            derivatives[role, p] = self.owner.scribe.names.fresh(wish)
        return derivatives[role, p]

    def stays(self, p: str, forward: list[ast.stmt]) -> bool:
        """Whether a parameter refers to what its caller passed when the backward pass begins."""
        own = [s for s in statements(forward) if not (isinstance(s, ast.AugAssign) and self.is_array(p))]
        return not self.carried and not any(p in writes(s) for s in own)

    def apart(self, saved: list[str]) -> bool:
        """Whether nothing of what is kept for the backward pass is storage that the caller has."""
        callers = {self.class_of(p) for p in self.given} - {""}
        return not self.carried and not self.tangled and not any(self.class_of(v) in callers for v in saved)

    def scales_shared(self, groups: Groups) -> bool:
        """Whether an argument that is given twice is multiplied or divided in place."""
        twice = {self.class_of(p) for group in groups for p in group if len(group) > 1}
        return any(
            op.kind == "augment" and op.why.endswith(("Mult", "Div")) and self.class_of(op.targets[0]) in twice
            for op in self.settled.unit.operations.values()
        )

    def entangled(self, saved: list[str]) -> bool:
        """Whether what is kept is storage that the caller has, and may be numbers, or is bound anew."""
        callers = {self.class_of(p) for p in self.given} - {""}
        return self.carried or any(self.class_of(v) in callers and not self.is_array(v) for v in saved)

    # Binding shadows

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
                    done.append(s)
                    for v in self.bound(s, op):
                        beside = self.binding(s, op, v)
                        operations[beside] = Operation("shadow", (self.adjoint(v),))
                        done.append(beside)
        return done

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
        for p in own:
            before = seen.setdefault(self.class_of(p), [])
            others = [name(q) for q in own if q != p and self.class_of(q) == self.class_of(p)]
            value = self.mirrored(p, before) if before else self.zeros(p)
            if not before and others:
                value = self.owner.scribe.call("shadow_among", name(p), *others)
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
        if not bases:
            return assign(self.adjoint(v), self.zeros(v), s)
        if op is not None and op.kind == "pop":
            return assign(self.adjoint(v), expression("s.pop()", s=self.adjoint(op.operands[0])), s)
        if op is not None and (packed := self.packed(op)) is not None:
            return assign(self.adjoint(v), packed, s)
        if op is not None and op.value is not None and self.is_view(op, v, bases):
            return assign(self.adjoint(v), rename(op.value, {bases[0]: self.adjoint(bases[0])}), s)
        return assign(self.adjoint(v), self.mirrored(v, bases), s)

    def mirrored(self, v: str, bases: list[str]) -> ast.expr:
        """What a handle is of others, of their shadows."""
        both: list[ast.expr] = [name(a) for a in bases]
        shades: list[ast.expr] = [name(self.adjoint(a)) for a in bases]
        parts = [x[0] if len(bases) == 1 else ast.Tuple(x, ast.Load()) for x in (both, shades)]
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
                new = part(value) if isinstance(value, ast.Name) else value
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
            if e.id in self.shadowed:
                part = self.owner.scribe.call("rest", part, name(self.adjoint(e.id)))
            done.append(self.owner.accumulate(e.id, self.part(self.owner.scribe.call("unboxed", part, e)), state, s))
        return done

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
                raise self.owner.unit.refuse(s, "starred unpacking of something written in place", "it makes a list")
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
                    raise in_place_error(self.owner.unit, s, v)

    def is_view(self, op: Operation, v: str, bases: list[str]) -> bool:
        """Whether a handle is surely a view, or the array itself, so that its shadow is the same of the shadow."""
        if len(bases) == 1 and op.kind == "copy" and self.is_container(bases[0]):
            return True
        if len(bases) != 1 or not self.is_array(bases[0]):
            return False
        if op.kind == "copy":
            return True
        if op.kind != "rule":
            return False
        if op.rule.name == "getitem":
            return self.is_basic(op.values["index"]) and (_has_slice(op.values["index"]) or self.is_array(v))
        return op.rule.name in ALWAYS_VIEWS

    def is_basic(self, index: ast.expr) -> bool:
        """Whether an index surely selects each element once and gives a view: no arrays among its parts."""
        match index:
            case ast.Tuple(elts=elts):  # `a[()]` is a number where a has no axes
                return bool(elts) and all(self.is_basic(e) for e in elts)
            case ast.Slice():
                return True
            case ast.Constant(value=value):
                return value is None or value is Ellipsis or (isinstance(value, int) and not isinstance(value, bool))
            case ast.BinOp(left=left, right=right):
                return self.is_basic(left) and self.is_basic(right)
            case ast.UnaryOp(operand=operand):
                return self.is_basic(operand)
            case ast.Name():
                return self.owner.shapes.of(index).scalar
            case _:
                return False

    def never_repeats(self, index: ast.expr) -> bool:
        if isinstance(index, ast.Name) and index.id in self.owner.masks:
            return True
        return self.is_basic(index)

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
        if not bases or op.kind in ("call", "dynamic"):
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

    # Keeping what is overwritten

    def save(self, s: ast.stmt, path: tuple[Block, ...]) -> list[ast.stmt]:
        """Keep what a statement is going to overwrite."""
        op = self.owner.operations.get(s)
        if s not in self.table.written or op is None:
            return []
        if op.kind in ("store", "augment"):
            return [self.keep(s, op.targets[0], self.place(op, op.targets[0]), path)]
        if s in self.owner.pairs_of:
            return []
        roots = [v for v in op.operands if self.class_of(v) in self.table.written[s] and v in self.table.handles]
        return [self.keep(s, v, name(v), path) for v in roots]

    def kept_after(self, s: ast.stmt) -> list[ast.stmt]:
        """What is kept of a statement that has not failed."""
        return self.late.get(s, [])

    def keep(self, s: ast.stmt, a: str, place: ast.expr, path: tuple[Block, ...]) -> ast.stmt:
        names = self.owner.scribe.names
        value = self.copied(place, a)
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

    def copied(self, place: ast.expr, a: str) -> ast.expr:
        """The content of a place, as it is now."""
        if isinstance(place, ast.Subscript) and not self.is_array(a):
            return self.owner.scribe.call("item_content", place.value, self.owner.scribe.as_argument(place.slice))
        if self.is_array(a):
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

    def restored_only(self, s: ast.stmt) -> list[ast.stmt]:
        """What a statement has overwritten, put back where its adjoint is left out."""
        done = self.restore(s)
        if any(not isinstance(x, ast.Assign) for x in done):
            raise self.owner.unit.refuse(
                s, "a jump in a block for the backward pass", "the loop writes into what may be no array",
                "Make new values in the loop instead of changing old ones, or set the gradient to zero.",
            )  # fmt: skip
        return done

    def again(self, body: list[ast.stmt]) -> list[ast.stmt]:
        """A copy of statements, of which the same is known."""
        made = copy.deepcopy(body)
        for old, new in zip(statements(body), statements(made)):
            for known in (self.saves, self.pairs):
                if old in known:
                    known[new] = known[old]  # type: ignore[assignment]
        return made

    def put_back(self, place: ast.expr, a: str, kept: Kept, s: ast.stmt) -> ast.stmt:
        if isinstance(place, ast.Subscript):
            if not self.is_array(a):
                key = self.owner.scribe.as_argument(place.slice)
                return at(ast.Expr(self.owner.scribe.call("put_item_back", place.value, key, kept.value())), s)
            return at(ast.Assign([replace(place, ctx=ast.Store())], kept.value()), s)
        whole = ast.Subscript(name(a), constant(Ellipsis), ast.Store())
        if self.is_array(a):
            return at(ast.Assign([whole], kept.value()), s)
        held = kept.value()
        test = expression("f(a, t)", f=self.owner.builtin("isinstance"), a=a, t=self.owner.array_type())
        op = self.owner.operations.get(s)
        other = held
        if op is not None and op.why.startswith("into"):  # a shadow, which may be one of a container
            other = self.owner.scribe.call("refilled", name(a), held)
        return at(ast.If(test, [at(ast.Assign([whole], held), s)], [assign(a, other, s)]), s)

    def place(self, op: Operation, a: str) -> ast.expr:
        """What a statement writes into: an item, or the whole."""
        index = op.values.get("index")
        return name(a) if index is None else ast.Subscript(name(a), index, ast.Load())

    def place_fact(self, place: ast.expr) -> Fact:
        if isinstance(place, ast.Subscript) and isinstance(place.value, ast.Name):
            return self.owner.shapes.item(place.value.id, place.slice)
        return self.owner.shapes.of(place)

    # Adjoints

    def statement(self, s: ast.stmt, op: Operation, state: State) -> list[ast.stmt]:
        """The adjoint of a store or of an operation in place."""
        a = op.targets[0]
        restored = self.restore(s)
        if a not in self.shadowed:
            return restored
        mark = comment(f"Grad of: {self.owner.primal(s)}", s)
        if not self.is_array(a) and "index" in op.values:
            for x in restored:
                self.saves.pop(x)
                self.pairs.pop(x)
            return [mark, *self.item(s, op, state)]
        if op.kind == "store":
            return [mark, *self.store(s, op, state), *restored]
        return [mark, *self.augment(s, op, state, restored)]

    def taken(self, op: Operation, b: ast.expr) -> ast.expr:
        """What the stored value receives; of an element that is stored twice, only the last store counts."""
        if isinstance(b, ast.Subscript) and not self.never_repeats(b.slice):
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
        if given is b and (shared or self.keeps_alias(value.id, state)):
            given = self.fresh(given, place)
        whole = self.fitted(given, place, value)
        if shared:
            held = self.owner.scribe.names.numbered("b" + value.id if value.id in self.shadowed else "bt")
            add = self.owner.accumulate(value.id, self.part(name(held)), state, s)
            return [assign(held, whole, s), clear, add]
        return [self.owner.accumulate(value.id, self.part(whole, True), state, s), clear]

    def keeps_alias(self, v: str, state: State) -> bool:
        """Whether an adjoint would be a part of a shadow itself: the first, added to nothing or to a lazy zero."""
        return v not in self.shadowed and (v not in state.held or v not in state.owned or v in state.lazy)

    def fresh(self, e: ast.expr, place: ast.expr) -> ast.expr:
        """A copy, unless the place is a number."""
        if self.place_fact(place).scalar:
            return e
        return expression("p.copy()", p=e)

    def part(self, e: ast.expr, fresh: bool = False) -> Part:
        from tangent.transform.rows import Part  # the two modules are one transformation in two files

        return Part(e, fresh, True)

    def fitted(self, e: ast.expr, place: ast.expr, value: ast.Name) -> ast.expr:
        """The adjoint of a place in the shape and dtype of what was stored there."""
        from tangent.transform.reverse.temporaries import fits  # which needs this module itself

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
        done: list[ast.stmt] = [assign(old, kept.value(), s), undo]
        if not active:
            return [*done, at(ast.Expr(taken), s)]
        assert isinstance(value, ast.Name)
        held = scribe.names.numbered("b" + value.id)
        from tangent.transform.rows import Part

        whole = _has_slice(op.values["index"])  # of an array: what was stored may have been stretched
        part = scribe.call("unbroadcast", name(held), value) if whole else name(held)
        return [*done, assign(held, taken, s), self.owner.accumulate(value.id, Part(part), state, s)]

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

    def add(self, v: str, value: ast.expr, like: ast.stmt) -> ast.stmt:
        """`bv += value`."""
        if not self.is_array(v):
            return at(ast.Expr(self.owner.scribe.call("add_into", name(self.adjoint(v)), value)), like)
        return at(ast.AugAssign(ast.Name(self.adjoint(v), ast.Store()), ast.Add(), value), like)

    def add_item(self, v: str, index: ast.expr, value: ast.expr, like: ast.stmt) -> ast.stmt:
        """`bv[index] += value`."""
        b = self.adjoint(v)
        if self.is_array(v) and self.never_repeats(index):
            return at(ast.AugAssign(ast.Subscript(name(b), index, ast.Store()), ast.Add(), value), like)
        if self.is_container(v) and not isinstance(index, ast.Slice):
            return at(ast.Expr(self.owner.scribe.call("add_into", expression("b[i]", b=b, i=index), value)), like)
        call = self.owner.scribe.call("add_at", name(b), self.owner.scribe.as_argument(index), value)
        return at(ast.Expr(call), like)

    # What is read again

    def remembered(self, body: list[ast.stmt]) -> None:
        """Values read from storage by index, which are read again rather than kept."""
        for s in body:
            op = self.owner.operations.get(s)
            if (
                op is not None
                and op.kind == "rule"
                and op.rule.name == "getitem"
                and op.targets[0] not in self.table.handles
            ):
                if op.operands[0] in self.table.classes:
                    self.shown[op.targets[0]] = s

    def read_again(self, s: ast.stmt, code: list[ast.stmt], body: list[ast.stmt], ready: set[str]) -> list[ast.stmt]:
        """Statements that read what the adjoint of s needs from storage, where that still holds what it held."""
        if self.owner.records.everything or not self.table.classes:
            return []
        reads = {v for x in statements(code) for v in header_reads(x)}
        done: list[ast.stmt] = []
        for v in sorted(reads - ready):
            source = self.shown.get(v)
            if source is None or not any(x is source for x in body):
                continue
            if not self.holds(source, s, body):
                ready.add(v)  # it is kept, and so is there for what comes before, too
                continue
            assert isinstance(source, ast.Assign)
            ready.add(v)
            done.append(assign(v, source.value, s))
        return done

    def holds(self, source: ast.stmt, s: ast.stmt, body: list[ast.stmt]) -> bool:
        """Whether nothing between two statements of a block changes what the first reads."""
        start = next(i for i, x in enumerate(body) if x is source)
        stop = next((i for i, x in enumerate(body) if x is s), len(body))
        if stop < start:
            return False
        assert isinstance(source, ast.Assign)
        needed = expression_reads(source.value)
        between = list(statements(body[start + 1 : stop]))
        stored = set().union(*(self.table.written.get(x, frozenset()) for x in between))
        if any(self.class_of(v) in stored for v in needed):
            return False
        changed = {v for x in statements(body[start + 1 : stop + 1]) for v in writes(x)}
        own = set(writes(source))
        return not (needed | own) & (changed - (own if body[start] is s else set()))

    # What nothing reads is not kept

    def without_useless(
        self, forward: list[ast.stmt], backward: list[ast.stmt]
    ) -> tuple[list[ast.stmt], list[ast.stmt]]:
        """Both passes without keeping and putting back content that no adjoint reads afterwards."""
        if not self.saves or self.owner.records.everything:
            return forward, backward
        self.forms = self.only_for_shape(backward)
        live = {self.class_of(p) for p in self.given} if self.restored else set()
        live |= {self.class_of(v) for v in self.unpacked_from_saved()}
        kept: set[ast.stmt] = set()  # what is put back in one place is put back in all, so that lists keep in step
        while True:
            needed: set[ast.stmt] = set()
            self.find_needed(backward, set(live), needed, kept)
            if (more := {self.pairs[s] for s in needed}) <= kept:
                break
            kept |= more
        drop = {s for s in self.saves if self.pairs.get(s, s) not in kept} - self.forced
        for stack, push in list(self.stacks.items()):
            if push in drop:
                del self.stacks[stack]
        return _without(forward, drop), _without(backward, drop)

    def unpacked_from_saved(self) -> set[str]:
        """In a backward pass: what its forward pass has kept, which others may still read afterwards."""
        unit = self.settled.unit
        kept = getattr(unit.source.function, "fresh", "")
        found = [op.targets for op in unit.operations.values() if op.kind == "unpack" and op.operands[0] == kept]
        return {v for targets in found for v in targets}

    def find_needed(self, body: list[ast.stmt], live: set[str], needed: set[ast.stmt], kept: set[ast.stmt]) -> set[str]:
        """Restores after which something reads what they put back; the classes whose content is read from here on."""
        for s in reversed(body):
            if s in self.saves:
                if self.saves[s] in live or self.pairs.get(s) in kept:
                    needed.add(s)
                    live = live | {self.class_of(v) for v in self.content_reads(s)}
                continue
            if s in self.rebuilt:
                continue
            match s:
                case ast.If(body=then, orelse=other):
                    one = self.find_needed(then, set(live), needed, kept)
                    live = one | self.find_needed(other, set(live), needed, kept)
                case ast.For(body=inner) | ast.While(body=inner):
                    while True:
                        entry = self.find_needed(inner, set(live), needed, kept)
                        if entry <= live:
                            break
                        live = live | entry
            live = live | {self.class_of(v) for v in self.content_reads(s)}
        return live - {""}

    def only_for_shape(self, body: list[ast.stmt]) -> set[str]:
        """Names that a pass reads for their shape alone."""
        read = {v for s in statements(body) for v in self.names_read(s, set())}
        return {v for s in statements(body) for v in writes(s)} - read

    def content_reads(self, s: ast.stmt) -> set[str]:
        """Variables of storage whose content a statement reads; shapes alone do not count."""
        found = self.names_read(s, self.forms)
        return {v for v in self.with_held(found) if v in self.table.classes}

    def with_held(self, names: set[str]) -> set[str]:
        """Some variables, and those that what they hold may refer to."""
        found, waiting = set(names), list(names)
        while waiting:
            new = set(self.holding.get(waiting.pop(), ())) - found
            found |= new
            waiting += new
        return found

    def names_read(self, s: ast.stmt, forms: set[str]) -> set[str]:
        """Names that a statement reads for more than their shape; of `forms` nothing else is looked at later."""
        if isinstance(s, InsertedCode):
            return set(s.block.reads)
        found: set[str] = set()
        externals = self.owner.scribe.externals

        def visit(node: ast.AST) -> None:
            match node:
                case ast.Name(id=v, ctx=ast.Load()):
                    found.add(v)
                case ast.Attribute(value=ast.Name(), attr="shape" | "ndim" | "dtype" | "size"):
                    return
                case ast.Call(func=ast.Name(id=f), args=args) if externals.get(f) in SHAPE_ONLY:
                    for i, a in enumerate(args):
                        if i not in SHAPE_ONLY[externals[f]]:
                            visit(a)
                case ast.Call(func=ast.Attribute(attr="shape" | "zeros_like" | "ones_like"), args=[ast.Name()]):
                    return
                case ast.Assign(targets=[ast.Name(id=t)], value=ast.Subscript(value=ast.Name(), slice=index)) if (
                    t in forms
                ):
                    visit(index)
                case ast.Assign(targets=[ast.Subscript(value=ast.Name(), slice=index)], value=value):
                    visit(index)
                    visit(value)
                case ast.If(test=test) | ast.While(test=test):
                    visit(test)
                case ast.For(iter=iter):
                    visit(iter)
                case _:
                    for child in ast.iter_child_nodes(node):
                        visit(child)

        if not isinstance(s, Comment):
            visit(s)
        return found


def kept_from_arguments(unit: Unit, handles: set[str]) -> dict[str, tuple[str, ...]]:
    """In a derivative: the arguments of callees that what they kept for their backward passes may refer to.

    What comes out of the argument `saved` of a backward pass may refer to anything.
    """
    operations = unit.operations
    calls = {op.targets[0]: op.operands for op in operations.values() if op.kind == "call" and is_forward(op.callee)}
    saved = getattr(unit.source.function, "fresh", "")
    kept = [op.targets for op in operations.values() if op.kind == "unpack" and op.operands[0] == saved]
    found: dict[str, set[str]] = {v: set(handles) for targets in kept for v in targets}
    changed = bool(calls or found)
    while changed:
        before = sum(map(len, found.values()))
        for op in operations.values():
            if op.kind == "unpack" and op.operands[0] in calls:
                found.setdefault(op.targets[-1], set()).update(calls[op.operands[0]])
            elif op.kind in ("push", "pop", "copy") and any(v in found for v in op.operands):
                held = set().union(*(found.get(v, set()) for v in op.operands))
                found.setdefault(op.targets[0], set()).update(held)
        changed = before != sum(map(len, found.values()))
    return {v: tuple(sorted(held)) for v, held in found.items()}


def is_forward(callee: Any) -> bool:
    return getattr(callee, "fresh", "") == "return"


def in_place_error(unit: Unit, s: ast.stmt, v: str) -> InPlaceError:
    return InPlaceError(
        f"cannot differentiate '{unit.source.statement_text(s)}'", unit.source.locate(s),
        f"'{v}' holds on to something that is written in place", "Keep a copy of it instead (x.copy()).",
    )  # fmt: skip


def expression_store(e: ast.expr) -> ast.expr:
    """`e[...]`, to be assigned."""
    return ast.Subscript(e, constant(Ellipsis), ast.Store())


def _has_slice(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(e, ast.Slice) or (isinstance(e, ast.Constant) and e.value is Ellipsis) for e in parts)


def _without(body: list[ast.stmt], drop: set[ast.stmt]) -> list[ast.stmt]:
    done: list[ast.stmt] = []
    for s in body:
        match s:
            case _ if s in drop:
                continue
            case ast.If(body=[ast.Break()]):
                done.append(s)
            case ast.If(body=then, orelse=other):
                one, two = _without(then, drop), _without(other, drop)
                if one or two:
                    test = s.test if one else ast.UnaryOp(ast.Not(), s.test)
                    done.append(replace(s, test=test, body=one or two, orelse=two if one else []))
            case ast.For(body=inner) | ast.While(body=inner):
                left = _without(inner, drop)
                if any(not isinstance(x, Comment) for x in left):
                    done.append(replace(s, body=left))
            case _:
                done.append(s)
    return done
