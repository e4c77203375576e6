"""Loops that take turns with a generator: the generator is written out around the body of the loop.

def steps(x):                       x2 = x
    while True:                     while True:
        yield x                         v = x2
        x = x * 1.5           ->        if v > 5.0: break
                                        s = s + v
for v in steps(x):                      x2 = x2 * 1.5
    if v > 5.0: break
    s = s + v

So it runs no further than the loop asks it to, and each sees what the other one did. Generators whose items are all
read, and that nobody can tell from a list, stay calls that give lists (iterators/).
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tangent.errors import TangentError
from tangent.normalise.context import Context
from tangent.normalise.iterators.turns import Turns
from tangent.normalise.jumps import leaves_loop, own_jumps
from tangent.normalise.managers import bound_arguments, placed, renamed_variables
from tangent.source.generators import collecting, is_generator
from tangent.source.read import read
from tangent.source.resolve import is_library
from tangent.syntax.captured import bindings, own_functions
from tangent.syntax.quote import assign, at, call, constant, name
from tangent.syntax.rebuild import rebuild, rename, replace, walk_scope, with_blocks
from tangent.syntax.uses import arguments, assigned_inside
from tangent.syntax.walk import walk

LOOPS = ast.For | ast.While
HIDING = ast.FunctionDef | ast.Lambda | ast.ClassDef | ast.Await | ast.Global | ast.Nonlocal
Body = list[ast.stmt]


def turned(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Write generators out around the loops that take turns with them."""
    turning = _Turning(f, context)
    if not turning.classes and not any(isinstance(n, ast.For) for n in walk(f)):
        return f
    return turning.whole()


class _Turning:
    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.f, self.context = f, context
        once = bindings(f)
        nested = [g for g in own_functions(f) if once[g.name] == 1 and not g.decorator_list and _yields(g)]
        self.nested = {g.name: g for g in nested}
        self.classes = _known_classes(f, context, once)
        self.turns = Turns(f, context)
        self.written: list[object] = []  # the generators that are being written out

    def whole(self) -> ast.FunctionDef:
        named = rebuild(self.f, self.by_name) if self.classes else self.f
        new = replace(named, body=self.block(named.body))
        used = {n.id for n in walk(new) if isinstance(n, ast.Name)}
        gone = {v for v in self.nested if v not in used and any(n.id == v for n in _names(self.f))}
        return replace(new, body=_without(new.body, gone)) if gone else new

    def block(self, body: Body) -> Body:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> Body:
        if isinstance(s, ast.FunctionDef | ast.ClassDef):
            return [s]
        s = with_blocks(s, self.block)
        match s:
            case ast.For(iter=ast.Call() as e):
                return self.opened(s, e) or [s]
            case _:
                return [s]

    def opened(self, s: ast.For, e: ast.Call) -> Body | None:
        """The loop inside its generator, where that is needed and says the same."""
        found = self.context.scope.resolve(e.func)
        local = self.nested.get(e.func.id) if isinstance(e.func, ast.Name) else None
        if local is None and (not is_generator(found) or is_library(found) or found.__code__.co_freevars):
            return None
        key = local or found
        if key in self.written or len(self.written) > 4 or not self.is_needed(s, e, found, local):
            return None
        given = self.local(local, e) if local is not None else self.known(found, e, s)
        if given is None:
            return None
        start, body = given
        self.written.append(key)
        try:
            filled = _Filled(s, self.context).around(body)
            return None if filled is None else [*start, *self.block(filled)]
        finally:
            self.written.pop()

    def is_needed(self, s: ast.For, e: ast.Call, found: object, local: ast.FunctionDef | None) -> bool:
        if leaves_loop(s) or self.turns.taken(replace(e), s.target, s.body):
            return True
        return local is None and isinstance(found, types.FunctionType) and collecting(found, turns=True) is None

    def by_name(self, e: ast.expr) -> ast.expr:
        """The call of a generator that is a method of an object whose class is known, as that of a function."""
        match e:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v) as owner, attr=attr), args=args) if v in self.classes:
                found = inspect.getattr_static(self.classes[v], attr, None)
                if is_generator(found):
                    called = ast.copy_location(name(self.context.use(attr, found)), e.func)
                    return replace(e, func=called, args=[owner, *args])
        return e

    def known(self, found: types.FunctionType, e: ast.Call, s: ast.stmt) -> tuple[Body, Body] | None:
        """What the parameters of a generator are given, and its body under names of its own."""
        try:
            tree = read(found).tree
        except TangentError:
            return None
        given = bound_arguments(found, e, self.context) if _is_plain(tree) else None
        names = renamed_variables(found, tree, self.context) if given is not None else None
        if given is None or names is None:
            return None
        self.context.scope.local |= {names[v] for v in assigned_inside(tree.body) | set(given)}
        start: Body = [at(ast.Assign([ast.Name(names[v], ast.Store())], a), s) for v, a in given.items()]
        return start, [rename(placed(x, s), names) for x in tree.body]

    def local(self, g: ast.FunctionDef, e: ast.Call) -> tuple[Body, Body] | None:
        """The same of a generator that is defined inside: what it captures are the variables themselves."""
        every = arguments(g.args)
        plain = not (e.keywords or g.args.vararg or g.args.kwarg or g.args.defaults or g.args.kwonlyargs)
        if not plain or len(e.args) != len(every) or any(isinstance(a, ast.Starred) for a in e.args):
            return None
        if not _is_plain(g):
            return None
        own = {a.arg for a in every} | assigned_inside(g.body)
        names = {v: self.context.names.numbered(v) for v in sorted(own)}
        self.context.scope.local |= set(names.values())
        start: Body = [assign(names[a.arg], given, g) for a, given in zip(every, e.args)]
        return [*start], [rename(x, names) for x in g.body]


