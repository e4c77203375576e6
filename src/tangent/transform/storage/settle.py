"""The writes in place of a function, settled before it is differentiated: which have adjoints, of what storage."""

from __future__ import annotations

import ast
from dataclasses import dataclass
from typing import Any

from tangent.analysis.activity import Activity, activity
from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Summaries, Write
from tangent.analysis.operation import Operation
from tangent.analysis.passed import is_own
from tangent.analysis.shapes.table import Shapes
from tangent.analysis.storage import Storage, storage
from tangent.source.resolve import MISSING
from tangent.syntax.quote import name
from tangent.syntax.uses import assigned_inside, expression_reads
from tangent.transform.calls import Groups
from tangent.transform.storage.apart import Apart, changed_as_values
from tangent.transform.storage.around import bound_outside, found_around
from tangent.transform.storage.by_value import containers_by_value, deep_stacks, items_by_value, kept_apart
from tangent.transform.storage.callees import refuse_copying_callees
from tangent.transform.storage.cells import read_cells
from tangent.transform.storage.counts import checked_counts
from tangent.transform.storage.dicts import copies, dict_methods, dicts_made, flat_dicts, keys_alone, one_name
from tangent.transform.storage.flat import finished_lists, flat_lists
from tangent.transform.storage.keys import constant_keys
from tangent.transform.storage.lasting import lasting_part
from tangent.transform.storage.outside import refuse_defaults, refuse_through_variables
from tangent.transform.storage.owners import refuse_owners
from tangent.transform.storage.refusals import (
    read_by_active,
    refusal,
    refuse_closures,
    refuse_copied_items,
    refuse_growing,
    refuse_half_way,
    refuse_kept,
    refuse_objects,
    refuse_outside,
    refuse_store,
)
from tangent.transform.storage.rewriting import augmented_in_place, held_results, runtime_function, seen_by_others
from tangent.transform.storage.summaries import (
    Outside,
    aliases_of,
    all_writes,
    called_functions,
    has_stars,
    taken_for_arrays,
)
from tangent.transform.storage.tables import refuse_rows, written_tables
from tangent.transform.storage.text import refuse_channels, refuse_text
from tangent.transform.storage.watched import watched
from tangent.transform.unit import Unit


@dataclass(frozen=True)
class Settled:
    """A function whose writes in place have been looked at: what the derivative depends on of them, and how."""

    unit: Unit
    activity: Activity
    storage: Storage
    sharing: dict[str, str]  # the classes of all that is written into, also of what no derivative depends on
    shadowed: frozenset[str]
    owned: tuple[str, ...]
    arrays: frozenset[str]
    containers: frozenset[str]
    rebound: tuple[str, ...]
    summary: Summaries
    flat: frozenset[str]  # lists and dicts of values that are written in place
    dicts: frozenset[str]  # the dicts among them
    apart: tuple[Apart, ...]  # parameters that are changed as values, and may not be another argument
    part: ast.stmt | None  # takes a part that is read after the array has changed


class _Sharing:
    """The aliases of a function on its way, found again where a step has changed it."""

    def __init__(self, summary: Summaries, groups: Groups) -> None:
        self.summary, self.groups = summary, groups
        self.last: tuple[Unit, Aliases] | None = None

    def __call__(self, this: Unit) -> Aliases:
        if self.last is None or self.last[0] is not this:
            self.last = this, aliases_of(this, self.summary, self.groups)
        return self.last[1]


