"""Whether a backward pass takes the stores into an array back, one by one: then it sees what the forward pass saw.

for i in range(n):                       for i in reversed(range(n)):
    d_stack.append(d[i])                     ...                 d is here what it was behind `d[i] = t`
    d[i] = t                                 d[i] = d_stack.pop()
"""

from __future__ import annotations

import ast
from dataclasses import dataclass

from tangent.optimise.context import Body
from tangent.optimise.dead import Stacks
from tangent.optimise.shaped.mirrored import is_mirror
from tangent.optimise.shaped.sections import Sections
from tangent.syntax.rebuild import statements
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import expression_reads, writes


@dataclass
class Restored:
    """What is asked about one array; `lasting` are the lists that one loop fills and its mirror image empties."""

    array: str
    body: Body
    known: Sections
    stacks: Stacks
    lasting: frozenset[str]

    def __post_init__(self) -> None:
        self.stores = {x.statement for x in self.known.stores if x.array == self.array}
        self.bound: dict[str, int] = {}
        for s in statements(self.body):
            for v in writes(s):
                self.bound[v] = self.bound.get(v, 0) + 1

    def holds(self, store: ast.stmt, place: ast.stmt) -> bool:
        """Whether the array holds at a statement of the backward loop what it held right behind a store."""
        there, back = self.path(store), self.path(place)
        if not len(there) == len(back) > 1:
            return False
        i, j = self.body.index(there[0]), self.body.index(back[0])
        between = self.events(self.body[i + 1 : j])
        half = len(between) // 2
        if not self.are_undone(between[:half], between[half:]):
            return False
        loops = list(zip(there[:-1], back[:-1]))
        return all(self.is_undone(s, r) for s, r in loops) and all(
            len(self.events(s.body[s.body.index(x) + 1 :])) == len(self.events(r.body[: r.body.index(y)]))
            for (s, r), x, y in zip(loops, there[1:], back[1:])
            if isinstance(s, ast.For) and isinstance(r, ast.For)
        )

    def events(self, block: Body) -> Body:
        """The statements of a block in which something is stored into the array."""
        return [s for s in block if self.stores & set(statements([s]))]

    def are_undone(self, there: Body, back: Body) -> bool:
        return len(there) == len(back) and all(map(self.is_undone, there, reversed(back)))

    def is_undone(self, s: ast.stmt, r: ast.stmt) -> bool:
        """Whether a statement takes back what another one stores."""
        if isinstance(s, ast.For) and isinstance(r, ast.For):
            return is_mirror(s, r) and self.are_undone(self.events(s.body), self.events(r.body))
        return self.is_restore(s, r)

    def is_restore(self, s: ast.stmt, r: ast.stmt) -> bool:
        """Whether one statement puts back what another one overwrites: it was kept right before."""
        match s, r:
            case (
                ast.Assign(targets=[ast.Subscript(value=ast.Name(id=a)) as place])
                | ast.AugAssign(target=ast.Subscript(value=ast.Name(id=a)) as place),
                ast.Assign(targets=[ast.Subscript() as to]),
            ) if a == self.array and ast.unparse(place) == ast.unparse(to):
                kept = self.kept(r)
            case _:
                return False
        path = self.path(s)
        if not expression_reads(place.slice) <= _counters(path) & _counters(self.path(r)) | self.known.fixed:
            return False
        block = path[-2].body if len(path) > 1 and isinstance(path[-2], ast.For) else self.body
        old = f"{self.array}[{ast.unparse(place.slice)}]"
        for q in reversed(block[: block.index(s)]):
            if q in self.stores:
                return False
            if q is kept:
                value = q.value.args[0] if pushed(q) else q.value  # type: ignore[attr-defined]
                return ast.unparse(value) in (old, f"{old}.copy()")
        return False

    def kept(self, r: ast.Assign) -> ast.stmt | None:
        """The statement that keeps what another puts back: on a list, or under a name that has one value."""
        if (stack := popped(r)) in self.lasting:
            return self.stacks[stack].pushes[0]
        if isinstance(r.value, ast.Name) and self.bound.get(r.value.id) == 1:
            return next((s for s in self.body if r.value.id in writes(s)), None)
        return None

    def path(self, s: ast.stmt) -> list[ast.stmt]:
        """The loops around a statement, and itself; nothing where there is something else around it."""
        found: list[ast.stmt] = []
        block = self.body
        while s not in block:
            around = next(x for x in block if s in statements([x]))
            if not isinstance(around, ast.For):
                return []
            found.append(around)
            block = around.body
        return [*found, s]


def _counters(path: list[ast.stmt]) -> set[str]:
    """What loops count that nothing else in them changes."""
    loops = [s for s in path if isinstance(s, ast.For)]
    return {v for s in loops for v in writes(s)} - {v for s in loops for x in s.body for v in _changed(x, loops)}


def _changed(s: ast.stmt, loops: list[ast.For]) -> set[str]:
    return {v for x in statements([s]) if x not in loops for v in writes(x)}
