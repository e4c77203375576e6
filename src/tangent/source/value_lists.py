"""Lists of objects that never change once they are made, as lists of their attributes.

ps = [Vec(x * i, 0.0) for i in range(n)]          ps_x, ps_y = [], []
vs = [p * 0.5 for p in ps]                        for i in range(n):
return sum(p.dot(v) for p, v in zip(ps, vs))          ps_x.append(x * i); ps_y.append(0.0)
                                            ->    vs_x, vs_y = [], []
                                                  for k in range(len(ps_x)):
                                                      vs_x.append(ps_x[k] * 0.5); ...

An item is an object, and what holds for single ones (values.py) holds for it. Lists are made by displays and
comprehensions, grow by `append`, are read by an index and gone through; none is handed on.
"""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tangent.source.called import as_loops, located
from tangent.source.inlined import Body, CannotWriteOut, Node
from tangent.source.value_steps import ValueSteps
from tangent.source.values import Values
from tangent.syntax.quote import assign, at, call, expression, name
from tangent.syntax.rebuild import replace, with_blocks
from tangent.syntax.uses import COMPREHENSIONS, assigned_inside
from tangent.syntax.walk import walk

COLLECTING = (sum, min, max, list, tuple, sorted)  # they take all items of what they are given
Held = dict[str, str]  # the variables of attributes


class ListSteps(ValueSteps):
    """Expressions that read items of such lists, or make lists."""

    owner: ValueLists

    def visit(self, x: ast.expr) -> ast.expr:
        owner = self.owner
        match x:
            case ast.Subscript(value=ast.Name(id=v), slice=index, ctx=ast.Load()) if v in owner.lists:
                return self.item(v, index)
            case ast.Call(func=func, args=[ast.Name(id=v), *rest], keywords=[]) if v in owner.lists:
                if owner.around(func) is sum and len(rest) == 1:
                    return self.write(owner.summed(v, rest[0], self.s))
                known = owner.around(func) is len and not rest
                return ast.copy_location(owner.length(v), x) if known else super().visit(x)
            case ast.Call(func=func, args=[ast.GeneratorExp() | ast.ListComp() as inner, *rest]) if (
                owner.around(func) in COLLECTING and owner.works(inner)
            ):
                parts = owner.names.numbered("parts")
                self.before += owner.collected(parts, inner, self.s)
                return self.visit(replace(x, args=[ast.copy_location(name(parts), inner), *rest]))
            case ast.ListComp() if owner.works(x):
                parts = owner.names.numbered("parts")
                self.before += owner.collected(parts, x, self.s)
                return name(parts)
            case ast.List(elts=[_, *_] as elts) if any(map(owner.mentions, elts)):
                return self.write(owner.displayed(self.parts(elts), self.s))
            case ast.BinOp(left=ast.List() as left, op=ast.Mult(), right=right) if owner.mentions(left):
                return self.repeated(left, right)
            case _:
                return super().visit(x)

    def item(self, v: str, index: ast.expr) -> ast.expr:
        """One object of a list, or a part of the list."""
        owner, part = self.owner, isinstance(index, ast.Slice)
        place = self.visit(index) if part else self.once(self.visit(index))
        held = {a: _at(c, place) for a, c in owner.lists[v].items()}
        if part:
            return self.write(owner.listed(held, self.s))
        t = owner.names.numbered("t")
        return self.write((owner.bound(t, held, self.s), name(t)))

    def repeated(self, left: ast.List, right: ast.expr) -> ast.expr:
        """`[C()] * n`: the objects are one, which nobody changes."""
        lists = self.visit(left)
        if not isinstance(lists, ast.Name) or lists.id not in self.owner.lists:
            raise CannotWriteOut
        count = self.once(self.visit(right))
        held = self.owner.lists[lists.id]
        made: dict[str, ast.expr] = {a: ast.BinOp(name(c), ast.Mult(), count) for a, c in held.items()}
        return self.write(self.owner.listed(made, self.s))

    def once(self, e: ast.expr) -> ast.expr:
        """An expression that is read several times, under a name."""
        if isinstance(e, (ast.Name, ast.Constant)):
            return e
        v = self.owner.names.numbered("i")
        self.before.append(assign(v, e, self.s))
        return name(v)


