"""One operation a statement: nested expressions get names, from left to right, as Python evaluates them.

    y = np.sin(a * b) + f(c)   ->   t = a * b; t2 = np.sin(t); t3 = f(c); y = t2 + t3
    y = a if c else b          ->   if c: y = a
                                    else: y = b
    y = a or b                 ->   y = a; branch = not y; if branch: y = b

Conditions, f-strings, lambdas, comprehensions and indices stay whole: no derivative flows through them.
"""

from __future__ import annotations

import ast
import inspect
import types

import numpy as np

from tangent.normalise.context import Context
from tangent.normalise.writers import Writers, is_adding_at, is_alone
from tangent.runtime.classes import tuple_of
from tangent.runtime.insert import replace_field
from tangent.runtime.objects import is_object
from tangent.runtime.storage import add_at, add_into
from tangent.source.resolve import MISSING, is_library
from tangent.syntax.blocks import Attempt, Enter
from tangent.syntax.core import is_atom, is_literal, is_opaque_expression, is_path, is_range
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import replace
from tangent.syntax.uses import assigned_inside


def flatten(f: ast.FunctionDef, context: Context) -> ast.FunctionDef:
    return replace(f, body=_Flatten(context).block(f.body))


class _Flatten:
    def __init__(self, context: Context) -> None:
        self.context = context
        self.emitted: list[ast.stmt] = []
        self.like: ast.stmt = ast.Pass()
        self.rebound: frozenset[str] = frozenset()
        self.writers = Writers(context, lambda s: self.emit(s), self.atom)

    def block(self, body: list[ast.stmt]) -> list[ast.stmt]:
        outer = self.emitted
        self.emitted = []
        for s in body:
            self.like = s
            self.rebound = self.rebound_by(s) if self.context.lifted else frozenset()
            self.statement(s)
        done, self.emitted = self.emitted, outer
        return done

    def rebound_by(self, s: ast.stmt) -> frozenset[str]:
        """Variables that a statement rebinds by calls of nested functions: what they were gets names of its own."""
        called = {n.id for n in ast.walk(s) if isinstance(n, ast.Name)} & set(self.context.lifted)
        return frozenset(v for g in called for v in self.context.lifted[g].rebound)

    def emit(self, s: ast.stmt) -> None:
        self.emitted.append(s)

    def statement(self, s: ast.stmt) -> None:
        match s:
            case ast.If(body=[ast.Break()]):
                self.emit(s)
            case Attempt(body=body, orelse=orelse):
                self.emit(replace(s, body=self.block(body), orelse=self.block(orelse)))
            case ast.If(test=test, body=body, orelse=orelse) if self.asks_for_caught(test):
                self.emit(replace(s, body=self.block(body), orelse=self.block(orelse)))
            case Enter(value=ast.expr() as value):
                self.emit(replace(s, value=value if is_path(value) else self.operation(value)))
            case ast.Pass():
                return
            case ast.If(test=test, body=body, orelse=orelse):
                kept = isinstance(test, ast.Constant) or (isinstance(test, ast.Name) and not _assigns(s, test.id))
                branch = test if kept else name(self.condition(test))
                self.emit(replace(s, test=branch, body=self.block(body), orelse=self.block(orelse)))
            case ast.While(test=test, body=body) if self.opens(test) or self.calls_writer(test):
                self.tested_loop(s)
            case ast.While(body=body):
                self.emit(replace(s, body=self.block(body)))
            case ast.For(iter=iter, body=body):
                flat = self.iterable(iter)
                self.emit(replace(s, iter=flat, body=self.block(body)))
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                self.assign(target, value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="append"), args=[item]) as call) if (
                not call.keywords and not is_atom(item)
            ):
                self.emit(replace(s, value=replace(call, args=[self.atom(item)])))
            case ast.Expr(
                value=ast.Call(func=ast.Attribute(value=ast.Name(), attr="pop"), args=[], keywords=[]) as call
            ):
                self.emit(assign(self.context.names.numbered("dropped"), call, s))
            case ast.Assign(targets=[ast.Tuple(elts=elts)], value=value) if all(
                isinstance(e.value if isinstance(e, ast.Starred) else e, ast.Name) for e in elts
            ):
                self.emit(replace(s, value=self.atom(value)))
            case ast.Assign(targets=[ast.Subscript(value=ast.Attribute(value=owner, attr="flat"), slice=index)]):
                value = self.atom(s.value)
                self.writers.flat_store(self.atom(owner), self.index(index), value, s)
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute() as target], value=value) if (
                part := self.complex_part(target)
            ):
                self.writers.part_store(*part, self.atom(value), s)
            case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=v) as owner, attr="shape")], value=value) if (
                not self.context.memory and is_alone(v, self.context.source.tree)
            ):
                shaped = ast.Call(ast.Attribute(owner, "reshape", ast.Load()), [value], [])
                self.assign(v, ast.copy_location(ast.fix_missing_locations(shaped), s))
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute() as target], value=value):
                held = self.atom(value)
                self.emit(replace(s, targets=[self.place(target)], value=held))
            case ast.AugAssign(target=ast.Subscript() | ast.Attribute() as target):
                self.augment(s, target)
            case ast.Expr(value=ast.Call() as call):
                self.effect(s, call)
            case _:
                self.emit(s)

    def place(self, e: ast.Subscript | ast.Attribute) -> ast.Subscript | ast.Attribute:
        """The target of a store: an item or attribute of a name."""
        owner = e.value if self.is_static_path(e.value) else self.atom(e.value)
        if isinstance(e, ast.Attribute):
            return replace(e, value=owner)
        return replace(e, value=owner, slice=self.index(e.slice))

    def complex_part(self, e: ast.Subscript | ast.Attribute) -> tuple[ast.expr, str, ast.expr] | None:
        """The array, the part and the index of a store into the real or the imaginary part of an array."""
        match e:
            case _ if self.context.memory:
                return None
            case ast.Subscript(value=ast.Attribute(value=owner, attr="real" | "imag" as part), slice=index):
                return self.atom(owner), part, self.index(index)
            case ast.Attribute(value=owner, attr="real" | "imag" as part):
                return self.atom(owner), part, constant(Ellipsis)
            case _:
                return None

    def combined(self, owner: ast.expr, attr: str, index: ast.expr, s: ast.AugAssign) -> ast.expr:
        """What `owner.attr[index] += v` stores."""
        item = ast.Subscript(ast.Attribute(owner, attr, ast.Load()), index, ast.Load())
        return self.atom(ast.fix_missing_locations(ast.copy_location(ast.BinOp(item, s.op, s.value), s)))

    def augment(self, s: ast.AugAssign, target: ast.Subscript | ast.Attribute) -> None:
        """`a[i] += v` stays one statement; operators without an adjoint of their own are taken apart."""
        match target:
            case ast.Subscript(value=ast.Attribute(value=owner, attr="flat"), slice=index):
                held, key = self.atom(owner), self.index(index)
                self.writers.flat_store(held, key, self.combined(held, "flat", key, s), s)
                return
            case _ if part := self.complex_part(target):
                held, attr, key = part
                self.writers.part_store(held, attr, key, self.combined(held, attr, key, s), s)
                return
        place = self.place(target)
        if isinstance(s.op, IN_PLACE) and not _calls_user(s.value, self.context):
            self.emit(replace(s, target=place, value=self.atom(s.value)))
            return
        old = self.atom(replace(place, ctx=ast.Load()))
        new = self.atom(ast.copy_location(ast.BinOp(old, s.op, s.value), s))
        self.emit(at(ast.Assign([place], new), s))

    def effect(self, s: ast.Expr, e: ast.Call) -> None:
        """A call for its effects: of a function that may write into its arguments, its arguments get names."""
        found = self.context.scope.resolve(e.func)
        starred = any(isinstance(a, ast.Starred) for a in e.args)
        if self.context.memory and (
            found is MISSING or not is_library(found) or found in (setattr, object.__setattr__)
        ):
            self.emit(replace(s, value=self.call(e)))
            return
        if (is_adding_at(found) or found in (add_at, add_into)) and not starred and not e.keywords:
            self.emit(replace(s, value=self.operation(e)))
        elif isinstance(found, types.FunctionType) and not is_library(found):
            self.emit(assign(self.context.names.numbered("dropped"), self.operation(e), s))
        elif self.may_write(e, found):
            written = self.operation(e)
            if isinstance(written, ast.Call):
                self.emit(replace(s, value=written))
        else:
            self.emit(s)

    def may_write(self, e: ast.Call, found: object) -> bool:
        if any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords):
            return False
        if found is MISSING:
            own = isinstance(e.func, ast.Attribute) and self.is_local_path(e.func.value)
            return own and isinstance(e.func, ast.Attribute) and e.func.attr in FLATTENED_METHODS
        return (getattr(found, "__module__", None) or "numpy").split(".")[0] in ("numpy", "operator", "_operator")

    def is_local_path(self, e: ast.expr) -> bool:
        return not self.is_static_path(e)

    def asks_for_caught(self, test: ast.expr) -> bool:
        match test:
            case ast.Compare(left=ast.Name(id=v), ops=[ast.Is() | ast.IsNot()]):
                return v in self.context.caught
            case _:
                return False

    def iterable(self, e: ast.expr) -> ast.expr:
        """The arguments of a range become atoms or lengths; other iterables stay whole."""
        match e:
            case ast.Call() if is_range(e):
                return replace(e, args=[self.bound(a) for a in e.args])
            case _:
                return e

    def bound(self, e: ast.expr) -> ast.expr:
        match e:
            case ast.Call(func=ast.Name(id=identifier), args=args) if (
                identifier.rstrip("_") in ("range", "len", "min") and not e.keywords
            ):
                return replace(e, args=[self.bound(a) for a in args])
            case _ if _is_arithmetic(e):
                return e
            case _:
                return self.atom(e)

    def assign(self, target: str, value: ast.expr) -> None:
        like = self.like
        match value:
            case ast.IfExp(test=test, body=body, orelse=orelse):
                branch = self.condition(test)
                then, other = self.branch(target, body), self.branch(target, orelse)
                self.emit(at(ast.If(name(branch), then, other), like))
            case ast.BoolOp(op=op, values=values) if not _is_condition(value) or self.opens(value):
                self.assign(target, values[0])
                rest = values[1] if len(values) == 2 else ast.BoolOp(op, values[1:])
                held = name(target)
                test = held if isinstance(op, ast.And) else ast.UnaryOp(ast.Not(), held)
                branch = self.condition(test)
                self.emit(at(ast.If(name(branch), self.branch(target, rest), []), like))
            case _:
                self.emit(assign(target, self.operation(value), like))

    def branch(self, target: str, value: ast.expr) -> list[ast.stmt]:
        outer, self.emitted = self.emitted, []
        self.assign(target, value)
        done, self.emitted = self.emitted, outer
        return done

    def condition(self, test: ast.expr) -> str:
        branch = self.context.names.numbered("branch")
        if is_opaque_expression(test) and not self.opens(test):
            self.emit(assign(branch, test, self.like))
        else:
            self.assign(branch, test)
        return branch

    def atom(self, e: ast.expr) -> ast.expr:
        """The expression as a name or constant, after the statements that compute it."""
        if is_atom(e):
            return self.kept(e)
        if isinstance(e, ast.IfExp | ast.BoolOp):
            target = self.context.names.numbered("t")
            self.assign(target, e)
        else:
            operation = self.operation(e)
            target = self.context.names.numbered("t")
            self.emit(assign(target, operation, self.like))
        return ast.copy_location(name(target), e)

    def kept(self, e: ast.expr) -> ast.expr:
        """A variable that a call in the same statement may rebind, as it is now."""
        if not isinstance(e, ast.Name) or e.id not in self.rebound:
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
                raise self.context.refuse(e, f"'{type(e).__name__}'", "this expression has no derivative")

    def opens(self, e: ast.expr) -> bool:
        """Whether calls inside a condition are taken out of it, because they may change something."""
        kinds = ast.Compare | ast.BoolOp | ast.JoinedStr | ast.UnaryOp
        if not isinstance(e, kinds) or not is_opaque_expression(e):
            return False
        if not self.context.memory:
            return self.calls_writer(e)
        return any(
            isinstance(n, ast.Call | ast.Attribute | ast.Subscript) and not self.is_static_path(n) for n in ast.walk(e)
        )

    def calls_writer(self, e: ast.expr) -> bool:
        """Whether a nested function is called that changes variables around it."""
        writers = {v for v, g in self.context.lifted.items() if g.rebound or g.writes}
        return bool(writers) and any(isinstance(n, ast.Name) and n.id in writers for n in ast.walk(e))

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

    def tested_loop(self, s: ast.While) -> None:
        """`while f(): ...` as a loop over a variable that is computed again at its end."""
        flag = self.condition(s.test)
        body = self.block(s.body)
        again = self.branch(flag, s.test)
        match body:
            case [*start, ast.If(test=stop, body=[ast.Break()]) as last]:
                body = [*start, at(ast.If(stop, [], again), s), last]
            case _:
                body = [*body, *again]
        self.emit(replace(s, test=name(flag), body=body))

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
        keywords = [replace(k, value=self.atom(_sole(k.value) if k.arg == "out" else k.value)) for k in e.keywords]
        flat = replace(e, func=func, args=args, keywords=keywords)
        if (made := self.named_tuple(flat)) is not None:
            return made
        if any(isinstance(a, ast.Starred) for a in args) or any(k.arg is None for k in keywords):
            return flat
        written = self.writers.rewritten(flat, self.like)
        return flat if written is None else written

    def named_tuple(self, e: ast.Call) -> ast.expr | None:
        """`Pair(a, b)` of a named tuple, and `pair._replace(a=c)`, as functions that have derivatives."""
        found = self.context.scope.resolve(e.func)
        if any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords):
            return None
        if found is MISSING:
            match e.func:
                case ast.Attribute(value=ast.Name() as owner, attr="_replace") if not e.args and e.keywords:
                    *first, last = e.keywords
                    held: ast.expr = owner
                    for k in first:
                        held = self.atom(self.with_field(held, k))
                    return self.with_field(held, last)
            return None
        if not (isinstance(found, type) and issubclass(found, tuple) and hasattr(found, "_field_defaults")):
            return None
        try:
            given = inspect.signature(found.__new__).bind(found, *e.args, **{k.arg or "": k.value for k in e.keywords})
        except TypeError:
            return None
        parts: list[ast.expr] = []
        for field in found._fields:  # type: ignore[attr-defined]
            value = given.arguments.get(field, found._field_defaults.get(field))
            known = isinstance(value, ast.expr)
            parts.append(value if known else name(self.context.use(f"default_{field}", value)))
        return ast.copy_location(ast.Call(name(self.context.use("tuple_of", tuple_of)), [e.func, *parts], []), e)

    def with_field(self, owner: ast.expr, k: ast.keyword) -> ast.expr:
        function = self.context.use("replace_field", replace_field)
        return ast.Call(name(function), [owner, ast.Constant(k.arg), k.value], [])

    def arguments(self, e: ast.Call) -> list[ast.expr]:
        """The arguments as atoms; a starred one of a ufunc is taken apart, since its arity is known."""
        found = self.context.scope.resolve(e.func)
        match e.args:
            case [*first, ast.Starred(value=value)] if isinstance(found, np.ufunc) and len(first) < found.nin:
                held = [self.element(a) for a in first]
                source = self.atom(value)
                parts = [self.context.names.numbered("t") for _ in range(found.nin - len(first))]
                slots = ast.Tuple([ast.Name(p, ast.Store()) for p in parts], ast.Store())
                self.emit(at(ast.Assign([slots], source), self.like))
                return [*held, *(name(p) for p in parts)]
            case [_, *_] as args if any(isinstance(a, ast.Starred) for a in args[:-1]) and (
                found is MISSING or not is_library(found)
            ):
                packed = self.atom(ast.List(list(args), ast.Load()))
                return [ast.Starred(packed, ast.Load())]
            case args:
                return [self.element(a) for a in args]

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
            case ast.Tuple(elts=elts):
                return replace(e, elts=[self.index(x) for x in elts])
            case ast.Slice(lower=lower, upper=upper, step=step):
                parts = [self.index(x) if x is not None else None for x in (lower, upper, step)]
                return replace(e, lower=parts[0], upper=parts[1], step=parts[2])
            case _ if is_literal(e) or _is_arithmetic(e):
                return e
            case _:
                return self.atom(e)


