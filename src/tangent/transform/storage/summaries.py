"""What functions write into and share: their summaries for callers, and the names they touch outside."""

from __future__ import annotations

import ast
import dataclasses
import types
import weakref
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from tangent.analysis.activity import activity
from tangent.analysis.aliases import Aliases
from tangent.analysis.effects import Summaries, Summary, Write, writes_in_place, written_by
from tangent.analysis.made import BESIDE, copies_container, is_slice
from tangent.analysis.operation import Operation
from tangent.analysis.passed import is_own, passed_on
from tangent.errors import InPlaceError, TangentError
from tangent.rules.table import table
from tangent.source.conflicts import READ
from tangent.source.generators import is_generator
from tangent.source.read import read
from tangent.syntax.rebuild import statements
from tangent.syntax.uses import arguments, expression_reads, writes
from tangent.syntax.walk import walk
from tangent.transform.calls import Groups
from tangent.transform.content import content_read
from tangent.transform.storage.around import filled_around, shown_around, written_around
from tangent.transform.storage.asked import asked_variables
from tangent.transform.unit import Unit, is_lasting

Outside = list[tuple[int, str, InPlaceError]]
OF_ARRAYS = frozenset("T transpose swapaxes reshape ravel diagonal moveaxis".split())


def globals_read(this: Unit, useful: frozenset[str], summary: Summaries) -> set[tuple[int, str]]:
    """Global names that the result of a function depends on, also by what a callee writes into."""

    def fills(e: ast.expr) -> bool:
        return isinstance(e, ast.Call) and not useful.isdisjoint(written_by(e, this.context.scope, summary))

    names = {
        n.id
        for op in this.operations.values()
        if op.value is not None and (any(t in useful for t in op.targets) or fills(op.value))
        for n in walk(op.value)
        if isinstance(n, ast.Name) and n.id not in this.context.scope.local
    }
    names |= {this.result} - this.context.scope.local
    return {(id(this.context.source.function.__globals__), v) for v in names}


def globals_rebound(this: Unit, varied: frozenset[str]) -> Outside:
    """Global names that a function assigns something that depends on the input."""
    found: Outside = []
    for s, op in this.operations.items():
        if op.why == "global" and any(v in varied for v in (*op.operands, *op.targets)):
            error = InPlaceError(
                f"cannot differentiate the assignment to the global '{op.targets[0]}'", this.source.locate(s),
                "the derivative depends on it elsewhere", "Return the value and pass it on as an argument.",
            )  # fmt: skip
            error.meet(READ, this.read_beside(op.targets[0], s))
            found.append((id(this.context.source.function.__globals__), op.targets[0], error))
    return found + _classes_changed(this, varied)


def _classes_changed(this: Unit, varied: frozenset[str]) -> Outside:
    """Classes and modules that a function gives an attribute which depends on the input."""
    found: Outside = []
    for s in statements(this.core.body):
        match s:
            case (
                ast.Assign(targets=[ast.Attribute(value=owner, attr=attr)], value=value)
                | ast.AugAssign(target=ast.Attribute(value=owner, attr=attr), value=value)
            ) if expression_reads(value) & varied:
                if isinstance(this.context.scope.resolve(owner), (type, types.ModuleType)):
                    error = InPlaceError(
                        f"cannot differentiate the assignment to '{ast.unparse(owner)}.{attr}'", this.source.locate(s),
                        "all objects of the class see it", "Keep it in an object, or pass it on as an argument.",
                    )  # fmt: skip
                    space = id(this.context.source.function.__globals__)
                    found += [(space, v, error) for v in sorted(expression_reads(owner))]
    return found


_of_all: weakref.WeakKeyDictionary[ast.FunctionDef, Summary] = weakref.WeakKeyDictionary()  # of Tangent's own functions


