"""Objects that one function makes and nobody else sees, as variables: what their methods do is written out.

p = Particle(x, 0.0)               p_pos = x
for _ in range(n):                 p_vel = 0.0
    p.kick(-k * p.pos)      ->     for _ in range(n):
return p.pos                           force = -k * p_pos
                                       p_vel += force
                                   return p_pos

Only where the object is never handed on and where its methods can be written out; others are kept in a memory
(normalise/memory/). Lists of such objects become lists of their attributes (columns.py).
"""

from __future__ import annotations

import ast
import builtins
import inspect
import types
from collections.abc import Iterator
from dataclasses import fields, is_dataclass
from typing import Any

from tangent.source.beginning import CHANGING
from tangent.source.columns import columns
from tangent.source.constructed import initialiser_of
from tangent.source.dict_columns import dict_columns
from tangent.source.elements import with_own_names
from tangent.source.given_each import made_each
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
from tangent.source.members import Members, is_plain
from tangent.source.naming import home_of, is_generated
from tangent.source.stated import Stated
from tangent.source.unnamed import with_objects_named
from tangent.source.value_lists import ValueLists
from tangent.source.values import values
from tangent.syntax.captured import bindings
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import assign, constant, name
from tangent.syntax.rebuild import rebuild, rename, replace, walk_scope
from tangent.syntax.uses import arguments, assigned_inside, writes
from tangent.syntax.walk import walk

DRAWING = frozenset("default_rng RandomState Random Generator".split())
MOST_STATEMENTS, MOST_OBJECTS, DEEPEST = 150, 20, 5


def dissolved(tree: ast.FunctionDef, function: types.FunctionType, definition: Definition) -> ast.FunctionDef:
    """The definition with variables in place of objects; in `relied`, the classes and methods that were read."""
    if is_generated(function) or home_of(function).split(".")[0] == "tangent":
        return tree
    named = with_objects_named(tree, function, _is_own)
    found = _without_objects(named, function, definition)
    return found if found is not named or named is tree else tree


def _without_objects(tree: ast.FunctionDef, function: types.FunctionType, definition: Definition) -> ast.FunctionDef:
    for _ in range(MOST_OBJECTS):
        new = next(_without_one(tree, function, definition), None) or columns(tree, function, definition)
        new = new or dict_columns(tree, function, definition) or values(tree, function, definition)
        new = new or values(tree, function, definition, ValueLists)
        if new is None and (apart := made_each(tree, function)) is not None:
            new = next(_without_one(apart, function, definition), None)
        if new is None:
            break
        tree = new
    return tree


def _without_one(
    tree: ast.FunctionDef, function: types.FunctionType, definition: Definition
) -> Iterator[ast.FunctionDef]:
    once = bindings(tree)
    own = {a.arg for a in arguments(tree.args)} | assigned_inside(tree.body)
    for s in walk_scope(tree):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Call(func=ast.Name(id=path))) if once[v] == 1:
                cls = function.__globals__.get(path) if path not in own else None
                if isinstance(cls, type) and path not in function.__code__.co_freevars and _is_own(cls, function):
                    try:
                        yield Dissolving(tree, function, definition, v, cls, path).whole()
                    except CannotWriteOut:
                        continue


def _is_own(cls: type, function: types.FunctionType) -> bool:
    return is_plain(cls, function) and (not is_dataclass(cls) or "__dataclass_fields__" in vars(cls))


def _catches_missing(n: ast.AST) -> bool:
    """Whether a handler may be there for an attribute that is missing."""
    if not isinstance(n, ast.ExceptHandler):
        return False
    named = {x.id for x in walk(n.type) if isinstance(x, ast.Name)} if n.type is not None else set()
    return n.type is None or not named.isdisjoint(("AttributeError", "Exception", "BaseException"))


def with_calls_named(tree: ast.FunctionDef, v: str) -> ast.FunctionDef:
    """`v(x)` as `v.__call__(x)`: an object that is called is asked for a method."""

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=f) as owner) if f == v:
                return replace(e, func=ast.copy_location(ast.Attribute(owner, "__call__", ast.Load()), owner))
            case _:
                return e

    return rebuild(tree, change)


