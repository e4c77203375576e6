"""Values computed from an array that is put back anyway are computed again, instead of being kept.

for _ in range(n):                       for _ in range(n):
    t = x * w                                t = x * w
    x_stack.append(x[:].copy())              x_stack.append(x[:].copy())
    x[:] = np.sin(t)                         x[:] = np.sin(t)
    t_stack.append(t)               ->   ...
...                                      for _ in reversed(range(n)):
for _ in reversed(range(n)):                 x[:] = x_stack.pop()
    t = t_stack.pop()                        t = x * w
    x[:] = x_stack.pop()                     bt = b * np.cos(t)
    bt = b * np.cos(t)

All stores into the array must be known, and each of the loop must be taken back in the other: then the array holds,
where the stores behind a value are taken back, what it held where the value was made.
"""

from __future__ import annotations

import ast
from collections import Counter
from dataclasses import dataclass

from tangent.optimise.context import Body
from tangent.optimise.dead import Stacks, local_stacks
from tangent.optimise.shaped.mirrored import mirrored
from tangent.optimise.shaped.sections import Facts, Sections, sections
from tangent.optimise.stored import stored
from tangent.syntax.quote import assign
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.records import popped, pushed
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.syntax.walk import walk

CHEAP = (ast.Add, ast.Sub, ast.Mult)
PLAIN = (
    ast.Name, ast.Constant, ast.Subscript, ast.Slice, ast.Tuple, ast.BinOp, ast.UnaryOp, ast.expr_context,
    ast.operator, ast.unaryop,
)  # fmt: skip


def again(body: Body, facts: Facts, shared: dict[str, str]) -> Body:
    """The body with fewer records."""
    lasting, stacks = mirrored(body), local_stacks(body)
    if len(lasting) < 2:
        return body
    known = sections(body, facts)
    for v in sorted(lasting):
        found = _Record(v, body, known, stacks, lasting, shared, facts).place()
        if found is not None:
            return again(found.applied(body), facts, shared)
    return body


@dataclass
class _Change:
    """A record that goes: its three statements, and the value that is computed after another statement."""

    gone: set[ast.stmt]
    block: Body
    place: int
    new: ast.stmt

    def applied(self, body: Body) -> Body:
        done: Body = []
        here = body is self.block
        if here and self.place < 0:
            done.append(self.new)
        for i, s in enumerate(body):
            if isinstance(s, ast.For):
                s = replace(s, body=self.applied(s.body) or [ast.Pass()])
            if s not in self.gone:
                done.append(s)
            if here and i == self.place:
                done.append(self.new)
        return done


