"""The attributes of an object as a dict, written out: `vars(x)` and `x.__dict__`.

self.__dict__.update(named)              for k, v in dict(named).items(): object.__setattr__(self, k, v)
vars(x)["w"] = v                 ->      object.__setattr__(x, "w", v)
x.__dict__.values()                      [getattr(x, k) for k in x.__dict__]

What is left of `x.__dict__` gives names alone. A dict that is kept, handed on or returned would change with the object:
it is refused.
"""

from __future__ import annotations

import ast
from collections.abc import Callable
from typing import TypeVar

from tangent.syntax.captured import own_variables
from tangent.syntax.names import Names, identifiers
from tangent.syntax.quote import expression, name
from tangent.syntax.rebuild import rebuild, replace, with_blocks
from tangent.syntax.walk import walk

READING = frozenset("len list tuple sorted set bool enumerate iter reversed isinstance print str repr".split())
Node = TypeVar("Node", bound=ast.AST)
Refusing = Callable[[ast.AST], Exception]


def with_attributes_written_out(tree: ast.FunctionDef, refusal: Refusing) -> ast.FunctionDef:
    """The definition in which attributes are read and assigned one by one."""
    if not any(_is_mentioned(n) for n in walk(tree)):
        return tree
    own = {v for n in walk(tree) if isinstance(n, ast.FunctionDef) for v in own_variables(n)}
    return _Written(tree, own, refusal).whole()


def _is_mentioned(n: ast.AST) -> bool:
    match n:
        case ast.Attribute(attr="__dict__") | ast.Call(func=ast.Name(id="vars"), args=[_]):
            return True
        case _:
            return False