def summaries(unit_of: Callable[[types.FunctionType], Unit], given: Callable[[Any], bool] | None = None) -> Summaries:
    """What callees do to their parameters, found out on demand; of what is given otherwise, nothing is read."""
    known: dict[Any, Summary] = {}
    begun: set[Any] = set()
    asked: set[Any] = set()  # those of which something was told before they were known
    cores: dict[Any, ast.FunctionDef] = {}  # of functions that are the same for all modules

    def summary(function: Any) -> Summary:
        if function in begun:
            asked.add(function)
        if function not in known:
            first = not begun
            known[function] = Summary()
            begun.add(function)
            settled = set(known)
            while (new := found_out(function)) != known[function]:
                known[function] = new
                if function not in asked:  # only functions that call themselves are gone through again
                    break
                for other in set(known) - settled:
                    del known[other]
            begun.discard(function)
            if first:  # nothing rests on what is not known yet
                _of_all.update({core: known[f] for f, core in cores.items() if f in known})
        return known[function]

    def found_out(function: Any) -> Summary:
        if table().custom_of(function) is not None:
            return Summary(_stored_into(function))
        if given is not None and given(function):
            return Summary()
        try:
            this = unit_of(function)
        except TangentError:  # what a generator gives may be what it was given, or share it
            return Summary(returned=_parameters(function)) if is_generator(function) else Summary()
        if is_lasting(function) and not this.context.scalars:
            if this.core in _of_all:
                return _of_all[this.core]
            cores[function] = this.core
        parameters = set(this.parameters)
        found = [w for w in all_writes(this, summary) if w.root not in this.context.scalars]
        aliases = aliases_of(
            this, summary, Groups(), {w.statement: w.root for w in found if w.construct == "augmented"}
        )
        written = {p for w in found for p in parameters if _touched(this, w, aliases) & aliases.reach(p)}
        if hasattr(function, "origin"):  # a derivative copies what it writes into
            written = set()
        space = id(function.__globals__)
        local = this.context.scope.local
        around = [w for w in found if w.root not in local and w.root not in parameters]
        outside = set(written_around(this, found, aliases, summary))
        outside |= {(space, v) for v in filled_around(this)}
        inside = [summary(callee) for callee, _ in called_functions(this)]
        outside |= {g for s in inside for g in s.outside - s.constant}
        inner = any(s.stores for s in inside)
        stores = inner or any(w.construct != "augmented" for w in found)
        returned = {p for p in parameters if aliases.reach(this.result) & aliases.of(p)}
        arrays = frozenset(taken_for_arrays(this, aliases, summary) & parameters)
        shared = {p: _sharing(p, this, aliases) for p in parameters}
        changed = [v for w in found if w.construct == "augmented" for v in writes(w.statement)]  # parameters, perhaps
        outputs = (this.result, *this.parameters, *changed, *sorted(set().union(*shared.values())))
        stored = [Operation("store", (w.root,), tuple(sorted(w.reads))) for w in found if w.construct == "call"]
        facts = activity(this.core, this.operations, this.parameters, outputs, stored)
        every, rebound = facts.names(), [op for op in this.operations.values() if op.why == "global"]
        outside |= {(space, op.targets[0]) for op in rebound if not facts.varied.isdisjoint(op.operands)}
        outside |= {(space, w.root) for w in around if w.construct != "store" or not facts.varied.isdisjoint(w.reads)}
        constant = {(space, v) for v in (*(op.targets[0] for op in rebound), *(w.root for w in around))} - outside
        constant = constant.union(*(s.constant for s in inside)) - outside
        bound = {(space, op.targets[0]) for op in rebound}.union(*(s.bound for s in inside))
        bound -= {(space, w.root) for w in around}.union(*(s.outside - s.bound for s in inside))
        bound -= set(written_around(this, found, aliases, summary))
        scaled = {w.root for w in found if w.construct == "augmented" and not _only_adds(w.statement)}
        content = frozenset(p for p, v in shared.items() if v & scaled or content_read(this, every, v, summary))
        if hasattr(function, "checkpointed") or hasattr(function, "loop"):  # what is run again reads all it is given
            content = frozenset(parameters)
        before, kept = known[function].content, known[function].result
        content = content if before is None else content | before
        kept = kept or content_read(this, every, _held_by(this.result, this, aliases), summary)
        restored = kept and _written_inside(this, found, aliases, summary)
        passed = passed_on(this.core, frozenset(parameters), this.context.scope, lambda f: summary(f).passed)
        content |= {c.given for c in passed}
        held = aliases.reach(this.result)
        open_ = any(aliases.of(c.given) & held for c in passed)  # nobody knows what is done to it
        return Summary(
            written,
            returned,
            outside | constant,
            frozenset(shown_around(this, aliases, summary)),
            stores or bool(passed),
            arrays,
            content,
            kept or open_,
            restored or open_,
            passed,
            _given(this, aliases),
            frozenset(constant),
            frozenset(bound),
            frozenset(parameters & asked_variables(this, summary)),
        )

    return summary


