"""Iterators that are kept in a variable and advanced by `next`.

items = iter(xs)             items = sequence(xs); items_at = -1
first = next(items)     ->   first = next_item(items, (items_at := items_at + 1))
for v in items: ...          while (items_at := items_at + 1) < len(items): v = items[items_at]; ...

A generator becomes a function that gives one item each time it is called (machine.py):

steps = growing(x)           def steps_next(): ...
a = next(steps, 0.0)    ->   a = item_or(steps_next(), 0.0)
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from dataclasses import dataclass

from tangent.normalise.context import Context
from tangent.normalise.generators.lazy import Lazy
from tangent.normalise.generators.machine import Machine, machine, rest_of
from tangent.normalise.generators.meanwhile import Meanwhile
from tangent.normalise.generators.pieces import END
from tangent.normalise.generators.written import Body, written
from tangent.normalise.iterators.known import reads_all
from tangent.runtime.library import lazily
from tangent.runtime.writers import WRITING_METHODS
from tangent.source.resolve import MISSING
from tangent.syntax.captured import bindings, declared
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import rebuild, replace, walk_scope, with_blocks
from tangent.syntax.walk import walk


def kept(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Rewrite iterators that are advanced."""
    if not context.kept:
        return f
    found = _Kept(f, context, Lazy(f, context))
    if not found.made:
        return f
    new = found.whole()
    context.declared = declared(new)
    context.scope.local -= context.declared
    return new


@dataclass
class _Made:
    """An iterator: where it stands in what it runs over, or the function that gives its items."""

    place: str = ""
    machine: Machine | None = None
    rest: str = ""


