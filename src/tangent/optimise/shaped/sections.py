"""Which parts of arrays are read and written, in which order, where loops count through them.

a[k + 1:, k] and a[:, k'] do not meet where k' < k
"""

from __future__ import annotations

import ast
from collections.abc import Callable, Iterator
from dataclasses import dataclass, field
from typing import Any

import numpy as np

from tangent.optimise.context import Body
from tangent.optimise.held import is_new, keeps
from tangent.optimise.purity import WRITING_FUNCTIONS
from tangent.optimise.typed.affine import Sum, added, difference, in_terms_of, linear, possible
from tangent.optimise.typed.lengths import lengths
from tangent.optimise.typed.reach import Access, Accesses, Nest, instance
from tangent.source.resolve import MISSING
from tangent.syntax.print import Comment
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import COMPREHENSIONS, header_reads, writes
from tangent.syntax.walk import walk

Resolve = Callable[[ast.expr], Any]
Interval = tuple[Sum, Sum | None]  # from the first place on, up to before the second
MOST = 80  # accesses of an array
HARMLESS = frozenset({"shape", "size", "ndim", "dtype"})
OPAQUE = (ast.Lambda, ast.NamedExpr, ast.Yield, ast.Await, *COMPREHENSIONS)


@dataclass(frozen=True)
class Facts:
    """What is known of a function: its parameters, those that are integers, the ranks of arrays, what names mean, and
    which names may stand for the same memory."""

    parameters: list[str]
    integers: set[str]
    ranks: dict[str, int]
    resolve: Resolve
    shared: dict[str, str] = field(default_factory=dict)

    def given(self) -> dict[str, str]:
        """The arrays that are arguments and that are written into, by all names for them."""
        classes: dict[str, list[str]] = {}
        for v in self.parameters:
            if v in self.shared:
                classes.setdefault(self.shared[v], []).append(v)
        alone = {c: found[0] for c, found in classes.items() if len(found) == 1}
        return {v: alone[c] for v, c in self.shared.items() if c in alone}

    def holds(self, e: ast.expr, v: str) -> bool:
        """Whether the value of an expression may refer to an array: an element does not, nor does a length."""
        match e:
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name()]):
                return False
            case ast.Call(func=func, args=args, keywords=[]) if any(self.resolve(func) is f for f in (min, max, float)):
                return any(self.holds(a, v) for a in args)
            case ast.Subscript(value=ast.Name(id=w), slice=index) if w == v:
                parts = index.elts if isinstance(index, ast.Tuple) else [index]
                counted = not any(isinstance(p, ast.Slice) or _is_special(p) for p in parts)
                return not (counted and len(parts) == self.ranks.get(v, -1))
            case _:
                return keeps(e, v, self.resolve)


@dataclass
class Sections(Accesses):
    """Reads and stores of arrays, where an index may have slices; `integers` are names that count places, `given`
    the arrays that the caller holds, too."""

    integers: frozenset[str] = frozenset()
    given: frozenset[str] = frozenset()

    def outside(self, v: str) -> str | None:
        return v if v in self.integers else in_terms_of(v, self.fixed) if not v.isidentifier() else None

    def meets(self, first: Access, second: Access) -> bool:
        """Whether the same iteration touches a place in both ways."""
        return self.together(first, second, min(len(first.nest), len(second.nest)), later=False)

    def together(self, first: Access, second: Access, depth: int, later: bool = True) -> bool:
        one, two = instance(first.nest, depth, "'"), instance(second.nest, depth, '"')
        sums = [*self.bounds(first.nest, one), *self.bounds(second.nest, two)]
        if later and depth < min(len(first.nest), len(second.nest)) and first.nest[depth] is second.nest[depth]:
            sums += self.ordered(first.nest[depth], one, two)
        for x, y in zip(self.intervals(first, one), self.intervals(second, two)):
            for (low, _), (_, high) in ((x, y), (y, x)):
                if high is not None:
                    sums.append(difference(high, low, 1))
            sums += [difference(high, low, 1) for low, high in (x, y) if high is not None]
        return possible(sums)

    def intervals(self, access: Access, names: dict[ast.stmt, str]) -> Iterator[Interval]:
        """The places that an access touches, axis by axis; more than these where that is not known."""
        for k, part in enumerate(access.index or ()):
            if isinstance(part, ast.Slice):
                low, high = (self.place_of(e, access, k, names) for e in (part.lower, part.upper))
                yield low or {}, high
            else:
                at = self.place_of(part, access, k, names)
                yield ({}, None) if at is None else (at, added(at, {"": 1}))

    def place_of(self, e: ast.expr | None, access: Access, axis: int, names: dict[ast.stmt, str]) -> Sum | None:
        """A bound that is surely not counted from the end, or is and the length of the axis is known."""
        if e is None:
            return None
        match e:
            case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(n))) if n > 0:
                length = self.lengths.get(f"{access.array}.shape[{axis}]")
                return None if length is None else added(length, {"": -n})
        plain = instance(access.nest, 0, "")
        found = self.linear(e, access.nest, plain)
        bounds = list(self.bounds(access.nest, plain))
        if found is None or possible([*bounds, difference({}, found, 1)]):
            return None
        return self.linear(e, access.nest, names)


