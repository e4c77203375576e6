"""Loops that take turns with a generator: the generator is written out around the body of the loop.

def steps(x):                       x2 = x
    while True:                     while True:
        yield x                         v = x2
        x = x * 1.5           ->        if v > 5.0: break
                                        s = s + v
for v in steps(x):                      x2 = x2 * 1.5
    if v > 5.0: break
    s = s + v

So it runs no further than the loop asks it to, and each sees what the other one did; under `try`, too, where one of
them may raise half-way. Generators whose items are all
read, and that nobody can tell from a list, stay calls that give lists (iterators/).
"""

from __future__ import annotations

import ast
import copy
import inspect
import types
from collections.abc import Callable, Mapping
from dataclasses import dataclass

from tangent.normalise.context import Context
from tangent.normalise.generators.lazy import Lazy, is_user
from tangent.normalise.generators.written import Body, behind, written
from tangent.normalise.iterators.turns import Turns
from tangent.normalise.jumps import leaves_loop, own_jumps
from tangent.runtime import operators
from tangent.runtime.library import VIEWS, lazily
from tangent.source.generators import collecting, is_generator
from tangent.source.naming import is_library
from tangent.source.resolve import MISSING
from tangent.syntax.captured import bindings
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import rebuild, replace, walk_scope, with_blocks
from tangent.syntax.walk import holds, walk

LOOPS = ast.For | ast.While


class Delegation(ast.For):
    """`result = yield from ...`, as a loop: what the generator returns goes to a variable."""

    _fields = (*ast.For._fields, "result")
    result: ast.expr


