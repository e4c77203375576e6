"""Which tuples that recursive functions return hold tuples of the same making: what each call keeps.

def fib_fwd(x, n):
    a, fib_saved = fib_fwd(x, n - 1)
    ...
    return out, (a, fib_saved)                 the tuple at place (1,) of what fib_fwd returns

A variable has an origin: the function that made its value, and the place in what that returned. A tuple that is made
elsewhere in a function has a place below zero.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tangent.syntax.rebuild import rebuild, statements
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import arguments, writes
from tangent.transform.generated import Generated

Place = tuple[int, ...]
Origin = tuple[Generated, Place]
ROUNDS = 30  # what is found in one is known in the next


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
        self.literals: dict[Origin, ast.Tuple] = {(g, p): x for g in functions for p, x in _literals(g)}
        self.places = {x: o for o, x in self.literals.items()}
        self.same: dict[Origin, Origin] = {}
        self.conflicts = True
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
            if before == (self.origin, self.unclear) and self.parts_agree():
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
        for i, e in enumerate(self.literals[o].elts):
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
            case ast.Assign(targets=[target], value=ast.Tuple() as made) if made in self.places:
                self.bind(target, self.places[made], g)
            case ast.Assign(targets=[target], value=ast.Name(id=v)) if (found := self.of(g, v)) is not None:
                self.bind(target, found, g)
            case ast.Assign(
                targets=[target], value=ast.Subscript(value=ast.Name(id=v), slice=ast.Constant(value=int(i)))
            ) if (found := self.of(g, v)) is not None:
                self.bind(target, self.part(found, i), g)
            case ast.Assign(value=value) if not (
                (isinstance(value, ast.List) and not value.elts) or is_nothing(s) or self.nothing_of(s, g)
            ):
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
                elif isinstance(e, ast.Tuple):
                    self.put(callee, p, self.places.get(e))

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
        e = literal.elts[i] if literal is not None and i < len(literal.elts) else None
        return (self.of(g, e.id) if isinstance(e, ast.Name) else None) or (g, (*place, i))

    def put(self, g: Generated, v: str, o: Origin | None) -> None:
        if o is not None and not self.merged(self.found.setdefault((g, v), o), o):
            self.differing.add((g, v))

    def merged(self, a: Origin, b: Origin) -> bool:
        """Whether tuples of two origins are of one making, from now on if they look alike."""
        a, b = self.one_of(a), self.one_of(b)
        if a == b:
            return True
        if a not in self.literals or b not in self.literals or len(self.literals[a].elts) != len(self.literals[b].elts):
            return False
        self.same[b] = a
        return True

    def parts_agree(self) -> bool:
        """Whether tuples of one making hold tuples of one making; those that look alike are, from now on."""
        before, self.conflicts = len(self.same), False
        for b, a in [*self.same.items()]:
            for i in range(len(self.literals[b].elts)):
                x, y = self.one_of(self.part(a, i)), self.one_of(self.part(b, i))
                if x != y and (x in self.literals or y in self.literals) and not self.merged(x, y):
                    self.conflicts = True
        return len(self.same) == before

    def nothing_of(self, s: ast.stmt, g: Generated) -> str:
        """`bt = lazy_zero(t)` of a tuple that a function has made: t."""
        match s:
            case ast.Assign(
                targets=[ast.Name()],
                value=ast.Call(func=ast.Name(id="lazy_zero" | "init_grad"), args=[ast.Name(id=v)], keywords=[]),
            ) if self.of(g, v) is not None:
                return v
            case _:
                return ""

    def spell_out(self) -> bool:
        """Write `repack(t, a, b)` as `(a, b)`, where t is a tuple that a function has made; whether there was one."""
        found = False

        def change(e: ast.expr, g: Generated) -> ast.expr:
            nonlocal found
            match e:
                case ast.Call(func=ast.Name(id="repack"), args=[ast.Name(id=t), *parts], keywords=[]):
                    made = self.literals.get(o) if (o := self.of(g, t)) is not None else None
                    if made is not None and len(made.elts) == len(parts):
                        found = True
                        return ast.Tuple(parts, ast.Load())
            return e

        for g in self.functions:
            assert g.tree is not None
            g.tree = rebuild(g.tree, lambda e, g=g: change(e, g))  # type: ignore[misc]
        return found


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


def _literals(g: Generated) -> Iterator[tuple[Place, ast.Tuple]]:
    """The tuples in what a function returns, also under names that are set for that alone, and those that it makes."""
    assert g.tree is not None
    *body, last = g.tree.body
    named = {s.targets[0].id: s for s in body if isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name)}
    seen: set[ast.expr] = set()

    def parts(e: ast.expr | None, place: Place) -> Iterator[tuple[Place, ast.Tuple]]:
        match e:
            case ast.Tuple(elts=elts):
                seen.add(e)
                yield place, e
                for i, x in enumerate(elts):
                    yield from parts(x, (*place, i))
            case ast.Name(id=v) if v in named and not (place and place[0] < 0):
                yield from parts(named[v].value, place) if isinstance(named[v].value, ast.Tuple) else ()

    if isinstance(last, ast.Return):
        yield from parts(last.value, ())
    made = [e for s in statements(body) for e in _made_in(s, g)]
    for n, e in enumerate(made):
        if e not in seen:
            yield from parts(e, (-1 - n,))


def _made_in(s: ast.stmt, g: Generated) -> Iterator[ast.Tuple]:
    """The tuples that a statement names, or hands to another function of the module."""
    match s:
        case ast.Assign(value=ast.Tuple() as made):
            yield made
        case ast.Assign() | ast.Expr():
            for n in ast.walk(s):
                if isinstance(n, ast.Call) and isinstance(n.func, ast.Name):
                    if isinstance(g.externals.get(n.func.id), Generated):
                        yield from (e for e in (*n.args, *(k.value for k in n.keywords)) if isinstance(e, ast.Tuple))