class _Kept:
    def __init__(self, f: ast.FunctionDef, context: Context, lazy: Lazy) -> None:
        self.f, self.context, self.lazy = f, context, lazy
        self.made: dict[str, _Made] = {}
        meanwhile = Meanwhile(f, context)
        bound = bindings(f)
        for v, assigned in lazy.assigned().items():
            values = [a.value for a in assigned]
            if v in context.kept and len(assigned) == bound[v] and self.is_followed(v):
                lists = [self.items(e) for e in values]
                if all(e is not None for e in lists):
                    for a in assigned:
                        meanwhile.require_same(v, a, [], {})
                    self.made[v] = _Made(place=self.named(f"{v}_at"))
                elif len(assigned) == 1 and (cut := self.cut(v, assigned[0], meanwhile)) is not None:
                    self.made[v] = _Made(machine=cut, rest=context.names.numbered(f"{v}_rest"))

    def named(self, base: str) -> str:
        found = self.context.names.numbered(base)
        self.context.scope.local.add(found)
        return found

    def resolve(self, e: ast.expr) -> object:
        return self.lazy.resolved(e)

    def items(self, e: ast.expr) -> ast.expr | None:
        """What an iterator runs over, where that has a length."""
        match e:
            case ast.Call(func=func, args=[inner], keywords=[]) if self.resolve(func) is iter:
                if isinstance(inner, ast.GeneratorExp) or self.lazy.behind(inner) is not None:
                    return None
                return None if isinstance(inner, ast.Name) and self.changes(inner.id) else self.lazy.items(inner)
            case ast.Call(func=func) if self.resolve(func) in (zip, reversed):
                return call(self.context.builtin("list"), e)
            case _:
                return None

    def changes(self, v: str) -> bool:
        """Whether a list is made longer or shorter here."""
        called = [n.func for n in walk(self.f) if isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute)]
        return any(isinstance(a.value, ast.Name) and a.value.id == v and a.attr in WRITING_METHODS for a in called)

    def cut(self, v: str, s: ast.Assign, meanwhile: Meanwhile) -> Machine | None:
        e = s.value
        if isinstance(e, ast.Call) and self.resolve(e.func) is iter and len(e.args) == 1:
            e = e.args[0]
        found = written(e, s, self.lazy.nested, self.context)
        if found is None:
            return None
        assigned = [x for x in found.start if isinstance(x, ast.Assign)]
        given = {t.id: x.value for x in assigned for t in x.targets if isinstance(t, ast.Name)}
        meanwhile.require_same(v, s, found.body, given)
        return machine(v, found, s, self.lazy.nested, self.context)

    def is_followed(self, v: str) -> bool:
        """Whether all that is done with an iterator is known here."""
        every = [n for n in walk(self.f) if isinstance(n, ast.Name) and n.id == v and isinstance(n.ctx, ast.Load)]
        known: set[ast.AST] = set()
        for n in walk_scope(self.f):
            match n:
                case ast.Call(func=func, args=args) if self.asks(func) or self.reads(func):
                    known.update(args)
                case ast.Call(func=ast.Attribute(value=owner, attr="send" | "__next__"), args=args) if len(args) < 2:
                    known.add(owner)
                case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner, attr="close"), args=[])):
                    known.add(owner)
                case ast.For(iter=iter) | ast.comprehension(iter=iter):
                    known.add(iter)
                case ast.Assign(targets=[ast.Tuple() | ast.List()], value=value) | ast.Starred(value=value):
                    known.add(value)
        return all(n in known for n in every)

    def asks(self, func: ast.expr) -> bool:
        return self.resolve(func) in (next, lazily.advance)

    def reads(self, func: ast.expr) -> bool:
        found = self.resolve(func)
        try:
            return found is not MISSING and reads_all(found)
        except TypeError:
            return False

    # The text

    def whole(self) -> ast.FunctionDef:
        new = replace(self.f, body=self.block(self.f.body))
        return self.lazy.without_unused(new, self.f)

    def block(self, body: Body) -> Body:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> Body:
        if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
            return [s]
        inner = with_blocks(s, self.block)
        match inner:
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if v in self.made:
                return self.started(v, value, inner)
            case ast.For(iter=ast.Name(id=v)) if v in self.made:
                return [self.loop(inner, v)]
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="close"))) if v in self.made:
                return self.closed(v, inner)
            case ast.Expr(value=ast.Call() as value):
                return self.called(value, inner)
            case ast.Assign(targets=[ast.Tuple() | ast.List()], value=ast.Name(id=v)) if v in self.made:
                return [replace(inner, value=self.rest(v))]
        return [self.own_expressions(inner, self.expression)]

    def called(self, e: ast.Call, s: ast.stmt) -> Body:
        """A call for what it does: items that it is given come first, where nothing else is called before them."""
        before: Body = []

        def item(x: ast.expr) -> ast.expr:
            new = self.expression(x)
            if new is x:
                return x
            held = self.named("item")
            before.append(assign(held, new, s))
            return name(held)

        changed = rebuild(e, item)
        if changed is e:
            return [s]
        if isinstance(changed, ast.Call) and sum(isinstance(n, ast.Call) for n in walk(changed)) == 1:
            return [*before, replace(s, value=changed)]
        return [assign(self.named("dropped"), rebuild(e, self.expression), s)]

    def own_expressions(self, s: ast.stmt, change: Callable[[ast.expr], ast.expr]) -> ast.stmt:
        """The statement with its own expressions changed; its blocks are done."""
        changes: dict[str, object] = {}
        for field, old in ast.iter_fields(s):
            if isinstance(old, ast.expr):
                changes[field] = rebuild(old, change)
            elif isinstance(old, list) and old and isinstance(old[0], ast.expr):
                changes[field] = [rebuild(x, change) for x in old]
        return replace(s, **changes) if changes else s

    def started(self, v: str, value: ast.expr, s: ast.stmt) -> Body:
        made = self.made[v]
        if made.machine is not None:
            functions = [*made.machine.functions, rest_of(made.machine, made.rest, s, self.context)]
            return [*(self.own_expressions(x, self.expression) for x in made.machine.start), *functions]
        items = self.items(value)
        assert items is not None
        return [assign(v, rebuild(items, self.expression), s), assign(made.place, constant(-1), s)]

    def closed(self, v: str, s: ast.stmt) -> Body:
        """`items.close()`: no item follows."""
        cut = self.made[v].machine
        return [s] if cut is None else [assign(cut.state, constant(END), s)]

    def expression(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=func, args=[ast.Name(id=v)]) if v in self.made and self.resolve(func) is lazily.advance:
                return self.advanced(v)
            case ast.Call(func=func, args=[ast.Name(id=v), *default]) if v in self.made and self.resolve(func) is next:
                return ast.copy_location(self.next(v, default), e)
            case ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="__next__" | "send"), args=args) if (
                v in self.made
            ):
                return ast.copy_location(self.next(v, [], args), e)
            case ast.Call(args=args) if any(isinstance(a, ast.Name) and a.id in self.made for a in args):
                return replace(e, args=[self.argument(a) for a in args])
            case ast.Starred(value=value):
                return replace(e, value=self.argument(value))
            case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                return replace(e, generators=[replace(g, iter=self.argument(g.iter)) for g in e.generators])
            case _:
                return e

    def argument(self, e: ast.expr) -> ast.expr:
        return self.rest(e.id) if isinstance(e, ast.Name) and e.id in self.made else e

    def next(self, v: str, default: list[ast.expr], given: list[ast.expr] | None = None) -> ast.expr:
        made = self.made[v]
        if made.machine is not None:
            taken = self.advanced(v, given)
            function = lazily.item_or if default else lazily.item_of
            return call(self.context.use(function.__name__, function), taken, *default)
        found = lazily.next_or if default else lazily.next_item
        return call(self.context.use(found.__name__, found), name(v), self.step(v), *default)

    def step(self, v: str) -> ast.expr:
        return expression("(k := k + 1)", k=self.made[v].place)

    def advanced(self, v: str, given: list[ast.expr] | None = None) -> ast.expr:
        cut = self.made[v].machine
        if cut is None:
            return call(self.context.use("taken_at", lazily.taken_at), name(v), self.step(v))
        return call(cut.title, *((given or [constant(None)]) if cut.sent else []))

    def rest(self, v: str) -> ast.expr:
        """All items that are left."""
        made = self.made[v]
        if made.machine is not None:
            return call(made.rest)
        end = expression("(k := n(s))", k=made.place, n=self.context.builtin("len"), s=v)
        return call(self.context.use("items_left", lazily.items_left), name(v), name(made.place), end)

    def loop(self, s: ast.For, v: str) -> ast.stmt:
        made = self.made[v]
        if made.machine is not None:
            taken = self.named("taken")
            step = ast.NamedExpr(ast.Name(taken, ast.Store()), self.advanced(v))
            test: ast.expr = ast.Subscript(step, constant(0), ast.Load())
            item = expression("t[1]", t=taken)
        else:
            test = expression("(k := k + 1) < n(s)", k=made.place, n=self.context.builtin("len"), s=v)
            item = expression("s[k]", s=v, k=made.place)
        first = at(ast.Assign([s.target], item), s)
        return at(ast.While(test, [first, *s.body], s.orelse), s)
