"""A generator as a function that gives one item each time it is called, and remembers where it stands.

def growing(x):              at = 0
    while True:              def growing_next():
        yield x                  nonlocal at, x
        x = x * 1.5      ->      if at == 1:
                                     x = x * 1.5
                                     at = 0
                                 if at == 0:
                                     at = 1
                                     return True, x
                                 return False, None

The body is cut where items are yielded; each piece has a number, and `at` says which piece comes next.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator
from dataclasses import dataclass, field

from tangent.normalise.context import Context
from tangent.normalise.generators.pieces import END, Pieces
from tangent.normalise.generators.written import YIELDS, Body, Nested, Written, behind, written
from tangent.normalise.jumps import own_jumps
from tangent.runtime.dispatch import sequence
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import function_node, walk_scope
from tangent.syntax.uses import writes

DEPTH = 4  # generators that read generators


@dataclass
class Machine:
    """The name of the function, what stands before it, the functions, and whether it takes what is sent."""

    title: str
    start: Body
    functions: Body
    own: set[str] = field(default_factory=set)
    sent: bool = False
    state: str = ""


class Unwritten(Exception):
    """A generator that cannot be cut into pieces."""


def machine(title: str, found: Written, s: ast.stmt, nested: Nested, context: Context) -> Machine | None:
    """The function that gives the items of a generator one by one; None where the generator cannot be cut."""
    try:
        return _Cut(title, found, s, nested, context, (found.key,)).whole()
    except Unwritten:
        return None


@dataclass(frozen=True)
class _Loop:
    after: int
    again: int


class _Cut:
    def __init__(
        self, title: str, found: Written, s: ast.stmt, nested: Nested, context: Context, around: tuple[object, ...]
    ) -> None:
        self.found, self.s, self.nested, self.context, self.around = found, s, nested, context, around
        self.title = context.names.numbered(f"{title}_next")
        self.state = self.named(f"{title}_at")
        self.own = {self.state, *found.own}
        self.given = {v for x in found.start for v in writes(x)}
        self.pieces = Pieces(self.state, s)
        self.functions: Body = []
        self.inside: set[str] = set()  # what generators keep that this one reads
        self.sent = ""
        if any(isinstance(n, ast.Assign) and isinstance(n.value, ast.Yield) for x in found.body for n in _all(x)):
            self.sent = self.context.names.numbered("sent")

    def named(self, base: str) -> str:
        found = self.context.names.numbered(base)
        self.context.scope.local.add(found)
        return found

    def kept(self, base: str) -> str:
        """A variable that the generator keeps between its items."""
        found = self.named(base)
        self.own.add(found)
        return found

    def whole(self) -> Machine:
        if any(_writes_into(n, self.own - self.given) for x in self.found.body for n in _all(x)):
            raise Unwritten  # an array of its own, which nothing could stand for before it is made
        self.block(self.found.body, None)
        self.finish(constant(None))
        body = self.pieces.joined()
        own = self.pieces.shared(self.own) | self.inside
        args = ast.arguments([], [ast.arg(self.sent)] if self.sent else [], None, [], [], None, [])
        told: Body = [at(ast.Nonlocal(sorted(own)), self.s)]
        function = at(function_node(self.title, args, [*told, *body]), self.s)
        unset = sorted(own - self.given - {self.state})
        start = [
            *self.found.start,
            assign(self.state, constant(self.pieces.target(0)), self.s),
            *(assign(v, constant(None), self.s) for v in unset),
        ]
        return Machine(self.title, start, [*self.functions, function], own, bool(self.sent), self.state)

    def block(self, body: Body, loop: _Loop | None) -> None:
        for s in body:
            self.statement(s, loop)

    def statement(self, s: ast.stmt, loop: _Loop | None) -> None:
        if not _cuts(s):
            self.pieces.add(s)
            return
        match s:
            case ast.Expr(value=ast.Yield(value=value)):
                self.give(value)
            case ast.Assign(targets=[target], value=ast.Yield(value=value)):
                self.give(value)
                self.pieces.add(at(ast.Assign([target], name(self.sent)), s))
            case ast.Expr(value=ast.YieldFrom(value=value)):
                self.delegate(value, None)
            case ast.Assign(targets=[target], value=ast.YieldFrom(value=value)):
                self.delegate(value, target)
            case ast.Return(value=value):
                self.finish(value or constant(None))
            case ast.Break() if loop is not None:
                self.pieces.go(loop.after)
            case ast.Continue() if loop is not None:
                self.pieces.go(loop.again)
            case ast.If():
                self.branch(s, loop)
            case ast.While(test=test):
                self.loop(test, [], s, loop)
            case ast.For():
                self.items(s, loop)
            case _:
                raise Unwritten

    def give(self, value: ast.expr | None) -> None:
        after = self.pieces.new()
        self.pieces.leave(after, constant(True), value or constant(None))
        self.pieces.begin(after)

    def finish(self, value: ast.expr) -> None:
        self.pieces.leave(END, constant(False), value)
        self.pieces.begin(self.pieces.new())

    def branch(self, s: ast.If, loop: _Loop | None) -> None:
        then, other, after = (self.pieces.new() for _ in range(3))
        self.pieces.choose(s.test, then, other if s.orelse else after)
        self.pieces.begin(then)
        self.block(s.body, loop)
        self.pieces.go(after)
        if s.orelse:
            self.pieces.begin(other)
            self.block(s.orelse, loop)
            self.pieces.go(after)
        self.pieces.begin(after)

    def loop(self, test: ast.expr, first: Body, s: ast.For | ast.While, loop: _Loop | None) -> None:
        again, inside, other, after = (self.pieces.new() for _ in range(4))
        self.pieces.go(again)
        self.pieces.begin(again)
        if isinstance(test, ast.Constant) and test.value:
            self.pieces.go(inside)
        else:
            self.pieces.choose(test, inside, other if s.orelse else after)
        self.pieces.begin(inside)
        self.block([*first, *s.body], _Loop(after, again))
        self.pieces.go(again)
        if s.orelse:
            self.pieces.begin(other)
            self.block(s.orelse, loop)
            self.pieces.go(after)
        self.pieces.begin(after)

    def items(self, s: ast.For, loop: _Loop | None) -> None:
        """`for`: by an index, or what another generator gives."""
        if (inner := self.inner(s.iter)) is not None:
            taken = self.kept("taken")
            test = expression("(t := f())[0]", t=taken, f=inner.title)
            self.loop(test, [at(ast.Assign([s.target], expression("t[1]", t=taken)), s)], s, loop)
            return
        items, index = self.kept("items"), self.kept("k")
        self.pieces.add(assign(items, self.listed(s.iter), s))
        self.pieces.add(assign(index, constant(0), s))
        first: Body = [
            at(ast.Assign([s.target], expression("s[k]", s=items, k=index)), s),
            assign(index, expression("k + 1", k=index), s),
        ]
        self.loop(expression("k < n(s)", k=index, n=self.context.builtin("len"), s=items), first, s, loop)

    def listed(self, e: ast.expr) -> ast.expr:
        """What a loop runs over, as something with a length."""
        if isinstance(e, (ast.List, ast.Tuple)):
            return e
        found = self.context.scope.resolve(e.func) if isinstance(e, ast.Call) else None
        if found is range:
            return e
        if isinstance(e, (ast.Call, ast.GeneratorExp)):
            return call(self.context.builtin("list"), e)
        return call(self.context.use("sequence", sequence), e)

    def inner(self, e: ast.expr) -> Machine | None:
        """The generator that a loop of this one reads, item by item as well."""
        found = behind(e, self.nested, self.context)
        if found is None or found in self.around or len(self.around) > DEPTH:
            return None
        made = written(e, self.s, self.nested, self.context)
        if made is None:
            return None
        cut = _Cut(self.title.removesuffix("_next"), made, self.s, self.nested, self.context, (*self.around, made.key))
        inner = cut.whole()
        if inner.sent:
            raise Unwritten
        for x in inner.start:
            self.pieces.add(x)
        self.inside |= inner.own | {v for x in inner.start for v in writes(x)}
        self.functions += inner.functions
        return inner

    def delegate(self, e: ast.expr, target: ast.expr | None) -> None:
        """`yield from`: what it gives is what the generator that is read returns."""
        item = self.kept("item")
        give = at(ast.Expr(ast.Yield(name(item))), self.s)
        loop = at(ast.For(ast.Name(item, ast.Store()), e, [give], []), self.s)
        if target is None:
            self.items(loop, None)
            return
        inner = self.inner(e)
        if inner is None:
            raise Unwritten
        taken = self.kept("taken")
        each = at(ast.While(expression("(t := f())[0]", t=taken, f=inner.title), [], []), self.s)
        self.loop(each.test, [assign(item, expression("t[1]", t=taken), self.s), give], each, None)
        self.pieces.add(at(ast.Assign([target], expression("t[1]", t=taken)), self.s))


def _all(x: ast.stmt) -> Iterator[ast.AST]:
    yield x
    yield from walk_scope(x)


def _writes_into(n: ast.AST, own: set[str]) -> bool:
    match n:
        case (
            ast.Subscript(value=ast.Name(id=v), ctx=ast.Store()) | ast.Attribute(value=ast.Name(id=v), ctx=ast.Store())
        ):
            return v in own
        case _:
            return False


def _cuts(s: ast.stmt) -> bool:
    """Whether a statement gives items, or leaves one that does."""
    if isinstance(s, (ast.Return, ast.Break, ast.Continue)):
        return True
    leaves = isinstance(s, (ast.If, ast.Try, ast.With, ast.Match)) and own_jumps([s])
    return bool(leaves) or any(isinstance(n, (YIELDS, ast.Return)) for n in walk_scope(s))


def rest_of(made: Machine, title: str, s: ast.stmt, context: Context) -> ast.FunctionDef:
    """The function that gives all items that are left, as a list."""
    items, taken = context.names.numbered("items"), context.names.numbered("taken")
    none = [constant(None)] if made.sent else []
    test = ast.Subscript(ast.NamedExpr(ast.Name(taken, ast.Store()), call(made.title, *none)), constant(0), ast.Load())
    add = at(ast.Expr(expression("s.append(t[1])", s=items, t=taken)), s)
    body: Body = [
        assign(items, ast.List([], ast.Load()), s),
        at(ast.While(test, [add], []), s),
        at(ast.Return(name(items)), s),
    ]
    args = ast.arguments([], [], None, [], [], None, [])
    return at(function_node(title, args, body), s)
