"""The pieces of a generator between its items, put in an order in which one goes on to the next.

A piece ends with an item that is given, with a choice between two others, or goes on to another one. What only one
piece goes on to becomes a part of it; a loop around all of them is needed only where they run in a circle.
"""

from __future__ import annotations

import ast
from dataclasses import dataclass, field

from tangent.syntax.quote import assign, at, constant, expression
from tangent.syntax.uses import assigned_inside, expression_reads, writes
from tangent.syntax.walk import walk

END = -1
Body = list[ast.stmt]


@dataclass
class _Piece:
    body: Body = field(default_factory=list)
    given: tuple[int, ast.expr, ast.expr] | None = None  # the piece that comes next, whether there is an item, and it
    test: ast.expr | None = None
    following: tuple[int, ...] = ()
    closed: bool = False


class Pieces:
    def __init__(self, state: str, like: ast.stmt) -> None:
        self.state, self.like = state, like
        self.pieces: dict[int, _Piece] = {0: _Piece()}
        self.current = self.pieces[0]
        self.made: dict[int, Body] = {}

    def new(self) -> int:
        label = len(self.pieces)
        self.pieces[label] = _Piece()
        return label

    def begin(self, label: int) -> None:
        self.current = self.pieces[label]

    def add(self, s: ast.stmt) -> None:
        if not self.current.closed:
            self.current.body.append(s)

    def close(self, **ending: object) -> None:
        if not self.current.closed:
            for key, value in ending.items():
                setattr(self.current, key, value)
            self.current.closed = True

    def go(self, label: int) -> None:
        self.close(following=(label,))

    def choose(self, test: ast.expr, then: int, other: int) -> None:
        self.close(test=test, following=(then, other))

    def leave(self, after: int, there: ast.expr, value: ast.expr) -> None:
        self.close(given=(after, there, value))

    # The text

    def target(self, label: int) -> int:
        """Where one comes in the end: pieces that only go on are left out."""
        seen: set[int] = set()
        while label != END and label not in seen:
            seen.add(label)
            piece = self.pieces[label]
            if piece.body or piece.test is not None or len(piece.following) != 1:
                break
            label = piece.following[0]
        return label

    def joined(self) -> Body:
        """All pieces, as the body of a function."""
        entered = self.entered()
        labels = sorted(entered)
        self.made = {label: self.text(label, entered) for label in labels}
        order = self.ordered(labels)
        body: Body = []
        for label in order or labels:
            test = expression("a == k", a=self.state, k=constant(label))
            body.append(at(ast.If(test, self.made[label], []), self.like))
        last = at(ast.Return(ast.Tuple([constant(False), constant(None)], ast.Load())), self.like)
        if order is None:
            test = expression("a == k", a=self.state, k=constant(END))
            return [at(ast.While(constant(True), [*body, at(ast.If(test, [last], []), self.like)], []), self.like)]
        return [*body, last]

    def entered(self) -> set[int]:
        """Pieces that have a number: where it starts, goes on after an item, or comes from several places."""
        found, counts = {0}, dict.fromkeys(self.pieces, 0)
        waiting, seen = [self.target(0)], set()
        if waiting[0] != 0:
            found.add(waiting[0])
        while waiting:
            label = waiting.pop()
            if label in seen or label == END:
                continue
            seen.add(label)
            piece = self.pieces[label]
            if piece.given is not None and (after := self.target(piece.given[0])) != END:
                found.add(after)
                waiting.append(after)
            for other in map(self.target, piece.following):
                counts[other] = counts.get(other, 0) + 1
                waiting.append(other)
        found |= {label for label, count in counts.items() if count > 1}
        return {label for label in found if label in seen}

    def text(self, label: int, entered: set[int]) -> Body:
        """A piece, with those that only it goes on to."""
        piece = self.pieces[label]
        body = list(piece.body)
        if piece.given is not None:
            after, there, value = piece.given
            body.append(assign(self.state, constant(self.target(after)), self.like))
            body.append(at(ast.Return(ast.Tuple([there, value], ast.Load())), self.like))
        elif piece.test is not None:
            then, other = (self.going(self.target(x), entered) for x in piece.following)
            body.append(at(ast.If(piece.test, then, other), self.like))
        else:
            (following,) = piece.following
            body += self.going(self.target(following), entered)
        return body

    def going(self, label: int, entered: set[int]) -> Body:
        if label in entered:
            return [assign(self.state, constant(label), self.like)]
        return self.text(label, entered)

    def ordered(self, labels: list[int]) -> list[int] | None:
        """The pieces in an order in which none goes back; None where there is no such order."""
        edges = {label: _goes_to(self.made[label], self.state) for label in labels}
        order: list[int] = []
        while len(order) < len(labels):
            free = [x for x in labels if x not in order and all(x not in edges[y] for y in labels if y not in order)]
            if not free:
                return None
            order.append(free[0])
        return order

    def shared(self, own: set[str]) -> set[str]:
        """The variables that must be kept between two calls; the others are set before they are read in one piece."""
        return {v for v in own if not self.is_local(v)} | {self.state}

    def is_local(self, v: str) -> bool:
        using = [
            b for b in self.made.values() if any(isinstance(n, ast.Name) and n.id == v for x in b for n in walk(x))
        ]
        return all(_is_set_first(v, b) for b in using)


def _goes_to(body: Body, state: str) -> set[int]:
    """The pieces that one goes on to, without giving an item first."""
    found: set[int] = set()
    for i, s in enumerate(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Constant(value=int(label))) if v == state:
                given = i + 1 < len(body) and isinstance(body[i + 1], ast.Return)
                found |= set() if given else {label}
            case ast.If(body=then, orelse=orelse):
                found |= _goes_to(then, state) | _goes_to(orelse, state)
    return found


def _is_set_first(v: str, body: Body) -> bool:
    """Whether a variable is assigned before it is read, if at all."""
    for s in body:
        if isinstance(s, ast.If):
            if v in expression_reads(s.test) or v in assigned_inside([s.test]):
                return False
            return _is_set_first(v, s.body) and _is_set_first(v, s.orelse) and s is body[-1]
        if v in expression_reads(s):
            return False
        if isinstance(s, ast.Assign) and v in writes(s):
            return True
        if any(isinstance(n, ast.Name) and n.id == v for n in walk(s)):
            return False
    return True
