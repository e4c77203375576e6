"""Code that users put into the backward pass: `with insert_grad_of(x) as dx:`.

The statement is the identity on x; its adjoint is the user's block, which reads the adjoint of x and may replace it.

`break` and `continue` in the block act on the backward loop. What they leave out, adjoints apart, still has to be
restored, since statements before the loop, and the iterations of a loop around it, read what the lists hold below.
"""

from __future__ import annotations

import ast
import copy
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass
from itertools import takewhile
from typing import TYPE_CHECKING

from tangent.analysis.recorded import Block as Records
from tangent.rules.table import table
from tangent.source.resolve import MISSING
from tangent.syntax.inserted import Block, InsertedCode, Insertion, Once, RestoringFor, RestoringIf, root
from tangent.syntax.print import comment
from tangent.syntax.quote import assign, at, constant, expression, name
from tangent.syntax.rebuild import rebuild, replace, statements
from tangent.syntax.uses import WRITING_METHODS, assigned_inside, expression_reads, header_reads, writes
from tangent.transform.unit import Unit

if TYPE_CHECKING:
    from tangent.transform.reverse.passes import Reverse
    from tangent.transform.reverse.state import State

MARK = "Inserted code"


@dataclass
class Cut:
    """A block that may leave its backward loop: what is known and what is still to be done then."""

    flag: str
    jumps: frozenset[str]
    rest: list[ast.stmt]
    state: State
    lost: list[str]
    start: list[ast.stmt]  # what the rest reads, for the first time around
    asked: set[str]  # the variables whose gradients the block asks for


Level = tuple[ast.stmt, list[ast.stmt], tuple[Records, ...]]


class Cuts:
    """Where the transformation stands: the backward loop, and what comes before a statement in each block of it."""

    def __init__(self) -> None:
        self.restoring = False
        self.levels: list[Level] = []
        self.found: list[Cut] = []
        self.head: State | None = None
        self.once = False
        self.flags: list[str] = []  # of jumps that end a checkpointed loop

    @contextmanager
    def inside(self, s: ast.stmt, before: list[ast.stmt], path: tuple[Records, ...]) -> Iterator[None]:
        self.levels.append((s, before, path))
        yield
        self.levels.pop()

    @contextmanager
    def loop(self, head: State, s: ast.stmt) -> Iterator[list[Cut]]:
        outer = self.levels, self.found, self.head, self.once
        self.levels, self.found, self.head, self.once = [], [], head, isinstance(s, Once)
        yield self.found
        self.levels, self.found, self.head, self.once = outer


def inserted(this: Reverse, s: Insertion, state: State) -> list[ast.stmt]:
    """The user's block, with the adjoints it asks for before it and those it sets after it."""
    block = s.block
    if this.cuts.restoring:
        return []
    done: list[ast.stmt] = [comment(MARK, s, section=True)]
    pairs = [(place, n) for place, n in zip(s.places, block.names) if n]
    for place, n in pairs:
        done += _given(this, place, n, s, state)
    left = state.copy()
    taken: list[ast.stmt] = []
    for place, n in pairs:
        if n in block.binds or _may_change(block, n, this.unit):
            taken += _taken(this, place, n, s, state)
    code = at(InsertedCode(block), s)
    views, back = _views(this, s)
    if not block.jumps:
        return [*done, *views, code, *back, *taken]
    before, after = _cut(this, s, left, state, [*back, *taken])
    return [*before, *done, *views, code, *after, *back, *taken]


def _views(this: Reverse, s: Insertion) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """Objects whose attributes are in a memory: the block sees them as they were, and must leave them so."""
    views: list[ast.stmt] = []
    back: list[ast.stmt] = []
    for v in s.block.viewed:
        assert s.memory is not None
        held = this.scribe.names.fresh(f"{v}_held")
        views += [assign(held, name(v), s), assign(v, this.scribe.call("as_now", s.memory, name(held)), s)]
        check = this.scribe.call("require_unchanged", s.memory, name(held), name(v), constant(v))
        back += [at(ast.Expr(check), s), assign(v, name(held), s)]
    return views, back


