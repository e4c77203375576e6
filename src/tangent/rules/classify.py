"""What each statement of a Core function does: which rule, which callee, through which operands derivatives flow."""

from __future__ import annotations

import ast
import functools
import types
from collections.abc import Mapping, Sequence
from dataclasses import replace as changed
from typing import Any

import numpy as np

from tangent.analysis.effects import operators_in_place
from tangent.analysis.operation import Operation, OperationKind, Operations
from tangent.errors import Location, RuleError
from tangent.normalise.context import Context
from tangent.normalise.writers import is_adding_at
from tangent.rules.bind import bind
from tangent.rules.forms import OWN_DTYPE, is_inexact, method_form, plain_form, without_sizes
from tangent.rules.growing import growing_lists
from tangent.rules.notation import Binding
from tangent.rules.table import Bound, Table
from tangent.runtime.checks import has_own_operations
from tangent.runtime.dispatch import pop_grad
from tangent.runtime.objects import MEMBERS, is_numeric_method
from tangent.runtime.storage.items import put_item_back, restore_item
from tangent.runtime.storage.sums import add_at, add_into
from tangent.runtime.writers import WRITING_METHODS
from tangent.source.makers import maker
from tangent.source.read import unwrapped
from tangent.source.resolve import MISSING, is_stencil, is_vectorized
from tangent.syntax.blocks import Enter
from tangent.syntax.cells import cell, is_table_of_constants
from tangent.syntax.core import is_literal, is_path, is_range
from tangent.syntax.inserted import Insertion, root
from tangent.syntax.quote import name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import expression_reads, target_names, writes

OF_DEFINITIONS = frozenset("__name__ __qualname__ __module__ __doc__".split())  # what a definition says
IMMUTABLE = (bool, int, float, complex, str, bytes, np.generic, types.NoneType)  # as globals they share nothing


def classify(f: ast.FunctionDef, context: Context, table: Table) -> Operations:
    """The operation of every assignment, and of every push onto a stack."""
    reader = _Reader(context, table, growing_lists(f, context), _paths(f))
    in_place = operators_in_place(f, context.augmented)
    found: Operations = {}
    for s in statements(f.body):
        op = reader.statement(s)
        if op is not None:
            found[s] = changed(op, in_place=True) if s in in_place else op
    return found


def classified(s: ast.stmt, context: Context, table: Table) -> Operation | None:
    """The operation of one statement that was made after the others."""
    return _Reader(context, table, {}, {}).statement(s)


