"""Which variables may share storage: what each may refer to, and what that may hold.

Every definition that makes something new makes an object; copies and views refer to the objects of their operands, and
containers hold those of their items. Two variables may share storage if they may refer to one object; a container
shares that of its items; what is known to be a number shares nothing. The order of statements does not matter.
"""

from __future__ import annotations

import ast
import types
from collections import Counter
from collections.abc import Iterable, Iterator
from typing import Any

from tangent.analysis.effects import Summaries, base_names
from tangent.analysis.made import (
    DICT_COPIES,
    Gives,
    containers_made,
    copies_container,
    is_slice,
    makes_rows,
    makes_sections,
)
from tangent.analysis.operation import Operation, Operations
from tangent.runtime.draws import DRAWING, is_drawing
from tangent.runtime.library import made_dict
from tangent.syntax.cells import Cell
from tangent.syntax.core import is_range
from tangent.syntax.rebuild import statements
from tangent.syntax.walk import walk

Groups = Iterable[tuple[str, ...]]

# Methods that put what they are given into a list or dict, and those that put its items there.
PUTTING = frozenset("append appendleft insert setdefault add".split())
JOINING = frozenset("extend extendleft update".split())


class Aliases:
    """What variables may refer to. `groups` are parameters that share what they are given.

    `in_place` are statements `y = x + v` that may stand for `x += v`, where x may be an array: y is x then. `functions`
    are names of functions that hold nothing.
    """

    def __init__(
        self, f: ast.FunctionDef, operations: Operations, summaries: Summaries, parameters: Iterable[str],
        groups: Groups = (), scalars: frozenset[str] = frozenset(), fresh: Iterable[str] = (),
        in_place: dict[ast.stmt, str] | None = None, sharing: Iterable[tuple[str, ...]] = (),
        functions: Iterable[str] = (),
    ) -> None:  # fmt: skip
        self.points: dict[str, set[str]] = {}
        self.holds: dict[str, set[str]] = {}
        self.bases: dict[ast.stmt, tuple[str, ...]] = {}
        self.cyclic: set[str] = set()  # what is put into itself
        self._summaries = summaries
        self._gives = self._given_by_callees(operations)
        self.containers = containers_made(operations, frozenset(parameters), self._gives)
        for p in parameters:
            first = next((group[0] for group in groups if p in group), p)
            self.points[p] = {first}
            self.holds[first] = {first}
        for s in statements(f.body):
            if isinstance(s, ast.For) and is_range(s.iter) and isinstance(s.target, ast.Name):
                self.points[s.target.id] = set()  # a number, which nothing shares
        self._functions = frozenset(functions)
        self.points.update((v, set()) for v in self._functions)
        self._ops = [(s, operations[s]) for s in statements(f.body) if s in operations]
        self._puts = [put for s in statements(f.body) if s not in operations and (put := put_by_method(s))]
        self.fresh = frozenset(fresh) | frozenset(_kept_by_callees(operations))
        self._first = {v: group[0] for group in sharing for v in group}
        self._drawn = _generators(operations) | _given_generators(f, operations, frozenset(parameters))
        for s, op in self._ops:
            alone = (op.targets and scalars.issuperset(op.targets)) or self._is_fresh(op)
            root = (in_place or {}).get(s)
            self.bases[s] = () if alone else (root,) if root is not None else self._shared(op)
        while self._round():
            pass
        self._find_cycles()

    def _given_by_callees(self, operations: Operations) -> Gives:
        """Variables that callees make lists for, and what is known of these."""
        calls = [op for op in operations.values() if op.kind == "call" and hasattr(op.callee, "__code__")]
        found = {op.targets[0]: self._summaries(op.callee).gives for op in calls if len(op.targets) == 1}
        bound = Counter(
            t for op in operations.values() for t in op.targets if op.kind not in ("store", "augment", "push")
        )
        return {t: gives for t, gives in found.items() if gives and bound[t] == 1}

    def _is_fresh(self, op: Operation) -> bool:
        return op.kind == "unpack" and op.operands[0] in self.fresh

    def of(self, v: str) -> set[str]:
        """The objects that a variable may refer to."""
        return self.points.get(v, {v})

    def reach(self, v: str) -> set[str]:
        """These, and all that they may hold."""
        found, waiting = set(self.of(v)), list(self.of(v))
        while waiting:
            new = self.holds.get(waiting.pop(), set()) - found
            found |= new
            waiting += new
        return found

    def same(self, v: str, names: Iterable[str], deep: bool = False) -> list[str]:
        """Those of some names that are another when what v refers to is written into; with `deep`, or what it holds."""
        own = self.reach(v) if deep else self.of(v)
        return sorted(n for n in names if n == v or self.reach(n) & own)

    def meets(self, v: str, others: Iterable[str]) -> bool:
        """Whether a variable may refer to something that others refer to."""
        return any(self.of(v) & self.of(n) for n in others)

    def _shared(self, op: Operation) -> tuple[str, ...]:
        """The operands that the result of an operation may be, be a view of, or hold."""
        match op.kind:
            case "zero" | "constant" | "augment" | "shadow" | "store":
                return ()
            case "rule" if self.slices(op) or self._joins(op) or op.rule.name == "copied_dict":
                return op.operands
            case "rule":
                return tuple(v for v in op.operands if v in _viewed(op)) if may_be_view(op) else ()
            case "dynamic" if self._draws(op):
                return ()
            case "call" if isinstance(op.value, ast.Call):
                return tuple(_returned_arguments(op.value, op.callee, self._summaries))
            case _:
                return op.operands

    def _draws(self, op: Operation) -> bool:
        """Whether a method of a generator of random numbers is called: it gives new ones."""
        match op.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v))):
                return v in self._drawn
            case _:
                return False

    def _round(self) -> bool:
        before = sum(map(len, self.points.values())) + sum(map(len, self.holds.values()))
        for s, op in self._ops:
            self._follow(op, self.bases[s])
        for v, whole, given in self._puts:
            self._hold(self.of(v), given if whole else ())
            for o in self.of(v) if not whole else ():
                self.holds.setdefault(o, set()).update(*(self.items(w) for w in given))
        return before != sum(map(len, self.points.values())) + sum(map(len, self.holds.values()))

    def _find_cycles(self) -> None:
        """What is put into itself: `a.next = a`, `d["self"] = d`. Items of what is none are not told from it."""
        stores = [(op.targets[0], base_names(op.value)) for _, op in self._ops if _stores_name(op) and op.value]
        pushes = [(op.targets[0], op.operands) for _, op in self._ops if op.kind == "push"]
        for v, given in (*stores, *pushes, *((v, given) for v, whole, given in self._puts if whole)):
            for o in given:
                self.cyclic |= self.of(v) & self.of(o) & (self.of(v) if o == v else self.containers)

    def _follow(self, op: Operation, shared: tuple[str, ...]) -> None:
        if op.kind == "store":
            if op.targets[0] in self.containers or "attribute" in op.values:
                self._hold(self.of(op.targets[0]), [v for v in op.operands if v != op.targets[0]])
            return
        if op.kind == "augment":
            return
        if op.kind == "push":
            self._hold(self.of(op.targets[0]), op.operands)
            return
        for t in op.targets:
            if t in self._functions:
                continue
            if t in self.fresh or self._is_fresh(op):
                found = {self._first.get(t, t)}
            elif shared and (op.kind == "copy" or (_walks(op) and shared[0] in self.containers)):
                found = set(self.of(shared[0]))
            elif op.kind == "pack" or copies_container(op) or op.kind == "closure" or _makes_object(op):
                found = {t}
                self.holds.setdefault(t, set()).update(self._held(op, shared) - {t})
            elif makes_sections(op):
                found = {t}
                self.holds.setdefault(t, set()).update(*(self.of(v) for v in shared))
            elif self.slices(op):
                found = {t}
                self.holds.setdefault(t, set()).update(self.items(op.operands[0]))
            elif op.kind == "rule" and self._joins(op):
                found = {t}
                self.holds.setdefault(t, set()).update(*(self.items(v) for v in self._joined(op, t, shared)))
            elif op.kind == "rule" and op.rule.name == "number_rows":
                found = {t}
            elif op.kind == "rule" and op.rule.name == "fresh_rows":
                found = {t}
                self.holds.setdefault(t, set()).update(*(self._items_of(self.items(v)) for v in shared))
            elif op.kind == "unpack" and str(op.targets.index(t)) in self._gives.get(op.operands[0], ()):
                found = {f"{op.operands[0]}[{op.targets.index(t)}]"}
            elif self._takes_out(op):
                found = set().union(*(self.items(v) for v in shared))
                if op.kind == "rule" and isinstance(op.values.get("index"), Cell):
                    found = self._items_of(found)
            elif op.kind == "rule" and op.rule.name == "dict_of":
                found = {t}
                self.holds.setdefault(t, set()).update(*(self.items(v) for v in shared))
            elif op.kind == "rule" and op.rule.name == "dict_get":
                owner = _named([op.values["x"]])
                found = {t}.union(*(self.items(v) if v in owner else self.of(v) for v in shared))
            elif op.kind in ("call", "dynamic", "opaque") or (op.kind == "rule" and op.rule.name in OPEN):
                held = set().union(*(self.reach(v) for v in shared)) - {t}
                found = {t} if t in self._gives else {t} | held
                self.holds.setdefault(t, set()).update(held, self._rows(t, held))
            elif shared:
                found = {t}.union(*(self.of(v) for v in shared))
            else:
                found = {t}
            self.points.setdefault(t, set()).update(found)

    def rows(self, t: str) -> set[str]:
        """What a list holds that a callee has made: something else than the list."""
        numbered = {f"{t}[{i}]" for i in self._gives.get(t, ()) if i.isdigit()}
        return numbered or ({f"{t}[]"} if t in self._gives else set())

    def _rows(self, t: str, held: set[str]) -> set[str]:
        """These, which may be, or hold, what the callee was given."""
        for rows in self.rows(t):
            self.holds.setdefault(rows, set()).update({rows}, held)
        return self.rows(t)

    def _takes_out(self, op: Operation) -> bool:
        """Whether an operation gives an item of its operand, or several."""
        if op.kind in ("unpack", "pop") or (op.kind == "rule" and op.rule.name in TAKING):
            return True
        match op.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="pop")):
                return v in self.containers
            case _:
                return False

    def slices(self, op: Operation) -> bool:
        """Whether an operation takes a part of a list that is made here: a new list."""
        return is_slice(op) and op.operands[0] in self.containers

    def _joins(self, op: Operation) -> bool:
        """Whether an operation joins or repeats lists, or joins dicts, that are made here."""
        match op.value:
            case ast.BinOp(op=ast.Add() | ast.Mult() | ast.BitOr()):
                return any(v in self.containers for v in op.operands)
            case _:
                return False

    def _joined(self, op: Operation, t: str, shared: tuple[str, ...]) -> tuple[str, ...]:
        """The lists whose items are in what joins or repeats them; what counts repetitions is none of them."""
        repeats = isinstance(op.value, ast.BinOp) and isinstance(op.value.op, ast.Mult) and t in self.containers
        return tuple(v for v in shared if v in self.containers) if repeats else shared

    def _held(self, op: Operation, shared: tuple[str, ...]) -> set[str]:
        """What a new container or object holds: items of those that it copies, its other operands themselves."""
        if makes_rows(op):
            rows = f"{op.targets[0]}[]"
            self.holds.setdefault(rows, set()).add(rows)
            return {rows}
        if (op.callee is made_dict or _copies_dict(op)) and isinstance(op.value, ast.Call):
            opened = set().union(*(self.items(v) for a in op.value.args for v in base_names(a)))
            named = [self.of(v) for k in op.value.keywords for v in base_names(k.value)]
            return opened.union(self._items_of(opened), *named)
        copied, either = (set(shared), set()) if copies_container(op) else _opened(op)
        items = [self.items(v) for v in shared if v in copied | either]
        return set().union(*items, *(self.of(v) for v in shared if v not in copied))

    def items(self, v: str) -> set[str]:
        """What an item of a variable may be: of an array a view of it, of a list or dict what that holds."""
        return self._items_of(self.of(v))

    def _items_of(self, objects: Iterable[str]) -> set[str]:
        found: set[str] = set()
        for o in objects:
            found |= self.holds.get(o, set()) | (set() if o in self.containers else {o})
        return found

    def _hold(self, owners: set[str], items: Iterable[str]) -> None:
        for o in owners:
            self.holds.setdefault(o, set()).update(*(self.of(v) for v in items))