def _cut(
    this: Reverse, s: Insertion, left: State, state: State, taken: list[ast.stmt]
) -> tuple[list[ast.stmt], list[ast.stmt]]:
    """What stands around a block that may jump, so that it is known that it did."""
    head = this.cuts.head
    assert head is not None
    lost = sorted(head.held - left.held - {root(p) for p in s.places})
    zeros = [this.zero(v, left, s) for v in lost]
    stored = [root(p) for p in s.places if root(p) in this.stores.shadowed]
    kept: list[ast.stmt] = [x for x in taken if isinstance(x, ast.Assign) and this.adjoints_of(x) & head.held]
    kept += [x for x in taken if {this.adjoint(v) for v in stored} & (expression_reads(x) | set(writes(x)))]
    viewed = [x for x in taken if set(writes(x)) & set(s.block.viewed)]
    if kept:
        left = state.copy()
        left.held |= set(lost)
    read = _read(this)
    put, given = _put(this, read, state, taken)
    rest = [*copy.deepcopy([*viewed, *kept]), *put, *_restored(this, state, len(read))]
    if put:
        left = given
        left.held |= set(lost)
    flag = this.scribe.names.numbered("cut") if rest or this.cuts.once else ""
    asked = set().union(*(header_reads(x) for x in (*kept, *put))) & set(s.block.names)
    start: list[ast.stmt] = [assign(n, _begun(this, p), s) for p, n in zip(s.places, s.block.names) if n in asked]
    if this.unit.context.memory in left.held:
        left.owned -= _holders(this, left.owned)
    this.cuts.found.append(Cut(flag, s.block.jumps, rest, left, lost, start, {root(p) for p in s.places}))
    if not flag:
        return zeros, []
    return [*zeros, assign(flag, constant(True), s)], [assign(flag, constant(False), s)]


def _begun(this: Reverse, place: ast.expr) -> ast.expr:
    """A gradient for the first time around, which nobody reads."""
    return constant(None) if root(place) in this.unit.context.shown else this.scribe.call("init_grad", place)


def _read(this: Reverse) -> list[ast.stmt]:
    """The statements before a block that read what it asks for from a memory."""
    _, before, _ = this.cuts.levels[-1]
    shown = this.unit.context.shown
    return list(takewhile(lambda x: not shown.isdisjoint(assigned_inside([x])), reversed(before)))[::-1]


def _put(this: Reverse, read: list[ast.stmt], state: State, taken: list[ast.stmt]) -> tuple[list[ast.stmt], State]:
    """What a block asks for in objects, lists and dicts keeps its gradient, too, where it jumps."""
    given = state.copy()
    if not read:
        return [], given
    _, _, path = this.cuts.levels[-1]
    return [*copy.deepcopy(taken), *this.statements_backward(read, given, path)], given


def _restored(this: Reverse, state: State, known: int) -> list[ast.stmt]:
    """What the rest of an iteration restores, without its adjoints; the last statements apart that are known."""
    done: list[ast.stmt] = []
    with _restoring(this):
        for s, before, path in reversed(this.cuts.levels):
            done += [this.pop((s, v), v, s) for v in reversed(this.records.before.get(s, []))]
            done += this.statements_backward(before[: len(before) - known], this.lists_only(state), path)
            known = 0
    return done


@contextmanager
def _restoring(this: Reverse) -> Iterator[None]:
    this.cuts.restoring, outer = True, this.cuts.restoring
    levels, this.cuts.levels = this.cuts.levels, list(this.cuts.levels)
    yield
    this.cuts.restoring, this.cuts.levels = outer, levels


def cut_short(
    this: Reverse, s: ast.stmt, body: list[ast.stmt], cuts: list[Cut], path: tuple[Records, ...], state: State
) -> list[ast.stmt]:
    """A backward loop that blocks may cut short, and after it what they left to be restored."""
    assert isinstance(s, ast.For | ast.While)
    flagged = [cut for cut in cuts if cut.flag]
    if isinstance(s, Once):
        this.cuts.flags += [cut.flag for cut in flagged if "break" in cut.jumps]
    before: list[ast.stmt] = [assign(cut.flag, constant(False), s) for cut in flagged]
    before += [x for cut in flagged if "continue" in cut.jumps for x in cut.start]
    again: list[ast.stmt] = [
        at(RestoringIf(name(cut.flag), [assign(cut.flag, constant(False), s), *inner], []), s)
        for cut in flagged
        if "continue" in cut.jumps and cut.rest
        for inner in [
            [*this.stores.handed_over(s, this.stores.again(cut.rest), cut.asked), *_handed_on(this, s, state)]
        ]
    ]
    after: list[ast.stmt] = [at(RestoringIf(name(cut.flag), cut.rest, []), s) for cut in flagged if cut.rest]
    if any("break" in cut.jumps for cut in cuts):
        with _restoring(this):
            restores = this.backward(s.body, this.lists_only(state), path)
        if restores:
            left = this.scribe.names.numbered("left")
            before.append(assign(left, this.trip_count(s), s))
            body = [assign(left, expression("n - 1", n=left), s), *body]
            loop = this.reversed_loop(s, restores, left)
            assert isinstance(loop, ast.For)
            after.append(at(RestoringFor(loop.target, loop.iter, loop.body, []), s))
    asked = set.intersection(*(cut.asked for cut in flagged)) if flagged else set()
    after = _all_handed(this, s, after, asked, state) if flagged else after
    return [*before, this.reversed_loop(s, [*again, *body]), *after]


