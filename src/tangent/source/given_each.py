"""Short lists of objects of several classes, given or made: each object has a variable, loops are written out.

def f(layers, x):                      def f(layers, x):
    for layer in layers:                   layers_0, layers_1 = layers[0], layers[1]
        x = layer(x)          ->           x = layers_0(x)
    return x                               x = layers_1(x)
                                           return x

What class each object has is known when a derivative is called; then they are objects that are given (given.py).
"""

from __future__ import annotations

import ast
import builtins
import types
from collections.abc import Iterator
from dataclasses import dataclass, field

from tangent.source.beginning import changed_in, named_in, split
from tangent.source.inlined import Body, CannotWriteOut, Node, Places, copied, with_constants, written_anew
from tangent.syntax.captured import bindings
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, constant, name
from tangent.syntax.rebuild import rebuild, rename, replace, with_blocks
from tangent.syntax.uses import arguments, assigned_inside
from tangent.syntax.walk import holds, walk

MOST_STATEMENTS, MOST_OBJECTS = 150, 16
TAKING = frozenset("sum max min list tuple sorted".split())  # builtins that take every item of what they get


class Each:
    """One list under a name that nothing else is bound to: a variable for each object, and what becomes of the rest."""

    def __init__(self, tree: ast.FunctionDef, function: types.FunctionType, v: str, count: int) -> None:
        self.function, self.v = function, v
        self.own = {a.arg for a in arguments(tree.args)} | assigned_inside(tree.body)
        self.names = Names(identifiers(tree) | set(function.__globals__) | set(dir(builtins)))
        self.places = Places(tree)
        self.attributes = {str(k): self.names.fresh(f"{v}_{k}") for k in range(count)}
        self.bound: set[str] = set()  # variables of loops that are written out
        self.size = 0

    def written(self, rest: Body) -> Body:
        """The statements behind the list, without it."""
        body = self.block(rest)
        if not named_in(body).isdisjoint({self.v, *self.bound}):
            raise CannotWriteOut
        return body

    def block(self, body: Body) -> Body:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> Iterator[ast.stmt]:
        match s:
            case ast.For(target=target, iter=iter, orelse=[]) if (steps := self.steps(target, iter)) is not None:
                for step in steps:
                    yield from self.block(self.one_turn(s, step))
            case _:
                yield with_blocks(rebuild(s, self.expression), self.block)

    def one_turn(self, s: ast.For, step: Step) -> Body:
        """The body of a loop, for one object."""
        self.size += sum(isinstance(n, ast.stmt) for n in walk(s))
        if holds(s, ast.Break, ast.Continue) or self.size > MOST_STATEMENTS:
            raise CannotWriteOut
        self.bound |= step.names.keys() | step.numbers.keys()
        return [step.given(new) for x in s.body for new in self.places.placed(copied([x]), x)]

    def steps(self, target: ast.expr, iter: ast.expr) -> list[Step] | None:
        """What the variables of a loop are in each turn; None where it is no loop over the list."""
        found = [*self.attributes.values()]
        match target, iter:
            case ast.Name(id=x), ast.Name(id=v) if v == self.v:
                return [Step({x: one}) for one in found]
            case ast.Name(id=x), ast.Call(func=func, args=[ast.Name(id=v)], keywords=[]) if v == self.v:
                return [Step({x: one}) for one in found[::-1]] if self.is_builtin(func, "reversed") else None
            case ast.Tuple(elts=[ast.Name(id=i), ast.Name(id=x)]), ast.Call(
                func=func, args=[ast.Name(id=v)], keywords=[]
            ) if v == self.v and self.is_builtin(func, "enumerate"):
                return [Step({x: one}, {i: ast.Constant(k)}) for k, one in enumerate(found)]
            case _:
                return None

    def expression(self, e: ast.expr) -> ast.expr:
        """An expression without the list: its length, one of its items, what is made of all of them."""
        match e:
            case ast.Call(func=func, args=[ast.Name(id=v)]) if v == self.v and self.is_builtin(func, "len"):
                return ast.copy_location(constant(len(self.attributes)), e)
            case ast.Subscript(value=ast.Name(id=v), slice=ast.Constant(value=int(k))) if v == self.v:
                return ast.copy_location(name(self.attributes[str(k)]), e) if str(k) in self.attributes else e
            case ast.ListComp(elt=elt, generators=[generator]):
                return self.every(elt, generator) or e
            case ast.Call(func=func, args=[ast.GeneratorExp(elt=elt, generators=[generator]), *rest]) if any(
                self.is_builtin(func, b) for b in TAKING
            ):
                items = self.every(elt, generator)
                return replace(e, args=[items, *rest]) if items is not None else e
            case _:
                return e

    def every(self, e: ast.expr, generator: ast.comprehension) -> ast.List | None:
        """What a comprehension over the list makes of each object."""
        steps = self.steps(generator.target, generator.iter)
        if steps is None or generator.ifs or holds(e, ast.Lambda, ast.NamedExpr):
            return None
        return ast.copy_location(ast.List([self.once(e, step) for step in steps], ast.Load()), e)

    def once(self, e: ast.expr, step: Step) -> ast.expr:
        (made,) = self.places.placed(ast.parse(ast.unparse(step.given(e))).body, ast.copy_location(ast.Pass(), e))
        assert isinstance(made, ast.Expr)
        return made.value

    def is_builtin(self, e: ast.expr, title: str) -> bool:
        own = self.own | self.function.__globals__.keys() | {*self.function.__code__.co_freevars}
        return isinstance(e, ast.Name) and e.id == title and title not in own


