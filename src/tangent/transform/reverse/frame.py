"""What the rooms of reverse mode share: facts of the function, names in the derivative, records."""

from __future__ import annotations

import ast
from typing import Any

import numpy as np

from tangent.analysis.liveness import Liveness
from tangent.analysis.operation import Operation, Operations
from tangent.analysis.recorded import Block, Records
from tangent.analysis.shapes.facts import Fact
from tangent.analysis.shapes.table import Shapes
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.transform.calls import Derivatives, leaf_names
from tangent.transform.inserted.cuts import Cuts
from tangent.transform.prepare import Prepared
from tangent.transform.reverse.state import Site
from tangent.transform.scribe import Scribe
from tangent.transform.stores.useful import Stores
from tangent.transform.unit import Unit


class Frame:
    """What the rooms of reverse mode share: facts of the function, names, records."""

    unit: Unit
    active: frozenset[str]
    scribe: Scribe
    derivatives: Derivatives
    stores: Stores
    prepared: Prepared
    operations: Operations
    records: Records
    records_everything: bool
    first_shapes: Shapes  # before calls are lowered
    shapes: Shapes
    pairs_of: dict[ast.stmt, tuple[str, str, Any]]  # the backward function of a call, what it needs, what it is for
    adding: dict[ast.stmt, tuple[str, ...]]
    caught: set[ast.stmt]  # statements whose exceptions may be caught
    pushes: dict[Site, ast.stmt]
    stacks: dict[Site, str]
    cuts: Cuts
    live: Liveness
    jumping: set[ast.stmt]  # what stands in loops that blocks may cut short
    deferred: list[ast.stmt]
    zeroed: set[str]
    computed: dict[str, bool]  # whether all that an adjoint is the sum of is computed: numbers and arrays
    wide: dict[str, Fact]  # adjoints that have the shape of a later result for a while
    masks: set[str]  # variables of booleans
    chosen: frozenset[str]  # values that np.where may leave out
    passing: frozenset[str]  # temporaries whose adjoints are summed later
    summed: dict[str, str]  # temporaries that are only summed up
    sums: dict[int, str]
    rows: frozenset[str]  # variables that hold versions of an array
    items: set[str]  # variables that are read by parts
    celled: set[str]  # those of which items of items are read, and that may be lists
    lists: set[str]  # lists that grow or shrink
    complete: set[str]  # those that are read only when nothing is added any more
    forked: set[str]  # those that several statements take from
    handed: set[str]  # those that may hold more than is taken from them
    tuples: frozenset[str]  # variables that surely are tuples

    def adjoint(self, v: str) -> str:
        return self.scribe.derivative(v, "b")

    def primal(self, s: ast.stmt) -> str:
        """The line of the user's source that a statement comes from."""
        return self.unit.source.statement_text(s)

    def flows(self, op: Operation) -> bool:
        """Whether a derivative goes through an operation."""
        return any(t in self.active for t in op.targets) and any(v in self.active for v in op.operands)

    def wanted(self, op: Operation) -> list[str]:
        """The operands of a rule that are active in a call."""
        return [
            k
            for k, v in op.values.items()
            if k in op.rule.operands and any(n in self.active for n in leaf_names(as_leaves(v)))
        ]

    def in_loop(self, path: tuple[Block, ...]) -> bool:
        return any(isinstance(owner, (ast.For, ast.While)) for owner, _ in path)

    def push(self, site: Site, v: str, like: ast.stmt | None, path: tuple[Block, ...]) -> ast.stmt:
        """Keep a value: on the variable's own list in a loop, under a name of its own outside."""
        if self.in_loop(path) or self.records.everything:
            stack = self.stacks[site] = self.scribe.names.numbered(f"{v}_stack")
            node: ast.stmt = ast.Expr(expression("s.append(v)", s=stack, v=v))
            if like is not None:
                at(node, like)
        else:
            kept = self.scribe.names.numbered(f"{v}_old")
            self.scribe.kept[kept] = v
            node = assign(kept, name(v), like)
        self.pushes[site] = node
        return node

    def pop(self, site: Site, v: str, like: ast.stmt) -> ast.stmt:
        match self.pushes[site]:
            case ast.Assign(targets=[ast.Name(id=kept)]):
                return assign(v, name(kept), like)
            case _:
                return assign(v, expression("s.pop()", s=self.stacks[site]), like)

    def end_records(self, path: tuple[Block, ...], like: ast.stmt | None) -> list[ast.stmt]:
        if not path:
            return []
        return [self.push((path[-1], v), v, like, path) for v in self.records.at_end.get(path[-1], [])]

    def builtin(self, identifier: str) -> str:
        return self.unit.context.builtin(identifier)

    def array_type(self) -> ast.expr:
        return ast.Attribute(name(self.scribe.library(np, "np")), "ndarray", ast.Load())

    def counter(self) -> ast.expr:
        return ast.Name(self.scribe.names.fresh("_"), ast.Store())

    def range(self, trips: str) -> ast.expr:
        return expression("r(n)", r=self.builtin("range"), n=trips)

    def reversed(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=identifier), args=[inner]) if identifier.rstrip("_") == "reversed":
                return inner
            case _:
                return expression("r(e)", r=self.builtin("reversed"), e=e)

    def offset(self, before: list[ast.expr]) -> ast.expr:
        """The position behind some items of a display, starred ones among them."""
        plain = sum(1 for e in before if not isinstance(e, ast.Starred))
        starred = [expression("n(e)", n=self.builtin("len"), e=e.value) for e in before if isinstance(e, ast.Starred)]
        found, *more = starred if starred and not plain else [constant(plain), *starred]
        for length in more:
            found = ast.BinOp(found, ast.Add(), length)
        return found

    def items_between(self, b: str, display: list[ast.expr], i: int) -> ast.expr:
        """Of the adjoint of a display, what belongs to its starred item i."""
        start, stop = self.offset(display[:i]), self.offset(display[: i + 1])
        return expression("b[i:j]", b=b, i=start, j=stop) if i else expression("b[:j]", b=b, j=stop)

    def no_items(self, v: str) -> ast.expr:
        """The adjoint of a list where nothing has flowed yet; the records of generated code end up empty."""
        record = v.rstrip("_0123456789").endswith("_stack")
        generated = record and self.unit.source.file.startswith("<generated")
        return ast.List([], ast.Load()) if generated else self.scribe.call("init_grad", name(v))


def as_leaves(e: ast.expr) -> Any:
    if isinstance(e, ast.Starred):
        return e.value
    return tuple(as_leaves(x) for x in e.elts) if isinstance(e, ast.Tuple) else e


def given_shapes(unit: Unit) -> dict[str, frozenset[str]]:
    """What a generated function says of its seed: that its shape is that of some other parameters."""
    known: dict[str, frozenset[str]] = getattr(unit.source.function, "shapes", {})
    return known
