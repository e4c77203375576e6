"""Which elements of arrays loops touch, and in which order: may one access see what another has written?

for i in reversed(range(n)):
    x[i] = 0.0                      reads of x[j] come before the store to x[i] with i = j: j runs below i, and
    for j in range(i):              i runs down
        s += x[j]
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tangent.optimise.typed.affine import Sum, difference, in_terms_of, linear, possible
from tangent.optimise.typed.lengths import Lengths, lengths, meant
from tangent.optimise.typed.records import READERS
from tangent.syntax.core import is_range
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import writes

Nest = tuple[ast.stmt, ...]


@dataclass(frozen=True)
class Access:
    """An element of an array that a statement touches: index None where it may be any; `adds` for `a[i] += v`."""

    array: str
    index: tuple[ast.expr, ...] | None
    nest: Nest
    position: int
    statement: ast.stmt
    adds: bool = False


@dataclass
class Accesses:
    """All reads and stores of a function, and the names whose values stay the same."""

    fixed: frozenset[str]
    reads: list[Access] = field(default_factory=list)
    stores: list[Access] = field(default_factory=list)
    positions: dict[ast.stmt, int] = field(default_factory=dict)
    lengths: Lengths = field(default_factory=dict)
    counted: dict[Access, list[bool]] = field(default_factory=dict)
    depths: dict[str, int] = field(default_factory=dict)  # loops of which each iteration makes an array anew

    def follows(self, first: Access, second: Access) -> bool:
        """Whether the second may happen after the first, at the same element."""
        if first.array != second.array:
            return False
        common = 0
        while common < min(len(first.nest), len(second.nest)) and first.nest[common] is second.nest[common]:
            common += 1
        outside = self.depths.get(first.array, 0)
        return any(self.together(first, second, depth) for depth in range(outside, common)) or (
            first.position < second.position and self.together(first, second, common)
        )

    def together(self, first: Access, second: Access, depth: int, later: bool = True) -> bool:
        """Whether both meet at one element, in the same iterations of the loops outside of `depth`, and a later one
        (or any) of the loop at `depth`."""
        one = instance(first.nest, depth, "'")
        two = instance(second.nest, depth, '"')
        sums = [*self.bounds(first.nest, one), *self.bounds(second.nest, two)]
        if later and depth < len(first.nest) and depth < len(second.nest) and first.nest[depth] is second.nest[depth]:
            sums += self.ordered(first.nest[depth], one, two)
        here, there = self.place(first, one), self.place(second, two)
        for x, y in zip(here, there) if len(here) == len(there) else ():
            if x is not None and y is not None:
                sums += [difference(x, y), difference(y, x)]
        return possible(sums)

    def ordered(self, loop: ast.stmt, one: dict[ast.stmt, str], two: dict[ast.stmt, str]) -> list[Sum]:
        """What holds of the counters of two iterations of a loop, the second a later one."""
        direction = _direction(loop)
        if not direction or not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
            return []
        a, b = {one[loop]: 1}, {two[loop]: 1}
        return [difference(b, a, 1) if direction > 0 else difference(a, b, 1)]

    def place(self, access: Access, names: dict[ast.stmt, str]) -> list[Sum | None]:
        """The index of an access, axis by axis; None where it is not known, or may count from the end."""
        if access not in self.counted:
            plain = instance(access.nest, 0, "")
            bounds = list(self.bounds(access.nest, plain))
            found = [self.linear(p, access.nest, plain) for p in access.index or ()]
            self.counted[access] = [x is not None and not possible([*bounds, difference({}, x, 1)]) for x in found]
        good = self.counted[access]
        return [self.linear(p, access.nest, names) if g else None for p, g in zip(access.index or (), good)]

    def linear(self, e: ast.expr, nest: Nest, names: dict[ast.stmt, str]) -> Sum | None:
        """An expression inside of a nest, in terms of the variables of its loops and of fixed names."""

        def variable(v: str) -> str | None:
            for loop in reversed(nest):
                if v in writes(loop):
                    return names.get(loop) if _direction(loop) else None
            return self.outside(v)

        return meant(linear(e, variable), self.lengths)

    def outside(self, v: str) -> str | None:
        """What a name that no loop counts is called in sums."""
        return in_terms_of(v, self.fixed)

    def within(self, access: Access) -> bool:
        """Whether an element is surely there, whatever the loops around it do."""
        plain = instance(access.nest, 0, "")
        bounds = list(self.bounds(access.nest, plain))
        for k, p in enumerate(access.index or ()):
            place, size = self.linear(p, access.nest, plain), self.lengths.get(f"{access.array}.shape[{k}]")
            if place is None or size is None:
                return False
            if possible([*bounds, difference(place, size)]) or possible([*bounds, difference({}, place, 1)]):
                return False
        return access.index is not None

    def bounds(self, nest: Nest, names: dict[ast.stmt, str]) -> Iterator[Sum]:
        """What the variables of a nest are not below and not above."""
        for k, loop in enumerate(nest):
            found = limits(loop)
            if found is None:
                continue
            i = {names[loop]: 1}
            low, high = (self.linear(e, nest[:k], names) for e in found)
            if low is not None:
                yield difference(i, low)
            if high is not None:
                yield difference(high, i, 1)


def instance(nest: Nest, depth: int, mark: str) -> dict[ast.stmt, str]:
    """Names for the variables of a nest; those of the loops outside of `depth` are the same for all."""
    found: dict[ast.stmt, str] = {}
    for k, loop in enumerate(nest):
        if isinstance(loop, ast.For) and isinstance(loop.target, ast.Name):
            found[loop] = f"{loop.target.id}@{k}" + ("" if k < depth else mark)
    return found


def _direction(loop: ast.stmt) -> int:
    """1 for a loop that counts up, -1 for one that counts down, 0 for any other."""
    return 0 if limits(loop) is None else -1 if _counts_down(loop) else 1


def _counts_down(loop: ast.stmt) -> bool:
    assert isinstance(loop, ast.For)
    match loop.iter:
        case ast.Call(func=ast.Name(id="reversed"), args=[ast.Call(args=args)]):
            return not _is_down(args)
        case ast.Call(args=args):
            return _is_down(args)
        case _:
            return False


def _is_down(args: list[ast.expr]) -> bool:
    return len(args) == 3 and isinstance(args[2], ast.UnaryOp)


def limits(loop: ast.stmt) -> tuple[ast.expr, ast.expr] | None:
    """The least value of a loop's variable and the first above, where it runs over a range and keeps its value."""
    if not isinstance(loop, ast.For) or not isinstance(loop.target, ast.Name):
        return None
    iter = loop.iter
    if isinstance(iter, ast.Call) and isinstance(iter.func, ast.Name) and iter.func.id == "reversed" and iter.args:
        iter = iter.args[0]
    if not is_range(iter) or not isinstance(iter, ast.Call):
        return None
    if any(loop.target.id in writes(s) for s in statements(loop.body)):
        return None
    match iter.args:
        case [stop]:
            return ast.Constant(0), stop
        case [start, stop]:
            return start, stop
        case [start, stop, ast.Constant(value=int(k))] if k > 0:
            return start, stop
        case [start, stop, ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int(k)))] if k > 0:
            return ast.BinOp(stop, ast.Add(), ast.Constant(1)), ast.BinOp(start, ast.Add(), ast.Constant(1))
        case _:
            return None


