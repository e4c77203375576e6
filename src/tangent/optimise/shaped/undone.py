"""A backward pass that takes the changes of an array back can read its parts again, instead of keeping them.

t = x[i]; u = x[j]                       t = x[i]; u = x[j]
x = setitem(x, i, t * u)                 x = setitem(x, i, t * u)
t_stack.append(t); u_stack.append(u)     t_stack.append(t)
...                                ->    ...
u = u_stack.pop(); t = t_stack.pop()     t = t_stack.pop()
                                         x = setitem(x, i, t)
                                         u = x[j]

The loops of both passes are paired by the lists that are filled in one and emptied in the other. Where they count from
zero, rows are not kept on a list, but in an array with a place for each: `t_kept[i, j] = x[m + i]`.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass, field

from tangent.optimise.context import Body
from tangent.optimise.dead import Stack, local_stacks
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, at, expression
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import header_reads, writes
from tangent.syntax.walk import walk

Links = Callable[[ast.stmt], bool]
Path = tuple[ast.stmt, ...]
SIMPLE = (ast.Name, ast.Constant, ast.BinOp, ast.UnaryOp, ast.Tuple, ast.Slice, ast.operator, ast.unaryop, ast.Load)


def undone(
    body: Body, array: str, links: Links, appends: Links, integers: frozenset[str], room: Callable[[], str]
) -> tuple[Body, set[str]]:
    """The body with changes of the array taken back in the backward pass, where that saves records.

    Beside it the arrays that rows are kept in. `integers` are the arguments that are integers, `room` names the
    function that makes such arrays.
    """
    work = _Undone(body, array, links, appends, integers, room)
    return (work.result(), set(work.shelves.values())) if work.found() else (body, set())


@dataclass(frozen=True)
class Record:
    """A part of the array that a loop keeps: where it is read, where it is kept, and where it is taken again."""

    stack: str
    read: ast.Assign
    push: ast.stmt
    pop: ast.Assign

    @property
    def index(self) -> ast.expr:
        assert isinstance(self.read.value, ast.Subscript)
        return self.read.value.slice


@dataclass
class _Undone:
    body: Body
    array: str
    links: Links
    appends: Links
    integers: frozenset[str]
    room: Callable[[], str]
    pairs: dict[ast.stmt, ast.stmt] = field(default_factory=dict)
    paths: dict[ast.stmt, Path] = field(default_factory=dict)
    kept: dict[ast.stmt, Record] = field(default_factory=dict)  # what a change overwrites, by the change
    again: list[Record] = field(default_factory=list)
    shelves: dict[str, str] = field(default_factory=dict)  # arrays for rows, by the list they replace

    def __post_init__(self) -> None:
        self._walk(self.body, ())
        self.definitions: dict[str, list[ast.stmt]] = {}
        for s in statements(self.body):
            for v in writes(s):
                self.definitions.setdefault(v, []).append(s)

    def _walk(self, body: Body, path: Path) -> None:
        for s in body:
            self.paths[s] = path
            if isinstance(s, (ast.If, ast.For, ast.While)):
                self._walk(s.body, (*path, s))
                self._walk(s.orelse, (*path, s))

    # What can be done

    def found(self) -> bool:
        names = Names({v for s in self.body for v in identifiers(s)})
        changes = [s for s in statements(self.body) if self.links(s)]
        records = [r for v, stack in local_stacks(self.body).items() if (r := self.record(v, stack)) is not None]
        records = [r for r in records if self.pair(r)]
        loops = {loop for s in changes for loop in self.paths[s]}
        if not loops or not loops <= self.pairs.keys() or self.is_read_later():
            return False
        if len(set(self.pairs.values())) < len(self.pairs):
            return False
        if not all(s in changes or not self.paths[s] for s in self.definitions.get(self.array, [])):
            return False
        if any(self.position(s) > self.first_loop(loops) for s in self.definitions[self.array] if not self.paths[s]):
            return False
        for s in changes:
            if self.paths[s] and not self.appends(s):
                old = next((r for r in records if self.holds(r, s)), None)
                if old is None:
                    return False
                self.kept[s] = old
        self.again = [r for r in records if r not in self.kept.values() and self.can_read(r)]
        for s, r in self.kept.items():
            if self.is_row(r) and self.is_used_by(r, s):
                self.shelves[r.stack] = names.numbered(f"{writes(r.read)[0]}_kept")
        return bool(self.again or self.shelves)

    def is_row(self, r: Record) -> bool:
        """Whether a record is one row, kept in loops that count from zero."""
        loops = {v for loop in self.paths[r.push] for v in writes(loop)}
        whole = self.integers | loops
        counted = all(
            isinstance(n, (ast.BinOp, ast.Load, ast.Add, ast.Sub, ast.Mult))
            or (isinstance(n, ast.Name) and n.id in whole)
            or (isinstance(n, ast.Constant) and type(n.value) is int)
            for n in walk(r.index)
        )
        return counted and all(self.count(loop) is not None for loop in self.paths[r.push])

    def count(self, loop: ast.stmt) -> ast.expr | None:
        """How often a loop runs, if that is a number from outside."""
        match loop:
            case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Name(id=n) as count])):
                return count if n in self.integers and n not in self.definitions else None
            case ast.For(iter=ast.Call(func=ast.Name(id="range"), args=[ast.Constant() as fixed])):
                return fixed
            case _:
                return None

    def is_used_by(self, r: Record, s: ast.stmt) -> bool:
        """Whether the forward pass reads a record for the change that overwrites it, and for nothing else."""
        return all(x is s for x in self.readers(r))

    def readers(self, r: Record) -> list[ast.stmt]:
        """The statements of the forward pass that read what is recorded."""
        t = writes(r.read)[0]
        back = set(statements([self.pairs[self.paths[r.push][0]]]))
        found = [x for x in statements(self.body) if t in header_reads(x) and x not in back]
        return [x for x in found if x is not r.push]

    def record(self, v: str, stack: Stack) -> Record | None:
        if len(stack.pushes) != 1 or len(stack.pops) != 1:
            return None
        (push,), (pop,) = stack.pushes, stack.pops
        match push, pop:
            case ast.Expr(value=ast.Call(args=[ast.Name(id=t)])), ast.Assign(targets=[ast.Name(id=u)]) if t == u:
                made = [s for s in self.definitions[t] if s is not pop]
            case _:
                return None
        match made:
            case [ast.Assign(value=ast.Subscript(value=ast.Name(id=x), slice=index)) as read] if x == self.array:
                level = self.paths[read] == self.paths[push] and self.paths[push] != ()
                return Record(v, read, push, pop) if level and self.is_known(index, push) else None
            case _:
                return None

    def is_known(self, index: ast.expr, s: ast.stmt) -> bool:
        """Whether an index consists of names that mean the same in the paired loop."""
        loops = {v: loop for loop in self.paths[s] for v in writes(loop)}
        for n in walk(index):
            if not isinstance(n, SIMPLE):
                return False
            if isinstance(n, ast.Name) and n.id in self.definitions:
                bound = self.definitions[n.id]
                if n.id not in loops or len(bound) != 2 or not all(isinstance(b, ast.For) for b in bound):
                    return False
        return True

    def pair(self, r: Record) -> bool:
        """Pair the loops around a push with those around the pop."""
        there, back = self.paths[r.push], self.paths[r.pop]
        if len(there) != len(back):
            return False
        if not all(self.pairs.get(a, b) is b and _mirrors(a, b) for a, b in zip(there, back)):
            return False
        self.pairs |= dict(zip(there, back))
        return True

    def position(self, s: ast.stmt) -> int:
        return next(i for i, x in enumerate(self.body) if x is s)

    def first_loop(self, loops: set[ast.stmt]) -> int:
        return min(self.position(loop) for loop in loops if not self.paths[loop])

    def is_read_later(self) -> bool:
        """Whether the backward pass reads the array as the forward pass has left it."""
        start = min(self.position(b) for b in self.pairs.values() if not self.paths[b])
        return any(self.array in header_reads(s) for s in statements(self.body[start:]))

    def block(self, s: ast.stmt) -> Body:
        path = self.paths[s]
        if not path:
            return self.body
        owner = path[-1]
        assert isinstance(owner, ast.For)
        return owner.body

    def between(self, a: ast.stmt, b: ast.stmt) -> Body:
        block = self.block(a)
        i, j = (next(k for k, x in enumerate(block) if x is s) for s in (a, b))
        return block[i + 1 : j]

    def changes_in(self, body: Body) -> bool:
        return any(self.array in writes(s) for s in statements(body))

    def holds(self, r: Record, s: ast.stmt) -> bool:
        """Whether a record is what a change overwrites."""
        assert isinstance(s, ast.Assign) and isinstance(s.value, ast.Call)
        if self.paths[r.read] != self.paths[s] or ast.dump(r.index) != ast.dump(s.value.args[1]):
            return False
        block = self.block(s)
        before = block[: next(i for i, x in enumerate(block) if x is s)]
        return r.read in before and not self.changes_in(self.between(r.read, s)) and self.is_ready(r, s)

    def events(self, loop: ast.stmt) -> list[ast.stmt]:
        """The statements of a loop that change the array, or hold some that do."""
        assert isinstance(loop, ast.For)
        return [s for s in loop.body if self.changes_in([s])]

    def place(self, loop: ast.stmt, event: ast.stmt) -> int:
        """Where the paired loop has taken back what follows on a change."""
        back = self.pairs[loop]
        assert isinstance(back, ast.For)
        events = self.events(loop)
        later = events[events.index(event) + 1 :]
        inner = next((self.pairs[e] for e in later if isinstance(e, ast.For)), None)
        return 0 if inner is None else next(i for i, x in enumerate(back.body) if x is inner) + 1

    def is_ready(self, r: Record, event: ast.stmt) -> bool:
        """Whether what was recorded is not needed before the place where it is taken."""
        loop = self.paths[r.push][-1]
        back = self.pairs[loop]
        assert isinstance(back, ast.For) and isinstance(r.pop.targets[0], ast.Name)
        t = r.pop.targets[0].id
        first = back.body[: self.place(loop, event)]
        return not any(t in header_reads(x) or (t in writes(x) and x is not r.pop) for x in statements(first))

    def next_event(self, r: Record) -> ast.stmt | None:
        """The change that follows on a read."""
        loop = self.paths[r.read][-1]
        assert isinstance(loop, ast.For)
        start = next(i for i, x in enumerate(loop.body) if x is r.read)
        return next((s for s in loop.body[start:] if self.changes_in([s])), None)

    def can_read(self, r: Record) -> bool:
        event = self.next_event(r)
        return event is not None and self.links(event) and self.is_ready(r, event)

    # The new text

    def result(self) -> Body:
        dropped: set[ast.stmt] = {x for r in self.again for x in (r.push, r.pop)}
        dropped |= {r.pop for r in self.kept.values()}
        dropped |= {r.read for r in self.again if not self.readers(r)}
        gone = {r.stack for r in self.again}
        changed: dict[ast.stmt, ast.stmt] = {}
        for s in self.body:
            if isinstance(s, ast.Assign) and set(writes(s)) & gone:
                dropped.add(s)
        for event, r in self.kept.items():
            if r.stack in self.shelves:
                dropped.add(r.push)
                changed |= self.shelved(event, r)
        added = {back: self.added(loop) for loop, back in self.pairs.items()}
        return _with(self.body, dropped, added, changed)

    def shelved(self, event: ast.stmt, r: Record) -> dict[ast.stmt, ast.stmt]:
        """A record in an array: where the array is made, where the row goes, and where it was read by its name."""
        start = next(s for s in self.body if r.stack in writes(s))
        counts = [c for loop in self.paths[r.push] if (c := self.count(loop)) is not None]
        made = ast.Call(ast.Name(self.room(), ast.Load()), [ast.Name(self.array, ast.Load()), *counts], [])
        t, part = writes(r.read)[0], r.read.value
        assert isinstance(event, ast.Assign)
        read = rebuild(event.value, lambda e: part if isinstance(e, ast.Name) and e.id == t else e)
        place = replace(self.shelf(r), ctx=ast.Store())
        return {
            start: assign(self.shelves[r.stack], made, start),
            r.read: at(ast.Assign([place], part), r.read),
            event: replace(event, value=read),
        }

    def shelf(self, r: Record) -> ast.Subscript:
        """The place of a record: `t_kept[i, j]`."""
        targets: list[ast.expr] = [ast.Name(v, ast.Load()) for loop in self.paths[r.push] for v in writes(loop)]
        index = targets[0] if len(targets) == 1 else ast.Tuple(targets, ast.Load())
        return ast.Subscript(ast.Name(self.shelves[r.stack], ast.Load()), index, ast.Load())

    def added(self, loop: ast.stmt) -> list[tuple[int, Body]]:
        """The statements that take the changes of a loop back, and the places in the paired loop."""
        found: list[tuple[int, Body]] = []
        for event in reversed(self.events(loop)):
            if not self.links(event):
                continue
            lines: Body = []
            if self.appends(event):
                lines.append(assign(self.array, expression("x[:-1]", x=self.array), event))
            else:
                old = self.kept[event]
                t = writes(old.pop)[0]
                value = expression("setitem(x, i, v)", x=self.array, i=old.index, v=t)
                assert isinstance(event, ast.Assign) and isinstance(event.value, ast.Call)
                assert isinstance(value, ast.Call)
                taken = assign(t, self.shelf(old), old.pop) if old.stack in self.shelves else old.pop
                lines += [taken, assign(self.array, replace(value, func=event.value.func), event)]
            for r in self.again:
                if self.next_event(r) is event:
                    lines.append(assign(writes(r.pop)[0], r.read.value, r.pop))
            found.append((self.place(loop, event), lines))
        return found


def _mirrors(a: ast.stmt, b: ast.stmt) -> bool:
    """Whether the second of two loops goes through the range of the first, backwards."""
    match a, b:
        case ast.For(target=ast.Name(id=v), iter=there), ast.For(target=ast.Name(id=w), iter=back):
            turned = expression("reversed(r)", r=there)
            return v == w and ast.dump(turned) == ast.dump(back)
        case _:
            return False


def _with(
    body: Body, dropped: set[ast.stmt], added: dict[ast.stmt, list[tuple[int, Body]]], changed: dict[ast.stmt, ast.stmt]
) -> Body:
    done: Body = []
    for s in body:
        if s in dropped:
            continue
        match s:
            case ast.For(body=inner):
                lines = added.get(s, [])
                parts: Body = []
                for i, x in enumerate([*inner, None]):
                    parts += [y for at, more in lines if at == i for y in more]
                    if x is not None:
                        parts += _with([x], dropped, added, changed)
                done.append(replace(s, body=parts))
            case ast.If(body=then, orelse=other):
                first, second = (_with(part, dropped, added, changed) for part in (then, other))
                done.append(replace(s, body=first, orelse=second))
            case ast.While(body=inner):
                done.append(replace(s, body=_with(inner, dropped, added, changed)))
            case _:
                done.append(changed.get(s, s))
    return done
