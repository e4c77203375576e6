"""Branches that the types decide, in what is written for any type: Tangent's own kernels, differentiated again.

def left_part_jvp(b, x, y, *, db, dx, dy):              def left_part_jvp(b, x, y, *, db, dx, dy):
    if isinstance(x, list | tuple):                         return b[:2], db[:2]
        t = len(x)                                  ->
        out = b[:t]
        ...

Parameters of these kernels that every call leaves at their default are constants.
"""

from __future__ import annotations

import ast
import types
from collections import Counter
from collections.abc import Callable
from typing import Any

import numpy as np

from tangent import runtime
from tangent.optimise.typed.call_sites import handed_over, taken_over
from tangent.optimise.typed.infer import Inference
from tangent.optimise.typed.kinds import Items, Kind, Named, Number, Stack, is_named
from tangent.runtime.dispatch import is_foreign
from tangent.syntax.names import identifiers
from tangent.syntax.quote import constant
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import arguments, header_reads, writes
from tangent.transform.generated import Generated

Resolve = Callable[[ast.expr, Generated], Any]
Constants = dict[str, ast.expr]
ROUNDS = 12  # each decides what stands in the branches that the one before has decided
# Classes of which a kind tells whether its values belong to them.
CLASSES = (list, tuple, dict, np.ndarray, types.ModuleType, type)
# What a class may say of an attribute; of a named tuple the attributes are its items.
ATTRIBUTES = (
    runtime.is_held_alone, runtime.is_property, runtime.is_method, runtime.is_looked_up, runtime.is_numeric,
    runtime.is_field,
)  # fmt: skip


def decided(functions: list[Generated], given: list[Kind], resolve: Resolve) -> list[Generated]:
    """The functions of a module, changed in place, without those that nothing calls any more."""
    if not any(is_kernel(g) or _asks(g) for g in functions):
        return functions
    for _ in range(ROUNDS):
        found = Inference(functions, given, resolve)
        before = [g.tree for g in functions]
        for g in functions:
            _decide(g, found, functions)
        functions = _called(functions)
        if all(g.tree in before for g in functions):
            break
    return functions


def is_kernel(g: Generated) -> bool:
    """Whether a function is made from one of Tangent's own."""
    return (g.primal.__module__ or "").startswith("tangent.runtime.")


def _asks(g: Generated) -> bool:
    """Whether a function asks for the class of something: what is decided between numbers, arrays and named tuples."""
    return g.tree is not None and not identifiers(g.tree).isdisjoint(("isinstance", "has_member"))


def _called(functions: list[Generated]) -> list[Generated]:
    """Those that the entry reaches; nothing refers to the others any more."""
    found = [functions[0]]
    for g in found:
        assert g.tree is not None
        names = set().union(*(identifiers(s) for s in g.tree.body))
        g.externals = {v: e for v, e in g.externals.items() if not isinstance(e, Generated) or v in names}
        found += [e for e in g.externals.values() if isinstance(e, Generated) and e not in found]
    return [g for g in functions if g in found]


def _decide(g: Generated, found: Inference, functions: list[Generated]) -> None:
    assert g.tree is not None
    constants = _constants(g)
    if is_kernel(g):
        constants |= _parameters(g, functions) | _taken_over(g, functions)

    def change(e: ast.expr) -> ast.expr:
        match e:
            case ast.Name(id=v, ctx=ast.Load()) if v in constants:
                return constants[v]
            case _:
                return _folded(e, found, g)

    *body, last = g.tree.body
    body = _set_once(_pruned([*(rebuild(s, change) for s in body), _returned(last, change)]))
    if any(a is not b for a, b in zip(body, g.tree.body)) or len(body) != len(g.tree.body):
        g.tree = replace(g.tree, body=body)


def _returned(s: ast.stmt, change: Callable[[ast.expr], ast.expr]) -> ast.stmt:
    """The last statement; what a forward pass hands over stays known by name."""
    match s:
        case ast.Return(value=ast.Tuple(elts=[result, ast.Tuple() as kept])):
            return replace(s, value=ast.Tuple([rebuild(result, change), kept], ast.Load()))
        case _:
            return rebuild(s, change)


