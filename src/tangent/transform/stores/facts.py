"""Storage in reverse mode: what is known of handles and their shadows."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from tangent.analysis.made import CONTAINER_COPIES
from tangent.analysis.operation import Operation
from tangent.analysis.shapes.facts import Fact
from tangent.analysis.shapes.table import Shapes
from tangent.analysis.storage import Storage
from tangent.syntax.cells import place_in
from tangent.syntax.quote import expression, name
from tangent.syntax.uses import assigned_inside
from tangent.transform.calls import Groups
from tangent.transform.rows import Part
from tangent.transform.storage.settle import Settled
from tangent.transform.unit import Unit

if TYPE_CHECKING:
    from tangent.transform.reverse.passes import Reverse

MAKERS = CONTAINER_COPIES | frozenset(
    "add multiply mutated with_attribute dict_of replace_item replace_field dense from_vector as_list repack mirror "
    "repack_from dict_get content_beside".split()
)
PARTS = frozenset("getitem mutated own own_any beside shadow mirror".split())
ALWAYS_VIEWS = frozenset("T transpose swapaxes moveaxis rollaxis".split())


@dataclass(frozen=True)
class Kept:
    """What a store overwrites, kept for the backward pass: on a list in loops, under a name outside."""

    name: str
    stack: bool

    def value(self) -> ast.expr:
        return expression("s.pop()", s=self.name) if self.stack else name(self.name)


class Facts:
    """What is known of handles and their shadows."""

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
        self.restoring: dict[str, str] = {}  # what a call has kept, and its result: the backward pass may change it
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
        return not self.table.handles.isdisjoint(self.pushed | self.popped)

    @property
    def pushed(self) -> set[str]:
        """Lists that items are put on."""
        return {op.targets[0] for op in self.settled.unit.operations.values() if op.kind == "push"}

    @property
    def popped(self) -> set[str]:
        """Lists that items are taken from."""
        return {op.operands[0] for op in self.settled.unit.operations.values() if op.kind == "pop"}

    @property
    def taken_from(self) -> set[str]:
        """Lists that items are taken from and none are put on: others made them."""
        return self.popped - self.pushed

    def adjoint(self, v: str) -> str:
        return self.owner.adjoint(v)

    def is_array(self, v: str) -> bool:
        known: Shapes | None = getattr(self.owner, "shapes", None)
        return v in self.settled.arrays or (known is not None and known.of(name(v)).stored)

    def is_given_part(self, v: str) -> bool:
        """Whether a variable is a part of a parameter: of a list or a dict it may be one, and hold Python's numbers."""
        found, waiting = set[str](), [v]
        while waiting:
            part = waiting.pop()
            every = [op for op in self.owner.operations.values() if part in op.targets]
            made = [op for op in every if op.kind not in ("store", "augment") and not is_empty_list(op)]
            handed = [handed_on(op) for op in made]
            if not all(handed):
                return False
            new = set(handed) - found
            found |= new
            waiting += new
        return not found.isdisjoint(self.owner.unit.parameters)

    def writes_into_given_parts(self) -> bool:
        """Whether items of parts of a parameter are assigned: shadows of numbers there come and go."""
        stores = [op for op in self.owner.operations.values() if op.kind == "store" and "index" in op.values]
        return any(self.is_array(op.targets[0]) and self.is_given_part(op.targets[0]) for op in stores)

    def is_asked(self, index: ast.expr) -> bool:
        """Whether `v[...]` stands behind a test that v is an array."""
        whole = isinstance(index, ast.Constant) and index.value is Ellipsis
        return whole and bool(self.owner.unit.context.asked)

    def is_container(self, v: str) -> bool:
        return self.table.between.get(v, v) in self.settled.containers

    def is_flat(self, v: str) -> bool:
        """Whether a variable is a list or dict of values, of which nothing else is a part."""
        return v in self.settled.flat

    def is_dict(self, v: str) -> bool:
        """Whether it is a dict; what its adjoint, which is one too, has no item for is zero."""
        return v in self.settled.dicts

    def makes_container(self, op: Operation, v: str) -> bool:
        """Whether an operation may make a new container, some of whose items are shared and some are not."""
        made = op.kind == "pack" or self.is_container(v) or self.gives_several(op)
        return made and not self.is_array(v)

    def gives_several(self, op: Operation) -> bool:
        return op.kind == "rule" and (op.rule.name in MAKERS or op.rule.result == "ys")

    def class_of(self, v: str) -> str:
        return self.table.classes.get(v, "")

    def same(self, v: ast.expr, a: str) -> bool:
        """Whether a value may share storage with a handle."""
        return isinstance(v, ast.Name) and self.class_of(v.id) != "" and self.class_of(v.id) == self.class_of(a)

    def is_view(self, op: Operation, v: str, bases: list[str]) -> bool:
        """Whether a handle is surely a view, or the array itself, so that its shadow is the same of the shadow."""
        if len(bases) == 1 and op.kind == "copy" and self.is_container(bases[0]):
            return True
        if len(bases) != 1 or not self.is_array(bases[0]):
            return False
        if op.kind == "copy":
            return True
        if self.is_flat(bases[0]):
            return False
        if op.kind != "rule":
            return False
        if op.rule.name == "getitem":
            return self.is_basic(op.values["index"]) and (has_slice(op.values["index"]) or self.is_array(v))
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

    def place(self, op: Operation, a: str) -> ast.expr:
        """What a statement writes into: an item, or the whole."""
        index = op.values.get("index")
        return name(a) if index is None else place_in(name(a), index)

    def place_fact(self, place: ast.expr) -> Fact:
        if isinstance(place, ast.Subscript) and isinstance(place.value, ast.Name):
            return self.owner.shapes.item(place.value.id, place.slice)
        return self.owner.shapes.of(place)

    def is_bound_anew(self, p: str) -> bool:
        return self.carried and p in self.given and p in assigned_inside(self.owner.unit.core.body)

    def named(self, role: str, p: str, wish: str) -> str:
        derivatives = self.owner.scribe.derivatives
        if (role, p) not in derivatives:
            derivatives[role, p] = self.owner.scribe.names.fresh(wish)
        return derivatives[role, p]

    def callers(self, p: str) -> str:
        """The name of the caller's shadow of a parameter."""
        return self.named("caller", p, f"b{p}_given") if self.carried else self.adjoint(p)

    def first(self, p: str) -> str:
        """The name of the shadow that a parameter has at the start, of those that it has in turn."""
        return self.named("first", p, f"b{p}_first") if self.is_bound_anew(p) else self.adjoint(p)

    def with_held(self, names: set[str]) -> set[str]:
        """Some variables, and those that what they hold may refer to."""
        found, waiting = set(names), list(names)
        while waiting:
            new = set(self.holding.get(waiting.pop(), ())) - found
            found |= new
            waiting += new
        return found

    def class_names(self, classes: dict[str, list[str]]) -> list[str]:
        return [v for v, c in self.table.classes.items() if c in classes]

    def part(self, e: ast.expr, fresh: bool = False) -> Part:
        return Part(e, fresh, True)

    def value(self, v: str) -> ast.expr:
        """What a shadow holds, as an adjoint that is a value."""
        b = name(self.adjoint(v))
        return b if self.is_array(v) or v in self.taken_from else self.owner.scribe.call("unboxed", b, name(v))


def has_slice(index: ast.expr) -> bool:
    parts = index.elts if isinstance(index, ast.Tuple) else [index]
    return any(isinstance(e, ast.Slice) or (isinstance(e, ast.Constant) and e.value is Ellipsis) for e in parts)


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


def handed_on(op: Operation) -> str:
    """The variable that an operation makes another name, a part or a shadow of, or puts into a list; "" for others."""
    if op.kind in ("unpack", "copy", "push", "pop") and op.operands:
        return op.operands[0]
    match op.value:
        case ast.Call(args=[ast.Name(id=v), *_]) | ast.Subscript(value=ast.Name(id=v)) if op.kind == "rule":
            return v if op.rule.name in PARTS else ""
    return ""


def is_empty_list(op: Operation) -> bool:
    return op.kind == "pack" and not op.operands