def turned(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Write generators out around the loops that take turns with them."""
    turning = _Turning(f, context)
    if not turning.classes and not holds(f, ast.For, ast.Try, ast.With):
        return f
    return turning.whole()


class _Turning:
    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.f, self.context = f, context
        self.lazy = Lazy(f, context)
        self.classes = _known_classes(f, context, bindings(f))
        self.turns = Turns(f, context)
        self.written: list[object] = []  # the generators that are being written out
        self.tried = 0  # how many blocks around go on after an exception
        self.turning = 0  # how many of the loops around take turns with what `enumerate`, `map` or `filter` ask
        self.stuck = False  # whether one of those cannot be written out

    def whole(self) -> ast.FunctionDef:
        named = rebuild(self.f, self.by_name) if self.classes else self.f
        return self.lazy.without_unused(replace(named, body=self.block(named.body)), self.f)

    def block(self, body: Body) -> Body:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> Body:
        if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
            return [s]
        self.tried += (around := isinstance(s, (ast.Try, ast.With)))
        s = with_blocks(s, self.block)
        self.tried -= around
        s = self.by_items(s) if self.tried else s
        match s:
            case ast.For(iter=ast.Call() as e) if (opened := self.opened(s, e)) is not None:
                return opened
            case Delegation():
                why = "what it gives is returned by a generator that is not written out here"
                todo = "Call a generator function of a module, by its name."
                raise self.context.refuse(s, "'yield from'", why, todo)
            case _:
                return [s]

    def opened(self, s: ast.For, e: ast.Call) -> Body | None:
        """The loop inside its generator, where that is needed and says the same."""
        found = behind(e, self.lazy.nested, self.context)
        if found is None or not self.is_needed(s, e, found):
            return None
        opened = self.filled(s, e, found)
        self.stuck = self.turning > 0 and (self.stuck or opened is None)
        return opened

    def filled(self, s: ast.For, e: ast.Call, found: ast.FunctionDef | types.FunctionType) -> Body | None:
        if len(self.written) > 6 or (is_user(found) and found in self.written):
            return None
        given = written(e, s, self.lazy.nested, self.context)
        if given is None or any(_is_sent(x) for x in given.body):
            return None
        filled = _Filled(s, self.context).around(given.body)
        if filled is None:
            return None
        turning = not is_user(found) and self.takes_turns(s, e)
        self.written.append(found)
        self.turning += turning
        try:
            done = self.block(filled)
        finally:
            self.written.pop()
            self.turning -= turning
        return None if turning and self.stuck else [*given.start, *done]

    def takes_turns(self, s: ast.For, e: ast.Call) -> bool:
        return self.turning > 0 or self.turns.taken(replace(e), s.target, s.body)

    def is_needed(self, s: ast.For, e: ast.Call, found: ast.FunctionDef | types.FunctionType) -> bool:
        if isinstance(s, Delegation):
            return True
        if not is_user(found):
            reads = [a for a in walk(e) if isinstance(a, ast.Call) and a is not e]
            asked = any(is_user(behind(a, self.lazy.nested, self.context)) for a in reads)
            left = self.tried > 0 or leaves_loop(s)
            if self.lazy.is_lazy(e) or found is lazily.items_called or (asked and left):
                return True
            late = any(behind(a, self.lazy.nested, self.context) is not None for a in reads)
            return late and self.takes_turns(s, e)
        if self.tried or leaves_loop(s) or self.takes_turns(s, e):
            return True
        return isinstance(found, types.FunctionType) and collecting(found, turns=True) is None

    def by_items(self, s: ast.stmt) -> ast.stmt:
        """What reads a generator, as a loop over its call: some of its items may be there before it raises.

        for v in tree:              ->    for v in Tree.__iter__(tree):
        for v in f(x):              ->    for v in iterated_where_caught(f(x)):
        xs.extend(items(x))         ->    for item in items(x): xs.append(item)
        """
        match s:
            case ast.For(iter=iter):
                return replace(s, iter=self.caught(iter))
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=xs, attr="extend"), args=[e])) if (
                self.may_yield(e)
            ):
                item = self.context.names.numbered("item")
                self.context.scope.local.add(item)
                grown = at(ast.Expr(expression("xs.append(v)", xs=xs, v=item)), s)
                return self.by_items(at(ast.For(ast.Name(item, ast.Store()), e, [grown], []), s))
        return s

    def may_yield(self, e: ast.expr) -> bool:
        """Whether items may come from a generator."""
        if isinstance(e, ast.Call) and is_user(behind(e, self.lazy.nested, self.context)):
            return True
        return isinstance(e, (ast.Name, ast.Attribute, ast.Subscript)) and self.context.overloads("__iter__")

    def caught(self, e: ast.expr) -> ast.expr:
        """What a loop inside `try` runs over: the generator, where it is known which one, else what is asked for it."""
        match e:
            case ast.Call(func=func, args=args) if self.context.scope.resolve(func) in (enumerate, zip):
                return replace(e, args=[self.caught(a) for a in args])
            case ast.Name(id=v) if v in self.classes:
                cls: object = self.classes[v]
            case ast.Call(func=func):
                cls = self.context.scope.resolve(func)
                if is_user(behind(e, self.lazy.nested, self.context)) or not _may_make_objects(func, cls):
                    return e
            case ast.Name() | ast.Attribute() | ast.Subscript():
                cls = MISSING
            case _:
                return e
        if isinstance(cls, type) and is_generator(found := inspect.getattr_static(cls, "__iter__", None)):
            return ast.copy_location(call(self.context.use("items", found), e), e)
        if not self.context.overloads("__iter__"):
            return e
        whole = self.context.use("iterated_where_caught", operators.iterated_where_caught)
        return ast.copy_location(call(whole, e), e)

    def by_name(self, e: ast.expr) -> ast.expr:
        """The call of a generator that is a method of an object whose class is known, as that of a function."""
        match e:
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v) as owner, attr=attr), args=args) if v in self.classes:
                found = inspect.getattr_static(self.classes[v], attr, None)
                if is_generator(found):
                    called = ast.copy_location(name(self.context.use(attr, found)), e.func)
                    return replace(e, func=called, args=[owner, *args])
        return e


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
                if isinstance(self.s, Delegation):
                    first = [at(ast.Assign([self.s.result], constant(None)), self.s), *first]
                assert isinstance(loop, LOOPS)
                return [*first, replace(loop, body=self.block(loop.body), orelse=self.s.orelse)]
            self.ended = self.named("ended")
            self.left = self.named("left") if self.s.orelse else ""
        filled = self.block(body)
        if isinstance(self.s, Delegation):
            filled = [at(ast.Assign([self.s.result], constant(None)), self.s), *filled]
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
                item = copy.deepcopy(self.s.target)
                return [at(ast.Assign([item], value or constant(None)), self.s), *self.consumer()]
            case ast.Expr(value=ast.YieldFrom(value=value)):
                inner = at(ast.For(copy.deepcopy(self.s.target), value, self.consumer(), []), self.s)
                return [inner, *self.leaving(inner)]
            case ast.Assign(targets=[target], value=ast.YieldFrom(value=value)):
                each = at(Delegation(copy.deepcopy(self.s.target), value, self.consumer(), []), self.s)
                each.result = target
                return [each, *self.leaving(each)]
            case ast.Expr(value=ast.Constant()):
                return []
            case ast.Return(value=value):
                told: Body = []
                if isinstance(self.s, Delegation):
                    told = [at(ast.Assign([self.s.result], value or constant(None)), x)]
                return [*told, assign(self.ended, constant(True), x), at(ast.Break(), x)]
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
        body = copy.deepcopy(self.s.body)  # it may stand in several places
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
        return [x] if isinstance(x, (ast.For, ast.While, ast.FunctionDef, ast.ClassDef)) else [with_blocks(x, block)]

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


def _is_sent(x: ast.stmt) -> bool:
    """Whether a generator asks for what it is sent."""
    every = (x, *walk_scope(x))
    return any(isinstance(n, ast.Assign) and isinstance(n.value, ast.Yield) for n in every)


def _may_make_objects(func: ast.expr, found: object) -> bool:
    """Whether a call may give an object of a class of the user's: no function of a library, nor a view of a dict."""
    if found is MISSING:
        return not (isinstance(func, ast.Attribute) and func.attr in VIEWS)
    return isinstance(found, (type, types.FunctionType)) and not is_library(found)


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