class Dissolving:
    """One object, of a class under some name, on its way to variables."""

    def __init__(
        self, tree: ast.FunctionDef, function: types.FunctionType, definition: Definition, v: str, cls: type, path: str
    ) -> None:  # fmt: skip
        self.original, self.tree = tree, with_calls_named(tree, v)
        self.function, self.definition = function, definition
        self.v, self.cls, self.path = v, cls, path
        self.own = {a.arg for a in arguments(tree.args)} | assigned_inside(tree.body)
        self.names = Names(identifiers(tree) | set(function.__globals__) | set(dir(builtins)))
        self.relied: dict[str, Any] = {self.path: cls}
        self.definitions: dict[types.FunctionType, ast.FunctionDef] = {}
        self.attributes: dict[str, str] = {}
        self.size = 0
        self.places = Places(tree)
        self.members = Members(cls)
        self.fields = {f.name for f in fields(cls)} if is_dataclass(cls) else set()

    def whole(self) -> ast.FunctionDef:
        self.require_read(self.members.initialiser())
        body = self.body()
        surely = {v for s in body if isinstance(s, (ast.Assign, ast.AnnAssign)) for v in writes(s)}
        if set(self.attributes.values()) - surely and any(map(_catches_missing, walk(self.tree))):
            raise CannotWriteOut  # a variable without a value is no attribute that is missing
        return written_anew(
            self.original, body, self.relied, {x: f"{self.v}.{attr}" for attr, x in self.attributes.items()}
        )

    def body(self) -> Body:
        """The statements of the function, without the object."""
        self.require_alone()
        self.look_at(self.tree, self.v, self.cls)
        body = _Written(self, self.v, None, 0).block(self.tree.body)
        if any(isinstance(n, ast.Name) and n.id == self.v for s in body for n in walk(s)):
            raise CannotWriteOut
        return body

    def require_alone(self) -> None:
        """The object is only asked for attributes and methods, here and not in a function inside."""
        here = set(walk_scope(self.tree))
        owners = {n.value for n in here if isinstance(n, ast.Attribute)}
        made = {n.targets[0] for n in here if isinstance(n, ast.Assign)}
        for n in walk(self.tree):
            if isinstance(n, ast.Name) and n.id == self.v and n not in (owners & here) | made:
                raise CannotWriteOut

    def kind(self, attr: str) -> str:
        return "holds" if attr in self.fields else self.members.kind(attr, self.attributes)

    def look_at(self, tree: ast.AST, me: str, definer: type) -> None:
        """Find the attributes that are assigned, and the methods that are called."""
        for n in walk(tree):
            match n:
                case ast.Attribute(value=ast.Name(id=v), attr=attr, ctx=ast.Store()) if (
                    v == me and self.kind(attr) == "property"
                ):
                    self.relied[f"{self.path}.{attr}"] = found = inspect.getattr_static(self.cls, attr)
                    self.require_read(self.members.setter(attr))
                    self.require_read(found.fget)  # for `p.v += w`
                case ast.Attribute(value=ast.Name(id=v), attr=attr, ctx=ast.Store()) if v == me:
                    if attr not in self.attributes:
                        self.attributes[attr] = self.names.fresh(f"{self.v}_{attr.strip('_') or 'value'}")
                    if self.kind(attr) != "holds":
                        raise CannotWriteOut
                case ast.Attribute(value=ast.Name(id=v), attr=attr) if v == me and self.kind(attr) == "property":
                    self.relied[f"{self.path}.{attr}"] = found = inspect.getattr_static(self.cls, attr)
                    self.require_read(found.fget)
                case ast.Attribute(value=ast.Name(id=v), attr=attr) if v == me and self.kind(attr) == "method":
                    self.relied[f"{self.path}.{attr}"] = found = inspect.getattr_static(self.cls, attr)
                    self.require_read(found)
                case ast.Call(
                    func=ast.Attribute(value=ast.Attribute(value=ast.Name(id=v), attr=held), attr=attr)
                ) if v == me and attr in CHANGING and self.kind(held) == "class":
                    raise CannotWriteOut  # what all objects of the class share
                case ast.Subscript(value=owner, ctx=ast.Store() | ast.Del()) if any(
                    isinstance(x, ast.Attribute) and isinstance(x.value, ast.Name) and x.value.id == me
                    and self.kind(x.attr) == "class" for x in walk(owner)
                ):  # fmt: skip
                    raise CannotWriteOut
                case ast.Attribute(attr=attr) | ast.Name(id=attr) if attr in DRAWING:
                    raise CannotWriteOut  # random numbers that an object draws are asked for by its memory
                case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr=attr):
                    self.require_read(self.members.above(definer, attr))

    def require_read(self, method: types.FunctionType | None) -> None:
        """A method that is written out does nothing else than what stands there, one statement after the other."""
        if method is None or method in self.definitions:
            return
        if method is self.members.initialiser():
            text, written = initialiser_of(self.members, self.definition)
        else:
            text, written = self.definition(method), method
        tree = with_own_names(text, self.names)
        me = ([*tree.args.posonlyargs, *tree.args.args] or [ast.arg("")])[0].arg
        tree = self.definitions[method] = with_calls_named(tree, me)
        owners = {n.value for n in walk(tree) if isinstance(n, ast.Attribute)}
        handed = any(isinstance(n, ast.Name) and n.id == me and n not in owners for n in walk(tree))
        around = self.own | set(self.function.__code__.co_freevars)
        alike = written is None or _is_alike(written, tree, self.function, around, self.relied)
        if not me or handed or not alike:
            raise CannotWriteOut
        self.look_at(tree, me, self.members.definer(method))

    def inlined(
        self, method: types.FunctionType, args: list[ast.expr], keywords: list[ast.keyword], s: ast.stmt, depth: int
    ) -> tuple[Body, ast.expr]:
        """What a method does with some arguments, and what it gives."""
        tree = self.definitions[method]
        self.size += sum(isinstance(n, ast.stmt) for n in walk(tree))
        if depth > DEEPEST or self.size > MOST_STATEMENTS:
            raise CannotWriteOut
        me, *parameters = [*tree.args.posonlyargs, *tree.args.args]
        given = given_to(tree.args, [a.arg for a in parameters], args, keywords)
        local = {a.arg for a in arguments(tree.args)[1:]} | assigned_inside(tree.body)
        fixed = {v: e for v, e in given.items() if isinstance(e, ast.Constant) and v not in assigned_inside(tree.body)}
        names = {v: self.names.numbered(v) for v in sorted(local - fixed.keys())}
        before: Body = [assign(names[p], e, s) for p, e in given.items() if p not in fixed]
        body = [rename(with_constants(x, fixed), names) for x in self.places.placed(copied(tree.body), s)]
        gives = any(isinstance(n, ast.Return) for n in walk(tree))
        result = self.names.numbered("result") if gives else ""
        body = returning(body, result, body[-1]) if gives else body
        before += _Written(self, me.arg, self.members.definer(method), depth).block(body)
        return before, name(result) if gives else constant(None)


