"""Iterators that are read at once, but may not be read ahead: a function beside the others reads them.

sum(islice(growing(x), 3))            def items():
                                          found = []
                                ->        for item in islice(growing(x), 3): found.append(item)
                                          return found
                                      sum(items())

next((v for v in xs if v > 0), x)     def first():
                                          for v in xs:
                                ->            if v > 0: return True, v
                                          return False, None
                                      item_or(first(), x)

In the loop of such a function the generator is written out (turned.py), so that it runs no further than it must.
"""

from __future__ import annotations

import ast
import builtins
import itertools
import types

from tangent.normalise.context import Context
from tangent.normalise.generators.apart import apart
from tangent.normalise.generators.written import Body, behind
from tangent.normalise.iterators.known import kind, reads_all
from tangent.normalise.iterators.turns import Turns
from tangent.normalise.jumps import leaves_loop
from tangent.runtime import operators
from tangent.runtime.dispatch import sequence
from tangent.runtime.library import lazily
from tangent.source.generators import changes_items, collecting, collecting_tree, tree_changes_items
from tangent.source.resolve import MISSING
from tangent.syntax.captured import bindings, own_functions
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import function_node, rebuild, replace, walk_scope, with_blocks
from tangent.syntax.uses import COMPREHENSIONS, expression_reads
from tangent.syntax.walk import holds, walk

JOINING = frozenset({zip, itertools.chain})
ASKING = frozenset({"next", "iter"})