@dataclass
class _Filled:
    """A generator whose items go to the body of one loop."""

    s: ast.For
    context: Context
    ended: str = ""
    left: str = ""

    def around(self, body: Body) -> Body | None:
        jumps = own_jumps(self.s.body)
        returns = any(isinstance(n, ast.Return) for x in body for n in (x, *walk_scope(x)))
        if ast.Break in jumps or returns:
            if not returns and _is_one_loop(body) and ast.Continue not in jumps:
                *first, loop = body
                assert isinstance(loop, LOOPS)
                return [*first, replace(loop, body=self.block(loop.body), orelse=self.s.orelse)]
            self.ended = self.named("ended")
            self.left = self.named("left") if self.s.orelse else ""
        filled = self.block(body)
        flags = [assign(v, constant(False), self.s) for v in (self.ended, self.left) if v]
        if self.ended:
            filled = [self.once(filled)]
        if not self.s.orelse:
            return [*flags, *filled]
        test = ast.UnaryOp(ast.Not(), name(self.left)) if self.left else constant(True)
        return [*flags, *filled, at(ast.If(test, self.s.orelse, []), self.s.orelse[0])]

    def named(self, base: str) -> str:
        found = self.context.names.numbered(base)
        self.context.scope.local.add(found)
        return found

    def once(self, body: Body) -> ast.stmt:
        """A loop that runs once, which jumps can leave."""
        target = ast.Name(self.named("_"), ast.Store())
        return at(ast.For(target, call(self.context.builtin("range"), constant(1)), body, []), self.s)

    def block(self, body: Body) -> Body:
        return [new for x in body for new in self.statement(x)]

    def statement(self, x: ast.stmt) -> Body:
        match x:
            case ast.Expr(value=ast.Yield(value=value)):
                return [at(ast.Assign([self.s.target], value or constant(None)), self.s), *self.consumer()]
            case ast.Expr(value=ast.YieldFrom(value=value)):
                inner = at(ast.For(self.s.target, value, self.consumer(), []), self.s)
                return [inner, *self.leaving(inner)]
            case ast.Expr(value=ast.Constant()):
                return []
            case ast.Return():
                return [assign(self.ended, constant(True), x), at(ast.Break(), x)]
            case ast.For() | ast.While():
                new = with_blocks(x, self.block)
                return [new, *(self.leaving(new) if _leaves(x) else [])]
            case _:
                return [with_blocks(x, self.block)]

    def leaving(self, like: ast.stmt) -> Body:
        if not self.ended:
            return []
        return [at(ast.If(name(self.ended), [at(ast.Break(), like)], []), like)]

    def consumer(self) -> Body:
        """The body of the loop, whose jumps leave the generator or go on in it."""
        body = self.s.body
        if self.ended:
            flags = [v for v in (self.ended, self.left) if v]
            body = _with_breaks(body, lambda b: [*(assign(v, constant(True), b) for v in flags), b])
        if ast.Continue not in own_jumps(self.s.body):
            return body
        whole = self.once(body)
        return [whole, *self.leaving(whole)]


