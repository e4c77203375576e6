"""Where the forward pass keeps values that it overwrites, so that the backward pass finds them again.

A loop-carried variable is kept before it is overwritten; a variable that lives within one iteration (or one branch
of it) is kept at the end of its block. Outside loops only a branch can overwrite, since versions have own names.
"""

from __future__ import annotations

import ast
from collections.abc import Mapping
from dataclasses import dataclass, field

from tangent.analysis.liveness import liveness
from tangent.syntax.blocks import Attempt
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import arguments, header_reads, writes

Block = tuple[ast.stmt, str]


@dataclass
class Records:
    """What is kept before a statement and at the end of a block, and which names may be unbound there."""

    before: dict[ast.stmt, list[str]] = field(default_factory=dict)
    at_end: dict[Block, list[str]] = field(default_factory=dict)
    unbound: list[str] = field(default_factory=list)
    everything: bool = False


def recorded(
    f: ast.FunctionDef, everything: bool = False, outside: frozenset[str] = frozenset(),
    inputs: set[str] | None = None, twins: Mapping[str, str] | None = None,
) -> Records:  # fmt: skip
    """The records of a function: all that may be needed, or plainly every overwritten value.

    Names from `outside` (global, nonlocal) are never restored; `twins` are needed as long as the names they go with.
    """
    walk = _Walk(f, everything and not _attempts_in_loops(f), outside, twins or {})
    parameters = {a.arg for a in arguments(f.args)} | (inputs or set())
    walk.block(f.body, set(parameters), set(parameters), ())
    return walk.records


def _attempts_in_loops(f: ast.FunctionDef) -> bool:
    """Attempts that are repeated keep what they keep at their end, whatever is asked for."""
    loops = [s for s in statements(f.body) if isinstance(s, (ast.For, ast.While))]
    return any(isinstance(x, Attempt) for s in loops for x in statements(s.body))


class _Walk:
    def __init__(self, f: ast.FunctionDef, everything: bool, outside: frozenset[str], twins: Mapping[str, str]) -> None:
        self.everything, self.outside, self.twins = everything, outside, twins
        self.live = liveness(f)
        self.records = Records(everything=everything)
        self.home = {} if everything else _homes(f)
        for twin, v in twins.items():
            if twin in self.home and v in self.home:
                self.home[twin] = self.home[v]
        self.residents: dict[tuple[Block, ...], list[str]] = {}
        for v, path in self.home.items():
            self.residents.setdefault(path, []).append(v)

    def is_live(self, v: str, loop: ast.stmt) -> bool:
        return self.twins.get(v, v) in self.live.entry[loop]

    def block(self, body: list[ast.stmt], may: set[str], must: set[str], path: tuple[Block, ...]) -> None:
        """`may` and `must` hold the names that can, and do, have a value at this point."""
        for s in body:
            match s:
                case ast.If(body=then, orelse=other):
                    may2, must2 = set(may), set(must)
                    self.block(then, may, must, (*path, (s, "body")))
                    self.block(other, may2, must2, (*path, (s, "orelse")))
                    may |= may2
                    must &= must2
                case ast.For(body=inner) | ast.While(body=inner):
                    self.loop(s, inner, may, must, path)
                case ast.Assign():
                    self.assignment(s, may, must)
                case _:
                    may.update(writes(s))
        loop = next((owner for owner, _ in reversed(path) if isinstance(owner, (ast.For, ast.While))), None)
        if loop is not None:
            for v in self.residents.get(path, []):
                if v in may and v not in self.outside and not self.is_live(v, loop):
                    self.keep_at_end(path[-1], v, must)

    def assignment(self, s: ast.Assign, may: set[str], must: set[str]) -> None:
        for v in writes(s):
            if (v in may or self.everything) and v not in self.outside:
                self.records.before.setdefault(s, []).append(v)
                self.note_unbound(v, must)
        may.update(writes(s))
        must.update(writes(s))

    def loop(self, s: ast.stmt, inner: list[ast.stmt], may: set[str], must: set[str], path: tuple[Block, ...]) -> None:
        written = dict.fromkeys(v for x in statements(inner) if isinstance(x, ast.Assign) for v in writes(x))
        assigned = [v for v in written if v not in self.outside]
        carried = {v for v in assigned if self.is_live(v, s) or self.everything}
        private = [v for v in assigned if v not in carried]
        if overwritten := [v for v in private if v in may]:
            self.records.before.setdefault(s, []).extend(overwritten)
            for v in overwritten:
                self.note_unbound(v, must)
        block: Block = (s, "body")
        inside = (may | carried | set(writes(s))) - set(private)
        reached = must | set(writes(s))
        self.block(inner, inside, reached, (*path, block))
        for v in private:
            home = self.home[v]
            if v in inside and not (len(home) > len(path) and home[len(path)] == block):
                self.keep_at_end(block, v, reached)
        may |= inside

    def keep_at_end(self, block: Block, v: str, must: set[str]) -> None:
        self.records.at_end.setdefault(block, []).append(v)
        self.note_unbound(v, must)

    def note_unbound(self, v: str, must: set[str]) -> None:
        if v not in must and v not in self.records.unbound:
            self.records.unbound.append(v)


def _homes(f: ast.FunctionDef) -> dict[str, tuple[Block, ...]]:
    """The innermost block that holds all occurrences of each variable that is assigned."""
    where: dict[str, tuple[Block, ...]] = {}

    def meet(v: str, path: tuple[Block, ...]) -> None:
        old = where.setdefault(v, path)
        if old != path:
            common = 0
            while common < min(len(old), len(path)) and old[common] == path[common]:
                common += 1
            where[v] = path[:common]

    def visit(body: list[ast.stmt], path: tuple[Block, ...], home: tuple[Block, ...]) -> None:
        for s in body:
            for v in (*header_reads(s), *writes(s)):
                meet(v, home)
            match s:
                case ast.If(body=then, orelse=other):
                    for block, inner in (("body", then), ("orelse", other)):
                        deeper = (*path, (s, block))
                        attempted = any(isinstance(owner, Attempt) for owner, _ in path)
                        visit(inner, deeper, home if attempted else deeper)  # an attempt keeps all at its end
                case ast.For(body=inner) | ast.While(body=inner):
                    visit(inner, (*path, (s, "body")), (*path, (s, "body")))

    visit(f.body, (), ())
    return {v: where[v] for s in statements(f.body) if isinstance(s, ast.Assign) for v in writes(s)}