class ValueLists(Values):
    """The objects of one class, and lists of these, on their way to variables."""

    steps_of = ListSteps
    lists: dict[str, Held]
    filled: set[str]  # lists that are filled, of which nobody knows yet what is put into them
    empty: dict[ast.stmt, str]  # where lists begin
    aliased = False  # whether a list has several names

    def whole(self) -> ast.FunctionDef:
        self.lists, self.filled, self.empty = {}, set(), {}
        return super().whole()

    def finished(self, body: Body) -> Body:
        """The statements, when it is known which lists are of objects."""

        def block(body: Body) -> Body:
            return [new for s in body for new in (self.begun(s) or [with_blocks(s, block)])]

        body = block(body)
        left = {n.id for s in body for n in walk(s) if isinstance(n, ast.Name)}
        if not self.lists or self.lists.keys() & (self.others | self.known.keys() | left):
            raise CannotWriteOut
        return super().finished(body)

    def begun(self, s: ast.stmt) -> Body:
        """`vs = []`, of objects; nothing for any other statement."""
        columns = self.lists.get(self.empty.get(s, ""), {})
        return [assign(c, ast.List([], ast.Load()), s) for c in columns.values()]

    def is_one(self, e: ast.AST | None) -> bool:
        return super().is_one(e) or (isinstance(e, ast.Name) and e.id in self.lists)

    def mentions(self, node: ast.AST) -> bool:
        return super().mentions(node) or any(isinstance(n, ast.Name) and n.id in self.lists for n in walk(node))

    def works(self, node: ast.AST) -> bool:
        """Whether something is computed in statements; comprehensions are, where an object is made or asked in them."""
        return (isinstance(node, COMPREHENSIONS) and self.mentions(node)) or super().works(node)

    def length(self, v: str) -> ast.expr:
        return call("len", name(next(iter(self.lists[v].values()))))

    def bound(self, v: str, held: dict[str, ast.expr], s: ast.stmt) -> Body:
        """A variable for an object, of which these are the attributes."""
        if v in self.lists:
            raise CannotWriteOut
        mine = self.known.setdefault(v, {a: self.names.fresh(f"{v}_{a.strip('_') or 'value'}") for a in held})
        if mine.keys() != held.keys():
            raise CannotWriteOut
        return [assign(mine[a], e, s) for a, e in held.items()]

    def listed(self, held: dict[str, ast.expr], s: ast.stmt, v: str = "") -> tuple[Body, ast.expr]:
        """A variable for a list, of which these are the lists of attributes."""
        v = v or self.names.numbered("parts")
        mine = self.lists.setdefault(v, {a: self.names.fresh(f"{v}_{a.strip('_') or 'value'}") for a in held})
        if mine.keys() != held.keys() or v in self.known:
            raise CannotWriteOut
        return [assign(mine[a], e, s) for a, e in held.items()], name(v)

    def displayed(self, items: list[ast.expr], s: ast.stmt, v: str = "") -> tuple[Body, ast.expr]:
        """`[a, b]`, of objects."""
        if not all(super(ValueLists, self).is_one(e) for e in items):
            raise CannotWriteOut
        held = [self.known[e.id] for e in items]  # type: ignore[attr-defined]
        if any(h.keys() != held[0].keys() for h in held):
            raise CannotWriteOut
        return self.listed({a: ast.List([name(h[a]) for h in held], ast.Load()) for a in held[0]}, s, v)

    def collected(self, v: str, e: ast.expr, s: ast.stmt) -> Body:
        """A list of what a comprehension gives, filled by loops."""
        assert isinstance(e, (ast.ListComp, ast.GeneratorExp))
        push = at(ast.Expr(expression("f(e)", f=ast.Attribute(name(v), "append", ast.Load()), e=e.elt)), s)
        self.filled.add(v)
        body = self.statement(as_loops(push, e.generators, s))
        if v not in self.filled:  # it is a list of objects
            return [*(assign(c, ast.List([], ast.Load()), s) for c in self.lists[v].values()), *body]
        self.filled.discard(v)
        self.others.add(v)
        return [assign(v, ast.List([], ast.Load()), s), *body]

    def summed(self, v: str, start: ast.expr, s: ast.stmt) -> tuple[Body, ast.expr]:
        """`sum(vs, start)`, of objects."""
        total, one = self.names.numbered("total"), self.names.numbered("one")
        added = at(ast.Assign([ast.Name(total, ast.Store())], expression("t + v", t=total, v=one)), s)
        loop = located(at(ast.For(ast.Name(one, ast.Store()), name(v), [added], []), s), s)
        return [*self.assigned(total, start, s), *self.statement(loop)], name(total)

    # Statements

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case ast.For(target=target, iter=iter, orelse=[]) if list(self.sources(target, iter)):
                return self.gone_through(s)
            case ast.For(iter=iter) if self.mentions(iter):
                raise CannotWriteOut
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"), args=[e])) if (
                v in self.lists or v in self.filled
            ):
                return self.appended(v, e, s)
            case ast.Assign(targets=[ast.Subscript(value=ast.Name(id=v), slice=index)], value=value) if v in self.lists:
                return self.stored(v, index, value, s)
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.List(elts=[])):
                self.filled.add(v)
                self.empty[s] = v
                return [s]
            case _:
                return super().statement(s)

    def appended(self, v: str, e: ast.expr, s: ast.stmt) -> Body:
        before, result = self.steps(e, s)
        if not super().is_one(result):
            if v in self.lists or any(map(self.is_one, walk(result))):
                raise CannotWriteOut
            return [*before, at(ast.Expr(expression("v.append(e)", v=v, e=result)), s)]
        held = self.known[ast.unparse(result)]
        if v in self.filled:
            self.filled.discard(v)
            self.listed({a: name(x) for a, x in held.items()}, s, v)
        mine = self.lists[v]
        if mine.keys() != held.keys():
            raise CannotWriteOut
        return [*before, *(at(ast.Expr(expression("c.append(e)", c=mine[a], e=held[a])), s) for a in mine)]

    def stored(self, v: str, index: ast.expr, value: ast.expr, s: ast.stmt) -> Body:
        before, result = self.steps(value, s)
        if not super().is_one(result) or isinstance(index, ast.Slice) or self.mentions(index):
            raise CannotWriteOut
        held, mine = self.known[ast.unparse(result)], self.lists[v]
        place = index
        if not isinstance(index, (ast.Name, ast.Constant)):
            place = name(self.names.numbered("i"))
            before.append(assign(place.id, index, s))
        stores = [ast.Subscript(name(mine[a]), place, ast.Store()) for a in mine]
        return [*before, *(at(ast.Assign([t], name(held[a])), s) for t, a in zip(stores, mine))]

    def assigned(self, v: str, value: ast.expr, s: ast.stmt) -> Body:
        if isinstance(value, ast.ListComp) and self.works(value) and not _reads(value, v):
            return self.collected(v, value, s)
        before, result = self.steps(value, s)
        self.filled.discard(v)
        if not isinstance(result, ast.Name) or result.id not in self.lists:
            if v in self.lists:
                raise CannotWriteOut
            return super().assigned(v, value, s) if not before else [*before, *super().assigned(v, result, s)]
        self.aliased |= isinstance(value, ast.Name)
        made, _ = self.listed({a: name(c) for a, c in self.lists[result.id].items()}, s, v)
        return [*before, *made]

    # Loops

    def sources(self, target: ast.expr, iter: ast.expr) -> Iterator[tuple[ast.expr, str]]:
        """The variables of a loop that stand for items of lists, with these; none, if it goes over something else."""
        match target, iter:
            case ast.Name(), ast.Name(id=v) if v in self.lists:
                yield target, v
            case ast.Tuple(elts=[ast.Name(), inner]), ast.Call(func=func, args=[ast.Name() as e], keywords=[]) if (
                self.around(func) is enumerate
            ):
                yield from self.sources(inner, e)
            case ast.Tuple(elts=targets), ast.Call(func=func, args=args, keywords=[]) if (
                self.around(func) is zip and len(targets) == len(args)
            ):
                found = [list(self.sources(t, e)) for t, e in zip(targets, args)]
                if all(found):
                    yield from (x for one in found for x in one)

    def gone_through(self, s: ast.For) -> Body:
        """A loop over lists of objects, as one over places."""
        if self.around(name("range")) is not range or self.around(name("len")) is not len:
            raise CannotWriteOut
        sources = list(self.sources(s.target, s.iter))
        counted = isinstance(s.iter, ast.Call) and self.around(s.iter.func) is enumerate
        k = s.target.elts[0].id if counted else self.names.numbered("k")  # type: ignore[attr-defined]
        lengths = [self.length(v) for _, v in sources]
        count = lengths[0] if len(lengths) == 1 else call("min", *lengths)
        items: Body = []
        for t, v in sources:
            assert isinstance(t, ast.Name)
            items += self.bound(t.id, {a: _at(c, name(k)) for a, c in self.lists[v].items()}, s)
        if counted:
            self.others.add(k)
        body = self.block(s.body)
        grown = {n.value.id for x in body for n in walk(x) if _grows(n)}  # type: ignore[attr-defined]
        apart = grown - assigned_inside(body) if self.aliased else set()
        if apart or not grown.isdisjoint({c for _, v in sources for c in self.lists[v].values()}):
            raise CannotWriteOut  # it may be the list that the loop goes through
        return [located(at(ast.For(ast.Name(k, ast.Store()), call("range", count), [*items, *body], []), s), s)]

    def plain(self, node: Node) -> Node:
        if isinstance(node, ast.expr) and self.is_one(node):
            raise CannotWriteOut
        return super().plain(node)


def _at(column: str, index: ast.expr) -> ast.expr:
    return ast.Subscript(name(column), index, ast.Load())


def _reads(e: ast.expr, v: str) -> bool:
    return any(isinstance(n, ast.Name) and n.id == v for n in walk(e))


def _grows(n: ast.AST) -> bool:
    return isinstance(n, ast.Attribute) and n.attr == "append" and isinstance(n.value, ast.Name)