def _with_breaks(body: Body, change: Callable[[ast.Break], Body]) -> Body:
    def block(inner: Body) -> Body:
        return [new for x in inner for new in statement(x)]

    def statement(x: ast.stmt) -> Body:
        if isinstance(x, ast.Break):
            return change(x)
        return [x] if isinstance(x, ast.For | ast.While | ast.FunctionDef | ast.ClassDef) else [with_blocks(x, block)]

    return block(body)


def _leaves(x: ast.stmt) -> bool:
    kinds = ast.Yield | ast.YieldFrom | ast.Return
    return any(isinstance(n, kinds) for n in walk_scope(x))


def _is_one_loop(body: Body) -> bool:
    """Whether all items come from one loop, after which nothing happens."""
    *first, last = body
    if not isinstance(last, LOOPS) or last.orelse or any(map(_leaves, first)):
        return False
    inner = [n for n in walk_scope(last) if isinstance(n, LOOPS) and n is not last]
    hidden = any(_leaves(n) for n in inner) or any(isinstance(n, ast.YieldFrom) for n in walk_scope(last))
    return not hidden


def _yields(g: ast.FunctionDef) -> bool:
    return any(isinstance(n, ast.Yield | ast.YieldFrom) for n in walk_scope(g))


def _is_plain(tree: ast.FunctionDef) -> bool:
    """Items are yielded by statements, outside of handlers; nothing has a scope of its own."""
    nodes = list(walk_scope(tree))
    statements = [n.value for n in nodes if isinstance(n, ast.Expr)]
    every = [n for n in nodes if isinstance(n, ast.Yield | ast.YieldFrom)]
    tried = [n for n in nodes if isinstance(n, ast.Try | ast.TryStar) and n.handlers]
    if any(_leaves(t) for t in tried) or any(isinstance(n, HIDING) for n in nodes):
        return False
    given = [n for n in nodes if isinstance(n, ast.Return) and n.value is not None]
    return all(y in statements for y in every) and not given


def _names(f: ast.FunctionDef) -> list[ast.Name]:
    return [n for n in walk(f) if isinstance(n, ast.Name)]


def _without(body: Body, gone: set[str]) -> Body:
    kept = [with_blocks(s, lambda b: _without(b, gone)) for s in body if not _is_definition(s, gone)]
    return kept or [at(ast.Pass(), body[0])]


def _is_definition(s: ast.stmt, gone: set[str]) -> bool:
    return isinstance(s, ast.FunctionDef) and s.name in gone


def _known_classes(f: ast.FunctionDef, context: Context, once: Mapping[str, int]) -> dict[str, type]:
    """Variables that are assigned once, an object that is made there."""
    found: dict[str, type] = {}
    for n in walk_scope(f):
        match n:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=func)) if once.get(v) == 1:
                cls = context.scope.resolve(func)
                if isinstance(cls, type) and not is_library(cls):
                    found[v] = cls
    return found