def _is_known_object(found: object) -> bool:
    return found is not MISSING and is_object(found)


def _sole(e: ast.expr) -> ast.expr:
    """`out=(a,)` is `out=a`."""
    return e.elts[0] if isinstance(e, ast.Tuple) and len(e.elts) == 1 else e


def _assigns(s: ast.If, v: str) -> bool:
    """Whether a branch changes the variable that it tests: then the test needs a name that lasts."""
    return v in assigned_inside([*s.body, *s.orelse])


FLATTENED_METHODS = frozenset("fill sort partition put __setitem__ extend insert update".split())
IN_PLACE = (ast.Add, ast.Sub, ast.Mult, ast.Div)


def _calls_user(e: ast.expr, context: Context) -> bool:
    """Whether evaluating an expression runs code that might write into what is read before it."""
    for n in ast.walk(e):
        if isinstance(n, ast.Call):
            found = context.scope.resolve(n.func)
            if found is MISSING or not is_library(found):
                return True
    return False


def _is_arithmetic(e: ast.expr) -> bool:
    match e:
        case ast.Name() | ast.Constant():
            return True
        case ast.BinOp(left=left, right=right):
            return _is_arithmetic(left) and _is_arithmetic(right)
        case ast.UnaryOp(operand=operand):
            return _is_arithmetic(operand)
        case _:
            return False


def _is_condition(e: ast.expr) -> bool:
    """Whether `and`, `or`, `not` and comparisons make up the whole expression, so that its value is a truth value."""
    match e:
        case ast.BoolOp(values=values):
            return all(_is_condition(v) for v in values)
        case ast.UnaryOp(op=ast.Not()) | ast.Compare():
            return True
        case ast.Constant(value=bool()):
            return True
        case _:
            return False