class _Record:
    def __init__(
        self, stack: str, body: Body, known: Sections, stacks: Stacks, lasting: frozenset[str],
        shared: dict[str, str], facts: Facts,
    ) -> None:  # fmt: skip
        self.stack, self.body, self.known, self.stacks, self.lasting = stack, body, known, stacks, lasting
        self.facts = facts
        self.written = Counter(v for s in statements(body) for v in writes(s))
        given = [k.value for s in statements(body) for n in walk(s) if isinstance(n, ast.Call) for k in n.keywords]
        self.changed = stored(body) | shared.keys() | {e.id for e in given if isinstance(e, ast.Name)}  # such as out=
        (self.push,), (self.pop,) = stacks[stack].pushes, stacks[stack].pops
        self.there, self.here = self.nest_of(self.push), self.nest_of(self.pop)

    def nest_of(self, s: ast.stmt) -> list[ast.For]:
        """The loops around a statement."""
        found: list[ast.For] = []
        block = self.body
        while s not in block:
            loop = next(x for x in block if isinstance(x, ast.For) and s in set(statements(x.body)))
            found.append(loop)
            block = loop.body
        return found

    def place(self) -> _Change | None:
        """Where the value can be computed again."""
        made = self.made()
        if made is None:
            return None
        t = writes(made)[0]
        there, here = self.there[-1].body, self.here[-1].body
        arrays = {v for v in expression_reads(made.value) if v in self.changed}
        if t in self.changed or not arrays:
            return None
        if not all(self.is_lasting(v) for v in expression_reads(made.value) - arrays):
            return None
        place = -1
        for a in arrays:
            back = self.taken_back(a)
            if back is None:
                return None
            behind = [here.index(r) for s, r in back.items() if there.index(s) > there.index(made)]
            place = max([place, *behind])
            if any(here.index(r) <= place for s, r in back.items() if there.index(s) < there.index(made)):
                return None
        inside = {x for s in there for x in statements([s])}
        late = {x for s in here[place + 1 :] for x in statements([s])}
        if any(t in header_reads(s) for s in statements(self.body) if s not in inside | late):
            return None
        init = {s for s in self.body if self.stack in writes(s)}
        return _Change({self.push, self.pop, *init}, here, place, assign(t, made.value, made))

    def made(self) -> ast.Assign | None:
        """The statement that makes the value, where it is cheap and gives something new."""
        match self.push, self.pop:
            case ast.Expr(value=ast.Call(args=[ast.Name(id=t)])), ast.Assign(targets=[ast.Name(id=u)]) if t == u:
                found = [s for s in self.there[-1].body if t in writes(s)]
            case _:
                return None
        match found:
            case [ast.Assign(targets=[ast.Name()], value=ast.BinOp(op=op)) as made] if isinstance(op, CHEAP):
                plain = all(isinstance(n, PLAIN) for n in walk(made.value))
                return made if plain and self.written[t] == 2 else None
            case _:
                return None

    def is_lasting(self, v: str) -> bool:
        """Whether a name has one value, or counts the iterations of both loops."""
        if self.written[v] == 0:
            return True
        if self.written[v] == 2 and any(writes(a) == (v,) == writes(b) for a, b in zip(self.there, self.here)):
            return True
        start = self.body.index(self.there[0])
        made = [s for s in self.body[:start] if isinstance(s, ast.Assign) and v in writes(s)]
        new = bool(made) and isinstance(
            made[0].value, (ast.BinOp, ast.UnaryOp, ast.Constant)
        )  # and no part of an array
        return self.written[v] == 1 and bool(made) and (new or self.facts.ranks.get(v) == 0)

    def taken_back(self, a: str) -> dict[ast.stmt, ast.stmt] | None:
        """The stores of the forward loop into an array, each with the statement that takes it back."""
        there, here = self.there[-1].body, self.here[-1].body
        start = self.body.index(self.there[0])
        mine = list(dict.fromkeys(x.statement for x in self.known.stores if x.array == a))
        if not mine or a in self.known.given:
            return None
        first = [s for s in mine if s in there]
        back: dict[ast.stmt, ast.stmt] = {}
        for s in first:
            taken = self.restore(s, a, first)
            if taken is None:
                return None
            back[s] = taken
        early = set(self.body[:start])
        if not all(s in early or s in back or s in back.values() for s in mine):
            return None
        order = [here.index(r) for r in back.values()]
        ordered = [there.index(s) for s in back] == sorted(there.index(s) for s in back)
        return back if ordered and order == sorted(order, reverse=True) and len(set(order)) == len(order) else None

    def restore(self, s: ast.stmt, a: str, stores: list[ast.stmt]) -> ast.stmt | None:
        """The statement that puts back what a store overwrites."""
        place = s.targets[0] if isinstance(s, ast.Assign) else s.target if isinstance(s, ast.AugAssign) else None
        if not isinstance(place, ast.Subscript) or not isinstance(place.value, ast.Name) or place.value.id != a:
            return None
        if not all(isinstance(n, PLAIN) for n in walk(place.slice)):
            return None
        if not all(self.is_lasting(v) for v in expression_reads(place.slice)):
            return None
        there = self.there[-1].body
        old = f"{ast.unparse(replace(place, ctx=ast.Load()))}.copy()"
        for q in reversed(there[: there.index(s)]):
            if q in stores or not isinstance(q, (ast.Expr, ast.Assign)):
                break
            kept = q.value.args[0] if pushed(q) and isinstance(q.value, ast.Call) else q.value
            if ast.unparse(kept) == old:
                return self.put_back(q, place)
        return None

    def put_back(self, q: ast.Expr | ast.Assign, place: ast.Subscript) -> ast.stmt | None:
        """The store in the other loop of what was kept."""
        there, here = self.there[-1].body, self.here[-1].body
        stack, name = pushed(q), ""
        if not stack:
            name = writes(q)[0] if len(writes(q)) == 1 and self.written[writes(q)[0]] == 2 else ""
            pushes = [s for s in there if pushed(s) and ast.unparse(s.value.args[0]) == name]  # type: ignore[attr-defined]
            stack = pushed(pushes[0]) if name and len(pushes) == 1 else ""
        if stack not in self.lasting or self.stacks[stack].pops[0] not in here:
            return None
        pop = self.stacks[stack].pops[0]
        target = ast.unparse(place)
        for r in here[here.index(pop) :]:
            if isinstance(r, ast.Assign) and ast.unparse(r.targets[0]) == target:
                return r if r is pop and popped(r) else r if name and ast.unparse(r.value) == name else None
        return None