def _constants(g: Generated) -> Constants:
    """Names that are set once, to a constant."""
    assert g.tree is not None
    times = Counter(v for s in statements(g.tree.body) for v in writes(s))
    found: Constants = {}
    for s in statements(g.tree.body):
        match s:
            case ast.Assign(targets=[ast.Name(id=v)], value=ast.Constant(value=bool() | int() | None)) if times[v] == 1:
                found[v] = s.value
    return {v: e for v, e in found.items() if v not in {a.arg for a in arguments(g.tree.args)}}


def _parameters(g: Generated, functions: list[Generated]) -> Constants:
    """Parameters that have one constant value at every call."""
    assert g.tree is not None
    args = g.tree.args
    plain = [a.arg for a in args.args]
    defaults = dict(zip(plain[len(plain) - len(args.defaults) :], args.defaults))
    rebound = {v for s in statements(g.tree.body) for v in writes(s)}
    known: dict[str, list[ast.expr | None]] = {v: [] for v in plain if v not in rebound}
    for caller in functions:
        assert caller.tree is not None
        for call in (n for s in caller.tree.body for n in ast.walk(s) if isinstance(n, ast.Call)):
            if isinstance(call.func, ast.Name) and caller.externals.get(call.func.id) is g:
                here = dict(zip(plain, call.args)) | {k.arg: k.value for k in call.keywords if k.arg}
                for v, values in known.items():
                    values.append(here.get(v, defaults.get(v)))
    return {v: values[0] for v, values in known.items() if values and values[0] is not None and _same(values)}


def _same(values: list[ast.expr | None]) -> bool:
    return (
        all(isinstance(e, ast.Constant) and not isinstance(e.value, float) for e in values)
        and len({ast.dump(e) for e in values if e}) == 1
    )


def _taken_over(g: Generated, functions: list[Generated]) -> Constants:
    """What a forward pass hands to this backward pass, as far as it is constant there."""
    found: Constants = {}
    for fwd in (f for f in functions if f.backward is g):
        over, names = handed_over(fwd), taken_over(g)
        if over is not None and names is not None and len(over[1]) == len(names):
            known = _constants(fwd) | _parameters(fwd, functions)
            found |= {w: known[v] for v, w in zip(over[1], names) if v in known}
    return found


def _folded(e: ast.expr, found: Inference, g: Generated) -> ast.expr:
    """A test of types, or what is made of such tests, as a constant."""
    match e:
        case ast.Call(
            func=ast.Name(id="tuple"), args=[ast.Call(func=ast.Name(id="range"), args=[ast.Constant(value=int(n))])]
        ):
            return ast.Tuple([constant(i) for i in range(n)], ast.Load())
        case ast.Call(func=func, args=[x, ast.Constant(value="_fields")]) if found.resolve(func, g) is hasattr:
            kind = found.of(x, g)
            return e if _class_of(kind) is None else constant(is_named(kind))
        case ast.Call(func=func, args=[x, ast.Constant(value=str(member))]) if (
            found.resolve(func, g) is runtime.has_member
        ):
            has = _has_member(found.of(x, g), member)
            return e if has is None else constant(has)
        case ast.Call(func=func, args=[x, *rest], keywords=[]):
            value = _of_types(found.resolve(func, g), found.of(x, g), [found.resolve(c, g) for c in _classes(rest)])
            return e if value is None else constant(value)
        case ast.BoolOp(op=op, values=values):
            return _joined(e, isinstance(op, ast.And), values)
        case ast.UnaryOp(op=ast.Not(), operand=ast.Constant(value=bool(value))):
            return constant(not value)
        case ast.Compare(left=ast.Constant(value=a), ops=[op], comparators=[ast.Constant(value=b)]):
            return _compared(e, a, op, b)
        case ast.IfExp(test=ast.Constant(value=bool(value)), body=then, orelse=other):
            return then if value else other
        case _:
            return e


def _has_member(kind: Kind, member: str) -> bool | None:
    """Whether a name is that of a field, and not of a member of arrays; what else a class defines is not known here."""
    match kind:
        case Items(fields=fields) if member in fields or not fields:
            return bool(fields)
        case Number() | Stack():
            return False
        case _:
            return None