def _all_handed(this: Reverse, s: ast.stmt, restores: list[ast.stmt], asked: set[str], state: State) -> list[ast.stmt]:
    """What restores, and after it what names keep."""
    return [*this.stores.handed_over(s, restores, asked), *_handed_on(this, s, state)]


def _handed_on(this: Reverse, s: ast.stmt, state: State) -> list[ast.stmt]:
    """Where the memory is an earlier one: what it does not have yet belongs to the objects and lists themselves."""
    memory = this.unit.context.memory
    done: list[ast.stmt] = []
    if memory not in state.held:
        return done
    b = this.adjoint(memory)
    holders = sorted(_holders(this, state.held))
    if not holders:
        alone = [name(b), name(memory), constant(None), name(b)]
        return [assign(b, this.scribe.call("handed_slots", *alone), s)]
    for v in holders:
        parts = [name(b), name(memory), name(v), name(b)]
        own = this.scribe.call("handed_owner", *parts)
        done.append(assign(this.adjoint(v), this.scribe.call("add_grad", name(this.adjoint(v)), own), s))
        done.append(assign(b, this.scribe.call("handed_slots", *parts), s))
    return done


def _holders(this: Reverse, held: set[str]) -> set[str]:
    """Variables that may hold objects, lists or arrays which a memory follows."""
    apart = {this.unit.context.memory} | this.stores.shadowed | this.lists
    return {v for v in held - apart if not this.shapes.of(name(v)).scalar}


def jumping(body: list[ast.stmt]) -> set[ast.stmt]:
    """The statements in loops that blocks may cut short."""
    found: set[ast.stmt] = set()
    for s in statements(body):
        if isinstance(s, ast.For | ast.While) and any(_jumps(x) for x in statements(s.body)):
            found |= set(statements(s.body))
    return found


def _jumps(s: ast.stmt) -> bool:
    return isinstance(s, Insertion) and bool(s.block.jumps)


def _given(this: Reverse, place: ast.expr, n: str, s: Insertion, state: State) -> list[ast.stmt]:
    """`dx = bx`: a real number or array that the block may do with as it likes."""
    v = root(place)
    b = name(this.adjoint(v))
    if v in this.stores.shadowed:
        return [assign(n, this.scribe.call("settled", _at(b, place, this), place), s)]
    if v not in state.held:
        return [assign(n, this.scribe.call("init_grad", place), s)]
    if not isinstance(place, ast.Name):
        return [assign(n, this.scribe.call("settled", _at(b, place, this), place), s)]
    known = this.shapes.of(name(v)).number and v not in state.lazy
    if known and (v in state.owned or not _may_change(s.block, n, this.unit)):
        state.owned.discard(v)
        return [assign(n, b, s)]
    return [assign(n, this.scribe.call("copy", b) if known else this.scribe.call("settled", b, place), s)]


def _taken(this: Reverse, place: ast.expr, n: str, s: Insertion, state: State) -> list[ast.stmt]:
    """`bx = dx`, in the shape and dtype of x."""
    v = root(place)
    b = this.adjoint(v)
    value: ast.expr = this.scribe.call("fit_grad", name(n), place)
    if v in this.stores.shadowed:
        return [_into_shadow(this, place, value, s)]
    done: list[ast.stmt] = []
    if not isinstance(place, ast.Name):
        if v not in state.held:
            done.append(assign(b, this.scribe.call("init_grad", name(v)), s))
        elif v in state.lazy or not this.shapes.of(name(v)).number:
            done.append(assign(b, this.scribe.call("dense", name(b)), s))
        value = _with(name(b), place, value, this)
    state.held.add(v)
    state.owned.add(v)
    state.lazy.discard(v)
    return [*done, assign(b, value, s)]


def _into_shadow(this: Reverse, place: ast.expr, value: ast.expr, s: Insertion) -> ast.stmt:
    """`ba[...] = da`: what is written in place has its adjoint in place."""
    v = root(place)
    if any(isinstance(n, ast.Attribute) for n in ast.walk(place)):
        raise this.unit.refuse(
            s, f"a block that sets the gradient of '{ast.unparse(place)}'", f"'{v}' is written in place",
            "Set the gradient of an array, or of a value that is read from it.",
        )  # fmt: skip
    b = name(this.adjoint(v))
    match place:
        case ast.Subscript(value=outer, slice=index) if not this.stores.is_array(v):
            part, shown = _at(b, outer, this), this.scribe.as_argument(index)
            return at(ast.Expr(this.scribe.call("refill_item", part, shown, value)), s)
        case ast.Name() if this.stores.is_container(v):
            return at(ast.Expr(this.scribe.call("refill", b, value)), s)
        case ast.Name():
            target: ast.expr = ast.Subscript(b, constant(Ellipsis), ast.Store())
        case _:
            target = replace(_at(b, place, this), ctx=ast.Store())
    return at(ast.Assign([target], value), s)


