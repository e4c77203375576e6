"""Methods of an object that is still being made, as functions of its attributes.

def scale(self, k):              def scale(self_w, k):
    self.w = self.w * k    ->        self_w = self_w * k
                                     return (self_w,)
"""

from __future__ import annotations

import ast
import inspect
import types
from dataclasses import dataclass, field
from typing import Any

from tangent.runtime.classes import nothing
from tangent.source.cells import cells_of
from tangent.source.generators import is_generator
from tangent.source.naming import is_library
from tangent.source.read import read
from tangent.source.stubs import stub
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import at, constant, name
from tangent.syntax.rebuild import replace, walk_scope, with_blocks
from tangent.syntax.uses import SCOPES


class CannotOpen(Exception):
    """The object is handed on, or what it holds depends on how the method runs."""


@dataclass
class Opened:
    """A method without its object: its tree, the attributes that it assigns, and what its names refer to."""

    function: types.FunctionType
    tree: ast.FunctionDef
    names: Names
    written: tuple[str, ...] = ()
    cells: dict[str, types.CellType] = field(default_factory=dict)
    variables: dict[str, str] = field(default_factory=dict)

    def use(self, base: str, value: Any) -> str:
        """A name for something from outside."""
        for known, cell in self.cells.items():
            if cell.cell_contents is value:
                return known
        found = self.names.fresh(base)
        self.cells[found] = types.CellType(value)
        return found

    def variable(self, attr: str) -> str:
        """The variable that stands for an attribute."""
        if attr not in self.variables:
            self.variables[attr] = self.names.fresh(f"self_{attr}")
        return self.variables[attr]


def opened(function: types.FunctionType, cls: type, before: tuple[str, ...], depth: int = 4) -> Opened:
    """A method of an object of which some attributes are known `before`; these are its first parameters."""
    if is_generator(function) or (is_library(function) and function is not nothing) or depth == 0:
        raise CannotOpen
    tree = read(function).tree
    parts = Opened(function, tree, Names(identifiers(tree) | set(cells_of(function))))
    first, rest = _without_self(tree.args)
    body = _Body(parts, cls, first, before, depth).rewritten(tree.body)
    given = [ast.arg(parts.variable(v)) for v in before]
    args = replace(rest, posonlyargs=[*given, *rest.posonlyargs]) if given else rest
    parts.tree = replace(tree, args=args, body=body or [at(ast.Pass(), tree)], decorator_list=[], returns=None)
    return parts


def _without_self(args: ast.arguments) -> tuple[str, ast.arguments]:
    if args.posonlyargs:
        return args.posonlyargs[0].arg, replace(args, posonlyargs=args.posonlyargs[1:])
    if not args.args:
        raise CannotOpen
    return args.args[0].arg, replace(args, args=args.args[1:])