def lazily_read(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Functions for iterators that may not be read ahead; also finds the variables that hold such iterators."""
    if not holds(f, ast.Call, ast.GeneratorExp):
        return f
    f = apart(f, context)
    lazy = Lazy(f, context)
    context.kept = {v for v, assigned in lazy.assigned().items() if lazy.is_advanced(v, assigned[0].value)}
    return lazy.whole()


class Lazy:
    """The iterators of a function that may not be read ahead."""

    def __init__(self, f: ast.FunctionDef, context: Context) -> None:
        self.f, self.context = f, context
        once = bindings(f)
        nested = [g for g in own_functions(f) if once[g.name] == 1 and not g.decorator_list and _yields(g)]
        self.nested = {g.name: g for g in nested}
        self.functions: Body = []
        self.turns = Turns(f, context)
        self.tried = 0  # how many blocks around go on after an exception
        self.in_turns = False  # whether generators run beside what reads them

    def behind(self, e: ast.expr) -> ast.FunctionDef | types.FunctionType | None:
        return behind(e, self.nested, self.context)

    def assigned(self) -> dict[str, list[ast.Assign]]:
        """Variables that hold iterators, and where they are assigned."""
        found: dict[str, list[ast.Assign]] = {}
        for n in walk_scope(self.f):
            match n:
                case ast.Assign(targets=[ast.Name(id=v)], value=value) if self.is_iterator(value):
                    found.setdefault(v, []).append(n)
        return found

    def is_iterator(self, e: ast.expr) -> bool:
        if not isinstance(e, ast.Call):
            return isinstance(e, ast.GeneratorExp)
        return self.resolved(e.func) in (iter, zip, reversed) or self.behind(e) is not None

    def is_advanced(self, v: str, value: ast.expr) -> bool:
        """Whether an iterator is read in parts; one that is read once and whole is a list (iterators/)."""
        loads = [n for n in walk(self.f) if isinstance(n, ast.Name) and n.id == v and isinstance(n.ctx, ast.Load)]
        if len(loads) != 1 or isinstance(value, ast.GeneratorExp):
            return bool(loads)
        if isinstance(value, ast.Call) and self.resolved(value.func) is iter:
            return True
        for n in walk_scope(self.f):
            match n:
                case ast.Call(func=func, args=[ast.Name(id=x), *_]) if x == v and self.resolved(func) is next:
                    return True
                case ast.Call(func=func, args=args) if self.resolved(func) is lazily.advance and loads[0] in args:
                    return True
                case ast.Call(func=ast.Attribute(value=ast.Name(id=x))) if x == v:
                    return True
                case ast.For(iter=items) if loads[0] in walk(items) and (leaves_loop(n) or self.is_lazy(value)):
                    return True
        return False

    def is_lazy(self, e: ast.expr) -> bool:
        """Whether an iterator never ends, or cannot be made a list for other reasons."""
        if isinstance(e, ast.Name):
            return e.id in self.context.kept
        if not isinstance(e, ast.Call):
            return False
        found = self.behind(e)
        if not is_user(found):
            joins = found is not None or self.resolved(e.func) in JOINING
            return joins and any(self.is_lazy(a) for a in e.args)
        if self.in_turns:
            return True
        if isinstance(found, ast.FunctionDef):
            return collecting_tree(found, self.context.scope.resolve, turns=True) is None
        assert found is not None
        return collecting(found, turns=True) is None

    def resolved(self, e: ast.expr) -> object:
        found = self.context.scope.resolve(e)
        try:
            hash(found)
        except TypeError:
            return MISSING
        return found

    def whole(self) -> ast.FunctionDef:
        bound = [n.target for n in walk(self.f) if isinstance(n, ast.comprehension)]
        self.bound = {n.id for t in bound for n in walk(t) if isinstance(n, ast.Name)}
        new = replace(self.f, body=self.block(self.f.body))
        return replace(new, body=[*self.functions, *new.body])

    def block(self, body: Body) -> Body:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> Body:
        if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
            return [s]
        self.before: Body = []
        if isinstance(s, ast.For) and not s.orelse:
            self.in_turns = self.tried > 0
            opened = self.loop(s)
            self.in_turns = False
            if opened is not None:
                return self.block(opened)
        changes: dict[str, object] = {}
        for field, old in ast.iter_fields(s):
            if isinstance(old, ast.expr):
                changes[field] = self.read(old, s)
            elif isinstance(old, list) and old and isinstance(old[0], ast.expr):
                changes[field] = [self.read(x, s) for x in old]
        same = all(getattr(s, k) is v or isinstance(v, list) for k, v in changes.items())
        before = self.before
        self.tried += (around := isinstance(s, (ast.Try, ast.With)))
        done = with_blocks(s if same else replace(s, **changes), self.block)
        self.tried -= around
        return [*before, done]

    def loop(self, s: ast.For) -> Body | None:
        """A loop over `zip` that asks generators without end for one item each, after the others."""
        e = s.iter
        if not isinstance(e, ast.Call) or e.keywords or not self.is_lazy(e):
            return None
        match self.resolved(e.func), e.args:
            case builtins.enumerate, [items, *start] if self.resolved(getattr(items, "func", items)) is zip:
                count, item = self.named("count"), self.named("item")
                first = at(ast.Assign([s.target], expression("(k, v)", k=count, v=item)), s)
                body = [first, assign(count, expression("k + 1", k=count), s), *s.body]
                begin = assign(count, start[0] if start else constant(0), s)
                return [begin, replace(s, target=ast.Name(item, ast.Store()), iter=items, body=body)]
            case builtins.zip, args if not any(isinstance(a, ast.Starred) for a in args):
                return self.zipped(s, args)
        return None

    def zipped(self, s: ast.For, args: list[ast.expr]) -> Body:
        start: Body = []
        first: Body = []
        parts = [self.named("item") for _ in args]
        others = [(v, a) for v, a in zip(parts, args) if not self.is_lazy(a)]
        for v, a in zip(parts, args):
            if self.is_lazy(a):
                taken = self.named("taken")
                iterator = a.id if isinstance(a, ast.Name) else self.named("iterator")
                if not isinstance(a, ast.Name):
                    start.append(at(ast.Assign([ast.Name(iterator, ast.Store())], a), s))
                    self.context.kept.add(iterator)
                first.append(assign(taken, call(self.context.use("advance", lazily.advance), name(iterator)), s))
                first.append(at(ast.If(expression("not t[0]", t=taken), [at(ast.Break(), s)], []), s))
                first.append(assign(v, expression("t[1]", t=taken), s))
        whole = ast.Tuple([name(v) for v in parts], ast.Load())
        body = [*first, at(ast.Assign([s.target], whole), s), *s.body]
        if not others:
            return [*start, at(ast.While(constant(True), body, []), s)]
        target = ast.Tuple([ast.Name(v, ast.Store()) for v, _ in others], ast.Store())
        items = ast.Call(name(self.context.builtin("zip")), [a for _, a in others], [])
        return [*start, replace(s, target=target, iter=items, body=body)]

    def named(self, base: str) -> str:
        found = self.context.names.numbered(base)
        self.context.scope.local.add(found)
        return found

    def read(self, e: ast.expr, s: ast.stmt) -> ast.expr:
        def change(x: ast.expr) -> ast.expr:
            match x:
                case ast.Call(func=func, args=[items, *default]) if self.resolved(func) is next and len(default) < 2:
                    return self.first(items, default, s) or x
                case ast.Call(func=func, args=args) if self.consumes(func) and any(self.is_lazy(a) for a in args):
                    return replace(x, args=[self.listed(a, s) for a in args])
                case ast.ListComp() | ast.SetComp() | ast.DictComp() | ast.GeneratorExp():
                    doing = [n for n in ast.iter_child_nodes(x) if isinstance(n, ast.expr)]
                    doing += [n for g in x.generators for n in g.ifs]
                    return replace(x, generators=[self.comprehension(g, doing, s) for g in x.generators])
                case ast.Starred(value=value):
                    return replace(x, value=self.listed(value, s))
            return x

        if not any(isinstance(n, ast.Call) for n in walk(e)):
            return e
        return rebuild(e, change)

    def consumes(self, func: ast.expr) -> bool:
        found = self.resolved(func)
        return found is not MISSING and reads_all(found)

    def comprehension(self, g: ast.comprehension, doing: list[ast.expr], s: ast.stmt) -> ast.comprehension:
        if not self.is_lazy(g.iter) or self.turns.taken(g.iter, g.target, doing):
            return g
        return replace(g, iter=self.listed(g.iter, s))

    def listed(self, e: ast.expr, s: ast.stmt) -> ast.expr:
        """A call of a function that gives the items of an iterator, as a list; not where they change afterwards."""
        if not self.is_lazy(e) or isinstance(e, ast.Name) or any(self.changes_items(n) for n in walk(e)):
            return e
        found, item = self.context.names.numbered("found"), self.context.names.numbered("item")
        add = at(ast.Expr(expression("s.append(v)", s=found, v=item)), s)
        body: Body = [
            assign(found, ast.List([], ast.Load()), s),
            at(ast.For(ast.Name(item, ast.Store()), e, [add], []), s),
        ]
        if expression_reads(e) & self.context.kept:
            if not _is_first(e, s, self.context.kept):
                return e
            self.context.scope.local |= {found, item}
            self.before += [new for x in body for new in self.statement_of(x)]
            return name(found)
        return self.function("items", e, s, [*body, at(ast.Return(name(found)), s)])

    def statement_of(self, x: ast.stmt) -> Body:
        """A statement that stands before another one."""
        before, self.before = self.before, []
        found = self.statement(x)
        self.before = before
        return found

    def changes_items(self, e: ast.AST) -> bool:
        found = self.behind(e) if isinstance(e, ast.Call) else None
        if isinstance(found, ast.FunctionDef):
            return tree_changes_items(found, self.context.scope.resolve)
        return found is not None and changes_items(found)

    def first(self, e: ast.expr, default: list[ast.expr], s: ast.stmt) -> ast.expr | None:
        """`next` of an iterator that is made for it."""
        if isinstance(e, ast.Name):
            return None
        if isinstance(e, ast.Call) and self.resolved(e.func) is iter and len(e.args) == 1:
            (e,) = e.args
            if not isinstance(e, ast.GeneratorExp) and self.behind(e) is None:
                items = self.items(e)
                found = lazily.next_or if default else lazily.next_item
                return call(self.context.use(found.__name__, found), items, constant(0), *default)
        if not isinstance(e, ast.GeneratorExp) and self.behind(e) is None and not self.is_lazy(e):
            return None
        if any(isinstance(n, ast.NamedExpr) for n in walk(e)):
            return None
        last = at(ast.Return(ast.Tuple([constant(False), constant(None)], ast.Load())), s)
        taken = self.function("first", e, s, [*self.returned(e, s), last])
        function = lazily.item_or if default else lazily.item_of
        return call(self.context.use(function.__name__, function), taken, *default)

    def items(self, e: ast.expr) -> ast.expr:
        """What an iterator runs over, as something with a length."""
        if isinstance(e, (ast.List, ast.Tuple)):
            return e
        if kind(e, self.context):
            return call(self.context.builtin("list"), e)
        if self.context.overloads("__iter__", "__getitem__"):
            early = operators.iterated_early if self.changes_objects() else operators.iterated_in_part
            e = call(self.context.use(early.__name__, early), e)
        return call(self.context.use("sequence", sequence), e)

    def changes_objects(self) -> bool:
        """Whether the function changes an object, or calls what may do so for nothing else."""
        stores = (ast.Attribute, ast.Subscript)
        nodes = list(walk(self.f))
        acts = any(isinstance(n, ast.Expr) and isinstance(n.value, ast.Call) for n in nodes)
        return acts or any(isinstance(n, stores) and isinstance(n.ctx, ast.Store) for n in nodes)

    def returned(self, e: ast.expr, s: ast.stmt) -> Body:
        """A loop that returns its first item."""
        if not isinstance(e, ast.GeneratorExp):
            item = self.context.names.numbered("item")
            give = at(ast.Return(ast.Tuple([constant(True), name(item)], ast.Load())), s)
            return [at(ast.For(ast.Name(item, ast.Store()), e, [give], []), s)]
        body: Body = [at(ast.Return(ast.Tuple([constant(True), e.elt], ast.Load())), s)]
        for g in reversed(e.generators):
            for test in reversed(g.ifs):
                body = [at(ast.If(test, body, []), s)]
            body = [at(ast.For(g.target, g.iter, body, []), s)]
        return body

    def function(self, base: str, e: ast.expr, s: ast.stmt, body: Body) -> ast.expr:
        """The call of a function with this body; what comprehensions around it bind is handed to it."""
        title = self.context.names.numbered(base)
        given = sorted(expression_reads(e) & self.bound)
        args = ast.arguments([], [ast.arg(v) for v in given], None, [], [], None, [])
        self.functions.append(at(function_node(title, args, body), s))
        self.context.scope.local.add(title)
        return ast.copy_location(call(title, *(name(v) for v in given)), e)

    def without_unused(self, f: ast.FunctionDef, before: ast.FunctionDef) -> ast.FunctionDef:
        """The function without generators that were written out."""
        used, asked = ({n.id for n in walk(x) if isinstance(n, ast.Name)} for x in (f, before))
        gone = {v for v in self.nested if v in asked - used}

        def block(body: Body) -> Body:
            left = [with_blocks(s, block) for s in body if not (isinstance(s, ast.FunctionDef) and s.name in gone)]
            return left or [at(ast.Pass(), body[0])]

        return replace(f, body=block(f.body)) if gone else f


def _is_first(e: ast.expr, s: ast.stmt, kept: set[str]) -> bool:
    """Whether an iterator may be read before the statement that it stands in."""
    own = [getattr(s, k) for k in s._fields if isinstance(getattr(s, k, None), ast.expr)]
    nodes = [n for x in own for n in walk(x)]
    if isinstance(s, ast.While) or any(isinstance(n, (ast.IfExp, ast.BoolOp, ast.Lambda)) for n in nodes):
        return False
    asked = [n for n in nodes if isinstance(n, ast.Name) and n.id in kept and isinstance(n.ctx, ast.Load)]
    inside = [n for n in nodes if isinstance(n, COMPREHENSIONS) and any(x is e for x in walk(n))]
    return all(n in walk(e) for n in asked) and all(n.generators[0].iter is e for n in inside) and len(inside) < 2


def is_user(found: object) -> bool:
    """Whether a generator function is the user's own."""
    return found is not None and getattr(found, "__module__", "") != lazily.__name__


def _yields(g: ast.FunctionDef) -> bool:
    return any(isinstance(n, (ast.Yield, ast.YieldFrom)) for n in walk_scope(g))
