"""Writes in place that cannot be differentiated, or not told apart from those that cannot."""

from __future__ import annotations

import ast
from collections.abc import Iterator

from tangent.analysis.aliases import Aliases
from tangent.analysis.closures import closure_conflicts
from tangent.analysis.effects import Write
from tangent.analysis.storage import Storage
from tangent.errors import CaptureError, InPlaceError, Location
from tangent.rules.growing import kept_while_changing
from tangent.source.conflicts import READ
from tangent.source.read import is_derivative
from tangent.syntax.blocks import Attempt
from tangent.syntax.names import identifiers
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import assigned_inside, expression_reads, header_reads, writes
from tangent.syntax.walk import walk
from tangent.transform.attempts.failing import live_on_failure
from tangent.transform.containers import changes_container
from tangent.transform.storage.summaries import Outside, called_functions
from tangent.transform.unit import Unit


def refuse_closures(this: Unit, varied: frozenset[str], useful: frozenset[str]) -> None:
    again = is_derivative(this.source.function)
    for c in closure_conflicts(this.core, this.operations, again, bool(this.context.memory)):
        rebinds = not this.context.scope.local >= {c.name} and any(v in varied for v in writes(c.statement))
        if c.name in varied or c.name in useful or rebinds:
            v = shown_name(this, c.name) or c.name
            error = CaptureError(
                f"cannot differentiate a function that captures '{v}'", this.source.locate(c.statement), c.why,
                f"Pass '{v}' to the function as an argument.",
            )  # fmt: skip
            error.meet("It is captured", this.source.locate(c.made) if c.made is not None else None)
            error.needs_memory = not again
            raise error


def refuse_half_way(this: Unit, found: list[Write], aliases: Aliases, active: frozenset[str]) -> None:
    """Calls that write and may fail half-way where that is caught: how far they came is not known."""
    calls = {s for _, s in called_functions(this)}
    for attempt in statements(this.core.body):
        if not isinstance(attempt, Attempt):
            continue
        inside = set(statements(attempt.body))
        for w in found:
            if w.statement in inside & calls and aliases.same(w.root, set(active), w.deep):
                if aliases.same(w.root, set(live_on_failure(this.core, attempt)), w.deep):
                    error = this.refuse(
                        w.statement, f"'{this.source.statement_text(w.statement)}' inside 'try'",
                        f"it writes into '{w.root}', which is read after an exception: how far it came is not known",
                        "Give it a copy, and take that over where nothing was raised.",
                    )  # fmt: skip
                    error.meet(READ, _read_after(this, attempt, w, aliases))
                    raise error


def _read_after(this: Unit, attempt: Attempt, w: Write, aliases: Aliases) -> Location | None:
    """The first statement after an attempt that reads what a statement in it writes into."""
    every = list(statements(this.core.body))
    last = max(every.index(s) for s in (attempt, *statements(attempt.body)))
    readers = (s for s in every[last + 1 :] if aliases.same(w.root, header_reads(s), w.deep))
    return next(map(this.source.locate, readers), None)


def refuse_growing(this: Unit) -> None:
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


def refuse_kept(this: Unit, aliases: Aliases, active: frozenset[str]) -> None:
    """Lists that change after a function, or a closure, has kept them: `ys = wrap(xs); xs.append(v)`."""
    if this.source.file.startswith("<generated"):
        return
    lists = {v for op in this.operations.values() if op.kind == "push" for v in op.targets}

    def put(s: ast.stmt) -> set[str]:
        op = this.operations.get(s)
        if op is None or op.kind not in ("call", "closure"):
            return set()
        held = set().union(*(aliases.reach(t) for t in op.targets))
        return {v for v in op.operands if aliases.of(v) & held}

    for v in sorted(kept_while_changing(this.core.body, lists & active, put)):
        s = next(s for s in statements(this.core.body) if v in put(s))
        raise sharing_items(
            this, s, f"'{this.source.statement_text(s)}'", f"it keeps '{v}', which changes afterwards",
            "Give it a copy of the list.",
        )  # fmt: skip