def _at(b: ast.expr, place: ast.expr, this: Reverse) -> ast.expr:
    """The adjoint of a place in the adjoint of its variable: `bparams["w"]` for `params["w"]`."""
    match place:
        case ast.Subscript(value=value, slice=index):
            return ast.Subscript(_at(b, value, this), index, ast.Load())
        case ast.Attribute(value=value, attr=attr):
            return this.scribe.call("get_attribute", _at(b, value, this), constant(attr))
        case _:
            return b


def _with(b: ast.expr, place: ast.expr, value: ast.expr, this: Reverse) -> ast.expr:
    """The adjoint of the variable with another one at a place."""
    match place:
        case ast.Subscript(value=outer, slice=index):
            shown = this.scribe.as_argument(index)
            return _with(b, outer, this.scribe.call("replace_item", _at(b, outer, this), shown, value), this)
        case ast.Attribute(value=outer, attr=attr):
            changed = this.scribe.call("replace_field", _at(b, outer, this), constant(attr), value)
            return _with(b, outer, changed, this)
        case _:
            return value


def _may_change(block: Block, n: str, unit: Unit) -> bool:
    """Whether a block may write into the gradient it is given, itself or by a function that it calls."""
    return any(_changes(node, n, unit) for s in block.body for node in ast.walk(s))


def _changes(node: ast.AST, n: str, unit: Unit) -> bool:
    match node:
        case ast.Assign(targets=targets):
            return any(root(t) == n and not isinstance(t, ast.Name) for t in targets)
        case ast.AugAssign(target=target):
            return root(target) == n
        case ast.Call(func=ast.Attribute(value=value, attr=attr)) if root(value) == n:
            return attr in WRITING_METHODS
        case ast.Call(func=func, args=args, keywords=keywords):
            passed = any(n in _handed(e) for e in (*args, *(k.value for k in keywords)))
            return passed and (any(k.arg == "out" for k in keywords) or not _only_reads(func, unit))
        case _:
            return False


def _handed(e: ast.expr) -> set[str]:
    """Names that an argument hands on; shapes and the like apart."""
    plain = table().zero_attributes
    return expression_reads(
        rebuild(e, lambda x: ast.Constant(None) if isinstance(x, ast.Attribute) and x.attr in plain else x)
    )


def _only_reads(func: ast.expr, unit: Unit) -> bool:
    """Whether a function is known to leave its arguments alone."""
    found = unit.context.scope.resolve(func)
    if found is MISSING:
        return isinstance(func, ast.Attribute) and func.attr == "append"
    module = getattr(found, "__module__", "") or ""
    return module in ("builtins", "math") or bool(table().lookup(found)) or table().is_zero(found)


# Forward mode


def without_insertions(this: Unit) -> Unit:
    """The function for forward mode, which has no backward pass: blocks that only look at gradients are left out."""
    if not any(op.kind == "insert" for op in this.operations.values()):
        return this
    operations = dict(this.operations)

    def kept(s: ast.stmt) -> ast.stmt | None:
        match s:
            case Insertion(block=block):
                if block.jumps or any(n in block.binds or _may_change(block, n, this) for n in block.names if n):
                    raise this.refuse(
                        s, "'with insert_grad_of' in forward mode",
                        "the block changes a gradient, and forward mode has none", "Use reverse mode.",
                    )  # fmt: skip
                del operations[s]
                return None
            case ast.If(body=body, orelse=orelse):
                return replace(s, body=_each(body, kept), orelse=_each(orelse, kept))
            case ast.For(body=body) | ast.While(body=body):
                new = replace(s, body=_each(body, kept))
                if s in operations:
                    operations[new] = operations[s]
                return new
            case _:
                return s

    core = replace(this.core, body=_each(this.core.body, kept))
    return Unit(this.source, core, this.context, operations)


def plain_blocks(body: list[ast.stmt]) -> list[ast.stmt]:
    """The statements as the function itself runs them, without those for the backward pass."""

    def kept(s: ast.stmt) -> ast.stmt | None:
        match s:
            case Insertion():
                return None
            case ast.If(body=then, orelse=other):
                return replace(s, body=_each(then, kept), orelse=_each(other, kept))
            case ast.For(body=inner) | ast.While(body=inner):
                return replace(s, body=_each(inner, kept))
            case _:
                return s

    return _each(body, kept)


def _each(body: list[ast.stmt], change: Callable[[ast.stmt], ast.stmt | None]) -> list[ast.stmt]:
    return [new for s in body if (new := change(s)) is not None]
