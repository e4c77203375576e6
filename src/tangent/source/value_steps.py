"""Expressions in which objects are variables: what methods and operators do comes before, in the order of Python."""

from __future__ import annotations

import ast
import copy
import dataclasses
import types
from typing import TYPE_CHECKING, Any

from tangent.source.inlined import SOMETIMES, Body, CannotWriteOut
from tangent.syntax.quote import assign, name
from tangent.syntax.rebuild import replace

if TYPE_CHECKING:  # it makes these
    from tangent.source.values import Values

OPERATORS: dict[type[ast.operator], str] = {
    ast.Add: "add", ast.Sub: "sub", ast.Mult: "mul", ast.Div: "truediv", ast.MatMult: "matmul", ast.Pow: "pow",
    ast.FloorDiv: "floordiv", ast.Mod: "mod",
}  # fmt: skip
REPLACING = (dataclasses.replace, getattr(copy, "replace", dataclasses.replace))
UNARY: dict[type[ast.unaryop], str] = {ast.USub: "neg", ast.UAdd: "pos"}


class ValueSteps:
    """One expression, from the inside out; `before` has what is done first."""

    def __init__(self, owner: Values, s: ast.stmt) -> None:
        self.owner, self.s = owner, s
        self.before: Body = []

    def visit(self, x: ast.expr) -> ast.expr:
        """What is left of an expression; an object is left as a name of it."""
        if not self.owner.mentions(x):
            return x
        match x:
            case ast.Name():
                return x
            case ast.IfExp(test=test, body=then, orelse=other) if (known := self.owner.tested(test)) is not None:
                return self.visit(then if known else other)
            case ast.Attribute(value=value, attr=attr):
                return self.attribute(replace(x, value=self.visit(value)), attr)
            case ast.Call():
                return self.call(x)
            case ast.BinOp(left=left, op=op, right=right):
                left, right = self.parts([left, right])
                return self.operated(replace(x, left=left, right=right), left, OPERATORS.get(type(op), ""), right)
            case ast.UnaryOp(op=op, operand=operand):
                operand = self.visit(operand)
                if not self.owner.is_one(operand):
                    return replace(x, operand=operand)
                return self.write(self.owner.asked(operand, f"__{UNARY.get(type(op), 'bool')}__", [], self.s))
            case ast.Subscript(value=value, slice=index, ctx=ast.Load()):
                value, index = self.parts([value, index])
                if not self.owner.is_one(value):
                    return replace(x, value=value, slice=index)
                return self.write(self.owner.asked(value, "__getitem__", [index], self.s))
            case _:
                return self.rebuilt(x)

    def write(self, written: tuple[Body, ast.expr]) -> ast.expr:
        more, result = written
        self.before += more
        return result

    def parts(self, items: list[ast.expr]) -> list[ast.expr]:
        """Parts of an expression, one after the other: what comes before some work is held in a variable."""
        done: list[ast.expr] = []
        places: list[int] = []
        for x in items:
            done.append(self.visit(x))
            places.append(len(self.before))
        for i in reversed(range(len(items))):
            if places[i] < len(self.before) and not isinstance(done[i], (ast.Name, ast.Constant)):
                if isinstance(done[i], (ast.Starred, ast.Slice, ast.Tuple)):
                    raise CannotWriteOut
                held = self.owner.names.numbered("t")
                self.before.insert(places[i], assign(held, done[i], self.s))
                done[i] = name(held)
        return done

    def rebuilt(self, x: ast.expr) -> ast.expr:
        """Any other expression: what is computed sometimes, or often, can have nothing before it."""
        fields = [(f, getattr(x, f, None)) for f in x._fields]
        inner = [e for _, old in fields for e in (old if isinstance(old, list) else [old])]
        if any(isinstance(e, (ast.comprehension, ast.arguments)) for e in inner):
            return self.owner.unworked(x)
        found = [e for e in inner if isinstance(e, ast.expr)]
        count = len(self.before)
        visited = iter(self.parts(found))
        if isinstance(x, (*SOMETIMES, ast.Compare)) and len(self.before) > count and not _is_pair(x):
            raise CannotWriteOut
        changes: dict[str, Any] = {}
        for f, old in fields:
            if isinstance(old, ast.expr):
                changes[f] = next(visited)
            elif isinstance(old, list):
                changes[f] = [next(visited) if isinstance(e, ast.expr) else e for e in old]
        return replace(x, **changes)

    def attribute(self, x: ast.Attribute, attr: str) -> ast.expr:
        if not isinstance(x.value, ast.Name) or x.value.id not in self.owner.known:
            return x
        held = self.owner.known[x.value.id]
        if attr in held:
            return ast.copy_location(name(held[attr]), x)
        kind = self.owner.kind(attr)
        if kind == "property":
            method = self.owner.members.getter(attr)
            self.owner.relied[f"{self.owner.path}.{attr}"] = vars(self.owner.members.definer(method))[attr]
            return self.write(self.owner.inlined(self.owner.definition(method), method, [x.value], [], self.s))
        found = getattr(self.owner.cls, attr, None)
        if kind == "class" and isinstance(found, (int, float, complex, str)):
            return replace(x, value=ast.copy_location(name(self.owner.path), x))
        raise CannotWriteOut

    def call(self, x: ast.Call) -> ast.expr:
        """A call: of the class, of a method, of a function that is given an object, or of anything else."""
        owner = self.owner
        x = replace(x, func=self.made_by(x.func))
        of = x.func.value if isinstance(x.func, ast.Attribute) and owner.mentions(x.func.value) else None
        if any(isinstance(a, ast.Starred) for a in x.args) or not all(k.arg for k in x.keywords):
            raise CannotWriteOut
        done = self.parts([*([of] if of else []), *x.args, *(k.value for k in x.keywords)])
        me, done = (done[0], done[1:]) if of else (None, done)
        args, values = done[: len(x.args)], done[len(x.args) :]
        keywords = [replace(k, value=e) for k, e in zip(x.keywords, values)]
        given = any(map(owner.is_one, done))
        match x.func:
            case ast.Name(id=path) if path == owner.path:
                return self.write(owner.made(args, keywords, self.s))
            case ast.Name() if owner.is_one(x.func):
                return self.write(owner.asked(x.func, "__call__", args, self.s, *keywords))
            case ast.Attribute(value=ast.Name(id=path), attr=attr) if path == owner.path:
                return self.write(owner.asked_of_class(attr, args, self.s, *keywords))
            case ast.Attribute(attr=attr) if me is not None and owner.is_one(me):
                if owner.kind(attr) == "method":
                    return self.write(owner.asked(me, attr, args, self.s, *keywords))
                return replace(x, func=self.attribute(replace(x.func, value=me), attr), args=args, keywords=keywords)
        found = owner.around(x.func) if me is None else None
        if given and found is abs:
            return self.write(owner.asked(args[0], "__abs__", [], self.s))
        if found in REPLACING and len(args) == 1 and owner.is_one(args[0]):
            return self.write(owner.made([], self.fields_of(args[0], keywords), self.s))
        if given and isinstance(found, types.FunctionType):
            owner.relied[ast.unparse(x.func)] = found
            return self.write(owner.inlined(owner.definition(found), found, args, keywords, self.s))
        func = replace(x.func, value=me) if isinstance(x.func, ast.Attribute) and me is not None else x.func
        return replace(x, func=func, args=args, keywords=keywords)

    def made_by(self, func: ast.expr) -> ast.expr:
        """What is called: `type(self)` and `self.__class__` are the class."""
        match func:
            case ast.Attribute(value=one, attr="__class__") if self.owner.is_one(one):
                return ast.copy_location(name(self.owner.path), func)
            case ast.Call(func=asked, args=[one], keywords=[]) if self.owner.is_one(one):
                return ast.copy_location(name(self.owner.path), func) if self.owner.around(asked) is type else func
            case ast.Attribute(value=inner):
                return replace(func, value=self.made_by(inner))
            case _:
                return func

    def fields_of(self, one: ast.expr, given: list[ast.keyword]) -> list[ast.keyword]:
        """What the initialiser of a dataclass is given for another object, of which some fields are said."""
        declared = getattr(self.owner.cls, "__dataclass_fields__", {})
        fields = [f.name for f in dataclasses.fields(self.owner.cls) if f.init] if declared else []
        asked = {k.arg: k for k in given}
        if len(fields) < len(declared) or asked.keys() - set(fields) or not fields:  # some it is not given, or must be
            raise CannotWriteOut
        return [asked.get(v) or ast.keyword(v, self.attribute(_attribute(one, v), v)) for v in fields]

    def operated(self, x: ast.expr, left: ast.expr, op: str, right: ast.expr) -> ast.expr:
        """`a + b`, where one of them may be an object: what its class says; no other class is asked first."""
        owner = self.owner
        if owner.is_one(left) and hasattr(owner.cls, f"__{op}__"):
            return self.write(owner.asked(left, f"__{op}__", [right], self.s))
        if owner.is_one(right) and owner.is_number(left):
            return self.write(owner.asked(right, f"__r{op}__", [left], self.s))
        return x


def _attribute(owner: ast.expr, attr: str) -> ast.Attribute:
    return ast.copy_location(ast.Attribute(owner, attr, ast.Load()), owner)


def _is_pair(x: ast.expr) -> bool:
    return isinstance(x, ast.Compare) and len(x.ops) == 1
