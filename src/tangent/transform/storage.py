"""Storage: writes in place. Until they are differentiated they are refused wherever they could matter."""

from __future__ import annotations

import ast
import dataclasses
import types
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from tangent.analysis.activity import Activity, activity
from tangent.analysis.aliases import Aliases
from tangent.analysis.closures import closure_conflicts
from tangent.analysis.effects import Summaries, Summary, Write, writes_in_place
from tangent.analysis.liveness import liveness
from tangent.analysis.operation import Operation, Operations
from tangent.analysis.shapes.table import Shapes
from tangent.analysis.storage import Storage, storage
from tangent.errors import InPlaceError, TangentError
from tangent.rules.classify import classified
from tangent.rules.table import table
from tangent.source.resolve import MISSING, is_library
from tangent.syntax.blocks import Attempt
from tangent.syntax.quote import assign, at, constant, name
from tangent.syntax.rebuild import replace, statements
from tangent.syntax.uses import WRITING_METHODS, assigned_inside, expression_reads, writes
from tangent.transform.attempts import live_on_failure
from tangent.transform.calls import Groups
from tangent.transform.containers import changes_container, held_elsewhere, rebinding
from tangent.transform.content import content_read
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
            settled = set(known)
            while (new := found_out(function)) != known[function]:  # again, for functions that call themselves
                for other in set(known) - settled:
                    del known[other]
                known[function] = new
        return known[function]

    def found_out(function: Any) -> Summary:
        try:
            this = read(function)
        except TangentError:
            return Summary()
        parameters = set(this.parameters)
        found = [w for w in all_writes(this, summary) if w.root not in this.context.scalars]
        aliases = _aliases(this, summary, Groups(), {w.statement: w.root for w in found if w.construct == "augmented"})
        written = {p for w in found for p in parameters if _touched(this, w, aliases) & aliases.reach(p)}
        space = id(function.__globals__)
        local = this.context.scope.local
        outside = {(space, w.root) for w in found if w.root not in local and w.root not in parameters}
        outside |= {(space, op.targets[0]) for op in this.operations.values() if op.why == "global"}
        outside |= {g for callee, _ in called_functions(this) for g in summary(callee).outside}
        inner = any(summary(callee).stores for callee, _ in called_functions(this))
        stores = inner or any(w.construct != "augmented" for w in found)
        returned = {p for p in parameters if aliases.reach(this.result) & aliases.of(p)}
        arrays = frozenset(_arrays(this, aliases, summary) & parameters)
        every = activity(this.core, this.operations, this.parameters, (this.result, *this.parameters)).names()
        scaled = {w.root for w in found if w.construct == "augmented" and not _only_adds(w.statement)}
        shared = {p: _sharing(p, this, aliases) for p in parameters}
        content = frozenset(p for p, v in shared.items() if v & scaled or content_read(this, every, v, summary))
        if hasattr(function, "checkpointed") or hasattr(function, "loop"):  # what is run again reads all it is given
            content = frozenset(parameters)
        before, kept = known[function].content, known[function].result
        content = content if before is None else content | before
        kept = kept or content_read(this, every, _held_by(this.result, this, aliases), summary)
        return Summary(written, returned, outside, stores, arrays, content, kept)

    return summary


def _only_adds(s: ast.stmt) -> bool:
    """Whether the adjoint of an operator in place reads nothing."""
    return isinstance(s, ast.Assign) and isinstance(s.value, ast.BinOp) and isinstance(s.value.op, ast.Add | ast.Sub)


def _touched(this: Unit, w: Write, aliases: Aliases) -> set[str]:
    """What a statement may write into: of a list also its items, by an operator in place."""
    op = this.operations.get(w.statement)
    inside = op is not None and op.kind == "augment" and w.root in aliases.containers
    return aliases.reach(w.root) if inside or w.deep else aliases.of(w.root)


def _sharing(v: str, this: Unit, aliases: Aliases) -> frozenset[str]:
    names = {n for op in this.operations.values() for n in (*op.targets, *op.operands)} | {v}
    return frozenset(n for n in names if aliases.reach(n) & aliases.of(v))


def _held_by(v: str, this: Unit, aliases: Aliases) -> frozenset[str]:
    """Variables that refer to what a variable holds, or to itself."""
    names = {n for op in this.operations.values() for n in (*op.targets, *op.operands)} | {v}
    return frozenset(n for n in names if aliases.of(n) & aliases.reach(v))