def put_by_method(s: ast.stmt) -> tuple[str, bool, list[str]] | None:
    """The list or dict that a call of a method puts something into, whether that is what is given, and this."""
    match s:
        case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr), args=args)):
            given = [a.id for a in args if isinstance(a, ast.Name)]
            return (v, attr in PUTTING, given) if given and attr in PUTTING | JOINING else None
        case _:
            return None


def _kept_by_callees(operations: Operations) -> Iterator[str]:
    """What forward passes of callees have kept for their backward passes, apart from all else."""
    pairs = {
        op.targets[0] for op in operations.values() if op.kind == "call" and getattr(op.callee, "fresh", "") == "return"
    }
    for op in operations.values():
        called = op.kind == "call" and op.targets[0] in pairs
        if len(op.targets) == 2 and (called or (op.kind == "unpack" and op.operands[0] in pairs)):
            yield op.targets[1]


def _stores_name(op: Operation) -> bool:
    return op.kind == "store" and op.why != "del" and isinstance(op.value, ast.Name)


def _makes_object(op: Operation) -> bool:
    """Whether an operation makes an object that holds what it is given."""
    made = isinstance(op.callee, type) and issubclass(op.callee, types.SimpleNamespace)
    return made or (op.kind == "rule" and op.rule.name in ("with_attribute", "mutated", "new_instance", "tuple_of"))