def settle(
    this: Unit, inputs: tuple[str, ...], outputs: tuple[str, ...], groups: Groups, summary: Summaries, shapes: Shapes,
    outside: Outside,
) -> Settled:  # fmt: skip
    """Find the storage of a function; `groups` are parameters that the caller lets it write into, by sharing."""
    given, sharing = frozenset(p for group in groups for p in group), _Sharing(summary, groups)
    found = [w for w in all_writes(this, summary) if not _binds_number(w, shapes)]
    this = held_results(this, found)
    apart = changed_as_values(this, found, sharing(this))
    this = finished_lists(this, found)
    this, found = one_name(copies(this, found), found, summary)
    this = keys_alone(this, summary)
    this, found = dict_methods(this, found, summary)
    this, found, tables = written_tables(this, found, sharing)
    aliases = sharing(this)
    found = seen_by_others(this, found, aliases)
    this = read_cells(this, found, aliases)
    found += deep_stacks(this, found, aliases)
    this = kept_apart(this, found, shapes)
    this, found = items_by_value(this, found, aliases, given)
    aliases = sharing(this)
    this = checked_counts(this, found, aliases)
    dicts = flat_dicts(this, found, aliases, summary)
    flat = flat_lists(this, found, aliases, tables, summary) - dicts_made(this, summary) | dicts
    refuse_rows(this, found, aliases, flat)
    around = found_around(this, aliases, summary)
    this, found, rebound = containers_by_value(this, found, aliases, given | flat, around)
    aliases = sharing(this)
    open_ = -1
    while open_ != (open_ := sum(w.construct == "augmented" for w in found)):
        this, found = augmented_in_place(this, found, aliases, shapes, given)
        aliases = sharing(this)
    found = [w for w in found if w.construct != "augmented"]
    arrays = (
        frozenset(taken_for_arrays(this, aliases, summary)) | flat | (groups.arrays - assigned_inside(this.core.body))
    )
    whole = storage(this.core, this.operations, found, aliases, this.parameters, arrays, given)
    more = [Operation("store", (w.root,), tuple(w.reads)) for w in found if w.construct == "call"]
    own = {v: c for v, c in whole.classes.items() if this.context.scope.lookup(v) is MISSING}
    among = own if this.source.file.startswith("<generated") else whole.classes  # a derivative writes into no globals
    more += [Operation("store", tuple(sorted(c)), tuple(sorted(c))) for c in class_sets(among)]
    ways = _ways_around(this, found, whole, summary)
    more += ways
    facts = activity(this.core, this.operations, (*inputs, *given, *_carried(this)), (*outputs, *given), more)
    varied, useful = facts.varied, facts.useful
    refuse_closures(this, varied, useful)
    refuse_text(this, varied, useful)
    refuse_owners(this, varied)
    refuse_growing(this)
    refuse_kept(this, aliases, varied & useful)
    refuse_copying_callees(this, aliases.containers)
    refuse_copied_items(this, found, varied & useful)
    for callee, s in called_functions(this):
        for space, v in summary(callee).outside - summary(callee).constant if _brings(this, s, varied) else ():
            outside.append((space, v, refusal(this, Write(s, v, frozenset(), "call"), v)))
    refuse_defaults(this, varied, summary)
    refuse_through_variables(this, found, aliases, varied, useful, outside, summary)
    on_path = read_by_active(this, found, varied & useful)
    for w in found:
        if not (w.root in flat or _has_adjoint(this, w, aliases)):
            refuse_store(this, w, found, aliases, varied, useful, on_path, outside)
    refuse_half_way(this, found, aliases, varied & useful)
    refuse_channels(this, varied, useful)
    this = watched(constant_keys(this, varied, arrays - dicts), varied, useful)
    relevant = {whole.classes[v] for v in (varied & useful) | on_path if v in whole.classes}
    table = _restricted(whole, relevant)
    active = {table.classes[v] for v in varied & useful if v in table.classes}
    shadowed = frozenset(v for v in table.handles if table.classes[v] in active and v in own)
    refuse_objects(this, shadowed)
    refuse_outside(this, found, whole, {v for v in table.handles if table.classes[v] in active} - shadowed)
    by_call = {w.root for w in found if w.construct != "method"}
    members = whole.members(by_call)
    owned = tuple(p for p in this.parameters if p in whole.handles and p in members and p not in given)
    values = tuple(x for x in apart if x[0] not in owned)
    facts = facts.without({v for op in ways for v in op.targets} - {*this.own, *inputs})
    return Settled(
        this, facts, table, whole.classes, shadowed, owned, arrays, aliases.containers, rebound, summary, flat, dicts,
        values, lasting_part(this, whole, aliases.containers),
    )  # fmt: skip


def _ways_around(this: Unit, found: list[Write], table: Storage, summary: Summaries) -> list[Operation]:
    """How what depends on the input goes on by names around the function: `A[:] = x; B[:] = A; return B.sum()`."""
    if this.source.file.startswith("<generated"):  # what its function does was looked at
        return []
    known = this.own
    space = id(this.context.source.function.__globals__)
    ways = [Operation("store", (w.root,), tuple(sorted(w.reads))) for w in found if w.root not in known]
    for v, (other, around) in bound_outside(this, summary):
        both = v, around if other == space and around not in known else f"{other} {around}"
        ways.append(Operation("store", both, both))
    names = {*table.classes, *(v for way in ways for v in way.targets)} - known
    for op in this.operations.values() if names else ():
        read = names & expression_reads(op.value) if op.value is not None else ()
        if read:
            ways.append(Operation("constant", op.targets, tuple(sorted(read))))
    return ways


def _brings(this: Unit, s: ast.stmt, varied: frozenset[str]) -> bool:
    """Whether a call may hand something to its function that the derivative depends on: counters get nothing of it."""
    op = this.operations.get(s)
    return op is None or op.kind != "call" or not varied.isdisjoint(op.operands)


def _binds_number(w: Write, shapes: Shapes) -> bool:
    """Whether `s += v` only binds a name anew, since s is a number."""
    return w.construct == "augmented" and shapes.of(name(w.root)).scalar


def _carried(this: Unit) -> list[str]:
    """Shadows that a forward pass binds for its backward pass: zero until then, but not for good."""
    if not getattr(this.source.function, "carries", False):
        return []
    among = runtime_function("shadow_among")
    return [
        op.targets[0]
        for op in this.operations.values()
        if op.callee is among or (op.kind == "rule" and op.rule.name in ("shadow", "item_shadow"))
    ]


def class_sets(classes: dict[str, str]) -> list[set[str]]:
    sets: dict[str, set[str]] = {}
    for v, c in classes.items():
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
    generated = this.source.file.startswith("<generated")
    inside = not generated and (op.kind == "call" or "index" in op.values)
    listed = w.root in aliases.containers or (inside and bool(aliases.of(w.root) & aliases.containers))
    if op.kind in ("store", "augment"):
        known = op.why == "into Add" or not listed
        return "attribute" not in op.values and op.targets[0] == w.root and known
    if op.kind == "call" and w.construct == "call" and is_own(op.callee):
        if not isinstance(op.value, ast.Call) or has_stars(op.value) or w.root in _among_others(op.value, op.callee):
            return False
        return generated or not listed
    return False


def _among_others(e: ast.Call, callee: Any) -> set[str]:
    """The arguments of a call that `*args` and `**kwargs` take."""
    code = callee.__code__
    names = code.co_varnames[: code.co_argcount + code.co_kwonlyargcount]
    more = [*e.args[code.co_argcount :], *(k.value for k in e.keywords if k.arg not in names)]
    return {n for a in more for n in expression_reads(a)}
