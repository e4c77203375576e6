"""Parameters that are taken for numbers, or for what holds numbers and nothing else (a tuple, a vector, a dict).

`x += v` binds a number anew, where of an array it changes what others hold; and adjoints of numbers are numbers, where
those of arrays are summed to their shapes.

Which they are is guessed, from annotations and from what the function does with them; arguments of another kind have
a derivative of their own, which presumes nothing.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

from tangent.analysis.operation import Operation
from tangent.analysis.passed import is_own
from tangent.analysis.shapes.facts import SCALAR, UNKNOWN, Fact
from tangent.source.signatures import own_signature
from tangent.syntax.rebuild import rebuild, statements
from tangent.syntax.uses import expression_reads, header_reads, writes
from tangent.syntax.walk import walk
from tangent.transform.calls import argument_values
from tangent.transform.unit import Unit

Read = Callable[[types.FunctionType], Unit]
Facts = frozenset[tuple[str, Fact]]
Numbers = tuple[tuple[Any, frozenset[str], Facts], ...]  # by function: variables that are numbers; its parameters
# By parameter: `number`, `items` for a list, tuple or vector of numbers, `fields` for a dict, `attributes a b` for an
# object of which these are numbers.
Presumed = dict[str, str]
ITEMS = Fact(numbers=True)
KINDS = {"": UNKNOWN, "number": SCALAR, "items": ITEMS, "fields": ITEMS, "attributes": ITEMS}
ROUNDS = 50
OF_SEQUENCES = frozenset("fsum prod dist sumprod".split())  # in `math`
OF_NUMBERS = frozenset(f"builtin_{f}" for f in "float abs max min sum round pow".split())


def annotated_numbers(function: types.FunctionType) -> Presumed:
    """The parameters that a function says are numbers; of a derivative, what it takes its parameters for."""
    said = {p: "number" for p, kind in function.__annotations__.items() if kind in (float, int, "float", "int")}
    return {p: kind for p, kind in (said | getattr(function, "numbers", {})).items() if p != "return"}


def required_numbers(function: types.FunctionType, read: Read) -> Presumed:
    """The parameters that have to be numbers, or to hold some: what is made of them is given to `math`, or compared."""
    found = _required(function, read, {})
    return {p: kind for p, kind in number_like(function, read).items() if p in found} if found else {}


def _required(function: types.FunctionType, read: Read, known: dict[Any, set[str]]) -> set[str]:
    """The variables of a function for which an array, of more than one element, will not do."""
    if function in known:
        return known[function]
    found = known[function] = set()
    this = read(function)
    tests = [s.test for s in statements(this.core.body) if isinstance(s, (ast.If, ast.While))]
    tested = {v for test in tests for v in expression_reads(test)}
    found.update(*(expression_reads(n) for test in tests for n in walk(test) if _compares(n)))
    made: list[tuple[str, tuple[str, ...]]] = []
    for op in this.operations.values():
        match op.value:
            case ast.Compare() if tested.intersection(op.targets) and _compares(op.value):
                found |= expression_reads(op.value)
            case ast.Call(func=func, args=args) if _takes_numbers(this.context.scope.resolve(func)):
                found |= {e.id for e in args if isinstance(e, ast.Name)}
            case ast.Call() if op.kind == "call" and is_own(op.callee):
                inner = _required(op.callee, read, known)
                values = argument_values(this, op.value, op.callee) or {}
                found |= {v.id for p, v in values.items() if p in inner and isinstance(v, ast.Name)}
            case _ if op.kind == "rule" and op.rule.name in ("builtin_max_of_two", "builtin_max_of_several"):
                found |= {*op.operands}
        if op.kind == "copy" or (op.kind == "rule" and op.rule.kind == "elementwise"):
            made.append((op.targets[0], op.operands))
        elif (whole := _whole(op)) is not None:
            made += [(target, (whole,)) for target in op.targets]
    while new := {v for target, operands in made if target in found for v in operands} - found:
        found |= new
    return found


def _compares(node: ast.AST) -> bool:
    """Whether two values are compared by their order; texts are none of these."""
    match node:
        case ast.Compare(ops=[ast.Lt() | ast.LtE() | ast.Gt() | ast.GtE()], left=left, comparators=[right]):
            return not any(isinstance(e, ast.Constant) and isinstance(e.value, str) for e in (left, right))
        case _:
            return False


def _takes_numbers(found: Any) -> bool:
    """Whether a function takes numbers, and nothing else."""
    of_math = isinstance(found, types.BuiltinFunctionType) and found.__module__ == "math"
    return found is float or found is int or (of_math and found.__name__ not in OF_SEQUENCES)


def number_like(function: types.FunctionType, read: Read) -> Presumed:
    """The parameters that a function uses as it can use numbers, or what holds numbers, without another default."""
    plain = [
        p.name
        for p in own_signature(function).parameters.values()
        if p.kind not in (p.VAR_POSITIONAL, p.VAR_KEYWORD) and (p.default is p.empty or type(p.default) in (float, int))
    ]
    others = _otherwise(function, read, {})
    this = read(function)
    holders = {p: kind for p in plain if (kind := _holder(p, others, this))}
    return {p: "number" for p in plain if p not in others} | holders


def _holder(p: str, others: set[str], this: Unit) -> str:
    """What a variable is that only items are read of, which may be numbers; nothing, if it is something else."""
    ways: set[str] = set()
    for s in statements(this.core.body):
        if p not in header_reads(s) and p not in writes(s):
            continue
        op = this.operations.get(s)
        if isinstance(s, ast.For) and p not in expression_reads(rebuild(s.iter, lambda e: _unmeasured(e, p))):
            continue
        looped = op is not None and op.kind == "rule" and op.rule.name == "sequence"
        if op is not None and (op.callee is len or (looped and p in op.targets)):
            continue
        if op is None or p in writes(s) or _whole(op) != p:
            return ""
        if looped and _holder(op.targets[0], others, this) != "items":
            return ""
        if not looped and not _copies(op) and not others.isdisjoint(op.targets):
            return ""
        ways.add(_way(op))
    named = {w for w in ways if w.startswith("attributes")}
    if named and named == ways:
        return " ".join(("attributes", *sorted(w.split()[1] for w in named)))
    return ways.pop() if len(ways) == 1 else ""


def _copies(op: Operation) -> bool:
    return op.kind == "rule" and bool(op.rule.name == "builtin_list")


def _way(op: Operation) -> str:
    """How an item is read, with its name if it is an attribute."""
    match op.values if op.kind == "rule" else {}:
        case {"name": ast.Constant(value=str(attr))}:
            return f"attributes {attr}"
        case {"index": ast.Constant(value=str())}:
            return "fields"
        case _:
            return "items"


def _unmeasured(e: ast.expr, p: str) -> ast.expr:
    """Something else for `len(p)`."""
    match e:
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=v)]) if v == p:
            return ast.Constant(0)
        case _:
            return e


def _whole(op: Operation) -> str | None:
    """What a statement reads items of, and nothing else: `a, b = p`, `p[i]`, `p["a"]`, `p.a`, `sequence(p)`."""
    if op.kind == "unpack":
        return op.operands[0] if len(op.operands) == 1 else None
    if op.kind != "rule" or op.rule.name not in ("getitem", "attribute", "get_attribute", "sequence", "builtin_list"):
        return None
    x, index = next(iter(op.values.values())), op.values.get("index")
    return x.id if isinstance(x, ast.Name) and x.id not in expression_reads(index) else None


def _otherwise(function: types.FunctionType, read: Read, known: dict[Any, set[str]]) -> set[str]:
    """The variables of a function that are used as only arrays, containers and functions are."""
    if function in known:
        return known[function]
    known[function] = set()
    this = read(function)
    found: set[str] = set()
    for s in this.core.body:
        for node in walk(s):
            found |= _used_otherwise(node)
    for op in this.operations.values():
        if op.kind == "call" and is_own(op.callee) and isinstance(op.value, ast.Call):
            inner = _otherwise(op.callee, read, known)
            values = argument_values(this, op.value, op.callee) or {}
            found |= {v.id for p, v in values.items() if p in inner and isinstance(v, ast.Name)}
        elif op.kind == "rule" and op.rule.kind != "elementwise" and op.rule.name not in OF_NUMBERS:
            found |= {*op.operands} if _of_library(op.value, this) else set()
        elif op.kind in ("unpack", "pop", "dynamic", "closure", "opaque"):
            found |= {*op.operands}
    copies = [(op.targets[0], op.operands[0]) for op in this.operations.values() if op.kind == "copy"]
    while new := {source for target, source in copies if target in found} - found:
        found |= new
    known[function] = found
    return found


def _of_library(e: ast.expr | None, this: Unit) -> bool:
    """Whether a call is of a function or method of a library, not of one of Tangent's own, which takes anything."""
    if not isinstance(e, ast.Call):
        return False
    found = this.context.scope.resolve(e.func)
    return not (getattr(found, "__module__", None) or "").startswith("tangent.")


def _used_otherwise(node: ast.AST) -> set[str]:
    match node:
        case ast.Subscript(value=ast.Name(id=v)) | ast.Attribute(value=ast.Name(id=v)) | ast.Starred(ast.Name(id=v)):
            return {v}
        case ast.BinOp(op=ast.MatMult(), left=left, right=right):
            return {e.id for e in (left, right) if isinstance(e, ast.Name)}
        case ast.For(iter=ast.Name(id=v)) | ast.Call(func=ast.Name(id=v)):
            return {v}
        case ast.Call(func=ast.Name(id="len"), args=[ast.Name(id=v)]):
            return {v}
        case _:
            return set()