def _opened(op: Operation) -> tuple[set[str], set[str]]:
    """The operands of which a new container holds the items, not the things themselves; those where it is open."""
    elts: list[ast.expr | None] = []
    either: list[ast.expr] = []
    match op.value:
        case ast.List(elts=parts) | ast.Tuple(elts=parts) | ast.Set(elts=parts):
            elts = [e.value for e in parts if isinstance(e, ast.Starred)]
        case ast.Dict(keys=keys, values=values):
            elts = [e for k, e in zip(keys, values) if k is None]
        case _ if op.kind == "rule" and op.rule.name == "mutated":
            elts, either = [op.values["x"]], [op.values["value"]]
        case _ if op.kind == "rule" and op.rule.name == "with_attribute":
            elts = [op.values["x"]]
    return _named(elts), _named(either)


def _named(elts: Iterable[ast.expr | None]) -> set[str]:
    return {e.id for e in elts if isinstance(e, ast.Name)}


def _copies_dict(op: Operation) -> bool:
    return op.kind == "rule" and op.rule.name in DICT_COPIES


def _walks(op: Operation) -> bool:
    """Whether an operation gives what a loop goes over by an index: of a list, itself."""
    return op.kind == "rule" and bool(op.rule.name == "sequence")


TAKING = frozenset("getitem attribute kept_item".split())
VIEWS = frozenset(
    "sequence attribute with_attribute mutated tuple_of real imag conj_method real_if_close nan_to_num trim_zeros "
    "einsum einsum_one einsum_two reshape_ordered ravel_ordered view_as dict_get replace_item replace_field check_seed "
    "check_constant check_tangent".split()
)
OPEN = frozenset("mirror replace_item replace_field".split())  # what they give is, or holds, any of it