def called_functions(this: Unit) -> Iterator[tuple[types.FunctionType, ast.stmt]]:
    """The user functions that a function calls, as far as they are known."""
    for s in statements(this.core.body):
        header = s.test if isinstance(s, ast.If | ast.While) else s.iter if isinstance(s, ast.For) else s
        for n in ast.walk(header):
            if isinstance(n, ast.Call):
                found = this.context.scope.resolve(n.func)
                if isinstance(found, types.FunctionType) and not is_library(found):
                    yield found, s


def all_writes(this: Unit, summary: Summaries) -> list[Write]:
    context = this.context
    found = writes_in_place(this.core, this.operations, context.scope, context.augmented, summary)
    generated = this.source.file.startswith("<generated")
    followed = context.memory or generated  # calls of functions that write are, too
    calls = {s for _, s in called_functions(this)}
    return [
        dataclasses.replace(w, deep=w.construct == "call" and w.statement in calls)
        for w in found
        if (w.construct != "closure" or not followed)
        and not (w.construct == "call" and isinstance(context.scope.lookup(w.root), types.FunctionType))
    ]


IN_PLACE = (ast.Add, ast.Sub, ast.Mult, ast.Div)


@dataclass(frozen=True)
class Settled:
    """A function whose writes in place have been looked at: what the derivative depends on of them, and how."""

    unit: Unit
    activity: Activity
    storage: Storage
    shadowed: frozenset[str]
    owned: tuple[str, ...]
    arrays: frozenset[str]
    containers: frozenset[str]
    rebound: tuple[str, ...]
    summary: Summaries


def settle(
    this: Unit, inputs: tuple[str, ...], outputs: tuple[str, ...], groups: Groups, summary: Summaries, shapes: Shapes,
    outside: Outside,
) -> Settled:  # fmt: skip
    """Find the storage of a function; `groups` are parameters that the caller lets it write into, by sharing."""
    given = frozenset(p for group in groups for p in group)
    found = all_writes(this, summary)
    aliases = _aliases(this, summary, groups)
    found += _deep_stacks(this, found, aliases)
    this, found = _items_by_value(this, found, aliases, given)
    this, found, rebound = containers_by_value(this, found, aliases, given)
    aliases = _aliases(this, summary, groups)
    open_ = -1
    while open_ != (open_ := sum(w.construct == "augmented" for w in found)):
        this, found = _augmented_in_place(this, found, aliases, shapes, given)
        aliases = _aliases(this, summary, groups)
    found = [w for w in found if w.construct != "augmented"]
    arrays = frozenset(_arrays(this, aliases, summary)) | (groups.arrays - assigned_inside(this.core.body))
    whole = storage(this.core, this.operations, found, aliases, this.parameters, arrays, given)
    more = [Operation("store", (w.root,), tuple(w.reads)) for w in found if w.construct == "call"]
    more += [Operation("store", tuple(sorted(c)), tuple(sorted(c))) for c in _class_sets(whole)]
    facts = activity(this.core, this.operations, (*inputs, *given, *_carried(this)), (*outputs, *given), more)
    varied, useful = facts.varied, facts.useful
    _refuse_closures(this, varied, useful)
    _refuse_text(this, varied, useful)
    _refuse_growing(this)
    for callee, s in called_functions(this):
        for space, v in summary(callee).outside:
            outside.append((space, v, _refusal(this, Write(s, v, frozenset(), "call"), v)))
    on_path = _read_by_active(this, varied & useful)
    for w in found:
        if not _has_adjoint(this, w, aliases):
            _refuse_store(this, w, aliases, varied, useful, on_path, outside)
    _refuse_half_way(this, found, aliases, varied & useful)
    this = _watched(this, varied & useful)
    relevant = {whole.classes[v] for v in (varied & useful) | on_path if v in whole.classes}
    table = _restricted(whole, relevant)
    active = {table.classes[v] for v in varied & useful if v in table.classes}
    shadowed = frozenset(v for v in table.handles if table.classes[v] in active)
    by_call = {w.root for w in found if w.construct != "method"}
    members = whole.members(by_call)
    owned = tuple(p for p in this.parameters if p in whole.handles and p in members and p not in given)
    return Settled(this, facts, table, shadowed, owned, arrays, aliases.containers, rebound, summary)