def refuse_copied_items(this: Unit, found: list[Write], active: frozenset[str]) -> None:
    """Writes into items of what `copy.deepcopy` made: the items of its shadow are not made anew, as its own are."""
    copies = {
        op.targets[0] for op in this.operations.values() if op.kind == "rule" and op.rule.name == "deepcopy"
    }  # fmt: skip
    for w in found if copies else ():
        for s in statements(this.core.body):
            match s:
                case ast.Assign(targets=[ast.Name(id=v)], value=ast.Subscript(value=ast.Name(id=base))):
                    if v == w.root and base in copies & active:
                        error = refusal(this, w, base)
                        error.needs_memory = True
                        raise error


def refuse_objects(this: Unit, shadowed: frozenset[str]) -> None:
    """Objects have no shadows: those that hold something that is written in place are followed with a memory.

    Nor has a memory: where what it holds may be written in place, it must be one of arrays.
    """
    memory = this.context.memory
    plain = memory and not getattr(this.source.function, "in_place", False)
    for s, op in this.operations.items():
        kept = [v for v in op.targets if plain and v in shadowed and v.rstrip("0123456789") == memory]
        if kept:
            error = holding(this, s, kept[0])
            error.needs_memory = True
            raise error
        if op.kind == "rule" and op.rule.name == "with_attribute" and not shadowed.isdisjoint(op.targets):
            error = holding(this, s, op.targets[0])
            error.needs_memory = True
            raise error


def holding(this: Unit, s: ast.stmt, v: str) -> InPlaceError:
    return InPlaceError(
        f"cannot differentiate '{this.source.statement_text(s)}'", this.source.locate(s),
        f"'{v}' holds on to something that is written in place", "Keep a copy of it instead (x.copy()).",
    )  # fmt: skip


def sharing_items(this: Unit, s: ast.stmt, construct: str, why: str, todo: str) -> InPlaceError:
    """A list whose items are seen elsewhere, too, is written into: with a memory it can be followed."""
    error = InPlaceError(f"cannot differentiate {construct}", this.source.locate(s), why, todo)
    error.needs_memory = True
    return error


def read_by_active(this: Unit, stores: list[Write], active: frozenset[str]) -> set[str]:
    """Variables whose values an adjoint may read."""
    return set().union(*(names for _, names in _active_reads(this, stores, active)))


def _active_reads(this: Unit, stores: list[Write], active: frozenset[str]) -> Iterator[tuple[ast.stmt, set[str]]]:
    """What the statements read that have an adjoint, also as an index of what is stored, or in a call that writes."""
    for s, op in this.operations.items():
        if any(t in active for t in op.targets) and op.value is not None:
            yield s, {n.id for n in walk(op.value) if isinstance(n, ast.Name)}
    yield from ((w.statement, set(header_reads(w.statement))) for w in stores if w.root in active)
    yield from _loop_reads(this, stores, active)


def _loop_reads(this: Unit, stores: list[Write], active: frozenset[str]) -> Iterator[tuple[ast.stmt, set[str]]]:
    """The lists and dicts whose lengths tell how often a loop with an adjoint ran: `for k in range(len(xs))`."""
    written = {w.statement for w in stores if w.root in active}
    for s in statements(this.core.body):
        if isinstance(s, ast.For):
            inside = statements(s.body)
            if not active.isdisjoint(assigned_inside(inside)) or not written.isdisjoint(inside):
                yield s, set(header_reads(s))