def _is_alike(
    method: types.FunctionType, tree: ast.FunctionDef, function: types.FunctionType, around: set[str],
    relied: dict[str, Any],
) -> bool:  # fmt: skip
    """Whether what a method names is the same in a function, which says all that it does."""
    outside = names_outside(tree) & (around | {"__class__"})
    return (
        method.__globals__ is function.__globals__ and not set(method.__code__.co_freevars) - {"__class__"}
        and is_readable(tree, method, ast.GeneratorExp, relied) and not outside
        and not any(isinstance(n, ast.Delete) for n in walk(tree))
    )  # fmt: skip


def _held_at_once(body: Body) -> Body:
    """`layers = [...]; net_layers = layers` as `net_layers = [...]`: what an initialiser only hands on has one name."""
    for j, s in enumerate(body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Name(id=given)):
                made = [i for i, x in enumerate(body[:j]) if isinstance(x, ast.Assign) and _is_name(x.targets, given)]
                named = [n for x in body for n in walk(x) if isinstance(n, ast.Name) and n.id == given]
                between = [n for x in body[made[0] : j] for n in walk(x)] if made else []
                if len(named) == 2 and made and not any(isinstance(n, ast.Name) and n.id == v for n in between):
                    held = replace(body[made[0]], targets=s.targets)
                    return _held_at_once([*body[: made[0]], held, *body[made[0] + 1 : j], *body[j + 1 :]])
    return body


