"""Objects that never change once they are made, as variables for their attributes: vectors, states, numbers of a kind.

v = Vec(x, 1.0)                v_x, v_y = x, 1.0
for _ in range(n):             for _ in range(n):
    v = v + 0.1 * v     ->         t_x, t_y = 0.1 * v_x, 0.1 * v_y
return v.dot(v)                    v_x, v_y = v_x + t_x, v_y + t_y
                               return v_x * v_x + v_y * v_y

Such an object is what its attributes are, so that another name of it is a copy. Methods, operators and functions that
are given one are written out. Only where nobody assigns an attribute after the initialiser, and no object is handed on.
"""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from dataclasses import fields, is_dataclass
from typing import Any

from tangent.source.constructed import initialiser_of
from tangent.source.elements import found_around, with_own_names
from tangent.source.inlined import (
    Body,
    CannotWriteOut,
    Definition,
    Node,
    Places,
    copied,
    given_to,
    is_readable,
    names_outside,
    returning,
    with_constants,
    written_anew,
)
from tangent.source.members import Members, is_value
from tangent.source.numbers import is_number, numbers_made
from tangent.source.stated import Stated
from tangent.source.value_steps import OPERATORS, ValueSteps
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import rebuild, rename, replace, walk_scope
from tangent.syntax.uses import arguments, assigned_inside, target_names
from tangent.syntax.walk import walk

MOST_STATEMENTS, DEEPEST = 200, 6
REFUSED = (
    ast.FunctionDef, ast.ClassDef, ast.Lambda, ast.Global, ast.Nonlocal, ast.Delete, ast.With, ast.Try, ast.TryStar,
    ast.Match, ast.NamedExpr, ast.Yield, ast.YieldFrom, ast.Await,
)  # fmt: skip
NUMBERS = (int, float, complex, bool)


def values(
    tree: ast.FunctionDef, function: types.FunctionType, definition: Definition, way: type[Values] | None = None
) -> ast.FunctionDef | None:  # fmt: skip
    """The definition with variables in place of the objects of one class; None where there is no such class."""
    called = [n.func for n in walk_scope(tree) if isinstance(n, ast.Call)]
    makers = [f.value if isinstance(f, ast.Attribute) else f for f in called]  # `C(x)`, `C.unit(x)`
    calls = [e.id for e in makers if isinstance(e, ast.Name)]
    own = {a.arg for a in arguments(tree.args)} | assigned_inside(tree.body) | set(function.__code__.co_freevars)
    for path in dict.fromkeys(calls):
        cls = function.__globals__.get(path) if path not in own else None
        if isinstance(cls, type) and is_value(cls, function) and not cls.__subclasses__():
            try:
                return (way or Values)(tree, function, definition, own, cls, path).whole()
            except CannotWriteOut:
                continue
    return None