def sections(body: Body, facts: Facts, inside: bool = False) -> Sections:
    """The accesses to arrays that are made in a function and that nothing outside of it holds, and to those that it is
    given to write into; `inside`: also to those that each iteration of a loop makes for itself."""
    once = _once(body, facts)
    found = Sections(frozenset(once | _unassigned(body, facts.parameters)))
    found.integers = _integers(body, once, facts.integers & found.fixed, found)
    found.lengths = {v: n for v, n in lengths(body, found.fixed).items() if "." in v or v in found.integers}
    arrays = {v for v in once if _is_made(body, v, facts.resolve)}
    names = {v: v for v in arrays}
    given = {v: a for v, a in facts.given().items() if a in found.fixed}
    found.given = frozenset(given.values()) - {given[v] for v in arrays & given.keys()}
    names |= {v: a for v, a in given.items() if a in found.given}
    arrays |= found.given
    inner = _inside(body, facts) if inside else {}
    made = {v: depth for v, (s, depth) in inner.items() if _is_own(s.value, facts.resolve)}
    arrays |= made.keys()
    names |= {v: v for v in made}
    for s in statements(body):  # other names for them, or for parts of them
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if v not in arrays:
                for a in [names[w] for w in list(names) if facts.holds(value, w)]:
                    if names.setdefault(v, a) != a or (a in made and v not in inner):
                        arrays -= {a, names[v]}
    if arrays and not any(isinstance(n, OPAQUE) for s in body for n in walk(s)):
        collector = _Collector(found, names, facts)
        collector.block(body, ())
        arrays -= collector.lost
    else:
        arrays = set()
    found.depths = {a: depth for a, depth in made.items() if a in arrays}
    every = [*found.reads, *found.stores]
    arrays = {a for a in arrays if sum(x.array == a for x in every) <= MOST}
    found.reads = [x for x in found.reads if x.array in arrays]
    found.stores = [x for x in found.stores if x.array in arrays]
    return found


def _integers(body: Body, once: set[str], integers: set[str], found: Sections) -> frozenset[str]:
    """Names that only ever are integers: arguments, lengths, and sums of these."""
    found.integers = frozenset(integers)
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=ast.Attribute(attr="shape")):
                found.integers |= {e.id for e in elts if isinstance(e, ast.Name) and e.id in once}
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if v in once:
                if linear(value, found.outside) is not None:
                    found.integers |= {v}
    return found.integers


def _once(body: Body, facts: Facts) -> set[str]:
    """Names that are bound once, outside of loops and branches; sums in place do not bind arrays anew."""
    made: dict[str, list[ast.stmt]] = {}
    for s in statements(body):
        for v in writes(s):
            made.setdefault(v, []).append(s)
    top = {s for s in body if isinstance(s, ast.Assign)}
    once = {v for v, found in made.items() if found[0] in top and _is_bound_once(found, facts.ranks.get(v, 0) > 0)}
    return once - set(facts.parameters)