class GivenEach(Each):
    """A list that is given."""

    def __init__(self, tree: ast.FunctionDef, function: types.FunctionType, v: str, count: int) -> None:
        super().__init__(tree, function, v, count)
        head, rest = split(tree.body, v)
        self.changes = False
        body = self.written(rest)
        changed = changed_in(body)
        self.needed = {k for k, x in self.attributes.items() if x in changed}  # objects that are changed: copies are
        self.result = written_anew(tree, [*head, *self.beginning(body, tree), *body])

    def beginning(self, body: Body, like: ast.FunctionDef) -> Body:
        used = named_in(body)
        items = ((x, ast.Subscript(name(self.v), constant(int(k)), ast.Load())) for k, x in self.attributes.items())
        return [assign(x, item, like) for x, item in items if x in used]


def made_each(tree: ast.FunctionDef, function: types.FunctionType) -> ast.FunctionDef | None:
    """The definition with variables for the objects of a list of several classes that the function makes; None where
    there is no such list.

    layers = [Linear(w), Relu()]           layers_0 = Linear(w)
    for layer in layers:                   layers_1 = Relu()
        x = layer(x)                ->     x = layers_0(x)
                                           x = layers_1(x)
    """
    once = bindings(tree)
    for i, s in enumerate(tree.body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=elts) | ast.Tuple(elts=elts)) if (
                once[v] == 1 and len(_classes(elts)) > 1 and len(elts) <= MOST_OBJECTS
            ):
                try:
                    each = Each(tree, function, v, len(elts))
                    made: Body = [assign(x, e, s) for x, e in zip(each.attributes.values(), elts)]
                    rest = [*each.places.placed(copied(made), s), *each.written(tree.body[i + 1 :])]
                except CannotWriteOut:
                    continue
                return written_anew(tree, [*tree.body[:i], *rest])
    return None


def _classes(elts: list[ast.expr]) -> set[str]:
    """The names that are called for the items of a list, if that makes all of them."""
    made = {e.func.id if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) else "" for e in elts}
    return set() if "" in made else made


@dataclass(frozen=True)
class Step:
    """What some variables are in one turn of a loop: other variables, or numbers."""

    names: dict[str, str]
    numbers: dict[str, ast.Constant] = field(default_factory=dict)

    def given(self, node: Node) -> Node:
        """A statement or expression with these."""
        bound = {n.id for n in walk(node) if isinstance(n, ast.Name) and not isinstance(n.ctx, ast.Load)}
        if not bound.isdisjoint({*self.names, *self.numbers}):
            raise CannotWriteOut
        return with_constants(rename(node, self.names), self.numbers)