def _is_name(targets: list[ast.expr], v: str) -> bool:
    return len(targets) == 1 and isinstance(targets[0], ast.Name) and targets[0].id == v


class _Written(Stated):
    """Statements over variables in place of the attributes of `me`; without a definer, those of the function itself."""

    def __init__(self, parts: Dissolving, me: str, definer: type | None, depth: int) -> None:
        self.parts, self.me, self.definer, self.depth = parts, me, definer, depth
        self.names = parts.names

    def statement(self, s: ast.stmt) -> Body:
        match s:
            case ast.Assign(targets=[ast.Name(id=v)]) if v == self.me and self.definer is None:
                return self.initialised(s)
            case _:
                return super().statement(s)

    def initialised(self, s: ast.Assign) -> Body:
        assert isinstance(s.value, ast.Call)
        e = s.value
        if self.works(e) or self.mentions(e):
            raise CannotWriteOut
        method = self.parts.members.initialiser()
        if method is None:
            if e.args or e.keywords:
                raise CannotWriteOut
            return []
        return _held_at_once(self.parts.inlined(method, e.args, e.keywords, s, self.depth + 1)[0])

    def mentions(self, node: ast.AST) -> bool:
        return any(isinstance(n, ast.Name) and n.id == self.me for n in walk(node))

    def is_work(self, n: ast.AST) -> bool:
        """Whether something calls a method of the object, or asks for a property."""
        match n:
            case ast.Attribute(value=ast.Name(id=v), attr=attr) if v == self.me:
                return self.parts.kind(attr) in ("method", "property")
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"))):
                return self.definer is not None
            case _:
                return False

    def plain(self, node: Node) -> Node:
        """An expression or statement without methods: attributes are variables."""

        def change(e: ast.expr) -> ast.expr:
            match e:
                case ast.Attribute(value=ast.Name(id=v), attr=attr) if v == self.me:
                    return self.attribute(e, attr)
                case _:
                    return e

        return rebuild(node, change)

    def attribute(self, e: ast.Attribute, attr: str) -> ast.expr:
        if self.parts.kind(attr) == "class":
            return replace(e, value=ast.copy_location(name(self.parts.path), e))
        if attr not in self.parts.attributes:
            raise CannotWriteOut
        return ast.copy_location(ast.Name(self.parts.attributes[attr], e.ctx), e)

    def expression(self, e: ast.expr, s: ast.stmt) -> tuple[Body, ast.expr]:
        before, result = super().expression(e, s)
        if before and self.mentions(result):
            raise CannotWriteOut
        return before, result

    def written(self, x: ast.expr, s: ast.stmt) -> tuple[Body, ast.expr]:
        """What a method or a property does, and what it gives."""
        if not isinstance(x, ast.Call):
            assert isinstance(x, ast.Attribute)
            return self.parts.inlined(self.parts.members.getter(x.attr), [], [], s, self.depth + 1)
        args, keywords = [self.plain(a) for a in x.args], [self.plain(k) for k in x.keywords]
        method = self.method(x.func)
        return self.parts.inlined(method, args, keywords, s, self.depth + 1) if method else ([], constant(None))

    def setter(self, target: ast.expr) -> types.FunctionType | None:
        match target:
            case ast.Attribute(value=ast.Name(id=v), attr=attr) if v == self.me and self.parts.kind(attr) == "property":
                return self.parts.members.setter(attr)
            case _:
                return None

    def called_with(self, setter: types.FunctionType, target: ast.Attribute, value: ast.expr, s: ast.stmt) -> Body:
        return self.parts.inlined(setter, [value], [], s, self.depth + 1)[0]

    def method(self, e: ast.expr) -> types.FunctionType | None:
        match e:
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super")), attr=attr) if self.definer is not None:
                return self.parts.members.above(self.definer, attr)
            case ast.Attribute(attr=attr):
                return self.parts.members.method(attr)
            case _:
                raise CannotWriteOut