def _carried(this: Unit) -> list[str]:
    """Shadows that a forward pass binds for its backward pass: zero until then, but not for good."""
    if not getattr(this.source.function, "carries", False):
        return []
    among = _runtime("shadow_among")
    return [
        op.targets[0]
        for op in this.operations.values()
        if op.callee is among or (op.kind == "rule" and op.rule.name in ("shadow", "item_shadow"))
    ]


OF_ARRAYS = frozenset("T transpose swapaxes reshape ravel diagonal moveaxis".split())


def _arrays(this: Unit, aliases: Aliases, summary: Summaries) -> set[str]:
    """Variables that are written into by an index and are no lists or dicts made here: taken for arrays."""
    found: set[str] = set()
    generated = this.source.file.startswith("<generated")
    for op in this.operations.values():
        index = op.values.get("index") if op.kind in ("store", "augment") else None
        asked = isinstance(index, ast.Constant) and index.value is Ellipsis  # behind a test of its type
        asked = generated and (asked or op.why == "at Add")  # add_at is for what may be a container, too
        if index is not None and op.targets[0] not in aliases.containers and not _is_key(index) and not asked:
            found.add(op.targets[0])
        if op.kind == "call" and isinstance(op.value, ast.Call) and _is_own(op.callee) and not _has_stars(op.value):
            names = op.callee.__code__.co_varnames
            given = [*zip(names, op.value.args), *((k.arg or "", k.value) for k in op.value.keywords)]
            inside = summary(op.callee).arrays
            found |= {a.id for p, a in given if p in inside and isinstance(a, ast.Name)} - aliases.containers
    bound: dict[str, list[Operation]] = {}
    for op in this.operations.values():
        for t in op.targets if op.kind not in ("store", "augment") else ():
            bound.setdefault(t, []).append(op)
    changed = True
    while changed:
        copies = {t: ops for t, ops in bound.items() if all(op.kind == "copy" for op in ops)}
        new = {t for t, ops in copies.items() if all(op.operands[0] in found for op in ops)}
        new |= {op.operands[0] for t in found for op in bound.get(t, []) if op.kind == "copy"}
        views = {t: ops[0] for t, ops in bound.items() if len(ops) == 1 and ops[0].kind == "rule" and t in found}
        new |= {op.operands[0] for op in views.values() if op.rule.name in OF_ARRAYS and op.operands}
        new -= found | aliases.containers
        found |= new
        changed = bool(new)
    return found


