"""Which tuples that recursive functions return hold tuples of the same making: what each call keeps.

def fib_fwd(x, n):
    a, fib_saved = fib_fwd(x, n - 1)
    ...
    return out, (a, fib_saved)                 the tuple at place (1,) of what fib_fwd returns

A variable has an origin: the function that made its value, and the place in what that returned.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass

from tangent.optimise.dead import popped, pushed
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import arguments, writes
from tangent.transform.generated import Generated

Place = tuple[int, ...]
Origin = tuple[Generated, Place]
ROUNDS = 30  # what is found in one is known in the next


@dataclass(frozen=True)
class Literal:
    """A tuple that a function returns, and the statement at the end of it that makes the tuple."""

    node: ast.Tuple
    statement: ast.stmt


def reached(g: Generated) -> list[Generated]:
    """The functions that a function calls, one way or another."""
    found = [e for e in g.externals.values() if isinstance(e, Generated)]
    for other in found:
        found += [e for e in other.externals.values() if isinstance(e, Generated) and e not in found]
    return found


class Nesting:
    """`origin[g, v]` of variables, and the tuples that hold others of their own making."""

    def __init__(self, functions: list[Generated]) -> None:
        self.functions = functions
        self.literals = {(g, p): x for g in functions for p, x in _literals(g)}
        self.same: dict[Origin, Origin] = {}
        self.origin: dict[tuple[Generated, str], Origin] = {}
        self.unclear: set[tuple[Generated, str]] = set()
        for _ in range(ROUNDS):
            before = self.origin, self.unclear
            self.found: dict[tuple[Generated, str], Origin] = {}
            self.differing: set[tuple[Generated, str]] = set()
            for g in functions:
                assert g.tree is not None
                for s in statements(g.tree.body):
                    self.statement(s, g)
            self.origin, self.unclear = self.found, self.differing
            if before == (self.origin, self.unclear):
                break
        self.states = [o for o in self.literals if self.one_of(o) in self.inside(o)]

    def of(self, g: Generated, v: str) -> Origin | None:
        found = self.origin.get((g, v)) if (g, v) not in self.unclear else None
        return self.one_of(found) if found is not None else None

    def one_of(self, o: Origin) -> Origin:
        """The same for all tuples that one function takes apart: those of a function and of another form of it."""
        while o in self.same:
            o = self.same[o]
        return o

    def inside(self, o: Origin) -> list[Origin]:
        """The tuples that one holds, directly or in others."""
        found = list(self.held(o))
        for other in found:
            found += [x for x in self.held(other) if x not in found]
        return found

    def held(self, o: Origin) -> Iterator[Origin]:
        g, place = o
        if o not in self.literals:
            return
        for i, e in enumerate(self.literals[o].node.elts):
            if isinstance(e, ast.Name) and (found := self.of(g, e.id)) is not None:
                yield found
            elif isinstance(e, (ast.Tuple, ast.Name)):
                yield self.one_of((g, (*place, i)))

    def statement(self, s: ast.stmt, g: Generated) -> None:
        for n in ast.walk(s) if not isinstance(s, (ast.If, ast.For, ast.While)) else ():
            if isinstance(n, ast.Call):
                self.call(n, g)
        match s:
            case ast.Assign(targets=[ast.Name(id=v)]) if stack := popped(s):
                self.put(g, v, self.of(g, stack))
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=stack)), args=[ast.Name(id=v)])) if (
                pushed(s)
            ):
                self.put(g, stack, self.of(g, v))
            case ast.Assign(targets=[target], value=ast.Call(func=ast.Name(id=f))) if isinstance(
                made := g.externals.get(f), Generated
            ):
                self.bind(target, (made, ()), g)
            case ast.Assign(targets=[target], value=ast.Name(id=v)) if (found := self.of(g, v)) is not None:
                self.bind(target, found, g)
            case ast.Assign(
                targets=[target], value=ast.Subscript(value=ast.Name(id=v), slice=ast.Constant(value=int(i)))
            ) if (found := self.of(g, v)) is not None:
                self.bind(target, self.part(found, i), g)
            case ast.Assign(value=value) if not (isinstance(value, ast.List) and not value.elts) and not is_nothing(s):
                for v in writes(s):
                    if (g, v) in self.origin:
                        self.differing.add((g, v))

    def call(self, n: ast.Call, g: Generated) -> None:
        """What parameters are given."""
        callee = g.externals.get(n.func.id) if isinstance(n.func, ast.Name) else None
        if isinstance(callee, Generated) and callee.tree is not None:
            given = dict(zip((a.arg for a in arguments(callee.tree.args)), n.args))
            for p, e in (given | {k.arg: k.value for k in n.keywords if k.arg}).items():
                if isinstance(e, ast.Name):
                    self.put(callee, p, self.of(g, e.id))

    def bind(self, target: ast.expr, o: Origin, g: Generated) -> None:
        match target:
            case ast.Name(id=v):
                self.put(g, v, o)
            case ast.Tuple(elts=elts):
                for i, e in enumerate(elts):
                    self.bind(e, self.part(o, i), g)

    def part(self, o: Origin, i: int) -> Origin:
        """An item of a tuple; where that was made elsewhere, it comes from there."""
        g, place = o
        literal = self.literals.get(o)
        e = literal.node.elts[i] if literal is not None and i < len(literal.node.elts) else None
        return (self.of(g, e.id) if isinstance(e, ast.Name) else None) or (g, (*place, i))

    def put(self, g: Generated, v: str, o: Origin | None) -> None:
        if o is None or (known := self.one_of(self.found.setdefault((g, v), o))) == (o := self.one_of(o)):
            return
        both = [len(self.literals[x].node.elts) for x in (known, o) if x in self.literals]
        if len(both) == 2 and both[0] == both[1] and known[1] == o[1]:
            self.same[o] = known
        else:
            self.differing.add((g, v))


def is_nothing(s: ast.stmt) -> bool:
    """`t = None`, and `dt = init_grad(None)` beside it."""
    match s:
        case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=None)):
            return True
        case ast.Assign(
            targets=[ast.Name()],
            value=ast.Call(func=ast.Name(id="init_grad"), args=[ast.Constant(value=None)], keywords=[]),
        ):
            return True
        case _:
            return False


def _literals(g: Generated) -> Iterator[tuple[Place, Literal]]:
    """The tuples in what a function returns, also under names that are set for that alone."""
    assert g.tree is not None
    *body, last = g.tree.body
    named = {s.targets[0].id: s for s in body if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)}

    def parts(e: ast.expr | None, place: Place, s: ast.stmt) -> Iterator[tuple[Place, Literal]]:
        match e:
            case ast.Tuple(elts=elts):
                yield place, Literal(e, s)
                for i, x in enumerate(elts):
                    yield from parts(x, (*place, i), s)
            case ast.Name(id=v) if v in named and isinstance(named[v].value, ast.Tuple):
                yield from parts(named[v].value, place, named[v])

    if isinstance(last, ast.Return):
        yield from parts(last.value, (), last)
