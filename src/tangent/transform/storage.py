"""Storage: writes in place. Until they are differentiated they are refused wherever they could matter."""

from __future__ import annotations

import ast
import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tangent.analysis.closures import closure_conflicts
from tangent.analysis.effects import Aliases, Summaries, Summary, Write, writes_in_place
from tangent.analysis.liveness import liveness
from tangent.analysis.shapes import Shapes
from tangent.errors import InPlaceError, TangentError
from tangent.syntax.quote import at, call, constant, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import expression_reads
from tangent.transform.unit import Unit

Outside = list[tuple[int, str, InPlaceError]]


def globals_read(this: Unit, useful: frozenset[str]) -> set[tuple[int, str]]:
    """Global names that the result of a function depends on."""
    names = {
        n.id
        for op in this.operations.values()
        if any(t in useful for t in op.targets) and op.value is not None
        for n in ast.walk(op.value)
        if isinstance(n, ast.Name) and n.id not in this.context.scope.local
    }
    return {(id(this.context.source.function.__globals__), v) for v in names}


def globals_rebound(this: Unit, varied: frozenset[str]) -> Outside:
    """Global names that a function assigns something that depends on the input."""
    found: Outside = []
    for s, op in this.operations.items():
        if op.why == "global" and any(v in varied for v in op.operands):
            error = InPlaceError(
                f"cannot differentiate the assignment to the global '{op.targets[0]}'", this.source.locate(s),
                "the derivative depends on it elsewhere", "Return the value and pass it on as an argument.",
            )  # fmt: skip
            found.append((id(this.context.source.function.__globals__), op.targets[0], error))
    return found


def summaries(read: Callable[[types.FunctionType], Unit]) -> Summaries:
    """What callees do to their parameters, found out on demand."""
    known: dict[Any, Summary] = {}

    def summary(function: Any) -> Summary:
        if function not in known:
            known[function] = Summary()
            try:
                this = read(function)
            except TangentError:
                return known[function]
            aliases = Aliases(this.core, this.operations, summary)
            parameters = set(this.parameters)
            found = all_writes(this, summary)
            written = {p for w in found for p in aliases.same(w.root, parameters)}
            space = id(function.__globals__)
            local = this.context.scope.local
            outside = {(space, w.root) for w in found if w.root not in local and w.root not in parameters}
            outside |= {(space, op.targets[0]) for op in this.operations.values() if op.why == "global"}
            outside |= {g for callee, _ in called_functions(this) for g in summary(callee).outside}
            known[function] = Summary(written, set(aliases.same(this.result, parameters)), outside)
        return known[function]

    return summary


def called_functions(this: Unit) -> Iterator[tuple[types.FunctionType, ast.stmt]]:
    """The user functions that a function calls, as far as they are known."""
    for s in statements(this.core.body):
        header = s.test if isinstance(s, ast.If | ast.While) else s.iter if isinstance(s, ast.For) else s
        for n in ast.walk(header):
            if isinstance(n, ast.Call):
                found = this.context.scope.resolve(n.func)
                if isinstance(found, types.FunctionType) and not _is_library(found):
                    yield found, s


def _is_library(found: types.FunctionType) -> bool:
    module = (found.__module__ or "").split(".")[0]
    return module in sys.stdlib_module_names or module in ("numpy", "scipy", "tangent")


def all_writes(this: Unit, summary: Summaries) -> list[Write]:
    context = this.context
    return list(writes_in_place(this.core, this.operations, context.scope, context.augmented, summary))


def settle_writes(
    this: Unit, varied: frozenset[str], useful: frozenset[str], summary: Summaries, shapes: Shapes, outside: Outside
) -> Unit:
    """Refuse writes that the derivative would have to follow; `s += v` on what may be shared is checked at run time."""
    _refuse_closures(this, varied, useful)
    _refuse_text(this, varied, useful)
    _refuse_growing(this)
    for callee, s in called_functions(this):
        for space, v in summary(callee).outside:
            outside.append((space, v, _refusal(this, Write(s, v, frozenset(), "call"), v)))
    found = all_writes(this, summary)
    if not found:
        return this
    aliases = Aliases(this.core, this.operations, summary)
    shallow = Aliases(this.core, this.operations, summary, shallow=True)
    on_path = _read_by_active(this, varied & useful)
    augmented = [w for w in found if w.construct == "augmented"]
    for w in found:
        if w.construct != "augmented":
            items_only = w.root in aliases.containers and not w.nested
            _refuse_store(this, w, shallow if items_only else aliases, varied, useful, on_path, outside)
    live = liveness(this.core, frozenset(w.statement for w in augmented))
    checked: dict[ast.stmt, ast.stmt] = {}
    for w in augmented:
        own = {w.root, *(t for t in this.operations[w.statement].targets)}
        holders = set(aliases.same(w.root, live.after[w.statement])) - own
        if holders and not shapes.of(name(w.root)).scalar and (varied & useful) & ({*holders, *own} | on_path):
            checked[w.statement] = _check(this, w, sorted(holders)[0])
    return _with_checks(this, checked) if checked else this


