"""Heaps that one variable holds: what is put into one stays in a list that only grows, and an order tells the places.

heap = [(0.0, 0)]                         heap_d, heap_u = [0.0], [0]
                                          order = heap_order([(0.0, 0)])
while heap:                               while len(order):
    d, u = heapq.heappop(heap)     ->         k = heap_first(order)
                                              order.discard(k)
                                              d, u = heap_d[k], heap_u[k]
    heapq.heappush(heap, (d * w, u + 1))      e = d * w; f = u + 1
                                              order.add(heap_entry((e, f), len(heap_d)))
                                              heap_d.append(e); heap_u.append(f)

So nothing is changed that held something before. Where all items are tuples that are written out, each of their places
has a list of its own.
"""

from __future__ import annotations

import ast
import heapq
from collections.abc import Iterator
from typing import Any

from tangent.normalise.context import Context
from tangent.runtime.ordered import heap_entry, heap_first, heap_order
from tangent.source.queues import deciding
from tangent.syntax.captured import bindings
from tangent.syntax.quote import assign, at, call, expression, name, quote
from tangent.syntax.rebuild import BLOCKS, rebuild, replace, walk_scope, with_blocks
from tangent.syntax.uses import COMPREHENSIONS, SCOPES
from tangent.syntax.walk import children, walk

Body = list[ast.stmt]


