"""Expressions as one operation on names and constants, after the statements that compute these."""

from __future__ import annotations

import ast
import inspect
import types
from collections.abc import Sequence

import numpy as np

from tangent.normalise.context import Context
from tangent.normalise.writers import Writers, is_adding_at
from tangent.runtime.classes import tuple_of
from tangent.runtime.insert import replace_field
from tangent.runtime.library import named_dict
from tangent.runtime.objects import is_object
from tangent.runtime.outputs import require_inputs
from tangent.source.naming import is_library, is_named_tuple
from tangent.source.resolve import MISSING
from tangent.source.writing import may_write, written_by
from tangent.syntax.core import is_atom, is_literal, is_opaque_expression, is_path
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import rebuild, replace
from tangent.syntax.walk import walk

TAKING = frozenset(("pop", "popleft", "popitem"))  # methods that change what they are asked of


class Expressions:
    """Emits statements that compute the parts of expressions."""

    def __init__(self, context: Context, flags: frozenset[str] = frozenset()) -> None:
        self.context, self.flags = context, flags
        self.emitted: list[ast.stmt] = []
        self.like: ast.stmt = ast.Pass()
        self.rebound: frozenset[str] = frozenset()
        self.writers = Writers(context, lambda s: self.emit(s), self.atom)

    def emit(self, s: ast.stmt) -> None:
        self.emitted.append(s)

    def assign(self, target: str, value: ast.expr) -> None:
        like = self.like
        match value:
            case ast.IfExp(test=test, body=body, orelse=orelse):
                branch = self.condition(test, [body, orelse])
                then, other = self.branch(target, body), self.branch(target, orelse)
                self.emit(at(ast.If(name(branch), then, other), like))
            case ast.BoolOp(op=op, values=values) if not is_condition(value) or self.opens(value):
                self.assign(target, values[0])
                rest = values[1] if len(values) == 2 else ast.BoolOp(op, values[1:])
                held = name(target)
                test = held if isinstance(op, ast.And) else ast.UnaryOp(ast.Not(), held)
                branch = self.condition(test, [rest])
                self.emit(at(ast.If(name(branch), self.branch(target, rest), []), like))
            case _:
                self.emit(assign(target, self.operation(value), like))

    def branch(self, target: str, value: ast.expr) -> list[ast.stmt]:
        outer, self.emitted = self.emitted, []
        self.assign(target, value)
        done, self.emitted = self.emitted, outer
        return done

    def condition(self, test: ast.expr, blocks: Sequence[ast.AST]) -> str:
        """A name for what was true before the branch, which may empty the list that it tests."""
        branch = self.context.names.numbered("branch")
        if self.may_turn(test, blocks):
            test = ast.copy_location(ast.Call(name(self.context.builtin("bool")), [test], []), test)
        if is_opaque_expression(test) and not self.opens(test):
            self.emit(assign(branch, test, self.like))
        else:
            self.assign(branch, test)
        return branch

    def may_turn(self, test: ast.expr, blocks: Sequence[ast.AST]) -> bool:
        """Whether a test may be of a list, dict or object that one of the branches changes."""
        if is_condition(test) or (isinstance(test, ast.Name) and test.id in self.flags):
            return False
        return any(self.may_change(n) for block in blocks for n in walk(block))

    def may_change(self, n: ast.AST) -> bool:
        """Whether something may be changed in place here: by a store, a method, a function."""
        match n:
            case ast.Delete():
                return True
            case ast.Attribute(ctx=ast.Store()) | ast.Subscript(ctx=ast.Store()):
                return True
            case ast.Call(func=func):
                resolve = self.context.scope.resolve
                unknown = isinstance(func, ast.Name) and resolve(func) is MISSING
                return unknown or bool(written_by(n, resolve))
            case _:
                return False

    def atom(self, e: ast.expr) -> ast.expr:
        """The expression as a name or constant, after the statements that compute it."""
        if is_atom(e):
            return self.kept(e)
        if isinstance(e, (ast.IfExp, ast.BoolOp)):
            target = self.context.names.numbered("t")
            self.assign(target, e)
        else:
            operation = self.operation(e)
            target = self.context.names.numbered("t")
            self.emit(assign(target, operation, self.like))
            self.writers.named(target, operation)
        return ast.copy_location(name(target), e)

    def kept(self, e: ast.expr) -> ast.expr:
        """A variable that a call in the same statement may rebind, or a function of the module, as it is now."""
        if not isinstance(e, ast.Name) or e.id not in self.rebound | self.context.moving:
            return e
        target = self.context.names.numbered(e.id)
        self.emit(assign(target, e, self.like))
        return ast.copy_location(name(target), e)

    def operation(self, e: ast.expr) -> ast.expr:
        """The expression as one operation on atoms."""
        if self.opens(e):
            return self.opened(e)
        if is_atom(e) or is_opaque_expression(e):
            return e
        match e:
            case ast.BinOp(left=left, right=right):
                return replace(e, left=self.atom(left), right=self.atom(right))
            case ast.UnaryOp(operand=operand):
                return replace(e, operand=self.atom(operand))
            case ast.Call(func=ast.Name(id="dict"), args=[], keywords=keywords) if self.context.scope.resolve(
                e.func
            ) is dict and all(k.arg for k in keywords):
                keys: list[ast.expr | None] = [ast.Constant(k.arg) for k in keywords]
                return ast.copy_location(ast.Dict(keys, [self.atom(k.value) for k in keywords]), e)
            case ast.Call():
                return self.call(e)
            case ast.Attribute(value=value):
                return e if self.is_static_path(e) else replace(e, value=self.atom(value))
            case ast.Subscript(value=value, slice=index):
                return replace(e, value=self.atom(value), slice=self.index(index))
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return replace(e, elts=[self.element(x) for x in elts])
            case ast.Dict(keys=keys, values=values):
                pairs = [(self.atom(k) if k is not None else None, self.atom(v)) for k, v in zip(keys, values)]
                return replace(e, keys=[k for k, _ in pairs], values=[v for _, v in pairs])
            case ast.Starred(value=value):
                return replace(e, value=self.atom(value))
            case _:
                raise self.context.refuse(
                    e, f"'{type(e).__name__}'", "this expression has no derivative",
                    "Compute it in a function that is called.",
                )  # fmt: skip

    def opens(self, e: ast.expr) -> bool:
        """Whether calls inside a condition are taken out of it, because they may change something."""
        kinds = ast.Compare | ast.BoolOp | ast.JoinedStr | ast.UnaryOp
        if not isinstance(e, kinds) or not is_opaque_expression(e):
            return False
        if not self.context.memory:
            return self.calls_writer(e)
        return any(
            isinstance(n, (ast.Call, ast.Attribute, ast.Subscript)) and not self.is_static_path(n) for n in walk(e)
        )

    def calls_writer(self, e: ast.expr) -> bool:
        """Whether a function is called that writes into its arguments or changes variables around it, or a `pop`."""
        if any(
            isinstance(n, ast.Call) and isinstance(n.func, ast.Attribute) and n.func.attr in TAKING for n in walk(e)
        ):
            return True
        writers = {v for v, g in self.context.lifted.items() if g.rebound or g.writes}
        if any(isinstance(n, ast.Name) and n.id in writers for n in walk(e)):
            return True
        called = [self.context.scope.resolve(n.func) for n in walk(e) if isinstance(n, ast.Call)]
        return any(isinstance(f, types.FunctionType) and not is_library(f) and may_write(f) for f in called)

    def opened(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.Compare(left=left, comparators=comparators):
                return replace(e, left=self.atom(left), comparators=[self.atom(c) for c in comparators])
            case ast.UnaryOp(operand=operand):
                return replace(e, operand=self.atom(operand))
            case ast.JoinedStr(values=values):
                parts = [
                    replace(v, value=self.atom(v.value)) if isinstance(v, ast.FormattedValue) else v for v in values
                ]
                return replace(e, values=parts)
            case _:
                return self.atom(e)

    def element(self, e: ast.expr) -> ast.expr:
        return replace(e, value=self.atom(e.value)) if isinstance(e, ast.Starred) else self.atom(e)

    def call(self, e: ast.Call) -> ast.expr:
        func = e.func
        if not self.is_static_path(func):
            if isinstance(func, ast.Attribute):
                func = replace(func, value=self.atom(func.value))
            elif not isinstance(func, ast.Name):
                func = self.atom(func)
        args = self.arguments(e)
        told = isinstance(self.context.scope.resolve(func), np.ufunc)
        keywords = [
            replace(k, value=self.outputs(k.value) if told and k.arg == "out" else self.atom(k.value))
            for k in e.keywords
        ]
        flat = self.of_items(replace(e, func=func, args=args, keywords=keywords))
        if (made := self.named_tuple(flat)) is not None:
            return made
        if any(isinstance(a, ast.Starred) for a in flat.args) or any(k.arg is None for k in keywords):
            return flat
        adds = is_adding_at(self.context.scope.resolve(func)) and not keywords and not self.context.memory
        if adds and not self.writers.is_imaginary(flat.args[0]):
            self.emit(at(ast.Expr(flat), self.like))
            return constant(None)
        written = self.writers.rewritten(flat, self.like)
        return flat if written is None else written

    def outputs(self, e: ast.expr) -> ast.expr:
        """`out=(a,)` is `out=a`; of several, each is named."""
        if not isinstance(e, ast.Tuple):
            return self.atom(e)
        return self.atom(e.elts[0]) if len(e.elts) == 1 else replace(e, elts=[self.atom(x) for x in e.elts])

    def arguments(self, e: ast.Call) -> list[ast.expr]:
        """The arguments as atoms; a starred one of a ufunc is taken apart, since its arity is known: more is `out`."""
        found = self.context.scope.resolve(e.func)
        match e.args:
            case [*first, ast.Starred(value=value)] if isinstance(found, np.ufunc) and len(first) < found.nin:
                held = [self.element(a) for a in first]
                source = self.atom(value)
                parts = [self.context.names.numbered("t") for _ in range(found.nin - len(first))]
                slots = ast.Tuple([ast.Name(p, ast.Store()) for p in parts], ast.Store())
                check = name(self.context.use("require_inputs", require_inputs))
                behind = ast.Starred(source, ast.Load())
                self.emit(at(ast.Expr(ast.Call(check, [e.func, *held, behind], [])), self.like))
                self.emit(at(ast.Assign([slots], source), self.like))
                return [*held, *(name(p) for p in parts)]
            case [_, *_] as args if any(isinstance(a, ast.Starred) for a in args[:-1]) and (
                found is MISSING or isinstance(found, types.BuiltinFunctionType) or not is_library(found)
            ):
                packed = self.atom(ast.List(list(args), ast.Load()))
                return [ast.Starred(packed, ast.Load())]
            case args:
                return [self.element(a) for a in args]

    def of_items(self, e: ast.Call) -> ast.Call:
        """`Pair._make(xs)` as `Pair(*xs)`."""
        match e:
            case ast.Call(func=ast.Attribute(value=cls, attr="_make"), args=[ast.Name() as items], keywords=[]) if (
                is_named_tuple(self.context.scope.resolve(cls))
            ):
                return replace(e, func=cls, args=[ast.Starred(items, ast.Load())])
            case _:
                return e

    def named_tuple(self, e: ast.Call) -> ast.expr | None:
        """`Pair(a, b)` of a named tuple, and `pair._replace(a=c)`, as functions that have derivatives."""
        found = self.context.scope.resolve(e.func)
        if any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords):
            return None
        if found is MISSING:
            match e.func:
                case ast.Attribute(value=ast.Name() as owner, attr="_asdict") if not e.args and not e.keywords:
                    return ast.copy_location(ast.Call(name(self.context.use("named_dict", named_dict)), [owner], []), e)
                case ast.Attribute(value=ast.Name() as owner, attr="_replace") if not e.args and e.keywords:
                    *first, last = e.keywords
                    held: ast.expr = owner
                    for k in first:
                        held = self.atom(self.with_field(held, k))
                    return self.with_field(held, last)
            return None
        if not is_named_tuple(found):
            return None
        try:
            given = inspect.signature(found.__new__).bind(found, *e.args, **{k.arg or "": k.value for k in e.keywords})
        except TypeError:
            return None
        parts: list[ast.expr] = []
        for field in found._fields:
            value = given.arguments.get(field, found._field_defaults.get(field))
            known = isinstance(value, ast.expr)
            parts.append(value if known else name(self.context.use(f"default_{field}", value)))
        return ast.copy_location(ast.Call(name(self.context.use("tuple_of", tuple_of)), [e.func, *parts], []), e)

    def with_field(self, owner: ast.expr, k: ast.keyword) -> ast.expr:
        function = self.context.use("replace_field", replace_field)
        return ast.Call(name(function), [owner, ast.Constant(k.arg), k.value], [])

    def is_static_path(self, e: ast.expr) -> bool:
        """`np.linalg.norm`: a dotted name whose root is not a local variable."""
        if not is_path(e):
            return False
        root = e
        while isinstance(root, ast.Attribute):
            root = root.value
        assert isinstance(root, ast.Name)
        scope = self.context.scope
        if self.context.memory and isinstance(e, ast.Attribute) and _is_known_object(scope.lookup(root.id)):
            return False
        return root.id not in scope.local or root.id in scope.imports

    def index(self, e: ast.expr) -> ast.expr:
        """Indices are plain arithmetic on names, or get a name: they are evaluated again by the adjoint."""
        match e:
            case ast.Tuple(elts=elts) if any(isinstance(x, ast.Starred) for x in elts):
                return self.atom(e)
            case ast.Tuple(elts=elts):
                return replace(e, elts=[self.index(x) for x in elts])
            case ast.Slice(lower=lower, upper=upper, step=step):
                parts = [self.index(x) if x is not None else None for x in (lower, upper, step)]
                return replace(e, lower=parts[0], upper=parts[1], step=parts[2])
            case ast.Attribute(attr="newaxis") if self.is_static_path(e) and self.context.scope.resolve(e) is None:
                return ast.copy_location(ast.Constant(None), e)
            case _ if is_literal(e) or is_arithmetic(e):
                return rebuild(e, self.kept) if self.context.moving else e
            case _:
                return self.atom(e)


def _is_known_object(found: object) -> bool:
    return found is not MISSING and is_object(found)


def is_arithmetic(e: ast.expr) -> bool:
    match e:
        case ast.Name() | ast.Constant():
            return True
        case ast.BinOp(left=left, right=right):
            return is_arithmetic(left) and is_arithmetic(right)
        case ast.UnaryOp(operand=operand):
            return is_arithmetic(operand)
        case _:
            return False


def is_condition(e: ast.expr) -> bool:
    """Whether `and`, `or`, `not` and comparisons make up the whole expression, so that its value is a truth value."""
    match e:
        case ast.BoolOp(values=values):
            return all(is_condition(v) for v in values)
        case ast.UnaryOp(op=ast.Not()) | ast.Compare():
            return True
        case ast.Constant(value=bool()):
            return True
        case _:
            return False
