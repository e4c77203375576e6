"""Parts of arguments whose items are assigned: taken for arrays, but in what is given they may be lists of arrays.

rows = t[1]
rows[0] = rows[1]     ->   t: (1,)

An array takes in what is assigned to its item; a list holds on to it. Which it is, is seen when
the derivative is called.
"""

from __future__ import annotations

import ast
import types
from collections.abc import Callable
from typing import Any

from tangent.analysis.made import is_slice
from tangent.analysis.operation import Operation
from tangent.syntax.rebuild import walk_scope
from tangent.syntax.uses import arguments
from tangent.transform.storage.callees import text_of
from tangent.transform.storage.settle import Settled
from tangent.transform.unit import Unit

Path = tuple[Any, ...]  # the keys that lead to a part; None is any
Ways = tuple[tuple[str, Path], ...]
DEEPEST = 4


def stored_parts(settled: Settled) -> Ways:
    """Parameters, and the ways to those of their parts whose items are assigned.

    Of a derivative, also to those that operators in place change: what follows them keeps copies of the items.
    """
    function = settled.unit.source.function
    given: Ways = (*getattr(function, "stored", ()), *getattr(function, "augmented", ()))
    return tuple(dict.fromkeys((*_parts(settled, _stored), *_whole(settled), *copied_parts(settled), *given)))


def looked_at(settled: Settled) -> tuple[str, ...]:
    """The parameters that are copied, since they are written into, or whose copies are: they may be lists."""
    function = settled.unit.source.function
    copied = [p for p, _ in copied_parts(settled)]
    return tuple(dict.fromkeys((*settled.owned, *copied, *getattr(function, "owned", ()))))


def copied_parts(settled: Settled) -> Ways:
    """Parameters, and the ways to those of their parts of which copies are written into: of lists these hold the same.

    w = t.copy()
    w[0][1] = v       ->   t: ()
    """
    this = settled.unit
    if this.context.memory:
        return ()
    ways = _ways(this)
    every = [op for op in this.operations.values() if op.operands]
    stored = {v for op in every for v in _stored(op) | _augmented(op)}
    copies = {op.targets[0]: ways[op.operands[0]] for op in every if _copies(op) and op.operands[0] in ways}
    slices = {op.targets[0]: ways[op.operands[0]] for op in every if is_slice(op) and op.operands[0] in ways}
    size = -1
    while size != (size := len(copies)):
        for op in every:
            for v, _ in _steps(op) if op.operands[0] in copies else ():
                copies.setdefault(v, copies[op.operands[0]])
    found = [copies[v] for v in copies if v in settled.sharing] + [slices[v] for v in slices if v in stored]
    return tuple(sorted(set().union(*found), key=repr))


def _copies(op: Operation) -> bool:
    return op.kind == "rule" and bool(op.rule.name == "copy_method")


def augmented_parts(settled: Settled) -> Ways:
    """Parameters, and the ways to those of their parts whose items operators in place change."""
    return _parts(settled, _augmented)


def joined_parts(settled: Settled) -> Ways:
    """Parameters, and the ways to those of their parts that operators in place change as a whole: they join lists.

    y = t[0]
    y += v            ->   t: (0,)
    """
    this = settled.unit
    given: Ways = getattr(this.source.function, "joined", ())
    if this.context.memory or not settled.owned:
        return given
    ways = _ways(this)
    every = {v for op in this.operations.values() for v in _joined(op)}
    return tuple(sorted({*given, *(way for v in every for way in ways.get(v, ()))}, key=repr))


def _whole(settled: Settled) -> Ways:
    """Parameters that are taken for arrays themselves."""
    return () if settled.unit.context.memory else tuple((p, ()) for p in settled.owned if p in settled.arrays)


def _parts(settled: Settled, changed: Callable[[Operation], set[str]]) -> Ways:
    this = settled.unit
    if this.context.memory or not settled.owned:
        return ()
    ways = _ways(this)
    every = {v for op in this.operations.values() for v in changed(op)}
    return tuple(sorted({(p, way) for v in every for p, way in ways.get(v, ()) if way}, key=repr))


def _ways(this: Unit) -> dict[str, set[tuple[str, Path]]]:
    """What variables are of parameters."""
    ways: dict[str, set[tuple[str, Path]]] = {p: {(p, ())} for p in this.parameters}
    size = -1
    while size != (size := sum(map(len, ways.values()))):
        for op in filter(lambda op: op.operands, this.operations.values()):
            for v, keys in _steps(op):
                new = {(p, (*way, *keys)) for p, way in ways.get(op.operands[0], ())}
                if new:
                    ways.setdefault(v, set()).update(x for x in new if len(x[1]) <= DEEPEST)
    return ways


def _steps(op: Operation) -> list[tuple[str, Path]]:
    """The variables that an operation makes parts of its first operand, and how."""
    match op.kind:
        case "copy":
            return [(op.targets[0], ())]
        case "unpack":
            starred = isinstance(op.value, ast.Starred)
            return [(v, (None if starred else i,)) for i, v in enumerate(op.targets)]
        case "rule" if op.rule.name == "sequence":
            return [(op.targets[0], ())]
        case "rule" if op.rule.name == "getitem":
            index = op.values["index"]
            if isinstance(index, ast.Slice):
                return [(op.targets[0], ())]
            return [(op.targets[0], (index.value if isinstance(index, ast.Constant) else None,))]
        case _:
            return []


def _stored(op: Operation) -> set[str]:
    """The variables whose items an operation assigns."""
    if op.kind == "store" and "index" in op.values:
        return {op.targets[0]}
    return _given_to(op, ast.Assign)


def _augmented(op: Operation) -> set[str]:
    """The variables whose items an operation changes in place."""
    if op.kind == "augment" and "index" in op.values:
        return {op.targets[0]}
    return _given_to(op, ast.AugAssign)


def _joined(op: Operation) -> set[str]:
    """The variables that an operation changes in place as a whole."""
    if op.kind == "augment" and "index" not in op.values:
        return {op.targets[0]}
    return _given_to(op, ast.AugAssign, whole=True)


def _given_to(op: Operation, kind: type[ast.Assign | ast.AugAssign], whole: bool = False) -> set[str]:
    """What is given to a function that changes its arguments, or items of them, in a kind of statement."""
    if op.kind != "call" or not isinstance(op.value, ast.Call) or not isinstance(op.callee, types.FunctionType):
        return set()
    given = {a.id for a in op.value.args if isinstance(a, ast.Name)}
    return given if _changes_given(op.callee, kind, whole) else set()


def _changes_given(function: types.FunctionType, kind: type[ast.Assign | ast.AugAssign], whole: bool) -> bool:
    """Whether a function changes what it is given, or items of it, as far as its own text tells."""
    tree = text_of(function)
    if tree is None:
        return False
    given = {a.arg for a in arguments(tree.args)}
    found = [s for s in walk_scope(tree) if isinstance(s, kind)]
    targets = [t for s in found for t in (s.targets if isinstance(s, ast.Assign) else [s.target])]
    places = [n.value for t in targets for n in ast.walk(t) if isinstance(n, ast.Subscript)]
    return any(isinstance(e, ast.Name) and e.id in given for e in (targets if whole else places))
