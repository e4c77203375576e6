"""Lists of objects that one function makes and nobody else sees, as lists of their attributes.

ps = [P(a * i, 0.0) for i in range(n)]          ps_x, ps_v = [], []
for p in ps:                                    for i in range(n):
    p.kick(dt)                        ->            ps_x.append(a * i); ps_v.append(0.0)
return sum(p.x for p in ps)                     for p in range(len(ps_x)):
                                                    ps_v[p] += -dt * ps_x[p]
                                                return sum(ps_x[p] for p in range(len(ps_x)))

An object is the place that it has in the list, also in other lists that hold objects of it: springs that know their
ends, neighbours, those that are awake. Only where the list does nothing but grow, where its objects are asked for
attributes alone, and where methods and functions that are given them can be written out.
"""

from __future__ import annotations

import ast
import builtins
import copy
import itertools
import types
from collections import Counter
from collections.abc import Iterator
from typing import Any

from tangent.source.called import Called, as_loops, located
from tangent.source.constructed import initialiser_of
from tangent.source.elements import Elements, appended, places, with_own_loops, with_own_names
from tangent.source.inlined import Body, CannotWriteOut, Definition, Node, Places, written_anew
from tangent.source.members import is_plain
from tangent.syntax.captured import bindings, mentioned_inside
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, at, call, constant, expression, name
from tangent.syntax.rebuild import replace, walk_scope
from tangent.syntax.uses import arguments, assigned_inside, target_names
from tangent.syntax.walk import walk

LEAVING = (ast.Break, ast.Continue, ast.Return, ast.Raise)
SAME, OTHER = ast.Is | ast.Eq, ast.IsNot | ast.NotEq


def columns(tree: ast.FunctionDef, function: types.FunctionType, definition: Definition) -> ast.FunctionDef | None:
    """The definition with lists of attributes in place of a list of objects; None where there is no such list."""
    once, inside = bindings(tree), mentioned_inside(tree)
    for s in walk_scope(tree):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.List() | ast.ListComp()) if once[v] == 1:
                pass
            case ast.AnnAssign(target=ast.Name(id=v), value=ast.List() | ast.ListComp()) if once[v] == 1:
                pass
            case _:
                continue
        if (path := _class_of(s, v, tree)) and v not in inside:
            for apart in (False, True):
                try:
                    return Columns(tree, function, definition, v, path, apart).whole()
                except CannotWriteOut:
                    continue
    return None


def _class_of(made: ast.stmt, v: str, tree: ast.FunctionDef) -> str:
    """The name of the class of which a list is made, where all its objects are of one."""
    match made:
        case ast.Assign(value=ast.List(elts=elts)) | ast.AnnAssign(value=ast.List(elts=elts)):
            found = list(elts)
        case ast.Assign(value=ast.ListComp(elt=elt)) | ast.AnnAssign(value=ast.ListComp(elt=elt)):
            found = [elt]
        case _:
            return ""
    found += [e for n in walk_scope(tree) if (e := _appended(n, v))]
    made_by_name = {
        t.id: e
        for n in walk_scope(tree)
        if isinstance(n, ast.Assign) and isinstance(e := n.value, ast.Call)
        for t in n.targets
        if isinstance(t, ast.Name)
    }
    calls = [made_by_name.get(e.id) if isinstance(e, ast.Name) else e for e in found]
    names = {e.func.id if isinstance(e, ast.Call) and isinstance(e.func, ast.Name) else "" for e in calls}
    return names.pop() if len(names) == 1 else ""


def _appended(n: ast.AST, v: str) -> ast.expr | None:
    found = appended(n)
    return found[1] if found is not None and found[0] == v else None