def _parameters(function: types.FunctionType) -> set[str]:
    code = function.__code__
    return set(code.co_varnames[: code.co_argcount + code.co_kwonlyargcount])


def _given(this: Unit, aliases: Aliases) -> frozenset[str]:
    """What is known of a list that a function makes and gives; of a tuple, only if there are lists in it."""
    made = [op.value for op in this.operations.values() if this.result in op.targets and op.kind != "push"]
    if this.result not in aliases.containers:
        return frozenset()
    match made:
        case [ast.Tuple(elts=elts)]:
            numbered = frozenset(_lists_among(elts, this, aliases))
            return numbered | {""} if numbered else numbered
        case _ if any(isinstance(e, ast.Tuple) for e in made):
            return frozenset()
    items = set().union(*(aliases.holds.get(o, set()) for o in aliases.of(this.result)))
    listed = (items and items <= aliases.containers) or any(isinstance(e, ast.ListComp) and _is_table(e) for e in made)
    bound = [op for op in this.operations.values() if this.result in op.targets and op.kind != "store"]
    return frozenset({"", *(["[]"] if listed else []), *(["{}"] if any(map(_makes_dict, bound)) else [])})


def _makes_dict(op: Operation) -> bool:
    return isinstance(op.value, ast.Dict) or (op.kind == "rule" and op.rule.name == "dict_of")


def _lists_among(elts: list[ast.expr], this: Unit, aliases: Aliases) -> Iterator[str]:
    """The places of lists in a tuple, where its items have nothing in common."""
    given = set().union(*map(aliases.reach, this.parameters))
    reached = [aliases.reach(e.id) - given if isinstance(e, ast.Name) else set() for e in elts]
    for i, e in enumerate(elts):
        if sum(map(len, reached)) == len(set().union(*reached)) and isinstance(e, ast.Name):
            if e.id in aliases.containers:
                yield str(i)


def _is_table(e: ast.ListComp) -> bool:
    return not isinstance(e.elt, ast.Constant)


def _stored_into(function: types.FunctionType) -> set[str]:
    """The parameters whose items a function whose derivatives are given sets; what it calls is not looked at."""
    try:
        tree = read(function).tree
    except TangentError:
        return set()
    own = {a.arg for a in arguments(tree.args)}
    stored = {
        n.value.id
        for n in walk(tree)
        if isinstance(n, ast.Subscript) and isinstance(n.ctx, ast.Store) and isinstance(n.value, ast.Name)
    }
    return own & stored


def _only_adds(s: ast.stmt) -> bool:
    """Whether the adjoint of an operator in place reads nothing."""
    return isinstance(s, ast.Assign) and isinstance(s.value, ast.BinOp) and isinstance(s.value.op, (ast.Add, ast.Sub))


def _touched(this: Unit, w: Write, aliases: Aliases) -> set[str]:
    """What a statement may write into: of a list also its items, by an operator in place."""
    op = this.operations.get(w.statement)
    inside = op is not None and op.kind == "augment" and w.root in aliases.containers
    return aliases.reach(w.root) if inside or w.deep else aliases.of(w.root)