def heaps(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Follow heaps by where their items came to be."""
    if context.memory:  # items may be objects, which are compared by what they hold
        return f
    calls = [n for n in walk_scope(f) if isinstance(n, ast.Call) and _called(n, context) is not None]
    for v in dict.fromkeys(n.args[0].id for n in calls):  # type: ignore[attr-defined]
        heap = _Heap(f, context, v)
        if heap.is_alone():
            f = heap.whole()
    return f


def _is_push(e: ast.expr, context: Context) -> bool:
    return _called(e, context) is heapq.heappush


def _called(e: ast.expr | None, context: Context) -> Any:
    """The function of `heapq` that is called with as many arguments as it takes."""
    match e:
        case ast.Call(func=func, args=[ast.Name(), ast.expr()], keywords=[]):
            return heapq.heappush if context.scope.resolve(func) is heapq.heappush else None
        case ast.Call(func=func, args=[ast.Name()], keywords=[]):
            found = context.scope.resolve(func)
            return found if found in (heapq.heappop, heapq.heapify) else None
        case _:
            return None


class _Heap:
    """One heap of a function."""

    def __init__(self, f: ast.FunctionDef, context: Context, v: str) -> None:
        self.f, self.context, self.v = f, context, v
        self.made: set[ast.AST] = set()
        self.pushed: list[ast.expr] = []
        self.popped: list[ast.expr] = []
        self.columns: list[str] = []
        self.order = ""

    def is_alone(self) -> bool:
        """Whether a variable is bound to new lists only, which nothing does more with than what is followed here."""
        found: set[ast.AST] = set()
        if self.v in self.context.declared:
            return False
        for n in walk_scope(self.f):
            found |= set(self.followed(n))
        bound = bindings(self.f)[self.v]
        mentioned = [n for n in walk(self.f) if isinstance(n, ast.Name) and n.id == self.v]
        return bound == len(self.made) and bool(self.made) and all(n in found for n in mentioned)

    def followed(self, n: ast.AST) -> Iterator[ast.AST]:
        """The mentions of the heap in a node that say what becomes of it."""
        match n:
            case ast.Assign(targets=[ast.Name(id=v) as target], value=value) if v == self.v and self.is_new(value):
                self.made.add(n)
                yield target
            case ast.Expr(value=ast.Call(args=[ast.Name(id=v) as heap, item]) as e) if v == self.v:
                if _is_push(e, self.context):
                    self.pushed.append(item)
                    yield heap
            case ast.Expr(value=ast.Call(args=[ast.Name(id=v) as heap]) as e) if v == self.v:
                if _called(e, self.context) is not None:
                    yield heap
            case ast.Assign() | ast.AugAssign() | ast.Return() | ast.Expr() if pops := self.pops(n):
                self.popped += n.targets if isinstance(n, ast.Assign) and n.value in pops else []
                yield from (e.args[0] for e in pops)
            case ast.Call(func=func, args=[ast.Name(id=v) as heap], keywords=[]) if v == self.v:
                if self.context.scope.resolve(func) is len:
                    yield heap
            case ast.Subscript(value=ast.Name() as heap, slice=ast.Constant(value=0), ctx=ast.Load()):
                yield heap
            case ast.While(test=test) | ast.If(test=test) | ast.IfExp(test=test):
                yield from deciding(test)

    def is_new(self, e: ast.expr) -> bool:
        """Whether an expression gives a list of its own; nothing in it is the heap."""
        if any(isinstance(n, ast.Name) and n.id == self.v for n in walk(e)):
            return False
        match e:
            case ast.List(elts=elts):
                self.pushed += elts
                return not any(isinstance(x, ast.Starred) for x in elts)
            case ast.ListComp():
                self.pushed.append(e)
                return True
            case ast.Call(func=func, args=[_], keywords=[]):
                self.pushed.append(e)
                return self.context.scope.resolve(func) in (list, sorted)
            case _:
                return False

    def whole(self) -> ast.FunctionDef:
        names = self.context.names
        self.order = names.fresh(f"{self.v}_order")
        sizes = {len(e.elts) if isinstance(e, ast.Tuple) else 0 for e in self.pushed}
        starred = any(isinstance(x, ast.Starred) for e in self.pushed if isinstance(e, ast.Tuple) for x in e.elts)
        if len(sizes) == 1 and 0 not in sizes and not starred:
            said = next((t.elts for t in self.popped if isinstance(t, ast.Tuple) and len(t.elts) in sizes), [])
            ends = [x.id if isinstance(x, ast.Name) else str(i) for i, x in enumerate(said)]
            self.columns = [names.fresh(f"{self.v}_{end}") for end in ends or map(str, range(sizes.pop()))]
        self.context.scope.local |= {self.order, *self.columns}
        return replace(self.f, body=self.block(self.f.body))

    def block(self, body: Body) -> Body:
        return [new for s in body for new in self.statement(with_blocks(s, self.block))]

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value) if v == self.v:
                return self.begun(value, s)
            case ast.Expr(value=ast.Call(args=[ast.Name(id=v), item]) as e) if v == self.v:
                return self.put(self.changed(item), s) if _is_push(e, self.context) else [self.inside(s)]
            case ast.Expr(value=ast.Call(args=[ast.Name(id=v)]) as e) if v == self.v:
                if _called(e, self.context) is heapq.heapify:
                    return [at(quote("o.update()", o=self.order), s)]
                return self.taken(None, s)
            case ast.Assign(targets=[target], value=value) if value in self.pops(s):
                return self.taken(target, s)
            case ast.Assign() | ast.AugAssign() | ast.Return() | ast.Expr() if pops := self.pops(s):
                return self.taken_inside(pops, s)
            case _:
                return [self.inside(s)]

    def begun(self, value: ast.expr, s: ast.stmt) -> Body:
        """The lists and the order, as they are at first."""
        order = self.context.use("heap_order", heap_order)
        if not self.columns:
            return [assign(self.v, value, s), assign(self.order, call(order, name(self.v)), s)]
        assert isinstance(value, ast.List)
        done: Body = []
        rows = [self.named(e, done, s) for e in value.elts]
        columns = [[row[i] for row in rows] for i in range(len(self.columns))]
        lists = [assign(c, ast.List(column, ast.Load()), s) for c, column in zip(self.columns, columns)]
        items: list[ast.expr] = [ast.Tuple(row, ast.Load()) for row in rows]
        return [*done, *lists, assign(self.order, call(order, ast.List(items, ast.Load())), s)]

    def named(self, e: ast.expr, done: Body, s: ast.stmt) -> list[ast.expr]:
        """An item that is put into the heap, or what such a tuple holds, as names."""
        calls = any(isinstance(n, (ast.Call, ast.NamedExpr)) for n in walk(e))
        return [self.held(x, calls, done, s) for x in (e.elts if self.columns and isinstance(e, ast.Tuple) else [e])]

    def held(self, e: ast.expr, calls: bool, done: Body, s: ast.stmt) -> ast.expr:
        if isinstance(e, ast.Constant) or (isinstance(e, ast.Name) and not calls):
            return e
        held = self.context.names.fresh(f"{self.v}_new")
        self.context.scope.local.add(held)
        done.append(assign(held, e, s))
        return name(held)

    def put(self, item: ast.expr, s: ast.stmt) -> Body:
        """`heappush(heap, item)`."""
        done: Body = []
        parts = self.named(item, done, s)
        lists = self.columns or [self.v]
        whole: ast.expr = ast.Tuple(parts, ast.Load()) if self.columns else parts[0]
        place = call(self.context.builtin("len"), name(lists[0]))
        entry = call(self.context.use("heap_entry", heap_entry), whole, place)
        added = [at(quote("c.append(e)", c=c, e=e), s) for c, e in zip(lists, parts)]
        return [*done, at(quote("o.add(e)", o=self.order, e=entry), s), *added]

    def taken(self, target: ast.expr | None, s: ast.stmt) -> Body:
        """`target = heappop(heap)`."""
        k = self.context.names.fresh(f"{self.v}_place")
        self.context.scope.local.add(k)
        done: Body = [assign(k, self.first(), s), at(quote("o.discard(k)", o=self.order, k=k), s)]
        match target:
            case None:
                return done
            case ast.Tuple(elts=elts) if len(elts) == len(self.columns) and all(isinstance(x, ast.Name) for x in elts):
                items = [expression("c[k]", c=c, k=k) for c in self.columns]
                return [*done, *(at(ast.Assign([x], item), s) for x, item in zip(elts, items))]
            case _:
                return [*done, at(ast.Assign([self.changed(target)], self.item(name(k))), s)]

    def taken_inside(self, pops: list[ast.Call], s: ast.stmt) -> Body:
        """A statement in which `heappop(heap)` is a part of what is computed."""
        done: Body = []
        given: dict[ast.AST, ast.expr] = {}
        for e in pops:
            held = self.context.names.fresh(f"{self.v}_item")
            self.context.scope.local.add(held)
            done += self.taken(ast.Name(held, ast.Store()), s)
            given[e] = name(held)
        return [*done, rebuild(s, lambda e: given.get(e, e))]

    def pops(self, s: ast.AST) -> list[ast.Call]:
        """The calls of `heappop` in a statement that says no more of the heap: it can take the items before."""
        value: ast.expr | None = getattr(s, "value", None)
        always = [e for e in _always(value) if isinstance(e, ast.Call)] if value is not None else []
        pops = [e for e in always if _called(e, self.context) is heapq.heappop and self.is_heap(e.args[0])]
        return pops if len(pops) == sum(self.is_heap(n) for n in walk(s)) else []

    def first(self) -> ast.expr:
        """The place of the smallest item."""
        return call(self.context.use("heap_first", heap_first), name(self.order))

    def item(self, place: ast.expr) -> ast.expr:
        items = [ast.Subscript(name(c), place, ast.Load()) for c in self.columns]
        return ast.Tuple(items, ast.Load()) if items else ast.Subscript(name(self.v), place, ast.Load())  # type: ignore[arg-type]

    def inside(self, s: ast.stmt) -> ast.stmt:
        """A statement that asks the heap what it holds."""
        match s:
            case ast.While(test=test) | ast.If(test=test):
                s = replace(s, test=self.decided(test))
        header = replace(s, **{f: [] for f in BLOCKS if hasattr(s, f)})
        return replace(rebuild(header, self.asked), **{f: getattr(s, f) for f in BLOCKS if hasattr(s, f)})

    def length(self) -> ast.expr:
        return call(self.context.builtin("len"), name(self.order))

    def is_heap(self, e: ast.AST) -> bool:
        return isinstance(e, ast.Name) and e.id == self.v

    def changed(self, e: ast.expr) -> ast.expr:
        """An expression with what the heap says in it."""
        return rebuild(e, self.asked)

    def asked(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.IfExp(test=test):
                return replace(e, test=self.decided(test))
            case ast.Call(func=func, args=[owner]) if self.is_heap(owner) and self.context.scope.resolve(func) is len:
                return self.length()
            case ast.Subscript(value=owner, slice=ast.Constant(value=0)) if self.is_heap(owner):
                return self.item(self.first())
            case ast.Subscript(value=ast.Tuple(elts=items), slice=ast.Constant(value=int(i))) if self.columns:
                mine = [isinstance(x, ast.Subscript) and ast.unparse(x.value) in self.columns for x in items]
                return items[i] if all(mine) and i < len(items) else e
            case _:
                return e

    def decided(self, test: ast.expr) -> ast.expr:
        """A test in which the heap is true as long as there is something in it."""
        asked = {n for n in deciding(test) if self.is_heap(n)}
        return rebuild(test, lambda n: self.length() if n in asked else n)


def _always(node: ast.AST) -> Iterator[ast.AST]:
    """The parts of an expression that are computed whatever others give, in that order."""
    if isinstance(node, (*SCOPES, *COMPREHENSIONS, ast.IfExp, ast.BoolOp, ast.Compare)):
        return
    for part in children(node):
        yield from _always(part)
    yield node