def _refuse_closures(this: Unit, varied: frozenset[str], useful: frozenset[str]) -> None:
    for c in closure_conflicts(this.core, this.operations):
        if c.name in varied or c.name in useful:
            raise this.refuse(
                c.statement, f"a function that captures '{c.name}'", c.why,
                f"Pass '{c.name}' to the function as an argument.",
            )  # fmt: skip


def _refuse_growing(this: Unit) -> None:
    """Loops are walked by the length that their list has at the start."""
    for s in statements(this.core.body):
        if not isinstance(s, ast.For):
            continue
        inside = [this.operations[x] for x in statements(s.body) if x in this.operations]
        grown = {op.targets[0] for op in inside if op.kind == "push"}
        sequences = [op for op in this.operations.values() if op.kind == "rule" and op.rule.name == "sequence"]
        grown |= {op.targets[0] for op in sequences if op.operands and op.operands[0] in grown}
        if grown & expression_reads(s.iter):
            raise this.refuse(
                s, "a loop over a list that grows inside it", "its length changes while it runs",
                "Loop over a copy of the list.",
            )  # fmt: skip


TEXT = frozenset({str, repr, format, ascii, bytes, bytearray})
FROM_TEXT = frozenset({float, int, complex, eval, exec, np.frombuffer, np.fromstring})
HIDDEN = frozenset({eval, exec, locals, vars, globals})


def _refuse_text(this: Unit, varied: frozenset[str], useful: frozenset[str]) -> None:
    """Numbers that go through text or bytes, or through the namespace, lose their derivative: not silently."""
    if not _mentions_text(this):
        return
    text: set[str] = set()
    for s in statements(this.core.body):
        op = this.operations.get(s)
        if op is None or op.value is None:
            continue
        reads = {n.id for n in ast.walk(op.value) if isinstance(n, ast.Name)}
        called = {
            this.context.scope.resolve(n.func) for n in ast.walk(op.value) if isinstance(n, ast.Call) and _plain(n)
        }
        if any(t in useful for t in op.targets) and (
            (called & HIDDEN and varied)
            or (called & FROM_TEXT and (reads & text or _makes_text(this, op.value, varied)))
        ):
            raise this.refuse(
                s,
                f"'{ast.unparse(op.value)}'",
                "the number comes back from text, bytes or a namespace",
                "Compute with the number itself.",
            )
        if reads & text or _makes_text(this, op.value, varied):
            text.update(op.targets)


WORDS = frozenset("str repr format ascii bytes bytearray eval exec locals vars globals frombuffer fromstring".split())
WORDS |= {"tobytes", "tostring", "join", "dumps"}


def _mentions_text(this: Unit) -> bool:
    """Whether any of it can concern a function at all."""
    for n in ast.walk(this.core):
        match n:
            case ast.JoinedStr() | ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()):
                return True
            case ast.Name(id=word) | ast.Attribute(attr=word) if word in WORDS:
                return True
    return False


def _plain(n: ast.Call) -> bool:
    return isinstance(n.func, ast.Name | ast.Attribute)


def _makes_text(this: Unit, e: ast.expr, varied: frozenset[str]) -> bool:
    for n in ast.walk(e):
        inside = {m.id for m in ast.walk(n) if isinstance(m, ast.Name)}
        match n:
            case ast.JoinedStr() if inside & varied:
                return True
            case ast.BinOp(left=ast.Constant(value=str()), op=ast.Mod()) if inside & varied:
                return True
            case ast.Call(func=ast.Attribute(attr="tobytes" | "format" | "join" | "tostring" | "dumps")) if (
                inside & varied
            ):
                return True
            case ast.Call(func=func) if inside & varied and isinstance(func, ast.Name):
                found = this.context.scope.resolve(func)
                if (isinstance(found, type) and found in TEXT) or found in (repr, format, ascii):
                    return True
    return False


