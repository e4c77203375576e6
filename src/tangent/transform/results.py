"""What a derivative gives back: gradients that are nobody else's, the value, the auxiliary output."""

from __future__ import annotations

import ast
from typing import TypeGuard

from tangent.analysis.aliases import FRESH
from tangent.analysis.operation import Operation
from tangent.options import Options
from tangent.rules.table import table
from tangent.runtime.checks import require_pair
from tangent.runtime.dispatch import sequence
from tangent.source.resolve import MISSING
from tangent.syntax.print import Comment
from tangent.syntax.quote import at, name
from tangent.syntax.rebuild import exchanged, replace, statements
from tangent.syntax.uses import writes
from tangent.transform.generated import Generated
from tangent.transform.ownership import is_new
from tangent.transform.reverse.state import Passes
from tangent.transform.scribe import Scribe
from tangent.transform.unit import Unit

# Rules that are not linear, and functions that give tangents, whose results may be views of what they are given.
SHOWING = frozenset("real imag conj_method real_if_close einsum_one".split())
KERNELS = frozenset(
    "now_tangent ravelled on_mesh get_either seen_as real_as trimmed einsum_tangent_first".split()
)


class _Boundary(Comment):
    """Where the forward pass ends."""


BOUNDARY = _Boundary("", section=True)


def returned(v: str, passes: Passes, numbers: tuple[str, ...], scribe: Scribe, own: bool) -> ast.expr:
    """A gradient as it is given back: real arrays, and nobody else's."""
    state, facts = passes.state, passes.facts
    if v in passes.stores.shadowed:
        b = name(scribe.derivative(v, "b"))
        return b if passes.stores.is_array(v) and not passes.stores.carried else scribe.call("unboxed", b, name(v))
    if v not in state.held:
        return scribe.call("init_grad", name(v))
    b = name(scribe.derivative(v, "b"))
    if not own:
        return b
    if facts.of(name(v)).scalar and v not in state.lazy:
        return b
    if v in state.owned and v not in state.lazy and (v in numbers or facts.of(name(v)).number):
        return b
    if v in state.owned and v not in state.lazy:
        return scribe.call("as_given", b, name(v))
    if facts.of(name(v)).number and v not in state.lazy:
        return scribe.call("copy", b)
    return scribe.call("settled", b, name(v))


def may_be_view(e: ast.expr | None, this: Unit, made: Generated, body: list[ast.stmt]) -> TypeGuard[ast.expr]:
    """Whether a returned tangent may be (part of) one that came in."""
    match e:
        case ast.Name(id=v):
            assigned = [s.value for s in statements(body) if isinstance(s, ast.Assign) and v in writes(s)]
            in_place = any(isinstance(s, ast.AugAssign) for s in statements(body))
            given = v in made.seeds.values()
            return given or in_place or not assigned or not all(is_new(x) for x in assigned)
        case ast.Subscript() | ast.Attribute():
            return True
        case ast.Tuple(elts=elts) | ast.List(elts=elts):
            return any(may_be_view(x, this, made, body) or isinstance(x, (ast.Name, ast.Tuple)) for x in elts)
        case ast.Call(func=ast.Name(id=function), args=[ast.Name() as first, _]) if function.rstrip("_") == "as_given":
            return may_be_view(first, this, made, body)
        case ast.Call(func=ast.Name(id=function)) if function.rstrip("_") in KERNELS:
            return True
        case ast.Call(func=func):
            found = this.context.scope.resolve(func)
            bounds = table().lookup(found) if found is not MISSING else []
            method = func.attr if isinstance(func, ast.Attribute) and found is MISSING else ""
            rules = [table().rules[b.rule] for b in (*bounds, *table().methods.get(method, []))]
            return any(r.name in SHOWING or (r.kind == "linear" and r.name not in FRESH) for r in rules)
        case _:
            return False


def with_aux(this: Unit) -> Unit:
    """The function up to its first result; what else it returns goes along unseen."""
    last = this.core.body[-1]
    loss, aux = this.context.names.fresh("loss"), this.context.names.fresh("aux")
    slots = ast.Tuple([ast.Name(loss, ast.Store()), ast.Name(aux, ast.Store())], ast.Store())
    split = at(ast.Assign([slots], name(this.result)), last)
    made = [op.value for op in this.operations.values() if this.result in op.targets]
    pair = all(isinstance(e, ast.Tuple) and len(e.elts) == 2 for e in made) and bool(made)
    check = name(this.context.use("require_pair", require_pair))
    tests = [] if pair else [at(ast.Expr(ast.Call(check, [name(this.result)], [])), last)]
    core = replace(this.core, body=[*this.core.body[:-1], *tests, split, at(ast.Return(name(loss)), last)])
    operations = {**this.operations, split: Operation("unpack", (loss, aux), (this.result,), name(this.result))}
    return Unit(this.source, core, this.context, operations)


def extra_results(this: Unit, options: Options) -> list[ast.Name]:
    """What is given back beside the derivative: the value, the auxiliary output."""
    found = [name(this.result)] if options.preserve_result else []
    if options.has_aux:
        split = this.core.body[-2]
        assert isinstance(split, ast.Assign) and isinstance(split.targets[0], ast.Tuple)
        aux = split.targets[0].elts[1]
        assert isinstance(aux, ast.Name)
        found.append(name(aux.id))
    return found


def lists_restored(this: Unit, body: list[ast.stmt]) -> set[str]:
    """Lists that grow in a function and shrink on the way back: who gets the result holds them, too."""
    operations = [op for op in this.operations.values() if op.kind in ("push", "pop") and op.why == "read"]
    lists = {v for op in operations for v in (op.targets if op.kind == "push" else op.operands)}
    found: set[str] = set()
    for s in statements(body):
        match s:
            case ast.Expr(value=ast.Call(func=ast.Attribute(value=ast.Name(id=v), attr="pop" | "append"))):
                found.add(v)
    return found & lists


def loops_over_copies(this: Unit, body: list[ast.stmt], lists: list[str], scribe: Scribe) -> list[ast.stmt]:
    """The forward pass of a callee, in which what loops run over stays as it is while a list grows.

    The backward pass takes items from a list of its own: what was kept under another name is not that list.
    """
    changes: dict[ast.stmt, ast.stmt | None] = {}
    for s in statements(body) if lists else ():
        match s:
            case ast.Assign(value=ast.Call(func=ast.Name(id=f) as run, args=[ast.Name(id=v)])) if v in lists:
                if sequence in (scribe.externals.get(f), this.context.scope.resolve(run)):
                    changes[s] = replace(s, value=scribe.call("as_list", name(v)))
    return exchanged(body, changes) if changes else body


def arranged(derivatives: list[ast.expr], extra: list[ast.expr], options: Options) -> ast.expr:
    """`gradients, value`, or `value, gradients` with both sides grouped."""

    def group(parts: list[ast.expr]) -> ast.expr:
        return parts[0] if len(parts) == 1 else ast.Tuple(parts, ast.Load())

    if not extra:
        return group(derivatives)
    if options.value_first:
        return ast.Tuple([group(extra), group(derivatives)], ast.Load())
    if options.has_aux:
        return ast.Tuple([group(derivatives), *extra], ast.Load())
    return ast.Tuple([*derivatives, *extra], ast.Load())