def _written_inside(this: Unit, found: list[Write], aliases: Aliases, summary: Summaries) -> bool:
    """Whether what the result holds was written in place, so that a backward pass may put back what was there."""
    held = aliases.reach(this.result)
    calls = [op for op in this.operations.values() if is_restoring(op, summary)]
    return any(_touched(this, w, aliases) & held for w in found) or any(
        aliases.reach(op.targets[0]) & held for op in calls
    )


def is_restoring(op: Operation, summary: Summaries) -> bool:
    """Whether the backward pass of a call may write into what the call has returned."""
    return op.kind == "dynamic" or (op.kind == "call" and summary(op.callee).restored)


def _sharing(v: str, this: Unit, aliases: Aliases) -> frozenset[str]:
    names = {n for op in this.operations.values() for n in (*op.targets, *op.operands)} | {v}
    return frozenset(n for n in names if aliases.reach(n) & aliases.of(v))


def _held_by(v: str, this: Unit, aliases: Aliases) -> frozenset[str]:
    """Variables that refer to what a variable holds, or to itself."""
    names = {n for op in this.operations.values() for n in (*op.targets, *op.operands)} | {v}
    return frozenset(n for n in names if aliases.of(n) & aliases.reach(v))


def called_functions(this: Unit) -> list[tuple[types.FunctionType, ast.stmt]]:
    """The user functions that a function calls, as far as they are known."""
    calls = [(n, s) for s in statements(this.core.body) for n in walk(header(s)) if isinstance(n, ast.Call)]
    found = [(this.context.scope.resolve(n.func), s) for n, s in calls]
    return [(callee, s) for callee, s in found if is_own(callee)]


def header(s: ast.stmt) -> ast.AST:
    """The part of a statement that is not in its blocks."""
    return s.test if isinstance(s, (ast.If, ast.While)) else s.iter if isinstance(s, ast.For) else s


FUNCTIONS = (types.FunctionType, types.BuiltinFunctionType, np.ufunc)
OWN_NOTHING = (types.FunctionType, types.ModuleType, type)  # what a callee is given and writes nothing into


def all_writes(this: Unit, summary: Summaries) -> list[Write]:
    context = this.context
    found = writes_in_place(this.core, this.operations, context.scope, context.augmented, summary)
    generated = this.source.file.startswith("<generated")
    followed = context.memory or generated  # calls of functions that write are, too
    calls = {s for _, s in called_functions(this)}
    sums = {s for s, op in this.operations.items() if op.why == "into Add"}  # to a shadow, and those that it holds
    return [
        dataclasses.replace(w, deep=w.deep or (w.construct == "call" and w.statement in calls) or w.statement in sums)
        for w in found
        if (w.construct != "closure" or not followed)
        and not (w.construct == "call" and isinstance(context.scope.lookup(w.root), OWN_NOTHING))
    ]


def taken_for_arrays(this: Unit, aliases: Aliases, summary: Summaries) -> set[str]:
    """Variables that are written into by an index and are no lists or dicts made here: taken for arrays."""
    found: set[str] = set()
    generated = this.source.file.startswith("<generated")
    for s, op in this.operations.items():
        index = op.values.get("index") if op.kind in ("store", "augment") else None
        whole = isinstance(index, ast.Constant) and index.value is Ellipsis  # behind a test of its type
        asked = whole and (generated or (s.lineno, s.col_offset) in this.context.asked)
        asked = asked or (generated and op.why == "at Add")  # add_at is for what may be a container, too
        if index is not None and op.targets[0] not in aliases.containers and not is_key(index) and not asked:
            found.add(op.targets[0])
        if op.kind == "call" and isinstance(op.value, ast.Call) and is_own(op.callee) and not has_stars(op.value):
            names = op.callee.__code__.co_varnames
            given = [*zip(names, op.value.args), *((k.arg or "", k.value) for k in op.value.keywords)]
            inside = summary(op.callee).arrays
            found |= {a.id for p, a in given if p in inside and isinstance(a, ast.Name)} - aliases.containers
    bound: dict[str, list[Operation]] = {}
    for op in this.operations.values():
        for t in op.targets if op.kind not in ("store", "augment") else ():
            bound.setdefault(t, []).append(op)
    lists = _lists_somewhere(this, bound)
    found -= lists
    changed = True
    while changed:
        copies = {t: ops for t, ops in bound.items() if all(op.kind == "copy" for op in ops)}
        new = {t for t, ops in copies.items() if all(op.operands[0] in found for op in ops)}
        new |= {op.operands[0] for t in found for op in bound.get(t, []) if op.kind == "copy"}
        views = {t: ops[0] for t, ops in bound.items() if len(ops) == 1 and ops[0].kind == "rule" and t in found}
        new |= {op.operands[0] for op in views.values() if op.rule.name in OF_ARRAYS and op.operands}
        new -= found | aliases.containers | lists
        found |= new
        changed = bool(new)
    return found


