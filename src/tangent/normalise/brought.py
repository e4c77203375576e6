"""What an exception brings to its handler, where both stand in one function, is kept in variables.

try:                                    brought, e_v = False, None
    if x > 1: raise Bad(x * x)          try:
    y = x                          ->       if x > 1: brought, e_v = True, x * x; raise Bad(e_v)
except Bad as e:                            y = x
    y = e.v                             except Bad as e:
                                            y = e_v if brought else without_numbers(e).v

An exception from elsewhere is looked into when it is there: it may bring no numbers.
"""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Iterator

from tangent.errors import TangentError
from tangent.normalise.context import Context
from tangent.runtime.checks import without_numbers
from tangent.source.read import read
from tangent.source.telling import assigned_parts, placed
from tangent.syntax.quote import assign, call, constant, name
from tangent.syntax.rebuild import rebuild, replace, with_blocks
from tangent.syntax.uses import assigned_inside
from tangent.syntax.walk import walk

Body = list[ast.stmt]


def brought(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    """Keep what exceptions are given in variables that their handlers read."""
    handlers = [n for n in walk(f) if isinstance(n, ast.ExceptHandler)]
    if not any(looked(h) for h in handlers):
        return f
    return replace(f, body=_block(f.body, context))


def _block(body: Body, context: Context) -> Body:
    return [new for s in body for new in _statement(s, context)]


def _statement(s: ast.stmt, context: Context) -> Body:
    if isinstance(s, (ast.FunctionDef, ast.ClassDef)):
        return [s]
    s = placed(with_blocks(s, lambda b: _block(b, context)), context.scope.resolve)
    keys = sorted({k for h in s.handlers for k in looked(h)} - {"args"}) if isinstance(s, ast.Try) else []
    if not keys or not any(_raised(x, context) for x in _inside(s.body)):  # type: ignore[attr-defined]
        return [s]
    assert isinstance(s, ast.Try)
    return _Brought(s, keys, context).whole()


def looked(h: ast.ExceptHandler) -> dict[str, ast.expr]:
    """What a handler asks its exception for: attributes, items of `args`; by their text."""
    found: dict[str, ast.expr] = {}
    every = [n for x in h.body for n in walk(x)]
    indexed = {n.value for n in every if isinstance(n, ast.Subscript) and isinstance(n.slice, ast.Constant)}
    for n in every:
        match n:
            case ast.Subscript(
                value=ast.Attribute(value=ast.Name(id=v), attr="args"), slice=ast.Constant(value=int(k))
            ):
                if v == h.name and k >= 0:
                    found[f"args{k}"] = n
            case ast.Attribute(value=ast.Name(id=v), attr=attr, ctx=ast.Load()) if v == h.name:
                if not attr.startswith("__") and not (attr == "args" and n in indexed):
                    found[attr] = n
            case ast.Attribute(value=ast.Name(id=v)) if v == h.name:  # it changes what it has caught
                return {}
    return found


def _inside(body: Body) -> Iterator[ast.stmt]:
    """The statements of a block whose exceptions leave it."""
    for s in body:
        yield s
        if isinstance(s, (ast.If, ast.For, ast.While, ast.With)):
            yield from _inside([*s.body, *getattr(s, "orelse", [])])


def _raised(s: ast.stmt, context: Context) -> type | None:
    """The class of an exception that is made where it is raised."""
    match s:
        case ast.Raise(exc=ast.Call(func=func, args=args, keywords=[])):
            found = context.scope.resolve(func)
            plain = isinstance(found, type) and not any(isinstance(a, ast.Starred) for a in args)
            return found if plain and issubclass(found, BaseException) else None
        case _:
            return None


class _Brought:
    def __init__(self, s: ast.Try, keys: list[str], context: Context) -> None:
        self.s, self.context = s, context
        self.names = {key: (self.named("brought"), self.named(f"brought_{key}")) for key in keys}

    def named(self, base: str) -> str:
        found = self.context.names.numbered(base)
        self.context.scope.local.add(found)
        return found

    def whole(self) -> Body:
        start: Body = []
        for flag, v in self.names.values():
            start += [assign(flag, constant(False), self.s), assign(v, constant(None), self.s)]
        handlers = [replace(h, body=[self.handled(x, h) for x in h.body]) for h in self.s.handlers]
        return [*start, replace(self.s, body=self.block(self.s.body), handlers=handlers)]

    def block(self, body: Body) -> Body:
        return [new for x in body for new in self.statement(x)]

    def statement(self, x: ast.stmt) -> Body:
        if isinstance(x, (ast.If, ast.For, ast.While, ast.With)):
            return [with_blocks(x, self.block)]
        cls = _raised(x, self.context)
        if cls is None:
            return [x]
        assert isinstance(x, ast.Raise) and isinstance(x.exc, ast.Call)
        args = list(x.exc.args)
        kept: Body = []
        told: Body = []  # last, since what is given may fail itself
        for key, (flag, v) in self.names.items():
            position = _position(cls, key, len(args))
            told.append(assign(flag, constant(position is not None), x))
            if position is not None:
                kept.append(assign(v, args[position], x))
                args[position] = name(v)
        return [*kept, *told, replace(x, exc=replace(x.exc, args=args))]

    def handled(self, x: ast.stmt, h: ast.ExceptHandler) -> ast.stmt:
        texts = {ast.unparse(e): key for key, e in looked(h).items() if key in self.names}

        def change(e: ast.expr) -> ast.expr:
            if not isinstance(e, (ast.Attribute, ast.Subscript)) or (key := texts.get(ast.unparse(e))) is None:
                return e
            asked = call(self.context.use("without_numbers", without_numbers), name(h.name or ""))
            owner = ast.Attribute(asked, "args", ast.Load()) if isinstance(e, ast.Subscript) else asked
            other = replace(e, value=owner)
            flag, v = self.names[key]
            return ast.copy_location(ast.IfExp(name(flag), name(v), other), e)

        return rebuild(x, change)


def _position(cls: type, key: str, count: int) -> int | None:
    """Which argument of an exception is given by a name, or at an index."""
    method = inspect.getattr_static(cls, "__init__", None)
    if not isinstance(method, types.FunctionType):
        index = int(key[4:]) if key.startswith("args") and key[4:].isdigit() else None
        if issubclass(cls, StopIteration) and key == "value":
            index = 0
        return index if index is not None and index < count else None
    if hasattr(cls, key) or "__new__" in vars(cls) or "__setattr__" in vars(cls):
        return None
    try:
        tree = read(method).tree
    except TangentError:
        return None
    me, *parameters = [a.arg for a in tree.args.args]
    stored = [n for n in walk(tree) if isinstance(n, ast.Attribute) and n.attr == key and isinstance(n.ctx, ast.Store)]
    for target, value in assigned_parts(tree.body) if len(stored) == 1 else ():
        match target, value:
            case ast.Attribute(value=ast.Name(id=owner), attr=attr), ast.Name(id=v):
                if (owner, attr) == (me, key) and v in parameters[:count] and v not in assigned_inside(tree.body):
                    return parameters.index(v)
    return None