def _viewed(op: Operation) -> set[str]:
    """The operands that the result of a rule may be a view of: `mirror` is one of its last, others of their first."""
    if op.rule.name in ("mirror", "content_beside"):
        shown = op.values["shade" if op.rule.name == "mirror" else "b"]
        return {n.id for n in ast.walk(shown) if isinstance(n, ast.Name)}
    return set(op.operands)


def may_be_view(op: Operation) -> bool:
    """Whether the result of a rule may share storage with an operand."""
    copied = op.values.get("copy")
    if copied is not None and not (isinstance(copied, ast.Constant) and copied.value is True):
        return True
    return op.rule.name in VIEWS or (op.rule.kind == "linear" and op.rule.name not in FRESH)


FRESH = frozenset(
    "matmul dot inner outer vdot vecdot matvec vecmat tensordot kron einsum_one einsum_two einsum cross concatenate "
    "stack vstack hstack dstack column_stack block mean tile repeat roll pad diagflat tril triu array copy take trace "
    "copy_method astype full full_like own own_any content overwritten assigned gather_placed unmirror scatter "
    "copy_grad settled deepcopy cumsum cumulative_sum bincount convolve correlate fft ifft fft2 ifft2 fftn ifftn rfft "
    "irfft hfft ihfft rfft2 irfft2 rfftn irfftn fftshift ifftshift take_along_axis compress extract delete "
    "choose resize average linalg_trace add_reduceat persistent_array unheld".split()
)


def _generators(operations: Operations) -> frozenset[str]:
    """Names that only ever stand for generators of random numbers that are made here."""
    made = {t for op in operations.values() for t in op.targets if op.kind == "opaque" and is_drawing(op.callee)}
    return frozenset(made - {t for op in operations.values() for t in op.targets if not is_drawing(op.callee)})


def _given_generators(f: ast.FunctionDef, operations: Operations, parameters: frozenset[str]) -> frozenset[str]:
    """Parameters that are used as generators of random numbers are, and for nothing else but to be handed on."""
    asked = set()
    for op in operations.values():
        match op.value:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr=attr)) if v in parameters and attr in DRAWING:
                asked.add(v)
    if not asked:
        return frozenset()
    owners = [n.value for n in walk(f) if isinstance(n, ast.Attribute) and n.attr in DRAWING]
    handed = [a for n in walk(f) if isinstance(n, ast.Call) for a in n.args]
    used = [n for n in walk(f) if isinstance(n, ast.Name) and n.id in asked]
    return frozenset(asked - {n.id for n in used if not any(n is x for x in (*owners, *handed))})


def _returned_arguments(node: ast.Call, callee: Any, summaries: Summaries) -> Iterator[str]:
    code = getattr(callee, "__code__", None)
    if code is None:
        for a in (*node.args, *(k.value for k in node.keywords)):
            yield from base_names(a)
        return
    returned = summaries(callee).returned
    names = code.co_varnames[: code.co_argcount]
    for position, a in enumerate(node.args):
        if position >= len(names) or names[position] in returned:
            yield from base_names(a)
    for k in node.keywords:
        if k.arg is None or k.arg in returned:
            yield from base_names(k.value)