def refuse_store(
    this: Unit, w: Write, stores: list[Write], aliases: Aliases, varied: frozenset[str], useful: frozenset[str],
    on_path: set[str], outside: Outside,
) -> None:  # fmt: skip
    active = varied & useful
    if _has_no_derivative(this, w, varied, active):
        return
    brings = bool(w.reads & varied) or w.construct in ("method", "closure")
    local = this.context.scope.local
    if w.root not in local and w.root not in this.parameters:
        brings = brings and (w.construct in ("method", "closure") or not varied.isdisjoint(w.reads - {w.root}))
        if brings and _flows_from(this, w.root, useful):
            raise refusal(this, w, w.root)
        if brings:
            outside.append((id(this.context.source.function.__globals__), w.root, refusal(this, w, w.root)))
        return
    involved = aliases.same(w.root, set(active) | on_path | (set(useful) if brings else set()), w.deep)
    apart = not brings and not aliases.same(w.root, set(active), w.deep)
    if involved and not (apart and _before_all_reads(this, w, involved, stores, active)):
        error = refusal(this, w, involved[0])
        error.needs_memory |= bool(aliases.of(w.root) & aliases.containers) or (w.construct == "call" and w.deep)
        raise error


def _has_no_derivative(this: Unit, w: Write, varied: frozenset[str], active: frozenset[str]) -> bool:
    """Whether the call that may write is refused for its result: a function without source and without a rule."""
    op = this.operations.get(w.statement)
    unknown = op is not None and op.kind == "opaque" and op.why == "no rule"
    return unknown and op is not None and bool(active.intersection(op.targets) and varied.intersection(op.operands))


def _before_all_reads(this: Unit, w: Write, names: list[str], stores: list[Write], active: frozenset[str]) -> bool:
    """Whether something inactive is written only before any active statement reads it, and in no common loop."""
    order = {s: i for i, s in enumerate(statements(this.core.body))}
    reads = _active_reads(this, stores, active)
    readers = [s for s, read in reads if s in order and not read.isdisjoint(names)]
    loops = [set(statements(s.body)) for s in order if isinstance(s, (ast.For, ast.While))]
    together = any(w.statement in loop and r in loop for loop in loops for r in readers)
    return not together and all(order[w.statement] < order[r] for r in readers)


def _flows_from(this: Unit, root: str, useful: frozenset[str]) -> bool:
    """Whether the result depends on what a global name refers to, or is that."""
    if this.result == root:
        return True
    for op in this.operations.values():
        if any(t in useful for t in op.targets) and op.value is not None:
            if any(isinstance(n, ast.Name) and n.id == root for n in walk(op.value)):
                return True
    return False


def refuse_outside(this: Unit, found: list[Write], table: Storage, handles: set[str]) -> None:
    """Writes into what a name outside of the function stands for, too: its gradient has no place."""
    if this.source.file.startswith("<generated"):  # what its function does was looked at
        return
    for w in found:
        for v in sorted(handles):
            if table.classes.get(w.root) == table.classes[v]:
                raise refusal(this, w, v)


def refusal(this: Unit, w: Write, involved: str) -> InPlaceError:
    text = this.source.statement_text(w.statement)
    v = shown_name(this, w.root)
    changed = f"'{v}', which" if v else "what"
    error = InPlaceError(
        f"cannot differentiate a write in place: '{text}'", this.source.locate(w.statement),
        f"it changes {changed} the derivative depends on", _instead(w),
    )  # fmt: skip
    error.needs_memory = changes_container(w.statement)
    error.about = "" if involved in this.context.scope.local else involved
    return error


def shown_name(this: Unit, v: str) -> str:
    """The name of a variable in the user's text; of a value in between, none."""
    known = identifiers(getattr(this.source.tree, "before", this.source.tree))
    return next((name for name in (v, v.rstrip("0123456789")) if name in known), "")


def _instead(w: Write) -> str:
    match w.statement:
        case ast.Assign(targets=[ast.Attribute(value=ast.Name(id=v), attr="shape")]):
            return f"Make a view of another shape ({v} = {v}.reshape(shape)): what holds '{v}' keeps its shape."
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="resize"))):
            return f"Make a new array: {w.root} = np.resize({w.root}, shape), or np.concatenate."
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="setflags"))):
            return "Leave it out: a derivative works on arrays of its own, and writes into them."
        case ast.Expr(value=ast.Call(func=ast.Attribute(attr="shuffle"))):
            return f"Draw an order, and take it: {w.root} = {w.root}[rng.permutation(len({w.root}))]."
        case _:
            return "Make a new value instead of changing the old one (np.where, np.concatenate, x = x + v)."