class _Body:
    """The statements of a method, over variables in place of attributes."""

    def __init__(self, parts: Opened, cls: type, first: str, before: tuple[str, ...], depth: int) -> None:
        self.parts, self.cls, self.first, self.depth = parts, cls, first, depth
        self.held = dict.fromkeys(before)  # the attributes that surely are assigned
        self.written: dict[str, None] = {}

    def rewritten(self, body: list[ast.stmt]) -> list[ast.stmt]:
        if any(isinstance(n, ast.Return) and n.value is not None for s in body for n in (s, *walk_scope(s))):
            raise CannotOpen
        found = self.block(_without_last_return(body))
        if set(self.written) - set(self.held):
            raise CannotOpen  # assigned on some ways only
        self.parts.written = tuple(self.written)
        return found

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Expr(value=ast.Constant()):
                return []
            case ast.Return() | ast.Delete() | ast.Global() | ast.Nonlocal():
                raise CannotOpen
            case ast.Expr(value=ast.Call(func=func, args=args, keywords=keywords)):
                return self.effect(s, func, args, keywords)
            case ast.If(body=body, orelse=orelse):
                return [self.either(s, body, orelse)]
            case ast.For() | ast.While() | ast.Try() | ast.Match():
                before = dict(self.held)
                inner = with_blocks(s, self.block)
                self.held = before
                return [self.header(inner)]
            case ast.With():
                return [self.header(with_blocks(s, self.block))]
            case _:
                return [self.header(s)]

    def either(self, s: ast.If, body: list[ast.stmt], orelse: list[ast.stmt]) -> ast.stmt:
        test = self.expression(s.test)
        before = dict(self.held)
        then = self.block(body)
        held, self.held = self.held, dict(before)
        other = self.block(orelse)
        ends = [_always_raises(b) for b in (body, orelse)]
        if ends[1]:
            self.held = held
        elif not ends[0]:
            self.held = {v: None for v in held if v in self.held}
        return replace(s, test=test, body=then, orelse=other)

    def effect(self, s: ast.Expr, func: ast.expr, args: list[ast.expr], keywords: list[ast.keyword]) -> list[ast.stmt]:
        """A call for its effects: another initialiser, or a method that assigns attributes."""
        match func:
            case ast.Attribute(value=ast.Name(id="object"), attr="__setattr__"):
                if len(args) == 3 and self.is_self(args[0]) and isinstance(args[1], ast.Constant):
                    place = ast.Attribute(name(self.first), str(args[1].value), ast.Store())
                    return [self.header(at(ast.Assign([place], args[2]), s))]
            case ast.Attribute(value=ast.Call(func=ast.Name(id="super"), args=[]), attr=attr):
                return self.inner(s, self.parent(attr), args, keywords)
            case ast.Attribute(value=owner, attr=attr) if self.is_self(owner):
                found = inspect.getattr_static(self.cls, attr, None)
                if isinstance(found, types.FunctionType):
                    return self.inner(s, found, args, keywords)
        return [self.header(s)]

    def parent(self, attr: str) -> Any:
        """The method that `super()` finds."""
        code = self.parts.function.__code__
        owner = next((c for c in self.cls.__mro__ if getattr(vars(c).get(attr), "__code__", None) is code), None)
        if owner is None:
            raise CannotOpen
        return getattr(super(owner, self.cls), attr, None)

    def inner(self, s: ast.stmt, found: Any, args: list[ast.expr], keywords: list[ast.keyword]) -> list[ast.stmt]:
        """Another method, which gives the attributes that it assigns."""
        if found is object.__init__ and not args:
            return []
        if not isinstance(found, types.FunctionType):
            raise CannotOpen
        inner = opened(found, self.cls, tuple(self.held), self.depth - 1)
        given = [name(self.parts.variable(v)) for v in self.held]
        passed = [self.expression(a) for a in args]
        named = [replace(k, value=self.expression(k.value)) for k in keywords]
        call = ast.Call(
            name(self.parts.use(f"{found.__name__.strip('_')}_of", _giving(inner))), [*given, *passed], named
        )
        call = ast.copy_location(call, s)
        if not inner.written:
            return [at(ast.Expr(call), s)]
        self.assigns(inner.written)
        slots: list[ast.expr] = [ast.Name(self.parts.variable(v), ast.Store()) for v in inner.written]
        return [at(ast.Assign([ast.Tuple(slots, ast.Store())], call), s)]

    def assigns(self, attrs: tuple[str, ...]) -> None:
        self.held |= dict.fromkeys(attrs)
        self.written |= dict.fromkeys(attrs)

    def header(self, s: ast.stmt) -> ast.stmt:
        """A statement with its own expressions rewritten: what it reads, then what it assigns."""
        changes: dict[str, Any] = {}
        for key, old in ast.iter_fields(s):
            if key in ("targets", "target", "body", "orelse", "finalbody", "handlers", "cases"):
                continue
            changes[key] = self.part(old)
        for key in ("targets", "target"):
            if hasattr(s, key):
                changes[key] = self.part(getattr(s, key))
        if isinstance(s, ast.AnnAssign) and isinstance(s.target, ast.Attribute):
            return at(ast.Assign([changes["target"]], changes["value"]), s) if s.value else at(ast.Pass(), s)
        return replace(s, **changes)

    def part(self, old: Any) -> Any:
        if isinstance(old, list):
            return [self.part(x) for x in old]
        return self.expression(old) if isinstance(old, ast.AST) else old

    def expression(self, e: Any) -> Any:
        match e:
            case ast.Name() if self.is_self(e):
                raise CannotOpen
            case ast.Call(func=ast.Name(id="type"), args=[owner]) if self.is_self(owner):
                return ast.copy_location(name(self.parts.use(self.cls.__name__, self.cls)), e)
            case ast.Attribute(value=owner, attr=attr, ctx=ctx) if self.is_self(owner):
                return ast.copy_location(self.attribute(attr, ctx), e)
        if isinstance(e, (*SCOPES, ast.ClassDef)):
            if self.first in identifiers(e):
                raise CannotOpen  # it would see the object as it is later
            return e
        changes = {key: self.part(old) for key, old in ast.iter_fields(e)}
        return replace(e, **changes) if hasattr(e, "_fields") and changes else e

    def attribute(self, attr: str, ctx: ast.expr_context) -> ast.expr:
        if isinstance(ctx, ast.Store):
            self.assigns((attr,))
        elif attr not in self.written and attr not in self.held:
            return self.of_class(attr)
        return ast.Name(self.parts.variable(attr), ctx)

    def of_class(self, attr: str) -> ast.expr:
        """An attribute that the class holds for all its objects; a method that needs no object."""
        owner = name(self.parts.use(self.cls.__name__, self.cls))
        if attr == "__class__":
            return owner
        found = inspect.getattr_static(self.cls, attr, None)
        if found is None or (hasattr(found, "__get__") and not isinstance(found, (staticmethod, classmethod))):
            raise CannotOpen
        return ast.Attribute(owner, attr, ast.Load())

    def is_self(self, e: ast.expr) -> bool:
        return isinstance(e, ast.Name) and e.id == self.first


def _without_last_return(body: list[ast.stmt]) -> list[ast.stmt]:
    return body[:-1] if body and isinstance(body[-1], ast.Return) else body


def _always_raises(body: list[ast.stmt]) -> bool:
    return bool(body) and isinstance(body[-1], ast.Raise)


def _giving(parts: Opened) -> types.FunctionType:
    """The function that gives the attributes which a method assigns."""
    values: list[ast.expr] = [name(parts.variable(v)) for v in parts.written]
    result = ast.Tuple(values, ast.Load()) if values else constant(None)
    tree = parts.tree
    function = parts.function
    last = at(ast.Return(result), tree.body[-1])
    tree = replace(tree, body=[*tree.body, last])
    made = stub(function, tree, {**cells_of(function), **parts.cells}, read(function).file)
    made.__kwdefaults__ = function.__kwdefaults__
    made.captures = own_captures(function)  # type: ignore[attr-defined]
    return made


def own_captures(function: types.FunctionType) -> tuple[str, ...]:
    """The variables that a method captures, apart from the class that it belongs to."""
    return tuple(v for v in function.__code__.co_freevars if v != "__class__")