class Columns(Called):
    """One list on its way to lists of attributes."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, definition: Definition, v: str, path: str,
        apart: bool,
    ) -> None:  # fmt: skip
        own = {a.arg for a in arguments(tree.args)} | assigned_inside(tree.body) | set(function.__code__.co_freevars)
        cls = function.__globals__.get(path) if path not in own else None
        if not isinstance(cls, type) or not is_plain(cls, function):
            raise CannotWriteOut
        names = Names(identifiers(tree) | set(function.__globals__) | set(dir(builtins)))
        super().__init__(function, definition, names, own, cls, path)
        self.v = v
        self.original = tree
        self.tree = with_own_names(tree, self.names)
        self.tree = with_own_loops(self.tree, self.names) if apart else self.tree
        self.elements = Elements({v}, self.around)
        self.births = dict(self.born())
        self.alike: dict[str, ast.expr] = {}
        self.places = Places(self.tree)

    def born(self) -> Iterator[tuple[ast.stmt, ast.stmt]]:
        """`p = P(x)` where `ps.append(p)` follows, with nothing between that asks for the list or may leave."""
        for n in walk(self.tree):
            found = [getattr(n, part, None) for part in ("body", "orelse", "finalbody")]
            for body in (block for block in found if isinstance(block, list)):
                for i, s in enumerate(body):
                    match s:
                        case ast.Assign(targets=[ast.Name(id=p)], value=ast.Call(func=ast.Name(id=path))) if (
                            path == self.path and (end := self.appending(body[i + 1 :], p)) is not None
                        ):
                            yield s, end

    def appending(self, body: Body, p: str) -> ast.stmt | None:
        for s in body:
            if isinstance(s, ast.Expr) and isinstance(e := _appended(s.value, self.v), ast.Name) and e.id == p:
                return s
            if any(self.elements.is_list(n) or isinstance(n, LEAVING) for n in walk(s)):
                return None
        return None

    def whole(self) -> ast.FunctionDef:
        body = self.body()
        shown = {column: f"{attr} of the objects in {self.v}" for attr, column in self.columns.items()}
        return written_anew(self.original, body, self.relied, shown)

    def body(self) -> Body:
        """The statements of the function, without the list."""
        if self.around(name("range")) is not range or self.around(name("len")) is not len:
            raise CannotWriteOut
        self.elements.find(self.tree.body, [s.targets[0] for s in self.births if isinstance(s, ast.Assign)])
        if (self.elements.names | self.elements.holders) & {a.arg for a in arguments(self.tree.args)}:
            raise CannotWriteOut
        self.elements.require_fixed(self.tree)
        self.find_attributes()
        body = self.block(self.tree.body)
        if any(isinstance(n, ast.Name) and n.id == self.v for s in body for n in walk(s)):
            raise CannotWriteOut
        return body

    def find_attributes(self) -> None:
        """The attributes that an object has from the start, each with a list of its own."""
        kept = copy.deepcopy(self.names), self.places.next
        tree, _ = initialiser_of(self.members, self.definition)
        count = len(tree.args.posonlyargs + tree.args.args) - 1
        s = self.tree.body[0]
        given: list[ast.expr] = [constant(None)] * count
        found = self.initialised(given, [ast.keyword(a.arg, constant(None)) for a in tree.args.kwonlyargs], s)[1]
        self.names, self.places.next = kept
        self.size = 0
        self.alike = self.functions_by_default(tree)
        found = {attr: v for attr, v in found.items() if attr not in self.alike}
        self.columns = {attr: self.names.fresh(f"{self.v}_{attr.strip('_') or 'value'}") for attr in found}
        if not self.columns:
            raise CannotWriteOut

    def functions_by_default(self, tree: ast.FunctionDef) -> dict[str, ast.expr]:
        """The attributes that are one function in all objects: the default of a parameter that no object is given."""
        parameters = [a.arg for a in (*tree.args.posonlyargs, *tree.args.args)][1:]
        defaults = {p: e for p, e in zip(reversed(parameters), reversed(tree.args.defaults)) if self.is_relied(e)}
        calls = [n for n in walk(self.tree) if isinstance(n, ast.Call) and self.around(n.func) is self.members.cls]
        given = {k.arg for n in calls for k in n.keywords}.union(*(parameters[: len(n.args)] for n in calls))
        if defaults.keys() <= given:
            return {}
        members = [f for c in self.members.cls.__mro__ for f in vars(c).values()]
        texts = [self.tree, *(self.definition(f) for f in members if isinstance(f, types.FunctionType))]
        attributes = [n for text in texts for n in walk(text) if isinstance(n, ast.Attribute)]
        stored = Counter(n.attr for n in attributes if not isinstance(n.ctx, ast.Load))
        found: dict[str, ast.expr] = {}
        for s in tree.body:
            match s:
                case ast.Assign(targets=[ast.Attribute(attr=attr)], value=ast.Name(id=p)) if stored[attr] == 1:
                    found |= {attr: defaults[p]} if p in defaults.keys() - given else {}
        return found

    def is_relied(self, default: ast.expr) -> bool:
        return not isinstance(default, ast.Constant) and ast.unparse(default) in self.relied

    # New objects

    def initialised(
        self, args: list[ast.expr], keywords: list[ast.keyword], s: ast.stmt
    ) -> tuple[Body, dict[str, str]]:  # fmt: skip
        """What the initialiser does, and the variables that hold the attributes of the new object."""
        tree, method = initialiser_of(self.members, self.definition)
        me = self.names.numbered("new")
        self.new[me] = {}
        if method is not None:
            self.relied[f"{self.path}.__init__"] = method
        body, _ = self.inlined(tree, method, [name(me), *args], keywords, s)
        sure = {v for x in body if isinstance(x, ast.Assign) for t in x.targets for v in target_names(t)}
        if not sure.issuperset(self.new[me].values()):
            raise CannotWriteOut
        return body, self.new.pop(me)

    def constructed(self, e: ast.expr, s: ast.stmt) -> tuple[Body, dict[str, str]]:
        """`P(x)`: what is done, and the variables of the new object."""
        if not isinstance(e, ast.Call) or any(isinstance(a, ast.Starred) for a in e.args):
            raise CannotWriteOut
        before, found = self.expression(ast.Tuple([*e.args, *(k.value for k in e.keywords)], ast.Load()), s)
        assert isinstance(found, ast.Tuple)
        args, values = found.elts[: len(e.args)], found.elts[len(e.args) :]
        body, held = self.initialised(args, [replace(k, value=x) for k, x in zip(e.keywords, values)], s)
        return [*before, *body], held

    def created(self, e: ast.expr, s: ast.stmt) -> Body:
        """`P(x)`, put at the end of the list."""
        body, held = self.constructed(e, s)
        return [*body, *self.put(held, s)]

    def put(self, held: dict[str, str], s: ast.stmt) -> Body:
        held = self.of_columns(held)
        return [self.pushed(self.columns[attr], held[attr], s) for attr in self.columns]

    def of_columns(self, held: dict[str, str]) -> dict[str, str]:
        """The variables that hold the attributes of a new object, which all objects have."""
        if held.keys() - self.alike.keys() != self.columns.keys():
            raise CannotWriteOut
        return held

    def pushed(self, column: str, v: str, s: ast.stmt) -> ast.stmt:
        return located(at(ast.Expr(expression("c.append(v)", c=column, v=v)), s), s)

    def made(self, e: ast.expr, s: ast.stmt) -> Body:
        """The lists of attributes, filled as the list of objects is."""
        done: Body = [assign(column, ast.List([], ast.Load()), s) for column in self.columns.values()]
        match e:
            case ast.List(elts=elts):
                return self.displayed(elts, s)
            case ast.ListComp(elt=elt, generators=generators):
                push = at(ast.Expr(expression("f(e)", f=ast.Attribute(name(self.v), "append", ast.Load()), e=elt)), s)
                return [*done, *self.statement(as_loops(push, generators, s))]
            case _:
                raise CannotWriteOut

    def displayed(self, elts: list[ast.expr], s: ast.stmt) -> Body:
        """The lists of attributes of objects that are made one after the other."""
        made = [self.constructed(e, s) for e in elts]
        held = [self.of_columns(attributes) for _, attributes in made]
        lists = {c: ast.List([name(x[attr]) for x in held], ast.Load()) for attr, c in self.columns.items()}
        return [*(x for body, _ in made for x in body), *(assign(c, items, s) for c, items in lists.items())]

    # Statements

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case (
                ast.Assign(targets=[ast.Name(id=v)], value=value)
                | ast.AnnAssign(target=ast.Name(id=v), value=ast.expr() as value)
            ) if v == self.v:
                return self.made(value, s)
            case ast.Assign(targets=[ast.Name(id=p)], value=value) if s in self.births:
                before, self.new[p] = self.constructed(value, s)
                return before
            case ast.Expr(value=ast.Call(args=[ast.Name(id=p)])) if s in self.births.values():
                return [*self.put(self.new.pop(p), s), assign(p, expression("n - 1", n=self.length()), s)]
            case ast.Expr(value=e) if (new := _appended(e, self.v)) is not None:
                return self.created(new, s)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=owner) as func, args=[e]) as push) if (
                self.elements.is_holder(owner) and func.attr == "append" and self.elements.is_one(e)
            ):
                return [replace(s, value=replace(push, args=[self.place(e)]))]
            case ast.Assign(targets=[ast.Name(id=h) as target], value=value) if self.elements.is_holder(target):
                return self.holding(h, value, s)
            case ast.Assign(targets=[ast.Name(id=p)], value=value) if self.elements.is_one(value):
                return [assign(p, self.place(value), s)]
            case ast.Assign(targets=[ast.Tuple()], value=ast.Tuple(elts=elts)) if any(map(self.elements.is_one, elts)):
                if self.works(s):
                    raise CannotWriteOut
                values = [self.place(e) if self.elements.is_one(e) else self.plain(e) for e in elts]
                return [replace(s, targets=[self.target(s.targets[0])], value=replace(s.value, elts=values))]
            case ast.For(
                target=ast.Tuple(elts=[p, q]), iter=ast.Call(func=func, args=[e, ast.Constant(2)]), orelse=[]
            ) if self.around(func) is itertools.combinations and self.elements.is_list(e):
                return self.pairs(s, p, q)
            case _:
                return super().statement(s)

    def holding(self, h: str, made: ast.expr, s: ast.stmt) -> Body:
        """Another list of objects of the list, as a list of places."""
        match made:
            case ast.List(elts=elts):
                return [replace(s, value=replace(made, elts=[self.place(e) for e in elts]))]
            case ast.ListComp(elt=elt, generators=generators) if self.works(made):
                push = at(ast.Expr(expression("h.append(e)", h=h, e=elt)), s)
                return [assign(h, ast.List([], ast.Load()), s), *self.statement(as_loops(push, generators, s))]
            case ast.ListComp(elt=elt, generators=generators):
                loops = [self.plain(g) for g in generators]
                return [replace(s, value=replace(made, elt=self.place(elt), generators=loops))]
            case _:
                raise CannotWriteOut

    def pairs(self, s: ast.For, first: ast.expr, second: ast.expr) -> Body:
        """`for p, q in combinations(ps, 2)` as two loops."""
        if any(isinstance(n, ast.Break) for n in walk(s)):
            return super().statement(s)
        later = expression("range(p + 1, n)", p=replace(first, ctx=ast.Load()), n=self.length())
        inner = at(ast.For(second, later, self.block(s.body), []), s)
        return [located(replace(s, target=first, iter=places(self.length()), body=[inner]), s)]

    def mentions(self, node: ast.AST) -> bool:
        known = self.elements.names | self.elements.lists | self.elements.holders | self.new.keys()
        return any(isinstance(n, ast.Name) and n.id in known for n in walk(node))

    def length(self) -> ast.expr:
        return call("len", name(next(iter(self.columns.values()))))

    def place(self, e: ast.expr) -> ast.expr:
        """The place of an object in the list, counted from its start."""
        match e:
            case ast.Name():
                return e
            case ast.IfExp(test=test, body=then, orelse=other):
                return replace(e, test=self.plain(test), body=self.place(then), orelse=self.place(other))
            case ast.Subscript(slice=index) if self.elements.is_held(e):
                return replace(e, slice=self.plain(index))
            case ast.Subscript(slice=index) if self.elements.is_natural(index):
                return self.plain(index)
            case ast.Subscript(slice=index):
                return ast.Subscript(places(self.length()), self.plain(index), ast.Load())
            case _:
                raise CannotWriteOut

    def held(self, v: str, x: ast.expr, s: ast.stmt) -> Body:
        if not self.elements.is_one(x):
            return super().held(v, x, s)
        self.elements.names.add(v)
        return [assign(v, self.place(x), s)]

    def iterated(self, e: ast.expr, s: ast.stmt) -> tuple[Body, ast.expr]:
        return ([], self.ranges(e)) if not self.works(e) else self.expression(e, s)

    def ranges(self, e: ast.expr) -> ast.expr:
        """What a loop runs over, with places in the list for its objects."""
        match e:
            case ast.Name() if self.elements.is_list(e):
                return places(self.length())
            case ast.Subscript(slice=part) if self.elements.is_part(e):
                return places(self.length(), self.plain(part))
            case ast.Name() if self.elements.is_holder(e):
                return e
            case ast.Subscript(slice=part) if self.elements.is_held(e):
                return replace(e, slice=self.plain(part))
            case ast.Call(func=func, args=args) if self.elements.is_iterating(func):
                if self.around(func) in (list, tuple) and len(args) == 1 and self.mentions(e):
                    return self.ranges(args[0])
                return replace(e, args=[self.ranges(a) for a in args], keywords=[self.plain(k) for k in e.keywords])
            case _:
                return self.plain(e)

    def plain(self, node: Node) -> Node:
        return self.changed(node)  # type: ignore[no-any-return]

    def changed(self, node: Any) -> Any:
        match node:
            case ast.Attribute(value=owner) if self.is_owner(owner):
                return self.attribute(node)
            case ast.Compare(left=left, ops=[op], comparators=[right]) if isinstance(op, SAME | OTHER):
                if self.elements.is_one(left) and self.elements.is_one(right):
                    alike = ast.Eq() if isinstance(op, SAME) else ast.NotEq()
                    return replace(node, left=self.place(left), ops=[alike], comparators=[self.place(right)])
            case ast.Call(func=ast.Name(id="len"), args=[e], keywords=[]) if self.elements.is_list(e):
                return self.length()
            case ast.Call(func=ast.Name(id="len"), args=[e], keywords=[]) if self.elements.is_holder(e):
                return node
            case ast.comprehension():
                ifs = [self.changed(e) for e in node.ifs]
                return replace(node, target=self.changed(node.target), iter=self.ranges(node.iter), ifs=ifs)
            case ast.Name(id=v, ctx=ctx) if v in self.elements.lists | self.elements.holders or v in self.new:
                raise CannotWriteOut
            case ast.Name(id=v, ctx=ctx) if v in self.elements.names and not isinstance(ctx, ast.Store):
                raise CannotWriteOut
            case ast.Lambda() | ast.FunctionDef() if self.mentions(node):
                raise CannotWriteOut
        if not self.mentions(node):
            return node
        changes: dict[str, Any] = {}
        for field in node._fields:
            old = getattr(node, field, None)
            if isinstance(old, ast.AST):
                changes[field] = self.changed(old)
            elif isinstance(old, list):
                changes[field] = [self.changed(x) if isinstance(x, ast.AST) else x for x in old]
        return replace(node, **changes)

    def attribute(self, e: ast.Attribute) -> ast.expr:
        kind = self.kind(e.attr)
        if isinstance(e.value, ast.Name) and e.value.id in self.new:
            held = self.new[e.value.id]
            if isinstance(e.ctx, ast.Store) and kind in ("holds", "class"):
                held.setdefault(e.attr, self.names.numbered(f"new_{e.attr.strip('_') or 'value'}"))
            if e.attr in held:
                return ast.copy_location(ast.Name(held[e.attr], e.ctx), e)
        elif e.attr in self.alike:
            return ast.copy_location(replace(self.alike[e.attr]), e)
        elif e.attr in self.columns:
            if isinstance(e.value, ast.Subscript) and not self.elements.is_held(e.value):
                index = self.changed(e.value.slice)
            else:
                index = self.place(e.value)
            return ast.copy_location(ast.Subscript(name(self.columns[e.attr]), index, e.ctx), e)
        if (
            kind == "class"
            and isinstance(e.ctx, ast.Load)
            and not hasattr(getattr(self.members.cls, e.attr), "__setitem__")
        ):
            return replace(e, value=ast.copy_location(name(self.path), e))
        raise CannotWriteOut