def _classes(rest: list[ast.expr]) -> list[ast.expr]:
    """The classes that `isinstance` asks for."""
    match rest:
        case [ast.BinOp(left=left, op=ast.BitOr(), right=right)]:
            return [*_classes([left]), *_classes([right])]
        case [ast.Tuple(elts=elts)]:
            return elts
        case _:
            return rest


def _of_types(function: Any, kind: Kind, classes: list[Any]) -> Any:
    """What a function of types gives, or None."""
    if function is isinstance and classes and all(c in CLASSES for c in classes):
        own = _class_of(kind)
        return own in classes if own is not None else None
    if function is len and isinstance(kind, Items):
        return len(kind.items)
    if is_named(kind) and function in ATTRIBUTES:
        return function is runtime.is_field
    if function is runtime.is_lazy_zero:  # compiled code has none
        return False
    if not isinstance(kind, Number):
        return None
    if function is np.ndim:
        return kind.rank
    if function is np.iscomplexobj:
        return kind.dtype.startswith("c")
    if function is runtime.is_boolean:
        return kind.dtype == "b1"
    return False if function is is_foreign else None


def _class_of(kind: Kind) -> Any:
    match kind:
        case Items() | Named():
            return tuple
        case Stack():
            return list
        case Number(rank=rank):
            return np.ndarray if rank else float
        case _:
            return None


def _joined(e: ast.expr, both: bool, values: list[ast.expr]) -> ast.expr:
    """`and` and `or` up to the first constant that decides."""
    left: list[ast.expr] = []
    for v in values:
        if not (isinstance(v, ast.Constant) and isinstance(v.value, bool)):
            left.append(v)
        elif v.value is not both:
            return v if not left else replace(e, values=[*left, v])
    return e if len(left) == len(values) else constant(both) if not left else left[0] if len(left) == 1 else replace(
        e, values=left
    )  # fmt: skip


def _compared(e: ast.expr, a: Any, op: ast.cmpop, b: Any) -> ast.expr:
    match op:
        case ast.Is():
            return constant(a is b) if a is None or b is None or isinstance(a, bool) else e
        case ast.IsNot():
            return constant(a is not b) if a is None or b is None or isinstance(a, bool) else e
        case ast.Eq():
            return constant(a == b)
        case ast.NotEq():
            return constant(a != b)
        case _:
            return e


def _pruned(body: list[ast.stmt]) -> list[ast.stmt]:
    """Without branches that are never taken."""
    done: list[ast.stmt] = []
    for s in body:
        match s:
            case ast.If(test=ast.Constant(value=bool(value)), body=then, orelse=other):
                done += _pruned(then if value else other)
            case ast.If(body=then, orelse=other):
                done.append(_with(s, body=_pruned(then) or [ast.Pass()], orelse=_pruned(other)))
            case ast.For(body=inner) | ast.While(body=inner):
                done.append(_with(s, body=_pruned(inner) or [ast.Pass()]))
            case _:
                done.append(s)
    return done


def _with(s: ast.stmt, **blocks: list[ast.stmt]) -> ast.stmt:
    old = {field: getattr(s, field) for field in blocks}
    same = all(len(b) == len(old[f]) and all(p is q for p, q in zip(b, old[f])) for f, b in blocks.items())
    return s if same else replace(s, **blocks)


def _set_once(body: list[ast.stmt]) -> list[ast.stmt]:
    """Without `t = None` for what is set anyway before it is read."""
    return [s for i, s in enumerate(body) if not (_is_nothing(s) and _is_set(writes(s)[0], body[i + 1 :]))]


def _is_nothing(s: ast.stmt) -> bool:
    match s:
        case ast.Assign(targets=[ast.Name()], value=ast.Constant(value=None)):
            return True
        case _:
            return False


def _is_set(v: str, body: list[ast.stmt]) -> bool:
    first = next((s for s in body if v in identifiers(s)), None)
    return isinstance(first, ast.Assign) and v in writes(first) and v not in header_reads(first)