class _Written:
    def __init__(self, tree: ast.FunctionDef, own: set[str], refusal: Refusing) -> None:
        self.tree, self.own, self.refusal = tree, own, refusal
        self.names = Names(identifiers(tree))

    def whole(self) -> ast.FunctionDef:
        tree = replace(self.tree, body=self.block(self.tree.body))
        fine = {id(e) for n in walk(tree) for e in _read_for_names(n)}
        for n in walk(tree):
            if isinstance(n, ast.expr) and self.owner(n) is not None and id(n) not in fine:
                raise self.refusal(n)
        return rebuild(tree, lambda e: self.names_of(e) if self.owner(e) is not None else e)

    def owner(self, e: ast.AST) -> ast.expr | None:
        """The object whose attributes an expression gives: one that a variable of the function leads to."""
        match e:
            case ast.Attribute(value=owner, attr="__dict__", ctx=ast.Load()):
                found = owner
            case ast.Call(func=ast.Name(id="vars"), args=[owner], keywords=[]):
                found = owner
            case _:
                return None
        root = found
        while isinstance(root, ast.Attribute):
            root = root.value
        if isinstance(root, ast.Call):
            raise self.refusal(e)
        return found if isinstance(root, ast.Name) and root.id in self.own - {"cls"} else None

    def names_of(self, e: ast.expr) -> ast.expr:
        owner = self.owner(e)
        assert owner is not None
        return _placed(ast.Attribute(owner, "__dict__", ast.Load()), e)

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        return [new for s in body for new in self.statement(s)]

    def statement(self, s: ast.stmt) -> list[ast.stmt]:
        match s:
            case ast.Assign(targets=[ast.Subscript(value=d, slice=key)], value=value) if (
                x := self.owner(d)
            ) is not None:
                return [_placed(self.stored(x, key, self.read(value)), s)]
            case ast.AugAssign(target=ast.Subscript(value=d, slice=key), op=op, value=value) if (
                x := self.owner(d)
            ) is not None:
                old = expression("getattr(x, k)", x=x, k=key)
                return [_placed(self.stored(x, key, ast.BinOp(old, op, self.read(value))), s)]
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=d, attr="update"), args=args, keywords=keywords)) if (
                x := self.owner(d)
            ) is not None and len(args) <= 1:
                return [_placed(new, s) for new in self.updated(x, [*map(self.read, args)], keywords)]
            case ast.FunctionDef(body=body):
                return [replace(s, body=self.block(body))]
            case _:
                s = with_blocks(s, self.block)
                return [self.header(s)]

    def header(self, s: ast.stmt) -> ast.stmt:
        """A statement with what it reads itself written out; its blocks are done."""
        done = {id(x) for part in ("body", "orelse", "finalbody") for x in _statements(s, part)}

        def changed(old: object) -> object:
            if isinstance(old, list):
                return [changed(x) for x in old]
            return self.read(old) if isinstance(old, ast.AST) and id(old) not in done else old

        return replace(s, **{key: changed(old) for key, old in ast.iter_fields(s)})

    def stored(self, x: ast.expr, key: ast.expr, value: ast.expr) -> ast.stmt:
        return ast.Expr(expression("object.__setattr__(x, k, v)", x=x, k=key, v=value))

    def updated(self, x: ast.expr, args: list[ast.expr], keywords: list[ast.keyword]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for given in (*args, *(k.value for k in keywords if k.arg is None)):
            k, v = self.names.fresh("k"), self.names.fresh("v")
            target = ast.Tuple([ast.Name(k, ast.Store()), ast.Name(v, ast.Store())], ast.Store())
            items = expression("dict(d).items()", d=given)
            done.append(ast.For(target, items, [self.stored(x, name(k), name(v))], []))
        named = [k for k in keywords if k.arg is not None]
        return [*done, *(self.stored(x, ast.Constant(k.arg), self.read(k.value)) for k in named)]

    def read(self, e: Node) -> Node:
        return rebuild(e, self.written_out)

    def written_out(self, e: ast.expr) -> ast.expr:
        """What is asked of a dict of attributes, asked of the object."""
        match e:
            case ast.Call(func=ast.Attribute(value=d, attr="values" | "items" | "keys" | "copy" | "get" as asked)) if (
                self.owner(d) is not None
            ):
                return self.asked(e, d, asked)
            case ast.Subscript(value=d, slice=key, ctx=ast.Load()) if (x := self.owner(d)) is not None:
                read = "object.__getattribute__(x, k)" if self.may_be_asked_for(key) else "getattr(x, k)"
                return _placed(expression(read, x=x, k=key), e)
            case ast.Call(func=ast.Name(id="dict"), args=[d, *rest]) if self.owner(d) is not None:
                return replace(e, args=[self.whole_dict(d), *rest])
            case ast.Dict(keys=keys, values=values) if any(
                k is None and self.owner(v) is not None for k, v in zip(keys, values)
            ):
                pairs = zip(keys, values)
                return replace(e, values=[self.whole_dict(v) if k is None and self.owner(v) else v for k, v in pairs])
            case ast.Call(keywords=keywords) if any(k.arg is None and self.owner(k.value) for k in keywords):
                new = [
                    replace(k, value=self.whole_dict(k.value)) if k.arg is None and self.owner(k.value) else k
                    for k in keywords
                ]
                return replace(e, keywords=new)
            case _:
                return e

    def may_be_asked_for(self, key: ast.expr) -> bool:
        """Whether the function may be what a class computes an attribute with, which then reads what is held itself."""
        named = isinstance(key, ast.Constant) and key.value == self.tree.name
        return named or self.tree.name in ("__get__", "lambda_")

    def asked(self, e: ast.Call, d: ast.expr, asked: str) -> ast.expr:
        x, k = self.owner(d), self.names.fresh("k")
        assert x is not None
        match asked:
            case "values":
                new = expression("[getattr(x, k) for k in x.__dict__]", x=x, k=k)
            case "items":
                new = expression("[(k, getattr(x, k)) for k in x.__dict__]", x=x, k=k)
            case "keys":
                new = expression("list(x.__dict__)", x=x)
            case "copy":
                new = self.whole_dict(d)
            case _:
                given = [x, *e.args] if len(e.args) > 1 else [x, *e.args, ast.Constant(None)]
                new = ast.Call(name("getattr"), given, [])
        return _placed(new, e)

    def whole_dict(self, d: ast.expr) -> ast.expr:
        x, k = self.owner(d), self.names.fresh("k")
        assert x is not None
        return _placed(expression("{k: getattr(x, k) for k in x.__dict__}", x=x, k=k), d)


def _placed(new: Node, like: ast.AST) -> Node:
    """What was written here, at the place of what it stands for."""
    for n in ast.walk(new):
        if isinstance(n, (ast.stmt, ast.expr)) and not hasattr(n, "lineno"):
            ast.copy_location(n, like)
    return new


def _statements(s: ast.stmt, part: str) -> list[ast.stmt]:
    found = getattr(s, part, None)
    return found if isinstance(found, list) else []


def _read_for_names(n: ast.AST) -> list[ast.expr]:
    """What a node asks for its length, its keys, or goes through."""
    match n:
        case ast.Call(func=ast.Name(id=v), args=args) if v in READING:
            return args
        case ast.For(iter=e) | ast.comprehension(iter=e):
            return [e]
        case ast.Compare(ops=[ast.In() | ast.NotIn()], comparators=[e]):
            return [e]
        case ast.If(test=e) | ast.FormattedValue(value=e):
            return [e]
        case _:
            return []
