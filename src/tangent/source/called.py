"""Functions and methods that are given objects of a list, written out where they are called."""

from __future__ import annotations

import ast
import builtins
import types
from typing import Any

from tangent.source.elements import Elements, found_around, with_own_names
from tangent.source.inlined import (
    Body,
    CannotWriteOut,
    Definition,
    Places,
    copied,
    given_to,
    is_readable,
    names_outside,
    returning,
    with_constants,
)
from tangent.source.members import Members
from tangent.source.stated import Stated
from tangent.syntax.names import Names
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rebuild, rename, replace
from tangent.syntax.uses import COMPREHENSIONS, assigned_inside
from tangent.syntax.walk import walk

COLLECTING = frozenset("sum min max list tuple sorted".split())
DRAWING = frozenset("default_rng RandomState Random Generator".split())
MOST_STATEMENTS, DEEPEST = 200, 5


class Called(Stated):
    """Statements in which functions do what they do with objects of one class."""

    def __init__(
        self, function: types.FunctionType, definition: Definition, names: Names, own: set[str], cls: type, path: str
    ) -> None:  # fmt: skip
        self.function, self.definition, self.names, self.own, self.path = function, definition, names, own, path
        self.members = Members(cls)
        self.relied: dict[str, Any] = {path: cls}
        self.columns: dict[str, str] = {}
        self.new: dict[str, dict[str, str]] = {}  # objects that are being made, with variables for their attributes
        self.above: dict[str, types.FunctionType | None] = {}  # methods behind `super()`
        self.size = self.depth = 0
        self.elements: Elements
        self.places: Places

    def around(self, e: ast.expr) -> Any:
        return found_around(e, self.own, self.function.__globals__)

    def is_owner(self, e: ast.AST) -> bool:
        return self.elements.is_one(e) or (isinstance(e, ast.Name) and e.id in self.new)

    def is_followed(self, e: ast.AST) -> bool:
        """Whether an expression is an object, their list, or another list of such objects."""
        return self.is_owner(e) or self.elements.is_list(e) or self.elements.is_holder(e)

    def kind(self, attr: str) -> str:
        if attr in self.above:
            return "method"
        return "holds" if attr in self.columns else self.members.kind(attr, ())

    def is_work(self, n: ast.AST) -> bool:
        match n:
            case ast.Attribute(value=owner, attr=attr) if self.is_owner(owner):
                return self.kind(attr) in ("method", "property")
            case ast.Call(func=owner) if self.is_owner(owner):
                return True
            case ast.Call(func=func, args=args, keywords=keywords) if isinstance(self.around(func), types.FunctionType):
                given = [*args, *(k.value for k in keywords)]
                return any(map(self.is_followed, given))
            case _:
                return False

    def chosen(self, e: ast.expr) -> set[ast.AST]:
        """What is written out; of comprehensions in which something is, the whole."""
        collected = {
            a for n in walk(e) if isinstance(n, ast.Call) and isinstance(n.func, ast.Name) and n.func.id in COLLECTING
            for a in n.args[:1] if self.around(n.func) is getattr(builtins, n.func.id)
        }  # fmt: skip
        whole = [n for n in walk(e) if isinstance(n, COMPREHENSIONS) and self.works(n)]
        inside = {x for n in whole for x in walk(n) if x is not n}
        if not all(isinstance(n, ast.ListComp) or n in collected for n in whole if n not in inside):
            raise CannotWriteOut
        return {n for n in whole if n not in inside} | {n for n in walk(e) if self.is_work(n) and n not in inside}

    def written(self, x: ast.expr, s: ast.stmt) -> tuple[Body, ast.expr]:
        match x:
            case ast.ListComp(elt=elt, generators=generators) | ast.GeneratorExp(elt=elt, generators=generators):
                parts = self.names.numbered("parts")
                push = at(ast.Expr(expression("f(e)", f=ast.Attribute(name(parts), "append", ast.Load()), e=elt)), s)
                loops = self.statement(as_loops(push, generators, s))
                return [assign(parts, ast.List([], ast.Load()), s), *loops], name(parts)
            case ast.Attribute(value=owner, attr=attr) if self.kind(attr) == "property":
                method = self.members.getter(attr)
                self.relied[f"{self.path}.{attr}"] = vars(self.members.definer(method))[attr]
                return self.inlined(self.definition(method), method, [owner], [], s)
            case ast.Call(func=owner) if self.is_owner(owner):
                called = replace(x, func=ast.Attribute(owner, "__call__", ast.Load()))
                return self.written(ast.copy_location(called, x), s)
            case ast.Call(func=ast.Attribute(value=owner, attr=attr)) if self.is_owner(owner):
                if attr in self.above:
                    found = self.above[attr]
                else:
                    found = self.relied[f"{self.path}.{attr}"] = self.members.method(attr)
                if found is None:
                    return [], constant(None)
                return self.inlined(self.definition(found), found, [owner, *x.args], x.keywords, s)
            case ast.Call(func=func):
                found = self.relied[ast.unparse(func)] = self.around(func)
                return self.inlined(self.definition(found), found, x.args, x.keywords, s)
            case _:
                raise CannotWriteOut

    def setter(self, target: ast.expr) -> types.FunctionType | None:
        match target:
            case ast.Attribute(value=owner, attr=attr) if self.is_owner(owner) and self.kind(attr) == "property":
                return self.members.setter(attr)
            case _:
                return None

    def called_with(self, setter: types.FunctionType, target: ast.Attribute, value: ast.expr, s: ast.stmt) -> Body:
        self.relied[f"{self.path}.{target.attr}"] = vars(self.members.definer(setter))[target.attr]
        return self.inlined(self.definition(setter), setter, [target.value, value], [], s)[0]

    def inlined(
        self, tree: ast.FunctionDef, f: types.FunctionType | None, args: list[ast.expr], keywords: list[ast.keyword],
        s: ast.stmt,
    ) -> tuple[Body, ast.expr]:  # fmt: skip
        """What a function does with some arguments, and what it gives."""
        self.require_readable(tree, f)
        self.depth += 1
        tree = with_own_names(tree, self.names)
        given = given_to(tree.args, [a.arg for a in (*tree.args.posonlyargs, *tree.args.args)], args, keywords)
        bound = assigned_inside(tree.body)
        before: Body = []
        fixed: dict[str, ast.Constant] = {}
        names: dict[str, str] = {}
        for p, e in given.items():
            seen = self.is_followed(e)
            if isinstance(e, ast.Constant) and p not in bound:
                fixed[p] = e
            elif isinstance(e, ast.Name) and p not in bound:
                names[p] = e.id
            elif seen and not self.elements.is_one(e):
                raise CannotWriteOut
            else:
                names[p] = self.names.numbered(p)
                before += self.held(names[p], e, s)
        names |= {v: self.names.numbered(v) for v in sorted(bound - names.keys())}
        body = self.without_super(self.places.placed(copied(tree.body), s), tree, f)
        body = [rename(with_constants(x, fixed), names) for x in body]
        result = self.names.numbered("result")
        gives = any(isinstance(n, ast.Return) for n in walk(tree))
        body = returning(body, result, body[-1]) if gives else body
        self.elements.find(body)
        self.elements.require_fixed(ast.Module(body, []))
        before += self.block(body)
        self.depth -= 1
        return before, name(result) if gives else constant(None)

    def require_readable(self, tree: ast.FunctionDef, f: types.FunctionType | None) -> None:
        self.size += sum(isinstance(n, ast.stmt) for n in walk(tree))
        if self.depth > DEEPEST or self.size > MOST_STATEMENTS:
            raise CannotWriteOut
        if f is not None and (
            f.__globals__ is not self.function.__globals__ or set(f.__code__.co_freevars) - {"__class__"}
            or not is_readable(tree, f, ast.GeneratorExp, self.relied)
            or any(isinstance(n, ast.Delete) for n in walk(tree))
            or names_outside(tree) & (self.own | {"__class__"}) or any(_is_drawing(n) for n in walk(tree))
        ):  # fmt: skip
            raise CannotWriteOut

    def without_super(self, body: Body, tree: ast.FunctionDef, f: types.FunctionType | None) -> Body:
        """`super().m(x)` as a method of the object that has a name nobody else uses."""

        def change(e: ast.expr) -> ast.expr:
            match e:
                case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr=attr) if f is not None:
                    mark = f"super {len(self.above)} {attr}"
                    self.above[mark] = self.members.above(self.members.definer(f), attr)
                    me = (tree.args.posonlyargs or tree.args.args)[0].arg
                    return replace(e, value=ast.copy_location(name(me), e), attr=mark)
                case _:
                    return e

        return [rebuild(x, change) for x in body]


def as_loops(last: ast.stmt, generators: list[ast.comprehension], s: ast.stmt) -> ast.stmt:
    """A comprehension as loops around a statement."""
    for g in reversed(generators):
        for test in reversed(g.ifs):
            last = at(ast.If(test, [last], []), s)
        last = at(ast.For(g.target, g.iter, [last], []), s)
    return located(last, s)


def located(s: ast.stmt, like: ast.stmt) -> ast.stmt:
    for n in walk(s):
        if isinstance(n, (ast.expr, ast.stmt)) and not hasattr(n, "lineno"):
            ast.copy_location(n, like)
    return s


def _is_drawing(n: ast.AST) -> bool:
    return isinstance(n, (ast.Attribute, ast.Name)) and (n.attr if isinstance(n, ast.Attribute) else n.id) in DRAWING