class Values(Stated):
    """The objects of one class on their way to variables."""

    steps_of = ValueSteps

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, definition: Definition, own: set[str], cls: type,
        path: str,
    ) -> None:  # fmt: skip
        self.function, self.definition, self.own, self.cls, self.path = function, definition, own, cls, path
        self.names = Names(identifiers(tree) | set(function.__globals__) | set(dir(builtins)))
        self.original = tree
        self.tree = with_own_names(tree, self.names)
        self.places = Places(self.tree)
        self.members = Members(cls)
        self.fields = {f.name for f in fields(cls)} if is_dataclass(cls) else set()
        self.relied: dict[str, Any] = {path: cls}
        self.known: dict[str, dict[str, str]] = {}  # objects by the variables that held them, by attributes
        self.new: set[str] = set()  # those that are being made
        self.others: set[str] = set()  # variables that something else was assigned to
        self.size = self.depth = 0
        said = [a for a in arguments(tree.args) if self.around(a.annotation or constant(None)) in NUMBERS]
        self.numbers = numbers_made(tree, self.around) | {a.arg for a in said} - assigned_inside(tree.body)

    def whole(self) -> ast.FunctionDef:
        if any(isinstance(n, REFUSED) for n in walk(self.tree) if n is not self.tree):
            raise CannotWriteOut
        body = self.finished(self.block(self.tree.body))
        return written_anew(self.original, body, self.relied)

    def finished(self, body: Body) -> Body:
        """The statements, if no object is left in them."""
        given = {a.arg for a in arguments(self.tree.args)}
        left = {n.id for s in body for n in walk(s) if isinstance(n, ast.Name)}
        if not self.known or self.known.keys() & (self.others | given | left):
            raise CannotWriteOut
        return body

    def around(self, e: ast.expr) -> Any:
        return found_around(e, self.own, self.function.__globals__)

    def kind(self, attr: str) -> str:
        return "holds" if attr in self.fields else self.members.kind(attr, ())

    def is_one(self, e: ast.AST | None) -> bool:
        return isinstance(e, ast.Name) and e.id in self.known

    def mentions(self, node: ast.AST) -> bool:
        return any(isinstance(n, ast.Name) and (n.id in self.known or n.id == self.path) for n in walk(node))

    def is_number(self, e: ast.expr) -> bool:
        """Whether an operand is a number, which leaves it to an object what an operator does."""
        return is_number(e, self.numbers, self.around)

    # Expressions

    def works(self, node: ast.AST) -> bool:
        return isinstance(node, ast.expr) and self.mentions(node) and bool(self.steps(node, self.tree.body[0])[0])

    def steps(self, e: ast.expr, s: ast.stmt) -> tuple[Body, ast.expr]:
        """What is done before an expression, and what is left of it: it may be an object."""
        if not self.mentions(e):
            return [], e
        steps = self.steps_of(self, s)
        return steps.before, steps.visit(e)

    def expression(self, e: ast.expr, s: ast.stmt) -> tuple[Body, ast.expr]:
        before, result = self.steps(e, s)
        if any(map(self.is_one, walk(result))):
            raise CannotWriteOut
        return before, result

    def plain(self, node: Node) -> Node:
        if not self.mentions(node):
            return node
        before, result = self.expression(node, self.tree.body[0]) if isinstance(node, ast.expr) else ([node], None)
        if before or result is None:
            raise CannotWriteOut
        return result  # type: ignore[return-value]

    def unworked(self, x: ast.expr) -> ast.expr:
        """A comprehension: attributes of objects are read in it, nothing else."""

        def change(e: ast.expr) -> ast.expr:
            match e:
                case ast.Attribute(value=ast.Name(id=v), attr=attr, ctx=ast.Load()) if attr in self.known.get(v, ()):
                    return ast.copy_location(name(self.known[v][attr]), e)
                case _:
                    return e

        new = rebuild(x, change)
        if self.mentions(new):
            raise CannotWriteOut
        return new

    def target(self, t: ast.expr) -> ast.expr:
        """What is assigned to: a variable, a part of what an object holds, an attribute of one that is being made."""
        match t:
            case ast.Attribute(value=ast.Name(id=me), attr=attr) if me in self.new and self.kind(attr) == "holds":
                base = attr.strip("_") or "value"
                return ast.copy_location(
                    ast.Name(self.known[me].setdefault(attr, self.names.numbered(f"new_{base}")), ast.Store()), t
                )
            case ast.Attribute(value=owner) if self.mentions(owner):
                raise CannotWriteOut
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return replace(t, elts=[self.target(x) for x in elts])
            case ast.Subscript(value=owner, slice=index):
                return replace(t, value=self.plain(owner), slice=self.plain(index))
            case ast.Name(id=v):
                self.others.add(v)
                return t
            case _ if self.mentions(t):
                raise CannotWriteOut
            case _:
                return t

    # Statements

    def setter(self, target: ast.expr) -> types.FunctionType | None:
        return None

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=value):
                return self.assigned(v, value, s)
            case ast.AnnAssign(target=ast.Name(id=v), value=ast.expr() as value):
                return self.assigned(v, value, s)
            case ast.Assign(targets=[ast.Tuple(elts=slots)], value=ast.Tuple(elts=parts)) if (
                len(slots) == len(parts) and any(map(self.mentions, parts)) and not self.new
                and all(isinstance(t, ast.Name) for t in slots) and not any(isinstance(e, ast.Starred) for e in parts)
            ):  # fmt: skip
                held = [self.names.numbered("t") for _ in parts]
                apart: Body = [assign(t, e, s) for t, e in zip(held, parts)]
                apart += [at(ast.Assign([slot], name(t)), s) for slot, t in zip(slots, held)]
                return self.block(self.places.placed([ast.parse(ast.unparse(x)).body[0] for x in apart], s))
            case ast.AugAssign(target=ast.Name(id=v), op=op, value=value) if v in self.known:
                if hasattr(self.cls, f"__i{OPERATORS.get(type(op), '')}__"):
                    raise CannotWriteOut
                whole = ast.copy_location(ast.BinOp(ast.copy_location(name(v), s), op, value), s)
                return self.assigned(v, whole, s)
            case ast.AugAssign(target=ast.Attribute(value=owner)) if self.mentions(owner) and not self.is_new(owner):
                raise CannotWriteOut
            case ast.If(test=test, body=then, orelse=other) if (known := self.tested(test)) is not None:
                return self.block(then if known else other) if (then if known else other) else []
            case _:
                return super().statement(s)

    def is_new(self, e: ast.expr) -> bool:
        return isinstance(e, ast.Name) and e.id in self.new

    def assigned(self, v: str, value: ast.expr, s: ast.stmt) -> Body:
        before, result = self.steps(value, s)
        if not isinstance(result, ast.Name) or result.id not in self.known:
            if any(map(self.is_one, walk(result))):
                raise CannotWriteOut
            self.others.add(v)
            return [*before, assign(v, result, s)]
        held = self.known[result.id]
        mine = self.known.setdefault(v, {a: self.names.fresh(f"{v}_{a.strip('_') or 'value'}") for a in held})
        if mine.keys() != held.keys() or result.id in self.new:
            raise CannotWriteOut
        return [*before, *(assign(mine[a], name(held[a]), s) for a in held if mine[a] != held[a])]

    def tested(self, e: ast.expr) -> bool | None:
        """What a question for the class of something gives, where it is known."""
        match e:
            case ast.UnaryOp(op=ast.Not(), operand=inner):
                known = self.tested(inner)
                return None if known is None else not known
            case ast.Call(func=func, args=[x, asked]) if self.around(func) is isinstance:
                if self.is_one(x) and self.around(asked) is self.cls:
                    return True
                return False if isinstance(x, ast.Constant) and self.around(asked) is self.cls else None
            case _:
                return None

    # Calls

    def made(self, args: list[ast.expr], keywords: list[ast.keyword], s: ast.stmt) -> tuple[Body, ast.expr]:
        """`C(x)`: what is done, and a name for the object."""
        tree, method = initialiser_of(self.members, self.definition, frozen=True)
        me = self.names.numbered("new")
        self.known[me] = {}
        self.new.add(me)
        if method is not None:
            self.relied[f"{self.path}.__init__"] = method
        body, _ = self.inlined(tree, method, [name(me), *args], keywords, s)
        self.new.discard(me)
        sure = {v for x in body if isinstance(x, ast.Assign) for t in x.targets for v in target_names(t)}
        if not self.known[me] or not sure.issuperset(self.known[me].values()):
            raise CannotWriteOut
        return body, name(me)

    def asked(self, owner: ast.expr, attr: str, args: list[ast.expr], s: ast.stmt, *keywords: ast.keyword) -> Any:
        """What a method does, and what it gives."""
        found = self.relied[f"{self.path}.{attr}"] = self.members.method(attr)
        return self.inlined(self.definition(found), found, [owner, *args], list(keywords), s)

    def asked_of_class(self, attr: str, args: list[ast.expr], s: ast.stmt, *keywords: ast.keyword) -> Any:
        """The same of what is asked of the class: `C.unit(x)`, `C.dot(v, w)`."""
        member = inspect.getattr_static(self.cls, attr, None)
        bound = isinstance(member, classmethod)
        found = member.__func__ if isinstance(member, (staticmethod, classmethod)) else member
        if not isinstance(found, types.FunctionType):
            raise CannotWriteOut
        self.relied[f"{self.path}.{attr}.__func__" if bound else f"{self.path}.{attr}"] = found
        given = [name(self.path), *args] if bound else args
        return self.inlined(self.definition(found), found, given, list(keywords), s)

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
        fixed = {p: e for p, e in given.items() if isinstance(e, ast.Constant)}
        names: dict[str, str] = {}
        for p, e in given.items():
            if isinstance(e, ast.Name):
                names[p] = e.id  # where it is assigned anew, it gets another name there
            elif p not in fixed:
                names[p] = self.names.numbered(p)
                before += self.assigned(names[p], e, s)
        body = self.places.placed(copied(tree.body), s)
        result = self.names.numbered("result")
        gives = any(isinstance(n, ast.Return) for n in walk(tree))
        body = self.decided(body, names, fixed)
        if any(isinstance(n, ast.Name) and n.id == "NotImplemented" for x in body for n in walk(x)):
            raise CannotWriteOut  # the other class is asked
        body = returning(body, result, s) if gives else body
        names |= {v: self.names.numbered(v) for v in sorted(bound - given.keys())}
        names[result] = result
        before += self.run(body, names, fixed, bound & given.keys())
        self.depth -= 1
        return before, name(result) if gives else constant(None)

    def decided(self, body: Body, names: dict[str, str], fixed: dict[str, ast.Constant]) -> Body:
        """Statements without those that are for arguments of other classes."""
        done: Body = []
        for x in body:
            asked = with_constants(replace(x, body=[], orelse=[]), fixed) if isinstance(x, ast.If) else None
            known = self.tested(rename(asked.test, names)) if isinstance(asked, ast.If) else None
            if known is None or assigned_inside(done) & (names.keys() | fixed.keys()):
                done.append(x)
                continue
            assert isinstance(x, ast.If)
            done += x.body if known else x.orelse
            if any(isinstance(y, ast.Return) for y in done):
                return done
        return done

    def run(self, body: Body, names: dict[str, str], fixed: dict[str, ast.Constant], rebound: set[str]) -> Body:
        """Statements over names of their own; a parameter that is assigned is another variable from there on."""
        done: Body = []
        for s in body:
            s = with_constants(s, fixed) if not assigned_inside([s]) & fixed.keys() else s
            match s:
                case ast.Assign(targets=[ast.Name(id=p)], value=value) if p in rebound:
                    whole = with_constants(at(ast.Expr(value), s), fixed)
                    assert isinstance(whole, ast.Expr)
                    new = self.names.numbered(p)
                    done += self.assigned(new, rename(whole.value, names), s)
                    names, fixed = {**names, p: new}, {v: e for v, e in fixed.items() if v != p}
                case _ if assigned_inside([s]) & rebound:
                    raise CannotWriteOut
                case _:
                    done += self.statement(rename(s, names))
        return done

    def require_readable(self, tree: ast.FunctionDef, f: types.FunctionType | None) -> None:
        self.size += sum(isinstance(n, ast.stmt) for n in walk(tree))
        if self.depth > DEEPEST or self.size > MOST_STATEMENTS:
            raise CannotWriteOut
        if f is not None and (
            f.__globals__ is not self.function.__globals__ or f.__code__.co_freevars
            or not is_readable(tree, f, ast.GeneratorExp, self.relied) or names_outside(tree) & self.own
            or any(isinstance(n, REFUSED) for n in walk(tree) if n is not tree)
        ):  # fmt: skip
            raise CannotWriteOut