class _Reader:
    def __init__(
        self, context: Context, table: Table, stack_names: dict[str, bool], paths: dict[str, ast.expr]
    ) -> None:
        self.context, self.table, self.stacks, self.paths = context, table, stack_names, paths

    def statement(self, s: ast.stmt) -> Operation | None:
        match s:
            case ast.Assign(targets=[ast.Name(id=target)], value=value):
                return self.assignment(target, value, s)
            case ast.Assign(targets=[ast.Tuple() as slots], value=ast.Name(id=source)):
                return Operation("unpack", tuple(target_names(slots)), (source,), s.value)
            case ast.Assign(targets=[ast.Tuple() as slots], value=value):
                return Operation("constant", tuple(target_names(slots)), (), value)
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="append"), args=[item])) if (
                v in self.stacks
            ):
                operands = (item.id,) if isinstance(item, ast.Name) else ()
                return Operation("push", (v,), operands, item, why="read" if self.stacks[v] else "")
            case Insertion(places=places):
                return Operation("insert", (), tuple(dict.fromkeys(root(p) for p in places)))
            case ast.Assign(targets=[ast.Subscript() | ast.Attribute() as place], value=value):
                return self.store("store", place, value)
            case ast.AugAssign(target=ast.Subscript() | ast.Attribute() as place, value=value, op=op):
                return self.store("augment", place, value, type(op).__name__)
            case ast.AugAssign(target=ast.Name(id=v), value=value, op=op):
                return Operation("augment", (v,), _names([value, name(v)]), value, values={"value": value},
                                 why=type(op).__name__)  # fmt: skip
            case ast.Expr(value=ast.Call(func=func, args=[ast.Name(id=v) as owner, index, value], keywords=[])) if (
                self.is_local(v) and (added := self.adds_at(func))
            ):
                return Operation("augment", (v,), _names([value, owner]), value,
                                 values={"index": index, "value": value}, why=added)  # fmt: skip
            case ast.Expr(
                value=ast.Call(func=func, args=[ast.Subscript(value=ast.Name(id=v) as owner, slice=first), value])
            ) if self.is_local(v) and self.context.scope.resolve(func) is add_into:
                whole = cell(first, ast.Slice(None, None, None))
                return Operation("augment", (v,), _names([value, owner]), value,
                                 values={"index": whole, "value": value}, why="into Add")  # fmt: skip
            case ast.Expr(value=ast.Call(func=func, args=[ast.Name(id=v) as owner, value], keywords=[])) if (
                self.is_local(v) and self.context.scope.resolve(func) is add_into
            ):
                return Operation("augment", (v,), _names([value, owner]), value, values={"value": value},
                                 why="into Add")  # fmt: skip
            case ast.Expr(value=ast.Call(func=func, args=[ast.Name(id=v) as owner, index, value], keywords=[])) if (
                self.is_local(v) and self.context.scope.resolve(func) in (put_item_back, restore_item)
            ):
                return Operation("store", (v,), _names([value, owner]), value,
                                 values={"index": index, "value": value}, why="back")  # fmt: skip
            case ast.FunctionDef(name=target):
                return Operation("closure", (target,), tuple(v for v in self.captured(s) if v != target))
            case ast.For(target=ast.Name(id=target), iter=iter) if not is_range(iter):
                return Operation("opaque", (target,), tuple(sorted(expression_reads(iter))), iter, why="iterator")
            case Enter(value=ast.expr() as value, target=ast.Name(id=target)):
                return Operation("opaque", (target,), self.opaque(value, "").operands, value, why="with")
            case ast.With() | ast.Try() | ast.Match() | ast.ClassDef() | ast.AsyncFor() | ast.AsyncWith():
                reads = tuple(sorted(v for v in expression_reads(s) if self.is_local(v)))
                return Operation("opaque", tuple(writes(s)), reads, why=type(s).__name__.lower())
            case _:
                return None

    def store(self, kind: OperationKind, place: ast.Subscript | ast.Attribute, value: ast.expr, why: str = "") -> (
        Operation | None
    ):  # fmt: skip
        """A write into an item or attribute of a local variable; others have no adjoint."""
        key = place.slice if isinstance(place, ast.Subscript) else ast.Constant(place.attr)
        owner = place.value
        match place:
            case ast.Subscript(value=ast.Subscript(value=ast.Name() as owner, slice=first)):
                key = cell(first, key)
        if not isinstance(owner, ast.Name) or not self.is_local(owner.id):
            return None
        part = "index" if isinstance(place, ast.Subscript) else "attribute"
        operands = _names([value, owner])
        return Operation(kind, (owner.id,), operands, value, values={part: key, "value": value}, why=why)

    def adds_at(self, func: ast.expr) -> str:
        """Whether a call adds at indices, every time that they name an element."""
        found = self.context.scope.resolve(func)
        if found is add_at:
            return "at Add"
        return {"add": "at Add", "subtract": "at Sub"}[found.__self__.__name__] if is_adding_at(found) else ""

    def assignment(self, target: str, value: ast.expr, s: ast.stmt) -> Operation:
        op = self.operation(value, s)
        if op.kind == "closure":  # a function that calls itself finds itself where it runs
            op = Operation("closure", (), tuple(v for v in op.operands if v != target))
        if target not in self.context.scope.local:
            return Operation("opaque", (target,), op.operands, value, why="global")
        return Operation(
            op.kind, (target,), op.operands, value, op.rule, op.values, op.callee, op.library, op.why
        )  # fmt: skip

    def operation(self, e: ast.expr, s: ast.stmt) -> Operation:
        match e:
            case ast.Name(id=v):
                return Operation("copy", (), (v,)) if self.is_local(v) else Operation("constant", ())
            case _ if is_literal(e):
                return Operation("constant", ())
            case ast.BinOp(op=op, left=left, right=right):
                return self.binary(op, left, right, e, s)
            case ast.UnaryOp(op=ast.Not() | ast.Invert()):
                return Operation("zero", ())
            case ast.UnaryOp(op=op, operand=operand):
                return self.by_rule(self.operator(op), [operand], [], e, s)
            case ast.Compare() | ast.JoinedStr() | ast.BoolOp():
                return Operation("zero", ())
            case ast.Attribute(value=value, attr=attr):
                return self.attribute(value, attr, e, s)
            case ast.Subscript(value=value, slice=index):
                return self.subscript(value, index, e, s)
            case ast.Tuple(elts=elts) | ast.List(elts=elts):
                return Operation("pack", (), _names(elts))
            case ast.Dict(keys=keys, values=values):
                return Operation("pack", (), _names([*values, *(k for k in keys if k is not None)]))
            case ast.Call():
                return self.call(e, s)
            case ast.Lambda():
                return Operation("closure", (), self.captured(e))
            case ast.ListComp() if is_table_of_constants(e):
                return Operation("pack", ())
            case _:
                return self.opaque(e, "")

    def is_local(self, v: str) -> bool:
        return self.context.scope.lookup(v) is MISSING

    def captured(self, node: ast.AST) -> tuple[str, ...]:
        """The local variables that a nested function reads."""
        return tuple(sorted(v for v in expression_reads(node) if self.is_local(v)))

    def opaque(self, e: ast.expr, why: str) -> Operation:
        reads = tuple(sorted(v for v in expression_reads(e) if self.is_local(v)))
        return Operation("opaque", (), reads, why=why)

    def operator(self, op: ast.AST) -> list[Bound]:
        rule = self.table.operator(op)
        return [Bound(rule.name)] if rule else []

    def binary(self, op: ast.operator, left: ast.expr, right: ast.expr, e: ast.expr, s: ast.stmt) -> Operation:
        if isinstance(op, ast.Pow) and (rule := _whole_power(right)):
            return self.by_rule([Bound(rule)], [left, right], [], e, s)
        if isinstance(op, ast.Div) and isinstance(left, ast.Constant) and left.value == 1:
            return self.by_rule([Bound("reciprocal")], [right], [], e, s)
        if isinstance(op, ast.BitOr):  # of numbers, bit by bit; of dicts, their union
            return self.by_rule([Bound("either")], [left, right], [], e, s)
        if isinstance(op, (ast.FloorDiv, ast.BitAnd, ast.BitXor, ast.LShift, ast.RShift)):
            return Operation("zero", ())
        if isinstance(left, ast.Constant) and isinstance(left.value, str):
            return Operation("zero", ())
        return self.by_rule(self.operator(op), [left, right], [], e, s)

    def attribute(self, value: ast.expr, attr: str, e: ast.expr, s: ast.stmt) -> Operation:
        if is_path(e) and not (isinstance(value, ast.Name) and self.is_local(value.id)):
            self.context.scope.resolve(e)
            return Operation("constant", ())
        if attr in self.table.zero_attributes or attr in OF_DEFINITIONS:
            return Operation("zero", ())
        rule = self.table.attribute(attr)
        if rule:
            return self.by_rule([Bound(rule.name)], [value], [], e, s)
        return self.by_rule([Bound("attribute")], [value, ast.Constant(attr)], [], e, s)

    def subscript(self, value: ast.expr, index: ast.expr, e: ast.expr, s: ast.stmt) -> Operation:
        match value:
            case ast.Subscript(value=ast.Name() as owner, slice=first):
                value, index = owner, cell(first, index)
        if not isinstance(value, ast.Name) or not self.is_local(value.id):
            return Operation("constant", ())
        rule = self.table.rules["getitem"]
        values = {"x": value, "index": index}
        return Operation("rule", (), (value.id,), rule=rule, values=values)

    def by_rule(
        self, bounds: Sequence[Bound], args: list[ast.expr], keywords: list[ast.keyword], e: ast.expr, s: ast.stmt,
        library: str = "numpy",
    ) -> Operation:  # fmt: skip
        where = self.context.source.locate(e if hasattr(e, "lineno") else s)
        binding = self.fit(bounds, args, keywords, where, ast.unparse(e.func) if isinstance(e, ast.Call) else "")
        if not isinstance(binding, RuleError):
            binding = self.other_array(binding, e, where) or binding
        if isinstance(binding, RuleError):
            reads = tuple(sorted(v for v in expression_reads(e) if self.is_local(v)))
            return Operation("opaque", (), reads, callee=binding, why="call form")
        if binding.rule.name in OWN_DTYPE and self.is_exact(binding.values.get("dtype")) and _copies(binding.values):
            return Operation("zero", ())
        operands = [n for k, v in binding.values.items() if k in binding.rule.operands for n in _operand_names(v)]
        return Operation("rule", (), tuple(dict.fromkeys(operands)), rule=binding.rule, values=binding.values,
                         library=library)  # fmt: skip

    def other_array(self, binding: Binding, e: ast.expr, where: Location) -> RuleError | None:
        """Why a rule does not hold for an array from outside: its class says itself what its operations mean."""
        for x in binding.values.values():
            if isinstance(x, ast.Name) and not self.is_local(x.id):
                found = self.context.scope.lookup(x.id)
                if isinstance(found, np.ndarray) and has_own_operations(found):
                    return RuleError(
                        f"cannot differentiate '{ast.unparse(e)}'", where,
                        f"'{x.id}' is a {type(found).__name__}, whose operations are not those of arrays",
                        f"Use np.asarray({x.id}).",
                    )  # fmt: skip
        return None

    def is_exact(self, dtype: ast.expr | None) -> bool:
        """Whether a call asks for integers or truth values, through which nothing flows."""
        dtype = self.paths.get(dtype.id, dtype) if isinstance(dtype, ast.Name) else dtype
        if dtype is None or not (isinstance(dtype, ast.Constant) or is_path(dtype)):
            return False
        found = dtype.value if isinstance(dtype, ast.Constant) else self.context.scope.resolve(dtype)
        return not is_inexact(found) and isinstance(found, (type, str, np.dtype)) and np.dtype(found).kind in "biu"

    def fit(
        self, bounds: Sequence[Bound], args: list[ast.expr], keywords: list[ast.keyword], where: Location, shown: str
    ) -> Binding | RuleError:
        """The first rule that the call fits; a call that fits none is only an error if it is active."""
        error: RuleError | None = None
        for bound in bounds:
            renamed = [ast.keyword(bound.renames.get(k.arg or "", k.arg), k.value) for k in keywords]
            given = {k.arg for k in renamed}
            names = [p.name for p in self.table.rules[bound.rule].parameters][: len(args)]
            extra = [ast.keyword(k, v) for k, v in bound.defaults.items() if k not in given and k not in names]
            try:
                return bind(self.table.rules[bound.rule], args, [*renamed, *extra], where, shown)
            except RuleError as e:
                error = e
        return error or RuleError("cannot differentiate this operator", where, "it has no rule", "Call a function that has one.")

    def depends_on_count(self, bounds: Sequence[Bound]) -> bool:
        """Whether a function takes one argument for a sequence, and several for its items."""
        rules = [self.table.rules[b.rule] for b in bounds]
        return len(rules) > 1 and any(r.parameters[0].star for r in rules)

    def call(self, e: ast.Call, s: ast.stmt) -> Operation:
        func = e.func
        if isinstance(func, ast.Attribute) and isinstance(func.value, ast.Name) and self.is_local(func.value.id):
            return self.method(func.value, func.attr, e, s)
        if isinstance(func, ast.Attribute) and not is_path(func):
            return self.method(func.value, func.attr, e, s)
        found = self.context.scope.resolve(func)
        if found is MISSING:
            return self.dynamic(e)
        return self.function(found, e, s)

    def dynamic(self, e: ast.Call) -> Operation:
        args = [a.value if isinstance(a, ast.Starred) else a for a in e.args] + [k.value for k in e.keywords]
        callee = [e.func] if isinstance(e.func, ast.Name) and self.is_local(e.func.id) else []
        return Operation("dynamic", (), _names([*callee, *args]))

    def function(self, found: Any, e: ast.Call, s: ast.stmt) -> Operation:
        found = found if is_vectorized(found) else unwrapped(found)
        over = any(k.arg not in ("shape", "dtype", "order") for k in e.keywords)
        if found is np.ndarray and (len(e.args) > 2 or over):  # over a buffer, whose numbers it has
            return self.opaque(e, "no rule")
        if found is type and len(e.args) != 1:  # a class, whose methods may capture variables
            return Operation("opaque", (), _names(e.args), callee=type, why="no rule")
        if isinstance(found, types.MethodDescriptorType) and found.__objclass__ is np.ndarray and e.args:
            if isinstance(e.args[0], ast.Starred):
                return self.dynamic(e)
            return self.method(e.args[0], found.__name__, replace(e, args=e.args[1:]), s)
        if self.table.is_zero(found):
            return Operation("zero", (), callee=found)
        bounds = self.table.lookup(found)
        written = self.table.written_out(found)
        if e.args and isinstance(e.args[-1], ast.Starred) and self.depends_on_count(bounds):
            return self.dynamic(e)
        if bounds:
            module = getattr(found, "__module__", "")
            library = bounds[0].library or (module if module in ("math", "cmath") else "numpy")
            op = self.by_rule(bounds, *plain_form(found, e.args, e.keywords), e, s, library)
            if written is None or op.kind == "rule":
                return self.dynamic(e) if op.kind == "opaque" and _is_spread(e) else op
        args = [a.value if isinstance(a, ast.Starred) else a for a in e.args] + [k.value for k in e.keywords]
        if found is pop_grad and isinstance(e.args[0], ast.Name) and e.args[0].id in self.stacks:
            return Operation("pop", (), (e.args[0].id,), why="read" if self.stacks[e.args[0].id] else "")
        if getattr(found, "makes_derivatives", False):
            return Operation("copy", (), _names(args[:1]))
        if written is None and isinstance(found, type):
            written = maker(found)
        if written is not None:
            plain = getattr(written, "plain", None)
            return Operation("call", (), _names(args), callee=plain if plain and _takes(plain, e) else written)
        if _is_wrapper(found) or is_vectorized(found) or is_stencil(found):
            return Operation("opaque", (), _names(args), callee=found, why="no rule")
        if isinstance(found, types.FunctionType):
            given = tuple(v for v in _names(args) if not isinstance(self.context.scope.lookup(v), IMMUTABLE))
            shared = tuple(v for v in self.context.scope.shared(found).values() if v not in given)
            return Operation("call", (), (*given, *shared), callee=found)
        if isinstance(found, (types.MethodType, functools.partial)) or is_numeric_method(found) or isinstance(
            getattr(type(found), "__call__", None), types.FunctionType
        ):
            return Operation("dynamic", (), _names(args))
        return Operation("opaque", (), _names(without_sizes(found, e)), callee=found, why="no rule")

    def method(self, owner: ast.expr, attr: str, e: ast.Call, s: ast.stmt) -> Operation:
        if isinstance(owner, ast.Name) and owner.id in self.stacks and attr == "pop" and not e.args:
            return Operation("pop", (), (owner.id,), why="read" if self.stacks[owner.id] else "")
        told = isinstance(owner, ast.Constant) and isinstance(owner.value, str)  # text of a value, which is constant
        if told or attr in self.table.zero_methods:
            return Operation("zero", ())
        bounds = self.table.methods.get(attr)
        shaped = attr == "reshape" and not e.keywords  # it takes so many numbers for one shape
        if bounds and (shaped or not _is_spread(e) or not isinstance(owner, ast.Name)):
            args, keywords = method_form(attr, owner, e.args, e.keywords)
            op = self.by_rule(bounds, args, keywords, e, s)
            if op.kind == "rule" or not self.context.overloads(MEMBERS):
                return op
        args = [a.value if isinstance(a, ast.Starred) else a for a in e.args] + [k.value for k in e.keywords]
        kind: OperationKind = "opaque" if attr in WRITING_METHODS or not isinstance(owner, ast.Name) else "dynamic"
        return Operation(kind, (), _names([owner, *args]), why="method")