def _is_bound_once(made: list[ast.stmt], array: bool) -> bool:
    """Whether a name is bound by its first statement alone: shadows, zeros and other arrays are summed into."""
    match made:
        case [_]:
            return True
        case [ast.Assign(targets=[ast.Name()], value=value), *rest] if all(isinstance(s, ast.AugAssign) for s in rest):
            func = value.func if isinstance(value, ast.Call) else None
            maker = func.id.rstrip("_") if isinstance(func, ast.Name) else getattr(func, "attr", "")
            return array or maker in ("shadow", "zeros", "zeros_like")
        case _:
            return False


def _inside(body: Body, facts: Facts) -> dict[str, tuple[ast.Assign, int]]:
    """Names that are bound once, in a loop, and used behind that in the same block: each iteration has its own."""
    bound: dict[str, list[ast.stmt]] = {}
    for s in statements(body):
        for v in writes(s):
            bound.setdefault(v, []).append(s)
    found: dict[str, tuple[ast.Assign, int]] = {}

    def block(inner: Body, depth: int) -> None:
        for i, s in enumerate(inner):
            match s:
                case ast.For() | ast.While():
                    block(s.body, depth + 1)
                case ast.If():
                    block(s.body, depth)
                    block(s.orelse, depth)
                case ast.Assign(targets=[ast.Name(id=v)]) if depth and bound[v][0] is s:
                    once = _is_bound_once(bound[v], facts.ranks.get(v, 0) > 0)
                    if once and v not in header_reads(s) and uses[v] <= set(statements(inner[i:])):
                        found[v] = s, depth

    uses: dict[str, set[ast.stmt]] = {v: set() for v in bound}
    for s in statements(body):
        for v in header_reads(s) & bound.keys():
            uses[v].add(s)
    block(body, 0)
    return found


def _unassigned(body: Body, parameters: list[str]) -> set[str]:
    return set(parameters) - {v for s in statements(body) for v in writes(s)}


def _is_made(body: Body, v: str, resolve: Resolve) -> bool:
    for s in body:
        match s:
            case ast.Assign(targets=[ast.Name(id=w)], value=value) if w == v:
                return _is_own(value, resolve)
    return False


def _is_own(e: ast.expr, resolve: Resolve) -> bool:
    """Whether an expression gives an array that nothing else holds."""
    match e:
        case ast.BinOp():
            return is_new(e, resolve)
        case ast.Call(func=ast.Attribute(attr="copy"), args=[], keywords=[]) if resolve(e.func) is MISSING:
            return True
        case ast.Call(func=func):
            found = resolve(func)
            makers = (np.zeros, np.ones, np.empty, np.full, np.zeros_like, np.ones_like, np.empty_like, np.full_like)
            return any(found is f for f in makers) or _name_of(found) == "shadow"
        case _:
            return False


def _name_of(found: Any) -> str:
    ours = str(getattr(found, "__module__", "")).startswith("tangent.runtime")
    return getattr(found, "__name__", "") if ours else ""