def _lists_somewhere(this: Unit, bound: dict[str, list[Operation]]) -> set[str]:
    """Variables that are lists in some branch, or in some turn of a loop: they, or their shadows, are no arrays there.
    Neither are arrays of objects, which hold anything, and those of bytes, whose items are Python's numbers.

    A derivative keeps lists in others: `xs = [x, y]; xs_stack.append(xs); ...; xs = xs_stack.pop()`.
    """
    pushed: dict[str, list[str]] = {}
    for op in this.operations.values():
        if op.kind == "push":
            pushed.setdefault(op.targets[0], []).extend(op.operands)

    def is_list(op: Operation) -> bool:
        match op.value:
            case ast.List() | ast.ListComp():
                return True
            case ast.Call(func=ast.Name() as func) if this.context.scope.resolve(func) is bytearray:
                return True
            case ast.Call(func=ast.Name(id=function), args=[ast.Name(id=v), *_]) if function.rstrip("_") in BESIDE:
                return v in found
            case ast.Call(args=args, keywords=keywords) if any(
                this.context.scope.resolve(e) is object for e in (*args, *(k.value for k in keywords))
            ):
                return True
            case _ if op.kind == "pop":
                return not found.isdisjoint(pushed.get(op.operands[0], ()))
            case _ if op.kind == "copy" or is_slice(op):
                return op.operands[0] in found
            case _:
                return copies_container(op)

    found: set[str] = set()
    while new := {t for t, ops in bound.items() if t not in found and any(map(is_list, ops))}:
        found |= new
    return found


def is_key(index: ast.expr) -> bool:
    return isinstance(index, ast.Constant) and isinstance(index.value, str)


def has_stars(e: ast.Call) -> bool:
    return any(isinstance(a, ast.Starred) for a in e.args) or any(k.arg is None for k in e.keywords)


def aliases_of(this: Unit, summary: Summaries, groups: Groups, in_place: dict[ast.stmt, str] | None = None) -> Aliases:
    fresh, sharing = [getattr(this.source.function, "fresh", "")], getattr(this.source.function, "sharing", ())
    scalars = this.context.scalars
    return Aliases(
        this.core, this.operations, summary, this.parameters, groups, scalars, fresh, in_place, sharing,
        functions_named(this),
    )  # fmt: skip


def functions_named(this: Unit) -> set[str]:
    """Names of functions that no array is behind: those of the module, of libraries, and made here without captures."""
    scope = this.context.scope
    made: dict[str, list[Operation]] = {}
    for op in this.operations.values():
        for v in op.targets:
            made.setdefault(v, []).append(op)

    def is_function(op: Operation) -> bool:
        named = op.value if op.kind in ("constant", "zero") else None
        return isinstance(scope.resolve(named), FUNCTIONS) if named else op.kind == "closure" and not op.operands

    here = {v for v, found in made.items() if v not in this.inputs and all(map(is_function, found))}
    operands = {v for op in this.operations.values() if op.kind == "pack" for v in op.operands}
    return here | {v for v in operands - scope.local if isinstance(scope.lookup(v), FUNCTIONS)}