def _takes(function: types.FunctionType, e: ast.Call) -> bool:
    """Whether a function has parameters for all that a call gives."""
    code = function.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    return len(e.args) <= code.co_argcount and not _is_spread(e) and all(k.arg in names for k in e.keywords)


def _names(exprs: Sequence[ast.expr]) -> tuple[str, ...]:
    found = (e.value if isinstance(e, ast.Starred) else e for e in exprs)
    return tuple(dict.fromkeys(e.id for e in found if isinstance(e, ast.Name)))


def _paths(f: ast.FunctionDef) -> dict[str, ast.expr]:
    """The names that stand for one dotted name: `t = np.int32`."""
    found: dict[str, ast.expr] = {}
    several = {a.arg for a in ast.walk(f.args) if isinstance(a, ast.arg)}
    for s in statements(f.body):
        for v in writes(s):
            if v in found:
                several.add(v)
            match s:
                case ast.Assign(targets=[ast.Name()], value=ast.Attribute() as value) if is_path(value):
                    found[v] = value
                case _:
                    several.add(v)
    return {v: e for v, e in found.items() if v not in several}


def _copies(values: Mapping[str, ast.expr]) -> bool:
    """Whether a call that may be told not to copy does so."""
    copied = values.get("copy")
    return copied is None or (isinstance(copied, ast.Constant) and copied.value is True)