class _Collector:
    def __init__(self, found: Sections, names: dict[str, str], facts: Facts) -> None:
        self.found, self.names, self.facts, self.resolve = found, names, facts, facts.resolve
        self.lost: set[str] = set()  # arrays that get out of sight
        self.count = 0

    def block(self, body: Body, nest: Nest) -> None:
        for s in body:
            self.count += 1
            self.found.positions[s] = self.count
            match s:
                case Comment() | ast.Pass() | ast.Break():
                    pass
                case ast.If(test=test, body=then, orelse=other) if type(s) is ast.If:
                    self.note(test, s, nest)
                    self.block(then, nest)
                    self.block(other, nest)
                case ast.For(iter=iter, body=inner, orelse=[]) if type(s) is ast.For:
                    self.note(iter, s, nest)
                    self.block(inner, (*nest, s))
                case ast.While(test=test, body=inner, orelse=[]) if type(s) is ast.While:
                    self.note(test, s, (*nest, s))
                    self.block(inner, (*nest, s))
                case ast.Assign(targets=[target], value=value):
                    self.note(value, s, nest)
                    self.escapes(target, value)
                    self.count += 1
                    self.note(target, s, nest)
                case ast.AugAssign(target=target, value=value):
                    self.note(value, s, nest)
                    self.count += 1
                    self.note(target, s, nest)
                case ast.Expr(value=ast.Call(func=ast.Attribute(attr="append"), args=[item])):
                    self.note(item, s, nest)
                    self.lost |= {self.names[v] for v in self.names if self.facts.holds(item, v)}
                case ast.Expr(value=value) | ast.Return(value=ast.expr() as value):
                    self.note(value, s, nest)
                case _:
                    self.lost |= {self.names[n.id] for n in walk(s) if self.is_known(n)}  # type: ignore[attr-defined]

    def is_known(self, n: ast.AST) -> bool:
        return isinstance(n, ast.Name) and n.id in self.names

    def escapes(self, target: ast.expr, value: ast.expr) -> None:
        """What is put into something else than a name is out of sight, unless its content is copied."""
        if isinstance(target, ast.Name):
            return
        if not isinstance(target, ast.Subscript) or not self.is_known(target.value):
            self.lost |= {self.names[v] for v in self.names if self.facts.holds(value, v)}

    def note(self, e: ast.AST, s: ast.stmt, nest: Nest) -> None:
        match e:
            case ast.Subscript(value=ast.Name(id=v), slice=index) if v in self.names:
                parts = tuple(index.elts) if isinstance(index, ast.Tuple) else (index,)
                plain = v == self.names[v] and not any(map(_is_special, parts))
                self.access(self.names[v], parts if plain else None, e.ctx, s, nest)
                self.note(index, s, nest)
            case ast.Attribute(value=ast.Name(id=v), attr=attr) if v in self.names and attr in HARMLESS:
                return
            case ast.Call(func=ast.Name(id="len"), args=[ast.Name()]):
                return
            case ast.Call(func=func, args=args) if not self.only_computes(func):
                handed = {self.names[n.id] for a in args for n in walk(a) if self.is_known(n)}  # type: ignore[attr-defined]
                self.lost |= handed if not self.is_ours(func) else set()
                for a in sorted(handed):
                    self.access(a, None, ast.Store(), s, nest)
                self.children(e, s, nest)
            case ast.Name(id=v) if v in self.names:
                first = isinstance(s, ast.Assign) and isinstance(e.ctx, ast.Store)
                if not first:
                    self.access(self.names[v], None, e.ctx, s, nest)
            case _:
                self.children(e, s, nest)

    def children(self, e: ast.AST, s: ast.stmt, nest: Nest) -> None:
        for child in ast.iter_child_nodes(e):
            self.note(child, s, nest)

    def access(
        self, a: str, parts: tuple[ast.expr, ...] | None, ctx: ast.expr_context, s: ast.stmt, nest: Nest
    ) -> None:
        access = Access(a, parts, nest, self.count, s)
        if isinstance(ctx, ast.Store):
            self.found.stores.append(access)
        if not isinstance(ctx, ast.Store) or isinstance(s, ast.AugAssign) or parts is None:
            self.found.reads.append(access)

    def only_computes(self, func: ast.expr) -> bool:
        found = self.resolve(func)
        if found is MISSING:
            return isinstance(func, ast.Attribute) and func.attr in ("copy", "sum", "pop")
        if isinstance(found, np.ufunc):
            return True
        if name := _name_of(found):
            return name not in WRITING_FUNCTIONS
        module = str(getattr(found, "__module__", "") or "")
        return (module.split(".")[0] == "numpy" and name_is_plain(found)) or module in ("builtins", "math")

    def is_ours(self, func: ast.expr) -> bool:
        return bool(_name_of(self.resolve(func)))


def name_is_plain(found: Any) -> bool:
    """Whether a function of NumPy writes into none of its arguments."""
    return getattr(found, "__name__", "") not in (
        "copyto",
        "put",
        "putmask",
        "place",
        "fill_diagonal",
        "put_along_axis",
        "at",
    )


def _is_special(part: ast.expr) -> bool:
    """Whether a part of an index is neither a number nor a slice, or has steps."""
    if isinstance(part, ast.Slice):
        return part.step is not None
    return isinstance(part, ast.Starred) or (isinstance(part, ast.Constant) and type(part.value) is not int)