def _read_by_active(this: Unit, active: frozenset[str]) -> set[str]:
    """Variables whose values an adjoint may read."""
    found: set[str] = set()
    for op in this.operations.values():
        if any(t in active for t in op.targets) and op.value is not None:
            found |= {n.id for n in ast.walk(op.value) if isinstance(n, ast.Name)}
    return found


def _refuse_store(
    this: Unit, w: Write, aliases: Aliases, varied: frozenset[str], useful: frozenset[str], on_path: set[str],
    outside: Outside,
) -> None:  # fmt: skip
    active = varied & useful
    brings = bool(w.reads & varied) or w.construct in ("method", "closure")
    local = this.context.scope.local
    if w.root not in local and w.root not in this.parameters:
        if brings and _flows_from(this, w.root, useful):
            raise _refusal(this, w, w.root)
        if brings:
            outside.append((id(this.context.source.function.__globals__), w.root, _refusal(this, w, w.root)))
        return
    involved = aliases.same(w.root, set(active) | on_path | (set(useful) if brings else set()))
    if involved and not (
        not brings and not aliases.same(w.root, set(active)) and _before_all_reads(this, w, involved, active)
    ):
        raise _refusal(this, w, involved[0])


def _before_all_reads(this: Unit, w: Write, names: list[str], active: frozenset[str]) -> bool:
    """Whether something inactive is written only before any active statement reads it, and in no common loop."""
    order = {s: i for i, s in enumerate(statements(this.core.body))}
    readers = [
        s
        for s, op in this.operations.items()
        if s in order and op.value is not None and any(t in active for t in op.targets)
        and any(isinstance(n, ast.Name) and n.id in names for n in ast.walk(op.value))
    ]  # fmt: skip
    loops = [set(statements(s.body)) for s in order if isinstance(s, ast.For | ast.While)]
    together = any(w.statement in loop and r in loop for loop in loops for r in readers)
    return not together and all(order[w.statement] < order[r] for r in readers)


def _flows_from(this: Unit, root: str, useful: frozenset[str]) -> bool:
    """Whether the result depends on what a global name refers to."""
    for op in this.operations.values():
        if any(t in useful for t in op.targets) and op.value is not None:
            if any(isinstance(n, ast.Name) and n.id == root for n in ast.walk(op.value)):
                return True
    return False


def _refusal(this: Unit, w: Write, involved: str) -> InPlaceError:
    text = this.source.statement_text(w.statement)
    reader = _first_use(this, involved, w.statement)
    also = f"; '{involved}' is used in line {reader}" if reader else ""
    return InPlaceError(
        f"cannot differentiate a write in place: '{text}'", this.source.locate(w.statement),
        f"it changes '{w.root}', which the derivative depends on{also}",
        "Make a new value instead of changing the old one (np.where, np.concatenate, x = x + v).",
    )  # fmt: skip


def _first_use(this: Unit, v: str, other: ast.stmt) -> int:
    for s in statements(this.core.body):
        op = this.operations.get(s)
        if s is not other and op is not None and op.value is not None and getattr(s, "lineno", 0) != other.lineno:
            if any(isinstance(n, ast.Name) and n.id == v for n in ast.walk(op.value)):
                return int(getattr(s, "lineno", 0))
    return 0


def _check(this: Unit, w: Write, holder: str) -> ast.stmt:
    """A statement that stops where `s += v` would change an array that another name refers to."""
    line = w.statement.lineno
    function = this.context.use("require_number", _runtime("require_number"))
    place = [constant(this.source.file), constant(line), constant(this.source.line(line).strip())]
    check = ast.Expr(call(function, name(w.root), constant(holder), *place))
    return at(check, w.statement)


def _runtime(function: str) -> Any:
    from tangent import runtime  # the object only: transformations do not call the runtime

    return getattr(runtime, function)


def _with_checks(this: Unit, checked: dict[ast.stmt, ast.stmt]) -> Unit:
    operations = dict(this.operations)

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in body:
            if s in checked:
                done.append(checked[s])
            match s:
                case ast.If(body=then, orelse=other):
                    new: ast.stmt = replace(s, body=block(then), orelse=block(other))
                case ast.For(body=inner) | ast.While(body=inner):
                    new = replace(s, body=block(inner))
                    if s in operations:
                        operations[new] = operations[s]
                case _:
                    new = s
            done.append(new)
        return done

    core = replace(this.core, body=block(this.core.body))
    return Unit(this.source, core, this.context, operations)