def _is_wrapper(found: Any) -> bool:
    """Whether a function of SciPy or NumPy is a wrapper of compiled code, or of memory: its text says nothing."""
    if found is np.lib.stride_tricks.as_strided:
        return True
    module = getattr(found, "__module__", None) or ""
    plain = ("scipy.linalg._misc", "scipy.linalg._special_matrices")
    compiled = module.startswith(("scipy.linalg.", "scipy.ndimage.")) and module not in plain
    return isinstance(found, types.FunctionType) and compiled


def _is_spread(e: ast.Call) -> bool:
    """Whether how many arguments a call has is known only when it happens."""
    return any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords)


def _operand_names(e: ast.expr) -> list[str]:
    match e:
        case ast.Name(id=v):
            return [v]
        case ast.Starred(value=value):
            return _operand_names(value)
        case ast.Tuple(elts=elts):
            return [n for x in elts for n in _operand_names(x)]
        case _:
            return []


def _whole_power(e: ast.expr) -> str:
    """The rule for a literal exponent that is a whole number, other than 0."""
    match e:
        case ast.Constant(value=int() | float() as n) if not isinstance(n, bool):
            return "power_integer" if n >= 1 and n == int(n) else ""
        case ast.UnaryOp(op=ast.USub(), operand=ast.Constant(value=int() | float() as n)):
            return "power_negative" if n == int(n) and n > 0 else ""
        case _:
            return ""