def accesses(body: list[ast.stmt], fixed: frozenset[str], arrays: frozenset[str]) -> Accesses:
    """What a body does with some arrays, each of which has one name."""
    found = Accesses(fixed, lengths=lengths(body, fixed))
    count = 0

    def walk(stmts: list[ast.stmt], nest: Nest) -> None:
        nonlocal count
        for s in stmts:
            count += 1
            found.positions[s] = count
            match s:
                case ast.If(test=test, body=then, orelse=other):
                    _note(test, s, nest, count, found, arrays)
                    walk(then, nest)
                    walk(other, nest)
                case ast.For(iter=iter, body=inner):
                    _note(iter, s, nest, count, found, arrays)
                    walk(inner, (*nest, s))
                case ast.While(test=test, body=inner):
                    _note(test, s, (*nest, s), count, found, arrays)
                    walk(inner, (*nest, s))
                case ast.Assign(targets=targets, value=value):
                    _note(value, s, nest, count, found, arrays)
                    count += 1
                    for t in targets:
                        _note(t, s, nest, count, found, arrays)
                case _:
                    _note(s, s, nest, count, found, arrays)

    walk(body, ())
    return found


def _note(e: ast.AST, s: ast.stmt, nest: Nest, position: int, found: Accesses, arrays: frozenset[str]) -> None:
    """The accesses inside of an expression or a statement."""
    match e:
        case ast.Subscript(value=ast.Name(id=a), slice=index) if a in arrays:
            parts = tuple(index.elts) if isinstance(index, ast.Tuple) else (index,)
            adds = isinstance(s, ast.AugAssign) and e is s.target and isinstance(s.op, (ast.Add, ast.Sub))
            access = Access(a, None if _selects(parts) else parts, nest, position, s, adds)
            if isinstance(e.ctx, ast.Store):
                found.stores.append(access)
                if isinstance(s, ast.AugAssign):
                    found.reads.append(access)
            else:
                found.reads.append(access)
            _note(index, s, nest, position, found, arrays)
        case ast.Attribute(value=ast.Name(), attr="shape" | "size" | "ndim" | "dtype"):
            return
        case ast.Call(func=ast.Name(id="len" | "shadow" | "init_grad" | "lazy_zero"), args=[ast.Name()]):
            return
        case ast.Call(func=ast.Attribute(attr="zeros_like" | "ones_like" | "empty_like"), args=[ast.Name()]):
            return
        case ast.Name(id=a) if a in arrays:
            if isinstance(e.ctx, ast.Load):
                found.reads.append(Access(a, None, nest, position, s))
            if not isinstance(e.ctx, ast.Load) or _may_write(s):
                found.stores.append(Access(a, None, nest, position, s))
        case _:
            for child in ast.iter_child_nodes(e):
                _note(child, s, nest, position, found, arrays)


def _selects(parts: tuple[ast.expr, ...]) -> bool:
    """Whether an index names more than one element, as far as can be seen."""
    return any(
        isinstance(p, ast.Slice) or (isinstance(p, ast.Constant) and not isinstance(p.value, int)) for p in parts
    )


def _may_write(s: ast.stmt) -> bool:
    """Whether a statement calls something that may write into its arguments."""
    return any(
        isinstance(n, ast.Call) and not (isinstance(n.func, ast.Name) and n.func.id in READERS) for n in ast.walk(s)
    )