def _is_key(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and isinstance(index.value, str)


def _aliases(this: Unit, summary: Summaries, groups: Groups, in_place: dict[ast.stmt, str] | None = None) -> Aliases:
    fresh = [getattr(this.source.function, "fresh", "")]
    return Aliases(this.core, this.operations, summary, this.parameters, groups, this.context.scalars, fresh, in_place)


def _class_sets(table: Storage) -> list[set[str]]:
    sets: dict[str, set[str]] = {}
    for v, c in table.classes.items():
        sets.setdefault(c, set()).add(v)
    return list(sets.values())


def _restricted(table: Storage, relevant: set[str]) -> Storage:
    """Only the classes that the derivative depends on."""
    classes = {v: c for v, c in table.classes.items() if c in relevant}
    written = {s: c & relevant for s, c in table.written.items() if c & relevant}
    return Storage(classes, table.handles & set(classes), written, table.bases, table.local)


def _has_adjoint(this: Unit, w: Write, aliases: Aliases) -> bool:
    """Whether a write is of a form that has an adjoint."""
    op = this.operations.get(w.statement)
    if op is None:
        return False
    if op.kind in ("store", "augment"):
        known = op.why == "into Add" or w.root not in aliases.containers
        return "attribute" not in op.values and op.targets[0] == w.root and known
    if op.kind == "call" and w.construct == "call" and _is_own(op.callee):
        return isinstance(op.value, ast.Call) and not _has_stars(op.value)
    return False


def _is_own(callee: Any) -> bool:
    return isinstance(callee, types.FunctionType) and not is_library(callee)


def _has_stars(e: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords)


def _augmented_in_place(
    this: Unit, found: list[Write], aliases: Aliases, shapes: Shapes, given: frozenset[str]
) -> tuple[Unit, list[Write]]:
    """`s = s + v` becomes `s += v` again where somebody else may hold what it changes."""
    augmented = [w for w in found if w.construct == "augmented"]
    if not augmented:
        return this, found
    others = {w.root for w in found if w.construct != "augmented"} | given
    live = liveness(this.core, frozenset(w.statement for w in augmented))
    kept = [w for w in found if w.construct != "augmented"]
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations = dict(this.operations)
    for w in augmented:
        own = {w.root, *this.operations[w.statement].targets}
        holders = set(aliases.same(w.root, live.after[w.statement])) - own
        if w.root in aliases.containers or _joins_lists(this, w):  # a new list, unless somebody else sees it grow
            if any(aliases.of(h) & aliases.of(w.root) for h in holders):
                raise _refusal(this, w, w.root)
            kept.append(w)
            continue
        written = any(aliases.meets(v, others) for v in own)
        if shapes.of(name(w.root)).scalar or not (holders or written):
            kept.append(w)
            continue
        new = _in_place(this, w)
        changed[w.statement] = new
        for s in new:
            op = reclassified(s, this)
            if op is not None:
                operations[s] = op
        write = next(s for s in new if s in operations and operations[s].kind in ("store", "augment"))
        kept.append(Write(write, w.root, w.reads, "store"))
    return _replaced(this, changed, operations) if changed else this, kept


def _watched(this: Unit, active: frozenset[str]) -> Unit:
    """Calls for their effects of functions that are known at run time only: they must not write into what is active."""
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    for s in statements(this.core.body):
        match s:
            case ast.Expr(value=ast.Call(func=ast.Name() | ast.Attribute() as func, args=args, keywords=keywords) as e):
                given = {n for a in (*args, *(k.value for k in keywords)) for n in expression_reads(a)}
                known = s in this.operations or this.context.scope.resolve(func) is not MISSING
                owner = isinstance(func, ast.Attribute) and isinstance(func.value, ast.Constant)
                if known or owner or not given & active or _is_plain_method(func):
                    continue
                watch = this.context.use("call_effect", _runtime("call_effect"))
                changed[s] = [replace(s, value=replace(e, func=name(watch), args=[func, *args]))]
    return _replaced(this, changed, dict(this.operations)) if changed else this


def _is_plain_method(func: ast.expr) -> bool:
    return isinstance(func, ast.Attribute) and func.attr in WRITING_METHODS | {"write", "format", "info", "debug"}


def containers_by_value(
    this: Unit, found: list[Write], aliases: Aliases, given: frozenset[str]
) -> tuple[Unit, list[Write], tuple[str, ...]]:
    """Containers and objects that nobody else holds are made anew where they are changed."""
    asked = frozenset(w.statement for w in found)
    live = liveness(this.core, asked)
    names = {v for op in this.operations.values() for v in (*op.targets, *op.operands)} | set(this.parameters)
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations = dict(this.operations)
    kept: list[Write] = []
    rebound: list[str] = []
    for w in found:
        local = w.root in this.context.scope.local or w.root in this.parameters
        after = live.after.get(w.statement, frozenset())
        new = None
        if local and w.root not in given and _is_container(this, w, aliases):
            if not held_elsewhere(w, aliases, after, names):
                new = rebinding(w, this, aliases, _runtime)
        if new is None or w.statement in changed:
            kept.append(w)
            continue
        changed[w.statement] = new
        operations |= {s: op for s in new if (op := reclassified(s, this)) is not None}
        if w.root in this.parameters:
            rebound.append(w.root)
    return _replaced(this, changed, operations) if changed else this, kept, tuple(dict.fromkeys(rebound))


def _is_container(this: Unit, w: Write, aliases: Aliases) -> bool:
    """Whether what a statement writes into is a list, a dict or an object, as far as the statement tells."""
    s = w.statement
    match s:
        case ast.Assign(targets=[ast.Attribute(attr=attr)]) | ast.AugAssign(target=ast.Attribute(attr=attr)):
            return attr not in ("shape", "strides", "dtype", "real", "imag", "flat", "T")
        case ast.Assign(targets=[ast.Subscript(slice=index)]) | ast.AugAssign(target=ast.Subscript(slice=index)):
            return w.root in aliases.containers or _is_key(index)
        case ast.Delete():
            return True
        case _:
            return w.construct == "call" and w.root in aliases.containers


def _deep_stacks(this: Unit, found: list[Write], aliases: Aliases) -> Iterator[Write]:
    """`xs.append(v)` and `xs.pop()` where something that the list holds is written in place."""
    if this.source.file.startswith("<generated"):
        return
    written = set().union(*(aliases.reach(w.root) if w.deep else aliases.of(w.root) for w in found))
    for s in statements(this.core.body):
        op = this.operations.get(s)
        if op is not None and op.kind in ("push", "pop"):
            root = op.targets[0] if op.kind == "push" else op.operands[0]
            if written & (aliases.reach(root) - aliases.of(root)):
                yield Write(s, root, frozenset(op.operands), "call", nested=False)


def _shares_items(this: Unit, s: ast.stmt, root: str, aliases: Aliases, given: frozenset[str]) -> bool:
    """Whether an item of a container may be something that another variable, or another place in it, refers to."""
    items = set().union(*(aliases.holds.get(o, set()) for o in aliases.of(root)))
    names = {v for op in this.operations.values() for v in op.targets} | set(this.parameters)
    live = liveness(this.core, frozenset([s])).after.get(s, frozenset())
    if any((n in live or n in given) and aliases.of(n) & items for n in names if n != root):
        return True
    if any(aliases.holds.get(o, set()) & items for o in set(aliases.holds) - aliases.of(root) - items):
        return True
    seen: set[str] = set()
    for site, v in _put_into(this, aliases.of(root)):
        found = aliases.of(v)
        if found & seen or not all(_made_with(this, site, o) for o in found):
            return True
        seen |= found
    return False


def _put_into(this: Unit, containers: set[str]) -> Iterator[tuple[ast.stmt, str]]:
    """The statements that put something into one of some containers, and what."""
    for s in statements(this.core.body):
        op = this.operations.get(s)
        if op is None or op.kind == "augment" or not containers & set(op.targets):
            continue
        parts = _parts(op.value) if op.kind == "pack" else [v for v in op.operands if v not in op.targets]
        for v in parts:
            yield s, v


def _parts(e: ast.expr | None) -> list[str]:
    match e:
        case ast.Dict(values=values):
            elts = values
        case ast.Tuple(elts=elts) | ast.List(elts=elts) | ast.Set(elts=elts):
            pass
        case _:
            elts = []
    return [n for x in elts for n in expression_reads(x)]


def _made_with(this: Unit, site: ast.stmt, made: str) -> bool:
    """Whether something is made anew whenever a statement runs: in every loop around it."""
    makers = [s for s in statements(this.core.body) if made in (op.targets if (op := this.operations.get(s)) else ())]
    for loop in statements(this.core.body):
        if isinstance(loop, ast.For | ast.While):
            inside = set(statements(loop.body))
            if site in inside and not (makers and all(m in inside for m in makers)):
                return False
    return True


def _items_by_value(
    this: Unit, found: list[Write], aliases: Aliases, given: frozenset[str]
) -> tuple[Unit, list[Write]]:
    """`xs[i] += v` on an item of a list or dict, in steps: `t = xs[i]; t += v; xs[i] = t`.

    Where nobody else refers to the item, `t = t + v` means the same.
    """
    changed: dict[ast.stmt, list[ast.stmt]] = {}
    operations = dict(this.operations)
    kept: list[Write] = []
    for w in found:
        op = operations.get(w.statement)
        s = w.statement
        if op is None or op.kind != "augment" or w.root not in aliases.containers or not isinstance(s, ast.AugAssign):
            kept.append(w)
            continue
        old, new = (this.context.names.numbered("t") for _ in range(2))
        this.context.scope.local |= {old, new}
        place: Any = s.target
        first = assign(old, replace(place, ctx=ast.Load()), s)
        second = assign(new, ast.BinOp(name(old), s.op, s.value), s)
        store = at(ast.Assign([place], name(new)), s)
        changed[s] = [first, second, store]
        for x in (first, second, store):
            made = reclassified(x, this)
            assert made is not None
            operations[x] = made
        if _shares_items(this, s, w.root, aliases, given):
            kept.append(Write(second, old, w.reads, "augmented"))
        kept.append(Write(store, w.root, frozenset([new]), "store", nested=False))
    return _replaced(this, changed, operations) if changed else this, kept


def _runtime(function: str) -> Any:
    from tangent import runtime  # the object only: transformations do not call the runtime

    return getattr(runtime, function)


def _joins_lists(this: Unit, w: Write) -> bool:
    """Whether `xs += ys` adds a list that is made here."""
    s = w.statement
    assert isinstance(s, ast.Assign) and isinstance(s.value, ast.BinOp)
    added = s.value.right
    made = [op for op in this.operations.values() if isinstance(added, ast.Name) and added.id in op.targets]
    return bool(made) and all(isinstance(op.value, ast.List | ast.Tuple | ast.ListComp) for op in made)


def _in_place(this: Unit, w: Write) -> list[ast.stmt]:
    s = w.statement
    assert isinstance(s, ast.Assign) and isinstance(s.targets[0], ast.Name) and isinstance(s.value, ast.BinOp)
    target, value = s.targets[0].id, s.value
    if isinstance(value.op, IN_PLACE):
        first: list[ast.stmt] = [at(ast.AugAssign(ast.Name(w.root, ast.Store()), value.op, value.right), s)]
    else:
        held = this.context.names.numbered("t")
        this.context.scope.local.add(held)
        place = ast.Subscript(name(w.root), constant(Ellipsis), ast.Store())
        first = [assign(held, value, s), at(ast.Assign([place], name(held)), s)]
    return first if target == w.root else [*first, assign(target, name(w.root), s)]


def reclassified(s: ast.stmt, this: Unit) -> Operation | None:
    return classified(s, this.context, table())


def _replaced(this: Unit, changed: dict[ast.stmt, list[ast.stmt]], operations: Operations) -> Unit:
    """The function with some statements replaced by others."""

    def block(body: list[ast.stmt]) -> list[ast.stmt]:
        done: list[ast.stmt] = []
        for s in body:
            match s:
                case _ if s in changed:
                    done += changed[s]
                case ast.If(body=[ast.Break()]):
                    done.append(s)
                case ast.If(body=then, orelse=other):
                    done.append(replace(s, body=block(then), orelse=block(other)))
                case ast.For(body=inner) | ast.While(body=inner):
                    new = replace(s, body=block(inner))
                    if s in operations:
                        operations[new] = operations[s]
                    done.append(new)
                case _:
                    done.append(s)
        return done

    left = {s: op for s, op in operations.items() if s not in changed}
    return Unit(this.source, replace(this.core, body=block(this.core.body)), this.context, left)


def _refuse_closures(this: Unit, varied: frozenset[str], useful: frozenset[str]) -> None:
    for c in closure_conflicts(this.core, this.operations):
        rebinds = not this.context.scope.local >= {c.name} and any(v in varied for v in writes(c.statement))
        if c.name in varied or c.name in useful or rebinds:
            raise this.refuse(
                c.statement, f"a function that captures '{c.name}'", c.why,
                f"Pass '{c.name}' to the function as an argument.",
            )  # fmt: skip


def _refuse_half_way(this: Unit, found: list[Write], aliases: Aliases, active: frozenset[str]) -> None:
    """Calls that write and may fail half-way where that is caught: how far they came is not known."""
    calls = {s for _, s in called_functions(this)}
    for attempt in statements(this.core.body):
        if not isinstance(attempt, Attempt):
            continue
        inside = set(statements(attempt.body))
        for w in found:
            if w.statement in inside & calls and aliases.same(w.root, set(active), w.deep):
                if aliases.same(w.root, set(live_on_failure(this.core, attempt)), w.deep):
                    raise this.refuse(
                        w.statement, f"'{this.source.statement_text(w.statement)}' inside 'try'",
                        f"it writes into '{w.root}', which is read after an exception: how far it came is not known",
                        "Give it a copy, and take that over where nothing was raised.",
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
    involved = aliases.same(w.root, set(active) | on_path | (set(useful) if brings else set()), w.deep)
    if involved and not (
        not brings and not aliases.same(w.root, set(active), w.deep) and _before_all_reads(this, w, involved, active)
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
    error = InPlaceError(
        f"cannot differentiate a write in place: '{text}'", this.source.locate(w.statement),
        f"it changes '{w.root}', which the derivative depends on{also}",
        "Make a new value instead of changing the old one (np.where, np.concatenate, x = x + v).",
    )  # fmt: skip
    error.concerns_a_container = changes_container(w.statement)
    return error


def _first_use(this: Unit, v: str, other: ast.stmt) -> int:
    for s in statements(this.core.body):
        op = this.operations.get(s)
        if s is not other and op is not None and op.value is not None and getattr(s, "lineno", 0) != other.lineno:
            if any(isinstance(n, ast.Name) and n.id == v for n in ast.walk(op.value)):
                return int(getattr(s, "lineno", 0))
    return 0
